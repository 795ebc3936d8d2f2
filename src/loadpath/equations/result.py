"""The equations of motion of a robot as SymPy expressions, to look at, print and use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy

from loadpath.books.angeles import Angeles
from loadpath.books.book import Book, Constant, first_sentence
from loadpath.books.course import Course
from loadpath.books.lau import Lau
from loadpath.books.lecture import Lecture
from loadpath.books.noninertial import Noninertial
from loadpath.books.shelf import BOOKS
from loadpath.cached import cached_property
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled
from loadpath.equations.derivation import EquationTerms, Key, Parts
from loadpath.equations.kinematics import Energies, Kinematics
from loadpath.equations.objects import OBJECTS, Described, Value, letter
from loadpath.equations.symbolic import Table
from loadpath.equations.typeset import symbol_latex
from loadpath.equations.wrenches import Complement
from loadpath.equations.written import SymbolicObject, Written, rounded
from loadpath.printable import printable

NAMED: Mapping[type[Book], Mapping[str, tuple[str, ...]]] = {
    Angeles: {
        "T": ("T",),
        "T_dot": ("T_dot",),
        "K": ("K",),
        "w_C": ("constraint_wrenches",),
        "multipliers": ("multipliers",),
        "tau": ("torques",),
    },
    Course: {
        "K": ("kinetic_energy",),
        "P": ("potential_energy",),
        "L": ("lagrangian",),
        "dL_dq": ("dL_dq",),
        "dL_dqd": ("dL_dqd",),
        "three_terms": ("mass_matrix", "centrifugal", "coriolis"),
        "two_terms": ("mass_matrix", "coriolis_matrix"),
        "G": ("gravity",),
    },
    Lau: {"D_i": ("gravity",), "D_ikl": ("christoffel",)},
    Lecture: {"h": ("velocity_forces",), "c": ("gravity",)},
}
"""Letters of a source for what all equations have, with the names that it has there."""
_LATEX = {
    "T_dot": r"\dot{T}", "t_dot": r"\dot{t}", "T_prime": "T'", "A_0": "A_{0}", "w_G": "w^{G}", "w_A": "w^{A}",
    "w_D": "w^{D}", "w_C": "w^{C}", "multipliers": r"\lambda", "tau": r"\tau", "gamma": r"\gamma",
    "delta": r"\delta", "deltas": r"\delta", "mu": r"\mu", "mus": r"\mu", "D_i": "D", "D_ik": "D", "D_ikl": "D",
    "Ia": "I^{a}", "U_jk": "U", "h_ikm": "h", "dL_dq": OBJECTS["dL_dq"].letter, "dL_dqd": OBJECTS["dL_dqd"].letter,
    "three_terms": "", "two_terms": "",
}
"""Of letters that are not written as they are named."""


class SourceObjects(Mapping[str, SymbolicObject]):
    """The objects of one source by their letters, each derived when it is asked for; printed, a list of them.

    >>> import loadpath as lp
    >>> found = lp.catalog.two_link().equations(letters="lecture").source_objects
    >>> list(found)
    ['A', 'Q', 'U', 'U_jk', 'J', 'D', 'h_ikm', 'h', 'c']
    """

    def __init__(self, equations: Written, book: type[Book], before: str = "") -> None:
        self.equations = equations
        """Those whose symbols the objects have."""
        self._book, self._before = book, before

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._book.places if isinstance(getattr(self._book, name), (Compiled, Constant)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> SymbolicObject:
        if name not in list(self):
            raise KeyError(name)
        meaning = f"{first_sentence(getattr(self._book, name).__doc__ or '')}."
        described = Described(meaning, _LATEX.get(name, name), name if len(name) == 1 else "", f"{self._before}{name}")
        return SymbolicObject(f"{self._before}{name}", meaning, self._value(name), self.equations, described)

    def _value(self, name: str) -> Value:
        equations, quantity = self.equations, getattr(self._book, name)
        if name in NAMED.get(self._book, {}):
            parts = [getattr(equations, part) for part in NAMED[self._book][name]]
            return parts[0] if len(parts) == 1 else quantity.wrap(equations, *parts)
        if isinstance(quantity, Constant):
            return equations._of(quantity.equation)
        made = equations._derivation
        motion = {"q": made.q, "qd": made.qd, "qdd": made.qdd}
        run = partial(equations._of, quantity.formulations[DEFAULT].formulation,
                      *(motion[argument] for argument in quantity.argument_names))
        return Table("link", made.robot.link_names, run) if quantity.takes_link else run()

    def __repr__(self) -> str:
        return f"<objects of {self._book.source}: {', '.join(self)}>"


class InSource(Written):
    """Equations that have the objects of the source whose letters they are in."""

    @cached_property
    def source_objects(self) -> Mapping[str, SymbolicObject]:
        """The objects of the source whose letters these equations are in, by the letters that they have there, like
        U of the lecture notes or `D_ikl` of Lau's thesis; none without `letters=`. Each is also found by
        `equations["U"]`. Arrays with more than two indices are SymPy arrays, indexed from 0.

        >>> import loadpath as lp
        >>> found = lp.catalog.two_link().equations(letters="lecture")
        >>> found["U"].value[1, 0][:3, 3]                                     # dA_2/dtheta_1: the elbow moves
        [l1*cos(theta1), 0, l1*sin(theta1)]
        >>> found["c"].value[1]
        g*l2*m2*sin(theta1 + theta2)
        """
        book = self._book
        return {} if book is None else SourceObjects(self, book)

    @property
    def _book(self) -> type[Book] | None:
        """The source; none of a robot with loops, whose objects are those of its open tree."""
        return None if self._derivation.robot.held_by_loops else BOOKS.get(self.names.scheme.name)

    @cached_property
    def noninertial(self) -> SourceObjects:
        """The objects of the slides for the robot on a base that moves freely, `letters="angeles"`: T, `A_0`,
        `T_prime`, K and those that `robot.books.angeles.noninertial` has. Their symbols, the base's pose and velocity
        among them, are those of `noninertial.equations`; `equations["noninertial.T"]` is the same.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).equations(letters="angeles").noninertial
        >>> free["T_prime"].value[3:6, 0].subs({"q4": 0, "q5": 0, "q6": 0, "q7": 1}).T
        Matrix([[-a1*sin(theta1)/2, 0, a1*cos(theta1)/2]])
        """
        robot = self._derivation.robot
        if robot.held_by_loops:
            raise ValueError(f"the noninertial base of the slides is a chain's, and robot '{robot.name}' has loops: "
                             "robot.floating().equations() has its base's speeds among the others")
        if self._book is not Angeles:
            raise ValueError("the noninertial base is of Angeles's slides: robot.equations(letters='angeles')")
        return SourceObjects(self._on_free_base(), Noninertial, "noninertial.")

    @abstractmethod
    def _on_free_base(self) -> Written:
        """The equations of the same robot whose base moves freely."""

    def __getitem__(self, name: str) -> SymbolicObject:
        if name in self.source_objects:  # the source's K, in its letters, before another source's
            return self.source_objects[name]
        if name in self.objects:
            return super().__getitem__(name)
        before, _, letter = str(name).partition(".")
        if before == "noninertial" and letter in list(self.noninertial):
            return self.noninertial[letter]
        raise ValueError(f"no object {name!r}{self._elsewhere(name)}; there are {', '.join(self.objects)}"
                         f"{self._letters_known()}")

    def _elsewhere(self, name: str) -> str:
        """Where else an object of this name is."""
        source = self.names.scheme.name
        if name in getattr(BOOKS.get(source), "places", ()):
            if self._derivation.robot.held_by_loops:
                return f" of a robot with loops: robot.tree.equations(letters='{source}') has that of its open tree"
            return f" in symbols: robot.books.{source}.{name} is it in numbers"
        sources = [f"letters='{source}'" for source, book in BOOKS.items() if name in book.places]
        return f" in these letters, it is one of {' and '.join(sources)}" if sources else ""

    def _letters_known(self) -> str:
        """What the source has, in words."""
        return f"; and of the source {', '.join(self.source_objects)}" if self.source_objects else ""

@dataclass(frozen=True, eq=False)
class Equations(Kinematics, Energies, Complement, InSource):
    """Equations of motion, as SymPy matrices; simplified when first asked for.

    `torques` = `mass_matrix` qdd + `centrifugal` [qd_j^2] + `coriolis` [qd_j qd_k] + `gravity` + `friction`
              = `mass_matrix` qdd + `coriolis_matrix` qd + `gravity` + `friction`

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link().equations(parameters="symbols")
    >>> arm.mass_matrix[0, 1]
    l1*l2*m2*cos(q2) + l2**2*m2
    >>> arm.gravity[1]
    g*l2*m2*sin(q1 + q2)
    """

    def _on_free_base(self) -> Equations:
        made = self._derivation
        return Equations(**made.of(Noninertial.of_free(made.robot)).parts())

    @property
    def _terms(self) -> EquationTerms:
        return self._derivation.terms

    def _simplified(self, parts: Parts, key: Key, factor: Fraction = Fraction(1)) -> sympy.Expr:
        terms = parts.get(key)
        if not terms:
            return sympy.Integer(0)
        return self._coefficient({m: factor * c for m, c in terms.items()})

    @cached_property
    def mass_matrix(self) -> sympy.Matrix:
        """M(q), (n, n), rotors included."""
        n = len(self.qd)
        result = sympy.zeros(n, n)
        for i in range(n):
            for j in range(i, n):
                result[i, j] = result[j, i] = self._simplified(self._terms.mass, (i, j))
        return result

    @cached_property
    def centrifugal(self) -> sympy.Matrix:
        """Coefficients of qd_j^2, (n, n)."""
        n = len(self.qd)
        return sympy.Matrix(n, n, lambda i, j: self._simplified(self._terms.products, (int(i), int(j), int(j))))

    @cached_property
    def coriolis(self) -> sympy.Matrix:
        """Coefficients of qd_j qd_k, j != k, (n, n (n - 1)), columns as in `speed_pairs`: half of each product's
        coefficient stands under qd_j qd_k, half under qd_k qd_j.
        """
        pairs, half = self.speed_pairs, self._half
        return sympy.Matrix(len(self.qd), len(pairs), lambda i, at: half(int(i), *pairs[int(at)]))

    @cached_property
    def _halves(self) -> dict[tuple[int, int, int], sympy.Expr]:
        return {}

    def _half(self, i: int, j: int, k: int) -> sympy.Expr:
        key = (i, min(j, k), max(j, k))
        if key not in self._halves:
            self._halves[key] = self._simplified(self._terms.products, key, Fraction(1, 2))
        return self._halves[key]

    @cached_property
    def coriolis_matrix(self) -> sympy.Matrix:
        """C(q, qd), (n, n), as in eq. (23): from the symmetric (Christoffel) coefficients, so that dM/dt - 2 C is
        skew-symmetric; not so for joints with quaternions, whose speeds are not derivatives of coordinates.
        """
        n = len(self.qd)

        def entry(i: int, k: int) -> sympy.Expr:
            shared: dict[sympy.Expr, sympy.Expr] = {}
            for j in range(n):
                part = self.centrifugal[i, k] if j == k else self._half(i, j, k)
                if part != 0:  # equal coefficients of several speeds are taken out once
                    shared[part] = shared.get(part, sympy.Integer(0)) + self.qd[j]
            return sympy.Add(*(part * speeds for part, speeds in shared.items()))

        return sympy.Matrix(n, n, lambda i, k: entry(int(i), int(k)))

    @cached_property
    def christoffel(self) -> sympy.NDimArray:
        """Christoffel symbols of the first kind, (n, n, n): entry i, j, k is what qd_j qd_k is multiplied with in
        torque i, half of it under j, k and half under k, j. For joints with quaternions the symmetric coefficients
        of the speeds, which are no derivatives of M alone.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").christoffel[0, 0, 1]
        -l1*l2*m2*sin(q2)
        """
        numbers = range(len(self.qd))
        return sympy.ImmutableDenseNDimArray(
            [[[self.centrifugal[i, j] if j == k else self._half(i, j, k) for k in numbers] for j in numbers]
             for i in numbers]
        )

    @cached_property
    def gravity(self) -> sympy.Matrix:
        """G(q), (n, 1)."""
        return sympy.Matrix([self._simplified(self._terms.gravity, (i,)) for i in range(len(self.qd))])

    @cached_property
    def friction(self) -> sympy.Matrix:
        """Forces against viscous and Coulomb friction, (n, 1)."""
        return sympy.Matrix([self._simplified(self._terms.friction, (i,)) for i in range(len(self.qd))])

    @cached_property
    def velocity_forces(self) -> sympy.Matrix:
        """Centrifugal and Coriolis forces together, (n, 1): `coriolis_matrix` times qd, product by product."""
        n = len(self.qd)
        rows = []
        for i in range(n):
            pairs = [(j, k) for j in range(n) for k in range(j, n) if (i, j, k) in self._terms.products]
            rows.append(sympy.Add(*(self._simplified(self._terms.products, (i, j, k)) * self.qd[j] * self.qd[k]
                                    for j, k in pairs)))
        return sympy.Matrix(rows)

    @cached_property
    def torques(self) -> sympy.Matrix:
        """Forces of the drives, (n, 1)."""
        qdd = sympy.Matrix(self.qdd)
        return self.mass_matrix * qdd + self.velocity_forces + self.gravity + self.friction

    # Printing

    def _whole(self, digits: int) -> list[str]:
        """M qdd + C qd + G (+ F) as matrices where they fit a page, otherwise entry by entry."""
        write = self._typesetter
        speeds = [sympy.Matrix(symbols) for symbols in (self.qd, self.qdd)]
        tau = sympy.Matrix([sympy.Symbol(f"{self._force}_{k + 1}") for k in range(len(self.qd))])
        parts = [(self.mass_matrix, speeds[1]), (self.coriolis_matrix, speeds[0]), (self.gravity, None)]
        parts += [(self.friction, None)] if any(self.friction) else []
        texts = [[write.text(rounded(factor, digits)) for factor in part if factor is not None] for part in parts]
        if max(write.width(f"{write.text(tau)} &= {' '.join(text)}") for text in texts) <= write.room:
            signs = ["&= ", *["&+ "] * (len(texts) - 1)]
            lines = [sign + " ".join(text) for sign, text in zip(signs, texts, strict=True)]
            return [f"{write.text(tau)} {lines[0]}", *lines[1:]]
        names = ["mass_matrix", "velocity_forces", "gravity", *(["friction"] if any(self.friction) else [])]
        heads = [letter(name, self.names.scheme) for name in names]
        motion = [rf"{heads[0]} \ddot{{q}}", *heads[1:]]
        own = [equation for name in names for equation in self[name]._equations(digits)]
        return [rf"{symbol_latex(self._force)} &= {' + '.join(motion)}", *write.block(own)]

    @property
    def heading(self) -> str:
        """What the lines mean."""
        return f"{self._force} = M(q) qdd + h(q, qd) + G(q)" + (" + F(qd)" if any(self.friction) else "")

    def lines(self, *, digits: int = 6) -> list[tuple[str, str]]:
        """Every entry that is not zero, as a name and a text."""
        n = len(self.qd)
        comma = "," if n > 9 else ""
        found = [(f"M{i + 1}{comma}{j + 1}", self.mass_matrix[i, j]) for i in range(n) for j in range(i, n)]
        found += [(f"h{i + 1}", self.velocity_forces[i]) for i in range(n)]
        found += [(f"G{i + 1}", self.gravity[i]) for i in range(n)]
        found += [(f"F{i + 1}", self.friction[i]) for i in range(n)]
        return [(name, str(rounded(entry, digits))) for name, entry in found if entry != 0]

    def __str__(self) -> str:
        head = f"Equations of '{printable(self.robot_name)}' by {self.formulation}"
        friction = " + F(qd)" if any(self.friction) else ""
        text = [f"{head}: {self._force} = M qdd + h(q, qd) + G(q){friction}"]
        text += [f"{name} = {entry}" for name, entry in self.lines()] + self.notes()
        if self.parameters:
            text.append(", ".join(f"{symbol} = {value:.6g}" for symbol, value in self.parameters.items()))
        return "\n".join(text)
