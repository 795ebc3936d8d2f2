"""Families of arms with beams against arms that are made with the same numbers, and by hand."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.family import shared_kernel
from loadpath.engine.quantity import quantities_of
from loadpath.families.family import Family

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")


def made(
    *, radius: float = 0.04, wall: float = 0.003, width: float = 0.06, modulus: float = 69e9, density: float = 2700.0,
    strength: float = 276e6, height: float = 0.04, drive: float = 2e4, length: float = 1.0, payload: float = 2.0,
    from_beams: bool = True,
) -> Any:
    """An arm of three links with tubes, a box and a bar, made anew."""
    arm = lp.catalog.planar(3)
    joints = tuple(replace(joint, origin=lp.Pose(joint.origin.rotation, (length, 0.0, 0.0)))
                   if joint.name == "joint2" else joint for joint in arm.joints)
    arm = replace(arm, joints=joints).with_payload(payload, (0.0, 0.0, 0.05))
    metal = lp.Material(modulus, modulus * 26 / 69, density, strength, name="metal")
    beams = {
        "link1": lp.Beam(lp.Tube(radius, wall), lp.STEEL, end="joint2"),
        "link2": lp.Beam(lp.RectangularTube(width, 0.08, 0.004), metal, end="joint3"),
        "link3": lp.Beam(segments=[(0.4, lp.Bar(0.03, height), lp.STEEL), (0.6, lp.Rod(0.012), lp.ALUMINIUM)],
                         end="tip_joint", end_condition=2.0),
    }
    compliance = {"joint2": lp.JointCompliance(drive=drive, tilting=(1e5, 2e5))}
    return arm.with_beams(beams, joint_compliance=compliance, inertia_from_beams=from_beams)


KEYS = {
    "radius": "link1.beam.section.outer_radius", "wall": "link1.beam.section.wall",
    "width": "link2.beam.section.width", "modulus": "link2.beam.material.youngs_modulus",
    "density": "link2.beam.material.density", "strength": "link2.beam.material.yield_strength",
    "height": "link3.beam.segment1.section.height", "drive": "joint2.compliance.drive", "length": "link1.length",
    "payload": "payload.mass",
}


SAME_SECTIONS = [name for name in KEYS if name != "height"]
"""With another bar the mass center of its link, where it has a section, is elsewhere."""


def drawn(count: int, seed: int, names: Iterable[str] = KEYS) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = made.__kwdefaults__
    return {name: own[name] * rng.uniform(0.7, 1.3, count) for name in names}


def parts(result: Any) -> list[np.ndarray]:
    if isinstance(result, (np.ndarray, float)):
        return [np.asarray(result)]
    if hasattr(result, "force"):
        return [result.force, result.torque]
    if isinstance(result, tuple):
        return [part for each in result for part in parts(each)]
    return [part for each in vars(result).values() for part in parts(each)] if hasattr(result, "__dict__") else []


def agrees(family: Family[Any], arms: list[Any], name: str, arrays: list[Any], **options: Any) -> None:
    """The numbers of a family and those of the arms by their own equations, which are not compiled."""
    found = parts(getattr(family, name)(*arrays, **options))
    for k, arm in enumerate(arms):
        for part, wanted in zip(found, parts(getattr(arm, name).uncompiled(*arrays, **options)), strict=True):
            if wanted.dtype.kind != "f":
                continue
            assert np.abs(part[k] - wanted).max() <= 1e-13 * max(float(np.abs(wanted).max()), 1e-300), (name, k)


@pytest.mark.parametrize("name", [
    "small_deflection", pytest.param("section_buckling", marks=pytest.mark.slow), "joint_wrenches"])
def test_arms_that_are_made_anew(name: str) -> None:
    numbers = drawn(4, 1, SAME_SECTIONS if "section" in name else KEYS)
    family = made().family({KEYS[key]: values for key, values in numbers.items()})
    arms = [made(**{key: float(values[k]) for key, values in numbers.items()}) for k in range(4)]
    agrees(family, arms, name, list(np.random.default_rng(2).normal(size=(3, 2, 3))))


@pytest.mark.slow
def test_a_thousand_arms_in_every_quantity_of_beams() -> None:
    numbers = drawn(1000, 3, SAME_SECTIONS)
    family = made().family({KEYS[key]: values for key, values in numbers.items()})
    arms = [made(**{key: float(values[k]) for key, values in numbers.items()}) for k in range(1000)]
    states = list(np.random.default_rng(4).normal(size=(3, 1, 3)))
    for name in ("small_deflection", "section_actions", "section_stresses", "section_buckling", "dead_loads",
                 "joint_wrenches", "inverse_dynamics"):
        agrees(family, arms, name, states)
    agrees(family, arms, "compliance", states[:1], link="tip")
    agrees(family, arms, "mass_matrix", states[:1])


@pytest.mark.slow
def test_every_compiled_quantity() -> None:
    """Whatever an arm with beams has, but what reads numbers that are folded in, which is refused by name."""
    numbers = drawn(3, 6, SAME_SECTIONS)
    family = made().family({KEYS[key]: values for key, values in numbers.items()})
    arms = [made(**{key: float(values[k]) for key, values in numbers.items()}) for k in range(3)]
    rng = np.random.default_rng(7)
    refused = []
    for name, quantity in quantities_of(made()).items():
        if "derivatives" in name or name == "jacobian_dot":  # which have no equations for batches of NumPy
            continue
        method = getattr(made(), name)
        operands = method.operands(Variant())[0]
        arrays = [rng.uniform(-0.01, 0.01, (2, *operand.shape)) for operand in operands]
        options = {"link": "tip"} if quantity.takes_link else {}
        try:
            agrees(family, arms, name, arrays, **options)
        except ValueError as problem:
            if "beams, or wheels" in str(problem):
                refused.append(name)
                continue
            with pytest.raises(ValueError, match=re.escape(str(problem)[:60])):  # which the arms refuse as well
                getattr(arms[0], name).uncompiled(*arrays, **options)
    assert refused == ["load_shift"]


def test_the_deflection_of_a_cantilever_by_hand() -> None:
    """F L^3 / 3 E I with the second moment of each tube, the load at its end; and the mass of its wall."""
    wall = np.array([0.001, 0.002, 0.004])
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")}, inertia_from_beams=True)
    family = arm.family({"link1.beam.section.wall": wall})
    second = np.pi / 4 * (0.02**4 - (0.02 - wall) ** 4)
    compliance = family.compliance([0.0], effects=("bending",))
    assert np.allclose(compliance[:, 2, 2] * 3 * 210e9 * second, 1.0, rtol=1e-12)
    area = np.pi * (0.02**2 - (0.02 - wall) ** 2)
    assert np.allclose(family.gravity_forces([0.0])[:, 0], 9.81 * 7850 * area / 2, rtol=1e-12)
    sag = family.deflection([0.0], effects=["bending"]).tip.displacement[:, 2]
    assert np.allclose(sag * 8 * 210e9 * second, -9.81 * 7850 * area, rtol=1e-12)


def test_a_link_keeps_its_mass_unless_it_is_its_beams() -> None:
    arm = made(from_beams=False)
    family = arm.family({"link1.beam.section.wall": [0.002, 0.003]})
    assert np.ptp(family.gravity_forces([0.0, 0.0, 0.0]), axis=0).max() == 0.0
    agrees(family, [made(wall=wall, from_beams=False) for wall in (0.002, 0.003)], "small_deflection",
           [np.zeros((1, 3))] * 3)


def test_designs_that_are_cut_elsewhere_have_a_program_of_their_own() -> None:
    """A link that weighs more than its beam has a lump, held at its mass center; one that is its beam has none."""
    masses = [float(made().link("link1").inertia.mass), 7.0, 9.0]
    family = made().family({"link1.mass": masses})
    arms = [family.robot_of(k) for k in range(3)]
    agrees(family, arms, "small_deflection", [np.full((1, 3), 0.3)] * 3)
    assert len(family.small_deflection.layouts) > 1


def of_each(family: Family[Any], name: str, *arguments: Any, **options: Any) -> list[Any]:
    return [getattr(family.robot_of(k), name)(*arguments, **options) for k in range(len(family))]


def together(result: Any, each: list[Any], names: Iterable[str]) -> None:
    """Arrays of the result of all designs against those of each."""
    for name in names:
        parts = result, *each
        for step in name.split("."):
            parts = tuple(getattr(part, step) for part in parts)
        found, wanted = parts[0], np.stack([np.asarray(part) for part in parts[1:]])
        shape = np.broadcast_shapes(np.shape(found), wanted.shape)
        assert np.array_equal(np.isfinite(found), np.broadcast_to(np.isfinite(wanted), shape)), name
        finite = np.isfinite(wanted)
        np.testing.assert_allclose(np.where(finite, found, 0), np.where(finite, wanted, 0), rtol=1e-12, err_msg=name)


def test_deflection_and_stress_of_all_designs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made of any design; sections, walls and what they bear are each design's own."""
    tube = lp.Beam(lp.Tube(0.04, 0.003), lp.STEEL, end="joint2")
    box = lp.Beam(lp.RectangularTube(0.06, 0.08, 0.004), lp.materials["S355"], end="tip_joint")
    arm = lp.catalog.planar(2).with_payload(2.0).with_beams({"link1": tube, "link2": box}, inertia_from_beams=True)
    family = arm.family({
        "link1.length": [1.0, 1.2, 0.9, 1.0], "link1.beam.section.wall": [0.003, 0.0002, 0.004, 0.003],
        "link2.beam.section.wall": [0.004, 0.001, 0.004, 0.002], "payload.mass": [2.0, 2.0, 0.0, 5.0],
        "link2.beam.material.yield_strength": [355e6, 235e6, 300e6, 355e6]})
    states = np.random.default_rng(8).normal(size=(3, 5, 2))
    pushed = {"external": {"payload": lp.Wrench((3.0, 0, 5.0), (0, 1.0, 0))}, "gravity": (0.0, 1.0, -9.0)}
    bent, stressed = of_each(family, "deflection", *states, **pushed), of_each(family, "stress", *states, **pushed)
    with monkeypatch.context() as patched:
        patched.setattr(Family, "robot_of", None)
        deflection, stress = family.deflection(*states, **pushed), family.stress(*states, **pushed)
    assert deflection.displacement.shape == (4, 5, 5, 3) and stress.von_mises.shape[:2] == (4, 5)
    together(deflection, bent, ["displacement", "rotation", "tip.displacement"])
    together(stress, stressed, ["axial", "bending", "shear", "torsion", "von_mises", "safety", "local", "yields"])
    for part in ("positions", "critical_loads", "areas", "yield_strengths", "local_bending", "local_compression"):
        found = getattr(stress.sections, part)
        assert all(np.allclose(found[k], getattr(stressed[k].sections, part), rtol=1e-12, equal_nan=True)
                   for k in range(4)), part
    least = min(stressed, key=lambda each: each.worst.safety).worst
    assert stress.worst[:4] == pytest.approx(least[:4]) and stress.worst.state[1:] == least.state
    together(stress.of("link2"), [each.of("link2") for each in stressed], ["safety", "local"])
    paired = family.at({"payload.mass": 2.0}, paired=True)
    alone = paired.robot_of(2).deflection(*states[:, 2]).displacement
    assert np.allclose(paired.deflection(*states[:, :4]).displacement[2], alone, rtol=1e-12)
    assert family.deflection([0.1, 0.2]).displacement.shape == (4, 5, 3)


def test_stresses_of_designs_whose_numbers_are_no_formula() -> None:
    """Columns in steps, whose critical load is an eigenvalue; and a beam in a guide: of each design by itself."""
    stepped = lp.Beam(segments=[(0.5, lp.Rod(0.02), lp.STEEL), (0.5, lp.Rod(0.01), lp.STEEL)], end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": stepped}, inertia_from_beams=True)
    family = arm.family({"link1.beam.segment1.section.radius": [0.02, 0.03]})
    states = np.array([[0.1], [0.5]])
    each = of_each(family, "stress", states)
    together(family.stress(states), each, ["von_mises", "safety"])
    assert family.stress(states).sections.critical_loads[1, 0, 0] == each[1].sections.critical_loads[0]
    motion = lp.Motion.through(arm, [[0.0], [1.0]], [0, 1]).with_loads([lp.Carried(2.0, from_=0.3)])
    together(family.stress(motion), of_each(family, "stress", motion), ["von_mises"])
    together(family.deflection(motion), of_each(family, "deflection", motion), ["displacement"])


def test_methods_of_each_design() -> None:
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")}, inertia_from_beams=True)
    family = arm.family({"link1.beam.section.wall": [0.002, 0.003, 0.004]})
    states = np.zeros((2, 1))
    stress = family.stress(states)
    assert np.array_equal(stress.von_mises, family.section_stresses(states, states, states)[-1])
    safety = family.buckling_safety(states)
    assert safety.safety.shape[:2] == (3, 2)
    assert safety.each[1].worst == family.robot_of(1).buckling_safety(states).worst
    stiff = family.stiffness([0.0], effects=["bending", "torsion", "extension"])[2]
    assert np.allclose(stiff[0, 0], 210e9 * family.robot_of(2).beams[0][1].section.area, rtol=1e-11)


def test_sensitivity_by_complex_step_of_a_tube() -> None:
    """Of a cantilever's compliance by its wall, whose formula takes complex numbers."""
    arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")})
    slope = arm.family(["link1.beam.section.wall"]).sensitivity("compliance", [0.0], effects=("bending",))
    inner = 0.018 - 1e-30j
    wanted = (1 / (3 * 210e9 * np.pi / 4 * (0.02**4 - inner**4))).imag / 1e-30
    assert abs(slope["link1.beam.section.wall"][2, 2] / wanted - 1) < 1e-12  # type: ignore[index]


@pytest.mark.parametrize(("numbers", "words"), [
    ({"link1.beam.section.wal": [0.003]}, "did you mean 'link1.beam.section.wall'"),
    ({"link1.beam.section.wall": [0.003, 0.05]}, r"design 1: wall of a tube is 0.05 m: expected less than its outer"),
    ({"link1.beam.section.wall": [0.003, np.nan]}, "not finite"),
    ({"link1.beam.section.wall": [-0.003]}, "has the number -0.003"),
    ({"link1.beam.section.wall": [0.003, 0.002], "payload.mass": [1.0, 2.0, 3.0]}, "batch shapes do not go together"),
    ({"link1.beam.material.yield_strength": [1e12]}, "design 0: ultimate strength"),
])
def test_numbers_that_no_beam_has(numbers: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made().family(numbers)


def test_a_robot_without_beams_says_so() -> None:
    with pytest.raises(ValueError, match="has no beams"):
        lp.catalog.planar(2).family(["link1.beam.section.wall"])
    with pytest.raises(ValueError, match="has no compliant joints"):
        lp.catalog.planar(2).family(["joint1.compliance.drive"])


def test_the_exports_take_the_numbers_of_beams() -> None:
    casadi = pytest.importorskip("casadi")
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")}, inertia_from_beams=True)
    keys = ["link1.beam.section.wall", "link1.beam.material.youngs_modulus", "link1.length"]
    numbers = [0.004, 1.9e11, 1.3]
    wanted = arm.family({key: [number] for key, number in zip(keys, numbers, strict=True)}).small_deflection(
        [0.3], [0.1], [0.2])
    found = arm.casadi_function("small_deflection", parameters=keys)([0.3], [0.1], [0.2], *numbers)
    assert isinstance(found[0], casadi.DM)
    for part, number in zip(found, wanted, strict=True):
        assert np.abs(np.array(part) - number[0]).max() <= 1e-13 * max(float(np.abs(number).max()), 1e-300)
    assert "link1_beam_section_wall" in arm.c_source("small_deflection", parameters=keys)
    with pytest.raises(ValueError, match=r"did you mean 'link1\.beam\.section\.wall'"):
        arm.c_source("small_deflection", parameters=["link1.beam.section.wal"])


def test_families_of_arms_that_are_made_with_other_beams() -> None:
    walls = (0.002, 0.003, 0.005)
    arms = [lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Tube(0.02, wall), lp.STEEL, end="tip_joint")},
                                            inertia_from_beams=True) for wall in walls]
    family = lp.Family(arms)
    assert "link1.beam.section.wall" in family.names
    agrees(family, arms, "small_deflection", [np.full((1, 1), 0.3)] * 3)
    other = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.02), lp.STEEL, end="tip_joint")})
    with pytest.raises(ValueError, match="their beams differ"):
        lp.Family([arms[0], other])


def test_another_payload_compiles_nothing_for_beams() -> None:
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")}, inertia_from_beams=True)
    of = [shared_kernel(arm.with_payload(mass), arm.compliance.quantity, Variant(link="payload"))
          for mass in (1.0, 2.0)]
    assert of[0] is not None and of[1] is not None
    assert of[0].ufunc is of[1].ufunc


def test_a_telescope_takes_payloads_as_arguments_and_refuses_the_numbers_of_its_beams() -> None:
    boom = lp.Robot("boom", [
        lp.Link("base"), lp.Link("outer", lp.Inertia(40.0, (2.0, 0, 0), np.eye(3))),
        lp.Link("inner", lp.Inertia(20.0, (-1.0, 0, 0), np.eye(3))), lp.Link("hook", lp.Inertia(300.0)),
    ], [
        lp.Joint("luff", "base", "outer", lp.Revolute((0, -1, 0))),
        lp.Joint("slide", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(3.9, 0, 0)),
                 limits=lp.Limits(lower=0.0, upper=3.0)),
        lp.Joint("end", "inner", "hook", lp.Fixed(), lp.Pose(translation=(0.2, 0, 0))),
    ])
    beams = {"outer": lp.Beam(lp.RectangularTube(0.2, 0.3, 0.01), lp.STEEL, end=(4.0, 0, 0)),
             "inner": lp.Beam(lp.RectangularTube(0.15, 0.25, 0.01), lp.STEEL, start=(-3.8, 0, 0), end="end",
                              guide=lp.Guide(front=0.0, tail=-3.6))}
    crane = boom.with_beams(beams)
    family = crane.family({"hook.mass": [100.0, 300.0]})
    arms = [replace(crane, links=(*crane.links[:3], lp.Link("hook", lp.Inertia(mass)))) for mass in (100.0, 300.0)]
    agrees(family, arms, "small_deflection", [np.array([[0.3, 1.0]]), np.zeros((1, 2)), np.zeros((1, 2))])
    with pytest.raises(ValueError, match=r"small_deflection: inner\.beam\.section\.wall cannot .*slides in a guide"):
        crane.family(["inner.beam.section.wall"]).small_deflection([0.3, 1.0], [0, 0], [0, 0])


def test_results_of_designs_are_copied_and_pair_with_no_states() -> None:
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")}, inertia_from_beams=True)
    walls = {"link1.beam.section.wall": [0.002, 0.003]}
    bent = arm.family(walls).deflection([0.0])
    assert copy.deepcopy(bent).displacement.shape == bent.displacement.shape
    assert copy.deepcopy(arm.family(walls).natural_frequencies([0.0])).each.shape == (2,)
    with pytest.raises(ValueError, match="design by design"):
        arm.family(walls, paired=True).natural_frequencies([[0.0], [0.1]])
