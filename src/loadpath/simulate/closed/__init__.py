"""Simulation of closed chains: motion in time on the manifold of the closed configurations."""

from loadpath.simulate.closed.result import ClosedSimulation, DeadPoint
from loadpath.simulate.closed.simulation import simulate

__all__ = ["ClosedSimulation", "DeadPoint", "simulate"]
