"""What Drake computes for an SDF file, read by its own parser (libsdformat): positions by joint, mass matrix, forces.

Drake is in the extra `peers`. `python -m tests.files.drake_numbers` writes `drake_numbers.json`, which the tests read,
so that they need no Drake; another test compares the file with Drake where it is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
NUMBERS = FOLDER / "drake_numbers.json"
CASES = ("frames_1_9", "model_axes_1_4", "axes_1_6", "nested_1_10", "joints_1_11")
STATES = 3
Numbers = dict[str, Any]


def drake_numbers(path: Path, base: str | None = None) -> Numbers:
    """Random states of a file, in Drake's order of speeds: joints, named by their children, with how many each has.
    `base` is the link that is welded to the world where it stands, if no joint does so.
    """
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.package_map().Add(path.parent.name, str(path.parent))
    parser.AddModels(str(path))
    if base is not None:
        body = plant.GetBodyByName(base)
        plant.WeldFrames(plant.world_frame(), body.body_frame(), plant.GetDefaultFloatingBaseBodyPose(body))
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -9.81])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    random = np.random.default_rng(7)
    joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
    order = sorted((joint for joint in joints if joint.num_velocities()), key=lambda joint: joint.velocity_start())
    counted = [[full_name(plant, joint.child_body()), joint.num_velocities()] for joint in order]
    found: Numbers = {"joints": counted, "states": []}
    for _ in range(STATES):
        q, v, a = (random.uniform(-scale, scale, plant.num_velocities()) for scale in (1.0, 2.0, 5.0))
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        mass = plant.CalcMassMatrix(context)
        bodies = [joint.child_body() for joint in joints]
        poses = {full_name(plant, body): plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4() for body in bodies}
        found["states"].append({
            "q": q.tolist(),
            "qd": v.tolist(),
            "qdd": a.tolist(),
            "tau": plant.CalcInverseDynamics(context, a, forces).tolist(),
            "mass_matrix": mass.tolist(),
            "poses": {name: pose.tolist() for name, pose in poses.items()},
        })
    return found


def full_name(plant: Any, element: Any) -> str:
    """With the names of the models that it is in, but for the outermost."""
    _, _, inner = plant.GetModelInstanceName(element.model_instance()).partition("::")
    return f"{inner}::{element.name()}" if inner else str(element.name())


def bases() -> dict[str, str]:
    """The links that stand free in the files."""
    return {"model_axes_1_4": "base"}


def main() -> None:
    numbers = {name: drake_numbers(FOLDER / "sdf_files" / f"{name}.sdf", bases().get(name)) for name in CASES}
    NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()
