"""What joints and drives of many designs carry in a block of states: through the kernels of a family, at once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.loads.resultants import axes_of
from loadpath.quantities.wrench import COMPONENTS
from loadpath.scalars.types import Floats
from loadpath.studies.on_ground import OnGround
from loadpath.studies.states import DesignStates

_STRAIGHT = 1e-15


@dataclass(frozen=True, eq=False)
class Case:
    """Designs that go through the same kernels: robots that differ in numbers alone, and their states."""

    robot: Any
    """The robot whose topology they have; itself, where they do not differ."""
    family: Any
    """An `lp.Family` of it; None where all are the same robot."""
    numbers: Floats | None
    """(designs, numbers): rows of the family."""
    states: DesignStates
    designs: int
    rover: Any = None
    """That carries the robots, if one does; its family is of the robots on it."""
    acting: Mapping[str, Any] = field(default_factory=dict)
    """On a rover, how its base moves."""

    def some(self, designs: slice) -> Case:
        """Some of the designs."""
        numbers = None if self.numbers is None else self.numbers[designs]
        count = len(range(*designs.indices(self.designs)))
        return Case(self.robot, self.family, numbers, self.states.some(designs), count, self.rover, self.acting)


class Scratch:
    """Memory that is filled again with each block: fresh memory costs more than computing, most of all where the
    allocator gives all of it back at once (as in the workers of a Dask cluster).
    """

    def __init__(self) -> None:
        self._flat: dict[str, Floats] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Of that shape, with any numbers; what had the name before is overwritten."""
        size = math.prod(shape)
        if name not in self._flat or self._flat[name].size < size:
            self._flat[name] = np.empty(size)
        return self._flat[name][:size].reshape(shape)


class Signals:
    """What joints and drives carry in a block: arrays (designs, states), computed when they are asked for. They hold
    until the next block has the same `scratch`.
    """

    def __init__(self, case: Case, designs: slice, states: slice, scratch: Scratch | None = None) -> None:
        self.case, self.robot = case, case.robot
        self.designs, self.states = designs, states
        self.scratch = Scratch() if scratch is None else scratch
        self.q, self.qd, self.qdd = case.states.of(designs, states, self.scratch.array)
        self.rows = None if case.numbers is None else case.numbers[designs]
        count = len(range(*designs.indices(case.designs)))
        self.shape = (count, self.q.shape[1])
        self.keywords: dict[str, Any] = case.states.keywords(states) if case.states.loaded else {}

    def asked(self, name: str, *arrays: Floats, use: str = "") -> Any:
        """A compiled quantity of all pairs. `use` tells apart what is asked for twice."""
        if self.rows is None:
            return getattr(self.robot, name)(*arrays, **self.keywords)
        if self._tilted is not None:
            return getattr(self._tilted, name)(*arrays, **self.keywords)
        method = getattr(self.case.family, name)
        if not (self.keywords or self.robot.held_by_loops or self.robot.beams):
            return self._filled(f"{name} {use}", method.ufunc, (*arrays, self.rows[:, None, :]))
        return getattr(self.case.family.with_rows(self.rows[:, None, :], paired=True), name)(*arrays, **self.keywords)

    @cached_property
    def _tilted(self) -> Any:
        """The robots of rovers whose ground rises, each under its own gravity; None of others."""
        carrier = self.case.family._carrier
        if self.rows is None or carrier is None or not carrier.tilts:
            return None
        return carrier.robots(self.case.family.with_rows(self.rows[:, None, :], paired=True))

    def _filled(self, name: str, ufunc: Any, arrays: Sequence[Floats]) -> Any:
        """What a ufunc gives, in memory that was there before."""
        sizes: dict[str, int] = {}
        inputs, outputs = (re.findall(r"\(([^)]*)\)", side) for side in ufunc.signature.split("->"))
        cores = [[core.strip() for core in one.split(",") if core.strip()] for one in inputs]
        for array, core in zip(arrays, cores, strict=True):
            sizes |= dict(zip(core, array.shape[array.ndim - len(core):], strict=True))
        loop = np.broadcast_shapes(*(array.shape[: array.ndim - len(core)]
                                     for array, core in zip(arrays, cores, strict=True)))
        out = []
        for k, one in enumerate(outputs):
            core = [entry.strip() for entry in one.split(",") if entry.strip()]
            shape = (*loop, *(int(entry) if entry.isdigit() else sizes[entry] for entry in core))
            out.append(self.scratch.array(f"{name} {k}", shape))
        return ufunc(*arrays, out=tuple(out))

    @cached_property
    def wrenches(self) -> tuple[Floats, Floats]:
        """Force and torque, (designs, states, joints, 3) each."""
        found = self.asked("joint_wrenches", self.q, self.qd, self.qdd)
        force, torque = (found if isinstance(found, tuple) and not hasattr(found, "force")
                         else (found.force, found.torque))[:2]
        return np.asarray(force), np.asarray(torque)

    @cached_property
    def tau(self) -> Floats:
        """(designs, states, n)."""
        return np.asarray(self.asked("inverse_dynamics", self.q, self.qd, self.qdd))

    @cached_property
    def holding(self) -> Floats:
        """(designs, states, n): forces of the drives in the same poses at rest."""
        still = np.zeros((1, *self.q.shape[1:-1], self.robot.n))
        return np.asarray(self.asked("inverse_dynamics", self.q, still, still, use="at rest"))

    @cached_property
    def ground(self) -> OnGround:
        """What the wheels of rovers carry."""
        case = self.case
        return OnGround(case.rover, case.family, self.rows, (self.q, self.qd, self.qdd), case.acting)

    @cached_property
    def deflections(self) -> Floats:
        """(designs, states): m, how far the tip is displaced by what bends."""
        states = (self.q, self.qd, self.qdd)
        subject = self.robot if self.rows is None else self.case.family.with_rows(self.rows[:, None, :], paired=True)
        return np.asarray(np.linalg.norm(subject.deflection(*states, **self.keywords).tip.displacement, axis=-1))

    def of_wheel(self, k: int, quantity: str) -> Floats:
        """Of a contact."""
        return self.wide(self.ground.of(quantity))[..., k]

    @cached_property
    def axes(self) -> Floats:
        return axes_of(self.robot)

    def wide(self, array: Floats) -> Floats:
        """One for each pair."""
        return np.broadcast_to(array, (*self.shape, *array.shape[2:]))

    def of_drive(self, k: int, quantity: str) -> Floats:
        """Of a degree of freedom."""
        if quantity == "drive":
            force: Floats = self.wide(self.tau)[..., k]
            return force
        if quantity == "power":
            power: Floats = self.wide(self.tau)[..., k] * self.qd[..., k]
            return power
        rates: Floats = self.wide(self.qd if quantity == "speed" else self.qdd)[..., k]
        return rates

    def of_joint(self, k: int, quantity: str) -> Floats:
        """A component or resultant of the wrench at a joint."""
        force, torque = self.wrenches
        if quantity in COMPONENTS:
            place = COMPONENTS.index(quantity)
            component: Floats = self.wide(force if place < 3 else torque)[..., k, place % 3]
            return component
        vector = self.wide(force if "force" in quantity else torque)[..., k, :]
        parts: tuple[Floats, Floats, Floats] = (vector[..., 0], vector[..., 1], vector[..., 2])
        x, y, z = parts
        if quantity in ("force", "torque"):
            return _size(x, y, z)
        axis = self.axes[k]
        straight = np.flatnonzero(np.abs(axis) > _STRAIGHT)
        if len(straight) == 1 and abs(axis[straight[0]]) == 1.0:
            along = int(straight[0])
            if quantity.startswith("axial"):
                straight_on: Floats = parts[along] * axis[along]
                return straight_on
            return _size(*(part for i, part in enumerate(parts) if i != along))
        of_axis: Floats = x * axis[0] + y * axis[1] + z * axis[2]
        if quantity.startswith("axial"):
            return of_axis
        return _size(x - of_axis * axis[0], y - of_axis * axis[1], z - of_axis * axis[2])


def _size(*parts: Floats) -> Floats:
    total: Floats = sum((part * part for part in parts[1:]), start=parts[0] * parts[0])
    size: Floats = np.sqrt(total)
    return size
