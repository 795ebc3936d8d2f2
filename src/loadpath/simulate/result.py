"""What a simulation gives back: the motion, the forces, and where the energy went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats
from loadpath.simulate.plots import figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A simulated motion. The first axis of every array is that of `times`.

    >>> import loadpath as lp
    >>> lp.catalog.planar(2).simulate([0, 0], [0, 0], duration=1.0)  # doctest: +ELLIPSIS
    <simulation of 101 times up to 1 s, ... steps>
    """

    times: Floats
    """(times,), s."""
    q: Floats
    """(times, nq): coordinates; quaternions are units."""
    qd: Floats
    """(times, n): speeds."""
    qdd: Floats
    """(times, n): accelerations."""
    tau: Floats
    """(times, n): forces of the drives."""
    friction: Floats
    """(times, n): forces of viscous and Coulomb friction against which the drives work; of a joint at rest, the
    force that holds it."""
    sticking: NDArray[np.bool_]
    """(times, n): whether Coulomb friction holds the joint still."""
    kinetic: Floats
    """(times,): kinetic energy, J."""
    potential: Floats
    """(times,): potential energy, J."""
    drive_work: Floats
    """(times,): work that the drives have done so far, J."""
    dissipated: Floats
    """(times,): what friction has turned into heat so far, J."""
    external_work: Floats
    """(times,): work that external wrenches have done so far, J."""
    dof_names: tuple[str, ...]
    """Names of the n speeds."""
    steps: int
    """Steps that the integrator took."""
    evaluations: int
    """How often it evaluated the equations of motion."""
    stopped: bool = False
    """Whether the condition `stop` ended it before its time."""
    external: Mapping[str, object] | None = None
    """The `lp.Wrench` on each link that had one, the same at all times or (times, 3); functions that take the
    simulation for states take these with it."""

    def __repr__(self) -> str:
        ended = ", stopped" if self.stopped else ""
        return f"<simulation of {len(self.times)} times up to {self.times[-1]:.6g} s{ended}, {self.steps} steps>"

    def plot(self) -> Figure:
        """A Plotly figure: positions, speeds, forces of the drives, and where the energy went.

        >>> import loadpath as lp
        >>> figure = lp.catalog.planar(2).simulate([0, 0], [0, 0], duration=0.2).plot()
        >>> [axis.title.text for axis in figure.select_yaxes()]
        ['position (rad, m)', 'speed (rad/s, m/s)', 'drive (N m, N)', 'energy (J)']
        """
        return figure(self)

    @property
    def t(self) -> Floats:
        """The same as `times`, under the name that an `lp.Motion` has for it."""
        return self.times

    @property
    def energy(self) -> Floats:
        """(times,): kinetic and potential energy together, J."""
        return self.kinetic + self.potential

    @property
    def energy_residual(self) -> Floats:
        """(times,): what does not balance, J: energy gained, less work put in, plus heat. Integration error alone."""
        gained = self.energy - self.energy[0]
        put_in = self.drive_work - self.drive_work[0] + self.external_work - self.external_work[0]
        residual: Floats = gained - put_in + self.dissipated - self.dissipated[0]
        return residual

    @property
    def energy_drift(self) -> float:
        """Largest residual, relative to the largest energy that was turned over: kinetic, potential, work or heat; of a
        robot that stands, where that is nothing but rounding, relative to 1e-12 of the potential energy.
        """
        swings = (
            self.kinetic,
            self.potential - self.potential[0],
            self.drive_work,
            self.dissipated,
            self.external_work,
        )
        turned_over = max(*(float(np.abs(part).max()) for part in swings), 1e-12 * float(np.abs(self.potential).max()))
        worst = float(np.abs(self.energy_residual).max())
        return worst / turned_over if turned_over > 0 else worst
