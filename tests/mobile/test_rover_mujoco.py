"""Simulated rovers against MuJoCo, with real wheels on real axles and soft contacts.

MuJoCo's contacts give way: normal forces build up over its `solref` (here 4 ms), and gripping contacts creep. What
follows from that is stated at each comparison; everything else must agree.
"""

import numpy as np
import pytest

import loadpath as lp

mujoco = pytest.importorskip("mujoco")

G = 9.81
R, D, S = 0.1, 0.3, 0.6
OPTIONS = """
  <option timestep="0.0005" integrator="implicitfast" cone="elliptic" impratio="50" iterations="50"/>
  <default><geom solref="0.004 1" solimp="0.99 0.999 0.0001"/></default>
"""
BOX, ARM, WHEEL, J = 10.0, 2.0, 1.0, 0.005
CENTER = (0.2, 0.0, 0.2)

CART = f"""
<mujoco>{OPTIONS}
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="1 0 0"/>
    <body name="base">
      <freejoint/>
      <inertial mass="{BOX}" pos="0.2 0 0.2" diaginertia="0.4 0.4 0.6"/>
      <geom name="caster" type="sphere" size="0.05" pos="{S} 0 0.05" condim="1" friction="0 0 0" mass="0" priority="1"/>
      <body name="left" pos="0 {D} {R}">
        <joint name="left" axis="0 1 0"/>
        <inertial mass="{WHEEL}" pos="0 0 0" diaginertia="{J / 2} {J} {J / 2}"/>
        <geom name="left" type="ellipsoid" size="{R} 0.02 {R}" friction="1 0 0" condim="3"/>
      </body>
      <body name="right" pos="0 -{D} {R}">
        <joint name="right" axis="0 1 0"/>
        <inertial mass="{WHEEL}" pos="0 0 0" diaginertia="{J / 2} {J} {J / 2}"/>
        <geom name="right" type="ellipsoid" size="{R} 0.02 {R}" friction="1 0 0" condim="3"/>
      </body>
      <body name="arm" pos="0.2 0 0.3">
        <joint name="turn" axis="0 0 1"/>
        <inertial mass="{ARM}" pos="0.4 0 0.1" diaginertia="0.01 0.05 0.05"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="turn"/><motor joint="left"/><motor joint="right"/></actuator>
</mujoco>
"""


def our_cart():
    places = np.array([CENTER, (0, D, R), (0, -D, R)])
    masses = np.array([BOX, WHEEL, WHEEL])
    tensors = [np.diag([0.4, 0.4, 0.6]), *[np.diag([J / 2, J, J / 2])] * 2]
    center = masses @ places / masses.sum()
    whole = sum(
        t + m * (a @ a * np.eye(3) - np.outer(a, a)) for t, m, a in zip(tensors, masses, places - center, strict=True)
    )
    base = lp.WheeledBase(
        mass=masses.sum(), center_of_mass=center, inertia=whole, friction=lp.WheelFriction(1.0),
        wheels=[lp.CasterWheel((S, 0), 0.05, name="caster"), lp.FixedWheel((0, D), R, spin_inertia=J, name="left"),
                lp.FixedWheel((0, -D), R, spin_inertia=J, name="right")],
    )
    arm = lp.Robot(
        "arm",
        (lp.Link("foot"), lp.Link("rod", lp.Inertia(ARM, (0.4, 0, 0.1), np.diag([0.01, 0.05, 0.05])))),
        (lp.Joint("turn", "foot", "rod", lp.Revolute((0, 0, 1))),),
    )
    return base.carrying(arm, at=(0.2, 0, 0.3))


class Peer:
    """A MuJoCo model, stepped."""

    def __init__(self, text):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def step_to(self, time, each=None):
        while self.data.time < time - 1e-9:
            mujoco.mj_step(self.model, self.data)
            if each is not None:
                each()

    def normals(self):
        """Normal force of the floor on every geom, by name."""
        result, force = {}, np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            mujoco.mj_contactForce(self.model, self.data, k, force)
            pair = {self.model.geom(int(g)).name for g in contact.geom}
            name = next(iter(pair - {"floor"}))
            result[name] = result.get(name, 0.0) + force[0]
        return result

    def heading(self):
        w, x, y, z = self.data.qpos[3:7]
        return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


@pytest.mark.parametrize("driven", [False, True])
def test_rolled_path_and_wheel_loads(driven):
    """The arm turns under a torque; the cart rolls in reaction, or under torques of its wheels as well. Creep of the
    wheels and the settling of the contacts leave a hundredth of the path, and a fiftieth of the load shift.
    """
    torque, wheels = 1.0, (0.15, 0.35) if driven else (0.0, 0.0)
    rover, peer = our_cart(), Peer(CART)
    peer.step_to(0.3)  # the contacts settle
    start, begin = peer.data.qpos.copy(), peer.data.time
    peer.data.qvel[:] = 0
    peer.data.ctrl[:] = torque, *wheels
    duration = 0.8
    mine = rover.simulate(
        [0.0], [0.0], torque=[torque], wheel_torques={"left": wheels[0], "right": wheels[1]}, duration=duration
    )
    assert not mine.of_kind("slips") and not mine.tipped
    loads = []
    peer.step_to(begin + duration, lambda: loads.append((peer.data.time - begin, peer.normals())))
    path = np.hypot(*np.diff(mine.pose[:, :2], axis=0).T).sum()
    moved = peer.data.qpos[:2] - start[:2]
    assert np.hypot(*(moved - mine.pose[-1, :2])) < 0.01 * path + 1e-4
    assert peer.heading() == pytest.approx(mine.pose[-1, 2], rel=0.01)
    assert peer.data.qpos[9] == pytest.approx(mine.q[-1, 0], rel=0.01)
    for k, name in enumerate(("caster", "left", "right")):
        late = [(t, normals[name]) for t, normals in loads if t > 0.1]
        theirs = np.array([force for _, force in late])
        ours = np.interp([t for t, _ in late], mine.times, mine.normal[:, k])
        assert abs(theirs - ours).max() < 0.02 * mine.normal.sum(axis=1).max()


BOARD = f"""
<mujoco>{OPTIONS}
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.5 0 0"/>
    <body name="base" pos="0 0 0">
      <freejoint/>
      <inertial mass="10" pos="0 0 0.2" diaginertia="1 1 1"/>
      <geom name="front" type="sphere" size="0.05" pos="0.4 0 0.05" friction="0.5 0 0"/>
      <geom name="left" type="sphere" size="0.05" pos="-0.4 0.4 0.05" friction="0.5 0 0"/>
      <geom name="right" type="sphere" size="0.05" pos="-0.4 -0.4 0.05" friction="0.5 0 0"/>
      <body name="mass" pos="0 0 0.3">
        <joint name="slide" type="slide" axis="1 0 0"/>
        <inertial mass="4" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def our_board():
    base = lp.WheeledBase(
        mass=10, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), friction=lp.WheelFriction(0.5),
        wheels=[lp.Support((0.4, 0), name="front"), *(lp.Support((-0.4, y)) for y in (0.4, -0.4))],
    )
    slider = lp.Robot(
        "slider",
        (lp.Link("rail"), lp.Link("mass", lp.Inertia(4.0, tensor=0.01 * np.eye(3)))),
        (lp.Joint("slide", "rail", "mass", lp.Prismatic((1, 0, 0))),),
    )
    return base.carrying(slider, at=(0, 0, 0.3))


def test_tipping_time():
    """A mass slides back off the board at 1 m/s: the front foot lifts. Soft contacts lag by a few of their time
    constants (4 ms), in which the load there fades.
    """
    peer = Peer(BOARD)
    peer.step_to(0.3)
    begin = peer.data.time
    peer.data.qpos[7], peer.data.qvel[6] = 0.0, -1.0
    lifted = []

    def watch():
        if peer.normals().get("front", 0.0) <= 0 and not lifted:
            lifted.append(peer.data.time - begin)

    peer.step_to(begin + 1.6, watch)
    mine = our_board().simulate([0.0], [-1.0], duration=2.0)
    begins, = mine.of_kind("rocks")
    assert mine.tipped and begins.time == pytest.approx(1.4, abs=1e-6)  # 10 * 0.4 = 4 (x - 0.4)
    assert lifted[0] == pytest.approx(begins.time, abs=0.02)


@pytest.mark.parametrize(
    ("velocity", "near", "turned"),
    [((1.0, 0.0, 0.0), 0.01, 1e-3), ((0.5, 0.2, 0.5), 0.03, 3e-3), ((1.0, 0.5, 2.0), 0.05, 0.02)],
)
def test_sliding_to_rest(velocity, near, turned):
    """Coulomb friction of three feet, while the mass slides on, on its rail. In MuJoCo's convex friction contacts that
    slide lift off and hop (in the last case a quarter of the steps have no contact at all, with stiffer contacts two
    thirds), so that the forces of single feet are right on the average only: that is what the turning cases are off
    by. Who is right the next test tells.
    """
    peer = Peer(BOARD.replace('solref="0.004 1"', 'solref="0.02 1"'))
    peer.step_to(0.3)
    begin, start = peer.data.time, peer.data.qpos.copy()
    peer.data.qvel[:] = 0
    peer.data.qvel[:2], peer.data.qvel[5] = velocity[:2], velocity[2]
    peer.step_to(begin + 0.5)
    mine = our_board().simulate([0.0], [0.0], velocity=velocity, duration=0.5)
    assert len(mine.of_kind("sticks")) == 3
    moved = peer.data.qpos[:2] - start[:2]
    assert np.hypot(*(moved - mine.pose[-1, :2])) < near * np.hypot(*mine.pose[-1, :2])
    assert peer.heading() == pytest.approx(mine.pose[-1, 2], abs=turned)
    assert peer.data.qpos[7] == pytest.approx(mine.q[-1, 0], rel=near)


def test_sliding_to_rest_is_the_limit_of_smoothed_friction():
    """World-frame equations of the planar robot, friction smoothed over 1e-4 m/s, none of the contact code."""
    from scipy.integrate import solve_ivp

    rover = our_board()
    planar, feet = rover.planar, rover.base.positions
    shares = np.linalg.inv(np.array([np.ones(3), feet[:, 1], -feet[:, 0]]))

    def rate(t, y):
        x, xd = y[:4], y[4:]
        c, s = np.cos(x[2]), np.sin(x[2])
        arms = feet @ np.array([[c, s], [-s, c]])
        velocity = xd[:2] + xd[2] * np.stack([-arms[:, 1], arms[:, 0]], axis=-1)
        along = velocity / np.sqrt((velocity**2).sum(axis=1) + 1e-8)[:, None]
        M, h = planar.mass_matrix(x), planar.bias_forces(x, xd)
        normal = np.full(3, 14 * G / 3)
        for _ in range(100):  # normal forces and accelerations depend on each other
            force = -0.5 * normal[:, None] * along
            turning = (arms[:, 0] * force[:, 1] - arms[:, 1] * force[:, 0]).sum()
            xdd = np.linalg.solve(M, np.array([*force.sum(axis=0), turning, 0.0]) - h)
            wrench = planar.joint_wrenches(x, xd, xdd)
            before, normal = normal, shares @ [wrench.force[0, 2], wrench.torque[0, 0], wrench.torque[0, 1]]
            if abs(normal - before).max() < 1e-11:
                break
        return np.concatenate([xd, xdd])

    start = [0, 0, 0, 0, 1.0, 0.5, 2.0, 0]
    smooth = solve_ivp(rate, (0, 0.3), start, method="LSODA", rtol=1e-8, atol=1e-10).y[:4, -1]
    mine = rover.simulate([0.0], [0.0], velocity=(1.0, 0.5, 2.0), duration=0.3)
    assert abs(smooth - [*mine.pose[-1], mine.q[-1, 0]]).max() < 1e-6
