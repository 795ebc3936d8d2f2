"""The stages of a plan as WebAssembly functions of the scratch memory's address.

WebAssembly is a stack machine with locals. A result that the next operation takes stays on the stack; every other one
goes into a local, and locals are used again, which keeps the code small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from loadpath.engine.plan import Angles, Chunk, Plan
from loadpath.exports.webassembly.arithmetic import COMMUTATIVE, FIRST_FREE, A, B, operation
from loadpath.exports.webassembly.encoding import I32, V128, Module, body, function_type
from loadpath.exports.webassembly.instructions import SLOT, Constants, call, get, memory, put, tee

STAGE = function_type([I32])
_GET, _PUT, _TEE = get, put, tee


def stage_functions(
    module: Module, plan: Plan, constants: Constants, imported: Mapping[str, int], sincos: int | None
) -> list[int]:
    """The numbers of the stages' functions, in order."""
    numbers = []
    for stage in plan.stages:
        if isinstance(stage, Angles):
            assert sincos is not None
            text, local_count = _angles(stage, sincos), 0
        else:
            text, local_count = _Writer(plan, stage, constants, imported).written()
        numbers.append(module.function(STAGE, body([(FIRST_FREE - 1 + local_count, V128)], text)))
    return numbers


def _angles(stage: Angles, sincos: int) -> bytes:
    text = b""
    for angle, sine, cosine in stage.slots:
        text += _load(angle) + call(sincos) + put(B) + put(A)
        text += _store(sine, get(A)) + _store(cosine, get(B))
    return text


def _load(slot: int) -> bytes:
    return get(0) + memory("v128.load", SLOT * slot)


def _store(slot: int, value: bytes) -> bytes:
    return get(0) + value + memory("v128.store", SLOT * slot)


class _Writer:
    """Writes one chunk: first as instructions that name values, then with locals for them."""

    def __init__(self, plan: Plan, chunk: Chunk, constants: Constants, imported: Mapping[str, int]) -> None:
        self.plan, self.chunk, self.constants, self.imported = plan, chunk, constants, imported
        self.parts: list[bytes | tuple[str, int]] = []
        self.stack: list[tuple[int, int]] = []
        """What lies on the stack: values, and where in `parts` each was left there."""
        self.known: set[int] = set()
        used = [argument for value in chunk.values for argument in plan.tape.operations.get(value, ("", ()))[1]]
        self.uses = Counter([*used, *(value for value, _ in chunk.stores)])

    def written(self) -> tuple[bytes, int]:
        """The instructions, and how many locals they need."""
        stores: dict[int, list[int]] = {}
        for value, slot in self.chunk.stores:
            stores.setdefault(value, []).append(slot)
        for value in self.chunk.values:
            if value in self.plan.tape.operations:
                self.compute(value)
            self.keep(value, stores.pop(value, []))
        for value, slots in stores.items():
            self.keep(value, slots)
        for value, _ in list(self.stack):
            self.off_stack(value)
        return self.with_locals()

    def compute(self, value: int) -> None:
        """The instructions of one operation; its result is left on the stack."""
        name, arguments = self.plan.tape.operations[value]
        before, after = operation(name, self.constants, self.imported)
        if before:
            self.parts.append(before)
            self.push_all(arguments)
        else:
            if name in COMMUTATIVE and not self.on_top(arguments):
                backwards = arguments[::-1]
                if self.on_top(backwards) or self.on_top(backwards[:1]):
                    arguments = backwards
            there = 0 if arguments[0] == arguments[-1] and len(arguments) == 2 else self.how_many_on_top(arguments)
            del self.stack[len(self.stack) - there :]
            self.push_all(arguments[there:])
        self.parts.append(after)
        self.leave(value)

    def leave(self, value: int) -> None:
        """A value that was just computed or loaded stays on the stack, and in a local if it is needed again."""
        self.known.add(value)
        self.stack.append((value, len(self.parts)))
        self.parts.append(("tee", value) if self.uses[value] > 1 else b"")

    def on_top(self, values: tuple[int, ...]) -> bool:
        return len(self.stack) >= len(values) and tuple(v for v, _ in self.stack[-len(values) :]) == values

    def how_many_on_top(self, values: tuple[int, ...]) -> int:
        """How many of an operation's arguments, from the first on, are on top of the stack in their order."""
        return next((count for count in range(len(values), 0, -1) if self.on_top(values[:count])), 0)

    def push_all(self, values: tuple[int, ...]) -> None:
        for value in values:
            self.push(value)

    def push(self, value: int) -> None:
        """The value once more onto the stack, for the operation that follows."""
        tape = self.plan.tape
        if value in tape.constants:
            self.parts.append(self.constants.push(tape.constants[value]))
            return
        if value not in self.known:
            self.known.add(value)
            self.parts.append(_load(self.plan.slot[value]))
            if self.uses[value] > 1:
                self.parts.append(("tee", value))
            return
        self.off_stack(value)
        self.parts.append(("get", value))

    def off_stack(self, value: int) -> None:
        """A value that waits on the stack goes into its local there: it is wanted elsewhere."""
        for k, (waiting, where) in enumerate(self.stack):
            if waiting == value:
                self.parts[where] = ("put", value)
                del self.stack[k]
                return

    def keep(self, value: int, slots: list[int]) -> None:
        for slot in slots:
            self.parts.append(get(0))
            self.push(value)
            self.parts.append(memory("v128.store", SLOT * slot))

    def with_locals(self) -> tuple[bytes, int]:
        """The instructions with a local for each named value from its first to its last mention."""
        last = {part[1]: k for k, part in enumerate(self.parts) if isinstance(part, tuple)}
        local: dict[int, int] = {}
        free: list[int] = []
        count = 0
        text = bytearray()
        for k, part in enumerate(self.parts):
            if isinstance(part, bytes):
                text += part
                continue
            kind, value = part
            if value not in local:
                if not free:
                    free.append(FIRST_FREE + count)
                    count += 1
                local[value] = free.pop()
            text += {"get": _GET, "put": _PUT, "tee": _TEE}[kind](local[value])
            if last[value] == k:
                free.append(local[value])
        return bytes(text), count
