"""Angles of many turns: sines keep their digits, because a joint's zero is not added to them."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from loadpath.engine.program import Operand
from loadpath.engine.tape import read_tape
from loadpath.engine.trace import count, trace
from loadpath.robot.reduction import reduced
from loadpath.scalars import array, cos, sin
from references.to_pinocchio import to_pinocchio


def odd_zeros(robot: lp.Robot) -> list[float]:
    zeros = [getattr(body.motion, "zero", 0.0) for body in reduced(robot).bodies]
    return [zero for zero in zeros if abs(math.remainder(zero, math.pi / 2)) > 1e-9]


@pytest.mark.parametrize("size", [1e3, 1e6, 1e8, 1e15])
@pytest.mark.parametrize("compiled", [True, False])
def test_torques_at_large_angles_are_those_of_pinocchio(size: float, compiled: bool) -> None:
    robot = lp.catalog.random_dh_arm(6, seed=1)
    assert odd_zeros(robot)  # the test can fail
    peer, rng = to_pinocchio(robot), np.random.default_rng(3)
    data = peer.model.createData()
    q = rng.uniform(0.5, 1.0, (4, robot.n)) * size
    qd, qdd = rng.uniform(-1, 1, (2, 4, robot.n))
    ours = (robot.inverse_dynamics if compiled else robot.inverse_dynamics.uncompiled)(q, qd, qdd)
    theirs = np.array(
        [
            peer.speeds.T @ pin.rnea(peer.model, data, peer.q(a), peer.speeds @ b, peer.speeds @ c)
            for a, b, c in zip(q, qd, qdd, strict=True)
        ]
    )
    assert np.abs(ours - theirs).max() < 1e-13 * np.abs(theirs).max()


def test_constants_come_out_of_the_angles_of_a_tape() -> None:
    program = trace(lambda x: array([sin(x[0] + 0.3), cos((3.0 * x[1] + 0.1) - 0.5), sin(0.7 - x[0]), sin(x[0])]), "f",
                    [Operand("x", (2,))], [Operand("y", (4,))])
    before, after = read_tape(program, as_traced=True), read_tape(program)
    assert len(before.angles) == 4
    assert len(after.angles) == 3  # x0 once for two of them
    assert count(program).multiplications == 1  # as it is written, not as it is compiled
    for value, (_, arguments) in after.operations.items():
        assert all(argument < value for argument in arguments)


def test_the_angles_of_a_dh_table_keep_their_digits() -> None:
    arm = lp.from_dh([{"theta": 0.3, "a": 0.5, "mass": 2.0, "inertia": (0.1, 0.1, 0.1)}], gravity=(0, -9.81, 0))
    for size in (1e5, 1e10, 1e15):
        wanted = 2.0 * 9.81 * 0.5 * (math.cos(size) * math.cos(0.3) - math.sin(size) * math.sin(0.3))
        assert arm.gravity_forces([size])[0] == pytest.approx(wanted, abs=1e-13)
