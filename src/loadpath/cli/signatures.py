"""What a command's function takes, as options: sets of options that several commands have are one parameter each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

from loadpath.cli.exits import debugging
from loadpath.cli.loading_options import loading_options
from loadpath.cli.options import Debug, Trust, Xacro


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the option `--debug`, which all have, and `--xacro` and `--trust`, which those have that load a
    robot; a parameter whose type is a dataclass becomes the options that are its fields.
    """
    signature = inspect.signature(command, eval_str=True)
    loads_robots = not {"robot", "first"}.isdisjoint(signature.parameters)
    sets = {name: part.annotation for name, part in signature.parameters.items() if is_dataclass(part.annotation)}

    @functools.wraps(command)
    def run(
        *arguments: Any, debug: bool = False, xacro: list[str] | None = None, trust: bool = False, **others: Any
    ) -> None:
        with debugging(debug), loading_options(xacro or (), trust):
            filled = {name: _filled(options, others) for name, options in sets.items()}
            command(*arguments, **others, **filled)

    parameters = [one for part in signature.parameters.values() for one in _options(part)]
    parameters.append(_option("debug", False, Debug))
    if loads_robots:
        parameters += [_option("xacro", None, Xacro), _option("trust", False, Trust)]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters} | {"return": None}
    return run


def _option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """A parameter, or those of its fields if it is a set of options."""
    if not is_dataclass(parameter.annotation):
        yield parameter
        return
    types = get_type_hints(parameter.annotation, include_extras=True)
    for part in fields(parameter.annotation):
        yield from _options(_option(part.name, part.default, types[part.name]))


def _filled(options: Any, values: dict[str, Any]) -> Any:
    """A set of options from what was typed, which is taken out of the values."""
    types: Mapping[str, Any] = get_type_hints(options)
    return options(**{
        part.name: _filled(types[part.name], values) if is_dataclass(types[part.name]) else values.pop(part.name)
        for part in fields(options)
    })
