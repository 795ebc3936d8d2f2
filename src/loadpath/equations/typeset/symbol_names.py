"""LaTeX of the names of symbols, links and joints: what belongs below the line goes there.

| name | LaTeX |
|---|---|
| `m1`, `c3x`, `I1yy` | `m_{1}`, `c_{3x}`, `I_{1,yy}` |
| `alpha1`, `theta_1` | `\\alpha_{1}`, `\\theta_{1}` |
| `thetadot1`, `qdd2` | `\\dot{\\theta}_{1}`, `\\ddot{q}_{2}` (of coordinates) |
| `m_rod`, `mass` | `m_{\\mathrm{rod}}`, `\\mathrm{mass}` |
"""

from __future__ import annotations

import re

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
