"""Arrays as users hand them in: labels matched to names, masked values refused, batch shapes compared.

A pandas Series or DataFrame, or an xarray DataArray, has names on its last axis. They are compared with the names of
the robot and put in its order, or refused by name. Neither library is imported here: their objects are recognised by
their attributes. Results are NumPy arrays in the robot's order.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from loadpath.scalars.types import Floats

Spellings: TypeAlias = Callable[[str], Iterable[str]]
"""The spellings under which a name may be given."""

_PLAIN = frozenset({float, int, bool, list, tuple, np.ndarray, np.float64, np.float32})


# Names


def match_names(given: Sequence[Hashable], expected: Sequence[str], what: str) -> list[int]:
    """For each expected name, the place in `given` where it stands. Names that are missing, not known or there twice
    are refused.

    >>> match_names(["elbow", "shoulder"], ["shoulder", "elbow"], "'q'")
    [1, 0]
    >>> match_names(["shoulder", "elbw"], ["shoulder", "elbow"], "'q'")
    Traceback (most recent call last):
    ValueError: 'q' has no 'elbow' (did you mean 'elbow' by 'elbw'?): expected each of shoulder, elbow once
    """
    texts = _texts(given)
    places = find_names(texts, expected, what, [lambda name: (name,)])
    _refuse_others(texts, expected, places, what)
    return [place for place in places if place is not None]


def find_names(
    given: Sequence[Hashable], expected: Sequence[str], what: str, spellings: Sequence[Spellings]
) -> list[int | None]:
    """For each expected name, the place in `given` where it stands in one of its spellings, or None.

    The rules: a given name serves one expected name. Spellings are tried in their order, each for all names before the
    next, so that an exact spelling comes before a loose one. What two names could claim equally well, or what stands
    there twice, is refused.

    >>> exact, loose = (lambda name: (name,)), (lambda name: ("q_" + name,))
    >>> find_names(["q_elbow", "elbow"], ["elbow", "q_elbow"], "log", [exact, loose])
    [1, 0]
    """
    texts = _texts(given)
    seen: set[str] = set()
    for name in texts:
        if name and name in seen:
            raise ValueError(f"{what}: '{name}' is there twice; expected each of {_listed(expected)} once")
        seen.add(name)
    places: list[int | None] = [None] * len(expected)
    for spelled in spellings:
        _serve(texts, expected, places, spelled, what)
    return places


def _texts(names: Sequence[Hashable]) -> list[str]:
    return [name if isinstance(name, str) else repr(name) for name in names]


def _serve(
    given: Sequence[str], expected: Sequence[str], places: list[int | None], spelled: Spellings, what: str
) -> None:
    """Fill the places that are still open with given names in one kind of spelling."""
    used = {place for place in places if place is not None}
    free = {name: k for k, name in enumerate(given) if k not in used}
    claimed: dict[int, str] = {}
    found: list[tuple[int, int]] = []
    for number, name in enumerate(expected):
        if places[number] is not None:
            continue
        fitting = list(dict.fromkeys(text for text in spelled(name) if text in free))
        if len(fitting) > 1:
            raise ValueError(f"{what} has {_quoted(fitting)}, and each of them could be '{name}': keep one")
        for text in fitting:
            if free[text] in claimed:
                raise ValueError(f"{what}: '{text}' could be '{claimed[free[text]]}' or '{name}': spell it exactly")
            claimed[free[text]] = name
            found.append((number, free[text]))
    for number, place in found:
        places[number] = place


def _refuse_others(given: Sequence[str], expected: Sequence[str], places: list[int | None], what: str) -> None:
    unknown = [name for k, name in enumerate(given) if k not in places]
    missing = [name for name, place in zip(expected, places, strict=True) if place is None]
    if not unknown and not missing:
        return
    parts = []
    if missing:
        parts.append(f"no {_quoted(missing)}{_meant(unknown, missing)}")
    if unknown and not (missing and len(unknown) == len(missing) and _meant(unknown, missing)):
        parts.append(f"{_quoted(unknown)}, which {'is' if len(unknown) == 1 else 'are'} not known")
    raise ValueError(f"{what} has {' and '.join(parts)}: expected each of {_listed(expected)} once")


def _meant(unknown: Sequence[str], missing: Sequence[str]) -> str:
    for name in unknown[:100]:
        near = difflib.get_close_matches(name[:200], missing[:1000], 1)
        if near:
            return f" (did you mean '{near[0]}' by '{name}'?)"
    return ""


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:8]) + (" ..." if len(names) > 8 else "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")


# Labels and masks


def is_labelled(value: object) -> bool:
    """Whether it is a table or an array with labels on its axes, like those of pandas and xarray."""
    return _is_xarray(value) or _is_table(value) or _is_series(value)


def array_of(value: Any, names: Sequence[str] | None, what: str) -> Any:
    """What was handed in as a NumPy array without labels or masks, its last axis in the order of `names`.

    Arrays, lists and numbers without either come back as they are. Labels that only number the entries (the default of
    pandas, or an axis of xarray without coordinates) count as none. Where no names are known (`names` is None), labels
    are refused.

    >>> array_of(np.ma.masked_array([1.0, 2.0], mask=[False, True]), None, "'q'")
    Traceback (most recent call last):
    ValueError: 'q' has 1 masked value, the first at (1,): expected numbers in all places
    """
    if value is None or type(value) is np.ndarray:
        return value
    if isinstance(value, (list, tuple)):
        if any(type(part) not in _PLAIN and (is_labelled(part) or hasattr(part, "mask")) for part in value):
            return np.stack([array_of(part, names, f"{what}[{k}]") for k, part in enumerate(value)])
        return value
    if isinstance(value, np.ndarray):
        return _unmasked(value, what)
    return _reordered(value, names, what) if is_labelled(value) else value


def without_labels(value: Any, what: str) -> Any:
    """The same without labels, where these have no meaning; masked values are refused all the same."""
    if isinstance(value, np.ndarray) or is_labelled(value):
        return _unmasked(np.asanyarray(value), what)
    return value


def same_rows(arrays: Mapping[str, Any], caller: str = "") -> None:
    """Refuse tables whose rows have other labels than those of the first table: their rows belong to other states."""
    tables = {name: value for name, value in arrays.items() if _is_table(value) and hasattr(value, "index")}
    names = iter(tables)
    first = next(names, "")
    for name in names:
        index, own = tables[first].index, tables[name].index
        if len(index) == len(own) and not bool(np.all(np.asarray(index) == np.asarray(own))):
            raise ValueError(f"{_prefix(caller)}the rows of '{first}' and '{name}' have different labels: expected the "
                             "same states in the same order")


def _is_xarray(value: object) -> bool:
    return hasattr(value, "dims") and hasattr(value, "coords")


def _is_table(value: object) -> bool:
    columns = getattr(value, "columns", None)
    return columns is not None and not callable(columns) and hasattr(value, "shape")


def _is_series(value: object) -> bool:
    index = getattr(value, "index", None)
    return index is not None and not callable(index) and hasattr(value, "to_numpy")


def _unmasked(value: Any, what: str) -> Any:
    """The values of a masked array with nothing masked; any other array as it is."""
    mask = getattr(value, "mask", None)
    if mask is None:
        return value
    masked = np.argwhere(np.broadcast_to(mask, value.shape))
    if len(masked):
        count = f"{len(masked)} masked value{'' if len(masked) == 1 else 's'}"
        first = tuple(int(k) for k in masked[0])
        where = f", the first at {first}" if first else ""
        raise ValueError(f"{what} has {count}{where}: expected numbers in all places")
    return value.data


def _reordered(value: Any, names: Sequence[str] | None, what: str) -> Any:
    if _is_xarray(value) and not hasattr(value, "ndim"):
        raise ValueError(f"{what} is a {type(value).__name__}: expected one of its arrays")
    plain = _unmasked(np.asarray(value), what)
    labels = _labels(value, names or (), what)
    if labels is None:
        return plain
    if names is None:
        raise ValueError(f"{what} has the labels {_quoted([str(label) for label in labels])}, and no names are known "
                         "here to match them with: expected an array without labels")
    places = match_names(labels, names, what)
    return plain if places == list(range(len(names))) else plain[..., places]


def _labels(value: Any, names: Sequence[str], what: str) -> list[Hashable] | None:
    """The labels of the last axis; None where they only count."""
    if _is_xarray(value):
        for axis in value.dims[:-1]:
            if axis in value.coords and names and set(_list(value.coords[axis])) == set(names):
                raise ValueError(f"{what} has its joints on the axis '{axis}': expected them on the last axis, as by "
                                 f".transpose(..., '{axis}')")
        last = value.dims[-1] if value.dims else None
        return _list(value.coords[last]) if last in value.coords else None
    axis = value.columns if _is_table(value) else value.index
    counts = type(axis).__name__ == "RangeIndex" and _list(axis) == list(range(len(axis)))
    if counts and names and hasattr(value, "index") and set(_list(value.index)) == set(names):
        raise ValueError(f"{what} has its joints on the rows: expected them on the columns, as by .T")
    return None if counts else _list(axis)


def _list(axis: Any) -> list[Hashable]:
    return list(axis) if isinstance(axis, list) else np.asarray(axis).tolist()


# Numbers and shapes


def numbers(value: Any, what: str) -> Floats:
    """An array of float numbers, or an error that says what is none.

    >>> numbers("fast", "speed")
    Traceback (most recent call last):
    ValueError: speed is 'fast': expected numbers
    """
    try:
        return np.asarray(array_of(value, None, what), dtype=float)
    except (TypeError, ValueError) as problem:
        if str(problem).startswith(what):
            raise
        raise ValueError(f"{what} is {value!r}: expected numbers") from None


def batch_shape(shapes: Mapping[str, tuple[int, ...]], caller: str = "") -> tuple[int, ...]:
    """The batch shape of arrays that are used together, by their names, or an error that lists them.

    >>> batch_shape({"q": (4, 1), "qd": (3,)})
    (4, 3)
    >>> batch_shape({"q": (4,), "qd": (3,)}, "deflection")
    Traceback (most recent call last):
    ValueError: deflection: the batch shapes do not go together: 'q' (4,), 'qd' (3,)
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"'{name}' {shape}" for name, shape in shapes.items())
        raise ValueError(f"{_prefix(caller)}the batch shapes do not go together: {listed}") from None


def _prefix(caller: str) -> str:
    return f"{caller}: " if caller else ""


# Quaternions in coordinates that say no direction: a state with one is refused, by joint and row.


SHORTEST, LONGEST = 1e-120, 1e120
"""Squares of lengths with which numbers in double precision neither overflow nor vanish, nor do their derivatives."""
_SHORTEST_SINGLE, _LONGEST_SINGLE = 1e-18, 1e18


def refuse_lost_quaternions(robot: Any, q: Any, caller: str = "") -> None:
    """An error if the quaternion of a joint is zero, where only its direction counts and there is none, or so short or
    long that its square is lost. NaN stays what it is: that state's results are NaN.

    >>> import loadpath as lp
    >>> flying = lp.catalog.panda().floating()
    >>> refuse_lost_quaternions(flying, [flying.neutral(), np.zeros(14)], "mass_matrix")
    Traceback (most recent call last):
    ValueError: mass_matrix: the quaternion of joint 'floating_base' in 'q' is zero, at state 1: expected x, y, z, w...
    """
    values = np.asarray(q)
    if values.dtype.kind not in "fiu" or values.ndim == 0:
        return  # refused elsewhere
    double = values.dtype.itemsize > 4 or values.dtype.kind != "f"
    shortest, longest = (SHORTEST, LONGEST) if double else (_SHORTEST_SINGLE, _LONGEST_SINGLE)
    for joint, start in robot.quaternion_starts.items():
        quaternions = values[..., start : start + 4]
        if quaternions.shape[-1] < 4:
            continue
        squares = np.einsum("...i,...i->...", quaternions, quaternions, dtype=float, casting="same_kind")
        if not ((squares < shortest) | (squares > longest)).any():  # mostly
            continue
        lost = (squares < shortest) | ((squares > longest) & np.isfinite(quaternions).all(axis=-1))
        if lost.any():
            place = np.argwhere(lost)[0].tolist()
            at = f", at state {place[0] if len(place) == 1 else tuple(place)}" if place else ""
            length = math.hypot(*map(float, quaternions[tuple(place)]))  # also where the square would overflow
            said = f"has the length {length:.2g}" if squares[tuple(place)] else "is zero"
            raise ValueError(f"{f'{caller}: ' if caller else ''}the quaternion of joint '{joint}' in 'q' {said}{at}: "
                             "expected x, y, z, w of a length near one, as (0, 0, 0, 1) for no rotation")
