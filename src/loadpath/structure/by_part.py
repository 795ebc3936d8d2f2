"""How far an end moves because of each part alone that bends: small deflections add up along the chain.

A link that bends moves what it carries, at p, by how far its exit goes beyond what its entry carries along,

    d = u_exit - u_entry - w_entry x (p_exit - p_entry)  +  (w_exit - w_entry) x (p - p_exit),

and a joint between the exit of its parent and the entry of its child by the same rule. The sum over a chain is the
displacement of its end. Entries and exits are frames without mass at the joints' origins, on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.joints import Fixed
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


class MovedByPart(NamedTuple):
    """Displacement of one frame's origin, each (..., 3), in m, world axes, by what bends; their sum is the whole."""

    beams: dict[str, Floats]
    """By the names of the links that have beams."""
    joints: dict[str, Floats]
    """By the names of the compliant joints."""

    def along(self, direction: Floats) -> dict[str, Floats]:
        """Of every part what it gives in the direction (..., 3), as links first, then joints."""
        unit = direction / np.maximum(np.linalg.norm(direction, axis=-1, keepdims=True), 1e-300)
        return {name: np.einsum("...i,...i->...", moved, unit) for name, moved in [*self.beams.items(),
                                                                                   *self.joints.items()]}


def check_parts(arm: RobotModel) -> None:
    """Refuse arms of which a displacement is no sum along one chain."""
    if arm.held_by_loops:
        raise ModelError(f"arm '{arm.name}' has loops: what one of its beams gives of a displacement is no sum along "
                         "one chain; compare deflections with stiffer beams instead")
    if arm.placed_guides:
        raise ModelError(f"arm '{arm.name}' has beams that slide in each other, which bend as one: what each gives of "
                         "a displacement is not known; compare deflections with stiffer beams instead")


def moved_by_part(
    arm: ElasticQuantities, q: Floats, qd: Floats, qdd: Floats, options: Mapping[str, Any], link: str | None = None
) -> MovedByPart:
    """What every beam and compliant joint between base and a link gives of its displacement; `options` are those of
    `small_deflection`.

    >>> import loadpath as lp
    >>> tube = lp.Tube(0.03, 0.003)
    >>> beams = {f"link{k}": lp.Beam(tube, lp.STEEL, end=end) for k, end in ((1, "joint2"), (2, "tip_joint"))}
    >>> sag = lp.catalog.planar(2).with_beams(beams).deflection([0.0, 0.0])
    >>> {name: round(1e3 * float(moved[2]), 3) for name, moved in sag.by_part().beams.items()}
    {'link1': -0.401, 'link2': -0.027}
    >>> round(1e3 * float(sag.tip.displacement[2]), 3)
    -0.428
    """
    check_parts(arm)
    link = link_or_only_end(arm, link)
    chain: list[Joint] = []
    above = {joint.child: joint for joint in arm.joints}
    while (chain[-1].parent if chain else link) in above:
        chain.append(above[chain[-1].parent if chain else link])
    chain.reverse()
    finer = _with_frames(arm, chain)
    u, w = (np.asarray(part) for part in finer.small_deflection(q, qd, qdd, **{**options, "axes": "world"}))
    poses = np.asarray(finer.link_poses(q), dtype=float)
    place = {name: k for k, name in enumerate(finer.link_names)}
    end = poses[..., place[link], :3, 3]

    def between(entry: str, exit_: str) -> Floats:
        a, b = place[entry], place[exit_]
        turned, at = w[..., b, :] - w[..., a, :], poses[..., b, :3, 3]
        relative = u[..., b, :] - u[..., a, :] - np.cross(w[..., a, :], at - poses[..., a, :3, 3])
        return np.asarray(relative + np.cross(turned, end - at))

    bending = {name for name, _ in arm.beams}
    compliant = {name for name, _ in arm.joint_compliances}
    beams, joints = {}, {}
    for k, joint in enumerate(chain):
        if joint.name in compliant:
            joints[joint.name] = between(f"exit {k}", f"entry {k}")
        if joint.child in bending:
            beams[joint.child] = between(f"entry {k}", f"exit {k + 1}" if k + 1 < len(chain) else link)
    return MovedByPart(beams, joints)


def _with_frames(arm: ElasticQuantities, chain: list[Joint]) -> ElasticQuantities:
    """The arm with frames without mass on both sides of the joints."""
    sides = [(f"{side} {k}", link, pose) for k, joint in enumerate(chain)
             for side, link, pose in (("exit", joint.parent, joint.origin),
                                      ("entry", joint.child, joint.link_offset.inverse()))]
    links = [Link(name) for name, _, _ in sides]
    joints = [Joint(f"{name} weld", link, name, Fixed(), pose) for name, link, pose in sides]
    return replace(arm, links=(*arm.links, *links), joints=(*arm.joints, *joints))
