"""The corpus: wrong files and calls, each with the words that a person must read.

All lists have one format: a line with the case (the name of a file, a call, a command), and below it, indented, the
words, a line for each part of the message that must be there. If the first of these lines is `warning`, the case is
taken as given and the words are those of its warnings. Lines that begin with # are comments.
"""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """What is wrong, and the words for it."""

    what: str
    words: tuple[str, ...]
    warning: bool = False


def cases(name: str) -> list[Case]:
    """Those of a list."""
    found: list[tuple[str, list[str]]] = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        else:
            found.append((line, []))
    return [
        Case(what, tuple(words[words[:1] == ["warning"] :]), warning=words[:1] == ["warning"]) for what, words in found
    ]


def check_words(case: Case, message: str) -> None:
    """The words are there, in a message that can be printed."""
    assert case.words, f"no words are expected yet of {case.what!r}; its message is\n{message}"
    for part in case.words:
        assert part in message, f"{part!r} is not in the message:\n{message}"
    hidden = {c for c in message if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert not hidden, f"{hidden!r} would not be shown by a terminal"


# NPZ files are made, not kept: nobody can read them in a diff


def _npy(descr: str, shape: tuple[int, ...], content: bytes) -> bytes:
    """A member with a header that need not be true."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue() + content


def _members(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def _arrays(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})
    return file.getvalue()


_T, _Q = [0.0, 0.1, 0.2], np.zeros((3, 2))
_TWO = np.zeros(3).tobytes()
NPZ: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "text": lambda: b"t,q.shoulder\n0,1\n",
    "cut_short": lambda: _arrays(t=_T, q=_Q)[:-40],
    "nothing_inside": _members,
    "no_q": lambda: _arrays(t=_T),
    "no_t": lambda: _arrays(q=_Q),
    "names_of_matlab": lambda: _arrays(time=_T, position=_Q),
    "too_few_columns": lambda: _arrays(t=_T, q=np.zeros((3, 1))),
    "too_few_rows": lambda: _arrays(t=_T, q=np.zeros((2, 2))),
    "one_dimension": lambda: _arrays(t=_T, q=np.zeros(3)),
    "t_in_two_dimensions": lambda: _arrays(t=[_T], q=_Q),
    "t_goes_back": lambda: _arrays(t=[0.0, 0.2, 0.1], q=_Q),
    "complex": lambda: _arrays(t=_T, q=_Q * 1j),
    "words": lambda: _arrays(t=_T, q=[["a", "b"]] * 3),
    "nan": lambda: _arrays(t=_T, q=np.where(np.eye(3, 2) > 0, np.nan, 0.0)),
    "dates": lambda: _arrays(t=np.array(["2026-01-01", "2026-01-02", "2026-01-03"], dtype="M8[s]"), q=_Q),
    "objects": lambda: _members(t=_npy("<f8", (3,), _TWO), q=_npy("|O", (3, 2), b"\x80\x04N.")),
    "name_missing": lambda: _arrays(t=_T, q=_Q, coordinate_names=["shoulder", "wrist"]),
    "name_twice": lambda: _arrays(t=_T, q=np.zeros((3, 3)), coordinate_names=["shoulder", "elbow", "elbow"]),
    "names_too_few": lambda: _arrays(t=_T, q=_Q, coordinate_names=["elbow"]),
    "names_without_dimension": lambda: _arrays(t=_T, q=_Q, coordinate_names="shoulder"),
    "names_are_numbers": lambda: _arrays(t=_T, q=_Q, coordinate_names=[1, 2]),
    "header_of_terabytes": lambda: _members(t=_npy("<f8", (3,), _TWO), q=_npy("<f8", (10**12, 2), _TWO)),
    "header_negative": lambda: _members(t=_npy("<f8", (3,), _TWO), q=_npy("<f8", (-3, 2), _TWO)),
    "header_longer_than_the_file": lambda: _members(t=_npy("<f8", (3,), _TWO), q=_npy("<f8", (3, 2), _TWO)),
    "header_broken": lambda: _members(t=b"\x93NUMPY\x01\x00\xff\xff{'descr", q=b""),
    "accelerations_without_speeds": lambda: _arrays(t=_T, q=_Q, qdd=_Q),
    "ask_array_not_used": lambda: _arrays(t=_T, q=_Q, qd=_Q, qdd=_Q, torque=_Q),
}
