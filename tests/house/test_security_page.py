"""SECURITY.md names tests that exist and numbers that are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from loadpath.files.archives import LARGEST_ARCHIVE, MOST_MEMBERS
from loadpath.files.assets import LARGEST_FILE
from loadpath.files.mjcf.checking import MOST_COPIES, MOST_FILES, MOST_PARTS, MOST_POINTS
from loadpath.files.mjcf.compiling import LARGEST_MESH
from loadpath.files.xml_reading import MOST_ELEMENTS, TEXT_KEPT
from loadpath.foreign.process import GIBIBYTES, SECONDS
from loadpath.motion.logs.files import LARGEST_FILE as LARGEST_PARQUET
from loadpath.motion.logs.table import MOST_NUMBERS
from loadpath.motion.logs.text_files import BLOCK_CHARACTERS, LONGEST_LINE
from loadpath.printable import LONGEST_LINE as LINE_SHOWN
from loadpath.printable import LONGEST_WORD
from loadpath.project.bases import MOST_WHEELS
from loadpath.project.document import DEEPEST_NESTING, LONGEST_FILE
from loadpath.project.sources import MOST_JOINTS as LARGEST_OF_CATALOG
from loadpath.robot.meshes import LARGEST_MESH as DRAWN_MESH

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_tests_that_it_names_are_there() -> None:
    named = re.findall(r"`(tests/[^`]*)`", PAGE)
    assert len(named) > 12
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


def test_its_limits_are_those_of_the_code() -> None:
    assert f"{LARGEST_FILE >> 20} MiB, {MOST_ELEMENTS:,} elements" in PAGE
    assert f"{LARGEST_ARCHIVE >> 20} MiB packed, {LARGEST_ARCHIVE >> 20} MiB unpacked, {MOST_MEMBERS:,} mem" in PAGE
    assert f"{MOST_FILES} files with {MOST_ELEMENTS:,} elements together, {MOST_COPIES:,} copies" in PAGE
    assert LARGEST_MESH == 2**30 and "read for an inertia 1 GiB" in PAGE
    assert f"{MOST_POINTS:,} points, {MOST_PARTS} parts" in PAGE and f"meshes | {DRAWN_MESH >> 20} MiB" in PAGE
    assert f"{SECONDS:g} s and\n  {GIBIBYTES:g} GiB for a file" in PAGE
    assert f"{TEXT_KEPT} characters of text between tags" in PAGE
    assert PAGE.count(f"{MOST_NUMBERS:,} numbers") == 4 and MOST_NUMBERS * 8 == 2**31
    assert f"Parquet | {LARGEST_PARQUET >> 30} GiB packed" in PAGE
    assert f"{MOST_WHEELS} wheels and feet, robots of the catalog with {LARGEST_OF_CATALOG:,} joints" in PAGE
    nesting = f"{DEEPEST_NESTING} tables and lists inside one another"
    assert f"{LONGEST_FILE // 10**6} MB, {nesting}, whole numbers of 64 bits" in PAGE
    assert f"words of more than\n{LONGEST_WORD} characters, and lines of more than {LINE_SHOWN:,}" in PAGE
    assert LONGEST_LINE == BLOCK_CHARACTERS == 2**24 and "lines of 16 million characters" in PAGE
