"""xacro, the macros of URDF, through `xacrodoc`: no ROS is needed, and packages are found as those of meshes are.

xacro evaluates expressions of Python in a sandbox of its own, and opens the files that are included. The ways by which
such sandboxes are left are refused in every expression (see `refuse_escapes`); what is still not promised, SECURITY.md
says.
"""

from __future__ import annotations

import ast
import contextlib
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loadpath.errors import ModelError, warn
from loadpath.files.assets import Assets
from loadpath.files.xml_reading import read_xml
from loadpath.printable import printable

if TYPE_CHECKING:
    from types import ModuleType

XACRO_ENDING = ".xacro"
_NAMESPACE = "http://www.ros.org/wiki/xacro"
_ONE_AT_A_TIME = threading.RLock()
"""xacro keeps what it knows in its modules."""
_INSIDES = frozenset({"gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "ag_frame", "ag_code",
                      "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "tb_frame", "tb_next", "co_code",
                      "func_globals", "vars"})  # fmt: skip
"""Names by which an expression reaches the interpreter."""


def is_xacro(data: bytes, source: str) -> bool:
    """Whether xacro must run before this is a URDF: by the ending, or by elements of xacro in it.

    >>> is_xacro(b"<robot name='r'><xacro:macro name='arm'/></robot>", "arm.urdf"), is_xacro(b"<robot/>", "arm.urdf")
    (True, False)
    """
    if source.lower().endswith((XACRO_ENDING, XACRO_ENDING + ".gz")):
        return True
    if b"xacro:" not in data:
        return False
    return any(element.tag.startswith("xacro:") for element in read_xml(data, source).everything())


def run_xacro(data: bytes, source: str, assets: Assets, arguments: Mapping[str, object]) -> bytes:
    """The URDF that xacro makes of a file. `arguments` are what `<xacro:arg>` is to be."""
    try:
        import xacro
        from xacrodoc import XacroDoc, packages
    except ImportError:
        raise ModelError(f"{source}: this is xacro, which takes xacrodoc: pip install 'loadpath[xacro]'") from None
    read_xml(data, source)  # entities are refused, and what is no XML is reported with its line
    if assets.folder is None:
        raise ModelError(f"{source}: xacro opens the files that are included: unpack the archive first")
    given = _Asked(_texts(arguments))
    said = io.StringIO()
    with (
        _ONE_AT_A_TIME,
        _replaced(packages, "_finder", _Finder(assets)),
        _replaced(xacro, "safe_eval", _guarded(xacro.safe_eval)),
        contextlib.redirect_stderr(said),
    ):
        xacro.init_stacks(str(assets.folder / "_"))  # includes are named from the folder of the file
        try:
            made: str = XacroDoc.from_string(_decoded(data), subargs=given, resolve_packages=False).dom.toxml()
        except Exception as problem:  # of any class, from expressions
            raise ModelError(f"{source}: xacro: {_why(problem, xacro)}") from None
        finally:
            xacro.init_stacks(None)
    _refuse_unknown(source, arguments, given)
    if said.getvalue().strip():
        warn(f"{source}: xacro: {printable(' '.join(said.getvalue().split()))}")
    return made.encode()


def refuse_escapes(expression: str) -> None:
    """An error for an expression by which the sandbox of xacro can be left.

    >>> refuse_escapes("2 * pi * radius")
    >>> refuse_escapes("[x.__class__ for x in (1,)]")
    Traceback (most recent call last):
    loadpath.errors.ModelError: the expression '[x.__class__ for x in (1,)]' uses '__class__': refused
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError):  # xacro says what is wrong with it
        return
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if "__" in name or name in _INSIDES:
            raise ModelError(f"the expression '{expression.strip()}' uses '{name}': refused")


class _Asked(dict[str, str]):
    """Arguments that remember which of them a file asks for."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


class _Finder:
    """What stands in for the finder of packages of xacrodoc."""

    def __init__(self, assets: Assets) -> None:
        self.assets = assets

    def get_path(self, name: str) -> str:
        found = self.assets.package(name)
        if found is None:
            raise ModelError(f"package '{name}' is not found: give its folder, lp.load(..., package_paths=[...])")
        return found


def _texts(arguments: Mapping[str, object]) -> dict[str, str]:
    """Arguments as xacro takes them."""
    for name, value in arguments.items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise ValueError(f"xacro_arguments has {name!r}: {value!r}; expected names with texts or numbers, like "
                             "{'prefix': 'left_'}")  # fmt: skip
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def _refuse_unknown(source: str, arguments: Mapping[str, object], given: _Asked) -> None:
    for name in arguments:
        if name not in given.asked:
            known = ", ".join(f"'{other}'" for other in sorted(given.asked)) or "none"
            raise ValueError(f"{source}: xacro_arguments has '{name}', which the file does not ask for; it asks for "
                             f"{known}")  # fmt: skip


def _decoded(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16") if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig",):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise ModelError("the file is not in UTF-8: save it in UTF-8")


def _why(problem: Exception, xacro: ModuleType) -> str:
    """What xacro said, and where in macros and included files."""
    # An error of xacro may carry another one, whose words it often repeats.
    own = " ".join(str(part) for part in problem.args[:1] if part is not None)
    carried = str(getattr(problem, "exc", None) or "")
    suffix = str(getattr(problem, "suffix", None) or "")
    own = own.removeprefix(f"{ModelError}: ")
    repeated = carried in own or carried.endswith(f"'{own.rpartition(': ')[2]}'")
    words = " ".join(f"{own} {'' if repeated else carried} {suffix}".split()) or type(problem).__name__
    if words.startswith("unbound prefix"):
        words += f': write <robot xmlns:xacro="{_NAMESPACE}" ...>'
    macros = [f"macro '{macro.name}'" for macro in (xacro.macrostack or [])[-1:] if getattr(macro, "name", "")]
    files = [file for file in (xacro.filestack or [])[1:][-1:] if file]
    where = ", ".join([*macros, *files])
    return f"{words} (in {where})" if where else words


def _guarded(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """The evaluation of xacro, which refuses escapes first."""

    def guarded(expression: str, *names: Any, **named: Any) -> Any:
        refuse_escapes(expression)
        return evaluate(expression, *names, **named)

    return guarded


@contextlib.contextmanager
def _replaced(module: ModuleType, name: str, value: object) -> Iterator[None]:
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, kept)
