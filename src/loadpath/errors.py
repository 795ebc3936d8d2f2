"""What goes wrong with a robot: an error that stops, a warning that keeps the numbers as given."""

from __future__ import annotations


class ModelError(ValueError):
    """The robot is wrong: the message names the file, the link or joint, the value and what was expected."""


class ModelWarning(UserWarning):
    """The robot is doubtful (as one published robot in four is); its numbers are kept as they were given."""


class UncompiledWarning(UserWarning):
    """A formulation runs uncompiled because the robot is too large for it: right, but slow."""
