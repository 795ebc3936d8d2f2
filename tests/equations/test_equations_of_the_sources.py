"""Equations printed in the sources: the two-link arm of the course notes and the arm of Lau's thesis."""

from __future__ import annotations

import math

import pytest
import sympy

import loadpath as lp

FORMULATIONS = list(lp.Robot.inverse_dynamics.formulations)
m1, m2, l1, l2, g, q1, q2, q3 = sympy.symbols("m1 m2 l1 l2 g q1 q2 q3")
qd1, qd2, qd3 = sympy.symbols("qd1 qd2 qd3")


def same(a: object, b: object) -> bool:
    """Equal to the last term, by the angle-sum theorem."""
    difference = sympy.Matrix(a) - sympy.Matrix(b)
    return all(sympy.expand(sympy.expand_trig(entry)) == 0 for entry in difference)


def test_two_links_are_equations_22_and_23_of_the_course_notes() -> None:
    found = lp.catalog.two_link().equations(parameters="symbols")
    s1, s12, c2, s2 = sympy.sin(q1), sympy.sin(q1 + q2), sympy.cos(q2), sympy.sin(q2)
    off = m2 * l2**2 + m2 * l1 * l2 * c2
    k = m2 * l1 * l2 * s2
    assert same(found.mass_matrix, [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2, off], [off, m2 * l2**2]])
    assert same(found.centrifugal, [[0, -k], [k, 0]])
    assert same(found.coriolis, [[-k, -k], [0, 0]])
    assert same(found.coriolis_matrix, [[-k * qd2, -k * (qd1 + qd2)], [k * qd1, 0]])
    assert same(found.gravity, [g * (m1 + m2) * l1 * s1 + g * m2 * l2 * s12, g * m2 * l2 * s12])
    assert not any(found.friction)


def test_two_links_are_written_as_the_course_notes_write_them() -> None:
    found = lp.catalog.two_link().equations(parameters="symbols")
    assert str(found.mass_matrix[0, 0]) == "l1**2*(m1 + m2) + 2*l1*l2*m2*cos(q2) + l2**2*m2"
    assert str(found.coriolis_matrix[0, 1]) == "-l1*l2*m2*(qd1 + qd2)*sin(q2)"
    assert str(found.gravity[0]) == "g*l1*(m1 + m2)*sin(q1) + g*l2*m2*sin(q1 + q2)"


def test_distributed_masses_are_equations_of_the_third_example() -> None:
    """Section 1.4 of the notes: rods, so m l^2/12 about the middle."""
    names = {
        "link1.mass": "m1", "link2.mass": "m2", "joint2.origin.x": "l1", "gravity": "g",
        "link1.center_of_mass.x": "l1/2", "link2.center_of_mass.x": "l2/2",
        **{f"link{i}.inertia.{e}": f"m{i}*l{i}**2/12" for i in (1, 2) for e in ("yy", "zz")},
    }
    found = lp.catalog.two_link(distributed=True).equations(parameters=names)
    off = m2 * l2**2 / 3 + m2 * l1 * l2 * sympy.cos(q2) / 2
    first = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * sympy.cos(q2))
    assert same(found.mass_matrix, [[first, off], [off, m2 * l2**2 / 3]])
    assert same(found.gravity[1:, :], [g * m2 * l2 / 2 * sympy.sin(q1 + q2)])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_arm_of_the_thesis(formulation: str) -> None:
    """The corrected worked example: q = theta1, theta2, d2; r = d2 - L/2; central moments of the rod in frame 2."""
    M, d1, L, I1zz, Ixx, Iyy, Izz = sympy.symbols("M d1 L I1zz Ixx Iyy Izz")
    names = {
        "rod.mass": "M", "theta2.origin.y": "d1", "rod.center_of_mass.x": "L/2", "turntable.inertia.zz": "I1zz",
        "rod.inertia.xx": "Ixx", "rod.inertia.yy": "Iyy", "rod.inertia.zz": "Izz", "gravity": "g",
    }
    found = lp.catalog.lau_arm().equations(formulation, names)
    c, s, r = sympy.cos(q2), sympy.sin(q2), q3 - L / 2
    w1, w2, u = qd1, qd2, qd3
    D11 = I1zz + M * d1**2 + Ixx * s**2 + (Izz + M * r**2) * c**2
    D12, D13 = -M * d1 * r * s, M * d1 * c
    h1 = (
        2 * (Ixx - Izz - M * r**2) * s * c * w1 * w2
        + 2 * M * r * c**2 * w1 * u
        - M * d1 * r * c * w2**2
        - 2 * M * d1 * s * w2 * u
    )
    h2 = (Izz + M * r**2 - Ixx) * s * c * w1**2 + 2 * M * r * w2 * u
    h3 = -M * r * (c**2 * w1**2 + w2**2)

    def equal(a: object, b: object) -> bool:
        return all(sympy.expand(sympy.expand(x).subs(s**2, 1 - c**2)) == 0 for x in sympy.Matrix(a) - sympy.Matrix(b))

    assert equal(found.mass_matrix, [[D11, D12, D13], [D12, Iyy + M * r**2, 0], [D13, 0, M]])
    assert equal(found.velocity_forces, [h1, h2, h3])
    assert equal(found.gravity, [0, M * g * r * c, M * g * s])


def test_sine_squares_of_the_thesis_are_found() -> None:
    names = {"rod.inertia.xx": "Ixx", "rod.inertia.zz": "Izz"}
    entry = lp.catalog.lau_arm().equations(parameters=names).mass_matrix[0, 0]
    assert entry.coeff(sympy.Symbol("Ixx")) == sympy.sin(q2) ** 2


def test_pose_numbers_of_the_course_notes() -> None:
    """(27), and the inverse dynamics of poses 1 and 2, from the equations with numbers."""
    found = lp.catalog.two_link().equations()
    torques = sympy.lambdify([found.q, found.qd, found.qdd], list(found.torques))
    half = math.pi / 2
    assert torques([half, 0], [0, 0], [0, 25.0]) == pytest.approx([79.4, 34.8])
    assert torques([half, half], [0, 0], [0, 0]) == pytest.approx([19.6, 0])
    assert torques([half, half], [0, 2], [0, 0]) == pytest.approx([15.6, 0])
