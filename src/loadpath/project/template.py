"""A project file to start from: the text that `loadpath new` writes for a robot."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.api import Robot
from loadpath.errors import ModelError
from loadpath.quantities.carriers import drive_names
from loadpath.robot.ends import ends_of
from loadpath.robot.parts import Joint, Limits

GUESS = "guess = true                     # verdicts say so: take it out when the numbers of this table are yours"
SHORTEST_BEAM = 0.02
"""Links shorter than this (m) get no beam."""
STIFF, STRONG = 1000.0, 30e6
"""Tubes are guessed for the weight that the outstretched arm carries there: bent by a thousandth of their length and
stressed by 30 MPa (Pa) at most.
"""
YOUNG, WALL, THINNEST = 70e9, 0.1, 0.01
"""Of aluminium (Pa); the wall of a tube, of its radius; the least radius (m)."""


@dataclass(frozen=True)
class Choice:
    """What a project file has beside the robot. Numbers are chosen so that the file can be used as it is."""

    payload: float | None = None
    """kg; None: the table is there as a comment."""
    duration: float | None = None
    """Of the swing, s; as quick as the limits allow if not given."""
    link: str | None = None
    """The link that carries the payload, if the file names it."""
    half_width: float | None = None
    """Of a base on wheels, m; None: no such base."""
    beam_scale: float | None = None
    """Radius of tubes, of what the outstretched arm needs; None: no beams."""


def project_text(robot: Robot, source: Sequence[str], choice: Choice) -> str:
    """The file: `source` are the lines of [robot] that say where the robot comes from.

    >>> import loadpath as lp
    >>> print(project_text(lp.catalog.two_link(), ['catalog = "two_link"'], Choice()).splitlines()[5])
    [robot]
    """
    parts = [_head(robot), _robot(source), _payload(robot, choice)]
    if choice.beam_scale is not None:
        parts.append(_beams(robot, choice.beam_scale, choice.payload or 0.0))
    if choice.half_width is not None:
        parts.append(_base(robot, choice.half_width))
    parts += [_drives(robot), _parts(robot), _motion(choice), _rest(robot)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def key(name: str) -> str:
    """A name as a key of TOML.

    >>> key("joint_1"), key("wrist 3"), key("j.1")
    ('joint_1', '"wrist 3"', '"j.1"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def beam_links(robot: Robot) -> dict[str, tuple[str, float]]:
    """Links that a beam can stand for: those that move and carry a joint at a distance, which it is and how far."""
    moved = {joint.child for joint in robot.joints}
    found: dict[str, tuple[str, float]] = {}
    for joint in robot.joints:
        length = float(np.linalg.norm(_from_joint(robot, joint)))
        if joint.parent in moved and length > max(SHORTEST_BEAM, found.get(joint.parent, ("", 0.0))[1]):
            found[joint.parent] = (joint.name, length)
    return found


def outstretched_moments(robot: Robot, payload: float = 0.0) -> dict[str, float]:
    """For every link the moment (N m) at its joint of the weight of all beyond, were the arm stretched out to the side,
    the payload at its last end.

    >>> import loadpath as lp
    >>> {name: round(moment, 3) for name, moment in outstretched_moments(lp.catalog.planar(2)).items() if moment}
    {'link1': 19.62, 'link2': 4.905}
    """
    strength = float(np.linalg.norm(robot.gravity)) or 9.81
    above = {joint.child: joint for joint in robot.joints}
    moments = {link.name: 0.0 for link in robot.links}
    last = ends_of(robot)[-1]
    for link in robot.links:
        mass, name = link.inertia.mass + payload * (link.name == last), link.name
        reach = float(np.linalg.norm(np.array(link.inertia.center_of_mass))) if link.inertia.mass else 0.0
        while mass and name in above:
            moments[name] += strength * mass * reach
            reach += float(np.linalg.norm(_from_joint(robot, above[name])))
            name = above[name].parent
    return moments


def tube_radius(moment: float, length: float) -> float:
    """The outer radius (m) of a tube of aluminium that is stiff and strong enough for a moment (N m).

    >>> round(tube_radius(50.0, 0.3), 4), tube_radius(0.0, 0.3)
    (0.0242, 0.01)
    """
    ring = math.pi * WALL  # of a thin tube: second moment of area over r^4, section modulus over r^3
    stiff = (STIFF * moment * length / (2 * YOUNG * ring)) ** 0.25
    strong = (moment / (STRONG * ring)) ** (1 / 3)
    return float(max(THINNEST, stiff, strong))


def _from_joint(robot: Robot, joint: Joint) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """From the frame of the joint that moves the parent link to that of this one, in the frame of the parent link."""
    above = next((one for one in robot.joints if one.child == joint.parent), None)
    start = np.zeros(3) if above is None else above.link_offset.inverse().p
    result: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = joint.origin.p - start
    return result


def _head(robot: Robot) -> str:
    return f"""# Project file of '{_comment(robot.name)}' for loadpath.
#   loadpath info|loads|report|verdict|simulate THIS_FILE
# Numbers are in SI units (m, kg, s, N, rad), or text with a unit: "20 mm", "15 deg", "1.2 kN m".
# Lines that begin with # are ideas: take the # away to use them. All keys: see the page on the project file.
"""


def _robot(source: Sequence[str]) -> str:
    return "\n".join(["[robot]", *source, "# gravity = [0, 0, -9.81]        # m/s^2, world axes"])


def _payload(robot: Robot, choice: Choice) -> str:
    ends = ends_of(robot)
    at = f"link = {json.dumps(choice.link or ends[-1], ensure_ascii=False)}"
    several = f"   # ends of the robot: {_comment(', '.join(ends[:6]))}" if len(ends) > 1 else ""
    lines = ["[payload]", f"mass = {1.0 if choice.payload is None else choice.payload}                       # kg",
             "center_of_mass = [0, 0, 0]       # m, in the frame of the link", at + several, GUESS]
    return "\n".join(lines if choice.payload is not None else [f"# {line}" for line in lines])


def _beams(robot: Robot, scale: float, payload: float) -> str:
    found = beam_links(robot)
    if not found:
        raise ModelError(f"robot '{robot.name}' has no link with a length that could bend: --beams is for arms")
    lines = ["# Beams carry the loads of their links and bend. Give your sections and materials for the guesses."]
    moments = outstretched_moments(robot, payload)
    for link, (joint, length) in found.items():
        radius = scale * tube_radius(moments[link], length)
        lines += [f"[beams.{key(link)}]                # {length:.3g} m long",
                  f'section = {{ kind = "tube", outer_radius = "{1e3 * radius:.3g} mm", '
                  f'wall = "{max(1.0, 1e3 * WALL * radius):.3g} mm" }}',
                  'material = "aluminium"           # or "steel", "titanium", "S355", "6061-T6" ..., or a table',
                  f"end = {json.dumps(joint, ensure_ascii=False)}", GUESS, ""]
    driven = drive_names(robot)
    lines += [f"# [joint_compliance.{key(name.split('.')[0])}]\n# drive = \"2e4 N m/rad\"" for name in driven[:1]]
    return "\n".join(lines)


def _base(robot: Robot, half: float) -> str:
    mass = max(20.0, 3 * sum(link.inertia.mass for link in robot.links))
    height = 0.3
    box = [mass / 12 * (a * a + b * b) for a, b in ((2 * half, height), (2 * half, height), (2 * half, 2 * half))]
    return f"""# The base on wheels: x forward, y left, z up, its origin on the ground between the fixed wheels.
[base]
name = "cart"
mass = {mass:.4g}                       # kg, with its wheels
center_of_mass = [{half:.3g}, 0, {height / 2 + 0.05:g}]     # m
inertia = [{', '.join(f'{x:.4g}' for x in box)}]      # kg m^2, about the mass center: three moments, or three rows
position = [{half:.3g}, 0, {height + 0.05:g}]           # m, where the robot's base stands on it
# rpy = [0, 0, "90 deg"]           # how it is turned: roll, pitch, yaw
friction = {{ sliding = 0.6, static = 0.8, rolling = 0.01 }}
{GUESS}

[base.ground]
slope = "0 deg"

# [base.motion]                    # left out: it stands
# velocity = ["0.5 m/s", "0 rad/s"]
# acceleration = [0.4, 0]          # m/s^2, rad/s^2
# heading = "90 deg"               # from uphill

[[base.wheels]]
kind = "fixed wheel"               # or caster wheel, steered wheel, omni wheel, mecanum wheel, support
name = "left"
position = [0, {half:.3g}]                # m
radius = "100 mm"

[[base.wheels]]
kind = "fixed wheel"
name = "right"
position = [0, {-half:.3g}]
radius = "100 mm"

[[base.wheels]]
kind = "caster wheel"
name = "front left"
position = [{2 * half:.3g}, {half:.3g}]
radius = "75 mm"

[[base.wheels]]
kind = "caster wheel"
name = "front right"
position = [{2 * half:.3g}, {-half:.3g}]
radius = "75 mm"

# [[parts.left]]
# kind = "wheel"
# load = "1.5 kN"
# speed = "2 m/s\""""


def _drives(robot: Robot) -> str:
    lines = ["# Drives, between motor and joint, one line a joint. After it: its type and limits in the robot's file.",
             "# [drives]"]
    by_name = {joint.name: joint for joint in robot.joints}
    for name in drive_names(robot):
        joint = by_name.get(name.split(".")[0])
        if joint is None:
            continue
        freedom = list(joint.motion.labels).index(name.partition(".")[2]) if "." in name else 0
        turns = joint.motion.angular[freedom]
        own = 'ratio = 100, rotor_inertia = "0.3 kg cm^2", ' if turns else ""
        made = f"{{ {own}efficiency = 0.8, friction = {{ viscous = 0.1, coulomb = 0.5 }} }}"
        lines.append(f"# {key(name)} = {made}  # {_comment(_limit_words(joint, joint.limits[freedom], turns))}")
    lines += ["", "# Limits other than those of the file:", "# [limits]"]
    lines += [f"# {key(name)} = {{ velocity = 1.5, effort = 50 }}" for name in drive_names(robot)[:1]]
    return "\n".join(lines)


def _limit_words(joint: Joint, limits: Limits, turns: bool) -> str:
    unit, force = ("rad", "N m") if turns else ("m", "N")
    words = [type(joint.motion).__name__.lower()]
    if math.isfinite(limits.lower) or math.isfinite(limits.upper):
        words.append(f"{limits.lower:.4g} .. {limits.upper:.4g} {unit}")
    for value, of in ((limits.velocity, f"{unit}/s"), (limits.effort, force)):
        if math.isfinite(value):
            words.append(f"{value:.4g} {of}")
    return ", ".join(words)


def _parts(robot: Robot) -> str:
    name = key((drive_names(robot) or ("joint1",))[0].split(".")[0])
    return f"""# Parts that are checked, with the numbers of their catalogues: bearings, gears, motors, brakes, bolts.
# [[parts.{name}]]
# kind = "crossed roller bearing"
# C = "29.1 kN"
# C0 = "50 kN"
# dp = "110 mm\""""


def _motion(choice: Choice) -> str:
    at = "# duration = 2.0                   # s; left out: as quick as the limits allow"
    at = at if choice.duration is None else f"duration = {choice.duration:.4g}                     # s"
    return f"""[motion]
swing = true                       # every joint through its range, from rest to rest
{at}
# file = "cycle.csv"               # instead of the swing: a log (.csv, .npz, .parquet)"""


def _rest(robot: Robot) -> str:
    tip = key(ends_of(robot)[-1])
    joint = key((drive_names(robot) or ("joint1",))[0])
    return f"""# [external.{tip}]  # a force from outside, at the origin of the link, world axes
# force = [0, 0, -20]              # N

# [verdict]
# hours = 20000                    # life that the parts shall have

# [[exception]]                    # what it has to bear once in a while, counted apart from the motion
# name = "emergency stop"
# kind = "stop"                    # or "static": an overload at rest
# category = 0                     # 0: drives off, brakes grip; 1: braked along the path, then off; 2: and held
# at = "worst"                     # or an instant of the motion, s
# brakes = {{ {joint} = "50 N m" }}   # left out: those of [[parts...]]
# count = 500                      # in life"""


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
