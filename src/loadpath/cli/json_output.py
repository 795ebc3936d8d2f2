"""What `--json` prints: one strict JSON object, command by command its keys and what they mean.

Numbers are in SI units (m, rad, s, kg, N, N m, J, Pa, Hz). JSON has no numbers that are not finite: what is not known
is null, and what has no end the text "Infinity". `warnings` are those that the command prints on stderr without
`--json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import typer

_ROBOT = {"robot": "name of the robot"}
_WARNINGS = {"warnings": "list of texts"}

KEYS: Mapping[str, Mapping[str, str]] = {
    "new": {
        **_ROBOT,
        "file": "the file written; null on standard output",
        "text": "the project file",
        "holds": "whether a verdict on it holds",
        "summary": "that verdict in a sentence",
        **_WARNINGS,
    },
    "convert": {
        **_ROBOT,
        "format": "of the file written: URDF, MJCF or SDF",
        "file": "the file written",
        "lost": "list of texts: what the format cannot say",
        "left_out": "list of texts: what of the file read is no part of the robot, like contacts and sensors",
        **_WARNINGS,
    },
    "info": {
        **_ROBOT,
        "degrees_of_freedom": "number",
        "mass": "of all links",
        "gravity": "three numbers",
        "links": "name, mass, center_of_mass, inertia (3 x 3, about the mass center), principal_moments",
        "joints": "name, type, parent, child, mimic (joint, multiplier, offset, or null) and freedoms: name, unit (rad "
        "or m), lower, upper, velocity, effort (null: no limit), viscous_friction, coulomb_friction",
        "loops": "joints that close loops: name, type, first, second",
        "beams": "link, sections, materials",
        "wheels": "name, type, position",
        "parts": "joint, part",
        **_WARNINGS,
    },
    "demo": {
        **_ROBOT,
        "duration": "of the motion",
        "times": "instants that are shown",
        "drives": "drive, unit, values at these instants",
        "joints": "joint, force and torque at these instants, three numbers each",
        **_WARNINGS,
    },
    "loads": {
        **_ROBOT,
        "states": "of (words), count, and the duration of a motion, or q, qd and qdd of one state by names",
        "joints": "joint; of one state force, torque, causes (cause, force, torque) and the rest; of a motion force "
        "and torque with min and max, and peaks of force and torque: value, unit, time, causes (cause, value), rest",
        "drives": "drive, unit, limit (or null), and value, or min, max and rms over a motion",
        **_WARNINGS,
    },
    "deflect": {
        **_ROBOT,
        "states": "how many were looked at",
        "frames": "link, displacement (three numbers, where largest), size, rotation, turned, time",
        "beams": "link, share of the sag, safety against yield, along (m from its start), von_mises, time",
        "sag": "link that goes farthest, size, time, shares of beams and of joints; null where it is no sum",
        "buckling": "factor on all loads, link that gives way most, time; null if it is not known",
        "frequencies": "natural frequencies under load, each where it is lowest",
        "guesses": "what is a guess, in words",
        "verdict": "as of loadpath verdict, or null where it is refused",
        **_WARNINGS,
    },
    "rover": {
        "rover": "name of the rover",
        "states": "how many were looked at",
        "contacts": "contact, type, position; normal, longitudinal and lateral with min and max; friction_used and "
        "slips (null without friction)",
        "margin": "smallest distance of the zero-moment point from an edge, with time, edge and zero_moment_point",
        "energy_margin": "J left to tipping over, with time and edge: see Stability.energy_margin",
        "tilt_margin": "rad by which the ground may tilt, with time and edge",
        "tips_over": "whether it does, in any state",
        "falls": "whether it may fall if its motion stops dead, in any state",
        "standards": "tests of standards: title, rover, passes, and rows: test, demand, limit, unit, utilisation, "
        "passes, clause, assumption, numbers",
        "verdict": "as of loadpath verdict",
        **_WARNINGS,
    },
    "simulate": {
        **_ROBOT,
        "duration": "until where it went",
        "samples": "of the result",
        "steps": "of the integrator",
        "stopped": "whether it ended before its time",
        "tipped": "whether it ended because a rover begins to tip over",
        "rocks": "whether it ended because a rover begins to rock, which is not simulated",
        "end": "q and qd at the end, by names",
        "energies": "kinetic, potential, drive_work, dissipated ...: start, end and max of each",
        "energy_residual": "what does not balance at most",
        "events": "of a rover: time, kind, part, cause",
        "file": "the file written, or null",
        **_WARNINGS,
    },
    "report": {
        **_ROBOT,
        "verdict": "as of loadpath verdict, or null of a robot without parts and limits",
        "title": "of the page",
        "file": "the file written",
        "bytes": "its size",
        "sections": "their titles",
        **_WARNINGS,
    },
    "datasheet": {
        **_ROBOT,
        "title": "of the page",
        "file": "the file written",
        "bytes": "its size",
        "sections": "their titles",
        "payload": "at 100 %; 0 where none is stated",
        "link": "the tip",
        "workspace": "axis (a joint), reach and nearest from it, low and high (three numbers each); null if not known",
        "stopping": "joint, category, speed and reach at 100 %, extensions, loads and speeds (shares), time and "
        "distance by extension, load and speed; null: it does not stop",
        "drives": "drive, motor, at_motor, rms_torque, largest_torque, largest_speed over the duty",
        "left_out": "list of texts: what is not on it, and what to give",
        **_WARNINGS,
    },
    "compare": {
        "designs": "two names",
        "verdicts": "on each, as of loadpath verdict, or null of a robot without parts and limits",
        "loads": "name, quantity, unit, first, second, change (share of the first), causes (cause, first, second)",
        "checks": "part, joint, check, and utilisation first and second (null: not made)",
        "only_first": "joints of the first design alone",
        "only_second": "joints of the second design alone",
        "fastest": "with --fastest the fastest motions of both on the path of their motions (s); else null",
        "file": "the file written, or null",
        **_WARNINGS,
    },
    "verdict": {
        **_ROBOT,
        "holds": "whether everything was checked and holds",
        "outcome": "does not hold, not known to hold, holds, or no limit exceeded (a demo swing, no parts, or "
        "guesses), the last two also with emergencies not given",
        "headline": "the outcome, over which motion, how many checks, what it rests on",
        "summary": "the headline and the worst check",
        "basis": "motion, duration, invented, parts, beams, guesses, hours, exceptions, sound",
        "hours": "life that is asked for, or null",
        "exceeded": "how many checks",
        "not_checked": "how many could not be made",
        "not_given": "how many are of emergencies that nobody described",
        "exceptions": "of each exceptional case: name, kind, cycle, count, holds, headline, facts, notes",
        "worst": "the check of the largest utilisation in words, or null",
        "states_that_are_not_numbers": "how many",
        "checks": "part, joint, check, demand, capacity, unit, utilisation, life_hours, motion, sample, time, cause, "
        "note, exception (the name of the exceptional case; empty of the duty)",
        **_WARNINGS,
    },
    "equations": {
        **_ROBOT,
        "formulation": "the method",
        "objects": "entries of each object by their names, as text",
        "parameters": "values of the symbols",
        "notes": "list of texts",
        **_WARNINGS,
    },
    "count": {
        **_ROBOT,
        "functions": "function, multiplications, additions, divisions, functions (null: this robot has none)",
        "sources": "the same of what sources print: what, kind, where",
        **_WARNINGS,
    },
    "fastest": {
        **_ROBOT,
        "before": "duration of the motion whose path it is",
        "duration": "of the fastest; null where there is none",
        "certificate": "no limit is used by more than this at any instant",
        "limits": "kind, name, capacity, unit, utilisation, and saves: seconds that 10 % more would save, or null",
        "rules": "which limit rules where: limit, begin, end (s), s_begin, s_end (arc length of joints)",
        "at_rest": "where there is no motion, limits exceeded at rest: limit, begin, end, utilisation; else null",
        "pair": "where there is no motion, the limits that leave nothing between them: limit, asks, s; else null",
        "left_out": "checks of parts that are no limits here, in words",
        "file": "the file written, or null",
        **_WARNINGS,
    },
    "size": {
        **_ROBOT,
        "combinations": "how many there are",
        "method": "exhaustive, or branch and bound",
        "judged": "how often a joint was judged with what was chosen at it and beyond it",
        "aims": "what is small",
        "holding": "how many hold; of branch and bound of the best",
        "known": "how many of these with all checks made",
        "best": "parts by joint, aims, utilisation, not_checked (how many checks); or null",
        "feasible": "the same of those that hold, the smallest first",
        "front": "the same of those that no other is better than",
        "smaller": "by joint, why not the next smaller: parts, words, utilisation",
        "rejected": "of each choice at each joint how often it was rejected, and by what",
        "not_checked": "checks that could not be made, in words",
        "file": "the file written, or null",
        **_WARNINGS,
    },
    "study": {
        **_ROBOT,
        "designs": "how many",
        "parameters": "their names",
        "computed": "how many designs",
        "failed": "how many",
        "left_out": "how many, by conditions",
        "cost": "with --cost: designs, left_out, states, chunks, seconds, seconds_each, threads, memory, disk, "
        "one_by_one; else null",
        "answers": "name, unit, least, least_at (number of the design), median, largest, largest_at; null with --cost",
        "failures": "reason, designs (how many), first (number of one)",
        "where": "what designs have to fulfil, or null",
        "fulfilling": "how many do",
        "front": "designs that no other is better than, by the first aim: design (its number), parameters, aims, knee; "
        "or null",
        "why": "words: why the design of --why is limited; or null",
        "file": "the store, or null",
        "files": "other files written",
        **_WARNINGS,
    },
    "verify": {
        **_ROBOT,
        "states": "number of random states",
        "seed": "that chooses them",
        "agrees": "whether every pair agrees to 1e-12",
        "largest_difference": "relative to the largest drive force",
        "formulations": "their names",
        "differences": "a row for each formulation, a column for each other",
        "refused": "formulations that do not take this robot, and why",
        **_WARNINGS,
    },
    "bench": {
        **_ROBOT,
        "machine": "words",
        "states": "of a batch",
        "pinocchio": "its version, or null",
        "functions": "function, first_call, one_call, in_batch and pinocchio, in seconds a state",
        **_WARNINGS,
    },
    "export": {
        **_ROBOT,
        "quantity": "its name",
        "to": "c, casadi, javascript or wasm",
        "files": "file, bytes",
        "arguments": "name, shape of one state",
        "results": "name, shape of one state",
        **_WARNINGS,
    },
}


def print_json(**values: Any) -> None:
    """An object on standard output."""
    typer.echo(json.dumps(plain(values), indent=1, allow_nan=False))


def plain(value: Any) -> Any:
    """Numbers, texts, lists and objects as JSON has them.

    >>> plain({"a": np.array([1.0, np.nan]), "b": math.inf, "c": (np.int64(2), None)})
    {'a': [1.0, None], 'b': 'Infinity', 'c': [2, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, str) or value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        without_end = "-Infinity" if value < 0 else "Infinity"
        return value if math.isfinite(value) else None if math.isnan(value) else without_end
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    raise TypeError(f"{value!r} has no place in JSON")
