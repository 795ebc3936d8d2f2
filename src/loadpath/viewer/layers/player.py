"""The motion: play, pause, scrub, speed, loop."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.motions import is_in_space
from loadpath.mobile.off_the_plane import OffThePlane
from loadpath.motion.motion import Motion
from loadpath.states.load_case import LoadCase, external_of
from loadpath.states.reading import as_motion
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.stage import BaseMotion, InSpace, Layer, State

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Frame, Stage
    from loadpath.viewer.subject import Subject


EVERY = 0.1
"""s: the slider of time follows no more often."""
SPEEDS = (0.05, 4.0)
"""Times as fast as it is."""


class Player(Layer):
    """What moves the robot along a motion."""

    tabs = ("Motion",)

    def __init__(self, motion: Playable | None) -> None:
        self.motion = motion
        self.playing = False
        self.position = 0.0
        """s, in the motion."""
        self._last = self._shown = 0.0

    @property
    def moves_by_itself(self) -> bool:
        return self.playing

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui = stage.server.gui
        if self.motion is None:
            return
        with stage.tab("Motion"):
            self.button = gui.add_button("Play", hint="Play or pause: key P")
            step = max(self.motion.duration / 1000, 1e-6)
            self.scrub = gui.add_slider("time (s)", 0.0, self.motion.duration, step, 0.0)
            self.speed = gui.add_slider("speed (times)", *SPEEDS, 0.05, 1.0)
            self.loop = gui.add_checkbox("loop", True)
        self.button.on_click(lambda _: self.toggle())
        self.scrub.on_update(self._scrubbed)
        gui.add_command("Play or pause", hotkey="P").on_trigger(lambda _: self.toggle())

    def toggle(self) -> None:
        """Play if it stands, else pause."""
        (self.pause if self.playing else self.play)()

    def play(self) -> None:
        """Begin to play where it stands; at the end, from the beginning."""
        if self.motion is None:
            return
        if self.position >= self.motion.duration:
            self.position = 0.0
        self.playing, self._last = True, time.monotonic()
        self.button.label = "Pause"
        position, motion = self.position, self.motion
        self.stage.change("player", lambda state: motion.at(position, state))

    def pause(self) -> None:
        """Stand still."""
        if self.playing and self.motion is not None:
            self.playing = False
            self.button.label = "Play"
            self.stage.refresh()

    def seek(self, position: float) -> None:
        """Go to a time (s)."""
        if self.motion is not None:
            self.position = min(max(position, 0.0), self.motion.duration)
            at, motion = self.position, self.motion
            self._shown = 0.0
            self.stage.change("player", lambda state: motion.at(at, state))

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:
            self.pause()
            self.seek(float(self.scrub.value))

    def advance(self, state: State) -> State:
        if not self.playing or self.motion is None:
            return state
        if state.time is None:  # somebody moved the robot by hand
            self.pause()
            return state
        now = time.monotonic()
        self.position += (now - self._last) * float(self.speed.value)
        self._last = now
        if self.position > self.motion.duration:
            if self.loop.value and self.motion.duration > 0:
                self.position %= self.motion.duration
            else:
                self.position = self.motion.duration
                self.pause()
        return self.motion.at(self.position, state)

    def draw(self, frame: Frame) -> None:
        if self.motion is None or frame.state.time is None:
            return
        now = time.monotonic()
        if now - self._shown > EVERY or not frame.plays:
            self._shown = now
            if abs(self.scrub.value - frame.state.time) > 1e-9:
                self.scrub.value = frame.state.time


# A motion as it is played: states at their times, as many a second as are shown.


FEWEST_A_SECOND = 50.0
"""Samples a second; a motion with fewer gets more between them."""
MOST_STATES = 100_000
"""Samples that are made between those of a motion."""


@dataclass(frozen=True, eq=False)
class Playable:
    """States over time."""

    t: Floats
    """(samples,), s, from 0."""
    q: Floats
    qd: Floats
    qdd: Floats
    velocity: Floats
    """(samples, 3), of a rover's base; so are its acceleration and its pose."""
    acceleration: Floats
    pose: Floats
    case: LoadCase
    """With the wrenches that the motion brings."""
    source: Any
    """The motion or simulation that it is made of."""
    run: OffThePlane | None = None
    """Where the base was a free body in it."""

    def _in_space(self, k: int) -> InSpace | None:
        """A sample of a simulation in which the base was a free body."""
        if self.run is None:
            return None
        run, free = self.run.run, self.run.run.base_state["in_space"]
        assert free is not None
        return InSpace(run.position[k], run.quaternion[k], free.rows(slice(k, k + 1)), self.run.words)

    @property
    def duration(self) -> float:
        """s."""
        return float(self.t[-1])

    def number(self, time: float) -> int:
        """The sample nearest to a time."""
        k = int(np.searchsorted(self.t, time))
        if k == 0:
            return 0
        return min(k if k < len(self.t) and self.t[k] - time < time - self.t[k - 1] else k - 1, len(self.t) - 1)

    def at(self, time: float, state: State) -> State:
        """The state at the sample nearest to a time, under the same payload and pull."""
        k = self.number(time)
        base = BaseMotion(self.velocity[k], self.acceleration[k], self.pose[k], self._in_space(k))
        moves = base.velocity.any() or base.acceleration.any() or base.pose.any() or base.in_space is not None
        base = base if moves else state.base
        external = self.case.of_states(k, (len(self.t),)).external
        return replace(
            state, q=self.q[k], qd=self.qd[k], qdd=self.qdd[k], time=float(self.t[k]), base=base, external=external
        )


def playable(subject: Subject, given: Any) -> Playable:
    """A motion, or a simulation of the robot or the rover, to play; of another robot it is refused by name.

    >>> import loadpath as lp
    >>> from loadpath.viewer.subject import subject_of
    >>> arm = lp.catalog.planar(2)
    >>> playable(subject_of(arm), lp.Motion.swing(arm, samples=11, duration=2.0)).q.shape
    (101, 2)
    """
    owner = subject.robot if subject.rover is None else subject.rover
    motion = as_motion(owner, given, "view", counts_loads=True)
    unknown = ~np.isfinite(np.concatenate([motion.q, motion.qd, motion.qdd], axis=1)).all(axis=1)
    if unknown.any():
        k = int(np.flatnonzero(unknown)[0])
        raise ValueError(f"view: sample {k} of the motion, at {motion.t[k]:.4g} s, has a NaN or an infinite number")
    base = getattr(given, "base_state", None) or {}
    acting = external_of(given)
    if not base and not acting and len(motion) < FEWEST_A_SECOND * motion.duration <= MOST_STATES:
        motion = motion.resampled(FEWEST_A_SECOND)
    case = LoadCase(external=acting).with_motion_of(motion, owner, "view")
    still = np.zeros((len(motion), 3))
    pose = getattr(given, "pose", None) if base else None
    return Playable(
        motion.t - motion.t[0], motion.q, motion.qd, motion.qdd,
        np.asarray(base.get("velocity", still), dtype=float), np.asarray(base.get("acceleration", still), dtype=float),
        still if pose is None else np.asarray(pose, dtype=float), LoadCase(case.external), given,
        OffThePlane(subject.rover, given) if subject.rover is not None and is_in_space(given) else None,
    )


def swing(subject: Subject) -> Playable | None:
    """The swing from rest to rest that a robot plays if it is given nothing else; none of one that cannot move."""
    if not subject.moving.controls:
        return None
    try:
        return playable(subject, Motion.swing(subject.robot))
    except ValueError:  # as of a chain that cannot be assembled all the way
        return None


# The trail of a link: where its origin has been.


TRAIL_POINTS, TRAIL_EVERY, TRAIL_COLOR = 1500, 0.05, (224, 142, 11)
JUMP = 0.2
"""Of the robot's size: no line is drawn over a step as long as that, as from one pose to another."""
NEAR = 1e-3
"""Of the robot's size: points nearer to the last one are left out."""


class Trail(Layer):
    """A line behind the tip."""

    tabs = ("View",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, ends = stage.server.gui, stage.subject.ends
        self.points: deque[Floats] = deque(maxlen=TRAIL_POINTS)
        self._followed = ends[0]
        self.line: Any = None
        with stage.tab("View"), gui.add_folder("Trail", expand_by_default=False):
            self.shown = gui.add_checkbox("trail", True)
            self.link = gui.add_dropdown("of link", stage.subject.robot.link_names, initial_value=ends[0])
            gui.add_button("Clear").on_click(lambda _: self.clear())
        stage.redraw_on(self.shown, self.link)

    def clear(self) -> None:
        """Begin anew."""
        self.points.clear()
        self.stage.refresh()

    def draw(self, frame: Frame) -> None:
        if self.link.value != self._followed:
            self._followed = self.link.value
            self.points.clear()
        at = frame.poses[self.stage.subject.robot.link_names.index(self._followed), :3, 3].copy()
        if not self.points or np.linalg.norm(at - self.points[-1]) > NEAR * self.stage.subject.size:
            self.points.append(at)
        shown = bool(self.shown.value) and len(self.points) > 1
        if self.line is not None:
            self.line.visible = shown
        if not shown or not self.due(frame, TRAIL_EVERY):
            return
        path = np.array(self.points, dtype=np.float32)
        segments = np.stack([path[:-1], path[1:]], axis=1)
        steps = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=-1)
        segments = segments[steps < JUMP * self.stage.subject.size]
        if not len(segments):
            return
        if self.line is None:
            self.line = self.stage.server.scene.add_line_segments(f"{ROOT}/trail", segments, TRAIL_COLOR, thickness=2.5,
                                                                 thickness_units="screen")
        else:
            self.line.points = segments
