"""Carriages of a linear guide at a joint that slides: how they share the load, their life and static safety."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.bearings.life import (
    BALLS,
    ROLLERS,
    Along,
    Life,
    Rating,
    Swings,
    read_length,
    read_rating,
    read_reliability,
)
from loadpath.parts.catalogue import titled
from loadpath.parts.part import Check, JointLoads, Part, Place, Rule, not_checked
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number, positive, unit_vector, vector3
from loadpath.scalars.types import Floats

_LOOSE = 1e-9
"""Share of the largest stiffness below which carriages do not hold a rotation by their distance."""
_NO_MOMENT = 1e-9
"""N m: less is rounding."""
ROTATIONS = ("roll", "pitch", "yaw")


@dataclass(frozen=True, kw_only=True)
class LinearGuide(Part):
    """Carriages of a profiled rail guide, alike, on a stiff slide: at a joint that slides.

    `C` and `C0` (N) are the load ratings of one carriage, `rated_travel` (m) the distance that `C` holds for: 100e3 in
    ISO 14728-1, 50e3 in many catalogues. `up` is the direction away from the rail, `positions` (m) are the middles of
    the carriages, both in the child's joint frame; one carriage at the joint's origin unless given. `moments` (N m) are
    the static ratings of one carriage about the rail (roll), across it (pitch) and about `up` (yaw): they are needed
    where carriages do not hold a rotation by their distance, as one alone, or two on one rail for roll.

    The equivalent load of a carriage is |F_up| + |F_side| + sum C0/M0 |M|; the life (C / (f_w P))^3 `rated_travel`, of
    `rolling="rollers"` with 10/3. Strokes below `critical_stroke` (m), if given, are not covered. The carriages are on
    the child. The rest is as in `lp.CrossedRollerBearing`.

    >>> guide = LinearGuide(C=26e3, C0=45e3, rated_travel=50e3, up=(0, 0, 1),
    ...                     positions=[(x, y, 0) for x in (-0.2, 0.2) for y in (-0.15, 0.15)])
    >>> len(guide.positions)
    4
    """

    kind: ClassVar[str] = "linear guide"
    C: float | None = field(default=None, metadata=measures("force"))
    C0: float | None = field(default=None, metadata=measures("force"))
    rated_travel: float = field(metadata=measures("length"))
    up: tuple[float, float, float] = field(metadata=measures("plain number"))
    positions: tuple[tuple[float, float, float], ...] = field(default=((0.0, 0.0, 0.0),), metadata=measures("length"))
    moments: tuple[float | None, float | None, float | None] | None = field(default=None, metadata=measures("torque"))
    rolling: str = "balls"
    critical_stroke: float = field(default=0.0, metadata=measures("length"))
    load_factor: float = field(default=1.0, metadata=measures("plain number"))
    static_safety: float = field(default=1.0, metadata=measures("plain number"))
    reliability: float = field(default=0.9, metadata=measures("share"))
    life_factor: float = field(default=1.0, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        of, put = f"of {titled(self)}", object.__setattr__
        put(self, "C", read_rating(self.C, f"dynamic load rating C {of}"))
        put(self, "C0", read_rating(self.C0, f"static load rating C0 {of}"))
        put(self, "up", unit_vector(self.up, f"up {of}"))
        for key in ("rated_travel", "load_factor", "static_safety", "life_factor"):
            put(self, key, positive(getattr(self, key), f"{key} {of}"))
        if self.rated_travel < 1000.0:
            warn(f"rated_travel {of} is {self.rated_travel:g} m: is it in m? 50 km is 50e3")
        put(self, "reliability", read_reliability(self.reliability, of))
        put(self, "critical_stroke", number(self.critical_stroke, f"critical_stroke {of}"))
        points = tuple(vector3(point, f"position {k} {of}") for k, point in enumerate(self.positions))
        if not points:
            raise ModelError(f"positions {of} are empty: expected the middles of its carriages, one or more")
        put(self, "positions", points)
        _ = [read_length(each, f"position {k} {of}") for k, point in enumerate(points) for each in point]
        if self.moments is not None:
            given = tuple(self.moments)
            if len(given) != 3:
                raise ModelError(f"moments {of} are {self.moments!r}: expected three, of roll, pitch and yaw")
            put(self, "moments", tuple(None if each is None else positive(each, f"{word} moment {of}")
                                       for word, each in zip(ROTATIONS, given, strict=True)))
        if self.rolling not in ("balls", "rollers"):
            raise ModelError(f"rolling {of} is {self.rolling!r}: expected 'balls' or 'rollers'")

    def examiner(self, place: Place) -> GuideExaminer:
        """Takes in the loads of a joint that slides; others are refused."""
        if not place.has_axis or place.turns or not place.moves:
            raise ModelError(f"joint '{place.joint}' does not slide along one axis: {titled(self)} is for "
                             "a joint that does")
        if abs(float(np.dot(self.up, place.axis))) > 1e-6:
            raise ModelError(f"up of {titled(self)} is {self.up}, not across the axis of joint "
                             f"'{place.joint}', {tuple(place.axis.tolist())}: expected a direction away from the rail"
                             )
        return GuideExaminer(self, place)


class GuideExaminer:
    """The loads of a joint at the carriages of its guide. Every load of a carriage is a row of six numbers times the
    wrench, so that the most loaded one follows from products and magnitudes.
    """

    def __init__(self, guide: LinearGuide, place: Place) -> None:
        self.guide = guide
        self.rows, turning = _shares(np.array(guide.positions), place.axis, np.array(guide.up))
        self.turning = turning  # (3, 6): moment of each carriage about rail, side and up, what no distance holds
        self.needed = [k for k in range(3) if np.abs(turning[k]).max() > _LOOSE]
        given = guide.moments or (None, None, None)
        self.missing = [k for k in self.needed if given[k] is None or guide.C0 is None]
        self.arms = np.array([0.0 if guide.C0 is None or rated is None else guide.C0 / rated for rated in given])
        count = len(guide.positions)
        self.lives = [Life(Rating(guide.C, guide.C0, ROLLERS if guide.rolling == "rollers" else BALLS,
                                  guide.load_factor, guide.static_safety, guide.reliability, guide.life_factor,
                                  guide.rated_travel, "" if count == 1 else f" of carriage {k}"))
                      for k in range(count)]
        self.swings = Swings(guide.critical_stroke, turning=False)
        self.unheld = np.zeros(3)
        self.rules: dict[str, Rule] = {}
        if not self.missing:
            ratings = [life.rating for life in self.lives]
            lives, statics = tuple(one.life_check for one in ratings), tuple(one.static_check for one in ratings)
            for k, one in enumerate(ratings):
                load = partial(self._load, k)
                self.rules[lives[k]] = Rule("life", load, one.load_factor, one.exponent,
                                            among=lives if count > 1 else ())
                self.rules[statics[k]] = Rule("largest", load, among=statics if count > 1 else ())

    def _load(self, k: int, loads: JointLoads) -> Floats:
        """Of the k-th carriage, N, of every sample."""
        turned = np.abs(loads.force @ self.turning[:, :3].T + loads.torque @ self.turning[:, 3:].T)
        sizes = np.abs(loads.force @ self.rows[k][:, :3].T + loads.torque @ self.rows[k][:, 3:].T)
        return sizes.sum(axis=1) + turned @ self.arms  # type: ignore[no-any-return]

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        self.swings.add(loads)
        turned = np.abs(np.concatenate([loads.force, loads.torque], axis=1) @ self.turning.T)
        self.unheld = np.maximum(self.unheld, turned.max(axis=0, initial=0.0))
        for k, life in enumerate(self.lives):
            load = self._load(k, loads)
            life.add(loads, load, load)

    def checks(self, required_hours: float | None) -> list[Check]:
        """Life and static safety of the carriage that is used most in each."""
        self.swings.end()
        missing = [k for k in self.missing if self.unheld[k] > _NO_MOMENT]
        if missing:
            words = " and ".join(ROTATIONS[k] for k in missing)
            lacking = "no C0" if self.guide.C0 is None else "no moments="
            why = f"{lacking} given for {words}, which the carriages do not hold by their distance"
            return [not_checked("life", why, "N"), not_checked("static safety", why, "N")]
        lives = [life.life_check(required_hours, self.swings, self._along(k, self.guide.load_factor), [])
                 for k, life in enumerate(self.lives)]
        static = [life.static_check(self._along(k, 1.0), []) for k, life in enumerate(self.lives)]
        return [max(lives, key=lambda check: -1.0 if np.isnan(check.demand) else check.demand),
                max(static, key=lambda check: -1.0 if np.isnan(check.demand) else check.demand)]

    def _along(self, k: int, scale: float) -> Along:
        def along(force: Floats, torque: Floats) -> Floats:
            wrench = np.concatenate([force, torque])
            rows = np.concatenate([self.rows[k], self.arms[:, None] * self.turning])
            return scale * np.asarray(np.sign(rows @ wrench) @ rows)

        return along


def _shares(points: Floats, axis: Floats, up: Floats) -> tuple[Floats, Floats]:
    """(carriages, 2, 6): forces of each carriage along `up` and sideways, and (3, 6): the moment that is left to each
    about rail, side and `up`, as rows whose products with the wrench they are.

    A stiff slide on carriages alike, each a spring along `up` and one sideways: what they hold is J, (2 n, 5), in two
    displacements and three rotations about the middle of all; what no distance holds is left to the carriages alike.
    """
    side = np.cross(up, axis)
    middle = points.mean(axis=0)
    arms = points - middle
    directions = np.stack([up, side])
    about = np.stack([axis, side, up])
    force_rows = np.broadcast_to(directions, (len(points), 2, 3))
    moment_rows = np.cross(arms[:, None], directions) @ about.T  # moment of a unit force, in the three rotations
    size = float(np.linalg.norm(arms, axis=1).max()) or 1.0
    J = np.concatenate([force_rows @ directions.T, moment_rows / size], axis=2).reshape(-1, 5)
    values, vectors = np.linalg.eigh(J.T @ J)
    held = values > _LOOSE * values.max()
    inverse = (vectors[:, held] / values[held]) @ vectors[:, held].T
    loose = vectors[:, ~held] @ vectors[:, ~held].T
    # The wrench in these five components: forces, then moments about the middle, over the size.
    to_middle = np.zeros((5, 6))
    to_middle[:2, :3] = directions
    to_middle[2:, 3:] = about / size
    to_middle[2:, :3] = -np.cross(about, middle) / size  # b . (middle x F) = (b x middle) . F
    rows = (J @ inverse @ to_middle).reshape(len(points), 2, 6)
    turning = (loose @ to_middle)[2:] * size / len(points)
    return rows, turning
