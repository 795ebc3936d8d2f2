"""Which tests watch over which sources."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = "src/loadpath"

ROOMS = {
    "parts": (["parts"], ["tests/parts"]),
    "structure/response": (["structure/response"], ["tests/structure"]),
    "structure": (["structure", "robot/beams", "robot/sections", "robot/materials"], ["tests/structure"]),
    "kinematics/closed": (["kinematics/closed"], ["tests/closed"]),
    "motion/logs": (["motion/logs"], ["tests/motion"]),
    "files": (["files"], [f"tests/{of}" for of in ("files", "mjcf", "robot", "outside", "bad_files", "closed")]),
    "foreign": (["foreign"], ["tests/foreign", "tests/mjcf", "tests/bad_files"]),
    "books": (["books"], ["tests/books", "tests/closed"]),
    "identification": (["identification"], ["tests/identification"]),
    "mobile": (["mobile"], ["tests/mobile"]),
    "simulate": (["simulate"], ["tests/simulate", "tests/mobile", "tests/closed"]),
    "formulations": (["formulations"], ["tests/formulations", "tests/books"]),
    "doctor": (["doctor"], ["tests/doctor"]),
}
"""Folders of the sources, and of the tests that know them best."""


def source_files(room: str) -> list[str]:
    folders, _ = ROOMS[room]
    paths = sorted(path for folder in folders for path in (ROOT / SOURCES / folder).rglob("*.py"))
    return [path.relative_to(ROOT).as_posix() for path in paths]


def nearest_tests(room: str, source: str) -> list[str]:
    """All test files of a room, those that speak most of what a source file defines and says first; the file's own
    examples before all.
    """
    _, folders = ROOMS[room]
    stem = Path(source).stem.strip("_")
    folder, package = Path(source).parent.name, ".".join(Path(source).parent.parts[1:])
    below = Path(source).parent.relative_to(SOURCES).as_posix()  # the names of a room's own tests say nothing
    names = [stem, *_defined(ROOT / source)]
    word = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
    phrases = _phrases(ROOT / source)

    def nearness(path: Path) -> float:
        text = path.read_text()
        rare = len(set(word.findall(text))) + 0.01 * len(word.findall(text))
        rare += len(phrases & _phrases(path)) + 3 * (package in text) + 10 * (f"{package}.{stem}" in text)
        return rare + 10 * (stem.rstrip("s") in path.stem) + 5 * (room != below and folder.rstrip("s") in path.stem)

    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("test_*.py"))
    near = sorted(files, key=nearness, reverse=True)
    return [source, *(path.relative_to(ROOT).as_posix() for path in near)]


def _defined(path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    kinds = ast.FunctionDef | ast.ClassDef
    return [node.name for node in ast.walk(tree) if isinstance(node, kinds) and not node.name.startswith("_")]


@cache
def _phrases(path: Path) -> frozenset[tuple[str, ...]]:
    """Three words in a row of the texts in a file, as messages have them: who expects a message calls what sends it."""
    nodes = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    rows = [re.findall(r"\w+", text) for text in nodes if isinstance(text, str)]
    return frozenset(row for words in rows for row in zip(words, words[1:], words[2:], strict=False))
