"""Loads of closed robots, a line each: every wrench by cause, and in any direction."""

from __future__ import annotations

from loadpath.api.closed_quantities import ClosedQuantities, check_driven
from loadpath.engine.quantity import Compiled
from loadpath.loads import closed_reaction
from loadpath.loads.breakdown import closed_terms
from loadpath.loads.breakdown.index import count_terms
from loadpath.results import ClosedLoadTerms
from loadpath.robot.closed_mechanism import closed_plain, closed_reframed
from loadpath.states.on_manifold import verdict

_WRENCHES = ClosedQuantities.joint_wrenches
"""What is asked of a part of the joint wrenches takes what they take."""


class ClosedLoadQuantities(ClosedQuantities):
    """The compiled quantities of a closed robot, those of loads among them."""

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
    force_along = Compiled(
        closed_reaction.force_along,
        "(q),(n),(n),(3)->(),(s)",
        closed_reframed,
        """Force (N) at a joint or loop along any direction, `robot.force_along(q, qd, qdd, direction, joint="pin")`,
        exerted by the parent on the child (the first link on the second). `direction` is (..., 3), of any length, in the
        child's joint frame (of a loop: in its frame `on`), or with `axes="world"` in world axes. Other options as in
        `joint_wrenches`.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> state = bar.home, [0, 0, 0], [0, 0, 0]
        >>> along = bar.force_along(*state, [2, 0, 0], joint="rocker_pin")
        >>> bool(abs(along - bar.joint_wrenches(*state)["rocker_pin"].force[0]) < 1e-12)
        True
        """,
        optional=_WRENCHES.optional,
        choices={"joint": None, "axes": "joint", **_WRENCHES.choices},
        choice_readers=_WRENCHES.choice_readers,
        takes_external=True,
        sizes=_WRENCHES.sizes,
        check=check_driven,
        verdict=verdict,
        wrap=lambda robot, value: value,  # without a joint there is nothing to compile, so no short way
    )
    torque_about = Compiled(
        closed_reaction.torque_about,
        "(q),(n),(n),(3)->(),(s)",
        closed_reframed,
        """Torque (N m) at a joint or loop about any line, `robot.torque_about(q, qd, qdd, direction, joint="pin")`. The
        line goes through the joint's origin or through `point=`, (..., 3), counted from there; `direction` is of any
        length; both are in the child's joint frame (of a loop: in its frame `on`), or with `axes="world"` in world axes.
        Other options as in `joint_wrenches`.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> state = bar.home, [0, 0, 0], [0, 0, 0]
        >>> about = bar.torque_about(*state, [0, 0, 1], joint="crank_joint")
        >>> bool(abs(about - bar.inverse_dynamics(*state)[0]) < 1e-12)
        True
        """,
        optional={"point": (3,), **_WRENCHES.optional},
        choices={"joint": None, "axes": "joint", **_WRENCHES.choices},
        choice_readers=_WRENCHES.choice_readers,
        takes_external=True,
        sizes=_WRENCHES.sizes,
        check=check_driven,
        verdict=verdict,
        wrap=lambda robot, value: value,
    )


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {
    f"ClosedRobot.{key}": value.__doc__ or ""
    for key, value in vars(ClosedLoadQuantities).items()
    if isinstance(value, Compiled)
}
