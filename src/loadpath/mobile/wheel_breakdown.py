"""What every contact carries, what tips the base and what friction holds, by cause: which joint that moves, which
link's weight, which motion of the base.

The ground's wrench by cause comes first (`loadpath.mobile.wrench_by_cause`); everything else is linear in it:

- the moments about the edges of the support polygon, from F_z, N_x, N_y, always;
- the normal forces, from the same three, while no contact of four or more lifts: shared among the contacts as those of
  all causes together (`loadpath.mobile.normals`);
- the friction forces and drive torques, from F_x, F_y, N_z and the normal forces, while each contact is within its
  friction (`loadpath.mobile.friction_by_cause`).

Where that does not hold what a cause does depends on all others: such states are refused by name, where it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from loadpath import html
from loadpath.cached import cached_property
from loadpath.loads.breakdown.result import Contribution
from loadpath.mobile.friction_by_cause import VERTICAL, ForcesByCause, forces_by_cause, linear_share
from loadpath.mobile.loads import WheelLoads, wheel_loads
from loadpath.mobile.motions import BaseState, arm_states, base_state_of, is_in_space, refuse_ground, refuse_unknown
from loadpath.mobile.stability import edge_names, rows_on_links
from loadpath.mobile.state import state_at
from loadpath.mobile.support import Edges, edge_moment, edges_of
from loadpath.mobile.wrench_by_cause import wrench_by_cause
from loadpath.quantities.load_index import Cause, cause_label, check_count, component_number
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.numbers import known
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import StatesLike, place_of, warn_of_unknown

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

OF_CONTACTS = ("normal", "longitudinal", "lateral", "used", "drive_torque")
EDGE_MOMENT = "edge_moment"
UNITS = {"drive_torque": "N m", EDGE_MOMENT: "N m"} | {name: "N m" for name in COMPONENTS if name.startswith("torque")}
_ROUNDING = 1e-9
"""Of the largest load, how far sums of causes may be from the loads."""

Part = str | tuple[str, ...]
"""What is split: a contact by its name, an edge by the names of its contacts, or "base"."""


@dataclass(frozen=True, eq=False, repr=False)
class WheelLoadBreakdown:
    """The ground's wrench on a rover, the forces of every contact and the moments about the edges of the support
    polygon as sums of terms with their causes, as those of `LoadBreakdown`.

    | kind | by | for |
    |---|---|---|
    | "inertial" | the degree of freedom that accelerates | qdd |
    | "centrifugal" | the degree of freedom that moves | qd squared |
    | "coriolis" | two of them | products of two qd |
    | "gravity" | the link that weighs, the base among them | gravity |
    | "base" | "inertial", "centrifugal", "coriolis" with a degree of freedom, "spin" of wheels | `velocity=` ... |
    | "external", "carried" | the link, the load | `external=`, `motion.with_loads` |

    What is split is named as in `by_cause(part, quantity)`, also in `by_kind`, `by_mover`, `total`, `worst` and `top`:

    | part | quantity | sums to |
    |---|---|---|
    | a contact | "normal" (the default), "longitudinal", "lateral", "drive_torque" | the same of `WheelLoads` |
    | a contact | "used": the force along the ground, in its direction | `Slip.used` |
    | an edge, a pair of contacts | "edge_moment" | `Stability.edge_moments`: the margin times F_z, of the nearest |
    | "base" | "force_x" ... "torque_z" | `ground_wrench` |

    A term that presses a contact down, or keeps the base down about an edge, is positive.
    """

    wrench: Floats
    """(..., causes, 6): force (N), then moment (N m) about the origin of the base frame, in its axes, of the ground."""
    all_causes: tuple[Cause, ...]
    loads: WheelLoads
    """All forces of the contacts in these states."""
    joints: Floats | None = None
    """(..., causes, m): what each takes of the passive freedoms, where wheels are on links."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return self.loads.names

    @property
    def edges(self) -> tuple[tuple[str, ...], ...]:
        """The contacts of every edge of the support polygon, as in `Stability`."""
        return edge_names(self.loads.state)

    @property
    def causes(self) -> list[str]:
        """The causes in words, in the order of `wrench` and all others."""
        return [cause_label(cause) for cause in self.all_causes]

    # Arrays

    @cached_property
    def normal(self) -> Floats:
        """(..., causes, contacts): N. States in which a contact of four or more lifts are refused; where wheels are on
        links, also those in which friction is at its limit.
        """
        loads = self.loads
        self._refuse_free()
        _refuse_lifted(loads)
        result = self._linear.normal if loads.state.linked is None else self._forces.normal
        off = np.abs(result.sum(axis=-2) - loads.normal)
        self._refuse(off, "the normal force of contact '{}' does not grow in proportion to what acts on the base")
        return result

    @cached_property
    def edge_moments(self) -> Floats:
        """(..., causes, edges): N m, about each edge, positive where it keeps the base down. Sums in every state, where
        contacts lift or the base tips too; infinite for pairs of contacts that are no edge. Where wheels are on links,
        friction turns rockers and bogies, too: states in which it is at its limit are refused.
        """
        state = self.loads.state
        self._refuse_free()
        if state.linked is not None:
            flat = self._forces.normal.reshape(state.count, *self._forces.normal.shape[-2:])
            linked = rows_on_links(state)
            moments = (flat @ linked.hung.normal_rows) @ np.swapaxes(linked.tipping.motion, -1, -2)
            moments = np.where(linked.tipping.there[:, None], moments, np.inf)
            return moments.reshape(*state.batch, *moments.shape[1:])
        edges = self._polygon
        along, start = ((part[..., None, :, 0], part[..., None, :, 1]) for part in (edges.along, edges.start))
        load = self.wrench[..., VERTICAL]
        moment = np.asarray(edge_moment(along, start, [load[..., None, k] for k in range(3)]))
        return np.where(edges.there[..., None, :], moment, np.inf)

    @cached_property
    def _polygon(self) -> Edges:
        state = self.loads.state
        return edges_of(state.placed.points if state.one_polygon is None else state.one_polygon)

    @property
    def longitudinal(self) -> Floats:
        """(..., causes, contacts): N, along the rolling direction. States in which friction is at its limit, or a
        contact lifts, are refused.
        """
        return self._forces.longitudinal

    @property
    def lateral(self) -> Floats:
        """(..., causes, contacts): N, across the rolling direction, to the left. Refused as `longitudinal`."""
        return self._forces.lateral

    @property
    def drive_torque(self) -> Floats:
        """(..., causes, contacts): N m, of driven wheels. Refused as `longitudinal`."""
        return self._forces.drive_torque

    @property
    def used(self) -> Floats:
        """(..., causes, contacts): N, the part of each along the friction force of its contact: `Slip.used` by cause.
        Refused as `longitudinal`.
        """
        along, across = self.loads.longitudinal, self.loads.lateral
        size = np.hypot(along, across)
        some = size > 0
        x, y = (np.where(some, part / np.where(some, size, 1.0), 0.0) for part in (along, across))
        return self.longitudinal * x[..., None, :] + self.lateral * y[..., None, :]

    @cached_property
    def _linear(self) -> ForcesByCause:
        """Whether friction is within its limits or not."""
        return linear_share(self.loads.state, self.all_causes, self._acting)

    @cached_property
    def _forces(self) -> ForcesByCause:
        self._refuse_free()
        if self.loads.state.linked is None:
            _ = self.normal  # that no contact lifts
        else:
            _refuse_lifted(self.loads)
        result, off = forces_by_cause(self.loads, self.all_causes, self._acting)
        self._refuse(off, "contact '{}' is asked for more than its share of the friction, so that others carry what is "
                          "beyond it")
        return result

    @property
    def _acting(self) -> Floats:
        """(..., causes, 6 + m): wrenches, and what is taken of passive joints."""
        return self.wrench if self.joints is None else np.concatenate([self.wrench, self.joints], axis=-1)

    def _refuse_free(self) -> None:
        if self.loads.state.free is not None:
            raise ValueError("wheel_load_breakdown: in the simulation the base moves in space, where what contacts "
                             "carry does not follow from the causes one by one: ask for its wrench, 'base' and "
                             "'force_x' ... 'torque_z', which is a sum there, too")

    def _refuse(self, off: Floats, words: str) -> None:
        """An error for states in which sums of causes are off the loads (..., contacts), N."""
        size = np.abs(self.wrench[..., :3]).sum(axis=-1).max(axis=-1, keepdims=True)
        wrong: Bools = np.asarray(off > _ROUNDING * size)
        if wrong.any():
            states = np.asarray(wrong.any(axis=-1))
            tips = bool((states & self.loads.tips_over).reshape(-1)[np.flatnonzero(states)[0]])
            reason = "the base tips over" if tips else words.format(self._first(wrong))
            raise ValueError(f"wheel_load_breakdown: {reason}{_where(states)}: what a cause does depends on all others "
                             "there. Leave these states out, or ask for the wrench and the edge_moments, which are "
                             "sums in every state")

    def _first(self, wrong: Bools) -> str:
        rows = wrong.reshape(-1, len(self.names))
        return self.names[int(np.flatnonzero(rows[int(np.flatnonzero(rows.any(axis=-1))[0])])[0])]

    # By name

    def parts(self, part: Part, quantity: str | None = None) -> dict[Cause, Floats]:
        """What every cause adds to a quantity of a contact, an edge or the base, (...)."""
        column = self._column(part, quantity)
        return {cause: column[..., row] for row, cause in enumerate(self.all_causes)}

    def by_cause(self, part: Part, quantity: str | None = None) -> dict[str, Floats]:
        """What every cause puts on a contact, (...), by its words; or adds to another quantity, as above.

        >>> import loadpath as lp
        >>> split = lp.catalog.lau_rover().wheel_load_breakdown([0, 0, 0.5], acceleration=(1.0, 0.0))
        >>> {cause: float(force.round(3)) for cause, force in split.by_cause("wheel1").items() if abs(force) > 1e-9}
        {'gravity rover': 32.7, 'gravity turntable': 3.27, 'gravity rod': 3.27, 'base inertial': -4.667}
        >>> about = split.by_cause(("wheel2", "wheel3"))
        >>> float(about["gravity rover"].round(3)), float(about["base inertial"].round(3))
        (19.62, -2.8)
        >>> float(split.by_cause("base", "force_x")["base inertial"].round(9))                    # 12 kg
        12.0
        """
        return {cause_label(cause): values for cause, values in self.parts(part, quantity).items()}

    def by_kind(self, part: Part, quantity: str | None = None) -> dict[str, Floats]:
        """The sums of all inertial, centrifugal, Coriolis, gravity, external and base terms on a contact, or of another
        quantity.
        """
        return self._sums(part, quantity, lambda kind, names: {kind: 1.0})

    def by_mover(self, part: Part, quantity: str | None = None) -> dict[str, Floats]:
        """What each degree of freedom (or joint) that moves puts on a contact, or adds to another quantity: its
        inertial and centrifugal terms and half of each Coriolis term that it shares; the motion of the base as "base".
        With the other kinds these sum to the whole.
        """
        moving = ("inertial", "centrifugal", "coriolis")
        return self._sums(part, quantity, lambda kind, names: (
            dict.fromkeys(names, 1.0 / len(set(names))) if kind in moving else {"base": 1.0} if kind == "base" else {}
        ))

    def total(self, part: Part | None = None, quantity: str | None = None) -> Floats:
        """(...): the sum of all terms of a quantity; without a part (..., contacts): the normal forces."""
        result: Floats = self.normal.sum(axis=-2) if part is None else self._column(part, quantity).sum(axis=-1)
        return result

    def worst(self, part: Part | None = None, quantity: str | None = None) -> tuple[int, ...]:
        """The state with the largest magnitude of a quantity; of an edge, the one in which the least keeps the base
        down. Without a part, that of `nearest_edge`.
        """
        part, quantity = self._asked(self.nearest_edge if part is None else part, quantity)
        warn_of_unknown(self.loads.unknown, "worst", "left out")
        whole = self.total(part, quantity)
        size = np.where(np.isinf(whole), -np.inf, -whole) if quantity == EDGE_MOMENT else np.abs(whole)
        if not size.size:
            raise ValueError("there are no states in this breakdown")
        place = int(np.argmax(np.where(np.isnan(size), -np.inf, size)))
        return tuple(int(i) for i in np.unravel_index(place, size.shape))

    @property
    def nearest_edge(self) -> tuple[str, ...]:
        """The edge over which the base is nearest to tipping in any of the states, by the moment that keeps it down."""
        moments = self.edge_moments.sum(axis=-2).reshape(-1, len(self.edges))
        if not np.isfinite(moments).any():
            raise ValueError("there is no state in this breakdown that is a number")
        return self.edges[int(np.nanargmin(moments)) % len(self.edges)]

    def top(
        self, part: Part | None = None, quantity: str | None = None, count: int = 5,
        *, state: int | tuple[int, ...] | None = None,
    ) -> list[Contribution]:
        """The causes that add most to a quantity, largest magnitude first, in one `state`: unless it is given, in the
        `worst`. Without a part, what keeps the base down about its `nearest_edge`, and what lifts it there.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover()
        >>> split = rover.wheel_load_breakdown(lp.Motion.swing(rover, 101, 1.0), acceleration=(1.5, 0.0))
        >>> split.nearest_edge, split.worst()
        (('wheel1', 'wheel2'), (48,))
        >>> [(cause.cause, round(cause.value, 2)) for cause in split.top(count=3)]
        [('gravity rover', 17.55), ('coriolis theta1, d2', -3.9), ('coriolis theta2, d2', -3.26)]
        """
        check_count(count)
        part, quantity = self._asked(self.nearest_edge if part is None else part, quantity)
        place = self.worst(part, quantity) if state is None else state if isinstance(state, tuple) else (state,)
        batch = self.loads.state.batch
        if len(place) != len(batch):
            raise ValueError(f"state {state!r} is not one state of the batch {batch}" if batch else
                             f"state is {state!r}, but there is only one: leave it out")
        terms = [Contribution(cause_label(cause), *cause, float(values[place]), place)
                 for cause, values in self.parts(part, quantity).items()]
        return sorted(terms, key=lambda term: -abs(term.value) if term.value == term.value else np.inf)[:count]

    def _sums(
        self, part: Part, quantity: str | None, shares: Callable[[str, tuple[str, ...]], Mapping[str, float]]
    ) -> dict[str, Floats]:
        sums: dict[str, Any] = {}
        for (kind, names), values in self.parts(part, quantity).items():
            for name, share in shares(kind, names).items():
                sums[name] = sums.get(name, 0.0) + share * values
        return sums

    def _asked(self, part: Part, quantity: str | None) -> tuple[Part, str]:
        """A part and one of its quantities, by name."""
        if not isinstance(part, str):
            part = tuple(part)
        if quantity is None:
            quantity = EDGE_MOMENT if isinstance(part, tuple) else "normal"
        if isinstance(part, tuple):
            if quantity != EDGE_MOMENT:
                raise ValueError(f"an edge has no {quantity!r}: its quantity is '{EDGE_MOMENT}'")
            if part not in self.edges:
                listed = ", ".join(str(edge) for edge in self.edges)
                raise ValueError(f"no edge {part!r}; there are {listed}")
        elif part == "base" and quantity not in OF_CONTACTS:
            component_number(quantity)
        elif quantity not in OF_CONTACTS:
            whose = f"an edge, named by its contacts like {self.edges[0]!r}, has" if quantity == EDGE_MOMENT else \
                "'base' has" if quantity in COMPONENTS else "nothing has"
            raise ValueError(f"contact '{part}' has no {quantity!r}: {whose} that; contacts have "
                             f"{', '.join(OF_CONTACTS)}")
        else:
            known(part, self.names, "contact")
        return part, quantity

    def _column(self, part: Part, quantity: str | None) -> Floats:
        """(..., causes)."""
        part, quantity = self._asked(part, quantity)
        if isinstance(part, tuple):
            return self.edge_moments[..., self.edges.index(part)]
        if quantity in COMPONENTS:
            return self.wrench[..., component_number(quantity)]
        values: Floats = getattr(self, quantity)
        return values[..., self.names.index(part)]

    # As text

    def __repr__(self) -> str:
        batch = self.loads.state.batch
        states = f"states {batch}" if batch else "one state"
        return f"<WheelLoadBreakdown of {len(self.names)} contacts, {len(self.all_causes)} causes, {states}>"

    def _repr_html_(self) -> str:
        if self.loads.state.free is not None:
            return html.paragraph(repr(self))
        heads = [f"{' to '.join(edge)} (N m)" for edge in self.edges]
        columns = [self.edge_moments]
        if not _lifts(self.loads).any():
            heads, columns = [*(f"{name} (N)" for name in self.names), *heads], [self.normal, *columns]
        values = np.concatenate(columns, axis=-1)
        flat = values.reshape(-1, *values.shape[-2:])
        rows = [[cause, *(html.ranged(flat[:, row, k]) for k in range(len(heads)))]
                for row, cause in enumerate(self.causes)]
        return html.table("Normal forces, and moments that keep the base down about each edge, by cause",
                          ["cause", *heads], rows)


def wheel_load_breakdown(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    by: Literal["freedom", "joint"] = "freedom",
    **motion: Unpack[BaseState],
) -> WheelLoadBreakdown:
    """The wrench of the ground, the forces of every contact and what keeps the base from tipping, by cause: which
    joint's acceleration or speed, which link's weight, which motion of the base. States and motion of the base are as
    in `wheel_loads`, `by` as in `load_breakdown`.

    Of a simulation whose base was a free body, the wrench is split: what its contacts carry is no sum of causes.
    Wrench and tipping moments are sums in every state. Normal forces are while no contact of four or more lifts,
    friction forces while each contact is also within its friction: elsewhere what a cause does depends on all others,
    and what is asked there is an error that names the contact and the states.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> split = rover.wheel_load_breakdown([0.3, 0.2, 0.5], [1, 2, 0], [3, 0, 0], velocity=(0.5, 1.0))
    >>> sorted(split.by_kind("wheel2"))
    ['base', 'centrifugal', 'coriolis', 'gravity', 'inertial']
    >>> bool(abs(split.total() - split.loads.normal).max() < 1e-11)
    True
    >>> [cause.cause for cause in split.top("wheel2", "lateral", count=2)]
    ['base inertial', 'base coriolis theta1']
    """
    caller = "wheel_load_breakdown"
    refuse_unknown(motion, caller)
    if not is_in_space(q):  # where the wrench of the ground is split, whatever it is like
        refuse_ground(rover.ground, caller, "surface")
    if motion.get("heights") is not None:
        raise ValueError(f"{caller} takes no heights: wheel_loads, stability, slip and ground_wrench do")
    state = state_at(rover, q, qd, qdd, motion, caller, knows_space=True)
    base = base_state_of(rover, q, motion, caller, knows_space=True)
    if state.free is not None and rover.base.unsprung_mass:
        raise ValueError(f"{caller}: base '{rover.name}' has unsprung masses, and in the simulation the base moves in "
                         "space: what is by cause is of a base whose wheels move with it")
    states = arm_states(rover, q, qd, qdd, caller)
    causes, wrench = wrench_by_cause(rover, states, base, by, state)
    joints = None if state.linked is None else wrench[..., 6:]
    return WheelLoadBreakdown(wrench[..., :6], causes, wheel_loads(rover, state), joints)


def _lifts(loads: WheelLoads) -> Bools:
    """(..., contacts): which contacts lift of four or more."""
    result: Bools = loads.lifted & ~loads.unknown[..., None]
    return result if len(loads.names) > 3 else np.zeros_like(result)


def _refuse_lifted(loads: WheelLoads) -> None:
    lifted = _lifts(loads)
    if lifted.any():
        states = np.asarray(lifted.any(axis=-1))
        contact = loads.names[int(np.flatnonzero(lifted.reshape(-1, len(loads.names)).any(axis=0))[0])]
        raise ValueError(f"wheel_load_breakdown: contact '{contact}' lifts{_where(states)}, and without it the others "
                         "share what the causes do together, not each by itself: leave these states out "
                         "(wheel_loads(...).lifted), or ask for the wrench and the edge_moments, which are sums there")


def _where(states: Bools) -> str:
    """How many of the states, and the first of them; nothing where there is but one."""
    if not states.ndim:
        return ""
    place = place_of(int(np.flatnonzero(states)[0]), states.shape)
    return f" in {int(states.sum())} of {states.size} states, first {place}"
