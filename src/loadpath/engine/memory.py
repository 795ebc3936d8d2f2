"""Whether there is memory for what LLVM is about to do. Without it LLVM ends the whole process: it is asked before."""

from __future__ import annotations

import sys
from pathlib import Path

COMPILING, LOADING = 64 << 20, 16 << 20
"""Bytes that LLVM needs for the smallest program, with the arena of the thread that compiles, and for its code."""
EACH = 8
"""Bytes for each byte of text: 6 were measured for programs of 2 to 36 MB."""


def check_memory(size: int, least: int, what: str) -> None:
    """A `MemoryError` if LLVM had to give up on so many bytes of text or code.

    >>> check_memory(1000, LOADING, "loading")
    >>> check_memory(1 << 60, COMPILING, "compiling")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    MemoryError: compiling needs about 9.22e+12 MB of memory, and ... MB are left: raise the limit (ulimit -v), ...
    """
    needed, left = least + EACH * size, spare()
    if left is not None and left < needed:
        raise MemoryError(f"{what} needs about {needed / 1e6:.3g} MB of memory, and {max(left, 0) / 1e6:.3g} MB are "
                          "left: raise the limit (ulimit -v), or free memory")


def spare() -> int | None:
    """Bytes that can still be had: of the machine, and within the process's limit of its address space; None where that
    cannot be told.
    """
    if not sys.platform.startswith("linux"):
        return None
    import resource

    try:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        lines = Path("/proc/meminfo").read_text().splitlines()
        table = {name: 1024 * int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        of_machine = table["MemAvailable"] + table.get("SwapFree", 0)
    except (OSError, ValueError, KeyError, IndexError):
        return None
    within = of_machine if limit == resource.RLIM_INFINITY else limit - pages * resource.getpagesize()
    return min(of_machine, within)


def limited() -> bool:
    """Whether the address space of the process has a limit."""
    if not sys.platform.startswith("linux"):
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
