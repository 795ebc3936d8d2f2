"""What beams, guides and compliant joints bring to a robot, a line each; and with loops besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.engine.refused import Refused
from loadpath.in_room import InRoom

if TYPE_CHECKING:
    from loadpath.structure import compensation, extremes, pictures
    from loadpath.structure import deflection as deflections
    from loadpath.structure import stress as stresses
    from loadpath.structure.fatigue import assessment
    from loadpath.structure.quantities import ElasticQuantities as _Compiled
    from loadpath.structure.response import frequency_response, respond, shaped
    from loadpath.structure.vibration import bandwidth, buckling, frequencies, frequency_map
else:

    class _Compiled:
        """The compiled quantities, which are imported when one of them is first used."""

        small_deflection = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        deflection_derivatives = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        bent_deflection = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        compliance = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        load_shift = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        section_actions = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        section_stresses = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        section_buckling = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        dead_loads = InRoom("loadpath.structure.quantities", "ElasticQuantities")
        section_stresses_with = InRoom("loadpath.structure.quantities", "ElasticQuantities")


_FREEDOMS = (
    "its beams and their guides were placed for the joints that it has: take robot.without_beams(), and give the beams "
    "to what comes of it with with_beams(...)"
)


class _WithBeams:
    """How it bends, whether it holds, at what frequency it rings, how it vibrates: with loops or without."""

    if TYPE_CHECKING:
        deflection = deflections.deflection
        stiffness = deflections.stiffness
        stress = stresses.stress
        buckling_safety = stresses.buckling_safety
        buckling = buckling.buckling
        extremes = extremes.extremes
        fatigue = assessment.fatigue
        natural_frequencies = frequencies.natural_frequencies
        frequency_map = frequency_map.frequency_map
        bandwidth_check = bandwidth.bandwidth_check
        respond = respond.respond
        frequency_response = frequency_response.frequency_response
        shaped = shaped.shaped
        compensated = compensation.compensated
        plot_deflection = pictures.plot_deflection
        plot_safety = pictures.plot_safety
    else:
        deflection = InRoom("loadpath.structure.deflection")
        stiffness = InRoom("loadpath.structure.deflection")
        stress = InRoom("loadpath.structure.stress")
        buckling_safety = InRoom("loadpath.structure.stress")
        buckling = InRoom("loadpath.structure.vibration.buckling")
        extremes = InRoom("loadpath.structure.extremes")
        fatigue = InRoom("loadpath.structure.fatigue.assessment")
        natural_frequencies = InRoom("loadpath.structure.vibration.frequencies")
        frequency_map = InRoom("loadpath.structure.vibration.frequency_map")
        bandwidth_check = InRoom("loadpath.structure.vibration.bandwidth")
        respond = InRoom("loadpath.structure.response.respond")
        frequency_response = InRoom("loadpath.structure.response.frequency_response")
        shaped = InRoom("loadpath.structure.response.shaped")
        compensated = InRoom("loadpath.structure.compensation")
        plot_deflection = InRoom("loadpath.structure.pictures")
        plot_safety = InRoom("loadpath.structure.pictures")


class WithBeams(_WithBeams, _Compiled):
    """What is compiled of it, and what it refuses."""

    if not TYPE_CHECKING:  # to type checkers a robot has all names that it may have
        generalized = Refused(_FREEDOMS)
        reduced = Refused(_FREEDOMS)


_RIGID_MOTION = (
    "a robot with loops and beams or joint compliance is not moved by its drives in time, since rods that bend far "
    "have no rows of loops: robot.without_beams() moves rigid links; of that motion respond is the vibration, and "
    "deflection and stress are quasi-static"
)


_OPEN = (
    "with loops the joints between turn as the bent links make them, and the derivatives of that are not there; "
    "robot.tree.deflection_derivatives is of the open tree, and differences of robot.deflection are of all of it"
)


class WithLoopsAndBeams(_WithBeams):
    """What loops and beams bring together. Reactions that rigid statics leaves open are resolved by what bends;
    loops are rows of the one elastic model.
    """

    if not TYPE_CHECKING:
        small_deflection = InRoom("loadpath.structure.resolved")
        deflection_derivatives = Refused(_OPEN)
        compliance = InRoom("loadpath.structure.resolved")
        section_actions = InRoom("loadpath.structure.resolved")
        section_stresses = InRoom("loadpath.structure.resolved")
        section_stresses_with = InRoom("loadpath.structure.resolved")
        section_buckling = InRoom("loadpath.structure.resolved")
        load_terms = InRoom("loadpath.structure.resolved")
        joint_wrenches = InRoom("loadpath.structure.resolved")
        static_wrenches = InRoom("loadpath.structure.resolved")
        force_along = InRoom("loadpath.structure.resolved")
        torque_about = InRoom("loadpath.structure.resolved")
        simulate = Refused(_RIGID_MOTION)
        rollout = Refused(_RIGID_MOTION)
        linearize = Refused(_RIGID_MOTION)
        step = Refused(_RIGID_MOTION)
