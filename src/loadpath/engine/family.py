"""Kernels of families: a quantity whose robot has some numbers as arguments.

The map from parameters to the mechanism's numbers (`robot/varied.py`) and the equations are one program. Its last
operand is the design, all of its numbers in one row. It is pinned: over a batch of states of one design it is read, and
the map is computed, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from loadpath.engine import kernels
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.identity import kernel_key
from loadpath.engine.kernels import Kernel
from loadpath.engine.program import Operand
from loadpath.robot.design import designed, generic
from loadpath.robot.model import RobotModel
from loadpath.robot.parameters import Parameter, parameters_of, parameters_of_link, payloads_of
from loadpath.robot.varied import LAYOUTS, MAKERS
from loadpath.scalars import Array
from loadpath.scalars.decided import Decisions, NumberNeededError
from loadpath.scalars.derivative import along
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.engine.quantity import Compiled, Operands

DESIGN = "design"
R = TypeVar("R", bound=RobotModel)
_TOGETHER = 1 << 15
"""Designs that are looked at together."""
_MEMBER = "_family_member"


class NotAnArgumentError(ValueError):
    """A number that equations read in a way in which it cannot be an argument."""


@dataclass(frozen=True, eq=False)
class Varied:
    """A quantity of a robot some of whose numbers are arguments."""

    robot: RobotModel
    """With numbers that are no zeros for those that are arguments, the same for all robots that differ in these alone,
    but for placements and springs. Where numbers decide how it is laid out: a robot of the design that decides.
    """
    quantity: Compiled
    parameters: tuple[Parameter, ...]

    @staticmethod
    def of(
        robot: RobotModel, quantity: Compiled, parameters: Sequence[Parameter], design: Floats | None = None
    ) -> Varied:
        """The quantity, or an error that says why there is none; where numbers decide how it is laid out, those of a
        design, or of the robot.
        """
        refuse_more_than_rigid(quantity, parameters)
        made = Varied(robot, quantity, tuple(parameters))
        if not made.is_laid_out:
            return Varied(generic(robot, parameters), quantity, tuple(parameters))
        return made if design is None else Varied(design_of(robot, parameters, design), quantity, tuple(parameters))

    @property
    def is_laid_out(self) -> bool:
        """Whether numbers decide how its equations are laid out: which pieces an arm with beams has."""
        return any(on.mechanism in LAYOUTS for on in self.quantity.formulations.values())

    def _decided(self, variant: Variant, rows: Floats) -> Decisions:
        """What the robot's numbers decide, for designs (designs, numbers)."""
        on, decisions = self.quantity.formulations[variant.formulation], Decisions()
        values = split(self.parameters, rows.T)
        try:
            with np.errstate(all="ignore"):  # of designs that would be laid out otherwise
                LAYOUTS[on.mechanism](self.robot, values, decisions, self._choices(variant))
        except NumberNeededError as problem:
            raise self.not_an_argument(problem) from problem
        return decisions

    def not_an_argument(self, problem: NumberNeededError) -> NotAnArgumentError:
        """The error for parameters that equations read as plain numbers alone."""
        keys = ", ".join(parameter.key for parameter in self.parameters)
        public = self.quantity.public_name or self.quantity.name
        return NotAnArgumentError(f"{public}: {keys} cannot all be arguments: {problem}; make a robot of each design")

    def _choices(self, variant: Variant) -> dict[str, Any]:
        return {**self.quantity.choices, **dict(variant.choices)}

    def holds(self, variant: Variant, rows: Floats) -> Bools:
        """Which of the designs (designs, numbers) are laid out as the one that decides."""
        if not self.is_laid_out:
            return np.ones(len(rows), dtype=bool)
        blocks = [rows[k : k + _TOGETHER] for k in range(0, len(rows), _TOGETHER)]
        return np.concatenate([self._decided(variant, block).hold((len(block),)) for block in blocks])

    @property
    def design(self) -> Operand:
        """All numbers of a design."""
        return Operand(DESIGN, (sum(parameter.size for parameter in self.parameters),), pinned=True)

    def operands(self, variant: Variant) -> Operands:
        """Arguments and results, without the design."""
        return self.quantity.operands(self.robot, variant)

    def equations(self, variant: Variant, *, follow: bool = True) -> Callable[..., Any]:
        """The formulation as a function of the operands and the design, over any scalars."""

        def run(*arrays: Any) -> Any:
            return self.with_values(variant, split(self.parameters, arrays[-1]), follow=follow)(*arrays[:-1])

        return run

    def with_values(self, variant: Variant, values: Mapping[str, Any], *, follow: bool = True) -> Callable[..., Any]:
        """The formulation as a function of its operands, for scalars of the parameters. Frames `follow` the design but
        for derivatives by it.
        """
        on = self.quantity.formulations[variant.formulation]
        refuse_more_than_rigid(self.quantity, self.parameters, variant)
        if self.quantity.check is not None:
            self.quantity.check(self.robot, on.mechanism(self.robot))
        if on.mechanism in MAKERS:
            return self.quantity.equations_on(MAKERS[on.mechanism](self.robot, values, follow), variant)
        mechanism = LAYOUTS[on.mechanism](self.robot, values, Decisions(), self._choices(variant))
        return self.quantity.equations_on(mechanism, variant)

    def kernel(self, variant: Variant) -> Kernel:
        """The compiled kernel: the quantity's operands, then the design."""
        inputs, outputs = self.operands(variant)
        return self._kernel(variant, [*inputs, self.design], outputs, "family", lambda: self.equations(variant))

    def slopes(self, variant: Variant) -> Kernel:
        """The kernel of the derivatives of each result by all numbers of the design, as a last axis."""
        inputs, outputs = self.operands(variant)
        size = self.design.size
        wider = [Operand(operand.name, (*operand.shape, size)) for operand in outputs]

        def equations() -> Callable[..., Any]:
            function = self.equations(variant, follow=False)

            def run(*arrays: Any) -> tuple[Array, ...]:
                found = function(*arrays)
                results = found if isinstance(found, tuple) else (found,)
                return tuple(_slopes(result, arrays[-1]) for result in results)

            return run

        return self._kernel(variant, [*inputs, self.design], wider, "slopes by", equations)

    def changes(self, variant: Variant) -> Kernel:
        """The kernel of the changes of each result per unit along a direction: the quantity's operands and the design,
        then the direction of each of them.
        """
        inputs, outputs = self.operands(variant)
        every = [*inputs, self.design]
        directions = [Operand(f"{operand.name}_along", operand.shape, pinned=operand.pinned) for operand in every]

        def equations() -> Callable[..., Any]:
            function = self.equations(variant, follow=False)

            def run(*arrays: Any) -> tuple[Array, ...]:
                at, direction = arrays[: len(every)], arrays[len(every):]
                found = function(*at)
                results = found if isinstance(found, tuple) else (found,)
                inside, step = (np.concatenate([np.ravel(part) for part in parts]) for parts in (at, direction))
                made = []
                for result in results:
                    change: Array = along(np.ravel(result).tolist(), inside.tolist(), step[:, None])
                    made.append(change.reshape(np.shape(result)))
                return tuple(made)

            return run

        return self._kernel(variant, [*every, *directions], outputs, "changes by", equations)

    def _kernel(
        self, variant: Variant, inputs: list[Operand], outputs: list[Operand], kind: str,
        equations: Callable[[], Callable[..., Any]],
    ) -> Kernel:
        quantity = self.quantity
        robot = generic(self.robot, self.parameters) if self.is_laid_out else self.robot
        key = kernel_key(robot, quantity, variant, inputs, outputs)
        if key is not None:
            key = f"{key}\n{kind} {[(parameter.key, parameter.shape) for parameter in self.parameters]}"
            if self.is_laid_out:
                nominal = [x for parameter in parameters_of(self.robot, [p.key for p in self.parameters])
                           for x in parameter.nominal]
                key += f"\n{self._decided(variant, np.array([nominal])).answers}"
        public = quantity.public_name or quantity.name
        try:
            return kernels.kernel(key, kernels.Work(quantity.name, public, inputs, outputs), equations)
        except NumberNeededError as problem:
            raise self.not_an_argument(problem) from problem


def design_of(robot: R, parameters: Sequence[Parameter], row: Floats) -> R:
    """The robot of a design, from all of its numbers."""
    found = split(parameters, row)
    return designed(robot, {key: np.atleast_1d(value).tolist() for key, value in found.items()})


def _slopes(result: Any, design: Array) -> Array:
    """Derivatives of an array of recorded values by all numbers of a design, as a last axis."""
    flat = [result] if not isinstance(result, np.ndarray) else list(result.flat)
    unit = np.eye(len(design)).tolist()
    made: Array = along(flat, list(design), np.array(unit, dtype=object))
    return made


def split(parameters: Sequence[Parameter], design: Any) -> dict[str, Any]:
    """The numbers of a design by their keys: one, or a row of several."""
    values: dict[str, Any] = {}
    for parameter, part in zip(parameters, _rows(parameters, design), strict=True):
        values[parameter.key] = part if parameter.shape else part[0]
    return values


def _rows(parameters: Sequence[Parameter], design: Any) -> Iterator[Any]:
    start = 0
    for parameter in parameters:
        yield design[start : start + parameter.size]
        start += parameter.size


def refuse_more_than_rigid(
    quantity: Compiled, parameters: Sequence[Parameter], variant: Variant | None = None
) -> None:
    """Refuse a quantity whose equations read numbers that are no arguments, like those of beams."""
    chosen = quantity.formulations[DEFAULT if variant is None else variant.formulation]
    if chosen.mechanism not in MAKERS and chosen.mechanism not in LAYOUTS:
        keys = ", ".join(parameter.key for parameter in parameters)
        raise ValueError(f"{quantity.public_name or quantity.name}: its equations read more than a rigid robot has "
                         f"(beams, or wheels), which would not change with {keys}")


class Member(NamedTuple):
    """A robot as one of a family."""

    robot: RobotModel
    parameters: tuple[Parameter, ...]
    design: Floats
    """Its own numbers of the parameters."""


def member(robot: Any) -> Member | None:
    """Which family a robot is one of: that which it was made of (`Family.robot_of`), or all robots that differ from it
    in their payloads alone; none of others.
    """
    made: Member | None = robot.__dict__.get(_MEMBER)
    if made is not None or not isinstance(robot, RobotModel):
        return made
    found = [parameter for link in payloads_of(robot) for parameter in parameters_of_link(robot.link(link))]
    if not found:
        return None
    made = Member(robot, tuple(found), np.array([x for parameter in found for x in parameter.nominal]))
    return become_member(robot, made)


def become_member(robot: Any, made: Member) -> Member:
    """Let a robot know which family it is one of."""
    robot.__dict__[_MEMBER] = made
    return made


def shared_kernel(robot: Any, quantity: Compiled, variant: Variant) -> Shared | None:
    """What computes a quantity of a robot by the kernel of its family; None where it has none, or another layout."""
    of = member(robot)
    if of is None:
        return None
    on = quantity.formulations[variant.formulation]
    if on.mechanism not in MAKERS and on.mechanism not in LAYOUTS:
        return None
    varied = Varied.of(of.robot, quantity, of.parameters, of.design)
    if varied.operands(variant) != quantity.operands(robot, variant):  # as rows of a breakdown by what has mass
        return None
    try:
        return Shared(varied.kernel(variant).ufunc, of.design, of.design.astype(np.float32))
    except NotAnArgumentError:
        return None


class Shared(NamedTuple):
    """A kernel of a family with the numbers of one robot: what computes a quantity of that robot without compiling."""

    ufunc: np.ufunc
    design: np.ndarray[Any, np.dtype[np.float64]]
    single: np.ndarray[Any, np.dtype[np.float32]]

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        single = all(getattr(array, "dtype", None) == np.float32 for array in arrays)
        return self.ufunc(*arrays, self.single if single else self.design, **options)
