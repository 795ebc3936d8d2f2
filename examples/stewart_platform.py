"""A motion platform: forces of its six legs over a heave-and-roll cycle, and the pose from the lengths of the legs."""

import numpy as np

import loadpath as lp

platform = lp.catalog.stewart_platform().with_payload(120.0, (0.0, 0.0, 0.4), link="platform", name="seat")
print(platform, "freedoms:", platform.mobility)

# Poses of the platform, not lengths of the legs, are what a cycle is made of: 8 cm up and down, 8 degrees of roll.
t = np.linspace(0, 4.0, 201)
home = platform.home
pose = platform.link_poses(home)[platform.link_names.index("platform")]
poses = np.tile(pose, (len(t), 1, 1))
roll = 0.14 * np.sin(np.pi * t) ** 2
poses[:, 2, 3] += 0.04 * (1 - np.cos(np.pi * t / 2))
c, s = np.cos(roll), np.sin(roll)
poses[:, 1:3, 1:3] = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
found = platform.assemble(poses={"platform": poses}, near=home, path=True)
assert found.reached.all()
legs = {name: found.q[:, platform.q_slices[name].start] for name in platform.driven}
motion = platform.motion(t, legs)

force = platform.inverse_dynamics(motion)[:, [platform.dof_names.index(name) for name in platform.driven]]
for name, of_leg, length in zip(platform.driven, force.T, legs.values(), strict=True):
    print(f"{name}: {length.min():.3f} to {length.max():.3f} m, {of_leg.min():7.1f} to {of_leg.max():7.1f} N")

# The other way round: where is the platform when the legs have these lengths? (The direct problem, by assembly.)
there = platform.assemble({name: values[-1] for name, values in legs.items()}, near=found.q[-2])
assert np.allclose(there.q, found.q[-1], atol=1e-8)
print("the lengths of the legs lead back to the pose: the direct problem has been solved by assembly")
