"""`rover.ride_modes`: how base and robots vibrate on their tyres and suspensions, with the hubs of the wheels.

The freedoms are those of the network of springs (`loadpath.mobile.springs`): heave, roll and pitch (z, a, b) of the
base with its robots, whose joints are held, and the deflections s of the suspensions. A hub of mass m rises by
w_i + s_i, so that the kinetic energy is that of the whole rover moving as one, T(u'), and the sum of m w_i' s_i' +
m s_i'^2 / 2.
The stiffness is that of the springs where they stand, wheels in the air and stops among it, less what the weight takes
from roll and pitch, m g h. In the plane the contacts stick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
import scipy  # its parts are imported where they are first used
from numpy.typing import NDArray

from loadpath import html
from loadpath.errors import ModelError, warn
from loadpath.mobile.equations import kernel
from loadpath.mobile.motions import BaseState, arm_states, refuse_unknown
from loadpath.mobile.springs import Springs
from loadpath.mobile.state import state_at
from loadpath.mobile.tyres import hub_gravity, settled
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import StatesLike, warn_of_unknown

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_FEW = 256
"""States up to which no code is compiled."""


@dataclass(frozen=True, eq=False)
class RideModes:
    """Vibrations of a rover on its springs, for every state, the slowest first.

    - `frequencies` (..., modes): undamped natural frequencies (Hz); NaN where there is no such vibration: the base
      falls over by itself, tips over, or another state has a mode more.
    - `damping_ratios` (..., modes): share of the critical damping in each mode by itself, phi^T C phi / (2 omega) with
      the undamped shape; None where some damping is not known. Modes that dampers couple strongly are in `eigenvalues`.
    - `shapes` (..., modes, 3 + contacts): heave of the base frame's origin, roll, pitch, and how far each hub rises
      (m, rad), the largest 1 where the rover's size weighs rotations; hubs without suspension move with the base.
    - `names` (..., modes): what moves most, by its kinetic energy: "heave", "roll", "pitch" or "hop" (of the hubs).
    - `eigenvalues` (..., roots): of the damped rover (1/s), exactly: -zeta omega +- i omega sqrt(1 - zeta^2) each, in
      the order of their sizes; padded with NaN. None as `damping_ratios`.
    """

    frequencies: Floats
    damping_ratios: Floats | None
    shapes: Floats
    names: NDArray[np.str_]
    eigenvalues: NDArray[np.complex128] | None
    contact_names: tuple[str, ...]

    @property
    def unknown(self) -> Bools:
        """(...): states without any vibration: they are no numbers, or the base tips over."""
        return np.asarray(np.isnan(self.frequencies).all(axis=-1))

    def frequency(self, name: str) -> Floats:
        """(...): the lowest frequency of a name (Hz), NaN where there is none.

        >>> import loadpath as lp
        >>> wheels = [lp.FixedWheel((x, y), 0.1, stiffness=1e5) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
        >>> cart = lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=wheels).carrying()
        >>> float(cart.ride_modes().frequency("heave").round(6))                                   # sqrt(4 k / m)
        15.915494
        """
        known = {"heave", "roll", "pitch", "hop"}
        if name not in known:
            raise ValueError(f"no mode is called {name!r}: there are {', '.join(sorted(known))}")
        own = np.where(self.names == name, self.frequencies, np.inf).min(axis=-1)
        result: Floats = np.where(np.isinf(own), np.nan, own)
        return result

    def _repr_html_(self) -> str:
        count = self.frequencies.shape[-1]
        flat = self.frequencies.reshape(-1, count)
        names = self.names.reshape(-1, count)
        rows = [[", ".join(sorted(set(names[:, k]) - {""})), html.ranged(flat[:, k])] for k in range(count)]
        return html.table("Vibrations on springs", ["mode", "frequency (Hz)"], rows)


class _Modes(NamedTuple):
    frequencies: Floats
    ratios: Floats
    shapes: Floats
    names: list[str]
    eigenvalues: NDArray[np.complex128]


def ride_modes(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    loaded: bool = True,
    **motion: Unpack[BaseState],
) -> RideModes:
    """Natural frequencies, damping ratios and shapes of base and robots on their tyres and suspensions, with the
    unsprung masses of the hubs: heave, roll, pitch and wheel hop. The joints of the robots are held, links are rigid
    (`natural_frequencies` has those that bend, with the unsprung masses on the base).

    They are of small vibrations about the posture in which the rover stands (`rover.posture`, with the same states,
    motion and `heights`): with the stiffness of its springs there, and, but for `loaded=False`, with what the weight
    takes from roll and pitch, its height above the ground times the part of it along the ground's normal.

    >>> import loadpath as lp
    >>> spring = lp.Suspension(stiffness=20e3, damping=1500.0, unsprung_mass=40.0)
    >>> wheels = [lp.FixedWheel((x, y), 0.3, suspension=spring, stiffness=200e3)
    ...           for x in (-1.2, 1.2) for y in (-0.7, 0.7)]
    >>> car = lp.WheeledBase(mass=1400, center_of_mass=(0, 0, 0.5), inertia=[[400, 0, 0], [0, 1500, 0], [0, 0, 1700]],
    ...                      wheels=wheels).carrying()
    >>> modes = car.ride_modes()
    >>> modes.names.tolist()
    ['roll', 'heave', 'pitch', 'hop', 'hop', 'hop', 'hop']
    >>> modes.frequencies.round(2).tolist()
    [1.04, 1.22, 1.24, 11.8, 11.81, 11.81, 11.81]
    >>> modes.damping_ratios[:3].round(2).tolist()
    [0.28, 0.26, 0.28]
    """
    refuse_unknown(motion, "ride_modes")
    if not rover.base.on_springs:
        raise ModelError(f"ride_modes: base '{rover.name}' stands on rigid wheels: give them stiffness= (of the tyre) "
                         "or suspension=lp.Suspension(...)")
    state = state_at(rover, q, qd, qdd, motion, "ride_modes")
    row = state.rows(slice(None))
    springs = Springs(rover.base, every_hub=True)
    own, _ = settled(rover, row, springs)
    arm = np.asarray(arm_states(rover, q, qd, qdd)[0], dtype=float)
    mass = _masses(rover, arm, state.count)
    center = np.broadcast_to(rover.mass_center(arm), (*state.batch, 3)).reshape(-1, 3)
    weight = np.broadcast_to(hub_gravity(rover, row), (state.count,)) * sum(link.inertia.mass for link in rover.links)
    each: list[_Modes | None] = []
    for k in range(state.count):
        points = row.placed.points if row.placed.points.ndim == 2 else row.placed.points[k]
        number = k if len(mass) > 1 else 0
        known = np.isfinite(own.tangent[k]).all() and np.isfinite(mass[number]).all()
        lever = weight[k] * center[k, 2] if loaded else 0.0
        each.append(_modes(springs, points, own.tangent[k], mass[number], lever, center[k]) if known else None)
    return _gathered(rover, each, state.batch)


def _masses(rover: Rover, arm: Floats, count: int) -> Floats:
    """(s or 1, 3, 3): inertia in heave, roll and pitch at the origin of the base frame of the rover as one body."""
    flat = arm.reshape(-1, arm.shape[-1]) if arm.ndim > 1 else arm[None]
    flat = flat if len(flat) in (1, count) else np.broadcast_to(arm, (count, arm.shape[-1])).reshape(count, -1)
    equations = kernel(rover, "free_equations")
    asked = equations if len(flat) > _FEW else equations.uncompiled
    M, _ = asked(flat, np.zeros((1, rover.n)), np.zeros((1, 6)), np.zeros((1, 3)))
    result: Floats = np.asarray(M)[:, 2:5, 2:5]
    return result


def _modes(
    springs: Springs, points: Floats, tangent: Floats, whole: Floats, lever: float, center: Floats
) -> _Modes:
    """The vibrations of one state, of a rover with inertia `whole` (3, 3), whose weight times height is `lever`."""
    Z, K = springs.reduced(points, tangent)
    K[1, 1] -= lever
    K[2, 2] -= lever
    S = np.stack([np.ones(len(points)), points[:, 1], -points[:, 0]], axis=-1)
    M = np.zeros_like(K)
    M[:3, :3] = whole
    for i, (k, m) in enumerate(zip(springs.hubs, springs.unsprung, strict=True)):
        M[:3, 3 + i] = M[3 + i, :3] = m * S[k]
        M[3 + i, 3 + i] = m
    C = springs.damping(points, tangent)
    K, M, C = (Z.T @ matrix @ Z for matrix in (K, M, C))
    scale = np.diag(np.concatenate([[1.0, 1 / springs.size, 1 / springs.size], np.ones(len(K) - 3)]))
    K, M, C = (scale @ matrix @ scale for matrix in (K, M, C))
    heavy = [k for k in range(len(M)) if M[k, k] > 0]
    light = [k for k in range(len(M)) if M[k, k] <= 0]
    follow = np.zeros((len(M), len(heavy)))  # hubs without mass go where the springs let them
    follow[heavy] = np.eye(len(heavy))
    if light:
        follow[light] = -np.linalg.solve(K[np.ix_(light, light)], K[np.ix_(light, heavy)])
    squares, vectors = scipy.linalg.eigh(follow.T @ K @ follow, follow.T @ M @ follow)
    shapes = Z @ scale @ follow @ vectors
    ratios = np.einsum("im,ij,jm->m", follow @ vectors, C, follow @ vectors)
    with np.errstate(invalid="ignore"):
        omega = np.where(squares > 0, np.sqrt(squares), np.nan)
    roots = scipy.linalg.eig(np.block([[np.zeros_like(K), np.eye(len(K))], [-K, -C]]),
                             np.block([[np.eye(len(K)), np.zeros_like(K)], [np.zeros_like(K), M]]), right=False)
    roots = roots[np.isfinite(roots)]
    roots = roots[np.lexsort((roots.imag, roots.real, np.abs(roots).round(9)))]
    names = [_name(springs, S, whole, center, shapes[:, j]) for j in range(len(squares))]
    rises = S @ shapes[:3]
    for i, k in enumerate(springs.hubs):
        rises[k] = rises[k] + shapes[3 + i]
    out = np.concatenate([shapes[:3], rises])
    largest = np.abs(out * np.array([1.0, springs.size, springs.size, *np.ones(len(rises))])[:, None]).argmax(axis=0)
    out = out / out[largest, np.arange(out.shape[1])] / np.where(
        (largest == 1) | (largest == 2), springs.size, 1.0)
    return _Modes(omega / (2 * np.pi), ratios / (2 * omega), out.T, names, roots)


def _name(springs: Springs, S: Floats, whole: Floats, center: Floats, shape: Floats) -> str:
    """What moves most in a shape, by the kinetic energy."""
    z, a, b = shape[:3]
    hubs = sum(m * (S[k] @ shape[:3] + shape[3 + i]) ** 2
               for i, (k, m) in enumerate(zip(springs.hubs, springs.unsprung, strict=True)))
    rigid = sum(m * (S[k] @ shape[:3]) ** 2 for k, m in zip(springs.hubs, springs.unsprung, strict=True))
    mass, (x, y) = whole[0, 0], center[:2]
    parts = {
        "heave": mass * (z + y * a - x * b) ** 2,
        "roll": (whole[1, 1] - mass * y * y) * a * a,
        "pitch": (whole[2, 2] - mass * x * x) * b * b,
    }
    total = float(shape[:3] @ whole @ shape[:3]) - rigid  # of what is sprung
    return "hop" if hubs > max(total, 0.0) else max(parts, key=lambda part: parts[part])


def _gathered(rover: Rover, each: list[_Modes | None], batch: tuple[int, ...]) -> RideModes:
    """All states, padded to as many modes as the one with most has."""
    modes = max((len(one.frequencies) for one in each if one is not None), default=3)
    count, contacts = len(each), len(rover.contact_names)
    roots = max((len(one.eigenvalues) for one in each if one is not None), default=6)
    frequencies, ratios = np.full((2, count, modes), np.nan)
    shapes, names = np.full((count, modes, 3 + contacts), np.nan), np.full((count, modes), "", dtype="<U5")
    eigenvalues = np.full((count, roots), complex(np.nan, np.nan))
    for k, one in enumerate(each):
        if one is None:
            continue
        n = len(one.frequencies)
        frequencies[k, :n], ratios[k, :n], shapes[k, :n], names[k, :n] = (
            one.frequencies, one.ratios, one.shapes, one.names)
        eigenvalues[k, : len(one.eigenvalues)] = one.eigenvalues
    damped = all((wheel.damping if wheel.suspension is None else wheel.suspension.damping) is not None
                 for wheel in rover.base.wheels)
    result = RideModes(
        frequencies.reshape(*batch, modes), ratios.reshape(*batch, modes) if damped else None,
        shapes.reshape(*batch, modes, 3 + contacts), names.reshape(*batch, modes),
        eigenvalues.reshape(*batch, roots) if damped else None, rover.contact_names,
    )
    falls = sum(1 for one in each if one is not None and np.isnan(one.frequencies).any())
    if falls:
        warn(f"ride_modes: base '{rover.name}' falls over by itself in {falls} of {count} states: its weight takes "
             "more from roll or pitch than its springs hold; frequencies are NaN there")
    warn_of_unknown(result.unknown, "ride_modes", "NaN there: the state is no number, or the base tips over")
    return result
