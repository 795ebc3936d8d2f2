"""Which column of a log holds what: one column serves one joint, an exact name comes first, doubt is an error.

The rule itself is `find_names` of `loadpath.robot.arrays`, for files and arrays alike; spellings are in `table`.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from loadpath.motion.layout import Layout
from loadpath.motion.logs.table import TIME_COLUMNS, columns, is_unit, listed, spellings, split_unit
from loadpath.robot.arrays import Spellings, find_names
from loadpath.robot.numbers import nearest

# Names of columns that known loggers write: numbered ones (UR's RTDE, `q1` to `q6`), arrays of ROS messages, paths.
#
# Numbers of RTDE and of plain `q1, q2, ...` count from the base, as the joints of a robot do. Those of ROS's joint
# states do not (they are often in alphabetical order): there the names in the same row say which joint is meant, or
# nobody does.


TIMES = {"field.header.stamp": "ns", "%time": "ns", "rosbagtimestamp": "ns", "__time": "s"}
"""Of `rostopic echo -p` (the stamp of the message, then that of its recording), of ROS bags, of PlotJuggler."""
FROM_THE_BASE = {
    "q": ("q", "actual_q", "joint_position", "joint_pos", "j", "joint", "axis", "target_q"),
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


class PlacedColumns(NamedTuple):
    """Which column holds what."""

    columns: dict[str, int]
    """By label: `t`, `q.joint1`, `qd.joint1`, `qdd.joint1`."""
    extra: dict[str, int]
    """Other columns that are kept: `tau.joint1`, `current.joint1`, `payload.mass`."""
    units: dict[int, str]
    """Units that are part of the names of columns, and of known loggers."""
    missing: list[str]
    unused: list[str]
    notes: list[str]
    hint: str
    """What may help against what is missing."""
    naming: list[int]
    """Columns with the names of joints that others are of: the same in every row, or nobody knows which is which."""


def place_columns(
    name: str, header: Sequence[str], layout: Layout, columns_given: Mapping[str, str | None] | None,
    first_text: Callable[[int], str],
) -> PlacedColumns:
    """Find the columns of a layout, in this order: those that the user names, exact names, other spellings, names of
    known loggers, names with a unit at their end. Speeds and accelerations are missing only if some of them are there.
    """
    wanted = {label: tuple(label.partition(".")[::2]) for label in columns(layout)}
    others = {f"{kind}.{dof}": (kind, dof) for kind in ("tau", "current") for dof in layout.dof_names}
    mapped, kept, ignored = _mapped(name, header, [*wanted], [*others], columns_given)
    where, units = dict(mapped), {place: _unit_of(header[place]) for place in (*mapped.values(), *kept.values())}
    said = {*mapped.values(), *kept.values(), *ignored}
    free = [cell if k not in said else "" for k, cell in enumerate(header)]
    _exact(name, free, list(wanted), where)
    _other_spellings(name, free, wanted, where, units)
    notes, hint = _known_names(name, free, wanted, where, units, layout, first_text)
    if any(label not in where for label, (of, _) in wanted.items() if of == "q"):
        notes += _as_those_named(name, header, mapped, where, units, layout)
    _with_unit_at_the_end(name, free, wanted, where, units, layout)
    used = {*where.values(), *kept.values(), *ignored}
    extra = dict(kept)
    left = [cell if k not in used else "" for k, cell in enumerate(free)]
    with suppress(ValueError):  # what is kept on the side may be in doubt
        _other_spellings(name, left, others, extra, units)
        ends = {k: path_spelling(text) for k, text in _bare(left).items() if k not in extra.values()}
        extra |= _by_spelling(name, {k: text for k, text in ends.items() if text}, others, extra)
        families = numbered(_bare(left))
        found = by_message(families, [*others], first_text) | by_number(families, layout, name)
        extra |= {label: place for label, place in found.items() if label in others and label not in extra}
    for place, text in _bare(left).items():
        if text.lower() in PAYLOADS and place not in extra.values():
            extra.setdefault(PAYLOADS[text.lower()], place)
    units |= {place: split_unit(header[place])[1] for place in extra.values() if place not in units}
    missing: list[str] = []
    for kind in ("t", "q", "qd", "qdd"):
        labels = [label for label, (of, _) in wanted.items() if of == kind]
        if kind in ("t", "q") or any(label in where for label in labels):
            missing += [label for label in labels if label not in where]
    used = {*where.values(), *extra.values(), *ignored}
    naming = names_beside(numbered(_bare(free)), used)
    used |= naming
    unused = [cell for k, cell in enumerate(header) if cell.strip() and k not in used]
    return PlacedColumns(where, extra, units, missing, unused, notes, hint, sorted(naming))


def nothing_found(name: str, placed: PlacedColumns, header: Sequence[str]) -> ValueError:
    """The error about columns that are missing, with what may be meant."""
    text = f"{name}: there is no column {listed(placed.missing)}; there are {listed(header)}"
    if "t" in placed.missing:
        text += "; times are named t, time or timestamp, with a unit if it is not s, as in 'time [ms]' or time_ms"
    near = None if placed.hint else _meant(placed.unused, placed.missing)
    if near:
        text += f"; did you mean {listed([near[0]])} by {listed([near[1]])}?"
    if placed.hint:
        text += f"; {placed.hint}"
    elif placed.unused and not near:
        text += f"; columns={{'name in the log': {placed.missing[0].partition('.')[2] or 't'!r}}} says which is which"
    return ValueError(text)


def _meant(unused: Sequence[str], missing: Sequence[str]) -> tuple[str, str] | None:
    """A label that is missing and the column that is nearly called so."""
    spelled = {text: label for label in missing[:200] for text in spellings(*label.partition(".")[::2])}
    short = [text for text in spelled if len(text) < 200]
    for cell in unused[:100]:
        near = difflib.get_close_matches(split_unit(cell)[0][:200], short, 1, 0.75)
        if near:
            return spelled[near[0]], cell
    return None


def _mapped(
    name: str, header: Sequence[str], labels: list[str], others: list[str], given: Mapping[str, str | None] | None
) -> tuple[dict[str, int], dict[str, int], set[int]]:
    """What the user says of columns: places by label, places of what is kept on the side, columns to leave out."""
    found: dict[str, int] = {}
    kept: dict[str, int] = {}
    ignored: set[int] = set()
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"columns is {given!r}: expected names of joints by names of columns, like "
                         "{'actual_q_0': 'shoulder'}")
    bare = {text: k for k, text in _bare(header).items()}
    for column, target in (given or {}).items():
        place = header.index(column) if column in header else bare.get(str(column))
        if place is None:
            raise ValueError(f"{name}: columns= names the column {column!r}, which is not there"
                             f"{nearest(str(column), [cell for cell in header if cell.strip()])}")
        if target is None:
            ignored.add(place)
            continue
        label = target if target in (*labels, *others) else f"q.{target}"
        if str(target).startswith("extra.") and target not in labels:
            kept[str(target).removeprefix("extra.")] = place
        elif label in others:
            kept[label] = place
        elif label not in labels:
            known = dict.fromkeys(text.partition(".")[2] or text for text in labels)
            raise ValueError(f"{name}: columns= says that {column!r} is {target!r}, which is no coordinate of the robot"
                             f"{nearest(str(target), known)}")
        elif label in found:
            raise ValueError(f"{name}: columns= names two columns for {target!r}, {header[found[label]]!r} and "
                             f"{column!r}")
        else:
            found[label] = place
    return found, kept, ignored


def _bare(header: Sequence[str]) -> dict[int, str]:
    """Names without brackets, of the columns that have one."""
    return {k: split_unit(cell)[0] for k, cell in enumerate(header) if cell.strip()}


def _exact(name: str, header: Sequence[str], labels: list[str], where: dict[str, int]) -> None:
    """Columns named as they are written here, whatever is in the names: spaces, brackets, the words of units."""
    places = find_names(header, labels, name, [lambda label: (label,)])
    for label, place in zip(labels, places, strict=True):
        if place is not None and label not in where:
            where[label] = place


def _other_spellings(
    name: str, header: Sequence[str], wanted: Mapping[str, tuple[str, ...]], where: dict[str, int],
    units: dict[int, str],
) -> None:
    """The columns that are named otherwise, with a unit after the name or in another spelling."""
    used = set(where.values())
    left = {k: text for k, text in _bare(header).items() if k not in used}
    for k, text in left.items():
        if text in where:
            raise ValueError(f"{name}: {text!r} is there twice, as {header[where[text]]!r} and {header[k]!r}: keep one")
    for label, place in _by_spelling(name, left, wanted, where).items():
        where[label], units[place] = place, split_unit(header[place])[1]


def _by_spelling(
    name: str, texts: Mapping[int, str], wanted: Mapping[str, tuple[str, ...]], where: Mapping[str, int]
) -> dict[str, int]:
    """Labels that are still open, by the texts of columns in one of their spellings."""
    lower: dict[str, list[str]] = {}
    for text in texts.values():
        lower.setdefault(text.lower(), []).append(text)
    # The plain name of a joint, or of the time; another spelling; in other letters.
    ranks: list[Spellings] = [
        lambda label: (label,),
        lambda label: TIME_COLUMNS if label == "t" else (wanted[label][1],) if wanted[label][0] == "q" else (),
        lambda label: spellings(*wanted[label]),
        lambda label: [name for text in spellings(*wanted[label]) for name in lower.get(text.lower(), ())],
    ]
    labels, places = [label for label in wanted if label not in where], list(texts)
    found = find_names(list(texts.values()), labels, name, ranks)
    return {label: places[k] for label, k in zip(labels, found, strict=True) if k is not None}


def _known_names(
    name: str, header: Sequence[str], wanted: Mapping[str, tuple[str, ...]], where: dict[str, int],
    units: dict[int, str], layout: Layout, first_text: Callable[[int], str],
) -> tuple[list[str], str]:
    """Columns as known loggers name them; sentences about them, and a hint where they leave a question open."""
    used = set(where.values())
    left = {k: text for k, text in _bare(header).items() if k not in used}
    notes: list[str] = []
    if "t" not in where:
        lower = {text.lower(): k for k, text in reversed(left.items())}
        stamp = next((stamp for stamp in TIMES if stamp in lower), None)
        if stamp is not None:
            where["t"] = lower[stamp]
            units[lower[stamp]] = split_unit(header[lower[stamp]])[1] or TIMES[stamp]
    ends = {k: path_spelling(text) for k, text in left.items() if path_spelling(text)}
    twice = {text: count for text, count in Counter(ends.values()).items() if count > 1}
    labels = {label: parts for label, parts in wanted.items() if parts[0] != "t"}
    once = {k: text for k, text in ends.items() if text not in twice}
    for label, place in _by_spelling(name, once, labels, where).items():
        where[label], units[place] = place, split_unit(header[place])[1]
    used = set(where.values())
    families = numbered({k: text for k, text in left.items() if k not in used})
    for found, how in (
        (by_message(families, [*wanted], first_text), "by the names of joints beside them"),
        (by_number(families, layout, name), "in the order of the robot's joints"),
    ):
        new = {label: place for label, place in found.items() if label in wanted and label not in where}
        if new:
            pairs = [f"'{header[place]}' is {label}" for label, place in new.items()]
            notes.append(f"numbered columns were taken {how}: {', '.join(pairs[: max(layout.nq, 1)])}")
        for label, place in new.items():
            where[label], units[place] = place, split_unit(header[place])[1]
    hint = ""
    open_q = [label for label in wanted if label not in where and wanted[label][0] == "q"]
    if open_q and (alone := without_names(families)):
        hint = (f"columns like '{alone}' do not say which joint they are of, and ROS has its own order: say it with "
                f"columns={{'{alone}': {wanted[open_q[0]][1]!r}, ...}}")
    elif open_q and twice:
        first = next(iter(twice))
        both, joint = [header[k] for k, end in ends.items() if end == first][:2], first.partition("/")[0]
        hint = f"{listed(both)} could be the same: say which with columns={{{both[0]!r}: {joint!r}, ...}}"
    return notes, hint


def _as_those_named(
    name: str, header: Sequence[str], mapped: Mapping[str, int], where: dict[str, int], units: dict[int, str],
    layout: Layout,
) -> list[str]:
    """Numbered columns of which the user names some, as the order of the joints has them: the others follow."""
    order = by_number(numbered(_bare(header)), layout, name)
    if not mapped or any(where[label] != place for label, place in order.items() if label in mapped):
        return []
    new = {label: place for label, place in order.items() if label not in where and place not in where.values()}
    for label, place in new.items():
        where[label], units[place] = place, split_unit(header[place])[1]
    pairs = [f"'{header[place]}' is {label}" for label, place in new.items()]
    return [f"numbered columns were taken in the order of the robot's joints: {', '.join(pairs)}"] if new else []


def _with_unit_at_the_end(
    name: str, header: Sequence[str], wanted: Mapping[str, tuple[str, ...]], where: dict[str, int],
    units: dict[int, str], layout: Layout,
) -> None:
    """Columns like `time_ms` and `elbow_deg`."""
    texts: dict[int, str] = {}
    found: dict[int, str] = {}
    used = set(where.values())
    for k, text in _bare(header).items():
        stem, mark, unit = text.rpartition("_")
        if k not in used and mark and stem and is_unit(unit):
            texts[k], found[k] = stem, unit
    if len(set(texts.values())) < len(texts):
        return  # the same in two units: it is not known which is meant
    for label, place in _by_spelling(name, texts, wanted, where).items():
        where[label], units[place] = place, found[place]
    for label, place in by_number(numbered(texts), layout, name).items():
        if label in wanted and label not in where:
            where[label], units[place] = place, found[place]


def _unit_of(cell: str) -> str:
    """The unit of a column that the user names: in brackets, or at the end and more than a letter.

    >>> _unit_of("axis [deg]"), _unit_of("axis_deg"), _unit_of("axis_m")
    ('deg', 'deg', '')
    """
    name, unit = split_unit(cell)
    end = name.rpartition("_")[2]
    return unit or (end if end != name and len(end) > 1 and is_unit(end) else "")
