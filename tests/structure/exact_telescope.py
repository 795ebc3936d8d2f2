"""An independent reference: the work of dead forces on geometrically exact rods that slide in guides.

As `exact_chain`, for arms with guides: a link that slides is a rod in space, displaced so that its pads touch, by
Newton's method on the exact positions. No force of a pad comes in: only weight and motion of the masses. A pad fixed to
the outer link stays on the line of the inner, and the other way round; the turn about the slide is that of the relative
rotation. Of loadpath only the coordinates are taken: pieces of beams, and their strains per unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from exact_chain import exponential, skew
from frame_with_guides import GuidedFrame
from numpy.typing import NDArray

from loadpath.structure.vibration.basis import strains

Floats = NDArray[np.float64]
Displaced = tuple[Floats, Floats]
"""Takes a point x of the undeformed arm to R x + t; (batch, 3, 3) and (batch, 3)."""


def after(T: Displaced, point: Floats, moved: Floats, turned: Floats) -> Displaced:
    """T after a screw (moved, turned: (batch, 3), world axes of the undeformed arm) at a point."""
    R, t = exponential(moved, turned)
    # x -> point + R (x - point) + t
    shift = point - R @ point + t
    return T[0] @ R, (T[0] @ shift[..., None])[..., 0] + T[1]


def at(T: Displaced, x: Floats) -> Floats:
    return np.asarray(T[0] @ x + T[1])


class ExactTelescope:
    """A state of an arm with guides, and the work of its loads for given elastic coordinates."""

    def __init__(self, model: Any, q: Floats, qd: Floats, qdd: Floats, steps: int, forces: Any = ()) -> None:
        self.model, self.arm, self.steps, self.forces = model, model.arm, steps, forces
        self.frame = GuidedFrame(self.arm, q, qd, qdd)
        self.moves, self.gravity = self.frame.moves, np.array(self.arm.gravity)
        self.placed = model.at(q[None])
        self.lines = {line.line.link: k for k, line in enumerate(model.lines)}

    def work(self, eta: Floats) -> Floats:
        """(batch,), for eta (batch, size)."""
        count = len(eta)
        unmoved = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        starts: dict[str, Displaced] = {}
        curves: dict[str, Any] = {}
        gained = np.zeros(count)
        for name in self.arm.link_names:
            joint = next((j for j in self.arm.joints if j.child == name), None)
            curves[name] = self._curve(name, eta)
            if joint is None:
                starts[name] = unmoved
            elif joint.name in self.frame.pads:
                starts[name] = self._held(joint, curves, starts, eta)
            else:
                point = self.frame._point(joint)
                starts[name] = self._at(curves, starts, joint.parent, point)
                for piece in self.model.pieces[: len(self.model.cut.elements)]:
                    if self.arm.link_names[piece.link] == name and piece.stretch is None:
                        move = self.moves[name]
                        shape = eta[:, piece.columns] @ piece.twists.T
                        starts[name] = after(starts[name], move.p, shape[:, :3] @ move.R.T, shape[:, 3:] @ move.R.T)
            gained += self._work_of_line(name, curves[name], starts[name])
        for node, link, center, mass, about in self.frame.lumps:
            T = self._at(curves, starts, link, self.frame.frame.positions[node])
            move = self.moves[link]
            force = -mass * (move.acceleration(center) - self.gravity)
            W = skew(move.alpha) + skew(move.omega) @ skew(move.omega)
            second = 0.5 * np.trace(about) * np.eye(3) - about
            gained += (at(T, center) - center) @ force + np.einsum("bij,ji->b", T[0] - np.eye(3), -second @ W.T)
        for link, point, force in self.forces:
            x = self.frame.frame.positions[self.frame.nodes[link]]
            T = self._at(curves, starts, link, x)
            gained += (at(T, x + point) - x - point) @ force
        return gained

    def _curve(self, link: str, eta: Floats) -> Any:
        """Places along a link's beam, and the displacement of each section against its start; undeformed points."""
        line = self.frame._line(link)
        unmoved = np.broadcast_to(np.eye(3), (len(eta), 3, 3)), np.zeros((len(eta), 3))
        if line is None:
            return [(0.0, unmoved)], []
        _, start, e, _ = line
        found, masses = [(0.0, unmoved)], []
        T = unmoved
        if link in self.lines:
            made = self.model.lines[self.lines[link]]
            (begins,), (ends,) = self.placed.extension.edges[self.lines[link]]
            of_pieces = [(part.stretch, order) for part, cut in zip(made.line.parts, made.cuts, strict=True)
                         for order in cut.orders]
            columns = [piece.columns for piece in self.model.pieces[made.pieces]]
            parts = [(*of, a, b, own) for of, a, b, own in zip(of_pieces, begins, ends, columns, strict=True)]
            axes = self.moves[link].R @ made.line.axes
            shares = [part.share for part in made.line.parts]
            share = shares[0]
        else:
            own = [p for p in self.model.pieces if p.stretch is not None and self.arm.link_names[p.link] == link]
            parts = [(p.stretch, p.order, p.stretch.start, p.stretch.stop, p.columns) for p in own]
            axes = self.moves[link].R @ own[0].axes
            share = own[0].share
        for stretch, order, a, b, columns in parts:
            if b - a < 1e-12:
                continue
            piece = stretch._replace(start=a, stop=b)
            h = (b - a) / self.steps
            middle = h * (np.arange(self.steps) + 0.5)
            strain = strains(piece, middle, order, self.model.effects) @ eta[:, columns].T  # (steps, 6, batch)
            mu = share * piece.properties(middle).mass
            for k, x in enumerate(middle):
                point = start + e * (a + x)
                half = [0.5 * h * (axes @ part).T for part in (strain[k, :3], strain[k, 3:])]
                T = after(T, point, *half)
                masses.append((point, mu[k] * h, T))
                T = after(T, point, *half)
            found.append((float(b), T))
        return found, masses

    def _at(self, curves: Any, starts: Any, link: str, point: Floats) -> Displaced:
        """The displacement of the section of a link that is nearest to a point."""
        line = self.frame._line(link)
        if line is None:
            return starts[link]  # type: ignore[no-any-return]
        _, start, e, L = line
        x = float(np.clip((point - start) @ e, 0, L))
        T = min(curves[link][0], key=lambda mark: abs(mark[0] - x))[1]
        R, t = starts[link]
        return R @ T[0], (R @ T[1][..., None])[..., 0] + t

    def _work_of_line(self, link: str, curve: Any, start: Displaced) -> Any:
        total = 0.0
        for point, mass, T in curve[1]:
            force = -mass * (self.moves[link].acceleration(point) - self.gravity)
            where = (start[0] @ at(T, point)[..., None])[..., 0] + start[1]
            total = total + (where - point) @ force
        return total

    def _held(self, joint: Any, curves: Any, starts: Any, eta: Floats) -> Displaced:
        """Where a link that slides is, so that its pads touch."""
        pads, link, parent = self.frame.pads[joint.name], joint.child, joint.parent
        guide = pads.guide
        slide = next(s for s in self.model.slides if s.of.guide.joint == joint.name)
        line = self.frame._line(link)
        points = [pads.tail, pads.front]
        if line is not None:
            points = [line[1] + line[2] * ((x - line[1]) @ line[2]) for x in points]
        across = np.linalg.svd(pads.axis[None])[2][1:]
        outer = [self._at(curves, starts, parent, x) for x in points]
        inside = dict(starts)
        unmoved = np.broadcast_to(np.eye(3), (len(eta), 3, 3)), np.zeros((len(eta), 3))
        inside[link] = unmoved
        own = [self._at(curves, inside, link, x) for x in points]
        drive = np.zeros(len(eta)) if slide.drive is None else np.sqrt(slide.of.along) * eta[:, slide.drive]
        if slide.drive is not None:
            drive = drive * np.sign(pads.axis @ (self.moves[link].R @ slide.of.guide.axes[:, 0]))
        on_child = [guide.at is None, False] if guide.at is None else [guide.pads_on == "child"] * 2
        centre = self.moves[link].p

        def residual(zeta: Floats) -> Floats:
            T = after(unmoved, centre, zeta[:, :3], zeta[:, 3:])
            rows = []
            gaps, turns, slides_on = [], [], []
            for x, on, own_T, child in zip(points, outer, own, on_child, strict=True):
                R = T[0] @ own_T[0]
                where = (T[0] @ at(own_T, x)[..., None])[..., 0] + T[1]
                gaps.append(where - at(on, x))
                relative = np.swapaxes(on[0], -1, -2) @ R
                odd = 0.5 * (relative - np.swapaxes(relative, -1, -2))
                turns.append(np.stack([odd[:, 2, 1], odd[:, 0, 2], odd[:, 1, 0]], axis=-1))
                slides_on.append(on[0] if child else R)
            if guide.at is not None and guide.spacing is None:
                rows += [np.einsum("bij,j,bi->b", slides_on[0], e, gaps[0]) for e in across]
                rows.append(np.einsum("bij,j,bi->b", slides_on[0], pads.axis, gaps[0]) - drive)
                return np.stack([*rows, *turns[0].T], axis=-1)
            for gap, R in zip(gaps, slides_on, strict=True):
                rows += [np.einsum("bij,j,bi->b", R, e, gap) for e in across]
            along, torsion = (0 if name == "tail" else 1 for name in (guide.along, guide.torsion))
            rows.append(np.einsum("bij,j,bi->b", slides_on[along], pads.axis, gaps[along]) - drive)
            rows.append(turns[torsion] @ pads.axis)
            return np.stack(rows, axis=-1)

        zeta = np.zeros((len(eta), 6))
        for _ in range(8):
            r = residual(zeta)
            J = np.stack([(residual(zeta + 1e-6 * e) - residual(zeta - 1e-6 * e)) / 2e-6 for e in np.eye(6)], axis=-1)
            zeta = zeta - np.linalg.solve(J, r[..., None])[..., 0]
        assert np.abs(residual(zeta)).max() < 1e-12
        return after(unmoved, centre, zeta[:, :3], zeta[:, 3:])


def second_work(model: Any, state: Any, directions: Floats, forces: Any = (), steps: int = 24) -> Floats:
    """Second derivatives (directions,) of the work along directions of the elastic coordinates (directions, size),
    extrapolated to steps without length.
    """
    found = []
    for count in (steps, 2 * steps):
        exact = ExactTelescope(model, *(np.asarray(part, dtype=float) for part in state), count, forces)
        each = []
        for h in (2e-3, 1e-3):
            both = exact.work(h * directions) + exact.work(-h * directions)
            each.append((both - 2 * exact.work(0 * directions)) / h**2)
        found.append((4 * each[1] - each[0]) / 3)
    return np.asarray((4 * found[1] - found[0]) / 3)
