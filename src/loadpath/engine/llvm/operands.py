"""From NumPy's arguments to scratch memory and back, as LLVM functions.

NumPy hands a loop the addresses of its operands and the strides of all their axes, any strides. Where the core
axes of an operand are contiguous, whole rows are moved at once (`rows.py`), otherwise axis by axis.

Pinned operands that all states of a call share, by a stride of zero, are read before its first state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadpath.engine.llvm.lanes import Lanes
from loadpath.engine.llvm.rows import row_functions
from loadpath.engine.llvm.runs import next_run
from loadpath.engine.program import Operand


def operand_functions(
    lanes: Lanes, inputs: Sequence[Operand], outputs: Sequence[Operand], first: Sequence[str] = (),
    ahead: Sequence[tuple[int, int, int]] = (),
) -> str:
    """LLVM text of `read_f8(scratch, start, left, args, steps)` and `write_f8`, for a vector of states, and of
    `prepare_f8` for the memory of one, before the first.

    `start` is the first state, `left` the number of states there are from it on; `args` and `steps` are NumPy's.
    `first` are functions of the scratch memory that need pinned operands only: they are called where those are read.
    `ahead` are outputs, by position and size, and slots for where their next rows are (see `runs`).
    """
    text = row_functions(lanes, "load", (operand.size for operand in inputs))
    text += row_functions(lanes, "store", (operand.size for operand in outputs))
    slot = 0
    step = len(inputs) + len(outputs)  # NumPy's strides: first of the batch axis, for each operand; then of the others
    bodies: dict[str, list[str]] = {"prepare": [], "read": [], "write": []}
    for position, operand in enumerate((*inputs, *outputs)):
        verb = "load" if position < len(inputs) else "store"
        places = position, step, slot
        if operand.size and operand.pinned and verb == "load":
            bodies["prepare"].append(_move(lanes, verb, operand.shape, places, shared=True))
            bodies["read"].append(_move(lanes, verb, operand.shape, places, shared=False))
        elif operand.size:
            bodies["read" if verb == "load" else "write"].append(_move(lanes, verb, operand.shape, places))
        slot += operand.size
        step += len(operand.shape)
    if first:
        pinned = [position for position, operand in enumerate(inputs) if operand.pinned and operand.size]
        bodies["prepare"].append(_run_first(pinned, first, shared=True))
        bodies["read"].append(_run_first(pinned, first, shared=False))
    bodies["read"] += ["\n".join([*next_run(lanes, *each), ""]) for each in ahead]
    for name, body in bodies.items():
        if name == "prepare" and not body:
            continue
        text += f"""
define internal void @{name}_{lanes.code}(ptr %scratch, i64 %start, i64 %left, ptr %args, ptr %steps)
    {lanes.code_of_parts} {{
begin:
{"".join(body)}
  ret void
}}
"""
    return text


def _run_first(pinned: Sequence[int], functions: Sequence[str], *, shared: bool) -> str:
    """Call functions if all states share the operands of these positions, or if not."""
    lines, total = [], "0"
    for position in pinned:
        x = f"f{position}"
        lines += [
            f"  %{x}.step = getelementptr i64, ptr %steps, i64 {position}",
            f"  %{x}.outer = load i64, ptr %{x}.step",
            f"  %{x}.any = or i64 {total}, %{x}.outer",
        ]
        total = f"%{x}.any"
    return "\n".join([
        *lines,
        f"  %first.wanted = icmp {'eq' if shared else 'ne'} i64 {total}, 0",
        "  br i1 %first.wanted, label %first, label %first.done",
        "first:",
        *(f"  call void {function}(ptr %scratch)" for function in functions),
        "  br label %first.done",
        "first.done:",
    ])


def _move(
    lanes: Lanes, verb: str, shape: tuple[int, ...], places: tuple[int, int, int], *, shared: bool | None = None
) -> str:
    """One operand; `places` are its number among the arguments, its first core stride, its first slot. With `shared`,
    only if all states share it, or only if not.
    """
    position, step, slot = places
    x = f"o{position}"  # begins all names
    size = math.prod(shape)
    lines = [
        f"  %{x}.arg = getelementptr ptr, ptr %args, i64 {position}",
        f"  %{x}.base = load ptr, ptr %{x}.arg",
        f"  %{x}.step = getelementptr i64, ptr %steps, i64 {position}",
        f"  %{x}.outer = load i64, ptr %{x}.step",
    ]
    if shared is not None:
        lines += [
            f"  %{x}.wanted = icmp {'eq' if shared else 'ne'} i64 %{x}.outer, 0",
            f"  br i1 %{x}.wanted, label %{x}.move, label %{x}.done",
            f"{x}.move:",
        ]
    lines += [
        f"  %{x}.offset = mul i64 %start, %{x}.outer",
        f"  %{x}.row = getelementptr i8, ptr %{x}.base, i64 %{x}.offset",
        f"  %{x}.slots = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}",
    ]
    rows = f"  call void @{verb}_rows_{size}_{lanes.code}(ptr %{x}.slots, ptr %{x}.row, i64 %{x}.outer, i64 %left)"
    if size == 1:
        end = [] if shared is None else [f"  br label %{x}.done", f"{x}.done:"]
        return "\n".join((*lines, rows, *end, ""))
    contiguous = "true"
    for d, length in enumerate(shape):
        lines += [
            f"  %{x}.at{d} = getelementptr i64, ptr %steps, i64 {step + d}",
            f"  %{x}.stride{d} = load i64, ptr %{x}.at{d}",
        ]
        if length > 1:
            lines += [
                f"  %{x}.is{d} = icmp eq i64 %{x}.stride{d}, {lanes.size * math.prod(shape[d + 1 :])}",
                f"  %{x}.and{d} = and i1 {contiguous}, %{x}.is{d}",
            ]
            contiguous = f"%{x}.and{d}"
    lines += [
        f"  br i1 {contiguous}, label %{x}.contiguous, label %{x}.strided",
        f"{x}.contiguous:",
        rows,
        f"  br label %{x}.done",
        f"{x}.strided:",
        *_axis_by_axis(lanes, verb, shape, x),
        f"  br label %{x}.done",
        f"{x}.done:",
    ]
    return "\n".join((*lines, ""))


def _axis_by_axis(lanes: Lanes, verb: str, shape: tuple[int, ...], x: str) -> list[str]:
    """Nested loops over all axes but the last, which `*_strided` takes."""
    *outer_axes, last = range(len(shape))
    row, slots, label = f"%{x}.row", f"%{x}.slots", f"{x}.strided"
    before: list[str] = []
    after: list[str] = []
    for d in outer_axes:
        before += [
            f"  br label %{x}.axis{d}",
            f"{x}.axis{d}:",
            f"  %{x}.i{d} = phi i64 [0, %{label}], [%{x}.i{d}.next, %{x}.axis{d}.next]",
            f"  %{x}.by{d} = mul i64 %{x}.i{d}, %{x}.stride{d}",
            f"  %{x}.row{d} = getelementptr i8, ptr {row}, i64 %{x}.by{d}",
            f"  %{x}.slot{d} = mul i64 %{x}.i{d}, {math.prod(shape[d + 1 :])}",
            f"  %{x}.slots{d} = getelementptr {lanes.vector}, ptr {slots}, i64 %{x}.slot{d}",
        ]
        after = [
            f"  br label %{x}.axis{d}.next",
            f"{x}.axis{d}.next:",
            f"  %{x}.i{d}.next = add i64 %{x}.i{d}, 1",
            f"  %{x}.more{d} = icmp slt i64 %{x}.i{d}.next, {shape[d]}",
            f"  br i1 %{x}.more{d}, label %{x}.axis{d}, label %{x}.axis{d}.end",
            f"{x}.axis{d}.end:",
            *after,
        ]
        row, slots, label = f"%{x}.row{d}", f"%{x}.slots{d}", f"{x}.axis{d}"
    call = (
        f"  call void @{verb}_strided_{lanes.code}(ptr {slots}, ptr {row}, i64 %{x}.outer, i64 %left, "
        f"i64 {shape[last]}, i64 %{x}.stride{last})"
    )
    return [*before, call, *after]
