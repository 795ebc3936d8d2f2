"""Rovers with wheels on links, for tests: a tractor with a trailer, and a rocker-bogie rover with a differential."""

from __future__ import annotations

import numpy as np

import loadpath as lp


def tractor(wheels=(), **options):
    """A car of 800 kg, its rear axle at the origin, 2.5 m in front of it the steered one."""
    own = [lp.FixedWheel((0, 0.7), 0.3, name="rl"), lp.FixedWheel((0, -0.7), 0.3, name="rr"),
           lp.SteeredWheel((2.5, 0.7), 0.3, driven=False, name="fl"),
           lp.SteeredWheel((2.5, -0.7), 0.3, driven=False, name="fr")]
    values = {"mass": 800, "center_of_mass": (1.2, 0, 0.5), "inertia": np.diag([200, 800, 900.0]),
              "friction": lp.WheelFriction(0.8)}
    return lp.WheeledBase(wheels=[*own, *wheels], **(values | options))


def trailer(*, pitch=False, mass=300.0, length=3.0, ahead=0.4, height=0.3, **joint):
    """A trailer on one axle `length` behind its hitch, the mass center `ahead` of the axle and above the hitch."""
    links = [lp.Link("coupling"), lp.Link("trailer", lp.Inertia(mass, (ahead - length, 0, height),
                                                                np.diag([0.1, 0.3, 0.3]) * mass))]
    hinges = [lp.Joint("yaw", "coupling", "swivel" if pitch else "trailer", lp.Revolute((0, 0, 1)), **joint)]
    if pitch:
        links.insert(1, lp.Link("swivel", lp.Inertia(1e-9, (0, 0, 0), 1e-9 * np.eye(3))))
        hinges.append(lp.Joint("pitch", "swivel", "trailer", lp.Revolute((0, 1, 0))))
    return lp.Robot("trailer", tuple(links), tuple(hinges))


def axle(length=3.0, track=1.4, **options):
    """The two wheels of a trailer."""
    return [lp.FixedWheel((-length, side * track / 2), 0.3, driven=False, name=name, link="trailer", **options)
            for side, name in ((1, "tl"), (-1, "tr"))]


def with_trailer(*, pitch=False, hitch=(-0.8, 0.0, 0.4), ground=None, **options):
    """The tractor with its trailer; with `pitch`, on a hitch that lets it nod as well."""
    return tractor(axle()).carrying(trailer(pitch=pitch, **options), at=hitch, ground=ground)


ROCKER, BOGIE = 0.5, 0.3
"""Levers of the rocker (pivot to front wheel) and of the bogie (pivot to each wheel)."""


def rocker_bogie(*, body=40.0, center=(0.0, 0.0, 0.6), levers=(0.5, 0.4, 0.3, 0.2), link_mass=1e-6, ground=None,
                 friction=None):
    """Six wheels: on each side a rocker about y at (0, +-0.5, 0.5) with the front wheel `levers[0]` ahead of it, and
    the pivot of a bogie `levers[1]` behind it at a height of 0.3; its wheels `levers[2]` ahead of and `levers[3]`
    behind that. The right rocker turns against the left one: a differential.
    """
    ahead, behind, a, b = levers
    links, joints, wheels = [lp.Link("frame")], [], []
    body_of = lp.Inertia(link_mass, (0, 0, 0), 0.01 * link_mass * np.eye(3))
    for side, name in ((1, "left"), (-1, "right")):
        links += [lp.Link(f"{name} rocker", body_of), lp.Link(f"{name} bogie", body_of)]
        follows = {} if side > 0 else {"mimic": lp.Mimic("left rocker joint", -1.0)}
        joints += [lp.Joint(f"{name} rocker joint", "frame", f"{name} rocker", lp.Revolute((0, 1, 0)),
                            (0, 0.5 * side, 0.5), **follows),
                   lp.Joint(f"{name} bogie joint", f"{name} rocker", f"{name} bogie", lp.Revolute((0, 1, 0)),
                            (-behind, 0, -0.2))]
        wheels += [lp.FixedWheel((ahead, 0), 0.1, name=f"{name} front", link=f"{name} rocker"),
                   lp.FixedWheel((a, 0), 0.1, name=f"{name} middle", link=f"{name} bogie"),
                   lp.FixedWheel((-b, 0), 0.1, name=f"{name} rear", link=f"{name} bogie")]
    base = lp.WheeledBase(mass=body, center_of_mass=center, inertia=np.eye(3) * 2.0, wheels=wheels, name="body",
                          friction=friction or lp.WheelFriction(0.8))
    return base.carrying(lp.Robot("suspension", tuple(links), tuple(joints)), ground=ground)
