"""What is to be exported: a quantity by its name, for a link, a formulation, with external wrenches, all checked."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from loadpath.engine.arguments import Variant, check_taken, formulation_name, link_name
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand, Program
from loadpath.engine.quantity import Compiled, compiled_line
from loadpath.engine.tracing import traced
from loadpath.exports.parameters import Parameter, read_parameters, with_arguments
from loadpath.robot.model import RobotModel

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
    parameters: tuple[Parameter, ...] = ()
    """Constants of the robot that are arguments, after all others."""

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
        inputs, outputs = self.quantity.operands(self.robot, self.variant)
        mechanism = self.quantity.mechanism(self.robot, self.variant)

        def equations(*arrays: Any) -> Any:
            values = dict(zip(self.parameters, arrays[len(inputs) :], strict=True))
            made = with_arguments(mechanism, values, self.name)
            return self.quantity.equations_on(made, self.variant)(*arrays[: len(inputs)])

        added = [parameter.operand for parameter in self.parameters]
        return traced(equations, self.name, [*inputs, *added], outputs)


def request(
    robot: RobotModel,
    name: str,
    *,
    link: str | None = None,
    formulation: str | None = None,
    external: ExternalLinks = (),
    arrays: Sequence[str] = (),
    choices: Mapping[str, Hashable] = NO_CHOICES,
    parameters: Sequence[str] = (),
) -> Request:
    """The request, or an error that says what is wrong with it; nothing that is asked for is left out silently.

    `arrays` are arguments that may be left out and shall not be, `choices` what is chosen before tracing, `parameters`
    constants of the robot that shall be arguments.

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
    robot, read = read_parameters(robot, parameters, name)
    return Request(robot, quantity, variant, read)


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
