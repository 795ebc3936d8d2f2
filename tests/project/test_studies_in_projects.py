"""`[study]` of project files: what it makes, and what is wrong with it, found before anything is computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.project.studies import MOST_DESIGNS

HEAD = """
[robot]
catalog = "planar:2"
[payload]
mass = 1.0
[limits.joint1]
effort = 90
[motion]
swing = true
duration = 1.5
"""
STUDY = """
[study]
answers = ["mass", "joint1.drive:rms", { quantity = "joint2.drive", histogram = [-20, 0, 20], name = "shares" },
           ["joint1", "effort"]]
subject_to = "payload.mass * link1.length <= 4.5"
front = "motion.duration"
maximise = ["payload.mass"]
where = "joint1.effort <= 100 %"
[study.space]
payload.mass = { from = "0 g", to = "4 kg", count = 3 }
"link1.length" = ["800 mm", "1.2 m"]
wall = [0.003, 0.004]
"link1.mass" = { follows = "100 * link1.length * wall * 1 m" }
"motion.duration" = { from = "1 s", to = "2 s", count = 2 }
"""


def project(folder: Path, text: str, *, trust: bool = False) -> lp.Project:
    file = folder / "project.toml"
    file.write_text(text)
    return lp.load_project(file, trust=trust)


def test_it_is_the_study_that_python_makes(tmp_path: Path) -> None:
    made = project(tmp_path, HEAD + STUDY)
    study = made.study().run()
    space = lp.Space({
        "payload.mass": lp.span("0 kg", "4 kg", 3), "link1.length": [0.8, 1.2], "wall": [0.003, 0.004],
        "link1.mass": lambda link1_length, wall: 100 * link1_length * wall, "motion.duration": lp.span("1 s", "2 s", 2),
    }).subject_to("payload.mass * link1.length <= 4.5")
    asked = ["mass", "joint1.drive:rms", lp.Answer("joint2.drive", ("histogram", (-20.0, 0.0, 20.0)), "shares"),
             ("joint1", "effort")]
    own = lp.study(made.robot, space, made.motion, answers=asked).run()
    assert study.counts == own.counts
    assert study.counts["left out"] == 4
    for name in ("mass", "joint1.drive:rms", "shares", "joint1.effort"):
        np.testing.assert_allclose(study.answer(name), own.answer(name), rtol=1e-13)
    assert made.asked_study is not None
    assert made.asked_study.choice == (("motion.duration",), ("payload.mass",), "joint1.effort <= 100 %")


def test_states_of_the_workspace_stand_for_a_motion(tmp_path: Path) -> None:
    text = HEAD + """
[study]
answers = ["wrenches"]
[study.space]
payload.mass = [0, 2]
[study.states]
sampling = "sobol"
designs = 64
seed = 3
[study.states.space]
"joint1.position" = { from = "-90 deg", to = "90 deg" }
"joint2.position" = { from = "-1 rad", to = "1 rad" }
"""
    found = project(tmp_path, text).study().run().answer("wrenches")
    states = lp.Space({"joint1.position": lp.span("-90 deg", "90 deg"), "joint2.position": lp.span("-1 rad", "1 rad")})
    space = lp.Space({"payload.mass": [0.0, 2.0]})
    robot = lp.load_project(tmp_path / "project.toml").robot
    own = lp.study(robot, space, states.sobol(64, seed=3), answers=["wrenches"]).run().answer("wrenches")
    np.testing.assert_array_equal(found, own)


def test_positions_in_the_space_are_one_state_of_each_design(tmp_path: Path) -> None:
    text = HEAD + '[study]\nanswers = ["joint1.drive"]\n[study.space]\n"joint1.position" = ["0 deg", "60 deg"]\n'
    found = project(tmp_path, text).study().run().answer("joint1.drive")
    assert found[1] == pytest.approx(found[0] / 2)


def test_what_acts_from_outside_acts_in_the_study(tmp_path: Path) -> None:
    text = HEAD + '[external.link2]\nforce = [0, -30, 0]\n[study]\nanswers = ["joint1.drive", "utilisation"]\n' \
                  '[study.space]\n"payload.mass" = [0, 2]\n'
    made = project(tmp_path, text)
    study = made.study().run()
    for k, mass in enumerate((0.0, 2.0)):
        robot = made.robot.family({"payload.mass": mass}).robot_of(())
        peaks = robot.peak_loads(made.motion, external=made.external)
        assert study.answer("joint1.drive")[k] == pytest.approx(peaks["joint1", "drive"].magnitude, rel=1e-12)
        worst = robot.verdict(made.motion, external=made.external).worst
        assert study.answer("utilisation")[k] == pytest.approx(worst.utilisation, rel=1e-12)


def test_parts_are_tables_in_a_list(tmp_path: Path) -> None:
    bearing = '{ kind = "crossed roller bearing", C = "29.1 kN", C0 = "50 kN", dp = "110 mm" }'
    text = HEAD + f'[study]\nanswers = ["life"]\n[study.space]\n"joint1.part" = [{bearing},\n' \
                  f'{bearing.replace("29.1", "58.2")}]\n'
    life = project(tmp_path, text).study().run().answer("life")
    assert life[1] / life[0] == pytest.approx(2.0 ** (10 / 3), rel=1e-9)


GOOD = {"answers": 'answers = ["mass"]', "axis": '"payload.mass" = ["1 kg", "2 kg"]', "more": "", "keys": ""}
WRONG = {
    "no answers": ({"answers": ""}, "no answers are given"),
    "no such answer": ({"answers": 'answers = ["mas"]'}, "line 12, [study]: no answer 'mas'; did you mean 'mass'?"),
    "no such joint": ({"answers": 'answers = ["joint9.drive"]'}, "line 12, [study]: answer 'joint9.drive'"),
    "no such quantity": ({"answers": 'answers = ["joint1.drve"]'}, "did you mean 'drive'"),
    "twice": ({"answers": 'answers = ["mass", "mass"]'}, "two answers are named 'mass'"),
    "a number": ({"answers": "answers = 3"}, "expected a list"),
    "a list of numbers": ({"answers": "answers = [3]"}, "an answer is 3"),
    "a strange key": ({"answers": 'answers = [{ quantity = "mass", how = 1 }]'}, "'how' is not known of an answer"),
    "unknown reduction": ({"answers": 'answers = ["joint1.drive:most"]'}, "reduce is 'most'"),
    "edges that fall": ({"answers": 'answers = [{ quantity = "joint1.drive", histogram = [1, 0] }]'}, "that rise"),
    "no such parameter": ({"axis": '"payload.mas" = [1]'}, "line 14, [study.space]: robot 'planar2' has no parameter "
                                                           "'payload.mas'; did you mean 'payload.mass'?"),
    "dots without quotes": ({"axis": "payload.mas = [1]"}, "line 14, [study.space]: robot 'planar2'"),
    "upside down": ({"axis": '"payload.mass" = { from = "3 kg", to = "1 kg" }'}, "expected the smaller end first"),
    "other units": ({"axis": '"payload.mass" = { from = "1 m", to = "2 m" }'}, "line 14, [study.space]"),
    "one unit": ({"axis": '"payload.mass" = { from = 1, to = "2 kg" }'}, "a unit at both ends"),
    "unknown unit": ({"axis": '"payload.mass" = ["1 stone", "2 stone"]'}, "the unit 'stone' is not known"),
    "two kinds": ({"axis": '"payload.mass" = ["1 kg", "2 m"]'}, "values of several kinds"),
    "negative mass": ({"axis": '"payload.mass" = [-1]'}, "none of the designs that were tried gives a robot: "
                                                         "'payload.mass' has the number -1"),
    "twice the same": ({"axis": '"payload.mass" = [1, 2, 1]'}, "has the value 1 twice"),
    "given twice": ({"axis": '"payload.mass" = [1]\npayload.mass = [2]'}, "'payload.mass' is given twice"),
    "empty list": ({"axis": '"payload.mass" = []'}, "'payload.mass' is an empty list"),
    "not finite": ({"axis": '"payload.mass" = [inf]'}, "'payload.mass' is inf"),
    "true": ({"axis": '"payload.mass" = true'}, "'payload.mass' is True"),
    "dates": ({"axis": '"payload.mass" = [2020-01-01]'}, "'payload.mass' is datetime.date"),
    "strange key of a span": ({"axis": '"payload.mass" = { from = 1, to = 2, steps = 3 }'}, "'steps' is not known"),
    "count of one": ({"axis": '"payload.mass" = { from = 1, to = 2, count = 1 }'}, "two or more"),
    "count as text": ({"axis": '"payload.mass" = { from = 1, to = 2, count = "9" }'}, "count of a span is '9'"),
    "too many values": ({"axis": '"payload.mass" = { from = 1, to = 2, count = 9000000000 }'}, "at most 1000000"),
    "too many designs": ({"axis": "\n".join(f'p{k} = {{ from = 1, to = 2, count = 100000 }}' for k in range(3))},
                         "the space has 1e+15 designs"),
    "far too many designs": ({"axis": "\n".join(f'p{k} = {{ from = 1, to = 2, count = 1000000 }}' for k in range(60))},
                             f"designs: expected at most {MOST_DESIGNS:,}"),
    "follows a stranger": ({"axis": '"payload.mass" = { follows = "2 * walls" }\nwall = [1]'}, "follows from 'walls'"),
    "follows itself": ({"axis": '"payload.mass" = { follows = "2 * payload.mass" }\nwall = [1]'}, "no parameter"),
    "in a circle": ({"axis": 'a = { follows = "b" }\nb = { follows = "a" }\n"payload.mass" = [1]'}, "in a circle"),
    "follows code": ({"axis": '"payload.mass" = { follows = "__import__(\'os\').getcwd()" }\nwall = [1]'}, "not known"),
    "parts that are none": ({"axis": '"joint1.part" = ["gear"]'}, "expected parts"),
    "no such part": ({"axis": '"joint1.part" = [{ kind = "gaer" }]'}, "no part is a 'gaer'"),
    "no such condition": ({"keys": 'subject_to = "mas < 3"'}, "no parameter 'mas'"),
    "a condition without end": ({"keys": f'subject_to = "{"(" * 3000}"'}, "cannot be read"),
    "a power without end": ({"keys": 'subject_to = "payload.mass <= 0 - 9**9**9**9"'}, "none of the 2 designs"),
    "none fulfils": ({"keys": 'subject_to = "payload.mass > 5 kg"'}, "none of the 2 designs of this space fulfils"),
    "a condition of another kind": ({"keys": 'subject_to = "payload.mass > 5 m"'}, "a length"),
    "a condition that is a number": ({"keys": "subject_to = 3"}, "expected a list of texts"),
    "one aim": ({"keys": 'front = "mass"'}, "two aims or more"),
    "no such aim": ({"keys": 'front = ["mass", "life"]'}, "line 13, [study]: there is no parameter or answer 'life'"),
    "where of a stranger": ({"keys": 'where = "life > 3 h"'}, "there is no parameter or answer 'life'"),
    "no such sampling": ({"keys": 'sampling = "sobo"'}, "did you mean 'sobol'"),
    "a sampling without designs": ({"keys": 'sampling = "sobol"'}, "needs how many"),
    "designs of a grid": ({"keys": "designs = 4"}, "a grid has all combinations"),
    "too many of a sampling": ({"keys": 'sampling = "sobol"\ndesigns = 9000000000'}, "expected at most"),
    "half a design": ({"keys": 'sampling = "sobol"\ndesigns = 0.5'}, "0.5"),
    "a negative seed": ({"keys": 'sampling = "sobol"\ndesigns = 4\nseed = -1'}, "-1"),
    "chunk of none": ({"keys": "chunk = 0"}, "chunk is 0"),
    "elsewhere": ({"keys": 'to = "../elsewhere.zarr"'}, "not below the folder of this file"),
    "anywhere": ({"keys": 'to = "/tmp/anywhere.zarr"'}, "not below the folder of this file"),
    "the folder itself": ({"keys": 'to = "."'}, "not below the folder of this file"),
    "nowhere": ({"keys": 'to = ""'}, "expected the name of a folder"),
    "unknown key": ({"keys": "answer = 3"}, "'answer' is not known; did you mean 'answers'?"),
    "states that are none": ({"keys": "states = 3"}, "expected a table [study.states]"),
    "states without a space": ({"keys": "states = {}"}, "study.states.space"),
    "states of no joint": ({"answers": 'answers = ["joint1.drive"]',
                            "keys": 'states = { space = { "joint9.position" = [0, 1] } }'}, "joint9.position"),
    "answers that need a motion": ({"answers": 'answers = ["utilisation"]',
                                    "keys": 'states = { space = { "joint1.position" = [0, 1] } }'}, "needs a motion"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_an_error_with_its_place_before_anything_is_computed(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("loadpath.studies.study.compute", None)
    changed, said = WRONG[case]
    parts = GOOD | changed
    text = f"{HEAD}[study]\n{parts['answers']}\n{parts['keys']}\n[study.space]\n{parts['axis']}\n"
    if not parts["keys"]:
        text = text.replace("\n\n[study.space]", "\n[study.space]")
    with pytest.raises(lp.ModelError) as caught:
        project(tmp_path, text).study()
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "project.toml"))
    assert not list(tmp_path.rglob("*.zarr"))


def test_a_trusted_project_keeps_its_answers_where_it_says(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    text = f'{HEAD}[study]\nanswers = ["mass"]\nto = "../own.zarr"\n[study.space]\n"payload.mass" = [1, 2]\n'
    project(tmp_path / "below", text, trust=True).study().run()
    assert (tmp_path / "own.zarr" / "zarr.json").exists()


def test_a_project_without_a_study_says_so(tmp_path: Path) -> None:
    with pytest.raises(lp.ModelError, match="no study is asked for"):
        project(tmp_path, HEAD).study()
