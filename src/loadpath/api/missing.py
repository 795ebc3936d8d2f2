"""What a robot is asked for and does not have: words that say which other object has it, and how to get that."""

from __future__ import annotations

from loadpath.robot.model import RobotModel

ELASTIC = frozenset(
    {
        "bandwidth_check",
        "beams",
        "buckling",
        "buckling_safety",
        "compensated",
        "deflection",
        "extremes",
        "fatigue",
        "frequency_map",
        "frequency_response",
        "guides",
        "joint_compliances",
        "natural_frequencies",
        "plot_deflection",
        "plot_safety",
        "respond",
        "shaped",
        "stiffness",
        "stress",
    }
)
"""What only a robot with beams or compliant joints has, `lp.FlexibleRobot`."""
ON_WHEELS = frozenset(
    {
        "contact_loads",
        "ground_wrench",
        "largest_acceleration",
        "largest_payload",
        "roll",
        "slip",
        "stability",
        "wheel_loads",
        "wheel_motion",
    }
)
"""What only a robot on wheels has, `lp.Rover`."""
CLOSED = frozenset(
    {
        "assemble",
        "closed_joint_names",
        "closure",
        "complement",
        "complete",
        "constraint_jacobian",
        "couplings",
        "driven",
        "driven_jacobian",
        "driven_mass_matrix",
        "gruebler",
        "home",
        "independent",
        "loop_names",
        "loop_positions",
        "loops",
        "mobility",
        "mobility_report",
        "motion",
        "passive",
        "preload_for",
        "singularities",
        "tree",
        "with_driven",
        "with_home",
    }
)
"""What only a robot with loops or couplings has, `lp.ClosedRobot`."""


def missing(robot: RobotModel, name: str) -> str:
    """The words of an AttributeError.

    >>> from loadpath.robot.catalog import planar
    >>> missing(planar(2), "deflection")
    "robot 'planar2' is rigid and has no 'deflection': give it beams or joint compliance, robot.with_beams(...)"
    """
    # Not robot.name, which may be what is missing while a robot is being unpickled.
    title = robot.__dict__.get("name", "")
    if name in ELASTIC:
        return f"robot '{title}' is rigid and has no '{name}': give it beams or joint compliance, robot.with_beams(...)"
    if name in ON_WHEELS:
        return (
            f"robot '{title}' stands on no wheels and has no '{name}': put it on a base, "
            "lp.WheeledBase(...).carrying(robot)"
        )
    if name in CLOSED:
        return (
            f"robot '{title}' is an open chain, all of its joints driven, and has no '{name}': close it with "
            "robot.with_loop(...) or robot.with_coupling({...})"
        )
    return f"'{type(robot).__name__}' object has no attribute '{name}'"
