"""What loads the elements of a flexible arm: the wrench at the end of each, and the load along it.

Section 7.1 of Lau's thesis with the load put right (see errata): the end of a piece carries -F_{i+1} and -N_{i+1}, what
the arm beyond exerts on it, not the difference of the wrenches at its two ends; and its own mass loads it
by q(x) = -mu(x) (A + B x), A the acceleration of its start against gravity, B = omegadot x e + omega x (omega x e).

Without what the drive of each link's own joint balances (Lau's chapter 7, assumption 4): along its motion a link is
balanced dynamically, and in all other directions statically. So what drives the joint bends nothing. A joint moves the
points of a beam in certain directions: along its slides s, and along s x e for its turns s, where e runs along the
beam. What a force has along them is left out, and what a torque has along the turns, (7-13) to (7-16), (7-19) and
(7-20). A turn at right angles to the beam leaves of a force across the beam its part along s, which is the printed
(7-15); one along the beam moves no point of it and leaves every force whole. A force along the beam never loads the
drive of a turn, and stays. A load is split where it enters the link: at an end of a piece, or along the line. What it
does further inwards follows from equilibrium, so that a beam in many pieces bends like the same beam in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.formulations.newton_euler import LinkMotion, base_motion, inward, outward
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.joints.base import JointType
from loadpath.robot.mechanism import BASE
from loadpath.scalars import Array, Scalar, array, cross, scale, vector, zeros
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import ElasticElement, ElasticMechanism, ElementLoad
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.line_equations import LineLoad, line_loads

ALONG = 0.01
"""rad: a turn nearer than this to the beam's direction counts as along it. Its drive carries at most 1 % of the moment
of a force across, and angles in files are rounded to "1.57".
"""


class Kept(NamedTuple):
    """What stays of a load, as matrices in beam axes, x along the beam."""

    of_forces: Floats
    of_torques: Floats

    def force(self, v: Array) -> Array:
        """What stays of a force, or of the acceleration that loads a line of mass."""
        return _times(self.of_forces, v)

    def wrench(self, force: Array, torque: Array) -> Wrench:
        """What stays of a force and a torque at one point of the beam."""
        return Wrench(self.force(force), _times(self.of_torques, torque))


def kept_by(motion: JointType, axes: Floats, link: str) -> Kept:
    """What the drive of a joint leaves of the loads on a beam with these axes (columns, in joint axes).

    >>> import numpy as np, loadpath as lp
    >>> kept_by(lp.Revolute(axis=(0, 0, 1)), np.eye(3), "arm").of_forces.diagonal().tolist()
    [1.0, 0.0, 1.0]
    >>> kept_by(lp.Revolute(axis=(1, 0, 0)), np.eye(3), "arm").of_forces.diagonal().tolist()
    [1.0, 1.0, 1.0]
    """
    columns, others = (_columns(motion, step) for step in (0.0, 0.3))
    mixed = any(np.any(turn) and np.any(slide) for turn, slide in columns)
    if mixed or not np.allclose(columns, others, rtol=0, atol=1e-12):
        raise ModelError(f"link '{link}': 'without_driven' is not defined for its {type(motion).__name__} joint, whose "
                         "directions of motion change with the state or with the place on the link: leave it out, or "
                         "make the joint of revolute and prismatic ones")
    e = np.array([1.0, 0.0, 0.0])
    turns = [axes.T @ turn for turn, _ in columns if np.any(turn)]
    slides = [axes.T @ slide for _, slide in columns if np.any(slide)]
    return Kept(_without([np.cross(turn, e) for turn in turns] + slides), _without(turns))


def _columns(motion: JointType, step: float) -> Floats:
    """Turn and slide of each freedom (dof, 2, 3), at the neutral position or a step from it."""
    q = motion.moved(array(motion.neutral()), array([step] * motion.dof))
    return np.array([[part.astype(float) for part in column] for column in motion.subspace(q)])


def _without(directions: list[Floats]) -> Floats:
    """The projection that leaves out the span of some directions."""
    if not directions:
        return np.eye(3)
    basis, sizes, _ = np.linalg.svd(np.array(directions).T, full_matrices=False)
    basis = basis[:, sizes > ALONG]
    kept: Floats = np.eye(3) - basis @ basis.T
    return np.where(np.abs(kept - np.round(kept)) < 1e-14, np.round(kept) + 0.0, kept)


def _times(matrix: Floats, v: Array) -> Array:
    result = zeros(3)
    for i in range(3):
        for k in range(3):
            if matrix[i, k] != 0.0:
                result[i] = result[i] + float(matrix[i, k]) * v[k]
    return result


def elements_without_driven(elements: Sequence[ElasticElement], loads: list[ElementLoad]) -> list[ElementLoad]:
    """The loads of elements, each beam from its tip inwards."""
    result = list(loads)
    next_piece: dict[int, int] = {}
    for i in reversed(range(len(elements))):
        element = elements[i]
        if not element.is_beam or element.motion is None or element.motion.dof == 0:
            continue
        kept = kept_by(element.motion, element.axes.matrix().astype(float), element.link)
        load, j = loads[i], next_piece.get(element.end)
        force, torque = load.P, load.Q
        inner = Wrench(zeros(3), zeros(3))
        if j is not None:  # what enters at this end is what the next piece does not bring
            whole = _at_start(elements[j], loads[j])
            force, torque = force - whole.force, torque - whole.torque
            inner = _at_start(elements[j], result[j])
        entering = kept.wrench(force, torque)
        P, Q = entering.force + inner.force, entering.torque + inner.torque
        result[i] = ElementLoad(P, Q, kept.force(load.A), kept.force(load.B))
        next_piece[element.root] = i
    return result


def _at_start(element: ElasticElement, load: ElementLoad) -> Wrench:
    """What a piece brings to the end of the one before it: its load at its end, and along its line."""
    mass, first, second = element.mass_moments
    on_line = scale(mass, load.A) + scale(first, load.B)
    force = load.P - on_line
    moment: Array = cross(_along(1.0), scale(first, load.A) + scale(second, load.B))
    return Wrench(force, load.Q + cross(_along(element.length), load.P) - moment)


def _along(length: Scalar) -> Array:
    return vector(length, 0.0, 0.0)


def lines_without_driven(lines: Sequence[Line], loads: list[LineLoad]) -> list[LineLoad]:
    """The same for beams in guides: each wrench acts at a station of the beam's axis."""
    result = []
    for line, load in zip(lines, loads, strict=True):
        if line.motion is None or line.motion.dof == 0:
            result.append(load)
            continue
        kept = kept_by(line.motion, line.axes, line.link)
        wrenches = [kept.wrench(*wrench) for wrench in load.wrenches]
        result.append(LineLoad(load.places, wrenches, kept.force(load.A), kept.force(load.B)))
    return result


class ArmLoads(NamedTuple):
    """What loads the parts of an arm."""

    elements: list[ElementLoad]
    lines: list[LineLoad]
    """Of the beams in guides."""
    links: list[LinkMotion]
    """The motion of every body."""
    wrenches: list[Wrench]
    """What holds every body at its joint."""


def arm_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    without_driven: bool = False,
) -> ArmLoads:
    """The load of every element and of every beam in a guide, and the motion of every body.

    `without_driven` leaves out what the drive of each link's own joint balances.
    """
    mechanism = elastic.mechanism
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    given = on_bodies(mechanism, q, external)
    wrenches = inward(mechanism, links, given)
    loads = []
    for element in elastic.elements:
        turn = mechanism.bodies[element.end].turn  # where the element is bent, its end's axes are not its start's
        f, n = (turn @ part for part in wrenches[element.end])
        root = base if element.root == BASE else links[element.root]
        W, oddot = root.W, root.oddot
        A = oddot + W @ element.start
        B = W @ (element.axes @ vector(1.0, 0.0, 0.0))
        loads.append(ElementLoad(*(element.axes.T @ part for part in (-f, -n, A, B))))
    lines = line_loads(elastic, q, links, base, wrenches, given, external)
    if without_driven:
        loads, lines = elements_without_driven(elastic.elements, loads), lines_without_driven(elastic.lines, lines)
    return ArmLoads(loads, lines, links, wrenches)
