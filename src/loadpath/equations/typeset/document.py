"""A LaTeX file that compiles as it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loadpath.equations.typeset.sentences import sentence
from loadpath.equations.typeset.symbol_names import escaped

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
