"""What a rover with flexible robots is asked of them: the methods of `lp.Rover` that have to do with beams.

A robot keeps its beams and compliant joints on a base. Everything here is what the flexible robot itself computes
(`lp.FlexibleRobot`), under the motion of the base: its acceleration, its turning, the slope that it stands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Never, Unpack

from loadpath.mobile.carried_loads import loaded_robot
from loadpath.mobile.loops import refuse_elastic
from loadpath.mobile.motions import (
    BaseState,
)
from loadpath.mobile.tyres import rigid_wheels
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.guide import Guide
from loadpath.robot.choices import Names
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, refuse_keywords
from loadpath.structure.choices import ALIKE
from loadpath.structure.compensation import Compensation
from loadpath.structure.deflection import Deflection
from loadpath.structure.extremes import Extremes
from loadpath.structure.quantities import PIECES, SECTIONS
from loadpath.structure.stress import BucklingSafety, Stress
from loadpath.structure.vibration.buckled import Buckling
from loadpath.structure.vibration.buckling import TOLERANCE as BUCKLING_TOLERANCE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover


def with_beams(
    rover: Rover,
    beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
    *,
    joint_compliance: Mapping[str, JointCompliance] | None = None,
    guides: Mapping[str, Guide] | None = None,
    inertia_from_beams: bool = False,
) -> Rover:
    """The rover with beams in some links of its robots and compliance in some joints: see `Robot.with_beams`.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.planar(1, mass=3.0), at=(0.2, 0, 0.5))
    >>> rover.with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")}).robot
    <Robot 'rover': 4 links, 3 joints, 1 degrees of freedom, beams: link1>
    """
    refuse_elastic(rover, "with_beams")
    arm = rover.robot.with_beams(
        beams, joint_compliance=joint_compliance, guides=guides, inertia_from_beams=inertia_from_beams
    )
    return replace(rover, robot=arm)


def without_beams(rover: Rover) -> Rover:
    """The rover with the same robots, all of them rigid, on wheels that do not give way (and share their loads as
    before).

    >>> import loadpath as lp
    >>> soft = {"base_mount": lp.JointCompliance(rotation=1e5)}
    >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.planar(1)).with_beams(joint_compliance=soft)
    >>> rover.without_beams().robot
    <Robot 'rover': 4 links, 3 joints, 1 degrees of freedom>
    """
    rigid = replace(rigid_wheels(rover), robot=rover.robot.without_beams())
    return rigid


def deflection(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    effects: Names = None,
    axes: Literal["world", "link"] = "world",
    iterate: bool = False,
    pieces: int = PIECES,
    without_driven: bool = False,
    **base: Unpack[BaseState],
) -> Deflection:
    """How far the links of flexible robots on the base give way as arm and base move: see
    `FlexibleRobot.deflection`. A simulation brings the motion of the base.

    >>> import loadpath as lp
    >>> import numpy as np
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
    >>> braking = rover.deflection([np.pi / 2], acceleration=(-2.0, 0.0), effects={"shear": False})
    >>> load, EI = 2.0 * mast.link("link1").inertia.mass, 210e9 * np.pi / 4 * 0.01**4
    >>> round(float(braking.tip.displacement[0]) / (load / (8 * EI)), 9)          # m a L^3 / 8EI, it stands upright
    1.0
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "deflection")
    return arm.deflection(*states, effects=effects, axes=axes, iterate=iterate, pieces=pieces,
                          without_driven=without_driven, **case)


def stress(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    sections: int = SECTIONS,
    **base: Unpack[BaseState],
) -> Stress:
    """Stresses along the beams of flexible robots on the base: see `FlexibleRobot.stress`.

    >>> import loadpath as lp
    >>> import numpy as np
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
    >>> rover.stress([np.pi / 2], velocity=(1.0, 0.0), acceleration=(-2.0, 0.0)).worst.link
    'link1'
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "stress")
    return arm.stress(*states, sections=sections, **case)


def buckling_safety(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    sections: int = SECTIONS,
    **base: Unpack[BaseState],
) -> BucklingSafety:
    """How far the beams of flexible robots on the base are from buckling: see `FlexibleRobot.buckling_safety`.

    >>> import loadpath as lp
    >>> import numpy as np
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
    >>> float(rover.buckling_safety([np.pi / 2]).euler[0].round(1))
    168.2
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "buckling_safety")
    return arm.buckling_safety(*states, sections=sections, **case)


def extremes(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    link: str | None = None,
    tip: str | None = None,
    sections: int = SECTIONS,
    effects: Names = None,
    **base: Unpack[BaseState],
) -> Extremes:
    """The worst of many states of flexible robots on the base, in bounded memory: see `FlexibleRobot.extremes`.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
    >>> rover.extremes([[1.5], [0.0]], velocity=(1.0, 0.0), acceleration=(-2.0, 0.0)).worst_stress.state
    (1,)
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "extremes")
    return arm.extremes(*states, link=link, tip=tip, sections=sections, effects=effects, **case)


def compensated(
    rover: Rover,
    q_target: ArrayLike,
    *,
    link: str | None = None,
    orientation: bool | None = None,
    iterate: bool = False,
    tolerance: float = 1e-10,
    **base: Unpack[BaseState],
) -> Compensation:
    """Joint coordinates that put the sagging tip where the rigid one should be, in the base frame, on the slope on
    which the base stands: see `FlexibleRobot.compensated`.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> bool(rover.compensated([0.3]).q[0] > 0.3)                           # held higher, as it sags
    True
    """
    arm, (target, _, _), case = loaded_robot(rover, q_target, None, None, base, "compensated")
    return arm.compensated(target, link=link, orientation=orientation, iterate=iterate, tolerance=tolerance, **case)


def compliance(rover: Rover, q: StatesLike | None = None, link: str | None = None, *, effects: Names = None) -> Floats:
    """Compliance (..., 6, 6) at a link against the base: see `FlexibleRobot.compliance`.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": rod})
    >>> lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5)).compliance([0.3]).shape
    (6, 6)
    """
    arm, (poses, _, _), _ = loaded_robot(rover, q, None, None, {}, "compliance")
    result: Floats = arm.compliance(poses, link, effects=effects)
    return result


def stiffness(
    rover: Rover, q: StatesLike | None = None, link: str | None = None, *, effects: Names = None, **others: Never
) -> Floats:
    """Cartesian stiffness (..., 6, 6) at a link against the base: see `FlexibleRobot.stiffness`.

    >>> import loadpath as lp
    >>> import numpy as np
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": rod})
    >>> K = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5)).stiffness([0.0])
    >>> round(float(K[0, 0]) / (210e9 * np.pi * 0.01**2), 9)                             # E A / L
    1.0
    """
    refuse_keywords("stiffness", others, ALIKE)
    arm, (poses, _, _), _ = loaded_robot(rover, q, None, None, {}, "stiffness")
    return arm.stiffness(poses, link, effects=effects)


def buckling(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    effects: Names = None,
    tolerance: float = BUCKLING_TOLERANCE,
    order: int | None = None,
    **base: Unpack[BaseState],
) -> Buckling:
    """By what factor all loads may grow together until flexible robots on the base buckle, as a whole: see
    `FlexibleRobot.buckling`. On wheels with a `stiffness` the tyres give way with them.

    >>> import loadpath as lp
    >>> import numpy as np
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
    >>> float((rover.buckling([np.pi / 2]).factor * mast.link("link1").inertia.mass * 9.81
    ...        / (7.837 * 210e9 * np.pi / 4 * 0.01**4)).round(3))                  # Greenhill's column
    1.0
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "buckling")
    return arm.buckling(*states, effects=effects, tolerance=tolerance, order=order, **case)


def plot_deflection(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    magnification: float | str = "auto",
    title: str | None = None,
    effects: Names = None,
    iterate: bool = False,
    pieces: int = PIECES,
    without_driven: bool = False,
    **base: Unpack[BaseState],
) -> Figure:
    """A Plotly figure of one state of flexible robots on the base: see `FlexibleRobot.plot_deflection`.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": tube})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> rover.plot_deflection([0.3], acceleration=(1.0, 0.0)).data[0].name
    'undeflected'
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "plot_deflection")
    return arm.plot_deflection(*states, magnification=magnification, title=title, effects=effects, iterate=iterate,
                               pieces=pieces, without_driven=without_driven, **case)


def plot_safety(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    against: str = "both",
    sections: int = 25,
    title: str | None = None,
    **base: Unpack[BaseState],
) -> Figure:
    """A Plotly figure of flexible robots, their beams colored by their safety: see `FlexibleRobot.plot_safety`.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": tube})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> rover.plot_safety([0.0], acceleration=(1.0, 0.0)).layout.title.text[:28]
    'rover: smallest safety 117, '
    """
    arm, states, case = loaded_robot(rover, q, qd, qdd, base, "plot_safety")
    return arm.plot_safety(*states, against=against, sections=sections, title=title, **case)
