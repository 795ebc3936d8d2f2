"""`buckling_safety`: bending grows with what buckles, against closed forms of beam-columns and chains of hinges."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever
from lumped_chain import Lumped, Rod, lumped_chain
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import loadpath as lp

E, YIELD = WEIGHTLESS.youngs_modulus, WEIGHTLESS.yield_strength
ROD = lp.Rod(0.01)
STRONG = ROD.second_moment_y * E
MODULUS = ROD.second_moment_y / 0.01


def factor_of(stress: Any, limit: float) -> float:
    """The smallest factor on the loads at which a stress is the yield strength, below the one of buckling."""
    return float(brentq(lambda f: stress(f) - YIELD, 1e-9 * limit, limit * (1 - 1e-9), rtol=1e-12))


def safety(arm: Any, force: Any, torque: Any = (0, 0, 0), **named: Any) -> Any:
    push = lp.Wrench(force=np.array(force, dtype=float), torque=np.array(torque, dtype=float))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return arm.buckling_safety(np.zeros(arm.nq), external={"tip": push}, **named)


@pytest.mark.parametrize("part", [0.05, 0.4, 0.9])
def test_a_force_across_a_column(part: float) -> None:
    """M = F tan(k L) / k, k^2 = C / E I; 1 / (1 - C / P) is up to a fifth more than that."""
    euler = np.pi**2 * STRONG / 4
    C, F = part * euler, 15.0
    expected = factor_of(lambda f: f * C / ROD.area + f * F * np.tan(np.sqrt(f * C / STRONG)) / np.sqrt(f * C / STRONG)
                         / MODULUS, 1 / part)
    for force in ((-C, 0, F), (-C, F, 0), (-C, 0.6 * F, 0.8 * F)):  # a rod has no planes
        found = safety(cantilever(ROD), force)
        assert_allclose(found.safety[0], expected, rtol=3e-4)  # shear gives a little
        assert_allclose(found.worst.safety, found.safety[0], rtol=1e-12)


def test_the_secant_formula() -> None:
    """A column under a force off its axis: M = C e / cos(k L)."""
    C, e = 300.0, 0.02
    expected = factor_of(lambda f: f * C / ROD.area + f * C * e / np.cos(np.sqrt(f * C / STRONG)) / MODULUS,
                         np.pi**2 * STRONG / 4 / C)
    found = safety(cantilever(ROD), (-C, 0, 0), (0, C * e, 0))
    assert_allclose(found.safety[0], expected, rtol=3e-4)


def test_each_section_of_a_column_has_its_own_factor() -> None:
    """Along a column the moment falls as sin(k (L - x)): each section has its own factor."""
    C, F = 300.0, 10.0

    def stress(f: float, x: float) -> float:
        k = np.sqrt(f * C / STRONG)
        return float(f * C / ROD.area + f * F * np.sin(k * (1 - x)) / np.cos(k) / k / MODULUS)

    found = safety(cantilever(ROD), (-C, 0, F), sections=6)
    for x, value in zip(found.sections.positions[:-1], found.safety[:-1], strict=True):
        assert_allclose(value, factor_of(lambda f, x=x: stress(f, x), np.pi**2 * STRONG / 4 / C), rtol=5e-4)
    assert_allclose(found.safety[-1], found.arm_factor, rtol=1e-6)  # no moment at the tip, and no yield before


def test_a_tapered_column_against_shooting() -> None:
    thick, thin = 0.02, 0.01
    arm = cantilever(lp.Rod(thick), end_section=lp.Rod(thin), end_condition="clamped-clamped")
    C, F = 800.0, 20.0

    def rod(x: float) -> Any:
        return lp.Rod(thick + (thin - thick) * x)

    def moment(f: float, x: float) -> float:
        """w'' E I = F (1 - x) + C (w(1) - w), w = w' = 0 at the clamp: for two tips, and between."""
        def tip(guess: float) -> Any:
            return solve_ivp(lambda s, y: [y[1], f * (F * (1 - s) + C * (guess - y[0])) / E / rod(s).second_moment_y],
                             (0, 1), [0.0, 0.0], rtol=1e-9, atol=1e-12, dense_output=True)
        at = [float(tip(guess).y[0, -1]) - guess for guess in (0.0, 1.0)]
        end = at[0] / (at[0] - at[1])
        return float(f * (F * (1 - x) + C * (end - tip(end).sol(x)[0])))

    found = safety(arm, (-C, 0, F), sections=5)
    limit = float(found.arm_factor)
    for k in (0, 2):
        x = float(found.sections.positions[k])
        at = rod(x)
        radius = thick + (thin - thick) * x
        expected = factor_of(lambda f, x=x, at=at, radius=radius: f * C / at.area + moment(f, x) * radius
                             / at.second_moment_y, limit * (1 - 1e-4))
        assert_allclose(found.safety[k], expected, rtol=1e-3)


def test_a_boom_that_buckles_across_the_plane_in_which_it_is_bent() -> None:
    """A flat boom with a load at its tip, along and across: it is bent in the plane in which it is strong, and
    buckles sideways. What it bends grows with the load at which it would buckle in its plane.
    """
    section = lp.Bar(0.05, 0.03)
    width, thin = (pick(section.second_moment_y, section.second_moment_z) for pick in (max, min))
    strong, weak = E * width, E * thin
    boom = cantilever(section, length=3.0, end_condition="clamped-clamped")
    C, F = 2600.0, 400.0
    axis = 1 if section.second_moment_y == width else 2  # the link's z is the world's -y
    force = np.array([-C, 0.0, 0.0])
    force[axis] = F
    found = safety(boom, force)
    in_plane, across = np.pi**2 * strong / 36 / C, np.pi**2 * weak / 36 / C
    assert_allclose(found.arm_factor, across, rtol=0.05)  # the moment makes it a little less
    assert in_plane > 2.5 * across

    def stress(f: float) -> float:
        k = np.sqrt(f * C / strong)
        return float(f * C / section.area + f * F * np.tan(3 * k) / k * 0.025 / width)

    expected = factor_of(stress, in_plane)
    assert expected < across
    assert_allclose(found.worst.safety, expected, rtol=1e-3)
    one = factor_of(lambda f: f * C / section.area + f * F * 3 * 0.025 / width / (1 - f / across), across)
    assert found.worst.safety > 1.15 * one  # one factor for all bending says much less
    # A hair of a force sideways is amplified by what buckles sideways, and by no more than it is.
    force[3 - axis] = 1.0
    assert_allclose(safety(boom, force).worst.safety, found.worst.safety, rtol=0.02)
    force[3 - axis] = 60.0
    assert safety(boom, force).worst.safety < 0.9 * found.worst.safety


# Arms in space


def random_arm(seed: int, kind: str) -> tuple[lp.FlexibleRobot, list[Rod], Any, Any]:
    """Three slender links; the arm, the same as rods, its springs, and for each link what makes moments a share of
    the yield strength.
    """
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(3, 3)) + np.array([0, 0, 2.5])
    if kind in ("in plane", "across"):
        directions[:, 1] = 0.0
    ends = [d / np.linalg.norm(d) * rng.uniform(0.5, 0.9) for d in directions]
    links, joints, beams, rods, uses = [lp.Link("base")], [], {}, [], []
    at, start = np.zeros(3), np.zeros(3)
    for k, end in enumerate(ends):
        y = np.cross(end, [1.0, 0, 0] if kind == "skew" else [0, 1.0, 0])
        y = y / np.linalg.norm(y)
        section: Any = lp.Tube(0.03 - 0.005 * k, 0.001) if k == 1 else lp.Rod(0.018 - 0.003 * k)
        if kind == "across":
            section = lp.Bar(0.04, 0.012)  # its height is along z, across the plane: strong in it
            y = np.array([0, 1.0, 0])
        name = f"link{k + 1}"
        joints.append(lp.Joint(f"joint{k + 1}", links[-1].name, name, lp.Revolute((0, 0, 1)),
                               lp.Pose(translation=start.tolist())))
        links.append(lp.Link(name))
        beams[name] = lp.Beam(section, WEIGHTLESS, end=f"joint{k + 2}" if k < 2 else tuple(end), y_axis=tuple(y),
                              end_condition=0.05)
        m = WEIGHTLESS
        stiffness = [np.inf, np.inf, np.inf, m.shear_modulus * section.torsion_constant,
                     m.youngs_modulus * section.second_moment_y, m.youngs_modulus * section.second_moment_z]
        rods.append(Rod(at, at + end, y, np.array(stiffness), np.zeros(3)))
        uses.append(section)
        at, start = at + end, end
    links.append(lp.Link("tip"))
    joints.append(lp.Joint("tip_joint", "link3", "tip", lp.Fixed(), lp.Pose(translation=ends[-1].tolist())))
    soft = {"joint2": lp.JointCompliance(drive=4000.0)} if kind == "springs" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = lp.Robot("bent", tuple(links), tuple(joints), (0.0, 0.0, 0.0)).with_beams(beams, joint_compliance=soft)
    return arm, rods, [(1, (0, 0, 1.0), 4000.0)] if soft else [], uses


def chain_safeties(chain: Lumped, forces: Any, uses: list[Any], count: int) -> Any:
    """(hinges,): the smallest factor at which a hinge's section yields, or the chain buckles; NaN in tension."""
    result = np.full(len(chain.resultants), np.nan)
    for hinge in range(len(result)):
        section = uses[hinge // count]
        C = forces[hinge // count]
        if C <= 0:
            continue
        y, z = section.extremes

        per_moment = np.array([z / section.second_moment_y, y / section.second_moment_z])

        def stress(
            f: float, hinge: int = hinge, C: float = C, section: Any = section, per_moment: Any = per_moment
        ) -> float:
            bent = np.abs(chain.actions(f)[hinge, 4:]) * per_moment
            together = np.linalg.norm(bent) if isinstance(section, lp.Tube | lp.Rod) else bent.sum()
            return float(f * C / section.area + together - YIELD)

        limit = chain.factor * (1 - 1e-7)
        grid = limit * (1 - 0.6 ** np.arange(1, 24))
        first = next((k for k, f in enumerate(grid) if stress(f) > 0), None)
        result[hinge] = chain.factor if first is None else brentq(stress, [0.0, *grid][first], grid[first])
    return result


@pytest.mark.parametrize("seed, kind", [(1, "in plane"), (2, "across"), (3, "skew"), (4, "springs"), (5, "skew")])
def test_arms_in_space_against_a_chain_of_hinges(seed: int, kind: str) -> None:
    arm, rods, springs, uses = random_arm(seed, kind)
    push = np.array([40.0, 0.0 if kind in ("in plane", "across") else -30.0, -250.0])
    found = safety(arm, push, sections=11)
    pressed = [-float(push @ (rod.end - rod.start)) / np.linalg.norm(rod.end - rod.start) for rod in rods]
    coarse, fine = (chain_safeties(lumped_chain(rods, [(2, push)], count, springs), pressed, uses, count)
                    for count in (5, 15))
    fine = fine.reshape(3, 5, 3)[:, :, 1].ravel()
    expected = fine + (fine - coarse) / 8
    links, compared = np.array(found.sections.links), 0
    for k in range(3):
        rows = np.flatnonzero(links == f"link{k + 1}")
        length = found.sections.positions[rows].max()
        for i in range(5):
            row = rows[int(np.abs(found.sections.positions[rows] - (i + 0.5) / 5 * length).argmin())]
            if np.isnan(expected[5 * k + i]):
                continue
            compared += 1
            assert_allclose(found.safety[row], expected[5 * k + i], rtol=3e-3)
    assert compared >= 5
