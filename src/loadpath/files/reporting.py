"""What a reader of robot files has found questionable: one warning for the file, or one error."""

from __future__ import annotations

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
