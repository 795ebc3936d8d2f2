"""`loadpath simulate`: a robot, flexible arm or rover left to itself, held, or driven by torques from a file."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, InDegrees, Positions, RobotName, Speeds, TakeGuess

if will_run():
    import numpy as np
    from rich.console import RenderableType

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import (
        busy,
        errors_reported,
        heading,
        print_notes,
        print_warnings,
        show,
        terminal,
        wrote,
    )
    from loadpath.cli.robots import Named, find
    from loadpath.cli.states import HOLD, ZERO, asked_state, base_numbers, torques_of
    from loadpath.cli.tables import Sheet, slides, titled
    from loadpath.printable import printable
    from loadpath.scalars.types import Floats
    from loadpath.tables import write_table
    from loadpath.whole_file import check_writable, write_whole

ENDINGS = (".csv", ".npz")
MOST_EVENTS = 20
ENERGIES = ("kinetic", "potential", "drive_work", "wheel_work", "external_work", "dissipated", "sliding_heat",
            "rolling_heat", "joint_heat")
"""What is reported of energy, where the simulation has it."""


def simulate(
    robot: RobotName = "panda",
    *,
    q: Positions = None,
    qd: Speeds = None,
    degrees: InDegrees = None,
    yes: TakeGuess = False,
    torque: Annotated[
        str,
        typer.Option(
            help="Forces of the drives: 'zero', 'hold' (what holds the robot at the start), or a CSV file with the "
            "columns t and the names of the drives, as loadpath loads --csv writes."
        ),
    ] = "zero",
    duration: Annotated[float, typer.Option(help="How long (s).")] = 1.0,
    rate: Annotated[float, typer.Option(min=1e-3, max=1e6, help="Samples a second of the result.")] = 100.0,
    velocity: Annotated[
        str | None, typer.Option(help="Of a rover, the velocity of its base at the start: v,w or vx,vy,w (m/s, rad/s).")
    ] = None,
    carried: Carried,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="A file to write, .csv or .npz: positions, speeds, forces, energies."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The motion from a state: a summary with energies and events, and all of it in a file."""
    with errors_reported():
        if output is not None:
            _check_output(output)
        if not duration > 0:
            raise ValueError(f"duration is {duration:g} s: expected more than zero")
        named = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            with busy(f"Simulating {named.robot.name} ..."):
                made = _simulated(named, (q, qd, None, degrees, yes), torque, duration, rate, velocity)
        if output is not None:
            _write(made, output)
    messages = [*named.warnings, *(str(warning.message) for warning in caught)]
    if as_json:
        print_json(**_as_json(named, made), file=output, warnings=messages)
        return
    show(terminal(), *_shown(named, made, torque, carried.payload))
    print_notes(named.carried_on(carried))
    print_warnings(messages)
    if output is not None:
        wrote(output)


def _simulated(
    named: Named,
    start: tuple[str | None, str | None, str | None, bool | None, bool],
    torque: str,
    duration: float,
    rate: float,
    velocity: str | None,
) -> Any:
    """The simulation of a robot, or of a rover with its base."""
    options: dict[str, Any] = {"sample_rate": rate, "external": named.external}
    robot = named.robot
    subject: Any = robot if named.rover is None else named.rover
    if named.rover is not None:
        typed = base_numbers("--velocity", velocity)
        options["velocity"] = named.base_state.get("velocity") if typed is None else typed
        options["pose"] = (0.0, 0.0, named.heading)
    elif velocity is not None:
        raise ValueError(f"--velocity is of the base of a rover: '{robot.name}' is fixed")
    if not robot.n:
        if named.rover is None:
            raise ValueError(f"robot '{robot.name}' has no moving joints")
        return subject.simulate(duration=duration, **options)
    state = asked_state(robot, *start)
    if torque == ZERO:
        given: Any = None
    elif torque == HOLD:
        still = np.zeros(robot.n)
        given = np.asarray(robot.inverse_dynamics(state[0], still, still, external=named.external))
    else:
        options["torque_times"], given = torques_of(robot, torque, duration)
    return subject.simulate(state[0], state[1], given, duration, **options)


# What is printed


def _shown(named: Named, made: Any, torque: str, payload: float) -> list[RenderableType]:
    words = {ZERO: "without forces of the drives", HOLD: "with the drive forces that hold it at the start"}
    ends = {"tipped": "tips over", "rocks": "rocks", "stopped": "stopped"}
    ended = next((f", where it {text}" for name, text in ends.items() if getattr(made, name)), "")
    parts: list[RenderableType] = [
        heading(named.robot, payload),
        printable(f"{made.times[-1]:.4g} s {words.get(torque, f'with the drive forces of {torque}')}{ended}: "
                  f"{made.steps:,} steps of the integrator."),
        "",
    ]
    if named.robot.n:
        parts.append(_joint_table(named.robot, made))
    if made.pose is not None:
        x, y, turned = made.pose[-1]
        parts.append(f"The base ends at x {x:.4g} m, y {y:.4g} m, heading {turned:.4g} rad; smallest margin against "
                     f"tipping {np.nanmin(made.margin):.4g} m.")
        parts.append("")
    parts.append(_energy_table(made))
    events = list(made.events)
    if events:
        parts += [printable(str(event)) for event in events[:MOST_EVENTS]]
        if len(events) > MOST_EVENTS:
            parts.append(f"and {len(events) - MOST_EVENTS} more events")
    return parts


def _joint_table(robot: lp.Robot, made: Any) -> RenderableType:
    table = Sheet(["joint", "from", "to", "smallest", "largest", "fastest"])
    names = robot.coordinate_names if robot.nq != robot.n else robot.dof_names
    sliding = slides(robot)
    for k, name in enumerate(names):
        known = robot.nq == robot.n
        unit = (" m" if sliding[k] else " rad") if known else ""
        speed = f"{np.abs(made.qd[:, k]).max():.4g}{unit}/s" if known else "-"
        values = made.q[:, k]
        cells = [f"{x:.4g}{unit}" for x in (values[0], values[-1], values.min(), values.max())]
        table.add_row(name, *cells, speed)
    return titled("Positions over the simulation", table)


def _energy_table(made: Any) -> RenderableType:
    table = Sheet(["energy", "start (J)", "end (J)", "largest (J)"])
    for name, values in _energies(made).items():
        table.add_row(name.replace("_", " "), *(f"{x:.5g}" for x in (values[0], values[-1], values.max())))
    residual = float(np.abs(made.energy_residual).max())
    return titled(f"Energy; what does not balance, from integration alone: {residual:.2g} J", table)


def _energies(made: Any) -> dict[str, Floats]:
    return {name: np.asarray(getattr(made, name)) for name in ENERGIES
            if getattr(made, name) is not None}


# What is written


def _check_output(path: str) -> None:
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"'{path}' ends in '{ending}': expected .csv or .npz")
    check_writable(path)


def _columns(made: Any) -> dict[str, tuple[tuple[str, ...], Floats]]:
    """Arrays by their names, with the names of their columns."""
    dofs = made.dof_names
    found: dict[str, tuple[tuple[str, ...], Floats]] = {"q": (made.coordinate_names, made.q)}
    for name in ("qd", "qdd", "tau", "friction"):
        if getattr(made, name) is not None:
            found[name] = (tuple(dofs), np.asarray(getattr(made, name)))
    if made.pose is not None:
        found["base"] = (("x", "y", "heading"), made.pose)
        for name in ("normal", "longitudinal", "lateral"):
            found[name] = (made.contact_names, np.asarray(getattr(made, name)))
        found["margin"] = (("",), made.margin[:, None])
    return found | {name: (("",), values[:, None]) for name, values in _energies(made).items()}


def _write(made: Any, path: str) -> None:
    arrays = _columns(made)
    if Path(path).suffix.lower() == ".csv":
        heads = [f"{name}.{column}" if column else name for name, (columns, _) in arrays.items() for column in columns]
        values = np.concatenate([made.times[:, None], *(part for _, part in arrays.values())], axis=1)
        write_table(path, ["t", *heads], values.tolist())
        return
    dofs = np.array(made.dof_names)
    every: dict[str, Any] = {"t": made.times, **{name: part for name, (_, part) in arrays.items()},
                             "coordinate_names": np.array(arrays["q"][0]), "dof_names": dofs}
    content = io.BytesIO()
    np.savez(content, **every)
    write_whole(path, lambda file: file.write(content.getvalue()))


def _as_json(named: Named, made: Any) -> dict[str, Any]:
    events = [{"time": event.time, "kind": event.kind, "part": event.part, "cause": event.cause}
              for event in made.events]
    energies = {name: {"start": part[0], "end": part[-1], "max": part.max()} for name, part in _energies(made).items()}
    ends = {name: dict(zip(columns, part[-1].tolist(), strict=True))
            for name, (columns, part) in _columns(made).items() if name in ("q", "qd")}
    return {"robot": named.robot.name, "duration": made.times[-1], "samples": len(made.times), "steps": made.steps,
            "stopped": bool(made.stopped), "tipped": made.tipped,
            "rocks": made.rocks, "end": ends,
            "energies": energies, "energy_residual": float(np.abs(made.energy_residual).max()),
            "events": events}
