"""Loads of closed robots by cause."""

from __future__ import annotations

from loadpath.algorithms.loops.checks import check_driven
from loadpath.api.closed_quantities import ClosedQuantities
from loadpath.engine.quantity import Compiled
from loadpath.loads.breakdown import closed_terms
from loadpath.loads.breakdown.index import count_terms
from loadpath.results import ClosedLoadTerms
from loadpath.robot.closed_mechanism import closed_plain
from loadpath.states.on_manifold import verdict

_WRENCHES = ClosedQuantities.joint_wrenches
"""What is asked of a part of the joint wrenches takes what they take."""


class ClosedLoadQuantities(ClosedQuantities):
    """The compiled quantities of a closed robot, those of loads by cause among them."""

    load_terms = Compiled(
        closed_terms.closed_load_terms,
        "(q),(n),(n)->(t,6),(n),(n),(u,a),(s)",
        closed_plain,
        """The arrays that `load_breakdown` is made of: `.values` (..., terms, 6), force and torque at every joint and
        loop by cause, in the order of `load_breakdown(...).index.terms`; `.friction` and `.rotor` of all speeds,
        (..., n); `.drives` (..., sources, drives), what each of `index.sources` takes from each drive. Options as in
        `joint_wrenches`.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> bar.load_terms(bar.home, [0, 0, 0], [0, 0, 0]).values.shape
        (40, 6)
        """,
        takes_external=True,
        optional=_WRENCHES.optional,
        choices={"by": "freedom", "by_link": False, "frame": "joint", **_WRENCHES.choices},
        choice_readers=_WRENCHES.choice_readers,
        sizes=count_terms,
        most_results=6_000,  # a term is carried through the loops to every joint of its circuit: programs are long
        check=check_driven,
        verdict=verdict,
        wrap=lambda robot, *parts: ClosedLoadTerms(*parts),
    )


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {
    f"ClosedRobot.{key}": value.__doc__ or ""
    for key, value in vars(ClosedLoadQuantities).items()
    if isinstance(value, Compiled)
}
