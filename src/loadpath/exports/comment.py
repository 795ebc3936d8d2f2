"""The comment above exported source: what the function computes, of which robot, and how its arrays are laid out."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from loadpath._version import __version__
from loadpath.algorithms.loops.status import Status
from loadpath.engine.program import Operand, Program
from loadpath.engine.trace import count
from loadpath.exports.request import Request

_WIDTH = 110


def comment_safe(text: str) -> str:
    """Text that cannot end the comment it stands in, begin another, be something else to a preprocessor, or end the
    script of a page that the source is put into.

    >>> comment_safe("arm */ int x; /* ??/ \\\\ \\n")
    'arm * / int x; / * ? ?/ <U+005C> <U+000A>'
    """
    text = re.sub(r"[^ -\[\]-~]", lambda found: f"<U+{ord(found.group()):04X}>", text)
    text = text.replace("</", "< /").replace("<!", "< !")
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace("??", "? ?")


def comment(request: Request, program: Program, results: str, language: str) -> str:
    """The whole comment; nothing in it depends on when or where it is made. `results` are the words above them,
    `language` those on how the source is used.
    """
    robot, variant = request.robot, request.variant
    inputs, outputs = request.quantity.signature.split("->")
    lines = [f"{request.name} of the robot '{robot.name}'", ""]
    if variant.link is not None:
        lines[0] += f", link '{variant.link}'"
    for key, value in variant.choices:
        lines[0] += f", {key} {value!r}"
    lines += [_description(request), "", "Arguments:"]
    lines += [_told(operand) for operand in program.inputs]
    lines += [f"{results}:"]
    lines += [_told(operand) for operand in program.outputs]
    lines += ["", "Arrays are in C order: the last index runs fastest. SI units, angles in radians."]
    given = {parameter.operand.name: parameter.description for parameter in request.parameters}
    if "gravity" not in given:
        lines.append(f"Gravity (m/s^2, world axes): {', '.join(f'{g:g}' for g in robot.gravity)}.")
    lines += [f"Argument {name}: {description}." for name, description in given.items()]
    if "q" in inputs or "x" in inputs:
        slices = (f"{_range(at)} {name}" for name, at in robot.q_slices.items() if robot.joint(name).mimic is None)
        lines.append(_listed("Coordinates q (a quaternion is x, y, z, w)", slices))
    lines.append(_listed("Speeds", (f"{k} {name}" for k, name in enumerate(robot.dof_names))))
    if "j" in outputs:
        lines.append(_listed("Joints", (f"{k} {name}" for k, name in enumerate(robot.joint_names))))
    if "w" in outputs:
        lines.append(_listed("Joints, then loops", (f"{k} {name}" for k, name in enumerate(robot.closed_joint_names))))
    if "(c" in outputs:
        lines.append(_listed("Loops, then couplings", (f"{k} {name}" for k, name in enumerate(robot.closing_names))))
    if request.has_status:
        entries = (f"{k} {name}" for k, name in enumerate(Status._fields))
        lines.append(_listed("Status: how far the loops are open (m, rad), speed and acceleration that they forbid, "
                             "each with its scale, and the pivot (1 good, 0 at a dead point)", entries))
    if "l" in outputs or "p" in outputs:
        lines.append(_listed("Links", (f"{k} {name}" for k, name in enumerate(robot.link_names))))
    if variant.external:
        wrenches = (
            f"{k} {link} ({'world' if world else 'link'} axes)" for k, (link, world) in enumerate(variant.external)
        )
        lines.append(_listed("External wrenches (force, then torque, at the link's origin) on", wrenches))
    lines += ["", f"{count(program)}. Made by loadpath {__version__}; {language}."]
    wrapped = [part for line in lines for part in _wrapped(line)]
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in wrapped), " */", ""])


def _description(request: Request) -> str:
    """The first paragraph of the quantity's documentation."""
    first = (request.quantity.__doc__ or "").split("\n\n", maxsplit=1)[0]
    return " ".join(first.split())


def _told(operand: Operand) -> str:
    return f"    {operand.name}{''.join(f'[{size}]' for size in operand.shape) or '[1]'}"


def _range(at: slice) -> str:
    return str(at.start) if at.stop == at.start + 1 else f"{at.start}-{at.stop - 1}"


def _listed(what: str, entries: Iterable[str]) -> str:
    return f"{what}: {', '.join(entries) or 'none'}."


def _wrapped(line: str) -> list[str]:
    safe = comment_safe(line)
    later = "    " if line.startswith("    ") else "  "
    return textwrap.wrap(safe, _WIDTH, subsequent_indent=later, break_on_hyphens=False) or [""]
