"""The fastest motion within given rows as one problem of all points, by Ipopt: another way to the same number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.fastest.cones import Cone
from loadpath.fastest.limits import Rows
from loadpath.fastest.search import Found
from loadpath.scalars.types import Floats


def ipopt_duration(rows: Rows, h: Floats, top: Floats) -> float:
    """s: the least sum of 2 h / (sqrt(x_i) + sqrt(x_{i+1})) with alpha u + beta x <= gamma on each interval."""
    kept = np.abs(rows.alpha).sum(axis=0) + np.abs(rows.beta).sum(axis=0) > 0
    return _solved(h, top, lambda x, u: [
        (rows.alpha[:, k] * u + rows.beta[:, k] * x[:-1], rows.gamma[:, k]) for k in np.flatnonzero(kept)
    ])


def ipopt_with_cones(found: Found) -> float:
    """The same with the limits of a problem as they are, cones of tilting moments as squares of magnitudes."""
    problem, course, grid = found.problem, found.course, found.grid
    tight = np.zeros((len(grid.h), len(problem.names)))

    def constraints(x: Any, u: Any) -> list[tuple[Any, Floats]]:
        kept = []
        for limits, own in zip(problem.limits, problem.split(tight), strict=True):
            if not isinstance(limits, Cone):
                for rows in limits.rows(course, (), own):
                    kept += [(rows.alpha[:, k] * u + rows.beta[:, k] * x[:-1], rows.gamma[:, k])
                             for k in range(rows.alpha.shape[1])]
                continue
            first = limits.columns.start
            joint = limits.model.robot.joints[first // 6]
            across = np.linalg.svd(np.array(joint.motion.axis_direction())[None])[2][1:]
            a, b, c = (part[..., first + 3 : first + 6] @ across.T
                       for part in course.loads(limits.model, limits.load))
            for j in range(grid.d.shape[1]):
                here = x[:-1] + 2 * u * grid.d[:, j]
                parts = [(a[:, j, k] * u + b[:, j, k] * here + c[:, j, k]) / limits.capacity for k in range(2)]
                kept.append((parts[0] ** 2 + parts[1] ** 2, np.ones(len(grid.h))))
        return kept

    return _solved(grid.h, problem.top(grid), constraints)


def _solved(h: Floats, top: Floats, constraints: Callable[[Any, Any], list[tuple[Any, Floats]]]) -> float:
    import casadi

    count = len(h)
    y = casadi.SX.sym("y", count + 1)  # s', whose square is x
    x = y * y
    u = (x[1:] - x[:-1]) / (2 * h)
    duration = casadi.sum1(2 * h / (y[1:] + y[:-1] + 1e-14))
    kept = constraints(x, u)
    limit = np.sqrt(np.minimum(top, 1e4))
    solver = casadi.nlpsol("fastest", "ipopt", {"x": y, "f": duration, "g": casadi.vertcat(*(g for g, _ in kept))}, {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-10, "ipopt.max_iter": 500,
        "ipopt.bound_relax_factor": 0.0,
    })
    found = solver(x0=np.minimum(0.1, limit), lbx=0.0, ubx=limit, lbg=-np.inf,
                   ubg=np.concatenate([most for _, most in kept]))
    assert solver.stats()["success"], solver.stats()["return_status"]
    return float(found["f"])
