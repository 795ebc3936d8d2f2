"""What an examination found: a table, and the robot or its file mended."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

from loadpath import html
from loadpath.api.loading import read, robot_of
from loadpath.api.robot import Robot, as_robot
from loadpath.doctor.finding import KINDS, SAFE, SEVERITIES, Finding, Fix, InertiaFix, Severity, mended
from loadpath.doctor.patient import Patient
from loadpath.doctor.rules import RULES
from loadpath.errors import ModelError, ModelWarning, warn
from loadpath.files.assets import Assets
from loadpath.files.formats import URDF, format_of_ending, formats
from loadpath.files.opening import RobotText, format_of, text_at
from loadpath.files.urdf.reading import readable_parts
from loadpath.files.xacro import ends_as_xacro, has_xacro
from loadpath.files.xml_reading import XmlElement, read_xml
from loadpath.printable import printable
from loadpath.robot.edit import with_inertias
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.solids import positive_density
from loadpath.robot.tree import model_warnings
from loadpath.whole_file import write_whole

Cell: TypeAlias = str | dict[str, float] | None
"""What a row of findings holds: words, a fix or none, and numbers by name."""
_COLUMNS = ["", "where", "rule", "what", "remedy", "fix"]


@dataclass(frozen=True, eq=False)
class Checkup:
    """The findings on a robot, the worst first. Print it for a table.

    >>> import loadpath as lp
    >>> checkup = lp.check(lp.catalog.panda())
    >>> checkup.sound, checkup.count("error")
    (True, 0)
    """

    subject: str
    """The file, or the name of the robot."""
    findings: tuple[Finding, ...]
    robot: Robot | None = field(default=None, repr=False)
    """As it is; None if its file is refused."""
    text: bytes | None = field(default=None, repr=False)
    """The text of a URDF."""
    left_out: tuple[str, ...] = field(default=(), repr=False)
    """What of the file is not read, and not in a file that is written anew: sensors, contacts, controllers."""

    def __repr__(self) -> str:
        return f"<checkup of '{printable(self.subject)}': {self.summary}>"

    @property
    def sound(self) -> bool:
        """Whether there are neither errors nor warnings."""
        return not (self.count("error") or self.count("warning"))

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def summary(self) -> str:
        """How many findings of each kind, in words."""
        counted = [
            f"{count} {severity}{'' if count == 1 else 's'}"
            for severity in SEVERITIES
            if (count := self.count(severity))
        ]
        return ", ".join(counted) or "nothing found"

    def fixes(self, kinds: Iterable[str] = SAFE) -> tuple[Fix, ...]:
        """What would be mended, of these kinds; of two fixes of one link, that of the kind that is named first."""
        kinds = _known(kinds)
        offered = [finding.fix for finding in self.findings if finding.fix is not None]
        chosen: dict[tuple[type, str], Fix] = {}
        for kind in kinds:
            for fix in offered:
                if fix.kind == kind:
                    name = fix.link if isinstance(fix, InertiaFix) else fix.joint
                    chosen.setdefault((type(fix), name), fix)
        return tuple(chosen.values())

    def fixed(self, kinds: Iterable[str] = SAFE) -> Robot:
        """The robot with what can be mended of these kinds: by default what is safe, tensors that no body has and axes
        that are not of length 1.

        >>> import loadpath as lp
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     arm = lp.catalog.planar(1).with_inertias({"link1": lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=2.3)})
        >>> lp.check(arm).fixed().link("link1").inertia.principal_moments.round(6).tolist()
        [1.1, 1.1, 2.2]
        """
        if self.robot is None:
            raise ValueError(
                f"{self.subject} is refused, so there is no robot to mend: fixed_text() mends what can be mended in "
                "the file, and the findings say what is left"
            )
        bodies = {fix.link: fix.inertia for fix in self.fixes(kinds) if isinstance(fix, InertiaFix)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # they are in the findings
            return with_inertias(replace(self.robot, known_faults=self.robot.known_faults), bodies)

    def fixed_text(self, kinds: Iterable[str] = SAFE) -> bytes:
        """The text of a URDF with what can be mended, changed in place: comments, order and all else stay."""
        if self.text is None:
            raise ValueError(
                f"{self.subject} is no URDF file, whose text can be mended in place: checkup.fixed() is the "
                "mended robot, and robot.to_urdf, to_mjcf or to_sdf writes it"
            )
        return mended(self.text, self.fixes(kinds))

    def write_fixed(self, path: str | PathLike[str], kinds: Iterable[str] = SAFE) -> Path:
        """Writes what is mended, whole or not at all: a URDF with its own text mended in place; another robot as the
        ending of the file says, with a warning of what that format cannot say and of what was not read.
        """
        if self.text is not None and format_of_ending(Path(path).suffix) in (URDF, None):
            made = self.fixed_text(kinds)
            return write_whole(path, lambda file: file.write(made))
        chosen = format_of_ending(Path(path).suffix)
        if chosen is None:
            endings = ", ".join(row.endings[0] for row in formats() if row.writer and row.endings)
            raise ValueError(f"'{path}' does not say in which format to write: expected a name that ends in {endings}")
        written = chosen.write(self.fixed(kinds))
        if written.lost:
            warn(f"{fspath(path)}: {chosen.name} cannot say all of the robot: {'; '.join(written.lost)}")
        if self.left_out:
            warn(f"{fspath(path)} is written anew, without what is not read of {self.subject}: "
                 f"{'; '.join(self.left_out)}")
        return write_whole(path, lambda file: file.write(written.text.encode()))

    def to_rows(self) -> list[dict[str, Cell]]:
        """The findings as plain data, for JSON and data frames."""
        return [
            {
                "severity": finding.severity,
                "where": finding.where,
                "rule": finding.rule,
                "message": finding.message,
                "remedy": finding.remedy,
                "numbers": dict(finding.numbers),
                "fix": finding.fix.kind if finding.fix is not None else None,
            }
            for finding in self.findings
        ]

    def to_json(self) -> str:
        """The findings as JSON."""
        counts: Mapping[str, int] = {severity: self.count(severity) for severity in SEVERITIES}
        made = {"subject": self.subject, "sound": self.sound, "counts": counts, "findings": self.to_rows()}
        return json.dumps(made, indent=1, allow_nan=False)

    def _repr_html_(self) -> str:
        rows = [[printable(text) for text in _cells(finding)] for finding in self.findings]
        return html.table(printable(f"{self.subject}: {self.summary}"), _COLUMNS, rows, left=len(_COLUMNS))

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.summary}"]
        for finding in self.findings:
            lines.append(f"{finding.severity + ':':<9}{finding.where}: {finding.message} [{finding.rule}]")
            fix = f" (fix: {finding.fix.kind})" if finding.fix is not None else ""
            if finding.remedy or fix:
                lines.append(f"{'':<9}-> {finding.remedy}{fix}")
        return "\n".join(map(printable, lines))


def _cells(finding: Finding) -> list[str]:
    fix = finding.fix.kind if finding.fix is not None else ""
    return [finding.severity, finding.where, finding.rule, finding.message, finding.remedy, fix]


def _known(kinds: Iterable[str]) -> tuple[str, ...]:
    named = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in named:
        if kind not in KINDS:
            raise ValueError(f"there is no fix '{kind}'; there are {', '.join(KINDS)}")
    return named


# `lp.check`: a robot or its file examined by all rules.


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
