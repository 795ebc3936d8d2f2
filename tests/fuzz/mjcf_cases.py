"""MJCF files: small models with the features of the format, and mutations of them, down to the bytes. What is accepted
is compared with MuJoCo.
"""

from __future__ import annotations

import random
import warnings

import mujoco
import numpy as np
from hypothesis import strategies as st

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot
from loadpath.files.mjcf import read_mjcf
from loadpath.files.mjcf.checking import check_mjcf
from loadpath.files.mjcf.compiling import compile_mjcf, request_of
from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_compiler import compiled
from mjcf.against_mujoco import Beside
from mjcf.mjcf_texts import FOUR_BAR, TREES

from . import urdf_cases
from .hostile import NUMBERS, seeds
from .outcome import ACCEPTED, Fault, Outcome, Parser, Refusal, refusals
from .outcome import REFUSED as REFUSED_CASE
from .xml_trees import Tree, decorated, parsed, plain

MODELS = (*TREES.values(), FOUR_BAR)
SNIPPETS = (
    '<replicate count="3" offset="1 0 0"><body><joint/><geom size="0.1"/></body></replicate>',
    '<replicate count="+900"><replicate count="+900"><geom size="0.1"/></replicate></replicate>',
    '<flexcomp name="f" type="grid" count="40 40 40" mass="1"/>',
    '<flexcomp name="f" type="mesh" file="/etc/passwd" mass="1"/>',
    '<include file="/etc/passwd"/>',
    '<include file="case.xml"/>',
    '<size nkey="1000000" nuser_body="1000000"/>',
    '<asset><hfield name="h" nrow="1000" ncol="1000" size="1 1 1 1"/><mesh name="m" file="x.stl"/></asset>',
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
    '<geom type="mesh" mesh="m"/>',
    '<body name="z" mocap="true"><geom size="1"/></body>',
    '<equality><weld body1="hand" body2="base"/><joint joint1="pan" joint2="lift" polycoef="0 2"/></equality>',
    '<tendon><fixed name="t"><joint joint="pan" coef="2"/><joint joint="lift" coef="1"/></fixed></tendon>',
    '<tendon><spatial name="s" stiffness="3"><site site="tip"/><site site="tip"/></spatial></tendon>',
    '<keyframe><key qpos="1 2 3"/></keyframe>',
    '<sensor><user name="u" dim="99999"/></sensor>',
    '<custom><text name="loadpath" data="{&quot;ratio&quot;: {&quot;pan&quot;: 0}}"/></custom>',
    '<option gravity="0 0 1e300" density="0"/>',
    '<compiler angle="radian" autolimits="false" inertiafromgeom="true" boundmass="1e-3"/>',
)
_PLACES = ("quat", "euler", "axisangle", "pos", "axis", "ref", "range", "damping", "armature", "mass", "diaginertia",
           "fullinertia", "gear", "size", "count", "gravity", "polycoef", "stiffness", "xyaxes", "zaxis")


def _insert(tree: Tree, element: Tree, rng: random.Random) -> None:
    """A part that MuJoCo knows, anywhere."""
    element.children.insert(rng.randrange(len(element.children) + 1), parsed(rng.choice(SNIPPETS)))


def _hostile_attribute(tree: Tree, element: Tree, rng: random.Random) -> None:
    """An attribute of MJCF with numbers that are seldom written."""
    numbers = [rng.choice((*NUMBERS, *urdf_cases.ODD)) for _ in range(rng.choice((1, 3, 4, 6)))]
    element.attributes = [*element.attributes, (rng.choice(_PLACES), " ".join(numbers))]


MOVES = (*urdf_cases.GENTLE, *urdf_cases.ROUGH, *(_insert,) * 6, *(_hostile_attribute,) * 6)


@st.composite
def cases(draw: st.DrawFn) -> dict[str, object]:
    """A file."""
    rng = random.Random(draw(seeds))
    tree = parsed(draw(st.sampled_from(MODELS))).copy()
    for move in draw(st.lists(st.sampled_from(MOVES), max_size=3)):
        elements = tree.everything()
        move(tree, elements[draw(st.integers(0, 10_000)) % len(elements)], rng)
    text = plain(tree) if draw(st.integers(0, 3)) < 3 else decorated(tree, rng)
    data = text.encode("utf-8", "replace")
    if draw(st.integers(0, 9)) == 9:
        data = urdf_cases.broken(data, rng)
    return {"data": data}


def check(case: dict[str, object]) -> Outcome:
    """Refused in our words, or a tree that moves as MuJoCo says."""
    data = case["data"]
    assert isinstance(data, bytes)
    try:
        with refusals(ModelError, names="case.xml"), warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            read = read_mjcf(data, "case.xml")
    except Refusal:
        return REFUSED_CASE
    return _compared(data, read)


def _compared(data: bytes, read: ReadRobot) -> Outcome:
    checked = check_mjcf(data, "case.xml", Assets())
    if read.loops or read.couplings or not read.tree.n or compile_mjcf(checked, "case.xml", Assets()).inertias:
        return ACCEPTED  # compared elsewhere, or MuJoCo does not load them as they are
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda words: None)
    try:
        model, _, _ = compiled(request_of(checked).arrays, lambda fields: Message(_no_meshes(fields)))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = Beside(read.tree, model).differences(np.random.default_rng(1), 1)
    finally:
        mujoco.set_mju_user_warning(before)
    sizes = [abs(array).max() for array in (model.body_pos, model.body_mass, model.body_inertia) if array.size]
    if not np.isfinite(found.largest) or max(sizes) > 1e6 or min(model.body_mass[1:], default=1.0) < 1e-6:
        return ACCEPTED  # numbers of such sizes cancel in one order of operations and not in another
    if found.largest > 1e-6:
        raise Fault(f"differs from MuJoCo: {found}")
    return Outcome("agreed", difference=float(found.largest))


def _no_meshes(fields: dict[str, object]) -> dict[str, object]:
    wanted = fields["meshes"]
    assert isinstance(wanted, list)
    return {"uris": [file for file, _, _ in wanted], "there": [False] * len(wanted)}


mjcf = Parser("MJCF", cases(), check, weight=2.0)
