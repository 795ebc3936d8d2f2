"""Families against robots with their numbers folded in: what numbers as arguments cost, and what they save."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.peers import states
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.engine import better, kernels
from loadpath.engine.family import split
from loadpath.engine.program import Operand
from loadpath.robot.parameters import parameters_of
from loadpath.robot.reduction import reduced
from loadpath.robot.varied import MAKERS
from loadpath.scalars import Array, array

BATCH = 2048


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 3 if quick else 100
    found = []
    for title, robot in (("Panda", lp.catalog.panda().with_payload(2.0, (0.0, 0.02, 0.1))),
                         ("6R arm", lp.catalog.random_dh_arm(6, seed=1).with_payload(2.0))):
        found += _ratios(title, robot, repetitions)
    return [*found, _designs_a_second(repetitions), *_first_calls(), _many(repetitions)]


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
