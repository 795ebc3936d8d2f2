"""Linear equations of rovers whose wheels roll, against simulations from deviating states, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

GRIP = lp.WheelFriction(sliding=5.0, static=5.0, rolling=0.0)


def place(pose: np.ndarray, of: np.ndarray) -> np.ndarray:
    """A pose (x, y, heading) seen from another one, in its axes."""
    dx, dy, turned = pose - of
    c, s = np.cos(of[2]), np.sin(of[2])
    return np.array([c * dx + s * dy, c * dy - s * dx, turned])


@pytest.mark.parametrize("slope", [0.0, 0.2])
def test_steps_are_those_of_a_simulation(slope: float) -> None:
    rover = lp.catalog.lau_rover(driven=True, friction=GRIP, ground=lp.Ground(slope=slope))
    q, qd, heading, velocity = np.array([0.3, 0.2, 0.6]), np.zeros(3), 0.0, np.zeros(3)
    start = rover.linearize(q, heading=heading)  # forces that hold it there: accelerations are linear in these
    held = np.linalg.lstsq(start.B[6:], -start.acceleration, rcond=None)[0]
    tau, push = held[:3], dict(zip(("wheel2", "wheel3"), held[3:], strict=True))
    about = rover.linearize(q, qd, tau, velocity=velocity, heading=heading, wheel_torques=push, dt=0.02)
    assert about.state_names[6:8] == ("base v_x", "base w") and about.B.shape == (11, 5)
    assert np.abs(about.acceleration).max() < 1e-9
    rng, free = np.random.default_rng(1), [0, 2]
    for _ in range(2):
        x, u, small = rng.normal(size=11), rng.normal(size=5), 1e-4
        x[:2] = 0.0  # where it is makes no difference, and the simulation begins at the same place
        ends = []
        for side in (small, -small):
            own = velocity.copy()
            own[free] += side * x[6:8]
            run = rover.simulate(
                q + side * x[3:6], qd + side * x[8:], tau + side * u[:3], pose=(0, 0, heading + side * x[2]),
                velocity=own, wheel_torques={name: float(push[name] + side * u[3 + k]) for k, name in enumerate(push)},
                rtol=1e-11, atol=1e-13, times=[0.0, 0.02],
            )
            ends.append(np.concatenate([place(run.pose[-1], np.array([0, 0, heading])), run.q[-1] - q,
                                        run.velocity[-1][free] - velocity[free], run.qd[-1] - qd]))
        assert (ends[0] - ends[1]) / 2 == pytest.approx(small * (about.A @ x + about.B @ u), abs=1e-9)


def test_a_cart_alone_is_a_unicycle() -> None:
    cart = lp.catalog.lau_rover(driven=True, friction=GRIP).base.carrying()
    about = cart.linearize([], velocity=(2.0, 0.5))
    assert about.state_names == ("base x", "base y", "base heading", "base v_x", "base w")
    kinematic = np.array([[0, 0.5, 0, 1, 0], [-0.5, 0, 2.0, 0, 0], [0, 0, 0, 0, 1.0]])
    assert about.A[:3] == pytest.approx(kinematic, abs=1e-15)
    # A torque T at a wheel of radius R pushes with T/R at d = 0.3 m; 10 kg, mass center 0.2 m ahead of the axle.
    inertia = 10 / 12 * (0.6**2 + 0.6**2) + 10 * 0.2**2
    assert about.B[3:] == pytest.approx(np.array([[1.0, 1.0], [-3.0 / inertia, 3.0 / inertia]]), rel=1e-9)
    # m (vdot - a w^2) = F and (I + m a^2) wdot + m a v w = T, linearised.
    turn = -10 * 0.2 / inertia
    assert about.A[3:, 3:] == pytest.approx(np.array([[0, 2 * 0.2 * 0.5], [turn * 0.5, turn * 2.0]]), abs=1e-9)
    reached = np.hstack([np.linalg.matrix_power(about.A, k) @ about.B for k in range(5)])
    assert np.linalg.matrix_rank(reached) == 5


def test_what_is_held_or_unknown_is_refused_by_name() -> None:
    rover = lp.catalog.lau_rover(driven=True)  # with rolling resistance
    with pytest.raises(ValueError, match=r"rover 'rover' stands, and rolling resistance of 'wheel1' holds it"):
        rover.linearize([0, 0, 0.5])
    assert rover.linearize([0, 0, 0.5], velocity=(1.0, 0.0)).A.shape == (11, 11)
    many = rover.linearize([0, 0, 0.5], velocity=np.array([[1.0, 0.0], [2.0, 0.0]]), output="rod")
    assert many.A.shape == (2, 11, 11) and many.C.shape == (2, 6, 11)
    with pytest.raises(TypeError, match="linearize takes no 'gravity'"):
        rover.linearize([0, 0, 0.5], gravity=(0, 0, -1))
    uneven = rover.on(lp.Ground(surface=lp.Kerb(at=3.0, step=0.05)))
    with pytest.raises(ValueError, match="linearize does not know ground with a surface"):
        uneven.linearize([0, 0, 0.5], velocity=(1.0, 0.0))
