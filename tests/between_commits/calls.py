"""What is asked of a robot: everything that `dir` names and that has numbers.

A quantity gets its arguments by their names (`states.py`), then once more with external wrenches on a moving base where
it takes them, and by every formulation. What needs other arguments has a line in `ARGUMENTS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import loadpath as lp

from .states import arm_of, is_rover, motion_of

NOT_ASKED = {
    "plot", "plot_deflection", "plot_safety", "plot_support", "view", "report",  # pictures and pages of other results
    "casadi_function", "jax", "javascript_source", "wasm",  # the program of `c_source` in other languages
    "digest", "defined_by", "known_faults",  # which sources and files it is from
    "link", "joint", "mimic_of", "friction_of", "on", "carrying",
}
LONG = {
    "forward_dynamics_derivatives", "inverse_dynamics_derivatives", "forward_dynamics_parameter_derivatives", "fatigue",
    "frequency_map", "respond", "shaped", "bandwidth_check", "largest", "books", "to_mjcf", "to_sdf", "c_source",
    "natural_frequencies", "frequency_response", "buckling", "verdict", "simulate", "roll", "base_parameters",
    "compensated", "inverse_kinematics", "peak_loads", "load_cases", "load_spectra", "with_estimated_inertia",
}
"""What is asked of large robots by `--all` only."""
LARGE, SMALL = 6, 4
"""DoFs above which a robot is large, and up to which letters of the sources and all operation counts are asked."""
FORMULATIONS = {"luh": 100, "lagrange-euler": 5, "lagrangian": 5, "natural-orthogonal-complement": 7,
                "constraint-system": 7, "generalized": 5, "generalized-recursive": 5, "generalized-matrices": 5,
                "composite-body": 100, "articulated-body": 100}
"""Beside Newton and Euler's, each with the DoFs up to which it is asked; one that a quantity has not is refused."""
COMPILED = ("inverse_dynamics", "mass_matrix", "joint_wrenches")
"""Quantities that are compiled as well, of robots that are not large."""
COUNTED = (*COMPILED, "forward_dynamics", "small_deflection", "dead_loads", "section_stresses")
"""Quantities whose operations are counted for robots that are not small."""
Call = tuple[str, Callable[[], Any]]
Values = Mapping[str, Any]
"""Values by the names of the arguments that take them."""


def calls(robot: Any, values: Values, *, everything: bool = False) -> Iterator[Call]:
    """Labels and calls, in the order of the names."""
    n = 0 if everything else arm_of(robot).n  # by which what takes long is left out
    for name in dir(robot):
        if name.startswith("_") or name in NOT_ASKED or _takes_long(name, robot, n):
            continue
        try:
            quantity = getattr(robot, name)
        except Exception as problem:
            yield name, _raising(problem)
            continue
        labels = [label for label in ARGUMENTS if label.split()[0] == name]
        if labels:
            yield from ((label, _by_table(quantity, label, robot, values)) for label in labels)
        elif name == "operation_count":
            yield from _counts(robot, values, all_quantities=n <= SMALL)
        elif name == "equations":
            yield from [(name, lambda: _evaluated(robot.equations(), values))] if arm_of(robot).n <= 2 else []
        elif is_compiled(quantity):
            yield from _of_compiled(quantity, name, robot, values, n, everything=everything)
        elif callable(quantity):
            yield from _of_method(quantity, name, robot, values)
        else:
            yield name, lambda quantity=quantity: quantity  # type: ignore[misc]
    if n <= SMALL and not is_rover(robot):
        yield from _of_books(robot, values)


def _takes_long(name: str, robot: Any, n: int) -> bool:
    if name == "largest" and n and (is_rover(robot) or isinstance(robot, lp.FlexibleRobot)):
        return True  # each of its many verdicts takes a while
    return name in LONG and n > LARGE


def is_compiled(quantity: Any) -> bool:
    return hasattr(quantity, "uncompiled") and callable(quantity)


def is_differentiated(name: str) -> bool:
    """Whether a quantity is made from recorded equations, so that it is always compiled."""
    return "derivatives" in name or name.endswith("_dot")


def _raising(problem: Exception) -> Callable[[], Any]:
    def call() -> Any:
        raise problem

    return call


# Arguments by their names


def _of_compiled(
    quantity: Any, name: str, robot: Any, values: Values, n: int, *, everything: bool
) -> Iterator[Call]:
    """On NumPy batches, with loads on a moving base, and by every formulation; some compiled."""
    parameters = inspect.signature(quantity).parameters
    arrays = _arrays(parameters, values)
    if arrays is None:
        return
    differentiated = is_differentiated(name)
    needed = {"link": values["link"]} if "link" in parameters else {}
    if "joint" in parameters:
        if not robot.joint_names:
            return
        needed["joint"] = robot.joint_names[0]
    if name == "mixed_dynamics":
        needed["prescribed"] = robot.dof_names[-1:]

    def asked(**options: Any) -> Callable[[], Any]:
        return lambda: (quantity if differentiated else quantity.uncompiled)(*arrays, **needed, **options)

    yield name, asked()
    if everything:
        yield f"{name} compiled", lambda: quantity(*arrays, **needed)
    elif name in COMPILED and n <= LARGE:
        yield f"{name} compiled", lambda: quantity.ufunc(*arrays)
    if (loads := _loads(quantity, values)) and (everything or not differentiated):
        yield f"{name} with loads", asked(**loads)
    if "formulation" in parameters:
        for formulation, most in FORMULATIONS.items():
            if n <= most:
                yield f"{name} by {formulation}", asked(formulation=formulation)


def _of_method(method: Any, name: str, robot: Any, values: Values) -> Iterator[Call]:
    """With states or a motion by position, then with loads on a moving base, then on a rover that moves."""
    parameters = inspect.signature(method).parameters
    along = next(iter(parameters), None) == "motion"
    arrays = [motion_of(robot, values)] if along else _arrays(parameters, values)
    if arrays is None:
        return
    needed = {"compiled": False} if "compiled" in parameters else {}
    yield name, lambda: method(*arrays, **needed)
    if loads := _loads(method, values):
        yield f"{name} with loads", lambda: method(*arrays, **needed, **loads)
    if not along and (moving := _of_base(parameters, values)):
        yield f"{name} of a moving rover", lambda: method(*arrays, **needed, **moving)


def _arrays(parameters: Mapping[str, inspect.Parameter], values: Values) -> list[Any] | None:
    """Arguments by position; none where one is needed that nobody knows."""
    arrays = []
    for name, parameter in parameters.items():
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or name == "link":
            break
        if name not in values:
            return None if parameter.default is parameter.empty else arrays
        arrays.append(values[name])
    return arrays


def _loads(method: Any, values: Values) -> dict[str, Any]:
    """External wrenches and a motion of the base, as far as they are taken."""
    parameters = inspect.signature(method).parameters
    return {key: value for key, value in values["loads"].items() if key in parameters}


def _of_base(parameters: Mapping[str, inspect.Parameter], values: Values) -> dict[str, Any]:
    """How a rover moves, where a method takes it as an option, by name or as `**state: Unpack[BaseState]`."""
    names = {name for name, parameter in parameters.items() if parameter.default is None}
    if any(part.kind is part.VAR_KEYWORD and "BaseState" in str(part.annotation) for part in parameters.values()):
        names |= {"velocity", "acceleration", "heading"} - set(parameters)
    return {name: values[name] for name in ("velocity", "acceleration", "heading") if name in names}


# Quantities that are looked at in their own way


def _counts(robot: Any, values: Values, *, all_quantities: bool) -> Iterator[Call]:
    for name in dir(type(robot)):
        quantity = getattr(robot, name, None)
        if is_compiled(quantity) and (all_quantities or name in COUNTED):
            link = {"link": values["link"]} if "link" in inspect.signature(quantity).parameters else {}
            yield f"operation_count {name}", lambda name=name, link=link: (  # type: ignore[misc]
                robot.operation_count(name, **link))


def _evaluated(derived: Any, values: Values) -> dict[str, list[float]]:
    """Equations in symbols at the first state."""
    symbols = [symbol for part in ("q", "qd", "qdd") for symbol in getattr(derived, part)]
    numbers = [float(number) for part in ("q", "qd", "qdd") for number in values[part][0]]
    at = dict(zip(symbols, numbers, strict=False))
    return {name: [float(entry.subs(at)) for entry in np.ravel(np.array(getattr(derived, name)).tolist())]
            for name in ("torques", "gravity", "mass_matrix") if hasattr(derived, name)}


def _of_books(robot: Any, values: Values) -> Iterator[Call]:
    """The letters of the sources, where they are functions of states."""
    for book in (name for name in dir(robot.books) if not name.startswith("_") and name != "robot"):
        try:
            letters = getattr(robot.books, book)
        except Exception as problem:
            yield f"books.{book}", _raising(problem)
            continue
        for name in dir(letters):
            letter = None if name.startswith("_") else getattr(type(letters), name, None)
            if callable(letter) and not isinstance(letter, type):
                yield from _letter(letters, f"books.{book}.{name}", name, values)


def _letter(letters: Any, label: str, name: str, values: Values) -> Iterator[Call]:
    try:
        letter = getattr(letters, name)
    except Exception as problem:
        yield label, _raising(problem)
        return
    arrays = _arrays(inspect.signature(letter).parameters, values) if callable(letter) else None
    if arrays is not None:
        yield label, lambda: (letter.uncompiled if is_compiled(letter) else letter)(*arrays)


# Arguments by a table


def _by_table(method: Any, label: str, robot: Any, values: Values) -> Callable[[], Any]:
    def call() -> Any:
        arguments, options = ARGUMENTS[label](robot, values)
        return method(*arguments, **options, **(_loads(method, values) if label.endswith(" with loads") else {}))

    return call


Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _with(*arguments: Any, **options: Any) -> Arguments:
    return arguments, options


def _states(values: Values) -> tuple[Any, Any, Any]:
    return values["q"], values["qd"], values["qdd"]


def _simulate(robot: Any, values: Values) -> Arguments:
    if isinstance(robot, lp.FlexibleRobot):
        options = {"modes": 1, "duration": 0.002, "rtol": 1e-10, "sample_rate": 1000.0}
    elif is_rover(robot):
        options = {"duration": 0.004, "rtol": 1e-10, "sample_rate": 500.0}
    else:
        options = {"duration": 0.01, "rtol": 1e-11, "sample_rate": 200.0}
    qd = 0.3 * values["qd"][0]
    return _with(values["q"][0], qd, np.zeros(len(qd)), external=values["loads"]["external"], **options)


def _max_payload(robot: Any, values: Values) -> Arguments:
    limits = dict.fromkeys(robot.driven if isinstance(robot, lp.ClosedRobot) else robot.dof_names, 5000.0)
    return _with(*_states(values), limits=limits, model_limits=False, link=values["link"])


def _inverse_kinematics(robot: Any, values: Values) -> Arguments:
    target = robot.link_poses.uncompiled(values["to"][0])[robot.link_names.index(values["link"])]
    return _with(target, values["link"], q0=values["q"][0], restarts=2)


def _by_drive(robot: Any, q: Any) -> dict[str, Any]:
    """Coordinates of the drives that have one of their own, which those of a floating root have not."""
    names = [name for name in robot.driven if name in robot.coordinate_names]
    return {name: q[..., robot.coordinate_names.index(name)] for name in names}


def _complete(robot: Any, values: Values) -> Arguments:
    qd, qdd = ({name: values[part][:, robot.dof_names.index(name)] for name in robot.independent}
               for part in ("qd", "qdd"))
    return _with(values["q"], qd, qdd)


def _preload_for(robot: Any, values: Values) -> Arguments:
    return _with({name: lp.Wrench(force=(1.0, 2.0, 3.0)) for name in robot.loop_names[:1]}, *_states(values))


def _frequency_response(robot: Any, values: Values) -> Arguments:
    return _with(values["q"][0], values["link"], values["link"], [0.0, 7.0, 30.0], modes=4, tolerance=0.02)


def _reduced_by(reducer: Callable[[], Any]) -> Callable[[Any, Values], Arguments]:
    return lambda robot, values: _with(motion_of(robot, values), reducer())


def _one_joint(robot: Any) -> str:
    """A joint of one DoF that does not follow another: the last, so that not everything depends on it."""
    arm = arm_of(robot)
    driven = arm.driven if isinstance(arm, lp.ClosedRobot) else arm.dof_names
    return next((joint.name for joint in reversed(arm.joints) if joint.name in driven), "no such joint")


def _locked(robot: Any, values: Values) -> Arguments:
    arm, name = arm_of(robot), _one_joint(robot)
    home = arm.home if isinstance(arm, lp.ClosedRobot) else arm.neutral()
    return _with({name: float(home[arm.q_slices[name].start])})


def _second_link(robot: Any) -> str:
    return str(arm_of(robot).link_names[:2][-1])


def _of_joint(value: Any) -> Callable[[Any, Values], Arguments]:
    return lambda robot, values: _with({_one_joint(robot): value})


def _of_link(value: Any) -> Callable[[Any, Values], Arguments]:
    return lambda robot, values: _with({_second_link(robot): value})


def _nothing(robot: Any, values: Values) -> Arguments:
    return _with()


ARGUMENTS: dict[str, Callable[[Any, Values], Arguments]] = {
    "simulate": _simulate,
    "roll": lambda robot, values: _with(motion_of(robot, values), duration=0.01, rtol=1e-10),
    "rollout": lambda robot, values: _with(values["q"], values["qd"], values["tau"], step=0.01, steps=3),
    "linearize": lambda robot, values: _with(values["q"], values["qd"], values["tau"]),
    "respond": lambda robot, values: _with(motion_of(robot, values), modes=3, tolerance=0.02, rate=500.0, after=0.02),
    "frequency_response": _frequency_response,
    "frequency_map": lambda robot, values: _with(q=values["q"], tolerance=0.02),
    "natural_frequencies": lambda robot, values: _with(values["q"], 2, order=4),
    "natural_frequencies with loads": lambda robot, values: _with(values["q"], 2, order=4),
    "buckling": lambda robot, values: _with(*_states(values), order=4),
    "buckling with loads": lambda robot, values: _with(*_states(values), order=4),
    "fatigue": lambda robot, values: _with(motion_of(robot, values), detail=lp.SNCurve(1e6, slope=3.0), sections=3),
    "shaped": lambda robot, values: _with(motion_of(robot, values), frequency=5.0, damping=0.0),
    "bandwidth_check": lambda robot, values: _with(motion_of(robot, values), tolerance=0.02),
    "reduce_loads extremes": _reduced_by(lp.LoadExtremes),
    "reduce_loads mean": _reduced_by(lp.LoadMean),
    "reduce_loads rms": _reduced_by(lp.LoadRMS),
    "max_payload": _max_payload,
    "largest payload": lambda robot, values: _with("payload", motion_of(robot, values)),
    "largest speed": lambda robot, values: _with("speed", motion_of(robot, values)),
    "largest_acceleration": lambda robot, values: _with(*_states(values), direction=(1.0, 0.0, 0.0)),
    "largest_acceleration of joints": lambda robot, values: _with(*_states(values), joints=np.ones(robot.n)),
    "inverse_kinematics": _inverse_kinematics,
    "assemble": lambda robot, values: _with(near=values["q"], path=False),
    "assemble at drives": lambda robot, values: _with(
        _by_drive(robot, values["q"][0]), near=values["to"][0], strict=False),
    "complete": _complete,
    "motion": lambda robot, values: _with(
        values["samples"][0], _by_drive(robot, values["samples"][1]), near=values["samples"][1][0]),
    "preload_for": _preload_for,
    "c_source inverse_dynamics": lambda robot, values: _with("inverse_dynamics"),
    "c_source mass_matrix": lambda robot, values: _with("mass_matrix"),
    "base_motion": lambda robot, values: _with(robot.wheel_motion(values["velocity"]).rate),
    # Robots made from robots
    "with_payload": lambda robot, values: _with(1.5, (0.0, 0.1, 0.0), link=_second_link(robot), name="more"),
    "without_payload": _nothing,
    "with_gravity": lambda robot, values: _with((1.0, 2.0, -3.0)),
    "with_inertias": _of_link(lp.Inertia(3.0, (0.1, 0.2, 0.0))),
    "with_estimated_inertia": lambda robot, values: _with(2700.0),
    "with_limits": _of_joint({"effort": 50.0}),
    "with_drives": _of_joint(lp.Drive(ratio=20.0, rotor_inertia=1e-5, friction=lp.Friction(0.3))),
    "with_parts": _of_joint(lp.CrossedRollerBearing(C=20e3, C0=30e3, dp=0.1)),
    "without_parts": _nothing,
    "without_friction": _nothing,
    "without_rotors": _nothing,
    "without_springs": _nothing,
    "with_beams": _of_link(lp.Beam(lp.Bar(0.02, 0.03), lp.STEEL, end=(0.3, 0.1, 0.0))),
    "without_beams": _nothing,
    "with_coupling": lambda robot, values: _with({name: 1.0 - 3.0 * k for k, name in enumerate(robot.dof_names[:2])}),
    "with_loop": lambda robot, values: _with(
        "more", robot.link_names[-1], robot.link_names[0], motion=lp.Spherical(), q=robot.neutral()),
    "with_driven": lambda robot, values: _with(*robot.driven),
    "with_home": lambda robot, values: _with(robot.home),
    "without_loops": _nothing,
    "floating": lambda robot, values: _with("loose", "outside"),
    "generalized": lambda robot, values: _with([_one_joint(robot)]),
    "locked": _locked,
    "reduced": _of_joint(()),
}
"""Arguments of what takes more than states, by its name and, where it is asked in several ways, some words."""
