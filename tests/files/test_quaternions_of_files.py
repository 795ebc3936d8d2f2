"""Quaternions in files: without a length they are refused in words, of any other length they are read right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="r"><link name="a"/><link name="b">{BODY}</link><joint name="j" type="continuous">
<origin xyz="0 0 0" quat_xyzw="%s"/><parent link="a"/><child link="b"/></joint></robot>"""
SDF = """<sdf version="1.9"><model name="r"><link name="b"><pose rotation_format="quat_xyzw">0 0 0 %s</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="j" type="revolute"><parent>world</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


@pytest.mark.parametrize("text", [URDF, SDF], ids=["urdf", "sdf"])
@pytest.mark.parametrize("size", ["0", "-0.0", "1e-400"])
def test_a_quaternion_without_length_is_refused(tmp_path: Path, text: str, size: str) -> None:
    file = tmp_path / "r.xml"
    file.write_text(text % f"0 0 {size} 0")
    with pytest.raises(lp.ModelError, match=r"is zero: expected (a quaternion )?x y z w"):
        lp.load(file)


@pytest.mark.parametrize("text", [URDF, SDF], ids=["urdf", "sdf"])
@pytest.mark.parametrize("size", ["1e-300", "1e-170", "1", "1e200", "-1e300"])
def test_a_quaternion_of_any_length_is_read_right(tmp_path: Path, text: str, size: str) -> None:
    file = tmp_path / "r.xml"
    file.write_text(text % f"0 0 {size} {size}")
    found = np.array(lp.load(file).joint("j").origin.rotation)
    np.testing.assert_allclose(found, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)  # a quarter turn about z
