"""The JSON Schema of project files, made from the classes and units that read them: editors complete and check with it.

`loadpath new --schema` prints it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from loadpath import catalog
from loadpath.exceptional.kinds import KINDS
from loadpath.exceptional.kinds import options_of as exceptional_options
from loadpath.mobile import AntiRollBar, Ground, GroundMotion, Patch, Sinusoid, WheeledBase
from loadpath.motion import Motion
from loadpath.motion.carried import Carried
from loadpath.motion.with_units import THROUGH
from loadpath.parts.fitting import WheelRating
from loadpath.parts.kinds import has_own_kind, kind_of, part_classes
from loadpath.project import bases, exceptions, motions, standards, studies
from loadpath.project.grounds import SURFACES
from loadpath.project.kinds import keys_of, section_classes, wheel_classes
from loadpath.project.project import ASKED
from loadpath.project.reading import PLAIN_MATERIALS
from loadpath.quantities.wrench import Wrench
from loadpath.robot.dh import DHRow
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.edit import GRAVITY, PAYLOAD
from loadpath.robot.materials import materials
from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.parts import Limits
from loadpath.robot.pedigree import OF_ROBOT, PEDIGREES
from loadpath.robot.units_of_text import UNITS
from loadpath.robot.wheels.ground_motion import SHIFTS, TURNS
from loadpath.structure import Beam, Guide, JointCompliance, Material, Segment

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_DEFINITIONS = "#/definitions/"
_YES_OR_NO: Schema = {"type": "boolean"}
_NUMBER = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*"


def schema() -> Schema:
    """The schema of a whole file.

    >>> sorted(schema()["properties"])[:4]
    ['base', 'beams', 'cycle', 'drives']
    """
    found: Schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Project file of loadpath",
        "description": "A robot, rover or flexible arm with its parts, its motion and what is asked of it. Numbers are "
        "in SI units, or text with a unit.",
        **_table(
            {
                "robot": _robot(),
                "base": _base(),
                "beams": _by_name(_one_or_more(_beam()), "Beams of links that bend, by link."),
                "guides": _by_name(_of(Guide), "What holds links that slide along beams, by joint."),
                "joint_compliance": _by_name(_of(JointCompliance), "Stiffness of joints, by joint."),
                "payload": _payload(),
                "limits": _by_name(_of(Limits), "Limits other than those of the robot's file, by joint."),
                "drives": _by_name(_of(Drive), "What is between motor and joint, by joint."),
                "parts": _by_name(_one_or_more(_part()), "Parts that are checked, by joint; ratings, by wheel."),
                "motion": _motion("How the robot moves."),
                "cycle": {"type": "array", "items": _motion("A motion with its share of the time; 1 of the only one.")},
                "external": _by_name(_of(Wrench), "Forces and torques from outside, by link."),
                "pedigree": _table(dict.fromkeys(OF_ROBOT, _TEXT), "Where data of the robot come from, in words."),
                "verdict": _keys(ASKED, "What is asked of the parts."),
                "standards": _standards(),
                "exception": _exceptions(),
                "size": _sizes(),
                "study": _study(),
            }
        ),
        "definitions": {"section": _section(), "material": _material()},
    }
    used = sorted(_used(found) - found["definitions"].keys())
    found["definitions"] = {name: _measure(_measures(name)) for name in used} | found["definitions"]
    return found


# Tables


def _robot() -> Schema:
    names = list(catalog.__all__)
    pattern = f"^({'|'.join(names)})(:[0-9]+)*$"
    return _table(
        {
            "file": _text("A robot's file, relative to this one, or a name of robot_descriptions (with --trust)."),
            "catalog": {"type": "string", "pattern": pattern, "description": f"One of {', '.join(names)}."},
            "dh": {"type": "array", "items": _of(DHRow), "description": "A table of Denavit-Hartenberg parameters."},
            "strict": {**_YES_OR_NO, "description": "Refuse what would be a warning."},
            "package_paths": {"type": "array", "items": _TEXT, "description": "Folders of packages that it needs."},
            "xacro_arguments": {"type": "object", "description": "What `xacro:arg` is to be."},
            "xacro": {**_YES_OR_NO, "description": "Evaluate xacro in a file that does not end in `.xacro`."},
            "gravity": measured(GRAVITY),
            "inertia_from_beams": {**_YES_OR_NO, "description": "Masses of links with beams are those of the beams."},
            "name": _text("Of a robot from a DH table."),
            "convention": {"enum": ["standard", "modified"]},
            "inertia_at": {"enum": ["center", "origin"]},
        },
        "Where the robot comes from: file, catalog or dh.",
    )


def _payload() -> Schema:
    found = _keys(PAYLOAD, "What the robot carries.", required=["mass"])
    found["properties"]["guess"] = _guess("the mass is")
    return found


def _guess(what: str) -> Schema:
    return {**_YES_OR_NO, "description": f"Whether {what} a guess: verdicts say so."}


def _base() -> Schema:
    wheels = []
    for made in _distinct(wheel_classes()):
        kinds = [name for name, one in wheel_classes().items() if one is made]
        wheels.append(_of(made, kind=kinds))
    of_base = measured_by(WheeledBase)
    moves = _keys(bases.MOTION, "How the base moves; left out: it stands.")
    return _table(
        {
            **{key: measured(of_base[key]) for key in bases.OF_BODY
               if key not in ("name", "guess", "anti_roll_bars")},
            "anti_roll_bars": {"type": "array", "items": _of(AntiRollBar)},
            "name": _TEXT,
            "guess": _guess("mass, friction and wheels are"),
            "prefix": _text("Before the names of the robot's links and joints."),
            **{key: measured(what) for key, what in bases.MOUNT.items()},
            "wheels": {"type": "array", "items": {"anyOf": wheels}, "minItems": 3},
            "ground": _ground(),
            "motion": moves,
        },
        "What the robot stands on: with wheels a rover, without them a tilted mount (rpy).",
    )


def _standards() -> Schema:
    found = []
    for kind, name in standards.KINDS.items():
        keys: Schema = {}
        for key in standards.keys_of_test(name):
            keys[key] = measured(standards.MEASURES[key]) if key in standards.MEASURES else {}
        one = _table({"kind": {"enum": sorted({kind, name})}, **keys}, "")
        one["required"] = ["kind", *(key for key, needed in standards.keys_of_test(name).items() if needed)]
        found.append(one)
    return {"type": "array", "items": {"anyOf": found}, "description":
            "Tests of standards, as `rover.standards` has them; without `q`, in the poses of the motion."}


def _exceptions() -> Schema:
    by_joint = {"type": "object"}
    found = []
    for kind in KINDS:
        keys: dict[str, Schema] = {"kind": {"enum": [kind]}, "name": _text("In rows of the verdict."),
                                   "cycle": _text("From which [[cycle]] it begins; left out: from each."),
                                   "count": {**measured(exceptions.OF_ALL["count"]), "description": "In life."}}
        for key in exceptional_options(kind):
            one = measured(exceptions.measures_of(kind, key))
            if key in exceptions.BY_JOINT:
                one = {"anyOf": [*one.get("anyOf", [one] if one else []), by_joint]}
            if key == "at":
                one = {"anyOf": [one, {"const": "worst"}]}
            keys[key] = _by_name(_of(Wrench), "By link.") if key == "external" else one
        needed = [key for key, must in exceptional_options(kind).items() if must]
        found.append(_table(keys, "", ["kind", *needed]))
    return {"type": "array", "items": {"anyOf": found}, "description":
            "What the robot has to bear once in a while, counted apart from its motion."}


def _sizes() -> Schema:
    one = {"anyOf": [_TEXT, _table({"file": _text("Relative to this file."), "kind": _text("Of its parts."),
                                    "where": _text("Which of them, as \"ratio == 100\".")}, "", ["file"])]}
    aims = {**_one_or_more(_TEXT), "description": "mass, or columns of all tables."}
    return _table({
        "choices": _by_name(_one_or_more(one), "Files of parts, of which one part each is taken, by joint."),
        "minimise": aims, "count": {"type": "integer", "minimum": 1, "description": "How many of the best."},
        "exhaustive": {**_YES_OR_NO, "description": "Judge every combination; left out: up to 20,000."},
    }, "Which parts to take: `loadpath size`.", ["choices"])


def _study() -> Schema:
    number, text = {"type": "number"}, {"type": "string"}
    end = {"anyOf": [number, text]}
    span = _table({"from": end, "to": end, "count": {"type": "integer", "minimum": 2},
                   "spacing": {"enum": ["linear", "logarithmic"]}}, "Numbers from one to another.")
    follows = _table({studies.FOLLOWS: _text("An expression of other parameters.")}, "", [studies.FOLLOWS])
    values = {"type": "array", "minItems": 1}
    space = {"type": "object", "minProperties": 1, "description": "Parameters by name: a span `{ from, to, count }`, a "
             "list, one value, or `{ follows = \"...\" }`.",
             "additionalProperties": {"anyOf": [span, follows, values, number, text, {"type": "object"}]}}
    texts = _one_or_more(text)
    sampling: dict[str, Schema] = {
        "sampling": {"enum": list(studies.KINDS), "description": "Left out: a grid."},
        "designs": {"type": "integer", "minimum": 1, "description": "How many, of a sampling."},
        "seed": {"type": "integer", "minimum": 0},
    }
    answer = _table({
        "quantity": _text("As `lp.Answer` has it."), "row": {"type": "array", "items": text},
        "reduce": {"anyOf": [number, text]}, "histogram": {"type": "array", "items": number}, "name": text}, "")
    answers = {"type": "array", "minItems": 1, "description": "Names, rows of the verdict as lists, or tables.",
               "items": {"anyOf": [text, {"type": "array", "items": text}, answer]}}
    return _table({
        "answers": answers, "space": space,
        "states": _table({"space": space, **sampling}, "States of the workspace, in the place of a motion."),
        "subject_to": {**texts, "description": "Conditions on parameters, like \"a + b <= 1.2 m\"."}, **sampling,
        "to": _text("The folder of the store, below that of this file."),
        "chunk": {"type": "integer", "minimum": 1, "description": "Designs that are written together."},
        "front": {**texts, "description": "Aims that shall be small."},
        "maximise": {**texts, "description": "Aims that shall be large."},
        "where": _text("What designs have to fulfil."),
    }, "Every design of a space: `loadpath study`.", ["answers", "space"])


def _ground() -> Schema:
    found = _of(Ground)
    surface = {"anyOf": [_of(made, kind=[kind]) for kind, made in SURFACES.items()],
               "description": "Heights over the plane: a table, or several that add up."}
    motion = _of(GroundMotion)
    for name in (*SHIFTS, *TURNS):
        one = motion["properties"][name]
        several = {"type": "array", "items": _of(Sinusoid)}
        motion["properties"][name] = {"anyOf": [*one["anyOf"], several], "description":
                                      f"{'m' if name in SHIFTS else 'rad'}: a number, a sinusoid, several, or a log."}
    found["properties"] |= {"surface": _one_or_more(surface) | {"description": surface["description"]},
                            "patches": {"type": "array", "items": _of(Patch)}, "motion": motion}
    return found


def _beam() -> Schema:
    section, material = {"$ref": "#/definitions/section"}, {"$ref": "#/definitions/material"}
    of_both: Schema = {"section": section, "end_section": section, "material": material}
    segment = _of(Segment)
    segment["properties"] |= of_both
    beam = _of(Beam)
    point = {"anyOf": [_text("A child joint of the link."), measured(measured_by(Beam)["start"])]}
    pieces = {"type": "array", "items": segment}
    beam["properties"] |= {**of_both, "segments": pieces, "end": point,
                           "guess": _guess("section and material are")}
    return beam


def _section() -> Schema:
    return {"anyOf": [_of(made, kind=[name for name, one in section_classes().items() if one is made])
                      for made in _distinct(section_classes())]}


def _material() -> Schema:
    named = {"enum": [*PLAIN_MATERIALS, *materials], "description": "A material of the catalogue."}
    return {"anyOf": [named, _of(Material)]}


def _part() -> Schema:
    found = []
    for made in _distinct(part_classes()):
        one = _of(made, kind=[kind_of(made), made.__name__.lower()])
        one["properties"] |= {"source": _TEXT, "edition": _TEXT, "pedigree": {"enum": list(PEDIGREES)}}
        if has_own_kind(made):
            one["properties"]["type"] = _TEXT
        known = measured_by(made)
        for part in fields(made):  # parts in parts, and tables in them
            if not measured(known.get(part.name, ())) and part.name in one["properties"] and not _is_text(part.type):
                one["properties"][part.name] = {}
        found.append(one)
    return {"anyOf": [*found, _of(WheelRating, kind=["wheel", "wheel rating"])]}


def _motion(description: str, required: Iterable[str] = ()) -> Schema:
    load = _of(Carried)
    load["properties"] = {("from" if key == "from_" else key): one for key, one in load["properties"].items()}
    readers = [inspect.signature(getattr(Motion, way)) for way in sorted(set(motions.READERS.values()))]
    options = {name for reader in readers for name in reader.parameters if name not in ("path", "robot")}
    return _table(
        {
            **{name: {} for name in sorted(options)},
            **{key: measured(what) for key, what in THROUGH.items() if key not in ("profile", "stop")},
            "profile": {"enum": ["quintic", "trapezoidal"]},
            "stop": _YES_OR_NO,
            "file": _text("A log (.csv, .npz, .parquet), relative to this file."),
            "swing": {"const": True, "description": "Every joint through its range, from rest to rest."},
            "duration": measured(motions.OF_MOTIONS["duration"]),
            "repeat": {"type": "integer", "minimum": 1},
            "speed": measured(motions.OF_MOTIONS["speed"]),
            "share": measured(motions.OF_MOTIONS["share"]),
            "name": _TEXT,
            "loads": {"type": "array", "items": load, "description": "Loads that are picked up and put down."},
        },
        description,
        required,
    )


# What they are made of


def measured(measures: Measures) -> Schema:
    """What a key takes: a number, text with a unit of what it measures, a list of these, or a table; empty for words.
    """
    of_numbers = tuple(what for what in measures if isinstance(what, str))
    found = [_of(what) for what in measures if isinstance(what, type)]
    found += [{"$ref": f"{_DEFINITIONS}{_slug(of_numbers)}"}] if of_numbers else []
    return {"anyOf": found} if len(found) > 1 else found[0] if found else {}


def _used(value: object) -> set[str]:
    """The names of all definitions that a schema uses."""
    if isinstance(value, dict) and "$ref" in value:
        return {value["$ref"].removeprefix(_DEFINITIONS)}
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {name for one in inside for name in _used(one)}


def _slug(measures: Iterable[str]) -> str:
    return " or ".join(measures).replace(" ", "_")


def _measures(slug: str) -> list[str]:
    return slug.replace("_", " ").split(" or ")


def _measure(measures: Iterable[str]) -> Schema:
    units = [unit for what in measures for unit in UNITS[what]]
    one: list[Schema] = [{"type": "number"}]
    if units:
        pattern = "|".join(re.escape(unit).replace(r"\ ", "[ *·]") for unit in units)
        one.append({"type": "string", "pattern": f"{_NUMBER}({pattern}|[^a-zA-Z0-9.]*°)\\s*$"})
    row: Schema = {"type": "array", "items": {"anyOf": [*one, {"type": "array"}]}}
    return {"anyOf": [*one, row], "description": measure_words(measures)}


def measure_words(measures: Iterable[str]) -> str:
    """What a key measures, and its units.

    >>> measure_words(["length"]), measure_words(["plain number"])
    ('length: m, or text with mm, cm, km', 'number without a unit')
    """
    words = []
    for what in measures:
        units = list(UNITS[what])
        first = [unit for unit, factor in UNITS[what].items() if factor == 1.0][:1]
        others = [unit for unit in units if unit not in first]
        said = f"{what}: {', '.join(first)}" if first else f"{what}: a number"
        words.append(f"{said}{', or text with ' if others else ''}{', '.join(others)}" if units else
                     "number without a unit")
    return "; or ".join(words)


def _of(made: type, kind: list[str] | None = None) -> Schema:
    """The keys of a dataclass."""
    properties: dict[str, Schema] = {}
    known = measured_by(made)
    for part in fields(made):
        if part.name not in keys_of(made) or part.name == "kind":
            continue
        value = measured(known.get(part.name.removesuffix("_"), ()))
        properties[part.name] = _guess("they are") if part.name == "guess" else value or _plain(part.type)
    required = [part.name for part in fields(made)
                if part.init and part.default is MISSING and part.default_factory is MISSING
                and part.name in properties]
    if kind is not None:
        properties = {"kind": {"enum": list(dict.fromkeys(kind))}, **properties}
        required = ["kind", *required]
    return _table(properties, _first_sentence(made), required)


def _plain(annotation: object) -> Schema:
    text = str(annotation)
    if text.startswith("Literal["):
        return {"enum": re.findall(r"['\"]([^'\"]*)['\"]", text)}
    return _YES_OR_NO if text.startswith("bool") else _TEXT if _is_text(annotation) else {}


def _is_text(annotation: object) -> bool:
    return str(annotation) in ("str", "str | None")


def _keys(keys: Mapping[str, Measures], description: str, required: Iterable[str] = ()) -> Schema:
    return _table({name: measured(what) or _TEXT for name, what in keys.items()}, description, required)


def _table(properties: Mapping[str, Schema], description: str = "", required: Iterable[str] = ()) -> Schema:
    found: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if description:
        found["description"] = description
    if needed := list(required):
        found["required"] = needed
    return found


def _by_name(value: Schema, description: str) -> Schema:
    return {"type": "object", "additionalProperties": value, "description": description}


def _one_or_more(value: Schema) -> Schema:
    return {"anyOf": [value, {"type": "array", "items": value}]}


def _text(description: str) -> Schema:
    return {**_TEXT, "description": description}


def _distinct(classes: Mapping[str, type]) -> list[type]:
    return sorted(set(classes.values()), key=lambda made: made.__name__)


def _first_sentence(made: type) -> str:
    text = " ".join((inspect.getdoc(made) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.:;])\s", text)[0].rstrip(":;")
