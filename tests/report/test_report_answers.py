"""The page computes by itself, in a real browser: its numbers are Python's at any setting of its controls, everything
follows them, what cannot says so, and nothing is left behind when they are put back.
"""

import math
import shutil

import numpy as np
import pytest

import loadpath as lp
from browsing import wait_until
from loadpath.parts.verdict.table import main_cause
from loadpath.quantities.load_index import cause_label
from loadpath.report import Table
from loadpath.report.live.answering import kept_samples, payload_of
from loadpath.report.live.checks import part_rules
from loadpath.report.live.recording import NotRecordedError, Recorded, steps_of
from loadpath.report.page import aligned
from loadpath.report.report import report as make_report

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

CENTER, SPREAD = (0.02, 0.01, 0.08), np.diag([0.010, 0.012, 0.008])
SPACES = str.maketrans({"\u2007": None, "\u2008": None, "\u2212": "-"})


@pytest.fixture(scope="module")
def arm():
    """Limits, payload, and in one drive friction and a rotor."""
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5, friction=lp.Friction(viscous=0.4, coulomb=0.6))
    return lp.catalog.panda().with_drives({"panda_joint2": drive}).with_payload(3.0, CENTER, inertia=SPREAD)


@pytest.fixture(scope="module")
def motion(arm):
    return lp.Motion.swing(arm, 161)


def with_setting(arm, motion, payload, speed, gravity):
    """What Python makes of a setting of the controls."""
    loaded = arm.without_payload().with_payload(payload, CENTER, inertia=SPREAD * payload / 3.0)
    return loaded.with_gravity(gravity), motion.scaled(speed=speed)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def opened(browser, path):
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
    page.on("request", lambda sent: page.problems.append(sent.url) if sent.url.startswith(("http", "ws")) else None)
    page.goto(path.as_uri())
    wait_until(page, "document.documentElement.dataset.ready !== undefined")
    return page


@pytest.fixture(scope="module")
def page(browser, arm, motion, tmp_path_factory):
    report = arm.report(motion, only=["verdict", "overview", "basis", "drives", "joints", "causes"])
    page = opened(browser, report.save(tmp_path_factory.mktemp("answers") / "report.html"))
    yield page
    assert page.problems == []


@pytest.fixture(autouse=True)
def put_back(request):
    yield
    if "page" in request.fixturenames:
        request.getfixturevalue("page").evaluate("loadpath.set(loadpath.base)")


def settings(count):
    rng = np.random.default_rng(17)
    for _ in range(count):
        direction = rng.normal(size=3)
        yield (
            float(rng.uniform(0, 9)),
            float(rng.uniform(0.4, 1.9)),
            (9.81 * direction / np.linalg.norm(direction)).tolist(),
        )


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_the_numbers_of_the_page_are_those_of_python(arm, motion, page):
    fields = ("maximum", "minimum", "mean", "mean_magnitude", "rms", "cubic_mean", "travel_cubic_mean")
    for payload, speed, gravity in settings(2):
        other, faster = with_setting(arm, motion, payload, speed, gravity)
        peaks, verdict = other.peak_loads(faster), other.verdict(faster)
        page.evaluate("setting => loadpath.set(setting)", {"payload": payload, "speed": speed, "gravity": gravity})
        names = ("force_x", "torque_y", "axial_force", "radial_force", "tilting_moment", "torque")
        asked = [[joint, name] for joint in peaks.joint_names for name in names]
        asked += [[drive, name] for drive in peaks.drive_names for name in ("drive", "speed", "acceleration", "power")]
        found = page.evaluate("asked => asked.map(([a, b]) => loadpath.statistics(a, b))", asked)
        scale = np.nanmax(peaks.components.magnitude)
        for (name, quantity), numbers in zip(asked, found, strict=True):
            of = peaks[name, quantity]
            for field in fields:
                expected = getattr(of, field)
                own = np.nan if numbers[field] is None else numbers[field]
                assert own == pytest.approx(expected, rel=0, abs=1e-12 * max(scale, abs(expected)), nan_ok=True), field
        work = page.evaluate("names => names.map(name => loadpath.work(name))", list(peaks.drive_names))
        assert [w["done"] for w in work] == pytest.approx(peaks.work_done, rel=1e-12, abs=1e-11)
        base = other.base_wrench(faster.q, faster.qd, faster.qdd)
        six = np.concatenate([base.force, base.torque], axis=1)
        assert [m["minimum"] for m in page.evaluate("loadpath.mount")][:6] == pytest.approx(six.min(axis=0), abs=1e-10)
        rows = page.evaluate("loadpath.checks")
        for row, expected in zip(rows, verdict.checks, strict=True):
            assert (row["part"], row["joint"], row["check"]) == (expected.part, expected.joint, expected.check)
            assert row["recomputed"] and row["utilisation"] == pytest.approx(expected.utilisation, rel=1e-12)
            assert row["time"] == pytest.approx(expected.at.time, abs=1e-12)


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_causes_of_a_load_are_those_of_python(arm, motion, page):
    ((payload, speed, gravity),) = settings(1)
    other, faster = with_setting(arm, motion, payload, speed, gravity)
    page.evaluate("setting => loadpath.set(setting)", {"payload": payload, "speed": speed, "gravity": gravity})
    loads = other.load_breakdown(faster.q[70], faster.qd[70], faster.qdd[70])
    for joint, component in (("panda_joint1", "torque_z"), ("panda_joint4", "force_x"), ("panda_joint2", "drive")):
        asked = page.evaluate("([a, b]) => loadpath.causes(a, b, 70)", [joint, component])
        expected = {cause_label(cause): float(part) for cause, part in loads.parts(joint, component).items()}
        assert {one["name"]: one["value"] for one in asked} == pytest.approx(expected, abs=1e-10)


def texts(page, title):
    """The rows of a table of the page, as text; what stands small below a number goes after a bar."""
    cells = """title => [...[...document.querySelectorAll('figure.tabular')]
        .find(figure => figure.querySelector('figcaption').textContent === title).querySelectorAll('tbody tr')]
        .map(row => [...row.cells].map(cell => {
            const small = cell.querySelector('.when')?.textContent ?? '';
            return [cell.textContent.slice(0, cell.textContent.length - small.length), small];
        }))"""
    return [[tuple(part.translate(SPACES).strip() for part in cell) for cell in row]
            for row in page.evaluate(cells, title)]


def written(report, title):
    """The same of a report in Python."""
    (table,) = [b for s in report.sections for b in s.blocks if isinstance(b, Table) and b.title == title]
    return [[tuple(part.translate(SPACES).strip() for part in cell) for cell in row] for row in aligned(table)]


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_tables_say_what_a_report_of_that_setting_says(arm, motion, page):
    # In no plane of symmetry of the motion: of two peaks of one size, rounding would choose.
    setting = {"payload": 5.5, "speed": 1.25, "gravity": [9.0, 2.0, -3.0]}
    other, faster = with_setting(arm, motion, **setting)
    report = other.report(faster, only=["verdict", "drives", "joints"], interactive=False)
    page.evaluate("setting => loadpath.set(setting)", setting)
    for title in (
        "Drives: speed, power and work",
        "Peak joint wrenches",
        "Base wrench: what the mount holds",
        "Checks",
    ):
        assert texts(page, title) == written(report, title)
    assert page.locator("p[data-live=sentence]").text_content() == report.sections[0].blocks[0].text


def test_controls_move_everything_and_back(page):
    before = page.locator("main").inner_text()
    sentence = page.locator("p[data-live=sentence]").text_content()
    slider = page.locator("input[name=payload]")
    slider.focus()
    page.keyboard.press("End")  # by the keyboard alone
    assert page.evaluate("loadpath.controls.payload") == float(slider.get_attribute("max"))
    assert page.locator("p[data-live=sentence]").text_content().startswith("Does not hold")
    assert page.locator(".figure.alarming .value").count() >= 2
    assert "not recomputed" in page.locator("section[data-fixed] > .said").first.text_content()
    assert page.locator("section[data-fixed]").first.evaluate("s => s.classList.contains('stale')")
    page.locator("select[name=mount]").select_option("wall")
    assert page.evaluate("loadpath.controls.gravity") == pytest.approx([9.81, 0, 0], abs=1e-12)
    page.locator("form.controls button").click()
    assert page.locator("p[data-live=sentence]").text_content() == sentence
    assert page.locator("main").inner_text() == before
    assert page.locator(".stale").count() == 0


def test_charts_follow_at_once_and_plotly_at_rest(page):
    chart = page.locator("figure:has-text('Torques of the drives') .chart").first
    chart.scroll_into_view_if_needed()
    wait_until(page, "c => c.data !== undefined", arg=chart.element_handle())
    page.evaluate("loadpath.set({ payload: 8, speed: 1.1 })")
    assert chart.locator("canvas.quick").count() == 1
    wait_until(page, "c => !c.querySelector('canvas.quick')", arg=chart.element_handle())
    drawn = chart.evaluate("c => c.data[1].y.map(Number)")
    most = page.evaluate("loadpath.statistics('panda_joint2', 'drive').magnitude")
    assert max(abs(v) for v in drawn) == pytest.approx(most, rel=1e-12)


def test_what_is_out_of_sight_is_not_left_behind(arm, motion, page):
    """Charts that were drawn and scrolled away, and the sentences below those by cause, are of the setting that is
    shown when they are seen again, or printed."""
    chart = page.locator("figure:has-text('Torques of the drives') .chart").first
    chart.scroll_into_view_if_needed()
    wait_until(page, "c => c.data !== undefined", arg=chart.element_handle())
    page.evaluate("window.scrollTo(0, 0)")
    wait_until(page, "c => c.getBoundingClientRect().top > innerHeight + 400", arg=chart.element_handle())
    page.wait_for_timeout(100)  # for the observer to see it go
    setting = {"payload": 7.5, "speed": 1.2, "gravity": [0.0, 9.81, 0.0]}
    page.evaluate("setting => loadpath.set(setting)", setting)
    other, faster = with_setting(arm, motion, **setting)
    report = other.report(faster, only=["verdict", "causes"], interactive=False)
    expected = [block.note for block in report.sections[-1].blocks]
    figures = page.locator("section:has-text('Where the loads come from') figure.choice")
    wait_until(page, "!document.querySelector('figure.choice .note.stale')")
    assert figures.locator(".note").all_text_contents() == expected
    note = page.locator("figure.tabular:has(table[data-live=checks]) .note")
    assert note.text_content() == report.sections[0].blocks[1].note
    chart.scroll_into_view_if_needed()
    most = page.evaluate("loadpath.statistics('panda_joint2', 'drive').magnitude")
    wait_until(page, "([c, most]) => Math.abs(Math.max(...c.data[1].y.map(Math.abs)) / most - 1) < 1e-6",
                           arg=[chart.element_handle(), most])
    page.evaluate("window.scrollTo(0, 0)")
    page.evaluate("loadpath.set({ payload: 1 }); dispatchEvent(new Event('beforeprint'))")
    most = page.evaluate("loadpath.statistics('panda_joint2', 'drive').magnitude")
    assert max(map(abs, chart.evaluate("c => Array.from(c.data[1].y)"))) == pytest.approx(most, rel=1e-6)
    page.emulate_media(media="print")
    assert page.locator(".controls .now").is_visible()  # or nobody could tell what the numbers are of
    assert not page.locator(".controls button").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint')); loadpath.set(loadpath.base)")
    assert not page.locator(".controls .now").is_visible()
    page.emulate_media(media="screen")


def test_what_was_left_out_is_as_computed(page):
    words = page.locator("figure.tabular:has-text('Peak joint wrenches') .note span[data-fixed]")
    assert words.text_content().startswith("Not shown: 'panda_joint8'")
    page.evaluate("loadpath.set({ payload: 0 })")
    assert words.text_content().startswith("As computed for payload 3 kg")
    assert words.evaluate("w => w.classList.contains('stale')")


@pytest.mark.parametrize(
    ("asked", "words"),
    [("{ payload: -1 }", "payload is -1: expected kg, 0 or more"), ("{ payload: NaN }", "payload is NaN"),
     ("{ speed: 0 }", "speed is 0: expected a factor above 0"), ("{ gravity: [0, 9.81] }", "expected three numbers"),
     ("{ mass: 3 }", "no control 'mass': there are payload, speed, gravity")],
)
def test_a_setting_that_cannot_be_is_refused(page, asked, words):
    with pytest.raises(playwright.Error, match=words):
        page.evaluate(f"loadpath.set({asked})")
    assert page.evaluate("loadpath.controls") == page.evaluate("loadpath.base")


def test_the_pointer_links_chart_table_and_picture(page):
    picture = page.locator(".chart.space")
    page.locator("figure:has(.slider)").scroll_into_view_if_needed()
    wait_until(page, "document.querySelector('.chart.space')?.data")
    row = page.locator("figure.tabular:has-text('Bearings') tbody tr").nth(2)
    row.dispatch_event("pointerenter")
    assert picture.evaluate("c => c.data.find((part) => part.name === 'joints').marked") >= 0
    assert row.evaluate("r => r.classList.contains('marked')")
    row.dispatch_event("pointerleave")
    chart = page.locator("figure:has-text('Torques of the drives') .chart").first
    chart.scroll_into_view_if_needed()
    wait_until(page, "c => c.linked", arg=chart.element_handle())
    left, top = chart.evaluate("""c => {
        const { x, y } = c.getBoundingClientRect(), { l, t, w, h } = c._fullLayout._size;
        return [x + l + w / 4, y + t + h / 2];
    }""")
    page.mouse.move(left, top)
    wait_until(page, "Math.abs(loadpath.sample - 40) <= 2")  # a quarter of 160
    page.locator(".player button").click()
    wait_until(page, "loadpath.sample > 45")
    page.locator(".slider input").evaluate("s => { s.value = 45; s.dispatchEvent(new Event('input')); }")
    page.locator("label:has-text('arrows') select").select_option("torque")
    assert "acceleration" in str(picture.evaluate("c => c.data.map(trace => trace.name)"))
    page.locator("label:has-text('arrows') select").select_option("sum")
    wait_until(page, "document.querySelector('.player button').textContent.includes('play')")


class Grease(lp.Part):
    """A part of a user's own, whose examiner has no rules."""

    kind = "grease"
    name = ""

    def examiner(self, place):
        return self

    def add(self, loads):
        self.__dict__["most"] = float(np.abs(loads.drive).max())

    def checks(self, required_hours):
        return [lp.Check("film", self.__dict__.get("most", 0.0), 1e3, "N m", self.__dict__.get("most", 0.0) / 1e3)]


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_checks_of_parts_are_those_of_python_or_say_that_they_are_not(browser, tmp_path):
    rpm = math.pi / 30
    ring = lp.CrossedRollerBearing(C=20e3, C0=30e3, dp=0.1, offset=0.02, permitted_moment=300, load_factor=1.2)
    gear = lp.StrainWaveGear(ratio=100, rated_torque=67, rated_speed=2000 * rpm, rated_life=7000, average_torque=108,
                             peak_torque=157, average_input_speed=3500 * rpm, max_input_speed=6000 * rpm,
                             output_bearing=lp.CrossedRollerBearing(C=8e3, C0=12e3, dp=0.06))
    motor = lp.Motor(peak_torque=2, continuous_torque=1, max_speed=600, torque_constant=0.1, peak_current=30)
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5, efficiency=(0.8, 0.7), no_load_torque=0.01)
    flange = lp.BoltedFlange(bolts=8, circle=0.1, preload=8e3, proof_load=12e3, friction=0.12, load_factor=0.2)
    cyclo = lp.CycloidalGear(ratio=81, rated_torque=100, rated_speed=15 * rpm, rated_life=6000, allowable_moment=200.0,
                             acceleration_torque=200, max_output_speed=5.0, axial_force=2000.0)
    arm = lp.catalog.panda().with_payload(3.0, CENTER, inertia=SPREAD).with_drives({"panda_joint2": drive})
    arm = arm.with_parts({"panda_joint2": [ring, gear, lp.Brake(holding_torque=1.0), motor, Grease()],
                          "panda_joint4": [cyclo, lp.Brake(holding_torque=1.0, ratio=81)],
                          "panda_joint1": [flange]})
    motion = lp.Motion.swing(arm, 121)
    page = opened(browser, arm.report(motion, hours=9000, only=["verdict"]).save(tmp_path / "report.html"))
    for payload, speed, gravity in settings(2):
        other, faster = with_setting(arm, motion, payload, speed, gravity)
        page.evaluate("setting => loadpath.set(setting)", {"payload": payload, "speed": speed, "gravity": gravity})
        made = 0
        for row, expected in zip(
            page.evaluate("loadpath.checks"), other.verdict(faster, hours=9000).checks, strict=True
        ):
            assert (row["joint"], row["part"], row["check"]) == (expected.joint, expected.part, expected.check)
            assert row["recomputed"] == (expected.part != "grease"), expected
            if expected.part == "limits" or not row["recomputed"] or not expected.utilisation >= 0:
                continue
            made += 1
            for field in ("demand", "capacity", "utilisation", "life_hours"):
                number = getattr(expected, field)
                assert row[field] == (number and pytest.approx(number, rel=1e-12)), (expected, field)
            assert row["time"] == pytest.approx(expected.at.time, abs=1e-12)
        assert made == 24
    stale = page.locator("tr.stale", has_text="grease")
    assert "as computed for payload 3 kg, speed 100 %, on the floor; not recomputed" in stale.inner_text()
    assert "1 not recomputed (grey) of " in page.locator("p[data-live=sentence]").text_content()
    assert page.problems == []


def full_arm():
    """Parts of all kinds: gears with stiffness, three kinds of pairs, brakes, motors that warm, with curves, bolts."""
    rpm = math.pi / 30
    two, one = {"resistance": (0.8, 1.5), "time_constant": (30, 900)}, {"resistance": 2.0, "time_constant": 600}
    gear = lp.StrainWaveGear(ratio=100, rated_torque=67, rated_speed=2000 * rpm, rated_life=7000, average_torque=108,
                             peak_torque=157, momentary_torque=290, emergency_torque=200, stiffness=(3.1e4, 5e4, 5.7e4),
                             emergency_speed=1.0, emergency_time=0.1, emergency_count=100, stiffness_torques=(14, 48),
                             torsion_limit="5 arcmin", hysteresis="0.5 arcmin")
    brake = lp.Brake(holding_torque=1, energy_per_stop=50, response_time=0.03, total_energy=1e5, stops=1000)
    ratings = {"spacing": (-0.02, 0.04), "C": 29.1e3, "C0": 17.9e3}
    deep = lp.BearingPair(**ratings, kind="deep groove", f0=14.0)
    steep = lp.BearingPair(**ratings, kind="angular contact", contact_angle="40 deg")
    flat = lp.BearingPair(**ratings, kind="angular contact", contact_angle="15 deg", f0=14, arrangement="face-to-face")
    tapered = lp.BearingPair(**ratings, kind="tapered", Y=1.6)

    def motor(thermal, **more):
        return lp.Motor(peak_torque=2, continuous_torque=1, torque_constant=0.1, resistance=0.4, inductance=1e-3,
                        voltage=48, thermal=lp.ThermalModel(**thermal, ambient=25, limit=120), **more)

    curves = lp.Motor(continuous_curve=[(0, 0.5), (150, 0.3), (600, 0.1)], torque_constant=0.1, overload_time=2.0,
                      intermittent_curve=[(0, 3.6), (100, 3.6), (600, 1.0)], rotor_inertia=2e-5, max_inertia_ratio=30)
    cyclo = lp.CycloidalGear(ratio=81, rated_torque=100, rated_speed=15 * rpm, rated_life=6000,
                             allowable_moment=[(0, 200), (500, 100), (2000, 10)], axial_force=2000.0)
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5, efficiency=(0.8, 0.7), no_load_torque=0.01,
                     friction=lp.Friction(viscous=0.4, coulomb=0.6))
    arm = lp.catalog.panda().with_payload(3.0, CENTER, inertia=SPREAD)
    arm = arm.with_drives({f"panda_joint{k}": drive for k in (1, 2, 3)})
    return arm.with_parts({
        "panda_joint1": [steep, gear, brake, motor(two, pole_pairs=4, phases=3, max_inertia_ratio=20)],
        "panda_joint2": [deep, gear, brake, motor(one)], "panda_joint3": [tapered, gear, curves, brake],
        "panda_joint4": [flat, cyclo, lp.Brake(holding_torque=1.0, ratio=81, response_time=0.05, energy_per_stop=10)],
    })


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_no_check_of_a_full_arm_is_grey_and_all_are_those_of_python_with_their_causes(browser, tmp_path):
    """Pairs of bearings, brakes, temperatures, voltages, torsion, torque-speed curves and what mostly causes each."""
    arm = full_arm()
    motion = lp.Motion.swing(arm, 101)
    page = opened(browser, arm.report(motion, hours=9000, only=["verdict"]).save(tmp_path / "report.html"))
    for payload, speed, gravity in settings(2):
        other, faster = with_setting(arm, motion, payload, speed, gravity)
        page.evaluate("setting => loadpath.set(setting)", {"payload": payload, "speed": speed, "gravity": gravity})
        made = set()
        for row, expected in zip(
            page.evaluate("loadpath.checks"), other.verdict(faster, hours=9000).checks, strict=True
        ):
            assert row["recomputed"], expected
            if not expected.checked:
                continue
            made.add(expected.check)
            for field in ("demand", "capacity", "utilisation", "life_hours"):
                number = getattr(expected, field)
                assert row[field] == (number and pytest.approx(number, rel=1e-11, abs=1e-15)), (expected, field)
            if expected.at is not None and expected.check != "winding temperature":  # as hot at the end as at the start
                assert row["time"] == pytest.approx(expected.at.time, abs=1e-12)
            assert row["cause"] == main_cause(expected), expected
        assert made >= {"life L10 of b", "static safety of a", "torsion", "energy of a stop", "energy of all stops",
                        "voltage", "winding temperature", "inertia ratio", "overload time", "momentary peak torque",
                        "number of momentary peaks", "tilting moment"}
        shown = texts(page, "Checks")
        assert len(shown) > 30 and sum(bool(row[-1][0]) for row in shown) > 20  # what mostly causes them
    assert page.problems == []


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_rows_of_exceptional_cases_stay_as_computed(browser, tmp_path):
    """Their instants are of another motion, and have no time at rest."""
    gear = lp.StrainWaveGear(ratio=100, peak_torque=90, momentary_torque=110)
    arm = lp.catalog.planar(2).with_parts({"joint1": [gear]})
    motion = lp.Motion.swing(arm, 41)
    found = arm.verdict(motion, exceptions=[lp.ExceptionalCase("crash", "static", torques={"joint1": 99.0})])
    report = make_report(arm, motion, only=["verdict"], judge=lambda: found)
    page = opened(browser, report.save(tmp_path / "report.html"))
    page.evaluate("loadpath.set({ payload: 2 })")
    rows = {row["check"]: row["recomputed"] for row in page.evaluate("loadpath.checks")}
    assert rows["repeated peak torque"] and not rows["momentary peak torque (crash)"]
    page.set_viewport_size({"width": 800, "height": 900})  # each card is named by what it is, not by its part alone
    heads = "[...document.querySelectorAll('tr[data-card]')].map(row => getComputedStyle(row, '::before').content)"
    for setting in ("{ payload: 2 }", "loadpath.base"):
        page.evaluate(f"loadpath.set({setting})")
        found_heads = page.evaluate(heads)
        assert '"strain wave gear of joint1: repeated peak torque"' in found_heads
        assert len(found_heads) == len(set(found_heads))
    assert page.problems == []


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_the_most_loaded_carriage_of_a_guide_is_found_again(browser, tmp_path):
    slide = lp.Joint("x", "base", "cart", lp.Prismatic((1, 0, 0)))
    cart = lp.Link("cart", lp.Inertia(8.0, (0, 0, 0.05), np.diag([0.1, 0.1, 0.1])))
    robot = lp.Robot("gantry", [lp.Link("base"), cart], [slide])
    corners = [(x, y, 0.0) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    guide = lp.LinearGuide(C=20e3, C0=40e3, rated_travel=50e3, up=(0, 0, 1), positions=corners)
    robot = robot.with_payload(5.0, (0.2, 0.05, 0.1)).with_parts({"x": [guide]})
    motion = lp.Motion.through(robot, [[0.0], [0.8], [0.0]], [0.0, 1.0, 2.0])
    page = opened(browser, robot.report(motion, hours=2e4, only=["verdict"]).save(tmp_path / "report.html"))
    names = set()
    for payload, gravity in ((5.0, [0.0, 0.0, -9.81]), (0.1, [-30.0, 6.0, 3.0]), (9.0, [-5.0, -6.0, 1.0])):
        other = robot.without_payload().with_payload(payload, (0.2, 0.05, 0.1)).with_gravity(gravity)
        page.evaluate("setting => loadpath.set(setting)", {"payload": payload, "speed": 1.5, "gravity": gravity})
        for row, expected in zip(page.evaluate("loadpath.checks"),
                                 other.verdict(motion.scaled(speed=1.5), hours=2e4).checks, strict=True):
            assert row["recomputed"] and row["check"] == expected.check and row["cause"] == main_cause(expected)
            for field in ("demand", "capacity", "utilisation"):
                assert row[field] == pytest.approx(getattr(expected, field), rel=1e-11)
            names.add(expected.check)
    assert len({name for name in names if name.startswith("static")}) > 1  # not always the same carriage
    assert page.problems == []


def test_a_motor_without_constants_warms_by_its_torque():
    thermal = lp.ThermalModel(resistance=2.0, time_constant=600, ambient=25, limit=120)
    motor = lp.Motor(continuous_torque=1, thermal=thermal)
    arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=50)}).with_parts({"joint1": [motor]})
    (rules,) = part_rules(arm)
    assert rules["winding temperature"]["reduction"] == "temperature" and "RMS torque" in rules


def test_a_signal_that_the_page_does_not_know_is_refused():
    speed = Recorded(["speed"])
    assert np.where(speed > 0, speed, 0.0).columns == [["where", ["greater", "speed", 0.0], "speed", 0.0]]
    assert np.diff(speed, prepend=speed[:1]).columns == [["step", "speed"]]
    assert np.interp(speed, [0, 1], [2, 3], right=0.0).columns == [["interp", "speed", (0.0, 1.0), (2.0, 3.0), 0.0]]
    assert steps_of(np.minimum(speed, np.inf).columns[0]) == [["minimum", "speed", "inf"]]
    for refused in (lambda: np.cumsum(speed), lambda: np.arctan(speed), lambda: speed[3], lambda: speed @ speed,
                    lambda: np.diff(speed, prepend=0.0), lambda: speed.sum(axis=1), speed.max):
        with pytest.raises(NotRecordedError):
            refused()
    with pytest.raises(TypeError):
        float(speed)


@pytest.mark.parametrize(
    ("robot", "case", "words"),
    [(lp.catalog.four_bar, {}, "closed chains"),
     (lambda: lp.catalog.planar(2), {"external": {"tip": lp.Wrench((0, 0, -5))}}, "wrenches act from outside"),
     (lambda: lp.catalog.planar(2), {"base_acceleration": (1, 0, 0, 0, 0, 0)}, "the base moves")],
)
def test_a_page_that_does_not_answer_says_why(robot, case, words):
    report = robot().report(only=["drives"], **case)
    assert f"Numbers as computed, without controls: {words}" in report.html and 'id="live"' not in report.html


def test_a_page_without_controls_is_asked_for():
    report = lp.catalog.planar(1).report(only=["drives"], interactive=False)
    assert 'id="live"' not in report.html and "without controls" not in report.html


def test_of_long_motions_the_peaks_are_among_the_samples_kept():
    arm = lp.catalog.planar(2)
    t = np.arange(150_000) * 1e-3
    q = np.stack([np.sin(3 * t), np.cos(7 * t)], axis=1)
    peaks = arm.peak_loads((q, 0 * q, q))
    kept = kept_samples(peaks, [77])
    assert len(kept) < 25_000 and 77 in kept
    assert set(peaks.drive.maximum_at) <= set(kept) and set(peaks.components.minimum_at.ravel()) <= set(kept)


def test_the_payload_that_the_control_changes():
    arm = lp.catalog.panda()
    carried = payload_of(arm.with_payload(2.0, CENTER, inertia=SPREAD))
    assert carried.mass == 2.0 and carried.largest >= 4.0 and "in proportion to its mass" in carried.words
    assert payload_of(arm).mass == 0.0
    two = arm.with_payload(1.0).with_payload(1.0, link="panda_link7", name="payload2")
    assert payload_of(two) == "it carries 2 payloads: payload, payload2"
