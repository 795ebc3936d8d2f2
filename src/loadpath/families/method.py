"""A quantity of all designs of a family: what `family.inverse_dynamics` is, and what happens when it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine import arguments as reading
from loadpath.engine.arguments import Variant, is_lazy
from loadpath.engine.family import DESIGN, Varied
from loadpath.engine.kernels import Kernel
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.robot.arrays import batch_shape
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.families.family import Family


_MOST_LAYOUTS = 16


class FamilyMethod:
    """A quantity of a family. It is called as that of the robot; the designs' axes come before those of states."""

    def __init__(self, family: Family[Any], quantity: Compiled, layouts: list[Varied]) -> None:
        self.family, self.quantity = family, quantity
        self.layouts = layouts
        """One, or where numbers decide how the equations are laid out as many as designs asked for."""
        self.varied = layouts[0]
        self.__name__ = quantity.public_name or quantity.name
        self.__doc__ = quantity.__doc__
        self._of_robot = CompiledMethod(family.robot, quantity)  # reads calls, and says what results mean
        self._kernels: dict[tuple[int, Variant], Kernel] = {}
        self._laid_out: dict[Variant, NDArray[np.int64]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.family, self.quantity.name)

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy ufunc that computes it: of the quantity's arrays, then of rows of designs (`family.rows`)."""
        return self._kernel(0, Variant()).ufunc

    def _kernel(self, layout: int, variant: Variant) -> Kernel:
        key = layout, variant
        if key not in self._kernels:
            self._kernels[key] = self.layouts[layout].kernel(variant)
        return self._kernels[key]

    def layout_of_designs(self, variant: Variant) -> NDArray[np.int64]:
        """Of each design, in a row, the number of its layout in `layouts`."""
        if not self.varied.is_laid_out:
            return np.zeros(self.family.rows.size // self.family.rows.shape[-1], dtype=np.int64)
        if variant not in self._laid_out:
            rows = self.family.rows.reshape(-1, self.family.rows.shape[-1])
            found = np.full(len(rows), -1)
            number = 0
            while (left := np.flatnonzero(found < 0)).size:
                if number == len(self.layouts):
                    self._new_layout(rows[left[0]], variant)
                alike = self.layouts[number].holds(variant, rows[left])
                found[left[alike]] = number
                number += 1
            self._laid_out[variant] = found
        return self._laid_out[variant]

    def _new_layout(self, row: Floats, variant: Variant) -> None:
        """A layout that a design asks for, if it is one that a robot may have."""
        made = Varied.of(self.family.robot, self.quantity, self.family.parameters, row)
        if made.operands(variant) != self.varied.operands(variant):
            raise ValueError(f"{self.__name__} of a family: its designs have not the same pieces or cross sections, "
                             "since something is held elsewhere along a beam in some of them: make a family of each "
                             "kind, or ask family.robot_of(design)")
        if len(self.layouts) == _MOST_LAYOUTS:
            raise ValueError(f"{self.__name__} of a family: its designs are laid out in more than {_MOST_LAYOUTS} "
                             "ways, in which loads are held at other places along beams: make families of fewer designs"
                             )
        self.layouts.append(made)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        strict, others = self._of_robot.strictness(options)
        arrays, variant, remaining = self._read(arguments, others)
        remaining = self._of_robot.with_room_for_status(remaining)
        result = self._computed(lambda layout: self._kernel(layout, variant).ufunc, variant, arrays, remaining)
        return self._of_robot._wrapped(result, arrays, strict)

    def _computed(
        self, ufunc: Callable[[int], np.ufunc], variant: Variant, arrays: list[Any], options: dict[str, Any]
    ) -> Any:
        """Results of all designs, each by the kernel of its layout."""
        design = self._design(arrays, variant)
        which = self.layout_of_designs(variant)
        several = np.unique(which).tolist() or [0]
        if len(several) == 1:
            return self._of_robot.quiet(ufunc(several[0]), [*arrays, design], options)
        shape, size = self.family.shape, design.shape[-1]
        apart = self.family.paired and any(length > 1 for length in shape[1:])
        if apart or options:
            raise ValueError(f"{self.__name__} of a family whose designs are laid out in {len(several)} ways takes "
                             "neither out= nor paired=True with designs along several axes")
        middle = shape[1:] if self.family.paired else design.shape[len(shape) : -1]
        flat = design.reshape(-1, *middle, size)
        inputs, _ = self.varied.operands(variant)

        def of(array: Any, operand: Any, mine: Any) -> Any:
            """The states of some designs, where each has its own."""
            own = self.family.paired and array.ndim - len(operand.shape) == len(shape) and len(array) == len(which)
            return array[mine] if own else array

        parts = {k: self._of_robot.quiet(ufunc(k), [
            *(of(array, operand, which == k) for array, operand in zip(arrays, inputs, strict=True)), flat[which == k]],
            {}) for k in several}
        results = {k: part if isinstance(part, tuple) else (part,) for k, part in parts.items()}
        whole = []
        for number, first in enumerate(results[several[0]]):
            made = np.empty((len(which), *first.shape[1:]), dtype=first.dtype)
            for k in several:
                made[which == k] = results[k][number]
            whole.append(made if self.family.paired else made.reshape(*shape, *first.shape[1:]))
        return tuple(whole) if isinstance(parts[several[0]], tuple) else whole[0]

    def slopes(self, arguments: Sequence[Any], options: dict[str, Any]) -> tuple[Any, ...]:
        """Derivatives of each result by all numbers of a design, as a last axis; without the status of closed ones."""
        arrays, variant, remaining = self._read(tuple(arguments), options)
        if remaining:
            raise TypeError(f"sensitivity takes no '{next(iter(remaining))}'")
        found = self._computed(lambda layout: self.layouts[layout].slopes(variant).ufunc, variant, arrays, {})
        every = found if isinstance(found, tuple) else (found,)
        return every if self.quantity.verdict is None else every[:-1]

    def changes(
        self, arguments: Sequence[Any], options: dict[str, Any], along: Sequence[Mapping[str, Floats]]
    ) -> list[tuple[Any, ...]]:
        """Of a family of one design, changes of each result per unit along directions: of arguments by their names, of
        the numbers of the design by `design`; what is not named stays.
        """
        arrays, variant, remaining = self._read(tuple(arguments), options)
        if remaining:
            raise TypeError(f"changes take no '{next(iter(remaining))}'")
        design = self._design(arrays, variant)
        layout = int(self.layout_of_designs(variant)[0])
        inputs, _ = self.varied.operands(variant)
        every = [*(operand.name for operand in inputs), DESIGN]
        cores = [*(operand.shape for operand in inputs), (design.shape[-1],)]
        ufunc = self.layouts[layout].changes(variant).ufunc
        found = []
        for direction in along:
            steps = [direction.get(name, np.zeros(core)) for name, core in zip(every, cores, strict=True)]
            result = self._of_robot.quiet(ufunc, [*arrays, design, *steps], {})
            parts = result if isinstance(result, tuple) else (result,)
            found.append(parts if self.quantity.verdict is None else parts[:-1])
        return found

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


