"""Fatigue: counting against ASTM E1049, damage by hand and against pyLife's own Miner, causes, bad input."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.structure.fatigue.damage import TurningPoints, closed_cycles, fkm, goodman, rainflow

ASTM = [-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]
"""ASTM E1049-85, figure 6."""


def counted(cycles: Any) -> dict[float, float]:
    return {float(r): float(cycles.counts[cycles.ranges == r].sum()) for r in sorted(set(cycles.ranges))}


def test_rainflow_counts_the_worked_example_of_astm_e1049() -> None:
    # 5.4.4, table of figure 6: 3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5
    assert counted(rainflow(ASTM, "once")) == {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5}
    # 5.4.5, figure 7, the same history repeating: 3: 1, 4: 1, 7: 1, 9: 1
    repeated = rainflow(ASTM)
    assert counted(repeated) == {3: 1, 4: 1, 7: 1, 9: 1}
    assert dict(zip(repeated.ranges, repeated.means, strict=True)) == {4: 1.0, 3: -0.5, 7: 0.5, 9: 0.5}


def from_its_maximum(history: np.ndarray) -> np.ndarray:
    """Ranges of a repeating history that is started at its maximum, so that nothing is left over."""
    k = int(np.argmax(history))
    start, turn, residue = closed_cycles(np.concatenate([history[k:], history[: k + 1]]))
    ranges = np.append(np.abs(turn - start), residue.max() - residue.min())
    return np.sort(ranges[ranges > 0])


def by_three_points(history: np.ndarray) -> np.ndarray:
    """ASTM E1049-85, 5.4.4, rule by rule: (range, count)."""
    turns = [history[0]]
    for x in history[1:]:
        if x == turns[-1]:
            continue
        if len(turns) > 1 and (x - turns[-1]) * (turns[-1] - turns[-2]) > 0:
            turns[-1] = x
        else:
            turns.append(x)
    found, stack = [], []
    for point in turns:
        stack.append(point)
        while len(stack) >= 3:
            X, Y = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if X < Y:
                break
            if len(stack) == 3:  # Y contains the starting point
                found.append((Y, 0.5))
                stack.pop(0)
            else:
                found.append((Y, 1.0))
                del stack[-3:-1]
    found += [(abs(b - a), 0.5) for a, b in pairwise(stack)]
    return np.array(found).reshape(-1, 2)


def test_rainflow_of_random_histories() -> None:
    rng = np.random.default_rng(3)
    for _ in range(400):
        history = rng.integers(-6, 7, int(rng.integers(2, 40))).astype(float)
        assert_allclose(np.sort(rainflow(history).ranges), from_its_maximum(history))
        once, astm = rainflow(history, "once"), by_three_points(history)
        for r in {*once.ranges, *astm[:, 0]}:
            assert once.counts[once.ranges == r].sum() == astm[astm[:, 0] == r, 1].sum()
        # n repetitions in a row count n times the closed ones
        many = rainflow(np.tile(history, 5))
        assert_allclose(np.sort(many.ranges), np.sort(np.tile(rainflow(history).ranges, 5)))


def test_turning_points_in_blocks_are_those_of_the_whole() -> None:
    rng = np.random.default_rng(4)
    history = rng.integers(-3, 4, (500, 6)).astype(float)  # with many plateaus
    history[:40, 4] = history[40, 4]
    history[:, 5] = 2.0
    whole, blocks = TurningPoints(), TurningPoints()
    whole.add(history.T)
    for first in range(0, 500, 7):
        blocks.add(history[first : first + 7].T)
    for k, (a, b) in enumerate(zip(whole.histories(), blocks.histories(), strict=True)):
        assert a.tolist() == b.tolist()
        assert counted(rainflow(a)) == counted(rainflow(history[:, k]))
        assert counted(rainflow(a, "once")) == counted(rainflow(history[:, k], "once"))
    assert counted(rainflow(history[:, 5])) == {}


def cantilever(material: lp.Material, section: Any = None, mass: float = 20.0) -> lp.FlexibleRobot:
    """A weightless bar of 1 m, 20 mm wide in the plane in which it turns, with a mass at its end."""
    light = replace(material, density=0.0)
    bar = section or lp.Bar(0.02, 0.04)
    return lp.catalog.planar(1).with_payload(mass).with_beams(
        {"link1": lp.Beam(bar, light, end="tip_joint")}, inertia_from_beams=True)


def test_constant_amplitude_by_hand() -> None:
    """A bar that is turned about its own joint against gravity: M = m g L cos q, sigma = M / W, range 2 sigma."""
    arm = cantilever(lp.STEEL)
    turn = np.linspace(0, 2 * np.pi, 721)[:, None]
    found = arm.fatigue(turn, mean_stress="none", miner="original", detail=lp.SNCurve(150e6, 1e6, slope=4.0))
    # At the angle q the weight W = m g bends the bar by W L cos q about z, and presses it by W sin q.
    q, weight = turn[:, 0], 20 * 9.81
    sigma = weight * np.cos(q) * 0.01 / (0.04 * 0.02**3 / 12) - weight * np.sin(q) / (0.02 * 0.04)
    spread = sigma.max() - sigma.min()
    assert_allclose(found.worst.largest_range, spread, rtol=1e-12)
    assert_allclose(found.worst.damage, (spread / 150e6) ** 4 / 1e6, rtol=1e-12)
    assert_allclose(found.worst.life, 1 / found.worst.damage)
    assert_allclose(found.equivalent_stress.max(), spread, rtol=1e-12)  # one cycle a repetition
    notched = arm.fatigue(turn, detail=lp.SNCurve(150e6, 1e6, slope=4.0), stress_concentration={"link1": 2.0})
    assert_allclose(notched.damage, 16 * found.damage, rtol=1e-12)


def pulls(arm: lp.FlexibleRobot, forces: Any) -> lp.SectionHistory:
    """The loads of sections of a beam that is pulled along its axis."""
    count = len(arm.stress([0.0]).sections.links)
    force, moment = np.zeros((len(forces), count, 3)), np.zeros((len(forces), count, 3))
    force[:, :, 0] = np.asarray(forces)[:, None]
    return lp.SectionHistory(force, moment)


def test_two_blocks_of_miner_by_hand() -> None:
    """100 cycles of 120 MPa and 40 of 80 MPa, pulsating from zero, in a bar of 800 mm^2; EN 1993-1-9, category 71."""
    arm, area = cantilever(lp.STEEL), 0.02 * 0.04
    high, low = (pulls(arm, np.array([0.0, s, 0.0]) * area) for s in (120e6, 80e6))
    found = arm.fatigue([(high, 100), (low, 40)], detail=lp.SNCurve.detail(71), cycles=10_000, cycles_per_hour=20)
    by_hand = 100 / (2e6 * (71 / 120) ** 3) + 40 / (2e6 * (71 / 80) ** 3)
    assert_allclose(found.damage, by_hand, rtol=1e-12)
    assert found.fails == (by_hand * 10_000 > 1)
    assert_allclose(found.total, by_hand * 10_000, rtol=1e-12)
    assert_allclose(found.hours, 1 / by_hand / 20, rtol=1e-12)
    assert_allclose(found.largest_range, 120e6, rtol=1e-12)
    assert_allclose(found.counted, 140)


def test_the_change_from_one_motion_to_the_other_is_counted() -> None:
    """Between 0 and 100 MPa in one motion, between -100 and 0 in the other: together -100 to 100, once a round."""
    arm, area = cantilever(lp.STEEL), 0.02 * 0.04
    up, down = (pulls(arm, np.array([0.0, s, 0.0]) * area) for s in (100e6, -100e6))
    curve = lp.SNCurve(100e6, 1e6, slope=3.0)
    found = arm.fatigue([(up, 3), (down, 1)], detail=curve)
    assert_allclose(found.damage, (2 * 1 + 8) / 1e6, rtol=1e-12)  # two of 100 MPa alone, one of 200 MPa
    assert_allclose(found.largest_range, 200e6, rtol=1e-12)


def twists(arm: lp.FlexibleRobot, torques: Any) -> lp.SectionHistory:
    """The loads of sections of a beam that is twisted."""
    count = len(arm.stress([0.0]).sections.links)
    force, moment = np.zeros((len(torques), count, 3)), np.zeros((len(torques), count, 3))
    moment[:, :, 0] = np.asarray(torques)[:, None]
    return lp.SectionHistory(force, moment)


def test_torsion_by_hand() -> None:
    """EN 1993-1-9: base material 100 MPa, welds 80 MPa, slope 5, and the damage of both stresses added."""
    arm, tube = cantilever(lp.STEEL, lp.Tube(0.03, 0.003)), lp.Tube(0.03, 0.003)
    turning = twists(arm, np.array([-150e6, 150e6]) * tube.torsion_modulus)
    found = arm.fatigue(turning)
    assert_allclose(found.damage, 1 / (2e6 * (100 / 300) ** 5), rtol=1e-12)
    assert_allclose(found.shear_damage, found.damage)
    assert_allclose(found.largest_shear_range, 300e6, rtol=1e-12)
    assert_allclose(found.largest_range, 0.0)
    assert_allclose(arm.fatigue(turning, detail=lp.SNCurve.detail(71)).damage, 1 / (2e6 * (80 / 300) ** 5), rtol=1e-12)
    own = lp.SNCurve(50e6, 1e6, slope=4.0)
    given = arm.fatigue(turning, shear_detail=own, stress_concentration=2.0)
    assert_allclose(given.damage, (600 / 50) ** 4 / 1e6, rtol=1e-12)
    assert_allclose(arm.fatigue(turning, detail=own).damage, (300 * math.sqrt(3) / 50) ** 4 / 1e6, rtol=1e-12)
    pulled = pulls(arm, np.array([0.0, 200e6]) * tube.area)
    both = lp.SectionHistory(turning.force + pulled.force, turning.moment + pulled.moment)
    together = arm.fatigue(both)
    assert_allclose(together.damage, found.damage + arm.fatigue(pulled).damage, rtol=1e-12)
    assert_allclose(together.shear_damage, found.damage, rtol=1e-12)
    # FKM: 0.577 of the normal strength, slope 8 to a million cycles, then 25 for aluminium
    light = lp.SNCurve.fkm(310e6, "wrought aluminium")
    assert_allclose(light.in_shear().cycles_at(0.577 * 2 * 0.3 * 310e6 * np.array([2.0, 0.9])),
                    [1e6 / 2**8, 1e6 / 0.9**25])
    below = float(lp.SNCurve.detail(160).in_shear().range_at(1e8))
    assert_allclose(below, 0.457 * 100e6, rtol=1e-3)  # EN 1993-1-9, 7.1 (3)
    assert lp.SNCurve.detail(160).in_shear().cycles_at(below * 0.999) == math.inf


def test_torsion_is_a_cause_of_its_own_share() -> None:
    """A force beside the axis twists a link that hangs on another at a right angle."""
    arm = cantilever(lp.STEEL, lp.Tube(0.03, 0.003), mass=1.0)
    shake = 400 * np.sin(np.linspace(0, 6.3, 60))
    push = {"tip": lp.Wrench(torque=np.stack([shake, 0 * shake, 0 * shake], axis=-1))}
    found = arm.fatigue(np.zeros((60, 1)), external=push)
    assert found.worst.damage > 0
    assert_allclose(found.shear_damage, found.damage)
    assert found.causes["link1"]["external wrench on tip"] == pytest.approx(1.0)
    assert found.causes["link1"]["gravity"] == pytest.approx(0.0, abs=1e-9)


def pylife_damage(curve: lp.SNCurve, cycles: Any, rule: str) -> float:
    """pyLife's own Wöhler curve and Miner sum, of amplitudes."""
    import pylife.strength.fatigue
    import pylife.stress.collective  # noqa: F401

    knee = curve.knee
    SD = float(curve.stress_range * (curve.cycles / knee) ** (1 / curve.slope)) / 2
    woehler = pd.Series({"SD": SD, "ND": knee, "k_1": curve.slope}).fatigue
    made = getattr(woehler, f"miner_{rule}")()
    data = pd.DataFrame({"range": cycles.ranges, "mean": cycles.means, "cycles": cycles.counts})
    return float(made.damage(data.load_collective).sum())


@pytest.mark.parametrize("rule", ["original", "elementary", "haibach"])
def test_damage_is_that_of_pylife(rule: Any) -> None:
    arm, area = cantilever(lp.STEEL), 0.02 * 0.04
    history = np.random.default_rng(5).normal(scale=150e6, size=400)
    curve = lp.SNCurve(300e6, 1e6, slope=5.0, knee=1e6, fully_reversed=True)
    found = arm.fatigue(pulls(arm, history * area), detail=curve, mean_stress="none", miner=rule)
    expected = pylife_damage(curve, rainflow(history), rule)
    assert expected > 0
    assert_allclose(found.damage, expected, rtol=1e-9)


def test_mean_stress_by_fkm_is_that_of_pylife() -> None:
    from pylife.strength.meanstress import five_segment_correction

    rng = np.random.default_rng(6)
    amplitude, mean = rng.uniform(1, 100, 500), rng.normal(scale=200, size=500)
    for M in (0.07, 0.3, 0.53):
        # fields of the stress ratio R: above 1, below 0, to 0.5, and beyond
        expected = five_segment_correction(amplitude, mean, M, M / 3, 0.0, 0.0, 0.0, 0.5, 0.8, -1)
        assert_allclose(fkm(amplitude, mean, M), expected, rtol=1e-12)


def test_mean_stress_by_hand() -> None:
    assert goodman(np.array([50.0, 50.0, 50.0]), np.array([250.0, -250.0, 500.0]), 500.0).tolist() == [
        100,
        50,
        math.inf,
    ]
    arm, area = cantilever(lp.ALUMINIUM), 0.02 * 0.04
    curve = lp.ALUMINIUM.fatigue
    assert curve is not None
    assert_allclose(curve.stress_range / 2, 0.3 * 310e6)
    pulsating = pulls(arm, np.array([0.0, 120e6]) * area)  # R = 0: the amplitude is 60 (1 + M)
    M = 1.0 * 0.31 - 0.04
    found = arm.fatigue(pulsating)
    assert_allclose(found.equivalent_stress, 120e6 * (1 + M), rtol=1e-9)
    assert_allclose(found.damage, 1 / curve.by("haibach").cycles_at(120e6 * (1 + M)), rtol=1e-12)
    by_goodman = arm.fatigue(pulsating, mean_stress="goodman")
    assert_allclose(by_goodman.equivalent_stress, 120e6 / (1 - 60 / 310), rtol=1e-9)


def test_curves() -> None:
    curve = lp.SNCurve.detail(80)
    assert_allclose(curve.cycles_at([160e6, 80e6]), [2.5e5, 2e6])
    assert_allclose(curve.range_at([5e6, 1e8]) / 80e6, [0.4 ** (1 / 3), 0.4 ** (1 / 3) * 0.05 ** (1 / 5)])
    assert_allclose(curve.range_at([5e6, 1e8]) / 80e6, [0.737, 0.405], atol=5e-4)  # EN 1993-1-9, 7.1 (2), (3)
    at = float(curve.range_at(1e8))
    assert_allclose(curve.cycles_at([at * 1.001, at * 0.999, 0.0])[1:], math.inf)
    assert_allclose(curve.cycles_at(at * 1.001), 1e8 / 1.001**5)
    N = np.array([1e4, 2e6, 4.9e6, 2e7, 9e7])
    assert_allclose(curve.cycles_at(curve.range_at(N)), N)
    assert curve.by("haibach") is curve
    assert lp.SNCurve.fkm(500e6).by("original").cycles_at(449e6) == math.inf
    assert_allclose(lp.SNCurve.detail(100, partial_factor=1.35).stress_range, 100e6 / 1.35)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.SNCurve.detail(70), "detail category is 70: expected one of 160, 140"),
        (lambda: lp.SNCurve(100e6, slope=0.2), "slope of .* is 0.2: .* reciprocal: 5"),
        (lambda: lp.SNCurve(100e6, slope=5, knee=1e6, slope_beyond=3), "slope beyond the knee .* is 3.0"),
        (lambda: lp.SNCurve(100e6, knee=1e7, cut_off=1e6), "cut-off .* 1e\\+06 cycles"),
        (lambda: lp.SNCurve(-1e6), "stress range .* is -1000000.0"),
        (lambda: lp.SNCurve(1e8, shear=80e6), "shear range .* is nan"),
        (lambda: lp.SNCurve(1e8, mean_sensitivity=0.1), "not fully_reversed"),
        (lambda: lp.SNCurve(1e8, fully_reversed=True, mean_sensitivity=1.4), "is 1.4: expected 0 to 1"),
        (lambda: lp.SNCurve.fkm(490e6, "wood"), "FKM group is 'wood'"),
        (lambda: lp.Material(2e11, 8e10, yield_strength=3e8, ultimate_strength=2e8), "ultimate strength .* at least"),
        (lambda: lp.Material(210e9, 81e9, fatigue=71), "fatigue of material .* is 71: expected an SNCurve"),
        (lambda: lp.Material(210e9, 81e9, transverse_modulus=1e9), "not orthotropic"),
    ],
)
def test_bad_curves_and_materials(make: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        make()


TURN = np.linspace(0, 3, 20)[:, None]


@pytest.mark.parametrize(
    ("material", "call", "words"),
    [
        (lp.TITANIUM, {}, "link 'link1' is of 'titanium', which has no fatigue data"),
        (lp.STEEL, {"detail": {"link9": lp.SNCurve.detail(71)}}, "detail names 'link9', which has no beam"),
        (lp.STEEL, {"detail": 71}, "detail of link 'link1' is 71: expected an SNCurve"),
        (lp.STEEL, {"stress_concentration": 0.5}, "stress concentration of link 'link1' is 0.5"),
        (lp.STEEL, {"mean_stress": "goodman"}, "counts ranges whatever their mean"),
        (lp.STEEL, {"mean_stress": "soderberg"}, "mean_stress is 'soderberg'"),
        (lp.STEEL, {"miner": "corten"}, "miner is 'corten'"),
        (lp.STEEL, {"counting": "half"}, "counting is 'half'"),
        (lp.STEEL, {"cycles": -1}, "cycles is -1.0"),
        (lp.STEEL, {"q": [0.0]}, r"batch shape \(\)"),
        (lp.STEEL, {"q": [[0.0]]}, "has 1 samples"),
    ],
)
def test_bad_requests(material: lp.Material, call: dict[str, Any], words: str) -> None:
    arm = cantilever(material)
    with pytest.raises(ValueError, match=words):
        arm.fatigue(call.pop("q", TURN), **call)


def test_bad_duty_cycles() -> None:
    arm = cantilever(lp.STEEL)
    swing = lp.Motion.through(arm, [[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match=r"list of \(motion, repeats\)"):
        arm.fatigue([swing, swing])
    with pytest.raises(ValueError, match=r"repeats of motion 1 .* is 0"):
        arm.fatigue([(swing, 2), (swing, 0)])
    with pytest.raises(ValueError, match="no beams"):
        arm.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)}).without_beams().with_beams(
            joint_compliance={"joint1": lp.JointCompliance(drive=1e4)}).fatigue(swing)


def test_states_that_are_not_numbers_are_left_out_and_never_safe() -> None:
    arm = cantilever(lp.STEEL)
    turn = np.linspace(0, 2 * np.pi, 101)[:, None]
    whole = arm.fatigue(turn, cycles=1.0)
    assert not whole.fails
    turn[[3, 40]] = np.nan
    with pytest.warns(lp.ModelWarning, match=r"fatigue: 2 of 101 states are not numbers \(3, 40\): left out"):
        found = arm.fatigue(turn, cycles=1.0)
    assert found.fails
    assert np.flatnonzero(found.unknown[0]).tolist() == [3, 40]
    assert_allclose(found.largest_range, whole.largest_range)
    assert "2 of 101 states are not numbers" in found.table()
    with pytest.warns(lp.ModelWarning, match="101 of 101"):
        none = arm.fatigue(np.full((101, 1), np.nan), cycles=1.0)
    assert none.fails
    assert np.isnan(none.damage).all()
    with pytest.raises(ValueError, match="only states that are not numbers"):
        none.worst  # noqa: B018


def test_causes_are_what_is_left_without_them() -> None:
    arm = lp.catalog.planar(2, mass=4.0).with_payload(5.0).with_beams(
        {link: lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end=end)
         for link, end in (("link1", "joint2"), ("link2", "tip_joint"))})
    motion = lp.Motion.through(arm, [[0.0, 0.0], [1.0, 1.5], [0.0, 0.0]], [0.0, 0.5, 1.0])
    push = {"tip": lp.Wrench(force=(0.0, 0.0, 30.0))}
    curve = lp.SNCurve(100e6, slope=3.0)
    found = arm.fatigue(motion, external=push, detail=curve)
    row = int(np.argmax(np.where(np.array(found.fibres.links) == "link1", found.damage, -1)))
    name = list(found.causes["link1"])
    assert {"gravity", "speeds of the joints", "acceleration of joint1", "acceleration of joint2",
            "external wrench on tip", "mass of payload"} == set(name)
    off = arm.with_gravity((0.0, 0.0, 0.0)).fatigue(motion, external=push, detail=curve)
    assert_allclose(found.causes["link1"]["gravity"], 1 - off.damage[row] / found.damage[row], atol=1e-9)
    free = arm.fatigue(motion, detail=curve)
    assert_allclose(
        found.causes["link1"]["external wrench on tip"], 1 - free.damage[row] / found.damage[row], atol=1e-9
    )
    light = arm.without_payload().with_payload(1e-3)
    less = light.fatigue(motion, external=push, detail=curve)
    assert_allclose(found.causes["link1"]["mass of payload"], 1 - less.damage[row] / found.damage[row], atol=1e-3)
    still = arm.fatigue(motion.q, motion.qd, motion.qdd * [0, 1], external=push, detail=curve)
    assert_allclose(
        found.causes["link1"]["acceleration of joint1"], 1 - still.damage[row] / found.damage[row], atol=1e-9
    )


def test_a_moving_base_is_a_cause() -> None:
    arm = cantilever(lp.STEEL)
    shake = np.zeros((50, 6))
    shake[:, 2] = 30 * np.sin(np.linspace(0, 6, 50))
    found = arm.fatigue(np.zeros((50, 1)), base_acceleration=shake, detail=lp.SNCurve(50e6))
    assert found.causes["link1"]["motion of the base"] == pytest.approx(1.0)
    assert found.causes["link1"]["gravity"] == pytest.approx(0.0, abs=1e-9)


def test_round_sections_are_looked_at_all_around() -> None:
    arm = cantilever(lp.STEEL, lp.Tube(0.03, 0.003))
    found = arm.fatigue(np.linspace(0, 6.3, 300)[:, None])
    assert len(found.fibres.links) == 24 * len(arm.stress([0.0]).sections.links)
    stress = arm.stress(np.linspace(0, 6.3, 300)[:, None])
    assert_allclose(found.largest_range.max(), 2 * stress.bending.max(), rtol=0.02)


def test_results_print_plot_and_travel() -> None:
    arm = cantilever(lp.STEEL, lp.Tube(0.03, 0.003), mass=60.0)
    found = arm.fatigue(TURN, detail=lp.SNCurve.detail(71))
    again = pickle.loads(pickle.dumps(found))
    assert_allclose(again.damage, found.damage)
    assert again.causes == found.causes
    assert set(found.to_dataframe().columns) >= {"link", "position", "fibre", "damage", "life"}
    assert "damage of one repetition" in found.plot().layout.title.text
    assert "link1" in found.table()
    with pytest.raises(ValueError, match="give cycles="):
        found.fails  # noqa: B018
    with pytest.raises(ValueError, match="cycles_per_hour="):
        found.hours  # noqa: B018


def test_without_pylife_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pylife.stress", None)
    with pytest.raises(ImportError, match=r"pip install loadpath\[fatigue\]"):
        cantilever(lp.STEEL).fatigue(TURN)


def test_the_catalogue_of_materials() -> None:
    assert lp.materials["S355"].yield_strength == 355e6
    for name, material in lp.materials.items():
        assert material.name == name
        assert material.source
        assert material.ultimate_strength is None or material.ultimate_strength >= material.yield_strength
        if material.fatigue is None:
            assert "no fatigue data" in material.source
    with pytest.raises(KeyError, match="did you mean '6082-T6'"):
        lp.materials["6082"]
    # by the FKM guideline 0.3 R_m; ASM's typical values at 5e8 cycles are 95, 160 and 140 MPa
    for name, typical in (("6061-T6", 95e6), ("7075-T6", 160e6), ("2024-T3", 140e6)):
        curve = lp.materials[name].fatigue
        assert curve is not None
        assert_allclose(curve.stress_range / 2, typical, rtol=0.07)


def test_carbon_laminates_are_those_of_laminate_theory() -> None:
    E1, E2, G, nu = 135.0, 10.0, 5.0, 0.3
    d = 1 - nu * nu * E2 / E1
    Q = np.array([[E1 / d, nu * E2 / d, 0], [nu * E2 / d, E2 / d, 0], [0, 0, G]])

    def turned(angle: float) -> np.ndarray:
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        stress = np.array([[c * c, s * s, 2 * c * s], [s * s, c * c, -2 * c * s], [-c * s, c * s, c * c - s * s]])
        strain = np.diag([1, 1, 2]) @ stress @ np.diag([1, 1, 0.5])
        return np.linalg.inv(stress) @ Q @ strain

    for name, angles in (("carbon quasi-isotropic", (0, 45, -45, 90)), ("carbon +-45", (45, -45))):
        S = np.linalg.inv(np.mean([turned(angle) for angle in angles], axis=0))
        made = lp.materials[name]
        assert_allclose([made.youngs_modulus / 1e9, made.shear_modulus / 1e9], [1 / S[0, 0], 1 / S[2, 2]], rtol=3e-3)


def test_fibres_of_a_telescope_stay_with_the_material() -> None:
    """A boom that extends and retracts: by hand in a section of the inner beam, which is loaded beyond the front pad
    by the hook's weight, and before it by the pads.
    """
    light = replace(lp.STEEL, density=0.0)
    links = (lp.Link("base"), lp.Link("outer"), lp.Link("inner"), lp.Link("hook", lp.Inertia(500.0)))
    joints = (
        lp.Joint("luff", "base", "outer", lp.Revolute((0, -1, 0))),
        lp.Joint("slide", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(4, 0, 0)),
                 limits=lp.Limits(lower=0, upper=3.5)),
        lp.Joint("tip", "inner", "hook", lp.Fixed()),
    )
    box = lp.RectangularTube(0.2, 0.3, 0.01)
    arm = lp.Robot("boom", links, joints).with_beams({
        "outer": lp.Beam(box, light, end="slide"),
        "inner": lp.Beam(box, light, start=(-4, 0, 0), end=(0, 0, 0), guide=lp.Guide(front=0.0, tail=-3.8)),
    })
    extension = np.concatenate([np.linspace(0, 3, 301), np.linspace(3, 0, 301)])
    states = np.stack([np.zeros(602), extension], axis=-1)
    found = arm.fatigue(states, detail=lp.SNCurve(50e6, slope=3.0))
    weight = 500 * 9.81
    inner = np.array(found.fibres.links) == "inner"
    places = np.unique(found.fibres.positions[inner])
    assert len(places) >= 9
    for place in places[(places > 0.3) & (places < 3.9)]:  # m from the start of the inner beam: 4 - place from the hook
        rows = np.flatnonzero(inner & (found.fibres.positions == place))
        lever, front, tail = 4 - place, extension, 3.8  # from the hook to the section, the front pad, the tail pad
        moment = np.where(lever < front, lever, np.where(lever < tail, front * (tail - lever) / (tail - front), 0.0))
        expected = weight * (moment.max() - moment.min()) * 0.15 / box.second_moment_y
        assert_allclose(max(found.largest_range[rows]), expected, rtol=1e-9)
        assert_allclose(max(found.damage[rows]), (expected / 50e6) ** 3 / 2e6, rtol=1e-9)


def test_vibration_counts_too() -> None:
    """What `respond` returns: the largest stress is that of its own stresses, and the ringing adds cycles."""
    arm = lp.catalog.planar(1, mass=5.0).with_payload(10.0).with_beams(
        {"link1": lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint")})
    swing = lp.Motion.through(arm, [[0.0], [0.8]], [0.0, 0.25])
    response = arm.respond(swing, damping=0.02)
    history, stress = response.section_history(9), response.stress(9)
    tube = lp.Tube(0.03, 0.003)
    bending = np.hypot(history.moment[..., 1], history.moment[..., 2]) * 0.03 / tube.second_moment_y
    assert_allclose(bending, stress.bending, atol=1e-6 * stress.bending.max())
    assert_allclose(history.force[..., 0] / tube.area, stress.axial, atol=1e-6 * stress.bending.max())
    curve = lp.SNCurve(100e6, slope=5.0)
    shaking, calm = arm.fatigue(response, detail=curve), arm.fatigue(swing, detail=curve)
    assert shaking.worst.damage > 1.5 * calm.worst.damage
    assert shaking.counted.max() > 5 * calm.counted.max()
    again = arm.fatigue([(response, 1), (swing, 1)], detail=curve)
    assert again.worst.damage > shaking.worst.damage
    with pytest.raises(ValueError, match="known for motions of q, qd and qdd alone"):
        shaking.causes  # noqa: B018
