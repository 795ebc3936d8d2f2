"""Shapes of links in URDF: what they are, and that a broken one never refuses a robot."""

from __future__ import annotations

import warnings

import pytest

import loadpath as lp
from loadpath.files.urdf.reading import read_urdf


def robot(inside: str, more: str = "") -> tuple[lp.Link, list[str]]:
    """The link with these shapes, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = f"<robot name='r'>{more}\n<link name='base'>\n{inside}</link></robot>"
        tree = read_urdf(text, "r.urdf", strict=True).tree
    return tree.links[0], [str(warning.message) for warning in caught]


def visual(geometry: str, more: str = "") -> str:
    return f"<visual>{more}<geometry>{geometry}</geometry></visual>\n"


@pytest.mark.parametrize(
    ("geometry", "shape"),
    [
        ('<box size="1 2 3"/>', lp.BoxShape((1, 2, 3))),
        ('<cylinder radius="0.1" length="2"/>', lp.CylinderShape(0.1, 2)),
        ('<sphere radius="0.1"/>', lp.SphereShape(0.1)),
        ('<capsule radius="0.1" length="2"/>', lp.CapsuleShape(0.1, 2)),
        ('<mesh filename="a.stl" scale="1 1 -2"/>', lp.MeshShape("a.stl", (1, 1, -2))),
    ],
)
def test_each_shape(geometry: str, shape: lp.LinkShape) -> None:
    link, messages = robot(visual(geometry))
    assert link.shapes == (shape,) and not messages


def test_places_colors_names_and_purposes() -> None:
    blue = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'
    red = '<material name="red"><color rgba="1 0 0 1"/><texture filename="a.png"/></material>'
    link, messages = robot(
        "<collision name='hull'><geometry><sphere radius='1'/></geometry></collision>"
        + visual("<box size='1 1 1'/>", "<origin xyz='1 2 3' rpy='0.1 0 0'/><material name='blue'/>")
        + visual("<box size='2 2 2'/>", red)
        + visual("<box size='3 3 3'/>", "<material name='red'/>")
        + visual("<box size='4 4 4'/>", "<material name='unknown'/>"),
        blue,
    )
    assert not messages
    first, second, third, fourth, hull = link.shapes
    assert first == lp.BoxShape((1, 1, 1), pose=lp.Pose.from_xyz_rpy((1, 2, 3), (0.1, 0, 0)), color=(0, 0, 1, 0.5))
    assert second.color == third.color == (1, 0, 0, 1) and fourth.color is None
    assert (hull.purpose, hull.name) == ("collision", "hull") and first.purpose == "visual"


BROKEN = [
    ("<visual/>", "line 3: link 'base': <visual> has no <geometry>"),
    (visual(""), "<geometry> of <visual> holds nothing: expected one of <box>, <cylinder>"),
    (visual("<cone radius='1'/>"), "holds <cone>"),
    (visual("<box size='1 1 1'/><sphere radius='1'/>"), "holds <box>, <sphere>"),
    (visual("<box size='1 1'/>"), "size of <box> is '1 1': expected 3 finite numbers"),
    (visual("<box size='1,5 1 1'/>"), "the decimal sign is a point"),
    (visual("<box/>"), "<box> has no attribute 'size'"),
    (visual("<sphere radius='-1'/>"), "radius of a sphere is -1.0"),
    (visual("<sphere radius='nan'/>"), "radius of <sphere> is 'nan'"),
    (visual("<mesh/>"), "<mesh> has no attribute 'filename'"),
    (visual("<mesh filename=' '/>"), "filename of <mesh> is ' '"),
    (visual("<mesh filename='a.stl' scale='0 1 1'/>"), "scale of the mesh 'a.stl' is (0.0, 1.0, 1.0)"),
    (visual("<box size='1 1 1'/>", "<origin xyz='a'/>"), "xyz of <origin> is 'a'"),
    (visual("<box size='1 1 1'/>", "<origin xyz='0 0 0'/><origin/>"), "has 2 <origin>"),
]


@pytest.mark.parametrize(("shape", "words"), BROKEN)
def test_a_broken_shape_is_left_out_in_one_line(shape: str, words: str) -> None:
    """Also where warnings are errors: nothing of the motion depends on it."""
    link, messages = robot(shape + visual("<sphere radius='2'/>"))
    assert link.shapes == (lp.SphereShape(2),)
    (message,) = messages
    assert message.startswith("r.urdf: the robot is drawn without what cannot be read: ") and "\n" not in message
    assert words in message


def test_one_warning_for_the_file() -> None:
    link, messages = robot("".join(shape for shape, _ in BROKEN))
    assert not link.shapes
    assert len(messages) == 1 and f"; and {len(BROKEN) - 1} more; motion and loads" in messages[0]


def test_a_color_that_is_none_leaves_the_shape() -> None:
    for rgba in ("255 0 0 1", "1 0 0", "red"):
        link, messages = robot(visual("<sphere radius='2'/>", f"<material name=''><color rgba='{rgba}'/></material>"))
        assert link.shapes == (lp.SphereShape(2),)
        assert len(messages) == 1 and "rgba of <color>" in messages[0]
