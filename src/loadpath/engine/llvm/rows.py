"""From arrays of states into lanes and back, as LLVM functions.

Each lane reads and writes one row, that is one state's worth of an operand. In memory the numbers of a row
lie side by side; in a vector register the same number of several rows does. So moving between the two is a
transposition, done here in blocks of eight numbers where a row is contiguous, number by number elsewhere.

Where fewer rows are left than there are lanes, the spare lanes work on the last row once more. So nothing
outside the arrays is ever touched, and there is no second version of a program for the end of a batch.

Results that lie row behind row without gaps, as NumPy makes them, are written faster in another way (`runs.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from loadpath.engine.llvm.lanes import PLAIN, Lanes, shuffle
from loadpath.engine.llvm.runs import PREFETCH, is_run, store_run

BLOCK_COLUMNS = 8
MOST_UNROLLED = 16
"""Rows of more blocks than this are moved in a loop, to keep the code small."""
AHEAD = 256
"""Bytes before they are written, places of such rows are called into the cache; of shorter rows those of the next
vector of states are, while one is written. It saves a fifth of the time of wide results, and more where memory is slow.
"""


def row_functions(lanes: Lanes, verb: str, counts: Iterable[int]) -> str:
    """LLVM text of the functions that "load" or "store" rows.

    `load_rows_{count}_f8(slots, row, outer, left)` moves `count` contiguous numbers of each lane's row; `row` is
    the first lane's, `outer` the bytes from row to row, `left` the number of rows there are.
    `load_strided_f8` has two arguments more: the count, and the bytes from number to number.
    """
    contiguous = (
        _run_or_rows(lanes, count) if verb == "store" and is_run(lanes, count) else _contiguous(lanes, verb, count)
        for count in sorted(set(counts)) if count
    )
    return "".join((_strided(lanes, verb), *contiguous))


def _run_or_rows(lanes: Lanes, count: int) -> str:
    """Rows without gaps are stored as one run, where there are as many as lanes; others by a function apart."""
    apart = replace(lanes, inlined=False)
    run = "\n".join(store_run(lanes, count))
    return f"""{_contiguous(apart, "store", count, "row_by_row")}
define internal void @store_rows_{count}_{lanes.code}(ptr %slots, ptr %row, i64 %outer, i64 %left)
    {lanes.code_of_parts} {{
begin:
  %dense = icmp eq i64 %outer, {lanes.size * count}
  %full = icmp sge i64 %left, {lanes.count}
  %is.run = and i1 %dense, %full
  br i1 %is.run, label %run, label %rows
run:
{run}
  ret void
rows:
  call void @store_row_by_row_{count}_{lanes.code}(ptr %slots, ptr %row, i64 %outer, i64 %left)
  ret void
}}
"""


def _contiguous(lanes: Lanes, verb: str, count: int, name: str = "rows") -> str:
    """Blocks of columns from the left; the last one is moved back so that it ends where the row ends."""
    columns = min(BLOCK_COLUMNS, lanes.count)
    while columns > count:
        columns //= 2
    block = _load_block if verb == "load" else _store_block
    starts = [min(j, count - columns) for j in range(0, count, columns)]
    if len(starts) <= MOST_UNROLLED:
        ahead = verb == "store" and columns == BLOCK_COLUMNS
        pieces = (
            f"""\
  %offset.{j} = add i64 0, {j * lanes.size}
  %slot.{j} = getelementptr {lanes.vector}, ptr %slots, i64 {j}
{block(lanes, columns, f".{j}")}
{_called_ahead(lanes, f".{j}", "%next.vector") if ahead else ""}"""
            for j in starts
        )
        body = f"  %next.vector = mul i64 %outer, {lanes.count}\n" + "\n".join(pieces)
    else:
        body = f"""\
  br label %block
block:
  %j = phi i64 [0, %begin], [%j.next, %block]
  %beyond = icmp sgt i64 %j, {count - columns}
  %column = select i1 %beyond, i64 {count - columns}, i64 %j
  %offset.j = mul i64 %column, {lanes.size}
  %slot.j = getelementptr {lanes.vector}, ptr %slots, i64 %column
{block(lanes, columns, ".j")}
{_called_ahead(lanes, ".j", str(AHEAD)) if verb == "store" else ""}
  %j.next = add i64 %j, {columns}
  %more = icmp slt i64 %j.next, {count}
  br i1 %more, label %block, label %end
end:"""
    return f"""
define internal void @{verb}_{name}_{count}_{lanes.code}(ptr %slots, ptr %row, i64 %outer, i64 %left)
    {lanes.code_of_parts} {{
begin:
{_lane_pointers(lanes)}
{body}
  ret void
}}
"""


def _called_ahead(lanes: Lanes, x: str, distance: str) -> str:
    """Ask for the lines of the cache that will be written next; nothing happens where there is no memory."""
    return "\n".join(
        f"  %ahead{i}{x} = getelementptr i8, ptr %to{i}{x}, i64 {distance}\n"
        f"  call void @{PREFETCH}(ptr %ahead{i}{x}, i32 1, i32 3, i32 1)"
        for i in range(lanes.count)
    )


def _strided(lanes: Lanes, verb: str) -> str:
    block = _load_block if verb == "load" else _store_block
    return f"""
define internal void @{verb}_strided_{lanes.code}(
    ptr %slots, ptr %row, i64 %outer, i64 %left, i64 %count, i64 %stride) {PLAIN} noinline {{
begin:
{_lane_pointers(lanes)}
  br label %number
number:
  %j = phi i64 [0, %begin], [%j.next, %number]
  %offset.j = phi i64 [0, %begin], [%offset.next, %number]
  %slot.j = getelementptr {lanes.vector}, ptr %slots, i64 %j
{block(lanes, 1, ".j")}
  %j.next = add i64 %j, 1
  %offset.next = add i64 %offset.j, %stride
  %more = icmp slt i64 %j.next, %count
  br i1 %more, label %number, label %end
end:
  ret void
}}
"""


def _lane_pointers(lanes: Lanes) -> str:
    """%p0, %p1, ...: where each lane's row begins; the last row again where there is none."""
    lines = ["  %p0 = getelementptr i8, ptr %row, i64 0"]
    for i in range(1, lanes.count):
        lines += [
            f"  %exists{i} = icmp sgt i64 %left, {i}",
            f"  %step{i} = select i1 %exists{i}, i64 %outer, i64 0",
            f"  %p{i} = getelementptr i8, ptr %p{i - 1}, i64 %step{i}",
        ]
    return "\n".join(lines)


def _load_block(lanes: Lanes, columns: int, x: str) -> str:
    """From %offset on, `columns` numbers of each row, into the vectors from %slot on. `x` ends all names."""
    piece = f"<{columns} x {lanes.scalar}>"
    lines = []
    for i in range(lanes.count):
        lines.append(f"  %from{i}{x} = getelementptr i8, ptr %p{i}, i64 %offset{x}")
        lines.append(f"  %piece{i}{x} = load {piece}, ptr %from{i}{x}, align {lanes.size}")
    # Register r: rows r, r + columns, r + 2 columns, ...
    groups = [[f"%piece{i}{x}" for i in range(r, lanes.count, columns)] for r in range(columns)]
    names = [_join(lines, f"g{r}{x}", group, columns, lanes) for r, group in enumerate(groups)]
    for r, name in enumerate(_transpose(lines, names, lanes, x)):
        lines.append(f"  %to{r}{x} = getelementptr {lanes.vector}, ptr %slot{x}, i64 {r}")
        lines.append(f"  store {lanes.vector} {name}, ptr %to{r}{x}")
    return "\n".join(lines)


def _store_block(lanes: Lanes, columns: int, x: str) -> str:
    """The way back."""
    piece = f"<{columns} x {lanes.scalar}>"
    lines = []
    for r in range(columns):
        lines.append(f"  %from{r}{x} = getelementptr {lanes.vector}, ptr %slot{x}, i64 {r}")
        lines.append(f"  %v{r}{x} = load {lanes.vector}, ptr %from{r}{x}")
    names = _transpose(lines, [f"%v{r}{x}" for r in range(columns)], lanes, x)
    for i in range(lanes.count):
        group, r = divmod(i, columns)
        indices = range(group * columns, (group + 1) * columns)
        lines.append(f"  %piece{i}{x} = {shuffle(lanes.vector, names[r], 'poison', indices)}")
        lines.append(f"  %to{i}{x} = getelementptr i8, ptr %p{i}, i64 %offset{x}")
        lines.append(f"  store {piece} %piece{i}{x}, ptr %to{i}{x}, align {lanes.size}")
    return "\n".join(lines)


def _join(lines: list[str], name: str, pieces: list[str], length: int, lanes: Lanes) -> str:
    """Vectors of `length` numbers one after the other, as one vector."""
    while len(pieces) > 1:
        kind = f"<{length} x {lanes.scalar}>"
        joined = [f"%{name}.{length}.{i}" for i in range(len(pieces) // 2)]
        for target, a, b in zip(joined, pieces[::2], pieces[1::2], strict=True):
            lines.append(f"  {target} = {shuffle(kind, a, b, range(2 * length))}")
        pieces = joined
        length *= 2
    return pieces[0]


def _transpose(lines: list[str], names: list[str], lanes: Lanes, x: str) -> list[str]:
    """Exchange register and lane number inside each group of as many lanes as there are registers."""
    names = list(names)
    distance = len(names) // 2
    while distance:
        for r in range(len(names)):
            if r & distance:
                continue
            a, b = names[r], names[r + distance]
            low = [i - distance + lanes.count if i & distance else i for i in range(lanes.count)]
            high = [i + lanes.count if i & distance else i + distance for i in range(lanes.count)]
            for k, mask in ((r, low), (r + distance, high)):
                names[k] = f"%t{distance}.{k}{x}"
                lines.append(f"  {names[k]} = {shuffle(lanes.vector, a, b, mask)}")
        distance //= 2
    return names
