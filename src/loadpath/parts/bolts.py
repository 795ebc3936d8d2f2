"""Bolted flanges: do the bolts hold, does the joint open, does it slip? After VDI 2230, bolt by bolt."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.loads.resultants import unit_or_zero
from loadpath.parts.bearings.life import read_diameter, read_length, read_rating
from loadpath.parts.catalogue import titled
from loadpath.parts.part import Check, JointLoads, Largest, Part, Place, Rule, along_six, not_checked
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number, positive, unit_vector, vector3
from loadpath.scalars.types import Floats
from loadpath.structure.checks import whole_number

_FLAT = 1e-6
"""m: how far bolts may lie off their common plane."""


@dataclass(frozen=True, kw_only=True)
class BoltedFlange(Part):
    """A flange with bolts at a joint, a weld or a loop: rigid, its bolts alike, under all six components of the load.

    `bolts` on a `circle` (m, its diameter) about the normal through the joint's origin, `offset` (m) along the normal
    from there; the bolt that counts is then where the load is largest, however the circle is turned. Or `positions`
    (m), a point for each bolt in the child's joint frame, all in one plane across the normal.

    `normal` points from the parent to the child, in the child's joint frame. Without it it is the joint's axis, of
    which the sense is not known: then axial force counts as pulling, either way.

    `preload` (N) is the least of each bolt after settling, `largest_preload` the most when tightened (the same unless
    given). `load_factor` is the share of the working load that the bolt takes, Phi of VDI 2230; without it all of it
    both opens the joint and loads the bolt, which is on the safe side. `proof_load` (N) is what a bolt may carry,
    `friction` the coefficient between the faces, `least_clamp` (N) what a seal needs at each bolt, `safety` divides
    what may be carried in all three checks.

    >>> flange = BoltedFlange(bolts=8, circle=0.1, preload=8e3, proof_load=12e3, friction=0.12, load_factor=0.2)
    >>> flange.radius
    0.05
    """

    kind: ClassVar[str] = "bolted flange"
    bolts: int | None = field(default=None, metadata=measures("plain number"))
    circle: float | None = field(default=None, metadata=measures("length"))
    positions: tuple[tuple[float, float, float], ...] | None = field(default=None, metadata=measures("length"))
    offset: float = field(default=0.0, metadata=measures("length"))
    normal: tuple[float, float, float] | None = field(default=None, metadata=measures("plain number"))
    preload: float | None = field(default=None, metadata=measures("force"))
    largest_preload: float | None = field(default=None, metadata=measures("force"))
    load_factor: float | None = field(default=None, metadata=measures("plain number"))
    proof_load: float | None = field(default=None, metadata=measures("force"))
    friction: float | None = field(default=None, metadata=measures("share"))
    least_clamp: float = field(default=0.0, metadata=measures("force"))
    safety: float = field(default=1.0, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        of, put = f"of {titled(self)}", object.__setattr__
        if self.normal is not None:
            put(self, "normal", unit_vector(self.normal, f"normal {of}"))
        self._read_pattern(of)
        for key in ("preload", "largest_preload", "proof_load"):
            put(self, key, read_rating(getattr(self, key), f"{key} {of}"))
        for key in ("load_factor", "friction", "safety"):
            if getattr(self, key) is not None or key == "safety":
                put(self, key, positive(getattr(self, key), f"{key} {of}"))
        if self.friction is not None and self.friction > 1.5:
            warn(f"friction {of} is {self.friction:g}: is it the coefficient? 12 % is 0.12")
        put(self, "least_clamp", number(self.least_clamp, f"least_clamp {of}"))
        if self.least_clamp < 0:
            raise ModelError(f"least_clamp {of} is {self.least_clamp:g} N: expected zero or more")
        if self.load_factor is not None and self.load_factor > 1:
            raise ModelError(f"load_factor {of} is {self.load_factor:g}: expected a share, at most 1 (VDI 2230: Phi)")
        self._read_preload(of)

    def _read_pattern(self, of: str) -> None:
        put = object.__setattr__
        put(self, "offset", read_length(self.offset, f"offset {of}"))
        if self.positions is not None:
            if self.bolts is not None or self.circle is not None or self.offset:
                raise ModelError(f"positions {of} are given: leave out bolts, circle and offset, which follow from "
                                 "them")
            points = tuple(vector3(point, f"position {k} {of}") for k, point in enumerate(self.positions))
            put(self, "positions", points)
            _ = [read_length(each, f"position {k} {of}") for k, point in enumerate(points) for each in point]
            if self.normal is None:
                raise ModelError(f"positions {of} are given without normal=: it points from the parent to the child")
            self._check_plane(of)
            return
        if self.bolts is None or self.circle is None:
            raise ModelError(f"bolts and circle {of} are {self.bolts!r} and {self.circle!r}: expected their number and "
                             "the diameter of their circle in m, or positions=")
        put(self, "bolts", whole_number(self.bolts, f"bolts {of}", 3))
        put(self, "circle", read_diameter(self.circle, f"circle {of}"))

    def _check_plane(self, of: str) -> None:
        arms = self.arms
        heights = np.array(self.positions) @ np.array(self.normal)
        if len(arms) < 3 or np.linalg.matrix_rank(arms, tol=1e-9 + 1e-6 * np.abs(arms).max()) < 2:
            raise ModelError(f"positions {of} lie on a line: expected three bolts or more that do not")
        if np.ptp(heights) > _FLAT:
            raise ModelError(f"positions {of} are {np.ptp(heights):.3g} m apart along the normal: expected one plane")

    def _read_preload(self, of: str) -> None:
        if self.preload is None:
            if self.largest_preload is not None:
                raise ModelError(f"largest_preload {of} is given without preload=, the least one")
            return
        largest = self.largest_preload or self.preload
        if largest < self.preload:
            raise ModelError(f"largest_preload {of} is {largest:g} N, less than its preload of {self.preload:g} N")
        if self.least_clamp >= self.preload:
            raise ModelError(f"least_clamp {of} is {self.least_clamp:g} N, not less than its preload of "
                             f"{self.preload:g} N")
        if self.proof_load is not None and largest >= self.proof_load / self.safety:
            raise ModelError(f"preload {of} is {largest:g} N, of a proof_load of {self.proof_load:g} N with safety "
                             f"{self.safety:g}: nothing is left for the load")

    @property
    def count(self) -> int:
        """How many bolts there are."""
        return len(self.positions) if self.positions is not None else int(self.bolts or 0)

    @property
    def radius(self) -> float:
        """m: of the circle of bolts; of positions, that of the bolt farthest from their middle."""
        return 0.5 * self.circle if self.circle is not None else float(np.linalg.norm(self.arms, axis=1).max())

    @property
    def arms(self) -> Floats:
        """(bolts, 3): from the middle of the bolts to each, in the plane, m."""
        points, normal = np.array(self.positions), np.array(self.normal)
        arms = points - points.mean(axis=0)
        return np.asarray(arms - np.outer(arms @ normal, normal))

    def examiner(self, place: Place) -> FlangeExaminer:
        """Takes in the loads of any joint; one without an axis needs a `normal`."""
        if self.normal is None and not place.has_axis:
            raise ModelError(f"joint '{place.joint}' has no axis: {titled(self)} needs normal=, a vector "
                             "in the child's joint frame that points from the parent to the child")
        return FlangeExaminer(self, place)


class FlangeExaminer:
    """Pull and shear of the bolts of a flange, over all samples."""

    def __init__(self, flange: BoltedFlange, place: Place) -> None:
        self.flange = flange
        self.normal = place.axis if flange.normal is None else np.array(flange.normal)
        self.share = 1.0 if flange.load_factor is None else flange.load_factor
        # Without Phi the load is taken to open the joint in full, too.
        self.opening = 1.0 if flange.load_factor is None else 1.0 - flange.load_factor
        if flange.positions is None:
            self.center = flange.offset * self.normal
        else:
            self.center, self.arms = np.mean(flange.positions, axis=0), flange.arms
            self.inverse = np.linalg.pinv(self.arms.T @ self.arms)
            self.polar = float((self.arms**2).sum())
        self.pull, self.slip = Largest(), Largest()
        self.rules = {"bolt force": Rule("largest", self.pulls, self.share if flange.preload is not None else 1.0),
                      "separation": Rule("largest", self.pulls, self.opening),
                      "slip": Rule("largest", self.slips)} if flange.positions is None else {}
        self._which = [0, 0]

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        pulls, slips = self._pulls_and_slips(loads)
        for k, (largest, values) in enumerate(((self.pull, pulls), (self.slip, slips))):
            if largest.add(values.max(axis=1), loads) and largest.at is not None:
                self._which[k] = int(values[largest.at.sample - loads.first].argmax())

    def _pulls_and_slips(self, loads: JointLoads) -> tuple[Floats, Floats]:
        """(samples, bolts): the pull of each bolt, and its shear with the friction that the pull takes."""
        pulls, shears = self._bolts(loads.force, loads.torque)
        return pulls, shears + (self.flange.friction or 0.0) * self.opening * pulls

    def pulls(self, loads: JointLoads) -> Floats:
        """The largest pull of a bolt of every sample, N."""
        return self._pulls_and_slips(loads)[0].max(axis=1)  # type: ignore[no-any-return]

    def slips(self, loads: JointLoads) -> Floats:
        """The same of what makes it slip, N."""
        return self._pulls_and_slips(loads)[1].max(axis=1)  # type: ignore[no-any-return]

    def checks(self, required_hours: float | None) -> list[Check]:
        """Bolt force, separation and slip."""
        return [self._bolt_force(), self._separation(), self._slip()]

    def _bolt_force(self) -> Check:
        flange, name = self.flange, "bolt force"
        if flange.proof_load is None:
            return not_checked(name, "no proof_load given", "N")
        preload = (flange.largest_preload or flange.preload) if flange.preload is not None else 0.0
        share = self.share if flange.preload is not None else 1.0  # a joint that is not clamped leaves all to the bolts
        permitted = flange.proof_load / flange.safety
        demand = share * max(self.pull.value, 0.0)
        note = f"largest force in a bolt {demand + (preload or 0.0):.4g} N of {permitted:.4g} N"
        if flange.preload is None:
            note += "; no preload given: shear is left out"
        return self._check(name, demand, permitted - (preload or 0.0), self.pull, share, note)

    def _separation(self) -> Check:
        flange, name = self.flange, "separation"
        if flange.preload is None:
            return not_checked(name, "no preload given", "N")
        demand = self.opening * max(self.pull.value, 0.0)
        note = f"clamp force left at a bolt {flange.preload - demand:.4g} N"
        return self._check(name, demand, (flange.preload - flange.least_clamp) / flange.safety, self.pull, self.opening,
                           note)

    def _slip(self) -> Check:
        flange, name = self.flange, "slip"
        missing = [word for word in ("preload", "friction") if getattr(flange, word) is None]
        if flange.preload is None or flange.friction is None:
            return not_checked(name, f"no {' and no '.join(missing)} given", "N")
        demand = max(self.slip.value, 0.0)
        return self._check(name, demand, flange.friction * flange.preload / flange.safety, self.slip, None,
                           "shear at a bolt and the friction that the pull takes there")

    def _check(
        self, name: str, demand: float, capacity: float, worst: Largest, pull_share: float | None, note: str
    ) -> Check:
        """`pull_share`: how much of the pull it is; None for slip."""
        notes = [note] if self.flange.normal is not None else [note, "axial force counts as pulling: no normal given"]
        along = None
        if worst.at is not None and demand > 0:
            pull, shear = self._forms(worst.force, worst.torque, self._which[pull_share is None])
            form = pull_share * pull if pull_share is not None else (
                shear + (self.flange.friction or 0.0) * self.opening * pull)
            along = along_six(form)
        return Check(name, demand, capacity, "N", demand / capacity, worst.at, along, note="; ".join(notes))

    def _bolts(self, force: Floats, torque: Floats) -> tuple[Floats, Floats]:
        """(samples, bolts): pull and shear of each bolt; of a circle those of the bolt where each is largest."""
        normal, count = self.normal, self.flange.count
        there = torque - np.cross(self.center, force)
        pulling = -(force @ normal)  # the parent pulls the child back
        across = force + pulling[:, None] * normal
        about = there @ normal
        if self.flange.positions is None:
            if self.flange.normal is None:
                pulling = np.abs(pulling)
            radius, tilt = self.flange.radius, np.linalg.norm(there - about[:, None] * normal, axis=1)
            # Elastic circle: F = N/n + 2 M/(n R) at the bolt where it is largest, since sum r^2 = n R^2 / 2.
            pull = pulling / count + 2.0 * tilt / (count * radius)
            shear = np.linalg.norm(across, axis=1) / count + np.abs(about) / (count * radius)
            return pull[:, None], shear[:, None]
        # Pull N/n + g . r_i with sum of r_i x (-n) (g . r_i) = M, across n: g = S^-1 (M x n), S = sum r_i r_i'.
        gradient = np.cross(there, normal) @ self.inverse
        pull = pulling[:, None] / count + gradient @ self.arms.T
        turned = np.cross(normal, self.arms) / self.polar
        shear = np.linalg.norm(across[:, None] / count + about[:, None, None] * turned, axis=2)
        return pull, shear

    def _forms(self, force: Floats, torque: Floats, bolt: int) -> tuple[Floats, Floats]:
        """Pull and shear of a bolt at one instant as six numbers each, whose products with the wrench they are."""
        normal, count, none = self.normal, self.flange.count, np.zeros(3)
        there = torque - np.cross(self.center, force)
        pulling, about = -float(force @ normal), float(there @ normal)
        across = force + pulling * normal
        sense = 1.0
        if self.flange.positions is None:
            if self.flange.normal is None:
                sense = math.copysign(1.0, pulling)
            tilt = there - about * normal
            scale = 1.0 / (count * self.flange.radius)
            pull = self._moment_form(2.0 * scale * unit_or_zero(tilt))
            spin = math.copysign(scale, about) * normal
            shear = np.concatenate([unit_or_zero(across) / count, none]) + self._moment_form(spin)
        else:
            arm = self.arms[bolt]
            # g . r = (M x n) . S^-1 r = (n x S^-1 r) . M
            pull = self._moment_form(np.cross(normal, self.inverse @ arm))
            turned = np.cross(normal, arm) / self.polar
            direction = unit_or_zero(across / count + about * turned)
            flat = direction - float(direction @ normal) * normal
            shear = np.concatenate([flat / count, none]) + self._moment_form(float(direction @ turned) * normal)
        return pull + np.concatenate([-sense * normal / count, none]), shear

    def _moment_form(self, vector: Floats) -> Floats:
        """vector . (torque - center x force) = vector . torque - (vector x center) . force."""
        return np.concatenate([-np.cross(vector, self.center), vector])
