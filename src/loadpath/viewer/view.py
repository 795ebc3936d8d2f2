"""`robot.view()`: open the viewer."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from loadpath.mobile.motions import Steering, base_components
from loadpath.printable import printable
from loadpath.progress import each
from loadpath.states.load_case import LoadCase
from loadpath.states.reading import read_states
from loadpath.viewer import server as servers
from loadpath.viewer.layers.arrows import Arrows, LoadChoice, Numbers, SingleCauses
from loadpath.viewer.layers.beams import BeamNumbers, Beams
from loadpath.viewer.layers.bodies import Bodies, Loops
from loadpath.viewer.layers.ground import GroundUnderRover
from loadpath.viewer.layers.player import Player, Trail, playable, swing
from loadpath.viewer.layers.pose import Pose, Tip
from loadpath.viewer.layers.pull import Payload, Pull
from loadpath.viewer.layers.use import Use
from loadpath.viewer.layers.verdict import Notice, VerdictOverMotion
from loadpath.viewer.recording import recorded
from loadpath.viewer.stage import BaseMotion, Layer, Stage
from loadpath.viewer.subject import Subject, stopped, subject_of
from loadpath.whole_file import check_ending, check_writable, write_whole

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from types import TracebackType

    from loadpath.api.robot import Robot
    from loadpath.mobile.rover import Rover
    from loadpath.motion import Motion
    from loadpath.quantities.wrench import Wrench
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import MotionLike
    from loadpath.viewer.stage import Frame


MOST_PICTURES = 20_000
"""Pictures of a recording."""


def record(stage: Stage, player: Player, path: str | PathLike[str], rate: float) -> Path:
    """Write the motion, or the state if there is no motion."""
    check_ending(path, (".html", ".htm"), "a recording")
    target = check_writable(path)
    if not 1.0 <= rate <= 120.0:
        raise ValueError(f"rate is {rate}: expected pictures a second, from 1 to 120")
    duration = 0.0 if player.motion is None else player.motion.duration
    count = int(duration * rate) + 1
    if count > MOST_PICTURES:
        raise ValueError(f"{count} pictures, {duration:.4g} s at {rate:g} a second: expected at most {MOST_PICTURES}; "
                         "record with a lower rate, or a part of the motion (motion.between)")
    player.pause()
    with stage.alone():
        before, subject = stage.state, stage.subject
        times = np.arange(count) / rate
        states = [before] if player.motion is None else [player.motion.at(float(t), before) for t in times]
        frames = [subject.frame(states[k]) for k in each(range(len(states)))]
        text = recorded(stage, frames, times[: len(frames)]).encode()
    write_whole(target, lambda file: file.write(text))
    return target


# What `robot.view()` returns: the address, and ways to move, play, record and end.


class Viewer:
    """A robot in the browser. It goes on in threads of its own until `stop`, the end of a `with` block, or of Python.

    >>> import loadpath as lp
    >>> with lp.catalog.planar(2).view(open_browser=False) as viewer:
    ...     viewer.set([0.3, -0.5])
    ...     viewer.url.startswith("http://127.0.0.1:"), viewer.q.tolist()
    (True, [0.3, -0.5])
    """

    def __init__(self, stage: Stage, player: Player, url: str) -> None:
        self._stage, self._player, self._url = stage, player, url
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return self._url

    @property
    def running(self) -> bool:
        """Whether it has not been stopped."""
        return not self._ended.is_set()

    @property
    def frame(self) -> Frame:
        """What is shown: the state, poses of the links, and every joint's wrench by cause."""
        assert self._stage.frame is not None
        return self._stage.frame

    @property
    def q(self) -> Floats:
        """(nq,): coordinates that are shown."""
        return self.frame.state.q.copy()

    def set(self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> None:
        """Show a state, at rest unless speeds and accelerations are given; returns when it is drawn."""
        self._check_running()
        robot = self._stage.subject.robot
        given = read_states(robot, q, qd, qdd, caller="set", at_rest=True)
        states = [np.array(part, dtype=float) for part in given[:3]]
        for part, values, size in zip(("q", "qd", "qdd"), states, (robot.nq, robot.n, robot.n), strict=True):
            if values.shape != (size,):
                raise ValueError(f"set: '{part}' has the shape {values.shape}: expected ({size},), one state")
            if not np.isfinite(values).all():
                raise ValueError(f"set: '{part}' has a NaN or an infinite number")
        q_, qd_, qdd_ = states
        self._player.pause()
        self._stage.show(lambda state: replace(stopped(state, q_), qd=qd_, qdd=qdd_))

    def play(self) -> None:
        """Play the motion, from where it stands."""
        self._check_running()
        self._player.play()

    def pause(self) -> None:
        """Let the motion stand."""
        self._player.pause()

    def seek(self, time: float) -> None:
        """Show the motion at a time (s); returns when it is drawn."""
        self._check_running()
        self._player.pause()
        self._player.seek(float(time))
        self._stage.show(lambda state: state)

    def record(self, path: str | PathLike[str], *, rate: float = 30.0) -> Path:
        """Write the motion as one HTML file that plays without a network, with play, pause, time, speed and the arrows
        of every cause: to open by a double click, to send by mail. `rate` is in pictures a second.
        """
        self._check_running()
        return record(self._stage, self._player, path, rate)

    def stop(self) -> None:
        """End it; the page in the browser stays as it is."""
        if not self._ended.is_set():
            self._ended.set()
            self._player.pause()
            self._stage.stop()
            servers.stop(self._stage.server)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is stopped, as a program does that shows nothing else; whether it was."""
        return self._ended.wait(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _check_running(self) -> None:
        if not self.running:
            raise RuntimeError("the viewer has been stopped: robot.view() begins another one")

    def _repr_html_(self) -> str:
        if not self.running:
            return "<p>This viewer has been stopped.</p>"
        return (f'<iframe src="{escape(self.url)}" style="width:100%;height:640px;border:1px solid '
                f'rgba(128,128,128,.4)" title="{escape(self._stage.subject.name)}"></iframe>')

    def __repr__(self) -> str:
        where = self.url if self.running else "stopped"
        return f"<viewer of '{self._stage.subject.name}': {where}>"

    # For tests and for what is not offered here

    @property
    def stage(self) -> Stage:
        """The thread that draws, its layers and viser's server: not part of what stays as it is between versions."""
        return self._stage


def view(
    robot: Robot | Rover,
    q: ArrayLike | None = None,
    *,
    motion: Motion | MotionLike | None = None,
    external: Mapping[str, Wrench] | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    heading: float = 0.0,
    steering: Steering = None,
    hours: float | None = None,
    meshes: bool = True,
    host: str = "127.0.0.1",
    port: int = servers.PORT,
    open_browser: bool | None = None,
) -> Viewer:
    """The robot in the browser, with sliders, its motion and its loads; see the page on the viewer.

    `q` (nq,) is where it begins; `motion` an `lp.Motion` or a simulation to play, without one a swing. `external` are
    wrenches on links, as in `inverse_dynamics`; `velocity`, `acceleration` and `heading` are those of a rover's base;
    `steering` of its wheels and `hours`, the life that is required, are for its verdict.
    `meshes=False` draws links from the kinematics though they have shapes. The page is served to this machine only,
    unless `host` is another address of it; a `port` that is taken makes it the next one. `open_browser`: by default
    where there is a display. Python goes on meanwhile; `viewer.stop()` ends it. Needs `pip install 'loadpath[viewer]'`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> viewer = arm.view(motion=lp.Motion.swing(arm, duration=2.0), open_browser=False)
    >>> viewer.seek(1.0)
    >>> round(viewer.frame.state.time, 3), sorted(viewer.frame.loads.by_cause)
    (1.0, ['centrifugal', 'coriolis', 'gravity', 'inertial'])
    >>> viewer.stop()
    """
    subject = subject_of(robot)
    start = replace(_start(subject, q), always=LoadCase(external).external,
                    base=_base(subject, velocity, acceleration, heading))
    played = swing(subject) if motion is None else playable(subject, motion)
    subject.frame(start)  # compiles, and refuses what cannot be shown, before a server is there
    server, url = servers.start(host, port, printable(subject.name))
    try:
        stage = Stage(subject, server, start)
        player = Player(played)
        _furnish(server, subject)
        asked = {"hours": hours, "velocity": velocity, "acceleration": acceleration, "heading": heading or None,
                 "steering": steering}
        stage.begin(_layers(subject, player, meshes, {k: value for k, value in asked.items() if value is not None}))
    except BaseException:
        servers.stop(server)
        raise
    if servers.has_display() if open_browser is None else open_browser:
        webbrowser.open(url)
    return Viewer(stage, player, url)


def _layers(subject: Subject, player: Player, meshes: bool, asked: Mapping[str, Any]) -> list[Layer]:
    """What is drawn of a subject; the order is that of the controls. `asked` are keywords of its verdict."""
    choice = LoadChoice()
    found: list[Layer] = [Notice(), Pose(), Tip(), player, Bodies(meshes), choice, Arrows(choice), Numbers(choice)]
    if subject.rover is not None:
        found.append(GroundUnderRover(subject.rover))
    if subject.arm is not None:
        found.append(Beams(subject.arm))
    if subject.closed_arm is not None:
        found.append(BeamNumbers(subject.closed_arm))
    if subject.robot.loops:
        found.append(Loops())
    return [*found, SingleCauses(choice), Payload(), Pull(), Use(), VerdictOverMotion(player, asked), Trail()]


def _start(subject: Subject, q: Any) -> Any:
    if q is None:
        return subject.at(subject.moving.home)
    given: Floats = np.array(read_states(subject.robot, q, caller="view", at_rest=True).q, dtype=float)
    if given.shape != (subject.robot.nq,):
        raise ValueError(f"view: 'q' has the shape {given.shape}: expected ({subject.robot.nq},), one state; motion= "
                         "takes a motion")
    if not np.isfinite(given).all():
        raise ValueError("view: 'q' has a NaN or an infinite number")
    return subject.at(given)


def _base(subject: Subject, velocity: Any, acceleration: Any, heading: float) -> BaseMotion:
    """How a rover's base moves at the start."""
    if subject.rover is None:
        given = {"velocity": velocity, "acceleration": acceleration, "heading": heading or None}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"view: '{name}' is of a rover's base, and '{subject.name}' is a robot: leave it out")
        return BaseMotion()
    parts = [np.zeros(3) if value is None else base_components(value, name)
             for name, value in (("velocity", velocity), ("acceleration", acceleration))]
    for name, part in zip(("velocity", "acceleration"), parts, strict=True):
        if part.shape != (3,) or not np.isfinite(part).all():
            raise ValueError(f"view: '{name}' is {part.tolist()}: expected (v, w) or (v_x, v_y, w), of one instant")
    return BaseMotion(parts[0], parts[1], np.array([0.0, 0.0, float(heading)]))


def _furnish(server: Any, subject: Subject) -> None:
    """Ground, light and camera, for the size of the robot."""
    size = subject.size
    poses = np.asarray(subject.robot.link_poses(subject.moving.home), dtype=float)[:, :3, 3]
    if subject.rover is not None:
        wheels = np.array([wheel.position for wheel in subject.rover.base.wheels], dtype=float)
        poses = np.concatenate([poses, np.pad(wheels, ((0, 0), (0, 1)))])
    middle = 0.5 * (poses.min(axis=0) + poses.max(axis=0))
    cell = 10.0 ** np.floor(np.log10(size)) / 2
    low = min(0.0, float(poses[:, 2].min()))
    server.scene.add_grid("/ground", width=6 * size, height=6 * size, cell_size=cell, section_size=5 * cell,
                          cell_color=(225, 229, 233), section_color=(200, 206, 212), position=(0.0, 0.0, low),
                          shadow_opacity=0.0)
    # The lights that are there by default bleach the colours of causes.
    server.scene.configure_default_lights(enabled=False)
    server.scene.add_light_ambient("/lights/all_around", intensity=0.55)
    server.scene.add_light_directional("/lights/sun", intensity=1.0, position=(2.0, -3.0, 4.0))
    server.initial_camera.look_at = tuple(middle)
    server.initial_camera.position = tuple(middle + size * np.array([1.25, -1.6, 0.8]))
    server.initial_camera.fov = 0.75
    server.initial_camera.near = 0.002 * size
    server.initial_camera.far = 100.0 * size
