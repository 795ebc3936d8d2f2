"""Random robots and states: chains and trees of every joint, from grams to tons, from centimetres to ten metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import loadpath as lp
from references.to_pinocchio import Peer, to_pinocchio

KINDS = (
    "Fixed",
    "Revolute",
    "Continuous",
    "Prismatic",
    "Helical",
    "Cylindrical",
    "Universal",
    "Planar",
    "Translational",
    "Spherical",
    "Free",
    "Generalized",
)
WORDS = ("shoulder", "upper arm", "Ellbogen", "poignet", "wrist.2", "手首", "a/b", "j-3", "L_ä", "x", "round", "lambda")


def direction(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def turn(rng: np.random.Generator) -> np.ndarray:
    """A random rotation, by orthogonalising."""
    matrix, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    matrix = matrix * np.sign(np.diag(upper))
    return matrix if np.linalg.det(matrix) > 0 else -matrix


def random_pose(rng: np.random.Generator, length: float) -> lp.Pose:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn(rng), rng.uniform(-length, length, 3)
    return lp.Pose.from_matrix(matrix)


def random_body(rng: np.random.Generator, mass: float, length: float) -> lp.Inertia:
    """A box of some shape, turned anyhow."""
    a, b, c = rng.uniform(0.05, 0.5, 3) * length
    box = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    R = turn(rng)
    return lp.Inertia(mass, tuple(rng.uniform(-0.5, 0.5, 3) * length), (R @ box @ R.T).tolist())


def random_motion(rng: np.random.Generator, kind: str, length: float) -> Any:
    axis = direction(rng) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
    if kind == "Helical":
        return lp.Helical(tuple(axis), float(rng.uniform(-3, 3)), pitch=float(rng.uniform(-0.3, 0.3) * length))
    if kind == "Universal":
        while True:
            second = direction(rng)
            if np.linalg.norm(np.cross(axis, second)) > 0.2:
                return lp.Universal(tuple(axis), tuple(second))
    if kind == "Generalized":
        axes = turn(rng) if rng.random() < 0.6 else np.eye(3)
        # Not three turns, which have a singular attitude.
        chosen = [(word, axes[k]) for word, least in (("turn", 1), ("slide", 0))
                  for k in rng.permutation(3)[: rng.integers(least, 3)]]
        return lp.Generalized([(word, tuple(axis)) for word, axis in chosen])
    if kind in ("Revolute", "Continuous", "Cylindrical"):
        return getattr(lp, kind)(tuple(axis), float(rng.choice([0.0, rng.uniform(-3, 3)])))
    if kind == "Prismatic":
        return lp.Prismatic(tuple(axis))
    return getattr(lp, kind)()


def random_robot(
    rng: np.random.Generator, *, kinds: tuple[str, ...] = KINDS, most: int = 4, chain: bool | None = None
) -> tuple[lp.Robot, float, float]:
    """A robot, its typical mass and its typical length."""
    count = int(rng.integers(1, most + 1))
    chain = bool(rng.random() < 0.5) if chain is None else chain
    mass, length = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-1.5, 0.8)
    names = [f"{rng.choice(WORDS)}{k}" for k in range(2 * count + 2)]
    drives = rng.random() < 0.5
    links = [lp.Link(names[0], random_body(rng, mass, length))]
    joints: list[lp.Joint] = []
    for k in range(count):
        parent = links[-1] if chain else links[int(rng.integers(len(links)))]
        kind = str(rng.choice(kinds))
        motion = random_motion(rng, kind, length)
        options: dict[str, Any] = {}
        if drives and motion.dof:
            inertia = mass * length**2
            options = {
                "viscous_friction": rng.uniform(0, 1, motion.dof) * inertia,
                "coulomb_friction": rng.uniform(0, 1, motion.dof) * inertia,
                "rotor_inertia": rng.uniform(0, 1e-4, motion.dof) * inertia,
                "gear_ratio": rng.uniform(-120, 120, motion.dof),
            }
            options = {key: tuple(float(x) for x in value) for key, value in options.items()}
        own = mass * 10.0 ** rng.uniform(-1, 1)
        child = lp.Link(names[k + 1], random_body(rng, own, length))
        offset = random_pose(rng, length) if rng.random() < 0.5 else lp.Pose()
        joints.append(
            lp.Joint(names[count + 1 + k], parent.name, child.name, motion, random_pose(rng, length), offset, **options)
        )
        links.append(child)
    single = [j for j in joints if j.motion.dof == 1]
    if len(single) > 1 and rng.random() < 0.4:
        leader, follower = (single[k] for k in rng.permutation(len(single))[:2])
        mimic = lp.Mimic(leader.name, float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1)))
        joints = [replace(j, mimic=mimic) if j is follower else j for j in joints]
    gravity = direction(rng) * rng.uniform(1, 20) * (rng.random() < 0.9)
    return lp.Robot("random", tuple(links), tuple(joints), tuple(gravity)), mass, length


def random_coordinates(rng: np.random.Generator, robot: Any, length: float, *, large: float = 3.0) -> np.ndarray:
    q = np.zeros(robot.nq)
    for name, where in robot.q_slices.items():
        motion = robot.joint(name).motion
        if robot.joint(name).mimic is not None:
            continue
        if motion.coordinates != motion.dof:  # a position, and a unit quaternion
            q[where] = rng.normal(size=motion.coordinates) * length
            quaternion = rng.normal(size=4)
            q[where][-4:] = quaternion / np.linalg.norm(quaternion)
        else:
            scale = np.where(motion.angular, large, length)
            q[where] = rng.uniform(-1, 1, motion.dof) * scale
    return q


def random_speeds(rng: np.random.Generator, robot: Any, length: float, size: float = 2.0) -> np.ndarray:
    v = np.zeros(robot.n)
    for name, where in robot.v_slices.items():
        motion = robot.joint(name).motion
        if robot.joint(name).mimic is None:
            v[where] = rng.uniform(-size, size, motion.dof) * np.where(motion.angular, 1.0, length)
    return v


@dataclass
class Case:
    """A random robot in a random state, and everything around it, made when it is first asked for."""

    seed: int
    number: int

    def __str__(self) -> str:
        return f"seed {self.seed}, round {self.number}"

    def rng(self, what: str = "") -> np.random.Generator:
        """Of its own for each purpose, so that a check gives the same whichever others run."""
        return np.random.default_rng([self.seed, self.number, *what.encode()])

    @cached_property
    def _made(self) -> tuple[lp.Robot, float, float]:
        rng = self.rng("robot")
        while True:
            made = random_robot(rng)
            if 0 < made[0].n <= 7 or (made[0].n and rng.random() < 0.25):  # many freedoms take long to compile
                return made

    @property
    def robot(self) -> lp.Robot:
        return self._made[0]

    @property
    def mass(self) -> float:
        return self._made[1]

    @property
    def length(self) -> float:
        return self._made[2]

    @cached_property
    def peer(self) -> Peer:
        return to_pinocchio(self.robot)

    @cached_property
    def can_move(self) -> frozenset[str]:
        """Links that are not welded to the base."""
        found: set[str] = set()
        for joint in self.robot.joints:  # parents first
            if joint.motion.dof or joint.parent in found:
                found.add(joint.child)
        return frozenset(found)

    @cached_property
    def movable_peer(self) -> Peer:
        """Without the mass of what is welded to the base: energies and momenta are of the links that can move."""
        links = tuple(link if link.name in self.can_move else lp.Link(link.name) for link in self.robot.links)
        return to_pinocchio(replace(self.robot, links=links))

    @cached_property
    def free_peer(self) -> Peer:
        """Pinocchio's robot with its base on a free joint, made here and not by `floating`."""
        robot = self.robot
        joint = lp.Joint("~free", "~world", robot.base.name, lp.Free())
        free = lp.Robot("free", (lp.Link("~world"), *robot.links), (joint, *robot.joints), robot.gravity)
        return to_pinocchio(free)

    @cached_property
    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = self.rng("state")
        large = float(rng.choice([3.0, 300.0, 1e4], p=[0.75, 0.15, 0.1]))
        return (
            random_coordinates(rng, self.robot, self.length, large=large),
            random_speeds(rng, self.robot, self.length),
            random_speeds(rng, self.robot, self.length, 5.0),
        )

    @cached_property
    def base_motion(self) -> dict[str, np.ndarray]:
        rng = self.rng("base")
        scale = np.array([self.length] * 3 + [1.0] * 3)
        return {"base_velocity": rng.normal(size=6) * scale, "base_acceleration": 3 * rng.normal(size=6) * scale}

    @cached_property
    def external(self) -> dict[str, lp.Wrench]:
        """On some links, in world axes or in the link's."""
        rng = self.rng("external")
        force = self.mass * 10.0
        return {
            str(link): lp.Wrench(
                force * rng.normal(size=3),
                force * self.length * rng.normal(size=3),
                axes=str(rng.choice(["world", "link"])),
            )
            for link in rng.permutation(self.robot.link_names)[:2]
        }

    def in_link_axes(self, external: Mapping[str, lp.Wrench], q: np.ndarray) -> dict[str, tuple[Any, Any]]:
        """The wrenches as Pinocchio's peer takes them, by its own link poses."""
        poses = dict(zip(self.robot.link_names, self.peer.link_poses(q), strict=True))
        result = {}
        for link, wrench in external.items():
            R = poses[link][:3, :3] if wrench.axes == "world" else np.eye(3)
            result[link] = (R.T @ wrench.force, R.T @ wrench.torque)
        return result

    # The robot on a moving base, in Pinocchio

    def free_state(self, *, moving: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, a of `free_peer`: at the world's origin, its acceleration a spatial one."""
        q, qd, qdd = self.state
        v = self.base_motion["base_velocity"] if moving else np.zeros(6)
        a = (self.base_motion["base_acceleration"] if moving else np.zeros(6)).copy()
        a[:3] -= np.cross(v[3:], v[:3])
        return np.concatenate([np.zeros(6), [1.0], q]), np.concatenate([v, qd]), np.concatenate([a, qdd])

    # Sizes against which differences count

    @property
    def wrench_size(self) -> float:
        """Of forces times lengths in this robot, a lower bound of what it carries."""
        q, qd, qdd = self.state
        force, torque = self.peer.joint_wrenches(q, qd, qdd)
        return float(max(np.abs(torque).max(initial=0), np.abs(force).max(initial=0) * min(self.length, 1.0)))

    def condition(self, peer: Peer | None = None, q: np.ndarray | None = None) -> float:
        """Of the mass matrix with a diagonal of ones: what Cholesky's method multiplies rounding with."""
        M = (peer or self.peer).mass_matrix(self.state[0] if q is None else q)
        scale = 1 / np.sqrt(np.diag(M))
        return float(np.linalg.cond(M * scale[:, None] * scale))
