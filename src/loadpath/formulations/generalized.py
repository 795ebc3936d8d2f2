"""The closed form of the generalized manipulator (Lau's thesis, chapters 3 and 4): links joined by joints of up to six
freedoms, and every force and torque at every joint as a sum of terms, each with its cause.

| here | what it is | thesis |
|---|---|---|
| `generalized_motion` | motion of the joints: w_k, alpha_k, u_k, a_k | 2-70 to 2-80, 3-5 to 3-18 |
| `generalized_terms` | the terms F_i^{k,j}, F_i^{kk,j}, F_i^{kl,j}, F_i^{g,j} and N likewise | 3-81 to 3-99 |
| `generalized` | their sums: joint wrenches and drive forces | 3-81, 3-90 |
| `generalized_coefficients` | one freedom at a time: D_i, D_ik, D_ikl; reactions in any direction | chapter 4 |
| `generalized_variables` | selection vectors s, generalized rotations delta and displacements mu | 4-1 to 4-7 |
| `generalized_recursive` | the same dynamics as a recursion in vectors | section 5.3 |
| `generalized_matrices` | and in matrices | section 5.2 |

Differences from the thesis, each of which contains its case: frames may lie anywhere; frame k is fixed to link k, after
the motion of joint k (the thesis calls it frame k+1 in its derivation, frame k in its examples); links may form a tree;
a joint's own products of speeds come from its class (see `generalized_motion`). Joints are numbered from the base, and
the force of a joint is what it must supply: the parent's on the child.
"""

from __future__ import annotations

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.formulations.generalized_terms import terms
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import at_joint_frames, from_wrenches
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives for a motion, by the closed form: of the sums (3-81), (3-90), what lies along the freedoms.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> still = array([0.0, 0.0])
    >>> [round(tau, 12) for tau in inverse_dynamics(plain(catalog.two_link()), still, still, array([1.0, 0.0]))]
    [5.0, 2.0]
    """
    return from_wrenches(mechanism, q, qd, qdd, terms(mechanism, q, qd, qdd, external).totals())


@on_moving_base
def joint_wrenches(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> tuple[Array, Array]:
    """Force and torque at every joint by the closed form (3-81, 3-90), each (joints, 3): at the joint's origin, in the
    child's joint frame, exerted by the parent on the child.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import zeros
    >>> force, torque = joint_wrenches(plain(catalog.two_link()), zeros(2), zeros(2), zeros(2))    # it hangs: x is down
    >>> force[0].tolist()
    [-19.6, 0.0, 0.0]
    """
    return at_joint_frames(mechanism, q, terms(mechanism, q, qd, qdd, external).totals())


gravity_forces = gravity_from(inverse_dynamics)
bias_forces = bias_from(inverse_dynamics)

FORMULATION = Formulation(
    name="generalized",
    citation="Lau 1985, chapters 3 and 4",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
    compile_up_to=12,
)
