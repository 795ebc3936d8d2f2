"""The chain of the slides on the natural orthogonal complement: r_ij, a_j and rho_i, on a base that floats."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import loadpath as lp
from docs.source_figures.angeles_links import BACK, SKIN, Seen, along, axis, barrel, bent, center
from docs.source_figures.drawing import GREY, INK, LIGHT, RED, Scene, View, figure, panels


def chain() -> lp.Robot:
    """Three revolute joints on a satellite."""
    return lp.from_dh(
        [
            lp.DHRow(theta=0.2, d=0.25, a=0.5, alpha=-0.9, mass=4.0, center_of_mass=(-0.2, 0.0, 0.02)),
            lp.DHRow(theta=-0.5, d=0.2, a=0.55, alpha=0.8, mass=3.0, center_of_mass=(-0.25, 0.0, 0.02)),
            lp.DHRow(theta=0.6, d=0.2, a=0.45, alpha=-0.4, mass=2.0, center_of_mass=(-0.15, -0.02, 0.02)),
        ],
        name="three joints",
        gravity=(0, 0, 0),
        base=lp.Link("satellite", lp.Inertia(60.0, (-0.16, 0.0, -0.12), np.diag([6.0, 6.0, 5.0]).tolist())),
    )


@figure("slides_r_ij")
def arms() -> Figure:
    """r_i1 of the last link as the sum of a_j and rho_i; t_0 of the base."""
    drawn, (panel,) = panels(size=(7.2, 4.4))
    scene = Scene(panel, View(-62, 24))
    seen = Seen.of(chain(), [0.0, 0.0, 0.0])
    o, C, e = seen.origins, seen.C, [axes[:, 2] for axes in seen.axes]
    c_0 = np.array([-0.16, 0.0, -0.12])
    scene.box(c_0 - (0, 0, 0.06), (0.62, 0.5, 0.34), None, BACK, zorder=2)
    for k in range(3):
        face = SKIN if k != 1 else "#dbe9d8"
        bent(scene, [o[k], along(o[k], e[k], o[k + 1]), o[k + 1]], face, 3 + k, 14)
        barrel(scene, o[k], e[k], BACK if k == 0 else face, 3.5 + k, 0.06)
    for k, name in enumerate((r"$\mathbf{e}_1$", r"$\mathbf{e}_2$", r"$\mathbf{e}_3$")):
        axis(scene, o[k], e[k], name, 0.3, (-10, 3))
    scene.arrow(o[0], o[1], INK, r"$\mathbf{a}_1$", (6, -10), at=0.6, width=1.0)
    scene.arrow(o[1], o[2], INK, r"$\mathbf{a}_2$", (2, -11), at=0.5, width=1.0)
    scene.arrow(o[2], C[2], RED, r"$\rho_3$", (8, -9), at=0.55)
    scene.arrow(o[0], C[2], LIGHT, r"$\mathbf{r}_{31}$", (-12, 9), at=0.3, width=2.0)
    center(scene, C[2], "$C_3$", (10, 10))
    scene.dot(c_0, INK, 6, zorder=21, mfc="white", mew=1.2)
    scene.text(c_0, "$C_0$", (-12, 2))
    scene.arrow(c_0, c_0 - (0.26, 0.0, -0.05), RED, r"$\dot{\mathbf{c}}_0$", (-8, 6), width=1.5)
    scene.turn(c_0 - (0, 0, 0.23), (0, 0, 1), np.array([0.14, 0.0, 0.0]), 4.6, label=r"$\omega_0$", shift=(-24, 8))
    for k, (name, shift) in enumerate((("$O_1$", (26, -14)), ("$O_2$", (0, -20)), ("$O_3$", (-6, -20)))):
        scene.dot(o[k], INK, 4, zorder=23)
        scene.text(o[k], name, shift)
    scene.text(c_0, "link 0", (-84, -70), color=GREY)
    scene.room(0.05)
    return drawn
