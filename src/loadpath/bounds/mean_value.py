"""A recorded function and its derivatives over boxes, by interval arithmetic: for robots whose loads are no sums of
cosines (springs, screws, joints that follow others).

With the range [g] of the derivatives over a box, no value exceeds f(center) + sum of max |[g]| h, by the mean value
theorem. The range of the function itself is a bound, too; the smaller one counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.bounds.branch_and_bound import Bounded
from loadpath.bounds.intervals import IntervalTape, numbers
from loadpath.engine.trace import tape_of
from loadpath.scalars.derivative import gradients
from loadpath.scalars.recording import Recorded, Recording
from loadpath.scalars.types import Floats

AT_ONCE = 256
JUMPS = frozenset({"sign", "atan2", "fabs"})
ROUNDING = 1e-13
"""Of sums over some tens of variables, generously."""


class MeanValue:
    """A function of recorded scalars over boxes; `values` computes it as users do."""

    def __init__(
        self, size: int, function: Callable[[list[Recorded]], Any], values: Callable[[Floats], Floats]
    ) -> None:
        inputs = Recording().inputs(size)
        result = function(inputs)
        slopes = gradients([result], inputs)[0]
        self.alone = IntervalTape(tape_of("value", inputs, [result]))
        self.with_slopes = IntervalTape(tape_of("value and slopes", inputs, [result, *slopes]))
        # Across a jump there is no mean value: then the range of the function is all there is.
        self.smooth = JUMPS.isdisjoint(name for _, name, _ in self.with_slopes.steps)
        self.values = values

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        """Bounds and slopes over boxes (b, size)."""
        blocks = [self._bounds(low[k : k + AT_ONCE], high[k : k + AT_ONCE]) for k in range(0, len(low), AT_ONCE)]
        return Bounded(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _bounds(self, low: Floats, high: Floats) -> Bounded:
        center = (low + high) / 2
        half = np.nextafter(np.maximum(high - center, center - low), np.inf) * (high > low)
        at_center = self.alone.ranges(center, center)[1][:, 0]
        ends = self.with_slopes.ranges(low, high)
        least, most = ends[0][:, 1:], ends[1][:, 1:]
        flat = half == 0.0
        with np.errstate(invalid="ignore", over="ignore"):
            middle = np.where(flat, 0.0, (least + most) / 2)
            error = np.where(flat, 0.0, np.maximum(most - middle, middle - least))
            known = np.isfinite(middle) & np.isfinite(error) & self.smooth
            middle, error = np.where(known, middle, 0.0), np.where(known, error, np.inf)
            spread = np.where(flat, 0.0, error * half)
            plane = at_center + spread.sum(axis=1)
            reach = (np.abs(middle) * half).sum(axis=1)
            plane += ROUNDING * (np.abs(at_center) + spread.sum(axis=1) + reach)
            by_mean = plane + reach * (1 + ROUNDING)
        unknown = ~np.isfinite(by_mean)
        plane = np.where(unknown, np.inf, plane)
        upper = np.minimum(ends[1][:, 0], np.where(unknown, np.inf, by_mean))
        slope = np.where(flat, 0.0, middle)
        weight = np.where(np.isfinite(spread), spread, 1e300 * half)
        return Bounded(upper, plane, np.where(unknown[:, None], 0.0, middle), slope,
                       np.where(flat, np.inf, error * (1 + ROUNDING)), weight)

    def climb(self, point: Floats, low: Floats, high: Floats) -> Floats:
        """The point after a local search in a box."""
        from scipy.optimize import minimize

        tape = self.with_slopes.tape

        def downhill(x: Floats) -> tuple[float, Floats]:
            value, *slopes = numbers(tape, x.tolist())
            return -value, -np.nan_to_num(np.array(slopes))

        result = minimize(downhill, np.clip(point, low, high), jac=True, method="L-BFGS-B",
                          bounds=list(zip(low, high, strict=True)), options={"maxiter": 100})
        climbed: Floats = np.clip(result.x, low, high)
        return climbed
