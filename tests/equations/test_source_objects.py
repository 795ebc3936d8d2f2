"""The objects of the sources in symbols: at random states they have the numbers of `robot.books`."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import evaluated
import numpy as np
import pytest
import sympy
from latex_reader import left_and_right, value_of

import loadpath as lp
from loadpath.books.book import Constant
from loadpath.books.noninertial import Noninertial
from loadpath.books.shelf import BOOKS
from loadpath.equations.objects import pieces
from loadpath.equations.parameters import link_numbers
from loadpath.equations.result import SourceObjects

pytestmark = pytest.mark.filterwarnings("ignore:.*no mass, though joint")  # a base that is set free


def short_chain() -> lp.Robot:
    """R P R P about different axes, in joint frames of its own, with friction and rotors."""
    axes = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    kinds = (lp.Revolute, lp.Prismatic, lp.Revolute, lp.Prismatic)
    links = [lp.Link("base", lp.Inertia(5.0, (0.1, 0.0, 0.05), np.diag([0.3, 0.4, 0.5])))] + [
        lp.Link(f"part{k}", lp.Inertia(1.0 + 0.3 * k, (0.1 * k, 0.2, 0.0), np.diag([0.1, 0.2, 0.15]) * k))
        for k in range(1, 5)
    ]
    joints = [
        lp.Joint(f"axis{k + 1}", links[k].name, links[k + 1].name, kind(axis),
                 lp.Pose(translation=(0.2 * k, 0.0, 0.3)), viscous_friction=0.4, coulomb_friction=0.1 * k,
                 rotor_inertia=1e-3, gear_ratio=20.0)
        for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True))
    ]
    return lp.Robot("short_chain", tuple(links), tuple(joints))


ROBOTS = {
    "R P R P": short_chain,
    "lau_arm": lp.catalog.lau_arm,
    "two_link": lambda: lp.catalog.two_link(m1=1.2, m2=0.7, l1=0.9, l2=0.6),
    "tree": lambda: lp.catalog.random_tree(3, seed=2, joints=["revolute", "prismatic"]),
}
SLOW = ("tree",)


@cache
def equations_of(name: str, letters: str) -> lp.equations.Equations:
    return ROBOTS[name]().equations(letters=letters)


def places(book: type, *robots: str) -> list[Any]:
    """Each object of a book of each robot; methods that are no array are in numbers only."""
    names = [name for name in book.places if not callable(getattr(book, name)) or isinstance(
        getattr(book, name), Constant | type(lp.Robot.mass_matrix))]
    return [(robot, name) for robot in robots for name in names if name != "noninertial"]


CASES = [
    pytest.param(robot, source, name, id=f"{source}.{name} of {robot}", marks=[pytest.mark.slow] * (robot in SLOW))
    for source, book in BOOKS.items()
    for robot, name in places(book, *ROBOTS)
]


def numbers_of(book: Any, name: str, state: evaluated.State) -> list[np.ndarray]:
    """The same object from `robot.books`, part by part."""
    quantity = getattr(book, name)
    if isinstance(getattr(type(book), name), Constant):
        return [quantity()]
    asked = state[: len(getattr(type(book), name).argument_names)]
    if getattr(type(book), name).takes_link:
        return [quantity.uncompiled(*asked, link=link) for link in book.link_names]
    found = quantity.uncompiled(*asked)
    return list(found) if isinstance(found, tuple) else [found]


def assert_same(found: lp.equations.SymbolicObject, expected: list[np.ndarray], state: evaluated.State) -> None:
    entries = [entry for piece in found.pieces for entry in
               (piece.value if isinstance(piece.value, sympy.MatrixBase) else [piece.value])]
    evaluated.same(
        evaluated.at(found._of, entries, state), np.concatenate([np.ravel(part) for part in expected]), 1e-12
    )


@pytest.mark.parametrize(("robot", "source", "name"), CASES)
def test_symbols_have_the_numbers_of_the_book(robot: str, source: str, name: str) -> None:
    equations = equations_of(robot, source)
    model = ROBOTS[robot]()
    state = evaluated.state_of(model)
    expected = numbers_of(getattr(model.books, source), name, state)
    assert_same(equations[name], expected, state)
    value = equations[name].value
    if isinstance(value, sympy.NDimArray):
        assert value.shape == np.shape(expected[0])


FREE = {
    "rod": lambda: lp.catalog.planar(1),
    "R P": lambda: short_chain().locked({"axis3": 0.0, "axis4": 0.0}),  # on a base with a mass center of its own
}
LONG = {"w_A", "w_C", "multipliers", "tau", "C", "I"}
"""Too long in symbols for two joints on a free base."""
FREE_CASES = [
    pytest.param(robot, name, marks=[pytest.mark.slow] * (robot == "R P" and name not in ("A_0", "T_prime", "v")))
    for robot, name in places(Noninertial, *FREE)
    if robot == "rod" or name not in LONG
]


@cache
def on_free_base(name: str) -> SourceObjects:
    return FREE[name]().equations(letters="angeles").noninertial


@pytest.mark.parametrize(("robot", "name"), FREE_CASES)
def test_noninertial_base_in_symbols(robot: str, name: str) -> None:
    arm = FREE[robot]()
    state = evaluated.state_of(arm.floating())
    assert_same(on_free_base(robot)[name], numbers_of(arm.books.angeles.noninertial, name, state), state)


def test_noninertial_by_one_name() -> None:
    equations = lp.catalog.planar(1).equations(letters="angeles")
    found = equations["noninertial.T"]
    assert found.value == equations.noninertial["T"].value
    assert found.latex().startswith("\\begin{aligned}\nT")
    assert "def noninertial_T(q" in found.code()
    with pytest.raises(ValueError, match=r"letters='angeles'"):
        lp.catalog.planar(1).equations(letters="lau").noninertial  # noqa: B018


def test_setting_a_robot_free_changes_no_number() -> None:
    arm = lp.catalog.two_link()
    held, free = arm.equations(letters="angeles"), arm.equations(letters="angeles").noninertial.equations
    assert free.q[-2:] == held.q and free.qdd[-2:] == held.qdd
    assert set(held.parameters) <= set(free.parameters)


def test_what_is_printed_is_what_was_derived() -> None:
    """U_ij and D_ikl have more indices than a matrix: every printed line is read again."""
    for robot, source, name in (("lau_arm", "lecture", "U"), ("lau_arm", "lau", "D_ikl"), ("lau_arm", "lau", "delta")):
        equations = equations_of(robot, source)
        state = evaluated.state_of(ROBOTS[robot]())
        symbols = dict(zip((*equations.q, *equations.qd, *equations.qdd), np.concatenate(state), strict=True))
        numbers = {equations._latex_names[symbol]: value for symbol, value in
                   {**symbols, **equations.parameters}.items()}
        found = equations[name]
        latex = found.latex(digits=15)
        lines = [(head, np.ravel(value_of(text, numbers))) for head, text in left_and_right(latex)]
        total = sum(np.abs(values).sum() for _, values in lines)
        entries = [abs(entry) for piece in found.pieces for entry in piece.value]
        expected = evaluated.at(equations, entries, state).sum()
        symmetric = r"\text{symmetric" in latex
        assert symmetric or abs(total - expected) < 1e-9 * expected
    heads = [head.strip() for head, _ in left_and_right(equations_of("lau_arm", "lecture")["U"].latex())]
    assert "U_{32}" in heads and "U_{11}" in heads


@pytest.mark.parametrize(
    ("source", "name", "head"),
    [("lecture", "U_jk", "U_{221}"), ("lecture", "J", "J_{2}"), ("lecture", "Q", "Q_{1}"), ("lau", "mu", r"\mu_{"),
     ("lau", "s", "s"), ("lau", "Ia", "I^{a}"), ("angeles", "w_G", "w^{G}"), ("angeles", "t_dot", r"\dot{t}"),
     ("angeles", "W", "W"), ("angeles", "M", "M"), ("course", "two_terms", r"C")],
)
def test_letters_on_paper(source: str, name: str, head: str) -> None:
    heads = [line.partition("&=")[0].strip() for line in equations_of("two_link", source)[name].latex().splitlines()]
    assert any(text.startswith(head) or text.startswith(head.replace("^", "_{1}^")) for text in heads), heads


def test_known_entries() -> None:
    """By hand: the pendulums of the course notes, and the arm of Lau's chapter 3."""
    lecture = equations_of("two_link", "lecture")
    l1, m1, t1 = sympy.symbols("l1 m1 theta1")
    J = lecture["J"].value
    assert J[0, 0, 0] == l1**2 * m1 and J[0, 0, 3] == l1 * m1 and J[0, 3, 3] == m1
    assert sympy.simplify(lecture["U"].value[1, 0, 0, 3] - l1 * sympy.cos(t1)) == 0  # the elbow, pushed by joint 1
    lau = equations_of("lau_arm", "lau")
    assert lau["s"].value == sympy.Matrix([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    M2, d1, d2, L, w = sympy.symbols("M2 d1 d2 L theta2")
    assert sympy.expand(lau["D_ik"].value[0, 1] + M2 * d1 * (d2 - L / 2) * sympy.sin(w)) == 0
    assert sympy.simplify(lau["mu"].value["rod"][1, 2] - d2) == 0  # theta2 lifts the rod's end by d2
    angeles = lp.catalog.two_link().equations(letters="angeles")
    m2, g = sympy.symbols("m2 g")
    assert angeles["w_G"].value[11] == -m2 * g and angeles["M"].value[9, 9] == m2


def test_letter_of_the_source_comes_first() -> None:
    course = equations_of("two_link", "course")
    assert course["K"].value == course.kinetic_energy != course["kinetic_energies"].value
    angeles = equations_of("two_link", "angeles")
    assert angeles["K"].value == angeles.K and angeles["mass_matrix"].value == angeles.mass_matrix


def test_what_is_not_there_is_said() -> None:
    arm = lp.catalog.two_link()
    with pytest.raises(ValueError, match=r"no object 'U' in these letters, it is one of letters='lecture'; there are "
                                         r".*mass_matrix.*gravity"):
        arm.equations()["U"]
    with pytest.raises(ValueError, match=r"no object 'V'; there are .*torques.*; and of the source A, Q, U, U_jk, J"):
        arm.equations(letters="lecture")["V"]
    with pytest.raises(ValueError, match=r"no object 'system' in symbols: robot.books.course.system"):
        arm.equations(letters="course")["system"]
    closed = lp.catalog.four_bar().equations(letters="lecture")
    with pytest.raises(ValueError, match=r"no object 'U' of a robot with loops: robot.tree.equations\(letters='lectu"):
        closed["U"]
    assert closed.source_objects == {} and arm.equations().source_objects == {}
    with pytest.raises(ValueError, match=r"noninertial base of the slides is a chain's, and robot 'four_bar' has"):
        lp.catalog.four_bar().equations(letters="angeles").noninertial  # noqa: B018


def test_they_are_a_mapping() -> None:
    found = equations_of("two_link", "lau").source_objects
    assert isinstance(found, SourceObjects) and len(found) == len(list(found)) == 9
    assert "D_ikl" in found and "D" not in found
    assert re.match(r"<objects of T\.-C\. Lau.*: D_i, D_ik, ", repr(found))
    for source, book in BOOKS.items():
        missing = set(book.places) - set(equations_of("two_link", source).source_objects)
        assert missing <= {"noninertial", "speed_pairs", "system"}, missing


def test_document_of_a_source() -> None:
    text = equations_of("two_link", "lecture").document(["U", "J"])
    assert r"\section*{U}" in text and "U_{21}" in text and "Pseudo-inertias of the links" in text


def test_numbers_of_links_shift_only_for_a_base_that_is_free_alone() -> None:
    """A drone beside an arm on the same ground: the ground is 0, and the drone counts."""
    free = lp.Link("drone", lp.Inertia(1.0, tensor=np.eye(3)))
    arm = lp.Link("arm", lp.Inertia(2.0, (0.3, 0, 0), np.eye(3) * 0.1))
    joints = (
        lp.Joint("flight", "ground", "drone", lp.Free()),
        lp.Joint("hinge", "ground", "arm", lp.Revolute((0, 1, 0))),
    )
    both = lp.Robot("both", (lp.Link("ground"), free, arm), joints)
    assert link_numbers(both) == {"ground": 0, "drone": 1, "arm": 2}
    alone = lp.Robot("alone", (lp.Link("ground"), free), joints[:1])
    assert link_numbers(alone) == {"ground": 0, "drone": 0}


def test_indices_of_two_digits_have_commas() -> None:
    array = sympy.ImmutableDenseNDimArray(range(10 * 2 * 1 * 1), (10, 2, 1, 1))
    heads = [piece.head("U") for piece in pieces(array)]
    assert heads[0] == "U_{11}" and heads[17] == "U_{92}" and heads[18] == "U_{10,1}"
