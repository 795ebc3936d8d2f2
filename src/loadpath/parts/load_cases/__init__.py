"""Balanced load cases for finite-element models: all that acts on a link at the instants that matter (`balanced`: one
link at one instant, `choosing`: which instants, `result`: all of them, as tables and files).
"""
