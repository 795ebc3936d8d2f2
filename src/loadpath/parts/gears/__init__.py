"""Gears: strain wave, cycloidal and planetary ones against the torque, speed and life of their catalogues.

A gear sees the torque at its output, without what accelerates the motor's rotor, and the joint's speed.
"""
