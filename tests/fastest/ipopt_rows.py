"""The fastest motion within given rows as one problem of all points, by Ipopt: another way to the same number."""

from __future__ import annotations

import numpy as np

from loadpath.fastest.limits import Rows
from loadpath.scalars.types import Floats


def ipopt_duration(rows: Rows, h: Floats, top: Floats) -> float:
    """s: the least sum of 2 h / (sqrt(x_i) + sqrt(x_{i+1})) with alpha u + beta x <= gamma on each interval."""
    import casadi

    count = len(h)
    y = casadi.SX.sym("y", count + 1)  # s', whose square is x
    x = y * y
    u = (x[1:] - x[:-1]) / (2 * h)
    duration = casadi.sum1(2 * h / (y[1:] + y[:-1] + 1e-14))
    kept = np.abs(rows.alpha).sum(axis=0) + np.abs(rows.beta).sum(axis=0) > 0
    constraints, most = [], []
    for k in np.flatnonzero(kept):
        constraints.append(rows.alpha[:, k] * u + rows.beta[:, k] * x[:-1])
        most.append(rows.gamma[:, k])
    least = np.concatenate([np.full(count * len(most), -np.inf)])
    limit = np.sqrt(np.minimum(top, 1e4))
    solver = casadi.nlpsol("fastest", "ipopt", {"x": y, "f": duration, "g": casadi.vertcat(*constraints)}, {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-10, "ipopt.max_iter": 500,
        "ipopt.bound_relax_factor": 0.0,
    })
    begin = np.minimum(0.1, limit)
    found = solver(x0=begin, lbx=0.0, ubx=limit, lbg=least, ubg=np.concatenate(most))
    assert solver.stats()["success"], solver.stats()["return_status"]
    return float(found["f"])
