"""Draws docs/images/operation_counts.svg: multiplications of inverse dynamics over the number of joints.

Needs matplotlib, which nothing else here does: python docs/operation_count_figures.py
"""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import loadpath as lp
from loadpath.counting import NEWTON_EULER, TRACE_FORM

MOST = 12
PRINTED = "#8d99ae"

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "lines.linewidth": 1.8,
})


def as_written(formulation: str) -> Callable[[int], int]:
    """Multiplications of a formulation as written, for a general arm of n revolute joints."""
    return lambda n: (
        lp.catalog.random_dh_arm(n, seed=1).operation_count(formulation=formulation, as_written=True).multiplications
    )


def compiled(n: int) -> int:
    """Multiplications of the compiled function."""
    return lp.catalog.random_dh_arm(n, seed=1).operation_count().multiplications


def main() -> None:
    lines: list[tuple[str, Callable[[int], int], str, str]] = [
        ("trace form, printed", lambda n: TRACE_FORM(n).multiplications, PRINTED, "--"),
        ("lagrange-euler", as_written("lagrange-euler"), "#bc4b51", "-"),
        ("lagrangian", as_written("lagrangian"), "#e09f3e", "-"),
        ("generalized", as_written("generalized"), "#6a994e", "-"),
        ("natural-orthogonal-complement", as_written("natural-orthogonal-complement"), "#7b2d8b", "-"),
        ("generalized-recursive", as_written("generalized-recursive"), "#01a7c2", "-"),
        ("Newton-Euler, eq. (7.43), printed", lambda n: NEWTON_EULER(n).multiplications, PRINTED, ":"),
        ("newton-euler, compiled", compiled, "#0b4f6c", "-"),
    ]
    figure, panel = plt.subplots(figsize=(8.5, 4.4), layout="constrained")
    joints = range(2, MOST + 1)
    ends = []
    for name, multiplications, color, style in lines:
        values = [multiplications(n) for n in joints]
        panel.plot(joints, values, style, color=color, marker="o", markersize=3)
        ends.append((values[-1], name, "#5c677d" if color == PRINTED else color))
    below = 0.0
    for value, name, color in sorted(ends):  # labels at the lines' ends, none over another
        below = max(value, 1.6 * below)
        panel.annotate(name, (MOST, below), xytext=(8, 0), textcoords="offset points", color=color, va="center")
    panel.set_yscale("log")
    panel.set_xlim(2, MOST)
    panel.set_xlabel("revolute joints")
    panel.set_title("Multiplications of one inverse dynamics: n⁴ against n")
    out = Path(__file__).parent / "images" / "operation_counts.svg"
    figure.savefig(out, metadata={"Date": None})
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
