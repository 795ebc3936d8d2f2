"""Rows that lie one behind the other are one run of numbers: it is written by whole vectors, one after the other.

Written row by row, what lies between the lines of the cache is written twice, and each lane needs an address of its
own, for which there are too few registers. In a run all addresses are constants from one on, and where it begins with
a line of the cache, every store is a line.

A vector of the run holds the numbers of one row from some column on, or the end of a row and the beginning of others.
Vectors that begin in the same column, of different rows, are put together side by side: pairs of columns first, then
pairs of pairs, in as many steps as a transposition has.
"""

from __future__ import annotations

import math

from loadpath.engine.llvm.lanes import Lanes, shuffle

MOST_COLUMNS = 128
"""Longer rows are left to a loop, to keep the code small."""
PREFETCH = "llvm.prefetch.p0"
LANE_BYTES = 16
"""Within so many bytes of a vector numbers are exchanged most cheaply."""

Place = tuple[int, int]
"""A vector of the run, and the number in it."""
Vector = tuple[str, dict[Place, int]]
"""What holds numbers of the run, and in which lanes."""


def is_run(lanes: Lanes, count: int) -> bool:
    """Whether rows of so many numbers are better written as a run: where enough of its vectors begin in one column.

    >>> [is_run(Lanes("f8", 8), count) for count in (6, 7, 8, 36)]
    [True, False, True, True]
    """
    return lanes.count > 1 and 1 < count <= MOST_COLUMNS and 4 * math.gcd(count, lanes.count) >= lanes.count


def store_run(lanes: Lanes, count: int) -> list[str]:
    """The lines that write a vector of `count` numbers for each lane, from %slots on, to where %row points. Where that
    is a function of its own, it calls as many bytes behind them into the cache, where the next will be written; else
    the stages do (`called_ahead`).
    """
    lines: list[str] = []
    alike: dict[int, list[int]] = {}
    for number in range(count):
        alike.setdefault(lanes.count * number % count, []).append(number)
    for numbers in alike.values():
        for name, number in _together(lines, lanes, count, numbers):
            lines += [
                f"  %run.{number} = getelementptr i8, ptr %row, i64 {lanes.bytes * number}",
                f"  store {lanes.vector} {name}, ptr %run.{number}, align {lanes.size}",
            ]
            if not lanes.inlined:
                lines += called_ahead("%row", f"%ahead.{number}", lanes.bytes * (count + number))
    return lines


def declared(module: str) -> str:
    """What a module needs that calls lines of the cache.

    >>> declared("ret void")
    ''
    """
    return f"\ndeclare void @{PREFETCH}(ptr, i32, i32, i32)\n" if f"@{PREFETCH}(" in module else ""


def called_ahead(start: str, name: str, distance: int) -> list[str]:
    """The lines that call into the cache what is so many bytes behind a place; nothing happens where no memory is."""
    return [
        f"  {name} = getelementptr i8, ptr {start}, i64 {distance}",
        f"  call void @{PREFETCH}(ptr {name}, i32 1, i32 3, i32 1)",
    ]


def next_run(lanes: Lanes, position: int, count: int, slot: int) -> list[str]:
    """The lines that put into a slot of %scratch where the next vectors of states write an operand, from %start, %args
    and %steps. Where its rows have gaps it is the scratch memory, which is in the cache anyhow.
    """
    x = f"%next.{position}"
    return [
        f"  {x}.arg = getelementptr ptr, ptr %args, i64 {position}",
        f"  {x}.base = load ptr, ptr {x}.arg",
        f"  {x}.step = getelementptr i64, ptr %steps, i64 {position}",
        f"  {x}.outer = load i64, ptr {x}.step",
        f"  {x}.dense = icmp eq i64 {x}.outer, {lanes.size * count}",
        f"  {x}.start = add i64 %start, {lanes.count}",
        f"  {x}.offset = mul i64 {x}.start, {lanes.size * count}",
        f"  {x}.row = getelementptr i8, ptr {x}.base, i64 {x}.offset",
        f"  {x}.place = select i1 {x}.dense, ptr {x}.row, ptr %scratch",
        f"  {x}.slot = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}",
        f"  store ptr {x}.place, ptr {x}.slot",
    ]


def _together(lines: list[str], lanes: Lanes, count: int, numbers: list[int]) -> list[tuple[str, int]]:
    """Vectors of the run that begin in the same column: their names and numbers."""
    first = {number: lanes.count * number // count for number in numbers}  # the row where it begins
    level: list[list[Vector]] = []
    for k in range(lanes.count):
        column = (lanes.count * numbers[0] + k) % count
        name = f"{numbers[0]}.{k}"  # read anew each time: more columns than one needs at once have no register
        lines.append(f"  %slot.{name} = getelementptr {lanes.vector}, ptr %slots, i64 {column}")
        lines.append(f"  %column.{name} = load {lanes.vector}, ptr %slot.{name}")
        level.append([(f"%column.{name}", {(n, k): (lanes.count * n + k) // count for n in numbers})])
    groups, width = [numbers], 1
    while width < lanes.count:
        width *= 2
        groups = [part for group in groups for part in _halves(lanes, group, first, width)]
        level = [
            [_joined(lines, lanes, (left, right), group, first, (width, k)) for group in groups]
            for k, (left, right) in enumerate(zip(level[::2], level[1::2], strict=True))
        ]
    return [(name, next(iter(places))[0]) for name, places in level[0]]


def _halves(lanes: Lanes, group: list[int], first: dict[int, int], width: int) -> list[list[int]]:
    """Vectors of the run that are in one register while `width` numbers of each are together."""
    if len(group) * width <= lanes.count:
        return [group]
    bit = LANE_BYTES // lanes.size // width
    sides = [[number for number in group if bool(first[number] & bit) == side] for side in (False, True)]
    if max(map(len, sides)) * width <= lanes.count:
        return sides
    middle = lanes.count // width
    return [group[:middle], group[middle:]]


def _joined(lines: list[str], lanes: Lanes, sides: tuple[list[Vector], list[Vector]], group: list[int],
            first: dict[int, int], which: tuple[int, int]) -> Vector:
    """What two registers have of a group's vectors, as one. Where that fits within an exchange of neighbours, each
    vector's numbers come side by side; otherwise all of the first register before all of the second.
    """
    width, k = which
    (left, at_left), (right, at_right) = (
        next(vector for vector in side if (group[0], k * width + own) in vector[1])
        for own, side in ((0, sides[0]), (width // 2, sides[1]))
    )
    begins = range(k * width, (k + 1) * width)
    places: dict[Place, int] = {}
    near = width * lanes.size <= LANE_BYTES
    spots = [first[number] // width for number in group]
    if len(set(spots)) < len(spots):
        spots = list(range(len(group)))
    for number, spot in zip(group, spots, strict=True):
        for i, place in enumerate(begins):
            half, rest = divmod(i, width // 2)
            far = half * lanes.count // 2 + group.index(number) * (width // 2) + rest
            places[number, place] = spot * width + i if near else far
    mask: list[int | None] = [None] * lanes.count
    for (number, place), lane in places.items():
        own = at_left.get((number, place))
        mask[lane] = own if own is not None else lanes.count + at_right[number, place]
    name = f"%join.{group[0]}.{width}.{k}"
    lines.append(f"  {name} = {shuffle(lanes.vector, left, right, mask)}")
    return name, places
