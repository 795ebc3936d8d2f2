"""Random bases under random laws against MuJoCo: wheels are ellipsoids on hinges, with spin inertia and contacts.

`python -m tests.mobile.random_bases_in_mujoco --count 50` says how far the two are apart. What MuJoCo can represent:
fixed wheels, steered ones at constant angles, casters without trail (spheres whose friction is the rolling resistance),
locked wheels (no hinge). Rolling resistance of a wheel is a friction of its hinge, for its load at rest. Its contacts
are soft (`STIFFNESS`): normal forces build up over 4 ms, and what grips creeps. Static friction is sliding friction.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import loadpath as lp

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
from random_bases import LAWS, motion_that_rolls, rate_of

STIFFNESS = 'solref="0.004 1" solimp="0.99 0.999 0.0001" solreffriction="0.001 1" solimpfriction="0.999 0.9999 0.001"'
SLIDING = STIFFNESS.replace("0.004 1", "0.02 1")
"""Of bases with locked wheels: what slides on contacts as stiff as the others' hops, with up to ten times its load."""
OPTIONS = 'timestep="0.0005" integrator="implicitfast" cone="elliptic" impratio="50" iterations="50"'
WHEEL, WIDTH, CASTER = 1.0, 0.02, 0.05
"""Mass (kg) and half width (m) of a wheel, radius (m) of a caster."""
ROUND = np.array([0.51, 1.0, 0.51])
"""Inertia of a wheel about its axes, of that about its axle."""
DURATION = 0.8


@dataclass
class Case:
    """One base, what is done to it, and the masses of its body alone."""

    number: int
    words: str
    rover: Any
    mass: float
    center: Any
    tensor: Any
    steering: dict[str, float]
    torques: dict[str, Any]
    locked: tuple[str, ...]
    velocity: Any


def case(number: int, *, braking: bool = False) -> Case:
    """The case of a number; `braking` whether it may lock some wheels of four."""
    rng = np.random.default_rng(1000 + number)
    kind = str(rng.choice(["differential", "ackermann", "four fixed"]))
    mu, rolling, spin = float(rng.uniform(0.6, 1.0)), float(rng.choice([0.0, 0.01])), float(rng.uniform(0.005, 0.02))
    d, R = float(rng.uniform(0.25, 0.45)), float(rng.uniform(0.1, 0.18))
    steering: dict[str, float] = {}
    if kind == "differential":
        wheels: list[Any] = [lp.FixedWheel((-0.1, y), R, name=name, spin_inertia=spin)
                             for name, y in (("left", d), ("right", -d))]
        wheels.append(lp.CasterWheel((float(rng.uniform(0.4, 0.6)), 0.0), CASTER, name="caster"))
    elif kind == "ackermann":
        wheels = [lp.FixedWheel((-0.4, y), R, name=name, spin_inertia=spin) for name, y in (("left", d), ("right", -d))]
        turn = float(rng.choice([0.0, rng.uniform(0.1, 0.4)]))
        for name, y in (("front_left", d), ("front_right", -d)):
            wheels.append(lp.SteeredWheel((0.4, y), R, name=name, drive=lp.WheelDrive(ratio=1.0, rotor_inertia=spin)))
            steering[name] = math.atan2(0.8, 0.8 / math.tan(turn) - y) if turn else 0.0
    else:
        wheels = [lp.FixedWheel((x, y), R, name=f"wheel{x:+.2f}{y:+.2f}", spin_inertia=spin)
                  for x in (0.4, -0.4) for y in (d, -d)]
    axled = [wheel for wheel in wheels if wheel.traction() is not None]
    mass, center = float(rng.uniform(20, 80)), np.array([*rng.uniform(-0.05, 0.1, 2), rng.uniform(0.12, 0.2)])
    center[1] -= 0.025
    spread = rng.uniform(0.3, 1.0, 3)
    tensor = np.diag(spread.sum() - spread)
    parts = [(mass, center, tensor)]
    for wheel in axled:
        turned = _spun(steering.get(wheel.name, 0.0), wheel.axle_inertia)
        parts.append((WHEEL, np.array([*wheel.position, R]), turned))
    total = sum(m for m, _, _ in parts)
    middle = sum(m * c for m, c, _ in parts) / total
    whole = sum(t + m * ((c - middle) @ (c - middle) * np.eye(3) - np.outer(c - middle, c - middle))
                for m, c, t in parts)
    slope = float(rng.choice([0.0, 0.0, rng.uniform(0.02, 0.08)]))
    base = lp.WheeledBase(mass=total, center_of_mass=middle, inertia=whole, wheels=wheels,
                          friction=lp.WheelFriction(mu, mu, rolling))
    rover = base.carrying(ground=lp.Ground(slope=slope))
    how = str(rng.choice(["torques", "torques", "rolling", "brakes"]))
    if how == "brakes" and kind != "differential" and not braking:
        how = "rolling"  # normal forces of what slides are wrong in MuJoCo: see `test_braking_on_four_wheels`
    torques, locked, velocity, law = {}, (), np.zeros(3), ""
    speed = float(rng.uniform(0.3, 1.0)) * float(rng.choice([-1, 1]))
    if how == "torques":
        make = LAWS[int(rng.integers(len(LAWS)))]
        law, f = make.__name__, make(DURATION)
        most = rng.uniform(0.03, 0.12) * 9.81 * total * R / 2
        shares = rng.uniform(0.6, 1.0, len(axled)) if kind != "four fixed" else np.ones(len(axled))
        for wheel, share in list(zip(axled, shares, strict=True))[:2]:
            size = float(math.copysign(most * share, speed))
            torques[wheel.name] = lambda t, state=None, size=size: size * f(t)
    else:
        velocity = np.asarray(motion_that_rolls(rover, steering, speed, rng))
        if how == "brakes":
            locked = tuple(wheel.name for wheel in axled if rng.random() < 0.6)
    words = f"{number}: {kind}, {how} {law}, rolling {rolling:g}, slope {slope:.3g}"
    return Case(number, words, rover, mass, center, tensor, steering, torques, locked, velocity)


def _spun(angle: float, J: float) -> Any:
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return turn @ np.diag(J * ROUND) @ turn.T


def _text(numbers: Any) -> str:
    return " ".join(f"{float(x):.12g}" for x in np.ravel(numbers))


def model(this: Case) -> str:
    """The same in MuJoCo."""
    rover = this.rover
    friction = rover.friction_of(rover.contact_names[0])
    loads = rover.wheel_loads(steering=list(this.steering.values()) or None).normal if friction.rolling else None
    geom, joint = (SLIDING if this.locked else STIFFNESS).split(" solreffriction")
    default = f'<geom {geom}/><joint solreffriction{joint}/>'
    wheels, motors = "", ""
    for k, wheel in enumerate(rover.base.wheels):
        (x, y), R, name = wheel.position, wheel.radius, wheel.name
        if wheel.traction() is None:
            kind = f'condim="3" friction="{friction.rolling} 0 0"' if friction.rolling else 'condim="1"'
            wheels += f'<geom name="{name}" type="sphere" size="{CASTER}" pos="{x} {y} {CASTER}" mass="0" {kind} ' \
                'priority="1"/>'
            continue
        loss = f' frictionloss="{friction.rolling * loads[k] * R}"' if loads is not None else ""
        hinge = "" if name in this.locked else f'<joint name="{name}" axis="0 1 0"{loss}/>'
        wheels += f'''<body pos="{x} {y} {R}" euler="0 0 {this.steering.get(name, 0.0)}">{hinge}
            <inertial mass="{WHEEL}" pos="0 0 0" diaginertia="{_text(wheel.axle_inertia * ROUND)}"/>
            <geom name="{name}" type="ellipsoid" size="{R} {WIDTH} {R}" friction="{friction.sliding} 0 0"/></body>'''
        motors += f'<motor joint="{name}"/>' if name in this.torques else ""
    gravity, inertia = _text(rover.ground.gravity_in_base(0.0)), _text(np.diag(this.tensor))
    return f"""<mujoco><compiler angle="radian"/><option gravity="{gravity}" {OPTIONS}/><default>{default}</default>
        <worldbody><geom name="floor" type="plane" size="9 9 1" friction="0 0 0"/>
        <body><freejoint/><inertial mass="{this.mass}" pos="{_text(this.center)}" diaginertia="{inertia}"/>
        {wheels}</body></worldbody><actuator>{motors}</actuator></mujoco>"""


@dataclass(frozen=True)
class Apart:
    """How far the two are from each other at the end."""

    words: str
    path: float
    """m that the base has gone."""
    position: float
    """m."""
    heading: float
    """rad."""
    turned: float
    normal: float
    """Share of the weight, mean over the last 50 ms of the worst contact."""
    slides: bool

    def faults(self) -> list[str]:
        """What is too far apart. What slides hops in MuJoCo, see `test_rover_mujoco`."""
        near = 0.05 if self.slides else 0.01
        found = []
        if self.position > near * self.path + 1e-3:
            found.append(f"{self.position:.2e} m apart after {self.path:.3g} m")
        if self.heading > near * abs(self.turned) + 2e-3:
            found.append(f"{self.heading:.2e} rad apart after {self.turned:.3g} rad")
        if self.normal > 0.02:
            found.append(f"normal forces {self.normal:.2e} of the weight apart")
        return found


def run(number: int) -> Apart:
    """Simulate one case with both."""
    this = case(number)
    rover = this.rover
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        mine = rover.simulate(duration=DURATION, velocity=tuple(this.velocity), steering=this.steering or None,
                              wheel_torques=this.torques or None, wheel_rates=dict.fromkeys(this.locked, 0.0) or None)
    peer = mujoco.MjModel.from_xml_string(model(this))
    data = mujoco.MjData(peer)
    data.qpos[2] = -2e-5  # where it rests, nearly
    gravity = peer.opt.gravity.copy()
    peer.opt.gravity[:2] = 0.0
    for _ in range(400):  # the contacts settle
        mujoco.mj_step(peer, data)
    peer.opt.gravity[:] = gravity
    begin, start = data.time, data.qpos.copy()
    data.qvel[:] = 0
    data.qvel[:2], data.qvel[5] = this.velocity[:2], this.velocity[2]
    for wheel in rover.base.wheels:
        if wheel.traction() is not None and wheel.name not in this.locked:
            k = rover.contact_names.index(wheel.name)
            data.joint(wheel.name).qvel[0] = rate_of(rover, k, this.steering, this.velocity)
    names, force = [wheel.name for wheel in rover.base.wheels], np.zeros(6)
    total, count = np.zeros(len(names)), 0
    while data.time < begin + DURATION - 1e-9:
        data.ctrl[:] = [law(data.time - begin) for law in this.torques.values()]
        mujoco.mj_step(peer, data)
        if data.time > begin + DURATION - 0.05:
            count += 1
            for c in range(data.ncon):
                mujoco.mj_contactForce(peer, data, c, force)
                total[names.index(peer.geom(int(data.contact[c].geom[1])).name)] += force[0]
    w, x, y, z = data.qpos[3:7]
    heading = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    late = mine.times > DURATION - 0.05
    apart = np.abs(total / count - mine.normal[late].mean(axis=0)).max() / mine.normal[0].sum()
    return Apart(this.words, float(np.hypot(*np.diff(mine.pose[:, :2], axis=0).T).sum()),
                 float(np.hypot(*(data.qpos[:2] - start[:2] - mine.pose[-1, :2]))), abs(heading - mine.pose[-1, 2]),
                 float(mine.pose[-1, 2]), float(apart), bool(mine.sliding.any()))


def main() -> None:
    """Run many and say how far they are apart."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--count", type=int, default=50)
    read.add_argument("--seed", type=int, default=0)
    given = read.parse_args()
    wrong = 0
    for number in range(given.seed, given.seed + given.count):
        apart = run(number)
        faults = apart.faults()
        wrong += bool(faults)
        print(f"{apart.words}: path {apart.path:.3f} m, turned {apart.turned:+.3f} rad, apart {apart.position:.1e} m "
              f"{apart.heading:.1e} rad, loads {apart.normal:.1e}{', slides' if apart.slides else ''} "
              f"{'; '.join(faults)}", flush=True)
    print(f"{given.count} bases, {wrong} too far apart")


if __name__ == "__main__":
    main()
