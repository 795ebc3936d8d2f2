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


def chain_factor(rods: list[Rod], forces: list[tuple[int, Floats]], count: int, springs: Any = ()) -> float:
    """The factor of buckling of rods in a row, with forces (after rod number, at its end), and springs (before rod
    number, axis, stiffness).
    """
    hinges: list[tuple[Floats, Floats]] = []  # point, and (6, strains): how its strains move what lies beyond
    loads: list[tuple[int, Floats, Floats]] = []  # after so many hinges, at a point, a force
    for k, rod in enumerate(rods):
        for before, axis, stiffness in springs:
            if before == k:
                hinges.append((rod.start, np.concatenate([np.zeros(3), axis])[:, None] / np.sqrt(stiffness)))
        x = (rod.end - rod.start) / np.linalg.norm(rod.end - rod.start)
        length = float(np.linalg.norm(rod.end - rod.start)) / count
        axes = np.array([x, rod.y, np.cross(x, rod.y)]).T
        moves = np.kron(np.eye(2), axes) * np.sqrt(length / rod.stiffness)  # strain times length, of energy 1/2
        for i in range(count):
            at = rod.start + x * length * (i + 0.5)
            loads.append((len(hinges), at - x * length / 4, rod.load * length / 2))
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
    return 1 / float(np.linalg.eigvalsh(hessian)[-1])
