"""The stage: one thread that computes and draws, whatever is asked of it from others.

Sliders, gizmos and the player ask for changes; each replaces what the same one asked before and the stage has not yet
done. So a storm of a hundred values from a slider is one picture: the latest. Only this thread touches the scene.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Floats
from loadpath.simulate.base_state import FreeBase

if TYPE_CHECKING:
    from loadpath.viewer.subject import Subject


# What a picture is of: one instant of a robot, and what is computed for it.


@dataclass(frozen=True)
class Pull:
    """A force on the origin of a link, world axes (N)."""

    link: str
    force: Floats


@dataclass(frozen=True)
class Load:
    """A mass (kg) at the origin of a link."""

    link: str
    mass: float


@dataclass(frozen=True)
class BaseMotion:
    """How a rover's base moves: (v_x, v_y, w) and their rates, in its own axes; where it is, (x, y, heading)."""

    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    acceleration: Floats = field(default_factory=lambda: np.zeros(3))
    pose: Floats = field(default_factory=lambda: np.zeros(3))
    in_space: InSpace | None = None


@dataclass(frozen=True, eq=False)
class InSpace:
    """A base that was a free body in a simulation, at one instant."""

    position: Floats
    """(3,), m, in the frame of the ground."""
    quaternion: Floats
    """(4,): x, y, z, w."""
    free: FreeBase
    """One sample: how it moved, and the forces of the ground."""
    words: str
    """What became of it."""


@dataclass(frozen=True)
class State:
    """One instant: coordinates, speeds, accelerations, and what loads the robot besides."""

    q: Floats
    qd: Floats
    qdd: Floats
    time: float | None = None
    """s, in a motion."""
    payload: Load | None = None
    pull: Pull | None = None
    external: Mapping[str, Wrench] | None = None
    """Wrenches that the motion brings: of a simulation, and of loads that it picks up."""
    always: Mapping[str, Wrench] | None = None
    """Wrenches that act in every state."""
    base: BaseMotion = field(default_factory=BaseMotion)

    @property
    def wrenches(self) -> dict[str, Wrench]:
        """All wrenches from outside, but for payload and pull."""
        found = dict(self.always or {})
        for link, wrench in (self.external or {}).items():
            found[link] = found[link] + wrench if link in found else wrench
        return found

    @property
    def moves(self) -> bool:
        """Whether anything but gravity, payload and pull makes loads."""
        return bool(self.qd.any() or self.qdd.any())


@dataclass(frozen=True)
class Loads:
    """What every joint carries, by cause."""

    by_cause: Mapping[str, Floats]
    """(joints, 6) each: force and torque by the parent on the child, at the joint's origin, in the child's joint frame,
    as `robot.joint_wrenches` has them. They sum to its total."""
    tau: Floats
    """(n,): forces and torques of the drives, friction and rotors included."""
    of_payload: Floats | None = None
    """(3,), N: what the payload exerts on its link, in the axes of the link."""

    @property
    def total(self) -> Floats:
        """(joints, 6)."""
        return np.asarray(sum(self.by_cause.values()))


@dataclass(frozen=True)
class Frame:
    """All that is drawn of one instant."""

    state: State
    poses: Floats
    """(links, 4, 4): of the links, in the robot's world."""
    joints: Floats
    """(joints, 4, 4): of the children's joint frames; of loops those on their second links."""
    loads: Loads | None
    """None where they are not known, as at a dead point."""
    acting: Mapping[str, Wrench]
    """Payload, pull and the wrenches of the motion, on their links, in world axes: for what takes them as external."""
    clock: float = 0.0
    """s, for what moves by itself."""
    plays: bool = False
    """Whether others follow at once, so that what people read need not be written anew in each."""


Change = Callable[[State], State]
TABS = ("Pose", "Motion", "Loads", "Ground", "Beams", "Use", "View")
"""In the order of the panel; those that no layer asks for are left out."""
RATE = 60.0
"""Pictures a second, of a motion that plays."""


class Stage:
    """The state that is shown, and the thread that shows it."""

    def __init__(self, subject: Subject, server: Any, start: State) -> None:
        self.subject, self.server = subject, server
        self.start = start
        self.layers: list[Layer] = []
        self.state = start
        self.frame: Frame | None = None
        self.problem: Exception | None = None
        self._changes: dict[str, Change] = {}
        self._asked = self._done = 0
        self._wake = threading.Condition()
        self._drawing = threading.RLock()
        self._tabs: dict[str, Any] = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="loadpath viewer", daemon=True)

    # What layers and users ask for, from any thread

    def change(self, by: str, change: Change) -> int:
        """Ask for another state; it takes the place of what `by` asked before, if that is not yet drawn."""
        with self._wake:
            self._changes.pop(by, None)
            self._changes[by] = change
            self._asked += 1
            self._wake.notify_all()
            return self._asked

    def refresh(self) -> int:
        """Ask for the same state to be drawn again, as after a choice."""
        return self.change("refresh", lambda state: state)

    def show(self, change: Change, timeout: float = 60.0) -> Frame:
        """Ask for another state and wait until it is drawn; what goes wrong is raised here."""
        number = self.change("user", change)
        with self._wake:
            if not self._wake.wait_for(lambda: self._done >= number or self._stopped, timeout):
                raise TimeoutError(f"the viewer did not draw within {timeout:g} s")
            problem, frame = self.problem, self.frame
        if problem is not None:
            raise problem
        if frame is None:
            raise RuntimeError("the viewer has been stopped")
        return frame

    def redraw_on(self, *choosers: Any) -> None:
        """Draw again whenever one of these controls changes."""
        for chooser in choosers:
            chooser.on_update(lambda _: self.refresh())

    @contextlib.contextmanager
    def tab(self, name: str) -> Iterator[None]:
        """Where controls of this kind are put."""
        with self._tabs[name]:
            yield

    # The thread

    def begin(self, layers: list[Layer]) -> None:
        """Build the layers, draw the first picture, and go on in a thread of its own."""
        self.layers = layers
        wanted = {tab for layer in layers for tab in layer.tabs}
        for layer in layers:
            if not layer.tabs:
                layer.build(self)
        group = self.server.gui.add_tab_group()
        self._tabs = {tab: group.add_tab(tab) for tab in TABS if tab in wanted}
        for layer in [layer for layer in layers if layer.tabs]:
            layer.build(self)
        self.draw(self.state)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def draw(self, state: State) -> Frame:
        """Compute a state and draw it in all layers, at once for the browser."""
        with self._drawing:
            plays = any(layer.moves_by_itself for layer in self.layers)
            frame = self.subject.frame(state, time.monotonic(), plays)
            with self.server.atomic():
                for layer in self.layers:
                    layer.draw(frame)
            self.state, self.frame = state, frame
        return frame

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nothing else is drawn meanwhile."""
        with self._drawing:
            yield

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            with self._wake:
                moving = any(layer.moves_by_itself for layer in self.layers)
                pause = max(0.0, due - time.monotonic()) if moving else None
                self._wake.wait_for(lambda: bool(self._changes) or self._stopped, pause)
                if self._stopped:
                    return
                changes, self._changes = list(self._changes.values()), {}
                number = self._asked
            due = max(due + 1.0 / RATE, time.monotonic())
            self._step(changes)
            with self._wake:
                self._done = number
                self._wake.notify_all()

    def _step(self, changes: list[Change]) -> None:
        try:
            state = self.state
            for change in changes:
                state = change(state)
            for layer in self.layers:
                state = layer.advance(state)
            self.draw(state)
            self.problem = None
        except Exception as problem:  # one picture that cannot be drawn does not end the viewer
            self.problem = problem
            for layer in self.layers:
                layer.fail(problem)


# What a layer is: one thing that is drawn, with its controls.


class Layer:
    """One thing that is drawn."""

    stage: Stage
    tabs: tuple[str, ...] = ()
    """Where its controls are; none: above the tabs."""

    drawn_at: float = -math.inf
    """s, of the clock: when it was last `due`."""

    @property
    def moves_by_itself(self) -> bool:
        """Whether it changes with the clock, as a motion that plays does."""
        return False

    def build(self, stage: Stage) -> None:
        """Put its nodes into the scene and its controls into the panel."""
        self.stage = stage

    def advance(self, state: State) -> State:
        """The state as the clock changes it."""
        return state

    def draw(self, frame: Frame) -> None:
        """Show an instant."""

    def fail(self, problem: Exception) -> None:
        """Show that an instant could not be drawn."""

    def due(self, frame: Frame, every: float) -> bool:
        """Whether it is time to draw again what changes no more often than so (s) while others follow at once."""
        now = time.monotonic()
        if frame.plays and now - self.drawn_at < every:
            return False
        self.drawn_at = now
        return True


def write(control: Any, text: str) -> None:
    """Put HTML into a control of the panel, if it does not say so already."""
    if control.content != text:
        control.content = text


def padded(text: str, size: float = 0.85) -> str:
    """HTML within the panel, in letters of a size.

    >>> padded("one")
    '<div style="font-size:0.85em;padding:0 0.75em">one</div>'
    """
    return f'<div style="font-size:{size:g}em;padding:0 0.75em">{text}</div>'
