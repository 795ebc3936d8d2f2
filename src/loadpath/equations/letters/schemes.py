"""The letters of each source, as rules for any robot.

| | default | `course` | `angeles` | `lecture` | `lau` |
|---|---|---|---|---|---|
| angle and its rates | q, qdot, qddot | q, qdot, qddot | theta, thetadot, thetaddot | theta, ... | theta, w, alpha |
| slide and its rates | q, ... | q, ... | b, bdot, bddot | d, ddot, dddot | d, u, a |
| numbered by | coordinate | coordinate | link | link | link |
| mass | m | m | m | m | M |
| mass center | c, from the link's frame | c | rho, from the joint | r | p |
| moments of inertia | I | I | I | I | I |
| from joint to joint | l | l | a | l | d |
| a, d, alpha of a DH table | a, d, alpha | a, d, alpha | a, b, alpha | a, d, alpha | a, c, phi |
| force of a drive | tau | lambda | tau | tau | tau |

Sources: the notes of the course MECEE 4602; J. Angeles, chapter 7; the lecture notes on Lagrange-Euler and
Newton-Euler (their DH matrices, table 3.2); To-Choi Lau's thesis (his w is the angular velocity, alpha the angular
acceleration; his list of notation has them exchanged).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scheme:
    """The letters of a source."""

    name: str
    angle: str = "q"
    angle_rate: str = ""
    """Letter of the speed; without one it is the coordinate's with a dot."""
    angle_acceleration: str = ""
    slide: str = "q"
    slide_rate: str = ""
    slide_acceleration: str = ""
    numbered_by_link: bool = False
    """Whether coordinates have the number of the link they move; otherwise they are counted."""
    mass: str = "m"
    center: str = "c"
    center_from_joint: bool = False
    """Whether mass centers are measured from the origin of the joint, not from that of the link's frame."""
    moment: str = "I"
    length: str = "l"
    offsets: tuple[str, str, str] = ("a", "e", "d")
    """From the joint to the link's frame, along its x, y, z: a and d of a standard DH table."""
    turn: str = "alpha"
    viscous: str = "b"
    coulomb: str = "f"
    rotor: str = "J"
    edges: tuple[str, str] = ("w", "t")
    """Width and thickness of a bar, where its inertia is that of one."""
    force: str = "tau"
    heads: Mapping[str, str] = field(default_factory=dict)
    """What the source calls the matrices, by the name of the object."""


DEFAULT = Scheme("default")

SCHEMES: dict[str, Scheme] = {
    "course": Scheme("course", force="lambda", heads={"torques": r"\lambda"}),
    "angeles": Scheme(
        "angeles", angle="theta", slide="b", numbered_by_link=True, center="rho", center_from_joint=True,
        length="a", offsets=("a", "e", "b"), viscous="beta", heads={"mass_matrix": "I"},
    ),
    "lecture": Scheme(
        "lecture", angle="theta", slide="d", numbered_by_link=True, center="r",
        heads={"mass_matrix": "D", "velocity_forces": "h", "gravity": "c"},
    ),
    "lau": Scheme(
        "lau", angle="theta", angle_rate="w", angle_acceleration="alpha", slide="d", slide_rate="u",
        slide_acceleration="a", numbered_by_link=True, mass="M", center="p", length="d", offsets=("a", "b", "c"),
        turn="phi", viscous="b", edges=("e", "t"), heads={"mass_matrix": "D"},
    ),
}
"""By the name that `letters=` takes."""
