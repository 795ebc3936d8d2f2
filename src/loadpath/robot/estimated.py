"""Inertias that a robot's file forgot, estimated from the shapes of its links."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeVar

from loadpath.errors import ModelError, ModelWarning, warn
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.robot.shapes import LinkShape, Purpose
from loadpath.robot.solids import positive_density
from loadpath.robot.triangles import Triangles

# The shapes of links as triangles, for pictures: a mesh that is missing or broken is left out, with one warning.


NAMED = 3
"""Meshes that a warning names."""


class DrawnShape(NamedTuple):
    """A shape and its surface in the frame of its link."""

    shape: LinkShape
    triangles: Triangles


def drawn_shapes(links: Iterable[Link], purpose: Purpose | None = None) -> Mapping[str, tuple[DrawnShape, ...]]:
    """What can be drawn of each link, by its name: the shapes of that purpose; without one, those to be seen, and of a
    link without any those to be touched. A mesh that cannot be read is left out, and one warning names what is missing.

    >>> import loadpath as lp
    >>> arm = lp.Link("arm", shapes=[lp.BoxShape((0.4, 0.1, 0.1)), lp.MeshShape("nowhere.stl")])
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     [len(drawn.triangles.faces) for drawn in drawn_shapes([arm])["arm"]]
    [12]
    """
    found: dict[str, tuple[DrawnShape, ...]] = {}
    missing: dict[str, str] = {}
    for link in links:
        drawn = []
        for shape in shapes_for(link, purpose or "visual", or_others=purpose is None):
            try:
                drawn.append(DrawnShape(shape, shape.triangles()))
            except ModelError as problem:
                missing.setdefault(str(problem), link.name)
            except ImportError as problem:
                missing.setdefault(str(problem), link.name)
        found[link.name] = tuple(drawn)
    if missing:
        sentences = [f"link '{link}': {problem}" for problem, link in missing.items()]
        more = f"; and {len(sentences) - NAMED} more" if len(sentences) > NAMED else ""
        warn(f"drawn without {len(sentences)} of the meshes: {'; '.join(sentences[:NAMED])}{more}")
    return found


def shapes_for(link: Link, purpose: Purpose, or_others: bool = True) -> tuple[LinkShape, ...]:
    """The shapes of a link for a purpose; of a link that has none, if wanted, the others."""
    fitting = tuple(shape for shape in link.shapes if shape.purpose == purpose)
    return fitting or (link.shapes if or_others else ())


R = TypeVar("R", bound=RobotModel)

Density: TypeAlias = float | Mapping[str, float]
"""kg/m^3: of all links, or by the names of links."""


def with_estimated_inertia(
    robot: R, density: Density, links: Iterable[str] | None = None, *, purpose: Purpose = "collision"
) -> R:
    """The robot with inertias of uniform solids for links that have none: each of its shapes filled with material of
    that density (kg/m^3).

    Estimated are links with a shape where neither they nor what is welded to them has a mass: a cover or a sensor
    without an inertia of its own is usually counted in the link it is on. With `links`, those that are named, whatever
    they weigh now. `density` may be a dict by links; then those in it are estimated.

    Of a link that has shapes to be touched (`purpose="collision"`) and shapes to be seen, the first are taken: they are
    closed more often. Shapes that overlap count twice, and a mesh with holes counts as its convex hull, with a warning.
    Castings are hollow, so the estimate is too heavy by what the density is of more than the mean one: arms of metal
    with their motors have 1000 to 2500 kg/m^3 of their hull.

    >>> import loadpath as lp
    >>> arm = lp.Link("arm", shapes=[lp.BoxShape((0.4, 0.1, 0.1), pose=(0.2, 0, 0))])
    >>> hinge = lp.Joint("hinge", "base", "arm", lp.Revolute((0, 1, 0)), limits=(lp.Limits(-1, 1),))
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # of an arm without mass
    ...     robot = lp.Robot("robot", (lp.Link("base"), arm), (hinge,))
    >>> lp.Inertia.box((0.4, 0.1, 0.1), density=1500, pose=(0.2, 0, 0)).mass
    6.0...
    >>> robot.with_estimated_inertia(1500).link("arm").inertia.mass
    6.0...
    """
    densities = _densities(robot, density, links)
    bodies, notes = {}, []
    for name, value in densities.items():
        body, about = estimate(robot.link(name), value, purpose)
        bodies[name] = body
        notes += about
    if notes:
        warn(f"robot '{robot.name}': inertias are estimated from shapes:" + "".join(f"\n  {note}" for note in notes))
    changed = tuple(replace(k, inertia=bodies[k.name]) if k.name in bodies else k for k in robot.links)
    return replace(robot, links=changed)


def _densities(robot: RobotModel, density: Density, links: Iterable[str] | None) -> dict[str, float]:
    """The density of each link that is to be estimated."""
    if isinstance(density, Mapping):
        if links is not None:
            raise ValueError("densities by links say which links are meant: leave out links=")
        return {
            robot.link(name).name: positive_density(value, f"density of link '{name}'")
            for name, value in density.items()
        }
    value = positive_density(density, "density")
    if links is None:
        return dict.fromkeys(links_toestimate(robot), value)
    if isinstance(links, str):
        raise ValueError(f"links is {links!r}: expected several names, like [{links!r}]")
    return {robot.link(name).name: value for name in links}


def links_toestimate(robot: RobotModel) -> tuple[str, ...]:
    """Links with a shape, where neither they nor what is welded to them has a mass."""
    body = {robot.base.name: robot.base.name}  # the first of the links that are welded together
    for joint in robot.joints:
        body[joint.child] = joint.child if joint.motion.dof else body[joint.parent]
    heavy = {body[link.name] for link in robot.links if link.inertia.mass}
    return tuple(link.name for link in robot.links if link.shapes and body[link.name] not in heavy)


def estimate(link: Link, density: float, purpose: Purpose = "collision") -> tuple[Inertia, list[str]]:
    """The inertia of the shapes of a link, and what is to be said of it."""
    shapes = shapes_for(link, purpose)
    if not shapes:
        raise ModelError(f"link '{link.name}' has no shape to estimate its inertia from: give it one with "
                         "robot.with_inertias, as lp.Inertia.box(size, density=...)")
    total, notes = Inertia(), []
    for shape in shapes:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                total += shape.inertia(density)
            except ModelError as problem:
                raise ModelError(f"link '{link.name}': {problem}") from None
        for entry in caught:
            if not issubclass(entry.category, ModelWarning):
                warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)
            else:
                notes.append(f"link '{link.name}': {entry.message}")
    if not total.mass:
        raise ModelError(f"link '{link.name}': its shapes have no volume, so no inertia can be estimated from them")
    return total, notes
