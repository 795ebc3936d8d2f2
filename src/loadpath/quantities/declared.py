"""A compiled quantity as it stands in a class: a method without a body, whose head and docstring editors and type
checkers read, under what is computed. Its body is compiled of its formulation for each robot.

    @compiled(kinematics.link_poses, "(q)->(l,4,4)", plain)
    def link_poses(self, q: StatesLike, *, out: Out = None) -> Floats:
        \"\"\"Homogeneous matrices of all link frames ...\"\"\"

What a head names and what a call takes is the same (`tests/quantities/test_declared.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from numpy.typing import ArrayLike

from loadpath.engine.method import CompiledMethod
from loadpath.engine.packed import Packed
from loadpath.engine.quantity import Compiled, Formulation, On

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.states import MotionLike, StatesLike

P = ParamSpec("P")
R = TypeVar("R")
Usual = TypeVar("Usual")
Dense = TypeVar("Dense")
M = TypeVar("M", bound=CompiledMethod)

Out: TypeAlias = "Floats | tuple[Floats | None, ...] | None"
"""Arrays that results are written to, as of any ufunc."""

if TYPE_CHECKING:

    class Quantity(Compiled, Generic[M]):
        """A quantity whose methods are of one type."""

        @overload
        def __get__(self, robot: None, owner: type) -> Compiled: ...
        @overload
        def __get__(self, robot: object, owner: type) -> M: ...
        def __get__(self, robot: object, owner: type) -> Any: ...

    class Method(CompiledMethod, Generic[P, R]):
        """One that takes what its head says."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    class MethodOfMotion(CompiledMethod, Generic[P, R]):
        """One of q, qd and qdd, or of a motion or simulation in their place."""

        @overload
        def __call__(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __call__(self, motion: MotionLike, /, *args: P.args, **kwargs: P.kwargs) -> R: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]

    class MethodOfSpeeds(CompiledMethod, Generic[P, R]):
        """One of q and qd, or of a motion or simulation, which may have more of what it takes: `tau`."""

        @overload
        def __call__(self, q: ArrayLike, qd: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __call__(self, motion: MotionLike, /, *args: Any, **kwargs: Any) -> R: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    class PackableMethod(CompiledMethod, Generic[P, Usual, Dense]):
        """One of q, qd and more, or of a motion, whose results may be packed."""

        @overload
        def __call__(self, *args: Any, packed: Literal[True], **kwargs: Any) -> Packed[Dense]: ...
        @overload
        def __call__(self, *args: Any, packed: Literal[False], **kwargs: Any) -> Dense: ...
        @overload
        def __call__(self, q: ArrayLike, qd: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> Usual: ...
        @overload
        def __call__(self, motion: MotionLike, /, *args: Any, **kwargs: Any) -> Usual: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Packable(Generic[Usual, Dense]):
    """In a head: a result that is the first of these unless `packed=` is given, and dense the second."""


class _Heads(Protocol):
    """What makes a quantity of a head: which of the arrays it has in its first places decides."""

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, head: Callable[Concatenate[Any, StatesLike, ArrayLike, P], Packable[Usual, Dense]], /
    ) -> Quantity[PackableMethod[P, Usual, Dense]]: ...
    @overload
    def __call__(
        self, head: Callable[Concatenate[Any, StatesLike, ArrayLike, ArrayLike, P], R], /
    ) -> Quantity[MethodOfMotion[P, R]]: ...
    @overload
    def __call__(
        self, head: Callable[Concatenate[Any, StatesLike, ArrayLike, P], R], /
    ) -> Quantity[MethodOfSpeeds[P, R]]: ...
    @overload
    def __call__(self, head: Callable[Concatenate[Any, P], R], /) -> Quantity[Method[P, R]]: ...


def compiled(
    formulation: Formulation | Mapping[str, Formulation | On],
    signature: str,
    mechanism: Callable[[Any], Any],
    **options: Any,
) -> _Heads:
    """What makes a quantity (`Compiled`, which has the meaning of all arguments) of the head under it.

    >>> class Robots:
    ...     @compiled(lambda mechanism, q: q, "(n)->(n)", lambda robot: robot)
    ...     def same(self, q: ArrayLike, *, out: Out = None) -> Floats:
    ...         "What is given."
    >>> Robots.same.__doc__
    'What is given.\\n\\nSignature: (n)->(n)\\n'
    """

    def made(head: Callable[..., Any]) -> Any:
        return Compiled(formulation, signature, mechanism, inspect.getdoc(head) or "", **options)

    return made
