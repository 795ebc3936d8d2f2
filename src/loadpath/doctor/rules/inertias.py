"""Inertias that no body has, and bodies without any."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.doctor.finding import Finding, InertiaFix, Severity
from loadpath.doctor.patient import Patient
from loadpath.errors import ModelError
from loadpath.robot.estimated import estimate
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import MeshShape
from loadpath.robot.tree import joints_without_inertia, massless_clusters
from loadpath.scalars.types import Floats

# The nearest inertia tensor that a body can have.
#
# A tensor I about the mass center is that of a body if its covariance, half the trace of I less I, has no negative
# eigenvalue: then all principal moments are positive and no one is more than the sum of the other two. Nearest means
# that the sum of the squared changes of the nine entries is least. That keeps the principal axes, and leaves a problem
# in three numbers: the principal moments as sums of two of three numbers that must not be negative.
#
# The nearest tensor lies on the edge, where A + B = C; rounding then puts it on the wrong side for half of the programs
# that read it. So it is kept off the edge by `SLACK`, and a point mass gets a size of `POINT`.


MOMENT_SLACK = 1e-9
"""Of the largest principal moment: by how much, at least, two moments exceed the third."""
POINT = 1e-6
"""m: mean distance of the mass from its center along each axis, at least. MuJoCo asks for some."""
SMALLEST_MOMENT = 1e-14
"""kg m^2: MuJoCo takes what is less as nothing."""
_SUMS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Principal moments from the principal values of the covariance."""


def nearest_physical(body: Inertia, slack: float = MOMENT_SLACK) -> Inertia:
    """The body with the nearest tensor that a body can have, the mass and its center as they are.

    >>> flat = Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=2.3)
    >>> nearest_physical(flat).principal_moments.round(6).tolist()
    [1.1, 1.1, 2.2]
    >>> sound = Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=1.5)
    >>> nearest_physical(sound) is sound
    True
    """
    moments, axes = np.linalg.eigh(np.array(body.tensor))
    least = max(slack * float(np.abs(moments).max()), body.mass * POINT**2)
    spreads = moments.sum() / 2 - moments
    if spreads.min() >= least / 2:
        return body
    least = max(least, SMALLEST_MOMENT)
    scale = max(float(np.abs(moments).max()), least)
    found, _ = scipy.optimize.nnls(_SUMS, (moments - 2 * least) / scale)
    tensor = axes @ np.diag(scale * (_SUMS @ found) + 2 * least) @ axes.T
    return replace(body, tensor=((tensor + tensor.T) / 2).tolist())


def change(before: Inertia, after: Inertia) -> float:
    """How far two tensors are apart, relative to the larger (Frobenius norm)."""
    old, new = np.array(before.tensor), np.array(after.tensor)
    return float(np.linalg.norm(new - old) / max(np.linalg.norm(old), np.linalg.norm(new)))


TINY_SHARE = 1e-9
"""Of the robot's mass, for frames that other programs want to have some."""
TINY_RADIUS = 0.01
"""m: of gyration of such a frame."""


def conditions(patient: Patient) -> Iterator[Finding]:
    """Positive principal moments, none more than the other two together."""
    for link in patient.links:
        if link.inertia.mass == 0:
            yield from _inertia_without_mass(link)
            continue
        near = nearest_physical(link.inertia)
        if near is not link.inertia:
            yield _impossible(link, near, patient.mass)


def _impossible(link: Link, near: Inertia, total: float) -> Finding:
    """What is wrong with an inertia, and the nearest one that a body can have."""
    where, fix = f"link '{link.name}'", InertiaFix(link.name, near, "inertia")
    a, b, c = (float(x) for x in link.inertia.principal_moments)
    numbers = {"A": a, "B": b, "C": c, "mass": link.inertia.mass, "change": change(link.inertia, near)}
    if max(abs(a), abs(c)) <= 3 * link.inertia.mass * POINT**2:
        said = (
            f"{link.inertia.mass:.4g} kg and no inertia (principal moments {a:.3g}, {b:.3g}, {c:.3g} kg m^2): a point"
        )
        remedy = "take the tensor from CAD, or from the shape with lp.Inertia.from_mesh"
        severity: Severity = "warning" if link.inertia.mass >= 1e-3 * total else "note"
        return Finding(severity, where, said, remedy, numbers=numbers, fix=fix)
    faults = link.inertia.faults()
    if not faults:
        said = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} (kg m^2) are at the edge of what a body can have"
        remedy = "MuJoCo refuses it by rounding: a flat or thin body has a thickness; move it off the edge"
        return Finding("warning", where, said, remedy, numbers=numbers, fix=fix)
    nearest = ", ".join(f"{x:.6g}" for x in near.principal_moments)
    remedy = (
        f"take the tensor from CAD; the nearest that a body can have has the principal moments {nearest}, "
        f"{numbers['change']:.2g} of it away"
    )
    return Finding("error", where, faults[0], remedy, numbers=numbers, fix=fix)


def _inertia_without_mass(link: Link) -> Iterator[Finding]:
    """Textbooks write an inertia alone where the mass has no effect."""
    faults = link.inertia.faults()
    if faults:
        remedy = "give it its mass, or remove the inertia"
        yield Finding("error", f"link '{link.name}'", faults[-1], remedy)


def massless(patient: Patient) -> Iterator[Finding]:
    """Frames without mass that a joint moves, and joints that nothing resists."""
    if patient.robot is None or patient.robot.held_by_loops:
        return
    loose = {joint.name for joint in joints_without_inertia(patient.robot.links, patient.robot.joints)}
    forgotten_ones = {joint.name for joint, _ in _forgotten(patient)}
    for joint, _ in massless_clusters(patient.robot.links, patient.robot.joints):
        if joint.name in forgotten_ones:
            continue
        where = f"link '{joint.child}'"
        fix = InertiaFix(joint.child, _tiny(patient.mass), "massless") if patient.mass else None
        if joint.name in loose:
            yield Finding(
                "warning",
                where,
                f"no mass, though joint '{joint.name}' moves it, and neither inertia nor a rotor "
                "resists the joint: forces do not determine its acceleration",
                "give it a mass and an inertia, or make the joint fixed",
                fix=fix,
            )
        else:
            yield Finding(
                "note",
                where,
                f"no mass, though joint '{joint.name}' moves it: a bare frame between joints",
                "MuJoCo refuses moving bodies without mass: a joint of several freedoms, or a small mass",
                fix=fix,
            )
        loose.discard(joint.name)
    for joint in patient.robot.joints:
        if joint.name in loose:
            yield Finding(
                "warning",
                f"link '{joint.child}'",
                f"neither inertia nor a rotor resists joint '{joint.name}', "
                "which moves it: forces do not determine its acceleration",
                "give it an inertia about the axis: a point mass on the axis has none",
            )


def _tiny(mass: float) -> Inertia:
    """What hardly counts and is not zero."""
    small = TINY_SHARE * mass
    moment = 0.4 * small * TINY_RADIUS**2
    return Inertia.from_moments(small, ixx=moment, iyy=moment, izz=moment)


def forgotten(patient: Patient) -> Iterator[Finding]:
    """Moving links with a shape and no inertia."""
    for joint, link in _forgotten(patient):
        fix, numbers, said = None, {}, ""
        if patient.density is not None:
            try:
                body, notes = estimate(link, patient.density)
            except ModelError as problem:
                said = f" ({problem})"
            else:
                fix = InertiaFix(link.name, body, "estimate")
                numbers = {"mass": body.mass}
                said = f": with {patient.density:g} kg/m^3 its shapes weigh {body.mass:.4g} kg"
                said += f" ({'; '.join(notes)})" if notes else ""
        yield Finding(
            "error",
            f"link '{link.name}'",
            f"a shape and no inertia, though joint '{joint.name}' moves it{said}",
            "take mass and inertia from CAD, or estimate them from the shape: lp.load(path, estimate_inertia=density)",
            numbers=numbers,
            fix=fix,
        )


def _forgotten(patient: Patient) -> Iterator[tuple[Joint, Link]]:
    for joint, cluster in massless_clusters(patient.links, patient.joints):
        for name in cluster:
            link = patient.link_by_name.get(name)
            if link is not None and link.shapes and not _written(patient, name):
                yield joint, link


def _written(patient: Patient, link: str) -> bool:
    """Whether a file writes an inertia of the link, be it zero."""
    for element in patient.elements("link"):
        if element.attributes.get("name") == link:
            return any(child.tag == "inertial" for child in element.children)
    return False


# Made-up inertias: round numbers, the same on several links that do not look the same.


SEVERAL = 3
"""Links with the same round numbers."""
NAMED = 4


def placeholders(patient: Patient) -> Iterator[Finding]:
    """Bodies with one round number for all three moments, where several links have the same."""
    groups: dict[tuple[float, float], list[Link]] = {}
    for link in patient.links:
        if link.inertia.mass and is_round(link.inertia):
            groups.setdefault((link.inertia.mass, float(f"{link.inertia.tensor[0][0]:.0e}")), []).append(link)
    for (mass, moment), links in groups.items():
        moving = [link for link in links if link.name in patient.moved]
        share = mass * len(links) / patient.mass
        named = ", ".join(f"'{link.name}'" for link in links[:NAMED])
        more = f" and {len(links) - NAMED} more" if len(links) > NAMED else ""
        if not moving or (len(links) < SEVERAL and share < 0.01):
            continue
        severe = share >= 0.01
        one = len(links) == 1
        yield Finding(
            "warning" if severe else "note",
            f"link '{links[0].name}'",
            f"mass {mass:g} kg and three equal moments of {moment:g} kg m^2"
            f"{'' if one else f' on {len(links)} links ({named}{more})'}: made up? {share:.2g} of the robot's mass",
            "take mass and inertia from CAD, or from the shape with lp.Inertia.from_mesh",
            numbers={"mass": mass, "moment": moment, "links": float(len(links)), "share": share},
        )


def is_round(body: Inertia) -> bool:
    """Whether all three moments are one number of one digit, like 0.001, and there are no products.

    >>> is_round(Inertia.from_moments(0.1, ixx=1e-3, iyy=1e-3, izz=1e-3)), is_round(Inertia.sphere(0.1, mass=1.3))
    (True, False)
    """
    tensor = np.array(body.tensor)
    value = float(tensor[0, 0])
    digit = float(f"{value:.0e}")
    return value > 0 and bool(np.abs(tensor - digit * np.eye(3)).max() < 1e-9 * value)


# Left and right: links whose names are mirror images should be mirror images.
#
# Compared is what no choice of frames changes: mass, and principal moments. Where the frames of the unmoved robot are
# mirror images too, so are mass centers and tensors. Numbers that are equal in the frames of both sides are those of
# a copy. They are right only for a part that is made once and mounted twice, and such a part shows it: the joints on
# it and its shapes are copies, too, and no mirror images, or it has the same mesh on both sides.


SIDES_DIFFER = 0.02
"""What two sides may differ by, relative to the larger."""
PLACED = 2e-3
"""m: what mass centers, and frames that are mirror images, may be off by."""
SMALLEST_MASS = 1e-3
"""kg: lighter pairs are not compared."""
_LEFT = (
    (re.compile("left"), "right"),
    (re.compile("Left"), "Right"),
    (re.compile("LEFT"), "RIGHT"),
    (re.compile(r"(?<![A-Za-z])l(?![A-Za-z])"), "r"),
    (re.compile(r"(?<![A-Za-z])L(?![A-Za-z])|(?<![A-Za-z])L(?=[A-Z][a-z])"), "R"),
    (re.compile(r"(?<=[FRHBM])L(?![A-Za-z])|(?<![A-Za-z])L(?=[FRHBM](?![A-Za-z]))"), "R"),
    (re.compile(r"(?<=(?<![A-Za-z])[frhbm])l(?![A-Za-z])|(?<![A-Za-z])l(?=[frhbm](?![A-Za-z]))"), "r"),
)


def pairs(names: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Names that say left, with the name that says right in their place.

    >>> list(pairs(dict.fromkeys(["left_arm", "right_arm", "FL_hip", "FR_hip", "LElbowLink", "RElbowLink", "ball"])))
    [('left_arm', 'right_arm'), ('FL_hip', 'FR_hip'), ('LElbowLink', 'RElbowLink')]
    """
    for name in names:
        for pattern, right in _LEFT:
            other = pattern.sub(right, name)
            if other != name and other in names:
                yield name, other
                break


def symmetry(patient: Patient) -> Iterator[Finding]:
    """Pairs of links that differ in mass, principal moments, mass center or axes."""
    mirror = _mirror(patient)
    for left, right in pairs(patient.link_by_name):
        first, second = patient.link_by_name[left], patient.link_by_name[right]
        if max(first.inertia.mass, second.inertia.mass) < SMALLEST_MASS:
            continue
        said, numbers = _difference(first.inertia, second.inertia)
        image, copied = None, False
        if mirror is not None and _are_images(patient.poses[left], patient.poses[right], mirror):
            image = _image(first.inertia, patient.poses[left], patient.poses[right], mirror)
            if not said and not _mounted_twice(patient, first, second, mirror):
                said, numbers = _misplaced(image, second.inertia)
                copied = bool(said) and _same_numbers(first.inertia, second.inertia)
                said = f"a copy that was not mirrored, {said}" if copied else said
        if said:
            remedy, fix = _proposal(patient, first, second, mirror if image is not None else None)
            if copied and fix is None:
                remedy = "mirror one of the two, unless it is one part that is mounted on both sides"
            yield Finding(
                "warning",
                f"link '{right}'",
                f"differs from its mirror image '{left}': {said}",
                remedy,
                numbers=numbers,
                fix=fix,
            )


def _difference(first: Inertia, second: Inertia) -> tuple[str, dict[str, float]]:
    """In what no frame changes."""
    if abs(first.mass - second.mass) > SIDES_DIFFER * max(first.mass, second.mass):
        return f"mass {second.mass:.4g} kg, not {first.mass:.4g} kg", {"left": first.mass, "right": second.mass}
    one, other = first.principal_moments, second.principal_moments
    if np.abs(one - other).max() > SIDES_DIFFER * max(np.abs(one).max(), np.abs(other).max()):
        listed = (", ".join(f"{x:.4g}" for x in moments) for moments in (other, one))
        return "principal moments {}, not {} kg m^2".format(*listed), {
            "left": float(np.trace(np.array(first.tensor))),
            "right": float(np.trace(np.array(second.tensor))),
        }
    return "", {}


def _same_numbers(first: Inertia, second: Inertia) -> bool:
    """Whether mass centers and tensors are equal, each in its own frame."""
    return not _misplaced(first, second)[0]


def _mounted_twice(patient: Patient, left: Link, right: Link, mirror: Floats) -> bool:
    """Whether both sides are the same part: what is on it is at the same places, and not at their mirror images unless
    they are the same meshes.
    """
    if not _same_numbers(left.inertia, right.inertia):
        return False
    places = list(_places(patient, left, right))
    here, there = patient.poses[left.name], patient.poses[right.name].inverse()
    copied = all(np.abs(own - other).max() < PLACED for own, other in places)
    mirrored = all(
        np.abs(there.transform(mirror * here.transform(own)) - other).max() < PLACED for own, other in places
    )
    return copied and (not mirrored or _same_meshes(left, right))


def _same_meshes(left: Link, right: Link) -> bool:
    """Whether both have meshes, the same ones at the same places; a mirrored one has another scale."""
    of_left, of_right = (
        [(mesh.file, mesh.scale, mesh.pose) for mesh in link.shapes if isinstance(mesh, MeshShape)]
        for link in (left, right)
    )
    return bool(of_left) and of_left == of_right


def _places(patient: Patient, left: Link, right: Link) -> Iterator[tuple[Floats, Floats]]:
    """Points of both sides that belong together, each in its link's frame: joints on it, the middle of its shapes."""
    on_right = {joint.child: joint for joint in patient.joints if joint.parent == right.name}
    partner = dict(pairs(patient.link_by_name))
    for joint in patient.joints:
        other = on_right.get(partner.get(joint.child, "")) if joint.parent == left.name else None
        if other is not None:
            yield joint.origin.p, other.origin.p
    first, second = patient.measured(left), patient.measured(right)
    if first is not None and second is not None:
        yield (first.lower + first.upper) / 2, (second.lower + second.upper) / 2
        for one, image in zip(first.filled, second.filled, strict=False):
            yield np.array(one.body.center_of_mass), np.array(image.body.center_of_mass)


def _misplaced(image: Inertia, own: Inertia) -> tuple[str, dict[str, float]]:
    """In mass center and axes, of bodies that are alike otherwise."""
    off = np.array(own.center_of_mass) - np.array(image.center_of_mass)
    if np.linalg.norm(off) > max(PLACED, SIDES_DIFFER * float(np.linalg.norm(image.center_of_mass))):
        found, wanted = ("(" + ", ".join(f"{x:.4g}" for x in body.center_of_mass) + ")" for body in (own, image))
        return f"center of mass at {found}, where the image has it at {wanted} m", {
            "distance": float(np.linalg.norm(off))
        }
    one, other = np.array(image.tensor), np.array(own.tensor)
    apart = float(np.linalg.norm(one - other) / np.linalg.norm(one)) if one.any() else 0.0
    if apart > 2 * SIDES_DIFFER:
        return (
            f"the same principal moments about other axes (tensors {apart:.2g} apart): signs of ixy, ixz, iyz?",
            {"apart": apart},
        )
    return "", {}


def _mirror(patient: Patient) -> Floats | None:
    """The plane of the base that most pairs of frames of the unmoved robot are mirror images in: the signs it turns."""
    best, most = None, 0
    for axis in range(3):
        signs = np.ones(3)
        signs[axis] = -1.0
        count = 0
        for left, right in pairs(patient.poses):
            count += bool(_are_images(patient.poses[left], patient.poses[right], signs))
        if count > most:
            best, most = signs, count
    return best


def _are_images(first: Pose, second: Pose, mirror: Floats) -> bool:
    return bool(np.abs(mirror * first.p - second.p).max() < PLACED)


def _image(body: Inertia, at: Pose, other: Pose, mirror: Floats) -> Inertia:
    """The mirror image of a body in the frame `at`, seen in the frame `other`."""
    in_base = body.seen_from(at)
    flipped = Inertia(
        body.mass,
        (mirror * np.array(in_base.center_of_mass)).tolist(),
        (mirror[:, None] * np.array(in_base.tensor) * mirror).tolist(),
    )
    return flipped.seen_from(other.inverse())


def _proposal(patient: Patient, left: Link, right: Link, mirror: Floats | None) -> tuple[str, InertiaFix | None]:
    """Which side to keep: one that a body can have, one that has moments, or the one that fits its shape better."""
    marks = {link.name: _marks(patient, link) for link in (left, right)}
    if any(far is None for _, _, far in marks.values()):  # nothing to compare with
        marks = {name: (faults, empty, 0.0) for name, (faults, empty, _) in marks.items()}
    worse, better = sorted((left, right), key=lambda link: marks[link.name], reverse=True)
    if marks[worse.name] == marks[better.name] or mirror is None:
        return "compare both with CAD, and mirror the right one", None
    image = _image(better.inertia, patient.poses[better.name], patient.poses[worse.name], mirror)
    faults, empty, _ = (a != b for a, b in zip(marks[worse.name], marks[better.name], strict=True))
    why = "can be a body" if faults else "has moments of inertia" if empty else "fits its shape better"
    return f"'{better.name}' {why}: mirror it", InertiaFix(worse.name, image, "symmetry")


def _marks(patient: Patient, link: Link) -> tuple[int, bool, float | None]:
    """How bad an inertia looks: conditions that it breaks, whether its moments are zero, and how far they are from
    those of its shape, if that is known.
    """
    shape, faults = patient.measured(link), len(link.inertia.faults())
    own = float(np.trace(np.array(link.inertia.tensor)))
    if own <= 0:
        return faults, True, None
    if shape is None or not shape.uniform:
        return faults, False, None
    return faults, False, round(abs(math.log(own / (shape.uniform * link.inertia.mass))), 1)
