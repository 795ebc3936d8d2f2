"""The page: complete, whole or not written, and no name from a file is read as HTML."""

import json
import re
from dataclasses import replace

import jinja2
import numpy as np
import pytest

import loadpath as lp
from loadpath.report import Chart, Section, Table, page
from loadpath.report.charts import Part, stacked
from loadpath.report.report import report

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def arm():
    return lp.catalog.lau_arm()


@pytest.fixture(scope="module")
def html(arm):
    return arm.report().html


def titled(report, title):
    return next(section for section in report.sections if section.title == title)


def charts_of(html: str) -> list[dict]:
    (found,) = re.findall(r'<script type="application/gzip" id="charts">(.*?)</script>', html, re.S)
    return json.loads(page.unpacked(found))


def test_the_page_needs_no_network(html):
    own = html.replace(page._packed_plotly(), "")
    assert page.unpacked(page._packed_plotly()) == page._plotly()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", own)
    assert "@import" not in own


def test_every_joint_and_every_section_is_there(arm, html):
    for title in ("Overview", "What was computed", "Drives", "Joints", "Where the loads come from"):
        assert f"<h2>{title}</h2>" in html
    body = html[: html.index("<script>")]
    assert all(name in body for name in (*arm.joint_names, *arm.dof_names))


def test_stacked_parts_sum_to_the_load(arm):
    motion = lp.Motion.swing(arm, 2001)
    html = report(arm, motion).html
    wrenches = arm.joint_wrenches(motion.q, motion.qd, motion.qdd)
    found = 0
    for chart in charts_of(html):
        parts = [trace["y"] for trace in chart["data"] if trace["type"] == "stacked"]
        if not parts:
            continue
        (total,) = [trace["y"] for trace in chart["data"] if trace.get("name") == "sum"]
        size = max(np.abs(parts).max(), 1.0)
        assert np.abs(np.sum(parts, axis=0) - total).max() < 5e-4 * size * len(parts)  # charts have four digits
        found += 1
    assert found >= 6
    drawn = max(abs(v) for c in charts_of(html) for t in c["data"] if t.get("name") == "sum" for v in t["y"])
    largest = max(np.abs(wrenches.force).max(), np.abs(wrenches.torque).max())
    assert drawn == pytest.approx(largest, rel=1e-2)


def test_peak_values_of_the_tables(arm):
    motion = lp.Motion.swing(arm)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    made = report(arm, motion)
    table = next(b for b in titled(made, "Drives").blocks if isinstance(b, Table))
    for k, row in enumerate(table.rows):
        peak = tau[np.abs(tau[:, k]).argmax(), k]
        assert float(row[2][0].replace("\N{MINUS SIGN}", "-").replace(",", "")) == pytest.approx(peak, rel=1e-3)


def test_names_from_files_are_escaped():
    arm = lp.catalog.planar(1)
    joints = tuple(replace(joint, name=f"{HOSTILE}{k}") for k, joint in enumerate(arm.joints))
    evil = replace(arm, name=HOSTILE, joints=joints)
    html = evil.report(title=HOSTILE).html
    assert "<img src=x" not in html and "<script>alert" not in html
    assert html.count("</script>") == 4  # our own four elements
    for chart in charts_of(html):
        for trace in chart["data"]:
            assert "<img" not in json.dumps(trace).replace("\\u003c", "<").replace("&lt;", "")


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("before")
    made = lp.catalog.planar(1).report()
    with pytest.raises(jinja2.UndefinedError):
        replace(made, sections=[object()]).save(target)  # no section
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert made.save(target).read_text().startswith("<!doctype html>")
    with pytest.raises(IsADirectoryError, match="is a folder: expected the name of a file"):
        made.save(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere' to write 'report\.html' into"):
        made.save(tmp_path / "nowhere" / "report.html")


def test_gaps_for_what_is_not_a_number():
    assert page.plain({"y": np.array([1.0, np.nan, np.inf])}) == {"y": [1.0, None, None]}


def test_a_stack_shows_the_largest_and_what_is_left_of_each_kind():
    x = np.linspace(0, 1, 3)
    parts = [Part(f"gravity {k}", "gravity", np.full(3, float(k))) for k in range(1, 10)]
    names = [trace["name"] for trace in stacked("", x, parts, "N", most=3).traces]
    assert names == ["gravity 9", "gravity 8", "gravity 7", "6 other gravity", "sum"]


def test_external_wrenches_of_every_sample(arm):
    motion = lp.Motion.swing(arm, 1001)
    tip = arm.link_names[-1]
    force = np.zeros((1001, 3))
    force[:, 2] = np.linspace(0, -100, 1001)
    made = report(arm, motion, external={tip: lp.Wrench(force)})
    texts = [block.note for block in titled(made, "Where the loads come from").blocks
             if block.kind == "choice"]
    assert any(f"external {tip}" in text for text in texts)
    facts = dict(titled(made, "What was computed").blocks[0].rows)
    assert facts["External wrenches"] == [f"on '{tip}': force changing, up to 100 N, in world axes, at its origin"]


def test_doubts_about_the_motion_are_told(arm):
    fast = lp.Motion.swing(lp.catalog.panda(), duration=0.05)
    assert any("limit" in doubt for doubt in report(lp.catalog.panda(), fast).sections[0].warnings)


def test_other_sections_go_behind():
    extra = Section("Wheels", blocks=[Chart("Loads", [], {})])
    assert "<h2>Wheels</h2>" in report(lp.catalog.planar(1), sections=[extra]).html


def test_a_robot_that_cannot_move():
    still = lp.catalog.planar(1).locked({"joint1": 0.0})
    with pytest.raises(ValueError, match="no moving joints"):
        still.report()


def test_sentences_tell_the_peaks_of_all_samples():
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 20_001)
    peaks = arm.peak_loads(motion)
    told = [block.note for block in titled(arm.report(motion), "Where the loads come from").blocks]
    assert len(told) == 2
    for text, joint in zip(told, arm.dof_names, strict=True):
        peak = peaks[joint, "torque_z"].peak
        assert peak.sample % 100  # not one of the samples that are drawn anyway
        said = f"Largest torque z: {peak.value:.4g} N m at {peak.time:.3f} s; most of it from"
        assert text.startswith(said.replace("-", "\N{MINUS SIGN}"))
        (first,) = peak.top(1)
        assert (
            f"{first.cause} ({'+' if first.value > 0 else ''}{first.value:.4g})".replace("-", "\N{MINUS SIGN}") in text
        )


def test_friction_and_rotors_are_among_the_causes_of_a_drive():
    arm = lp.catalog.puma560()
    title = "Where the loads come from"
    choices = [block for block in titled(arm.report(), title).blocks if block.kind == "choice"]
    assert [choice.shown for choice in choices[:6]] == ["drive load"] * 6
    assert {"friction joint1", "rotor joint1"} & {trace["name"] for trace in choices[0].charts["drive load"].traces}
    plain = titled(arm.without_friction().without_rotors().report(), title).blocks[0]
    assert plain.shown == "torque z" and "drive load" not in plain.charts


def test_a_report_is_over_a_motion_or_a_simulation():
    arm = lp.catalog.planar(1)
    simulated = arm.without_beams().simulate([0.3], [0], duration=0.1)
    for wrong in (([0.0], [0.0], [0.0]), "swing"):
        with pytest.raises(ValueError, match=r"report takes an lp\.Motion or a simulation, not a (tuple|str)"):
            arm.report(wrong)
    over = arm.report(simulated)
    assert "Motion of 0.1 s" in over.subtitle
    assert over.html == arm.report(lp.Motion.from_simulation(simulated, arm)).html


@pytest.mark.slow
def test_loads_from_outside_bend_the_beams_of_the_report():
    """A pull on the tip of a level arm at rest: the report's largest deflection is that of the pull and the weight."""
    beam = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": beam})
    still = lp.Motion([0.0, 1.0], np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1)), robot=arm)
    pull = {"tip": lp.Wrench(force=(0, 0, -50))}
    for loads in ({}, {"external": pull}, {"base_acceleration": [0, 0, 9.81, 0, 0, 0]}):
        expected = 1e3 * np.linalg.norm(arm.deflection([0.0], **loads).tip.displacement)
        (overview,) = (one for one in arm.report(still, **loads).sections if one.title == "Overview")
        figures = {figure.label: figure.value for figure in overview.figures}
        assert figures["Largest deflection"] == f"{expected:.4g} mm"
