"""A flexible arm as a chain for motion in time: bodies, and steps of rods (or springs) between them.

The cut into bodies and elements is that of statics and vibration. Every piece of a beam is divided further into steps
between the points of Lobatto's rule; its mass sits at these points, which integrates the kinetic energy of polynomials
exactly. What is at the ends of a piece belongs to the bodies there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from loadpath.cached import cached_property, kept
from loadpath.robot.beams.placement import POINTS, WEIGHTS, Stretch
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import ElasticElement
from loadpath.structure.beams.piece_constants import Mass
from loadpath.structure.checks import refuse_guides
from loadpath.structure.quantities import ElasticQuantities
from loadpath.structure.vibration.basis import strains
from loadpath.structure.vibration.mass import ArmParts, Rotary, arm_parts, axes_of, body_lump, rotary
from loadpath.structure.vibration.model import VibrationModel, vibration_model
from loadpath.structure.vibration.pieces import Piece

ON_BODY = -1
"""In the place of a step's number, for what sits on a body."""
TWELVE = 12
"""Numbers of a step's strain: see `rod_step.of_twelve`."""


class RodStep(NamedTuple):
    """A step along a piece of a beam, or the whole of a compliant joint (of length zero)."""

    piece: int
    start: float
    length: float


class MassPoint(NamedTuple):
    """Mass that moves like one body: on a body of the arm, or at the end of a step."""

    body: int
    step: int
    """Number of the step that ends at it, or `ON_BODY`."""
    mass: float
    moment: Floats
    """Mass times mass center, in the axes of the body, or of the beam at the end of the step."""
    tensor: Floats
    """3 x 3, about the point itself."""


@dataclass(frozen=True, eq=False)
class Chain:
    """An arm with its elastic pieces in steps: what the equations of motion are traced on, and their constants.

    A subject of the engine: chains with equal data share compiled code.
    """

    arm: RobotModel
    model: VibrationModel
    counts: tuple[int, ...]
    """For each piece the number of its steps."""

    @property
    def name(self) -> str:
        """Of the arm."""
        return self.arm.name

    @property
    def n(self) -> int:
        """Degrees of freedom of the joints."""
        return self.arm.n

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for; k steps, j columns of joints, m mass points."""
        own = {"k": len(self.steps), "j": len(self.joint_columns), "m": len(self.points)}
        return {**self.arm.sizes, **own}

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that its equations depend on."""
        return *self.arm.defined_by, self.counts

    @property
    def link_names(self) -> tuple[str, ...]:
        """Of the arm."""
        return self.arm.link_names

    def link(self, name: str) -> Link:
        """A link of the arm."""
        return self.arm.link(name)

    @property
    def mechanism(self) -> Mechanism:
        """The bodies."""
        return arm_parts(self.arm).mechanism

    @cached_property
    def steps(self) -> tuple[RodStep, ...]:
        """All steps, piece by piece outwards."""
        found = []
        for k, (piece, count) in enumerate(zip(self.model.pieces, self.counts, strict=True)):
            if piece.stretch is None:
                found.append(RodStep(k, 0.0, 0.0))
            else:
                edges = lobatto(count + 1) * piece.stretch.length
                found += [RodStep(k, float(a), float(b - a)) for a, b in pairwise(edges)]
        return tuple(found)

    @cached_property
    def steps_of(self) -> dict[int, tuple[ElasticElement, list[int]]]:
        """For the body at the end of each element, the element and its steps."""
        found: dict[int, tuple[ElasticElement, list[int]]] = {}
        for number, rod in enumerate(self.steps):
            element = self.model.cut.elements[rod.piece]
            found.setdefault(element.end, (element, []))[1].append(number)
        return found

    @cached_property
    def joint_columns(self) -> tuple[tuple[int, int, int], ...]:
        """For each column of a joint's freedom: body, number within the joint, speed of the robot."""
        return tuple(
            (i, k, body.v.start + k)
            for i, body in enumerate(self.mechanism.bodies)
            if i not in self.steps_of
            for k in range(body.motion.dof)
        )

    @cached_property
    def points(self) -> tuple[MassPoint, ...]:
        """All mass points: bodies with mass or with a link's frame, then the points inside the pieces."""
        cut = arm_parts(self.arm)
        sections = rotary(cut)
        on_bodies, inside = self._line_masses(cut, sections)
        framed = {frame.body for frame in cut.mechanism.link_frames.values()}
        found = []
        for i in range(len(cut.mechanism.bodies)):
            lump = body_lump(cut, i)
            tensor = lump.tensor - sections.given.get(i, np.zeros((3, 3)))
            total = lump._replace(tensor=tensor)
            for mass in on_bodies.get(i, []):
                total = total.plus(mass)
            if i in framed or total.mass != 0 or np.any(total.tensor):
                found.append(MassPoint(i, ON_BODY, float(total.mass), total.moment, total.tensor))
        return tuple(found + inside)

    def _line_masses(self, cut: ArmParts, sections: Rotary) -> tuple[dict[int, list[Mass]], list[MassPoint]]:
        on_bodies: dict[int, list[Mass]] = {}
        inside: list[MassPoint] = []
        for k, piece in enumerate(self.model.pieces):
            stretch, element = piece.stretch, cut.elements[k]
            if stretch is None:
                continue
            numbers = [number for number, rod in enumerate(self.steps) if rod.piece == k]
            masses, inertias = _lobatto_masses(stretch, len(numbers) + 1, cut.shares[k], sections.shares[k])
            axes = axes_of(element)
            ends = (element.root, element.start.astype(float), 0), (element.end, np.zeros(3), -1)
            for body, where, j in ends:
                about = axes @ np.diag(inertias[j]) @ axes.T
                lever = np.dot(where, where) * np.eye(3) - np.outer(where, where)
                mass = Mass(float(masses[j]), masses[j] * where, about + masses[j] * lever)
                on_bodies.setdefault(body, []).append(mass)
            for number, m, moments in zip(numbers, masses[1:-1], inertias[1:-1], strict=False):
                inside.append(MassPoint(element.root, number, float(m), np.zeros(3), np.diag(moments)))
        return on_bodies, inside

    @cached_property
    def paths(self) -> tuple[Floats, Floats]:
        """(points, steps) and (points, columns): one where a step, or a joint's column, moves the mass point."""
        bodies = self.mechanism.bodies
        rows = len(bodies) + 1
        steps, columns = np.zeros((rows, len(self.steps))), np.zeros((rows, len(self.joint_columns)))
        for i, body in enumerate(bodies):  # the last row is the base's, which nothing moves
            steps[i], columns[i] = steps[body.parent], columns[body.parent]
            if i in self.steps_of:
                steps[i, self.steps_of[i][1]] = 1.0
            for number, (of, _, _) in enumerate(self.joint_columns):
                if of == i:
                    columns[i, number] = 1.0
        rows_s, rows_c = [], []
        for point in self.points:
            row = steps[point.body].copy()
            if point.step != ON_BODY:
                piece = self.steps[point.step].piece
                row[[k for k in range(point.step + 1) if self.steps[k].piece == piece]] = 1.0
            rows_s.append(row)
            rows_c.append(columns[point.body])
        shape = len(self.points)
        return np.array(rows_s).reshape(shape, -1), np.array(rows_c).reshape(shape, -1)

    def strain_matrices(self) -> Floats:
        """(steps, 12, size): the strain of every step per unit of each elastic coordinate of the model."""
        return strain_matrices(self.model, self.steps)


@kept(maximum=6)
def chain(arm: ElasticQuantities, effects: tuple[str, ...], order: int) -> Chain:
    """The chain of an arm with `order` polynomials for the bending moments of each beam; kept with the arm."""
    instead = "lock the joint, arm.locked({...}), or ask for its frequencies"
    refuse_guides(arm, "a model of pieces that stay", instead)
    model = vibration_model(arm, effects, order)
    lengths = [beam.length for beam in arm.placed_beams]
    counts = tuple(_steps_of_piece(p, lengths[p.beam] if lengths else 0.0, order) for p in model.pieces)
    return Chain(arm, model, counts)


def _steps_of_piece(piece: Piece, beam_length: float, order: int) -> int:
    """As many along a beam as it has polynomials, at least two on a piece: mass points that integrate the kinetic
    energy of all but the highest shapes exactly, and steps as short as the strains ask for.
    """
    if piece.stretch is None:
        return 1
    return max(2, math.ceil(order * piece.stretch.length / beam_length - 1e-9))


def lobatto(count: int) -> Floats:
    """The points of Lobatto's rule on 0 to 1, both ends included.

    >>> lobatto(3).tolist()
    [0.0, 0.5, 1.0]
    """
    if count == 2:
        return np.array([0.0, 1.0])
    inside = np.real(legendre.legroots(legendre.legder([0.0] * (count - 1) + [1.0])))
    result: Floats = np.concatenate([[0.0], 0.5 * (np.sort(inside) + 1), [1.0]])
    return result


def _lobatto_masses(stretch: Stretch, count: int, share: float, rotary_share: float) -> tuple[Floats, Floats]:
    """Masses (count,) and moments of inertia about x, y, z (count, 3) at the points of a piece, so that integrals of
    polynomials are right for tapered pieces too.
    """
    points = 2 * lobatto(count) - 1
    x, weights = stretch.nodes()
    p = stretch.properties(x)
    # Lagrange's polynomials at Gauss's points: each point stands for the mass where its own polynomial is.
    lagrange = np.linalg.solve(legendre.legvander(points, count - 1).T, legendre.legvander(POINTS, count - 1).T)
    line = share * weights * np.array([p.mass, p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z])
    masses, about_x, about_y, about_z = line @ lagrange.T
    return masses, rotary_share * np.stack([about_x, about_y, about_z], axis=1)


def strain_matrices(model: VibrationModel, steps: tuple[RodStep, ...]) -> Floats:
    """(steps, 12, size): see `rod_step`."""
    result = np.zeros((len(steps), TWELVE, model.size))
    for k, rod in enumerate(steps):
        piece = model.pieces[rod.piece]
        if piece.stretch is None:
            result[k, :6, piece.columns] = piece.twists
            continue
        x = rod.start + 0.5 * rod.length * (POINTS + 1)
        weights = 0.5 * rod.length * WEIGHTS
        values = strains(piece.stretch, x, piece.order, model.effects)
        result[k, :6, piece.columns] = np.einsum("x,xic->ic", weights, values)
        moment = weights * (x - rod.start - 0.5 * rod.length) / rod.length
        result[k, 6:, piece.columns] = np.einsum("x,xic->ic", moment, values)
    return result
