"""The words of URDF that count in the dynamics; `vocabulary.Watch` looks for others."""

from __future__ import annotations

from loadpath.files.vocabulary import Watch, Word, word

VOCABULARY: dict[str, Word] = {
    "robot": word(
        "link joint loop coupling constraint driven",
        "name version",
        "material gazebo transmission sensor ros2_control mujoco plugin visual collision",
    ),
    "link": word(
        "inertial",
        "name type",
        "visual collision contact surface self_filter collision_checking material sensor verbose",
    ),
    "joint": word(
        "parent child origin axis second_axis limit dynamics drive mimic freedom",
        "name type dont_collapse independent link_offset near",
        "safety_controller calibration",
    ),
    "inertial": word("origin mass inertia"),
    "origin": word("", "xyz rpy quat_xyzw"),
    "mass": word("", "value"),
    "inertia": word("", "ixx ixy ixz iyy iyz izz"),
    "parent": word("", "link"),
    "child": word("", "link"),
    "axis": word("", "xyz zero pitch"),
    "second_axis": word("", "xyz"),
    "limit": word("", "lower upper velocity effort acceleration deceleration jerk"),
    "dynamics": word("", "damping friction"),
    "mimic": word("", "joint multiplier offset"),
    # Of this library: see `urdf_freedoms`, `urdf_speeds`, `urdf_joint_types` and `urdf_loops`.
    "freedom": word("limit dynamics drive", "value type xyz label"),
    "drive": word("", "ratio rotor_inertia armature"),
    "term": word("", "speed factor"),
    "driven": word("term"),
    # Loops: URDF+ (Chignoli et al. 2024) and the proposal urdfdom#264.
    "loop": word("predecessor successor axis second_axis freedom", "name type"),
    "coupling": word("predecessor successor ratio term", "name offset"),
    "predecessor": word("origin", "link"),
    "successor": word("origin", "link"),
    "ratio": word("", "value"),
    "constraint": word("parent parent_origin parent_axis child child_origin child_axis", "name type"),
    "parent_origin": word("", "xyz rpy quat_xyzw"),
    "child_origin": word("", "xyz rpy quat_xyzw"),
    "parent_axis": word("", "xyz"),
    "child_axis": word("", "xyz"),
}
# Words that are not like the one meant.
_SYNONYMS = {
    "min": "lower",
    "max": "upper",
    "speed": "velocity",
    "torque": "effort",
    "force": "effort",
    "ratio": "multiplier",
    "position": "xyz",
    "rotation": "rpy",
    "orientation": "rpy",
}
_REPEATED = frozenset({"link", "joint", "loop", "coupling", "constraint", "freedom", "term"})


def urdf_watch() -> Watch:
    """A watch for the words of URDF."""
    return Watch("URDF", VOCABULARY, _SYNONYMS, _REPEATED)
