"""Denavit-Hartenberg tables: rows as people type them, and rows of anything."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np
from hypothesis import strategies as st

import loadpath as lp
from loadpath.errors import ModelError
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from on_scalars import on_arrays
from references.to_pinocchio import random_state, to_pinocchio

from .against_pinocchio import difference
from .hostile import anything, hostile_name, scalar, seeds
from .outcome import REFUSED, Fault, Outcome, Parser, Refusal, refusals

_KEYS = (
    "theta", "d", "a", "alpha", "joint", "offset", "mass", "center_of_mass", "inertia", "viscous_friction",
    "coulomb_friction", "rotor_inertia", "gear_ratio", "limits", "name", "link",
)
_EXTREME = 1e60


def _row(rng: random.Random) -> dict[str, Any]:
    kind = rng.choice(("revolute", "revolute", "prismatic", "fixed"))
    a, b, c = (rng.uniform(0.01, 1) for _ in range(3))
    row: dict[str, Any] = {
        "theta": rng.choice((0, math.pi / 2, rng.uniform(-3, 3))),
        "d": rng.uniform(-1, 1),
        "a": rng.uniform(-1, 1),
        "alpha": rng.choice((0.0, math.pi / 2, -math.pi / 2, math.pi, rng.uniform(-3, 3))),
        "joint": kind,
        "mass": rng.uniform(0.1, 9),
        "center_of_mass": [rng.uniform(-1, 1) for _ in range(3)],
        "inertia": [b + c, a + c, a + b],
    }
    if kind != "fixed" and rng.random() < 0.4:
        row |= {
            "offset": rng.uniform(-1, 1),
            "viscous_friction": 0.2,
            "rotor_inertia": 1e-4,
            "gear_ratio": 50,
            "limits": [-1, 2],
            "coulomb_friction": 0.3,
        }
    return row


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A table, most of it sound."""
    rng = random.Random(draw(seeds))
    rows: list[Any] = [_row(rng) for _ in range(draw(st.sampled_from((1, 2, 3, 2, 5))))]
    for _ in range(draw(st.integers(0, 2))):
        row, how = rows[draw(st.integers(0, len(rows) - 1))], draw(st.integers(0, 5))
        if isinstance(row, dict) and how < 4:
            key = draw(st.sampled_from(_KEYS))
            row[key] = draw(
                hostile_name if key in ("name", "link", "joint") and how < 2 else scalar if how < 3 else anything
            )
        elif isinstance(row, dict) and how == 4:
            row[draw(st.sampled_from(("thet", "A", "Alpha", "m", "com", "")) | st.text(max_size=4))] = draw(scalar)
        else:
            rows[draw(st.integers(0, len(rows) - 1))] = draw(
                anything | st.lists(st.floats(-3, 3), min_size=4, max_size=4)
            )
    odd = draw(st.integers(0, 9))
    return {
        "rows": draw(anything) if odd == 9 else rows,
        "convention": draw(anything) if odd == 8 else rng.choice(("standard", "modified")),
        "inertia_at": draw(anything) if odd == 7 else rng.choice(("center", "center", "origin")),
        "options": {draw(st.sampled_from(("name", "gravity"))): draw(anything)} if odd == 6 else {},
    }


def _transform(row: dict[str, Any], q: float, modified: bool) -> np.ndarray:
    theta, d, a, alpha = (float(row.get(key, 0.0)) for key in ("theta", "d", "a", "alpha"))
    offset = float(row.get("offset", 0.0))
    if row.get("joint", "revolute") == "revolute":
        theta += q + offset
    else:
        d += q + offset
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    about_z = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1]])
    about_x = np.array([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])
    return about_x @ about_z if modified else about_z @ about_x


def check(case: dict[str, Any]) -> Outcome:
    """Refused by row and key, or a robot whose frames are those of the table and whose forces are Pinocchio's."""
    try:
        with refusals(ModelError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = lp.from_dh(case["rows"], case["convention"], inertia_at=case["inertia_at"], **case["options"])
    except Refusal:
        return REFUSED
    if robot.n == 0:
        return Outcome("explained", "nothing moves")
    rows = [
        row if isinstance(row, dict) else dict(zip(("theta", "d", "a", "alpha"), row, strict=True))
        for row in case["rows"]
    ]
    values = [abs(x) for row in rows for x in _floats(list(row.values())) if x]
    extreme = max(values, default=1.0) > _EXTREME or min(values, default=1.0) < 1 / _EXTREME
    state = random_state(robot, np.random.default_rng(3))
    with np.errstate(all="ignore"):
        ours = [
            on_arrays(newton_euler.inverse_dynamics, mechanism, *state) for mechanism in (plain(robot), reduced(robot))
        ]
        peer = to_pinocchio(robot)
        expected = peer.inverse_dynamics(*state)
        worst = max(difference((tau, np.zeros((0, 0))), (expected, np.zeros((0, 0)))) for tau in ours)
        worst = max(worst, _frames(robot, rows, case["convention"] == "modified", state[0], peer))
    if worst > 1e-9:
        if extreme:
            return Outcome("explained", "overflow or cancellation: numbers beyond 1e60 or below 1e-60")
        raise Fault(f"differs by {worst:.2e}")
    return Outcome("agreed", "", worst)


def _frames(robot: lp.Robot, rows: list[dict[str, Any]], modified: bool, q: np.ndarray, peer: Any) -> float:
    """Poses of all links against the product of the table's matrices, relative to the reach."""
    pose, found, at = np.eye(4), [np.eye(4)], 0
    for row in rows:
        moving = row.get("joint", "revolute") != "fixed"
        pose = pose @ _transform(row, q[at] if moving else 0.0, modified)
        at += moving
        found.append(pose)
    reach = max(1.0, float(np.abs(np.array(found)[:, :3, 3]).max()))
    return float(np.abs(peer.link_poses(q) - np.array(found)).max()) / reach


def _floats(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in _floats(part)]
    return [float(value)] if isinstance(value, (int, float)) and math.isfinite(value) else []


dh = Parser("DH table", cases(), check)
