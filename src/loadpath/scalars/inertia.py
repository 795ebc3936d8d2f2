"""Inertia tensors from second moments of mass: the parallel-axis theorem, once, for any scalar.

A body has the second moments S = sum of m r r^T over its points, and the inertia tensor tr(S) 1 - S about the same
origin. Displaced by a, with the first moment c = sum of m r, it gains the second moments a c^T + c a^T + m a a^T.
"""

from __future__ import annotations

from loadpath.scalars.algebra import Array, Scalar, array, outer, scale


def inertia_tensor(second: Array) -> Array:
    """Inertia tensor tr(S) 1 - S of the second moments S, of which the upper half is read.

    >>> inertia_tensor(array([[1, 2, 3], [2, 4, 5], [3, 5, 6]])).tolist()
    [[10, -2, -3], [-2, 7, -5], [-3, -5, 5]]
    """
    xx, yy, zz, xy, xz, yz = second[0, 0], second[1, 1], second[2, 2], second[0, 1], second[0, 2], second[1, 2]
    return array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def symmetric_product(a: Array, b: Array) -> Array:
    """a b^T + b a^T."""
    return array([[2 * (x * b[i]) if i == j else x * b[j] + a[j] * b[i] for j in range(3)] for i, x in enumerate(a)])


def point_tensor(mass: Scalar, a: Array) -> Array:
    """Inertia tensor about the origin of a mass at the point a.

    >>> point_tensor(2, array([1, 0, 3])).tolist()
    [[18, 0, -6], [0, 20, 0], [-6, 0, 2]]
    """
    return inertia_tensor(scale(mass, outer(a, a)))


def parallel_axis(mass: Scalar, moment: Array, a: Array) -> Array:
    """What the inertia tensor of a body gains about an origin from where the present one is at a: the body has this
    mass and, about the present origin, this first moment.

    >>> parallel_axis(2.0, array([0.0, 0.0, 0.0]), array([1.0, 0.0, 3.0])).diagonal().tolist()
    [18.0, 20.0, 2.0]
    """
    return inertia_tensor(symmetric_product(a, moment + scale(0.5, scale(mass, a))))
