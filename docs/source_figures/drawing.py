"""What the figures of the sources share: colors, a parallel view of space, and the things that are drawn in it.

Bodies are seen by parallel projection and drawn as plain lines in the plane, so that a figure is a small vector file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike, NDArray

INK, BLUE, LIGHT, RED, GREEN, GREY, PALE = "#1c2733", "#0b4f6c", "#01a7c2", "#c1440e", "#3a7d44", "#8a99a8", "#e6edf2"
"""Lines and text; links; what moves; forces; torques and turns; help lines; surfaces."""

STYLE = {
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "mathtext.fontset": "cm",
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9.5, "axes.titlelocation": "left",
    "legend.frameon": False, "lines.solid_capstyle": "round", "lines.linewidth": 1.4, "text.color": INK,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
}

HALO = {"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75}
"""Behind labels, so that they can be read over lines."""

FIGURES: dict[str, Callable[[], Figure]] = {}
"""Every figure by name; filled by `@figure`."""

Vectors = NDArray[np.float64]


def figure(name: str) -> Callable[[Callable[[], Figure]], Callable[[], Figure]]:
    """Enters a function that draws a figure, under the name of its file."""

    def enter(draw: Callable[[], Figure]) -> Callable[[], Figure]:
        def styled() -> Figure:
            with mpl.rc_context(STYLE):
                return draw()

        FIGURES[name] = styled
        return styled

    return enter


def save(drawn: Figure, path: Path) -> Path:
    """Writes a figure: the same bytes each time."""
    with mpl.rc_context(STYLE):
        drawn.savefig(path, metadata={"Date": None, "Creator": None}, facecolor="white")
    plt.close(drawn)
    return path


def panels(count: int = 1, size: tuple[float, float] = (6.0, 4.0), **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side that show geometry: equal scales, no axes."""
    drawn, axes = plt.subplots(1, count, figsize=size, layout="constrained", squeeze=False, **options)
    for panel in axes[0]:
        panel.set_aspect("equal")
        panel.axis("off")
    return drawn, list(axes[0])


@dataclass(frozen=True)
class View:
    """A parallel view: from which side (azimuth, degrees from world x towards y) and how far from above."""

    azimuth: float = -55.0
    elevation: float = 22.0

    @property
    def axes(self) -> Vectors:
        """Rows: right, up, and towards the viewer, in world axes."""
        a, e = np.radians(self.azimuth), np.radians(self.elevation)
        toward = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.array([right, np.cross(toward, right), toward])

    def __call__(self, points: ArrayLike) -> Vectors:
        """Points of space (..., 3) in the plane of the picture (..., 2)."""
        seen: Vectors = np.asarray(points, dtype=float) @ self.axes[:2].T
        return seen


@dataclass(frozen=True)
class Scene:
    """A panel and the view of space that it shows."""

    panel: Axes
    view: View = View()

    def line(self, points: ArrayLike, color: str = INK, width: float = 1.4, **style: Any) -> None:
        """A line through points of space."""
        seen = self.view(points)
        self.panel.plot(seen[:, 0], seen[:, 1], color=color, lw=width, **style)

    def dot(self, point: ArrayLike, color: str = INK, size: float = 4.0, **style: Any) -> None:
        """A point."""
        x, y = self.view(point)
        self.panel.plot(x, y, "o", color=color, ms=size, **style)

    def text(self, point: ArrayLike, text: str, shift: tuple[float, float] = (0, 0), **style: Any) -> None:
        """Text at a point, shifted by points of the printer."""
        self.panel.annotate(text, self.view(point), xytext=shift, textcoords="offset points",
                            **{"ha": "center", "va": "center", "zorder": 30, "bbox": HALO, **style})

    def arrow(
        self,
        start: ArrayLike,
        end: ArrayLike,
        color: str = INK,
        label: str = "",
        shift: tuple[float, float] = (0, 0),
        width: float = 1.3,
        at: float = 1.0,
        style: str = "-|>",
        **more: Any,
    ) -> None:
        """An arrow, with its label at a share of its length."""
        a, b = self.view(start), self.view(end)
        self.panel.annotate("", b, xytext=a, zorder=more.pop("zorder", 20),
                            arrowprops={"arrowstyle": style, "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0,
                                        "mutation_scale": 7 + 2 * width, **more})
        self.panel.update_datalim([a, b])
        if label:
            where = np.asarray(start) + at * (np.asarray(end, dtype=float) - np.asarray(start, dtype=float))
            self.text(where, label, shift, color=color)

    def turn(
        self,
        center: ArrayLike,
        axis: ArrayLike,
        start: ArrayLike,
        angle: float = 4.6,
        color: str = GREEN,
        label: str = "",
        shift: tuple[float, float] = (0, 0),
        width: float = 1.2,
        arrow: bool = True,
    ) -> None:
        """An arrow that turns about an axis: from the arm `start` by an angle (rad)."""
        points = arc(center, axis, start, angle)
        seen = self.view(points)
        last = -1 if not arrow else max(2, len(points) - 4)
        self.panel.plot(seen[:last, 0], seen[:last, 1], color=color, lw=width, zorder=19)
        if arrow:
            self.panel.annotate("", seen[-1], xytext=seen[-5], zorder=20, arrowprops={
                "arrowstyle": "-|>", "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0,
                "mutation_scale": 8})
        if label:
            self.text(points[len(points) // 2], label, shift, color=color)

    def frame(
        self,
        rotation: ArrayLike,
        origin: ArrayLike,
        number: str = "",
        size: float = 0.15,
        color: str = INK,
        axes: str = "xyz",
        names: Sequence[str] = ("x", "y", "z"),
        **style: Any,
    ) -> None:
        """A coordinate frame: its axes as arrows, named with its number."""
        R, o = np.asarray(rotation, dtype=float), np.asarray(origin, dtype=float)
        middle = self.view(o)
        for k, name in enumerate("xyz"):
            if name not in axes:
                continue
            end = o + size * R[:, k]
            away = self.view(end) - middle
            length = float(np.hypot(*away))
            if length < 0.12 * size:  # seen end on
                self.dot(o, color, 3)
                continue
            self.arrow(o, end, color, width=1.0, **style)
            if names[k]:
                shift = 7 * away / length
                self.text(end, f"${names[k]}_{{{number}}}$" if number else f"${names[k]}$", tuple(shift), color=color,
                          fontsize=8)

    def surface(
        self, corners: ArrayLike, face: str = PALE, edge: str = GREY, zorder: float = 1.0, **style: Any
    ) -> None:
        """A flat surface through corners."""
        seen = self.view(corners)
        self.panel.add_patch(Polygon(seen, closed=True, fc=face, ec=edge, zorder=zorder, **{"lw": 0.8, **style}))

    def rod(self, start: ArrayLike, end: ArrayLike, radius: float, face: str = "#cfe3ec", edge: str = BLUE,
            zorder: float = 5.0) -> None:
        """A round rod or disc: its outline, and the end that faces the viewer."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        axis = (b - a) / np.linalg.norm(b - a)
        across = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [1.0, 0.0, 0.0])
        rims = [arc(o, axis, radius * across / np.linalg.norm(across), 2 * np.pi, 37) for o in (a, b)]
        outline = hull(np.concatenate([self.view(rim) for rim in rims]))
        self.panel.add_patch(Polygon(outline, closed=True, fc=face, ec=edge, lw=1.0, zorder=zorder))
        near = rims[1] if axis @ self.view.axes[2] > 0 else rims[0]
        if abs(axis @ self.view.axes[2]) > 0.02:
            self.surface(near, "white" if face == "#cfe3ec" else face, edge, zorder + 0.1, lw=1.0)

    def box(self, center: ArrayLike, sides: ArrayLike, rotation: ArrayLike | None = None, face: str = "#cfe3ec",
            edge: str = BLUE, zorder: float = 5.0) -> None:
        """A box: the faces that the viewer sees."""
        R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        half, o = np.asarray(sides, dtype=float) / 2, np.asarray(center, dtype=float)
        for k in range(3):
            facing = 1.0 if R[:, k] @ self.view.axes[2] >= 0 else -1.0
            i, j = (k + 1) % 3, (k + 2) % 3
            corners = [o + R @ _signed(half, {k: facing, i: s, j: t}) for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
            self.surface(corners, face if k != 2 else "white", edge, zorder + 0.01 * k, lw=1.0)

    def room(self, margin: float = 0.06) -> None:
        """Limits of the panel around what is in it, with a margin for labels."""
        self.panel.autoscale_view()
        for get, put in ((self.panel.get_xlim, self.panel.set_xlim), (self.panel.get_ylim, self.panel.set_ylim)):
            low, high = get()
            put(low - margin * (high - low), high + margin * (high - low))


def _signed(half: Vectors, signs: dict[int, float]) -> Vectors:
    return np.array([signs[k] * half[k] for k in range(3)])


def arc(center: ArrayLike, axis: ArrayLike, start: ArrayLike, angle: float, count: int = 31) -> Vectors:
    """Points of an arc about an axis, from the arm `start`, by an angle (rad)."""
    o, n, arm = (np.asarray(part, dtype=float) for part in (center, axis, start))
    n = n / np.linalg.norm(n)
    phi = np.linspace(0.0, angle, count)[:, None]
    along = (arm @ n) * n
    points: Vectors = o + along + np.cos(phi) * (arm - along) + np.sin(phi) * np.cross(n, arm)
    return points


def hull(points: Vectors) -> Vectors:
    """The convex outline of points in the plane, counterclockwise (the monotone chain)."""
    ordered = sorted(map(tuple, np.round(points, 12)))

    def half(rows: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for p in rows:
            while len(found) > 1 and _left(found[-2], found[-1], p) <= 0:
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _left(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def hatch(panel: Axes, start: ArrayLike, end: ArrayLike, depth: float = 0.05, color: str = GREY) -> None:
    """Ground or a clamp: a line with short slanted strokes to its right side, in the plane."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (b - a) / np.linalg.norm(b - a)
    out = np.array([along[1], -along[0]])
    panel.plot(*np.array([a, b]).T, color=color, lw=1.4, zorder=3)
    for at in np.linspace(0.02, 0.98, max(4, round(np.linalg.norm(b - a) / depth / 1.2))):
        p = a + at * (b - a)
        panel.plot(*np.array([p, p + depth * (out - 0.7 * along)]).T, color=color, lw=0.7, zorder=2)
