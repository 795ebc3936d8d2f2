"""Each rule on an arm that is spoilt in one place, and none on the sound one."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arm_to_check import arm
from findings_page import PAGE, row

import loadpath as lp
from loadpath.doctor.rules import RULES
from real_robots import REAL_ROBOTS

INERTIAL = arm()[arm().index("    <inertial>") : arm().index("    <collision>")]
SHAPE = arm()[arm().index("    <collision>") : arm().index("</collision>") + len("</collision>")]
TRANSMISSION = (
    '<transmission name="t"><joint name="{}"/><actuator name="a">'
    "<mechanicalReduction>{}</mechanicalReduction></actuator></transmission>"
)

SPOILT = {
    "negative moment": ("inertia", "error", "link 'upper'", ('ixx="0.002"', 'ixx="-0.002"')),
    "triangle": ("inertia", "error", "link 'upper'", ('izz="0.031"', 'izz="0.04"')),
    "edge": ("inertia", "warning", "link 'upper'", ('izz="0.031"', 'izz="0.032"')),
    "point": ("inertia", "warning", "link 'lower'", ('ixx="0.001" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.0115"',
              'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"')),
    "no mass": ("massless", "note", "link 'upper'", (INERTIAL + SHAPE, "")),
    "no mass at the end": ("massless", "warning", "link 'lower'", ('<mass value="1.3"/>', '<mass value="0"/>'),
                           ('ixx="0.001" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.0115"',
                            'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"')),
    "forgotten": ("forgotten", "error", "link 'upper'", (INERTIAL, "")),
    "grams": ("density", "warning", "link 'lower'", ('value="1.3"', 'value="1300"'), ('ixx="0.001"', 'ixx="0.0011"')),
    "feather": ("density", "warning", "link 'lower'", ('value="1.3"', 'value="0.05"')),
    "center outside": ("center", "warning", "link 'upper'", ('<origin xyz="0.2 0 0" rpy', '<origin xyz="0 0.2 0" rpy')),
    "too wide": ("spread", "warning", "link 'upper'",
                 ('iyy="0.03" iyz="0" izz="0.031"', 'iyy="0.3" iyz="0" izz="0.3"')),
    "too narrow": ("spread", "warning", "link 'upper'", ('ixx="0.002" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.031"',
                   'ixx="0.0003" ixy="0" ixz="0" iyy="0.0003" iyz="0" izz="0.00031"')),
    "placeholder": ("placeholder", "warning", "link 'upper'",
                    ('ixx="0.002" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.031"',
                     'ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"')),
    "no range": ("limits", "warning", "joint 'elbow'", ('lower="-2" upper="2"', 'lower="0.5" upper="0.5"')),
    "no speed": ("limits", "warning", "joint 'elbow'", ('velocity="2" effort="40"', 'velocity="0" effort="40"')),
    "no effort": ("limits", "warning", "joint 'elbow'", ('effort="40"', 'effort="0"')),
    "long axis": ("axis", "note", "joint 'shoulder'", ('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>')),
    "degrees": ("units", "warning", "joint 'elbow'", ('lower="-2" upper="2"', 'lower="-120" upper="120"')),
    "unused": ("unused", "error", "link 'lost'", ('<link name="base"/>', '<link name="base"/><link name="lost"/>')),
    "mimic": ("mimic", "warning", "joint 'elbow'",
              ('effort="40"/>', 'effort="40"/><mimic joint="shoulder" multiplier="2"/>')),
    "still mimic": ("mimic", "warning", "joint 'elbow'",
                    ('effort="40"/>', 'effort="40"/><mimic joint="shoulder" multiplier="0"/>')),
    "transmission": ("transmission", "warning", "transmission 't'",
                     ("</robot>", TRANSMISSION.format("elbw", 1) + "</robot>")),
    "reduction": ("transmission", "note", "joint 'elbow'",
                  ("</robot>", TRANSMISSION.format("elbow", 100) + "</robot>")),
    "missing mesh": ("mesh", "warning", "link 'lower'", ('<box size="0.3 0.06 0.06"/>', '<mesh filename="gone.stl"/>')),
    "huge box": ("mesh", "warning", "link 'lower'", ('<box size="0.3 0.06 0.06"/>', '<box size="300 60 60"/>')),
    "shared name": ("frames", "note", "link 'lower'", ('joint name="elbow"', 'joint name="lower"')),
    "unknown word": ("words", "warning", "link 'upper'", ('<mass value="2.7"/>', '<mass value="2.7" colour="red"/>')),
    "text for a number": ("file", "error", "link 'upper'", ('<mass value="2.7"/>', '<mass value="2,7"/>')),
}


def checked(tmp_path: Path, text: str, **options: object) -> lp.Checkup:
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    return lp.check(path, **options)


def test_a_sound_arm_is_sound(tmp_path: Path) -> None:
    found = checked(tmp_path, arm())
    assert found.findings == () and found.sound and found.summary == "nothing found"
    assert found.fixed() == lp.load(tmp_path / "arm.urdf")
    assert found.fixed_text() == arm().encode()


@pytest.mark.parametrize("name", SPOILT)
def test_each_rule_finds_what_is_spoilt(tmp_path: Path, name: str) -> None:
    rule, severity, where, *changes = SPOILT[name]
    found = checked(tmp_path, arm(*changes)).findings
    assert (rule, severity, where) in {(one.rule, one.severity, one.where) for one in found}, found


def test_every_rule_is_tested() -> None:
    assert {rule.name for rule in RULES} == {rule for rule, *_ in SPOILT.values()} | {"symmetry"}
    assert len({rule.name for rule in RULES}) == len(RULES)


def two_arms(left: lp.Inertia, right: lp.Inertia) -> lp.Robot:
    """A torso with two arms, left and right of the plane y = 0."""
    links = (lp.Link("torso"), lp.Link("l_arm", left), lp.Link("r_arm", right))
    joints = tuple(
        lp.Joint(f"{side}_shoulder", "torso", f"{side}_arm", lp.Revolute((0, 1, 0)), (0, y, 0.4),
                 limits=lp.Limits(-1, 1, 1, 1))
        for side, y in (("l", 0.2), ("r", -0.2))
    )
    with warnings.catch_warnings(action="ignore"):
        return lp.Robot("torso", links, joints)


LEFT = lp.Inertia(2.0, (0.1, 0.05, -0.2), ((0.03, 0.004, 0.002), (0.004, 0.028, -0.003), (0.002, -0.003, 0.01)))
RIGHT = lp.Inertia(2.0, (0.1, -0.05, -0.2), ((0.03, -0.004, 0.002), (-0.004, 0.028, 0.003), (0.002, 0.003, 0.01)))


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (RIGHT, None),
        (
            LEFT,
            "a copy that was not mirrored, center of mass at (0.1, 0.05, -0.2), where the image has it at (0.1, -0.05",
        ),
        (lp.Inertia(3.0, RIGHT.center_of_mass, RIGHT.tensor), "mass 3 kg, not 2 kg"),
        (lp.Inertia(2.0, RIGHT.center_of_mass, np.array(RIGHT.tensor) * 1.3), "principal moments"),
        (lp.Inertia(2.0, (0.1, -0.05, 0.2), RIGHT.tensor), "center of mass at"),
        (lp.Inertia(2.0, RIGHT.center_of_mass, LEFT.tensor), "signs of ixy, ixz, iyz"),
    ],
)
def test_sides_that_are_no_mirror_images_are_found(right: lp.Inertia, said: str | None) -> None:
    found = [one.message for one in lp.check(two_arms(LEFT, right)).findings if one.rule == "symmetry"]
    assert (not found) if said is None else (len(found) == 1 and said in found[0]), found


def two_arms_with(y: float = 0.0, scale: tuple[float, float, float] | None = None) -> lp.Robot:
    """Two arms with the numbers of the left one in both: hands at (0.3, 0.1, 0) and at (0.3, y, 0) in the arms' frames,
    and the same mesh, on the right with this scale.
    """
    arms = two_arms(LEFT, LEFT)
    meshes = {"l": (lp.MeshShape("arm.stl"),), "r": (lp.MeshShape("arm.stl", scale or (1, 1, 1)),)}
    links = [replace(link, shapes=meshes.get(link.name[0], ()) if scale else ()) for link in arms.links]
    hands = [(side, at) for side, at in (("l", 0.1), ("r", y)) if y]
    joints = [lp.Joint(f"{side}_wrist", f"{side}_arm", f"{side}_hand", lp.Revolute((0, 1, 0)), (0.3, at, 0.0),
                       limits=lp.Limits(-1, 1, 1, 1)) for side, at in hands]
    links += [lp.Link(f"{side}_hand", lp.Inertia(0.5, (0.1, 0, 0), np.eye(3) * 0.01)) for side, _ in hands]
    with warnings.catch_warnings(action="ignore"):
        return lp.Robot("torso", tuple(links), (*arms.joints, *joints))


@pytest.mark.parametrize(
    ("y", "scale", "copied_by_mistake"),
    [
        (0.1, None, False),  # the hand sits at the same place of the arm, which is no mirror image: one part, twice
        (-0.1, None, True),  # the hand is mirrored, the arm's mass center is not
        (0.0, (1, 1, 1), False),  # the same mesh
        (0.0, (1, -1, 1), True),  # a mirrored mesh
        (-0.1, (1, 1, 1), True),  # the same mesh, but the hand is mirrored
    ],
)
def test_a_copy_is_right_only_for_a_part_that_is_mounted_twice(y: float, scale: Any, copied_by_mistake: bool) -> None:
    found = [one for one in lp.check(two_arms_with(y, scale), meshes=False).findings if one.rule == "symmetry"]
    about_arms = [one.message for one in found if one.where == "link 'r_arm'"]
    assert bool(about_arms) is copied_by_mistake, about_arms
    assert all("a copy that was not mirrored" in message for message in about_arms)


def test_the_arms_of_a_published_robot_were_copied() -> None:
    """Talos: in one of its files the right arm's meshes are mirrored and its inertias are the left arm's; in another
    one, of the whole robot, they are mirrored.
    """
    copied, right = (lp.check(REAL_ROBOTS[f"talos_data/talos_{name}"], meshes=False) for name in ("reduced", "full_v2"))
    elbows = [[one for one in found.findings if one.rule == "symmetry" and one.where == "link 'arm_right_3_link'"]
              for found in (copied, right)]
    assert len(elbows[0]) == 1 and "at (0.00841, -0.01428, -0.2229)" in elbows[0][0].message and not elbows[1]
    y = {name: lp.load(REAL_ROBOTS[f"talos_data/talos_{name}"]).link("arm_right_3_link").inertia.center_of_mass[1]
         for name in ("reduced", "full_v2")}
    assert y["reduced"] > 0.01 and y["full_v2"] < -0.01


def test_the_side_that_can_be_a_body_is_mirrored() -> None:
    broken = lp.Inertia(2.0, RIGHT.center_of_mass, np.array(RIGHT.tensor) * (1, 1, 1) + np.diag([0.0, 0.0, 0.2]))
    found = lp.check(two_arms(LEFT, broken))
    mended = found.fixed(["symmetry"]).link("r_arm").inertia
    assert mended.mass == 2.0
    assert mended.center_of_mass == pytest.approx(RIGHT.center_of_mass)
    assert np.array(mended.tensor) == pytest.approx(np.array(RIGHT.tensor))
    assert lp.check(found.fixed(["symmetry", "inertia"])).sound


@pytest.mark.parametrize("shaped", ["", "l", "r", "lr"])
def test_a_side_without_moments_is_not_the_one_to_mirror(shaped: str) -> None:
    """iCub: of its hips, one has a tensor of zeros. It was taken for the better one, and the sound one replaced."""
    arms = two_arms(LEFT, lp.Inertia(2.0, RIGHT.center_of_mass))
    box = (lp.BoxShape((0.2, 0.2, 0.2)),)
    links = tuple(replace(link, shapes=box if link.name[0] in shaped else ()) for link in arms.links)
    with warnings.catch_warnings(action="ignore"):
        found = lp.check(lp.Robot("torso", links, arms.joints))
    remedies = [one.remedy for one in found.findings if one.rule == "symmetry"]
    assert remedies == ["'l_arm' has moments of inertia: mirror it"]
    assert np.array(found.fixed(["symmetry"]).link("r_arm").inertia.tensor) == pytest.approx(np.array(RIGHT.tensor))


@pytest.mark.parametrize(
    ("shaped", "remedy"), [("lr", "'l_arm' fits its shape better"), ("l", "compare both with CAD")]
)
def test_sides_are_compared_with_their_shapes_where_both_have_one(shaped: str, remedy: str) -> None:
    arms = two_arms(LEFT, lp.Inertia(2.0, RIGHT.center_of_mass, np.array(RIGHT.tensor) * 20))
    box = (lp.BoxShape((0.3, 0.3, 0.3)),)
    links = tuple(replace(link, shapes=box if link.name[0] in shaped else ()) for link in arms.links)
    with warnings.catch_warnings(action="ignore"):
        found = lp.check(lp.Robot("torso", links, arms.joints))
    assert [one.remedy.startswith(remedy) for one in found.findings if one.rule == "symmetry"] == [True]


def test_all_that_refuses_a_file_is_found_at_once(tmp_path: Path) -> None:
    elbow = 'name="elbow" type="'
    text = arm(('value="2.7"', 'value="2,7"'), (f"{elbow}revolute", f"{elbow}hinge"),
               ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'), ('ixx="0.001"', 'ixx="one"'))
    found = checked(tmp_path, text)
    where = [one.where for one in found.findings if one.rule == "file"]
    assert where == ["link 'upper'", "link 'lower'", "joint 'shoulder'", "joint 'elbow'"]
    assert all("line" in one.message for one in found.findings if one.rule == "file")
    assert found.robot is None
    with pytest.raises(ValueError, match="is refused, so there is no robot to mend"):
        found.fixed()


def test_a_file_that_is_no_xml_is_one_finding(tmp_path: Path) -> None:
    (one,) = checked(tmp_path, "<robot><link></robot>").findings
    assert one.rule == "file" and "not well-formed" in one.message
    with pytest.raises(FileNotFoundError):
        lp.check(tmp_path / "gone.urdf")


def test_findings_are_data_and_text(tmp_path: Path) -> None:
    found = checked(tmp_path, arm(('izz="0.031"', 'izz="0.04"')))
    made = json.loads(found.to_json())
    assert made["sound"] is False and made["counts"]["error"] == 1
    (one,) = (row for row in made["findings"] if row["rule"] == "inertia")
    assert one["numbers"]["A"] == pytest.approx(0.002) and one["fix"] == "inertia"
    assert "triangle inequality" in str(found) and "triangle inequality" in found._repr_html_()
    assert str(found).count("\n") == 2 * len(found.findings)


def test_wrong_requests_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no rule 'inertias'"):
        lp.check(lp.catalog.panda(), ignore=["inertias"])
    with pytest.raises(ValueError, match="there is no fix 'all'"):
        lp.check(lp.catalog.panda()).fixed(["all"])
    with pytest.raises(ValueError, match="expected a robot, or the path"):
        lp.check(3)  # type: ignore[arg-type]
    with pytest.raises(lp.ModelError, match="density is -1"):
        lp.check(lp.catalog.panda(), density=-1)
    with pytest.raises(ValueError, match="is no URDF file"):
        lp.check(lp.catalog.panda()).fixed_text()


@pytest.mark.parametrize("name", ["allegro_hand_description/allegro_left_hand", "ur_description/ur5_robot"])
def test_the_page_shows_what_is_found_in_published_robots(name: str) -> None:
    assert row(name) in PAGE.read_text()
