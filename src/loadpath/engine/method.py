"""A quantity bound to a robot: what `robot.inverse_dynamics` is. It reads its arguments, compiles on its first call and
then calls the ufunc, or the short way for one state.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.engine import kernels
from loadpath.engine.build import Kernel
from loadpath.engine.compiled import DEFAULT, Compiled, Formulation, Subject, Variant
from loadpath.engine.direct import bind
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.errors import UncompiledWarning, warn

_ORIGIN = np.zeros(3)


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
        self.__name__ = quantity.told_as or quantity.name
        self.__doc__ = quantity.__doc__
        self._ufunc: Any = None  # where plain arguments can go as they are
        self._kernels: dict[Variant, Kernel] = {}
        self._shapes: dict[Variant, tuple[list[Operand], list[Operand]]] = {}
        self._uncompiled: dict[Variant, Uncompiled] = {}
        self._definition: Any = None
        self._calls(self._first_call)

    def _calls(self, function: Callable[..., Any]) -> None:
        self.__setstate__((function, (), {}, self.__dict__))  # type: ignore[attr-defined]

    def _first_call(self, *arguments: Any, **options: Any) -> Any:
        if not _plain(options):
            return self._general(arguments, options)  # which needs another kernel; the plain one may never be
        function = self._call
        if not self.quantity.takes_link and self.quantity.compiles(self.robot, Variant()):
            kernel = self._kernel(Variant())
            self._ufunc = kernel.ufunc
            if kernel.direct is not None and self.quantity.wrap is None:
                function, self._definition = bind(*kernel.direct, self._call, self.quantity.name, self.__doc__ or "")
        self._calls(function)
        return self._call(*arguments, **options)

    def _call(self, *arguments: Any, **options: Any) -> Any:
        # A ufunc would take one argument more for `out` and write into it.
        if self._ufunc is None or not _plain(options) or len(arguments) != len(self.quantity.argument_names):
            return self._general(arguments, options)
        try:
            result = self._ufunc(*arguments, **options)
        except (TypeError, ValueError) as problem:
            return self._general(arguments, options, problem)
        wrap = self.quantity.wrap
        if wrap is not None:
            parts = result if type(result) is tuple else (result,)
            return self._general(arguments, options) if any(map(_is_lazy, parts)) else wrap(self.robot, *parts)
        if type(result) is np.ndarray:
            return result
        return self._general(arguments, options) if _is_lazy(result) else result

    def function(self, variant: Variant) -> np.ufunc | Uncompiled:
        """What computes a variant: its ufunc, or the formulation itself on NumPy batches where that is not compiled."""
        if variant not in self._kernels and variant not in self._uncompiled:
            if self.quantity.compiles(self.robot, variant):
                return self.compiled(variant)
            warn(self._why_uncompiled(variant), UncompiledWarning)
            self._uncompiled[variant] = self.quantity.uncompiled(self.robot, variant)
        return self.compiled(variant) if variant in self._kernels else self._uncompiled[variant]

    def uncompiled(self, *arguments: Any, **options: Any) -> Any:
        """The same call by the formulation itself on NumPy batches, unless it is compiled already: done at once, where
        a few hundred states would not repay compiling for a large robot.
        """
        arrays, variant, rest = self._read(arguments, options)
        if variant in self._kernels:
            return self._general(arguments, options)
        inputs, _ = self._operands(variant)
        arrays = [_checked(self.__name__, a, operand) for a, operand in zip(arrays, inputs, strict=True)]
        _check_broadcast(self.__name__, arrays, inputs)
        return self._wrapped(self.quantity.uncompiled(self.robot, variant)(*arrays, **rest))

    def _why_uncompiled(self, variant: Variant) -> str:
        choice = self.quantity.formulations[variant.formulation]
        if choice.compiles(self.robot):
            results = sum(operand.size for operand in self._operands(variant)[1])
            return (
                f"{self.__name__} runs uncompiled: for robot '{self.robot.name}' it has {results} results a state, and "
                f"with more than {self.quantity.most_results} compiling would take minutes"
            )
        return (
            f"{self.__name__} by '{variant.formulation}' runs uncompiled: robot '{self.robot.name}' has "
            f"{self.robot.n} degrees of freedom, and this formulation, whose cost grows like the fourth power of "
            f"their number, is compiled up to {choice.compile_up_to}"
        )

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy ufunc behind it."""
        return self.compiled(Variant())

    def compiled(self, variant: Variant) -> np.ufunc:
        """The ufunc for a variant of the quantity."""
        return self._kernel(variant).ufunc

    def _kernel(self, variant: Variant) -> Kernel:
        if variant not in self._kernels:
            self._kernels[variant] = kernels.kernel(self.robot, self.quantity, variant)
        return self._kernels[variant]

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.robot, self.quantity.name)

    def __repr__(self) -> str:
        slow = [name for name, choice in self.quantity.formulations.items() if not choice.compiles(self.robot)]
        note = f"; uncompiled: {', '.join(slow)}" if slow else ""
        return f"<{self.quantity.name} of robot '{self.robot.name}', {self.quantity.signature}{note}>"

    def _general(self, arguments: tuple[Any, ...], options: dict[str, Any], problem: Exception | None = None) -> Any:
        """The way with options, names, links, external wrenches, Dask arrays and errors that explain themselves."""
        arrays, variant, rest = self._read(arguments, options)
        if problem is None and variant in self._kernels and not any(map(_is_lazy, arrays)):
            try:
                result = self._kernels[variant].ufunc(*arrays, **rest)
            except (TypeError, ValueError) as found:
                problem = found  # explained below
            else:
                return self._wrapped(result)
        inputs, outputs = self._operands(variant)
        arrays = [_checked(self.__name__, a, operand) for a, operand in zip(arrays, inputs, strict=True)]
        _check_broadcast(self.__name__, arrays, inputs)
        if any(_is_lazy(array) for array in arrays):
            result = self._lazily(arrays, variant, inputs, outputs, rest)
        else:
            if problem is not None:
                raise problem
            result = self.function(variant)(*arrays, **rest)
        return self._wrapped(result)

    def _wrapped(self, result: Any) -> Any:
        if self.quantity.wrap is None:
            return result
        return self.quantity.wrap(self.robot, *(result if isinstance(result, tuple) else (result,)))

    def _operands(self, variant: Variant) -> tuple[list[Operand], list[Operand]]:
        if variant not in self._shapes:
            self._shapes[variant] = self.quantity.operands(self.robot, variant)
        return self._shapes[variant]

    def _read(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[list[Any], Variant, dict[str, Any]]:
        names = [*self.quantity.argument_names, *(["link"] if self.quantity.takes_link else [])]
        if len(arguments) > len(names):
            raise TypeError(f"{self.__name__} takes {', '.join(names)}: {len(arguments)} arguments were given")
        given = dict(zip(names, arguments, strict=False))
        rest: dict[str, Any] = {}
        for key, value in options.items():
            if key in given:
                raise TypeError(f"{self.__name__} got '{key}' twice")
            known = key in names or key == "formulation" or (key == "external" and self.quantity.takes_external)
            known = known or key in self.quantity.optional or key in self.quantity.choices
            (given if known else rest)[key] = value
        missing = [name for name in self.quantity.argument_names if name not in given]
        if missing:
            raise TypeError(f"{self.__name__} needs {', '.join(missing)} as well: {self.quantity.signature}")
        unknown = set(rest) - {"out", "where", "dtype", "casting", "order", "axes", "axis", "keepdims", "subok"}
        if unknown:
            raise TypeError(f"{self.__name__} takes no '{unknown.pop()}'")
        arrays = [given[name] for name in self.quantity.argument_names]
        extra = tuple(name for name in self.quantity.optional if given.get(name) is not None)
        arrays += [given[name] for name in extra]
        chosen = tuple((k, given[k]) for k, usual in self.quantity.choices.items() if given.get(k, usual) != usual)
        link = self._link(given.get("link")) if self.quantity.takes_link else None
        spec, wrenches = self._external(given.get("external"))
        if spec:
            arrays.append(wrenches)
        formulation = self._formulation(given.get("formulation"))
        self._check_taken(formulation, (*extra, *(key for key, _ in chosen)))
        return arrays, Variant(formulation, link, spec, extra, chosen), rest

    def _check_taken(self, formulation: str, keywords: Sequence[str]) -> None:
        """Refuse arrays and choices that a formulation knows nothing of."""
        for key in keywords:
            if not _takes(self.quantity.formulations[formulation].formulation, key):
                able = [name for name, one in self.quantity.formulations.items() if _takes(one.formulation, key)]
                raise ValueError(f"{self.__name__} by '{formulation}' takes no '{key}'; by {', '.join(able)} it does")

    def _formulation(self, name: str | None) -> str:
        if name is None:
            return DEFAULT
        if not isinstance(name, str) or name not in self.quantity.formulations:
            known = ", ".join(self.quantity.formulations)
            raise ValueError(f"{self.__name__} has no formulation {name!r}; it has {known}")
        return name

    def _link(self, name: str | None) -> str:
        if name is not None:
            return str(self.robot.link(name).name)
        parents = {joint.parent for joint in self.robot.joints}
        tips = [link for link in self.robot.link_names if link not in parents]
        if len(tips) != 1:
            raise ValueError(f"robot '{self.robot.name}' has {len(tips)} ends, {', '.join(tips[:8])}: name the link")
        return str(tips[0])

    def _external(self, external: Any) -> tuple[tuple[tuple[str, bool], ...], Any]:
        if external is None:
            return (), None
        if not isinstance(external, Mapping):
            raise ValueError(f"{self.__name__}: 'external' is a {type(external).__name__}: expected a mapping from "
                             "link names to lp.Wrench(force=, torque=)")  # fmt: skip
        spec, parts = [], []
        # In the order of the links, so that the order in which they are given does not ask for another compilation.
        for link in sorted(external, key=lambda name: self.robot.link_names.index(self.robot.link(name).name)):
            wrench = external[link]
            if not (hasattr(wrench, "force") and hasattr(wrench, "torque")):
                raise ValueError(f"{self.__name__}: external wrench on '{link}' is a {type(wrench).__name__}: "
                                 "expected an lp.Wrench")  # fmt: skip
            axes = getattr(wrench, "axes", "world")
            if axes not in ("world", "link"):
                raise ValueError(f"{self.__name__}: external wrench on '{link}' has the axes {axes!r}: "
                                 "expected 'world' or 'link'")  # fmt: skip
            if hasattr(wrench, "at"):
                wrench = wrench.at(_ORIGIN)  # of the link's frame
            spec.append((link, axes == "world"))
            pair: tuple[Any, ...] = (wrench.force, wrench.torque)
            if pair[0].shape != pair[1].shape:
                pair = np.broadcast_arrays(*pair)  # slow, and seldom needed
            parts.append(np.concatenate(pair, axis=-1))
        if not spec:
            return (), None
        if len(parts) == 1:
            return tuple(spec), parts[0][..., None, :]
        try:
            return tuple(spec), np.stack(np.broadcast_arrays(*parts), axis=-2)
        except ValueError:
            told = ", ".join(f"'{link}' {part.shape[:-1]}" for (link, _), part in zip(spec, parts, strict=True))
            raise ValueError(f"{self.__name__}: the batch shapes of the external wrenches do not go together: "
                             f"{told}") from None  # fmt: skip

    def _lazily(
        self,
        arrays: list[Any],
        variant: Variant,
        inputs: Sequence[Operand],
        outputs: Sequence[Operand],
        rest: dict[str, Any],
    ) -> Any:
        """On Dask arrays: each block goes through the ufunc, wherever the block is."""
        from dask.array import apply_gufunc

        if rest:
            raise TypeError(f"{self.__name__} of Dask arrays takes no {', '.join(rest)}")
        sizes = {f"d{size}": size for operand in (*inputs, *outputs) for size in operand.shape}
        cores = [",".join(f"d{size}" for size in operand.shape) for operand in (*inputs, *outputs)]
        texts = [f"({core})" for core in cores]
        signature = f"{','.join(texts[: len(inputs)])}->{','.join(texts[len(inputs) :])}"
        # By robot and name, since Dask takes a `partial` apart to name its work, and would find this one inside itself.
        block = functools.partial(_block, self.robot, self.quantity.name, variant)
        dtype = np.result_type(*(getattr(array, "dtype", np.float64) for array in arrays), np.float32)
        return apply_gufunc(
            block,
            signature,
            *arrays,
            output_sizes=sizes,
            output_dtypes=[dtype] * len(outputs) if len(outputs) > 1 else dtype,
            allow_rechunk=True,
        )


def _plain(options: Mapping[str, Any]) -> bool:
    """Whether a ufunc takes these as they are."""
    return not options or options.keys() == {"out"}


def _takes(formulation: Formulation, keyword: str) -> bool:
    code = formulation.__code__
    return keyword in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _not_ready(*arguments: Any, **options: Any) -> Any:
    raise RuntimeError("this method is being made")


def _block(robot: Subject, name: str, variant: Variant, *arrays: Any) -> Any:
    method: CompiledMethod = getattr(robot, name)
    return method.function(variant)(*arrays)


def _is_lazy(array: Any) -> bool:
    return type(array).__module__.startswith("dask.")


def _checked(name: str, value: Any, operand: Operand) -> Any:
    """The argument as an array of real numbers with the right core shape, or an error that says what is wrong."""
    try:
        array = value if _is_lazy(value) else np.asarray(value)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{name}: '{operand.name}' is not an array of numbers: {problem}") from problem
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{name}: '{operand.name}' has the dtype {array.dtype}: expected float64 or float32")
    core = len(operand.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != operand.shape:
        wanted = ", ".join(["...", *(str(size) for size in operand.shape)])
        raise ValueError(f"{name}: '{operand.name}' has the shape {array.shape}: expected ({wanted})")
    return array


def _check_broadcast(name: str, arrays: list[Any], inputs: Sequence[Operand]) -> None:
    batches = [a.shape[: a.ndim - len(operand.shape)] for a, operand in zip(arrays, inputs, strict=True)]
    try:
        np.broadcast_shapes(*batches)
    except ValueError:
        told = ", ".join(f"'{operand.name}' {batch}" for operand, batch in zip(inputs, batches, strict=True))
        raise ValueError(f"{name}: the batch shapes do not go together: {told}") from None
