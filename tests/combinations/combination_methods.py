"""What the methods of a robot that are not compiled quantities must give, from its compiled quantities, which are
checked by themselves. Each check has the robot, states of it, and the names of its tip.
"""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import combination_books as of_books
import numpy as np
import pytest
from combination_reduction import Reduced, normal
from combination_states import Floats, States, ask, states_of
from combination_subjects import TUBE, Equivalent

import loadpath as lp
from loadpath.engine.program import Operand
from references import javascript, webassembly

COMPILER = shutil.which("cc") or shutil.which("gcc")


def close(found: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    """Equal but for rounding, measured by the largest number."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    size = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * size)


def motion_of(robot: lp.Robot, samples: int = 9) -> lp.Motion:
    """A short smooth motion."""
    t = np.linspace(0.0, 0.4, samples)
    start, amplitude = np.asarray(robot.neutral()), 0.2 + 0.1 * np.arange(robot.n)
    moved = np.sin(2 * t)[:, None] * amplitude
    q = robot.integrate.uncompiled(np.broadcast_to(start, (samples, robot.nq)), moved)
    if robot.nq != robot.n:  # a quaternion: turned by one speed only, so that its rates are simple
        amplitude = np.where(np.arange(robot.n) == robot.n - 1, amplitude, 0.0)
        moved = np.sin(2 * t)[:, None] * amplitude
        q = robot.integrate.uncompiled(np.broadcast_to(start, (samples, robot.nq)), moved)
    return lp.Motion(t, q, 2 * np.cos(2 * t)[:, None] * amplitude, -4 * np.sin(2 * t)[:, None] * amplitude, robot=robot)


def arrays(s: States) -> tuple[Floats, Floats, Floats]:
    return s["q"], s["qd"], s["qdd"]


# Loads


def load_breakdown(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    wrenches = robot.joint_wrenches.uncompiled(*arrays(s), **loads)
    totals = robot.load_breakdown(*arrays(s), compiled=False, **loads).totals()
    close(totals, np.concatenate([wrenches.force, wrenches.torque], axis=-1))


def reduce_loads(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    found = robot.reduce_loads(arrays(s), lp.LoadExtremes(), **loads)
    wrenches = robot.joint_wrenches.uncompiled(*arrays(s), **loads)
    for k, joint in enumerate(robot.joint_names):
        six = np.concatenate([wrenches.force[:, k], wrenches.torque[:, k]], axis=-1)
        close(found.largest.total(joint), six.max(axis=0))


def peak_loads(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    peaks = robot.peak_loads(*arrays(s), **loads)
    tau = robot.inverse_dynamics.uncompiled(*arrays(s), **loads)
    close([peaks[name, "drive"].magnitude for name in robot.dof_names], np.abs(tau).max(axis=0))


def max_payload(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    tau = robot.inverse_dynamics.uncompiled(*arrays(s), **loads)
    limits = dict(zip(robot.dof_names, (np.abs(tau).max(axis=0) + 30.0).tolist(), strict=True))
    found = robot.max_payload(*arrays(s), limits=limits, link=tip, model_limits=False, **loads)
    loaded = robot.with_payload(found.mass, link=tip, name="largest")
    close(np.max(np.abs(loaded.inverse_dynamics.uncompiled(*arrays(s), **loads)) / list(limits.values())), 1.0)


def worst_case(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    """Between two states of one coordinate, against many states in between. There is no box of quaternions."""
    if robot.quaternion_starts:
        with pytest.raises(lp.ModelError, match="has a quaternion"):
            robot.worst_case(robot.dof_names[-1], "drive", over={"qd": 0})
        return
    first = {part: s[part][0] for part in ("q", "qd", "qdd")}
    box = {name: dict(zip(robot.dof_names, values.tolist(), strict=False)) for name, values in first.items()}
    name, reach = robot.dof_names[-1], 0.3
    box["q"][name] = (first["q"][-1] - reach, first["q"][-1] + reach)
    found = robot.worst_case(name, "drive", over=box, tolerance=1e-6, seconds=300, **loads)
    q = np.tile(first["q"], (501, 1))
    q[:, -1] += np.linspace(-reach, reach, 501)
    between = np.abs(robot.inverse_dynamics.uncompiled(q, first["qd"], first["qdd"], **loads)[:, -1])
    assert found.certified
    assert between.max() <= found.bound * (1 + 1e-12)
    close(found.value, between.max(), 1e-4)


def fastest(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    """Between two configurations: forces of the drives along the motion stay within limits that it reaches."""
    if robot.quaternion_starts:
        with pytest.raises(lp.ModelError, match="has a quaternion"):
            robot.fastest(np.zeros((2, robot.n)))
        return
    ends = np.stack([s["q"][0], s["q"][0] + 0.2])
    still = np.zeros((21, robot.n))
    most = 1.2 * np.abs(robot.inverse_dynamics.uncompiled(np.linspace(*ends, 21), still, still, **loads)).max(axis=0)
    found = robot.fastest(ends, limits={"torque": most + 3.0, "speed": False}, intervals=60, **loads)
    used = np.abs(robot.inverse_dynamics.uncompiled(*found.sampled(9), **loads)) / (most + 3.0)
    assert 0.99 < used.max() <= found.certificate <= 1 + 1e-4
    close(found.at([0.0, found.duration])[1], still[:2], 1e-6)


def path_durations(robot: lp.Robot, s: States, tip: str) -> None:
    """Two paths, against each of them alone."""
    if robot.quaternion_starts:
        with pytest.raises(lp.ModelError, match="has a quaternion"):
            robot.path_durations(np.zeros((2, 2, robot.n)))
        return
    paths = np.stack([np.stack([s["q"][0], s["q"][0] + part]) for part in (0.2, 0.3)])
    limits = {"torque": False, "speed": 0.7, "acceleration": 2.0, "parts": False}
    alone = [robot.fastest(path, limits=limits, intervals=100).duration for path in paths]
    close(robot.path_durations(paths, limits), alone, 1e-2)


@dataclass(frozen=True)
class Pin(lp.Part):
    """Has a row for the largest force."""

    kind: ClassVar[str] = "pin"
    name: str = ""

    def examiner(self, place: lp.Place) -> Any:
        return _Pin()


class _Pin:
    most = 0.0

    def add(self, loads: lp.JointLoads) -> None:
        self.most = max(self.most, float(np.linalg.norm(loads.force, axis=-1).max()))

    def checks(self, required_hours: float | None) -> list[lp.Check]:
        return [lp.Check("force", self.most, 1e6, "N", self.most / 1e6)]


def verdict(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    joint = next(name for name in robot.joint_names if name.endswith("joint1"))
    found = robot.with_parts({joint: Pin()}).verdict(*arrays(s), **loads)
    force = robot.joint_wrenches.uncompiled(*arrays(s), **loads).force[:, robot.joint_names.index(joint)]
    close(found[joint, "pin", "force"].demand, np.linalg.norm(force, axis=-1).max())


def largest(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    tau = robot.inverse_dynamics.uncompiled(*arrays(s), **loads)
    efforts = dict(zip(robot.dof_names, (np.abs(tau).max(axis=0) + 30.0).tolist(), strict=True))
    free = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf}
    limited = robot.with_limits({name: {**free, "effort": effort} for name, effort in efforts.items()})
    found = limited.largest("payload", *arrays(s), link=tip, **loads)
    loaded = robot.with_payload(found.value, link=tip, name="largest")
    close(np.max(np.abs(loaded.inverse_dynamics.uncompiled(*arrays(s), **loads)) / list(efforts.values())), 1.0, 1e-7)


def size(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    joint = next((one for one in robot.joints if one.motion.dof == 1 and one.mimic is None), None)
    if joint is None:
        with pytest.raises(lp.ModelError, match="has no drive of its own"):
            torque_of_gear(robot, robot.joints[0].name, arrays(s), **loads)
        return
    k = robot.dof_names.index(joint.name)
    tau = robot.inverse_dynamics.uncompiled(*arrays(s), **loads)[:, k] - joint.reflected_inertia[0] * s["qdd"][:, k]
    close(torque_of_gear(robot, joint.name, arrays(s), **loads), np.abs(tau).max())


def torque_of_gear(robot: lp.Robot, joint: str, states: Any, **loads: Any) -> float:
    """The largest torque that a gear of hardly any strength is rejected by."""
    free = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf}
    weak = lp.PlanetaryGear(ratio=10, acceleration_torque=1e-6, output_ratio=1.0, name="weak")
    choices = {joint: lp.parts.table([weak], mass=[2.0])}
    found = robot.with_limits(dict.fromkeys(robot.dof_names, free)).size(states, choices, **loads)
    (rejection,) = found.rejections
    return rejection.utilisation * 1e-6


def load_cases(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    found = robot.load_cases(*arrays(s), count=1, **loads)
    assert found.residual < 1e-11
    case = found[0]
    wrenches = robot.joint_wrenches.uncompiled(*arrays(s), **loads)
    for k, joint in enumerate(robot.joints):
        force = next(load.force for load in case[joint.child].loads if load.name == joint.name)
        close(np.linalg.norm(force), np.linalg.norm(wrenches.force[case.sample, k]))


def load_spectra(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    found = robot.load_spectra(*arrays(s), quantities=["torque"], **loads)
    sizes = np.linalg.norm(robot.joint_wrenches.uncompiled(*arrays(s), **loads).torque, axis=-1)
    for k, joint in enumerate(robot.joint_names):
        if np.ptp(sizes[:, k]) > 1e-6:
            close(found[joint, "torque"].levels[[0, -1]], [sizes[:, k].min(), sizes[:, k].max()])


GEAR = lp.Drive(ratio=40, rotor_inertia=2e-3, efficiency=(0.8, 0.6))
RUBBING = lp.Drive(friction=lp.Friction(1, 2, 3, 0.4))


def motor_loads(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    geared = robot.with_drives({driven_by_gear(robot): GEAR})
    check_motors(geared.motor_loads(*arrays(s), **loads), geared, arrays(s),
                 robot.without_rotors().inverse_dynamics.uncompiled(*arrays(s), **loads))


def driven_by_gear(robot: lp.Robot) -> str:
    """The (last) degree of freedom of joint1."""
    return [name for name in robot.dof_names if name == "joint1" or name.startswith("joint1.")][-1]


def check_motors(found: lp.MotorLoads, robot: lp.Robot, states: tuple[Floats, ...], without_rotors: Floats) -> None:
    """Torques of the motor of joint1 from the forces that its gear passes on; all other rotors are without gear."""
    name = driven_by_gear(robot)
    k, at = found.drive_names.index(name), robot.dof_names.index(name)
    v, a, own = states[1][..., at], states[2][..., at], without_rotors[..., at]
    inertias = [robot.mimic_of(joint).multiplier ** 2 * joint.reflected_inertia[0] for joint in robot.joints
                if joint.mimic is not None and robot.mimic_of(joint).joint == "joint1"]
    through = own + sum(inertias) * a
    close(found.torque[..., k], np.where(through * v > 0, through / 32, through * 0.6 / 40) + 0.08 * a)


def report(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    motion = motion_of(robot)
    tau = robot.inverse_dynamics.uncompiled(motion.q, motion.qd, motion.qdd, **loads)
    check_peaks(robot.report(motion, **loads).html, DRIVES, robot.dof_names, tau)


def plot(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    figure = robot.plot(*arrays(s), loads=True, **loads)
    paths = {part.name.removeprefix("path of "): part for part in figure.data if part.name.startswith("path of ")}
    for end, path in paths.items():
        places = robot.link_poses.uncompiled(s["q"])[:, robot.link_names.index(end), :3, 3]
        close(np.stack([path[k] for k in "xyz"], -1)[:-1], places)
    assert paths
    wrenches = robot.joint_wrenches.uncompiled(*(part[-1:] for part in arrays(s)), **last_of(loads))
    drawn = {part.name: np.stack([part[k] for k in "xyz"], -1) for part in figure.data if part.name in PARTS}
    for name, lines in drawn.items():
        sizes = np.linalg.norm(getattr(wrenches, name)[0], axis=-1)
        sizes = sizes[sizes > 0.006 * sizes.max(initial=0.0)]
        starts = range(0, len(lines), 16)  # shaft, four barbs, a gap after each
        lengths = np.array([np.linalg.norm(lines[k + 1] - lines[k]) for k in starts])
        close(np.sort(lengths)[-len(sizes) :] / lengths.max(), np.sort(sizes) / sizes.max(), 1e-6)


PARTS = ("force", "torque")


def last_of(loads: dict[str, Any]) -> dict[str, Any]:
    """The load case of the last state, where there is one for each."""
    one_for_all = {name for name, value in loads.items() if isinstance(value, dict) or np.ndim(value) < 2}
    return {name: value if name in one_for_all else value[-1:] for name, value in loads.items()}


_NOT_SHOWN = re.compile('<span class="when">.*?</span>|<.*?>|[\u2007\u2008]')  # times, tags, and what aligns numbers
DRIVES, WHEELS = "Drives: what motor", "Wheels"


def check_peaks(page: str, caption: str, names: Any, values: Floats) -> None:
    """A table of a report has the largest of some values (samples, names), with its sign, first in a name's row."""
    table = page[page.index(f"<figcaption>{caption}") :].partition("</table>")[0]
    rows = [[re.sub(_NOT_SHOWN, "", cell) for cell in row.split("</td>")] for row in table.split("<tr>")[2:]]
    shown = {row[0].strip(): next(cell for cell in row[1:] if re.match(r"[\u2212-]?\d", cell.strip())) for row in rows}
    for name, column in zip(names, values.T, strict=True):
        peak = float(column[np.abs(column).argmax()])
        found = float(shown[name].replace("\u2212", "-"))
        assert abs(found - peak) <= 6e-4 * abs(peak) + 1e-9 * np.abs(values).max(), (name, found, peak)


# Motion


def inverse_kinematics(robot: lp.Robot, s: States, tip: str) -> None:
    target = robot.link_poses.uncompiled(s["q"])[:, robot.link_names.index(tip)]
    found = robot.inverse_kinematics(target, tip, q0=s["q"])
    assert found.reached.all()
    close(robot.link_poses.uncompiled(found.q)[:, robot.link_names.index(tip)], target, 1e-5)


def simulate(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    if isinstance(robot, lp.FlexibleRobot):
        _simulate_stiff(robot, s)
        return
    found = robot.simulate(s["q"][0], s["qd"][0], s["tau"][0], duration=0.02, **loads)
    q, qd = _in_time(robot, s["q"][0], s["qd"][0], s["tau"][0], 0.02, loads=loads)
    close(found.q[-1], q, 1e-6)
    close(found.qd[-1], qd, 1e-6)


def _simulate_stiff(robot: lp.FlexibleRobot, s: States) -> None:
    """A flexible arm that is stiff against all forces moves like the rigid one; as it is, it does not."""
    stiff = 1e4
    beams = tuple(
        (link, replace(beam, segments=(), section=beam.segments[0].section, material=_stiffer(beam.segments[0], stiff)))
        for link, beam in robot.beams
    )
    joints = tuple(
        (name, replace(part, resolved=tuple(tuple(x / stiff for x in row) for row in part.resolved or ())))
        for name, part in robot.joint_compliances
    )
    duration, apart = 0.004, []
    q, qd = _in_time(robot, s["q"][0], s["qd"][0], s["tau"][0], duration, loads={})
    for own in (robot, replace(robot, beams=beams, joint_compliances=joints)):
        found = own.simulate(s["q"][0], s["qd"][0], s["tau"][0], duration=duration, modes=1, elastic="straight")
        assert found.energy_drift < 1e-6
        apart.append(max(np.abs(found.q[-1] - q).max(), duration * np.abs(found.qd[-1] - qd).max()))
    assert apart[1] < 0.05 * apart[0], apart


def _stiffer(segment: lp.Segment, factor: float) -> lp.Material:
    material = segment.material
    moduli = material.youngs_modulus * factor, material.shear_modulus * factor
    return lp.Material(*moduli, material.density, name="stiff")


def rollout(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    found = robot.rollout(s["q"], s["qd"], s["tau"], step=0.01, steps=2, **loads)
    q, qd = s["q"], s["qd"]
    for k in (1, 2):
        q, qd = robot.step.uncompiled(q, qd, s["tau"], 0.01, **loads)
        close(found.q[k], q)
        close(found.qd[k], qd)


def linearize(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    """Along a direction, against differences of the accelerations."""
    found, n, h = robot.linearize(s["q"], s["qd"], s["tau"], dry_friction=False, **loads), robot.n, 1e-5
    along = h * np.random.default_rng(1).normal(size=2 * n)
    ends = [robot.forward_dynamics.uncompiled(robot.integrate.uncompiled(s["q"], side * along[:n]),
                                              s["qd"] + side * along[n:], s["tau"], **loads) for side in (1, -1)]
    close(found.A[..., n:, :] @ along / h, (ends[0] - ends[1]) / (2 * h), 1e-6)
    close(found.B[..., n:, :], robot.mass_matrix_inverse.uncompiled(s["q"]))
    close(found.acceleration, robot.forward_dynamics.uncompiled(s["q"], s["qd"], s["tau"], **loads))


def _in_time(
    robot: lp.Robot, q: Floats, qd: Floats, tau: Floats, duration: float, steps: int = 4, *, loads: dict[str, Any]
) -> list[Floats]:
    """The motion by fixed steps of the classical method, from `state_derivative`."""
    x, h = np.concatenate([q, qd])[None], duration / steps
    for _ in range(steps):
        one = robot.state_derivative.uncompiled(x, tau, **loads)
        two = robot.state_derivative.uncompiled(x + h / 2 * one, tau, **loads)
        three = robot.state_derivative.uncompiled(x + h / 2 * two, tau, **loads)
        four = robot.state_derivative.uncompiled(x + h * three, tau, **loads)
        x = x + h / 6 * (one + 2 * two + 2 * three + four)
    return [normal(robot, x[0, : robot.nq]), x[0, robot.nq :]]


# Equations and counts


def equations(robot: lp.Robot, s: States, tip: str) -> None:
    derived = robot.equations()
    state = [s[name][0] for name in ("q", "qd", "qdd")]
    symbols = (*derived.q, *derived.qd, *derived.qdd)
    values = dict(zip(symbols, np.concatenate(state).tolist(), strict=True))
    if robot.n > 3:  # all torques of a free base take many seconds
        close([float(force.subs(values)) for force in derived.gravity], robot.gravity_forces.uncompiled(state[0]))
        return
    tau = [float(torque.subs(values)) for torque in derived.torques]
    close(tau, robot.inverse_dynamics.uncompiled(*state))
    last = robot.joint_names[-1]
    carried = [float(torque.subs(values)) for torque in derived.joint_wrenches[last].torque]
    close(carried, robot.joint_wrenches.uncompiled(*state)[last].torque)


TURN = re.compile(r"= (v\d+) \* ([\d.]+) [+-] (v\d+) \* ([\d.]+);")
"""Sine or cosine of an angle and a constant, made of those of the angle by two products: counted as the addition that
the sources have.
"""


def operation_count(robot: lp.Robot, s: States, tip: str) -> None:
    # The C source has one operator for each operation.
    lines = [line for line in robot.c_source("gravity_forces").split("{", 1)[1].splitlines() if "=" in line]
    of_angles = {line.split("=")[0].split()[-1] for line in lines if re.search(r"= (sin|cos)\(", line)}

    def turns(line: str) -> bool:
        found = TURN.search(line)
        return (found is not None and {found[1], found[3]} <= of_angles
                and abs(float(found[2]) ** 2 + float(found[4]) ** 2 - 1.0) < 1e-12)

    products = sum(line.count("*") - 2 * turns(line) for line in lines)
    assert robot.operation_count("gravity_forces").multiplications == products


def base_parameters(robot: lp.Robot, s: States, tip: str) -> None:
    found = robot.base_parameters()
    many = states_of(robot, 60, seed=3)
    Y = robot.regressor.uncompiled(*arrays(many))
    assert found.number == np.linalg.matrix_rank(Y.reshape(-1, Y.shape[-1]), tol=1e-9 * np.abs(Y).max() * len(Y))
    bare = robot.without_friction().without_rotors()
    close(found.regressor(*arrays(s)) @ found.values, bare.inverse_dynamics.uncompiled(*arrays(s)))


# Exports


def casadi_function(robot: lp.Robot, s: States, tip: str) -> None:
    exported = robot.casadi_function("inverse_dynamics")
    state = [part[0] for part in arrays(s)]
    close(np.asarray(exported(*state)).ravel(), robot.inverse_dynamics.uncompiled(*state))


def jax(robot: lp.Robot, s: States, tip: str) -> None:
    import jax  # seconds, and not everywhere

    q = jax.numpy.asarray(s["q"][0], jax.numpy.float32)
    close(robot.jax("gravity_forces")(q), robot.gravity_forces.uncompiled(s["q"][0]), 1e-4)


def c_source(robot: lp.Robot, s: States, tip: str) -> None:
    source = robot.c_source("inverse_dynamics", function_name="f")
    assert "void f(const double *q" in source
    if COMPILER is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder, "f.c"), Path(folder, "f.so")
        code.write_text(source)
        subprocess.run([COMPILER, "-O0", "-shared", "-fPIC", str(code), "-o", str(library), "-lm"], check=True)
        tau = np.zeros(robot.n)
        given = [np.ascontiguousarray(part[0]) for part in arrays(s)]
        ctypes.CDLL(str(library)).f(*(ctypes.c_void_p(array.ctypes.data) for array in (*given, tau)))
    close(tau, robot.inverse_dynamics.uncompiled(*given))


def javascript_source(robot: lp.Robot, s: States, tip: str) -> None:
    source = robot.javascript_source("inverse_dynamics", function_name="f", module="script")
    tau = Operand("tau", (robot.n,))
    (found,) = javascript.Script(source).call("f", [tau], *arrays(s), count=len(s["q"]))
    close(found, robot.inverse_dynamics.uncompiled(*arrays(s)))


def wasm(robot: lp.Robot, s: States, tip: str) -> None:
    kernel = robot.wasm("inverse_dynamics", parameters=["gravity"])
    (tau,) = webassembly.run(kernel, *arrays(s), np.array([1.0, 2.0, -9.0]))
    close(tau, robot.on_fixed_base.with_gravity([1.0, 2.0, -9.0]).inverse_dynamics.uncompiled(*arrays(s)))


def family(robot: lp.Robot, s: States, tip: str) -> None:
    """A design of it is the robot with those numbers."""
    masses, center = [0.5, 3.0], (0.1, 0.2, -0.1)
    made = robot.family({f"{tip}.mass": masses, f"{tip}.center_of_mass": center, f"{tip}.inertia": 0.01 * np.eye(3)})
    found = made.inverse_dynamics(*arrays(s))
    for k, mass in enumerate(masses):
        body = lp.Inertia(mass, center, (0.01 * np.eye(3)).tolist())
        close(found[k], robot.on_fixed_base.with_inertias({tip: body}).inverse_dynamics.uncompiled(*arrays(s)))


def books(robot: lp.Robot, s: States, tip: str, **loads: Any) -> None:
    assert robot.books is robot.on_fixed_base.books
    of_books.check(robot.on_fixed_base, s, tip, **loads)


METHODS_WITH_LOADS = (
    "load_breakdown", "reduce_loads", "peak_loads", "max_payload", "motor_loads", "report", "plot", "simulate",
    "rollout", "linearize", "verdict", "size", "largest", "load_cases", "load_spectra", "worst_case",
    "fastest",
)
METHODS: dict[str, Callable[..., None]] = {
    check.__name__: check
    for check in (load_breakdown, reduce_loads, peak_loads, max_payload, motor_loads, report, plot,
                  verdict, size, largest, load_cases, load_spectra, worst_case,
                  inverse_kinematics, fastest, path_durations, simulate, rollout, linearize, family, books, equations,
                  operation_count,
                  base_parameters, casadi_function, jax, c_source, javascript_source, wasm)
}


# Robots made from robots: the maker on the subject is the maker on its reference


def _after_first(robot: lp.Robot) -> str:
    return next(joint.child for joint in robot.joints if joint.name == "joint1")


def _beam(robot: lp.Robot) -> dict[str, lp.Beam]:
    link = _after_first(robot)
    end = next(joint.name for joint in robot.joints if joint.parent == link)
    return {link: lp.Beam(TUBE, lp.ALUMINIUM, end=end)}


def _estimated(robot: lp.Robot, name: str) -> lp.Robot:
    box = lp.BoxShape((0.3, 0.2, 0.1), pose=(0.1, 0.2, 0.0))
    shaped = tuple(replace(link, shapes=(box,)) if link.name == name else link for link in robot.links)
    return robot._with_robot(replace(robot.on_fixed_base, links=shaped)).with_estimated_inertia(500.0, [name])


KEEPING: dict[str, Callable[[Any, str], Any]] = {
    "with_payload": lambda robot, tip: robot.with_payload(1.5, (0.0, 0.1, 0.0), link=tip, name="more"),
    "without_payload": lambda robot, tip: robot.with_payload(1.5, link=tip, name="more").without_payload("more"),
    "with_inertias": lambda robot, tip: robot.with_inertias({_after_first(robot): lp.Inertia(3.0, (0.1, 0.2, 0.0))}),
    "with_estimated_inertia": lambda robot, tip: _estimated(robot, _after_first(robot)),
    "with_gravity": lambda robot, tip: robot.with_gravity((1.0, 2.0, -3.0)),
    "with_pedigree": lambda robot, tip: robot.with_pedigree(masses="measured"),
    "without_friction": lambda robot, tip: robot.without_friction(),
    "without_rotors": lambda robot, tip: robot.without_rotors(),
    "with_drives": lambda robot, tip: robot.with_drives({driven_by_gear(robot): RUBBING}),
    "with_limits": lambda robot, tip: robot.with_limits({driven_by_gear(robot): {"effort": 50.0}}),
    "without_springs": lambda robot, tip: robot.without_springs(),
    "with_parts": lambda robot, tip: robot.with_parts({robot.joint_names[-1]: Pin()}),
    "without_parts": lambda robot, tip: robot.with_parts({robot.joint_names[-1]: Pin()}).without_parts(),
    "with_beams": lambda robot, tip: robot.with_beams(_beam(robot)),
    "without_beams": lambda robot, tip: robot.without_beams(),
}
"""Makers that keep the speeds of the robot."""


def made(pair: Equivalent, name: str) -> Equivalent:
    """The pair after a maker."""
    if name in KEEPING:
        make, tip = KEEPING[name], "tip"
        return replace(pair, subject=make(pair.subject, pair.renamed(tip)), reference=make(pair.reference, tip))
    if name == "floating":
        T = np.block([[np.eye(6), np.zeros((6, pair.T.shape[1]))], [np.zeros((len(pair.T), 6)), pair.T]])
        subject, reference = (robot.floating("loose", "outside") for robot in (pair.subject, pair.reference))
        return replace(
            pair,
            subject=subject,
            reference=reference,
            T=T,
            q_of=lambda q: np.concatenate([q[..., :7], pair.q_of(q[..., 7:])], axis=-1),
            pick=(*range(7), *(7 + k for k in pair.pick)),
        )
    if name == "generalized":  # the weld of the tip, which is the last joint
        count, n = pair.subject.nq, pair.reference.nq
        return replace(
            pair,
            subject=pair.subject.generalized([pair.renamed("tip_joint")]),
            reference=pair.reference.generalized(["tip_joint"]),
            T=np.block([[pair.T, np.zeros((len(pair.T), 6))], [np.zeros((6, pair.T.shape[1])), np.eye(6)]]),
            q_of=lambda q: np.concatenate([pair.q_of(q[..., :count]), q[..., count:]], axis=-1),
            pick=(*pair.pick, *range(n, n + 7)),
        )
    assert name in ("locked", "reduced")
    joint = pair.renamed("joint1") if pair.renamed("joint1") in pair.subject.joint_names else "joint1"
    at, v = pair.subject.q_slices[joint], pair.subject.v_slices[joint]
    value = [0.3] * (at.stop - at.start) if name == "locked" else list(pair.subject.joint(joint).motion.neutral())
    keep = [k for k in range(pair.subject.n) if not v.start <= k < v.stop]
    return replace(
        pair,
        subject=pair.subject.locked({joint: value}) if name == "locked" else pair.subject.reduced({joint: ()}),
        T=pair.T[:, keep],
        q_of=lambda q: pair.q_of(np.insert(q, [at.start] * len(value), value, axis=-1)),
        pick=tuple(k for n, k in enumerate(pair.pick) if not at.start <= n < at.stop),
    )


def check_maker(pair: Equivalent, name: str) -> None:
    """Drive forces and joint wrenches of what is made."""
    after = made(pair, name)
    reduced = Reduced(after, states_of(after.subject))
    for quantity in ("inverse_dynamics", "joint_wrenches"):
        for found, wanted in zip(reduced.found(quantity), reduced.of(quantity), strict=True):
            close(found, wanted)


MAKERS = (*KEEPING, "floating", "generalized", "locked", "reduced")

__all__ = ["MAKERS", "METHODS", "ask", "check_maker", "close", "motion_of"]
