"""A sound URDF and what can go wrong with it: each fault is one edit, with what the message must say.

The sound robot: a base, an upper arm on a revolute joint, a forearm on a prismatic one, a finger that mimics it, and a
tool welded to the forearm.
"""

from __future__ import annotations

from dataclasses import dataclass

SOUND = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.2" rpy="0 0 0.3"/>
      <mass value="2.5"/>
      <inertia ixx="0.04" iyy="0.05" izz="0.06" ixy="0.001" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="fore">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="finger">
    <inertial>
      <mass value="0.1"/>
      <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="50"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0 0.4"/>
    <parent link="upper"/>
    <child link="fore"/>
    <axis xyz="1 0 0"/>
    <limit lower="0" upper="0.3" velocity="1" effort="20"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="fore"/>
    <child link="finger"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="1" effort="5"/>
    <mimic joint="slide" multiplier="-2" offset="0.01"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="fore"/>
    <child link="tool"/>
  </joint>
</robot>
"""

UPPER = '<mass value="2.5"/>'
UPPER_TENSOR = '<inertia ixx="0.04" iyy="0.05" izz="0.06" ixy="0.001" ixz="0" iyz="0"/>'
SHOULDER_ORIGIN = '<origin xyz="0 0 0.5" rpy="0 0 0"/>'
SHOULDER_LIMIT = '<limit lower="-2" upper="2" velocity="3" effort="50"/>'
SHOULDER_AXIS = '<axis xyz="0 1 0"/>\n    <limit lower="-2"'
SHOULDER_DYNAMICS = '<dynamics damping="0.5" friction="0.25"/>'
SHOULDER_PARENT = '<parent link="base"/>'
SHOULDER_CHILD = '<child link="upper"/>'
MIMIC = '<mimic joint="slide" multiplier="-2" offset="0.01"/>'
UPPER_INERTIAL = SOUND[SOUND.index("<inertial>") : SOUND.index("</inertial>") + len("</inertial>")]
END = "</robot>"


def edited(*edits: tuple[str, str], text: str = SOUND) -> str:
    """The sound robot with parts of it replaced; each must be there just once."""
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text


@dataclass(frozen=True)
class Case:
    """A URDF, and parts that the message about it must contain."""

    name: str
    text: str
    says: tuple[str, ...] = ()


def case(name: str, old: str, new: str, *says: str) -> Case:
    return Case(name, edited((old, new)), says)


FAULTY = [
    # Numbers that are none
    case("decimal comma in mass", UPPER, '<mass value="2,5"/>', "link 'upper'", "'2,5'", "point"),
    case("unit in mass", UPPER, '<mass value="2500g"/>', "link 'upper'", "'2500g'", "SI"),
    case("words for mass", UPPER, '<mass value="heavy"/>', "link 'upper'", "'heavy'"),
    case("empty mass", UPPER, '<mass value=""/>', "link 'upper'", "mass", "''"),
    case("mass not a number", UPPER, '<mass value="nan"/>', "link 'upper'", "'nan'"),
    case("mass infinite", UPPER, '<mass value="inf"/>', "link 'upper'", "'inf'"),
    case("mass too large for a float", UPPER, '<mass value="1e400"/>', "link 'upper'", "'1e400'", "finite"),
    case("underscore in mass", UPPER, '<mass value="1_000"/>', "link 'upper'", "'1_000'"),
    case("hexadecimal mass", UPPER, '<mass value="0x1p3"/>', "link 'upper'", "'0x1p3'"),
    case("other digits", UPPER, '<mass value="٣"/>', "link 'upper'", "'٣'"),
    case("two masses in one", UPPER, '<mass value="2.5 3"/>', "link 'upper'", "'2.5 3'"),
    case("mass as text", UPPER, "<mass>2.5</mass>", "link 'upper'", "value", "'2.5'"),
    case("negative mass", UPPER, '<mass value="-2.5"/>', "link 'upper'", "-2.5"),
    case("words in tensor", 'ixx="0.04"', 'ixx="small"', "link 'upper'", "ixx", "'small'"),
    case("tensor not a number", 'ixx="0.04"', 'ixx="NaN"', "link 'upper'", "ixx", "'NaN'"),
    case("degrees in rpy", 'rpy="0 0 0"', 'rpy="0 90deg 0"', "joint 'shoulder'", "rpy", "'0 90deg 0'"),
    case("commas in xyz", 'xyz="0 0 0.5"', 'xyz="0,0,0.5"', "joint 'shoulder'", "xyz", "'0,0,0.5'", "spaces"),
    case("two numbers in xyz", 'xyz="0 0 0.5"', 'xyz="0 0.5"', "joint 'shoulder'", "xyz", "3"),
    case("four numbers in xyz", 'xyz="0 0 0.5"', 'xyz="0 0 0.5 1"', "joint 'shoulder'", "'0 0 0.5 1'", "3"),
    case("empty xyz", 'xyz="0 0 0.5"', 'xyz=""', "joint 'shoulder'", "xyz", "3"),
    case("xyz not a number", 'xyz="0 0 0.5"', 'xyz="0 0 nan"', "joint 'shoulder'", "'0 0 nan'"),
    case("xyz infinite", 'xyz="0 0 0.5"', 'xyz="0 0 inf"', "joint 'shoulder'", "'0 0 inf'"),
    case("two numbers in rpy of mass center", 'rpy="0 0 0.3"', 'rpy="0 0"', "link 'upper'", "rpy", "'0 0'"),
    case("degrees in limit", 'lower="-2"', 'lower="-120deg"', "joint 'shoulder'", "lower", "'-120deg'", "radians"),
    case("limit not a number", 'upper="2"', 'upper="nan"', "joint 'shoulder'", "upper", "'nan'"),
    case("unit in effort", 'effort="50"', 'effort="50Nm"', "joint 'shoulder'", "effort", "'50Nm'"),
    case("words for damping", 'damping="0.5"', 'damping="low"', "joint 'shoulder'", "damping", "'low'"),
    case("infinite friction", 'friction="0.25"', 'friction="inf"', "joint 'shoulder'", "friction", "'inf'"),
    case("words for a multiplier", 'multiplier="-2"', 'multiplier="twice"', "joint 'grip'", "'twice'"),
    case("xacro in a number", UPPER, '<mass value="${m}"/>', "link 'upper'", "'${m}'", "xacro=True"),
    # Parts that are missing or there twice
    case("no mass", UPPER, "", "link 'upper'", "<mass>"),
    case("no tensor", UPPER_TENSOR, "", "link 'upper'", "<inertia>"),
    case("mass without value", UPPER, "<mass/>", "link 'upper'", "'value'"),
    *(
        case(f"no {entry}", f'{entry}="{value}"', "", "link 'upper'", f"'{entry}'")
        for entry, value in (("ixx", "0.04"), ("iyy", "0.05"), ("izz", "0.06"), ("ixy", "0.001"))
    ),
    case("two masses", UPPER, UPPER + '<mass value="3"/>', "link 'upper'", "2 <mass>"),
    case("two inertials", UPPER_INERTIAL, UPPER_INERTIAL * 2, "link 'upper'", "2 <inertial>"),
    case("two axes", '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><axis xyz="0 0 1"/>', "joint 'slide'", "2 <axis>"),
    case("two origins", SHOULDER_ORIGIN, SHOULDER_ORIGIN * 2, "joint 'shoulder'", "2 <origin>"),
    case("moving link with a shape but no inertial", UPPER_INERTIAL, "", "link 'upper'", "<inertial>", "shoulder"),
    case("no parent", SHOULDER_PARENT, "", "joint 'shoulder'", "<parent>"),
    case("no child", SHOULDER_CHILD, "", "joint 'shoulder'", "<child>"),
    case("two children", SHOULDER_CHILD, SHOULDER_CHILD + '<child link="tool"/>', "joint 'shoulder'", "2 <child>"),
    case("parent without link", SHOULDER_PARENT, "<parent/>", "joint 'shoulder'", "<parent>", "'link'"),
    case("parent as text", SHOULDER_PARENT, "<parent>base</parent>", "joint 'shoulder'", "'link'", "'base'"),
    case("no limit on a revolute joint", SHOULDER_LIMIT, "", "joint 'shoulder'", "<limit>", "continuous"),
    case("no limit on a prismatic joint", '<limit lower="0" upper="0.3" velocity="1" effort="20"/>', "",
         "joint 'slide'", "<limit>"),
    case("no effort", 'effort="50"', "", "joint 'shoulder'", "'effort'"),
    case("no velocity", 'velocity="3"', "", "joint 'shoulder'", "'velocity'"),
    case("axis without xyz", SHOULDER_AXIS, '<axis/>\n<limit lower="-2"', "joint 'shoulder'", "<axis>", "'xyz'"),
    case("mimic without joint", MIMIC, '<mimic multiplier="-2"/>', "joint 'grip'", "<mimic>", "'joint'"),
    case("no type", '<joint name="shoulder" type="revolute">', '<joint name="shoulder">', "joint 'shoulder'", "'type'"),
    case("joint without name", '<joint name="shoulder" type="revolute">', '<joint type="revolute">', "line 27",
         "<joint>", "'name'"),
    case("link without name", '<link name="tool"/>', "<link/>", "line 26", "<link>", "'name'"),
    case("link with an empty name", '<link name="tool"/>', '<link name=" "/>', "line 26", "name", "' '"),
    case("robot without name", '<robot name="arm">', "<robot>", "line 2", "<robot>", "'name'"),
    # Values that cannot be
    case("zero axis", SHOULDER_AXIS, '<axis xyz="0 0 0"/>\n<limit lower="-2"', "joint 'shoulder'", "axis", "zero"),
    case("limits swapped", SHOULDER_LIMIT, '<limit lower="2" upper="-2" velocity="3" effort="50"/>',
         "joint 'shoulder'", "2.0", "-2.0"),
    case("negative effort", 'effort="50"', 'effort="-50"', "joint 'shoulder'", "-50"),
    case("negative velocity", 'velocity="3"', 'velocity="-3"', "joint 'shoulder'", "-3"),
    case("negative damping", 'damping="0.5"', 'damping="-0.5"', "joint 'shoulder'", "damping", "-0.5"),
    case("negative friction", 'friction="0.25"', 'friction="-0.25"', "joint 'shoulder'", "friction", "-0.25"),
    case("joint of a type unknown to URDF", 'type="revolute"', 'type="ball"', "joint 'shoulder'", "'ball'", "revolute"),
    case("type in capitals", 'type="revolute"', 'type="Revolute"', "joint 'shoulder'", "'Revolute'", "revolute"),
    case("zero quaternion", SHOULDER_ORIGIN, '<origin quat_xyzw="0 0 0 0"/>', "joint 'shoulder'", "quat_xyzw"),
    case("two rotations", SHOULDER_ORIGIN, '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', "joint 'shoulder'", "both"),
    # The tree
    case("two links of a name", '<link name="tool"/>', '<link name="upper"/>', "link 'upper'", "duplicate", "line 4"),
    case("two joints of a name", '<joint name="mount"', '<joint name="grip"', "joint 'grip'", "duplicate"),
    case("parent that is not there", SHOULDER_PARENT, '<parent link="bass"/>', "joint 'shoulder'", "'bass'", "'base'"),
    case("child that is not there", SHOULDER_CHILD, '<child link="uper"/>', "joint 'shoulder'", "'uper'", "'upper'"),
    case("link with two parents", '<child link="tool"/>', '<child link="upper"/>', "'upper'", "'shoulder'", "'mount'"),
    case("link joined to itself", SHOULDER_PARENT, '<parent link="upper"/>', "joint 'shoulder'", "itself"),
    case("loop", SHOULDER_PARENT, '<parent link="fore"/>', "'shoulder', 'slide'", "loop"),
    case("nothing but a loop", END, '<joint name="back" type="floating"><parent link="tool"/><child link="base"/>'
         "</joint></robot>", "'shoulder'", "'back'", "loop"),
    case("two roots", '<link name="tool"/>', '<link name="tool"/><link name="stray"/>', "'stray'", "'base'"),
    case("mimic of a joint that is not there", 'joint="slide"', 'joint="slid"', "joint 'grip'", "'slid'", "'slide'"),
    case("mimic of itself", 'joint="slide"', 'joint="grip"', "grip -> grip"),
    case("mimic of a fixed joint", 'joint="slide"', 'joint="mount"', "'grip'", "'mount'", "freedom"),
    case("mimic by a floating joint", '<joint name="grip" type="prismatic">', '<joint name="grip" type="floating">',
         "joint 'grip'", "mimics", "6"),
    Case("no links", "<robot name='none'/>", ("'none'", "no links")),
    # Words that would be dropped
    case("misspelt inertial", UPPER_INERTIAL, UPPER_INERTIAL.replace("inertial", "intertial"), "link 'upper'",
         "<intertial>", "<inertial>"),
    case("inertial in capitals", UPPER_INERTIAL, UPPER_INERTIAL.replace("inertial", "Inertial"), "link 'upper'",
         "<Inertial>", "<inertial>"),
    case("misspelt mass", UPPER, '<mas value="2.5"/>', "link 'upper'", "<mas>", "<mass>"),
    case("misspelt axis", SHOULDER_AXIS, '<axes xyz="0 1 0"/>\n<limit lower="-2"', "joint 'shoulder'", "<axes>",
         "<axis>"),
    case("misspelt origin", SHOULDER_ORIGIN, '<orgin xyz="0 0 0.5"/>', "joint 'shoulder'", "<orgin>", "<origin>"),
    case("misspelt limit", SHOULDER_LIMIT, SHOULDER_LIMIT.replace("limit", "limits"), "joint 'shoulder'", "<limits>"),
    case("misspelt dynamics", SHOULDER_DYNAMICS, '<dynamic damping="0.5"/>', "joint 'shoulder'", "<dynamic>"),
    case("misspelt mimic", MIMIC, '<mimick joint="slide"/>', "joint 'grip'", "<mimick>", "<mimic>"),
    case("misspelt link", '<link name="tool"/>', '<lnik name="tool"/>', "<lnik>", "<link>"),
    case("misspelt joint", END, '<jiont name="more" type="fixed"/></robot>', "<jiont>", "<joint>"),
    case("misspelt ixz", 'ixz="0" iyz="0"/>\n    </inertial>\n    <visual>', 'izx="0" iyz="0"/></inertial><visual>',
         "link 'upper'", "izx"),
    case("misspelt xyz", 'xyz="0 0 0.5"', 'xzy="0 0 0.5"', "joint 'shoulder'", "xzy", "'xyz'"),
    case("misspelt rpy", 'rpy="0 0 0.3"', 'ryp="0 0 0.3"', "link 'upper'", "ryp", "'rpy'"),
    case("misspelt lower", 'lower="-2"', 'low="-2"', "joint 'shoulder'", "low", "'lower'"),
    case("min for lower", 'lower="-2"', 'min="-2"', "joint 'shoulder'", "min", "'lower'"),
    case("misspelt multiplier", 'multiplier="-2"', 'multiplyer="-2"', "joint 'grip'", "multiplyer", "'multiplier'"),
    case("misspelt damping", 'damping="0.5"', 'dampening="0.5"', "joint 'shoulder'", "dampening", "'damping'"),
    case("mass outside inertial", "<inertial>\n      <origin xyz=\"0 0 0.2\" rpy=\"0 0 0.3\"/>\n      " + UPPER,
         UPPER + "<inertial>", "link 'upper'", "<mass>", "<link>"),
    case("origin of the mass center outside inertial", '<inertial>\n      <origin xyz="0.1 0 0"/>',
         '<origin xyz="0.1 0 0"/><inertial>', "link 'fore'", "<origin>", "<link>"),
    case("dynamics outside the joint", END, SHOULDER_DYNAMICS + END, "robot", "<dynamics>"),
    case("joint inside a link", '<link name="tool"/>', '<link name="tool"><joint name="a" type="fixed"/></link>',
         "link 'tool'", "<joint>"),
    case("limit inside axis", '<axis xyz="1 0 0"/>', f'<axis xyz="1 0 0">{SHOULDER_LIMIT}</axis>', "joint 'slide'",
         "<limit>", "<axis>"),
    # What is no URDF at all
    Case("nothing", "", ("empty",)),
    Case("blanks", " \n ", ("empty",)),
    Case("words", "a robot with two arms", ("not well-formed XML",)),
    Case("half a file", SOUND[: len(SOUND) // 2], ("not well-formed XML",)),
    case("tag not closed", '<link name="base"/>', '<link name="base">', "line", "mismatched tag"),
    Case("two robots", SOUND + "<robot name='b'/>", ("not well-formed XML",)),
    Case("MJCF", "<mujoco><worldbody/></mujoco>", ("<mujoco>", "MJCF", "<robot>")),
    Case("SDF", "<sdf version='1.6'><model name='a'/></sdf>", ("<sdf>", "SDF", "<robot>")),
    Case("xacro macros", '<robot name="a" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arm/></robot>',
         ("<xacro:arm>", "xacro=True")),
    Case("xacro macros, prefix not declared", '<robot name="a"><xacro:include filename="b"/></robot>',
         ("<xacro:include>", "xacro=True")),
    case("xacro in a name", '<link name="tool"/>', '<link name="${side}_tool"/>', "${side}_tool", "xacro=True"),
    Case("entity bomb", '<!DOCTYPE robot [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', ("refused",)),
    Case("external entity", '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///nowhere">]><robot name="a">&a;</robot>',
         ("refused",)),
    Case("nested ten thousand deep", "<a>" * 10_000 + "</a>" * 10_000, ("<a>", "<robot>")),
]

WELDED_TOOL = '<link name="tool"/>'

DOUBTFUL = [
    case("triangle inequality", 'izz="0.06"', 'izz="0.6"', "link 'upper'", "triangle inequality", "0.6"),
    case("negative principal moment", 'ixy="0.001"', 'ixy="0.1"', "link 'upper'", "negative principal moment"),
    case("inertia without mass", WELDED_TOOL, f'<link name="tool">{UPPER_INERTIAL.replace("2.5", "0")}</link>',
         "link 'tool'", "inertia without mass"),
    case("bare frame that moves", '<mimic joint="slide" multiplier="-2" offset="0.01"/>\n  </joint>',
         '</joint><link name="bare"/><joint name="spin" type="continuous"><parent link="tool"/><child link="bare"/>'
         "</joint>", "link 'bare'", "no mass", "'spin'"),
    case("mass zero on a moving link", '<mass value="0.1"/>\n      <inertia ixx="1e-4" iyy="1e-4" izz="1e-4"',
         '<mass value="0"/><inertia ixx="0" iyy="0" izz="0"', "link 'finger'", "no mass", "'grip'"),
    case("neither lower nor upper", 'lower="-2" upper="2"', "", "joint 'shoulder'", "lower and upper"),
    case("degrees without saying so", 'rpy="0 0 0"', 'rpy="0 90 0"', "joint 'shoulder'", "90.0", "radians"),
    case("tag at the top", END, '<joint_state name="x"/></robot>', "robot", "<joint_state>", "not used"),
    case("tag with a prefix", SHOULDER_DYNAMICS, '<drake:screw_thread_pitch value="1"/>', "joint 'shoulder'",
         "<drake:screw_thread_pitch>", "not used"),
    case("friction in words of another tool", 'damping="0.5"', 'damping="0.5" mu_viscous="16"', "joint 'shoulder'",
         "mu_viscous", "not used"),
    case("tag of another tool", SHOULDER_DYNAMICS, '<spring stiffness="5"/>', "joint 'shoulder'", "<spring>",
         "not used"),
    case("rotor inertia", END, '<transmission name="motor"><actuator name="m"><drake:rotor_inertia value="1"/>'
         "</actuator></transmission></robot>", "transmission 'motor'", "rotor_inertia", "not used"),
    case("damping of a planar joint", '<joint name="shoulder" type="revolute">',
         '<joint name="shoulder" type="planar">', "joint 'shoulder'", "0.5", "3 speeds"),
]
