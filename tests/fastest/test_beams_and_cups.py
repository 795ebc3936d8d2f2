"""Limits of stress, deflection, the base's wrench and apparent gravity: by hand, and by the robot's own quantities."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.optimize import brentq

import loadpath as lp
from loadpath.fastest.of_beams import Fibres

G = 9.81


def mast_on_a_slide(mass: float = 4.0, height: float = 0.8, tube: lp.Tube | None = None) -> lp.Robot:
    """A light mast with a mass on its top, which goes along x."""
    points = {name: lp.Inertia(m, (0, 0, 0), np.zeros((3, 3))) for name, m in (("mast", 1e-9), ("top", mass))}
    links = [lp.Link("floor"), *(lp.Link(name, inertia) for name, inertia in points.items())]
    joints = [lp.Joint("slide", "floor", "mast", lp.Prismatic((1, 0, 0))),
              lp.Joint("weld", "mast", "top", lp.Fixed(), (0, 0, height))]
    robot = lp.Robot("mast", links, joints, gravity=(0, 0, -G))
    if tube is None:
        return robot
    light = lp.Material(youngs_modulus=70e9, poisson_ratio=0.3, density=100.0, yield_strength=60e6)
    return robot.with_beams({"mast": lp.Beam(tube, light, end="weld")})


def duration(length: float, acceleration: float) -> float:
    return 2 * math.sqrt(length / acceleration)


def test_stress_in_a_mast_by_hand() -> None:
    """m g / A + m a h / W with the shear m a / A_s, against the yield strength: a root for a."""
    tube, m, h = lp.Tube(outer_radius=0.02, wall=0.002), 4.0, 0.8
    arm = mast_on_a_slide(m, h, tube)
    found = arm.fastest([[0.0], [1.5]], {"speed": 100.0})
    inner = 0.018
    area, second = math.pi * (0.02**2 - inner**2), math.pi / 4 * (0.02**4 - inner**4)

    def stress(a: float) -> float:
        shear = float(arm.stress([0.0], [0.0], [a]).shear.max())
        return math.hypot(m * G / area + m * a * h * 0.02 / second, math.sqrt(3) * shear)

    a = brentq(lambda a: stress(a) - 60e6, 0.1, 1000)
    assert duration(1.5, a) <= found.duration <= duration(1.5, a) * 1.0026  # half of what fibres may be apart
    assert found.certificate <= 1 + 2e-6
    assert {stretch.limit for stretch in found.rules} == {"stress of 'mast'"}
    half = arm.fastest([[0.0], [1.5]], {"speed": 100.0, "stress": 30e6})
    a = brentq(lambda a: stress(a) - 30e6, 0.1, 1000)
    assert duration(1.5, a) <= half.duration <= duration(1.5, a) * 1.0026
    again = arm.fastest([[0.0], [1.5]], {"speed": 100.0}, factor={"stress": 0.5})
    assert again.duration == pytest.approx(half.duration)


def test_deflection_of_a_mast_by_hand() -> None:
    """m a h^3 / 3EI, and of shear and compression what little they add."""
    tube, m, h = lp.Tube(outer_radius=0.02, wall=0.002), 4.0, 0.8
    arm = mast_on_a_slide(m, h, tube)
    found = arm.fastest([[0.0], [1.5]], {"speed": 100.0, "stress": False, "deflection": 0.003})
    second = math.pi / 4 * (0.02**4 - 0.018**4)
    a = 0.003 * 3 * 70e9 * second / (m * h**3)
    assert found.duration == pytest.approx(duration(1.5, a), rel=4e-3)
    moved = np.linalg.norm(arm.deflection(*found.sampled(97)).displacement[:, -1], axis=-1)
    assert moved.max() == pytest.approx(0.003, rel=1e-6)
    by_name = arm.fastest([[0.0], [1.5]], {"speed": 100.0, "stress": False, "deflection": {"top": 0.003}})
    assert by_name.duration == found.duration


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
@pytest.mark.parametrize("section", [lp.Tube(outer_radius=0.03, wall=0.002),
                                     lp.RectangularTube(width=0.06, height=0.04, wall=0.003),
                                     lp.IBeam(height=0.06, width=0.04, web=0.004, flange=0.004)])
def test_stress_between_points_too(section: lp.sections.Shape) -> None:
    """In space, of beams with and without fibres of their own: by `stress` at 97 instants an interval."""
    arm = lp.catalog.puma560().with_payload(4.0)
    arm = arm.with_beams({link: lp.Beam(section, lp.ALUMINIUM, end=end) for link, end in (
        ("link2", "joint3"), ("link3", "joint4"))})
    points = np.array([[0, -0.5, 1.0, 0, 0.3, 0], [0.6, -0.2, 0.6, 0.4, 0.5, 0.3], [1.0, -0.9, 1.3, 0.2, 0.2, 0.1]])
    limits = {"torque": 500.0, "speed": 3.0}
    free = arm.without_beams().fastest(points, limits, intervals=60)
    at = free.motion
    still, moved = (arm.stress(at.q, k * at.qd, k * at.qdd) for k in (0, 1))
    most = {}
    for link in ("link2", "link3"):
        rest, top = (float(each.of(link).von_mises.max()) for each in (still, moved))
        most[link] = max(1.2 * rest, 0.7 * top)
    found = arm.fastest(points, limits | {"stress": most}, intervals=60)
    assert found.certificate <= 1 + 2e-6
    seen = arm.stress(*found.sampled(97))
    used = max(float(seen.of(link).von_mises.max()) / value for link, value in most.items())
    assert (0.92 if isinstance(section, lp.Tube) else 0.999) < used <= found.certificate + 1e-9
    assert found.duration > free.duration


def test_a_cup_by_hand() -> None:
    """A surface tilts by atan(a / g)."""
    cart = mast_on_a_slide()
    found = cart.fastest([[0.0], [1.5]], {"speed": 100.0, "spill": {"top": lp.Cup(angle=0.3)}})
    assert found.duration == pytest.approx(duration(1.5, G * math.tan(0.3)), rel=1e-6)
    tilted = lp.Cup(angle=0.3, axis=(math.sin(0.1), 0, math.cos(0.1)))
    found = cart.fastest([[0.0], [1.5]], {"speed": 100.0, "spill": {"top": tilted}})
    up, down = G * math.tan(0.4), G * math.tan(0.2)
    top = math.sqrt(2 * 1.5 / (1 / up + 1 / down))
    assert found.duration == pytest.approx(top / up + top / down, rel=1e-3)
    with pytest.raises(lp.NoMotionError, match="spill of 'top'"):
        cart.fastest([[0.0], [1.5]], {"speed": 100.0, "spill": {"top": lp.Cup(angle=0.1, axis=(0.3, 0, 1))}})


def test_a_cup_in_space_by_accelerations() -> None:
    """Of a point beside the frame of a link, from accelerations of links."""
    arm = lp.catalog.ur5()
    q = np.array([0, -1.2, 1.4, -0.2 - np.pi / 2, -np.pi / 2, 0])
    points = q + np.array([[0.0] * 6, [0.6, 0.2, -0.2, 0, 0, 0], [1.2, -0.2, 0.2, 0.1, 0, 0.3]])
    link, at = arm.link_names[-1], np.array([0.03, 0, 0.1])
    axis = arm.link_poses(q)[-1, :3, :3].T @ [0, 0, 1]
    found = arm.fastest(points, {"spill": {link: lp.Cup(0.4, tuple(axis.tolist()), tuple(at.tolist()))}}, intervals=60)
    states = found.sampled(97)
    moved, R = arm.link_accelerations(*states), arm.link_poses(states[0])[:, -1, :3, :3]
    arm_, omega = R @ at, arm.link_velocities(*states[:2]).angular[:, -1]
    a = moved.linear[:, -1] + np.cross(moved.angular[:, -1], arm_) + np.cross(omega, np.cross(omega, arm_))
    felt = np.einsum("tji,tj->ti", R, a + np.array([0, 0, G]))
    along = felt @ axis
    tilt = np.arctan2(np.linalg.norm(felt - along[:, None] * axis, axis=1), along)
    assert tilt.max() == pytest.approx(0.4, rel=1e-5)
    assert tilt.max() <= 0.4 * (1 + 1e-6)


def test_the_base_carries_what_it_may() -> None:
    """The floor gives m g and m a; the moment about the origin of the base is that of both."""
    cart, m = mast_on_a_slide(), 4.0
    found = cart.fastest([[0.0], [1.5]], {"speed": 100.0, "base": {"force": 1.3 * m * G}})
    assert found.duration == pytest.approx(duration(1.5, G * math.sqrt(1.3**2 - 1)), rel=1e-6)
    found = cart.fastest([[-0.2], [0.2]], {"speed": 100.0, "base": {"tilting_moment": 30.0}})
    wrench = cart.base_wrench(*found.sampled(97))
    moment = np.hypot(wrench.torque[:, 0], wrench.torque[:, 1])
    assert moment.max() == pytest.approx(30.0, rel=1e-6)
    assert found.certificate <= 1 + 2e-6
    across = cart.fastest([[0.0], [1.5]], {"speed": 100.0, "base": {"radial_force": m * 3.0}})
    assert across.duration == pytest.approx(duration(1.5, 3.0), rel=1e-6)
    assert "base radial force of 'floor'" in across.to_table()
    assert pickle.loads(pickle.dumps(across)).certificate == across.certificate


def test_stresses_have_their_gradients() -> None:
    """By differences; and no load within a box has a larger stress than `most`."""
    rng = np.random.default_rng(2)
    demand = Fibres(*(rng.normal(size=(3, 4, rows, 6)) for rows in (3, 3, 2)))
    load = rng.normal(size=(50, 18))
    step = 1e-6 * np.eye(18)
    by_differences = (demand(load[:, None] + step) - demand(load[:, None] - step)) / 2e-6
    np.testing.assert_allclose(demand.gradient(load), by_differences, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.vecdot(demand.gradient(load), load), demand(load), rtol=1e-12)
    assert (demand(load) <= demand.most(np.abs(load)) * (1 + 1e-12)).all()
    both = demand(load[:25] + load[25:])
    assert (both <= demand(load[:25]) + demand.most(np.abs(load[25:])) + 1e-12).all()
    assert not np.isnan(demand.gradient(np.zeros(18))).any()


@pytest.mark.parametrize(("limits", "words"), [
    ({"stress": {"top": 3e6}}, "link with a beam"),
    ({"stress": -1.0}, "more than zero"),
    ({"deflection": {"nowhere": 1e-3}}, "nowhere"),
    ({"deflection": 0.0}, "more than zero"),
    ({"spill": {"top": 0.3}}, "lp.Cup"),
    ({"spill": {"nowhere": lp.Cup(0.3)}}, "nowhere"),
    ({"base": 300.0}, "expected a dict"),
    ({"base": {"torque": 300.0}}, "resultant of the base"),
    ({"base": {"force": 0.0}}, "more than zero"),
])
def test_wrong_limits_are_named(limits: dict[str, object], words: str) -> None:
    arm = mast_on_a_slide(tube=lp.Tube(outer_radius=0.02, wall=0.002))
    with pytest.raises(ValueError, match=words):
        arm.fastest([[0.0], [1.0]], {"speed": 1.0} | limits)


def test_rigid_arms_have_no_stress() -> None:
    for what in ("stress", "deflection"):
        with pytest.raises(lp.ModelError, match="nothing bends"):
            lp.catalog.planar(2).fastest([[0, 0], [1, 1]], {"speed": 1.0, what: 1.0})


def test_wrong_cups_are_named() -> None:
    for options in ({"angle": 0.0}, {"angle": 2.0}, {"angle": 0.3, "axis": (0, 0, 0)}, {"angle": 0.3, "at": (0, 1)}):
        with pytest.raises(ValueError, match=r"of a (Cup|FrictionCone)"):
            lp.Cup(**options)
    weightless = mast_on_a_slide().with_gravity((0, 0, 0))
    with pytest.raises(ValueError, match="without gravity"):
        weightless.fastest([[0.0], [1.0]], {"speed": 1.0, "spill": {"top": lp.Cup(0.3)}})
