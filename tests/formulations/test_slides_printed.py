"""The slides on the natural orthogonal complement: their constraint equations, as printed and as they hold.

Lines about T, its rate and C are in `test_orthogonal_complement.py`, those of the noninertial base too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from references.angeles_printed import Row
from references.dh_chains import dh_matrix, random_motion, random_rows, skew

OFF = 0.01


class Chain:
    """A chain at one state in base axes: e_i and O_i of joint i, c_i, omega_i and cdot_i of link i, from zero."""

    def __init__(self, rows: Sequence[Row], q: np.ndarray, qd: np.ndarray) -> None:
        A = [np.eye(4)]
        for row, x in zip(rows, q, strict=True):
            A.append(A[-1] @ dh_matrix(row, x))
        self.rows, self.q, self.qd = rows, q, qd
        self.e, self.O = [a[:3, 2] for a in A[:-1]], [a[:3, 3] for a in A[:-1]]
        self.c = [a[:3, 3] + a[:3, :3] @ row.center for a, row in zip(A[1:], rows, strict=True)]
        self.T = np.zeros((6 * len(rows), len(rows)))
        for i in range(len(rows)):
            for j in range(i + 1):
                self.T[6 * i : 6 * i + 6, j] = self.t_ij(i, j)
        self.t = self.T @ qd
        self.omega = [self.t[6 * i : 6 * i + 3] for i in range(len(rows))]
        self.cdot = [self.t[6 * i + 3 : 6 * i + 6] for i in range(len(rows))]

    def t_ij(self, i: int, j: int) -> np.ndarray:
        if self.rows[j].prismatic:
            return np.array([0.0, 0.0, 0.0, *self.e[j]])
        return np.array([*self.e[j], *np.cross(self.e[j], self.c[i] - self.O[j])])

    def blocks(self, i: int, as_printed: str = "") -> tuple[np.ndarray, np.ndarray]:
        """K_{i,i-1} and K_ii; of the first joint on an inertial base the second alone counts."""
        before, here, one, E = np.zeros((6, 6)), np.zeros((6, 6)), np.eye(3), skew(self.e[i])
        D = skew(self.O[i] - self.c[i - 1]) if i else np.zeros((3, 3))
        R = skew(self.c[i] - self.O[i])  # of rho_i; of rho_i + b_i e_i for a prismatic joint
        if not self.rows[i].prismatic:
            before[:3, :3], before[3:, :3], before[3:, 3:] = -E, D, -one
            here[:3, :3], here[3:, :3], here[3:, 3:] = E, R, one
            return before, here
        if as_printed == "K'_11":
            E = skew(self.e[i + 1])  # printed E_i in the matrix of the first joint
        before[:3, :3], before[3:, 3:] = -one, -E
        here[:3, :3], here[3:, 3:] = one, E
        if i:
            # D_{i-1} is of delta_{i-1}; a second symbol D'_{i-1} is never defined: read as the arm with the slide
            slide = (self.rows[i].b + self.q[i]) * self.e[i]
            here[3:, :3] = E @ ((D + skew(slide) if as_printed == "R'" else D) + R)
        return before, here

    def K(self, as_printed: str = "") -> np.ndarray:
        n = len(self.rows)
        result = np.zeros((6 * n, 6 * n))
        for i in range(n):
            before, here = self.blocks(i, as_printed)
            result[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = here
            if i:
                result[6 * i : 6 * i + 6, 6 * (i - 1) : 6 * i] = before
        return result


@pytest.fixture(scope="module")
def chain() -> Chain:
    return Chain(random_rows("RRPR", 4), *random_motion(4, 5)[:2])


def test_uncoupled_equations_have_the_rate_of_the_twist() -> None:
    """M tdot = -W M t + w, printed first with t: momentum is no force. Of one link that turns about its mass center."""
    tensor, omega, omegadot = np.diag([1.0, 2.0, 3.0]), np.array([0.3, -0.5, 0.7]), np.array([1.0, 2.0, -1.0])
    moment = tensor @ omegadot + np.cross(omega, tensor @ omega)
    assert np.abs(tensor @ omega + np.cross(omega, tensor @ omega) - moment).max() > OFF


def test_k_t_is_zero_with_rank_5n(chain: Chain) -> None:
    """K T = 0 follows from K t = 0 with t = T thetadot; the slides say "substituting into K T = 0"."""
    assert np.abs(chain.K() @ chain.t).max() < 1e-12
    assert np.abs(chain.K() @ chain.T).max() < 1e-13
    assert np.linalg.matrix_rank(chain.K()) == 5 * 4


def test_the_first_link_turns_about_the_origin_with_its_velocity(chain: Chain) -> None:
    """cdot_1 + R_1 omega_1 = 0; printed with c_i."""
    R = skew(chain.c[0] - chain.O[0])
    assert np.abs(chain.cdot[0] + R @ chain.omega[0]).max() < 1e-13
    assert np.abs(chain.c[0] + R @ chain.omega[0]).max() > OFF


def test_one_block_row_holds_two_blocks(chain: Chain) -> None:
    """K_{i,i-1} t_{i-1} + K_ii t_i = 0; printed K_i, K_{i-1} t_{i-1} + K_ii t_i."""
    before, here = chain.blocks(1)
    assert np.abs(before @ chain.t[:6] + here @ chain.t[6:12]).max() < 1e-12
    assert np.abs(here @ chain.t[6:12]).max() > OFF  # the second block alone does not


def test_a_slide_is_relative_to_the_velocity_of_the_link_before(chain: Chain) -> None:
    """cdot_i - cdot_{i-1} + R'_i omega_i - bdot_i e_i = 0; printed with c_{i-1}."""
    i, R = 2, skew(chain.c[2] - chain.c[1])
    right = chain.cdot[i] - chain.cdot[i - 1] + R @ chain.omega[i] - chain.qd[i] * chain.e[i]
    printed = chain.cdot[i] - chain.c[i - 1] + R @ chain.omega[i] - chain.qd[i] * chain.e[i]
    assert np.abs(right).max() < 1e-12
    assert np.abs(printed).max() > OFF


def test_r_prime_has_the_slide_once(chain: Chain) -> None:
    """R'_i = D_{i-1} + R_i is the cross-product matrix of c_i - c_{i-1}; R_i has the slide, D_{i-1} has not."""
    assert np.abs(chain.K("R'") @ chain.T).max() > OFF


def test_the_axis_of_the_first_joint_is_e_1() -> None:
    """K'_11 = diag(1, E_1), printed E_i, and only on an inertial base."""
    chain = Chain(random_rows("PRR", 4), *random_motion(3, 5)[:2])
    assert np.abs(chain.K() @ chain.T).max() < 1e-13
    assert np.abs(chain.K("K'_11") @ chain.T).max() > OFF


def test_twists_come_of_rates(chain: Chain) -> None:
    """t_i = thetadot_1 t_i1 + ... + bdot_k t'_ik + ...; printed with theta_1, b_k, theta_i."""
    i = 3
    columns = [chain.t_ij(i, j) for j in range(i + 1)]
    found = sum(rate * column for rate, column in zip(chain.qd, columns, strict=True))
    printed = sum(x * column for x, column in zip(chain.q, columns, strict=True))
    assert np.abs(found - chain.t[-6:]).max() < 1e-12
    assert np.abs(printed - chain.t[-6:]).max() > OFF
