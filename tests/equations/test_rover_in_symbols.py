"""A rover in symbols: base and arm on a planar joint, what the ground exerts, and chapter 6 of the thesis from it."""

from __future__ import annotations

import numpy as np
import sympy

import loadpath as lp
from equations.evaluated import at, same

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


def test_equations_of_a_rover_are_those_of_the_robots_on_its_base() -> None:
    """Those of base and robots together are rover.planar's."""
    rover = lp.catalog.lau_rover()
    found, alone = (subject.equations(parameters="symbols").mass_matrix for subject in (rover, rover.robot))
    assert found.shape == (3, 3) and (found - alone).expand() == 0 * alone
