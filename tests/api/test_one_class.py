"""One class of robots, by hand: classes of one's own, calls through the class, data in the constructor, edits."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

import loadpath as lp

BAR = lp.catalog.four_bar()
ROD = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
ELASTIC = BAR.with_beams({"coupler": ROD})
ARM = lp.catalog.planar(3)
TUBE = lp.Beam(lp.Tube(outer_radius=0.01, wall=0.002), lp.ALUMINIUM, end="tip_joint")
DATA = {part.name: getattr(BAR, part.name) for part in dataclasses.fields(BAR)}
REST = np.zeros(3)


class Shifted(lp.Robot):
    """A class that puts its own in front, as people do."""

    def inverse_dynamics(self, *arrays: Any, **options: Any) -> Any:  # type: ignore[override]
        return super().inverse_dynamics(*arrays, **options) + 100.0


class Linkage(lp.ClosedRobot):
    def crank(self) -> float:
        return float(self.home[0])


# Calls through the class


def test_a_method_of_the_class_is_that_of_the_robot_it_is_called_with() -> None:
    # Virtual work: one freedom, so the force of the crank is that of the tree, projected on the closed motion.
    q = BAR.home
    speeds = np.asarray(BAR.complete(q, [1.0]).qd)
    expected = float(BAR.tree.inverse_dynamics(q, REST, REST) @ speeds)
    assert abs(expected - float(BAR.tree.inverse_dynamics(q, REST, REST)[0])) > 0.1  # the tree's is another
    for kind in (lp.Robot, lp.ClosedRobot, lp.FlexibleRobot):
        np.testing.assert_allclose(kind.inverse_dynamics(BAR, q, REST, REST), [expected, 0, 0], atol=1e-12)  # type: ignore[arg-type]


def test_a_method_that_is_no_quantity_is_that_of_the_robot_too() -> None:
    with pytest.raises(lp.ModelError, match=r"four_bar.*not moved by its drives in time"):
        lp.Robot.simulate(ELASTIC, BAR.home, REST, duration=0.1)
    with pytest.raises(AttributeError, match="rigid and has no 'deflection'"):
        lp.Robot.deflection(BAR, BAR.home)
    assert list(inspect.signature(lp.Robot.simulate).parameters)[1:3] == ["q", "qd"]


def test_what_a_class_refuses_can_be_called_and_says_why() -> None:
    with pytest.raises(lp.ModelError, match="generalized is refused"):
        lp.ClosedRobot.generalized(BAR)  # type: ignore[call-arg,arg-type]


# Classes of one's own


def test_a_class_made_from_closed_robot_is_a_class_of_its_own() -> None:
    made = Linkage(**DATA)
    assert type(made) is Linkage
    assert made.crank() == BAR.home[0]
    assert isinstance(made, (Linkage, lp.ClosedRobot)) and not isinstance(BAR, Linkage)
    assert type(made.with_gravity((0, 0, 0)).with_beams({"coupler": ROD})) is Linkage
    assert type(lp.ClosedRobot(**DATA)) is lp.Robot
    assert inspect.signature(lp.ClosedRobot) == inspect.signature(lp.Robot)


def test_an_own_method_in_front_does_not_get_in_the_way_of_others() -> None:
    made = Shifted(**DATA).with_beams({"coupler": ROD})
    found, expected = (robot.deflection(BAR.home)["rocker"].rotation for robot in (made, ELASTIC))
    np.testing.assert_allclose(found, expected, rtol=1e-9)  # what was put on cancels in what the loops take
    arm = Shifted("arm", lp.catalog.planar(1).links, lp.catalog.planar(1).joints)
    assert arm.equations().mass_matrix == lp.catalog.planar(1).equations().mass_matrix


# What there is to complete


@pytest.mark.parametrize("robot", [ARM, BAR, ELASTIC, ARM.with_driven("joint1")], ids=repr)
def test_dir_has_what_the_robot_has_and_nothing_else(robot: lp.Robot) -> None:
    assert [name for name in dir(robot) if not hasattr(robot, name)] == []
    assert ("deflection" in dir(robot)) is robot.is_elastic
    assert ("complete" in dir(robot)) is robot.held_by_loops


def test_beams_of_a_closed_robot_are_placed_as_on_the_cut_tree() -> None:
    assert [beam.link for beam in ELASTIC.placed_beams] == ["coupler"]
    loop = BAR.loops[0]
    end = loop.at.translation if loop.first == "coupler" else loop.on.translation
    assert ELASTIC.placed_beams[0].length == pytest.approx(np.linalg.norm(end))


# Data in the constructor


def test_rows_may_be_lists_and_arrays() -> None:
    by_hand = lp.Robot(**{**DATA, "loops": list(BAR.loops), "near": np.array(BAR.near), "beams": [["coupler", ROD]]})  # type: ignore[arg-type]
    assert by_hand == ELASTIC
    assert hash(by_hand) == hash(ELASTIC)


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("loops", None, "loops are None, expected several, like"),
        ("loops", ["pin"], r"loops\[0\] is 'pin', expected a Loop"),
        ("couplings", [{"crank_joint": 1.0}], r"couplings\[0\] is \{.*expected a Coupling"),
        ("drives", "crank_joint", r"drives are 'crank_joint', expected several, like \['joint1'\]"),
        ("near", 0.5, "near are 0.5, expected several"),
        ("near", (0.1, "b", 0.2), "is 'b': expected a number"),
        ("beams", None, "beams are None, expected several"),
        ("beams", {"coupler": ROD}, r"beams\[0\] is 'coupler', expected a pair like"),
        ("beams", [("cupler", ROD)], "has no link 'cupler'; did you mean 'coupler'"),
        ("beams", [("crank", ROD)], "link 'crank': its beam ends at loop 'rocker_pin', which is between"),
        ("beams", [("coupler", 3)], "link 'coupler': its beam is 3: expected a Beam"),
        ("joint_compliances", [("rocker_pin", 3)], "loop 'rocker_pin': its compliance is 3: expected"),
        ("joint_compliances", [("rocker", lp.JointCompliance(drive=1e4))], "has no joint 'rocker'"),
        ("guides", [("crank_joint", 3)], "joint 'crank_joint': its guide is 3: expected a Guide"),
        ("guides", [("crank", lp.Guide(at=0))], "has no joint 'crank'"),
    ],
)
def test_what_does_not_fit_is_refused_where_the_robot_is_made(part: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(BAR, **{part: value})  # type: ignore[arg-type]


def test_a_misspelt_link_of_a_beam_to_a_loop_is_named() -> None:
    with pytest.raises(ValueError, match="has no link 'cupler'; did you mean 'coupler'"):
        BAR.with_beams({"cupler": ROD})
    with pytest.raises(ValueError, match="beams are a list: expected a dict"):
        BAR.with_beams([("coupler", ROD)])  # type: ignore[arg-type]


def test_couplings_have_names_of_their_own() -> None:
    twice = ARM.with_coupling({"joint1": 1, "joint2": 1}).with_coupling({"joint2": 1, "joint3": 1})
    later = dataclasses.replace(twice, couplings=twice.couplings[1:])
    assert later.with_coupling({"joint1": 1, "joint3": 1}).closing_names == ("coupling2", "coupling3")
    with pytest.raises(lp.ModelError, match="two of what closes it are named 'coupling2'"):
        later.with_coupling({"joint1": 1, "joint3": 1}, name="coupling2")


# Edits of open chains that know a home or their drives


def test_an_open_chain_with_a_home_can_be_edited() -> None:
    posed = ARM.with_home([0.1, 0.2, 0.3])
    assert posed.locked({"joint2": 0.5}).home.tolist() == [0.1, 0.3]
    assert posed.locked({"joint2": 0.5}).tree == ARM.locked({"joint2": 0.5})
    assert posed.floating().home[-3:].tolist() == [0.1, 0.2, 0.3]
    assert posed.generalized().tree == ARM.generalized() and not posed.generalized().home[:3].any()
    assert posed.generalized(["joint2"]).home[[0, -1]].tolist() == [0.1, 0.3]
    assert posed.reduced({"joint1": ()}).tree == ARM.reduced({"joint1": ()})
    assert posed.reduced({"joint1": ()}).home.tolist() == [0.2, 0.3]
    elastic = posed.with_inertias({"link3": lp.Inertia(2.0, (0.5, 0, 0))}).with_beams({"link3": TUBE})
    assert elastic.locked({"joint2": 0.5}).home.tolist() == [0.1, 0.3]
    assert elastic.locked({"joint2": 0.5}).beams == elastic.beams


def test_an_open_chain_with_all_of_its_drives_named_is_one() -> None:
    named = ARM.with_driven(*ARM.dof_names)
    assert not isinstance(named, lp.ClosedRobot)
    assert named.driven == ARM.dof_names and not named.passive
    q = np.array([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(named.mass_matrix_inverse(q), ARM.mass_matrix_inverse(q))
    assert named.locked({"joint2": 0.5}) == ARM.locked({"joint2": 0.5})
    assert named.tree == ARM
    closed = named.with_coupling({"joint1": 1.0, "joint2": 1.0})
    assert closed.driven == ARM.dof_names and closed.mobility == 2  # the order of edits does not matter
    assert isinstance(named.locked({"joint2": 0.5}).with_driven("joint1"), lp.ClosedRobot)


def test_passive_joints_of_an_open_chain_in_files(tmp_path: Any) -> None:
    passive = lp.catalog.two_link(distributed=True).with_driven("joint1").with_home([0.1, 0.2])
    passive.to_urdf(tmp_path / "arm.urdf")
    back = lp.load(tmp_path / "arm.urdf")
    assert back.drives == ("joint1",) and back.near == (0.1, 0.2)
    text = passive.to_mjcf(tmp_path / "arm.xml")
    assert text.count("<motor ") == 1
    back = lp.load(tmp_path / "arm.xml")
    assert back.drives == ("joint1",) and back.near == (0.1, 0.2)


def test_an_open_chain_with_passive_joints_has_what_loops_alone_refuse() -> None:
    """Accelerations for forces at all joints are those of the tree, and so is what follows from them."""
    passive, state = ARM.with_driven("joint1", "joint3"), ([0.1, 0.2, 0.3], [0.3, -0.2, 0.1])
    tau = [1.0, 0.0, -0.5]
    np.testing.assert_array_equal(passive.mass_matrix_inverse(state[0]), ARM.mass_matrix_inverse(state[0]))
    for name in ("forward_dynamics_derivatives", "forward_dynamics_parameter_derivatives"):
        for one, other in zip(getattr(passive, name)(*state, tau), getattr(ARM, name)(*state, tau), strict=True):
            np.testing.assert_array_equal(one, other)
    for one, other in zip(passive.step(*state, tau, 1e-3), ARM.step(*state, tau, 1e-3), strict=True):
        np.testing.assert_array_equal(one, other)
    given = {"forces": {"joint1": 1.0, "joint2": 0.0}, "accelerations": {"joint3": 0.2}}
    np.testing.assert_array_equal(passive.mixed_dynamics(*state, **given).qdd, ARM.mixed_dynamics(*state, **given).qdd)
    assert repr(passive).endswith("3 degrees of freedom, not driven: joint2>")
    assert passive.generalized() == ARM.generalized()
    assert passive.reduced({"joint1": ()}) == ARM.reduced({"joint1": ()}).with_driven("joint3")
    with pytest.raises(lp.ModelError, match="all of its drives, joint1, joint3, would be locked"):
        passive.reduced({"joint1": (), "joint3": ()})
    with pytest.raises(lp.ModelError, match=r"leave 1 of its 3 freedoms to themselves"):
        passive.inverse_dynamics_derivatives(*state, tau)


def test_an_error_inside_a_property_is_not_that_the_property_is_missing() -> None:
    class Mine(lp.Robot):
        @property
        def reach(self) -> float:
            return self.lengh  # type: ignore[attr-defined,no-any-return]

    arm = Mine(ARM.name, ARM.links, ARM.joints)
    with pytest.raises(AttributeError, match="'Mine' object has no attribute 'lengh'"):
        arm.reach  # noqa: B018
    with pytest.raises(AttributeError, match="'Mine' object has no attribute 'reech'"):
        arm.reech  # noqa: B018
