"""A sound arm of two links as URDF, to be spoilt for the tests of the doctor."""

from __future__ import annotations

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <!-- a comment that stays -->
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.2 0 0" rpy="0 0 0.5"/> <mass value="2.7"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.031"/>
    </inertial>
    <collision> <origin xyz="0.2 0 0"/> <geometry> <box size="0.4 0.08 0.08"/> </geometry> </collision>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0.15 0 0"/> <mass value="1.3"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.0115"/>
    </inertial>
    <visual> <origin xyz="0.15 0 0"/> <geometry> <box size="0.3 0.06 0.06"/> </geometry> </visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/> <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" velocity="2" effort="80"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="lower"/> <origin xyz="0.4 0 0"/> <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="2" effort="40"/>
  </joint>
  <gazebo reference="upper"><material>Gazebo/Grey</material></gazebo>
</robot>
"""


def arm(*changes: tuple[str, str]) -> str:
    """The arm with some of its text replaced, each once."""
    text = ARM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
