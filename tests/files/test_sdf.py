"""Reading SDF: what counts, what closes loops, what is refused. Numbers against Drake: test_sdf_against_drake."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from sdf_text import body, joint, model, robot_of, world

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.sdf import read_sdf

ARM = (body("base"), body("arm", "0 0 0.5 0 0 0"), joint("hinge", "base", "arm"))


def refused(text: str) -> str:
    with pytest.raises(lp.ModelError) as problem:
        read_sdf(text, "r.sdf")
    return str(problem.value)


def warned(text: str) -> str:
    with pytest.warns(lp.ModelWarning) as found:
        read_sdf(text, "r.sdf")
    with pytest.raises(lp.ModelError):
        read_sdf(text, "r.sdf", strict=True)
    return str(found[0].message)


def test_a_model_that_nothing_holds_has_its_root_link_for_a_base() -> None:
    tree = read_sdf(model(*ARM, "<pose>1 2 3 0.5 0 0</pose>")).tree
    assert tree.link_names == ("base", "arm")
    # Held as it stands, it feels gravity from where it leans.
    assert tree.gravity == pytest.approx((0.0, -9.81 * math.sin(0.5), -9.81 * math.cos(0.5)))
    assert tree.joint("hinge").origin.translation == (0.0, 0.0, 0.5)


def test_a_joint_to_the_world_makes_it_the_base() -> None:
    tree = read_sdf(model(*ARM, "<pose>1 2 3 0.5 0 0</pose>", joint("bolt", "world", "base", "fixed"))).tree
    assert tree.link_names == ("world", "base", "arm") and tree.gravity == (0.0, 0.0, -9.81)
    assert tree.joint("bolt").origin.translation == (1.0, 2.0, 3.0) and tree.base.inertia.mass == 0


def test_limits_that_say_none() -> None:
    old = "<limit><lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity></limit>"
    new = "<limit><lower>-inf</lower><upper>2</upper><effort>5</effort></limit>"
    parts = (*ARM[:2], body("hand"), joint("a", "base", "arm", in_axis=old), joint("b", "arm", "hand", in_axis=new))
    tree = read_sdf(model(*parts, version="1.8")).tree
    assert tree.joint("a").limits == (lp.Limits(),)
    assert tree.joint("b").limits == (lp.Limits(-math.inf, 2.0, math.inf, 5.0),)
    assert read_sdf(model(*parts)).tree.joint("a").limits == (lp.Limits(-1e16, 1e16),)  # 1.9 has inf


def test_friction_springs_and_rotors_count() -> None:
    dynamics = "<dynamics><damping>0.5</damping><friction>2</friction><spring_stiffness>20</spring_stiffness>" \
               "<spring_reference>0.1</spring_reference></dynamics>"
    rotor = "<drake:rotor_inertia>0.001</drake:rotor_inertia><drake:gear_ratio>50</drake:gear_ratio>"
    entry = read_sdf(model(*ARM[:2], joint("hinge", "base", "arm", in_axis=dynamics, inside=rotor))).tree.joint("hinge")
    assert (entry.viscous_friction, entry.coulomb_friction) == ((0.5,), (2.0,))
    assert entry.springs == ((lp.TorsionSpring(20.0, 0.1),),) and entry.reflected_inertia == (2.5,)


def test_a_joint_follows_another() -> None:
    mimic = "<mimic joint='hinge'><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>"
    tree = read_sdf(model(*ARM, body("hand"), joint("follower", "arm", "hand", in_axis=mimic), version="1.11")).tree
    assert tree.joint("follower").mimic == lp.Mimic("hinge", 2.0, 0.5 - 2 * 0.1)


def test_gravity_of_a_world() -> None:
    inside = model(*ARM).split("\n", 1)[1].removesuffix("</sdf>")
    assert read_sdf(world(inside)).tree.gravity == (0.0, 0.0, -9.8)  # SDF's own default
    assert read_sdf(world(inside, "<gravity>0 1 -1.62</gravity>")).tree.gravity == (0.0, 1.0, -1.62)
    old = "<physics type='ode'><gravity>0 0 -3.7</gravity></physics>"
    assert read_sdf(world(inside, old, version="1.5")).tree.gravity == (0.0, 0.0, -3.7)
    ground = "<model name='ground'><static>true</static><link name='plane'/></model>"
    tree = read_sdf(world(ground, inside)).tree
    assert (tree.name, tree.link_names) == ("robot", ("base", "arm"))


def test_links_without_weight() -> None:
    off = "<gravity>false</gravity>"
    all_off = model(body("base"), body("arm", inside=off), joint("hinge", "base", "arm"))
    assert read_sdf(all_off).tree.gravity == (0.0, 0.0, 0.0)
    some = model(body("base"), body("arm", inside=off), body("hand"), joint("a", "base", "arm"),
                 joint("b", "arm", "hand"))
    assert "link 'arm': <gravity> is false, and true for 1 other links" in refused(some)


def test_what_sdf_takes_for_an_inertia_that_is_not_there() -> None:
    said = warned(model("<link name='base'/>", "<link name='arm'><inertial/></link>", joint("j", "base", "arm")))
    assert "link 'base': no <inertial>, which SDF takes for 1 kg" in said
    assert "link 'arm': <inertial> without <mass>, which SDF takes for 1 kg" in said
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        inertia = read_sdf(model("<link name='base'/>")).tree.base.inertia
    assert inertia.mass == 1.0 and np.array_equal(inertia.tensor, np.eye(3))


# Loops

FOUR_BAR = (
    body("crank", "0 0 0 0 0 0"),
    body("coupler", "0 0 0.2 0 0 0"),
    body("rocker", "0.6 0 0 0 0 0"),
    joint("j1", "world", "crank"),
    joint("j2", "crank", "coupler"),
    joint("j3", "world", "rocker"),
)
PIN = "<pose>0 0 0.3 0 0 0</pose>"


def test_a_link_with_two_parents_closes_a_loop() -> None:
    robot = robot_of(read_sdf(model(*FOUR_BAR, joint("pin", "coupler", "rocker", inside=PIN))))
    assert isinstance(robot, lp.ClosedRobot)
    assert robot.loop_names == ("pin",) and robot.mobility == 1 and robot.joint_names == ("j1", "j2", "j3")
    by_hand = read_sdf(model(*FOUR_BAR))
    # The same mechanism closed by hand: the pin is at (0.6, 0, 0.3) in the world, (0.6, 0, 0.1) in the coupler.
    other = robot_of(by_hand).with_loop("pin", "coupler", "rocker", motion=lp.Revolute((0, 1, 0)), at=(0.6, 0, 0.1),
                                        on=(0, 0, 0.3))
    q = robot.home
    torques = [each.with_driven("j1").inverse_dynamics(q, 0 * q, 0 * q) for each in (robot, other)]
    np.testing.assert_allclose(*torques, atol=1e-12)


def test_the_file_may_say_which_joint_closes_the_loop() -> None:
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    parts = (*FOUR_BAR[:4], joint("j2", "crank", "coupler", inside=cut), FOUR_BAR[5])
    read = read_sdf(model(*parts, joint("pin", "coupler", "rocker", inside=PIN)))
    assert [loop.name for loop in read.loops] == ["j2"]
    # Nothing carries the coupler but the pin, which the tree passes backwards: the axis is the opposite one.
    pin = read.tree.joint("pin")
    assert (pin.parent, pin.child, pin.motion.axis) == ("rocker", "coupler", (0.0, -1.0, 0.0))


def test_a_joint_passed_backwards_has_the_same_coordinate() -> None:
    forward = model(
        body("a"), body("b", "0.1 0.2 0.3 0.4 0 0"), joint("j", "a", "b"), joint("g", "world", "a", "fixed")
    )
    backward = forward.replace("<parent>world</parent><child>a</child>", "<parent>world</parent><child>b</child>")
    one, other = (robot_of(read_sdf(text)) for text in (forward, backward))
    assert (other.joint("j").parent, other.joint("j").child) == ("b", "a")
    for q in (0.0, 0.7):
        poses = [dict(zip(r.link_names, r.link_poses(np.array([q])), strict=True)) for r in (one, other)]
        apart = [np.linalg.inv(each["a"]) @ each["b"] for each in poses]
        np.testing.assert_allclose(*apart, atol=1e-12)


@pytest.mark.parametrize("force", ["damping", "friction", "spring_stiffness"])
def test_what_would_not_count_in_a_loop_is_refused(force: str) -> None:
    damped = joint("pin", "coupler", "rocker", inside=PIN, in_axis=f"<dynamics><{force}>1</{force}></dynamics>")
    assert "joint 'pin': it closes a loop, and <dynamics> about it would not count" in refused(model(*FOUR_BAR, damped))


def test_a_gearbox_couples_two_joints() -> None:
    gear = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>" \
           "<axis2><xyz>0 -1 0</xyz></axis2>"
    parts = (body("base"), body("motor"), body("wheel"), joint("m", "base", "motor"), joint("w", "base", "wheel"))
    (coupling,) = read_sdf(model(*parts, joint("gear", "motor", "wheel", "gearbox", inside=gear))).couplings
    # The wheel's angle about -y is -3 times the motor's about y: its own, about y, is 3 times.
    assert coupling == lp.Coupling("gear", {"w": -1.0, "m": 3.0})
    skew = gear.replace("0 -1 0", "1 0 0")
    assert "no revolute joint about that axis" in refused(model(*parts, joint("gear", "motor", "wheel", "gearbox",
                                                                               inside=skew)))


# Shapes and files


def test_shapes_and_their_colors() -> None:
    look = "<visual name='v'><pose>0 0 1 0 0 0</pose><material><diffuse>1 0.5 0 1</diffuse></material>" \
           "<transparency>0.5</transparency><geometry><capsule><radius>0.1</radius><length>0.4</length></capsule>" \
           "</geometry></visual>"
    touch = "<collision name='c'><geometry><mesh><uri>model://arm/a.stl</uri><scale>2 2 2</scale></mesh></geometry>" \
            "</collision><collision name='p'><geometry><plane/></geometry></collision>"
    link = read_sdf(model(body("base", inside=look + touch))).tree.base
    assert [shape.kind for shape in link.shapes] == ["capsule", "mesh"]
    assert link.shapes[0].color == (1.0, 0.5, 0.0, 0.5) and link.shapes[0].pose.translation == (0.0, 0.0, 1.0)
    assert isinstance(link.shapes[1], lp.MeshShape) and link.shapes[1].scale == (2.0, 2.0, 2.0)


def test_a_broken_shape_is_left_out() -> None:
    text = model(body("base", inside="<visual name='v'><geometry><box><size>1 2</size></box></geometry></visual>"))
    with pytest.warns(lp.ModelWarning, match="drawn without what cannot be read: line 3: link 'base': <size> is '1 2'"):
        assert read_sdf(text, "r.sdf").tree.base.shapes == ()


def test_included_models_of_an_archive() -> None:
    files = {"1.5": "old.sdf", "1.9": "new.sdf", "1.99": "newer.sdf"}
    config = "".join(f"<sdf version='{version}'>{file}</sdf>" for version, file in files.items())
    members = {
        "models/hand/model.config": f"<model>{config}</model>".encode(),
        "models/hand/new.sdf": model(body("palm")).encode(),
    }
    include = "<include><uri>model://hand</uri><name>tool</name><pose relative_to='arm'>0 0 0.3 0 0 0</pose></include>"
    text = model(*ARM, include, joint("mount", "arm", "tool::palm", "fixed"))
    tree = read_sdf(text, "r.sdf", assets=Assets(members=members, inside="models")).tree
    assert tree.link_names == ("base", "arm", "tool::palm")
    assert tree.joint("mount").origin.translation == pytest.approx((0.0, 0.0, 0.3))


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "r.sdf").write_text(model("<include><uri>r.sdf</uri><name>x</name></include>", body("a")))
    with pytest.raises(lp.ModelError, match="more than 16 deep"):
        read_sdf((tmp_path / "r.sdf").read_bytes(), "r.sdf", assets=Assets(tmp_path))


# Refusals

IN_MODEL = "<use_parent_model_frame>1</use_parent_model_frame>"
MIMIC = "<mimic joint='k'><multiplier>1</multiplier></mimic>"
BAD = {
    "version": (model(*ARM, version="1.3"), "version of <sdf> is '1.3': expected 1.4 to 1.12"),
    "no version": ("<sdf><model name='m'/></sdf>", "<sdf> has no attribute 'version'"),
    "urdf": ("<robot name='r'/>", "the root element is <robot> (this is URDF): expected <sdf>"),
    "nothing": ("<sdf version='1.9'/>", "0 worlds and 0 models"),
    "static": (model(*ARM, "<static>1</static>"), "the model is static"),
    "one name": (model(*ARM, joint("arm", "world", "base")), "duplicate name 'arm': link 'arm' has it already"),
    "reserved": (model(body("__a__")), "the name '__a__' is reserved"),
    "parent": (model(*ARM[:2], joint("j", "bsae", "arm")), "'bsae', which is not there; did you mean 'base'?"),
    "pieces": (model(*ARM, body("nut")), "is in pieces: no joint leads from 'base' to 'nut'"),
    "itself": (model(*ARM, "<frame name='f' attached_to='arm'/>", joint("j", "f", "arm")), "it joins 'arm' to itself"),
    "type": (model(*ARM[:2], joint("j", "base", "arm", "planar")), "type is 'planar': expected one of revolute"),
    "no axis": (model(*ARM[:2], joint("j", "base", "arm").replace("axis", "axes")), "unknown tag <axes>"),
    "zero axis": (model(*ARM[:2], joint("j", "base", "arm", axis="0 0 0")), "axis is (0.0, 0.0, 0.0)"),
    "misspelt": (model(body("base").replace("inertial", "intertial")), "unknown tag <intertial> in <link>"),
    "pose": (model(body("base", "1 2 3 4 5")), "<pose> is '1 2 3 4 5': expected 6 finite numbers"),
    "comma": (model(body("base", "0,1 0 0 0 0 0")), "the decimal sign is a point"),
    "circle": (model("<frame name='a'><pose relative_to='b'/></frame><frame name='b'><pose relative_to='a'/></frame>",
                     *ARM), "its pose is given in itself: 'a' -> 'b' -> 'a'"),
    "attached": (model("<frame name='a' attached_to='b'><pose relative_to='arm'/></frame>",
                       "<frame name='b' attached_to='a'/>", *ARM, joint("j", "a", "base")), "leads back to itself"),
    "old frame": (model(*ARM, "<pose frame='arm'/>", version="1.6"), "had no meaning before SDF 1.7"),
    "model axis": (model(*ARM[:2], joint("j", "base", "arm", in_axis=IN_MODEL)),
                   '<use_parent_model_frame> went out with SDF 1.7: write <xyz expressed_in="__model__">'),
    "water": (model(body("base").replace("<mass>", "<fluid_added_mass/><mass>")), "<fluid_added_mass> changes"),
    "kinematic": (model(body("base", inside="<kinematic>true</kinematic>")), "<kinematic> is true"),
    "auto": (model("<link name='base'><inertial auto='true'/></link>", version="1.11"), "and the link has none"),
    "screw": (model(*ARM[:2], joint("j", "base", "arm", "screw")), "a screw joint needs its pitch"),
    "drake": (model(*ARM, "<drake:joint name='x' type='planar'/>"), "<drake:joint> is a joint that SDF does not know"),
    "network": (model(*ARM, "<include><uri>https://x.org/m</uri></include>"), "nothing is fetched from the network"),
    "include": (model(*ARM, "<include><uri>model://gone</uri></include>"), "there is no such model next to the file"),
    "truth": (model(*ARM, "<static>maybe</static>"), "<static> is 'maybe': expected true or false"),
    "two worlds": ("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>", "2 worlds and 0 models ('a', 'b')"),
    "two robots": (world(*(model(*ARM, name=n).split("\n", 1)[1].removesuffix("</sdf>") for n in "xy")),
                   "2 of its models move ('x', 'y')"),
    "follows": (model(*ARM[:2], joint("j", "base", "arm", in_axis=MIMIC)),
                "joint of <mimic> is 'k', which is not there"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named(case: str) -> None:
    text, message = BAD[case]
    said = refused(text)
    assert message in said and said.startswith("r.sdf")
