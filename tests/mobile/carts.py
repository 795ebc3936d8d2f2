"""Carts on fixed wheels, for tests of their simulation."""

import numpy as np

import loadpath as lp

R, D, G = 0.2, 0.4, 9.81
GRIP = lp.WheelFriction(sliding=0.5, static=0.7, rolling=0.01)


def differential(spin_inertia=0.0):
    wheels = [
        lp.FixedWheel((0, D), R, name="rl", spin_inertia=spin_inertia),
        lp.FixedWheel((0, -D), R, name="rr", spin_inertia=spin_inertia),
        lp.CasterWheel((1.0, 0), 0.1, name="c"),
    ]
    return lp.WheeledBase(mass=200, center_of_mass=(0.2, 0, 0.3), inertia=np.diag([20.0, 40, 50]), friction=GRIP,
                          wheels=wheels).carrying()


def car(spin_inertia=0.0, front=lp.FixedWheel):
    wheels = [
        lp.FixedWheel((0, D), R, name="rl", spin_inertia=spin_inertia),
        lp.FixedWheel((0, -D), R, name="rr", spin_inertia=spin_inertia),
        front((1, D), R, name="fl"),
        front((1, -D), R, name="fr"),
    ]
    return lp.WheeledBase(mass=200, center_of_mass=(0.5, 0, 0.3), inertia=np.diag([20.0, 40, 50]), friction=GRIP,
                          wheels=wheels).carrying()


def cart(friction, ground=None):
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.2, -0.2)]
    return lp.WheeledBase(mass=25, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(friction)).carrying(ground=ground)
