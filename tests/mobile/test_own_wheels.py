"""Wheels that are not of the library: one class each, and everything knows what they do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import loadpath as lp
from loadpath.robot.wheels.contacts import FORWARD, LEFT, Contact, Row, Wheel

NONE = np.zeros(0)


@dataclass(frozen=True, kw_only=True)
class BallWheel(Wheel):
    """Rolls any way, against rolling resistance."""

    kind: ClassVar[str] = "ball wheel"

    def grip(self):
        return ()

    def resistance(self):
        return ((FORWARD, LEFT),)


@dataclass(frozen=True, kw_only=True)
class Skate(Contact):
    """Glides along one direction, against resistance, and holds across it: `angle` is that of what it holds."""

    angle: float = 0.0
    kind: ClassVar[str] = "skate"

    def grip(self):
        return (Row(math.cos(self.angle), math.sin(self.angle)),)

    def resistance(self):
        return ((Row(-math.sin(self.angle), math.cos(self.angle)),),)


@dataclass(frozen=True, kw_only=True)
class GearedWheel(Wheel):
    """A driven wheel whose rim turns by a ratio of the motor's rate, which is the rate that counts."""

    ratio: float = 0.5
    driven: bool = True
    spin_inertia: float = 0.0
    kind: ClassVar[str] = "geared wheel"

    def grip(self):
        return Row(1.0, 0.0, -self.radius * self.ratio), LEFT

    def resistance(self):
        return ((Row(0.0, 0.0, self.radius * self.ratio),),)


def rover(*wheels, slope=0.0, friction=None):
    base = lp.WheeledBase(
        mass=20, center_of_mass=(0.15, 0.02, 0.25), inertia=np.diag([1.0, 1.2, 1.5]), wheels=wheels,
        friction=friction or lp.WheelFriction(0.5, 0.7, rolling=0.03),
    )
    return base.carrying(ground=lp.Ground(slope=slope))


def rear(**options):
    return [lp.FixedWheel((0.0, y), 0.1, **options) for y in (0.3, -0.3)]


def same(a, b, parts, tolerance=1e-9):
    for part in parts:
        np.testing.assert_allclose(getattr(a, part), getattr(b, part), atol=tolerance)


LOADS = ("normal", "longitudinal", "lateral", "drive_torque", "unsupplied", "tips_over")
DYNAMICS = ("acceleration", "normal", "longitudinal", "lateral")
RUN = ("pose", "velocity", "normal", "rolling_heat", "sliding_heat")

PAIRS = {
    "ball": (lambda: [BallWheel((0.6, 0), 0.05), *rear()], lambda: [lp.CasterWheel((0.6, 0), 0.05), *rear()]),
    # Held along 0.4 + pi/2, it glides along 0.4: a fixed wheel that is not driven, of direction 0.4.
    "skate": (
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *rear()[:1], Skate((-0.1, -0.3), angle=0.4 + math.pi / 2)],
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *rear()[:1],
                 lp.FixedWheel((-0.1, -0.3), 0.1, direction=0.4, driven=False)],
    ),
    "geared": (
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *(GearedWheel((0, y), 0.2) for y in (0.3, -0.3))],
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *rear()],
    ),
    "geared, spinning": (
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *(GearedWheel((0, y), 0.2, spin_inertia=0.02) for y in (0.3, -0.3))],
        lambda: [lp.CasterWheel((0.6, 0), 0.05), *rear(spin_inertia=0.02)],
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_a_wheel_of_ones_own_is_the_one_that_it_equals(kind):
    own, known = (rover(*make(), slope=0.1) for make in PAIRS[kind])
    rng = np.random.default_rng(1)
    speed, change, heading = rng.normal(size=(8, 3)), rng.normal(size=(8, 3)), rng.uniform(-3, 3, 8)
    motion = {"velocity": speed, "acceleration": change, "heading": heading}
    still = np.zeros((8, 0))
    ours, theirs = own.wheel_loads(still, **motion), known.wheel_loads(still, **motion)
    np.testing.assert_allclose(ours.force, theirs.force, atol=1e-9)
    turned = kind in ("ball", "skate")  # their axes are those of the base
    same(ours, theirs, [part for part in LOADS if not (turned and part in ("longitudinal", "lateral"))])
    same(own.slip(still, **motion), known.slip(still, **motion), ("used", "available", "sliding"))
    # Rolling: where the wheels that hold let it go.
    rolls = known.rotation_axis()
    velocity = rolls.twist if int(rolls.mobility) == 1 else np.array([0.4, 0.0, 0.3])
    torque = [0.0, 0.7, 0.4] if kind != "skate" else [0.0, 0.7, 0.0]
    ours, theirs = (
        one.forward_dynamics(NONE, NONE, velocity=velocity, heading=0.3, wheel_torques=torque) for one in (own, known)
    )
    same(ours, theirs, DYNAMICS[:2] if turned else DYNAMICS)
    assert abs(theirs.acceleration).max() > 0.1
    name = known.contact_names[1]
    ours, theirs = (
        one.simulate(velocity=velocity, pose=(0, 0, 0.3), wheel_torques={name: 0.7}, duration=0.3, sample_rate=20)
        for one in (own, known)
    )
    same(ours, theirs, RUN, 1e-7)
    assert ours.energy_drift < 1e-7 and ours.rolling_heat[-1] > 0


def test_everything_agrees_about_a_wheel_of_ones_own():
    """Accelerations, simulation and wheel loads of one state, on a skate that holds and a ball that rolls."""
    own = rover(BallWheel((0.6, 0.1), 0.05), rear()[0], Skate((-0.1, -0.3), angle=1.9), slope=0.1)
    velocity = 0.5 * own.rotation_axis().twist
    torque = {"wheel2": 0.9}
    moved = own.forward_dynamics(NONE, NONE, velocity=velocity, wheel_torques=torque)
    run = own.simulate(velocity=velocity, wheel_torques=torque, duration=0.05)
    loads = own.wheel_loads([], velocity=velocity, acceleration=moved.acceleration)
    np.testing.assert_allclose(run.acceleration[0], moved.acceleration, atol=1e-9)
    np.testing.assert_allclose(loads.drive_torque, [0, 0.9, 0], atol=1e-9)
    for part in ("normal", "longitudinal", "lateral"):
        ball = 0 if part == "normal" else 1  # the ball's axes are free to choose
        np.testing.assert_allclose(getattr(run, part)[0, ball:], getattr(moved, part)[ball:], atol=1e-9)
        np.testing.assert_allclose(getattr(loads, part)[ball:], getattr(moved, part)[ball:], atol=1e-9)
    assert np.abs(loads.unsupplied).max() < 1e-9
    # By hand: the skate holds along its angle but for its resistance, the ball resists by mu_r N against its velocity.
    force = loads.longitudinal[2] * np.array([1, 0]) + loads.lateral[2] * np.array([0, 1])
    glide = np.array([-np.sin(1.9), np.cos(1.9)])
    assert abs(force @ glide) == pytest.approx(0.03 * loads.normal[2], rel=1e-9)
    at = velocity[:2] + velocity[2] * np.array([-0.1, 0.6])
    np.testing.assert_allclose(loads.force[0, :2], -0.03 * loads.normal[0] * at / np.hypot(*at), atol=1e-9)


def test_a_ball_is_compiled_as_well():
    own, known = rover(BallWheel((0.6, 0), 0.05), *rear()), rover(lp.CasterWheel((0.6, 0), 0.05), *rear())
    speed = np.random.default_rng(2).normal(size=(25_000, 3))
    ours, theirs = (one.wheel_loads(np.zeros((25_000, 0)), velocity=speed) for one in (own, known))
    np.testing.assert_allclose(ours.force, theirs.force, atol=1e-8)


@dataclass(frozen=True, kw_only=True)
class Bare(Wheel):
    kind: ClassVar[str] = "bare wheel"


@dataclass(frozen=True, kw_only=True)
class HalfBare(Wheel):
    kind: ClassVar[str] = "half a wheel"

    def grip(self):
        return ()


@dataclass(frozen=True, kw_only=True)
class Askew(BallWheel):
    def grip(self):
        return Row(1.0, 0.0), Row(0.7, 0.7)


@dataclass(frozen=True, kw_only=True)
class Idle(BallWheel):
    driven: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class Twice(Wheel):
    def grip(self):
        return Row(1.0, 0.0, -0.1), Row(0.0, 1.0, -0.1)

    def resistance(self):
        return ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Bare, "bare wheel 'front' is a Bare, whose class has no method 'grip'.*see loadpath.robot.wheels.contacts"),
        (HalfBare, "no method 'resistance'"),
        (Wheel, "no method 'grip'"),
        (Askew, "expected up to two rows, unit vectors"),
        (Idle, "driven or has spin inertia, but no row of its grip turns the wheel"),
        (Twice, "two rows of its grip turn the wheel"),
    ],
)
def test_a_class_that_does_not_say_enough_is_refused(make, message):
    with pytest.raises(lp.ModelError, match=message):
        rover(make((0.6, 0), 0.05, name="front"), *rear())
