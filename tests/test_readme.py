"""The documents tell the truth: every code block runs, every example runs, every link leads somewhere."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MADE = ("reference", "examples", "project")
"""Folders of docs/ with pages that are made when the site is."""
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.relative_to(ROOT / "docs").parts[0] not in MADE)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
RUN_ELSEWHERE = {page for folder in ("tutorials", "sources") for page in (ROOT / "docs" / folder).glob("*.md")}
"""With what they print, or row by row: by tests/docs."""
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_something_to_check() -> None:
    assert len(DOCUMENTS) >= 6
    assert len(EXAMPLES) >= 3
    assert sum(len(BLOCK.findall(document.read_text())) for document in DOCUMENTS) >= 20


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if BLOCK.search(d.read_text()) and d not in RUN_ELSEWHERE], ids=relative
)
def test_code_blocks_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a document run one after the other in one namespace; sessions must print what stands there."""
    monkeypatch.chdir(tmp_path)
    text = document.read_text()
    names: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if block[1] == "python":
            exec(compile("\n" * line + block[2], relative(document), "exec"), names)
            continue
        session = doctest.DocTestParser().get_doctest(block[2], names, relative(document), str(document), line)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(session, out=report.append, clear_globs=False)
        names.update(session.globs)
        assert not runner.failures, "".join(report)


@pytest.mark.parametrize("example", EXAMPLES, ids=relative)
def test_examples_run(example: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.count("\n") >= 4
    assert "nan" not in printed


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_links_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (document.parent / target).exists(), f"{relative(document)} links to {target}"


def readme_commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if "venv" in line]


def test_the_readme_has_its_two_commands_and_ci_runs_the_second() -> None:
    run, test = readme_commands()
    assert run.endswith("loadpath report")
    assert "pytest" in test
    script = ROOT / ".ci" / "run"
    assert test in script.read_text().splitlines()
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_the_first_screen_answers_before_anybody_scrolls() -> None:
    """What it is, the two set-up commands, four commands, the table from question to command and Python."""
    first, _, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How fast")
    lines = first.splitlines()
    assert rest and len(lines) <= 60
    assert lines[2].startswith("**") and lines[2].endswith("?**")  # the question
    assert sum(line.startswith("loadpath ") for line in lines) == 4
    assert "| I want to know | command |" in lines and "## In Python" in lines
    assert any(line.startswith("![") for line in lines[:12])
