"""Arms that slide in guides, for the tests: telescopes of any number of stages, rods in carriages, trolleys."""

from __future__ import annotations

from typing import Any

import numpy as np
from elastic_arms import random_rotation

import loadpath as lp
from loadpath.scalars import array
from loadpath.structure.beams.deflection_equations import small_deflection
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.skeleton import skeleton

SECTIONS = (
    lp.RectangularTube(0.2, 0.3, 0.008),
    lp.RectangularTube(0.16, 0.25, 0.006),
    lp.RectangularTube(0.12, 0.2, 0.006),
    lp.Tube(0.06, 0.005),
)
LENGTH = 4.0
STROKE = 3.0


def telescope(
    stages: int = 2,
    seed: int | None = None,
    *,
    guides: Any = None,
    offset: float = 0.0,
    reverse: bool = False,
    mass: float = 20.0,
    payload: float = 300.0,
    stepped: bool = False,
    inner_steps: bool = False,
) -> lp.FlexibleRobot:
    """A boom on a luffing joint, each stage 4 m long, drawn out by up to 3 m. With a seed it lies anyhow in space, the
    sections are turned, and the stages have masses beside their beams; `offset` moves each stage across the one before.
    """
    rng = np.random.default_rng(seed)
    turned = (lambda: random_rotation(rng)) if seed is not None else (lambda: np.eye(3))
    base = lp.Pose(turned().tolist(), (rng.normal(size=3) if seed is not None else np.zeros(3)).tolist())
    links, joints, beams = [lp.Link("base")], [], {}
    joints.append(lp.Joint("luff", "base", "stage1", lp.Revolute((0, -1, 0)), base))
    boom = turned()  # the direction of the telescope in the first stage
    e, up = boom[:, 0], boom[:, 2]
    start, axis = np.zeros(3), e
    for k in range(stages):
        name, section = f"stage{k + 1}", SECTIONS[k]
        own = lp.Inertia(mass, (start + 1.7 * e + 0.1 * up).tolist(), (mass * 0.1 * np.eye(3)).tolist())
        links.append(lp.Link(name, own))
        y_axis = tuple((turned() @ np.array([0.3, 1.0, 0.2])).tolist()) if seed is not None else None
        guide = None
        if k > 0:
            sign = -1.0 if reverse else 1.0
            guide = lp.Guide(front=0.0, tail=-3.6 * sign, **(guides or {}))
        end = tuple((start + LENGTH * e).tolist())
        if (stepped and k != 1) or (inner_steps and k == 1):
            parts = [(0.3, section, lp.STEEL), (0.5, SECTIONS[k + 1], lp.STEEL), (0.2, section, lp.ALUMINIUM)]
            beams[name] = lp.Beam(segments=parts, start=tuple(start.tolist()), end=end, y_axis=y_axis, guide=guide)
        else:
            beams[name] = lp.Beam(section, lp.STEEL, start=tuple(start.tolist()), end=end, y_axis=y_axis, guide=guide)
        if k + 1 < stages:
            R = turned()
            at = start + (LENGTH - 0.1) * e + offset * up
            new = R.T @ boom
            axis = new[:, 0] * (-1.0 if reverse else 1.0)
            limits = lp.Limits(lower=-STROKE if reverse else 0.0, upper=0.0 if reverse else STROKE)
            joints.append(lp.Joint(f"slide{k + 1}", name, f"stage{k + 2}", lp.Prismatic(tuple(axis.tolist())),
                                   lp.Pose(R.tolist(), at.tolist()), limits=limits))
            e, up, boom = new[:, 0], new[:, 2], new
            start = -3.8 * e
    tip = lp.Link("hook", lp.Inertia(payload, (0.0, 0.0, -0.2), (0.5 * np.eye(3)).tolist()))
    end = lp.Pose(translation=(start + LENGTH * e).tolist())
    joints.append(lp.Joint("tip", f"stage{stages}", "hook", lp.Fixed(), end))
    robot = lp.Robot(f"telescope{stages}", (*links, tip), tuple(joints))
    weights = {name: robot.link(name).inertia.mass for name in beams}
    arm = robot.with_beams(beams, inertia_from_beams=True)
    heavier = {name: arm.link(name).inertia + robot.link(name).inertia for name in weights if mass > 0}
    made = arm.with_inertias(heavier) if heavier else arm
    assert isinstance(made, lp.FlexibleRobot)
    return made


def as_numbers(arm: lp.FlexibleRobot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """Displacement and rotation by the equations themselves, without compiling them."""
    state = (array([float(x) for x in part]) for part in (q, qd, qdd))
    found = small_deflection(skeleton(arm), *state, effects=EFFECTS, axes="world", without_driven=False)
    return found[0].astype(float), found[1].astype(float)
