"""Files of xacro: when they are evaluated, what they may include, and the words for what is wrong."""

from __future__ import annotations

import math
import os
import warnings
import zipfile
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.files.xacro import functions
from loadpath.files.xacro.functions import Steps
from loadpath.files.xacro.texts import yaml_data

MACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="length" value="0.4"/>
  <xacro:macro name="rod" params="name mass">
    <link name="${name}">
      <visual><geometry><mesh filename="package://arm_description/meshes/rod.stl"/></geometry></visual>
      <inertial> <origin xyz="0 0 ${length / 2}"/> <mass value="${mass}"/>
        <inertia ixx="${mass * length**2 / 12}" iyy="${mass * length**2 / 12}" izz="0.01" ixy="0" ixz="0" iyz="0"/>
      </inertial>
    </link>
  </xacro:macro>
</robot>"""
ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default=""/>
  <xacro:arg name="mass" default="3"/>
  <xacro:include filename="$(find arm_description)/urdf/rod.xacro"/>
  <link name="$(arg prefix)base"/>
  <xacro:rod name="$(arg prefix)rod" mass="$(arg mass)"/>
  <joint name="$(arg prefix)hinge" type="continuous">
    <parent link="$(arg prefix)base"/> <child link="$(arg prefix)rod"/> <axis xyz="0 1 0"/>
  </joint>
</robot>"""
START = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a ROS package with an arm, named otherwise, as that of a repository."""
    root = tmp_path / "arm-ros2-main"
    for name, content in (
        ("package.xml", "<package> <name>arm_description</name> </package>"),
        ("urdf/rod.xacro", MACRO),
        ("urdf/arm.urdf.xacro", ARM),
        ("meshes/rod.stl", "solid rod"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def refused(folder: Path, inner: str, name: str = "bad.xacro") -> str:
    """What is said of a file with this in it; no word of it is longer than it may be."""
    (folder / name).write_text(f"{START}{inner}</robot>")
    with pytest.raises(lp.ModelError) as caught:
        lp.load(folder / name)
    message = str(caught.value)
    assert message.startswith(str(folder / name)) and len(message) < functions.LONGEST_MESSAGE + 500
    return message


# When it is evaluated


def test_macros_arguments_includes_and_meshes(package: Path) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    robot = lp.load(file)
    rod = robot.link("rod")
    assert rod.inertia.mass == 3.0 and rod.inertia.center_of_mass == (0.0, 0.0, 0.2)
    assert rod.inertia.tensor[0][0] == pytest.approx(3 * 0.4**2 / 12, rel=1e-12)
    (shape,) = rod.shapes
    assert isinstance(shape, lp.MeshShape) and shape.file == str(package / "meshes" / "rod.stl")
    left = lp.load(file, xacro_arguments={"prefix": "left_", "mass": 2.5})
    assert left.link_names == ("left_base", "left_rod") and left.link("left_rod").inertia.mass == 2.5


def test_a_urdf_with_elements_of_xacro_is_evaluated_only_when_asked_for(package: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ARM)
    asked = r"is evaluated only when asked for: load it with xacro=True \(--xacro yes\), or let its name end in \.xacro"
    with pytest.raises(lp.ModelError, match=rf"arm\.urdf, line \d: robot: <xacro:\w+> is xacro, which {asked}"):
        lp.load(file)
    assert lp.load(file, xacro=True).name == "arm"
    assert lp.load(file, xacro_arguments={"prefix": "a_"}).link_names[0] == "a_base"
    file.write_text("<robot name='plain'><!-- <xacro:arg name='x'/> --><link name='base'/></robot>")
    assert lp.load(file).name == lp.load(file, xacro=True).name == "plain"
    with pytest.raises(ValueError, match="is not xacro: it takes no xacro_arguments"):
        lp.load(file, xacro_arguments={"prefix": "a_"})


@pytest.mark.parametrize("command", ["info", "count", "convert", "compare"])
def test_the_option_of_commands(package: Path, command: str) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ARM)
    others = {"convert": [str(package / "out.sdf")], "compare": [str(file)]}.get(command, [])
    plain = CliRunner().invoke(app, [command, str(file), *others])
    assert plain.exit_code == 2, plain.output
    assert "which is evaluated only when asked for" in plain.stderr
    asked = CliRunner().invoke(app, [command, str(file), *others, "--xacro", "yes"])
    assert asked.exit_code == 0, asked.output
    wrong = CliRunner().invoke(app, [command, str(file), *others, "--xacro", "prefix"])
    assert wrong.exit_code == 2 and "--xacro prefix: expected 'yes', or a name and a value" in wrong.stderr


def test_the_option_gives_arguments_and_is_for_files(package: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ARM)
    result = CliRunner().invoke(app, ["info", str(file), "--xacro", "prefix=left_", "--xacro", "mass:=4"])
    assert "left_rod" in result.stdout and result.exit_code == 0
    result = CliRunner().invoke(app, ["info", "panda", "--xacro", "yes"])
    assert result.exit_code == 2 and "--xacro is for a robot's file, and 'panda' is none" in result.stderr


def test_a_urdf_opens_no_other_text(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ARM)
    opened: list[str] = []
    plain = Path.open
    monkeypatch.setattr(Path, "open", lambda path, *a, **k: (opened.append(path.name), plain(path, *a, **k))[1])
    with pytest.raises(lp.ModelError, match="is xacro"):
        lp.load(file)
    assert opened == ["arm.urdf"]


def test_other_formats_are_made_by_xacro_too(tmp_path: Path) -> None:
    (tmp_path / "a.sdf.xacro").write_text("""<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro">
      <xacro:property name="m" value="2"/>
      <model name="a"> <link name="l"> <inertial> <mass>${m * 2}</mass>
        <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial> </link>
        <joint name="j" type="revolute"> <parent>world</parent> <child>l</child> <axis><xyz>0 0 1</xyz></axis> </joint>
      </model></sdf>""")
    assert lp.load(tmp_path / "a.sdf.xacro").link("l").inertia.mass == 4.0


def test_from_an_archive(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "arm.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in package.rglob("*.*"):
            if path.is_file():
                archive.write(path, path.relative_to(tmp_path).as_posix())
    robot = lp.load(f"{file}:arm-ros2-main/urdf/arm.urdf.xacro")
    (shape,) = robot.link("rod").shapes
    assert isinstance(shape, lp.MeshShape) and shape.content == b"solid rod" and robot.n == 1


# Includes


def test_includes_from_the_folder_of_the_file(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package / "urdf" / "arm.xacro"
    file.write_text(ARM.replace("$(find arm_description)/urdf/", ""))
    monkeypatch.chdir("/")
    assert lp.load(file).n == 1
    file.write_text(ARM.replace("$(find arm_description)/urdf/rod", "ro*"))
    assert lp.load(file).n == 1


def test_packages_are_told(package: Path, tmp_path: Path) -> None:
    lone = tmp_path / "elsewhere" / "inner" / "arm.xacro"
    lone.parent.mkdir(parents=True)
    lone.write_text(ARM)
    with pytest.raises(lp.ModelError, match=r"arm\.xacro: xacro: package 'arm_description' is not found"):
        lp.load(lone)
    assert lp.load(lone, package_paths=[package]).n == 1
    by_name = lp.load(lone, package_paths={"arm_description": package})
    (shape,) = by_name.link("rod").shapes
    assert isinstance(shape, lp.MeshShape) and Path(shape.file).is_file()
    with pytest.raises(ValueError, match=r"package_paths is .*: expected several folders"):
        lp.load(lone, package_paths=str(package))


def test_a_package_beside_that_of_the_file(package: Path, tmp_path: Path) -> None:
    other = tmp_path / "parts"
    other.mkdir()
    (other / "package.xml").write_text("<package><name>parts</name></package>")
    (other / "base.xacro").write_text(f"{START}<link name='base'/></robot>")
    file = package / "urdf" / "two.xacro"
    file.write_text(f"{START}<xacro:include filename='$(find parts)/base.xacro'/></robot>")
    assert lp.load(file).link_names == ("base",)
    (other / "package.xml").unlink()  # then it is just a folder of the user
    with pytest.raises(lp.ModelError, match="package 'parts' is not found"):
        lp.load(file)


SECRET = "<robot><link name='secret-of-the-user'/></robot>"
OUTSIDE = [
    "{secret}", "file://{secret}", "../../secret.xacro", "package://../secret.xacro", "link.xacro",
    "$(find ..)/secret.xacro", "$(find private)/secret.xacro", "/etc/passwd", "../../*.xacro", "/proc/self/environ",
]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("written", OUTSIDE)
@pytest.mark.parametrize("way", ["include", "yaml"])
def test_what_lies_outside_is_not_read(tmp_path: Path, written: str, way: str, there: bool) -> None:
    """Be it there or not: the error is the same, and nothing from there is in it."""
    secret, folder = tmp_path / "private" / "secret.xacro", tmp_path / "private" / "downloads" / "arm"
    folder.mkdir(parents=True)
    if there:
        secret.write_text(SECRET)
    (folder / "link.xacro").symlink_to(secret)
    name = written.format(secret=secret)
    use = f"<xacro:include filename='{name}'/>" if way == "include" else f"<link name=\"${{load_yaml('{name}')}}\"/>"
    if "*" in written and way == "include":
        (folder / "bad.xacro").write_text(f"{START}<link name='own'/>{use}</robot>")
        with pytest.warns(lp.ModelWarning, match="no file matches"):
            assert lp.load(folder / "bad.xacro").link_names == ("own",)
        return
    message = refused(folder, use)
    assert "secret-of-the-user" not in message and "root:" not in message
    allowed = ("is outside of what this file may include", "there is no file", "is not found")
    assert any(words in message for words in allowed)
    assert "there is no file" not in message or written.startswith(("package", "file")) or "*" in written


def test_a_folder_that_the_user_names_is_read(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "base.xacro").write_text(f"{START}<link name='base'/></robot>")
    file = tmp_path / "arm" / "a.xacro"
    file.parent.mkdir()
    file.write_text(f"{START}<xacro:include filename='../shared/base.xacro'/></robot>")
    with pytest.raises(lp.ModelError, match="outside of what this file may include"):
        lp.load(file)
    assert lp.load(file, package_paths=[tmp_path / "shared"]).link_names == ("base",)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xacro")
    assert "there is no file 'pipe.xacro'" in refused(tmp_path, "<xacro:include filename='pipe.xacro'/>")


# Errors


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('mass="$(arg mass)"', "", "macro 'rod' is not given mass (in line 7)"),
        ("rod.xacro", "rood.xacro", "/urdf/rood.xacro', which is included (in line 5)"),
        ("$(arg prefix)base", "${nothing}", "name 'nothing' is not defined, when evaluating expression 'nothing'"),
        ("$(arg prefix)base", "${1 / 0}", "division by zero, when evaluating expression '1 / 0' (in line 6)"),
        ("$(arg prefix)base", "${1 +}", "it cannot be read: invalid syntax"),
        ("$(arg prefix)base", "${1 + 2", "an expression is not closed: '${1 + 2'"),
        ("$(arg prefix)base", "$(arg nothing)", "the argument 'nothing' is not defined: give xacro_argum"),
        ("$(arg prefix)base", "$(env HOME)", "asks for a variable of the environment, which no file may read"),
        ("$(arg prefix)base", "$(optenv HOME x)", "asks for a variable of the environment, which no file may read"),
        ("$(arg prefix)base", "$(eval env)", "name 'env' is not defined"),
        ("$(arg prefix)base", "$(cwd)", "$(cwd) is not evaluated"),
        ("$(arg prefix)base", "$(anon x)", "$(anon x) is not known: expected $(arg name), $(find package)"),
        ("</robot>", "<xacro:rood/></robot>", "there is no macro 'rood' (in line 11)"),
        ("</robot>", "<xacro:if value='maybe'/></robot>", "the condition 'maybe' comes to 'maybe': expected true or"),
        ("</robot>", "<xacro:rod name='a' mass='${'/></robot>", "an expression is not closed"),
        ("</robot>", "<xacro:rod name='a' mass='x'/></robot>", "(in macro 'rod', "),
        ("</robot>", "<xacro:rod name='a' mass='1' colour='x'/></robot>", "no parameter 'colour'; it has name, mass"),
        ("</robot>", "<xacro:rod name='a' mass='1'><b/></xacro:rod></robot>", "is given a block <b> that it does not"),
        ("</robot>", "<xacro:insert_block name='b'/></robot>", "there is no block 'b'"),
        ("</robot>", "<xacro:property value='2'/></robot>", "<xacro:property> has no attribute 'name'"),
        ("</robot>", "<xacro:property name='a b' value='2'/></robot>", "the name of a property is 'a b'"),
        ("</robot>", "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/>"
         "<link name='${a}'/></robot>", "properties are defined by one another: a -> "),
        ("</robot>", "<link name='${xacro.fatal(1, 2)}'/></robot>", "the file says: 1 2"),
        ('<link name="$(arg prefix)base"/>', "<link/>", "(as xacro makes it), line"),
        ("<robot", "<!DOCTYPE r [<!ENTITY a 'b'>]><robot", "entity 'a' is defined here"),
        ("</robot>", "", "not well-formed XML"),
        ("</robot>", '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>', "does a macro call itself"),
        ("</robot>", "<xacro:include filename='arm.urdf.xacro'/></robot>", "or a file include itself"),
    ],
)
def test_errors_name_the_file_and_the_place(package: Path, old: str, new: str, words: str) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    assert old in ARM
    file.write_text(ARM.replace(old, new, 1))
    with pytest.raises(lp.ModelError) as caught:
        lp.load(file)
    assert str(caught.value).startswith(str(file)) and words in str(caught.value), str(caught.value)


def test_arguments_that_nobody_asks_for(package: Path) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    with pytest.raises(ValueError, match=r"has 'prefx', which the file does not ask for; it asks for 'mass', 'prefix'"):
        lp.load(file, xacro_arguments={"prefx": "a"})
    with pytest.raises(ValueError, match=r"expected names with texts or numbers"):
        lp.load(file, xacro_arguments={"prefix": ["a"]})


def test_what_a_file_says_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.xacro").write_text(f"{START}<link name=\"a${{xacro.warning('be careful')}}\"/>"
                                      "<xacro:property name='pi' value='3' colour='x'/></robot>")
    with pytest.warns(lp.ModelWarning, match=r"be careful; .*'colour', which is not used.*'pi' hides a function"):
        assert lp.load(tmp_path / "a.xacro").link_names == ("a",)


# Limits


DOUBLING = "<xacro:property name='a0' value=\"${['x', 'x']}\"/>" + "".join(
    f"<xacro:property name='a{k + 1}' value='${{[a{k}, a{k}]}}'/>" for k in range(40)
)
ENDLESS = [
    ("${9**9**9}", "binary digits"),
    ("${[0]*10**9}", "a value has more than 100,000 items"),
    ("${'a'*10**9}", "a value has more than 100,000 items"),
    ("${1 &lt;&lt; 10**9}", "binary digits"),
    ("${range(10**9)}", "a value has more than 100,000 items"),
    ("${round(5, -10**9)}", "expected at most 400"),
    ("${factorial(10**7)}", "expected at most 170"),
    ("${'%1000000000d' % 1}", "a placeholder after % is not known"),
    ("${'a'.ljust(10**9)}", "a width of"),
    ("${('a'*90000).replace('a', 'a'*90000)}", "a value has more than 100,000 items"),
    ("${[0 for a in range(9999) for b in range(9999)]}", "a value has more than 100,000 items"),
    ("${'a'.join(['b'*1000]*1000)}", "a value has more than 100,000 items"),
    ("${" + "(" * 300 + "1" + ")" * 300 + "}", "it cannot be read"),
    ("${" + "-" * 4000 + "1}", "it cannot be read: maximum recursion depth"),
    ("${" + "-" * 400 + "1}", "it has more than 100 operations inside one another"),
    ("${" + "1+" * 6000 + "1}", "it has more than 5,000 characters"),
    ("${len([x.count(1) for x in [list(range(9999))] for y in range(9999)])}", "more than 1,000,000 steps"),
]


@pytest.mark.parametrize(("written", "words"), ENDLESS)
def test_expressions_without_end_are_refused(tmp_path: Path, written: str, words: str) -> None:
    message = refused(tmp_path, f'<link name="{written}"/>')
    assert words in message, message


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        (DOUBLING + "<link name='${a40}'/>", "a value has more than 100,000 items"),
        ("<xacro:macro name='m' params='n'><xacro:if value='${n}'><xacro:m n='${n-1}'/><xacro:m n='${n-1}'/>"
         "</xacro:if></xacro:macro><xacro:m n='40'/>", "which no robot needs"),
        ("<xacro:macro name='m' params='**b'>" + "<xacro:insert_block name='b'/>" * 9 + "</xacro:macro>"
         + "<xacro:m><b>" * 12 + "<link name='a'/>" + "</b></xacro:m>" * 12, "more than 100,000 elements"),
        (f"<a b='{'x' * 90_000}'/>" * 200, "characters of text"),
        ("<xacro:macro name='m' params=\"a:=" + "x" * 3000 + "'\"/>", "a quote is not closed"),
        ("<xacro:property name='t' value='${(1,)}' lazy_eval='false'/>"
         "<xacro:macro name='m' params='n'><xacro:property name='t' value='${(t,)}' scope='global'/></xacro:macro>"
         + "<xacro:m n='1'/>" * 2000 + "<link name='${dict([(t, 1)])}'/>", "a value has lists more than 100 deep"),
        ("<a>" * 500 + "</a>" * 500, "more than 100 inside one another"),
        ("<xacro:property name='a' value='1'/>" + "".join(f"<xacro:property name='a{k}' value='${{a{k + 1}}}'/>"
         for k in range(300)) + "<link name='${a0}'/>", "inside one another"),
    ],
)
def test_files_that_grow_without_end_are_refused(tmp_path: Path, inner: str, words: str) -> None:
    message = refused(tmp_path, inner)
    assert words in message, message


YAML = """
truth: [yes, No, TRUE, false, on, Off, "yes", y]
whole: [0, -7, +12, 1_000, 017, -0o17, 0x1F, -0xff, 0b101, +0b11]
real: [1.5, -.5, 1., 6.02e+23, 1_000.25, .inf, -.Inf, 1e3, 2e-3]
nothing: [~, null, Null, ""]
text: [abc, 'it''s', "tab\\t", 2026-05-04, 12:30x]
base: &base {a: 1, b: [2, 3]}
other: &other {b: 7, c: 8}
one: {<<: *base, b: own}
two: {<<: [*other, *base], d: *base}
again: {<<: *base, z: 0, <<: *other}
three: {a: {b: {c: [[1, [2]], {d: e}]}}, 5: five, true: sure, ~: none}
"""


def test_yaml_is_read_as_pyyaml_reads_it() -> None:
    """Its own constructors, which stand for any amount of work, are not used."""
    found, expected = yaml_data(YAML, float, Steps()), yaml.safe_load(YAML)
    assert isinstance(found, dict)
    for key, value in expected.items():
        if key == "text":
            value[3] = "2026-05-04"  # dates stay text
        assert found[key] == value and repr(found[key]) == repr(value), key
    assert math.isnan(yaml_data(".nan", float, Steps()))  # type: ignore[arg-type]
    assert yaml_data("", float, Steps()) is None


def test_units_of_yaml() -> None:
    text = "[!radians 2, !degrees 90, !meters 3, !millimeters 1500, !foot 10, !inches 100]"
    found = yaml_data(text, float, Steps())
    assert found == pytest.approx([2.0, math.pi / 2, 3.0, 1.5, 3.048, 2.54], rel=1e-15)


@pytest.mark.parametrize("text", ["190:20:30", "a: -1:30", "190:20:30.15", "1" + "0" * 301])
def test_numbers_of_yaml_that_nobody_means(text: str) -> None:
    """YAML 1.1 has numbers to the base 60."""
    with pytest.raises(lp.ModelError, match=r"the number '.*' is not read: write it in decimal digits"):
        yaml_data(text, float, Steps())


def test_yaml_is_as_deep_as_is_said() -> None:
    depth = 0
    found = yaml_data("[" * 100 + "]" * 100, float, Steps())
    while found:
        assert isinstance(found, list)
        (found,), depth = found, depth + 1
    assert depth == 99
    with pytest.raises(lp.ModelError, match="nested too deeply"):
        yaml_data("[" * 101 + "]" * 101, float, Steps())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &b0 [x, x]\n" + "".join(f"b{k}: &b{k} [*b{k - 1}, *b{k - 1}]\n" for k in range(1, 40)),
         "which no robot needs"),
        ("a: &b0 {x: 1}\n" + "".join(f"b{k}: &b{k} {{<<: [*b{k - 1}, *b{k - 1}]}}\n" for k in range(1, 40)),
         "which no robot needs"),
        ("[" * 5000, "no YAML|nested too deeply"),
        ("a: 1:" + "1:" * 3000 + "1", "is not read: write it in decimal digits"),
        ("a: !!python/object/apply:os.system ['true']", "the tag 'tag:yaml.org,2002:python/object/apply:os.system'"),
        ("a: 'b", "it is no YAML in line 1"),
        ("x" * (2**18 + 1), "larger than 0.25 MiB"),
        ("a: &a [*a]", "no YAML|lists are more than"),
        ("- 'x'\n" * 43_000, "more than 1,000,000 steps"),
    ],
    ids=range(9),
)
def test_yaml_that_is_hostile_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    message = refused(tmp_path, "<link name=\"${xacro.load_yaml('a.yaml')}\"/>")
    assert any(word in message for word in words.split("|")), message


# Ways by which the sandbox of xacro is left; each was tried against the package

WAYS = ["attribute", "text", "condition", "default", "argument", "property", "include", "eval"]
ESCAPES = [
    "().__class__.__base__.__subclasses__()",
    "[x.__class__ for x in (1,)]",
    "(lambda: 1).__globals__",
    "(x for x in (1,)).gi_frame.f_back.f_builtins",
    "python.vars(python.type(python.type(1)))",
    "python['vars'](python.type(0))",
    "python.type(0).mro()[1]",
    "__import__('os').system('true')",
    "'%(a)s' % python",
    "fmt.format(1)",
    "str.format(fmt, 1)",
    "[].append",
    "xacro.__init__",
    "xacro.load_yaml.__globals__",
    "math.__loader__",
    "map(python, [1])",
    "sorted([1], key=python)",
    "max([1], key=xacro.load_yaml)",
    "open('/etc/passwd')",
    "(a := 1)",
    "[*'ab']",
    "dict(**python)",
    "1j",
    "b'a'",
    "...",
    "type(1)",
    "eval('1')",
    "exec('1')",
    "getattr(1, 'real')",
    "globals()",
    "(1).real",
    "'a'.encode()",
    "'a'.translate",
    "await x",
    "(yield 1)",
]
LEAKING = [
    "[python['vars'](python.type(0).mro()[1])['__getattribute__'](python['vars'](c)['__init__'], '__globals__')"
    "['system']('touch PWNED') for c in python['vars'](python.type)['__subclasses__'](python.type(0).mro()[1])]",
]


@pytest.mark.parametrize("expression", ESCAPES + LEAKING)
@pytest.mark.parametrize("way", WAYS)
def test_nothing_reaches_the_interpreter(tmp_path: Path, expression: str, way: str,
                                         monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quoted = expression.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    in_braces = f"${{{quoted}}}"
    inner = {
        "attribute": f'<link name="{in_braces}"/>',
        "text": f"<gazebo>{in_braces}</gazebo>",
        "condition": f'<xacro:if value="{in_braces}"/>',
        "default": f'<xacro:macro name="m" params="a:={in_braces.replace(" ", "&#32;")}"/><xacro:m/>',
        "argument": f'<xacro:arg name="a" default="{in_braces}"/>',
        "property": f'<xacro:property name="a" value="{in_braces}" lazy_eval="false"/>',
        "include": f'<xacro:include filename="{in_braces}"/>',
        "eval": f'<link name="$(eval {quoted})"/>',
    }[way]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = refused(tmp_path, "<xacro:property name='fmt' value='{0.__class__}'/>" + inner)
    assert "when evaluating expression" in message or way in ("default", "eval"), message
    assert not (tmp_path / "PWNED").exists()


def test_patterns_of_includes_count_as_files(tmp_path: Path) -> None:
    """Each looks through a folder: 200 of them, and 1500 files there, took 23 s."""
    include = '<xacro:include filename="none_*.xacro"/>'
    with warnings.catch_warnings(action="ignore"):
        assert "more than 1,000 files" in refused(tmp_path, include * 1001)


def test_patterns_of_includes_in_an_archive_count_its_members(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        include = '<xacro:include filename="none_*.xacro"/>'
        archive.writestr("a.xacro", f'<robot name="r" xmlns:xacro="x">{include * 450}<link name="l"/></robot>')
        for k in range(10_000):
            archive.writestr(f"{k}.txt", "")
    with warnings.catch_warnings(action="ignore"), pytest.raises(lp.ModelError, match="1,000,000 steps"):
        lp.load(tmp_path / "a.zip")
