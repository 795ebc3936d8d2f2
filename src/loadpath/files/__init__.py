"""Robots from files: URDF."""
