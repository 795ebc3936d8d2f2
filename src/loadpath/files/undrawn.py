"""Shapes that cannot be read: no equation depends on them, so they are left out, and one warning says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from loadpath.errors import ModelError, warn
from loadpath.printable import printable


@dataclass
class Undrawn:
    """What of a file's shapes was left out, each sentence once."""

    source: str
    left_out: list[str] = field(default_factory=list)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """What is wrong inside is noted, and nothing more."""
        try:
            yield
        except ModelError as problem:
            said = printable(str(problem).removeprefix(f"{self.source}, "))
            if said not in self.left_out:
                self.left_out.append(said)

    def report(self) -> None:
        """One warning with what was left out, if anything was."""
        if self.left_out:
            more = f"; and {len(self.left_out) - 1} more" if len(self.left_out) > 1 else ""
            warn(f"{self.source}: the robot is drawn without what cannot be read: {self.left_out[0]}{more}; motion and "
                 "loads do not depend on it")  # fmt: skip
