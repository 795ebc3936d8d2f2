"""Motion in time: `simulate` for one state, accurately and with its energy balance; `rollout` for many at once;
`simulations` for one simulation of each of many cases; `linearize` for small deviations from a motion.
"""

from loadpath.errors import IntegrationError
from loadpath.simulate.linearization import Linearization, linearize
from loadpath.simulate.many import Simulations, samples, simulations
from loadpath.simulate.result import Simulation
from loadpath.simulate.rollout import Rollout, RolloutError, rollout
from loadpath.simulate.simulation import simulate

__all__ = [
    "IntegrationError", "Linearization", "Rollout", "RolloutError", "Simulation", "Simulations", "linearize", "rollout",
    "samples", "simulate", "simulations",
]
