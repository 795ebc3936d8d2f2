"""From a traced program to LLVM: inner loops of a NumPy generalized ufunc, one SIMD lane per state.

For each number type there is one function `{name}_f8(args, dimensions, steps, data)`. It takes the states a
few vectors at a time through the same three steps, over one piece of scratch memory:

    read rows into slots (`rows.py`) -> stage after stage of the plan (`plan.py`) -> write slots to rows
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadpath.engine.arithmetic import helper_functions, operation
from loadpath.engine.lanes import Lanes
from loadpath.engine.plan import Angles, Chunk, Plan, plan
from loadpath.engine.program import Operand, Program
from loadpath.engine.rows import block_columns, row_functions
from loadpath.engine.sincos import sincos_functions
from loadpath.engine.tape import read_tape

CHUNK_LENGTH = 400
"""Operations compiled as one function: compile time grows with the square of it, memory traffic shrinks."""

STACK_BYTES = 1 << 16
"""Scratch memory up to this size lies on the stack, more on the heap."""

DTYPES = ("f4", "f8")


def symbol(name: str, code: str) -> str:
    """The name of the loop for one number type."""
    return f"{name}_{code}"


def emit(program: Program, width: int = 4) -> str:
    """LLVM assembly of the program's loops; `width` doubles (twice as many floats) make a vector."""
    plans = plan(read_tape(program), CHUNK_LENGTH)
    return "".join(_Loop(program, plans, Lanes(code, width * 8 // _SIZE[code])).text() for code in DTYPES)


_SIZE = {"f4": 4, "f8": 8}


class _Loop:
    """The loop of one program for one number type."""

    def __init__(self, program: Program, plans: Plan, lanes: Lanes) -> None:
        self.program = program
        self.plan = plans
        self.lanes = lanes
        self.vectors = 1
        self.stride = lanes.bytes * plans.slots  # from one vector of states to the next, in scratch memory

    def text(self) -> str:
        lanes, tape = self.lanes, self.plan.tape
        names = {name for name, _ in tape.operations.values()}
        parts = [row_functions(lanes), helper_functions(lanes, names)]
        if tape.angles:
            parts.append(sincos_functions(lanes))
        parts.append(self._mover("read", "load", self.program.inputs, 0, 0))
        parts.append(self._mover("write", "store", self.program.outputs, len(self.program.inputs), tape.inputs))
        for number, stage in enumerate(self.plan.stages):
            parts.append(self._chunk(number, stage) if isinstance(stage, Chunk) else self._angles(number, stage))
        parts.append(self._main())
        return "".join(parts)

    def _chunk(self, number: int, chunk: Chunk) -> str:
        lanes, tape = self.lanes, self.plan.tape
        lines: list[str] = []
        known: dict[int, str] = {v: lanes.constant(c) for v, c in tape.constants.items()}
        stores: dict[int, list[int]] = {}
        for value, slot in chunk.stores:
            stores.setdefault(value, []).append(slot)

        def use(value: int) -> str:
            if value not in known:
                known[value] = f"%v{value}"
                at = f"getelementptr {lanes.vector}, ptr %scratch, i64 {self.plan.slot[value]}"
                lines.append(f"  %l{value} = {at}")
                lines.append(f"  %v{value} = load {lanes.vector}, ptr %l{value}")
            return known[value]

        def keep(value: int) -> None:
            for slot in stores.get(value, ()):
                lines.append(f"  %s{slot}.{value} = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}")
                lines.append(f"  store {lanes.vector} {use(value)}, ptr %s{slot}.{value}")

        for value in chunk.values:
            if value in tape.operations:
                name, arguments = tape.operations[value]
                used = tuple(use(a) for a in arguments)
                known[value] = f"%v{value}"
                lines += operation(lanes, known[value], name, used)
            keep(value)
        for value in stores.keys() - set(chunk.values):
            keep(value)
        return self._over_vectors(number, "\n".join(lines))

    def _angles(self, number: int, angles: Angles) -> str:
        code = self.lanes.code
        entries = ", ".join(f"i32 {slot}" for triple in angles.slots for slot in triple)
        kind = f"[{3 * len(angles.slots)} x i32]"
        table = f"@angles_{code}_{number} = internal constant {kind} [{entries}]\n"
        call = f"  call void @sincos_{code}(ptr %scratch, ptr @angles_{code}_{number}, i64 {len(angles.slots)})"
        return table + self._over_vectors(number, call)

    def _over_vectors(self, number: int, body: str) -> str:
        """A stage: its body for each vector of states in scratch memory."""
        return f"""
define internal void @stage_{self.lanes.code}_{number}(ptr %memory, i64 %vectors) nounwind noinline {{
begin:
  br label %vector
vector:
  %i = phi i64 [0, %begin], [%i.next, %vector]
  %scratch = phi ptr [%memory, %begin], [%scratch.next, %vector]
{body}
  %scratch.next = getelementptr i8, ptr %scratch, i64 {self.stride}
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %vectors
  br i1 %more, label %vector, label %end
end:
  ret void
}}
"""

    def _mover(self, name: str, verb: str, operands: Sequence[Operand], first: int, slot: int) -> str:
        """Function that moves all inputs (or outputs) of one vector of states, beginning with state `start`."""
        lines: list[str] = []
        all_operands = (*self.program.inputs, *self.program.outputs)
        for k, operand in enumerate(operands, first):
            step = len(all_operands) + sum(len(o.shape) for o in all_operands[:k])
            if operand.size:
                self._move_operand(lines, f"o{k}", verb, operand.shape, k, step, slot)
            slot += operand.size
        body = "\n".join(lines)
        return f"""
define internal void @{name}_{self.lanes.code}(ptr %scratch, i64 %start, i64 %left, ptr %args, ptr %steps)
    nounwind noinline {{
begin:
{body}
  ret void
}}
"""

    def _move_operand(
        self, lines: list[str], x: str, verb: str, shape: tuple[int, ...], k: int, step: int, slot: int
    ) -> None:
        """Contiguous rows at once; otherwise loops over all axes but the last."""
        lanes = self.lanes
        size = math.prod(shape)
        lines += [
            f"  %{x}.arg = getelementptr ptr, ptr %args, i64 {k}",
            f"  %{x}.base = load ptr, ptr %{x}.arg",
            f"  %{x}.step = getelementptr i64, ptr %steps, i64 {k}",
            f"  %{x}.outer = load i64, ptr %{x}.step",
            f"  %{x}.offset = mul i64 %start, %{x}.outer",
            f"  %{x}.row = getelementptr i8, ptr %{x}.base, i64 %{x}.offset",
            f"  %{x}.slots = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}",
        ]
        row = f"ptr %{x}.row, i64 %{x}.outer, i64 %left"
        if size == 1:
            lines.append(f"  call void @{verb}_strided_{lanes.code}(ptr %{x}.slots, {row}, i64 1, i64 0)")
            return
        contiguous = "true"
        for d in range(len(shape)):
            lines.append(f"  %{x}.at{d} = getelementptr i64, ptr %steps, i64 {step + d}")
            lines.append(f"  %{x}.stride{d} = load i64, ptr %{x}.at{d}")
            if shape[d] > 1:
                expected = lanes.size * math.prod(shape[d + 1 :])
                lines.append(f"  %{x}.is{d} = icmp eq i64 %{x}.stride{d}, {expected}")
                lines.append(f"  %{x}.and{d} = and i1 {contiguous}, %{x}.is{d}")
                contiguous = f"%{x}.and{d}"
        if size >= block_columns(lanes):
            rows = f"call void @{verb}_rows_{lanes.code}(ptr %{x}.slots, {row}, i64 {size})"
        else:
            rows = f"call void @{verb}_strided_{lanes.code}(ptr %{x}.slots, {row}, i64 {size}, i64 {lanes.size})"
        lines += [
            f"  br i1 {contiguous}, label %{x}.contiguous, label %{x}.strided",
            f"{x}.contiguous:",
            f"  {rows}",
            f"  br label %{x}.done",
            f"{x}.strided:",
        ]
        self._strided(lines, x, verb, shape)
        lines += [f"  br label %{x}.done", f"{x}.done:"]

    def _strided(self, lines: list[str], x: str, verb: str, shape: tuple[int, ...]) -> None:
        lanes = self.lanes
        outer_axes = range(len(shape) - 1)
        row, slots, label = f"%{x}.row", f"%{x}.slots", f"{x}.strided"
        for d in outer_axes:
            below = math.prod(shape[d + 1 :])
            lines += [
                f"  br label %{x}.axis{d}",
                f"{x}.axis{d}:",
                f"  %{x}.i{d} = phi i64 [0, %{label}], [%{x}.i{d}.next, %{x}.axis{d}.next]",
                f"  %{x}.by{d} = mul i64 %{x}.i{d}, %{x}.stride{d}",
                f"  %{x}.row{d} = getelementptr i8, ptr {row}, i64 %{x}.by{d}",
                f"  %{x}.slot{d} = mul i64 %{x}.i{d}, {below}",
                f"  %{x}.slots{d} = getelementptr {lanes.vector}, ptr {slots}, i64 %{x}.slot{d}",
            ]
            row, slots, label = f"%{x}.row{d}", f"%{x}.slots{d}", f"{x}.axis{d}"
        last = len(shape) - 1
        lines.append(
            f"  call void @{verb}_strided_{lanes.code}(ptr {slots}, ptr {row}, i64 %{x}.outer, i64 %left, "
            f"i64 {shape[last]}, i64 %{x}.stride{last})"
        )
        for d in reversed(outer_axes):
            lines += [
                f"  br label %{x}.axis{d}.next",
                f"{x}.axis{d}.next:",
                f"  %{x}.i{d}.next = add i64 %{x}.i{d}, 1",
                f"  %{x}.more{d} = icmp slt i64 %{x}.i{d}.next, {shape[d]}",
                f"  br i1 %{x}.more{d}, label %{x}.axis{d}, label %{x}.axis{d}.end",
                f"{x}.axis{d}.end:",
            ]

    def _main(self) -> str:
        lanes, code = self.lanes, self.lanes.code
        calls = "\n".join(
            f"  call void @stage_{code}_{number}(ptr %memory, i64 %vectors)" for number in range(len(self.plan.stages))
        )
        states = self.vectors * lanes.count
        return f"""
define void @"{symbol(self.program.name, code)}"(ptr %args, ptr %dimensions, ptr %steps, ptr %data) nounwind {{
begin:
  %memory = alloca [{max(self.stride * self.vectors, 1)} x i8], align 64
  %n = load i64, ptr %dimensions
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %states, label %end
states:
  %start = phi i64 [0, %begin], [%start.next, %states.next]
  %left = sub i64 %n, %start
  %padded = add i64 %left, {lanes.count - 1}
  %needed = sdiv i64 %padded, {lanes.count}
  %many = icmp sgt i64 %needed, {self.vectors}
  %vectors = select i1 %many, i64 {self.vectors}, i64 %needed
  br label %read
read:
  %i = phi i64 [0, %states], [%i.next, %read]
  %i.skip = mul i64 %i, {lanes.count}
  %i.start = add i64 %start, %i.skip
  %i.left = sub i64 %n, %i.start
  %i.offset = mul i64 %i, {self.stride}
  %i.scratch = getelementptr i8, ptr %memory, i64 %i.offset
  call void @read_{code}(ptr %i.scratch, i64 %i.start, i64 %i.left, ptr %args, ptr %steps)
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %vectors
  br i1 %i.more, label %read, label %compute
compute:
{calls}
  br label %write
write:
  %j = phi i64 [0, %compute], [%j.next, %write]
  %j.skip = mul i64 %j, {lanes.count}
  %j.start = add i64 %start, %j.skip
  %j.left = sub i64 %n, %j.start
  %j.offset = mul i64 %j, {self.stride}
  %j.scratch = getelementptr i8, ptr %memory, i64 %j.offset
  call void @write_{code}(ptr %j.scratch, i64 %j.start, i64 %j.left, ptr %args, ptr %steps)
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, %vectors
  br i1 %j.more, label %write, label %states.next
states.next:
  %start.next = add i64 %start, {states}
  %again = icmp slt i64 %start.next, %n
  br i1 %again, label %states, label %end
end:
  ret void
}}
"""
