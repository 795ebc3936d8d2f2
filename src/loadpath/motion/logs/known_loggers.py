"""Names of columns that known loggers write: numbered ones (UR's RTDE, `q1` to `q6`), arrays of ROS messages, paths.

Numbers of RTDE and of plain `q1, q2, ...` count from the base, as the joints of a robot do. Those of ROS's joint states
do not (they are often in alphabetical order): there the names in the same row say which joint is meant, or nobody does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from loadpath.motion.layout import Layout

TIMES = {"field.header.stamp": "ns", "%time": "ns", "rosbagtimestamp": "ns", "__time": "s"}
"""Of `rostopic echo -p` (the stamp of the message, then that of its recording), of ROS bags, of PlotJuggler."""
FROM_THE_BASE = {
    "q": ("q", "actual_q", "joint_position", "joint_pos", "target_q"),
    "qd": ("qd", "dq", "actual_qd", "joint_velocity", "joint_vel", "target_qd"),
    "qdd": ("qdd", "ddq", "actual_qdd", "joint_acceleration", "target_qdd"),
    "tau": ("tau", "torque", "joint_torque", "actual_current_as_torque"),
    "current": ("actual_current",),
}
"""Columns that are numbered from the base; what was measured (`actual_`) comes before what was asked (`target_`)."""
IN_MESSAGES = {
    "q": ("position", "positions", "pos"), "qd": ("velocity", "velocities", "vel"), "tau": ("effort", "efforts"),
}
PAYLOADS = {
    "payload": "payload.mass", "payload_mass": "payload.mass", "payload.mass": "payload.mass",
    **{f"payload_cog_{k}": f"payload.center_of_mass.{axis}" for k, axis in enumerate("xyz")},
    **{f"payload_cog_{axis}": f"payload.center_of_mass.{axis}" for axis in "xyz"},
    **{f"payload.center_of_mass.{axis}": f"payload.center_of_mass.{axis}" for axis in "xyz"},
}
"""What the robot carries, and the label that it is kept under."""

_NUMBERED = re.compile(r"^(?P<stem>.*?)(?P<mark>[._ ]?|\[)(?P<number>\d{1,4})\]?$")


class Numbered(NamedTuple):
    """Columns of one stem by number, as in `actual_q_0` to `actual_q_5`."""

    stem: str
    columns: dict[int, int]

    @property
    def in_order(self) -> list[int] | None:
        """The columns from the first to the last number, if none is missing and they begin with 0 or 1."""
        numbers = sorted(self.columns)
        whole = numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        return [self.columns[number] for number in numbers] if whole else None


def numbered(names: Mapping[int, str]) -> dict[str, Numbered]:
    """Columns with numbers at the end of their names, by what is before in small letters.

    >>> numbered({0: "t", 1: "actual_q_0", 2: "actual_q_1"})["actual_q"].in_order
    [1, 2]
    """
    found: dict[str, Numbered] = {}
    for place, name in names.items():
        if match := _NUMBERED.match(name[:200]):
            stem = match["stem"].lower()
            found.setdefault(stem, Numbered(match["stem"], {})).columns.setdefault(int(match["number"]), place)
    return found


def by_number(families: Mapping[str, Numbered], layout: Layout, path: str) -> dict[str, int]:
    """Labels (`q.joint1`) of columns that are numbered from the base, where there are as many as joints."""
    if layout.nq != layout.n:
        return {}
    found: dict[str, int] = {}
    prefix: str | None = None
    for kind, stems in FROM_THE_BASE.items():
        whole = {stem: families[stem].in_order for stem in stems if stem in families}
        fitting = {stem: order for stem, order in whole.items() if order is not None and len(order) == layout.n}
        if kind in ("qd", "qdd") and prefix is not None:  # rates of what was measured, not of what was asked for
            fitting = {stem: order for stem, order in fitting.items() if _prefix(stem) == prefix}
        if any(stem.startswith("actual_") for stem in fitting):
            fitting = {stem: order for stem, order in fitting.items() if not stem.startswith("target_")}
        if len(fitting) > 1:
            first, second = list(fitting)[:2]
            raise ValueError(f"{path} has numbered columns '{families[first].stem}' and '{families[second].stem}', and "
                             f"each of them could be {kind}: say which with columns=, or leave one out")
        for stem, order in fitting.items():
            found |= {f"{kind}.{name}": place for name, place in zip(layout.dof_names, order, strict=True)}
            prefix = _prefix(stem) if kind == "q" else prefix
    return found


def _prefix(stem: str) -> str:
    return stem.partition("_")[0] if stem.startswith(("actual_", "target_")) else ""


def by_message(
    families: Mapping[str, Numbered], wanted: Sequence[str], first_text: Callable[[int], str]
) -> dict[str, int]:
    """Labels of columns of ROS messages, whose joints are named in columns `name` beside them."""
    found: dict[str, int] = {}
    for kind, words in IN_MESSAGES.items():
        for stem, family in families.items():
            before, word = _last_word(stem)
            names = families.get(f"{before}name") if word in words else None
            if names is None:
                continue
            for number, place in family.columns.items():
                if number in names.columns:
                    label = f"{kind}.{first_text(names.columns[number]).strip()}"
                    if label in wanted and label not in found:
                        found[label] = place
    return found


def names_beside(families: Mapping[str, Numbered], used: set[int]) -> set[int]:
    """Columns of names of joints that say what used columns of ROS messages are.

    >>> sorted(names_beside(numbered({0: "name0", 1: "name1", 2: "position0"}), {2}))
    [0]
    """
    found: set[int] = set()
    for stem, family in families.items():
        before, word = _last_word(stem)
        names = families.get(f"{before}name") if any(word in words for words in IN_MESSAGES.values()) else None
        if names is not None:
            found |= {names.columns[k] for k, place in family.columns.items() if place in used and k in names.columns}
    return found


def without_names(families: Mapping[str, Numbered]) -> str:
    """The name of a column of positions in a ROS message whose joint nobody says."""
    for stem, family in families.items():
        before, word = _last_word(stem)
        if word in IN_MESSAGES["q"] and f"{before}name" not in families:
            return _name_of(family)
    return ""


def _name_of(family: Numbered) -> str:
    return f"{family.stem}{min(family.columns)}"


def _last_word(stem: str) -> tuple[str, str]:
    """`field.position` as `field.` and `position`."""
    cut = max(stem.rfind(mark) for mark in "./") + 1
    return stem[:cut], stem[cut:].rstrip("_[ ")


def path_spelling(name: str) -> str:
    """The end of a path as `joint/kind`: PlotJuggler writes `/joint_states/elbow_joint/position`.

    >>> path_spelling("/joint_states/elbow_joint/position"), path_spelling("elbow")
    ('elbow_joint/position', '')
    """
    parts = name.split("/")
    return "/".join(parts[-2:]) if len(parts) > 2 else ""
