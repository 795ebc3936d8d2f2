"""Robots on wheels in time, made ready for the stepper; `rover.roll`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.mobile.applied_wrenches import AppliedWrenches, External
from loadpath.mobile.closed_rover_system import ClosedElements, ClosedForces, ClosedRoverSystem
from loadpath.mobile.contacts.elements import Elements
from loadpath.mobile.contacts.forces import ContactForces
from loadpath.mobile.equations import BASE
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.guidance import Guidance, Steering
from loadpath.mobile.kinematics import constraint_rows
from loadpath.mobile.links import passive_joints
from loadpath.mobile.motions import MOVES_BY, base_components
from loadpath.mobile.rover_system import RoverSystem
from loadpath.mobile.spatial.closed import ClosedSpatialSystem
from loadpath.mobile.spatial.forces import SpatialForces
from loadpath.mobile.spatial.geometry import Contacts
from loadpath.mobile.spatial.handover import PlaneThenSpace
from loadpath.mobile.spatial.result import check_in_space, recorded_in_space
from loadpath.mobile.spatial.start import first_in_space
from loadpath.mobile.spatial.suspension import check_in_time
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.mobile.wheel_drives import RoverState, WheelDrives
from loadpath.motion.motion import Motion
from loadpath.progress import Report
from loadpath.robot.numbers import Names, chosen_names
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.simulate.asked import RTOL as FINE
from loadpath.simulate.asked import Asked, Prepared
from loadpath.simulate.closed.simulation import RTOL, refuse_lsoda
from loadpath.simulate.closed.start import on_manifold
from loadpath.simulate.drive import numbers
from loadpath.simulate.result import Simulation
from loadpath.simulate.simulation import simulate
from loadpath.states import as_motion, is_motion, refuse_keywords

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Stop = Callable[[float, RoverState], float]
FREEDOMS = ("x", "y", "yaw")


def prepared(asked: Asked) -> Prepared:
    """A rover at its start."""
    rover, options = asked.robot, asked.options
    _check_robots(rover)
    freedoms = chosen_names(options.get("freedoms"), FREEDOMS, "simulate: 'freedoms'", "freedom of a base")
    drives = WheelDrives(rover, *(options.get(name) for name in ("wheel_torques", "wheel_rates", "brakes")))
    motion, base_motion = _robots_motion(asked), options.get("base_motion")
    if base_motion is not None:
        _check_base_motion(base_motion, options)
    moments = asked.moments(motion=motion, base_motion=base_motion)
    begin = float(moments[0])
    span = float(moments[-1]) - begin
    driven = motion is None
    turned = Steering(rover, options.get("steering"))
    corners = turned.follow(begin, begin + span)
    guidance = Guidance(rover, motion, base_motion, drives, turned)
    closed = _closes(rover, driven)
    sought = np.ones(rover.n, dtype=bool) if driven else passive_joints(rover)
    elements = (ClosedElements if closed else Elements)(
        rover, set(drives.rates), set(drives.brakes), driven_joints=sought, base_is_free=base_motion is None
    )
    free = _free(rover, elements, drives, sought, base_motion, freedoms)
    steady = not turned.changes and not (closed and elements.count > elements.contact_rows)
    angles = turned.at(begin)[0] if steady else None
    applied = AppliedWrenches(rover, asked.external)
    drive = asked.drive(rover.robot, span)
    q, qd = asked.start(rover.robot) if motion is None else (motion.q[0], motion.qd[0])
    pose, velocity = _base_start(options, freedoms)
    qd = qd if motion is None else _following(rover, motion, sought, turned, velocity)
    timed = not driven or base_motion is not None or callable(asked.torque) or drives.changing or turned.timed
    timed = timed or rover.ground.motion is not None
    # A law that bends in its higher derivatives is not seen by the estimate of a long step's error.
    longest = max(span, 1e-12) / (100 if guidance.timed else 50 if timed or applied.changing else 20)
    contacts = rover, elements, drives, free, angles
    given = guidance, drive, applied, begin
    manifold, strict = None, bool(options.get("strict", True))
    if closed:
        refuse_lsoda(asked.method)
        manifold, q, qd, _ = on_manifold(rover.robot, q, qd, strict=strict)
    space: SpatialSystem | None = None
    if _may_leave_plane(rover, asked, base_motion, freedoms):
        moved = _spatial_forces(rover, elements, free, drives)
        space = SpatialSystem(moved, *given) if manifold is None else (
            ClosedSpatialSystem(manifold, moved, *given, q, strict=strict))
    plane: RoverSystem | None = None
    system: Any
    how = asked.settings(longest, rtol=RTOL if closed or guidance.timed else FINE, atol_per_rtol=1e-2)
    if space is not None and _needs_space(rover):
        system, y = space, first_in_space(space, (pose, velocity, q, qd))
    else:
        plane = RoverSystem(ContactForces(*contacts), *given) if manifold is None else (
            ClosedRoverSystem(ClosedForces(manifold, *contacts), *given, q, strict=strict))
        system = plane if space is None else PlaneThenSpace(plane, space)
        y = plane.first((pose, velocity, q, qd))
    return Prepared(
        system, y, how, moments,
        sorted({*(begin + float(t) for t in drive.breaks(span)), *corners, *guidance.corners(begin, begin + span),
                float(moments[-1])}),
        lambda t, y: (system.state(t, y),),
        lambda run: recorded_in_space(rover, plane, space, run),
        lambda found: check_in_space(found, plane, space, how.rtol),
        begin,
    )


def _closes(rover: Rover, driven: bool) -> bool:
    """Whether loops are kept closed by forces: of robots under torques; where their motion is given, it keeps them."""
    if not driven and rover.robot.closing_names and rover.linkage is not None:
        raise ModelError(f"rover '{rover.name}' has wheels on links, and loops or couplings "
                         f"({', '.join(rover.robot.closing_names)}): with a given motion of its robots it is not known "
                         "how passive joints follow; give torque= in place of the motion, or a mimic in place of a "
                         "coupling")
    return driven and bool(rover.robot.closing_names)


def _may_leave_plane(
    rover: Rover, asked: Asked, base_motion: Motion | None, freedoms: Sequence[str]
) -> bool:
    """Whether the base is simulated as a free body where it leaves the plane; on springs it must be."""
    ground = rover.ground
    cannot = {
        "a given base_motion": base_motion is not None,
        "a base with fewer freedoms": len(freedoms) < len(FREEDOMS),
        "the method LSODA": asked.method == "LSODA",
    }
    missing = next((what for what, there in cannot.items() if there), "")
    if missing and rover.linkage is not None:
        raise ModelError(f"rover '{rover.name}' has wheels on links, and simulate moves it as a free body, which it "
                         f"cannot do with {missing}: wheel_rates= lead it along a path, a torque= or a motion of the "
                         "joints that have drives moves these, and passive joints follow")
    if missing and ground.surface is not None:
        raise ModelError(f"rover '{rover.name}' stands on uneven ground, and simulate moves it there as a free body, "
                         f"which it cannot do with {missing}: lp.Ground without a surface has a plane")
    if missing and rover.base.on_tyres:
        raise ModelError(f"rover '{rover.name}' stands on wheels with a stiffness, and simulate moves such a base as a "
                         f"free body, which it cannot do with {missing}: rover.without_beams().simulate(...) simulates "
                         "it on rigid wheels")
    return not missing


def _refuse_torques(contacts: Contacts, drives: WheelDrives) -> None:
    """An error for torques of wheels without a rate of their own on ground of several pieces, of which such a torque
    knows one.
    """
    pulled = [int(k) for k in contacts.elements.pulled if int(k) in drives.torques]
    if len(contacts.pieces) > 1 and pulled:
        raise ModelError(f"simulate: wheel '{contacts.names[pulled[0]]}' has a torque and no spin inertia, on ground "
                         "of several pieces (a kerb, a ramp): give it spin_inertia=..., or a rate in wheel_rates")


def _needs_space(rover: Rover) -> bool:
    """Whether the base is a free body from the beginning: on springs, on uneven ground, and where the ground turns
    under wheels that have a spin inertia.
    """
    motion = rover.ground.motion
    turns = motion is not None and motion.turns and bool(rover.arrangement.axle_inertia.any())
    return rover.base.on_tyres or rover.base.on_links or rover.ground.surface is not None or turns


def _touching(rover: Rover, elements: Elements) -> Contacts:
    """All that may touch the ground; body points have the friction of ground or base."""
    friction = rover.ground.friction or rover.base.friction
    if rover.base.body_points and friction is None:
        raise ModelError(f"base '{rover.name}' has body points, and no friction is known of them: give base or ground "
                         "a friction=lp.WheelFriction(sliding=...)")
    return Contacts(rover, elements, (0.0, 0.0) if friction is None else (friction.static, friction.sliding))


def _spatial_forces(
    rover: Rover, elements: Elements, free: NDArray[np.bool_], drives: WheelDrives
) -> SpatialForces:
    """The equations of a free body: its own speeds and those of its hubs are sought."""
    contacts = _touching(rover, elements)
    _refuse_torques(contacts, drives)
    hubs = np.ones(len(contacts.sprung.columns), dtype=bool)
    return SpatialForces(rover, contacts, np.concatenate([np.ones(SPATIAL, dtype=bool), free[BASE:], hubs]))


class RollOptions(TypedDict, total=False):
    """The options of `simulate` that go with a given motion of the robots."""

    duration: float | None
    velocity: ArrayLike | None
    pose: ArrayLike
    wheel_torques: Mapping[str, float | Callable[[float, RoverState], float]] | None
    wheel_rates: Mapping[str, float | Callable[[float], float]] | None
    brakes: Mapping[str, bool | float | Callable[[float], float]] | None
    steering: ArrayLike | Mapping[str, float | Callable[[float], float]] | None
    freedoms: Names
    base_motion: Motion | None
    external: External
    times: ArrayLike | None
    sample_rate: float | None
    stop: Stop | None
    method: str
    rtol: float
    atol: float | None
    max_step: float | None
    progress: bool | Report


def roll(rover: Rover, motion: Motion, **options: Unpack[RollOptions]) -> Simulation:
    """The base rolls, or slides, in reaction to a given motion of the robots on it: the thesis's non-forcing case.
    `options` are those of `simulate`; with `wheel_torques` or `wheel_rates` it becomes the forcing case. Passive joints
    between the base and wheels on links (hitches, rockers) follow; the motion has where they are at its beginning.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8))
    >>> swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    >>> rolled = rover.roll(swing)
    >>> bool(rolled.pose[-1, 2] < 0), rolled.energy_drift < 1e-6               # it has turned the other way
    (True, True)
    """
    refuse_keywords("roll", {name: None for name in options if name not in RollOptions.__annotations__}, MOVES_BY)
    if motion is None:
        raise ValueError("roll: 'motion' is None: expected an lp.Motion of the robots on the base")
    return simulate(rover, motion=motion, **options)


def _robots_motion(asked: Asked) -> Motion | None:
    motion = asked.options.get("motion")
    if motion is None:
        return None
    if not is_motion(motion):
        raise ValueError(f"simulate: 'motion' is {motion!r}: expected an lp.Motion of the robots on the base")
    if asked.q is not None or asked.qd is not None or asked.torque is not None:
        raise ValueError("simulate: a given motion of the robots leaves no room for q, qd or torque")
    return as_motion(asked.robot, motion, "simulate")


def _check_base_motion(given: Motion, options: Mapping[str, Any]) -> None:
    if not isinstance(given, Motion) or given.q.shape[1] != BASE or given.qd.shape[1] != BASE:
        raise ValueError("simulate: 'base_motion' must be an lp.Motion with three coordinates: x, y and heading of the "
                         "base in the frame of the ground")
    if "velocity" in options or any(options.get(name) for name in ("wheel_torques", "wheel_rates", "brakes")):
        raise ValueError("simulate: a given motion of the base leaves no room for velocity, wheel_torques, wheel_rates "
                         "or brakes")


def _free(
    rover: Rover, elements: Elements, drives: WheelDrives, sought: Bools, base_motion: Motion | None,
    freedoms: Sequence[str],
) -> NDArray[np.bool_]:
    """Which speeds are free to change; the others are given, or held at zero."""
    free = np.ones(elements.size, dtype=bool)
    free[:BASE] = [entry in freedoms and base_motion is None for entry in FREEDOMS]
    free[BASE : BASE + rover.n] = sought
    free[BASE + rover.robot.mobility : BASE + rover.n] = False  # what loops hold, see `ClosedRoverSystem`
    for k in drives.rates:
        free[elements.spin_at[k]] = False
    if base_motion is not None:
        free[BASE + rover.n :] = False
    return free


def _following(rover: Rover, motion: Motion, passive: Bools, turned: Steering, velocity: Floats) -> Floats:
    """(n,): speeds at the beginning of a given motion, in which passive joints follow: as the wheels roll."""
    qd: Floats = np.where(passive, 0.0, motion.qd[0])
    if not passive.any():
        return qd
    for joint, where in rover.robot.q_slices.items():
        if passive[rover.robot.v_slices[joint]].any() and np.ptp(motion.q[:, where], axis=0).any():
            raise ValueError(f"roll: the motion moves '{joint}', which is passive and follows: hold it where it is at "
                             "the start; a drive makes it one that moves as given (robot.with_drives)")
    q, wheels = motion.q[0], rover.arrangement
    rows = constraint_rows(wheels, wheels.placed(turned.begins(float(motion.t[0]), velocity), q))
    sideways = rows[:, :BASE] @ velocity + rows[:, BASE:] @ qd
    qd[passive] = np.linalg.lstsq(rows[:, BASE:][:, passive], -sideways, rcond=1e-9)[0]
    return qd


def _base_start(options: Mapping[str, Any], freedoms: Sequence[str]) -> tuple[Floats, Floats]:
    """Pose and velocity of the base at the beginning."""
    pose, velocity = numbers(options.get("pose", np.zeros(BASE)), "pose"), options.get("velocity", (0.0, 0.0))
    if pose.shape != (BASE,):
        raise ValueError(f"simulate: 'pose' has the shape {pose.shape}: expected (3,): x, y and heading")
    speed = base_components(velocity, "velocity")
    if speed.shape != (BASE,) or not np.isfinite(speed).all():
        raise ValueError(f"simulate: 'velocity' is {velocity!r}: expected (v, w) or (v_x, v_y, w), finite")
    held = [name for name, v in zip(FREEDOMS, speed, strict=True) if v and name not in freedoms]
    if held:
        raise ValueError(f"simulate: the base moves along '{held[0]}', which is not among its freedoms "
                         f"({', '.join(freedoms) or 'none'})")
    return pose, speed


def _check_robots(rover: Rover) -> None:
    """An error for a rover that nothing can accelerate soundly, or whose robots would swing on their beams."""
    if rover.robot.is_elastic:
        raise ModelError(f"rover '{rover.name}' carries a robot with beams or compliant joints, and simulate moves "
                         "rigid links: rover.without_beams().simulate(...) simulates the rigid rover, and its result "
                         "can be handed to rover.deflection, rover.stress and rover.report")
    if rover.base.on_tyres:
        _check_tyres(rover)
    if not sum(link.inertia.mass for link in rover.robot.links) > 0:
        raise ModelError(f"rover '{rover.name}' has no mass: it cannot be simulated")


def _check_tyres(rover: Rover) -> None:
    """An error for wheels on springs of which something is not known in time."""
    rigid = "rover.without_beams().simulate(...) simulates it on rigid wheels, which share their loads as with the " \
        "stiffness"
    check_in_time(rover, rigid)
    for wheel in rover.base.wheels:
        if wheel.grip_stiffness is not None:
            raise ModelError(f"contact '{wheel.name}' of rover '{rover.name}' has a grip_stiffness, and simulate has "
                             f"wheels on springs along the ground's normal only: leave it out; {rigid}")
        if wheel.damping is None and wheel.suspension is None:
            raise ModelError(f"contact '{wheel.name}' of rover '{rover.name}' has a stiffness, and its damping is not "
                             f"known: give damping= (N s/m; 0 for none); {rigid}")
