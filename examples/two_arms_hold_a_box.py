"""Two arms hold a box between their hands: what each of them must do, for how hard they press."""

import numpy as np

import loadpath as lp

# Two plane arms face to face, 1.2 m apart, with a box of 2 kg and 0.2 m between their tips.
arm = lp.catalog.planar(3, length=0.5)
reach = [2 * np.pi / 3, -np.pi / 3, -np.pi / 3]
across = lp.Pose.from_xyz_rpy((1.2, 0, 0), (0, 0, np.pi))
pair = lp.grasp(
    {
        "left": lp.Hold(arm, grip=(-0.1, 0, 0)),
        "right": lp.Hold(arm, base=across, grip=lp.Pose.from_xyz_rpy((0.1, 0, 0), (0, np.pi, 0))),
    },
    lp.Inertia(2.0, tensor=np.diag([0.01, 0.01, 0.01])),
    q={"left": reach, "right": reach},
)
q, still = pair.home, np.zeros(6)
print(f"{pair.mobility} freedoms, {len(pair.driven)} drives")

# With the least effort the hands do not press at all: they pull, and a box without handles would fall.
hand = pair.link_poses(q)[pair.link_names.index("right_tip"), :3, :3]
least = hand @ pair.joint_wrenches(q, still, still)["right_grip"].force
print(f"least effort: the right hand exerts {least[0]:6.1f} N along x (negative: it presses)")

# So say what it exerts: it presses, and carries half of the box.
print("pressing force (N), largest torque (N m), friction coefficient that the hands need:")
for press in (20.0, 50.0, 100.0):
    grip = lp.Wrench(force=(-press, 0.0, 9.81))
    preload = pair.preload_for({"right_grip": grip}, q, still, still)
    tau = pair.inverse_dynamics(q, still, still, preload=preload)
    left = pair.joint_wrenches(q, still, still, preload=preload)["left_grip"]
    assert np.isclose(np.linalg.norm(left.force), np.hypot(press, 9.81))  # the box is in equilibrium
    print(f"{press:8.0f} {np.abs(tau).max():15.2f} {9.81 / press:15.3f}")
