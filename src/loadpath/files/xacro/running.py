"""From a file of xacro to the XML that it makes."""

from __future__ import annotations

from collections.abc import Mapping

from loadpath.errors import ModelError, warn
from loadpath.files.assets import Assets
from loadpath.files.xacro.limits import LONGEST_MESSAGE
from loadpath.files.xacro.processing import PREFIX, Processor
from loadpath.files.xml_reading import XmlElement, read_xml
from loadpath.files.xml_writing import plain_xml
from loadpath.printable import clipped, printable

XACRO_ENDING = ".xacro"


def ends_as_xacro(source: str) -> bool:
    """Whether the name of a file asks for xacro.

    >>> ends_as_xacro("arm.urdf.xacro"), ends_as_xacro("arm.xacro.gz"), ends_as_xacro("arm.urdf")
    (True, True, False)
    """
    return source.lower().endswith((XACRO_ENDING, XACRO_ENDING + ".gz"))


def has_xacro(root: XmlElement) -> bool:
    """Whether there are elements of xacro in a file.

    >>> has_xacro(read_xml("<robot name='r'><xacro:macro name='arm'/></robot>", "arm.urdf"))
    True
    """
    return any(element.tag.startswith(PREFIX) for element in root.everything())


def run_xacro(data: bytes, source: str, assets: Assets, arguments: Mapping[str, object]) -> bytes:
    """The XML that a file of xacro makes. `arguments` are what `<xacro:arg>` is to be.

    >>> run_xacro(b"<robot name='${2 * 3}'/>", "arm.xacro", Assets(), {}).decode()
    '<robot name="6"/>\\n'
    """
    root = read_xml(data, source)
    processor = Processor(source, assets, _texts(arguments))
    try:
        made = plain_xml(processor.expanded(root))
    except ModelError as problem:
        raise ModelError(f"{source}: xacro: {clipped(str(problem), LONGEST_MESSAGE)} {processor.place()}") from None
    except RecursionError:
        raise ModelError(f"{source}: xacro: it is nested too deeply {processor.place()}") from None
    _refuse_unknown(source, arguments, processor.asked)
    if processor.warnings:
        warn(f"{source}: xacro: {printable('; '.join(processor.warnings))}")
    return made.encode()


def _texts(arguments: Mapping[str, object]) -> dict[str, str]:
    """Arguments as xacro takes them."""
    for name, value in arguments.items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise ValueError(f"xacro_arguments has {name!r}: {value!r}; expected names with texts or numbers, like "
                             "{'prefix': 'left_'}")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def _refuse_unknown(source: str, arguments: Mapping[str, object], asked: set[str]) -> None:
    for name in arguments:
        if name not in asked:
            known = clipped(", ".join(f"'{other}'" for other in sorted(asked)), 400) or "none"
            raise ValueError(f"{source}: xacro_arguments has '{name}', which the file does not ask for; it asks for "
                             f"{known}")
