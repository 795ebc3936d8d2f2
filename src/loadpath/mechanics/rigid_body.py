"""The small formulas of a rigid body that the recursions share."""

from __future__ import annotations

from loadpath.scalars import Array, Rotation, array, vector, zeros


def angular_acceleration_matrix(omega: Array, omegadot: Array) -> Array:
    """W = [omegadot]x + [omega]x [omega]x, so that a point at rho accelerates by W rho against the origin.

    W rho is the omegadot x rho + omega x (omega x rho) of the book (7.33b).
    """
    x, y, z = omega
    ax, ay, az = omegadot
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return array(
        [
            [-(yy + zz), xy - az, xz + ay],
            [xy + az, -(xx + zz), yz - ax],
            [xz - ay, yz + ax, -(xx + yy)],
        ]
    )


def euler_torque(inertia: Array, W: Array, omega: Array, omegadot: Array) -> Array:
    """I omegadot + omega x (I omega), gathered by the entries of I so that the products in W serve again."""
    xx, yy, zz = inertia[0, 0], inertia[1, 1], inertia[2, 2]
    xy, xz, yz = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    x, y, z = omega
    ax, ay, az = omegadot
    return vector(
        xx * ax + (zz - yy) * (y * z) + xz * W[1, 0] - xy * W[2, 0] + yz * (y * y - z * z),
        yy * ay + (xx - zz) * (x * z) + xy * W[2, 1] - yz * W[0, 1] + xz * (z * z - x * x),
        zz * az + (yy - xx) * (x * y) + yz * W[0, 2] - xz * W[1, 2] + xy * (x * x - y * y),
    )


def turned_matrix(Q: Rotation, of: Array) -> Array:
    """Q A Q^T of any 3 x 3 matrix A (`Rotation.tensor` is for symmetric ones)."""
    result = zeros(3, 3)
    for k in range(3):
        result[:, k] = Q @ of[:, k]
    for k in range(3):
        result[k] = Q @ result[k]
    return result
