"""How near the drives are to their limits: a ball at every drive, grey to amber, crimson beyond; and bars."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.drawing.colors import linear, shades
from loadpath.drawing.scene import ball
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.stage import Frame, Layer, padded, write

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage


# How much of its limits a robot uses: of the position, the speed and the effort of every freedom.


PARTS = ("position", "speed", "effort")


class Bounds(NamedTuple):
    """Limits of every freedom, (n,) each; infinite where unknown."""

    middle: Floats
    half: Floats
    """Half of the range of the position, about its middle."""
    speed: Floats
    effort: Floats
    coordinate: list[int | None]
    """Where the freedom's position stands in q; none of a freedom with a quaternion."""


def bounds_of(robot: RobotModel) -> Bounds:
    """The limits of a robot."""
    middle, half = np.zeros(robot.n), np.full(robot.n, math.inf)
    speed, effort = np.full(robot.n, math.inf), np.full(robot.n, math.inf)
    coordinate: list[int | None] = [None] * robot.n
    for joint in robot.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        plain = joint.motion.coordinates == joint.motion.dof
        for k in range(joint.motion.dof):
            at = robot.v_slices[joint.name].start + k
            coordinate[at] = robot.q_slices[joint.name].start + k if plain else None
            if k >= len(joint.limits):
                continue
            limits = joint.limits[k]
            speed[at], effort[at] = limits.velocity or math.inf, limits.effort or math.inf  # 0: none is known
            if plain and math.isfinite(limits.lower) and math.isfinite(limits.upper):
                middle[at], half[at] = 0.5 * (limits.lower + limits.upper), 0.5 * (limits.upper - limits.lower)
    return Bounds(middle, half, speed, effort, coordinate)


def use_of(bounds: Bounds, frame: Frame) -> Floats:
    """(n, 3): shares of the limits of position (how far from the middle of the range), speed and effort; zero where
    there is no limit.

    >>> import loadpath as lp
    >>> from loadpath.viewer.subject import subject_of
    >>> arm = lp.catalog.planar(1).with_limits({"joint1": {"lower": -1.0, "upper": 1.0, "effort": 9.81}})
    >>> subject = subject_of(arm)
    >>> use_of(bounds_of(arm), subject.frame(subject.at([0.5]))).round(4).tolist()    # cos 0.5 of half the weight
    [[0.5, 0.0, 0.4388]]
    """
    state = frame.state
    q = np.array([0.0 if at is None else state.q[at] for at in bounds.coordinate])
    tau = np.zeros_like(state.qd) if frame.loads is None else frame.loads.tau
    parts = ((q - bounds.middle, bounds.half), (state.qd, bounds.speed), (tau, bounds.effort))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.where(limit > 0, np.abs(value) / limit, np.where(np.abs(value) > 0, np.inf, 0.0))
                  for value, limit in parts]
    return np.stack(shares, axis=-1)


EVERY, RADIUS = 0.2, 0.035
SMALLEST_BALL = 0.45
"""Of a ball that is not used at all, of its size at the limit."""


class Use(Layer):
    """Utilisation of the limits."""

    tabs = ("Use",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        robot = stage.subject.robot
        self.bounds = bounds_of(robot)
        self.rows = [k for k, joint in enumerate(robot.joints) if joint.mimic is None for _ in range(joint.motion.dof)]
        known = np.isfinite(np.stack([self.bounds.half, self.bounds.speed, self.bounds.effort])).any(axis=0)
        self.shown = np.flatnonzero(known)
        with stage.tab("Use"):
            gui = stage.server.gui
            self.balls_on = gui.add_checkbox("balls at the drives", False)
            stage.redraw_on(self.balls_on)
            self.table = gui.add_html("")
        if len(self.shown):
            body = ball(np.zeros(3), RADIUS * stage.subject.size, sides=10)
            count = len(self.shown)
            self.balls = stage.server.scene.add_batched_meshes_simple(
                f"{ROOT}/use", body.points.astype(np.float32), body.triangles, np.tile([1.0, 0, 0, 0], (count, 1)),
                np.zeros((count, 3)), batched_scales=np.ones(count, dtype=np.float32),
                batched_colors=np.zeros((count, 3), dtype=np.uint8), opacity=0.7, lod="off", cast_shadow=False,
                receive_shadow=False, visible=False,
            )
        else:
            self.table.content = padded("No limits are known of this robot's joints: "
                                        "<code>robot.with_limits</code> gives them.", 0.8)

    def draw(self, frame: Frame) -> None:
        if not len(self.shown):
            return
        shares = use_of(self.bounds, frame)[self.shown]
        self.balls.visible = bool(self.balls_on.value)
        if self.balls_on.value:
            worst = shares.max(axis=1)
            at = frame.joints[[self.rows[k] for k in self.shown], :3, 3]
            self.balls.batched_positions = at.astype(np.float32)
            scales = np.clip(SMALLEST_BALL + (1 - SMALLEST_BALL) * worst, 0.0, 1.5)
            self.balls.batched_scales = scales.astype(np.float32)
            self.balls.batched_colors = linear(shades(worst))
        if self.due(frame, EVERY):
            write(self.table, self._bars(shares))

    def _bars(self, shares: Floats) -> str:
        names = self.stage.subject.robot.dof_names
        rows = []
        for k, three in zip(self.shown, shares, strict=True):
            limits = (self.bounds.half[k], self.bounds.speed[k], self.bounds.effort[k])
            bars = "".join(_bar(word, share) for word, share, limit in zip(PARTS, three, limits, strict=True)
                           if np.isfinite(limit))
            rows.append(f"<div style='margin-top:4px'><b>{escape(names[k])}</b>{bars}</div>")
        return padded("".join(rows), 0.8)


def _bar(word: str, share: float) -> str:
    """A bar as long as the share, with the number: colour is never all that says it."""
    r, g, b = (int(v) for v in shades(share))
    width = 100 * min(share, 1.0)
    beyond = " ⚠ beyond" if share > 1 else ""
    return (
        f'<div style="display:flex;gap:6px;align-items:center"><span style="width:4.6em">{word}</span>'
        f'<span style="flex:1;height:0.6em;background:rgba(128,128,128,.2)"><span style="display:block;height:100%;'
        f'width:{width:.1f}%;background:rgb({r},{g},{b})"></span></span>'
        f'<span style="width:7em;text-align:right;white-space:nowrap">{100 * share:.0f} %{beyond}</span></div>'
    )
