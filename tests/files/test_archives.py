"""Robots in archives: the right one is found, its meshes come along, and hostile ones are refused in bounded memory."""

from __future__ import annotations

import gzip
import io
import random
import struct
import tarfile
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.files import archives, assets
from loadpath.files.archives import tar_entries

MESH = b"solid forearm\nendsolid forearm\n"


def arm(name: str = "arm", mesh: str = "package://arm_description/meshes/forearm.stl") -> str:
    return f"""<robot name="{name}">
      <link name="base"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>
      <link name="rod"><inertial><mass value="2"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint>
    </robot>"""


def zipped(path: Path, **members: bytes | str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, **members: bytes | str) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


PACKED = {"arm_description/urdf/arm.urdf": arm(), "arm_description/meshes/forearm.stl": MESH, "README.md": "an arm"}


@pytest.mark.parametrize("name", ["arm.zip", "arm.tar.gz", "arm.tgz", "arm.tar", "arm.anything"])
def test_the_only_robot_and_its_mesh(tmp_path: Path, name: str) -> None:
    pack = zipped if name in ("arm.zip", "arm.anything") else tarred
    robot = lp.load(pack(tmp_path / name, **PACKED))
    (shape,) = robot.links[0].shapes
    assert isinstance(shape, lp.MeshShape)
    assert shape.content == MESH and shape.file == "arm_description/meshes/forearm.stl"
    assert shape.uri == "package://arm_description/meshes/forearm.stl"


@pytest.mark.parametrize(
    ("mesh", "found"),
    [
        ("../meshes/forearm.stl", True),
        ("..\\meshes\\forearm.stl", True),
        ("package://another_name/meshes/forearm.stl", True),  # the folder of a repository is seldom that of the package
        ("model://arm_description/meshes/forearm.stl", True),
        ("../../../../../../../../etc/hostname", False),
        ("package://arm_description/../../../../../../etc/hostname", False),
        ("/etc/hostname", False),
        ("file:///etc/hostname", False),
    ],
)
def test_meshes_are_found_in_the_archive_and_never_outside(tmp_path: Path, mesh: str, found: bool) -> None:
    packed = {**PACKED, "arm_description/urdf/arm.urdf": arm(mesh=mesh)}
    (shape,) = lp.load(zipped(tmp_path / "arm.zip", **packed)).links[0].shapes
    assert isinstance(shape, lp.MeshShape)
    assert (shape.content == MESH) is found
    assert found or (shape.content is None and shape.file == mesh)


def test_a_package_by_its_package_xml_in_an_archive(tmp_path: Path) -> None:
    packed = {
        "repository-main/parts/package.xml": "<package> <name>spare_parts</name> </package>",
        "repository-main/parts/a.stl": MESH,
        "repository-main/arm/arm.urdf": arm(mesh="package://spare_parts/a.stl"),
    }
    (shape,) = lp.load(zipped(tmp_path / "arm.zip", **packed)).links[0].shapes
    assert isinstance(shape, lp.MeshShape) and shape.file == "repository-main/parts/a.stl"


def test_one_of_several(tmp_path: Path) -> None:
    both = {"a/left.urdf": arm("left"), "a/right.urdf": arm("right"), "b.xml": "<launch/>"}
    file = zipped(tmp_path / "arms.zip", **both)
    with pytest.raises(lp.ModelError, match=r"there are 2 robots .*; choose one: '.*arms\.zip:a/left\.urdf', '"):
        lp.load(file)
    assert lp.load(f"{file}:a/right.urdf").name == "right"
    with pytest.raises(lp.ModelError, match=r"there is no 'c\.urdf' in the archive; there is '.*left\.urdf'"):
        lp.load(f"{file}:c.urdf")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        lp.load(f"{tmp_path / 'nowhere.zip'}:c.urdf")


def test_gzip(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf.gz"
    file.write_bytes(gzip.compress(arm().encode()))
    assert lp.load(file).name == "arm"
    with pytest.raises(lp.ModelError, match="there is no 'x' in it"):
        (tmp_path / "arm.urdf").write_text(arm())
        lp.load(f"{tmp_path / 'arm.urdf'}:x")


def test_no_robot(tmp_path: Path) -> None:
    with pytest.raises(lp.ModelError, match=r"there is no robot in the archive: expected a file of the format URDF"):
        lp.load(zipped(tmp_path / "a.zip", **{"a.xml": "<launch/>", "b.urdf": "no XML"}))
    with pytest.raises(lp.ModelError, match="there is no robot in the archive"):
        lp.load(zipped(tmp_path / "empty.zip"))


# Hostile archives


LEADING_OUT = ["../evil.urdf", "/etc/evil.urdf", "a/../../evil.urdf", "..\\evil.urdf", "C:\\evil.urdf"]


@pytest.mark.parametrize("name", LEADING_OUT)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_lead_out(tmp_path: Path, name: str, pack: type) -> None:
    file = pack(tmp_path / ("a.zip" if pack is zipped else "a.tar.gz"), **{"arm.urdf": arm(), name: arm()})
    with pytest.raises(lp.ModelError, match="which leads out of it: refused"):
        lp.load(file)


def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 2**20)
    monkeypatch.setattr(archives, "LARGEST_FILE", 2**20)
    monkeypatch.setattr(assets, "LARGEST_FILE", 2**20)
    zeros = b"\x00" * (64 * 2**20)
    files = [zipped(tmp_path / "a.zip", **{"arm.urdf": zeros}), tarred(tmp_path / "a.tar.gz", **{"arm.urdf": zeros})]
    files.append(tmp_path / "a.urdf.gz")
    files[-1].write_bytes(gzip.compress(zeros))
    files.append(_lying(zipped(tmp_path / "lie.zip", **{"arm.urdf": zeros}), len(zeros)))
    del zeros
    for file in files:
        tracemalloc.start()
        try:
            with pytest.raises(lp.ModelError, match=r"larger than 1 MiB, which no robot needs|the archive is damaged"):
                lp.load(file)
            assert tracemalloc.get_traced_memory()[1] < 8 * 2**20, file
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_python_would_unpack_at_once_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    """Kilobytes that stand for gigabytes, whatever size is declared: 64 MiB here."""
    monkeypatch.setattr(assets, "LARGEST_FILE", 2**20)  # room for so much is made before a file is read
    lp.load(zipped(tmp_path / "sound.zip", **{"arm.urdf": arm()}))  # what is imported first takes memory, too
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("arm.urdf", bytes(64 * 2**20))
    _lying(file, 64 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(lp.ModelError, match=rf"a.zip:arm.urdf: .*is compressed by the method {method} of ZIP"):
            lp.load(file)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def _lying(file: Path, size: int) -> Path:
    """The archive, with sizes in its headers that are small."""
    file.write_bytes(file.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", 1000)))
    return file


def test_meshes_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 2**20)
    file = zipped(tmp_path / "a.zip", **{"arm.urdf": arm(mesh="a.stl"), "a.stl": b"\x00" * 2**21})
    with pytest.warns(lp.ModelWarning, match=r"drawn without .* unpacked, this is larger than 1 MiB"):
        assert lp.load(file).links[0].shapes == ()
    unused = zipped(tmp_path / "b.zip", **{"arm.urdf": arm(mesh="b.stl"), "a.stl": b"\x00" * 2**21})
    assert lp.load(unused).name == "arm"  # what nobody asks for is not unpacked


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 20)
    many = {f"{k}.txt": "" for k in range(30)}
    for file in (zipped(tmp_path / "a.zip", **many), tarred(tmp_path / "a.tar", **many)):
        with pytest.raises(lp.ModelError, match="more than 20 members"):
            lp.load(file)


def test_links_in_tar_lead_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "a.tar"
    with tarfile.open(file, "w") as archive:
        for name, target in (("arm.urdf", "/etc/hostname"), ("b.urdf", "../../x.urdf")):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    with pytest.raises(lp.ModelError, match="there is no robot in the archive"):
        lp.load(file)


def test_a_password(tmp_path: Path) -> None:
    file = zipped(tmp_path / "a.zip", **{"arm.urdf": arm()})
    data = bytearray(file.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of the member and of its entry
        data[data.find(mark) + offset] |= 1
    file.write_bytes(bytes(data))
    with pytest.raises(lp.ModelError, match=r"a\.zip:arm\.urdf: it has a password"):
        lp.load(file)


@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz", "a.tar", "a.urdf.gz"])
def test_damage_is_an_error_of_ours_or_none(tmp_path: Path, kind: str) -> None:
    """Bytes changed, left out and cut off, at random."""
    source = tmp_path / kind
    if kind == "a.urdf.gz":
        source.write_bytes(gzip.compress(arm().encode()))
    else:
        (zipped if kind == "a.zip" else tarred)(source, **PACKED)
    whole, chance = source.read_bytes(), random.Random(5)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            start = chance.randrange(len(data))
            if chance.random() < 0.6:
                data[start] = chance.randrange(256)
            else:
                del data[start : start + chance.randint(1, 200)]
            if not data:
                data = bytearray(b"\x00")
        source.write_bytes(bytes(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)  # of a mesh that is left out
            try:
                lp.load(source)
            except lp.ModelError as problem:
                refused += 1
                assert str(problem).startswith(str(source))
    assert refused > 20


# Names that come twice


@pytest.mark.parametrize("second", ["arm.urdf", "./arm.urdf", "a/./b.stl", ".//arm.urdf", "a//b.stl"])
@pytest.mark.parametrize("kind", ["a.zip", "a.tar", "a.tar.gz"])
def test_members_of_one_name_are_refused(tmp_path: Path, second: str, kind: str) -> None:
    """Which of them is meant cannot be known: readers differ in whether the first or the last counts."""
    file = tmp_path / kind
    members = [("arm.urdf", arm()), ("a/b.stl", MESH), (second, arm("other"))]
    if kind == "a.zip":
        with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
            warnings.simplefilter("ignore")
            for name, content in members:
                archive.writestr(name, content)
    else:
        with tarfile.open(file, "w:gz" if kind.endswith("gz") else "w") as packed:
            for name, content in members:
                data = content.encode() if isinstance(content, str) else content
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                packed.addfile(entry, io.BytesIO(data))
    twice = "a/b.stl" if "b.stl" in second else "arm.urdf"
    with pytest.raises(lp.ModelError, match=rf"{kind}: the archive has '{twice}' twice: pack it anew"):
        lp.load(file)


@pytest.mark.parametrize("name", ["a/" * 51 + "b.stl", "n" * 1001])
def test_names_without_end_are_refused(tmp_path: Path, name: str) -> None:
    for file in (zipped(tmp_path / "a.zip", **{name: b""}), tarred(tmp_path / "a.tar", **{name: b""})):
        with pytest.raises(lp.ModelError, match="which no robot needs"):
            lp.load(file)


# The reader of tar against that of Python


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_the_same_files_as_tarfile(tmp_path: Path, form: int) -> None:
    names = ["arm.urdf", "d/" * 20 + "long_name_of_a_mesh.stl", "é/ü.stl", "x" * 99, "empty", "spaces in it "]
    names += [] if form == tarfile.USTAR_FORMAT else ["y/" + "z" * 300, "pip\u0301e.stl"]
    file = tmp_path / "a.tar"
    with tarfile.open(file, "w", format=form, pax_headers={"comment": "of all"}) as archive:
        for k, name in enumerate(names):
            entry = tarfile.TarInfo(name)
            data = bytes(range(256)) * k
            entry.size = 0 if name == "empty" else len(data)
            entry.mtime = 1.5  # in pax a header of its own
            archive.addfile(entry, io.BytesIO(data[: entry.size]))
        for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            entry = tarfile.TarInfo(f"of_type_{kind.decode()}")
            entry.type, entry.linkname = kind, "arm.urdf"
            archive.addfile(entry)
    data = file.read_bytes()
    ours = {entry.name: data[entry.start : entry.start + entry.size] for entry in tar_entries(data)}
    with tarfile.open(file) as archive:
        theirs = {
            entry.name: extracted.read()
            for entry in archive
            if entry.isreg() and (extracted := archive.extractfile(entry)) is not None
        }
    assert ours == theirs and len(ours) == len(names)


def pax_header(records: bytes, kind: bytes = b"x") -> bytes:
    entry = tarfile.TarInfo("pax")
    entry.size, entry.type = len(records), kind
    return entry.tobuf(tarfile.USTAR_FORMAT) + records + bytes(-len(records) % 512)


def pax_record(key: str, value: str) -> bytes:
    """Its own length, a space, key=value and a line end."""
    rest = f" {key}={value}\n".encode()
    length = next(n for n in range(len(rest), 1000) if len(str(n)) + len(rest) == n)
    return str(length).encode() + rest


@pytest.mark.parametrize("kind", [b"x", b"g"])
@pytest.mark.parametrize("zeros", [0, 1, 7, 600])
def test_headers_of_pax_as_tarfile_reads_them(tmp_path: Path, kind: bytes, zeros: int) -> None:
    """Zeros end them; those of all files are said until another one is; a size in them counts."""
    data = b"<robot/>" + bytes(range(200))
    first, second = tarfile.TarInfo("first"), tarfile.TarInfo("second")
    first.size, second.size = 1, len(data)  # the first size is said by pax
    records = pax_record("path", "from/pax.urdf") + pax_record("comment", "c" * 90) + pax_record("size", str(len(data)))
    file = tmp_path / "a.tar"
    parts = [pax_header(records + bytes(zeros), kind), first.tobuf(tarfile.USTAR_FORMAT), data, bytes(-len(data) % 512)]
    file.write_bytes(b"".join([*parts, second.tobuf(tarfile.USTAR_FORMAT), *parts[2:], bytes(1024)]))
    whole = file.read_bytes()
    ours = [(entry.name, whole[entry.start : entry.start + entry.size]) for entry in tar_entries(whole)]
    with tarfile.open(file) as archive:
        names = [entry.name for entry in archive]
    assert ours == [(name, data) for name in names]
    assert names == ["from/pax.urdf", "second" if kind == b"x" else "from/pax.urdf"]


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (b"1" * 60_000, "a header of pax in it is damaged"),
        (b"1" * 200_000, "a header in it has 200,000 bytes: expected at most 65,536"),
        (b"99 path=a\n", "a header of pax in it is damaged"),
        (b"0 path=a\n", "a header of pax in it is damaged"),
        (b"8 path=a\n9 size=b\n", "a header of pax in it is damaged"),
        (b"10 path=a\n10 size=b\n", "has a size that is no number"),
        (b"12 size=999\n", "a file in it is longer than the archive"),
        (b"-5 path=a\n", "a header of pax in it is damaged"),
    ],
)
@pytest.mark.parametrize("kind", [b"x", b"g"])
def test_headers_of_pax_that_are_hostile(tmp_path: Path, records: bytes, words: str, kind: bytes) -> None:
    entry = tarfile.TarInfo("arm.urdf")
    entry.size = len(arm())
    file = tmp_path / "a.tar.gz"
    file.write_bytes(gzip.compress(pax_header(records, kind) + entry.tobuf() + arm().encode()))
    with pytest.raises(lp.ModelError, match=rf"a\.tar\.gz: .*{words}"):
        lp.load(file)


# Packages of an archive are found by an index


def test_packages_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many packages times many that are missing: each package.xml is read once, not once for each missing package."""
    packed: dict[str, bytes | str] = {f"p{k}/package.xml": f"<package><name>q{k}</name></package>" for k in range(60)}
    meshes = "".join(
        f"<visual><geometry><mesh filename='package://missing{k}/a.stl'/></geometry></visual>" for k in range(50)
    )
    packed["arm.urdf"] = arm(mesh="package://q7/a.stl").replace('<link name="rod">', f'<link name="rod">{meshes}')
    packed["p7/a.stl"] = MESH
    read: list[str] = []
    plain = archives.Members.__getitem__
    monkeypatch.setattr(archives.Members, "__getitem__", lambda self, name: (read.append(name), plain(self, name))[1])
    (shape,) = lp.load(zipped(tmp_path / "a.zip", **packed)).links[0].shapes
    assert isinstance(shape, lp.MeshShape) and shape.file == "p7/a.stl"
    assert sum(name.endswith("package.xml") for name in read) <= 2 * 60  # once more to see that it is no robot
