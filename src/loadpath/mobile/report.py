"""The report of a rover: that of its robots on the moving base, and a section on wheels, tipping and slipping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.loads.wrench import Wrench
from loadpath.mobile.motions import Steering, base_state_of, motion_of_base
from loadpath.mobile.stability import Stability
from loadpath.motion import Motion
from loadpath.report.blocks import Block, Figure, Section, Table
from loadpath.report.charts import lines
from loadpath.report.peaks import NONE, number
from loadpath.report.report import Report, report, spread
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import MotionLike, as_motion

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


MOST_SAMPLES = 400


def rover_report(
    rover: Rover,
    motion: Motion | MotionLike | None = None,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    heading: ArrayLike | None = None,
    steering: Steering = None,
    external: Mapping[str, Wrench] | None = None,
    title: str | None = None,
    about: str = "",
    notes: Sequence[str] = (),
) -> Report:
    """The report of the robots on a rover over a motion of theirs, while the base stands or moves as given (one state
    for all samples, or one for each), or over a simulation, which has the motion of the base: with the loads of the
    wheels, the margins against tipping, the friction used. `about` and `notes` are as in the report of a robot.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().report()
    <report 'rover': Overview, Drives, Joints, Where the loads come from, Wheels>
    """
    given = {"velocity": velocity, "acceleration": acceleration, "heading": heading, "steering": steering}
    base = base_state_of(motion, given)
    facing = np.asarray(base.get("heading", 0.0), dtype=float)
    if facing.ndim and (heading is not None or (rover.ground.slope and np.ptp(facing) > 0)):
        raise ValueError("a report has one heading for the whole motion")
    motion = Motion.swing(rover.robot) if motion is None else as_motion(rover, motion, "report")
    robot = rover.robot.with_gravity(rover.ground.gravity_in_base(float(facing.flat[0])))
    moved: dict[str, Any] = {}
    if "velocity" in base or "acceleration" in base:
        still = np.zeros(3)
        moved = motion_of_base(base.get("velocity", still), base.get("acceleration", still))
    section = wheels(rover, motion, {**base, "external": external})
    words: dict[str, Any] = {"title": title or rover.name, "about": about, "notes": notes}
    return report(robot, motion, external=external, sections=[section], **words, **moved)


def wheels(rover: Rover, motion: Motion, base: dict[str, Any]) -> Section:
    """Loads of the wheels over time, the margin against tipping, and how much of the friction is used."""
    state = motion.q, motion.qd, motion.qdd
    loads, stability = rover.wheel_loads(*state, **base), rover.stability(*state, **base)
    few, names = spread(len(motion), MOST_SAMPLES), rover.contact_names
    t = motion.t[few]
    blocks: list[Block] = [
        lines("Normal forces of the wheels", t, _columns(names, loads.normal[few]), "N"),
        lines("Distance of the zero-moment point from the nearest edge", t, {"margin": stability.margin[few]}, "m"),
    ]
    ratio, warnings = None, []
    short = np.linalg.norm(loads.unsupplied[:, :2], axis=-1)
    if short.max() > 1e-6 * loads.normal.sum(axis=-1).max():
        missing = number(float(short.max()))
        warnings.append(f"The wheels cannot make the base stand or move as given: up to {missing} N are missing. It "
                        "rolls away under the robot; rover.roll and rover.simulate show how.")  # fmt: skip
    try:
        ratio = rover.slip(*state, **base).ratio
        blocks.append(lines("Friction used of what there is", t, _columns(names, 100 * ratio[few]), "%"))
    except ModelError as problem:
        warnings.append(str(problem))
    rows = [
        [name, number(float(loads.normal[:, k].max())), number(float(loads.normal[:, k].min())),
         number(float(np.abs(loads.longitudinal[:, k]).max())), number(float(np.abs(loads.lateral[:, k]).max())),
         NONE if ratio is None else f"{100 * ratio[:, k].max():.0f} %"]
        for k, name in enumerate(names)
    ]  # fmt: skip
    columns = ["contact", "largest normal", "smallest normal", "longitudinal", "lateral", "friction used"]
    blocks.append(Table("Wheels", columns, rows, "N; the largest magnitudes of the friction forces."))
    return Section("Wheels", "", blocks, _figures(motion, loads.normal, stability, ratio, names), warnings)


def _columns(names: tuple[str, ...], values: Floats) -> dict[str, Floats]:
    return {name: values[:, k] for k, name in enumerate(names)}


def _figures(
    motion: Motion, normal: Floats, stability: Stability, ratio: Floats | None, names: tuple[str, ...]
) -> list[Figure]:
    k = int(np.argmin(stability.margin))
    edge = stability.edges[int(stability.edge_number[k])]
    words = f"over the edge {edge[0]}, {edge[1]}, at {motion.t[k]:.3g} s"
    tips = bool(np.any(stability.tips_over))
    figures = [Figure("Smallest tipping margin", f"{number(float(stability.margin[k]))} m", words, tips)]
    when, wheel = np.unravel_index(int(np.argmax(normal)), normal.shape)
    figures.append(Figure("Largest wheel load", f"{number(float(normal[when, wheel]))} N",
                          f"{names[wheel]}, at {motion.t[when]:.3g} s"))  # fmt: skip
    if ratio is not None:
        when, wheel = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        most = float(ratio[when, wheel])
        figures.append(Figure("Most friction used", f"{100 * most:.0f} %" if np.isfinite(most) else "all",
                              f"{names[wheel]}, at {motion.t[when]:.3g} s", most > 1))  # fmt: skip
    return figures
