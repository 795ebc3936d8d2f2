"""What wheels bring to a robot, a line each: what `lp.Rover` has that robots have not, or not so."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from loadpath.api import Robot
from loadpath.mobile import limits, moving, rolling, wheel_breakdown
from loadpath.mobile.quantities import RoverQuantities
from loadpath.mobile.simulate import roll
from loadpath.mobile.verdict import largest, verdict
from loadpath.parts.fitting import with_parts, without_parts
from loadpath.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from loadpath.structure import compensation, deflection, extremes, pictures
    from loadpath.structure import stress as stresses
    from loadpath.structure.fatigue import assessment
    from loadpath.structure.response import frequency_response, respond, shaped
    from loadpath.structure.vibration import bandwidth, buckling, frequencies, frequency_map

    R = TypeVar("R")

    def _on_base(of_robot: Callable[..., R]) -> Callable[..., R]: ...


class WithWheels(RoverQuantities):
    """Loads of the wheels, motion, kinematics of rolling, limits, the verdict.

    `velocity`, `acceleration`, `heading` and `external` are as in `wheel_loads`. Of what bends (`deflection`, ...)
    displacements "in world axes" are in those of the base frame before the base gives way. The base itself is rigid;
    so are its wheels, unless they have a `stiffness`: see `on_base`.
    """

    wheel_load_breakdown = wheel_breakdown.wheel_load_breakdown
    forward_dynamics = moving.forward_dynamics
    base_acceleration = moving.base_acceleration
    mass_matrix = moving.mass_matrix
    simulate = simulate
    roll = roll
    wheel_motion = rolling.wheel_motion
    base_motion = rolling.base_motion
    constraint_matrix = rolling.constraint_matrix
    rotation_axis = rolling.rotation_axis
    instantaneous_axis = rolling.instantaneous_axis
    largest_payload = limits.largest_payload
    largest_acceleration = limits.largest_acceleration
    verdict = verdict
    largest = largest
    with_parts = with_parts
    without_parts = without_parts
    without_beams = inspect.getattr_static(Robot, "without_beams")
    if TYPE_CHECKING:  # what is that of the robots under the motion of the base: see `on_base`
        bandwidth_check = _on_base(bandwidth.bandwidth_check)
        buckling = _on_base(buckling.buckling)
        buckling_safety = _on_base(stresses.buckling_safety)
        compensated = _on_base(compensation.compensated)
        deflection = _on_base(deflection.deflection)
        extremes = _on_base(extremes.extremes)
        fatigue = _on_base(assessment.fatigue)
        frequency_map = _on_base(frequency_map.frequency_map)
        frequency_response = _on_base(frequency_response.frequency_response)
        natural_frequencies = _on_base(frequencies.natural_frequencies)
        plot_deflection = _on_base(pictures.plot_deflection)
        plot_safety = _on_base(pictures.plot_safety)
        respond = _on_base(respond.respond)
        shaped = _on_base(shaped.shaped)
        stress = _on_base(stresses.stress)
