"""Results of large batches come from memory that is kept and used again.

Fresh memory costs more than computing: the system hands it out page by page, cleared, at each first touch. So NumPy is
given an allocator (its own interface for that, NEP 49) which keeps what it gets back, for the time that a ufunc of ours
runs. What comes out are ordinary arrays that own their data and may be kept, resized, pickled and sent between threads.
When the last reference to one goes, its memory serves the next result.

At most `bound()` bytes are kept, none for longer than `llvm.pool.SECONDS` while others come; all of it is given back
before an allocation fails. Arrays outlive modules, even the interpreter: the allocator's code is never released.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.engine import jit
from loadpath.engine.direct import HEAD, array_function, bound_function, understands_arrays
from loadpath.engine.kernels import machine_code
from loadpath.engine.llvm.pool import BATCH, NAME, SYMBOLS, pool_text
from loadpath.engine.memory import spare

MOST = 256 << 20
"""Bytes that are kept at most..."""
SHARE = 32
"""... and at most this part of the memory that is free when the store is set up."""
MANY = 100
"""Calls of single states after which the store is there as well: without it each of them is looked at in Python."""
SET_HANDLER = 304  # place of PyDataMem_SetHandler in NumPy's table of functions


def bound() -> int:
    """Bytes that may be kept."""
    left = spare()
    return MOST if left is None else max(min(MOST, left // SHARE), 0)


class Pool:
    """The store: `call(ufunc, *arguments, **options)` calls a ufunc that takes new arrays from it."""

    def __init__(self) -> None:
        library = machine_code([pool_text(HEAD)], SYMBOLS, None)
        address = dict(zip(SYMBOLS, map(library.address, SYMBOLS), strict=True))
        context = (ctypes.c_void_p * 2).from_address(address["pool_context"])
        context[:] = [id(np.ndarray), array_function(SET_HANDLER)]
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype = ctypes.py_object
        new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = new_capsule(address["pool_handler"], _CAPSULE, None)
        self.call, definition = bound_function(address["pool_call"], capsule, "pool_call", "")
        for kept in (library, jit.linker(), capsule, definition, _CAPSULE):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))  # arrays outlive whoever holds them
        self._bound = ctypes.c_int64.from_address(address["pool_bound"])
        self.seconds = ctypes.c_int64.from_address(address["pool_seconds"])
        """How long a block may lie unused."""
        self._kept = ctypes.c_int64.from_address(address["pool_kept"])
        self.release = ctypes.PYFUNCTYPE(None)(address["pool_release"])
        """Give back all that is kept."""
        self._bound.value = bound()

    @property
    def kept(self) -> int:
        """Bytes that are kept for the next results."""
        return self._kept.value


_CAPSULE = b"mem_handler"
_pools: list[Pool | None] = []


def pool() -> Pool | None:
    """The store of this process; none where this NumPy does not take it."""
    if not _pools:
        with jit.lock:  # who asks at the same time gets the same one; a fork waits for it
            if not _pools:
                _pools.append(_made())
    return _pools[0]


def _made() -> Pool | None:
    if not understands_arrays():
        return None
    try:
        made = Pool()
        array = made.call(np.add, np.zeros((1, 1)), 0.0)
        return made if _handler_name(array) == NAME else None
    except (RuntimeError, OSError, AttributeError):
        return None


def _handler_name(array: Any) -> str:
    from numpy._core.multiarray import get_handler_name

    return str(get_handler_name(array))


class Results:
    """How ufuncs are called: `results.call(ufunc, *arguments, **options)`."""

    def __init__(self) -> None:
        self.call: Callable[..., Any] = self._first_calls
        self._single = 0

    def _first_calls(self, ufunc: Any, *arguments: Any, **options: Any) -> Any:
        """While there is no store: it takes a moment to set up, and a batch to need it."""
        batch = not options and any(type(a) is np.ndarray and (a.ndim > 1 or a.size >= BATCH) for a in arguments)
        self._single += not batch
        if batch or self._single > MANY:
            made = pool()
            self.call = _plain_call if made is None else made.call
        return ufunc(*arguments, **options) if not batch else self.call(ufunc, *arguments)


def _plain_call(ufunc: Any, *arguments: Any, **options: Any) -> Any:
    return ufunc(*arguments, **options)


results = Results()
