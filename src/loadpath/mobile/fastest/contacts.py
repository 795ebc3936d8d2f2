"""What the contacts of a rover carry, as fixed rows of what is carried as a whole.

The wrench of the ground is what the base's foundation gives, or, of the robot on a planar joint, what that joint
carries: affine in s'' and s'^2 as all wrenches are. Where no contact lifts and none slips, contacts share it by
compliances alone (`loadpath.mobile.contacts`), so every force of a contact is a fixed number of times the wrench (and
what spins up wheels and resists rolling, of the base's acceleration and of normal forces): rows of a matrix. With it,

    normal force at least or at most,    margin m:  m F_z - (moment about an edge) <= 0,    |friction| <= mu N

are linear forms and friction cones. Friction is shared without limits: a share within limits that only exists because
some contact creeps is not counted on, so where `slip` says that one holds beyond that, a motion here is slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.loads import BASE, WRENCH, Carried, Model, Under
from loadpath.fastest.path import Path
from loadpath.mobile.contacts.given_motion import scrubs
from loadpath.mobile.fastest.planar import PLANE, along_own_axes
from loadpath.mobile.ground_wrench import spin_moment
from loadpath.mobile.quantities import reduced_rover
from loadpath.scalars import Array, array, cos, sin
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

SAME = 1e-9
SIZE = 9
"""Entries of what contacts share: wrench of the ground, accelerations of the base."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Forces of contacts as rows of what is carried: normal, along, across and torque of each, (contacts, 4, m)."""

    model: Model
    load: Carried
    columns: slice
    rows: Floats
    points: Floats
    """(contacts, 2): where they are, in base axes."""
    direction: Floats
    """(3,): in which the base goes, v_x, v_y and w; zero of one that stands."""

    @property
    def pressing(self) -> Floats:
        """(3, m): F_z, N_x and N_y."""
        return np.eye(self.rows.shape[-1])[[2, 3, 4]]


def standing(rover: Rover, robot: Any) -> Contacts:
    """Of a base that stands: its wheels are held by their drives or brakes."""
    rows, missing = _shared(rover, np.zeros(3))
    lost = np.flatnonzero(np.abs(missing[:, :6]).max(axis=1) > SAME)
    if len(lost) and not _is_held(rover, missing):
        raise ModelError(f"fastest: nothing holds the base of rover '{rover.name}' {LOOSE[int(lost[0])]} while its "
                         "arms move: make wheels driven=True (or with brakes), give it lp.Support feet, or limits "
                         "{'slip': False} to leave friction out")
    return Contacts(Model(robot), BASE, slice(0, 6), rows[..., :6], rover.arrangement.at_rest.points,
                    np.zeros(3))


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

    def values(self, robot: Any, q: Floats, qd: Floats, qdd: Floats, under: Under | None = None) -> Floats:
        """See `Carried`."""
        whole = WRENCH.values(robot, q, qd, qdd, under)[..., 6 * self.joint : 6 * self.joint + 6]
        rate, bend = ([part[..., k] for k in range(3)] for part in (qd, qdd))
        velocity, acceleration = along_own_axes(q[..., 2], rate, bend, np.cos, np.sin)
        found = np.concatenate([whole, np.stack(acceleration, axis=-1)], axis=-1)
        if self.spins:
            found[..., 3:6] += np.stack(list(spin_moment(self.spins, array(velocity), array(acceleration))), axis=-1)
        return found

    def equations(self, robot: Any, under: Under | None = None) -> Callable[[Array, Array, Array], list[Any]]:
        """See `Carried`."""
        run = WRENCH.equations(robot, under)

        def entries(q: Array, qd: Array, qdd: Array) -> list[Any]:
            whole = list(run(q, qd, qdd)[6 * self.joint : 6 * self.joint + 6])
            velocity, acceleration = along_own_axes(q[2], qd, qdd, cos, sin)
            if self.spins:
                more = spin_moment(self.spins, array(velocity), array(acceleration))
                whole[3:] = [one + other for one, other in zip(whole[3:], more, strict=True)]
            return [*whole, *acceleration]

        return entries


LOOKED_AT = 33
"""Places of each piece of a path at which the direction of the base is seen."""


def rolling(rover: Rover, robot: Any, way: Path) -> Contacts:
    """Of a base that rolls: with the angles and senses of its wheels on this path."""
    share = np.linspace(0.0, 1.0, LOOKED_AT)
    at = (way.breaks[:-1, None] + np.diff(way.breaks)[:, None] * share).ravel()
    q, rate = way.at(at, np.repeat(np.arange(way.pieces), LOOKED_AT), 1)
    (vx, vy, w), _ = along_own_axes(q[:, 2], rate.T[:3], np.zeros((3, len(at))), np.cos, np.sin)
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
    return Contacts(Model(robot), OfGround(joint, _spins(rover)), slice(0, SIZE), rows, points, directions[0])


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
