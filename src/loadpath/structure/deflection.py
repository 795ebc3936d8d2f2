"""`arm.deflection`: how far every frame of a flexible arm moves under its loads, in small deflections or iterated; and
`arm.stiffness`: what force and torque a unit of displacement of the tip takes.

The deflected arm is in equilibrium where the bends of its elements are those that its loads, in the deflected geometry,
make. Found by repetition, made faster by Anderson's combination of the last few guesses, for a block of states at a
time; and whether the equilibrium holds: past buckling an arm may balance, as a pencil on its tip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.engine.over_designs import over_designs
from loadpath.errors import warn
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.ends import ends_of, link_or_only_end
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import (
    Batch,
    LoadCase,
    StatesLike,
    place_of,
    read_states,
    refuse_keywords,
    state_words,
    unknown_states,
    warn_of_unknown,
)
from loadpath.states.carried import refuse_counted
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.by_part import MovedByPart, moved_by_part
from loadpath.structure.checks import (
    ALIKE,
    check_free_ends,
    check_guide_range,
    check_wrench_points,
    chosen_effects,
    refuse_guides,
    refuse_loops,
    whole_number,
)
from loadpath.structure.of_designs import reads_more
from loadpath.structure.quantities import PIECES

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


LARGE_ROTATION = 0.1
"""rad: a frame that turns by more makes the small-deflection result inaccurate (its errors grow with the square)."""

LARGE_DIFFERENCE = 0.05
"""Share of the displacement by which the iterated and the small-deflection result may differ without a warning."""


class FrameDeflection(NamedTuple):
    """Of one frame: displacement of its origin (m) and rotation (rad), each (..., 3)."""

    displacement: Floats
    rotation: Floats


@dataclass(frozen=True, eq=False)
class Deflection:
    """How far every link frame moves against the rigid arm's: `displacement` of its origin (m) and `rotation` (rad, as
    a vector along the axis), each (..., links, 3), in world axes or, with `axes == "link"`, in those of the link's
    frame on the rigid arm.
    """

    displacement: Floats
    rotation: Floats
    link_names: tuple[str, ...]
    ends: tuple[str, ...]
    """Links that carry no other."""
    axes: str = "world"
    difference: Floats | None = None
    """Of an iterated deflection, (...): the largest difference to the small-deflection result of any frame's
    displacement, as a share of the largest displacement.
    """
    stable: NDArray[np.bool_] | None = None
    """Of an iterated deflection, (...): whether the arm returns to it when pushed a little, as not past buckling."""
    _by_part: Callable[[str | None], MovedByPart] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def unknown(self) -> Bools:
        """(...): states of which some displacement is not a number, being none themselves or without an equilibrium."""
        flat = (*self.displacement.shape[:-2], self.displacement.shape[-2] * 3)
        return unknown_states(self.displacement.reshape(flat), self.rotation.reshape(flat))

    def __getitem__(self, link: str) -> FrameDeflection:
        """Of the frame of one link, by its name: of its origin. A payload's frame is that of the link that carries it,
        held by the section nearest to the payload's mass center: on a payload that hangs in the middle of a beam,
        this is not the place of its mass, which is `displacement + cross(rotation, R center_of_mass)`, R its axes.
        """
        if link not in self.link_names:
            raise ValueError(f"no link '{link}'; there are {', '.join(self.link_names)}")
        k = self.link_names.index(link)
        return FrameDeflection(self.displacement[..., k, :], self.rotation[..., k, :])

    def __repr__(self) -> str:
        shape = np.shape(self.displacement)[:-2]
        of = f"{len(self.link_names)} links, {' x '.join(map(str, shape)) + ' states' if shape else 'one state'}"
        if not isinstance(self.displacement, np.ndarray) or self.displacement.size == 0 or self.unknown.all():
            return f"<Deflection of {of}>"
        moved = np.linalg.norm(self.displacement, axis=-1)
        at = place_of(int(np.nanargmax(moved)), moved.shape)
        link = printable(self.link_names[at[-1]])
        return f"<Deflection of {of}: at most {moved[at]:.4g} m ('{link}'{state_words(at[:-1])})>"

    __iter__ = None  # a frame is found by its name

    @property
    def tip(self) -> FrameDeflection:
        """Of the only end of the arm."""
        if len(self.ends) != 1:
            raise ValueError(f"the arm has {len(self.ends)} ends, {', '.join(self.ends[:8])}: use deflection['link']")
        return self[self.ends[0]]

    def by_part(self, link: str | None = None) -> MovedByPart:
        """What the beam of every link, and every compliant joint, gives of the displacement of a link's origin (of the
        only end without one), in world axes: `.beams["link1"]`, `.joints["joint2"]`, each (..., 3), which add up to
        the displacement. Each is that of the arm with this part alone. Of small deflections of arms without loops and
        guides.
        """
        if self._by_part is None:
            raise ValueError("by_part is of small deflections, which add up: ask deflection() without iterate=True")
        return self._by_part(link)


@takes_loads
def deflection(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    effects: Names = None,
    axes: Literal["world", "link"] = "world",
    iterate: bool = False,
    pieces: int = PIECES,
    without_driven: bool = False,
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
) -> Deflection:
    """How far every link frame moves because beams and joints are compliant, for states (..., nq), (..., n), (..., n),
    or an `lp.Motion` or simulation in their place; without `qd` and `qdd` at rest. The vibration of the arm is not in
    it: loads act as if they were slow against the lowest natural frequency.

    - `external`, `base_velocity`, `base_acceleration`: wrenches on links and the motion of the base, as in
      `inverse_dynamics`.
    - `effects`: any of "bending", "torsion", "extension", "shear" (Timoshenko) and "joints"; all unless given; a
      mapping changes those that it names, `{"shear": False}`. Lau's thesis has ("bending",), and `without_driven=True`,
      which leaves out what the drive of a link's own joint balances: of forces on a beam along e the part along s x e
      for each turn s, and along s for each slide; of torques that along the turns. A roll joint leaves every force
      whole. In reality a joint torque bends the link.
    - `iterate=True`: the loads and the geometry are those of the deflected arm, every beam in at least `pieces` pieces,
      each turned with the ones before it; iterated until nothing changes. Warns where the displacement differs
      from the small-deflection result by more than 5 %; where the equilibrium that it finds is unstable, as past
      buckling (`stable` is false there); and where it finds none: there the result is NaN. The small-deflection result
      warns where a frame turns by more than 0.1 rad.

    Of a robot with loops the independent joints (`robot.independent`) are held by their drives; the other joints turn
    as the bent links make them, which is in the result, and loops stay closed. It takes `weights` and `preload` of
    drives in excess and `strict` as its `inverse_dynamics`, and neither `iterate` nor `without_driven`.

    >>> import loadpath as lp
    >>> rod = lp.Rod(0.01)
    >>> beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
    >>> sag = arm.deflection([0.0], effects=["bending"]).tip.displacement[2]
    >>> weight = 9.81 * arm.link("link1").inertia.mass
    >>> round(float(sag) * 8 * 210e9 * rod.second_moment_y / weight, 9)               # -W L^3 / 8EI
    -1.0
    """
    if axes not in ("world", "link"):
        raise ValueError(f"deflection: axes are {axes!r}: expected 'world' or 'link'")
    states = read_states(arm, q, qd, qdd, caller="deflection", at_rest=True, counts_loads=True)[:3]
    check_guide_range(arm, states[0])
    check_free_ends(arm, "deflection")
    case = acting["under"].with_motion_of(q, arm, "deflection")
    check_wrench_points(arm, case.external)
    if iterate:
        refuse_guides(arm, "deflection(iterate=True)", "leave 'iterate' out for the small deflection")
        refuse_counted(case, "deflection(iterate=True)", "moves masses where the arm bends to")
        refuse_loops(arm, "deflection(iterate=True)", "leave 'iterate' out for the small deflection")
    options: dict[str, Any] = {"effects": chosen_effects(effects), "axes": axes}
    of_loops: dict[str, Any] = {} if strict else {"strict": False}
    each = {**options, **of_loops, **case.keywords, "without_driven": bool(without_driven)}
    with np.errstate(invalid="ignore"):  # states that are not numbers stay so, and are named below
        small = arm.small_deflection(states[0], states[1], states[2], **each)
    ends = ends_of(arm)
    found = Deflection(small[0], small[1], arm.link_names, ends, axes,
                       _by_part=lambda link: moved_by_part(arm, *states, each, link))
    warn_of_unknown(found.unknown, "deflection", "NaN there: see deflection.unknown")
    if not iterate:
        check_rotation(small[1], arm)
        return found
    if without_driven:
        raise ValueError(
            "deflection: 'without_driven' goes with the small-deflection result only, not with iterate=True"
        )
    bent = equilibrium(arm, states, case, pieces=whole_number(pieces, "'pieces'"), **options)
    difference = _share(bent.displacement, small[0])
    _warn_of_equilibrium(bent, small[0], arm)
    _warn_of_difference(difference, arm)
    return Deflection(bent.displacement, bent.rotation, arm.link_names, ends, axes, difference, bent.stable)


over_designs(deflection, "small_deflection", one_by_one=reads_more)


def check_rotation(rotation: Floats, arm: RobotModel) -> None:
    """Warn where a small-deflection result is not small; lazy arrays (Dask's) are not computed for it."""
    if not isinstance(rotation, np.ndarray) or rotation.size == 0:
        return
    angles = np.linalg.norm(rotation, axis=-1)
    largest = float(np.nanmax(angles, initial=0.0))
    if largest > LARGE_ROTATION:
        warn_of_rotation(arm, largest, place_of(int(np.nanargmax(angles)), angles.shape))


def warn_of_rotation(arm: RobotModel, largest: float, at: tuple[int, ...]) -> None:
    """Warn of a rotation that is not small, by the indices of the state and the link."""
    remedy = "use iterate=True"
    if arm.placed_guides or arm.held_by_loops:
        remedy = (f"and iterate=True does not know {'guides' if arm.placed_guides else 'loops'}; what bending adds to "
                  "the lever arms of the loads is left out")
    warn(f"arm '{arm.name}': link '{arm.link_names[at[-1]]}' turns by {largest:.3g} rad as the arm "
         f"bends{state_words(at[:-1])}, more than {LARGE_ROTATION}: that is not small, {remedy}")


def _warn_of_equilibrium(bent: Equilibrium, small: Floats, arm: RobotModel) -> None:
    given = np.isfinite(small).all((-1, -2))  # states that are not numbers have been named
    lost, loose = given & ~bent.found, bent.found & ~bent.stable
    if lost.any():
        warn(f"arm '{arm.name}': no equilibrium of the deflected arm was found{_count(lost)} within {STEPS} steps "
             "(loads near or past buckling?): NaN there")
    if loose.any():
        warn(f"arm '{arm.name}': the equilibrium of the deflected arm is unstable{_count(loose)}: loads past buckling")


def _count(which: NDArray[np.bool_]) -> str:
    first = place_of(int(np.argmax(which)), which.shape)
    return f" in {int(which.sum())} of {which.size} states, the first{state_words(first)}" if which.shape else ""


def _warn_of_difference(difference: Floats, arm: RobotModel) -> None:
    if np.size(difference) == 0 or np.isnan(difference).all():
        return
    largest = float(np.nanmax(difference))
    if largest > LARGE_DIFFERENCE:
        at = place_of(int(np.nanargmax(difference)), np.shape(difference))
        warn(f"arm '{arm.name}': where the deflected geometry is taken into account, the displacement differs by "
             f"{100 * largest:.3g} % from the small-deflection result{state_words(at)}: more than "
             f"{100 * LARGE_DIFFERENCE:.3g} %")


def _share(a: Floats, b: Floats) -> Floats:
    """Largest difference over the links, as a share of the largest displacement."""
    apart = np.linalg.norm(a - b, axis=-1).max(-1)
    size = np.maximum(np.linalg.norm(a, axis=-1).max(-1), np.linalg.norm(b, axis=-1).max(-1))
    return np.asarray(np.where(size > 0, apart / np.where(size > 0, size, 1.0), apart))


# Equilibrium of the deflected arm


TOLERANCE = 1e-10
"""Change of the bends, as a share of the largest, at which an iteration has converged."""

STEPS = 200
"""Steps after which an iteration is given up."""

_MEMORY = 5
_PROBES = 12
_NUMBERS = 1 << 16  # bends that go through at once: what is kept of the last few guesses stays in the cache
_SMALL = 1e-6

Step = Callable[[Floats], tuple[Floats, ...]]


class Equilibrium(NamedTuple):
    """Of the deflected arm: displacement and rotation of the link frames, each (..., links, 3), NaN where there is
    none.
    """

    displacement: Floats
    rotation: Floats
    found: NDArray[np.bool_]
    """(...): whether there is one."""
    stable: NDArray[np.bool_]
    """(...): whether the arm returns to it when pushed a little."""


def equilibrium(
    arm: ElasticQuantities,
    states: tuple[Floats, Floats, Floats],
    case: LoadCase,
    *,
    pieces: int,
    **choices: Any,
) -> Equilibrium:
    """The deflected arm in equilibrium with its loads, for states (..., nq), (..., n), (..., n), block by block."""
    count = len(skeleton(arm, pieces).elements)
    named = zip(("q", "qd", "qdd"), states, strict=True)
    batch = Batch({name: np.asarray(value, dtype=float) for name, value in named}, case)
    total, links = len(batch), len(arm.link_names)
    displacement, rotation = np.empty((total, links, 3)), np.empty((total, links, 3))
    found, stable = np.zeros(total, dtype=bool), np.zeros(total, dtype=bool)
    for block in batch.blocks(max(64, _NUMBERS // (6 * count + 1))):
        part, given = block.rows, {"pieces": pieces, **choices, **block.case.keywords}

        def step(bends: Floats, arrays: Any = block.arrays, given: Any = given) -> tuple[Floats, ...]:
            q, qd, qdd = arrays
            return arm.bent_deflection(q, qd, qdd, bends, **given)

        bends, reached = fixed_point(step, np.zeros((len(block), count, 6)))
        _, moved, axis, cosine = step(bends)
        moved[~reached], axis[~reached] = np.nan, np.nan
        displacement[part], rotation[part] = moved, _rotation_vector(axis, cosine)
        found[part], stable[part] = reached, reached & (growth(step, bends) < 1.0)
    shape = (*batch.shape, links, 3)
    return Equilibrium(
        displacement.reshape(shape), rotation.reshape(shape), found.reshape(batch.shape), stable.reshape(batch.shape)
    )


def _rotation_vector(axis: Floats, cosine: Floats) -> Floats:
    """From the axis times the sine of an angle, and its cosine."""
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, cosine)
    return np.asarray(axis * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)[..., None])


def fixed_point(step: Step, start: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Bends that come out of a step as they went in, for every state of a block, and for which states they do.

    Anderson's acceleration: each new guess is the combination of the last few that would have had the smallest change,
    if the step were linear. It finds equilibria in strong tension too, where plain repetition swings ever wider.
    """
    shape = start.shape
    x = start.reshape(len(start), -1)
    done = np.zeros(len(x), dtype=bool)
    xs: list[Floats] = []
    changes: list[Floats] = []
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            change = step(x.reshape(shape))[0].reshape(x.shape) - x
            size = np.abs(x + change).max(axis=-1)
            done = done | (np.abs(change).max(axis=-1) <= TOLERANCE * size)
            lost = ~np.isfinite(change).all(axis=-1)
            if (done | lost).all():
                break
            xs, changes = [*xs[-_MEMORY:], x], [*changes[-_MEMORY:], change]
            x = np.where(done[:, None], x + change, x + _accelerated(xs, changes))
    return x.reshape(shape), done


def _accelerated(xs: list[Floats], changes: list[Floats]) -> Floats:
    """The step to the next guess."""
    last = changes[-1]
    if len(xs) == 1:
        return last
    by_x = np.stack([b - a for a, b in pairwise(xs)], axis=-1)
    by_change = np.stack([b - a for a, b in pairwise(changes)], axis=-1)
    normal = by_change.swapaxes(-1, -2) @ by_change
    scale = np.trace(normal, axis1=-2, axis2=-1)[..., None, None]
    normal = normal + 1e-14 * scale * np.eye(normal.shape[-1]) + 1e-300 * np.eye(normal.shape[-1])
    normal = np.where(np.isfinite(normal), normal, np.eye(normal.shape[-1]))
    right = by_change.swapaxes(-1, -2) @ last[..., None]
    weights = np.linalg.solve(normal, right)
    return np.asarray(last - ((by_x + by_change) @ weights)[..., 0])


def growth(step: Step, bends: Floats) -> Floats:
    """By what factor a step makes a small deviation from an equilibrium grow at most, for every state of a block.

    The step answers a deviation with the compliance times the loads that the deviation adds: a factor of one or more
    means that the loads add more than the arm takes back, so it does not return. In tension the factor is negative, and
    holds. It is the largest eigenvalue of the step's derivative, by Arnoldi's method from a random deviation: good to
    a percent, unless another part of the arm is in tension a hundred times its own buckling load.
    """
    shape = bends.shape
    x = bends.reshape(len(bends), -1)
    probes = min(_PROBES, x.shape[1])
    v = np.random.default_rng(0).normal(size=x.shape[1])
    basis = [np.broadcast_to(v / np.linalg.norm(v), x.shape)]
    H = np.zeros((len(x), probes, probes))
    with np.errstate(all="ignore"):
        here = step(bends)[0].reshape(x.shape)
        for k in range(probes):
            w = (step((x + _SMALL * basis[k]).reshape(shape))[0].reshape(x.shape) - here) / _SMALL
            size = np.linalg.norm(w, axis=-1)
            for i, b in enumerate(basis):
                H[:, i, k] = np.einsum("ij,ij->i", w, b)
                w = w - H[:, i, k, None] * b
            left = np.linalg.norm(w, axis=-1)
            if k + 1 < probes:
                goes_on = left > 1e-8 * size
                H[:, k + 1, k] = np.where(goes_on, left, 0.0)
                basis.append(np.where(goes_on[:, None], w / left[:, None], 0.0))
    given = np.asarray(np.isfinite(H).all((-1, -2)))
    values = np.linalg.eigvals(np.where(given[:, None, None], H, 0.0)).real.max(axis=-1, initial=0.0)
    return np.asarray(np.where(given, values, np.nan))


# Stiffness


_SINGULAR = 1e-14


def stiffness(
    arm: ElasticQuantities, q: StatesLike, link: str | None = None, *, effects: Names = None, **others: Never
) -> Floats:
    """Cartesian stiffness (..., 6, 6) at a link: force (N, three rows) and torque (N m) on it, at its origin, per unit
    of its displacement (m) and rotation (rad), in world axes, with all joints held; the inverse of `compliance`.
    Without a link, at the only end that there is. Where the link is rigid in some direction there is none: the call is
    refused, and `compliance` says all.

    >>> import loadpath as lp
    >>> rod = lp.Rod(0.01)
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
    >>> K = arm.stiffness([0.0])
    >>> round(float(K[0, 0]) / (210e9 * rod.area), 9)                # E A / L
    1.0
    """
    refuse_keywords("stiffness", others, ALIKE)
    tip = link_or_only_end(arm, link)
    check_free_ends(arm, "stiffness")
    if arm.placed_guides:
        check_guide_range(arm, read_states(arm, q, caller="stiffness", at_rest=True)[0])
    C = np.asarray(arm.compliance(q, tip, effects=chosen_effects(effects)))
    # Rotations and displacements are compared by the size of what each does itself.
    size = np.sqrt(np.abs(np.diagonal(C, axis1=-2, axis2=-1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = C / (size[..., :, None] * size[..., None, :])
    given = np.asarray(np.isfinite(C).all((-1, -2)))
    usable = np.asarray(np.isfinite(scaled).all((-1, -2)))
    smallest = np.linalg.eigvalsh(np.where(usable[..., None, None], scaled, np.eye(6)))[..., 0]
    rigid = given & (~usable | (smallest < _SINGULAR))
    if rigid.any():
        raise ValueError(f"stiffness: link '{tip}' is rigid in some direction, so its stiffness is infinite there "
                         f"({int(rigid.sum())} of {rigid.size} states): use compliance(q, link)")
    inverse = np.linalg.inv(np.where(usable[..., None, None], scaled, np.eye(6)))
    inverse = inverse / (size[..., :, None] * size[..., None, :])
    inverse = 0.5 * (inverse + inverse.swapaxes(-1, -2))
    return np.asarray(np.where(given[..., None, None], inverse, np.nan))


over_designs(stiffness, "compliance", one_by_one=reads_more)
