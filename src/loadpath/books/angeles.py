"""The natural orthogonal complement of Angeles, chapter 7, under the letters of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from loadpath.books.book import Book, doctests
from loadpath.engine.quantity import Compiled
from loadpath.formulations import orthogonal_complement as equations
from loadpath.robot.mechanism import plain


def _six_a_body(robot: Any, variant: object) -> Mapping[str, int]:
    return {"b": 6 * len(robot.joints)}


@dataclass(frozen=True, eq=False, repr=False)
class Angeles(Book):
    """The objects of Angeles, chapter 7: `robot.books.angeles`.

    Vectors of twists and wrenches have six entries a joint, in the order of `robot.joints` (fixed ones too): angular
    before linear, at the mass center of the child link, world axes.
    """

    source: ClassVar[str] = "J. Angeles, Fundamentals of Robotic Mechanical Systems, chapter 7"
    places: ClassVar[Mapping[str, str]] = {"T": "(7.54)"}

    T = Compiled(
        equations.T,
        "(q)->(b,n)",
        plain,
        """Twist-shaping matrix with t = T thetadot (7.54): twists of all links per unit of each speed, (..., 6 joints,
        n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.T([0, 0])[:6, 0].tolist()
        [0.0, -1.0, 0.0, 1.0, 0.0, 0.0]
        """,
        sizes=_six_a_body,
    )


__test__ = doctests(Angeles)
