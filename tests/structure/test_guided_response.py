"""Vibration in time of arms with guides whose slides stand: against the whole model, Duhamel's integral, and arms
without guides that are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from telescopes import telescope
from test_guided_vibration import RAILS, on_rails
from test_respond import duhamel

import loadpath as lp
from loadpath.motion.via_points import quintic_step
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.moving_frame import moving_terms
from loadpath.structure.response.reduction import reduced_at
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

BENDING = ("bending",)
LIGHT = lp.Material(210e9, 81e9, density=0.0, name="light")


def arms() -> list[tuple[str, Any, dict[str, float]]]:
    """Arms with the extensions in which they stand."""
    front = {"along": "front", "torsion": "front"}
    return [
        ("steps and front pads", telescope(2, 5, offset=0.1, stepped=True, guides=front), {"slide1": 0.4}),
        ("three stages", telescope(3, 7), {"slide1": 1.3, "slide2": 0.7}),
        ("carriage", on_rails(*RAILS[2], drive=1e5), {"slide": 0.6}),
        ("trolley", on_rails(*RAILS[3], drive=1e5), {"slide": 0.6}),
    ]


@pytest.mark.parametrize("case", arms(), ids=lambda case: case[0])
def test_few_coordinates_against_all(case: tuple[str, Any, dict[str, float]]) -> None:
    """Mass, geometric stiffness, forces and frames of the constant tree in other poses than that it was made in."""
    _, arm, extension = case
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 3, arm.n))
    for joint, value in extension.items():
        q[:, list(arm.dof_names).index(joint)] = value
    model = vibration_model(arm, EFFECTS, 3)
    Y = np.linalg.qr(rng.normal(size=(model.size, 6)))[0]
    small, whole = reduced_at(model, Y, q[:1]), model.at(q)
    at = small.placed(q)
    pulled = LoadCase({arm.link_names[-1]: lp.Wrench((100, 200, -300), (10, 20, 30), point=(0.1, 0.2, 0.3))})
    rows = dead_loads(arm, (q, qd, qdd), pulled)  # type: ignore[arg-type]
    moved, turned = whole.frame_motions(np.broadcast_to(Y.T, (3, *Y.T.shape)))
    pairs = [
        (small.mass(at), Y.T @ whole.matrices()[0] @ Y),
        (small.geometric_stiffness(at, small.loads((q, qd, qdd), LoadCase())),
         Y.T @ whole.loaded((q, qd, qdd), LoadCase())[0] @ Y),
        (small.geometric_stiffness(at, small.loads((q, qd, qdd), pulled)),
         Y.T @ whole.loaded((q, qd, qdd), pulled)[0] @ Y),
        (rows.reshape(3, -1) @ small.load_map.T, generalized_forces(whole, rows) @ Y),  # type: ignore[arg-type]
        (small.frames(at), np.concatenate([np.moveaxis(part, 1, -1) for part in (moved, turned)], axis=-2)),
    ]
    for found, expected in pairs:
        assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_moving_terms_between_pads_are_rates() -> None:
    """M' = N + N^T, and N' - N'^T = L - L^T: what the displacements' derivatives must obey."""
    arm = on_rails(*RAILS[1])
    rng = np.random.default_rng(2)
    model = vibration_model(arm, BENDING, 3)
    start, rate, growth = np.array([[0.3, 1.3, -0.7]]), np.array([[1.3, 0.0, -2.1]]), np.array([[0.7, 0.0, 3.0]])
    small = reduced_at(model, np.linalg.qr(rng.normal(size=(model.size, 5)))[0], start)
    h = 1e-4

    def terms(t: float) -> tuple[Any, Any, Any]:
        q, qd = start + rate * t + growth * t**2 / 2, rate + growth * t
        at = small.placed(q)
        N, L = moving_terms(small, at, (q, qd, growth), LoadCase())
        return small.mass(at)[0], N[0], L[0]

    before, (_, N, L), after = terms(-h), terms(0.0), terms(h)
    M_rate, N_rate = ((after[k] - before[k]) / (2 * h) for k in range(2))
    assert np.abs(M_rate).max() > 0.05 * np.abs(N).max()
    assert_allclose(N + N.T, M_rate, atol=1e-6 * np.abs(N).max())
    assert_allclose(L - L.T, N_rate - N_rate.T, atol=1e-6 * np.abs(L).max())


# A rod without mass on two pads of a rigid carrier, and a load at its end: one mode, by hand

ROD, LOAD, SPACING, OUT, ZETA = lp.Rod(0.012), 4.0, 0.5, 1.2, 0.03
FLEXIBILITY = OUT**2 * (OUT + SPACING) / (3 * 210e9 * ROD.second_moment_z)
OMEGA = 1 / math.sqrt(LOAD * FLEXIBILITY)


def overhanging() -> lp.FlexibleRobot:
    """The pads are at 0.3 and 0.8 m of the carrier, the load at 0.6 m and the extension."""
    robot = lp.Robot(
        "overhang",
        (lp.Link("base"), lp.Link("carrier", lp.Inertia(1.0)), lp.Link("rod"), lp.Link("load", lp.Inertia(LOAD))),
        (
            lp.Joint("turn", "base", "carrier", lp.Revolute((0, 0, 1))),
            lp.Joint("slide", "carrier", "rod", lp.Prismatic((1, 0, 0)), limits=lp.Limits(lower=0.2, upper=1.8)),
            lp.Joint("end", "rod", "load", lp.Fixed(), lp.Pose(translation=(0.6, 0, 0))),
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    guide = lp.Guide(at=0.55, spacing=SPACING)
    return robot.with_beams({"rod": lp.Beam(ROD, LIGHT, start=(-2, 0, 0), end=(0.6, 0, 0), guide=guide)})


def test_one_mode_on_pads_against_duhamel() -> None:
    arm, T = overhanging(), 0.5
    extension = 0.8 + OUT - 0.6
    reach = 0.6 + extension
    motion = lp.Motion.through(arm, [[0.0, extension], [1.2, extension]], times=[0, T])
    r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING, after=0.4)
    assert_allclose(r.frequencies[0, 0], OMEGA / (2 * math.pi), rtol=1e-9)
    few = np.arange(0, len(r.times), 7)
    across = np.stack([-np.sin(r.q[:, 0]), np.cos(r.q[:, 0])], axis=1)
    u = (r.displacement["load"][:, :2] * across).sum(axis=1)
    expected = reach * duhamel(r.times[few], lambda s: 1.2 * quintic_step(s / T)[2] / T**2, [0.0, T], ZETA, OMEGA) / 1.6
    assert_allclose(u[few], expected, atol=1e-6 * np.abs(expected).max())
    locked = arm.locked({"slide": extension})
    same = locked.respond(lp.Motion.through(locked, [[0.0], [1.2]], times=[0, T]), damping=ZETA, loaded=False, modes=2,
                          effects=BENDING, after=0.4)
    assert_allclose(same.displacement["load"], r.displacement["load"], atol=1e-9 * np.abs(expected).max())
    # The moment is that of the force u / flexibility at the load: from there to the front pad, and back to the tail.
    stress = r.stress(every=7)
    at = stress.sections.positions + extension - 2  # from the carrier
    lever = np.clip(np.minimum(reach - at, (at - 0.3) * OUT / SPACING), 0.0, None)
    moment = np.abs(u[few])[:, None] / FLEXIBILITY * lever
    assert_allclose(stress.bending, moment / (ROD.second_moment_z / 0.012), atol=1e-6 * stress.bending.max())
    assert np.isclose(at, 0.8).any()
    # The joint holds what accelerates the load.
    wrench, second = r.joint_wrenches, np.gradient(u, r.times)
    assert_allclose(wrench["turn"].torque[:, 2], reach * wrench["slide"].force[:, 1], atol=1e-9)
    late = slice(r.course.motion_end + 3, -3)
    force = LOAD * np.gradient(second, r.times)
    assert_allclose(wrench["slide"].force[late, 1], force[late], atol=0.02 * np.abs(force).max())
    shaped = arm.shaped(motion, "zv", damping=ZETA, modes=2)
    assert shaped.q[:, 1] == pytest.approx(extension)
    again = arm.respond(shaped, damping=ZETA, loaded=False, modes=2, effects=BENDING)
    assert again.residual < 0.02 * r.residual


def clamped(extension: float | None) -> lp.FlexibleRobot:
    """A rod that a carriage clamps; or with an extension, the same as beams that start there."""
    rod = lp.Rod(0.02)
    motion = lp.Prismatic((1, 0, 0)) if extension is None else lp.Fixed()
    robot = lp.Robot(
        "carriage",
        (lp.Link("base"), lp.Link("carrier", lp.Inertia(5.0)), lp.Link("rod", lp.Inertia(1.0)),
         lp.Link("load", lp.Inertia(6.0, (0, 0, 0.1), (0.1 * np.eye(3)).tolist()))),
        (
            lp.Joint("turn", "base", "carrier", lp.Revolute((0, 0.3, 1))),
            lp.Joint("slide", "carrier", "rod", motion, lp.Pose(translation=(0.4 + (extension or 0.0), 0, 0))),
            lp.Joint("wrist", "rod", "load", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0.6, 0, 0))),
        ),
    )
    if extension is None:
        guide = lp.Guide(at=0.0)
        beam = lp.Beam(rod, lp.STEEL, start=(-1, 0, 0), end=(0.6, 0, 0), guide=guide)
        return robot.with_beams({"rod": beam}, inertia_from_beams=True)
    ends = [lp.Beam(rod, lp.STEEL, start=(-extension, 0, 0), end=(x, 0, 0)) for x in (0.6, -1.0)]
    return robot.with_beams({"rod": ends}, inertia_from_beams=True)


@pytest.mark.slow
def test_a_carriage_that_clamps_is_a_clamped_beam() -> None:
    slides, held = clamped(None), clamped(0.5)
    way = np.array([[0.0, 0.5, 0.3], [1.5, 0.5, -0.9]])
    found, expected = (
        arm.respond(lp.Motion.through(arm, points, times=[0, 0.6], profile="trapezoidal"), tolerance=1e-8, after=0.2,
                    rate=1000, modes=3, effects=("bending", "torsion"))
        for arm, points in ((slides, way), (held, way[:, [0, 2]]))
    )
    assert_allclose(found.frequencies, expected.frequencies, rtol=1e-6)
    for link in ("rod", "load"):
        size = np.abs(expected.displacement["load"]).max()
        assert_allclose(found.displacement[link], expected.displacement[link], atol=1e-5 * size)
    for joint in ("turn", "wrist"):
        torque = expected.joint_wrenches[joint].torque
        assert_allclose(found.joint_wrenches[joint].torque, torque, atol=1e-3 * np.abs(torque).max())
    assert found.residual == pytest.approx(expected.residual, rel=1e-4)


def test_a_slow_telescope_sags() -> None:
    """Slowly turned, it is where `deflection` has it."""
    arm = telescope(2)
    slow = lp.Motion.through(arm, [[0.0, 1.7], [0.6, 1.7]], times=[0.0, 10.0])
    r = arm.respond(slow, loaded=False, after=0.0, modes=2, effects=BENDING)
    few = np.arange(0, len(r.times), 150)
    states = r.course.track.at(r.times[few])
    expected = arm.deflection(*states, effects=BENDING)
    assert_allclose(r.displacement["hook"][few], expected.tip.displacement,
                    atol=1e-3 * np.abs(expected.tip.displacement).max())


def test_a_link_that_slides_meanwhile_is_refused() -> None:
    arm = telescope(2)
    out = lp.Motion.through(arm, [[0.3, 0.5], [0.6, 1.5]], times=[0.0, 4.0])
    for call in (lambda: arm.respond(out), lambda: arm.shaped(out, "zv")):
        with pytest.raises(lp.ModelError, match=r"joint 'slide1' goes from 0\.5 to 1\.5 m.*locked"):
            call()
    with pytest.warns(lp.ModelWarning, match="outside its limits"):
        beyond = lp.Motion.through(arm, [[0.3, 3.9], [0.6, 3.9]], times=[0.0, 4.0])
    with pytest.raises(lp.ModelError, match="slide1"):
        arm.respond(beyond)
