"""`python -m tests.between_commits OLD [NEW]`: which public numbers are not the same in two commits."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .compare import ADDED, differences, table

ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m tests.between_commits", description=__doc__)
    options.add_argument("old", help="a commit, or '.' for the working tree")
    options.add_argument("new", nargs="?", default=".", help="another (default: the working tree)")
    options.add_argument("--only", default="", help="robots whose kind or name has this text: closed, rovers, four bar")
    options.add_argument("--quantity", default="", help="quantities whose name has this text: mass_matrix, with loads")
    options.add_argument("--seed", type=int, default=0, help="of random robots and states (default 0)")
    options.add_argument("--all", action="store_true", help="compile everything, and ask for what takes long")
    options.add_argument("--keep", type=Path, help="folder for what was recorded (default: a temporary one)")
    asked = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="loadpath-between-") as temporary:
        place = asked.keep or Path(temporary)
        for name, commit in (("old", asked.old), ("new", asked.new)):
            with checked_out(commit) as tree:
                record(tree, place / name, asked, Path(temporary) / "kernels")
        rows = list(differences(place / "old", place / "new"))
        count = len(list((place / "old").glob("*.npy")))
    print(table(rows))
    wrong = sum(row.kind != ADDED for row in rows)
    print(f"\n{count} robots, seed {asked.seed}: {wrong} differences, {len(rows) - wrong} additions")
    return 1 if wrong else 0


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit, for a while."""
    if commit == ".":
        yield ROOT
        return
    with tempfile.TemporaryDirectory(prefix="loadpath-commit-") as folder:
        tree = Path(folder) / "tree"
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--detach", "--quiet", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=False)


def record(tree: Path, folder: Path, asked: argparse.Namespace, kernels: Path) -> None:
    """Run the recording program of this tree on the sources of another."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(ROOT / "tests")])}
    environment.setdefault("LOADPATH_CACHE_DIR", str(kernels))
    environment.setdefault("LOADPATH_PARSER_SECONDS", "600")  # a busy machine is no difference
    command = [sys.executable, "-m", "between_commits.record", str(folder), "--seed", str(asked.seed),
               "--only", asked.only, "--quantity", asked.quantity, *(["--all"] if asked.all else [])]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    imported = Path(json.loads((folder / "sources.json").read_text())).resolve()
    if imported != (tree / "src").resolve():
        raise RuntimeError(f"{imported} was imported, not {tree / 'src'}")


if __name__ == "__main__":
    sys.exit(main())
