"""In which order a tape runs, and where its values are kept.

LLVM needs time that grows with the square of a basic block's length, so the tape is cut into stages that are
compiled one by one: a `Chunk` of straight-line arithmetic, or a group of `Angles` whose sines and cosines are
taken together. What lives from one stage to a later one is kept in a numbered slot of the scratch memory;
slots are used again, so that the memory in use stays small enough for the processor's nearest cache.

Inputs may be pinned: all states of a batch mostly share them. What depends on them alone comes first, in stages of its
own, and like them it keeps its slots to the end: where they are shared, it is computed once for a whole batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from loadpath.engine.program import Tape
from loadpath.engine.tape import with_fused_products


@dataclass
class Chunk:
    """A run of operations, compiled as one function."""

    values: list[int]
    stores: list[tuple[int, int]] = field(default_factory=list)  # value, and a slot that it goes to


@dataclass
class Angles:
    """Angles whose sine and cosine are taken together: the slots of angle, sine and cosine."""

    values: list[int]
    slots: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Plan:
    """The stages of a tape and its scratch memory: slots of the inputs first, then of the outputs, then others."""

    tape: Tape
    stages: list[Chunk | Angles]
    slot: dict[int, int]  # where a value is kept, if it outlives its stage
    slots: int
    first: int = 0
    """How many stages, from the first on, need pinned inputs only."""

    def length(self, begin: int) -> int:
        """Operations from a stage on, without sines and cosines."""
        return sum(len(stage.values) for stage in self.stages[begin:] if isinstance(stage, Chunk))

    @property
    def angles(self) -> list[list[int]]:
        """Angles whose sines and cosines are taken together."""
        return [stage.values for stage in self.stages if isinstance(stage, Angles)]


def plan(tape: Tape, chunk_length: int, pinned: Collection[int] = (), *, fuse: bool = False) -> Plan:
    """Cut the tape into chunks of at most `chunk_length` operations and give out the slots; `pinned` are inputs.
    Products are fused with sums on processors that can (`fuse`).
    """
    shared = shared_by_states(tape, pinned)
    if fuse:
        tape = with_fused_products(tape, shared)
        shared.intersection_update(value for value, _ in _uses(tape))
    order = _shorten_lives(tape)
    parts = [
        _cut(_order(tape, [value for value in order if (value in shared) == first],
                    [angle for angle in tape.angles if (tape.angles[angle][0] in shared) == first]), chunk_length)
        for first in (True, False)
    ]
    return _keep_values(tape, parts, chunk_length, shared.union(pinned))


def shared_by_states(tape: Tape, pinned: Collection[int]) -> set[int]:
    """Values that depend on pinned inputs alone, without these."""
    if not pinned:
        return set()
    known = {*pinned, *tape.constants}
    for value, (_, arguments) in _uses(tape):
        if known.issuperset(arguments):
            known.add(value)
    return known.difference(pinned, tape.constants)


def _order(tape: Tape, values: list[int], taken: list[int]) -> list[Chunk | Angles]:
    """Sines and cosines as early as their arguments allow, all that are ready together; `values` are in the order in
    which they shall be computed, `taken` the angles.

    So the arithmetic in between is free of calls, which would empty the registers.
    """
    depth = _depth(tape) if taken else {}
    waiting = dict.fromkeys(values)
    stages: list[Chunk | Angles] = []
    for level in sorted({depth.get(angle, 0) for angle in taken}):
        angles = [angle for angle in taken if depth.get(angle, 0) == level]
        needed = set(angles)
        for value in sorted(waiting, reverse=True):
            if value in needed:
                needed.update(tape.operations[value][1])
        # A constant angle is listed too: that puts it into scratch memory, where angles are looked for.
        ready = [v for v in waiting if v in needed] + [a for a in angles if a in tape.constants]
        for value in ready:
            waiting.pop(value, None)
        stages += [Chunk(ready), Angles(angles)]
    return [*stages, Chunk(list(waiting))]


def _shorten_lives(tape: Tape) -> list[int]:
    """The operations in an order that keeps fewer values waiting.

    A tape has values in the order in which equations came upon them, so some wait for long. Here an operation moves
    ahead to where its arguments are there and at least one of them is used for the last time.
    """
    arguments = {v: [a for a in dict.fromkeys(used) if a not in tape.constants] for v, (_, used) in _uses(tape)}
    users: dict[int, list[int]] = {}
    for value, used in arguments.items():
        for argument in used:
            users.setdefault(argument, []).append(value)
    uses_left = {argument: len(listed) for argument, listed in users.items()}
    missing = {value: sum(argument in arguments for argument in used) for value, used in arguments.items()}
    order: list[int] = []
    done: set[int] = set()
    for start in arguments:
        stack = [start]
        while stack:
            value = stack.pop()
            if value in done:
                continue
            done.add(value)
            order.append(value)
            ready: set[int] = set()
            for argument in arguments[value]:
                uses_left[argument] -= 1
                if uses_left[argument] == 1:
                    ready.update(user for user in users[argument] if not missing[user])
            for user in users.get(value, ()):
                missing[user] -= 1
                if not missing[user]:
                    ready.add(user)
            ready -= done
            stack += sorted((r for r in ready if any(uses_left[a] == 1 for a in arguments[r])), reverse=True)
    return [value for value in order if value in tape.operations]


def _uses(tape: Tape) -> Iterator[tuple[int, tuple[str, tuple[int, ...]]]]:
    """All operations, sines and cosines among them, in the tape's order."""
    pairs = {v: ("sincos", (angle,)) for angle, pair in tape.angles.items() for v in pair}
    return iter(sorted({**tape.operations, **pairs}.items()))


def _depth(tape: Tape) -> dict[int, int]:
    """How many sines of sines of ... a value contains."""
    depth: dict[int, int] = {}
    angle_of = {value: angle for angle, pair in tape.angles.items() for value in pair}
    for value in sorted([*tape.operations, *angle_of]):
        if value in angle_of:
            depth[value] = depth.get(angle_of[value], 0) + 1
        else:
            depth[value] = max((depth.get(a, 0) for a in tape.operations[value][1]), default=0)
    return depth


def _cut(stages: list[Chunk | Angles], length: int) -> list[Chunk | Angles]:
    pieces: list[Chunk | Angles] = []
    for stage in stages:
        if isinstance(stage, Angles):
            pieces.append(stage)
        else:
            values = stage.values
            pieces += [Chunk(values[i : i + length]) for i in range(0, len(values), length)]
    return pieces


class Scratch:
    """Slots given out and taken back; the one used last goes first, as it is nearest in the cache."""

    def __init__(self, fixed: int = 0) -> None:
        self.size = fixed
        self._free: list[int] = []

    def take(self) -> int:
        """A free slot, or a new one."""
        if self._free:
            return self._free.pop()
        self.size += 1
        return self.size - 1

    def give_back(self, slots: Iterable[int]) -> None:
        """Slots whose values are used no more."""
        self._free.extend(slots)


def _keep_values(tape: Tape, parts: list[list[Chunk | Angles]], length: int, shared: set[int]) -> Plan:
    """Give a slot to each value from where it is computed to where it is used last; what is shared by all states, and
    needed after the first part, keeps it.
    """
    stages, first = [stage for part in parts for stage in part], len(parts[0])
    outputs: dict[int, list[int]] = {}
    for position, value in enumerate(tape.outputs):
        outputs.setdefault(value, []).append(tape.inputs + position)
    computed = {value for stage in stages if isinstance(stage, Chunk) for value in stage.values}
    # Outputs that no chunk computes (inputs, constants, sines) are copied at the very end; a matrix may have thousands.
    copies = [(value, slot) for value, slots in outputs.items() if value not in computed for slot in slots]
    stages += [Chunk([], copies[i : i + length]) for i in range(0, len(copies), length)]

    last = _last_uses(tape, stages)
    slot = {value: value for value in range(tape.inputs)}
    scratch = Scratch(tape.inputs + len(tape.outputs))
    is_output = range(tape.inputs, scratch.size)
    expiring: dict[tuple[int, int], list[int]] = {}
    for value, when in last.items():
        if value not in shared or (value >= tape.inputs and when[0] < first):
            expiring.setdefault(when, []).append(value)

    def release(s: int, p: int) -> None:
        scratch.give_back(slot[v] for v in expiring.get((s, p), ()) if v in slot and slot[v] not in is_output)

    for s, stage in enumerate(stages):
        if isinstance(stage, Angles):
            for value in stage.values:
                pair = tape.angles[value]
                slot.update((result, scratch.take()) for result in pair)
                stage.slots.append((slot[value], slot[pair[0]], slot[pair[1]]))
            release(s, 0)
            continue
        for p, value in enumerate(stage.values):
            release(s, p)
            stage.stores += [(value, position) for position in outputs.get(value, ())]
            if value in outputs:
                slot[value] = outputs[value][0]
            elif last[value][0] > s:
                slot[value] = scratch.take()
                stage.stores.append((value, slot[value]))
    return Plan(tape, stages, slot, scratch.size, first)


def _last_uses(tape: Tape, stages: list[Chunk | Angles]) -> dict[int, tuple[int, int]]:
    """For each value the stage and the position in it where it is used last (where it is computed, if never)."""
    last: dict[int, tuple[int, int]] = {}
    for s, stage in enumerate(stages):
        if isinstance(stage, Angles):
            for value in stage.values:
                last.update((used, (s, 0)) for used in (value, *tape.angles[value]))
            continue
        for p, value in enumerate(stage.values):
            last[value] = (s, p)
            if value in tape.operations:
                last.update((argument, (s, p)) for argument in tape.operations[value][1])
        last.update((value, (s, len(stage.values))) for value, _ in stage.stores)
    return last
