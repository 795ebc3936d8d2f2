"""Fields of dataclasses that are given as one type and kept as another: `origin: Converted[Pose, PoseLike]` takes a
position and is a `Pose`. Type checkers read it so (PEP 681, fields that are descriptors); `__post_init__` does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

Kept_co = TypeVar("Kept_co", covariant=True)
Given_contra = TypeVar("Given_contra", contravariant=True)


class Converted(Generic[Kept_co, Given_contra]):
    """In an annotation of a field: what it is, and what may be given for it."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, holder: None, owner: type) -> Kept_co: ...
        @overload
        def __get__(self, holder: object, owner: type) -> Kept_co: ...
        def __get__(self, holder: object, owner: type) -> Any: ...
        def __set__(self, holder: object, value: Given_contra) -> None: ...
