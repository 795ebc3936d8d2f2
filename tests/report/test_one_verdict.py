"""One verdict of a subject, and every surface shows that one: page, PDF, viewer, every command that judges, comparison,
JSON and text agree in outcome, headline, counts and worst row, of every kind of subject.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.parts.verdict.basis import guesses_of
from loadpath.parts.verdict.result import Verdict
from loadpath.viewer.view import view

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")

CART = """
[base]
name = "cart"
mass = {mass}
center_of_mass = [0, 0, 0.1]
inertia = [1, 1, 1]
friction = {{ sliding = 0.6 }}
position = [0, 0, 0.2]
{more}
[[base.wheels]]
kind = "fixed wheel"
name = "left"
position = [0, 0.4]
radius = 0.1
[[base.wheels]]
kind = "fixed wheel"
name = "right"
position = [0, -0.4]
radius = 0.1
[[base.wheels]]
kind = "caster"
name = "front"
position = [0.5, 0]
radius = 0.1
[[base.wheels]]
kind = "caster"
name = "back"
position = [-0.5, 0]
radius = 0.1
"""
ROD = """
[robot]
catalog = "planar:1"
[limits.joint1]
effort = 60
velocity = 5
"""
BEAM = """
[beams.link1]
section = { kind = "tube", outer_radius = "30 mm", wall = "3 mm" }
material = "steel"
end = "tip_joint"
"""
SWING = """
[motion]
swing = true
duration = 1.5
"""
THROUGH = """
[motion]
through = [[0], [1], [0]]
times = [0, 1, 2]
"""
BEARING = """
[[parts.joint1]]
kind = "crossed roller bearing"
name = "ring"
C = "29 kN"
C0 = "50 kN"
dp = "110 mm"
"""
RATING = """
[[parts.left]]
kind = "wheel"
load = "20 N"
dynamic_load = "15 N"
speed = "2 m/s"
"""
FOUR_BAR = """
[robot]
catalog = "four_bar"
[limits.crank_joint]
effort = 0.001
[motion]
swing = true
"""
SUBJECTS = {
    "tree": ROD + SWING,
    "tree with parts": ROD + BEARING + THROUGH + "[verdict]\nhours = 20000\n",
    "rover that tips": ROD + "[payload]\nmass = 8\n" + CART.format(mass=2.0, more="") + SWING,
    "rover that holds": ROD + CART.format(mass=80.0, more="") + THROUGH,
    "rover that drives on a slope": ROD
    + CART.format(mass=30.0, more='[base.ground]\nslope = "5 deg"\n[base.motion]\nvelocity = [0.5, 0]')
    + THROUGH,
    "flexible arm": ROD + BEAM + THROUGH,
    "flexible arm of guesses": ROD + BEAM + "guess = true\n" + SWING,
    "closed chain": FOUR_BAR,
    "flexible rover": ROD + BEAM + CART.format(mass=40.0, more="guess = true") + THROUGH,
    "parts, wheels and beams": ROD + BEAM + BEARING + RATING + CART.format(mass=40.0, more="") + THROUGH,
    "carried load": ROD + THROUGH + "loads = [{ mass = 2.0, from = 0.4, to = 1.2 }]\n",
}
FAILS = {"rover that tips", "closed chain", "parts, wheels and beams"}


@pytest.fixture(scope="module", params=SUBJECTS)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, lp.Project]:
    file = tmp_path_factory.mktemp("one") / "project.toml"
    file.write_text(SUBJECTS[request.param])
    return request.param, file, lp.load_project(file)


def said(found: Verdict) -> dict[str, Any]:
    """What all surfaces have to say."""
    assert found.worst is not None
    return {"outcome": found.outcome, "headline": found.headline, "summary": found.summary, "holds": found.holds,
            "exceeded": len(found.failing), "not_checked": len(found.not_checked), "checks": len(found.checks),
            "worst": found.worst.words, "guesses": list(found.basis.guesses)}


def of_json(found: dict[str, Any]) -> dict[str, Any]:
    keys = ("outcome", "headline", "summary", "holds", "exceeded", "not_checked", "worst")
    return {**{key: found[key] for key in keys}, "checks": len(found["checks"]), "guesses": found["basis"]["guesses"]}


def command(*arguments: object) -> Any:
    result = CliRunner().invoke(app, [str(part) for part in arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout) if "--json" in arguments else result.output


def made_report(project: lp.Project, **more: Any) -> lp.Report:
    keywords: dict[str, Any] = {"only": ["verdict", "basis"], "hours": project.hours, **more}
    if project.rover is not None:
        return project.rover.report(project.motion, **keywords, **project.base_state)
    return project.robot.report(project.motion, external=project.external, **keywords)


def page_says(html: str, found: Verdict) -> None:
    """Sentence, figures and rows of a page are those of the verdict."""
    text = unescape(html)
    (sentence,) = re.findall(r"<p[^>]*data-live=\"sentence\"[^>]*>(.*?)</p>", text, re.DOTALL)
    assert sentence == f"{found.summary[0].upper()}{found.summary[1:]}."
    figures = dict(re.findall(r'<span class="label">([^<]*)</span>\s*<span class="value">([^<]*)</span>', text))
    notes = re.findall(r'<span class="note">([^<]*)</span>', text)
    assert figures["All checks"] == found.outcome
    assert f"{found.counts}; {found.basis}" in notes
    assert any(note.startswith(found.worst.words) for note in notes)


def test_every_surface_says_the_same(subject: tuple[str, Path, lp.Project], tmp_path: Path) -> None:
    name, file, project = subject
    found = project.verdict()
    expected = said(found)
    assert (found.outcome == "does not hold") == (name in FAILS), found.summary
    report = made_report(project)
    assert report.verdict is not None and said(report.verdict) == expected
    page_says(report.html, found)
    page_says(report._page("a4"), found)
    assert of_json(command("verdict", file, "--json")) == expected
    written = command("report", file, "--sections", "verdict", "-o", tmp_path / "report.html", "--json")
    assert of_json(written["verdict"]) == expected
    page_says((tmp_path / "report.html").read_text(), found)
    if project.rover is not None:
        assert of_json(command("rover", file, "--json")["verdict"]) == expected
    if getattr(project.robot, "beams", ()):
        assert of_json(command("deflect", file, "--json")["verdict"]) == expected
    if project.rover is None:
        compared = command("compare", file, file, "--json")
        assert [of_json(one) for one in compared["verdicts"]] == [expected] * 2
        both = lp.compare(project.robot, project.robot, project.motion, external=project.external, hours=project.hours)
        assert str(both).count(found.summary) == 2 and unescape(both.report().html).count(found.summary) == 2
    assert found.summary in str(found) and found.summary in unescape(found._repr_html_())
    assert found.summary in repr(found)


def test_commands_print_it(subject: tuple[str, Path, lp.Project], tmp_path: Path) -> None:
    _, file, project = subject
    summary = project.verdict().summary
    ways = [("verdict", file), ("report", file, "--sections", "verdict", "-o", tmp_path / "r.html")]
    ways += [("rover", file)] if project.rover is not None else []
    ways += [("deflect", file)] if getattr(project.robot, "beams", ()) else []
    for way in ways:
        assert summary in " ".join(command(*way).split()), way


def test_the_viewer_says_it(subject: tuple[str, Path, lp.Project]) -> None:
    _, _, project = subject
    found = project.verdict()
    base = project.base_state if project.rover is not None else {"external": project.external}
    thing = project.robot if project.rover is None else project.rover
    with view(thing, motion=project.motion, hours=project.hours, open_browser=False, **base) as viewer:
        layer = next(one for one in viewer.stage.layers if type(one).__name__ == "VerdictOverMotion")
        layer.judge()
        assert found.summary in unescape(layer.table.content)


def test_a_spectrum_has_one_verdict_too(tmp_path: Path) -> None:
    """The command, the page and Python say the same of several cycles."""
    file = tmp_path / "cycles.toml"
    cycles = [THROUGH.replace("[motion]", "[[cycle]]") + "share = 0.75\nname = 'work'\n",
              SWING.replace("[motion]", "[[cycle]]") + "share = 0.25\nname = 'idle'\n"]
    for subject in (ROD + BEARING, ROD + CART.format(mass=30.0, more="")):
        file.write_text(subject + "".join(cycles))
        found = lp.load_project(file).verdict()
        assert found.basis.motion == "2 motions (work (a motion through 3 points) 75 %, idle (a demo swing) 25 %)"
        assert of_json(command("verdict", file, "--json")) == said(found)
        page = tmp_path / "r.html"
        made = CliRunner().invoke(app, ["report", str(file), "-o", str(page)])
        assert made.exit_code == 0, made.output
        assert found.summary in re.sub(r"\s+", " ", made.stderr)
        text = unescape(page.read_text(encoding="utf-8"))
        assert found.summary[1:] in text and "work: Drives" in text and "idle: Drives" in text
        assert "No motion" not in text and "work 75 %, idle 25 %" in text


def test_a_cart_that_tips_does_not_hold(tmp_path: Path) -> None:
    """The row, by hand: the zero-moment point against the inner radius of the support polygon."""
    file = tmp_path / "cart.toml"
    file.write_text(SUBJECTS["rover that tips"])
    project = lp.load_project(file)
    margin = project.rover.stability(project.motion).margin
    assert margin.min() < 0  # it does tip over
    found = made_report(project).verdict
    row = found["cart", "tipping over"]
    # A rhombus with half diagonals 0.5 and 0.4: its inscribed circle.
    radius = 0.5 * 0.4 / np.hypot(0.5, 0.4)
    assert row.utilisation == pytest.approx((radius - margin.min()) / radius, rel=1e-9) and row.utilisation > 1
    assert not found.holds and row in found.failing
    figures = {figure.label: figure for figure in made_report(project).sections[0].figures}
    assert figures["All checks"].value == "does not hold" and figures["All checks"].alarming


def test_the_headline_names_what_it_rests_on(tmp_path: Path) -> None:
    arm = lp.catalog.panda()
    swing = lp.Motion.swing(arm)
    bare = arm.verdict(swing)
    assert bare.holds and bare.outcome == "no limit exceeded"
    assert bare.headline == "no limit exceeded over a demo swing of 1.293 s: 21 checks; no parts given"
    ring = lp.CrossedRollerBearing(C=29.1e3, C0=50e3, dp=0.11)
    fitted = arm.with_parts({"panda_joint2": [ring]})
    assert fitted.verdict(swing).outcome == "no limit exceeded"  # nobody gave that motion
    swing.to_csv(tmp_path / "cycle.csv")
    log = lp.Motion.from_csv(tmp_path / "cycle.csv", arm)
    assert arm.verdict(log).headline.startswith("no limit exceeded over cycle.csv of 1.293 s: 21 checks; no parts")
    found = fitted.verdict(log, hours=10_000)
    assert found.outcome == "holds" and found.basis.sound
    assert found.headline == (
        f"holds over cycle.csv of 1.293 s: {len(found)} checks; 1 part; 10,000 h of life required"
    )
    for changed in (log.scaled(speed=0.5), log.with_loads([lp.Carried(1.0)]), log.between(0.1, 0.5), log.resampled(50)):
        assert changed.source == "cycle.csv" and not changed.invented
    assert log.followed_by(log.scaled(speed=1.0)).source == "cycle.csv" if (log.q[0] == log.q[-1]).all() else True
    mixed = lp.DutySpectrum([(log, 0.8), (swing, 0.2)], ["work", "idle"])
    assert fitted.verdict(mixed).headline.startswith(
        "no limit exceeded over 2 motions (work (cycle.csv) 80 %, idle (a demo swing) 20 %): "
    )
    assert arm.verdict(*(np.zeros((3, 7)) for _ in range(3))).basis.motion == "3 states"


def test_guesses_are_marked_in_the_data_and_carried(tmp_path: Path) -> None:
    """`new` marks what it invents, and taking the mark out takes it out of the words."""
    file = tmp_path / "new.toml"
    command("new", "planar:2", "--beams", "--base", "-o", file)
    project = lp.load_project(file)
    assert all(beam.guess for _, beam in project.robot.beams) and project.rover.base.guess
    found = project.verdict()
    assert found.outcome != "holds"
    words = found.basis.guesses
    assert words[0] == "mass, friction and wheels of base 'cart'" and words[1] == "mass of 'payload'"
    assert words[2].startswith("sections and materials of the beams of 'link")
    for surface in (command("deflect", file), command("verdict", file)):
        assert words[0] in " ".join(surface.split())
    text = file.read_text()
    file.write_text(re.sub(r"^guess = true.*\n", "", text, flags=re.MULTILINE))
    assert lp.load_project(file).verdict().basis.guesses == ()
    file.write_text(text.replace("guess = true", 'guess = "yes"'))
    with pytest.raises(lp.ModelError, match="guess"):
        lp.load_project(file)


def test_limits_that_are_guesses_are_named(tmp_path: Path) -> None:
    """In Python and in a file, through edits and mounting, on the surfaces of the verdict."""
    file = tmp_path / "arm.toml"
    limits = "[limits]\njoint2 = { velocity = 9.0, effort = 500.0, guess = true }\njoint1 = { effort = 500.0 }\n"
    file.write_text(f'[robot]\ncatalog = "planar:2"\n\n{limits}{SWING}')
    project = lp.load_project(file)
    assert project.verdict().basis.guesses == ("limits of 'joint2'",) and project.verdict().outcome != "holds"
    for surface in (command("verdict", file), command("verdict", file, "--json")["headline"]):
        assert "guessed: limits of 'joint2'" in " ".join(surface.split())
    arm = lp.catalog.planar(2).with_limits({"joint2": lp.Limits(velocity=9.0, guess=True)})
    assert arm.joint("joint2") == lp.catalog.planar(2).with_limits({"joint2": {"velocity": 9.0}}).joint("joint2")
    changed = arm.with_payload(1.0).with_limits({"joint2": {"effort": 500.0}})
    assert guesses_of(changed) == ("limits of 'joint2'",)
    assert guesses_of(arm.with_limits({"joint2": {"guess": False}})) == ()
    file.write_text(file.read_text().replace("guess = true", 'guess = "yes"'))
    with pytest.raises(lp.ModelError, match=r"line 5, \[limits\.joint2\]: .*guess of limits is 'yes'"):
        lp.load_project(file)


@pytest.mark.parametrize("robot", ["ur5", "planar:2", "lau_rover"])
def test_the_command_takes_what_others_take(robot: str) -> None:
    result = CliRunner().invoke(app, ["verdict", robot, "--json"])
    if robot == "planar:2":
        assert result.exit_code == 2 and "nothing to judge" in result.output
        return
    found = json.loads(result.stdout)
    assert found["basis"]["invented"] and "a demo swing" in found["headline"]


def test_words_are_not_absurd(tmp_path: Path) -> None:
    """No demand of 1e-100 N, no thousands of per cent, no stress in Pa, no demand without a unit."""
    texts = []
    for name in ("rover that tips", "flexible arm", "parts, wheels and beams"):
        file = tmp_path / "one.toml"
        file.write_text(SUBJECTS[name])
        project = lp.load_project(file)
        report = made_report(project)
        texts += [str(project.verdict()), unescape(re.sub(r"<script.*?</script>", "", report.html, flags=re.DOTALL))]
        assert all(row.unit for row in project.verdict() if row.checked), name
    for text in texts:
        assert not re.search(r"e-[0-9]{2,3} N\b|inf %|no limit of it|without bound|\d{5,}(\.\d)? ?%| Pa\b", text)
    assert "MPa" in texts[2] and "x the loads" in texts[2]


def test_a_carried_load_is_not_called_a_wrench_from_outside() -> None:
    arm = lp.catalog.planar(1)
    lifting = lp.Motion.through(arm, [[0], [1]], [0, 2]).with_loads([lp.Carried(1.0, from_=0.5, to=1.5)])
    assert arm.report(lifting, only=["overview"]).live == "the motion carries loads of its own"


def test_a_report_of_another_kind_names_both_that_there_are(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", "planar:1", "-o", str(tmp_path / "x.txt")])
    assert result.exit_code == 2 and ".html or .pdf" in " ".join(result.output.split())


def test_a_report_of_a_project_names_the_files_in_it(tmp_path: Path) -> None:
    arm = lp.catalog.planar(1).with_limits({"joint1": {"effort": 60.0}})
    arm.to_urdf(tmp_path / "rod.urdf")
    lp.Motion.through(arm, [[0], [1]], [0, 1]).to_csv(tmp_path / "pick.csv")
    file = tmp_path / "project.toml"
    file.write_text('[robot]\nfile = "rod.urdf"\n[motion]\nfile = "pick.csv"\n[verdict]\nhours = 20000\n')
    command("report", file, "--sections", "verdict,basis", "-o", tmp_path / "r.html")
    text = unescape((tmp_path / "r.html").read_text())
    rows = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", text))
    assert rows["Robot from"].startswith("rod.urdf, by ") and rows["Motion from"].startswith("pick.csv, by ")
    assert rows["Motion"].startswith("pick.csv: 1 s") and rows["Life required"] == "20,000 h"
