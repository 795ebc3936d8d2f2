"""What the drives of a robot have no numbers for, in sentences."""

from __future__ import annotations

from loadpath.loads.carriers import drive_names
from loadpath.report.numbers import listed
from loadpath.robot.model import RobotModel


def missing_drive_data(robot: RobotModel) -> list[str]:
    """What is not known of the drives, and what the results therefore leave out; none where all is known.

    >>> import loadpath as lp
    >>> missing_drive_data(lp.catalog.planar(1))[0]
    "No rotor inertia is known of 'joint1': what it takes to accelerate its motor is not in any drive force."
    """
    driven = set(drive_names(robot))
    moving = [joint for joint in robot.joints if joint.motion.dof and joint.mimic is None and
              any(name == joint.name or name.startswith(f"{joint.name}.") for name in driven)]  # fmt: skip
    found = []
    rotors = [joint.name for joint in moving if not any(joint.rotor_inertia)]
    if rotors:
        found.append(f"No rotor inertia is known of {listed(rotors)}: what it takes to accelerate "
                     f"{'its motor' if len(rotors) == 1 else 'their motors'} is not in any drive force.")  # fmt: skip
    rubbing = [joint.name for joint in moving if not any((*joint.viscous_friction, *joint.coulomb_friction))]
    if rubbing:
        found.append(f"No friction is known of {listed(rubbing)}: what it takes is not in any drive force.")
    return found
