"""What acts on a robot from outside: external wrenches, and a base that moves."""

from __future__ import annotations

BASE_MOTION = {"base_velocity": (6,), "base_acceleration": (6,)}
"""The arrays that give the motion of the base, with their core shapes: linear first, in the root link's axes."""
