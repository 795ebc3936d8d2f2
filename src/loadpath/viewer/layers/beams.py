"""A flexible arm: its beams bent under the loads, drawn larger than they bend and coloured by stress, or vibrating in
one of their modes.
"""

from __future__ import annotations

import math
import warnings
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.drawing.colors import JOINT, rgb, shades
from loadpath.structure.arm_lines import ArmShape, deflected, magnification_of, mode_shape, rigid_lines
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.stage import Layer, padded, write

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedFlexibleRobot, FlexibleRobot
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Frame, Stage
    from loadpath.viewer.subject import Subject


DEFLECTION, NOTHING = "deflection and stress", "nothing"
MODES = 4
BEAT = 0.8
"""Hz: how fast a mode is shown, whatever its frequency."""
EVERY = 0.04
SECTIONS = 25
AT_REST = (150, 160, 170)
AUTO = 0.0
"""Magnification that is chosen by the size of the deflection."""


def case_of(subject: Subject, frame: Frame) -> dict[str, Any]:
    """What acts on an arm beside its own motion, as keywords of its deflection."""
    case: dict[str, Any] = dict(subject.case(frame.state.base))
    return {**case, "external": frame.acting} if frame.acting else case


class Beams(Layer):
    """The beams of an arm."""

    tabs = ("Beams",)

    def __init__(self, arm: FlexibleRobot) -> None:
        self.arm = arm
        self.shape: ArmShape | None = None
        self.factor = 1.0

    @property
    def moves_by_itself(self) -> bool:
        return self.show.value not in (DEFLECTION, NOTHING)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui = stage.server.gui
        with stage.tab("Beams"):
            names = tuple(f"mode {k + 1}" for k in range(MODES))
            self.show = gui.add_dropdown("show", (DEFLECTION, *names, NOTHING), initial_value=DEFLECTION)
            self.larger = gui.add_slider("magnification (0: automatic)", 0.0, 1000.0, 1.0, AUTO)
            self.summary = gui.add_html("")
        stage.redraw_on(self.show, self.larger)
        self.nodes: dict[str, Any] = {}
        self._modes: Any = None
        self._key: tuple[object, ...] = ()
        self._last = b""

    def draw(self, frame: Frame) -> None:
        shown = self.show.value
        if shown == NOTHING:
            self._hide()
            return
        if not self.due(frame, EVERY):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # stress past the yield strength is said in the panel
            if shown == DEFLECTION:
                self._deflection(frame)
            else:
                self._mode(frame, int(shown.split()[1]) - 1)

    def _deflection(self, frame: Frame) -> None:
        state, case = frame.state, case_of(self.stage.subject, frame)
        shape, found = deflected(self.arm, state.q, state.qd, state.qdd, case)
        self.shape, self.factor = shape, self._magnification(shape)
        largest = 1000 * float(np.linalg.norm(found.displacement, axis=-1).max(initial=0.0))
        words = f"Bends by up to <b>{largest:.3g} mm</b>, drawn {self.factor:g} times."
        shares = None
        if self.arm.placed_beams:
            stress = self.arm.stress(state.q, state.qd, state.qdd, sections=SECTIONS, **case)
            where, use = stress.sections, np.asarray(1.0 / stress.safety)
            worst = int(np.nanargmax(use)) if np.isfinite(use).any() else 0
            beyond = " ⚠ yields" if use[worst] > 1 else ""
            words += (
                f"<br>Largest stress <b>{stress.von_mises[worst] / 1e6:.3g} MPa</b>, {100 * use[worst]:.3g} % of the "
                f"yield strength{beyond}, link {escape(where.links[worst])}, {where.positions[worst]:.3g} m along it."
                "<br>Colour: share of the yield strength, grey 0 to amber 100 %."
            )
            shares = [
                np.interp(np.linspace(0, self.arm.placed_beams[curve.beam].length, len(curve.points)),
                          *_along(where, use, curve.beam))
                for curve in shape.curves
            ]
        self._draw_shape(self.factor, shares)
        self._say(words)

    def _mode(self, frame: Frame, mode: int) -> None:
        here = frame.state.q.tobytes()
        stands, self._last = here == self._last, here
        if stands and (here, mode) != self._key:
            self._key = (here, mode)
            self._modes = self.arm.natural_frequencies(frame.state.q, count=MODES)
            known = mode < len(self._modes.frequencies) and np.isfinite(self._modes.frequencies[mode])
            self.shape = mode_shape(self._modes, mode) if known else None
            if self.shape is not None:
                self.factor = magnification_of(self.shape, "auto")
        if self._key != (here, mode) or self.shape is None:
            self._hide()
            self._say("There is no such mode." if stands else "Modes are of an arm that stands: pause the motion.")
            return
        larger = float(self.larger.value)
        size = self.factor * (larger / 100 if larger else 1.0)
        self._draw_shape(size * math.sin(2 * math.pi * BEAT * frame.clock), None)
        found = zip(self._modes.frequencies, self._modes.names, strict=True)
        listed = "".join(f"<br>{k}: {f:.4g} Hz, {escape(str(name))}" for k, (f, name) in enumerate(found, start=1))
        hertz = f"{self._modes.frequencies[mode]:.4g} Hz"
        self._say(f"Mode {mode + 1}: <b>{hertz}</b>, shown at {BEAT:g} Hz, its size at will.<br>{listed}")

    def _magnification(self, shape: ArmShape) -> float:
        larger = float(self.larger.value)
        return larger if larger > 0 else magnification_of(shape, "auto")

    def _draw_shape(self, factor: float, shares: list[Floats] | None) -> None:
        """The beams as lines, coloured by shares of their strength, and the parts that do not bend."""
        assert self.shape is not None
        lines, tints, still = [], [], []
        for k, curve in enumerate(self.shape.curves):
            moved = curve.points + factor * curve.displacement
            lines.append(np.stack([moved[:-1], moved[1:]], axis=1))
            tint = shades(np.zeros(len(moved)) if shares is None else shares[k])
            tints.append(np.stack([tint[:-1], tint[1:]], axis=1))
            still.append(np.stack([curve.points[:1], curve.points[-1:]], axis=1))
        rigid = [line[None] for _, line in rigid_lines(self.arm, self.shape, factor)]
        if lines:
            self._lines("beams", np.concatenate(lines), np.concatenate(tints), 9.0)
            self._lines("at_rest", np.concatenate(still), AT_REST, 1.5)
        if rigid:
            self._lines("rigid", np.concatenate(rigid), rgb(JOINT), 5.0)

    def _lines(self, name: str, segments: Floats, color: Any, thickness: float) -> None:
        points = segments.astype(np.float32)
        if name in self.nodes:
            self.nodes[name].visible = True
            self.nodes[name].points = points
            if np.ndim(color) > 1:
                self.nodes[name].colors = color
        else:
            self.nodes[name] = self.stage.server.scene.add_line_segments(
                f"{ROOT}/elastic/{name}", points, color, thickness=thickness, thickness_units="screen"
            )

    def _hide(self) -> None:
        for node in self.nodes.values():
            node.visible = False

    def _say(self, words: str) -> None:
        write(self.summary, padded(words))


def _along(where: Any, use: Floats, beam: int) -> tuple[Floats, Floats]:
    """Positions along a beam, rising, and the use there."""
    rows = [k for k, number in enumerate(where.beams) if number == beam]
    order = sorted(rows, key=lambda k: float(where.positions[k]))
    return np.asarray(where.positions)[order], use[order]


# A robot with loops and beams: how far it bends and how near its beams are to yielding, in numbers. Its bent shape is
# not drawn, as `plot_deflection` does not: loops and beams together have deflections of their link frames only.


NUMBERS_EVERY = 0.3


class BeamNumbers(Layer):
    """Deflection and stress as text."""

    tabs = ("Beams",)

    def __init__(self, robot: ClosedFlexibleRobot) -> None:
        self.robot = robot

    def build(self, stage: Stage) -> None:
        super().build(stage)
        with stage.tab("Beams"):
            self.summary = stage.server.gui.add_html("")

    def draw(self, frame: Frame) -> None:
        if frame.loads is None or not self.due(frame, NUMBERS_EVERY):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is past the yield strength is said here
            words = self._words(frame)
        write(self.summary, padded(words))

    def _words(self, frame: Frame) -> str:
        state = (frame.state.q, frame.state.qd, frame.state.qdd)
        case: dict[str, Any] = {"external": frame.acting} if frame.acting else {}
        moved = np.linalg.norm(np.asarray(self.robot.deflection(*state, **case).displacement), axis=-1)
        link = self.robot.link_names[int(moved.argmax())]
        words = f"Bends by up to <b>{1000 * moved.max():.3g} mm</b>, link {escape(link)}; drawn unbent."
        if self.robot.beams:
            worst = self.robot.stress(*state, **case).worst
            words += f"<br>Largest stress <b>{worst.value / 1e6:.3g} MPa</b>, link {escape(worst.link)}."
        return words
