"""The real robots of the package example-robot-data: one URDF each, found through what is installed."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path


def urdf_files() -> dict[str, Path]:
    """Path of each URDF by a short name, "folder/file", e.g. "panda_description/panda"."""
    found = {}
    for entry in sorted(files("example-robot-data") or []):
        if entry.suffix == ".urdf":
            folder = entry.parts[entry.parts.index("robots") + 1]
            found[f"{folder}/{entry.stem}"] = Path(str(entry.locate()))
    return found


REAL_ROBOTS = urdf_files()

# Why a robot of the collection cannot be used.
REFUSED = {
    "ur_description/ur3": "has no attribute 'name'",  # xacro ran on a file of macros only: no name, no links
    "alex_description/alex_psyonic_hands": "mimics the joint 'index_q1', which is not there",  # it is Left_index_q1
}

# What is doubtful in which robot: parts of the warning.
_TRIANGLE, _NEGATIVE = "triangle inequality", "negative principal moment"
DOUBTFUL = {
    "allegro_hand_description/allegro_left_hand": ("'link_15.0'", _TRIANGLE),
    "allegro_hand_description/allegro_right_hand": ("'link_15.0'", _TRIANGLE),
    "anymal_b_simple_description/anymal": ("'base'", _TRIANGLE, "'current'"),
    "anymal_b_simple_description/anymal-kinova": ("'base'", _TRIANGLE, "'current'"),
    "anymal_c_simple_description/anymal": ("'hatch'", _TRIANGLE),
    "b1_description/b1": ("'base'", _TRIANGLE),
    "b1_description/b1-z1": ("'base'", _TRIANGLE),
    "bolt_description/bolt": ("'FL_FOOT'", "inertia without mass"),
    "centauro_description/centauro": ("'j_wheel_1'", "<limit> without lower and upper"),
    "go1_description/go1": ("'base'", _TRIANGLE),
    "human_description/human": ("'left_upperleg_virtual'", "no mass"),
    "hyq_description/hyq_no_sensors": ("'base_link'", _TRIANGLE),
    "icub_description/icub": ("'l_ankle_2'", _NEGATIVE, _TRIANGLE),
    "icub_description/icub_reduced": ("'l_ankle_2'", _NEGATIVE, _TRIANGLE),
    "panda_description/panda": ("'panda_joint1'", "'mu_viscous'", "not used"),
    "panda_description/panda_collision": ("'panda_joint1'", "'mu_viscous'", "not used"),
    "pr2_description/pr2": ("'double_stereo_link'", _TRIANGLE),
    "quadruped_description/quadruped": ("'FL_KFE'", "<limit> without lower and upper"),
    "romeo_description/romeo": ("'LFinger11Link'", "no mass"),
    "romeo_description/romeo_laas_small": ("'body'", _NEGATIVE, _TRIANGLE, "'l_gripper'", "no mass"),
    "romeo_description/romeo_small": ("'RElbowYawLink'", _TRIANGLE),
    "tiago_description/tiago": ("'base_antenna_left_link'", _NEGATIVE),
    "tiago_description/tiago_dual": ("'base_antenna_left_link'", _NEGATIVE, "<gravity>"),
    "tiago_description/tiago_no_hand": ("'base_antenna_left_link'", _NEGATIVE),
    "tiago_pro_description/tiago_pro": ("'suspension_front_right_link'", "<gravity>"),
}
