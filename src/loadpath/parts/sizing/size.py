"""`robot.size(motion, {"joint2": gears, ...})`: which parts of tables hold together, and the lightest of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from loadpath.errors import ModelError, ModelWarning, warn
from loadpath.motion import DutySpectrum
from loadpath.parts.fitting import parts_of
from loadpath.parts.sizing.loads import Loads, train_of
from loadpath.parts.sizing.options import Option, Tables, ask_of_masses, options_of, with_option
from loadpath.parts.sizing.result import Sizing
from loadpath.parts.sizing.search import Tree, best, every, in_order
from loadpath.parts.sizing.stations import Station, Variant
from loadpath.parts.sizing.unchecked import Unchecked, ask_of_ratings
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.parts.verdict.limits import OwnLimits
from loadpath.parts.verdict.result import Asked, Verdict
from loadpath.parts.verdict.running import checked_hours, run
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

SMALL = 20_000
"""So many combinations are all looked at."""
_AGREES = 1e-6


@takes_loads
def size(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    choices: Mapping[str, Tables],
    *,
    hours: float | None = None,
    minimise: str | Sequence[str] = "mass",
    count: int = 10,
    exhaustive: bool | None = None,
    progress: bool | Report = False,
    **acting: Unpack[DriveLoadKeywords],
) -> Sizing:
    """Which parts to take at several joints: every combination is judged as `verdict` judges it, with the masses of its
    parts on the joints before and its rotors in the drives. See `Sizing`.

    `choices` has a table of parts for each joint (`lp.parts.read`), or several, of which one part each is taken:
    `[gears, motors]`. The `mass` of what is chosen sits at the joint, on the link before it; links must not have it
    already. It takes the place of parts of its kind at the joint; what a row does not say of the drive train stays.
    `motion`, `hours` and what acts are as in `verdict`.

    `minimise` names what is to be small: "mass", or any column of all tables; of two or more, `front` is what no other
    is better than. Up to 20,000 combinations are all judged (`exhaustive`); of more, branch and bound from the tip to
    the base finds the `count` best, or the front, for certain. The best one is confirmed by its verdict.

    >>> import loadpath as lp
    >>> gears = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=t, name=f"size {n}") for n, t in
    ...                         [(14, 28), (20, 82), (25, 157), (32, 333)]], mass=[0.1, 0.3, 0.5, 1.0])
    >>> arm = lp.catalog.planar(2).with_payload(4.0)
    >>> found = arm.size(lp.Motion.swing(arm), {"joint1": gears, "joint2": gears})
    >>> found.combinations, found.count, found.best.names
    (16, 2, {'joint1': ('size 32',), 'joint2': ('size 25',)})
    """
    _refuse(robot)
    asked = Asked(acting["under"], checked_hours(hours))
    aims = (minimise,) if isinstance(minimise, str) else tuple(minimise)
    if not aims or not all(isinstance(aim, str) for aim in aims):
        raise ModelError(f"size: minimise is {minimise!r}: expected \"mass\" or a column of the tables, or several")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(f"size: count is {count!r}: expected how many of the best are wanted, one or more")
    options = options_of(robot, choices, aims)
    ask_of_masses(options)
    with reporting(progress, f"sizes of {robot.name}") as report:
        duties = duties_of(robot, "size", motion, None, None, asked.case)
        _refuse_motion(robot, duties)
        tree = _tree(robot, duties, options, asked)
        ask_of_ratings(tree)
        every_one = tree.count <= SMALL if exhaustive is None else exhaustive
        nodes = every(tree, report) if every_one else best(tree, count, report)

    def judge(other: RobotQuantities) -> Verdict:
        return run(other, duties_of(other, "size", motion, None, None, asked.case), asked)

    found = Sizing(robot, tree, nodes, aims, exhaustive=every_one, judge=judge, unchecked=Unchecked(tree))
    _confirm(found)
    return found


def _refuse(robot: RobotQuantities) -> None:
    if robot.held_by_loops or robot.beams:
        what = "has loops" if robot.held_by_loops else "has beams"
        raise ModelError(f"size: robot '{robot.name}' {what}, and then what is chosen at a joint loads others than "
                         "those before it: lp.study with lists of parts judges designs one by one")


def _refuse_motion(robot: RobotQuantities, duties: tuple[Duty, ...]) -> None:
    """Speeds and positions that no choice changes must hold."""
    limits = OwnLimits(robot)
    for duty in duties:
        for block in duty.blocks():
            q, qd, _ = block.arrays
            limits.add(block, np.arange(len(block)), q, qd, np.zeros((len(block), robot.n)))
    for name, check in limits.checks():
        if check.check != "effort" and check.checked and not check.holds:
            raise ModelError(f"size: the motion exceeds the {check.check} limit of '{name}' "
                             f"({100 * check.utilisation:.4g} % of it), whatever is chosen")


def _tree(
    robot: RobotQuantities, duties: tuple[Duty, ...], options: Mapping[str, tuple[Option, ...]], asked: Asked
) -> Tree:
    """What is chosen and judged, from the tip to the base."""
    joints = in_order(list(options), robot.joint_names)
    fitted = _fitted(robot, options)
    seats = list(dict.fromkeys([*joints, *(name for name, _ in robot.parts)]))
    loads = Loads(robot, duties, joints, seats)
    lightest = np.array([min(option.mass for option in options[joint]) for joint in joints])
    heaviest = np.array([max(option.mass for option in options[joint]) for joint in joints])
    extremes = np.stack([lightest, heaviest])
    stations = [_station(robot, loads, name, options.get(name), fitted, asked.hours, extremes)
                for name in dict.fromkeys([*seats, *robot.dof_names])]
    levels: list[list[Station]] = [[] for _ in joints]
    for station in stations:
        if station is None:
            continue
        own = [joints.index(station.name)] if station.name in joints else []
        levels[max([*own, *station.felt], default=0)].append(station)
    count = sum(map(len, duties))
    return Tree(joints, tuple(options[joint] for joint in joints), tuple(map(tuple, levels)), count)


def _fitted(robot: Any, options: Mapping[str, Iterable[Option]]) -> dict[str, list[Any]]:
    """The robot with each option by itself; what is asked of its numbers is asked once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        found = {joint: [with_option(robot, option) for option in several] for joint, several in options.items()}
    for text in dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, ModelWarning)):
        warn(text)
    return found


def _station(
    robot: Any, loads: Loads, name: str, options: tuple[Option, ...] | None, fitted: Mapping[str, list[Any]],
    hours: float | None, extremes: Floats,
) -> Station | None:
    """A joint with what can be chosen there; None where nothing is judged."""
    variants = [_variant(one, name) for one in (fitted[name] if options is not None else [robot])]
    effort = None
    if name in robot.dof_names:
        k = robot.dof_names.index(name)
        limit = float(OwnLimits(robot).effort[k])
        if np.isfinite(limit):
            joint = robot.joint(name) if name in robot.joint_names else None
            own = 0.0 if joint is None else joint.reflected_inertia[0]
            tau = type(loads.tau)(loads.tau.base[k], loads.tau.slopes[:, k])
            effort = tau, loads.states.qdd[:, k], own, limit
    if effort is None and not any(variant.parts for variant in variants):
        return None
    return Station(name, variants, loads.seats.get(name), effort, hours, extremes)


def _variant(robot: Any, name: str) -> Variant:
    """Parts and drive train that a robot has at a joint."""
    parts = tuple(part for where, part in parts_of(robot) if where == name)
    return Variant(train_of(robot, name), parts)


def _confirm(found: Sizing) -> None:
    """The best is judged as any robot is: it must come to the same."""
    if found.best is None:
        return
    verdict = found.verdict()
    worst = verdict.worst
    used = 0.0 if worst is None else worst.utilisation
    fixed = [row.utilisation for row in verdict.checks if row.checked and not row.is_load]
    expected = max([found.best.utilisation, *fixed])
    if verdict.failing or abs(used - expected) > _AGREES * max(1.0, expected):
        raise RuntimeError(f"size: {found.best} is not what its verdict says: {worst}; please report this, with the "
                           "tables and the motion")
