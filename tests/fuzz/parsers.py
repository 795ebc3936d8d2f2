"""All that reads, in one list."""

from __future__ import annotations

from .outcome import Parser
from .urdf_cases import urdf

PARSERS: tuple[Parser, ...] = (urdf,)
