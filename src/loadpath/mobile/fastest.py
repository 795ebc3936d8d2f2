"""The fastest motion of an arm on a rover that stands, and of a rover that rolls, within what its contacts hold.

The wrench of the ground is what the base's foundation gives, or, of the robot on a planar joint, what that joint
carries: affine in s'' and s'^2 as all wrenches are. Where no contact lifts and none slips, contacts share it by
compliances alone (`loadpath.mobile.contacts`), so every force of a contact is a fixed number of times the wrench (and
what spins up wheels and resists rolling, of the base's acceleration and of normal forces): rows of a matrix. With it,

    normal force at least or at most,    margin m:  m F_z - (moment about an edge) <= 0,    |friction| <= mu N

are linear forms and friction cones. Friction is shared without limits: a share within limits that only exists because
some contact creeps is not counted on, so where `slip` says that one holds beyond that, a motion here is slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.asked import Given
from loadpath.fastest.cones import Cone
from loadpath.fastest.demands import Sum
from loadpath.fastest.limits import Limits, Name
from loadpath.fastest.loads import BASE, WRENCH, Carried, Model
from loadpath.fastest.path import Path, refuse_quaternions, with_timing
from loadpath.fastest.result import Fastest
from loadpath.fastest.run import within
from loadpath.mobile.contacts.given_motion import scrubs
from loadpath.mobile.ground_wrench import spin_moment
from loadpath.mobile.quantities import reduced_rover
from loadpath.mobile.support import edges_of
from loadpath.motion.motion import Motion
from loadpath.robot.numbers import known, number
from loadpath.scalars import Array, array, cos, sin
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import MotionLike, StatesLike, read_states, refuse_keywords
from loadpath.states.keywords import MOVES_BY

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

KINDS = ("normal", "wheel_load", "margin", "slip", "wheel_torque")
"""Limits of contacts, by the keys of `limits`."""
OF_JOINTS = ("torque", "speed", "acceleration", "torque_rate", "jerk")
"""What one number limits at the joints of the arms alone, not at the base."""
NO_LOADS = {
    **MOVES_BY,
    "external": "it is without wrenches on links: rover.stability and slip of its states, external=..., judge it under "
                "them, and limits of margin and slip leave room",
    "base": "a path in the coordinates of rover.planar moves the base: x, y and heading before those of the arms",
}
"""Why the fastest motion does not take loads, and what to do."""
SAME = 1e-9
SIZE = 9
"""Entries of what contacts share: wrench of the ground, accelerations of the base."""
End = float | Literal["rest", "any"]


def fastest(
    rover: Rover,
    path: Path | MotionLike | ArrayLike,
    limits: Given | None = None,
    *,
    factor: float | Mapping[str, float] = 1.0,
    start: End = "rest",
    end: End = "rest",
    also: Sequence[Rover] = (),
    intervals: int | None = None,
    heading: float = 0.0,
    **others: Never,
) -> Fastest:
    """`Robot.fastest` of a rover: its arms move while it stands with a `heading` (rad), or it rolls as well.

    A path in the coordinates of the arms is one while the base stands. One in those of `rover.planar`, x and y of the
    base in the frame of the ground and its heading before those of the arms, is one on which it rolls, on a course on
    which its wheels keep their angles: straight, on one circle, on the spot. The result is that of the robot so meant;
    `rover.from_planar(q, qd, qdd)` makes its states those of the rover.

    Beside the limits of robots there are, by contacts or one number for all: `"normal"`, the least normal force (N);
    `"wheel_load"`, the largest; `"wheel_torque"` of driven wheels (N m); `"margin"`, the least distance (m) of the
    zero-moment point from an edge of the support polygon; `"slip"`, the largest share of its friction that a contact
    uses. Without a word no edge is tipped over (margin 0), no contact of known friction slips (slip 1), and contacts
    with a rating carry no more than it.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> points = [[0, 0, 0.5], [1, 0, 0.5]]
    >>> quick = rover.fastest(points, {"torque": 200.0, "speed": 20.0, "margin": False, "slip": False})
    >>> safe = rover.fastest(points, {"torque": 200.0, "speed": 20.0, "margin": 0.05})
    >>> safe.duration > quick.duration, bool(rover.stability(*safe.sampled(9)).margin.min() > 0.05 - 1e-6)
    (True, True)
    """
    refuse_keywords("fastest", others, NO_LOADS)
    given: dict[str, Any] = dict(limits or {})
    for other in also:
        if other.contact_names != rover.contact_names:
            raise ModelError(f"fastest: rover '{other.name}' of 'also' has other contacts than '{rover.name}'")
    for each in (rover, *also):
        _refuse(each)
    way = _way(rover, with_timing(rover, path))
    rolls = isinstance(way, Path) and way.n == rover.n + PLANE and not rover.closing_names
    more: list[Limits] = []
    robots = []
    for k, each in enumerate((rover, *also)):
        robot = each.planar if rolls else each.facing(heading)
        robots.append(robot)
        suffix = f" ({k + 1})" if also else ""
        contacts = _rolling(each, robot, way) if rolls and isinstance(way, Path) else _standing(each, robot)
        more += _limits(each, contacts, given, _shares(factor), suffix)
    own = {kind: value for kind, value in given.items() if kind not in KINDS}
    if rolls:
        own |= {kind: _of_arms(rover, own[kind], kind) for kind in OF_JOINTS if kind in own}
    if isinstance(factor, Mapping):
        factor = {kind: value for kind, value in factor.items() if kind not in KINDS}
    return within(robots[0], way, own, factor=factor, start=start, end=end,
                  also=robots[1:], intervals=intervals, more=more)


def _way(rover: Rover, path: Path | Motion | ArrayLike) -> Path | Motion | ArrayLike:
    """The path, whose coordinates are those of the arms or of the base as well; of closed arms as it is."""
    if not rover.closing_names:
        refuse_quaternions(rover.robot)
        way = Path.of(path)
        if way.n not in (rover.n, rover.n + PLANE):
            raise ValueError(f"the path has {way.n} coordinates, and rover '{rover.name}' stands with {rover.n}, "
                             f"{', '.join(rover.dof_names)}, and rolls with {rover.n + PLANE}, x, y and heading before "
                             "them")
        return way
    width = (path.n,) if isinstance(path, Path) else np.shape(path.q if isinstance(path, Motion) else path)[-1:]
    stands = rover.mobility, rover.nq
    if width in [(n + PLANE,) for n in stands] and width not in [(n,) for n in stands]:
        raise ModelError(f"fastest: rover '{rover.name}' rolls on this path, and its robots are closed by "
                         f"{', '.join(rover.closing_names)}: of both there is the fastest motion while it stands")
    return path


PLANE = 3
"""Coordinates of a base on the ground."""


def from_planar(
    rover: Rover, q: StatesLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, **others: Never
) -> dict[str, Floats]:
    """States (..., 3 + n) of `rover.planar`, or a motion of it, as the keywords of a rover's quantities: q, qd and qdd
    of its arms, velocity and acceleration of its base along its own axes, and its heading.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> states = [1.0, 0, 0.5 * np.pi, 0, 0, 0.5], [0, 2.0, 0.1, 0, 0, 0], np.zeros(6)
    >>> rover.from_planar(*states)["velocity"].round(12).tolist()
    [2.0, 0.0, 0.1]
    """
    refuse_keywords("from_planar", others, "its states have the motion of the base, and loads are given where they are "
                    "asked for: rover.wheel_loads(**rover.from_planar(...), external=...)")
    states = read_states(rover.planar, q, qd, qdd, caller="from_planar")
    where, rate, bend = (np.asarray(part, dtype=float) for part in states[:3])
    for name, part, size in (("q", where, rover.nq), ("qd", rate, rover.n), ("qdd", bend, rover.n)):
        if part.shape[-1:] != (size + PLANE,):
            raise ValueError(f"from_planar: '{name}' has the shape {part.shape}: expected (..., {size + PLANE})")
    parts = _body(where[..., 2], [rate[..., k] for k in range(3)], [bend[..., k] for k in range(3)], np.cos, np.sin)
    velocity, acceleration = (np.stack(np.broadcast_arrays(*each), axis=-1) for each in parts)
    return {"q": where[..., PLANE:], "qd": rate[..., PLANE:], "qdd": bend[..., PLANE:], "velocity": velocity,
            "acceleration": acceleration, "heading": where[..., 2]}


def _body(angle: Any, rate: Any, bend: Any, cosine: Callable[..., Any], sine: Callable[..., Any]) -> Any:
    """Velocity of the base along its own axes, and the rates of these numbers, from those in the ground's frame."""
    c, s, w = cosine(angle), sine(angle), rate[2]
    vx, vy = c * rate[0] + s * rate[1], c * rate[1] - s * rate[0]
    return [vx, vy, w], [c * bend[0] + s * bend[1] + w * vy, c * bend[1] - s * bend[0] - w * vx, bend[2]]


def _of_arms(rover: Rover, given: Any, kind: str) -> Any:
    """Numbers for the joints of the arms, by their names."""
    if given is None or isinstance(given, (bool, Mapping)):
        return given
    values = np.broadcast_to(np.asarray(given, dtype=float), (rover.n,)) if np.size(given) in (1, rover.n) else None
    if values is None:
        raise ValueError(f"{kind} limits have the shape {np.shape(given)}: expected one number or {rover.n}, of the "
                         "joints of the arms, or a dict by name")
    return dict(zip(rover.dof_names, values.tolist(), strict=True))


def _refuse(rover: Rover) -> None:
    """What has no fixed shares of its contacts."""
    why = None
    if rover.base.on_links:
        why = "wheels on links, which lift and turn with passive joints"
    elif rover.ground.plane is not rover.ground or rover.ground.motion is not None:
        why = "ground that is uneven or moves"
    elif not rover.base.on_plain_springs:
        why = "wheels on springs that are not in proportion"
    if why is not None:
        raise ModelError(f"fastest: rover '{rover.name}' has {why}, and how contacts share loads is not linear then: "
                         "rover.on_fixed_base.fastest(...) is that of its robots on a base at rest, and "
                         "rover.stability, slip and wheel_loads judge the motion")


# What contacts share


@dataclass(frozen=True, eq=False)
class Contacts:
    """Forces of contacts as rows of what is carried: normal, along, across and torque of each, (contacts, 4, m)."""

    model: Model
    load: Carried
    columns: slice
    rows: Floats
    points: Floats
    """(contacts, 2): where they are, in base axes."""

    @property
    def pressing(self) -> Floats:
        """(3, m): F_z, N_x and N_y."""
        return np.eye(self.rows.shape[-1])[[2, 3, 4]]


def _standing(rover: Rover, robot: Any) -> Contacts:
    """Of a base that stands: its wheels are held by their drives or brakes."""
    rows, missing = _shared(rover, np.zeros(3))
    lost = np.flatnonzero(np.abs(missing[:, :6]).max(axis=1) > SAME)
    if len(lost) and not _is_held(rover, missing):
        raise ModelError(f"fastest: nothing holds the base of rover '{rover.name}' {LOOSE[int(lost[0])]} while its "
                         "arms move: make wheels driven=True (or with brakes), give it lp.Support feet, or limits "
                         "{'slip': False} to leave friction out")
    return Contacts(Model(robot), BASE, slice(0, 6), rows[..., :6], rover.arrangement.at_rest.points)


LOOSE = ("along x", "along y", "against turning about the vertical")


def _is_held(rover: Rover, missing: Floats) -> bool:
    """Whether friction is not looked at: of a base without any."""
    return not missing[:, :6].any() or all(rover.friction_of(name) is None for name in rover.contact_names)


def _shared(rover: Rover, direction: Floats) -> tuple[Floats, Floats]:
    """(contacts, 4, 9) and (3, 9): forces of contacts, and what no contact gives, per unit of wrench and acceleration,
    while the base goes in a direction (v_x, v_y, w).
    """
    rng = np.random.default_rng(0)
    weight = rover.ground.gravity * sum(link.inertia.mass for link in rover.robot.links)
    down = np.zeros(SIZE)
    down[2] = weight or 1.0
    x, y = rover.arrangement.at_rest.points.mean(axis=0)  # every contact is pressed
    down[3], down[4] = y * down[2], -x * down[2]
    given = down + np.concatenate([np.zeros((1, SIZE)), 1e-3 * down[2] * np.eye(SIZE),
                                   1e-3 * down[2] * rng.normal(size=(4, SIZE))])
    if not direction.any():  # a base that stands does not begin to roll
        given[:, 6:] = 0.0
    speed = np.broadcast_to(direction, (len(given), 3))
    steering = np.zeros((len(given), max(1, len(rover.steerable_names))))
    found = rover.contact_loads(given[:, :3], given[:, 3:6], speed, given[:, 6:], steering)
    each = np.concatenate([np.stack(found[:4], axis=2).reshape(len(given), -1), found[4]], axis=1)
    slopes = (each[1 : SIZE + 1] - each[0]) / (1e-3 * down[2])
    off = np.abs(given @ slopes - each).max()
    if off > 1e-6 * down[2]:
        raise ModelError(f"fastest: how the contacts of rover '{rover.name}' share loads is not linear in them")
    count = len(rover.contact_names)
    slopes[np.abs(slopes) < 1e-12] = 0.0
    return slopes[:, : 4 * count].T.reshape(count, 4, SIZE), slopes[:, 4 * count :].T


@dataclass(frozen=True)
class OfGround:
    """Wrench of the ground on the base (6), and the rates of the base's velocity along its own axes (3), of the robot
    on a planar joint.
    """

    joint: int
    spins: Any

    def values(self, robot: Any, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """See `Carried`."""
        whole = WRENCH.values(robot, q, qd, qdd)[..., 6 * self.joint : 6 * self.joint + 6]
        rate, bend = ([part[..., k] for k in range(3)] for part in (qd, qdd))
        velocity, acceleration = _body(q[..., 2], rate, bend, np.cos, np.sin)
        found = np.concatenate([whole, np.stack(acceleration, axis=-1)], axis=-1)
        if self.spins:
            found[..., 3:6] += np.stack(list(spin_moment(self.spins, array(velocity), array(acceleration))), axis=-1)
        return found

    def equations(self, robot: Any) -> Callable[[Array, Array, Array], list[Any]]:
        """See `Carried`."""
        run = WRENCH.equations(robot)

        def entries(q: Array, qd: Array, qdd: Array) -> list[Any]:
            whole = list(run(q, qd, qdd)[6 * self.joint : 6 * self.joint + 6])
            velocity, acceleration = _body(q[2], qd, qdd, cos, sin)
            if self.spins:
                more = spin_moment(self.spins, array(velocity), array(acceleration))
                whole[3:] = [one + other for one, other in zip(whole[3:], more, strict=True)]
            return [*whole, *acceleration]

        return entries


LOOKED_AT = 33
"""Places of each piece of a path at which the direction of the base is seen."""


def _rolling(rover: Rover, robot: Any, way: Path) -> Contacts:
    """Of a base that rolls: with the angles and senses of its wheels on this path."""
    share = np.linspace(0.0, 1.0, LOOKED_AT)
    at = (way.breaks[:-1, None] + np.diff(way.breaks)[:, None] * share).ravel()
    q, rate = way.at(at, np.repeat(np.arange(way.pieces), LOOKED_AT), 1)
    (vx, vy, w), _ = _body(q[:, 2], rate.T[:3], np.zeros((3, len(at))), np.cos, np.sin)
    velocity = np.stack([vx, vy, w], axis=-1)
    size = np.linalg.norm(velocity, axis=1)
    moves = size > 1e-6 * np.linalg.norm(rate, axis=1).max()
    if not moves.any():
        raise ModelError(f"fastest: the base of rover '{rover.name}' does not move on this path: leave x, y and "
                         "heading out of it")
    directions = velocity[moves] / size[moves, None]
    _refuse_scrubbing(rover, directions, q[moves])
    rows, missing = _shared(rover, directions[0])
    for k in np.unique(np.linspace(0, len(directions) - 1, LOOKED_AT).astype(int)).tolist():
        others, _ = _shared(rover, directions[k])
        if np.abs(others - rows).max() > 1e-6 * np.abs(rows).max():
            x, y = q[moves][k, :2]
            raise ModelError(f"fastest: the wheels of rover '{rover.name}' turn against its base along the path "
                             f"(casters, steered wheels) or roll the other way, near x = {x:.4g}, y = {y:.4g}: give "
                             "a path for each stretch on which they do not, from a rest to a rest")
    lost = np.flatnonzero(np.abs(missing).max(axis=1) > SAME)
    if len(lost) and not _is_held(rover, missing):
        raise ModelError(f"fastest: nothing drives the base of rover '{rover.name}' {LOOSE[int(lost[0])]}: make wheels "
                         "driven=True")
    joint = robot.joint_names.index(robot.joints[0].name)
    points = np.asarray(rover.wheel_loads(q[0, PLANE:], velocity=directions[0]).points)
    return Contacts(Model(robot), OfGround(joint, _spins(rover)), slice(0, SIZE), rows, points)


def _spins(rover: Rover) -> Any:
    return reduced_rover(rover).spins


def _refuse_scrubbing(rover: Rover, directions: Floats, q: Floats) -> None:
    """A path on which a wheel would be dragged."""
    state = rover.wheel_loads(q[:, PLANE:], velocity=directions).state
    dragged = np.concatenate([np.broadcast_to(scrubs(rover.arrangement, block.placed, block.speeds),
                                              (some.stop - some.start, len(rover.contact_names)))
                              for some, block in state.blocks()])
    if dragged.any():
        k, wheel = np.argwhere(dragged)[0].tolist()
        x, y = q[k, :2]
        raise ModelError(f"fastest: on this path '{rover.contact_names[wheel]}' of rover '{rover.name}' is dragged "
                         f"near x = {x:.4g}, y = {y:.4g}: wheels roll along their own direction, so the heading of "
                         "the base has to go with its way")


# Limits


def _limits(
    rover: Rover, contacts: Contacts, given: Mapping[str, Any], shares: Callable[[str], float], suffix: str
) -> list[Limits]:
    """Those asked for, and those that it has by itself."""
    names = rover.contact_names
    found: list[Limits] = []
    weight = rover.ground.gravity * sum(link.inertia.mass for link in rover.robot.links)
    usual = weight / len(names)
    friction = {name: rover.friction_of(name) for name in names}

    def linear(kind: str, name: str, row: Floats, capacity: float, scale: float, unit: str) -> None:
        found.append(Cone(contacts.model, Name(kind, name + suffix, abs(capacity), unit), Sum(row, ()), capacity, scale,
                          contacts.load, contacts.columns))

    slips = given.get("slip", True)
    shares_slip = {name: value for name, value in _by_contact(rover, 1.0 if slips is True else slips, "slip").items()
                   if friction[name] is not None}
    if slips is not True:
        for name in _by_contact(rover, slips, "slip"):
            if friction[name] is None:
                raise ModelError(f"limit of slip: friction of contact '{name}' is not known: lp.WheelFriction(...)")
    lifts = _by_contact(rover, given.get("normal"), "normal")
    ratings = {} if given.get("wheel_load") is False else _ratings(rover) | _by_contact(
        rover, given.get("wheel_load"), "wheel_load")
    torques = _by_contact(rover, given.get("wheel_torque"), "wheel_torque")
    if len(names) > PLANE and (shares_slip or ratings or torques):
        lifts = {name: lifts.get(name, 0.0) for name in names}  # shares are linear only where none lifts
    for name, least in lifts.items():
        linear("normal force", name, -contacts.rows[names.index(name), 0], -least, usual, "N")
    for name, most in ratings.items():
        capacity = shares("wheel_load") * _positive(most, f"wheel_load of '{name}'")
        linear("wheel load", name, contacts.rows[names.index(name), 0], capacity, capacity, "N")
    for name, most in torques.items():
        row = contacts.rows[names.index(name), 3]
        capacity = shares("wheel_torque") * _positive(most, f"wheel_torque of '{name}'")
        if row.any():
            for sign in (1.0, -1.0):
                linear("wheel torque" if sign > 0 else "wheel torque backwards", name, sign * row, capacity, capacity,
                       "N m")
    margin = given.get("margin", 0.0)
    if margin is not False and margin is not None:
        found += _margins(rover, contacts, number(0.0 if margin is True else margin, "limit of margin"), weight, suffix)
    for name, share in shares_slip.items():
        known_friction = friction[name]
        assert known_friction is not None
        most = shares("slip") * _positive(share, f"slip of '{name}'") * float(known_friction.static)
        normal, along, across = contacts.rows[names.index(name), :3]
        both = np.stack([along, across])
        if both.any():
            found.append(Cone(contacts.model, Name("slip", name + suffix, most, "of N"), Sum(-most * normal, (both,)),
                              0.0, most * usual, contacts.load, contacts.columns))
    return found


def _margins(rover: Rover, contacts: Contacts, least: float, weight: float, suffix: str) -> list[Limits]:
    """No zero-moment point nearer to an edge."""
    edges = edges_of(contacts.points)
    found: list[Limits] = []
    for k in range(len(edges.first)):
        (ax, ay), (x, y) = edges.along[k], edges.start[k]
        row = np.array([ay * x - ax * y - least, ax, ay]) @ contacts.pressing
        name = f"{rover.contact_names[edges.first[k]]}, {rover.contact_names[edges.second[k]]}"
        found.append(Cone(contacts.model, Name("margin", name + suffix, least, "m"), Sum(-row, ()), 0.0,
                          weight * rover.arrangement.size, contacts.load, contacts.columns))
    return found


def _ratings(rover: Rover) -> dict[str, float]:
    """Largest loads of contacts with a rating."""
    return {name: float(rating.load) for name, rating in rover.ratings
            if name in rover.contact_names and rating.load is not None}


def _by_contact(rover: Rover, given: Any, kind: str) -> dict[str, float]:
    """Numbers by contacts."""
    if given is None or given is False:
        return {}
    if isinstance(given, Mapping):
        return {known(name, rover.contact_names, "contact"): number(value, f"{kind} of '{name}'")
                for name, value in given.items()}
    return dict.fromkeys(rover.contact_names, number(given, f"limit of {kind}"))


def _positive(value: float, what: str) -> float:
    if value <= 0:
        raise ValueError(f"{what} is {value:g}: expected more than zero")
    return value


def _shares(factor: float | Mapping[str, float]) -> Callable[[str], float]:
    """The factor of a kind of limit."""
    if not isinstance(factor, Mapping):
        every = _positive(number(factor, "factor"), "factor")
        return lambda kind: every
    by_kind = {kind: _positive(number(value, f"factor of {kind}"), f"factor of {kind}")
               for kind, value in factor.items()}
    return lambda kind: by_kind.get(kind, 1.0)
