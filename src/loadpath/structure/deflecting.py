"""`arm.deflection`: how far every frame of a flexible arm moves under its loads, in small deflections or iterated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import warn
from loadpath.structure.quantities import PIECES
from loadpath.structure.skeleton import skeleton
from loadpath.structure.states import BLOCK, Floats, chosen_effects, moving, state_at

LARGE_ROTATION = 0.1
"""rad: a frame that turns by more makes the small-deflection result doubtful (its errors grow with the square)."""

LARGE_DIFFERENCE = 0.05
"""Share of the displacement by which the iterated and the small-deflection result may differ without a warning."""

TOLERANCE = 1e-10
"""Change of the bends, as a share of the largest, at which an iteration has converged."""

STEPS = 200
"""Steps after which an iteration is given up."""

_MEMORY = 5


class FrameDeflection(NamedTuple):
    """Of one frame: displacement of its origin (m) and rotation (rad), each (..., 3)."""

    displacement: Floats
    rotation: Floats


@dataclass(frozen=True, eq=False)
class Deflection:
    """How far every link frame moves against the rigid arm's: `displacement` of its origin (m) and `rotation` (rad, as
    a vector along the axis), each (..., links, 3), in world axes or, with `axes == "link"`, in those of the link's
    frame on the rigid arm.
    """

    displacement: Floats
    rotation: Floats
    link_names: tuple[str, ...]
    ends: tuple[str, ...]
    """Links that carry no other."""
    axes: str = "world"
    difference: Floats | None = None
    """Of an iterated deflection, (...): the largest difference to the small-deflection result of any frame's
    displacement, as a share of the largest displacement.
    """

    def __getitem__(self, link: str) -> FrameDeflection:
        """Of the frame of one link, by its name."""
        if link not in self.link_names:
            raise ValueError(f"no link '{link}'; there are {', '.join(self.link_names)}")
        k = self.link_names.index(link)
        return FrameDeflection(self.displacement[..., k, :], self.rotation[..., k, :])

    __iter__ = None  # a frame is found by its name

    @property
    def tip(self) -> FrameDeflection:
        """Of the only end of the arm."""
        if len(self.ends) != 1:
            raise ValueError(f"the arm has {len(self.ends)} ends, {', '.join(self.ends[:8])}: use deflection['link']")
        return self[self.ends[0]]


def deflection(
    arm: Any,
    q: Any,
    qd: Any = None,
    qdd: Any = None,
    *,
    external: Any = None,
    base_velocity: Any = None,
    base_acceleration: Any = None,
    effects: Iterable[str] | None = None,
    axes: Literal["world", "link"] = "world",
    iterate: bool = False,
    pieces: int = PIECES,
    without_driven: bool = False,
) -> Deflection:
    """How far every link frame moves because beams and joints give way, for states (..., nq), (..., n), (..., n);
    without `qd` and `qdd` at rest. The vibration of the arm is not in it: loads act as if they were slow against the
    lowest natural frequency.

    - `external`, `base_velocity`, `base_acceleration`: wrenches on links and the motion of the base, as in
      `inverse_dynamics`.
    - `effects`: any of "bending", "torsion", "extension", "shear" (Timoshenko) and "joints"; all unless told. Lau's
      thesis has ("bending",), and `without_driven=True`, which leaves out what acts along the motion of a link's own
      joint: a joint torque bends the link in truth.
    - `iterate=True`: the loads and the geometry are those of the deflected arm, every beam in so many `pieces` at
      least, each turned with the ones before it; iterated until nothing changes. Warns where the displacement differs
      from the small-deflection result by more than 5 %, and where no equilibrium is found (the loads are past buckling,
      say): there the result is NaN. The small-deflection result warns where a frame turns by more than 0.1 rad.

    >>> import loadpath as lp
    >>> rod = lp.Rod(0.01)
    >>> beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
    >>> sag = arm.deflection([0.0], effects=["bending"]).tip.displacement[2]
    >>> weight = 9.81 * arm.link("link1").inertia.mass
    >>> round(float(sag) * 8 * 210e9 * rod.second_moment_y / weight, 9)               # -W L^3 / 8EI
    -1.0
    """
    if axes not in ("world", "link"):
        raise ValueError(f"deflection: axes are {axes!r}: expected 'world' or 'link'")
    q, qd, qdd = moving(arm, q, qd, qdd)
    base = {"base_velocity": base_velocity, "base_acceleration": base_acceleration}
    options = {"external": external, "effects": chosen_effects(effects), "axes": axes}
    small = arm.small_deflection(q, qd, qdd, without_driven=bool(without_driven), **options, **base)
    ends = tuple(name for name in arm.link_names if name not in {joint.parent for joint in arm.joints})
    if not iterate:
        _warn_of_rotation(small[1], arm)
        return Deflection(small[0], small[1], arm.link_names, ends, axes)
    if without_driven:
        raise ValueError(
            "deflection: 'without_driven' goes with the small-deflection result only, not with iterate=True"
        )
    displacement, rotation = _iterated(arm, (q, qd, qdd), base, int(pieces), options)
    difference = _share(displacement, small[0])
    _warn_of_difference(difference, arm)
    return Deflection(displacement, rotation, arm.link_names, ends, axes, difference)


def _warn_of_rotation(rotation: Any, arm: Any) -> None:
    if not isinstance(rotation, np.ndarray) or rotation.size == 0:
        return
    largest = float(np.nanmax(np.abs(rotation), initial=0.0))
    if largest > LARGE_ROTATION:
        at = np.unravel_index(int(np.nanargmax(np.abs(rotation))), rotation.shape)
        warn(f"arm '{arm.name}': link '{arm.link_names[at[-2]]}' turns by {largest:.3g} rad as the arm bends"
             f"{_told(at[:-2])}, more than {LARGE_ROTATION}: that is not small, use iterate=True")  # fmt: skip


def _warn_of_difference(difference: Floats, arm: Any) -> None:
    if np.size(difference) == 0 or np.isnan(difference).all():
        return
    largest = float(np.nanmax(difference))
    if largest > LARGE_DIFFERENCE:
        at = state_at(np.shape(difference), int(np.nanargmax(difference)))
        warn(f"arm '{arm.name}': where the deflected geometry is taken into account, the displacement differs by "
             f"{100 * largest:.3g} % from the small-deflection result{_told(at)}: more than "
             f"{100 * LARGE_DIFFERENCE:.3g} %")  # fmt: skip


def _told(state: tuple[Any, ...]) -> str:
    return f" in state {tuple(int(k) for k in state)}" if state else ""


def _share(a: Floats, b: Floats) -> Floats:
    """Largest difference over the links, as a share of the largest displacement."""
    apart = np.linalg.norm(a - b, axis=-1).max(-1)
    size = np.maximum(np.linalg.norm(a, axis=-1).max(-1), np.linalg.norm(b, axis=-1).max(-1))
    return np.asarray(np.where(size > 0, apart / np.where(size > 0, size, 1.0), apart))


def _iterated(
    arm: Any, state: tuple[Any, ...], base: dict[str, Any], pieces: int, options: dict[str, Any]
) -> tuple[Floats, Floats]:
    """Displacement and rotation of the deflected arm in equilibrium, block by block."""
    if pieces < 1:
        raise ValueError(f"deflection: 'pieces' is {pieces}: expected one or more")
    count = len(skeleton(arm, pieces).elements)
    external, rest = options["external"], {key: value for key, value in options.items() if key != "external"}
    moved = {name: value for name, value in base.items() if value is not None}
    arrays = [np.asarray(value, dtype=float) for value in (*state, *moved.values())]
    shapes = [array.shape[:-1] for array in arrays]
    for wrench in (external or {}).values():
        shapes += [np.shape(wrench.force)[:-1], np.shape(wrench.torque)[:-1]]
    batch = np.broadcast_shapes(*shapes)
    total = int(np.prod(batch, dtype=int))
    rows = [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
    links = len(arm.link_names)
    displacement, rotation = np.empty((total, links, 3)), np.empty((total, links, 3))
    lost = 0
    for start in range(0, total, BLOCK):
        part = slice(start, min(start + BLOCK, total))
        index = np.unravel_index(np.arange(part.start, part.stop), batch) if batch else (None,)
        block = [row[index] for row in rows]
        pushed = _block_of(external, batch, index)

        def step(bends: Floats, block: Any = block, pushed: Any = pushed) -> tuple[Floats, ...]:
            extra = dict(zip(moved, block[3:], strict=True))
            found: tuple[Floats, ...] = arm.bent_deflection(
                *block[:3], bends, external=pushed, pieces=pieces, **rest, **extra
            )
            return found

        bends, reached = _fixed_point(step, np.zeros((part.stop - part.start, count, 6)))
        _, way, axis, cosine = step(bends)
        way[~reached], axis[~reached] = np.nan, np.nan
        given = np.isfinite(np.concatenate(block, axis=-1)).all(-1)
        lost += int((given & ~reached).sum())
        displacement[part], rotation[part] = way, _rotation_vector(axis, cosine)
    if lost:
        warn(f"arm '{arm.name}': no equilibrium of the deflected arm was found in {lost} of {total} states within "
             f"{STEPS} steps (loads near or past buckling?): NaN there")  # fmt: skip
    return displacement.reshape(*batch, links, 3), rotation.reshape(*batch, links, 3)


def _block_of(external: Any, batch: tuple[int, ...], index: Any) -> Any:
    """The external wrenches of a block of states."""
    if not external:
        return None
    parts = {}
    for link, wrench in external.items():
        force, torque = (np.broadcast_to(v, (*batch, 3))[index] for v in (wrench.force, wrench.torque))
        parts[link] = replace(wrench, force=force, torque=torque)
    return parts


def _rotation_vector(axis: Floats, cosine: Floats) -> Floats:
    """From the axis times the sine of an angle, and its cosine."""
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, cosine)
    return np.asarray(axis * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)[..., None])


def _fixed_point(step: Callable[[Floats], tuple[Floats, ...]], start: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Bends that come out of a step as they went in, for every state of a block, and for which states they do.

    Anderson's acceleration: each new guess is the combination of the last few that would have had the smallest change,
    if the step were linear. It finds equilibria in strong tension too, where plain repetition swings ever wider.
    """
    shape = start.shape
    x = start.reshape(len(start), -1)
    done = np.zeros(len(x), dtype=bool)
    xs: list[Floats] = []
    changes: list[Floats] = []
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            change = step(x.reshape(shape))[0].reshape(x.shape) - x
            size = np.abs(x + change).max(axis=-1)
            done = done | (np.abs(change).max(axis=-1) <= TOLERANCE * size)
            lost = ~np.isfinite(change).all(axis=-1)
            if (done | lost).all():
                break
            xs, changes = [*xs[-_MEMORY:], x], [*changes[-_MEMORY:], change]
            x = np.where(done[:, None], x + change, x + _accelerated(xs, changes))
    return x.reshape(shape), done


def _accelerated(xs: list[Floats], changes: list[Floats]) -> Floats:
    """The step to the next guess."""
    last = changes[-1]
    if len(xs) == 1:
        return last
    by_x = np.stack([b - a for a, b in pairwise(xs)], axis=-1)
    by_change = np.stack([b - a for a, b in pairwise(changes)], axis=-1)
    normal = by_change.swapaxes(-1, -2) @ by_change
    scale = np.trace(normal, axis1=-2, axis2=-1)[..., None, None]
    normal = normal + 1e-14 * scale * np.eye(normal.shape[-1]) + 1e-300 * np.eye(normal.shape[-1])
    normal = np.where(np.isfinite(normal), normal, np.eye(normal.shape[-1]))
    right = by_change.swapaxes(-1, -2) @ last[..., None]
    weights = np.linalg.solve(normal, right)
    return np.asarray(last - ((by_x + by_change) @ weights)[..., 0])
