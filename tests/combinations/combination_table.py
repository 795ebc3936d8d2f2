"""What meets what: every public quantity against every feature. The tests walk it, `combination_page.py` writes
docs/combinations.md from it.

Rows of robots are the lines of `lp.Robot`, grouped by what they are for; whether they take wrenches and the motion of
the base stands in their signatures, what they refuse in their lines (`Refused`, `not_with`). Here is what lines do not
say: how a method takes states, and methods of rovers, functions and commands.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

import loadpath as lp
from loadpath.engine.attached import line_of, lines_of
from loadpath.engine.purpose import OF_DATA, PURPOSES, WITH_BEAMS, WITH_LOOPS, purpose_of
from loadpath.engine.quantity import Compiled
from loadpath.engine.refused import Refused
from loadpath.mobile.quantities import RoverQuantities


class Feature(NamedTuple):
    """Something that a robot can have, or a way to make a call."""

    title: str
    """For the head of a column."""
    check: str
    """What a number is compared with."""


OF_ROBOT: dict[str, Feature] = {
    "payload": Feature("payload", "the same mass merged by hand into the inertia of the link that carries it"),
    "free base": Feature("free base", "a chain whose first joint is an `lp.Free`"),
    "locked joints": Feature("locked", "the unlocked robot, with that joint held where it is"),
    "mimic": Feature("mimic", "the robot without the coupling, moved by hand as the coupling says"),
    "many freedoms": Feature(
        "multi",
        "joints of several freedoms: those of two as two joints with a massless link between; a spherical one, with "
        "its quaternion, as a free one that does not slide",
    ),
    "beams": Feature("beams", "the rigid robot; for what bends, the arm with that one beam"),
    "joint compliance": Feature(
        "soft", "joints with compliance: the robot with stiff ones; for what bends, the wind-up of the joint by hand"
    ),
    "wheels": Feature("wheels", "a rover: the robot by itself, on the links of the base"),
    "slope": Feature(
        "slope",
        "a rover: the robot under `rover.ground.gravity_in_base(heading)`; the rover on level ground that accelerates "
        "as gravity pulls",
    ),
    "loops": Feature(
        "loops",
        "a robot with a coupling: the tree in which that joint mimics; what only robots with loops have, by the "
        "identities that it fulfils; linkages and parallel robots: docs/trust.md",
    ),
}
"""What a robot can have."""

OF_CALL: dict[str, Feature] = {
    "external wrench": Feature(
        "external wrench",
        "Jᵀw, and the wrench moved to each joint by hand; of beams and rovers, the payload whose weight and inertia "
        "exert that wrench",
    ),
    "moving base": Feature(
        "moving base", "the robot on a free joint that moves so; of beams, also gravity less the acceleration"
    ),
    "motion": Feature("motion", "the arrays of the motion; of a rover that rolls, steps by hand"),
    "simulation": Feature("simulation", "the arrays of the simulation; the motion that it had when it is rolled again"),
    "float32": Feature("float32", "float64, to 1e-4"),
    "batch": Feature("batch", "one state after the other"),
    "empty batch": Feature("empty batch", "a shape with no rows, in the right type"),
}
"""How a call can be made."""

FEATURES = OF_ROBOT | OF_CALL


class Works(NamedTuple):
    """A right number, checked as the feature says."""

    mark: str = "✓"


class Refuses(NamedTuple):
    """An error."""

    words: str
    """That its message has."""
    instead: str
    """What to do, for the page."""


class Independent(NamedTuple):
    """It does not depend on the feature, or takes it under another name: nothing is missing. Given, it is an error."""

    words: str
    """That its message has."""
    instead: str
    """Why, for the page."""


class Nothing(NamedTuple):
    """The two do not meet: there is no such call."""

    why: str


Outcome = Works | Refuses | Independent | Nothing

WORKS = Works()

# The rows of robots: their lines

NO_ROW = frozenset({
    "view",  # every kind of robot is looked at in tests/viewer
    "to_urdf", "to_mjcf", "to_sdf",  # and written in tests/files and tests/mjcf
    "stop", "collision", "jam",  # stopped and hit in tests/stops
    "payload_diagram", "duty_map", "foundation_loads", "static_compliance",  # and loaded in tests/handling
    "datasheet",  # and printed in tests/datasheet
    "with_driven", "with_home",  # rows of robots with loops
})
PARTS_OF_ELASTIC = frozenset({
    "bent_deflection", "dead_loads", "compliance", "load_shift", "section_actions", "section_buckling",
    "section_stresses", "section_stresses_with", "small_deflection", "deflection_derivatives",
})
"""What `deflection`, `stress` and their kin are made of, and what its derivatives are."""


def public(owner: Any) -> dict[str, Any]:
    """The lines under the public names of a robot, or of all robots of a class."""
    return {name: line for name, line in lines_of(owner).items() if not name.startswith("_")}


def rows_for(owner: type, purposes: Iterable[str], without: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Methods of a class of robots by what they are for."""
    names = [name for name in public(owner) if name not in without]
    found = {purpose: tuple(name for name in names if purpose_of(owner, name) == purpose) for purpose in purposes}
    return {purpose: rows for purpose, rows in found.items() if rows}


ROBOT_ROOMS = rows_for(lp.Robot, [purpose for purpose in PURPOSES if purpose not in OF_DATA], NO_ROW)
"""Methods of `lp.Robot`."""
FLEXIBLE_ROWS = rows_for(lp.FlexibleRobot, [WITH_BEAMS], PARTS_OF_ELASTIC)[WITH_BEAMS]
"""Methods that robots with beams have in addition."""
CLOSED_ROWS = (*rows_for(lp.ClosedRobot, [WITH_LOOPS], ())[WITH_LOOPS], "with_driven", "with_home")
"""Methods that robots with loops have in addition."""

ROVERS_ALONE = frozenset({"friction_of", "facing", "equations"})
"""Ways to data, and equations in symbols, whose refusals tests/mobile has."""


def rows_on_wheels() -> tuple[str, ...]:
    """Methods for which wheels bring a line, and edits of the robots that a base carries: not properties, not what the
    rows are made of (compiled under another name), nor ways to data.
    """
    lines = {name: line for part in (RoverQuantities, lp.Rover) for name, line in vars(part).items()}
    rows = [name for name, line in lines.items()
            if (inspect.isfunction(line) or (isinstance(line, Compiled) and line.public_name is None))
            and not name.startswith("_") and name not in {*NO_ROW, *ROVERS_ALONE}]
    return (*rows, "with_payload", "with_beams")


ROVER_ROWS = rows_on_wheels()
"""Methods of `lp.Rover`; those of arms with beams stand with `lp.FlexibleRobot`."""

FUNCTION_ROWS = ("identify", "excitation", "verify")
"""Functions of `lp` that take a robot."""

COMMAND_ROWS = ("info", "demo", "report", "count", "equations", "verify")
"""Commands of `loadpath` that are walked here."""
OF_FILES = frozenset({
    "bench", "check", "compare", "convert", "datasheet", "deflect", "export", "fastest", "loads", "new", "rover",
    "simulate", "size", "study", "verdict", "view",
})
"""Commands on files, two designs or project files, in a browser, or for other tools. What they print or show is read in
tests/cli, tests/datasheet, tests/doctor, tests/files, tests/report/test_report_command.py, tests/project, tests/viewer
and tests/exports/test_export_command.py."""

EXPORTS = frozenset(ROBOT_ROOMS["To other tools"])
WHEELS_ALONE = frozenset({"wheel_motion", "base_motion", "constraint_matrix", "rotation_axis", "instantaneous_axis"})
ROVER_MAKERS = frozenset({
    "carrying", "on", "with_payload", "with_beams", "without_beams", "with_parts", "without_parts", "family",
})

# What is no row: data, and what the rows are made of

DATA: dict[str, frozenset[str]] = {
    "WheeledBase": frozenset({
        "anti_roll_bars", "body", "body_points", "carrying", "contact_names", "friction", "guess", "inertia", "name",
        "on_links", "on_plain_springs", "on_springs", "on_tyres", "positions", "rigid", "unsprung_mass",
    }),
    "lp": frozenset({
        "check", "compare", "from_dh", "grasp", "load", "load_cell", "load_project", "quantity", "rainflow", "samples",
        "simulations", "span", "study", "time_at_level", "uncertainty",
    }),
}

# The cells that are not plain successes

NO_EXTERNAL = Independent("takes no 'external'", "it does not depend on wrenches; those that do are named")
NO_BASE = Independent(
    "takes no 'base_velocity'", "it does not depend on the motion of the base; those that do are named"
)
ALIKE = Independent(
    "the same under all loads", "small displacements add up; `deflection`, `stress` and their kin take the loads"
)
GEOMETRY = Independent(
    "do not depend on loads", "`compensated` of an arm with beams takes them, and corrects for how far they bend it"
)
RIGID = Refuses("without_beams()", "`simulate` moves one flexible arm; `robot.without_beams()` the rigid robots")
ONE_STATE = Refuses("starts from one state", "give `q` and `qd` of one sample")
NO_STATES = Nothing("it takes no states")


def parameters_of(owner: type, name: str) -> set[str]:
    """What a method of a class takes, by name. What exports take in arrays that may be left out is named there, and
    the objects of the sources take what the quantities do.
    """
    line = line_of(owner, name)
    line = line.resolved() if hasattr(line, "resolved") else line
    if not callable(line):
        return parameters_of(owner, "inverse_dynamics")
    found = set(inspect.signature(line).parameters)
    return found | {"base_velocity"} if "arrays" in found and name in EXPORTS else found


STATES = {"q", "qd", "x", "pose", "motion", "states"}
"""Names under which methods take states."""


def with_loads(owner: type, name: str, feature: str) -> Outcome:
    """What a method of a class does with external wrenches, or with the motion of the base."""
    loads = {"external wrench": ("external", NO_EXTERNAL), "moving base": ("base_velocity", NO_BASE)}
    keyword, independent = loads[feature]
    if keyword in parameters_of(owner, name):
        return WORKS
    line = line_of(owner, name)
    why = line.not_with.get(keyword) if isinstance(line, Compiled) else None
    return independent if why is None else Refuses(f"takes no '{keyword}': {why}", "")


def refused_by(owner: type, name: str) -> Refuses | None:
    """What the line of a method for a class of robots refuses."""
    line = line_of(owner, name)
    return Refuses(f"is refused: {line.why}", "") if isinstance(line, Refused) else None


ATTACHING: dict[str, type] = {"loops": lp.ClosedRobot, "beams": lp.FlexibleRobot, "joint compliance": lp.FlexibleRobot}
"""Features that may choose another line."""

ONE_MOTION = Refuses(
    "lp.Motion(t, q, qd, qdd)", "a report is of a motion: `lp.Motion(t, q, qd, qdd)` makes one of arrays"
)
PREDICTED = Refuses("its base stands still", "`robot.floating()` moves with its base, a rover on its wheels")

ROBOT_CELLS: dict[tuple[str, str], Outcome] = {
    **{(name, feature): RIGID for name in ("step", "rollout", "linearize")
       for feature in ("beams", "joint compliance")},
    **{("with_gravity", feature): Refuses("its gravity is that of the ground", "`rover.on(lp.Ground(gravity=...))`")
       for feature in ("wheels", "slope")},
    ("floating", "free base"): Refuses("floats already", "it has a free base"),
    **{("state_derivative", feature): Refuses("no motion or simulation", "x is `q` and `qd` in one array")
       for feature in ("motion", "simulation")},
    **{(name, feature): ONE_STATE for name in ("simulate", "rollout") for feature in ("motion", "simulation")},
    **{("simulate", feature): Refuses("robot.rollout", "`robot.rollout` moves many states") for feature in
       ("batch", "empty batch")},
    ("rollout", "moving base"): PREDICTED,
    ("reduce_loads", "batch"): Refuses("reduce_loads: states come in rows", "give states in rows, (states, ...)"),
    ("reduce_loads", "empty batch"): Refuses("there were no states", "there is no extreme of nothing"),
    ("peak_loads", "empty batch"): Refuses("there are no states", "there is no peak of nothing"),
    ("motor_loads", "empty batch"): Refuses("there are no states", "there is no load of nothing"),
    ("size", "beams"): Refuses("has beams", "`lp.study` judges designs one by one"),
    **{("size", feature): Refuses("size is refused", "`rover.on_fixed_base.size`; `lp.study` judges one by one")
       for feature in ("wheels", "slope")},
    ("size", "loops"): Refuses("has loops", "`lp.study` judges designs one by one"),
    **{(name, "empty batch"): Refuses("there are no states", "nothing is judged of nothing")
       for name in ("verdict", "size", "largest", "load_cases", "load_spectra")},
    ("max_payload", "empty batch"): Refuses("there are no states", "there is no limit of nothing"),
    **{(name, "free base"): Nothing("its coordinates have a quaternion") for name in ("fastest", "path_durations")},
    ("fastest", "moving base"): Refuses("its base stands still", "that of a base that rolls is a rover's"),
    **{("fastest", feature): Nothing("it goes along one path") for feature in ("float32", "batch", "empty batch")},
    ("path_durations", "loops"): Refuses("is for open chains", "a tree with the same motion, or `robot.fastest`"),
    ("worst_case", "free base"): Nothing("its states with a quaternion fill no box"),
    ("worst_case", "loops"): Refuses("its states fill no box", "`peak_loads` of states that `robot.complete` closes"),
    **{("worst_case", feature): Nothing("it takes a box of states")
       for feature in ("motion", "simulation", "float32", "batch", "empty batch")},
    ("plot", "empty batch"): Refuses("there is no state to draw", "there is no picture of nothing"),
    **{("report", feature): ONE_MOTION for feature in ("float32", "batch", "empty batch")},
    **{("inverse_kinematics", feature): GEOMETRY for feature in ("external wrench", "moving base")},
    **{("inverse_kinematics", feature): Refuses("expected homogeneous matrices", "give poses (..., 4, 4)")
       for feature in ("motion", "simulation")},
}


def robot_cell(name: str, feature: str) -> Outcome:
    """What a method of a robot does with a feature."""
    if (name, feature) in ROBOT_CELLS:
        return ROBOT_CELLS[name, feature]
    if feature in OF_ROBOT:
        return refused_by(ATTACHING.get(feature, lp.Robot), name) or WORKS
    takes = parameters_of(lp.Robot, name)
    if purpose_of(lp.Robot, name) == "Other robots from this one" or not takes & {*STATES, "external"}:
        return NO_STATES
    if feature in ("external wrench", "moving base"):
        return with_loads(lp.Robot, name, feature)
    return NO_STATES if name in EXPORTS else WORKS


NO_WRENCHES = Refuses("shaped takes no 'external'", "the shaper is of a frequency: give `frequency=`")
NO_BASE_MOTION = Refuses("takes no 'base_velocity'", "it is of an arm at rest, or of a frequency that is given")

FLEXIBLE_CELLS: dict[tuple[str, str], Outcome] = {
    **{("stiffness", feature): ALIKE for feature in ("external wrench", "moving base")},
    **{("compensated", feature): Refuses("not a motion with its speeds", "give the poses, `motion.q`")
       for feature in ("motion", "simulation")},
    **{("frequency_map", feature): Refuses("for a motion there is bandwidth_check", "or give its poses, `q=motion.q`")
       for feature in ("motion", "simulation")},
    **{("plot_deflection", feature): Refuses("draws one state", "choose one") for feature in ("motion", "simulation")},
    ("extremes", "empty batch"): Refuses("there is no worst place", "there is no extreme of nothing"),
    ("fatigue", "empty batch"): Refuses("has 0 samples", "there is no history of nothing"),
    ("fatigue", "batch"): Refuses("one after the other in time", "give each history by itself, or a duty cycle"),
    **{(name, feature): Nothing(why) for name, why in (
        ("frequency_map", "it takes a workspace"), ("bandwidth_check", "it takes a motion"),
        ("plot_deflection", "it draws one state"), ("plot_safety", "it draws one state"),
        ("respond", "it takes a motion"), ("shaped", "it takes a motion"), ("frequency_response", "it takes one pose"))
       for feature in ("float32", "batch", "empty batch")},
    **{("frequency_response", feature): Refuses("is of one pose", "choose one") for feature in
       ("motion", "simulation")},
    **{(name, "moving base"): NO_BASE_MOTION for name in ("frequency_response", "shaped")},
    ("shaped", "external wrench"): NO_WRENCHES,
}


def flexible_cell(name: str, feature: str) -> Outcome:
    """What a method of an arm with beams does with a feature."""
    refused = refused_by(lp.ClosedFlexibleRobot, name) if feature == "loops" else None
    return refused or FLEXIBLE_CELLS.get((name, feature), WORKS)


BY_ITS_NAME = Independent(
    "the base of a rover moves by velocity=", "the motion of a rover's base is `velocity=` and `acceleration=`"
)

ROVER_CELLS: dict[tuple[str, str], Outcome] = {
    **{(name, feature): Refuses("without_beams()", "`rover.without_beams()` moves the rigid rover")
       for name in ("simulate", "roll") for feature in ("beams", "joint compliance")},
    ("wheel_load_derivatives", "loops"): Refuses(
        "is for open chains", "differences of `rover.wheel_loads` along `rover.complete` are of the closed robot"),
    ("mass_center", "external wrench"): NO_EXTERNAL,
    ("ride_modes", "external wrench"): Nothing("a wrench has no mass; `posture` shows what it does"),
    ("mass_center", "moving base"): NO_BASE,
    ("fastest", "free base"): Refuses("has a quaternion", "hold it with `rover.robot.locked`"),
    ("fastest", "external wrench"): Refuses(
        "fastest takes no 'external'", "`rover.stability` and `slip` of its states take wrenches"),
    ("fastest", "simulation"): Refuses(
        "the simulation moves the base, and a path is of joints",
        "`simulation.motion` is that of the joints alone; where the base stands, it works"),
    ("fastest", "moving base"): Independent(
        "fastest takes no 'base_velocity'", "the path moves the base: x, y and heading before those of the arms"),
    **{("fastest", feature): Refuses("expected (points, n), two or more", "it goes along one path")
       for feature in ("batch", "empty batch")},
    **{("from_planar", feature): Independent(f"from_planar takes no '{keyword}'", why) for feature, keyword, why in (
        ("external wrench", "external", "wrenches are given to the quantity that is asked for its states"),
        ("moving base", "base_velocity", "its states have the motion of the base"))},
    ("from_planar", "simulation"): Refuses(
        "the simulation is of a robot with", "a simulation of a rover brings the motion of its base by itself"),
    **{("worst_case", feature): Refuses("has a quaternion", "hold it with `rover.robot.locked`")
       for feature in ("free base", "many freedoms")},
    ("worst_case", "loops"): Refuses("its states fill no box", "`peak_loads` of states that are closed"),
    **{("worst_case", feature): Nothing("it takes a box of states")
       for feature in ("moving base", "external wrench", "motion", "simulation", "float32", "batch", "empty batch")},
    **{("mass_matrix", feature): Independent("does not depend on loads or speeds", "`forward_dynamics` does")
       for feature in ("external wrench", "moving base")},
    **{(name, "moving base"): BY_ITS_NAME for name in
       ("ground_wrench", "wheel_loads", "wheel_load_breakdown", "wheel_load_derivatives", "posture", "ride_modes",
        "stability", "slip", "largest_payload", "largest_acceleration", "largest_slope", "largest_speed",
        "forward_dynamics", "base_acceleration", "linearize", "simulate", "roll", "report", "verdict", "largest",
        "peak_loads")},
    **{(name, feature): Nothing("all states have one verdict") for name in ("verdict", "largest")
       for feature in ("float32", "batch", "empty batch")},
    ("peak_loads", "empty batch"): Refuses("there are no states", "there is no peak of nothing"),
    **{(name, feature): Nothing("it moves one state in time") for name in ("simulate", "roll")
       for feature in ("float32", "batch", "empty batch")},
    **{("report", feature): Nothing("it takes a motion") for feature in ("float32", "batch", "empty batch")},
    **{("linearize", feature): RIGID for feature in ("beams", "joint compliance")},
    ("linearize", "loops"): Refuses("linearize of a rover knows open chains", "`rover.robot.linearize` is of the arm"),
    ("linearize", "free base"): Refuses("linearize of a rover knows joints without quaternions",
                                        "`rover.robot.linearize` is of the arm"),
    ("linearize", "many freedoms"): Refuses("linearize of a rover knows joints without quaternions",
                                            "`rover.robot.linearize` is of the arm"),
    **{("linearize", feature): Refuses("takes arrays", "give its `q`, `qd`, `tau` and `velocity=`")
       for feature in ("motion", "simulation")},
    **{("simulate", feature): Nothing("`roll` takes a motion") for feature in ("motion", "simulation")},
}


def rover_cell(name: str, feature: str) -> Outcome:
    """What a method of a rover does with a feature."""
    if feature in OF_CALL and (name in WHEELS_ALONE or name in ROVER_MAKERS):
        return NO_STATES
    return ROVER_CELLS.get((name, feature), WORKS)


FUNCTION_CELLS: dict[tuple[str, str], Outcome] = {
    **{("verify", feature): Nothing("it chooses its states") for feature in OF_CALL},
    ("identify", "external wrench"): Refuses(
        "without what the wrenches add", "subtract that from `tau`: `inverse_dynamics` with them, less that without"),
    ("identify", "moving base"): Refuses(
        "measure on a base at rest", "or fit with `robot.regressor`, which takes the motion of the base"),
    ("excitation", "external wrench"): Refuses("wrenches excite no inertia", "leave them out"),
    ("excitation", "moving base"): Refuses("a base at rest", "`robot.regressor` takes the motion of the base"),
    ("identify", "empty batch"): Refuses("too few", "give measurements"),
}


def function_cell(name: str, feature: str) -> Outcome:
    """What a function of `lp` does with a feature."""
    return FUNCTION_CELLS.get((name, feature), WORKS)


COMMAND_CELLS: dict[tuple[str, str], Outcome] = {
    **{(name, feature): Nothing("it takes no states") for name in COMMAND_ROWS for feature in OF_CALL},
    ("report", "motion"): WORKS,
}


def command_cell(name: str, feature: str) -> Outcome:
    """What a command does with a feature."""
    return COMMAND_CELLS.get((name, feature), WORKS)


CLOSED_CELLS: dict[tuple[str, str], Outcome] = {
    ("preload_for", "locked joints"): Nothing("that robot has a coupling, and no loop"),
}


def closed_cell(name: str, feature: str) -> Outcome:
    """What a method of a robot with loops does with a feature of it."""
    elastic = feature in ("beams", "joint compliance")
    return refused_by(lp.ClosedFlexibleRobot if elastic else lp.ClosedRobot, name) or CLOSED_CELLS.get(
        (name, feature), WORKS
    )
