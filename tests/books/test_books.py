"""`robot.books` itself: the table, letters that are not there, copies, kinds of arrays, robots of every kind."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from book_checks import ask, close, states, times, transposed

import loadpath as lp
from loadpath.books.book import Entry, first_sentence, table
from loadpath.books.shelf import BOOKS
from real_robots import REAL_ROBOTS, REFUSED


def test_the_table_has_every_object_with_its_place() -> None:
    arm = lp.catalog.two_link()
    shown = repr(arm.books)
    for name, book in BOOKS.items():
        assert f"books.{name}: {book.source}" in shown
        for letter, entry in book.contents().items():
            assert entry.call.startswith(letter)
            assert f"{entry.call} " in shown
            assert entry.place in shown
            assert entry.meaning in shown
    assert repr(arm.books.angeles).startswith("'two_link' by J. Angeles")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("books.angles", "there is no book 'angles'; did you mean 'angeles'? there are angeles, "),
        ("books.D_ikl", "'D_ikl' is an object of a source: robot.books.lau.D_ikl"),
        ("books.angeles.Tdot", "there is no object 'Tdot'; did you mean 'T_dot'? there are T, T_dot, K, "),
        ("books.angeles.w_c", "there is no object 'w_c'; did you mean 'w_C'?"),
        ("books.angeles.xyzzy", "there is no object 'xyzzy'; there are T, "),
        ("books.lecture.D_ik", "there is no object 'D_ik'; did you mean "),
    ],
)
def test_a_letter_that_is_not_there(expression: str, words: str) -> None:
    with pytest.raises(AttributeError) as caught:
        eval(f"arm.{expression}", {"arm": lp.catalog.two_link()})
    assert words in str(caught.value)
    assert not hasattr(lp.catalog.two_link().books, "_private")


def test_books_and_their_objects_are_copied_and_sent() -> None:
    arm = lp.catalog.two_link()
    q = [0.1, 0.2]
    expected = arm.books.angeles.T(q)
    for made in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm)):
        close(made.books.angeles.T(q), expected)
    close(pickle.loads(pickle.dumps(arm.books)).angeles.T(q), expected)
    close(pickle.loads(pickle.dumps(arm.books.angeles)).T(q), expected)
    close(pickle.loads(pickle.dumps(arm.books.angeles.T))(q), expected)
    assert arm.books is arm.books
    assert arm.books.angeles == pickle.loads(pickle.dumps(arm.books.angeles))


def test_kinds_of_arrays_compiled() -> None:
    book = lp.catalog.two_link().books.angeles
    q = np.random.default_rng(1).normal(size=(4, 3, 2))
    expected = ask(book, "T", q)
    close(book.T(q), expected)
    out = np.empty((4, 3, 18, 2))
    assert book.T(q, out=out) is out
    close(out, expected)
    single = book.T(q.astype(np.float32))
    assert single.dtype == np.float32
    close(single, expected, 1e-5)
    assert book.T(q[:0]).shape == (0, 3, 18, 2)
    q[1, 2, 0] = np.nan
    found = book.T(q)
    assert np.isnan(found[1, 2]).any()
    assert np.isfinite(np.delete(found.reshape(12, 18, 2), 5, axis=0)).all()
    with pytest.raises(ValueError, match=r"T: 'q' has the shape \(3,\): expected \(\.\.\., 2\)"):
        book.T([1, 2, 3])
    with pytest.raises(TypeError, match="T takes no 'external'; w_A, w_C, multipliers, tau do"):
        book.T(q, external={})
    with pytest.raises(TypeError):
        book.w_G([0, 0])


def test_constants_are_the_callers_own() -> None:
    book = lp.catalog.two_link().books.angeles
    book.w_G()[:] = 0.0
    assert book.w_G()[5] == -9.8


def test_a_robot_without_moving_joints() -> None:
    frame = lp.catalog.random_tree(2, 3, "fixed", general=True)
    book = frame.books.angeles
    assert book.T([]).shape == (12, 0)
    close(np.linalg.svd(book.K([]), compute_uv=False) > 1e-9, np.ones(12))
    close(book.K([]).T @ book.multipliers([], [], []), book.w_C([], [], []))
    assert book.tau([], [], []).shape == book.gamma([]).shape == (0,)
    assert frame.books.lecture.U_jk([]).shape == (2, 0, 0, 4, 4)
    empty = lp.Robot("box", (lp.Link("box", lp.Inertia(1.0, tensor=np.eye(3))),), ())
    assert empty.books.angeles.w_G().shape == (0,)
    assert empty.books.angeles.noninertial.T.uncompiled([0, 0, 0, 0, 0, 0, 1]).shape == (6, 6)


def test_an_arm_with_beams_has_the_objects_of_its_rigid_links() -> None:
    arm = lp.catalog.planar(2)
    tube = lp.Tube(outer_radius=0.02, wall=0.002)
    soft = arm.with_beams({"link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
    close(ask(soft.books.angeles, "T", [0.1, 0.2]), ask(arm.books.angeles, "T", [0.1, 0.2]))
    rover = lp.catalog.lau_rover()
    q = [0.1, 0.2, 0.5]
    close(ask(rover.books.angeles, "T", q), ask(rover.robot.books.angeles, "T", q))


def test_a_free_base_where_its_names_are_taken() -> None:
    """Published robots have a joint 'floating_base' (a weld), or a link 'world' that is their base."""
    inertia = lp.Inertia(1.0, tensor=np.eye(3))
    links = (lp.Link("world"), lp.Link("trunk", inertia), lp.Link("leg", inertia))
    weld = lp.Joint("floating_base", "world", "trunk", lp.Fixed())
    robot = lp.Robot("dog", links, (weld, lp.Joint("hip", "trunk", "leg", lp.Revolute())))
    book = robot.books.angeles.noninertial
    assert book.T.uncompiled(book.neutral()).shape == (12, 7)
    heavy = lp.Robot("dog", (lp.Link("world", inertia), *links[1:]), robot.joints)
    assert heavy.books.angeles.noninertial.link_names[:2] == ("world_", "world")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REAL_ROBOTS if name not in REFUSED])
def test_real_robots(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = lp.load(REAL_ROBOTS[name])
        if robot.held_by_loops:
            return
        q, qd, qdd = states(robot, 2)
        book = robot.books.angeles
        K, T = ask(book, "K", q), ask(book, "T", q)
        close(K @ T, np.zeros((2, len(K[0]), robot.n)), 1e-12, 1.0)
        w_C = ask(book, "w_C", q, qd, qdd)
        close(times(transposed(K), ask(book, "multipliers", q, qd, qdd)), w_C, 1e-11)
        close(ask(book, "tau", q, qd, qdd), robot.inverse_dynamics.uncompiled(q, qd, qdd), 1e-10)
        close(ask(robot.books.lecture, "D", q), robot.without_rotors().mass_matrix.uncompiled(q), 1e-10)
        free = book if robot.base.inertia.is_zero and robot.joints[0].motion.dof == 6 else book.noninertial
        assert len(repr(free)) > 100


def test_contents_are_a_table_of_first_sentences() -> None:
    """Columns are as wide as their longest cell; of a docstring what is before its first full stop."""
    rows = [Entry("D(q)", "(4-98)", "Inertia"), Entry("h(q, qd)", "h", "Coriolis forces, a long sentence about them")]
    assert table(rows) == ["  D(q)      (4-98)  Inertia",
                           "  h(q, qd)  h       Coriolis forces, a long sentence about them"]
    assert table([]) == []
    assert first_sentence("One sentence\n    on two lines. Another.\n\n    A paragraph.") == "One sentence on two lines"
    assert first_sentence("Alone.") == "Alone" and first_sentence("") == ""
