"""What a motion can show of the base parameters: its condition number, and which groups and joints it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Never

import numpy as np

from loadpath.identification.base import BaseParameters, base_parameters
from loadpath.identification.closed_states import refuse_impossible_states
from loadpath.identification.measurements import Compressed, compressed, measurements
from loadpath.identification.parameters import Scale, listed
from loadpath.quantities.table import RobotQuantities
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, read_states, refuse_keywords, refuse_moving_base
from loadpath.states.keywords import needs_robot

LIMIT = 1e4
"""Condition number from which on a motion is not taken for identification: good ones are below 100."""
LOADED = {
    "external": "wrenches excite no inertia: leave it out",
    "base": "it is that of a base at rest; robot.regressor(q, qd, qdd) takes it, for a condition number of your own",
}
"""Why loads are not taken, and what to do."""
# Shares of a group in the directions that are not excited, as a sum of squares, from which on it is named.
_NAMED = 0.05


@dataclass(frozen=True, eq=False)
class Excitation:
    """How well a motion excites the base parameters of a robot.

    Numbers are in units typical of the robot (its mean link, its gravity, kg), so that neither their choice nor a small
    robot makes a motion look better or worse than it is.
    """

    base: BaseParameters
    samples: int
    singular_values: Floats
    """Of the base regressor per state, falling."""
    directions: Floats
    """(number, number): what combination of base parameters belongs to each singular value, in rows."""
    still: tuple[str, ...]
    """Speeds whose joint does not move in the whole motion."""

    @property
    def condition(self) -> float:
        """Ratio of the largest to the smallest singular value; infinite if a combination is not excited at all."""
        least = float(self.singular_values[-1])
        return float(self.singular_values[0]) / least if least > 0 else float("inf")

    def unexcited(self, limit: float = LIMIT) -> tuple[str, ...]:
        """Groups that take part in combinations which are excited `limit` times less than the best."""
        weak = (self.singular_values * limit < self.singular_values[0]) | (self.singular_values == 0)
        shares = np.sum(self.directions[weak] ** 2, axis=0)
        return tuple(self.base.groups[j] for j in np.flatnonzero(shares > _NAMED))

    def sufficient(self, limit: float = LIMIT) -> bool:
        """Whether the motion can be taken for identification."""
        return self.condition <= limit

    def joints_of(self, groups: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the joints that move the links, or have the drives, which lead these groups."""
        p, robot = self.base.parameters, self.base.robot
        leads = [self.base.grouping.kept[self.base.groups.index(group)] for group in groups]
        names = [
            robot.joints[j // 10 - 1].name if j < p.of_links else robot.dof_names[(j - p.of_links) % robot.n]
            for j in leads
        ]
        return tuple(dict.fromkeys(names))

    def __str__(self) -> str:
        head = f"{self.samples} states, condition {self.condition:.3g} of {self.base.number} base parameters"
        if self.sufficient():
            return f"{head}: sufficient"
        weak = self.unexcited()
        lines = [f"{head}: not sufficient"]
        if self.still:
            lines.append(f"joints that do not move: {listed(self.still)}")
        lines.append(f"not excited (of the joints {listed(self.joints_of(weak))}): {listed(weak, '; ')}")
        return "\n".join(lines)


def excitation(
    robot: RobotQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    friction: bool = True,
    rotors: bool = False,
    offsets: bool = True,
    progress: bool = False,
    **others: Never,
) -> Excitation:
    """How well a motion excites the base parameters of a robot: to judge it before it is measured. It is an
    `lp.Motion`, a simulation, or q, qd, qdd with states in rows. `friction`, `rotors` and `offsets` are those of
    `lp.identify`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> t = np.linspace(0, 10, 200)[:, None] * (1.0, 1.7)
    >>> lp.excitation(arm, np.sin(t), np.cos(t) * (1.0, 1.7), -np.sin(t) * (1.0, 1.7**2)).condition < 1000
    True
    >>> still = np.zeros((200, 2))
    >>> lp.excitation(arm, still, still, still).still
    ('joint1', 'joint2')
    """
    refuse_keywords("excitation", others, LOADED)
    robot = needs_robot(robot, "excitation")
    base = base_parameters(robot, friction=friction, rotors=rotors)
    refuse_moving_base(q, "excitation")
    states = read_states(robot, q, qd, qdd, caller="excitation")
    data = measurements("excitation", robot, q=states.q, qd=states.qd, qdd=states.qdd)
    refuse_impossible_states(robot, data.q, data.qd, data.qdd, "excitation")
    return of_motion(compressed(base, data, offsets=offsets, progress=progress))


def of_motion(motion: Compressed) -> Excitation:
    """The excitation of a motion, from its compressed regressor."""
    base = motion.base
    scale = Scale.of(base.robot)
    column = scale.of_parameters(base.parameters)[list(base.grouping.kept)]
    rows = [part[:, :-1] * column / unit
            for part, unit in zip(motion.rows, scale.of_forces(base.parameters), strict=True)]
    stacked = np.linalg.qr(np.vstack(rows), mode="r") / np.sqrt(motion.samples)
    _, values, directions = np.linalg.svd(stacked)
    values = np.concatenate([values, np.zeros(base.number - len(values))])
    values[values <= 1e-14 * values[0]] = 0.0
    still = tuple(name for name, moves in zip(base.robot.dof_names, motion.moves, strict=True) if not moves)
    return Excitation(base, motion.samples, values, directions, still)
