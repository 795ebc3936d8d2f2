"""Stresses and buckling: by hand, against column eigenproblems, and over long motions."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever, random_rod_arm
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import loadpath as lp
from loadpath.structure.beams.column import critical_load

E, G = WEIGHTLESS.youngs_modulus, WEIGHTLESS.shear_modulus
TUBE = lp.Tube(0.03, 0.003)
BOX = lp.RectangularTube(0.04, 0.06, 0.004)


def loaded(arm: lp.FlexibleRobot, force: Any = (0, 0, 0), torque: Any = (0, 0, 0)) -> lp.structure.stressing.Stress:
    wrench = lp.Wrench(force=np.array(force, dtype=float), torque=np.array(torque, dtype=float))
    return arm.stress([0.0], external={"tip": wrench})


def test_a_tube_under_each_load() -> None:
    arm = cantilever(TUBE, length=0.8)
    A, I, r = TUBE.area, TUBE.second_moment_y, 0.03  # noqa: E741
    pull = loaded(arm, (5000, 0, 0))
    assert_allclose(pull.axial, 5000 / A, rtol=1e-12)
    assert_allclose(pull.von_mises, 5000 / A, rtol=1e-12)
    assert_allclose(loaded(arm, (-5000, 0, 0)).axial, -5000 / A, rtol=1e-12)
    twist = loaded(arm, torque=(100, 0, 0))
    assert_allclose(twist.torsion, 100 * r / (2 * I), rtol=1e-12)
    assert_allclose(twist.von_mises, np.sqrt(3) * 100 * r / (2 * I), rtol=1e-12)
    bend = loaded(arm, (0, 300, 400))
    x = bend.sections.positions
    assert_allclose(bend.bending, 500 * (0.8 - x) * r / I, rtol=1e-9, atol=1e-3)
    assert_allclose(bend.shear, 500 / A * TUBE.shear_peaks[0], rtol=1e-12)
    # At the root the outermost fibre is worst, at the tip the neutral one with its shear.
    assert_allclose(bend.von_mises[0], 500 * 0.8 * r / I, rtol=1e-12)
    assert_allclose(bend.von_mises[-1], np.sqrt(3) * bend.shear[-1], rtol=1e-12)
    assert_allclose(bend.safety[0], 300e6 / bend.von_mises[0], rtol=1e-12)
    both = loaded(arm, (5000, 300, 400), (100, 0, 0))
    sigma = 5000 / A + 500 * 0.8 * r / I
    assert_allclose(both.von_mises[0], np.sqrt(sigma**2 + 3 * (100 * r / (2 * I)) ** 2), rtol=1e-12)
    assert (bend.worst.link, bend.worst.position, bend.worst.state) == ("link1", 0.0, ())


def test_the_worst_fibre_of_a_tube_is_that_of_a_search_around_it() -> None:
    """A moment in one plane and a shear force in another: look at every angle."""
    arm = cantilever(TUBE, length=0.8)
    force, torque = np.array([1e3, 8e3, -3e3]), np.array([150.0, 900.0, 700.0])
    external = {"tip": lp.Wrench(force=force, torque=torque)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        found = arm.stress([0.0], external=external)
    F, M = arm.section_actions([0.0], [0.0], [0.0], external=external)
    theta = np.linspace(0, 2 * np.pi, 20001)
    y, z = np.cos(theta), np.sin(theta)
    worst = []
    for (N, Vy, Vz), (T, My, Mz) in zip(F, M, strict=True):
        sigma = N / TUBE.area + (My * z - Mz * y) * 0.03 / TUBE.second_moment_y
        tau = T * 0.03 / TUBE.torsion_constant + TUBE.shear_peaks[0] / TUBE.area * (-Vy * z + Vz * y)
        worst.append(np.sqrt(sigma**2 + 3 * tau**2).max())
    # Never much below the true one, and above it by no more than the signs that are taken as the worst.
    assert (found.von_mises > 0.99 * np.array(worst)).all()
    assert (found.von_mises < 1.1 * np.array(worst)).all()


def test_a_box_bends_about_both_axes_in_its_corners() -> None:
    arm = cantilever(BOX, length=0.5)  # width (y) is up, height (z) across
    found = loaded(arm, (0, 300, 400))
    up, across = 400 * 0.5 * 0.02 / BOX.second_moment_z, 300 * 0.5 * 0.03 / BOX.second_moment_y
    assert_allclose(found.bending[0], up + across, rtol=1e-12)
    # Shear flows around the corners: there it is that of the wall across, whose first moment is t b h / 2.
    t, b, h = 0.004, 0.04, 0.06
    flow = 400 * h * t * (b - t) / 2 / BOX.second_moment_z + 300 * b * t * (h - t) / 2 / BOX.second_moment_y
    tau = flow / (2 * t)
    assert_allclose(found.von_mises[0], np.sqrt((up + across) ** 2 + 3 * tau**2), rtol=1e-12)
    assert_allclose(found.von_mises[-1], np.sqrt(3) * tau, rtol=1e-9)
    assert tau > max(400 * BOX.shear_peaks[0], 300 * BOX.shear_peaks[1]) / BOX.area
    # One force alone is worst in the middle of the walls along it.
    assert_allclose(loaded(arm, (0, 0, 400)).shear, 400 * BOX.shear_peaks[0] / BOX.area, rtol=1e-12)


def thin_walls(section: Any) -> tuple[np.ndarray, ...]:
    """Points (y, z) on the middle lines of the walls, and the shear there by unit Vy, Vz and T, by its flow from walls
    that are free or where symmetry lets none pass."""
    if isinstance(section, lp.RectangularTube):
        t, b, h = section.wall, section.width - section.wall, section.height - section.wall
        s = np.linspace(0, 1, 2001)
        half_top = np.stack([b / 2 * s, np.full_like(s, h / 2)], 1)  # from the middle of the top wall to the corner
        half_side = np.stack([np.full_like(s, b / 2), h / 2 * (1 - s)], 1)
        line = np.concatenate([half_top, half_side])
        ds = np.concatenate([np.full_like(s, b / 2 / 2000), np.full_like(s, h / 2 / 2000)])
        flow_z = np.cumsum(line[:, 1] * t * ds) / section.second_moment_y
        flow_y = np.cumsum((line[:, 0] * t * ds)[::-1])[::-1] / section.second_moment_z
        return line[:, 0], line[:, 1], flow_y / t, flow_z / t, np.full(len(line), 1 / (2 * b * h * t))
    tf, tw, b, h = section.flange, section.web, section.width, section.height - section.flange
    s = np.linspace(0, 1, 2001)
    tip = np.stack([b / 2 * (1 - s), np.full_like(s, h / 2)], 1)  # from the tip of a flange to the web
    web = np.stack([np.zeros_like(s), (section.height / 2 - tf) * (1 - s)], 1)
    first_tip = np.cumsum(tip[:, 1] * tf) * b / 2 / 2000
    first_web = 2 * first_tip[-1] + np.cumsum(web[:, 1] * tw) * (section.height / 2 - tf) / 2000
    z = np.concatenate([first_tip / tf, first_web / tw]) / section.second_moment_y
    y = np.cumsum(tip[:, 0]) * b / 2 / 2000 / section.second_moment_z
    line = np.concatenate([tip, web])
    return line[:, 0], line[:, 1], np.concatenate([y, 0 * s]), z, np.full(len(line), 1 / section.torsion_modulus)


@pytest.mark.parametrize("section", [BOX, lp.RectangularTube(0.08, 0.03, 0.002), lp.IBeam(0.05, 0.08, 0.004, 0.003)])
@pytest.mark.parametrize("length", [0.05, 0.4])
def test_the_worst_fibre_of_thin_walls_is_that_of_a_search_along_them(section: Any, length: float) -> None:
    arm = cantilever(section, length=length)
    y, z, by_y, by_z, by_t = thin_walls(section)
    for force in np.random.default_rng(5).normal(size=(12, 3)) * [200, 50, 50]:
        loads = [force, force * [1, 0, 1], force * [1, 1, 0]]
        for each in loads:
            torque = np.array([2.0, 0, 0])
            found = loaded(arm, each, torque)
            F, M = arm.section_actions([0.0], [0.0], [0.0], external={"tip": lp.Wrench(force=each, torque=torque)})
            for k, ((N, Vy, Vz), (T, My, Mz)) in enumerate(zip(np.abs(F), np.abs(M), strict=True)):
                sigma = N / section.area + My * z / section.second_moment_y + Mz * y / section.second_moment_z
                tau = Vy * by_y + Vz * by_z + T * by_t
                worst = np.sqrt(sigma**2 + 3 * tau**2).max()
                assert 0.97 * worst < found.von_mises[k] < 1.2 * worst  # the middle line lies within the outer fibre


def test_a_bar_sheared_both_ways_is_worst_in_its_center() -> None:
    bar = lp.Bar(0.02, 0.03)
    found = loaded(cantilever(bar, length=0.5), (0, 300, 400))
    assert_allclose(found.shear, 1.5 * 500 / bar.area, rtol=1e-12)
    assert_allclose(found.von_mises[-1], np.sqrt(3) * 1.5 * 500 / bar.area, rtol=1e-9)


def test_stress_past_yield_is_told_and_kept() -> None:
    arm = cantilever(TUBE, length=0.8)
    force = np.array([[0, 0, 10.0], [0, 0, 1e5]])
    with pytest.warns(
        lp.ModelWarning, match=r"link 'link1', 0 m along its beam, is .* MPa in state 1, past yield at 300 MPa"
    ):
        found = arm.stress([0.0], external={"tip": lp.Wrench(force=force)})
    assert found.worst.state == (1,)
    assert_allclose(found.von_mises[1, 0], 1e5 * 0.8 * 0.03 / TUBE.second_moment_y, rtol=1e-12)
    assert found.worst.safety < 1


def test_sections_stand_on_both_sides_of_loads_and_steps() -> None:
    arm = cantilever(TUBE, gravity=9.81)  # the link's mass is a lump at its middle
    found = arm.stress([0.0], sections=5)
    assert_allclose(found.sections.positions, [0, 0.25, 0.5, 0.5, 0.75, 1.0], atol=1e-12)
    assert found.shear[2] > 0
    assert_allclose(found.shear[3:], 0, atol=1e-9)
    assert_allclose(found.of("link1").von_mises, found.von_mises)
    with pytest.raises(ValueError, match="'tip' has no beam"):
        found.of("tip")


# Buckling


def test_euler_with_every_end_condition() -> None:
    rod = lp.Rod(0.01)
    EI = E * rod.second_moment_y
    published = {
        "clamped-free": np.pi**2 / 4,
        "pinned-pinned": np.pi**2,
        "clamped-pinned": 20.19,
        "clamped-clamped": 4 * np.pi**2,
    }
    for condition, factor in published.items():
        beam = lp.Beam(rod, WEIGHTLESS, end=(2, 0, 0), end_condition=condition)
        assert_allclose(critical_load(beam, 2.0, shear=False), factor * EI / 4, rtol=1e-4)
    free = lp.Beam(rod, WEIGHTLESS, end=(2, 0, 0))
    for mode in (1, 2, 3):  # the errata's (2 mode - 1)^2
        assert_allclose(critical_load(free, 2.0, shear=False, mode=mode), (2 * mode - 1) ** 2 * np.pi**2 * EI / 16)
    own = lp.Beam(rod, WEIGHTLESS, end=(2, 0, 0), end_condition=1.2)
    assert_allclose(critical_load(own, 2.0, shear=False), np.pi**2 * EI / (1.2 * 2) ** 2)


def test_the_weaker_plane_and_engessers_shear() -> None:
    bar = lp.Bar(0.02, 0.06)
    beam = lp.Beam(bar, WEIGHTLESS, end=(0.3, 0, 0))
    P = np.pi**2 * E * bar.second_moment_z / (4 * 0.09)
    GA = bar.shear_factors(WEIGHTLESS.poisson_ratio)[0] * G * bar.area
    assert_allclose(critical_load(beam, 0.3), P / (1 + P / GA), rtol=1e-12)


def shooting(rigidity: Any, length: float) -> float:
    """Smallest load at which a clamped-free column of changing EI bends: EI(x) w'' = P (w(L) - w(x))."""

    def miss(P: float) -> float:
        # From the free end inwards, v = w(L) - w: v'' = -P v / EI, v = 0 and v' = 1 there; at the clamp v' = 0.
        found = solve_ivp(
            lambda s, y: [y[1], -P * y[0] / rigidity(length - s)], (0, length), [0.0, 1.0], rtol=1e-10, atol=1e-12
        )
        return float(found.y[1, -1])

    guess = np.pi**2 * rigidity(length) / (4 * length**2)
    top = guess
    while miss(top) > 0:
        top *= 1.1
    return float(brentq(miss, top / 1.1, top, xtol=1e-9 * guess))


def test_tapered_and_stepped_columns_against_shooting() -> None:
    thick, thin = lp.Rod(0.02), lp.Rod(0.01)
    beam = lp.Beam(thick, WEIGHTLESS, end=(1, 0, 0), end_section=thin)
    expected = shooting(lambda x: E * lp.Rod(0.02 - 0.01 * min(max(x, 0.0), 1.0)).second_moment_y, 1.0)
    assert_allclose(critical_load(beam, 1.0, shear=False), expected, rtol=1e-6)
    stepped = lp.Beam(end=(1, 0, 0), segments=[(0.5, thick, WEIGHTLESS), (0.5, thin, WEIGHTLESS)])
    expected = shooting(lambda x: E * (thick if x < 0.5 else thin).second_moment_y, 1.0)
    assert_allclose(critical_load(stepped, 1.0, shear=False), expected, rtol=1e-5)
    uniform = lp.Beam(end=(1, 0, 0), segments=[(0.5, thin, WEIGHTLESS), (0.5, thin, WEIGHTLESS)])
    assert_allclose(critical_load(uniform, 1.0, shear=False), np.pi**2 * E * thin.second_moment_y / 4, rtol=1e-8)


def test_safety_against_buckling_only_in_compression() -> None:
    rod = lp.Rod(0.005)
    arm = cantilever(rod)
    forces = np.array([[-50.0, 0, 0], [50.0, 0, 0], [0, 0, 10.0]])
    found = arm.buckling_safety([0.0], external={"tip": lp.Wrench(force=forces)})
    P = critical_load(arm.beams[0][1], 1.0)
    assert_allclose(found.euler[0], P / 50, rtol=1e-12)
    assert_allclose(found.safety[0], P / 50, rtol=1e-4)  # long before it would yield
    assert_allclose(found.arm_factor[0], P / 50, rtol=1e-4)
    assert np.isinf(found.euler[1:]).all()
    assert np.isinf(found.safety[1]).all()
    G, J = WEIGHTLESS.shear_modulus, rod.torsion_constant
    sideways = 4.0126 * np.sqrt(E * rod.second_moment_y * G * J) / 10
    assert_allclose(found.safety[2], sideways, rtol=1e-3)  # without compression that of the whole arm
    assert_allclose(found.compression[:2, 0], [50, -50], rtol=1e-12)
    assert found.worst.state == (0,)
    assert found.worst_euler.link == "link1"
    assert np.isinf(found.of("link1").safety[1]).all()


def test_a_beam_column_fails_where_the_grown_loads_say() -> None:
    """At the load factor that is found, C / A + F tan(k L) / k W is the yield strength, k^2 = C / E I."""
    arm = cantilever(TUBE, length=2.0)
    C, F = 4e3, 150.0
    found = arm.buckling_safety([0.0], external={"tip": lp.Wrench(force=(-C, 0, F))})
    f, P = found.safety[0], C * float(found.arm_factor)
    assert_allclose(P, critical_load(arm.beams[0][1], 2.0), rtol=2e-3)  # the push across makes it a little less
    k = np.sqrt(f * C / E / TUBE.second_moment_y)
    stress = f * C / TUBE.area + f * F * np.tan(2 * k) / k * 0.03 / TUBE.second_moment_y
    assert_allclose(stress, 300e6, rtol=1e-3)  # shear makes it a little more
    assert 1 < f < P / C
    short = cantilever(TUBE, length=0.1).buckling_safety([0.0], external={"tip": lp.Wrench(force=(-C, 0, 0))})
    assert_allclose(short.safety[0], 300e6 * TUBE.area / C, rtol=1e-12)  # too short to buckle: it yields


def test_loads_past_buckling_are_told_and_kept() -> None:
    rod = lp.Rod(0.005)
    with pytest.warns(lp.ModelWarning, match=r"past buckling, where the whole arm holds 0.02422 times the loads"):
        found = cantilever(rod).buckling_safety([0.0], external={"tip": lp.Wrench(force=(-1e4, 0, 0))})
    assert 0 < found.worst.safety < 1


# Long motions


@pytest.mark.slow
def test_extremes_are_those_of_all_states_in_bounded_memory() -> None:
    arm = random_rod_arm(3, 3)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 30, 300, arm.n))
    q[3, 5] = np.nan
    found = arm.extremes(q, qd, qdd)
    assert found.states == 9000
    stress, buckling, moved = arm.stress(q, qd, qdd), arm.buckling_safety(q, qd, qdd), arm.deflection(q, qd, qdd)
    assert found.worst_stress == stress.worst
    assert_allclose(found.worst_beam_column.safety, buckling.worst.safety, rtol=1e-5)
    assert found.worst_beam_column.state == buckling.worst.state
    assert_allclose(found.buckling.factor, buckling.arm.worst.factor, rtol=1e-4)
    assert found.worst_euler == buckling.worst_euler
    distance = np.linalg.norm(moved.tip.displacement, axis=-1)
    assert found.tip.state == tuple(int(k) for k in np.unravel_index(np.nanargmax(distance), distance.shape))
    assert_allclose(found.tip.distance, np.nanmax(distance), rtol=1e-13)
    for link in ("link1", "link2", "link3"):
        assert found.stress[link] == stress.of(link).worst
    many = np.broadcast_to(rng.uniform(-1, 1, (1000, 1, arm.n)), (1000, 100, arm.n))
    tracemalloc.start()
    arm.extremes(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6  # all stresses of these 100000 states would be 108 MB


def test_extremes_of_one_state_and_of_compliant_joints_alone() -> None:
    arm = lp.catalog.planar(2).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    found = arm.extremes([0.2, 0.3])
    assert found.stress == {}
    assert found.worst_euler is None
    assert found.tip.state == ()
    assert found.tip.distance > 0


def test_extremes_under_pushes_on_a_moving_base_are_told_past_yield() -> None:
    arm = cantilever(TUBE, gravity=9.81)
    q = np.linspace(-1, 1, 7)[:, None]
    loads = {
        "external": {
            "tip": lp.Wrench(
                force=np.linspace([0.0, 0, 0], [-2e4, 0, -9e3], 7), point=np.linspace([0, 0, 0], [0.1, 0, 0.2], 7)
            )
        },
        "base_acceleration": np.array([1.0, 2, 3, 0.4, 0.5, 0.6]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        stress, buckling, bent = arm.stress(q, **loads), arm.buckling_safety(q, **loads), arm.deflection(q, **loads)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = arm.extremes(q, **loads)
    told = "\n".join(str(each.message) for each in warned)
    for words in ("past yield at 300 MPa", "past what it holds under", "that is not small"):
        assert words in told
    assert found.worst_stress == stress.worst
    assert_allclose(found.worst_beam_column.safety, buckling.worst.safety, rtol=1e-5)
    assert found.worst_beam_column.state == buckling.worst.state
    assert found.worst_euler == buckling.worst_euler
    assert_allclose(found.tip.displacement, bent.tip.displacement[found.tip.state], rtol=1e-12)
    with pytest.raises(ValueError, match=r"expected an lp\.Wrench"):
        arm.extremes(q, external={"tip": (1, 2, 3)})
    nothing = arm.extremes(np.full((2, 1), np.nan))
    with pytest.raises(ValueError, match="no worst place"):
        _ = nothing.worst_stress


def test_motions_stand_for_states() -> None:
    arm = cantilever(TUBE, gravity=9.81)
    motion = lp.Motion.swing(arm)
    worst = arm.stress(motion.q, motion.qd, motion.qdd).worst
    assert arm.stress(motion).worst == arm.extremes(motion).worst_stress == worst
    assert_allclose(arm.deflection(motion).displacement, arm.deflection(motion.q, motion.qd, motion.qdd).displacement)
    assert arm.buckling_safety(motion).safety.shape[0] == len(motion.t)
    with pytest.raises(ValueError, match="the motion has its own qd and qdd: leave out 'qd'"):
        arm.stress(motion, motion.qd)
    with pytest.raises(ValueError, match="the motion is of robot 'planar2'"):
        arm.extremes(lp.Motion.swing(lp.catalog.planar(2)))


def test_bending_at_the_root_of_a_swinging_beam_is_the_torque_of_its_drive() -> None:
    rod = lp.Rod(0.012)
    beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1).with_payload(mass=2.0).with_beams({"link1": beam}, inertia_from_beams=True)
    held = arm.simulate([0.3], [0.0], duration=0.05, prescribed={"joint1": 0.3}, elastic="straight", damping=0.0)
    moment = held.stress(3).bending[:, 0] * math.pi * 0.012**3 / 4
    assert moment.max() > 1.8 * abs(float(arm.gravity_forces([0.3])[0]))  # it is let go of
    np.testing.assert_allclose(moment, np.abs(held.tau[:, 0]), atol=2e-3 * moment.max())
