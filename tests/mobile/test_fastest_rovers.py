"""The fastest motion of rovers: by hand, by Ipopt on rows of the ground's wrench, and by stability, slip and wheel
loads themselves between points.
"""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.fastest.limits import Rows
from loadpath.fastest.search import settled
from tests.fastest.ipopt_rows import ipopt_duration

G = 9.81


def four_wheels(
    height: float = 0.25, friction: float | None = 0.8, rolling: float = 0.01, **more: Any
) -> lp.WheeledBase:
    wheels = [lp.FixedWheel((x, y), 0.1, name=name, **more)
              for name, x, y in (("fl", 0.3, 0.3), ("fr", 0.3, -0.3), ("rl", -0.3, 0.3), ("rr", -0.3, -0.3))]
    known = None if friction is None else lp.WheelFriction(sliding=0.9 * friction, static=friction, rolling=rolling)
    return lp.WheeledBase(mass=60, center_of_mass=(0, 0, height), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=known)


def two_wheels() -> lp.Rover:
    """Which turns on the spot."""
    wheels = [lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1), lp.CasterWheel((0.4, 0), 0.05),
              lp.CasterWheel((-0.4, 0), 0.05)]
    return lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.2), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8)).carrying()


def slide(height: float = 0.5, mass: float = 10.0) -> lp.Robot:
    return lp.Robot("slide", [lp.Link("rail"), lp.Link("slider", lp.Inertia(mass))], [
        lp.Joint("x", "rail", "slider", lp.Prismatic((1, 0, 0)), (0, 0, height))])


def cart() -> lp.Rover:
    return four_wheels().carrying(lp.catalog.planar(2, length=0.4, mass=5.0), at=(0.1, 0, 0.5))


ARM = [[0.3, 0.5], [1.2, -0.4], [0.4, 0.9]]


def exceeded(rover: lp.Rover, found: Any, share: float, margin: float) -> float:
    """How much of slip and margin is used at 97 instants of each interval, by the rover's own functions."""
    states = found.sampled(97)
    named = rover.from_planar(*states) if found.path.n > rover.n else dict(zip(("q", "qd", "qdd"), states, strict=True))
    slip, standing = rover.slip(**named), rover.stability(**named)
    assert not standing.tips_over.any()
    assert standing.margin.min() >= margin - 1e-6
    assert not rover.wheel_loads(**named).lifted.any()
    return float(slip.ratio.max()) / share


def test_a_slide_on_a_standing_cart_slips_by_hand() -> None:
    """m a <= mu (M + m) g, shared by four wheels whose shares of the weight differ: the slider is at the middle."""
    rover = four_wheels(height=0.0).carrying(slide(height=0.0, mass=10.0))
    found = rover.fastest([[-1e-6], [1e-6]], {"speed": 1e9, "margin": False})
    a = 0.8 * 70 * G / 10
    assert found.duration == pytest.approx(2 * math.sqrt(2e-6 / a), rel=1e-4)
    assert {stretch.limit.split(" ")[0] for stretch in found.rules if stretch.limit} == {"slip"}


def test_a_slide_on_a_standing_cart_tips_by_hand() -> None:
    """m a h <= (M + m) g (0.3 - margin): over either edge."""
    rover = four_wheels(height=0.0, friction=None).carrying(slide(height=0.6, mass=10.0))
    for margin in (0.0, 0.1):
        found = rover.fastest([[-1e-6], [1e-6]], {"speed": 1e9, "margin": margin})
        a = 70 * G * (0.3 - margin) / (10 * 0.6)
        assert found.duration == pytest.approx(2 * math.sqrt(2e-6 / a), rel=1e-4)


def test_a_base_alone_rolls_by_hand() -> None:
    """Four driven wheels: mu g; with a margin and a height g (0.3 - margin) / h; and on the spot."""
    low = four_wheels(height=0.0, rolling=0.0).carrying()
    found = low.fastest([[0.0, 0, 0], [2.0, 0, 0]], {"speed": 100.0})
    assert found.duration == pytest.approx(2 * math.sqrt(2.0 / (0.8 * G)), rel=1e-6)
    high = four_wheels(height=0.6, friction=None).carrying()
    found = high.fastest([[0.0, 0, 0], [2.0, 0, 0]], {"margin": 0.1})
    assert found.duration == pytest.approx(2 * math.sqrt(2.0 / (G * 0.2 / 0.6)), rel=1e-6)
    spin = two_wheels().fastest([[0.0, 0, 0], [0.0, 0, 1.0]], {"wheel_torque": 1.0})
    assert spin.duration == pytest.approx(2 * math.sqrt(1.0 / (2 * 1.0 / 0.1 * 0.3 / 4.0)), rel=1e-6)  # 2 F y / I


@pytest.mark.parametrize("limits", [{}, {"slip": 0.5, "margin": 0.15}, {"normal": 60.0, "wheel_load": 330.0}])
def test_a_standing_rover_between_points(limits: dict[str, Any]) -> None:
    rover = cart()
    found = rover.fastest(ARM, {"torque": 300.0, "speed": 12.0, **limits})
    assert found.certificate <= 1.0001
    assert exceeded(rover, found, limits.get("slip", 1.0), limits.get("margin", 0.0)) <= 1.000002
    normal = rover.wheel_loads(*found.sampled(97)).normal
    assert normal.min() >= limits.get("normal", 0.0) * (1 - 1e-6)
    assert normal.max() <= limits.get("wheel_load", np.inf) * 1.000002
    words = {stretch.limit.split(" of ")[0] for stretch in found.rules}
    assert words & {"slip", "margin", "normal force", "wheel load"}
    free = rover.fastest(ARM, {"torque": 300.0, "speed": 12.0, "slip": False, "margin": False})
    assert free.duration < found.duration
    assert pickle.loads(pickle.dumps(found)).duration == found.duration


@pytest.mark.parametrize("limits", [{}, {"slip": 0.5, "margin": 0.15}])
def test_a_rolling_rover_between_points(limits: dict[str, Any]) -> None:
    rover = four_wheels(spin_inertia=0.02).carrying(lp.catalog.planar(2, length=0.4, mass=5.0), at=(0.1, 0, 0.5))
    path = [[x, 0, 0, *q] for x, q in zip((0, 0.6, 1.5), ARM, strict=True)]
    found = rover.fastest(path, {"torque": 300.0, "speed": 12.0, **limits})
    assert found.certificate <= 1.0001
    assert exceeded(rover, found, limits.get("slip", 1.0), limits.get("margin", 0.0)) <= 1.000002
    tau = rover.inverse_dynamics(**{key: value for key, value in rover.from_planar(*found.sampled(9)).items()
                                    if key != "heading"})
    assert np.abs(tau).max() <= 300.0 * 1.000002


def test_a_circle_on_a_slope() -> None:
    """Where the centrifugal force and gravity along the slope are held by friction, too."""
    rover = four_wheels(rolling=0.0).carrying().on(lp.Ground(slope=0.1))
    steps = np.linspace(0, 1.2, 7)
    circle = np.stack([2 * np.sin(steps), 2 * (1 - np.cos(steps)), steps], axis=-1)
    with pytest.raises(lp.ModelError, match="is dragged near x"):  # a spline is no circle
        rover.fastest(circle, {"speed": 100.0})
    turning = two_wheels().on(lp.Ground(slope=0.1))
    spot = turning.fastest([[0.0, 0, 0], [0, 0, 2.0]], {"speed": 100.0})
    assert exceeded(turning, spot, 1.0, 0.0) <= 1.000002
    up = rover.fastest([[0.0, 0, 0], [2.0, 0, 0]])
    assert exceeded(rover, up, 1.0, 0.0) <= 1.000002
    assert up.duration > four_wheels(rolling=0.0).carrying().fastest([[0.0, 0, 0], [2.0, 0, 0]]).duration


def test_ipopt_on_rows_of_the_wrench_of_the_ground() -> None:
    """Margins alone, from ground_wrench and the corners of the support polygon."""
    rover, margin = cart(), 0.12
    limits = {"torque": 300.0, "speed": 6.0, "margin": margin, "slip": False}
    found = rover.fastest(ARM, limits, intervals=120)
    grid = found.found.grid
    none = np.zeros_like(grid.first)

    def held(q: Any, qd: Any, qdd: Any) -> Any:
        wrench = rover.ground_wrench(q, qd, qdd)
        fz, nx, ny = wrench.force[..., 2], wrench.torque[..., 0], wrench.torque[..., 1]
        reach = 0.3 - margin  # corners at (+-0.3, +-0.3): |ZMP| <= reach along both
        zmp = np.stack([-ny, ny, nx, -nx], axis=-1)
        return np.concatenate([zmp - reach * fz[..., None], rover.inverse_dynamics(q, qd, qdd) / 300.0,
                               -rover.inverse_dynamics(q, qd, qdd) / 300.0], axis=-1)

    c = held(grid.q, none, none)
    a, b = held(grid.q, none, grid.first) - c, held(grid.q, grid.first, grid.second) - c
    right = np.array([0.0] * 4 + [1.0] * 4)
    d, shape = grid.d[..., None], (len(grid.h), -1)
    square = (grid.first / 6.0) ** 2
    alpha, beta, gamma = (np.concatenate([each.reshape(shape), other.reshape(shape)], axis=1) for each, other in (
        (a + 2 * d * b, 2 * d * square), (b, square), (right - c, np.ones_like(square))))
    size = np.abs(alpha).max(axis=1, keepdims=True)
    rows = Rows(alpha / size, beta / size, gamma / size, np.zeros_like(alpha))
    best = ipopt_duration(rows, grid.h, found.found.problem.top(grid))
    at_nodes = settled(found.found.problem, found.found.course, None)  # limits as they are, not made smaller between
    assert at_nodes.duration == pytest.approx(best, rel=1e-5)
    assert best * (1 - 1e-7) <= found.duration <= best * (1 + 3e-4)


def test_a_caster_ahead_of_two_wheels() -> None:
    """Straight on, and back; not where the caster would turn on the way."""
    rover = lp.catalog.lau_rover(driven=True)
    limits = {"torque": 200.0, "speed": 20.0, "margin": 0.05}
    for way in (1.0, -1.0):
        found = rover.fastest([[0, 0, 0, 0, 0, 0.5], [way, 0, 0, 1, 0, 0.5]], limits)
        assert exceeded(rover, found, 1.0, 0.05) <= 1.000002
        assert found.certificate <= 1.0001
    trailing = replace(rover.base.wheels[0], trail=0.05)
    trails = replace(rover.base, wheels=(trailing, *rover.base.wheels[1:])).carrying(lp.catalog.lau_arm(), (0, 0, 0.3))
    steps = np.linspace(0, 1, 5)[:, None]
    with pytest.raises(lp.ModelError, match=r"turn against its base along the path|is dragged"):
        trails.fastest(np.concatenate([steps, 0.3 * steps**2, 0.55 * steps, steps, 0 * steps, 0.5 + 0 * steps], axis=1),
                       limits)


def test_loads_that_tip_at_rest_are_told() -> None:
    rover = four_wheels().carrying(slide(height=0.3, mass=100.0))
    with pytest.raises(lp.NoMotionError) as caught:
        rover.fastest([[0.0], [0.8]])
    assert caught.value.at_rest[0].limit in {"margin of 'fr, fl'", "normal force of 'rl'", "normal force of 'rr'"}
    with pytest.raises(lp.NoMotionError):
        four_wheels(friction=0.1).carrying().on(lp.Ground(slope=0.3)).fastest([[0.0, 0, 0], [1.0, 0, 0]])


def test_beams_and_loops_on_rovers() -> None:
    mast = lp.catalog.planar(2, length=0.5, mass=2.0).with_beams({
        "link1": lp.Beam(lp.Tube(outer_radius=0.02, wall=0.002), lp.ALUMINIUM, end="joint2")})
    bent = four_wheels().carrying(mast, at=(0, 0, 0.5))
    limits = {"torque": 300.0, "speed": 12.0}
    stressed = bent.fastest([[0.3, 0.5], [1.2, -0.4]], {**limits, "stress": 20e6, "margin": 0.05})
    assert stressed.certificate <= 1.0001
    stress = bent.stress(*stressed.sampled(9)).von_mises.max()
    assert stress <= 20e6 * 1.000002
    bar = four_wheels().carrying(lp.catalog.four_bar(), at=(0, 0, 0.4))
    start = float(lp.catalog.four_bar().home[0])
    closed = bar.fastest([[start], [start + 1.0]], {"torque": 60.0, "slip": 0.5})
    states = closed.sampled(97)
    assert closed.certificate <= 1.0001
    assert bar.slip(*states).ratio.max() <= 0.5 * 1.000002
    with pytest.raises(lp.ModelError, match="rolls on this path, and its robots are closed by"):
        bar.fastest([[0, 0, 0, start], [1, 0, 0, start + 1.0]], {"torque": 60.0})


def test_several_payloads() -> None:
    rover = cart()
    loaded = rover.with_payload(3.0, (0.1, 0, 0), link="link2")
    limits = {"torque": 300.0, "speed": 12.0, "margin": 0.1}
    both = rover.fastest(ARM, limits, also=[loaded])
    for each in (rover, loaded):
        assert exceeded(each, both, 1.0, 0.1) <= 1.000002
        assert each.fastest(ARM, limits).duration <= both.duration * (1 + 1e-6)


def test_what_is_refused_says_why() -> None:
    rover = cart()
    with pytest.raises(ValueError, match="stands with 2, joint1, joint2, and rolls with 5"):
        rover.fastest([[0, 0, 0], [1, 1, 1]])
    with pytest.raises(ValueError, match="wheel9"):
        rover.fastest(ARM, {"normal": {"wheel9": 10.0}})
    with pytest.raises(ValueError, match="tipping"):
        rover.fastest(ARM, {"tipping": 0.1})
    with pytest.raises(lp.ModelError, match="friction of contact 'fl' is not known"):
        four_wheels(friction=None).carrying(slide()).fastest([[0.0], [0.1]], {"slip": 0.5})
    with pytest.raises(lp.ModelError, match="nothing holds the base of rover 'rover' along x"):
        four_wheels(rolling=0.0, driven=False).carrying(slide()).fastest([[0.0], [0.1]])
    with pytest.raises(lp.ModelError, match="does not move on this path"):
        rover.fastest([[0, 0, 0, *q] for q in ARM])
    with pytest.raises(lp.ModelError, match="is dragged near x"):
        rover.fastest([[0, 0, 0, *ARM[0]], [0, 1, 0, *ARM[1]]])
    with pytest.raises(lp.ModelError, match="ground that is uneven or moves"):
        rover.on(lp.Ground(surface=lp.Kerb(2.0, 0.05))).fastest(ARM)
    with pytest.raises(lp.ModelError, match="roll the other way"):
        rover.fastest([[0, 0, 0, *ARM[0]], [1, 0, 0, *ARM[1]], [0, 0, 0, *ARM[2]]])
    with pytest.raises(ValueError, match="slip of 'fl' is -1"):
        rover.fastest(ARM, {"slip": -1.0})
    with pytest.raises(ValueError, match="factor of slip is 0"):
        rover.fastest(ARM, factor={"slip": 0.0})
    with pytest.raises(ValueError, match="finite"):
        rover.fastest(ARM, {"margin": float("nan")})


def test_planar_states_that_do_not_go_together_are_named() -> None:
    rover = lp.catalog.lau_rover()
    size = 3 + rover.n
    with pytest.raises(ValueError, match=r"from_planar: q has the batch \(3,\), qd \(2,\) and qdd \(\): expected"):
        rover.from_planar(np.zeros((3, size)), np.zeros((2, size)), np.zeros(size))
