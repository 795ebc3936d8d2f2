"""From NumPy's arguments to scratch memory and back, as LLVM functions.

NumPy hands a loop the addresses of its operands and the strides of all their axes, any strides. Where the core
axes of an operand are contiguous, whole rows are moved at once (`rows.py`), otherwise axis by axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadpath.engine.llvm.lanes import Lanes
from loadpath.engine.llvm.rows import row_functions
from loadpath.engine.program import Operand


def operand_functions(lanes: Lanes, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """LLVM text of `read_f8(scratch, start, left, args, steps)` and `write_f8`, for a vector of states.

    `start` is the first state, `left` the number of states there are from it on; `args` and `steps` are NumPy's.
    """
    text = row_functions(lanes, "load", (operand.size for operand in inputs))
    text += row_functions(lanes, "store", (operand.size for operand in outputs))
    slot = 0
    step = len(inputs) + len(outputs)  # NumPy's strides: first of the batch axis, for each operand; then of the others
    bodies: dict[str, list[str]] = {"load": [], "store": []}
    for position, operand in enumerate((*inputs, *outputs)):
        verb = "load" if position < len(inputs) else "store"
        if operand.size:
            bodies[verb].append(_move(lanes, verb, operand.shape, (position, step, slot)))
        slot += operand.size
        step += len(operand.shape)
    for name, verb in (("read", "load"), ("write", "store")):
        text += f"""
define internal void @{name}_{lanes.code}(ptr %scratch, i64 %start, i64 %left, ptr %args, ptr %steps)
    nounwind noinline {{
begin:
{"".join(bodies[verb])}
  ret void
}}
"""
    return text


def _move(lanes: Lanes, verb: str, shape: tuple[int, ...], places: tuple[int, int, int]) -> str:
    """One operand; `places` are its number among the arguments, its first core stride, its first slot."""
    position, step, slot = places
    x = f"o{position}"  # begins all names
    size = math.prod(shape)
    lines = [
        f"  %{x}.arg = getelementptr ptr, ptr %args, i64 {position}",
        f"  %{x}.base = load ptr, ptr %{x}.arg",
        f"  %{x}.step = getelementptr i64, ptr %steps, i64 {position}",
        f"  %{x}.outer = load i64, ptr %{x}.step",
        f"  %{x}.offset = mul i64 %start, %{x}.outer",
        f"  %{x}.row = getelementptr i8, ptr %{x}.base, i64 %{x}.offset",
        f"  %{x}.slots = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}",
    ]
    rows = f"  call void @{verb}_rows_{size}_{lanes.code}(ptr %{x}.slots, ptr %{x}.row, i64 %{x}.outer, i64 %left)"
    if size == 1:
        return "\n".join((*lines, rows, ""))
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
