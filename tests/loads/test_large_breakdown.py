"""Breakdowns of robots with more terms than are compiled one by one: in pieces, the same rows and sums."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.load_pairs import pieces
from loadpath.engine.arguments import Variant, external_wrenches
from loadpath.quantities.large_breakdown import in_pieces
from loadpath.robot.mechanism import plain
from references.to_pinocchio import random_state


def states(robot: lp.Robot, count: int, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(count)), strict=True))


KINDS = ["revolute", "prismatic", "spherical", "universal", "planar", "cylindrical"]


@pytest.mark.parametrize("floating", [False, True])
def test_every_row_is_that_of_the_table(floating: bool) -> None:
    robot = lp.catalog.random_tree(4, 3, KINDS, general=True, drives=True)
    robot = robot.floating() if floating else robot
    links = robot.link_names[-1], robot.link_names[len(robot.link_names) // 2]
    push = {links[0]: lp.Wrench((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
            links[1]: lp.Wrench((3.0, -2.0, 1.0), (0.5, 0.6, 0.7), axes="link", point=(0.1, 0.2, 0.3))}
    method, given = robot.load_terms, states(robot, 11)
    spec, wrenches = external_wrenches(method, push)
    cases = (
        (Variant(), (), {}),
        (Variant(choices=(("frame", "world"),)), (), {"frame": "world"}),
        (Variant(external=spec, choices=(("frame", links[1]),)), (wrenches,), {"external": push, "frame": links[1]}),
        (Variant(given=("gravity",)), (np.array([1.0, -2.0, 3.0]),), {"gravity": (1.0, -2.0, 3.0)}),
    )
    for variant, more, options in cases[:1] if floating else cases:
        run = in_pieces(robot, variant, *method.quantity.operands(robot, variant))
        assert run is not None
        wanted = method.uncompiled(*given, **options)
        for found, part in zip(run(*given, *more), wanted, strict=True):
            size = np.abs(part).max(initial=1.0)
            np.testing.assert_allclose(found, part, rtol=0, atol=1e-13 * size)


def test_what_is_not_known_in_pieces_is_left_to_the_table() -> None:
    robot = lp.catalog.random_tree(3, 3, ["helical"], general=True)
    assert pieces(plain(robot)) is None
    arm = lp.catalog.random_tree(3, 3)
    shapes = arm.load_terms.quantity.operands(arm, Variant())
    for variant in (Variant(given=("base_velocity",)), Variant(choices=(("by", "joint"),)),
                    Variant(choices=(("by_link", True),))):
        assert in_pieces(arm, variant, *shapes) is None


def chain() -> lp.Robot:
    """Some 24,000 numbers a state."""
    return lp.catalog.planar(20)


def test_large_robots_have_their_breakdown_without_a_warning() -> None:
    robot = chain()
    q, qd, qdd = states(robot, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loads = robot.load_breakdown(q, qd, qdd)
    wrenches = robot.joint_wrenches(q, qd, qdd)
    totals = loads.totals()
    for found, wanted in ((totals[..., :3], wrenches.force), (totals[..., 3:], wrenches.torque)):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    # By hand: what the square of the first joint's speed pulls at the second is that of all masses beyond it.
    one = robot.load_breakdown(np.zeros(20), np.eye(20)[0] * 2.0, np.zeros(20))
    along = -4.0 * sum(1.0 + k + 0.5 for k in range(19))
    np.testing.assert_allclose(one.centrifugal["joint2", "joint1"].force, [along, 0, 0], rtol=1e-12, atol=1e-9)


def test_arrays_of_every_kind_and_threads() -> None:
    robot = chain()
    q, qd, qdd = states(robot, 10)
    wanted = robot.load_terms(q, qd, qdd).values
    out = tuple(np.empty(part.shape) for part in robot.load_terms(q, qd, qdd))
    assert robot.load_terms(q, qd, qdd, out=out).values is out[0]
    np.testing.assert_array_equal(out[0], wanted)
    strided = tuple(np.empty((10, 2, *part.shape[1:]))[:, 1] for part in out)
    robot.load_terms(q, qd, qdd, out=strided)
    np.testing.assert_array_equal(strided[0], wanted)
    np.testing.assert_array_equal(robot.load_terms(q.reshape(2, 5, 20), qd.reshape(2, 5, 20), qdd[0]).values[0, 0],
                                  wanted[0])
    single = robot.load_terms(*(part.astype(np.float32) for part in (q, qd, qdd))).values
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, rtol=0, atol=1e-4 * np.abs(wanted).max())
    assert robot.load_terms(q[:0], qd[:0], qdd[:0]).values.shape == (0, *wanted.shape[1:])
    assert np.isnan(robot.load_terms(np.where(np.arange(10)[:, None] == 3, np.nan, q), qd, qdd).values).any(
        axis=(1, 2)).tolist() == [k == 3 for k in range(10)]
    with ThreadPoolExecutor(4) as threads:
        many = list(threads.map(lambda k: robot.load_terms(q, (k % 3) * qd, qdd).values, range(12)))
    for k, found in enumerate(many):
        np.testing.assert_array_equal(found, many[k % 3])
    np.testing.assert_array_equal(many[1], wanted)
