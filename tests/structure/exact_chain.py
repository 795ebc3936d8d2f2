"""An independent reference: the work of dead forces on a chain of geometrically exact rods, by small steps.

A rigid displacement T takes every point of the undeformed arm to where it is. Along a rod T changes by the strains of
each short step, without any small-angle assumption: T(s + ds) = T(s) E, E the displacement by the twist of the step
about the undeformed section. The work of forces that keep their direction is then the sum of f . (T x - x). Only the
strains of a unit of each coordinate are taken from loadpath: they define the coordinates. Where masses are held and how
they accelerate comes from `frame_of_arm`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from frame_of_arm import ArmFrame
from numpy.typing import NDArray

from loadpath.structure.vibration.basis import strains

Floats = NDArray[np.float64]


def skew(v: Floats) -> Floats:
    result = np.zeros((*v.shape, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return result - np.swapaxes(result, -1, -2)


def exponential(displacement: Floats, rotation: Floats) -> tuple[Floats, Floats]:
    """Rotation and translation of the point at the origin, by a screw."""
    angle = np.linalg.norm(rotation, axis=-1)[..., None, None]
    a = np.where(angle > 1e-4, angle, 1.0)
    W = skew(rotation)
    first = np.where(angle > 1e-4, np.sin(a) / a, 1 - angle**2 / 6)
    second = np.where(angle > 1e-4, (1 - np.cos(a)) / a**2, 0.5 - angle**2 / 24)
    third = np.where(angle > 1e-4, (a - np.sin(a)) / a**3, 1 / 6 - angle**2 / 120)
    R = np.eye(3) + first * W + second * W @ W
    return R, ((np.eye(3) + second * W + third * W @ W) @ displacement[..., None])[..., 0]


class ExactChain:
    """Dead loads of a state of a chain, and their work for given elastic coordinates of a vibration model."""

    def __init__(self, model: Any, q: Floats, qd: Floats, qdd: Floats, steps: int, forces: Any = ()) -> None:
        self.model, self.arm, self.steps = model, model.arm, steps
        self.frame = ArmFrame(self.arm, q, qd, qdd)
        self.moves = self.frame.moves
        self.gravity = np.array(self.arm.gravity)
        self.forces = forces
        """(link, point from its frame in world axes, force in world axes)."""

    def work(self, eta: Floats) -> Floats:
        """(batch,), for eta (batch, size)."""
        unmoved = np.broadcast_to(np.eye(3), (len(eta), 3, 3)), np.zeros((len(eta), 3))
        total = np.zeros(len(eta))
        at: dict[str, dict[float, tuple[Floats, Floats]]] = {self.arm.base.name: {0.0: unmoved}}
        for joint in self.arm.joints:
            T = self._held(at, joint.parent, self.frame.held[joint.parent, joint.name])
            move = self.moves[joint.child]
            own = [piece for piece in self.model.pieces if self.arm.link_names[piece.link] == joint.child]
            for piece in own:
                if piece.stretch is None:
                    shape = eta[:, piece.columns] @ piece.twists.T
                    T = self._moved(T, move.p, shape[:, :3] @ move.R.T, shape[:, 3:] @ move.R.T)
            at[joint.child] = {0.0: T}
            for piece in sorted((p for p in own if p.stretch is not None), key=lambda p: p.stretch.start):
                T, gained = self._along(T, piece, eta[:, piece.columns], move)
                total += gained
                at[joint.child][piece.stretch.stop] = T
        for node, link, center, mass, about in self.frame.lumps:
            R, t = self._held(at, link, node)
            move = self.moves[link]
            force = -mass * (move.acceleration(center) - self.gravity)
            W = skew(move.alpha) + skew(move.omega) @ skew(move.omega)
            second = 0.5 * np.trace(about) * np.eye(3) - about
            total += (R @ center + t - center) @ force + np.einsum("bij,ji->b", R - np.eye(3), -second @ W.T)
        for link, point, force in self.forces:
            node = self.frame.nodes[link]
            R, t = self._held(at, link, self.frame.held[link, ""])
            x = self.frame.frame.positions[node] + point
            total += (R @ x + t - x) @ force
        return total

    def _held(self, at: Any, link: str, node: int) -> tuple[Floats, Floats]:
        x = float(np.linalg.norm(self.frame.frame.positions[node] - self.moves[link].p))
        found: tuple[Floats, Floats] = at[link][min(at[link], key=lambda stop: abs(stop - x))]
        return found

    @staticmethod
    def _moved(T: tuple[Floats, Floats], x: Floats, by: Floats, turned: Floats) -> tuple[Floats, Floats]:
        R, t = T
        E, e = exponential(by, turned)
        # E takes a point y to x + e + E (y - x).
        return R @ E, (R @ (x + e - E @ x)[..., None])[..., 0] + t

    def _along(self, T: Any, piece: Any, eta: Floats, move: Any) -> tuple[Any, Floats]:
        stretch, h = piece.stretch, piece.stretch.length / self.steps
        x = h * (np.arange(self.steps) + 0.5)
        axes = move.R @ piece.axes
        strain = np.einsum("xac,bc->xba", strains(stretch, x, piece.order, self.model.effects), eta)
        mu, total = stretch.properties(x).mass, np.zeros(len(eta))
        start = move.p + move.R @ piece.start
        for k in range(self.steps):
            at = start + axes[:, 0] * x[k]
            half = [h / 2 * strain[k, :, part] @ axes.T for part in (slice(0, 3), slice(3, 6))]
            T = self._moved(T, at, *half)
            force = -mu[k] * h * (move.acceleration(at) - self.gravity)
            total += (T[0] @ at + T[1] - at) @ force
            T = self._moved(T, at, *half)
        return T, total


def curvature(
    model: Any, state: Any, directions: Floats, forces: Any = (), *, steps: int = 40, h: float = 0.2
) -> Floats:
    """Second derivatives of the work along directions (n, size), extrapolated in the step of the rods and in h."""

    def second(chain: ExactChain, h: float) -> Floats:
        both = chain.work(np.concatenate([h * directions, -h * directions]))
        return (both[: len(directions)] + both[len(directions) :]) / h**2

    found = []
    for count in (steps, 2 * steps):
        chain = ExactChain(model, *state, count, forces)
        found.append((4 * second(chain, h) - second(chain, 2 * h)) / 3)
    return np.asarray((4 * found[1] - found[0]) / 3)
