"""A quantity of a robot as a compiled method: `robot.inverse_dynamics(q, qd, qdd)` for one state or a million.

`Compiled` stands in the class as one line; on first use from a robot it becomes a `CompiledMethod` (`method.py`), which
traces and compiles the formulation for that robot (or finds the code in the cache) and from then on calls the ufunc.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload

from loadpath.engine.program import Operand, Program
from loadpath.engine.uncompiled import Uncompiled
from loadpath.mechanics.wrenches import Applied
from loadpath.scalars import Counter, OperationCount, array

if TYPE_CHECKING:
    from loadpath.engine.method import CompiledMethod

Formulation = Callable[..., Any]
DEFAULT = "newton-euler"


class Subject(Protocol):
    """What a quantity can be compiled of: a robot, or what is made of one (an arm with beams, a rover)."""

    @property
    def name(self) -> str:
        """Name, for messages."""

    @property
    def n(self) -> int:
        """Degrees of freedom."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for."""

    @property
    def code_key(self) -> str | None:
        """Equal where the compiled code is the same; None if that cannot be told."""


class On(NamedTuple):
    """A formulation that is traced on another mechanism than its quantity's others."""

    formulation: Formulation
    mechanism: Callable[[Any], Any]
    compile_up_to: int | None = None
    """Robots with more degrees of freedom than this run it uncompiled, on NumPy batches: its program grows too fast."""

    def compiles(self, robot: Subject) -> bool:
        """Whether it is compiled for a robot."""
        return self.compile_up_to is None or robot.n <= self.compile_up_to


@dataclass(frozen=True)
class Variant:
    """What a quantity can be compiled for beside the robot itself."""

    formulation: str = DEFAULT
    link: str | None = None
    external: tuple[tuple[str, bool], ...] = ()
    """Links with external wrenches, and whether these are in world axes."""
    given: tuple[str, ...] = ()
    """Which of the arrays that may be left out are given."""
    choices: tuple[tuple[str, Hashable], ...] = ()
    """Choices that differ from the quantity's own."""


class Compiled:
    """One quantity: its formulation(s), its signature in ufunc notation, the mechanism that it is traced on.

    In the signature `q` stands for the number of coordinates, `n` of speeds, `x` of both together, `j` of joints,
    `l` of links, `p` of inertial parameters (ten a link), `d` of drive parameters (three a speed): the subject's
    `sizes`; `sizes` adds letters of this quantity alone, which may depend on the variant. `check` may refuse a robot
    before anything is traced. With more than `most_results` numbers a state it runs uncompiled, on NumPy batches.

    `optional` has arrays that may be left out, by name with their core shapes; `choices` what is fixed before tracing,
    by name with its default. The formulation gets both as keywords: an array only where it is given, a choice always.
    """

    def __init__(
        self,
        formulation: Formulation | Mapping[str, Formulation | On],
        signature: str,
        mechanism: Callable[[Any], Any],
        doc: str,
        *,
        optional: Mapping[str, tuple[int, ...]] | None = None,
        choices: Mapping[str, Hashable] | None = None,
        sizes: Callable[[Any, Variant], Mapping[str, int]] | None = None,
        takes_link: bool = False,
        takes_external: bool = False,
        wrap: Callable[..., Any] | None = None,
        check: Callable[[Any, Any], None] | None = None,
        most_results: int | None = None,
        told_as: str | None = None,
    ) -> None:
        named = formulation if isinstance(formulation, Mapping) else {DEFAULT: formulation}
        self.formulations = {k: f if isinstance(f, On) else On(f, mechanism) for k, f in named.items()}
        self.signature = signature
        self.optional = dict(optional or {})
        self.choices = dict(choices or {})
        self.sizes = sizes
        self.takes_link = takes_link
        self.takes_external = takes_external
        self.wrap = wrap
        self.check = check
        self.most_results = most_results
        self.told_as = told_as
        """The name in messages, where users call it through a method of another name."""
        self.name = ""
        self.__doc__ = f"{doc.strip()}\n\nSignature: {signature}\n"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, robot: None, owner: type) -> Compiled: ...
    @overload
    def __get__(self, robot: Subject, owner: type) -> CompiledMethod: ...
    def __get__(self, robot: Subject | None, owner: type) -> Compiled | CompiledMethod:
        if robot is None:
            return self
        from loadpath.engine.method import CompiledMethod

        method = CompiledMethod(robot, self)
        if getattr(type(robot), self.name, None) is self:
            # Stored under its own name, the method is found there from now on, without coming here again. Not so
            # where a subclass has put its own in front and calls this one through super().
            robot.__dict__[self.name] = method
        return method

    def operands(self, robot: Subject, variant: Variant) -> tuple[list[Operand], list[Operand]]:
        """Names and core shapes of the arguments and results for a robot."""
        sizes = {**robot.sizes, **(self.sizes(robot, variant) if self.sizes is not None else {})}

        def read(text: str, names: Sequence[str]) -> list[Operand]:
            cores = text[1:-1].split("),(")
            shapes = [tuple(sizes[d] if d in sizes else int(d) for d in core.split(",") if d) for core in cores]
            return [Operand(name, shape) for name, shape in zip(names, shapes, strict=True)]

        inputs, outputs = self.signature.replace(" ", "").split("->")
        operands = read(inputs, self.argument_names)
        operands += [Operand(name, self.optional[name]) for name in variant.given]
        if variant.external:
            operands.append(Operand("external", (len(variant.external), 6)))
        return operands, read(outputs, [f"{self.name}_{k}" for k in range(outputs.count("("))])

    @functools.cached_property
    def argument_names(self) -> list[str]:
        """Names of the array arguments, from the formulation."""
        code = self.formulations[DEFAULT].formulation.__code__
        return list(code.co_varnames[1 : 2 + self.signature.split("->")[0].count("),(")])

    def _run(self, robot: Subject, variant: Variant) -> Callable[..., Any]:
        """The formulation as a function of the operands, over any scalars."""
        formulation, make_mechanism, _ = self.formulations[variant.formulation]
        mechanism = make_mechanism(robot)
        if self.check is not None:
            self.check(robot, mechanism)  # what it refuses is never compiled, so never found in the cache
        options: dict[str, Any] = {**self.choices, **dict(variant.choices)}
        if variant.link is not None:
            options["link"] = variant.link
        count = len(self.argument_names)

        def run(*arrays: Any) -> Any:
            keywords = options | dict(zip(variant.given, arrays[count:], strict=False))
            if variant.external:
                wrenches = arrays[-1]
                keywords["external"] = {
                    link: Applied(wrenches[k, :3], wrenches[k, 3:], in_world_axes)
                    for k, (link, in_world_axes) in enumerate(variant.external)
                }
            return formulation(mechanism, *arrays[:count], **keywords)

        return run

    def compiles(self, robot: Subject, variant: Variant) -> bool:
        """Whether a variant is compiled for a robot, not run on NumPy batches."""
        if self.most_results is not None:
            _, outputs = self.operands(robot, variant)
            if sum(operand.size for operand in outputs) > self.most_results:
                return False
        return self.formulations[variant.formulation].compiles(robot)

    def program(self, robot: Subject, variant: Variant) -> Program:
        """The traced program."""
        from loadpath.engine.trace import trace

        return trace(self._run(robot, variant), self.name, *self.operands(robot, variant))

    def uncompiled(self, robot: Subject, variant: Variant) -> Uncompiled:
        """The formulation on NumPy batches, for robots of any size."""
        return Uncompiled(self.name, self._run(robot, variant), *self.operands(robot, variant))

    def count(self, robot: Subject, variant: Variant, *, as_written: bool = False) -> OperationCount:
        """Operations per state that are executed: by the compiled program, or, `as_written` and where it is not
        compiled, by the formulation step by step.
        """
        if as_written or not self.compiles(robot, variant):
            return self._count_as_written(robot, variant)
        from loadpath.engine.trace import count

        return count(self.program(robot, variant))

    def _count_as_written(self, robot: Subject, variant: Variant) -> OperationCount:
        counter = Counter()
        inputs, _ = self.operands(robot, variant)
        arrays = []
        for operand in inputs:
            # Any values do, that no quaternion is zero: all of them count as general.
            values = [counter.scalar(0.3 + 0.1 * k / (operand.size + 1)) for k in range(operand.size)]
            arrays.append(array(values).reshape(operand.shape) if operand.shape else values[0])
        self._run(robot, variant)(*arrays)
        return counter.count


def compiled_quantities(owner: type) -> dict[str, Compiled]:
    """The compiled quantities of a class and of those that it is made from, by name."""
    found: dict[str, Compiled] = {}
    for part in reversed(owner.__mro__):
        found |= {key: value for key, value in vars(part).items() if isinstance(value, Compiled)}
    return found
