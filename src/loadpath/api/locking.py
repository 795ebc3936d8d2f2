"""Fewer and more degrees of freedom of a robot with all that is attached to it: joints locked, the base set free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from loadpath.errors import ModelError
from loadpath.robot import edit
from loadpath.robot.tree import model_warnings
from loadpath.scalars.types import ArrayLike

if TYPE_CHECKING:
    from loadpath.api.robot import Robot

R = TypeVar("R", bound="Robot")


def locked(robot: R, joints: Mapping[str, ArrayLike]) -> R:
    """The robot with joints frozen, its loops, drives, beams and guides as they are then."""
    if not robot.is_elastic and robot.tree is robot:
        return edit.locked(robot, joints)
    from loadpath.robot.beams.edit import ends_at_loops, locked_beams

    if robot.tree is robot:
        return locked_beams(robot, joints)
    closed = _locked_loops(replace(robot, beams=(), joint_compliances=(), guides=()), joints)
    if robot.is_elastic:
        opened = locked_beams(robot.cut, joints)
        beams = tuple((link, ends_at_loops(beam, robot.loops)) for link, beam in opened.beams)
        compliances = (*opened.joint_compliances, *robot.loop_compliances)
        closed = replace(closed, beams=beams, joint_compliances=compliances, guides=opened.guides)
    if closed.held_by_loops:
        return closed
    # Nothing closes it, and all of it is driven.
    return replace(closed, drives=(), near=() if robot.held_by_loops else closed.near)


def _locked_loops(robot: R, joints: Mapping[str, ArrayLike]) -> R:
    made = edit.locked(_unnamed(robot), joints)
    couplings = edit.locked_couplings(robot, robot.couplings, joints)
    near = edit.kept_coordinates(robot, robot.near, made)
    closed = replace(made, couplings=couplings, near=near)
    return replace(closed, drives=kept_drives(robot, closed))


def kept_drives(robot: Robot, made: Robot) -> tuple[str, ...]:
    """The drives whose speeds are still there; refused where none is left, which would stand for all of them."""
    drives = edit.kept_drives(robot.drives, made)
    if robot.drives and not drives and made.mobility:
        raise ModelError(f"robot '{robot.name}': all of its drives, {', '.join(robot.drives)}, would be locked, and "
                         f"{made.mobility} freedoms are left: name those that drive it first, with_driven(...)"
                         )
    return drives


def with_home_of(made: R, robot: Robot) -> R:
    """A robot with the home of the one that it was made from, as far as its joints are the same."""
    if not robot.near:
        return made
    home = made.neutral()
    for name, place in made.q_slices.items():
        if made.joint(name) == robot.joint(name):
            home[place] = robot.near[robot.q_slices[name]]
    return replace(made, near=tuple(home.tolist()))


def _unnamed(robot: R) -> R:
    """The robot without what names its speeds and coordinates, which an edit may change. Its loops go on holding links
    without mass, so nothing is said of these.
    """
    known = robot.known_faults | frozenset(model_warnings(robot.links, robot.joints)) if robot.held_by_loops else None
    return replace(robot, couplings=(), drives=(), near=(), known_faults=known or robot.known_faults)


def floating(robot: R, name: str, world: str) -> R:
    """The robot with its base free to move. The six speeds of the base come first and have forces in tau, so where
    drives are named they count as driven.
    """
    free = edit.floating(_unnamed(replace(robot, beams=(), joint_compliances=(), guides=())), name, world)
    speeds, coordinates = free.n - robot.n, free.nq - robot.nq
    return replace(
        free,
        couplings=robot.couplings,
        drives=(*free.dof_names[:speeds], *robot.drives) if robot.drives else (),
        near=(*free.neutral()[:coordinates].tolist(), *robot.near) if robot.near else (),
        beams=robot.beams,
        joint_compliances=robot.joint_compliances,
        guides=robot.guides,
    )
