"""Python calls that read names, numbers, poses and states: anything in place of what is expected."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import loadpath as lp

from .hostile import NAMES, anything, hostile_name, scalar
from .outcome import ACCEPTED, REFUSED, Outcome, Parser, Refusal, refusals

_ARM = lp.catalog.two_link()
_BODY = lp.Inertia(1.0)
_TUBE = lp.Tube(outer_radius=0.04, wall=0.003)
_MOTION = lp.Motion.swing(_ARM, 50)
_FLEXIBLE = _ARM.with_beams({"link1": lp.Beam(lp.Tube(outer_radius=0.01, wall=0.001), lp.STEEL, end="joint2")})
_BASE = lp.WheeledBase(
    mass=10, center_of_mass=(0, 0, 0.1), wheels=[lp.Support((1, 1)), lp.Support((1, -1)), lp.Support((-1, 0))]
)


def _brief(value: Any) -> Any:
    """What would take long, though it is no mistake, is left out."""
    return 0.01 if isinstance(value, (int, float)) and abs(value) > 100 else value


def _hashable(name: Any) -> Any:
    return name if isinstance(name, (str, int, float, bool, bytes, type(None))) else repr(name)


def _series(names: Any) -> Any:
    import pandas as pd

    names = [_hashable(name) for name in (names if isinstance(names, list) else [names])]
    return pd.Series([0.1] * len(names), index=pd.Index(names, dtype=object))


CALLS: dict[str, Callable[..., Any]] = {
    "joint by name": lambda a, b: _ARM.joint(a),
    "link by name": lambda a, b: _ARM.link(a),
    "locked": lambda a, b: _ARM.locked(a if isinstance(a, dict) else {"joint1": a}),
    "payload": _ARM.with_payload,
    "payload on a link": lambda a, b: _ARM.with_payload(1.0, link=a, name=b),
    "gravity": lambda a, b: _ARM.with_gravity(a),
    "states": lambda a, b: _ARM.inverse_dynamics(a, b, [0.0, 0.0]),
    "states by name": lambda a, b: _ARM.gravity_forces(_series(a)),
    "external wrench": lambda a, b: _ARM.inverse_dynamics([0, 0], [0, 0], [0, 0], external={_hashable(a): b}),
    "wrench": lp.Wrench,
    "jacobian of a link": lambda a, b: _ARM.jacobian([0, 0], a),
    "Pose": lp.Pose,
    "Pose.from_matrix": lambda a, b: lp.Pose.from_matrix(a),
    "Pose.from_xyz_rpy": lp.Pose.from_xyz_rpy,
    "Inertia": lp.Inertia,
    "Inertia tensor": lambda a, b: lp.Inertia(1.0, (0, 0, 0), a),
    "Limits": lp.Limits,
    "Mimic": lambda a, b: lp.Mimic("j", a, b),
    "Link": lp.Link,
    "Joint": lambda a, b: lp.Joint("j", "p", "c", lp.Revolute(), viscous_friction=a, rotor_inertia=b),
    "Joint names": lambda a, b: lp.Robot(
        "r", (lp.Link("p"), lp.Link("c", _BODY)), (lp.Joint("j", a, b, lp.Revolute()),)
    ),
    "Joint origin": lambda a, b: lp.Joint("j", "p", "c", lp.Revolute(), a, b),
    "Joint motion": lambda a, b: lp.Joint("j", "p", "c", a),
    "Joint limits": lambda a, b: lp.Joint("j", "p", "c", lp.Revolute(), limits=a),
    "Joint mimic": lambda a, b: lp.Joint("j", "p", "c", lp.Revolute(), mimic=a),
    "Revolute": lambda a, b: lp.Revolute(a),
    "Helical": lambda a, b: lp.Helical((0, 0, 1), pitch=a),
    "Universal": lp.Universal,
    "Generalized": lambda a, b: lp.Generalized(a),
    "Generalized axis": lambda a, b: lp.Generalized((("turn", a), ("slide", b))),
    "generalized": lambda a, b: _ARM.generalized(a),
    "reduced": _ARM.reduced,
    "reduced joint": lambda a, b: _ARM.generalized().reduced({"joint1": a}, at={"joint1": b}),
    "own quantity": lp.quantity,
    "Robot links": lambda a, b: lp.Robot("r", a, b),
    "Robot name and gravity": lambda a, b: lp.Robot(a, (lp.Link("p"),), (), b),
    "Motion": lp.Motion,
    "Motion of a robot": lambda a, b: lp.Motion([0, 1, 2], a, robot=_ARM),
    "Motion.through": lambda a, b: lp.Motion.through(_ARM, a, times=b),
    "Motion.swing": lambda a, b: lp.Motion.swing(_ARM, duration=a),
    "Tube": lambda a, b: lp.Tube(outer_radius=a, wall=b),
    "Material": lambda a, b: lp.Material("m", a, b),
    "Beam": lambda a, b: lp.Beam(a, lp.STEEL, end=b),
    "Beam ends": lambda a, b: lp.Beam(_TUBE, lp.STEEL, start=a, end=b),
    "beams": lambda a, b: _ARM.with_beams(a if isinstance(a, dict) else {"link1": a}),
    "FixedWheel": lambda a, b: lp.FixedWheel(a, radius=b),
    "WheeledBase": lambda a, b: lp.WheeledBase(mass=1.0, center_of_mass=a, wheels=b),
    "Ground": lp.Ground,
    "count": lambda a, b: _ARM.operation_count(a),
    "formulation": lambda a, b: _ARM.inverse_dynamics([0, 0], [0, 0], [0, 0], formulation=a),
    "load": lambda a, b: lp.load(a),
    "floating": _ARM.floating,
    "without payload": lambda a, b: _ARM.without_payload(a),
    "inertias": lambda a, b: _ARM.with_inertias(a if isinstance(a, dict) else {"link1": a}),
    "inverse kinematics": _ARM.inverse_kinematics,
    "base acceleration": lambda a, b: _ARM.inverse_dynamics([0, 0], [0, 0], [0, 0], base_acceleration=a),
    "simulate": lambda a, b: _ARM.simulate(a, b, duration=0.01),
    "simulate so long": lambda a, b: _ARM.simulate([0.1, 0.2], [0, 0], duration=_brief(a), torque=b),
    "rollout": lambda a, b: _ARM.rollout([0, 0], a, b, step=0.01, steps=2),
    "max payload": lambda a, b: _ARM.max_payload([0, 0], [0, 0], [0, 0], limits=a),
    "wrench moved": lambda a, b: lp.Wrench((0, 0, 1), (0, 0, 0)).at(a),
    "wrench turned": lambda a, b: lp.Wrench((0, 0, 1), (0, 0, 0)).in_frame(a),
    "equations": lambda a, b: _ARM.equations(a if isinstance(a, str) else "x", parameters=b),
    "C source": lambda a, b: _ARM.c_source("gravity_forces", function_name=a, scalar=b),
    "exported quantity": lambda a, b: _ARM.casadi_function(a),
    "motion at": lambda a, b: _MOTION.at(a),
    "motion resampled": lambda a, b: _MOTION.resampled(_brief(a)),
    "motion between": _MOTION.between,
    "motion scaled": lambda a, b: _MOTION.scaled(duration=a),
    "motions in a row": lambda a, b: _MOTION.followed_by(a),
    "via points with limits": lambda a, b: lp.Motion.through(_ARM, [[0, 0], [1, 1]], velocity=a, acceleration=b),
    "via points by name": lambda a, b: lp.Motion.through(_ARM, [[0, 0], [1, 1]], [0, 1], profile=a),
    "Rod": lambda a, b: lp.Rod(a),
    "Bar": lp.Bar,
    "IBeam": lambda a, b: lp.IBeam(a, b, 0.01, 0.01),
    "RectangularTube": lambda a, b: lp.RectangularTube(a, b, 0.001),
    "Segment": lambda a, b: lp.Segment(a, b, lp.STEEL),
    "JointCompliance": lambda a, b: lp.JointCompliance(a),
    "compliance of joints": lambda a, b: _ARM.with_beams(joint_compliance=a),
    "deflection": lambda a, b: _FLEXIBLE.deflection([0.1, 0.2], effects=a),
    "stress": lambda a, b: _FLEXIBLE.stress(a),
    "frequencies": lambda a, b: _FLEXIBLE.natural_frequencies([0.1, 0.2], count=a),
    "CasterWheel": lambda a, b: lp.CasterWheel((0, 0), radius=0.1, trail=a),
    "MecanumWheel": lambda a, b: lp.MecanumWheel(a, radius=0.1, roller_angle=b),
    "WheelFriction": lp.WheelFriction,
    "carrying": lambda a, b: _BASE.carrying(_ARM, at=a, prefix=b),
    "rover on a slope": lambda a, b: _BASE.carrying(_ARM, ground=a),
    "wheel loads": lambda a, b: _BASE.carrying(_ARM).wheel_loads(a, b, [0, 0]),
    "stability": lambda a, b: _BASE.carrying(_ARM).stability(a),
    "verify": lambda a, b: lp.verify(_ARM, *(() if isinstance(a, int) and a > 50 else (a,))),
    "catalog": lambda a, b: lp.catalog.planar(a if not isinstance(a, int) or a < 50 else 3),
    "random robot": lambda a, b: lp.catalog.random_chain(2, a, b),
}
_KINDS = (ValueError, TypeError, OSError)
"""Those that are documented; each must be raised by a line of ours."""


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A call and two arguments."""
    value = st.one_of(
        anything,
        scalar,
        hostile_name,
        st.sampled_from(NAMES),
        st.lists(st.floats(-2, 2), min_size=2, max_size=3),
        st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=3, max_size=3),
        st.lists(st.lists(scalar, min_size=2, max_size=2), min_size=2, max_size=4),
    )
    as_array = draw(st.integers(0, 5)) == 5
    return {"call": draw(st.sampled_from(sorted(CALLS))), "a": draw(value), "b": draw(value), "array": as_array}


def _array(value: Any) -> Any:
    try:
        return np.array(value)
    except (ValueError, OverflowError):
        return value


def check(case: dict[str, Any]) -> Outcome:
    """Taken, or refused by a line of ours."""
    a, b = (_array(x) if case["array"] and isinstance(x, list) else x for x in (case["a"], case["b"]))
    try:
        with refusals(*_KINDS), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            CALLS[case["call"]](a, b)
    except Refusal:
        return REFUSED
    return ACCEPTED


calls = Parser("Python calls", cases(), check, weight=2.0)
