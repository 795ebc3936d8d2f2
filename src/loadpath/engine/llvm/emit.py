"""From a traced program to LLVM: inner loops of a NumPy generalized ufunc, one SIMD lane per state.

For a number type it is one function `{name}_f8(args, dimensions, steps, data)`, as NumPy wants it. It takes
the states a few vectors at a time through the same three steps, over one piece of scratch memory:

    read rows into slots (`operands.py`) -> stage after stage (`stages.py`) -> write slots to rows
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from loadpath.engine.llvm.arithmetic import helper_functions
from loadpath.engine.llvm.lanes import Lanes, external
from loadpath.engine.llvm.operands import operand_functions
from loadpath.engine.llvm.sincos import sincos_functions
from loadpath.engine.llvm.stages import stage_functions
from loadpath.engine.plan import Plan, plan
from loadpath.engine.program import Operand, Tape

CHUNK_LENGTH = 400
"""Operations compiled as one function: more means longer compilation, less means more traffic in between."""

LONG_PROGRAM = 3000
"""From so many operations on, the code outgrows the nearest instruction cache..."""
VECTORS_IF_LONG = 4
"""... and several vectors of states share each pass through it."""

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


def emit(name: str, tape: Tape, inputs: Sequence[Operand], outputs: Sequence[Operand], lanes: Lanes) -> str:
    """LLVM assembly of a program's loop for the number type of the lanes."""
    planned = plan(tape, CHUNK_LENGTH)
    text = _DECLARATIONS + helper_functions(lanes, {operation for operation, _ in tape.operations.values()})
    if tape.angles:
        text += sincos_functions(lanes)
    text += operand_functions(lanes, inputs, outputs)
    text += stage_functions(lanes, planned)
    return text + _loop(lanes, planned, symbol(name, lanes.code))


def _loop(lanes: Lanes, planned: Plan, name: str) -> str:
    """The function that NumPy calls."""
    code, count = lanes.code, lanes.count
    vectors = VECTORS_IF_LONG if len(planned.tape.operations) >= LONG_PROGRAM else 1
    stride = lanes.bytes * max(planned.slots, 1)
    reserve, release = (_on_stack if stride * vectors <= STACK_BYTES else _on_heap)(stride * vectors)
    rows = "ptr %{x}.scratch, i64 %{x}.start, i64 %{x}.left, ptr %args, ptr %steps"
    steps = [
        f"@read_{code}({rows})",
        *(f"@stage_{code}_{number}(ptr %{{x}}.scratch)" for number in range(len(planned.stages))),
        f"@write_{code}({rows})",
    ]
    calls = "".join(
        _for_each_vector(f"step{number}", f"step{number + 1}", step.format(x=f"step{number}"), (count, stride))
        for number, step in enumerate(steps)
    )
    return f"""
define void @"{name}"(ptr %args, ptr %dimensions, ptr %steps, ptr %data) nounwind {{
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
  br label %step0
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
