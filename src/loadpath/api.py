"""The class users hold, `lp.Robot`: a table of contents. Each compiled quantity is one line, each other method a
delegate to the folder where it lives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from loadpath import simulate as in_time
from loadpath.engine import derivatives
from loadpath.engine.compiled import DEFAULT, Compiled, On, Variant
from loadpath.errors import ModelError
from loadpath.exports.request import ExternalLinks, request
from loadpath.formulations import (
    articulated_body,
    composite_body,
    configuration,
    constraint_system,
    coriolis,
    energy,
    generalized,
    generalized_recursive,
    kinematics,
    lagrange_euler,
    lagrangian,
    luh,
    newton_euler,
    operational_space,
    orthogonal_complement,
    state_space,
    time_stepping,
)
from loadpath.formulations import momentum as momenta
from loadpath.formulations import regressor as regressors
from loadpath.formulations.movable import check_mass, check_movable
from loadpath.identification import base as minimal
from loadpath.kinematics import inverse
from loadpath.loads.wrench import JointWrenches
from loadpath.results import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    Momentum,
    existing_inertia,
)
from loadpath.robot import dh, edit
from loadpath.robot.inertia import Inertia
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import OperationCount

if TYPE_CHECKING:
    from loadpath.equations import Choice, Equations

P = ParamSpec("P")


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Robot(RobotModel):
    """A robot and everything that can be computed of it.

    Arrays have leading batch axes, which broadcast: `q` is (..., nq), `qd`, `qdd` and `tau` are (..., n).
    Functions compile for the robot on their first call and are NumPy ufuncs from then on.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
    >>> arm.n, arm.dof_names
    (2, ('joint1', 'joint2'))
    """

    # Forces

    inverse_dynamics = Compiled(
        {
            DEFAULT: newton_euler.inverse_dynamics,
            "luh": On(luh.inverse_dynamics, plain),
            "lagrange-euler": On(lagrange_euler.inverse_dynamics, plain, compile_up_to=8),
            "lagrangian": On(lagrangian.inverse_dynamics, plain, compile_up_to=8),
            "natural-orthogonal-complement": On(orthogonal_complement.inverse_dynamics, plain),
            "constraint-system": On(constraint_system.inverse_dynamics, plain),
            "generalized": On(generalized.inverse_dynamics, plain, compile_up_to=12),
            "generalized-recursive": On(generalized_recursive.inverse_dynamics, plain),
        },
        "(q),(n),(n)->(n)",
        reduced,
        """Forces of the drives (N m, N) that give the motion q, qd, qdd against gravity, friction and rotor inertia.

        `external={"link": lp.Wrench(force=, torque=)}` adds wrenches that the surroundings exert on links.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
        >>> arm.inverse_dynamics([0.1, 0.2], [0, 0], [1, 2]).shape
        (2,)
        >>> arm.inverse_dynamics([[0.1, 0.2]] * 1000, [0, 0], [1, 2]).shape
        (1000, 2)
        """,
        takes_external=True,
    )
    joint_wrenches = Compiled(
        {
            DEFAULT: newton_euler.joint_wrenches,
            "luh": On(luh.joint_wrenches, plain),
            "natural-orthogonal-complement": On(orthogonal_complement.joint_wrenches, plain),
            "constraint-system": On(constraint_system.joint_wrenches, plain),
            "generalized": On(generalized.joint_wrenches, plain, compile_up_to=12),
            "generalized-recursive": On(generalized_recursive.joint_wrenches, plain),
        },
        "(q),(n),(n)->(j,3),(j,3)",
        reframed,
        """Force (N) and torque (N m) at every joint, fixed ones too: `.force` and `.torque` are (..., joints, 3), at
        the joint's origin, in the child link's joint frame, exerted by the parent on the child. Friction and rotor
        inertia act inside the drive and are not in them.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> wrenches = arm.joint_wrenches([0, 0], [0, 0], [0, 0])
        >>> wrenches.force.shape, wrenches["joint2"].force.shape       # the tip is welded on: a joint too
        ((3, 3), (3,))
        """,
        takes_external=True,
        wrap=lambda robot, force, torque: JointWrenches(force, torque, robot.joint_names),
    )
    gravity_forces = Compiled(
        {
            DEFAULT: newton_euler.gravity_forces,
            "luh": On(luh.gravity_forces, plain),
            "lagrange-euler": On(lagrange_euler.gravity_forces, plain, compile_up_to=8),
            "lagrangian": On(lagrangian.gravity_forces, plain, compile_up_to=8),
            "natural-orthogonal-complement": On(orthogonal_complement.gravity_forces, plain),
            "constraint-system": On(constraint_system.gravity_forces, plain),
        },
        "(q)->(n)",
        reduced,
        """Forces of the drives that hold the robot still at q against gravity.

        >>> import loadpath as lp
        >>> float(abs(lp.catalog.two_link().with_gravity((0, 0, 0)).gravity_forces([0.3, 0.4])).max())
        0.0
        """,
    )

    bias_forces = Compiled(
        newton_euler.bias_forces,
        "(q),(n)->(n)",
        reduced,
        """Forces of the drives for qdd = 0: Coriolis, centrifugal, gravity and friction forces.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> bool((arm.bias_forces([0.3, 0.4], [0, 0]) == arm.gravity_forces([0.3, 0.4])).all())
        True
        """,
        takes_external=True,
    )

    # Matrices

    mass_matrix = Compiled(
        {
            DEFAULT: composite_body.mass_matrix,
            "lagrange-euler": On(lagrange_euler.mass_matrix, plain, compile_up_to=8),
            "lagrangian": On(lagrangian.mass_matrix, plain, compile_up_to=8),
            "natural-orthogonal-complement": On(orthogonal_complement.mass_matrix, plain),
        },
        "(q)->(n,n)",
        reduced,
        """Mass matrix, symmetric, rotors included.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).mass_matrix([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """,
    )
    mass_matrix_inverse = Compiled(
        composite_body.mass_matrix_inverse,
        "(q)->(n,n)",
        reduced,
        """Inverse of the mass matrix.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).mass_matrix_inverse([0, 0]).round(12).tolist()
        [[1.0, -2.0], [-2.0, 5.0]]
        """,
        check=check_movable,
    )
    coriolis_matrix = Compiled(
        {
            DEFAULT: coriolis.coriolis_matrix,
            "lagrangian": On(lagrangian.coriolis_matrix, plain, compile_up_to=8),
            "natural-orthogonal-complement": On(orthogonal_complement.coriolis_matrix, plain),
        },
        "(q),(n)->(n,n)",
        reduced,
        """Matrix C with C qd the Coriolis and centrifugal forces, and dM/dt - 2 C skew-symmetric.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().coriolis_matrix([0, 0], [1, 2]).shape
        (2, 2)
        """,
    )
    regressor = Compiled(
        regressors.regressor,
        "(q),(n),(n)->(n,p)",
        plain,
        """Matrix (n, 10 links) that gives the drive forces, without friction and rotors, from the inertial parameters
        of all links in the order of `link_names`: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz, in the link's frame about
        its origin. It is also the derivative of the inverse dynamics by these parameters.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> arm.regressor([0, 0], [1, 2], [3, 4]).shape
        (2, 40)
        """,
    )
    drive_regressor = Compiled(
        regressors.drive_regressor,
        "(n),(n)->(n,d)",
        plain,
        """Matrix (n, 3 n) from qd and qdd: columns of the viscous frictions, of the Coulomb frictions, and of the
        reflected rotor inertias, one a speed.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().drive_regressor([1, -2], [3, 4])[1].tolist()
        [0.0, -2.0, 0.0, -1.0, 0.0, 4.0]
        """,
    )

    # Forward dynamics

    forward_dynamics = Compiled(
        {
            DEFAULT: state_space.forward_dynamics,
            "composite-body": composite_body.forward_dynamics,
            "articulated-body": articulated_body.forward_dynamics,
            "lagrange-euler": On(lagrange_euler.forward_dynamics, plain, compile_up_to=8),
            "lagrangian": On(lagrangian.forward_dynamics, plain, compile_up_to=8),
            "natural-orthogonal-complement": On(orthogonal_complement.forward_dynamics, plain),
            "constraint-system": On(constraint_system.forward_dynamics, plain),
        },
        "(q),(n),(n)->(n)",
        reduced,
        """Accelerations for given forces of the drives. Up to nine speeds between the base and a tip through the mass
        matrix, beyond that by articulated bodies: whichever takes fewer operations.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).with_gravity((0, 0, 0))
        >>> arm.forward_dynamics([0, 0], [0, 0], [3, 1]).round(12).tolist()
        [1.0, -1.0]
        """,
        takes_external=True,
        check=check_movable,
    )
    state_derivative = Compiled(
        state_space.state_derivative,
        "(x),(n)->(x)",
        reduced,
        """Derivative of the state x = (q, qd) for the drive forces u: eq. (7.45).

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().with_gravity((0, 0, 0))
        >>> arm.state_derivative([0, 0, 1, 0], [0, 0]).shape
        (4,)
        """,
        check=check_movable,
    )
    coordinate_rate = Compiled(
        state_space.coordinate_rate,
        "(q),(n)->(q)",
        plain,
        """Time derivative of q: qd itself, but for joints with a quaternion.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().coordinate_rate([0, 0], [1, 2]).tolist()
        [1.0, 2.0]
        """,
    )

    # Derivatives

    inverse_dynamics_derivatives = Compiled(
        derivatives.inverse_dynamics_derivatives,
        "(q),(n),(n)->(n,n),(n,n),(n,n)",
        reduced,
        """Derivatives of `inverse_dynamics` by q, qd and qdd: `.q`, `.qd`, `.qdd`. By q they are by a small motion with
        the meaning of qd, so they hold through quaternions. By inertial parameters: `regressor`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().inverse_dynamics_derivatives([0, 0], [1, 2], [3, 4]).q.shape
        (2, 2)
        """,
        takes_external=True,
        wrap=lambda robot, *parts: InverseDynamicsDerivatives(*parts),
    )
    forward_dynamics_derivatives = Compiled(
        derivatives.forward_dynamics_derivatives,
        "(q),(n),(n)->(n,n),(n,n),(n,n)",
        reduced,
        """Derivatives of `forward_dynamics` by q, qd and tau: `.q`, `.qd`, `.tau`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().forward_dynamics_derivatives([0, 0], [1, 2], [3, 4]).tau.shape
        (2, 2)
        """,
        takes_external=True,
        wrap=lambda robot, *parts: ForwardDynamicsDerivatives(*parts),
        check=check_movable,
    )
    forward_dynamics_parameter_derivatives = Compiled(
        derivatives.forward_dynamics_parameter_derivatives,
        "(q),(n),(n)->(n,p)",
        plain,
        """Derivatives of `forward_dynamics` by the inertial parameters of all links, in the order of `regressor`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().forward_dynamics_parameter_derivatives([0, 0], [1, 2], [3, 4]).shape
        (2, 40)
        """,
        check=check_movable,
    )

    # Motion

    link_poses = Compiled(
        kinematics.link_poses,
        "(q)->(l,4,4)",
        plain,
        """Homogeneous matrices of all link frames in the world, in the order of `link_names`.

        >>> import loadpath as lp
        >>> lp.catalog.panda().link_poses([0, 0, 0, 0, 0, 0, 0])[-1, :3, 3].round(4).tolist()
        [0.088, 0.0, 0.926]
        """,
    )
    jacobian = Compiled(
        kinematics.jacobian,
        "(q)->(6,n)",
        plain,
        """Jacobian of a link, `robot.jacobian(q, link)`: velocity of its frame's origin (three rows) above its angular
        velocity, in world axes, per unit of each speed. Without a link, of the only end that the robot has.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2, length=1.0).jacobian([0, 0], "link2").shape
        (6, 2)
        """,
        takes_link=True,
    )

    jacobian_dot = Compiled(
        derivatives.jacobian_dot,
        "(q),(n)->(6,n)",
        plain,
        """Time derivative of the Jacobian of a link, `robot.jacobian_dot(q, qd, link)`.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).jacobian_dot([0, 0], [1, 2], "link2").shape
        (6, 2)
        """,
        takes_link=True,
    )
    center_of_mass = Compiled(
        momenta.center_of_mass,
        "(q)->(3)",
        reframed,
        """Mass center, in the world, of the links that can move.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().center_of_mass([0, 0]).shape
        (3,)
        """,
        check=check_mass,
    )
    momentum = Compiled(
        momenta.momentum,
        "(q),(n)->(3),(3)",
        reframed,
        """Momentum of the links, `.linear` and `.angular` (about the mass center), in world axes.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().momentum([0, 0], [1, 2]).linear.shape
        (3,)
        """,
        wrap=lambda robot, linear, angular: Momentum(linear, angular),
        check=check_mass,
    )
    momentum_matrix = Compiled(
        momenta.momentum_matrix,
        "(q)->(6,n)",
        reframed,
        """Matrix from qd to the momentum: three rows of the linear, three of the angular about the mass center.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().momentum_matrix([0, 0]).shape
        (6, 2)
        """,
        check=check_mass,
    )
    operational_space_mobility = Compiled(
        operational_space.operational_space_mobility,
        "(q)->(6,6)",
        plain,
        """Acceleration of a link (of its origin, then angular; world axes) per unit of wrench on it: J M^-1 J^T.

        >>> import loadpath as lp
        >>> lp.catalog.panda().operational_space_mobility([0.1] * 7).shape
        (6, 6)
        """,
        takes_link=True,
        check=check_movable,
    )
    operational_space_inertia = Compiled(
        operational_space.operational_space_inertia,
        "(q)->(6,6)",
        plain,
        """Inertia felt at a link: wrench (force first, world axes, at its origin) per unit of acceleration, the inverse
        of the mobility. Where the link cannot move in every direction there is none, and the call is refused.

        >>> import loadpath as lp
        >>> lp.catalog.panda().operational_space_inertia([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7]).shape
        (6, 6)
        """,
        takes_link=True,
        wrap=existing_inertia,
        check=check_movable,
    )

    integrate = Compiled(
        configuration.integrate,
        "(q),(n)->(q)",
        plain,
        """Coordinates after one second at constant speeds v; after another time, give v times that. A sum, but for
        joints with a quaternion, whose speeds are constant in the child's axes.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().integrate([0.1, 0.2], [1, 2]).tolist()
        [1.1, 2.2]
        """,
    )
    difference = Compiled(
        configuration.difference,
        "(q),(q)->(n)",
        plain,
        """Constant speeds that lead from q to other coordinates in one second, quaternions the shorter way round.

        >>> import loadpath as lp
        >>> free = lp.catalog.panda().floating()
        >>> there = free.integrate(free.neutral(), [0.2] * 13)
        >>> bool((abs(free.difference(free.neutral(), there) - 0.2) < 1e-12).all())
        True
        """,
    )
    inverse_kinematics = inverse.inverse_kinematics

    # Motion in time

    simulate = in_time.simulate
    rollout = in_time.rollout
    step = Compiled(
        time_stepping.runge_kutta_step,
        "(q),(n),(n),()->(q),(n)",
        reduced,
        """Coordinates and speeds one step of given length (s) later, by the method of Runge and Kutta: fourth order,
        with forces of the drives held over the step. Many steps: `rollout`; with error control: `simulate`.

        >>> import loadpath as lp
        >>> q, qd = lp.catalog.two_link().step([0.1, 0.2], [0, 0], [0, 0], 0.001)
        """,
        takes_external=True,
        check=check_movable,
    )

    # Energy

    kinetic_energy = Compiled(
        energy.kinetic_energy,
        "(q),(n)->()",
        reframed,
        """Kinetic energy (J), rotors included.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).kinetic_energy([0, 0], [1, 0]).round(12))
        2.5
        """,
    )
    potential_energy = Compiled(
        energy.potential_energy,
        "(q)->()",
        reframed,
        """Potential energy (J) of the links that can move, zero for mass at the world's origin.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().with_gravity((0, 0, 0)).potential_energy([0.3, 0.4]))
        0.0
        """,
    )

    def operation_count(
        self,
        name: str = "inverse_dynamics",
        formulation: str = DEFAULT,
        link: str | None = None,
        *,
        as_written: bool = False,
    ) -> OperationCount:
        """Multiplications and additions per state that the function of that name executes: compiled, with the robot's
        constants folded in and nothing computed twice. With `as_written=True`, and where a formulation is not compiled
        because the robot is too large, those that the formulation's lines execute one after the other.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().operation_count("gravity_forces").functions > 0
        True
        >>> print(lp.catalog.random_dh_arm(6, seed=1).operation_count())
        386 multiplications, 328 additions, 10 functions
        """
        quantity = getattr(type(self), name, None)
        if not isinstance(quantity, Compiled):
            known = [key for key, value in vars(Robot).items() if isinstance(value, Compiled)]
            raise ValueError(f"'{name}' is not a compiled function; there are {', '.join(known)}")
        method = getattr(self, name)
        if quantity.takes_link:
            link = method._link(link)
        return quantity.count(self, Variant(method._formulation(formulation), link), as_written=as_written)

    def equations(self, formulation: str = DEFAULT, parameters: Choice = "numbers") -> Equations:
        """Equations of motion as SymPy expressions, by any formulation of the inverse dynamics. With
        `parameters="symbols"` every constant gets a symbol (m1, l1, c1x, I1xx, g), with a mapping the named ones get
        those given, like {"link1.mass": "m1", "joint2.origin.x": "l1"}; see `loadpath.equations.parameters`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).equations().mass_matrix
        Matrix([
        [2*cos(q2) + 3, cos(q2) + 1],
        [  cos(q2) + 1,           1]])
        """
        from loadpath import equations

        return equations.equations(self, type(self).inverse_dynamics.formulations, formulation, parameters)

    def base_parameters(
        self, *, friction: bool = False, rotors: bool = False, tolerance: float = minimal.TOLERANCE
    ) -> minimal.BaseParameters:
        """The minimal set of inertial parameters that the drive forces depend on: which parameters act together, and
        how. `friction` and `rotors` add those of the drives. Print it for a table; `.symbolic()` has the groups with
        symbols for the geometry.

        >>> import loadpath as lp
        >>> base = lp.catalog.puma560().base_parameters()
        >>> base.number, base.groups[8]
        (36, 'mx3 + 0.0203 (m3 + m4 + m5 + m6)')
        >>> print(base.symbolic().texts[8])
        mx3 + a3 (m3 + m4 + m5 + m6)
        """
        return minimal.base_parameters(self, friction=friction, rotors=rotors, tolerance=tolerance)

    # Ways out to other tools

    def casadi_function(
        self, name: str, *, link: str | None = None, formulation: str | None = None, external: ExternalLinks = ()
    ) -> Any:
        """A compiled quantity as a `casadi.Function`, for optimal control (see `loadpath.exports.casadi_function`).

        `external=["hand"]` adds an argument with the wrench on each of these links, in world axes;
        `external={"hand": "link"}` in the axes of the link.

        >>> import loadpath as lp
        >>> lp.catalog.panda().casadi_function("jacobian")
        Function(jacobian:(q[7])->(jacobian[6x7]) SXFunction)
        """
        from loadpath.exports.casadi_function import casadi_function

        return casadi_function(request(self, name, link=link, formulation=formulation, external=external))

    def c_source(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        function_name: str | None = None,
        scalar: Literal["double", "float"] = "double",
    ) -> str:
        """A compiled quantity as C99 source without dependencies or allocation (see `loadpath.exports.c_source`).

        >>> import loadpath as lp
        >>> "void hold(const float *q, float *tau)" in lp.catalog.two_link().c_source(
        ...     "gravity_forces", function_name="hold", scalar="float")
        True
        """
        from loadpath.exports.c_source import c_source

        asked = request(self, name, link=link, formulation=formulation, external=external)
        return c_source(asked, function_name, scalar)

    def jax(
        self, name: str, *, link: str | None = None, formulation: str | None = None, external: ExternalLinks = ()
    ) -> Callable[..., Any]:
        """A compiled quantity as a function of JAX arrays, of one state (see `loadpath.exports.jax_function`). Under
        `jax.jit`, XLA takes seconds to compile it.

        >>> import loadpath as lp
        >>> import jax  # doctest: +SKIP
        >>> jax.vmap(lp.catalog.two_link().jax("gravity_forces"))(jax.numpy.zeros((5, 2))).shape  # doctest: +SKIP
        (5, 2)
        """
        from loadpath.exports.jax_function import jax_function

        return jax_function(request(self, name, link=link, formulation=formulation, external=external))

    # Other robots from this one

    def with_payload(
        self,
        mass: float,
        center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        inertia: Any = None,
        link: str | None = None,
        name: str = "payload",
    ) -> Robot:
        """The robot carrying a payload on a link (see `loadpath.robot.edit.with_payload`).

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_payload(mass=3.0).link_names[-1]
        'payload'
        """
        return edit.with_payload(self, mass, center_of_mass, inertia=inertia, link=link, name=name)

    def without_payload(self, name: str = "payload") -> Robot:
        """The robot without the payload of that name.

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_payload(mass=3.0).without_payload() == lp.catalog.panda()
        True
        """
        return edit.without_payload(self, name)

    def with_inertias(self, inertias: Mapping[str, Inertia]) -> Robot:
        """The robot with other inertias of some links.

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_inertias({"panda_link7": lp.Inertia(1.0)}).link("panda_link7").inertia.mass
        1.0
        """
        return edit.with_inertias(self, inertias)

    def with_gravity(self, gravity: Any) -> Robot:
        """The robot under another gravity (m/s^2, world axes).

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_gravity((0, 0, -1.62)).gravity
        (0.0, 0.0, -1.62)
        """
        return edit.with_gravity(self, gravity)

    def locked(self, joints: Mapping[str, Any]) -> Robot:
        """The robot with joints frozen at the given coordinates.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().locked({"joint2": 0.5}).n
        1
        """
        return edit.locked(self, joints)

    def floating(self, name: str = "floating_base", world: str = "world") -> Robot:
        """The robot with its base free to move against a new link `world`: six more degrees of freedom in front.

        >>> import loadpath as lp
        >>> free = lp.catalog.panda().floating()
        >>> free.n, free.nq
        (13, 14)
        """
        return edit.floating(self, name, world)

    def without_friction(self) -> Robot:
        """The robot without joint friction.

        >>> import loadpath as lp
        >>> lp.catalog.puma560().without_friction().joints[0].viscous_friction
        (0.0,)
        """
        return edit.without_friction(self)

    def without_rotors(self) -> Robot:
        """The robot without rotor inertias.

        >>> import loadpath as lp
        >>> lp.catalog.puma560().without_rotors().joints[0].rotor_inertia
        (0.0,)
        """
        return edit.without_rotors(self)

    def __repr__(self) -> str:
        return f"<Robot '{self.name}': {len(self.links)} links, {len(self.joints)} joints, {self.n} degrees of freedom>"


def as_robot(model: RobotModel) -> Robot:
    """The public robot of a model."""
    return Robot(**{part.name: getattr(model, part.name) for part in fields(model)})


def public(make: Callable[P, RobotModel]) -> Callable[P, Robot]:
    """The same maker of robots, giving the public class."""
    import functools

    @functools.wraps(make)
    def made(*arguments: P.args, **options: P.kwargs) -> Robot:
        return as_robot(make(*arguments, **options))

    return made


from_dh = public(dh.from_dh)


def load(path: str | PathLike[str], *, strict: bool = False) -> Robot:
    """A robot from a file: URDF, by its ending. `strict=True` makes an error of every doubt about the inertias.

    >>> load("arm.step")
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.step: files ending in '.step' are not known; there is '.urdf'
    """
    ending = Path(path).suffix.lower()
    if ending == ".urdf":
        from loadpath.robot.urdf import load_urdf

        return as_robot(load_urdf(path, strict=strict))
    raise ModelError(f"{path}: files ending in '{ending}' are not known; there is '.urdf'")


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {f"Robot.{key}": value.__doc__ or "" for key, value in vars(Robot).items() if isinstance(value, Compiled)}
