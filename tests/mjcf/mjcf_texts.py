"""Small MJCF files, each with a few of the format's features; all of them move as MuJoCo says."""

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYZ"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <default>
    <joint damping="0.4" armature="0.05" frictionloss="0.3"/>
    <default class="strong"><joint armature="0.8" range="-120 90"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial mass="4" pos="0 0 0.05" diaginertia="0.02 0.03 0.04"/>
      <geom type="cylinder" size="0.1 0.05"/>
      <body name="shoulder" pos="0 0 0.2">
        <joint name="pan" class="strong" axis="0 0 1" ref="15"/>
        <inertial mass="3" pos="0.01 0.02 0.1" fullinertia="0.02 0.03 0.02 0.001 -0.002 0.003"/>
        <body name="upper" pos="0.05 0 0.3" quat="0.9 0.1 0.3 -0.2">
          <joint name="lift" axis="0 1 0.2" pos="0.02 -0.03 0.04" ref="-20" stiffness="12" springref="30"/>
          <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.04" density="900"/>
          <frame pos="0.4 0 0.1" euler="0 45 0">
            <body name="fore" pos="0 0 0.02">
              <joint name="slide" type="slide" axis="1 0 0" pos="0.1 0 0" ref="0.2" range="-0.1 0.5"/>
              <geom type="box" size="0.1 0.03 0.02" pos="0.1 0 0" mass="1.5"/>
              <body name="hand">
                <joint name="wrist" type="ball" pos="0.05 0 0" armature="0.01"/>
                <geom type="ellipsoid" size="0.05 0.03 0.02" mass="0.4" pos="0.05 0.01 0"/>
                <body name="tool" pos="0.1 0 0"><geom type="sphere" size="0.02" mass="0.2"/></body>
                <site name="tip" pos="0.12 0 0.01"/>
              </body>
            </body>
          </frame>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="pan" gear="50" ctrlrange="-2 2"/>
    <position joint="lift" kp="100" forcerange="-30 30"/>
  </actuator>
</mujoco>
"""

SEVERAL_JOINTS = """
<mujoco model="several">
  <compiler angle="radian"/>
  <worldbody>
    <body name="cart" pos="0 0 1" euler="0.3 0.1 0.2">
      <joint name="x" type="slide" axis="1 0 0" damping="2"/>
      <joint name="z" type="slide" axis="0.1 0 1" ref="0.4"/>
      <joint name="pitch" axis="0 1 0" pos="0.1 0 -0.2" ref="0.3" armature="0.1"/>
      <geom type="box" size="0.3 0.2 0.1" mass="5"/>
      <body name="leg" pos="0 0.2 -0.1">
        <joint name="hip_a" axis="0 0 1" pos="0.01 0 0"/>
        <joint name="hip_b" axis="1 0 0" pos="0 0.02 0"/>
        <joint name="hip_c" axis="0 1 0" pos="0 0 0.03"/>
        <joint name="way" type="slide" axis="0 0 1"/>
        <geom type="capsule" size="0.05 0.2" pos="0 0 -0.2" mass="2"/>
        <body name="foot" pos="0 0 -0.4">
          <joint type="slide" axis="1 0 0"/>
          <joint name="ankle" type="ball"/>
          <geom type="box" size="0.1 0.05 0.02" mass="0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FREE_BODIES = """
<mujoco model="free">
  <worldbody>
    <body name="drone" pos="0 0 2" euler="0 0 40">
      <freejoint name="root"/>
      <inertial mass="2" pos="0.01 0 0.02" diaginertia="0.02 0.03 0.04" euler="10 0 5"/>
      <body name="arm" pos="0 0 -0.1">
        <joint name="swing" axis="1 0 0"/><geom size="0.05" mass="0.3" pos="0 0 -0.2"/>
      </body>
    </body>
    <body name="box" pos="1 0 0">
      <joint name="loose" type="free" damping="0.5" armature="0.2" frictionloss="0.1"/>
      <geom type="box" size="0.1 0.2 0.3" mass="1" pos="0.02 0.03 0.04"/>
    </body>
    <body pos="0 1 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body name="post" pos="0 -1 0"><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""

TREES = {"arm": ARM, "several joints": SEVERAL_JOINTS, "free bodies": FREE_BODIES}

FOUR_BAR = """
<mujoco model="four_bar">
  <worldbody>
    <body name="crank">
      <joint name="crank_joint" axis="0 -1 0"/>
      <inertial mass="0.24" pos="0.06 0 0" diaginertia="2e-5 3e-4 3e-4"/>
      <body name="coupler" pos="0.12 0 0">
        <joint name="coupler_joint" axis="0 -1 0"/>
        <inertial mass="0.72" pos="0.18 0 0" diaginertia="6e-5 7.8e-3 7.8e-3"/>
        <site name="a1" pos="0.36 0 0"/> <site name="a2" pos="0.36 0.05 0"/>
      </body>
    </body>
    <body name="rocker" pos="0.4 0 0">
      <joint name="rocker_joint" axis="0 -1 0"/>
      <inertial mass="0.56" pos="0.14 0 0" diaginertia="5e-5 3.7e-3 3.7e-3"/>
      <site name="b1" pos="0.28 0 0"/> <site name="b2" pos="0.28 0.05 0"/>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" site1="a1" site2="b1"/>
    <connect name="pin2" site1="a2" site2="b2"/>
  </equality>
  <actuator><motor joint="crank_joint"/></actuator>
  <keyframe><key qpos="1 -0.7 1.7"/></keyframe>
</mujoco>
"""
