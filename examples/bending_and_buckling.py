"""Chapter 7 of Lau's thesis: how far a link bends, how the next one is carried along, and when a link buckles.

Each number stands next to its closed form; misprints of the thesis are put right (docs/errata.md). The last part is its
own flexible link, the rod that slides through its carriage. `python bending_and_buckling.py figure.html` saves a plot.
"""

import sys

import numpy as np

import loadpath as lp
from loadpath.structure import critical_load

L, rod = 0.8, lp.Rod(0.01)
E = lp.STEEL.youngs_modulus
EI = E * rod.second_moment_y
beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
link = lp.catalog.planar(1, length=L, gravity=0.0).with_beams({"link1": beam}, inertia_from_beams=True)


def tip(force=(0, 0, 0), torque=(0, 0, 0), arm=link):
    """Displacement and rotation of the tip; the link lies along x."""
    return arm.deflection([0.0], external={"tip": lp.Wrench(force, torque)}, effects=["bending"]).tip


def compare(name: str, found: float, closed: float, unit: str = "") -> None:
    assert np.isclose(found, closed, rtol=1e-4), (name, found, closed)
    many = 1000 if unit in ("mm", "mrad") else 1
    print(f"{name:44} {many * found:12.6g} {many * closed:12.6g} {unit}")


F, N = 30.0, 4.0
print(f"{'figure 15: a cantilever':44} {'loadpath':>12} {'closed form':>12}")
forced, twisted = tip((0, F, 0)), tip(torque=(0, 0, N))
compare("(7-1) deflection by a force, L^3 F/3EI", forced.displacement[1], L**3 * F / (3 * EI), "mm")
compare("(7-2) slope by a force, L^2 F/2EI", forced.rotation[2], L**2 * F / (2 * EI), "mrad")
compare("(7-3) deflection by a torque, L^2 N/2EI", twisted.displacement[1], L**2 * N / (2 * EI), "mm")
compare("(7-4) slope by a torque, L N/EI", twisted.rotation[2], L * N / EI, "mrad")
weight = 9.81 * link.link("link1").inertia.mass
heavy = link.with_gravity((0, 0, -9.81))
compare("own weight, W L^3/8EI", -tip(arm=heavy).displacement[2], weight * L**3 / (8 * EI), "mm")
print(f"{'(7-17) would have 5/6 of it: all at the middle':44} {'':12} {1000 * 5 / 48 * weight * L**3 / EI:12.6g} mm")

# Figure 16: link 1 bends, link 2 is rigid; its tip is where (7-21) says, with the transpose of A and its own length.
elbow = lp.catalog.planar(2, length=L, gravity=0.0).with_beams(
    {"link1": lp.Beam(rod, lp.STEEL, end="joint2")}, inertia_from_beams=True
)
q = np.array([0.0, 0.75])
bent = elbow.deflection(q, external={"tip": lp.Wrench((0, 0, -20.0))}, effects=["bending"])
m, n = bent["link2"].displacement, bent["link2"].rotation                # of the end of link 1, world axes
arm_of_2 = np.diff(elbow.link_poses(q)[2:, :3, 3], axis=0)[0]
print("\nfigure 16: propagation")
carried = m + np.cross(n, arm_of_2)
compare("(7-21) sag of the tip beyond the elbow", -bent.tip.displacement[2], -carried[2], "mm")

# Figure 17: modes of a column that is clamped at its foot. The thesis prints mode^2, which belongs to two hinges.
print("\nfigure 17: buckling, in pi^2 EI/4L^2 =", f"{np.pi**2 * EI / (4 * L**2):.1f} N")
euler = np.pi**2 * EI / (4 * L**2)
clamped = lp.Beam(rod, lp.STEEL, end=(L, 0, 0))
hinged = lp.Beam(rod, lp.STEEL, end=(L, 0, 0), end_condition="pinned-pinned")
for name, column, factor in (
    ("clamped-free: (2 mode - 1)^2", clamped, lambda mode: (2 * mode - 1) ** 2),
    ("two hinges: 4 mode^2", hinged, lambda mode: 4 * mode**2),
):
    for mode in (1, 2, 3):
        load = critical_load(column, L, shear=False, mode=mode)
        compare(f"mode {mode}, {name}", load / euler, factor(mode))
# The arm as a whole has the first mode of the same column: by how much may the load grow?
upright, push = [np.pi / 2], {"tip": lp.Wrench((0, 0, -100.0))}
found = link.buckling(upright, external=push, effects=["bending"])
compare("(7-23) of the arm, under 100 N", float(found.factor), euler / 100, "times the load")
pulled = link.buckling(upright, external={"tip": lp.Wrench((0, 0, 100.0))})
print(f"under a pull of 100 N: {pulled.factor} times the load; tension does not buckle")

# The thesis's own flexible link: the rod slides through the carriage, so that what is free grows with d2.
thin = lp.Rod(0.008)
EI_rod = lp.ALUMINIUM.youngs_modulus * thin.second_moment_y
arm = lp.catalog.lau_arm(length=1.0, gravity=0.0).with_beams(
    {"rod": lp.Beam(thin, lp.ALUMINIUM, start=(1, 0, 0), end=(0, 0, 0), guide=lp.Guide(at=0.0))},
    inertia_from_beams=True,
)
print("\n7.1.1, the rod of the example, under 5 N at its tip")
for d2 in (0.3, 0.6, 0.9):
    sag = arm.deflection([0, 0, d2], external={"rod": lp.Wrench((0, 0, -5.0))}, effects=["bending"]).tip.displacement[2]
    compare(f"d2 = {d2} m: F d2^3/3EI", -float(sag), 5 * d2**3 / (3 * EI_rod), "mm")

if len(sys.argv) > 1:
    elbow.plot_deflection(q, external={"tip": lp.Wrench((0, 0, -20.0))}).write_html(sys.argv[1])
