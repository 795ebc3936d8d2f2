"""Pictures and the page of a study: what they draw is what the study found."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.report.page import unpacked
from loadpath.studies.study import Study

ARM = lp.catalog.planar(2).with_payload(0.0).with_limits({"joint1": lp.Limits(effort=80.0)})
LEVEL = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
SPACE = lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 5), "link1.length": ["1 m", "0.6 m", "0.8 m"],
                  "tool": [0.0, 0.5], "link2.mass": lambda tool: 1.0 + tool})


@pytest.fixture(scope="module")
def study() -> Study:
    space = SPACE.subject_to("payload.mass * link1.length <= 3.5")
    return lp.study(ARM, space, LEVEL, answers=["joint1.drive", "utilisation", "wrenches"]).run()


def test_a_map_of_a_grid_is_its_designs(study: Study) -> None:
    figure = study.plot_map("utilisation", "payload.mass", "link1.length", at={"tool": 0.5})
    heat, line, mark = figure.data
    assert list(heat.x) == [0, 1, 2, 3, 4] and list(heat.y) == [0.6, 0.8, 1.0]
    whole = study.answer("utilisation")[:, :, 1]
    shown = np.array([[np.nan if value is None else value for value in row] for row in heat.z])
    np.testing.assert_array_equal(shown, whole[:, [1, 2, 0]].T)
    assert np.isnan(shown[2, 4])  # left out by the condition
    assert line.type == "contour" and line.contours.start == 1.0 and mark.x[0] in heat.x


def test_a_map_of_samples_and_slices_are_computed(study: Study) -> None:
    sampled = lp.study(ARM, SPACE.sobol(8, seed=1), LEVEL, answers=["joint1.drive"]).run()
    heat, mark = sampled.plot_map("joint1.drive", "payload.mass", "link1.length", at=3).data
    assert len(heat.x) == 25 and list(heat.y) == [0.6, 0.8, 1.0]
    design = sampled.design(3)
    weight = 1.0 + float(design["tool"])  # type: ignore[arg-type]
    for y, row in zip(heat.y, heat.z, strict=True):
        expected = 9.81 * (0.5 + weight * (y + 0.5) + np.array(heat.x) * (y + 1.0))
        np.testing.assert_allclose(np.array(row, dtype=float), expected, rtol=1e-12)
    assert mark.x[0] == design["payload.mass"]
    line, here = study.plot_slice("joint1.drive", "payload.mass", at=7).data
    assert len(line.x) == 41 and here.y[0] == study.answer("joint1.drive").ravel()[7]
    np.testing.assert_allclose(np.diff(line.y, 2), 0.0, atol=1e-11)


def test_other_pictures(study: Study) -> None:
    front = study.front("joint1.drive", maximise="payload.mass", where="utilisation <= 1")
    drawn = {trace.name: trace for trace in front.plot().data}
    np.testing.assert_array_equal(drawn["front"].x, front.values[:, 0])
    assert "designs that do not fulfil the condition" in drawn
    parallel = study.plot_parallel(where="utilisation <= 1", color="tool").data[0]
    assert [one.label for one in parallel.dimensions][:2] == ["payload.mass (kg)", "link1.length (m)"]
    assert len(parallel.dimensions[0]["values"]) == len(study.where("utilisation <= 1"))
    slopes = study.sensitivities(7)
    bars = slopes.plot("joint1.drive").data[0]
    assert dict(zip(bars.y, bars.x, strict=True))["payload.mass"] == pytest.approx(
        float(slopes.relative("joint1.drive")["payload.mass"]))
    pairs = lp.Space({"payload.mass": lp.span(0.0, 4.0), "link1.length": lp.span(0.6, 1.0)}).pairs(32)
    indices = lp.study(ARM, pairs, LEVEL, answers=["joint1.drive"]).run().sobol_indices()
    total, first = indices.plot().data
    assert total.x[-1] == indices.ranked("joint1.drive")[0][1] and first.name == "first order"


def test_the_page_has_all_of_it(study: Study, tmp_path: Any) -> None:
    pairs = lp.Space({"payload.mass": lp.span(0.0, 4.0), "link1.length": lp.span(0.6, 1.0)}).pairs(32)
    indices = lp.study(ARM, pairs, LEVEL, answers=["joint1.drive"]).run().sobol_indices()
    page = study.report("joint1.drive", maximise="payload.mass", where="utilisation <= 100 %", indices=indices)
    assert [section.title for section in page.sections] == [
        "Study", "Best designs", "Side by side", "Slices", "Maps", "Sensitivities", "Over the whole space",
        "Feasibility", "All designs"]
    html = page.save(tmp_path / "study.html").read_text()
    body = html[: html.index("<script")]
    front = study.front("joint1.drive", maximise="payload.mass", where="utilisation <= 100 %")
    assert f"design {front.knee()}" in body and "effort limit of &#39;joint1&#39;" in body
    assert "connect-src &#x27;none&#x27;" in body and "https://" not in body
    (packed,) = re.findall(r'id="charts">([^<]+)<', html)
    charts = json.loads(unpacked(packed))
    assert {trace["type"] for chart in charts for trace in chart["data"]} >= {"heatmap", "bar", "scatter"}
    assert "parcoords" not in html[: html.index('id="plotly"')]  # which the page's policy does not let run


def test_pages_of_what_has_little() -> None:
    """No limits, no motion, designs that failed, one design, robots from functions with parts as objects."""
    bare = lp.catalog.planar(2).with_payload(0.0)
    masses = lp.study(bare, lp.Space({"payload.mass": [-1.0, 1.0, 2.0]}), answers=["mass"]).run()
    html = masses.report().html
    assert "Nothing limits these designs" in html and "Why designs failed" in html
    bearings = [lp.CrossedRollerBearing(C=5300.0, C0=c, dp=0.036, name=f"<b>{c}</b>") for c in (6070.0, 7000.0)]

    def make(payload: float, bearing: Any) -> lp.Robot:
        return lp.catalog.planar(2).with_payload(payload).with_parts({"joint1": [bearing]})

    made = lp.study(make, lp.Space(payload=[1.0, 2.0], bearing=bearings), lp.Motion.swing(bare, samples=20),
                    answers=["utilisation", lp.Answer(lambda robot: robot.n, name="n")]).run()
    page = made.report("utilisation", maximise="payload").html
    assert "<b>6070" not in page and "&lt;b&gt;6070" in page


@pytest.mark.parametrize(("asked", "said"), [
    (lambda study: study.plot_map("joint1.driv", "payload.mass", "tool"), "did you mean 'joint1.drive'"),
    (lambda study: study.plot_map("joint1.drive", "payload.mas", "tool"), "did you mean 'payload.mass'"),
    (lambda study: study.plot_map("joint1.drive", "tool", "tool"), "expected two parameters"),
    (lambda study: study.plot_slice("joint1.drive", "link2.mass"), "no free parameter"),
    (lambda study: study.plot_parallel("payload.mass", "utilisaton"), "did you mean 'utilisation'"),
    (lambda study: study.report("joint1.drive"), "two aims or more"),
    (lambda study: study.report(designs=[]), "'designs' is empty"),
    (lambda study: study.report(designs=[999]), "there is no design 999"),
    (lambda study: lp.study(ARM, SPACE, LEVEL, answers=["mass"]).report(), "not run yet|is computed"),
])
def test_what_is_refused(study: Study, asked: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asked(study)
