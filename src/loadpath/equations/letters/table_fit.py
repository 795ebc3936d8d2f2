"""Which table of a source fits a robot, if one does."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from loadpath.equations.letters.expressions import expression, solved
from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.letters.tables import TABLES, Table
from loadpath.equations.parameters import Constant, constants
from loadpath.robot.model import RobotModel

_SAME = 1e-12


def table_of(robot: RobotModel, scheme: Scheme) -> tuple[Table | None, tuple[str, ...]]:
    """The table of a source for this robot, if there is one and it fits; otherwise why it does not."""
    notes: list[str] = []
    for table in TABLES.get(scheme.name, ()):
        if not _has_structure(robot, table):
            continue
        why = _misfit(robot, table, scheme)
        if why is None:
            return table, tuple(notes)
        notes.append(f"not in the letters of {table.robot}: {why}")
    return None, tuple(notes)


def from_table(table: Table, known: Mapping[str, Constant]) -> dict[str, sympy.Expr]:
    """The expressions for the constants that are not zero: of a table, by the rule for what hangs on that robot."""
    return {
        key: expression(key, table.letters[key]) if key in table.letters else sympy.Symbol(constant.name)
        for key, constant in known.items()
        if constant.value
    }


def _has_structure(robot: RobotModel, table: Table) -> bool:
    """Whether a robot is that of a table; more links may be fixed to it, like a payload or a frame at its tip."""
    joints = [(joint.name, joint.parent, joint.child, joint.motion.angular) for joint in robot.joints]
    own = [joint for joint in joints if joint in table.joints]
    return tuple(own) == table.joints and not any(joint[3] for joint in joints if joint not in table.joints)


def _misfit(robot: RobotModel, table: Table, scheme: Scheme) -> str | None:
    known = constants(robot, scheme)
    names = {joint.name for joint in robot.joints} | set(robot.link_names)
    own = {part for name, _, child, _ in table.joints for part in (name, child)}
    for key, constant in known.items():
        fixed_to_it = any(key.startswith(f"{name}.") for name in names - own)
        if constant.value and key not in table.letters and not fixed_to_it:
            return f"'{key}' is {constant.value:.6g}, which has no letter there"
    given = from_table(table, known)
    values = solved(given, known, {})
    checked = {key: expression(key, text) for key, text in table.checks.items()}
    for key, found in {**given, **checked}.items():
        value = known[key].value
        if found.free_symbols - set(values):
            return f"'{key}' is {found}, which is not known"
        number = float(found.subs(values))
        if abs(number - value) > _SAME * max(abs(value), abs(number)):
            return f"'{key}' is {value:.6g}, but {found} is {number:.6g}"
    return None
