"""Cantilevers: the handbook's tables, the verified formulas of the errata, shear, tapers and steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, as_scalars, cantilever
from numpy.testing import assert_allclose
from scipy.integrate import quad

import loadpath as lp
from loadpath.robot.beams.placement import stretches
from loadpath.structure.beams.deflection_equations import element_bend
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.element_loads import ElementLoad
from loadpath.structure.beams.piece_constants import responses

E, G = WEIGHTLESS.youngs_modulus, WEIGHTLESS.shear_modulus
BAR = lp.Bar(0.03, 0.05)  # width along the link's y, which is up; height along the link's z
L = 0.8
ARM = cantilever(BAR, length=L)


def tip(arm: lp.FlexibleRobot, force: Any = (0, 0, 0), torque: Any = (0, 0, 0), **options: Any) -> Any:
    wrench = lp.Wrench(force=np.array(force, dtype=float), torque=np.array(torque, dtype=float))
    return arm.deflection([0.0], external={"tip": wrench}, **options).tip


def test_tip_force() -> None:
    up, side = tip(ARM, (0, 0, 100.0), effects=["bending"]), tip(ARM, (0, 100.0, 0), effects=["bending"])
    assert_allclose(up.displacement, (0, 0, 100 * L**3 / (3 * E * BAR.second_moment_z)), rtol=1e-13, atol=1e-18)
    assert_allclose(up.rotation, (0, -100 * L**2 / (2 * E * BAR.second_moment_z), 0), rtol=1e-13, atol=1e-18)
    assert_allclose(side.displacement, (0, 100 * L**3 / (3 * E * BAR.second_moment_y), 0), rtol=1e-13, atol=1e-18)
    assert_allclose(side.rotation, (0, 0, 100 * L**2 / (2 * E * BAR.second_moment_y)), rtol=1e-13, atol=1e-18)


def test_tip_moment_torsion_and_extension() -> None:
    bent = tip(ARM, torque=(0, -10.0, 0))
    assert_allclose(bent.displacement, (0, 0, 10 * L**2 / (2 * E * BAR.second_moment_z)), rtol=1e-13, atol=1e-18)
    assert_allclose(bent.rotation, (0, -10 * L / (E * BAR.second_moment_z), 0), rtol=1e-13, atol=1e-18)
    twisted = tip(ARM, torque=(10.0, 0, 0))
    assert_allclose(twisted.rotation, (10 * L / (G * BAR.torsion_constant), 0, 0), rtol=1e-13, atol=1e-18)
    pulled = tip(ARM, force=(1e4, 0, 0))
    assert_allclose(pulled.displacement, (1e4 * L / (E * BAR.area), 0, 0), rtol=1e-13, atol=1e-18)


def test_shear_is_timoshenkos() -> None:
    k = BAR.shear_factors(WEIGHTLESS.poisson_ratio)[0]
    sheared = tip(ARM, (0, 0, 100.0), effects=["shear"])
    assert_allclose(sheared.displacement[2], 100 * L / (k * G * BAR.area), rtol=1e-13)
    assert_allclose(sheared.rotation, 0, atol=1e-20)
    whole, bent = tip(ARM, (0, 0, 100.0)), tip(ARM, (0, 0, 100.0), effects=["bending"])
    assert_allclose(whole.displacement, sheared.displacement + bent.displacement, rtol=1e-13, atol=1e-18)


@pytest.mark.parametrize("effect", EFFECTS[:4])
def test_each_effect_can_be_switched_off(effect: str) -> None:
    everything = tip(ARM, (100.0, 20.0, 30.0), (3.0, 4.0, 5.0))
    without = tip(ARM, (100.0, 20.0, 30.0), (3.0, 4.0, 5.0), effects=[e for e in EFFECTS if e != effect])
    alone = tip(ARM, (100.0, 20.0, 30.0), (3.0, 4.0, 5.0), effects=[effect])
    for whole, a, b in zip(everything, without, alone, strict=True):
        assert_allclose(whole, a + b, rtol=1e-12, atol=1e-18)
    assert np.abs([*alone.displacement, *alone.rotation]).max() > 0


def test_own_weight_uniform() -> None:
    rod = lp.Rod(0.01)
    arm = cantilever(rod, lp.STEEL, 1.2, gravity=9.81, inertia_from_beams=True)
    w, EI = 7850 * rod.area * 9.81, 210e9 * rod.second_moment_y
    found = arm.deflection([0.0], effects=["bending"]).tip
    assert_allclose(found.displacement[2], -w * 1.2**4 / (8 * EI), rtol=1e-12)
    assert_allclose(found.rotation[1], w * 1.2**3 / (6 * EI), rtol=1e-12)
    k = rod.shear_factors(lp.STEEL.poisson_ratio)[0]
    sheared = arm.deflection([0.0], effects=["shear"]).tip.displacement[2]
    assert_allclose(sheared, -w * 1.2**2 / (2 * k * 81e9 * rod.area), rtol=1e-12)


def test_triangular_load_of_a_spinning_start() -> None:
    """Angular acceleration loads the rod by a triangle: 11 q1 L^4 / 120 EI and q1 L^3 / 8 EI at the tip."""
    rod = lp.Rod(0.01)
    arm = cantilever(rod, lp.STEEL, 1.0, inertia_from_beams=True)
    found = arm.deflection([0.0], [0.0], [7.0], effects=["bending"]).tip
    q1, EI = 7850 * rod.area * 7.0, 210e9 * rod.second_moment_y
    spread = -11 * q1 / (120 * EI)
    # The rods' own turning inertia, rho I, is a couple at its middle.
    couple = 7850 * rod.second_moment_y * 7.0 / EI
    assert_allclose(found.displacement[2], spread - couple * 0.5 * (1 - 0.25), rtol=1e-12)
    assert_allclose(found.rotation[1], q1 / (8 * EI) + couple * 0.5, rtol=1e-12)


def test_centrifugal_load_stretches() -> None:
    rod = lp.Rod(0.01)
    arm = cantilever(rod, lp.STEEL, 1.0, inertia_from_beams=True)
    found = arm.deflection([0.0], [20.0], [0.0]).tip.displacement
    assert_allclose(found[0], 7850 * 20.0**2 / (3 * 210e9), rtol=1e-12)


def errata(P: Any, Q: Any, q0: Any, q1: Any, section: Any, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Section 6.10 of the errata, as printed there; q(x) = q0 + q1 x / L."""
    A, Iy, Iz, Jt = section.area, section.second_moment_y, section.second_moment_z, section.torsion_constant
    ky, kz = section.shear_factors(WEIGHTLESS.poisson_ratio)
    L = length
    m = (
        P[0] * L / (E * A) + (q0[0] / 2 + q1[0] / 3) * L**2 / (E * A),
        P[1] * (L**3 / (3 * E * Iz) + L / (ky * G * A)) + Q[2] * L**2 / (2 * E * Iz)
        + (q0[1] / 8 + 11 * q1[1] / 120) * L**4 / (E * Iz) + (q0[1] / 2 + q1[1] / 3) * L**2 / (ky * G * A),
        P[2] * (L**3 / (3 * E * Iy) + L / (kz * G * A)) - Q[1] * L**2 / (2 * E * Iy)
        + (q0[2] / 8 + 11 * q1[2] / 120) * L**4 / (E * Iy) + (q0[2] / 2 + q1[2] / 3) * L**2 / (kz * G * A),
    )
    n = (
        Q[0] * L / (G * Jt),
        Q[1] * L / (E * Iy) - P[2] * L**2 / (2 * E * Iy) - (q0[2] / 6 + q1[2] / 8) * L**3 / (E * Iy),
        Q[2] * L / (E * Iz) + P[1] * L**2 / (2 * E * Iz) + (q0[1] / 6 + q1[1] / 8) * L**3 / (E * Iz),
    )
    return np.array(m), np.array(n)


@pytest.mark.parametrize("seed", range(5))
def test_the_verified_formulas_of_the_errata(seed: int) -> None:
    rng = np.random.default_rng(seed)
    section, length = lp.RectangularTube(0.05, 0.03, 0.004), rng.uniform(0.2, 2.0)
    material = lp.Material(E, G, 3000.0)
    (piece,) = stretches(lp.Beam(section, material, end=(1, 0, 0)), length)
    P, Q, A, B = rng.normal(size=(4, 3))
    mu = 3000.0 * section.area
    m, n = errata(P, Q, -mu * A, -mu * length * B, section, length)
    total = sum_of(responses(piece))
    found_m, found_n = element_bend(total, ElementLoad(*map(as_scalars, (P, Q, A, B))))
    assert_allclose(found_m.astype(float), m, rtol=1e-12)
    assert_allclose(found_n.astype(float), n, rtol=1e-12)


def sum_of(parts: Any) -> Any:
    from loadpath.structure.beams.elastic_mechanism import Response

    return Response(*(sum(each) for each in zip(*parts.values(), strict=True)))


def test_the_vector_form_of_the_thesis_with_its_signs_put_right() -> None:
    """(7-9), (7-10): m = -(L/EI)(L x (L x P)/3 + L x Q/2), n = (L/EI)(L x P/2 + ((L x Q) x L)/(L.L)), a round rod."""
    rod, rng = lp.Rod(0.01), np.random.default_rng(3)
    arm = cantilever(rod, length=L)
    P, Q = rng.normal(size=(2, 3))
    found, EI, d = tip(arm, P, Q, effects=["bending"]), E * rod.second_moment_y, np.array([L, 0.0, 0.0])
    m = -(L / EI) * (np.cross(d, np.cross(d, P)) / 3 + np.cross(d, Q) / 2)
    n = (L / EI) * (np.cross(d, P) / 2 + np.cross(np.cross(d, Q), d) / (d @ d))
    assert_allclose(found.displacement, m, rtol=1e-12, atol=1e-18)
    assert_allclose(found.rotation, n, rtol=1e-12, atol=1e-18)


def test_errata_factors_of_the_printed_load_rules() -> None:
    """What the thesis prints bends a massless link 1.5 times too far under a tip force."""
    rod = lp.Rod(0.01)
    arm, EI = cantilever(rod, length=L), E * rod.second_moment_y
    right = tip(arm, (0, 0, -10.0), effects=["bending"])
    # The printed rule: bend with the difference of the wrenches at the ends, here force 0 and moment -10 L about y.
    force, torque = np.array([0, 0, -10.0]), np.zeros(3)
    at_root = torque + np.cross([L, 0, 0], force)
    printed_m, printed_n = L**2 / 2 * np.linalg.norm(at_root) / EI, L * np.linalg.norm(at_root) / EI
    assert_allclose(printed_m / abs(right.displacement[2]), 1.5, rtol=1e-12)
    assert_allclose(printed_n / abs(right.rotation[1]), 2.0, rtol=1e-12)
    # All weight at the middle (7-17), (7-18): 5/6 of the deflection, 3/4 of the slope of the uniform weight.
    spread = cantilever(rod, lp.Material(E, G, 1000.0), L, gravity=9.81, inertia_from_beams=True)
    weight = 9.81 * spread.link("link1").inertia.mass
    lumped = cantilever(rod, length=L, gravity=9.81)  # a beam without weight, the link's 1 kg at its middle
    right, wrong = (each.deflection([0.0], effects=["bending"]).tip for each in (spread, lumped))
    assert_allclose(wrong.displacement[2] / 9.81 / (right.displacement[2] / weight), 5 / 6, rtol=1e-9)
    assert_allclose(wrong.rotation[1] / 9.81 / (right.rotation[1] / weight), 3 / 4, rtol=1e-9)


def test_without_what_the_drive_balances() -> None:
    """The thesis's fourth assumption: only what is across the plane of motion bends the link of a revolute joint."""
    side = tip(ARM, (5.0, 20.0, 100.0), (1.0, 2.0, 3.0), effects=["bending"], without_driven=True)
    # Force along the axis (world y) only; no torque about it.
    same = tip(ARM, (0.0, 20.0, 0.0), (1.0, 0.0, 3.0), effects=["bending"])
    assert_allclose(side.displacement, same.displacement, rtol=1e-12, atol=1e-18)
    assert_allclose(side.rotation, same.rotation, rtol=1e-12, atol=1e-18)


def test_without_what_the_drive_of_a_slide_balances() -> None:
    """The drive of a rod that slides along itself on a turntable balances the centrifugal pull of rod and tip."""
    material = lp.Material(E, G, 5000.0)
    links = [lp.Link("base"), lp.Link("table", lp.Inertia(1.0)), lp.Link("slider"), lp.Link("tip", lp.Inertia(2.0))]
    joints = [
        lp.Joint("turn", "base", "table", lp.Revolute()),
        lp.Joint("slide", "table", "slider", lp.Prismatic(axis=(1, 0, 0))),
        lp.Joint("tip_joint", "slider", "tip", lp.Fixed(), lp.Pose(translation=(L, 0, 0))),
    ]
    robot = lp.Robot("turntable", links, joints, gravity=(0.0, 0.0, -9.81))
    held = lp.Guide(at=0.0, pads_on="child")  # a carriage that moves with the rod
    rod = lp.Beam(lp.Rod(0.02), material, end="tip_joint", guide=held)
    arm = robot.with_beams({"slider": rod}, inertia_from_beams=True)
    state = [0.3, 0.1], [20.0, 0.5], [3.0, 2.0]
    whole, across = (arm.deflection(*state, axes="link", without_driven=driven).tip for driven in (False, True))
    # On the turning table the slider's end moves by omega^2 r less its own acceleration towards the outside.
    area, outside = lp.Rod(0.02).area, 400.0 * (0.1 + L) - 2.0
    of_rod = quad(lambda x: 5000.0 * area * (L - x) * (400.0 * (0.1 + (L + x) / 2) - 2.0), 0, L)[0]
    assert_allclose(whole.displacement[0], (2.0 * outside * L + of_rod) / (E * area), rtol=1e-9)
    assert_allclose(across.displacement[0], 0.0, atol=1e-18)
    assert_allclose(across.displacement[1:], whole.displacement[1:], rtol=1e-12)
    assert abs(whole.displacement[2]) > 1e-5


def test_a_tapered_tube_against_integrals() -> None:
    thick, thin = lp.Tube(0.04, 0.003), lp.Tube(0.02, 0.002)
    material = lp.Material(E, G, 5000.0)
    arm = cantilever(thick, material, L, gravity=9.81, end_section=thin, inertia_from_beams=True)

    def at(x: float) -> lp.Tube:
        s = x / L
        return lp.Tube(0.04 - 0.02 * s, 0.003 - 0.001 * s)

    by_force = quad(lambda x: (L - x) ** 2 / (E * at(x).second_moment_y), 0, L, epsabs=1e-18, epsrel=1e-12)[0]
    assert_allclose(arm.compliance([0.0], effects=("bending",))[2, 2], by_force, rtol=1e-10)
    twist = quad(lambda x: 1 / (G * at(x).torsion_constant), 0, L, epsabs=1e-18, epsrel=1e-12)[0]
    assert_allclose(arm.compliance([0.0])[3, 3], twist, rtol=1e-10)

    def moment(x: float) -> float:
        return quad(lambda s: 9.81 * 5000.0 * at(s).area * (s - x), x, L, epsrel=1e-12)[0]

    sag = quad(lambda x: (L - x) * moment(x) / (E * at(x).second_moment_y), 0, L, epsrel=1e-11)[0]
    assert_allclose(arm.deflection([0.0], effects=["bending"]).tip.displacement[2], -sag, rtol=1e-9)
    mass = quad(lambda x: 5000.0 * at(x).area, 0, L)[0]
    assert_allclose(arm.link("link1").inertia.mass, mass, rtol=1e-12)


def test_a_stepped_beam_is_two_beams() -> None:
    thick, thin = lp.Rod(0.02), lp.Rod(0.01)
    arm = cantilever(None, None, 1.0, segments=[(0.4, thick, WEIGHTLESS), (0.6, thin, WEIGHTLESS)])  # type: ignore[arg-type]
    a, b = E * thick.second_moment_y, E * thin.second_moment_y
    # F = 1 at the tip: the thick part bends under the force and under 0.6, the rest rides on it.
    m1, n1 = 0.4**3 / (3 * a) + 0.6 * 0.4**2 / (2 * a), 0.4**2 / (2 * a) + 0.6 * 0.4 / a
    expected = m1 + n1 * 0.6 + 0.6**3 / (3 * b)
    assert_allclose(tip(arm, (0, 0, 1.0), effects=["bending"]).displacement[2], expected, rtol=1e-12)


def test_more_pieces_change_nothing_in_small_deflections() -> None:
    from loadpath.structure.beams.deflection_equations import small_deflection
    from loadpath.structure.beams.skeleton import skeleton

    arm = cantilever(lp.Tube(0.04, 0.003), lp.STEEL, gravity=9.81, end_section=lp.Tube(0.02, 0.003))
    state = [as_scalars([x]) for x in (0.4, 1.0, 2.0)]
    whole, cut = (
        small_deflection(skeleton(arm, n), *state, effects=EFFECTS, axes="world", without_driven=False) for n in (1, 7)
    )
    for a, b in zip(whole, cut, strict=True):
        assert_allclose(a.astype(float), b.astype(float), rtol=1e-10, atol=1e-18)


def test_orientation_of_the_section() -> None:
    """y_axis turns the section: with its y across (the link's z) the other second moment counts."""
    turned = cantilever(BAR, length=L, y_axis=(0, 0, 1))
    assert_allclose(tip(turned, (0, 0, 1.0), effects=["bending"]).displacement[2], L**3 / (3 * E * BAR.second_moment_y))
    tilted = cantilever(BAR, length=L, y_axis=(0, 1, 1))
    both = (1 / BAR.second_moment_y + 1 / BAR.second_moment_z) / 2
    found = tip(tilted, (0, 0, 1.0), effects=["bending"]).displacement
    assert_allclose(found[2], L**3 / (3 * E) * both, rtol=1e-12)
    assert abs(found[1]) > 0.05 * found[2]  # it bends out of the plane of the force
