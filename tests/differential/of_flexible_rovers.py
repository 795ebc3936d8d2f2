"""Arms with beams on wheels: finite elements of the same arm on two slides and a turntable that move like the base."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from frame_of_arm import ArmFrame

import loadpath as lp
from differential.of_elastic import end_forces
from differential.of_elastic import made as arm_of
from differential.register import Compared, check
from differential.robots import Case
from references.to_pinocchio import to_pinocchio

CARRIERS = ("~slide x", "~slide y", "~turntable")


@lru_cache(maxsize=4)
def made(seed: int, number: int) -> lp.Rover:
    rng = Case(seed, number).rng("flexible rover")
    arm = arm_of(seed, number)
    wheels = [
        lp.FixedWheel((0, 0.4), 0.1),
        lp.FixedWheel((0, -0.4), 0.1),
        lp.CasterWheel((0.6, 0), 0.1),
        lp.CasterWheel((-0.6, 0), 0.1),
    ]
    base = lp.WheeledBase(mass=300, center_of_mass=(0, 0, 0.2), wheels=wheels, friction=lp.WheelFriction(0.8))
    ground = lp.Ground(slope=float(rng.uniform(0, 0.3)))
    return base.carrying(arm, at=lp.Pose.from_xyz_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-2, 2, 3)), ground=ground)


def motion_of(case: Case) -> dict[str, Any]:
    rng = case.rng("moving base")
    return {
        "velocity": rng.normal(size=3),
        "acceleration": 2 * rng.normal(size=3),
        "heading": float(rng.uniform(-3, 3)),
    }


def carried(rover: lp.Rover, heading: float) -> lp.FlexibleRobot:
    """The rover's arm on joints that move its base: along x, along y, about z. World axes are the base's own."""
    arm, ground = rover.robot, rover.ground
    along, down = ground.gravity * np.sin(ground.slope), ground.gravity * np.cos(ground.slope)
    gravity = (-along * np.cos(heading), along * np.sin(heading), -down)
    places = ["~ground", *CARRIERS[:-1], arm.base.name]
    motions = (lp.Prismatic((1, 0, 0)), lp.Prismatic((0, 1, 0)), lp.Revolute((0, 0, 1)))
    joints = [lp.Joint(name, places[k], places[k + 1], motions[k]) for k, name in enumerate(CARRIERS)]
    links = [lp.Link(name) for name in places[:-1]]
    return lp.FlexibleRobot(
        "carried",
        (*links, *arm.links),
        (*joints, *arm.joints),
        gravity,
        beams=arm.beams,
        joint_compliances=arm.joint_compliances,
    )


def frame_of(
    case: Case, rover: lp.Rover, motion: dict[str, Any], arm: tuple[np.ndarray, ...], **options: Any
) -> ArmFrame:
    (vx, vy, w), (ax, ay, alpha) = motion["velocity"], motion["acceleration"]
    q, qd, qdd = arm
    whole = (
        np.concatenate([np.zeros(3), q]),
        np.concatenate([[vx, vy, w], qd]),
        np.concatenate([[ax - w * vy, ay + w * vx, alpha], qdd]),
    )
    return ArmFrame(carried(rover, motion["heading"]), *whole, **options)


@check(
    "Rover.deflection",
    "Rover.compliance",
    "Rover.stiffness",
    "Rover.with_beams",
    against="finite elements on slides and a turntable",
    bound=1e-6,
    every=2,
)
def rover_deflection(case: Case) -> Iterator[Compared]:
    rover, motion = made(case.seed, case.number), motion_of(case)
    arm = tuple(case.rng("state on wheels").normal(size=(3, rover.n)))
    frame = frame_of(case, rover, motion, arm)
    expected = frame.deflection()[3:]
    found = rover.deflection(*arm, **motion)
    yield Compared(found.displacement, expected[:, :3])
    yield Compared(found.rotation, expected[:, 3:])
    link = rover.robot.link_names[-1]
    C = frame.frame.compliance(frame.nodes[link])
    yield Compared(rover.compliance(arm[0], link), C)
    yield Compared(rover.stiffness(arm[0], link) @ C, np.eye(6), np.linalg.cond(C) * 1e-3)


@check(
    "Rover.stress",
    "Rover.buckling_safety",
    "Rover.extremes",
    against="end forces of finite elements, N/A and C/P by hand, NumPy over all states",
    bound=1e-6,
    every=2,
)
def rover_stress(case: Case) -> Iterator[Compared]:
    rover, motion = made(case.seed, case.number), motion_of(case)
    many = case.rng("states on wheels").normal(size=(3, 4, rover.n))
    stress, buckling = rover.stress(*many, **motion), rover.buckling_safety(*many, **motion)
    links, positions = np.array(stress.sections.links), stress.sections.positions
    for k in range(2):
        ends = end_forces(frame_of(case, rover, motion, tuple(many[:, k])))
        largest = max(float(np.abs(first[:3]).max()) for _, _, _, first, _ in ends)
        for link, start, _, first, _ in ends:
            beam = dict(rover.robot.beams)[link]
            if len(beam.segments) > 1:
                continue
            row = [i for i in np.flatnonzero(links == link) if abs(positions[i] - start) < 1e-9][-1]
            area = beam.segments[0].section.area
            yield Compared(stress.axial[k, row], -first[0] / area, largest / area)
            yield Compared(buckling.compression[k, row], first[0], largest)
    worst = rover.extremes(*many, **motion)
    tips = rover.deflection(*many, **motion).tip.displacement
    yield Compared(worst.tip.distance, np.linalg.norm(tips, axis=-1).max())
    yield Compared(worst.worst_stress.safety, stress.safety.min())
    if np.isfinite(buckling.safety.min()):
        yield Compared(worst.worst_beam_column.safety, buckling.safety.min())


@check(
    "Rover.natural_frequencies",
    "Rover.frequency_map",
    "Rover.bandwidth_check",
    against="finite elements, consistent mass",
    bound=2e-4,
    every=4,
)
def rover_frequencies(case: Case) -> Iterator[Compared]:
    rover, motion = made(case.seed, case.number), motion_of(case)
    q = case.rng("pose on wheels").normal(size=rover.n)
    still = (q, 0 * q, 0 * q)
    expected = frame_of(case, rover, motion, still, pieces=5, rotary=True).frame.frequencies(3)
    unloaded = rover.natural_frequencies(q, 3, tolerance=1e-7, loaded=False).frequencies
    yield Compared(unloaded / expected, np.ones(3))
    yield Compared(rover.frequency_map(q=q[None], loaded=False).frequencies, expected[:1])
    stay = lp.Motion.through(rover.robot, [q, q + 1e-9], [0.0, 1.0], rate=20)
    yield Compared(rover.bandwidth_check(stay, bandwidth=1.0, loaded=False).frequency, expected[0])


@check(
    "Rover.buckling",
    against="the arm on slides and a turntable that move like the base",
    bound=1e-6,
    every=4,
)
def rover_buckling(case: Case) -> Iterator[Compared]:
    rover, motion = made(case.seed, case.number), motion_of(case)
    q, qd, qdd = case.rng("state to buckle").normal(size=(3, rover.n))
    (vx, vy, w), (ax, ay, alpha) = motion["velocity"], motion["acceleration"]
    arm = carried(rover, motion["heading"])
    whole = ([0, 0, 0, *q], [vx, vy, w, *qd], [ax - w * vy, ay + w * vx, alpha, *qdd])
    found, expected = rover.buckling(q, qd, qdd, order=6, **motion), arm.buckling(*whole, order=6)
    yield Compared(1 / found.factor, 1 / expected.factor)
    yield Compared(float(found.link == expected.link), 1.0)
    rings = rover.natural_frequencies(q, 2, qd=qd, qdd=qdd, order=6, **motion).frequencies
    also = arm.natural_frequencies(whole[0], 2, qd=whole[1], qdd=whole[2], order=6).frequencies
    yield Compared(rings, also)


@check(
    "Rover.frequency_response",
    "Rover.shaped",
    against="the arm on slides and a turntable that stand still",
    bound=1e-4,
    every=8,
)
def rover_shaken(case: Case) -> Iterator[Compared]:
    rover, heading = made(case.seed, case.number), motion_of(case)["heading"]
    ends = case.rng("shaken").normal(size=(2, rover.n))
    arm, link, hertz = carried(rover, heading), rover.robot.link_names[-1], [1.0, 7.0, 20.0]
    whole = np.concatenate([np.zeros((2, 3)), ends], axis=1)
    found = rover.frequency_response(ends[0], (link, "z"), frequencies=hertz, heading=heading)
    expected = arm.frequency_response(whole[0], (link, "z"), frequencies=hertz)
    yield Compared(np.abs(found.response), np.abs(expected.response))
    own, same = (lp.Motion.through(who, path, [0.0, 0.4], rate=200)
                 for who, path in ((rover.robot, ends), (arm, whole)))
    calm, like = rover.shaped(own, heading=heading, frequency=5.0), arm.shaped(same, frequency=5.0)
    yield Compared(calm.q, like.q[:, 3:])


@check(
    "Rover.respond",
    "Rover.fatigue",
    against="the arm on a turntable that turns like the base on its slope",
    bound=1e-4,
    every=4,
)
def rover_response(case: Case) -> Iterator[Compared]:
    rover, heading = made(case.seed, case.number), motion_of(case)["heading"]
    rng = case.rng("turning base")
    ends = rng.normal(size=(2, rover.n))
    arm, own = carried(rover, heading), lp.Motion.through(rover.robot, ends, [0.0, 0.4], rate=500)
    turn = lp.Motion.through(arm, [np.concatenate([[0, 0, angle], q]) for angle, q in zip((0, 1.0), ends, strict=True)],
                             [0.0, 0.4], rate=500)
    theta, w, alpha = (part[:, 2] for part in (turn.q, turn.qd, turn.qdd))
    base = {"velocity": (0 * w, w), "acceleration": (0 * w, alpha), "heading": heading + theta}
    link, options = rover.robot.link_names[-1], {"damping": 0.02, "modes": 3, "rate": 400.0, "after": 0.1}
    found = rover.respond(own, tip=link, **options, **base)
    expected = arm.respond(turn, tip=link, **options)
    ours, theirs = (np.linalg.norm(r.displacement[link], axis=1) for r in (found, expected))
    yield Compared(ours, theirs)
    yield Compared(found.residual, expected.residual, float(theirs.max()))
    weld = lp.SNCurve.detail(71)
    ranges = [who.fatigue(move, detail=weld, **more).largest_range
              for who, move, more in ((rover, own, base), (arm, turn, {}))]
    yield Compared(*ranges)


@check(
    "Rover.compensated",
    "Rover.without_beams",
    "Robot.without_beams",
    against="Pinocchio's tip and finite elements at the coordinates found",
    bound=1e-5,
    every=4,
)
def rover_compensation(case: Case) -> Iterator[Compared]:
    rover, heading = made(case.seed, case.number), motion_of(case)["heading"]
    target = case.rng("target on wheels").normal(size=rover.n)
    found = rover.compensated(target, heading=heading)
    peer, still = to_pinocchio(rover.robot), np.zeros(rover.n)
    wanted, here = peer.link_poses(target)[-1, :3, 3], peer.link_poses(found.q)[-1, :3, 3]
    at_rest = {"velocity": np.zeros(3), "acceleration": np.zeros(3), "heading": heading}
    sag = frame_of(case, rover, at_rest, (found.q, still, still)).deflection()[-1, :3]
    yield Compared(found.position_error, wanted - (here + sag), float(np.abs(sag).max()))
    rigid = rover.without_beams().robot
    speeds = case.rng("rigid").normal(size=(2, rover.n))
    yield Compared(rigid.inverse_dynamics(target, *speeds), to_pinocchio(rigid).inverse_dynamics(target, *speeds))
    yield Compared(len(getattr(rover.robot.without_beams(), "beams", ())), 0)
