"""What every elastic model of an arm can be asked, with guides or without: its matrices in states, and how it moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from loadpath.scalars.types import ArrayLike, Bools, Floats

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot
    from loadpath.states import LoadCase


class PlacedArm(ABC):
    """An elastic model in states; world axes."""

    @abstractmethod
    def matrices(self) -> tuple[Floats, Floats]:
        """The mass matrices (states, size, size), and the momenta (states, size, 6) that the coordinates share with a
        motion of the base.
        """

    @abstractmethod
    def loaded(self, states: tuple[Floats, ...], case: LoadCase) -> tuple[Floats, Floats]:
        """The geometric stiffness (states, size, size), and the largest strains (states,) of `largest_strains`."""

    @abstractmethod
    def frame_motions(self, y: Floats) -> tuple[Floats, Floats]:
        """Displacements and rotations (states, modes, links, 3) of the link frames, for coordinates (states, modes,
        size).
        """

    @abstractmethod
    def chosen(self, rows: Bools) -> PlacedArm:
        """Some of the states."""

    @abstractmethod
    def beam_lines(self, y: Floats, points: int) -> list[BeamCurve]:
        """Of the first state: all beams, moved by coordinates (modes, size)."""


class BeamCurve(NamedTuple):
    """A beam's middle line at points along its pieces; world axes."""

    beam: int
    link: str
    position: Floats
    """(points,), m from the beam's start."""
    points: Floats
    """(points, 3)."""
    displacement: Floats
    """(modes, points, 3)."""
    start: Floats
    """(modes, 6): displacement and rotation of the beam's start, about the world's origin."""


class ElasticModel(ABC):
    """An arm with `size` elastic coordinates whose stiffness without load is the identity."""

    arm: FlexibleRobot
    effects: tuple[str, ...]
    order: int
    part_names: tuple[str, ...]
    """What a coordinate may belong to, like 'link2: torsion'."""
    part_of: Floats
    """(size, parts): one where the coordinate belongs to the part."""
    size: int

    @property
    @abstractmethod
    def owners(self) -> tuple[tuple[str, slice], ...]:
        """For each piece the name of its link or joint, and its coordinates."""

    @property
    @abstractmethod
    def floats_each(self) -> int:
        """Numbers that the matrices of one state take."""

    @abstractmethod
    def at(self, q: ArrayLike) -> PlacedArm:
        """The model in states (states, nq)."""
