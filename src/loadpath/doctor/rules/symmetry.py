"""Left and right: links whose names are mirror images should be mirror images.

Compared is what no choice of frames changes: mass, and principal moments. Where the frames of the unmoved robot are
mirror images too, so are mass centers and tensors. Numbers that are equal in the frames of both sides are those of a
copy. They are right only for a part that is made once and mounted twice, and such a part shows it: the joints on it and
its shapes are copies, too, and no mirror images, or it has the same mesh on both sides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from loadpath.doctor.finding import Finding, InertiaFix
from loadpath.doctor.patient import Patient
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import MeshShape
from loadpath.scalars.types import Floats

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
