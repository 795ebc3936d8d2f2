"""Frequencies and buckling of closed robots of beams: by textbooks, finite elements, and themselves cut elsewhere."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from rings import ring
from scipy.linalg import eigh

import loadpath as lp

STEEL = lp.STEEL
THIN = lp.Rod(0.001)
EI, MU = STEEL.youngs_modulus * THIN.second_moment_y, STEEL.density * THIN.area
BACK = np.diag([-1.0, -1.0, 1.0])
BENT = ("bending", "torsion", "extension")
LOAD = {"coupler": lp.Wrench(force=(3.0, -2.0, -4.0), torque=(0.08, -0.05, 0.06)),
        "rocker": lp.Wrench(force=(1.0, 2.5, -3.0), torque=(-0.04, 0.09, 0.03))}
HINGE = lp.Revolute((0, 0, 1))


# Textbooks


@cache
def two_cantilevers(share: float) -> lp.Robot:
    """A beam of one metre between two walls, in two parts that a loop welds together."""
    links = tuple(lp.Link(name) for name in ("ground", "left", "right", "joint"))
    wall = np.eye(4)
    wall[:3, :3], wall[0, 3] = BACK, 1.0
    joints = (
        lp.Joint("left_wall", "ground", "left", lp.Fixed()),
        lp.Joint("right_wall", "ground", "right", lp.Fixed(), wall),
        lp.Joint("left_end", "left", "joint", lp.Fixed(), (share, 0, 0)),
    )
    on = np.eye(4)
    on[:3, :3], on[0, 3] = BACK, 1.0 - share
    robot = lp.Robot("two cantilevers", links, joints).with_gravity(0.0)
    robot = robot.with_loop("weld", "joint", "right", motion=lp.Fixed(), on=on)
    beams = {"left": lp.Beam(THIN, STEEL, end="left_end"), "right": lp.Beam(THIN, STEEL, end="weld")}
    return robot.with_beams(beams, inertia_from_beams=True)


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_weld_makes_a_beam_between_two_walls_of_two_cantilevers(share: float) -> None:
    found = two_cantilevers(share).natural_frequencies(np.zeros(0), 6, effects=BENT)
    textbook = np.repeat([4.730040745, 7.853204624, 10.99560784], 2) ** 2 / (2 * np.pi) * np.sqrt(EI / MU)
    np.testing.assert_allclose(found.frequencies, textbook, rtol=3e-5)
    np.testing.assert_allclose(found.energy_shares.sum(axis=-1), 1.0)
    axial = two_cantilevers(share).natural_frequencies(np.zeros(0), 1, effects=("extension",)).frequencies[0]
    assert axial == pytest.approx(np.sqrt(STEEL.youngs_modulus / STEEL.density) / 2, rel=1e-6)


@cache
def column(motion: lp.JointType, turned: bool, foot: lp.JointType | None = None) -> lp.Robot:
    """A column of one metre along x whose far end a loop guides."""
    rigid = lp.Inertia(1.0, tensor=np.eye(3))  # until it has its beam's
    links = (lp.Link("ground"), lp.Link("column", rigid), lp.Link("tip"))
    joints = (lp.Joint("foot", "ground", "column", foot or lp.Fixed()),
              lp.Joint("top", "column", "tip", lp.Fixed(), (1, 0, 0)))
    robot = lp.Robot("column", links, joints).with_gravity(0.0)
    q = robot.neutral()
    if turned:
        robot = robot.with_loop("end", "tip", "ground", motion=motion, on=(1, 0, 0), q=q)
    else:
        robot = robot.with_loop("end", "ground", "tip", motion=motion, at=(1, 0, 0), q=q)
    return robot.with_beams({"column": lp.Beam(THIN, STEEL, end="top")}, inertia_from_beams=True)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("motion", "foot", "euler"), [
    (lp.Prismatic((1, 0, 0)), None, 4 * np.pi**2),
    (lp.Cylindrical((1, 0, 0)), None, 4 * np.pi**2),
    (lp.PointOnLine((1, 0, 0)), None, 20.19072856),
    (lp.PointOnLine((1, 0, 0)), lp.Universal((0, 1, 0), (0, 0, 1)), np.pi**2),
])
def test_columns_buckle_as_euler_has_it(motion: Any, foot: Any, euler: float, turned: bool) -> None:
    arm = column(motion, turned, foot)
    push = {"tip": lp.Wrench(force=(-1.0, 0, 0))}
    found = arm.buckling(arm.home, external=push, effects=("bending", "torsion"))
    assert found.factor / EI == pytest.approx(euler, rel=1e-6)
    # At half of it the lowest frequency of a pinned column is that of the unloaded one, times sqrt(1/2).
    if foot is not None:
        half = {"tip": lp.Wrench(force=(-0.5 * euler * EI, 0, 0))}
        free, loaded = (arm.natural_frequencies(arm.home, 1, effects=BENT, **of).frequencies[0]
                        for of in ({"loaded": False}, {"external": half}))
        assert free == pytest.approx(np.pi / 2 * np.sqrt(EI / MU), rel=1e-5)
        assert loaded / free == pytest.approx(np.sqrt(0.5), rel=1e-5)


# Finite elements


def bar_matrices(a: np.ndarray, b: np.ndarray, rod: lp.Rod) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass (12, 12) of a slender rod in world axes."""
    L = float(np.linalg.norm(b - a))
    E, G, A, J = STEEL.youngs_modulus, STEEL.shear_modulus, rod.area, rod.second_moment_y
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    mass = STEEL.density * A * L
    for i, stiffness, weight in ((0, E * A / L, mass), (3, G * 2 * J / L, mass * 2 * J / A)):
        k[np.ix_([i, i + 6], [i, i + 6])] += stiffness * np.array([[1, -1], [-1, 1]])
        m[np.ix_([i, i + 6], [i, i + 6])] += weight / 6 * np.array([[2, 1], [1, 2]])
    for u, r, s in ((1, 5, L), (2, 4, -L)):
        rows = np.ix_([u, r, u + 6, r + 6], [u, r, u + 6, r + 6])
        k[rows] += E * J / L**3 * np.array([[12, 6 * s, -12, 6 * s], [6 * s, 4 * L**2, -6 * s, 2 * L**2],
                                            [-12, -6 * s, 12, -6 * s], [6 * s, 2 * L**2, -6 * s, 4 * L**2]])
        m[rows] += mass / 420 * np.array([[156, 22 * s, 54, -13 * s], [22 * s, 4 * L**2, 13 * s, -3 * L**2],
                                          [54, 13 * s, 156, -22 * s], [-13 * s, -3 * L**2, -22 * s, 4 * L**2]])
    x = (b - a) / L
    y = np.cross([0.0, 1.0, 0.0], x)
    R = np.kron(np.eye(4), np.stack([x, y / np.linalg.norm(y), np.cross(x, y / np.linalg.norm(y))]))
    return R.T @ k @ R, R.T @ m @ R


def frame_frequencies(points: dict[str, np.ndarray], rods: dict[str, lp.Rod], pieces: int = 12) -> np.ndarray:
    """Of a four-bar in the plane y = 0: its hinges are rotations about y that two bars do not share; the crank's foot
    is held by its drive.
    """
    A, B, C, D = (points[name] for name in "ABCD")
    bars = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    count = 0

    def number(held: tuple[int, ...] = ()) -> list[int]:
        nonlocal count
        made = [-1 if k in held else count + k - sum(h < k for h in held) for k in range(6)]
        count += 6 - len(held)
        return made

    def with_own_turn(node: list[int]) -> list[int]:
        nonlocal count
        count += 1
        return [*node[:4], count - 1, node[5]]

    at_b, at_c = number(), number()
    ends = {"crank": ([-1] * 6, at_b), "coupler": (with_own_turn(at_b), at_c),
            "rocker": (number((0, 1, 2, 3, 5)), with_own_turn(at_c))}
    chains = {name: [start, *(number() for _ in range(pieces - 1)), end] for name, (start, end) in ends.items()}
    K, M = np.zeros((2, count + 1, count + 1))  # the last row takes what is held
    for name, (a, b) in bars.items():
        nodes = np.linspace(a, b, pieces + 1)
        for k in range(pieces):
            columns = chains[name][k] + chains[name][k + 1]
            stiffness, mass = bar_matrices(nodes[k], nodes[k + 1], rods[name])
            K[np.ix_(columns, columns)] += stiffness
            M[np.ix_(columns, columns)] += mass
    squares = eigh(K[:count, :count], M[:count, :count], eigvals_only=True)
    found: np.ndarray = np.sqrt(squares) / (2 * np.pi)
    return found


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_four_bar_of_rods_rings_as_finite_elements_do(turn: float) -> None:
    rods = {"crank": lp.Rod(0.0009), "coupler": lp.Rod(0.0006), "rocker": lp.Rod(0.0007)}
    ends = {"crank": "coupler_joint", "coupler": "rocker_pin", "rocker": "rocker_pin"}
    made = lp.catalog.four_bar().with_gravity(0.0)
    arm = made.with_beams({link: lp.Beam(rods[link], STEEL, end=ends[link]) for link in rods}, inertia_from_beams=True)
    q = arm.assemble({"crank_joint": arm.home[0] + turn}, near=arm.home).q
    poses = dict(zip(arm.link_names, arm.tree.link_poses.uncompiled(q), strict=True))
    points = {name: poses[link][:3, 3] for name, link in zip("ABD", ("crank", "coupler", "rocker"), strict=True)}
    points["C"] = poses["rocker"][:3, :3] @ [0.28, 0, 0] + points["D"]
    found = arm.natural_frequencies(q, 8, effects=BENT)
    np.testing.assert_allclose(found.frequencies, frame_frequencies(points, rods)[:8], rtol=1e-4)
    # Loops stay closed: both links of the pin carry it along, in every mode.
    names = arm.link_names
    coupler, rocker = (names.index(link) for link in ("coupler", "rocker"))
    lines = {line.link: line for line in found.beam_lines(2)}
    np.testing.assert_allclose(lines["coupler"].displacement[:, -1], lines["rocker"].displacement[:, -1],
                               atol=1e-9 * np.abs(found.displacement).max())
    assert not np.allclose(found.rotation[:, coupler], found.rotation[:, rocker])


# Cut elsewhere


@pytest.mark.parametrize(("b", "c", "cuts"), [
    (lp.Fixed(), lp.Fixed(), "BCD"),
    (lp.Universal((1, 0, 0), (0, 1, 0)), lp.Spherical(), "BCD"),
    (lp.Cylindrical((0, 0, 1)), lp.Spherical(), "BCD"),
    (lp.PointOnLine((1, 0, 0)), HINGE, "BCD"),
    (lp.Planar(), lp.Universal((1, 0, 0), (0, 1, 0)), "CD"),
    (lp.Helical((0, 0, 1), pitch=0.05), lp.PointOnLine((1, 0, 0)), "CD"),
])
@pytest.mark.parametrize("soft", [False, True])
def test_where_a_ring_is_cut_does_not_matter(b: Any, c: Any, cuts: str, soft: bool) -> None:
    foot = lp.Fixed() if isinstance(b, lp.Fixed) else HINGE
    compliance = {"B": lp.JointCompliance(rotation=2e3, translation=2e5)} if soft else {}
    found = []
    for cut in cuts:
        arm = ring({"A": foot, "B": b, "C": c, "D": foot}, cut, compliance)
        arm = arm if arm.mobility == 0 else arm.with_driven("A")
        q = arm.home
        modes = [arm.natural_frequencies(q, 5, order=3, **loads) for loads in ({"loaded": False}, {"external": LOAD})]
        factor = arm.buckling(q, external=LOAD, order=3).factor
        assert np.abs(modes[1].frequencies / modes[0].frequencies - 1).max() > 1e-4  # the loads count
        found.append([*modes[0].frequencies, *modes[1].frequencies, factor])
    np.testing.assert_allclose(found, found[:1] * len(found), rtol=1e-10)


# What is held, what is free


def four_bar(**given: Any) -> lp.Robot:
    rod = lp.Beam(lp.Rod(0.004), STEEL, end="rocker_pin")
    return lp.catalog.four_bar(**given).with_beams({"coupler": rod}, inertia_from_beams=True)


def test_rotors_of_joints_that_follow_turn_with_them() -> None:
    arm = four_bar()
    joint = next(j for j in arm.joints if j.child == "rocker")
    turning = joint.motion.axis_direction()
    inertia = arm.link("rocker").inertia
    heavy = arm.with_drives({joint.name: lp.Drive(rotor_inertia=0.02, ratio=2.0)})
    tensor = np.asarray(inertia.tensor) + 0.08 * np.outer(turning, turning)
    with pytest.warns(lp.ModelWarning, match="triangle inequality"):
        wanted = arm.with_inertias({"rocker": lp.Inertia(inertia.mass, inertia.center_of_mass, tensor)})
    plain, found, same = (each.natural_frequencies(arm.home, 4, loaded=False, order=5).frequencies
                          for each in (arm, heavy, wanted))
    np.testing.assert_allclose(found, same, rtol=1e-9)
    assert np.abs(found / plain - 1).max() > 1e-3


def test_batches_are_rows_and_poses_must_be_closed() -> None:
    arm = four_bar()
    q = arm.assemble({"crank_joint": arm.home[0] + np.array([0.0, 0.4, 0.8])}, near=arm.home).q
    with pytest.warns(lp.ModelWarning, match="1 of 4 states is not a number"):
        together = arm.natural_frequencies(np.vstack([q, np.full(3, np.nan)]), 3, order=4)
    for k in range(3):
        alone = arm.natural_frequencies(q[k], 3, order=4)
        np.testing.assert_allclose(together.frequencies[k], alone.frequencies, rtol=1e-12)
    assert np.isnan(together.frequencies[3]).all()
    chart = arm.frequency_map({"crank_joint": arm.home[0] + np.array([0.0, 0.4, 0.8])}, link="coupler")
    np.testing.assert_allclose(chart.frequencies, together.frequencies[:3, 0], rtol=1e-3)
    with pytest.raises(ValueError, match="the loops of 'four_bar' are open"):
        arm.natural_frequencies(arm.home + 0.1, loaded=False)


def test_directions_that_loops_take_away_are_not_counted() -> None:
    stiff = lp.catalog.four_bar().with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(radial=1e6)})
    found = stiff.natural_frequencies(stiff.home, loaded=False)
    assert found.frequencies.shape == (2,)  # the crank is held: the rocker's and the coupler's turn
    assert np.isfinite(found.frequencies).all()
    with pytest.raises(ValueError, match="has 2 elastic coordinates"):
        stiff.natural_frequencies(stiff.home, 3)
