"""Which sites of a compiled model something in it uses: sensors, tendons, actuators."""

from __future__ import annotations

from typing import Any


def used_sites(mujoco: Any, model: Any) -> set[int]:
    """Numbers of these sites."""
    site = int(mujoco.mjtObj.mjOBJ_SITE)
    found: set[int] = set()
    for sensor in range(model.nsensor):
        for kinds, numbers in ((model.sensor_objtype, model.sensor_objid), (model.sensor_reftype, model.sensor_refid)):
            if int(kinds[sensor]) == site:
                found.add(int(numbers[sensor]))
    for wrap in range(model.nwrap):
        if int(model.wrap_type[wrap]) == int(mujoco.mjtWrap.mjWRAP_SITE):
            found.add(int(model.wrap_objid[wrap]))
        elif model.wrap_prm[wrap] >= 0 and int(model.wrap_type[wrap]) in (
            int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER)
        ):  # fmt: skip
            found.add(int(model.wrap_prm[wrap]))  # the side of a wrapped body
    with_sites = {int(mujoco.mjtTrn.mjTRN_SITE), int(mujoco.mjtTrn.mjTRN_SLIDERCRANK)}
    for actuator in range(len(model.actuator_trntype)):
        if int(model.actuator_trntype[actuator]) in with_sites:
            found |= {int(number) for number in model.actuator_trnid[actuator]}
    return found
