"""A body on elastic feet slides, pitches and rolls: against equations written here, and these against Drake.

Drake's penalty contacts in continuous time act halfway between the ground and the undeformed foot, those of this
library where the ground is: a tyre's patch lies there. The equations here take either, so that each is compared with
its own. Friction of theirs is smoothed below `CREEP`, ours is not.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import loadpath as lp

CREEP = 1e-4
"""m/s."""
G = 9.81


class Case:
    """A random body on four feet that is let go, at rest on its springs, with a velocity along the ground."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.mass = rng.uniform(20, 200)
        self.center = np.array([*rng.uniform(-0.05, 0.05, 2), rng.uniform(0.2, 0.5)])
        self.inertia = np.diag(rng.uniform(0.5, 1, 3)) * self.mass * 0.1
        self.friction = rng.uniform(0.3, 0.7)
        self.feet = [(x + rng.uniform(-0.05, 0.05), y + rng.uniform(-0.05, 0.05))
                     for x in (-0.5, 0.5) for y in (-0.35, 0.35)]
        self.stiffness = self.mass * G / 4 / rng.uniform(0.004, 0.02)
        feet = [lp.Support(foot, stiffness=self.stiffness, damping=0.0) for foot in self.feet]
        base = lp.WheeledBase(mass=self.mass, center_of_mass=self.center, inertia=self.inertia,
                              friction=lp.WheelFriction(self.friction), wheels=feet)
        velocity = rng.uniform(-1.5, 1.5), rng.uniform(-0.5, 0.5), rng.uniform(-1, 1)
        self.run = base.carrying().simulate(velocity=velocity, duration=0.4, sample_rate=40)
        self.rotations = Rotation.from_quat(self.run.quaternion).as_matrix()
        twist = self.run.base_velocity[0]
        self.velocity, self.turning = self.rotations[0] @ twist[:3], self.rotations[0] @ twist[3:]

    @property
    def poses(self):
        """(times, 12): position and rotation, as simulated."""
        return np.concatenate([self.run.position, self.rotations.reshape(-1, 9)], axis=1)

    def by_hand(self, depth_share):
        """The same by Newton's and Euler's equations of the mass center, in world axes. Forces act at a share of the
        depth below the ground."""
        m, feet = self.mass, np.array([[*foot, 0.0] for foot in self.feet]) - self.center

        def rates(t, y):
            R, v, w = Rotation.from_quat(y[3:7]).as_matrix(), y[7:10], y[10:13]
            force, moment = np.array([0.0, 0.0, -m * G]), np.zeros(3)
            for foot in feet @ R.T:
                depth = -(y[2] + foot[2])
                if depth > 0:
                    arm = foot + np.array([0.0, 0.0, (1 - depth_share) * depth])
                    slip = (v + np.cross(w, arm)) * (1.0, 1.0, 0.0)
                    load = self.stiffness * depth
                    f = -self.friction * load * slip / max(np.linalg.norm(slip), CREEP) + (0.0, 0.0, load)
                    force, moment = force + f, moment + np.cross(arm, f)
            inertia = R @ self.inertia @ R.T
            spin = np.linalg.solve(inertia, moment - np.cross(w, inertia @ w))
            x, y_, z, s = y[3:7]
            a, b, c = 0.5 * w
            turn = (s * a + b * z - c * y_, s * b + c * x - a * z, s * c + a * y_ - b * x, -x * a - y_ * b - z * c)
            return np.concatenate([v, turn, force / m, spin])

        R = self.rotations[0]
        offset = R @ self.center
        y = np.concatenate([self.run.position[0] + offset, Rotation.from_matrix(R).as_quat(),
                            self.velocity + np.cross(self.turning, offset), self.turning])
        times = self.run.times
        found = solve_ivp(rates, (0, times[-1]), y, t_eval=times, method="LSODA", rtol=1e-8, atol=1e-10, max_step=1e-3)
        R = Rotation.from_quat(found.y[3:7].T).as_matrix()
        return np.concatenate([found.y[:3].T - R @ self.center, R.reshape(-1, 9)], axis=1)

    def in_drake(self):
        """The same by Drake, in continuous time."""
        plants = pytest.importorskip("pydrake.multibody.plant")
        from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
        from pydrake.math import RigidTransform, RotationMatrix
        from pydrake.multibody.math import SpatialVelocity
        from pydrake.multibody.tree import RotationalInertia, SpatialInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        def material(stiffness):
            friction, properties = plants.CoulombFriction(self.friction, self.friction), ProximityProperties()
            AddContactMaterial(dissipation=0.0, point_stiffness=stiffness, friction=friction, properties=properties)
            return properties

        builder = DiagramBuilder()
        plant, _ = plants.AddMultibodyPlantSceneGraph(builder, 0.0)
        about = RotationalInertia(*np.diag(self.inertia))
        body = plant.AddRigidBody("base", SpatialInertia.MakeFromCentralInertia(self.mass, self.center, about))
        small = 1e-5
        for k, (x, y) in enumerate(self.feet):
            plant.RegisterCollisionGeometry(body, RigidTransform([x, y, small]), Sphere(small), f"foot{k}",
                                            material(self.stiffness))
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", material(1e15))
        plant.Finalize()
        plant.set_stiction_tolerance(CREEP)
        simulator = Simulator(builder.Build())
        context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        plant.SetFreeBodyPose(context, body, RigidTransform(RotationMatrix(self.rotations[0]), self.run.position[0]))
        twist = SpatialVelocity(self.turning, self.velocity)
        plant.SetFreeBodySpatialVelocity(context=context, body=body, V_JpJc=twist)
        integrator = simulator.get_mutable_integrator()
        integrator.set_target_accuracy(1e-7)
        integrator.set_maximum_step_size(1e-3)
        rows = []
        for t in self.run.times:
            simulator.AdvanceTo(t)
            pose = plant.EvalBodyPoseInWorld(context, body)
            rows.append([*pose.translation(), *pose.rotation().matrix().ravel()])
        return np.array(rows)


def check(seed, drake):
    case = Case(seed)
    off = np.abs(case.by_hand(0.0) - case.poses)
    assert case.run.energy_drift < 1e-7
    assert np.degrees(np.ptp(case.run.pitch)) > 0.1  # it does pitch
    assert off[:, :3].max() < 2e-5 and off[:, 3:].max() < 1e-4  # their friction creeps
    if drake:
        off = np.abs(case.by_hand(0.5) - case.in_drake())
        assert off[:, :3].max() < 3e-6 and off[:, 3:].max() < 1e-5


def test_equations_by_hand():
    check(3, drake=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(22))
def test_drake(seed):
    pytest.importorskip("pydrake")
    check(seed, drake=True)
