"""Drive trains: springs as external wrenches of Pinocchio, friction and gears by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case
from references.to_pinocchio import to_pinocchio


@check(
    "Robot.with_drives",
    "Robot.drive_trains",
    "Robot.with_limits",
    "Robot.without_springs",
    "Robot.motor_loads",
    "MotorLoads",
    "Drive",
    "Friction",
    "TorsionSpring",
    "LineSpring",
    against="Pinocchio with the springs' forces as external wrenches, friction and gear by hand",
    bound=1e-9,
)
def drive_trains(case: Case) -> Iterator[Compared]:
    rng, (q, qd, qdd) = case.rng("drives"), case.state
    bare = case.robot.without_friction().without_rotors()
    peer, size = to_pinocchio(bare), case.wrench_size
    single = [j for j in bare.joints if isinstance(j.motion, (lp.Revolute, lp.Prismatic)) and j.mimic is None]
    if not single:
        return
    joint = single[int(rng.integers(len(single)))]
    at, length = bare.v_slices[joint.name].start, case.length
    x, v, a = float(q[bare.q_slices[joint.name].start]), float(qd[at]), float(qdd[at])
    k, preload = size * rng.uniform(0.1, 1, 2)
    (c, s), b = sorted(size * rng.uniform(0.01, 0.1, 2)), size * 0.01
    vs, N, J = rng.uniform(0.1, 2), rng.uniform(20, 100), size * rng.uniform(0.01, 0.1) / 100**2
    x0, stiffness, free, pull = rng.normal(), size / length**2, length * rng.uniform(0.1, 1), size / length
    line = lp.LineSpring(length * rng.normal(size=3), length * rng.normal(size=3), stiffness, free, pull)
    drive = lp.Drive(ratio=N, rotor_inertia=J, efficiency=(0.8, 0.6), friction=lp.Friction(b, c, s, vs),
                     spring=(line, lp.TorsionSpring(k, x0, preload)), torque_constant=0.2, resistance=0.3)
    made = bare.with_drives({joint.name: drive}).with_limits({joint.name: {"effort": 7.0}})
    yield Compared(made.joint(joint.name).limits[0].effort, 7.0)
    told = dict(made.drive_trains)[joint.name]
    yield Compared([told.ratio, told.rotor_inertia, told.friction.static], [N, J, s])
    # The line spring between points in the world.
    poses = dict(zip(bare.link_names, peer.link_poses(q), strict=True))
    d = (poses[joint.parent] @ [*line.on_parent, 1.0] - poses[joint.child] @ [*line.on_child, 1.0])[:3]
    force = (pull + stiffness * (np.linalg.norm(d) - free)) * d / np.linalg.norm(d)
    external = {}
    for link, point, sign in ((joint.parent, line.on_parent, -1.0), (joint.child, line.on_child, 1.0)):
        own = sign * poses[link][:3, :3].T @ force
        external[link] = (own, np.cross(point, own))
    wound = k * (x - x0) - preload
    rubs = math.copysign(c + (s - c) * math.exp(-((v / vs) ** 2)), v) + b * v
    expected = peer.inverse_dynamics(q, qd, qdd, external)
    expected[at] += wound + rubs + N**2 * J * a
    total = size + abs(wound) + float(np.abs(force).sum()) * length + N**2 * J * abs(a)
    yield Compared(made.inverse_dynamics(q, qd, qdd), expected, total)
    forces, torques = peer.joint_wrenches(q, qd, qdd, external)
    found = made.joint_wrenches(q, qd, qdd)
    yield Compared(found.torque, torques, total)
    yield Compared(found.force, forces, total / max(length, 1.0))
    plain = peer.inverse_dynamics(q, qd, qdd)
    plain[at] += rubs + N**2 * J * a
    yield Compared(made.without_springs().inverse_dynamics(q, qd, qdd), plain, total)
    through = expected[at] - N**2 * J * a
    gear = through / (N * 0.8) if through * v > 0 else through * 0.6 / N
    motor = gear + N * J * a
    loads = made.motor_loads(q, qd, qdd)
    yield Compared(loads.torque[0], motor, total / N)
    yield Compared(loads.speed[0], N * v)
    yield Compared(loads.gear_loss[0], gear * N * v - through * v, total * abs(v))
    yield Compared(loads.copper_loss[0], 0.3 * (motor / 0.2) ** 2, (total / N / 0.2) ** 2)
    yield Compared(loads.electrical_power[0], motor * N * v + 0.3 * (motor / 0.2) ** 2, total * abs(v) + motor**2 * 10)
