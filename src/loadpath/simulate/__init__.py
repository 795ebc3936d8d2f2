"""Motion in time: `simulate` for one state, accurately and with its energy balance; `rollout` for many at once."""

from loadpath.errors import IntegrationError
from loadpath.simulate.result import Simulation
from loadpath.simulate.rollout import Rollout, rollout
from loadpath.simulate.simulation import simulate

__all__ = ["IntegrationError", "Rollout", "Simulation", "rollout", "simulate"]
