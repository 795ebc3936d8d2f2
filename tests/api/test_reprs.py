"""What is seen when a result's name is typed: names of joints (links, wheels, the robot) and units, no bare arrays.

All classes that public methods of robots and public functions return are found by their annotations: each is shown
here, or excused with a reason.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
LIMITS = {name: {"effort": 100.0, "velocity": 3.0, "lower": -1.0, "upper": 1.0} for name in ("joint1", "joint2")}
ARM = lp.catalog.planar(2).with_payload(1.0).with_limits(LIMITS)
CLOSED, ROVER = lp.catalog.four_bar(), lp.catalog.lau_rover()
MOTION = lp.Motion.swing(ARM, 21)
Q, STILL = np.array([0.1, 0.2]), np.zeros(2)
ON_WHEELS = (np.zeros(ROVER.n),) * 3


def beams() -> Any:
    tube = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.ALUMINIUM, end="joint2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ARM.with_beams({"link1": tube})


SHOWN: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "JointWrenches": (lambda: ARM.joint_wrenches(Q, STILL, STILL), ("joint1", "joint2", "(N)", "(N m)")),
    "ClosedJointWrenches": (lambda: CLOSED.joint_wrenches(CLOSED.home, np.zeros(3), np.zeros(3)),
                            (CLOSED.joint_names[0], "(N)", "(N m)")),
    "LoadBreakdown": (lambda: ARM.load_breakdown(Q, STILL, STILL), ("4 joints", "one state")),
    "LoadTerms": (lambda: ARM.load_terms(Q, STILL, STILL), ("N, N m", "rotor")),
    "PeakLoads": (lambda: ARM.peak_loads(MOTION), ("planar2", "1 s")),
    "MaxPayload": (lambda: ARM.max_payload(MOTION), ("kg", "joint", " s")),
    "Largest": (lambda: ARM.largest("payload", MOTION), ("kg", "joint")),
    "Verdict": (lambda: ARM.verdict(MOTION), ("planar2", "joint", "%")),
    "Motion": (lambda: MOTION, ("planar2", "1 s")),
    "Simulation": (lambda: ARM.simulate(Q, STILL, duration=0.05), ("planar2", "0.05 s")),
    "Linearization": (lambda: ARM.linearize(Q, STILL), ("4 states", "2 inputs")),
    "LoadCases": (lambda: ARM.load_cases(MOTION), ("planar2", "links")),
    "LoadSpectra": (lambda: ARM.load_spectra(MOTION), ("joint1", "joint2")),
    "Family": (lambda: ARM.family(["link1.mass"]), ("planar2", "link1.mass")),
    "WorstCase": (lambda: ARM.worst_case("joint1", "drive", over=lp.Box(q=[(0, 1)] * 2, qd=[(0, 0)] * 2,
                                                                        qdd=[(0, 0)] * 2)), ("joint1", "N m")),
    "Fastest": (lambda: ARM.fastest(MOTION), ("planar2", " s,")),
    "Stop": (lambda: ARM.stop(MOTION, at=0.1, category=1, brakes={"joint1": 80.0, "joint2": 80.0}), ("planar2", " s")),
    "InverseDynamicsDerivatives": (lambda: ARM.inverse_dynamics_derivatives(Q, STILL, STILL), ("dof_names", "N m")),
    "ForwardDynamicsDerivatives": (lambda: ARM.forward_dynamics_derivatives(Q, STILL, STILL), ("dof_names", "rad/s^2")),
    "JointWrenchDerivatives": (lambda: ARM.joint_wrench_derivatives(Q, STILL, STILL), ("by joint", "(N m)", "rad")),
    "Packed": (lambda: ARM.regressor(Q, STILL, STILL, packed=True), ("of", "entries")),
    "BaseParameters": (ARM.base_parameters, ("planar2",)),
    "Verification": (lambda: lp.verify(ARM, 3), ("planar2", "N m")),
    "Checkup": (lambda: lp.check(ARM), ("planar2", "warning")),
    "Comparison": (lambda: lp.compare(ARM, ARM, MOTION), ("planar2", "loads")),
    "Study": (lambda: lp.study(ARM, lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 3)}), MOTION, answers=["mass"]),
              ("payload.mass", "3 designs")),
    "Identification": (lambda: lp.identify(ARM, MOTION, ARM.inverse_dynamics(MOTION.q, MOTION.qd, MOTION.qdd)),
                       ("planar2",)),
    "Uncertainty": (lambda: lp.uncertainty(ARM, MOTION, lp.Tolerances()), ("checks",)),
    "Deflection": (lambda: beams().deflection(Q), ("links", " m")),
    "Stress": (lambda: beams().stress(Q), ("link1", " m")),
    "Buckling": (lambda: beams().buckling(Q), ("planar2", "link1")),
    "BucklingSafety": (lambda: beams().buckling_safety(Q), ("link1", " m")),
    "Modes": (lambda: beams().natural_frequencies(Q), ("planar2", "Hz", "link1")),
    "Extremes": (lambda: beams().extremes(MOTION), ("link1", "mm", "Pa", " N ")),
    "MotionResponse": (lambda: beams().respond(MOTION), ("planar2", "mm", " s")),
    "Fatigue": (lambda: beams().fatigue(MOTION), ("fibres",)),
    "ShapedMotion": (lambda: beams().shaped(MOTION), ("planar2", "Hz", "mm")),
    "Assembly": (lambda: CLOSED.assemble([0.1]), ("coordinate_names", "rad or m")),
    "Completed": (lambda: CLOSED.complete(CLOSED.home, [0.1], [0.0]), ("dof_names", "rad/s")),
    "WheelLoads": (lambda: ROVER.wheel_loads(*ON_WHEELS), ("wheel1", "(N)", "(N m)")),
    "Stability": (lambda: ROVER.stability(*ON_WHEELS), ("rover", "wheel1", ", m", "(N m)")),
    "Slip": (lambda: ROVER.slip(*ON_WHEELS), ("wheel1", "(N)")),
    "Wrench": (lambda: ROVER.ground_wrench(*ON_WHEELS), ("axes", "N", "N m")),
    "WheelMotion": (lambda: ROVER.wheel_motion(velocity=(1, 0)), ("wheel1", "rad/s", "m/s")),
    "WheelLoadBreakdown": (lambda: ROVER.wheel_load_breakdown(*ON_WHEELS), ("contacts", "causes")),
    "WheelLoadDerivatives": (lambda: ROVER.wheel_load_derivatives(*ON_WHEELS), ("wheel1", "(N)", "rad/s")),
    "RoverAccelerations": (lambda: ROVER.base_acceleration(*ON_WHEELS), ("wheel1", "m/s^2", "(N)")),
    "FoundationLoads": (lambda: ARM.foundation_loads(MOTION), ("planar2", " N ", "N m")),
    "Jam": (lambda: ARM.jam(MOTION, at=0.3, joint="joint1", stiffness=3e4), ("joint1", "N m", " s")),
    "StaticCompliance": (lambda: beams().static_compliance(Q), ("planar2", "mm/N")),
    "Robot": (lambda: ARM, ("planar2", "joints")),
    "Report": (lambda: ARM.report(MOTION, only=["drives"]), ("planar2", "Drives")),
}
EXCUSED = {
    "Any": "no class", "Array": "of JAX", "Callable": "no class", "Figure": "of Plotly", "Floats": "an array",
    "Function": "of CasADi", "Iterator": "no class", "NDArray": "an array", "None": "nothing", "Self": "the robot",
    "Value": "of a space", "Span": "of a space", "Compiled": "a function",
    "ClosedRobot": "as Robot", "FlexibleRobot": "as Robot", "Rover": "as Robot", "RobotModel": "as Robot",
    "Joint": "what a robot is made of", "Link": "what a robot is made of", "Mimic": "what a robot is made of",
    "WheelFriction": "what a rover is made of", "BaseMotion": "an input", "Project": "a file",
    "Equations": "symbols with the robot's name", "OperationCount": "counts by name", "Viewer": "a page",
    "WebAssemblyKernel": "code", "Simulations": "as Simulation", "RainflowCycles": "of numbers without a unit",
    # Of long work, shown by tests of their own rooms.
    "BandwidthCheck": "tests/structure", "Compensation": "tests/structure", "FrequencyMap": "tests/structure",
    "FrequencyResponse": "tests/structure", "Excitation": "tests of identification", "IKResult": "tests/kinematics",
    "LimitMap": "tests/mobile", "MotorLoads": "tests of motors", "PayloadDiagram": "tests of payload diagrams",
    "Posture": "tests/mobile", "RideModes": "tests/mobile", "Rollout": "tests/simulate", "RotationAxis": "tests",
    "Singularities": "tests/kinematics", "Sizing": "tests of sizing", "Collision": "tests/stops",
    "RoverEvent": "an event of a simulation", "Datasheet": "a page", "DutyMap": "tests of data sheets",
}


def returned() -> set[str]:
    """Names of classes that public methods and functions say they return."""
    found: set[str] = set()
    for owner in (ARM, beams(), CLOSED, ROVER):
        for name in dir(type(owner)):
            function = getattr(type(owner), name, None)
            if not name.startswith("_") and callable(function):
                found |= _classes(function)
    for name in lp.__all__:
        function = getattr(lp, name)
        if inspect.isfunction(function):
            found |= _classes(function)
    return found


def _classes(function: Any) -> set[str]:
    try:
        annotation = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return set()
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return set(re.findall(r"(?<![\w.])[A-Z]\w+", re.sub(r"\w+\.", "", text)))


def test_every_class_that_is_returned_is_shown_or_excused() -> None:
    found = returned()
    assert len(found) > 50
    assert found - set(SHOWN) - set(EXCUSED) == set()
    assert not set(SHOWN) & set(EXCUSED)


@pytest.mark.parametrize("name", SHOWN)
def test_a_result_shows_names_and_units(name: str) -> None:
    make, words = SHOWN[name]
    result = make()
    assert name in {one.__name__ for one in type(result).__mro__}
    said = repr(result)
    assert "array(" not in said and "object at 0x" not in said
    for word in words:
        assert word in said, said


def test_batches_show_their_range_and_what_is_not_known() -> None:
    q = np.array([[0.0, 0.0], [np.pi / 2, 0.0], [np.nan, 0.0]])
    said = repr(ARM.joint_wrenches(q, 0 * q, 0 * q)).splitlines()
    assert "smallest to largest over 3 states" in said[0]
    assert re.search(r"0 to 29\.43, or nan|0 to 39\.24, or nan", "\n".join(said))
    assert "-0 " not in "\n".join(said)


def test_what_a_trace_goes_through_can_be_shown() -> None:
    class Traced:
        shape = (2, 2)

        def __array__(self, *_: object, **__: object) -> Any:
            raise TypeError("there are no numbers")

    traced: Any = Traced()
    assert "q (2, 2)" in repr(type(ARM.inverse_dynamics_derivatives(Q, STILL, STILL))(traced, traced, traced))
