"""How a call may be made: with external wrenches, on a moving base, with a motion or a simulation in place of arrays,
in float32, in batches, with no states at all. Each against the plain calls that it must be equal to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import combination_books as of_books
import numpy as np
from combination_methods import (
    DRIVES,
    METHODS,
    METHODS_WITH_LOADS,
    Pin,
    check_peaks,
    close,
    motion_of,
    torque_of_gear,
)
from combination_reduction import times
from combination_states import (
    BY_DIFFERENCES,
    COMPILED,
    NEEDS_COMPILING,
    STEP,
    Floats,
    States,
    ask,
    by_differences,
    numbers,
    options_of,
    partitioned,
    states_of,
)
from combination_subjects import arm
from combination_table import EXPORTS

import loadpath as lp
from loadpath.engine.program import Operand
from references import javascript, webassembly

STATE = ("q", "qd", "qdd", "tau")
JOINT = "joint2"


@cache
def motion() -> lp.Motion:
    return motion_of(arm())


@cache
def simulation() -> lp.Simulation:
    return arm().simulate([0.2, 0.1], [0.3, -0.2], [5.0, 2.0], duration=0.04)


# Numbers of what is asked


def of_compiled(name: str, given: States, **options: Any) -> list[Floats]:
    """A compiled quantity of the arm, compiled."""
    quantity = COMPILED[name]
    arrays = [given[argument] for argument in quantity.argument_names]
    return numbers(getattr(arm(), name)(*arrays, **options_of(quantity, "tip", JOINT), **options))


def of_method(name: str, *states: Any, **options: Any) -> list[Floats]:  # noqa: PLR0911  # one for each method
    """A method of the arm that takes states q, qd, qdd."""
    robot = arm()
    if name == "load_breakdown":
        return [robot.load_breakdown(*states, **options).totals()]
    if name == "reduce_loads":
        given = states[0] if len(states) == 1 else states
        found = robot.reduce_loads(given, lp.LoadExtremes(), **options)
        return [np.stack([found.largest.total(joint) for joint in robot.joint_names])]
    if name == "linearize":
        first = states[0]
        given = (first.q, first.qd, first.qdd) if len(states) == 1 else states
        return [robot.linearize(*states[:2], tau=robot.inverse_dynamics(*given), dry_friction=False, **options).A]
    if name == "peak_loads":
        found = robot.peak_loads(*states, **options)
        return [np.array([found[dof, "drive"].magnitude for dof in robot.dof_names])]
    if name == "verdict":
        found = robot.with_parts({"joint1": Pin(), "joint2": Pin()}).verdict(*states, **options)
        return [np.array([found[joint, "pin", "force"].demand for joint in ("joint1", "joint2")])]
    if name == "size":
        return [np.array(torque_of_gear(robot, "joint2", states[0] if len(states) == 1 else states, **options))]
    if name == "largest":
        limited = robot.with_limits({key: {"effort": 400.0} for key in robot.dof_names})
        return [np.array(limited.largest("payload", *states, **options).value)]
    if name == "load_cases":
        found = robot.load_cases(*states, count=1, **options)
        return [np.array([np.linalg.norm(load.force) for link in found[0] for load in link.loads])]
    if name == "load_spectra":
        return [np.array([one.levels[[0, -1]] for one in robot.load_spectra(*states, **options)])]
    if name == "motor_loads":
        geared = robot.with_drives({"joint1": lp.Drive(ratio=40, efficiency=0.8)})
        return [geared.motor_loads(*states, **options).torque]
    if name == "max_payload":
        limits = dict.fromkeys(robot.dof_names, 400.0)
        return [np.array(robot.max_payload(*states, limits=limits, model_limits=False, **options).mass)]
    if name == "plot":
        force = next(part for part in robot.plot(*states, loads=True, **options).data if part.name == "force")
        return [np.nan_to_num(np.stack([np.asarray(force[k], dtype=float) for k in "xyz"]))]
    assert name == "report"
    return [np.array([len(robot.report(*states, **options).html) > 1000.0])]


TAKING_STATES = (
    "load_breakdown", "reduce_loads", "peak_loads", "max_payload", "motor_loads", "plot", "verdict", "size", "largest",
    "load_cases", "load_spectra", "linearize",
)
"""Methods that are not compiled quantities and take q, qd, qdd."""


# Motions and simulations


def with_motion(name: str, source: Any) -> None:
    """The motion or simulation alone, and its arrays."""
    if name == "operational_space_inertia":
        in_six_directions(name, source)
        return
    if name == "books":
        of_books.with_motion(source)
        return
    if name == "report":
        tau = arm().inverse_dynamics(source.q, source.qd, source.qdd)
        check_peaks(arm().report(source).html, DRIVES, arm().dof_names, tau)
        return
    if name == "fastest":
        along(source)
        return
    if name in ("simulate", "rollout", "inverse_kinematics"):
        OTHER_CALLS[name](source)
        return
    if name in TAKING_STATES:
        for found, wanted in zip(
            of_method(name, source), of_method(name, source.q, source.qd, source.qdd), strict=True
        ):
            close(found, wanted)
        return
    quantity = COMPILED[name]
    count = len(source.q)
    given = states_of(arm(), count) | {"q": source.q, "qd": source.qd, "qdd": source.qdd}
    brought = set(STATE[:3])
    if getattr(source, "tau", None) is not None:
        given["tau"] = source.tau
        brought.add("tau")
    others = {argument: given[argument] for argument in quantity.argument_names if argument not in brought}
    found = numbers(getattr(arm(), name)(source, **others, **options_of(quantity, "tip", JOINT)))
    for part, wanted in zip(found, of_compiled(name, given), strict=True):
        close(part, wanted, 1e-12)


def along(source: Any) -> None:
    """The fastest motion goes through the configurations of its source, within limits that it reaches."""
    still = np.zeros_like(source.q)
    limits = 1.2 * np.abs(arm().inverse_dynamics(source.q, still, still)).max(axis=0) + 3.0
    found = arm().fastest(source, {"torque": limits, "speed": False})
    states = found.sampled(9)
    used = np.abs(arm().inverse_dynamics(*states)) / limits
    assert 0.99 < used.max() <= found.certificate <= 1 + 1e-4
    for k in (0, -1):
        close(states[0][k], source.q[k], 1e-6)


# Kinds of arrays


def in_single_precision(name: str) -> None:
    """float32 to 1e-4 of float64, and of that type."""
    if name == "operational_space_inertia":
        in_six_directions(name, dtype=np.float32)
        return
    if name == "books":
        of_books.in_single_precision()
        return
    if name in OTHER_CALLS:
        s = states_of(arm(), 1)
        exact, single = (_numbers_of(name, {k: v[0].astype(kind) for k, v in s.items()})
                         for kind in (np.float64, np.float32))
        for part, wanted in zip(single, exact, strict=True):
            close(part, wanted, 1e-4)
        return
    if name in TAKING_STATES:
        states = states_of(arm())
        arrays = [states[part] for part in STATE[:3]]
        found = of_method(name, *(array.astype(np.float32) for array in arrays))
        wanted = of_method(name, *arrays)
    else:
        states = states_of(arm())
        found = of_compiled(name, {key: value.astype(np.float32) for key, value in states.items()})
        wanted = of_compiled(name, states)
        assert {part.dtype for part in found} == {np.dtype(np.float32)}
    for part, exact in zip(found, wanted, strict=True):
        close(part, exact, 1e-4)


def in_a_batch(name: str) -> None:
    """Two axes that broadcast, and one state after the other."""
    rows = states_of(arm(), 6)
    if name == "operational_space_inertia":
        in_six_directions(name)
        return
    if name == "books":
        of_books.in_a_batch()
        return
    if name in OTHER_CALLS:
        grid = _numbers_of(name, {key: value.reshape(2, 3, *value.shape[1:]) for key, value in rows.items()})
        for k in range(6):
            single = _numbers_of(name, {key: value[k] for key, value in rows.items()})
            for part, wanted in zip(grid, single, strict=True):
                close(part[(..., *divmod(k, 3), slice(None))], wanted, 1e-5)
        return
    if name in TAKING_STATES:
        arrays = [rows[part] for part in STATE[:3]]
        found = of_method(name, *(array.reshape(2, 3, -1) for array in arrays))
        wanted = of_method(name, *arrays)
        for part, flat in zip(found, wanted, strict=True):
            close(part.reshape(flat.shape), flat)
        return
    quantity = COMPILED[name]
    grid = {key: value.reshape(2, 3, *value.shape[1:]) for key, value in rows.items()}
    first = quantity.argument_names[0]
    grid[first] = grid[first][:, :1]  # one for each row: it broadcasts
    found = of_compiled(name, grid)
    columns = found[0].shape[1]  # one, if there is a single argument, which has no partner to broadcast with
    for i in range(2):
        for j in range(columns):
            single = {key: value[i, 0 if key == first else j] for key, value in grid.items()}
            for part, wanted in zip(found, of_compiled(name, single), strict=True):
                close(part[i, j], wanted, 1e-12)


def with_no_states(name: str) -> None:
    """Results of no states: their shape with nothing in it, in double precision."""
    rows = states_of(arm(), 1)
    if name == "operational_space_inertia":
        in_six_directions(name, count=0)
        return
    if name == "books":
        of_books.with_no_states()
        return
    if name in OTHER_CALLS:
        for part in _numbers_of(name, {key: value[:0] for key, value in rows.items()}):
            assert part.shape[-2] == 0
        return
    if name in TAKING_STATES:
        found = of_method(name, *(rows[part][:0] for part in STATE[:3]))
        assert all(part.shape[0] == 0 for part in found)
        return
    one, none = (of_compiled(name, {key: value[:count] for key, value in rows.items()}) for count in (1, 0))
    for part, shape in zip(none, [part.shape for part in one], strict=True):
        assert part.shape == (0, *shape[1:])
        assert part.dtype == np.float64


def in_six_directions(name: str, source: Any = None, *, count: int = 2, dtype: type = np.float64) -> None:
    """The inertia at a link that moves in every direction, of an arm on a free base: the inverse of the mobility."""
    free = arm().floating()
    s = states_of(free, count)
    q = s["q"].astype(dtype)
    if source is not None:
        t = np.arange(float(count))
        source = lp.Motion(t, q, 0 * s["qd"], 0 * s["qdd"], robot=free)
    found = free.operational_space_inertia(q if source is None else source, "tip")
    assert found.shape == (count, 6, 6)
    assert found.dtype == dtype
    close(found @ free.operational_space_mobility.uncompiled(s["q"], "tip"), np.broadcast_to(np.eye(6), found.shape),
          1e-3 if dtype is np.float32 else 1e-9)


def _numbers_of(name: str, s: States) -> list[Floats]:
    robot = arm()
    if name == "simulate":
        found = robot.simulate(s["q"], s["qd"], s["tau"], duration=0.01)
        return [found.q, found.qd]
    if name == "rollout":
        rolled = robot.rollout(s["q"], s["qd"], s["tau"], step=0.01, steps=2)
        return [rolled.q, rolled.qd]
    poses = robot.link_poses.uncompiled(s["q"])[..., robot.link_names.index("tip"), :, :]
    return [robot.inverse_kinematics(poses.astype(s["q"].dtype), "tip", q0=s["q"], tolerance_position=1e-4,
                                     tolerance_rotation=1e-4).q]


OTHER_CALLS: dict[str, Callable[[Any], Any]] = {
    "simulate": lambda source: arm().simulate(source, source, duration=0.01),
    "rollout": lambda source: arm().rollout(source, source, step=0.01, steps=1),
    "inverse_kinematics": lambda source: arm().inverse_kinematics(source),
}
"""Methods that start from a state or a pose, asked with something else."""


# External wrenches, by hand

IN_WORLD = lp.Wrench(force=(3.0, -2.0, 5.0), torque=(0.5, 0.7, -0.3))
IN_LINK = lp.Wrench(force=(1.0, 4.0, -2.0), torque=(0.2, -0.6, 0.1), axes="link", point=(0.1, 0.0, 0.2))
EXTERNAL = {"tip": IN_WORLD, "link1": IN_LINK}


def loads_in_world(s: States) -> dict[str, Floats]:
    """(states, 6) on each link at its origin, in world axes."""
    poses = ask(arm(), "link_poses", s)[0]
    turn = poses[:, arm().link_names.index("link1"), :3, :3]
    force = np.asarray(IN_LINK.force)
    torque = np.asarray(IN_LINK.torque) + np.cross(IN_LINK.point, force)
    in_world = np.concatenate([turn @ force, turn @ torque], axis=-1)
    return {"tip": np.tile([*IN_WORLD.force, *IN_WORLD.torque], (len(poses), 1)), "link1": in_world}


def generalized(s: States) -> Floats:
    """Forces along the speeds: the sum of J^T w."""
    return sum(times(np.swapaxes(ask(arm(), "jacobian", s, tip=link)[0], -1, -2), wrench)
               for link, wrench in loads_in_world(s).items())


def transported(s: States, joint: str | None) -> Floats:
    """What the joint, or the base, must give against the wrenches on links beyond it: (states, 6), in its frame."""
    robot = arm()
    poses = ask(robot, "link_poses", s)[0]
    order = ["base", "link1", "link2", "tip"]
    child = robot.joint(joint).child if joint else "base"
    here = poses[:, robot.link_names.index(child)]
    sum_ = np.zeros((len(poses), 6))
    for link, wrench in loads_in_world(s).items():
        if order.index(link) < order.index(child):
            continue
        lever = poses[:, robot.link_names.index(link), :3, 3] - here[:, :3, 3]
        sum_[:, :3] -= wrench[:, :3]
        sum_[:, 3:] -= wrench[:, 3:] + np.cross(lever, wrench[:, :3])
    back = np.swapaxes(here[:, :3, :3], -1, -2)
    return np.concatenate([times(back, sum_[:, :3]), times(back, sum_[:, 3:])], axis=-1)


Loads = dict[str, Any]


class Loaded:
    """What quantities must be under a load, from unloaded ones."""

    loads: Loads

    def bias(self, s: States) -> Floats:
        raise NotImplementedError

    def wrenches(self, name: str, s: States) -> list[Floats]:
        raise NotImplementedError

    def base_wrench(self, s: States) -> list[Floats]:
        raise NotImplementedError

    def forward(self, s: States) -> Floats:
        return np.linalg.solve(ask(arm(), "mass_matrix", s)[0], (s["tau"] - self.bias(s))[..., None])[..., 0]

    def check(self, name: str) -> None:
        s = states_of(arm())
        if name in METHODS_WITH_LOADS:
            METHODS[name](arm(), s, "tip", **self.loads)
            return
        if name in EXPORTS:
            self.exported(name, s)
            return
        if name == "books":
            of_books.under_loads(self.loads)
            return
        if name == "inverse_kinematics":
            arm().inverse_kinematics(np.eye(4), "tip", **self.loads)
            return
        found = ask(arm(), name, s, **self.loads)
        for part, wanted in zip(found, self.expected(name, s, found), strict=True):
            close(part, wanted, 1e-6 if name.endswith("derivatives") else 1e-9)

    def exported(self, name: str, s: States) -> None:
        """An export that takes the loads as arguments, all of them alike through one request."""
        options: dict[str, Any] = {}
        given: list[Floats] = []
        for key, value in self.loads.items():
            if key == "external":
                options["external"] = {link: wrench.axes for link, wrench in value.items()}
                at_origin = [wrench.at((0.0, 0.0, 0.0)) for wrench in value.values()]
                given.append(np.stack([np.concatenate([w.force, w.torque]) for w in at_origin]))
            else:
                options.setdefault("arrays", []).append(key)
                given.append(value)
        state = [s[part][0] for part in ("q", "qd", "qdd")]
        if name == "c_source":
            source = arm().c_source("inverse_dynamics", **options)
            assert all(word in source for word in (options.get("arrays") or ["external"]))
            return
        if name == "wasm":
            (found,) = webassembly.run(
                arm().wasm("inverse_dynamics", **options), *(part[None] for part in state), *given
            )
            close(found[0], arm().inverse_dynamics.uncompiled(*state, **self.loads))
            return
        if name == "javascript_source":
            source = arm().javascript_source("inverse_dynamics", **options, function_name="f", module="script")
            (tau,) = javascript.Script(source).call("f", [Operand("tau", (arm().n,))], *state, *given)
            close(tau[0], arm().inverse_dynamics.uncompiled(*state, **self.loads))
            return
        function = getattr(arm(), name)("inverse_dynamics", **options)
        found = np.asarray(function(*state, *given)).ravel()
        close(found, arm().inverse_dynamics.uncompiled(*state, **self.loads), 1e-4 if name == "jax" else 1e-9)

    def expected(self, name: str, s: States, found: list[Floats]) -> list[Floats]:
        """By name."""
        known: dict[str, Callable[[], list[Floats]]] = {
            "inverse_dynamics": lambda: [times(ask(arm(), "mass_matrix", s)[0], s["qdd"]) + self.bias(s)],
            "bias_forces": lambda: [self.bias(s)],
            "forward_dynamics": lambda: [self.forward(s)],
            "mixed_dynamics": lambda: partitioned(ask(arm(), "mass_matrix", s)[0], self.bias(s), s["known"]),
            "state_derivative": lambda: [np.concatenate([s["qd"], self.forward(s)], axis=-1)],
            "joint_wrenches": lambda: self.wrenches(name, s),
            "static_wrenches": lambda: self.wrenches(name, s),
            "base_wrench": lambda: self.base_wrench(s),
            "force_along": lambda: self.along(0, s),
            "torque_about": lambda: self.along(1, s),
            "load_terms": lambda: self.terms(s),
            "inverse_dynamics_derivatives": lambda: self.slopes("inverse_dynamics", s),
            "forward_dynamics_derivatives": lambda: self.slopes("forward_dynamics", s),
            "forward_dynamics_parameter_derivatives": lambda: self.by_parameter(s),
            "step": lambda: self.stepped(s),
            **{key: partial(by_differences, arm(), key, s, **self.loads) for key in BY_DIFFERENCES},
        }
        return known[name]() if name in known else self.special(name, s, found)

    def along(self, part: int, s: States) -> list[Floats]:
        own = self.wrenches("joint_wrenches", s)[part][:, arm().joint_names.index(JOINT)]
        unit = s["direction"] / np.linalg.norm(s["direction"], axis=-1, keepdims=True)
        return [(own * unit).sum(axis=-1)]

    def terms(self, s: States) -> list[Floats]:
        loads = arm().load_breakdown(s["q"], s["qd"], s["qdd"], compiled=False, **self.loads)
        close(loads.totals(), np.concatenate(self.wrenches("joint_wrenches", s), axis=-1))
        return [loads.values, loads.friction, loads.rotor]

    def by_parameter(self, s: States) -> list[Floats]:
        there = {**s, "qdd": self.forward(s)}
        base = {key: value for key, value in self.loads.items() if key != "external"}
        return [-np.linalg.inv(ask(arm(), "mass_matrix", s)[0]) @ ask(arm(), "regressor", there, **base)[0]]

    def special(self, name: str, s: States, found: list[Floats]) -> list[Floats]:
        raise NotImplementedError(name)

    def stepped(self, s: States, h: float = STEP) -> list[Floats]:
        def rates(q: Floats, qd: Floats) -> tuple[Floats, Floats]:
            return qd, self.forward({**s, "q": q, "qd": qd})

        q, qd = s["q"], s["qd"]
        one = rates(q, qd)
        two = rates(q + h / 2 * one[0], qd + h / 2 * one[1])
        three = rates(q + h / 2 * two[0], qd + h / 2 * two[1])
        four = rates(q + h * three[0], qd + h * three[1])
        whole = [h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(one, two, three, four, strict=True)]
        return [q + whole[0], qd + whole[1]]

    def slopes(self, name: str, s: States, h: float = 1e-5) -> list[Floats]:
        """By central differences."""
        parts = []
        for argument in COMPILED[name].argument_names:
            columns = []
            for k in range(arm().n):
                move = h * np.eye(arm().n)[k]
                ahead, back = (ask(arm(), name, {**s, argument: s[argument] + sign * move}, **self.loads)[0]
                               for sign in (1, -1))
                columns.append((ahead - back) / (2 * h))
            parts.append(np.stack(columns, axis=-1))
        return parts


class External(Loaded):
    """Wrenches on two links, by J^T w and by moving them to the joints."""

    def __init__(self) -> None:
        self.loads = {"external": EXTERNAL}

    def bias(self, s: States) -> Floats:
        return ask(arm(), "bias_forces", s)[0] - generalized(s)

    def wrenches(self, name: str, s: States) -> list[Floats]:
        force, torque = ask(arm(), name, s)
        more = np.stack([transported(s, joint) for joint in arm().joint_names], axis=1)
        return [force + more[..., :3], torque + more[..., 3:]]

    def base_wrench(self, s: States) -> list[Floats]:
        force, torque = ask(arm(), "base_wrench", s)
        more = transported(s, None)
        return [force + more[:, :3], torque + more[:, 3:]]

    def special(self, name: str, s: States, found: list[Floats]) -> list[Floats]:
        assert name == "free_base_motion"
        motion = {"base_velocity": found[0], "base_acceleration": found[1]}
        held = ask(arm(), "base_wrench", s, **motion, **self.loads)  # nothing has to hold it
        close(held[0], 0.0)
        close(held[1], 0.0)
        return [ask(arm(), "free_base_motion", s)[0], found[1]]


class MovingBase(Loaded):
    """A base that moves as given: the robot on a free joint that moves so."""

    def __init__(self) -> None:
        self.v, self.a = np.random.default_rng(11).normal(size=(2, 6))
        self.loads = {"base_velocity": self.v, "base_acceleration": self.a}

    def free(self, s: States, **changed: Floats) -> States:
        s = {**s, **changed}
        rates = self.a - np.concatenate([np.cross(self.v[3:], self.v[:3]), np.zeros(3)])
        front = {"q": [0, 0, 0, 0, 0, 0, 1], "qd": self.v, "qdd": rates}
        return {part: np.concatenate([np.tile(own, (len(s[part]), 1)), s[part]], axis=-1)
                for part, own in front.items()}

    def bias(self, s: States) -> Floats:
        still = np.zeros_like(s["qd"])
        return ask(arm().floating(), "inverse_dynamics", self.free(s, qdd=still))[0][:, 6:]

    def wrenches(self, name: str, s: States) -> list[Floats]:
        assert name == "joint_wrenches"
        free = arm().floating()
        rows = [free.joint_names.index(joint) for joint in arm().joint_names]
        return [part[:, rows] for part in ask(free, name, self.free(s))]

    def base_wrench(self, s: States) -> list[Floats]:
        tau = ask(arm().floating(), "inverse_dynamics", self.free(s))[0]
        return [tau[:, :3], tau[:, 3:6]]

    def special(self, name: str, s: States, found: list[Floats]) -> list[Floats]:
        free = arm().floating()
        if name == "regressor":
            return [ask(free, name, self.free(s))[0][:, 6:, 10:]]
        assert name in ("link_velocities", "link_accelerations")
        return [part[:, 1:] for part in ask(free, name, self.free(s))]


LINK_VELOCITIES = {"link_velocities": {"base_velocity"}}

CALLS: dict[str, Callable[[str], None]] = {
    "external wrench": lambda name: External().check(name),
    "motion": lambda name: with_motion(name, motion()),
    "simulation": lambda name: with_motion(name, simulation()),
    "float32": in_single_precision,
    "batch": in_a_batch,
    "empty batch": with_no_states,
}


def on_moving_base(name: str) -> None:
    base = MovingBase()
    if name == "link_velocities":
        base.loads = {"base_velocity": base.v}
    if name == "simulate":  # a base that turns would have to turn gravity: see tests/simulate/test_base_in_time.py
        base.v, base.a[3:] = np.zeros(6), 0.0
        base.loads = {"base_acceleration": base.a}
    base.check(name)


CALLS["moving base"] = on_moving_base
__all__ = ["CALLS", "NEEDS_COMPILING", "TAKING_STATES"]
