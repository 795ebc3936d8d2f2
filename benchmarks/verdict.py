"""From a log to a verdict: ten minutes of a robot's log, and a year's spectrum in little memory; one core."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import loadpath as lp
from benchmarks.memory import peak_bytes
from benchmarks.report import Row

RATE = 125.0
"""Samples a second of a log."""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    counts = (7_500, 20_000) if quick else (75_000, 1_000_000)
    robot = cell()
    robot.verdict(motion(robot, 500))  # compiled
    log = motion(robot, counts[0])
    begin = time.process_time()
    robot.verdict(log, hours=20_000)
    seconds = time.process_time() - begin
    diagrams = [_diagram(arm) for arm in (lp.catalog.ur5(), robot.without_payload())]
    long, memory = (float(number) for number in _alone(counts[1]))
    return [
        Row("payload diagram, 50 x 50 offsets, 1,000 states, limits of forces", diagrams[0], "s", at_most=1.0,
            remark="UR5: 6 efforts, radial force and tilting moment of 6 joints"),
        Row("payload diagram, 50 x 50 offsets, 1,000 states, all limits", diagrams[1], "s", at_most=1.0,
            remark="UR5: the same, and 4 parts"),
        Row(f"{counts[0]:,} samples to a verdict", seconds, "s", at_most=10.0, remark="UR5, 36 checks, compiled"),
        Row(f"{counts[1]:,} samples to a verdict", long, "s", remark="compiling included"),
        Row(f"{counts[1]:,} samples, largest memory of the process", memory, "MB", at_most=500.0,
            remark="the samples take 144 MB of a million"),
    ]


def cell() -> lp.Robot:
    """A UR5 with 3 kg, drive trains, and the parts of its second joint."""
    arm = lp.catalog.ur5().with_payload(3.0)
    drive = lp.Drive(ratio=101, rotor_inertia=3e-5, efficiency=0.75, torque_constant=0.1, resistance=0.5)
    gear = lp.StrainWaveGear(ratio=101, rated_torque=67, rated_speed=209, rated_life=35_000, average_torque=108,
                             peak_torque=157, average_input_speed=366, max_input_speed=586)
    return arm.with_drives(dict.fromkeys(arm.dof_names, drive)).with_parts({
        "shoulder_lift_joint": [lp.CrossedRollerBearing(C=29.1e3, C0=50e3, dp=0.11), gear,
                                lp.Motor(continuous_torque=1.2, peak_torque=3.5, max_speed=400.0)],
        "elbow_joint": [lp.BoltedFlange(bolts=8, circle=0.09, preload=8e3, proof_load=12e3, friction=0.15)],
    })


def _diagram(robot: lp.Robot) -> float:
    """Seconds of a payload diagram, compiled."""
    log = motion(robot, 1000)
    limits = {name: {"tilting_moment": 400.0, "radial_force": 2000.0} for name in robot.dof_names}
    offsets = np.linspace(0, 0.5, 50), np.linspace(0, 0.5, 50)
    seconds = []
    for _ in range(2):
        begin = time.process_time()
        robot.payload_diagram(log, offsets=offsets, directions=("z", "x"), limits=limits, hours=20_000)
        seconds.append(time.process_time() - begin)
    return min(seconds)


def motion(robot: lp.Robot, samples: int) -> lp.Motion:
    """So many samples of one cycle over and over."""
    ends = [[0, -1.5, 1.5, -1.5, -1.5, 0], [1.4, -1, 1, -1.5, -1.5, 0.8], [0, -1.5, 1.5, -1.5, -1.5, 0]]
    one = lp.Motion.through(robot, ends, acceleration=6, rate=RATE)
    times = -(-samples // len(one.t))
    q, qd, qdd = (np.tile(part, (times, 1))[:samples] for part in (one.q, one.qd, one.qdd))
    return lp.Motion.from_checked(np.arange(samples) / RATE, q, qd, qdd, robot)


def _alone(samples: int) -> list[str]:
    """Seconds and megabytes of a verdict in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.verdict", str(samples)], capture_output=True, text=True,
                          check=True)
    return done.stdout.split()


def _measure(samples: int) -> None:
    robot = cell()
    log = motion(robot, samples)
    begin = time.process_time()
    robot.verdict(log, hours=20_000)
    seconds = time.process_time() - begin
    print(seconds, peak_bytes() / 1e6)


if __name__ == "__main__":
    _measure(int(sys.argv[1]))
