"""Robots with loops in time: on the manifold of the closed configurations."""

from loadpath.simulate.events import DeadPoint
from loadpath.simulate.result import ClosedSimulation

__all__ = ["ClosedSimulation", "DeadPoint"]
