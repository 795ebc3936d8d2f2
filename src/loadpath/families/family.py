"""Robots of one topology whose numbers are arrays, with every compiled quantity for all designs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from loadpath.engine.attached import is_of_beams, line_of
from loadpath.engine.family import Member, Varied, become_member, design_of, split
from loadpath.engine.purpose import purpose
from loadpath.engine.quantity import Compiled, compiled_line, quantities_of
from loadpath.families.each_design import method_of_designs
from loadpath.families.method import FamilyMethod
from loadpath.families.of_robots import differing
from loadpath.families.values import refuse_impossible_beams, rows_of
from loadpath.printable import printable
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.parameters import Parameter, parameters_of
from loadpath.scalars.types import ArrayLike, Floats

R = TypeVar("R", bound=RobotQuantities)


class Carrier(Protocol):
    """What carries the robots of a family: see `loadpath.mobile.families`."""

    def has(self, name: str) -> bool:
        """Whether a name means something else of it than of the robots alone."""

    def whole(self, robot: Any, member: Member) -> Any:
        """It with the robots of a design."""

    def robots(self, family: Family[Any]) -> Family[Any]:
        """The robots alone, as they are on it; the family itself where that changes nothing."""

    def wholes(self, family: Family[Any]) -> Family[Any]:
        """The designs of a family of robots as a family whose robot it is itself, with these."""


class Family(Generic[R]):
    """Robots of one topology and the same joints that differ in numbers, as one: it has every compiled quantity that
    its robot has, and nothing is compiled again for other numbers.

    `lp.Family(robots)` is made of robots; `robot.family(parameters)` of one, with parameters by name (see
    `loadpath.robot.parameters` for all of them) or with their values at once, and `at` gives them other values.

    **Axes.** The shape of a result is the shape of the designs, then that of the states, then its own: 50 designs and
    states (200, n) give torques (50, 200, n). No axis of a design ever meets one of a state by chance. Where each state
    has a design of its own, `paired=True` lets both broadcast against each other as NumPy's arrays do.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda().with_payload(0.0)
    >>> family = arm.family({"payload.mass": [0.0, 1.0, 3.0]})
    >>> family.gravity_forces([[0, 0.5, 0, -1.5, 0, 2, 0]]).shape
    (3, 1, 7)
    >>> family.robot_of(2).link("payload").inertia.mass
    3.0
    """

    robot: R
    """The robot whose numbers those that are no parameters are."""
    parameters: tuple[Parameter, ...]
    rows: Floats
    """(..., numbers): all numbers of each design, in the order of the parameters."""
    paired: bool
    """Whether designs and states broadcast against each other."""

    def __init__(self, robots: Iterable[R], parameters: Sequence[str] | str | None = None) -> None:
        """A family of robots, in the order given. Its parameters are the numbers in which they differ, or those named.

        >>> import loadpath as lp
        >>> family = lp.Family([lp.catalog.planar(2, mass=mass) for mass in (1.0, 2.0)])
        >>> family.mass_matrix([0.0, 0.5]).shape
        (2, 2, 2)
        """
        given = list(robots)
        first, parameters_, rows = differing(given, parameters)
        self._set(first, parameters_, rows, paired=False)

    def _set(self, robot: R, parameters: tuple[Parameter, ...], rows: Floats, *, paired: bool) -> None:
        self.robot, self.parameters, self.rows, self.paired = robot, parameters, rows, paired
        self._varied: dict[str, list[Varied]] = {}
        self._carrier: Carrier | None = None  # of robots on a rover
        self._possible: set[bytes] = set()  # how beams lie that a robot may have

    def __reduce__(self) -> tuple[Any, ...]:
        # Methods and kernels that were asked for are made again where it arrives.
        return _again, (type(self), self.robot, self.parameters, self.rows, self.paired, self._carrier)

    def carried_by(self, carrier: Carrier) -> Self:
        """The family of what carries these robots: its designs are rovers."""
        made = self._made(self.robot, self.parameters, self.rows, paired=self.paired, possible=self._possible)
        made._varied, made._carrier = self._varied, carrier
        return made

    @classmethod
    def _made(
        cls, robot: R, parameters: tuple[Parameter, ...], rows: Floats, *, paired: bool,
        possible: set[bytes] | None = None,
    ) -> Self:
        known: set[bytes] = set() if possible is None else possible
        refuse_impossible_beams(robot, parameters, rows, known)
        made = cls.__new__(cls)
        made._set(robot, parameters, rows, paired=paired)
        made._possible = known
        return made

    # Designs

    def at(self, designs: Mapping[str, ArrayLike], *, paired: bool = False) -> Self:
        """The family with other numbers; parameters that are not given keep theirs. Arrays of all parameters broadcast
        against each other.

        >>> import loadpath as lp
        >>> family = lp.catalog.planar(2).family(["link1.length", "link2.mass"])
        >>> family.at({"link1.length": [[0.5], [1.0]], "link2.mass": [1.0, 2.0, 3.0]}).shape
        (2, 3)
        """
        return self.with_rows(rows_of(self.parameters, designs, self.rows), paired=paired)

    def with_rows(self, rows: Floats, *, paired: bool = False) -> Self:
        """The family with other designs, (..., numbers) in the order of the parameters, which are known to be alright.

        >>> import loadpath as lp
        >>> family = lp.catalog.planar(2).family({"link1.length": [0.5, 1.0]})
        >>> family.with_rows(family.rows[1:]).gravity_forces([0.0, 0.0]).shape
        (1, 2)
        """
        made = self._made(self.robot, self.parameters, rows, paired=paired, possible=self._possible)
        made._varied, made._carrier = self._varied, self._carrier
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(parameter.key for parameter in self.parameters)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the designs: the leading axes of results."""
        return tuple(self.rows.shape[:-1])

    @property
    def values(self) -> dict[str, Floats]:
        """The numbers of all designs by parameter: the designs' shape, then the parameter's own."""
        rows = np.moveaxis(self.rows, -1, 0)
        found = split(self.parameters, rows)
        return {parameter.key: np.moveaxis(found[parameter.key], 0, -1) if parameter.shape else found[parameter.key]
                for parameter in self.parameters}

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a family of one design has no length")
        return self.shape[0]

    def robot_of(self, design: int | tuple[int, ...] = ()) -> R:
        """The robot of one design, by its place: all that a robot has, and its quantities are computed by the family's
        kernels.

        >>> import loadpath as lp
        >>> family = lp.catalog.planar(2).family({"link1.length": [0.5, 0.8]})
        >>> family.robot_of(1).joint("joint2").origin.translation
        (0.8, 0.0, 0.0)
        """
        row = self.rows[design]
        if row.ndim != 1:
            raise IndexError(f"{design} is not the place of one design: the designs have the shape {self.shape}")
        made = design_of(self.robot, self.parameters, row)
        member = Member(self.robot, self.parameters, row.copy())
        become_member(made, member)
        whole: R = made if self._carrier is None else self._carrier.whole(made, member)
        return whole

    # Quantities

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "robot" not in self.__dict__:
            raise AttributeError(name)
        if self._carrier is not None and self._carrier.has(name):
            return method_of_designs(self, name)
        line = line_of(self.robot, name)
        if isinstance(line, Compiled) and self._carrier is not None:
            robots = self._carrier.robots(self)
            if robots is not self:
                return getattr(robots, name)
        if isinstance(line, Compiled):
            method = FamilyMethod(self, line, self._layouts_of(name))
            self.__dict__[name] = method
            return method
        if line is None and not hasattr(self.robot, name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if self.robot.is_elastic and is_of_beams(self.robot, name):
            return method_of_designs(self, name)
        raise AttributeError(
            f"a family has no '{name}', since that is not one compiled quantity: family.robot_of(design).{name} is "
            "that of one design"
        )

    def _layouts_of(self, name: str) -> list[Varied]:
        """Where numbers decide how a quantity is laid out there may be several; they grow as designs ask for others."""
        if name not in self._varied:
            first = self.rows.reshape(-1, self.rows.shape[-1])[:1]
            made = Varied.of(self.robot, compiled_line(self.robot, name), self.parameters, *first)
            self._varied[name] = [made]
        return self._varied[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *quantities_of(self.robot)})

    def sensitivity(
        self, quantity: str, *arguments: ArrayLike, **options: object
    ) -> dict[str, Floats | tuple[Floats, ...]]:
        """Derivatives of a quantity by each parameter, exact, by the chain rule over the same program: of each result
        the designs' axes, the states', the result's own, then the parameter's own. Results with several parts (force
        and torque of `joint_wrenches`) are tuples.

        >>> import loadpath as lp
        >>> family = lp.catalog.planar(1).family(["link1.mass", "link1.length"])
        >>> {key: slope.tolist() for key, slope in family.sensitivity("gravity_forces", [0.0]).items()}
        {'link1.mass': [4.905], 'link1.length': [0.0]}
        """
        method = self.__getattr__(compiled_line(self.robot, quantity).name)
        if method.family is not self:
            raise ValueError(f"sensitivity: {quantity} depends on {', '.join(self.names)} through gravity on the "
                             "robots: make a family of the other parameters, or of 'gravity' of rover.on_fixed_base")
        found = [split(self.parameters, np.moveaxis(part, -1, 0)) for part in method.slopes(arguments, options)]
        result: dict[str, Floats | tuple[Floats, ...]] = {}
        for parameter in self.parameters:
            parts = tuple(np.moveaxis(each[parameter.key], 0, -1) if parameter.shape else each[parameter.key]
                          for each in found)
            result[parameter.key] = parts[0] if len(parts) == 1 else parts
        return result

    def __repr__(self) -> str:
        designs = f"designs {self.shape}" if self.shape else "one design"
        keys = ", ".join(self.names[:4]) + (f" and {len(self.names) - 4} more" if len(self.names) > 4 else "")
        return f"<family of robot '{printable(self.robot.name)}', {designs}: {keys}>"


@purpose("Other robots from this one")
def family(
    robot: R, parameters: Sequence[str] | Mapping[str, ArrayLike] | str, *, paired: bool = False
) -> Family[R]:
    """The robots that differ from this one in some numbers, as one: every compiled quantity for all of them.

    `parameters` are names, like `payload.mass`, `link3.length`, `gravity`, or "all"; or a mapping from names to
    arrays of values. The rest is compiled in. Results have the axes of the designs, then those of the states: see
    `lp.Family`.

    >>> import loadpath as lp
    >>> longer = lp.catalog.planar(2).family({"link1.length": [0.5, 1.0, 1.5]})
    >>> longer.gravity_forces([0.0, 0.0]).round(3).tolist()
    [[14.715, 4.905], [19.62, 4.905], [24.525, 4.905]]
    """
    if not isinstance(parameters, Iterable):
        raise ValueError(f"family: 'parameters' is {parameters!r}: expected names like 'payload.mass', a mapping from "
                         "names to values, or \"all\"")
    keys = parameters if isinstance(parameters, str) else list(parameters)
    found = parameters_of(robot, keys)
    given = parameters if isinstance(parameters, Mapping) else {}
    if not found:
        raise ValueError("family: no parameters: expected names like 'payload.mass', or \"all\"")
    return Family._made(robot, found, rows_of(found, given), paired=paired)


def _again(
    cls: type[Family[R]], robot: R, parameters: tuple[Parameter, ...], rows: Floats, paired: bool,
    carrier: Carrier | None,
) -> Family[R]:
    """A family that was pickled or copied."""
    made = cls._made(robot, parameters, rows, paired=paired)
    return made if carrier is None else made.carried_by(carrier)
