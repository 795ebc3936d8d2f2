"""The report of a rover: that of its robots on the moving base, and a section on wheels, tipping and slipping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from loadpath.digits import percent
from loadpath.errors import ModelError
from loadpath.mobile.base_in_space import moves_or_is_uneven
from loadpath.mobile.drawing import around
from loadpath.mobile.loads import NOTICEABLE, missing_words, shares_missing, wheel_loads, with_ground_forces
from loadpath.mobile.motions import (
    BaseState,
    as_numbers,
    base_components,
    base_state_of,
    is_in_space,
    loads_on_robot,
    refuse_unknown,
)
from loadpath.mobile.off_the_plane import OffThePlane
from loadpath.mobile.report_causes import Causes
from loadpath.mobile.report_in_space import in_space
from loadpath.mobile.report_standards import standards_section
from loadpath.mobile.slip import Slip
from loadpath.mobile.stability import Stability
from loadpath.mobile.state import state_at
from loadpath.mobile.tyres import elastic_robot, placed_for
from loadpath.motion import Motion
from loadpath.report.blocks import NONE, Block, Chart, Figure, Section, Table, number, seconds
from loadpath.report.charts import lines
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.result import Simulation
from loadpath.states import MotionLike, as_motion, count_words

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.mobile.rover import Rover


def on_ground(
    rover: Rover, motion: Motion | MotionLike | None, moving: Mapping[str, Any], hours: float | None
) -> tuple[Robot, Motion, dict[str, Any]]:
    """What the report of a rover is made of: the robots on its base, their motion (without one, a swing), and what acts
    on them while the base stands or moves as given (one state for all samples, or one for each), or as a simulation
    says; with a section on the wheels, the verdict on all of it, and what bends.
    """
    moving = dict(moving)
    tests = tuple(moving.pop("standards", None) or ())
    refuse_unknown(moving, "report")
    given = {name: value for name, value in moving.items() if value is not None}
    judged = motion = Motion.swing(rover) if motion is None else motion  # a simulation brings that of the base
    base = base_state_of(rover, motion, given, "report", knows_space=True)
    run = OffThePlane(rover, cast(Simulation, motion)) if is_in_space(motion) else None
    motion = as_motion(rover, motion, "report", counts_loads=True)
    facing = as_numbers(base.get("heading", 0.0), "heading")
    if facing.shape not in ((), (1,), motion.t.shape):
        raise ValueError(f"report: heading has the shape {facing.shape}: expected one number, or one for each of the "
                         f"{len(motion)} samples of the motion")
    gravity = rover.ground.gravity_in_base(float(facing.flat[0]))
    robot, case = rover.robot.with_gravity(gravity), loads_on_robot(rover, base, gravity=gravity)
    if rover.base.on_links:
        state = state_at(rover, motion.q, motion.qd, motion.qdd, cast(BaseState, base), "report", knows_space=True)
        case["external"] = with_ground_forces(wheel_loads(rover, state), case.get("external") or {})
    uneven = moves_or_is_uneven(rover.ground, base)
    if not (rover.ground.slope and np.ptp(facing) > 0) and not uneven:
        case.pop("gravity", None)  # which is the robot's own there
    sections = [wheels(rover, motion, base)] if run is None else [wheels(rover, motion, base), in_space(run)]
    sections += [standards_section(tests)] if tests else []
    about = _ground_and_base(rover, base) if run is None else _course(run)
    more = {"title": rover.name, "about": about, "sections": sections, "ratings": rover.ratings,
            "around": around(rover, motion, base, on_plane=run is None and not uneven),
            "judge": lambda: rover.verdict(judged, hours=hours, standards=tests, **given), **case}
    if run is None and rover.base.on_plain_springs and (rover.base.on_tyres or rover.robot.is_elastic):
        more |= _elastic(rover, motion, base, gravity)
    return robot, motion, more


def _elastic(rover: Rover, motion: Motion, base: Mapping[str, Any], gravity: Floats) -> dict[str, Any]:
    """What bends of a rover, and how its vibration is asked for."""
    state = state_at(rover, motion.q, motion.qd, motion.qdd, cast(BaseState, base), "report")
    arm = elastic_robot(rover, "report", placed_for(rover, state, "report")).with_gravity(gravity)
    return {"elastic": arm, "respond": partial(rover.respond, **base)}


def _ground_and_base(rover: Rover, base: Mapping[str, Any]) -> str:
    """A sentence on the ground and on what the base does meanwhile."""
    slope = rover.ground.slope
    facing = np.ravel(base.get("heading", 0.0)).astype(float)
    heading = f"{facing[0]:.4g} rad" if np.ptp(facing) == 0 else f"{facing.min():.4g} to {facing.max():.4g} rad"
    ground = f"On a slope of {slope:.4g} rad, heading {heading} from uphill" if slope else "On level ground"
    ground += replace(rover.ground, slope=0.0).words
    if base.get("ground_state") is not None:
        ground += ", which moves as given"
    parts = []
    for name, unit in (("velocity", "m/s, rad/s"), ("acceleration", "m/s², rad/s²")):
        rows = base_components(base.get(name, (0.0, 0.0)), name).reshape(-1, 3)
        if not rows.any():
            continue
        given = ", ".join(number(float(x)) for x in rows[0])
        parts.append(f"{name} ({given}) {unit}" if (rows == rows[0]).all() else f"{name} changing with time")
    return f"{ground}, the base {'moving: ' + '; '.join(parts) if parts else 'standing'}."


def _course(run: OffThePlane) -> str:
    """A sentence on the ground and on what became of the base."""
    slope = run.rover.ground.slope
    ground = f"On a slope of {slope:.4g} rad" if slope else "On level ground"
    return f"{ground}{replace(run.rover.ground, slope=0.0).words}, as simulated: the base {run.words}."


def wheels(rover: Rover, motion: Motion, base: dict[str, Any]) -> Section:
    """Loads of the wheels over time, the margin against tipping, and how much of the friction is used."""
    states = motion.q, motion.qd, motion.qdd
    with collected_warnings() as said:
        loads, stability = rover.wheel_loads(*states, **base), rover.stability(*states, **base)
        slip = _slip(rover, states, base, said)
    names, t = rover.contact_names, motion.t
    blocks: list[Block] = [
        lines("Normal forces of the wheels", t, _columns(names, loads.normal), "N"),
        lines("Distance of the zero-moment point from the nearest edge", t, {"margin": stability.margin}, "m"),
    ]
    ratio = None if slip is None else slip.ratio
    if ratio is not None:
        blocks.append(_friction_chart(t, names, 100 * ratio))
    rows = [
        [name, _extreme(loads.normal[:, k], t), _extreme(-loads.normal[:, k], t, -1.0),
         _extreme(np.abs(loads.longitudinal[:, k]), t), _extreme(np.abs(loads.lateral[:, k]), t),
         NONE if ratio is None else _used(ratio[:, k], loads.normal[:, k], t)]
        for k, name in enumerate(names)
    ]
    columns = ["contact", "largest normal", "smallest normal", "longitudinal", "lateral", "friction used"]
    note = (
        f"N; the largest magnitudes of the friction forces. Friction used is the force along the ground, as a share of "
        "the friction coefficient times the normal force at that instant: a wheel that hardly stands on the ground has "
        f"hardly any friction, so a small force is many times what it can hold. Above 100 % it slips."
        f"{_left_out(loads.unknown)}"
    )
    blocks.append(Table("Wheels", columns, rows, note))
    free = base.get("in_space") is not None
    if free:
        said.append("In the simulation the base is a free body: the forces of the ground are those of the simulation, "
                    "and the loads of wheels by cause are not on this page.")
    elif rover.base.on_plain_springs:
        causes = Causes(rover, motion, base, loads, stability, slip)
        blocks += causes.blocks()
        said += [text for text in dict.fromkeys(causes.left_out) if text not in said]
    else:
        blocks += _posture(rover, states, t, base)
        said.append("The base stands on springs with preload, ends of travel, unsprung masses or anti-roll bars: what "
                    "they do is in the loads and margins; loads by cause, deflections and vibrations are not on this "
                    "page (rover.deflection, rover.ride_modes).")
    if shares_missing(loads).max(initial=0.0) > NOTICEABLE:
        said = [text for text in said if "and no drive gives" not in text]
        said.append(f"The wheels cannot make the base stand or move as given: up to {missing_words(loads.unsupplied)} "
                    f"are missing{_why(rover)}. It rolls away under the robot; rover.roll and rover.simulate show how."
                    )
    figures = _figures(motion, loads.normal, stability, ratio, names)
    if not free and (rover.base.on_tyres or rover.robot.is_elastic):
        with collected_warnings() as more:
            sagging = asked_for(lambda: rover.stability(*states, deflected=True, **base), more)
        said += [text for text in more if text not in said]
        if sagging is not None:
            figures.insert(1, _deflected_margin(sagging, motion))
    return Section("Wheels", "", blocks, figures, said)


def _posture(rover: Rover, states: tuple[Floats, ...], t: Floats, base: dict[str, Any]) -> list[Block]:
    """How a base stands on its springs over time."""
    with collected_warnings():
        stands = rover.posture(*states, **base)
    angles = {"roll": np.degrees(stands.roll), "pitch": np.degrees(stands.pitch)}
    return [
        lines("Roll and pitch on the springs", t, angles, "deg"),
        lines("Deflection of the suspensions, bump positive", t, _columns(rover.contact_names, 1e3 * stands.suspension),
              "mm"),
    ]


def _deflected_margin(sagging: Stability, motion: Motion) -> Figure:
    words = "Tipping margin, deflected"
    if sagging.unknown.all():
        return Figure(words, NONE, f"not known.{_left_out(sagging.unknown)}", True)
    k = int(np.nanargmin(sagging.margin))
    note = f"with the mass where beams, joints and tyres let it sag to, at {motion.t[k]:.3g} s"
    return Figure(words, f"{number(float(sagging.margin[k]))} m", note, bool(np.any(sagging.tips_over)))


def _why(rover: Rover) -> str:
    loose = "" if rover.base.on_links else rover.rotation_axis().loose_words()
    return f" ({loose})" if loose else ""


def _slip(rover: Rover, states: tuple[Floats, ...], base: dict[str, Any], said: list[str]) -> Slip | None:
    try:
        return rover.slip(*states, **base)
    except ModelError as problem:
        said.append(str(problem))
        return None


CHART_TO = 200.0
"""%: friction beyond this is cut off in charts, where an unloaded wheel would hide all others."""
UNLOADED = 0.1
"""Of a wheel's mean load: with less, it hardly stands on the ground."""


def _friction_chart(t: Floats, names: tuple[str, ...], percent: Floats) -> Chart:
    chart = lines("Friction used of what there is", t, _columns(names, percent), "%")
    if not np.nanmax(np.where(np.isfinite(percent), percent, CHART_TO + 1), initial=0.0) > CHART_TO:
        return chart
    layout = {**chart.layout, "yaxis": {**chart.layout["yaxis"], "range": [0, CHART_TO]}}
    note = f"Cut off at {CHART_TO:g} %: beyond are wheels that hardly stand on the ground; the table has their largest."
    return replace(chart, layout=layout, note=note)


def _extreme(values: Floats, t: Floats, sign: float = 1.0) -> str | tuple[str, str]:
    """The largest of the values, with its time; `sign` turns those of which the smallest is wanted."""
    if np.isnan(values).all():
        return NONE
    k = int(np.nanargmax(values))
    return number(sign * float(values[k])), seconds(float(t[k]))


def _used(ratio: Floats, normal: Floats, t: Floats) -> str | tuple[str, str]:
    if np.isnan(ratio).all():
        return NONE
    k = int(np.nanargmax(ratio))
    return _percent(float(ratio[k])), f"{seconds(float(t[k]))}, on {number(float(normal[k]))} N"


def _left_out(unknown: Bools) -> str:
    words = count_words(unknown)
    return f" Left out: {words}." if words else ""


def _percent(share: float) -> str:
    return NONE if np.isnan(share) else percent(share)


def _columns(names: tuple[str, ...], values: Floats) -> dict[str, Floats]:
    return {name: values[:, k] for k, name in enumerate(names)}


def _joules_and_degrees(motion: Motion, stability: Stability) -> list[Figure]:
    """The margins by energy and by tilt, each where it is least."""
    energy, tilt = stability.energy_margin, np.degrees(stability.tilt_margin)
    i, j = int(np.nanargmin(energy)), int(np.nanargmin(tilt))
    over, about = (np.asarray(names)[k] for names, k in ((stability.energy_edge, i), (stability.tilt_edge, j)))
    falls = bool(np.any(stability.falls))
    stops = "it may fall if its motion stops dead there" if falls else "if its motion stops dead it does not fall"
    return [
        Figure("Energy left to tipping over", f"{number(float(energy[i]))} J",
               f"work over the edge {', '.join(over)} less the motion towards it, at {motion.t[i]:.3g} s: {stops}"),
        Figure("Tilt left to tipping over", f"{number(float(tilt[j]))}°",
               f"of the ground about the edge {', '.join(about)}, at {motion.t[j]:.3g} s"),
    ]


def _figures(
    motion: Motion, normal: Floats, stability: Stability, ratio: Floats | None, names: tuple[str, ...]
) -> list[Figure]:
    missing = _left_out(stability.unknown)
    tips = bool(np.any(stability.tips_over))
    if stability.unknown.all():
        return [Figure("Smallest tipping margin", NONE, f"not known.{missing}", True)]
    k = int(np.nanargmin(stability.margin))
    edge = stability.edges[int(stability.edge_number[k])]
    words = f"over the edge {', '.join(edge)}, at {motion.t[k]:.3g} s{missing}"
    figures = [Figure("Smallest tipping margin", f"{number(float(stability.margin[k]))} m", words, tips),
               *_joules_and_degrees(motion, stability)]
    when, wheel = np.unravel_index(int(np.nanargmax(normal)), normal.shape)
    figures.append(Figure("Largest wheel load", f"{number(float(normal[when, wheel]))} N",
                          f"{names[wheel]}, at {motion.t[when]:.3g} s"))
    if ratio is not None and not np.isnan(ratio).all():
        when, wheel = np.unravel_index(int(np.nanargmax(ratio)), ratio.shape)
        most, load = float(ratio[when, wheel]), float(normal[when, wheel])
        note = f"{names[wheel]}, at {seconds(float(motion.t[when]))}"
        if load < UNLOADED * float(np.nanmean(normal[:, wheel])):
            note += f", while it carries only {number(load)} N: a wheel that hardly stands on the ground has hardly any"
        figures.append(Figure("Most friction used", _percent(most), note, most > 1 or bool(np.isnan(ratio).any())))
    return figures
