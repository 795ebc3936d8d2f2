"""A chain whose links slide in guides as a frame of finite elements with sliding constraints (Lagrange multipliers).

Only numbers of the model are taken from loadpath. A link that slides is a free body or a beam with a free start; its
pads are constraints between points of the two links: equal displacement in two directions across, and in one of them
along the slide, and an equal turn about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from frame_fe import Floats, Frame, element_stiffness, shape_functions
from frame_of_arm import ArmMotion, motions, properties, shift

import loadpath as lp


@dataclass
class Pads:
    """Of a guided joint: the pads' points in the world, and the direction of the slide."""

    tail: Floats
    front: Floats
    axis: Floats
    guide: Any


@dataclass
class GuidedFrame:
    """The arm in a state; `nodes` are those of its link frames. One beam a link at most, pieces of it are uniform."""

    arm: Any
    q: Floats
    qd: Floats
    qdd: Floats
    pieces: int = 1
    frame: Frame = field(default_factory=Frame)
    nodes: dict[str, int] = field(default_factory=dict)
    along: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """For each link with a beam: its nodes by their distance from the beam's start."""
    root: dict[str, int] = field(default_factory=dict)
    """Nodes of the links without a beam."""
    constraints: list[tuple[Any, Floats, Floats, dict[str, tuple[int, int]]]] = field(default_factory=list)
    lumps: list[tuple[int, str, Floats, float, Floats]] = field(default_factory=list)
    of_beam: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        arm = self.arm
        self.moves: dict[str, ArmMotion] = motions(arm, self.q, self.qd, self.qdd)
        beams = dict(arm.beams)
        guides = dict(arm.guides)
        for joint in arm.joints:
            if joint.child in beams and beams[joint.child].guide is not None:
                guides[joint.name] = beams[joint.child].guide
        self.pads = {joint.name: self._pads(joint, guides[joint.name]) for joint in arm.joints if joint.name in guides}
        slides = []
        self._link(arm.base.name, self.frame.fixed(np.zeros(3)), lp.Pose())
        for joint in arm.joints:
            move = self.moves[joint.child]
            if joint.name not in self.pads:
                root = self.frame.following(self._held(joint.parent, self._point(joint)), move.p)
                self._link(joint.child, root, joint.link_offset)
                continue
            self._link(joint.child, None, joint.link_offset)
            slides.append(joint)
        for joint in slides:
            self._constrain(joint, self.pads[joint.name])

    def _offset(self, link: str) -> lp.Pose:
        return next((j.link_offset for j in self.arm.joints if j.child == link), lp.Pose())

    def _pads(self, joint: Any, guide: Any) -> Pads:
        move = self.moves[joint.child]
        parent, offset = self.moves[joint.parent], self._offset(joint.parent)
        zero = parent.p + parent.R @ (offset.R @ joint.origin.p + offset.p)  # where the joint frame is at q = 0
        axis = move.R @ np.array(joint.motion.axis)
        if guide.at is None:
            return Pads(move.p + axis * guide.tail, zero + axis * guide.front, axis, guide)
        center = (move.p if guide.pads_on == "child" else zero) + axis * guide.at
        half = 0.5 * (guide.spacing or 0.0)
        return Pads(center - axis * half, center + axis * half, axis, guide)

    def _line(self, link: str) -> tuple[Any, Floats, Floats, float] | None:
        """A link's beam: start and direction in the world, length."""
        beam = dict(self.arm.beams).get(link)
        if beam is None:
            return None
        move, offset = self.moves[link], self._offset(link)
        start = np.zeros(3) if beam.start is None else offset.transform(beam.start)
        end = offset.transform(self.arm.joint(beam.end).origin.translation if isinstance(beam.end, str) else beam.end)
        L = float(np.linalg.norm(end - start))
        return beam, move.p + move.R @ start, move.R @ (end - start) / L, L

    def _point(self, joint: Any) -> Floats:
        """What decides where a child is held: its joint's origin, or the mass center of what is welded on; world."""
        parent, offset = self.moves[joint.parent], self._offset(joint.parent)
        inertia = self.arm.link(joint.child).inertia
        at = offset.transform(joint.origin.translation)
        if isinstance(joint.motion, lp.Fixed) and inertia.mass > 0:
            at = (offset @ joint.origin @ joint.link_offset).transform(inertia.center_of_mass)
        return parent.p + parent.R @ at

    def _held(self, link: str, point: Floats) -> int:
        """The node of a link that is nearest to a point."""
        if link not in self.along:
            return self.root[link]
        _, start, e, L = self._line(link)  # type: ignore[misc]
        x = float(np.clip((point - start) @ e, 0, L))
        return min(self.along[link], key=lambda mark: abs(mark[0] - x))[1]

    def _link(self, link: str, root: int | None, offset: lp.Pose) -> None:
        move, line = self.moves[link], self._line(link)
        body = self.arm.link(link).inertia
        mass, center = body.mass, offset.transform(body.center_of_mass)
        moment = mass * center
        tensor = offset.R @ np.array(body.tensor) @ offset.R.T + shift(mass, center)
        if line is None:
            self.root[link] = self.frame.free(move.p) if root is None else root
            self._lump(link, self.root[link], mass, moment, tensor)
            self.nodes[link] = self.frame.following(self.root[link], move.p + move.R @ offset.p)
            return
        beam, start, e, L = line
        first = move.R.T @ (start - move.p)
        direction = move.R.T @ e
        for segment, a, b in self._segments(beam, L):
            mu, n = properties(segment).mass, b - a
            middle, half = first + direction * (a + b) / 2, n / 2
            own = mu * n * half**2 / 3 * (np.eye(3) - np.outer(direction, direction))
            mass, moment = mass - mu * n, moment - mu * n * middle
            tensor = tensor - own - shift(mu * n, middle)
        points = [self._point(j) for j in self.arm.joints if j.parent == link and j.name not in self.pads]
        points.append(move.p + move.R @ offset.p)
        if mass > 1e-9:
            points.append(move.p + move.R @ moment / mass)
        for joint in self.arm.joints:
            if joint.name in self.pads and link in (joint.parent, joint.child):
                points += [self.pads[joint.name].tail, self.pads[joint.name].front]
        cuts = [float(np.clip((point - start) @ e, 0, L)) for point in points]
        begin = self.frame.free(start) if root is None else self.frame.following(root, start)
        y = np.cross(offset.R[:, 2], direction) if beam.y_axis is None else offset.R @ np.array(beam.y_axis)
        if np.linalg.norm(y) < 1e-6:
            y = offset.R[:, 0]
        self._beam(link, begin, line, cuts, move.R @ y)
        if mass > 1e-9:
            self._lump(link, self._held(link, move.p + move.R @ moment / mass), mass, moment, tensor)
        frame = move.p + move.R @ offset.p
        self.nodes[link] = self.frame.following(self._held(link, frame), frame)

    def _lump(self, link: str, node: int, mass: float, moment: Floats, tensor: Floats) -> None:
        if mass > 1e-9 and link != self.arm.base.name:
            move, rest = self.moves[link], moment / mass
            about = move.R @ (tensor - shift(mass, rest)) @ move.R.T
            self.lumps.append((node, link, move.p + move.R @ rest, mass, about))

    @staticmethod
    def _segments(beam: Any, L: float) -> list[tuple[Any, float, float]]:
        edges = np.cumsum([0.0, *(segment.share * L for segment in beam.segments)])
        return [(segment, a, b) for segment, (a, b) in zip(beam.segments, pairwise(edges), strict=True)]

    def _beam(self, link: str, node: int, line: Any, cuts: list[float], y: Floats) -> None:
        beam, start, e, L = line
        segments = self._segments(beam, L)
        marks = sorted({*cuts, 0.0, *(b for _, _, b in segments)})
        marks = [m for k, m in enumerate(marks) if k == 0 or m - marks[k - 1] > 1e-9]
        self.along[link] = [(0.0, node)]
        for a, b in pairwise(marks):
            segment = next(s for s, low, high in segments if low - 1e-9 < (a + b) / 2 < high + 1e-9)
            p = properties(segment)
            p.rotary_y = p.rotary_z = 0.0
            count = max(1, int(np.ceil(self.pieces * (b - a) / L)))
            node = self.frame.beam(node, start + e * b, y, p, count)
            self.along[link].append((b, node))
        self.of_beam += [link] * (len(self.frame.beams) - len(self.of_beam))

    def _constrain(self, joint: Any, pads: Pads) -> None:
        """Pads act on the axis of the inner beam (of a rigid link: on the joint's axis)."""
        line, guide = self._line(joint.child), pads.guide
        across = np.linalg.svd(pads.axis[None])[2][1:]
        points = {"tail": pads.tail, "front": pads.front}
        if line is not None:
            _, start, e, _ = line
            points = {name: start + e * ((point - start) @ e) for name, point in points.items()}
        apart = {}
        for name, point in points.items():
            inner = self.frame.following(self._held(joint.child, point), point)
            outer = self.frame.following(self._held(joint.parent, point), point)
            apart[name] = inner, outer
        self.constraints.append((guide, pads.axis, across, apart))

    def matrices(self) -> tuple[Floats, Floats]:
        """Stiffness, and the rows of the constraints."""
        rows = []
        for guide, axis, across, apart in self.constraints:
            gaps = {name: self.frame.B(inner) - self.frame.B(outer) for name, (inner, outer) in apart.items()}
            if guide.at is not None and guide.spacing is None:
                rows += list(gaps["tail"])
                continue
            rows += [direction @ gap[:3] for gap in gaps.values() for direction in across]
            rows += [axis @ gaps[guide.along][:3], axis @ gaps[guide.torsion][3:]]
        return self.frame.stiffness(), np.array(rows).reshape(-1, self.frame.freedoms)

    def load(self) -> Floats:
        gravity = np.array(self.arm.gravity)
        self.frame.forces.clear()
        for node, link, center, mass, about in self.lumps:
            move = self.moves[link]
            force = -mass * (move.acceleration(center) - gravity)
            torque = -(about @ move.alpha + np.cross(move.omega, about @ move.omega))
            self.frame.force(node, force, torque, center)
        return self.frame.load(lambda beam, at: self.moves[self.of_beam[beam]].acceleration(at) - gravity)

    def solve(self, load: Floats) -> Floats:
        K, C = self.matrices()
        n, m = len(K), len(C)
        size = float(np.abs(K).max())
        whole = np.block([[K / size, C.T], [C, np.zeros((m, m))]])
        return np.asarray(np.linalg.solve(whole, np.concatenate([load / size, np.zeros(m)]))[:n])

    def deflection(self, external: dict[str, Floats] | None = None) -> Floats:
        """(links, 6): displacement and rotation of every link frame; `external` are wrenches on link frames, world."""
        load = self.load()
        for link, wrench in (external or {}).items():
            load = load + self.frame.B(self.nodes[link]).T @ wrench
        self.u = self.solve(load)
        return np.array([self.frame.B(self.nodes[link]) @ self.u for link in self.arm.link_names])

    def compliance(self, link: str) -> Floats:
        B = self.frame.B(self.nodes[link])
        return np.array([B @ self.solve(row) for row in B]).T

    def actions(self, link: str, x: float, after: bool) -> Floats:
        """Force and moment in the section of a link's beam at a node, exerted by the part beyond, in beam axes."""
        _, start, e, _ = self._line(link)  # type: ignore[misc]
        for number, (a, b, p, y) in enumerate(self.frame.beams):
            if self.of_beam[number] != link:
                continue
            here = a if after else b
            if abs((self.frame.positions[here] - start) @ e - x) < 1e-7:
                T, L = self.frame._axes(a, b, y)
                u = T @ np.concatenate([self.frame.B(a) @ self.u, self.frame.B(b) @ self.u])
                forces = element_stiffness(p, L) @ u
                gravity = np.array(self.arm.gravity)
                for s, w in zip(0.5 * (G[0] + 1), 0.5 * L * G[1], strict=True):
                    at = (1 - s) * self.frame.positions[a] + s * self.frame.positions[b]
                    q = -p.mass * (self.moves[link].acceleration(at) - gravity)
                    forces -= shape_functions(p, L, s)[:3].T @ (T[:3, :3] @ q) * w
                return -forces[:6] if after else forces[6:]
        raise LookupError((link, x, after))


G = np.polynomial.legendre.leggauss(8)
