"""What a `Simulation` of a rover has: of its time on the plane, and of its time as a free body, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.base_in_space import BaseInSpace, base_in_space
from loadpath.mobile.events import lasting
from loadpath.mobile.recording import REMEDY, check_rover, recorded
from loadpath.mobile.rover_system import RoverSystem
from loadpath.mobile.spatial.recording import arrays, check_space, frames_on_plane, in_space
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.system import KeptClosed
from loadpath.simulate.guard import check_energy
from loadpath.simulate.hybrid import Run
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT
from loadpath.states import wrenches_over

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def recorded_in_space(
    rover: Rover, plane: RoverSystem | None, space: SpatialSystem | None, run: Run
) -> dict[str, Any]:
    """What a `Simulation` has of a run."""
    if space is None or not space.samples:
        assert plane is not None
        found = recorded(rover, plane, run)
        return {**found, **in_space(found["pose"])}
    later = arrays(rover, space)
    events = [*(plane.events if plane is not None else ()), *space.events]
    both = [system for system in (plane, space) if isinstance(system, KeptClosed)]
    met = {name: tuple(each for system in both for each in getattr(system, name))
           for name in ("dead_points", "bifurcations")} if both else {}
    whole: dict[str, Any] = dict(
        events=tuple(lasting(events)), tipped=space.tipped, rocks=space.rocks and not space.tipped,
        stopped=run.stopped, contact_names=rover.contact_names, name=rover.name, dof_names=rover.robot.dof_names,
        coordinate_names=rover.robot.coordinate_names, base_link=rover.robot.base.name, ground=rover.ground,
        steps=run.steps, evaluations=space.forces.evaluations, **met,
    )
    if plane is None or not plane.samples:
        return {**later, **whole}
    earlier = recorded(rover, plane, run)
    earlier.update(in_space(earlier["pose"]))
    count = len(earlier["times"])
    gravity, velocity, acceleration = _on_plane(rover, earlier)
    none = np.zeros(count)
    earlier.update(base_velocity=velocity, base_acceleration=acceleration, impact_heat=none, damper_heat=none,
                   body_forces=np.zeros((count, later["body_forces"].shape[1])), gravity=gravity)
    frames = frames_on_plane(rover, earlier["contact_points"], earlier["steering"])
    changes = [plane.work.rates_of(s.outcome.placed, s.outcome.Udot) for s in plane.samples]
    forces = _forces(frames, earlier)
    moments = np.cross(frames[..., 3], forces).sum(axis=1)
    earlier.update(contact_frames=frames, contact_forces=forces, wheel_accelerations=np.array(changes),
                   ground_forces=np.concatenate([forces.sum(axis=1), moments], axis=-1))
    turns = round(float(earlier["pose"][-1, 2] - later["pose"][0, 2]) / (2 * np.pi))
    later["pose"][:, 2] += 2 * np.pi * turns
    joined = {key: np.concatenate([earlier[key], part]) for key, part in later.items() if isinstance(part, np.ndarray)}
    external = wrenches_over([s.at.external for s in plane.samples] + [s.at.external for s in space.samples])
    return {**joined, "external": external, **whole, "evaluations": plane.forces.evaluations + space.forces.evaluations}


def _forces(frames: Floats, of: dict[str, Floats]) -> Floats:
    """(times, contacts, 3): forces of the contacts on the base, in base axes."""
    parts = np.stack([of["longitudinal"], of["lateral"], of["normal"]], axis=-1)
    return np.asarray(np.einsum("tkij,tkj->tki", frames[..., :3], parts))


def _on_plane(rover: Rover, earlier: dict[str, Any]) -> BaseInSpace:
    """Gravity, velocity and acceleration of the base in space, of its time on the plane."""
    stands = {"time": earlier["times"], "position": earlier["pose"][:, :2], "heading": earlier["pose"][:, 2]}
    moves = base_in_space(rover.ground, stands, earlier["velocity"], earlier["acceleration"])
    count = len(earlier["times"])
    return BaseInSpace(*(np.array(np.broadcast_to(part, (count, part.shape[-1]))) for part in moves))


def check_in_space(
    result: Simulation, plane: RoverSystem | None, space: SpatialSystem | None, rtol: float
) -> None:
    """An error where the numbers of a result do not go together."""
    if space is None or not space.samples:
        assert plane is not None
        check_rover(result, plane, rtol)
        return
    check_space(result, space, REMEDY)
    space.check_closed(result, MORE_EXACT)
    check_energy(result, REMEDY, rtol=rtol)
