"""The Unimation PUMA 560, the most measured robot of the literature."""

from __future__ import annotations

from math import pi, radians

from loadpath.robot.dh import DHRow, links_and_joints
from loadpath.robot.edit import without_friction, without_rotors
from loadpath.robot.model import RobotModel
from loadpath.robot.tree import model_warnings

# d, a, alpha (standard DH); range of q in degrees
_GEOMETRY = (
    (0.67183, 0.0, pi / 2, 160.0),
    (0.0, 0.4318, 0.0, 110.0),
    (0.15005, 0.0203, -pi / 2, 135.0),
    (0.4318, 0.0, pi / 2, 266.0),
    (0.0, 0.0, -pi / 2, 100.0),
    (0.0, 0.0, 0.0, 266.0),
)
# mass, mass center in the link's DH frame, diagonal of the tensor about it
_BODIES = (
    (0.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0)),
    (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125)),
    (0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
# At the motor: inertia, gear ratio, viscous friction, Coulomb friction forwards and backwards
_DRIVES = (
    (200e-6, -62.6111, 1.48e-3, 0.395, 0.435),
    (200e-6, 107.815, 0.817e-3, 0.126, 0.071),
    (200e-6, -53.7063, 1.38e-3, 0.132, 0.105),
    (33e-6, 76.0364, 71.2e-6, 11.2e-3, 16.9e-3),
    (33e-6, 71.923, 82.6e-6, 9.26e-3, 14.5e-3),
    (33e-6, 76.686, 36.7e-6, 3.96e-3, 10.5e-3),
)


def puma560(drives: bool = True) -> RobotModel:
    """The Unimation PUMA 560: six revolute joints; with `drives=False` without rotors, gears and friction.

    Link frames are standard DH frames, with the base on the floor and the shoulder 0.67183 m (26.45 in) above it; at
    q = 0 the upper arm lies along the base's x and the forearm points up. Of the first link only the moment about its
    axis is known (0.35 kg m^2): its mass loads no motor, and is missing from the wrenches at joint 1.

    Masses, mass centers and moments: B. Armstrong, O. Khatib, J. Burdick, The explicit dynamic model and inertial
    parameters of the PUMA 560 arm, Proc. IEEE Int. Conf. Robotics and Automation, 1986, 510-518. In these frames, with
    gears, rotors and friction: P. I. Corke, B. Armstrong-Helouvry, A search for consensus among model parameters
    reported for the PUMA 560 robot, Proc. IEEE Int. Conf. Robotics and Automation, 1994, 1608-1613, and P. I. Corke, A
    robotics toolbox for MATLAB, IEEE Robotics and Automation Magazine 3 (1996), 24-32 (its model `puma560`).

    Friction was measured at the motors; here it is as felt at the joints (viscous times gear ratio squared, Coulomb
    times gear ratio). Coulomb friction differs by direction there, by a factor of 1.1 to 2.7; here it is the mean of
    both directions. The rotor inertias are Corke's; Armstrong et al. report more at joints 1 and 2 (1.14 and 4.71
    kg m^2 as felt there).

    >>> round(puma560().joint("joint1").reflected_inertia[0], 4)
    0.784
    """
    rows = [
        DHRow(
            d=d, a=a, alpha=alpha, limits=(-radians(reach), radians(reach)),
            mass=mass, center_of_mass=center, inertia=moments,
            rotor_inertia=rotor, gear_ratio=gear,
            viscous_friction=viscous * gear**2, coulomb_friction=(forwards + backwards) / 2 * abs(gear),
        )
        for (d, a, alpha, reach), (mass, center, moments), (rotor, gear, viscous, forwards, backwards)
        in zip(_GEOMETRY, _BODIES, _DRIVES, strict=True)
    ]
    links, joints = links_and_joints(rows)
    known_faults = frozenset(model_warnings(links, joints))  # of link 1, see above
    robot = RobotModel("puma560", links, joints, known_faults=known_faults)
    return robot if drives else without_rotors(without_friction(robot))
