"""Torques of a robot from a URDF file, for one state and for a hundred thousand.

Run it with the path of a file: python examples/torques_of_a_urdf.py robot.urdf
Without one it takes the small arm that it writes itself.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import loadpath as lp

PENDULUM = """
<robot name="double_pendulum">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 -0.25"/> <mass value="2"/>
      <inertia ixx="0.042" iyy="0.042" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 -0.2"/> <mass value="1"/>
      <inertia ixx="0.014" iyy="0.014" izz="0.0005" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/> <child link="upper"/> <axis xyz="0 1 0"/> <dynamics damping="0.05" friction="0.1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="lower"/> <origin xyz="0 0 -0.5"/> <axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" velocity="3" effort="40"/>
  </joint>
</robot>
"""


def main(path: str | None = None) -> None:
    if path is None:
        file = Path(tempfile.mkdtemp()) / "double_pendulum.urdf"
        file.write_text(PENDULUM)
        path = str(file)
    robot = lp.load(path)
    print(robot)

    # One state: the torques that hold the robot still, and those of a motion.
    q, still = robot.neutral(), np.zeros(robot.n)
    print("holding still:", dict(zip(robot.dof_names, robot.gravity_forces(q).round(3).tolist(), strict=True)))
    print("starting off: ", robot.inverse_dynamics(q, still, np.ones(robot.n)).round(3))

    # A hundred thousand: the same call. One row per state.
    random = np.random.default_rng(0)
    many = q + random.uniform(-1, 1, (100_000, robot.nq))
    tau = robot.inverse_dynamics(many, random.uniform(-2, 2, (100_000, robot.n)), still)
    for name, low, high in zip(robot.dof_names, tau.min(axis=0), tau.max(axis=0), strict=True):
        print(f"{name}: {low:.2f} to {high:.2f} N m")


if __name__ == "__main__":
    main(*sys.argv[1:2])
