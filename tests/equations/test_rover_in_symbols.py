"""A rover in symbols: base and arm on a planar joint, what the ground exerts, and chapter 6 of the thesis from it."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from equations.evaluated import at, same
from loadpath.mobile.equations import equations_of

v, w, vdot, alpha = sympy.symbols("v w vdot alpha")


def rolling(found: lp.equations.Equations) -> dict[sympy.Symbol, sympy.Expr]:
    """The base along its own axes, (v, w) and their rates, while it points along the ground's x."""
    base = (found.q[2], *found.qd[:3], *found.qdd[:3])
    return dict(zip(base, (sympy.Integer(0), v, sympy.Integer(0), w, vdot, v * w, alpha), strict=True))


def test_the_ground_exerts_what_the_rover_computes() -> None:
    rover = lp.catalog.lau_rover()
    found = rover.planar.equations()
    wrench = found.joint_wrenches["ground_joint"]
    rng = np.random.default_rng(2)
    (q, qd, qdd), (speeds, rates) = rng.uniform(-1, 1, (3, rover.n)), rng.uniform(-1, 1, (2, 2))
    base = {"velocity": np.array([speeds[0], 0, speeds[1]]), "acceleration": np.array([rates[0], 0, rates[1]])}
    force, torque = rover.compiled_ground_wrench.uncompiled(q, qd, qdd, **base)  # what `ground_wrench` computes
    moving = rolling(found)
    values = [entry.subs(moving).subs({v: speeds[0], w: speeds[1], vdot: rates[0], alpha: rates[1]})
              for entry in (*wrench.force, *wrench.torque)]
    state = tuple(np.concatenate([np.zeros(3), part]) for part in (q, qd, qdd))
    same(at(found, values, state), np.concatenate([force, torque]))


def test_coefficients_of_the_thesis() -> None:
    """C_11, C_21, C_22, C_31, C_32 of (6-76) to (6-86), as corrected, and the terms in w^2 that they lack: with the arm
    at rest on the base, in the angle theta of the free wheel, v = w s cot(theta).
    """
    found = lp.catalog.lau_rover().planar.equations(parameters="symbols")
    frozen = dict.fromkeys((*found.qd[3:], *found.qdd[3:]), sympy.Integer(0))
    wrench = found.joint_wrenches["ground_joint"]
    force, torque = (part.subs(frozen).subs(rolling(found)) for part in (wrench.force, wrench.torque))
    theta, omega, s = sympy.symbols("theta Omega s")
    cot = sympy.cot(theta)
    circle = {v: w * s * cot, vdot: alpha * s * cot - s * omega * w / sympy.sin(theta) ** 2}
    F_x, F_y, N_z = (sympy.expand(entry.subs(circle)) for entry in (force[0], force[1], torque[2]))

    g = sympy.Symbol("g")
    rest = dict.fromkeys((v, w, vdot, alpha), 0)
    M = force[2].subs(rest) / g
    h_x, h_y = -torque[1].subs(rest) / (M * g), torque[0].subs(rest) / (M * g)
    I_c = sympy.diff(torque[2], alpha) - M * (h_x**2 + h_y**2)

    def equal(one: sympy.Expr, other: sympy.Expr) -> bool:
        rng = np.random.default_rng(5)
        symbols = sorted((one - other).free_symbols, key=str)
        numbers = dict(zip(symbols, rng.uniform(0.3, 1.3, len(symbols)), strict=True))
        return bool(abs((one - other).subs(numbers).evalf()) < 1e-11)

    def coefficients(of: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        turning = sympy.diff(of, omega) / w
        return sympy.diff(of, alpha), turning, of.subs({alpha: 0, omega: 0}) / w**2

    x, y, z = (coefficients(part) for part in (F_x, F_y, N_z + F_x * s * cot))  # moments about the turning point
    arm = s * cot - h_y
    for found_here, thesis in ((y[0], M * h_x), (y[1], sympy.Integer(0)), (y[2], M * arm),
                               (x[0], M * arm), (x[1], -M * s / sympy.sin(theta) ** 2), (x[2], -M * h_x)):
        assert equal(found_here, thesis)
    # About the turning point, which is (0, s cot) from the base's origin: N_z - (0, s cot) x F = N_z + F_x s cot.
    assert equal(z[0], I_c + M * h_x**2 + M * arm**2)
    assert equal(z[1], -M * s * arm / sympy.sin(theta) ** 2)


def four_wheels(**ground: float) -> lp.Rover:
    wheels = [lp.FixedWheel(at, 0.1, compliance=1.0 + k)
              for k, at in enumerate([(0.5, 0.4), (0.5, -0.4), (-0.4, 0.4), (-0.4, -0.4)])]
    base = lp.WheeledBase(mass=80, inertia=np.diag([2.0, 2.5, 3.0]), center_of_mass=(0.05, 0.02, 0.2), wheels=wheels)
    return base.carrying(lp.catalog.two_link(), at=(0.1, 0.05, 0.3), ground=lp.Ground(**ground))


ROVERS = {"thesis": lp.catalog.lau_rover, "four wheels": four_wheels, "slope": lambda: four_wheels(slope=0.2)}


@pytest.mark.parametrize("kind", ROVERS)
def test_base_and_robots_together_are_the_kernel_s(kind: str) -> None:
    """M, h, V, v of `rover_equations`, which simulations march on, and the normal forces of `wheel_loads`."""
    rover = ROVERS[kind]()
    found = rover.equations(parameters="numbers" if kind != "slope" else {"gravity": "g"})
    rng = np.random.default_rng(1)
    (q, qd), u, udot = rng.uniform(-0.5, 0.5, (2, rover.n)), rng.uniform(-0.5, 0.5, 3), rng.uniform(-1, 1, 3 + rover.n)
    x, y, heading = rng.uniform(-2, 2, 3)
    state = dict(zip((*found.q, *found.qd, *found.qdd), (x, y, heading, *q, *u, *qd, *udot), strict=True))
    state |= found.parameters

    def number(matrix: sympy.Matrix) -> np.ndarray:
        return np.array(sympy.lambdify(list(state), matrix)(*state.values()), dtype=float).squeeze()

    kernel = equations_of(rover, q, qd, u, heading)
    for ours, theirs in ((found.mass_matrix, kernel.mass_matrix), (found.velocity_forces + found.gravity, kernel.bias),
                         (found.vertical_matrix, kernel.vertical_matrix), (found.vertical_bias, kernel.vertical_bias)):
        np.testing.assert_allclose(number(ours), theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    loads = rover.wheel_loads(q, qd, udot[3:], velocity=u, acceleration=udot[:3], heading=heading)
    np.testing.assert_allclose(number(found.normal_forces), loads.normal, rtol=1e-12)
    wrench = rover.ground_wrench(q, qd, udot[3:], velocity=u, acceleration=udot[:3], heading=heading)
    six = np.concatenate([wrench.force, wrench.torque])
    np.testing.assert_allclose(number(found.ground_wrench), six, rtol=0, atol=1e-12 * np.abs(six).max())


def test_the_thesis_s_equations_hold_while_the_arm_moves() -> None:
    """(6-76) to (6-78), corrected, with C11 ... C33 in the letters of the thesis and what these are, against the forces
    that `wheel_loads` and `ground_wrench` have in the same motion.
    """
    rover = lp.catalog.lau_rover()
    found = rover.equations()
    thesis = found.thesis
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.uniform(-0.6, 0.6, (3, rover.n))
    angle, turn, turns, swivels, s, mu = 0.8, 0.5, -0.3, 0.4, 0.6, 0.01
    cot = 1 / np.tan(angle)
    velocity = (turn * s * cot, turn)
    acceleration = (turns * s * cot - s * swivels * turn / np.sin(angle) ** 2, turns)
    loads = rover.wheel_loads(q, qd, qdd, velocity=velocity, acceleration=acceleration)
    wrench = rover.ground_wrench(q, qd, qdd, velocity=velocity, acceleration=acceleration)
    names = [sympy.Symbol(name) for name in ("theta", "w", "alpha", "Omega")]
    motion = dict(zip((*names, *found.q[3:], *found.qd[3:], *found.qdd[3:]),
                      (angle, turn, turns, swivels, *q, *qd, *qdd), strict=True))
    letters = {symbol: float(value.subs(motion)) for symbol, value in thesis.definitions.items()}
    normal = [letters[sympy.Symbol(f"N{k}")] for k in (1, 2, 3)]
    np.testing.assert_allclose(normal, loads.normal, rtol=1e-12)
    assert letters[sympy.Symbol("mu")] == mu and letters[sympy.Symbol("M")] == pytest.approx(12.0)
    np.testing.assert_allclose([letters[sympy.Symbol("h_x")], letters[sympy.Symbol("h_y")]],
                               rover.mass_center(q)[:2], atol=1e-12)
    C = {name: float(value.subs(letters).subs(motion)) for name, value in thesis.coefficients.items()}
    extra = [float(part.subs(letters).subs(motion)) for part in thesis.centrifugal]
    left = [C[f"C{i}1"] * turns + C[f"C{i}2"] * swivels * turn + C[f"C{i}3"] + extra[i - 1] for i in (1, 2, 3)]
    resists = mu * normal[0] * np.array([np.cos(angle), np.sin(angle)])
    along, across = wrench.force[0] + mu * (normal[1] + normal[2]) + resists[0], wrench.force[1] + resists[1]
    about = (wrench.torque[2] + wrench.force[0] * s * cot + mu * (normal[1] * (s * cot - 0.3) + normal[2]
             * (s * cot + 0.3)) + mu * normal[0] * s / np.sin(angle))  # of the turning point (0, s cot)
    np.testing.assert_allclose(left, [across, along, about], atol=1e-12 * wrench.force[2])
    assert thesis.wrong == ("C13", "C23", "C31", "C33") and C["C12"] == 0
    assert [side.rhs for side in thesis.equations] == [-sympy.Symbol("f"), 0, 0]


def test_objects_of_a_rover_s_equations() -> None:
    found = lp.catalog.lau_rover().equations(parameters="symbols", letters={"ground_joint.x.qd": "u"})
    assert [str(symbol) for symbol in found.qd[:4]] == ["u", "v_y", "w", "qd1"]
    assert found.contact_points == ((sympy.Symbol("s"), 0), (0, sympy.Symbol("d")), (0, -sympy.Symbol("d")))
    assert found["C22"].latex() == (
        "\\begin{aligned}\nC_{22} &= - \\frac{M s}{\\sin^{2}{\\left(\\theta \\right)}}\n\\end{aligned}")
    assert "C33" in found.objects and "normal_forces" in found and str(found["C11"]) == "C11 = M*h_x"
    assert found["normal_forces"].value.shape == (3, 1)
    assert 2 * sympy.expand(found.kinetic_energy).coeff(found.qd[0], 2) == sympy.expand(found.mass_matrix[0, 0])
    alone = lp.catalog.lau_rover().robot.equations(parameters="symbols").mass_matrix
    same = found.mass_matrix[3:, 3:].subs({f"m{2 * k + 3}": f"m{k + 2}" for k in range(2)})
    assert alone.shape == (3, 3) and same.shape == alone.shape


def test_what_has_no_equations_of_the_thesis() -> None:
    with pytest.raises(lp.ModelError, match="stands otherwise than the base of Lau's thesis"):
        four_wheels().equations().thesis  # noqa: B018
    with pytest.raises(lp.ModelError, match="are those on level ground"):
        lp.catalog.lau_rover(ground=lp.Ground(slope=0.1)).equations().thesis  # noqa: B018
    caster = lp.CasterWheel((0.6, 0), 0.1, trail=0.05)
    fixed = [lp.FixedWheel((0, y), 0.1) for y in (0.3, -0.3)]
    trailing = lp.WheeledBase(mass=10, center_of_mass=(0.2, 0, 0.2), inertia=np.eye(3), wheels=[caster, *fixed])
    trailing = trailing.carrying()
    with pytest.raises(lp.ModelError, match="casters that trail"):
        trailing.equations().normal_forces  # noqa: B018
    assert trailing.equations().mass_matrix[0, 0] == 10
    with pytest.raises(ValueError, match="stands on the ground"):
        lp.catalog.lau_rover().equations(letters="angeles").noninertial  # noqa: B018
    with pytest.raises(ValueError, match="no object 'C44'"):
        lp.catalog.lau_rover().equations()["C44"]
