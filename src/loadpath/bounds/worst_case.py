"""The largest load that a robot meets anywhere in a box of states, and a bound that no state of the box exceeds:
`robot.worst_case("joint2", "tilting_moment", over=...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

from loadpath.bounds.asked import Asked, Sense, asked_of
from loadpath.bounds.box import Box, refuse_unbounded
from loadpath.bounds.payload import Carrying
from loadpath.bounds.result import WorstCase
from loadpath.bounds.search import SAMPLES, checked_effort, search
from loadpath.errors import ModelError
from loadpath.progress import Report, reporting
from loadpath.quantities.carriers import is_closed
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


@takes_loads
def worst_case(
    robot: RobotQuantities,
    *what: str | tuple[str, str],
    over: Box | Mapping[str, object] | None = None,
    sense: Sense | None = None,
    tolerance: float = 1e-3,
    seconds: float = 60.0,
    progress: bool | Report = False,
    **acting: Unpack[LoadKeywords],
) -> WorstCase:
    """The largest value of a load over a box of states, the state that attains it, and a bound that no state of the box
    exceeds: `robot.worst_case("joint2", "tilting_moment", over=...)`.

    What is asked for are the names of `peak_loads`: a joint with a component (`"torque_x"`) or a resultant
    (`"radial_force"`) of its wrench, or a degree of freedom with `"drive"`. `over` is an `lp.Box` of positions, speeds
    and accelerations, and of the payload; or a dict with `q`, `qd`, `qdd`; or a dict of positions by names. Positions
    and speeds that it does not name have the limits of the robot.

    `sense` is `"magnitude"`, `"max"` or `"min"`. The search ends when the bound is within `tolerance` of the value,
    relatively; then the result is `certified`. It ends without that after `seconds`, and says the gap. `progress=True`
    shows how much of that time is gone; a function is called with the share.

    Samples come first, then local searches from the best of them, then bounds: see `loadpath.bounds.nested` for chains
    at rest, and `loadpath.bounds.harmonics` for branch and bound.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)                                  # two rods of 1 m and 1 kg
    >>> arm.worst_case("joint1", "drive", over=lp.Box(qd=0))        # both level: 1 kg * g * (0.5 + 1.5) m
    <worst case of 'joint1': drive 19.62 N m, certified: at most 19.62 N m in every state of the box>
    """
    name, quantity = names(what)
    refuse(robot)
    checked_effort(tolerance, seconds)
    under = acting.get("under")
    box = Box.read(over, robot)
    if box.of_base:
        raise ValueError(f"the box has the {next(iter(box.of_base))} of a base on wheels, and robot '{robot.name}' has "
                         "none: base_velocity= and base_acceleration= are one motion of the base")
    low, high = box.of(robot)
    carrying = Carrying.of(robot, box)

    def of(loaded: RobotQuantities) -> Asked:
        return asked_of(loaded, name, quantity, sense, under)

    asked = of(robot) if carrying is None else carrying.asked(of)
    if carrying is not None:
        low, high = carrying.with_ends(low, high)
    with reporting(progress, f"worst {quantity} of {name}") as report:
        found = search(asked, low, high, tolerance, seconds, report)
    n, state = robot.n, found.state
    return WorstCase(
        name, quantity, asked.sense, found.value, found.bound, tolerance, found.certified,
        state[:n], state[n : 2 * n], state[2 * n : 3 * n], found.largest_sample, SAMPLES, found.boxes, found.seconds,
        asked.unit, robot.dof_names,
        also=dict(zip(asked.variables.names[3 * n :], state[3 * n :].tolist(), strict=True)),
        robot=robot if carrying is None else carrying.robot_of(state),
        acting={} if under is None else under.keywords,
    )


def refuse(robot: RobotQuantities) -> None:
    """Refuse robots whose states fill no box."""
    refuse_unbounded(robot)
    if is_closed(robot):
        raise ModelError(f"robot '{robot.name}' is closed by {', '.join(robot.closing_names)}: its states fill no box. "
                         "Ask peak_loads of states that robot.complete(q, qd, qdd) closes")


def names(what: tuple[str | tuple[str, str], ...]) -> tuple[str, str]:
    """A name and a quantity, given as two arguments or as a pair."""
    parts = what[0] if len(what) == 1 and isinstance(what[0], tuple) else what
    if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"worst_case is of a name and a quantity, like 'joint2', 'tilting_moment', not {what!r}")
    return str(parts[0]), str(parts[1])
