"""Closed chains in position and speed: assembly, freedoms, dead points."""
