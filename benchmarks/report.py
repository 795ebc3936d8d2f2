"""Rows of a benchmark table, and how they are printed."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measurement: `value` must be at least or at most `required`; without a requirement it is only told."""

    what: str
    value: float
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    remark: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the requirement is met; None if there is none."""
        if self.at_least is not None:
            return self.value >= self.at_least
        return self.value <= self.at_most if self.at_most is not None else None

    def cells(self) -> tuple[str, str, str, str, str]:
        """The row as text: what, measured, required, verdict, remark."""
        required = ""
        if self.at_least is not None:
            required = f">= {_number(self.at_least)} {self.unit}".strip()
        elif self.at_most is not None:
            required = f"<= {_number(self.at_most)} {self.unit}".strip()
        verdict = {True: "pass", False: "FAIL", None: ""}[self.passed]
        return self.what, f"{_number(self.value)} {self.unit}".strip(), required, verdict, self.remark


HEADINGS = ("what", "measured", "required", "", "")


def _number(value: float) -> str:
    if math.isnan(value):  # a peer is not installed: the remark says so
        return "-"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def print_table(title: str, rows: list[Row]) -> None:
    """For a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for k, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if k in (1, 2) else "left", no_wrap=k in (1, 2, 3))
    colors: dict[bool | None, str] = {True: "green", False: "bold red", None: ""}
    for row in rows:
        what, measured, required, verdict, remark = row.cells()
        table.add_row(what, measured, required, f"[{colors[row.passed]}]{verdict}[/]" if verdict else "", remark)
    Console().print(table)


def markdown(title: str, rows: Sequence[Row]) -> str:
    """For a document."""
    lines = [f"### {title}", "", f"| {' | '.join(HEADINGS)} |", "|---|---:|---:|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row.cells())} |" for row in rows), ""])


def print_markdown(title: str, rows: list[Row]) -> None:
    """The same, on standard output."""
    print(markdown(title, rows))


def machine() -> str:
    """Processor, cores in use, and versions."""
    from loadpath.engine import jit

    names = [_installed("loadpath"), _installed("numpy"), _installed("pin"), f"Python {platform.python_version()}"]
    _, cpu, _ = jit._host()
    doubles = jit.host_width()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor()} ({cpu}, vectors of {doubles} doubles), {cores} cores; {', '.join(names)}"


def _installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def _processor() -> str:
    readers: list[Callable[[], str]] = [_from_proc, platform.processor, platform.machine]
    return next((name for read in readers if (name := read())), "unknown processor")


def _from_proc() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
