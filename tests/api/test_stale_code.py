"""Machine code belongs to what it computes: whoever wrote the equations, and whenever they were changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.algorithms.movable import check_movable
from loadpath.engine import cache, kernels
from loadpath.engine.arguments import Variant
from loadpath.engine.identity import ForeignError, identity, kernel_key
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.scalars import IDENTITY, Array, array, scale, zeros

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

PACKAGE = Path(lp.__file__).parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(path))
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())
    return path


def run(script: str, *, package: Path = PACKAGE) -> list[float]:
    """The numbers that a script prints in a new process, which takes this package and shares the cache."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


def entries(folder: Path) -> tuple[int, int]:
    """How many quick keys the cache has, which lead to machine code, and how many pieces of that."""
    start = len(cache.MAGIC) + 32  # and a checksum
    leads = [path.read_bytes()[start:].startswith(b"text ") for path in folder.iterdir()]
    return sum(leads), len(leads) - sum(leads)


# Classes and equations of users, edited between two runs

SECTION = """
import loadpath as lp
class Stiffened(lp.Rod):
    @property
    def second_moment_y(self):
        return {factor} * super().second_moment_y
beam = lp.Beam(Stiffened(0.01), lp.STEEL, end="tip_joint")
arm = lp.catalog.planar(1, mass=3.0).with_beams({{"link1": beam}})
print(abs(arm.deflection([0.0]).displacement[-1]).max())
"""


@pytest.mark.usefixtures("folder")
def test_a_section_that_was_edited() -> None:
    soft, stiff, again = (run(SECTION.format(factor=factor))[0] for factor in (1.0, 10.0, 1.0))
    assert stiff == pytest.approx(soft / 10, rel=0.01)
    assert again == soft


FORMULA = """
import loadpath as lp
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
def scaled(mechanism, q):
    return array([{factor} * x for x in q])
class Mine(lp.Robot):
    scaled = Compiled(scaled, "(q)->(n)", plain, "Coordinates times a number.")
r = lp.catalog.planar(2)
print(*Mine(r.name, r.links, r.joints, r.gravity).scaled([1.0, 2.0]))
"""


def test_a_formula_that_was_edited(folder: Path) -> None:
    for factor in (2.0, 3.0, 2.0):
        assert run(FORMULA.format(factor=factor)) == [factor, 2 * factor]
    assert entries(folder) == (2, 2)  # the third run took what the first had kept


JOINT = """
from dataclasses import dataclass
import loadpath as lp
from loadpath.scalars import IDENTITY, array, scale, zeros
@dataclass(frozen=True)
class Rack(lp.Prismatic):
    def placement(self, q):
        return IDENTITY, scale({ratio} * q[0], array(self.axis))
    def subspace(self, q):
        return [(zeros(3), scale({ratio}, array(self.axis)))]
    def along_z(self, zero):
        return Rack((0.0, 0.0, 1.0)), zero
links = lp.Link("base"), lp.Link("slide", lp.Inertia(1.0))
robot = lp.Robot("rack", links, (lp.Joint("joint", "base", "slide", Rack()),))
print(*robot.gravity_forces([0.5]))
"""


@pytest.mark.usefixtures("folder")
def test_a_joint_that_was_edited() -> None:
    for ratio in (1.0, 2.0):
        assert run(JOINT.format(ratio=ratio))[0] == pytest.approx(9.81 * ratio)


WHEEL = """
from dataclasses import dataclass
import loadpath as lp
@dataclass(frozen=True, kw_only=True, repr=False)
class Heavy(lp.FixedWheel):
    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        return {factor} * value if name == "spin_inertia" else value
    def __repr__(self):
        return "a heavy wheel"
wheels = [Heavy(position=(0, 0.3), radius=0.1, spin_inertia=0.5),
          lp.FixedWheel(position=(0, -0.3), radius=0.1, spin_inertia=0.5),
          lp.CasterWheel(position=(0.6, 0), radius=0.1)]
inertia = ((2.0, 0, 0), (0, 2.0, 0), (0, 0, 3.0))
base = lp.WheeledBase(mass=50.0, inertia=inertia, center_of_mass=(0.2, 0, 0.2), wheels=wheels)
rover = base.carrying(lp.catalog.planar(1))
wrench = rover.ground_wrench([0.0], [0.0], [0.0], velocity=(0, 0), acceleration=(1.0, 0.0))
print(*wrench.force, *wrench.torque)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_wheel_that_was_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [run(WHEEL.format(factor=factor)) for factor in (1.0, 4.0)]
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    fresh = [run(WHEEL.format(factor=factor)) for factor in (1.0, 4.0)]
    assert kept == fresh
    assert kept[0] != kept[1]


# Two quantities of one name


def doubled_gravity(mechanism: Mechanism, q: Array) -> Array:
    return array([2.0 for _ in q])


def tripled_gravity(mechanism: Mechanism, q: Array) -> Array:
    return array([3.0 for _ in q])


class Doubled(lp.Robot):
    gravity_forces = Compiled(doubled_gravity, "(q)->(n)", plain, "Two.")


class Tripled(Doubled):
    gravity_forces = Compiled(tripled_gravity, "(q)->(n)", plain, "Three.")


def like(robot: lp.Robot, kind: type[lp.Robot]) -> lp.Robot:
    return kind(**{part.name: getattr(robot, part.name) for part in fields(robot)})


@pytest.mark.parametrize("disk", [True, False])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_subclass_that_redefines_a_quantity(
    folder: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...], disk: bool
) -> None:
    if not disk:
        monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    arm = lp.catalog.planar(2)
    robots = [arm, like(arm, Doubled), like(arm, Tripled)]
    expected = [[9.81 * 2.0, 9.81 * 0.5], [2.0, 2.0], [3.0, 3.0]]
    for _ in range(2):
        for which in order:
            assert_allclose(robots[which].gravity_forces([0.0, 0.0]), expected[which])
        kernels._kept.clear()
        robots = [like(robot, type(robot)) for robot in robots]


def test_super_reaches_the_quantity_that_was_redefined() -> None:
    robot = like(lp.catalog.planar(2), Tripled)
    assert_allclose(super(Tripled, robot).gravity_forces([0.0, 0.0]), [2.0, 2.0])
    assert_allclose(robot.gravity_forces([0.0, 0.0]), [3.0, 3.0])


# What has a key by name, and what has none


def key(robot: Any, quantity: Compiled, variant: Variant | None = None) -> str | None:
    variant = variant or Variant()
    return kernel_key(robot, quantity, variant, *quantity.operands(robot, variant))


def tube() -> lp.Beam:
    return lp.Beam(lp.Tube(outer_radius=0.02, wall=0.001), lp.ALUMINIUM, end="tip_joint")


def test_everything_of_loadpath_is_known_by_name() -> None:
    """Otherwise it would be traced in every process."""
    arm = lp.catalog.panda()
    flexible = lp.catalog.planar(2).with_beams({"link2": tube()}, joint_compliance={"joint1": lp.JointCompliance(2e4)})
    rover = lp.catalog.lau_rover()
    for robot in (arm, flexible, rover, lp.catalog.random_chain(6, 3), lp.catalog.random_tree(7, 2)):
        quantities = quantities_of(robot).values()
        assert quantities
        for quantity in quantities:
            for formulation in quantity.formulations:
                link = robot.link_names[-1] if quantity.takes_link else None
                assert key(robot, quantity, Variant(formulation, link)) is not None, quantity.name


def test_keys_of_different_things_differ() -> None:
    arm = lp.catalog.planar(2)
    robots = [arm, arm.with_payload(1.0), arm.with_gravity((0, 0, 0)), lp.catalog.planar(2, length=1.5)]
    robots += [lp.catalog.planar(2).with_beams({"link2": tube()})]
    quantity = lp.Robot.inverse_dynamics
    variants = [
        Variant(),
        Variant("luh"),
        Variant(external=(("link1", True),)),
        Variant(external=(("link1", False),)),
        Variant(external=(("link2", True),)),
    ]
    keys = [key(robot, quantity, variant) for robot in robots for variant in variants]
    keys += [key(arm, lp.Robot.gravity_forces), key(arm, lp.Robot.bias_forces)]
    keys += [key(arm, lp.Robot.jacobian, Variant(link=link)) for link in ("link1", "link2")]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key(lp.catalog.planar(2), quantity) == key(arm, quantity)


AT_THE_END = """
import atexit
import loadpath as lp
atexit.register(lambda: print(*lp.catalog.planar(1, mass=2.0).gravity_forces([0.0])))
"""


@pytest.mark.usefixtures("folder")
def test_code_is_compiled_even_when_the_process_ends() -> None:
    for _ in range(2):
        assert run(AT_THE_END) == [pytest.approx(9.81)]


def refuse(robot: Any, mechanism: Any) -> None:
    raise lp.ModelError("not this one")


def test_a_check_of_ones_own_is_asked_although_the_code_is_there() -> None:
    from loadpath.formulations import newton_euler
    from loadpath.robot.reduction import reduced

    arm = lp.catalog.planar(2)
    arm.gravity_forces([0.0, 0.0])
    on = lp.Robot.gravity_forces.formulations["newton-euler"]
    assert on.formulation is newton_euler.gravity_forces
    assert on.mechanism is reduced

    class Strict(lp.Robot):
        gravity_forces = Compiled(on.formulation, lp.Robot.gravity_forces.signature, on.mechanism, "", check=refuse)

    with pytest.raises(lp.ModelError, match="not this one"):
        like(arm, Strict).gravity_forces([0.0, 0.0])


def test_the_check_the_mechanism_and_the_choices_are_in_the_key() -> None:
    arm = lp.catalog.planar(2)
    on = lp.Robot.gravity_forces.formulations["newton-euler"]

    def quantity(mechanism: Any = on.mechanism, **options: Any) -> Compiled:
        return Compiled(on.formulation, lp.Robot.gravity_forces.signature, mechanism, "", **options)

    assert key(arm, quantity(check=refuse)) is None
    keys = [key(arm, quantity()), key(arm, quantity(check=check_movable)), key(arm, quantity(plain))]
    keys += [key(arm, quantity(choices={"power": power})) for power in (1, 2)]
    keys += [key(arm, quantity(choices={"power": 1}), Variant(choices=(("power", 3),)))]
    assert None not in keys
    assert len(set(keys)) == len(keys)


class Thick(lp.Rod):
    @property
    def second_moment_y(self) -> float:
        return 2.0 * super().second_moment_y


@dataclass(frozen=True)
class Rack(lp.Prismatic):
    def placement(self, q: Any) -> Any:
        return IDENTITY, scale(2.0 * q[0], array(self.axis))

    def subspace(self, q: Any) -> Any:
        return [(zeros(3), scale(2.0, array(self.axis)))]

    def along_z(self, zero: float) -> Any:
        return Rack((0.0, 0.0, 1.0)), zero


def test_what_is_foreign_anywhere_has_no_key_by_name() -> None:
    arm = lp.catalog.planar(2)
    quantity = lp.Robot.gravity_forces
    assert key(arm, quantity) is not None
    assert key(like(arm, Doubled), quantity) is None
    thick = lp.Beam(Thick(0.005), lp.STEEL, end="tip_joint")
    assert key(arm.with_beams({"link2": thick}), quantity) is None
    links = lp.Link("base"), lp.Link("slide", lp.Inertia(1.0))
    slide = lp.Robot("rack", links, (lp.Joint("joint", "base", "slide", Rack()),))
    assert key(slide, quantity) is None
    base = lp.catalog.lau_rover().base
    assert key(base.carrying(arm), type(base.carrying(arm)).mass_center) is not None
    assert key(base.carrying(slide), type(base.carrying(arm)).mass_center) is None

    class Doing(Compiled):
        pass

    on = quantity.formulations["newton-euler"]
    odd = Doing(on.formulation, quantity.signature, on.mechanism, "")
    assert key(arm, odd) is None


def test_values_that_differ_are_written_differently() -> None:
    values = [
        1, 1.0, True, "1", "1.0", (1.0,), [1.0], (1.0, 2.0), ((1.0,), 2.0), (1.0, (2.0,)), None, "None", (), [], {}, "",
        ("a", "b"), ("a,b",), ("ab",), {"a": 1.0}, {"a": 2.0}, {"b": 1.0}, frozenset({1.0}), frozenset({1.0, 2.0}),
        np.zeros(2), np.zeros(3), np.zeros((1, 2)), np.zeros(2, np.float32), np.array([0.0, -0.0]), -0.0, 0.0,
        np.float64(1.0), np.array([None, 1.0], dtype=object), b"1", lp.Rod, lp.Rod(0.1), lp.Rod(0.2), plain, lp.Wrench,
        1 + 1e-16, 1 + 3e-16, set(), frozenset({"a"}),
    ]
    written = [identity(value) for value in values]
    same = {(a, b) for a in range(len(values)) for b in range(a) if written[a] == written[b]}
    assert [(values[a], values[b]) for a, b in same] == [(1 + 1e-16, 1.0)]


@pytest.mark.parametrize("value", [lambda: 1.0, object(), doubled_gravity, Thick, Thick(0.1), [Rack()], {"a": Rack()}])
def test_values_that_are_not_loadpaths_are_refused(value: object) -> None:
    with pytest.raises(ForeignError):
        identity((1.0, value))


def test_a_function_that_only_pretends_to_be_loadpaths() -> None:
    def inverse_dynamics(mechanism: Mechanism, q: Array) -> Array:
        return q

    inverse_dynamics.__module__ = "loadpath.formulations.newton_euler"
    inverse_dynamics.__qualname__ = "inverse_dynamics"
    with pytest.raises(ForeignError):
        identity(inverse_dynamics)


# An upgrade under a running process

UPGRADE = """
import pathlib, warnings, sys
import loadpath as lp
arm = lp.catalog.planar(1, mass=2.0)
{first}
source = pathlib.Path(lp.__file__).parent / "algorithms" / "energy.py"
source.write_text(source.read_text() + '''

_before = potential_energy

def potential_energy(mechanism, q):
    return 2.0 * _before(mechanism, q)
''')
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    print(arm.potential_energy([1.5]))
    print(*arm.mass_matrix([0.0]).ravel())
    print(sum("restart Python" in str(w.message) for w in warned))
"""
NEW = "import loadpath as lp; print(lp.catalog.planar(1, mass=2.0).potential_energy([1.5]))"
ENERGY = 2.0 * 9.81 * 0.5 * np.sin(1.5)


@pytest.mark.parametrize("first", ["", "arm.bias_forces([0.0], [0.0])"])
def test_an_upgrade_under_a_running_process(tmp_path: Path, folder: Path, first: str) -> None:
    """The old equations are in memory, the new ones on disk: what the old process compiles is not kept for new ones."""
    package = tmp_path / "site" / "loadpath"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    old = run(UPGRADE.format(first=first), package=package)
    assert old[0] == pytest.approx(ENERGY)
    assert old[2] == 1.0  # one warning
    assert run(NEW, package=package)[0] == pytest.approx(2 * ENERGY)
    assert entries(folder) == ((2, 4) if first else (1, 3))  # code is found by its text, which is always right
    assert run(NEW, package=package)[0] == pytest.approx(2 * ENERGY)
