"""A robot as we read it against the same file as Pinocchio reads it: forces and mass matrix of random states.

Where the two differ, a rule may explain it. A rule is code: it rewrites the file so that Pinocchio reads what we read,
and explains a difference only if this makes the difference go away; or it shows that the numbers cannot agree.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from loadpath.algorithms import composite_body
from loadpath.api.robot import Robot
from loadpath.formulations import newton_euler
from loadpath.robot.joints import Planar
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.mechanism import plain as plain_mechanism
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced
from on_scalars import on_arrays
from references.to_pinocchio import random_state, to_pinocchio

from .outcome import Fault, Outcome
from .xml_trees import Tree, parsed, plain

TOLERANCE = 1e-9
_HUGE, _TINY = 1e75, 1e-75
_NUMERIC = {
    "xyz",
    "rpy",
    "quat_xyzw",
    "value",
    "ixx",
    "ixy",
    "ixz",
    "iyy",
    "iyz",
    "izz",
    "lower",
    "upper",
    "velocity",
    "effort",
    "damping",
    "friction",
    "multiplier",
    "offset",
}
Results = tuple[np.ndarray, np.ndarray]
"""Forces (n,) and mass matrix (n, n)."""


class CannotCompareError(Exception):
    """Pinocchio does not read the file, or not this joint; the words say what it does not."""


# Rules that rewrite the file


@dataclass(frozen=True)
class Rule:
    """Why Pinocchio reads something else, and the file as it needs it."""

    name: str
    reason: str
    rewrite: Callable[[Tree], None] = lambda tree: None
    each_speed: bool = False


def _value(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None  # in a part that does not count


def _each_number(tree: Tree, change: Callable[[float], str | None]) -> None:
    """Every number of the file anew, unless the change is None."""

    def changed(word: str) -> str:
        value = _value(word)
        return word if value is None else change(value) or word

    for element in tree.everything():
        element.attributes = [
            (name, " ".join(map(changed, value.split())) if name in _NUMERIC else value)
            for name, value in element.attributes
        ]


def _collapse(tree: Tree) -> None:
    _each_number(tree, lambda value: None)


def _keep_what_counts(tree: Tree) -> None:
    kept = {
        "robot": ("link", "joint"),
        "link": ("inertial",),
        "inertial": ("origin", "mass", "inertia"),
        "joint": ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
    }
    for element in tree.everything():
        element.text = ""
        element.children = [child for child in element.children if child.tag in kept.get(element.tag, ())]
        element.attributes = [(name, value) for name, value in element.attributes if ":" not in name]
    for joint in tree.all("joint"):
        if joint.get("type") == "fixed":
            joint.children = [child for child in joint.children if child.tag in ("parent", "child", "origin")]
        if joint.get("type") == "floating":
            joint.children = [child for child in joint.children if child.tag != "axis"]


def _axes(tree: Tree) -> None:
    for joint in tree.all("joint"):
        for axis in joint.all("axis"):
            numbers = [float(word) for word in (axis.get("xyz") or "1 0 0").split()]
            largest = max(map(abs, numbers))
            if largest:
                length = math.hypot(*(x / largest for x in numbers))
                axis.attributes = [("xyz", " ".join(repr(x / largest / length) for x in numbers))]


def _small_numbers(tree: Tree) -> None:
    _each_number(tree, lambda value: "0" if 0 < abs(value) < 2.3e-308 else None)


def _plain_digits(tree: Tree) -> None:
    _each_number(tree, repr)


def _rpy(tree: Tree) -> None:
    """Quaternions as roll, pitch and yaw."""
    for origin in tree.everything():
        quaternion = origin.get("quat_xyzw")
        if origin.tag == "origin" and quaternion:
            x, y, z, w = (float(word) for word in quaternion.split())
            size = max(map(abs, (x, y, z, w)))
            if size:
                turn = pin.Quaternion(np.array([x, y, z, w]) / size)
                turn.normalize()
                roll, pitch, yaw = pin.rpy.matrixToRpy(turn.toRotationMatrix()).tolist()
                kept = [(name, value) for name, value in origin.attributes if name != "quat_xyzw"]
                origin.attributes = [*kept, ("rpy", f"{roll!r} {pitch!r} {yaw!r}")]


def _wide_limits(tree: Tree) -> None:
    for joint in tree.all("joint"):
        for limit in joint.all("limit"):
            limit.attributes = [("lower", "-1"), ("upper", "1"), ("velocity", "1"), ("effort", "1")]
        joint.children = [child for child in joint.children if child.tag != "mimic"]


REWRITES = (
    Rule(
        "white space", "Pinocchio's reader drops an inertia or an origin with white space around its numbers", _collapse
    ),
    Rule(
        "words that do not count",
        "its reader refuses a file for a fault in a shape, a limit of a weld, and the like",
        _keep_what_counts,
    ),
    Rule(
        "digits",
        "its reader does not take a number with many digits, a plus sign or a bare point as we do",
        _plain_digits,
    ),
    Rule("subnormal numbers", "its reader refuses numbers below 2.2e-308", _small_numbers),
    Rule("length of an axis", "it does not normalise an axis whose square is beyond the range of numbers", _axes),
    Rule("quaternion", "its reader does not know quat_xyzw, or does not normalise it", _rpy),
    Rule(
        "friction of several speeds",
        "it leaves out damping and friction of planar and floating joints; here they count "
        "for each speed, and a warning says so",
        each_speed=True,
    ),
    Rule("limits and mimics", "its reader refuses limits or mimics that do not count in the dynamics", _wide_limits),
)
ENCODING = Rule(
    "XML", "its reader takes UTF-8 without a declaration of another encoding and no processing instructions"
)


# Reading and computing by Pinocchio


@contextmanager
def _silent() -> Iterator[None]:
    """Its reader complains on the terminal."""
    saved = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        for k, kept in enumerate(saved, start=1):
            os.dup2(kept, k)
            os.close(kept)
        os.close(nowhere)


def _read(text: str) -> pin.Model:
    if "\x00" in text:
        raise CannotCompareError("a zero byte")
    try:
        with _silent():
            return pin.buildModelFromXML(text)
    except Exception as problem:
        raise CannotCompareError(f"{type(problem).__name__}: {str(problem).strip().splitlines()[0][:60]}") from None


@dataclass(frozen=True)
class State:
    """Of a robot in our conventions."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def _followed(tree: Tree) -> dict[str, tuple[str, float, float]]:
    """For each joint that mimics: the joint, multiplier and offset, as the file says."""
    found = {}
    for joint in tree.all("joint"):
        for mimic in joint.all("mimic"):
            if joint.get("type") != "fixed":
                factor, offset = (
                    float(mimic.get(key) or default) for key, default in (("multiplier", "1"), ("offset", "0"))
                )
                found[joint.get("name") or ""] = (mimic.get("joint") or "", factor, offset)
    return found


def _by_pinocchio(model: pin.Model, robot: RobotModel, tree: Tree, state: State, each_speed: bool = False) -> Results:
    """Forces and mass matrix in our order, with the friction that Pinocchio read; with `each_speed`, that of joints
    with several speeds as the file has it, for each of our speeds.
    """
    q = pin.neutral(model)
    speeds, drift = np.zeros((model.nv, robot.n)), np.zeros(model.nv)
    mimics = _followed(tree)
    for index in range(1, model.njoints):
        joint, name = model.joints[index], model.names[index]
        source, factor, offset = name, 1.0, 0.0
        while source in mimics:
            source, next_factor, next_offset = mimics[source]
            factor, offset = factor * next_factor, factor * next_offset + offset
        if source not in robot.q_slices:
            raise CannotCompareError("names that Pinocchio reads otherwise")
        own = robot.q_slices[source].start, robot.v_slices[source].start
        at, rows = joint.idx_q, slice(joint.idx_v, joint.idx_v + joint.nv)
        kind = joint.shortname()
        if "Planar" in kind:
            motion = robot.joint(name)
            if not isinstance(motion.motion, Planar) or not np.array_equal(motion.link_offset.R, np.eye(3)):
                raise CannotCompareError("a planar joint across another axis than z, which Pinocchio does not read")
            x, y, angle = state.q[own[0] : own[0] + 3]
            c, s, rate = math.cos(angle), math.sin(angle), state.qd[own[1] + 2]
            q[at : at + 4] = x, y, c, s
            speeds[rows, own[1] : own[1] + 3] = [[c, s, 0], [-s, c, 0], [0, 0, 1]]
            turning = rate * np.array([[-s, c, 0], [-c, -s, 0], [0, 0, 0]])
            drift[rows] = turning @ state.qd[own[1] : own[1] + 3]
        elif "FreeFlyer" in kind:
            q[at : at + 7] = state.q[own[0] : own[0] + 7]
            speeds[rows, own[1] : own[1] + 6] = np.eye(6)
        else:
            value = factor * state.q[own[0]] + offset
            q[at : at + joint.nq] = (math.cos(value), math.sin(value)) if joint.nq == 2 else value
            speeds[rows, own[1]] = factor
    if len(set(robot.q_slices)) != model.njoints - 1:
        raise CannotCompareError("joints that Pinocchio does not read")
    data = model.createData()
    v, a = speeds @ state.qd, speeds @ state.qdd + drift
    tau = pin.rnea(model, data, q, v, a)
    upper = np.triu(pin.crba(model, data, q))
    full = upper + np.triu(upper, 1).T
    forces = speeds.T @ (tau + model.damping * v + model.friction * np.sign(v))
    if each_speed:
        forces += _friction_of_several_speeds(tree, robot, state)
    return forces, speeds.T @ full @ speeds


def _friction_of_several_speeds(tree: Tree, robot: RobotModel, state: State) -> np.ndarray:
    """Pinocchio has none of it."""
    forces = np.zeros(robot.n)
    for joint in tree.all("joint"):
        if joint.get("type") in ("planar", "floating"):
            own = robot.v_slices[joint.get("name") or ""]
            for part in joint.all("dynamics"):
                damping, friction = (float(part.get(key) or 0) for key in ("damping", "friction"))
                forces[own] += damping * state.qd[own] + friction * np.sign(state.qd[own])
    return forces


def _by_us(mechanism: Mechanism, state: State) -> Results:
    tau = on_arrays(newton_euler.inverse_dynamics, mechanism, state.q, state.qd, state.qdd)
    return tau, on_arrays(composite_body.mass_matrix, mechanism, state.q)


def difference(found: Results, expected: Results) -> float:
    """The largest, relative: forces to the largest force, entries of the mass matrix to their row and column."""
    with np.errstate(all="ignore"):
        size = np.abs(expected[0]).max(initial=0.0)
        of_forces = np.abs(found[0] - expected[0]).max(initial=0.0) / (size or 1.0)
        diagonal = np.sqrt(np.maximum(np.abs(np.diag(expected[1])), 1e-12 * np.abs(expected[1]).max(initial=0.0)))
        scale = np.outer(diagonal, diagonal)
        of_masses = (np.abs(found[1] - expected[1]) / np.where(scale > 0, scale, 1.0)).max(initial=0.0)
    worst = max(float(of_forces), float(of_masses))
    return worst if np.isfinite(of_forces) and np.isfinite(of_masses) else math.inf


def _numbers(tree: Tree) -> list[float]:
    texts = [value for part in tree.everything() for name, value in part.attributes if name in _NUMERIC]
    return [value for text in texts for word in text.split() if (value := _value(word)) is not None]


def _sensitivity(tree: Tree, robot: RobotModel, state: State, expected: Results) -> float:
    """By how much Pinocchio's own results change when every number of the file changes in its last digits."""
    worst = 0.0
    for seed in range(3):
        rng, other = random.Random(seed), _cleaned(tree, REWRITES)

        def nudged(value: float, rng: random.Random = rng) -> str:
            return repr(value * (1 + rng.choice((-4e-16, 4e-16))))

        _each_number(other, nudged)
        state_too = State(*(x * (1 + 2e-16 * rng.choice((-1, 1))) for x in (state.q, state.qd, state.qdd)))
        try:
            worst = max(
                worst, difference(_by_pinocchio(_read(plain(other)), robot, tree, state_too, each_speed=True), expected)
            )
        except CannotCompareError:
            return math.inf
    return worst


# The comparison


def compared(data: bytes, robot: RobotModel, compiled: Robot | None = None) -> Outcome:
    """Agreed, or explained by a rule; a difference without a rule is a fault."""
    if robot.n == 0:
        return Outcome("explained", "nothing moves")
    rng = np.random.default_rng(7)
    state = State(*random_state(robot, rng))
    with np.errstate(all="ignore"):
        ours = _by_us(plain_mechanism(robot), state)
        again = [_by_us(reduced(robot), state)]
        if compiled is not None:
            again.append((compiled.inverse_dynamics(state.q, state.qd, state.qdd), compiled.mass_matrix(state.q)))
    tree = parsed(data)
    numbers = [abs(x) for x in _numbers(tree) if x and math.isfinite(x)]
    extreme = bool(numbers) and (max(numbers) > _HUGE or min(numbers) < _TINY)
    if not all(np.isfinite(part).all() for part in ours):
        if extreme:
            return Outcome("explained", "overflow: numbers whose squares are beyond the range")
        raise Fault("forces are not finite though the numbers of the file are not extreme")
    outcome = _with_rules(data, tree, robot, state, ours, extreme)
    for other in again:
        apart = difference(other, ours)
        if apart > TOLERANCE:
            if extreme:
                return Outcome("explained", "overflow: numbers whose squares are beyond the range")
            known = _sensitivity(tree, robot, state, ours)
            if not apart < 1e3 * known:
                raise Fault(
                    f"the {'compiled' if other is again[-1] and compiled else 'reduced'} robot differs by {apart:.2e}"
                )
            return Outcome("explained", "cancellation: the last digits of the file decide")
    return outcome


def _cleaned(tree: Tree, rules: tuple[Rule, ...]) -> Tree:
    copy = tree.copy()
    for rule in rules:
        rule.rewrite(copy)
    return copy


def _with_rules(data: bytes, tree: Tree, robot: RobotModel, state: State, ours: Results, extreme: bool) -> Outcome:
    apart = _apart(data.decode("utf-8", "replace"), tree, robot, state, ours)
    if apart <= TOLERANCE:
        return Outcome("agreed", "", apart)
    for rules in ((ENCODING,), *((rule,) for rule in REWRITES), REWRITES):
        cleaned = _cleaned(tree, rules)
        apart = _apart(plain(cleaned), tree, robot, state, ours, any(rule.each_speed for rule in rules))
        if apart <= TOLERANCE:
            return Outcome("explained", rules[0].name if len(rules) == 1 else "several of the above at once", apart)
    if extreme:
        return Outcome("explained", "overflow: numbers whose squares are beyond the range")
    # The words of Pinocchio on the file that has nothing left but what counts.
    cleaned = _cleaned(tree, REWRITES)
    try:
        expected = _by_pinocchio(_read(plain(cleaned)), robot, tree, state, each_speed=True)
    except CannotCompareError as why:
        return _without_its_reader(robot, state, ours, str(why))
    known = _sensitivity(tree, robot, state, expected)
    if apart < 1e3 * known:
        return Outcome("explained", "cancellation: the last digits of the file decide")
    raise Fault(f"differs from Pinocchio by {apart:.2e}; its own results change by {known:.1e} with the last digits")


def _apart(text: str, tree: Tree, robot: RobotModel, state: State, ours: Results, each_speed: bool = False) -> float:
    try:
        return difference(ours, _by_pinocchio(_read(text), robot, tree, state, each_speed))
    except (CannotCompareError, ValueError):  # ValueError: numbers in a file that we read otherwise
        return math.inf


def _without_its_reader(robot: RobotModel, state: State, ours: Results, why: str) -> Outcome:
    """Pinocchio does not read the file: its dynamics of our reading must agree all the same."""
    peer = to_pinocchio(robot)
    expected = peer.inverse_dynamics(state.q, state.qd, state.qdd), peer.mass_matrix(state.q)
    apart = difference(ours, expected)
    if apart > TOLERANCE:
        raise Fault(f"Pinocchio's dynamics of our robot differ by {apart:.2e} (it does not read the file: {why})")
    return Outcome("explained", f"only the dynamics compared: {why}", apart)
