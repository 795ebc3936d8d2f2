"""`robot.motion`: a motion of all joints of a closed robot, from that of its drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadpath.errors import warn
from loadpath.kinematics.closed.assembly import assemble
from loadpath.kinematics.closed.completion import complete
from loadpath.motion.checks import outside_limits
from loadpath.motion.closed import DrivenRobot, drive_layout, driven_robot, moved_drives, standing
from loadpath.motion.layout import Layout
from loadpath.motion.motion import Motion
from loadpath.motion.reading import completed, rising_times, rows_of
from loadpath.motion.smoothing import Smooth
from loadpath.quantities.closed import ClosedQuantities
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.reading import loads_of, source_of


def motion(
    robot: ClosedQuantities,
    t: Motion | ArrayLike,
    driven: Mapping[str, ArrayLike] | ArrayLike | None = None,
    qd: Mapping[str, ArrayLike] | ArrayLike | None = None,
    qdd: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    near: ArrayLike | None = None,
    strict: bool = True,
    smooth: Smooth = None,
) -> Motion:
    """A motion of all joints, from times `t` (samples,) and coordinates of the drives: an array (samples, drives) in
    the order of `robot.driven`, or by name, `{"crank_joint": angles}`, of any joints that determine the others. Or from
    a motion of the drives alone, `robot.motion(lp.Motion(t, angles))`.

    The loops are closed along the path, each sample from the one before, the first from `near` (`robot.home`); then
    speeds and accelerations are completed. Speeds `qd` and accelerations `qdd` of the drives that are not given are
    derived by splines, as for any `lp.Motion`, from samples of the drives that are smoothed before where they are noisy
    (`smooth` is that of `lp.Motion`). A base that floats stands still. A sample where the loops cannot be
    closed is a ValueError that names it; `strict=False` ends the motion before it, with a warning.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> t = np.linspace(0, 1, 101)
    >>> motion = bar.motion(t, {bar.driven[0]: bar.home[0] + 0.3 * t**2})
    >>> motion, bool(abs(bar.closure(motion.q)).max() < 1e-12)
    (<motion of 'four_bar': 101 samples from 0 to 1 s>, True)
    """
    if isinstance(t, Motion):
        if driven is not None or qd is not None or qdd is not None:
            raise ValueError("motion: the motion has its own coordinates and speeds: leave out the others")
        if smooth:
            raise ValueError(f"motion: smooth={smooth} for a motion, which has all rates: t.smoothed() smooths it")
        times, names, parts, errors = _of_motion(robot, t)
        smoothing = t.smoothing
    elif driven is None:
        raise ValueError(f"motion: expected times and coordinates of the drives {', '.join(robot.driven)}, or a motion "
                         "of them")
    else:
        times, names, parts, errors, smoothing = _of_arrays(robot, t, driven, qd, qdd, smooth)
    still, at_rest = standing(_as_driven(robot), names, robot.home if near is None else np.asarray(near, dtype=float))
    found = assemble(robot, dict(zip(names, parts[0].T, strict=True)) | still, near, path=True, strict=strict)
    count = len(times) if found.reached.all() else int(np.argmin(found.reached))
    if count < 2:
        raise ValueError(f"motion: the loops of robot '{robot.name}' are not closed at sample {count}: nothing is left")
    q = found.q[:count]
    speeds, rates = complete(
        robot, q, *(dict(zip(names, part[:count].T, strict=True)) | at_rest for part in parts[1:]), strict=strict
    )
    result = Motion.from_checked(times[:count], q, speeds, rates, robot)
    result._with(loads=loads_of(t), source=source_of(t))
    for name, error, driver, all_of in (("qd_error", errors[0], parts[1], speeds), ("qdd_error", errors[1], parts[2],
                                                                                    rates)):
        object.__setattr__(result, name, _spread(error, driver, all_of))
    object.__setattr__(result, "smoothing", smoothing)
    for problem in outside_limits(robot, result.t, result.q, result.qd, result.qd_error):
        warn(problem)
    return result


def _as_driven(robot: ClosedQuantities) -> DrivenRobot:
    closed = driven_robot(robot)
    assert closed is not None
    return closed


def _spread(error: Floats, driver: Floats, all_of: Floats) -> Floats:
    """Estimated errors of all speeds from those of the drives: the same part of their largest."""
    largest = np.abs(driver).max(axis=0)
    share = float(np.max(error / np.maximum(largest, 1e-300), initial=0.0, where=largest > 0))
    result: Floats = share * np.abs(all_of).max(axis=0)
    return result


def _of_arrays(robot: ClosedQuantities, t: Any, driven: Any, qd: Any, qdd: Any, smooth: Smooth) -> Any:
    times = rising_times(t)
    if isinstance(driven, Mapping):
        names = tuple(driven)
        layout = Layout(names, names, np.arange(len(names)), np.arange(len(names)))
    else:
        layout = drive_layout(_as_driven(robot))
        names = layout.dof_names
    if not names:
        rest = "" if robot.split.independent else ", and its loops leave no freedom: static_wrenches has it at rest"
        raise ValueError(f"motion: no coordinates of robot '{robot.name}' are given that could move it{rest}")
    given = [
        None if part is None else rows_of(what, _stacked(part, names, what), len(times), names, robot)
        for what, part in (("driven", driven), ("qd", qd), ("qdd", qdd))
    ]
    q, speeds, rates = given
    assert q is not None
    if speeds is None and rates is not None:
        raise ValueError("motion: accelerations (qdd) are given without speeds (qd): give both, or none")
    done = completed(layout, times, q, speeds, rates, smooth, robot)
    for problem in done.problems:
        warn(problem)
    return times, names, (done.q, done.qd, done.qdd), done.errors, done.smoothing


def _stacked(given: Any, names: tuple[str, ...], what: str) -> Any:
    """Columns by name as rows."""
    if not isinstance(given, Mapping):
        return given
    if set(given) != set(names):
        raise ValueError(f"motion: '{what}' has {', '.join(given)}: expected {', '.join(names)}, as 'driven' has")
    columns = [np.asarray(given[name], dtype=float) for name in names]
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


def _of_motion(robot: ClosedQuantities, given: Motion) -> Any:
    """Times, names of drives, and their coordinates, speeds and accelerations."""
    names = moved_drives(_as_driven(robot))
    if given.robot is None:
        if given.q.shape[1] != len(names):
            raise ValueError(f"motion: the motion has {given.q.shape[1]} columns; robot '{robot.name}' has "
                             f"{len(names)} drives, {', '.join(names)}")
        places = list(range(len(names)))
    else:
        missing = [name for name in names if name not in given.dof_names]
        if missing:
            raise ValueError(f"motion: the motion of '{given.robot.name}' has no {', '.join(missing)}, drives of robot "
                             f"'{robot.name}'; it has {', '.join(given.dof_names)}")
        places = [given.dof_names.index(name) for name in names]
    coordinates = places if given.robot is None else [given.coordinate_names.index(name) for name in names]
    parts = given.q[:, coordinates], given.qd[:, places], given.qdd[:, places]
    return given.t, names, parts, (given.qd_error[places], given.qdd_error[places])
