"""What a data sheet shows of payloads, the foundation, compliance and life: the results of the room `handling`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadpath.handling.compliance import StaticCompliance
from loadpath.handling.duty import DutyMap
from loadpath.handling.foundation import FoundationLoads
from loadpath.handling.result import PayloadDiagram
from loadpath.report.blocks import NONE, Block, Cell, Chart, Section, Table, alike, number
from loadpath.report.charts import INK
from loadpath.report.page import plain

ROWS = 7
"""Of offsets in a table, at most."""
OF_FOUNDATION = ("vertical_force", "horizontal_force", "tilting_moment", "torsion_moment")
CURVE = "#1f2933"
"""In which figures of the library draw what a page draws in its own ink."""


def chart_of(figure: Any, title: str, height: int, note: str = "") -> Chart:
    """A figure of the library as a chart of a page, in the page's colours.

    >>> from plotly import graph_objects as go
    >>> chart_of(go.Figure(go.Scatter(x=[0, 1], y=[1, 2], line={"color": CURVE})), "A line", 300).traces[0]["line"]
    {'color': 'ink'}
    """
    made = figure.to_plotly_json()
    layout = {key: value for key, value in made["layout"].items() if key in ("xaxis", "yaxis", "annotations")}
    for axis in ("xaxis", "yaxis"):
        layout[axis] = {**layout.get(axis, {}), "zeroline": False}
    return Chart(title, [_inked(trace) for trace in made["data"]], {**plain(layout), "hovermode": "closest"}, height,
                 None, note)


def _inked(trace: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(trace)
    line = found.get("line")
    if line and line.get("color") == CURVE:
        found["line"] = {**line, "color": INK}
    return found


def payload_section(found: PayloadDiagram, states: str, mass: float) -> Section:
    """The diagram, its masses as a table, and the largest inertia over the mass."""
    lead = (f"The largest payload over where its mass center is: axial and radial offset from the origin of "
            f"'{found.link}', the worst of all radial directions. All limits of drives and checks of parts hold "
            f"{states}.")
    bound = np.isfinite(found.mass).any()
    blocks: list[Block] = []
    if bound and min(found.mass.shape) > 1:
        blocks.append(chart_of(found.plot(), "Largest payload (kg)", 440))
    a, r = (np.unique(np.linspace(0, len(part) - 1, min(len(part), ROWS)).round().astype(int))
            for part in (found.axial, found.radial))
    most_of = iter(alike(found.mass[np.ix_(a, r)].ravel(), "any"))
    rows: list[list[Cell]] = [[f"{1000 * found.axial[i]:.0f} mm", *(next(most_of) for _ in r)] for i in a]
    most = list(found.shares.items())[:4]
    by = "; ".join(f"{limit.words} ({100 * share:.0f} % of the area)" for limit, share in most)
    unchecked = f" Not checked: {len(found.not_checked)} checks whose data lack." if found.not_checked else ""
    blocks.append(Table("Largest payload (kg) over axial (rows) and radial offset", ["axial offset", *(
        f"{1000 * found.radial[j]:.0f} mm" for j in r)], rows, f"Limited by {by}.{unchecked}" if by else unchecked,
        as_written=True))
    if mass and found.carried == 0 and bound and float(found.mass.max()) > 0:
        masses = [share * mass for share in (0.25, 0.5, 0.75, 1.0)]
        inertia = found.largest_inertia(masses)
        words = [[f"{number(m)} kg", NONE if np.isnan(j) else number(j) if np.isfinite(j) else "any",
                  "" if np.isinf(j) else found.limits[int(k)].words]
                 for m, j, k in zip(inertia.mass, inertia.inertia, inertia.which, strict=True)]
        blocks.append(Table("Largest moment of inertia of a payload about its mass center, which is at the origin",
                            ["payload", "kg m\u00b2", "limited by"], words, f"{NONE}: the mass by itself is too much.",
                            right=1, mixed=True))
    return Section("Payload", lead, blocks)


def foundation_section(found: FoundationLoads, duty: str) -> Section:
    """Forces and moments in service and in stops."""
    lead = (f"What the robot exerts on its foundation at the origin of its base, over the duty ({duty}) and in stops "
            "from its fastest instants: the largest of each, with all six components at that instant in the axes of "
            "the base. Vertical is along gravity.")
    every = [found[case, quantity] for case in found.cases for quantity in OF_FOUNDATION]
    wrenches = zip(*(alike(column) for column in zip(*(row.wrench for row in every), strict=True)), strict=True)
    values = alike(abs(row.value) for row in every)
    rows: list[list[Cell]] = [
        [row.case, row.quantity.replace("_", " "), f"{value} {row.unit}", *six]
        for row, value, six in zip(every, values, wrenches, strict=True)]
    columns = ["case", "largest", "value", "Fx (N)", "Fy (N)", "Fz (N)", "Mx (N m)", "My (N m)", "Mz (N m)"]
    of_stops = "Stops are with the rated payload; gears whose stiffness is known ring in them."
    note = of_stops if len(found.cases) > 1 else ""
    return Section("Loads on the foundation", lead, [Table("Foundation", columns, rows, note, left=2,
                                                            as_written=True)])


def compliance_section(found: Mapping[str, StaticCompliance], mass: float) -> Section:
    """How far the wrist gives way in some poses, by what, and how far it droops under the payload."""
    first = next(iter(found.values()))
    lead = (f"How far the origin of '{first.link}' gives way per unit of force on it along each axis of the base, all "
            "joints held (ISO 9283), and how far it sinks when it takes the payload.")
    blocks: list[Block] = []
    rows: list[list[Cell]] = []
    for pose, one in found.items():
        x, y, z = one.mm_per_N
        cells = [pose, *(number(float(1000 * value)) for value in (x, y, z))]
        if mass:
            droop = one.droop(mass)
            cells += [number(1000 * float(np.linalg.norm(droop.displacement))),
                      number(1000 * float(np.linalg.norm(droop.rotation)))]
        rows.append([*cells])
    heads = ["pose", *(f"along {axis} (\u00b5m/N)" for axis in "xyz")]
    heads += [f"droop under {number(mass)} kg (mm)", "turns by (mrad)"] if mass else []
    blocks.append(Table("Compliance at the wrist", heads, rows, "; ".join(first.notes), mixed=True))
    sources = list(first.shares)
    shares: list[list[Cell]] = [[source, *(f"{100 * part:.0f} %" for one in found.values()
                                           for part in one.share(source))] for source in sources]
    columns = ["gives way", *(f"{pose}, {axis}" for pose in found for axis in "xyz")]
    blocks.append(Table("Which part has which share", columns, shares))
    return Section("Static compliance", lead, blocks)


def duty_section(found: DutyMap, duty: str) -> Section:
    """Life or utilisation over payload and speed."""
    lives = not np.isnan(found.life).all() and bool(np.isfinite(found.life).any())
    what = "life of the part that wears most" if lives else "largest utilisation of any limit"
    lead = (f"The {what} over payload and speed, as factors of the speed of the duty ({duty}); below the line all that "
            "was checked holds" + (f", {number(found.hours)} h of life among it." if found.hours else "."))
    chart = chart_of(found.plot(), "Life (h)" if lives else "Utilisation (%)", 400)
    rows: list[list[Cell]] = []
    for m, mass in enumerate(found.payload):
        values = found.life[m] if lives else 100 * found.utilisation[m]
        rows.append([f"{number(float(mass))} kg", *(
            f"{number(float(value)) if np.isfinite(value) else 'any'}{'' if holds else ' !'}"
            for value, holds in zip(values, found.holds[m], strict=True))])
    title = "Life of the weakest part (h)" if lives else "Largest utilisation (%)"
    unchecked = f" Not checked: {len(found.not_checked)} checks whose data lack." if found.not_checked else ""
    table = Table(title, ["payload", *(f"speed \u00d7 {number(float(s))}" for s in found.speed)], rows,
                  f"!: something does not hold.{unchecked}", mixed=True)
    return Section("Speed, payload and life", lead, [chart, table])
