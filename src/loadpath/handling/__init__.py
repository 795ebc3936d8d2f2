"""What a data sheet says of a robot that handles loads: payload diagram, duty map, compliance, foundation loads.

    offsets -> what a payload there adds to all loads (`offsets`) -> each limit by itself (`limits`, `part_limits`)
            -> the smallest mass of each cell, and what limits it (`diagram`)

A load is (what it is without) + m (what one kilogram at that place adds), and what one kilogram adds is a polynomial of
the second degree of its place: ten places give it for all.
"""

from loadpath.handling.diagram import payload_diagram

__all__ = ["payload_diagram"]
