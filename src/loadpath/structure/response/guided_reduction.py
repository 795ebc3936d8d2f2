"""The vibrating arm with guides in few coordinates, for motions in which the links that slide stand still.

At one extension the coordinates of the slides follow from the elastic ones by constant numbers (y = T eta, see
`guided_model`), because both beams of a guide are held in the same place of each other. So the arm is a tree like any
other, its pieces between pads included, with the combinations T Y of its coordinates; the slides are pieces without
length. What the loads of a pad add because it turns with its beam comes in addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.guide import CONTACTS
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.extensions import look_at_extensions
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.moving_frame import LinePiece, line_moments
from loadpath.structure.response.reduction import Placed, ReducedModel, reduced, summed
from loadpath.structure.response.section_forces import guided_section_map
from loadpath.structure.vibration.guided_model import GuidedModel
from loadpath.structure.vibration.guided_parts import line_stretches
from loadpath.structure.vibration.guided_placed import PlacedModel
from loadpath.structure.vibration.guided_stiffness import (
    generalized_forces,
    guided_loads,
    piece_constants,
    piece_loads,
    rows_of,
)
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.placed_arm import ElasticModel
from loadpath.structure.vibration.world_axes import carried, carried_inertias, skew

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot
    from loadpath.structure.response.track import Track

STILL = 1e-6
"""Share of the length of a beam in a guide by which it may slide during a motion and still stand."""


class TurningPad(NamedTuple):
    """A pad of a guide, in the coordinates of a reduced model."""

    row: int
    """Of its force and torque in the dead loads."""
    link: int
    """The one that slides; and the axes of its line there."""
    axes: Floats
    slips: Floats
    """(size,): displacement along the slide between both links at the pad."""
    inner: Floats
    """(pieces,): one for those that move the pad, on the link that slides; and on its carrier."""
    outer: Floats
    turns_with_outer: bool
    torsion: bool
    """Whether it carries the torque about the slide."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GuidedReducedModel(ReducedModel):
    """A model with guides at one extension. Its loads are the rows of the arm's dead loads."""

    frozen: PlacedModel
    """The model in a pose with this extension."""
    piece_loads: Floats
    """(18 times all rows, 18 times all pieces)."""
    pads: tuple[TurningPad, ...]

    def loads(self, states: tuple[Floats, Floats, Floats], case: LoadCase) -> Floats:
        """(poses, rows, 18)."""
        away = any(np.any(wrench.point) for wrench in (case.external or {}).values())
        return guided_loads(self.frozen.model.at(states[0]) if away else self.frozen, states, case)

    def section_map(self, sections: int) -> Floats:
        """See `ReducedModel`."""
        return guided_section_map(self.frozen, sections) @ self.basis

    def geometric_stiffness(self, at: Placed, loads: Floats) -> Floats:
        """See `ReducedModel`."""
        own = loads.reshape(len(loads), -1) @ self.piece_loads
        K = super().geometric_stiffness(at, own.reshape(len(loads), -1, LOADS))
        turned = at.twists[:, :, 3:]
        for pad in self.pads:
            inner, outer = (summed(mask[None], turned)[:, 0] for mask in (pad.inner, pad.outer))
            axes, force = at.R[:, pad.link] @ pad.axes, loads[:, pad.row]
            p = axes[:, :, 1] * force[:, 1, None] + axes[:, :, 2] * force[:, 2, None]
            lever = np.cross(p, axes[:, :, 0])[:, None]
            both = pad.slips[:, None] * (lever @ (outer if pad.turns_with_outer else inner))
            K = K - both - np.swapaxes(both, -1, -2)
            if pad.torsion:
                both = np.swapaxes(outer, -1, -2) @ skew(axes[:, :, 0]) @ inner
                K = K - 0.5 * force[:, 3, None, None] * (both + np.swapaxes(both, -1, -2))
        return K


def reduced_at(model: ElasticModel, basis: Floats, pose: Floats) -> ReducedModel:
    """A model in the combinations of a basis (model's size, size), with guides at the extension of a pose (1, nq)."""
    if isinstance(model, VibrationModel):
        return reduced(model, basis)
    assert isinstance(model, GuidedModel)
    frozen = model.at(pose)
    full = np.concatenate([basis, frozen.C[0] @ basis])
    chosen = [k for k, columns in enumerate(model.columns) if columns.stop > columns.start]
    columns = [model.columns[k] for k in chosen]
    links = tuple(int(frozen.links[each.start]) for each in columns)
    moved, inertias = frozen.masses()
    body_links = (*model.body_links, *(line.link for line in model.lines for _ in line.pieces))
    momenta, own = frozen.own_momenta()
    twists = np.swapaxes(frozen.twists, -1, -2)
    local = _in_links(frozen, twists, momenta)
    own_mass = np.zeros((model.total, model.total))
    for each, part in zip(model.columns, own, strict=True):
        if part is not None:
            own_mass[each, each] = part.reshape(part.shape[-2:])
    constants = [piece_constants(frozen, k) for k in chosen]
    parts = [full[each] for each in columns]
    lines = [_line_piece(frozen, k, part) for k, part in zip(chosen, parts, strict=True)]
    rows = np.eye(LOADS * rows_of(model).total).reshape(-1, rows_of(model).total, LOADS)
    R, p = frozen.R[0, list(body_links)], frozen.p[0, list(body_links)]
    return GuidedReducedModel(
        model=model,
        basis=basis,
        pieces=tuple(chosen),
        twists=np.array([local[0][each].T @ part for each, part in zip(columns, parts, strict=True)]),
        momenta=np.array([local[1][each].T @ part for each, part in zip(columns, parts, strict=True)]),
        own_mass=full.T @ own_mass @ full,
        load_map=basis.T @ generalized_forces(frozen, rows).T,
        stiffening=np.array([part.T @ each[0] @ part for each, part in zip(constants, parts, strict=True)]),
        along=np.array([line.axes @ each[1] @ part for line, each, part in zip(lines, constants, parts, strict=True)]),
        joint_damping=basis.T @ joint_damping(model) @ basis,
        lines=line_moments(lines, model.effects),
        links=links,
        before=frozen.before[0][np.ix_(chosen, chosen)],
        inertias=carried_inertias(inertias[0], *_inverse(R, p)),
        body_links=body_links,
        body_moved=moved[0][:, chosen],
        frame_moved=frozen.on_frames()[0][:, chosen],
        frozen=frozen,
        piece_loads=piece_loads(frozen, rows).reshape(len(rows), -1),
        pads=tuple(_pads(frozen, full, chosen)),
    )


def _inverse(R: Floats, p: Floats) -> tuple[Floats, Floats]:
    back = np.swapaxes(R, -1, -2)
    return back, -(back @ p[..., None])[..., 0]


def _in_links(frozen: PlacedModel, twists: Floats, momenta: Floats) -> tuple[Floats, Floats]:
    """(total, 6) each: twists and momenta in the joint frames of the links."""
    R, p = _inverse(frozen.R[:, frozen.links], frozen.p[:, frozen.links])
    return carried(twists, R, p, moment_first=True)[0], carried(momenta, R, p, moment_first=False)[0]


def _line_piece(frozen: PlacedModel, k: int, basis: Floats) -> LinePiece:
    """Piece k of all; drives and slides have no length, and no axes of their own."""
    model = frozen.model
    if k < len(model.elements):
        piece = model.elements[k]
        return LinePiece(piece.stretch, model.cut.shares[k], piece.start, piece.axes, piece.order, basis)
    for line, edges in zip(model.lines, frozen.edges, strict=True):
        n = k - line.first
        if 0 <= n < len(line.pieces):
            stretch, share, order = line_stretches(line, edges[0][0], edges[1][0])[n]
            start = line.line.start + edges[0][0, n] * line.line.axes[:, 0]
            return LinePiece(stretch, share, start, line.line.axes, order, basis)
    return LinePiece(None, 0.0, np.zeros(3), np.eye(3), 0, basis)


def _pads(frozen: PlacedModel, full: Floats, chosen: list[int]) -> list[TurningPad]:
    model, found = frozen.model, []
    for slide, numbers in zip(model.slides, rows_of(model).pads, strict=True):
        guide = slide.of.guide
        for pad, (row, (_, on_child)) in enumerate(zip(numbers, guide.guide.positions(), strict=False)):
            inner, outer = (np.broadcast_to(mask, (1, len(model.columns)))[0] for mask in frozen.pad_masks(slide, pad))
            along = frozen.functional(slide, pad, 0)[0] @ frozen.twists[0]
            slips = (along * (inner - outer)[model.piece_of]) @ full
            torsion = pad == CONTACTS.index(guide.guide.torsion) and not guide.guide.clamps
            found.append(TurningPad(row, slide.link, guide.axes, slips, inner[chosen], outer[chosen], on_child,
                                    torsion))  # fmt: skip
    return found


def refuse_sliding(arm: FlexibleRobot, track: Track) -> None:
    """An error for a motion in which a link slides in its guide: the places where its beam is held move."""
    look_at_extensions(arm, track.q)
    for guide in arm.placed_guides:
        if not guide.extension.moves:
            continue
        x = guide.extension.of_states(track.q)
        travel, length = float(np.ptp(x)), max(length or 0.0 for length in guide.lengths)
        if travel > STILL * max(length, 1e-3):
            raise ModelError(
                f"arm '{arm.name}': joint '{guide.joint}' goes from {x.min():.4g} to {x.max():.4g} m during the "
                f"motion, and vibration in time (respond, shaped) does not know beams that slide in their guide "
                f"({guide.guide}) meanwhile. Let it stand at one extension, or lock it there, "
                f"arm.locked({{'{guide.joint}': ...}}); natural_frequencies and frequency_response take every extension"
            )
