"""What wheels bring to a robot, a line each: what `lp.Rover` has that robots have not, or not so."""

from __future__ import annotations

from loadpath.mobile import beams, limits, moving, rolling, vibrating, wheel_breakdown
from loadpath.mobile.quantities import RoverQuantities
from loadpath.mobile.simulate import roll, simulate
from loadpath.mobile.verdict import largest, verdict, with_parts, without_parts


class WithWheels(RoverQuantities):
    """Loads of the wheels, motion, kinematics of rolling, limits, the verdict; robots that bend, on a base that moves.

    `velocity`, `acceleration`, `heading` and `external` are as in `wheel_loads`. Of what bends, displacements "in world
    axes" are in those of the base frame before the base gives way. The base itself is rigid. Its wheels are, too,
    unless they have a `stiffness`: then it sinks in and tilts on them, results have one link more, the ground, and
    "joints" among the `effects` are the tyres as well.
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
    with_parts = with_parts
    without_parts = without_parts
    verdict = verdict
    largest = largest
    with_beams = beams.with_beams
    without_beams = beams.without_beams
    deflection = beams.deflection
    stress = beams.stress
    buckling_safety = beams.buckling_safety
    extremes = beams.extremes
    compensated = beams.compensated
    compliance = beams.compliance
    stiffness = beams.stiffness
    buckling = beams.buckling
    plot_deflection = beams.plot_deflection
    plot_safety = beams.plot_safety
    natural_frequencies = vibrating.natural_frequencies
    frequency_map = vibrating.frequency_map
    bandwidth_check = vibrating.bandwidth_check
    respond = vibrating.respond
    frequency_response = vibrating.frequency_response
    shaped = vibrating.shaped
    fatigue = vibrating.fatigue
