"""What a robot is asked for and does not have: words that say which other object has it, and how to get that."""

from __future__ import annotations

import importlib
import inspect

from loadpath.engine.attached import ByAttachment
from loadpath.robot.model import RobotModel

POSES = "link_poses(q): homogeneous matrices of all links, the last one that of the last link"
CALLED = {
    **dict.fromkeys(("fk", "fkine", "fkine_all", "forward_kinematics", "forwardKinematics", "tip_pose"), POSES),
    **dict.fromkeys(("ik", "ikine", "ikine_LM", "inverseKinematics"), "inverse_kinematics(pose)"),
    **dict.fromkeys(("rnea", "rne", "id", "torques", "torque", "inverseDynamics"), "inverse_dynamics(q, qd, qdd)"),
    **dict.fromkeys(("aba", "fd", "fdyn", "accel", "forwardDynamics"), "forward_dynamics(q, qd, tau)"),
    **dict.fromkeys(("crba", "inertia", "mass", "M"), "mass_matrix(q)"),
    **dict.fromkeys(("coriolis", "C"), "coriolis_matrix(q, qd)"),
    **dict.fromkeys(("nle", "bias", "h"), "bias_forces(q, qd)"),
    **dict.fromkeys(("gravload", "gravity_load", "gravity_torque", "gravity_torques"), "gravity_forces(q)"),
    **dict.fromkeys(("jacob0", "jacobe", "jac", "J"), "jacobian(q, link): in world axes"),
    **dict.fromkeys(("com", "center_of_gravity"), "center_of_mass(q)"),
    **dict.fromkeys(("reactions", "reaction_forces", "joint_reactions", "joint_loads", "wrenches"),
                    "joint_wrenches(q, qd, qdd), with causes load_breakdown(...)"),
    **dict.fromkeys(("payload", "add_payload", "set_payload"), "with_payload(mass): another robot, this one stays"),
    **dict.fromkeys(("base_reaction", "base_force"), "base_wrench(q, qd, qdd)"),
    **dict.fromkeys(("teach", "show", "display", "visualize"), "view()"),
    **dict.fromkeys(("sim", "run"), "simulate(q, qd, torque, duration)"),
    **dict.fromkeys(("dof", "ndof", "nv", "num_joints"), "n, and names in dof_names"),
}
"""What people who come from elsewhere ask a robot for, and what has it here."""


def missing(robot: RobotModel, name: str) -> str:
    """The words of an AttributeError.

    >>> import loadpath as lp
    >>> missing(lp.catalog.planar(2), "deflection")
    "robot 'planar2' is rigid and has no 'deflection': give it beams or joint compliance, robot.with_beams(...)"
    >>> missing(lp.catalog.planar(2), "rnea")
    "'Robot' object has no attribute 'rnea': here it is robot.inverse_dynamics(q, qd, qdd)"
    """
    # Not robot.name, which may be what is missing while a robot is being unpickled.
    title = robot.__dict__.get("name", "")
    if not name.startswith("_"):
        importlib.import_module("loadpath.mobile")  # which says what wheels bring
    line = inspect.getattr_static(type(robot), name, None)
    if isinstance(line, ByAttachment) and line.beams is not None and not robot.is_elastic:
        return f"robot '{title}' is rigid and has no '{name}': give it beams or joint compliance, robot.with_beams(...)"
    if isinstance(line, ByAttachment) and line.wheels is not None:
        return (
            f"robot '{title}' stands on no wheels and has no '{name}': put it on a base, "
            "lp.WheeledBase(...).carrying(robot)"
        )
    if isinstance(line, ByAttachment) and line.loops is not None:
        return (
            f"robot '{title}' is an open chain, all of its joints driven, and has no '{name}': close it with "
            "robot.with_loop(...) or robot.with_coupling({...})"
        )
    here = f": here it is robot.{CALLED[name]}" if name in CALLED else ""
    return f"'{type(robot).__name__}' object has no attribute '{name}'{here}"

