"""`robot.linearize`: the linear equations of small deviations from a motion, continuous and in steps of time.

A motion passes through the state (q, qd) under the forces tau. Another one near it deviates from it by

    x = (dq, dqd),    dq = robot.difference(q, other q),  dqd = other qd - qd,    u = other tau - tau,

and to first order xdot = A x + B u. The deviation of coordinates is in tangent coordinates: a small motion with the
meaning of the speeds. Of joints with a quaternion it is a rotation vector in the child's axes (of a free joint, a twist
there), which turns with them: its rate is dqd - ad(qd) dq, in A where other joints have nothing.

With loops x has the independent coordinates and speeds alone (`robot.independent`), the others follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms.state_space import deviation_rate
from loadpath.engine.arguments import checked_arrays
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.quantities.carriers import drive_names, is_closed
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.quantities.motion import refuse_elastic
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.drive import seconds
from loadpath.states import Joints, StatesLike, is_motion, read_arrays, read_states

POSE = ("x", "y", "z", "rx", "ry", "rz")
"""Deviations of a link: of its origin (m), then its rotation vector (rad), world axes."""


@dataclass(frozen=True, eq=False, repr=False)
class Linearization:
    """Linear equations of small deviations x from a motion, under deviations u of its forces, with outputs y:

        xdot = A x + B u,    y = C x + D u;        with a `dt`, x(t + dt) = A x(t) + B u, u held over dt.

    Batch axes are in front. Its four matrices are what `scipy.signal.StateSpace`, python-control and solvers of
    Riccati's equation take. `acceleration` is that of the motion itself: where it and the speeds are zero, the
    equations are those about an equilibrium.

    >>> import loadpath as lp
    >>> pendulum = lp.catalog.planar(1)                       # a rod of 1 m along x, gravity along -y
    >>> hanging = pendulum.linearize([-np.pi / 2])
    >>> hanging.A.round(3).tolist()                           # -3 g / 2 l
    [[0.0, 1.0], [-14.715, 0.0]]
    >>> hanging.state_names, hanging.input_names
    (('joint1', 'joint1 rate'), ('joint1',))
    >>> np.abs(hanging.discretized(0.01).eigenvalues()).round(12).tolist()
    [1.0, 1.0]
    """

    A: Floats
    """(..., states, states)."""
    B: Floats
    """(..., states, inputs)."""
    C: Floats
    """(..., outputs, states)."""
    D: Floats
    """(..., outputs, inputs), zeros."""
    state_names: tuple[str, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    acceleration: Floats
    """(..., speeds): of the motion, in the order of the second half of the states."""
    dt: float | None = None
    """Time of a step (s); None for the continuous equations."""

    def discretized(self, dt: float) -> Linearization:
        """The same in steps of `dt` seconds, the forces held over each (zero-order hold): exact for these linear
        equations, to the rounding of the exponential of a matrix (`scipy.linalg.expm`, whose backward error is of the
        order of the unit roundoff).

        >>> import loadpath as lp
        >>> slide = lp.catalog.planar(1).with_gravity((0, 0, 0)).linearize([0.0]).discretized(0.5)
        >>> slide.A.tolist(), (slide.B / slide.B[1]).tolist()                                   # dt^2 / 2 and dt
        ([[1.0, 0.5], [0.0, 1.0]], [[0.25], [1.0]])
        """
        from scipy.linalg import expm

        if self.dt is not None:
            raise ValueError(f"these equations are in steps of {self.dt:g} s already: discretize the continuous ones")
        dt = seconds(dt, "dt", "linearize")
        states, inputs = self.B.shape[-2:]
        both = np.zeros((*self.B.shape[:-2], states + inputs, states + inputs))
        both[..., :states, :states], both[..., :states, states:] = self.A, self.B
        known_states = np.isfinite(both).all(axis=(-2, -1))
        found = np.full(both.shape, np.nan)
        if known_states.any():
            found[known_states] = expm(both[known_states] * dt)
        A, B = found[..., :states, :states].copy(), found[..., :states, states:].copy()
        return replace(self, A=A, B=B, dt=dt)

    def eigenvalues(self) -> NDArray[np.complex128]:
        """(..., states): of A; rates (1/s) of the continuous equations, factors of a step with a `dt`.

        >>> import loadpath as lp
        >>> lp.catalog.planar(1).linearize([np.pi / 2]).eigenvalues().real.round(3).tolist()       # it falls over
        [3.836, -3.836]
        """
        found = np.full(self.A.shape[:-1], np.nan, dtype=complex)
        known_states = np.isfinite(self.A).all(axis=(-2, -1))
        found[known_states] = np.linalg.eigvals(self.A[known_states])
        return found

    def __repr__(self) -> str:
        batch = self.A.shape[:-2]
        steps = "continuous" if self.dt is None else f"steps of {self.dt:g} s"
        return (f"<linearization, {steps}: {len(self.state_names)} states, {len(self.input_names)} inputs, "
                f"{len(self.output_names)} outputs{f', batch {batch}' if batch else ''}>")


@takes_loads
def linearize(
    robot: RobotQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    dt: float | None = None,
    inputs: Iterable[str] | None = None,
    output: str | None = None,
    dry_friction: bool = True,
    **acting: Unpack[LoadKeywords],
) -> Linearization:
    """The linear equations of small deviations from the motion through q and qd under the forces tau of the drives:
    `.A`, `.B`, `.C`, `.D`, for one state or any batch of them.

    Without `qd` the robot rests; without `tau` the forces are those that keep its speeds, `bias_forces`: about an
    equilibrium then. The state is x = (dq, dqd), each of n entries: deviations of coordinates by a small motion with
    the meaning of `qd` (`robot.difference`; of quaternions a rotation vector in the child's axes) and of speeds. With
    loops, of those of `robot.independent` alone. The input is u, deviations of the forces of all drives or of the
    degrees of freedom that `inputs` names, the columns of B. The output is x, or with `output="link"` the deviation of
    that link's pose: its origin (m), then a rotation vector, world axes. With `dt` (s) all of it in steps, forces held
    (see `Linearization.discretized`); A and B are then those of the equations at this state, which a motion that goes
    on changes on its way.

    Rotors, springs and viscous friction count. Dry friction (Coulomb, Stribeck) of a joint that moves does, too; one
    that rests sticks, which no linear equation describes: an error that names it, or with `dry_friction=False` dry
    friction of the joints that rest is left out. `external=`, `gravity=` and the motion of the base as in
    `forward_dynamics`.

    >>> import loadpath as lp
    >>> from scipy.linalg import solve_continuous_are
    >>> arm = lp.catalog.panda()
    >>> about = arm.linearize([0, -0.8, 0, -2.3, 0, 1.6, 0.8])
    >>> S = solve_continuous_are(about.A, about.B, np.eye(14), 0.01 * np.eye(7))
    >>> gain = 100 * about.B.T @ S                                      # u = -gain x holds the arm there
    >>> bool(np.linalg.eigvals(about.A - about.B @ gain).real.max() < 0)
    True
    """
    if robot.is_elastic:
        refuse_elastic(robot, "linearize")
    case = acting["under"].with_motion_of(q, robot, "linearize").keywords
    q, qd, tau = _states(robot, q, qd, tau)
    if tau is None:
        tau = robot.bias_forces(q, qd, **case)
    if dry_friction:
        refuse_dry_friction(robot, qd)
    slopes = robot.forward_dynamics_derivatives(q, qd, tau, **case)
    qdd = np.asarray(robot.forward_dynamics(q, qd, tau, **case))
    names = drive_names(robot) if inputs is None else _chosen(robot, inputs)
    columns = [robot.dof_names.index(name) for name in names]
    T = _complement(robot, q)
    rows = [robot.dof_names.index(name) for name in robot.independent] if T is not None else list(range(robot.n))
    f, batch = len(rows), qdd.shape[:-1]
    A, B = np.zeros((*batch, 2 * f, 2 * f)), np.zeros((*batch, 2 * f, len(columns)))
    turning = _deviation_rates(robot, q, qd)
    if turning is not None:
        A[..., :f, :f] = (turning if T is None else turning @ T)[..., rows, :]
    A[..., range(f), range(f, 2 * f)] = 1.0
    A[..., f:, :f], A[..., f:, f:] = slopes.q[..., rows, :] + 0.0, slopes.qd[..., rows, :] + 0.0  # no minus zeros
    B[..., f:, :] = slopes.tau[..., rows, :][..., columns]
    moving = [robot.dof_names[k] for k in rows]
    state_names = (*moving, *(f"{name} rate" for name in moving))
    if output is None:
        C, output_names = np.broadcast_to(np.eye(2 * f), (*batch, 2 * f, 2 * f)).copy(), state_names
    else:
        J = np.asarray(robot.jacobian(q, known(output, robot.link_names, "link for the output")))
        C, output_names = np.zeros((*batch, 6, 2 * f)), tuple(f"{output} {name}" for name in POSE)
        C[..., :f] = J if T is None else J @ T
    D = np.zeros((*batch, len(output_names), len(columns)))
    found = Linearization(A, B, C, D, state_names, names, output_names, qdd[..., rows])
    return found if dt is None else found.discretized(dt)


def _states(robot: RobotModel, q: Any, qd: Any, tau: Any) -> tuple[Floats, Floats, Floats | None]:
    """Arrays of coordinates and speeds, and of forces where they are known: a simulation brings its own."""
    if is_motion(q):
        states = read_states(robot, q, qd, caller="linearize")
        q, qd, tau = states.q, states.qd, states.tau if tau is None else tau
    still = np.zeros(robot.n)
    given = {"q": q, "qd": still if qd is None else qd} | ({} if tau is None else {"tau": tau})
    read = {name: np.asarray(part) for name, part in read_arrays(Joints.of(robot), given, "linearize").items()}
    sizes = {"q": robot.nq, "qd": robot.n, "tau": robot.n}
    checked_arrays("linearize", list(read.values()), [Operand(name, (sizes[name],)) for name in read])
    return read["q"], read["qd"], read.get("tau")


def _chosen(robot: RobotModel, inputs: Iterable[str]) -> tuple[str, ...]:
    if isinstance(inputs, str):
        raise ValueError(f"linearize: 'inputs' is {inputs!r}: expected names of degrees of freedom, like [{inputs!r}]")
    return tuple(known(name, robot.dof_names, "degree of freedom for an input") for name in inputs)


def refuse_dry_friction(robot: RobotModel, qd: Floats) -> None:
    """Refuse joints that rest and have dry friction: they stick, and no linear equation says when they move."""
    for joint in robot.joints:
        dry = [bool(coulomb) or stribeck is not None
               for coulomb, stribeck in zip(joint.coulomb_friction, joint.stribeck, strict=True)]
        if any(dry) and (qd[..., robot.v_slices[joint.name]][..., dry] == 0).any():
            raise ValueError(f"linearize: joint '{joint.name}' rests and has dry friction, so it sticks, which no "
                             "linear equation describes: give it a speed, or leave its dry friction out (of a robot "
                             "that is no rover dry_friction=False does, at all joints that rest)")


def _complement(robot: RobotQuantities, q: Floats) -> Floats | None:
    """(..., n, f): all speeds per unit of each independent one; None of a tree."""
    if not is_closed(robot):
        return None
    return np.asarray(CompiledMethod(robot, ClosedQuantities.complement)(q))


def _deviation_rates(robot: RobotModel, q: Floats, qd: Floats) -> Floats | None:
    """(..., n, n): rate of deviations of coordinates by themselves; None where there is none."""
    if not robot.quaternion_starts:
        return None
    mechanism = plain(robot)
    run = Uncompiled("linearize", lambda q, qd: deviation_rate(mechanism, q, qd),
                     [Operand("q", (robot.nq,)), Operand("qd", (robot.n,))], [Operand("A", (robot.n, robot.n))])
    return np.asarray(run(q, qd))
