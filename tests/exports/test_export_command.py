"""`loadpath export`: what it writes is what the methods of a robot give."""

from __future__ import annotations

import json
from pathlib import Path

import casadi
import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli.app import app
from loadpath.cli.json_output import KEYS


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["export", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_source_on_standard_output_is_c_unless_asked_otherwise() -> None:
    arm = lp.catalog.two_link()
    assert run("two_link", "gravity_forces") == (0, arm.c_source("gravity_forces"), "")
    options = ("--function-name", "hold", "--scalar", "float")
    assert run("two_link", "gravity_forces", *options)[1] == arm.c_source(
        "gravity_forces", function_name="hold", scalar="float"
    )
    found = run("two_link", "gravity_forces", "--to", "javascript", "--module", "script")
    assert found[1] == arm.javascript_source("gravity_forces", module="script")


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    arm = lp.catalog.two_link()
    code, said, _ = run("two_link", "mass_matrix", "-o", str(tmp_path / "m.wasm"))
    assert code == 0 and "m.wasm" in said and "m.js" in said
    kernel = arm.wasm("mass_matrix")
    assert (tmp_path / "m.wasm").read_bytes() == kernel.module
    assert (tmp_path / "m.js").read_text() == kernel.javascript
    assert run("two_link", "mass_matrix", "-o", str(tmp_path / "m.mjs"))[0] == 0
    assert (tmp_path / "m.mjs").read_text() == arm.javascript_source("mass_matrix")
    assert run("two_link", "mass_matrix", "-o", str(tmp_path / "m.casadi"))[0] == 0
    read = casadi.Function.deserialize((tmp_path / "m.casadi").read_text().strip())
    np.testing.assert_allclose(read([0.3, 0.4]).full(), arm.mass_matrix.uncompiled([0.3, 0.4]))


def test_everything_that_can_be_chosen(tmp_path: Path) -> None:
    file = str(tmp_path / "f.wasm")
    code, said, _ = run("planar:2", "torque_about", "--choice", "joint=joint2", "--external", "tip=link", "--array",
                        "point", "--parameter", "link2.mass", "--parameter", "gravity", "-o", file,
                        "--json")
    assert code == 0
    found = json.loads(said)
    assert set(found) == set(KEYS["export"])
    assert [argument["name"] for argument in found["arguments"]] == [
        "q", "qd", "qdd", "direction", "point", "external", "link2_mass", "gravity",
    ]
    assert found["arguments"][5]["shape"] == [1, 6] and found["files"][0]["bytes"] == len(Path(file).read_bytes())
    wanted = lp.catalog.planar(2).wasm("torque_about", choices={"joint": "joint2"}, external={"tip": "link"},
                                       arrays=["point"], parameters=["link2.mass", "gravity"])
    assert Path(file).read_bytes() == wanted.module
    assert run("planar:2", "jacobian", "--link", "link1")[1] == lp.catalog.planar(2).c_source("jacobian", link="link1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("two_link", "nothing"), "'nothing' is not a compiled quantity"),
        (("no_such.urdf", "inverse_dynamics"), "no_such.urdf"),
        (("two_link", "mass_matrix", "-o", "x.py"), "ends in .py, but an export to c is written as C"),
        (("two_link", "mass_matrix", "--to", "wasm", "--function-name", "f"), "--function-name is for C"),
        (("two_link", "mass_matrix", "--to", "wasm", "--scalar", "float"), "--scalar is for C"),
        (("two_link", "mass_matrix", "--module", "script"), "--module is for JavaScript"),
        (("two_link", "mass_matrix", "--json"), "name one with --output"),
        (("two_link", "mass_matrix", "--to", "rust"), "'rust' is not one of"),
        (("two_link", "force_along", "--choice", "joint"), "expected NAME=VALUE"),
        (("two_link", "inverse_dynamics", "--external", "tip", "--external", "tip=link"), "names the link 'tip' twice"),
        (("two_link", "inverse_dynamics", "--parameter", "mass"), "no parameter 'mass'"),
        (("two_link", "mass_matrix", "-o", "no/such/folder.c"), "there is no folder"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], words: str) -> None:
    code, said, problem = run(*arguments)
    assert code == 2 and said == "" and words in problem and problem.count("\n") == 1
