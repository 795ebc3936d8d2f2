"""A LaTeX file that compiles as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
