"""Tables of parts: `lp.parts.read("gears.csv")`, `table.pick("ratio == 100 and mass < 2 kg")`.

A row has the numbers of a part by the names of its class, with units as in project files, what the catalogue says of
the drive train (`efficiency`, `no_load_torque`, ...), `mass`, and columns of the user's own, like `cost`. Where the
numbers come from is kept: `source`, `edition`, and the place in the file.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from typing import Any, overload

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.columns import looks_like_rating, parted, plain, spelled, with_name, words_of_own
from loadpath.parts.kinds import has_own_kind, kind_of, kinds, part_class
from loadpath.parts.part import Origin, Part
from loadpath.parts.table_files import Row, rows_of_file
from loadpath.printable import printable
from loadpath.robot.conditions import Condition, Kinds
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.numbers import nearest, number
from loadpath.robot.units_of_text import in_si
from loadpath.tables import Table

OF_ROW = ("kind", "name", "type", "source", "edition", "pedigree", "mass", "cost")
_OF_DRIVE = ("efficiency", "no_load_torque", "rotor_inertia", "torque_constant", "resistance")
"""What a row may say of the drive train beside its part."""
_MASS: dict[str, Measures] = {"mass": ("mass",)}
_MIS_SPELT = 0.8
"""How alike a column of the user's own may be to one that is known, before it is taken for a slip."""


@dataclass(frozen=True, eq=False)
class ListedPart:
    """A row of a table: a part, what the row says of its drive train, its mass, and numbers of the user's own.

    >>> import loadpath as lp
    >>> row = lp.parts.table([lp.Motor(continuous_torque=1.2, name="M1")], mass=["900 g"], cost=[180])[0]
    >>> row.label, row.mass, row.numbers["cost"]
    ('M1', 0.9, 180.0)
    """

    part: Part
    drive: Drive | None = None
    mass: float | None = None
    """kg; None where the row has none."""
    numbers: Mapping[str, object] = field(default_factory=dict)
    """Columns of the user's own, `cost` among them."""

    @property
    def label(self) -> str:
        """Its name, else its kind."""
        return self.part.label

    @property
    def origin(self) -> Origin | None:
        """Where its numbers come from."""
        return self.part.origin

    def number(self, name: str) -> float:
        """A number of the row, of the part or of the drive train by its name, in SI units; NaN where it has none."""
        if name == "mass":
            return math.nan if self.mass is None else self.mass
        for holder in (self.numbers, vars(self.part), {} if self.drive is None else vars(self.drive)):
            value = holder.get(name)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return float(value)
            if value is not None:
                break
        return math.nan

    def __repr__(self) -> str:
        more = "" if self.mass is None else f", {self.mass:g} kg"
        return printable(f"<{self.part.kind} '{self.label}'{more}>")


class PartTable(Sequence[ListedPart]):
    """Parts in a row; `table["CSG-25-100"]` is that of a name, `pick` and `where` choose by their numbers.

    >>> import loadpath as lp
    >>> motors = lp.parts.table([lp.Motor(continuous_torque=t, name=f"M{t:g}") for t in (0.5, 1, 2)], mass=[1, 2, 4])
    >>> len(motors), motors["M1"].mass, motors.where("mass <= 2 kg").names
    (3, 2.0, ('M0.5', 'M1'))
    """

    def __init__(self, rows: Iterable[ListedPart], name: str = "") -> None:
        self.rows = tuple(rows)
        self.name = name
        """Of the file."""
        names = [row.label for row in self.rows]
        twice = next((one for one in names if names.count(one) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise ModelError(f"{name or 'the table'} has two parts called '{twice}': give each a name of its own "
                             "(its column is called 'name')")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts, in their order."""
        return tuple(row.label for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ListedPart]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int | str) -> ListedPart: ...
    @overload
    def __getitem__(self, key: slice) -> PartTable: ...
    def __getitem__(self, key: int | str | slice) -> ListedPart | PartTable:
        if isinstance(key, slice):
            return PartTable(self.rows[key], self.name)
        if not isinstance(key, str):
            return self.rows[key]
        found = next((row for row in self.rows if row.label == key), None)
        if found is None:
            raise ModelError(f"{self.name or 'the table'} has no part '{key}'{nearest(key, self.names)}")
        return found

    def where(self, condition: str) -> PartTable:
        """The rows whose numbers fulfil a condition, in words: "ratio == 100 and peak_torque >= 80 N m". A row without
        one of the numbers does not.
        """
        asked = Condition(condition)
        columns = {name: np.array([row.number(name) for row in self.rows]) for name in asked.names}
        for name, column in columns.items():
            if len(column) and np.isnan(column).all():
                raise ModelError(f"condition '{condition}': no part of {self.name or 'the table'} has a number '{name}'"
                                 f"{nearest(name, self._columns)}")
        holds = asked(columns, self._kinds) if self.rows else np.zeros(0, dtype=bool)
        return PartTable((row for row, good in zip(self.rows, holds, strict=True) if good), self.name)

    def pick(self, which: str, *, least: str = "") -> Part:
        """One part, by its name or by a condition on its numbers: the only one that fulfils it, or of several the one
        with the `least` of a number.

        >>> import loadpath as lp
        >>> motors = lp.parts.table([lp.Motor(continuous_torque=t, name=f"M{t:g}") for t in (1.0, 2.0)], mass=[2, 4])
        >>> motors.pick("M2").continuous_torque, motors.pick("continuous_torque >= 500 mN m", least="mass").name
        (2.0, 'M1')
        """
        if which in self.names:
            return self[which].part
        if not any(sign in which for sign in "<>="):
            return self[which].part  # which is refused, with the names that there are
        found = self.where(which)
        if not len(found):
            raise ModelError(f"no part of {self.name or 'the table'} fulfils '{which}'")
        if len(found) > 1 and not least:
            raise ModelError(f"{len(found)} parts of {self.name or 'the table'} fulfil '{which}' "
                             f"({', '.join(found.names[:5])}{' ...' if len(found) > 5 else ''}): say which, as by "
                             "least=\"mass\"")
        values = [row.number(least) if least else 0.0 for row in found]
        if np.isnan(values).any():
            raise ModelError(f"part '{found.names[int(np.argmax(np.isnan(values)))]}' has no number '{least}'"
                             f"{nearest(least, self._columns)}")
        return found[int(np.argmin(values))].part

    @property
    def _columns(self) -> list[str]:
        """Names that any row has a number of."""
        names: dict[str, None] = {}
        for row in self.rows:
            drive = {} if row.drive is None else vars(row.drive)
            names |= dict.fromkeys(("mass", *row.numbers, *vars(row.part), *drive))
        return [name for name in names if any(not math.isnan(row.number(name)) for row in self.rows)]

    @property
    def _kinds(self) -> dict[str, Kinds]:
        """What the numbers measure."""
        known: dict[str, Measures] = {**measured_by(Drive), **_MASS}
        for kind in {type(row.part) for row in self.rows}:
            known |= measured_by(kind)
        return {name: tuple(one for one in what if isinstance(one, str)) for name, what in known.items()}

    def table(self) -> Table:
        """Names and all numbers that any row has, but those of which all have the usual value, as a table of text."""
        usual = {(made, part.name): part.default for made in {type(row.part) for row in self.rows}
                 for part in fields(made)}  # type: ignore[arg-type]
        columns = [name for name in self._columns if not all(
            row.number(name) == usual.get((type(row.part), name)) for row in self.rows)]
        rows = [[row.label, *("-" if math.isnan(value := row.number(name)) else f"{value:.6g}" for name in columns)]
                for row in self.rows]
        return Table(f"parts of {self.name}".removesuffix(" of "), ["part", *columns], rows)

    def to_table(self) -> str:
        """The table as text, as `print` shows it."""
        return "\n".join(map(printable, self.table().text().splitlines()))

    def __str__(self) -> str:
        return self.to_table()

    def __repr__(self) -> str:
        return printable(f"<{len(self)} parts{f' of {self.name}' if self.name else ''}: {', '.join(self.names[:5])}"
                         f"{' ...' if len(self) > 5 else ''}>")


def read(path: str | PathLike[str], kind: str = "") -> PartTable:
    """The parts of a file: CSV with names of columns in its first line, TOML with tables [[part]], or Parquet.

    Columns are `kind` ("strain wave gear"; or give `kind` here, or in a line "# kind: ..."), `name`, `mass`, `source`,
    `edition`, the numbers of the part by their names, `efficiency` and others of `lp.Drive`, and columns of your own.
    Units stand in brackets after the name of a column, or in its cells; in plain numbers they are SI units. Capitals
    and spaces in names of columns do not matter ("Peak torque (N m)"); without a column `name` that of sizes or models
    is taken. A column that is nearly called like one that is known is refused, and one of your own that looks like a
    rating is warned of: no check reads it.

    >>> import tempfile, pathlib
    >>> import loadpath as lp
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "motors.csv"
    >>> _ = file.write_text("# source: catalogue of motors\\nname,continuous_torque [mN m],mass [g]\\nM1,444,600\\n")
    >>> motors = lp.parts.read(file, kind="motor")
    >>> motors["M1"].part.continuous_torque, motors["M1"].mass, motors["M1"].origin.source
    (0.444, 0.6, 'catalogue of motors')
    """
    found = rows_of_file(path)
    listed = [_listed(row, {**({"kind": kind} if kind else {}), **found.common}) for row in found.rows]
    if not listed:
        raise ModelError(f"{fspath(path)}: there are no parts in this table")
    _ask_of_names(listed, fspath(path))
    _ask_of_columns(listed, fspath(path))
    return PartTable(listed, fspath(path))


def _ask_of_names(listed: Sequence[ListedPart], path: str) -> None:
    nameless = [row for row in listed if not row.part.name]
    if len({row.label for row in nameless}) == len(nameless):
        return
    column = next((name for name, value in nameless[0].numbers.items() if isinstance(value, str)), None)
    said = f" (is it '{column}'?)" if column is not None else ""
    raise ModelError(f"{path}: {len(nameless)} parts have no name: the column with their names must be called "
                     f"'name'{said}")


def _ask_of_columns(listed: Sequence[ListedPart], path: str) -> None:
    """Warn of columns of the user's own that were probably meant as ratings: no check reads them."""
    found: dict[type[Part], dict[str, object]] = {}
    for row in listed:
        measured = _measures_in(type(row.part))
        for name, value in row.numbers.items():
            if name not in OF_ROW and looks_like_rating(name, value, measured):
                found.setdefault(type(row.part), {}).setdefault(name, value)
    for made, columns in found.items():
        warn(f"{path}: {words_of_own(kind_of(made), columns, measured_by(made))}")


@functools.cache
def _measures_in(made: type[Part]) -> frozenset[str]:
    return frozenset(one for what in measured_by(made).values() for one in what if isinstance(one, str))


def table(parts: Iterable[Part], **columns: Sequence[object]) -> PartTable:
    """A table of parts that are there, with columns beside them: `mass`, `cost`, `efficiency`, any others.

    >>> import loadpath as lp
    >>> gears = [lp.StrainWaveGear(ratio=100, rated_torque=67, name="25"), lp.StrainWaveGear(ratio=100, name="32")]
    >>> [row.mass for row in lp.parts.table(gears, mass=["1.5 kg", 3.2], efficiency=[0.75, 0.75])]
    [1.5, 3.2]
    """
    given = list(parts)
    for name, column in columns.items():
        if isinstance(column, str) or not isinstance(column, Sequence) or len(column) != len(given):
            raise ModelError(f"column '{name}' is {column!r}: expected {len(given)} values, one for each part")
    rows = []
    for k, part in enumerate(given):
        if not isinstance(part, Part):
            raise ModelError(f"{part!r} is no part: parts are made like lp.StrainWaveGear(...)")
        cells = {name: column[k] for name, column in columns.items() if column[k] is not None}
        rows.append(_beside(part, cells, f"part {k + 1}"))
    return PartTable(rows)


def _listed(row: Row, common: Mapping[str, Any]) -> ListedPart:
    cells = {**common, **spelled(row.cells, OF_ROW, row.place)}
    kind = cells.pop("kind", None)
    made = part_class(str(kind)) if kind is not None else None
    if made is None:
        said = "no kind is given" if kind is None else f"no part is a '{kind}'"
        raise ModelError(f"{row.place}: {said}: expected one of {', '.join(kinds())}, in a column kind, or "
                         "lp.parts.read(path, kind=\"...\")")
    own = {part.name for part in fields(made)}  # type: ignore[arg-type]
    cells = spelled(cells, [*sorted(own - {"kind"}), *_OF_DRIVE], row.place)
    cells = with_name(cells, {*own, "type"} if has_own_kind(made) else own)
    known = measured_by(made)
    slides = str(cells.get("linear", "")).lower() == "true" if "linear" in own else None
    values: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for name, value in _nested(cells).items():
        key = "kind" if name == "type" and has_own_kind(made) else name
        if key not in own:
            beside[name] = value
            continue
        try:
            values[key] = _tuples(in_si(value, known.get(key, ()), key, slides))
        except ValueError as problem:
            raise ModelError(f"{row.place}: {problem}") from None
    if "name" in values:
        values["name"] = str(values["name"])
    _refuse_slips(beside, own, row.place, kind_of(made))
    try:
        part = made(**values)
    except (ModelError, TypeError) as problem:
        raise ModelError(f"{row.place}: {problem}") from None
    source, edition, pedigree = (str(beside.pop(key, "")) for key in ("source", "edition", "pedigree"))
    try:
        part = part.with_source(source, edition=edition, pedigree=pedigree, place=row.place)
    except ModelError as problem:
        raise ModelError(f"{row.place}: {problem}") from None
    return _beside(part, beside, row.place)


def _beside(part: Part, cells: Mapping[str, Any], place: str) -> ListedPart:
    """The part with what a row says beside its numbers."""
    of_drive = measured_by(Drive)
    train: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    mass: float | None = None
    try:
        for name, value in cells.items():
            if name == "mass":
                mass = number(in_si(value, ("mass",), "mass"), "mass")
                if mass < 0:
                    raise ModelError(f"mass is {mass:g} kg: expected zero or more")
            elif name in _OF_DRIVE and not hasattr(part, name):
                train[name] = _tuples(in_si(value, of_drive[name], name))
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                numbers[name] = float(value)
            else:
                numbers[name] = value
        drive = Drive(**train) if train else None
    except ValueError as problem:
        raise ModelError(f"{place}, {part.kind} '{part.label}': {problem}") from None
    return ListedPart(part, drive, mass, numbers)


def _refuse_slips(beside: Mapping[str, Any], own: set[str], place: str, kind: str) -> None:
    known = [*sorted(own), *_OF_DRIVE, *OF_ROW]
    for name in beside:
        close = difflib.get_close_matches(plain(str(name)[:100]), known, n=1, cutoff=_MIS_SPELT)
        if name not in known and close:
            raise ModelError(f"{place}: a {kind} has no number '{name}'; did you mean '{close[0]}'?")


def _nested(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Columns like "thermal.limit" as tables, and "stiffness.1", "stiffness.2" as lists."""
    found: dict[str, Any] = {}
    for name, value in cells.items():
        head, rest = parted(name)
        if not rest:
            found[name] = value
        else:
            found.setdefault(head, {})
            if isinstance(found[head], dict):
                found[head][rest] = value
    return {name: [value[key] for key in sorted(value, key=int)] if _numbered(value) else value
            for name, value in found.items()}


def _numbered(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(key.isdigit() for key in value)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value
