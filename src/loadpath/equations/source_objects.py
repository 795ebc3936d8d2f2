"""The objects of a source in symbols, under the source's letters: `equations(letters="lecture")["U"]`.

They are those of `robot.books`: the same equations are run on the robot's symbols. Where an object of all equations is
the same thing (D_i of Lau is `gravity`), that one is taken, which is simplified further.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import partial

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
from loadpath.equations.objects import OBJECTS, Described, Value
from loadpath.equations.symbolic import Table
from loadpath.equations.written import SymbolicObject, Written

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
