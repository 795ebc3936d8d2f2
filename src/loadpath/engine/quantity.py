"""A quantity of a robot as a compiled method: `robot.inverse_dynamics(q, qd, qdd)` for one state or a million.

`Compiled` stands in the class as one line. On first use from a robot it becomes a `CompiledMethod`, which gets the
kernel of that robot (`kernels.py`: from memory, from disk or from the compiler) and from then on calls its ufunc.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, overload

from loadpath.cached import cached_property, kept
from loadpath.engine import kernels
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.attached import Attached, line_of, lines_of
from loadpath.engine.identity import kernel_key
from loadpath.engine.kernels import Kernel
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand, Program
from loadpath.engine.refused import Refused
from loadpath.engine.trace import count, trace
from loadpath.engine.uncompiled import Uncompiled
from loadpath.mechanics.wrenches import GRAVITY, Applied, under_gravity
from loadpath.scalars import Counter, OperationCount, array

Formulation: TypeAlias = Callable[..., Any]
Operands: TypeAlias = tuple[list[Operand], list[Operand]]
Verdict: TypeAlias = Callable[["CompiledMethod", Sequence[Any], tuple[Any, ...], bool], tuple[Any, ...]]
"""What looks at the results of a call: the method, the arrays that it was called with, its results, and `strict`. It
returns the results that the caller gets, or raises.
"""
InPieces: TypeAlias = Callable[[Any, Variant, Sequence[Operand], Sequence[Operand]], Uncompiled | None]
"""What makes a function of a quantity that is computed in pieces, for a robot, a variant, its arguments and results."""


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
    def defined_by(self) -> tuple[object, ...]:
        """All data that its equations depend on: subjects of one class with equal data share compiled code."""


class On(NamedTuple):
    """A formulation that is traced on another mechanism than its quantity's others."""

    formulation: Formulation
    mechanism: Callable[[Any], Any]
    compile_up_to: int | None = None
    """Robots with more degrees of freedom than this run it uncompiled, on NumPy batches: its program grows too fast."""
    speeds_added: Mapping[str, int] = MappingProxyType({})
    """Degrees of freedom that its program has in addition to the robot's, by the arrays that bring them."""
    closing: Callable[[Formulation], Formulation] | None = None
    """What carries an equation of trees through the loops, where there are any."""

    @property
    def equation(self) -> Formulation:
        """The formulation, carried through the loops where there are any."""
        return self.formulation if self.closing is None else self.closing(self.formulation)

    def speeds(self, robot: Subject, given: Sequence[str] = ()) -> int:
        """Degrees of freedom of its program for a robot, with the arrays given that may be left out."""
        return robot.n + max((self.speeds_added.get(name, 0) for name in given), default=0)

    def compiles(self, robot: Subject, given: Sequence[str] = ()) -> bool:
        """Whether it is compiled for a robot, with the arrays given that may be left out."""
        return self.compile_up_to is None or self.speeds(robot, given) <= self.compile_up_to


def _as_given(value: Any) -> Hashable:
    chosen: Hashable = value
    return chosen


class Loops(NamedTuple):
    """What a quantity has in addition while its robot has loops. Then its last result is a status of each state, `(s)`,
    which its verdict reads.

    Formulations of trees hold with loops through `closing`, each of them. Without it the quantity's default is written
    for both, and returns the status too, which is left out of what a tree gets; others of trees do not hold then.
    `formulations` are those of loops alone, and those that a formulation of trees has in its own way. `signature`, and
    all that has the name of an argument of `Compiled`, stands for that or comes in addition. `passive_chains`: whether
    open chains with joints without a drive have it as well; if not, they have what any tree has.
    """

    verdict: Verdict
    sizes: Callable[[Any, Variant], Mapping[str, int]]
    signature: str | None = None
    closing: Callable[[Formulation], Formulation] | None = None
    formulations: Mapping[str, On] = MappingProxyType({})
    optional: Mapping[str, tuple[int | str, ...]] = MappingProxyType({})
    choices: Mapping[str, Hashable] = MappingProxyType({})
    choice_readers: Mapping[str, Callable[[Any], Hashable]] = MappingProxyType({})
    most_results: int | None = None
    passive_chains: bool = True

    def on_loops(self, of_trees: Mapping[str, On]) -> dict[str, On]:
        """The formulations that hold with loops, of those of trees and its own."""
        if self.closing is None:
            return {DEFAULT: of_trees[DEFAULT], **self.formulations}
        return {name: on._replace(closing=self.closing) for name, on in of_trees.items()} | dict(self.formulations)


class Compiled:
    """One quantity: its formulation(s), its signature in ufunc notation, the mechanism that it is traced on.

    In the signature `q` stands for the number of coordinates, `n` of speeds, `x` of both together, `j` of joints,
    `l` of links, `p` of inertial parameters (ten a link), `d` of drive parameters (three a speed): the subject's
    `sizes`; `sizes` adds letters of this quantity alone, which may depend on the variant. `check` may refuse a robot
    before anything is traced. With more than `most_results` numbers a state it runs uncompiled, on NumPy batches, or as
    `in_pieces` says, where that knows the variant.

    `optional` has arrays that may be left out, by name with their core shapes; `choices` what is fixed before tracing,
    by name with its default (`choice_readers` bring what users may give for one into the default's form, or refuse it).
    The formulation gets both as keywords: an array only where it is given, a choice always.
    `public_name` is the name in messages, where users call it through a method of another name.
    With a `verdict` the last result is a status of each state, which the verdict reads and keeps to itself; calls then
    take `strict=`, which it gets. `by_name` has keywords with values by the names of speeds, which the reader of states
    turns into the last of the arrays and into choices. `loops` has what it has in addition while there are loops.
    `purpose` is what the quantity is for (`engine/purpose.py`);
    `not_with` has keywords that it would depend on and does not take, each with why, and what to use instead. On what
    it neither takes nor names there it does not depend.
    With `packed` calls take `packed=`, for which this is the default: results without their zeros (`engine/packed.py`).
    """

    def __init__(
        self,
        formulation: Formulation | Mapping[str, Formulation | On],
        signature: str,
        mechanism: Callable[[Any], Any],
        doc: str,
        *,
        optional: Mapping[str, tuple[int | str, ...]] | None = None,
        choices: Mapping[str, Hashable] | None = None,
        choice_readers: Mapping[str, Callable[[Any], Hashable]] | None = None,
        sizes: Callable[[Any, Variant], Mapping[str, int]] | None = None,
        takes_link: bool = False,
        takes_external: bool = False,
        wrap: Callable[..., Any] | None = None,
        check: Callable[[Any, Any], None] | None = None,
        most_results: int | None = None,
        public_name: str | None = None,
        verdict: Verdict | None = None,
        by_name: Sequence[str] = (),
        loops: Loops | None = None,
        purpose: str | None = None,
        not_with: Mapping[str, str] = MappingProxyType({}),
        packed: bool | None = None,
        in_pieces: InPieces | None = None,
    ) -> None:
        named = formulation if isinstance(formulation, Mapping) else {DEFAULT: formulation}
        self.formulations = {k: f if isinstance(f, On) else On(f, mechanism) for k, f in named.items()}
        self.signature = signature
        self.optional = dict(optional or {})
        self.choices = dict(choices or {})
        self.choice_readers = dict(choice_readers or {})
        self.sizes = sizes
        self.takes_link = takes_link
        self.takes_external = takes_external
        self.wrap = wrap
        self.check = check
        self.most_results = most_results
        self.public_name = public_name
        self.verdict = verdict
        self.by_name = tuple(by_name)
        self.loops = loops
        self.purpose = purpose
        self.not_with = not_with
        self.packed = packed
        self.in_pieces = in_pieces
        self.name = ""
        self.attribute: Any = self  # of a class, under which it is found: itself, or one that chooses among several
        self._words = inspect.cleandoc(doc)
        self.__doc__ = f"{self._words}\n\nSignature: {signature}\n"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, robot: None, owner: type) -> Compiled: ...
    @overload
    def __get__(self, robot: object, owner: type) -> CompiledMethod: ...
    def __get__(self, robot: Any, owner: type) -> Compiled | CompiledMethod:
        if robot is None:
            return self.for_attached(getattr(owner, "_stands_for", Attached()))
        return self.for_robot(robot).bound_as(self, robot)

    def for_attached(self, attached: Attached) -> Compiled:
        """The quantity with what is attached."""
        return self.with_loops() if attached.loops and self.loops is not None else self

    def for_robot(self, robot: Any) -> Compiled:
        """The quantity with what is attached to a robot."""
        if self.loops is None or not robot.held_by_loops:
            return self
        return self.with_loops() if self.loops.passive_chains or robot.closing_names else self

    @kept()
    def with_loops(self) -> Compiled:
        """The quantity of robots with loops."""
        more = self.loops
        assert more is not None
        found = Compiled(
            more.on_loops(self.formulations),
            f"{more.signature or self.signature},(s)",
            self.formulations[DEFAULT].mechanism,
            self._words,
            optional={**self.optional, **more.optional},
            choices={**self.choices, **more.choices},
            choice_readers={**self.choice_readers, **more.choice_readers},
            sizes=more.sizes,
            takes_link=self.takes_link,
            takes_external=self.takes_external,
            wrap=self.wrap,
            check=self.check,
            most_results=more.most_results or self.most_results,
            public_name=self.public_name,
            verdict=more.verdict,
            by_name=self.by_name,
            purpose=self.purpose,
            not_with=self.not_with,
            packed=self.packed,
        )
        found.name, found.attribute = self.name, self.attribute
        return found

    def bound_as(self, attribute: object, robot: Subject) -> CompiledMethod:
        """The quantity of a robot, found under an attribute of its class: this one, or one that chose it."""
        method = CompiledMethod(robot, self)
        if inspect.getattr_static(type(robot), self.name, None) is attribute:
            # Stored under its own name, the method is found there from now on, without coming here again. Not so
            # where a subclass has put its own in front and calls this one through super(). Threads that come here
            # together all get the one that was stored first.
            stored: CompiledMethod = robot.__dict__.setdefault(self.name, method)
            return stored
        return method

    def __call__(self, robot: Subject, *arguments: Any, **options: Any) -> Any:
        """As of any method of a class: `lp.Robot.inverse_dynamics(robot, q, qd, qdd)`."""
        return self.attribute.__get__(robot, type(robot))(*arguments, **options)

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """What a call takes, for `help` and editors."""
        by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        places = ["self", *self.argument_names]
        parameters = [inspect.Parameter(name, by_place) for name in places]
        if self.by_name:
            parameters[-1] = parameters[-1].replace(default=None)
        if self.takes_link:
            parameters.append(inspect.Parameter("link", by_place, default=None))
        keywords: dict[str, object] = {} if len(self.formulations) == 1 else {"formulation": DEFAULT}
        keywords |= dict.fromkeys(self.by_name)
        keywords |= dict.fromkeys(["external"] if self.takes_external else []) | dict.fromkeys(self.optional)
        keywords |= {"under": None} if self.takes_loads else {}
        keywords |= {} if self.packed is None else {"packed": self.packed}
        keywords |= {**self.choices, **({} if self.verdict is None else {"strict": True}), "out": None}
        return inspect.Signature(parameters + [inspect.Parameter(k, by_name, default=v) for k, v in keywords.items()])

    @cached_property
    def argument_names(self) -> list[str]:
        """Names of the array arguments, from the formulation."""
        count = 1 + self.signature.split("->")[0].count("),(")
        names = self._parameters[DEFAULT][1 : 1 + count]
        if len(names) < count:
            raise TypeError(f"{self.name}: its formulation names {len(names)} arrays after the mechanism, its "
                            f"signature {self.signature} has {count}")
        return names

    @cached_property
    def names_in_place(self) -> list[str]:
        """Names of all that may be given without a name, in order."""
        return [*self.argument_names, *(["link"] if self.takes_link else [])]

    @cached_property
    def array_names(self) -> frozenset[str]:
        """Names of all array arguments, those that may be left out too."""
        return frozenset((*self.argument_names, *self.optional))

    @cached_property
    def known_names(self) -> frozenset[str]:
        """Names of all that it takes, but for options of ufuncs."""
        external = ("external",) if self.takes_external else ()
        return frozenset((*self.names_in_place, "formulation", *external, *self.optional, *self.choices))

    @property
    def takes_loads(self) -> bool:
        """Whether something acts on its robot in addition: `under=` gives all of that together."""
        return self.takes_external or not GRAVITY.keys().isdisjoint(self.optional)

    def chosen(self, given: Mapping[str, Any]) -> tuple[tuple[str, Hashable], ...]:
        """The choices among keywords that differ from their defaults."""
        found = [(key, self.choice_readers.get(key, _as_given)(given[key])) for key in self.choices if key in given]
        return tuple((key, value) for key, value in found if value != self.choices[key])

    def takes(self, formulation: str, keyword: str) -> bool:
        """Whether a formulation knows an array or a choice of this name."""
        return keyword in self._parameters[formulation] or (keyword in GRAVITY and keyword in self.optional)

    @cached_property
    def _parameters(self) -> dict[str, list[str]]:
        """Names of the parameters of each formulation, also of decorated ones."""
        return {name: list(inspect.signature(on.equation).parameters) for name, on in self.formulations.items()}

    def operands(self, robot: Subject, variant: Variant) -> Operands:
        """Names and core shapes of the arguments and results for a robot."""
        sizes = {**robot.sizes, **(self.sizes(robot, variant) if self.sizes is not None else {})}

        def read(text: str, names: Sequence[str]) -> list[Operand]:
            cores = text[1:-1].split("),(")
            shapes = [tuple(sizes[d] if d in sizes else int(d) for d in core.split(",") if d) for core in cores]
            starts = tuple(getattr(robot, "quaternion_starts", {}).values())
            return [Operand(name, shape, starts if core == "q" else ())
                    for name, shape, core in zip(names, shapes, cores, strict=True)]

        inputs, outputs = self.signature.replace(" ", "").split("->")
        operands = read(inputs, self.argument_names)
        for name in variant.given:
            operands.append(Operand(name, tuple(sizes[d] if isinstance(d, str) else d for d in self.optional[name])))
        if variant.external:
            operands.append(Operand("external", (len(variant.external), 6)))
        return operands, read(outputs, [f"{self.name}_{k}" for k in range(outputs.count("("))])

    def compiles(self, robot: Subject, variant: Variant) -> bool:
        """Whether a variant is compiled for a robot, not run on NumPy batches."""
        return not self._has_too_many_results(robot, variant) and (
            self.formulations[variant.formulation].compiles(robot, variant.given)
        )

    def _has_too_many_results(self, robot: Subject, variant: Variant) -> bool:
        if self.most_results is None:
            return False
        _, outputs = self.operands(robot, variant)
        return sum(operand.size for operand in outputs) > self.most_results

    def kernel(self, robot: Subject, variant: Variant) -> Kernel:
        """The compiled kernel of a variant for a robot."""
        inputs, outputs = self.operands(robot, variant)
        key = kernel_key(robot, self, variant, inputs, outputs)
        work = kernels.Work(self.name, self.public_name or self.name, inputs, outputs, self.__doc__ or "")
        return kernels.kernel(key, work, lambda: self.equations(robot, variant))

    def program(self, robot: Subject, variant: Variant) -> Program:
        """The traced program."""
        return trace(self.equations(robot, variant), self.name, *self.operands(robot, variant))

    def equations(self, robot: Subject, variant: Variant) -> Callable[..., Any]:
        """The formulation as a function of the operands, over any scalars."""
        return self.equations_on(self.mechanism(robot, variant), variant)

    def mechanism(self, robot: Subject, variant: Variant) -> Any:
        """What the formulation reads of a robot, checked."""
        mechanism = _mechanism_of(robot, self.formulations[variant.formulation].mechanism)
        if self.check is not None:
            self.check(robot, mechanism)  # what it refuses is never compiled, so never found in the cache
        return mechanism

    def equations_on(self, mechanism: Any, variant: Variant) -> Callable[..., Any]:
        """The formulation as a function of the operands, of a mechanism whose constants may be any scalars."""
        equation = self.formulations[variant.formulation].equation
        results = self.signature.split("->")[1].count("(")
        options: dict[str, Any] = {**self.choices, **dict(variant.choices)}
        if variant.link is not None:
            options["link"] = variant.link
        count, weighs = len(self.argument_names), "gravity" in variant.given

        def run(*arrays: Any) -> Any:
            keywords = options | dict(zip(variant.given, arrays[count:], strict=False))
            if variant.external:
                wrenches = arrays[-1]
                keywords["external"] = {
                    link: Applied(wrenches[k, :3], wrenches[k, 3:], in_world_axes)
                    for k, (link, in_world_axes) in enumerate(variant.external)
                }
            loaded = under_gravity(mechanism, keywords.pop("gravity")) if weighs else mechanism
            found = equation(loaded, *arrays[:count], **keywords)
            if self.loops is None or not isinstance(found, tuple):
                return found
            return found[:results] if results > 1 else found[0]  # without what loops alone give

        return run

    def large(self, robot: Subject, variant: Variant) -> Uncompiled | None:
        """What computes it in pieces for a robot that it is not compiled for as a whole, if there is such a way."""
        if self.in_pieces is None or not self._has_too_many_results(robot, variant):
            return None
        self.mechanism(robot, variant)  # which may be refused
        return self.in_pieces(robot, variant, *self.operands(robot, variant))

    def uncompiled(self, robot: Subject, variant: Variant) -> Uncompiled:
        """The formulation on NumPy batches, for robots of any size."""
        return Uncompiled(self.name, self.equations(robot, variant), *self.operands(robot, variant))

    def count(self, robot: Subject, variant: Variant, *, as_written: bool = False) -> OperationCount:
        """Operations per state that are executed: by the compiled program, or, `as_written` and where it is not
        compiled, by the formulation step by step.
        """
        if as_written or not self.compiles(robot, variant):
            return self._count_as_written(robot, variant)
        return count(self.program(robot, variant))

    def _count_as_written(self, robot: Subject, variant: Variant) -> OperationCount:
        counter = Counter()
        inputs, _ = self.operands(robot, variant)
        arrays = []
        for operand in inputs:
            # Any values do, that no quaternion is zero: all of them count as general.
            values = [counter.scalar(0.3 + 0.1 * k / (operand.size + 1)) for k in range(operand.size)]
            arrays.append(array(values).reshape(operand.shape) if operand.shape else values[0])
        self.equations(robot, variant)(*arrays)
        return counter.count


@kept(maximum=4)
def _mechanism_of(robot: Subject, make: Callable[[Any], Any]) -> Any:
    """What `make` makes of a robot: most quantities read the same few, and uncompiled calls do so again and again."""
    return make(robot)


def quantities_of(robot: Any) -> dict[str, Compiled]:
    """The compiled quantities that a robot has, or all robots of a class, by name."""
    return {name: line for name, line in lines_of(robot).items() if isinstance(line, Compiled)}


def compiled_line(robot: Any, name: object, what: str = "quantity") -> Compiled:
    """The compiled quantity of that name; an error where a robot refuses it, or where it is none."""
    line = line_of(robot, name)
    if isinstance(line, Refused):
        line.refuse(robot)
    if not isinstance(line, Compiled):
        raise ValueError(f"{name!r} is not a compiled {what}; there are {', '.join(quantities_of(robot))}")
    return line


def compiled_quantities(owner: type) -> dict[str, Compiled]:
    """The compiled quantities of a class and of those that it is made from, by name."""
    found: dict[str, Compiled] = {}
    for part in reversed(owner.__mro__):
        found |= {key: value for key, value in vars(part).items() if isinstance(value, Compiled)}
    return found
