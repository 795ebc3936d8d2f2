"""Every function of robots, flexible arms and rovers takes states in every form, and refuses what it cannot match."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from handed_in import data_array, frame, series, shuffled

import loadpath as lp


class Case(NamedTuple):
    """A function of states: how many of q, qd, qdd it takes, and its result as an array of numbers."""

    subject: str
    parts: int
    run: Callable[..., Any]
    single: bool = True
    """Whether it takes one state without a batch axis."""


def _reduced(arm: lp.Robot, *states: Any) -> Any:
    given = states[0] if len(states) == 1 else states
    return arm.reduce_loads(given, lp.LoadExtremes()).largest.total("theta1")


def _frequencies(arm: lp.FlexibleRobot, q: Any, *speeds: Any) -> Any:
    return arm.natural_frequencies(q, count=2, **dict(zip(("qd", "qdd"), speeds, strict=False))).frequencies


CASES = {
    "inverse_dynamics": Case("arm", 3, lambda a, *s: a.inverse_dynamics(*s)),
    "inverse_dynamics by luh": Case("arm", 3, lambda a, *s: a.inverse_dynamics(*s, formulation="luh")),
    "joint_wrenches": Case("arm", 3, lambda a, *s: a.joint_wrenches(*s).torque),
    "bias_forces": Case("arm", 2, lambda a, *s: a.bias_forces(*s)),
    "coriolis_matrix": Case("arm", 2, lambda a, *s: a.coriolis_matrix(*s)),
    "kinetic_energy": Case("arm", 2, lambda a, *s: a.kinetic_energy(*s)),
    "mass_matrix": Case("arm", 1, lambda a, *s: a.mass_matrix(*s)),
    "gravity_forces": Case("arm", 1, lambda a, *s: a.gravity_forces(*s)),
    "link_poses": Case("arm", 1, lambda a, *s: a.link_poses(*s)),
    "jacobian": Case("arm", 1, lambda a, *s: a.jacobian(*s, link="rod")),
    "regressor": Case("arm", 3, lambda a, *s: a.regressor(*s)),
    "inverse_dynamics_derivatives": Case("arm", 3, lambda a, *s: a.inverse_dynamics_derivatives(*s).q),
    "load_breakdown": Case("arm", 3, lambda a, *s: a.load_breakdown(*s).values),
    "peak_loads": Case("arm", 3, lambda a, *s: a.peak_loads(*s).drive.magnitude),
    "max_payload": Case("arm", 3, lambda a, *s: a.max_payload(*s, {"theta1": 50.0, "d2": 50.0}).mass),
    "reduce_loads": Case("arm", 3, _reduced, single=False),
    "excitation": Case("arm", 3, lambda a, *s: lp.excitation(a, *s).singular_values, single=False),
    "deflection": Case("flexible", 3, lambda a, *s: a.deflection(*s).displacement),
    "deflection, iterated": Case("flexible", 3, lambda a, *s: a.deflection(*s, iterate=True).displacement),
    "stress": Case("flexible", 3, lambda a, *s: a.stress(*s).von_mises),
    "buckling_safety": Case("flexible", 3, lambda a, *s: 1 / a.buckling_safety(*s).safety),
    "extremes": Case("flexible", 3, lambda a, *s: a.extremes(*s).tip.displacement),
    "natural_frequencies": Case("flexible", 3, _frequencies),
    "stiffness": Case("elastic", 1, lambda a, *s: a.stiffness(*s)),
    "ground_wrench": Case("rover", 3, lambda r, *s: r.ground_wrench(*s).torque),
    "wheel_loads": Case("rover", 3, lambda r, *s: r.wheel_loads(*s).normal),
    "stability": Case("rover", 3, lambda r, *s: r.stability(*s).margin),
    "slip": Case("rover", 3, lambda r, *s: r.slip(*s).ratio),
    "largest_payload": Case("rover", 3, lambda r, *s: r.largest_payload(*s, link="rod")),
}


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.lau_arm()


@pytest.fixture(scope="module")
def subjects(arm: lp.Robot) -> dict[str, Any]:
    tube = lp.Tube(outer_radius=0.02, wall=0.002)
    beams = {"link1": lp.Beam(tube, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    flexible = lp.catalog.planar(2).with_beams(beams)
    return {"arm": arm, "flexible": flexible, "elastic": flexible, "rover": lp.catalog.lau_rover()}


def _robot(subject: Any) -> lp.Robot:
    return subject.robot if isinstance(subject, lp.Rover) else subject


def _motion(subject: Any) -> lp.Motion:
    """A motion whose joints all move differently, so that no two can be taken for each other."""
    robot = _robot(subject)
    t = np.linspace(0.0, 1.0, 17)
    phase = np.arange(robot.n) + 1.0
    q = 0.3 + 0.1 * phase * np.sin(np.outer(t, phase))
    qd = 0.1 * phase**2 * np.cos(np.outer(t, phase))
    qdd = -0.1 * phase**3 * np.sin(np.outer(t, phase))
    return lp.Motion(t, q, qd, qdd, robot=robot)


def _arrays(motion: Any, parts: int) -> list[Any]:
    return [motion.q, motion.qd, motion.qdd][:parts]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_a_motion(case: Case, subjects: dict[str, Any]) -> None:
    subject = subjects[case.subject]
    motion = _motion(subject)
    expected = case.run(subject, *_arrays(motion, case.parts))
    # Means of peaks weigh by time; the largest values do not.
    np.testing.assert_array_equal(case.run(subject, motion), expected)


def test_a_simulation(case: Case, subjects: dict[str, Any]) -> None:
    subject = subjects[case.subject]
    start = _motion(subject)
    simulation = _robot(subject).without_beams().simulate(start.q[3], start.qd[3], duration=0.05)
    expected = case.run(subject, *_arrays(simulation, case.parts))
    np.testing.assert_array_equal(case.run(subject, simulation), expected)


def test_a_motion_of_tables(case: Case, subjects: dict[str, Any]) -> None:
    subject = subjects[case.subject]
    motion, names = _motion(subject), _robot(subject).dof_names
    expected = case.run(subject, *_arrays(motion, case.parts))
    tables = SimpleNamespace(**{part: frame(getattr(motion, part), names) for part in ("q", "qd", "qdd")})
    np.testing.assert_array_equal(case.run(subject, tables), expected)
    # Names of the whole motion are those of its arrays without labels; masks are not lost with the order.
    order = shuffled(names)
    mixed = {"q": tables.q, "qd": motion.qd[:, order], "qdd": motion.qdd[:, order]}
    own = [names[k] for k in order]
    np.testing.assert_array_equal(case.run(subject, SimpleNamespace(**mixed, dof_names=own)), expected)
    masked = mixed | {"q": np.ma.masked_array(motion.q[:, order], mask=np.eye(len(motion), len(names)))}
    with pytest.raises(ValueError, match=f"'q' has {len(names)} masked values"):
        case.run(subject, SimpleNamespace(**masked, dof_names=own))


@pytest.mark.parametrize("table", [frame, data_array])
def test_tables_with_columns_in_another_order(case: Case, subjects: dict[str, Any], table: Any) -> None:
    subject = subjects[case.subject]
    motion, names = _motion(subject), _robot(subject).dof_names
    arrays = _arrays(motion, case.parts)
    expected = case.run(subject, *arrays)
    np.testing.assert_array_equal(case.run(subject, *(table(a, names) for a in arrays)), expected)
    # One labelled array among others that are not.
    np.testing.assert_array_equal(case.run(subject, table(arrays[0], names), *arrays[1:]), expected)


def test_one_state_as_series(case: Case, subjects: dict[str, Any]) -> None:
    if not case.single:
        pytest.skip("takes rows of states")
    subject = subjects[case.subject]
    motion, names = _motion(subject), _robot(subject).dof_names
    arrays = [a[5] for a in _arrays(motion, case.parts)]
    expected = case.run(subject, *arrays)
    np.testing.assert_array_equal(case.run(subject, *(series(a, names) for a in arrays)), expected)


def test_labels_that_do_not_match_are_refused_by_name(case: Case, subjects: dict[str, Any]) -> None:
    subject = subjects[case.subject]
    motion, names = _motion(subject), _robot(subject).dof_names
    arrays = _arrays(motion, case.parts)
    last = len(arrays) - 1
    for given, message in (
        ([*names[:-1], "Wrong"], f"has no '{names[-1]}' and 'Wrong', which is not known"),
        ([*names[:-1], f"{names[-1]}x"], rf"did you mean '{names[-1]}' by '{names[-1]}x'\?"),
        ([*names[:-1], names[0]], f"'{names[0]}' is there twice"),
    ):
        tables = [*arrays[:last], frame(arrays[last], given)]
        with pytest.raises(ValueError, match=f"'{('q', 'qd', 'qdd')[last]}'.*{message}"):
            case.run(subject, *tables)


def test_masked_values_are_refused(case: Case, subjects: dict[str, Any]) -> None:
    subject = subjects[case.subject]
    arrays = _arrays(_motion(subject), case.parts)
    expected = case.run(subject, *arrays)
    np.testing.assert_array_equal(case.run(subject, *(np.ma.masked_array(a) for a in arrays)), expected)
    holes = np.zeros(arrays[-1].shape, dtype=bool)
    holes[4, 1] = holes[7, 0] = True
    masked = [*arrays[:-1], np.ma.masked_array(arrays[-1], mask=holes)]
    with pytest.raises(ValueError, match=r"has 2 masked values, the first at \(4, 1\)"):
        case.run(subject, *masked)


def test_the_motion_of_another_robot_is_refused_with_both_names(case: Case, subjects: dict[str, Any]) -> None:
    other = lp.catalog.puma560()
    with pytest.raises(ValueError, match=r"motion is of robot 'puma560' with .*; robot '.*' has (theta1|joint1)"):
        case.run(subjects[case.subject], lp.Motion.swing(other, 7))


def test_speeds_in_addition_to_a_motion_are_refused(case: Case, subjects: dict[str, Any]) -> None:
    if case.parts < 2 or case.run is _reduced:
        pytest.skip("takes no speeds after the states")
    subject = subjects[case.subject]
    motion = _motion(subject)
    with pytest.raises((ValueError, TypeError), match=r"own q|leave out|takes a motion, or q, qd and qdd"):
        case.run(subject, motion, motion.qd, motion.qdd)
