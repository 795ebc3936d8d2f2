"""Names for all bodies and joints of a compiled model: those of the file, and others where it gives none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loadpath.files.mjcf.remembered import Remembered
from loadpath.files.mjcf.speeds import in_world_axes

WORLD = "world"
"""MuJoCo's name for what everything stands in."""


@dataclass(frozen=True)
class Names:
    """Names of a model's parts in the robot."""

    bodies: tuple[str, ...]
    """By the number of the body; the first is the world."""
    joints: tuple[str, ...]
    """By the number of the joint."""
    welds: dict[int, str]
    """For bodies without joints."""
    between: dict[int, str]
    """For joints that are not the last of their body, and free ones that are a slide and a ball: the massless link that
    they move.
    """
    sites: tuple[str, ...]
    """By the number of the site; as frames."""


def names_of(mujoco: Any, model: Any, remembered: Remembered) -> Names:
    """Names of all parts."""
    kinds = mujoco.mjtObj
    given = _given(mujoco, model, kinds.mjOBJ_BODY, model.nbody)
    given_joints = _given(mujoco, model, kinds.mjOBJ_JOINT, model.njnt)
    links, joints = set(given) - {""}, set(given_joints) - {""}
    others = {link for body, link in remembered.links.items() if body != WORLD}
    bodies = [unique(remembered.links.get(WORLD, WORLD), others)]
    links.add(bodies[0])
    for body in range(1, model.nbody):
        name = remembered.links.get(given[body], given[body]) or unique(f"body{body}", links)
        links.add(name)
        bodies.append(name)
    named_joints: list[str] = []
    kind_of = {
        int(getattr(mujoco.mjtJoint, f"mjJNT_{kind.upper()}")): kind for kind in ("free", "ball", "slide", "hinge")
    }
    for joint in range(model.njnt):
        body = bodies[model.jnt_bodyid[joint]]
        name = given_joints[joint] or unique(f"{body}_{kind_of[int(model.jnt_type[joint])]}", joints)
        joints.add(name)
        named_joints.append(name)
    welds, between = {}, {}
    for body in range(1, model.nbody):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            welds[body] = unique(remembered.welds.get(given[body], "") or f"{bodies[body]}_weld", joints)
            joints.add(welds[body])
        steps = range(first, first + count - 1)
        if count and in_world_axes(mujoco, model, first):
            steps = range(first, first + 1)
        for joint in steps:
            wanted = remembered.links.get(given_joints[joint], f"{bodies[body]}.{named_joints[joint]}")
            between[joint] = unique(wanted, links)
            links.add(between[joint])
    sites = []
    for name in _given(mujoco, model, kinds.mjOBJ_SITE, model.nsite):
        sites.append(unique(name if name not in links else f"{name}_site", links) if name else "")
        links.add(sites[-1])
    return Names(tuple(bodies), tuple(named_joints), welds, between, tuple(sites))


def _given(mujoco: Any, model: Any, kind: Any, count: int) -> list[str]:
    return [mujoco.mj_id2name(model, kind, number) or "" for number in range(count)]


def unique(wanted: str, taken: set[str]) -> str:
    """A name that nothing else has.

    >>> unique("arm", {"arm", "arm2"})
    'arm3'
    """
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    return name


def model_name(mujoco: Any, model: Any) -> str:
    """The name of the model, as the file gives it."""
    raw = model.names if isinstance(model.names, bytes) else bytes(bytearray(model.names))
    return raw.split(b"\x00")[0].decode("utf-8", errors="replace").strip() or "MuJoCo Model"
