"""Vibration and buckling of arms with guides: against statics, finite elements with sliding constraints, geometrically
exact rods in exact contact, and equations by hand.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import slender
from exact_telescope import second_work
from frame_of_arm import properties
from frame_with_guides import GuidedFrame
from numpy.testing import assert_allclose
from scipy.linalg import eigh, null_space
from scipy.optimize import brentq
from telescopes import STROKE, telescope
from test_guides import rail

import loadpath as lp
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

RAILS = [
    (lp.Guide(at=0.1, spacing=0.6), False, True),
    (lp.Guide(at=0.1, spacing=0.6, along="front", torsion="front"), True, True),
    (lp.Guide(at=0.2), True, True),
    (lp.Guide(at=0.1, spacing=0.6, pads_on="child"), True, False),
    (lp.Guide(at=-0.2, pads_on="child"), True, True),
    (lp.Guide(at=-0.2, pads_on="child"), False, True),
]


def on_rails(guide: lp.Guide, outer: bool, inner: bool, drive: float | None = None) -> lp.FlexibleRobot:
    """`rail`, whose drive may give way."""
    arm = rail(lp.Prismatic((1, 0, 0)), guide, outer=outer, inner=inner)
    if drive is None:
        return arm
    compliance = {"slide": lp.JointCompliance(drive=drive)}
    robot = lp.Robot(arm.name, arm.links, arm.joints)
    return robot.with_beams(dict(arm.beams), guides={"slide": guide}, joint_compliance=compliance)


def at_rest(arm: Any, q: Any) -> tuple[Any, Any, Any]:
    q = np.atleast_2d(np.asarray(q, dtype=float))
    return q, np.zeros((len(q), arm.n)), np.zeros((len(q), arm.n))


# Statics: the coordinates under load are the forces on them


def compare_statics(arm: Any, states: Any, external: Any = None) -> None:
    placed: Any = vibration_model(arm, EFFECTS, 5).at(states[0])
    f = generalized_forces(placed, dead_loads(arm, states, LoadCase(external)))
    moved, turned = placed.frame_motions(f[:, None])
    found = arm.deflection(*states, external=external)
    for ours, theirs in ((moved[:, 0], found.displacement), (turned[:, 0], found.rotation)):
        assert_allclose(ours, theirs, rtol=0, atol=1e-11 * np.abs(theirs).max())


@pytest.mark.parametrize(
    "case",
    [
        pytest.param({"seed": 5, "reverse": True, "guides": {"along": "front"}, "stepped": True},
                     marks=pytest.mark.slow),
        {"seed": 5, "guides": {"torsion": "front"}, "inner_steps": True, "offset": -0.1, "stages": 2},
    ],
    ids=str,
)
def test_telescopes_at_rest_are_those_of_deflection(case: dict[str, Any]) -> None:
    arm, rng = telescope(**{"stages": 3, **case}), np.random.default_rng(0)
    q = np.array([[0.4, a, b] for a, b in ((0.0, 3.0), (1.2, 0.7), (3.0, 0.4), (3.0, 3.0))])[:, : arm.n]
    q[:, 1:] *= -1.0 if case.get("reverse") else 1.0
    push = {"stage2": lp.Wrench((300, -200, 100), (10, 20, 30)), "hook": lp.Wrench((100, 300, -500), (50, -20, 40))}
    compare_statics(arm, (q, *rng.uniform(-0.5, 0.5, (2, 4, arm.n))), push)


@pytest.mark.parametrize("drive", [None, 2e5])
@pytest.mark.parametrize(("guide", "outer", "inner"), RAILS, ids=str)
def test_rails_at_rest_are_those_of_deflection(guide: Any, outer: bool, inner: bool, drive: float | None) -> None:
    arm = on_rails(guide, outer, inner, drive)
    q = np.array([[0.3, slide, -0.7] for slide in (0.4, 1.3, 2.5)])
    compare_statics(arm, (q, np.tile([0.5, 0.3, -0.2], (3, 1)), np.tile([0.2, 0.4, 0.9], (3, 1))))


def test_compliance_is_the_sum_of_squares_of_the_coordinates() -> None:
    arm = telescope(2, 7, offset=0.1)
    q = np.array([[0.3, 1.4]])
    model: Any = vibration_model(arm, EFFECTS, 4)
    moved, turned = model.at(q).frame_motions(np.eye(model.size)[None])
    for link in ("hook",):
        k = arm.link_names.index(link)
        B = np.concatenate([moved[0, :, k], turned[0, :, k]], axis=-1)
        assert_allclose(B.T @ B, arm.compliance(q[0], link), rtol=0, atol=1e-12 * np.abs(B.T @ B).max())


def test_a_drive_lags_under_the_load_that_it_carries() -> None:
    links = (lp.Link("base"), lp.Link("post", lp.Inertia(100.0, (0, 0, 1.5), np.eye(3).tolist())),
             lp.Link("slider", lp.Inertia(50.0, (0, 0, 0), np.eye(3).tolist())))
    joints = (lp.Joint("turn", "base", "post", lp.Revolute((0, 0, 1))),
              lp.Joint("slide", "post", "slider", lp.Prismatic((0, 0, 1)),
                       limits=lp.Limits(lower=0.4, upper=2.0)))
    arm = lp.Robot("lift", links, joints).with_beams(
        {"post": lp.Beam(lp.Bar(0.05, 0.08), lp.STEEL, end=(0, 0, 3))},
        guides={"slide": lp.Guide(at=0.0, spacing=0.4, pads_on="child")},
        joint_compliance={"slide": lp.JointCompliance(drive=1e5)},
    )
    found = arm.deflection([0, 1.0], effects=["joints"]).displacement[-1]
    assert_allclose(found, [0, 0, -50 * 9.81 / 1e5], atol=1e-12)
    frequency = arm.natural_frequencies([0, 1.0], 1, effects=["joints"]).frequencies
    assert_allclose(frequency, np.sqrt(1e5 / 50) / (2 * np.pi), rtol=1e-9)


# Frequencies against finite elements


def fe_frequencies(arm: Any, q: Any, pieces: int, count: int) -> Any:
    """Of a frame with sliding constraints; the rotary inertia of the sections is on the beams, not in the lumps."""
    still = np.zeros(arm.n)
    frame = GuidedFrame(arm, np.array(q, dtype=float), still, still, pieces=pieces)
    K, C = frame.matrices()
    moved: dict[str, Any] = {}
    for number, (a, b, p, y) in enumerate(frame.frame.beams):
        link = frame.of_beam[number]
        segments = (properties(s) for s, _, _ in frame._segments(dict(arm.beams)[link], frame._line(link)[3]))  # type: ignore[index]
        own = next(s for s in segments if np.isclose(s.EA, p.EA))
        p.rotary_y, p.rotary_z = own.rotary_y, own.rotary_z
        T, L = frame.frame._axes(a, b, y)
        R = T[:3, :3]
        moments = L * np.array([p.rotary_y + p.rotary_z, p.rotary_y, p.rotary_z])
        moved[link] = moved.get(link, 0.0) + R.T @ np.diag(moments) @ R
    for node, link, center, mass, about in frame.lumps:
        frame.frame.body(node, center, mass, about - moved.get(link, 0.0))
    Z = null_space(C)
    values = eigh(Z.T @ frame.frame.mass() @ Z, Z.T @ K @ Z, eigvals_only=True)
    return 1 / np.sqrt(values[::-1][:count]) / (2 * np.pi)


@pytest.mark.parametrize(
    ("stages", "case"),
    [
        (2, {"seed": 1}),
        pytest.param(3, {"seed": 2}, marks=pytest.mark.slow),
        (2, {"seed": 3, "inner_steps": True, "offset": -0.1, "guides": {"torsion": "front", "along": "front"}}),
    ],
    ids=str,
)
def test_frequencies_of_telescopes_in_space(stages: int, case: dict[str, Any]) -> None:
    arm = telescope(stages, **case)
    for share in (0.0, 0.37) if stages == 2 else (0.6,):
        q = [0.4, *(STROKE * share,) * (stages - 1)]
        found = arm.natural_frequencies(q, 4, loaded=False, tolerance=1e-8).frequencies
        coarse, fine = (fe_frequencies(arm, q, pieces, 4) for pieces in (16, 32))
        assert_allclose(found[:2], fine[:2], rtol=1e-7)
        assert_allclose(found, (4 * fine - coarse) / 3, rtol=2e-6)


# Geometric stiffness against exact rods


def compare_stiffness(arm: Any, state: Any, steps: int = 12) -> None:
    states = tuple(np.array([part], dtype=float) for part in state)
    model: Any = vibration_model(arm, EFFECTS, 3)
    placed = model.at(states[0])
    K = geometric_stiffness(placed, dead_loads(arm, states, LoadCase()))[0]
    assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())
    _, vectors = np.linalg.eigh(K)
    directions = np.concatenate([vectors[:, [0, 1, -1]].T, np.random.default_rng(1).normal(size=(2, model.size))])
    moved = placed.frame_motions(directions[None])[0]
    directions = directions / np.abs(moved[0]).max(axis=(1, 2))[:, None]
    ours = np.einsum("di,ij,dj->d", directions, K, directions)
    theirs = -second_work(model, state, directions, steps=steps)
    assert_allclose(ours, theirs, rtol=1e-4, atol=3e-6 * np.abs(ours).max())


@pytest.mark.parametrize(
    "case",
    [
        {"stages": 2, "seed": 1, "guides": {"torsion": "front"}},
        pytest.param({"stages": 3, "seed": 5, "reverse": True, "stepped": True, "guides": {"along": "front"}},
                     marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_geometric_stiffness_of_telescopes_in_motion(case: dict[str, Any]) -> None:
    arm = telescope(**case)
    sign = -1.0 if case.get("reverse") else 1.0
    slides, rates = [sign * 1.3, sign * 0.4][: case["stages"] - 1], [0.3, 0.2, 0.1][: case["stages"]]
    compare_stiffness(arm, ([0.5, *slides], rates, [0.1, -0.5, 0.3][: case["stages"]]), steps=8)


@pytest.mark.parametrize(("guide", "outer", "inner"), [RAILS[1], RAILS[3]], ids=str)
def test_geometric_stiffness_with_drives_that_give_way(guide: Any, outer: bool, inner: bool) -> None:
    compare_stiffness(on_rails(guide, outer, inner, 2e5), ([0.3, 1.3, -0.7], [0.5, 0.3, -0.2], [0.2, 0.4, 0.9]))


# By hand

ROD = lp.Bar(0.02, 0.03)
EI, MU = 210e9 * min(ROD.second_moment_y, ROD.second_moment_z), 7850 * ROD.area
LENGTH, SPAN = 2.0, 0.5


def ram(guide: Any, *, outer: Any = None, gravity: float = 0.0, mass: float | None = None) -> lp.FlexibleRobot:
    """A rod of 2 m that slides along x in a block at the origin; its front is at q."""
    line = slender(MU * LENGTH if mass is None else mass, np.array([1.0, 0, 0]))
    line = lp.Inertia(line.mass, (-1.0, 0, 0), (line.mass * LENGTH**2 / 12 * np.diag([0.0, 1, 1])).tolist())
    links = (lp.Link("block"), lp.Link("rod", line), lp.Link("tip"))
    joints = (lp.Joint("slide", "block", "rod", lp.Prismatic((1, 0, 0)), limits=lp.Limits(lower=0.3, upper=1.7)),
              lp.Joint("end", "rod", "tip", lp.Fixed()))
    beams = {"rod": lp.Beam(ROD, lp.STEEL, start=(-LENGTH, 0, 0), end=(0, 0, 0))}
    if outer is not None:
        beams["block"] = outer
    robot = lp.Robot("ram", links, joints, gravity=(0, 0, gravity))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return robot.with_beams(beams, guides={"slide": guide})


def two_supports(tail: float, span: float, front: float) -> float:
    """Lowest frequency (Hz) of a uniform beam on two simple supports, both ends overhanging, by its determinant."""

    def rows(b: float, x: float) -> Any:
        c, s, C, S = np.cos(b * x), np.sin(b * x), np.cosh(b * x), np.sinh(b * x)
        return np.array([[c, s, C, S], [-s, c, S, C], [-c, -s, C, S], [s, -c, S, C]])

    def determinant(b: float) -> float:
        # Columns: four of the tail, four of the span, four of the front; x from each part's start.
        A = np.zeros((12, 12))
        A[0:2, 0:4] = rows(b, 0)[2:]
        for row, (first, length) in ((2, (0, tail)), (6, (4, span))):
            A[row, first : first + 4] = rows(b, length)[0]
            A[row + 1, first + 4 : first + 8] = rows(b, 0)[0]
            A[row + 2 : row + 4, first : first + 4] = rows(b, length)[1:3]
            A[row + 2 : row + 4, first + 4 : first + 8] = -rows(b, 0)[1:3]
        A[10:12, 8:12] = rows(b, front)[2:]
        return float(np.linalg.det(A))

    values = np.linspace(0.3, 6.0, 400)
    found = [determinant(b) for b in values]
    k = next(k for k in range(len(values) - 1) if found[k] * found[k + 1] < 0)
    b = brentq(determinant, values[k], values[k + 1], xtol=1e-13)
    return float(b**2 * np.sqrt(EI / MU) / (2 * np.pi))


STIFF = lp.Beam(lp.Bar(3.0, 3.0), lp.Material(1e16, 4e15, 1000.0, 1e9), start=(-2, 0, 0), end=(2, 0, 0))


@pytest.mark.parametrize("stiff", [None, STIFF], ids=["rigid", "stiff"])
def test_a_rod_on_two_pads(stiff: Any) -> None:
    arm = ram(lp.Guide(at=0.0, spacing=SPAN), outer=stiff)
    q = np.array([[0.4], [1.0], [1.6]])
    found = arm.natural_frequencies(q, 1, effects=["bending"], loaded=False, tolerance=1e-9).frequencies[:, 0]
    expected = [two_supports(LENGTH - x - SPAN / 2, SPAN, x - SPAN / 2) for x in q[:, 0]]
    assert_allclose(found, expected, rtol=1e-8 if stiff is None else 1e-6)


def test_a_carriage_clamps_both_ends() -> None:
    arm = ram(lp.Guide(at=0.0))
    for x in (0.3, 0.9, 1.6):
        found = arm.natural_frequencies([x], 4, effects=["bending"], loaded=False).frequencies
        weak = 1.8751040687**2 / (2 * np.pi) * np.sqrt(EI / MU)
        strong = weak * 1.5  # the bar is 3 to 2
        expected = sorted(w / length**2 for w in (weak, strong) for length in (x, LENGTH - x))
        assert_allclose(found[:1], expected[:1], rtol=1e-6)
        assert np.abs(found - expected[1]).min() < 1e-6 * expected[1]


@pytest.mark.parametrize("along", ["tail", "front"])
def test_a_rod_on_two_pads_buckles(along: Any) -> None:
    arm = ram(lp.Guide(at=0.0, spacing=SPAN, along=along))
    push = {"tip": lp.Wrench(force=(-1000.0, 0, 0))}
    for x in (0.5, 1.0, 1.7):
        free = x - SPAN / 2

        def characteristic(k: float, free: float = free) -> float:
            # The span is compressed too where the tail pad holds it along; where the front pad does, it is a spring.
            held = 1 / (k * SPAN) - 1 / np.tan(k * SPAN) if along == "tail" else k * SPAN / 3
            return float(1 / np.tan(k * free) - held)

        k = brentq(characteristic, 1e-3, (np.pi - 1e-9) / max(free, SPAN) if along == "tail" else np.pi / 2 / free)
        found = arm.buckling([x], external=push, effects=["bending"])
        assert_allclose(found.factor * 1000, EI * k**2, rtol=1e-4)
        assert found.link == "rod"


def test_a_carriage_buckles_as_a_clamped_column_of_the_free_length() -> None:
    arm = ram(lp.Guide(at=0.0))
    push = {"tip": lp.Wrench(force=(-1000.0, 0, 0))}
    q = np.array([[0.4], [1.0], [1.7]])
    found = arm.buckling(q, external=push, effects=["bending"]).factor
    assert_allclose(found * 1000, np.pi**2 * EI / (4 * q[:, 0] ** 2), rtol=1e-4)


def test_frequencies_at_shares_of_the_buckling_load() -> None:
    arm = ram(lp.Guide(at=0.0), mass=1e-6)
    heavy = arm.with_payload(mass=30.0, link="tip")
    factor = float(heavy.buckling([1.0], external={"tip": lp.Wrench((-1.0, 0, 0))}, effects=["bending"]).factor)
    for share in (0.5, 0.9, 0.99):
        push = {"tip": lp.Wrench((-share * factor, 0, 0))}
        found = heavy.natural_frequencies([1.0], 1, external=push, effects=["bending"], tolerance=1e-8).frequencies[0]
        k = np.pi / 2 * np.sqrt(share)  # a massless column of 1 m with a mass at its end
        stiffness = share * np.pi**2 * EI / 4 / (np.tan(k) / k - 1)
        assert_allclose(found, np.sqrt(stiffness / 30.0) / (2 * np.pi), rtol=1e-4)


def test_past_buckling_and_what_is_not_held() -> None:
    arm = ram(lp.Guide(at=0.0, spacing=SPAN))
    push = {"tip": lp.Wrench(force=(-5e4, 0, 0))}
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        assert arm.buckling([1.6], external=push).factor < 1
    with pytest.warns(lp.ModelWarning, match="1 of 2 states are past buckling"):
        found = arm.natural_frequencies([[0.3], [1.7]], 2, external={"tip": lp.Wrench(force=(-2e4, 0, 0))})
    assert np.isnan(found.frequencies[1]).all()
    assert np.isfinite(found.frequencies[0]).all()
    for ask in (arm.natural_frequencies, arm.buckling):
        with pytest.raises(lp.ModelError, match=r"joint 'slide' at 1.9 m: the tail pad is before the start"):
            ask([1.9])


# Pieces without length, batches


def test_pads_at_ends_and_steps() -> None:
    """Nothing jumps where a pad is at the end of a beam, or passes a step of its section."""
    segments = [(0.25, lp.Bar(0.03, 0.03), lp.STEEL), (0.75, ROD, lp.STEEL)]
    robot = ram(lp.Guide(at=0.0, spacing=SPAN))
    base = lp.Robot("stepped", robot.links, (robot.joints[0].__class__("slide", "block", "rod", lp.Prismatic((1, 0, 0)),
                    limits=lp.Limits(lower=0.25, upper=1.75)), robot.joints[1]), gravity=(0, 0, -9.81))
    beam = lp.Beam(segments=segments, start=(-LENGTH, 0, 0), end=(0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = base.with_beams({"rod": beam}, guides={"slide": lp.Guide(at=0.0, spacing=SPAN)})
    for x in (0.25, 1.25, 1.75):  # the front pad at the rod's end, a pad at the step, the tail pad at the start
        near = np.array([[min(max(x + d, 0.25), 1.75)] for d in (-1e-7, 0.0, 1e-7)])
        f = arm.natural_frequencies(near, 3, order=8).frequencies
        b = arm.buckling(near, order=8).factor
        assert_allclose(f, np.tile(f[1], (3, 1)), rtol=2e-6)
        assert_allclose(b, b[1], rtol=2e-6)
        alone = [arm.natural_frequencies(row, 3, order=8).frequencies for row in near]
        assert_allclose(f, alone, rtol=1e-12)


def test_a_batch_is_its_states_and_unknown_ones_stay_alone() -> None:
    arm, rng = telescope(3, 2), np.random.default_rng(3)
    q = np.column_stack([rng.uniform(-1, 1, 6), *STROKE * rng.uniform(0, 1, (2, 6))])
    q[2, 1] = np.nan
    with pytest.warns(lp.ModelWarning):
        frequencies, factors = arm.natural_frequencies(q, 2, order=4), arm.buckling(q, order=4)
    assert np.isnan(frequencies.frequencies[2]).all()
    assert np.isnan(factors.factor[2])
    for k in (0, 5):
        one = arm.natural_frequencies(q[k], 2, order=4)
        assert_allclose(frequencies.frequencies[k], one.frequencies, rtol=1e-10)
        assert_allclose(np.abs(frequencies.displacement[k]), np.abs(one.displacement), rtol=1e-6, atol=1e-9)
        assert_allclose(factors.factor[k], arm.buckling(q[k], order=4).factor, rtol=1e-9)


def test_shapes_touch_at_the_pads() -> None:
    arm = telescope(2)
    q = [0.3, 1.2]
    modes = arm.natural_frequencies(q, 3)
    outer, inner = modes.beam_lines(41)
    for line in (outer, inner):
        assert np.all(np.diff(line.position) >= 0)
    place = {"tail": outer.points[0] + (3.9 - 3.6 + 1.2) * np.array([np.cos(0.3), 0, np.sin(0.3)])}
    place["front"] = outer.points[0] + 3.9 * np.array([np.cos(0.3), 0, np.sin(0.3)])
    across = np.array([-np.sin(0.3), 0, np.cos(0.3)])
    for point in place.values():
        moved = []
        for line in (outer, inner):
            x = np.linalg.norm(point - line.points[0])
            at = [np.interp(x, line.position, mode @ across) for mode in line.displacement]
            moved.append(np.array(at))
        size = np.abs(outer.displacement).max()
        assert_allclose(moved[0], moved[1], atol=2e-4 * size)
    assert_allclose(modes.energy_shares.sum(axis=-1), 1.0, rtol=1e-12)
    assert modes.plot(0).data
    assert arm.buckling(q).shape.plot().data


def test_frequency_response_of_a_telescope() -> None:
    arm, q = telescope(2), [0.3, 1.7]
    found = arm.frequency_response(q, ("hook", "y"), loaded=False, damping=0.01)
    assert_allclose(found.static, arm.compliance(q, "hook")[1, 1], rtol=1e-9)
    assert_allclose(found.peaks[0].frequency, arm.natural_frequencies(q, 1, loaded=False).frequencies[0], rtol=1e-3)
    shaken = arm.frequency_response(q, "luff", ("hook", "z"), loaded=False)
    slow = arm.deflection(q, [0, 0], [1.0, 0]).tip.displacement - arm.deflection(q).tip.displacement
    assert_allclose(shaken.static, slow[2], rtol=1e-9)


def test_what_is_made_of_frequencies_and_buckling() -> None:
    arm = telescope(2)
    chart = arm.frequency_map({"slide1": (0.0, STROKE, 4)}, q=[0.3, 0.0])
    assert np.all(np.diff(chart.frequencies) < 0)
    motion = lp.Motion.through(arm, [[0.3, 0.5], [0.6, 2.5]], times=[0.0, 4.0])
    last = arm.natural_frequencies([0.6, 2.5], 1).frequencies[0]
    assert_allclose(arm.bandwidth_check(motion).frequency, last, rtol=0.05)
    q = np.array([[0.3, 0.2], [0.3, 2.8]])
    worst = arm.extremes(q)
    assert worst.buckling is not None
    assert worst.buckling.state == (1,)
    assert_allclose(worst.buckling.factor, arm.buckling(q[1]).factor, rtol=1e-3)
    assert_allclose(arm.buckling_safety(q).arm_factor, arm.buckling(q).factor, rtol=1e-3)
