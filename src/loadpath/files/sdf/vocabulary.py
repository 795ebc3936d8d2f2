"""The words of SDF that count in the dynamics; `vocabulary.Watch` looks for others."""

from __future__ import annotations

from loadpath.files.vocabulary import Watch, Word, word

ROTOR_INERTIA, GEAR_RATIO = "drake:rotor_inertia", "drake:gear_ratio"
"""Drake's words for what SDF has none for: the same numbers as here, kg m^2 at the rotor and its turns for one of the
joint."""
_AXIS = word("xyz dynamics limit mimic use_parent_model_frame", "", "initial_position joint_properties")
_LEAVES = (
    "mass density ixx ixy ixz iyy iyz izz lower upper effort velocity damping friction spring_reference "
    "spring_stiffness multiplier offset reference thread_pitch screw_thread_pitch gearbox_ratio "
    "gearbox_reference_body fluid_added_mass use_parent_model_frame"
)
VOCABULARY: dict[str, Word] = {
    "sdf": word("world model include", "version", "actor light"),
    "world": word(
        "model include frame joint gravity physics state population",
        "name",
        "actor light audio wind plugin gui scene atmosphere road spherical_coordinates magnetic_field",
    ),
    "model": word(
        "link joint frame model include pose static",
        "name canonical_link placement_frame",
        "self_collide allow_auto_disable plugin gripper enable_wind attachment",
    ),
    "include": word("uri name pose static placement_frame", "merge", "plugin"),
    "link": word(
        "inertial pose gravity kinematic visual collision velocity_decay must_be_base_link",
        "name",
        "sensor projector audio_sink audio_source battery light particle_emitter self_collide enable_wind",
    ),
    "joint": word(
        "parent child pose axis axis2 gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch physics "
        f"{ROTOR_INERTIA} {GEAR_RATIO}",
        "name type",
        "sensor plugin",
    ),
    "frame": word("pose", "name attached_to"),
    "pose": word("", "relative_to degrees rotation_format frame"),
    "inertial": word("mass pose inertia density fluid_added_mass", "auto", "auto_inertia_params"),
    "inertia": word("ixx ixy ixz iyy iyz izz"),
    "axis": _AXIS,
    "axis2": _AXIS,
    "xyz": word("", "expressed_in"),
    "dynamics": word("damping friction spring_reference spring_stiffness"),
    "limit": word("lower upper effort velocity", "", "stiffness dissipation"),
    "mimic": word("multiplier offset reference", "joint axis"),
    **{tag: word() for tag in _LEAVES.split()},
}
# Words that are not like the one meant.
_SYNONYMS = {
    "min": "lower",
    "max": "upper",
    "speed": "velocity",
    "torque": "effort",
    "force": "effort",
    "origin": "pose",
    "ratio": "multiplier",
}
_REPEATED = frozenset({"link", "joint", "frame", "model", "include", "visual", "collision", "world"})


def sdf_watch() -> Watch:
    """A watch for the words of SDF."""
    return Watch("SDF", VOCABULARY, _SYNONYMS, _REPEATED)
