"""What `import loadpath` brings in, and which way imports point."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.cli.options import ROBOTS
from loadpath.project.sources import names

SOURCES = Path(lp.__file__).parent
HEAVY = ("casadi", "llvmlite", "sympy", "plotly", "scipy", "rich", "typer", "jinja2", "pandas", "jax", "dask")
ROOMS_ON_DEMAND = ("api", "catalog.py", "cli/app.py", "engine/kernels.py")
"""Where modules of the package are imported inside functions: rooms, so that a robot and the version are there at
once; the compiler, which code from the disk does not need."""


def modules_after(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize("statement", ["import loadpath", "from loadpath.cli import app"])
def test_no_heavy_library_is_imported_before_it_is_needed(statement: str) -> None:
    allowed = {"typer", "rich"} if "cli" in statement else set()
    found = {name.split(".")[0] for name in modules_after(statement)}
    assert not found & (set(HEAVY) - allowed)


def test_a_robot_is_made_without_the_rooms_that_it_does_not_need() -> None:
    found = modules_after("import loadpath; loadpath.catalog.panda()")
    rooms = {name.split(".")[1] for name in found if name.startswith("loadpath.")}
    assert {"robot", "api", "engine"} <= rooms
    assert not rooms & {"mobile", "structure", "identification", "report", "equations", "cli"}
    assert not {name.split(".")[0] for name in found} & {"casadi", "sympy", "plotly", "rich"}


def test_every_public_name_is_there() -> None:
    assert len(lp.__all__) >= 80
    for name in lp.__all__:
        assert getattr(lp, name) is not None
    assert set(lp.__all__) <= set(dir(lp))


def test_rooms_are_attributes_as_before() -> None:
    assert lp.report.Section is not None
    assert lp.mobile.Rover is lp.Rover
    with pytest.raises(AttributeError, match="no attribute 'no_such_room'"):
        _ = lp.no_such_room
    with pytest.raises(AttributeError, match="no robot 'no_such_robot'"):
        _ = lp.catalog.no_such_robot


def test_help_lists_the_robots_of_the_catalog() -> None:
    assert list(ROBOTS) == names()


def top_level_imports(path: Path) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


@cache
def is_heavy(module: str) -> bool:
    """Whether a module of the package brings in a heavy library: such a module is imported where it is used."""
    path = SOURCES.parent / Path(*module.split("."))
    file = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    return bool(top_level_imports(file) & set(HEAVY))


INDENTED = re.compile(r"^[ \t]+from loadpath\b", re.MULTILINE)


def function_level_imports() -> list[str]:
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text()
        if not INDENTED.search(text):
            continue
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] != "loadpath":
                    continue
                if not is_heavy(node.module or ""):
                    found.append(f"{path.relative_to(SOURCES)}:{node.lineno} {node.module}")
    return found


def test_no_import_inside_a_function_hides_a_cycle() -> None:
    inside = [place for place in function_level_imports() if not place.startswith(ROOMS_ON_DEMAND)]
    assert not inside


def test_parts_of_scipy_are_imported_where_they_are_first_used() -> None:
    """`import scipy` does so: scipy.optimize alone takes 0.7 s, a third of the time of a short command."""
    at_once = [
        f"{path.relative_to(SOURCES)}: {line}"
        for path in sorted(SOURCES.rglob("*.py"))
        for line in path.read_text().splitlines()
        if line.startswith(("from scipy", "import scipy."))
    ]
    assert not at_once
