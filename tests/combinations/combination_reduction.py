"""What a quantity of a robot with a feature must be, from quantities of the robot without it (`Equivalent`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from combination_states import (
    BY_DIFFERENCES,
    NEEDS_COMPILING,
    STEP,
    Floats,
    States,
    ask,
    by_differences,
    compute,
    partitioned,
)
from combination_subjects import Equivalent


class Reduced:
    """Quantities of the subject, computed from those of its reference."""

    def __init__(self, pair: Equivalent, states: States) -> None:
        self.pair, self.states = pair, states
        self.tip = "tip"
        self.links = [link for link in pair.reference.link_names if pair.renamed(link) in pair.subject.link_names]
        self.joints = [joint for joint in pair.reference.joint_names if pair.renamed(joint) in pair.subject.joint_names]

    def of(self, name: str) -> list[Floats]:
        """What the quantity of this name must be, on the links and joints that both robots have."""
        return [np.asarray(part) for part in EXPECTED[name](self, self.states)]

    def found(self, name: str) -> list[Floats]:
        """What it is."""
        pair = self.pair
        renamed = pair.renamed
        found = ask(pair.subject, name, self.states, tip=renamed(self.tip), joint=renamed("joint2"))
        if name in ("coriolis_matrix",):
            return [times(found[0], self.states["qd"])]
        if name == "load_terms":
            return self._terms(found)
        if name in PER_JOINT:
            rows = [pair.subject.joint_names.index(renamed(joint)) for joint in self.joints]
            return [part[..., rows, :] for part in found]
        if name in PER_LINK:
            rows = [pair.subject.link_names.index(renamed(link)) for link in self.links]
            return [part.take(rows, axis=1) for part in found]
        if name in PER_PARAMETER:
            return [self._columns(found[0], pair.subject, [renamed(link) for link in self.links])]
        return found

    def _terms(self, found: list[Floats]) -> list[Floats]:
        s = self.states
        loads = self.pair.subject.load_breakdown(s["q"], s["qd"], s["qdd"], compiled=False)
        np.testing.assert_allclose(found[0], loads.values, atol=1e-12)
        rows = [self.pair.subject.joint_names.index(self.pair.renamed(joint)) for joint in self.joints]
        return [loads.totals()[..., rows, :], found[1] + found[2]]

    @staticmethod
    def _columns(of: Floats, robot: Any, links: list[str]) -> Floats:
        columns = [10 * robot.link_names.index(link) + k for link in links for k in range(10)]
        return of[..., columns]

    # Of the reference, at the same states

    def at(self, **changed: Floats) -> States:
        """States of the reference: q, qd and qdd of the subject, or others."""
        s = {**self.states, **changed}
        own = {"q": self.pair.q_of(s["q"]), "to": self.pair.q_of(s["to"]), "direction": s["direction"]}
        return own | {name: s[name] @ self.pair.T.T for name in ("qd", "qdd", "v")}

    def reference(self, name: str, **changed: Floats) -> list[Floats]:
        """A quantity of the reference."""
        if name in NEEDS_COMPILING:
            return self.slopes(name, self.at(**changed))
        return ask(self.pair.reference, name, self.at(**changed), tip=self.tip)

    def slopes(self, name: str, s: States, h: float = 1e-4) -> list[Floats]:
        """What differentiates equations, by differences of fourth order: nothing has to be compiled for it."""
        robot = self.pair.reference

        def along(quantity: str, argument: str, moves: Floats) -> Floats:
            """For moves (moves, 1 or states, n), all of them in one batch: (moves, states, ...)."""
            steps, weights = np.array([1.0, -1.0, 2.0, -2.0]), np.array([8.0, -8.0, -1.0, 1.0]) / (12 * h)
            by = h * steps[:, None, None, None] * moves * np.ones((len(s["q"]), 1))
            whole = {part: np.broadcast_to(s[part], (*by.shape[:-1], s[part].shape[-1])) for part in ("q", "qd", "qdd")}
            whole[argument] = robot.integrate.uncompiled(whole["q"], by) if argument == "q" else s[argument] + by
            return np.tensordot(weights, ask(robot, quantity, whole, tip=self.tip)[0], 1)

        if name == "jacobian_dot":
            return [along("jacobian", "q", s["qd"][None])[0]]
        assert name == "inverse_dynamics_derivatives"
        units = np.eye(robot.n)[:, None]
        return [np.moveaxis(along("inverse_dynamics", argument, units), 0, -1) for argument in ("q", "qd", "qdd")]

    def force(self, name: str, **changed: Floats) -> Floats:
        """Forces along the subject's speeds."""
        return self.reference(name, **changed)[0] @ self.pair.T

    def form(self, matrix: Floats) -> Floats:
        """A matrix from speeds to forces."""
        return self.pair.T.T @ matrix @ self.pair.T

    def mass_inverse(self, **changed: Floats) -> Floats:
        return np.linalg.inv(self.form(self.reference("mass_matrix", **changed)[0]))

    def accelerations(self, tau: Floats, **changed: Floats) -> Floats:
        return times(self.mass_inverse(**changed), tau - self.force("bias_forces", **changed))

    def rate(self, **changed: Floats) -> Floats:
        """Rate of q."""
        return self.reference("coordinate_rate", **changed)[0][..., list(self.pair.pick)]

    def stepped(self, h: float = STEP) -> list[Floats]:
        """One step of Runge and Kutta."""
        q, qd, tau = (self.states[name] for name in ("q", "qd", "tau"))

        def rates(q: Floats, qd: Floats) -> tuple[Floats, Floats]:
            return self.rate(q=q, v=qd, qd=qd), self.accelerations(tau, q=q, qd=qd)

        one = rates(q, qd)
        two = rates(q + h / 2 * one[0], qd + h / 2 * one[1])
        three = rates(q + h / 2 * two[0], qd + h / 2 * two[1])
        four = rates(q + h * three[0], qd + h * three[1])
        whole = [h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(one, two, three, four, strict=True)]
        return [normal(self.pair.subject, q + whole[0]), qd + whole[1]]


def times(matrix: Floats, vector: Floats) -> Floats:
    """Products of each state."""
    return np.einsum("...ij,...j->...i", matrix, vector)


def normal(robot: Any, q: Floats) -> Floats:
    """Coordinates with unit quaternions."""
    q = q.copy()
    for joint, at in robot.q_slices.items():
        if robot.joint(joint).motion.coordinates > robot.joint(joint).motion.dof:
            four = slice(at.stop - 4, at.stop)
            q[..., four] /= np.linalg.norm(q[..., four], axis=-1, keepdims=True)
    return q


def _speeds(r: Reduced, s: States) -> list[Floats]:
    return [r.reference("difference")[0] @ np.linalg.pinv(r.pair.T).T]


def _by_joint(r: Reduced, name: str) -> list[Floats]:
    rows = [r.pair.reference.joint_names.index(joint) for joint in r.joints]
    return [part[..., rows, :] for part in r.reference(name)]


def _by_link(r: Reduced, name: str) -> list[Floats]:
    rows = [r.pair.reference.link_names.index(link) for link in r.links]
    return [part.take(rows, axis=1) for part in r.reference(name)]


def _parameters(r: Reduced, **changed: Floats) -> Floats:
    matrix = np.swapaxes(r.pair.T.T @ r.reference("regressor", **changed)[0], -1, -1)
    return r._columns(matrix, r.pair.reference, r.links)


def _terms(r: Reduced, s: States) -> list[Floats]:
    force, torque = _by_joint(r, "joint_wrenches")
    _, friction, rotor = ask(r.pair.reference, "load_terms", r.at())
    return [np.concatenate([force, torque], axis=-1), (friction + rotor) @ r.pair.T]


def _drives(r: Reduced, s: States) -> list[Floats]:
    eye = np.eye(s["qd"].shape[-1])
    return [np.concatenate([eye * part[..., None, :] for part in (s["qd"], np.sign(s["qd"]), s["qdd"])], axis=-1)]


def _mobility(r: Reduced, s: States) -> Floats:
    J = r.reference("jacobian")[0] @ r.pair.T
    return J @ r.mass_inverse() @ np.swapaxes(J, -1, -2)


def _forward_slopes(r: Reduced, s: States) -> list[Floats]:
    qdd = r.accelerations(s["tau"])
    by_q, by_qd, _ = r.reference("inverse_dynamics_derivatives", qdd=qdd)
    inverse = r.mass_inverse()
    return [-inverse @ r.form(by_q), -inverse @ r.form(by_qd), inverse]


PER_JOINT = ("joint_wrenches", "static_wrenches")
PER_LINK = ("link_poses", "link_velocities", "link_accelerations")
PER_PARAMETER = ("regressor", "forward_dynamics_parameter_derivatives")

Expected = Callable[[Reduced, States], list[Floats]]

EXPECTED: dict[str, Expected] = {
    **{name: (lambda r, s, name=name: [r.force(name)]) for name in  # type: ignore[misc]
       ("inverse_dynamics", "gravity_forces", "bias_forces")},
    **{name: (lambda r, s, name=name: _by_joint(r, name)) for name in PER_JOINT},  # type: ignore[misc]
    **{name: (lambda r, s, name=name: _by_link(r, name)) for name in PER_LINK},  # type: ignore[misc]
    **{name: (lambda r, s, name=name: r.reference(name)) for name in  # type: ignore[misc]
       ("base_wrench", "force_along", "torque_about", "center_of_mass", "momentum", "kinetic_energy",
        "potential_energy", "free_base_motion")},
    **{name: (lambda r, s, name=name: [r.reference(name)[0] @ r.pair.T]) for name in  # type: ignore[misc]
       ("jacobian", "jacobian_dot", "momentum_matrix", "generalized_jacobian")},
    "load_terms": _terms,
    "mass_matrix": lambda r, s: [r.form(r.reference("mass_matrix")[0])],
    "mass_matrix_inverse": lambda r, s: [r.mass_inverse()],
    "coriolis_matrix": lambda r, s: [times(r.reference("coriolis_matrix")[0], r.at()["qd"]) @ r.pair.T],
    "regressor": lambda r, s: [_parameters(r)],
    "drive_regressor": _drives,
    "forward_dynamics": lambda r, s: [r.accelerations(s["tau"])],
    "mixed_dynamics":
        lambda r, s: partitioned(r.form(r.reference("mass_matrix")[0]), r.force("bias_forces"), s["known"]),
    "state_derivative": lambda r, s: [np.concatenate([r.rate(v=s["qd"]), r.accelerations(s["u"])], axis=-1)],
    "coordinate_rate": lambda r, s: [r.rate(v=s["qd"])],
    "inverse_dynamics_derivatives": lambda r, s: [r.form(part) for part in r.reference("inverse_dynamics_derivatives")],
    "forward_dynamics_derivatives": _forward_slopes,
    **{name: (lambda r, s, name=name: by_differences(r.pair.subject, name, s)) for name in BY_DIFFERENCES},  # type: ignore[misc]
    "forward_dynamics_parameter_derivatives":
        lambda r, s: [-r.mass_inverse() @ _parameters(r, qdd=r.accelerations(s["tau"]))],
    "operational_space_mobility": lambda r, s: [_mobility(r, s)],
    "operational_space_inertia": lambda r, s: [np.linalg.inv(_mobility(r, s))],
    "integrate": lambda r, s: [r.reference("integrate")[0][..., list(r.pair.pick)]],
    "difference": _speeds,
    "step": lambda r, s: r.stepped(),
}
"""By name, what a quantity must be."""

__all__ = ["EXPECTED", "Reduced", "compute", "normal", "times"]
