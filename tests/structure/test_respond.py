"""Vibration in time against Duhamel's integral, the whole system without modes, and what every vibration must obey."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from frame_of_arm import ArmFrame

import loadpath as lp
from loadpath.motion.via_points import quintic_step, timed_trapezoid
from loadpath.states import LoadCase
from loadpath.structure.response.course import Arm
from loadpath.structure.response.reduction import ReducedModel, reduced_at

E, LENGTH, MASS, ZETA = 210e9, 1.6, 4.0, 0.03
ROD = lp.Rod(0.012)
BENDING = ("bending",)
STIFFNESS = 3 * E * ROD.second_moment_z / LENGTH**3
OMEGA = math.sqrt(STIFFNESS / MASS)


def one_mode() -> lp.FlexibleRobot:
    """A mass on a massless rod that turns about z, without gravity: 8.4 Hz across."""
    light = lp.Material(E, 81e9, density=0.0, name="light")
    robot = lp.Robot(
        "swing",
        (lp.Link("base"), lp.Link("rod", lp.Inertia(MASS, (LENGTH, 0, 0))), lp.Link("tip")),
        (
            lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),
            lp.Joint("end", "rod", "tip", lp.Fixed(), lp.Pose(translation=(LENGTH, 0, 0))),
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    return robot.with_beams({"rod": lp.Beam(ROD, light, end="end")})


def duhamel(t: Any, acceleration: Any, breaks: list[float], zeta: float = ZETA, omega: float = OMEGA) -> Any:
    """Tangential displacement of the mass by Gauss's rule on stretches of at most an eighth of a period."""
    x, w = np.polynomial.legendre.leggauss(12)
    wd = omega * math.sqrt(1 - zeta**2)
    result = np.zeros(len(t))
    for a, b in pairwise(breaks):
        edges = np.linspace(a, b, math.ceil((b - a) * 8 * omega / (2 * math.pi)) + 1)
        for i, now in enumerate(t):
            for c, end in pairwise(edges):
                if c >= now:
                    break
                d = min(end, now)
                s = 0.5 * (c + d) + 0.5 * (d - c) * x
                kernel = np.exp(-zeta * omega * (now - s)) * np.sin(wd * (now - s)) / wd
                result[i] -= 0.5 * (d - c) * float(w @ (LENGTH * acceleration(s) * kernel))
    return result


def tangential(r: Any) -> Any:
    """Displacement of the tip across the rod."""
    across = np.stack([-np.sin(r.q[:, 0]), np.cos(r.q[:, 0])], axis=1)
    return (r.displacement["tip"][:, :2] * across).sum(axis=1)


@pytest.mark.parametrize("profile", ["quintic", "trapezoidal", "step"])
def test_one_mode_against_duhamel(profile: str) -> None:
    arm, T = one_mode(), 0.5
    if profile == "step":  # an acceleration that sets in at once and stays
        t = np.linspace(0, T, 51)[:, None]
        motion, breaks = lp.Motion(t[:, 0], 1.5 * t**2, 3 * t, 3 * np.ones_like(t)), [0.0, T]
        r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING)
        acceleration: Any = lambda s: np.full_like(s, 3.0)  # noqa: E731
    elif profile == "quintic":
        motion = lp.Motion.through(arm, [[0.0], [1.2]], times=[0, T])
        r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING,
                        after=0.4)
        breaks, acceleration = [0.0, T], lambda s: 1.2 * quintic_step(s / T)[2] / T**2
    else:
        motion = lp.Motion.through(arm, [[0.0], [1.2]], times=[0, T], profile="trapezoidal")
        r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING,
                        after=0.4)
        steps: Any = timed_trapezoid(T, np.inf, np.inf)
        breaks, acceleration = [0.0, steps.blend, T - steps.blend, T], lambda s: 1.2 * steps.at(s)[2]
    few = np.arange(0, len(r.times), 7)
    expected = duhamel(r.times[few], acceleration, breaks)
    np.testing.assert_allclose(tangential(r)[few], expected, atol=1e-6 * np.abs(expected).max())
    assert np.abs(r.displacement["tip"][:, 2]).max() < 1e-12
    assert r.quasi_static["tip"].shape == r.vibration["tip"].shape == (len(r.times), 3)
    assert r.peak.displacement == pytest.approx(np.abs(expected).max(), rel=0.05)


def test_residual_and_settling_of_one_mode() -> None:
    arm, T = one_mode(), 0.5
    motion = lp.Motion.through(arm, [[0.0], [1.2]], times=[0, T], profile="trapezoidal")
    r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING)
    late = T + np.linspace(0, 0.3, 400)
    steps: Any = timed_trapezoid(T, np.inf, np.inf)
    course = np.abs(duhamel(late, lambda s: 1.2 * steps.at(s)[2], [0.0, steps.blend, T - steps.blend, T]))
    assert r.residual == pytest.approx(course.max(), rel=1e-4)
    wait = r.settling_time(1e-4)
    envelope = math.log(r.residual / 1e-4) / (ZETA * OMEGA)
    assert envelope - 2 * math.pi / OMEGA < wait < envelope + 2 * math.pi / OMEGA
    after = np.linalg.norm(r.ringing.at(np.linspace(wait, wait + 3, 20000)), axis=1)
    assert after.max() <= 1e-4 * (1 + 1e-9)
    assert np.linalg.norm(r.ringing.at(np.array([wait - 1e-6]))) > 0.99e-4
    assert r.settling_time(1.0) == 0.0
    undamped = arm.respond(motion, damping=0.0, loaded=False, modes=2, effects=BENDING)
    assert undamped.settling_time(1e-4) == math.inf
    c = undamped.course  # and its energy stays
    after_end = slice(c.motion_end, None)
    M = c.arm.mass(c.arm.placed(undamped.q[-1:]))[0]
    v, a = c.rates[after_end], c.coordinates[after_end]
    energy = 0.5 * np.einsum("ti,ij,tj->t", v, M, v) + 0.5 * (a**2).sum(axis=1)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)


def test_wrench_and_stress_of_one_mode() -> None:
    """On a mass m on a spring k: the joint has the torque m u'' L more, and the root of the rod the moment k u L."""
    arm = one_mode()
    motion = lp.Motion.through(arm, [[0.0], [1.2]], times=[0, 0.5], profile="trapezoidal")
    r = arm.respond(motion, damping=ZETA, loaded=False, modes=2, effects=BENDING)
    u, t = tangential(r), r.times
    h = 1e-5
    inside = slice(r.course.motion_end + 5, None)
    ring = np.stack([np.linalg.norm(r.ringing.at(t[inside] - r.end + d), axis=1) for d in (-h, 0, h)])
    sign = np.sign(u[inside])
    second = sign * (ring[0] - 2 * ring[1] + ring[2]) / h**2
    clear = ring[1] > 0.05 * ring[1].max()
    torque = r.joint_wrenches["turn"].torque[inside, 2]
    np.testing.assert_allclose(torque[clear], (MASS * second * LENGTH)[clear], atol=1e-4 * np.abs(torque).max())
    force = r.joint_wrenches["turn"].force[inside, 1]
    np.testing.assert_allclose(force * LENGTH, torque, atol=1e-9 * np.abs(torque).max())
    stress = r.stress()
    modulus = ROD.second_moment_z / 0.012
    np.testing.assert_allclose(stress.bending[:, 0], STIFFNESS * np.abs(u) * LENGTH / modulus,
                               atol=1e-6 * stress.bending.max())
    assert stress.factor["rod"] > 1.5
    assert stress.quasi_static.shape == stress.von_mises.shape == (len(t), len(stress.sections.links))
    assert len(r.stress(every=10).times) == math.ceil(len(t) / 10)


def two_links(**payload: Any) -> lp.FlexibleRobot:
    beams = {
        "link1": lp.Beam(lp.RectangularTube(0.03, 0.05, 0.002), lp.ALUMINIUM, end="joint2"),
        "link2": lp.Beam(lp.RectangularTube(0.02, 0.04, 0.002), lp.ALUMINIUM, end="tip_joint"),
    }
    arm = lp.catalog.planar(2).with_payload(**({"mass": 3.0} | payload)).with_beams(beams, inertia_from_beams=True)
    assert isinstance(arm, lp.FlexibleRobot)
    return arm


def whole_system(r: Any, duration: float, step: float, damping: lp.Rayleigh) -> tuple[Any, Any]:
    """All elastic coordinates by the implicit midpoint rule; displacement (instants, 3) of the payload."""
    model, track = r.course.arm.model, r.course.track
    full = reduced_at(model, np.eye(model.size), np.zeros((1, model.arm.nq)))
    arm = Arm(full, track, True)
    times = step * np.arange(round(duration / step) + 1)
    f = full.forces((track.q[:1], 0 * track.qd[:1], 0 * track.qd[:1]), LoadCase())[0]
    eta = np.linalg.solve(arm.matrices(times[:1]).stiffness[0], f)
    rate, found = 0 * eta, [eta]
    middle = times[:-1] + step / 2
    for first in range(0, len(middle), 100):
        at, forces = arm.matrices(middle[first : first + 100]), arm.forces(middle[first : first + 100])
        for M, G, K, f in zip(*at[:3], forces, strict=True):
            D = G + damping.alpha * M + damping.beta * np.eye(len(eta))
            mean = np.linalg.solve(M + step / 2 * D + step**2 / 4 * K, M @ rate + step / 2 * (f - K @ eta))
            eta, rate = eta + step * mean, 2 * mean - rate
            found.append(eta)
    shapes = full.frames(full.placed(arm.states(times)[0][0]))[:, r.arm.link_names.index("payload"), :3]
    return times, np.einsum("tic,tc->ti", shapes, np.array(found))


def test_two_moving_links_against_the_whole_system() -> None:
    """Without modes and without interpolation, all 44 coordinates; two step lengths extrapolated."""
    arm, damping = two_links(), lp.Rayleigh(alpha=0.3, beta=2e-4)
    motion = lp.Motion.through(arm, [[0, 0.3], [0.6, -0.8]], times=[0, 0.3], profile="trapezoidal")
    r = arm.respond(motion, damping=damping, effects=("bending", "torsion"), after=0.06, modes=6)
    coarse, fine = (whole_system(r, 0.36, 0.001 / k, damping) for k in (2, 4))
    expected = fine[1][::2] + (fine[1][::2] - coarse[1]) / 3
    at = np.searchsorted(r.times, coarse[0] - 1e-9)
    same = np.abs(r.times[at] - coarse[0]) < 1e-9
    assert same.sum() > 20
    found = r.displacement["tip"][at[same]]
    assert np.abs(r.vibration["tip"]).max() > 0.3 * np.abs(found).max()
    np.testing.assert_allclose(found, expected[same], atol=3e-5 * np.abs(expected).max())


def newmark(arm: Any, r: Any, step: float, damping: lp.Rayleigh) -> Any:
    """The payload's displacement by Newmark's rule on the frame of finite elements. Its freedoms are those of nodes in
    world axes: there the acceleration is that of the rigid motion plus u'', and no term of a moving frame appears.
    """
    track, found = r.course.track, []
    for k in range(round(r.times[-1] / step) + 1):
        t = k * step
        q, qd, qdd = (part[0] for part in track.at(np.array([min(t, r.end)])))
        over = t >= r.end
        frame = ArmFrame(arm, q, 0 * qd if over else qd, 0 * qdd if over else qdd, pieces=2, rotary=True)
        K, M, f = frame.frame.stiffness(), frame.frame.mass(), frame.load()
        D = damping.alpha * M + damping.beta * K
        if k == 0:
            u = np.linalg.solve(K, ArmFrame(arm, q, qd, 0 * qdd, pieces=2, rotary=True).load())
            v, a = 0 * u, np.linalg.solve(M, f - K @ u)
        else:
            u, v = u + step * v + step**2 / 4 * a, v + step / 2 * a
            a = np.linalg.solve(M + step / 2 * D + step**2 / 4 * K, f - D @ v - K @ u)
            u, v = u + step**2 / 4 * a, v + step / 2 * a
        found.append(frame.frame.B(frame.nodes["payload"])[:3] @ u)
    return np.array(found)


@pytest.mark.slow
def test_two_moving_links_against_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """To 0.2 % of the vibration. Geometric stiffness is left out on both sides; gyroscopic terms and spin softening,
    which `respond` has as matrices of their own, make 8 % here.
    """
    arm, damping = two_links(), lp.Rayleigh(alpha=0.3, beta=2e-4)
    monkeypatch.setattr(ReducedModel, "geometric_stiffness", lambda self, at, loads: np.zeros((self.size, self.size)))
    motion = lp.Motion.through(arm, [[0, 0.3], [0.6, -0.8]], times=[0, 0.24])
    r = arm.respond(motion, damping=damping, after=0.06, rate=1000.0)
    coarse, fine = newmark(arm, r, 0.004, damping), newmark(arm, r, 0.002, damping)
    expected = fine[::2] + (fine[::2] - coarse) / 3
    at = np.searchsorted(r.times, 0.004 * np.arange(len(expected)) - 1e-9)
    difference = r.displacement["tip"][at] - expected
    vibration = np.abs(r.vibration["tip"]).max()
    assert vibration > 0.05
    assert np.abs(difference).max() < 2e-3 * vibration


def test_slow_motions_deflect_only() -> None:
    arm = two_links()
    motion = lp.Motion.through(arm, [[0, 0.3], [0.6, -0.8]], times=[0, 60.0], rate=20.0)
    r = arm.respond(motion, loaded=False, rate=300.0, after=0)
    bent = arm.deflection(motion).tip.displacement
    at = np.searchsorted(r.times, motion.t - 1e-9)
    np.testing.assert_allclose(r.times[at], motion.t, atol=1e-9)
    size = np.abs(bent).max()
    np.testing.assert_allclose(r.quasi_static["tip"][at], bent, atol=1e-10 * size)
    np.testing.assert_allclose(r.displacement["payload"][at], bent, atol=1e-4 * size)
    np.testing.assert_allclose(r.rotation["tip"][at], arm.deflection(motion).tip.rotation, atol=1e-4)
    np.testing.assert_allclose(r.stress(every=500).von_mises, r.stress(every=500).quasi_static, rtol=1e-2, atol=1e3)


def test_loads_soften_the_arm() -> None:
    """A mast that stands under 0.75 of its buckling load sways at half its frequency, and sags four times as far."""
    beam = lp.Beam(lp.Rod(0.01), lp.STEEL, end=(2.0, 0, 0))
    links = (lp.Link("base"), lp.Link("mast", lp.Inertia(1.0, (2.0, 0, 0))))
    robot = lp.Robot("mast", links, (lp.Joint("foot", "base", "mast", lp.Revolute((0, 1, 0))),))
    mast = robot.with_beams({"mast": beam}, inertia_from_beams=True)
    critical = math.pi**2 * E * lp.Rod(0.01).second_moment_z / (4 * 2.0**2)
    arm, heavy = (mast.with_payload(k * critical / 9.81, center_of_mass=(2.0, 0, 0)) for k in (0.73, 1.1))
    assert isinstance(arm, lp.FlexibleRobot) and isinstance(heavy, lp.FlexibleRobot)
    up = -math.pi / 2
    motion = lp.Motion.through(arm, [[up], [up + 1e-3]], times=[0, 0.2])
    loaded, free = (arm.respond(motion, damping=0.0, loaded=flag, effects=BENDING) for flag in (True, False))
    slow, quick = (float(np.abs(r.ringing.rates[np.argmax(r.ringing.sizes)])) for r in (loaded, free))
    assert slow / quick == pytest.approx(0.5, rel=0.03)  # the rod weighs too
    under = arm.natural_frequencies([up + 1e-3], 1, effects=BENDING).frequencies[0]
    assert slow / (2 * math.pi) == pytest.approx(under, rel=1e-5)
    with pytest.warns(lp.ModelWarning, match="deflected geometry"):
        bent = arm.deflection([up + 1e-3], effects=BENDING, iterate=True, pieces=8).tip.displacement[0]
    assert loaded.quasi_static["tip"][-1, 0] == pytest.approx(bent, rel=5e-3)
    assert free.quasi_static["tip"][-1, 0] == pytest.approx(bent / 4, rel=0.1)
    with pytest.raises(lp.ModelError, match=r"past buckling \(factor 0\.8"):
        heavy.respond(motion)


def test_dampers() -> None:
    """A rigid mass on a drive spring: ratio c w / 2 k; Rayleigh's; ratios of modes one by one."""
    robot = lp.catalog.planar(1, mass=3.0)
    k, c = 4000.0, 3.0
    arm = robot.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=k, damping=c)})
    motion = lp.Motion.through(arm, [[0.0], [0.5]], times=[0, 0.3])
    inertia = float(arm.mass_matrix([0.0])[0, 0])
    w = math.sqrt(k / inertia)
    rates = arm.respond(motion, damping=0.0, loaded=False).ringing.rates
    np.testing.assert_allclose(-rates.real / np.abs(rates), c * w / (2 * k), rtol=1e-9)
    both = arm.respond(motion, damping=0.05, loaded=False).ringing.rates
    np.testing.assert_allclose(-both.real / np.abs(both), 0.05 + c * w / (2 * k), rtol=1e-9)
    arm = one_mode()
    motion = lp.Motion.through(arm, [[0.0], [0.5]], times=[0, 0.3])
    for damping, expected in ((lp.Rayleigh(0.5, 1e-4), 0.25 / OMEGA + 5e-5 * OMEGA), ({"alpha": 1.0}, 0.5 / OMEGA),
                              ([0.01, 0.02], 0.01)):
        rates = arm.respond(motion, damping=damping, loaded=False, modes=2, effects=BENDING).ringing.rates
        ratios = -rates.real / np.abs(rates)
        assert np.abs(ratios - expected).min() < 1e-9
    locked = robot.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=k, damping=c)}).locked(
        {"joint1": 0.2}
    )
    assert locked.joint_compliances[0][1].is_damped


def test_samples_do_not_matter() -> None:
    """The same motion sampled unevenly, and one whose samples are taken far apart."""
    arm = two_links()
    motion = lp.Motion.through(arm, [[0, 0.3], [0.6, -0.8]], times=[0, 0.4], rate=2000.0)
    r = arm.respond(motion, after=0.1)
    rng = np.random.default_rng(0)
    times = np.sort(np.concatenate([[0.0, 0.4], rng.uniform(0, 0.4, 300)]))
    uneven, coarse = arm.respond(motion.at(times), after=0.1), arm.respond(motion.resampled(100.0), after=0.1)
    for other in (uneven, coarse):
        for part in ("residual",):
            assert getattr(other, part) == pytest.approx(getattr(r, part), rel=1e-4)
        assert other.peak.displacement == pytest.approx(r.peak.displacement, rel=1e-4)


def test_loads_that_change_over_time() -> None:
    """A push that grows to a half sine and is gone, on an arm that stands: Duhamel's integral; and a base that shakes
    so is the same as gravity that does.
    """
    arm, T = one_mode(), 0.1
    t = np.linspace(0, 0.4, 801)
    push = np.where(t < T, np.sin(np.pi * t / T), 0.0)[:, None] * np.array([0.0, 100.0, 0.0])
    still = np.zeros((len(t), 1))
    stand = lp.Motion(t, still, still, still)
    options: Any = {"damping": ZETA, "modes": 2, "effects": BENDING, "after": 0.0}
    for loaded in (False, True):
        r = arm.respond(stand, external={"tip": lp.Wrench(force=push)}, loaded=loaded, **options)
        few = np.arange(0, len(t), 40)
        at = np.searchsorted(r.times, t[few] - 1e-9)
        expected = duhamel(t[few], lambda s: -100.0 * np.sin(np.pi * s / T) / (MASS * LENGTH), [0.0, T])
        np.testing.assert_allclose(r.displacement["tip"][at, 1], expected, atol=5e-5 * np.abs(expected).max())
    base = np.concatenate([-push / MASS, 0 * push], axis=1)
    shaken = arm.respond(stand, base_acceleration=base, loaded=False, **options)
    np.testing.assert_allclose(shaken.displacement["tip"][at, 1], expected, atol=5e-5 * np.abs(expected).max())


def test_bad_input() -> None:
    arm = one_mode()
    motion = lp.Motion.through(arm, [[0.0], [0.5]], times=[0, 0.3])
    for bad, words in ((1.0, "damping is 1: expected a ratio"), (-0.1, "damping is -0.1"), ([0.1, 2], "of mode 2 is 2"),
                       ({"zeta": 1}, "has 'zeta'"), ("much", "damping is 'much'")):
        with pytest.raises(ValueError, match=words):
            arm.respond(motion, damping=bad)
    with pytest.raises(lp.ModelError, match="alpha"):
        lp.Rayleigh(alpha=-1.0)
    with pytest.raises(ValueError, match="does not end at rest: joint 'turn'"):
        arm.respond(motion.between(0.0, 0.1), after=1.0)
    assert arm.respond(motion.between(0.0, 0.1)).times[-1] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="takes an lp"):
        arm.respond([0.0])  # type: ignore[arg-type]
    q = motion.q.copy()
    q[3] = np.nan
    with pytest.raises(ValueError, match="q is not a number at sample 3"):
        arm.respond(lp.Motion.from_checked(motion.t, q, motion.qd, motion.qdd, arm))
    with pytest.raises(ValueError, match="start is 'moving'"):
        arm.respond(motion, start="moving")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no link 'hand'"):
        arm.respond(motion).displacement["hand"]
    with pytest.raises(ValueError, match="tolerance is 0"):
        arm.respond(motion).settling_time(0.0)
    with pytest.raises(lp.ModelError, match="drive is rigid"):
        lp.JointCompliance(tilting=1e4, damping=1.0)
    with pytest.raises(lp.ModelError, match="no elastic part"):
        arm.respond(motion, effects=["joints"])


def test_a_response_that_is_not_small_is_named() -> None:
    arm = one_mode()
    hasty = lp.Motion.through(arm, [[0.0], [1.0]], times=[0, 0.1])
    with pytest.warns(lp.ModelWarning, match=r"link 'tip' turns by [\d.]+ rad as the arm bends, at 0.*prescribed"):
        r = arm.respond(hasty)
    assert np.linalg.norm(r.rotation["tip"], axis=1).max() > 0.1
    calm = arm.respond(lp.Motion.through(arm, [[0.0], [1.0]], times=[0, 1.0]))  # warnings are errors here
    assert np.linalg.norm(calm.rotation["tip"], axis=1).max() < 0.1


def test_a_motion_that_does_not_know_its_robot_is_asked_about_units() -> None:
    arm = lp.catalog.ur5().with_beams({"link2": lp.Beam(lp.Tube(0.05, 0.005), lp.STEEL, end="elbow_joint")})
    move = lp.Motion.through(arm, [np.zeros(6), [0.0, -0.2, 0.3, 0.0, 0.0, 0.0]], times=[0, 2.0])
    bare = lp.Motion(move.t, np.degrees(move.q), np.degrees(move.qd), np.degrees(move.qdd))
    with pytest.warns(lp.ModelWarning, match=r"respond: .*limit"):
        arm.respond(bare, modes=1)


def test_percent_of_damping() -> None:
    arm = one_mode()
    with pytest.raises(ValueError, match=r"damping is 2: expected a ratio of critical damping.*\(2 % is 0.02\)"):
        arm.respond(lp.Motion.through(arm, [[0.0], [0.5]], times=[0, 0.3]), damping=2)
