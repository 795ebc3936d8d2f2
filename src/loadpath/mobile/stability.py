"""When a rover tips over: zero-moment point, margins, and how much more payload or acceleration it bears before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.cached import cached_property
from loadpath.in_text import named_rows, parts
from loadpath.mobile.equations import kernel
from loadpath.mobile.friction_by_cause import linear_share
from loadpath.mobile.linked_state import LinkedState, weight_on_joints
from loadpath.mobile.loads import wheel_loads
from loadpath.mobile.motions import motion_of_base, refuse_links
from loadpath.mobile.over_linkage import work_over_linkage
from loadpath.mobile.plot import support_plot
from loadpath.mobile.state import WORTH_COMPILING, State
from loadpath.mobile.support import TURNS, Edges, edge_ends, edges_of, ends_of_edges, zero_moment
from loadpath.mobile.tipping import WholeMotion, across_edges, across_motions, across_rows, carried_motion
from loadpath.mobile.wrench_by_cause import SPIN
from loadpath.printable import printable
from loadpath.quantities.load_index import Cause
from loadpath.scalars.types import Bools, Floats
from loadpath.states import StatesLike, warn_of_unknown

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover


@dataclass(frozen=True, eq=False)
class Stability:
    """Margins against tipping over, for every state.

    `zero_moment_point` (..., 2): where the resultant of the ground's normal forces acts, in the base frame (m);
    infinite where the ground would have to pull. `margin` (...): its distance (m) from the nearest edge of the support
    polygon, positive inside; minus infinity where nothing presses on the ground. `tips_over` (...): margin below zero,
    or not a number: `unknown` (...) says of which states it is not known.
    `edge_moments` (..., edges): moment (N m) that keeps the base down about each edge; `edges` names their contacts.
    Where wheels are on links, an edge is what stays on the ground in a motion of base and passive joints that raises
    the other wheels (`loadpath.mobile.contacts.linked`): two contacts, and one more for each rocker or bogie.

    Beside metres there are joules and radians, each the least over all edges: `energy_margin`, what is left of the work
    that lifts the mass center over an edge when the motion stops dead (`falls`: nothing), and `tilt_margin`, by how
    much the ground may tilt about an edge. `energy_edge` and `tilt_edge` name these edges: they need not be `edge`. See
    `loadpath.mobile.tipping`.
    """

    zero_moment_point: Floats
    margin: Floats
    tips_over: Bools
    edge_moments: Floats
    edges: tuple[tuple[str, ...], ...]
    state: State
    rover: Rover
    q: Floats
    qd: Floats
    loaded: StatesLike | None = None
    """The motion, where it carries loads."""

    def __repr__(self) -> str:
        edges = [" and ".join(names) for names in self.edges]
        said = parts(f"Stability of '{printable(self.rover.name)}'", {
            "zero-moment point": (self.zero_moment_point, "m"), "margin": (self.margin, "m"),
            "tips over": (self.tips_over, "")})
        moments = {"moment that keeps it down (N m)": self.edge_moments}
        return f"{said}\n{named_rows('About every edge', edges, moments)}"

    @property
    def unknown(self) -> Bools:
        """(...): states that are not numbers; they count as tipping over."""
        result: Bools = np.isnan(self.margin)
        return result

    @cached_property
    def edge_number(self) -> NDArray[np.intp]:
        """(...): the edge over which the base is nearest to tipping, as a number in `edges`."""
        result: NDArray[np.intp] = np.asarray(self.edge_moments.argmin(axis=-1))
        return result

    @property
    def edge(self) -> tuple[str, ...] | NDArray[np.str_]:
        """The edge over which the base is nearest to tipping: names of its two contacts, (..., 2); for one state, a
        pair. Empty names where the state has a NaN.
        """
        return self._named(self.edge_number, self.margin)

    def _named(self, number: NDArray[np.intp], margin: Floats) -> tuple[str, ...] | NDArray[np.str_]:
        pairs = np.array([*self.edges, ("",) * len(self.edges[0])])
        names = pairs[np.where(np.isnan(margin), -1, number)]
        return names if number.ndim else tuple(str(name) for name in names)

    @property
    def support_polygon(self) -> Floats:
        """(corners, 2): corners of the support polygon, counterclockwise, in the base frame. Where casters trail and
        swivel from state to state, the contacts (..., contacts, 2), in the order of the wheels, whose hull it is. Where
        wheels are on links, of one state: where the zero-moment point may be with the loads on passive joints as they
        are.
        """
        if self.state.linked is not None:
            return self._region
        points = self.state.one_polygon
        return self.state.placed.points if points is None else edges_of(points).start

    @property
    def _region(self) -> Floats:
        if self.state.count != 1:
            raise ValueError(f"support_polygon: wheels of rover '{self.rover.name}' are on links, and the polygon goes "
                             "with the loads of their joints: ask for one state at a time")
        carried = carried_by_normals(self.state)
        assert carried is not None
        return rows_on_links(self.state).tipping.region(carried[0])

    @cached_property
    def edge_angles(self) -> Floats:
        """(..., edges): angle (rad) between the net force and the line from the mass center to the edge, in the plane
        across the edge, positive while it holds (Papadopoulos and Rey): infinite where there is no such edge.
        """
        return self._over_edges(lambda angles, moments: angles, len(self.edges))

    def _over_edges(self, take: Callable[[Floats, Floats], Floats], *core: int) -> Floats:
        """Something of the edges' angles and moments (s, edges), block by block."""
        refuse_links(self.rover, "edge_angles, angle and force_angle of stability", ": tilt_margin and energy_margin "
                     "are of wheels on links, too")
        state, edges = self.state, len(self.edges)
        result = np.empty((state.count, *core))
        moments, arms = self.edge_moments.reshape(-1, edges), self._arms
        polygon = _polygon(state)
        for some, block in state.blocks():
            h = np.asarray(self.rover.mass_center(arms[some] if arms.ndim > 1 else arms))
            if block.mass_shift is not None:
                h = h + block.mass_shift
            if block.free is not None:
                at = edges_of(block.free.points)
                angles = np.where(at.there, at.angles(block.force, moments[some], h), np.inf)
            elif polygon is None:
                angles = block.compute("edge_angles", block.force, block.torque, h, block.velocity, states=state.count)
            else:
                angles = polygon.angles(block.force, moments[some], h)
            result[some] = take(np.asarray(angles), moments[some])
        return result.reshape((*state.batch, *core))

    @property
    def _arms(self) -> Floats:
        """Coordinates of the arms, one state or all in a row."""
        q, state = np.asarray(self.q, dtype=float), self.state
        return np.broadcast_to(q, (*state.batch, q.shape[-1])).reshape(state.count, q.shape[-1]) if q.ndim > 1 else q

    @cached_property
    def mass_center(self) -> Floats:
        """(..., 3): mass center (m) of base, arms and what they carry, in the base frame; deflected, if that was asked.
        """
        center = np.asarray(self.rover.mass_center(np.asarray(self.q, dtype=float)))
        return center if self.state.mass_shift is None else center + self.state.mass_shift

    @cached_property
    def mass(self) -> Floats:
        """(...): kg, of base, arms and what they carry."""
        own = sum(link.inertia.mass for link in self.rover.robot.links)
        return np.asarray(float(own) if self._carried is None else own + self._carried.mass)

    @cached_property
    def angle(self) -> Floats:
        """(...): the least of the angles (rad): how far the net force may turn before the base tips."""
        return self._over_edges(lambda angles, moments: least_of(angles))

    @cached_property
    def force_angle(self) -> Floats:
        """(...): force-angle measure (N m rad) of Papadopoulos and Rey: the least, over the edges, of the angle times
        the moment that holds the base down (the force times its distance from the edge). Low mass centers and
        heavy bases have more of it; below zero it tips.
        """

        def measure(angles: Floats, moments: Floats) -> Floats:
            return least_of(angles * np.abs(moments))

        return self._over_edges(measure)

    # Joules and radians

    @cached_property
    def over_edges(self) -> tuple[Floats, Floats, Floats]:
        """(..., edges) each: work over the edges (J), what of the kinetic energy moves there (J), and tilts (rad)."""
        state, edges = self.state, len(self.edges)
        found = self._over_polygon() if state.linked is None else self._over_linkage()
        force = np.broadcast_to(state.vertical, (*state.batch, 3))[..., 0].reshape(-1)
        lost = np.where(np.isnan(force) | np.isnan(self.margin.reshape(-1)), np.nan, 0.0)[:, None]
        off = ~(force > 0)[:, None]  # nothing presses on the ground
        work, tilt = (np.where(off & ~np.isinf(part), -np.inf, part) + lost for part in found[::2])
        shape = (*state.batch, edges)
        return work.reshape(shape), found[1].reshape(shape), tilt.reshape(shape)

    def _over_polygon(self) -> tuple[Floats, Floats, Floats]:
        """(count, edges): the same about the edges of the support polygon."""
        state, edges = self.state, len(self.edges)
        work, moving, tilt = (np.empty((state.count, edges)) for _ in range(3))
        moments, polygon, motion = self.edge_moments.reshape(-1, edges), _polygon(state), self._motion
        own = sum(link.inertia.mass for link in self.rover.robot.links)
        arms = self._arms
        for some, block in state.blocks():
            rows = some.stop - some.start
            at = edges_of(np.broadcast_to(block.placed.points, (rows, *block.placed.points.shape[-2:]))
                          ) if polygon is None else polygon
            center = np.asarray(self.rover.mass_center(arms[some] if arms.ndim > 1 else arms))
            center = center if block.mass_shift is None else center + block.mass_shift
            mass = own if self._carried is None else own + self._carried.mass[some, None]
            assert block.gravity is not None
            across = across_edges(at, center, block.gravity)
            with np.errstate(invalid="ignore"):  # pairs of contacts that are no edge have an infinite moment
                tilt[some] = across.tilt(moments[some] / mass - across.holding)
            work[some] = mass * across.work()
            moving[some] = 0.0
            if motion is not None:
                part = motion.rows(some)
                moving[some] = np.where(part.towards(at), part.energy[..., None], 0.0)
            if polygon is None:
                work[some], tilt[some] = (np.where(at.there, part, np.inf) for part in (work[some], tilt[some]))
        return work, moving, tilt

    def _over_linkage(self) -> tuple[Floats, Floats, Floats]:
        """(count, motions): the same through the motions in which a base tips whose wheels are on links."""
        if self._carried is not None:
            raise ValueError(f"margins of stability in joules and radians: rover '{self.rover.name}' has wheels on "
                             "links, and the motion carries loads: with_payload(...) has a load that stays")
        state, rover = self.state, self.rover
        linked = rows_on_links(state)
        tipping, count = linked.tipping, state.count
        assert state.gravity is not None
        gravity = np.array(np.broadcast_to(state.gravity, (*state.batch, 3))).reshape(count, 3)
        mass, center = np.full(count, float(self.mass)), np.asarray(rover.mass_center(linked.q))
        weight = weight_on_joints(rover, linked)
        across = across_motions(tipping.motion, center, -np.swapaxes(weight, -1, -2) / mass[:, None, None], gravity)
        with np.errstate(invalid="ignore"):
            moves = -self.per_gravity.reshape(*tipping.there.shape, 3) / mass[:, None, None]
            leaning = across_rows(tipping.motion, moves, gravity)
            other = self.edge_moments.reshape(tipping.there.shape) / mass[:, None] - leaning.holding
            tilt = np.where(tipping.there & tipping.tilts, leaning.tilt(other), np.inf)
        work = mass[:, None] * across.work() if not linked.lifting else \
            work_over_linkage(rover, linked, tipping, gravity, mass, across.holding)
        work, moving = np.where(tipping.there, work, np.inf), np.zeros(tilt.shape)
        if self._motion is not None:
            towards = self._motion.through(tipping.motion, self._joint_momenta(linked))
            moving = np.where(towards, self._motion.energy[:, None], 0.0)
        return work, moving, tilt

    @cached_property
    def per_gravity(self) -> Floats:
        """(..., edges, 3): kg m, how the moments of the edges grow with gravity along x, y and z of the base; of wheels
        on links, friction being shared by their compliances.
        """
        state, rover = self.state, self.rover
        if state.linked is None:
            at, center, mass = edges_at(state), self.mass_center, self.mass
            down = np.array([0.0, 0.0, -1.0])
            across = across_edges(at, center, down)
            x, y = at.along[..., 0], at.along[..., 1]
            rows = np.stack(np.broadcast_arrays(-y * across.height, x * across.height, -across.reach), axis=-1)
            return np.asarray(np.asarray(mass)[..., None, None] * rows)
        linked = rows_on_links(state)
        weight, center = weight_on_joints(rover, linked), np.asarray(rover.mass_center(linked.q))
        force = np.broadcast_to(-float(self.mass) * np.eye(3), (state.count, 3, 3))
        wrench = np.concatenate([force, np.cross(center[:, None], force), np.swapaxes(weight, -1, -2)], axis=-1)
        causes: tuple[Cause, ...] = (("gravity", ("x",)), ("gravity", ("y",)), ("gravity", ("z",)))
        normal = linear_share(state.rows(slice(None)), causes, wrench).normal
        rows = linked.tipping.motion @ np.swapaxes(normal @ linked.hung.normal_rows, -1, -2)
        return np.asarray(rows.reshape(*state.batch, *rows.shape[1:]))

    def _joint_momenta(self, linked: LinkedState) -> Floats:
        """(count, m): along the passive freedoms: what it would take to give the joints their speeds at once."""
        state, robot = self.state, self.rover.on_fixed_base.tree
        twist = np.broadcast_to(self._twist, (*state.batch, 6)).reshape(state.count, 6)
        qd = np.broadcast_to(np.asarray(self.qd, dtype=float), (*state.batch, self.rover.n))
        qd = qd.reshape(state.count, self.rover.n)
        still = np.zeros_like(qd)
        each = [np.asarray(robot.inverse_dynamics(linked.q, still, speed, gravity=np.zeros(3), base_acceleration=base))
                for speed, base in ((qd, twist), (still, None))]
        return np.asarray(((each[0] - each[1])[:, None] @ linked.directions)[:, 0])

    @property
    def _twist(self) -> Floats:
        """(..., 6): of the base."""
        free = self.state.free
        return motion_of_base(self.state.velocity, np.zeros(3))["base_velocity"] if free is None else free.velocity

    @cached_property
    def _carried(self) -> Any:
        """Mass and motion of the loads that the motion carries, if any."""
        if self.loaded is None:
            return None
        return carried_motion(self.rover, self.loaded, self.state.velocity, "stability")

    @cached_property
    def _motion(self) -> WholeMotion | None:
        """Kinetic energy and momenta, flat over the states; None where nothing moves."""
        state, qd = self.state, np.asarray(self.qd, dtype=float)
        twist = self._twist
        if not twist.any() and not qd.any():
            return None
        method = kernel(self.rover, "whole_motion")
        function = method if state.count >= WORTH_COMPILING else method.uncompiled
        parts = function(np.asarray(self.q, dtype=float), qd, twist)
        flat = [np.broadcast_to(part, state.batch + part.shape[part.ndim - core :]).reshape(
            state.count, *part.shape[part.ndim - core :]) for part, core in zip(parts, (0, 1, 1), strict=True)]
        if self._carried is not None:
            flat = [one + more for one, more in zip(flat, self._carried.motion, strict=True)]
        return WholeMotion(*flat)

    @property
    def edge_energies(self) -> Floats:
        """(..., edges): work (J) that lifts the mass center over each edge under gravity as it acts, as one rigid body
        (Messuri and Klein), less the kinetic energy where the state moves towards that edge. Negative where the mass
        center is beyond the edge, or the motion could carry it over; infinite where there is no such edge.
        """
        work, moving, _ = self.over_edges
        return work - moving

    @property
    def edge_tilts(self) -> Floats:
        """(..., edges): angle (rad) by which the ground may tilt about each edge, base and arms moving on it as they
        do, before the base tips; of a state at rest these are the `edge_angles`.
        """
        return self.over_edges[2]

    @cached_property
    def energy_margin(self) -> Floats:
        """(...): J, the least of `edge_energies`: what is left if the motion stops dead at that edge, its contacts held
        there (wheels locked, a kerb) and the rover turning over it as one rigid body. The whole kinetic energy is
        counted, of which an impact or sliding takes a part: so where it is positive, the rover does not fall unless
        something goes on pushing.
        """
        return least_of(self.edge_energies)

    @cached_property
    def tilt_margin(self) -> Floats:
        """(...): rad, the least of `edge_tilts`: below zero it tips."""
        return least_of(self.edge_tilts)

    @property
    def falls(self) -> Bools:
        """(...): whether it may fall over if its motion stops dead in this state: `energy_margin` below zero, or not a
        number. `tips_over` says whether contacts lift while the motion goes on: what tips may only rock.

        >>> import loadpath as lp
        >>> wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.35, 0.35) for y in (-0.4, 0.4)]
        >>> cart = lp.WheeledBase(mass=100, center_of_mass=(0, 0, 0.9), wheels=wheels).carrying()
        >>> cart.stability(velocity=([0.3, 1.0, 1.5], 0.0)).falls.tolist()               # v^2 / 2 against 0.643 J/kg
        [False, False, True]
        """
        result: Bools = np.asarray(~(self.energy_margin >= 0))
        return result

    @property
    def energy_edge(self) -> tuple[str, ...] | NDArray[np.str_]:
        """The edge of the least energy: names of its two contacts, as of `edge`."""
        return self._named(np.asarray(self.edge_energies.argmin(axis=-1)), self.energy_margin)

    @property
    def tilt_edge(self) -> tuple[str, ...] | NDArray[np.str_]:
        """The edge about which the ground may tilt least: names of its two contacts, as of `edge`."""
        return self._named(np.asarray(self.edge_tilts.argmin(axis=-1)), self.tilt_margin)

    def _repr_html_(self) -> str:
        edges = [[" to ".join(names), html.ranged(moments)]
                 for names, moments in zip(self.edges, self.edge_moments.reshape(-1, len(self.edges)).T, strict=True)
                 if np.isfinite(moments).any()]
        count, tipping, unknown = self.margin.size, int(self.tips_over.sum()), int(self.unknown.sum())
        tilts = np.degrees(np.ravel(self.tilt_margin))
        more = f", {html.ranged(np.ravel(self.energy_margin))} J, {html.ranged(tilts)}°"
        words = f"margin {html.ranged(np.ravel(self.margin))} m{more}; tips over in {tipping} of {count} states"
        note = f"{unknown} of them are not numbers" if unknown else ""
        return html.table(f"Stability: {words}", ["edge", "moment that holds it down (N m)"], edges, note=note)

    def plot(self) -> Figure:
        """A Plotly figure: the support polygon seen from above, and the zero-moment point of one state or of a row.

        >>> import loadpath as lp
        >>> figure = lp.catalog.lau_rover().stability([0, 0, 0.5]).plot()
        >>> figure.layout.title.text
        'Least margin 0.157 m, over the edge from wheel1 to wheel2'
        """
        return support_plot(self)


def stability(
    rover: Rover, state: State, q: Floats, qd: Floats, loaded: StatesLike | None = None
) -> Stability:
    """Margins of a state. Where contacts are on links, edges are the contacts that stay on the ground in a tipping
    motion, and the moment is what holds against it, about the axis about which the base turns.
    """
    pairs, vertical = edge_names(state), carried_by_normals(state)
    moments = edge_moments_of(state, vertical)
    margin, point = np.empty(state.count), np.empty((state.count, 2))
    flat = moments.reshape(-1, len(pairs))
    for some, block in state.blocks():
        load = block.vertical if vertical is None else vertical[some, :3]
        margin[some], point[some] = zero_moment(load, least_of(flat[some]))
    if state.free is not None:  # where it turns over an edge, the margin is none, to rounding
        margin = np.where(np.abs(margin) <= TURNS * rover.arrangement.size, 0.0, margin)
    holds = margin >= 0 if state.free is None else margin > 0
    tips: Bools = np.asarray(~holds.reshape(state.batch))
    return Stability(
        point.reshape(*state.batch, 2), margin.reshape(state.batch), tips, moments, pairs, state, rover, q, qd, loaded
    )


def _polygon(state: State) -> Edges | None:
    """The edges where one support polygon serves all states; None where contacts move from state to state."""
    return None if state.one_polygon is None else edges_of(state.one_polygon)


def edge_names(state: State) -> tuple[tuple[str, ...], ...]:
    """Names of the contacts of each edge: where it begins and ends; of wheels on links, all that stay on the ground."""
    names = state.rover.contact_names
    if state.linked is not None:
        return tuple(tuple(names[k] for k in members) for members in rows_on_links(state).tipping.members)
    polygon = _polygon(state)
    ends = ends_of_edges(state.free.points) if state.free is not None else \
        edge_ends(state.rover.arrangement) if polygon is None else (polygon.first, polygon.second)
    return tuple((names[i], names[j]) for i, j in zip(*ends, strict=True))


def rows_on_links(state: State) -> LinkedState:
    """The contacts of states in a row, some of them on links."""
    linked = state.rows(slice(None)).linked
    assert linked is not None
    if not linked.touching.all():
        lifted = state.rover.contact_names[int(np.flatnonzero(~linked.touching.all(axis=0))[0])]
        raise ValueError(f"stability: contact '{lifted}' of rover '{state.rover.name}' does not touch the ground, and "
                         "margins of wheels on links are those of all wheels on it: wheel_loads has the loads")
    return linked


def carried_by_normals(state: State) -> Floats | None:
    """(count, 3 + m): F_z, N_x, N_y, and what the normal forces give the passive joints that they hold, where wheels
    are on links: friction gives these joints something, too. None where they carry all of F_z, N_x, N_y.
    """
    if state.linked is None:
        return None
    normal = wheel_loads(state.rover, state).normal.reshape(state.count, len(state.rover.contact_names))
    return np.asarray(np.einsum("sc,scr->sr", normal, rows_on_links(state).hung.normal_rows))


def edges_at(state: State) -> Edges:
    """The edges of all states: those of one polygon, or of the contacts (..., contacts, 2) of each."""
    polygon = _polygon(state)
    if polygon is not None:
        return polygon
    points = state.placed.points
    return edges_of(np.broadcast_to(points, (*state.batch, *points.shape[-2:])))


def edge_moments_of(state: State, carried: Floats | None = None) -> Floats:
    """Moments (..., edges) that keep the base down about the edges (N m). `carried` is as `carried_by_normals` has it,
    if that is known.
    """
    if state.linked is not None:
        tipping, held = rows_on_links(state).tipping, carried_by_normals(state) if carried is None else carried
        assert held is not None
        return tipping.moments(held).reshape(*state.batch, len(tipping.members))
    if state.free is not None:
        return edges_of(state.free.points).moments(state.free.vertical)
    polygon = _polygon(state)
    count = len(edge_ends(state.rover.arrangement)[0]) if polygon is None else len(polygon.first)
    result = np.empty((state.count, count))
    for some, block in state.blocks():
        if polygon is None:
            result[some] = block.compute("edge_moments", block.force, block.torque, block.velocity, states=state.count)
        else:
            result[some] = polygon.moments(block.vertical)
    return result.reshape(*state.batch, count)


def moments_without_limits(state: State) -> Floats:
    """The same with friction shared by compliances, whatever it would take, which counts where wheels are on links."""
    if state.linked is None or state.free is not None:
        return edge_moments_of(state)
    rows, linked = state.rows(slice(None)), rows_on_links(state)
    parts = [np.broadcast_to(part, (state.count, 3)) for part in (rows.force, rows.torque)]
    acting = np.concatenate([*parts, linked.load], axis=-1)[:, None]
    normal = linear_share(rows, (SPIN,), acting).normal[:, 0]
    return edge_moments_of(state, np.asarray(np.einsum("sc,scr->sr", normal, linked.hung.normal_rows)))


def least_of(values: Floats) -> Floats:
    """The least (...) of each row of a few values (..., k); NaN where there is one. Faster than `min` of short rows."""
    result = values[..., 0].copy()
    for k in range(1, values.shape[-1]):
        np.minimum(result, values[..., k], out=result)
    return result


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


def until_tipping(now: State, with_one_unit: State, caller: str) -> Floats:
    """How many such units more until the rover tips; states that are not numbers are named."""
    held, then = moments_without_limits(now), moments_without_limits(with_one_unit)
    with np.errstate(invalid="ignore"):  # pairs of contacts that are no edge have no moment, an infinite one
        change = np.where(np.isinf(held), 0.0, then - held)
    most = growth_until_tipping(held, change, now.force[..., 2], with_one_unit.force[..., 2] - now.force[..., 2])
    warn_of_unknown(np.isnan(most), caller, "NaN there")
    return most
