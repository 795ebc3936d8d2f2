"""Sentences with formulas in plain text, "J qd = 0", as LaTeX with the formulas set as formulas."""

from __future__ import annotations

import re

from loadpath.equations.typeset.symbol_names import GREEK, escaped

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
