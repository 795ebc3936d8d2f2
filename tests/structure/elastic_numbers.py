"""Numbers of the elastic model of random arms, with guides and without, as they were before there was one model.

Matrices are kept as their products with a few random vectors. `python tests/structure/elastic_numbers.py` writes them
again, from the present code: only where a number is meant to change.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from random_arms import random_arm
from telescopes import telescope
from test_guides import rail

import loadpath as lp
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.frequency_response import _inertial
from loadpath.structure.response.moving_frame import moving_terms
from loadpath.structure.response.reduction import reduced_at
from loadpath.structure.vibration.model import vibration_model

FILE = Path(__file__).with_name("elastic_numbers.json")
STATES = 3
VECTORS = 2


def _tree() -> lp.FlexibleRobot:
    """Two arms on one link whose two beams part, one of them tapered; one joint stands on the ground, one is damped."""
    rng = np.random.default_rng(3)

    def body(mass: float) -> lp.Inertia:
        return lp.Inertia(mass, tuple(rng.normal(size=3) * 0.2), (mass * np.eye(3)).tolist())

    names = ("post", "left", "right", "tip")
    links = (lp.Link("base"), *(lp.Link(name, body(20.0)) for name in names))
    joints = (
        lp.Joint("turn", "base", "post", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0.1, 0.2, 0.3))),
        lp.Joint("a", "post", "left", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.4, 0.1, 1.0))),
        lp.Joint("b", "post", "right", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(-0.3, 0.0, 0.8))),
        lp.Joint("c", "right", "tip", lp.Universal((1, 0, 0), (0, 1, 0)), lp.Pose(translation=(0.5, 0.5, 0.0))),
    )
    tube, bar = lp.Tube(0.03, 0.003), lp.Bar(0.02, 0.04)
    beams = {
        "post": [lp.Beam(tube, lp.STEEL, end="a"), lp.Beam(bar, lp.STEEL, end="b")],
        "right": lp.Beam(segments=[(1.0, bar, lp.ALUMINIUM, lp.Bar(0.01, 0.02))], end="c"),
        "left": lp.Beam(tube, lp.STEEL, end=(0.5, 0.0, 0.4)),
    }
    soft = np.diag([1e-7, 2e-7, 3e-7, 1e-5, 2e-5, 4e-5]) + 1e-8
    ground = lp.JointCompliance(resolved=tuple(map(tuple, soft.tolist())), resolved_on_ground=True)
    damped, any_way = lp.JointCompliance(drive=300.0, damping=2.0), lp.JointCompliance(rotation=300.0, translation=1e6)
    springs = {"turn": ground, "a": damped, "c": any_way}
    return lp.Robot("tree", links, joints).with_beams(beams, joint_compliance=springs)


def _rail(guide: lp.Guide, outer: bool, inner: bool) -> lp.FlexibleRobot:
    arm = rail(lp.Prismatic((1, 0, 0)), guide, outer=outer, inner=inner)
    robot = lp.Robot(arm.name, arm.links, arm.joints)
    drive = {"slide": lp.JointCompliance(drive=2e5, damping=300.0)}
    return robot.with_beams(dict(arm.beams), guides={"slide": guide}, joint_compliance=drive)


FRONT = {"along": "front", "torsion": "front"}
ARMS: dict[str, Callable[[], lp.FlexibleRobot]] = {
    "revolute": lambda: random_arm(1),
    "any joints": lambda: random_arm(4, ["revolute", "prismatic", "helical"]),
    "one beam": lambda: random_arm(2, beams=1),
    "tree": _tree,
    "telescope": lambda: telescope(2, 1, guides={"torsion": "front"}),
    "three stages": lambda: telescope(3, 5, reverse=True, stepped=True, guides={"along": "front"}),
    "steps of the inner": lambda: telescope(2, 3, inner_steps=True, offset=-0.1, guides=FRONT),
    "rod in pads": lambda: _rail(lp.Guide(at=0.1, spacing=0.6), False, True),
    "both in pads": lambda: _rail(lp.Guide(at=0.1, spacing=0.6, **FRONT), True, True),  # type: ignore[arg-type]
    "carriage": lambda: _rail(lp.Guide(at=0.2), True, True),
    "trolley": lambda: _rail(lp.Guide(at=0.1, spacing=0.6, pads_on="child"), True, False),
    "carriage of the child": lambda: _rail(lp.Guide(at=-0.2, pads_on="child"), True, True),
}
CASES: dict[str, tuple[tuple[str, ...], int]] = dict.fromkeys(ARMS, (EFFECTS, 4))
CASES["tree"] = ("bending", "torsion", "joints"), 5


def states_of(arm: lp.FlexibleRobot, seed: int = 0) -> tuple[Any, Any, Any]:
    """Random ones, within the limits of the guides; the last at the far end of these."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (STATES, arm.nq))
    for guide in arm.placed_guides:
        (limits,) = arm.joint(guide.joint).limits
        share = rng.uniform(0, 1, STATES)
        share[-1] = 1.0
        k = guide.extension.coordinate
        q[:, k] = limits.lower + share * (limits.upper - limits.lower)
    return q, rng.uniform(-1, 1, (STATES, arm.n)), rng.uniform(-1, 1, (STATES, arm.n))


def case_of(arm: lp.FlexibleRobot) -> LoadCase:
    """Forces at the tip and at a point beside the first moving link, in link axes, on a base that moves."""
    push = lp.Wrench(force=(300.0, -200.0, -500.0), torque=(20.0, 10.0, -30.0))
    beside = lp.Wrench(force=(50.0, 80.0, -120.0), point=(0.1, -0.2, 0.3), axes="link")
    external = {arm.link_names[-1]: push, arm.link_names[1]: beside}
    return LoadCase(external, np.full(6, 0.1), np.array([0.3, -0.2, 0.1, 0.2, 0.1, -0.3]))


def numbers(name: str) -> dict[str, Any]:
    """All quantities of an arm's model, as arrays by name."""
    arm = ARMS[name]()
    states, case = states_of(arm), case_of(arm)
    model = vibration_model(arm, *CASES[name])
    V = np.random.default_rng(7).normal(size=(model.size, VECTORS))
    at = model.at(states[0])
    M, momenta = at.matrices()
    K, strains = at.loaded(states, case)
    moved, turned = at.frame_motions(np.broadcast_to(V.T, (STATES, VECTORS, model.size)))
    found = {
        "mass": V.T @ M @ V,
        "momenta": V.T @ momenta,
        "stiffness": V.T @ K @ V,
        "strains": strains,
        "displacement": moved,
        "rotation": turned,
        "inertial": V.T @ _inertial(model, states[0], states[2], None),
        "damping": V.T @ joint_damping(model) @ V,
        "parts": V.T @ model.part_of,
        "line": np.concatenate([curve.displacement for curve in at.beam_lines(V.T, 3)], axis=1),
    }
    return found | _reduced(model, states, case)


def _reduced(model: Any, states: tuple[Any, Any, Any], case: LoadCase) -> dict[str, Any]:
    """In few coordinates, with guides at the extensions of the first state."""
    arm, (q, qd, qdd) = model.arm, states
    q, qd, qdd = q.copy(), qd.copy(), qdd.copy()
    for guide in arm.placed_guides:
        q[:, guide.extension.coordinate] = q[0, guide.extension.coordinate]
        speed = arm.dof_names.index(guide.joint)
        qd[:, speed] = qdd[:, speed] = 0.0
    basis = np.linalg.qr(np.random.default_rng(8).normal(size=(model.size, VECTORS)))[0]
    few = reduced_at(model, basis, q[:1])
    at = few.placed(q)
    N, L = moving_terms(few, at, (q, qd, qdd), case)
    loads = few.loads((q, qd, qdd), case)
    forces = np.asarray(arm.dead_loads(q, qd, qdd, **case.keywords)).reshape(STATES, -1) @ few.load_map.T
    return {
        "few: mass": few.mass(at),
        "few: stiffness": few.geometric_stiffness(at, loads),
        "few: gyroscopic": N,
        "few: softening": L,
        "few: frames": few.frames(at),
        "few: forces": forces,
        "few: sections": few.section_map(3).sum(axis=0),
        "few: damping": few.joint_damping,
    }


def kept() -> dict[str, dict[str, Any]]:
    """By arm and quantity, as they were written."""
    stored: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return {name: {key: np.array(values) for key, values in of.items()} for name, of in stored.items()}


if __name__ == "__main__":
    found = {name: {key: values.tolist() for key, values in numbers(name).items()} for name in ARMS}
    FILE.write_text(json.dumps(found))
