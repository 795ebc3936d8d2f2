"""An independent reference for buckling in space: an arm of short stiff segments between elastic hinges.

Every beam is cut into `count` equal elements; in the middle of each sits a hinge with the six strains of the element,
constant along it (energy 1/2 length stiffness strain^2). The work of dead forces on the arm, and its second derivatives
in these strains, come from products of exact screw displacements (`exact_chain`), by differences: no polynomials, no
formula of a geometric stiffness. The error falls with the square of the elements' length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from exact_chain import Floats, exponential


@dataclass
class Rod:
    """A straight rod: start and end (world), y axis, stiffnesses EA, GAy, GAz, GJ, EIy, EIz, weight per length."""

    start: Floats
    end: Floats
    y: Floats
    stiffness: Floats
    load: Floats


@dataclass
class Lumped:
    """Rods in a row as a chain; its coordinates have the energy 1/2 each, and so 1 for their stiffness."""

    gradient: Floats
    """Of the work of the dead forces, in the straight chain."""
    hessian: Floats
    resultants: Floats
    """(hinges of rods, 6, coordinates): axial force, shear forces, torque and bending moments in the rods' axes."""

    def actions(self, f: float) -> Floats:
        """(hinges, 6): force and moment under f times the forces, to second order."""
        eta = np.linalg.solve(np.eye(len(self.gradient)) - f * self.hessian, f * self.gradient)
        result: Floats = self.resultants @ eta
        return result

    @property
    def factor(self) -> float:
        """Under how many times the forces it buckles."""
        return 1 / float(np.linalg.eigvalsh(self.hessian)[-1])


def chain_factor(rods: list[Rod], forces: list[tuple[int, Floats]], count: int, springs: Any = ()) -> float:
    """The factor of buckling of a chain, see `lumped_chain`."""
    return lumped_chain(rods, forces, count, springs).factor


def lumped_chain(rods: list[Rod], forces: list[tuple[int, Floats]], count: int, springs: Any = ()) -> Lumped:
    """Rods in a row, with forces (after rod number, at its end), and springs (before rod number, axis, stiffness).
    Strains of an infinite stiffness are left out.
    """
    resultants: list[tuple[int, Floats]] = []  # first coordinate, and (6, strains): forces and moments per unit of them
    hinges: list[tuple[Floats, Floats]] = []  # point, and (6, strains): how its strains move what lies beyond
    loads: list[tuple[int, Floats, Floats]] = []  # after so many hinges, at a point, a force
    for k, rod in enumerate(rods):
        for before, axis, stiffness in springs:
            if before == k:
                hinges.append((rod.start, np.concatenate([np.zeros(3), axis])[:, None] / np.sqrt(stiffness)))
        x = (rod.end - rod.start) / np.linalg.norm(rod.end - rod.start)
        length = float(np.linalg.norm(rod.end - rod.start)) / count
        axes = np.array([x, rod.y, np.cross(x, rod.y)]).T
        soft = np.isfinite(rod.stiffness)
        moves = (np.kron(np.eye(2), axes) * np.sqrt(length / rod.stiffness))[:, soft]  # strain times length, energy 1/2
        for i in range(count):
            at = rod.start + x * length * (i + 0.5)
            loads.append((len(hinges), at - x * length / 4, rod.load * length / 2))
            first = sum(before.shape[1] for _, before in hinges)
            resultants.append((first, np.sqrt(np.diag(rod.stiffness)[:, soft] / length)))
            hinges.append((at, moves))
            loads.append((len(hinges), at + x * length / 4, rod.load * length / 2))
        loads += [(len(hinges), rod.end, force) for after, force in forces if after == k]
    size = sum(moves.shape[1] for _, moves in hinges)

    def work(eta: Floats) -> Floats:
        R, t = np.broadcast_to(np.eye(3), (len(eta), 3, 3)), np.zeros((len(eta), 3))
        total, k, first = np.zeros(len(eta)), 0, 0
        for number in range(len(hinges) + 1):
            while k < len(loads) and loads[k][0] == number:
                _, at, force = loads[k]
                total += (R @ at + t) @ force - at @ force
                k += 1
            if number < len(hinges):
                at, moves = hinges[number]
                moved = eta[:, first : first + moves.shape[1]] @ moves.T
                first += moves.shape[1]
                E, e = exponential(moved[:, :3], moved[:, 3:])
                t = t + (R @ (at + e - E @ at)[..., None])[..., 0]
                R = R @ E
        return total

    h = 1e-2 / max(float(np.abs(moves[3:]).max()) for _, moves in hinges)
    rows, columns = np.triu_indices(size)
    hessian = np.zeros((size, size))
    for begin in range(0, len(rows), 4096):
        i, k = rows[begin : begin + 4096], columns[begin : begin + 4096]
        signs = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
        total = np.zeros(len(i))
        for a, b, sign in signs:
            eta = np.zeros((len(i), size))
            np.add.at(eta, (np.arange(len(i)), i), a * h)
            np.add.at(eta, (np.arange(len(i)), k), b * h)
            total += sign * work(eta)
        hessian[i, k] = hessian[k, i] = total / (4 * h * h)
    steps = h * np.eye(size)
    maps = np.zeros((len(resultants), 6, size))
    for row, (first, columns_of) in enumerate(resultants):
        maps[row][:, first : first + columns_of.shape[1]] = columns_of
    return Lumped((work(steps) - work(-steps)) / (2 * h), hessian, maps)
