"""What is to be exported: a quantity by its name, for a link, a formulation, with external wrenches, all checked; and
the constants of the robot that are to be arguments.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from loadpath.engine.arguments import Variant, check_taken, formulation_name, link_name
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand, Program
from loadpath.engine.quantity import Compiled, compiled_line
from loadpath.engine.trace import trace
from loadpath.robot.edit import with_inertias
from loadpath.robot.inertia import Inertia
from loadpath.robot.mechanism import BASE, BaseInertia, Body, Frame, Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Scalar, array, point_tensor, scale

R = TypeVar("R", bound=RobotModel)
_MASS = ".mass"
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Gravity:
    """Gravity as an argument: a vector in world axes (m/s^2)."""

    key: str = "gravity"

    @property
    def operand(self) -> Operand:
        """The argument."""
        return Operand("gravity", (3,))

    @property
    def description(self) -> str:
        """For the heading of an export."""
        return "gravity in world axes (m/s^2)"

    def put_into(self, mechanism: Mechanism, value: Array) -> Mechanism:
        """The mechanism with the argument in the constant's place."""
        return replace(mechanism, gravity=mechanism.base.rotation @ value)


@dataclass(frozen=True)
class LinkMass:
    """The mass of a link as an argument (kg)."""

    link: str
    inertia: Inertia
    """As it is in the robot that is traced; the mass is not zero."""

    @property
    def key(self) -> str:
        """The name by which it is asked for."""
        return self.link + _MASS

    @property
    def operand(self) -> Operand:
        """The argument."""
        return Operand(re.sub(r"\W", "_", f"{self.link}_mass", flags=re.ASCII), ())

    @property
    def description(self) -> str:
        """For the heading of an export."""
        return (f"mass of the link '{self.link}' (kg) with its mass center where it is and its inertia in proportion; "
                f"{self.inertia.mass:g} in the robot")

    def put_into(self, mechanism: Mechanism, value: Scalar) -> Mechanism:
        """The mechanism with the argument in the constant's place."""
        frame = mechanism.link_frames[self.link]
        share = self._per_kilogram(frame)
        if frame.body == BASE:
            return replace(mechanism, base_inertia=self._changed(mechanism.base_inertia, share, value))
        bodies = list(mechanism.bodies)
        bodies[frame.body] = self._changed(bodies[frame.body], share, value)
        return replace(mechanism, bodies=tuple(bodies))

    def _per_kilogram(self, frame: Frame) -> tuple[Array, Array]:
        """First moment and inertia tensor of one kilogram, about the body's origin in its axes."""
        center = frame.origin + frame.rotation @ array(self.inertia.center_of_mass)
        tensor = frame.rotation.tensor(array((np.array(self.inertia.tensor) / self.inertia.mass).tolist()))
        return center, tensor + point_tensor(1.0, center)

    def _changed(self, body: Any, share: tuple[Array, Array], value: Scalar) -> Any:
        """A body, or the base, with another mass of this link.

        Where the body is this link alone, its inertia is the argument times that of one kilogram. Where others were
        regrouped with it, the difference from its own mass is added.
        """
        own: Body | BaseInertia = body
        given = [array([own.mass]), own.moment, own.inertia]
        parts = [array([1.0]), *share]
        mass = self.inertia.mass
        if all(_equal(whole, scale(mass, part)) for whole, part in zip(given, parts, strict=True)):
            made = [scale(value, _clean(part)) for part in parts]
        else:
            made = [whole + scale(value - mass, _clean(part)) for whole, part in zip(given, parts, strict=True)]
        return replace(body, mass=made[0][0], moment=made[1], inertia=made[2])


Parameter = Gravity | LinkMass


def read_parameters(robot: R, keys: Sequence[str], title: str) -> tuple[R, tuple[Parameter, ...]]:
    """The constants by their keys, and the robot to be traced: a link without mass has one kilogram there.

    >>> import loadpath as lp
    >>> loaded = lp.catalog.panda().with_payload(2.0)
    >>> _, (mass, gravity) = read_parameters(loaded, ["payload.mass", "gravity"], "joint_wrenches")
    >>> mass.operand, gravity.operand
    (Operand(name='payload_mass', shape=()), Operand(name='gravity', shape=(3,)))
    """
    if isinstance(keys, str):
        raise ValueError(f"{title}: 'parameters' is {keys!r}: expected several names")
    if len(set(keys)) < len(keys):
        raise ValueError(f"{title}: 'parameters' names a constant twice: {', '.join(keys)}")
    known = ["gravity", *(link + _MASS for link in robot.link_names)]
    found: list[Parameter] = []
    for key in keys:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean '{close[0]}'? " if close else ""
            raise ValueError(f"{title}: no parameter {key!r}; {hint}there are 'gravity' and the mass of each link, "
                             f"like '{known[-1]}'; with_payload puts a link 'payload' on")
        if key == "gravity":
            found.append(Gravity())
            continue
        link = key.removesuffix(_MASS)
        inertia = robot.link(link).inertia
        if inertia.mass == 0:
            if np.any(inertia.tensor):
                raise ValueError(f"{title}: '{key}' cannot be an argument: link '{link}' has inertia without mass, so "
                                 "none in proportion to it")
            inertia = Inertia(1.0, inertia.center_of_mass)
            robot = with_inertias(robot, {link: inertia})
        found.append(LinkMass(link, inertia))
    names = [parameter.operand.name for parameter in found]
    if len(set(names)) < len(names):
        raise ValueError(f"{title}: parameters {', '.join(keys)} would all be called '{names[0]}'")
    return robot, tuple(found)


def with_arguments(mechanism: Any, values: Mapping[Parameter, Any], title: str) -> Mechanism:
    """A mechanism with arguments in place of constants."""
    if values and type(mechanism) is not Mechanism:
        keys = ", ".join(parameter.key for parameter in values)
        raise ValueError(f"{title}: its equations read more than a rigid robot has (beams, or wheels), which would not "
                         f"change with {keys}: export it without parameters")
    for parameter, value in values.items():
        mechanism = parameter.put_into(mechanism, value)
    made: Mechanism = mechanism
    return made


def _equal(a: Array, b: Array) -> bool:
    numbers = a.astype(float)
    return bool(np.abs(numbers - b.astype(float)).max() <= _ROUNDING * np.abs(numbers).max())


def _clean(values: Array) -> Array:
    """Entries that are only rounding, compared with the largest, made zero."""
    numbers = values.astype(float)
    kept = np.where(np.abs(numbers) <= _ROUNDING * np.abs(numbers).max(initial=0.0), 0.0, numbers)
    return array(kept.tolist())


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
        return trace(equations, self.name, [*inputs, *added], outputs)


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
