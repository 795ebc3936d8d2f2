"""A quantity of all designs of a family: what `family.inverse_dynamics` is, and what happens when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.engine import arguments as reading
from loadpath.engine.arguments import Variant, is_lazy
from loadpath.engine.family import Varied
from loadpath.engine.kernels import Kernel
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.robot.arrays import batch_shape

if TYPE_CHECKING:
    from loadpath.families.family import Family


class FamilyMethod:
    """A quantity of a family. It is called as that of the robot; the designs' axes come before those of states."""

    def __init__(self, family: Family[Any], quantity: Compiled, varied: Varied) -> None:
        self.family, self.quantity, self.varied = family, quantity, varied
        self.__name__ = quantity.public_name or quantity.name
        self.__doc__ = quantity.__doc__
        self._of_robot = CompiledMethod(family.robot, quantity)  # reads calls, and says what results mean
        self._kernels: dict[Variant, Kernel] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.family, self.quantity.name)

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy ufunc that computes it: of the quantity's arrays, then of rows of designs (`family.rows`)."""
        return self._kernel(Variant()).ufunc

    def _kernel(self, variant: Variant) -> Kernel:
        if variant not in self._kernels:
            self._kernels[variant] = self.varied.kernel(variant)
        return self._kernels[variant]

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        strict, others = self._of_robot.strictness(options)
        arrays, variant, remaining = self._read(arguments, others)
        remaining = self._of_robot.with_room_for_status(remaining)
        result = self._of_robot.quiet(self._kernel(variant).ufunc, [*arrays, self._design(arrays, variant)], remaining)
        return self._of_robot._wrapped(result, arrays, strict)

    def slopes(self, arguments: Sequence[Any], options: dict[str, Any]) -> tuple[Any, ...]:
        """Derivatives of each result by all numbers of a design, as a last axis; without the status of closed ones."""
        arrays, variant, remaining = self._read(tuple(arguments), options)
        if remaining:
            raise TypeError(f"sensitivity takes no '{next(iter(remaining))}'")
        found = self.varied.slopes(variant).ufunc(*arrays, self._design(arrays, variant))
        every = found if isinstance(found, tuple) else (found,)
        return every if self.quantity.verdict is None else every[:-1]

    def _read(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[list[Any], Variant, dict[str, Any]]:
        if options.get("packed"):
            raise TypeError(f"{self.__name__} of a family has no packed results: leave packed=True out, or ask "
                            "family.robot_of(design)")
        options = {key: value for key, value in options.items() if key != "packed"}
        arrays, variant, remaining = reading.read_call(self._of_robot, arguments, options)
        if any(map(is_lazy, arrays)):
            raise TypeError(f"{self.__name__} of a family takes no Dask arrays: give it NumPy arrays, block by block")
        inputs, _ = self.varied.operands(variant)
        arrays = reading.checked_arrays(self.__name__, arrays, inputs)
        self._of_robot.refuse_lost_quaternions(arrays)
        return arrays, variant, remaining

    def _design(self, arrays: Sequence[Any], variant: Variant) -> Any:
        """The rows of the designs, with an axis of length one for each of the states' in between."""
        rows = self.family.rows
        if not self.family.paired:
            inputs, _ = self.varied.operands(variant)
            axes = max((array.ndim - len(o.shape) for array, o in zip(arrays, inputs, strict=True)), default=0)
            rows = rows.reshape(*rows.shape[:-1], *(1,) * axes, rows.shape[-1])
        else:
            inputs, _ = self.varied.operands(variant)
            shapes = {o.name: array.shape[: array.ndim - len(o.shape)] for array, o in zip(arrays, inputs, strict=True)}
            batch_shape(shapes | {"designs": rows.shape[:-1]}, f"{self.__name__} of a paired family")
        single = all(array.dtype == np.float32 for array in arrays)
        return rows.astype(np.float32) if single and arrays else rows

    def __repr__(self) -> str:
        return f"<{self.quantity.name} of {self.family!r}>"


