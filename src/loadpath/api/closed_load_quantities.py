"""Loads of closed robots, a line each: every wrench by cause, and in any direction."""

from __future__ import annotations

from dataclasses import dataclass

from loadpath.api.closed_quantities import CHOSEN_EFFORT, ClosedQuantities, check_driven, counts
from loadpath.engine.quantity import Compiled, compiled_quantities
from loadpath.loads import closed_reaction
from loadpath.loads.breakdown import closed_terms
from loadpath.loads.breakdown.index import count_terms
from loadpath.mechanics.load_case import BASE_MOTION
from loadpath.results import ClosedLoadTerms
from loadpath.robot.closed_mechanism import closed_plain, closed_reframed
from loadpath.states.on_manifold import verdict
