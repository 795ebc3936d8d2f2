"""Simulated time against computing time: robots, and an arm on the base of `docs/mobile.md`, with MuJoCo as a peer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import loadpath as lp
from benchmarks.report import Row
from benchmarks.timing import best_times

RADIUS, TRACK, CASTER, TRAIL = 0.1, 0.3, 0.4, 0.03
SLIDING, STATIC = 0.6, 0.8
HANGING = np.array([-np.pi / 2, 0.0])


def rover(rolling: float = 0.01, at: float = 0.1) -> lp.Rover:
    """A two-joint arm on the base of `docs/mobile.md`."""
    wheels = [
        lp.FixedWheel((0.0, TRACK), RADIUS, name="left"),
        lp.FixedWheel((0.0, -TRACK), RADIUS, name="right"),
        lp.CasterWheel((CASTER, 0.0), 0.05, trail=TRAIL, name="front"),
        lp.CasterWheel((-CASTER, 0.0), 0.05, trail=TRAIL, name="rear"),
    ]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=SLIDING, static=STATIC, rolling=rolling))
    return base.carrying(lp.catalog.planar(2), at=(at, 0, 0.4))


def on_four_wheels(arm: lp.Robot, mass: float) -> lp.Rover:
    """An arm on four fixed wheels."""
    wheels = [lp.FixedWheel((x, y), RADIUS) for x in (CASTER, -CASTER) for y in (TRACK, -TRACK)]
    base = lp.WheeledBase(mass=mass, center_of_mass=(0, 0, 0.25), inertia=np.diag([4.0, 6.0, 8.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=SLIDING, static=STATIC, rolling=0.01))
    return base.carrying(arm, at=(0.1, 0, 0.4))


def circle(share: float, duration: float = 0.5) -> Callable[[], lp.RoverSimulation]:
    """A steady circle that takes a share of what static friction of the axle holds, ready to be simulated."""
    round_ = rover(rolling=0.0, at=0.0)
    mass = sum(link.inertia.mass for link in round_.robot.links)
    v = 1.5
    w = share * STATIC * round_.wheel_loads(HANGING).normal[:2].sum() / (mass * v)
    rates = {"left": (v - TRACK * w) / RADIUS, "right": (v + TRACK * w) / RADIUS}

    def simulate() -> lp.RoverSimulation:
        result = round_.simulate(HANGING, [0, 0], duration=duration, velocity=(v, w), wheel_rates=rates)
        assert not result.events, "the circle is not steady"
        return result

    return simulate


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    seconds = 0.2 if quick else 1.0
    arm_on_base, panda, ur5 = rover(), lp.catalog.panda(), lp.catalog.ur5()
    four, braked = on_four_wheels(lp.catalog.planar(2), 60), on_four_wheels(ur5, 100)
    pose = np.array([0.3, -0.6, 1.0, -0.5, 0.2, 0.8])
    held = ur5.inverse_dynamics(pose, np.zeros(6), np.zeros(6))
    brakes = dict.fromkeys(braked.contact_names, 0.0)
    swing = np.array([10.0, 20.0, 10.0, 2.0, 2.0, 1.0])

    def damped(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        forces: np.ndarray = ur5.gravity_forces(q) - 3.0 * qd + swing * np.sin(np.arange(3.0, 9.0) * t)
        return forces

    candidates = {
        "four wheels": lambda: four.simulate([0.3, 0.5], [0, 0], duration=seconds),
        "braked": lambda: braked.simulate(pose, [0.3] * 6, duration=seconds, torque=held, wheel_rates=brakes),
        "damped": lambda: braked.simulate(pose, [0.3] * 6, duration=seconds, torque=damped, wheel_rates=brakes),
        "arm swings": lambda: arm_on_base.simulate([0.3, 0.5], [0, 0], duration=seconds),
        "wheels driven": lambda: arm_on_base.simulate(
            [0.3, 0.5], [0, 0], duration=seconds, wheel_torques={"left": 2.0, "right": 1.0}
        ),
        "far": circle(0.5, 0.5 * seconds),
        "near": circle(0.95, 0.5 * seconds),
        "panda": lambda: panda.simulate([0.3, 0.6, 0, -1.5, 0, 1.8, 0], np.zeros(7), duration=seconds),
        "ur5": lambda: ur5.simulate([0.3, -0.6, 1.0, -0.5, 0.2, 0.8], np.zeros(6), duration=seconds),
    }
    peer = _mujoco(arm_on_base, seconds)
    times = best_times(candidates | ({} if peer is None else {"mujoco": peer}), 1 if quick else 5)
    what = "rover with a two-joint arm"
    result = [
        Row(f"{what} swinging: computing time / simulated time", times["arm swings"] / seconds, at_most=0.5),
        Row(f"{what} and driven wheels: computing time / simulated time", times["wheels driven"] / seconds),
        Row(f"{what}, circle at 0.95 of the friction limit / at 0.5", times["near"] / times["far"], at_most=2.0),
        Row("two-joint arm on four wheels: computing time / simulated time", times["four wheels"] / seconds,
            at_most=0.1),
        Row("UR5 under torques on four braked wheels: computing time / simulated time", times["braked"] / seconds,
            at_most=1.0),
        Row("the same under gravity - 3 qd + sines, stiff at the wrist", times["damped"] / seconds, at_most=1.0),
        Row("Panda swinging: computing time / simulated time", times["panda"] / seconds),
        Row("UR5 swinging: computing time / simulated time", times["ur5"] / seconds),
    ]
    result.append(random_bases(6 if quick else 60))
    if peer is not None:
        result.append(Row(f"{what} swinging: time / MuJoCo's", times["arm swings"] / times["mujoco"], at_most=1.0,
                          remark="MuJoCo in steps of 0.2 ms from Python, contact forces read at each"))
    return result


def random_bases(count: int) -> Row:
    """How many of the random bases of the tests fail: an error, slip, energy, absurd texts, or too long."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "mobile"))
    from tests.mobile.random_bases import CPU, run_limited

    verdicts = [run_limited(number) for number in range(count)]
    longest = max(verdict.cpu for verdict in verdicts)
    return Row(f"random bases that fail or take more than {CPU:g} s of CPU, of {count}",
               sum(bool(verdict.faults()) for verdict in verdicts), at_most=0,
               remark=f"the longest took {longest:.1f} s of CPU; all 1,000: python -m tests.mobile.random_bases")


def _mujoco(ours: lp.Rover, seconds: float) -> Callable[[], None] | None:
    """A function that steps the same rover in MuJoCo, None if MuJoCo is not there."""
    try:
        import mujoco
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(_mjcf(ours))
    force = np.zeros(6)

    def run() -> None:
        data = mujoco.MjData(model)
        data.joint("joint1").qpos[0], data.joint("joint2").qpos[0] = 0.3, 0.5
        for _ in range(round(seconds / model.opt.timestep)):
            mujoco.mj_step(model, data)
            for k in range(data.ncon):
                mujoco.mj_contactForce(model, data, k, force)

    return run


def _mjcf(ours: lp.Rover) -> str:
    """The rover with real wheels, light ones, and casters that swivel, without rolling resistance."""
    light = '<inertial pos="0 0 0" mass="0.01" diaginertia="1e-4 1e-4 1e-4"/>'
    wheel = (
        f'<body pos="0 {{}} {RADIUS}"><joint axis="0 1 0"/>{light}'
        f'<geom type="ellipsoid" size="{RADIUS} 0.02 {RADIUS}"/></body>'
    )
    caster = (
        f'<body pos="{{}} 0 0.05"><joint axis="0 0 1"/>{light}<body pos="{-TRAIL} 0 0"><joint axis="0 1 0"/>{light}'
        '<geom type="ellipsoid" size="0.05 0.01 0.05"/></body></body>'
    )
    wheels = "".join([*map(wheel.format, (TRACK, -TRACK)), *map(caster.format, (CASTER, -CASTER))])
    rod = '<inertial pos="0.5 0 0" mass="1" diaginertia="1e-6 0.083333 0.083333"/>'
    arm = (
        f'<body pos="0.1 0 0.4"><joint name="joint1" axis="0 -1 0"/>{rod}'
        f'<body pos="1 0 0"><joint name="joint2" axis="0 -1 0"/>{rod}</body></body>'
    )
    x, y, z = ours.base.center_of_mass
    return f"""<mujoco><option timestep="0.0002" integrator="implicitfast" cone="elliptic" impratio="50"/>
      <default><geom solref="0.004 1" solimp="0.99 0.999 0.0001" friction="{SLIDING} 0 0" condim="3"/></default>
      <worldbody><geom type="plane" size="5 5 1"/>
        <body><freejoint/><inertial mass="60" pos="{x} {y} {z}" diaginertia="2 3 4"/>{wheels}{arm}</body>
      </worldbody></mujoco>"""
