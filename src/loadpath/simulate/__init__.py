"""Motion in time: `simulate` for one state, accurately and with its energy balance; `rollout` for many at once;
`simulations` for one simulation of each of many cases.
"""

from loadpath.errors import IntegrationError
from loadpath.simulate.many import Simulations, samples, simulations
from loadpath.simulate.result import Simulation
from loadpath.simulate.rollout import Rollout, rollout
from loadpath.simulate.simulation import simulate

__all__ = ["IntegrationError", "Rollout", "Simulation", "Simulations", "rollout", "samples", "simulate", "simulations"]
