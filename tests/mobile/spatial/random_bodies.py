"""Random bases that rock, bounce, fall and slide as free bodies: does every simulation end and keep to the physics?

`python -m tests.mobile.spatial.random_bodies --count 100 --seed 0` runs each case with a limit of CPU time and says
what failed, what took too long, and the largest faults. What is looked at is independent of the solver: the lowest
points of wheels, feet and body points from position and quaternion alone, the kinetic energy of a rigid body from the
velocity of its mass center, energy that only falls but for what is put in, and forces within their friction.
"""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import loadpath as lp

CPU = 40.0
"""Seconds of CPU time that one run may take."""
G = 9.81
EDGE = 0.02
"""Share of their radius that wheels have along their axles, as half of their thickness: ellipsoids."""


@dataclass
class Case:
    """One simulation."""

    seed: int
    told: str
    rover: Any
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    friction: float
    """Of sliding, and with that of rollers, which is beside it."""
    mass: float
    center: Any
    inertia: Any


def case(seed: int) -> Case:
    """The case of a number."""
    rng = np.random.default_rng(seed)
    mass, friction = float(rng.uniform(15, 150)), float(rng.uniform(0.2, 1.0))
    x, y, height = rng.uniform(0.25, 0.5), rng.uniform(0.2, 0.4), float(rng.uniform(0.25, 0.9))
    center = np.array([*rng.uniform(-0.05, 0.05, 2), height])
    inertia = np.diag(mass * np.array([y**2 + height**2, x**2 + height**2, x**2 + y**2]) * rng.uniform(0.25, 0.6))
    restitution = float(rng.choice([0.0, 0.0, 0.3, 0.8])) * float(rng.uniform(0.5, 1.0))
    places = [(a * x + rng.uniform(-0.04, 0.04), b * y + rng.uniform(-0.04, 0.04)) for a in (1, -1) for b in (1, -1)]
    if rng.random() < 0.3:
        places = [*places[:2], (-x, 0.0)]
    soft = rng.random() < 0.4
    spring = {}
    if soft:
        stiffness = mass * G / 4 / rng.uniform(0.004, 0.03)
        share = float(rng.choice([0.0, rng.uniform(0.05, 0.5)]))
        spring = {"stiffness": stiffness, "damping": share * 2 * np.sqrt(stiffness * mass / 4)}
    kind = str(rng.choice(["feet", "fixed", "omni"]))
    more = {} if soft else {"restitution": restitution}
    radius = float(rng.uniform(0.06, 0.15))
    wheels = [lp.Support(place, **spring, **more) if kind == "feet" or (kind == "omni" and k == 2) else
              (lp.FixedWheel if kind == "fixed" else lp.OmniWheel)(place, radius, **spring, **more)
              for k, place in enumerate(places)]
    points = [(a * x, b * y, 2 * height) for a in (1, -1) for b in (1, -1)] if rng.random() < 0.5 and not soft else []
    slope = min(float(rng.choice([0.0, 0.0, rng.uniform(0.05, 0.35)])), 0.3 * float(np.arctan2(min(x, y), height)))
    rolling = float(rng.choice([0.0, 0.02]))
    base = lp.WheeledBase(mass=mass, center_of_mass=center, inertia=inertia, wheels=wheels, body_points=points,
                          friction=lp.WheelFriction(friction, rolling=rolling))
    arm = rng.random() < 0.25
    ground = lp.Ground(slope=slope)
    rover = base.carrying(lp.catalog.planar(2), at=(0, 0, height), ground=ground) if arm else base.carrying(
        ground=ground)
    options: dict[str, Any] = {"duration": 0.6, "sample_rate": 50, "pose": (0, 0, float(rng.uniform(-3, 3)))}
    braked = [name for name, wheel in zip(rover.contact_names, wheels, strict=True) if wheel.traction() is not None
              and rng.random() < 0.8]
    if braked:
        options["wheel_rates"] = dict.fromkeys(braked, 0.0)
    how = str(rng.choice(["velocity", "kick", "kick"]))
    if how == "velocity":
        options["velocity"] = (*rng.uniform(-1.5, 1.5, 2), float(rng.uniform(-1, 1)))
    else:
        push = rng.normal(size=3) * mass * rng.uniform(0.5, 2.5) / 0.05
        push[2] = abs(push[2])
        torque = np.cross(center + rng.uniform(-0.1, 0.1, 3), push)
        options["external"] = lambda t, state: {rover.robot.base.name: lp.Wrench(
            force=push * (0.01 < t < 0.06), torque=torque * (0.01 < t < 0.06))}
        options["max_step"] = 0.01
    told = f"{len(wheels)} {kind}{' on springs' if soft else f', e {restitution:.2f}'}, {how}, mu {friction:.2f}" \
        f"{', body points' if points else ''}{', arm' if arm else ''}{f', slope {slope:.2f}' if slope else ''}" \
        f"{f', {len(braked)} braked' if braked else ''}"
    arguments = ([-1.3, 0.2], [0.0, 0.0]) if arm else ()
    if arm:
        options["torque"] = [0.0, 0.0]
    return Case(seed, told, rover, arguments, options, float(np.hypot(friction, rolling)), mass, center, inertia)


def lowest(this: Case, run: Any) -> Any:
    """(times, contacts): heights of the lowest points of wheels, feet and body points above the ground."""
    R = Rotation.from_quat(run.quaternion).as_matrix()
    base, heights = this.rover.base, []
    for wheel in base.wheels:
        radius = getattr(wheel, "radius", 0.0)
        direction = getattr(wheel, "direction", 0.0)
        axle = np.array([-np.sin(direction), np.cos(direction), 0.0])
        up = R[:, 2] @ axle
        reach = radius * np.sqrt(1.0 - (1.0 - EDGE**2) * up**2)
        heights.append(run.position[:, 2] + R[:, 2] @ np.array([*wheel.position, radius]) - reach)
    heights += [run.position[:, 2] + R[:, 2] @ np.array(point) for point in base.body_points]
    return np.stack(heights, axis=1)


@dataclass(frozen=True)
class Verdict:
    """What one run was like."""

    told: str
    failure: str = ""
    into: float = 0.0
    """m: how far a rigid contact is below the ground."""
    drift: float = 0.0
    grows: float = 0.0
    """Energy that comes from nothing, of all there is."""
    beyond: float = 0.0
    """Friction beyond its limit, of the weight."""
    kinetic: float = 0.0
    """Difference to the kinetic energy of a rigid body, of it."""
    cpu: float = 0.0
    ended: str = ""

    def faults(self) -> list[str]:
        """What is wrong, in words."""
        limits = {"into": 1e-7, "drift": 1e-6, "grows": 1e-6, "beyond": 1e-5, "kinetic": 1e-9}
        found = [self.failure] if self.failure else []
        return found + [f"{name} is {getattr(self, name):.2e}" for name, most in limits.items()
                        if not getattr(self, name) <= most]


class _TooLongError(Exception):
    pass


def run(number: int, cpu: float = CPU) -> Verdict:
    """Simulate one case, and look at it."""
    this, begin = case(number), time.process_time()
    told = f"seed {number}: {this.told}"

    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = this.rover.simulate(*this.arguments, **this.options)
    except _TooLongError:
        return Verdict(told, f"takes more than {cpu:g} s", cpu=cpu)
    except Exception as problem:
        return Verdict(told, f"{type(problem).__name__}: {problem}"[:400], cpu=time.process_time() - begin)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    return looked_at(this, found, told, time.process_time() - begin)


def looked_at(this: Case, found: Any, told: str, cpu: float) -> Verdict:
    """What is to be said of a run."""
    weight = this.mass * G
    into = 0.0
    if not this.rover.base.on_tyres:
        into = float(-lowest(this, found).min(initial=0.0))
    put_in = found.drive_work + found.wheel_work + found.external_work + found.base_work
    own = found.kinetic + found.potential - put_in
    size = float(np.ptp(found.potential) + found.kinetic.max() + 1e-3 * weight)
    grows = float(np.diff(own).max(initial=0.0)) / size
    grip = np.hypot(found.longitudinal, found.lateral)
    beyond = float((grip - this.friction * np.maximum(found.normal, 0.0)).max(initial=0.0)) / weight
    kinetic = 0.0
    if not this.rover.n and found.base_velocity is not None:  # it left the plane
        v, w = found.base_velocity[:, :3], found.base_velocity[:, 3:]
        at_center = v + np.cross(w, this.center)
        energy = 0.5 * this.mass * (at_center**2).sum(axis=1) + 0.5 * (w @ this.inertia * w).sum(axis=1)
        kinetic = float(np.abs(energy - found.kinetic).max() / max(float(energy.max()), 1e-12))
    ended = "fell" if found.tipped else "rocked" if found.rocks else "stayed"
    if found.times[-1] < 0.6 - 1e-9 and not found.tipped:
        return Verdict(told, f"ends at {found.times[-1]:.4g} s", cpu=cpu)
    return Verdict(told, "", into, float(found.energy_drift), grows, beyond, kinetic, cpu, ended)


def main() -> None:
    """Run many, and say what they were like."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", type=float, default=CPU)
    options = parser.parse_args()
    verdicts = []
    for number in range(options.seed, options.seed + options.count):
        verdict = run(number, options.cpu)
        verdicts.append(verdict)
        faults = "; ".join(verdict.faults())
        print(f"{verdict.told}: {verdict.ended}, {verdict.cpu:.1f} s{'  *** ' + faults if faults else ''}", flush=True)
    wrong = sum(bool(verdict.faults()) for verdict in verdicts)
    print(f"{wrong} of {len(verdicts)} with faults; {sum(v.cpu for v in verdicts):.0f} s of CPU, at most "
          f"{max(v.cpu for v in verdicts):.1f} s; into the ground {max(v.into for v in verdicts):.1e} m, drift "
          f"{max(v.drift for v in verdicts):.1e}, from nothing {max(v.grows for v in verdicts):.1e}, beyond friction "
          f"{max(v.beyond for v in verdicts):.1e}, kinetic {max(v.kinetic for v in verdicts):.1e}")


if __name__ == "__main__":
    main()
