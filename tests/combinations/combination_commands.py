"""What the commands print and write, read back and compared with the same numbers from Python. Robots come to the
command line from a Python file that makes them: `loadpath info robots.py:beams`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from combination_methods import DRIVES, WHEELS, check_peaks, close
from combination_states import states_of
from combination_subjects import arm, compliant, flexible, free_base, locked, many_freedoms, mimic, payload, rover
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli.app import app

MADE: dict[str, Callable[[], Any]] = {
    "plain": arm,
    "payload": lambda: payload()[0].subject,
    "free_base": lambda: free_base()[0].subject,
    "one_free_body": lambda: arm().locked({"joint1": 0.3, "joint2": 0.1}).floating(),
    "one_ball": lambda: many_freedoms()[1].subject.locked({"joint1": 0.2}),
    "locked_joints": lambda: locked()[0].subject,
    "mimic": lambda: mimic()[0].subject,
    "many_freedoms": lambda: many_freedoms()[1].subject,
    "beams": flexible,
    "joint_compliance": compliant,
    "wheels": rover,
    "slope": lambda: rover(slope=0.2),
}
"""Robots and rovers by their names in the Python file."""
FILE = "import combination_commands\nglobals().update(combination_commands.made())\n"
MASS = 2.5
STATES, SAMPLES = 2001, 101
"""Of a swing, as `demo` has it, and `report` here: a page of fewer is sooner written."""

URDF = """<robot name="gripper">
<link name="base"/>
<link name="a"><inertial><mass value="1.25"/><origin xyz="0.1 0 0"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="one" type="FIRST"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
<joint name="two" type="SECOND"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><origin xyz="0.2 0 0"/><limit lower="-1" upper="1" effort="50" velocity="2"/>FOLLOWS</joint>
</robot>"""  # noqa: E501
URDFS = {
    "mimic": ("revolute", "revolute", '<mimic joint="one" multiplier="0.5"/>'),
    "many freedoms": ("revolute", "planar", ""),
    "free base": ("floating", "fixed", ""),
}
"""Features that a URDF can have."""


@cache
def made() -> dict[str, Any]:
    """All of them, made once."""
    return {name: make() for name, make in MADE.items()}


def run(row: str, feature: str, folder: Path) -> None:
    """A command on a robot with a feature."""
    file = folder / "robots.py"
    file.write_text(FILE)
    name, more = ("plain" if feature == "motion" else feature.replace(" ", "_")), []
    if feature == "payload" and row in ("demo", "report"):
        name, more = "plain", ["--payload", str(MASS), "--link", "tip"]
    if row == "equations":  # those of nine coordinates take many seconds
        name = {"free_base": "one_free_body", "many_freedoms": "one_ball"}.get(name, name)
    subject = made()[name]
    if more:
        subject = subject.with_payload(MASS, link="tip")
    READ[row](subject, [f"{file}:{name}", *more], folder, feature)
    if row == "info" and feature in URDFS:
        path = folder / "gripper.urdf"
        first, second, follows = URDFS[feature]
        path.write_text(URDF.replace("FIRST", first).replace("SECOND", second).replace("FOLLOWS", follows))
        info(lp.load(path), [str(path)], folder, feature)


def printed(row: str, *arguments: str) -> str:
    """What a command prints, on a wide terminal."""
    found = CliRunner().invoke(app, [row, *arguments], env={"COLUMNS": "110"})
    assert found.exit_code == 0, found.output
    return str(found.stdout)


def rows(text: str, title: str) -> dict[str, list[str]]:
    """The rows of the table under a title, by their first words; cells are apart by two spaces or more."""
    lines = text[text.index(title) :].splitlines()
    body = lines[3 : lines.index("", 1)]
    cells = [re.split(r"\s{2,}", line.strip()) for line in body]
    return {row[0]: row[1:] for row in cells}


def same(cells: str | list[str], wanted: Any) -> None:
    """Numbers that are printed, to the last of their digits."""
    texts = [cell.rstrip("▲▼ ") for cell in ([cells] if isinstance(cells, str) else cells)]
    texts = [text for text in texts if re.fullmatch(r"-?[\d.]+(e[-+]\d+)?", text)]
    values = np.ravel(wanted)
    assert len(texts) == len(values), (texts, values)
    for text, value in zip(texts, values, strict=True):
        digits, _, power = text.partition("e")
        last = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
        assert abs(float(text) - value) <= 0.51 * last, (text, value)


def carried(subject: Any) -> Any:
    """The robot that a command asks: of a rover, those on its base, which faces uphill."""
    return subject.robot.with_gravity(subject.ground.gravity_in_base(0.0)) if isinstance(subject, lp.Rover) else subject


# Each command


def info(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    text, robot = printed("info", *arguments), carried(subject)
    mass = sum(link.inertia.mass for link in robot.links)
    assert f"{robot.n} degrees of freedom, {len(robot.joints)} joints, {mass:.4g} kg" in text
    links, joints = rows(text, "\nLinks"), rows(text, "\nJoints")
    for link in robot.links:
        if link.inertia.mass:
            same(links[link.name], [link.inertia.mass, *link.inertia.center_of_mass, *link.inertia.principal_moments])
    for joint in robot.joints:
        kind, child, *_ = joints[joint.name]
        assert (kind, child) == (type(joint.motion).__name__.lower() if joint.mimic is None else "mimic", joint.child)
        if joint.mimic is not None:
            follows, multiplier, offset = rows(text, "\nMimics")[joint.name]
            number, unit = offset.split()
            assert (follows, unit) == (joint.mimic.joint, "rad" if any(joint.motion.angular) else "m")
            same([multiplier, number], [joint.mimic.multiplier, joint.mimic.offset])
    if isinstance(robot, lp.FlexibleRobot):
        for placed in robot.placed_beams:
            same(rows(text, "\nBeams")[placed.link][-1], placed.length)
        assert all(name in rows(text, "\nCompliant joints") for name, _ in robot.joint_compliances)
    if isinstance(subject, lp.Rover):
        normal = subject.wheel_loads(robot.neutral()).normal
        table = rows(text, "\nContacts with the ground")
        same([table[contact][-1] for contact in subject.contact_names], normal)
        assert ("facing up its slope of 0.2 rad" in text) == (feature == "slope")


def demo(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    text, robot = printed("demo", *arguments, "--samples", "4"), carried(subject)
    motion = lp.Motion.swing(robot, STATES)
    at = np.linspace(0, STATES - 1, 4).round().astype(int)
    state = motion.q[at], motion.qd[at], motion.qdd[at]
    tau = robot.inverse_dynamics.uncompiled(*state)
    table = rows(text, "\nTorque or force of every drive")
    for k, dof in enumerate(robot.dof_names):
        same(table[dof], tau[:, k])
    force = robot.joint_wrenches.uncompiled(motion.q, motion.qd, motion.qdd)["joint1"].force
    peaks = rows(text, "\nForce at every joint")["joint1"]
    ranges = [end for cell in peaks[:3] for end in cell.split("..")]
    same(ranges, np.stack([force.min(axis=0), force.max(axis=0)], axis=-1).ravel())
    if feature == "payload":
        assert f"of which {MASS:.4g} kg are payload" in text
    if isinstance(subject, lp.Rover):
        normal, table = subject.wheel_loads(*state).normal, rows(text, "\nNormal force of every wheel")
        for k, contact in enumerate(subject.contact_names):
            same(table[contact], normal[:, k])


def report(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    robot, page = carried(subject), folder / "page.html"
    motion, more = lp.Motion.swing(robot, SAMPLES), []
    if feature == "motion":
        t = np.linspace(0.0, 1.0, 50)
        motion = lp.Motion(t, np.stack([np.sin(t), 0.3 * np.cos(t)], axis=-1), robot=robot)
        motion.to_csv(folder / "motion.csv")
        more = ["--motion", str(folder / "motion.csv")]
    printed("report", *arguments, *more, "-o", str(page))
    text = page.read_text(encoding="utf-8")
    tau = robot.inverse_dynamics.uncompiled(motion.q, motion.qd, motion.qdd)
    check_peaks(text, DRIVES, robot.dof_names, tau)
    if isinstance(subject, lp.Rover):
        normal = subject.wheel_loads(motion.q, motion.qd, motion.qdd).normal
        check_peaks(text, WHEELS, subject.contact_names, normal)


def count(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    table = rows(printed("count", *arguments, "--function", "gravity_forces"), "Operations per state")
    counted = carried(subject).operation_count("gravity_forces")
    found = [int(cell) for cell in table["gravity_forces, newton-euler"]]
    assert found == [counted.multiplications, counted.additions, counted.divisions, counted.functions]


def equations(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    """What is printed, evaluated: tau = M qdd + h + G + F."""
    robot = carried(subject)
    text = printed("equations", *arguments, "--parameters", "numbers", "--digits", "15")
    s = states_of(robot, 1)
    q, qd, qdd = (s[part][0] for part in ("q", "qd", "qdd"))
    symbols = {f"q{k + 1}": x for k, x in enumerate(q)} | {f"qd{k + 1}": x for k, x in enumerate(qd)}
    known = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "sign": np.sign, **symbols}
    M, other = np.zeros((robot.n, robot.n)), np.zeros(robot.n)
    entries = re.findall(r"^([MhGF])(\d+)(?:,(\d+))? = (.+)$", text, re.MULTILINE)
    for kind, digits, second, entry in entries:
        value = eval(entry, {"__builtins__": {}}, known)
        if kind == "M":
            i, j = (int(digits), int(second)) if second else (int(digits[0]), int(digits[1:]))
            M[i - 1, j - 1] = M[j - 1, i - 1] = value
        else:
            other[int(digits) - 1] += value
    close(M @ qdd + other, robot.inverse_dynamics.uncompiled(q, qd, qdd), 1e-10)


def verify(subject: Any, arguments: list[str], folder: Path, feature: str) -> None:
    text, wanted = printed("verify", *arguments, "--states", "3"), lp.verify(carried(subject), 3)
    assert wanted.agrees
    assert f"largest difference {wanted.worst:.1e} of the largest drive force: every pair agrees" in text
    assert all(name in text for name in wanted.names)


READ: dict[str, Callable[[Any, list[str], Path, str], None]] = {
    command.__name__: command for command in (info, demo, report, count, equations, verify)
}
