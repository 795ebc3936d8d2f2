"""What the robot of a project file stands on: `[base]` with wheels makes a rover, without them it is a tilted mount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from loadpath.api import Robot
from loadpath.mobile import AntiRollBar, Contact, Rover, Suspension, WheeledBase
from loadpath.mobile.motions import BaseState
from loadpath.parts.fitting import WheelRating
from loadpath.project.document import Document, meant
from loadpath.project.grounds import friction_of, ground_of
from loadpath.project.kinds import converted, keys_of, looked_up, made_of, named_in, tuples, wheel_class, wheel_kinds
from loadpath.robot.measures import Measures
from loadpath.robot.pose import Pose
from loadpath.robot.wheels.drives import WheelDrive

MOUNT: Mapping[str, Measures] = {"position": ("length",), "rpy": ("angle",)}
OF_BODY = ("mass", "center_of_mass", "inertia", "name", "friction", "body_points", "anti_roll_bars", "guess")
KEYS = (*OF_BODY, *MOUNT, "prefix", "wheels", "ground", "motion")
MOTION: Mapping[str, Measures] = {
    "velocity": ("speed of a slide", "speed"), "acceleration": ("acceleration", "angular acceleration"),
    "heading": ("angle",), "position": ("length",), "time": ("time",), "heights": ("length",), "steering": ("angle",),
}
"""How a base moves, and what that measures."""
MOST_WHEELS = 60
"""Contacts that may lift are tried out, which takes a time that grows with the third power of their number."""


def has_wheels(document: Document) -> bool:
    """Whether the file describes a rover."""
    return "wheels" in document.table("base", KEYS)


def tilted(document: Document, robot: Robot) -> Robot:
    """The robot on its mount: gravity in the axes of the robot's base, whose rotation in the world is `rpy`."""
    table = document.table("base", KEYS)
    for key in table:
        if key not in MOUNT:
            document.refuse(f"'{key}' is of a base on wheels: add [[base.wheels]], or leave it out", ("base",), key)
    if not table:
        return robot
    if "position" in table:
        document.refuse("'position' of a fixed mount changes no load: leave it out, or add [[base.wheels]]", ("base",),
                        "position")
    rotation = _pose(document, table).R
    return robot.with_gravity(rotation.T @ robot.gravity)


def wheels_of(document: Document) -> tuple[Contact, ...]:
    """The wheels and feet of the base."""
    given = document.table("base", KEYS)["wheels"]
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        document.refuse("wheels: expected tables [[base.wheels]], each with a kind and a position", ("base",), "wheels")
    if len(given) > MOST_WHEELS:
        document.refuse(f"{len(given)} wheels and feet: expected at most {MOST_WHEELS}", ("base", "wheels"), None,
                        MOST_WHEELS)
    return tuple(_wheel(document, one, number) for number, one in enumerate(given))


def rover_of(document: Document, robot: Robot | None, wheels: tuple[Contact, ...]) -> Rover:
    """The base on its wheels and on the ground, with the robot on it."""
    table, place = document.table("base", KEYS), ("base",)
    plain = {key: table[key] for key in table if key in OF_BODY and key not in ("friction", "anti_roll_bars")}
    body = {key: tuples(value) for key, value in converted(document, plain, place, of=WheeledBase).items()}
    if "inertia" in body:
        body["inertia"] = _matrix(body["inertia"])
    if "friction" in table:
        body["friction"] = friction_of(document, table["friction"], place)
    body["anti_roll_bars"] = _bars(document, table.get("anti_roll_bars", []))
    made = made_of(document, WheeledBase, {**body, "wheels": wheels}, place)
    ground = ground_of(document, table.get("ground"))
    if robot is None:
        for key in (*MOUNT, "prefix"):
            if key in table:
                document.refuse(f"'{key}' is of the robot on the base, and there is none: add [robot]", place, key)
    pose = _pose(document, table) if robot is not None else None
    try:
        rover = made.carrying(robot, at=pose, prefix=table.get("prefix"), ground=ground)
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), place, named_in(table, str(problem)))
    return _with_ratings(document, cast(Rover, rover))


def base_motion_of(document: Document, rover: Rover) -> BaseState:
    """How the base moves: `[base.motion]`; without it, it stands."""
    given = document.table("base", KEYS).get("motion", {})
    place = ("base", "motion")
    if not isinstance(given, dict):
        document.refuse(f"motion is {given!r}: expected a table [base.motion]", ("base",), "motion")
    document.check_keys(given, MOTION, place)
    found = converted(document, given, place, of=MOTION)
    found = {key: tuples(value) for key, value in found.items()}
    try:
        somewhere = (rover.robot.home,) if rover.n else ()  # where loops are closed
        if rover.ground.motion is not None and "time" not in found:  # a motion brings its times
            rover = rover.on(replace(rover.ground, motion=None))
        if not any(key in found for key in ("position", "heights")) and rover.ground.surface is not None:
            rover = rover.on(rover.ground.plane)
        rover.ground_wrench(*somewhere, **{key: found[key] for key in found if key != "steering"})
        rover.wheel_loads(*somewhere, **cast(BaseState, found))
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), place, named_in(found, str(problem)))
    return cast(BaseState, found)


def _wheel(document: Document, given: Mapping[str, Any], number: int) -> Contact:
    place = ("base", "wheels")
    values = dict(given)
    kind = values.pop("kind", None)
    if not isinstance(kind, str):
        said = "no kind is given" if kind is None else f"kind is {kind!r}"
        document.refuse(f"{said}: expected one of {', '.join(wheel_kinds())}", place, "kind", number)
    made = looked_up(document, wheel_class, kind, (place, "kind", number))
    if made is None:
        every = wheel_kinds()
        short = [one.removesuffix(" wheel") for one in every if one.endswith(" wheel")]
        document.refuse(f"no wheel is a '{kind}'{meant(kind, [*every, *short])}", place, "kind", number)
    friction, suspension = values.pop("friction", None), values.pop("suspension", None)
    drives = {key: values.pop(key) for key in ("drive", "steering_drive") if key in values and key in keys_of(made)}
    document.check_keys(values, keys_of(made), place, number)
    values = {key: tuples(value) for key, value in converted(document, values, place, number, of=made).items()}
    if friction is not None:
        values["friction"] = friction_of(document, friction, place, number)
    for key, given_drive in drives.items():
        example = '{ peak_torque = "2 N m", ratio = 20 }'
        values[key] = _inner(document, WheelDrive, given_drive, key, example, place, number)
    if suspension is not None:
        example = "{ stiffness = \"20 N/mm\" }"
        values["suspension"] = _inner(document, Suspension, suspension, "suspension", example, place, number)
    return made_of(document, made, values, place, None, number)  # type: ignore[no-any-return]


def _bars(document: Document, given: Any) -> tuple[AntiRollBar, ...]:
    example = "{ left = \"wheel1\", right = \"wheel2\", stiffness = \"8 N/mm\" }"
    several = given if isinstance(given, list) else [given]
    return tuple(_inner(document, AntiRollBar, one, "anti_roll_bars", example, ("base",)) for one in several)


def _inner(
    document: Document, kind: type, given: Any, key: str, example: str, table: tuple[str, ...], number: int = 0
) -> Any:
    """What a table inside another one describes."""
    if not isinstance(given, dict):
        document.refuse(f"{key} is {given!r}: expected a table like {example}", table, key, number)
    return made_of(document, kind, converted(document, given, table, number, of=kind), table, key, number)


def _pose(document: Document, table: Mapping[str, Any]) -> Pose:
    """Where the robot's base link is: a position (m), and roll, pitch and yaw about fixed axes."""
    values = converted(document, {key: table[key] for key in MOUNT if key in table}, ("base",), of=MOUNT)
    try:
        return Pose.from_xyz_rpy(values.get("position", (0, 0, 0)), values.get("rpy", (0, 0, 0)))
    except (ValueError, TypeError) as problem:
        key = "position" if "xyz" in str(problem) else "rpy"
        document.refuse(str(problem).replace("xyz", "position"), ("base",), key)


def _matrix(given: Any) -> Any:
    """A tensor, from three moments or nine entries."""
    if isinstance(given, tuple) and len(given) == 3 and not any(isinstance(row, tuple) for row in given):
        return tuple(tuple(given[i] if i == j else 0.0 for j in range(3)) for i in range(3))
    return given


def _with_ratings(document: Document, rover: Rover) -> Rover:
    """The rover with the ratings of its wheels, `[[parts.wheel1]]`."""
    for name, given in document.table("parts").items():
        if name not in rover.contact_names:
            continue
        table = ("parts", name)
        several = given if isinstance(given, list) else [given]
        for number, one in enumerate(several):
            if not isinstance(one, dict):
                document.refuse(f"a rating is {one!r}: expected a table [[parts.{name}]]", table)
            if str(one.get("kind", "wheel")).lower() not in ("wheel", "wheel rating"):
                document.refuse(f"a wheel has a rating: expected kind = \"wheel\", not '{one['kind']}'", table, "kind",
                                number)
            values = converted(document, {key: one[key] for key in one if key != "kind"}, table, number, of=WheelRating)
            rating = made_of(document, WheelRating, values, table, None, number)
            try:
                rover = rover.with_parts({name: rating})
            except ValueError as problem:
                document.refuse(str(problem), table, "kind", number)
    return rover
