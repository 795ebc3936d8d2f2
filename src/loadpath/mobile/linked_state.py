"""States of a rover with wheels on links: where its contacts are, and what its passive joints ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.mobile.contacts.linked import Hung, TippingMotions, refuse_loose, tipping_motions
from loadpath.mobile.links import Hubs
from loadpath.mobile.motions import loads_on_robot
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.base_state import FreeBase
from loadpath.states.batch import place_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_ON_GROUND = 1e-6
"""By the size of the base: what wheels may be off level ground."""
_CORES = {"q": 1, "qd": 1, "qdd": 1, "points": 2, "normals": 2, "J": 3, "load": 1, "touching": 1, "bias": 2,
          "directions": 2}


@dataclass(frozen=True, eq=False)
class LinkedState:
    """Contacts of which some are on links, in states (...); see `Hung`."""

    q: Floats
    qd: Floats
    qdd: Floats
    points: Floats
    normals: Floats
    J: Floats
    load: Floats
    touching: Bools
    bias: Floats
    """(..., contacts, 2): rates of the contacts' velocities along the ground that speeds alone make, in base axes."""
    directions: Floats
    """(..., n, m): speeds of all joints per unit of each passive freedom."""
    lifting: int

    @property
    def batch(self) -> tuple[int, ...]:
        """Batch shape of all of it."""
        return np.broadcast_shapes(*(value.shape[: value.ndim - core] for value, core in self._parts.values()))

    @property
    def _parts(self) -> dict[str, tuple[Any, int]]:
        return {part.name: (getattr(self, part.name), _CORES[part.name]) for part in fields(self)
                if part.name in _CORES}

    def rows(self, some: slice | NDArray[np.intp], batch: tuple[int, ...], count: int) -> LinkedState:
        """Some of the states, in a row."""
        parts = {}
        for name, (value, core) in self._parts.items():
            whole = np.broadcast_to(value, (*batch, *value.shape[value.ndim - core :]))
            parts[name] = whole.reshape((count, *whole.shape[len(batch) :]))[some]
        return LinkedState(**parts, lifting=self.lifting)

    def with_axis(self) -> LinkedState:
        """The states with an axis of length one behind the batch axes."""
        parts = {name: value if value.ndim == core else np.expand_dims(value, value.ndim - core)
                 for name, (value, core) in self._parts.items()}
        return LinkedState(**parts, lifting=self.lifting)

    @property
    def hung(self) -> Hung:
        """The contacts of states in a row."""
        return Hung(self.points, self.normals, self.J, self.load, self.lifting, self.touching)

    @cached_property
    def tipping(self) -> TippingMotions:
        """How states in a row may tip."""
        return tipping_motions(self.hung.normal_rows)


def linked_state(rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any]) -> LinkedState:
    """On level ground or a slope, all wheels on its plane."""
    linkage = rover.linkage
    assert linkage is not None
    if rover.base.on_tyres:
        raise ModelError(f"base '{rover.name}' has wheels on links and wheels with a stiffness or suspension: loads of "
                         "both together are not known; leave one of them out")
    q, qd, qdd = (np.asarray(part, dtype=float) for part in states)
    hubs = linkage.hubs(q, qd)
    normals = np.broadcast_to(np.array([0.0, 0.0, 1.0]), hubs.center.shape)
    points = hubs.center - linkage.radius[:, None] * normals
    refuse_off_ground(rover, points)
    points = points * (1.0, 1.0, 0.0)
    case = {key: value for key, value in loads_on_robot(rover, base).items() if value is not None}
    return of_contacts(rover, (q, qd, qdd), hubs, points, normals, case, np.ones(points.shape[:-1], dtype=bool))


def of_contacts(
    rover: Rover, states: tuple[Floats, Floats, Floats], hubs: Hubs, points: Floats, normals: Floats,
    case: Mapping[str, Any], touching: Bools,
) -> LinkedState:
    """A state with contacts at points (..., contacts, 3) of the ground, in base axes, under a load case."""
    linkage = rover.linkage
    assert linkage is not None
    q, qd, qdd = states
    J = hubs.point_jacobian(points)
    lifts = (normals[..., None, :] @ J)[..., 0, :]
    P = linkage.directions(q, lifts)
    tau = np.asarray(rover.on_fixed_base.tree.inverse_dynamics(q, qd, qdd, **case))
    load = (tau[..., None, :] @ P)[..., 0, :]
    bias = hubs.point_bias(points, qd)[..., :2]
    lifting = linkage.freedoms[0]
    result = LinkedState(q, qd, qdd, points, normals, J @ P[..., None, :, :], load, touching, bias, P, lifting)
    refuse_loose(linkage.names, rover.name, _at_home(rover))
    return result


def linked_in_space(rover: Rover, q: Floats, free: FreeBase) -> LinkedState:
    """Of a simulation in which the base was a free body: the passive freedoms carry what its contacts gave."""
    linkage = rover.linkage
    assert linkage is not None
    q = np.asarray(q, dtype=float)
    points, normals = free.frames[..., 3], free.frames[..., 2]
    J = linkage.hubs(q).point_jacobian(points)
    P = linkage.directions(q, (normals[..., None, :] @ J)[..., 0, :])
    J = J @ P[..., None, :, :]
    load = (free.forces[..., None, :] @ J)[..., 0, :].sum(axis=-2)
    still, touching = np.zeros((*q.shape[:-1], rover.n)), np.ones(points.shape[:-1], dtype=bool)
    return LinkedState(q, still, still, points, normals, J, load, touching, 0.0 * points[..., :2], P,
                       linkage.freedoms[0])


def weight_on_joints(rover: Rover, linked: LinkedState) -> Floats:
    """(..., m, 3): what the weight of all links takes of the passive freedoms, per unit of gravity along x, y and z."""
    robot, still = rover.on_fixed_base.tree, np.zeros(rover.n)
    none, *each = (np.asarray(robot.inverse_dynamics(linked.q, still, still, gravity=g))
                   for g in (np.zeros(3), *np.eye(3)))
    parts = [((one - none)[..., None, :] @ linked.directions)[..., 0, :] for one in each]
    return np.stack(parts, axis=-1)


def _at_home(rover: Rover) -> Floats:
    """(contacts, r): rows of the normals of contacts with the joints at home."""
    linkage = rover.linkage
    assert linkage is not None
    home = linkage.robot.home
    hubs = linkage.hubs(home)
    points = hubs.center * (1.0, 1.0, 0.0)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), points.shape)
    J = hubs.point_jacobian(points)
    P = linkage.directions(home, J[:, 2])
    hung = Hung(points[None], up[None], (J @ P)[None], np.zeros((1, P.shape[-1])), linkage.freedoms[0],
                np.ones((1, len(points)), dtype=bool))
    rows: Floats = hung.normal_rows[0]
    return rows


def refuse_off_ground(rover: Rover, points: Floats) -> None:
    off = np.abs(points[..., 2])
    if not (off > _ON_GROUND * rover.arrangement.size).any():
        return
    flat = off.reshape(-1, off.shape[-1])
    worst = int(np.nanargmax(np.nanmax(flat, axis=-1)))
    k = int(np.nanargmax(flat[worst]))
    place = place_of(worst, off.shape[:-1])
    where = f" at {place}" if off.ndim > 1 else ""
    height = float(points[..., 2].reshape(-1, off.shape[-1])[worst, k])
    raise ValueError(f"contact '{rover.contact_names[k]}' of rover '{rover.name}' is {abs(height):.4g} m "
                     f"{'above' if height > 0 else 'below'} the ground{where} with its joints as q has them: on level "
                     "ground rockers and bogies are at home; heights= turns them to ground that is not")
