"""How a check follows from the loads, sample by sample and then as one number: for pages that make it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loadpath.parts.part import JointLoads
from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Rule:
    """A demand as a reduction of a signal: the function of the loads that the examiner itself takes it from.

    | reduction | demand | capacity |
    |---|---|---|
    | largest | the largest of all samples | stays |
    | mean | (sum of w n x^p / sum of w n)^(1/p), w the share of time, n the speed's magnitude | stays |
    | average | sum of w x | stays |
    | rms | (sum of w x^2)^(1/2) | stays |
    | life | as mean | goes with n^(-1/p), n the mean speed: the same hours at another speed |

    All are multiplied by `factor`. Of a life, hours go with demand^(-p) / n.
    """

    reduction: Literal["largest", "mean", "average", "rms", "life"]
    signal: Callable[[JointLoads], Floats]
    """(samples,) of a block of loads: sums, products, powers, magnitudes, cases; no loops over samples."""
    factor: float = 1.0
    exponent: float = 1.0
