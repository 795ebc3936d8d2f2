"""What is computed design by design, since it is no one compiled quantity: eigenvalues of an arm, how its stresses are
to be judged. The robots' own quantities go through the family's kernels, so nothing is compiled for a design.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.attached import line_of
from loadpath.engine.over_designs import over_designs_of, stand_in

if TYPE_CHECKING:
    from loadpath.families.family import Family

_NUMBERS = (np.ndarray, float, int, np.generic)


class DesignResults:
    """The results of all designs. Its attributes are those of the results: arrays of numbers are stacked, with the
    designs' axes in front; what is the same in all designs is that; anything else comes as results of designs again.
    Methods are called on each. `each` has the results themselves, in an array of the designs' shape.

    >>> import loadpath as lp
    >>> beam = lp.Beam(lp.Tube(outer_radius=0.02, wall=0.002), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
    >>> safety = arm.family({"link1.beam.section.wall": [0.001, 0.002, 0.004]}).buckling_safety([[0.0], [1.0]])
    >>> safety.safety.shape, safety.each[2].worst.link, safety.worst.link
    ((3, 2, 10), 'link1', 'link1')
    """

    each: NDArray[np.object_]
    """The results, in the shape of the designs."""

    def __init__(self, each: NDArray[np.object_]) -> None:
        self.each = each

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "each":  # not there yet, as in a copy that is being made
            raise AttributeError(name)
        parts = [getattr(result, name) for result in self.each.flat]
        if parts and all(callable(part) for part in parts):
            return lambda *arguments, **options: gathered(
                [part(*arguments, **options) for part in parts], self.each.shape)
        return gathered(parts, self.each.shape)

    def __getitem__(self, key: Any) -> Any:
        results: list[Any] = self.each.ravel().tolist()
        return gathered([result[key] for result in results], self.each.shape)

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(type(result).__name__ for result in self.each.flat))
        return f"<results of designs {self.each.shape}: {kinds}>"


def gathered(parts: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Results of designs as one: stacked where they are numbers of one shape, the one that they all are, or the results
    of designs.
    """
    if parts and all(isinstance(part, _NUMBERS) for part in parts) and len({np.shape(part) for part in parts}) == 1:
        return np.stack([np.asarray(part) for part in parts]).reshape(*shape, *np.shape(parts[0]))
    if parts and isinstance(parts[0], (str, tuple, type(None))) and all(_same(part, parts[0]) for part in parts):
        return parts[0]
    each = np.empty(len(parts), dtype=object)
    for k, part in enumerate(parts):
        each[k] = part
    return DesignResults(each.reshape(shape))


def _same(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except ValueError:  # tuples of arrays
        return False


def method_of_designs(family: Family[Any], name: str) -> Callable[..., Any]:
    """A method of the family's robot, as one of all designs: at once where it reads of them compiled quantities alone,
    else design by design.
    """
    wholes = family if family._carrier is None else family._carrier.wholes(family)
    over = over_designs_of(line_of(wholes.robot, name))

    def call(*arguments: Any, **options: Any) -> Any:
        if over is not None and not over.one_by_one(family, arguments, options):
            return getattr(stand_in(wholes.robot, wholes, over.quantities), name)(*arguments, **options)
        if family.paired:
            raise ValueError(f"{name} of a family is computed design by design, each in all states: ask a family "
                             "without paired=True")
        robots = [family.robot_of(design) for design in np.ndindex(family.shape)]
        return gathered([getattr(robot, name)(*arguments, **options) for robot in robots], family.shape)

    call.__name__ = name
    return call
