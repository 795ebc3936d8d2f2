"""Stresses in the cross sections of beams, and how near a beam is to buckling there.

The part of a piece beyond a section at x exerts on it

    F(x) = P - A m0 - B m1,        M(x) = Q + e x ((L - x) P - A n0 - B n1),

with m0, m1 the integrals of mu and mu xi from x to L, and n0, n1 those of (xi - x) mu and (xi - x) mu xi. F_x is the
axial force (tension positive), F_y and F_z shear, M_x torsion, M_y and M_z bending.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.mechanics.wrenches import External
from loadpath.scalars import Array, Scalar, array, scale, sign, sqrt, vector, zeros
from loadpath.structure.beams.clipping import larger, largest, size
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism, ElementLoad, SectionSample
from loadpath.structure.beams.element_loads import ArmLoads, arm_loads
from loadpath.structure.beams.line_equations import line_action

# Beside any force or moment of a robot this is nothing, but it may be divided by.
_TINY = 1e-30


class Actions(NamedTuple):
    """Force and moment that the part beyond exerts on a section, in beam axes."""

    force: Array
    moment: Array


def actions(sample: SectionSample, load: ElementLoad) -> Actions:
    """Internal force and moment at a section."""
    P, Q, A, B = load
    force = P - scale(sample.mass[0], A) - scale(sample.mass[1], B)
    lever = scale(sample.arm, P) - scale(sample.moment[0], A) - scale(sample.moment[1], B)
    return Actions(force, Q + vector(0.0, -lever[2], lever[1]))


def action(elastic: ElasticMechanism, sample: SectionSample, loads: ArmLoads, q: Array) -> Actions:
    """Internal force and moment at a section of an element, or of a beam in a guide."""
    at = sample.on_line
    if at is None:
        return actions(sample, loads.elements[sample.element])
    return Actions(*line_action(elastic.lines[at.line], loads.lines[at.line], at, q))


def section_actions(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    sections: int,
) -> tuple[Array, Array]:
    """Force and moment at every section, each (sections, 3), in beam axes."""
    loads = arm_loads(elastic, q, qd, qdd, external, base_velocity, base_acceleration)
    found = [action(elastic, sample, loads, q) for sample in elastic.samples(sections)]
    force, moment = zeros(len(found), 3), zeros(len(found), 3)
    for row, (f, m) in enumerate(found):
        force[row], moment[row] = f, m
    return force, moment


class Stresses(NamedTuple):
    """Stresses of a section (Pa): largest of each kind, and von Mises's of the fibre where it is largest."""

    axial: Scalar
    """Tension positive."""
    bending: Scalar
    shear: Scalar
    torsion: Scalar
    """Positive where the torque turns about the beam's x."""
    von_mises: Scalar


def stresses(sample: SectionSample, at: Actions) -> Stresses:
    """Stresses of a section, with von Mises's of its worst fibre.

    A round section is looked at where bending is largest and where shear is largest, each with what the other causes
    there. Others are looked at in the fibres that they name: a box in its corners and in the middles of its walls, an I
    beam also where the web meets the flanges. Signs are taken as they are worst. Between those places the stress can be
    larger, by 9 % at most, where bending and shear are alike large: in beams as short as they are thick.
    """
    (N, Vy, Vz), (T, My, Mz) = at
    axial, torsion = N / sample.area, T / sample.torsion_modulus
    pull, twist = size(axial), size(torsion)
    if not sample.fibres:
        M, V = sqrt(My * My + Mz * Mz), sqrt(Vy * Vy + Vz * Vz)
        together = size(My * Vy + Mz * Vz)  # where bending is largest, shear across the bending plane acts in full
        bending, shear = M / sample.modulus_y, V / sample.shear_area_y
        squares = [
            _square(pull + bending, twist + together / (M + _TINY) / sample.shear_area_y),
            _square(pull + together / (V + _TINY) / sample.modulus_y, twist + shear),
        ]
    else:
        about_y, about_z = size(My) / sample.modulus_y, size(Mz) / sample.modulus_z
        along_y, along_z = size(Vy) / sample.shear_area_y, size(Vz) / sample.shear_area_z
        bending = _bending(sample, about_y, about_z)
        squares, shears = [], []
        for fibre in sample.fibres:
            sigma = pull + _shares((fibre.bending_y, about_y), (fibre.bending_z, about_z))
            tau_y, tau_z = _shares((fibre.shear_y, along_y)), _shares((fibre.shear_z, along_z))
            turned = _shares((fibre.torsion, twist))
            if fibre.in_wall:
                shears.append(tau_y + tau_z)
                squares.append(_square(sigma, turned + tau_y + tau_z))
            else:
                shears.append(sqrt(tau_y * tau_y + tau_z * tau_z))
                squares.append(_square(sigma, turned + shears[-1]))
        shear = largest(shears)
    return Stresses(axial, bending, shear, torsion, sqrt(largest(squares)))


def _bending(sample: SectionSample, about_y: Scalar, about_z: Scalar) -> Scalar:
    """Largest bending stress, of its largest about y and about z: both in a corner, where there is one."""
    if any(fibre.bending_y == fibre.bending_z == 1.0 for fibre in sample.fibres):
        return about_y + about_z
    return largest([_shares((fibre.bending_y, about_y), (fibre.bending_z, about_z)) for fibre in sample.fibres])


def _square(sigma: Scalar, tau: Scalar) -> Scalar:
    """Of von Mises's stress."""
    return sigma * sigma + 3.0 * (tau * tau)


def _shares(*terms: tuple[float, Scalar]) -> Scalar:
    """A sum of shares; what counts in full or not at all costs nothing."""
    total: Scalar = 0.0
    for share, value in terms:
        if share != 0.0:
            total = total + (value if share == 1.0 else share * value)
    return total


def section_stresses(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    sections: int,
) -> tuple[Array, ...]:
    """`Stresses` of every section, each part (sections)."""
    loads = arm_loads(elastic, q, qd, qdd, external, base_velocity, base_acceleration)
    found = [stresses(sample, action(elastic, sample, loads, q)) for sample in elastic.samples(sections)]
    return tuple(array([getattr(each, part) for each in found]) for part in Stresses._fields)


def section_stresses_with(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    more_force: Array,
    more_moment: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    sections: int,
) -> tuple[Array, ...]:
    """`Stresses` of every section, each part (sections), with more force and moment (sections, 3) in each."""
    loads = arm_loads(elastic, q, qd, qdd, external, base_velocity, base_acceleration)
    found = []
    for k, sample in enumerate(elastic.samples(sections)):
        at = action(elastic, sample, loads, q)
        found.append(stresses(sample, Actions(at.force + more_force[k], at.moment + more_moment[k])))
    return tuple(array([getattr(each, part) for each in found]) for part in Stresses._fields)


class Buckling(NamedTuple):
    """How near a section's beam is to failing under compression there."""

    compression: Scalar
    """N; negative in tension."""
    euler: Scalar
    """Compression over the critical load; zero in tension."""
    interaction: Scalar
    """Reciprocal of the factor by which all loads may grow; zero in tension."""


def critical_load(sample: SectionSample, q: Array) -> Scalar:
    """Compression at which the sample's beam buckles. One that slides is taken as held at its tail pad, free from there
    on: on the safe side, because the front pad holds it too.
    """
    on = sample.on_line
    if on is None or on.free_length is None:
        return sample.critical_load
    tail, times_square = on.free_length
    x = tail.at(q)
    free = larger(on.line_length - x, x)
    euler = times_square / (free * free)
    return euler / (1.0 + euler / on.shear_stiffness)


def buckling(sample: SectionSample, at: Actions, q: Array) -> Buckling:
    """Euler's load and the beam-column: with all loads grown by a factor f the outermost fibre yields when

        f n + f m / (1 - f c) = 1,

    n = C / (A s), m the bending stress over s, c = C / P_cr, s the yield strength: the bending of a beam under
    compression grows by 1 / (1 - C / P_cr). Of the two roots the smaller counts; without bending it is that of yield or
    of Euler, whichever comes first.
    """
    (N, _, _), (_, My, Mz) = at
    C = larger(-N, 0.0)
    c = C / critical_load(sample, q)
    if sample.yield_strength == float("inf"):
        return Buckling(-N, c, c)
    if not sample.fibres:
        bending = sqrt(My * My + Mz * Mz) / sample.modulus_y
    else:
        bending = _bending(sample, size(My) / sample.modulus_y, size(Mz) / sample.modulus_z)
    n = C / (sample.area * sample.yield_strength)
    m = sign(C) * bending / sample.yield_strength
    # 1/f = ((n + m + c) + sqrt((n + m + c)^2 - 4 n c)) / 2, with the root's argument written without a difference.
    root = sqrt((n - c) * (n - c) + m * (m + 2.0 * (n + c)))
    return Buckling(-N, c, 0.5 * (n + m + c + root))


def section_buckling(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    sections: int,
) -> tuple[Array, ...]:
    """`Buckling` of every section, each part (sections)."""
    loads = arm_loads(elastic, q, qd, qdd, external, base_velocity, base_acceleration)
    found = [buckling(sample, action(elastic, sample, loads, q), q) for sample in elastic.samples(sections)]
    return tuple(array([getattr(each, part) for each in found]) for part in Buckling._fields)
