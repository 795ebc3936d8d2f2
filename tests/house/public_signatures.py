"""The signatures that users see: of what `lp` offers, and of the methods of its classes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import loadpath as lp

ANY = re.compile(r"\bAny\b")


def public_functions() -> Iterator[tuple[str, object]]:
    """Public names of `lp`, methods and properties of its classes, robots of the catalog; and their functions."""
    for name in sorted(lp.__all__):
        thing = getattr(lp, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for attribute in sorted(dir(thing)):
                if attribute.startswith("_") and attribute != "__init__":
                    continue
                getattr(thing, attribute, None)  # methods that live in other rooms come from there when first used
                method = inspect.getattr_static(thing, attribute)
                method = getattr(method, "__func__", method)  # of class and static methods
                method = getattr(method, "fget", method) or method
                if inspect.isfunction(method) and method.__module__.startswith("loadpath"):
                    yield f"{name}.{attribute}", method
    for name in lp.catalog.__all__:
        yield f"catalog.{name}", getattr(lp.catalog, name)


def with_any() -> list[str]:
    """The public functions that take or return Any, with the parameters."""
    found = []
    for name, function in public_functions():
        annotations = getattr(function, "__annotations__", {})
        loose = [part for part, kind in annotations.items() if ANY.search(str(kind))]
        if loose:
            found.append(f"{name}: {', '.join(loose)}")
    return found
