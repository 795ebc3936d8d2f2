"""From an arm and a motion to the states of the reduced arm over time: poses, loads, panels, steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states import Batch, LoadCase
from loadpath.structure.response.closed_reduction import ClosedReduction, closed_reduction
from loadpath.structure.response.degenerate_modes import with_degenerate_modes
from loadpath.structure.response.march import Matrices, Steps, march, modes_of, step_matrices
from loadpath.structure.response.panels import Panel, panels_between, refined
from loadpath.structure.response.reduction import Reduced, ReducedModel, States, joined, reduced_at, refuse_sliding
from loadpath.structure.response.track import Track
from loadpath.structure.vibration.frequencies import ORDERS, converged, vibrating
from loadpath.structure.vibration.model import VibrationModel, model_size

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.response.damping import Rayleigh

POSES = 9
"""Poses of a motion, at most, whose modes the reduced arm has."""
APART = 0.35
"""rad (or m): travel from one of them to the next."""
STEPS_PER_PERIOD = 50
"""Of the lowest mode."""
BEYOND = 3.0
"""How many times faster than the modes of the poses a combination of them may be and still vibrate."""
PHASE = 3.0
"""rad: of the fastest vibration in a step of an arm that moves; with more, the steps' matrices change too quickly with
the pose to be interpolated."""
NO_MASS = 1e-9
"""Share of the largest mass of a combination below which one has none."""
BLOCK = 8192
"""Steps whose loads are held at a time."""
NODES_AT_ONCE = 128
"""Nodes whose step matrices are held at a time."""


@dataclass(frozen=True, eq=False)
class Course:
    """The reduced arm over time. Its instants are the begins of the steps of all panels, and the end of the last."""

    arm: Reduced
    track: Track
    panels: tuple[Panel, ...]
    """Of the motion; and where the arm rings on, one more."""
    motion_end: int
    """Number of the instant at which the motion ends."""
    times: Floats
    coordinates: Floats
    """(instants, size)."""
    rates: Floats
    forces: Floats
    """(instants, size): generalized, after a jump."""
    damping: Floats | Rayleigh
    """Of the modes."""
    loaded: bool

    @cached_property
    def first_instants(self) -> tuple[int, ...]:
        """For each panel the number of its first instant."""
        return tuple(np.concatenate([[0], np.cumsum([panel.steps for panel in self.panels])[:-1]]).tolist())


class Arm:
    """The matrices of a reduced arm at times of a track; after its end the arm stands in the last pose."""

    def __init__(self, arm: Reduced, track: Track, loaded: bool) -> None:
        self.reduced, self.track, self.loaded = arm, track, loaded
        self.end = float(track.t[-1])

    def states(self, times: Floats, *, before: bool = False) -> tuple[States, LoadCase]:
        """States and loads at times; before or after a jump."""
        q, qd, qdd = self.track.at(np.minimum(times, self.end), before=before)
        over = times >= self.end if not before else times > self.end
        if over.any():
            qd, qdd = np.where(over[:, None], 0.0, qd), np.where(over[:, None], 0.0, qdd)
        return (q, qd, qdd), self.track.loads_at(np.minimum(times, self.end))

    def matrices(self, times: Floats, *, coarse: bool = False) -> Matrices:
        """Mass, gyroscopic matrix and stiffness at times; coarse, without what the links' speeds bring."""
        states, case = self.states(times)
        return self.reduced.matrices(states, case, loaded=self.loaded, coarse=coarse)

    def frames(self, times: Floats) -> Floats:
        """(times, links, 6, size): displacement and rotation of the link frames per unit of each coordinate."""
        return self.reduced.frames_in(self.states(times)[0][0])

    def refuse_buckled(self, times: Floats, stiffness: Floats) -> None:
        """An error where the arm has no stiffness left at some time."""
        if not self.loaded:
            return
        least = np.linalg.eigvalsh(_symmetric(stiffness))[:, 0]
        k = int(least.argmin())
        if least[k] <= 0:
            raise past_buckling(self.reduced.arm, float(times[k]), 1 / (1 - float(least[k])))

    def forces(self, times: Floats, *, before: bool = False) -> Floats:
        """Generalized forces (times, size)."""
        result = np.empty((len(times), self.reduced.size))
        for first in range(0, len(times), BLOCK):
            rows = slice(first, first + BLOCK)
            states, case = self.states(times[rows], before=before)
            result[rows] = self.reduced.forces(states, case)
        return result


def reduced_arm(
    arm: ElasticQuantities, track: Track, effects: tuple[str, ...], modes: int, tolerance: float, loaded: bool
) -> tuple[Reduced, Floats]:
    """The arm reduced to the lowest modes of poses of a motion; and their frequencies (poses, modes), Hz."""
    refuse_sliding(arm, track)
    times = _instants_of_poses(track)
    states = dict(zip(("q", "qd", "qdd"), track.at(times), strict=True))
    case = track.loads_at(times)
    poses = Batch(states, case, "respond")
    modes = min(modes, model_size(arm, effects, ORDERS[-1])) or modes
    ends = Batch({name: part[[0, -1]] for name, part in states.items()}, case.of_states(np.array([0, -1]), times.shape))
    model, count, _ = converged(arm, effects, ORDERS, ends, modes, tolerance, loaded)
    count = with_degenerate_modes(model, poses, count, loaded)
    found = list(vibrating(model, poses, count, loaded))
    for part in found:
        if len(part.buckled):
            raise past_buckling(arm, float(times[part.buckled[0]]), float(part.factors[0]))
    values, vectors = (np.concatenate([getattr(part, name) for part in found]) for name in ("values", "vectors"))
    moving = values > 1e-14 * values[:, :1]
    if not moving.all():
        count = int(moving.all(axis=0).sum())
        if not count:
            raise ModelError(f"robot '{arm.name}': nothing that has mass vibrates: its elastic parts carry none")
        values, vectors = values[:, :count], vectors[:, :count]
    return with_mass(model, joined(vectors), states["q"], float(values.min())), 1 / (2 * np.pi * np.sqrt(values))


def with_mass(model: VibrationModel, basis: Floats, poses: Floats, least: float) -> Reduced:
    """The model in the combinations of a basis that vibrate in these poses not much faster than the modes do, the least
    of which has this mass (1 / w^2, the stiffness being one); the others follow their loads.
    """
    found = _reduced(model, basis, poses[:1])
    masses, turn = np.linalg.eigh(found.masses(poses).mean(axis=0))
    kept = masses > max(least / BEYOND**2, NO_MASS * float(masses[-1]))
    found = found if kept.all() else _reduced(model, basis @ turn[:, kept], poses[:1])
    # Combinations of the modes of several poses may have next to no mass in another.
    each = np.linalg.eigvalsh(found.masses(poses))
    return replace(found, least_mass=least / BEYOND**2) if each.min() < 0.99 * least else found


def _reduced(model: VibrationModel, basis: Floats, pose: Floats) -> ReducedModel | ClosedReduction:
    return reduced_at(model, basis, pose) if model.closing is None else closed_reduction(model, basis, pose)


def past_buckling(arm: RobotModel, time: float, factor: float) -> ModelError:
    """The error of an arm that gives way."""
    return ModelError(
        f"robot '{arm.name}': at {time:.4g} s of the motion its load is past buckling (factor {factor:.3g} on the "
        "present load): it does not vibrate but gives way; see buckling(q, qd, qdd), or take loaded=False"
    )


def _instants_of_poses(track: Track) -> Floats:
    travel = travel_of(track)
    if travel[-1] <= 1e-12:
        return track.t[:1]
    count = min(POSES, 2 + math.ceil(float(travel[-1]) / APART))
    at = np.interp(np.linspace(0, travel[-1], count), travel, track.t)
    at[0], at[-1] = track.t[0], track.t[-1]
    return at


def travel_of(track: Track) -> Floats:
    """(samples,): how far all joints together have gone, rad or m."""
    speed = np.abs(track.qd).sum(axis=1)
    steps = 0.5 * (speed[1:] + speed[:-1]) * np.diff(track.t)
    jumps = np.abs(np.diff(track.q, axis=0)).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(np.maximum(steps, jumps))])


def integrate(
    reduced: Reduced,
    track: Track,
    of_modes: Floats | Rayleigh,
    *,
    loaded: bool,
    step: float,
    after: float,
    settled: bool,
) -> Course:
    """The states of the reduced arm over a motion, and over `after` seconds in its last pose. It starts at rest in the
    equilibrium of the first pose, without acceleration, or with `settled` in that with the first acceleration.
    """
    arm = Arm(reduced, track, loaded)
    first = arm.matrices(track.t[:1])
    scale = float(modes_of(first.mass, _symmetric(first.stiffness))[0][0].max())
    if reduced.least_mass > 0:
        scale = max(scale, 1 / math.sqrt(reduced.least_mass))
    still = not np.any(track.qd) and not any(track.case.shapes.values())
    panels = _panels(arm, step if still else min(step, PHASE / scale))
    motion_end = sum(panel.steps for panel in panels)
    if after > 0:
        panels.append(Panel(arm.end, arm.end + after, max(1, math.ceil(after / step)), False))
    count = sum(panel.steps for panel in panels) + 1
    size = reduced.size
    times, states, forces = np.empty(count), np.empty((count, 2 * size)), np.empty((count, size))
    start = track.at(track.t[:1])
    begin = start if settled else track.steady(start)
    z = np.zeros(2 * size)
    z[:size] = np.linalg.solve(first.stiffness[0], reduced.forces(begin, track.loads_at(track.t[:1]))[0])
    at = 0
    for group in _groups(panels):
        nodes = np.concatenate([panel.nodes for panel in group])
        matrices = arm.matrices(nodes)
        arm.refuse_buckled(nodes, matrices.stiffness)
        lengths = np.concatenate([np.full(len(panel.nodes), panel.step) for panel in group])
        made = step_matrices(matrices, matrices.damping(of_modes), lengths, scale)
        instants = np.concatenate([panel.instants for panel in group])
        rows = slice(at, at + len(instants))
        times[rows], forces[rows] = instants, arm.forces(instants)
        middles = arm.forces(np.concatenate([panel.instants + 0.5 * panel.step for panel in group]))
        lasts = arm.forces(np.array([panel.end for panel in group]), before=True)
        used, done = 0, 0
        for panel, last in zip(group, lasts, strict=True):
            own = Steps(*(part[used : used + len(panel.nodes)] for part in made))
            begins = forces[at : at + panel.steps]
            ends = np.concatenate([begins[1:], last[None]])
            course = march(panel, own, (begins, middles[done : done + panel.steps], ends), z)
            states[at : at + panel.steps + 1] = course
            z = course[-1]
            used, done, at = used + len(panel.nodes), done + panel.steps, at + panel.steps
    times[-1] = panels[-1].end
    forces[-1] = arm.forces(times[-1:])[0]
    return Course(reduced, track, tuple(panels), motion_end, times, states[:, :size], scale * states[:, size:],
                  forces, of_modes, loaded)


def _symmetric(matrix: Floats) -> Floats:
    return 0.5 * (matrix + np.swapaxes(matrix, -1, -2))


def _panels(arm: Arm, step: float) -> list[Panel]:
    track = arm.track
    travel = travel_of(track)
    varying = any(track.case.shapes.values())  # loads of their own at every sample
    marks = [float(track.t[0]), *track.t[track.jumps].tolist(), arm.end]
    panels: list[Panel] = []
    for a, b in pairwise(marks):
        even = _even(track, a, b, step)
        panels += panels_between(a, b, even, lambda times: np.interp(times, track.t, travel), varying=varying)

    def matrices(times: Floats) -> Floats:
        found, frames = arm.matrices(times, coarse=True), arm.frames(times)
        size = np.abs(frames).max()
        parts = [found.mass / np.abs(found.mass).max(), found.stiffness]
        if size > 0:  # zero where no frame moves with a beam
            parts.append(frames / size)
        return np.concatenate([part.reshape(len(times), -1) for part in parts], axis=-1)

    return refined(panels, matrices)


def _even(track: Track, begin: float, end: float, step: float) -> float:
    """A step, at most the one wanted, that meets the samples where these are even."""
    inside = track.t[(track.t >= begin) & (track.t <= end)]
    gaps = np.diff(inside)
    if not len(gaps):
        return step
    least = float(gaps.min())
    if float(gaps.max()) - least > 1e-6 * least:
        return min(step, float(np.quantile(gaps, 0.9)))
    return least / max(1, math.ceil(least / step - 1e-9))


def _groups(panels: list[Panel]) -> list[list[Panel]]:
    """Panels in groups whose step matrices are held together."""
    groups: list[list[Panel]] = [[]]
    count = 0
    for panel in panels:
        nodes = len(panel.nodes)
        if groups[-1] and count + nodes > NODES_AT_ONCE:
            groups.append([])
            count = 0
        groups[-1].append(panel)
        count += nodes
    return groups
