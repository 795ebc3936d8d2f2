"""xacro, the macros of URDF: read, evaluated and written out by this library alone, without ROS.

A file is evaluated only when its user asks for it: by its ending, or by `lp.load(path, xacro=True)`.
"""

from loadpath.files.xacro.processing import XACRO_ENDING, ends_as_xacro, has_xacro, run_xacro

__all__ = ["XACRO_ENDING", "ends_as_xacro", "has_xacro", "run_xacro"]
