"""Kernels that are kept: one for each thing that is computed, from memory, from disk or from the compiler.

Whoever needs a kernel first makes it, and other threads that need the same one wait for it:

    equations -> trace -> LLVM text -> machine code (-> disk) -> ufunc

That is for float64; code for float32 is made when it is first asked for (see `float32`). Long programs run first from
quickly compiled code, while the optimised one is made, which alone is kept on disk (see `better`).

On disk, machine code is found by the hash of its LLVM text: the text is the program and cannot be stale. In front of
that, a quick key of the robot and of these sources leads to the text's, so that nothing need be traced. A change in the
sources that leaves the text as it is compiles nothing.

The main thread has this done by a thread of its own, because Ctrl-C reaches it only while it waits: LLVM would sit the
interrupt out. What was begun is finished, so that a later call finds it.
"""

from __future__ import annotations

import contextvars
import functools
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from loadpath import _sources
from loadpath.engine import cache, jit
from loadpath.engine.better import Better, better_lock, better_symbol, optimize_later, with_place_for_better
from loadpath.engine.direct import HEAD, direct_entry, has_direct_entry
from loadpath.engine.float32 import Later, entry_symbols, float32_entry, unpack
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.identity import program_key
from loadpath.engine.llvm.lanes import Lanes
from loadpath.engine.notice import Say, compiling, notice
from loadpath.engine.program import Operand, Program, Tape
from loadpath.engine.tape import read_tape
from loadpath.engine.trace import trace
from loadpath.errors import CacheWarning, warn
from loadpath.progress import each

Equations: TypeAlias = Callable[..., Any]
"""A formulation on a mechanism, as a function of the operands."""
Result = TypeVar("Result")

MOST_KEPT = 512
"""Kernels that are kept in memory."""
QUICK_FROM = 200
"""Programs from so many operations on run first from quickly compiled code (see `better`)."""
SEPARATOR = "\n\n"
"""Between the keys of several texts."""
LOOKED = 1.0
"""Seconds for which the library's files count as unchanged once they were looked at."""
MOST_WAIT = 0.5
"""Seconds between looks at whether Ctrl-C was pressed, where the platform does not interrupt a wait."""


class Kernel(NamedTuple):
    """A compiled program: its ufunc, which keeps the code alive, and where the short way in for one state is."""

    ufunc: np.ufunc
    direct: tuple[int, int] | None
    """Addresses of the entry and of its context (see `direct.bind`), where there is one."""


class Work(NamedTuple):
    """What a kernel shall be called and look like."""

    name: str
    public_name: str
    inputs: Sequence[Operand]
    outputs: Sequence[Operand]
    doc: str = ""

    @property
    def symbols(self) -> list[str]:
        """In the object code: the loop, what stands for that of float32, the entry for one state and its context."""
        there = has_direct_entry(self.inputs, self.outputs)
        short_way = [f"{self.name}_direct", f"{self.name}_context"] if there else []
        return [f"{self.name}_f8", *entry_symbols(self.name), *short_way]


class _Making:
    """A kernel that one thread makes and others wait for."""

    def __init__(self) -> None:
        self.kernel: Kernel | None = None
        self._done = threading.Event()

    def wait(self) -> None:
        """Until it is made or given up; Ctrl-C ends the wait."""
        while not self._done.wait(MOST_WAIT):
            pass

    def done(self) -> None:
        self._done.set()


_kept: OrderedDict[str, Kernel] = OrderedDict()
_making: dict[str, _Making] = {}
_lock = threading.RLock()
"""Guards both tables; never held while something is made."""
importing = threading.RLock()
"""Held while modules are imported that only tracing and compiling need, so that no child of a fork has half of one."""
binding = threading.RLock()
"""Held for the moment in which a method is bound to its compiled code."""


def kernel(key: str | None, work: Work, make_equations: Callable[[], Equations]) -> Kernel:
    """The kernel of a key, which must name everything that is computed. The equations are made and traced only if
    neither memory nor disk has the code. Without a key the traced program itself is the key.
    """
    program = None
    if key is None:
        equations = make_equations()
        program = _interruptible(work, lambda say: _traced(equations, work))
        key = _key_of(program, work)
    while True:
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
            others = _making.get(key)
            if others is None:
                own = _making[key] = _Making()
        if others is None:
            return _make(own, key, work, make_equations, program)
        others.wait()
        if others.kernel is not None:
            return others.kernel
        # Whoever made it was interrupted, or failed: then this thread tries, and gets an error of its own.


def _make(
    own: _Making, key: str, work: Work, make_equations: Callable[[], Equations], program: Program | None
) -> Kernel:
    taken_over = False

    def compiled(say: Say) -> Kernel:
        nonlocal taken_over
        taken_over = True
        try:
            made = _compiled(program or _traced(equations, work), work, disk_key, say)
            _keep(key, own, made)
            return made
        finally:
            _give_up(key, own)

    try:
        disk_key = _disk_key(key)
        library = _on_disk(disk_key, work.symbols)
        if library is not None:
            found = _kernel(library, work)
            _keep(key, own, found)
            return found
        equations = make_equations() if program is None else None
        if disk_key is not None and not _sources.unchanged(within=LOOKED):  # and once more before it is written
            disk_key = None  # it is still right to read under the key of what was imported, but not to write
            _warn_of_change()
        return _interruptible(work, compiled)
    finally:
        if not taken_over:
            _give_up(key, own)


def _compiled(program: Program, work: Work, disk_key: str | None, say: Say) -> Kernel:
    operations = len(program.tape.operations)
    say(compiling(work.public_name, operations))
    texts = llvm_text(program)
    library = _of_texts(texts, work.symbols, disk_key)
    if library is not None:
        return _kernel(library, work)
    if operations < QUICK_FROM or jit.ending.is_set():
        return _kernel(machine_code(texts, work.symbols, disk_key), work)
    loop = work.symbols[0]
    placed = with_place_for_better(texts, loop)
    codes = [jit.compile_quickly(text) for text in each(placed, [len(text) for text in placed])]
    quick = jit.load_object(codes, *work.symbols, better_symbol(loop))
    better = Better(quick, loop, lambda: machine_code(texts, work.symbols, disk_key, give_up=jit.ending.is_set),
                    long=len(texts) > 1)
    optimize_later(better)
    return _kernel(quick, work, better)


def machine_code(
    texts: Sequence[str],
    symbols: Sequence[str],
    disk_key: str | None,
    give_up: Callable[[], bool] = lambda: False,
    *,
    from_disk: bool = True,
) -> jit.Library:
    """The code of LLVM texts, from the disk as far as it is there; the key is led to it. Between two texts it can be
    given up: what is done then is on the disk.
    """
    codes = []
    kept, own = True, 0
    for text in each(texts, [len(text) for text in texts]):
        key = _text_key(text)
        code = cache.read(key) if from_disk else None
        if code is None:
            if give_up():
                raise InterruptedError
            code = jit.compile_object(text)
            kept = cache.write(key, code) and kept  # before anybody goes on, and perhaps ends the process
            own += 1
        codes.append(code)
    try:
        library = jit.load_object(codes, *symbols)
    except RuntimeError:
        if own == len(texts):
            raise
        # What was on the disk is not what it should be.
        return machine_code(texts, symbols, disk_key, give_up, from_disk=False)
    if kept:
        _lead(disk_key, texts)
    return library


def _of_texts(texts: Sequence[str], symbols: Sequence[str], disk_key: str | None) -> jit.Library | None:
    """The code of texts if all of it is on the disk; the key is led to it."""
    library = _loaded([_text_key(text) for text in texts], symbols)
    if library is not None:
        _lead(disk_key, texts)
    return library


def _lead(disk_key: str | None, texts: Sequence[str]) -> None:
    """From a key to the code of texts."""
    if disk_key is not None and _sources.unchanged():
        cache.write(disk_key, SEPARATOR.join(map(_text_key, texts)).encode())


def _text_key(text: str) -> str:
    return f"text {hashlib.sha256(text.encode()).hexdigest()}\n{jit.host_key()}"


def _traced(equations: Equations | None, work: Work) -> Program:
    assert equations is not None
    return trace(equations, work.name, work.inputs, work.outputs)


def _key_of(program: Program, work: Work) -> str:
    return program_key(work.name, read_tape(program), work.inputs, work.outputs)


def _interruptible(work: Work, function: Callable[[Say], Result]) -> Result:
    """What a function returns or raises; Ctrl-C in the meantime stops the waiting, not the function."""
    with notice(f"tracing {work.public_name}") as say:
        if threading.current_thread() is not threading.main_thread() or jit.ending.is_set():
            return function(say)  # where no Ctrl-C arrives, and where no thread should be started any more
        future: Future[Result] = Future()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                future.set_result(context.run(function, say))
            except BaseException as error:
                future.set_exception(error)

        try:
            threading.Thread(target=run, name="loadpath compiler", daemon=True).start()
        except RuntimeError:  # there is no thread to be had
            return function(say)
        while not future.done():
            wait([future], MOST_WAIT)
        return future.result()


def llvm_text(program: Program) -> list[str]:
    """LLVM assembly of a program for this machine, in one module or several."""
    with importing:
        from loadpath.engine.llvm.emit import emit

    name, inputs, outputs, tape = program.name, program.inputs, program.outputs, read_tape(program)
    first, *others = emit(name, tape, inputs, outputs, Lanes("f8", jit.host_width(), jit.host_fuses()))
    first += float32_entry(name, tape)
    if has_direct_entry(inputs, outputs):
        first += direct_entry(name, inputs, outputs)
    return [first, *others]


def _float32(work: Work, tape: Tape, say: Say) -> tuple[jit.Library, str]:
    """The loop for float32: its library and its symbol."""
    from loadpath.engine.llvm.emit import emit, symbol

    loop = symbol(work.name, "f4")
    key = _disk_key("float32 " + program_key(work.name, tape, work.inputs, work.outputs))
    library = _on_disk(key, [loop])
    if library is None:
        if not _sources.unchanged(within=LOOKED):
            key = None
        say(compiling(f"{work.public_name} for float32", len(tape.operations)))
        texts = emit(work.name, tape, work.inputs, work.outputs, Lanes("f4", 2 * jit.host_width(), jit.host_fuses()))
        library = machine_code(texts, [loop], key)
    return library, loop


def _on_disk(disk_key: str | None, symbols: Sequence[str]) -> jit.Library | None:
    """The code that a key leads to."""
    text_keys = cache.read(disk_key) if disk_key is not None else None
    return None if text_keys is None else _loaded(text_keys.decode(errors="replace").split(SEPARATOR), symbols)


def _loaded(text_keys: Sequence[str], symbols: Sequence[str]) -> jit.Library | None:
    """The code of texts from the disk; none if it is not there, or not what it should be."""
    codes = []
    for key in text_keys:
        code = cache.read(key)
        if code is None:
            return None
        codes.append(code)
    try:
        return jit.load_object(codes, *symbols)
    except RuntimeError:
        return None


def _kernel(library: jit.Library, work: Work, better: Better | None = None) -> Kernel:
    loop, entry, tape, *short = map(library.address, work.symbols)
    later = Later(lambda say: _float32(work, unpack(tape), say), functools.partial(_interruptible, work))
    shapes = [operand.shape for operand in work.inputs], [operand.shape for operand in work.outputs]
    owned = (library, later, better)
    ufunc = make_ufunc(work.name, work.doc, {"f4": entry, "f8": loop}, *shapes, owned, {"f4": later.address})
    return Kernel(ufunc, (short[0], short[1]) if short else None)


def _keep(key: str, own: _Making, made: Kernel) -> None:
    own.kernel = made
    dropped = []  # let go outside the lock, since machine code is released with them
    with _lock:
        _kept[key] = made
        while len(_kept) > MOST_KEPT:
            dropped.append(_kept.popitem(last=False))
    _give_up(key, own)


def _give_up(key: str, own: _Making) -> None:
    """Nobody makes it any more: it is done, or somebody else may try."""
    with _lock:
        if _making.get(key) is own:
            del _making[key]
    own.done()


# Keys on disk


def _disk_key(key: str) -> str | None:
    """The key with everything that the machine code depends on besides; None where the disk is not to be used."""
    library = _library() if cache.directory() is not None else None
    return None if library is None else f"{key}\n{library}\n{jit.host_key()}\n{HEAD}"


@functools.cache
def _library() -> str | None:
    """A hash of the library as it is in memory; None if its files are no longer those that were imported."""
    library = _sources.digest()
    if library is None and _sources.AT_IMPORT:
        _warn_of_change()
    return library


@functools.cache
def _warn_of_change() -> None:
    warn("the files of Loadpath have changed since it was imported: each process traces anew what is compiled from now "
         "on; restart Python to use the new version", CacheWarning)


def kept_data(key: str) -> str | None:
    """What `keep_data` has kept of equations under this key, if it is there."""
    disk_key = _disk_key(key)
    data = cache.read(disk_key) if disk_key is not None else None
    return None if data is None else data.decode(errors="replace")


def keep_data(key: str, text: str) -> None:
    """Keep what was found about equations on disk, beside their machine code."""
    disk_key = _disk_key(key)
    if disk_key is not None and _sources.unchanged():
        cache.write(disk_key, text.encode())


# Forks


def _hold_while_forking(lock: threading.RLock | jit.LockOfLlvmlite) -> None:
    """Take a lock before a fork and release it after, so that no child inherits it from a thread that it lacks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


# Before a fork the last lock is taken first: that of LLVM, which may wait for a compilation.
# llvmlite's own comes last, since a thread that holds any of the others may let go of something of llvmlite's.
for held in (jit.LockOfLlvmlite(), better_lock, _lock, binding, importing, jit.lock):
    _hold_while_forking(held)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_making.clear)  # the threads that made them are not in the child
