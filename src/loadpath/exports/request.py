"""What is to be exported: a quantity by its name, for a link, a formulation, with external wrenches, all checked; and
the numbers of the robot that are to be arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from loadpath.engine.arguments import Variant, check_taken, formulation_name, link_name
from loadpath.engine.family import Varied
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand, Program
from loadpath.engine.quantity import Compiled, compiled_line
from loadpath.engine.trace import trace
from loadpath.robot.model import RobotModel
from loadpath.robot.parameters import Parameter, parameters_of
from loadpath.scalars.decided import NumberNeededError


@dataclass(frozen=True)
class Argument:
    """A number of the robot that is an argument, or several that belong together."""

    parameter: Parameter

    @property
    def operand(self) -> Operand:
        """The argument."""
        name = re.sub(r"\W", "_", self.parameter.key, flags=re.ASCII)
        return Operand(name, self.parameter.shape)

    @property
    def description(self) -> str:
        """For the heading of an export."""
        unit = f" ({self.parameter.unit})" if self.parameter.unit else ""
        own = ", ".join(f"{x:g}" for x in self.parameter.nominal)
        mass = "; its mass center stays, its inertia goes with it" if self.parameter.key.endswith(".mass") else ""
        return f"{self.parameter.words}{unit}; {own} in the robot{mass}"


def read_parameters(robot: RobotModel, keys: Sequence[str] | str, title: str) -> tuple[Argument, ...]:
    """The numbers of a robot that shall be arguments, by their keys.

    >>> import loadpath as lp
    >>> loaded = lp.catalog.panda().with_payload(2.0)
    >>> mass, gravity = read_parameters(loaded, ["payload.mass", "gravity"], "joint_wrenches")
    >>> mass.operand, gravity.operand
    (Operand(name='payload_mass', shape=()), Operand(name='gravity', shape=(3,)))
    """
    found = tuple(Argument(parameter) for parameter in parameters_of(robot, keys, title))
    names = [argument.operand.name for argument in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        of = [a.parameter.key for a in found if a.operand.name == twice]
        raise ValueError(f"{title}: parameters {', '.join(of)} would all be called '{twice}'")
    return found


# What is to be exported: a quantity by its name, for a link, a formulation, with external wrenches, all checked.


ExternalLinks: TypeAlias = Sequence[str] | Mapping[str, Literal["world", "link"]]
"""Links with an external wrench on them, and the axes that it is in (by default the world's)."""

NO_CHOICES: Mapping[str, Hashable] = MappingProxyType({})

# What results are called, as the arguments of other quantities are; a quantity that is not listed gives its own name.
RESULT_NAMES: dict[str, tuple[str, ...]] = {
    "inverse_dynamics": ("tau",),
    "gravity_forces": ("tau",),
    "bias_forces": ("tau",),
    "forward_dynamics": ("qdd",),
    "mixed_dynamics": ("qdd", "tau"),
    "state_derivative": ("xdot",),
    "coordinate_rate": ("q_rate",),
    "integrate": ("q_next",),
    "step": ("q_next", "qd_next"),
    "joint_wrenches": ("force", "torque"),
    "static_wrenches": ("force", "torque"),
    "base_wrench": ("force", "torque"),
    "link_velocities": ("linear", "angular"),
    "link_accelerations": ("linear", "angular"),
    "free_base_motion": ("velocity", "acceleration"),
    "load_terms": ("values", "friction", "rotor"),
    "momentum": ("linear", "angular"),
    "inverse_dynamics_derivatives": ("dtau_dq", "dtau_dqd", "dtau_dqdd"),
    "forward_dynamics_derivatives": ("dqdd_dq", "dqdd_dqd", "dqdd_dtau"),
}

STATUS = "status"
"""The last result of quantities of robots with loops: whether the state is one of theirs, and how well the independent
speeds determine the others. Compiled methods read it and refuse the state; of an exported function it is a result. Its
entries are those of `loadpath.algorithms.loops.status.Status`.
"""


@dataclass(frozen=True, eq=False)
class Request:
    """A quantity of a robot with everything chosen that can be chosen about it."""

    robot: RobotModel
    quantity: Compiled
    variant: Variant
    parameters: tuple[Argument, ...] = ()
    """Numbers of the robot that are arguments, after all others."""

    @property
    def name(self) -> str:
        """Name of the quantity."""
        return self.quantity.name

    @property
    def has_status(self) -> bool:
        """Whether the last result says if the state is one of the closed robot: the caller must look at it."""
        return self.quantity.verdict is not None

    def program(self) -> Program:
        """The traced program, its results under the names that an export gives them."""
        program = self._traced()
        names = RESULT_NAMES.get(self.name, (self.name,))
        if self.has_status:
            names = (*names, STATUS)
        if len(names) != len(program.outputs):
            return program
        return replace(program, outputs=tuple(Operand(n, o.shape) for n, o in zip(names, program.outputs, strict=True)))

    def _traced(self) -> Program:
        if not self.parameters:
            return self.quantity.program(self.robot, self.variant)
        varied = Varied.of(self.robot, self.quantity, [argument.parameter for argument in self.parameters])
        inputs, outputs = varied.operands(self.variant)

        def equations(*arrays: Any) -> Any:
            given = zip(self.parameters, arrays[len(inputs) :], strict=True)
            values = {argument.parameter.key: array for argument, array in given}
            return varied.with_values(self.variant, values)(*arrays[: len(inputs)])

        added = [argument.operand for argument in self.parameters]
        try:
            return trace(equations, self.name, [*inputs, *added], outputs)
        except NumberNeededError as problem:
            raise varied.not_an_argument(problem) from problem


def request(
    robot: RobotModel,
    name: str,
    *,
    link: str | None = None,
    formulation: str | None = None,
    external: ExternalLinks = (),
    arrays: Sequence[str] = (),
    choices: Mapping[str, Hashable] = NO_CHOICES,
    parameters: Sequence[str] | str = (),
) -> Request:
    """The request, or an error that says what is wrong with it; nothing that is asked for is left out silently.

    `arrays` are arguments that may be left out and shall not be, `choices` what is chosen before tracing, `parameters`
    numbers of the robot that shall be arguments.

    >>> import loadpath as lp
    >>> request(lp.catalog.two_link(), "jacobian").variant.link       # the only end that the robot has
    'tip'
    """
    quantity = compiled_line(robot, name)
    method: CompiledMethod = getattr(robot, name)
    if link is not None and not quantity.takes_link:
        raise ValueError(f"{name} is of the whole robot: it takes no link")
    chosen = link_name(method, link) if quantity.takes_link else None
    by = formulation_name(method, formulation)
    given = _known(name, "arrays", arrays, quantity.optional)
    decided = {key: choices[key] for key in _known(name, "choices", choices, quantity.choices)}
    check_taken(method, by, (*given, *decided))
    differing = quantity.chosen(decided)
    variant = Variant(by, chosen, _external(method, external), given, differing)
    return Request(robot, quantity, variant, read_parameters(robot, parameters, name) if parameters else ())


def _known(name: str, what: str, asked: Collection[str], known: Mapping[str, object]) -> tuple[str, ...]:
    """Those asked for, in the quantity's own order."""
    if isinstance(asked, str):
        raise ValueError(f"{name}: '{what}' is {asked!r}: expected several names")
    unknown = [key for key in asked if key not in known]
    if unknown:
        options = f"it takes {', '.join(known)}" if known else "it takes none"
        raise ValueError(f"{name}: '{unknown[0]}' is not known among its {what}; {options}")
    return tuple(key for key in known if key in asked)


def _external(method: CompiledMethod, external: ExternalLinks) -> tuple[tuple[str, bool], ...]:
    """The links in the order given, and whether each wrench is in world axes."""
    name, robot = method.quantity.name, method.robot
    if isinstance(external, str) or not isinstance(external, (Mapping, Sequence)):
        raise ValueError(f"{name}: 'external' is {external!r}: expected link names, or a mapping from them to axes")
    if external and not method.quantity.takes_external:
        raise ValueError(f"{name} takes no external wrenches")
    axes = dict(external) if isinstance(external, Mapping) else dict.fromkeys(external, "world")
    if len(axes) != len(external):
        raise ValueError(f"{name}: 'external' names a link twice: {', '.join(external)}")
    for link, of in axes.items():
        if of not in ("world", "link"):
            raise ValueError(f"{name}: the axes of the external wrench on '{link}' are {of!r}: expected 'world' or "
                             "'link'; its force and torque are arguments of the exported function")
    return tuple((robot.link(link).name, of == "world") for link, of in axes.items())
