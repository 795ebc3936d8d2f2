"""Equations of Lau's thesis as printed and as corrected, in plain floats and world axes, for its own kind of joint.

A joint of the thesis turns about its point o and then slides by d along the turned axes ("RT"); `slides_first` gives
the other order, sliding along the axes before the turn ("TR"). Each repair can be left out, to show what the printed
form gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

cross = np.cross


@dataclass(frozen=True)
class Joint:
    """A joint in motion and its link, all vectors in world axes."""

    o: np.ndarray
    """The joint's point, on the link before."""
    origin: np.ndarray
    """Origin of the link behind the motion: o + slide."""
    w: np.ndarray
    alpha: np.ndarray
    """Relative angular velocity, and acceleration as seen from the link before."""
    u: np.ndarray
    a: np.ndarray
    """Rates of the slide along the axes in which it is told."""
    mass: float
    center: np.ndarray
    tensor: np.ndarray
    """About the mass center."""
    slides_first: bool = False


def closed_form(
    chain: list[Joint],
    g: np.ndarray,
    *,
    own_product_twice: bool = False,
    kronecker_missing: bool = False,
    extra_inertia: bool = False,
    gravity_as_load: bool = False,
    own_product_always: bool = False,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Force and torque at every joint, about o: (3-81) and (3-90), with central inertias.

    As printed: `own_product_twice` (3-20), `kronecker_missing` (3-28), `extra_inertia` (3-70a, 3-98a),
    `gravity_as_load` (3-75, 3-78), `own_product_always` (3-98b for joints that slide first).
    """
    wrenches = []
    for i, at in enumerate(chain):
        F_i, N_i = np.zeros(3), np.zeros(3)
        for j, link in enumerate(chain[i:], start=i):
            F, N = np.zeros(3), np.zeros(3)
            for k, joint in enumerate(chain[: j + 1]):
                r_k = link.center - _center_of_turn(joint)
                F += joint.a + cross(joint.alpha, r_k)
                F += cross(joint.w, cross(joint.w, r_k))
                own = 1.0 if own_product_always or not joint.slides_first else 0.0
                F += 2 * own * (2 if own_product_twice else 1) * cross(joint.w, joint.u)
                if kronecker_missing:
                    F += 2 * cross(joint.w, cross(joint.w, r_k))
                N += link.tensor @ joint.alpha + cross(joint.w, link.tensor @ joint.w)
                for later in chain[k + 1 : j + 1]:
                    r_l = link.center - _center_of_turn(later)
                    F += 2 * cross(joint.w, later.u + cross(later.w, r_l))
                    N += -np.trace(link.tensor) * cross(later.w, joint.w)
                    N += 2 * cross(later.w, link.tensor @ joint.w)
                    if extra_inertia:
                        N += 2 * link.tensor @ cross(later.w, joint.w)
            F = link.mass * (F + (g if gravity_as_load else -g))
            F_i += F
            N_i += N + cross(link.center - at.o, F)
        wrenches.append((F_i, N_i))
    return wrenches


def _center_of_turn(joint: Joint) -> np.ndarray:
    return joint.origin if joint.slides_first else joint.o


def recursion(
    chain: list[Joint], g: np.ndarray, *, turning_of_link_before: bool = False, gravity_pulls_base_down: bool = False
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Force and torque at every joint, about o, by chapter 5; joints turn first.

    As printed: `turning_of_link_before` takes w and alpha of the link before in (5-31), `gravity_pulls_base_down`
    starts with + g (5-34).
    """
    W, AL, acc, at = np.zeros(3), np.zeros(3), (g if gravity_pulls_base_down else -g), np.zeros(3)
    motions = []
    for joint in chain:
        d = joint.o - at
        acc_o = acc + cross(AL, d) + cross(W, cross(W, d))
        W_i = W + joint.w
        AL_i = AL + joint.alpha + cross(W, joint.w)
        D = joint.origin - joint.o
        slid = joint.a + 2 * cross(W_i, joint.u)
        acc_p = acc_o + slid + cross(AL_i, D) + cross(W_i, cross(W_i, D))
        arm = joint.center - joint.origin
        acc_c = acc_p + cross(AL_i, arm) + cross(W_i, cross(W_i, arm))
        if turning_of_link_before:
            motions.append((acc_o + joint.a + 2 * cross(W, joint.u), acc_c, W, AL))
        else:
            motions.append((acc_o + slid, acc_c, W_i, AL_i))
        W, AL, acc, at = W_i, AL_i, acc_p, joint.origin
    wrenches: list[tuple[np.ndarray, np.ndarray]] = []
    F, N, o = np.zeros(3), np.zeros(3), chain[-1].o
    for joint, (epsilon, acc_c, w, alpha) in reversed(list(zip(chain, motions, strict=True))):
        p = joint.center - joint.o
        tensor = joint.tensor + joint.mass * (p @ p * np.eye(3) - np.outer(p, p))
        N = N + cross(o - joint.o, F)
        N = N + joint.mass * cross(p, epsilon) + tensor @ alpha + cross(w, tensor @ w)
        F = F + joint.mass * acc_c
        o = joint.o
        wrenches.append((F, N))
    return wrenches[::-1]


def turning_matrices(
    steps: list[tuple[np.ndarray, np.ndarray, np.ndarray]], *, factor_missing: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """0_A^N and its two time derivatives from those of every joint: (5-1) to (5-3), printed without a factor B."""
    A, A_t, A_tt = np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))
    for B, B_t, B_tt in steps:
        before = np.eye(3) if factor_missing else B
        A, A_t, A_tt = A @ B, A_t @ before + A @ B_t, A_tt @ before + 2 * A_t @ B_t + A @ B_tt
    return A, A_t, A_tt


def triple_product(p: np.ndarray, q: np.ndarray, r: np.ndarray, *, as_printed: bool = False) -> np.ndarray:
    """p x (q x (r x p)) by (2-86)."""
    J = p @ p * np.eye(3) - np.outer(p, p)
    value = -0.5 * np.trace(J) * cross(r, q) + cross(r, J @ q)
    return value + J @ cross(r, q) if as_printed else value


def velocity_coefficient(
    mass: float,
    p: np.ndarray,
    K: np.ndarray,
    i: tuple[np.ndarray, np.ndarray],
    k: tuple[np.ndarray, np.ndarray],
    l: tuple[np.ndarray, np.ndarray],  # noqa: E741
    *,
    as_printed: bool = False,
) -> float:
    """D_ikl^{,j} for l >= k from delta, mu of i, k, l: (4-104)."""
    (delta_i, mu_i), (delta_k, _), (delta_l, mu_l) = i, k, l
    value = (
        delta_i @ cross(delta_l, K @ delta_k)
        - 0.5 * np.trace(K) * delta_i @ cross(delta_l, delta_k)
        + delta_k @ cross(mu_l, mu_i)
        + p @ cross(delta_l, cross(delta_k, mu_i))
        + p @ cross(delta_i, cross(mu_l, delta_k))
    )
    if as_printed:
        value += delta_i @ K @ cross(delta_l, delta_k)
    return float(mass * value)
