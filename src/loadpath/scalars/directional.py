"""Arrays that carry their one-sided derivatives along directions through NumPy's own operations.

The derivative of f at x along v is lim (f(x + h v) - f(x)) / h for h falling to zero. It exists, and follows the chain
rule, where magnitudes and largest values have a corner, too: along v, |x| changes by |v| where x is zero, and the
largest of equal values by the largest of their changes. So along e and -e it says both sides of a corner, and where
these agree it is the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from loadpath.scalars.types import Floats

EQUAL = 1e-9
"""Values that differ by less, beside their size, are equal: both may be the largest."""


class Directional(NDArrayOperatorsMixin):
    """Values (...) and their derivatives (..., directions): NumPy's functions give others of the kind. What has no rule
    here raises TypeError.

    >>> x = Directional(np.array([3.0, -3.0]), np.array([[1.0], [1.0]]))
    >>> (x * x).along.ravel().tolist(), np.abs(x).max(axis=0).along.tolist()
    ([6.0, -6.0], [1.0])
    >>> Directional(np.array(0.0), np.array([1.0, -1.0])).__abs__().along.tolist()      # both sides of a corner
    [1.0, 1.0]
    """

    def __init__(self, value: Floats, along: Floats, second: Floats | None = None) -> None:
        self.value = np.asarray(value, dtype=float)
        self.along = np.broadcast_to(along, (*self.value.shape, np.shape(along)[-1]))
        self.second = second
        """Of squares and their sums, where they are zero: they grow with h^2 times this, and their root with its root.
        """

    # As an array

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the values."""
        return tuple(self.value.shape)

    @property
    def ndim(self) -> int:
        """Of the values."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """How many values."""
        return self.value.size

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, key: Any) -> Directional:
        parts = key if isinstance(key, tuple) else (key,)
        last = (slice(None),) if any(part is Ellipsis for part in parts) else ()
        return Directional(self.value[key], self.along[(*parts, *last)])

    def reshape(self, *shape: Any) -> Directional:
        """As that of arrays."""
        value = self.value.reshape(*shape)
        return Directional(value, self.along.reshape(*value.shape, self.along.shape[-1]))

    def copy(self) -> Directional:
        """Of its own."""
        return Directional(self.value.copy(), self.along.copy())

    def sum(self, axis: Any = None) -> Directional:
        """Over some axes."""
        second = None if self.second is None else self.second.sum(axis=self._axes(axis))
        return Directional(self.value.sum(axis=axis), self.along.sum(axis=self._axes(axis)), second)

    def mean(self, axis: Any = None) -> Directional:
        """Over some axes."""
        return Directional(self.value.mean(axis=axis), self.along.mean(axis=self._axes(axis)))

    def max(self, axis: Any = None) -> Directional:
        """Over some axes; of equal values each may be the largest."""
        value = self.value.max(axis=axis, keepdims=True)
        equal = self.value >= value - EQUAL * np.abs(value)
        return Directional(self.value.max(axis=axis),
                           np.where(equal[..., None], self.along, -np.inf).max(axis=self._axes(axis)))

    def min(self, axis: Any = None) -> Directional:
        """Over some axes; of equal values each may be the smallest."""
        largest: Directional = -((-self).max(axis))
        return largest

    def _axes(self, axis: Any) -> Any:
        """Axes of the values as axes of the derivatives."""
        axes = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        return tuple(one % self.ndim for one in axes)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array with derivatives is no plain array")

    # NumPy's functions

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            if method == "reduce" and ufunc in _REDUCED and not set(options) - {"axis"}:
                return _REDUCED[ufunc](inputs[0], options.get("axis", 0))
            if method != "__call__" or options:
                raise TypeError(f"{ufunc.__name__}.{method} has no derivative here")
            if ufunc in _PLAIN:
                return ufunc(*(_value(one) for one in inputs))
            if ufunc in _OF_ONE:
                (x,) = inputs
                value = ufunc(x.value)
                return Directional(value, _OF_ONE[ufunc](x.value, value)[..., None] * x.along)
            if ufunc in _RULES:
                return _RULES[ufunc](*inputs)
        raise TypeError(f"{ufunc.__name__} has no derivative here")

    def __array_function__(self, function: Callable[..., Any], types: Any, given: Any, options: Any) -> Any:
        if function in _VALUES_ALONE:
            return function(*(_value(one) for one in given), **options)
        if function not in _FUNCTIONS:
            raise TypeError(f"{function.__name__} has no derivative here")
        return _FUNCTIONS[function](*given, **options)

    def __repr__(self) -> str:
        return f"<{self.value!r} along {self.along.shape[-1]} directions>"


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Directional) else x


def _along(x: Any, like: Sequence[Any]) -> Floats:
    """Derivatives of what may be a plain number."""
    if isinstance(x, Directional):
        return x.along
    count = next(one.along.shape[-1] for one in like if isinstance(one, Directional))
    return np.zeros((*np.shape(x), count))


def _wide(x: Any) -> Any:
    return np.asarray(_value(x))[..., None]


# Rules

def _add(a: Any, b: Any) -> Directional:
    seconds = [getattr(one, "second", None) for one in (a, b)]
    second = seconds[0] + seconds[1] if seconds[0] is not None and seconds[1] is not None else None
    return Directional(_value(a) + _value(b), _along(a, (a, b)) + _along(b, (a, b)), second)


def _multiply(a: Any, b: Any) -> Directional:
    second = a.along * b.along if isinstance(a, Directional) and isinstance(b, Directional) else None
    return Directional(_value(a) * _value(b), _wide(b) * _along(a, (a, b)) + _wide(a) * _along(b, (a, b)), second)


def _square_root(x: Directional) -> Directional:
    root = np.sqrt(x.value)
    corner = np.full_like(x.along, np.nan) if x.second is None else np.sqrt(x.second)
    return Directional(root, np.where((root == 0.0)[..., None], corner, 0.5 * x.along / root[..., None]))


def _divide(a: Any, b: Any) -> Directional:
    value = np.asarray(_value(a) / _value(b))
    return Directional(value, (_along(a, (a, b)) - value[..., None] * _along(b, (a, b))) / _wide(b))


def _absolute(x: Directional) -> Directional:
    corner = (x.value == 0.0)[..., None]
    return Directional(np.abs(x.value), np.where(corner, np.abs(x.along), np.sign(x.value)[..., None] * x.along))


def _power(a: Any, b: Any) -> Directional:
    value = np.asarray(_value(a) ** _value(b))
    along = np.zeros((*value.shape, _along(a, (a, b)).shape[-1]))
    if isinstance(a, Directional):
        along = along + _wide(b) * _wide(a) ** (_wide(b) - 1.0) * a.along
    if isinstance(b, Directional):
        along = along + value[..., None] * np.log(_wide(a)) * b.along
    return Directional(value, along)


def _larger(a: Any, b: Any, *, smaller: bool = False, skips_nan: bool = False) -> Directional:
    x, y = np.broadcast_arrays(_value(a), _value(b))
    along_x, along_y = _along(a, (a, b)), _along(b, (a, b))
    least = np.fmin(np.abs(x), np.abs(y))
    equal = (x == y) | (np.abs(x - y) <= EQUAL * least)
    first = x < y if smaller else x > y
    if skips_nan:
        first = first | np.isnan(y)
    value = (np.fmin if smaller else np.fmax)(x, y) if skips_nan else (np.minimum if smaller else np.maximum)(x, y)
    both = (np.minimum if smaller else np.maximum)(along_x, along_y)
    return Directional(value, np.where(equal[..., None], both, np.where(first[..., None], along_x, along_y)))


def _matmul(a: Any, b: Any) -> Directional:
    return _bilinear(np.matmul, a, b)


def _bilinear(product: Callable[[Any, Any], Any], a: Any, b: Any) -> Directional:
    """A product that works on the last axes of both."""
    along: Any = 0.0
    for k, one in enumerate((a, b)):
        if isinstance(one, Directional):
            parts = [one.along[..., i] for i in range(one.along.shape[-1])]
            along = along + np.stack([product(part, _value(b)) if k == 0 else product(_value(a), part)
                                      for part in parts], axis=-1)
    return Directional(product(_value(a), _value(b)), along)


def _arctan2(y: Any, x: Any) -> Directional:
    size = _wide(x) ** 2 + _wide(y) ** 2
    along = (_wide(x) * _along(y, (x, y)) - _wide(y) * _along(x, (x, y))) / size
    return Directional(np.arctan2(_value(y), _value(x)), along)


_OF_ONE: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.negative: lambda x, f: -np.ones_like(x), np.positive: lambda x, f: np.ones_like(x),
    np.reciprocal: lambda x, f: -f * f, np.cbrt: lambda x, f: np.where(f == 0.0, np.nan, 1.0 / (3.0 * f * f)),
    np.exp: lambda x, f: f, np.log: lambda x, f: 1.0 / x, np.log10: lambda x, f: 1.0 / (x * np.log(10.0)),
    np.sin: lambda x, f: np.cos(x), np.cos: lambda x, f: -np.sin(x), np.tan: lambda x, f: 1.0 + f * f,
    np.arcsin: lambda x, f: 1.0 / np.sqrt(1.0 - x * x), np.arccos: lambda x, f: -1.0 / np.sqrt(1.0 - x * x),
    np.arctan: lambda x, f: 1.0 / (1.0 + x * x), np.sinh: lambda x, f: np.cosh(x), np.cosh: lambda x, f: np.sinh(x),
    np.tanh: lambda x, f: 1.0 - f * f,
    np.deg2rad: lambda x, f: np.full_like(x, np.pi / 180), np.radians: lambda x, f: np.full_like(x, np.pi / 180),
    np.rad2deg: lambda x, f: np.full_like(x, 180 / np.pi), np.degrees: lambda x, f: np.full_like(x, 180 / np.pi),
}
"""Derivatives by x, of x and of the value f."""
_RULES: dict[np.ufunc, Callable[..., Directional]] = {
    np.add: _add, np.subtract: lambda a, b: _add(a, -b), np.multiply: _multiply, np.divide: _divide,
    np.square: lambda x: _multiply(x, x), np.sqrt: _square_root, np.absolute: _absolute, np.fabs: _absolute,
    np.power: _power, np.float_power: _power, np.matmul: _matmul,
    np.maximum: _larger, np.minimum: lambda a, b: _larger(a, b, smaller=True), np.arctan2: _arctan2,
    np.fmax: lambda a, b: _larger(a, b, skips_nan=True),
    np.fmin: lambda a, b: _larger(a, b, smaller=True, skips_nan=True),
}
_PLAIN = {np.sign, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.isnan, np.isfinite,
          np.isinf, np.signbit}
"""Of the values alone."""
_REDUCED: dict[np.ufunc, Callable[[Any, Any], Directional]] = {
    np.add: Directional.sum, np.maximum: Directional.max, np.minimum: Directional.min,
}


def _where(test: Any, yes: Any, no: Any) -> Directional:
    chosen = np.asarray(_value(test), dtype=bool)
    return Directional(np.where(chosen, _value(yes), _value(no)),
                       np.where(chosen[..., None], _along(yes, (yes, no)), _along(no, (yes, no))))


def _broadcast_to(x: Any, shape: Any) -> Directional:
    return Directional(np.broadcast_to(x.value, shape), np.broadcast_to(x.along, (*shape, x.along.shape[-1])))


def _stack(parts: Sequence[Any], axis: int = 0) -> Directional:
    value = np.stack([_value(one) for one in parts], axis=axis)
    return Directional(value, np.stack([_along(one, parts) for one in parts], axis=axis % value.ndim))


def _concatenate(parts: Sequence[Any], axis: int = 0) -> Directional:
    value = np.concatenate([_value(one) for one in parts], axis=axis)
    return Directional(value, np.concatenate([_along(one, parts) for one in parts], axis=axis % value.ndim))


def _einsum(letters: str, *parts: Any) -> Directional:
    inputs, output = letters.split("->")
    names = inputs.split(",")
    value = np.einsum(letters, *(_value(one) for one in parts))
    along: Any = 0.0
    for k, one in enumerate(parts):
        if isinstance(one, Directional):
            with_direction = [name + ("Z" if place == k else "") for place, name in enumerate(names)]
            mine = [one.along if place == k else _value(other) for place, other in enumerate(parts)]
            along = along + np.einsum(f"{','.join(with_direction)}->{output}Z", *mine)
    second = None
    if len(parts) == 2 and all(isinstance(one, Directional) for one in parts):
        second = np.einsum(f"{names[0]}Z,{names[1]}Z->{output}Z", parts[0].along, parts[1].along)
    return Directional(value, along, second)


def _norm(x: Any, axis: Any = None) -> Any:
    return np.sqrt((x * x).sum(axis=axis))


def _take_along_axis(x: Any, places: Any, axis: int) -> Directional:
    along = np.take_along_axis(x.along, places[..., None], axis=axis % x.ndim)
    return Directional(np.take_along_axis(x.value, places, axis=axis), along)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where, np.broadcast_to: _broadcast_to, np.stack: _stack, np.concatenate: _concatenate,
    np.einsum: _einsum, np.cross: lambda a, b: _bilinear(np.cross, a, b), np.linalg.norm: _norm,
    np.take_along_axis: _take_along_axis,
    np.sum: lambda x, axis=None: x.sum(axis), np.mean: lambda x, axis=None: x.mean(axis),
    np.max: lambda x, axis=None: x.max(axis), np.min: lambda x, axis=None: x.min(axis),
    np.reshape: lambda x, shape: x.reshape(shape), np.dot: lambda a, b: a @ b,
    np.clip: lambda x, low, high: np.minimum(np.maximum(x, low), high),
}
_VALUES_ALONE = {np.shape, np.ndim, np.size, np.argsort, np.argmax, np.argmin, np.zeros_like, np.ones_like,
                 np.full_like, np.isclose, np.array_equal, np.any, np.all}
"""Of the values alone."""
