"""Rovers for tests: random ones of every kind of wheel, and the forces at their contacts summed up."""

from __future__ import annotations

import numpy as np

import loadpath as lp


def random_base(seed, contacts=4, *, kinds=None, friction=None):
    """A base with contacts around it, of mixed kinds, and its mass center inside."""
    rng = np.random.default_rng(seed)
    angles = np.linspace(0, 2 * np.pi, contacts, endpoint=False) + rng.uniform(-0.2, 0.2, contacts)
    makers = kinds or ("fixed", "free", "steered", "caster", "trailing", "omni", "mecanum", "support")
    wheels = [make(makers[int(rng.integers(len(makers)))], a, rng) for a in angles]
    half = rng.normal(size=(3, 3))
    tensor = half @ half.T
    return lp.WheeledBase(mass=20 + 40 * rng.random(), center_of_mass=(*rng.uniform(-0.1, 0.1, 2), 0.3),
                          inertia=np.trace(tensor) * np.eye(3) - tensor, wheels=wheels,
                          friction=friction or lp.WheelFriction(0.6, 0.8, 0.02))


def make(kind, angle, rng):
    """One contact, 0.5 m or so from the middle."""
    at = (0.5 + 0.2 * rng.random()) * np.array([np.cos(angle), np.sin(angle)])
    options = {"compliance": 0.5 + rng.random(), "grip_compliance": 0.5 + rng.random()}
    fixed = {"direction": rng.uniform(-3, 3), "spin_inertia": 0.05 * rng.random()}
    radius = 0.05 + 0.1 * rng.random()
    if kind == "support":
        return lp.Support(at, **options)
    if kind in ("fixed", "free"):
        return lp.FixedWheel(at, radius, driven=kind == "fixed", **fixed, **options)
    if kind in ("omni", "mecanum"):
        angle = 0.0 if kind == "omni" else float(rng.choice([-1, 1])) * np.pi / 4
        return lp.OmniWheel(at, radius, roller_angle=angle, driven=bool(rng.random() < 0.7), **fixed, **options)
    if kind == "steered":
        return lp.SteeredWheel(at, radius, **options)
    return lp.CasterWheel(at, radius, trail=0.08 if kind == "trailing" else 0.0, **options)


def summed(loads):
    """Force and moment about the base frame's origin of all contact forces, with what no contact can give."""
    force = loads.force.sum(axis=-2)
    arms = np.concatenate([loads.points, np.zeros((*loads.points.shape[:-1], 1))], axis=-1)
    torque = np.cross(np.broadcast_to(arms, loads.force.shape), loads.force).sum(axis=-2)
    force[..., :2] += loads.unsupplied[..., :2]
    torque[..., 2] += loads.unsupplied[..., 2]
    return force, torque


def motions(rover, count, seed):
    """Random arm states and base motions."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (count, rover.nq))
    return (q, rng.normal(size=(count, rover.n)), rng.normal(size=(count, rover.n)),
            rng.normal(size=(count, 3)), rng.normal(size=(count, 3)))
