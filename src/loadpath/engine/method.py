"""A quantity bound to a robot: what `robot.inverse_dynamics` is, and what happens when it is called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.engine import arguments as reading
from loadpath.engine import kernels
from loadpath.engine.arguments import Variant, is_lazy, is_plain
from loadpath.engine.direct import bind, understands_arrays
from loadpath.engine.family import Shared, shared_kernel
from loadpath.engine.kernels import Kernel
from loadpath.engine.packed import PackedMethod
from loadpath.engine.pool import results
from loadpath.engine.uncompiled import Uncompiled
from loadpath.errors import UncompiledWarning, warn
from loadpath.printable import printable
from loadpath.robot.arrays import refuse_lost_quaternions

if TYPE_CHECKING:
    from loadpath.engine.quantity import Compiled, Operands, Subject


class CompiledMethod(functools.partial[Any]):
    """A quantity bound to a robot. Call it with arrays; leading axes are batch axes and broadcast.

    It is a `partial` because those are called fastest. What it calls is at first `_first_call`, which compiles; then
    the short way for one state (`direct.py`) where there is one, else, and for everything else, `_call`.
    """

    __name__: str

    def __new__(cls, robot: Any, quantity: Compiled) -> CompiledMethod:
        return super().__new__(cls, _not_ready)

    def __init__(self, robot: Any, quantity: Compiled) -> None:
        self.robot = robot
        self.quantity = quantity
        self.__name__ = quantity.public_name or quantity.name
        self.__doc__ = quantity.__doc__
        self._ufunc: np.ufunc | Shared | None = None  # where plain arguments can go as they are
        self._count = 0  # how many it takes
        self._kernels: dict[Variant, Kernel] = {}
        self._shared: dict[Variant, Shared | None] = {}
        self._shapes: dict[Variant, Operands] = {}
        self._uncompiled: dict[Variant, Uncompiled] = {}
        self._definition: object = None  # what the short way needs to live
        self._packed: PackedMethod | None = None
        self._bound = self._asked = False
        self._asks_typed = True  # of states that are lists, as people type them, once more
        letters = quantity.signature.replace(" ", "").split("->")[0][1:-1].split("),(")
        turned = bool(getattr(robot, "quaternion_starts", None))
        self._turned = tuple(k for k, letter in enumerate(letters) if turned and letter == "q")
        """Which arguments have quaternions."""
        self._as_computed = quantity.wrap is None and quantity.verdict is None
        self._calls(self._first_call)

    def _calls(self, function: Callable[..., Any]) -> None:
        # A partial's function cannot be assigned, only restored as from a pickle. So a call goes from Python's call of
        # the partial straight into compiled code, without a Python frame that would cost as much as the dynamics.
        self.__setstate__((function, (), {}, self.__dict__))  # type: ignore[attr-defined]

    def _first_call(self, *arguments: Any, **options: Any) -> Any:
        result = self._bound_by(arguments, options)
        if not self._asked:  # of later calls with arrays nothing can be asked: they may have no Python frame
            self._asked = True
            reading.ask_about(self, arguments, options)
        return result

    def _bound_by(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if self.quantity.packed or (options and not self._takes(options)):
            return self._general(arguments, options)  # which needs another kernel; the plain one may never be
        kernel: Kernel | Shared | None = None
        if not self.quantity.takes_link and self.quantity.compiles(self.robot, Variant()):
            kernel = self._shared_kernel(Variant()) or self._kernel(Variant())
        with kernels.binding:
            if not self._bound:  # else another thread was first, and what it bound may be running
                self._bind(kernel)
                self._bound = True
        return self._call(*arguments, **options)

    def _bind(self, kernel: Kernel | Shared | None) -> None:
        function: Callable[..., Any] = self._call
        if kernel is not None:
            self._count = len(self.quantity.argument_names)
            self._ufunc = kernel if isinstance(kernel, Shared) else kernel.ufunc
            direct = kernel.direct if isinstance(kernel, Kernel) and self._as_computed else None
            if direct is not None and understands_arrays():
                function, self._definition = bind(*direct, self._call, self.quantity.name, self.__doc__ or "")
        self._calls(function)

    def _call(self, *arguments: Any, **options: Any) -> Any:
        ufunc = self._ufunc
        # A ufunc would take one argument more for `out` and write into it.
        if ufunc is None or len(arguments) != self._count or (options and not self._takes(options)):
            return self._general(arguments, options)
        for argument in arguments:
            if type(argument) is not np.ndarray and not is_plain(argument):
                return self._general(arguments, options)
        if self._asks_typed and arguments and type(arguments[0]) is list:  # slow anyway
            self._asks_typed = not reading.ask_about_typed(self, arguments, options)
        self.refuse_lost_quaternions(arguments)
        try:
            if self._as_computed:
                return results.call(ufunc, *arguments, **options)
            result = self.quiet(ufunc, arguments, options)
        except (TypeError, ValueError) as problem:
            return self._general(arguments, options, problem)
        return self._wrapped(result, arguments)

    def refuse_lost_quaternions(self, arrays: Sequence[Any]) -> None:
        """Refuse quaternions of zero length, which turn nothing."""
        for k in self._turned:
            refuse_lost_quaternions(self.robot, arrays[k], self.__name__)

    def quiet(self, ufunc: np.ufunc | Uncompiled | Shared, arrays: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a ufunc computes; where a verdict follows, which says what divisions by zero mean, without a word of
        them.
        """
        if self.quantity.verdict is None:
            return results.call(ufunc, *arrays, **options)
        with np.errstate(all="ignore"):
            return results.call(ufunc, *arrays, **options)

    def _takes(self, options: Mapping[str, Any]) -> bool:
        """Whether the ufunc takes these as they are, and returns no more than the caller knows of."""
        if isinstance(self._ufunc, Shared) and options.keys() - {"out"}:
            return False
        return self.quantity.verdict is None and _fits_ufunc(options)

    def _general(self, arguments: tuple[Any, ...], options: dict[str, Any], problem: Exception | None = None) -> Any:
        """The way with options, names, links, external wrenches, Dask arrays and errors that explain themselves."""
        if self.quantity.packed is not None:
            packed, options = self._packing(options)
            if packed:
                return self.packed(*arguments, **options)
        strict, options = self.strictness(options)
        arrays, variant, remaining = reading.read_call(self, arguments, options)
        remaining = self.with_room_for_status(remaining)
        lazy = any(map(is_lazy, arrays))
        if not lazy:  # else each block is looked at where it is
            self.refuse_lost_quaternions(arrays)
        if problem is None and variant in self._kernels and self._shared.get(variant) is None and not lazy:
            try:
                result = self.quiet(self._kernels[variant].ufunc, arrays, remaining)
            except (TypeError, ValueError) as found:
                problem = found  # explained below
            else:
                return self._wrapped(result, arrays, strict)
        arrays = reading.checked_arrays(self.__name__, arrays, self.operands(variant)[0])
        if lazy:
            return self._labelled(self._lazily(arrays, variant, remaining, strict))
        if problem is not None:
            raise problem
        function = self.function(variant)
        if isinstance(function, Shared) and remaining.keys() - {"out"}:  # of which it knows nothing
            function = self.compiled(variant)
        return self._wrapped(self.quiet(function, arrays, remaining), arrays, strict)

    def _shared_kernel(self, variant: Variant) -> Shared | None:
        """The kernel of the robot's family, if it is one of a family. It is used from the first call to the last: the
        robot's own would differ in the last digits.
        """
        if variant not in self._shared:
            self._shared[variant] = shared_kernel(self.robot, self.quantity, variant)
        return self._shared[variant]

    def _wrapped(self, result: Any, arrays: Sequence[Any], strict: bool = True) -> Any:
        return self._labelled(result if self.quantity.verdict is None else self.judged(result, arrays, strict))

    def judged(self, result: Any, arrays: Sequence[Any], strict: bool = True) -> Any:
        """The results without their status, if the quantity's verdict lets them pass."""
        if self.quantity.verdict is None:
            return result
        passed = self.quantity.verdict(self, arrays, result if isinstance(result, tuple) else (result,), strict)
        return passed[0] if len(passed) == 1 else passed

    def _labelled(self, result: Any) -> Any:
        if self.quantity.wrap is None:
            return result
        return self.quantity.wrap(self.robot, *(result if isinstance(result, tuple) else (result,)))

    @property
    def packed(self) -> PackedMethod:
        """The same quantity with packed results."""
        if self._packed is None:
            self._packed = PackedMethod(self)
        return self._packed

    def _packing(self, options: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        """The option `packed`, and the others."""
        packed = options.get("packed", self.quantity.packed)
        if not isinstance(packed, (bool, np.bool_)):
            raise ValueError(f"{self.__name__}: 'packed' is {packed!r}: expected True or False")
        return bool(packed), {key: value for key, value in options.items() if key != "packed"}

    def strictness(self, options: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        """The option `strict` of a quantity with a verdict, and the others."""
        if self.quantity.verdict is None or "strict" not in options:
            return True, options
        strict = options["strict"]
        if not isinstance(strict, (bool, np.bool_)):
            raise ValueError(f"{self.__name__}: 'strict' is {strict!r}: expected True or False")
        return bool(strict), {key: value for key, value in options.items() if key != "strict"}

    def with_room_for_status(self, remaining: dict[str, Any]) -> dict[str, Any]:
        """Options of the ufunc, where `out` knows nothing of the status."""
        if self.quantity.verdict is None or remaining.get("out") is None:
            return remaining
        out = remaining["out"]
        return {**remaining, "out": (*(out if isinstance(out, tuple) else (out,)), None)}

    def function(self, variant: Variant) -> np.ufunc | Uncompiled | Shared:
        """What computes a variant: its ufunc, or the formulation itself on NumPy batches where that is not compiled."""
        compiles = self.quantity.compiles(self.robot, variant)
        shared = self._shared_kernel(variant) if compiles else None
        if shared is not None:
            return shared
        if variant not in self._kernels and variant not in self._uncompiled:
            if compiles:
                return self.compiled(variant)
            large = self.quantity.large(self.robot, variant)
            if large is None:
                warn(self._why_uncompiled(variant), UncompiledWarning)
            self._uncompiled[variant] = large or self.quantity.uncompiled(self.robot, variant)
        return self.compiled(variant) if variant in self._kernels else self._uncompiled[variant]

    def uncompiled(self, *arguments: Any, **options: Any) -> Any:
        """The same call by the formulation itself on NumPy batches, unless it is compiled already: done at once, where
        a few hundred states would not repay compiling for a large robot.
        """
        strict, others = self.strictness(options)
        arrays, variant, remaining = reading.read_call(self, arguments, others)
        if variant in self._kernels or self._shared.get(variant) is not None:
            return self._general(arguments, options)
        arrays = reading.checked_arrays(self.__name__, arrays, self.operands(variant)[0])
        self.refuse_lost_quaternions(arrays)
        result = self.quantity.uncompiled(self.robot, variant)(*arrays, **self.with_room_for_status(remaining))
        return self._wrapped(result, arrays, strict)

    @property
    def __signature__(self) -> inspect.Signature:
        whole = self.quantity.__signature__
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy ufunc that computes it."""
        return self.compiled(Variant())

    def compiled(self, variant: Variant) -> np.ufunc:
        """The ufunc for a variant of the quantity."""
        return self._kernel(variant).ufunc

    def _kernel(self, variant: Variant) -> Kernel:
        if variant not in self._kernels:
            self._kernels[variant] = self.quantity.kernel(self.robot, variant)
        return self._kernels[variant]

    def operands(self, variant: Variant) -> Operands:
        """Names and core shapes of the arguments and results of a variant."""
        if variant not in self._shapes:
            self._shapes[variant] = self.quantity.operands(self.robot, variant)
        return self._shapes[variant]

    def _why_uncompiled(self, variant: Variant) -> str:
        choice = self.quantity.formulations[variant.formulation]
        if choice.compiles(self.robot, variant.given):
            count = sum(operand.size for operand in self.operands(variant)[1])
            return (
                f"{self.__name__} runs uncompiled: for robot '{self.robot.name}' it has {count} results a state, and "
                f"with more than {self.quantity.most_results} compiling would take minutes"
            )
        added = choice.speeds(self.robot, variant.given) - self.robot.n
        several = len(self.quantity.formulations) > 1
        by, what = (f" by '{variant.formulation}'", "this formulation") if several else ("", "it")
        return (
            f"{self.__name__}{by} runs uncompiled: robot '{self.robot.name}' has {self.robot.n} degrees of freedom"
            f"{f' and its base {added}' if added else ''}, and {what}, whose cost grows like a high power of their "
            f"number, is compiled up to {choice.compile_up_to}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.robot, self.quantity.name)

    def __repr__(self) -> str:
        slow = [name for name, choice in self.quantity.formulations.items() if not choice.compiles(self.robot)]
        which = f": {', '.join(slow)}" if len(self.quantity.formulations) > 1 else ""
        note = f"; uncompiled{which}" if slow else ""
        return f"<{self.quantity.name} of robot '{printable(self.robot.name)}', {self.quantity.signature}{note}>"

    def _lazily(self, arrays: list[Any], variant: Variant, remaining: dict[str, Any], strict: bool) -> Any:
        """On Dask arrays: each block goes through the ufunc, wherever the block is."""
        from dask.array import apply_gufunc

        if remaining:
            raise TypeError(f"{self.__name__} of Dask arrays takes no {', '.join(remaining)}")
        inputs, outputs = self.operands(variant)
        if self.quantity.verdict is not None:
            outputs = outputs[:-1]  # each block reads its own status
        sizes = {f"d{size}": size for operand in (*inputs, *outputs) for size in operand.shape}
        cores = [",".join(f"d{size}" for size in operand.shape) for operand in (*inputs, *outputs)]
        texts = [f"({core})" for core in cores]
        signature = f"{','.join(texts[: len(inputs)])}->{','.join(texts[len(inputs) :])}"
        # By robot and name, since Dask takes a `partial` apart to name its work, and would find this one inside itself.
        block = functools.partial(_block, self.robot, self.quantity.name, variant, strict, len(outputs))
        dtype = np.result_type(*(getattr(array, "dtype", np.float64) for array in arrays), np.float32)
        return apply_gufunc(
            block,
            signature,
            *arrays,
            output_sizes=sizes,
            output_dtypes=[dtype] * len(outputs) if len(outputs) > 1 else dtype,
            allow_rechunk=True,
        )


def _fits_ufunc(options: Mapping[str, Any]) -> bool:
    """Whether a ufunc takes these as they are."""
    if options.keys() - {"out"}:
        return False
    out = options.get("out", ())
    return type(out) is np.ndarray or (type(out) is tuple and all(type(target) is np.ndarray for target in out))


def _not_ready(*arguments: Any, **options: Any) -> Any:
    raise RuntimeError("this method is being made")


def _block(robot: Subject, name: str, variant: Variant, strict: bool, count: int, *arrays: Any) -> Any:
    method: CompiledMethod = getattr(robot, name)
    method.refuse_lost_quaternions(arrays)
    result = method.judged(method.function(variant)(*arrays), arrays, strict)
    if not isinstance(result, tuple):
        return result
    return result[0] if count == 1 else result[:count]
