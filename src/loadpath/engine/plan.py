"""In which order a tape runs, and where its values are kept.

LLVM needs time that grows with the square of a basic block's length, so the tape is cut into stages that are
compiled one by one: a `Chunk` of straight-line arithmetic, or a group of `Angles` whose sines and cosines are
taken together. What lives from one stage to a later one is kept in a numbered slot of the scratch memory;
slots are used again, so that the memory in use stays small enough for the processor's nearest cache.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from loadpath.engine.tape import Tape


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


def plan(tape: Tape, chunk_length: int) -> Plan:
    """Cut the tape into chunks of at most `chunk_length` operations and give out the slots."""
    return _keep_values(tape, _cut(_order(tape), chunk_length))


def _order(tape: Tape) -> list[Chunk | Angles]:
    """Sines and cosines as early as their arguments allow, all that are ready together.

    So the arithmetic in between is free of calls, which would empty the registers.
    """
    depth = _depth(tape)
    waiting = dict.fromkeys(tape.operations)
    stages: list[Chunk | Angles] = []
    for level in sorted({depth.get(angle, 0) for angle in tape.angles}):
        angles = [angle for angle in tape.angles if depth.get(angle, 0) == level]
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


def _keep_values(tape: Tape, stages: list[Chunk | Angles]) -> Plan:
    """Give a slot to each value from where it is computed to where it is used last."""
    outputs: dict[int, list[int]] = {}
    for position, value in enumerate(tape.outputs):
        outputs.setdefault(value, []).append(tape.inputs + position)
    computed = {value for stage in stages if isinstance(stage, Chunk) for value in stage.values}
    # Outputs that no chunk computes (inputs, constants, sines) are copied at the very end.
    copied = [value for value in outputs if value not in computed]
    if copied:
        stages.append(Chunk([]))

    last: dict[int, tuple[int, int]] = {}  # value -> stage and position where it is used last
    for s, stage in enumerate(stages):
        for p, value in enumerate(stage.values):
            if isinstance(stage, Angles):
                last[value] = (s, 0)
                for result in tape.angles[value]:
                    last[result] = (s, 0)
            else:
                for argument in tape.operations[value][1] if value in tape.operations else ():
                    last[argument] = (s, p)
    last.update((value, (len(stages), 0)) for value in copied)
    expiring: dict[tuple[int, int], list[int]] = {}
    for value, when in last.items():
        expiring.setdefault(when, []).append(value)

    slot = {value: value for value in range(tape.inputs)}
    fixed = range(tape.inputs, tape.inputs + len(tape.outputs))
    slots = fixed.stop
    free: list[int] = []  # last in, first out: the slot used most recently is nearest in the cache
    for s, stage in enumerate(stages):
        if isinstance(stage, Angles):
            new = [result for value in stage.values for result in tape.angles[value]]
        else:
            new = stage.values
        for p, value in enumerate(new):
            if isinstance(stage, Chunk):
                free += [slot[v] for v in expiring.get((s, p), ()) if v in slot and slot[v] not in fixed]
                stage.stores += [(value, position) for position in outputs.get(value, ())]
                if last.get(value, (s, 0))[0] <= s:
                    continue
                if value in outputs:
                    slot[value] = outputs[value][0]
                    continue
            if not free:
                free.append(slots)
                slots += 1
            slot[value] = free.pop()
            if isinstance(stage, Chunk):
                stage.stores.append((value, slot[value]))
        if isinstance(stage, Angles):
            stage.slots = [(slot[v], slot[tape.angles[v][0]], slot[tape.angles[v][1]]) for v in stage.values]
            free += [slot[v] for v in expiring.get((s, 0), ()) if v in slot and slot[v] not in fixed]
    if copied:
        assert isinstance(stages[-1], Chunk)
        stages[-1].stores = [(value, position) for value in copied for position in outputs[value]]
    return Plan(tape, stages, slot, slots)
