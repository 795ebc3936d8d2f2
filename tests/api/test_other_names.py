"""Names that people bring from elsewhere lead to what has them here."""

from __future__ import annotations

import re

import pytest

import loadpath as lp
from loadpath.api.missing import CALLED
from loadpath.engine.attached import lines_of


@pytest.mark.parametrize("name", CALLED)
def test_a_name_from_elsewhere_leads_to_a_name_that_is_there(name: str) -> None:
    robot = lp.catalog.planar(2)
    with pytest.raises(AttributeError, match=re.escape(f"here it is robot.{CALLED[name]}")):
        getattr(robot, name)
    ours = re.match(r"\w+", CALLED[name])
    assert ours is not None and hasattr(robot, ours.group())
    assert name not in lines_of(robot)


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_a_robot_of_the_catalog_that_is_loaded_as_a_file(name: str) -> None:
    with pytest.raises(FileNotFoundError, match=rf"lp\.catalog\.{name}\(\.\.\.\) is a robot of the catalog"):
        lp.load(name)


def test_no_robot_of_the_catalog() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        lp.load("ur5.urdf")
    assert "catalog" not in str(caught.value)
