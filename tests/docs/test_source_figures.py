"""The figures of the sources: the command draws them, the same each time; they are small, and stand on the pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images" / "sources"


def test_the_command_draws_the_same_figure_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code = (
        "from pathlib import Path\n"
        "from docs.source_figures.__main__ import draw\n"
        "for folder in ('first', 'second'):\n"
        f"    draw(['lau_03_rotation', 'lau_02_homogeneous_transformation'], Path({str(tmp_path)!r}) / folder)\n"
        "try:\n"
        "    draw(['no_such_figure'])\n"
        "except SystemExit as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "no figure no_such_figure; there are: " in run.stdout and "lau_17_buckling" in run.stdout
    for name in ("lau_03_rotation.svg", "lau_02_homogeneous_transformation.svg"):
        first, second = ((tmp_path / folder / name).read_bytes() for folder in ("first", "second"))
        assert first == second and b"<svg" in first and len(first) < 60_000


def test_every_figure_of_the_thesis_is_small_and_stands_on_its_page() -> None:
    page = (ROOT / "docs" / "sources" / "lau.md").read_text(encoding="utf-8")
    shown = re.findall(r"images/sources/(lau_[\w.]+\.svg)", page)
    drawn = sorted(path.name for path in IMAGES.glob("lau_*.svg"))
    assert drawn == sorted(shown)
    assert [name.split("_")[1] for name in drawn] == [f"{k:02}" for k in range(1, 18)]
    assert max(path.stat().st_size for path in IMAGES.glob("*.svg")) < 60_000
