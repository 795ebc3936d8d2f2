"""WebAssembly: valid to another engine (Wasmtime), and there it computes what CasADi does with the same program."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
import web_cases
from web_cases import CASES, Case, check, wanted

import loadpath as lp
from engine.programs import mixed, random_program, reference
from loadpath.engine.program import Program
from loadpath.exports.webassembly import kernel
from loadpath.exports.webassembly.kernel import encoded, page_kernel
from references.webassembly import description, run, run_module

pytest.importorskip("wasmtime")


def computed(made: Program, *given: np.ndarray, count: int | None = None) -> list[np.ndarray]:
    return run_module(encoded(made, {}), made.inputs, made.outputs, *given, count=count)


@pytest.mark.parametrize("name", CASES)
def test_every_quantity(name: str) -> None:
    made, given = CASES[name]()
    check(computed(made, *given), wanted(name))


def test_every_operation_and_every_kind_of_number() -> None:
    made, given = web_cases.operations()
    check(computed(made, *given), reference(made, *given), 4e-15)


def test_angles_inputs_constants_and_sines_as_results() -> None:
    made = mixed()
    rng = np.random.default_rng(2)
    given = [rng.uniform(-3, 3, (9, *operand.shape)) for operand in made.inputs]
    check(computed(made, *given), reference(made, *given), 1e-13)


@pytest.mark.parametrize("longest", [400, 37])
@pytest.mark.parametrize("seed", range(3))
def test_values_on_the_stack_in_locals_and_in_memory(seed: int, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random graphs of operations: every way in which a value can be handed on."""
    monkeypatch.setattr(kernel, "CHUNK_LENGTH", longest)
    made = random_program(seed, 500, smooth=True)
    rng = np.random.default_rng(seed)
    given = rng.uniform(-2, 2, (6, 3)), rng.uniform(-2, 2, (6, 2, 2)), rng.uniform(-2, 2, 6)
    check(computed(made, *given), reference(made, *given), 1e-10)


@functools.cache
def arm() -> Case:
    return web_cases.quantity("joint_wrenches")


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_batches_of_any_size_give_each_state_the_same_bits(count: int) -> None:
    made, given = arm()
    rows = np.resize(np.arange(7), count)
    alone = computed(made, *given)
    for result, single in zip(computed(made, *(part[rows] for part in given), count=count), alone, strict=True):
        np.testing.assert_array_equal(result, single[rows])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e300])
def test_a_bad_row_stays_in_its_row(wrong: float) -> None:
    made, given = arm()
    alone = computed(made, *given)
    spoiled = [part.copy() for part in given]
    spoiled[0][3, 2] = wrong
    for result, before in zip(computed(made, *spoiled), alone, strict=True):
        np.testing.assert_array_equal(np.delete(result, 3, axis=0), np.delete(before, 3, axis=0))
        assert np.isnan(result[3]).any() == (not np.abs(wrong) < np.inf)


def test_large_angles() -> None:
    robot = lp.catalog.two_link()
    q = np.array([[1e3, -2e5], [1.6e6, 1.7e6], [1e9, -1e15]])
    (tau,) = run(robot.wasm("gravity_forces"), q)
    check([tau], [robot.gravity_forces.uncompiled(q)], 1e-14)


def test_a_robot_that_does_not_move_and_one_without_gravity() -> None:
    still = lp.catalog.two_link().locked({"joint1": 0.3, "joint2": -0.2})
    (poses,) = run(still.wasm("link_poses"), np.zeros((3, 0)))
    np.testing.assert_allclose(poses, np.tile(still.link_poses(np.zeros(0)), (3, 1, 1, 1)))
    assert description(lp.catalog.two_link().with_gravity((0, 0, 0)).wasm("gravity_forces").module)["imports"] == []


def test_long_chains_encode_in_linear_time_and_are_valid() -> None:
    """Code grows with the operations, and stays in functions of moderate size."""
    sizes = []
    for n in (10, 40):
        chain = lp.catalog.random_chain(n, 1)
        kernel = chain.wasm("joint_wrenches")
        sizes.append(len(kernel.module))
        rng = np.random.default_rng(n)
        q, qd, qdd = rng.uniform(-1, 1, (3, 2, n))
        force, torque = run(kernel, q, qd, qdd)
        wrenches = chain.joint_wrenches.uncompiled(q, qd, qdd)
        check([force, torque], [np.asarray(wrenches.force), np.asarray(wrenches.torque)])
    assert 3.5 < sizes[1] / sizes[0] < 5


def test_all_of_a_page_in_one_module() -> None:
    robot = lp.catalog.puma560().with_payload(0.0, (0.01, 0.02, 0.1))
    kernel = page_kernel(robot, ("inverse_dynamics", "joint_wrenches", "link_poses", "load_terms", "base_wrench"),
                         external=["payload"], arrays=["base_acceleration"])
    assert [operand.name for operand in kernel.inputs] == [
        "q", "qd", "qdd", "base_acceleration", "external", "payload_mass", "gravity",
    ]
    assert [operand.name for operand in kernel.outputs] == [
        "tau", "force", "torque", "link_poses", "values", "friction", "rotor",
        "base_wrench_force", "base_wrench_torque",
    ]
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4, 6))
    base, pull = rng.uniform(-1, 1, (4, 6)), rng.uniform(-5, 5, (4, 1, 6))
    found = dict(zip((o.name for o in kernel.outputs),
                     run(kernel, q, qd, qdd, base, pull, 2.5, (1.0, 2.0, -9.0)), strict=True))
    real = lp.catalog.puma560().with_payload(2.5, (0.01, 0.02, 0.1)).with_gravity((1.0, 2.0, -9.0))
    case = {"external": {"payload": lp.Wrench(pull[:, 0, :3], pull[:, 0, 3:])}, "base_acceleration": base}
    wrenches = real.joint_wrenches.uncompiled(q, qd, qdd, **case)
    terms = real.load_terms.uncompiled(q, qd, qdd, **case)
    mount = real.base_wrench.uncompiled(q, qd, qdd, **case)
    check(
        list(found.values()),
        [real.inverse_dynamics.uncompiled(q, qd, qdd, **case), *map(np.asarray, (wrenches.force, wrenches.torque)),
         real.link_poses.uncompiled(q), *map(np.asarray, (terms.values, terms.friction, terms.rotor)),
         *map(np.asarray, (mount.force, mount.torque))],
    )


def test_files(tmp_path: Path) -> None:
    kernel = lp.catalog.two_link().wasm("gravity_forces")
    assert kernel.save(tmp_path / "hold.wasm").read_bytes() == kernel.module
    assert "export { load, unpack };" in (tmp_path / "hold.js").read_text()
    with pytest.raises(ValueError, match=r"ends in .js, but a module is written as WASM"):
        kernel.save(tmp_path / "hold.js")
    with pytest.raises(ValueError, match="variable is 'a-b'"):
        kernel.html_snippet("a-b")
    assert repr(kernel).startswith("<WebAssembly of 'two_link': gravity_forces(q) -> tau, ")


def test_the_same_robot_gives_the_same_bytes() -> None:
    kernels = [lp.catalog.puma560().wasm("forward_dynamics") for _ in range(2)]
    assert kernels[0].module == kernels[1].module
    assert kernels[0].packed == kernels[1].packed
    about = description(kernels[0].module)
    assert about["speeds"] == list(lp.catalog.puma560().dof_names) and about["name"] == "forward_dynamics"
