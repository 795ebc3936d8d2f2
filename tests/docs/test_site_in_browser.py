"""The made site in a real browser: the search finds by ordinary words, old links lead on, axe-core has no complaint.

The site takes a minute to make, so it is not made here: `LOADPATH_MADE_SITE` is where `python -m docs` has made it.
axe-core is an npm package (`npm pack axe-core`); `LOADPATH_AXE` is its axe.min.js.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SITE = Path(os.environ.get("LOADPATH_MADE_SITE", "/nowhere")).resolve()
AXE = Path(os.environ.get("LOADPATH_AXE", "/nowhere"))
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.skipif(not (SITE / "searchindex.js").exists(), reason="needs the site, see LOADPATH_MADE_SITE above"),
]
PATIENCE = 120_000  # ms, on a busy machine
FIRST = {
    "fk": "questions.html#where-is-the-tool-forward-kinematics-fk",
    "forward kinematics": "questions.html#where-is-the-tool-forward-kinematics-fk",
    "will it tip over": "questions.html#will-it-tip-over",
    "tip over": "mobile.html",
    "which gearbox": "sizing.html",
    "gearbox": "gears_and_motors.html",
    "install": "install.html",
    "ROS": "robot_files.html",
    "size": "sizing.html",
    "cycle time": "fastest.html",
    "stop": "stops.html",
    "payload": "peak_loads.html",
    "torque": "inverse_dynamics.html",
    "log": "motions.html",
    "bend": "flexible_arms.html",
    "mass_matrix": "reference/robot-",
}
"""What people type, and the page that they want."""
PAGES = (
    "index", "install", "questions", "mobile", "sizing", "reference/robot", "reference/mobile-ground",
    "tutorials/first_robot", "search", "code/src/loadpath/engine/purpose.py",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    return page


@pytest.mark.parametrize("words", FIRST)
def test_the_search_finds_by_ordinary_words(page: Any, words: str) -> None:
    page.goto(f"{SITE.as_uri()}/search.html?q={words.replace(' ', '+')}")
    first = page.locator("ul.search li a").first
    first.wait_for()
    found = first.get_attribute("href")
    assert found.split("?")[0].startswith(FIRST[words].partition("#")[0])
    if "#" in FIRST[words]:
        assert found.endswith(FIRST[words].partition("#")[2])


@pytest.mark.parametrize("entry", ["Robot.peak_loads", "Rover.stability", "Kerb.height", "books.angeles.T"])
def test_old_links_to_entries_lead_on(page: Any, entry: str) -> None:
    first = {"Robot": "robot", "Rover": "mobile", "Kerb": "mobile", "books": "books"}[entry.partition(".")[0]]
    page.goto(f"{SITE.as_uri()}/reference/{first}.html#loadpath.{entry}")
    page.wait_for_url(f"**/reference/{first}-*.html#loadpath.{entry}")
    assert page.locator(f"dt[id='loadpath.{entry}']").count() == 1


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: npm pack axe-core, LOADPATH_AXE=.../axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_has_no_complaint(browser: Any, name: str, scheme: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{SITE.as_uri()}/{name}.html")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    page.close()
    assert not [(rule["id"], len(rule["nodes"]), rule["nodes"][0]["html"][:200]) for rule in found]
