"""What users write, as type checkers see it: `mypy --strict` and pyright read this file and find nothing to say; what
they must refuse is marked, and they complain if it is not refused. It is never run.
"""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import loadpath as lp
from loadpath.engine.packed import Packed
from loadpath.quantities.wrench import JointWrenches
from loadpath.results import (
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    LoadTerms,
    MixedDynamics,
    Momentum,
)

Floats = NDArray[np.float64]


def first_call() -> None:
    """What the README shows first."""
    arm = lp.catalog.panda()
    q, qd, qdd = np.zeros((1000, 7)), np.zeros((1000, 7)), np.zeros((1000, 7))
    assert_type(arm.inverse_dynamics(q, qd, qdd), Floats)
    assert_type(arm.inverse_dynamics([0.0] * 7, [0.0] * 7, [0.0] * 7), Floats)
    assert_type(arm.inverse_dynamics(q=q, qd=qd, qdd=qdd, gravity=(0, 0, -1.62)), Floats)
    assert_type(arm.inverse_dynamics(q, qd, qdd, external={"panda_hand": lp.Wrench(force=(0, 0, -9.81))}), Floats)
    arm.inverse_dynamics(1, 2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    arm.inverse_dynamics(q, qd, qdd, gravty=(0, 0, 0))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    assert_type(arm.inverse_dynamics.ufunc, np.ufunc)


def results_have_names(robot: lp.Robot, q: Floats, qd: Floats, qdd: Floats) -> None:
    """Results are not `Any`."""
    assert_type(robot.joint_wrenches(q, qd, qdd), JointWrenches)
    assert_type(robot.joint_wrenches(q, qd, qdd)["joint1"].torque, Floats)
    assert_type(robot.static_wrenches(q).determinate, NDArray[np.bool_])
    assert_type(robot.load_terms(q, qd, qdd, by="joint"), LoadTerms)
    assert_type(robot.momentum(q, qd), Momentum)
    assert_type(robot.base_wrench(q, qd, qdd), lp.Wrench)
    assert_type(robot.mixed_dynamics(q, qd, accelerations={"joint1": 1.0}, forces={"joint2": 0.0}), MixedDynamics)
    assert_type(robot.link_velocities(q, qd)["tip"].linear, Floats)
    assert_type(robot.step(q, qd, qdd, 0.001), tuple[Floats, Floats])
    assert_type(robot.jacobian(q, "tip", point=(0, 0, 0.1)), Floats)
    assert_type(robot.complement(q), Floats)
    robot.mass_matrix()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    robot.jacobian(q, 3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def packed_or_not(robot: lp.Robot, q: Floats, qd: Floats, qdd: Floats) -> None:
    """`packed=` says which result comes."""
    assert_type(robot.inverse_dynamics_derivatives(q, qd, qdd), InverseDynamicsDerivatives)
    assert_type(robot.inverse_dynamics_derivatives(q, qd, qdd, packed=True), Packed[InverseDynamicsDerivatives])
    assert_type(robot.inverse_dynamics_second_derivatives(q, qd, qdd), Packed[InverseDynamicsSecondDerivatives])
    assert_type(robot.inverse_dynamics_second_derivatives(q, qd, qdd).dense(), InverseDynamicsSecondDerivatives)
    assert_type(robot.regressor(q, qd, qdd), Floats)


def motions(robot: lp.Robot) -> None:
    """A motion or simulation stands for its states."""
    motion = lp.Motion.through(robot, [[0.0, 0.0], [1.0, 0.5]], 2.0)
    assert_type(robot.inverse_dynamics(motion), Floats)
    assert_type(robot.joint_wrenches(motion, gravity=(0, 0, 0)), JointWrenches)
    assert_type(robot.force_along(motion, (0, 0, 1), joint="joint2"), Floats)
    simulation = robot.simulate([0.1, 0.2], duration=1.0)
    assert_type(robot.forward_dynamics(simulation), Floats)
    assert_type(robot.kinetic_energy(simulation), Floats)
    robot.inverse_dynamics(motion, [0.0, 0.0])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def other_questions(robot: lp.Robot, motion: lp.Motion) -> None:
    """Calls that are no compiled quantities, and what users make robots of."""
    print(robot.verdict(motion), robot.peak_loads(motion), robot.load_breakdown(motion), robot.deflection(motion))
    assert_type(robot.with_payload(5.0, center_of_mass=np.array([0.0, 0.0, 0.1])), lp.Robot)
    arm = lp.Link("arm", lp.Inertia(2.0, [0.3, 0, 0], np.diag([0.1, 0.2, 0.2])))
    hinge = lp.Joint("hinge", "base", "arm", lp.Revolute(), (0, 0, 0.4), viscous_friction=0.1, limits=lp.Limits(-1, 1))
    assert_type(hinge.limits, tuple[lp.Limits, ...])
    made = lp.Robot("one", [lp.Link("base"), arm], [hinge])
    tube = lp.Tube(outer_radius=0.04, wall=0.003)
    assert_type(made.with_beams({"arm": lp.Beam(tube, lp.STEEL, end=(0.6, 0, 0))}).is_elastic, bool)
    lp.Wrench(force=(0, 0, -9.81), axes="tool")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def designs_and_cycles(robot: lp.Robot, rover: lp.Rover, motion: lp.Motion) -> None:
    """Sizes, studies, the fastest motion, stops, hits and how certain it all is."""
    assert_type(robot.fastest(motion, {"acceleration": 5.0}, factor=0.8).duration, float)
    assert_type(robot.fastest(motion).motion, lp.Motion)
    assert_type(robot.path_durations([[[0.0, 0.0], [1.0, 0.5]]]), Floats)
    assert_type(robot.size(motion, {"joint1": lp.parts.read("gears.csv")}, hours=20_000), lp.Sizing)
    assert_type(robot.stop(motion, at="worst", category=1, brakes={"joint1": 50.0}), lp.Stop)
    assert_type(lp.uncertainty(robot, motion, lp.Tolerances()), lp.Uncertainty)
    space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 9)})
    study = lp.study(robot, space, motion, answers=["mass", "joint1.drive"])
    assert_type(study, lp.Study)
    assert_type(study.run(progress=True), lp.Study)
    assert_type(robot.worst_case("joint1", "drive", over=lp.Box(q=[(0, 1)], qd=[(0, 1)], qdd=[(0, 1)])), lp.WorstCase)
    assert_type(robot.verdict(motion, hours=20_000).holds, bool)
    print(rover.fastest(motion), rover.wheel_loads(motion), robot.report(motion, fastest=True).save("r.html"))
    robot.stop(motion, category="2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    robot.fastest()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
