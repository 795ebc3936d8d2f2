"""What the compiler's process sends is a model only if its counts, numbers and places say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

import loadpath as lp
from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_compiler import sent_model
from loadpath.foreign.mujoco_model import SENT, model_of
from mjcf.mjcf_texts import ARM, FOUR_BAR, FREE_BODIES, SEVERAL_JOINTS

TENDONS = """<mujoco><worldbody><body name="a"><joint name="x"/><geom size="0.1"/><site name="s"/></body>
  <body name="b"><joint name="y"/><geom size="0.1"/><site name="t"/></body></worldbody>
  <tendon><fixed name="f"><joint joint="x" coef="2"/><joint joint="y" coef="1"/></fixed>
  <spatial name="c"><site site="s"/><site site="t"/></spatial></tendon>
  <equality><tendon tendon1="f"/><joint joint1="x" joint2="y"/><connect body1="a" body2="b"
  anchor="0 0 0"/></equality>
  <actuator><motor name="m" tendon="f"/><motor name="n" joint="x"/></actuator></mujoco>"""


def sent(text: str = TENDONS) -> Message:
    return sent_model(mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("text", [ARM, FOUR_BAR, FREE_BODIES, SEVERAL_JOINTS, TENDONS])
def test_what_mujoco_compiles_is_a_model(text: str) -> None:
    model = model_of(sent(text))
    theirs = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(model.body_pos, theirs.body_pos)
    assert model.count["joint"] == theirs.njnt and len(model.jnt_kind) == theirs.njnt
    assert model.body_name[0] == "world" and all(model.jnt_kind)


@pytest.mark.parametrize("name", [name for name, each in SENT.items() if each.words is None])
def test_every_array_is_needed_in_its_shape_and_kind(name: str) -> None:
    array = sent().arrays[name]
    for other in ({}, {name: np.zeros((len(array) + 1, 3), dtype=array.dtype)}, {name: array.astype("<f4")}):
        message = sent()
        del message.arrays[name]
        message.arrays |= other
        with pytest.raises(lp.ModelError, match=rf"MuJoCo's compiler returns {name} that no model has"):
            model_of(message)


@pytest.mark.parametrize("name", [name for name, each in SENT.items() if each.words is not None])
def test_every_list_of_words_is_needed(name: str) -> None:
    for words in (None, ["a"] * 99, [1] * len(sent().fields[name]) or [1]):
        message = sent()
        message.fields[name] = words
        with pytest.raises(lp.ModelError, match=rf"MuJoCo's compiler returns {name} that no model has"):
            model_of(message)


@pytest.mark.parametrize("name", [name for name, each in SENT.items() if each.least is None and each.words is None])
def test_numbers_are_finite_and_quaternions_of_length_one(name: str) -> None:
    message = sent()
    if not message.arrays[name].size:
        pytest.skip("this model has none")
    for value in (np.nan, np.inf):
        array = message.arrays[name].copy()
        array.flat[-1] = value
        with pytest.raises(lp.ModelError, match=rf"MuJoCo's {name} is .*: expected finite numbers"):
            model_of(Message(message.fields, {**message.arrays, name: array}))
    if SENT[name].unit:
        with pytest.raises(lp.ModelError, match="cannot bring its quaternion to length 1"):
            model_of(Message(message.fields, {**message.arrays, name: message.arrays[name] * 1.001}))


def at(name: str, place: int, value: int) -> Callable[[Message], None]:
    def change(message: Message) -> None:
        array = message.arrays[name].copy()
        array[place] = value
        message.arrays[name] = array

    return change


WRONG: dict[str, tuple[Callable[[Message], Any], str]] = {
    "a parent after its child": (at("body_parentid", 1, 2), "body_parentid"),
    "its own parent": (at("body_parentid", 2, 2), "body_parentid"),
    "a body that is not there": (at("jnt_bodyid", 0, 3), "jnt_bodyid"),
    "joints beyond the last": (at("body_jntnum", 2, 2), "ranges of parts"),
    "joints before the first": (at("body_jntadr", 2, -1), "ranges of parts"),
    "geoms beyond the last": (at("body_geomnum", 2, 2), "ranges of parts"),
    "wraps beyond the last": (at("tendon_num", 1, 3), "ranges of parts"),
    "coordinates beyond the last": (at("jnt_qposadr", 1, 2), "jnt_qposadr"),
    "an equality of a joint that is not there": (at("eq_obj2id", 1, 2), "ends of equalities"),
    "an equality of no joint": (at("eq_obj1id", 1, -1), "ends of equalities"),
    "a tie of a body that is not there": (at("eq_obj2id", 2, 3), "ends of equalities"),
    "a tie of no body": (at("eq_obj2id", 2, -1), "ends of equalities"),
    "a tie of nothing": (lambda message: message.fields.update(eq_ends=["", "", ""]), "ends of equalities"),
    "an actuator of a tendon that is not there": (at("actuator_trnid", 0, 2), "ends of actuators"),
    "an actuator of no joint": (at("actuator_trnid", 1, -1), "ends of actuators"),
    "a tendon of a joint that is not there": (at("wrap_objid", 0, 2), "joints of tendons"),
    "no kind of a joint": (lambda message: message.fields.update(jnt_kind=["hinge", ""]), "kinds of joints"),
    "a kind that needs more": (lambda message: message.fields.update(jnt_kind=["hinge", "ball"]), "places of joints"),
    "a kind that is unknown": (lambda message: message.fields.update(jnt_kind=["hinge", "screw"]), "jnt_kind"),
    "a count below zero": (lambda message: message.fields["count"].update(body=-1), "counts"),
    "a count too many": (lambda message: message.fields["count"].update(wheel=1), "counts"),
    "options that are none": (lambda message: message.arrays.update(world=np.zeros(4)), "options"),
    "gravity without a number": (lambda message: message.arrays.update(world=np.full(5, np.nan)), "options"),
}


@pytest.mark.parametrize("name", WRONG)
def test_places_that_are_not_there_are_refused(name: str) -> None:
    change, what = WRONG[name]
    message = sent()
    change(message)
    with pytest.raises(lp.ModelError, match=f"MuJoCo's compiler returns {what} that no model has"):
        model_of(message)
