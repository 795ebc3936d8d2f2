"""The vibrating arm: coordinates of its elastic pieces, and what its mass and stiffness in them are made of.

Every piece of a beam has the shapes of `basis`, every compliant joint the directions in which it gives way. A
coordinate moves everything beyond its piece like a rigid body: a twist, constant in the axes of its link. So the mass
matrix of a pose comes from three sets of constants, transformed to where the links are: the inertia of every body (what
is held at one point of a beam, with the line mass of the piece that starts there), the momentum of each coordinate's
own piece, and the mass of the shapes among themselves. The stiffness matrix is the identity: see `basis`.

A link that slides in a guide hangs on the tail pad of it by a twist of six coordinates of its own, which have no
stiffness (`slides`). They follow from the others, because both beams are displaced alike at the pads: y = T eta,
T = [1; C], so that M = T^T M_y T, and the stiffness without load stays the identity. The beams in guides are cut at all
their stations, those that move included; where one passes another, pieces have no length. An arm without guides has no
such pieces, and T = 1. Loops are rows of the same T: see `closing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property, kept
from loadpath.progress import steps
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints
from loadpath.states import Batch, LoadCase
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.piece_constants import Mass, piece_moments
from loadpath.structure.vibration.basis import RESULTANTS, polynomials
from loadpath.structure.vibration.closing import Closing, closing_of, elastic_tree
from loadpath.structure.vibration.extension import Extension
from loadpath.structure.vibration.lines import FREEDOMS, LineModel, Slide, Stretching, StretchingPiece, cuts_of
from loadpath.structure.vibration.mass import ArmParts, affordable, arm_parts, moved_inertias, rotary, rotary_moments
from loadpath.structure.vibration.pieces import Piece, beam_piece, element_pieces, massless_piece, tree_size
from loadpath.structure.vibration.placed import PlacedModel
from loadpath.structure.vibration.world_axes import spatial

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


@dataclass(frozen=True, eq=False)
class VibrationModel:
    """An arm with `size` elastic coordinates; constants are in the joint frames of links, about their origins."""

    arm: ElasticQuantities
    tree: ElasticQuantities
    """The arm, or the tree with its loops cut: see `elastic_tree`."""
    effects: tuple[str, ...]
    order: int
    cut: ArmParts
    pieces: tuple[Piece, ...]
    """The elements of `cut`, the pieces of its lines, the drives of guides, the joints of loops that give way; then
    what has no stiffness: the joints that loops move, and the links that slide.
    """
    lines: tuple[LineModel, ...]
    stretching: tuple[Stretching, ...]
    """The pieces whose lengths change, those with as many polynomials together."""
    staying_masses: dict[int, tuple[Floats, Floats]]
    """For the pieces of lines that do not: integrals of mu, mu x and mu x^2, and the rotary inertia of their sections
    about x, y and z.
    """
    slides: tuple[Slide, ...]
    closing: Closing | None
    """Its loops; None for a tree."""
    inertias: Floats
    """(bodies, 6, 6): of bodies that are no line's; then the lumps of the lines."""
    holders: tuple[tuple[int | None, int], ...]
    """For each of them its line and station, or None and its body."""
    body_links: tuple[int, ...]
    """For each of them the number of its link; then those of the pieces of lines."""

    @property
    def total(self) -> int:
        """Coordinates with those of the slides, which are the last."""
        return self.pieces[-1].columns.stop if self.pieces else 0

    @property
    def size(self) -> int:
        """Number of elastic coordinates."""
        return self.total - FREEDOMS * len(self.slides) - (0 if self.closing is None else self.closing.count)

    @property
    def follows(self) -> bool:
        """Whether anything is there that follows from the elastic coordinates, or restricts them: T is not 1."""
        return bool(self.slides) or self.closing is not None

    @property
    def line_pieces(self) -> tuple[int, int]:
        """Number of the first piece of a line, and of the next after the last."""
        first = len(self.cut.elements)
        return first, first + sum(line.count for line in self.lines)

    @property
    def owners(self) -> tuple[tuple[str, slice], ...]:
        """For each piece the name of its link or joint, and its coordinates."""
        return tuple((piece.owner, piece.columns) for piece in self.pieces if piece.columns.stop <= self.size)

    @cached_property
    def part_names(self) -> tuple[str, ...]:
        """What a coordinate may belong to, like 'link2: torsion'."""
        return tuple(dict.fromkeys(self._labels))

    @cached_property
    def part_of(self) -> Floats:
        """(size, parts): one where the coordinate belongs to the part."""
        of = [[float(name == part) for part in self.part_names] for name in self._labels]
        return np.array(of).reshape(self.size, len(self.part_names))

    @property
    def _labels(self) -> list[str]:
        return [label for piece in self.pieces for label in piece.labels][: self.size]

    @property
    def floats_per_state(self) -> int:
        """Numbers that the matrices of one state take."""
        return 6 * self.total**2 + 90 * self.total + 100 * len(self.pieces)

    @cached_property
    def frames(self) -> Ints | slice:
        """Which links of the tree are those of the arm."""
        if self.closing is None:
            return slice(None)
        return np.array([self.tree.link_names.index(name) for name in self.arm.link_names])

    @cached_property
    def piece_of(self) -> Ints:
        """(total,): the piece of each coordinate."""
        return np.repeat(np.arange(len(self.pieces)), [piece.size for piece in self.pieces])

    @cached_property
    def runs(self) -> tuple[tuple[int, slice], ...]:
        """Coordinates that follow each other and belong to one link: its number, and which."""
        groups = [list(group) for _, group in groupby(self.pieces, key=lambda piece: piece.link)]
        return tuple((group[0].link, slice(group[0].columns.start, group[-1].columns.stop)) for group in groups)

    @cached_property
    def twists(self) -> Floats:
        """(6, total): of all pieces; zero of those that stretch."""
        return np.concatenate([np.zeros((6, 0)), *(piece.twists for piece in self.pieces)], axis=1)

    @cached_property
    def momenta(self) -> Floats:
        """(6, total): the same of their momenta."""
        return np.concatenate([np.zeros((6, 0)), *(piece.momenta for piece in self.pieces)], axis=1)

    def at(self, q: ArrayLike) -> PlacedModel:
        """The model in states (states, nq)."""
        return PlacedModel(self, np.asarray(q, dtype=float))

    def extension(self, q: Floats) -> Extension:
        """The model at the extensions of states (states, nq)."""
        return Extension(self, q) if self._extends else self._standing

    @cached_property
    def _extends(self) -> bool:
        return any(station.moves for line in self.cut.lines for station in line.stations) or any(
            pad.inner.moves for guide in self.cut.guides for pad in guide.guide.pads
        )

    @cached_property
    def _standing(self) -> Extension:
        return Extension(self, np.zeros((1, self.arm.nq)))


@kept(maximum=6)
def vibration_model(arm: ElasticQuantities, effects: tuple[str, ...], order: int) -> VibrationModel:
    """The model of an arm with `order` polynomials for the bending moments of the longest piece of each beam. The last
    few models are kept with the arm.
    """
    tree = elastic_tree(arm)
    cut = arm_parts(tree)
    sections = rotary(cut)
    numbers = {name: k for k, name in enumerate(tree.link_names)}
    pieces = element_pieces(tree, cut, sections, effects, order)
    inertias = moved_inertias(cut, sections)
    holders: list[tuple[int | None, int]] = [(None, i) for i in inertias]
    body_links = [numbers[cut.links[i]] for i in inertias]
    spatials = list(inertias.values())
    lines = _Lines(effects)
    for k, line in enumerate(cut.lines):
        share, lump = _rotary_of_line(line)
        if lump is not None and line.lump is not None:
            spatials.append(spatial(lump))
            holders.append((k, line.lump.station))
            body_links.append(numbers[line.link])
        lines.add(LineModel(line, numbers[line.link], cuts_of(line, order), len(pieces)), share, pieces)
    drives = _drives(cut, effects, numbers, pieces)
    closing = closing_of(arm, cut, effects, numbers, pieces)
    slides = _slides(cut, numbers, pieces, drives, closing)
    return VibrationModel(
        arm=arm,
        tree=tree,
        effects=effects,
        order=order,
        cut=cut,
        pieces=tuple(pieces),
        lines=tuple(lines.lines),
        stretching=lines.groups(),
        staying_masses=lines.staying,
        slides=slides,
        closing=closing,
        inertias=np.array(spatials).reshape(len(spatials), 6, 6),
        holders=tuple(holders),
        body_links=(*body_links, *(line.link for line in lines.lines for _ in range(line.count))),
    )


class _Lines:
    """The lines of a model as they are added, one after the other."""

    def __init__(self, effects: tuple[str, ...]) -> None:
        self.effects = effects
        self.lines: list[LineModel] = []
        self.staying: dict[int, tuple[Floats, Floats]] = {}
        self.stretching: list[StretchingPiece] = []

    def add(self, model: LineModel, rotary_share: float, pieces: list[Piece]) -> None:
        """Adds the pieces of a line; `rotary_share` is that of its sections' rotary inertia that counts."""
        self.lines.append(model)
        line, words = model.line, f"link '{model.line.link}'"
        for part, cut in zip(line.parts, model.cuts, strict=True):
            for order in cut.orders:
                first, number = pieces[-1].columns.stop if pieces else 0, len(pieces)
                if part.tapered:  # no station lies inside
                    where, shares = (words, line.link, model.link, line.beam), (part.share, rotary_share)
                    start = line.start + part.start * line.axes[:, 0]
                    pieces.append(beam_piece(where, part.stretch, start, line.axes, first, shares, order, self.effects))
                    moments = np.array(piece_moments(part.stretch, part.share))
                    self.staying[number] = moments, rotary_share * part.share * rotary_moments(part.stretch)
                    continue
                labels = tuple(f"{words}: {r.name}" for r in RESULTANTS if r.effect in self.effects
                               for _ in range(polynomials(r, order)))
                count, columns = len(labels), slice(first, first + len(labels))
                nothing = np.zeros((6, count)), np.zeros((6, count)), np.zeros((count, count))
                pieces.append(Piece(line.link, model.link, line.beam, columns, labels, *nothing, line.start, line.axes,
                                    moves=True))
                self.stretching.append(StretchingPiece(number, columns, model.link, line.start, line.axes, part.stretch,
                                                       part.share, rotary_share, order))

    def groups(self) -> tuple[Stretching, ...]:
        """The pieces that stretch, by their orders."""
        orders = sorted({piece.order for piece in self.stretching})
        return tuple(Stretching([p for p in self.stretching if p.order == order], self.effects) for order in orders)


def _rotary_of_line(line: Line) -> tuple[float, Mass | None]:
    """The share of the sections' rotary inertia that the link's tensor has, and what is left of its lump."""
    if line.lump is None:
        return 0.0, None
    wanted = np.zeros((3, 3))
    for part in line.parts:
        wanted += part.share * line.axes @ np.diag(rotary_moments(part.stretch)) @ line.axes.T
    mass = line.lump.mass
    share = affordable(mass, wanted) if np.any(wanted) else 0.0
    return share, mass._replace(tensor=mass.tensor - share * wanted)


def _drives(cut: ArmParts, effects: tuple[str, ...], numbers: dict[str, int], pieces: list[Piece]) -> dict[str, int]:
    """Adds the drives of guides that give way; the columns of their coordinates."""
    drives: dict[str, int] = {}
    for guide in cut.guides:
        joint, link = guide.guide.joint, numbers[guide.guide.inner]
        if guide.along > 0 and "joints" in effects:
            drives[joint] = pieces[-1].columns.stop if pieces else 0
            pieces.append(massless_piece(joint, link, drives[joint], np.zeros((6, 1)), f"joint '{joint}'"))
    return drives


def _slides(
    cut: ArmParts, numbers: dict[str, int], pieces: list[Piece], drives: dict[str, int], closing: Closing | None
) -> tuple[Slide, ...]:
    """Adds the links that slide."""
    slides = []
    free = {joint.body.joint.name: joint.columns.start for joint in (closing.joints if closing else ())}
    for guide in cut.guides:
        joint, link = guide.guide.joint, numbers[guide.guide.inner]
        first = pieces[-1].columns.stop if pieces else 0
        columns = slice(first, first + FREEDOMS)
        slides.append(Slide(guide, link, len(pieces), columns, drives.get(joint), free.get(joint)))
        pieces.append(massless_piece(joint, link, first, np.eye(6), ""))
    return tuple(slides)


def model_size(arm: ElasticQuantities, effects: tuple[str, ...], order: int) -> int:
    """The number of coordinates of such a model that the arm can move in."""
    tree = elastic_tree(arm)
    count = tree_size(tree, effects, order)
    if not arm.held_by_loops:
        return count
    model = vibration_model(arm, effects, min(order, 3))
    rows = model.at(arm.home[None]).closed
    assert rows is not None
    count += sum(piece.size for piece in rows.closing.own if piece is not None)
    return max(count - int((rows.Q[0] ** 2).sum().round()), 0)


BLOCK_BYTES = 48e6
"""Matrices held at a time."""


def row_blocks(
    model: VibrationModel, batch: Batch, rows: Ints | None = None, length: int | None = None
) -> Iterator[Ints]:
    """The numbers of all states of a batch (q, qd, qdd), or the given ones, in blocks of `length` states, or of so many
    that their matrices stay small; those that are not numbers are left out.
    """
    if length is None:
        length = max(1, int(BLOCK_BYTES / 8 / model.floats_per_state))
    numbers = np.arange(len(batch)) if rows is None else rows
    done = steps(-(-len(numbers) // length))
    for begin in range(0, len(numbers), length):
        chosen = numbers[begin : begin + length]
        chosen = chosen[known(batch.rows(chosen), batch.case_of(chosen))]
        if len(chosen):
            yield chosen
        done()


def known(states: tuple[Floats, ...], case: LoadCase) -> Bools:
    """(states,): which states and their loads are numbers."""
    parts = [*states, *case.on_links.values()]
    for wrench in (case.external or {}).values():
        parts += [wrench.force, wrench.torque, wrench.point]
    good = np.ones(len(states[0]), dtype=bool)
    for part in parts:
        good &= np.isfinite(np.asarray(part, dtype=float)).all(axis=-1)
    return good
