"""Beams as links: where they lie, how their elements respond, and the equations of their deflection and stress."""
