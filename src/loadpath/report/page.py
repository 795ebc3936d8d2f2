"""Sections as one HTML file that needs nothing else: style, script, Plotly and data are in it. Plotly and data are
compressed, which makes the file a third as large; browsers have unpacked that by themselves since 2023.

Names come from users' files. In the HTML Jinja2 escapes them; in the data `<` never appears, so that no name can end
the script; in charts, where Plotly reads a few HTML tags, `plotting.label`
takes their meaning away.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from loadpath.content_policy import fingerprint, in_page, policy
from loadpath.digits import fixed
from loadpath.exports.webassembly.kernel import loader
from loadpath.printable import storable
from loadpath.report.blocks import Section, Table
from loadpath.report.bodies import sent_frames

if TYPE_CHECKING:
    from markupsafe import Markup

# The page on paper: an installed Chromium or Chrome prints it as PDF.

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


DIGITS = 4
"""Significant digits of what charts show."""
FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"
"""As wide as a digit, and as a decimal point."""
DECIMALS, SMALL, FOUR = 3, 1e-3, 4
"""Decimals of numbers that are smaller than this share of the largest of their column; digits of the others."""
WIDE = 7
"""Tables with more columns are laid out row by row in narrow windows."""
_NUMBER = re.compile("([\u2212+]?[0-9,]+)(\\.[0-9]+)?([^0-9.]*)")


def plain(value: Any) -> Any:
    """Charts' data for JSON: arrays as lists, numbers with few digits, NaN and infinity as gaps.

    >>> plain({"x": np.array([1 / 3, np.nan])})
    {'x': [0.3333, None]}
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return _rounded(value)
        return [plain(part) for part in value.tolist()]
    if isinstance(value, Mapping):
        if value.get("type") == "robot":
            value = {**value, "frames": sent_frames(value["frames"])}
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value


def _rounded(values: Any, digits: int = DIGITS) -> Any:
    """Numbers to so many significant digits, as lists; small beside the largest are rounded to what is seen."""
    finite = np.isfinite(values)
    size = np.abs(np.where(finite, values, 0.0))
    least = size.max(initial=0.0) * 1e-6
    with np.errstate(divide="ignore"):
        power = digits - 1 - np.floor(np.log10(np.maximum(size, max(least, 1e-300))))
    scale = 10.0 ** np.clip(power, -300, 300)
    found = np.round(np.where(finite, values, 0.0) * scale) / scale + 0.0
    if finite.all():
        return found.tolist()
    gaps: Any = found.astype(object)
    gaps[~finite] = None
    return gaps.tolist()


def times(values: Any) -> Any:
    """Times with the digits that tell neighbours apart: rounded to four, those of a long motion would be steps.

    >>> times(np.array([100.0, 100.001]))
    [100.0, 100.001]
    """
    array = np.asarray(values, dtype=float)
    steps = np.diff(array)
    steps = steps[steps > 0]
    if not steps.size:
        return array.tolist()
    decimals = int(np.clip(1 - np.floor(np.log10(steps.min())), 0, 9))
    return np.round(array, decimals).tolist()


def as_json(value: Any) -> str:
    """JSON that can stand in a script element: no `<`, so nothing in it can end the element.

    >>> as_json("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(plain(value), separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c")


def packed(text: str) -> str:
    """Compressed, in letters that can stand in HTML; `unpacked` reads it."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def unpacked(text: str) -> str:
    """What `packed` packed.

    >>> unpacked(packed("arm"))
    'arm'
    """
    return gzip.decompress(base64.b64decode(text)).decode()


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


@cache
def _packed_plotly() -> str:
    return base64.b64encode(gzip.compress(_plotly().encode(), 9, mtime=0)).decode()


def _file(name: str) -> str:
    return (resources.files("loadpath.report") / "templates" / name).read_text(encoding="utf-8")


def aligned(table: Table) -> list[list[tuple[str, str]]]:
    """Cells with their notes; in columns of numbers, padded so that the decimal points stand below each other.

    Numbers of four digits have all four: of a column 1.5 is 1.500 beside 0.2512.

    >>> [row[1][0].replace(FIGURE_SPACE, " ") for row in
    ...  aligned(Table("", ["joint", "N"], [["a", "1.5"], ["b", "12"], ["c", "0.2512"]]))]
    ['1.500 ', '12.00  ', '0.2512']
    """
    rows = [[(cell, "") if isinstance(cell, str) else (cell[0], cell[1]) for cell in row] for row in table.rows]
    for column in range(table.left, len(table.columns) - table.right):
        texts = aligned_column([row[column][0] for row in rows], mixed=table.mixed, as_written=table.as_written)
        for row, text in zip(rows, texts, strict=True):
            row[column] = (text, row[column][1])
    return rows


def aligned_column(texts: Sequence[str], *, mixed: bool, as_written: bool = False) -> list[str]:
    """The same of one column, as templates/page/numbers.js does it."""
    broken = any(match[2] for text in texts if (match := _NUMBER.fullmatch(text)))  # else all are whole, as counts are
    if broken and not as_written:
        texts = [_filled(text) for text in texts]
    if not (mixed or as_written):
        texts = [_coarse(text, texts) for text in texts]
    found = [_NUMBER.fullmatch(text) for text in texts]
    places = max((len(match[2] or "") for match in found if match), default=0)
    made = []
    for text, match in zip(texts, found, strict=True):
        if match and places:
            missing = places - len(match[2] or "")
            blank = FIGURE_SPACE * missing if match[2] else POINT_SPACE + FIGURE_SPACE * (missing - 1)
            made.append(f"{match[1]}{match[2] or ''}{blank}{match[3]}")
        else:
            made.append(text)
    return made


def _filled(text: str) -> str:
    """A number with the zeros that its four digits ended with."""
    match = _NUMBER.fullmatch(text)
    if match is None or match[3] or not _value(text):
        return text
    whole = match[1].strip("+\u2212").replace(",", "")
    leading = len(match[2] or ".") - len((match[2] or ".").lstrip(".").lstrip("0")) - 1 if whole == "0" else 0
    missing = FOUR + leading - (0 if whole == "0" else len(whole)) - max(len(match[2] or "") - 1, 0)
    return f"{match[1]}{match[2] or '.'}{'0' * missing}" if missing > 0 else text


def _coarse(text: str, column: Sequence[str]) -> str:
    """A number that is small beside others of its column, with three decimals at most: more digits of it say nothing,
    and would push the others aside.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[2] or "") <= 1 + DECIMALS:
        return text
    sizes = [abs(_value(other)) for other in column if _NUMBER.fullmatch(other)]
    if abs(_value(text)) > SMALL * max(sizes):
        return text
    short = fixed(_value(text), DECIMALS)
    return ("0" if not float(short) else short.replace("-", "\u2212")) + match[3]


def _value(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    assert match is not None
    return float(f"{match[1]}{match[2] or ''}".replace("\u2212", "-").replace(",", ""))


def breakable(name: str) -> Markup:
    """A name that may be broken after its underscores, not within words and numbers.

    >>> str(breakable("wrist_1: 0.5 N"))
    'wrist_<wbr>1: 0.5 N'
    """
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[_-])|(?<=\.)(?!\d)", name))


def render(
    title: str,
    subtitle: str,
    sections: Sequence[Section],
    footer: str = "",
    paper: Paper | None = None,
    live: Mapping[str, Any] | str = "",
    alone: bool = False,
) -> str:
    """The page as text, for a window; with `paper`, for that. `live` is what it computes with as its controls move
    (`loadpath.report.live`), or why it does not. `alone`: it has one picture, which fills the window.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_file("report.html.j2"))
    charts: list[Any] = []

    def chart_number(chart: Any) -> int:
        x = None if chart.x is None else times(chart.x)
        charts.append({"data": chart.traces, "layout": chart.layout, "start": chart.start})
        charts[-1] = {**plain(charts[-1]), "x": x, "live": chart.live}
        return len(charts) - 1

    body = template.render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        footer=footer,
        chart_number=chart_number,
        aligned=aligned,
        breakable=breakable,
        wide=WIDE,
        as_json=lambda value: json.dumps(value, separators=(",", ":")),
        live=None if isinstance(live, str) else live,
        why_static=live if isinstance(live, str) else "",
        drawing=lambda name: Markup(_file(name)),
        alone=alone,
        style=Markup(_file("report.css") + _page_rule(paper)),
        policy=Markup(_policy()),
    )
    scripts = [
        f'<script type="application/gzip" id="charts">{packed(_json(charts))}</script>',
        f"<script>{script()}</script>",
    ]
    if any(trace["type"] != "robot" for chart in charts for trace in chart["data"]):
        scripts.insert(1, f'<script type="application/gzip" id="plotly">{_packed_plotly()}</script>')
    if not isinstance(live, str):
        scripts.insert(0, f'<script type="application/gzip" id="live">{packed(_json(live))}</script>')
    # Put in by hand, not by the template: Plotly is two megabytes of text.
    head, tail = body.rsplit("</body>", 1)
    return storable("\n".join([head, *scripts, "</body>" + tail]))


SCRIPTS = (
    "unpacking", "look", "numbers", "traces", "robot", "solids", "space", "quick", "charts", "loads", "tables",
    "verdict", "parts", "heating", "attribution", "causes", "pose", "live", "controls", "player", "linking", "waking",
)
"""Of templates/page, in one scope; `main` comes after them."""


@cache
def script() -> str:
    """The script of the page: its parts one after the other, and the loader of WebAssembly modules."""
    parts = "\n".join(_file(f"page/{name}.js") for name in (*SCRIPTS, "main"))
    start = '"use strict";\nlet charts = [], live = null;'
    return f"{loader('script')}\n(async () => {{\n{start}\n{parts}\n}})();"


@cache
def _policy() -> str:
    """What the page may do: run this script, which runs Plotly and WebAssembly, and reach nothing outside."""
    return in_page(policy([fingerprint(script()), fingerprint(_plotly()), "'wasm-unsafe-eval'"]))


def _page_rule(paper: Paper | None) -> str:
    size = {"a4": "A4", "letter": "letter", None: "auto"}[paper]
    return f"@page {{ size: {size}; margin: 14mm 12mm; }}"


def _json(charts: Any) -> str:
    return json.dumps(charts, separators=(",", ":"), ensure_ascii=True)
