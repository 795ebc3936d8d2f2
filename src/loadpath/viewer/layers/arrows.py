"""Arrows of force and torque at every joint, by the parent on the child; a torque has two heads."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from loadpath import html
from loadpath.drawing import colors
from loadpath.quantities.carriers import carriers
from loadpath.scalars.types import Bools, Floats
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.stage import Layer, padded, write
from loadpath.viewer.subject import CAUSES

if TYPE_CHECKING:
    from loadpath.viewer.stage import Frame, Stage


# Wrenches as arrows: which part of them is drawn, how long, and from where to where.


Component = Literal["vector", "x", "y", "z", "along the axis", "across the axis"]
COMPONENTS: tuple[Component, ...] = ("vector", "x", "y", "z", "along the axis", "across the axis")
AxesOf = Literal["world", "joint"]
AXES_OF: tuple[AxesOf, ...] = ("world", "joint")

LONGEST_ARROW = 0.3
"""Length of the longest arrow, of the robot's size."""
SHORTEST_ARROW = 0.004
"""Of the longest arrow: shorter ones are left out."""


def in_world(turns: Floats, wrenches: Floats) -> Floats:
    """(joints, 2, 3): force and torque of wrenches (joints, 6) in joint axes, in world axes.

    >>> in_world(np.array([[[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]]), np.array([[1.0, 0, 0, 0, 0, 2]])).tolist()
    [[[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]]
    """
    found: Floats = np.einsum("jab,jkb->jka", turns, wrenches.reshape(-1, 2, 3))
    return found


def part_of(vectors: Floats, component: Component, axes: AxesOf, turns: Floats, along: Floats) -> Floats:
    """(joints, 2, 3), world axes: a part of forces and torques (joints, 2, 3) in world axes. x, y and z are those of
    the world, or of each joint; `along` (joints, 3) are the joints' axes in joint axes, zero where there is none.

    >>> v = np.array([[[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]]])
    >>> part_of(v, "y", "world", np.eye(3)[None], np.zeros((1, 3)))[0, 0].tolist()
    [0.0, 2.0, 0.0]
    """
    if component == "vector":
        return vectors
    if component in ("x", "y", "z"):
        k = "xyz".index(component)
        direction = np.broadcast_to(np.eye(3)[k], (len(vectors), 3)) if axes == "world" else turns[:, :, k]
        has_axis: Bools = np.ones(len(vectors), dtype=bool)
    else:
        direction = np.einsum("jab,jb->ja", turns, along)
        has_axis = np.asarray(along.any(axis=1))
    found = np.einsum("jkb,jb->jk", vectors, direction)[..., None] * direction[:, None, :]
    if component == "across the axis":
        found = np.where(has_axis[:, None, None], vectors - found, 0.0)
    return np.asarray(found)


@dataclass
class ArrowScale:
    """How long an arrow is: the longest so far has the length `longest` (m)."""

    longest: float
    largest: float = 0.0
    """N or N m."""

    def see(self, vectors: Floats) -> None:
        """Take in what is to be drawn."""
        self.largest = max(self.largest, float(np.linalg.norm(vectors, axis=-1).max(initial=0.0)))

    @property
    def factor(self) -> float:
        """m for each N or N m."""
        return self.longest / self.largest if self.largest > 0 else 0.0


def arrows(origins: Floats, vectors: Floats, scale: ArrowScale, heads: int, head: float) -> Floats:
    """(arrows, 2, 3): starts and tips, those too short to be seen left out. A torque has two heads, one behind the
    other by 0.8 of the length of a head: an arrow within the arrow.

    >>> arrows(np.zeros((1, 3)), np.array([[0.0, 0.0, 10.0]]), ArrowScale(1.0, 10.0), 2, 0.25).tolist()
    [[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.8]]]
    """
    length = np.linalg.norm(vectors, axis=-1)
    shown = length > SHORTEST_ARROW * scale.largest if scale.largest > 0 else np.zeros(len(length), dtype=bool)
    start, along = origins[shown], vectors[shown] * scale.factor
    found = [np.stack([start, start + along], axis=1)]
    if heads > 1:
        back = 0.8 * head * vectors[shown] / length[shown, None]
        found.append(np.stack([start, start + along - back], axis=1))
    return np.concatenate(found)


# Which loads are shown: of which joint, what of them, by which cause, in whose axes.


ALL, TOTAL, EACH = "all joints", "total", "every cause"
BOTH, FORCE, TORQUE, NEITHER = "force and torque", "force", "torque", "nothing"


class LoadChoice(Layer):
    """The choosers of what is drawn of the loads; other layers read them."""

    tabs = ("Loads",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui = stage.server.gui
        names = stage.subject.robot.closed_joint_names
        moving = [joint.name for joint in stage.subject.robot.joints if joint.motion.dof]
        with stage.tab("Loads"):
            self.joint = gui.add_dropdown("joint", (ALL, *names), initial_value=ALL)
            self.quantity = gui.add_dropdown("arrows of", (BOTH, FORCE, TORQUE, NEITHER), initial_value=BOTH)
            self.cause = gui.add_dropdown("cause", (TOTAL, EACH, *CAUSES), initial_value=TOTAL)
            self.component = gui.add_dropdown("component", COMPONENTS, initial_value=COMPONENTS[0])
            self.axes = gui.add_dropdown("axes", AXES_OF, initial_value=AXES_OF[0],
                                         hint="of x, y and z here and in the table")
        self.first = moving[0] if moving else (names[0] if names else "")
        stage.redraw_on(self.joint, self.quantity, self.cause, self.component, self.axes)

    @property
    def quantities(self) -> tuple[str, ...]:
        """What is drawn: force, torque, both or nothing."""
        chosen = self.quantity.value
        return (FORCE, TORQUE) if chosen == BOTH else (chosen,) if chosen in (FORCE, TORQUE) else ()

    @property
    def selected(self) -> str:
        """The joint whose numbers are shown: the one chosen, else the first that moves."""
        return self.first if self.joint.value == ALL else str(self.joint.value)


HEAD, SMALL = 0.045, 0.3
"""Length of a head, of the robot's size; of that, the heads of short arrows."""
UNITS = {FORCE: "N", TORQUE: "N m"}
OF_TOTAL = {FORCE: colors.FORCE, TORQUE: colors.TORQUE}


class Arrows(Layer):
    """The arrows of the loads that are chosen."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self.names = stage.subject.robot.closed_joint_names
        along = [carrier.motion.axis_direction() for carrier in carriers(stage.subject.robot)]
        self.along: Floats = np.array([(0.0, 0.0, 0.0) if one is None else one for one in along]).reshape(-1, 3)
        self.handles: dict[tuple[str, str, bool], Any] = {}
        self.drawn: dict[tuple[str, str], Floats] = {}
        """(arrows, 2, 3) by quantity and cause: what the browser shows, before it is rounded to single precision."""
        with stage.tab("Loads"):
            gui = stage.server.gui
            self.length = gui.add_slider("length of arrows", 0.1, 4.0, 0.1, 1.0)
            self.length.on_update(lambda _: self.fit())
            button = gui.add_button("Fit arrows", hint="The largest load shown gets the longest arrow.")
            button.on_click(lambda _: self.fit())
            self.legend = gui.add_html("")
        self.fit(draw=False)

    def fit(self, draw: bool = True) -> None:
        """Scale anew from what is shown."""
        longest = LONGEST_ARROW * self.stage.subject.size * float(self.length.value)
        self.scales = {FORCE: ArrowScale(longest), TORQUE: ArrowScale(longest)}
        if draw:
            self.stage.refresh()

    def draw(self, frame: Frame) -> None:
        wanted = {} if frame.loads is None or not self.names else self._vectors(frame)
        for (quantity, _), vectors in wanted.items():
            self.scales[quantity].see(vectors)
        head, origins = HEAD * self.stage.subject.size, frame.joints[self._rows(), :3, 3]
        self.drawn = {key: arrows(origins, vectors, self.scales[key[0]], 2 if key[0] == TORQUE else 1, head)
                      for key, vectors in wanted.items()}
        for key, handle in self.handles.items():
            handle.visible = key[:2] in self.drawn
        for (quantity, cause), points in self.drawn.items():
            length = np.linalg.norm(points[:, 1] - points[:, 0], axis=-1)
            for small in (False, True):
                some = points[(length < 2 * head) == small]
                self._show(quantity, cause, small, some)
        self._draw_legend(wanted)

    def _rows(self) -> list[int]:
        chosen = self.choice.joint.value
        return list(range(len(self.names))) if chosen == ALL else [self.names.index(chosen)]

    def _vectors(self, frame: Frame) -> dict[tuple[str, str], Floats]:
        """(joints, 3) in world axes, by quantity and cause."""
        assert frame.loads is not None
        rows, cause = self._rows(), self.choice.cause.value
        turns, along = frame.joints[rows, :3, :3], self.along[rows]
        by_cause = frame.loads.by_cause
        if cause == TOTAL:
            wrenches = {TOTAL: frame.loads.total}
        elif cause == EACH:
            wrenches = dict(by_cause)
        else:
            wrenches = {cause: by_cause[cause]} if cause in by_cause else {}
        found = {}
        for name, wrench in wrenches.items():
            shown = part_of(in_world(turns, wrench[rows]), self.choice.component.value, self.choice.axes.value, turns,
                            along)
            for quantity in self.choice.quantities:
                found[quantity, name] = shown[:, (FORCE, TORQUE).index(quantity)]
        return found

    def _show(self, quantity: str, cause: str, small: bool, points: Floats) -> None:
        key = (quantity, cause, small)
        if key in self.handles:
            handle = self.handles[key]
            handle.visible = len(points) > 0
            if len(points):
                handle.points = points.astype(np.float32)
        elif len(points):
            size = self.stage.subject.size * (SMALL if small else 1.0)
            color = OF_TOTAL[quantity] if cause == TOTAL else colors.OF_CAUSES[cause]
            self.handles[key] = self.stage.server.scene.add_arrows(
                f"{ROOT}/loads/{quantity}/{cause}/{'short' if small else 'long'}", points.astype(np.float32),
                colors.linear(colors.rgb(color)), shaft_radius=0.007 * size, head_radius=0.018 * size,
                head_length=HEAD * size,
            )

    def _draw_legend(self, wanted: dict[tuple[str, str], Floats]) -> None:
        causes = list(dict.fromkeys(cause for _, cause in wanted))
        lines = []
        for quantity in self.choice.quantities:
            scale = self.scales[quantity]
            heads = "➤" if quantity == FORCE else "➤➤"
            color = f"color:{OF_TOTAL[quantity]}" if causes == [TOTAL] else ""
            words = f"100 mm is {0.1 / scale.factor:.3g} {UNITS[quantity]}" if scale.factor else "none"
            lines.append(f'<span style="{color}">{heads} {quantity}</span>: {words}')
        if causes != [TOTAL]:
            lines += [f'<span style="color:{colors.OF_CAUSES[cause]}">■</span> {escape(cause)}' for cause in causes]
        write(self.legend, padded("<br>".join(lines)))


# The numbers of one joint: its wrench by cause in a table, and beside it in the scene what it carries in all.


EVERY = 0.15
"""s: people read no faster."""
HEADS = [html.Markup(f"{letter}<sub>{axis}</sub>") for letter in "FM" for axis in "xyz"]


class Numbers(Layer):
    """The wrench of the chosen joint by cause."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self.names = stage.subject.robot.closed_joint_names
        with stage.tab("Loads"):
            self.table = stage.server.gui.add_html("")
        self.label = stage.server.scene.add_label(f"{ROOT}/number", "", visible=False, anchor="bottom-left")

    def draw(self, frame: Frame) -> None:
        self.label.visible = self.choice.joint.value != ALL and frame.loads is not None
        if not self.names or frame.loads is None:
            return
        row = self.names.index(self.choice.selected)
        if self.label.visible:
            self.label.position = frame.joints[row, :3, 3]
        if not self.due(frame, EVERY):
            return
        parts = {cause: self._in_axes(frame, row, frame.loads.by_cause[cause][row])
                 for cause in CAUSES if cause in frame.loads.by_cause}
        total = np.asarray(sum(parts.values()))
        drive = self._drive(frame)
        write(self.table, table(self.choice.selected, self.choice.axes.value, parts, total, drive))
        if self.label.visible:
            force, torque = np.linalg.norm(total[:3]), np.linalg.norm(total[3:])
            words = f"{self.choice.selected}: {force:.4g} N, {torque:.4g} N m"
            if self.label.text != words:
                self.label.text = words

    def _in_axes(self, frame: Frame, row: int, wrench: Floats) -> Floats:
        if self.choice.axes.value == "joint":
            return wrench
        return in_world(frame.joints[[row], :3, :3], wrench[None]).reshape(6)

    def _drive(self, frame: Frame) -> str:
        """What the drives of the joint give, in words."""
        robot = self.stage.subject.robot
        place = robot.v_slices.get(self.choice.selected)
        if place is None or frame.loads is None:
            return ""
        turns = next(j.motion.angular for j in robot.joints if j.name == self.choice.selected)
        values = [f"{0.0 if abs(value) < 1e-9 else value:.4g} {'N m' if angular else 'N'}"
                  for value, angular in zip(frame.loads.tau[place], turns, strict=False)]
        return f"drive: {', '.join(values)}"


def table(joint: str, axes: str, parts: dict[str, Floats], total: Floats, drive: str) -> str:
    """HTML: the rows are causes, the columns components.

    >>> "9.81" in table("joint1", "world", {"gravity": np.array([0, 0, 9.81, 0, 0, 0])}, np.zeros(6), "")
    True
    """
    rows = [[html.marked(cause, colors.OF_CAUSES.get(cause)), *map(number, values)] for cause, values in parts.items()]
    rows.append([html.Markup(f"<b>{text}</b>") for text in ("total", *map(number, total))])
    words = f"<br>{escape(drive)}" if drive else ""
    title = f"<b>{escape(joint)}</b>, N and N m by the parent on the child, {axes} axes{words}"
    return html.table(html.Markup(title), ["cause", *HEADS], rows, look=html.PANEL)


def number(value: float) -> str:
    """Three digits or four, without an exponent where one can be done without.

    >>> number(1234.56), number(0.012345), number(1e-14)
    ('1235', '0.0123', '0')
    """
    if abs(value) < 1e-9:
        return "0"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


# The single causes of the chosen joint's load: which link weighs, which joint accelerates, which two turn at once.


SHOWN = 8


class SingleCauses(Layer):
    """The largest terms of `load_breakdown`, of a robot that stands or a motion that is paused."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        with stage.tab("Loads"):
            hint = "Which links, joints and pairs of joints; of a motion, when it is paused."
            self.shown = stage.server.gui.add_checkbox("single causes", False, hint=hint)
            self.list = stage.server.gui.add_html("", visible=False)
        stage.redraw_on(self.shown)

    def draw(self, frame: Frame) -> None:
        self.list.visible = bool(self.shown.value) and not frame.plays and frame.loads is not None
        if self.list.visible:
            joint = self.choice.selected
            try:
                found = self.terms(frame, joint)
                more = f"{len(found) - SHOWN} more" if len(found) > SHOWN else ""
            except ValueError as refused:  # as of loops with beams
                found, more = [], escape(str(refused))
            lines = "".join(_line(name, six) for name, six in found[:SHOWN])
            write(self.list, padded(f'<b>{escape(joint)}</b>, by torque<table style="width:100%">{lines}</table>{more}',
                                    0.72))

    def terms(self, frame: Frame, joint: str) -> list[tuple[str, Floats]]:
        """Causes and their wrenches (6,), the largest torque first; of equal ones the larger force."""
        state = frame.state
        options: dict[str, Any] = dict(self.stage.subject.case(state.base))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.stage.subject.robot.load_breakdown(
                state.q, state.qd, state.qdd, external=frame.acting or None, compiled=False, **options
            )
        terms = []
        for name, wrench in found.by_cause(joint).items():
            terms.append((name, np.concatenate([np.asarray(wrench.force), np.asarray(wrench.torque)])))
        return sorted(terms, key=lambda term: (-np.linalg.norm(term[1][3:]), -np.linalg.norm(term[1][:3])))


def _line(name: str, six: Floats) -> str:
    force, torque = (number(float(np.linalg.norm(part))) for part in (six[:3], six[3:]))
    return (f"<tr><td>{escape(name)}</td><td style='text-align:right'>{force} N</td>"
            f"<td style='text-align:right'>{torque} N m</td></tr>")
