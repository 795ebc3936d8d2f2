"""The elastic model of any arm: with guides or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.structure.vibration.guided_model import GuidedModel, guided_model
from loadpath.structure.vibration.model import KEPT, vibration_model
from loadpath.structure.vibration.placed_arm import ElasticModel

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot


def elastic_model(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> ElasticModel:
    """The model of an arm with `order` polynomials for the bending moments of the longest piece of each beam. The last
    few models are kept with the arm.
    """
    if not arm.placed_guides:
        return vibration_model(arm, effects, order)
    kept: dict[tuple[tuple[str, ...], int], GuidedModel] = arm.__dict__.setdefault("_guided_models", {})
    if (effects, order) not in kept:
        made = guided_model(arm, effects, order)
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[effects, order] = made
    return kept[effects, order]
