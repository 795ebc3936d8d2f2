"""`arm.frequency_map(...)`: the lowest natural frequency over a workspace, as numbers and as a picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.printable import printable
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.arrays import array_of
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import Bools, Floats
from loadpath.states import count_words, is_motion, state_array, warn_of_unknown
from loadpath.structure.arm_lines import map_figure
from loadpath.structure.checks import chosen_effects
from loadpath.structure.vibration.frequencies import ORDERS, converged, frequencies_alone, vibrating_states

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.quantities import ElasticQuantities

SAMPLES = 1000
"""Poses taken at random where no joints are named."""
ROWS = 31
"""Values of each named joint."""


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyMap:
    """The lowest natural frequency (Hz) in many poses."""

    frequencies: Floats
    """(a, b) over the values of two coordinates, (a,) over those of one, (samples,) over poses."""
    q: Floats
    """The poses, (..., nq)."""
    axes: tuple[tuple[str, Floats], ...]
    """Names of the coordinates that change and their values; none for a cloud of poses."""
    units: tuple[str, ...]
    """rad or m, for each of them."""
    tip: str
    tip_positions: Floats
    """(..., 3): where the link `tip` is, world axes, m."""
    past_buckling: Bools
    """The poses whose loads are past buckling: NaN there."""

    @property
    def unknown(self) -> Bools:
        """The poses whose frequency is not known: those that are not numbers, or past buckling."""
        result: Bools = np.isnan(self.frequencies)
        return result

    @property
    def left_out(self) -> str:
        """How many poses have no frequency, and why, in words; empty where all have."""
        past = int(self.past_buckling.sum())
        words = [count_words(self.unknown & ~self.past_buckling), f"{past} past buckling" if past else ""]
        return "; ".join(word for word in words if word)

    @property
    def lowest(self) -> float:
        """Hz; NaN where no pose is a number."""
        return float(np.nan) if self.unknown.all() else float(np.nanmin(self.frequencies))

    @property
    def highest(self) -> float:
        """Hz, of the lowest frequencies in all poses; NaN where no pose is a number."""
        return float(np.nan) if self.unknown.all() else float(np.nanmax(self.frequencies))

    @property
    def worst_q(self) -> Floats:
        """The pose with the lowest frequency."""
        if self.unknown.all():
            raise ValueError("there is no pose with the lowest frequency: only poses that are not numbers")
        at = np.unravel_index(int(np.nanargmin(self.frequencies)), self.frequencies.shape)
        return np.asarray(self.q[at])

    def plot(self) -> Figure:
        """A Plotly figure: a heat map over two coordinates, a line over one, points at the tip's places else."""
        return map_figure(self)

    def __repr__(self) -> str:
        over = " and ".join(printable(name) for name, _ in self.axes) or "poses"
        span, missing = f"{self.lowest:.4g} to {self.highest:.4g} Hz", self.left_out
        also = f"; {missing}" if missing else ""
        return f"<lowest natural frequency over {over}: {self.frequencies.size} poses, {span}{also}>"


@takes_loads
def frequency_map(
    arm: ElasticQuantities,
    ranges: Mapping[str, ArrayLike] | None = None,
    *,
    q: ArrayLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    link: str | None = None,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = 1e-4,
    progress: Callable[[float], object] | None = None,
    **acting: Unpack[LoadKeywords],
) -> FrequencyMap:
    """The lowest natural frequency over the workspace.

    `ranges` names one or two coordinates (see `robot.dof_names`) with their values, each an array, a pair (from, to) of
    31 even steps, or a triple (from, to, number); `q` (nq,) is the pose of all others, the neutral one unless given.
    Without `ranges`, `q` (samples, nq) are the poses; without either they are `samples` random ones within the limits
    (a turn where there are none). `link` is the link whose place is reported, the only end unless named. `progress`
    is called with the share that is done. The other joints of a robot with loops follow (`assemble`, near `q` or
    `robot.home`); poses that cannot be closed are left out, and those given as they are must be closed.

    The arm is at rest under gravity, `external` wrenches and the motion of the base, as in `natural_frequencies`;
    `loaded=False` leaves all of them out. Poses past buckling are NaN, with a `ModelWarning`.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.03, 0.002), lp.ALUMINIUM, end="joint2")
    >>> arm = lp.catalog.planar(2).with_beams({"link1": tube})
    >>> chart = arm.frequency_map({"joint2": (0.0, 3.0, 7)})
    >>> bool(chart.frequencies[0] == chart.lowest)                                  # stretched out it is softest
    True
    """
    if is_motion(ranges):
        raise ValueError("frequency_map is of a workspace: for a motion there is bandwidth_check(motion), and "
                         "frequency_map(q=motion.q) for its poses")
    tip, chosen = link_or_only_end(arm, link), chosen_effects(effects)
    poses, axes = _poses(arm, ranges, q, samples, seed)
    batch = vibrating_states(arm, poses, None, None, acting["under"], loaded, "frequency_map")
    model, _, _ = converged(arm, chosen, ORDERS, batch, 1, tolerance, loaded)
    lowest, past = frequencies_alone(model, batch, 1, loaded, progress=progress)
    places = np.asarray(arm.link_poses(poses))[..., arm.link_names.index(tip), :3, 3]
    units = tuple("rad" if _coordinates(arm)[name][1] else "m" for name, _ in axes)
    shape = batch.shape
    chart = FrequencyMap(lowest[:, 0].reshape(shape), poses, axes, units, tip, places, past.reshape(shape))
    warn_of_unknown(chart.unknown & ~chart.past_buckling, "frequency_map", "left out: see its unknown")
    return chart


def _poses(
    arm: ElasticQuantities, ranges: Mapping[str, ArrayLike] | None, q: ArrayLike | None, samples: int, seed: int
) -> tuple[Floats, tuple[tuple[str, Floats], ...]]:
    resting = arm.home if arm.held_by_loops else arm.neutral()
    plain = resting if q is None else array_of(q, arm.coordinate_names, "frequency_map: 'q'")
    given = state_array(plain, "q", arm.nq, "frequency_map")
    if not ranges:
        if q is not None:
            return given, ()
        poses = random_poses(arm, samples, seed)
        chosen = {name: poses[:, at] for name, (at, _) in _coordinates(arm).items() if name in arm.driven}
        return _closed(arm, poses, chosen, given), ()
    if not isinstance(ranges, Mapping) or len(ranges) > 2:
        raise ValueError(f"frequency_map: ranges are {ranges!r}: expected a dict of one or two coordinates")
    if given.ndim != 1:
        raise ValueError(f"frequency_map: q has the shape {given.shape}: with ranges it is one pose, ({arm.nq},)")
    columns = {name: _column(arm, name) for name in ranges}
    axes = tuple((name, _values(name, values)) for name, values in ranges.items())
    grids = np.meshgrid(*(values for _, values in axes), indexing="ij")
    poses = np.broadcast_to(given, (*grids[0].shape, arm.nq)).copy()
    for (name, _), grid in zip(axes, grids, strict=True):
        poses[..., columns[name]] = grid
    return _closed(arm, poses, {name: poses[..., at] for name, at in columns.items()}, given), axes


def _closed(arm: ElasticQuantities, poses: Floats, chosen: dict[str, Floats], near: Floats) -> Floats:
    """The poses of a tree as they are; of a robot with loops those that close it, NaN where there are none."""
    if not arm.held_by_loops:
        return poses
    found = arm.assemble(chosen, near=near, path=False, strict=False)  # type: ignore[attr-defined]
    return np.where(found.reached[..., None], found.q, np.nan)


def _coordinates(arm: RobotModel) -> dict[str, tuple[int, bool]]:
    """Coordinates by the names of their speeds: number in q, and whether it is an angle; none of quaternions."""
    found: dict[str, tuple[int, bool]] = {}
    for joint in arm.joints:
        place = arm.q_slices.get(joint.name)
        if joint.mimic is not None or place is None or joint.motion.coordinates != joint.motion.dof:
            continue
        speeds = arm.v_slices[joint.name]
        for k, angular in enumerate(joint.motion.angular):
            found[arm.dof_names[speeds.start + k]] = place.start + k, angular
    return found


def _column(arm: RobotModel, name: str) -> int:
    found = _coordinates(arm)
    if name not in found:
        raise ValueError(f"frequency_map: '{name}' is no coordinate that has a range; there are {', '.join(found)}")
    return found[name][0]


def _values(name: str, given: ArrayLike) -> Floats:
    values = np.asarray(given, dtype=float)
    if isinstance(given, tuple) and values.shape in ((2,), (3,)):
        count = ROWS if len(values) == 2 else int(values[2])
        if count < 2:
            raise ValueError(f"frequency_map: range of '{name}' has {count} values: expected two or more")
        values = np.linspace(values[0], values[1], count)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ValueError(f"frequency_map: range of '{name}' is {given!r}: expected (from, to), (from, to, number) or "
                         "an array of values")
    return values


def random_poses(arm: RobotModel, samples: int, seed: int) -> Floats:
    """Poses within the limits, evenly; within a full turn, or a metre to both sides, where there are none."""
    if samples < 1:
        raise ValueError(f"frequency_map: samples is {samples}: expected 1 or more")
    rng = np.random.default_rng(seed)
    q = np.tile(arm.neutral(), (samples, 1))
    for joint in arm.joints:
        place = arm.q_slices.get(joint.name)
        if joint.mimic is not None or place is None:
            continue
        if joint.motion.coordinates != joint.motion.dof:
            turn = rng.normal(size=(samples, 4))
            q[:, place.stop - 4 : place.stop] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
            continue
        for k, (limit, angular) in enumerate(zip(joint.limits, joint.motion.angular, strict=True)):
            widest = math.pi if angular else 1.0
            low = limit.lower if math.isfinite(limit.lower) else -widest
            high = limit.upper if math.isfinite(limit.upper) else max(widest, low)
            q[:, place.start + k] = rng.uniform(min(low, high), high, samples)
    return q
