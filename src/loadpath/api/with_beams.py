"""What beams, guides and compliant joints bring to a robot, a line each; and with loops besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from loadpath.engine.refused import Refused
from loadpath.in_room import InRoom
from loadpath.quantities.motion import refuse_elastic

if TYPE_CHECKING:
    from loadpath.structure import compensation, extremes, pictures
    from loadpath.structure import deflection as deflections
    from loadpath.structure import stress as stresses
    from loadpath.structure.closed import causes, results
    from loadpath.structure.fatigue import assessment
    from loadpath.structure.quantities import ElasticQuantities as _Compiled
    from loadpath.structure.response import frequency_response, respond, shaped
    from loadpath.structure.vibration import bandwidth, buckling, frequencies, frequency_map
else:

    class _Compiled:
        """The compiled quantities, which are imported when one of them is first used."""

        small_deflection = InRoom("loadpath.structure.quantities", "ElasticQuantities")
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


class WithBeams(_Compiled):
    """How it bends, whether it holds, at what frequency it rings, how it moves in time."""

    if TYPE_CHECKING:
        deflection = deflections.deflection
        stiffness = deflections.stiffness
        compensated = compensation.compensated
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
        plot_deflection = pictures.plot_deflection
        plot_safety = pictures.plot_safety
    else:
        deflection = InRoom("loadpath.structure.deflection")
        stiffness = InRoom("loadpath.structure.deflection")
        compensated = InRoom("loadpath.structure.compensation")
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
        plot_deflection = InRoom("loadpath.structure.pictures")
        plot_safety = InRoom("loadpath.structure.pictures")

    def rollout(self: Any, *arguments: object, **options: object) -> NoReturn:
        """Refused: many states are stepped with rigid links; `without_beams()` moves these."""
        refuse_elastic(self, "rollout")

    generalized: Any = Refused(_FREEDOMS)
    reduced: Any = Refused(_FREEDOMS)


_RIGID_MOTION = (
    "a robot with loops and beams or joint compliance is not moved by its drives in time, since rods that bend far "
    "have no rows of loops: robot.without_beams() moves rigid links; of that motion respond is the vibration, and "
    "deflection and stress are quasi-static"
)


class WithLoopsAndBeams:
    """What loops and beams bring together. Reactions that rigid statics leaves open are settled by the beams; loops are
    rows of the one elastic model.
    """

    if TYPE_CHECKING:
        natural_frequencies = frequencies.natural_frequencies
        frequency_map = frequency_map.frequency_map
        bandwidth_check = bandwidth.bandwidth_check
        buckling = buckling.buckling
        stiffness = deflections.stiffness
        buckling_safety = stresses.buckling_safety
        extremes = extremes.extremes
        fatigue = assessment.fatigue
        compensated = compensation.compensated
        respond = respond.respond
        shaped = shaped.shaped
        frequency_response = frequency_response.frequency_response
        plot_deflection = pictures.plot_deflection
        plot_safety = pictures.plot_safety
        small_deflection = results.small_deflection
        compliance = results.compliance
        section_actions = results.section_actions
        section_stresses = results.section_stresses
        section_stresses_with = results.section_stresses_with
        section_buckling = results.section_buckling
        deflection = results.deflection
        stress = results.stress
        load_terms = causes.load_terms
        joint_wrenches = results.joint_wrenches
        static_wrenches = results.static_wrenches
        force_along = results.force_along
        torque_about = results.torque_about
    else:
        natural_frequencies = InRoom("loadpath.structure.vibration.frequencies")
        frequency_map = InRoom("loadpath.structure.vibration.frequency_map")
        bandwidth_check = InRoom("loadpath.structure.vibration.bandwidth")
        buckling = InRoom("loadpath.structure.vibration.buckling")
        stiffness = InRoom("loadpath.structure.deflection")
        buckling_safety = InRoom("loadpath.structure.stress")
        extremes = InRoom("loadpath.structure.extremes")
        fatigue = InRoom("loadpath.structure.fatigue.assessment")
        compensated = InRoom("loadpath.structure.compensation")
        respond = InRoom("loadpath.structure.response.respond")
        shaped = InRoom("loadpath.structure.response.shaped")
        frequency_response = InRoom("loadpath.structure.response.frequency_response")
        plot_deflection = InRoom("loadpath.structure.pictures")
        plot_safety = InRoom("loadpath.structure.pictures")
        small_deflection = InRoom("loadpath.structure.closed.results")
        compliance = InRoom("loadpath.structure.closed.results")
        section_actions = InRoom("loadpath.structure.closed.results")
        section_stresses = InRoom("loadpath.structure.closed.results")
        section_stresses_with = InRoom("loadpath.structure.closed.results")
        section_buckling = InRoom("loadpath.structure.closed.results")
        deflection = InRoom("loadpath.structure.closed.results")
        stress = InRoom("loadpath.structure.closed.results")
        load_terms = InRoom("loadpath.structure.closed.causes")
        joint_wrenches = InRoom("loadpath.structure.closed.results")
        static_wrenches = InRoom("loadpath.structure.closed.results")
        force_along = InRoom("loadpath.structure.closed.results")
        torque_about = InRoom("loadpath.structure.closed.results")

    simulate: Any = Refused(_RIGID_MOTION)
    rollout: Any = Refused(_RIGID_MOTION)
    step: Any = Refused(_RIGID_MOTION)
