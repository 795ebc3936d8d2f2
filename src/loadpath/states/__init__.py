"""One way to hand in states: arrays, labelled tables, motions and simulations (`reading`), also in calls of compiled
quantities (`calls`); external wrenches and the motion of the base with them (`load_case`); all of it in blocks
(`batch`); those that are not numbers (`unknown`); loads where none are taken (`keywords`).
"""

from loadpath.states.batch import Batch, Block, StateBatch, place_of, state_array, state_words
from loadpath.states.keywords import refuse_keywords
from loadpath.states.load_case import LoadCase, external_of, refuse_external, refuse_moving_base, wrenches_over
from loadpath.states.reading import (
    Joints,
    MotionLike,
    States,
    StatesLike,
    as_motion,
    is_motion,
    read_array,
    read_arrays,
    read_motion,
    read_states,
)
from loadpath.states.unknown import count_words, unknown_states, warn_of_unknown

__all__ = [
    "Batch",
    "Block",
    "Joints",
    "LoadCase",
    "MotionLike",
    "StateBatch",
    "States",
    "StatesLike",
    "as_motion",
    "count_words",
    "external_of",
    "is_motion",
    "place_of",
    "read_array",
    "read_arrays",
    "read_motion",
    "read_states",
    "refuse_external",
    "refuse_keywords",
    "refuse_moving_base",
    "state_array",
    "state_words",
    "unknown_states",
    "warn_of_unknown",
    "wrenches_over",
]
