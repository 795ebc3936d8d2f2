"""What a data sheet says of a robot that handles loads: payload diagram, duty map, compliance, foundation loads.

    offsets -> what a payload there adds to all loads (`offsets`) -> each limit by itself (`limits`, `part_limits`)
            -> the smallest mass of each cell, and what limits it (`diagram`)

A load is (what it is without) + m (what one kilogram at that place adds), and what one kilogram adds is a polynomial of
the second degree of its place: ten places give it for all.
"""

from loadpath.handling.compliance import static_compliance
from loadpath.handling.diagram import payload_diagram
from loadpath.handling.duty import duty_map
from loadpath.handling.foundation import foundation_loads

__all__ = ["duty_map", "foundation_loads", "payload_diagram", "static_compliance"]
