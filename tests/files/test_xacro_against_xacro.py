"""Files of xacro: Loadpath makes of them what the package `xacro` makes, feature by feature and of real files."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from xacro_reference import of_ours, of_xacro

from loadpath.errors import ModelError
from real_robots import REAL_ROBOTS

pytest.importorskip("xacro")

START = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
FILES = Path(__file__).parent / "xacro_files"
FEATURES = sorted(path.stem for path in FILES.glob("*.xacro"))


@pytest.mark.parametrize("feature", FEATURES)
def test_the_same_as_xacro(feature: str) -> None:
    file = FILES / f"{feature}.xacro"
    arguments = {"flag": "true"} if "flag" in file.read_text() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = of_ours(file, arguments, {"pkg": str(FILES)})
    assert ours == of_xacro(file, arguments, {"pkg": str(FILES)})
    assert len(FEATURES) >= 25


WRONG = {
    "unknown_macro": "<xacro:m/>",
    "unknown_parameter": "<xacro:macro name='m'/><xacro:m a='1'/>",
    "missing_parameter": "<xacro:macro name='m' params='a'/><xacro:m/>",
    "missing_block": "<xacro:macro name='m' params='*a'/><xacro:m/>",
    "spare_block": "<xacro:macro name='m'/><xacro:m><a/></xacro:m>",
    "missing_file": "<xacro:include filename='nowhere.xacro'/>",
    "circular": "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x a='${a}'/>",
    "not_forwarded": "<xacro:macro name='m' params='a:=^'/><xacro:m/>",
    "no_condition": "<xacro:if value='maybe'/>",
    "undefined": "<x a='${nothing}'/>",
    "undefined_argument": "<x a='$(arg nothing)'/>",
    "not_closed": "<x a='${1'/>",
    "block_unknown": "<xacro:insert_block name='b'/>",
    "name_of_property": "<xacro:property name='a-b' value='1'/>",
    "two_values": "<xacro:property name='a' value='1' default='2'/>",
    "name_of_macro": "<xacro:macro name='a.b'/>",
    "of_a_namespace": "<xacro:include filename='included.xml' ns='lib'/><xacro:lib.nothing/>",
    "local_macro": "<xacro:macro name='o'><xacro:macro name='i'/></xacro:macro><xacro:o/><xacro:i/>",
    "key": "<x a='${dict(a=1)[\"b\"]}'/>",
    "tag_of_yaml": "<x a='${xacro.load_yaml(\"bad.yaml\")}'/>",
}


@pytest.mark.parametrize("fault", WRONG)
def test_refused_as_by_xacro(tmp_path: Path, fault: str) -> None:
    (tmp_path / "bad.yaml").write_text("a: !unknown 2")
    (tmp_path / "included.xml").write_text((FILES / "included.xml").read_text())
    file = tmp_path / "a.xacro"
    file.write_text(f"{START}{WRONG[fault]}</robot>")
    with pytest.raises(ModelError):
        of_ours(file)
    with pytest.raises(Exception):  # noqa: B017  # of many classes
        of_xacro(file)


def test_real_files() -> None:
    robots = next(iter(REAL_ROBOTS.values())).parents[2]
    files = sorted(robots.rglob("*.urdf.xacro"))
    assert files
    for file in files:
        assert of_ours(file) == of_xacro(file)
