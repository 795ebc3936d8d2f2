"""What it takes to turn a rover over an edge of its support polygon: work, and tilt of the ground.

In the plane across an edge, r = (reach, height) goes from the edge to the mass center: reach to the inside along the
ground, height along its normal. There gravity, as it acts on the base (on a slope, at its heading), has the components
`inward` and -`down`, of the size G. With the lever |r|,

    G |r| sin(alpha) = down reach + inward height      what holds the base down, per kg,
    G |r| cos(alpha) = down height - inward reach      its potential over the edge.

A rigid rover that turns over the edge carries its mass center to the potential G |r| and falls from there. So the work
is m G |r| (1 - cos alpha), Messuri and Klein's energy stability margin (1985), and without other loads the ground may
tilt about the edge by alpha, the force-angle of Papadopoulos and Rey (2000). Loads that do not turn with gravity (the
motion of base and arms, wrenches) with the moment M about the edge leave it M / m G |r| = sin(tilt - alpha).

All of it is about gravity and one edge. What is pushed over by forces that go on acting is said by the zero-moment
point; what has kinetic energy T and stops dead at an edge, its contacts held there, has no more than T for the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.mobile.ground_wrench import SPATIAL, RoverMechanism, wrench_per_acceleration
from loadpath.mobile.motions import motion_of_base
from loadpath.mobile.support import Edges, inside
from loadpath.scalars import Array, Scalar, array
from loadpath.scalars.types import Bools, Floats
from loadpath.states.carried import placed
from loadpath.states.reading import Joints, loads_of, read_motion

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_ROUNDING = 1e-12
"""Share of a momentum about an edge below which it is rounding."""


class AcrossEdge(NamedTuple):
    """Mass center and gravity in the planes across edges, (..., edges) each: m and m/s^2."""

    reach: Floats
    height: Floats
    inward: Floats
    down: Floats

    @property
    def holding(self) -> Floats:
        """What keeps the base down, m^2/s^2: its moment about the edge per kg."""
        return self.down * self.reach + self.inward * self.height

    @property
    def potential(self) -> Floats:
        """J/kg over the edge."""
        return self.down * self.height - self.inward * self.reach

    @property
    def top(self) -> Floats:
        """J/kg: the largest potential, straight over the edge."""
        return np.hypot(self.reach, self.height) * np.hypot(self.inward, self.down)

    def work(self) -> Floats:
        """J/kg that it takes over the edge; where it is beyond it already, less what would bring it back.

        >>> level = AcrossEdge(*(np.array(x) for x in (0.3, 0.4, 0.0, 10.0)))
        >>> float(level.work().round(12))                                     # g (0.5 m - 0.4 m)
        1.0
        """
        holding, potential, top = self.holding, self.potential, self.top
        # top^2 = potential^2 + holding^2: without a difference of nearly equal numbers where that can be.
        above = potential > 0
        work = np.where(above, holding**2 / np.where(above, top + potential, 1.0), top - potential)
        return np.asarray(np.where(holding < 0, -work, work))

    def tilt(self, other: Floats) -> Floats:
        """rad by which the ground may tilt about the edge, with another moment per kg that does not turn with gravity:
        infinite where no tilt tips it, minus infinity where none keeps it.
        """
        some = self.top > 0
        without = np.where(other == 0, 0.0, np.copysign(np.inf, other))
        share = np.where(some, other / np.where(some, self.top, 1.0), without)
        bounded = np.arctan2(self.holding, self.potential) + np.arcsin(np.clip(share, -1.0, 1.0))
        return np.asarray(np.where(share > 1, np.inf, np.where(share < -1, -np.inf, bounded)))


def across_edges(edges: Edges, center: Floats, gravity: Floats) -> AcrossEdge:
    """Mass centers (..., 3) and gravity (..., 3), in base axes, across the edges."""
    x, y = edges.along[..., 0], edges.along[..., 1]
    reach = np.asarray(inside((x, y), (edges.start[..., 0], edges.start[..., 1]), center[..., None, 0],
                              center[..., None, 1]))
    height, down = center[..., 2, None], -gravity[..., 2, None]
    inward = x * gravity[..., 1, None] - y * gravity[..., 0, None]
    return AcrossEdge(*np.broadcast_arrays(reach, height, inward, down))


def across_motions(motion: Floats, center: Floats, joints: Floats, gravity: Floats) -> AcrossEdge:
    """The same of motions (s, k, r) of base and passive joints, which move mass centers (s, 3) on the base, and by
    `joints` (s, 3, m) per unit of the passive freedoms. There the mass center does not go round a circle; holding and
    its change with a tilt are those of its velocity.
    """
    h, a, b = (motion[..., k] for k in range(3))
    x, y, z = (center[:, None, k] for k in range(3))
    moves = motion[..., 3:] @ np.swapaxes(joints[..., : motion.shape[-1] - 3], -1, -2)
    return across_rows(motion, np.stack([b * z, -a * z, h + a * y - b * x], axis=-1) + moves, gravity)


def across_rows(motion: Floats, moves: Floats, gravity: Floats) -> AcrossEdge:
    """The same from what gravity works along: velocities (s, k, 3) in these motions."""
    a, b = motion[..., 1], motion[..., 2]
    g = [gravity[:, None, k] for k in range(3)]
    return AcrossEdge(*np.broadcast_arrays(moves[..., 2], b * moves[..., 0] - a * moves[..., 1], a * g[1] - b * g[0],
                                           -g[2]))


class WholeMotion(NamedTuple):
    """The motion of base and robots together: kinetic energy (J), momentum and angular momentum about O (3), in base
    axes.
    """

    energy: Floats
    momentum: Floats
    angular: Floats

    def rows(self, some: slice) -> WholeMotion:
        """Some of the states in a row."""
        return WholeMotion(*(part[some] for part in self))

    def through(self, motion: Floats, joints: Floats) -> Bools:
        """(s, k): whether it moves through tipping motions (s, k, r) of base and passive joints, with the momenta
        (s, m) of these, or its mass center to their outside.
        """
        whole = np.concatenate([self.momentum[:, 2:], self.angular[:, :2], joints[:, : motion.shape[-1] - 3]], axis=-1)
        through = (motion @ whole[..., None])[..., 0]
        outward = motion[..., 2] * self.momentum[:, None, 0] - motion[..., 1] * self.momentum[:, None, 1]
        size = np.linalg.norm(self.momentum, axis=-1)[:, None]
        turning = np.linalg.norm(motion, axis=-1) * np.linalg.norm(whole, axis=-1)[:, None]
        return np.asarray((through > _ROUNDING * turning) | (outward > _ROUNDING * size))

    def towards(self, edges: Edges) -> Bools:
        """(..., edges): whether it moves over an edge: its mass center to the outside, or turning about the edge."""
        x, y = edges.along[..., 0], edges.along[..., 1]
        px, py, pz = (self.momentum[..., None, k] for k in range(3))
        hx, hy = (self.angular[..., None, k] for k in range(2))
        about = x * hx + y * hy - pz * (x * edges.start[..., 1] - y * edges.start[..., 0])
        outward = y * px - x * py
        size = np.linalg.norm(self.momentum, axis=-1)[..., None]
        turning = np.linalg.norm(self.angular, axis=-1)[..., None] + size * np.abs(edges.start).max()
        return np.asarray((about > _ROUNDING * turning) | (outward > _ROUNDING * size))


def whole_motion(rover: RoverMechanism, q: Array, qd: Array, twist: Array) -> tuple[Scalar, Array, Array]:
    """Kinetic energy, momentum and angular momentum about O, in base axes, of base, robots and wheels that spin as they
    do rolling on the plane; over scalars. The twist (6) is that of the base.
    """
    mechanism, on_plane = rover.mechanism, array([twist[0], twist[1], twist[5]])
    A = wrench_per_acceleration(rover, q)
    p = A @ array([*twist, *qd])
    energy = 0.5 * (twist @ p)
    if mechanism.n:
        energy = energy + 0.5 * (twist @ (A[:, SPATIAL:] @ qd) + qd @ (mass_matrix(mechanism, q) @ qd))
    angular = [p[3], p[4], p[5]]
    for spin in rover.spins:
        b = array(spin.rate) @ on_plane
        x, y = spin.forward
        energy = energy + 0.5 * spin.inertia * b * b
        angular = [angular[0] - spin.inertia * b * y, angular[1] + spin.inertia * b * x, angular[2]]
    return energy, array([p[0], p[1], p[2]]), array(angular)


def whole_inertia(rover: RoverMechanism, q: Array) -> Array:
    """(3, 3): inertia tensor of base and robots as one rigid body about O, in base axes; over scalars."""
    return wrench_per_acceleration(rover, q)[3:, 3:SPATIAL]


class CarriedMotion(NamedTuple):
    """What the loads of a motion add, sample by sample: their mass (kg), and the motion of it."""

    mass: Floats
    motion: WholeMotion


def carried_motion(rover: Rover, motion: Any, velocity: Floats, caller: str) -> CarriedMotion:
    """Mass and motion of the loads that a motion carries on a base with velocities (..., 3)."""
    states = read_motion(Joints.of(rover), motion, caller, counts_loads=True)
    q, qd, times = (np.asarray(part, dtype=float) for part in (states.q, states.qd, states.times))
    count, robot = len(times), rover.robot
    twist = motion_of_base(np.broadcast_to(velocity, (count, 3)), np.zeros(3))["base_velocity"]
    mass, energy, linear, angular = np.zeros(count), np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3))
    moving = robot.link_velocities(q, qd, base_velocity=twist)
    poses = np.asarray(robot.link_poses(q))
    for load in placed(loads_of(motion), robot, motion):
        rows, k = np.flatnonzero(load.at(times)), robot.link_names.index(str(load.link))
        R, origin = poses[rows, k, :3, :3], poses[rows, k, :3, 3]
        arm, w = R @ np.array(load.center_of_mass), moving.angular[rows, k]
        v = moving.linear[rows, k] + np.cross(w, arm)
        spin = np.einsum("sij,jk,slk,sl->si", R, np.array(load.inertia), R, w)
        mass[rows] += load.mass
        energy[rows] += 0.5 * load.mass * (v * v).sum(axis=-1) + 0.5 * (w * spin).sum(axis=-1)
        linear[rows] += load.mass * v
        angular[rows] += np.cross(origin + arm, load.mass * v) + spin
    return CarriedMotion(mass, WholeMotion(energy, linear, angular))
