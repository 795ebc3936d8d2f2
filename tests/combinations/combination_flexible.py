"""Arms with beams: the same beams on a robot that has a feature, and on the robot that it must be equal to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from combination_methods import KEEPING, close, motion_of
from combination_states import Floats, States, numbers, states_of
from combination_subjects import Equivalent, arm, flexible

import loadpath as lp

Asked = Callable[..., list[Floats]]


def _motion(s: States) -> lp.Motion:
    """The states as samples of a motion, one a second."""
    return lp.Motion(np.arange(float(len(s["q"]))), s["q"], s["qd"], s["qdd"])


def _states(s: States) -> tuple[Any, ...]:
    return s["q"], s["qd"], s["qdd"]


def _deflection(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.deflection(*states, **loads)
    rows = [found.link_names.index(link) for link in links]
    return [found.displacement[..., rows, :], found.rotation[..., rows, :]]


def _extremes(robot: Any, links: list[str], tip: str, *states: Any, **loads: Any) -> list[Floats]:
    found = robot.extremes(*states, link=tip, **loads)
    return [np.array([found.displacement.value, found.stress.value, found.buckling.safety])]


ASKED: dict[str, Asked] = {
    "deflection": _deflection,
    "stress": lambda robot, links, tip, *states, **loads: [robot.stress(*states, **loads).von_mises],
    "buckling_safety": lambda robot, links, tip, *states, **loads: [robot.buckling_safety(*states, **loads).compression],
    "extremes": _extremes,
}  # fmt: skip
"""Quantities of q, qd, qdd."""
AT_REST: dict[str, Asked] = {
    "stiffness": lambda robot, links, tip, q: [np.linalg.inv(robot.stiffness(q, tip))],
    "natural_frequencies": lambda robot, links, tip, q: [robot.natural_frequencies(q, 2).frequencies],
    "compensated": lambda robot, links, tip, q: [robot.compensated(q, link=tip).position_error],
}
"""Quantities of poses."""
OTHERS: dict[str, Asked] = {
    "frequency_map": lambda robot, links, tip, s: [robot.frequency_map(q=s["q"], samples=3, link=tip).frequencies],
    "bandwidth_check": lambda robot, links, tip, s: [np.asarray(robot.bandwidth_check(_motion(s)).frequencies)],
    "plot_deflection": lambda robot, links, tip, s: [np.array(len(robot.plot_deflection(*_of_one(s)).data))],
    "plot_safety": lambda robot, links, tip, s: [np.array(len(robot.plot_safety(*_of_one(s)).data))],
}
"""What takes a motion, a workspace or one state."""


def _of_one(s: States) -> tuple[Any, ...]:
    return tuple(part[0] for part in _states(s))


FLEXIBLE = (*ASKED, *AT_REST, *OTHERS)


def check(pair: Equivalent, name: str) -> None:
    """The quantity of both, on the links that both have."""
    give = KEEPING["with_beams"]
    pair = replace(pair, subject=give(pair.subject, ""), reference=give(pair.reference, ""))
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
        close(found / max(1e-300, np.abs(wanted).max(initial=0.0)), wanted / max(1e-300, np.abs(wanted).max(initial=0.0)), 1e-6)


# Calls


def asked(name: str, *states: Any, **loads: Any) -> list[Floats]:
    robot = flexible()
    links = list(robot.link_names)
    return (ASKED | AT_REST)[name](robot, links, "tip", *(states if name in ASKED else states[:1]), **loads)


def with_motion(name: str, source: Any) -> None:
    arrays = source.q, source.qd, source.qdd
    if name in ("compensated", "frequency_map"):
        getattr(flexible(), name)(source)
        return
    if name == "bandwidth_check":
        close(flexible().bandwidth_check(source).frequencies, flexible().natural_frequencies(source.q, 1).frequencies[:, 0], 1e-3)
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
        scale = max(1e-300, float(np.abs(wanted).max(initial=0.0)))
        close(np.reshape(found, wanted.shape) / scale, wanted / scale, tolerance)


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
