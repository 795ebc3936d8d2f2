"""Packed results: of wide ones only the entries that can be other than zero, each once, and where they belong.

Most entries of a humanoid's derivatives are zero whatever it does, and writing zeros takes longer than computing the
others. Which ones these are is read from the traced program: an entry that is a plain zero there is zero always, and
two entries that are the same value are stored once. Like machine code, this is kept on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from loadpath.engine import arguments as reading
from loadpath.engine import kernels
from loadpath.engine.arguments import Variant, is_lazy
from loadpath.engine.identity import kernel_key
from loadpath.engine.kernels import Kernel
from loadpath.engine.program import Operand, Tape
from loadpath.engine.trace import again, record, tape_of
from loadpath.scalars import array
from loadpath.scalars.recording import Recorded

if TYPE_CHECKING:
    from loadpath.engine.method import CompiledMethod

Dense = TypeVar("Dense")


@dataclass(frozen=True, eq=False)
class Packed(Generic[Dense]):
    """Results with their zeros left out.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(3)
    >>> found = arm.inverse_dynamics_derivatives([0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6], packed=True)
    >>> found.values.shape, found.index.qdd.tolist()[2]
    ((24,), [20, 22, 23])
    >>> found.dense().qdd.shape
    (3, 3)
    """

    values: NDArray[np.float64]
    """(..., k): the entries that can be other than zero, each once."""
    index: Dense
    """In the shape of the dense result, without batch axes: which of the values each entry is; -1 where it is zero."""
    _whole: Callable[..., Any] = field(repr=False)
    _places: tuple[NDArray[np.intp], ...] = field(repr=False)

    def __repr__(self) -> str:
        count = self.values.shape[-1]
        whole = sum(places.size for places in self._places)
        return f"<packed: {count} of {whole} entries, .values {self.values.shape}; .index says which, .dense() has all>"

    def dense(self) -> Dense:
        """The result with all of its entries."""
        # One zero behind the values: index -1 finds it.
        padded = np.concatenate([self.values, np.zeros((*self.values.shape[:-1], 1), self.values.dtype)], axis=-1)
        whole: Dense = self._whole(*(padded[..., places] for places in self._places))
        return whole


class Pattern(NamedTuple):
    """Where the entries of all results are, and how many there are."""

    size: int
    places: tuple[NDArray[np.intp], ...]
    """For each result, in its shape: the number of each entry, or -1."""


class PackedMethod:
    """A bound quantity whose results are packed: called like the quantity itself."""

    def __init__(self, method: CompiledMethod) -> None:
        self.method = method
        self._patterns: dict[Variant, Pattern] = {}
        self._kernels: dict[Variant, Kernel] = {}
        self._index: dict[Variant, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedMethod, (self.method,)  # results are pickled with it; kernels are made again where they arrive

    def __call__(self, *arguments: Any, **options: Any) -> Packed[Any]:
        """The packed results of a call."""
        method = self.method
        strict, options = method.strictness(options)
        arrays, variant, remaining = reading.read_call(method, arguments, options)
        if any(map(is_lazy, arrays)):
            raise ValueError(f"{method.__name__}: packed results of Dask arrays are not there: call it on each block, "
                             "or leave packed=True out")
        method.refuse_lost_quaternions(arrays)
        kernel = self._kernel(variant)
        try:
            result = method.quiet(kernel.ufunc, arrays, method.with_room_for_status(remaining))
        except (TypeError, ValueError):
            reading.checked_arrays(method.__name__, arrays, method.operands(variant)[0])  # which explains itself
            raise
        values = method.judged(result, arrays, strict)
        return Packed(values, self.index(variant), self._whole, self._pattern(variant).places)

    def index(self, variant: Variant | None = None) -> Any:
        """The index of its results, in the shape of the dense ones."""
        variant = variant or Variant()
        if variant not in self._index:
            for places in self._pattern(variant).places:
                places.flags.writeable = False  # all results share them
            self._index[variant] = self._whole(*self._pattern(variant).places)
        return self._index[variant]

    def _whole(self, *parts: Any) -> Any:
        wrap = self.method.quantity.wrap
        if wrap is not None:
            return wrap(self.method.robot, *parts)
        return parts[0] if len(parts) == 1 else parts

    def _kernel(self, variant: Variant) -> Kernel:
        if variant not in self._kernels:
            quantity, robot = self.method.quantity, self.method.robot
            inputs, outputs = self.method.operands(variant)
            key = kernel_key(robot, quantity, variant, inputs, outputs)
            pattern, tape = self._found(variant, key)
            status = [] if quantity.verdict is None else outputs[-1:]
            results = [Operand(f"{quantity.name}_packed", (pattern.size,)), *status]
            name = f"{quantity.name}_packed"
            work = kernels.Work(name, self.method.__name__, inputs, results, quantity.__doc__ or "")
            self._kernels[variant] = kernels.kernel(
                None if key is None else f"packed {key}", work, lambda: self._equations(variant, tape)
            )
        return self._kernels[variant]

    def _equations(self, variant: Variant, tape: Tape | None) -> Callable[..., Any]:
        """The packed results as a function of the operands."""
        if tape is None:
            tape = self._recorded(variant)[1]
        found = tape
        status = 0 if self.method.quantity.verdict is None else self.method.operands(variant)[1][-1].size

        def run(*arrays: Any) -> Any:
            values = again(found, [entry for operand in arrays for entry in np.ravel(operand)])
            count = len(values) - status
            return (array(values[:count]), array(values[count:])) if status else array(values)

        return run

    def _pattern(self, variant: Variant) -> Pattern:
        if variant not in self._patterns:
            inputs, outputs = self.method.operands(variant)
            self._found(variant, kernel_key(self.method.robot, self.method.quantity, variant, inputs, outputs))
        return self._patterns[variant]

    def _found(self, variant: Variant, key: str | None) -> tuple[Pattern, Tape | None]:
        """The pattern, from the disk or by tracing; where it was traced, also what of the program is kept."""
        kept = None if key is None else kernels.kept_data(f"pattern {key}")
        if kept is not None:
            self._patterns[variant] = _read(kept, self._results(variant))
            return self._patterns[variant], None
        pattern, tape = self._recorded(variant)
        self._patterns[variant] = pattern
        if key is not None:
            kernels.keep_data(f"pattern {key}", json.dumps([places.ravel().tolist() for places in pattern.places]))
        return pattern, tape

    def _results(self, variant: Variant) -> Sequence[Operand]:
        """The results without the status."""
        outputs = self.method.operands(variant)[1]
        return outputs if self.method.quantity.verdict is None else outputs[:-1]

    def _recorded(self, variant: Variant) -> tuple[Pattern, Tape]:
        quantity, robot = self.method.quantity, self.method.robot
        inputs, outputs = self.method.operands(variant)
        symbols, values = record(quantity.equations(robot, variant), inputs, outputs)
        results = self._results(variant)
        packed: list[Any] = []
        number: dict[Any, int] = {}
        places, at = [], 0
        for operand in results:
            numbers = []
            for value in values[at : at + operand.size]:
                if not isinstance(value, Recorded) and value == 0:
                    numbers.append(-1)
                    continue
                mark = value.place if isinstance(value, Recorded) else (float(value),)
                if mark not in number:
                    number[mark] = len(packed)
                    packed.append(value)
                numbers.append(number[mark])
            at += operand.size
            places.append(np.array(numbers, dtype=np.intp).reshape(operand.shape))
        tape = tape_of(quantity.name, symbols, [*packed, *values[at:]])
        return Pattern(len(packed), tuple(places)), tape


def _read(text: str, results: Sequence[Operand]) -> Pattern:
    parts = [np.array(numbers, dtype=np.intp) for numbers in json.loads(text)]
    count = 1 + max((int(numbers.max(initial=-1)) for numbers in parts), default=-1)
    return Pattern(count, tuple(
        numbers.reshape(operand.shape) for numbers, operand in zip(parts, results, strict=True)
    ))
