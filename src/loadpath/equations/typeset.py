"""A LaTeX file that compiles as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import sympy
from sympy.printing.latex import LatexPrinter

# LaTeX of the names of symbols, links and joints: what belongs below the line goes there.
#
# | name | LaTeX |
# |---|---|
# | `m1`, `c3x`, `I1yy` | `m_{1}`, `c_{3x}`, `I_{1,yy}` |
# | `alpha1`, `theta_1` | `\alpha_{1}`, `\theta_{1}` |
# | `thetadot1`, `qdd2` | `\dot{\theta}_{1}`, `\ddot{q}_{2}` (of coordinates) |
# | `m_rod`, `mass` | `m_{\mathrm{rod}}`, `\mathrm{mass}` |


GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
)

_PARTS = re.compile(r"(?P<head>[^\W\d_]+)(?P<number>\d*)(?P<tail>[^\W\d_]*)(?P<rest>(?:_.*)?)", re.DOTALL)
_AXES = re.compile(r"[xyz]{1,2}")
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}


def escaped(text: str) -> str:
    """A name as text in LaTeX; characters that pdflatex has no letter for as their number.

    >>> print(escaped("arm_1 & 50%"), escaped("\\u8098"))
    arm\\_1 \\& 50\\% U+8098
    """
    return "".join(_SPECIAL.get(c, c if _has_letter(c) else f"U+{ord(c):04X}") for c in text)


def _has_letter(c: str) -> bool:
    return " " <= c <= "~" or ("\u00c0" <= c <= "\u017f" and c not in "\u0149\u017f")


def symbol_latex(name: str, dots: int = 0) -> str:
    """The name of a symbol in LaTeX; what is LaTeX already stays as it is.

    >>> print(symbol_latex("c3x"), symbol_latex("I1yy"), symbol_latex("alpha1"), symbol_latex("theta1", dots=2))
    c_{3x} I_{1,yy} \\alpha_{1} \\ddot{\\theta}_{1}
    >>> print(symbol_latex("m_rod"), symbol_latex("L"), symbol_latex("l1_rocker_pin"))
    m_{\\mathrm{rod}} L l_{1,\\mathrm{rocker\\_pin}}
    """
    if any(c in name for c in "\\{}^$"):
        return _with_dots(name, dots) if _balanced(name) else rf"\mathrm{{{escaped(name)}}}"
    parts = _PARTS.fullmatch(name)
    if parts is None:
        return _with_dots(rf"\mathrm{{{escaped(name)}}}", dots)
    head, number, tail, rest = parts.group("head", "number", "tail", "rest")
    if not number and not tail:
        head, tail = _split_head(head)
    below = [f"{number}{tail}" if len(tail) < 2 else f"{number},{tail}" if number else tail] if number or tail else []
    if tail and not _AXES.fullmatch(tail):
        below = [*([number] if number else []), _word(tail)]
    if rest[1:]:
        below.append(_word(rest[1:]))
    return _with_dots(_head(head), dots) + (f"_{{{','.join(below)}}}" if below else "")


def label_latex(name: str) -> str:
    """The name of a link or joint as an index: one like theta1 as a symbol, others upright.

    >>> print(label_latex("theta1"), label_latex("d2"), label_latex("upper_arm"))
    \\theta_{1} d_{2} \\mathrm{upper\\_arm}
    """
    parts = re.fullmatch(r"([A-Za-z]+)(\d+)", name)
    if parts and (len(parts[1]) == 1 or parts[1] in GREEK):
        return symbol_latex(name)
    return rf"\mathrm{{{escaped(name)}}}" if not name.isdigit() else name


def _split_head(head: str) -> tuple[str, str]:
    """Of a name without a number: Ixx is a letter and axes, mass is a word."""
    for length in (1, 2):
        front, axes = head[:-length], head[-length:]
        if _AXES.fullmatch(axes) and (len(front) == 1 or front in GREEK):
            return front, axes
    return head, ""


def _head(head: str) -> str:
    if head in GREEK:
        return rf"\{head}"
    return head if len(head) == 1 and head.isascii() else rf"\mathrm{{{escaped(head)}}}"


def _word(text: str) -> str:
    """What follows an underscore: numbers and single letters as they are, words upright."""
    if re.fullmatch(r"\d+[xyz]{0,2}|[A-Za-z]|[xyz]{2}", text):
        return text
    return rf"\{text}" if text in GREEK else rf"\mathrm{{{escaped(text)}}}"


def _with_dots(latex: str, dots: int) -> str:
    return rf"\{'d' * dots}ot{{{latex}}}" if dots else latex


def _balanced(text: str) -> bool:
    depth = 0
    for k, c in enumerate(text):
        if c in "{}" and text[k - 1 : k] != "\\":
            depth += 1 if c == "{" else -1
            if depth < 0:
                return False
    return depth == 0


# Sentences with formulas in plain text, "J qd = 0", as LaTeX with the formulas set as formulas.


_ATOM = rf"(?:{'|'.join(GREEK)}|qdd|qd|d[A-Z]/dt|\d|[A-Zhtq]'?)(?:\(q(?:, qd)?\)|\(qd\))?"
_FORMULA = re.compile(rf"(?<![\w(]){_ATOM}(?: (?:[=+-] )?{_ATOM})*(?![\w(])")
_WORD = re.compile(r"[A-Za-z]+")
_SPEEDS = {"qd": r"\dot{q}", "qdd": r"\ddot{q}"}


def sentence(text: str) -> str:
    """Text in LaTeX; what has an equals sign, an argument or a rate in it is a formula.

    >>> print(sentence("Derived by newton-euler: tau = M(q) qdd + h(q, qd)."))
    Derived by newton-euler: $\\tau = M(q) \\ddot{q} + h(q, \\dot{q})$.
    >>> print(sentence("A matrix by the Christoffel symbols: dM/dt - 2 C is skew."))
    A matrix by the Christoffel symbols: $\\dot{M} - 2 C$ is skew.
    """
    made, end = [], 0
    for found in _FORMULA.finditer(text):
        if any(c in found[0] for c in "=(/"):
            made += [escaped(text[end : found.start()]), f"${_math(found[0])}$"]
            end = found.end()
    return "".join([*made, escaped(text[end:])])


def _math(formula: str) -> str:
    formula = re.sub(r"d([A-Z])/dt", r"\\dot{\1}", formula).replace("'", "^{T}")
    return _WORD.sub(lambda word: _letter(formula, word), formula)


def _letter(formula: str, word: re.Match[str]) -> str:
    if formula[word.start() - 1 : word.start()] == "\\":
        return word[0]
    return _SPEEDS.get(word[0]) or (rf"\{word[0]}" if word[0] in GREEK else word[0])


_BLOCK = 40
"""Lines of one display; long ones are split, since TeX holds each as a whole."""

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[a4paper, margin=22mm]{geometry}
\usepackage{amsmath}
\usepackage{longtable}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\renewcommand{\arraystretch}{1.2}
\emergencystretch=3em"""


class Section(NamedTuple):
    """An object: its title, what it means, its lines."""

    title: str
    meaning: str
    lines: Sequence[str]


class Symbol(NamedTuple):
    """A row of the table of symbols."""

    latex: str
    stands_for: Sequence[tuple[str, str]]
    """Names of coordinates or constants, each with what it is equal to, as LaTeX, where that is not the symbol."""
    number: str
    """As LaTeX."""

    @property
    def row(self) -> str:
        """The row in LaTeX."""
        meanings = [f"{_breakable(name)} $= {equal}$" if equal else _breakable(name) for name, equal in self.stands_for]
        number = f"${self.number}$" if self.number else ""
        return rf"${self.latex}$ & {', '.join(meanings)} & {number} \\"


def document(
    title: str,
    introduction: str,
    symbols: Sequence[Symbol],
    sections: Sequence[Section],
    notes: Sequence[str],
) -> str:
    """The text of the file."""
    text = [_PREAMBLE, rf"\title{{{escaped(title)}}}", r"\author{}", r"\date{}", r"\begin{document}", r"\maketitle",
            sentence(introduction), ""]
    if symbols:
        text += [r"\section*{Symbols}", r"\begin{longtable}{p{20mm} p{95mm} p{35mm}}",
                 r"symbol & constant or joint & value \\", r"\hline", r"\endhead"]
        text += [symbol.row for symbol in symbols]
        text.append(r"\end{longtable}")
    for section in sections:
        text += [rf"\section*{{{escaped(section.title[:1].upper() + section.title[1:])}}}", sentence(section.meaning)]
        for block in _blocks(section.lines):
            text += [r"\begin{align*}", " \\\\\n".join(block), r"\end{align*}"]
    if notes:
        text += [r"\section*{Notes}", *(f"{_breakable(note)}\n" for note in notes)]
    return "\n".join([*text, r"\end{document}"])


def _blocks(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Lines in displays of some length, none of which begins in the middle of an equation."""
    start = 0
    for k, line in enumerate(lines):
        if k - start >= _BLOCK and not line.startswith("&"):
            yield lines[start:k]
            start = k
    yield lines[start:]


def _breakable(text: str) -> str:
    """Text in which a line may also end after a dot or an underscore in a name."""
    return escaped(text).replace(r"\_", r"\_\allowbreak{}").replace(".", r".\allowbreak{}")


# Formulas in lines that fit a page: long sums are broken before a plus or minus, also those in brackets.
#
# A line is broken at the outermost sum that it can be; a bracket that is broken has the size of \bigl and \bigr on
# both sides, since \left and \right must stand in one line. A matrix that is too wide or too tall is written entry by
# entry.


# How wide a formula is on paper, from its LaTeX: in em, with the widths of TeX's own letters.
#
# It reads what SymPy's printer writes (and what is written here): fractions, indices, roots, brackets, functions,
# matrices. The measure is meant for breaking lines; it is right to a few per cent, rather too wide than too narrow.


_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", (
    0.53, 0.43, 0.43, 0.52, 0.47, 0.60, 0.51, 0.58, 0.35, 0.47, 0.55, 0.32, 0.88, 0.60, 0.49, 0.50, 0.48, 0.48, 0.47,
    0.36, 0.57, 0.52, 0.74, 0.57, 0.53, 0.51), strict=True))
_LETTERS |= dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    0.75, 0.81, 0.79, 0.86, 0.80, 0.78, 0.79, 0.91, 0.52, 0.65, 0.92, 0.68, 1.08, 0.91, 0.79, 0.78, 0.79, 0.77, 0.67,
    0.72, 0.79, 0.81, 1.08, 0.91, 0.80, 0.75), strict=True))
_SYMBOLS = {"+": 1.25, "-": 1.25, "=": 1.36, "(": 0.39, ")": 0.39, "[": 0.28, "]": 0.28, ".": 0.28, ",": 0.45, "/": 0.5,
            "|": 0.28, " ": 0.0, "'": 0.3, "{": 0.0, "}": 0.0, "&": 0.0}
_COMMANDS = {
    r"\cos": 1.62, r"\sin": 1.42, r"\tan": 1.6, r"\cdot": 0.75, r"\times": 1.25, r"\quad": 1.0, r"\qquad": 2.0,
    r"\left": 0.12, r"\right": 0.12, r"\bigl": 0.1, r"\bigr": 0.1, r"\,": 0.17, r"\;": 0.28, r"\{": 0.5, r"\}": 0.5,
    r"\_": 0.5, r"\infty": 1.0, r"\pi": 0.6, r"\omega": 0.66, r"\alpha": 0.65,
}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S| ", re.DOTALL)
_SMALL = 0.72
_COLUMN = 1.0
"""Space between the columns of a matrix."""


@lru_cache(maxsize=100_000)
def width(latex: str) -> float:
    """The printed width of a formula in em.

    >>> round(width(r"a + \\frac{b}{c}"), 1)
    2.5
    """
    return _Reader(latex).everything()


class _Reader:
    def __init__(self, latex: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(latex.replace("\n", " "))
        self.at = 0

    def everything(self) -> float:
        total = 0.0
        while self.at < len(self.tokens):
            total += self.piece()
        return total

    def next(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def group(self) -> str:
        """The text of an argument: what is in braces, or one token."""
        while self.at < len(self.tokens) and self.tokens[self.at] == " ":
            self.at += 1
        if self.at >= len(self.tokens):
            return ""
        first = self.next()
        if first != "{":
            return first
        depth, start = 1, self.at
        while self.at < len(self.tokens) and depth:
            token = self.next()
            depth += (token == "{") - (token == "}")
        return "".join(self.tokens[start : self.at - 1])

    def piece(self) -> float:
        token = self.next()
        if token in "_^":
            return self.index()
        if token in _CONSTRUCTIONS:
            return _CONSTRUCTIONS[token](self, token)
        if token in _COMMANDS:
            return _COMMANDS[token]
        if token.startswith("\\"):
            return 0.6  # a Greek letter
        return _LETTERS[token] if token in _LETTERS else _SYMBOLS.get(token, 0.5)

    def index(self) -> float:
        size = _SMALL * width(self.group()) + 0.05
        if self.at < len(self.tokens) and self.tokens[self.at] in "_^":  # below and above each other
            self.next()
            size = max(size, _SMALL * width(self.group()) + 0.05)
        return size

    def fraction(self, token: str) -> float:
        return max(width(self.group()), width(self.group())) * (1.0 if token == r"\frac" else _SMALL) + 0.25

    def root(self, token: str) -> float:
        return 0.85 + width(self.group())

    def accent(self, token: str) -> float:
        return width(self.group())

    def upright(self, token: str) -> float:
        text = self.group().replace("\\", "")
        return 0.56 * len(text) + (0.17 if token == r"\operatorname" else 0.0)

    def matrix(self, token: str) -> float:
        """A matrix up to its \\end."""
        if self.group() == "array":
            self.group()
        depth, start = 1, self.at
        while self.at < len(self.tokens) and depth:
            token = self.next()
            depth += (token == r"\begin") - (token == r"\end")
        inside = self.tokens[start : self.at - 1]
        self.group()
        columns: list[float] = []
        column, cell, nested = 0, [], 0
        for token in [*inside, r"\\"]:
            nested += (token == r"\begin") - (token == r"\end")
            if nested or token not in ("&", r"\\"):
                cell.append(token)
                continue
            if column == len(columns):
                columns.append(0.0)
            columns[column] = max(columns[column], width("".join(cell)))
            column, cell = (column + 1, []) if token == "&" else (0, [])
        return sum(columns) + _COLUMN * len(columns) + 0.3


_CONSTRUCTIONS: dict[str, Callable[[_Reader, str], float]] = {
    r"\frac": _Reader.fraction, r"\tfrac": _Reader.fraction, r"\sqrt": _Reader.root, r"\dot": _Reader.accent,
    r"\ddot": _Reader.accent, r"\bar": _Reader.accent, r"\hat": _Reader.accent, r"\mathrm": _Reader.upright,
    r"\mathbf": _Reader.upright, r"\operatorname": _Reader.upright, r"\text": _Reader.upright,
    r"\begin": _Reader.matrix,
}


PAGE = 46.5
"""Width of a line in em: a page of paper (A4 or letter) with narrow margins, in ten-point type."""
LONGEST_HEAD = 11.0
"""Width of a left side beyond which it gets a line of its own."""
TALLEST = 24
"""Rows of a matrix that is written as one."""

_EQUALS = 1.4
_NARROWEST = 0.25
"""Width of a symbol or number at the least."""

Indices = Callable[[int, int], str]
"""The index of an entry of a matrix, from its row and column."""
Equation = tuple[str, "sympy.Expr | sympy.MatrixBase", "Indices | None"]
"""The left side, the right side, and how entries are named if the right side is a matrix that does not fit."""


class _Row(NamedTuple):
    """An equation that stands by itself, or a remark."""

    head: str
    value: sympy.Expr | sympy.MatrixBase | None = None


class _Piece(NamedTuple):
    """A part of a formula that is not broken, and how deep in brackets a line may begin with it."""

    text: str
    depth: int


class _Printer(LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    """SymPy's printer, which begins a sum with a term that has no minus sign if there is one, and which writes a part
    that it has written before at once: parts of a sum are measured often.
    """

    def __init__(self, settings: dict[str, object]) -> None:
        super().__init__(settings)
        self._written: dict[sympy.Basic, str] = {}

    def _as_ordered_terms(self, expr: sympy.Expr, order: str | None = None) -> list[sympy.Expr]:
        terms = list(super()._as_ordered_terms(expr, order=order))
        first = next((k for k, term in enumerate(terms) if not _leads_with_minus(term)), 0)
        return [terms[first], *terms[:first], *terms[first + 1 :]]

    def _print(self, expr: sympy.Basic, **options: object) -> str:
        if options or not isinstance(expr, (sympy.Add, sympy.Mul)):
            return str(super()._print(expr, **options))
        if expr not in self._written:
            self._written[expr] = str(super()._print(expr))
        return self._written[expr]


class Typesetter:
    """Writes expressions and matrices as lines of an `aligned` environment."""

    def __init__(self, names: Mapping[sympy.Symbol, str], room: float = PAGE) -> None:
        self.printer = _Printer({"symbol_names": dict(names), "long_frac_ratio": 2})
        self.room = room

    @staticmethod
    def width(latex: str) -> float:
        """The printed width of a formula in em."""
        return width(latex)

    def text(self, expression: sympy.Basic) -> str:
        """An expression in LaTeX, in one line."""
        return str(self.printer.doprint(expression))

    def block(self, equations: Sequence[Equation]) -> list[str]:
        """The lines of several equations, aligned at their signs of equality."""
        margin = self._margin(head for head, _, _ in equations)
        rows = [row for head, value, index in equations for row in self._rows(head, value, index, margin)]
        margin = self._margin(row.head for row in rows if row.value is not None) + _EQUALS
        return [line for row in rows for line in self._lines(row, margin)]

    def _margin(self, heads: Iterable[str]) -> float:
        """The width of the left column; a left side that is longer gets a line of its own."""
        return max((width(head) for head in heads if width(head) <= LONGEST_HEAD), default=0.0)

    def _fits(self, matrix: sympy.MatrixBase, margin: float) -> bool:
        """Whether a matrix can stand as one in a line in which something else has this width."""
        if matrix.rows > TALLEST:
            return False
        if any(_has_more_than(entry, self.room) for entry in matrix):
            return False
        return margin + width(self.text(matrix)) <= self.room

    def _rows(
        self, head: str, value: sympy.Expr | sympy.MatrixBase, index: Indices | None, margin: float
    ) -> list[_Row]:
        """A matrix as one row, or one row an entry."""
        if not isinstance(value, sympy.MatrixBase):
            return [_Row(head, value)]
        entries = [(i, j, value[i, j]) for i in range(value.rows) for j in range(value.cols)]
        some = [entry for entry in entries if entry[2] != 0]
        if not some:
            return [_Row(head, sympy.Integer(0))]
        if self._fits(value, margin + _EQUALS):
            return [_Row(head, value)]
        symmetric = value.rows == value.cols > 1 and value == value.T
        if symmetric:
            some = [entry for entry in some if entry[0] <= entry[1]]
        named = index or numbered(value)
        rows = [_Row(_indexed(head, named(i, j)), entry) for i, j, entry in some]
        shown = len(some) if not symmetric else sum(1 if i == j else 2 for i, j, _ in some)
        remarks = ["symmetric"] if symmetric else []
        remarks += ["all other entries are zero"] if shown < len(entries) else []
        return [*rows, _Row(rf"\text{{{', '.join(remarks)}}}")] if remarks else rows

    def _lines(self, row: _Row, margin: float) -> list[str]:
        if row.value is None:
            return [f"&{row.head}"]
        if isinstance(row.value, sympy.MatrixBase) or self._is_short(row.value, self.room - margin):
            lines = [f"{row.head} &= {self.text(row.value)}"]
        else:
            lines = self._filled(row.head, margin, self._pieces(row.value, 0))
        if width(row.head) > LONGEST_HEAD:
            return [f"&{row.head}", lines[0].removeprefix(row.head).lstrip(), *lines[1:]]
        return lines

    # Breaking

    def _filled(self, head: str, margin: float, pieces: Sequence[_Piece]) -> list[str]:
        lines, line = [], f"{head} &="
        left, fresh = self.room - margin, True
        for k, piece in enumerate(pieces):
            run, size, depth = self._run(pieces, k), width(piece.text), min(piece.depth, 3)
            room = self.room - margin - depth + _EQUALS - 1.0  # a later line begins below the sign of equality
            if not fresh and (left < run <= room or size > left):
                lines.append(line)
                line, left = "&" + r"\quad" * (1 + depth), room
            line, left, fresh = f"{line} {piece.text}", left - size, False
        return [*lines, line]

    def _run(self, pieces: Sequence[_Piece], k: int) -> float:
        """The width up to the next place of the same depth where a line may begin."""
        total = width(pieces[k].text)
        for piece in pieces[k + 1 :]:
            if piece.depth <= pieces[k].depth or total > self.room:
                break
            total += width(piece.text)
        return total

    def _pieces(self, expression: sympy.Expr, depth: int) -> list[_Piece]:
        """An expression that may be too wide for a line, in parts."""
        if isinstance(expression, sympy.Add):
            return self._of_sum(expression, depth)
        if self._is_short(expression, 0.6 * self.room):
            return [_Piece(self.text(expression), depth)]
        if isinstance(expression, sympy.Mul):
            return self._of_product(expression, depth)
        if isinstance(expression, sympy.Pow) and isinstance(expression.base, sympy.Add) and expression.exp in (2, 3, 4):
            return _bracketed("", self._pieces(expression.base, depth + 1), f"^{{{expression.exp}}}", depth)
        return [_Piece(self.text(expression), depth)]

    def _is_short(self, expression: sympy.Expr, room: float) -> bool:
        """Whether an expression has this width or less; a long one is not written for that."""
        return not _has_more_than(expression, room) and width(self.text(expression)) <= room

    def _of_sum(self, expression: sympy.Add, depth: int) -> list[_Piece]:
        pieces: list[_Piece] = []
        for term in self.printer._as_ordered_terms(expression):
            negative = term.could_extract_minus_sign() and _leads_with_minus(term)
            parts = self._pieces(-term if negative else term, depth + 1)
            sign = "- " if negative else "+ " if pieces else ""
            pieces.append(_Piece(sign + parts[0].text, depth))
            pieces += parts[1:]
        return pieces

    def _of_product(self, product: sympy.Mul, depth: int) -> list[_Piece]:
        top, bottom = sympy.fraction(product)
        factors = list(sympy.Mul.make_args(top))
        sums = [factor for factor in factors if isinstance(factor, sympy.Add)]
        if not sums:
            return self._of_factors(product, factors, bottom, depth)
        longest = max(sums, key=lambda factor: width(self.text(factor)))
        factors.remove(longest)
        others = sympy.Mul(*factors) / bottom
        a_sum = isinstance(others, sympy.Add)
        front = rf"\left({self.text(others)}\right)" if a_sum else {1: "", -1: "-"}.get(others, self.text(others))
        if width(front) > 0.6 * self.room:
            before = self._pieces(others, depth + 1)
            before = _bracketed("", before, "", depth) if a_sum else before
            inside = _bracketed("", self._pieces(longest, depth + 1), "", depth + 1)
            return [before[0]._replace(depth=depth), *before[1:], *inside]
        return _bracketed(front, self._pieces(longest, depth + 1), "", depth)

    def _of_factors(
        self, product: sympy.Mul, factors: Sequence[sympy.Expr], bottom: sympy.Expr, depth: int
    ) -> list[_Piece]:
        """A product without sums, broken between two factors."""
        if self._is_short(product, self.room - 6) or len(factors) < 2:
            return [_Piece(self.text(product), depth)]
        half = len(factors) // 2
        first, second = sympy.Mul(*factors[:half]) / bottom, sympy.Mul(*factors[half:])
        after = self._pieces(second, depth + 1)
        return [*self._pieces(first, depth), _Piece(rf"\times {after[0].text}", depth + 1), *after[1:]]


def _bracketed(front: str, inside: Sequence[_Piece], power: str, depth: int) -> list[_Piece]:
    texts = [piece.text for piece in inside]
    texts[0] = f"{front} " * bool(front) + rf"\bigl({texts[0]}"
    texts[-1] += rf"\bigr){power}"
    depths = [depth, *(max(piece.depth, depth + 1) for piece in inside[1:])]
    return [_Piece(text, at) for text, at in zip(texts, depths, strict=True)]


def _has_more_than(expression: sympy.Basic, room: float) -> bool:
    """Whether an expression has more symbols and numbers than can stand in a width."""
    waiting, count = [expression], 0
    while waiting and count * _NARROWEST <= room:
        arguments = waiting.pop().args
        count += not arguments
        waiting.extend(arguments)
    return bool(waiting)


def _leads_with_minus(term: sympy.Expr) -> bool:
    number = term.as_coeff_Mul()[0]
    return bool(number.is_negative)


def _indexed(head: str, index: str) -> str:
    """A head with one more index, which goes into the brace that it ends with.

    >>> print(_indexed("M", "12"), _indexed("f_{1}", "x"), _indexed("f_{1}^{I}", "x"))
    M_{12} f_{1,x} f_{1,x}^{I}
    """
    at = head.find("_{")
    if at < 0:
        above = head.find("^{", 1)
        return f"{head}_{{{index}}}" if above < 0 else f"{head[:above]}_{{{index}}}{head[above:]}"
    depth, end = 0, at + 1
    for end in range(at + 1, len(head)):
        depth += (head[end] == "{") - (head[end] == "}")
        if depth == 0:
            break
    return f"{head[:end]},{index}{head[end:]}"


def numbered(matrix: sympy.MatrixBase) -> Indices:
    """Entries named by their row and column, counted from 1."""
    comma = "," if max(matrix.rows, matrix.cols) > 9 else ""
    if matrix.cols == 1:
        return lambda i, j: f"{i + 1}"
    return lambda i, j: f"{i + 1}{comma}{j + 1}"
