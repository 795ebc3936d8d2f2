"""The result of `respond`: an arm's elastic motion over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.plotting import COLORS, label
from loadpath.printable import printable_lines
from loadpath.quantities.wrench import Wrench
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats
from loadpath.structure.checks import whole_number
from loadpath.structure.fatigue.duty import SectionHistory
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.response.course import Arm, Course
from loadpath.structure.response.dynamic_stress import DynamicStress, dynamic_stress, section_history
from loadpath.structure.response.histories import (
    accelerations,
    applied,
    equilibrium_coordinates,
    frame_motion,
    small_deflections,
)
from loadpath.structure.response.ring_down import RingDown, ring_down

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.quantities import ElasticQuantities


class Peak(NamedTuple):
    """The largest displacements of the tip from where the rigid arm has it, m, and when, s."""

    displacement: float
    """Of the vibrating arm."""
    time: float
    vibration: float
    """Largest difference to the quasi-static place."""
    vibration_time: float
    quasi_static: float
    """Largest displacement without vibration."""


class Histories(Mapping[str, Floats]):
    """Vectors (instants, 3) over time by the names of links; "tip" is the one looked at unless a link has that name."""

    def __init__(self, names: tuple[str, ...], tip: str, of: Callable[[str], Floats]):
        self._names, self._tip, self._of = names, tip, of

    def __getitem__(self, link: str) -> Floats:
        if link not in self._names:
            if link != "tip":
                raise ValueError(f"no link '{link}'; there are {', '.join(self._names)}")
            link = self._tip
        return self._of(link)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, eq=False, repr=False)
class MotionResponse:
    """An arm's elastic motion over a motion of its joints, and while it rings on after it. World axes."""

    arm: ElasticQuantities
    course: Course
    frequencies: Floats
    """(poses, modes), Hz: of the modes that vibrate, in poses from the first to the last."""
    effects: tuple[str, ...]
    tip: str
    """The link whose vibration `peak`, `residual` and `settling_time` are of."""
    ends: tuple[str, ...]
    _kept: dict[str, Floats] = field(default_factory=dict)

    @property
    def times(self) -> Floats:
        """(instants,), s: those of the motion, finer where the vibration asks for it, and on after its end."""
        return self.course.times

    @property
    def end(self) -> float:
        """s: when the motion ends."""
        return float(self.course.track.t[-1])

    @cached_property
    def q(self) -> Floats:
        """(instants, nq): the joints."""
        times = np.minimum(self.times, self.end)
        return self.course.track.at(times)[0]

    @property
    def displacement(self) -> Histories:
        """Of the origins of the link frames from where the rigid arm has them (m), `r.displacement["link"]`, (instants,
        3): sag, deflection and vibration together.
        """
        return self._histories(lambda link: self._moved(link)[:, :3])

    @property
    def rotation(self) -> Histories:
        """Of the link frames (rad), the same."""
        return self._histories(lambda link: self._moved(link)[:, 3:])

    @property
    def quasi_static(self) -> Histories:
        """Displacement (m) that the arm would have without vibration."""
        return self._histories(lambda link: self._equilibrium(link)[:, :3])

    @property
    def vibration(self) -> Histories:
        """Displacement (m) by vibration alone: what `displacement` has beyond `quasi_static`."""
        return self._histories(lambda link: self._moved(link)[:, :3] - self._equilibrium(link)[:, :3])

    @property
    def peak(self) -> Peak:
        """The largest displacements of the tip."""
        link = self.tip
        total, calm = (np.linalg.norm(each[link], axis=1) for each in (self.displacement, self.quasi_static))
        shaking = np.linalg.norm(self.vibration[link], axis=1)
        k, i = int(total.argmax()), int(shaking.argmax())
        return Peak(_peak(total, k), float(self.times[k]), _peak(shaking, i), float(self.times[i]), float(calm.max()))

    @property
    def residual(self) -> float:
        """m: the largest distance of the tip from its final place once the motion is over."""
        ringing = self.ringing
        lowest = 1 / float(self.frequencies[-1].min())
        return ringing.amplitude(50 * lowest)

    def settling_time(self, tolerance: float) -> float:
        """s from the motion's end until the tip stays within `tolerance` (m) of its final place; zero where it already
        does, infinite where vibrations without damping keep it outside.
        """
        value = number(tolerance, "tolerance")
        if not value > 0:
            raise ValueError(f"settling_time: tolerance is {tolerance}: expected a distance (m), more than zero")
        return self.ringing.settled_after(value)

    def stress(self, sections: int = SECTIONS, *, every: int = 1) -> DynamicStress:
        """Stresses over time in the cross sections of `arm.stress`, vibration included; of long motions every so many
        instants only.
        """
        return dynamic_stress(self.course, whole_number(sections, "'sections'", 2), whole_number(every, "'every'"))

    def section_history(self, sections: int = SECTIONS) -> SectionHistory:
        """Force and moment over time in the cross sections of `arm.stress`, vibration included; `arm.fatigue` takes it
        from here.
        """
        return section_history(self.course, whole_number(sections, "'sections'", 2))

    @cached_property
    def joint_wrenches(self) -> Mapping[str, Wrench]:
        """What the elastic motion adds to the wrench of every joint, by its name: by the parent on the child, at the
        joint's origin, in the child's joint frame, (instants, 3). It is the rate of the momentum of all that lies
        beyond; the rigid motion's own part is `arm.joint_wrenches(...)`.
        """
        course = self.course
        arm = Arm(course.arm, course.track, course.loaded)
        names = self.arm.closed_joint_names if self.arm.held_by_loops else self.arm.joint_names

        def maps(times: Floats) -> Floats:
            momenta = course.arm.joint_momenta(arm.states(times)[0][0])
            return momenta.reshape(len(times), -1, course.arm.size)

        six = applied(course, maps, accelerations(course), 6 * len(names)).reshape(-1, len(names), 6)
        return {name: Wrench(six[:, k, :3], six[:, k, 3:], axes="joint") for k, name in enumerate(names)}

    def plot(self, link: str | None = None) -> Figure:
        """A Plotly figure of a link's displacement (the tip's unless named): with vibration, and without."""
        name = self.tip if link is None else link
        return _figure(self, name)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        duration = self.end - float(self.times[0])
        after, lowest = self.times[-1] - self.end, self.frequencies.min()
        lines = [f"response of '{self.arm.name}' to a motion of {duration:.4g} s, with {after:.4g} s after it; lowest "
                 f"mode {lowest:.4g} Hz"]
        peak = self.peak
        lines += [
            f"  displacement of '{self.tip}'   at most {1e3 * peak.displacement:.4g} mm at {peak.time:.4g} s, "
            f"quasi-static {1e3 * peak.quasi_static:.4g} mm",
            f"  vibration              at most {1e3 * peak.vibration:.4g} mm at {peak.vibration_time:.4g} s",
            f"  after the end          {1e3 * self.residual:.4g} mm",
        ]
        return printable_lines("\n".join(lines))

    # How it is made

    def _histories(self, of: Callable[[str], Floats]) -> Histories:
        return Histories(self.arm.link_names, self.tip, of)

    @cached_property
    def _equilibrium_coordinates(self) -> Floats:
        return equilibrium_coordinates(self.course)

    def _small(self, link: str) -> Floats:
        key = f"small {link}"
        if key not in self._kept:
            self._kept[key] = small_deflections(self.course, self.arm.link_names.index(link), self.effects)
        return self._kept[key]

    def _equilibrium(self, link: str) -> Floats:
        if not self.course.loaded:
            return self._small(link)
        key = f"calm {link}"
        if key not in self._kept:
            more = self._equilibrium_coordinates - self.course.forces
            self._kept[key] = self._small(link) + frame_motion(self.course, self.arm.link_names.index(link), more)
        return self._kept[key]

    def _moved(self, link: str) -> Floats:
        key = f"moved {link}"
        if key not in self._kept:
            more = self.course.coordinates - self.course.forces
            self._kept[key] = self._small(link) + frame_motion(self.course, self.arm.link_names.index(link), more)
        return self._kept[key]

    @cached_property
    def ringing(self) -> RingDown:
        """The free vibration of the tip about its final place, from the motion's end on."""
        course, link = self.course, self.arm.link_names.index(self.tip)
        arm = Arm(course.arm, course.track, course.loaded)
        at_end = np.array([self.end])
        last = arm.matrices(at_end)
        damping = last.damping(course.damping)[0]
        final = np.linalg.solve(last.stiffness[0], arm.forces(at_end)[0])
        state = course.coordinates[course.motion_end] - final, course.rates[course.motion_end]
        shape = course.arm.frames_in(self.q[-1:])[0, link, :3]
        return ring_down(last.mass[0], damping, last.stiffness[0], state, shape)


def _peak(values: Floats, k: int) -> float:
    """A largest value, with a parabola through its neighbours where it lies inside."""
    if 0 < k < len(values) - 1:
        a, b, c = (float(value) for value in values[k - 1 : k + 2])
        bend = a - 2 * b + c
        if bend < 0 and abs(bend) < 0.1 * b:
            return b - (a - c) ** 2 / (8 * bend)
    return float(values[k])


def _figure(response: MotionResponse, link: str) -> Figure:
    """Components of a link's displacement in mm, world axes."""
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    moved, calm = 1e3 * response.displacement[link], 1e3 * response.quasi_static[link]
    largest = max(float(abs(moved).max()), 1e-12)
    for k, axis in enumerate("xyz"):
        if abs(moved[:, k]).max() < 1e-6 * largest:
            continue
        style = {"color": COLORS[k]}
        figure.add_trace(Scatter(x=response.times, y=moved[:, k], name=axis, mode="lines", line=style))
        figure.add_trace(Scatter(x=response.times, y=calm[:, k], name=f"{axis}, quasi-static", mode="lines",
                                 line={**style, "dash": "dot", "width": 1}))
    figure.add_vline(x=response.end, line={"color": "#5c6b78", "dash": "dash", "width": 1},
                     annotation_text="end of the motion", annotation_position="top left")
    figure.update_layout(
        title=f"Displacement of {label(link)} on {label(response.arm.name)}",
        xaxis_title="time (s)",
        yaxis_title="displacement from the rigid arm (mm)",
        template="plotly_white",
        legend={"orientation": "h", "y": -0.2},
    )
    return figure
