"""The fibres of an arm's beams, and their signed normal stress: in a section with the force N, M_y and M_z

    sigma(y, z) = N / A + M_y z / I_y - M_z y / I_z,

tension positive, y and z the principal axes of the section. Torsion adds, in every section, a row with T / W_t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from loadpath.robot.materials import Material
from loadpath.robot.model import RobotModel
from loadpath.robot.sections.section import Corner
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.structure.beams.elastic_mechanism import SectionSample
from loadpath.structure.beams.skeleton import skeleton

TORSION = Corner("torsion", 0.0, 0.0)
"""In the place of a corner."""


@dataclass(frozen=True, eq=False)
class Fibres:
    """Fibres of all sections, one after the other, each a row."""

    links: tuple[str, ...]
    beams: tuple[int, ...]
    """Number of its beam in `arm.beams`."""
    positions: Floats
    """m from the beam's start."""
    names: tuple[str, ...]
    """Place in the section: a corner, or the angle around a round one, from y towards z."""
    materials: tuple[Material, ...]
    sections: Ints
    """Number of its section, in those of `arm.stress`."""
    per_force: Floats
    """1/m^2: stress per axial force."""
    per_moment_y: Floats
    """1/m^3."""
    per_moment_z: Floats
    per_torque: Floats
    """1/m^3: zero but for the rows of torsion, which stand after all others, one for each section."""

    @property
    def twisted(self) -> Bools:
        """(rows,): those of torsion."""
        return np.asarray(self.per_torque > 0)

    def __len__(self) -> int:
        return len(self.links)

    def chosen(self, rows: list[int]) -> Fibres:
        """Some of them."""
        changes: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            changes[part.name] = value[rows] if isinstance(value, np.ndarray) else tuple(value[k] for k in rows)
        return replace(self, **changes)

    def with_notches(self, factors: Floats) -> Fibres:
        """The same with all stresses multiplied, each by its factor."""
        names = ("per_force", "per_moment_y", "per_moment_z", "per_torque")
        return replace(self, **{name: getattr(self, name) * factors for name in names})

    def stress(self, force: Floats, moment: Floats) -> Floats:
        """Signed normal stress (Pa), in rows of torsion shear stress, (rows, states), of forces and moments (states,
        sections, 3).
        """
        axial, about_y, about_z = (
            np.ascontiguousarray(part.T) for part in (force[:, :, 0], moment[:, :, 1], moment[:, :, 2])
        )
        result = axial[self.sections]
        result *= self.per_force[:, None]
        result += about_y[self.sections] * self.per_moment_y[:, None]
        result += about_z[self.sections] * self.per_moment_z[:, None]
        twisted = np.flatnonzero(self.per_torque)
        result[twisted] = np.ascontiguousarray(moment[:, :, 0].T)[self.sections[twisted]]
        result[twisted] *= self.per_torque[twisted][:, None]
        return np.asarray(result)


def fibres_of(arm: RobotModel, sections: int) -> Fibres:
    """The fibres of the sections that `arm.stress` looks at, but for those that move along a beam with a guide's pad.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(lp.Bar(0.02, 0.04), lp.STEEL,
    ...                                                                  end="tip_joint")})
    >>> fibres_of(arm, 2).names[:4]
    ('+y +z', '-y +z', '-y -z', '+y -z')
    """
    samples = [(number, sample) for number, sample in enumerate(skeleton(arm).samples(sections))
               if sample.on_line is None or not sample.on_line.station.moves]
    rows = [(number, sample, corner) for number, sample in samples for corner in sample.section.corners]
    rows += [(number, sample, TORSION) for number, sample in samples]

    def each(value: Callable[[SectionSample, Corner], float], *, torsion: bool = False) -> Floats:
        return np.array([value(sample, at) if (at is TORSION) == torsion else 0.0 for _, sample, at in rows])

    return Fibres(
        tuple(arm.beams[sample.beam][0] for _, sample, _ in rows),
        tuple(sample.beam for _, sample, _ in rows),
        np.array([sample.position for _, sample, _ in rows]),
        tuple(corner.name for *_, corner in rows),
        tuple(sample.material for _, sample, _ in rows),
        np.array([number for number, *_ in rows]),
        each(lambda sample, corner: 1.0 / sample.section.area),
        each(lambda sample, corner: corner.z / sample.section.second_moment_y),
        each(lambda sample, corner: -corner.y / sample.section.second_moment_z),
        each(lambda sample, corner: 1.0 / sample.torsion_modulus, torsion=True),
    )
