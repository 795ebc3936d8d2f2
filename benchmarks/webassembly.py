"""Quantities in a page: WebAssembly and JavaScript in Chromium against the compiled methods on the same machine."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import loadpath as lp
from benchmarks.peers import urdf_files
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.exports.webassembly.kernel import WebAssemblyKernel, page_kernel

STATES = 1000

TIMER = """
globalThis.bestOf = async (work, repetitions) => {
    const seconds = (times) => {
        const begin = performance.now();
        for (let k = 0; k < times; k++) work();
        return (performance.now() - begin) / 1000;
    };
    let times = 1, best = Infinity;
    while (seconds(times) < 0.02) times *= 2;                   // a browser's clock is coarse
    await new Promise((done) => setTimeout(done, 300));         // until the optimised code is there
    for (let k = 0; k < repetitions; k++) best = Math.min(best, seconds(times) / times);
    return best;
};
globalThis.random = (length) => Float64Array.from({ length }, () => 2 * Math.random() - 1);
"""

KERNEL = """async ([name, states, repetitions]) => {
    const kernel = await globalThis[name];
    const inputs = Object.fromEntries(kernel.inputs.map(({ name, size }) => [name, random(size * states)]));
    const found = kernel.run(inputs, states);
    return bestOf(() => kernel.run(inputs, states, found), repetitions);
}"""

SOURCE = """([sizes, states, repetitions]) => {
    const arrays = sizes.map((size) => random(size * states));
    return bestOf(() => source(...arrays, states), repetitions);
}"""


class Modules(NamedTuple):
    """What is measured."""

    panda: WebAssemblyKernel
    talos: WebAssemblyKernel
    page: WebAssemblyKernel
    causes: WebAssemblyKernel


def rows(quick: bool) -> list[Row]:
    """The rows of the table; none where there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        return []
    repetitions = 10 if quick else 60
    panda = lp.catalog.panda()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        talos = lp.load(next(path for path in urdf_files().values() if path.stem == "talos_full_v2"))
    loaded = panda.with_payload(0.0)
    modules = Modules(panda.wasm("joint_wrenches"), talos.wasm("joint_wrenches"), page_kernel(loaded),
                      page_kernel(loaded, ("load_terms",)))
    source = panda.javascript_source("joint_wrenches", function_name="source", module="script")
    seconds = _in_browser(chromium, modules, source, repetitions)
    native = {name: _native(robot, repetitions) for name, robot in (("panda", panda), ("talos", talos))}

    def row(what: str, name: str, robot: str, at_most: float | None = None) -> Row:
        found, compiled = (1e9 * part / STATES for part in (seconds[name], native[robot]))
        return Row(what, found / compiled, at_most=at_most, remark=f"{found:.0f} ns / {compiled:.0f} ns a state")

    kilobytes = {name: len(kernel.module) / 1000 for name, kernel in modules._asdict().items()}
    return [
        row("all joint wrenches of a Panda: WebAssembly / the compiled method", "panda", "panda", 10),
        row("same: JavaScript source / the compiled method", "source", "panda"),
        row("all joint wrenches of Talos: WebAssembly / the compiled method", "talos", "talos", 10),
        Row("torques, wrenches and poses of a Panda, 1,000 states", 1e3 * seconds["page"], "ms", at_most=50),
        Row("same wrenches by cause, 1,000 states", 1e3 * seconds["causes"], "ms", at_most=50),
        Row("module of a Panda's wrenches", kilobytes["panda"], "kB"),
        Row("module of Talos' wrenches", kilobytes["talos"], "kB"),
        Row("module of a Panda's wrenches by cause", kilobytes["causes"], "kB", at_most=1000),
    ]


def _in_browser(chromium: str, modules: Modules, source: str, repetitions: int) -> dict[str, float]:
    """Best seconds of a batch, by name."""
    from playwright.sync_api import sync_playwright

    snippets = "".join(kernel.html_snippet(name) for name, kernel in modules._asdict().items())
    with TemporaryDirectory() as folder, sync_playwright() as tools:
        path = Path(folder, "page.html")
        text = f"<!doctype html><title>Timing</title><script>{TIMER}{source}</script>{snippets}"
        path.write_text(text, encoding="utf-8")
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(path.as_uri())
        found = {name: float(page.evaluate(KERNEL, [name, STATES, repetitions])) for name in modules._fields}
        sizes = [operand.size for operand in (*modules.panda.inputs, *modules.panda.outputs)]
        found["source"] = float(page.evaluate(SOURCE, [sizes, STATES, repetitions]))
        browser.close()
    return found


def _native(robot: lp.Robot, repetitions: int) -> float:
    rng = np.random.default_rng(0)
    state: list[Any] = [rng.uniform(-1, 1, (STATES, size)) for size in (robot.nq, robot.n, robot.n)]
    return best_times({"native": lambda: robot.joint_wrenches(*state)}, max(repetitions, 20))["native"]
