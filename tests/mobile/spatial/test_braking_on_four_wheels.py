"""Four wheels on tyres, some of them locked at a speed: against equations of motion written here; and rigid wheels
against tyres that are ever stiffer, which share the load as the rule for rigid ones says.

The cases are those of `random_bases_in_mujoco` that MuJoCo does not have: its normal force on what slides grows with
the slip times the rate at which it stops slip, there up to ten times the load. Here a tyre is a spring and a damper,
and friction is Coulomb's, smoothed below `CREEP`. Wheels that are not locked turn with their inertia and roll.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import loadpath as lp

sys.path.insert(0, str(Path(__file__).parents[1]))
random_bases_in_mujoco = pytest.importorskip("random_bases_in_mujoco")

CREEP, G, DURATION = 2e-4, 9.81, 0.25
EDGE = 0.02
"""Wheels are ellipsoids with this share of their radius along the axle."""
FIRST = 25
CASES = [number for number in range(50) if (each := random_bases_in_mujoco.case(number, braking=True)).locked
         and len(each.rover.contact_names) == 4]
"""Twelve; the `FIRST`, in which three wheels roll on, runs always."""
pytestmark = pytest.mark.filterwarnings("ignore:simulate. the equations are stiff")
every_case = pytest.mark.parametrize(
    "number", [each if each == FIRST else pytest.param(each, marks=pytest.mark.slow) for each in CASES])


class Braked:
    """A case with tyres that give way by `sag` (m) under the mean load, without rolling resistance."""

    def __init__(self, number, sag=None):
        case = self.case = random_bases_in_mujoco.case(number, braking=True)
        base = case.rover.base
        self.mass = base.mass
        tyre = {}
        if sag is not None:
            self.stiffness = self.mass * G / 4 / sag
            self.damping = 0.3 * 2 * np.sqrt(self.stiffness * self.mass / 4)
            tyre = {"stiffness": self.stiffness, "damping": self.damping}
        self.friction = case.rover.friction_of(case.rover.contact_names[0]).sliding
        wheels = [replace(wheel, **tyre) for wheel in base.wheels]
        self.wheels = wheels
        base = lp.WheeledBase(mass=base.mass, center_of_mass=base.center_of_mass, inertia=base.inertia, wheels=wheels,
                              friction=lp.WheelFriction(self.friction, self.friction))
        self.rover = base.carrying(ground=case.rover.ground)
        self.run = self.rover.simulate(duration=DURATION, velocity=tuple(case.velocity), sample_rate=100,
                                       steering=case.steering or None, wheel_rates=dict.fromkeys(case.locked, 0.0))

    def by_hand(self):
        """(times, 7): position and quaternion of the base frame, from the first state of the run on."""
        run, m, J = self.run, self.mass, np.array([wheel.axle_inertia for wheel in self.wheels])
        center, inertia = np.asarray(self.rover.base.center_of_mass), np.asarray(self.rover.base.inertia)
        turned = np.array([self.case.steering.get(wheel.name, 0.0) for wheel in self.wheels])
        axles = np.column_stack([-np.sin(turned), np.cos(turned), 0 * turned])
        hubs = np.array([[*wheel.position, wheel.radius] for wheel in self.wheels])
        R0 = self.wheels[0].radius
        free = np.array([k for k, wheel in enumerate(self.wheels) if wheel.name not in self.case.locked], dtype=int)
        gravity = self.rover.ground.gravity_in_base(0.0)

        def rates(t, y):
            R, v, w, spin = Rotation.from_quat(y[3:7]).as_matrix(), y[7:10], y[10:13], np.zeros(4)  # w in base axes
            spin[free] = y[13:]
            n = R[2]
            along = axles @ n
            Kn = n - (1 - EDGE**2) * along[:, None] * axles
            lowest = hubs - R0 * Kn / np.sqrt(Kn @ n)[:, None]
            depth = -(y[2] + (lowest - center) @ n)  # y[:3] is the mass center
            at = lowest + depth[:, None] * n - center
            rim = (v @ R) + np.cross(w, at) + np.cross(spin[:, None] * axles, at + center - hubs)
            body = (v @ R) + np.cross(w, lowest - center)
            normal = np.where(depth > 0, np.maximum(self.stiffness * depth - self.damping * (body @ n), 0.0), 0.0)
            slip = rim - (rim @ n)[:, None] * n
            size = np.maximum(np.linalg.norm(slip, axis=1), CREEP)
            f = normal[:, None] * (n - self.friction * slip / size[:, None])
            moment, momentum = np.cross(at, f).sum(axis=0), inertia @ w + (J * spin) @ axles
            A = np.zeros((3 + len(free), 3 + len(free)))
            A[:3, :3], A[:3, 3:], A[3:, :3] = inertia, (J[free, None] * axles[free]).T, J[free, None] * axles[free]
            A[3:, 3:] = np.diag(J[free])
            torque = (np.cross(at + center - hubs, f) * axles).sum(axis=1)[free]
            change = np.linalg.solve(A, [*(moment - np.cross(w, momentum)), *torque])
            x, y_, z, s = y[3:7]
            a, b, c = 0.5 * w
            turn = (s * a + y_ * c - z * b, s * b + z * a - x * c, s * c + x * b - y_ * a, -x * a - y_ * b - z * c)
            return np.concatenate([v, turn, gravity + R @ f.sum(axis=0) / m, change])

        R = Rotation.from_quat(run.quaternion).as_matrix()
        twist = run.base_velocity[0]
        start = [run.position[0] + R[0] @ center, run.quaternion[0], R[0] @ (twist[:3] + np.cross(twist[3:], center)),
                 twist[3:], run.wheel_rates[0, free]]
        found = solve_ivp(rates, (0, run.times[-1]), np.concatenate(start), t_eval=run.times, method="LSODA",
                          rtol=1e-8, atol=1e-10, max_step=1e-3)
        quaternion = found.y[3:7].T
        back = Rotation.from_quat(quaternion).as_matrix() @ center
        return np.concatenate([found.y[:3].T - back, quaternion], axis=1)


@every_case
def test_locked_wheels_on_tyres_by_hand(number):
    braked = Braked(number, sag=2e-3)
    run, theirs = braked.run, braked.by_hand()
    assert run.sliding.any() and run.energy_drift < 1e-7
    off = np.abs(np.concatenate([run.position, run.quaternion], axis=1) - theirs)
    assert off.max() < 2 * DURATION * CREEP  # what grips creeps in these equations


@every_case
def test_rigid_wheels_are_the_limit_of_stiff_tyres(number):
    rigid, apart = Braked(number), []
    for sag in (4e-4, 1e-4):
        soft = Braked(number, sag)
        apart.append(np.abs(soft.run.pose - rigid.run.pose).max())
    path = np.hypot(*(rigid.run.pose[-1, :2]))
    assert apart[1] < 0.01 * path and apart[1] < 0.6 * apart[0] + 1e-5
