"""Torsion of a closed wall of one thickness: Bredt's formulas, and what the wall adds by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

from loadpath.structure.sections.section import Shape


class ClosedWall(Shape, ABC):
    """A tube of any outline with a wall of one thickness."""

    wall: float
    """m."""

    @property
    @abstractmethod
    def _middle_line(self) -> tuple[float, float]:
        """The area that the middle line of the wall encloses, and its length."""

    @property
    def torsion_constant(self) -> float:
        enclosed, around = self._middle_line
        return 4 * enclosed**2 * self.wall / around + around * self.wall**3 / 3

    @property
    def torsion_modulus(self) -> float:
        enclosed, around = self._middle_line
        return self.torsion_constant / (self.wall + 2 * enclosed / around)
