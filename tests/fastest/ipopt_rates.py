"""The fastest motion within limits of rates as one problem of all points, by Ipopt, the rates as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.fastest.gradual import Gradual, Programme
from loadpath.fastest.rates import Rates


def ipopt_with_rates(found: Gradual, slack: float = 0.7) -> float:
    """s: on the grid of a motion, s'' even along intervals. Rows of which it leaves more than `slack` are left out:
    fewer can only be quicker.
    """
    import casadi

    programme = Programme.of(found.problem, found.course)
    count, h, speeds = len(programme.begins), found.grid.h, found.speeds
    u, y = casadi.SX.sym("u", count + 1), casadi.SX.sym("y", count + 1)
    x = y * y
    kept: list[tuple[Any, float]] = []
    of_ends = speeds.ends()
    for limits in found.problem.limits:
        if isinstance(limits, Rates):
            law, steep, left = limits.form(found.course, speeds, np.eye(found.grid.d.shape[1]))
            places = np.argwhere(np.abs(limits.used(found.course, found.state)) > 1 - slack)
            for i, j, k in places.tolist():
                ends = casadi.vertcat(u[i], u[i + 1], x[i], x[i + 1])
                rate = casadi.dot(casadi.DM(steep[i, j, k]), ends) + left[i, j, k]
                speed = casadi.sqrt(casadi.dot(casadi.DM(law.reference[i, j]), ends) + 1e-14)
                kept += [(rate * speed, 1.0), (-rate * speed, 1.0)]
            continue
        for rows in limits.rows(found.course, (), np.zeros((count, len(limits.names)))):
            steep, most = programme._unfolded(rows)
            over = np.einsum("ijmk,ik->ijm", steep, of_ends) > most - slack
            for i, j, k in np.argwhere(over & (np.abs(steep).max(axis=-1) > 0)).tolist():
                ends = casadi.vertcat(u[i], u[i + 1], x[i], x[i + 1])
                kept.append((casadi.dot(casadi.DM(steep[i, j, k]), ends), float(most[i, j, k])))
    equal, times = [], []
    for i in range(count):
        if programme.begins[i]:
            equal.append(u[i + 1] - 2 / 3 * x[i + 1] / h[i])
            times.append(3 * h[i] / (y[i + 1] + 1e-12))
        elif programme.stops[i]:
            equal.append(u[i] + 2 / 3 * x[i] / h[i])
            times.append(3 * h[i] / (y[i] + 1e-12))
        else:
            equal.append(x[i + 1] - x[i] - h[i] * (u[i] + u[i + 1]))
            points, weights = np.polynomial.legendre.leggauss(12)
            d = h[i] * (points + 1) / 2
            inner = x[i] + 2 * u[i] * d + (u[i + 1] - u[i]) / h[i] * d**2
            times.append(casadi.sum1(casadi.DM(weights * h[i] / 2) / casadi.sqrt(inner)))
    solver = casadi.nlpsol("rates", "ipopt", {
        "x": casadi.vertcat(u, y), "f": sum(times), "g": casadi.vertcat(*equal, *(row for row, _ in kept)),
    }, {"print_time": False, "show_eval_warnings": False, "ipopt.print_level": 0, "ipopt.sb": "yes",
        "ipopt.tol": 1e-9, "ipopt.max_iter": 500,
        "ipopt.bound_relax_factor": 0.0})
    rest = np.append(programme.begins, False) | np.append(False, programme.stops)
    low = np.where(np.append(rest, rest), 0.0, np.append(np.full(count + 1, -np.inf), np.full(count + 1, 1e-6)))
    high = np.where(np.append(rest, rest), 0.0, np.append(np.full(count + 1, np.inf), np.sqrt(programme.top)))
    slower = 0.9
    begin = np.append(slower**2 * speeds.u, slower * np.sqrt(speeds.x))
    right = np.array([most for _, most in kept])
    best = solver(x0=begin, lbx=low, ubx=high, lbg=np.append(np.zeros(count), np.full(len(kept), -np.inf)),
                  ubg=np.append(np.zeros(count), right))
    assert solver.stats()["success"], solver.stats()["return_status"]
    return float(best["f"])
