"""From a program, or from object code on disk, to a ufunc: the engine's four steps in a row."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loadpath.engine import cache, jit
from loadpath.engine.direct import HEAD, direct_entry, has_direct_entry
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.program import Operand, Program

DTYPES = ("f4", "f8")


class Kernel(NamedTuple):
    """A compiled program: its ufunc, which keeps the code alive, and where the short way in for one state is."""

    ufunc: np.ufunc
    direct: tuple[int, int] | None
    """Addresses of the entry and of its context (see `direct.bind`), where there is one."""


def load_or_compile(
    key: str | None,
    name: str,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    make_program: Callable[[], Program],
    doc: str = "",
) -> Kernel:
    """The kernel of a program. The program is made, and CasADi imported, only if the disk cache has no code.

    `key` must say everything that the program depends on; what the machine code depends on besides is added. Without
    a key the disk is left alone.
    """
    full_key = f"{key}\n{name}\n{jit.host_key()}\n{HEAD}\n{_engine_version()}"
    symbols = [f"{name}_{dtype}" for dtype in DTYPES]
    short = [f"{name}_direct", f"{name}_context"] if has_direct_entry(inputs, outputs) else []
    library = None
    code = cache.read(full_key) if key is not None else None
    if code is not None:
        library = _loaded(code, *symbols, *short)
    if library is None:
        code = compile_program(make_program())
        if key is not None:
            cache.write(full_key, code)
        library = jit.load_object(code, *symbols, *short)
    loops = {dtype: library.address(symbol) for dtype, symbol in zip(DTYPES, symbols, strict=True)}
    shapes = [operand.shape for operand in inputs], [operand.shape for operand in outputs]
    ufunc = make_ufunc(name, doc, loops, *shapes, owner=library)
    return Kernel(ufunc, (library.address(short[0]), library.address(short[1])) if short else None)


def compile_program(program: Program) -> bytes:
    """Object code of a program for this machine."""
    from loadpath.engine.emit import emit

    text = emit(program, jit.host_width())
    if has_direct_entry(program.inputs, program.outputs):
        text += direct_entry(program.name, program.inputs, program.outputs)
    return jit.compile_object(text)


def _loaded(code: bytes, *symbols: str) -> jit.Library | None:
    """Code from the disk in memory; none if it is not what it should be."""
    try:
        return jit.load_object(code, *symbols)
    except RuntimeError:
        return None


@functools.cache
def _engine_version() -> str:
    """Changes whenever the engine does, so that code from an older one is not taken for its own."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
