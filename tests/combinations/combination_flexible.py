"""Arms with beams: the same beams on a robot that has a feature, and on the robot that it must be equal to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from combination_methods import KEEPING, close, motion_of
from combination_states import Floats, States, numbers, states_of
from combination_subjects import Equivalent, arm, flexible, longer_arm

import loadpath as lp

Asked = Callable[..., list[Floats]]


def _compensated(robot: Any, links: list[str], tip: str, q: Any) -> list[Floats]:
    """By how much the bent tip misses the target, less the error that is reported: nothing."""
    found, row = robot.compensated(q, link=tip), robot.link_names.index(tip)
    wanted = robot.link_poses.uncompiled(q)[..., row, :3, 3]
    there = robot.link_poses.uncompiled(found.q)[..., row, :3, 3] + robot.deflection(found.q).displacement[..., row, :]
    close(wanted - there, found.position_error, 1e-7)
    return [np.zeros(np.shape(q)[:-1])]


def _bandwidth(robot: Any, links: list[str], tip: str, s: States) -> list[Floats]:
    motion = lp.Motion(np.arange(float(len(s["q"]))), s["q"], s["qd"], s["qdd"], robot=robot)
    return [np.asarray(robot.bandwidth_check(motion).frequencies)]


def _states(s: States) -> tuple[Any, ...]:
    return s["q"], s["qd"], s["qdd"]


def _deflection(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.deflection(*states, **loads)
    rows = [found.link_names.index(link) for link in links]
    return [found.displacement[..., rows, :], found.rotation[..., rows, :]]


def _extremes(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.extremes(*states, link=tip, **loads)
    return [np.array([found.tip.distance]), np.array([found.worst_stress.value / 1e6])]


ASKED: dict[str, Asked] = {
    "deflection": _deflection,
    "stress": lambda robot, links, tip, *states, **loads: [robot.stress(*states, **loads).von_mises],
    "buckling_safety": lambda robot, links, tip, *s, **loads: [robot.buckling_safety(*s, **loads).compression],
    "extremes": _extremes,
}  # fmt: skip
"""Quantities of q, qd, qdd."""
AT_REST: dict[str, Asked] = {
    "stiffness": lambda robot, links, tip, q: [np.linalg.inv(robot.stiffness(q, tip))],
    "natural_frequencies": lambda robot, links, tip, q: [robot.natural_frequencies(q, 2).frequencies],
    "compensated": _compensated,
}
"""Quantities of poses."""
OTHERS: dict[str, Asked] = {
    "frequency_map": lambda robot, links, tip, s: [robot.frequency_map(q=s["q"], samples=3, link=tip).frequencies],
    "bandwidth_check": _bandwidth,
    "plot_deflection": lambda robot, links, tip, s: [np.array(len(robot.plot_deflection(*_of_one(s)).data))],
    "plot_safety": lambda robot, links, tip, s: [np.array(len(robot.plot_safety(*_of_one(s)).data))],
}
"""What takes a motion, a workspace or one state."""


def _of_one(s: States) -> tuple[Any, ...]:
    return tuple(part[0] for part in _states(s))


FLEXIBLE = (*ASKED, *AT_REST, *OTHERS)


STIFF = 1e14
"""N m/rad: a spring that does not give way."""


def flexible_pair(feature: str, pair: Equivalent) -> Equivalent:
    """Both robots of a pair with the same beam. A joint is locked after the beam was given; a compliant joint, whose
    flexibility stays, is as good as rigid here, and `check_compliance` has the number of one that is not.
    """
    give = KEEPING["with_beams"]
    if feature == "locked joints":
        whole = give(longer_arm(), "")
        return Equivalent(whole.locked({"joint3": 0.4}), whole, np.eye(3)[:, :2],
                          lambda q: np.insert(q, 2, 0.4, axis=-1), (0, 1))  # fmt: skip
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


def asked(name: str, *states: Any, **loads: Any) -> list[Floats]:
    robot = flexible()
    links = list(robot.link_names)
    if name == "compensated" and loads:
        return [robot.compensated(states[0], link="tip", **loads).q]
    if name in AT_REST and loads:
        return [np.asarray(getattr(robot, name)(states[0], **loads))]
    if name in OTHERS:
        getattr(robot, name)(**loads) if name == "frequency_map" else getattr(robot, name)(
            *(s[0] for s in states), **loads
        )
        return [np.array(float(len(loads)))]
    return (ASKED | AT_REST)[name](robot, links, "tip", *(states if name in ASKED else states[:1]), **loads)


def with_motion(name: str, source: Any) -> None:
    arrays = source.q, source.qd, source.qdd
    if name in ("compensated", "frequency_map"):
        getattr(flexible(), name)(source)
        return
    if name == "bandwidth_check":
        lowest = flexible().natural_frequencies(source.q, 1).frequencies[:, 0]
        close(flexible().bandwidth_check(source).frequencies, lowest, 1e-3)
        return
    if name in OTHERS:
        assert getattr(flexible(), name)(source)
        return
    for found, wanted in zip(asked(name, source), asked(name, *arrays), strict=True):
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


def under_load(name: str, **loads: Any) -> None:
    """A load that the rigid robot's joint wrenches feel, too: superposition of two of them."""
    s = _states(states_of(arm(), 2))
    found = asked(name, *s, **loads)
    if name == "deflection" and "external" in loads:  # linear in the wrench
        double = {link: replace(w, force=2 * np.asarray(w.force), torque=2 * np.asarray(w.torque))
                  for link, w in loads["external"].items()}  # fmt: skip
        for twice, once, none in zip(asked(name, *s, external=double), found, asked(name, *s), strict=True):
            close((twice - none) * 1e3, 2 * (once - none) * 1e3)
    assert any(np.abs(a - b).max() > 0 for a, b in zip(found, asked(name, *s), strict=True))


__all__ = ["ASKED", "AT_REST", "FLEXIBLE", "OTHERS", "check", "motion_of", "numbers"]
