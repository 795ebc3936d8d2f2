"""What a robot has, a rover has: each name of `lp.Robot` that wheels give no line of their own.

It is that of the robots on the base, whose motion is part of the load case: `velocity=`, `acceleration=` and `heading=`
in place of `base_velocity=` and `base_acceleration=`; a simulation of a rover brings them. Gravity is that of the
ground at the heading (0, uphill, where none is given). A robot that comes of it, and still has the base as its root, is
a rover again.

What beams bring to a robot (`deflection`, `stress`, `natural_frequencies`, ...) is asked of all that gives way: of the
robots, and of the base's tyres, where its wheels have a `stiffness`. The base sinks in and tilts on them then, results
have one link more, the ground, and "joints" among the `effects` are the tyres as well.

>>> import loadpath as lp
>>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
>>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
>>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
>>> upright = [np.pi / 2]
>>> braking = rover.deflection(upright, acceleration=(-2.0, 0.0), effects={"shear": False})
>>> load, EI = 2.0 * mast.link("link1").inertia.mass, 210e9 * np.pi / 4 * 0.01**4
>>> round(float(braking.tip.displacement[0]) / (load / (8 * EI)), 9)                        # m a L^3 / 8EI
1.0
>>> rover.natural_frequencies([0.0], count=1).frequencies.round(2)
array([14.47])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.attached import Attached, ByAttachment
from loadpath.engine.method import CompiledMethod
from loadpath.errors import ModelError, warn
from loadpath.mobile.base_in_space import moves_or_is_uneven
from loadpath.mobile.families import WITH_CONTACTS
from loadpath.mobile.loads import wheel_loads, with_ground_forces
from loadpath.mobile.motions import (
    MOVES_BY,
    BaseState,
    arm_states,
    as_numbers,
    base_components,
    coordinates,
    in_space,
    is_in_space,
    loads_on_robot,
    refuse_external_of_robot,
    refuse_ground,
    refuse_in_space,
    refuse_links,
    refuse_unknown,
    timed,
    unknown_heading,
)
from loadpath.mobile.state import State, state_at
from loadpath.mobile.tyres import elastic_robot, placed_for, tangent_of, warn_of_lifted
from loadpath.motion.carried import Carried
from loadpath.motion.motion import Motion
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states import Joints, LoadCase, as_motion, external_of, is_motion, read_motion, refuse_keywords
from loadpath.states.calls import MASSLESS
from loadpath.states.carried import placed
from loadpath.states.reading import loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.structure.deflection import Deflection

_BASE_MOTION = {"velocity": "base_velocity", "acceleration": "base_acceleration"}
"""What moves the base of a rover, and of a robot."""
_BASE = frozenset(BaseState.__annotations__) - {"external"}
_NOT_OF_ROBOTS = _BASE | set(_BASE_MOTION.values()) | {"gravity", "under"}
_WEIGHT_FIRST = frozenset({"respond", "fatigue"})
"""Of what bends: where the weight is there before the motion, or counts as such among the causes."""
_VIBRATES = frozenset({"natural_frequencies", "frequency_map", "frequency_response", "bandwidth_check", "respond",
                       "shaped"})
"""Of what bends: what counts masses that move."""
_FROM_ANY_POSTURE = frozenset({"natural_frequencies", "buckling", "buckling_safety", "stress", "section_actions",
                               "section_stresses", "section_buckling", "stiffness", "plot_safety"})
"""Of what bends: what does not depend on where the base stands without loads, but on the stiffness it stands on."""
_WITHOUT_STATES = frozenset({"bandwidth_check", "fatigue", "frequency_map", "frequency_response", "shaped"})
"""Of what bends: what does not ask how the wheels stand; tyres of casters are where they are at rest."""


@dataclass(frozen=True, eq=False)
class SimulationOnBase:
    """A simulation of a rover as one of the robot on its base, which moves as it did."""

    t: Floats | None
    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats | None
    external: Mapping[str, Any] | None
    loads: tuple[Carried, ...]
    base_motion: Mapping[str, Floats]
    gravity: Floats | None = None
    """(samples, 3): as it acts on the base, in its axes, where the ground moves."""


def carried(rover: Any, attribute: ByAttachment) -> Any:
    """What a name of robots is of a rover, where wheels bring no line of their own: that of the robots on its base."""
    bends, line = attribute.plain is None and attribute.beams is not None, attribute.of(rover)
    if line is None and bends and not rover.is_elastic:  # the call says how it would bend
        line = attribute.line(Attached(beams=True))
    if line is None:
        raise AttributeError(attribute.name)
    robot = rover.robot if bends else rover.on_fixed_base
    value = line.__get__(robot, type(robot)) if bends else attribute.__get__(robot, type(robot))
    if bends or inspect.isroutine(value) or isinstance(value, (CompiledMethod, functools.partial)):
        value = (BendingOnBase if bends else MethodOnBase)(rover, attribute, value)
    elif isinstance(value, RobotModel):
        value = rover._with_robot(value)
    elif isinstance(value, np.ndarray):  # a copy, as of `home`
        return value
    if inspect.getattr_static(type(rover), attribute.name, None) is not attribute:
        return value  # a subclass has its own in front
    return rover.__dict__.setdefault(attribute.name, value)  # where it is found from now on


class MethodOnBase:
    """A method of the robots on a rover, asked while the base moves as `velocity=`, `acceleration=`, `heading=` say."""

    def __init__(self, rover: Rover, attribute: ByAttachment, method: Any) -> None:
        self._rover, self._attribute, self._method = rover, attribute, method
        self._compiled = isinstance(method, CompiledMethod)
        self.__name__ = self.__qualname__ = attribute.name
        self.__doc__ = method.__doc__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if (not options and self._compiled and all(type(argument) is np.ndarray for argument in arguments)
                and self._rover.ground.plane is self._rover.ground and not self._rover.base.on_links):
            return self._method(*arguments)  # the base stands: nothing to translate
        return self._asked(lambda method: method, arguments, options)

    @property
    def uncompiled(self) -> Callable[..., Any]:
        """The same call on NumPy batches, nothing compiled: see `CompiledMethod.uncompiled`."""
        if not self._compiled:
            raise AttributeError("uncompiled")
        return lambda *arguments, **options: self._asked(lambda method: method.uncompiled, arguments, options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._rover, self.__name__)

    def __repr__(self) -> str:
        return repr(self._method)

    @cached_property
    def __signature__(self) -> inspect.Signature:
        whole = inspect.signature(self._method)
        parts = [part for part in whole.parameters.values() if part.name not in (*_BASE_MOTION.values(), "gravity")]
        moves = [name for name, of_robot in _BASE_MOTION.items() if of_robot in whole.parameters]
        if moves:
            rest = [part for part in parts if part.kind is inspect.Parameter.VAR_KEYWORD]
            by_name = inspect.Parameter.KEYWORD_ONLY
            more = [inspect.Parameter(name, by_name, default=None) for name in (*moves, "heading")]
            parts = [*(part for part in parts if part not in rest), *more, *rest]
        return whole.replace(parameters=parts)

    @cached_property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self._method).parameters

    @cached_property
    def _first(self) -> str:
        return next(iter(self._parameters), "")

    @cached_property
    def _needs_states(self) -> bool:
        return self._first == "q" and self._parameters["q"].default is inspect.Parameter.empty

    @cached_property
    def _takes(self) -> frozenset[str]:
        """Which motions of the base it takes, by their names for robots."""
        return frozenset(_BASE_MOTION.values()) & set(self._parameters)

    @cached_property
    def _takes_more(self) -> bool:
        return any(part.kind is inspect.Parameter.VAR_KEYWORD for part in self._parameters.values())

    @property
    def _takes_ground(self) -> bool:
        """Whether it takes all that ground does which moves, as arguments."""
        every = len(self._takes) == len(_BASE_MOTION) and "gravity" in self._parameters
        return every and not self._weight_apart

    @property
    def _weight_apart(self) -> bool:
        """Whether one heading is that of the robot, and not an argument, by which headings share code."""
        return not self._compiled

    def _asked(self, ask: Callable[[Any], Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        rover, name = self._rover, self.__name__
        base, options = self._base_of(options)
        first = arguments[0] if arguments else options.get(self._first)
        if first is None and self._needs_states:  # but for a base without robots
            options["q"] = first = coordinates(rover, None)
        given = dict(base)
        if "heading" in base and self._first == "q" and isinstance(first, (np.ndarray, list, tuple)):
            lost = unknown_heading(base["heading"])
            if np.isnan(lost).any():  # and with it the state
                first = as_numbers(first, "q") + lost
                arguments, options = (first, *arguments[1:]), {k: v for k, v in options.items() if k != "q"}
        if is_in_space(first):
            return self._in_space(ask, arguments, options, base)
        if is_motion(first):
            of_rover: Mapping[str, Any] = getattr(first, "base_state", {})
            base = {**{key: value for key, value in of_rover.items() if key in _BASE}, **base}
            refuse_external_of_robot(first, options)
            base = timed(rover, first, base)
        base |= {key: base_components(base[key], key) for key in _BASE_MOTION if key in base}
        robot, case = self._loaded(base, given, arguments, options)
        if rover.base.on_links and name in WITH_CONTACTS:
            options["external"] = self._with_contacts(base, arguments, options)
        if is_motion(first):
            states = self._states_of(first, base)
            if arguments:
                arguments = states, *arguments[1:]
            else:
                options[self._first] = states
        if name.startswith("to_"):
            warn(f"rover '{rover.name}', {name}: its base is written as a link that is fixed in the world; wheels and "
                 "ground are not written")
        result = ask(self._attribute.__get__(robot, type(robot)))(*arguments, **options, **case)
        if not isinstance(result, RobotModel):
            return result
        if "heading" in base:
            raise TypeError(f"{name} takes no 'heading': it is given where loads are asked for")
        return rover._with_robot(result)

    def _in_space(
        self, ask: Callable[[Any], Any], arguments: tuple[Any, ...], options: dict[str, Any], base: Mapping[str, Any]
    ) -> Any:
        """The same of a simulation in which the base was a free body: the robots on it take its motion, and gravity as
        it acts on the base, from there.
        """
        name = self.__name__
        if self._rover.base.on_links and name not in MASSLESS and (self._takes or "gravity" in self._parameters):
            if name not in WITH_CONTACTS:
                refuse_links(self._rover, f"{name} of a simulation in space")
            options = {**options, "external": self._with_contacts({}, arguments, options)}
        if base:
            raise ValueError(f"{name}: '{next(iter(base))}' is given, and the simulation has the motion of its base, "
                             "which is a free body in it: leave it out")
        if name.startswith("to_"):
            refuse_in_space(arguments[0] if arguments else options[self._first], name)
        robot = self._rover.robot
        return ask(self._attribute.__get__(robot, type(robot)))(*arguments, **options)

    def _with_contacts(
        self, base: Mapping[str, Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Wrenches on links as they are given, with those of the ground on the wheels of links."""
        called = dict(zip(self._parameters, arguments, strict=False)) | dict(options)
        q, qd, qdd = (called.get(part) for part in (self._first, "qd", "qdd"))
        if hasattr(q, "motions"):
            raise ValueError(f"{self.__name__}: wheels of rover '{self._rover.name}' are on links, and what the ground "
                             "gives them is known of one motion at a time: ask for the motions of a spectrum singly")
        given: dict[str, Any] = dict((external_of(q) if called.get("external") is None else called["external"]) or {})
        moving: Any = {key: value for key, value in base.items() if key != "external"}
        if not is_in_space(q):
            moving["external"] = given or None
        state = state_at(self._rover, q, qd, qdd, moving, self.__name__, knows_space=True)
        return with_ground_forces(wheel_loads(self._rover, state), given)

    def _base_of(self, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The motion of the base among the keywords of a call, and all others."""
        name = self.__name__
        if options.get("under") is not None:
            options = {**LoadCase.of({"under": options["under"]}, name).given, **options, "under": None}
        options = {key: value for key, value in options.items() if value is not None or key not in _NOT_OF_ROBOTS}
        if wrong := {key: options[key] for key in _BASE_MOTION.values() if key in options}:
            refuse_keywords(name, wrong, MOVES_BY)
        if "gravity" in options and "gravity" in self._parameters:
            refuse_keywords(name, {"gravity": options["gravity"]}, MOVES_BY)
        base = {key: options.pop(key) for key in _BASE if key in options}
        if wrong := {key: base[key] for key, taken in _BASE_MOTION.items() if key in base and taken not in self._takes}:
            raise TypeError(f"{name} takes no '{next(iter(wrong))}': it does not depend on the motion of the base; "
                            "inverse_dynamics, joint_wrenches, load_breakdown and their kin do")
        if self._takes and not self._compiled and not self._takes_more:
            refuse_unknown({key: options[key] for key in options if key not in self._parameters}, name)
        return base, options

    def _loaded(
        self, base: Mapping[str, Any], given: Mapping[str, Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """The robot under gravity as it acts on the base, and the motion of the base as it takes it: `base`, of which
        a part is `given` in the call.
        """
        rover, name = self._rover, self.__name__
        first = arguments[0] if arguments else options.get(self._first)
        weighs = "gravity" in self._parameters
        if (self._takes or weighs) and name not in MASSLESS:
            refuse_ground(rover.ground, name, "surface")
            if name not in WITH_CONTACTS:
                refuse_links(rover, name)
        if base.get("heights") is not None:
            raise ValueError(f"{name} takes no heights: wheel_loads, stability, slip and ground_wrench do")
        if moves_or_is_uneven(rover.ground, base) and name not in MASSLESS and (self._takes or weighs):
            if not self._takes_ground:
                if self._takes and is_motion(first):
                    return rover.on_fixed_base, {}  # the motion brings it, see `_states_of`
                more = "an lp.Motion or a simulation brings it; " if self._takes else ""
                raise ValueError(f"{name} does not know ground with a motion of its own here: {more}"
                                 "rover.on(rover.ground.plane) stands on its plane, at rest")
            case = loads_on_robot(rover, base)
            return rover.on_fixed_base, {key: case[key] for key in (*self._takes, "gravity")}
        robot, slope = rover.on_fixed_base, rover.ground.slope
        own = {key: base[key] for key, taken in _BASE_MOTION.items()
               if taken in self._takes and key in base and (base[key].ndim > 1 or base[key].any())}
        case = loads_on_robot(rover, own, gravity=robot.gravity) if own else {}
        if "heading" in base and name not in MASSLESS and (weighs or not self._compiled):
            facing = as_numbers(base["heading"], "heading")
            turns = bool(facing.size) and np.ptp(facing) > 0
            if weighs and (turns or np.isnan(facing).any() or ((slope or facing.ndim) and not self._weight_apart)):
                case["gravity"] = rover.ground.gravity_in_base(facing)
            elif slope and turns:
                raise ValueError(f"{name} is of one heading, and gravity turns with it on the slope of {slope:.4g} "
                                 "rad: ask for states of one heading at a time, or for what takes one for each, as "
                                 "inverse_dynamics and joint_wrenches do")
            else:
                robot = rover.facing(facing)
        return robot, {key: value for key, value in case.items() if key in (*self._takes, "gravity")}

    def _states_of(self, motion: Any, base: Mapping[str, Any]) -> Any:
        """The motion as one of the robot on the base."""
        robot = self._rover.robot
        if self._takes and not self._takes_ground and moves_or_is_uneven(self._rover.ground, base):
            return self._on_moving_ground(motion, base)
        if isinstance(motion, Motion):
            own = as_motion(self._rover, motion, self.__name__, counts_loads=True)
            if own.robot is None or own.robot.dof_names == robot.dof_names:
                return own
            # By the names that its joints and links have on the base.
            moved = Motion.from_checked(own.t, own.q, own.qd, own.qdd, robot)
            return moved._with(loads=placed(own.loads, robot, own), source=own.source)
        states = read_motion(Joints.of(self._rover), motion, self.__name__, counts_loads=True)
        moves = {key: base[key] for key in _BASE_MOTION if key in base and base[key].any()}
        unknown = not self._takes and bool(moves)  # refused where it counts
        return SimulationOnBase(states.times, states.q, states.qd, states.qdd, states.tau, external_of(motion),
                                placed(loads_of(motion), robot, motion), moves if unknown else {})


    def _on_moving_ground(self, motion: Any, base: Mapping[str, Any]) -> SimulationOnBase:
        """The motion as one of the robot on a base that moves with the ground, under gravity as it acts there."""
        states = read_motion(Joints.of(self._rover), motion, self.__name__, counts_loads=True)
        moves = in_space(self._rover.ground, base)
        count = len(states.q)
        every = moves.velocity, moves.acceleration, moves.gravity
        velocity, acceleration, gravity = (np.broadcast_to(part, (count, part.shape[-1])) for part in every)
        return SimulationOnBase(
            states.times, states.q, states.qd, states.qdd, states.tau, external_of(motion),
            placed(loads_of(motion), self._rover.robot, motion),
            {"base_velocity": velocity, "base_acceleration": acceleration}, gravity)


class BendingOnBase(MethodOnBase):
    """A method of robots with beams, asked of what gives way of a rover: its robots, on the tyres of its base."""

    def _in_space(
        self, ask: Callable[[Any], Any], arguments: tuple[Any, ...], options: dict[str, Any], base: Mapping[str, Any]
    ) -> Any:
        if self._rover.base.on_tyres:
            raise ValueError(f"{self.__name__}: in the simulation the base moves in space, on its springs, which have "
                             f"their motion already: rover.robot.{self.__name__}(simulation) has what bends of the "
                             "robots on it")
        return super()._in_space(ask, arguments, options, base)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        result = self._asked(lambda method: method, arguments, options)
        if self.__name__ != "deflection" or self._rover.base.on_plain_springs:
            return result
        given, others = self._base_of(options)
        if options.get("axes") == "link":
            raise ModelError(f"deflection: base '{self._rover.name}' stands on springs with preload, stops or bars: "
                             "ask for its deflection in world axes")
        called = dict(zip(self._parameters, arguments, strict=False)) | dict(others)
        _, start = tangent_of(self._rover, self._state(given, arguments, others), self.__name__)
        q = arm_states(self._rover, called.get(self._first), called.get("qd"), called.get("qdd"))[0]
        return _from_posture(result, np.asarray(self._rover.robot.link_poses(q))[..., :3, 3], start)

    @property
    def _weight_apart(self) -> bool:
        return self.__name__ in _WEIGHT_FIRST

    def _loaded(
        self, base: Mapping[str, Any], given: Mapping[str, Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        rover, name = self._rover, self.__name__
        unloaded = not options.get("loaded", True) and bool(self._takes) and name not in _WEIGHT_FIRST
        if unloaded and given:
            raise ValueError(f"{name}: '{next(iter(given))}' is a load, and loaded=False leaves all loads out: give "
                             "one or the other")
        elastic_robot(rover, name)  # that there is one
        robot, case = super()._loaded(base, given, arguments, options)
        placed = tangent = None
        if rover.base.on_tyres and name not in _WITHOUT_STATES:
            state = self._state(None if unloaded else given, arguments, options)
            placed = placed_for(rover, state, name)
            if rover.base.on_plain_springs:
                warn_of_lifted(rover, state, name)
            else:
                tangent, start = tangent_of(rover, state, name)
                self._refuse_start(start, options)
        if name in _VIBRATES and rover.base.unsprung_mass:
            warn(f"{name}: the unsprung masses of '{rover.name}' move with the base here; rover.ride_modes has them on "
                 "their tyres")
        return elastic_robot(rover, name, placed, robot, tangent), {} if unloaded else case

    def _state(self, given: Mapping[str, Any] | None, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> State:
        """The loads on the base in a call; without a motion of it, at rest."""
        called = dict(zip(self._parameters, arguments, strict=False)) | dict(options)
        moving: Any = {} if given is None or not self._takes else {**given, "external": called.get("external")}
        return state_at(self._rover, called.get(self._first), called.get("qd"), called.get("qdd"), moving,
                        self.__name__)

    def _refuse_start(self, start: Floats, options: Mapping[str, Any]) -> None:
        """Deflections count from where springs have no load, which a posture with preload or stops does not."""
        name = self.__name__
        if name in _FROM_ANY_POSTURE or (name == "deflection" and not options.get("iterate")):
            return
        if np.nanmax(np.abs(start), initial=0.0) > 1e-9 * self._rover.arrangement.size:
            said = "deflection(iterate=True)" if name == "deflection" else name
            raise ModelError(f"{said}: base '{self._rover.name}' stands on springs with preload or on their stops, and "
                             "this counts deflections in proportion to loads: ask for rover.deflection, "
                             "rover.posture, or for what does not depend on where the base stands")


def _from_posture(result: Deflection, at: Floats, start: Floats) -> Deflection:
    """A deflection with that of the base before it has loads, (..., 3): z, and rotations about x and y. Links but for
    the ground, the first, are `at` (..., links, 3).
    """
    z, a, b = start[..., 0, None], start[..., 1, None], start[..., 2, None]
    x, y, h = at[..., 0], at[..., 1], at[..., 2]
    moved = np.stack(np.broadcast_arrays(b * h, -a * h, z + a * y - b * x), axis=-1)
    turned = np.stack(np.broadcast_arrays(a, b, 0.0 * a + 0.0 * x), axis=-1)
    ground = [(0, 0)] * (moved.ndim - 2) + [(1, 0), (0, 0)]
    return replace(result, displacement=result.displacement + np.pad(moved, ground),
                   rotation=result.rotation + np.pad(turned, ground))


