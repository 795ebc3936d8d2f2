"""The page on paper: an installed Chromium or Chrome prints it as PDF."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal, get_args

Paper = Literal["a4", "letter"]
PDF = ".pdf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
LONGEST = 240
"""s: a browser that has not printed by then is stopped."""
DRAWN = 60_000
"""ms of the page's own clock for all charts; it stands still while they are being drawn."""


def check_paper(paper: str) -> None:
    """Refuse what is no size of paper."""
    if not isinstance(paper, str) or paper not in get_args(Paper):
        raise ValueError(f"paper is {paper!r}: expected {' or '.join(map(repr, get_args(Paper)))}")


def browser() -> str:
    """The program that prints: the first that is found on the PATH, or where it is usually installed."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    for path in ELSEWHERE:
        if Path(path).is_file():
            return path
    raise FileNotFoundError(
        "a PDF is printed by Chromium or Chrome, and none is installed: install one (Debian, Ubuntu: apt install "
        "chromium), or write the report as .html and print that in a browser"
    )


def printed(html: str) -> bytes:
    """The page as PDF; its style says on which paper."""
    with tempfile.TemporaryDirectory(prefix="loadpath-") as folder:
        page, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8")
        command = [
            browser(), "--headless", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer", f"--virtual-time-budget={DRAWN}", "--run-all-compositor-stages-before-draw",
            f"--print-to-pdf={target}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # which Chromium needs to run as root
        try:
            ended = subprocess.run(
                [*command, f"{page.as_uri()}#paper"], capture_output=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            raise OSError(
                f"{command[0]} did not print the report within {LONGEST} s: write it as .html instead"
            ) from None
        content = target.read_bytes() if target.is_file() else b""
        if not content.startswith(b"%PDF"):
            said = ended.stderr.decode(errors="replace").strip().splitlines()
            last = f": {said[-1][:300]}" if said else ""
            raise OSError(f"{command[0]} did not print the report (exit code {ended.returncode}){last}")
        return content
