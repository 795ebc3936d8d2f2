"""What is compiled of a flexible arm, a line each. Users call the methods of `FlexibleRobot` that are made of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from loadpath.engine.arguments import Variant
from loadpath.engine.method import CompiledMethod
from loadpath.mechanics.wrenches import ON_BASE
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.declared import compiled
from loadpath.quantities.table import RobotQuantities
from loadpath.results import DeflectionDerivatives
from loadpath.robot.model import RobotModel
from loadpath.structure.beams import deflection_equations as deflection
from loadpath.structure.beams import shift_equations as shifting
from loadpath.structure.beams import stress_equations as beam_stress
from loadpath.structure.beams.dead_loads import arm_dead_loads, load_rows
from loadpath.structure.beams.deflection_slopes import deflection_slopes
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.checks import chosen_effects

if TYPE_CHECKING:
    from loadpath.quantities.declared import Out
    from loadpath.quantities.load_keywords import LoadKeywords
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike

SECTIONS = 9
"""Cross sections along each beam where stresses are evaluated, by default."""

PIECES = 4
"""Pieces of each beam in an iterated deflection, by default: 0.2 % up to a sag of a third of the length.
"""


_READERS = {"effects": chosen_effects}


def _elements(arm: RobotModel, variant: Variant) -> Mapping[str, int]:
    pieces: Any = dict(variant.choices).get("pieces", PIECES)
    return {"e": len(skeleton(arm, pieces).elements)}


def _load_rows(arm: RobotModel, variant: Variant) -> Mapping[str, int]:
    return {"e": load_rows(skeleton(arm)).total}


def _samples(arm: RobotModel, variant: Variant) -> Mapping[str, int]:
    sections: Any = dict(variant.choices).get("sections", SECTIONS)
    return {"s": len(skeleton(arm).samples(sections))}


class ElasticQuantities(RobotQuantities):
    """The compiled quantities of a flexible arm."""

    @compiled(
        deflection.small_deflection,
        "(q),(n),(n)->(l,3),(l,3)",
        skeleton,
        choices={"effects": EFFECTS, "axes": "world", "without_driven": False},
        choice_readers=_READERS,
        optional=ON_BASE,
        takes_external=True,
    )
    def small_deflection(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        effects: Sequence[str] = EFFECTS,
        axes: str = "world",
        without_driven: bool = False,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats]:
        """Displacement of every link frame's origin (m) and rotation of the frame (rad), each (..., links, 3), linear
        in the loads. `deflection` gives the same with names.

        >>> import loadpath as lp
        >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
        >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(tube, lp.CARBON_UD, end="tip_joint")})
        >>> arm.small_deflection([0.0], [0.0], [0.0])[0].shape
        (3, 3)
        """

    @compiled(
        deflection_slopes,
        "(q),(n),(n)->(l,3,n),(l,3,n),(l,3,n),(l,3,n),(l,3,n),(l,3,n)",
        skeleton,
        choices={"effects": EFFECTS, "axes": "world", "without_driven": False},
        choice_readers=_READERS,
        optional=ON_BASE,
        takes_external=True,
        wrap=lambda robot, *parts: DeflectionDerivatives.of(*parts),
    )
    def deflection_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        effects: Sequence[str] = EFFECTS,
        axes: str = "world",
        without_driven: bool = False,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> DeflectionDerivatives:
        """Derivatives of the small deflection (`deflection`, without iteration) by q, qd and qdd: `.q`, `.qd`, `.qdd`,
        each with `.displacement` (m) and `.rotation` (rad), (..., links, 3, n), in the axes asked for. By q they are by
        a small motion with the meaning of qd, and hold axes of the world fixed; those of links go along.

        >>> import loadpath as lp
        >>> rod = lp.Rod(0.01)
        >>> beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
        >>> arm = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
        >>> found = arm.deflection_derivatives([0.0], [0.0], [0.0], effects=["bending"])
        >>> found.q.displacement.shape
        (3, 3, 1)
        >>> sag, more = arm.deflection([0.0], effects=["bending"]).tip.displacement[2], found.qdd.displacement[-1, 2]
        >>> float((more[0] * 9.81 / sag * 15).round(6))     # a load that grows along the rod, against a uniform one
        11.0
        """

    @compiled(
        deflection.bent_deflection,
        "(q),(n),(n),(e,6)->(e,6),(l,3),(l,3),(l)",
        skeleton,
        choices={"effects": EFFECTS, "pieces": PIECES, "axes": "world"},
        choice_readers=_READERS,
        sizes=_elements,
        optional=ON_BASE,
        takes_external=True,
    )
    def bent_deflection(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        bends: ArrayLike,
        *,
        effects: Sequence[str] = EFFECTS,
        pieces: int = PIECES,
        axes: str = "world",
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """One step of the iterated deflection: what the elements bend in the arm bent by `bends`, and the link frames'
        displacement, and rotation as axis times sine, and cosine.
        """

    @compiled(
        deflection.compliance,
        "(q)->(6,6)",
        skeleton,
        choices={"effects": EFFECTS},
        choice_readers=_READERS,
        takes_link=True,
    )
    def compliance(
        self, q: StatesLike, link: str | None = None, *, effects: Sequence[str] = EFFECTS, out: Out = None
    ) -> Floats:
        """Compliance (..., 6, 6) at a link, `arm.compliance(q, link)`: displacement (m, three rows) and rotation (rad)
        of its frame per unit of force (N) and torque (N m) on it, at its origin, in world axes, with all joints held.
        Without a link, at the only end that the robot has. `effects` as in `deflection`.

        >>> import loadpath as lp
        >>> rod = lp.Rod(0.01)
        >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
        >>> C = arm.compliance([0.0], effects=("bending",))
        >>> bool(abs(C[2, 2] * 3 * 210e9 * rod.second_moment_y - 1) < 1e-12)        # L^3 / 3EI
        True
        """

    @compiled(
        shifting.load_shift,
        "(q),(n),(n)->(3),(3),(3)",
        shifting.heavy_mechanism,
        choices={"effects": EFFECTS},
        choice_readers=_READERS,
        optional=ON_BASE,
        takes_external=True,
    )
    def load_shift(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        effects: Sequence[str] = EFFECTS,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats, Floats]:
        """What bending changes at the arm's base, because its masses are not where the rigid arm has them: additions to
        the force (N) and torque (N m) of `base_wrench`, and the sum of masses times displacements (kg m), each (...,
        3). Small deflections. Rovers have it in `wheel_loads(..., deflected=True)`.

        >>> import loadpath as lp
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> force, torque, moved = arm.load_shift([0.5], [0.0], [0.0])
        >>> float((torque[1] / (9.81 * moved[0])).round(9))             # its weight acts further out by so much
        -1.0
        """

    @compiled(
        beam_stress.section_actions,
        "(q),(n),(n)->(s,3),(s,3)",
        skeleton,
        choices={"sections": SECTIONS},
        sizes=_samples,
        optional=ON_BASE,
        takes_external=True,
    )
    def section_actions(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        sections: int = SECTIONS,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats]:
        """Force (N) and moment (N m) in every cross section, each (..., sections, 3), in beam axes, exerted by the part
        beyond on the part before: axial force, shear along y and z; torsion, bending about y and z. The sections are
        those of `stress`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")})
        >>> force, moment = arm.section_actions([0.0], [0.0], [0.0])
        >>> float(force[0, 1].round(6)), float(moment[0, 2].round(6))   # weight 29.43 N of the link, at its middle
        (-29.43, -14.715)
        """

    @compiled(
        beam_stress.section_stresses,
        "(q),(n),(n)->(s),(s),(s),(s),(s)",
        skeleton,
        choices={"sections": SECTIONS},
        sizes=_samples,
        optional=ON_BASE,
        takes_external=True,
    )
    def section_stresses(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        sections: int = SECTIONS,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Axial, bending, shear, torsion and von Mises stress (Pa) in every cross section, each (..., sections)."""

    @compiled(
        beam_stress.section_buckling,
        "(q),(n),(n)->(s),(s),(s)",
        skeleton,
        choices={"sections": SECTIONS},
        sizes=_samples,
        optional=ON_BASE,
        takes_external=True,
    )
    def section_buckling(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        sections: int = SECTIONS,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats, Floats]:
        """Compression (N), its share of the critical load, and the reciprocal of the safety of the beam-column, in
        every cross section, each (..., sections).
        """

    @compiled(arm_dead_loads, "(q),(n),(n)->(e,18)", skeleton, sizes=_load_rows, optional=ON_BASE, takes_external=True)
    def dead_loads(
        self, q: StatesLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, **acting: Unpack[LoadKeywords]
    ) -> Floats:
        """For every piece of a beam and every compliant joint the forces beyond it, as `buckling` needs them, in its
        axes: their sum (3), the sum of their points times them (3 x 3), about its end; and the accelerations A and B of
        its own mass, A + B x. Of an arm with guides there are more rows: see `load_rows`.
        """

    @compiled(
        beam_stress.section_stresses_with,
        "(q),(n),(n),(s,3),(s,3)->(s),(s),(s),(s),(s)",
        skeleton,
        choices={"sections": SECTIONS},
        sizes=_samples,
        optional=ON_BASE,
        takes_external=True,
    )
    def section_stresses_with(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        more_force: ArrayLike,
        more_moment: ArrayLike,
        *,
        sections: int = SECTIONS,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """`section_stresses` of the loads together with more force (N) and moment (N m) in every cross section, each
        (..., sections, 3) in beam axes, as of a vibration.
        """


class ClosedElasticQuantities(ClosedQuantities, ElasticQuantities):
    """A robot with loops and beams, and its compiled quantities."""


FEW = 500
"""States up to which nothing is compiled."""


def at_once(method: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    """The call of a compiled method: of few states by the formulation itself, which would not repay compiling."""
    rows = max((math.prod(np.shape(array)[:-1]) for array in arrays), default=1)
    wrenches = (options.get("external") or {}).values()
    rows = max(rows, *(math.prod(wrench.force.shape[:-1]) for wrench in wrenches), 1)
    if rows <= FEW and isinstance(method, CompiledMethod):  # else a subclass has put its own in front
        return method.uncompiled(*arrays, **options)
    return method(*arrays, **options)
