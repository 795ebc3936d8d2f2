"""Exceptional cases in a project file: `[[exception]]`, each with its kind and what that takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from loadpath.exceptional.kinds import KINDS, options_of
from loadpath.exceptional.static import STATES, states_in_si
from loadpath.parts.motors.brake import Brake
from loadpath.parts.verdict.exceptions import ExceptionalCase
from loadpath.project.document import Document, meant
from loadpath.project.kinds import converted, made_of, named_in
from loadpath.project.reading import AtKey, part_of
from loadpath.quantities.wrench import Wrench
from loadpath.robot.measures import Measures

if TYPE_CHECKING:
    from loadpath.api.robot import Robot

PLACE = ("exception",)
OF_ALL: Mapping[str, Measures] = {"name": (), "kind": (), "cycle": (), "count": ("plain number",)}
"""Keys of every case."""
MEASURES: Mapping[str, Measures] = {
    "at": ("time",), "delay": ("time",), "longest": ("time",), "reaction_time": ("time",), "release_time": ("time",),
    "payload": ("mass",), "mass": ("mass",), "center_of_mass": ("length",), "point": ("length",),
    "torques": ("torque", "force"), "threshold": ("torque", "force"), "torque": ("torque", "force"),
    "stiffness": ("stiffness",), "damping": ("damping of a slide",), "force_limit": ("force",),
    "pressure_limit": ("stress",), "area": ("area",), "factor": ("share",), "direction": ("plain number",),
}
"""What options measure; others are words, yes or no, or have a reader of their own."""
OF_KINDS: Mapping[tuple[str, str], Measures] = {("jam", "stiffness"): ("torsional stiffness", "stiffness")}
"""Those that measure something else there."""
BY_JOINT = ("delay", "torques", "threshold", "brakes", "factor")
"""Options that are tables by joint, or may be."""


class CaseOfFile(ExceptionalCase):
    """A case of a project file: what is wrong with it has its place there."""

    document: Document
    number: int

    def refuse(self, problem: Exception) -> NoReturn:
        """The error of what cannot be computed, with its line."""
        said = str(problem)
        self.document.refuse(said, PLACE, _meant(said, self.options), self.number)


def _meant(said: str, options: Mapping[str, object]) -> str | None:
    """The option that an error is about, if it names one; some of their names are words of any sentence."""
    words = {"at": " instant ", "brakes": "brake of '"}
    words |= {"brakes": "brake at '"} if "brake at '" in said else {}
    for key in options:
        if f"'{key}'" in said or f"{key} is " in said or (key in words and words[key] in said):
            return key
    plain = [key for key in options if key not in ("at", "by", "link", "mass", "point", "hold")]
    return named_in(dict.fromkeys(plain), said)


def exceptions_of(document: Document, robot: Robot, cycles: tuple[str, ...], *, on_wheels: bool) -> tuple[
        ExceptionalCase, ...]:
    """The cases of the file; `cycles` are the names of its motions, if it has several."""
    given = document.content.get("exception", [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        document.refuse('expected tables [[exception]], each with kind = "stop"', (), "exception")
    if given and on_wheels:
        document.refuse("exceptional cases are of robots without wheels: leave them out, or give the robot a project "
                        "of its own", (), "exception")
    found = [_case(document, robot, cycles, one, number) for number, one in enumerate(given)]
    names = [one.name for one in found]
    for number, name in enumerate(names):
        if name in names[:number]:
            document.refuse(f"there is an exceptional case '{name}' already: give each a name", PLACE, "name", number)
    return tuple(found)


def _case(
    document: Document, robot: Robot, cycles: tuple[str, ...], given: Mapping[str, Any], number: int
) -> ExceptionalCase:
    kind = given.get("kind")
    if not isinstance(kind, str) or kind.lower() not in KINDS:
        said = "no kind is given" if kind is None else f"no exceptional case is a {kind!r}"
        document.refuse(f"{said}{meant(str(kind), KINDS)}", PLACE, "kind", number)
    takes = options_of(kind.lower())
    document.check_keys(given, (*OF_ALL, *takes), PLACE, number)
    missing = [key for key, needed in takes.items() if needed and key not in given]
    if missing:
        document.refuse(f"a {kind.lower()} needs {', '.join(missing)}", PLACE, "kind", number)
    count = converted(document, {"count": given["count"]}, PLACE, number, of=OF_ALL)["count"] if "count" in given \
        else None
    cycle = given.get("cycle")
    if cycle is not None and cycle not in cycles:
        there = meant(str(cycle), cycles) if cycles else ": there is one motion, [motion]"
        document.refuse(f"there is no cycle {cycle!r}{there}", PLACE, "cycle", number)
    options = {key: _option(document, robot, kind.lower(), key, value, number) for key, value in given.items()
               if key not in OF_ALL}
    try:
        case = CaseOfFile(given.get("name", kind.lower()), kind, cycle=cycle, count=count, **options)
    except ValueError as problem:
        said = str(problem)
        document.refuse(said, PLACE, "count" if "count" in said else "name" if "name of" in said else None, number)
    case.document, case.number = document, number
    return case


def measures_of(kind: str, key: str) -> Measures:
    """What an option measures; nothing of words and of what has a reader of its own.

    >>> measures_of("stop", "at"), measures_of("jam", "stiffness")[0]
    (('time',), 'torsional stiffness')
    """
    return OF_KINDS.get((kind, key), MEASURES.get(key, ()))


def _option(document: Document, robot: Robot, kind: str, key: str, value: Any, number: int) -> Any:
    """The value of an option in SI units, with names that the robot has."""
    if key in BY_JOINT and isinstance(value, dict):
        for joint in value:
            if joint not in robot.dof_names:
                document.refuse(f"{key}: robot '{robot.name}' has no joint '{joint}'{meant(joint, robot.dof_names)}",
                                PLACE, key, number)
    if key == "link" and value not in robot.link_names:
        document.refuse(f"robot '{robot.name}' has no link {value!r}{meant(str(value), robot.link_names)}", PLACE, key,
                        number)
    if key == "joint" and value not in robot.joint_names:
        document.refuse(f"robot '{robot.name}' has no joint {value!r}{meant(str(value), robot.joint_names)}", PLACE,
                        key, number)
    if key == "brakes":
        return _brakes(document, value, number)
    if key == "external":
        return _external(document, robot, value, number)
    if key in STATES:
        try:
            return states_in_si(robot, key, value)
        except (ValueError, TypeError) as problem:
            document.refuse(str(problem), PLACE, key, number)
    if not measures_of(kind, key) or value == "worst":
        return value
    return converted(document, {key: value}, PLACE, number, of={key: measures_of(kind, key)})[key]


def _brakes(document: Document, given: Any, number: int) -> dict[str, Any]:
    """By joint a torque, a brake by its numbers, or several."""
    if not isinstance(given, dict):
        document.refuse(f"brakes is {given!r}: expected a table by joint, like {{ joint1 = \"50 N m\" }}", PLACE,
                        "brakes", number)

    def one(value: Any) -> Any:
        if isinstance(value, dict):
            return part_of(AtKey(document, "brakes"), {"kind": Brake.kind, **value}, PLACE, number)
        known: Mapping[str, Measures] = {"brakes": ("torque", "force")}
        return converted(document, {"brakes": value}, PLACE, number, of=known)["brakes"]

    if any(value == [] for value in given.values()):
        document.refuse("brakes: a joint has an empty list: expected brakes, or leave the joint out", PLACE, "brakes",
                        number)
    return {joint: [one(each) for each in value] if isinstance(value, list) else one(value)
            for joint, value in given.items()}


def _external(document: Document, robot: Robot, given: Any, number: int) -> dict[str, Wrench]:
    """Wrenches by the names of links."""
    if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
        document.refuse(f"external is {given!r}: expected tables by link, like {{ tip = {{ force = [0, 0, -200] }} }}",
                        PLACE, "external", number)
    for link in given:
        if link not in robot.link_names:
            document.refuse(f"external: robot '{robot.name}' has no link '{link}'{meant(link, robot.link_names)}",
                            PLACE, "external", number)
    return {link: made_of(document, Wrench, converted(document, one, PLACE, number, of=Wrench), PLACE, "external",
                          number) for link, one in given.items()}
