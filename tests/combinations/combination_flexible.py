"""Arms with beams: the same beams on a robot that has a feature, and on the robot that it must be equal to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from combination_methods import KEEPING, close, motion_of
from combination_states import Floats, States, numbers, states_of
from combination_subjects import Equivalent, arm, flexible, longer_arm
from combination_weights import AT, MASS, loaded, weight
from scipy.linalg import eigh

import loadpath as lp
from loadpath.motion.via_points import quintic_step
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads

Asked = Callable[..., list[Floats]]

ROUGH = 0.02
"""How far a frequency may be from its limit: both robots of a pair are as far."""


def _compensated(robot: Any, links: list[str], tip: str, q: Any, **loads: Any) -> list[Floats]:
    """By how much the bent tip misses the target: what is reported, and nothing in the directions in which the joints
    move the tip.
    """
    found, row = robot.compensated(q, link=tip, **loads), robot.link_names.index(tip)
    wanted = robot.link_poses.uncompiled(q)[..., row, :3, 3]
    sag = robot.deflection(found.q, **loads).displacement[..., row, :]
    there = robot.link_poses.uncompiled(found.q)[..., row, :3, 3] + sag
    close(wanted - there, found.position_error, 1e-7)
    jacobian = robot.driven_jacobian if robot.held_by_loops else robot.jacobian
    along = np.swapaxes(jacobian.uncompiled(found.q, tip)[..., :3, :], -1, -2)
    left, before = (np.abs(np.einsum("...ij,...j->...i", along, error)).max(initial=0.0)
                    for error in (found.position_error, sag))
    assert left <= 0.02 * before, (left, before)
    return [np.zeros(np.shape(q)[:-1])]


def _bandwidth(robot: Any, links: list[str], tip: str, s: States, **loads: Any) -> list[Floats]:
    motion = lp.Motion(np.arange(float(len(s["q"]))), s["q"], s["qd"], s["qdd"], robot=robot)
    return [np.asarray(robot.bandwidth_check(motion, tolerance=ROUGH, **loads).frequencies)]


def small_motion(robot: Any, s: States, speed: float = 0.02) -> lp.Motion:
    """From the first pose a little along its speeds and to rest, quickly: joints of every kind."""
    t = np.linspace(0, 0.3, 31)
    height, first, second = (part[:, None] for part in quintic_step(t / 0.3))
    v = speed * np.asarray(s["qd"][0])
    q = np.array([robot.integrate.uncompiled(s["q"][0], part * v) for part in height[:, 0]])
    return lp.Motion.from_checked(t, q, first / 0.3 * v, second / 0.3**2 * v, robot)


def _responding(robot: Any, motion: Any, links: list[str], tip: str, **loads: Any) -> list[Floats]:
    r = robot.respond(motion, tip=tip, modes=3, tolerance=ROUGH, rate=2000.0, after=0.05, **loads)
    return [r.displacement[links[-1]][::50], r.rotation[tip][::50], r.quasi_static[tip][::50]]


def _responding_whole(motion: Any, **loads: Any) -> list[Floats]:
    r = flexible().respond(motion, tip="tip", modes=2, tolerance=ROUGH, after=0, rate=200.0, **loads)
    return [r.displacement["tip"]]


def _shaken(robot: Any, links: list[str], tip: str, q: Any, **loads: Any) -> list[Floats]:
    found = robot.frequency_response(q, tip, tip, [0.0, 7.0, 30.0], modes=6, tolerance=ROUGH, **loads)
    return [found.response.real, found.static]


def _shaped(robot: Any, s: States) -> list[Floats]:
    """A motion of the joints that have one coordinate each; it is longer by half a period."""
    motion = small_motion(robot, {part: values * (part == "q") for part, values in s.items()})
    found = robot.shaped(motion, "zv", frequency=5.0, damping=0.0)
    close(found.q[-1], motion.q[-1])
    return [np.array([found.duration - motion.duration, 0.1])]


def _states(s: States) -> tuple[Any, ...]:
    return s["q"], s["qd"], s["qdd"]


def _deflection(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.deflection(*states, **loads)
    rows = [found.link_names.index(link) for link in links]
    return [found.displacement[..., rows, :], found.rotation[..., rows, :]]


def _extremes(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.extremes(*states, link=tip, **loads)
    return [np.array([found.tip.distance]), np.array([found.worst_stress.value / 1e6])]


def _fatigue(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    """Ranges and damage of the fibres, on a curve without an end, so that there is some."""
    found = robot.fatigue(*states, detail=lp.SNCurve(1e6, slope=3.0), sections=3, **loads)
    return [found.largest_range, found.damage]


def _buckling(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    return [1 / robot.buckling(*states, order=4, **loads).factor]


def _rings(robot: Any, links: list[str], tip: str, q: Any, **loads: Any) -> list[Floats]:
    return [robot.natural_frequencies(q, 2, order=4, **loads).frequencies]


def _map(robot: Any, links: list[str], tip: str, s: States, **loads: Any) -> list[Floats]:
    return [robot.frequency_map(q=s["q"], link=tip, tolerance=ROUGH, **loads).frequencies]


ASKED: dict[str, Asked] = {
    "deflection": _deflection,
    "stress": lambda robot, links, tip, *states, **loads: [robot.stress(*states, **loads).von_mises],
    "buckling": _buckling,
    "buckling_safety": lambda robot, links, tip, *s, **loads: [robot.buckling_safety(*s, **loads).compression],
    "extremes": _extremes,
    "fatigue": _fatigue,
}
"""Quantities of q, qd, qdd."""
AT_REST: dict[str, Asked] = {
    "stiffness": lambda robot, links, tip, q: [np.linalg.inv(robot.stiffness(q, tip))],
    "natural_frequencies": _rings,
    "compensated": _compensated,
}
"""Quantities of poses."""
OTHERS: dict[str, Asked] = {
    "frequency_map": _map,
    "bandwidth_check": _bandwidth,
    "plot_deflection": lambda robot, links, tip, s: _drawn_deflection(robot, links, *_of_one(s)),
    "plot_safety": lambda robot, links, tip, s: _drawn_safety(robot, *_of_one(s)),
    "respond": lambda robot, links, tip, s: _responding(robot, small_motion(robot, s), links, tip),
    "frequency_response": lambda robot, links, tip, s: _shaken(robot, links, tip, s["q"][0]),
    "shaped": lambda robot, links, tip, s: _shaped(robot, s),
}
"""What takes a motion, a workspace or one state."""


def _of_one(s: States) -> tuple[Any, ...]:
    return tuple(part[0] for part in _states(s))


def _line(figure: Any, name: str) -> Any:
    return next(line for line in figure.data if line.name == name)


def _drawn_deflection(robot: Any, links: list[str], *state: Any, **loads: Any) -> list[Floats]:
    """Where the frames of links are drawn: displaced from where they are, as far as `deflection` says."""
    times = 50.0
    frames = _line(robot.plot_deflection(*state, magnification=times, **loads), "link frames")
    drawn = np.stack([frames.x, frames.y, frames.z], axis=-1)
    moved = robot.deflection(*state, **loads).displacement
    close(drawn, robot.link_poses.uncompiled(state[0])[..., :3, 3] + times * moved)
    for link, text, u in zip(robot.link_names, frames.text, moved, strict=True):
        assert text.startswith(f"{link}<br>{1000 * np.linalg.norm(u):.4g} mm")
    return [drawn[[robot.link_names.index(link) for link in links]]]


def _drawn_safety(robot: Any, *states: Any, **loads: Any) -> list[Floats]:
    """The safety that the colors and texts of the sections stand for: the smaller of that of `stress` and that of
    `buckling_safety`, the smallest of all states.
    """
    figure, count = robot.plot_safety(*states, sections=5, **loads), 5
    both = [getattr(robot, name)(*states, sections=count, **loads) for name in ("stress", "buckling_safety")]
    smallest = np.minimum(both[0].safety, both[1].safety)
    smallest = smallest.reshape(-1, smallest.shape[-1]).min(axis=0)
    line = _line(figure, both[0].sections.links[0])
    shown = np.array([float(text.rpartition(" ")[2]) for text in line.text])
    relative(shown, smallest, 1e-3)
    close(line.line.color, np.log10(np.clip(smallest, 1.0, 10.0)))
    assert f"smallest safety {smallest.min():.3g}," in figure.layout.title.text
    return [smallest]


FLEXIBLE = (*ASKED, *AT_REST, *OTHERS)


STIFF = 1e14
"""N m/rad: a spring that does not give way."""


@cache  # for all rows: what a robot keeps of itself serves them all
def flexible_pair(feature: str, pair: Equivalent) -> Equivalent:
    """Both robots of a pair with the same beam. A joint is locked after the beam was given; a compliant joint, whose
    flexibility stays, is as good as rigid here, and `check_compliance` has the number of one that is not.
    """
    give = KEEPING["with_beams"]
    if feature == "locked joints":
        whole = give(longer_arm(), "")
        return Equivalent(whole.locked({"joint3": 0.4}), whole, np.eye(3)[:, :2],
                          lambda q: np.insert(q, 2, 0.4, axis=-1), (0, 1))
    subject = give(pair.subject, "")
    if feature == "joint compliance":
        subject = subject.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=STIFF)})
    return replace(pair, subject=subject, reference=give(pair.reference, ""))


def check(feature: str, given: Equivalent, name: str) -> None:
    """The quantity of both, on the links that both have."""
    pair = flexible_pair(feature, given)
    s = states_of(pair.subject)
    there = {"q": pair.q_of(s["q"]), **{part: s[part] @ pair.T.T for part in ("qd", "qdd")}}
    links = [link for link in pair.reference.link_names if pair.renamed(link) in pair.subject.link_names]
    both = []
    for robot, states, rename in ((pair.subject, s, pair.renamed), (pair.reference, there, str)):
        names, tip = [rename(link) for link in links], rename("tip")
        if name in ASKED:
            both.append(ASKED[name](robot, names, tip, *_states(states)))
        elif name in AT_REST:
            both.append(AT_REST[name](robot, names, tip, states["q"]))
        else:
            both.append(OTHERS[name](robot, names, tip, states))
    for found, wanted in zip(*both, strict=True):
        relative(found, wanted, 1e-6)
    if feature == "joint compliance" and name in ("deflection", "stiffness"):
        check_compliance(name, pair.reference, s)


def check_compliance(name: str, rigid: Any, s: States, k: float = 2e4) -> None:
    """A spring in joint 1 turns everything beyond it by its torque over k."""
    soft = rigid.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=k)})
    J = rigid.jacobian.uncompiled(s["q"], "tip")[..., 0]
    if name == "stiffness":
        more = J[..., :, None] * J[..., None, :] / k
        relative(
            np.linalg.inv(soft.stiffness(s["q"], "tip")), np.linalg.inv(rigid.stiffness(s["q"], "tip")) + more, 1e-6
        )
        return
    still = np.zeros_like(s["qd"])
    tau = rigid.gravity_forces.uncompiled(s["q"])[..., :1]
    tip = rigid.link_names.index("tip")
    own, beams = (arm.deflection(s["q"], still, still).displacement[..., tip, :] for arm in (soft, rigid))
    relative(own - beams, -J[..., :3] * tau / k, 1e-6)


def relative(found: Any, wanted: Any, tolerance: float) -> None:
    size = max(1e-300, float(np.abs(wanted).max(initial=0.0)))
    close(np.asarray(found) / size, np.asarray(wanted) / size, tolerance)


# Calls


def asked(name: str, *states: Any, robot: Any = None, **loads: Any) -> list[Floats]:
    """Numbers of a method of the arm; those of poses have q alone, pictures one state."""
    robot = robot or flexible()
    links = [link for link in flexible().link_names if link in robot.link_names]
    if name in REFUSING and loads:
        getattr(robot, name)(*([] if name == "frequency_map" else [states[0]]), **loads)
    if name in DRAWN:
        return DRAWN[name](robot, links, *(part[0] for part in states), **loads)
    if name == "respond":
        motion = small_motion(robot, dict(zip(("q", "qd"), states, strict=False)))
        return _responding(robot, motion, links, "tip", loaded=False, **loads)
    if name == "frequency_response":
        return _shaken(robot, links, "tip", states[0][0], **loads)[1:]
    if name == "shaped":
        return [robot.shaped(small_motion(robot, dict(zip(("q", "qd"), states, strict=False))), **loads).q]
    if name in RINGING and name in OTHERS:
        return OTHERS[name](robot, links, "tip", dict(zip(("q", "qd", "qdd"), states, strict=True)), **loads)
    return (ASKED | AT_REST)[name](robot, links, "tip", *(states if name in ASKED else states[:1]), **loads)


REFUSING = ("stiffness",)
"""What is the same under all loads."""
RINGING = ("natural_frequencies", "frequency_map", "bandwidth_check")
"""What depends on loads through the stiffness alone."""


def rings_by_hand(name: str, s: States, **loads: Any) -> list[Floats]:
    """Frequencies of the eigenvalues of 1 + K_G and the mass matrix, both taken from the model."""
    model = vibration_model(flexible(), EFFECTS, 4)
    still = np.zeros_like(s["qd"])
    states = (s["q"], s["qd"], s["qdd"]) if name == "bandwidth_check" else (s["q"], still, still)
    placed = model.at(s["q"])
    K = geometric_stiffness(placed, dead_loads(flexible(), states, LoadCase(**loads)))
    pairs = zip(K, placed.matrices()[0], strict=True)
    squares = [eigh(np.eye(model.size) + k, m, eigvals_only=True)[:2] for k, m in pairs]
    found = np.sqrt(np.array(squares)) / (2 * np.pi)
    return [found if name == "natural_frequencies" else found[:, 0]]


DRAWN: dict[str, Callable[..., list[Floats]]] = {
    "plot_deflection": _drawn_deflection,
    "plot_safety": lambda robot, links, *state, **loads: _drawn_safety(robot, *state, **loads),
}


def _in_time(name: str, source: Any, arrays: tuple[Any, ...]) -> None:
    if name == "shaped":
        still = lp.Motion.from_checked(source.times, source.q, 0 * source.qd, 0 * source.qdd, flexible())
        close(flexible().shaped(still, frequency=3.0, damping=0.0).duration - still.duration, 1 / 6)
        return
    motion = lp.Motion.from_checked(source.times, *arrays, flexible())
    options: Any = {"external": getattr(source, "external", None)}
    for found, wanted in zip(_responding_whole(source), _responding_whole(motion, **options), strict=True):
        close(found, wanted, 1e-12)


def with_motion(name: str, source: Any) -> None:
    arrays = source.q, source.qd, source.qdd
    if name in ("compensated", "frequency_map"):
        getattr(flexible(), name)(source)
        return
    if name == "bandwidth_check":
        lowest = flexible().natural_frequencies(source, 1).frequencies[:, 0]
        close(flexible().bandwidth_check(source).frequencies, lowest, 1e-3)
        return
    if name in ("plot_deflection", "frequency_response"):
        getattr(flexible(), name)(source)
        return
    if name in ("respond", "shaped"):
        _in_time(name, source, arrays)
        return
    if name == "plot_safety":
        for found, wanted in zip(_drawn_safety(flexible(), source), _drawn_safety(flexible(), *arrays), strict=True):
            close(found, wanted, 1e-12)
        return
    of_motion = {"qd": source.qd, "qdd": source.qdd} if name == "natural_frequencies" else {}
    for found, wanted in zip(asked(name, source), asked(name, *arrays, **of_motion), strict=True):
        close(found, wanted, 1e-12)


def in_kind(name: str, change: Callable[[Floats], Floats], tolerance: float) -> None:
    """With the arrays changed, in type or shape, and as they are."""
    s = states_of(arm(), 6)
    for found, wanted in zip(asked(name, *map(change, _states(s))), asked(name, *_states(s)), strict=True):
        relative(np.reshape(found, wanted.shape), wanted, tolerance)


def with_no_states(name: str) -> None:
    s = states_of(arm(), 1)
    for part in asked(name, *(array[:0] for array in _states(s))):
        assert part.shape[0] == 0


def under_wrench(name: str) -> None:
    """The arm under the wrench of a point mass is the arm with that mass as a payload, moving or at rest; and its tip
    gives way by its compliance times the wrench.
    """
    s = states_of(arm(), 2)
    if name in (*AT_REST, *OTHERS, "extremes"):  # of poses, or of one state: one wrench, of an arm at rest
        s = {part: np.repeat(values[:1], 2, axis=0) * (part == "q") for part, values in s.items()}
    for axes in ("world", "link"):
        wrench = weight(arm(), "tip", s, axes=axes)
        if name in (*AT_REST, *OTHERS):
            wrench = replace(wrench, **{part: np.atleast_2d(getattr(wrench, part))[0] for part in PARTS})
        if name in ("buckling", "plot_safety") and axes == "link":  # where the force acts counts, not its moment alone
            wrench = replace(wrench, torque=np.zeros(3), point=np.array(AT))
        found = asked(name, *_states(s), external={"tip": wrench})
        if name in RINGING:
            wanted, tolerance = rings_by_hand(name, s, external={"tip": wrench}), 1e-6 if name in AT_REST else ROUGH
        else:
            wanted, tolerance = asked(name, *_states(s), robot=loaded(flexible(), "tip")), 1e-8
        for part, expected in zip(found, wanted, strict=True):
            # Under load: the moment of a weight has points where it acts, a torque has none.
            relative(part, expected, 2e-4 if name == "frequency_response" else tolerance)
    if name == "compensated":  # under a force of one direction in all poses
        push = {"tip": lp.Wrench(force=MASS * np.asarray(arm().gravity))}
        q, before = (flexible().compensated(s["q"], link="tip", **loads).q for loads in ({"external": push}, {}))
        close(q, flexible().with_payload(MASS, link="tip").compensated(s["q"], link="tip").q)
        found, wanted = [q], [before]
    else:
        wanted = asked(name, *_states(s))
    assert differs(found, wanted, 1e-8 if name in RINGING else 1e-4)
    if name == "deflection":
        row, at_tip = found[0].shape[1] - 1, wrench.at((0.0, 0.0, 0.0))
        turn = arm().link_poses.uncompiled(s["q"])[:, row, :3, :3]
        six = np.concatenate([np.einsum("...ij,...j->...i", turn, part) for part in (at_tip.force, at_tip.torque)], -1)
        more = np.concatenate([a[:, row] - b[:, row] for a, b in zip(found, asked(name, *_states(s)), strict=True)], -1)
        relative(more, np.einsum("...ij,...j->...i", flexible().compliance(s["q"], "tip"), six), 1e-8)


PARTS = ("force", "torque", "point")


def on_moving_base(name: str, v: Floats, a: Floats, free: Callable[..., States]) -> None:
    """The arm on a base that moves so is the arm on a free joint that does; on one that accelerates and does not turn,
    the arm under gravity less that acceleration.
    """
    motion = {"base_velocity": v, "base_acceleration": a}
    straight = {"base_acceleration": np.concatenate([a[:3], np.zeros(3)])}
    heavier = flexible().with_gravity(np.asarray(arm().gravity) - a[:3])
    if name in (*REFUSING, "frequency_response", "shaped"):
        asked(name, *_states(states_of(arm(), 2)), **motion)
        return
    s = states_of(arm(), 2)
    for part, expected in zip(asked(name, *_states(s), **straight), asked(name, *_states(s), robot=heavier),
                              strict=True):
        relative(part, expected, 1e-8)
    found = asked(name, *_states(s), **motion)
    if name in RINGING:
        for part, expected in zip(found, rings_by_hand(name, s, **motion), strict=True):
            relative(part, expected, 1e-6 if name in AT_REST else ROUGH)
        return
    if name == "respond":  # a base that turns: its links have the speeds and accelerations of `deflection`
        row = flexible().link_names.index("tip")
        calm = flexible().respond(small_motion(flexible(), s), tip="tip", loaded=False, after=0.0, **motion)
        first = flexible().deflection(s["q"][0], calm.course.track.qd[0], calm.course.track.begins[0], **motion)
        close(calm.quasi_static["tip"][0], first.displacement[row], 1e-9)
        assert differs(found, asked(name, *_states(s)))
        return
    if name == "compensated":  # by `deflection` on that base; a free joint would be moved, too
        q = flexible().compensated(s["q"], link="tip", **motion).q
        other = heavier.compensated(s["q"], link="tip").q
        close(flexible().compensated(s["q"], link="tip", **straight).q, other)
        assert differs([q], [other])
        return
    loose = flexible(arm().floating())
    for part, expected in zip(found, asked(name, *_states(free(s)), robot=loose), strict=True):
        relative(part, expected, 1e-8)
    assert differs(found, asked(name, *_states(s)))


def differs(found: list[Floats], other: list[Floats], share: float = 1e-4) -> bool:
    """By more than rounding, so that the check is one."""
    return any(np.abs(a - b).max() > share * np.abs(b).max() for a, b in zip(found, other, strict=True))


__all__ = ["ASKED", "AT_REST", "FLEXIBLE", "OTHERS", "check", "motion_of", "numbers"]
