"""The minimal set of inertial parameters: `robot.base_parameters()`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.identification.grouping import Grouping, group
from loadpath.identification.parameters import DynamicParameters, combination, frames_only, rendered
from loadpath.printable import printable
from loadpath.quantities.table import R, R_co
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats

if TYPE_CHECKING:
    from rich.console import Group

    from loadpath.identification.symbolic import SymbolicGroups

TOLERANCE = 1e-4
"""Relative. Right angles written with five digits (1.5708) count as right. In published robots what depends is within
1e-11 (1e-5 with such angles) of it and what does not is at least 0.02 away, so the choice hardly matters."""


@dataclass(frozen=True, eq=False)
class BaseParameters(Generic[R_co]):
    """The combinations of parameters that the drive forces of a robot depend on, each led by one that is kept.

    >>> import loadpath as lp
    >>> base = lp.catalog.planar(2).base_parameters()
    >>> base.number, base.groups[2]
    (6, 'Izz1 + m2')
    >>> Y = base.regressor([0.1, 0.2], [1, 2], [3, 4])
    >>> tau = lp.catalog.planar(2).inverse_dynamics([0.1, 0.2], [1, 2], [3, 4])
    >>> bool(abs(Y @ base.values - tau).max() < 1e-12)
    True
    """

    parameters: DynamicParameters[R_co]
    grouping: Grouping

    @property
    def robot(self) -> R_co:
        """The robot whose parameters they are."""
        return self.parameters.robot

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.grouping.kept)

    @property
    def independent(self) -> NDArray[np.int64]:
        """Columns of the full regressor that are kept: the leading parameter of each group."""
        return np.array(self.grouping.kept, dtype=int)

    @property
    def matrix(self) -> Floats:
        """(number, parameters): base parameters from all parameters."""
        return self.grouping.matrix

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of all parameters, the columns of `matrix`: ten a link in the order of `link_names`, then drives."""
        return self.parameters.names

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The leading parameter of each group."""
        return tuple(self.parameters.names[j] for j in self.grouping.kept)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Each group written out; parameters of massless frames are left out."""
        return tuple(self.written(row) for row in self.matrix)

    @cached_property
    def without_influence(self) -> tuple[str, ...]:
        """Parameters that no drive force depends on."""
        return tuple(self.parameters.names[j] for j in self.grouping.idle)

    @cached_property
    def values(self) -> Floats:
        """The base parameters of this robot, in SI units."""
        return self.of(self.robot)

    def of(self, robot: RobotModel) -> Floats:
        """The base parameters of another robot with the same links and joints."""
        parameters = self.parameters.of(robot)
        values = self.matrix @ parameters
        sizes = np.abs(self.matrix) @ np.abs(parameters)
        without_rounding: Floats = np.where(np.abs(values) <= 4e-16 * sizes, 0.0, values)
        return without_rounding

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Floats:
        """Matrix (..., n, number) that gives the drive forces from the base parameters."""
        arrays = [np.asarray(a, dtype=float) for a in (q, qd, qdd)]
        batch = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        q, qd, qdd = (np.broadcast_to(a, (*batch, a.shape[-1])) for a in arrays)
        robot, p = self.robot, self.parameters
        links = [j for j in self.grouping.kept if j < p.of_links]
        result = np.zeros((*batch, robot.n, self.number))
        result[..., : len(links)] = robot.regressor(q, qd, qdd)[..., links]
        if p.drives:
            every = robot.drive_regressor(*((q, qd, qdd) if robot.held_by_loops else (qd, qdd)))
            kinds = [k * robot.n for k, key in enumerate(("fv", "fc", "Ia")) if key in p.drives]
            columns = [start + k for start in kinds for k in range(robot.n)]
            drives = [columns[j - p.of_links] for j in self.grouping.kept if j >= p.of_links]
            result[..., len(links) :] = every[..., drives]
        return result

    def symbolic(self) -> SymbolicGroups:
        """The groups with symbols for lengths and angles, for example of a Denavit-Hartenberg table.

        >>> import loadpath as lp
        >>> print(lp.catalog.planar(2).base_parameters().symbolic().groups[2])
        Izz1 + a2**2*m2
        """
        from loadpath.identification.symbolic import symbolic

        return symbolic(self)

    def written(self, row: Floats) -> str:
        """A combination of all parameters as text."""
        hidden = {self.robot.link_names.index(link) for link in frames_only(self.robot)}
        shown = [j for j in np.flatnonzero(row) if j >= self.parameters.of_links or j // 10 not in hidden]
        leads_first = sorted(shown, key=lambda j: (j not in self.grouping.kept, j))
        return combination((float(row[j]), self.parameters.names[j]) for j in leads_first)

    def legend(self) -> str:
        """What the numbers in the names mean, if the links' names do not say it themselves."""
        names = self.robot.link_names
        leading = {j // 10 for j in self.grouping.kept if j < self.parameters.of_links}
        plain = all(names[i].endswith(str(i)) for i in leading)
        numbers = "" if plain else "Links: " + ", ".join(f"{i} {name}" for i, name in enumerate(names)) + ". "
        frames = sorted(frames_only(self.robot), key=names.index)
        left_out = f"Left out of the groups: massless {', '.join(frames)}. " if frames else ""
        return f"{numbers}{left_out}In link frames, about their origins; mx is mass times x of the mass center."

    def __rich__(self) -> Group:
        """A table for Rich."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("", "group", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("unit", no_wrap=True)
        for k, (text, value) in enumerate(zip(self.groups, self.values, strict=True)):
            unit = self.parameters.units[self.grouping.kept[k]]
            table.add_row(str(k + 1), Text(printable(text)), f"{value:.5g}", unit)
        of = f"{self.parameters.of_links} inertial parameters of {len(self.robot.links)} links"
        head = printable(f"{self.number} base parameters of '{self.robot.name}', from the {of}")
        return Group(Text(head), table, Text(printable(self.legend())))

    def __str__(self) -> str:
        return rendered(self.__rich__())

    def __repr__(self) -> str:
        return f"<{self.number} base parameters of robot '{printable(self.robot.name)}'>"


def base_parameters(
    robot: R, *, friction: bool = False, rotors: bool = False, tolerance: float = TOLERANCE
) -> BaseParameters[R]:
    """The minimal set of parameters that the drive forces of a robot depend on; see `Robot.base_parameters`.

    >>> from loadpath.catalog import puma560
    >>> base_parameters(puma560()).number
    36
    """
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance is {tolerance}: expected a number between 0 and 1")
    if robot.n == 0:
        raise ValueError(f"robot '{robot.name}' has no joint that moves: its torques depend on nothing")
    parameters = DynamicParameters(robot, bool(friction), bool(rotors))
    return BaseParameters(parameters, group(parameters, tolerance))
