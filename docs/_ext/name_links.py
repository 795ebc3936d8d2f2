"""Names of the library in the text of any page, as `lp.Wrench` or `robot.peak_loads(...)`, lead to the reference."""

from __future__ import annotations

import functools
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import loadpath as lp
from docs._ext.reference.entries import Member, docstring, members
from docs._ext.reference.pages import BOOK_NAMES, shared_bases

CALL = re.compile(r"^((?:\w+\.)*\w+)(?:\(.*\))?$", re.DOTALL)
IN_LINKS = (nodes.reference, nodes.title, addnodes.pending_xref, addnodes.download_reference)
HOLDERS = {
    "robot": ("Robot", "FlexibleRobot", "ClosedRobot"),
    "arm": ("FlexibleRobot", "Robot"),
    "rover": ("Rover",),
    "base": ("WheeledBase",),
    "motion": ("Motion",),
    "Robot": ("Robot",),
}
"""What the names of variables in the pages stand for, in the order to look a method up."""


@functools.cache
def targets() -> dict[str, str]:
    """What may stand in a text, and the entry that it leads to."""
    found = {f"lp.{name}": f"loadpath.{name}" for name in lp.__all__ if name not in ("catalog", "__version__")}
    found |= {f"lp.catalog.{name}": f"loadpath.catalog.{name}" for name in lp.catalog.__all__}
    for variable, classes in HOLDERS.items():
        for cls in reversed(classes):
            for name, member in members(getattr(lp, cls)).items():
                if _has_entry(member):
                    own = not issubclass(getattr(lp, cls), lp.Robot) or name not in members(lp.Robot)
                    place = cls if own else "Robot"
                    found[f"{variable}.{name}"] = f"loadpath.{place}.{name}"
                    if place == "Robot" and "_" in name:
                        found[name] = f"loadpath.Robot.{name}"
    for book, path in BOOK_NAMES.items():
        for letter in book.places:
            for before in ("", "robot.", "arm.", "chain."):
                found[f"{before}{path}.{letter}"] = f"loadpath.{path}.{letter}"
    return found


def _has_entry(member: Member) -> bool:
    return bool(docstring(member)) and member.owner not in shared_bases()


class LinkNames(SphinxTransform):
    """Code in a line of text that is a name of the library becomes a link."""

    default_priority = 300

    def apply(self, **options: object) -> None:
        """Replaces those of one document."""
        for node in list(self.document.findall(nodes.literal)):
            if isinstance(node.parent, IN_LINKS):
                continue
            called = CALL.match(node.astext())
            target = targets().get(called[1]) if called else None
            if target is None:
                continue
            where = {"reftarget": target, "refdoc": self.env.docname}
            link = addnodes.pending_xref("", refdomain="py", reftype="obj", refexplicit=True, refwarn=True, **where)
            node.replace_self(link)
            link += node


def setup(app: Sphinx) -> dict[str, Any]:
    """Adds the transform."""
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
