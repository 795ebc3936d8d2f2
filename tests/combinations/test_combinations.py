"""Walks the table of combinations: each cell is a right number, checked, or the error that the table says."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import combination_books as of_books
import combination_calls as calls
import combination_closed as closed
import combination_commands as commands
import combination_flexible as flexible
import combination_methods as methods
import combination_page as page
import combination_rover as on_wheels
import combination_table as table
import numpy as np
import pytest
from combination_methods import close
from combination_reduction import Reduced
from combination_states import COMPILED, NEEDS_COMPILING, states_of
from combination_subjects import OF_ROBOTS, Equivalent, arm, on_rover, rover, timed
from combination_table import Independent, Nothing, Outcome, Refuses, public

import loadpath as lp
from loadpath.books.closed_angeles import ClosedAngeles
from loadpath.books.noninertial import Noninertial
from loadpath.books.shelf import BOOKS
from loadpath.cli.command_list import COMMANDS
from loadpath.engine.purpose import purpose_of
from loadpath.engine.quantity import Compiled
from loadpath.identification.parameters import Scale
from loadpath.in_room import InRoom
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel

pytestmark = pytest.mark.filterwarnings("ignore")

ROBOT_ROWS = [name for names in table.ROBOT_ROOMS.values() for name in names]


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Robots of many kinds run on NumPy batches: compiling each of them for everything takes minutes."""
    own = Compiled.compiles

    def compiles(quantity: Compiled, robot: Any, variant: Any) -> bool:
        return quantity.name in (*NEEDS_COMPILING, "gravity_forces") and own(quantity, robot, variant)

    monkeypatch.setattr(Compiled, "compiles", compiles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def pairs(feature: str) -> list[Equivalent]:
    return OF_ROBOTS[feature]()


@cache
def reductions(feature: str, itself: bool = False) -> list[Reduced]:
    """What to compare with; `itself` asks a rover, not the robot that it carries."""
    both = on_rover(feature) if itself else pairs(feature)
    return [Reduced(pair, states_of(pair.subject)) for pair in both]


@cache
def rover_simulation() -> lp.RoverSimulation:
    return timed().simulate([0.1, 0.1], [0.0, 0.0], [5.0, 2.0], duration=0.02)


def walk(row: str, features: Any, cell: Callable[[str, str], Outcome], run: Callable[[str, str], None]) -> None:
    """All cells of a row; what is wrong with any of them, together."""
    wrong = []
    for feature in features:
        outcome = cell(row, feature)
        if isinstance(outcome, Nothing):
            continue
        try:
            if isinstance(outcome, Refuses | Independent):
                with pytest.raises((ValueError, TypeError, AttributeError)) as caught:
                    run(row, feature)
                assert outcome.words in str(caught.value), f"it says: {caught.value}"
            else:
                run(row, feature)
        except (Exception, pytest.fail.Exception) as problem:
            wrong.append(f"{row} and {feature}: {type(problem).__name__}: {problem}")
    assert not wrong, "\n".join(wrong)


# Robots


def robot_with(row: str, feature: str) -> None:
    """A quantity of a robot that has a feature."""
    if feature == "loops":
        closed.check(row)
        return
    itself = feature in ("wheels", "slope") and row not in {*table.ROVER_ROWS, *table.ROVERS_ALONE}
    for reduced in reductions(feature, itself):
        pair = reduced.pair
        if row in ("with_loop", "with_coupling"):
            closed.check_closing(pair.subject, row, pair.renamed("tip"))
        elif row in methods.MAKERS:
            methods.check_maker(pair, row)
        elif row in methods.METHODS:
            methods.METHODS[row](pair.subject, reduced.states, pair.renamed("tip"))
        elif row == "operational_space_inertia" and pair.subject.n < 6:
            with pytest.raises(ValueError, match="ask for operational_space_mobility"):
                reduced.found(row)
        else:
            for found, wanted in zip(reduced.found(row), reduced.of(row), strict=True):
                close(found, wanted, 1e-7 if row in NEEDS_COMPILING else 1e-9)  # slopes of the reference: differences


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", ROBOT_ROWS)
def test_a_robot_with_a_feature(row: str) -> None:
    if row == "jax":
        pytest.importorskip("jax")
    walk(row, table.OF_ROBOT, table.robot_cell, robot_with)


@pytest.mark.parametrize("row", ROBOT_ROWS)
def test_a_call_of_a_robot(row: str) -> None:
    if row == "jax":
        pytest.importorskip("jax")

    def run(row: str, feature: str) -> None:
        if row == "report" and feature in ("float32", "batch", "empty batch"):
            arm().report(np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2)))
        else:
            calls.CALLS[feature](row)

    walk(row, table.OF_CALL, table.robot_cell, run)


# Arms with beams


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", table.FLEXIBLE_ROWS)
def test_beams_on_a_robot_with_a_feature(row: str) -> None:
    def run(row: str, feature: str) -> None:
        if feature == "loops":
            closed.check_flexible(row)
            return
        for pair in pairs(feature):
            flexible.check(feature, pair, row)

    walk(row, table.OF_ROBOT, table.flexible_cell, run)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", table.FLEXIBLE_ROWS)
def test_a_call_of_an_arm_with_beams(row: str) -> None:
    def run(row: str, feature: str) -> None:
        base = calls.MovingBase()
        {
            "external wrench": lambda: flexible.under_wrench(row),
            "moving base": lambda: flexible.on_moving_base(row, base.v, base.a, base.free),
            "motion": lambda: flexible.with_motion(row, calls.motion()),
            "simulation": lambda: flexible.with_motion(row, calls.simulation()),
            "float32": lambda: flexible.in_kind(row, lambda a: a.astype(np.float32), 1e-3),
            "batch": lambda: flexible.in_kind(row, lambda a: a.reshape(2, 3, -1), 1e-9),
            "empty batch": lambda: flexible.with_no_states(row),
        }[feature]()

    walk(row, table.OF_CALL, table.flexible_cell, run)


def test_a_sliding_joint_at_the_end_of_a_beam_is_not_locked_elsewhere() -> None:
    whole = methods.KEEPING["with_beams"](flexible.longer_arm(), "")
    with pytest.raises(lp.ModelError, match=r"its beam ends at joint 'joint2', which would be locked 0\.4 m away"):
        whole.locked({"joint2": 0.4})
    assert whole.locked({"joint2": 0.0}).placed_beams[0].length == whole.placed_beams[0].length


# Robots with loops


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", table.CLOSED_ROWS)
def test_a_robot_with_loops_and_a_feature(row: str) -> None:
    walk(row, table.OF_ROBOT, table.closed_cell, closed.check_own)


# Rovers


LONG = ("largest",)  # many verdicts each; tests/parts/test_rover_verdict.py has one in short
ROVER_CASES = [pytest.param(row, marks=pytest.mark.slow) if row in LONG else row for row in table.ROVER_ROWS]


def uncompiled_rovers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quantities run on NumPy batches, but for derivatives, which recorded equations alone have."""
    monkeypatch.setattr(Compiled, "compiles", lambda quantity, *_: quantity.name == "wheel_load_slopes")


@pytest.mark.parametrize("row", ROVER_CASES)
def test_a_rover_with_a_feature(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    uncompiled_rovers(monkeypatch)

    def run(row: str, feature: str) -> None:
        for pair in pairs(feature):
            on_wheels.check(feature, pair, row)

    walk(row, table.OF_ROBOT, table.rover_cell, run)


@pytest.mark.parametrize("row", ROVER_CASES)
def test_a_call_of_a_rover(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rover_simulation()
    if row not in ("simulate", "roll"):  # these take many small steps
        uncompiled_rovers(monkeypatch)

    def run(row: str, feature: str) -> None:
        moving: dict[str, Any] = {"base_velocity": np.zeros(6)}
        moving |= {"direction": (1, 0)} if row == "largest_acceleration" else {}
        moving |= {"radius": 3.0} if row == "largest_speed" else {}
        {
            "external wrench": lambda: on_wheels.with_external(row),
            "moving base": lambda: getattr(rover(), row)(calls.motion(), **moving),
            "motion": lambda: on_wheels.with_motion(row, calls.motion()),
            "simulation": lambda: on_wheels.with_simulation(row, rover_simulation()),
            "float32": lambda: on_wheels.in_kind(row, lambda a: a.astype(np.float32), 1e-3),
            "batch": lambda: on_wheels.in_kind(row, lambda a: a.reshape(2, 3, -1), 1e-9),
            "empty batch": lambda: on_wheels.with_no_states(row),
        }[feature]()

    walk(row, table.OF_CALL, table.rover_cell, run)


# Functions


def condition_by_hand(found: lp.Excitation, state: tuple[Any, ...]) -> float:
    """The condition number of the columns of the whole regressor that the base parameters have, in typical units."""
    robot, parameters, kept = found.base.robot, found.base.parameters, list(found.base.grouping.kept)
    links = robot.regressor.uncompiled(*state)
    drives = robot.drive_regressor.uncompiled(*state[1:])[..., : 2 * robot.n]  # viscous and Coulomb friction
    scale = Scale.of(robot)
    whole = np.concatenate([links, drives], axis=-1) / np.asarray(scale.of_forces(parameters))[:, None]
    rows = (whole * scale.of_parameters(parameters)).reshape(-1, len(parameters.names))[:, kept]
    assert np.linalg.matrix_rank(rows) == len(kept) == found.base.number
    return float(np.linalg.cond(rows))


def function_with(row: str, robot: Any) -> None:
    """A function of `lp` on a robot."""
    if row == "verify":
        assert lp.verify(robot, states=3).agrees
        return
    s = states_of(robot, 60)
    state = s["q"], s["qd"], s["qdd"]
    if row == "excitation":
        found = lp.excitation(robot, *state, offsets=False)
        close(found.condition, condition_by_hand(found, state), 1e-6)
        assert found.condition > 1
        return
    tau = robot.inverse_dynamics.uncompiled(*state)
    found = lp.identify(robot, *state, tau, max_condition=1e9)
    close(found.robot.inverse_dynamics.uncompiled(*state), tau, 1e-5)
    assert type(found.robot) is type(robot)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", table.FUNCTION_ROWS)
def test_a_function_of_a_robot_with_a_feature(row: str) -> None:
    def run(row: str, feature: str) -> None:
        if feature in ("wheels", "slope"):
            function_with(row, rover(slope=0.2 if feature == "slope" else 0.0))
        elif feature == "loops" and row != "verify":
            closed.check_function(row)
        else:
            for pair in pairs(feature):
                function_with(row, pair.subject)

    walk(row, table.OF_ROBOT, table.function_cell, run)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", ("identify", "excitation"))
def test_a_call_of_a_function(row: str) -> None:
    def ask(*states: Any, **loads: Any) -> float:
        if row == "excitation":
            return lp.excitation(arm(), *states[:3], **loads).condition
        tau = () if len(states) == 1 else (states[3],) if len(states) > 2 else (states[1],)
        parts = states[:3] if len(states) > 2 else states[:1]
        return float(lp.identify(arm(), *parts, *tau, max_condition=1e12, **loads).values[0])

    s = states_of(arm(), 60)
    state = (s["q"], s["qd"], s["qdd"], arm().inverse_dynamics.uncompiled(s["q"], s["qd"], s["qdd"]))
    t = np.linspace(0, 6, 90)[:, None] * (1.0, 1.7)
    motion = lp.Motion(t[:, 0], np.sin(t), np.cos(t) * (1.0, 1.7), -np.sin(t) * (1.0, 1.7**2), robot=arm())

    class Recorded:
        """A simulation: a motion with the forces of the drives."""

        t, q, qd, qdd, robot = motion.t, motion.q, motion.qd, motion.qdd, arm()
        tau = arm().inverse_dynamics.uncompiled(motion.q, motion.qd, motion.qdd)

    arrays = (motion.q, motion.qd, motion.qdd, Recorded.tau)

    def run(row: str, feature: str) -> None:
        if feature == "external wrench":
            ask(*state, external=calls.EXTERNAL)
        elif feature == "moving base":
            ask(*state, base_velocity=np.ones(6))
        elif feature == "motion":
            close(ask(motion, *([] if row == "excitation" else [Recorded.tau])), ask(*arrays))
        elif feature == "simulation":
            close(ask(Recorded()), ask(*arrays))
        elif feature == "float32":
            close(ask(*(part.astype(np.float32) for part in state)), ask(*state), 1e-2)
        elif feature == "batch":
            close(ask(*(part.reshape(6, 10, -1) for part in state)), ask(*state))
        else:
            ask(*(part[:0] for part in state))

    walk(row, table.OF_CALL, table.function_cell, run)


# Commands


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("row", table.COMMAND_ROWS)
def test_a_command(row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadpath.cli.states.SAMPLES", commands.SAMPLES)

    def run(row: str, feature: str) -> None:
        if feature == "loops":
            closed.check_command(row, tmp_path)
        else:
            commands.run(row, feature, tmp_path)

    walk(row, table.FEATURES, table.command_cell, run)


# Nothing is left out


def test_every_public_method_has_a_row() -> None:
    """What is no row is data: fields, properties, and ways to one of them."""
    rest = {name: line for name, line in public(lp.Robot).items() if name not in {*ROBOT_ROWS, *table.NO_ROW}}
    assert not [name for name, line in rest.items() if isinstance(line, Compiled | InRoom)]
    methods_of_data = {name for name, line in rest.items() if inspect.isfunction(line)}
    assert methods_of_data == {"link", "joint", "mimic_of", "neutral"}
    robot, loops = public(lp.Robot).keys(), public(lp.ClosedRobot).keys()
    assert public(lp.FlexibleRobot).keys() - robot == {*table.FLEXIBLE_ROWS, *table.PARTS_OF_ELASTIC}
    assert loops - robot == {*table.CLOSED_ROWS} - robot
    assert public(lp.ClosedFlexibleRobot).keys() - loops - table.PARTS_OF_ELASTIC == {*table.FLEXIBLE_ROWS}
    rest = {name: line for name, line in public(lp.Rover).items() if name not in {*table.ROVER_ROWS, *robot}}
    rest = {name: line for name, line in rest.items() if not isinstance(line, property | cached_property)}
    assert {name for name, line in rest.items() if not isinstance(line, Compiled)} == table.ROVERS_ALONE - {"equations"}
    assert all(line.public_name in table.ROVER_ROWS for line in rest.values() if isinstance(line, Compiled))
    assert public(rover(flexible.flexible())).keys() >= {*table.FLEXIBLE_ROWS}
    assert public(closed.closed_with("wheels")).keys() >= loops
    assert public(lp.WheeledBase).keys() == table.DATA["WheeledBase"]
    functions = {name for name in dir(lp) if callable(getattr(lp, name)) and not isinstance(getattr(lp, name), type)}
    assert {name for name in functions if not name.startswith("_")} == {*table.FUNCTION_ROWS, *table.DATA["lp"]}
    assert set(COMMANDS) == {*table.COMMAND_ROWS, *table.OF_FILES}


def test_a_quantity_is_its_function_and_its_line() -> None:
    """Its row, its heading, its cells and the words of its errors follow."""

    def doubled(mechanism: Any, q: Any) -> Any:
        return 2.0 * q[0]

    class Taller(lp.Robot):
        height = Compiled(doubled, "(q)->()", plain, "Height.", purpose="Energy and momentum",
                          not_with={"base_velocity": "it is measured on the ground; robot.floating() has it"})
        loud = Compiled(doubled, "(q)->()", plain, "Loudness.", purpose="Energy and momentum", takes_external=True)
        lost = Compiled(doubled, "(q)->()", plain, "For nothing.")

    rows = table.rows_for(Taller, ["Energy and momentum"], ["lost"])["Energy and momentum"]
    assert set(rows) - set(ROBOT_ROWS) == {"height", "loud"}
    assert table.with_loads(Taller, "loud", "external wrench") == table.WORKS
    assert table.with_loads(Taller, "height", "external wrench") == table.NO_EXTERNAL
    refused = table.with_loads(Taller, "height", "moving base")
    assert isinstance(refused, Refuses)
    tall = Taller(**{part.name: getattr(arm(), part.name) for part in fields(arm())})
    with pytest.raises(TypeError, match=f"height {re.escape(refused.words)}$"):
        tall.height([0.1, 0.2], base_velocity=np.zeros(6))
    assert refused.words == "takes no 'base_velocity': it is measured on the ground; robot.floating() has it"
    with pytest.raises(ValueError, match=r"Taller.lost is for '.*': expected purpose= in its line"):
        purpose_of(Taller, "lost")


def test_every_object_of_every_book_is_checked() -> None:
    """What a book has, and no more, stands in `combination_books`; each object has its place in the source."""
    found = {f"{name}.{letter}" for name, book in BOOKS.items() for letter in book.places}
    assert found == of_books.checked()
    for book in (*BOOKS.values(), ClosedAngeles, Noninertial):
        own = public(book).keys() - public(RobotModel) - {"contents", "known_as", "of", "of_free", "places", "source"}
        data = {"closed", "couplings", "driven", "independent", "loop_names", "loops", "mobility", "split"}
        assert own - data == set(book.places), book
        assert all(entry.place and entry.meaning for entry in book.contents().values())


def test_the_rows_are_those_that_are_checked() -> None:
    assert {*COMPILED, *methods.METHODS, *methods.MAKERS, "with_loop", "with_coupling"} == set(ROBOT_ROWS)
    assert set(closed.OWN) == set(table.CLOSED_ROWS)
    assert set(closed.OF_CLOSED) == set(table.OF_ROBOT)
    assert set(flexible.FLEXIBLE) == set(table.FLEXIBLE_ROWS)
    assert set(on_wheels.ROVER) == set(table.ROVER_ROWS)
    assert set(OF_ROBOTS) == set(table.OF_ROBOT)
    assert set(calls.CALLS) == set(table.OF_CALL)
    assert set(commands.READ) == set(table.COMMAND_ROWS)


def test_what_a_rigid_robot_misses_is_named() -> None:
    for name in public(lp.Rover).keys() - public(lp.Robot).keys():
        with pytest.raises(AttributeError, match=f"stands on no wheels and has no '{name}'"):
            getattr(arm(), name)
    for names, words in ((table.FLEXIBLE_ROWS, "is rigid"), (table.CLOSED_ROWS[:-2], "is an open chain")):
        for name in names:
            with pytest.raises(AttributeError, match=f"{words}.* and has no '{name}'"):
                getattr(arm(), name)


def test_a_simulation_of_a_rover_brings_the_forces_of_all_its_drives() -> None:
    own = timed(rolling=0.0)
    hold = own.base_acceleration([0.1, 0.1], [0.0, 0.0], [0.0, 0.0]).tau
    moved = own.simulate(
        [0.1, 0.1], [0.0, 0.0], hold, 0.05, velocity=(0.4, 0.1), wheel_torques={"left": 1.0, "right": 2.0}
    )
    close(own.forward_dynamics(moved).qdd, moved.qdd)
    close(own.forward_dynamics(moved).acceleration, moved.acceleration)
    close(own.base_acceleration(moved).acceleration, moved.acceleration)


def test_the_page_shows_the_table() -> None:
    written = page.PAGE.read_text(encoding="utf-8")
    assert written == page.page(), "docs/combinations.md is old: python tests/combinations/combination_page.py"
