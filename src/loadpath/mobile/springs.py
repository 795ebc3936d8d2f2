"""The springs under a base as one network between ground, hubs and base, and the posture in which it rests on them.

The base moves by u = (z, a, b): up by z at the origin of its frame, and by small rotations a, b about x and y. Over a
contact at (x_i, y_i) it rises by w_i = z + y_i a - x_i b. Between base and ground lie elements, each with a force f(e)
that grows with how far it is pressed in, e, piecewise linearly:

- a tyre between ground and hub, e = h_i - w_i - s_i: h_i is the height of the ground there, s_i the deflection of the
  suspension, by which the hub has come up towards the base; f = k max(0, e), as tyres do not pull;
- a suspension between hub and base, e = s_i, with its preload and stops;
- an anti-roll bar between two hubs, e = s_left - s_right;
- where neither bar nor unsprung mass makes the hub matter, tyre and suspension in series as one, e = h_i - w_i.

What the ground carries in all (F_z, N_x, N_y, which includes the weight of the hubs) and the weight of the hubs are in
balance with the elements where the energy, a convex function of (u, s), is least. Newton's method with an exact line
search ends there after finitely many steps: each step is exact for the pieces on which the elements are, so that most
states need one. A tyre without stiffness is rigid: it is given a stiffness and the force that this leaves open is
carried over to the next round until nothing is left open (augmented Lagrangian), so its answer is the rigid one.

All is of first order in the posture: levers, contacts and loads are those of the design position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.wheels.base import BaseModel
from loadpath.robot.wheels.contacts import Contact
from loadpath.robot.wheels.suspension import Suspension
from loadpath.scalars.types import Bools, Floats

_RIGID = 30.0
"""Stiffness that rigid elements have in a round, by that of the stiffest other one."""
_ROUNDS, _STEPS = 60, 200
_SINGULAR = 1e-12
"""Share of the largest stiffness below which a direction is held by nothing."""
_DAMPED = 1e-8
"""The same of what is put in its place for a step."""
_EXACT, _ENOUGH = 1e-14, 1e-9
"""Forces that are left open, by those that act: where to stop, and what is still an answer."""
_EVEN = 1e-6
"""By the size of the base: rigid contacts touch the ground that is so much lower than the others'."""
_BLOCK = 8192


class Law(NamedTuple):
    """A force over a deflection e: start + slope e + sum of changes max(0, e - places)."""

    start: float
    slope: float
    hinges: tuple[tuple[float, float], ...] = ()
    """Places in their order, and by how much the stiffness changes there."""


class Element(NamedTuple):
    """A spring between the ground under a contact, if any, and hubs."""

    law: Law
    contact: int | None
    """Whose ground and piece of the base it lies between, e = h_i - w_i + ...; None: it does not reach the ground."""
    hubs: tuple[tuple[int, float], ...]
    """... + the sum of these numbers times the hubs' deflections s."""
    rigid: bool = False


@dataclass(frozen=True, eq=False)
class Settled:
    """How a base rests on its springs, in states in a row."""

    normal: Floats
    """(s, contacts): forces of the ground (N)."""
    base: Floats
    """(s, 3): z (m) at the origin of the base frame, rotations about x and y (rad)."""
    deflection: Floats
    """(s, contacts): of the suspensions from their design position, bump positive (m); 0 where there is none."""
    pieces: NDArray[np.void]
    """(s,): on which pieces of their laws the elements are: equal where the stiffness is."""
    tangent: Floats
    """(s, elements): stiffness of each element there (N/m)."""


def suspension_law(spring: Suspension) -> Law:
    """The force of a suspension over its deflection."""
    start, slope, hinges = spring.preload, spring.stiffness, []
    if spring.rebound_travel is not None:
        stop = spring.rebound_stop_stiffness or 0.0
        start, slope = start + stop * spring.rebound_travel, slope + stop
        hinges.append((-spring.rebound_travel, -stop))
    if spring.bump_travel is not None:
        hinges.append((spring.bump_travel, spring.bump_stop_stiffness or 0.0))
    return Law(start, slope, tuple(hinges))


def contact_law(contact: Contact, firm: float = 1.0) -> Law:
    """The force of tyre and suspension in series over how far the base comes down on the ground. A rigid contact has
    the stiffness `firm` over its compliance.

    >>> import loadpath as lp
    >>> spring = lp.Suspension(stiffness=2e4, preload=100.0, rebound_travel=0.0, rebound_stop_stiffness=1e5)
    >>> contact_law(lp.FixedWheel((0, 0), 0.1, suspension=spring, stiffness=1.2e5))    # 60 kN/m up to 100 N
    Law(start=0.0, slope=0.0, hinges=((-0.0008333333333333334, 60000.0), (0.0008333333333333334, -42857.142857142855)))
    """
    tyre = 0.0 if contact.stiffness is None else 1.0 / contact.stiffness
    spring = contact.suspension
    if spring is None:
        return Law(0.0, 0.0, ((0.0, firm / contact.compliance if contact.stiffness is None else contact.stiffness),))
    forces = [0.0]
    for end in (None if spring.rebound_travel is None else -spring.rebound_travel, spring.bump_travel):
        if end is not None and spring.force(end) > 0:
            forces.append(spring.force(end))
    hinges, before = [], 0.0
    for number, force in enumerate(forces):
        above = forces[number + 1] if number + 1 < len(forces) else force + 1.0
        middle = float(spring.deflection(0.5 * (force + above)))
        stiffness = 1.0 / (tyre + 1.0 / float(spring.tangent_stiffness(middle)))
        hinges.append((float(spring.deflection(force)) + tyre * force, stiffness - before))
        before = stiffness
    return Law(0.0, 0.0, tuple(hinges))


@dataclass(frozen=True, eq=False)
class Springs:
    """The network of a base."""

    model: BaseModel
    every_hub: bool = False
    """Whether the hubs of all suspensions are unknowns, and not only those that bars hold or that have a mass."""

    @cached_property
    def hubs(self) -> tuple[int, ...]:
        """Numbers of the contacts whose hub is an unknown: bars hold it, or it has a mass."""
        wheels, names = self.model.wheels, self.model.contact_names
        held = {name for bar in self.model.anti_roll_bars for name in (bar.left, bar.right)}
        heavy = {w.name for w in wheels if w.suspension is not None and (w.suspension.unsprung_mass or self.every_hub)}
        return tuple(k for k, name in enumerate(names) if name in held | heavy)

    @cached_property
    def _firm(self) -> float:
        """N/m over the compliance of rigid contacts: with it they give way by less than is seen, and share the weight
        by their compliances where the ground is as even as that.
        """
        return 100.0 * max(self.model.mass, 1.0) / (_EVEN * self.size)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """All springs: those on the ground first, in the order of the contacts."""
        wheels, names, hub = self.model.wheels, self.model.contact_names, {k: i for i, k in enumerate(self.hubs)}
        ground = [
            Element(contact_law(wheel, self._firm), k, ()) if k not in hub else
            Element(Law(0.0, 0.0, ((0.0, wheel.stiffness or 0.0),)), k, ((hub[k], -1.0),), wheel.stiffness is None)
            for k, wheel in enumerate(wheels)
        ]
        springs = [(hub[k], wheels[k].suspension) for k in self.hubs]
        inside = [Element(suspension_law(spring), None, ((i, 1.0),)) for i, spring in springs if spring is not None]
        bars = [Element(Law(0.0, bar.stiffness), None, ((hub[names.index(bar.left)], 1.0),
                                                       (hub[names.index(bar.right)], -1.0)))
                for bar in self.model.anti_roll_bars]
        return (*ground, *inside, *bars)

    @cached_property
    def unsprung(self) -> Floats:
        """(hubs,): masses of the hubs (kg)."""
        springs = [self.model.wheels[k].suspension for k in self.hubs]
        return np.array([0.0 if spring is None else spring.unsprung_mass for spring in springs])

    @cached_property
    def size(self) -> float:
        """A length that makes rotations comparable with displacements (m)."""
        points = self.model.positions
        return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))

    @cached_property
    def _laws(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Starts and slopes (elements,), places and changes (elements, hinges) of all laws, rigid ones in a round."""
        laws = [one.law for one in self.elements]
        stiffest = max(abs(law.slope) + sum(abs(change) for _, change in law.hinges) for law in laws)
        most = max(1, *(len(law.hinges) for law in laws))
        places, changes = np.full((len(laws), most), np.inf), np.zeros((len(laws), most))
        for k, one in enumerate(self.elements):
            for j, (place, change) in enumerate(one.law.hinges):
                places[k, j], changes[k, j] = place, _RIGID * stiffest if one.rigid else change
        return np.array([law.start for law in laws]), np.array([law.slope for law in laws]), places, changes

    @cached_property
    def _rigid(self) -> NDArray[np.intp]:
        return np.flatnonzero([one.rigid for one in self.elements])

    @cached_property
    def _design(self) -> Bools:
        """(elements, hinges): which are passed with all contacts on the ground and within their travel."""
        _, _, places, _ = self._laws
        at = np.zeros(len(self.elements))
        for k, wheel in enumerate(self.model.wheels):
            preload = 0.0 if wheel.suspension is None else wheel.suspension.preload
            at[k] = 0.0 if wheel.stiffness is None or k in self.hubs else preload / wheel.stiffness
        result: Bools = places <= at[:, None]
        result[: len(self.model.wheels), 0] = True
        return result

    @cached_property
    def design_stiffness(self) -> Floats:
        """(elements,): with all contacts on the ground and within their travel; rigid ones as in a round."""
        _, slopes, _, changes = self._laws
        stiffness: Floats = slopes + (self._design * changes).sum(axis=-1)
        return stiffness

    def rows(self, points: Floats) -> Floats:
        """(..., elements, 3 + hubs): e per unit of (z, size a, size b, s)."""
        count = len(self.model.wheels)
        result = np.zeros((*points.shape[:-2], len(self.elements), 3 + len(self.hubs)))
        result[..., :count, 0] = -1.0
        result[..., :count, 1] = -points[..., 1] / self.size
        result[..., :count, 2] = points[..., 0] / self.size
        for k, one in enumerate(self.elements):
            for hub, factor in one.hubs:
                result[..., k, 3 + hub] = factor
        return result

    def settle(
        self, points: Floats, load: Floats, gravity: Floats, heights: Floats | None = None
    ) -> Settled:
        """The posture at contacts (contacts, 2), or (s, contacts, 2), under loads (s, 3) of the ground: F_z, N_x, N_y
        with F_z > 0 inside the contacts. `gravity` (m/s^2; one or (s,)) presses the hubs down, `heights` (s, contacts)
        of the ground under the contacts count along z from the plane of the base frame in its design position.
        """
        if len(load) > _BLOCK:
            parts = [self._some(points, load, gravity, heights, slice(start, start + _BLOCK))
                     for start in range(0, len(load), _BLOCK)]
            return Settled(*(np.concatenate([getattr(part, name) for part in parts])
                             for name in ("normal", "base", "deflection", "pieces", "tangent")))
        return self._some(points, load, gravity, heights, slice(None))

    def _some(
        self, points: Floats, load: Floats, gravity: Floats, heights: Floats | None, some: slice
    ) -> Settled:
        load = load[some]
        R = self.rows(points[some] if points.ndim > 2 else points)
        weight = (gravity[some] if gravity.ndim else gravity)[..., None] * self.unsprung
        L = np.concatenate([load[:, :1], load[:, 1:] / self.size, np.broadcast_to(weight, (len(load), len(self.hubs)))],
                           axis=-1)
        offset = np.zeros((len(load), len(self.elements)))
        if heights is not None:
            offset[:, : len(self.model.wheels)] = heights[some] if heights.ndim > 1 else heights
        x, force, active = self._balance(R, offset, L)
        contacts = len(self.model.wheels)
        u = x[:, :3] / (1.0, self.size, self.size)
        normal = force[:, :contacts]
        deflection = np.zeros_like(normal)
        for k, wheel in enumerate(self.model.wheels):
            if k in self.hubs:
                deflection[:, k] = x[:, 3 + self.hubs.index(k)]
            elif wheel.suspension is not None:
                deflection[:, k] = wheel.suspension.deflection(normal[:, k])
        _, slopes, _, changes = self._laws
        tangent = slopes + (active * changes).sum(axis=-1)
        return Settled(normal, u, deflection, _codes(active), tangent)

    # Newton's method

    def _balance(self, R: Floats, offset: Floats, L: Floats) -> tuple[Floats, Floats, Bools]:
        """Unknowns, forces and passed hinges in balance with loads L (s, 3 + hubs)."""
        x, force, active = self._newton(R, offset, L, None)
        rigid = self._rigid
        if not len(rigid):
            return x, force, active
        stiffness = self._laws[3][rigid, 0]
        for _ in range(_ROUNDS):
            carried = force[:, rigid]
            shifted = offset.copy()
            shifted[:, rigid] += carried / stiffness
            x, force, active = self._newton(R, shifted, L, x)
            change = np.abs(force[:, rigid] - carried).max(axis=-1)
            if (change <= 1e-12 * np.abs(L).max(axis=-1)).all():
                return x, force, active
        raise ModelError(f"base '{self.model.name}': the forces of its rigid tyres were not found to rounding: "
                         f"{float(change.max()):.3g} N are open; give them a stiffness")

    def _newton(self, R: Floats, offset: Floats, L: Floats, start: Floats | None) -> tuple[Floats, Floats, Bools]:
        count = len(L)
        x = np.zeros((count, R.shape[-1])) if start is None else start.copy()
        if start is None:
            design = np.broadcast_to(self._design, (count, *self._design.shape))
            force = self._on_pieces(_times(R, x) + offset, design)
            x += self._step(R, design, _back(R, force) + L)[0]
        force, active = self._forces(_times(R, x) + offset)
        left = np.flatnonzero(np.isfinite(L).all(axis=-1) & np.isfinite(offset).all(axis=-1))
        lost = np.setdiff1d(np.arange(count), left)
        for _ in range(_STEPS):
            own = R[left] if R.ndim > 2 else R
            residual = _back(own, force[left]) + L[left]
            open_ = np.abs(residual).max(axis=-1) > _EXACT * self._scale(x[left], force[left], offset[left], L[left])
            left = left[open_]
            if not len(left):
                break
            own, residual = R[left] if R.ndim > 2 else R, residual[open_]
            step, exact = self._step(own, active[left], residual)
            _, passed = self._forces(_times(own, x[left] + step) + offset[left])
            same = exact & (passed == active[left]).all(axis=(-1, -2))
            part = np.ones(len(left))
            search = np.flatnonzero(~same)
            if len(search):
                part[search] = self._along(own[search] if own.ndim > 2 else own, offset[left[search]], L[left[search]],
                                           x[left[search]], step[search])
            x[left] += part[:, None] * step
            again = self._forces(_times(own, x[left]) + offset[left])
            force[left], active[left] = again
            left = left[~same]
        else:
            own = R[left] if R.ndim > 2 else R
            residual = np.abs(_back(own, force[left]) + L[left]).max(axis=-1)
            scale = self._scale(x[left], force[left], offset[left], L[left])
            if (residual > _ENOUGH * scale).any():
                raise ModelError(f"base '{self.model.name}': its posture on its springs was not found in {len(left)} "
                                 f"states, {float(residual.max()):.3g} N are open")
        x[lost], force[lost] = np.nan, np.nan
        return x, force, active

    def _scale(self, x: Floats, force: Floats, offset: Floats, L: Floats) -> Floats:
        """(s,): the forces whose rounding is left in a balance."""
        stiffest = np.abs(self._laws[3]).max() + np.abs(self._laws[1]).max()
        moved = np.abs(x).max(axis=-1) + np.abs(offset).max(axis=-1)
        scale: Floats = np.abs(L).max(axis=-1) + np.abs(force).max(axis=-1) + 0.01 * stiffest * moved
        return scale

    def _forces(self, e: Floats) -> tuple[Floats, Bools]:
        """(s, elements) and the hinges (s, elements, hinges) that are passed, at deflections (s, elements)."""
        starts, slopes, places, changes = self._laws
        beyond = e[..., None] - places
        active: Bools = beyond > 0
        return starts + slopes * e + (changes * np.where(active, beyond, 0.0)).sum(axis=-1), active

    def _on_pieces(self, e: Floats, active: Bools) -> Floats:
        """The same where the hinges that are passed are given."""
        starts, slopes, places, changes = self._laws
        beyond = np.where(active, e[..., None] - np.where(np.isfinite(places), places, 0.0), 0.0)
        result: Floats = starts + slopes * e + (changes * beyond).sum(axis=-1)
        return result

    def _step(self, R: Floats, active: Bools, residual: Floats) -> tuple[Floats, Bools]:
        """Newton's step from what is open in the balance, and whether the pieces hold the base in all directions."""
        _, slopes, _, changes = self._laws
        step, exact = np.empty_like(residual), np.empty(len(residual), dtype=bool)
        if R.ndim > 2:
            tangent = slopes + (active * changes).sum(axis=-1)
            inverse, whole = _inverted(np.swapaxes(R, -1, -2) @ (tangent[..., None] * R))
            return -(inverse @ residual[..., None])[..., 0], whole
        codes, which = np.unique(_codes(active), return_inverse=True)
        which = which.ravel()
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(len(codes) + 1))
        for k in range(len(codes)):
            rows = order[ends[k] : ends[k + 1]]
            tangent = slopes + (active[rows[0]] * changes).sum(axis=-1)
            inverse, whole = _inverted(R.T @ (tangent[:, None] * R))
            step[rows], exact[rows] = -residual[rows] @ inverse, whole
        return step, exact

    def _along(self, R: Floats, offset: Floats, L: Floats, x: Floats, step: Floats) -> Floats:
        """(s,): the part of a step, up to all of it, with the least energy."""
        from_, by = _times(R, x) + offset, _times(R, step)
        load = (L * step).sum(axis=-1)

        def slope(part: Floats) -> Floats:
            force, _ = self._forces(from_ + part[:, None] * by)
            result: Floats = (force * by).sum(axis=-1) + load
            return result

        with np.errstate(divide="ignore", invalid="ignore"):
            parts = ((self._laws[2] - from_[..., None]) / by[..., None]).reshape(len(x), -1)
        kinks = np.sort(np.where((parts > 0) & (parts < 1), parts, 1.0), axis=-1)
        kinks = np.concatenate([np.zeros((len(x), 1)), kinks, np.ones((len(x), 1))], axis=-1)
        rows, low, high = np.arange(len(x)), np.zeros(len(x), dtype=int), np.full(len(x), kinks.shape[-1] - 1)
        while (high - low > 1).any():
            middle = (low + high) // 2
            above = slope(kinks[rows, middle]) > 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        start, end = kinks[rows, low], kinks[rows, high]
        down, up = slope(start), slope(end)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = start + (end - start) * np.where(down < 0, -down / (up - down), 0.0)
        return np.where(up > 0, part, 1.0)

    # What it holds against

    def stiffness(self, points: Floats, tangent: Floats) -> Floats:
        """(3, 3): stiffness of the base in z, a, b at contacts (contacts, 2), the hubs free to follow without inertia,
        for stiffnesses (elements,) of the elements.
        """
        Z, K = self.reduced(points, tangent)
        whole = Z.T @ K @ Z
        if whole.shape[0] == 3:
            return whole
        held: Floats = whole[:3, :3] - whole[:3, 3:] @ np.linalg.solve(whole[3:, 3:], whole[3:, :3])
        return 0.5 * (held + held.T)

    def damping(self, points: Floats, tangent: Floats) -> Floats:
        """(3 + hubs, 3 + hubs): damping in z, a, b and the hubs' deflections, of dampers whose springs carry; those
        that are not known are 0.
        """
        R = self.rows(points)
        R[:, 1:3] *= self.size
        wheels = self.model.wheels
        springs = [wheels[k].suspension for k in self.hubs]
        values = np.zeros(len(self.elements))
        values[: len(wheels)] = [wheel.damping or 0.0 for wheel in wheels]
        values[len(wheels) : len(wheels) + len(springs)] = [(one and one.damping) or 0.0 for one in springs]
        C: Floats = R.T @ (np.where(tangent > 0, values, 0.0)[:, None] * R)
        return C

    def reduced(self, points: Floats, tangent: Floats) -> tuple[Floats, Floats]:
        """Directions Z (3 + hubs, freedoms) in which base and hubs may move, the base's three first, hubs on rigid
        tyres that carry going with the ground; and the stiffness K (3 + hubs, 3 + hubs) of all other elements.
        """
        R = self.rows(points)
        R[:, 1:3] *= self.size
        firm = [k for k in self._rigid if tangent[k] > 0]
        K = R.T @ (np.where(np.isin(np.arange(len(tangent)), firm), 0.0, tangent)[:, None] * R)
        bound = {self.elements[k].hubs[0][0]: R[k, :3] for k in firm}  # 0 = row . u - s
        free = [hub for hub in range(len(self.hubs)) if hub not in bound]
        Z = np.zeros((3 + len(self.hubs), 3 + len(free)))
        Z[:3, :3] = np.eye(3)
        for hub, row in bound.items():
            Z[3 + hub, :3] = row
        for column, hub in enumerate(free):
            Z[3 + hub, 3 + column] = 1.0
        return Z, K


def _inverted(H: Floats) -> tuple[Floats, Bools]:
    """Inverses of stiffnesses, damped where they hold nothing in some direction, and where they are whole."""
    values, vectors = np.linalg.eigh(H)
    largest = values[..., -1:]
    whole: Bools = values[..., 0] > _SINGULAR * largest[..., 0]
    damped = np.where(whole[..., None], values, values + _DAMPED * largest + (largest <= 0))
    inverse: Floats = (vectors / damped[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return inverse, whole


def _times(R: Floats, x: Floats) -> Floats:
    result: Floats = x @ R.T if R.ndim == 2 else (R @ x[..., None])[..., 0]
    return result


def _back(R: Floats, force: Floats) -> Floats:
    result: Floats = force @ R if R.ndim == 2 else (np.swapaxes(R, -1, -2) @ force[..., None])[..., 0]
    return result


def _codes(active: Bools) -> NDArray[np.void]:
    """(s,): one value for each set of hinges that are passed."""
    flat = active.reshape(len(active), active.shape[1] * active.shape[2])
    bits = np.ascontiguousarray(np.packbits(flat, axis=-1))
    return bits.view(np.dtype((np.void, bits.shape[-1]))).ravel()
