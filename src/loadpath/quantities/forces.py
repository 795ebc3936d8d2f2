"""What is computed of a robot, a line each: the quantity's formulations, its signature, the mechanism it is traced on,
and what it has in addition while there are loops.

Forces, matrices, forward and mixed dynamics: the first part of the table. Their derivatives are in
`slopes.py`, the others in `motion.py` and `table.py`; what there is with loops alone is in `closed.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from loadpath.algorithms import articulated_body, composite_body, coriolis, state_space
from loadpath.algorithms import mixed_dynamics as mixed
from loadpath.algorithms import regressor as regressors
from loadpath.algorithms.loops import driven, equilibrium, load_terms, orthogonal_complement, reactions
from loadpath.algorithms.loops import forward_dynamics as forward
from loadpath.algorithms.loops import inverse_dynamics as inverse
from loadpath.algorithms.loops.checks import check_moved
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import On
from loadpath.formulations import moving_base
from loadpath.formulations.formulation import Equation
from loadpath.formulations.table import FORMULATIONS
from loadpath.mechanics.wrenches import BASE_MOTION, GRAVITY, ON_BASE
from loadpath.quantities.declared import compiled
from loadpath.quantities.large_breakdown import in_pieces
from loadpath.quantities.load_index import count_terms
from loadpath.quantities.loops import (
    WITH_EFFORT,
    WITH_REACTIONS,
    WITH_STATUS,
    WITH_WRENCHES,
    by_complement,
    check_broken_down,
    check_held_still,
    check_movable,
    wrenches_of,
)
from loadpath.results import (
    MixedDynamics,
    load_terms_of,
)
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from loadpath.states.mixed import BY_NAME

if TYPE_CHECKING:
    from loadpath.quantities.declared import Out, Packable
    from loadpath.quantities.load_keywords import (
        BaseMotionKeywords,
        DriveLoadKeywords,
        HeldKeywords,
        LoadKeywords,
    )
    from loadpath.quantities.wrench import JointWrenches
    from loadpath.results import LoadTerms
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike


def by_formulation(quantity: str, default: Callable[..., Any] | None = None) -> dict[str, Callable[..., Any] | On]:
    """The functions of one quantity by the names of the formulations that give it: the default on the mechanism of the
    quantity, the others on the robot as it is.
    """
    found: dict[str, Callable[..., Any] | On] = {}
    for name, formulation in FORMULATIONS.items():
        function = getattr(formulation, quantity)
        if name == DEFAULT:
            found[name] = default or function
        elif function is not None:
            found[name] = On(function, plain, formulation.compile_up_to, dict.fromkeys(BASE_MOTION, moving_base.SPEEDS))
    return found


def closed_bias_forces(of_tree: Equation) -> inverse.ClosedEquation:
    """The bias forces with loops, which accelerate the dependent joints: from the inverse dynamics of the formulation
    whose bias forces these are.
    """
    formulation = next(each for each in FORMULATIONS.values() if each.bias_forces is of_tree)
    return inverse.closed_bias_forces(formulation.inverse_dynamics)


def _names(prescribed: object) -> tuple[str, ...]:
    """Names of speeds in any order as a choice that does not depend on it."""
    if isinstance(prescribed, str) or not isinstance(prescribed, Iterable):
        raise ValueError(f"mixed_dynamics: 'prescribed' is {prescribed!r}: expected names of speeds, like ('joint1',)")
    return tuple(sorted(map(str, prescribed)))


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class ForceQuantities(ClosableRobot):
    """A robot, its forces, its matrices and its forward dynamics."""

    # Forces

    @compiled(
        by_formulation("inverse_dynamics"),
        "(q),(n),(n)->(n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        check=check_moved,
        loops=WITH_EFFORT(
            closing=inverse.closed_inverse_dynamics,
            formulations=by_complement(orthogonal_complement.inverse_dynamics),
        ),
        purpose="Forces of the drives",
    )
    def inverse_dynamics(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        formulation: str = DEFAULT,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Floats:
        """Forces of the drives (N m, N) that give the motion q, qd, qdd against gravity, friction and rotor inertia.

        `external={"link": lp.Wrench(force=, torque=)}` adds wrenches that the surroundings exert on links. For a base
        that moves give `base_velocity=` and `base_acceleration=`, each (..., 6): velocity and acceleration of the root
        link's origin (its ordinary second derivative), then the angular ones, in the root link's axes. The world's
        axes, with gravity, coincide with these at that instant. `gravity=`, (..., 3) in world axes, takes the place of
        the robot's own, over a motion also as a function of time. `under=lp.LoadCase(...)` has all of these together.

        With loops the state must be one of the closed robot (`assemble`, `complete`), or it is refused; `strict=False`
        gives the numbers all the same, and a warning. Passive joints give no force: theirs are exactly zero. With more
        drives than freedoms the forces are those with the least sum of squares; `weights=` (..., drives) multiplies
        each force in that sum, and with `preload=` (..., drives) the forces differ least from these instead. Freedoms
        that no drive moves (a rod that spins between two balls, a load that swings) accelerate as they must where
        nothing drives them, whatever `qdd` says of them: in a motion under the drives alone, as it does.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
        >>> arm.inverse_dynamics([0.1, 0.2], [0, 0], [1, 2]).shape
        (2,)
        >>> arm.inverse_dynamics([[0.1, 0.2]] * 1000, [0, 0], [1, 2]).shape
        (1000, 2)
        >>> falling = (*arm.gravity, 0, 0, 0)
        >>> float(abs(arm.inverse_dynamics([0.1, 0.2], [0, 0], [0, 0], base_acceleration=falling)).max())
        0.0
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})                  # from the base
        >>> belt.inverse_dynamics([0.2, -0.1], [0, 0], [1, -0.5]).round(6).tolist()[1]
        0.0
        """

    @compiled(
        by_formulation("joint_wrenches", reactions.joint_wrenches),
        "(q),(n),(n)->(j,3),(j,3)",
        reframed,
        optional=ON_BASE,
        takes_external=True,
        check=check_moved,
        wrap=wrenches_of,
        loops=WITH_WRENCHES(
            signature="(q),(n),(n)->(w,3),(w,3)", formulations=by_complement(equilibrium.joint_wrenches)
        ),
        purpose="Loads of every joint",
    )
    def joint_wrenches(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        formulation: str = DEFAULT,
        compliances: Mapping[str, float | Sequence[float]] | None = None,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> JointWrenches:
        """Force (N) and torque (N m) at every joint, fixed ones too: `.force` and `.torque` are (..., joints, 3), at
        the joint's origin, in the child link's joint frame, exerted by the parent on the child. Friction and rotor
        inertia act inside the drive and are not in them. `external=`, `base_velocity=` and `base_acceleration=` as
        in `inverse_dynamics`.

        Loops come after the joints, by name `["pin"]`: in the loop's frame `on`, exerted by the first link on the
        second. Where statics leaves components open, they are those with the least sum of squares of all components
        (N, N m) at all joints: `.determinate` (..., joints, 6) says which components do not depend on that. Instead of
        equally stiff joints `compliances={"pin": 2e-8}` gives those of joints and loops: one number, or six along (m/N)
        and about (rad/(N m)) the axes of the joint frame; joints that are not named are stiff.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> wrenches = arm.joint_wrenches([0, 0], [0, 0], [0, 0])
        >>> wrenches.force.shape, wrenches["joint2"].force.shape       # the tip is welded on: a joint too
        ((3, 3), (3,))
        >>> pin = lp.Revolute((0, 0, 1))
        >>> bar = lp.catalog.planar(3).with_loop("pin", "base", "link3", motion=pin, at=(2, 0, 0), q=[0.5, 1.2, 1.3])
        >>> bar.joint_wrenches([0.5, 1.2, 1.3], [0, 0, 0], [0, 0, 0])["pin"].force.shape
        (3,)
        """

    @compiled(
        load_terms.load_terms,
        "(q),(n),(n)->(t,6),(n),(n)",
        plain,
        takes_external=True,
        optional=ON_BASE,
        choices={"by": "freedom", "by_link": False, "frame": "joint"},
        sizes=count_terms,
        most_results=15_000,
        in_pieces=in_pieces,
        check=check_broken_down,
        wrap=load_terms_of,
        loops=WITH_REACTIONS(
            signature="(q),(n),(n)->(t,6),(n),(n),(u,a)",
            sizes=count_terms,
            most_results=6_000,  # a term is carried through the loops to every joint of its circuit: programs are long
        ),
        purpose="Loads of every joint",
    )
    def load_terms(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        by: Literal["freedom", "joint", "drive"] = "freedom",
        by_link: bool = False,
        frame: str = "joint",
        compliances: Mapping[str, float | Sequence[float]] | None = None,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> LoadTerms:
        """The arrays that `load_breakdown` is made of: `.values` (..., terms, 6), force and torque at every joint by
        cause, in the order of `load_breakdown(...).index.terms`; `.friction` and `.rotor` of the drives, (..., n).

        With loops, whose wrenches are among these, friction and rotors are those of all speeds, and there is `.drives`
        (..., sources, drives), what each of `index.sources` takes from each drive. Options as in `joint_wrenches`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().load_terms([0, 0], [1, 2], [3, 4]).values.shape
        (13, 6)
        >>> bar = lp.catalog.four_bar()
        >>> bar.load_terms(bar.home, [0, 0, 0], [0, 0, 0]).values.shape
        (40, 6)
        """

    @compiled(
        by_formulation("gravity_forces"),
        "(q)->(n)",
        reduced,
        optional=GRAVITY,
        check=check_held_still,
        loops=WITH_EFFORT(closing=inverse.closed_gravity_forces),
        purpose="Forces of the drives",
    )
    def gravity_forces(
        self,
        q: StatesLike,
        *,
        formulation: str = DEFAULT,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[HeldKeywords],
    ) -> Floats:
        """Forces of the drives that hold the robot still at q against gravity; with loops, `weights=`, `preload=` and
        `strict=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> float(abs(lp.catalog.two_link().with_gravity((0, 0, 0)).gravity_forces([0.3, 0.4])).max())
        0.0
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> bool((belt.gravity_forces([0.2, -0.1]) == belt.inverse_dynamics([0.2, -0.1], [0, 0], [0, 0])).all())
        True
        """

    @compiled(
        by_formulation("bias_forces"),
        "(q),(n)->(n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        check=check_moved,
        loops=WITH_EFFORT(closing=closed_bias_forces),
        purpose="Forces of the drives",
    )
    def bias_forces(
        self,
        q: StatesLike,
        qd: ArrayLike,
        *,
        formulation: str = DEFAULT,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Floats:
        """Forces of the drives for qdd = 0: Coriolis, centrifugal, gravity and friction forces. With loops it is the
        independent speeds (`robot.independent`) that do not accelerate; the others do as the loops make them.
        `external=`, `base_velocity=`, `base_acceleration=` and, with loops, all else as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> bool((arm.bias_forces([0.3, 0.4], [0, 0]) == arm.gravity_forces([0.3, 0.4])).all())
        True
        """

    # Matrices

    @compiled(by_formulation("mass_matrix", composite_body.mass_matrix), "(q)->(n,n)", reduced, purpose="Matrices")
    def mass_matrix(self, q: StatesLike, *, formulation: str = DEFAULT, out: Out = None) -> Floats:
        """Mass matrix, symmetric, rotors included.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).mass_matrix([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """

    @compiled(
        forward.accelerations_per_force,
        "(q)->(n,n)",
        reduced,
        check=check_movable,
        loops=WITH_STATUS(passive_chains=False),
        purpose="Matrices",
    )
    def mass_matrix_inverse(self, q: StatesLike, *, strict: bool = True, out: Out = None) -> Floats:
        """Inverse of the mass matrix: all accelerations per unit of force at each joint.

        With loops, the inverse among the motions that these allow, T (T'MT)^-1 T' with the `complement` T. Of rank
        `mobility`, so it has no inverse itself; that of `driven_mass_matrix` are its entries of the independent speeds.
        Also at dead points.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).mass_matrix_inverse([0, 0]).round(12).tolist()
        [[1.0, -2.0], [-2.0, 5.0]]
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> A = belt.mass_matrix_inverse([0.2, -0.1])
        >>> bool(abs(belt.constraint_jacobian([0.2, -0.1]) @ A).max() < 1e-12)
        True
        """

    @compiled(
        by_formulation("coriolis_matrix", coriolis.coriolis_matrix),
        "(q),(n)->(n,n)",
        reduced,
        purpose="Matrices",
        not_with=dict.fromkeys(
            BASE_MOTION, "it is of the speeds of the joints; bias_forces has what a moving base adds"
        ),
    )
    def coriolis_matrix(self, q: StatesLike, qd: ArrayLike, *, formulation: str = DEFAULT, out: Out = None) -> Floats:
        """Matrix C with C qd the Coriolis and centrifugal forces, and dM/dt - 2 C skew-symmetric.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().coriolis_matrix([0, 0], [1, 2]).shape
        (2, 2)
        """

    @compiled(
        regressors.regressor,
        "(q),(n),(n)->(n,p)",
        plain,
        optional=ON_BASE,
        check=check_moved,
        loops=WITH_STATUS(closing=driven.closed_regressor),
        purpose="Identification",
        packed=False,
    )
    def regressor(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        packed: bool = False,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[BaseMotionKeywords],
    ) -> Packable[Floats, Floats]:
        """Matrix (n, 10 links) that gives the drive forces, without friction and rotors, from the inertial parameters
        of all links in the order of `link_names`: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz, in the link's frame about
        its origin. It is also the derivative of the inverse dynamics by these parameters. With loops, rows of passive
        joints are zero. `packed=True` as in `inverse_dynamics_derivatives`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> arm.regressor([0, 0], [1, 2], [3, 4]).shape
        (2, 40)
        """

    @compiled(
        regressors.drive_regressor,
        "(n),(n)->(n,d)",
        plain,
        check=check_moved,
        loops=WITH_STATUS(signature="(q),(n),(n)->(n,d)", closing=driven.closed_drive_regressor),
        purpose="Identification",
    )
    def drive_regressor(self, *arrays: ArrayLike, strict: bool = True, out: Out = None) -> Floats:
        """Matrix (n, 3 n) from qd and qdd: columns of the viscous frictions, of the Coulomb frictions, and of the
        reflected rotor inertias, one a speed. Of a joint that mimics with the multiplier m, its parameters times m²,
        |m| and m² are part of those of the joint that it follows. With loops, from q, qd and qdd: those of passive
        joints load the drives through the loops; rows of passive joints are zero.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().drive_regressor([1, -2], [3, 4])[1].tolist()
        [0.0, -2.0, 0.0, -1.0, 0.0, 4.0]
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> belt.drive_regressor([0.2, -0.2], [1, -1], [0, 0])[0, :4].tolist()
        [1.0, 1.0, 1.0, 1.0]
        """

    # Forward dynamics

    @compiled(
        by_formulation("forward_dynamics", forward.forward_dynamics)
        | {"composite-body": composite_body.forward_dynamics, "articulated-body": articulated_body.forward_dynamics},
        "(q),(n),(n)->(n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        check=check_movable,
        loops=WITH_STATUS(
            formulations={
                "independent-speeds": On(forward.by_complement, reduced),
                **by_complement(orthogonal_complement.forward_dynamics),
            }
        ),
        purpose="Forward dynamics",
    )
    def forward_dynamics(
        self,
        q: StatesLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        formulation: str = DEFAULT,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> Floats:
        """Accelerations for given forces of the drives. Up to nine speeds between the base and a tip through the mass
        matrix, beyond that by articulated bodies: whichever takes fewer operations. `external=`, `base_velocity=` and
        `base_acceleration=` as in `inverse_dynamics`.

        With loops, tau (n) has forces at all joints; at passive joints these are zero, unless a spring or the like acts
        there. By the principle of Gauss, which needs no independent speeds and passes dead points; by the formulation
        "independent-speeds" in these. `strict=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).with_gravity((0, 0, 0))
        >>> arm.forward_dynamics([0, 0], [0, 0], [3, 1]).round(12).tolist()
        [1.0, -1.0]
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> qdd = belt.forward_dynamics([0.2, -0.1], [0, 0], [3.0, 0])
        >>> bool(abs(belt.inverse_dynamics([0.2, -0.1], [0, 0], qdd) - [3.0, 0]).max() < 1e-12)
        True
        """

    @compiled(
        forward.state_derivative,
        "(x),(n)->(x)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        check=check_movable,
        loops=WITH_STATUS(),
        purpose="Forward dynamics",
    )
    def state_derivative(
        self, x: ArrayLike, u: ArrayLike, *, strict: bool = True, out: Out = None, **acting: Unpack[LoadKeywords]
    ) -> Floats:
        """Derivative of the state x = (q, qd) for the drive forces u, eq. (7.45): see `forward_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().with_gravity((0, 0, 0))
        >>> arm.state_derivative([0, 0, 1, 0], [0, 0]).shape
        (4,)
        """

    @compiled(state_space.coordinate_rate, "(q),(n)->(q)", plain, purpose="Coordinates")
    def coordinate_rate(self, q: StatesLike, qd: ArrayLike, *, out: Out = None) -> Floats:
        """Time derivative of q: qd itself, but for joints with a quaternion.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().coordinate_rate([0, 0], [1, 2]).tolist()
        [1.0, 2.0]
        """

    @compiled(
        {DEFAULT: mixed.mixed_dynamics, "constraint-system": On(mixed.by_linear_system, plain)},
        "(q),(n),(n)->(n),(n)",
        reduced,
        optional=ON_BASE,
        choices={"prescribed": ()},
        choice_readers={"prescribed": _names},
        takes_external=True,
        wrap=lambda robot, qdd, tau: MixedDynamics(qdd, tau),
        by_name=BY_NAME,
        purpose="Forces of the drives",
    )
    def mixed_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        known: ArrayLike | None = None,
        *,
        formulation: str = DEFAULT,
        accelerations: Mapping[str, ArrayLike] | None = None,
        forces: Mapping[str, ArrayLike] | None = None,
        prescribed: Sequence[str] = (),
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> MixedDynamics:
        """All accelerations and drive forces, `.qdd` and `.tau`, where of each speed one of them is known:
        `robot.mixed_dynamics(q, qd, accelerations={"joint1": 0.5}, forces={"joint2": 3.0})`. Every speed must be named
        once, as in `dof_names`; a joint with several speeds may be named as a whole, with (..., speeds) or one number.
        Values are numbers or arrays with batch axes. `external=`, `base_velocity=` and `base_acceleration=` as in
        `inverse_dynamics`.

        Which accelerations are prescribed is fixed when a function is compiled, so each choice compiles once. The
        function itself, for exports, takes `known`, (..., n), the acceleration or the force of each speed, and
        `prescribed=("joint1",)`, the names of those with accelerations.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(gravity=0)
        >>> found = arm.mixed_dynamics([0, 0], [0, 0], accelerations={"joint1": 1.0}, forces={"joint2": 0.0})
        >>> found.qdd.round(12).tolist(), found.tau.round(12).tolist()             # joint 2 swings freely
        ([1.0, -2.0], [1.0, 0.0])
        """
