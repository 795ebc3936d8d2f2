"""`lp.check`: a robot or its file examined by all rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from loadpath.api.loading import read, robot_of
from loadpath.api.robot import Robot, as_robot
from loadpath.doctor.checkup import Checkup
from loadpath.doctor.finding import SEVERITIES, Finding
from loadpath.doctor.patient import Patient
from loadpath.doctor.rules import RULES
from loadpath.errors import ModelError, ModelWarning
from loadpath.files.assets import Assets
from loadpath.files.formats import URDF
from loadpath.files.opening import RobotText, format_of, text_at
from loadpath.files.urdf_problems import readable_parts
from loadpath.files.xacro import ends_as_xacro, has_xacro
from loadpath.files.xml_reading import XmlElement, read_xml
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.solids import positive_density
from loadpath.robot.tree import model_warnings


def check(
    robot: str | PathLike[str] | RobotModel,
    *,
    density: float | None = None,
    meshes: bool = True,
    ignore: Iterable[str] = (),
    package_paths: Iterable[str | PathLike[str]] = (),
) -> Checkup:
    """What is wrong or strange in a robot or its file: each finding with severity, link or joint, numbers and remedy.

    A file that is refused is examined too, as far as it can be read, and everything that refuses it is found, not only
    the first. `density` (kg/m^3) lets the inertias of links that have a shape and none be estimated. `meshes=False`
    measures no shapes, which takes most of the time. `ignore` names rules to leave out. `package_paths` are folders
    where packages of the file are, as in `lp.load`.

    >>> import loadpath as lp
    >>> print(lp.check(lp.catalog.panda()))
    panda: nothing found
    """
    ignored = _known_rules(ignore)
    loaded: Robot | None
    if density is not None:
        density = positive_density(density, "density")
    if isinstance(robot, RobotModel):
        robot = robot.on_fixed_base
        made = robot if isinstance(robot, Robot) else as_robot(robot)
        patient = Patient(robot.name, robot.links, robot.joints, robot)
        subject, text, loaded = robot.name, None, made
    elif isinstance(robot, (str, PathLike)):
        patient, text, loaded = _of_file(robot, tuple(Path(folder) for folder in package_paths))
        subject = fspath(robot)
    else:
        raise ValueError(f"to check is {robot!r}: expected a robot, or the path of its file")
    patient = replace(patient, density=density, with_meshes=meshes)
    found = []
    for rule in RULES:
        if rule.name not in ignored:
            found += [replace(finding, rule=rule.name) for finding in rule.examine(patient)]
    ordered = sorted(_once(found), key=lambda finding: SEVERITIES.index(finding.severity))
    return Checkup(subject, tuple(ordered), loaded, text, patient.left_out)


def _once(found: list[Finding]) -> list[Finding]:
    """Without what the reader of the file says and a rule says better."""
    said = {finding.where for finding in found if finding.rule in ("forgotten", "unused")}
    return [
        finding
        for finding in found
        if not (finding.rule == "file" and finding.where in said and "no <inertial>" in finding.message)
    ]


def _known_rules(names: Iterable[str]) -> frozenset[str]:
    given = (names,) if isinstance(names, str) else tuple(names)
    known = [rule.name for rule in RULES]
    for name in given:
        if name not in known:
            raise ValueError(f"there is no rule '{name}'; there are {', '.join(known)}")
    return frozenset(given)


def _of_file(path: str | PathLike[str], packages: tuple[Path, ...]) -> tuple[Patient, bytes | None, Robot | None]:
    """What can be read of a file; its text, if it is a URDF; and the robot, if it is not refused."""
    refusals: tuple[str, ...] = ()
    loaded: Robot | None = None
    left_out: tuple[str, ...] = ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        try:
            given = read(path, package_paths=packages)
            loaded, left_out = robot_of(given, path), given.notes
        except ModelError as problem:
            refusals = (str(problem),)
    text, root = _urdf(path, Assets(packages=packages))
    if loaded is not None:
        messages = [str(entry.message) for entry in caught if issubclass(entry.category, ModelWarning)]
        remarks = _remarks([message.removeprefix(f"{fspath(path)}: ") for message in messages], loaded)
        made = Patient(fspath(path), loaded.links, loaded.joints, loaded, root, (), remarks, left_out)
        return made, _data(text), loaded
    if root is None or text is None:
        return Patient(fspath(path), (), (), None, None, refusals), _data(text), None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        parts = readable_parts(root, text.source, text.assets)
        tree = _tree(fspath(path), parts.links, parts.joints)
    first = refusals[0]  # with a hint at its end
    refusals += tuple(problem for problem in parts.problems if not first.startswith(problem))
    return Patient(fspath(path), parts.links, parts.joints, tree, root, refusals), text.data, None


def _data(text: RobotText | None) -> bytes | None:
    return None if text is None else text.data


def _tree(name: str, links: tuple[Link, ...], joints: tuple[Joint, ...]) -> RobotModel | None:
    """The robot that readable parts make, if they make one."""
    try:
        return RobotModel(name, links, joints)
    except ModelError:
        return None


def _urdf(path: str | PathLike[str], packages: Assets) -> tuple[RobotText | None, XmlElement | None]:
    """The text of a file and its XML, if it is a URDF; not of xacro, which is written otherwise."""
    try:
        text = text_at(path, packages)
        if format_of(text) is not URDF or ends_as_xacro(text.source):
            return None, None
        root = read_xml(text.data, text.source)
        return (None, None) if has_xacro(root) else (text, root)
    except (ModelError, OSError):
        return None, None


def _remarks(messages: list[str], robot: RobotModel) -> tuple[str, ...]:
    """What the reader of the file warned of, without what the rules find by themselves."""
    own = model_warnings(robot.links, robot.joints, closed=robot.held_by_loops)
    lines = [line.strip() for message in messages for line in message.split("\n") if line.strip()]
    return tuple(
        line for line in dict.fromkeys(lines) if not line.endswith(":") and not any(fault in line for fault in own)
    )
