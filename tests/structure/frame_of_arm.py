"""A chain of one-freedom joints as a frame of finite elements (`frame_fe`), with its own kinematics and its own
reading of where things are held: only numbers of the model are taken from loadpath.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from frame_fe import Floats, Frame, Properties

import loadpath as lp


@dataclass
class ArmMotion:
    """Of a link's joint frame: pose, angular velocity and acceleration, acceleration of the origin; world axes."""

    R: Floats
    p: Floats
    omega: Floats
    alpha: Floats
    a: Floats

    def acceleration(self, at: Floats) -> Floats:
        arm = at - self.p
        return np.asarray(self.a + np.cross(self.alpha, arm) + np.cross(self.omega, np.cross(self.omega, arm)))


def shift(mass: float, arm: Floats) -> Floats:
    """Inertia tensor of a point mass (Steiner's term)."""
    return np.asarray(mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def turn(axis: Any, angle: float) -> Floats:
    x, y, z = axis
    W = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * W + (1 - np.cos(angle)) * W @ W)


def motions(arm: Any, q: Floats, qd: Floats, qdd: Floats) -> dict[str, ArmMotion]:
    """Of every link's joint frame, by the velocities of rigid bodies in world axes."""
    zero = np.zeros(3)
    found = {arm.base.name: ArmMotion(np.eye(3), zero, zero, zero, zero)}
    offsets = {arm.base.name: (np.eye(3), zero)}
    k = 0
    for joint in arm.joints:
        parent, (Ro, po) = found[joint.parent], offsets[joint.parent]
        R = parent.R @ Ro @ joint.origin.R
        origin = parent.p + parent.R @ (Ro @ joint.origin.p + po)
        omega, alpha, a = parent.omega, parent.alpha, parent.acceleration(origin)
        if isinstance(joint.motion, lp.Revolute):
            e = R @ np.array(joint.motion.axis)
            R = R @ turn(joint.motion.axis, q[k] + joint.motion.zero)
            omega, alpha = omega + e * qd[k], alpha + e * qdd[k] + np.cross(parent.omega, e) * qd[k]
            k += 1
        elif isinstance(joint.motion, lp.Prismatic):
            e = R @ np.array(joint.motion.axis)
            origin = origin + e * q[k]
            a = parent.acceleration(origin) + e * qdd[k] + 2 * np.cross(omega, e) * qd[k]
            k += 1
        else:
            assert isinstance(joint.motion, lp.Fixed)
        found[joint.child] = ArmMotion(R, origin, omega, alpha, a)
        offsets[joint.child] = (joint.link_offset.R, joint.link_offset.p)
    return found


def properties(segment: Any) -> Properties:
    """Of a uniform segment; shear factors are the section's own."""
    m, s = segment.material, segment.section
    E, G, A, rho = m.youngs_modulus, m.shear_modulus, s.area, m.density
    ky, kz = s.shear_factors(m.poisson_ratio)
    Iy, Iz = s.second_moment_y, s.second_moment_z
    return Properties(
        E * A, E * Iy, E * Iz, G * s.torsion_constant, ky * G * A, kz * G * A, rho * A, rho * Iy, rho * Iz
    )


class ArmFrame:
    """The arm in a state as a frame of finite elements; `nodes` are those of its link frames.

    One beam a link at most, from the joint frame's origin. With `rotary` the sections' rotary inertia is on the
    beams and off the lumps (for vibrations).
    """

    def __init__(
        self,
        arm: Any,
        q: Floats,
        qd: Floats | None = None,
        qdd: Floats | None = None,
        *,
        pieces: int = 1,
        rotary: bool = False,
    ) -> None:
        still = np.zeros(arm.n)
        self.arm, self.pieces, self.rotary = arm, pieces, rotary
        self.moves = motions(arm, q, still if qd is None else qd, still if qdd is None else qdd)
        self.frame = Frame()
        self.nodes: dict[str, int] = {}
        self.held: dict[tuple[str, str], int] = {}
        self.lumps: list[tuple[int, str, Floats, float, Floats]] = []
        self.of_beam: list[str] = []
        ground = self.frame.fixed(np.zeros(3))
        compliances = dict(arm.joint_compliances)
        self._link(arm.base.name, ground, lp.Pose())
        for joint in arm.joints:
            move = self.moves[joint.child]
            springs = [
                (np.concatenate([move.R @ d[:3], move.R @ d[3:]]), k)
                for d, k in directions(compliances.get(joint.name), joint)
            ]
            root = self.frame.following(self.held[joint.parent, joint.name], move.p, springs)
            self._link(joint.child, root, joint.link_offset)

    def _link(self, link: str, root: int, offset: lp.Pose) -> None:
        move, beam = self.moves[link], dict(self.arm.beams).get(link)
        body = self.arm.link(link).inertia
        mass, center = body.mass, offset.transform(body.center_of_mass)
        moment = mass * center
        tensor = offset.R @ np.array(body.tensor) @ offset.R.T + shift(mass, center)  # about the joint's origin
        wanted = {"": offset.p} | {j.name: self._point(j, offset) for j in self.arm.joints if j.parent == link}
        lump = root
        if beam is None:
            self.held |= {(link, name): root for name in wanted}
        else:
            end = self.arm.joint(beam.end).origin.translation if isinstance(beam.end, str) else beam.end
            end = offset.transform(end)
            L = float(np.linalg.norm(end))
            e = end / L
            y = np.cross(offset.R[:, 2], e) if beam.y_axis is None else offset.R @ np.array(beam.y_axis)
            z = np.cross(e, y) / np.linalg.norm(np.cross(e, y))
            axes = np.array([e, np.cross(z, e), z]).T
            line = self._line(beam, L, axes)
            mass, moment, tensor = mass - line[0], moment - line[1], tensor - line[2]
            cuts = {name: float(np.clip(point @ e, 0, L)) for name, point in wanted.items()}
            if isinstance(beam.end, str):
                cuts[beam.end] = L
            middle = float(np.clip(moment @ e / mass, 0, L)) if mass > 1e-9 else L / 2
            at = self._beam(link, root, beam, L, axes, [*cuts.values(), middle])
            self.held |= {(link, name): at[min(at, key=lambda m: abs(m - x))] for name, x in cuts.items()}
            lump = at[min(at, key=lambda m: abs(m - middle))]
        self.nodes[link] = self.frame.following(self.held[link, ""], move.p + move.R @ offset.p)
        if mass > 1e-9 and link != self.arm.base.name:
            rest = moment / mass
            about = move.R @ (tensor - shift(mass, rest)) @ move.R.T
            self.lumps.append((lump, link, move.p + move.R @ rest, mass, about))
            self.frame.body(lump, move.p + move.R @ rest, mass, about)

    def _point(self, joint: Any, offset: lp.Pose) -> Floats:
        """What decides where a child is held: its joint's origin, or the mass center of what is welded on."""
        inertia = self.arm.link(joint.child).inertia
        if isinstance(joint.motion, lp.Fixed) and inertia.mass > 0:
            return (offset @ joint.origin @ joint.link_offset).transform(inertia.center_of_mass)
        return offset.transform(joint.origin.translation)

    def _line(self, beam: Any, L: float, axes: Floats) -> tuple[float, Floats, Floats]:
        """Mass of a beam, and its moments about its start."""
        e, start = axes[:, 0], 0.0
        mass, moment, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
        for segment in beam.segments:
            p, length = properties(segment), segment.share * L
            stop = start + length
            mass += p.mass * length
            moment = moment + p.mass * (stop**2 - start**2) / 2 * e
            tensor = tensor + p.mass * (stop**3 - start**3) / 3 * (np.eye(3) - np.outer(e, e))
            if self.rotary:
                own = np.diag([p.rotary_y + p.rotary_z, p.rotary_y, p.rotary_z]) * length
                tensor = tensor + axes @ own @ axes.T
            start = stop
        return mass, moment, tensor

    def _beam(self, link: str, node: int, beam: Any, L: float, axes: Floats, cuts: list[float]) -> dict[float, int]:
        """The nodes along a beam, by the way from its start."""
        move = self.moves[link]
        edges = np.cumsum([0.0, *(segment.share * L for segment in beam.segments)])
        marks = sorted({*cuts, *edges.tolist()})
        marks = [m for k, m in enumerate(marks) if k == 0 or m - marks[k - 1] > 1e-9]
        at = {0.0: node}
        for a, b in pairwise(marks):
            p = properties(beam.segments[int(np.searchsorted(edges, (a + b) / 2) - 1)])
            if not self.rotary:
                p.rotary_y = p.rotary_z = 0.0
            count = max(1, int(np.ceil(self.pieces * (b - a) / L)))
            node = self.frame.beam(node, move.p + move.R @ axes[:, 0] * b, move.R @ axes[:, 1], p, count)
            at[b] = node
        self.of_beam += [link] * (len(self.frame.beams) - len(self.of_beam))
        return at

    def load(self) -> Floats:
        """Nodal forces of weight and inertia in the state."""
        gravity = np.array(self.arm.gravity)
        self.frame.forces.clear()
        for node, link, center, mass, about in self.lumps:
            move = self.moves[link]
            force = -mass * (move.acceleration(center) - gravity)
            torque = -(about @ move.alpha + np.cross(move.omega, about @ move.omega))
            self.frame.force(node, force, torque, center)
        return self.frame.load(lambda beam, at: self.moves[self.of_beam[beam]].acceleration(at) - gravity)

    def deflection(self) -> Floats:
        """(links, 6): displacement and rotation of every link frame."""
        u = np.linalg.solve(self.frame.stiffness(), self.load())
        return np.array([self.frame.B(self.nodes[link]) @ u for link in self.arm.link_names])


def directions(compliance: Any, joint: Any) -> list[tuple[Floats, float]]:
    """Springs of a joint with one axis (drive and tilting) in its own axes, by hand; the axis may not be along y."""
    if compliance is None:
        return []
    found = []
    e = np.array(joint.motion.axis)
    turning = isinstance(joint.motion, lp.Revolute)
    if np.isfinite(compliance.drive[0]):
        found.append((np.concatenate([0 * e, e] if turning else [e, 0 * e]), compliance.drive[0]))
    if np.isfinite(compliance.tilting[0]):
        first = np.cross((0, 1, 0), e)
        first = first / np.linalg.norm(first)
        for direction in (first, np.cross(e, first)):
            found.append((np.concatenate([0 * e, direction]), compliance.tilting[0]))
    return found
