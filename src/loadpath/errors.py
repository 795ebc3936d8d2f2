"""What goes wrong with a robot: an error that stops, a warning that keeps the numbers as given."""

from __future__ import annotations

import dataclasses
import functools
import sys
import warnings
from pathlib import Path
from typing import Any

from loadpath.printable import message_of


class ModelError(ValueError):
    """The robot is wrong: the message names the file, the link or joint, the value and what was expected."""

    def __init__(self, message: object = "") -> None:
        super().__init__(message_of(str(message)))


class IntegrationError(RuntimeError):
    """The integration could not go on: the motion grows without bound, or is not determined. Or it went wrong: energy,
    or what holds wheels and loops, does not balance. `result` is the simulation up to the last good moment; None where
    there is none, as when it cannot start.

    >>> IntegrationError("simulate: ...").result is None
    True
    """

    def __init__(self, message: str = "", result: object = None) -> None:
        super().__init__(message_of(message))
        self.result: Any = result


class ModelWarning(UserWarning):
    """Something in the robot is questionable (as in one published robot of four); its numbers are kept as given."""


class UncompiledWarning(UserWarning):
    """A formulation runs uncompiled because the robot is too large for it: right, but slow."""


class CacheWarning(UserWarning):
    """Compiled code is not kept on disk, or not taken from there: right, but slower to start."""


class PluginWarning(UserWarning):
    """A plugin of another package is not used: it cannot be imported, is of the wrong kind, or its name is taken."""


def warn(message: str, kind: type[UserWarning] = ModelWarning) -> None:
    """Warn of something in the user's own call: the warning names the line outside this library that made it."""
    inside = (str(Path(__file__).parent), dataclasses.__file__, functools.__file__)  # functools: cached properties
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(inside)
        or (frame.f_code.co_name, frame.f_code.co_filename) == ("__init__", "<string>")  # written by dataclasses
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message_of(message), kind, stacklevel=level)
