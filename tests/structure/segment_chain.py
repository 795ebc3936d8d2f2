"""A planar arm of two soft rods as a chain of rigid segments with springs between them, moved by MuJoCo."""

from __future__ import annotations

import numpy as np

import loadpath as lp


def segment_chain(
    material: lp.Material,
    radius: float,
    q: tuple[float, float],
    qd: tuple[float, float],
    times: np.ndarray,
    *,
    slices: int,
    step: float,
) -> np.ndarray:
    """Positions of the tip (times, 3) of two rods of 1 m with free joints, x along the first at q = 0, z up.

    Every slice of a rod bends at a hinge in its middle, so that half a slice is rigid at both ends of a rod.
    """
    import mujoco

    section, h = lp.Rod(radius), 1.0 / slices
    line = material.density * section.area
    spring = material.youngs_modulus * section.second_moment_z / h
    opened, before = [], 0.0
    for _ in range(2):
        for k in range(slices + 1):
            length = h / 2 if k in (0, slices) else h
            mass, about = line * length, material.density * section.second_moment_z * length
            across = about + mass * length**2 / 12
            opened.append(
                f'<body pos="{before} 0 0"><joint type="hinge" axis="0 1 0" stiffness="{spring if k else 0.0}"/>'
                f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="{2 * about} {across} {across}"/>'
            )
            before = length
    xml = (
        f'<mujoco><option timestep="{step}" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option>'
        f'<worldbody>{"".join(opened)}<site name="tip" pos="{before} 0 0"/>{"</body>" * len(opened)}</worldbody>'
        "</mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    second = slices + 1
    data.qpos[[0, second]], data.qvel[[0, second]] = -np.array(q), -np.array(qd)  # turns about y go down
    tip = []
    for t in times:
        while data.time < t - 0.5 * step:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        tip.append(data.site_xpos[0].copy())
    return np.array(tip)
