"""pytest imports test files by their names alone: two of one name, in two folders, are one too many."""

from collections import Counter
from pathlib import Path


def test_test_files_have_names_of_their_own() -> None:
    names = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
