"""Tyres and suspensions of a base that is a free body: their forces, hubs that move, anti-roll bars.

A suspension has the law of `loadpath.robot.wheels.suspension`, a tyre k_t d + c_t d' for the depth d to which it is
pressed in, without pulling. What lies between them is the hub:

- **A hub with an unsprung mass** m is a freedom of its own: it slides along z of the base, by s from its design
  position, and is a speed in U. Its mass, a part of that of the base, moves with it from where the wheel's center is in
  the design position. The ground's normal force drives it by n . z. Friction acts on the base where the wheel touches:
  the scrub of a tread whose hub slides along a z that is not quite the ground's normal is left to the tyre. A tyre
  without stiffness is a rigid contact, with its impacts.
- **A hub without mass** has its forces in balance, and tyre and suspension are one behind the other along the ground's
  normal. With e = d + s the depth to which both are pressed in together,

      k_t d + c_t d' = F(s) + c s' + bars,

  which is a rate of s where there is a damper, and gives s from e where there is none. Under a tyre without stiffness
  s = e while it touches. In the air F(s) + c s' + bars = 0: it sinks to where its spring or its rebound stop leaves it.

A tyre that is pressed into several pieces of the ground at once is a rigid ring on a carcass with the same stiffness in
all directions: the ring gives way by the least displacement u that takes it out of all of them, and the force is k u.
With the depths d along the normals N that is u = N^T p, N u >= d, p >= 0, and the pieces press with k p: those at right
angles to each other as if they were alone, and of two that are nearly one plane only the nearer one. N N^T is that of
the sides that meet in the hollow between two pieces (`terrain.likeness`): so the forces have the energy k d p/2.
Depths plus their rates times c/k give the forces with damping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.springs import Law, Springs, contact_law
from loadpath.mobile.support import edges_of
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Z = 2


class SpringState(NamedTuple):
    """The springs in one state."""

    gap: Floats
    """(contacts,): distance of the wheels from the ground, m, with hubs that have a mass where they are."""
    gap_rate: Floats
    deflection: Floats
    """(suspensions,): s."""
    elastic: Floats
    """(suspensions,): force of spring, stops and bars, N."""
    loads: Floats
    """(contacts,): normal forces of wheels on springs, N, for those that touch the ground; less than zero where they
    would have to pull."""
    tyres: Floats
    """(contacts,): the elastic part of these under tyres whose depth is that of the geometry; less than zero by how far
    they are from pressing."""


class SprungWheels:
    """The springs under one rover. Its hubs with a mass have the speeds from `first` on in U, and `inner` states are
    their deflections, then those of hubs without a mass that have a rate. `alike` (pieces, pieces) of the ground.
    """

    def __init__(self, rover: Rover, owner: Ints, first: int, alike: Floats) -> None:
        base, self.rover, self._alike = rover.base, rover, alike
        wheels = base.wheels
        more = [0.0] * (int(owner.max()) + 1 - len(wheels))
        self.stiffness = np.array([wheel.stiffness or 0.0 for wheel in wheels] + more)[owner]
        """(contacts,): of tyres, N/m."""
        self.damping = np.array([(wheel.stiffness and wheel.damping) or 0.0 for wheel in wheels] + more)[owner]
        self.at = np.array([k for k, wheel in enumerate(wheels) if wheel.suspension is not None], dtype=np.intp)
        """(suspensions,): their wheels."""
        self.springs = springs = [wheel.suspension for wheel in wheels if wheel.suspension is not None]
        self.mass = np.array([one.unsprung_mass for one in springs])
        self.c = np.array([one.damping or 0.0 for one in springs])
        tyre_k, tyre_c = self.stiffness[self.at], self.damping[self.at]
        rigid: Bools = tyre_k == 0
        heavy: Bools = self.mass > 0
        self.heavy = np.flatnonzero(heavy)
        """Numbers, among the suspensions, of those whose hub has a mass."""
        self._light = np.flatnonzero(~heavy)
        damped = self.c + np.where(rigid, 0.0, tyre_c) > 0
        follows = np.flatnonzero(~heavy & damped)
        self._at_once = np.flatnonzero(~heavy & ~damped)
        self._states = np.concatenate([self.heavy, follows])
        self.inner = len(self._states)
        self.columns = first + np.arange(len(self.heavy))
        """Speeds of the hubs in U."""
        number = {int(k): i for i, k in enumerate(self.at[self.heavy])}
        self.of_hubs: Ints = np.array([k for k, own in enumerate(owner) if int(own) in number], dtype=np.intp)
        """Contacts whose hub is a freedom: one for each piece of the ground."""
        self.hub: Ints = np.array([number[int(owner[k])] for k in self.of_hubs], dtype=np.intp)
        """The hubs of these contacts."""
        self.in_series: Bools = np.isin(owner, self.at[self._light])
        """(contacts,): tyre and suspension are one behind the other, as the hub has no mass."""
        self.on_springs: Bools = (self.stiffness > 0) | self.in_series
        """(contacts,): whose normal force is that of springs, and not one of a rigid contact."""
        self._alone: Bools = ~self.in_series
        """(contacts,): tyres whose depth is that of the geometry."""
        if len(alike) > 1 and self.in_series.any():
            raise ModelError(_SEVERAL.format(wheels[self.at[self._light[0]]].name))
        self._own = np.where(self._alone, self.stiffness, 0.0)
        self._read_laws()
        self._rigid = rigid
        self._tyre_k, self._tyre_c = tyre_k, np.where(rigid, 0.0, tyre_c)
        self._laws = {int(i): contact_law(wheels[self.at[i]]) for i in self._at_once}
        self.follows_ground = any(rigid[i] for i in follows)
        """Whether some internal state is where the ground is while its wheel touches."""
        self.bars = _bars(rover, [wheels[k].name for k in self.at])
        """(suspensions, suspensions): stiffness of the anti-roll bars."""
        places = [[*wheels[k].position, getattr(wheels[k], "radius", 0.0)] for k in self.at[self.heavy]]
        self.places = np.array(places).reshape(-1, 3)
        """(hubs, 3): where their masses are in the design position, in base axes."""

    def _read_laws(self) -> None:
        """Springs and stops of the suspensions."""
        springs = self.springs
        self._free = np.array([float(one.deflection(0.0)) for one in springs])
        laws = np.array([(
            one.stiffness, one.preload, np.inf if one.bump_travel is None else one.bump_travel,
            one.bump_stop_stiffness or 0.0, np.inf if one.rebound_travel is None else one.rebound_travel,
            one.rebound_stop_stiffness or 0.0) for one in springs]).reshape(-1, 6)
        self._k, self._preload, self._bump, self._bump_k, self._rebound, self._rebound_k = laws.T

    # Geometry

    def hub_deflections(self, inner: Floats) -> Floats:
        """(hubs,): of those that have a mass, from the internal states."""
        return inner[: len(self.heavy)]

    # Forces

    def state(self, gap: Floats, gap_rate: Floats, inner: Floats) -> SpringState:
        """Deflections and forces. `gap` (contacts,) is that of wheels with hubs that have a mass where they are, and of
        other suspensions in the design position.
        """
        tyres = self._own * -gap
        loads = np.where(gap < 0, tyres - self.damping * gap_rate, 0.0)
        if len(self._alike) > 1:
            self._share_rings(tyres, loads)
        if not len(self.at):
            return SpringState(gap, gap_rate, np.zeros(0), np.zeros(0), loads, tyres)
        s = np.empty(len(self.at))
        s[self._states] = inner
        for i in self._at_once:
            together = -float(gap[self.at[i]])
            if self._rigid[i]:
                s[i] = max(together, self._free[i])
            else:
                s[i] = self.springs[i].deflection(_force(self._laws[int(i)], together))
        elastic = self.elastic(s)
        light = self._light
        if len(light):
            k = self.at[light]
            e, rate = -gap[k], -gap_rate[k]
            press = self._tyre_k[light] * (e - s[light]) + self._tyre_c[light] * rate
            share = np.divide(self._tyre_c[light], self.c[light] + self._tyre_c[light], out=np.zeros(len(light)),
                              where=self.c[light] + self._tyre_c[light] > 0)
            on_tyre = press - share * (press - elastic[light])
            touches = e > s[light]
            loads[k] = np.where(self._rigid[light], elastic[light] + self.c[light] * rate,
                                np.where(touches, on_tyre, 0.0))
            for i in self._at_once:
                e_own = -float(gap[self.at[i]])
                below = self._k[i] * (e_own - self._free[i])
                loads[self.at[i]] = float(elastic[i]) if e_own > self._free[i] else below
        return SpringState(gap, gap_rate, s, elastic, loads, tyres)

    def _share_rings(self, tyres: Floats, loads: Floats) -> None:
        """Forces of tyres that are pressed into several pieces of the ground, in place."""
        several = (tyres > 0).reshape(len(self._alike), -1)
        for wheel in np.flatnonzero(several.sum(axis=0) > 1):
            pieces = np.flatnonzero(several[:, wheel])
            on, alike = wheel + several.shape[1] * pieces, self._alike[np.ix_(pieces, pieces)]
            alone = loads[on]
            tyres[on] = ring_forces(alike, tyres[on])
            press, loads[on] = tyres[on] > 0, 0.0
            loads[on[press]] = ring_forces(alike[np.ix_(press, press)], alone[press])

    def elastic(self, s: Floats) -> Floats:
        """(suspensions,): force of springs, stops and bars that presses hub and base apart, N."""
        result: Floats = (self._preload + self._k * s + self._bump_k * np.maximum(s - self._bump, 0.0)
                          + self._rebound_k * np.minimum(s + self._rebound, 0.0) + self.bars @ s)
        return result

    def pressed(self, state: SpringState, touching: Bools | None) -> Floats:
        """(contacts,): force (N) with which wheels on springs press on the ground; less than zero where they would
        pull, or are above it.
        """
        with np.errstate(invalid="ignore"):
            result: Floats = np.where(self._alone, np.minimum(state.tyres, state.loads), state.loads)
        for i in self._states[len(self.heavy) :]:
            k = self.at[i]
            over, load = -float(state.gap[k]) - float(state.deflection[i]), float(state.loads[k])
            if self._rigid[i]:
                touches = over >= -_TOUCHES if touching is None else bool(touching[k])
                result[k] = load if touches else self._k[i] * over
                continue
            pressed = float(self._tyre_k[i]) * over
            if over > 0 and not self.c[i] and touching is not None and not touching[k]:  # it lands before it carries
                load = pressed - float(self._tyre_c[i] * state.gap_rate[k] + state.elastic[i])
            result[k] = min(pressed, load) if over > 0 else pressed
        return result

    def rates(self, state: SpringState, U: Floats, touching: Bools) -> Floats:
        """(suspensions,): rates of the deflections; of hubs without a rate of their own not a number."""
        result = np.full(len(self.at), np.nan)
        result[self.heavy] = U[self.columns]
        for i in self._states[len(self.heavy) :]:
            k, c, tyre_c = self.at[i], self.c[i], self._tyre_c[i]
            e, rate, force = -state.gap[k], -state.gap_rate[k], state.elastic[i]
            if not touching[k]:
                result[i] = -force / c if c > 0 else 0.0
            elif self._rigid[i]:
                result[i] = rate
            else:
                press = self._tyre_k[i] * (e - state.deflection[i]) + tyre_c * rate
                result[i] = (press - force) / (c + tyre_c)
        return result

    def inner_rates(self, state: SpringState, U: Floats, touching: Bools) -> Floats:
        """(inner,): rates of the internal states."""
        result: Floats = self.rates(state, U, touching)[self._states]
        return result

    def on_hubs(self, state: SpringState, U: Floats) -> Floats:
        """(hubs,): force of their suspensions and bars on the hubs that have a mass, along z."""
        result: Floats = -(state.elastic[self.heavy] + self.c[self.heavy] * U[self.columns])
        return result

    def on_ground(self, state: SpringState, inner: Floats, touching: Bools) -> Floats:
        """Internal states with the hubs on rigid tyres that touch where the ground is."""
        result = inner.copy()
        for j, i in enumerate(self._states):
            if j >= len(self.heavy) and self._rigid[i] and touching[self.at[i]]:
                result[j] = -state.gap[self.at[i]]
        return result

    # At rest

    @property
    def softness(self) -> float:
        """How far the base sinks in per unit of its weight, about, m/N."""
        return 1.0 / max(sum(1.0 / wheel.yielding for wheel in self.rover.base.wheels), 1e-300)

    def hanging(self) -> Floats:
        """(inner,): deflections in the air."""
        result: Floats = self._free[self._states]
        return result

    def settled(self, gap: Floats, load: Floats, angles: Floats, gravity: float) -> Floats:
        """(3 + inner,): how far the base rises, rolls and pitches from its design position, and internal states, for
        loads F_z, N_x, N_y of the ground, of first order: the posture of statics. Level where it has none.
        """
        base, result = self.rover.base, np.concatenate([[-load[0] * self.softness, 0.0, 0.0], self.hanging()])
        points = self.rover.arrangement.placed(angles).points
        if not load[0] > 0 or not edges_of(points).moments(load).min() > 0:
            return result
        bodies, wheels = len(base.wheels) + len(base.body_points), len(base.wheels)
        heights = -gap.reshape(-1, bodies)[:, :wheels].min(axis=0)
        own = Springs(base, every_hub=True).settle(points, load[None], np.asarray(gravity), heights[None])
        result[:3], result[3:] = own.base[0], own.deflection[0][self.at[self._states]]
        return result

    def at_rest(self, state: SpringState, on_hubs: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Normal forces (contacts,) of a base at rest, and what is out of balance at the hubs (inner,), N, for forces
        `on_hubs` (hubs,) on those with a mass, besides the ground's. `along` (contacts,) are n . z.
        """
        loads, missing = np.maximum(state.loads, 0.0), np.zeros(self.inner)
        for j, i in enumerate(self._states):
            hub = j < len(self.heavy)
            on = self.of_hubs[self.hub == j] if hub else self.at[i : i + 1]
            k = on[state.gap[on].argmin()]
            above = float(state.gap[k] + (0.0 if hub else state.deflection[i]))
            if self._rigid[i]:
                needed = float(-on_hubs[j] / along[k] if hub else state.elastic[i])
                loads[k], missing[j] = max(needed, 0.0), min(needed, float(self._k[i]) * above)
            elif hub:
                missing[j] = on_hubs[j] + loads[on] @ along[on]
            else:
                loads[k] = self._tyre_k[i] * max(-above, 0.0)
                missing[j] = loads[k] - state.elastic[i]
        return loads, missing

    # Masses

    def add_inertia(self, M: Floats, h: Floats, twist: Floats, U: Floats, inner: Floats, gravity: Floats) -> None:
        """Put the hubs' masses, which are parts of the base, where they are: M and h of the base with them in their
        design position change in place. `twist` (6,) is that in inertial space, in base axes, as `gravity` (3,) is.
        """
        m, s, rate, p = self.mass[self.heavy], self.hub_deflections(inner), U[self.columns], self.places
        (x, y, z), moment = p.T, m * s
        M[0, 4] += (total := moment.sum())
        M[1, 3] -= total
        M[3, 3] += (swings := (m * s * (2.0 * z + s)).sum())
        M[4, 4] += swings
        M[3, 5] -= (moment * x).sum()
        M[4, 5] -= (moment * y).sum()
        M[[4, 3, 5, 5], [0, 1, 3, 4]] = M[[0, 1, 3, 4], [4, 3, 5, 5]]
        columns = self.columns
        M[columns, 2], M[columns, 3], M[columns, 4], M[columns, columns] = m, m * y, -m * x, m
        M[2, columns], M[3, columns], M[4, columns] = m, m * y, -m * x
        vx, vy, vz, a, b, c = twist.tolist()
        falls = np.array([b * vz - c * vy, c * vx - a * vz, a * vy - b * vx]) - gravity
        w = twist[3:]
        before = falls + (p @ w)[:, None] * w - (w @ w) * p
        # Of a hub away from its design position: w x (w x s z) + 2 s' w x z.
        more = np.stack([s * a * c + 2.0 * rate * b, s * b * c - 2.0 * rate * a, -s * (a * a + b * b)], axis=-1)
        h[:3] += m @ more
        up = z + s
        h[3] += m @ (y * more[:, 2] - up * more[:, 1] - s * before[:, 1])
        h[4] += m @ (up * more[:, 0] - x * more[:, 2] + s * before[:, 0])
        h[5] += m @ (x * more[:, 1] - y * more[:, 0])
        h[columns] = m * (before[:, 2] + more[:, 2])

    # Energy

    def stored(self, state: SpringState) -> float:
        """Energy in the springs of tyres, suspensions and bars, J."""
        total = float(0.5 * np.maximum(state.tyres, 0.0) @ -state.gap)
        if len(self.at):
            s = state.deflection
            light = self._light
            over = np.maximum(-state.gap[self.at[light]] - s[light], 0.0)
            total += float(0.5 * self._tyre_k[light] @ over**2 + 0.5 * s @ self.bars @ s)
            total += sum(float(one.energy(each)) for one, each in zip(self.springs, s.tolist(), strict=True))
        return total

    def weight_energy(self, inner: Floats, gravity: Floats) -> float:
        """Energy of the hubs' weight against the design position, J; `gravity` (3,) in base axes."""
        return float(-gravity[Z] * (self.mass[self.heavy] @ self.hub_deflections(inner)))

    def damped(self, state: SpringState, normal: Floats, U: Floats, touching: Bools) -> float:
        """Power that tyres and dampers turn into heat, W: what is pressed in, less what springs take."""
        alone = self._alone & self.on_springs
        power = float((np.maximum(state.tyres, 0.0) - np.where(alone, normal, 0.0)) @ state.gap_rate)
        if not len(self.at):
            return power
        rates = self.rates(state, U, touching)
        power += float(self.c[self.heavy] @ rates[self.heavy] ** 2)
        for i in self._states[len(self.heavy) :]:
            k, rate = self.at[i], float(rates[i])
            e_rate, over = -float(state.gap_rate[k]), -float(state.gap[k]) - float(state.deflection[i])
            tyre = 0.0 if self._rigid[i] else float(self._tyre_k[i]) * max(over, 0.0) * (e_rate - rate)
            power += float(normal[k]) * e_rate - tyre - float(state.elastic[i]) * rate
        return power

    # Results

    def travel(self, state: SpringState) -> Floats:
        """(wheels,): deflections of the suspensions, m; 0 where there is none."""
        result = np.zeros(len(self.rover.base.wheels))
        result[self.at] = state.deflection
        return result

    def forces(self, state: SpringState, U: Floats, touching: Bools) -> Floats:
        """(wheels,): forces of spring, stops and damper of the suspensions, without the bars, N; 0 where there is none.
        """
        result = np.zeros(len(self.rover.base.wheels))
        if len(self.at):
            rates = np.nan_to_num(self.rates(state, U, touching))
            result[self.at] = state.elastic - self.bars @ state.deflection + self.c * rates
        return result


def ring_forces(alike: Floats, alone: Floats) -> Floats:
    """(k,): forces on a ring that each of k pieces of ground alone would press with `alone` (k,), their normals having
    the scalar products `alike` (k, k); less than zero of those that are out of reach, by how much.

    >>> ring_forces(np.eye(2), np.array([100.0, 50.0])).tolist()                                       # road and kerb
    [100.0, 50.0]
    >>> ring_forces(np.array([[1.0, 0.8], [0.8, 1.0]]), np.array([100.0, 50.0])).tolist()             # the road alone
    [100.0, -30.0]
    """
    active, forces = np.zeros(len(alone), dtype=bool), np.zeros(len(alone))
    for _ in range(4 * len(alone)):
        left = np.where(active, 0.0, alone - alike @ forces)
        worst = int(left.argmax())
        if left[worst] <= _PRESSES * float(np.abs(alone).max(initial=0.0)):
            break
        active[worst] = True
        while active.any():
            forces = np.zeros(len(alone))
            forces[active] = np.linalg.solve(alike[np.ix_(active, active)], alone[active])
            if (forces[active] > 0).all():
                break
            active[int(np.where(active, forces, np.inf).argmin())] = False
    return np.where(active, forces, alone - alike @ forces)


_TOUCHES, _PRESSES = 1e-9, 1e-13
_SEVERAL = (
    "the suspension of '{}' has no unsprung_mass, and a wheel may stand on several sides of the ground at once (kerbs, "
    "feet of ramps): give its lp.Suspension the unsprung_mass of wheel and hub, which the forces of all of them move"
)


def _force(law: Law, e: float) -> float:
    return law.start + law.slope * e + sum(change * max(e - place, 0.0) for place, change in law.hinges)


def _bars(rover: Rover, names: list[str]) -> Floats:
    """Stiffness (suspensions, suspensions) of anti-roll bars."""
    result = np.zeros((len(names), len(names)))
    for bar in rover.base.anti_roll_bars:
        i, j = names.index(bar.left), names.index(bar.right)
        result[[i, j], [i, j]] += bar.stiffness
        result[[i, j], [j, i]] -= bar.stiffness
    return result


def check_in_time(rover: Rover, remedy: str) -> None:
    """An error for suspensions of which something is not known in time, or that have no motion of their own."""
    held = {name for bar in rover.base.anti_roll_bars for name in (bar.left, bar.right)}
    for wheel in rover.base.wheels:
        spring = wheel.suspension
        if spring is None:
            continue
        if spring.damping is None:
            raise ModelError(f"the suspension of '{wheel.name}' of rover '{rover.name}' has no damping: give "
                             f"lp.Suspension(damping=...) (N s/m; 0 for none); {remedy}")
        if wheel.name in held and not spring.unsprung_mass and not spring.damping:
            raise ModelError(f"an anti-roll bar holds '{wheel.name}' of rover '{rover.name}', whose hub has neither an "
                             "unsprung_mass nor a damping, and simulate has no rate of such a hub: give its "
                             f"lp.Suspension one of them; {remedy}")
