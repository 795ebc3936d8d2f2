"""Normal forces at rest against MuJoCo, with wheels that turn on their axles and contacts of their own.

MuJoCo's contacts are soft: under these loads they give by a few hundredths of a millimetre, unevenly, which tilts the
rover by some 1e-4 rad and moves its mass center by as many metres. That explains differences of 1e-4 of the weight.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

mujoco = pytest.importorskip("mujoco")
SOFT = 3e-4


def text(numbers):
    return " ".join(f"{float(x):.12g}" for x in np.ravel(numbers))


def inertial(inertia):
    tensor = np.array(inertia.tensor) + 1e-9 * np.eye(3)
    entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return f'<inertial pos="{text(inertia.center_of_mass)}" mass="{inertia.mass}" fullinertia="{text(entries)}"/>'


def normals_in_mujoco(rover, q, heading):
    """Normal force at every contact of the rover at rest: its arm locked at q, its wheels braked on a slope."""
    whole = rover.robot.base.inertia
    for link, pose in zip(rover.robot.links[1:], rover.robot.link_poses(q)[1:], strict=True):
        whole = whole + link.inertia.seen_from(lp.Pose.from_matrix(pose))
    wheels = []
    for k, wheel in enumerate(rover.base.wheels):
        x, y = wheel.position
        hinge = "" if rover.ground.slope else '<joint type="hinge" axis="0 1 0"/>'  # braked, or free
        wheels.append(
            f'<body pos="{x} {y} {wheel.radius}"><inertial pos="0 0 0" mass="1e-4" diaginertia="1e-5 1e-5 1e-5"/>'
            f'{hinge}<geom name="w{k}" type="sphere" size="{wheel.radius}"/></body>'
        )
    g = rover.ground.gravity_in_base(heading)
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><option gravity="{text(g)}" timestep="0.001" integrator="implicitfast" cone="elliptic"/>
        <worldbody><geom name="ground" type="plane" size="5 5 1" friction="1.5"/>
        <body><freejoint/>{inertial(whole)}{"".join(wheels)}</body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    for _ in range(3000):
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() < 3e-3  # soft friction lets it creep down the slope, steadily
    assert np.abs(data.qacc).max() < 1e-3
    found, force = np.zeros(len(wheels)), np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        name = next(n for n in (model.geom(int(i)).name for i in data.contact[k].geom) if n != "ground")
        found[int(name[1:])] = force[0]
    return found


@pytest.mark.parametrize(("slope", "heading"), [(0.0, 0.0), (0.2, 0.0), (0.2, 2.0)])
def test_normal_forces_at_rest(slope, heading):
    rover = lp.catalog.lau_rover(ground=lp.Ground(slope=slope), driven=True)
    for q in ([0.0, 0.0, 0.5], [0.8, -0.4, 0.9], [-2.0, 0.3, 0.2]):
        loads = rover.wheel_loads(q, heading=heading)
        assert not loads.tips_over
        there = normals_in_mujoco(rover, q, heading)
        np.testing.assert_allclose(there, loads.normal, atol=SOFT * 12 * 9.81)
