"""Kernels that are kept: equal robots share compiled code, in memory and on disk."""

from __future__ import annotations

import functools
import hashlib
import threading
from collections import OrderedDict
from pathlib import Path

import loadpath
from loadpath.engine.build import Kernel, load_or_compile
from loadpath.engine.compiled import Compiled, Subject, Variant

_PACKAGE = Path(loadpath.__file__).parent
_MOST_KEPT = 512
_kept: OrderedDict[str, Kernel] = OrderedDict()
_lock = threading.RLock()


def kernel(robot: Subject, quantity: Compiled, variant: Variant) -> Kernel:
    """The kernel from memory, from disk or from the compiler; equal robots share it."""
    key = None
    if robot.code_key is not None:
        key = f"{robot.code_key}\n{quantity.name}\n{variant}\n{_equations()}"
    with _lock:
        if key is not None and key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        inputs, outputs = quantity.operands(robot, variant)
        made = load_or_compile(
            key, quantity.name, inputs, outputs, lambda: quantity.program(robot, variant), quantity.__doc__ or ""
        )
        if key is None:
            return made
        _kept[key] = made
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
        return made


@functools.cache
def _equations() -> str:
    """Changes whenever the equations do, so that code for older ones is not taken from the disk."""
    sources = sorted(_PACKAGE.rglob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
