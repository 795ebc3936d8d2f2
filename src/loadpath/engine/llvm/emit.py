"""From a traced program to LLVM: inner loops of a NumPy generalized ufunc, one SIMD lane per state.

For a number type it is one function `{name}_f8(args, dimensions, steps, data)`, as NumPy wants it. It takes
the states a few vectors at a time through the same three steps, over one piece of scratch memory:

    read rows into slots (`operands.py`) -> stage after stage (`stages.py`) -> write slots to rows

What is pinned and shared by all states of a call is read, and what depends on it alone is computed, before the first.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace

from loadpath.engine.llvm.arithmetic import helper_functions
from loadpath.engine.llvm.lanes import PLAIN, Lanes, external
from loadpath.engine.llvm.operands import operand_functions
from loadpath.engine.llvm.runs import declared, is_run
from loadpath.engine.llvm.sincos import sincos_functions, together
from loadpath.engine.llvm.stages import stage_functions
from loadpath.engine.plan import Chunk, Plan, plan
from loadpath.engine.program import Operand, Tape

CHUNK_LENGTH = 200
"""Operations compiled as one function: more means longer compilation, less means more traffic in between."""
INLINED = 1000
"""Programs up to so many operations a state become one function when they are optimised: a tenth faster, in twice the
time that LLVM takes for the functions one by one. That grows with the square of their length.
"""
STAGES_TOGETHER = 3
"""How many chunks of a longer program are one module: others wait for one of them at most, a twentieth of a second."""

LONG_PROGRAM = 3000
"""From so many operations on, the code outgrows the nearest instruction cache..."""
VECTORS_IF_LONG = 4
"""... and several vectors of states share each pass through it..."""
NEAR_BYTES = 320 << 10
"""... as far as their scratch memory stays in the second nearest cache."""

STACK_BYTES = 0 if sys.platform == "win32" else 1 << 16
"""Scratch memory up to this size lies on the stack, more on the heap. (Windows would need a probing function.)"""

_DECLARATIONS = "".join(
    (
        external("malloc", "ptr", "i64"),
        external("free", "void", "ptr"),
        external("lock_python", "i32"),
        external("unlock_python", "void", "i32"),
        external("no_memory", "ptr"),
    )
)


def symbol(name: str, dtype: str) -> str:
    """The name of a program's loop for one number type."""
    return f"{name}_{dtype}"


def emit(name: str, tape: Tape, inputs: Sequence[Operand], outputs: Sequence[Operand], lanes: Lanes) -> list[str]:
    """LLVM assembly of a program's loop for the number type of the lanes. A long program comes in several modules, to
    be compiled one by one and linked: the first has all but a part of the stages.
    """
    pinned = _pinned(inputs)
    planned = plan(tape, CHUNK_LENGTH, pinned, fuse=lanes.fuses)
    lanes = replace(lanes, inlined=planned.length(planned.first) <= INLINED)
    group = together(lanes, max((len(angles) for angles in planned.angles), default=1))
    helpers = helper_functions(lanes, {operation for operation, _ in tape.operations.values()})
    divided = planned.stages[: planned.first] if lanes.inlined else planned.stages
    apart = [number for number, stage in enumerate(divided) if isinstance(stage, Chunk)]
    apart = apart if len(apart) > STAGES_TOGETHER else []
    ahead = _ahead(lanes, planned, len(inputs), outputs)
    lines = [(slot, number) for _, count, slot in ahead for number in range(count)]
    functions = stage_functions(lanes, planned, group, apart, lines)

    text = _DECLARATIONS + helpers
    if tape.angles:
        text += sincos_functions(lanes, group)
    stages = [f"@stage_{lanes.code}_{number}" for number in range(len(planned.stages))]
    text += operand_functions(lanes, inputs, outputs, stages[: planned.first], ahead)
    text += "".join(f"declare void {stages[number]}(ptr)\n" for number in apart)
    text += "".join(function for number, function in enumerate(functions) if number not in set(apart))
    of_states = stages[planned.first :]
    text += _loop(lanes, planned, symbol(name, lanes.code), of_states, pinned=bool(pinned), more=len(ahead))
    others = (apart[start : start + STAGES_TOGETHER] for start in range(0, len(apart), STAGES_TOGETHER))
    modules = [text, *(helpers + "".join(functions[number] for number in part) for part in others)]
    return [module + declared(module) for module in modules]


def _ahead(lanes: Lanes, planned: Plan, position: int, outputs: Sequence[Operand]) -> list[tuple[int, int, int]]:
    """Outputs that are written as runs, of a program in one function: their positions, sizes and slots for where the
    next rows are. Lines of the cache for these are called while numbers are computed, a few at a time.
    """
    wide = [(position + k, o.size) for k, o in enumerate(outputs) if lanes.inlined and is_run(lanes, o.size)]
    return [(k, size, planned.slots + number) for number, (k, size) in enumerate(wide)]


def _pinned(inputs: Sequence[Operand]) -> list[int]:
    """The input scalars of pinned operands."""
    ends = itertools.accumulate(operand.size for operand in inputs)
    return [k for end, o in zip(ends, inputs, strict=True) if o.pinned for k in range(end - o.size, end)]


def _loop(lanes: Lanes, planned: Plan, name: str, stages: Sequence[str], *, pinned: bool, more: int = 0) -> str:
    """The function that NumPy calls: the stages for each state, and what is pinned before the first. `more` slots
    follow those of the plan.
    """
    code, count = lanes.code, lanes.count
    stride = lanes.bytes * max(planned.slots + more, 1)
    together = max(1, min(VECTORS_IF_LONG, NEAR_BYTES // stride))
    vectors = together if len(planned.tape.operations) >= LONG_PROGRAM else 1
    reserve, release = (_on_stack if stride * vectors <= STACK_BYTES else _on_heap)(stride * vectors)
    rows = "ptr %{x}.scratch, i64 %{x}.start, i64 %{x}.left, ptr %args, ptr %steps"
    steps = [
        f"@read_{code}({rows})",
        *(f"{stage}(ptr %{{x}}.scratch)" for stage in stages),
        f"@write_{code}({rows})",
    ]
    calls = "".join(
        _for_each_vector(f"step{number}", f"step{number + 1}", step.format(x=f"step{number}"), (count, stride))
        for number, step in enumerate(steps)
    )
    prepare = "  br label %step0"
    if pinned:
        prepare = "  %begins = icmp eq i64 %start, 0\n  br i1 %begins, label %pin, label %step0"
        prepare += _for_each_vector("pin", "step0", f"@prepare_{code}({rows})".format(x="pin"), (count, stride))
    return f"""
define void @"{name}"(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {PLAIN} {{
begin:
  %n = load i64, ptr %dimensions
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %reserve, label %end
{reserve}
states:
  %start = phi i64 [0, %ready], [%start.next, %step{len(steps)}]
  %left = sub i64 %n, %start
  %filled = add i64 %left, {count - 1}
  %needed = udiv i64 %filled, {count}
  %enough = icmp ult i64 %needed, {vectors}
  %vectors = select i1 %enough, i64 %needed, i64 {vectors}
{prepare}
{calls}
step{len(steps)}:
  %start.next = add i64 %start, {vectors * count}
  %again = icmp slt i64 %start.next, %n
  br i1 %again, label %states, label %release
release:
{release}
  br label %end
end:
  ret void
}}
"""


def _for_each_vector(x: str, after: str, call: str, sizes: tuple[int, int]) -> str:
    """One call for each vector of states in memory; names begin with `x`, `sizes` are states and bytes of a vector."""
    states, stride = sizes
    return f"""
{x}:
  br label %{x}.vector
{x}.vector:
  %{x}.k = phi i64 [0, %{x}], [%{x}.next, %{x}.vector]
  %{x}.skipped = mul i64 %{x}.k, {states}
  %{x}.start = add i64 %start, %{x}.skipped
  %{x}.left = sub i64 %n, %{x}.start
  %{x}.offset = mul i64 %{x}.k, {stride}
  %{x}.scratch = getelementptr i8, ptr %memory, i64 %{x}.offset
  call void {call}
  %{x}.next = add i64 %{x}.k, 1
  %{x}.more = icmp slt i64 %{x}.next, %vectors
  br i1 %{x}.more, label %{x}.vector, label %{after}
"""


def _on_stack(size: int) -> tuple[str, str]:
    return (
        f"""
reserve:
  %memory = alloca i8, i64 {size}, align 64
  br label %ready
ready:
  br label %states
""",
        "",
    )


def _on_heap(size: int) -> tuple[str, str]:
    """Without memory the call ends with Python's MemoryError; Python's lock is needed to say so."""
    return (
        f"""
reserve:
  %malloc = load ptr, ptr @at_malloc
  %raw = call ptr %malloc(i64 {size + 63})
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %failure, label %ready
failure:
  %lock = load ptr, ptr @at_lock_python
  %unlock = load ptr, ptr @at_unlock_python
  %no_memory = load ptr, ptr @at_no_memory
  %state = call i32 %lock()
  %nothing = call ptr %no_memory()
  call void %unlock(i32 %state)
  br label %end
ready:
  %address = ptrtoint ptr %raw to i64
  %raised = add i64 %address, 63
  %aligned = and i64 %raised, -64
  %memory = inttoptr i64 %aligned to ptr
  br label %states
""",
        """  %free = load ptr, ptr @at_free
  call void %free(ptr %raw)""",
    )
