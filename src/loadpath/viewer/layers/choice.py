"""Which loads are shown: of which joint, what of them, by which cause, in whose axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.viewer.arrows import AXES_OF, COMPONENTS
from loadpath.viewer.layer import Layer
from loadpath.viewer.loads import CAUSES

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage

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
        for chooser in (self.joint, self.quantity, self.cause, self.component, self.axes):
            chooser.on_update(lambda _: stage.refresh())

    @property
    def quantities(self) -> tuple[str, ...]:
        """What is drawn: force, torque, both or nothing."""
        chosen = self.quantity.value
        return (FORCE, TORQUE) if chosen == BOTH else (chosen,) if chosen in (FORCE, TORQUE) else ()

    @property
    def selected(self) -> str:
        """The joint whose numbers are shown: the one chosen, else the first that moves."""
        return self.first if self.joint.value == ALL else str(self.joint.value)
