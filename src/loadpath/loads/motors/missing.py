"""What is not known of the drives of a robot, in sentences for a report."""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.closure.robot import ClosableRobot
from loadpath.quantities.carriers import driven
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.edit import rotors_without_ratio
from loadpath.robot.drive_train.of_joint import friction_of
from loadpath.robot.joints import Free
from loadpath.robot.parts import Joint


def missing_drive_data(robot: ClosableRobot) -> list[str]:
    """Sentences about what the drives lack, and what the results therefore leave out; none where all is known.

    >>> import loadpath as lp
    >>> print(missing_drive_data(lp.catalog.planar(2))[0])
    No rotor inertia is known of joint1 and joint2: what it takes to accelerate their motors is not in any drive force.
    """
    trains = dict(robot.drive_trains)
    freedoms = _driven_freedoms(robot)
    questions = {name: rotors_without_ratio(robot, name) for name, _ in robot.parts}
    found = [f"{question[0].upper()}{question[1:]}." for of_joint in questions.values() for question in of_joint]
    no_rotor = [name for name, joint, k in freedoms if not joint.reflected_inertia[k] and not questions.get(joint.name)]
    if no_rotor:
        found.append(f"No rotor inertia is known of {names_of(no_rotor, robot)}: what it takes to accelerate "
                     f"{_their(no_rotor)} is not in any drive force.")
    no_friction = [name for name, joint, k in freedoms if friction_of(joint, k) is None]
    if no_friction:
        found.append(f"No friction is known of {names_of(no_friction, robot)}: what it takes is not in any drive "
                     "force.")
    has_motor = [name for name, _, _ in freedoms if name in trains]
    no_efficiency = [name for name in has_motor if trains[name].efficiency is None and _has_gear(trains[name])]
    if no_efficiency:
        found.append(f"No gear efficiency is known of {names_of(no_efficiency, robot)}: motor torques are those of "
                     "gears without losses.")
    no_constant = [name for name in has_motor if trains[name].torque_constant is None]
    if has_motor and no_constant:
        found.append(f"No torque constant is known of {names_of(no_constant, robot)}: there is no current and no "
                     "electrical power.")
    return found


def names_of(names: Sequence[str], robot: ClosableRobot) -> str:
    """Names in a sentence: one, two and three by name; those of all drives as all joints; else the first and a count.

    >>> import loadpath as lp
    >>> names_of(["joint1", "joint3"], lp.catalog.planar(3)), names_of(["joint2"], lp.catalog.planar(3))
    ('joint1 and joint3', 'joint2')
    """
    if len(names) > 4 and len(names) == len(_driven_freedoms(robot)):
        return f"any of the {len(names)} joints"
    shown = list(names) if len(names) <= 6 else [*names[:4], f"{len(names) - 4} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _their(names: Sequence[str]) -> str:
    return "their motors" if len(names) > 1 else "its motor"


def _has_gear(drive: Drive) -> bool:
    return drive.ratio not in (None, 1.0)


def _driven_freedoms(robot: ClosableRobot) -> list[tuple[str, Joint, int]]:
    """Names of the degrees of freedom with a drive, with joint and number; none of a floating base."""
    moved, found, place = driven(robot), [], 0
    for joint in robot.joints:
        if joint.mimic is None:
            for k in range(joint.motion.dof):
                if moved[place] and not isinstance(joint.motion, Free):
                    found.append((robot.dof_names[place], joint, k))
                place += 1
    return found
