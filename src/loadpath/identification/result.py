"""What an identification found: a robot, how sure its numbers are, and how well it explains the measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

import numpy as np

from loadpath.cached import cached_property
from loadpath.identification.base import BaseParameters
from loadpath.identification.excitation import Excitation
from loadpath.identification.measurements import Measurements, fitted
from loadpath.identification.parameters import rendered
from loadpath.printable import printable
from loadpath.quantities.table import R_co
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from rich.console import Group



@dataclass(frozen=True, eq=False)
class Identification(Generic[R_co]):
    """The robot that explains measured forces; see `lp.identify`."""

    robot: R_co
    """With bodies that can exist: every link with influence has a positive definite pseudo-inertia."""
    base: BaseParameters[R_co]
    """The base parameters, of the prior robot."""
    values: Floats
    """Base parameters of the identified robot (SI)."""
    least_squares: Floats
    """Base parameters by weighted least squares alone, which may belong to no real body."""
    standard_deviations: Floats
    """Of the base parameters, from the noise that was found (or given). Where it depends on the row before, or its
    strength on the state, that is counted."""
    offsets: Floats
    """Constant that each measured force has beside the robot's (N m, N); zeros with `offsets=False`."""
    offset_deviations: Floats
    """Standard deviations of the offsets."""
    noise: Floats
    """Standard deviation of each drive force about the least-squares fit (N m, N), or the one that was given."""
    correlation: Floats
    """Correlation of the noise of each force with that of the row before: 0 if it is white."""
    changing: Bools
    """Where the strength of the noise changes with speed or force, or is shared by joints."""
    residual: Floats
    """Root mean square of measured less fitted force of the identified robot, for each speed."""
    excitation: Excitation
    data: Measurements

    @property
    def condition(self) -> float:
        """Condition number of the base regressor, in units of the robot's scale."""
        return self.excitation.condition

    @cached_property
    def force(self) -> Floats:
        """Root mean square of each measured force."""
        tau = np.zeros((1, len(self.residual))) if self.data.tau is None else np.asarray(self.data.tau)
        return np.asarray(np.sqrt(np.mean(np.square(tau), axis=0)))

    @cached_property
    def variation(self) -> Floats:
        """Root mean square of each measured force, about its mean where an offset was sought."""
        if self.data.tau is None or not self.offset_deviations.any():
            return self.force
        return np.asarray(np.std(np.asarray(self.data.tau), axis=0))

    @cached_property
    def explained(self) -> Floats:
        """Share of the square of each force's `variation` that the identified robot explains: 1 for all of it, 0 for
        nothing, negative where it would do better without; NaN without a force.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(1 - np.square(self.residual / self.variation))

    @cached_property
    def fitted_torque(self) -> Floats:
        """Forces of the identified robot in the measured states with the offsets of the measurement, (samples, n)."""
        return fitted(self.base, self.values, self.data) + self.offsets

    @cached_property
    def parameters(self) -> Floats:
        """All parameters of the identified robot, named by `base.parameter_names`."""
        return self.base.parameters.of(self.robot)

    @cached_property
    def identifiable(self) -> Bools:
        """For each of all parameters whether the forces determine it by itself; the others only in groups."""
        alone = np.zeros(len(self.base.parameter_names), dtype=bool)
        for row, j in enumerate(self.base.grouping.kept):
            alone[j] = np.count_nonzero(self.base.matrix[row]) == 1
        return alone

    @cached_property
    def parameter_deviations(self) -> np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]:
        """Standard deviations of all parameters, a masked array: masked where a parameter is not identifiable."""
        deviations = np.zeros(len(self.identifiable))
        deviations[list(self.base.grouping.kept)] = self.standard_deviations
        deviations[~self.identifiable] = 0.0
        return np.ma.masked_array(deviations, mask=~self.identifiable)

    def __rich__(self) -> Group:
        """Tables for Rich."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        found = Table("group", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for title in ("before", "identified", "std. dev.", "unit"):
            found.add_column(title, justify="left" if title == "unit" else "right", no_wrap=True)
        units = [self.base.parameters.units[j] for j in self.base.grouping.kept]
        for row in zip(self.base.groups, self.base.values, self.values, self.standard_deviations, units, strict=True):
            text, before, value, deviation, unit = row
            found.add_row(Text(printable(text)), f"{before:.4g}", f"{value:.4g}", f"{deviation:.2g}", unit)
        joints = Table("joint", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        joints.add_column("residual (rms)", justify="right")
        for title in ("force (rms)", "explained", "offset", "std. dev.", "correlation"):
            joints.add_column(title, justify="right")
        rows = zip(self.base.robot.dof_names, self.residual, self.force, self.explained, self.offsets,
                   self.offset_deviations, self.correlation, strict=True)
        for name, off, size, share, offset, deviation, correlation in rows:
            if self.base.robot.closing_names and name not in self.base.robot.driven:
                continue  # it gives no force
            explained = "-" if np.isnan(share) else f"{max(share, 0.0):.2%}"
            joints.add_row(Text(printable(name)), f"{off:.3g}", f"{size:.3g}", explained, f"{offset:.3g}",
                           f"{deviation:.2g}", f"{correlation:.2f}")
        head = f"'{self.base.robot.name}' identified from {len(self.data)} states, condition {self.condition:.3g}"
        note = ("Single parameters of a group with several are not identifiable. Explained: of the force's variation. "
                "Correlation: of the noise with that of the row before; standard deviations count it.")
        return Group(Text(printable(head)), found, "", joints, note)

    def __str__(self) -> str:
        return rendered(self.__rich__())

    def __repr__(self) -> str:
        return f"<identification of robot '{printable(self.base.robot.name)}' from {len(self.data)} states>"
