"""Tables as text and HTML: against the same tables written out by hand."""

from __future__ import annotations

import pytest

from loadpath import html
from loadpath.tables import Styled, Table, laid_out, plain

ROWS = [["shoulder_pan_joint", "drive", "12.5", "N m", "gravity of the upper arm"], ["elbow", "", "-3", "N", ""]]
TABLE = Table("Loads", ["joint", "what", "largest value", "unit", "by"], ROWS, "a note", left=2, right=1,
              words=("unit",))


def test_names_and_words_are_left_numbers_right() -> None:
    assert TABLE.text().splitlines() == [
        "joint               what   largest value  unit  by",
        "-" * 72,
        "shoulder_pan_joint  drive           12.5  N m   gravity of the upper arm",
        "elbow                                 -3  N",
    ]


def test_headings_of_numbers_are_folded_first_then_words_and_names_never() -> None:
    assert TABLE.text(66).splitlines()[:2] == [
        "joint               what   largest  unit  by",
        "                             value",
    ]
    assert TABLE.text(60).splitlines()[3:5] == [
        "shoulder_pan_joint  drive     12.5  N m   gravity of the",
        "                                          upper arm",
    ]
    for width in (1, 40, 50, 60, 70):  # a page that is too narrow for the names is exceeded
        assert "shoulder_pan_joint" in TABLE.text(width) and "12.5" in TABLE.text(width)


def test_a_terminal_is_never_exceeded_rows_stand_one_by_one_then() -> None:
    rows = [[Styled(cell) for cell in row] for row in ROWS]
    text = plain(laid_out(TABLE.columns, rows, TABLE.holds_words, 34))
    assert text.splitlines()[0] == "shoulder_pan_joint"
    assert max(map(len, text.splitlines())) <= 34
    assert "largest value: 12.5" in text and "by: gravity of the upper" in text


def test_letters_that_take_two_places_are_counted_so() -> None:
    lines = Table("", ["name", "x"], [["関節", "1"], ["abcd", "2"]]).text().splitlines()
    assert lines[2:] == ["関節  1", "abcd  2"]


def test_a_table_without_headings_and_without_rows() -> None:
    assert Table("", ["", ""], [["a", "b"], ["long", "c"]], left=2).text(rule="") == "a     b\nlong  c"
    assert Table("", ["joint", "x"], []).text() == "joint  x\n--------"


def test_html_has_title_note_and_sides_and_escapes_names() -> None:
    made = Table("<Loads>", ["joint", "value", "by"], [["<arm>", ("1.0", "at 3 s"), "x"]], "note", right=1).html()
    assert "<strong>&lt;Loads&gt;</strong>" in made and "&lt;arm&gt;" in made and "at 3 s" not in made
    sides = [part.split('"')[0] for part in made.split("text-align:")[1:]]
    assert sides == ["left", "right", "left"] * 2
    assert ">note</p>" in made


@pytest.mark.parametrize("look", [html.NOTEBOOK, html.PANEL])
def test_markup_stays_as_it_is_and_other_text_does_not(look: html.Look) -> None:
    made = html.table(html.Markup("<b>t</b>"), (), [[html.marked("<a>", "red"), "<i>"]], look=look)
    assert "<b>t</b>" in made and "<thead>" not in made
    assert '<span style="color:red">■</span> &lt;a&gt;' in made and "<i>" not in made


def test_marks_behind_numbers_have_their_own_place() -> None:
    """The digits of a column stand below each other, marked or not, and below the heading."""
    rows = [["a", "1.50^", "2 "], ["b", "-11.25 ", "3 "]]
    table = Table("", ["joint", "0.0 s ", "1.0 s "], rows)
    assert table.text().splitlines() == [
        "joint   0.0 s   1.0 s",
        "-" * 22,
        "a        1.50^      2",
        "b      -11.25       3",
    ]
