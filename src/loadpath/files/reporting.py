"""What a reader of robot files has found questionable: one warning for the file, or one error. Shapes that cannot be
read are left out, with one warning: no equation depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from loadpath.errors import ModelError, warn
from loadpath.printable import printable


def report(source: str, found: list[str], strict: bool) -> None:
    """One warning for the file, or one error, with everything suspicious in it.

    >>> report("arm.urdf", ["link 'arm': negative mass"], strict=True)
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.urdf: link 'arm': negative mass
    """
    if not found:
        return
    found = [printable(sentence) for sentence in found]
    listed = found[0] if len(found) == 1 else "".join(f"\n  {sentence}" for sentence in found)
    if strict:
        raise ModelError(f"{source}: {listed}")
    warn(f"{source}: {listed}")


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
                 "loads do not depend on it")
