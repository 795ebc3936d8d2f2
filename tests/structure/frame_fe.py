"""An independent reference: three-dimensional frames of Timoshenko beam elements, assembled in global axes.

Nothing of `loadpath.structure` is used here. A frame has nodes with six motions each; a node is free, or follows
another rigidly (with springs in some directions). Element matrices are those of the textbooks (Przemieniecki, "Theory
of matrix structural analysis", chapters 5 and 11), loads and masses are integrated with the shapes of an unloaded beam.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
GAUSS = np.polynomial.legendre.leggauss(8)


@dataclass
class Properties:
    """Of a uniform piece of a beam; y and z are its principal axes."""

    EA: float
    EIy: float
    EIz: float
    GJ: float
    GAy: float
    GAz: float
    mass: float = 0.0
    rotary_y: float = 0.0
    rotary_z: float = 0.0


@dataclass
class Frame:
    """Nodes, and what connects and loads them; everything in global axes."""

    positions: list[Floats] = field(default_factory=list)
    motions: list[dict[int, Floats]] = field(default_factory=list)
    """For each node: column of the freedom -> its six motions."""
    beams: list[tuple[int, int, Properties, Floats]] = field(default_factory=list)
    springs: list[tuple[int, float]] = field(default_factory=list)
    bodies: list[tuple[int, Floats, float, Floats]] = field(default_factory=list)
    forces: list[tuple[int, Floats]] = field(default_factory=list)
    freedoms: int = 0

    def fixed(self, position: Floats) -> int:
        return self._node(position, {})

    def free(self, position: Floats) -> int:
        motion = {self.freedoms + k: np.eye(6)[:, k] for k in range(6)}
        self.freedoms += 6
        return self._node(position, motion)

    def following(self, node: int, position: Floats, springs: list[tuple[Floats, float]] | None = None) -> int:
        """A node held rigidly by another, but for springs: each a direction (displacement and rotation of the new node)
        and its stiffness.
        """
        arm = position - self.positions[node]
        motion = {}
        for column, m in self.motions[node].items():
            motion[column] = np.concatenate([m[:3] + np.cross(m[3:], arm), m[3:]])
        for direction, stiffness in springs or []:
            motion[self.freedoms] = np.array(direction, dtype=float)
            self.springs.append((self.freedoms, stiffness))
            self.freedoms += 1
        return self._node(position, motion)

    def _node(self, position: Floats, motion: dict[int, Floats]) -> int:
        self.positions.append(np.array(position, dtype=float))
        self.motions.append(motion)
        return len(self.positions) - 1

    def beam(self, start: int, position: Floats, y_axis: Floats, properties: Properties, pieces: int = 1) -> int:
        """A uniform beam from a node to a new free one, in pieces; the number of its last node."""
        begin = self.positions[start]
        for k in range(1, pieces + 1):
            end = self.free(begin + (position - begin) * (k / pieces))
            self.beams.append((start, end, properties, np.array(y_axis, dtype=float)))
            start = end
        return start

    def body(self, node: int, center: Floats, mass: float, tensor: Floats) -> None:
        """A rigid body held by a node; tensor about its center, global axes."""
        self.bodies.append((node, np.array(center, dtype=float), mass, np.array(tensor, dtype=float)))

    def force(self, node: int, force: Floats, torque: Floats, at: Floats) -> None:
        """A wrench about a point, on what the node holds."""
        moment = torque + np.cross(at - self.positions[node], force)
        self.forces.append((node, np.concatenate([force, moment])))

    # Assembly

    def B(self, node: int) -> Floats:
        result = np.zeros((6, self.freedoms))
        for column, motion in self.motions[node].items():
            result[:, column] = motion
        return result

    def stiffness(self) -> Floats:
        K = np.zeros((self.freedoms, self.freedoms))
        for column, k in self.springs:
            K[column, column] += k
        for a, b, p, y in self.beams:
            T, L = self._axes(a, b, y)
            B = np.vstack([self.B(a), self.B(b)])
            K += B.T @ T.T @ element_stiffness(p, L) @ T @ B
        return K

    def mass(self) -> Floats:
        M = np.zeros((self.freedoms, self.freedoms))
        for a, b, p, y in self.beams:
            T, L = self._axes(a, b, y)
            B = np.vstack([self.B(a), self.B(b)])
            M += B.T @ T.T @ element_mass(p, L) @ T @ B
        for node, center, mass, tensor in self.bodies:
            B = self.B(node)
            arm = center - self.positions[node]
            moved = B[:3] - np.cross(arm, B[3:], axisb=0).T
            M += mass * moved.T @ moved + B[3:].T @ tensor @ B[3:]
        return M

    def load(self, acceleration: Any) -> Floats:
        """Nodal loads of the beams' mass in an acceleration field (minus gravity), a function of the number of the beam
        and the position that is linear along each beam; and of the forces.
        """
        f = np.zeros(self.freedoms)
        for number, (a, b, p, y) in enumerate(self.beams):
            T, L = self._axes(a, b, y)
            B = np.vstack([self.B(a), self.B(b)])
            xi, w = 0.5 * (GAUSS[0] + 1), 0.5 * L * GAUSS[1]
            for x, weight in zip(xi, w, strict=True):
                at = (1 - x) * self.positions[a] + x * self.positions[b]
                q = -p.mass * np.asarray(acceleration(number, at))
                f += B.T @ T.T @ shape_functions(p, L, x)[:3].T @ (T[:3, :3] @ q) * weight
        for node, wrench in self.forces:
            f += self.B(node).T @ wrench
        return f

    def _axes(self, a: int, b: int, y: Floats) -> tuple[Floats, float]:
        d = self.positions[b] - self.positions[a]
        L = float(np.linalg.norm(d))
        x = d / L
        y = y - x * (x @ y)
        y = y / np.linalg.norm(y)
        R = np.array([x, y, np.cross(x, y)])  # rows: takes global components to those of the element
        return np.kron(np.eye(4), R), L

    # Answers

    def displacements(self, acceleration: Any) -> list[Floats]:
        """Displacement and rotation of every node under the loads."""
        u = np.linalg.solve(self.stiffness(), self.load(acceleration))
        return [self.B(node) @ u for node in range(len(self.positions))]

    def compliance(self, node: int) -> Floats:
        """6 x 6 at a node."""
        B = self.B(node)
        return np.asarray(B @ np.linalg.solve(self.stiffness(), B.T))

    def frequencies(self, count: int) -> Floats:
        """Hz, lowest first."""
        n = self.freedoms  # the stiffness is positive definite; the mass need not be
        values = eigh(self.mass(), self.stiffness(), eigvals_only=True, subset_by_index=(n - count, n - 1))
        return 1 / np.sqrt(np.asarray(values)[::-1]) / (2 * np.pi)


def element_stiffness(p: Properties, L: float) -> Floats:
    """12 x 12, element axes: displacement and rotation of the first end, then of the second."""
    K = np.zeros((12, 12))
    for i, k in ((0, p.EA / L), (3, p.GJ / L)):
        K[np.ix_((i, i + 6), (i, i + 6))] += k * np.array([[1, -1], [-1, 1]])
    for EI, GA, plane, s in ((p.EIz, p.GAy, (1, 5, 7, 11), 1.0), (p.EIy, p.GAz, (2, 4, 8, 10), -1.0)):
        phi = 12 * EI / (GA * L * L)
        k = EI / (L**3 * (1 + phi)) * np.array([
            [12, 6 * L * s, -12, 6 * L * s],
            [6 * L * s, (4 + phi) * L * L, -6 * L * s, (2 - phi) * L * L],
            [-12, -6 * L * s, 12, -6 * L * s],
            [6 * L * s, (2 - phi) * L * L, -6 * L * s, (4 + phi) * L * L],
        ])
        K[np.ix_(plane, plane)] += k
    return K


def shape_functions(p: Properties, L: float, x: float) -> Floats:
    """6 x 12: displacement and rotation of the section at the share x, per unit of the ends'."""
    N = np.zeros((6, 12))
    for i in (0, 3):
        N[i, i], N[i, i + 6] = 1 - x, x
    for EI, GA, (w, t), s in ((p.EIz, p.GAy, (1, 5), 1.0), (p.EIy, p.GAz, (2, 4), -1.0)):
        phi = 12 * EI / (GA * L * L)
        c = 1 / (1 + phi)
        N[w, w] = c * (1 - 3 * x**2 + 2 * x**3 + phi * (1 - x))
        N[w, t] = s * L * c * (x - 2 * x**2 + x**3 + phi / 2 * (x - x**2))
        N[w, w + 6] = c * (3 * x**2 - 2 * x**3 + phi * x)
        N[w, t + 6] = s * L * c * (-(x**2) + x**3 - phi / 2 * (x - x**2))
        N[t, w] = s * 6 * c / L * (-x + x**2)
        N[t, t] = c * (1 - 4 * x + 3 * x**2 + phi * (1 - x))
        N[t, w + 6] = s * 6 * c / L * (x - x**2)
        N[t, t + 6] = c * (-2 * x + 3 * x**2 + phi * x)
    return N


def element_mass(p: Properties, L: float) -> Floats:
    """12 x 12 consistent mass, with the rotary inertia of the sections."""
    inertia = np.array([p.mass] * 3 + [p.rotary_y + p.rotary_z, p.rotary_y, p.rotary_z])
    M = np.zeros((12, 12))
    for x, w in zip(0.5 * (GAUSS[0] + 1), 0.5 * L * GAUSS[1], strict=True):
        N = shape_functions(p, L, x)
        M += w * (N.T * inertia) @ N
    return M
