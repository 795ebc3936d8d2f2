"""What a mass point of a moving chain needs: its spatial inertia, and the wrench that keeps it on its path."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.scalars import Array, Scalar, array, cross, dot, identity, outer, scale, skew, zeros


class Moving(NamedTuple):
    """A frame in motion, in world axes: its axes R and origin x, angular velocity w and velocity v of its origin, and
    the accelerations that it has while all speeds are steady.
    """

    R: Array
    x: Array
    w: Array
    v: Array
    wd: Array
    a: Array

    def turned(self, by: Array) -> Moving:
        """The same with axes turned by a constant matrix."""
        return self._replace(R=self.R @ by)

    def at(self, arm: Array) -> Moving:
        """A point fixed to it, `arm` in its axes."""
        r = self.R @ arm
        return self._replace(
            x=self.x + r,
            v=self.v + cross(self.w, r),
            a=self.a + cross(self.wd, r) + cross(self.w, cross(self.w, r)),
        )

    def moved(self, turn: Array, move: tuple[Array, Array, Array], spin: tuple[Array, Array]) -> Moving:
        """What moves against it: turned and displaced, with derivatives in its axes."""
        r, rd, rdd = (self.R @ part for part in move)
        s, sd = (self.R @ part for part in spin)
        return Moving(
            R=self.R @ turn,
            x=self.x + r,
            w=self.w + s,
            v=self.v + cross(self.w, r) + rd,
            wd=self.wd + cross(self.w, s) + sd,
            a=self.a + cross(self.wd, r) + cross(self.w, cross(self.w, r) + scale(2.0, rd)) + rdd,
        )

    def packed(self) -> Array:
        """(8, 3): R above x, w, v, wd, a."""
        return array([*(list(row) for row in self.R), *(list(part) for part in self[1:])])


STANDING = Moving(identity(3), *(zeros(3) for _ in range(5)))


def mass_point(
    _: object, moving: Array, gravity: Array, mass: Scalar, moment: Array, tensor: Array
) -> tuple[Array, Array, Scalar]:
    """Spatial inertia (6, 6) of a body, the wrench (6) that it needs while all speeds are steady, and its potential
    energy; world axes, about the world's origin. `moment` and `tensor` are about its own, in its axes.
    """
    at = Moving(moving[:3], *(moving[k] for k in range(3, 8)))
    h = at.R @ moment
    about = at.R @ tensor @ at.R.T
    first = scale(mass, at.x) + h
    a = at.a - gravity
    force = scale(mass, a) + cross(at.wd, h) + cross(at.w, cross(at.w, h))
    torque = about @ at.wd + cross(at.w, about @ at.w) + cross(h, a) + cross(at.x, force)
    shift = outer(at.x, h) + outer(h, at.x) + scale(mass, outer(at.x, at.x))
    trace = shift[0, 0] + shift[1, 1] + shift[2, 2]
    inertia = zeros(6, 6)
    inertia[:3, :3] = scale(mass, identity(3))
    inertia[3:, :3] = skew(first)
    inertia[:3, 3:] = skew(first).T
    inertia[3:, 3:] = about + scale(trace, identity(3)) - shift
    return inertia, array([*force, *torque]), -dot(gravity, first)
