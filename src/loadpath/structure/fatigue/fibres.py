"""The fibres of an arm's beams, and their signed normal stress: in a section with the force N, M_y and M_z

    sigma(y, z) = N / A + M_y z / I_y - M_z y / I_z,

tension positive, y and z the principal axes of the section.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from loadpath.scalars.types import Floats, Ints
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.materials import Material

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot


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

    def __len__(self) -> int:
        return len(self.links)

    def chosen(self, rows: list[int]) -> Fibres:
        """Some of them."""
        parts = [getattr(self, part.name) for part in fields(self)]
        return Fibres(*(np.asarray(part)[rows] if isinstance(part, np.ndarray) else tuple(part[k] for k in rows)
                        for part in parts))  # fmt: skip

    def with_notches(self, factors: Floats) -> Fibres:
        """The same with all stresses multiplied, each by its factor."""
        names = ("per_force", "per_moment_y", "per_moment_z")
        return replace(self, **{name: getattr(self, name) * factors for name in names})

    def stress(self, force: Floats, moment: Floats) -> Floats:
        """Signed normal stress (Pa), (fibres, states), of forces and moments (states, sections, 3)."""
        axial, about_y, about_z = (np.ascontiguousarray(part.T) for part in (force[:, :, 0], moment[:, :, 1], moment[:, :, 2]))
        result = axial[self.sections]
        result *= self.per_force[:, None]
        result += about_y[self.sections] * self.per_moment_y[:, None]
        result += about_z[self.sections] * self.per_moment_z[:, None]
        return np.asarray(result)


def fibres_of(arm: FlexibleRobot, sections: int) -> Fibres:
    """The fibres of the sections that `arm.stress` looks at.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(lp.Bar(0.02, 0.04), lp.STEEL,
    ...                                                                  end="tip_joint")})
    >>> fibres_of(arm, 2).names[:4]
    ('+y +z', '-y +z', '-y -z', '+y -z')
    """
    rows = [(number, sample, corner) for number, sample in enumerate(skeleton(arm).samples(sections))
            for corner in sample.section.corners]  # fmt: skip
    return Fibres(
        tuple(arm.beams[sample.beam][0] for _, sample, _ in rows),
        tuple(sample.beam for _, sample, _ in rows),
        np.array([sample.position for _, sample, _ in rows]),
        tuple(corner.name for *_, corner in rows),
        tuple(sample.material for _, sample, _ in rows),
        np.array([number for number, *_ in rows]),
        np.array([1.0 / sample.section.area for _, sample, _ in rows]),
        np.array([corner.z / sample.section.second_moment_y for _, sample, corner in rows]),
        np.array([-corner.y / sample.section.second_moment_z for _, sample, corner in rows]),
    )
