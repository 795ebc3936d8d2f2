"""How far a rover is from tipping over, and what would take it there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.loads import State
from loadpath.mobile.support import ends_of_edges

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stability:
    """Margins against tipping over, for every state.

    `zero_moment_point` (..., 2): where the resultant of the ground's normal forces acts, in the base frame (m);
    infinite where the ground would have to pull. `margin` (...): its distance (m) from the nearest edge of the support
    polygon, positive inside; minus infinity where nothing presses on the ground. `tips_over` (...): margin below zero.
    `edge_moments` (..., edges): moment (N m) that keeps the base down about each edge; `edges` names their contacts.
    """

    zero_moment_point: Floats
    margin: Floats
    tips_over: Bools
    edge_moments: Floats
    edges: tuple[tuple[str, str], ...]
    state: State
    rover: Rover
    q: Any

    @cached_property
    def edge_number(self) -> NDArray[np.intp]:
        """(...): the edge over which the base is nearest to tipping, as a number in `edges`."""
        result: NDArray[np.intp] = np.asarray(self.edge_moments.argmin(axis=-1))
        return result

    @property
    def edge(self) -> Any:
        """The edge over which the base is nearest to tipping: names of its two contacts, (..., 2); for one state, a
        pair. Empty names where the state has a NaN.
        """
        pairs = np.array([*self.edges, ("", "")])
        found = pairs[np.where(np.isnan(self.margin), -1, self.edge_number)]
        return found if self.edge_number.ndim else (str(found[0]), str(found[1]))

    @property
    def support_polygon(self) -> Floats:
        """(corners, 2): corners of the support polygon, counterclockwise, in the base frame. Where casters trail, the
        contacts (..., contacts, 2), in the order of the wheels, whose hull it is.
        """
        if self.rover.arrangement.fixed_points:
            return self.state.edges.start
        return self.state.placed.points

    @cached_property
    def edge_angles(self) -> Floats:
        """(..., edges): angle (rad) between the net force and the line from the mass center to the edge, in the plane
        across the edge, positive while it holds (Papadopoulos and Rey): infinite where there is no such edge.
        """
        edges, h = self.state.edges, np.asarray(self.rover.mass_center(self.q))
        push = -self.state.force  # what presses on the ground: gravity, inertia, external forces
        outward = np.stack([edges.along[..., 1], -edges.along[..., 0]], axis=-1)
        sideways = push[..., None, 0] * outward[..., 0] + push[..., None, 1] * outward[..., 1]
        # f . l, with l from the mass center to the edge; the moment n only adds across l.
        reach = edges.inside(h[..., :2])
        along = sideways * np.where(np.isinf(reach), 0.0, reach) - push[..., None, 2] * h[..., None, 2]
        angles = np.arctan2(np.where(np.isinf(self.edge_moments), 0.0, self.edge_moments), along)
        return np.where(np.isinf(self.edge_moments), np.inf, angles)

    @property
    def angle(self) -> Floats:
        """(...): the least of the angles (rad): how far the net force may turn before the base tips."""
        result: Floats = self.edge_angles.min(axis=-1)
        return result

    @cached_property
    def force_angle(self) -> Floats:
        """(...): force-angle measure (N m rad) of Papadopoulos and Rey: the least, over the edges, of the angle times
        the moment that holds the base down (the force times its distance from the edge). Low mass centers and
        heavy bases have more of it; below zero it tips.
        """
        moments = np.where(np.isinf(self.edge_moments), 1.0, np.abs(self.edge_moments))
        result: Floats = (self.edge_angles * moments).min(axis=-1)
        return result

    def plot(self) -> Any:
        """A Plotly figure: the support polygon seen from above, and the zero-moment point of one state or of a row.

        >>> import loadpath as lp
        >>> figure = lp.catalog.lau_rover().stability([0, 0, 0.5]).plot()
        >>> figure.layout.title.text
        'Least margin 0.157 m, over the edge from wheel1 to wheel2'
        """
        from loadpath.mobile.support_plot import support_plot

        return support_plot(self)


def stability(rover: Rover, state: State, q: Any) -> Stability:
    """Margins of a state."""
    vertical = state.vertical
    force = vertical[..., 0]
    pressed: Bools = np.asarray(force > 0)
    safe = np.where(pressed, force, 1.0)
    moments = state.edge_moments()
    least = moments.min(axis=-1)
    margin = np.where(pressed, least / safe, -np.inf)
    point = np.stack([-vertical[..., 2] / safe, vertical[..., 1] / safe], axis=-1) + 0.0
    point = np.where(pressed[..., None], point, np.inf)
    bad: Bools = np.asarray(np.isnan(vertical).any(axis=-1) | np.isnan(state.placed.points).any(axis=(-2, -1)))
    if bad.any():
        margin, point = np.where(bad, np.nan, margin), np.where(bad[..., None], np.nan, point)
    names = rover.contact_names
    first, second = ends_of_edges(state.placed.points)
    pairs = tuple((names[i], names[j]) for i, j in zip(first, second, strict=True))
    return Stability(point, margin, margin < 0, moments, pairs, state, rover, q)


def growth_until_tipping(now: Floats, per_unit: Floats, force: Floats, force_per_unit: Floats) -> Floats:
    """How much of something that acts linearly takes the first edge moment (..., edges), or the force itself, to zero:
    zero where the base tips already, infinite where no amount of it does.
    """
    held = np.concatenate([now, force[..., None]], axis=-1)
    change = np.concatenate([per_unit, force_per_unit[..., None]], axis=-1)
    held, change = np.broadcast_arrays(held, change)
    lessens = (change < 0) & np.isfinite(held)
    until = np.where(lessens, np.maximum(held, 0.0) / np.where(lessens, -change, 1.0), np.inf)
    result: Floats = np.where((held < 0).any(axis=-1), 0.0, until.min(axis=-1))
    bad = np.isnan(held).any(axis=-1) | np.isnan(change).any(axis=-1)
    return np.where(bad, np.nan, result)
