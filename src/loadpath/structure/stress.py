"""`arm.stress` and `arm.buckling_safety`: whether the links hold, where along them, and in which state least."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from loadpath.cached import cached_property, kept
from loadpath.engine.over_designs import family_behind, over_designs
from loadpath.errors import warn
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import (
    StateBatch,
    StatesLike,
    read_states,
    state_words,
    unknown_states,
    warn_of_unknown,
)
from loadpath.structure.arm_buckling import uses_of_states
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.beams.stress_equations import critical_load
from loadpath.structure.checks import check_guide_range, check_wrench_points, whole_number
from loadpath.structure.of_designs import numbers_of_designs, reads_more
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.vibration.buckling import TOLERANCE, Buckling, solved, warn_of_arm

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


class Sections(NamedTuple):
    """The cross sections of an arm's beams, each a row: where the load jumps there are two, before and after."""

    links: tuple[str, ...]
    """Link that each section belongs to."""
    beams: tuple[int, ...]
    """Number of its beam in `arm.beams`."""
    positions: Floats
    """m from the beam's start: (sections), or (..., sections) where pads of guides move along beams."""
    yield_strengths: Floats
    """Pa: (sections), as what follows; of several designs of a family (..., sections)."""
    critical_loads: Floats
    """Of the link's beam as a column by itself, with its `end_condition` (N), of the same shape as the positions."""
    areas: Floats
    local_compression: Floats
    """Pa: at which a wall wrinkles in uniform compression; infinite for solid sections, NaN where it is not known."""
    local_bending: Floats
    """Pa: the same in bending."""

    def position(self, section: int, state: tuple[int, ...]) -> float:
        """Of one section, in the state with that index."""
        return float(self.positions[(*state, section)] if self.positions.ndim > 1 else self.positions[section])

    def local_use(self, axial: Floats, bending: Floats) -> Floats:
        """Reciprocal of the safety against local buckling, of axial stress (tension positive) and bending stress."""
        result: Floats = np.maximum(bending / self.local_bending - axial / self.local_compression, 0.0)
        return result


def sections_of(arm: RobotModel, sections: int = SECTIONS, q: ArrayLike | None = None) -> Sections:
    """The cross sections where stresses are looked at; of an arm with guides, in the states given.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=2.4662).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")})
    >>> sections_of(arm, 3).positions.round(3).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    found = skeleton(arm).samples(sections)
    positions, critical = ([getattr(sample, part) for sample in found] for part in ("position", "critical_load"))
    if q is not None and any(sample.on_line is not None for sample in found):
        states = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        blank = np.zeros(states.shape[1:])
        positions = [blank + (s.position if s.on_line is None else s.on_line.place(states)) for s in found]
        critical = [blank + critical_load(sample, states) for sample in found]
    return Sections(
        tuple(arm.beams[sample.beam][0] for sample in found),
        tuple(sample.beam for sample in found),
        np.stack([np.asarray(each) for each in positions], axis=-1),
        np.array([sample.yield_strength for sample in found]),
        np.stack([np.asarray(each) for each in critical], axis=-1),
        np.array([sample.area for sample in found]),
        *_local(arm, sections),
    )


@kept(maximum=4)
def _local(arm: RobotModel, sections: int) -> tuple[Floats, Floats]:
    """Critical stresses of the walls, in compression and in bending; kept, since a call of one state is short."""
    found = [sample.section.local_buckling(sample.material) for sample in skeleton(arm).samples(sections)]
    return np.array([each.compression for each in found]), np.array([each.bending for each in found])


class Worst(NamedTuple):
    """The worst place and state of all."""

    safety: float
    value: float
    """von Mises stress (Pa), or compression (N)."""
    link: str
    position: float
    """m from the beam's start."""
    state: tuple[int, ...]
    """Index in the batch; () for a single state."""


@dataclass(frozen=True, eq=False)
class Stress:
    """Stresses (Pa) in cross sections, each (..., sections): `axial` (tension positive), `bending`, `shear` and
    `torsion` are the largest of their kind in a section, `von_mises` that of its worst fibre.
    """

    axial: Floats
    bending: Floats
    shear: Floats
    torsion: Floats
    von_mises: Floats
    sections: Sections
    local_use: Floats | None = field(default=None, kw_only=True, repr=False)
    """(..., sections): reciprocal of `local`, where boxes are bent; None elsewhere."""

    @property
    def safety(self) -> Floats:
        """Yield strength over von Mises stress, (..., sections); infinite where there is no stress."""
        with np.errstate(divide="ignore"):
            result: Floats = self.sections.yield_strengths / self.von_mises
            return result

    @property
    def local(self) -> Floats:
        """Safety against local buckling of thin walls, (..., sections): critical stress over that of compression and
        bending; infinite where nothing is compressed and for solid sections, NaN for sections from numbers and
        polygons, whose walls are not known.
        """
        use = self.sections.local_use(self.axial, self.bending) if self.local_use is None else self.local_use
        with np.errstate(divide="ignore"):
            result: Floats = 1.0 / use
            return result

    @cached_property
    def unknown(self) -> Bools:
        """(...): states of which some stress is not a number: whether the links hold there is not known."""
        return unknown_states(self.von_mises)

    @property
    def yields(self) -> Bools:
        """(...): states with a stress past the yield strength, those that are not numbers among them."""
        holds = self.von_mises <= self.sections.yield_strengths
        return np.asarray(~holds.all(axis=-1))

    @property
    def worst(self) -> Worst:
        """Where, and in which state, the safety is smallest, among the states that are numbers."""
        return worst_of(self.safety, self.von_mises, self.sections, self.unknown)

    def of(self, link: str) -> Stress:
        """The sections of one link alone."""
        return replace(self, **_of_link(self, link))

    def __repr__(self) -> str:
        return _summary("Stress", self, self.von_mises)

    __iter__ = None


@dataclass(frozen=True, eq=False)
class BucklingSafety:
    """How far the beams, and the arm as a whole, are from failing under compression, each (..., sections).

    `safety` is the factor by which all loads may grow until the arm buckles as a whole, the link's column does by
    itself, or the outermost fibre of a section under compression yields, where what buckles makes its bending larger:
    the bending in each shape of buckling by its own factor, see `buckling_safety`. In sections that are not compressed
    it is the arm's factor. `euler` is that of the link's column alone, its critical load over the
    compression of the section, infinite in tension: the arm as a whole may buckle before, see `arm_factor`.
    """

    safety: Floats
    euler: Floats
    compression: Floats
    """N, negative in tension."""
    sections: Sections
    arm: Buckling
    """The buckling of the whole arm, without its shapes: `arm.buckling(q)` has them."""

    @property
    def arm_factor(self) -> Floats:
        """(...): the factor by which all loads may grow until the whole arm buckles; infinite where nothing does."""
        return self.arm.factor

    @cached_property
    def unknown(self) -> Bools:
        """(...): states of which some safety is not a number: whether the links hold there is not known."""
        return unknown_states(self.safety, self.euler)

    @property
    def fails(self) -> Bools:
        """(...): states with a safety below one, those that are not numbers among them."""
        return np.asarray(~(self.safety >= 1).all(axis=-1))

    @property
    def worst(self) -> Worst:
        """Where, and in which state, the safety is smallest, among the states that are numbers. Where all sections have
        the factor of the whole arm, the most compressed one of the link that gives way most.
        """
        found = worst_of(self.safety, self.compression, self.sections, self.unknown)
        at = found.state
        alike = np.flatnonzero(self.safety[at] <= found.safety * (1 + 1e-12))
        owner = self.arm.link if not at else self.arm.link[at]  # type: ignore[index]
        own = [int(k) for k in alike if self.sections.links[k] == owner]
        return worst_at(self.safety, self.compression, self.sections, at, own or alike.tolist())

    @property
    def worst_euler(self) -> Worst:
        """Where, and in which state, a link is nearest to buckling as a column by itself, among the states that are
        numbers. The whole arm may buckle before: see `arm.worst`.
        """
        return worst_of(self.euler, self.compression, self.sections, self.unknown)

    def of(self, link: str) -> BucklingSafety:
        """The sections of one link alone; `arm` stays that of the whole."""
        return replace(self, **_of_link(self, link))

    def __repr__(self) -> str:
        return _summary("BucklingSafety", self, self.safety)

    __iter__ = None


def _summary(name: str, result: Stress | BucklingSafety, values: Floats) -> str:
    """What a result is of, and its worst place; lazy arrays (Dask's) are not computed for it."""
    shape: tuple[int, ...] = values.shape
    of = f"{shape[-1]} sections, {' x '.join(map(str, shape[:-1])) + ' states' if shape[:-1] else 'one state'}"
    if not isinstance(values, np.ndarray) or values.size == 0 or result.unknown.all():
        return f"<{name} of {of}>"
    worst = result.worst
    where = f"'{printable(worst.link)}', {worst.position:.4g} m{state_words(worst.state)}"
    return f"<{name} of {of}: smallest safety {worst.safety:.4g} ({where})>"


def _of_link(result: Stress | BucklingSafety, link: str) -> dict[str, Any]:
    sections = result.sections
    rows = [k for k, name in enumerate(sections.links) if name == link]
    if not rows:
        raise ValueError(f"link '{link}' has no beam; those that have are {', '.join(dict.fromkeys(sections.links))}")
    arrays = {part.name: getattr(result, part.name)[..., rows] for part in fields(result)
              if part.name not in ("sections", "arm") and getattr(result, part.name) is not None}
    picked = Sections(
        tuple(sections.links[k] for k in rows),
        tuple(sections.beams[k] for k in rows),
        sections.positions[..., rows],
        sections.yield_strengths[..., rows],
        sections.critical_loads[..., rows],
        sections.areas[..., rows],
        sections.local_compression[..., rows],
        sections.local_bending[..., rows],
    )
    return {**arrays, "sections": picked}


def worst_of(safety: Floats, value: Floats, sections: Sections, unknown: Bools) -> Worst:
    """The entry with the smallest safety, among the states that are numbers."""
    if np.size(safety) == 0:
        raise ValueError("there is no worst place: no beams, or no states")
    if unknown.all():
        raise ValueError("there is no worst place: only states that are not numbers")
    known = np.where(unknown[..., None], np.nan, safety) if unknown.any() else safety
    at = np.unravel_index(int(np.nanargmin(known)), safety.shape)
    return worst_at(safety, value, sections, tuple(int(i) for i in at[:-1]), [int(at[-1])])


def worst_at(safety: Floats, value: Floats, sections: Sections, state: tuple[int, ...], rows: list[int]) -> Worst:
    """Of a state the section with the largest value, among some."""
    k = max(rows, key=lambda row: float(value[state][row]))
    at = (*state, k)
    return Worst(float(safety[at]), float(value[at]), sections.links[k], sections.position(k, state), state)


def _places(arm: RobotModel, sections: int, q: ArrayLike, like: Floats) -> Sections:
    """The sections of states; where they move, or are those of several designs, in arrays of the shape of a result.
    """
    if (family := family_behind(arm)) is not None:
        found, numbers = numbers_of_designs(family, sections).beside(like)
        arrays = {name: np.broadcast_to(values, like.shape) for name, values in numbers.items()}
        beams = tuple(sample.beam for sample in found)
        return Sections(
            tuple(arm.beams[beam][0] for beam in beams), beams, arrays["position"], arrays["yield_strength"],
            arrays["critical_load"], arrays["area"], arrays["compression"], arrays["bending"],
        )
    if not arm.placed_guides or not isinstance(like, np.ndarray):
        return sections_of(arm, sections)
    placed = sections_of(arm, sections, q)
    positions, critical = (np.broadcast_to(part, like.shape) for part in (placed.positions, placed.critical_loads))
    return placed._replace(positions=positions, critical_loads=critical)


def _any(values: object, fails: Callable[[Floats], Bools]) -> bool:
    """Whether any entry fails; lazy arrays (Dask's) are not computed for it."""
    if not isinstance(values, np.ndarray):
        return False
    with np.errstate(invalid="ignore"):
        return bool(fails(values).any())


def _need_beams(arm: RobotModel) -> None:
    if not arm.beams:
        raise ValueError(f"arm '{arm.name}' has no beams: there are no stresses")


@takes_loads
def stress(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    sections: int = SECTIONS,
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
) -> Stress:
    """Stresses along the beams for states (..., nq), (..., n), (..., n), or an `lp.Motion` or simulation in their
    place; without `qd` and `qdd` at rest.

    Each beam is evaluated in at least this many `sections`: at both ends, evenly between, and on both sides of every
    place where load comes in or the section steps. Loads are those of the undeflected arm. Stresses past the yield
    strength are given as they come out, with a `ModelWarning` that names the place and the state. Of a robot with loops
    the wrenches that these exert are among the loads; `weights`, `preload` and `strict` as in `inverse_dynamics`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> worst = arm.stress([[0.0], [1.5]]).worst
    >>> worst.link, worst.position, worst.state
    ('link1', 0.0, (0,))
    >>> round(worst.value / (9.81 * arm.link("link1").inertia.mass / 2 * 4 / np.pi / 0.01**3), 9)   # M / W
    1.0
    """
    _need_beams(arm)
    sections = whole_number(sections, "'sections'", 2)
    case = acting["under"].with_motion_of(q, arm, "stress")
    check_wrench_points(arm, case.external)
    states = read_states(arm, q, qd, qdd, caller="stress", at_rest=True, counts_loads=True)[:3]
    check_guide_range(arm, states[0])
    loads = {**case.keywords, **({} if strict else {"strict": False})}
    with np.errstate(invalid="ignore"):  # states that are not numbers stay so, without a word
        axial, bending, shear, torsion, von_mises = arm.section_stresses(*states, sections=sections, **loads)
    places = _places(arm, sections, states[0], von_mises)
    use = local_use_of(arm, sections, places, states, loads, axial, bending)
    result = Stress(axial, bending, shear, torsion, von_mises, places, local_use=use)
    warn_of_unknown(result.unknown, "stress", "whether the links hold there is not known: see stress.unknown")
    if _any(result.von_mises, lambda stress: stress > result.sections.yield_strengths):
        warn_of_stress(arm, result.worst)
    _check_walls(arm, result)
    return result


over_designs(stress, "section_stresses", "section_actions", one_by_one=reads_more)


class Boxes(NamedTuple):
    """What local buckling asks of the sections of boxes, whose sides are flanges of one bending and webs of the other:
    each (sections,), of several designs (..., sections).
    """

    are: Bools
    areas: Floats
    modulus_y: Floats
    modulus_z: Floats
    compression: Floats
    bending_y: Floats
    bending_z: Floats


@kept(maximum=4)
def _boxes(arm: RobotModel, sections: int) -> Boxes:
    rows = [(sample, sample.section.local_buckling(sample.material)) for sample in skeleton(arm).samples(sections)]
    thin = [found.bending_y != found.bending_z and found.bending < sample.yield_strength for sample, found in rows]
    parts = [(sample.area, sample.modulus_y, sample.modulus_z, found.compression, found.bending_y, found.bending_z)
             for sample, found in rows]
    return Boxes(np.array(thin, dtype=bool), *np.array(parts, dtype=float).T)


def _boxes_of_designs(arm: RobotModel, sections: int, like: Floats) -> Boxes:
    _, numbers = numbers_of_designs(family_behind(arm), sections).beside(like)
    about_y, about_z = numbers["bending_y"], numbers["bending_z"]
    thin = (about_y != about_z) & (numbers["bending"] < numbers["yield_strength"])
    return Boxes(thin, numbers["area"], numbers["modulus_y"], numbers["modulus_z"], numbers["compression"], about_y,
                 about_z)


def local_use_of(
    arm: ElasticQuantities, sections: int, places: Sections, states: Any, loads: Mapping[str, Any], axial: Floats,
    bending: Floats,
) -> Floats | None:
    """Reciprocal of the safety against local buckling where boxes with thin walls are bent: about each axis by itself.
    None where there are none.
    """
    boxes = _boxes(arm, sections) if family_behind(arm) is None else _boxes_of_designs(arm, sections, axial)
    if not boxes.are.any() or not isinstance(axial, np.ndarray):
        return None
    with np.errstate(invalid="ignore"):
        force, moment = arm.section_actions(*states, sections=sections, **loads)
    about_y, about_z = np.abs(moment[..., 1]) / boxes.modulus_y, np.abs(moment[..., 2]) / boxes.modulus_z
    pull = force[..., 0] / boxes.areas
    use = about_y / boxes.bending_y + about_z / boxes.bending_z - pull / boxes.compression
    return np.asarray(np.where(boxes.are, np.maximum(use, 0.0), places.local_use(axial, bending)))


def _check_walls(arm: RobotModel, stress: Stress) -> None:
    """Warn where walls wrinkle that do so before they yield."""
    thin = np.minimum(stress.sections.local_compression, stress.sections.local_bending)
    early = thin < stress.sections.yield_strengths
    if early.any() and isinstance(stress.bending, np.ndarray):
        local = np.where(early, stress.local, np.inf)
        if _any(local, lambda safety: safety < 1):
            warn_of_local(arm, worst_of(local, stress.bending - stress.axial, stress.sections, stress.unknown))


@takes_loads
def buckling_safety(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    sections: int = SECTIONS,
    **acting: Unpack[LoadKeywords],
) -> BucklingSafety:
    """How far the beams, and the whole arm, are from buckling, for states as in `stress`.

    `arm_factor` is that of the whole arm: all links, joint compliances and loads, see `buckling`. `euler` takes each
    link as a column by itself: Euler's load with the beam's `end_condition` and Engesser's shear correction. `safety`
    is the smallest of both and of the factor at which the outermost fibre of a section yields: that of the whole arm as
    a beam-column. Under f times its loads an arm is in equilibrium, to second order, where (1 + f K_G) eta = f g, so
    that the moments of a section are f M_1 + f sum_i (b v_i) (v_i g) / (lambda_i / f - 1): what the loads bend in the
    shape v_i grows by 1 / (1 - f / lambda_i), lambda_i the factor at which the arm buckles in that shape, and what
    does not buckle does not grow (`structure/second_order.py` has the derivation). A cantilever is bent by
    F tan(k L) / k, an eccentric column by C e / cos(k L). Axial forces are those of the undeflected arm.

    Where it is below one the loads are past what the arm holds: a result with a `ModelWarning`, not an error. Each
    state takes an eigenvalue of the whole arm, a fraction of a millisecond: for millions of states use `extremes`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> found = arm.buckling_safety([[1.5707963267948966], [-1.5707963267948966]])      # upright, hanging
    >>> found.euler[:, 0].round(1).tolist(), found.worst.position
    ([168.2, inf], 0.0)
    >>> found.arm_factor.round(1).tolist()           # its weight is not all at the top
    [534.2, inf]
    """
    _need_beams(arm)
    sections = whole_number(sections, "'sections'", 2)
    case = acting["under"].with_motion_of(q, arm, "buckling_safety")
    check_wrench_points(arm, case.external)
    states = read_states(arm, q, qd, qdd, caller="buckling_safety", at_rest=True, counts_loads=True)
    check_guide_range(arm, states.q)
    with np.errstate(divide="ignore", invalid="ignore"):
        compression, euler, _ = arm.section_buckling(*states[:3], sections=sections, **case.keywords)
        whole = solved(arm, EFFECTS, StateBatch(arm, states, case, "buckling_safety"), TOLERANCE, keep=0)
        places = _places(arm, sections, states.q, compression)
        use = uses_of_states(whole, places, sections, compression, euler)
        result = BucklingSafety(1.0 / np.abs(use), 1.0 / np.abs(euler), compression, places, whole)
    warn_of_unknown(result.unknown, "buckling_safety", "whether the links hold there is not known: see its unknown")
    if _any(whole.factor, lambda factor: factor < 1):
        warn_of_arm(arm, whole.worst)
    if _any(result.safety, lambda safety: safety < 1) and result.worst.safety < whole.worst.factor * (1 - TOLERANCE):
        warn_of_buckling(arm, result.worst)
    return result


def warn_of_stress(arm: RobotModel, worst: Worst) -> None:
    """Warn of stress past yield."""
    strength = worst.value * worst.safety
    warn(f"arm '{arm.name}': the stress in link '{worst.link}', {worst.position:.4g} m along its beam, is "
         f"{worst.value / 1e6:.4g} MPa{state_words(worst.state)}, past yield at {strength / 1e6:.4g} MPa")


def warn_of_local(arm: RobotModel, worst: Worst) -> None:
    """Warn of walls that wrinkle."""
    warn(f"arm '{arm.name}': the walls of link '{worst.link}', {worst.position:.4g} m along its beam, are past local "
         f"buckling under a compression of {worst.value / 1e6:.4g} MPa{state_words(worst.state)}: safety "
         f"{worst.safety:.4g}")


def warn_of_buckling(arm: RobotModel, worst: Worst) -> None:
    """Warn of loads that a beam does not hold under compression."""
    warn(f"arm '{arm.name}': link '{worst.link}', {worst.position:.4g} m along its beam, is past what it holds under a "
         f"compression of {worst.value:.4g} N{state_words(worst.state)}: safety {worst.safety:.4g}")
