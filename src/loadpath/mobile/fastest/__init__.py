"""The fastest motion of an arm on a rover that stands, and of a rover that rolls, within what its contacts hold."""

from loadpath.mobile.fastest.asked import fastest
from loadpath.mobile.fastest.planar import from_planar

__all__ = ["fastest", "from_planar"]
