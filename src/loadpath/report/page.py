"""Sections as one HTML file that needs nothing else: style, script, Plotly and data are in it.

Names come from users' files. In the HTML Jinja2 escapes them; in the data `<` never appears, so that no name can end
the script; in charts, where Plotly reads a few HTML tags, `plotting.label`
takes their meaning away.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from loadpath.report.blocks import Section

DIGITS = 5
"""Significant digits of what charts show."""


def plain(value: Any) -> Any:
    """Charts' data for JSON: arrays as lists, numbers with five digits, NaN and infinity as gaps.

    >>> plain({"x": np.array([1 / 3, np.nan])})
    {'x': [0.33333, None]}
    """
    if isinstance(value, np.ndarray):
        return [plain(part) for part in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value


def as_json(value: Any) -> str:
    """JSON that can stand in a script element: no `<`, so nothing in it can end the element.

    >>> as_json("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(plain(value), separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _file(name: str) -> str:
    return (resources.files("loadpath.report") / "templates" / name).read_text(encoding="utf-8")


def render(title: str, subtitle: str, sections: Sequence[Section], footer: str = "") -> str:
    """The page as text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_file("report.html.j2"))
    charts: list[Any] = []

    def chart_number(chart: Any) -> int:
        charts.append({"data": chart.traces, "layout": chart.layout, "x": chart.x})
        return len(charts) - 1

    body = template.render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        footer=footer,
        chart_number=chart_number,
        style=Markup(_file("report.css")),
    )
    scripts = [
        f"<script>{_plotly()}</script>",
        f'<script type="application/json" id="charts">{as_json(charts)}</script>',
        f"<script>{_file('report.js')}</script>",
    ]
    # Put in by hand, not by the template: Plotly is five megabytes of text.
    head, tail = body.rsplit("</body>", 1)
    return "\n".join([head, *scripts, "</body>" + tail])
