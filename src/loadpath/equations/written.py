"""Equations to read: every object under its name, in text, in LaTeX, as code, and as a whole document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import sympy

from loadpath._version import __version__
from loadpath.cached import cached_property
from loadpath.equations.code import Function
from loadpath.equations.code import written as code_of
from loadpath.equations.letters.names import Names, dotted
from loadpath.equations.objects import OBJECTS, Described, Piece, Value, letter, pieces
from loadpath.equations.symbolic import Symbolic
from loadpath.equations.typeset import Equation, Indices, Section, Symbol, Typesetter, document, symbol_latex
from loadpath.printable import printable
from loadpath.robot.numbers import known

if TYPE_CHECKING:
    from loadpath.equations.code import Language

_XYZ = ("x", "y", "z")
MOST_IN_NOTEBOOK = 7
"""Degrees of freedom up to which a notebook shows the equations by themselves."""


@dataclass(frozen=True, eq=False)
class SymbolicObject:
    """One object of a robot's equations: its value in SymPy, and how it is written.

    >>> import loadpath as lp
    >>> M = lp.catalog.two_link().equations(parameters="symbols")["mass_matrix"]
    >>> M.value[1, 1]
    l2**2*m2
    >>> print(M)
    M11 = l1**2*(m1 + m2) + 2*l1*l2*m2*cos(q2) + l2**2*m2
    M12 = l1*l2*m2*cos(q2) + l2**2*m2
    M21 = l1*l2*m2*cos(q2) + l2**2*m2
    M22 = l2**2*m2
    """

    name: str
    meaning: str
    value: Value = field(repr=False)
    _of: Written = field(repr=False)
    _described: Described = field(repr=False)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its expressions and matrices, each with its place in the object."""
        return tuple(pieces(self.value))

    def latex(self, *, digits: int = 6) -> str:
        """The object in LaTeX, an `aligned` environment whose lines fit a page.

        >>> import loadpath as lp
        >>> print(lp.catalog.two_link().equations(parameters="symbols")["gravity"].latex())
        \\begin{aligned}
        G &= \\left[\\begin{matrix}g l_{1} \\left(m_{1} + m_{2}\\right) \\sin{\\left(q_{1} \\right)} + g l_{2} m_{2} \
\\sin{\\left(q_{1} + q_{2} \\right)}\\\\g l_{2} m_{2} \\sin{\\left(q_{1} + q_{2} \\right)}\\end{matrix}\\right]
        \\end{aligned}
        """
        return _aligned(self._latex_lines(digits))

    def _latex_lines(self, digits: int) -> list[str]:
        return self._of._typesetter.block(list(self._equations(digits)))

    def _equations(self, digits: int) -> Iterator[Equation]:
        for piece in self.pieces:
            yield piece.head(self._described.letter), rounded(piece.value, digits), self._index(piece)

    def _index(self, piece: Piece) -> Indices | None:
        if piece.is_vector:
            return lambda i, j: _XYZ[i]
        if self.name == "coriolis":
            pairs = self._of.speed_pairs
            return lambda i, at: f"{i + 1},{pairs[at][0] + 1}{pairs[at][1] + 1}"
        return None

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def lines(self, *, digits: int = 6) -> list[tuple[str, str]]:
        """Every entry that is not zero, as a name and a text.

        >>> import loadpath as lp
        >>> found = lp.catalog.lau_arm().equations(letters="lau")
        >>> found["link_poses"].lines()[-2]
        ('rod[3, 4]', 'd0 + d2*sin(theta2)')
        """
        return [(name, str(rounded(entry, digits))) for piece in self.pieces for name, entry in self._entries(piece)
                if entry != 0]

    def _entries(self, piece: Piece) -> Iterator[tuple[str, sympy.Expr]]:
        value = piece.value
        short = self._described.text if not piece.path else ""
        if not isinstance(value, sympy.MatrixBase):
            yield piece.name or short or self.name, value
            return
        comma = "," if max(value.shape) > 9 else ""
        for i in range(value.rows):
            for j in range(value.cols):
                if piece.is_vector:
                    name = f"{piece.name}.{_XYZ[i]}"
                elif piece.indices:
                    name = f"{short or self.name}{piece.numbered}[{i + 1}, {j + 1}]"
                elif short:
                    name = f"{short}{i + 1}" + ("" if value.cols == 1 else f"{comma}{j + 1}")
                else:
                    at = f"[{i + 1}]" if value.cols == 1 else f"[{i + 1}, {j + 1}]"
                    name = f"{piece.name or self.name}{at}"
                yield name, value[i, j]

    def code(self, language: Language = "python", name: str | None = None) -> str:
        """A function in Python, C or MATLAB that computes the object: common subexpressions once, coordinates and
        speeds as vectors, constants as arguments by name. `name` is that of the function, if not the object's.

        >>> import loadpath as lp
        >>> print(lp.catalog.two_link().equations(parameters="symbols")["gravity"].code())      # doctest: +ELLIPSIS
        import math
        <BLANKLINE>
        import numpy as np
        <BLANKLINE>
        <BLANKLINE>
        def gravity(q, *, l1=1.0, l2=1.0, m1=1.0, m2=1.0, g=9.8):
            \"""Gravity forces G(q).
            Robot 'two_link', by newton-euler; written by Loadpath ....\"""
            q1, q2 = q
            x0 = g*l2*m2*math.sin(q1 + q2)
            return np.array([g*l1*(m1 + m2)*math.sin(q1) + x0, x0], dtype=float)
        <BLANKLINE>
        """
        return code_of([self._function(name)], language)

    def _function(self, name: str | None = None) -> Function:
        of = self._of
        if name is not None and not name.isidentifier():
            raise ValueError(f"name of the function is {name!r}: expected one like 'mass_matrix'")
        comment = (self.meaning, f"Robot '{of.robot_name}', by {of.formulation}; written by Loadpath {__version__}.")
        motion = {"q": of.q, "qd": of.qd, "qdd": of.qdd}
        return Function(name or self.name.replace(".", "_"), comment, self.pieces, motion, of.parameters)

    def __str__(self) -> str:
        return "\n".join(f"{name} = {text}" for name, text in self.lines())


class Written(Symbolic, ABC):
    """A robot's equations as something to read."""

    @property
    def names(self) -> Names:
        """Where the symbols come from: the letters, the constants that they stand for, notes."""
        return self._derivation.names

    @property
    def speed_pairs(self) -> list[tuple[int, int]]:
        """The pairs j, k of the columns of `coriolis`, both orders of each, as in eq. (22) of the course notes."""
        n = len(self.qd)
        return [(j, k) for j in range(n) for k in range(n) if j != k]

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects, in the order of a book: poses, velocities, energies, matrices, wrenches.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations().objects[:3]
        ('link_poses', 'velocities', 'jacobians')
        """
        return tuple(name for name in OBJECTS if hasattr(type(self), name) or name in self.__dataclass_fields__)

    def __iter__(self) -> Iterator[str]:
        return iter(self.objects)

    def __getitem__(self, name: str) -> SymbolicObject:
        known(name, self.objects, "object")
        described = replace(OBJECTS[name], letter=letter(name, self.names.scheme))
        return SymbolicObject(name, described.meaning, getattr(self, name), self, described)

    # LaTeX

    def latex(self, name: str | None = None, *, digits: int = 6) -> str:
        """An object of the equations in LaTeX, or without a name the equations of motion as a whole, in the
        arrangement of eq. (23) of the course notes: M qdd + C qd + G (+ friction).

        >>> import loadpath as lp
        >>> print(lp.catalog.two_link().equations(letters="course").latex("potential_energy"))
        \\begin{aligned}
        P &= - g \\left(l_{1} \\left(m_{1} + m_{2}\\right) \\cos{\\left(q_{1} \\right)} + l_{2} m_{2} \
\\cos{\\left(q_{1} + q_{2} \\right)}\\right)
        \\end{aligned}
        """
        if name is not None:
            return self[name].latex(digits=digits)
        return _aligned(self._whole(digits))

    @abstractmethod
    def _whole(self, digits: int) -> list[str]:
        """The lines of the equations of motion."""

    def _repr_latex_(self) -> str | None:
        if len(self.qd) > MOST_IN_NOTEBOOK:
            return None
        return f"$\\displaystyle {self.latex()}$"

    def document(self, objects: Sequence[str] | None = None, title: str | None = None, *, digits: int = 6) -> str:
        """A whole LaTeX file with these objects, or with all: a title, what the symbols stand for, each object with
        its meaning. It needs amsmath, geometry and longtable, which every LaTeX has.

        >>> import loadpath as lp
        >>> text = lp.catalog.two_link().equations(letters="course").document(["lagrangian"], "Two links")
        >>> text.splitlines()[0], text.splitlines()[-1]
        ('\\\\documentclass[10pt]{article}', '\\\\end{document}')
        """
        sections, left_out = [], []
        for name in self.objects if objects is None else objects:
            try:
                found = self[name]
                lines = found._latex_lines(digits)
            except ValueError as problem:
                if objects is not None:
                    raise
                left_out.append(f"{name}: {problem}")
                continue
            if objects is not None or any(_not_zero(piece.value) for piece in found.pieces):
                sections.append(Section(found._described.title or name.replace("_", " "), found.meaning, lines))
        return document(
            title or f"Equations of {printable(self.robot_name)}",
            f"Derived by {self.formulation}: {self.heading}.",
            self._symbol_rows(digits),
            sections,
            [*self.notes(), *left_out],
        )

    def _symbol_rows(self, digits: int) -> list[Symbol]:
        """What stands for what."""
        names, latex = self.names, self._latex_names
        places = ((self.q, names.coordinate_names, ""), (self.qd, names.dof_names, ", speed"),
                  (self.qdd, names.dof_names, ", acceleration"))
        rows = [Symbol(latex[symbol], [(f"{name}{what}", "")], "") for symbols, of, what in places
                for symbol, name in zip(symbols, of, strict=True)]
        for symbol, value in self.parameters.items():
            keys = names.keys.get(symbol, ())
            found = [(key, "") for key in keys if names.expressions[key] == symbol]
            found = found or [(key, self._typesetter.text(names.expressions[key])) for key in keys]
            more = [("...", "")] if len(found) > 2 else []
            number = self._typesetter.text(sympy.Float(value, digits)) if value % 1 else f"{value:.0f}"
            rows.append(Symbol(latex[symbol], [*found[:2], *more], number))
        return rows

    @cached_property
    def _typesetter(self) -> Typesetter:
        return Typesetter(self._latex_names)

    @cached_property
    def _latex_names(self) -> dict[sympy.Symbol, str]:
        """LaTeX of every symbol."""
        names = {symbol: symbol_latex(str(symbol)) for symbol in (*self.parameters, *self.q)}
        for symbols, order in ((self.qd, 1), (self.qdd, 2)):
            for k, symbol in enumerate(symbols):
                if str(symbol) == f"q{'d' * order}{k + 1}":
                    names[symbol] = symbol_latex(f"q{k + 1}", dots=order)
                elif len(self.q) == len(self.qd) and str(symbol) == dotted(str(self.q[k]), order):
                    names[symbol] = symbol_latex(str(self.q[k]), dots=order)
                else:
                    names[symbol] = symbol_latex(str(symbol))
        for found in self.names.expressions.values():
            names |= {symbol: symbol_latex(str(symbol)) for symbol in found.free_symbols if symbol not in names}
        return names

    @property
    def _force(self) -> str:
        """The letter of the drives' forces."""
        return self.names.scheme.force

    # Text

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the lines mean."""

    def notes(self) -> list[str]:
        """What the names in the lines stand for, where the heading does not say it."""
        return list(self.names.notes)

    def code(self, objects: Sequence[str], language: Language = "python") -> str:
        """Several objects as functions of one file; see `SymbolicObject.code`."""
        return code_of([self[name]._function() for name in objects], language)


def _aligned(lines: Sequence[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _not_zero(value: sympy.Expr | sympy.MatrixBase) -> bool:
    return any(entry != 0 for entry in value) if isinstance(value, sympy.MatrixBase) else value != 0


def rounded(expression: sympy.Expr, digits: int) -> sympy.Expr:
    """The same with its floats rounded to this many digits.

    >>> rounded(sympy.Float(0.123456789) * sympy.Symbol("x"), 4)
    0.1235*x
    """
    floats = expression.atoms(sympy.Float)
    return expression.xreplace({number: sympy.Float(number, digits) for number in floats})
