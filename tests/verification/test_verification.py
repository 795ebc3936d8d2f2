"""All formulations agree, on arms and trees of all joints; those that refuse a robot are listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.quantity import Compiled


@pytest.mark.parametrize("seed", range(3))
def test_random_arms_of_mixed_joints(seed: int) -> None:
    result = lp.verify(lp.catalog.random_chain(6, seed=seed))
    assert len(result.names) == 10 and not result.refused
    assert result.worst <= 1e-12 and result.agrees


def test_every_joint_type_in_a_tree_with_drives() -> None:
    result = lp.verify(lp.catalog.random_tree(11, seed=4, joints="all", general=True, drives=True), states=3)
    assert result.agrees and not result.refused


def test_mimicking_joints() -> None:
    chain = lp.catalog.random_chain(3, seed=1, joints="revolute", drives=True)
    follower = replace(chain.joints[2], mimic=lp.Mimic("joint1", multiplier=-0.7, offset=0.2))
    assert lp.verify(replace(chain, joints=(*chain.joints[:2], follower)), states=4).agrees


def test_published_arms() -> None:
    for robot in (lp.catalog.puma560(), lp.catalog.stanford_arm(), lp.catalog.lau_arm()):
        assert lp.verify(robot, states=4, seed=2).agrees


def test_the_table_is_symmetric_and_relative() -> None:
    result = lp.verify(lp.catalog.two_link(), states=7)
    assert result.differences.shape == (10, 10)
    assert np.array_equal(result.differences, result.differences.T) and not result.differences.diagonal().any()
    assert result.states == 7 and 1 < result.largest < 100
    text = str(result)
    assert "lagrange-euler" in text and "7 random states" in text


def test_a_formulation_that_refuses_is_listed_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Compiled, robot: object, variant: object) -> object:
        if variant.formulation == "luh":
            raise ValueError("joint 'joint1' is not for this method")
        return before(self, robot, variant)

    before = Compiled.uncompiled
    monkeypatch.setattr(Compiled, "uncompiled", refuse)
    result = lp.verify(lp.catalog.two_link(), states=1)
    assert result.refused == {"luh": "joint 'joint1' is not for this method"}
    assert "luh" not in result.names and result.agrees
    assert "luh refuses: joint 'joint1'" in str(result)


def test_a_wrong_formulation_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    quantity = lp.Robot.inverse_dynamics
    right = quantity.formulations["luh"]

    def wrong(*arguments: object) -> object:
        return 1.001 * right.formulation(*arguments)

    monkeypatch.setitem(quantity.formulations, "luh", right._replace(formulation=wrong))
    result = lp.verify(lp.catalog.two_link(), states=2)
    assert not result.agrees and 5e-4 < result.worst < 2e-3


@pytest.mark.parametrize("states", [0, -1, 2.5, True])
def test_number_of_states_is_checked(states: object) -> None:
    with pytest.raises(ValueError, match="states"):
        lp.verify(lp.catalog.two_link(), states)


def test_nothing_to_verify() -> None:
    with pytest.raises(ValueError, match="no moving joints"):
        lp.verify(lp.catalog.two_link().locked({"joint1": 0.0, "joint2": 0.0}))
