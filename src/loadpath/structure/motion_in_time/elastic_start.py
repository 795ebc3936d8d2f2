"""The shape in which a flexible arm starts: its equilibrium with the joints held."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loadpath.errors import warn
from loadpath.scalars.types import Floats
from loadpath.simulate import IntegrationError
from loadpath.structure.motion_in_time.assembly import Assembly

STEPS = 60
HALVINGS = 12
ENOUGH = 1e-12
"""Of the loads: what of a residual is rounding."""


def elastic_equilibrium(
    assembly: Assembly, q: Floats, wrenches: Callable[[Floats], tuple[Floats, ...]]
) -> Floats:
    """Elastic coordinates (modes,) in which gravity and wrenches on links are balanced, all at rest: by Newton's
    method. The wrenches are a function of the coordinates and their rates (2, modes). Warns where the arm would not
    return to it when pushed.
    """
    n, still = assembly.n, np.zeros(assembly.modes)

    def residual(a: Floats) -> Floats:
        elastic = np.stack([a, still])
        result: Floats = a + assembly(q, np.zeros(n), elastic, *wrenches(elastic)).bias[n:]
        return result

    def slope(a: Floats, at: Floats) -> Floats:
        size = 1e-6 * max(1.0, float(np.abs(a).max(initial=0.0)), float(np.abs(at).max(initial=0.0)))
        unit = size * np.eye(len(a))
        return np.stack([(residual(a + e) - residual(a - e)) / (2 * size) for e in unit], axis=1)

    a = still.copy()
    r = residual(a)
    loads = max(float(np.linalg.norm(r)), 1e-300)
    for _ in range(STEPS):
        if np.linalg.norm(r) <= ENOUGH * max(loads, float(np.linalg.norm(a))):
            break
        J = slope(a, r)
        step = np.linalg.solve(J, -r)
        for k in range(HALVINGS):
            new = residual(a + step / 2**k)
            if np.linalg.norm(new) < np.linalg.norm(r):
                break
        else:
            if np.linalg.norm(r) <= 1e-9 * max(loads, float(np.linalg.norm(a))):
                break  # what is left is rounding
            raise _no_equilibrium(assembly)
        a, r = a + step / 2**k, new
    else:
        raise _no_equilibrium(assembly)
    J = slope(a, r)
    lowest = float(np.linalg.eigvalsh(0.5 * (J + J.T)).min(initial=1.0))
    if lowest <= 0:
        warn(f"simulate: arm '{assembly.chain.name}' is past buckling at the start: the equilibrium that it starts in "
             "is unstable, and a small push decides which way it falls")
    return a


def _no_equilibrium(assembly: Assembly) -> IntegrationError:
    return IntegrationError(
        f"simulate: no elastic equilibrium of arm '{assembly.chain.name}' was found at the start (its loads may be "
        "past buckling): start from elastic='straight', or from elastic coordinates of your own"
    )
