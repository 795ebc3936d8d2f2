"""`lp.ClosedRobot`, `lp.FlexibleRobot`, `lp.ClosedFlexibleRobot`: robots by what is attached to them.

There is one class of robots, `lp.Robot`. A robot is an instance of these, too, while it has loops, beams, or both; what
they show under a name is what it means for such a robot. Called, they make an `lp.Robot`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from loadpath.api.robot import Robot
from loadpath.engine.attached import Attached, attached_to


class Kind(type):
    """The class of such classes: `_stands_for` is what is attached to robots of one, `_told_by` which of it counts."""

    _stands_for: Attached
    _told_by: tuple[str, ...]

    def __call__(cls, *values: Any, **named: Any) -> Any:
        # A class of one's own that was made from one of these is a class of robots like any other.
        return Robot(*values, **named) if "_stands_for" in vars(cls) else super().__call__(*values, **named)

    @property
    def __signature__(cls) -> inspect.Signature:
        return inspect.signature(Robot)

    def __instancecheck__(cls, robot: object) -> bool:
        if "_stands_for" not in vars(cls):
            return super().__instancecheck__(robot)
        if not isinstance(robot, Robot):
            return False
        attached = attached_to(robot)
        return all(getattr(attached, part) == getattr(cls._stands_for, part) for part in cls._told_by)


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    from loadpath.api.with_beams import WithLoopsAndBeams
    from loadpath.api.with_loops import WithLoops
    from loadpath.equations import ClosedEquations
    from loadpath.structure.motion_in_time.result import FlexibleSimulation
    from loadpath.structure.quantities import ClosedElasticQuantities

    P = ParamSpec("P")
    R = TypeVar("R")

    def _gives(result: type[R], function: Callable[P, object]) -> Callable[P, R]: ...

    class ClosedRobot(Robot):
        """A robot with loops: what takes or gives something else than without."""

        equations = _gives(ClosedEquations, Robot.equations)
        inverse_kinematics = WithLoops.inverse_kinematics  # type: ignore[assignment]

    class FlexibleRobot(Robot):
        """A robot with beams or compliant joints."""

        simulate = _gives(FlexibleSimulation, Robot.simulate)

    class ClosedFlexibleRobot(ClosedRobot, ClosedElasticQuantities):
        """A robot with both."""

        @property
        def cut(self) -> FlexibleRobot: ...  # type: ignore[override]
        deflection = WithLoopsAndBeams.deflection
        stress = WithLoopsAndBeams.stress

else:

    class ClosedRobot(Robot, metaclass=Kind):
        """A robot with loops: a tree of links and joints, and joints (`loops`) and ratios (`couplings`) that close it.

        q, qd, qdd and tau are those of the tree. `driven` has the names of the speeds with a drive; the other joints
        are passive, and their forces are zero.

        >>> import loadpath as lp
        >>> four_bar = lp.catalog.four_bar()
        >>> four_bar.mobility, four_bar.driven, four_bar.loop_names
        (1, ('crank_joint',), ('rocker_pin',))
        """

        _stands_for, _told_by = Attached(loops=True), ("loops",)

    class FlexibleRobot(Robot, metaclass=Kind):
        """A robot some of whose links are beams and some of whose joints give way. What is asked of any robot is
        answered for rigid links, but for its motion in time: `simulate` moves the flexible arm, `rollout` and `step`
        refuse it, and `without_beams()` gives the rigid robot. Payloads, other gravities and locked joints keep its
        beams.

        >>> import loadpath as lp
        >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
        >>> arm = lp.catalog.planar(2).with_beams({"link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
        >>> arm
        <Robot 'planar2': 4 links, 3 joints, 2 degrees of freedom, beams: link2>
        """

        _stands_for, _told_by = Attached(beams=True), ("loops", "beams")

    class ClosedFlexibleRobot(ClosedRobot):
        """A robot with loops some of whose links are beams, or some of whose joints, or loops, give way. Reactions that
        rigid statics leaves open are settled by these: `joint_wrenches`, `deflection`, `stress`. Forces of the drives
        are those of rigid links.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> bar.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")})
        <Robot 'four_bar': 4 links, 3 joints, 3 speeds, closed by: rocker_pin, beams: coupler>
        """

        _stands_for, _told_by = Attached(loops=True, beams=True), ("loops", "beams")
