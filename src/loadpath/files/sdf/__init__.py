"""Robots from SDF files (SDFormat 1.4 to 1.12), as Gazebo and Drake write them. `read_sdf` is what the rest needs."""

from loadpath.files.sdf.reading import read_sdf

__all__ = ["read_sdf"]
