"""What the room `handling` says of a robot, asked as a data sheet needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.datasheet.configurations import places
from loadpath.datasheet.picture import standing
from loadpath.datasheet.workspace import Workspace
from loadpath.errors import ModelError
from loadpath.handling.compliance import StaticCompliance, static_compliance
from loadpath.handling.diagram import payload_diagram
from loadpath.handling.duty import DutyMap, duty_map
from loadpath.handling.foundation import FoundationLoads, foundation_loads
from loadpath.handling.result import PayloadDiagram
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.stops.stopping import stop

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

AXIAL, RADIAL, AROUND = 13, 9, 8
"""Offsets of a payload diagram, and directions around."""
OFFSET = 0.3
"""Of the reach: the largest."""
POSES = 200
"""At rest, in which a payload is to be held where no duty is given."""
INSTANTS = 3
"""Of the duty, its fastest ones, from which stops are tried for the loads on the foundation."""


@dataclass(frozen=True, eq=False)
class Handled:
    """A robot with its rated payload and without, and its duty, if one is given."""

    full: RobotQuantities
    bare: RobotQuantities
    duty: Any
    tip: str
    mass: float
    center: Floats
    where: Workspace | None
    hours: float | None
    under: LoadCase

    @property
    def states_in_words(self) -> str:
        """In which states a payload is to be carried."""
        if self.duty is None and self.where is not None:
            return f"in {POSES} poses at rest, drawn from the ranges of the joints, and stretched out"
        return "over the duty"

    def diagram(self) -> PayloadDiagram:
        """Over the duty; without one in many poses at rest."""
        reach = 1.0 if self.where is None else max(self.where.reach, 1e-3)
        offsets = np.linspace(0.0, OFFSET * reach, AXIAL), np.linspace(0.0, OFFSET * reach, RADIAL)
        if self.duty is not None:
            return payload_diagram(self.bare, self.duty, offsets=offsets, around=AROUND, link=self.tip,
                                   hours=self.hours, under=self.under)
        if self.where is None:
            raise ModelError("no duty is given, and no poses are known: give a motion (--motion)")
        q = np.concatenate([self.where.ranges.draw(POSES), self.stretched[None]])
        still = np.zeros_like(q)
        return payload_diagram(self.bare, q, still, still, offsets=offsets, around=AROUND, link=self.tip)

    @property
    def stretched(self) -> Floats:
        """(n,): the tip as far from the base as it gets, level with the ground."""
        assert self.where is not None
        robot, ranges = self.bare.on_fixed_base, self.where.ranges

        def away(q: Floats) -> Floats:
            found: Floats = np.linalg.norm(places(robot, q, self.tip)[:, :2], axis=1)
            return found

        q = ranges.draw(2_000)
        found, size = ranges.climb(away, q[np.argsort(-away(q))[:8]])
        best: Floats = found[int(np.argmax(size))]
        return best

    def foundation(self, duty: Any, brakes: Any, left_out: list[str]) -> FoundationLoads:
        """In service and in stops of categories 0 and 1 from its fastest instants."""
        stops = {}
        robot: Any = self.full.without_beams() if self.full.is_elastic else self.full  # type: ignore[attr-defined]
        if is_spectrum(duty) or duty.loads:
            left_out.append("Loads on the foundation in stops: the duty is no single motion. robot.stop and "
                            "robot.foundation_loads(..., stops=...) have them for each.")
        else:
            size = np.linalg.norm(duty.qd, axis=1)
            at = np.unique(duty.t[np.argsort(-size, kind="stable")[:: max(1, len(size) // 12)][:INSTANTS]])
            try:
                first = stop(robot, duty, at, category=0, brakes=brakes)
                stops["stop, category 0"] = first
                stops["stop, category 1"] = stop(robot, duty, first.at, category=1, brakes=brakes)
            except (ModelError, ValueError) as problem:
                words = str(problem).removeprefix("stop: ").rstrip(".")
                left_out.append(f"Loads on the foundation in stops: {words}.")
        return foundation_loads(robot, duty, stops=stops, under=self.under)

    def compliance(self) -> dict[str, StaticCompliance]:
        """As the picture shows the robot, and stretched out."""
        if self.where is None:
            raise ModelError("no poses are known to ask for it: robot.static_compliance(q)")
        poses = {"as drawn": standing(self.full.on_fixed_base, self.where), "stretched out": self.stretched}
        return {name: static_compliance(self.full, q, self.tip) for name, q in poses.items()}

    def duty_map(self) -> DutyMap:
        """Over the duty that is given."""
        if self.duty is None:
            raise ModelError("no duty is given: a motion (--motion, [motion] of a project) has it")
        masses = np.linspace(0.0, 1.25 * self.mass, 6) if self.mass else None
        return duty_map(self.bare, self.duty, masses, hours=self.hours, link=self.tip,
                        center_of_mass=tuple(self.center.tolist()), under=self.under)
