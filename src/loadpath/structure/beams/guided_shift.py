"""Where the mass of an arm with guides goes as it bends: see `shift_equations`, which has this for all other beams.

The bodies are put where the small displacements of the arm put them. The body of a link whose beam slides, or carries a
guide, moves like the start of that beam; what the beam's own bending adds to its line mass and to the lump that it
holds comes on top, by Gauss's rule over each part of the beam.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion
from loadpath.mechanics.wrenches import Wrench
from loadpath.robot.beams.station import Station
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, MatrixRotation, array, compose, cross, is_zero, scale, vector, zeros
from loadpath.structure.beams.deflection_equations import cayley
from loadpath.structure.beams.element_loads import ArmLoads
from loadpath.structure.beams.guided_equations import LineLoad, LineMotion, Motion, own_motion, rotation_of
from loadpath.structure.beams.guided_line import GuidedLine

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(10)
"""Of each part of a beam: what bends it has kinks where loads act, in the third derivative."""


def moved_mechanism(mechanism: Mechanism, loads: ArmLoads, moved: dict[int, Motion]) -> Mechanism:
    """The bodies where small displacements and rotations, of their origins and in their axes, put them."""
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        Q, b = loads.links[i].joint[:2]
        m, n = moved[body.parent].at(body.arm + body.turn @ b)
        by_parent = Motion(Q.T @ (body.turn.T @ m), Q.T @ (body.turn.T @ n))
        dm = Q @ (moved[i].displacement - by_parent.displacement)
        dn = Q @ (moved[i].rotation - by_parent.rotation)
        bodies.append(_moved_body(body, b, dm, dn))
    return replace(mechanism, bodies=tuple(bodies))


def _moved_body(body: Body, b: Array, m: Array, n: Array) -> Body:
    if all(is_zero(part) for part in (*m, *n)):
        return body
    turn = compose(body.turn, MatrixRotation(cayley(n)))
    return replace(body, arm=body.arm + body.turn @ (m - cross(n, b)), turn=turn)


def line_shift(
    motion: LineMotion, root: LinkMotion | BaseMotion, given: Wrench, origin: Array, effects: tuple[str, ...]
) -> tuple[Array, Array]:
    """What the bending of a beam in a guide adds: to the torque of the base, and to the sum of masses times
    displacements; both in the axes of the link's joint frame. `given` is what acts on the link from outside, `origin`
    the place of the link's frame.
    """
    line, load = motion.line, motion.load
    R, start = rotation_of(line.axes), array(line.start.tolist())
    first, second = _own_moved(line, load, effects)
    torque = R @ (cross(first, load.A) + cross(second, load.B))
    moved = R @ first

    def seen(station: int) -> tuple[Motion, Array]:
        """What a station does by the bending of the beam, and where it is."""
        own = motion.own[station]
        return Motion(R @ own.displacement, R @ own.rotation), start + R @ vector(load.places[station], 0.0, 0.0)

    if line.lump is not None and line.lump.mass.mass > 0:
        own, at = seen(line.lump.station)
        mass = float(line.lump.mass.mass)
        center = array((line.lump.mass.moment / mass).tolist())
        there = scale(mass, own.at(center - at).displacement)
        torque = torque + cross(there, root.oddot + root.W @ center)
        moved = moved + there
    own, at = seen(line.frame)
    torque = torque - cross(own.at(origin - at).displacement, given.force)
    return torque, moved


def _own_moved(line: GuidedLine, load: LineLoad, effects: tuple[str, ...]) -> tuple[Array, Array]:
    """Integrals of displacement, and of x times displacement, over the line mass; beam axes, against the start."""
    stations, masses = [], []
    for part in line.parts:
        half = 0.5 * part.stretch.length
        x = half * (_POINTS + 1)
        stations += [Station(part.start + float(at)) for at in x]
        masses += (half * _WEIGHTS * part.share * part.stretch.properties(x).mass).tolist()
    dense = replace(line, stations=(*line.stations, *stations))
    nothing = [Wrench(zeros(3), zeros(3)) for _ in stations]
    places = [*load.places, *(station.constant for station in stations)]
    loaded = load._replace(places=places, wrenches=[*load.wrenches, *nothing])
    first, second = zeros(3), zeros(3)
    for k, (station, mass) in enumerate(zip(stations, masses, strict=True), start=len(line.stations)):
        displacement = own_motion(dense, loaded, k, effects).displacement
        first = first + scale(mass, displacement)
        second = second + scale(mass * station.constant, displacement)
    return first, second
