"""Forces at contacts of which some are on links: the balance of the base, and one more for each passive freedom.

The force F of the ground at a contact r acts on the base with F and r x F, and on the passive freedoms with J^T F
(`loadpath.mobile.links`). Two sets of balances follow,

    F_z, N_x, N_y and the freedoms in which wheels move up and down:   carried by the normal forces (`normals`),
    F_x, F_y, N_z and all other passive freedoms:                      carried by friction (`sharing`),

and each has a part of the other's forces: what pushes a wheel along the ground turns its rocker, too, by the height of
its pivot. Both are settled in turns, by the rules of plane ground, until both hold.

The base tips, or a rocker does, where a motion of base and passive joints raises contacts, lowers none, and is not held
by the load: the edges of the support polygon are those motions of a base alone.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.arrangement import Arrangement, Placed, Rows
from loadpath.mobile.contacts.given_motion import Loads
from loadpath.mobile.contacts.plane import AtContact, ContactModel, carrying, known_forces, rolling_at
from loadpath.mobile.contacts.sharing import SOFT, groups_of, shared
from loadpath.mobile.contacts.uneven import contact_axes
from loadpath.mobile.normals import share_on_rows
from loadpath.robot.wheels.base import hull
from loadpath.scalars import array
from loadpath.scalars.types import Bools, Floats, Ints

TURNS, _SETTLED = 100, 1e-12
_TOUCHES = 1e-9
_HELD = 1e-10
_PLANE, _VERTICAL = [0, 1, 5], [2, 3, 4]
MOST_MOTIONS = 20_000


class OnGround(Protocol):
    """Contacts of which some are on links, as in `Hung`, with any batch axes."""

    @property
    def points(self) -> Floats: ...
    @property
    def normals(self) -> Floats: ...
    @property
    def J(self) -> Floats: ...
    @property
    def lifting(self) -> int: ...


class Hung(NamedTuple):
    """The contacts of states in a row, some of them on links."""

    points: Floats
    """(s, contacts, 3): where they touch the ground, in base axes."""
    normals: Floats
    """(s, contacts, 3): of the ground."""
    J: Floats
    """(s, contacts, 3, m): velocities of these points of the links per unit of each passive freedom."""
    load: Floats
    """(s, m): what the contacts must give the passive freedoms."""
    lifting: int
    """How many of these freedoms, the first ones, move wheels up and down."""
    touching: Bools
    """(s, contacts)."""

    def wrench(self, forces: Floats) -> tuple[Floats, Floats]:
        """(s, contacts, 3 + ...): what forces (s, contacts, 3) give of both sets of balances, the plane's first."""
        whole = np.concatenate([forces, np.cross(self.points, forces)], axis=-1)
        joints = (forces[..., None, :] @ self.J)[..., 0, :]
        k = self.lifting
        return (np.concatenate([whole[..., _PLANE], joints[..., k:]], axis=-1),
                np.concatenate([whole[..., _VERTICAL], joints[..., :k]], axis=-1))

    @property
    def normal_rows(self) -> Floats:
        """(s, contacts, 3 + lifting)."""
        return self.wrench(self.normals)[1]


class TippingMotions(NamedTuple):
    """Motions in which contacts rise and none goes down, (s, motions) each."""

    motion: Floats
    """(s, motions, r): heave, rotations about x and y of the length 1, and the passive freedoms; of a motion in which
    the base does not tilt, the largest of these is 1."""
    there: Bools
    """(s, motions): whether all other contacts rise."""
    members: Ints
    """(motions, r - 1): contacts that stay on the ground."""

    def moments(self, load: Floats) -> Floats:
        """(s, motions): what holds against each (N m), of loads (s, r); infinite where there is no such motion."""
        moments = (self.motion @ load[:, :, None])[..., 0]
        return np.where(self.there, moments, np.inf)

    @property
    def tilts(self) -> Bools:
        """(s, motions): in which of them the base tilts, and not its joints alone."""
        result: Bools = np.hypot(self.motion[..., 1], self.motion[..., 2]) > _TOUCHES
        return result

    def region(self, load: Floats) -> Floats:
        """(corners, 2): where the zero-moment point may be, of one state with a load (r,), that on the passive joints
        being as it is: where all of these motions are held.

        >>> square = np.array([[(1.0, y, -x) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]])
        >>> sorted(tipping_motions(square).region(np.array([4.0, 0.0, 0.0])).round(9).tolist())
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
        """
        motion = self.motion[0, self.there[0]]
        inside = np.stack([-motion[:, 2], motion[:, 1]], axis=-1)  # of x and y
        bound = motion[:, 0] + motion[:, 3:] @ load[3:] / load[0]
        pairs = np.array(list(combinations(range(len(motion)), 2)), dtype=np.intp).reshape(-1, 2)
        pairs = pairs[np.abs(np.linalg.det(inside[pairs])) > _TOUCHES]
        corners = np.linalg.solve(inside[pairs], -bound[pairs][..., None])[..., 0]
        size = np.abs(corners).max(initial=1.0)
        corners = corners[(corners @ inside.T + bound >= -_TOUCHES * size).all(axis=-1)]
        result: Floats = corners[hull(corners)]
        return result


def tipping_motions(rows: Floats) -> TippingMotions:
    """Of contacts with rows (s, contacts, r) of their normals.

    >>> square = np.array([[(1.0, y, -x) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]])
    >>> found = tipping_motions(square)
    >>> found.members[found.there[0]].tolist()                                        # the edges of the polygon
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    >>> found.moments(np.array([[4.0, 0.0, -2.0]]))[0, found.there[0]].round(9).tolist()  # the load is 0.5 m forward
    [4.0, 2.0, 6.0, 4.0]
    """
    contacts, r = rows.shape[-2:]
    members = np.array(list(combinations(range(contacts), r - 1)), dtype=np.intp).reshape(-1, r - 1)
    if len(members) > MOST_MOTIONS:
        raise ValueError(f"{contacts} contacts on links with {r - 3} passive freedoms may tip in {len(members)} ways: "
                         f"expected {MOST_MOTIONS} at most")
    _, values, right = np.linalg.svd(np.nan_to_num(rows[:, members]), full_matrices=True)
    motion = right[..., -1, :]
    tilt = np.hypot(motion[..., 1], motion[..., 2])
    largest = np.abs(motion[..., 1:]).max(axis=-1)
    size = np.where(tilt > _TOUCHES, tilt, np.where(largest > 0, largest, 1.0))
    motion = motion / size[..., None]
    rise = motion @ np.swapaxes(rows, -1, -2)
    reach = np.abs(rise).max(axis=-1, keepdims=True)
    up, down = (rise >= -_TOUCHES * reach).all(axis=-1), (rise <= _TOUCHES * reach).all(axis=-1)
    there = (values[..., -1] > _TOUCHES * values[..., 0]) & (up | down)
    return TippingMotions(np.where(up[..., None], motion, -motion), there, members)


def motions_at(wheels: Arrangement, placed: Placed, speeds: Floats, rates: Floats, bias: Floats
               ) -> tuple[list[AtContact], list[AtContact]]:
    """How contacts of states in a row move along their axes, for speeds (s, 3 + n) of base and joints, and the rates of
    that for rates of these; `bias` (s, contacts, 2) has what speeds alone make of them.
    """
    found = []
    for given, more in ((speeds, 0.0), (rates, bias)):
        v = wheels.velocities(placed, given) + more
        along, across = ((v * axis).sum(axis=-1) for axis in (placed.forward, placed.left))
        found.append([rolling_at(wheel, along[:, k], across[:, k]) for k, wheel in enumerate(wheels.wheels)])
    return found[0], found[1]


def rows_on_links(rows: Rows, placed: Placed, contacts: OnGround) -> Floats:
    """(..., k, 3 + ...): what unit forces along rows of contacts give of the balances along the ground."""
    forward, left = contact_axes(placed, contacts.normals)
    d = rows.local[:, 0, None] * forward[..., rows.contact, :] + rows.local[:, 1, None] * left[..., rows.contact, :]
    whole = np.concatenate([d, np.cross(contacts.points[..., rows.contact, :], d)], axis=-1)
    joints = (d[..., None, :] @ contacts.J[..., rows.contact, :, :])[..., 0, :]
    return np.concatenate([whole[..., _PLANE], joints[..., contacts.lifting :]], axis=-1)


def settle_on_links(
    model: ContactModel,
    wheels: Arrangement,
    placed: Placed,
    hung: Hung,
    force: Floats,
    torque: Floats,
    motions: tuple[list[AtContact], list[AtContact]],
    slides: Bools,
    *,
    by_load: bool = False,
) -> Loads:
    """Forces in states (s, ...). `motions` has how contacts move, `slides` which are dragged over the ground."""
    count, contacts = len(force), len(model.wheels)
    whole = np.concatenate([force, torque], axis=-1)
    plane = np.concatenate([whole[:, _PLANE], hung.load[:, hung.lifting :]], axis=-1)
    vertical = np.concatenate([whole[:, _VERTICAL], hung.load[:, : hung.lifting]], axis=-1)
    pushes, rows = hung.wrench(hung.normals)
    axes = contact_axes(placed, hung.normals)
    forward, left = (np.broadcast_to(axis, (count, contacts, 3)) for axis in axes)
    along_gives, across_gives = hung.wrench(forward), hung.wrench(left)
    open_ = carrying(model)
    resting = list(dict.fromkeys(open_.group))
    number = {key: contacts + i for i, key in enumerate(resting)}
    of_row = np.concatenate([open_.grip.contact, open_.resting.contact]).astype(np.intp)
    local = np.concatenate([open_.grip.local, open_.resting.local])
    spins = np.concatenate([open_.grip.spin, np.array(open_.spin)])
    of_group = np.concatenate([open_.grip.contact, np.array([number[g] for g in open_.group], dtype=np.intp)])
    groups = groups_of(of_group, contacts + len(resting))
    firm = np.arange(groups.member.shape[1]) >= contacts
    at = [k for k, _ in resting]
    flat = (local[:, 0, None] * along_gives[0][:, of_row] + local[:, 1, None] * across_gives[0][:, of_row])
    coefficient = np.where(slides, np.array(model.sliding), np.array(model.static))
    angle = [(placed.forward[..., k, 0], placed.forward[..., k, 1]) for k in range(contacts)]
    still = array([np.zeros(count)] * 3)
    edges = _motions_of(rows, hung.touching)
    along, across, turning = (np.zeros((count, contacts)) for _ in range(3))
    for _ in range(TURNS):
        before = np.concatenate([along, across], axis=-1)
        load = vertical - np.einsum("sc,scj->sj", along, along_gives[1]) - np.einsum("sc,scj->sj", across,
                                                                                      across_gives[1])
        tips = _tips(edges, load)
        normal = _carried(rows, wheels.compliance, load, hung.touching, tips)
        pressed, carries = np.maximum(normal, 0.0), (normal != 0.0).astype(float)
        known = known_forces(model, angle, list(normal.T), still, still, carries=list(carries.T), motions=motions)

        def stack(parts: list[object]) -> Floats:
            return np.stack([np.broadcast_to(np.asarray(part, dtype=float), (count,)) for part in parts], axis=-1)

        along, across, turning = (stack(list(part)) for part in (known.along, known.across, known.torque))
        asked = plane - np.einsum("sc,scj->sj", normal, pushes) - np.einsum(
            "sc,scj->sj", along, along_gives[0]) - np.einsum("sc,scj->sj", across, across_gives[0])
        stiffness = pressed if by_load else carries / wheels.grip_compliance
        with np.errstate(invalid="ignore"):
            grip = np.where(np.isinf(coefficient), np.inf, coefficient * pressed)
        grip = np.sqrt(np.maximum(grip**2 - (along**2 + across**2), 0.0))
        waits = [stack([1.0 - known.moving[k][g] for k, g in resting])] if resting else []
        weight = np.concatenate([stiffness, *(part * stiffness[:, at] / SOFT for part in waits)], axis=-1)
        limit = np.concatenate([grip, np.array(model.rolling)[at] * pressed[:, at]], axis=-1)
        result = shared(flat, groups, weight, limit, asked, wheels.size, firm=firm)
        for j, k in enumerate(of_row):
            along[:, k] += local[j, 0] * result.forces[:, j]
            across[:, k] += local[j, 1] * result.forces[:, j]
            turning[:, k] -= spins[j] * result.forces[:, j]
        change = np.abs(np.concatenate([along, across], axis=-1) - before).max(axis=-1, initial=0.0)
        if not (change > _SETTLED * np.abs(whole).max(axis=-1)).any():
            break
    return Loads(normal, along, across, np.where(wheels.driven, turning, 0.0), result.missing, tips)


def _motions_of(rows: Floats, touching: Bools) -> list[tuple[Ints, Ints, TippingMotions]]:
    """Tipping motions of states with the same contacts on the ground: which states, which contacts, and the motions."""
    patterns, of_state = np.unique(touching, axis=0, return_inverse=True)
    found = []
    for i, pattern in enumerate(patterns):
        some, those = np.flatnonzero(of_state.ravel() == i), np.flatnonzero(pattern)
        found.append((some, those, tipping_motions(rows[np.ix_(some, those)])))
    return found


def _tips(edges: list[tuple[Ints, Ints, TippingMotions]], load: Floats) -> Bools:
    tips = load[:, 0] <= 0
    for some, _, motions in edges:
        size = np.abs(load[some]).max(axis=-1)
        tips[some] |= motions.moments(load[some]).min(axis=-1, initial=np.inf) < -_HELD * size
    return np.asarray(tips)


def _carried(rows: Floats, compliance: Floats, load: Floats, touching: Bools, tips: Bools) -> Floats:
    result = np.zeros(touching.shape)
    patterns, of_state = np.unique(touching, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        some, those = np.flatnonzero(of_state.ravel() == i), np.flatnonzero(pattern)
        result[np.ix_(some, those)] = share_on_rows(rows[np.ix_(some, those)], compliance[those], load[some],
                                                    tips[some])
    return result


def refuse_loose(names: tuple[str, ...], base: str, rows: Floats) -> None:
    """An error where contacts (contacts, r), as they stand at home, do not hold every passive freedom."""
    if np.linalg.matrix_rank(rows, tol=1e-9 * np.abs(rows).max()) == rows.shape[-1]:
        return
    raise ModelError(f"base '{base}': the weight on its wheels does not hold all of its passive joints "
                     f"({', '.join(names)}): two rockers need a differential between them (a joint that mimics the "
                     "other with -1, or a coupling), and what a motor holds needs its drive (robot.with_drives)")
