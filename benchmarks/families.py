"""Families against robots with their numbers folded in: what numbers as arguments cost, and what they save."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.peers import states
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.engine import better, kernels
from loadpath.engine.arguments import Variant
from loadpath.engine.family import Varied, split
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.plan import shared_by_states
from loadpath.engine.program import Operand, Program, Tape
from loadpath.engine.trace import trace
from loadpath.robot.parameters import parameters_of
from loadpath.robot.reduction import reduced
from loadpath.robot.varied import MAKERS
from loadpath.scalars import Array, array

BATCH = 2048
NEAR = 512
"""States whose numbers stay in a near cache."""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 3 if quick else 100
    found = []
    for title, robot in (("Panda", lp.catalog.panda().with_payload(2.0, (0.0, 0.02, 0.1))),
                         ("6R arm", lp.catalog.random_dh_arm(6, seed=1).with_payload(2.0))):
        found += _ratios(title, robot, repetitions)
        found += _varying(title, robot, repetitions)
    return [*found, _agreement(20 if quick else 1000), _designs_a_second(repetitions), *_first_calls(),
            _many(repetitions), *_beams(repetitions)]


def _beams(repetitions: int) -> list[Row]:
    """Arms with beams: walls as arguments; and what a study of a 6-joint arm takes, in chunks of designs."""
    arm = lp.catalog.random_dh_arm(6, seed=1).with_payload(2.0)
    beams = {"link2": lp.Beam(lp.Tube(0.05, 0.004), lp.ALUMINIUM, end="joint3"),
             "link3": lp.Beam(lp.Tube(0.04, 0.003), lp.ALUMINIUM, end="joint4")}
    arm = arm.with_beams(beams, inertia_from_beams=True).with_drives({"joint2": lp.Drive(ratio=100.0,
                                                                                        rotor_inertia=1e-4)})
    walls = [f"{link}.beam.section.wall" for link in beams]
    q, qd, qdd = states(arm, BATCH)
    found = []
    for name in ("section_stresses", "small_deflection", "joint_wrenches"):
        own, family = getattr(arm, name).ufunc, arm.family(walls)
        ufunc, one = getattr(family, name).ufunc, family.rows
        every = np.repeat(one[None], BATCH, axis=0)
        work: dict[str, Any] = {
            "folded": lambda own=own: own(q, qd, qdd),
            "walls": lambda ufunc=ufunc, one=one: ufunc(q, qd, qdd, one),
            "varying": lambda ufunc=ufunc, every=every: ufunc(q, qd, qdd, every),
        }
        for run in work.values():
            run()
        better.settle()
        times = best_times(work, repetitions)
        folded = times["folded"]
        found.append(Row(f"6R arm with two beams, {name}, family / folded: their walls", times["walls"] / folded,
                         at_most=1.2, remark=f"{times['varying'] / folded:.2f} with other walls for each state"))
    designs = 500
    rng = np.random.default_rng(0)
    family = arm.family([*walls[:1], "payload.mass", "link2.length", "link3.length", "joint2.gear_ratio"])
    values = {key: family.values[key] * rng.uniform(0.8, 1.2, designs) for key in family.names}
    some = [array[:200] for array in (q, qd, qdd)]
    chunk = family.at(values)

    def peaks() -> None:
        wrenches = chunk.joint_wrenches(*some)
        for part in (wrenches.force, wrenches.torque):
            np.sqrt(np.einsum("...i,...i->...", part, part).max(axis=1))

    study = {"wrenches": lambda: chunk.joint_wrenches(*some), "and peaks": peaks, "designs": lambda: family.at(values)}
    for run in study.values():
        run()
    better.settle()
    times = best_times(study, max(3, repetitions // 20))
    each = {name: taken / designs for name, taken in times.items()}
    found.append(Row("A million designs of a 6R arm (payload, two lengths, a wall, a gear) at 200 states, to peak "
                     "forces and torques of all joints, one core", 1e6 * (each["and peaks"] + each["designs"]), "s",
                     at_most=300,
                     remark=f"wrenches {1e9 * each['wrenches'] / 200:.0f} ns a pair, peaks by NumPy "
                            f"{1e9 * (each['and peaks'] - each['wrenches']) / 200:.0f} ns a pair, new designs "
                            f"{1e6 * each['designs']:.0f} us each"))
    return found


def _ratios(title: str, robot: lp.Robot, repetitions: int) -> list[Row]:
    """Time a state of families / of the robot with all numbers folded in, in one run."""
    payload = ["payload.mass", "payload.center_of_mass", "payload.inertia"]
    inertias = [f"{link}.{part}" for link in robot.link_names for part in ("mass", "center_of_mass", "inertia")]
    second = robot.joints[1].child
    chosen = {
        "payload and gravity": ([*payload, "gravity"], 1.1),
        "all inertias, payload and gravity": ([*inertias, "gravity"], 1.1),
        "a handful (payload, a mass center, a place of a joint)": (
            [*payload[:2], f"{second}.center_of_mass", f"{robot.joint_names[3]}.origin"], 1.2),
        "all numbers": ("all", 1.5),
    }
    q, qd, qdd = states(robot, BATCH)
    out = np.empty_like(q)
    own = robot.inverse_dynamics.ufunc
    work: dict[str, Any] = {"folded": lambda: own(q, qd, qdd, out=out)}
    for name, (keys, _) in chosen.items():
        family = robot.family(keys)
        ufunc, one = family.inverse_dynamics.ufunc, family.rows
        every = np.repeat(one[None], BATCH, axis=0)
        work[name] = lambda ufunc=ufunc, one=one: ufunc(q, qd, qdd, one, out=out)
        work[f"{name}, varying"] = lambda ufunc=ufunc, every=every: ufunc(q, qd, qdd, every, out=out)
    for run in work.values():
        run()
    better.settle()  # not the code of the first moments
    times = best_times(work, repetitions)
    found = []
    for name, (_, required) in chosen.items():
        ratio, varying = times[name] / times["folded"], times[f"{name}, varying"] / times["folded"]
        found.append(Row(f"{title}, inverse_dynamics, family / folded: {name}", ratio, at_most=required,
                         remark=f"{varying:.2f} with another design for each state, map and all"))
    return found


def _varying(title: str, robot: lp.Robot, repetitions: int) -> list[Row]:
    """All numbers that the equations read, in an array with a row for each state: what is left of the program of a
    family when the map from the design to these numbers was computed before. Of so many states that the numbers stay
    in a near cache; and of more, with how long it takes to read them alone.
    """
    varied = Varied.of(robot, robot.inverse_dynamics.quantity, parameters_of(robot, "all"))
    states_in, outputs = varied.operands(Variant())
    whole = trace(varied.equations(Variant()), "numbers", [*states_in, varied.design], outputs)
    tape, numbers = _with_numbers(whole.tape, sum(operand.size for operand in states_in))
    inputs = (*states_in, Operand("numbers", (len(numbers),)))
    loop = "numbers_f8"
    library = kernels.machine_code(kernels.llvm_text(Program("numbers", tape, inputs, tuple(outputs))), [loop], None)
    shapes = [operand.shape for operand in inputs], [operand.shape for operand in outputs]
    ufunc = make_ufunc("numbers", "", {"f8": library.address(loop)}, *shapes, library)
    nominal = [x for parameter in varied.parameters for x in parameter.nominal]
    of_design = Tape(whole.tape.inputs, whole.tape.constants, whole.tape.operations, whole.tape.angles, tuple(numbers))
    map_only = Program("map", of_design, (*states_in, varied.design), (Operand("numbers", (len(numbers),)),))
    library_of_map = kernels.machine_code(kernels.llvm_text(map_only), ["map_f8"], None)
    shapes_of_map = [operand.shape for operand in map_only.inputs], [(len(numbers),)]
    to_numbers = make_ufunc("map", "", {"f8": library_of_map.address("map_f8")}, *shapes_of_map, library_of_map)
    q, qd, qdd = states(robot, BATCH)
    rows = np.repeat(to_numbers(q[0], qd[0], qdd[0], nominal)[None], BATCH, axis=0)
    out, folded = np.empty_like(q), robot.inverse_dynamics.ufunc
    differs = np.abs(ufunc(q, qd, qdd, rows) - folded(q, qd, qdd)).max() / np.abs(folded(q, qd, qdd)).max()
    if differs > 1e-12:
        raise RuntimeError(f"numbers as arguments give other torques: they differ by {differs:.2g}")
    reading, last = _reading(len(numbers)), np.empty((BATCH, 1))
    found = []
    for count, required in ((NEAR, 2.2), (BATCH, None)):
        some = slice(0, count)
        times = best_times({
            "numbers": lambda some=some: ufunc(q[some], qd[some], qdd[some], rows[some], out=out[some]),
            "folded": lambda some=some: folded(q[some], qd[some], qdd[some], out=out[some]),
            "reading": lambda some=some: reading(rows[some], out=last[some]),
        }, repetitions)
        each = {name: 1e9 * seconds / count for name, seconds in times.items()}
        found.append(Row(
            f"{title}, inverse_dynamics, all numbers of the mechanism, other ones for each state / folded, {count:,} "
            "states", times["numbers"] / times["folded"], at_most=required,
            remark=f"{each['numbers']:.1f} / {each['folded']:.1f} ns; reading {len(numbers)} numbers a state into "
                   f"lanes alone: {each['reading']:.1f} ns"))
    return found


def _reading(size: int) -> np.ufunc:
    """Reads so many numbers a state and writes one: what reading takes by itself."""
    inputs, outputs = [Operand("numbers", (size,))], [Operand("sum", (1,))]
    program = trace(lambda numbers: array([numbers[0] + numbers[size - 1]]), "reading", inputs, outputs)
    library = kernels.machine_code(kernels.llvm_text(program), ["reading_f8"], None)
    return make_ufunc("reading", "", {"f8": library.address("reading_f8")}, [(size,)], [(1,)], library)


def _with_numbers(tape: Tape, states_end: int) -> tuple[Tape, list[int]]:
    """A tape in which what depends on the design alone, and is used with the state, comes as an input; and which values
    of the whole tape these are.
    """
    design = range(states_end, tape.inputs)
    of_design = shared_by_states(tape, design).union(design)
    steps = [step for step in tape.steps() if step[0] not in of_design]
    used = {argument for _, _, arguments in steps for argument in arguments}
    numbers = sorted(of_design.intersection({*used, *tape.outputs}))
    new = {**{k: k for k in range(states_end)}, **{value: states_end + k for k, value in enumerate(numbers)}}
    for value in sorted([*tape.constants, *(value for value, _, _ in steps)]):
        new[value] = len(new)
    return Tape(
        states_end + len(numbers),
        {new[value]: constant for value, constant in tape.constants.items()},
        {new[value]: (name, tuple(new[argument] for argument in arguments)) for value, name, arguments in steps
         if value in tape.operations},
        {new[angle]: (new[pair[0]], new[pair[1]]) for angle, pair in tape.angles.items() if pair[0] in new},
        tuple(new[value] for value in tape.outputs),
    ), numbers


AGREEMENT = """
import sys
import warnings
import numpy as np
import loadpath as lp
from loadpath.engine import better
from loadpath.robot.design import designed
from loadpath.robot.parameters import parameters_of
warnings.simplefilter("ignore")  # random numbers are no sound bodies
better.AFTER = 3600.0  # robots of one call each need no optimised code
count, rng = int(sys.argv[1]), np.random.default_rng(1)
robot = lp.catalog.random_dh_arm(6, 1).with_payload(1.0)
values = {}
for parameter in parameters_of(robot, "all"):
    own = np.array(parameter.nominal)
    values[parameter.key] = own * rng.uniform(0.5, 1.5, (count, parameter.size)) if parameter.least == 0.0 else (
        own + 0.2 * np.abs(own).max() * rng.uniform(-1, 1, (count, parameter.size)))
state = rng.uniform(-2, 2, (3, 8, 6))
together = robot.family({p.key: values[p.key].reshape(count, *p.shape) for p in parameters_of(robot, "all")})
found = together.inverse_dynamics(*state)
worst = 0.0
for k in range(count):
    alone = designed(robot, {key: list(map(float, rows[k])) for key, rows in values.items()}).inverse_dynamics(*state)
    worst = max(worst, float(np.abs(found[k] - alone).max() / np.abs(alone).max()))
print(worst)
better.AT_EXIT = 0.0
"""


def _agreement(count: int) -> Row:
    """Arms with all of their numbers at random: as designs of a family, and each compiled by itself."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off"}
    command = [sys.executable, "-c", AGREEMENT, str(count)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return Row(f"{count:,} random designs of a 6R arm: family / each compiled, largest difference / largest torque",
               float(printed), at_most=1e-13, remark="all numbers, eight states each")


def _designs_a_second(repetitions: int) -> Row:
    """Designs through the map alone, from all masses, mass centers and inertias to the numbers of the reduced robot."""
    robot = lp.catalog.panda().with_payload(2.0)
    keys = [f"{link}.{part}" for link in robot.link_names for part in ("mass", "center_of_mass", "inertia")]
    parameters = parameters_of(robot, [*keys, *(f"{joint}.origin" for joint in robot.joint_names)])

    def equations(design: Array) -> Array:
        mechanism = MAKERS[reduced](robot, split(parameters, design), True)
        return array([x for body in mechanism.bodies for x in (body.mass, *body.moment, *body.inertia.flat, *body.arm)])

    size = sum(parameter.size for parameter in parameters)
    results = 16 * len(robot.joints)
    work = kernels.Work("map", "map", [Operand("design", (size,))], [Operand("numbers", (results,))])
    ufunc = kernels.kernel(None, work, lambda: equations).ufunc
    designs = np.tile([x for parameter in parameters for x in parameter.nominal], (1024, 1))
    out = np.empty((1024, results))
    ufunc(designs, out=out)
    better.settle()
    times = best_times({"map": lambda: ufunc(designs, out=out)}, repetitions)
    return Row("Panda: designs through the traced map, all inertias and places of joints", 1024 / times["map"],
               "1/s", at_least=1e6)


def _first_calls() -> list[Row]:
    """Processor time of the first call of a robot whose numbers a family has."""
    q = np.zeros((1000, 7))
    lp.catalog.panda().with_payload(1.0).inverse_dynamics(q, q, q)
    lp.catalog.panda().with_payload(1.0).joint_wrenches(q, q, q)
    found = []
    for name in ("inverse_dynamics", "joint_wrenches"):
        taken = []
        for mass in (2.0, 3.0, 4.0):
            robot = lp.catalog.panda().with_payload(mass)
            begin = time.process_time()
            getattr(robot, name)(q, q, q)
            taken.append(time.process_time() - begin)
        found.append(Row(f"Panda with another payload: first {name} of 1,000 states, processor time", min(taken), "s",
                         at_most=0.12))
    return found


def _many(repetitions: int) -> Row:
    """A thousand designs at two hundred states."""
    robot = lp.catalog.panda().with_payload(0.0)
    family = robot.family({"payload.mass": np.linspace(0, 3, 1000), "payload.center_of_mass": (0, 0, 0.1)})
    q, qd, qdd = states(robot, 200)
    out = np.empty((1000, 200, robot.n))
    times = best_times({"all": lambda: family.inverse_dynamics(q, qd, qdd, out=out)}, max(3, repetitions // 20))
    return Row("Panda: 1,000 payloads at 200 states, inverse_dynamics", 1e3 * times["all"], "ms",
               remark=f"{1e9 * times['all'] / 200_000:.1f} ns a pair")
