"""What is computed of a robot with loops, a line each, in place of what a tree has under the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loadpath.algorithms import loops
from loadpath.algorithms.loops import (
    derivatives,
    driven,
    equilibrium,
    orthogonal_complement,
    reactions,
    status,
    time_stepping,
)
from loadpath.algorithms.loops import directed_reaction as closed_reaction
from loadpath.algorithms.loops import forward_dynamics as forward
from loadpath.algorithms.loops import inverse_dynamics as inverse
from loadpath.algorithms.loops import load_terms as closed_terms
from loadpath.algorithms.loops.checks import check_driven, check_moved
from loadpath.algorithms.loops.idle import idle_columns, idle_gravity
from loadpath.closure.freedoms import poses_nearby
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.quantity import Compiled, On
from loadpath.errors import ModelError
from loadpath.formulations import moving_base
from loadpath.formulations import orthogonal_complement as complement_of_trees
from loadpath.formulations.formulation import Equation
from loadpath.formulations.table import FORMULATIONS
from loadpath.mechanics.wrenches import BASE_MOTION, GRAVITY, ON_BASE
from loadpath.quantities.load_index import count_terms
from loadpath.quantities.table import RobotQuantities
from loadpath.quantities.wrench import ClosedJointWrenches
from loadpath.results import (
    ClosedLoadTerms,
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    existing_inertia,
)
from loadpath.robot.closed_mechanism import ClosedMechanism, closed_plain, closed_reduced, closed_reframed
from loadpath.scalars import Array, array
from loadpath.states.on_manifold import verdict, verdict_with_q


def _of_trees(
    quantity: str, closed: Callable[[Equation], inverse.ClosedEquation]
) -> dict[str, inverse.ClosedEquation | On]:
    """The functions of one quantity by all formulations of trees, closed by the loops."""
    found: dict[str, inverse.ClosedEquation | On] = {}
    for name, formulation in FORMULATIONS.items():
        function = closed(getattr(formulation, quantity))
        added = dict.fromkeys(BASE_MOTION, moving_base.SPEEDS)
        found[name] = function if name == DEFAULT else On(function, closed_plain, formulation.compile_up_to, added)
    return found


def _by_complement(equation: Callable[..., tuple[Array, ...]]) -> dict[str, On]:
    """The function of the natural orthogonal complement of trees and loops together."""
    most = 20  # speeds: links in equilibrium all together are a large system
    added = dict.fromkeys(BASE_MOTION, moving_base.SPEEDS)
    return {complement_of_trees.FORMULATION.name: On(equation, closed_plain, most, added)}


def _counts(robot: ClosableRobot, variant: Variant) -> Mapping[str, int]:
    """Letters of these quantities: `a` drives, `s` entries of a status, `c` loops and couplings."""
    closed = len(robot.loops) + len(robot.couplings)
    return {"a": len(robot.split.driven), "s": status.ENTRIES, "c": closed}


def check_closed_movable(robot: ClosableRobot, mechanism: ClosedMechanism) -> None:
    """Refuse a robot with a freedom that moves nothing that has inertia."""
    matrix, _ = forward.driven_mass_matrix(mechanism, array(robot.home.tolist()))
    if not forward.is_regular(matrix):
        raise ModelError(
            f"robot '{robot.name}': one of its freedoms ({', '.join(robot.independent)}) moves without inertia, so "
            "forces do not determine its acceleration: give the links mass and inertia, or a joint a rotor inertia"
        )


def check_broken_down(robot: ClosableRobot, mechanism: ClosedMechanism) -> None:
    """Refuse open chains with joints that no drive moves: causes would be those of a motion that is not given."""
    (check_moved if robot.closing_names else check_driven)(robot, mechanism)


def check_held_still(robot: ClosableRobot, mechanism: ClosedMechanism) -> None:
    """Refuse to hold still what no drive moves and gravity does; a balanced rod between two balls stays as it is."""
    check_moved(robot, mechanism)
    for q in poses_nearby(robot) if idle_columns(mechanism) else ():
        pull, size = idle_gravity(mechanism, array(q.tolist()))
        if max(abs(float(x)) for x in pull) > 1e-9 * float(size):
            check_driven(robot, mechanism)


def check_closed_steppable(robot: ClosableRobot, mechanism: ClosedMechanism) -> None:
    """Refuse to step a robot that forces do not move, and one that cannot move."""
    if not robot.mobility:
        raise ModelError(f"robot '{robot.name}' cannot move: its loops leave no freedom")
    check_closed_movable(robot, mechanism)


def _wrenches(robot: ClosableRobot, force: Any, torque: Any, q: Any = None) -> ClosedJointWrenches:
    return ClosedJointWrenches(force, torque, robot.closed_joint_names, robot, q)


_POINT: Mapping[str, tuple[int | str, ...]] = {"point": (3,)}
_CHOSEN_EFFORT: Mapping[str, tuple[int | str, ...]] = {"weights": ("a",), "preload": ("a",)}


class ClosedQuantities(RobotQuantities):
    """A robot with loops and its compiled quantities."""

    inverse_dynamics = Compiled(
        _of_trees("inverse_dynamics", inverse.closed_inverse_dynamics)
        | _by_complement(orthogonal_complement.inverse_dynamics),
        "(q),(n),(n)->(n),(s)",
        closed_reduced,
        """Forces of the drives (N m, N) that give the motion q, qd, qdd of the closed robot; passive joints give none,
        so theirs are exactly zero. The state must be one of the closed robot (`assemble`, `complete`), or it is
        refused; `strict=False` gives the numbers all the same, and a warning.

        With more drives than freedoms the forces are those with the least sum of squares; `weights=` (..., drives)
        multiplies each force in that sum, and with `preload=` (..., drives) the forces differ least from these instead.
        `external=`, `base_velocity=` and `base_acceleration=` as for any robot.

        Freedoms that no drive moves (a rod that spins between two balls, a load that swings) accelerate as they must
        where nothing drives them, whatever `qdd` says of them: in a motion under the drives alone, as it does.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})       # a belt from the base
        >>> arm.inverse_dynamics([0.2, -0.1], [0, 0], [1, -0.5]).round(6).tolist()[1]
        0.0
        """,
        optional={**ON_BASE, **_CHOSEN_EFFORT},
        takes_external=True,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
    )
    joint_wrenches = Compiled(
        {DEFAULT: reactions.joint_wrenches, **_by_complement(equilibrium.joint_wrenches)},
        "(q),(n),(n)->(w,3),(w,3),(s)",
        closed_reframed,
        """Force (N) and torque (N m) at every joint of the tree, fixed ones too, and of the loops: `.force` and
        `.torque` are (..., joints, 3), by name `["pin"]`. At the joint's origin, in the child's joint frame, exerted by
        the parent on the child; at a loop in its frame `on`, exerted by the first link on the second. Friction and
        rotor inertia act inside the drive and are not in them.

        Where statics leaves components open, they are those with the least sum of squares of all components (N, N m) at
        all joints: `.determinate` (..., joints, 6) says which components do not depend on that. Instead of equally
        stiff joints `compliances={"pin": 2e-8}` gives those of joints and loops: one number, or six along (m/N) and
        about (rad/(N m)) the axes of the joint frame; joints that are not named are stiff. Other options as in
        `inverse_dynamics`.

        >>> import loadpath as lp
        >>> pin = lp.Revolute((0, 0, 1))
        >>> bar = lp.catalog.planar(3).with_loop("pin", "base", "link3", motion=pin, at=(2, 0, 0), q=[0.5, 1.2, 1.3])
        """,
        optional={**ON_BASE, **_CHOSEN_EFFORT},
        choices={"compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
        takes_external=True,
        sizes=_counts,
        check=check_moved,
        verdict=verdict_with_q,
        wrap=_wrenches,
    )
    static_wrenches = Compiled(
        reactions.static_wrenches,
        "(q)->(w,3),(w,3),(s)",
        closed_reframed,
        """`joint_wrenches` of the closed robot at rest, under gravity and `external=`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.static_wrenches([0.2, -0.1]).force.shape
        (3, 3)
        """,
        optional={**GRAVITY, **_CHOSEN_EFFORT},
        choices={"compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
        takes_external=True,
        sizes=_counts,
        check=check_held_still,
        verdict=verdict_with_q,
        wrap=_wrenches,
    )
    reaction_leverages = Compiled(
        reactions.leverages,
        "(q)->(w,6)",
        closed_reframed,
        """How much each component of the joint wrenches (..., joints, 6), forces before torques, is a matter of how
        stiff the joints are: 0 where statics alone gives it, up to 1. `joint_wrenches(...).determinate` is made of it.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> float(arm.reaction_leverages([0.2, -0.1]).max())
        0.0
        """,
        choices={"compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
    )
    gravity_forces = Compiled(
        _of_trees("gravity_forces", inverse.closed_gravity_forces),
        "(q)->(n),(s)",
        closed_reduced,
        """Forces of the drives that hold the closed robot still at q against gravity. `weights=`, `preload=` and
        `strict=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> bool((arm.gravity_forces([0.2, -0.1]) == arm.inverse_dynamics([0.2, -0.1], [0, 0], [0, 0])).all())
        True
        """,
        optional={**GRAVITY, **_CHOSEN_EFFORT},
        sizes=_counts,
        check=check_held_still,
        verdict=verdict,
    )
    bias_forces = Compiled(
        _of_trees("inverse_dynamics", inverse.closed_bias_forces),
        "(q),(n)->(n),(s)",
        closed_reduced,
        """Forces of the drives while the independent speeds (`robot.independent`) do not accelerate; the others do as
        the loops make them. Options as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> bool((abs(arm.bias_forces([0.2, -0.1], [0, 0]) - arm.gravity_forces([0.2, -0.1])) < 1e-12).all())
        True
        """,
        optional={**ON_BASE, **_CHOSEN_EFFORT},
        takes_external=True,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
    )
    constraint_jacobian = Compiled(
        loops.constraint_jacobian,
        "(q)->(m,n)",
        closed_plain,
        """Matrix (m, n) of what the loops hold: relative speed of the second link against the first (m/s, rad/s) in
        each held direction, in the axes of the loop's frame `on`, per unit of each speed; then a row for each coupling.
        For motions of the closed robot `constraint_jacobian(q) @ qd` is zero.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.constraint_jacobian([0.2, -0.1]).tolist()
        [[1.0, 2.0]]
        """,
    )
    loop_directions = Compiled(
        loops.held_directions,
        "(q)->(m,6)",
        closed_plain,
        """The unit wrenches (m, 6), force before torque, that the rows of `constraint_jacobian` belong to: exerted by
        the first link of the loop on the second, at the origin and in the axes of its frame `on`. Zero for couplings.

        >>> import loadpath as lp
        >>> lp.catalog.four_bar().loop_directions(lp.catalog.four_bar().home).shape
        (5, 6)
        """,
    )
    closure = Compiled(
        loops.closure_sizes,
        "(q)->(c,2)",
        closed_plain,
        """How far loops and couplings are from closed, (..., loops and couplings, 2): by length (m) and by angle (rad),
        in the order of `loops`, then `couplings`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.closure([0.2, 0.0]).tolist()
        [[0.0, 0.2]]
        """,
        sizes=_counts,
    )
    complement = Compiled(
        driven.natural_complement,
        "(q)->(n,f),(s)",
        closed_plain,
        """The natural orthogonal complement T (n, f) of the loops: all speeds per unit of each independent one, so that
        qd = T qd_I and constraint_jacobian(q) @ T = 0.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.complement([0.2, -0.1]).tolist()
        [[1.0], [-0.5]]
        """,
        sizes=_counts,
        verdict=verdict,
    )

    # Forward dynamics

    forward_dynamics = Compiled(
        {
            DEFAULT: forward.forward_dynamics,
            "independent-speeds": forward.by_complement,
            **_by_complement(orthogonal_complement.forward_dynamics),
        },
        "(q),(n),(n)->(n),(s)",
        closed_reduced,
        """Accelerations (n) of the closed robot for forces tau (n) at all joints; at passive joints these are zero,
        unless a spring or the like acts there. By the principle of Gauss, which needs no independent speeds and passes
        dead points; by the formulation "independent-speeds" in these. `external=`,
        `base_velocity=`, `base_acceleration=` as for any robot, `strict=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> qdd = arm.forward_dynamics([0.2, -0.1], [0, 0], [3.0, 0])
        >>> bool(abs(arm.inverse_dynamics([0.2, -0.1], [0, 0], qdd) - [3.0, 0]).max() < 1e-12)
        True
        """,
        optional=ON_BASE,
        takes_external=True,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
    )
    state_derivative = Compiled(
        forward.state_derivative,
        "(x),(n)->(x),(s)",
        closed_reduced,
        """Derivative of the state x = (q, qd) of the closed robot for the forces u: see `forward_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.state_derivative([0.2, -0.1, 0, 0], [0, 0]).shape
        (4,)
        """,
        optional=ON_BASE,
        takes_external=True,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
    )
    mass_matrix_inverse = Compiled(
        forward.accelerations_per_force,
        "(q)->(n,n),(s)",
        closed_reduced,
        """All accelerations per unit of force at each joint, (n, n): the inverse of the mass matrix among the motions
        that the loops allow, T (T'MT)^-1 T' with the `complement` T. Of rank `mobility`, so it has no inverse itself;
        that of `driven_mass_matrix` are its entries of the independent speeds. Also at dead points.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> A = arm.mass_matrix_inverse([0.2, -0.1])
        >>> bool(abs(arm.constraint_jacobian([0.2, -0.1]) @ A).max() < 1e-12)
        True
        """,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
        of_loops=True,
    )

    # Motion in time

    step = Compiled(
        time_stepping.runge_kutta_step,
        "(q),(n),(n),()->(q),(n),(s)",
        closed_reduced,
        """Coordinates and speeds of the closed robot one step of given length (s) later, by the method of Runge and
        Kutta: fourth order, with the forces at all joints held over the step. At its end the loops are closed again to
        rounding. Dead points are passed. Many steps: `rollout`; with error control: `simulate`.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> q, qd = bar.step(bar.home, [0, 0, 0], [1.0, 0, 0], 0.001)
        >>> bool(bar.closure(q).max() < 1e-14)
        True
        """,
        optional=GRAVITY,
        takes_external=True,
        sizes=_counts,
        check=check_closed_steppable,
        verdict=verdict,
        of_loops=True,
    )

    # Derivatives

    inverse_dynamics_derivatives = Compiled(
        derivatives.inverse_dynamics_derivatives,
        "(q),(n),(n)->(n,f),(n,f),(n,f),(s)",
        closed_reduced,
        """Derivatives of `inverse_dynamics` along the motions that the loops allow: `.q`, `.qd`, `.qdd`, each (n, f),
        by the coordinates, speeds and accelerations of `robot.independent`, in that order. Each of these changes by
        itself, and all that depends on them follows (as `complete` gives it): by a coordinate, the independent speeds
        and accelerations keep their values and the dependent ones change. Rows of passive joints are zero. Options as
        in `inverse_dynamics`. By inertial parameters: `regressor`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.inverse_dynamics_derivatives([0.2, -0.1], [1, -0.5], [0, 0]).q.shape
        (2, 1)
        """,
        optional={**ON_BASE, **_CHOSEN_EFFORT},
        takes_external=True,
        sizes=_counts,
        check=check_driven,
        verdict=verdict,
        wrap=lambda robot, *parts: InverseDynamicsDerivatives(*parts),
    )
    forward_dynamics_derivatives = Compiled(
        derivatives.forward_dynamics_derivatives,
        "(q),(n),(n)->(n,f),(n,f),(n,n),(s)",
        closed_reduced,
        """Derivatives of `forward_dynamics` along the motions that the loops allow: `.q` and `.qd`, each (n, f), of all
        accelerations by the coordinates and speeds of `robot.independent`, while the dependent ones follow; `.tau`
        (n, n), by the forces at all joints, passive ones too. Rows of `robot.independent` alone are those of the
        equations of motion in these.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.forward_dynamics_derivatives([0.2, -0.1], [1, -0.5], [0, 0]).q.shape
        (2, 1)
        """,
        optional=ON_BASE,
        takes_external=True,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
        of_loops=True,
        wrap=lambda robot, *parts: ForwardDynamicsDerivatives(*parts),
    )
    forward_dynamics_parameter_derivatives = Compiled(
        derivatives.forward_dynamics_parameter_derivatives,
        "(q),(n),(n)->(n,p),(s)",
        closed_plain,
        """Derivatives (n, 10 links) of `forward_dynamics`, all accelerations, by the inertial parameters of all links,
        in the order of `regressor`, at a given state.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.forward_dynamics_parameter_derivatives([0.2, -0.1], [1, -0.5], [0, 0]).shape
        (2, 40)
        """,
        optional=ON_BASE,
        takes_external=True,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
        of_loops=True,
    )

    # In the independent speeds

    driven_mass_matrix = Compiled(
        forward.driven_mass_matrix,
        "(q)->(f,f),(s)",
        closed_reduced,
        """Mass matrix (f, f) of the closed robot in its independent speeds (`robot.independent`): what they feel of all
        links, T'MT.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})       # the second link keeps level
        >>> arm.driven_mass_matrix([0.2, -0.2]).shape
        (1, 1)
        """,
        sizes=_counts,
        verdict=verdict,
    )
    driven_jacobian = Compiled(
        driven.driven_jacobian,
        "(q)->(6,f),(s)",
        closed_plain,
        """Jacobian (6, f) of a link, `robot.driven_jacobian(q, link)`: velocity of its frame's origin above its angular
        velocity, in world axes, per unit of each independent speed (`robot.independent`), the others following. With
        `point=`, (..., 3), of that point in the link's frame.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.driven_jacobian([0.2, -0.2], "link2").round(9)[3:, 0].tolist()
        [0.0, 0.0, 0.0]
        """,
        optional=_POINT,
        takes_link=True,
        sizes=_counts,
        verdict=verdict,
    )
    operational_space_mobility = Compiled(
        driven.operational_space_mobility,
        "(q)->(6,6),(s)",
        closed_plain,
        """Acceleration of a link (of its origin, then angular; world axes) per unit of wrench on it, the drives giving
        no force. `point=` as in `driven_jacobian`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.operational_space_mobility([0.2, -0.2], "link2").shape
        (6, 6)
        """,
        optional=_POINT,
        takes_link=True,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
    )
    operational_space_inertia = Compiled(
        driven.operational_space_inertia,
        "(q)->(6,6),(s)",
        closed_plain,
        """Inertia felt at a link: the inverse of `operational_space_mobility`, where the link can move in every
        direction; otherwise the call is refused. `point=` as there.

        >>> import loadpath as lp
        >>> arm = lp.catalog.panda().with_coupling({"panda_joint1": 1.0, "panda_joint7": -0.5})
        >>> arm.operational_space_inertia([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.2]).shape
        (6, 6)
        """,
        optional=_POINT,
        takes_link=True,
        wrap=existing_inertia,
        sizes=_counts,
        check=check_closed_movable,
        verdict=verdict,
    )
    regressor = Compiled(
        driven.regressor,
        "(q),(n),(n)->(n,p),(s)",
        closed_plain,
        """Matrix (n, 10 links) that gives the forces of the drives, without friction and rotors, from the inertial
        parameters of all links; rows of passive joints are zero. Columns as of any robot.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.regressor([0.2, -0.2], [1, -1], [0, 0])[1].any()
        np.False_
        """,
        optional=ON_BASE,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
    )
    drive_regressor = Compiled(
        driven.drive_regressor,
        "(q),(n),(n)->(n,d),(s)",
        closed_plain,
        """Matrix (n, 3 n) from q, qd and qdd: columns of the viscous frictions, of the Coulomb frictions and of the
        reflected rotor inertias of all joints, passive ones too, which load the drives through the loops. Rows of
        passive joints are zero. Unlike that of an open tree it depends on q.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.drive_regressor([0.2, -0.2], [1, -1], [0, 0])[0, :4].tolist()
        [1.0, 1.0, 1.0, 1.0]
        """,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
    )

    # Loads by cause

    load_terms = Compiled(
        closed_terms.closed_load_terms,
        "(q),(n),(n)->(t,6),(n),(n),(u,a),(s)",
        closed_plain,
        """The arrays that `load_breakdown` is made of: `.values` (..., terms, 6), force and torque at every joint and
        loop by cause, in the order of `load_breakdown(...).index.terms`; `.friction` and `.rotor` of all speeds,
        (..., n); `.drives` (..., sources, drives), what each of `index.sources` takes from each drive. Options as in
        `joint_wrenches`.

        >>> import loadpath as lp
        >>> bar = lp.catalog.four_bar()
        >>> bar.load_terms(bar.home, [0, 0, 0], [0, 0, 0]).values.shape
        (40, 6)
        """,
        takes_external=True,
        optional=joint_wrenches.optional,
        choices={"by": "freedom", "by_link": False, "frame": "joint", **joint_wrenches.choices},
        choice_readers=joint_wrenches.choice_readers,
        sizes=count_terms,
        most_results=6_000,  # a term is carried through the loops to every joint of its circuit: programs are long
        check=check_broken_down,
        verdict=verdict,
        wrap=lambda robot, *parts: ClosedLoadTerms(*parts),
    )

    # Reactions in any direction

    force_along = Compiled(
        closed_reaction.force_along,
        "(q),(n),(n),(3)->(),(s)",
        closed_reframed,
        """Force (N) at a joint or loop along any direction, `robot.force_along(q, qd, qdd, direction, joint="pin")`,
        exerted by the parent on the child (the first link on the second). `direction` is (..., 3), of any length, in
        the child's joint frame (a loop's frame `on`), or with `axes="world"` in world axes. Options as in
        `joint_wrenches`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> float(arm.force_along([0, 0], [0, 0], [0, 0], [0, 2, 0], joint="joint2").round(9))
        9.81
        """,
        optional={**ON_BASE, **_CHOSEN_EFFORT},
        choices={"joint": None, "axes": "joint", "compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
        takes_external=True,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
        wrap=lambda robot, value: value,  # without a joint there is nothing to compile, so no short way
    )
    torque_about = Compiled(
        closed_reaction.torque_about,
        "(q),(n),(n),(3)->(),(s)",
        closed_reframed,
        """Torque (N m) at a joint or loop about any line, `robot.torque_about(q, qd, qdd, direction, joint="pin")`, as
        `force_along`; the line goes through the joint's origin or through `point=`, (..., 3), counted from there.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> float(arm.torque_about([0, 0], [0, 0], [0, 0], [0, 0, 1], joint="joint2").round(9))
        4.905
        """,
        optional={"point": (3,), **ON_BASE, **_CHOSEN_EFFORT},
        choices={"joint": None, "axes": "joint", "compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
        takes_external=True,
        sizes=_counts,
        check=check_moved,
        verdict=verdict,
        wrap=lambda robot, value: value,
    )


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {
    f"ClosedRobot.{key}": value.__doc__ or ""
    for key, value in vars(ClosedQuantities).items()
    if isinstance(value, Compiled)
}
