"""Names for all bodies and joints of a compiled model: those of the file, and others where it gives none."""

from __future__ import annotations

from dataclasses import dataclass

from loadpath.files.mjcf.joints import in_world_axes
from loadpath.files.mjcf.remembered import Remembered
from loadpath.foreign.mujoco_model import MujocoModel

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


def names_of(model: MujocoModel, remembered: Remembered) -> Names:
    """Names of all parts."""
    given, given_joints = model.body_name, model.jnt_name
    links, joints = set(given) - {""}, set(given_joints) - {""}
    others = {link for body, link in remembered.links.items() if body != WORLD}
    bodies = [unique(remembered.links.get(WORLD, WORLD), others)]
    links.add(bodies[0])
    for body in range(1, len(given)):
        name = remembered.links.get(given[body], given[body]) or unique(f"body{body}", links)
        links.add(name)
        bodies.append(name)
    named_joints: list[str] = []
    for joint, kind in enumerate(model.jnt_kind):
        name = given_joints[joint] or unique(f"{bodies[model.jnt_bodyid[joint]]}_{kind}", joints)
        joints.add(name)
        named_joints.append(name)
    welds, between = {}, {}
    for body in range(1, len(given)):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            welds[body] = unique(remembered.welds.get(given[body], "") or f"{bodies[body]}_weld", joints)
            joints.add(welds[body])
        steps = range(first, first + count - 1)
        if count and in_world_axes(model, first):
            steps = range(first, first + 1)
        for joint in steps:
            wanted = remembered.links.get(given_joints[joint], f"{bodies[body]}.{named_joints[joint]}")
            between[joint] = unique(wanted, links)
            links.add(between[joint])
    sites = []
    for name in model.site_name:
        sites.append(unique(name if name not in links else f"{name}_site", links) if name else "")
        links.add(sites[-1])
    return Names(tuple(bodies), tuple(named_joints), welds, between, tuple(sites))


def unique(wanted: str, taken: set[str]) -> str:
    """A name that nothing else has.

    >>> unique("arm", {"arm", "arm2"})
    'arm3'
    """
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    return name
