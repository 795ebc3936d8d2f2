"""Which sizes to take: against the verdict on every combination, by hand, and what is refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.family import Member, become_member
from loadpath.errors import ModelError, ModelWarning
from loadpath.parts.sizing.proof import least

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")

TORQUES = (8.0, 20.0, 70.0, 260.0)
GEARS = lp.parts.table(
    [lp.StrainWaveGear(ratio=ratio, rated_torque=t, rated_speed="2000 rpm", rated_life=10_000, average_torque=1.3 * t,
                       peak_torque=2.2 * t, average_input_speed="3500 rpm", max_input_speed="6000 rpm",
                       stiffness=600 * t, torsion_limit=4e-3, name=f"G{t:g}")
     for t, ratio in zip(TORQUES, (50, 100, 80, 120), strict=True)],
    mass=[0.05 * t**0.8 for t in TORQUES], cost=[300, 640, 500, 420], efficiency=[0.7, 0.75, 0.8, 0.72])
MOTORS = lp.parts.table(
    [lp.Motor(continuous_torque=t, intermittent_curve=[(0, 3 * t), (400, 3 * t), (620, t)], rotor_inertia=4e-5 * t,
              torque_constant=0.1, resistance=0.4, max_inertia_ratio=400, peak_current=40 * t, name=f"M{t:g}")
     for t in (0.5, 1.0, 2.0)],
    mass=[0.4, 1.0, 2.2], cost=[450, 300, 250])
BRAKES = lp.parts.table(
    [lp.Brake(holding_torque=t, energy_per_stop=80 * t, response_time=0.03, name=f"B{t:g}") for t in (0.8, 1.2)],
    mass=[0.1, 0.3], cost=[60, 100])
CHOICES = {"joint1": [GEARS, MOTORS, BRAKES], "joint2": [GEARS, MOTORS]}


def arm() -> lp.Robot:
    """With a bearing at its first joint, which all that is chosen loads, and a limit of effort."""
    bearing = lp.CrossedRollerBearing(C=200, C0=180, dp=0.036, name="bearing")
    robot = lp.catalog.planar(2).with_payload(1.0).with_limits({"joint1": {"effort": 160.0}})
    return robot.with_parts({"joint1": bearing})


def swing(robot: lp.Robot) -> lp.Motion:
    return lp.Motion.through(robot, [[0.2, -0.5], [1.1, 0.6], [0.2, -0.5]], acceleration=6.0, rate=40)


def judged(found: lp.Sizing, motion: object, hours: float | None) -> dict[tuple[str, ...], lp.Verdict]:
    """The verdict on every combination, each on a robot of its own; by the kernels of their family, so that not each
    is compiled."""
    labels = [[(option.joint, option.names) for option in several] for several in found._tree.options]
    keys = [dict(sorted(one)) for one in itertools.product(*labels)]
    robots = [found.robot(key) for key in keys]
    family = lp.Family(robots)
    verdicts = {}
    for key, robot, row in zip(keys, robots, family.rows, strict=True):
        become_member(robot, Member(family.robot, family.parameters, row.copy()))
        verdicts[tuple(itertools.chain(*key.values()))] = robot.verdict(motion, hours=hours)
    return verdicts


def key_of(choice: lp.Choice) -> tuple[str, ...]:
    return tuple(itertools.chain(*choice.names.values()))


@pytest.mark.parametrize("of_several", [False, True])
def test_every_combination_is_judged_as_its_verdict_judges_it(of_several: bool) -> None:
    robot = arm()
    motion: object = swing(robot)
    if of_several:
        slow = lp.Motion.through(robot, [[0.2, -0.5], [-0.4, 0.3]], acceleration=2.0, rate=30)
        motion = lp.DutySpectrum([(motion, 0.3), (slow, 0.7)])
    found = robot.size(motion, CHOICES, hours=8000, minimise=("mass", "cost"))
    assert (found.combinations, found.method) == (24 * 12, "exhaustive")
    verdicts = judged(found, motion, 8000)
    held = {key for key, verdict in verdicts.items() if not verdict.failing}
    assert {key_of(choice) for choice in found.feasible} == held
    assert 10 < len(held) < 200
    for choice in found.feasible:
        worst = max(row.utilisation for row in verdicts[key_of(choice)].checks if row.checked)
        assert choice.utilisation == pytest.approx(worst, rel=1e-9)
        assert choice.aims["mass"] == pytest.approx(choice.mass)
        not_made = (*verdicts[key_of(choice)].not_checked, *verdicts[key_of(choice)].not_given)
        assert sorted(choice.unchecked) == sorted(f"{row.part} at {row.joint}, {row.check}: {row.note}"
                                                  for row in not_made)
        assert choice.holds == verdicts[key_of(choice)].holds
    for rejection in itertools.islice(found.rejections, 0, None, 7):
        parts = [name for option in rejection.options for name in option.names]
        mine = next(verdict for key, verdict in verdicts.items() if list(key)[-len(parts):] == parts)
        rows = [row for row in mine.failing if (row.joint, row.part, row.check) == (
            rejection.joint, rejection.part, rejection.check)]
        assert [row.utilisation for row in rows] == [pytest.approx(rejection.utilisation, rel=1e-9)]
    assert sum(one.combinations for one in found.rejections) + found.count == found.combinations


def test_branch_and_bound_finds_what_all_combinations_have() -> None:
    robot = arm()
    motion = swing(robot)
    every = robot.size(motion, CHOICES, hours=8000, minimise=("cost", "mass"))
    front = robot.size(motion, CHOICES, hours=8000, minimise=("cost", "mass"), exhaustive=False)
    best = robot.size(motion, CHOICES, hours=8000, minimise="cost", count=7, exhaustive=False)
    assert front.method == "branch and bound"
    assert {tuple(one.aims.values()) for one in front.front} == {tuple(one.aims.values()) for one in every.front}
    assert [one.aims["cost"] for one in best.feasible] == [one.aims["cost"] for one in every.feasible[:7]]
    assert 1 < len(front.front) < every.count


def test_what_is_chosen_at_a_joint_weighs_on_the_joint_before_it() -> None:
    """A bar of two metres held level: a motor at the second joint adds m g l to the torque of the first."""
    robot = lp.catalog.planar(2, gravity=9.81)
    still = (np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2)))
    held = float(robot.inverse_dynamics([0, 0], [0, 0], [0, 0])[0])
    gears = lp.parts.table([lp.PlanetaryGear(ratio=10, acceleration_torque=held + 9.81 * kg, name=f"{kg:g}")
                            for kg in (0.5, 1.5, 2.5)], mass=[0, 0, 0])
    heavy = lp.parts.table([lp.Brake(holding_torque=1e3, on="joint", name=f"{kg} kg") for kg in (1, 2)],
                           mass=[1, 2])
    found = robot.size(still, {"joint1": gears, "joint2": heavy})
    assert {(one.names["joint1"][0], one.names["joint2"][0]) for one in found.feasible} == {
        ("1.5", "1 kg"), ("2.5", "1 kg"), ("2.5", "2 kg")}
    (row,) = found.why({"joint1": "1.5", "joint2": "2 kg"})
    assert (row.joint, row.check, row.demand) == ("joint1", "acceleration torque", pytest.approx(held + 2 * 9.81))
    assert row.causes["gravity drive of joint2"] == pytest.approx(2 * 9.81)


def test_parts_take_the_place_of_their_kind_and_of_their_numbers_in_the_drive_train() -> None:
    old = lp.StrainWaveGear(ratio=30, rated_torque=50, name="old")
    robot = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=30, efficiency=0.9, rotor_inertia=1e-4)})
    robot = robot.with_parts({"joint1": [old, lp.Motor(rotor_inertia=1e-4, continuous_torque=3.0, torque_constant=0.2,
                                                       name="motor")]})
    gears = lp.parts.table([lp.StrainWaveGear(ratio=50, peak_torque=400, name="new")], mass=[1])
    motion = lp.Motion.swing(robot)
    found = robot.size(motion, {"joint1": gears})
    made = found.robot()
    assert [part.label for _, part in made.parts] == ["motor", "new"]
    train = dict(made.drive_trains)["joint1"]
    assert (train.ratio, train.efficiency, train.rotor_inertia) == (50.0, (0.9, 0.9), 1e-4)
    motors = lp.parts.table([lp.Motor(rotor_inertia=2e-4, continuous_torque=3.0, name="light")], mass=[1])
    other = robot.size(motion, {"joint1": motors}).robot()
    train = dict(other.drive_trains)["joint1"]
    assert (train.ratio, train.rotor_inertia, train.torque_constant) == (30.0, 2e-4, None)


def test_none_holds_says_what_was_nearest() -> None:
    robot = arm()
    found = robot.size(swing(robot), {"joint2": GEARS.where("peak_torque < 40 N m")})
    assert (found.best, found.feasible, found.front, found.count) == (None, (), (), 0)
    assert "none holds: nearest was joint2 G8: " in str(found)
    with pytest.raises(ModelError, match="no combination holds: nearest was joint2 G8"):
        found.robot()
    assert [line.split()[1] for line in found.table().text().splitlines()[2:]] == ["G8"]


def test_what_cannot_be_judged_is_named() -> None:
    robot = arm()
    motion = swing(robot)
    found = robot.size(motion, {"joint2": lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=200)], mass=[1])})
    assert any("average torque: not checked: no average_torque given" in note for note in found.notes)


@pytest.mark.parametrize(("choices", "options", "said"), [
    ({}, {}, "expected a table for each joint"),
    ({"joint3": GEARS}, {}, "no joint 'joint3'; did you mean"),
    ({"payload_joint": GEARS}, {}, "has no drive of its own"),
    ({"joint2": [GEARS, GEARS]}, {}, "two tables of gears"),
    ({"joint2": GEARS[:0]}, {}, "is empty"),
    ({"joint2": []}, {}, "nothing can be chosen"),
    ({"joint2": [lp.Motor(continuous_torque=1.0)]}, {}, "expected a table of parts"),
    ({"joint2": GEARS}, {"minimise": "price"}, "'G8' at joint 'joint2' has no number 'price'"),
    ({"joint2": GEARS}, {"minimise": ()}, "minimise is"),
    ({"joint2": GEARS}, {"count": 0}, "count is 0"),
    ({"joint2": GEARS}, {"hours": -1}, "hours is -1"),
])
def test_what_is_wrong_is_said(choices: dict[str, object], options: dict[str, object], said: str) -> None:
    robot = arm()
    with pytest.raises((ModelError, ValueError), match=said):
        robot.size(swing(robot), choices, **options)


def test_motions_that_no_choice_makes_hold_are_refused() -> None:
    robot = arm().with_limits({"joint2": {"velocity": 0.1}})
    with pytest.raises(ModelError, match="speed limit of 'joint2'"):
        robot.size(swing(arm()), {"joint2": GEARS})
    motion = swing(arm())
    q = motion.q.copy()
    q[3] = math.nan
    with pytest.raises(ValueError, match="not numbers"):
        arm().size((q, motion.qd, motion.qdd), {"joint2": GEARS})
    with pytest.raises(ModelError, match="has loops"):
        loop = lp.catalog.four_bar()
        loop.size(lp.Motion.swing(loop), {loop.joint_names[0]: GEARS})


@pytest.mark.filterwarnings("default::loadpath.ModelWarning")
def test_rows_without_mass_are_asked_about() -> None:
    robot = arm()
    gears = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=400, name="A")], cost=[1])
    with pytest.warns(ModelWarning, match="'A' at joint 'joint2' has no mass"):
        robot.size(swing(robot), {"joint2": gears}, minimise="cost")


FULL = {"average_torque": 1e3, "average_input_speed": 1e4, "max_input_speed": 1e4, "rated_torque": 1e3,
        "rated_speed": 200.0, "rated_life": 1e4, "momentary_torque": 1e3, "emergency_torque": 500.0,
        "emergency_speed": 1.0, "emergency_time": 0.1, "emergency_count": 10}
PEAKS = [(14, 28), (20, 82), (25, 157), (32, 333)]


def sized(parts: list[lp.StrainWaveGear], **options: object) -> lp.Sizing:
    robot = lp.catalog.planar(2).with_payload(4.0)
    gears = lp.parts.table(parts, mass=[0.1 + 0.2 * k for k in range(len(parts))])
    return robot.size(lp.Motion.swing(robot), {"joint1": gears, "joint2": gears}, hours=100, **options)


def test_only_what_is_checked_in_full_is_said_to_hold() -> None:
    found = sized([lp.StrainWaveGear(ratio=100, peak_torque=t, **FULL, name=f"{n}") for n, t in PEAKS])
    assert (found.count, found.known, found.best.holds, found.verdict().holds) == (2, 2, True, True)
    assert str(found).splitlines()[0] == "16 combinations, exhaustive: 2 hold"
    partly = sized([lp.StrainWaveGear(ratio=100, peak_torque=t, name=f"{n}") for n, t in PEAKS])
    assert (partly.count, partly.known, partly.best.holds) == (2, 0, False)
    first = str(partly).splitlines()[0]
    assert "2 hold as far as checked: 10 checks not made, as 32 at joint1, average torque" in first
    assert first.endswith("not known to hold")
    assert str(partly.best).endswith(", 10 checks not made")
    assert "5 of 6" in partly.to_table()
    lacking = {name: value for name, value in FULL.items() if name != "average_torque"}
    mixed = sized([lp.StrainWaveGear(ratio=100, peak_torque=333, **FULL, name="A"),
                   lp.StrainWaveGear(ratio=100, peak_torque=333, **lacking, name="B")])
    assert (mixed.count, mixed.known) == (4, 1)
    assert "4 hold, 3 of them only as far as checked, not known to hold: 1 check not made, as B" in str(mixed)


@pytest.mark.filterwarnings("default::loadpath.ModelWarning")
def test_parts_of_which_nothing_is_known_are_asked_about() -> None:
    bare = [lp.StrainWaveGear(ratio=100, max_input_speed=700.0, name=name) for name in "AB"]
    with pytest.warns(ModelWarning, match="gear 'A' at joint '.*' and 3 more no load can be checked.*not known"):
        sized(bare)
    some = [lp.StrainWaveGear(ratio=100, peak_torque=333, average_torque=200, name="full"),
            lp.StrainWaveGear(ratio=100, average_torque=200, name="half")]
    with pytest.warns(ModelWarning, match="'half' at joint .* lacks a rating that others have.*repeated peak torque"):
        sized(some)


@pytest.mark.parametrize("exhaustive", [True, False])
def test_why_nothing_smaller_does_is_the_verdict_on_the_next_smaller(exhaustive: bool) -> None:
    found = sized([lp.StrainWaveGear(ratio=100, peak_torque=t, name=f"{n}") for n, t in PEAKS], exhaustive=exhaustive)
    assert found.best.names == {"joint1": ("32",), "joint2": ("25",)}
    assert {joint: {one.joint: one.names for one in smaller.options} for joint, smaller in found.smaller.items()} == {
        "joint1": {"joint1": ("25",), "joint2": ("25",)}, "joint2": {"joint1": ("32",), "joint2": ("20",)}}
    judged = found.judged
    for joint, smaller in found.smaller.items():
        row = found.why({one.joint: one.names for one in smaller.options})[0]
        assert (smaller.joint, smaller.part, smaller.check) == (row.joint, row.part, row.check)
        assert smaller.utilisation == pytest.approx(row.utilisation, rel=1e-9)
        assert f"not {smaller.part} at {joint}: {smaller.words}" in str(found).splitlines()
    assert found.judged == judged


def test_rejections_are_a_list_that_prints() -> None:
    found = sized([lp.StrainWaveGear(ratio=100, peak_torque=t, name=f"{n}") for n, t in PEAKS])
    rejections = found.rejections
    assert [str(one) for one in rejections] == [str(rejections[k]) for k in range(len(rejections))]
    assert len(rejections) == 8
    assert str(rejections[-1]) == str(list(rejections)[7]) == str(rejections[6:][1])
    assert str(rejections).splitlines()[0] == str(rejections[0])
    assert repr(rejections).splitlines()[0] == "<8 rejections>"
    with pytest.raises(IndexError):
        rejections[8]
    assert str(found.table()) == found.to_table()


def test_what_an_option_uses_at_least_is_less_than_it_uses_in_every_combination() -> None:
    """And it is all of it where nothing is left to be chosen beyond the joint."""
    robot = arm()
    found = robot.size(swing(robot), CHOICES, hours=8000)
    tree = found._tree
    low, high = (np.array([of(masses) for masses in tree.masses]) for of in (np.min, np.max))
    stations = {station.name: station for level in tree.stations for station in level}
    tight = []
    for level, joint in enumerate(tree.joints):
        for number in range(len(tree.options[level])):
            bound = least(stations[joint], number, low, high)
            grid = np.array(list(itertools.product(*tree.masses)))
            used = stations[joint].judged(grid, [number])[0].size.min()
            assert bound.size <= used * (1 + 1e-12)
            tight.append(bound.size / used)
    assert np.median(tight) > 0.9


@pytest.mark.parametrize("minimise", ["mass", ("mass", "cost")])
def test_options_that_cannot_hold_are_left_out_and_nothing_else_changes(minimise: object) -> None:
    robot = arm()
    weak = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=1.0, name="weak")], mass=[0.01], cost=[1])
    both = lp.PartTable([*weak, *GEARS])
    choices = {"joint1": [both, MOTORS], "joint2": [both, MOTORS]}
    every, some = (robot.size(swing(robot), choices, hours=8000, minimise=minimise, exhaustive=way, count=1)
                   for way in (True, False))
    chosen = every.front if minimise != "mass" else every.feasible[:1]
    assert [choice.names for choice in some.feasible] == [choice.names for choice in chosen] and chosen
    left_out = [one for one in some.rejections if one.at_least]
    names = {(option.joint, option.names[0]) for one in left_out for option in one.options}
    assert {("joint1", "weak"), ("joint2", "weak")} <= names
    held = {name for choice in every.feasible for option in choice.options for name in [(option.joint, option.label)]}
    assert not held & {(option.joint, option.label) for one in left_out for option in one.options}
    assert all(one.combinations == some.combinations // len(both) // len(MOTORS) for one in left_out)
    assert "weak" in some.to_table() and "at least" in str(left_out[0])


def test_a_base_that_fails_with_all_that_may_come_before_it_is_known_at_once() -> None:
    robot = lp.catalog.planar(4)
    strong = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=1e5 + k, name=f"S{k}") for k in range(20)],
                            mass=[1.0 + 0.1 * k for k in range(20)])
    weak = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=t, name=f"W{t}") for t in (1, 2, 3)],
                          mass=[1, 2, 3])
    found = robot.size(lp.Motion.swing(robot, 21, 1.0),
                       {"joint1": weak, **dict.fromkeys(("joint2", "joint3", "joint4"), strong)})
    assert found.best is None and found.judged == 0 and found.combinations == 24_000
    assert len(found.rejections) == 3 and all(one.at_least for one in found.rejections)
    assert "nearest was joint1 W3: repeated peak torque of W3 at joint1 is used to at least" in str(found)
    with pytest.raises(ModelError, match="no combination holds"):
        found.robot()


def test_rejections_compare_and_go_round_as_lists_do() -> None:
    robot = arm()
    found = robot.size(swing(robot), CHOICES)
    first = next(iter(found.rejections))
    assert first == found.rejections[0] and found.rejections.index(first) == 0 and first in found.rejections
    assert list(found.rejections) == [found.rejections[k] for k in range(len(found.rejections))]
    assert list(found.rejections) == list(found.rejections) and found.rejections is found.rejections
    assert next(reversed(found.rejections)) == found.rejections[-1]
