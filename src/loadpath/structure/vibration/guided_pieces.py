"""Pieces of a beam whose ends move with the extension of a guide: everything about them as powers of their length.

With a uniform section the shapes of a piece of length L are those of a piece of 1 m, stretched: displacements by
bending grow with L^(3/2), by extension and shear with L^(1/2), rotations with L^(1/2). So the constants of a piece of
1 m give those of all lengths at once, and a piece without length is harmless. A piece between places that stay has
constants of its own, of any section.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.beams.profile import Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.vibration.basis import RESULTANTS, shapes
from loadpath.structure.vibration.geometric_stiffness import PieceStiffness, stretch_stiffness


class LinePiece(NamedTuple):
    """A piece of a line between two of its places, in the axes of its beam."""

    stretch: Stretch
    """The whole part of constant section in which it lies; or the piece itself, where it does not move."""
    uniform: bool
    share: float
    """Of the line's mass that counts; and of the rotary inertia of its sections."""
    rotary: float
    order: int
    effects: tuple[str, ...]


class PieceNumbers(NamedTuple):
    """Of a piece in states, beam axes; the batch in front, or 1 where it does not change."""

    end: Floats
    """(..., 6, c): shapes at its end."""
    linear: Floats
    """(..., 3, c): integral of mu u."""
    first: Floats
    """(..., 3, c): of mu x u, x from the piece's start."""
    turning: Floats
    """(..., 3, c): angular momentum of the sections about themselves."""
    own: Floats
    """(..., c, c): mass of the shapes among themselves."""
    mass: Floats
    """(..., 3): integrals of mu, mu x and mu x^2, x from the piece's start."""
    sections: Floats
    """(..., 3): rotary inertia of the sections about x, y and z."""


class PieceConstants(Protocol):
    """What a piece gives for lengths (states,)."""

    piece: LinePiece
    resultants: tuple[int, ...]

    def numbers(self, length: Floats) -> PieceNumbers:
        """Of its mass and shapes."""

    def geometric(self, length: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """K_G (states, c, c) among its own coordinates and the integral of d (states, 3, c), of loads (states, 18)."""

    def shapes(self, length: float, share: Floats) -> Floats:
        """(sections, 6, c) at shares of its length."""

    def forces(self, length: Floats, loads: Floats) -> Floats:
        """(states, c): generalized forces of loads (states, 18)."""


def constants_of(piece: LinePiece) -> PieceConstants:
    """Those of a piece whose length changes, or stays."""
    return Stretching(piece) if piece.uniform else Staying(piece)


class Staying:
    """A piece whose ends do not move along the beam."""

    def __init__(self, piece: LinePiece) -> None:
        self.piece, stretch = piece, piece.stretch
        found = shapes(stretch, np.array([stretch.length]), piece.order, piece.effects)
        self.resultants, self.end = found.resultants, found.values[0]
        x, weights = stretch.nodes()
        p, values = stretch.properties(x), shapes(stretch, x, piece.order, piece.effects).values
        mu = piece.share * weights * p.mass
        about = piece.rotary * piece.share * weights * np.array([p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z])
        moved, turned = values[:, :3], values[:, 3:]
        spun = about.T[:, :, None] * turned
        self.parts = PieceNumbers(
            end=self.end,
            linear=np.einsum("x,xic->ic", mu, moved),
            first=np.einsum("x,xic->ic", mu * x, moved),
            turning=spun.sum(axis=0),
            own=np.einsum("x,xic,xid->cd", mu, moved, moved) + np.einsum("xic,xid->cd", turned, spun),
            mass=np.array([float((mu * x**k).sum()) for k in range(3)]),
            sections=about.sum(axis=1),
        )

    @cached_property
    def stiffness(self) -> PieceStiffness:
        """Its 18 matrices."""
        return stretch_stiffness(self.piece.stretch, self.piece.order, self.piece.effects, self.piece.share)

    def numbers(self, length: Floats) -> PieceNumbers:
        """See `PieceConstants`."""
        return PieceNumbers(*(part[None] for part in self.parts))

    def geometric(self, length: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """See `PieceConstants`."""
        return _contracted(loads, self.stiffness.own), _contracted(loads, self.stiffness.along)

    def shapes(self, length: float, share: Floats) -> Floats:
        """See `PieceConstants`."""
        at = share * self.piece.stretch.length
        return shapes(self.piece.stretch, at, self.piece.order, self.piece.effects).values

    def forces(self, length: Floats, loads: Floats) -> Floats:
        """See `PieceConstants`."""
        return forces_of(self.numbers(length), loads)


class Stretching:
    """A piece of constant section whose length changes."""

    def __init__(self, piece: LinePiece) -> None:
        unit = piece.stretch._replace(start=0.0, stop=1.0, segment_start=0.0, segment_length=1.0)
        with_all = piece._replace(stretch=unit, share=1.0)
        self.piece, self.unit = with_all, unit
        by_mass, by_sections = Staying(with_all._replace(rotary=0.0)), Staying(with_all)
        self.resultants = by_mass.resultants
        self.mass, self.sections = by_mass.parts, by_sections.parts
        self.share = piece.share
        bends = np.array([RESULTANTS[r].lever is not None for r in self.resultants], dtype=bool)
        self.powers = np.where(bends, 1.5, 0.5)
        self.turns = np.array([RESULTANTS[r].turns is not None for r in self.resultants], dtype=bool)

    @cached_property
    def stiffness(self) -> PieceStiffness:
        """Of 1 m."""
        return stretch_stiffness(self.unit, self.piece.order, self.piece.effects, self.share)

    def numbers(self, length: Floats) -> PieceNumbers:
        """See `PieceConstants`."""
        L = length[:, None, None]
        moved, turned = L**self.powers, np.sqrt(L)  # (states, 1, c) and (states, 1, 1)
        mass, sections, share = self.mass, self.sections, self.share
        end = np.concatenate([mass.end[:3] * moved, mass.end[3:] * turned], axis=-2)
        rotary = share * (sections.own - mass.own)
        return PieceNumbers(
            end=end,
            linear=share * L * mass.linear * moved,
            first=share * L**2 * mass.first * moved,
            turning=share * L * sections.turning * turned,
            own=share * L * mass.own * moved * np.swapaxes(moved, -1, -2) + L**2 * rotary,
            mass=share * np.stack([length, length**2, length**3], axis=-1) * mass.mass,
            sections=share * length[:, None] * sections.sections,
        )

    def geometric(self, length: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """See `PieceConstants`."""
        L = length[:, None]
        F, G, A, B = loads[:, :3], loads[:, 3:12], loads[:, 12:15], loads[:, 15:]
        by_strain = np.concatenate([F, np.zeros_like(G), L * A, L**2 * B], axis=-1)
        by_bend = np.concatenate([L * F, G, L**2 * A, L**3 * B], axis=-1)
        half, along = self._halves, self.stiffness.along
        K = np.empty((len(length), len(self.powers), len(self.powers)))
        d = np.empty((len(length), 3, len(self.powers)))
        for which, scaled in ((self.turns, by_bend), (~self.turns, by_strain)):
            # A piece of 1 m: the rotation of a section grows with L^(1/2), the integral with L, strains with L^(-1/2).
            K[:, :, which] = L[:, :, None] * _contracted(scaled, half[:, :, which])
            d[:, :, which] = np.sqrt(L)[:, :, None] * _contracted(scaled, along[:, :, which])
        return -K - np.swapaxes(K, -1, -2), d

    @cached_property
    def _halves(self) -> Floats:
        """(18, c, c): integrals of theta_i . d_k of 1 m."""
        half = self.stiffness.half
        assert half is not None
        return half

    def shapes(self, length: float, share: Floats) -> Floats:
        """See `PieceConstants`."""
        values = shapes(self.unit, share, self.piece.order, self.piece.effects).values
        return np.concatenate([values[:, :3] * length**self.powers, values[:, 3:] * length**0.5], axis=1)

    def forces(self, length: Floats, loads: Floats) -> Floats:
        """See `PieceConstants`."""
        return forces_of(self.numbers(length), loads)


def forces_of(numbers: PieceNumbers, loads: Floats) -> Floats:
    """Generalized forces (states, c) of loads (states, 18) on a piece."""
    G = loads[:, 3:12].reshape(-1, 3, 3)
    moment = np.stack([G[:, 1, 2] - G[:, 2, 1], G[:, 2, 0] - G[:, 0, 2], G[:, 0, 1] - G[:, 1, 0]], axis=-1)
    at_end = np.concatenate([loads[:, :3], moment], axis=-1)
    result: Floats = (at_end[:, None] @ numbers.end)[:, 0]
    result = result - (loads[:, None, 12:15] @ numbers.linear)[:, 0] - (loads[:, None, 15:] @ numbers.first)[:, 0]
    return result


def _contracted(loads: Floats, constants: Floats) -> Floats:
    """Sums over the 18 loads (states, 18) of constants (18, a, b)."""
    return (loads @ constants.reshape(len(constants), -1)).reshape(len(loads), *constants.shape[1:])
