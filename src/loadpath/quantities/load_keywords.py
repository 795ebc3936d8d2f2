"""What acts on a robot as keywords of a function: read once, by one decorator, into one `LoadCase`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar

from loadpath.quantities.wrench import Wrench
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike
from loadpath.states.load_case import LoadCase

F = TypeVar("F", bound=Callable[..., Any])


class GravityKeywords(TypedDict, total=False):
    """What pulls at any robot."""

    gravity: ArrayLike | Callable[[float], ArrayLike] | None
    under: LoadCase


class WrenchKeywords(GravityKeywords, total=False):
    """What pulls at any robot, and what else acts on it."""

    external: Mapping[str, Wrench] | None


class BaseMotionKeywords(GravityKeywords, total=False):
    """What pulls at any robot, and how its base moves."""

    base_velocity: ArrayLike | None
    base_acceleration: ArrayLike | None


class LoadKeywords(WrenchKeywords, BaseMotionKeywords, total=False):
    """What acts on any robot."""


class EffortKeywords(TypedDict, total=False):
    """How drives in excess of the freedoms share the work."""

    weights: ArrayLike | Mapping[str, ArrayLike] | None
    preload: ArrayLike | Mapping[str, ArrayLike | Wrench] | None


class HeldKeywords(GravityKeywords, EffortKeywords, total=False):
    """What pulls at a robot that is held still, and how drives in excess of the freedoms share the work."""


class RestingLoadKeywords(WrenchKeywords, EffortKeywords, total=False):
    """What acts on a robot at rest, and how drives in excess of the freedoms share the work."""


class DriveLoadKeywords(LoadKeywords, EffortKeywords, total=False):
    """All of it."""


_KINDS: dict[str, Any] = {
    f"Unpack[{kind.__name__}]": kind for kind in (LoadKeywords, RestingLoadKeywords, DriveLoadKeywords)
}
_SHOWN = ("external", "base_velocity", "base_acceleration", "weights", "preload", "gravity", "under")
"""In the order of signatures."""


def takes_loads(function: F) -> F:
    """A function with `**acting: Unpack[LoadKeywords]` (or `DriveLoadKeywords`) takes these keywords, or a load case by
    `under=`, and finds all of them in the one `acting["under"]`. `help` and editors show the keywords one by one.
    Called with a robot on wheels it finds the motion of that base instead, by the names of its keywords.
    """
    whole = inspect.signature(function)
    (rest,) = [part for part in whole.parameters.values() if part.kind is part.VAR_KEYWORD]
    types = _KINDS[rest.annotation].__annotations__
    kinds = {name: types[name].__forward_arg__ for name in _SHOWN if name in types}
    own = whole.parameters.keys() - {rest.name}
    name_of_call = function.__name__.lstrip("_")  # of a line in a table, as users call it

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if arguments and isinstance(arguments[0], RobotModel) and arguments[0].on_wheels:
            return function(*arguments, **options)
        loads = {name: options.pop(name) for name in kinds if name in options}
        if unknown := options.keys() - own:
            raise TypeError(f"{name_of_call}() got an unexpected keyword argument '{min(unknown)}'")
        return function(*arguments, **options, under=LoadCase.of(loads, name_of_call, kinds))

    vars(call)["__signature__"] = _shown(whole, rest, kinds)
    return call  # type: ignore[return-value]  # a function of the same keywords


def _shown(whole: inspect.Signature, rest: inspect.Parameter, kinds: Mapping[str, str]) -> inspect.Signature:
    """The signature with the keywords in the place of what gathers them, in front of others."""
    texts = {name: kind if kind.endswith("| None") else f"{kind} | None" for name, kind in kinds.items()}
    loads = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=text)
             for name, text in texts.items()]
    parts = [part for part in whole.parameters.values() if part is not rest]
    others = [part for part in parts if part.kind is part.KEYWORD_ONLY]
    return whole.replace(parameters=[*(part for part in parts if part not in others), *loads, *others])
