"""The states that the loads of wheels are asked for: what the ground gives, and how the base moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.mobile import motions
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.base_in_space import base_in_space, base_position, moves_or_is_uneven, refuse_spins_that_turn
from loadpath.mobile.linked_stance import stand_on_links
from loadpath.mobile.linked_state import LinkedState, linked_in_space, linked_state
from loadpath.mobile.motions import (
    BaseState,
    Steering,
    accelerations_beyond_rounding,
    arm_states,
    as_numbers,
    base_components,
    base_state_of,
    loads_on_robot,
    refuse_in_space,
    refuse_unknown,
    speeds_beyond_rounding,
)
from loadpath.mobile.normals import on_springs
from loadpath.mobile.stance import TOUCHES, Stance, blocks_under, mean_stance, stances
from loadpath.mobile.tyres import elastic_robot, placed_for, shift_by_posture, warn_of_lifted
from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.base_state import FreeBase
from loadpath.states import LoadCase
from loadpath.states.carried import placed
from loadpath.states.keywords import refuse_loops
from loadpath.states.reading import Joints, loads_of, read_motion, refuse_loads_of
from loadpath.structure.checks import chosen_effects
from loadpath.structure.deflection import check_rotation

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_BLOCK = 4096
"""States at a time, which stay in the processor's cache."""
WORTH_COMPILING = 20_000
"""States from which on machine code for this base pays."""


@dataclass(frozen=True, eq=False)
class State:
    """What the ground gives in a motion, and how the base moves; (..., 3) each, the batch axes broadcast."""

    rover: Rover
    force: Floats
    torque: Floats
    velocity: Floats
    acceleration: Floats
    steering: Floats | None
    """(..., steerable): angles, where they are given; else wheels follow the velocity."""
    mass_shift: Floats | None = None
    """(..., 3): how far the mass center of a deflected rover is from that of the rigid one (m)."""
    gravity: Floats | None = None
    """(..., 3): gravity as it acts on the base, in its axes (m/s^2)."""
    heights: Floats | None = None
    """(..., contacts): of the ground under the contacts, along z from the plane of the base frame (m); None: all 0."""
    pose: Floats | None = None
    """(..., 3): x, y and heading on the ground, where that has patches."""
    stance: Stance | None = None
    """How the base stands, where the ground is uneven."""
    free: FreeBase | None = None
    """What a simulation has of a base that was a free body."""
    linked: LinkedState | None = None
    """Where contacts are and what passive joints ask of them, where some contacts are on links."""

    @cached_property
    def placed(self) -> Placed:
        """Where the contacts are and which way they roll."""
        wheels = self.rover.arrangement
        if self.free is not None:
            ahead = self.free.frames[..., :2, 0]
            if self.linked is None:
                return Placed(self.free.points, ahead)
            still = np.zeros(len(wheels.steerable))
            return wheels.placed(still, self.linked.q)._replace(points=self.free.points, forward=ahead)
        if self.linked is not None:
            angles = wheels.aligned(self.speeds, self.linked.q) if self.steering is None else self.steering
            return wheels.placed(angles, self.linked.q)
        if self.steering is not None:
            return wheels.placed(self.steering)
        return wheels.placed(wheels.aligned(self.velocity)) if len(wheels.steerable) else wheels.at_rest

    @cached_property
    def one_polygon(self) -> Floats | None:
        """(contacts, 2): where the contacts are, if that is the same in all states."""
        wheels = self.rover.arrangement
        if self.free is not None or self.linked is not None:
            return None
        if wheels.fixed_points:
            return wheels.pivots
        deciding = self.velocity if self.steering is None else self.steering
        if deciding.ndim > 1:
            rows = deciding.reshape(math.prod(deciding.shape[:-1]), deciding.shape[-1])
            if not len(rows) or not (rows == rows[0]).all():
                return None
            deciding = rows[0]
        if not np.isfinite(deciding).all():
            return None
        return wheels.placed(wheels.aligned(deciding) if self.steering is None else deciding).points

    @property
    def speeds(self) -> Floats:
        """(..., 3): of the base; where wheels are on links, (..., 3 + n) with those of the joints."""
        return self.velocity if self.linked is None else _with_joints(self.velocity, self.linked.qd)

    @property
    def accelerations(self) -> Floats:
        """The same of their rates."""
        return self.acceleration if self.linked is None else _with_joints(self.acceleration, self.linked.qdd)

    @property
    def vertical(self) -> Floats:
        """(..., 3): F_z, N_x, N_y, which the normal forces carry."""
        if self.free is not None:
            return self.free.vertical
        return np.stack([self.force[..., 2], self.torque[..., 0], self.torque[..., 1]], axis=-1)

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """The batch shape of all of it together."""
        parts = [self.force, self.velocity, self.acceleration, self.steering, self.heights, self.pose]
        linked = () if self.linked is None else (self.linked.batch,)
        return np.broadcast_shapes(*(part.shape[:-1] for part in parts if part is not None), *linked)

    @cached_property
    def count(self) -> int:
        """Number of states."""
        return math.prod(self.batch)

    def rows(self, some: slice | NDArray[np.intp]) -> State:
        """Some of the states, in a row."""

        def part(array: Floats) -> Floats:
            if array.ndim == 1:
                return array
            whole = array if array.shape[:-1] == self.batch else np.broadcast_to(array, (*self.batch, array.shape[-1]))
            return whole.reshape(self.count, array.shape[-1])[some]

        return State(
            self.rover, part(self.force), part(self.torque), part(self.velocity), part(self.acceleration),
            None if self.steering is None else part(self.steering),
            None if self.mass_shift is None else part(self.mass_shift),
            None if self.gravity is None else part(self.gravity),
            None if self.heights is None else part(self.heights),
            None if self.pose is None else part(self.pose),
            None if self.stance is None else self.stance.rows(some, self.batch, self.count),
            None if self.free is None else self.free.rows(some),
            None if self.linked is None else self.linked.rows(some, self.batch, self.count),
        )

    def blocks(self) -> Iterator[tuple[slice, State]]:
        """The same states a few thousand at a time, and which they are."""
        for start in range(0, self.count, _BLOCK):
            some = slice(start, min(start + _BLOCK, self.count))
            yield some, self.rows(some)

    def compute(self, quantity: str, *arguments: Floats, states: int) -> Any:
        """A quantity of the contacts over scalars, at the steering angles of the state: as machine code if there are
        `states` enough in all to pay for it.
        """
        method = getattr(self.rover, quantity)
        function = method if states >= WORTH_COMPILING else method.uncompiled
        with np.errstate(divide="ignore", invalid="ignore"):  # pairs of contacts that are no edge, bad states
            if self.steering is None or not self.steering.shape[-1]:
                return function(*arguments, np.zeros(max(1, len(self.rover.arrangement.steerable))))
            return function(*arguments, self.steering, aligned=False)


def _with_joints(of_base: Floats, of_joints: Floats) -> Floats:
    """(..., 3 + n)."""
    shape = np.broadcast_shapes(of_base.shape[:-1], of_joints.shape[:-1])
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in (of_base, of_joints)], axis=-1)


def state_at(
    rover: Rover, q: Any, qd: Any, qdd: Any, motion: BaseState, caller: str, *, deflected: bool = False,
    knows_space: bool = False,
) -> State:
    """A state of arm and base as a call gives it, or a simulation; `deflected` with its mass where it sags to.
    `knows_space` is as in `base_state_of`.
    """
    refuse_unknown(motion, caller)
    if deflected:
        refuse_loads_of(q, f"{caller}(deflected=True)", "moves masses where the arm bends to")
    base: dict[str, Any] = dict.fromkeys(BaseState.__annotations__)
    base |= base_state_of(rover, q, motion, caller, knows_space=knows_space)
    if deflected and base["in_space"] is not None:
        refuse_in_space(q, f"{caller}(deflected=True)")
    if deflected and is_uneven(rover, base):
        raise ValueError(f"{caller}(deflected=True) does not know ground that is uneven: leave one of them out")
    states = arm_states(rover, q, qd, qdd, caller)
    state = state_of(rover, *states, **base)
    if loads_of(q):
        state = replace(state, mass_shift=_shift_by_loads(rover, q, caller))
    return _deflected(rover, state, states, base, caller) if deflected else state


def state_of(
    rover: Rover,
    q: Any,
    qd: Any,
    qdd: Any,
    *,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    heading: ArrayLike | None,
    position: ArrayLike | None,
    time: ArrayLike | None,
    ground_state: GroundState | None,
    heights: ArrayLike | Mapping[str, ArrayLike] | None,
    steering: Steering,
    external: Mapping[str, Wrench] | None,
    in_space: FreeBase | None = None,
) -> State:
    """The wrench of the ground and the motion of the base, in a motion of arm and base."""
    if in_space is not None:
        return _free(rover, q, in_space, velocity, acceleration, heading, position, steering)
    refuse_spins_that_turn(rover, {"ground_state": ground_state}, "wheel_loads")
    base = {"velocity": velocity, "acceleration": acceleration, "heading": heading, "position": position, "time": time,
            "ground_state": ground_state, "heights": heights, "steering": steering, "external": external}
    stance = under = linked = None
    if rover.base.on_springs and rover.ground.surface is None and heights is not None:
        under = blocks_under(rover, heights)
    if is_uneven(rover, base) and rover.linkage is not None:
        _refuse_moving(base)
        force, torque, gravity, stance, linked = stand_on_links(rover, (q, qd, qdd), base)
    elif is_uneven(rover, base):
        force, torque, gravity, stance = _standing(rover, (q, qd, qdd), base)
        if rover.base.on_springs:  # which sink in by different amounts
            under, stance = -stance.gaps, replace(stance, gaps=np.zeros_like(stance.gaps))
    else:
        wrench = rover.ground_wrench(
            q, qd, qdd, velocity=velocity, acceleration=acceleration, heading=heading, position=position, time=time,
            ground_state=ground_state, external=external,
        )
        force, torque = wrench.force, wrench.torque
        gravity = rover.ground.gravity_in_base(as_numbers(0.0 if heading is None else heading, "heading"))
        if moves_or_is_uneven(rover.ground, base):
            gravity = motions.in_space(rover.ground, base).gravity
        if rover.linkage is not None:
            linked = linked_state(rover, (q, qd, qdd), base)
    speeds = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    changes = base_components((0.0, 0.0) if acceleration is None else acceleration, "acceleration")
    speeds, changes = speeds_beyond_rounding(rover, speeds), accelerations_beyond_rounding(rover, changes)
    angles = None if steering is None else rover.arrangement.read_steering(steering)
    if angles is not None and np.isnan(angles).any():  # what holds the base is not known, nor what carries it
        lost = np.where(np.isnan(angles).any(axis=-1, keepdims=True), np.nan, 0.0)
        force, torque = force + lost, torque + lost
    pose = None
    if rover.ground.patches:
        facing = as_numbers(0.0 if heading is None else heading, "heading")
        at = base_position(base)
        shape = np.broadcast_shapes(at.shape[:-1], facing.shape)
        pose = np.concatenate([np.broadcast_to(at, (*shape, 2)), np.broadcast_to(facing, shape)[..., None]], axis=-1)
        lost = np.where(np.isnan(pose).any(axis=-1, keepdims=True), np.nan, 0.0)
        force, torque = force + lost, torque + lost
    return State(rover, force, torque, speeds, changes, angles, gravity=gravity, heights=under, pose=pose,
                 stance=stance, linked=linked)


def _free(
    rover: Rover, q: Any, free: FreeBase, velocity: Any, acceleration: Any, heading: Any, position: Any, steering: Any
) -> State:
    """The state of a base that was a free body in a simulation, with the forces which that has."""
    angles = None if steering is None else rover.arrangement.read_steering(steering)
    pose = None
    if rover.ground.patches:
        pose = np.concatenate([as_numbers(position, "position"), as_numbers(heading, "heading")[..., None]], axis=-1)
    return State(rover, free.wrench[..., :3], free.wrench[..., 3:], base_components(velocity, "velocity"),
                 base_components(acceleration, "acceleration"), angles, gravity=free.gravity, pose=pose, free=free,
                 linked=None if rover.linkage is None else linked_in_space(rover, q, free))


def is_uneven(rover: Rover, base: Mapping[str, Any]) -> bool:
    """Whether a rigid base stands on contacts at different heights; one on springs sinks in differently instead."""
    return rover.ground.surface is not None or (base.get("heights") is not None and not rover.base.on_springs)


def _refuse_moving(base: Mapping[str, Any]) -> None:
    """On uneven ground loads are those of a base at rest."""
    for name in ("velocity", "acceleration"):
        if base.get(name) is not None and np.any(base_components(base[name], name)):
            raise ValueError(f"{name} is given on ground that is uneven, on which loads are those of a base at rest: "
                             "rover.simulate(...) moves over it; rover.on(rover.ground.plane) is on its plane")


def _standing(
    rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any]
) -> tuple[Floats, Floats, Floats, Stance]:
    """Wrench of the ground, gravity and how the base stands at rest on uneven ground: of all ways to stand on three
    contacts with no other below the ground, the one that presses most on all three; on springs, near to all of them.
    """
    _refuse_moving(base)
    wheels = rover.arrangement
    steering = base.get("steering")
    points = (wheels.at_rest if steering is None else wheels.placed(wheels.read_steering(steering))).points
    still = np.zeros(3)
    if rover.base.on_springs:
        mean = mean_stance(rover, base, points)
        moves = base_in_space(rover.ground, base, still, still, mean)
        force, torque = rover.compiled_ground_wrench(
            *states, velocity=still, acceleration=still, in_space=moves.row, external=base.get("external"))
        return force, torque, moves.gravity, mean
    best: tuple[Floats, Floats, Floats, Floats, Stance] | None = None
    for stance, three in stances(rover, base, points):
        moves = base_in_space(rover.ground, base, still, still, stance)
        force, torque = rover.compiled_ground_wrench(
            *states, velocity=still, acceleration=still, in_space=moves.row, external=base.get("external")
        )
        vertical = np.stack([force[..., 2], torque[..., 0], torque[..., 1]], axis=-1)
        carried = on_springs(points[..., three, :], np.ones(3), vertical).normal
        stands = ~(stance.gaps < -TOUCHES).any(axis=-1)
        score = np.where(stands, carried.min(axis=-1), -np.inf)
        if best is None:
            best = score, force, torque, moves.gravity, stance
            continue
        better = np.asarray(score > best[0])
        choose = better[..., None]
        best = (np.where(better, score, best[0]), np.where(choose, force, best[1]), np.where(choose, torque, best[2]),
                np.where(choose, moves.gravity, best[3]), best[4].where(better, stance))
    assert best is not None
    return best[1:]


def _deflected(
    rover: Rover, state: State, states: tuple[Any, Any, Any], base: Mapping[str, Any], caller: str
) -> State:
    """The same state with the ground's wrench on the deflected rover: small deflections, under the loads of the rigid
    one.
    """
    refuse_loops(rover.robot, f"{caller}(deflected=True)", "rover.deflection(...) says how far it bends")
    case = LoadCase(**loads_on_robot(rover, base)).keywords
    plain = rover.base.on_plain_springs and state.heights is None
    arm = elastic_robot(rover, caller, placed_for(rover, state, caller)) if plain else rover.robot
    mass = sum(link.inertia.mass for link in arm.links)
    force, torque, moved = np.zeros(3), np.zeros(3), np.zeros(3)
    if arm.is_elastic:
        force, torque, moved = arm.load_shift(*states, **case)
        options: dict[str, Any] = {"effects": chosen_effects(None), "axes": "world"}
        q, qd, qdd = states
        check_rotation(arm.small_deflection(q, qd, qdd, **options, **case)[1], arm)
    if not plain:  # the base by its posture, on springs of any kind
        parts = shift_by_posture(rover, state, states, case)
        force, torque, moved = force + parts[0], torque + parts[1], moved + parts[2]
    shifted = replace(
        state, force=state.force + force, torque=state.torque + torque, mass_shift=moved / mass if mass else moved
    )
    if plain:
        warn_of_lifted(rover, shifted, caller)
    return shifted


def _shift_by_loads(rover: Rover, motion: Any, caller: str) -> Floats:
    """(samples, 3): how far what a motion carries moves the mass center of the rover, m, in base axes."""
    states = read_motion(Joints.of(rover), motion, caller, counts_loads=True)
    q, times = np.asarray(states.q, dtype=float), np.asarray(states.times, dtype=float)
    center = np.asarray(rover.mass_center(q))
    mass, moment = np.zeros(len(times)), np.zeros((len(times), 3))
    for load in placed(loads_of(motion), rover.robot, motion):
        rows = np.flatnonzero(load.at(times))
        pose = np.asarray(rover.robot.link_poses(q[rows]))[:, rover.robot.link_names.index(str(load.link))]
        at = pose[:, :3, 3] + pose[:, :3, :3] @ np.array(load.center_of_mass)
        mass[rows] += load.mass
        moment[rows] += load.mass * (at - center[rows])
    own = sum(link.inertia.mass for link in rover.robot.links)
    return moment / (own + mass)[:, None]
