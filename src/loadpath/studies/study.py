"""`lp.study(...)`: answers of every design of a space, computed in chunks, killed and continued."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.parts.verdict.running import checked_hours
from loadpath.printable import printable
from loadpath.progress import Report, reporting, shown
from loadpath.studies.answers import Answer, answers_of
from loadpath.studies.chunks import COMPUTED, FAILED, LEFT_OUT, Chunk, compute
from loadpath.studies.cluster import check_cluster, computed
from loadpath.studies.fronts import Front
from loadpath.studies.manifest import created, refuse_others
from loadpath.studies.passes import PIECE
from loadpath.studies.probing import prepared
from loadpath.studies.problem import Problem
from loadpath.studies.results import Results
from loadpath.studies.sampling import GRID, OWN, checked_count, checked_seed
from loadpath.studies.space import Space
from loadpath.studies.store import InMemory, OnDisk, followed
from loadpath.studies.together import one_by_one, size_of_chunk

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel

_WINDOW = 2
_TRIAL = 0.3
"""s that a trial takes at least, beside compiling."""
_SAMPLED = 2048
_COUNTED = {"motion.speed": "the speed of the motion", "motion.duration": "the duration of the motion"}
_BASE_MEMORY = 150e6


@dataclass(frozen=True)
class Cost:
    """What a study will take: `print(study.cost)`. Time is measured on a few designs.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2).with_payload(0.0)
    >>> cost = lp.study(arm, lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 9)}), answers=["mass"]).cost
    >>> cost.designs, cost.states, cost.chunks
    (9, 1, 1)
    """

    designs: int
    left_out: float
    """Share of designs that do not fulfil the conditions, of those that were looked at."""
    states: int
    """Of each design."""
    chunks: int
    seconds: float
    """Of the whole study, on this machine's cores."""
    seconds_each: float
    """Of a design, on one core."""
    threads: int
    memory: float
    """Bytes."""
    disk: float
    """Bytes; zero in memory."""
    one_by_one: str = ""
    """Why designs are computed one after the other; nothing where they go through kernels together."""

    def __str__(self) -> str:
        lines = [
            f"designs  {self.designs:,}" + (f", about {100 * self.left_out:.0f} % left out by conditions"
                                           if self.left_out else ""),
            f"states   {self.states:,} each, {self.designs * self.states:,} in all",
            f"time     {in_words(self.seconds)} on {self.threads} core{'s' if self.threads > 1 else ''} "
            f"({1e6 * self.seconds_each:,.4g} us a design)",
            f"memory   {size_in_words(self.memory)}",
            f"disk     {size_in_words(self.disk)}, {self.chunks} chunk{'s' if self.chunks > 1 else ''}" if self.disk
            else f"disk     none, {self.chunks} chunk{'s' if self.chunks > 1 else ''} in memory",
        ]
        if self.one_by_one:
            lines.append(f"designs are computed one by one: {self.one_by_one}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {"designs": self.designs, "left_out": self.left_out, "states": self.states, "chunks": self.chunks,
                "seconds": self.seconds, "seconds_each": self.seconds_each, "threads": self.threads,
                "memory": self.memory, "disk": self.disk, "one_by_one": self.one_by_one}


class Study(Results):
    """Answers of every design of a space; `lp.study` makes one.

    `run()` computes what is not there yet: a study that was killed goes on where it was, and comes to the same numbers,
    bit for bit. `cost` says before what that takes. Then `dataset`, `to_dataframe()`, `front(...)`, `where(...)` and
    `why(design)` make use of it.
    """

    def __init__(self, problem: Problem, to: Path | None, chunk: int | None = None) -> None:
        self.problem = prepared(problem)
        self.to = None if to is None else followed(to)
        self._chunk = chunk
        self._store: InMemory | OnDisk | None = None
        if to is not None:
            self._open(create=False)

    # What it is about

    @property
    def space(self) -> Space:
        """The space, as the robot knows it."""
        return self.problem.space

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What is asked of each design."""
        return self.problem.answers

    def __len__(self) -> int:
        return len(self.space)

    @cached_property
    def chunk(self) -> int:
        """Designs of a chunk."""
        rule = size_of_chunk(self.problem) if self._chunk is None else self._chunk
        return max(1, min(rule, len(self)))

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-len(self) // self.chunk)

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Entries of each answer: of the first design that has some."""
        found = self.problem.shapes()
        probe = self._probe
        for name, values in probe.values.items():
            good = probe.status == COMPUTED
            if good.any():
                found[name] = tuple(values.shape[1:])
        self.problem.bound["shapes"] = found
        return found

    @cached_property
    def _probe(self) -> Chunk:
        """A few designs from the beginning, so that everything is compiled and the shapes of answers are known."""
        for first in range(0, min(len(self), _SAMPLED), 8):
            chunk = compute(self.problem, first, min(first + 8, len(self)))
            if (chunk.status == COMPUTED).any():
                return chunk
        return compute(self.problem, 0, min(8, len(self)))

    def _open(self, *, create: bool) -> InMemory | OnDisk | None:
        """The answers; a store of another study is refused."""
        if self._store is not None:
            return self._store
        if self.to is None:
            self._store = InMemory(len(self), self.chunk, self.shapes)
            return self._store
        manifest = OnDisk.manifest(self.to)
        if manifest is None:
            if not create:
                return None
            manifest = created(self.to, self.problem, self.chunk, self.shapes)
        refuse_others(self.to, manifest, self.problem, self._chunk)
        self.__dict__["chunk"] = manifest["chunk"]
        self.__dict__["shapes"] = {name: tuple(shape) for name, shape in manifest["shapes"].items()}
        self.problem.bound["shapes"] = self.shapes
        self._store = OnDisk(self.to, len(self), self.chunk, self.shapes)
        return self._store

    @property
    def store(self) -> InMemory | OnDisk:
        """The answers, as far as they are there."""
        found = self._open(create=False)
        if found is None:
            raise ValueError("this study was not run yet: study.run()")
        return found

    # Running

    @cached_property
    def cost(self) -> Cost:
        """What it takes: designs, states, time, memory, disk. A small trial is run for it."""
        self.shapes  # noqa: B018  compiles
        size, seconds = 1, 0.0
        most = min(len(self), self.chunk)
        compute(self.problem, 0, size)  # what designs that are asked one by one compile, once
        while True:
            start = time.perf_counter()
            chunk = compute(self.problem, 0, size)
            seconds = time.perf_counter() - start
            if seconds >= _TRIAL or size >= most:
                break
            size = min(most, max(size + 1, int(size * min(8.0, 1.5 * _TRIAL / max(seconds, 1e-4)))))
        computed = int((chunk.status != LEFT_OUT).sum())
        each = seconds / max(computed, 1)
        # A part of a sequence is spread as all of it; of a grid it is one corner.
        most = len(self) - 1 if self.space.sampling.kind in (GRID, OWN) else min(len(self), _SAMPLED) - 1
        looked = np.unique(np.linspace(0, most, min(len(self), _SAMPLED)).astype(int))
        left_out = 1.0 - float(self.space.feasible(self.space.columns(looked.tolist())).mean())
        numbers = sum(math.prod(shape) for shape in self.shapes.values())
        cores = threads_of(None)
        seconds = each * len(self) * (1.0 - left_out)
        parallel = min(cores, max(self.chunks, -(-self.problem.count_of_states // PIECE)))
        if one_by_one(self.problem):
            parallel = 1
        kept = 8.0 * len(self) * numbers
        columns = 8.0 * self.chunk * (len(self.space.names) + 2 * numbers)
        states = 0.0 if isinstance(self.problem.motion, Space) else 24.0 * self.problem.count_of_states * 20
        memory = _BASE_MEMORY + _WINDOW * cores * (columns + 30e6) + states + (kept if self.to is None else 0.0)
        return Cost(len(self), left_out, self.problem.count_of_states, self.chunks, seconds / parallel, each, parallel,
                    memory, self.disk, one_by_one(self.problem))

    def run(self, client: object = None, *, threads: int | None = None, progress: bool | Report = False) -> Study:
        """Compute what is not there yet, and write it. On this machine's cores, in threads of this process; with
        `client`, a `dask.distributed.Client`, on its workers.

        Designs that fail do not stop the others: `study.failures` says why each did. `progress=True` shows a bar with
        the rate and the time that is left; a function is called with the share done.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> swing = lp.Motion.swing(arm, samples=50)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 3)})
        >>> study = lp.study(arm, space, swing, answers=["joint1.drive", "mass"]).run()
        >>> study.answer("mass").tolist()
        [2.0, 4.0, 6.0]
        """
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ValueError(f"threads is {threads!r}: expected how many, one or more")
        if client is not None:
            if threads is not None:
                raise ValueError("run: 'threads' is of this process, and a client is given: leave one of the two out")
            check_cluster(client)
        store = self._open(create=True)
        assert store is not None
        left = store.missing(range(self.chunks))
        if not left:  # nothing is written: what is done may be on a disk that is only read
            return self
        with store.locked():
            left = store.missing(left)  # another process may have been at it
            done = self.chunks - len(left)
            with _shown(progress, self, done) as report:
                for number, chunk in self._computed(left, client, threads):
                    store.put(number, chunk)
                    done += 1
                    report(done / self.chunks)
        self.forget()
        return self

    def refined(
        self, front: Front, count: int = 1000, *, within: float = 1.0, seed: int = 0,
        to: str | PathLike[str] | None = None,
    ) -> Study:
        """A study of the same around a front: its designs, and `count` more about them. Numbers of spans are within so
        many steps of this study's space, and within its ends; what is in lists stays. Conditions hold there, too.

        Its front is as good as this one or better; once more, with a smaller `within`, goes on from there.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "motion.duration": lp.span("1 s", "2 s", 3)})
        >>> study = lp.study(arm, space, lp.Motion.swing(arm, samples=50), answers=["joint1.drive"]).run()
        >>> front = study.front("joint1.drive", "motion.duration", where="payload.mass >= 1")
        >>> finer = study.refined(front, 200).run()
        >>> len(finer.front("joint1.drive", "motion.duration", where="payload.mass >= 1")) > len(front)
        True
        """
        if not isinstance(front, Front):
            raise ValueError(f"refined: {front!r} is no front: expected what study.front(...) gives")
        if not (isinstance(within, (int, float)) and 0.0 < within < math.inf):
            raise ValueError(f"within is {within!r}: expected how many steps of the space, more than zero")
        columns = front.study.columns()
        designs = [{name: column[number] for name, column in columns.items()} for number in front.ordered.tolist()]
        for name in self.space.chosen:
            if name not in designs[0]:
                raise ValueError(f"refined: the front is of another study: its designs have no '{name}'")
        near = self.space.around(designs, checked_count(count, "refined"), float(within), checked_seed(seed))
        return Study(self.problem.over(near, self.answers), None if to is None else Path(to), self._chunk)

    def _bounds(self, number: int) -> tuple[int, int]:
        return number * self.chunk, min((number + 1) * self.chunk, len(self))

    def _computed(self, left: Sequence[int], client: Any, threads: int | None) -> Iterator[tuple[int, Chunk]]:
        if client is not None:
            yield from computed(client, self.problem, [(k, *self._bounds(k)) for k in left])
            return
        count = threads_of(threads)
        if left:
            self.shapes  # noqa: B018  compiled once, before threads ask for it
        with ThreadPoolExecutor(count) as pool:
            if self.problem.count_of_states > PIECE:  # the threads share the states of a design
                for number in left:
                    yield number, compute(self.problem, *self._bounds(number), pool)
                return
            chunks = [(k, *self._bounds(k)) for k in left]
            yield from _windowed(pool, partial(compute, self.problem), chunks, _WINDOW * count)

    @property
    def share_done(self) -> float:
        """Share of the chunks that are there."""
        store = self._open(create=False)
        return 0.0 if store is None else 1.0 - len(store.missing(range(self.chunks))) / self.chunks

    @property
    def disk(self) -> float:
        """Bytes that its store takes; zero in memory."""
        if self.to is None:
            return 0.0
        numbers = sum(math.prod(shape) for shape in self.shapes.values())
        return self.chunks * (self.chunk * (8.0 * numbers + 1) + 4 * (len(self.shapes) + 1))

    @property
    def done(self) -> bool:
        """Whether all is computed."""
        store = self._open(create=False)
        return store is not None and not store.missing(range(self.chunks))

    def __repr__(self) -> str:
        where = "in memory" if self.to is None else f"in '{self.to.name}'"
        asked = ", ".join(answer.name for answer in self.answers[:4]) + (" ..." if len(self.answers) > 4 else "")
        return printable(f"<study of {len(self):,} designs, {', '.join(self.space.free)}: {asked}; {where}>")


def _windowed(
    pool: ThreadPoolExecutor, compute: Callable[[int, int], Chunk], left: Sequence[tuple[int, int, int]], window: int
) -> Iterator[tuple[int, Chunk]]:
    """Chunks as they are done, so many under way at a time."""
    waiting = iter(left)
    running: dict[Future[Chunk], int] = {}
    try:
        while True:
            while len(running) < window and (one := next(waiting, None)) is not None:
                running[pool.submit(compute, one[1], one[2])] = one[0]
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()


def study(
    robot: RobotModel | Callable[..., RobotModel],
    space: Space,
    motion: object = None,
    *,
    answers: object,
    to: str | PathLike[str] | None = None,
    hours: float | None = None,
    chunk: int | None = None,
    **acting: object,
) -> Study:
    """A study: what a design is asked (`answers`, see `lp.Answer`), of every design of a space.

    `robot` is a robot, whose numbers the space names (`payload.mass`, `link3.length`, all of `robot.family`;
    `joint2.part` for parts, `joint2.gear.ratio`, `motion.speed`, `motion.duration`, and `joint2.position`, `.speed`,
    `.acceleration` for states of the workspace); or a function that makes a robot (or rover) of parameters.

    `motion` is an `lp.Motion` or spectrum, a tuple (q, qd, qdd), a function of parameters (and of `robot`) that makes
    one, or an `lp.Space` of states, which may be many millions: they are made block by block.

    `to` names the folder of a Zarr store where answers are kept; without, they are in memory. `hours` is the life that
    a verdict asks for. `chunk` is how many designs are computed and written together. What acts beside the motion is
    given as for `robot.verdict`: `external=`, and of rovers how the base moves, like `velocity=` and `heading=`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2).with_payload(0.0)
    >>> swing = lp.Motion.swing(arm, samples=50)
    >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "link1.length": ["0.8 m", "1 m", "1.2 m"]})
    >>> study = lp.study(arm, space, swing, answers=["joint1.drive", "joint1.tilting_moment:rms"])
    >>> study
    <study of 15 designs, payload.mass, link1.length: joint1.drive, joint1.tilting_moment:rms; in memory>
    >>> study.run().answer("joint1.drive").shape
    (5, 3)
    """
    if not isinstance(space, Space):
        raise ValueError(f"space is {space!r}: expected an lp.Space, like lp.Space(payload=lp.span(\"0 kg\", "
                         "\"12 kg\"))")
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, (int, np.integer)) or chunk < 1):
        raise ValueError(f"chunk is {chunk!r}: expected how many designs, one or more")
    if to is not None and not os.fspath(to):
        raise ValueError("the name of the store of a study is empty")
    given = {name: value for name, value in acting.items() if value is not None}
    problem = Problem(robot, space, motion, answers_of(answers), checked_hours(hours), given)
    return Study(problem, None if to is None else Path(to), None if chunk is None else int(chunk))


def threads_of(threads: int | None) -> int:
    """How many threads: as asked for, else one for each core that this process may use."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def in_words(seconds: float) -> str:
    """A time as people say it.

    >>> in_words(0.02), in_words(75), in_words(4000)
    ('less than a second', '75 s', '1 h 7 min')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min"


def size_in_words(count: float) -> str:
    """A number of bytes as people say it.

    >>> size_in_words(250), size_in_words(2.5e7)
    ('250 B', '25 MB')
    """
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError


@contextmanager
def _shown(progress: bool | Report, study: Study, done: int) -> Iterator[Report]:
    """A bar with the rate and the time that is left, or the caller's own function."""
    if progress is not True:
        with reporting(progress, "study") as report:
            yield report
        return
    start, before = time.perf_counter(), done / max(study.chunks, 1)

    def rate(share: float) -> str:
        return f"{(share - before) * len(study) / max(time.perf_counter() - start, 1e-9):,.4g} designs/s"

    with shown("study", beside=rate, before=before), reporting(False, "study") as report:
        yield report


__all__ = ["COMPUTED", "FAILED", "LEFT_OUT", "Cost", "Study", "study"]
