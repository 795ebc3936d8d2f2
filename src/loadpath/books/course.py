"""The Lagrangian, and the one linear system, of the course notes on dynamics, under the letters of the source."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from loadpath.algorithms.mixed_dynamics import chosen_speeds
from loadpath.books.book import Book, doctests, letter
from loadpath.cached import cached_property
from loadpath.engine.arguments import checked_arrays, read_call
from loadpath.engine.method import CompiledMethod
from loadpath.formulations import constraint_system
from loadpath.formulations import lagrangian as energies
from loadpath.formulations import lagrangian_arrangements as lagrangian
from loadpath.formulations.constraint_system import QUANTITIES, System
from loadpath.formulations.generalized_motion import speed_names
from loadpath.formulations.moving_base import SPEEDS, moving_base
from loadpath.mechanics.wrenches import ON_BASE, External
from loadpath.printable import printable
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.scalars import Array, array, zeros
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.mixed import BY_NAME

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EQUATIONS = (44, 45, 48, 49, 47)
"""Those of a link, in the order of the rows."""
AXES = ("x", "y", "z")
MOST_LINES = 64
"""Equations that `print` shows."""


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """All unknowns of one state in one linear system, matrix times unknowns = right side.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link().locked({"joint2": 0.0})
    >>> system = arm.books.course.system([0], [0], accelerations={"joint1": 1.0})
    >>> system.size, system.matrix.shape, system.unknowns[-1]
    (46, (46, 46), 'qdd.joint1')
    >>> print(system.equation("(49).link1.y"))
    (49).link1.y: -a.link1.y + a_c.link1.y - omegadot.link1.z = 0
    >>> round(system.solve()["mu.link1.z"], 12)
    5.0
    """

    robot: str
    """Name of the robot."""
    unknowns: tuple[str, ...]
    """Names of the columns: "f.link1.x", "mu.link1.y", "a.link1.z", "a_c...", "omegadot...", "qdd.joint1"."""
    equations: tuple[str, ...]
    """Names of the rows: "(44).link1.x", ..., and "acceleration.joint1" or "force.joint1", whichever is known."""
    right_side: Floats
    """(size,)."""
    rows: tuple[Mapping[int, float], ...]
    """Of the matrix: the entries by their columns, without plain zeros."""
    drives: tuple[tuple[Mapping[int, float], float], ...]
    """For every speed of the robot, what to add of the unknowns for the force of its drive, and its friction."""

    @property
    def size(self) -> int:
        """Number of unknowns, and of equations."""
        return len(self.unknowns)

    @property
    def nonzeros(self) -> int:
        """Number of entries of the matrix that are not zero by structure."""
        return sum(len(row) for row in self.rows)

    @cached_property
    def matrix(self) -> csr_array:
        """(size, size), a sparse array of SciPy."""
        from scipy.sparse import csr_array

        starts = np.cumsum([0, *(len(row) for row in self.rows)])
        columns = np.array([column for row in self.rows for column in sorted(row)], dtype=int)
        values = np.array([row[column] for row in self.rows for column in sorted(row)], dtype=float)
        return csr_array((values, columns, starts), shape=(self.size, self.size))

    def equation(self, name: str) -> str:
        """One equation as a line of text."""
        if name not in self.equations:
            raise KeyError(f"there is no equation '{printable(name)}'{nearest(str(name), self.equations)}")
        row = self.equations.index(name)
        terms = [_term(self.rows[row][column], self.unknowns[column]) for column in sorted(self.rows[row])]
        left = "".join(f" {sign} {text}" for sign, text in terms) or " + 0"
        left = left[3:] if left.startswith(" + ") else f"-{left[3:]}"
        return printable(f"{name}: {left} = {_number(self.right_side[row])}")

    def solve(self) -> LinearSolution:
        """All unknowns by name. Where the state has NaN, they are all NaN."""
        if not self.size:
            return LinearSolution(self, np.zeros(0))
        if not np.isfinite(self.matrix.data).all():
            return LinearSolution(self, np.full(self.size, np.nan))
        from scipy.sparse.linalg import MatrixRankWarning, spsolve

        with warnings.catch_warnings():
            warnings.simplefilter("error", MatrixRankWarning)
            try:
                return LinearSolution(self, np.atleast_1d(spsolve(self.matrix.tocsc(), self.right_side)))
            except MatrixRankWarning:
                pass
        free = ", ".join(name.partition(".")[2] for name in self.equations if name.startswith("force."))
        raise ValueError(f"robot '{self.robot}': the system is singular in this state: along one of the speeds whose "
                         f"force is given ({free}) nothing has inertia here; prescribe its acceleration")

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        lines += [self.equation(name) for name in self.equations[:MOST_LINES]]
        if self.size > MOST_LINES:
            lines.append(f"... and {self.size - MOST_LINES} equations more, by name with .equation(name)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (f"<LinearSystem of robot '{printable(self.robot)}': {self.size} equations, {self.size} unknowns, "
                f"{self.nonzeros} entries>")


class LinearSolution(Mapping[str, float]):
    """The unknowns of a `LinearSystem` by name.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link(gravity=0)
    >>> found = arm.books.course.system([0, 0], [0, 0], accelerations={"joint1": 1}, forces={"joint2": 0}).solve()
    >>> round(found["qdd.joint2"], 12), (found.vector("f.link2").round(12) + 0.0).tolist()
    (-2.0, [0.0, 0.0, 0.0])
    >>> found.qdd.round(12).tolist(), found.tau.round(12).tolist()
    ([1.0, -2.0], [1.0, 0.0])
    """

    def __init__(self, system: LinearSystem, x: Floats) -> None:
        self.system = system
        self.x = x
        """(size,), in the order of `system.unknowns`."""
        self._places = {name: k for k, name in enumerate(system.unknowns)}

    def __getitem__(self, name: str) -> float:
        if name not in self._places:
            if f"{name}.x" in self._places:
                raise KeyError(f"'{printable(name)}' is a vector: .vector('{printable(name)}')")
            raise KeyError(f"there is no unknown '{printable(name)}'{nearest(str(name), self._places)}")
        return float(self.x[self._places[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def vector(self, name: str) -> Floats:
        """The three components of a vector, like "mu.link1"."""
        if f"{name}.x" not in self._places:
            known = dict.fromkeys(name.rpartition(".")[0] for name in self._places if name.endswith(AXES))
            raise KeyError(f"there is no vector '{printable(name)}'{nearest(str(name), known)}")
        return np.array([self[f"{name}.{axis}"] for axis in AXES])

    @property
    def qdd(self) -> Floats:
        """(n,): accelerations of the robot's speeds."""
        return self.x[self.system.size - len(self.system.drives) :].copy()

    @property
    def tau(self) -> Floats:
        """(n,): forces of the drives: lambda = z . mu, or z . f of a sliding joint, with friction and rotors."""
        drives = self.system.drives
        return np.array([sum(a * self.x[k] for k, a in row.items()) + friction for row, friction in drives])

    def __str__(self) -> str:
        width = max((len(name) for name in self._places), default=0)
        lines = [printable(f"{name:<{width}}  {_number(self.x[k])}") for name, k in self._places.items()]
        more = [f"... and {len(lines) - MOST_LINES} more, by name"] if len(lines) > MOST_LINES else []
        return "\n".join([*lines[:MOST_LINES], *more])

    def __repr__(self) -> str:
        return f"<LinearSolution of robot '{printable(self.system.robot)}': {len(self)} unknowns>"


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"


def _term(factor: float, unknown: str) -> tuple[str, str]:
    sign = "-" if factor < 0 else "+"
    return sign, unknown if abs(factor) == 1 else f"{_number(abs(factor))} {unknown}"


# Making it


class _Made(NamedTuple):
    system: System
    drives: list[tuple[dict[int, Any], Any]]
    mechanism: Mechanism
    prescribed: list[bool]


def _made(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[str] = (),
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> _Made:
    """The system, of the robot on the joint of its base where that moves."""
    chosen, first = chosen_speeds(mechanism, prescribed), 0
    if base_velocity is not None or base_acceleration is not None:
        base = moving_base(mechanism, base_velocity, base_acceleration)
        q, qd, known = base.coordinates(q), base.speeds(qd), base.accelerations(known)
        mechanism, chosen, first = base.mechanism, [True] * SPEEDS + chosen, SPEEDS
    made = constraint_system.system(mechanism, q, qd, known, chosen, external)
    # Where all forces are given as zero, the last equations say what the drives give: row times x + friction = 0.
    forces = constraint_system.system(mechanism, q, qd, zeros(mechanism.n), [False] * mechanism.n, external)
    last = range(forces.row(50, first), len(forces.rows))
    return _Made(made, [(forces.rows[k], -forces.b[k]) for k in last], mechanism, chosen)


class _Read:
    system = letter(
        _made,
        "(q),(n),(n)->(n),(n)",
        "What a call of `system` is read by; never compiled.",
        optional=ON_BASE,
        choices={"prescribed": ()},
        takes_external=True,
        by_name=BY_NAME,
    )


def linear_system(robot: RobotModel, q: object, qd: object, options: Mapping[str, object]) -> LinearSystem:
    """The system of one state; `options` as in `robot.mixed_dynamics`."""
    method = CompiledMethod(robot, _Read.system)
    given, variant, _ = read_call(method, (q, qd), {key: value for key, value in options.items() if value is not None})
    operands, _ = _Read.system.operands(robot, variant)
    arrays = checked_arrays("system", given, operands)
    for values, operand in zip(arrays, operands, strict=True):
        if values.ndim > len(operand.shape):
            what = "accelerations and forces" if operand.name == "known" else f"'{operand.name}'"
            shape = values.shape[: values.ndim - len(operand.shape)]
            raise ValueError(f"system: {what} of {shape} states: a system is of one state; robot.mixed_dynamics solves "
                             "many at once")
    scalars = [array(np.asarray(values, dtype=float).tolist()) for values in arrays]
    made, drives, mechanism, prescribed = _Read.system.equations(robot, variant)(*scalars)
    speeds = speed_names(mechanism)
    links = [body.name for body in mechanism.bodies]
    unknowns = [f"{quantity}.{link}.{axis}" for link in links for quantity in QUANTITIES for axis in AXES]
    equations = [f"({number}).{link}.{axis}" for link in links for number in EQUATIONS for axis in AXES]
    kinds = ["acceleration" if choice else "force" for choice in prescribed]
    return LinearSystem(
        robot.name,
        (*unknowns, *(f"qdd.{speed}" for speed in speeds)),
        (*equations, *(f"{kind}.{speed}" for kind, speed in zip(kinds, speeds, strict=True))),
        np.array([float(value) for value in made.b]),
        tuple(_floats(row) for row in made.rows),
        tuple((_floats(row), float(friction)) for row, friction in drives),
    )


def _floats(row: Mapping[int, Any]) -> dict[int, float]:
    return {column: float(value) for column, value in row.items()}

class ThreeTerms(NamedTuple):
    """Equation (22): tau = M qdd + B [qd_j^2] + C [qd_j qd_k] + G, without friction."""

    M: Floats
    """(..., n, n): inertia matrix, rotors on its diagonal."""
    B: Floats
    """(..., n, n): of the squares of the speeds, centripetal forces."""
    C: Floats
    """(..., n, n (n - 1)): of their products, Coriolis forces; columns as in `speed_pairs()`."""


class TwoTerms(NamedTuple):
    """Equations (23), (24): tau = M qdd + C qd + G, without friction."""

    M: Floats
    """(..., n, n): inertia matrix, rotors on its diagonal."""
    C: Floats
    """(..., n, n): Coriolis and centripetal matrix."""


@dataclass(frozen=True, eq=False, repr=False)
class Course(Book):
    """The objects of the course notes: `robot.books.course`.

    From L = K - P the forces of the drives follow (4), friction F aside:

        tau_i = d/dt dL/dqd_i - dL/dq_i

    The notes arrange them as (22), squares and products of the speeds apart, and as (23), one matrix C(q, qd).

    Joints with quaternions: their speeds are no rates of coordinates. `dL_dq` is then the slope of L along a motion
    with unit speed i, and (4) has the term of Boltzmann and Hamel more (it stands in
    `loadpath.formulations.lagrangian_arrangements`), which in (22) and (23) is in the coefficients.
    """

    source: ClassVar[str] = "Introduction to Robotics, MECEE 4602 (2019), notes on dynamics"
    places: ClassVar[Mapping[str, str]] = {
        "K": "(5), (29), (37) to (41)",
        "P": "(12), (13), (34)",
        "L": "(2), (15), (42)",
        "dL_dq": "(16)",
        "dL_dqd": "(17)",
        "three_terms": "(22)",
        "speed_pairs": "(22)",
        "two_terms": "(23), (24), (43)",
        "G": "(24)",
        "system": "section 2.2, (44) to (49)",
    }

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for: `w` counts the pairs of speeds."""
        return {**super().sizes, "w": self.n * (self.n - 1)}

    K = letter(
        lagrangian.K,
        "(q),(n)->()",
        """Kinetic energy (J), from the link Jacobians, rotors included. Equal to `robot.kinetic_energy`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.K([0, 0], [1, 0]).round(12))
        2.5
        """,
    )
    P = letter(
        energies.P,
        "(q)->()",
        """Potential energy (J) of the links that can move, zero at the world's origin. Equal to
        `robot.potential_energy`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.P([0, 0]).round(12))
        -29.4
        """,
    )
    L = letter(
        lagrangian.L,
        "(q),(n)->()",
        """Lagrangian K - P (J).

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.L([0, 0], [1, 0]).round(12))
        31.9
        """,
    )
    dL_dq = letter(
        lagrangian.dL_dq,
        "(q),(n)->(n)",
        """Derivatives of L by the coordinates, (..., n). They are along a motion with unit speed i, which for joints
        with a quaternion is no derivative by a coordinate.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dq([1.5707963267948966, 0], [0, 0]).round(12).tolist()
        [-29.4, -9.8]
        """,
        compile_up_to=12,
    )
    dL_dqd = letter(
        lagrangian.dL_dqd,
        "(q),(n)->(n)",
        """Derivatives of L by the speeds, the generalized momenta M qd, (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dqd([0, 0], [1, 0]).round(12).tolist()
        [5.0, 2.0]
        """,
        compile_up_to=16,
    )
    three_terms = letter(
        lagrangian.three_terms,
        "(q)->(n,n),(n,n),(n,w)",
        """Three terms: `.M` of the accelerations, `.B` of the squares of the speeds, `.C` of their products. The
        columns of C are those of `speed_pairs()`.

        >>> import loadpath as lp
        >>> M, B, C = lp.catalog.two_link().books.course.three_terms([0, 1.5707963267948966])
        >>> (B.round(12) + 0.0).tolist(), (C.round(12) + 0.0).tolist()
        ([[0.0, -1.0], [1.0, 0.0]], [[-1.0, -1.0], [0.0, 0.0]])
        """,
        wrap=lambda robot, *parts: ThreeTerms(*parts),
        compile_up_to=8,
    )
    two_terms = letter(
        lagrangian.two_terms,
        "(q),(n)->(n,n),(n,n)",
        """Two terms: `.M` of the accelerations, `.C` of the speeds. dM/dt - 2 C is skew-symmetric.

        >>> import loadpath as lp
        >>> M, C = lp.catalog.two_link().books.course.two_terms([0, 1.5707963267948966], [1, 2])
        >>> (C.round(12) + 0.0).tolist()
        [[-2.0, -3.0], [1.0, 0.0]]
        """,
        wrap=lambda robot, *parts: TwoTerms(*parts),
        compile_up_to=8,
    )
    G = letter(
        energies.G,
        "(q)->(n)",
        """Gravity load dP/dq, (..., n). Equal to `robot.gravity_forces`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.G([1.5707963267948966, 0]).round(12).tolist()            # (27)
        [29.4, 9.8]
        """,
        compile_up_to=24,
    )

    def speed_pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of the two speeds of each column of `three_terms(q).C`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.speed_pairs()
        (('joint1', 'joint2'), ('joint2', 'joint1'))
        """
        return tuple((self.dof_names[j], self.dof_names[k]) for j, k in energies.speed_pairs(self.n))

    @takes_loads
    def system(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        accelerations: Mapping[str, float] | None = None,
        forces: Mapping[str, float] | None = None,
        **acting: Unpack[LoadKeywords],
    ) -> LinearSystem:
        """The one linear system of all forces and accelerations, for one state. Of each speed either the acceleration
        or the force of the drive is given, by name as in `robot.mixed_dynamics`, which solves batches; other options as
        there. `.unknowns`, `.matrix` (sparse), `.right_side`, `.solve()`: see `lp.LinearSystem`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> system = arm.books.course.system([0, 0], [0, 0], accelerations={"joint1": 0}, forces={"joint2": 0})
        >>> system
        <LinearSystem of robot 'two_link': 47 equations, 47 unknowns, 100 entries>
        >>> round(system.solve()["f.link1.x"], 12)                          # it hangs: x is down
        -19.6
        """
        options = {"accelerations": accelerations, "forces": forces, "under": acting["under"]}
        return linear_system(self, q, qd, options)


__test__ = doctests(Course)
