"""Robots of the literature, with their published numbers: `lp.catalog.puma560()` and others.

The makers, with their sources, are in `loadpath.robot.catalog`; here they give the public `lp.Robot`.
"""

from __future__ import annotations

from loadpath.api import public
from loadpath.robot import catalog as _catalog

__all__ = sorted(_catalog.__all__)

globals().update({name: public(getattr(_catalog, name)) for name in __all__})
