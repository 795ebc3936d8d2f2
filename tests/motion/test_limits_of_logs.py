"""What logs may have at most, to the number, and which lines and samples their sentences name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.motion.logs import files, text_files
from loadpath.motion.logs.stamps import outliers
from loadpath.motion.logs.table import split_unit

ARM = lp.catalog.planar(2)


@pytest.mark.parametrize("more", [0, 1])
def test_names_of_an_archive_have_so_many_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """Two names in arrays of 50 characters are 100."""
    monkeypatch.setattr(files, "MOST_NAMES", 100 - more)
    t, q = np.linspace(0, 1, 5), np.zeros((5, 2))
    names = np.array(["joint1", "joint2"], dtype="U50")
    np.savez(tmp_path / "motion.npz", t=t, q=q, coordinate_names=names)
    if more:
        with pytest.raises(ValueError, match="coordinate_names has more than 99 characters"):
            lp.Motion.from_npz(tmp_path / "motion.npz", ARM)
    else:
        assert lp.Motion.from_npz(tmp_path / "motion.npz", ARM).q.shape == (5, 2)


@pytest.mark.parametrize("most", [30, 29])
def test_a_text_file_has_so_many_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(text_files, "MOST_NUMBERS", most)
    file = tmp_path / "log.csv"
    file.write_text("t,joint1,joint2\n" + "".join(f"{k / 10},0.0,0.0\n" for k in range(10)))
    if most < 30:
        with pytest.raises(ValueError, match="there are more than"):
            lp.Motion.from_csv(file, ARM)
    else:
        assert len(lp.Motion.from_csv(file, ARM)) == 10


@pytest.mark.parametrize(("count", "words"), [
    (1, "from those beside it: an outlier?"),
    (2, "from those beside it, and so line 40: an outlier?"),
    (6, "and so line 40, line 60, line 80, line 100, line 120: an outlier?"),
    (7, "and so line 40, line 60, line 80, line 100, line 120 and 1 more: an outlier?"),
    (9, "and so line 40, line 60, line 80, line 100, line 120 and 3 more: an outlier?"),
])
def test_five_more_outliers_are_named_and_the_others_counted(count: int, words: str) -> None:
    values = np.sin(np.arange(400) / 50)
    values[20 * np.arange(1, count + 1)] += 0.25
    (sentence,) = outliers(np.stack([np.zeros(400), values], axis=1), ["elbow", "wrist"], lambda k: f"line {k}")
    assert sentence.startswith("line 20, column 'wrist': a single sample that stands out by 0.25 ")
    assert words in sentence


@pytest.mark.parametrize(("cell", "name", "unit"), [
    ("axis (left) [deg]", "axis (left)", "deg"),
    ("axis [left] (deg)", "axis [left]", "deg"),
    ("axis[3](mm)", "axis[3]", "mm"),
    ("rate [m/(s)]", "rate [m/(s)]", ""),
    ("(deg)", "", "deg"),
    ("axis (2)", "axis (2)", ""),
])
def test_the_last_brackets_of_a_name_are_its_unit(cell: str, name: str, unit: str) -> None:
    assert split_unit(cell) == (name, unit)


def said(tmp_path: Path, text: str) -> str:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(ValueError) as problem:
        lp.Motion.from_csv(file, ARM)
    return str(problem.value)


@pytest.mark.parametrize(("row", "cells", "asked"), [
    ("0,1,0,2,0,3", 6, True), ("1,0,2,0,3", 5, True), ("1,2", 2, False), ("1,2,3,4", 4, False),
])
def test_decimal_commas_are_suspected_where_cells_are_twice_as_many(
    tmp_path: Path, row: str, cells: int, asked: bool
) -> None:
    words = said(tmp_path, f"t,joint1,joint2\n{row}\n")
    assert f"line 2 has {cells} cells, expected 3" in words and ("decimal commas?" in words) == asked


def test_the_line_with_the_first_decimal_mark_is_named(tmp_path: Path) -> None:
    """A block that is read at once, then a cell with the other mark; whole numbers before them have none."""
    commas = "".join(f"{k},5;0,25;0\n" for k in range(text_files.BLOCK_LINES))
    words = said(tmp_path, f"t;joint1;joint2\n\n{commas}{text_files.BLOCK_LINES}.5;0.25;0\n")
    assert f"line {3 + text_files.BLOCK_LINES}, column 't'" in words
    assert "a point where line 3 has decimal commas" in words


def test_small_motions_tell_a_jittering_clock_too(tmp_path: Path) -> None:
    """0.2 rad to and fro at 125 Hz, stamps that jitter by 2 ms: the positions are those of an even clock."""
    even = np.arange(500) / 125
    t = even + np.random.default_rng(1).uniform(-2e-3, 2e-3, 500)
    np.savetxt(tmp_path / "log.csv", np.column_stack([t, 0.1 * np.sin(2 * even), 0 * t]), delimiter=",",
               header="t,joint1,joint2", comments="")
    with pytest.warns(lp.ModelWarning, match="time stamps jitter"):
        motion = lp.Motion.from_csv(tmp_path / "log.csv", ARM)
    np.testing.assert_allclose(np.diff(motion.t), 1 / 125, rtol=1e-9)
