"""A robot fitted to measured forces: `lp.identify`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Never

import numpy as np

from loadpath.errors import warn
from loadpath.identification.base import BaseParameters, base_parameters
from loadpath.identification.closed_states import felt, refuse_impossible_states
from loadpath.identification.consistency import bodies, consistent
from loadpath.identification.excitation import LIMIT, Excitation, of_motion
from loadpath.identification.least_squares import Noise, fit_with_noise, noise_of_forces
from loadpath.identification.measurements import Compressed, compressed, measurements, motion_and_forces
from loadpath.identification.parameters import Scale, listed, to_inertia
from loadpath.identification.plausibility import Sizes, is_ordered, question_of_scale, questions, questions_of_noise
from loadpath.identification.result import Identification
from loadpath.quantities.table import R
from loadpath.robot.drive_train.of_joint import refuse_springs, refuse_stribeck
from loadpath.robot.edit import with_inertias
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, refuse_keywords
from loadpath.states.keywords import needs_robot

LOADED = {
    "external": "give tau without what the wrenches add to it, which no inertia changes: robot.inverse_dynamics(q, qd, "
    "qdd, external=...) - robot.inverse_dynamics(q, qd, qdd)",
    "base": "measure on a base at rest; robot.regressor(q, qd, qdd) takes it, for a fit of your own",
}
"""Why loads are not taken, and what to do."""


def identify(
    robot: R,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    friction: bool = True,
    rotors: bool = False,
    offsets: bool = True,
    weights: Literal["by noise", "equal"] | ArrayLike = "by noise",
    prior_weight: float = 1e-3,
    max_condition: float = LIMIT,
    progress: bool = False,
    **others: Never,
) -> Identification[R]:
    """A robot with physically consistent inertias that explains measured drive forces.

    `q`, `qd`, `qdd` and `tau` have one state per row; any number of rows is taken, some MB at a time. A motion may take
    the place of the first three, `identify(robot, motion, tau)`, and a simulation that of all four. Signals should
    be filtered alike, and states in which a joint with friction hardly moves are better left out: friction at rest is
    not the friction of motion. Geometry and gravity are those of `robot`, which is also the prior: it decides what the
    forces leave open.

    - `friction`: viscous and Coulomb friction of every joint are sought too; otherwise the robot's own count as known.
    - `rotors`: the same for the rotors' inertias. What a rotor shares with its link (joint 1's with Izz1) is divided as
      the prior has it.
    - `offsets`: a constant is sought of every measured force (of its amplifier or sensor, or friction that is stronger
      one way); without it, what the drives' offsets do to the mass centers stays unseen. They are no part of the robot.
    - `weights`: "by noise" weights each joint by the inverse of its residual variance; "equal" does not; n numbers are
      the standard deviations of the forces' noise, taken as known.
    - `prior_weight`: how strongly the prior is held, against one unit of the log-likelihood of the measurements. At its
      default what the forces determine stays within a few hundredths of a standard deviation.
    - `max_condition`: a motion with a larger condition number is refused, naming the groups and joints it leaves out.
    - `progress`: a bar on the terminal.

    Of a robot with loops the states are closed ones (`robot.assemble`, `robot.complete`, `robot.motion`), and `tau` has
    the forces of the drives, zero at passive joints, whose friction is sought too: the drives feel it. With more drives
    than freedoms the forces count that do the same with least effort, so a preload does no harm.

    `explained` of the result says for each joint how much of its force is explained. Where it is little and not by
    noise of the forces, a `ModelWarning` says so, and asks about degrees, signs or the order of the columns where
    these would explain far more; the same for speeds and accelerations that are noisy themselves.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> t = np.linspace(0, 10, 200)[:, None] * (1.0, 1.7)
    >>> q, qd, qdd = np.sin(t), np.cos(t) * (1.0, 1.7), -np.sin(t) * (1.0, 1.7**2)
    >>> loaded = arm.with_payload(0.7, link="link2", center_of_mass=(1, 0, 0))
    >>> found = lp.identify(arm, q, qd, qdd, loaded.inverse_dynamics(q, qd, qdd))
    >>> bool(abs(found.robot.inverse_dynamics(q, qd, qdd) - loaded.inverse_dynamics(q, qd, qdd)).max() < 1e-9)
    True
    >>> lp.identify(arm, q, 0 * qd, 0 * qdd, arm.gravity_forces(q))
    Traceback (most recent call last):
    ValueError: identify: the motion does not excite all base parameters of robot 'planar2' (condition inf, at most \
10000 is taken): the joints joint1, joint2 do not move; not excited: Izz1 + m2; Izz2; fv1; fv2; fc1; fc2 (of the \
joints joint1, joint2)
    """
    refuse_keywords("identify", others, LOADED)
    subject, robot = robot, needs_robot(robot, "identify")
    refuse_springs(robot, "identified parameters")
    refuse_stribeck(robot, "identified parameters")
    if prior_weight <= 0 or not np.isfinite(prior_weight):
        raise ValueError(f"identify: prior_weight is {prior_weight}: expected a positive number")
    base = base_parameters(robot, friction=friction, rotors=rotors)
    given = motion_and_forces("identify", robot, q, qd, qdd, tau)
    if missing := [name for name, value in given.items() if value is None]:
        raise TypeError(f"identify needs {', '.join(missing)} as well: (q, qd, qdd, tau), or a motion and tau")
    data = measurements("identify", robot, **given)
    refuse_impossible_states(robot, data.q, data.qd, data.qdd, "identify")
    data = replace(data, tau=felt(robot, data.q, np.asarray(data.tau)[..., None])[..., 0])
    weighting = _weights(robot, weights)
    if len(data) * robot.n <= base.number:
        raise ValueError(f"identify: {len(data)} states (with {robot.n} forces a state) are too few for {base.number} "
                         f"base parameters of robot '{robot.name}': expected many times as many")
    motion = compressed(base, data, offsets=offsets, progress=progress)
    excited = of_motion(motion)
    if not excited.sufficient(max_condition):
        raise ValueError(_refusal(excited, max_condition, replace(motion, offsets=False)))
    units = Scale.of(robot).of_parameters(base.parameters)
    kept = list(base.grouping.kept)
    fit, rows, noise = fit_with_noise(base, data, motion, units, weighting)
    force, expected = np.sqrt([motion.squares(0 * base.values), motion.sizes(base.values)]) / np.sqrt(len(data))
    if scale := question_of_scale(robot.dof_names, Sizes(force, force, expected)):
        warn(f"identify: {scale}")
    full = consistent(base, fit, units, base.parameters.of(robot) / units, prior_weight) * units
    found = _with_parameters(robot, base, full)
    values = base.of(found)
    covariance = fit.covariance * np.outer(units[kept], units[kept])
    result = Identification(
        robot=subject._with_robot(found),
        base=base,
        values=values,
        least_squares=fit.values * units[kept],
        standard_deviations=np.sqrt(np.diag(covariance)),
        offsets=rows.best_offsets(values),
        offset_deviations=rows.offset_deviations(covariance, fit.noise),
        noise=noise_of_forces(motion, fit, noise, units[kept], weighting),
        correlation=noise.correlation,
        changing=noise.changing,
        residual=np.sqrt(motion.squares(values) / len(data)),
        excitation=excited,
        data=data,
    )
    sizes = Sizes(result.variation, result.residual, expected)
    left = np.asarray(data.tau) - result.fitted_torque
    noisy = list(questions_of_noise(base, data, offsets, units[kept], fit)) if is_ordered(base, data) else []
    asked = questions(base, data, sizes, left, noisy, offsets=offsets)
    for question in asked or _questions_of_residual(result, left, noise):
        warn(f"identify: {question}")
    if not any("would leave" in question for question in asked):
        _warn_of_the_impossible(result)
    return result


# A fit by a robot that can exist is doubted where it leaves this many times the noise, and this share of the force.
_TIMES_NOISE, _SHARE = 2.0, 1e-3


def _warn_of_the_impossible(found: Identification) -> None:
    """Warn where the measurements ask for what no body and no friction can be: a sign or a unit is often wrong then."""
    suspicious = (found.residual > _TIMES_NOISE * found.noise) & (found.residual > _SHARE * found.force)
    if not suspicious.any():
        return
    off = np.abs(found.values - found.least_squares) / found.standard_deviations
    k = int(np.argmax(off))
    joint = int(np.argmax(np.where(suspicious, found.residual / found.noise, 0.0)))
    warn(
        f"identify: the forces ask for what cannot be: least squares gives {found.base.groups[k]} = "
        f"{found.least_squares[k]:.4g} (standard deviation {found.standard_deviations[k]:.2g}), the nearest possible "
        f"robot {found.values[k]:.4g}, which leaves {found.residual[joint]:.3g} at '{found.robot.dof_names[joint]}' "
        f"where the noise is {found.noise[joint]:.3g}; are signs and units of qd and tau right, and is something "
        "missing in the model?"
    )


# A mean residual is asked about from so many standard deviations, and this share of the force, on.
_OFF, _SHARE_OFF = 5.0, 0.02


def _questions_of_residual(found: Identification, left: Floats, noise: Noise) -> Iterator[str]:
    """What the residual has that noise has not: a mean, and a dependence on the rows before that is not explained."""
    names, mean = found.base.robot.dof_names, left.mean(axis=0)
    memory = np.array([1 - a.sum() if len(a) else 1.0 for a in noise.filters])
    chance = found.noise / np.maximum(memory, 1e-3) / np.sqrt(len(left))
    off = (np.abs(mean) > _OFF * chance) & (np.abs(mean) > _SHARE_OFF * found.force)
    if off.any():
        k = int(np.argmax(np.abs(mean) / np.maximum(chance, 1e-300) * off))
        cure = ": offsets=True seeks it" if not found.offsets.any() else ""
        yield (
            f"the residual of '{names[k]}' has a mean of {mean[k]:.3g} (its noise is {found.noise[k]:.3g}): the "
            "measured force has an offset, which masses and mass centers were bent to explain as far as they could"
            f"{cure}"
        )
    elif noise.still_coloured.any():
        coloured = [name for name, bad in zip(names, noise.still_coloured, strict=True) if bad]
        yield (
            f"the residual of {listed(coloured)} follows the rows before in a way that no short filter explains, so "
            "standard deviations are too small: something is missing in the model (friction at low speed, a gear's "
            "elasticity, a lag between q and tau), or the rows are of several motions"
        )


def _refusal(excited: Excitation, limit: float, without: Compressed) -> str:
    """Why a motion is not taken; `without` is the same one with forces that have no offset."""
    weak = excited.unexcited(limit)
    still = ""
    if excited.still:
        one = len(excited.still) == 1
        still = f"the joint{'' if one else 's'} {listed(excited.still)} do{'es' if one else ''} not move; "
    cure = ""
    if of_motion(without).sufficient(limit):
        cure = "; it would if the measured forces had no offset: offsets=False"
    return (
        f"identify: the motion does not excite all base parameters of robot '{excited.base.robot.name}' (condition "
        f"{excited.condition:.3g}, at most {limit:g} is taken): {still}not excited: {listed(weak, '; ')} "
        f"(of the joints {listed(excited.joints_of(weak))}){cure}"
    )


def _weights(robot: RobotModel, weights: ArrayLike) -> Literal["by noise", "equal"] | Floats:
    if isinstance(weights, str):
        if weights == "by noise":
            return "by noise"
        if weights == "equal":
            return "equal"
        raise ValueError(f"identify: weights are {weights!r}: expected 'by noise', 'equal', or the standard deviation "
                         "of each force's noise")
    noise = np.asarray(weights, dtype=float)
    if noise.shape != (robot.n,) or not (np.isfinite(noise) & (noise > 0)).all():
        raise ValueError(f"identify: weights are {weights!r}: expected {robot.n} positive standard deviations of the "
                         f"forces' noise, one for each of {listed(robot.dof_names)}")
    return noise


def _with_parameters(robot: R, base: BaseParameters, full: Floats) -> R:
    """The robot with new inertias of the links that have influence, and new drives where they were sought."""
    changed = bodies(base, base.parameters.of(robot)).links
    found = with_inertias(robot, {robot.link_names[i]: to_inertia(full[10 * i : 10 * i + 10]) for i in changed})
    drives = full[base.parameters.of_links :].reshape(-1, robot.n)
    values = dict(zip(base.parameters.drives, drives, strict=True))
    joints = []
    for joint in found.joints:
        new: dict[str, Any] = {}
        if joint.motion.dof:
            at, follows = robot.v_slices[joint.name], joint.mimic is not None

            def sought(key: str, at: slice = at, follows: bool = follows) -> list[float]:
                # All friction of a joint and its followers is felt at the joint: there it goes.
                return [0.0 if follows else float(x) for x in values[key][at]]

            if "fv" in values:
                new["viscous_friction"], new["coulomb_friction"] = tuple(sought("fv")), tuple(sought("fc"))
            if "Ia" in values:
                gears = [g or 1.0 for g in joint.gear_ratio]
                new["gear_ratio"] = tuple(gears)
                at_joint = any(joint.armature)
                new["armature"] = tuple(sought("Ia")) if at_joint else ()
                new["rotor_inertia"] = () if at_joint else tuple(x / g**2 for x, g in zip(sought("Ia"), gears,
                                                                                      strict=True))
        joints.append(replace(joint, **new))
    return replace(found, joints=tuple(joints))
