"""Numbers in another unit are asked about; large, small and light machines that exist are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from real_robots import REAL_ROBOTS, REFUSED

UR5 = lp.catalog.ur5()


def said(make: Callable[[], Any]) -> list[str]:
    """Questions that were asked."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        make()
    return [str(w.message) for w in found if str(w.message).endswith("?")]


def crane() -> lp.Robot:
    """A boom of 60 m that slews and luffs, with a trolley on it and a hook on a rope of 40 m."""
    return lp.from_dh(
        [
            {"d": 40.0, "alpha": np.pi / 2, "mass": 4e4, "inertia": (2e6, 1e5, 2e6)},
            {"a": 60.0, "mass": 9e3, "center_of_mass": (-30, 0, 0), "inertia": (1e4, 2.7e6, 2.7e6)},
            {"joint": "prismatic", "d": 0.0, "mass": 300.0, "limits": (-60, 60)},
            {"a": 0.1, "d": 40.0, "mass": 50.0, "inertia": (1, 1, 1)},
        ]
    )


def arm(*lengths: float, mass: float = 2.0) -> lp.Robot:
    return lp.from_dh([{"a": a, "mass": mass, "center_of_mass": (-a / 2, 0, 0)} for a in lengths])


@pytest.mark.parametrize(
    "make",
    [
        crane,
        lambda: crane().with_payload(1000.0, (0, 0, -2.0), inertia=100 * np.eye(3)),
        lambda: arm(0.002, 0.002, mass=1e-6),  # a micro-robot
        lambda: arm(0.002, 0.002, mass=1e-6).with_payload(1e-7, (0.001, 0, 0)),
        lambda: arm(5.0, 5.0, mass=1.0),  # carbon fibre
        lambda: arm(0.5),
        lambda: lp.catalog.planar(1).with_payload(3.0, (1.0, 0, 0)),
        lambda: UR5.with_payload(5.0, (0, 0, 0.8), inertia=0.3 * np.eye(3)),
        lambda: UR5.with_gravity(100 * 9.81),  # in a centrifuge
        lambda: lp.Tube(1.5, 0.02),
        lambda: lp.Section(area=2.0, second_moment_y=8.0, second_moment_z=8.0, torsion_constant=10.0),
        lambda: lp.Joint("j", "a", "b", lp.Revolute(), limits=lp.Limits(-20, 20)),  # cables let it turn three times
    ],
)
def test_machines_that_exist_are_not_asked_about(make: Callable[[], Any]) -> None:
    assert said(make) == []


@pytest.mark.parametrize("third", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_published_robots_are_not_asked_about(third: int) -> None:
    for name, path in list(REAL_ROBOTS.items())[third::3]:
        if name not in REFUSED:
            assert said(lambda path=path: lp.load(path).with_gravity(9.0)) == [], name  # type: ignore[misc]


def test_the_catalog_is_not_asked_about() -> None:
    for robot in (lp.catalog.panda, lp.catalog.puma560, lp.catalog.stanford_arm, lp.catalog.lau_arm, lp.catalog.ur5,
                  lambda: lp.catalog.planar(3), lambda: lp.catalog.random_dh_arm(6, seed=1)):
        assert said(robot) == []


def heavy(tensor: float) -> lp.Robot:
    return UR5.with_inertias({"link3": lp.Inertia(2.0, (0.1, 0, 0), (tensor * np.eye(3)).tolist())})


def hinge(**parts: Any) -> lp.Robot:
    body = parts.pop("body", lp.Inertia(2.0, (0.2, 0, 0)))
    links = [lp.Link("base"), lp.Link("a", body), lp.Link("b", lp.Inertia(1.0, (0.1, 0, 0)))]
    joints = [lp.Joint("j1", "base", "a", lp.Revolute()), lp.Joint("j2", "a", "b", lp.Revolute(), **parts)]
    return lp.Robot("r", links, joints)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: UR5.with_payload(5.0, (0, 0, 50)), "payload 'payload' has its center of mass 50 m away"),
        (lambda: UR5.with_payload(5.0, (0, 0, 0.05), inertia=8000 * np.eye(3)), "an inertia of 8000 kg m^2"),
        (lambda: arm(500.0, 400.0), "link offset of joint 'joint1' is 500 m away"),
        (lambda: arm(50.0, 40.0), "all that moves weighs 4 kg: millimetres?"),
        (lambda: arm(0.5, 60.0, mass=20.0), "where no other length of the robot is more than"),
        (lambda: hinge(origin=(0, 0, 300)), "origin of joint 'j2' is 300 m away"),
        (lambda: hinge(origin=(0.4, 0, 0), body=lp.Inertia(2.0, (20, 0, 0))), "mass of link 'a' is 20 m away"),
        (lambda: heavy(2e4), "link 'link3': its inertia of 20000 kg m^2"),  # kg mm^2
        (lambda: heavy(2e7), "kg mm^2 or g mm^2?"),
        (lambda: UR5.with_gravity(9810), "its gravity is 9810 m/s^2: mm/s^2?"),
        (lambda: hinge(origin=(0.4, 0, 0), limits=lp.Limits(-160, 160)), "limits of joint 'j2' are -160 to 160 rad"),
        (lambda: lp.Tube(60, 5), "outer radius of a tube is 60 m: millimetres?"),
        (lambda: lp.Rod(40), "radius of a rod is 40 m"),
        (lambda: lp.Bar(20, 40), "width of a bar is 20 m"),
        (lambda: lp.RectangularTube(60, 80, 4), "width of a rectangular tube is 60 m"),
        (lambda: lp.Section(1e3, 1e6, 1e6, 1e6), "area of a section is 1000 m^2: mm^2?"),
        (lambda: lp.Section(1e-3, 1e6, 1e6, 1e6), "second moment y of a section is 1e+06 m^4: mm^4?"),
    ],
)
def test_other_units_are_asked_about_once(make: Callable[[], Any], words: str) -> None:
    asked = said(make)
    assert len(asked) == 1
    assert words in asked[0]


def test_the_number_stays_and_is_not_asked_about_again() -> None:
    with pytest.warns(lp.ModelWarning, match="millimetres"):
        loaded = UR5.with_payload(5.0, (0, 0, 50))
    assert loaded.link("payload").inertia.center_of_mass == (0.0, 0.0, 50.0)
    assert said(lambda: loaded.with_gravity(1.6)) == []


def test_a_helical_joint_without_a_pitch() -> None:
    """The second argument of all joints with an axis is their zero."""
    with pytest.warns(lp.ModelWarning, match=r"pitch of a helical joint is 0, .*: is pitch=0.01, which is now its z"):
        lp.Helical((0, 0, 1), 0.01)
    with pytest.warns(lp.ModelWarning, match=r"is pitch=, in m per rad, missing\?"):
        lp.Helical()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lp.Helical((0, 0, 1), pitch=-0.01).pitch == -0.01
