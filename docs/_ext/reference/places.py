"""Where things of the package are written: file and line, texts below attributes, names that type checkers import."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import loadpath

SOURCES = Path(loadpath.__file__).parent
ROOT = SOURCES.parents[1]


class Module(NamedTuple):
    """What a file says about its names."""

    path: Path
    lines: dict[str, int]
    """Line of each definition, by qualified name."""
    texts: dict[str, str]
    """Docstrings below attributes and constants, by qualified name."""
    imports: dict[str, tuple[str, str]]
    """Module and name of what is imported, also for type checkers only."""
    annotations: dict[str, str]
    """Annotations of attributes, by qualified name."""


@functools.cache
def module(name: str) -> Module:
    """The file of a module, read."""
    path = Path(inspect.getsourcefile(importlib.import_module(name)) or "")
    found = Module(path, {}, {}, {}, {})
    _read(ast.parse(path.read_text()).body, "", found)
    return found


def _read(body: list[ast.stmt], prefix: str, found: Module) -> None:
    for statement, following in zip_longest(body, body[1:]):
        names: list[str] = []
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            found.lines[prefix + statement.name] = statement.lineno
            if isinstance(statement, ast.ClassDef):
                _read(statement.body, f"{prefix}{statement.name}.", found)
        elif isinstance(statement, ast.If):
            _read(statement.body, prefix, found)
            _read(statement.orelse, prefix, found)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                found.imports[alias.asname or alias.name] = (statement.module, alias.name)
        elif isinstance(statement, ast.Assign):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names = [statement.target.id]
            found.annotations[prefix + names[0]] = ast.unparse(statement.annotation)
        for name in names:
            found.lines[prefix + name] = statement.lineno
            below = following.value if isinstance(following, ast.Expr) else None
            if isinstance(below, ast.Constant) and isinstance(below.value, str):
                found.texts[prefix + name] = inspect.cleandoc(below.value)


def link(module_name: str, qualified: str) -> str | None:
    """A link from docs/reference to where a name is defined."""
    if not module_name.startswith("loadpath"):
        return None
    place = module(module_name)
    line = place.lines.get(qualified)
    path = place.path.relative_to(SOURCES.parent).as_posix()
    return f"../../src/{path}" + (f"#L{line}" if line else "")


def class_named(name: str, module_name: str) -> type | None:
    """The class of the package that a name stands for in a module, where it is one."""
    found = getattr(sys.modules[module_name], name, None)
    if found is None and name in module(module_name).imports:
        origin, original = module(module_name).imports[name]
        if origin.startswith("loadpath"):
            found = getattr(importlib.import_module(origin), original, None)
    return found if inspect.isclass(found) and found.__module__.startswith("loadpath") else None
