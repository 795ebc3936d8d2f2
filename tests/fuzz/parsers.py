"""All that reads, in one list."""

from __future__ import annotations

from .call_cases import calls
from .command_cases import commands
from .dh_cases import dh
from .mesh_cases import meshes
from .mjcf_cases import mjcf
from .motion_cases import csv_motion, npz_motion, written
from .outcome import Parser
from .robot_file_cases import archives, projects, sdf
from .urdf_cases import urdf
from .xacro_cases import xacro_files

PARSERS: tuple[Parser, ...] = (
    urdf, mjcf, meshes, xacro_files, sdf, projects, archives, dh, csv_motion, npz_motion, written, commands, calls,
)
