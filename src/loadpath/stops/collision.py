"""`robot.collision(motion, at=..., link=..., stiffness=...)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from loadpath.errors import ModelError
from loadpath.motion.motion import Motion
from loadpath.progress import Report, reporting
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import known
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.power_off import BrakeLike
from loadpath.simulate.result import Simulation
from loadpath.simulate.simulation import simulate
from loadpath.stops.collided import Collision, ContactLimits
from loadpath.stops.contact import Contact, reflected_mass, with_struck_body
from loadpath.stops.power_off import Acting, PowerOff, brakes_for
from loadpath.stops.reading import (
    instants_of,
    motion_of,
    not_negative_of,
    positive_of,
    torques_from,
    torques_of,
    vector_of,
)

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Reaction = Literal[0, 2]

LONGEST = 0.5
"""s: of a contact to which no drive reacts. It is how long ISO/TS 15066 calls a contact transient."""
LONGEST_STOP = 10.0
"""s: of a robot whose drives react."""
SAMPLES = 200
"""Of half a period of the contact."""
CLOSELY = 21
"""Samples about the largest force, two steps apart in all."""
RTOL, LOOKED_AT_RTOL = 1e-12, 1e-7
"""Of the integration; where only the worst instant is looked for."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked for, read."""

    robot: RobotQuantities
    simulated: RobotQuantities
    """With the body that is hit."""
    motion: Motion
    tau: Floats
    """(samples, n): of the drives in the motion."""
    link: str
    point: Floats
    direction: Floats | None
    stiffness: float
    damping: float
    mass: float
    limits: ContactLimits
    category: Reaction | None
    reaction_time: float
    threshold: Floats
    power_off: PowerOff | None
    longest: float


def collision(
    robot: RobotQuantities,
    motion: Motion | Simulation,
    at: float | str | Sequence[float] | Floats = "worst",
    *,
    stiffness: float | Sequence[float],
    damping: float = 0.0,
    mass: float | None = None,
    link: str | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    direction: ArrayLike | None = None,
    force_limit: float | Mapping[str, float] | None = None,
    pressure_limit: float | Mapping[str, float] | None = None,
    area: float | None = None,
    category: Reaction | None = None,
    reaction_time: float = 0.0,
    threshold: float | Mapping[str, float] = 0.0,
    brakes: Mapping[str, BrakeLike] | None = None,
    delay: float | Mapping[str, float] | None = None,
    gear_losses: bool = True,
    longest: float | None = None,
    progress: bool | Report = False,
) -> Collision:
    """A collision at an instant of a motion: the force of the contact over time, how long and how hard, the energy that
    goes over, and the peaks of all loads, by cause. See `Collision`.

    `at` is the instant (s); "worst" is the one with the largest force of all samples of the motion, an array of
    instants the worst of these. The `point` (m, in the frame of the `link`; unless given the only end) hits along
    `direction` (world axes; unless given, the way it goes at that instant):

    - `stiffness` (N/m) of the contact, or several in series, as that of a cover and of a body region; `damping` N s/m;
    - `mass` (kg) of what is hit, as the effective mass of a body region, which is free and at rest; unless given it is
      clamped.

    The whole robot moves on under its drives' torques of the motion. With `category=0` they go off and brakes grip
    (`brakes`, `delay`, `gear_losses` as in `robot.stop`), with `category=2` each drive brakes its joint with the effort
    that it has beyond holding gravity: `reaction_time` (s) after the contact's torque at a joint exceeds `threshold`
    (N m, one or by joints).

    Limits are what you type, as from ISO/TS 15066: `force_limit` (N), `pressure_limit` (Pa) over `area` (m^2), a number
    or `{"transient": 280.0, "quasi-static": 140.0}`: the first 0.5 s, and what lasts longer.

    >>> import loadpath as lp
    >>> rod = lp.catalog.planar(1, gravity=0)                             # 1/3 kg m^2, its tip 1 m from the axis
    >>> turns = lp.Motion([0.0, 1.0], [[0.0], [1.5]], [[1.5], [1.5]], [[0.0], [0.0]])
    >>> hit = rod.collision(turns, at=0.5, stiffness=75_000.0, mass=4.4, force_limit=280.0)
    >>> round(hit.reflected_mass, 9), round(hit.peak_force, 1), hit.holds   # 1.5 sqrt(75,000 / (3 + 1 / 4.4))
    (0.333333333, 228.7, True)
    """
    asked = read(robot, motion, stiffness, damping, mass, link, point, direction,
                 ContactLimits.read(force_limit, pressure_limit, area), category, reaction_time, threshold, brakes,
                 delay, gear_losses, longest)
    instants = instants_of(asked.motion, at, "collision")
    if isinstance(at, str) or np.ndim(at):
        sizes = np.empty(len(instants))
        with reporting(progress, f"collisions of {robot.name}") as report:
            for k, t in enumerate(instants.tolist()):
                sizes[k] = size_at(asked, t)
                report((k + 1) / len(instants))
        if not sizes.max() > 0:
            raise ValueError(f"collision: at none of {len(instants)} instants '{asked.link}' goes "
                             f"{'anywhere' if asked.direction is None else 'along the direction'}")
        return collided(asked, float(instants[sizes.argmax()]), instants, sizes)
    return collided(asked, float(instants[0]), np.empty(0), np.empty(0))


def read(
    robot: RobotQuantities, motion: Motion | Simulation, stiffness: object, damping: object, mass: object,
    link: str | None, point: ArrayLike, direction: ArrayLike | None, limits: ContactLimits, category: object,
    reaction_time: object, threshold: object, brakes: Mapping[str, BrakeLike] | None,
    delay: float | Mapping[str, float] | None, gear_losses: object, longest: object,
) -> Asked:
    """What is asked for, or an error that says what is wrong with it."""
    motion = motion_of(robot, motion, "collision")
    springs = list(stiffness) if isinstance(stiffness, (list, tuple, np.ndarray)) else [stiffness]
    if not springs:
        raise ValueError("collision: 'stiffness' is empty: expected N/m, one number or several in series")
    in_series = sum(1.0 / positive_of("collision", one, "stiffness", "stiffness") for one in springs)
    m = math.inf if mass is None or mass == math.inf else positive_of("collision", mass, "mass", "mass")
    if category is not None and (isinstance(category, bool) or category not in (0, 2)):
        raise ValueError(f"collision: category is {category!r}: expected None (the drives do not react), 0 (they go "
                         "off and brakes grip) or 2 (they brake and hold)")
    if category != 0 and (brakes is not None or delay is not None):
        raise ValueError("collision: brakes and their delay belong to category=0: without it the drives have the robot")
    if category is None and (reaction_time != 0.0 or threshold != 0.0):
        raise ValueError("collision: 'reaction_time' and 'threshold' say when the drives react, and they do not: "
                         "give category=0 or 2")
    if longest is None:
        longest = LONGEST if category is None else LONGEST_STOP
    most = positive_of("collision", longest, "longest", "time")
    simulated = with_struck_body(robot) if np.isfinite(m) else robot
    power_off = None
    if category == 0:
        power_off = PowerOff(simulated, brakes_for(robot, brakes, delay, "collision"), bool(gear_losses), most)
    return Asked(
        robot, simulated, motion, torques_of(robot, motion), link_or_only_end(robot, link, "hits"),
        vector_of("collision", point, "point", "length"), None if direction is None else direction_of(direction),
        1.0 / in_series, not_negative_of("collision", damping, "damping", "damping of a slide"), m, limits,
        category, not_negative_of("collision", reaction_time, "reaction_time", "time"),
        threshold_of(robot, threshold), power_off, most)


def direction_of(value: ArrayLike) -> Floats:
    """Of length one."""
    found = vector_of("collision", value, "direction", "plain number")
    if not found.any():
        raise ValueError("collision: 'direction' is zero: expected the way along which the point hits, world axes")
    return np.asarray(found / np.linalg.norm(found))


def threshold_of(robot: RobotQuantities, value: object) -> Floats:
    """(n,): N m of each joint at which the drives notice the contact; without an entry, never."""
    if not isinstance(value, Mapping):
        return np.full(robot.n, not_negative_of("collision", value, "threshold", "torque"))
    found = np.full(robot.n, np.inf)
    for name, torque in value.items():
        known(name, robot.dof_names, "joint (threshold)")
        found[robot.dof_names.index(name)] = not_negative_of("collision", torque, f"threshold of '{name}'", "torque")
    return found


def contact_at(asked: Asked, t: float) -> tuple[Contact, Floats, Floats, float] | None:
    """The contact at an instant, the state of the robot there and how fast the point goes along it; None where it does
    not go along it.
    """
    here = asked.motion.at(t)
    q, qd = here.q[0], here.qd[0]
    J = np.asarray(asked.robot.tree.jacobian(q, asked.link, point=asked.point))[:3]
    velocity = J @ qd
    speed = float(np.linalg.norm(velocity))
    n = asked.direction
    if n is None:
        if speed <= 1e-9:
            return None
        n = velocity / speed
    contact = Contact(asked.robot, asked.link, asked.point, n, asked.stiffness, asked.damping, asked.mass, 0.0)
    reach, rate, _ = contact.reach(q, qd)
    return None if rate <= 1e-9 else (replace(contact, begin=float(reach)), q, qd, float(rate))


def period(contact: Contact, reflected: float) -> float:
    """s: half a period of two masses and the spring."""
    both = 1.0 / ((0.0 if reflected == math.inf else 1.0 / reflected) + 1.0 / contact.mass)
    return math.pi * math.sqrt(both / contact.stiffness)


def drives_of(asked: Asked, contact: Contact, at: float) -> Callable[[float, Floats, Floats], Floats]:
    """Torques of the motion's drives, and what pushes the body."""
    given = torques_from(asked.robot, asked.motion, asked.tau, at)
    if not contact.moves:
        return lambda t, q, qd: given(t)
    return lambda t, q, qd: np.append(given(t), contact.on_body(q, qd))


def powered(
    asked: Asked, contact: Contact, at: float, q: Floats, qd: Floats, times: Floats, step: float, rtol: float,
    until: Callable[..., float] | None,
) -> Simulation:
    """What happens while the drives go on, up to where `until` changes its sign."""
    return simulate(asked.simulated, *contact.start(q, qd), drives_of(asked, contact, at), times=times,
                    external=contact.external, stop=until, max_step=step, rtol=rtol)


def noticed(asked: Asked, contact: Contact, at: float, q: Floats, qd: Floats, step: float) -> float | None:
    """s after the contact begins: when its torque at a joint first exceeds the threshold; None if it never does."""
    if not asked.threshold.any():
        return 0.0

    def excess(t: float, q: Floats, qd: Floats) -> float:
        pressed, rate, _ = contact.pressed(q, qd)
        J = np.asarray(asked.robot.tree.jacobian(q[: asked.robot.nq], asked.link, point=asked.point))[:3]
        torque = np.abs(contact.force(pressed, rate) * (contact.direction @ J))
        sensed = np.isfinite(asked.threshold)
        return float((torque - asked.threshold)[sensed].max()) if sensed.any() else -1.0

    run = powered(asked, contact, at, q, qd, np.array([0.0, LONGEST]), step, RTOL, excess)
    return float(run.times[-1]) if run.stopped else None


def grid(step: float, end: float) -> Floats:
    """Moments: closely over the first bounce and a half, then less so."""
    close = np.arange(0, int(1.6 * SAMPLES) + 1) * (step / SAMPLES)
    wide = np.arange(0.0, end, max(1e-3, step / SAMPLES))
    both = np.unique(np.concatenate([close, wide, [end]]))
    both = both[both <= end]
    kept: Floats = both[np.append(True, np.diff(both) > 1e-9)]
    return kept


def runs(asked: Asked, contact: Contact, at: float, q: Floats, qd: Floats, half: float, rtol: float, more: Floats
         ) -> tuple[list[tuple[float, Simulation]], float | None]:
    """Simulations one after the other with the times at which they begin, and when the drives react."""
    step = half / 10
    when = None if asked.category is None else noticed(asked, contact, at, q, qd, step)
    if when is None:
        end = LONGEST if asked.category is not None else asked.longest
        times = np.union1d(grid(half, end), more[more < end])
        return [(0.0, powered(asked, contact, at, q, qd, times, step, rtol, contact.margin))], None
    when += asked.reaction_time
    found: list[tuple[float, Simulation]] = []
    state = contact.start(q, qd)
    if when > 0:
        times = np.union1d(grid(half, when), more[(more > 0) & (more < when)])
        run = powered(asked, contact, at, q, qd, times, step, rtol, None)
        found.append((0.0, run))
        state = (run.q[-1], run.qd[-1])
    off = reacting(asked, contact, state[0], step)
    later = np.concatenate([more - when, grid(half, half * 1.6)])
    run, _ = off.whole(*state, later[later > 0])
    return [*found, (when, run)], when


def reacting(asked: Asked, contact: Contact, q: Floats, step: float) -> PowerOff:
    """Brakes that grip, or drives that brake with the effort that they have beyond holding gravity."""
    n = asked.robot.n

    def pushed(t: float, q: Floats, qd: Floats) -> Floats:
        return np.append(np.zeros(n), contact.on_body(q, qd))

    if asked.power_off is not None:
        acting = Acting(contact.external, pushed if contact.moves else None, step, n)
        return asked.power_off._replace(acting=acting)
    robot = asked.robot
    efforts = np.full(n, math.inf)
    for joint in robot.joints:
        where = robot.v_slices.get(joint.name)
        if where is not None and joint.mimic is None:
            efforts[where] = [limits.effort for limits in joint.limits] or math.inf
    holding = np.asarray(robot.gravity_forces(q[: robot.nq]))
    brakes: dict[str, list[float]] = {}
    for name, effort, weight in zip(robot.dof_names, efforts, holding, strict=True):
        if not math.isfinite(effort):
            raise ModelError(f"collision: no effort limit is known of '{name}', with which its drive could brake: give "
                             "it lp.Limits(effort=...), or category=0")
        if effort <= abs(weight):
            raise ModelError(f"collision: the drive of '{name}' has {effort:.4g}, and gravity takes {abs(weight):.4g}: "
                             "it cannot brake")
        brakes[name] = [float(effort - abs(weight))]

    def held(t: float, q: Floats, qd: Floats) -> Floats:
        weights = np.asarray(robot.gravity_forces(q[: robot.nq]))
        return np.append(weights, contact.on_body(q, qd)) if contact.moves else weights

    return PowerOff(asked.simulated, brakes, False, asked.longest, Acting(contact.external, held, step, n))


def size_at(asked: Asked, t: float) -> float:
    """The largest force of the collision at one instant, about, N."""
    begun = contact_at(asked, t)
    if begun is None:
        return 0.0
    contact, q, qd, _ = begun
    half = period(contact, reflected_mass(asked.robot, contact, q))
    found, _ = runs(replace(asked, category=None), contact, t, q, qd, half, LOOKED_AT_RTOL, np.empty(0))
    return float(forces_of(contact, found)[1].max())


def forces_of(contact: Contact, found: list[tuple[float, Simulation]]) -> tuple[Floats, Floats]:
    """Times and forces of simulations."""
    times = np.concatenate([begin + run.times for begin, run in found])
    force = np.concatenate([contact.force(*contact.pressed(run.q, run.qd)[:2]) for _, run in found])
    return times, force


def collided(asked: Asked, t: float, instants: Floats, sizes: Floats) -> Collision:
    """The collision at one instant."""
    begun = contact_at(asked, t)
    if begun is None:
        raise ValueError(f"collision: at t = {t:.6g} s '{asked.link}' does not go "
                         f"{'anywhere' if asked.direction is None else 'along the direction'}: take another instant")
    contact, q, qd, speed = begun
    reflected = reflected_mass(asked.robot, contact, q)
    half = period(contact, reflected)
    found, when = runs(asked, contact, t, q, qd, half, RTOL, np.empty(0))
    times, force = forces_of(contact, found)
    closely = top_of(times, force) + half / SAMPLES * np.linspace(-1.0, 1.0, CLOSELY)
    found, when = runs(asked, contact, t, q, qd, half, RTOL, closely[closely > 0])
    return Collision(asked.robot, t, contact, speed, reflected, asked.limits, asked.category, when, tuple(found),
                     instants, sizes)


def top_of(times: Floats, values: Floats) -> float:
    """When a sampled curve is highest: of a parabola through its highest sample and the two beside it."""
    k = int(values.argmax())
    if not 0 < k < len(values) - 1:
        return float(times[k])
    a, _, c = times[k - 1 : k + 2] - times[k]
    u, _, w = values[k - 1 : k + 2] - values[k]
    curved = (u / a - w / c) / (a - c) if a and c and a != c else 0.0
    if curved >= 0:
        return float(times[k])
    slope = u / a - curved * a
    return float(times[k] + np.clip(-slope / (2 * curved), a, c))
