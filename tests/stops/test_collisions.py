"""Collisions: in closed form, against equations of motion that are integrated apart, and by the balance of energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp
from real_robots import REAL_ROBOTS

CART = lp.Robot("rail", (lp.Link("base"), lp.Link("cart", lp.Inertia(4.0))),
                (lp.Joint("slide", "base", "cart", lp.Prismatic((1, 0, 0)), limits=lp.Limits(effort=100.0)),))
ROD = lp.catalog.planar(1)


def steady(speed: float) -> lp.Motion:
    return lp.Motion([0.0, 1.0], [[0.0], [speed]], [[speed], [speed]], [[0.0], [0.0]])


@pytest.mark.parametrize("mass", [None, 2.0, 0.3])
def test_a_slide_hits_a_mass_behind_a_spring(mass: float | None) -> None:
    """F = v sqrt(k m), half a period, and the momentum of a push without loss."""
    hit = CART.collision(steady(2.0), at=0.25, stiffness=1e4, mass=mass)
    both = 4.0 if mass is None else 1 / (1 / 4 + 1 / mass)
    assert np.isclose(hit.reflected_mass, 4.0, rtol=1e-12) and np.isclose(hit.speed, 2.0)
    assert np.isclose(hit.peak_force, 2.0 * np.sqrt(1e4 * both), rtol=1e-9)
    assert np.isclose(hit.peak_penetration, 2.0 * np.sqrt(both / 1e4), rtol=1e-9)
    assert np.isclose(hit.peak_time, np.pi / 2 * np.sqrt(both / 1e4), rtol=1e-6)
    assert np.isclose(hit.contact_time, np.pi * np.sqrt(both / 1e4), rtol=1e-9)
    assert np.isclose(hit.impulse, 2 * both * 2.0, rtol=1e-4)
    assert np.isclose(hit.spring_energy, 0.5 * both * 4.0, rtol=1e-9) and hit.energy_drift < 1e-10
    given = 8.0 if mass is None else 8.0 - 0.5 * 4.0 * min((v * 2.0 for v in [(4 - mass) / (4 + mass)]), key=abs) ** 2
    assert np.isclose(hit.work[-1], 0.0 if mass is None else given, atol=1e-6)
    assert np.isclose(hit.motion.qd[-1, 0], -2.0 if mass is None else 2.0 * (4 - mass) / (4 + mass), rtol=1e-8)


def test_springs_in_series_and_units() -> None:
    one = CART.collision(steady(2.0), at="250 ms", stiffness=["20 N/mm", 2e4], mass="2000 g")
    assert np.isclose(one.peak_force, CART.collision(steady(2.0), 0.25, stiffness=1e4, mass=2.0).peak_force, rtol=1e-12)


def test_a_damped_contact_against_its_equation() -> None:
    hit = CART.collision(steady(2.0), at=0.25, stiffness=1e4, damping=150.0, mass=2.0)

    def rate(t: float, y: np.ndarray) -> list[float]:
        force = max(0.0, 1e4 * (y[0] - y[2]) + 150.0 * (y[1] - y[3]))
        return [y[1], -force / 4, y[3], force / 2]

    own = solve_ivp(rate, (0, hit.times[-1]), [0, 2.0, 0, 0], rtol=1e-11, atol=1e-13, max_step=1e-3,
                    t_eval=hit.times)
    y = own.y
    force = np.maximum(0.0, 1e4 * (y[0] - y[2]) + 150.0 * (y[1] - y[3]))
    assert np.allclose(hit.force, force, atol=1e-6 * force.max())
    assert np.isclose(hit.force[0], 300.0) and hit.energy_drift < 1e-9


def test_a_pendulum_hits_a_spring_under_gravity() -> None:
    """Its drive goes on with what the motion took; the point leaves the line of the spring as the rod turns."""
    motion = lp.Motion.through(ROD, [[-1.0], [1.0]], times=[0.0, 0.5])
    hit = ROD.collision(motion, at=0.2, stiffness=5e3, mass=3.0)
    here = motion.at(0.2)
    q0, w0 = here.q[0, 0], here.qd[0, 0]
    tip = np.asarray(ROD.link_poses([q0]))[-1, :3, 3]
    assert np.allclose(hit.contact.direction @ tip, 0, atol=1e-12) and np.isclose(hit.speed, w0)
    assert np.isclose(hit.reflected_mass, 1 / 3, rtol=1e-12)

    def torque(t: float) -> float:
        samples = np.asarray(ROD.inverse_dynamics(motion))[:, 0]
        later = motion.t > 0.2
        now = np.asarray(ROD.inverse_dynamics(here))[0, 0]
        return float(np.interp(0.2 + t, [0.2, *motion.t[later]], [now, *samples[later]]))

    def rate(t: float, y: np.ndarray) -> list[float]:
        force = max(0.0, 5e3 * (np.sin(y[0] - q0) - y[2]))
        return [y[1], 3 * (torque(t) - 4.905 * np.cos(y[0]) - force * np.cos(y[0] - q0)), y[3], force / 3]

    own = solve_ivp(rate, (0, hit.contact_time), [q0, w0, 0, 0], rtol=1e-10, atol=1e-12, max_step=1e-3,
                    t_eval=hit.times)
    assert np.allclose(hit.force, 5e3 * np.maximum(np.sin(own.y[0] - q0) - own.y[2], 0), atol=1e-4)
    assert np.isclose(hit.motion.qd[-1, 0], own.y[1, -1], rtol=1e-7)
    assert hit.energy_drift < 1e-9


def test_drives_react() -> None:
    """Brakes, or drives with all of their effort, beside the spring: m v^2 / 2 = k p^2 / 2 + T p."""
    still = CART.collision(steady(2.0), at=0.25, stiffness=1e4)
    for category, more in ((0, {"brakes": {"slide": 100.0}}), (2, {})):
        hit = CART.collision(steady(2.0), 0.25, stiffness=1e4, category=category, **more)  # type: ignore[arg-type]
        way = (-100.0 + np.sqrt(100.0**2 + 1e4 * 4.0 * 4.0)) / 1e4
        assert np.isclose(hit.peak_penetration, way, rtol=1e-7) and hit.reacts == 0.0
        assert hit.peak_force < still.peak_force and hit.energy_drift < 1e-9
    late = CART.collision(steady(2.0), 0.25, stiffness=1e4, category=2, threshold=200.0, reaction_time="2 ms")
    begins = np.arcsin(200.0 / still.peak_force) * np.sqrt(4 / 1e4)
    assert late.reacts is not None and np.isclose(late.reacts, begins + 0.002, rtol=1e-9)
    assert hit.peak_force < late.peak_force < still.peak_force
    never = CART.collision(steady(2.0), 0.25, stiffness=1e4, category=2, threshold={"slide": 1000.0})
    assert never.reacts is None and np.isclose(never.peak_force, still.peak_force, rtol=1e-9)
    assert "below the threshold" in " ".join(never.notes)


def test_clamped_until_the_robot_rests_is_quasi_static() -> None:
    """A brake that holds more than the spring: what is left after half a second is judged apart."""
    hit = CART.collision(steady(2.0), 0.25, stiffness=1e4, category=0, brakes={"slide": 700.0},
                         force_limit={"transient": 100.0, "quasi-static": 140.0}, pressure_limit="150 N/cm^2",
                         area="1 cm^2")
    assert hit.force[-1] > 0 and hit.motion.qd[-1, 0] == 0
    assert {row.check for row in hit.contact_checks} == {
        "transient contact force", "quasi-static contact force", "transient contact pressure",
        "quasi-static contact pressure"}
    assert not hit.holds and hit.contact_checks[0].utilisation == max(row.utilisation for row in hit.checks)


def test_the_worst_instant_is_the_worst() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 9, 1.0)
    worst = arm.collision(motion, stiffness=2e4, mass=4.0)
    each = [arm.collision(motion, t, stiffness=2e4, mass=4.0).peak_force for t in motion.t[1:-1].tolist()]
    assert worst.at == motion.t[1 + int(np.argmax(each))] and np.isclose(worst.peak_force, max(each), rtol=1e-9)
    assert np.allclose(worst.sizes[1:-1], each, rtol=1e-3) and len(worst.instants) == 9


def test_reflected_mass_of_an_arm_with_rotors() -> None:
    """1 / (n . J M^-1 J^T n), with the mass matrix that has the rotors in it."""
    arm = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(ratio=100, rotor_inertia=1e-4)})
    motion = lp.Motion.swing(arm, 21, 1.0)
    n = np.array([0.6, 0.0, 0.8])
    hit = arm.collision(motion, 0.3, stiffness=2e4, link="link2", point=(0.7, 0.0, 0.1), direction=n)
    q = motion.at(0.3).q[0]
    J = arm.jacobian(q, "link2", point=(0.7, 0.0, 0.1))[:3]
    assert np.isclose(1 / hit.reflected_mass, n @ J @ np.linalg.solve(arm.mass_matrix(q), J.T @ n), rtol=1e-12)


def test_loads_have_the_contact_as_a_cause() -> None:
    arm = lp.catalog.planar(2)
    hit = arm.collision(lp.Motion.swing(arm, 21, 1.0), 0.5, stiffness=2e4)
    peak = hit.peaks["joint2", "force"].peak
    assert any("external" in str(part.cause) for part in peak.top(3))
    assert "Collision of 'tip'" in hit.to_table() and "<table" in hit._repr_html_() and len(hit.plot().data) == 3
    assert "of 'planar2' at t = 0.5 s" in repr(hit) and hit.holds is None


@pytest.mark.parametrize(("given", "words"), [
    ({"stiffness": 0.0}, "'stiffness' is 0.0: expected more than zero"),
    ({"stiffness": []}, "'stiffness' is empty"),
    ({"stiffness": "20 N"}, "stiffness is '20 N', a force"),
    ({"mass": -1.0}, "'mass' is -1.0"),
    ({"damping": float("nan")}, "damping"),
    ({"link": "hand"}, "hand"),
    ({"point": (0, 0)}, "three finite numbers"),
    ({"direction": (0, 0, 0)}, "'direction' is zero"),
    ({"direction": (-1, 0, 0)}, "does not go along the direction"),
    ({"direction": (-1, 0, 0), "at": "worst"}, "at none of 2 instants"),
    ({"at": 1.5}, "1.5 s is outside the motion"),
    ({"category": 1}, "category is 1"),
    ({"category": 0}, "has no brakes"),
    ({"brakes": {"slide": 3.0}}, "belong to category=0"),
    ({"reaction_time": 0.1}, "when the drives react"),
    ({"category": 2, "threshold": {"slid": 1.0}}, "did you mean 'slide'"),
    ({"force_limit": {"static": 3.0}}, "'force_limit' has 'static'"),
    ({"pressure_limit": 3.0}, "needs the 'area'"),
    ({"longest": 0.0}, "'longest'"),
])
def test_what_cannot_be_is_refused_by_name(given: dict[str, object], words: str) -> None:
    asked: dict[str, object] = {"at": 0.25, "stiffness": 1e4} | given
    with pytest.raises((ValueError, lp.ModelError), match=words):
        CART.collision(steady(2.0), **asked)  # type: ignore[arg-type]


def test_a_ur10_with_rotors_hits_as_in_mujoco() -> None:
    """MuJoCo moves the arm, a small step at a time, with the spring's force at the point and the motion's torques."""
    mujoco = pytest.importorskip("mujoco")
    if "ur_description/ur10_robot" not in REAL_ROBOTS:
        pytest.skip("no UR10 here")
    arm = lp.load(REAL_ROBOTS["ur_description/ur10_robot"]).without_friction()
    arm = arm.with_drives({name: lp.Drive(ratio=100, rotor_inertia=j) for name, j in zip(
        arm.dof_names, (1e-4, 1e-4, 5e-5, 2e-5, 2e-5, 2e-5), strict=True)})
    motion = lp.Motion.swing(arm, 101, 2.0)
    stiffness, mass = 3e4, 5.6
    hit = arm.collision(motion, at=0.9, link="tool0", stiffness=stiffness, mass=mass)
    assert hit.energy_drift < 1e-9
    model = mujoco.MjModel.from_xml_string(arm.to_mjcf())
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.disableflags = 2e-6, mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    q, qd = hit.motion.q[0], hit.motion.qd[0]
    names = [model.joint(k).name for k in range(model.njnt)]
    order = [names.index(name) for name in arm.dof_names]
    data.qpos[order], data.qvel[order] = q, qd
    tau = np.asarray(arm.inverse_dynamics(motion))
    body, J = model.body("tool0").id if "tool0" in [model.body(k).name for k in range(model.nbody)] else -1, None
    assert body > 0
    n, x, v, top = hit.contact.direction, 0.0, 0.0, 0.0
    mujoco.mj_forward(model, data)
    begin = float(n @ data.xpos[body])
    J = np.zeros((3, model.nv))
    while data.time < 1.05 * hit.peak_time:
        mujoco.mj_step1(model, data)
        mujoco.mj_jacBody(model, data, J, None, body)
        force = max(0.0, stiffness * (float(n @ data.xpos[body]) - begin - x))
        top = max(top, force)
        now = np.array([np.interp(0.9 + data.time, motion.t, row) for row in tau.T])
        data.qfrc_applied[:] = -force * (J.T @ n)
        data.qfrc_applied[order] += now
        mujoco.mj_step2(model, data)
        v += model.opt.timestep * force / mass
        x += model.opt.timestep * v
    assert np.isclose(hit.peak_force, top, rtol=2e-3)
