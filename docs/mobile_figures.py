"""Draws docs/images/past_tipping.svg: a cart that rocks and comes back, one that falls over, and the largest slope over
headings.

Needs matplotlib, which nothing else here does: python docs/mobile_figures.py
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp

BLUE, LIGHT, RED, GREY = "#0b4f6c", "#01a7c2", "#bc4b51", "#b8c4ce"
RADIUS, HEIGHT = 0.1, 1.4

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})


def tall() -> lp.Rover:
    """The cart of the page."""
    wheels = [lp.FixedWheel((x, y), RADIUS) for x in (0.35, -0.35) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.diag([9.3, 9.3, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.5))
    return base.carrying()


def braked(rover: lp.Rover, speed: float, duration: float) -> lp.Simulation:
    """All wheels locked at a speed."""
    locked = dict.fromkeys(rover.contact_names, 0.0)
    return rover.simulate(velocity=(speed, 0), wheel_rates=locked, duration=duration, sample_rate=500)


def side(panel: Any, run: lp.Simulation, k: int, color: str, strength: float) -> None:
    """The cart from its right side at a sample: body, wheels and mass center."""
    pitch, (x, _, z) = run.pitch[k], run.position[k]
    turn = np.array([[np.cos(pitch), np.sin(pitch)], [-np.sin(pitch), np.cos(pitch)]])

    def placed(points: Any) -> np.ndarray:
        return np.asarray(points) @ turn.T + [x, z]

    body = placed([(-0.4, 0.15), (0.4, 0.15), (0.4, HEIGHT), (-0.4, HEIGHT), (-0.4, 0.15)])
    panel.fill(*body.T, facecolor=color, alpha=0.12 * strength, edgecolor="none")
    panel.plot(*body.T, color=color, alpha=strength, linewidth=1.2)
    for center in placed([(-0.35, RADIUS), (0.35, RADIUS)]):
        panel.add_patch(plt.Circle(tuple(center), RADIUS, fill=False, color=color, alpha=strength, linewidth=1.4))
    panel.plot(*placed([(0, 0.9)]).T, "o", color=color, alpha=strength, markersize=4)


def main() -> None:
    rover = tall()
    rocks, falls = braked(rover, 1.0, 1.2), braked(rover, 2.6, 1.5)
    figure = plt.figure(figsize=(11, 3.5), layout="constrained")
    grid = figure.add_gridspec(1, 3, width_ratios=(1.1, 1.3, 1))
    time, view = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    around = figure.add_subplot(grid[2], projection="polar")

    time.set_title("Locked at 1 m/s: it rocks and comes back")
    time.plot(rocks.times, np.degrees(rocks.pitch), color=BLUE)
    hits = sorted({event.time for event in rocks.of_kind("impacts")})
    at = np.interp(hits, rocks.times, np.degrees(rocks.pitch))
    time.plot(hits, at, "v", color=RED, label="impacts", markersize=5)
    time.set(xlabel="time (s)", ylabel="pitch, nose down (deg)")
    time.legend()

    view.set_title("Locked at 2.6 m/s: it falls over")
    view.axhline(0.0, color=GREY, linewidth=1.2)
    shown = np.linspace(0, len(falls.times) - 1, 6).round().astype(int)
    for number, k in enumerate(shown):
        last = number == len(shown) - 1
        side(view, falls, k, RED if last else BLUE, 1.0 if last else 0.35 + 0.1 * number)
    view.set_aspect("equal")
    view.set(xlabel="x (m)", ylabel="height (m)")

    slopes = rover.on(lp.Ground()).largest_slope(slipping=False)
    heading = np.linspace(0.0, 2 * np.pi, len(slopes.value) + 1)
    around.set_title("Largest slope (deg), by heading", pad=14, loc="center")
    around.plot(heading, np.degrees(np.append(slopes.value, slopes.value[0])), color=BLUE)
    around.set_theta_zero_location("N")
    around.set_ylim(0, None)

    target = Path(__file__).parent / "images" / "past_tipping.svg"
    figure.savefig(target, metadata={"Date": None})
    print(rocks, falls, sep="\n")


if __name__ == "__main__":
    main()
