"""The tool that tries the tests: what it changes, and that a wrong formula is noticed."""

from __future__ import annotations

from mutation.__main__ import read_harmless
from mutation.mutants import mutants
from mutation.rooms import ROOMS, ROOT, nearest_tests, source_files

SOURCE = '''
import math
def half(x: int | None, *, y: float = 0.5) -> "float":
    """Half of x - y."""
    if x is not None and not x < -1:
        raise ValueError(f"x is {x + 1}")
    return (x or 0) * math.cos(y)
'''


def test_each_operator_number_and_function_is_changed_once() -> None:
    after = [mutant.after.strip() for mutant in mutants(SOURCE)]
    assert after == [
        'def half(x: int | None, *, y: float = 1.0) -> "float":',
        "if x is None and not x < -1:",
        "if x is not None or not x < -1:",
        "if x is not None and x < -1:",
        "if x is not None and not x <= -1:",
        "if x is not None and not x < +1:",
        "if x is not None and not x < -2:",
        "return (x and 0) * math.cos(y)",
        "return (x or 1) * math.cos(y)",
        "return (x or 0) / math.cos(y)",
        "return (x or 0) * math.sin(y)",
    ]
    assert {mutant.function for mutant in mutants(SOURCE)} == {"half"}


def test_every_mutant_of_a_room_is_a_program() -> None:
    for path in source_files("parts")[:20]:
        source = (ROOT / path).read_text()
        for mutant in mutants(source, path):
            assert mutant.text != source
            compile(mutant.text, path, "exec")


def test_names_outlive_lines_above() -> None:
    (first, *_), (moved, *_) = mutants(SOURCE), mutants("\n\n" + SOURCE)
    assert first.line + 2 == moved.line
    assert first.name == moved.name


def test_the_nearest_tests_come_first() -> None:
    for room in ROOMS:
        assert source_files(room), room
    path = "src/loadpath/motion/logs/stamps.py"
    own, *others = nearest_tests("motion/logs", path)
    assert own == path
    assert len(others) == len(list((ROOT / "tests/motion").glob("test_*.py")))


def test_harmless_mutants_are_still_there() -> None:
    """Names of lines that were changed since would hide nothing and tell lies."""
    harmless = read_harmless()
    paths = {name.partition(" ")[0] for name in harmless}
    assert harmless <= {mutant.name for path in paths for mutant in mutants((ROOT / path).read_text(), path)}
