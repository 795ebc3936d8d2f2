"""From base parameters to bodies that can exist: the full parameters nearest to the prior robot that explain the fit.

The full parameters phi follow from the base parameters b and from those that are not kept, z: what is kept is b less
the shares of z. The measured forces determine b alone; the prior robot decides the remainder. Sought is the minimum of

    1/2 |R (b - b_fit)|^2  +  w sum over links D(J, J0),     D = tr(J0^-1 J) - log det(J0^-1 J) - 4

with R'R the inverse covariance of the fit, J the pseudo-inertia of a link and J0 that of the prior. D is the entropic
divergence of Lee, Wensing and Park: zero for J = J0, infinite where a body stops being possible, the same in all frames
and units. Friction and rotors are bodies of one dimension. The problem is convex and has one minimum, which
`interior_point` finds from any prior. With a small w a fit that bodies can have is kept to a small part of its standard
deviation, and the prior decides about nothing but what the forces leave open.

T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification: a convex programming approach, IEEE Trans.
Robotics 36 (2020), 348-365.
"""

from __future__ import annotations

import numpy as np

from loadpath.identification.base import BaseParameters
from loadpath.identification.interior_point import Bodies, Problem, minimum
from loadpath.identification.least_squares import Fit
from loadpath.identification.pseudo_inertia import nearby_definite, pseudo_inertia
from loadpath.identification.welded_links import frames_only
from loadpath.scalars.types import Floats

# A prior body thinner than this (part of its second moments, in units of the mean link) says no more than one of it.
_THINNEST = 1e-4


def bodies(base: BaseParameters, prior: Floats) -> Bodies:
    """The bodies that the parameters belong to; those of the prior (in units of the scale) are corrected where no real
    body has them.
    """
    p, idle = base.parameters, set(base.grouping.idle)
    frames = {base.robot.link_names.index(link) for link in frames_only(base.robot)}
    links = [i for i in range(len(base.robot.links))
             if i not in frames and not idle.issuperset(range(10 * i, 10 * i + 10))]
    masses = [float(prior[10 * i]) for i in links if prior[10 * i] > 0]
    typical = sum(masses) / len(masses) if masses else 1.0
    matrices = []
    for i in links:
        J = pseudo_inertia(prior[10 * i : 10 * i + 10])
        small = np.linalg.eigvalsh(J).max() <= 0
        matrices.append(_THINNEST * typical * np.eye(4) if small else nearby_definite(J, _THINNEST))
    drives = list(range(p.of_links, len(p.names)))
    return Bodies(links, np.array(matrices), drives, np.maximum(prior[drives], 1e-3 * typical))


def consistent(base: BaseParameters, fit: Fit, units: Floats, prior: Floats, weight: float) -> Floats:
    """All parameters, in the given units of the base and full parameters: those of the prior, but for links with
    influence and for drives, which explain the fit as well as possible bodies can.
    """
    found = bodies(base, prior)
    columns = found.columns
    place = {j: k for k, j in enumerate(columns)}
    kept = list(base.grouping.kept)
    at_kept = [place[j] for j in kept]
    others = [k for k in range(len(columns)) if k not in set(at_kept)]
    shares = base.matrix[:, columns] * units[columns] / units[kept][:, None]
    # phi = G b + N z
    G = np.zeros((len(columns), len(kept)))
    G[at_kept, np.arange(len(kept))] = 1.0
    N = np.zeros((len(columns), len(others)))
    N[others, np.arange(len(others))] = 1.0
    N[at_kept] = -shares[:, others]
    start = found.values()
    problem = Problem(found, G, N, fit.factor, fit.values, weight)
    b, z = minimum(problem, shares @ start, start[others])
    result = prior.copy()
    result[columns] = G @ b + N @ z
    return result
