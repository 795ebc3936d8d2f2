"""`arm.frequency_response(q, from_, to)`: how far a link moves per unit of a shaking force, torque or acceleration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Never, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.plotting import COLORS, label
from loadpath.printable import printable
from loadpath.quantities.wrench import Wrench
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import Batch, LoadCase, StatesLike, read_states, refuse_keywords, state_array
from loadpath.structure.checks import check_guide_range, check_wrench_points, chosen_effects, whole_number
from loadpath.structure.quantities import at_once
from loadpath.structure.response.damping import RATIO, DampingLike, joint_damping, ratios_of, read_damping
from loadpath.structure.response.degenerate_modes import with_degenerate_modes
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.march import Matrices, modes_of
from loadpath.structure.vibration.frequencies import ORDERS, converged, refuse_open_loops, vibrating
from loadpath.structure.vibration.model import VibrationModel, model_size

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.quantities import ElasticQuantities


MODES = 12
"""That vibrate, unless given: more where the frequencies reach higher."""
POINTS = 600
"""Frequencies, unless given."""
MARGIN = 1.5
"""Highest mode over the highest frequency."""
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")

Place: TypeAlias = "str | tuple[str, str | ArrayLike]"
"""A link, a joint, or a link with a direction: "x" to "z", "rx" to "rz" for rotations, or a vector (3,) or (6,)."""


class ResponsePeak(NamedTuple):
    """A resonance."""

    frequency: float
    """Hz."""
    magnitude: float


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """Displacement (m) and rotation (rad) of a link per unit of what shakes the arm, as complex amplitudes over the
    frequency: `response` (frequencies, 6, 6), without the axis of a side whose direction was given.
    """

    frequencies: Floats
    """(frequencies,), Hz."""
    response: NDArray[np.complex128]
    static: Floats
    """The same at the frequency zero."""
    natural: Floats
    """(modes,), Hz: of the modes that vibrate; all higher ones follow the load without delay."""
    ratios: Floats
    """(modes,): their damping ratios, without dampers of joints."""
    of: str
    """What moves, by what."""

    @property
    def magnitude(self) -> Floats:
        """Size of the response."""
        return np.abs(self.response)

    @property
    def phase(self) -> Floats:
        """rad, negative where the displacement lags."""
        return np.angle(self.response)

    @property
    def mobility(self) -> NDArray[np.complex128]:
        """Velocity in place of displacement."""
        return self._rates(1)

    @property
    def accelerance(self) -> NDArray[np.complex128]:
        """Acceleration in place of displacement."""
        return self._rates(2)

    def _rates(self, order: int) -> NDArray[np.complex128]:
        factor = (2j * math.pi * self.frequencies) ** order
        result: NDArray[np.complex128] = self.response * factor.reshape(-1, *(1,) * (self.response.ndim - 1))
        return result

    @property
    def peaks(self) -> list[ResponsePeak]:
        """Resonances of a response with one direction on each side, largest first."""
        self._need_one("peaks")
        size = self.magnitude
        at = np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] >= size[2:])) + 1
        found = [ResponsePeak(float(self.frequencies[k]), float(size[k])) for k in at]
        return sorted(found, key=lambda peak: -peak.magnitude)

    def plot(self) -> Figure:
        """A Plotly figure of a response with one direction on each side: size and phase over the frequency."""
        self._need_one("plot")
        from plotly.subplots import make_subplots

        figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.7, 0.3], vertical_spacing=0.06)
        line = {"color": COLORS[0]}
        figure.add_scatter(
            x=self.frequencies, y=self.magnitude, mode="lines", line=line, showlegend=False, row=1, col=1
        )
        figure.add_scatter(x=self.frequencies, y=np.degrees(self.phase), mode="lines", line=line, showlegend=False,
                           row=2, col=1)
        figure.update_xaxes(type="log")
        figure.update_yaxes(type="log", title="size", row=1, col=1)
        figure.update_yaxes(title="phase (°)", row=2, col=1)
        figure.update_xaxes(title="frequency (Hz)", row=2, col=1)
        figure.update_layout(title=label(self.of), template="plotly_white")
        return figure

    def _need_one(self, what: str) -> None:
        if self.response.ndim != 1:
            raise ValueError(f"{what} is of a response with one direction on each side: frequency_response(q, "
                             "('link', 'z'), ('link', 'z'))")

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        span = f"{self.frequencies[0]:.4g} to {self.frequencies[-1]:.4g} Hz"
        text = f"<{self.of}: {len(self.frequencies)} frequencies from {span}"
        if self.response.ndim == 1 and self.peaks:
            top = self.peaks[0]
            text += f", largest at {top.frequency:.4g} Hz"
            if self.static:
                text += f", {top.magnitude / abs(float(self.static)):.3g} times the static one"
        return printable(text + ">")


def frequency_response(
    arm: ElasticQuantities,
    q: StatesLike,
    from_: Place | None = None,
    to: Place | None = None,
    frequencies: ArrayLike | None = None,
    *,
    damping: DampingLike = RATIO,
    modes: int | None = None,
    loaded: bool = True,
    external: Mapping[str, Wrench] | None = None,
    effects: Names = None,
    tolerance: float = 1e-4,
    **others: Never,
) -> FrequencyResponse:
    """How far a link moves (m, rad) per unit of a harmonic load, in one pose, joints held.

    - `from_`: where it is shaken. A link, by a force (N) and torque (N m) on its frame in world axes; with a direction,
      `("tip", "z")`, by that component ("rx" to "rz" for torques) or along a vector. The base link, by its acceleration
      (m/s^2, rad/s^2). A joint, by the acceleration of its drive (rad/s^2, m/s^2).
    - `to`: the link that moves, all six components or, with a direction, one; the same place as `from_` unless given,
      or the arm's only end. For accelerations it is the displacement against the rigid arm.
    - `frequencies` (Hz): 600 from below the lowest mode on, unless given.
    - `modes` that vibrate: enough for the frequencies unless given; all higher ones answer as to a slow load, so that
      the response at zero is the arm's compliance. `damping`, `loaded`, `effects` as in `respond`; loads are those at
      rest in the pose, and `external`.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> h = arm.frequency_response([0.0], ("tip", "z"), damping=0.01, loaded=False)
    >>> bool(abs(h.static / arm.compliance([0.0])[2, 2] - 1) < 1e-9)
    True
    >>> round(h.peaks[0].frequency, 1), round(h.peaks[0].magnitude / float(h.static), 1)    # some 1 / 2 zeta
    (14.5, 48.5)
    """
    refuse_keywords("frequency_response", others, "it is of a base at rest; from_=base_link shakes the base")
    pose = state_array(read_states(arm, q, caller="frequency_response", at_rest=True).q, "q", arm.nq,
                       "frequency_response")
    if pose.ndim != 1 or not np.isfinite(pose).all():
        without = "" if np.isfinite(pose).all() else ", with values that are not numbers"
        raise ValueError(f"frequency_response is of one pose: q has the shape {pose.shape}{without}")
    ratios, chosen = read_damping(damping, "frequency_response"), chosen_effects(effects)
    given = None if frequencies is None else _frequencies(frequencies)
    count = MODES if modes is None else whole_number(modes, "'modes'")
    case, still = LoadCase(external), np.zeros((1, arm.n))
    check_wrench_points(arm, case.external)
    check_guide_range(arm, pose)
    refuse_open_loops(arm, pose)
    batch = Batch({"q": pose[None], "qd": still, "qdd": still}, case, "frequency_response")
    model, basis = _modes(arm, chosen, batch, count, tolerance, given, modes is not None, loaded)
    source, loads, source_axes = _source(model, pose, from_, to)
    target, shape, target_axes = _target(model, pose, to if to is not None else from_, from_)
    at, K = model.at(pose[None]), np.eye(model.size)[None]
    if loaded:
        K = K + at.loaded((pose[None], still, still), case)[0]
    whole = shape @ np.linalg.solve(K[0], loads)
    M, K = basis.T @ at.matrices()[0] @ basis, basis.T @ K @ basis
    D = Matrices(M, np.zeros_like(M), K, basis.T @ joint_damping(model) @ basis).damping(ratios)
    omega = modes_of(M, K)[0][0]
    hertz = given if given is not None else _spaced(omega / (2 * math.pi))
    inner, brought = shape @ basis, basis.T @ loads
    beyond = whole - inner @ np.linalg.solve(K[0], brought)  # of the modes that follow without delay
    response = np.empty((len(hertz), *beyond.shape), dtype=complex)
    for first in range(0, len(hertz), 1024):
        w = (2 * math.pi * hertz[first : first + 1024])[:, None, None]
        dynamic = K + 1j * w * D - w**2 * M
        response[first : first + 1024] = beyond + inner @ np.linalg.solve(dynamic, brought[None].astype(complex))
    pick = (0 if len(target_axes) == 1 else slice(None), 0 if len(source_axes) == 1 else slice(None))
    return FrequencyResponse(hertz, response[:, pick[0], pick[1]], np.asarray(whole[pick]), omega / (2 * math.pi),
                             np.asarray(ratios_of(ratios, omega)), f"{target} by {source}")


def _frequencies(given: ArrayLike) -> Floats:
    values = np.atleast_1d(np.asarray(given, dtype=float))
    if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("frequency_response: frequencies are expected in Hz, finite and not negative, (frequencies,)")
    return values


def _spaced(natural: Floats) -> Floats:
    """From a tenth of the lowest mode to beyond the sixth, with the natural frequencies among them."""
    top = MARGIN * float(natural[min(5, len(natural) - 1)])
    spread = np.geomspace(0.1 * float(natural[0]), top, POINTS)
    return np.unique(np.concatenate([spread, natural[natural <= top]]))


def _modes(
    arm: ElasticQuantities,
    effects: tuple[str, ...],
    batch: Batch,
    count: int,
    tolerance: float,
    hertz: Floats | None,
    fixed: bool,
    loaded: bool,
) -> tuple[VibrationModel, Floats]:
    """A model, and enough of its modes, as orthonormal columns."""
    most = model_size(arm, effects, ORDERS[-1])
    while True:
        model, wanted, _ = converged(arm, effects, ORDERS, batch, min(count, most) or None, tolerance, loaded)
        wanted = with_degenerate_modes(model, batch, min(wanted, model.size), loaded)
        (found,) = vibrating(model, batch, wanted, loaded)
        if len(found.buckled):
            raise ModelError(f"robot '{arm.name}': in this pose its load is past buckling (factor "
                             f"{found.factors[0]:.3g} on the present load): it does not vibrate but gives way; see "
                             "buckling(q), or take loaded=False")
        values, vectors = found.values, found.vectors
        moving = values[0] > 1e-14 * values[0, 0]
        omega = 1 / np.sqrt(values[0][moving])
        if fixed or hertz is None or not moving.all() or count >= most:
            break
        if omega[-1] >= MARGIN * 2 * math.pi * float(hertz.max()):
            break
        count *= 2
    return model, np.linalg.qr(vectors[0][moving].T)[0]


def _shape(model: VibrationModel, pose: Floats, link: str) -> Floats:
    """(6, size): displacement and rotation of a link's frame per unit of each coordinate."""
    moved, turned = model.at(pose[None]).frame_motions(np.eye(model.size)[None])
    k = model.arm.link_names.index(link)
    return np.concatenate([moved[0, :, k].T, turned[0, :, k].T])


def _split(place: Place) -> tuple[str, object]:
    if isinstance(place, str):
        return place, None
    if not isinstance(place, Sequence) or len(place) != 2 or not isinstance(place[0], str):
        raise ValueError(f"frequency_response: {place!r}: expected the name of a link or a joint, or a link and a "
                         "direction, ('tip', 'z')")
    return place[0], place[1]


def _directions(given: object, name: str) -> tuple[Floats, tuple[str, ...]]:
    """Rows (n, 6) of the directions wanted, and names for them."""
    if given is None:
        return np.eye(6), COMPONENTS
    if isinstance(given, str):
        if given not in COMPONENTS:
            raise ValueError(f"frequency_response: direction of '{name}' is {given!r}: expected one of "
                             f"{', '.join(COMPONENTS)}, or a vector")
        return np.eye(6)[[COMPONENTS.index(given)]], (given,)
    vector = np.asarray(given, dtype=float)
    if vector.shape not in ((3,), (6,)) or not np.isfinite(vector).all() or not vector.any():
        raise ValueError(f"frequency_response: direction of '{name}' is {given!r}: expected one of "
                         f"{', '.join(COMPONENTS)}, or a vector of 3 or 6 numbers")
    vector = vector / np.linalg.norm(vector)
    return np.concatenate([vector, np.zeros(6 - len(vector))])[None], ("along a vector",)


def _target(
    model: VibrationModel, pose: Floats, to: Place | None, from_: Place | None
) -> tuple[str, Floats, tuple[str, ...]]:
    name, direction = (None, None) if to is None else _split(to)
    if to is from_ and name is not None and (name not in model.arm.link_names or name == model.arm.base.name):
        name, direction = None, None  # an acceleration moves the arm's end
    link = link_or_only_end(model.arm, name)
    rows, names = _directions(direction, link)
    return f"'{link}' {names[0] if len(names) == 1 else ''}".strip(), rows @ _shape(model, pose, link), names


def _source(
    model: VibrationModel, pose: Floats, from_: Place | None, to: Place | None
) -> tuple[str, Floats, tuple[str, ...]]:
    """Words, and generalized forces (size, n) of a unit of each of n loads."""
    arm = model.arm
    name, direction = (None, None) if from_ is None else _split(from_)
    if name is not None and name not in arm.link_names:
        return _accelerated_joint(model, pose, name, direction)
    if name == arm.base.name:
        rows, names = _directions(direction, name)
        unit = rows
        zero = np.zeros((len(unit), arm.n))
        loads = _inertial(model, np.broadcast_to(pose, (len(unit), arm.nq)), zero, unit)
        return f"acceleration of the base '{name}' {names[0] if len(names) == 1 else ''}".strip(), loads, names
    link = link_or_only_end(arm, name)
    rows, names = _directions(direction, link)
    return (
        f"a load on '{link}' {names[0] if len(names) == 1 else ''}".strip(),
        (rows @ _shape(model, pose, link)).T,
        names,
    )


def _accelerated_joint(
    model: VibrationModel, pose: Floats, name: str, direction: object
) -> tuple[str, Floats, tuple[str, ...]]:
    arm = model.arm
    if name not in arm.dof_names:
        raise ValueError(f"frequency_response: there is no link or joint '{name}' that can be shaken; links are "
                         f"{', '.join(arm.link_names)}, speeds {', '.join(arm.dof_names)}")
    if direction is not None:
        raise ValueError(f"frequency_response: joint '{name}' is shaken by its own acceleration: leave out the "
                         f"direction {direction!r}")
    unit = np.eye(arm.n)[[arm.dof_names.index(name)]]
    if arm.held_by_loops:
        if name not in arm.independent:
            raise ValueError(f"frequency_response: joint '{name}' follows from the loops: shake one of "
                             f"{', '.join(arm.independent)}")
        unit = at_once(arm.complement, pose)[:, [arm.independent.index(name)]].T  # type: ignore[attr-defined]
    return f"acceleration of joint '{name}'", _inertial(model, pose[None], unit, None), (name,)


def _inertial(model: VibrationModel, q: Floats, qdd: Floats, base: Floats | None) -> Floats:
    """(size, n): generalized forces of unit accelerations, without gravity."""
    at, still = model.at(q), np.zeros_like(qdd)
    moved = LoadCase(base_acceleration=base)
    (rows, exerted), (resting, by_gravity) = (at.dead_loads((q, still, accelerations), case) for accelerations, case in
                                              ((qdd, moved), (still, LoadCase())))
    by_motion = None if exerted is None or by_gravity is None else exerted - by_gravity
    return generalized_forces(at, rows - resting, by_motion).T
