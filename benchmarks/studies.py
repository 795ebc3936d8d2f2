"""Studies: many designs, many states, against robots that are compiled one by one; and two worker processes.

Times are those of the processor, of all threads: on a machine with other work too they are what they are alone, nearly.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import loadpath as lp
from benchmarks.memory import peak_bytes
from benchmarks.report import Row
from loadpath.engine.quantity import Compiled

_COMPILES = Compiled.compiles
ANSWERS = ["wrenches", "utilisation"]
STATES = 200
CORES = 2
"""On which times are required; they are given as seconds of so many processors."""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    designs, states = (20_000, 200_000) if quick else (1_000_000, 10_000_000)
    warnings.simplefilter("ignore")  # of designs beyond their limits, and of equations that run as they are written
    return [
        *_of_many("designs", designs, 300.0, designs // 10), *_of_many("states", states, 10.0, states // 10),
        _recompiled(5 if quick else 20), _agreement(20 if quick else 1000), _cluster(20_000 if quick else 200_000),
        *_rovers(128 if quick else 4096), *_beams(64 if quick else 1024),
    ]


def arm() -> lp.Robot:
    """A PUMA 560 with limits of effort."""
    limits = {f"joint{k}": lp.Limits(effort=effort) for k, effort in enumerate((100, 300, 160, 30, 30, 30), start=1)}
    return lp.catalog.puma560().with_limits(limits).with_payload(0.0)


def space(designs: int) -> lp.Space:
    """Payload, two lengths, a wall that makes a link heavier, and one gear of five."""
    return lp.Space({
        "payload.mass": lp.span("0 kg", "12 kg"), "link2.length": lp.span("0.35 m", "0.55 m"),
        "link3.length": lp.span("0.35 m", "0.55 m"), "wall": lp.span("2 mm", "6 mm"),
        "link2.mass": lambda wall: 3500.0 * wall, "gear": [80.0, 90.0, 100.0, 110.0, 120.0],
        "joint2.gear_ratio": lambda gear: gear,
    }).latin_hypercube(designs, seed=1)


def motion(robot: lp.Robot) -> lp.Motion:
    """Of 200 samples."""
    return lp.Motion.swing(robot, samples=STATES)


def _of_many(what: str, count: int, seconds: float, fewer: int) -> list[Row]:
    """As many as asked, in a process of their own each, and a tenth of them for the memory that they take."""
    (spent, clock, peak), (_, _, small) = _alone(what, count), _alone(what, fewer)
    scale = count / (1_000_000 if what == "designs" else 10_000_000)
    of = {"designs": f"designs of a PUMA 560 x {STATES} states to peak wrenches and utilisation, on disk",
          "states": "states of a PUMA 560 to peak wrenches"}[what]
    return [
        Row(f"{count:,} {of}: processor time by {CORES}", spent / CORES, "s", at_most=seconds * scale,
            remark=f"{1e6 * spent / count:.2f} us each; {clock:.1f} s by the clock"),
        Row("the same: largest memory of the process", peak / 2**30, "GiB", at_most=1.0,
            remark=f"{small / 2**30:.2f} GiB with {fewer:,}"),
        Row(f"memory / that of a tenth of the {what}", peak / small, at_most=1.25),
    ]


def _alone(what: str, count: int) -> tuple[float, float, float]:
    """Seconds of the processor and by the clock, and bytes, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.studies", what, str(count)], capture_output=True,
                          text=True, check=True)
    spent, clock, peak = map(float, done.stdout.split()[-3:])
    return spent, clock, peak


def designs(count: int) -> tuple[float, float]:
    """Designs of a six-joint arm, as a study on disk, whose store is made anew."""
    robot = arm()
    with tempfile.TemporaryDirectory() as folder:
        study = lp.study(robot, space(count), motion(robot), answers=ANSWERS, to=Path(folder) / "designs.zarr")
        return _timed(study)


def states(count: int) -> tuple[float, float]:
    """States of one arm, made block by block."""
    boxes = {f"joint{k}.{what}": lp.span(-size, size) for k in range(1, 7)
             for what, size in (("position", 2.0), ("speed", 2.0), ("acceleration", 5.0))}
    every = lp.Space(boxes).sobol(count, seed=1)
    return _timed(lp.study(arm(), lp.Space({"payload.mass": [5.0]}), every, answers=["wrenches"]))


def _timed(study: lp.Study) -> tuple[float, float]:
    study.shapes  # noqa: B018  compiled
    clock, start = time.perf_counter(), time.process_time()
    study.run(threads=CORES)
    return time.process_time() - start, time.perf_counter() - clock


def _recompiled(count: int) -> Row:
    """A design of a study against a robot that is compiled for it."""
    robot = arm()
    moves = motion(robot)
    study = lp.study(robot, space(5_000), moves, answers=ANSWERS)
    study.shapes  # noqa: B018  compiled
    start = time.process_time()
    study.run(threads=1)
    each = (time.process_time() - start) / 5_000
    start = time.process_time()
    for number in range(count):
        made = alone(study, number)
        made.peak_loads(moves)
        made.verdict(moves)
    alone_each = (time.process_time() - start) / count
    return Row("a design that is compiled by itself / one of a study", alone_each / each, at_least=500.0,
               remark=f"{alone_each:.2f} s, {1e6 * each:.0f} us of the processor")


def alone(study: lp.Study, number: int) -> lp.Robot:
    """The robot of a design, by itself: its kernels are those of no family."""
    robot = study.robot_of(number)
    return lp.Robot(robot.name, links=robot.links, joints=robot.joints, gravity=robot.gravity)


def _agreement(count: int) -> Row:
    """Random designs against robots of their numbers alone, whose equations run on arrays as they are written: no
    family, no compiled code. A design takes hundredths of a second instead of half of one.
    """
    with patch.object(Compiled, "compiles", lambda *_: False):
        return _compared(count)


def _compared(count: int) -> Row:
    robot = arm()
    moves = motion(robot)
    asked = [*ANSWERS, "joint2.tilting_moment", "joint3.drive:rms"]
    with patch.object(Compiled, "compiles", _COMPILES):
        study = lp.study(robot, space(count), moves, answers=asked).run()
    worst, start = 0.0, time.process_time()
    for number in range(count):
        made = alone(study, number)
        peaks = made.peak_loads(moves)
        verdict = made.verdict(moves)
        assert verdict.worst is not None
        pairs = [
            (study.answer("wrenches")[number], peaks.components.magnitude),
            (study.answer("utilisation")[number], verdict.worst.utilisation),
            (study.answer("joint2.tilting_moment")[number], peaks["joint2", "tilting_moment"].magnitude),
            (study.answer("joint3.drive:rms")[number], peaks["joint3", "drive"].rms),
        ]
        for found, expected in pairs:
            scale = np.abs(expected).max()
            worst = max(worst, float(np.abs(found - expected).max() / scale))
    each = (time.process_time() - start) / count
    return Row(f"{count:,} random designs / equations on their own numbers, largest difference", worst, at_most=1e-12,
               remark=f"of the largest number; {1e3 * each:.0f} ms each")


def _cluster(count: int) -> Row:
    """Two worker processes of a local Dask cluster against two threads: by the clock, which needs a machine at rest,
    and by the processor, this process and the workers together. Whatever they do while they wait counts, too: on a busy
    machine, where all takes longer, more of it.
    """
    from distributed import Client, LocalCluster

    robot = arm()

    def timed(run: Callable[[lp.Study], object], client: Client) -> tuple[float, float]:
        study = lp.study(robot, space(count), motion(robot), answers=ANSWERS)
        study.shapes  # noqa: B018  compiled
        before, start = time.process_time() + sum(client.run(time.process_time).values()), time.perf_counter()
        run(study)
        clock = time.perf_counter() - start
        return clock, time.process_time() + sum(client.run(time.process_time).values()) - before

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local, Client(local) as client:
        timed(lambda study: study.run(client), client)  # workers compile
        rounds = [(timed(lambda study: study.run(client), client), timed(lambda study: study.run(threads=2), client))
                  for _ in range(3)]
    there, here = (np.array([one[k] for one in rounds]).min(axis=0) for k in (0, 1))
    remark = f"{here[1]:.1f} and {there[1]:.1f} s; by the clock {here[0]:.1f} and {there[0]:.1f} s"
    return Row(f"{count:,} designs: two threads / two worker processes of Dask, processor time", here[1] / there[1],
               at_least=0.7, remark=remark)


def cart(payload: float = 0.0, mass: float = 80.0, slope: float = 0.0) -> lp.Rover:
    """A UR5 on four wheels."""
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.35, 0.35)]
    inertia = np.diag([3.0, 3.0, 4.0]) * mass / 80.0
    base = lp.WheeledBase(mass=mass, center_of_mass=(0, 0, 0.25), inertia=inertia.tolist(), wheels=wheels,
                          friction=lp.WheelFriction(0.6, 0.8, 0.01))
    return base.carrying(lp.catalog.ur5().with_payload(payload), at=(0, 0, 0.5), ground=lp.Ground(slope=slope))


def _rovers(count: int) -> list[Row]:
    """Rovers: payload, mass of the base, slope and pace, to wheel loads, margin and verdict."""
    every = lp.Space({"payload.mass": lp.span("0 kg", "8 kg"), "rover.mass": lp.span("60 kg", "140 kg"),
                      "ground.slope": lp.span("0 deg", "8 deg"), "motion.speed": lp.span(0.5, 1.0)})
    asked = ["utilisation", "margin", "wheel_load", "*.friction_used", "*.tilting_moment"]

    def of(rover: Any, moved: Any) -> dict[str, float]:
        peaks, verdict = rover.peak_loads(moved), rover.verdict(moved)
        return {"utilisation": verdict.worst.utilisation, "margin": peaks.margin.minimum[0],
                "wheel_load": peaks.wheels.maximum[:, 0].max()}

    study = lp.study(cart(), every.sobol(count, seed=1), motion(cart()), answers=asked)
    return _together("UR5 on four wheels", study, of, lambda design: cart(*(design[name] for name in every.names[:3])))


def bending(wall: float = 0.003, payload: float = 5.0) -> Any:
    """An arm with beams."""
    tube, box = lp.Tube(outer_radius=0.04, wall=wall), lp.RectangularTube(width=0.05, height=0.06, wall=0.003)
    beams_ = {"link1": lp.Beam(tube, lp.STEEL, end="joint2"), "link2": lp.Beam(box, lp.ALUMINIUM, end="tip_joint")}
    return lp.catalog.planar(2).with_payload(payload).with_beams(beams_, inertia_from_beams=True)


def _beams(count: int) -> list[Row]:
    """Arms with beams: a wall, payload and pace, to deflection and torque."""
    every = lp.Space({"link1.beam.section.wall": lp.span("2 mm", "5 mm"), "payload.mass": lp.span("0.1 kg", "8 kg"),
                      "motion.speed": lp.span(0.7, 1.0)})

    def of(arm_: Any, moved: Any) -> dict[str, float]:
        bent = np.linalg.norm(arm_.deflection(moved).tip.displacement, axis=-1).max()
        return {"deflection": bent, "joint1.drive": arm_.peak_loads(moved)["joint1", "drive"].magnitude}

    study = lp.study(bending(), every.sobol(count, seed=1), motion(bending()),
                     answers=["deflection", "joint1.drive", "mass"])
    return _together("arms with beams", study, of, lambda design: bending(*(design[name] for name in every.names[:2])))


def _together(
    what: str, study: lp.Study, of: Callable[[Any, Any], dict[str, float]], build: Callable[[Any], Any], few: int = 10
) -> list[Row]:
    """Designs at once against some of them one after the other, and against what is built of their numbers alone."""
    study.shapes  # noqa: B018  compiled
    start = time.process_time()
    study.run(threads=1)
    each = (time.process_time() - start) / len(study)
    of(study.robot_of(0), study.motion_of(0))
    start = time.process_time()
    for number in range(few):
        of(study.robot_of(number), study.motion_of(number))
    singly, worst = (time.process_time() - start) / few, 0.0
    with patch.object(Compiled, "compiles", lambda *_: False):
        for number in range(few):
            for name, expected in of(build(study.design(number)), study.motion_of(number)).items():
                worst = max(worst, abs(float(study.answer(name)[number]) / expected - 1.0))
    return [
        Row(f"{len(study):,} {what} x {STATES} states: one after the other / at once", singly / each,
            remark=f"{1e3 * singly:.1f} ms, {1e3 * each:.3f} ms a design"),
        Row(f"{few} {what} / equations on their own numbers, largest difference", worst, at_most=1e-9),
    ]


if __name__ == "__main__":
    print(*{"designs": designs, "states": states}[sys.argv[1]](int(sys.argv[2])), peak_bytes())
