"""Arms with beams: finite elements of the tests' own, statics element by element, closed formulas, the elastica."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from elastic_arms import WEIGHTLESS, cantilever
from exact_chain import curvature
from frame_fe import GAUSS, element_stiffness, shape_functions
from frame_of_arm import ArmFrame
from frame_with_guides import GuidedFrame
from random_arms import random_arm
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from telescopes import STROKE, telescope

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case
from loadpath.states import LoadCase
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.stress import BucklingSafety
from loadpath.structure.vibration.piece_loads import dead_loads
from references.to_pinocchio import to_pinocchio


@lru_cache(maxsize=4)
def made(seed: int, number: int) -> lp.FlexibleRobot:
    rng = Case(seed, number).rng("arm")
    kinds = [str(kind) for kind in rng.choice(["revolute", "revolute", "prismatic"], 3)]
    return random_arm(int(rng.integers(1 << 30)), kinds)


def state(case: Case, arm: lp.FlexibleRobot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(case.rng("arm state").normal(size=(3, arm.n)))


@check(
    "FlexibleRobot.deflection",
    "FlexibleRobot.small_deflection",
    "FlexibleRobot.compliance",
    "FlexibleRobot.stiffness",
    "Robot.with_beams",
    "Beam",
    "Segment",
    "Material",
    "JointCompliance",
    against="a frame of Timoshenko elements, assembled in global axes",
    bound=1e-6,
)
def deflection(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    q, qd, qdd = state(case, arm)
    frame = ArmFrame(arm, q, qd, qdd)
    expected = frame.deflection()
    found = arm.deflection(q, qd, qdd)
    yield Compared(found.displacement, expected[:, :3])
    yield Compared(found.rotation, expected[:, 3:])
    displacement, _ = arm.small_deflection(q, qd, qdd)
    yield Compared(displacement, expected[:, :3])
    yield Compared(found.tip.displacement, expected[-1, :3], np.abs(expected[:, :3]).max())
    link = arm.link_names[-1]
    C = frame.frame.compliance(frame.nodes[link])
    yield Compared(arm.compliance(q, link), C)
    yield Compared(arm.stiffness(q, link) @ C, np.eye(6), np.linalg.cond(C) * 1e-3)


@check(
    "FlexibleRobot.deflection_derivatives",
    against="central differences of such frames",
    bound=1e-4,
    every=2,
)
def deflection_derivatives(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    here = state(case, arm)
    found, step = arm.deflection_derivatives(*here), 1e-4
    for which, slopes in enumerate(found):
        for k in range(arm.n):
            ends = []
            for by in (step, -step):
                there = [array + (which == number) * by * np.eye(arm.n)[k] for number, array in enumerate(here)]
                ends.append(ArmFrame(arm, *there).deflection())
            expected = (ends[0] - ends[1]) / (2 * step)
            largest = [np.abs(part).max() for part in (slopes.displacement, slopes.rotation)]
            yield Compared(slopes.displacement[..., k], expected[:, :3], largest[0])
            yield Compared(slopes.rotation[..., k], expected[:, 3:], largest[1])


@check(
    "Guide",
    against="a frame of Timoshenko elements with sliding constraints, by Lagrange multipliers",
    bound=1e-6,
)
def guides(case: Case) -> Iterator[Compared]:
    rng = case.rng("guides")
    stages = int(rng.integers(2, 4))
    chosen = {"along": str(rng.choice(["tail", "front"])), "torsion": str(rng.choice(["tail", "front"]))}
    options = {"offset": float(rng.uniform(-0.2, 0.2)), "stepped": bool(rng.integers(2)), "guides": chosen}
    arm = telescope(stages, int(rng.integers(1 << 30)), **options)
    q = np.concatenate([rng.uniform(-1, 1, 1), rng.uniform(0, STROKE, stages - 1)])
    qd, qdd = rng.uniform(-0.5, 0.5, (2, stages))
    expected = GuidedFrame(arm, q, qd, qdd).deflection()
    found = arm.deflection(q, qd, qdd)
    yield Compared(found.displacement, expected[:, :3])
    yield Compared(found.rotation, expected[:, 3:])


def end_forces(frame: ArmFrame) -> list[tuple[str, float, float, np.ndarray, np.ndarray]]:
    """For each element: its link, where it begins and ends along the beam, the forces on its ends in its axes."""
    inner, gravity = frame.frame, np.array(frame.arm.gravity)
    u = np.linalg.solve(inner.stiffness(), frame.load())
    found, begun = [], {}
    for number, (a, b, p, y) in enumerate(inner.beams):
        link = frame.of_beam[number]
        T, length = inner._axes(a, b, y)
        ends = T @ np.vstack([inner.B(a), inner.B(b)]) @ u
        load = np.zeros(12)
        for x, weight in zip(0.5 * (GAUSS[0] + 1), 0.5 * length * GAUSS[1], strict=True):
            at = (1 - x) * inner.positions[a] + x * inner.positions[b]
            pull = -p.mass * (frame.moves[link].acceleration(at) - gravity)
            load += shape_functions(p, length, x)[:3].T @ (T[:3, :3] @ pull) * weight
        force = element_stiffness(p, length) @ ends - load
        start = begun.get(link, 0.0)
        begun[link] = start + length
        found.append((link, start, start + length, force[:6], force[6:]))
    return found


@check("FlexibleRobot.section_actions", against="the end forces of finite elements", bound=1e-6)
def section_actions(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    q, qd, qdd = state(case, arm)
    stress = arm.stress(q, qd, qdd)
    links, positions = np.array(stress.sections.links), stress.sections.positions
    force, moment = arm.section_actions(q, qd, qdd)
    size = float(max(np.abs(force).max(), np.abs(moment).max()))
    for link, start, stop, first, last in end_forces(ArmFrame(arm, q, qd, qdd)):
        rows = np.flatnonzero(links == link)
        begins = [k for k in rows if abs(positions[k] - start) < 1e-9]
        ends = [k for k in rows if abs(positions[k] - stop) < 1e-9]
        # A joint's compliance or a lump may sit at the very start: the section after it comes last there.
        yield Compared(np.concatenate([force[begins[-1]], moment[begins[-1]]]), -first, size)
        yield Compared(np.concatenate([force[ends[0]], moment[ends[0]]]), last, size)


@check(
    "FlexibleRobot.stress",
    "FlexibleRobot.section_stresses",
    against="N/A, M/W, T/W and bounds of von Mises's stress",
    bound=1e-9,
)
def stresses(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    q, qd, qdd = state(case, arm)
    found = arm.stress(q, qd, qdd)
    force, moment = arm.section_actions(q, qd, qdd)
    for name, beam in arm.beams:
        if len(beam.segments) > 1:
            continue
        section, rows = beam.segments[0].section, [k for k, link in enumerate(found.sections.links) if link == name]
        N, Vy, Vz = force[rows].T
        T, My, Mz = moment[rows].T
        round_ = isinstance(section, (lp.Tube, lp.Rod))
        y, z = section.extremes
        bending = (
            np.hypot(My, Mz) * y / section.second_moment_y
            if round_
            else (np.abs(My) * z / section.second_moment_y + np.abs(Mz) * y / section.second_moment_z)
        )
        largest = float(found.von_mises.max())
        yield Compared(found.axial[rows], N / section.area, largest)
        yield Compared(found.bending[rows], bending, largest)
        yield Compared(np.abs(found.torsion[rows]), np.abs(T) / section.torsion_modulus, largest)
        if round_:
            yield Compared(found.shear[rows], np.hypot(Vy, Vz) * section.shear_peaks[0] / section.area, largest)
        sigma = np.abs(N) / section.area + bending
        tau = found.shear[rows] + np.abs(found.torsion[rows])
        low, high = np.abs(N) / section.area, np.sqrt(sigma**2 + 3 * tau**2)
        if round_ or not isinstance(section, lp.IBeam):
            low = sigma
        yield Compared(found.von_mises[rows], np.clip(found.von_mises[rows], low, high), largest)
        yield Compared(found.safety[rows], beam.segments[0].material.yield_strength / found.von_mises[rows])
    plain = arm.section_stresses(q, qd, qdd)
    yield Compared(plain[4], found.von_mises)
    yield Compared(found.worst.safety, found.safety.min())


@check(
    "FlexibleRobot.buckling_safety",
    "FlexibleRobot.section_buckling",
    "FlexibleRobot.extremes",
    against="Euler and Engesser by hand, a root search of the beam-column, equilibrium of second order by LAPACK, "
    "NumPy over all states",
    bound=1e-7,
)
def buckling(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    rng = case.rng("many")
    many = rng.normal(size=(3, 7, arm.n))
    found = arm.buckling_safety(*many)
    stress = arm.stress(*many)
    force, moment = arm.section_actions(*many)
    interaction = arm.section_buckling(*many)[2]
    yield from grown_loads(arm, many, found)
    links = np.array(found.sections.links)
    for name, beam in arm.beams:
        if len(beam.segments) > 1:
            continue
        material, section = beam.segments[0].material, beam.segments[0].section
        length = next(b.length for b in arm.placed_beams if b.link == name)
        shear = section.shear_factors(material.poisson_ratio)
        loads = []
        for second, k in ((section.second_moment_z, shear[0]), (section.second_moment_y, shear[1])):
            euler = np.pi**2 * material.youngs_modulus * second / (2 * length) ** 2
            loads.append(euler / (1 + euler / (k * material.shear_modulus * section.area)))
        critical = min(loads)
        rows = np.flatnonzero(links == name)
        C = -force[:, rows, 0]
        yield Compared(found.compression[:, rows], C)
        with np.errstate(divide="ignore"):
            yield Compared(found.euler[:, rows], np.where(C > 0, critical / C, np.inf))
        # The factor on all loads at which the outermost fibre yields.
        one = int(rows[0])
        y, z = section.extremes
        for k in range(len(C)):
            if C[k, 0] <= 0:
                continue
            My, Mz = np.abs(moment[k, one, 1:])
            bent = (
                np.hypot(My, Mz) * y / section.second_moment_y
                if isinstance(section, (lp.Tube, lp.Rod))
                else (My * z / section.second_moment_y + Mz * y / section.second_moment_z)
            )
            pressed, limit = C[k, 0] / section.area, critical / C[k, 0]

            def over(
                x: float,
                bent: float = bent,
                pressed: float = pressed,
                limit: float = limit,
                strength: float = material.yield_strength,
            ) -> float:
                return x * pressed + x * bent / (1 - x / limit) - strength

            expected = brentq(over, 0.0, limit * (1 - 1e-14), xtol=1e-300, rtol=1e-14) if bent > 0 else limit
            yield Compared(1 / interaction[k, one], expected)
        loose = C <= 0
        whole = np.broadcast_to(found.arm_factor[:, None], C.shape)
        yield Compared(1 / found.safety[:, rows][loose], 1 / whole[loose])
    worst = arm.extremes(*many)
    tip = arm.deflection(*many).tip.displacement
    yield Compared(worst.tip.distance, np.linalg.norm(tip, axis=-1).max())
    yield Compared(worst.worst_stress.safety, stress.safety.min())
    if np.isfinite(found.euler.min()):
        yield Compared(worst.worst_euler.safety, found.euler.min())
    if np.isfinite(found.safety.min()):
        yield Compared(worst.worst_beam_column.safety, found.safety.min(), 1e3 * found.safety.min())
        yield Compared(worst.buckling.factor, found.arm_factor.min(), 1e3 * found.arm_factor.min())


def grown_loads(arm: lp.FlexibleRobot, states: np.ndarray, found: BucklingSafety) -> Iterator[Compared]:
    """Under the factor that a section holds, with the whole arm in equilibrium of second order, its fibre just yields:
    nothing of the shapes in which it buckles is in that.
    """
    at = found.arm.model.at(states[0])
    K, _ = at.loaded(tuple(states), LoadCase())
    g = generalized_forces(at, dead_loads(arm, tuple(states), LoadCase()))
    force, moment = arm.section_actions(*states)
    for k in range(len(g)):
        rows = section_map(at.chosen(np.arange(len(g)) == k), SECTIONS)[:, 4:]
        row = int(np.where(force[k, :, 0] < 0, found.safety[k], np.inf).argmin())
        link, f = found.sections.links[row], found.safety[k, row]
        beam = dict(arm.beams)[link]
        if force[k, row, 0] >= 0 or len(beam.segments) > 1 or f > 0.999 * min(found.arm_factor[k], found.euler[k, row]):
            continue
        more = np.linalg.solve(np.eye(len(K[k])) + f * K[k], g[k]) - g[k]
        section, strength = beam.segments[0].section, beam.segments[0].material.yield_strength
        y, z = section.extremes
        My, Mz = np.abs(moment[k, row, 1:] + rows[row] @ more)
        if isinstance(section, lp.Tube | lp.Rod):
            bent = np.hypot(My, Mz) * y / section.second_moment_y
        elif isinstance(section, lp.Bar | lp.RectangularTube):
            bent = My * z / section.second_moment_y + Mz * y / section.second_moment_z
        else:
            continue
        yield Compared(f * (bent - force[k, row, 0] / section.area) / strength, 1.0)


@check(
    "FlexibleRobot.buckling",
    "FlexibleRobot.dead_loads",
    against="the work of dead forces on geometrically exact rods, by differences",
    bound=1e-5,
    every=2,
)
def whole_arm(case: Case) -> Iterator[Compared]:
    """The shape is stationary: along it the forces' work has the second derivative 1 / factor per unit of elastic
    energy, together with any other shape the same share of their common energy. Frequencies under load likewise.
    """
    arm, (q, qd, qdd) = made(case.seed, case.number), state(case, made(case.seed, case.number))
    found = arm.buckling(q, qd, qdd, order=4)
    x = found.shape.coordinates / np.linalg.norm(found.shape.coordinates)
    others = case.rng("other shapes").normal(size=(3, len(x)))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    modes = arm.natural_frequencies(q, 2, qd=qd, qdd=qdd, order=4)
    size = np.linalg.norm(modes.coordinates, axis=1, keepdims=True)
    rows = np.concatenate([[x], x + others, x - others, modes.coordinates / size])
    bent = curvature(found.model, (q, qd, qdd), rows)
    yield Compared(bent[0] * float(found.factor), 1.0)
    yield Compared((bent[1:4] - bent[4:7]) / 4 * float(found.factor), others @ x)
    squares = (2 * np.pi * modes.frequencies) ** 2
    yield Compared((1 - bent[7:]) * size[:, 0] ** 2 / squares, np.ones(2))


@check(
    "FlexibleRobot.natural_frequencies",
    "FlexibleRobot.frequency_map",
    against="finite elements, consistent mass",
    bound=2e-4,
    every=2,
)
def frequencies(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    q = state(case, arm)[0]
    found = arm.natural_frequencies(q, 4, tolerance=1e-7, loaded=False).frequencies
    expected = ArmFrame(arm, q, pieces=5, rotary=True).frame.frequencies(4)
    yield Compared(found / expected, np.ones(4))
    many = case.rng("poses").normal(size=(2, arm.nq))
    chart = arm.frequency_map(q=many, loaded=False)
    lowest = [ArmFrame(arm, pose, pieces=5, rotary=True).frame.frequencies(1)[0] for pose in many]
    yield Compared(chart.frequencies, lowest)
    yield Compared(chart.lowest, min(lowest))


@check(
    "FlexibleRobot.bandwidth_check",
    against="the Fourier integral of the accelerations, finite elements",
    bound=5e-2,
    every=4,
)
def bandwidth(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    rng = case.rng("stroke")
    points = rng.normal(size=(2, arm.n))
    duration = float(rng.uniform(0.3, 2))
    motion = lp.Motion.through(arm, points, [0.0, duration], rate=400 / duration)
    found = arm.bandwidth_check(motion, loaded=False)
    t, x = motion.t, motion.qdd[:, 0]
    grid = np.linspace(0, 60 / duration, 1500)
    spectrum = np.abs(np.trapezoid(x * np.exp(-2j * np.pi * np.multiply.outer(grid, t)), t, axis=1)) ** 2
    power = np.cumsum(spectrum)
    # All of the power, by Parseval: half of the integral of the square over time.
    whole = np.trapezoid(x * x, t) / 2 / (grid[1] - grid[0])
    expected = np.interp(0.99 * whole, power, grid)
    yield Compared(found.bandwidth, expected)
    k = int(np.argmin(found.frequencies))
    pose = motion.q[np.argmin(np.abs(t - found.times[k]))]
    lowest = ArmFrame(arm, pose, pieces=5, rotary=True).frame.frequencies(1)[0]
    yield Compared(found.frequency, lowest)
    yield Compared(found.ratio, lowest / expected)


@check(
    "FlexibleRobot.compensated",
    against="Pinocchio's tip and finite elements at the coordinates found",
    bound=1e-5,
    every=2,
)
def compensation(case: Case) -> Iterator[Compared]:
    arm = made(case.seed, case.number)
    target = state(case, arm)[0]
    found = arm.compensated(target)
    peer = to_pinocchio(arm)
    wanted, here = peer.link_poses(target)[-1, :3, 3], peer.link_poses(found.q)[-1, :3, 3]
    still = np.zeros(arm.n)
    sag = ArmFrame(arm, found.q, still, still).deflection()[-1, :3]
    size = float(np.abs(sag).max())
    yield Compared(found.position_error, wanted - (here + sag), size)


def elastica(alpha: float) -> np.ndarray:
    """Tip of a unit cantilever under a force alpha EI / L^2 across it: way along, sag and slope, by shooting."""

    def slope(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -alpha * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

    def end(bend: float) -> np.ndarray:
        return np.asarray(solve_ivp(slope, (0, 1), [0.0, bend, 0.0, 0.0], rtol=1e-10, atol=1e-11).y[:, -1])

    theta, _, x, y = end(brentq(lambda k: float(end(k)[1]), 0.0, 2 * alpha))
    return np.array([x - 1, y, theta])


@check(
    "FlexibleRobot.bent_deflection",
    "FlexibleRobot.deflection(iterate=True)",
    against="Euler's elastica, by shooting",
    bound=2e-3,
    every=2,
)
def large_deflection(case: Case) -> Iterator[Compared]:
    rng = case.rng("elastica")
    rod = lp.Rod(float(rng.uniform(0.003, 0.008)))
    length, alpha, q = float(rng.uniform(0.3, 2)), float(rng.uniform(0.05, 1.5)), float(rng.uniform(-3, 3))
    arm = cantilever(rod, length=length)
    EI = WEIGHTLESS.youngs_modulus * rod.second_moment_y
    across = np.array([-np.sin(q), 0, np.cos(q)])  # world axes: the rod lies along (cos q, 0, sin q)
    along = np.array([np.cos(q), 0, np.sin(q)])
    push = {"tip": lp.Wrench(force=alpha * EI / length**2 * across)}
    tip = arm.deflection([q], external=push, iterate=True, effects=["bending"], pieces=16).tip
    back, sag, theta = elastica(alpha)
    yield Compared(tip.displacement, length * (back * along + sag * across))
    yield Compared(np.linalg.norm(tip.rotation), abs(theta))


@check(
    "FlexibleRobot.load_shift",
    against="work of a unit gravity on the displacements of finite elements",
    bound=1e-4,
    every=2,
)
def load_shift(case: Case) -> Iterator[Compared]:
    """By Betti: a gravity of 1 m/s^2 along an axis does as much work as the masses move along it. Small loads, as both
    are to be linear.
    """
    arm = made(case.seed, case.number)
    q, still = state(case, arm)[0], np.zeros(arm.n)
    light = 1e-4 * np.array(arm.gravity)
    frames = [ArmFrame(arm.with_gravity(tuple(e)), q, pieces=12) for e in (light, *np.eye(3))]
    loads = [frame.load() for frame in frames]
    u = np.linalg.solve(frames[0].frame.stiffness(), loads[0])
    moved = np.array([load @ u for load in loads[1:]])
    force, torque, found = arm.with_gravity(tuple(light)).load_shift(q, still, still)
    yield Compared(found, moved)
    yield Compared(torque, -np.cross(moved, light))
    yield Compared(force, np.zeros(3), 1.0)


@check(
    "FlexibleRobot.respond",
    "FlexibleRobot.section_stresses_with",
    "FlexibleRobot.frequency_response",
    "FlexibleRobot.shaped",
    "Rayleigh",
    against="Duhamel's integral, a damped oscillator and Singer's impulses, by hand",
    bound=1e-5,
    every=2,
)
def vibration_in_time(case: Case) -> Iterator[Compared]:
    """A mass on a massless rod that turns without gravity: in the plane u'' + 2 z w u' + w^2 u = -L a."""
    rng = case.rng("oscillator")
    rod, L, m = lp.Rod(float(rng.uniform(0.005, 0.02))), float(rng.uniform(0.5, 2)), float(rng.uniform(1, 8))
    light = lp.Material(210e9, 81e9, density=0.0, name="light")
    links = (lp.Link("base"), lp.Link("rod", lp.Inertia(m, (L, 0, 0))), lp.Link("tip"))
    end = lp.Joint("end", "rod", "tip", lp.Fixed(), lp.Pose(translation=(L, 0, 0)))
    turn = lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1)))
    arm = lp.Robot("swing", links, (turn, end), gravity=(0.0, 0.0, 0.0)).with_beams(
        {"rod": lp.Beam(rod, light, end="end")}
    )
    k = 3 * 210e9 * rod.second_moment_z / L**3
    w, zeta, T = float(np.sqrt(k / m)), float(rng.uniform(0.001, 0.2)), float(rng.uniform(0.1, 0.6))
    motion = lp.Motion.through(arm, [[0.0], [0.4]], [0.0, T], rate=1000.0 / T)
    options = {"damping": zeta, "modes": 1, "effects": ["bending"], "loaded": False}
    r = arm.respond(motion, **options)

    def rate(t: float, y: np.ndarray) -> list[float]:
        s = min(t / T, 1.0)
        a = 0.4 * 60 * s * (1 - s) * (1 - 2 * s) / T**2
        return [y[1], -L * a - 2 * zeta * w * y[1] - w * w * y[0]]

    few = r.times[::37]
    expected = solve_ivp(rate, (0, few[-1]), [0.0, 0.0], t_eval=few, rtol=1e-10, atol=1e-13, max_step=T / 40).y[0]
    across = np.stack([-np.sin(r.q[::37, 0]), np.cos(r.q[::37, 0])], axis=1)
    yield Compared((r.displacement["tip"][::37, :2] * across).sum(axis=1), expected)
    y, _ = rod.extremes
    yield Compared(r.stress().bending[::37, 0] * rod.second_moment_z / y, k * np.abs(expected) * L)
    rates = r.ringing.rates  # along y and, of the same frequency, along z
    yield Compared(np.abs(rates) / w, np.ones(len(rates)))
    yield Compared(-rates.real / w, np.full(len(rates), zeta), 1.0)
    f = np.array([0.0, 0.3, 0.9, 1.0, 1.7]) * w
    found = arm.frequency_response([0.0], "turn", ("tip", "y"), f / (2 * np.pi), **options)
    yield Compared(found.magnitude, L / np.abs(w * w - f * f + 2j * zeta * w * f))
    yield Compared(found.phase[1:], np.angle(-L / (w * w - f * f + 2j * zeta * w * f))[1:])
    alpha, beta = float(rng.uniform(0, 2)), float(rng.uniform(0, 2)) / w**2
    damped = arm.respond(motion, **(options | {"damping": lp.Rayleigh(alpha, beta)})).ringing.rates
    yield Compared(-2 * damped.real / (alpha + beta * w * w), np.ones(len(damped)))
    shaped = arm.shaped(motion, "zvd", frequency=w / (2 * np.pi), damping=zeta)
    K, half = np.exp(-zeta * np.pi / np.sqrt(1 - zeta**2)), np.pi / (w * np.sqrt(1 - zeta**2))
    times = np.linspace(0, T + 2 * half, 23)
    steps = [(1.0, 0), (2 * K, 1), (K * K, 2)]
    s = [np.clip((times - n * half) / T, 0, 1) for _, n in steps]
    q = sum(A * 0.4 * x**3 * (10 - 15 * x + 6 * x**2) for (A, _), x in zip(steps, s, strict=True)) / (1 + K) ** 2
    yield Compared(shaped.at(np.clip(times, 0, shaped.t[-1])).q[:, 0], q, 1.0)
