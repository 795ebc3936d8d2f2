"""What a robot carries along a path: loads w = a u + b x + c in u = s'' and x = s'^2, at the nodes of a grid.

With q'(s) and q''(s) of the path, qd = q' sqrt(x) and qdd = q' u + q'' x. All that inverse dynamics gives but friction
is quadratic in speeds and linear in accelerations, so three calls of the compiled quantities give a, b and c:

    c = f(q, 0, 0),    a = f(q, 0, q') - c,    b = f(q, q', q'') - c.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.arguments import Variant, Wrenches, external_wrenches
from loadpath.engine.program import Tape
from loadpath.engine.quantity import compiled_line
from loadpath.engine.trace import tape_of
from loadpath.fastest.closing import Closing
from loadpath.fastest.closing_jets import Loops, as_jet
from loadpath.fastest.grid import Grid
from loadpath.fastest.jets import ROUNDING, Jet, polynomial_jets, run_on_jets
from loadpath.mechanics.drives import along_speeds, friction_forces
from loadpath.robot.drive_train.edit import without_springs
from loadpath.robot.edit import with_gravity, without_friction
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.scalars import Array, array
from loadpath.scalars.recording import Recording
from loadpath.scalars.types import Floats


class Under(NamedTuple):
    """Wrenches of the surroundings on links, the same all along a path."""

    external: Mapping[str, Any]
    links: Wrenches
    values: tuple[tuple[float, ...], ...]
    """Six numbers of each link."""

    @classmethod
    def of(cls, robot: Any, external: Mapping[str, Any] | None) -> Under | None:
        """From what a call was given."""
        links, values = external_wrenches(robot.inverse_dynamics, external)
        if not links:
            return None
        if np.ndim(values) != 2 or not np.isfinite(values).all():
            raise ValueError(f"fastest: 'external' has wrenches of the shape {np.shape(values)[:-2]}: expected one "
                             "lp.Wrench of finite numbers for each link, which acts all along the path")
        return cls(dict(external or {}), links, tuple(map(tuple, np.asarray(values, dtype=float).tolist())))


class Carried(Protocol):
    """Numbers (m,) of a robot that are linear in its accelerations and quadratic in its speeds: what it carries."""

    def values(self, robot: Any, q: Floats, qd: Floats, qdd: Floats, under: Under | None = None) -> Floats:
        """(..., m), at states, with wrenches of the surroundings."""

    def equations(self, robot: Any, under: Under | None = None) -> Callable[[Array, Array, Array], list[Any]]:
        """The same of one state, over scalars."""


@dataclass(frozen=True)
class Quantity:
    """What a compiled quantity gives; pairs of vectors, as force and torque, side by side."""

    name: str

    def values(self, robot: Any, q: Floats, qd: Floats, qdd: Floats, under: Under | None = None) -> Floats:
        """See `Carried`."""
        loads = {} if under is None else {"external": under.external}
        found = getattr(robot, self.name)(q, qd, qdd, **loads)
        if isinstance(found, np.ndarray):
            return found
        parts = (found.force, found.torque) if hasattr(found, "force") else found
        six = np.concatenate([np.asarray(part) for part in parts], axis=-1)
        return six.reshape(*q.shape[:-1], -1)

    def equations(self, robot: Any, under: Under | None = None) -> Callable[[Array, Array, Array], list[Any]]:
        """See `Carried`."""
        line = compiled_line(robot, self.name)
        run = line.equations(robot, Variant() if under is None else Variant(external=under.links))
        loads = () if under is None else (array([list(each) for each in under.values]),)

        def entries(q: Array, qd: Array, qdd: Array) -> list[Any]:
            found = run(q, qd, qdd, *loads)
            parts = list(found) if isinstance(found, tuple) else [found]
            if line.verdict is not None:  # the status of a state of loops
                parts = parts[:-1]
            return list(np.concatenate(parts, axis=-1).ravel())

        return entries


DRIVE, WRENCH, BASE = Quantity("inverse_dynamics"), Quantity("joint_wrenches"), Quantity("base_wrench")
DEFLECTION, ACTIONS = Quantity("small_deflection"), Quantity("section_actions")
"""Forces of the drives without friction (n); wrenches of all joints, force first (6 joints), and of the base (6);
displacements and rotations of all links (6 links) of what bends, and forces and moments in cross sections of its beams.
"""
GEAR, ACCELERATION, SPEED = "gear", "acceleration", "speed squared"
"""Forces of the drives without what their rotors take, which gears do not carry (n); joint accelerations (n); squares
of joint speeds (n).
"""
What: TypeAlias = Carried | str

T = TypeVar("T")


class Affine(NamedTuple):
    """w = a u + b x + c: (intervals, nodes, m) each."""

    a: Floats
    b: Floats
    c: Floats

    def at(self, u: Floats, x: Floats) -> Floats:
        """(intervals, nodes, m): w, for u (intervals,) or (intervals, nodes), and x (intervals, nodes)."""
        found: Floats = self.a * u.reshape(len(u), -1, 1) + self.b * x[..., None] + self.c
        return found


@dataclass(frozen=True, eq=False)
class Model:
    """A robot as rows are made from it."""

    robot: Any
    external: Mapping[str, Any] | None = None
    """Wrenches of the surroundings."""

    @cached_property
    def under(self) -> Under | None:
        """The same as rows and bounds take them."""
        return Under.of(self.robot, self.external)

    @cached_property
    def smooth(self) -> Any:
        """Without friction, which is no polynomial of speeds."""
        return without_friction(self.robot) if self.rubs else self.robot

    @cached_property
    def rubs(self) -> bool:
        """Whether there is any friction."""
        return any(any(joint.viscous_friction) or any(joint.coulomb_friction) or any(joint.stribeck)
                   for joint in self.robot.joints)

    @cached_property
    def mechanism(self) -> Mechanism:
        """Whose joints have the friction."""
        return plain(self.robot.on_fixed_base)

    @cached_property
    def rotors(self) -> Floats:
        """(n,): reflected inertia of the rotors, of the joints' own drives."""
        own = [inertia for joint in self.robot.joints if joint.mimic is None for inertia in joint.reflected_inertia]
        return np.array(own, dtype=float)

    def friction(self, speed: Floats) -> Floats:
        """What friction takes from the drives at joint speeds, (..., n) both."""
        columns = array([speed[..., k] for k in range(speed.shape[-1])])
        found = along_speeds(self.mechanism, lambda body: friction_forces(body, columns))
        return np.stack([np.broadcast_to(np.asarray(each, dtype=float), speed.shape[:-1]) for each in found], axis=-1)

    @cached_property
    def friction_bends(self) -> tuple[Floats, Floats]:
        """(n,) each: bounds of the first and the second derivative of friction by the speed, where it does not jump."""
        steep, bent = np.zeros(self.robot.n), np.zeros(self.robot.n)
        for body in self.mechanism.bodies:
            for i, more in enumerate(body.joint.stribeck):
                k, size = body.v.start + i, abs(body.multiplier)
                steep[k] += size**2 * body.joint.viscous_friction[i]
                if more is not None:  # e^-z^d: |slope| at most 1, |bend| at most 2
                    surplus = more.static - body.joint.coulomb_friction[i]
                    steep[k] += size**2 * surplus / more.speed
                    bent[k] += size**3 * 2 * surplus / more.speed**2
        return steep, bent


@dataclass(frozen=True, eq=False)
class Course:
    """A grid with what robots carry along it, each computed once."""

    grid: Grid
    closing: Closing | None = None
    """Of a robot with loops, whose path is that of some of its joints."""
    _kept: dict[Any, Any] = field(default_factory=dict)

    # All joints at the nodes: of a tree those of the path

    @cached_property
    def _states(self) -> tuple[Floats, Floats, Floats]:
        grid = self.grid
        return (grid.q, grid.first, grid.second) if self.closing is None else self.closing.along(grid)

    @property
    def q(self) -> Floats:
        """(intervals, nodes, nq): of all joints."""
        return self._states[0]

    @property
    def first(self) -> Floats:
        """(intervals, nodes, n): their speeds for ds/dt = 1."""
        return self._states[1]

    @property
    def second(self) -> Floats:
        """(intervals, nodes, n): their accelerations then, without d^2s/dt^2."""
        return self._states[2]

    def loads(self, model: Model, what: What) -> Affine:
        """What is carried at the nodes."""
        return self.once((model, what, "loads"), lambda: self._loads(model, what))

    def _loads(self, model: Model, what: What) -> Affine:
        q, first, second = self._states
        none = np.zeros_like(first)
        if what == ACCELERATION:
            return Affine(first, second, none)
        if what == SPEED:
            return Affine(none, first**2, none)
        if what == GEAR:
            whole = self.loads(model, DRIVE)
            return Affine(whole.a - model.rotors * first, whole.b - model.rotors * second, whole.c)
        assert not isinstance(what, str)
        c = still = what.values(model.smooth, q, none, none)
        if model.under is not None:
            c = what.values(model.smooth, q, none, none, model.under)
        return Affine(what.values(model.smooth, q, none, first) - still,
                      what.values(model.smooth, q, first, second) - still, c)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is computed once for a key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    # Ranges over whole intervals, by the path's parameter

    def ranges(self, model: Model, what: What) -> list[tuple[Jet, Jet, Jet]]:
        """Jets of a, b and c of each entry of a load."""
        return self.once((model, what, "ranges"), lambda: self._ranges(model, what))

    def _ranges(self, model: Model, what: What) -> list[tuple[Jet, Jet, Jet]]:
        of = self.geometry
        nothing = Jet(np.zeros_like(of.arc.middle), np.zeros_like(of.arc.middle))
        if what == ACCELERATION:
            return [(a, b, nothing) for a, b in zip(of.first, of.second, strict=True)]
        if what == SPEED:
            return [(nothing, each * each, nothing) for each in of.first]
        if what == GEAR:
            parts = zip(self.ranges(model, DRIVE), model.rotors.tolist(), of.first, of.second, strict=True)
            return [(a - first * rotor, b - second * rotor, c) for (a, b, c), rotor, first, second in parts]
        assert not isinstance(what, str)
        if self._loops is not None and (what == DRIVE or (what == WRENCH and self._loops.determinate)):
            return self._of_loops(self._loops, model, what)
        return self._recorded(model.smooth, what, of, model.under)

    def _recorded(self, robot: Any, what: Carried, of: Geometry, under: Under | None) -> list[tuple[Jet, Jet, Jet]]:
        """By the program of the robot's own equations."""
        every = [as_jet(each, len(self.grid.h)) for each in
                 run_on_jets(_tape(robot, what, under), [*of.position, *of.first, *of.second])]
        third = len(every) // 3
        return list(zip(every[:third], every[third : 2 * third], every[2 * third :], strict=True))

    @cached_property
    def _loops(self) -> Loops | None:
        """Of a robot with loops and no more drives than freedoms."""
        if self.closing is None or len(self.closing.robot.driven) > self.closing.robot.mobility:
            return None
        return Loops(self.closing.robot, self.q[:, self.q.shape[1] // 2])

    def _of_loops(self, loops: Loops, model: Model, what: Carried) -> list[tuple[Jet, Jet, Jet]]:
        """By that of the open tree, and the loops' rows."""
        of, tree = self.geometry, model.smooth.tree
        rows = self.once((loops, "rows"), lambda: loops.rows(of.position))
        tau = list(zip(*self._recorded(tree, DRIVE, of, model.under), strict=True))
        if what == DRIVE:
            found = [loops.drives(rows, part) for part in tau]
        else:
            wrenches = zip(*self._recorded(tree, WRENCH, of, model.under), strict=True)
            found = [loops.wrenches(of.position, rows, *both) for both in zip(tau, wrenches, strict=True)]
        return list(zip(*found, strict=True))

    @cached_property
    def geometry(self) -> Geometry:
        """Jets of the path itself, of a robot with loops those of all joints."""
        grid, path = self.grid, self.grid.path
        begin = path.breaks[grid.piece]
        position, rate, bend = polynomial_jets(
            path.coefficients[:, grid.piece], grid.p[:-1] - begin, grid.p[1:] - begin, 2
        )
        arc = sum((each * each for each in rate[1:]), rate[0] * rate[0]).sqrt()
        slowness = arc.inverse()
        first = [each * slowness for each in rate]
        along = sum((a * b for a, b in zip(first[1:], bend[1:], strict=True)), first[0] * bend[0])
        second = [(b - a * along) * (slowness * slowness) for a, b in zip(first, bend, strict=True)]
        if self.closing is not None:
            middle, half = self.q[:, self.q.shape[1] // 2], np.diff(grid.p) / 2
            position, first, second = self.closing.jets([position, rate, bend], first, second, middle, half)
        return Geometry(position, first, second, arc)

    @cached_property
    def steps(self) -> Floats:
        """(intervals,): of the path's parameter, between nodes."""
        found: Floats = np.diff(self.grid.at[:, :2], axis=1)[:, 0]
        return found


class Geometry(NamedTuple):
    """Jets of a path over intervals, by its parameter."""

    position: list[Jet]
    first: list[Jet]
    """dq/ds."""
    second: list[Jet]
    """d^2q/ds^2."""
    arc: Jet
    """ds/dp."""


@dataclass(frozen=True, eq=False)
class State:
    """A motion on a grid: u (intervals,), and x at the nodes (intervals, nodes). What is not constant on intervals is a
    `loadpath.fastest.rising.Rising`, with u at the nodes.
    """

    u: Floats
    x: Floats

    def bends(self, entries: Sequence[tuple[Jet, Jet, Jet]], course: Course) -> Floats:
        """(intervals, entries): bounds of |w''| by the path's parameter over whole intervals, w = a u + b x + c.

        Along an interval x' = 2 u s' and x'' = 2 u s''. Coarse intervals may have no bound: it is infinite or no
        number.
        """
        arc, x0, x1 = course.geometry.arc, self.x[:, 0], self.x[:, -1]
        around = np.stack([(x0 + x1) / 2, *(2 * self.u * arc.middle[:2])])
        width = np.stack([np.abs(x1 - x0) / 2, *(2 * np.abs(self.u) * arc.radius[:2])])
        around[2], width[2] = around[2] / 2, width[2] / 2
        x = Jet(around, width)
        found = [(a * self.u + b * x + c).largest[2] for a, b, c in entries]
        return np.stack(found, axis=-1) * (1 + ROUNDING)

    def bends_of_x(self, course: Course) -> Floats:
        """(intervals,): bounds of |x''| by the path's parameter."""
        found: Floats = 2 * np.abs(self.u) * course.geometry.arc.largest[1]
        return found


def bends(entries: Sequence[tuple[Jet, Jet, Jet]], course: Course, state: State) -> Floats:
    """(intervals, entries): bounds of |w''| by the path's parameter, see `State.bends`."""
    return state.bends(entries, course)


_tapes: weakref.WeakKeyDictionary[Any, dict[Hashable, Tape]] = weakref.WeakKeyDictionary()
"""By robots."""


def _tape(robot: Any, what: Carried, under: Under | None) -> Tape:
    """The program of a, b and c by q, q' and q''."""
    kept = _tapes.setdefault(robot, {})
    key: Any = what if under is None else (what, under.links, under.values)
    if key not in kept:
        kept[key] = _recorded(robot, what, under)
    return kept[key]


def _recorded(robot: Any, what: Carried, under: Under | None) -> Tape:
    weightless = without_springs(with_gravity(robot, (0.0, 0.0, 0.0)))
    own, moving = what.equations(robot, under), what.equations(weightless)
    inputs, nq, n = Recording().inputs(robot.nq + 2 * robot.n), robot.nq, robot.n
    q, first, second = array(inputs[:nq]), array(inputs[nq : nq + n]), array(inputs[nq + n :])
    none = array([0.0] * robot.n)
    return tape_of(f"{what} along a path", inputs, [
        *moving(q, none, first), *moving(q, first, second), *own(q, none, none),
    ])
