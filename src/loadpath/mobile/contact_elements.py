"""What can stick or give way under a rover, one by one: grip of a contact, rolling of a wheel, friction of a joint.

The speeds are U = (v_x, v_y, w, qd, rates of spinning wheels). An element has one or two rows D: its slip is D U, its
force f acts along D^T. At rest it holds with whatever force up to a limit; moving, it gives its friction against the
slip.

- Grip of a foot, or of a wheel whose rate is a speed of its own (it has spin inertia, or its rate is given): two rows,
  along and across, D U = (v.f - R b, v.l). Of a wheel with rollers, one row along the roller's axis.
- Grip of a wheel without spin inertia: one row, across. Along, its rate gives way at once, and its force is tau/R.
- Rolling resistance: one row, the rolling speed; of casters without trail two, the velocity of the pivot. Its force is
  mu_r N, at rest and moving.
- Coulomb friction of a joint: one row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.equations import BASE
from loadpath.mobile.kinematics import dot2, rows_along
from loadpath.robot.mechanism import plain
from loadpath.simulate.coulomb import coulomb_limits

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Kind = Literal["grip", "rolling", "rollers", "joint"]


@dataclass(frozen=True)
class Element:
    """Something that sticks or gives way."""

    kind: Kind
    rows: slice
    """Which rows of D are its."""
    contact: int = -1
    """Number of its contact; -1 for joints."""
    joint: int = -1
    static: float = 0.0
    """Limit at rest per unit of normal force; of joints, the limit itself."""
    kinetic: float = 0.0
    """The same while it moves."""
    massless: bool = False
    """Whether it is the lateral grip of a wheel that has its rate from its rolling alone."""

    @property
    def count(self) -> int:
        """Number of its rows."""
        return int(self.rows.stop - self.rows.start)


class Elements:
    """All elements of a rover. `given_rates` are numbers of the wheels whose rates are given."""

    def __init__(self, rover: Rover, given_rates: set[int], *, arm_is_driven: bool) -> None:
        wheels = self.wheels = rover.arrangement
        self.rover, n = rover, rover.n
        spins = [k for k in np.flatnonzero(wheels.axled) if wheels.spin_inertia[k] > 0 or int(k) in given_rates]
        self.spinning = np.array(spins, dtype=np.intp)
        """Numbers of the wheels whose rates are speeds of their own."""
        self.size = BASE + n + len(spins)
        self.spin_at = {int(k): BASE + n + i for i, k in enumerate(spins)}
        """Where their rates are among the speeds."""
        self.pulled = np.array([k for k in np.flatnonzero(wheels.axled) if int(k) not in self.spin_at], dtype=np.intp)
        """Numbers of the wheels without spin inertia."""
        self.trailing = np.flatnonzero(wheels.trail > 0)
        friction = rover.frictions
        self.all: list[Element] = []
        self._rows = 0
        for k in range(len(rover.base.wheels)):
            static, kinetic, rolling = (float(friction[part][k]) for part in ("static", "sliding", "rolling"))
            own = k in self.spin_at
            if static > 0 and not wheels.casters[k]:
                if wheels.omni[k]:
                    if own:
                        self._add("grip", 1, k, static, kinetic)
                else:
                    self._add("grip", 2 if own or wheels.supports[k] else 1, k, static, kinetic,
                              massless=not (own or wheels.supports[k]))  # fmt: skip
            if rolling > 0 and not wheels.supports[k] and k not in given_rates:
                self._add("rolling", 2 if wheels.casters[k] and not wheels.trail[k] else 1, k, rolling, rolling)
            if rolling > 0 and wheels.omni[k]:
                self._add("rollers", 1, k, rolling, rolling)
        if arm_is_driven:
            for joint, limit in enumerate(coulomb_limits(plain(rover.robot))):
                if limit > 0:
                    self._add("joint", 1, -1, limit, limit, joint=joint)
        self.count = self._rows

    def _add(
        self, kind: Kind, rows: int, contact: int, static: float, kinetic: float, *, joint: int = -1,
        massless: bool = False,
    ) -> None:  # fmt: skip
        at = slice(self._rows, self._rows + rows)
        self._rows += rows
        self.all.append(Element(kind, at, contact, joint, static, kinetic, massless))

    def matrix(self, angles: Floats) -> Floats:
        """D (rows, speeds) at steering angles."""
        wheels = self.wheels
        placed = wheels.placed(angles)
        along, across = rows_along(placed.forward, wheels.pivots), rows_along(placed.left, wheels.pivots)
        gripping = wheels.grip(placed)
        gripped, rim = rows_along(gripping, wheels.pivots), dot2(gripping, placed.forward)
        beside = np.stack([-gripping[:, 1], gripping[:, 0]], axis=-1)
        besides = rows_along(beside, wheels.pivots)
        D = np.zeros((self.count, self.size))
        for e in self.all:
            k, at = e.contact, e.rows
            spin = self.spin_at.get(k)
            R = wheels.radius[k]
            if e.kind == "joint":
                D[at, BASE + e.joint] = 1.0
            elif e.kind == "grip" and e.count == 2:
                D[at, :BASE] = along[k], across[k]
                if spin is not None:
                    D[at.start, spin] = -R
            elif e.kind == "grip" and wheels.omni[k]:
                D[at, :BASE] = gripped[k]
                D[at, spin] = -R * rim[k]
            elif e.kind == "grip":
                D[at, :BASE] = across[k]
            elif e.kind == "rollers":
                # What moves over the ground beside the roller's axis, less what the rim does itself.
                D[at, :BASE] = besides[k]
                shove = float(beside[k] @ placed.forward[k])
                if spin is not None:
                    D[at, spin] = -R * shove
                else:
                    D[at, :BASE] -= shove / rim[k] * gripped[k]
            elif e.count == 2:  # a caster without trail, whichever way it points
                D[at, :BASE] = rows_along(np.eye(2), wheels.pivots[[k, k]])
            elif spin is not None:
                D[at, spin] = R
            else:
                D[at, :BASE] = gripped[k] / rim[k]
        return D

    def matrix_rate(self, angles: Floats, rates: Floats) -> Floats:
        """Rate of D at rates (steerable,) of the steering angles."""
        wheels = self.wheels
        D = np.zeros((self.count, self.size))
        turning = np.zeros(len(wheels.pivots))
        turning[wheels.steerable] = rates
        placed = wheels.placed(angles)
        along, across = rows_along(placed.forward, wheels.pivots), rows_along(placed.left, wheels.pivots)
        for e in self.all:
            k, at = e.contact, e.rows
            if k < 0 or not turning[k]:
                continue
            if e.kind == "grip" and e.count == 2:
                D[at, :BASE] = turning[k] * across[k], -turning[k] * along[k]
            elif e.kind == "grip":
                D[at, :BASE] = -turning[k] * along[k]
            elif e.kind == "rolling" and e.count == 1 and k not in self.spin_at:
                D[at, :BASE] = turning[k] * across[k]
        return D
