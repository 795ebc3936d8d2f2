"""`robot.view()`: open the viewer."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.motions import Steering, base_components
from loadpath.printable import printable
from loadpath.states.load_case import LoadCase
from loadpath.states.reading import read_states
from loadpath.viewer import server as servers
from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.arrows import Arrows
from loadpath.viewer.layers.beam_numbers import BeamNumbers
from loadpath.viewer.layers.beams import Beams
from loadpath.viewer.layers.bodies import Bodies
from loadpath.viewer.layers.choice import LoadChoice
from loadpath.viewer.layers.ground import GroundUnderRover
from loadpath.viewer.layers.loops import Loops
from loadpath.viewer.layers.notice import Notice
from loadpath.viewer.layers.numbers import Numbers
from loadpath.viewer.layers.payload import Payload
from loadpath.viewer.layers.player import Player
from loadpath.viewer.layers.pose import Pose
from loadpath.viewer.layers.pull import Pull
from loadpath.viewer.layers.single_causes import SingleCauses
from loadpath.viewer.layers.tip import Tip
from loadpath.viewer.layers.trail import Trail
from loadpath.viewer.layers.use import Use
from loadpath.viewer.layers.verdict import VerdictOverMotion
from loadpath.viewer.playable import playable, swing
from loadpath.viewer.stage import Stage
from loadpath.viewer.state import BaseMotion
from loadpath.viewer.subject import Subject, subject_of
from loadpath.viewer.viewer import Viewer

if TYPE_CHECKING:
    from loadpath.api.robot import Robot
    from loadpath.mobile.rover import Rover
    from loadpath.motion import Motion
    from loadpath.quantities.wrench import Wrench
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import MotionLike


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
