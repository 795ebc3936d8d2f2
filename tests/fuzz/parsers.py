"""All that reads, in one list."""

from __future__ import annotations

from .call_cases import calls
from .command_cases import commands
from .dh_cases import dh
from .motion_cases import csv_motion, npz_motion, written
from .outcome import Parser
from .urdf_cases import urdf

PARSERS: tuple[Parser, ...] = (urdf, dh, csv_motion, npz_motion, written, commands, calls)
