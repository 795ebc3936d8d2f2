"""Stiff equations: something settles so much faster than the motion itself that explicit methods creep.

Strong damping is the usual cause. The step of an explicit method is then bound by stability, not by accuracy: the
fastest rate times the step is at the border of the method's stability region, however smooth the motion is. An implicit
method (Radau) has no such border. Fast oscillations are no stiffness: there a short step is what accuracy asks for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loadpath.scalars.types import Floats

BORDERS = {"RK23": 2.5, "RK45": 3.3, "DOP853": 6.1}
"""Of the explicit methods: the rate of decay times the step from which on they are unstable."""
NEAR = 0.5
"""Share of the border from which on the step is bound by it."""
DECAYING = 0.9
"""Real part, reversed, over the magnitude of an eigenvalue: 1 if it stands for decay without oscillation."""


def derivatives(rate: Callable[[float, Floats], Floats], t: float, y: Floats, steps: Floats) -> Floats:
    """The rate's derivatives (len(y), len(y)) by differences of so many, times the size of what is larger than 1; zero
    along what has a step of zero.

    >>> derivatives(lambda t, y: np.array([3.0 * y[0] + y[1], y[1]]), 0.0, np.ones(2), np.array([1e-7, 0])).round(5)
    array([[3., 0.],
           [0., 0.]])
    """
    result, now = np.zeros((len(y), len(y))), rate(t, y)
    for k in np.flatnonzero(steps).tolist():
        disturbed = y.copy()
        disturbed[k] += steps[k] * max(1.0, abs(float(y[k])))
        result[:, k] = (rate(t, disturbed) - now) / (disturbed[k] - y[k])
    return result


def fastest_decay(rate: Callable[[float, Floats], Floats], t: float, y: Floats) -> float:
    """The fastest rate (1/s) at which a disturbance decays, from the eigenvalues of the rate's derivative; 0 if what is
    fastest oscillates or grows.

    >>> round(fastest_decay(lambda t, y: np.array([-3e5 * y[0] + y[1], -y[1]]), 0.0, np.array([1.0, 2.0])))
    300000
    >>> fastest_decay(lambda t, y: np.array([y[1], -3e5 * y[0]]), 0.0, np.array([1.0, 2.0]))
    0.0
    """
    jacobian = derivatives(rate, t, y, np.full(len(y), 1e-7))
    if not np.isfinite(jacobian).all():
        return 0.0
    eigenvalues = np.linalg.eigvals(jacobian)
    fastest = eigenvalues[np.argmax(np.abs(eigenvalues))]
    return float(np.abs(fastest)) if fastest.real < -DECAYING * np.abs(fastest) else 0.0
