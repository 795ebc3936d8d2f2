"""The page in a real browser: everything is drawn, choices work, nothing is fetched, no script fails."""

import shutil
from dataclasses import replace

import pytest

import loadpath as lp

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=options)
        yield chromium
        chromium.close()


def opened(browser, path):
    """A page in the browser with all its charts drawn, what went wrong, and what was fetched."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.problems, page.fetched = [], []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: page.fetched.append(request.url))
    page.on("dialog", lambda dialog: (page.problems.append(dialog.message), dialog.dismiss()))
    page.goto(f"{path.as_uri()}#all")
    page.wait_for_function("[...document.querySelectorAll('.chart')].every(c => c.querySelector('.main-svg'))")
    return page


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """One report for all tests that do not change what is in it: drawing takes seconds without a graphics card."""
    return opened(browser, lp.catalog.lau_arm().report().save(tmp_path_factory.mktemp("report") / "report.html"))


def test_everything_is_drawn_and_nothing_fetched(page):
    assert page.problems == []
    assert [url for url in page.fetched if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.locator(".chart").count() >= 8
    assert page.locator(".chart .scatterlayer .trace").count() > 20


def test_another_component_is_drawn_when_chosen(page):
    choice = page.locator("figure.choice").first
    before = choice.locator(".ytitle").text_content()
    choice.locator("select").select_option(label="force z")
    page.wait_for_function("t => document.querySelector('figure.choice .ytitle').textContent !== t", arg=before)
    assert choice.locator(".ytitle").text_content() == "force z (N)"
    assert page.problems == []


def test_a_narrow_window_has_its_legends_below_and_does_not_scroll_sideways(page):
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")  # charts follow in a moment
    below = """() => [...document.querySelectorAll('.chart:has(.legend)')].every(chart =>
        chart.querySelector('.legend').getBoundingClientRect().top
        > chart.querySelector('.xtitle').getBoundingClientRect().top)"""
    page.wait_for_function(below)
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_function(f"!({below})()")


def test_on_paper_nothing_is_missing(page):
    page.wait_for_function("document.querySelector('img.printed')?.naturalWidth > 700")
    page.emulate_media(media="print")
    assert page.locator("img.printed").is_visible() and not page.locator("img.printed + .chart").is_visible()
    assert not any(button.is_visible() for button in page.locator(".modebar").all())
    cut = "t => t.parentElement.scrollWidth > t.parentElement.clientWidth"
    page.set_viewport_size({"width": 720, "height": 1000})  # about A4 without its margins
    assert not any(table.evaluate(cut) for table in page.locator("table").all())
    page.emulate_media(media="screen")


def test_hostile_names_do_nothing(browser, tmp_path):
    evil = "<img src=x onerror=alert(2)><b>"
    arm = lp.catalog.planar(1)
    joints = tuple(replace(joint, name=f"{evil}{k}") for k, joint in enumerate(arm.joints))
    page = opened(browser, replace(arm, name=evil, joints=joints).report().save(tmp_path / "report.html"))
    assert page.problems == []
    assert page.locator("img:not(.printed)").count() == 0
    assert evil in page.locator("h1").text_content()
