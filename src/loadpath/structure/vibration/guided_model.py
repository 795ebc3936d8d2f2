"""The vibrating arm with guides: pieces between pads that move, and the sliding links tied to their pads.

The tree is that of any arm, but a link that slides hangs on the tail pad of its guide by a twist of six coordinates of
its own, which have no stiffness (`slides`). They follow from the others, because both beams are displaced alike at the
pads: y = T eta, T = [1; C], so that M = T^T M_y T, and the stiffness without load stays the identity. The beams in
guides are cut at all their stations, those that move included; where one passes another, pieces have no length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.structure.beams.guided_line import GuidedLine
from loadpath.structure.beams.line_mass import Mass
from loadpath.structure.vibration.basis import RESULTANTS
from loadpath.structure.vibration.guided_cuts import cuts_of
from loadpath.structure.vibration.guided_parts import FREEDOMS, Cut, LineModel, Slide
from loadpath.structure.vibration.guided_pieces import LinePiece, PieceConstants, constants_of
from loadpath.structure.vibration.guided_placed import PlacedModel
from loadpath.structure.vibration.mass import ArmParts, affordable, arm_parts, rotary
from loadpath.structure.vibration.model import moved_inertias
from loadpath.structure.vibration.pieces import Piece, element_pieces
from loadpath.structure.vibration.placed_arm import ElasticModel
from loadpath.structure.vibration.world_axes import spatial

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot


@dataclass(frozen=True, eq=False)
class GuidedModel(ElasticModel):
    """An arm with guides and `size` elastic coordinates; see `VibrationModel` for what has the same name."""

    arm: FlexibleRobot
    effects: tuple[str, ...]
    order: int
    cut: ArmParts
    elements: tuple[Piece, ...]
    """Pieces of beams that are in no guide, and compliant joints."""
    lines: tuple[LineModel, ...]
    slides: tuple[Slide, ...]
    owned: tuple[tuple[str, slice], ...]
    part_names: tuple[str, ...]
    part_of: Floats
    size: int
    inertias: Floats
    """(bodies, 6, 6): of bodies that are no line's; then the lumps of the lines."""
    holders: tuple[tuple[int | None, int], ...]
    """For each of them its line and station, or None and its body."""
    body_links: tuple[int, ...]
    drives: tuple[tuple[int, int, float], ...]
    """Piece, column, and displacement per unit (m) of the drives that give way."""

    @property
    def owners(self) -> tuple[tuple[str, slice], ...]:
        """For each piece the name of its link or joint, and its coordinates."""
        return self.owned

    @property
    def floats_each(self) -> int:
        """Numbers that the matrices of one state take."""
        return 9 * self.total**2 + 150 * self.total + 200 * len(self.columns)

    @property
    def total(self) -> int:
        """Coordinates with those of the slides, which are the last."""
        return self.size + FREEDOMS * len(self.slides)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """The coordinates of all pieces: elements, lines, drives, slides."""
        found = [piece.columns for piece in self.elements]
        for line in self.lines:
            found += line.columns
        found += [slice(column, column + 1) for _, column, _ in self.drives]
        return (*found, *(slide.columns for slide in self.slides))

    @cached_property
    def piece_of(self) -> Ints:
        """(total,): the piece of each coordinate."""
        result = np.empty(self.total, dtype=int)
        for k, columns in enumerate(self.columns):
            result[columns] = k
        return result

    def at(self, q: ArrayLike) -> PlacedModel:
        """The model in states (states, nq)."""
        return PlacedModel(self, np.asarray(q, dtype=float))


def guided_model(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> GuidedModel:
    """The model of an arm with guides; see `vibration_model`."""
    cut = arm_parts(arm)
    sections = rotary(cut)
    numbers = {name: k for k, name in enumerate(arm.link_names)}
    elements = element_pieces(arm, cut, sections, effects, order)
    first = elements[-1].columns.stop if elements else 0
    lines: list[LineModel] = []
    lumps: list[tuple[Floats, int, int]] = []
    labels = [label for piece in elements for label in piece.labels]
    owners = [(piece.owner, piece.columns) for piece in elements]
    for line in cut.lines:
        share, lump = _rotary_of_line(line)
        made = _line_model(line, numbers[line.link], effects, order, share, first, len(elements) + sum(
            len(other.pieces) for other in lines))  # fmt: skip
        if lump is not None and line.lump is not None:
            lumps.append((spatial(lump), len(lines), line.lump.station))
        lines.append(made)
        first = made.columns[-1].stop if made.columns else first
        labels += made.labels
        owners += [(line.link, columns) for columns in made.columns]
    drives, slides = [], []
    piece = len(elements) + sum(len(line.pieces) for line in lines)
    for guide in cut.guides:
        if guide.along > 0 and "joints" in effects:
            drives.append((piece, first, math.sqrt(guide.along)))
            owners.append((guide.guide.joint, slice(first, first + 1)))
            labels.append(f"joint '{guide.guide.joint}'")
            piece, first = piece + 1, first + 1
    size, left = first, list(drives)
    for guide in cut.guides:
        drive = left.pop(0)[1] if guide.along > 0 and "joints" in effects else None
        slides.append(Slide(guide, numbers[guide.guide.inner], piece, slice(first, first + FREEDOMS), drive))
        piece, first = piece + 1, first + FREEDOMS
    part_names = tuple(dict.fromkeys(labels))
    part_of = np.array([[float(name == part) for part in part_names] for name in labels])
    bodies = {i: inertia for i, inertia in moved_inertias(cut, sections).items()
              if i not in {line.body for line in cut.lines}}  # fmt: skip
    inertias = [*bodies.values(), *(inertia for inertia, _, _ in lumps)]
    return GuidedModel(
        arm=arm,
        effects=effects,
        order=order,
        cut=cut,
        elements=tuple(elements),
        lines=tuple(lines),
        slides=tuple(slides),
        owned=tuple(owners),
        part_names=part_names,
        part_of=part_of.reshape(size, len(part_names)),
        size=size,
        inertias=np.array(inertias).reshape(len(inertias), 6, 6),
        holders=(*((None, i) for i in bodies), *((line, station) for _, line, station in lumps)),
        body_links=(*(numbers[cut.links[i]] for i in bodies), *(lines[line].link for _, line, _ in lumps)),
        drives=tuple(drives),
    )


def _rotary_of_line(line: GuidedLine) -> tuple[float, Mass | None]:
    """The share of the sections' rotary inertia that the link's tensor has, and what is left of its lump."""
    if line.lump is None:
        return 0.0, None
    wanted = np.zeros((3, 3))
    for part in line.parts:
        x, weights = part.stretch.nodes()
        p = part.stretch.properties(x)
        moments = [float(weights @ each) for each in (p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)]
        wanted += part.share * line.axes @ np.diag(moments) @ line.axes.T
    mass = line.lump.mass
    share = affordable(mass, wanted) if np.any(wanted) else 0.0
    return share, mass._replace(tensor=mass.tensor - share * wanted)


def _line_model(
    line: GuidedLine, link: int, effects: tuple[str, ...], order: int, rotary_share: float, first: int, piece: int
) -> LineModel:
    cuts: list[Cut] = []
    pieces: list[PieceConstants] = []
    columns: list[slice] = []
    labels: list[str] = []
    for part, (inside, orders) in zip(line.parts, cuts_of(line, order), strict=True):
        cuts.append(Cut(part.stretch, inside, tuple(range(len(pieces), len(pieces) + len(orders)))))
        for own in orders:
            uniform = not part.stretch.segment.tapered
            made = constants_of(LinePiece(part.stretch, uniform, part.share, rotary_share, own, effects))
            pieces.append(made)
            labels += [f"link '{line.link}': {RESULTANTS[r].name}" for r in made.resultants]
            columns.append(slice(first, first + len(made.resultants)))
            first = columns[-1].stop
    return LineModel(line, link, tuple(cuts), tuple(pieces), piece, tuple(columns), tuple(labels))
