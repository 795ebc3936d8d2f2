"""The page in a real browser: everything is drawn, choices work, nothing is fetched, no script fails."""

import re
import shutil
from dataclasses import replace

import pytest

import loadpath as lp
from browsing import wait_until

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
    wait_until(page, "document.documentElement.dataset.ready !== undefined")
    return page


CUT = "[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """One report for all tests that do not change what is in it: drawing takes seconds without a graphics card."""
    report = lp.catalog.lau_arm().with_payload(1.0).report()
    return opened(browser, report.save(tmp_path_factory.mktemp("report") / "report.html"))


def test_everything_is_drawn_and_nothing_fetched(page):
    assert page.problems == []
    assert [url for url in page.fetched if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.locator(".chart").count() >= 8
    assert page.locator(".chart .scatterlayer .trace").count() > 20


def test_another_component_is_drawn_when_chosen(page):
    choice = page.locator("figure.choice", has=page.locator("option", has_text="force z")).first
    before = choice.locator(".ytitle").text_content()
    assert before != "force z (N)"
    choice.locator("select").select_option(label="force z")
    assert choice.locator(".ytitle").text_content() == "force z (N)"
    assert page.problems == []


def test_no_window_cuts_a_table_or_scrolls_sideways(page):
    for width in (1440, 800, 400):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until(page, "document.documentElement.scrollWidth <= window.innerWidth")  # charts follow in a moment
        assert page.evaluate(CUT) == 0, width
    assert page.problems == []


def test_the_slider_shows_other_instants(page):
    place = page.locator("figure:has(.slider) .chart")
    before = place.evaluate("c => [String(c.data.find(t => t.name === 'joints').x), c.data.map(t => t.name)]")
    page.locator(".slider input").evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input')); }")
    after = place.evaluate("c => [String(c.data.find(t => t.name === 'joints').x), c.data.map(t => t.name)]")
    assert before[0] != after[0] and before[1] == after[1]
    force, torque = (next(name for name in after[1] if name and name.startswith(word)) for word in ("force", "torque"))
    assert force.endswith(" N") and torque.endswith(" N m") and "payload" in after[1]
    assert page.locator(".slider output").text_content() == "0.000 s"


def test_dark_windows_have_dark_pages_and_charts(page):
    of_page = "getComputedStyle(document.body).backgroundColor"
    of_text = "document.querySelector('.chart .xtitle').style.fill"
    light = page.evaluate(f"[{of_page}, {of_text}]")
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"{of_text} !== '{light[1]}'")
    dark = page.evaluate(f"[{of_page}, {of_text}]")
    assert light == ["rgb(255, 255, 255)", "rgb(29, 39, 48)"] and dark == ["rgb(21, 27, 32)", "rgb(228, 233, 238)"]
    page.emulate_media(color_scheme="light")
    wait_until(page, f"{of_text} === '{light[1]}'")


def test_a_narrow_window_has_its_legends_below(page):
    page.set_viewport_size({"width": 420, "height": 900})
    below = """() => [...document.querySelectorAll('.chart:has(.legend):has(.xtitle)')].every(chart =>
        chart.querySelector('.legend').getBoundingClientRect().top
        > chart.querySelector('.xtitle').getBoundingClientRect().top)"""
    wait_until(page, below)
    page.set_viewport_size({"width": 1200, "height": 900})
    wait_until(page, f"!({below})()")


def test_on_paper_nothing_is_missing(page):
    wait_until(page, "document.querySelector('img.printed')?.naturalWidth > 700")
    page.emulate_media(media="print")
    assert page.locator("img.printed").is_visible() and not page.locator("img.printed + .chart").is_visible()
    assert not any(button.is_visible() for button in page.locator(".modebar").all())
    cut = "t => t.parentElement.scrollWidth > t.parentElement.clientWidth"
    page.set_viewport_size({"width": 720, "height": 1000})  # about A4 without its margins
    assert not any(table.evaluate(cut) for table in page.locator("table").all())
    assert not page.locator(".slider").is_visible() and page.locator("dl").is_visible()
    page.emulate_media(media="screen")


def test_legends_on_paper_are_whole(browser, tmp_path):
    """Nobody can scroll paper: every cause and the sum are there."""
    arm = lp.catalog.ur5().with_payload(3.0)
    path = tmp_path / "paper.html"
    path.write_text(arm.report(lp.Motion.swing(arm, 101), only=["causes"])._page("a4"))
    sheet = browser.new_page(viewport={"width": 1000, "height": 1400})
    sheet.goto(f"{path.as_uri()}#paper")
    wait_until(sheet, "document.documentElement.dataset.ready !== undefined")
    found = sheet.evaluate("""[...document.querySelectorAll('.chart')].map(chart => [
        Number(chart.querySelector('.legend .scrollbar')?.getAttribute('height') ?? 0),
        [...chart.querySelectorAll('.legendtext')].map(text => text.textContent)])""")
    assert len(found) > 5 and all(bar == 0 for bar, _ in found)
    assert all(names[-1] == "sum" and len(names) > 8 for _, names in found)
    sheet.close()


def test_the_headline_of_a_rover_says_what_is_grey(browser, tmp_path):
    """The page cannot compute wheels and tipping: when the payload moves, their rows are grey, and counted."""
    wheels = [lp.FixedWheel((0, y), 0.1) for y in (-0.4, 0.4)] + [lp.CasterWheel((x, 0), 0.1) for x in (-0.5, 0.5)]
    base = lp.WheeledBase(mass=2, center_of_mass=(0, 0, 0.1), wheels=wheels, friction=lp.WheelFriction(0.6))
    arm = lp.catalog.planar(1).with_payload(8.0).with_limits({"joint1": {"effort": 200.0, "velocity": 5.0}})
    rover = base.carrying(arm, at=(0, 0, 0.2))
    report = rover.report(only=["verdict"])
    page = opened(browser, report.save(tmp_path / "cart.html"))
    sentence = page.locator("p[data-live=sentence]")
    assert sentence.text_content().startswith("Does not hold over a demo swing of 1 s: ")
    page.evaluate("loadpath.set({ payload: 1 })")
    assert sentence.text_content().startswith("Not known to hold over a demo swing of 1 s: 5 not recomputed (grey) of")
    assert page.locator("tr.stale").count() == 5 and page.locator(".figure .value").first.text_content() == (
        "not known to hold")
    page.evaluate("loadpath.set({ payload: 30 })")
    assert sentence.text_content().startswith("Does not hold over a demo swing of 1 s: 1 exceeded, 5 not recomputed")
    page.evaluate("loadpath.set(loadpath.base)")
    assert sentence.text_content() == f"{report.verdict.summary[0].upper()}{report.verdict.summary[1:]}."
    assert page.problems == []


@pytest.mark.parametrize(("paper", "size"), [("a4", b"595"), pytest.param("letter", b"612", marks=pytest.mark.slow)])
def test_a_report_on_paper(paper, size, tmp_path):
    made = lp.catalog.planar(2).report(only=["overview", "drives"])
    path = made.save(tmp_path / "report.pdf", paper=paper)
    content = path.read_bytes()
    assert content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF")
    boxes = re.findall(rb"/MediaBox \[0 0 ([0-9]+)", content)
    assert boxes and all(abs(int(width) - int(size)) <= 1 for width in boxes)
    assert b"/Subtype /Image" in content  # the picture of the robot
    with pytest.raises(ValueError, match="expected 'a4' or 'letter'"):
        made.save(tmp_path / "other.pdf", paper="a5")
    assert [file.name for file in tmp_path.iterdir()] == ["report.pdf"]


def test_hostile_names_do_nothing(browser, tmp_path):
    evil = "<img src=x onerror=alert(2)><b>"
    arm = lp.catalog.planar(1)
    joints = tuple(replace(joint, name=f"{evil}{k}") for k, joint in enumerate(arm.joints))
    page = opened(browser, replace(arm, name=evil, joints=joints).report().save(tmp_path / "report.html"))
    assert page.problems == []
    assert page.locator("img:not(.printed)").count() == 0
    assert evil in page.locator("h1").text_content()


SMUGGLED = ("<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
            "<a href='javascript:window.ran=1' id='smuggled'>here</a>"
            "<iframe srcdoc='<script>top.ran=1</script>'></iframe>"
            "<script src='data:text/javascript,window.ran=1'></script><form action='http://127.0.0.1:9/'></form>"
            "<img src='http://127.0.0.1:9/'><link rel=stylesheet href='http://127.0.0.1:9/'>")


@pytest.mark.parametrize("kind", ["report", "comparison"])
def test_a_script_that_gets_into_the_page_does_not_run_and_nothing_is_fetched(browser, tmp_path, kind):
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 20)
    made = arm.report(motion) if kind == "report" else lp.compare(arm, arm.with_payload(1.0), motion).report()
    path = made.save(tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<header>", f"{SMUGGLED}<header>", 1), encoding="utf-8")
    found = browser.new_page()
    fetched = []
    found.on("requestfinished", lambda request: fetched.append(request.url))
    found.goto(f"{path.as_uri()}#all")
    wait_until(found, "document.documentElement.dataset.ready !== undefined")
    found.locator("#smuggled").click()
    found.wait_for_timeout(200)
    assert found.evaluate("window.ran === undefined")
    assert [url for url in fetched if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    found.close()
