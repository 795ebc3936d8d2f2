"""A tip on a surface: it slides with friction, presses, sticks, or lifts off.

Along the normal the surface pushes with N >= 0 (a groove or a magnet, `one_sided=False`, also pulls). While the tip
slides, friction is against its sliding velocity v, with mu N. While it stands, friction is whatever holds it, up to
the static coefficient times N. Accelerations are linear in the forces at the tip, so that N follows from forward
dynamics with and without a unit force: for any robot that has forward dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self, TypeVar

import numpy as np

from loadpath.converted import Converted
from loadpath.errors import ModelError, warn
from loadpath.loads.tip.link_point import OnFixedBase, PointMotion, point_jacobian, point_motion, wrench_at_origin
from loadpath.quantities.table import RobotQuantities
from loadpath.quantities.transport import crossed
from loadpath.quantities.wrench import Wrench
from loadpath.robot.joints import JointType, PointOnPlane
from loadpath.robot.numbers import Vector3, name, number, unit_vector, vector3
from loadpath.robot.pose import Pose
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states.batch import place_of
from loadpath.states.unknown import NAMED, listed, warn_of_unknown

NEAR = 1e-6
"""How far the tip may be from the surface (m per m of its distance from the world's origin, at least 1 m)."""
SLOW = 1e-9
"""Slower than this (m/s) the tip stands."""
Closed = TypeVar("Closed", bound="Homed")
Closed_co = TypeVar("Closed_co", covariant=True)
STANDS = 1e-4
"""A simulation of a sliding tip ends at this speed (m/s): what it does when it stands is another equation."""
DriveForces = ArrayLike | Callable[[float, Floats, Floats], ArrayLike]
_TURNS = 200
"""Steps of the search for the direction in which a tip starts to slide."""


class Sliding(NamedTuple):
    """A tip that slides, for `simulate`: see `TipOnSurface.sliding`."""

    external: Callable[[float, Floats, Floats], dict[str, Wrench]]
    """Friction on the tip at t, q and qd."""
    stop: Callable[[float, Floats, Floats], float]
    """Negative where the tip stands, or the surface would have to pull."""


class Homed(Protocol):
    """A robot with loops."""

    def with_home(self, q: ArrayLike) -> Self:
        """The robot with these coordinates as the start for closing its loops."""


class Closable(Protocol[Closed_co]):
    """A robot that takes loops."""

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, the base first."""

    def with_loop(
        self,
        name: str,
        first: str,
        second: str,
        *,
        motion: JointType | None = None,
        at: Pose | ArrayLike | None = None,
        on: Pose | ArrayLike | None = None,
        q: ArrayLike | None = None,
    ) -> Closed_co:
        """The robot with one more loop."""


@dataclass(frozen=True, eq=False)
class SurfaceMotion:
    """What a tip on a surface does for given forces of the drives. Forces are those of the surface on the link, in
    world axes, at the point of contact.
    """

    qdd: Floats
    """(..., n): accelerations."""
    normal: Floats
    """(...): pressing force (N), zero where the tip lifts off."""
    friction: Floats
    """(..., 3): friction force (N)."""
    slides: Bools
    """(...): the tip slides, or starts to."""
    sticks: Bools
    """(...): the tip stands, and friction holds it."""
    lifts_off: Bools
    """(...): the surface would have to pull; the accelerations are those of a tip that is free."""
    jams: Bools
    """(...): no finite force keeps the tip on the surface (friction wedges it: the paradox of Painleve)."""
    unknown: Bools
    """(...): states that are not numbers, and those that jam: their verdicts are not known, and count as danger."""
    wrenches: Mapping[str, Wrench]
    """The surface's wrench on the link, for `external=` of `inverse_dynamics`, `joint_wrenches` and the others."""


@dataclass(frozen=True)
class TipOnSurface:
    """The point `at` of a link on a plane surface through `point` with its `normal` towards the tip, in the world.
    `friction` is the coefficient of sliding friction, `static_friction` (the same unless given) that of sticking.

    `wrenches` presses with a given force, for inverse dynamics; `forward_dynamics` solves for the force.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2, length=1.0)
    >>> table = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=0.3)
    >>> q, qd = [np.pi / 6, -np.pi / 3], [1.0, -2.0]                      # the tip slides towards the base
    >>> push = table.wrenches(arm, q, qd, force=50.0)
    >>> push["tip"].force.round(6).tolist()
    [15.0, 0.0, 50.0]
    >>> tau = arm.inverse_dynamics(q, qd, [0, 0], external=push)
    """

    link: str
    point: Vector3
    normal: Vector3
    friction: float = 0.0
    static_friction: float | None = None
    at: Converted[Vector3, ArrayLike] = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    """The point on the link, in the link's frame."""
    one_sided: bool = True
    """Whether the tip can lift off."""

    def __post_init__(self) -> None:
        what = f"of the surface under '{name(self.link, 'link on a surface')}'"
        object.__setattr__(self, "point", vector3(self.point, f"point {what}"))
        object.__setattr__(self, "at", vector3(self.at, f"point on the link {what}"))
        object.__setattr__(self, "normal", unit_vector(self.normal, f"normal {what}"))
        for part in ("friction", "static_friction"):
            value = getattr(self, part)
            if value is None:
                continue
            value = number(value, f"{part} {what}")
            if value < 0:
                raise ModelError(f"{part} {what} is {value:g}: expected zero or more")
            object.__setattr__(self, part, value)
        if self.static_friction is not None and self.static_friction < self.friction:
            raise ModelError(f"static_friction {what} is {self.static_friction:g}, less than the sliding one, "
                             f"{self.friction:g}: expected at least that")

    # What can be asked of it

    def gap(self, robot: RobotQuantities, q: ArrayLike) -> Floats:
        """Distance (m) of the tip from the surface, (...): negative inside.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1, length=1.0)
        >>> float(lp.TipOnSurface("tip", point=(0, 0, -0.5), normal=(0, 0, 1)).gap(arm, [0.0]).round(12))
        0.5
        """
        moving = point_motion(robot, self.link, self.at, q, np.zeros(robot.n))
        distance: Floats = np.asarray((moving.position - np.array(self.point)) @ np.array(self.normal))
        return distance

    def wrenches(
        self, robot: RobotQuantities, q: ArrayLike, qd: ArrayLike, force: ArrayLike, *, strict: bool = True
    ) -> dict[str, Wrench]:
        """What the surface exerts on the link that presses against it with `force` (N, one or (...)), for `external=`:
        the normal force and, where the tip slides, friction. Where it stands, statics leaves its friction open
        (anything up to the coefficient times the force): none is taken, and a warning says so.

        The tip must be on the surface and must not move into it; with `strict=False` that is a warning.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1, length=1.0)
        >>> wall = lp.TipOnSurface("tip", point=(1, 0, 0), normal=(-1, 0, 0), friction=0.2)
        >>> wall.wrenches(arm, [0.0], [2.0], force=10.0)["tip"].force.round(9).tolist()
        [-10.0, 0.0, -2.0]
        """
        moving = point_motion(robot, self.link, self.at, q, qd)
        self._check(moving, "wrenches", strict)
        size = np.asarray(force, dtype=float)
        size = np.broadcast_to(size, np.broadcast_shapes(size.shape, moving.position.shape[:-1]))
        if self.one_sided and (size < 0).any():
            raise ValueError(f"wrenches: 'force' is {float(size[size < 0].min()):g} N, and the surface under "
                             f"'{self.link}' pushes only: expected zero or more; with one_sided=False it also pulls"
                             )
        direction, stands = self._sliding(moving)
        stands = np.broadcast_to(stands, size.shape)
        if self.friction and (stands & (size != 0)).any():
            warn(f"wrenches: the tip '{self.link}' stands on its surface in {_states(stands & (size != 0))}: its "
                 f"friction there is anything up to {self.static:g} times the force, and none is taken")
        total = size[..., None] * (np.array(self.normal) - self.friction * direction)
        return {self.link: wrench_at_origin(moving, total)}

    def forward_dynamics(
        self,
        robot: RobotQuantities,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: Mapping[str, Wrench] | None = None,
        strict: bool = True,
    ) -> SurfaceMotion:
        """Accelerations for given forces of the drives while the tip is on the surface, and the surface's force: it
        slides, sticks, starts to slide, lifts off or jams, and the result says which. `external` are other wrenches.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2, length=1.0)
        >>> table = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=0.3)
        >>> falling = table.forward_dynamics(arm, [np.pi / 6, -np.pi / 3], [1.0, -2.0], [0.0, 0.0])
        >>> bool(falling.slides), float(falling.normal.round(6))
        (True, 4.507894)
        >>> (falling.friction / falling.normal).round(12).tolist()
        [0.3, 0.0, 0.0]
        """
        moving = point_motion(robot, self.link, self.at, q, qd)
        self._check(moving, "forward_dynamics", strict)
        response = _Response(self, robot, moving, q, qd, tau, external)
        return response.result()

    def closing(self, robot: Closable[Closed], name: str = "surface", q: ArrayLike | None = None) -> Closed:
        """The robot with its tip kept on the surface by a loop without friction, `robot.with_loop(...)`: to bring it
        there (`assemble`), to complete its speeds, to move it along and to simulate it. `q` is near such a place.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2, length=1.0)
        >>> table = lp.TipOnSurface("tip", point=(0, 0, 0.5), normal=(0, 0, 1))
        >>> on_table = table.closing(arm, q=[1.0, -1.0])
        >>> on_table.mobility, bool(abs(table.gap(arm, on_table.home)) < 1e-9)
        (1, True)
        """
        closed = robot.with_loop(
            name, robot.link_names[0], self.link, motion=PointOnPlane(self.normal), at=self.point, on=self.at
        )
        return closed if q is None else closed.with_home(q)

    def sliding(self, robot: RobotQuantities, torque: DriveForces | None = None) -> Sliding:
        """What a simulation of a tip that slides needs: `external`, the friction on it, and `stop`, which ends the
        simulation where the tip comes to a stand or the surface would have to pull. The tip is kept on the surface by
        the loop of `closing`; `torque` are the forces of the drives, as `simulate` has them: none, constant, or a
        function of t, q and qd.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2, length=1.0)
        >>> table = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=0.3)
        >>> q, qd = [np.pi / 6, -np.pi / 3], [1.0, -2.0]
        >>> contact = table.sliding(arm)
        >>> float(contact.external(0.0, q, qd)["tip"].force[0].round(6))
        1.352368
        >>> on_table = table.closing(arm, q=q)
        >>> run = on_table.simulate(q, qd, duration=1, external=contact.external, stop=contact.stop)  # doctest: +SKIP
        """

        def forces(t: float, q: Floats, qd: Floats) -> _Response:
            tau = torque(t, q, qd) if callable(torque) else np.zeros(robot.n) if torque is None else torque
            return _Response(self, robot, point_motion(robot, self.link, self.at, q, qd), q, qd, tau, None)

        def external(t: float, q: Floats, qd: Floats) -> dict[str, Wrench]:
            now = forces(t, q, qd)
            direction, _ = self._sliding(now.moving)
            size = now.pressing(direction)
            return {self.link: wrench_at_origin(now.moving, -self.friction * np.abs(size)[..., None] * direction)}

        def stop(t: float, q: Floats, qd: Floats) -> float:
            now = forces(t, q, qd)
            direction, _ = self._sliding(now.moving)
            faster = float((now.moving.velocity * direction).sum()) / STANDS - 1.0
            return min(faster, float(now.pressing(direction))) if self.one_sided else faster

        return Sliding(OnFixedBase(external, f"the surface under '{self.link}'"), stop)

    @property
    def static(self) -> float:
        """The coefficient of sticking friction."""
        return self.friction if self.static_friction is None else self.static_friction

    # Parts

    def _sliding(self, moving: PointMotion) -> tuple[Floats, Bools]:
        """Direction (..., 3) in which the tip slides, zero where it stands, and where it stands."""
        n = np.array(self.normal)
        along = moving.velocity - (moving.velocity @ n)[..., None] * n
        speed = np.sqrt((along * along).sum(axis=-1))
        stands = np.asarray(speed <= SLOW)
        with np.errstate(invalid="ignore", divide="ignore"):
            direction = np.where(stands[..., None], 0.0, along / speed[..., None])
        return direction, stands

    def _check(self, moving: PointMotion, caller: str, strict: bool) -> None:
        n = np.array(self.normal)
        size = np.maximum(1.0, np.abs(moving.position).max(axis=-1, initial=0.0))
        gap = (moving.position - np.array(self.point)) @ n
        speed = moving.velocity @ n
        fast = np.maximum(1.0, np.sqrt((moving.velocity**2).sum(axis=-1)))
        for value, limit, unit, what, remedy in (
            (gap, NEAR * size, "m", "from its surface", "inverse_kinematics, or a loop with lp.PointOnPlane and "
             "assemble, bring it there"),
            (speed, NEAR * fast, "m/s", "along the normal of its surface", "give speeds along the surface"),
        ):
            off = np.asarray(np.abs(value) > limit)
            if off.any():
                worst = float(np.asarray(value).flat[np.nanargmax(np.abs(value))])
                verb = "is" if unit == "m" else "moves"
                message = (f"{caller}: the tip '{self.link}' {verb} {worst:.3g} {unit} {what} in {_states(off)}: "
                           f"{remedy}; or strict=False")
                if strict:
                    raise ValueError(message)
                warn(message)


class _Response:
    """How the accelerations of a robot answer to forces at its tip."""

    def __init__(
        self,
        surface: TipOnSurface,
        robot: RobotQuantities,
        moving: PointMotion,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, Wrench] | None,
    ) -> None:
        self.surface, self.moving = surface, moving
        self.n = np.array(surface.normal)
        self.axes = _plane_axes(self.n)  # rows: normal, two tangents
        given = dict(external or {})
        before = given.get(surface.link)
        if before is not None and (before.axes != "world" or np.any(before.point)):
            raise ValueError(f"forward_dynamics: the external wrench on '{surface.link}', which is on a surface, is in "
                             "the axes of the link or at another point: give it in world axes at the link's origin"
                             )
        zero = np.zeros_like(moving.position)

        def accelerations(force: Floats) -> Floats:
            wrench = wrench_at_origin(moving, np.broadcast_to(force, zero.shape))
            total = wrench if before is None else wrench + before
            return np.asarray(robot.forward_dynamics(q, qd, tau, external={**given, surface.link: total}))

        self.free = accelerations(zero)
        # Columns: accelerations of the joints per unit of force along the normal and the two tangents.
        self.columns = np.stack([accelerations(axis) - self.free for axis in self.axes], axis=-1)
        jacobian = point_jacobian(robot, surface.link, surface.at, q)
        speeds = np.asarray(qd, dtype=float)
        drift = (np.asarray(robot.jacobian_dot(q, qd, surface.link)) @ speeds[..., :, None])[..., 0]
        arm, omega = moving.arm, moving.angular_velocity
        bias = drift[..., :3] + crossed(drift[..., 3:], arm) + crossed(omega, crossed(omega, arm))
        seen = self.axes @ jacobian
        self.a0 = (seen @ self.free[..., None])[..., 0] + bias @ self.axes.T
        self.A = seen @ self.columns

    def result(self) -> SurfaceMotion:
        mu, static = self.surface.friction, self.surface.static
        direction, stands = self.surface._sliding(self.moving)
        shape = self.a0.shape[:-1]
        direction, stands = np.broadcast_to(direction, (*shape, 3)), np.broadcast_to(stands, shape)
        against = -mu * (direction @ self.axes[1:].T)
        force, jams = self._along(against)
        if not self.surface.one_sided:  # where the surface pulls, friction is against the motion all the same
            pulled, wedged = self._along(-against)
            pulls = force[..., 0] < 0
            force = np.where(pulls[..., None], pulled, force)
            jams = np.asarray(jams | pulls & (wedged | (pulled[..., 0] > 0)))
        sticks = np.zeros(shape, dtype=bool)
        if stands.any() and static:
            held = self._held()
            pressing = held[..., 0] if self.surface.one_sided else np.abs(held[..., 0])
            sticks = np.asarray(stands & (np.hypot(held[..., 1], held[..., 2]) <= static * pressing * (1 + 1e-12)))
            force = np.where(sticks[..., None], held, force)
            breaks = np.asarray(stands & ~sticks)
            if breaks.any():
                starting, wedged = self._breaking_away()
                force = np.where(breaks[..., None], starting, force)
                jams = np.where(breaks, wedged, jams)
            jams = np.asarray(jams & ~sticks)
        lifts = np.asarray(~(self.a0[..., 0] <= 0)) if self.surface.one_sided else np.zeros(shape, dtype=bool)
        force = np.where(lifts[..., None], 0.0, force)
        jams = np.asarray(jams & ~lifts)
        force = np.where(jams[..., None], np.nan, force)
        qdd = self.free + (self.columns @ force[..., None])[..., 0]
        unknown = np.asarray(np.isnan(qdd).any(axis=-1))
        nothing = np.asarray(np.isnan(self.a0).any(axis=-1) & ~jams)
        lifts = lifts | unknown
        tangential = force[..., 1:] @ self.axes[1:]
        world = force[..., :1] * self.n + tangential
        warn_of_unknown(nothing, "forward_dynamics", "whether the tip lifts off there is not known")
        for found, what in ((lifts & ~unknown, "lifts off its surface"), (jams, "jams on its surface")):
            if found.any():
                warn(f"forward_dynamics: the tip '{self.surface.link}' {what} in {_states(found)}")
        return SurfaceMotion(
            qdd=qdd,
            normal=np.asarray(force[..., 0]),
            friction=tangential,
            slides=np.asarray(~sticks & ~(lifts & ~unknown) | unknown),
            sticks=np.asarray(sticks & ~lifts),
            lifts_off=lifts,
            jams=jams | unknown,
            unknown=unknown,
            wrenches={self.surface.link: wrench_at_origin(self.moving, world)},
        )

    def pressing(self, direction: Floats) -> Floats:
        """The normal force (N) while the tip slides in a direction (..., 3), negative where the surface would pull."""
        against = -self.surface.friction * (direction @ self.axes[1:].T)
        pushed: Floats = self._along(against)[0][..., 0]
        return np.where(pushed < 0, self._along(-against)[0][..., 0], pushed)

    def _along(self, tangential: Floats) -> tuple[Floats, Bools]:
        """The force (..., 3) along normal and tangents that keeps the tip on the surface, from its tangential part
        (..., 2) per newton along the normal, and where there is none.
        """
        direction = np.concatenate([np.ones((*tangential.shape[:-1], 1)), tangential], axis=-1)
        gain = (self.A[..., 0, :] * direction).sum(axis=-1)
        jams = np.asarray(gain <= 1e-12 * np.abs(self.A[..., 0, 0]))
        with np.errstate(divide="ignore", invalid="ignore"):
            size = -self.a0[..., 0] / gain
        return size[..., None] * direction, jams

    def _held(self) -> Floats:
        """The force that keeps the tip where it is, of the least size where several do."""
        flat_A, flat_a = self.A.reshape(-1, 3, 3), self.a0.reshape(-1, 3)
        found = np.full_like(flat_a, np.nan)
        known = np.isfinite(flat_A).all(axis=(1, 2)) & np.isfinite(flat_a).all(axis=1)
        if known.any():
            found[known] = -(np.linalg.pinv(flat_A[known], rcond=1e-11) @ flat_a[known][..., None])[..., 0]
        forces: Floats = found.reshape(self.a0.shape)
        return forces

    def _breaking_away(self) -> tuple[Floats, Bools]:
        """The force at the moment when a tip at rest starts to slide: friction is against its first acceleration."""
        mu = self.surface.friction
        force, jams = self._along(np.zeros((*self.a0.shape[:-1], 2)))
        step = 1.0 / np.maximum(np.linalg.norm(np.nan_to_num(self.A), axis=(-2, -1)), 1e-300)
        for _ in range(_TURNS):
            acceleration = self.a0 + (self.A @ force[..., None])[..., 0]
            friction = force[..., 1:] - step[..., None] * acceleration[..., 1:]
            size = np.sqrt((friction**2).sum(axis=-1, keepdims=True))
            with np.errstate(divide="ignore", invalid="ignore"):
                direction = np.where(size > 0, friction / size, 0.0)
            pulls = np.where(force[..., :1] < 0, -1.0, 1.0)
            force, jams = self._along(mu * pulls * direction)
        return force, jams


def _plane_axes(normal: Floats) -> Floats:
    """Rows: the normal, and two directions across it."""
    least = np.eye(3)[np.abs(normal).argmin()]
    first = np.cross(normal, least)
    first /= np.sqrt(first @ first)
    return np.stack([normal, first, np.cross(normal, first)])


def _states(which: Bools) -> str:
    """Which states, in words."""
    flags = np.asarray(which)
    if not flags.ndim:
        return "the state"
    count = int(flags.sum())
    places = [place_of(int(k), flags.shape) for k in np.flatnonzero(flags)[:NAMED]]
    return f"{count} of {flags.size} states ({listed(places, count)})"
