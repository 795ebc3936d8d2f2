"""Robots as pictures: the picture at the head of a report, taken by Chromium."""

from __future__ import annotations

import base64
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from loadpath.report.report import Report

SHARP = 2
"""Points of the picture for one of the page."""
COLORS = 96
"""Of a small picture: so many are enough, and a third of the bytes."""

# What is seen at this instant fills the picture, not all that the motion reaches.
TAKE = """([wide, high, turn, words, sharp]) => {
  const { space } = document.querySelector(".space"), reach = [];
  Object.assign(space.turn, turn);
  space.bare = !words;
  space.place.data = space.place.data.filter(({ mode }) => mode !== "way" && mode !== "text");
  for (const { x, y, z, bodies, poses, bent } of space.place.data) {
    if (x) x.forEach((v, k) => { if (v !== null) reach.push([v, y[k], z[k]]); });
    (bent ?? []).forEach(({ line }) => reach.push(...line));
    (bodies ?? []).forEach(({ points: p }, b) => {
      for (let k = 0; k < p.length; k += 3 * Math.ceil(p.length / 900)) {
        const [u, v, w] = p.subarray(k, k + 3), pose = poses[b];
        reach.push([0, 4, 8].map((r) => pose[r] * u + pose[r + 1] * v + pose[r + 2] * w + pose[r + 3]));
      }
    });
  }
  space.reach = reach;
  return space.image(wide, high, sharp);
}"""


def portrait(
    report: Report, wide: int, high: int, turn: dict[str, float] | None = None, *, words: bool = True,
    sharp: int = SHARP,
) -> Image.Image:
    """The picture of a report's robot at its worst instant. `turn` may have yaw and pitch (rad) and zoom; without
    `words` it has no legend.
    """
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        page_file = report.save(Path(folder, "report.html"))
        chromium = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(color_scheme="light")
        page.goto(f"{page_file.as_uri()}#all")
        page.wait_for_function("document.querySelector('.space')?.data")
        taken = page.evaluate(TAKE, [wide, high, turn or {}, words, sharp])
        chromium.close()
    return Image.open(io.BytesIO(base64.b64decode(taken.split(",")[1]))).convert("RGB")


def save_small(picture: Image.Image, path: Path) -> None:
    """Writes it with few colours."""
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def viewer_page(robot: Any, motion: Any, tab: str, path: Path) -> None:
    """The page of the viewer with one of its tabs open."""
    with robot.view(motion=motion, open_browser=False) as viewer, sync_playwright() as tools:
        viewer.seek(0.7 * motion.duration)
        options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        chromium = tools.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        page = chromium.new_page(color_scheme="light", viewport={"width": 1080, "height": 620})
        page.set_default_timeout(120_000)
        page.goto(viewer.url)
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(8_000)
        for note in page.locator(".mantine-Notification-closeButton").all():  # that there is no graphics card
            note.click()
        page.wait_for_timeout(1_500)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        chromium.close()
    picture.save(path, optimize=True)
