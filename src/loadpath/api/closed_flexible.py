"""Robots with loops whose links are beams or whose joints give way: `closed.with_beams(...)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from loadpath import html
from loadpath.api import flexible
from loadpath.api.closed import ClosedRobot, as_open
from loadpath.api.flexible import FlexibleRobot
from loadpath.api.missing import ELASTIC
from loadpath.api.robot import Robot
from loadpath.engine.refused import Refused
from loadpath.errors import ModelError
from loadpath.printable import printable
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.guide import Guide
from loadpath.robot.drive_train.refuse import refuse_with_beams
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.model import model_warnings
from loadpath.structure.closed import cut, results

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_REACTIONS = ("load_terms", "load_breakdown", "reduce_loads", "peak_loads", "max_payload", "report", "force_along",
              "torque_about", "preload_for")  # fmt: skip
_IN_TIME = ("simulate", "rollout", "step")
_DONE = ("deflection", "stress", "beams", "joint_compliances", "guides")


_BENT = "beams or joint compliance settle its reactions, and "
_RIGID_RULE = (
    _BENT + "this would be that of equally stiff joints: joint_wrenches has the loads, robot.without_beams() this of "
    "rigid links"
)
_RIGID_MOTION = (
    "a robot with loops and beams or joint compliance is not moved in time: robot.without_beams() moves rigid links, "
    "deflection and stress are of that motion"
)
_NOT_ELASTIC = (
    "it is not computed for a robot with loops and beams or joint compliance: deflection, stress and joint_wrenches "
    "are; robot.tree is the open tree with its beams"
)


@dataclass(frozen=True, repr=False)
class ClosedFlexibleRobot(ClosedRobot):
    """A robot with loops some of whose links are beams, or some of whose joints, or loops, give way. Reactions that
    rigid statics leaves open are settled by these: `joint_wrenches`, `deflection`, `stress`. Forces of the drives are
    those of rigid links.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> bar.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")})
    <ClosedFlexibleRobot 'four_bar': 4 links, 3 joints, 3 speeds, closed by: rocker_pin, beams: coupler>
    """

    beams: tuple[tuple[str, Beam], ...] = ()
    """Beams with the names of their links; `end` may be a loop."""
    joint_compliances: tuple[tuple[str, JointCompliance], ...] = ()
    """Compliant joints and loops by name."""
    guides: tuple[tuple[str, Guide], ...] = ()
    """Guides by the names of their joints."""

    deflection = results.deflection
    stress = results.stress
    joint_wrenches = results.joint_wrenches  # type: ignore[assignment]  # the same call, settled by the beams
    static_wrenches = results.static_wrenches  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_with_beams(self, tuple(name for name, _ in self.joint_compliances))
        worked_out = dict(cut.of_loops(self.joint_compliances, self.loops))
        compliances = tuple((name, worked_out.get(name, given)) for name, given in self.joint_compliances)
        object.__setattr__(self, "joint_compliances", compliances)

    @cached_property
    def cut(self) -> FlexibleRobot:
        """The tree with its loops cut, with a link without mass at either side of every cut."""
        links, joints = cut.markers(self.loops)
        tree = self._rigid_tree
        opened = replace(tree, links=(*tree.links, *links), joints=(*tree.joints, *joints))
        values = {part.name: getattr(opened, part.name) for part in fields(Robot)}
        beams = tuple((link, cut.ends_at_welds(link, beam, self.loops)) for link, beam in self.beams)
        return FlexibleRobot(**values, beams=beams, joint_compliances=self._of_tree, guides=self.guides)

    @property
    def _rigid_tree(self) -> Robot:
        values = {part.name: getattr(self, part.name) for part in fields(Robot)}
        values["known_faults"] |= frozenset(model_warnings(self.links, self.joints))
        return Robot(**values)

    @property
    def _of_tree(self) -> tuple[tuple[str, JointCompliance], ...]:
        return tuple(entry for entry in self.joint_compliances if entry[0] not in self.loop_names)

    @property
    def loop_compliances(self) -> tuple[tuple[str, JointCompliance], ...]:
        """Those of the loops."""
        return tuple(entry for entry in self.joint_compliances if entry[0] in self.loop_names)

    @property
    def closing_names(self) -> tuple[str, ...]:
        """Names of loops and couplings."""
        return (*self.loop_names, *(coupling.name for coupling in self.couplings))

    @cached_property
    def tree(self) -> FlexibleRobot:
        """The open tree with its beams: the same robot without its loops and couplings."""
        values = {part.name: getattr(self._rigid_tree, part.name) for part in fields(Robot)}
        beams = tuple((link, cut.ends_at_points(link, beam, self.loops)) for link, beam in self.beams)
        return FlexibleRobot(**values, beams=beams, joint_compliances=self._of_tree, guides=self.guides)

    def without_beams(self) -> ClosedRobot:
        """The rigid robot: see `Robot.without_beams`. Its loops stay."""
        return ClosedRobot(**{part.name: getattr(self, part.name) for part in fields(ClosedRobot)})

    def locked(self, joints: Mapping[str, ArrayLike]) -> Self:
        """The robot with joints frozen at the given coordinates, its beams as they are: see `FlexibleRobot.locked` and
        `ClosedRobot.locked`.
        """
        held = self.without_beams()._locked(joints)
        opened = self.cut.locked(joints)
        beams = tuple((link, cut.ends_at_loops(beam, self.loops)) for link, beam in opened.beams)
        values = {part.name: getattr(held, part.name) for part in fields(ClosedRobot)}
        compliances = (*opened.joint_compliances, *self.loop_compliances)
        return as_open(replace(self, **values, beams=beams, joint_compliances=compliances, guides=opened.guides))

    def floating(self, name: str = "floating_base", world: str = "world") -> Self:
        """The robot with its base free to move: see `ClosedRobot.floating`."""
        free = self.without_beams().floating(name, world)
        return replace(self, **{part.name: getattr(free, part.name) for part in fields(ClosedRobot)})

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on: robots with equal data share compiled code."""
        return *super().defined_by, self.beams, self.joint_compliances, self.guides

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.beams, self.joint_compliances, self.guides))

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _repr_html_(self) -> str:
        links = ", ".join(dict.fromkeys(link for link, _ in self.beams)) or "none"
        joints = ", ".join(name for name, _ in self.joint_compliances)
        words = f"beams: {links}{f'; compliant joints: {joints}' if joints else ''}"
        return super()._repr_html_() + html.paragraph(printable(words))

    def __repr__(self) -> str:
        links = ", ".join(dict.fromkeys(link for link, _ in self.beams)) or "none"
        joints = ", ".join(name for name, _ in self.joint_compliances)
        return printable(
            f"<ClosedFlexibleRobot '{self.name}': {len(self.links)} links, {len(self.joints)} joints, {self.n} speeds, "
            f"closed by: {', '.join(self.closing_names)}, beams: {links}"
            f"{f', compliant joints: {joints}' if joints else ''}>"
        )


for _names, _why in (
    (_REACTIONS, _RIGID_RULE),
    (_IN_TIME, _RIGID_MOTION),
    (sorted(ELASTIC.difference(_DONE)), _NOT_ELASTIC),
):
    for _name in _names:
        _refusal = Refused(_why)
        _refusal.__set_name__(ClosedFlexibleRobot, _name)
        setattr(ClosedFlexibleRobot, _name, _refusal)


def with_beams(
    robot: ClosedRobot,
    beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
    *,
    joint_compliance: Mapping[str, JointCompliance] | None = None,
    guides: Mapping[str, Guide] | None = None,
    inertia_from_beams: bool = False,
) -> ClosedFlexibleRobot:
    """The closed robot with beams in some links and compliance in some joints and loops. A beam may end at a loop, by
    its name. Otherwise as for any robot: see `loadpath.api.flexible.with_beams`.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> bar.with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(radial=1e7)}).joint_compliances[0][0]
    'rocker_pin'
    """
    compliances = dict(joint_compliance or {})
    of_loops = {name: given for name, given in compliances.items() if name in robot.loop_names}
    for name, given in of_loops.items():
        if not isinstance(given, JointCompliance):
            raise ModelError(f"loop '{name}': its compliance is {given!r}: expected a JointCompliance, like "
                             "JointCompliance(radial=1e7)")  # fmt: skip
    values = {part.name: getattr(robot, part.name) for part in fields(ClosedRobot)}
    plain = robot if isinstance(robot, ClosedFlexibleRobot) else ClosedFlexibleRobot(**values)
    kept = tuple(entry for entry in plain.loop_compliances if entry[0] not in of_loops)
    ended = {link: _at_welds(link, several, plain) for link, several in (beams or {}).items()}
    others = {name: compliance for name, compliance in compliances.items() if name not in of_loops}
    opened = flexible.with_beams(
        plain.cut, ended, joint_compliance=others, guides=guides, inertia_from_beams=inertia_from_beams
    )
    inertias = {link.name: link for link in opened.links}
    values["links"] = tuple(inertias[link.name] for link in robot.links)
    return ClosedFlexibleRobot(
        **values,
        beams=tuple((link, cut.ends_at_loops(beam, robot.loops)) for link, beam in opened.beams),
        joint_compliances=(*opened.joint_compliances, *kept, *of_loops.items()),
        guides=opened.guides,
    )


def _at_welds(link: str, given: Any, robot: ClosedFlexibleRobot) -> Any:
    """The beams of a link with their ends at the cuts; what is not a beam is refused later."""
    several = [given] if isinstance(given, Beam) or not isinstance(given, Iterable) else list(given)
    return [cut.ends_at_welds(link, beam, robot.loops) if isinstance(beam, Beam) else beam for beam in several]
