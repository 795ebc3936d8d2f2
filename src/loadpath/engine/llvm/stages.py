"""The stages of a plan as LLVM functions `stage_f8_0(scratch)`, `stage_f8_1(scratch)`, ...

Each takes one vector of states through its piece of the program. It is straight-line code on purpose: around a loop
LLVM would spend a seventh of its time on looking for something to move out of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from loadpath.engine.llvm.arithmetic import operation
from loadpath.engine.llvm.lanes import Lanes
from loadpath.engine.llvm.runs import called_ahead
from loadpath.engine.llvm.sincos import angle_table
from loadpath.engine.plan import Angles, Chunk, Plan


def stage_functions(
    lanes: Lanes, plan: Plan, group: int, apart: Collection[int], ahead: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """LLVM text of each stage; sines and cosines are taken of groups of so many angles. Those `apart` come into other
    modules. What is computed once for all states stays a function of its own. `ahead` are slots of where results are
    written next, and numbers of vectors there: they are called into the cache, evenly over the operations.
    """
    length, done = max(plan.length(plan.first), 1), 0
    once = replace(lanes, inlined=False)
    constants = {value: lanes.constant(number) for value, number in plan.tape.constants.items()}
    texts = []
    for number, stage in enumerate(plan.stages):
        if isinstance(stage, Angles):
            table = angle_table(stage.slots, group)
            entries = ", ".join(f"i32 {slot}" for slot in table)
            name = f"@angles_{lanes.code}_{number}"
            text = f"{name} = internal constant [{len(table)} x i32] [{entries}]\n"
            body = f"  call void @sincos_{lanes.code}(ptr %scratch, ptr {name}, i64 {len(table) // (3 * group)})"
        else:
            share: list[tuple[int, int]] = []
            if number >= plan.first:
                before, done = done, done + len(stage.values)
                share = list(ahead[len(ahead) * before // length : len(ahead) * done // length])
            text, body = "", _chunk(lanes, plan, stage, constants, share)
        scope = "hidden" if number in apart else "internal"
        code = (once if number < plan.first else lanes).vector_code
        texts.append(f"""{text}
define {scope} void @stage_{lanes.code}_{number}(ptr %scratch) {code} {{
{body}
  ret void
}}
""")
    return texts


def _chunk(
    lanes: Lanes, plan: Plan, chunk: Chunk, constants: dict[int, str], ahead: Sequence[tuple[int, int]]
) -> str:
    """Straight-line code: values come from scratch memory at first use, and go there when computed."""
    tape = plan.tape
    lines: list[str] = []
    names = dict(constants)
    kept: dict[int, list[int]] = {}
    for value, slot in chunk.stores:
        kept.setdefault(value, []).append(slot)

    def use(value: int) -> str:
        if value not in names:
            names[value] = f"%v{value}"
            slot = plan.slot[value]
            lines.append(f"  %from{value} = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}")
            lines.append(f"  %v{value} = load {lanes.vector}, ptr %from{value}")
        return names[value]

    def keep(value: int) -> None:
        for slot in kept.pop(value, ()):
            name = use(value)
            lines.append(f"  %to{value}.{slot} = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}")
            lines.append(f"  store {lanes.vector} {name}, ptr %to{value}.{slot}")

    for slot in dict.fromkeys(slot for slot, _ in ahead):
        lines.append(f"  %next.{slot}.at = getelementptr {lanes.vector}, ptr %scratch, i64 {slot}")
        lines.append(f"  %next.{slot} = load ptr, ptr %next.{slot}.at")
    for k, value in enumerate(chunk.values):
        for slot, number in ahead[len(ahead) * k // len(chunk.values) : len(ahead) * (k + 1) // len(chunk.values)]:
            lines += called_ahead(f"%next.{slot}", f"%ahead.{slot}.{number}", lanes.bytes * number)
        if value in tape.operations:
            name, arguments = tape.operations[value]
            used = tuple(use(argument) for argument in arguments)
            names[value] = f"%v{value}"
            lines += operation(lanes, names[value], name, used)
        keep(value)
    for value in list(kept):
        keep(value)
    return "\n".join(lines)
