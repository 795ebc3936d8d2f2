"""`robot.static_compliance(q)`: how far the wrist gives way per unit of force, and by what (ISO 9283)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.fitting import parts_of
from loadpath.parts.gears.gear import Gear
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.numbers import number, vector3
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike, read_states, unknown_states, warn_of_unknown
from loadpath.structure.vibration.world_axes import skew
from loadpath.tables import Table, data_frame, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.quantities.table import RobotQuantities


@dataclass(frozen=True, eq=False, repr=False)
class Droop:
    """How far a link sinks under a payload: `displacement` (m) of its origin and `rotation` (rad), each (..., 3), in
    world axes; what of it comes by what gives way is in `shares`, (..., 6) each.
    """

    displacement: Floats
    rotation: Floats
    shares: Mapping[str, Floats]
    link: str

    def __repr__(self) -> str:
        most = 1e3 * float(np.linalg.norm(self.displacement, axis=-1).max(initial=0.0))
        return printable(f"<droop of '{self.link}': {most:.4g} mm>")


@dataclass(frozen=True, eq=False, repr=False)
class StaticCompliance:
    """How far a link gives way, from `robot.static_compliance`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=2e4)})
    >>> found = arm.static_compliance([0.0])
    >>> found.mm_per_N.round(9).tolist()                             # 1 m from the joint: 1 / 2e4 m/N upwards
    [0.0, 0.0, 0.05]
    """

    matrix: Floats
    """(..., 6, 6): displacement (m) and rotation (rad) of the link's frame per unit of force (N) and torque (N m) on it
    at its origin, in world axes."""
    shares: Mapping[str, Floats]
    """(..., 6, 6): of each joint's drive or gear, bearing, and each link's beams; they sum to it."""
    link: str
    name: str
    turned: Floats
    """(..., 3, 3): axes of the link."""
    gravity: tuple[float, float, float]
    notes: tuple[str, ...] = ()

    @property
    def mm_per_N(self) -> Floats:
        """(..., 3): displacement along each axis of the base per force along it, mm/N, as ISO 9283 has it."""
        found: Floats = 1e3 * np.diagonal(self.matrix, axis1=-2, axis2=-1)[..., :3]
        return found

    def share(self, source: str) -> Floats:
        """(..., 3): what a source has of `mm_per_N`, as a share of one.

        >>> import loadpath as lp
        >>> soft = lp.JointCompliance(drive=2e4)
        >>> arm = lp.catalog.planar(2).with_beams(joint_compliance={"joint1": soft, "joint2": soft})
        >>> arm.static_compliance([0.0, 0.0]).share("joint2, drive").round(3).tolist()       # 1^2 / (2^2 + 1^2)
        [0.0, 0.0, 0.2]
        """
        if source not in self.shares:
            raise ValueError(f"'{source}' does not give way; there are {', '.join(self.shares)}")
        part = 1e3 * np.diagonal(self.shares[source], axis1=-2, axis2=-1)[..., :3]
        whole = self.mm_per_N
        return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)

    def droop(self, mass: float, center_of_mass: Sequence[float] = (0.0, 0.0, 0.0)) -> Droop:
        """How far the link sinks when it takes a payload of that mass (kg), whose center is at `center_of_mass` (m, in
        its frame).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=2e4)})
        >>> round(float(arm.static_compliance([0.0]).droop(10.0).displacement[2]), 9)        # 10 x 9.81 / 2e4
        -0.004905
        """
        kilograms = number(in_si(mass, ("mass",), "mass"), "droop: mass")
        if kilograms < 0:
            raise ValueError(f"droop: mass is {kilograms:g} kg: expected zero or more")
        arm = self.turned @ np.array(vector3(in_si(center_of_mass, ("length",), "center_of_mass"), "center of mass"))
        force = np.broadcast_to(kilograms * np.array(self.gravity), arm.shape)
        wrench = np.concatenate([force, np.cross(arm, force)], axis=-1)
        shares = {name: np.einsum("...ij,...j->...i", matrix, wrench) for name, matrix in self.shares.items()}
        moved = np.einsum("...ij,...j->...i", self.matrix, wrench)
        return Droop(moved[..., :3], moved[..., 3:], shares, self.link)

    def __repr__(self) -> str:
        most = self.mm_per_N.reshape(-1, 3).max(axis=0, initial=0.0)
        x, y, z = (f"{value:.3g}" for value in most)
        poses = self.matrix.shape[:-2]
        of = f", at most of {' x '.join(map(str, poses))} poses" if poses else ""
        return printable(f"<compliance of '{self.name}' at '{self.link}': {x}, {y}, {z} mm/N along x, y, z{of}>")

    def _records(self) -> list[tuple[object, ...]]:
        if self.matrix.ndim != 2:
            raise ValueError(f"a table is of one pose: this has {self.matrix.shape[:-2]} of them; ask for one")
        rows = [(name, *(1e3 * np.diagonal(matrix)[:3]).tolist(), *(1e3 * np.diagonal(matrix)[3:]).tolist())
                for name, matrix in self.shares.items()]
        whole = np.diagonal(self.matrix) * 1e3
        return [*rows, ("all", *whole.tolist())]

    def _table(self) -> Table:
        rows = [[printable(str(name)), *(f"{x:.4g}" for x in values)] for name, *values in self._records()]
        return Table(f"Compliance of '{self.name}' at '{self.link}'", HEADS, rows, note="; ".join(self.notes))

    def to_table(self) -> str:
        """What each source adds along and about each axis of the base, of one pose, as text."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return repr(self) if self.matrix.ndim != 2 else self._table().html()

    def to_dataframe(self) -> DataFrame:
        """The same as a pandas data frame."""
        return data_frame(self._records(), HEADS)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file; numbers in full."""
        return write_table(path, HEADS, self._records())


HEADS = ["source", "x (mm/N)", "y (mm/N)", "z (mm/N)", "about x (mrad/(N m))", "about y (mrad/(N m))",
         "about z (mrad/(N m))"]


def static_compliance(robot: RobotQuantities, q: StatesLike, link: str | None = None) -> StaticCompliance:
    """How far a link (the only end unless given) gives way per unit of force on it with all joints held, along each
    axis of the base, and which joint or beam has which share: the static compliance of ISO 9283 at the wrist. See
    `StaticCompliance`.

    What gives way are `lp.JointCompliance` of joints (drive and bearing), the stiffness of gears (`with_parts`) at
    joints whose drive has none, as it is at the torque that holds the pose, and beams. Of the same robot at rest,
    `deflection` has how far it sinks under its own weight.

    >>> import loadpath as lp
    >>> gear = lp.StrainWaveGear(ratio=100, stiffness=2e4)
    >>> arm = lp.catalog.planar(1).with_parts({"joint1": gear})
    >>> arm.static_compliance([0.0])
    <compliance of 'planar1' at 'tip': 0, 0, 0.05 mm/N along x, y, z>
    """
    if is_closed(robot):
        raise ModelError(f"static_compliance: robot '{robot.name}' has loops, in which what gives way is not one after "
                         "the other, so that it has no shares: robot.compliance(q, link) is all of it")
    tip = link_or_only_end(robot, link)
    poses = np.asarray(read_states(robot, q, caller="static_compliance", at_rest=True)[0], dtype=float)
    frames = np.asarray(robot.link_poses(poses))
    at = frames[..., robot.link_names.index(tip), :, :]
    chain = _towards_base(robot, tip)
    shares: dict[str, Floats] = {}
    notes = []
    compliances = dict(robot.joint_compliances)
    geared = _gears(robot, poses, compliances)
    for joint in reversed(chain):
        parts = list(_of_joint(joint, compliances.get(joint.name)))
        if joint.name in geared:
            (gear, compliance), axis = geared[joint.name], np.zeros(6)
            axis[3 if joint.motion.turns_about_line() else 0:][:3] = joint.motion.axis_direction()
            parts.append((f"{joint.name}, {gear}", compliance[..., None, None] * np.outer(axis, axis)))
            notes.append(f"{joint.name}: stiffness of {gear} at the torque that holds the pose; play left out")
        carried = _to_tip(frames, robot, joint, at)
        for name, local in parts:
            if local.any():
                shares[name] = np.swapaxes(carried, -1, -2) @ local @ carried
    for name, matrix in _of_beams(robot, poses, tip):
        shares[name] = matrix
    if not shares:
        raise ModelError(f"static_compliance: nothing of robot '{robot.name}' between its base and '{tip}' gives way: "
                         "give joints a compliance (with_beams(joint_compliance={...})), gears a stiffness, or links "
                         "beams")
    total = sum(shares.values(), start=np.zeros((*poses.shape[:-1], 6, 6)))
    warn_of_unknown(unknown_states(total.reshape(*total.shape[:-2], 36)), "static_compliance", "NaN there")
    return StaticCompliance(total, shares, tip, robot.name, at[..., :3, :3], robot.gravity, tuple(notes))


def _towards_base(robot: Any, link: str) -> list[Any]:
    """Joints from a link to the base."""
    above = {joint.child: joint for joint in robot.joints}
    found = []
    while link in above:
        found.append(above[link])
        link = above[link].parent
    return found


def _of_joint(joint: Any, given: JointCompliance | None) -> list[tuple[str, Floats]]:
    """The compliance (6, 6) of a joint's drive and of its bearing, in the child's joint frame."""
    if given is None:
        return []
    if not joint.motion.dof:
        return [(f"{joint.name}, weld", given.matrix(joint))]
    along = JointCompliance(drive=given.drive).matrix(joint)
    return [(f"{joint.name}, drive", along), (f"{joint.name}, bearing", given.matrix(joint) - along)]


def _gears(robot: Any, q: Floats, known: Mapping[str, Any]) -> dict[str, tuple[str, Floats]]:
    """By joint: the gear's name and its compliance about (along) the joint's axis, rad per N m (m per N), (...,)."""
    found: dict[str, tuple[str, Floats]] = {}
    gears = [(name, part) for name, part in parts_of(robot)
             if isinstance(part, Gear) and part.stiffness is not None and name in robot.dof_names
             and np.isinf(np.asarray(known[name].drive if name in known else np.inf)).all()]
    if not gears:
        return found
    still = np.zeros((*q.shape[:-1], robot.n))
    torque = np.asarray(robot.inverse_dynamics(q, still, still))
    for name, gear in gears:
        ratio = gear.output_ratio or 1.0
        held = np.abs(torque[..., robot.dof_names.index(name)]) / ratio
        pieces = np.array(gear.stiffness if isinstance(gear.stiffness, tuple) else (gear.stiffness,))
        which = np.searchsorted(np.array(gear.stiffness_torques or ()), held)
        softness = 1.0 / (pieces[which] * ratio**2)
        label, before = found.get(name, (gear.label, np.zeros(())))
        found[name] = (label if label == gear.label else f"{label} and {gear.label}", before + softness)
    return found


def _to_tip(frames: Floats, robot: Any, joint: Any, at: Floats) -> Floats:
    """(..., 6, 6): the wrench at the joint, in the child's joint frame, of a wrench on the tip in world axes."""
    child = frames[..., robot.link_names.index(joint.child), :, :]
    offset = np.eye(4)
    offset[:3, :3], offset[:3, 3] = joint.link_offset.R, joint.link_offset.p
    frame = child @ np.linalg.inv(offset)
    R = np.swapaxes(frame[..., :3, :3], -1, -2)
    arm = at[..., :3, 3] - frame[..., :3, 3]
    result = np.zeros((*arm.shape[:-1], 6, 6))
    result[..., :3, :3] = result[..., 3:, 3:] = R
    result[..., 3:, :3] = R @ skew(arm)
    return result


def _of_beams(robot: Any, q: Floats, tip: str) -> list[tuple[str, Floats]]:
    """What the beams of each link add: those of the arm with these alone."""
    links = list(dict.fromkeys(link for link, _ in robot.beams))
    found = []
    for link in links:
        own = tuple(entry for entry in robot.beams if entry[0] == link)
        alone = robot if len(links) == 1 and not robot.joint_compliances else replace(
            robot, beams=own, joint_compliances=())
        matrix = np.asarray(alone.compliance(q, tip))
        if matrix.any():
            found.append((f"{link}, beam", matrix))
    return found


