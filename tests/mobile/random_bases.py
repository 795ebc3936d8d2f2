"""Random bases on wheels under random laws: does every simulation end, roll without slip and keep its energy?

`python -m tests.mobile.random_bases --count 1000 --seed 0` runs each case in a process of its own with a limit of CPU
time and says what failed, what took too long, and the largest residuals. `--results file` keeps each verdict as it
comes, so that a run that is ended goes on where it was. What is looked at is independent of the
solver: the rows of the wheels themselves (rim speed, side speed) at the sampled speeds, the energy balance, and the
words of the events.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import re
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import loadpath as lp
from loadpath.engine import better

CPU = 20.0
"""Seconds of CPU time that one run may take."""
TOGETHER = 2e-6
"""Slip (m/s) up to which what is given to wheels counts as in agreement."""
OPTIMISED = 10.0
"""Seconds before compiled code is optimised, to the same bits: most rovers here do not run for so long."""
Law = Callable[[float], float]


# Laws: functions of time that end at 1


def parabola(duration: float) -> Law:
    """Starts without an acceleration's jump in its rate: (t/T)^2."""
    return lambda t: (max(t, 0.0) / duration) ** 2


def quintic(duration: float, begin: float = 0.0) -> Law:
    """At rest at both ends, without a jump of the acceleration."""
    return lambda t: float(np.polyval([6, -15, 10, 0, 0, 0], min(max((t - begin) / (duration - begin), 0.0), 1.0)))


def cosine(duration: float) -> Law:
    """1 - cos."""
    return lambda t: 0.5 * (1.0 - math.cos(math.pi * max(t, 0.0) / duration))


def delayed(duration: float) -> Law:
    """A ramp that begins later, with a corner."""
    return lambda t: max(t - 0.23 * duration, 0.0) / (0.77 * duration)


def delayed_smoothly(duration: float) -> Law:
    """A quintic that begins later."""
    return quintic(duration, 0.3 * duration)


def stop_and_go(duration: float) -> Law:
    """Up, down to rest, a pause, and up again, smoothly."""
    up, rest = 0.3 * duration, 0.15 * duration

    def law(t: float) -> float:
        if t < up:
            return quintic(up)(t)
        if t < 2 * up:
            return 1.0 - quintic(up)(t - up)
        return quintic(up)(t - 2 * up - rest)

    return law


def reversing(duration: float) -> Law:
    """A sine from rest that changes its sign, with a smooth start."""
    return lambda t: math.sin(2 * math.pi * t / duration) * math.sin(0.5 * math.pi * min(t / duration, 1.0))


def linear(duration: float) -> Law:
    """A ramp from the beginning."""
    return lambda t: t / duration


LAWS = (parabola, quintic, cosine, delayed, delayed_smoothly, stop_and_go, reversing, linear)


# Cases


@dataclass
class Case:
    """One simulation."""

    seed: int
    kind: str
    law: str
    rover: Any
    options: dict[str, Any]
    coordinates: tuple[Any, ...] = ()
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.kind}, {self.law}{''.join(', ' + note for note in self.notes)}"


def case(seed: int) -> Case:
    """The case of a number."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(sorted(KINDS)))
    notes: list[str] = []
    duration = 1.0
    rolling = float(rng.choice([0.0, 0.003, 0.01, 0.03], p=[0.15, 0.25, 0.5, 0.1]))
    static = float(rng.uniform(0.5, 0.9))
    friction = lp.WheelFriction(sliding=static * float(rng.uniform(0.7, 1.0)), static=static, rolling=rolling)
    spin = float(rng.choice([0.0, 0.02]))
    wheels, steering = KINDS[kind](rng, spin)
    base = lp.WheeledBase(
        mass=float(rng.uniform(20, 200)), center_of_mass=(*rng.uniform(-0.08, 0.08, 2), float(rng.uniform(0.15, 0.3))),
        inertia=np.diag([4.0, 6.0, 8.0]) * rng.uniform(0.5, 1.5), wheels=wheels, friction=friction,
    )
    slope = float(rng.choice([0.0, 0.0, rng.uniform(0.01, 0.12)]))
    arm = rng.random() < 0.25
    ground = lp.Ground(slope=slope)
    rover = base.carrying(lp.catalog.planar(2), at=(0, 0, 0.35), ground=ground) if arm else base.carrying(ground=ground)
    notes += [f"rolling {rolling:g}", *([f"slope {slope:.3g}"] if slope else []), *(["spin"] if spin else []),
              *(["arm"] if arm else [])]
    options: dict[str, Any] = {"duration": duration, "pose": (0, 0, float(rng.uniform(-3, 3)))}
    if steering:
        options["steering"] = steering
    make = LAWS[int(rng.integers(len(LAWS)))]
    how = str(rng.choice(["rates", "rates", "rates", "one rate", "torques", "brakes", "moving"]))
    law = make(duration)
    speed = float(rng.uniform(0.1, 1.0)) * float(rng.choice([-1, 1]))
    axled = [k for k, wheel in enumerate(wheels) if wheel.traction() is not None]
    if not axled:
        how = "moving"
    drive(rover, rng, options, how, law, speed, axled, notes)
    coordinates: tuple[Any, ...] = ()
    if arm and rng.random() < 0.5:
        path = lp.Motion.through(lp.catalog.planar(2), [[-1.2, 0.3], [-1.2 + rng.uniform(-0.3, 0.3), 0.5]],
                                 [0, duration], rate=100)
        options["motion"] = path
        notes.append("given motion")
    elif arm:
        coordinates = ([-1.3, 0.2], [0.0, 0.0])
        options["torque"] = [0.0, 0.0]
    told = f"{how} {make.__name__ if how in ('rates', 'one rate', 'torques') else ''}".strip()
    return Case(seed, kind, told, rover, options, coordinates, notes)


def drive(
    rover: Any, rng: Any, options: dict[str, Any], how: str, law: Law, speed: float, axled: list[int],
    notes: list[str],
) -> None:
    """What drives the wheels: rates of a motion of the base that all of them allow, torques, brakes, or nothing."""
    names, wheels = rover.contact_names, rover.base.wheels
    if how == "rates":
        v = motion_that_rolls(rover, options.get("steering", {}), speed, rng)
        off = float(rng.choice([0.0, 0.0, 1e-6, 1e-2])) if len(axled) > 2 else 0.0
        some = axled if rng.random() < 0.6 else axled[: max(2, len(axled) // 2)]
        rates = {}
        for j, k in enumerate(some):
            b = rate_of(rover, k, options.get("steering", {}), v) * (1 + (off if j == 0 else 0.0))
            rates[names[k]] = lambda t, b=b: b * law(t)
        options["wheel_rates"] = rates
        notes.append(f"{len(some)} of {len(axled)} driven" + (f", off by {off:g}" if off else ""))
    elif how == "one rate":
        k = int(rng.choice(axled))
        b = speed / wheels[k].radius
        options["wheel_rates"] = {names[k]: lambda t: b * law(t)}
    elif how == "torques":
        some = [k for k in axled if rng.random() < 0.7] or axled[:1]
        most = float(rng.uniform(0.02, 0.3)) * 9.81 * rover.base.mass / len(axled)
        sign = math.copysign(1.0, speed)
        options["wheel_torques"] = {
            names[k]: (lambda t, state, b=sign * most * wheels[k].radius: b * law(t)) for k in some
        }
    elif how == "brakes":
        some = [k for k in axled if rng.random() < 0.6]
        options["wheel_rates"] = dict.fromkeys([names[k] for k in some], 0.0)
        if rng.random() < 0.5:
            options["velocity"] = (abs(speed), 0.0)
        notes.append(f"{len(some)} of {len(axled)} braked")
    else:
        options["velocity"] = tuple(motion_that_rolls(rover, options.get("steering", {}), speed, rng))


def motion_that_rolls(rover: Any, steering: dict[str, float], speed: float, rng: Any) -> Any:
    """A velocity (v_x, v_y, w) that no wheel's side opposes, if there is one but rest."""
    rows = []
    for k, wheel in enumerate(rover.base.wheels):
        for row in wheel.held():
            rows.append(row_in_base(rover, k, row, steering)[0])
    if rows:
        _, values, right = np.linalg.svd(np.array(rows))
        rank = int((values > 1e-5 * values[0]).sum())
        basis = right[rank:]
    else:
        basis = np.eye(3)
    if not len(basis):
        return np.zeros(3)
    v = rng.normal(size=len(basis)) @ basis
    return speed * v / max(float(np.abs(v).max()), 1e-9)


def row_in_base(rover: Any, k: int, row: Any, steering: dict[str, float]) -> tuple[Any, float]:
    """A row over (v_x, v_y, w), and over the wheel's rate."""
    wheel = rover.base.wheels[k]
    angle = steering.get(rover.contact_names[k], 0.0) if wheel.steerable else wheel.direction
    angle = angle(0.0) if callable(angle) else angle
    return plane_row(wheel, row, angle), row.spin


def plane_row(wheel: Any, row: Any, angle: float) -> Any:
    """A row over (v_x, v_y, w) with the wheel at an angle."""
    (x, y), c, s = wheel.position, math.cos(angle), math.sin(angle)
    ex, ey = row.along * c - row.across * s, row.along * s + row.across * c
    return np.array([ex, ey, x * ey - y * ex])


def rate_of(rover: Any, k: int, steering: dict[str, float], v: Any) -> float:
    """Rate at which a wheel rolls."""
    row, spin = row_in_base(rover, k, rover.base.wheels[k].traction(), steering)
    return float(-(row @ v) / spin)


# Bases


def _differential(rng: Any, spin: float) -> Any:
    d, R = rng.uniform(0.2, 0.5), rng.uniform(0.08, 0.2)
    trail = float(rng.choice([0.0, 0.03, 0.06]))
    wheels = [lp.FixedWheel((0, d), R, spin_inertia=spin), lp.FixedWheel((0, -d), R, spin_inertia=spin)]
    ends = [0.5] if rng.random() < 0.4 else [0.5, -0.5]
    if len(ends) == 1:
        wheels = [lp.FixedWheel((-0.15, y), R, spin_inertia=spin) for y in (d, -d)]
    angles = {}
    for x in ends:
        wheels.append(lp.CasterWheel((x, float(rng.uniform(-0.05, 0.05))), 0.06, trail=trail, name=f"caster{x:g}"))
        if trail and rng.random() < 0.5:
            angles[f"caster{x:g}"] = float(rng.uniform(-3, 3))
    return wheels, angles


def _ackermann(rng: Any, spin: float) -> Any:
    d, R, length = rng.uniform(0.25, 0.45), rng.uniform(0.1, 0.2), 0.8
    wheels = [lp.FixedWheel((-0.4, y), R, spin_inertia=spin) for y in (d, -d)]
    wheels += [lp.SteeredWheel((-0.4 + length, y), R, name=f"front{y:+.3f}") for y in (d, -d)]
    turn = float(rng.choice([0.0, rng.uniform(0.05, 0.5)]))
    off = float(rng.choice([0.0, 0.0, 1e-9, 1e-6, 1e-2]))
    angles = {}
    for j, wheel in enumerate(wheels[2:]):
        exact = math.atan2(length, length / math.tan(turn) - wheel.position[1]) if turn else 0.0
        angles[wheel.name] = exact + (off if j == 0 else 0.0)
    if rng.random() < 0.2:
        size = float(rng.uniform(0.05, 0.3))
        return wheels, {name: (lambda t, b=b: b + size * math.sin(3 * t)) for name, b in angles.items()}
    return wheels, angles


def _four_fixed(rng: Any, spin: float) -> Any:
    x, y, R = rng.uniform(0.3, 0.5), rng.uniform(0.2, 0.4), rng.uniform(0.08, 0.2)
    return [lp.FixedWheel((a * x, b * y), R, spin_inertia=spin) for a in (1, -1) for b in (1, -1)], {}


def _mecanum(rng: Any, spin: float) -> Any:
    x, y, R = rng.uniform(0.25, 0.45), rng.uniform(0.2, 0.35), rng.uniform(0.06, 0.15)
    return [
        lp.OmniWheel((a * x, b * y), R, roller_angle=-a * b * math.pi / 4, spin_inertia=spin)
        for a in (1, -1) for b in (1, -1)
    ], {}


def _omni(rng: Any, spin: float) -> Any:
    count, size, R = int(rng.integers(3, 5)), rng.uniform(0.3, 0.5), rng.uniform(0.05, 0.12)
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False) + rng.uniform(0, 1)
    return [
        lp.OmniWheel((size * math.cos(a), size * math.sin(a)), R, direction=float(a + math.pi / 2 - 2 * math.pi
                     * (a > math.pi)), spin_inertia=spin) for a in angles
    ], {}


def _mixed(rng: Any, spin: float) -> Any:
    from rovers import make

    makers = ("fixed", "free", "steered", "caster", "trailing", "omni", "mecanum", "support")
    angles = np.linspace(0, 2 * np.pi, 4, endpoint=False) + rng.uniform(-0.2, 0.2, 4)
    return [make(makers[int(rng.integers(len(makers)))], a, rng) for a in angles], {}


KINDS = {
    "differential": _differential, "ackermann": _ackermann, "four fixed": _four_fixed, "mecanum": _mecanum,
    "omni": _omni, "mixed": _mixed,
}


# What is looked at


@dataclass(frozen=True)
class Verdict:
    """What one run was like."""

    case: str
    failure: str = ""
    residual: float = 0.0
    """Largest slip (m/s, of 1 + the fastest speed) of a wheel that is told to hold."""
    drift: float = 0.0
    texts: tuple[str, ...] = ()
    """Absurd ones."""
    cpu: float = 0.0
    ended: str = ""

    def faults(self, residual: float = 1e-9, drift: float = 1e-7) -> list[str]:
        """What is wrong, in words."""
        found = [self.failure] if self.failure else []
        if self.residual > residual:
            found.append(f"a wheel that holds slips by {self.residual:.2e}")
        if self.drift > drift:
            found.append(f"energy drifts by {self.drift:.2e}")
        return [*found, *self.texts]


def run(number: int) -> Verdict:
    """Simulate one case."""
    this = case(number)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        try:
            result = this.rover.simulate(*this.coordinates, **this.options)
        except lp.IntegrationError as error:
            return Verdict(str(this), f"IntegrationError: {str(error)[:300]}", cpu=time.process_time() - begin)
        except Exception as error:
            return Verdict(str(this), f"{type(error).__name__}: {str(error)[:300]}", cpu=time.process_time() - begin)
    cpu = time.process_time() - begin
    # At rest nothing is turned over, and all there is is rounding.
    weight = 9.81 * sum(link.inertia.mass for link in this.rover.robot.links)
    drift = float(result.energy_drift) if np.abs(result.energy_residual).max() > 1e-12 * weight else 0.0
    slips = slip(this.rover, result, set(this.options.get("wheel_rates", ())))
    return Verdict(str(this), "", slips, drift,
                   tuple(absurd(this.rover, result)), cpu, "tipped" if result.tipped or result.rocks else "")


def slip(rover: Any, result: Any, given: set[str]) -> float:
    """Largest slip of wheels that hold, beyond what no motion avoids: where rates or steering angles that are given do
    not agree (by 1e-6, which is taken for rounding), all slips together are at least those of the motion that comes
    nearest to rolling. More than `TOGETHER` of that is slip, too: then one of them should slide.
    """
    names, worst = list(rover.steerable_names), 0.0
    last = len(result.times) - (1 if result.tipped or result.rocks else 0)
    fastest = 1.0 + float(np.abs(result.velocity).max())
    contacts = rover.contact_names
    for i in range(last):
        rows, at = [], []
        for k, wheel in enumerate(rover.base.wheels):
            if result.sliding[i, k] or result.lifted[i, k]:
                continue
            angle = result.steering[i, names.index(contacts[k])] if wheel.steerable else wheel.direction
            for row in wheel.grip():
                whole = np.zeros(3 + len(contacts))
                whole[:3], whole[3 + k] = plane_row(wheel, row, float(angle)), row.spin
                rows.append(whole)
                at.append(whole @ np.concatenate([result.velocity[i], np.nan_to_num(result.wheel_rates[i])]))
        if not rows or max(map(abs, at)) <= 1e-10:
            continue
        free = [0, 1, 2, *(3 + k for k, name in enumerate(contacts) if name not in given)]
        A = np.array(rows)[:, free]
        left = at - A @ np.linalg.lstsq(A, np.array(at), rcond=1e-12)[0]
        least = float(np.linalg.norm(left))
        worst = max(worst, (float(np.linalg.norm(at)) - least) / fastest, (least - TOGETHER) / fastest)
    return worst


def absurd(rover: Any, result: Any) -> list[str]:
    """Texts with numbers that nothing asks for, and slips at the beginning that heal at once."""
    weight = 9.81 * sum(link.inertia.mass for link in rover.robot.links)
    found = []
    for event in result.events:
        told = str(event)
        for text in re.findall(r"(-?\d[\d.]*(?:e[+-]?\d+)?) N\b", told):
            if float(text) < 0 or float(text) > 25 * weight:
                found.append(told)
                break
        if "nan" in told or "inf " in told:
            found.append(told)
    for event in result.events:
        if event.kind == "slips" and event.time == 0.0:
            healed = [e for e in result.events if e.kind == "sticks" and e.part == event.part and 0 <= e.time < 1e-3]
            if healed and "slides at" not in str(event):
                found.append(f"heals at {healed[0].time:.1e} s: {event}")
    return found


# Many


def _limited(number: int, limit: float, to: Any) -> None:
    better.AFTER = better.IN_CHILD = OPTIMISED
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
    to.send(run(number))


def run_limited(number: int, limit: float = CPU) -> Verdict:
    """One case in a process of its own."""
    mine, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_limited, args=(number, limit, theirs))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(30 * limit) else Verdict(str(case(number)), "hangs")
    except EOFError:
        return Verdict(str(case(number)), f"more than {limit:g} s of CPU", cpu=limit)
    finally:
        if process.is_alive():
            process.kill()
        process.join()


def seen_before(results: Path) -> dict[int, Verdict]:
    """Verdicts that a run before wrote, by their seeds."""
    if not results.exists():
        return {}
    rows = [json.loads(line) for line in results.read_text().splitlines() if line.endswith("}")]
    return {row.pop("seed"): Verdict(**{**row, "texts": tuple(row["texts"])}) for row in rows}


def main() -> None:
    """Run many and say what is wrong."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--count", type=int, default=100)
    read.add_argument("--seed", type=int, default=0)
    read.add_argument("--seeds", type=int, nargs="*", help="these, in place of a range")
    read.add_argument("--residual", type=float, default=1e-9)
    read.add_argument("--drift", type=float, default=1e-7)
    read.add_argument("--results", type=Path, help="one line of JSON a case; a later run with the same file goes on")
    options = read.parse_args()
    lp.catalog.lau_rover(friction=lp.WheelFriction(0.8)).simulate([0, 0, 0.5], duration=0.01)  # imports, once for all
    before = seen_before(options.results) if options.results else {}
    verdicts = []
    seeds = range(options.seed, options.seed + options.count) if options.seeds is None else options.seeds
    for number in seeds:
        verdict = before.get(number) or run_limited(number)
        verdicts.append(verdict)
        for fault in verdict.faults(options.residual, options.drift):
            print(f"{verdict.case} ({verdict.cpu:.1f} s): {fault}", flush=True)
        if options.results and number not in before:
            with options.results.open("a") as file:
                file.write(json.dumps({"seed": number, **asdict(verdict)}) + "\n")
    hangs = [v for v in verdicts if "CPU" in v.failure or v.failure == "hangs"]
    print(f"{len(verdicts)} runs, {sum(bool(v.failure) for v in verdicts)} failed, {len(hangs)} of them out of time, "
          f"{sum(bool(v.ended) for v in verdicts)} tipped")
    sound = [v for v in verdicts if not v.failure]
    print(f"largest slip of what holds {max((v.residual for v in sound), default=0):.2e} "
          f"({sum(v.residual > options.residual for v in sound)} beyond {options.residual:g}), "
          f"largest energy drift {max((v.drift for v in sound), default=0):.2e} "
          f"({sum(v.drift > options.drift for v in sound)} beyond {options.drift:g}), "
          f"{sum(len(v.texts) for v in sound)} absurd texts; longest {max(v.cpu for v in verdicts):.1f} s of CPU, "
          f"{sum(v.cpu for v in verdicts):.0f} s in all")


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(Path(__file__).parent))
    main()
