"""A short run of the fuzzer with fixed seeds, and that it would find something; `python -m tests.fuzz` runs longer."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from loadpath.files.urdf.reading import parse_urdf

from . import against_pinocchio, urdf_cases
from .outcome import Fault, Outcome, Parser, Refusal, control_characters, refusals
from .parsers import PARSERS
from .runner import GROWTH, SECONDS, Tally, decoded, encoded, memory, replayed, run, tried
from .xml_trees import parsed, plain

SEED = 20_261_116
CASES = {
    "URDF": 220,
    "MJCF": 200,
    "meshes": 200,
    "DH table": 120,
    "motion CSV": 120,
    "motion NPZ": 120,
    "motion written and read": 60,
    "command line": 60,
    "Python calls": 400,
    "xacro": 250,
    "SDF": 150,
    "project file": 120,
    "archive": 200,
}


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_no_fault_in_a_short_run(parser: Parser, tmp_path: Path) -> None:
    tally, before = Tally(parser.name), memory()
    run(parser, SEED, CASES[parser.name], tmp_path, tally)
    print(f"seed {SEED}; {tally.line()}; {dict(tally.rules)}")
    found = [f"{problem}: {path.read_text()}" for problem, path in tally.faults.items()]
    assert not found, f"seed {SEED}: {found[0][:3000]}"
    assert tally.cases >= 0.9 * CASES[parser.name]
    most = 0.99 if parser.name == "Python calls" else 0.95  # of calls with anything at all, few can be right
    assert tally.kinds["refused"] < most * tally.cases, "hardly anything is accepted: this tests little"
    assert memory() - before < GROWTH


# The fuzzer itself: it must find what is planted, and its rules must not explain everything away


def _with(robot: Any, **changes: Any) -> Any:
    from dataclasses import replace

    return replace(robot, **changes)


ARM = b"""<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>
</joint></robot>"""


def test_a_robot_that_is_read_wrong_is_a_fault() -> None:
    robot = parse_urdf(ARM)
    assert against_pinocchio.compared(ARM, robot).kind == "agreed"
    body = robot.link("b").inertia
    heavier = type(body)(body.mass * (1 + 1e-7), body.center_of_mass, body.tensor)
    changed = _with(robot, links=(robot.links[0], _with(robot.links[1], inertia=heavier)))
    with pytest.raises(Fault, match=r"differs from Pinocchio by \d\.\d+e-0[78]"):
        against_pinocchio.compared(ARM, changed)


def test_each_rule_explains_what_it_says() -> None:
    expected = {
        "white space": ARM.replace(b'"0.1 0 0.2"', b'"0.1  0 0.2 "'),
        "quaternion": ARM.replace(b'xyz="0.1 0 0.2"', b'xyz="0.1 0 0.2" quat_xyzw="0 0 3 4"'),
        "XML": ARM.replace(b"<link", b"<?x y?><link", 1),
        "length of an axis": ARM.replace(b'axis xyz="0 1 0"', b'axis xyz="0 1e-200 0"'),
        "friction of several speeds": ARM.replace(b'"revolute"', b'"floating"').replace(
            b"<limit", b'<dynamics damping="2"/><limit'
        ),
    }
    for rule, data in expected.items():
        outcome = against_pinocchio.compared(data, parse_urdf(data))
        assert outcome.kind in ("agreed", "explained")
        if outcome.kind == "explained":
            assert outcome.rule == rule
    kinds = [against_pinocchio.compared(data, parse_urdf(data)).kind for data in expected.values()]
    assert kinds.count("explained") >= 3


def test_an_accident_a_silence_and_a_long_wait_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Fault, match="KeyError"), refusals(ValueError):
        {}["a"]
    with pytest.raises(Fault, match="from inside"), refusals(ValueError):
        np.array([1.0, 2.0]).reshape(3)
    with pytest.raises(Refusal), refusals(ValueError):
        parse_urdf("<robot/>")
    with pytest.raises(Fault, match="does not name"), refusals(ValueError, names="arm.urdf"):
        parse_urdf("<robot/>", source="other.urdf")
    monkeypatch.setattr("fuzz.runner.SECONDS", 0.2)
    slow = Parser("slow", st.just({}), lambda case: time.sleep(5) or Outcome("accepted"))  # type: ignore[func-returns-value]
    with pytest.raises(Fault, match="takes longer"):
        tried(slow, {})
    assert SECONDS > 1


def test_a_fault_is_made_small_saved_and_replayed(tmp_path: Path) -> None:
    def check(case: dict[str, Any]) -> Outcome:
        with refusals(ValueError):
            if len(case["data"]) >= 3:
                raise KeyError("three")
        return Outcome("accepted")

    parser = Parser("planted", st.fixed_dictionaries({"data": st.binary(max_size=50)}), check)
    tally = Tally(parser.name)
    run(parser, 1, 200, tmp_path, tally)
    (path,) = tally.faults.values()
    assert len(decoded(json.loads(path.read_text())["case"])["data"]) == 3
    said: list[str] = []
    assert not replayed(path, (parser,), said.append)
    assert "KeyError" in " ".join(said)


def test_cases_survive_being_saved() -> None:
    case = {"data": bytes(range(256)), "rows": [[1.5, None, "\ud800"], {"a": b"\x00"}], "nan": float("inf")}
    assert decoded(json.loads(json.dumps(encoded(case)))) == case


def test_mutations_change_the_file() -> None:
    import random

    for move in dict.fromkeys([*urdf_cases.GENTLE, *urdf_cases.ROUGH]):  # a set's order differs from run to run
        rng = random.Random(3)
        changed = 0
        for _ in range(60):
            tree = urdf_cases.random_robot(rng, 5)
            before = plain(tree)
            move(tree, rng.choice(tree.everything()), rng)
            changed += plain(tree) != before
        assert changed, move.__name__
    tree = urdf_cases.random_robot(rng, 4)
    assert plain(parsed(plain(tree))) == plain(tree)
    assert control_characters("a\x1b\u202eb\n") == ["\x1b", "\u202e"]
