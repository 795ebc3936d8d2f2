"""From arrays of states into lanes and back, as LLVM functions.

Each lane reads and writes one row, that is one state's worth of an operand. In memory the numbers of a row
lie side by side; in a vector register the same number of several rows does. So moving between the two is a
transposition, done here in blocks of 16 bytes where a row is contiguous, number by number elsewhere.

Where fewer rows are left than there are lanes, the spare lanes work on the last row once more. So nothing
outside the arrays is ever touched, and there is no second version of anything for the end of a batch.
"""

from __future__ import annotations

from loadpath.engine.lanes import Lanes

BLOCK_BYTES = 16


def block_columns(lanes: Lanes) -> int:
    """How many numbers of a row are moved at once."""
    return min(BLOCK_BYTES // lanes.size, lanes.count)


def row_functions(lanes: Lanes) -> str:
    """LLVM text of `load_rows`, `load_strided`, `store_rows` and `store_strided` for these lanes.

    `*_rows(slots, row, outer, left, count)` moves `count` contiguous numbers of each lane's row; `row` is the
    first lane's, `outer` the bytes from row to row, `left` the number of rows there are. `count` is at least
    `block_columns`. `*_strided` has one argument more: the bytes from number to number.
    """
    return "".join((_load_rows(lanes), _store_rows(lanes), _load_strided(lanes), _store_strided(lanes)))


def _lane_pointers(lanes: Lanes) -> str:
    """%p0, %p1, ...: where each lane's row begins; the last row again where there is none."""
    text = "  %p0 = getelementptr i8, ptr %row, i64 0\n"
    for i in range(1, lanes.count):
        text += f"""\
  %exists{i} = icmp sgt i64 %left, {i}
  %step{i} = select i1 %exists{i}, i64 %outer, i64 0
  %p{i} = getelementptr i8, ptr %p{i - 1}, i64 %step{i}
"""
    return text


def _loop_over_blocks(lanes: Lanes, name: str, body: str) -> str:
    """Blocks of columns from the left; the last one is moved back so that it ends where the row ends."""
    columns = block_columns(lanes)
    return f"""
define internal void @{name}_{lanes.code}(ptr %slots, ptr %row, i64 %outer, i64 %left, i64 %count)
    nounwind noinline {{
begin:
{_lane_pointers(lanes)}
  %final = sub i64 %count, {columns}
  br label %block
block:
  %j = phi i64 [0, %begin], [%j.next, %block]
  %beyond = icmp sgt i64 %j, %final
  %column = select i1 %beyond, i64 %final, i64 %j
  %offset = mul i64 %column, {lanes.size}
  %slot = getelementptr {lanes.vector}, ptr %slots, i64 %column
{body}
  %j.next = add i64 %j, {columns}
  %more = icmp slt i64 %j.next, %count
  br i1 %more, label %block, label %end
end:
  ret void
}}
"""


def _loop_over_numbers(lanes: Lanes, name: str, body: str) -> str:
    return f"""
define internal void @{name}_{lanes.code}(ptr %slots, ptr %row, i64 %outer, i64 %left, i64 %count, i64 %stride)
    nounwind noinline {{
begin:
{_lane_pointers(lanes)}
  br label %number
number:
  %j = phi i64 [0, %begin], [%j.next, %number]
  %offset = phi i64 [0, %begin], [%offset.next, %number]
  %slot = getelementptr {lanes.vector}, ptr %slots, i64 %j
{body}
  %j.next = add i64 %j, 1
  %offset.next = add i64 %offset, %stride
  %more = icmp slt i64 %j.next, %count
  br i1 %more, label %number, label %end
end:
  ret void
}}
"""


def _load_rows(lanes: Lanes) -> str:
    columns = block_columns(lanes)
    piece = f"<{columns} x {lanes.scalar}>"
    lines = []
    names = []
    for i in range(lanes.count):
        lines.append(f"  %from{i} = getelementptr i8, ptr %p{i}, i64 %offset")
        lines.append(f"  %piece{i} = load {piece}, ptr %from{i}, align {lanes.size}")
    for r in range(columns):
        # Register r: rows r, r + columns, r + 2 columns, ...
        group = [f"%piece{i}" for i in range(r, lanes.count, columns)]
        names.append(_join(lines, f"g{r}", group, columns, lanes))
    for r, name in enumerate(_transpose(lines, names, lanes)):
        lines.append(f"  %to{r} = getelementptr {lanes.vector}, ptr %slot, i64 {r}")
        lines.append(f"  store {lanes.vector} {name}, ptr %to{r}")
    return _loop_over_blocks(lanes, "load_rows", "\n".join(lines))


def _store_rows(lanes: Lanes) -> str:
    columns = block_columns(lanes)
    piece = f"<{columns} x {lanes.scalar}>"
    lines = []
    names = []
    for r in range(columns):
        lines.append(f"  %from{r} = getelementptr {lanes.vector}, ptr %slot, i64 {r}")
        lines.append(f"  %v{r} = load {lanes.vector}, ptr %from{r}")
        names.append(f"%v{r}")
    names = _transpose(lines, names, lanes)
    for i in range(lanes.count):
        group, r = divmod(i, columns)
        mask = ", ".join(f"i32 {group * columns + c}" for c in range(columns))
        lines.append(
            f"  %piece{i} = shufflevector {lanes.vector} {names[r]}, {lanes.vector} poison, <{columns} x i32> <{mask}>"
        )
        lines.append(f"  %to{i} = getelementptr i8, ptr %p{i}, i64 %offset")
        lines.append(f"  store {piece} %piece{i}, ptr %to{i}, align {lanes.size}")
    return _loop_over_blocks(lanes, "store_rows", "\n".join(lines))


def _join(lines: list[str], name: str, pieces: list[str], length: int, lanes: Lanes) -> str:
    """Vectors of `length` numbers one after the other, as one vector."""
    while len(pieces) > 1:
        mask = ", ".join(f"i32 {i}" for i in range(2 * length))
        kind = f"<{length} x {lanes.scalar}>"
        joined: list[str] = []
        for a, b in zip(pieces[::2], pieces[1::2], strict=True):
            joined.append(f"%{name}.{length}.{len(joined)}")
            lines.append(f"  {joined[-1]} = shufflevector {kind} {a}, {kind} {b}, <{2 * length} x i32> <{mask}>")
        pieces = joined
        length *= 2
    return pieces[0]


def _transpose(lines: list[str], names: list[str], lanes: Lanes) -> list[str]:
    """Exchange register and lane number inside each group of as many lanes as there are registers."""
    names = list(names)
    distance = len(names) // 2
    while distance:
        for r in range(len(names)):
            if r & distance:
                continue
            a, b = names[r], names[r + distance]
            low = [lane if not lane & distance else lane - distance + lanes.count for lane in range(lanes.count)]
            high = [lane + distance if not lane & distance else lane + lanes.count for lane in range(lanes.count)]
            for k, mask in ((r, low), (r + distance, high)):
                names[k] = f"%t.{distance}.{k}"
                indices = ", ".join(f"i32 {i}" for i in mask)
                lines.append(
                    f"  {names[k]} = shufflevector {lanes.vector} {a}, {lanes.vector} {b}, "
                    f"<{lanes.count} x i32> <{indices}>"
                )
        distance //= 2
    return names


def _load_strided(lanes: Lanes) -> str:
    lines = []
    vector = "poison"
    for i in range(lanes.count):
        lines.append(f"  %from{i} = getelementptr i8, ptr %p{i}, i64 %offset")
        lines.append(f"  %number{i} = load {lanes.scalar}, ptr %from{i}, align {lanes.size}")
        lines.append(f"  %v{i} = insertelement {lanes.vector} {vector}, {lanes.scalar} %number{i}, i32 {i}")
        vector = f"%v{i}"
    lines.append(f"  store {lanes.vector} {vector}, ptr %slot")
    return _loop_over_numbers(lanes, "load_strided", "\n".join(lines))


def _store_strided(lanes: Lanes) -> str:
    lines = [f"  %v = load {lanes.vector}, ptr %slot"]
    for i in range(lanes.count):
        lines.append(f"  %number{i} = extractelement {lanes.vector} %v, i32 {i}")
        lines.append(f"  %to{i} = getelementptr i8, ptr %p{i}, i64 %offset")
        lines.append(f"  store {lanes.scalar} %number{i}, ptr %to{i}, align {lanes.size}")
    return _loop_over_numbers(lanes, "store_strided", "\n".join(lines))
