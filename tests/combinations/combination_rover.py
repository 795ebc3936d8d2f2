"""Robots on wheels: a base that carries a robot with a feature, and one that carries what that must be equal to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import combination_courses as courses
import numpy as np
from combination_flexible import relative
from combination_methods import DRIVES, check_peaks, close
from combination_methods import WHEELS as WHEELS_TABLE
from combination_reduction import times
from combination_states import Floats, States, states_of
from combination_subjects import RATIO, TUBE, Equivalent, arm, base, rover, timed
from combination_weights import loaded, weight

import loadpath as lp
from loadpath.mobile.motions import motion_of_base

DRIVING = {"velocity": (0.4, 0.2), "acceleration": (0.5, -0.3)}
"""How the base moves: forward and turning."""
ROLLING = {"velocity": (0.4, 0.2)}
QUICK: dict[str, Any] = {"method": "RK23", "max_step": 1.0}
"""A few steps: of a robot that is not compiled each takes a hundredth of a second."""

Asked = Callable[..., list[Floats]]


def _tip(r: Any) -> str:
    return "tip" if "tip" in r.link_names else str(r.link_names[-1])


def _unlimited(r: Any) -> Any:
    """Without the limits of its robots, which have other drives than those they are compared with."""
    return r.with_limits(dict.fromkeys(r.robot.dof_names, lp.Limits()))


def _judged(found: Any, r: Any) -> Floats:
    """Utilisations by tipping and by slip."""
    rows = [(r.name, "tipping over"), *((wheel, "slip") for wheel in r.contact_names)]
    return np.array([found[row].utilisation for row in rows])


def _pressed(found: Any, r: Any) -> Floats:
    """Largest and least normal forces."""
    return np.array([peak.value for wheel in r.contact_names
                     for peak in (found[wheel, "normal"].highest, found[wheel, "normal"].lowest)])


def _worst(r: Any, *s: Any, **base: Any) -> Floats:
    """The largest normal forces over a box that is the first of some states."""
    q, qd, qdd = (np.reshape(part, (-1, np.shape(part)[-1]))[0] for part in s)
    box = lp.Box(**{part: dict(zip(r.dof_names, values.tolist(), strict=False))
                    for part, values in zip(("q", "qd", "qdd"), (q, qd, qdd), strict=True)})
    found = [r.worst_case(wheel, "normal", over=box, sense="max", **base) for wheel in r.contact_names]
    assert all(one.certified for one in found)
    return np.array([one.value for one in found])


def _of_wrench(wrench: Any) -> list[Floats]:
    return [wrench.force, wrench.torque]


def _on_springs(r: Any) -> Any:
    """The same rover with a suspension at each wheel."""
    spring = lp.Suspension(stiffness=2e5, preload=100.0)
    return replace(r, wheeled_base=replace(r.base, wheels=tuple(replace(w, suspension=spring) for w in r.base.wheels)))


def _standing(posture: Any) -> list[Floats]:
    return [posture.heave, posture.roll, posture.pitch]


def _rates(found: Any, q: Any, qd: Any = None, qdd: Any = None) -> list[Floats]:
    """By the motion of the base; and how fast the loads change as the arms move, the same in all their coordinates."""
    qd, qdd = (q.qd, q.qdd) if qd is None else (qd, qdd)
    along = (np.einsum("...cj,...j->...c", of.normal, by) for of, by in ((found.q, qd), (found.qd, qdd)))
    return [found.acceleration.normal, sum(along)]


def _seeking(given: dict[str, Any]) -> dict[str, Any]:
    """The motion of the base where its speed is sought."""
    return {name: part for name, part in (DRIVING | given).items() if name != "velocity"}


ASKED: dict[str, Asked] = {
    "ground_wrench": lambda r, *s, **k: _of_wrench(r.ground_wrench(*s, **(DRIVING | k))),
    "wheel_loads": lambda r, *s, **k: [r.wheel_loads(*s, **(DRIVING | k)).normal],
    "wheel_load_breakdown": lambda r, *s, **k: [r.wheel_load_breakdown(*s, **(DRIVING | k)).total()],
    "wheel_load_derivatives": lambda r, *s, **k: _rates(r.wheel_load_derivatives(*s, **(DRIVING | k)), *s),
    "posture": lambda r, *s, **k: _standing(_on_springs(r).posture(*s, **(DRIVING | k))),
    "ride_modes": lambda r, *s, **k: [_on_springs(r).ride_modes(*s, **(DRIVING | k)).frequencies],
    "stability": lambda r, *s, **k: [r.stability(*s, **(DRIVING | k)).zero_moment_point],
    "slip": lambda r, *s, **k: [r.slip(*s, **(DRIVING | k)).used],
    "largest_payload": lambda r, *s, **k: [r.largest_payload(*s, link=_tip(r), **(DRIVING | k))],
    "largest_acceleration": lambda r, *s, **k: [r.largest_acceleration(*s, direction=(1, 0), **(DRIVING | k))],
    "largest_slope": lambda r, *s, **k: [r.largest_slope(*s, heading=0.3, slipping=False, **(DRIVING | k)).value],
    "largest_speed": lambda r, *s, **k: [r.largest_speed(*s, radius=3.0, slipping=False, **_seeking(k)).value],
    "peak_loads": lambda r, *s, **k: [_pressed(r.peak_loads(*s, **(DRIVING | k)), r)],
    "verdict": lambda r, *s, **k: [_judged(r.verdict(s if len(s) == 3 else s[0], **(DRIVING | k)), r)],
    "largest": lambda r, *s, **k: [np.array(
        _unlimited(r).largest("payload", s if len(s) == 3 else s[0], link=_tip(r), **(DRIVING | k)).value)],
    "worst_case": lambda r, *s, **k: [_worst(r, *s, **(DRIVING | k))],
}
"""Quantities of q, qd, qdd and the motion of the base."""
AT_REST: dict[str, Asked] = {"mass_center": lambda r, q: [r.mass_center(q)]}
DYNAMIC: dict[str, Asked] = {
    "forward_dynamics": lambda r, *s, **k: [r.forward_dynamics(*s, **(ROLLING | k)).qdd],
    "base_acceleration": lambda r, *s, **k: [r.base_acceleration(*s, **(ROLLING | k)).tau],
    "mass_matrix": lambda r, *s, **k: [r.mass_matrix(*s[:1], **k)],
    "linearize": lambda r, *s, **k: [r.linearize(*s, **(ROLLING | k)).A],
}
DYNAMICS = ("forward_dynamics", "base_acceleration", "mass_matrix", "linearize", "simulate", "roll", "report")
WHEELS: dict[str, Callable[[Any], Any]] = {
    "wheel_motion": lambda r: r.wheel_motion((0.5, 1.0)).rate,
    "base_motion": lambda r: r.base_motion([2.0, 8.0]).velocity,
    "constraint_matrix": lambda r: r.constraint_matrix(),
    "rotation_axis": lambda r: np.array(len(str(r.rotation_axis()))),
    "instantaneous_axis": lambda r: r.instantaneous_axis((0.5, 1.0)),
}
"""Kinematics of the base, which its robots do not change."""
MAKERS: dict[str, Callable[[Any], Any]] = {
    "carrying": lambda r: r.carrying(lp.catalog.planar(1), at=(0.0, 0.2, 0.3), prefix="second "),
    "on": lambda r: r.on(lp.Ground(slope=0.1)),
    "with_payload": lambda r: r.with_payload(2.0, link=r.robot.link_names[-1], name="more"),
    "with_beams": lambda r: r.with_beams({"link1": lp.Beam(TUBE, lp.ALUMINIUM, end=_end(r))}),
    "family": lambda r: r.family({f"{r.base.name}.mass": [r.base.mass, 2.0 * r.base.mass]}).robot_of(1),
    "without_beams": lambda r: r.without_beams(),
    "with_parts": lambda r: r.with_parts({r.contact_names[0]: lp.WheelRating(load=500.0)}),
    "without_parts": lambda r: r.with_parts({r.contact_names[0]: lp.WheelRating(load=500.0)}).without_parts(),
}


def _end(r: Any) -> str:
    return next(joint.name for joint in r.robot.joints if joint.parent == "link1")


ROVER = (*ASKED, *AT_REST, *DYNAMICS, *WHEELS, *MAKERS, *courses.ASKED)


def _arrays(s: States) -> tuple[Floats, ...]:
    return s["q"], s["qd"], s["qdd"]


def check(feature: str, pair: Equivalent, name: str) -> None:
    """The rover with the subject against the rover with the reference."""
    if name in courses.ASKED:
        s = states_of(pair.subject)
        there = {"q": pair.q_of(s["q"]), **{part: s[part] @ pair.T.T for part in ("qd", "qdd")}}
        courses.check(name, feature, pair, s, there)
        return
    own, other = rover(pair.subject), rover(pair.reference)
    if feature in ("wheels", "slope"):
        own, other = rover(), rover()
        pair = Equivalent(arm(), arm(), np.eye(arm().n), lambda q: q, tuple(range(arm().n)))
    s = states_of(pair.subject)
    there = {"q": pair.q_of(s["q"]), **{part: s[part] @ pair.T.T for part in ("qd", "qdd")}}
    if name in WHEELS:
        close(WHEELS[name](own), WHEELS[name](base().carrying()))
    elif name in MAKERS:
        found, wanted = ASKED["ground_wrench"](MAKERS[name](own), *_more(name, s)), None
        wanted = ASKED["ground_wrench"](MAKERS[name](other), *_more(name, there))
        for part, expected in zip(found, wanted, strict=True):
            close(part, expected)
    elif name in DYNAMICS:
        _check_dynamics(name, own, other, pair, s, there)
    elif feature == "slope":
        check_slope(name, s)
    else:
        ask = ASKED.get(name) or AT_REST[name]
        given = [_arrays(part) if name in ASKED else (part["q"],) for part in (s, there)]
        for part, expected in zip(ask(own, *given[0]), ask(other, *given[1]), strict=True):
            _same(part, expected)


def _more(name: str, s: States) -> tuple[Floats, ...]:
    """States of the robots after a maker: a second robot has a joint more."""
    zero = np.zeros((len(s["q"]), 1))
    return tuple(np.concatenate([part, zero], axis=-1) if name == "carrying" else part for part in _arrays(s))


def _same(found: Any, wanted: Any) -> None:
    finite = np.isfinite(wanted)
    assert (np.isfinite(found) == finite).all()
    relative(np.where(finite, found, 0.0), np.where(finite, wanted, 0.0), 1e-8)


def check_slope(name: str, s: States, slope: float = 0.15) -> None:
    """Uphill on a slope is level ground with the cosine of gravity, and its sine as an acceleration forward."""
    g = rover().ground.gravity
    hill, level = rover().on(lp.Ground(slope=slope)), rover().on(lp.Ground(gravity=g * np.cos(slope)))
    forward, turning = DRIVING["acceleration"]
    as_if = {"acceleration": (forward + g * np.sin(slope), turning)}
    if name in AT_REST:
        close(AT_REST[name](hill, s["q"])[0], AT_REST[name](level, s["q"])[0])
        return
    if name == "largest_slope":  # the slope is sought, whatever there is
        close(ASKED[name](hill, *_arrays(s))[0], ASKED[name](rover(), *_arrays(s))[0])
        return
    for part, expected in zip(ASKED[name](hill, *_arrays(s)), ASKED[name](level, *_arrays(s), **as_if), strict=True):
        _same(part, expected)


def _check_dynamics(name: str, own: Any, other: Any, pair: Equivalent, s: States, there: States) -> None:
    if name == "mass_matrix" and pair.subject.held_by_loops:  # in the speeds of the tree: those that the loops allow
        loops = np.array([[1, 0], [0, 1], [RATIO, 0]])
        along = np.block([[np.eye(3), np.zeros((3, 2))], [np.zeros((3, 3)), loops]])
        close(along.T @ own.mass_matrix(s["q"]) @ along, other.mass_matrix(there["q"]))
    elif name == "mass_matrix":
        T = np.block([[np.eye(3), np.zeros((3, pair.T.shape[1]))], [np.zeros((len(pair.T), 3)), pair.T]])
        close(own.mass_matrix(s["q"]), T.T @ other.mass_matrix(there["q"]) @ T)
    elif name == "base_acceleration":
        found, wanted = (
            own.base_acceleration(*_arrays(s), **ROLLING),
            other.base_acceleration(*_arrays(there), **ROLLING),
        )
        close(found.acceleration, wanted.acceleration)
        close(found.tau, wanted.tau @ pair.T)
    elif name == "forward_dynamics":
        found = own.forward_dynamics(s["q"], s["qd"], s["tau"], **ROLLING)
        given = own.base_acceleration(s["q"], s["qd"], found.qdd, **ROLLING)
        close(given.acceleration, found.acceleration, 1e-7)
        close(given.tau, s["tau"], 1e-7)
    elif name == "linearize":
        _check_linearized(own, s)
    elif name == "simulate":
        start, h = {part: s[part][0] for part in ("q", "qd", "tau")}, 1e-4
        calm = dict(start, qd=0.1 * start["qd"])
        hold = own.base_acceleration(calm["q"], calm["qd"], np.zeros(own.n), **ROLLING).tau
        found = own.simulate(calm["q"], calm["qd"], hold, times=[0.0, h], velocity=(0.4, 0.2), **QUICK)
        first = own.forward_dynamics(calm["q"], calm["qd"], hold, **ROLLING)
        close((found.qd[1] - found.qd[0]) / h, first.qdd, 1e-3)
    elif name == "roll":
        _check_roll(rover(pair.subject, rolling=0.0), s)
    else:
        motion = lp.Motion(np.arange(3.0), s["q"][:3], 0 * s["qd"][:3], 0 * s["qdd"][:3], robot=own.robot)
        _check_report(own, motion)


def _check_linearized(own: Any, s: States, **loads: Any) -> None:
    """Along a direction of the joints and of the velocity, against differences of the accelerations."""
    found, n, h = own.linearize(s["q"], s["qd"], s["tau"], **ROLLING, **loads), own.n, 1e-5
    along = h * np.random.default_rng(1).normal(size=2 * n + 2)
    ends = [own.forward_dynamics(s["q"] + side * along[:n], s["qd"] + side * along[n + 2:], s["tau"],
                                 velocity=np.array([0.4, 0.2]) + side * along[n : n + 2], **loads) for side in (1, -1)]
    wanted = [np.concatenate([end.acceleration[..., [0, 2]], end.qdd], axis=-1) for end in ends]
    close(found.A[..., n + 3 :, 3:] @ along / h, (wanted[0] - wanted[1]) / (2 * h), 1e-6)


def _check_roll(own: Any, s: States) -> None:
    """From rest, the base answers a motion of the arm with the acceleration of the first instant."""
    t = np.linspace(0, 1e-3, 3)
    q0 = s["q"][0]
    neutral = own.robot.integrate.uncompiled(
        np.broadcast_to(q0, (len(t), len(q0))), 0.5 * t[:, None] ** 2 * np.ones(own.n)
    )
    motion = lp.Motion(t, neutral, t[:, None] * np.ones(own.n), np.ones((len(t), own.n)), robot=own.robot)
    rolled = own.roll(motion, **QUICK)
    first = own.base_acceleration(q0, np.zeros(own.n), np.ones(own.n))
    if first.tips_over:  # which is for a base on its wheels; it is a free body there
        assert rolled.rocks or rolled.tipped
        return
    close(rolled.acceleration[0], first.acceleration, 1e-6)


# Calls


def asked(name: str, *states: Any, **options: Any) -> list[Floats]:
    if name in AT_REST:
        return [rover().mass_center(*states[:1], **options)]
    return (ASKED | DYNAMIC | courses.ASKED)[name](rover(), *states, **options)


def with_motion(name: str, source: Any) -> None:
    if name == "roll":
        _check_rolled(source)
        return
    if name == "report":
        _check_report(rover(), source)
        return
    if name == "fastest":
        courses.along_motion(source)
        return
    third = np.zeros_like(source.qdd) if name == "forward_dynamics" else source.qdd
    found = asked(name, source)
    for part, wanted in zip(found, asked(name, source.q, source.qd, third), strict=True):
        _same(part, wanted)
    at_the_limit(name, found[0], (source.q, source.qd, source.qdd), **DRIVING)


def with_simulation(name: str, source: Any) -> None:
    """A simulation of the rover brings the motion of its base."""
    if name == "roll":  # the base answers the motion of the arm as it did when that was sought
        rolled = timed().roll(source.motion)
        for part in ("pose", "velocity", "tau"):
            relative(getattr(rolled, part), getattr(source, part), 1e-4)
        return
    if name == "report":
        _check_report(rover(), source)
        return
    if name in courses.ASKED:
        getattr(rover(), name)(source)
        return
    base_motion = {"velocity": source.velocity, "acceleration": source.acceleration} if name in ASKED else {}
    if name in ("forward_dynamics", "base_acceleration"):
        base_motion = {"velocity": source.velocity}
    if name == "largest_speed":
        base_motion.pop("velocity")
    ask = (ASKED | AT_REST | DYNAMIC)[name]
    found = ask(rover(), source, **(dict.fromkeys(base_motion)))
    third = source.tau if name == "forward_dynamics" else source.qdd
    if name in ASKED:
        at_the_limit(name, found[0], (source.q, source.qd, source.qdd), **base_motion)
    if name in ("forward_dynamics", "base_acceleration"):
        base_motion["wheel_torques"] = source.wheel_torques
    wanted = asked(name, source.q, source.qd, third, **base_motion)
    for part, expected in zip(found, wanted, strict=True):
        _same(part, expected)


def _check_report(own: Any, source: Any, **base: Any) -> None:
    """The page has the largest loads of the wheels and the largest forces of the drives."""
    motion = {} if isinstance(source, lp.Motion) else source.base_motion
    tau = own.robot.inverse_dynamics.uncompiled(source.q, source.qd, source.qdd, **motion, **base)
    page = own.report(source, **base).html
    names = own.robot.dof_names
    driven = [k for k, name in enumerate(names) if name in getattr(own.robot, "driven", names)]
    check_peaks(page, DRIVES, [names[k] for k in driven], tau[:, driven])
    check_peaks(page, WHEELS_TABLE, own.contact_names, own.wheel_loads(source, **base).normal)


def _check_rolled(motion: Any) -> None:
    """The base answers the motion of the arm: its accelerations, integrated by hand over the samples."""
    own = timed(rolling=0.0)
    found = own.roll(motion)
    step = 2 * (motion.t[1] - motion.t[0])

    def rates(k: int, x: Floats) -> Floats:
        velocity, heading = x[:3], x[5]
        state = (part[k] for part in (motion.q, motion.qd, motion.qdd))
        change = own.base_acceleration(*state, velocity=velocity).acceleration
        c, s = np.cos(heading), np.sin(heading)
        return np.array([*change, c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]])

    x = np.zeros(6)
    for k in range(0, len(motion.t) - 2, 2):
        one = rates(k, x)
        two = rates(k + 1, x + step / 2 * one)
        three = rates(k + 1, x + step / 2 * two)
        four = rates(k + 2, x + step * three)
        x = x + step / 6 * (one + 2 * two + 2 * three + four)
    relative(found.velocity[-1], x[:3], 1e-4)
    relative(found.pose[-1], x[3:], 1e-4)


def at_the_limit(name: str, found: Floats, states: tuple[Floats, ...], external: Any = None, **base: Any) -> None:
    """What is the most that the rover bears, given to it: its zero-moment point is on an edge, and it is not before.
    What its wheels use of their friction: all of them together, what the ground gives.
    """
    own, loads = rover(), {} if external is None else {"external": external}
    if name == "slip":
        wrench, forces = own.ground_wrench(*states, **base, **loads), own.wheel_loads(*states, **base, **loads).force
        close(np.hypot(forces[..., 0], forces[..., 1]), found)
        close(forces[..., :2].sum(axis=-2), wrench.force[..., :2])
    elif name == "largest_acceleration":
        assert np.isfinite(found).any()
        three = np.broadcast_to(_three(base["acceleration"]), (len(found), 3))
        for share in (0.999, 1.0):
            faster = three + share * np.where(np.isfinite(found), found, 0.0)[:, None] * (1.0, 0.0, 0.0)
            held = own.stability(*states, **{**base, "acceleration": faster}, **loads)
            _on_the_edge(held, np.isfinite(found), share)
    elif name == "largest_speed":
        assert np.isfinite(found).any()
        for share in (0.999, 1.0):
            speed = share * np.where(np.isfinite(found), found, 0.0)
            held = own.stability(*states, **{**base, "velocity": (speed, speed / 3.0)}, **loads)
            _on_the_edge(held, np.isfinite(found) & (found > 0), share)
    elif name == "largest_slope":
        for k in np.flatnonzero((found > 0) & (found < 1.5))[:2]:
            row = {key: _row(value, k, len(found)) for key, value in base.items()}
            pushed = {key: _wrench_row(wrench, int(k)) for key, wrench in (external or {}).items()}
            for more, tips in ((-1e-6, False), (1e-6, True)):
                ramp = own.on(lp.Ground(slope=float(found[k]) + more))
                at = tuple(part[k] for part in states)
                assert bool(ramp.stability(*at, heading=0.3, external=pushed, **row).tips_over) == tips
    elif name == "largest_payload":
        assert np.isfinite(found).any()
        for share in (0.999, 1.0):
            for k in np.flatnonzero(np.isfinite(found)):
                row = {key: _row(value, k, len(found)) for key, value in base.items()}
                at = {} if external is None else {"external": {link: _wrench_row(w, k) for link, w in external.items()}}
                heavier = own.with_payload(share * found[k], link="tip")
                held = heavier.stability(*(part[k] for part in states), **row, **at)
                _on_the_edge(held, np.array(True), share)


def _on_the_edge(held: Any, which: Any, share: float) -> None:
    if share == 1.0:
        assert np.abs(held.margin[which]).max() < 1e-9, held.margin
    else:
        assert (held.margin[which] > 0).all(), held.margin


def _three(acceleration: Any) -> Floats:
    given = np.asarray(acceleration, dtype=float)
    return given if given.shape[-1] == 3 else np.array([given[0], 0.0, given[1]])


def _row(value: Any, k: int, count: int) -> Any:
    return value[k] if np.ndim(value) == 2 and len(value) == count else value


def _wrench_row(wrench: lp.Wrench, k: int) -> lp.Wrench:
    return replace(wrench, **{part: np.atleast_2d(getattr(wrench, part))[k if getattr(wrench, part).ndim > 1 else 0]
                              for part in ("force", "torque", "point")})


def in_kind(name: str, change: Callable[[Floats], Floats], tolerance: float) -> None:
    s = states_of(arm(), 6)
    for found, wanted in zip(asked(name, *map(change, _arrays(s))), asked(name, *_arrays(s)), strict=True):
        finite, same = np.isfinite(wanted), np.reshape(found, wanted.shape)
        relative(np.where(finite, same, 0.0), np.where(finite, wanted, 0.0), tolerance)


def with_no_states(name: str) -> None:
    for part in asked(name, *(array[:0] for array in _arrays(states_of(arm(), 1)))):
        assert part.shape[0] == 0


def with_external(name: str) -> None:
    """Under the wrench of a point mass on the tip, the rover is the one that carries it as a payload."""
    if name in ("simulate", "roll", "report"):
        _in_time_with_external(name)
        return
    if name in courses.ASKED:
        getattr(rover(), name)(np.zeros((2, 5)), external={})
        return
    if name in ("mass_center", "mass_matrix"):
        asked(name, *_arrays(states_of(arm())), external={})
        return
    own, s = rover(), states_of(arm())
    heavy = loaded(own, "tip")
    if name == "linearize":
        _check_linearized(own, s, external={"tip": lp.Wrench(force=(5.0, 3.0, -2.0), torque=(0.3, 0.1, -0.4))})
        return
    if name in DYNAMIC:
        _accelerated_with_external(name, own, heavy, s)
        return
    if name == "wheel_load_derivatives":  # the weight of a mass changes with the motion, a wrench does not
        _check_slopes(own, s, {"tip": lp.Wrench(force=(5.0, 3.0, -2.0), torque=(0.3, 0.1, -0.4))})
        return
    push = {"tip": weight(own.robot, "tip", s, **motion_of_base(*map(_three, DRIVING.values())))}
    found = asked(name, *_arrays(s), external=push)
    if name in ("largest_acceleration", "largest_speed", "largest_slope"):  # of another motion it is another wrench
        at_the_limit(name, found[0], _arrays(s), push, **DRIVING)
    else:
        for part, expected in zip(found, ASKED[name](heavy, *_arrays(s)), strict=True):
            _same(part, expected)
    assert any(np.abs(a - b).max() > 1e-3 * np.abs(b).max()
               for a, b in zip(found, asked(name, *_arrays(s)), strict=True))


def _check_slopes(own: Any, s: States, push: dict[str, lp.Wrench], h: float = 1e-5) -> None:
    """Derivatives under a wrench, against differences of the loads under it."""
    found = own.wheel_load_derivatives(*_arrays(s), external=push, **DRIVING)
    for k, unit in enumerate(h * np.eye(own.n)):
        ends = [own.wheel_loads(s["q"] + side * unit, s["qd"], s["qdd"], external=push, **DRIVING).normal
                for side in (1, -1)]
        close(found.q.normal[..., k], (ends[0] - ends[1]) / (2 * h), 1e-6)
    alone = own.wheel_load_derivatives(*_arrays(s), **DRIVING)
    assert np.abs(found.q.normal - alone.q.normal).max() > 0.1


def _accelerated_with_external(name: str, own: Any, heavy: Any, s: States) -> None:
    """The same of accelerations: the wrench is that of the mass as it is accelerated."""
    third = s["tau"] if name == "forward_dynamics" else s["qdd"]
    wanted = getattr(heavy, name)(s["q"], s["qd"], third, **ROLLING)
    there = {**s, "qdd": wanted.qdd}
    base = motion_of_base(np.broadcast_to(_three(ROLLING["velocity"]), wanted.acceleration.shape), wanted.acceleration)
    push = {"tip": weight(own.robot, "tip", there, **base)}
    found = getattr(own, name)(s["q"], s["qd"], third, external=push, **ROLLING)
    for part in ("acceleration", "qdd", "tau"):
        relative(getattr(found, part), getattr(wanted, part), 1e-8)


def _in_time_with_external(name: str) -> None:
    """Pushed forward, a rover that stands goes forward."""
    push = {"tip": lp.Wrench(force=(150.0, 0.0, 0.0))}
    own = timed(rolling=0.0)
    motion = lp.Motion([0.0, 0.05], [[0.1, 0.1]] * 2, [[0.0, 0.0]] * 2, [[0.0, 0.0]] * 2, robot=own.robot)
    if name == "report":
        _check_report(own, motion, external=push)
        return
    if name == "roll":
        found = own.roll(motion, external=push)
        wanted = own.base_acceleration([0.1, 0.1], [0.0, 0.0], [0.0, 0.0], external=push).acceleration
    else:
        hold = own.base_acceleration([0.1, 0.1], [0.0, 0.0], [0.0, 0.0]).tau
        found = own.simulate([0.1, 0.1], [0.0, 0.0], hold, 0.02, external=push)
        wanted = own.forward_dynamics([0.1, 0.1], [0.0, 0.0], hold, external=push).acceleration
    close(found.acceleration[0], wanted, 1e-6)


__all__ = ["ROVER", "check", "times"]
