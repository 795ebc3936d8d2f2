"""The report in a browser: how long a change of its controls takes, of a Panda with 1,000 samples."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from statistics import median

import loadpath as lp
from benchmarks.report import Row

SAMPLES = 1000
PLACES = {
    "h1": "tables", "figure:has(.slider)": "the picture of the robot",
    "figure:has-text('Torques of the drives')": "curves", "figure.choice >> nth=-2": "loads by cause",
}
CHANGES = """async (count) => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  const found = [];
  for (let k = 0; k < count; k++) {
    await painted();
    const start = performance.now();
    loadpath.set({ payload: 1 + k / count, speed: 1 + 0.2 * k / count });
    const computed = performance.now();
    await painted();
    found.push([computed - start, performance.now() - start]);
  }
  return found;
}"""


def rows(quick: bool) -> list[Row]:
    """Medians of the time of the page's scripts, and until the browser has painted; none without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    if chromium is None:
        return []
    robot = lp.catalog.panda().with_payload(2.0)
    found = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        path = robot.report(lp.Motion.swing(robot, SAMPLES)).save(Path(folder) / "report.html")
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.locator("html[data-ready]").wait_for(state="attached")
        for place, what in PLACES.items():
            page.locator(place).first.scroll_into_view_if_needed()
            page.wait_for_timeout(1500)  # charts that come into the window are drawn
            changes = page.evaluate(CHANGES, 8 if quick else 40)[2:]
            script, painted = (median(times) for times in zip(*changes, strict=True))
            found.append(Row(f"a change of the controls, {what} in the window", painted, "ms", at_most=50.0,
                             remark=f"{script:.0f} ms of it in scripts"))
        browser.close()
    return found
