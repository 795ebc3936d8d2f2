"""Modules, their loader and JavaScript source in a real browser: pages that are opened as files and fetch nothing."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import web_cases
from web_cases import check

import loadpath as lp
from engine.programs import reference
from loadpath.exports.webassembly.kernel import kernel_of, page_kernel
from real_robots import REAL_ROBOTS

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

GRAVITY = (1.0, 2.0, -9.0)
Numbers = dict[str, np.ndarray]


def arm(mass: float) -> lp.Robot:
    return lp.catalog.puma560().with_payload(mass, (0.01, 0.02, 0.1))


def talos() -> lp.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(REAL_ROBOTS["talos_data/talos_full_v2"])


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One page with all modules on it, as strangers would put them there."""
    operations, _ = web_cases.operations()
    keys = ["payload.mass", "gravity"]
    source = arm(1.0).javascript_source("joint_wrenches", parameters=keys, function_name="wrench")
    parts = [
        page_kernel(arm(0.0)).html_snippet("arm"),
        page_kernel(arm(0.0), ("load_terms",)).html_snippet("causes"),
        talos().wasm("joint_wrenches").html_snippet("talos"),
        kernel_of("operations", lp.catalog.two_link(), operations).html_snippet("operations"),
        f'<script type="module">{source}\nglobalThis.wrench = wrench;</script>',
    ]
    path = tmp_path_factory.mktemp("web") / "page.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'><title>Modules</title>{''.join(parts)}", encoding="utf-8")
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = chromium.new_page()
        opened.problems, opened.fetched = [], []
        opened.on("pageerror", lambda error: opened.problems.append(str(error)))
        opened.on("console", lambda said: opened.problems.append(said.text) if said.type == "error" else None)
        opened.on("request", lambda request: opened.fetched.append(request.url))
        opened.goto(path.as_uri())
        yield opened
        assert opened.problems == []
        assert [url for url in opened.fetched if not url.startswith(("file:", "blob:", "data:"))] == []
        chromium.close()


def run(page: Any, kernel: str, inputs: dict[str, Any], count: int | None = None) -> Numbers:
    """What a kernel of the page computes."""
    flat = {name: np.ravel(part).tolist() for name, part in inputs.items()}
    found = page.evaluate(
        """async ([name, inputs, count]) => {
            const kernel = await globalThis[name];
            const found = kernel.run(inputs, count ?? undefined);
            return kernel.outputs.map(({ name, shape }) => [name, shape, Array.from(found[name])]);
        }""",
        [kernel, flat, count],
    )
    return {name: np.array(values, float).reshape(-1, *shape) for name, shape, values in found}


def states(robot: lp.Robot, count: int) -> Numbers:
    rng = np.random.default_rng(count)
    return {key: rng.uniform(-1, 1, (count, robot.n)) for key in ("q", "qd", "qdd")}


def named(given: Numbers, mass: float) -> Numbers:
    real = arm(mass).with_gravity(GRAVITY)
    force_torque = real.joint_wrenches.uncompiled(*given.values())
    return {
        "tau": real.inverse_dynamics.uncompiled(*given.values()),
        "force": np.asarray(force_torque.force),
        "torque": np.asarray(force_torque.torque),
        "link_poses": real.link_poses.uncompiled(given["q"]),
    }


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_a_page_computes_what_python_does(page: Any, count: int) -> None:
    given = states(arm(0.0), count)
    found = run(page, "arm", {**given, "payload_mass": 2.5, "gravity": GRAVITY})
    wanted = named(given, 2.5)
    assert list(found) == list(wanted)
    check(list(found.values()), list(wanted.values()))


def test_causes_sum_to_the_wrenches(page: Any) -> None:
    given = states(arm(0.0), 5)
    found = run(page, "causes", {**given, "payload_mass": 2.5, "gravity": GRAVITY})
    terms = arm(2.5).with_gravity(GRAVITY).load_terms.uncompiled(*given.values())
    check(list(found.values()), [np.asarray(terms.values), np.asarray(terms.friction), np.asarray(terms.rotor)])


def test_a_humanoid(page: Any) -> None:
    robot = talos()
    given = states(robot, 3)
    found = run(page, "talos", given)
    wanted = robot.joint_wrenches.uncompiled(*given.values())
    check(list(found.values()), [np.asarray(wanted.force), np.asarray(wanted.torque)])


def test_every_operation_and_every_kind_of_number(page: Any) -> None:
    made, (a, b) = web_cases.operations()
    found = run(page, "operations", {"a": a, "b": b})
    check(list(found.values()), reference(made, a, b), 4e-15)


def test_no_states_and_more_than_one_block_of_memory(page: Any) -> None:
    fixed = {"payload_mass": 2.5, "gravity": GRAVITY}
    empty = run(page, "arm", {"q": [], "qd": [], "qdd": [], **fixed}, 0)
    assert [part.shape[0] for part in empty.values()] == [0, 0, 0, 0]
    few = states(arm(0.0), 7)
    rows = np.resize(np.arange(7), 4001)
    once, many = run(page, "arm", {**few, **fixed}), run(page, "arm", {k: v[rows] for k, v in few.items()} | fixed)
    for name, part in many.items():
        np.testing.assert_array_equal(part, once[name][rows])


def test_arrays_given_for_the_results_are_used(page: Any) -> None:
    assert page.evaluate("""async () => {
        const kernel = await arm, tau = new Float64Array(6), one = new Float64Array(6);
        const found = kernel.run({q: one, qd: one, qdd: one, payload_mass: [1], gravity: [0, 0, -9.81]}, 1, {tau});
        return found.tau === tau && tau.some((x) => x !== 0);
    }""")


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ("{q: [1, 2]}", "input 'qd' is missing"),
        ("{...good, q: [1, 2]}", "input 'q' has 2 numbers: expected 6 for all states, or 1 times 6"),
        ("{...good, mass: 2}", "there is no input 'mass': expected q, qd, qdd, payload_mass, gravity"),
        ("{...good, q: ['1', 2, 3, 4, 5, 6]}", "input 'q' has an entry that is no number"),
        ("good, 1.5", "count is 1.5: expected a whole number of states"),
        ("good, 1, {tau: new Float64Array(3)}", "result 'tau' is no Float64Array of 6 numbers"),
    ],
)
def test_mistakes_are_thrown_with_names(page: Any, inputs: str, words: str) -> None:
    code = f"""async () => {{
        const one = [0, 0, 0, 0, 0, 0], good = {{q: one, qd: one, qdd: one, payload_mass: 1, gravity: [0, 0, -9.81]}};
        (await arm).run({inputs});
    }}"""
    with pytest.raises(playwright.Error, match=re.escape(words)):
        page.evaluate(code)


def test_another_module_is_refused(page: Any) -> None:
    with pytest.raises(playwright.Error, match="it was not made by Loadpath"):
        page.evaluate("loadpath.load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))")


def test_source_as_a_module(page: Any) -> None:
    given = states(arm(0.0), 4)
    page.wait_for_function("globalThis.wrench !== undefined")
    force, torque = page.evaluate(
        """([q, qd, qdd]) => {
            const arrays = [q, qd, qdd, [2.5], [1, 2, -9]].map((part) => Float64Array.from(part));
            const results = [new Float64Array(4 * 7 * 3), new Float64Array(4 * 7 * 3)];
            wrench(...arrays, ...results, 4);
            return results.map((part) => Array.from(part));
        }""",
        [part.ravel().tolist() for part in given.values()],
    )
    wanted = named(given, 2.5)
    check([np.reshape(force, (4, 7, 3)), np.reshape(torque, (4, 7, 3))], [wanted["force"], wanted["torque"]])


def test_the_page_of_the_documentation(page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8")
    section = text[text.index("### A page that computes") :]
    code = section[section.index("```python\n") + len("```python\n") :].split("```")[0]
    monkeypatch.chdir(tmp_path)
    arm = lp.catalog.two_link()
    exec(code, {"loaded": arm.with_payload(1.0, (0.1, 0, 0)), "Path": Path})
    other = page.context.browser.new_page()
    other.goto((tmp_path / "holding.html").as_uri())
    for mass in (1.0, 3.2):
        other.locator("#mass").fill(str(mass))
        other.wait_for_function("document.getElementById('tau').textContent !== ''")
        shown = [float(part) for part in other.locator("#tau").text_content().split(", ")]
        real = arm.with_payload(mass, (0.1, 0, 0)).with_gravity((0, 0, -9.81))
        np.testing.assert_allclose(shown, real.gravity_forces.uncompiled([0.3, 0.4]), atol=1e-9)


def test_files_beside_each_other(page: Any, tmp_path: Path) -> None:
    """The loader as it is saved works as text of a module, and takes the bytes as they are saved."""
    kernel = lp.catalog.two_link().wasm("gravity_forces")
    saved = kernel.save(tmp_path / "hold.wasm")
    found = page.evaluate(
        """async ([loader, bytes]) => {
            const url = URL.createObjectURL(new Blob([loader], {type: "text/javascript"}));
            const { load } = await import(url);
            return Array.from((await load(new Uint8Array(bytes))).run({q: [0.3, 0.4]}).tau);
        }""",
        [saved.with_suffix(".js").read_text(), list(saved.read_bytes())],
    )
    np.testing.assert_allclose(found, lp.catalog.two_link().gravity_forces.uncompiled([0.3, 0.4]), rtol=1e-14)
