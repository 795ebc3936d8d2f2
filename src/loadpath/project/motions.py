"""From the tables of a project file to its motion: a log, a swing, points, or several cycles with their shares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from loadpath.api.robot import Robot
from loadpath.motion import Motion
from loadpath.motion.carried import Carried
from loadpath.motion.spectrum import DutySpectrum
from loadpath.motion.with_units import THROUGH, through_in_si
from loadpath.project.document import Document, meant
from loadpath.project.kinds import converted, file_of, tuples
from loadpath.robot.measures import Measures

READERS = {".csv": "from_csv", ".tsv": "from_csv", ".txt": "from_csv", ".npz": "from_npz", ".parquet": "from_parquet"}
WAYS = ("file", "swing", "through")
OF_MOTIONS: Mapping[str, Measures] = {
    "file": (), "swing": (), "duration": ("time",), "repeat": ("plain number",), "speed": ("share",),
    "loads": (Carried,), "share": ("share",), "name": (),
}


def motion_of(document: Document, robot: Robot) -> Motion | DutySpectrum | None:
    """The motion of the file, or the spectrum of its cycles; None if it gives none."""
    cycles = document.content.get("cycle", [])
    if "motion" in document.content and cycles:
        document.refuse("there is a [motion] already: give one motion, or several [[cycle]] with their shares",
                        ("cycle",))
    if not cycles:
        if "motion" not in document.content:
            return None
        return _motion(document, robot, document.table("motion"), ("motion",), 0)
    if not isinstance(cycles, list) or not all(isinstance(one, dict) for one in cycles):
        document.refuse("expected tables [[cycle]], each with a file and a share", ("cycle",))
    pairs, names = [], []
    for number, one in enumerate(cycles):
        if "share" not in one and len(cycles) > 1:
            document.refuse("no share is given: expected share = 0.7, of the time", ("cycle",), None, number)
        share = converted(document, {"share": one.get("share", 1.0)}, ("cycle",), number, of=OF_MOTIONS)["share"]
        pairs.append((_motion(document, robot, one, ("cycle",), number), share))
        names.append(str(one.get("name", Path(str(one.get("file", f"cycle {number + 1}"))).stem)))
    try:
        return DutySpectrum(pairs, names if len(set(names)) == len(names) else None)
    except ValueError as problem:
        document.refuse(str(problem), ("cycle",))


def _motion(document: Document, robot: Robot, given: dict[str, Any], table: tuple[str, ...], number: int) -> Motion:
    ways = [key for key in WAYS if key in given]
    if len(ways) != 1:
        said = 'expected one of file = "log.csv", swing = true, or through = [[0, 0], [1, 0.5]]'
        document.refuse(said, table, ways[-1] if ways else None, number)
    if "share" in given and table == ("motion",):
        document.refuse("share is that of one of several motions: expected it in [[cycle]]", table, "share", number)
    if "duration" in given and (other := next((key for key in ("speed", "times") if key in given), "")):
        said = f"duration and {other} both say how fast it is: expected one of them"
        document.refuse(said, table, "duration", number)
    options = {key: value for key, value in given.items() if key not in OF_MOTIONS}
    values = converted(document, {key: given[key] for key in given if key in OF_MOTIONS}, table, number, of=OF_MOTIONS)
    try:
        if ways == ["swing"]:
            document.check_keys(given, OF_MOTIONS, table, number)
            if given["swing"] is not True:
                said = f"swing is {given['swing']!r}: expected swing = true, or a file"
                document.refuse(said, table, "swing", number)
            found = Motion.swing(robot, duration=values.get("duration"))
        elif ways == ["through"]:
            document.check_keys(given, (*THROUGH, *OF_MOTIONS), table, number)
            chosen = _points(document, robot, {key: given[key] for key in THROUGH if key in given}, table, number)
            found = Motion.through(robot, chosen.pop("through"), **chosen)
        else:
            path = file_of(document, given["file"], table, number)
            read = getattr(Motion, READERS.get(path.suffix.lower(), ""), None)
            if read is None:
                said = f"files ending in '{path.suffix}' are no motions: there are {', '.join(READERS)}"
                document.refuse(said, table, "file", number)
            takes = [name for name in inspect.signature(read).parameters if name not in ("path", "robot")]
            document.check_keys(given, (*takes, *OF_MOTIONS), table, number)
            found = read(path, robot, **options)
        return _changed(found, values, document, table, number)
    except (ValueError, TypeError) as problem:
        if str(problem).startswith(str(document.path)):
            raise
        document.refuse(str(problem), table, ways[0], number)


def _points(
    document: Document, robot: Robot, given: Mapping[str, Any], table: tuple[str, ...], number: int
) -> dict[str, Any]:
    """Points and limits of a motion through them in SI units, those of each joint in units of what it does."""

    found = {}
    for key, value in given.items():
        try:
            found[key] = through_in_si(robot, key, value)
        except ValueError as problem:
            document.refuse(str(problem), table, key, number)
    return found


def _changed(
    motion: Motion, given: Mapping[str, Any], document: Document, table: tuple[str, ...], number: int
) -> Motion:
    """At another pace, with its loads, repeated."""
    for pace in ("duration", "speed"):
        if pace in given and (pace == "speed" or "swing" not in given):  # a swing is made for its duration
            motion = _with(document, table, number, pace, partial(motion.scaled, **{pace: given[pace]}))
    if "loads" in given:
        every = given["loads"]
        if not isinstance(every, list) or not all(isinstance(one, dict) for one in every):
            document.refuse(f"loads is {every!r}: expected a list, like [{{ mass = 2.0, from = 0.4, to = 1.2 }}]",
                            table, "loads", number)
        loads = [_load(document, one, table, number) for one in every]
        motion = _with(document, table, number, "loads", lambda: motion.with_loads(loads))
    return _with(document, table, number, "repeat", lambda: motion.repeated(given["repeat"])) if "repeat" in given \
        else motion


def _load(document: Document, given: Mapping[str, Any], table: tuple[str, ...], number: int) -> Carried:
    """A load of a motion; `from` is a word of Python's, and `from_` there."""
    names = [("from" if part.name == "from_" else part.name) for part in fields(Carried)]
    for name in given:
        if name not in names:
            document.refuse(f"'{name}' is not known of a load{meant(name, names)}", table, "loads", number)
    if "mass" not in given:
        document.refuse("a load needs its mass, in kg", table, "loads", number)
    values = {("from_" if key == "from" else key): tuples(value) for key, value in given.items()}
    return _with(document, table, number, "loads", lambda: Carried(**values))  # type: ignore[no-any-return]


def _with(document: Document, table: tuple[str, ...], number: int, key: str, make: Callable[[], Any]) -> Any:
    """What is made of the value of a key, its errors with their place."""
    try:
        return make()
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), table, key, number)
