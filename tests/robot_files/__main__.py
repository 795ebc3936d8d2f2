"""`python -m tests.robot_files FOLDER...`: the table of all robot files tried, into docs/robot_files_tried.md."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from robot_files.page import write_page
from robot_files.trying import EXAMPLES, Row, rows_below, rows_of_examples

if __name__ == "__main__":
    found: list[Row] = []
    for label, rows in ((EXAMPLES, rows_of_examples()), *((Path(f).name, rows_below(Path(f))) for f in sys.argv[1:])):
        print(label, flush=True)
        found += rows
    write_page(found)
