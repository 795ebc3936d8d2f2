"""Where the limits of MJCF files are: what is just within them is read, and one more is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import (
    DEEPEST_INCLUDES,
    MOST_COPIES,
    MOST_NUMBERS,
    MOST_PARTS,
    MOST_POINTS,
    check_mjcf,
)

BODY = '<body name="b"><joint/><geom size="0.1"/></body>'
"""Three elements."""


def check(inside: str, assets: Assets = Assets(), before: str = "") -> None:  # noqa: B008
    check_mjcf(f"<mujoco>{before}<worldbody>{inside}</worldbody></mujoco>", "arm.xml", assets)


def replicated(count: int, inside: str = BODY) -> str:
    return f'<replicate count="{count}">{inside}</replicate>'


def test_copies_of_elements_are_counted_to_the_last() -> None:
    most = MOST_COPIES // 3 + 1  # the first is no copy
    check(replicated(most))
    with pytest.raises(lp.ModelError, match=rf"<replicate count='{most + 1}'> makes more than 10,000 copies"):
        check(replicated(most + 1))
    check(replicated(100, replicated(30)))  # 9,000 bodies' elements less those that are written
    with pytest.raises(lp.ModelError, match="makes more than 10,000 copies"):
        check(replicated(100, replicated(34)))
    with pytest.raises(lp.ModelError, match="makes more than 10,000 copies"):
        check(replicated(MOST_COPIES // 2) + replicated(MOST_COPIES // 2))


@pytest.mark.parametrize("count", [1, 0, -3])
def test_what_makes_one_copy_or_none_makes_no_more(count: int) -> None:
    text = BODY
    for _ in range(20):
        text = replicated(count, text)
    check(text)


def test_an_empty_replicate_of_many_is_refused_too() -> None:
    check(replicated(MOST_COPIES, ""))
    with pytest.raises(lp.ModelError, match=rf"<replicate count='{MOST_COPIES + 1}'> makes more"):
        check(replicated(MOST_COPIES + 1, ""))


def test_composites_are_counted_by_all_their_directions() -> None:
    check('<composite type="cable" count="100 10 10"/>')
    with pytest.raises(lp.ModelError, match=r"<composite count='100 10 11'> makes more"):
        check('<composite type="cable" count="100 10 11"/>')


def test_sizes_of_single_elements() -> None:
    within = {
        "<asset><hfield nrow='{}' ncol='1000'/></asset>": MOST_POINTS // 1000,
        "<asset><mesh params='{} 3'/></asset>": MOST_PARTS,
        "<custom><numeric name='n' size='{}'/></custom>": MOST_NUMBERS,
        "<size nkey='{}'/>": 1_000_000,
    }
    for text, most in within.items():
        check(BODY, before=text.format(most))
        check(BODY, before=text.format(f"+{most}"))
        with pytest.raises(lp.ModelError, match=r"more than [0-9,]+( points)?, which no robot needs"):
            check(BODY, before=text.format(most + 1))
    check(BODY, before="<size memory='10G' njmax='999999999999'/>")  # of simulations alone


def models(folder: Path, count: int, inside: str = BODY) -> Assets:
    (folder / "part.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    (folder / "arm.xml").write_text("<mujoco/>")
    return Assets.beside(folder / "arm.xml")


def test_models_that_are_attached_again_and_again_are_counted(tmp_path: Path) -> None:
    assets = models(tmp_path, 1)
    asset = '<asset><model name="part" file="part.xml"/></asset>'
    attached = '<attach model="part" body="b" prefix="x"/>'
    check(attached * (MOST_COPIES // 5), assets, asset)  # five elements each
    with pytest.raises(lp.ModelError, match="<attach> makes more than 10,000 copies"):
        check(attached * (MOST_COPIES // 5 + 1), assets, asset)
    with pytest.raises(lp.ModelError, match="<attach> makes more than 10,000 copies"):
        check(replicated(50, '<attach model="other" body="b" prefix="x"/>' * 41), assets, asset)


def test_rows_of_files_that_include_one_another(tmp_path: Path) -> None:
    for k in range(DEEPEST_INCLUDES + 1):
        (tmp_path / f"{k}.xml").write_text(f"<mujoco><include file='{k + 1}.xml'/></mujoco>")
    (tmp_path / f"{DEEPEST_INCLUDES + 1}.xml").write_text("<mujoco/>")
    assets = Assets.beside(tmp_path / "arm.xml")
    check_mjcf("<mujoco><include file='2.xml'/></mujoco>", "arm.xml", assets)
    with pytest.raises(lp.ModelError, match="in a row of more than 50 files that include one another"):
        check_mjcf("<mujoco><include file='1.xml'/></mujoco>", "arm.xml", assets)


def test_a_circle_that_the_main_file_enters_in_two_places(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<mujoco><include file='b.xml'/></mujoco>")
    (tmp_path / "b.xml").write_text("<mujoco><include file='a.xml'/></mujoco>")
    with pytest.raises(lp.ModelError, match=r"includes itself: .* -> .* -> "):
        check_mjcf("<mujoco><include file='a.xml'/><include file='b.xml'/></mujoco>", "arm.xml",
                   Assets.beside(tmp_path / "arm.xml"))


# Where included files may be


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A robot's file three folders down, and parts around it."""
    folder = tmp_path / "outer" / "arm" / "mjcf"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent, folder.parents[1]):
        (place / "part.xml").write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    return folder / "arm.xml"


def write(robot: Path, part: str) -> Path:
    robot.write_text(f"<mujoco><include file='{part}'/></mujoco>")
    return robot


def test_parts_in_the_folder_of_the_file_are_included(robot: Path) -> None:
    for part in ("part.xml", str(robot.parent / "part.xml")):
        assert lp.load(write(robot, part)).n == 1


@pytest.mark.parametrize("name", ["package.xml", "__init__.py"])
def test_parts_elsewhere_only_if_the_user_names_their_folder_or_they_are_of_the_package(robot: Path, name: str) -> None:
    outer = robot.parents[2]
    mark = outer / name
    for part in ("../part.xml", "../../part.xml", str(outer / "part.xml"), "../../gone.xml"):
        with pytest.raises(lp.ModelError, match=r"outside of what this file may include: .*package_paths=\[folder\]"):
            lp.load(write(robot, part))
    assert lp.load(write(robot, "../../part.xml"), package_paths=[outer]).n == 1
    mark.write_text("<package><name>arm</name></package>")
    assert lp.load(write(robot, "../../part.xml")).n == 1


def test_files_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "finger.xml").write_text(
            f"<mujoco><worldbody>{BODY.replace('name=', f'name={chr(39)}{side}{chr(39)} pos=')}</worldbody></mujoco>"
            .replace('pos="b"', 'pos="0 0 1"')
        )
    path = tmp_path / "hand.xml"
    path.write_text("<mujoco><include file='left/finger.xml'/><include file='right/finger.xml'/></mujoco>")
    assert {"left", "right"} <= set(lp.load(path).link_names)


def test_an_error_of_mujoco_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("<mujoco\n  model='a'>\n<!-- a\nx --><worldbody>\n<body>\n<joynt/></body></worldbody></mujoco>")
    with pytest.raises(lp.ModelError, match=r"arm\.xml, line 6: MuJoCo's compiler refuses it: .*joynt"):
        lp.load(path)
