"""A rover as tables, for notebooks: what it stands on, and the robots that it carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath import html
from loadpath.drawing.robot_table import html_of as html_of_robot
from loadpath.printable import printable
from loadpath.robot.wheels.contacts import Wheel

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def html_of(rover: Rover) -> str:
    """What a notebook shows of a rover.

    >>> import loadpath as lp
    >>> "caster" in html_of(lp.catalog.lau_rover())
    True
    """
    columns = ["contact", "type", "x (m)", "y (m)", "radius (m)", "driven"]
    rows = []
    for name, contact in zip(rover.contact_names, rover.base.wheels, strict=True):
        wheel = [f"{contact.radius:.4g}", "yes" if contact.driven else "no"] if isinstance(contact, Wheel) else ["", ""]
        rows.append([printable(name), contact.kind, *(f"{x:.4g}" for x in contact.position), *wheel])
    slope = f", on a slope of {rover.ground.slope:.4g} rad" if rover.ground.slope else ""
    title = f"{printable(rover.name)}: base of {rover.base.mass:.4g} kg on {len(rows)} contacts{slope}"
    made = html.table(title, columns, rows, left=2)
    return made + (html_of_robot(rover.robot) if rover.n else "")
