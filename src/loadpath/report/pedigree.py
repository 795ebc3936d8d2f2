"""Where the data of a robot come from, in one word each: as said by `robot.with_pedigree`, else as far as is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from loadpath.motion import Motion
from loadpath.report.blocks import Cell, Table
from loadpath.robot.model import RobotModel
from loadpath.robot.pedigree import pedigree_of

NOT_SAID = "not said"


def pedigree_table(robot: RobotModel, motion: Motion, sources: Mapping[str, str | Sequence[str]]) -> Table:
    """A row for each kind of data that the robot has.

    >>> from loadpath.robot.catalog import planar
    >>> from loadpath.motion import Motion
    >>> arm = planar(1)
    >>> [row[:2] for row in pedigree_table(arm, Motion.swing(arm), {}).rows]  # doctest: +ELLIPSIS
    [['masses and mass centers', 'not said'], ['friction', 'default'], ['rotor inertias', 'default'], ...]
    """
    said = dict(robot.pedigrees)
    origin = sources.get("Robot from", "")
    whole = origin if isinstance(origin, str) else ", ".join(origin)
    of_file = ("catalogue" if whole.startswith("the catalog") else "file", whole) if whole else (NOT_SAID, "")
    rows: list[list[Cell]] = []

    def put(what: str, of: str, known: tuple[str, str]) -> None:
        source = said.get(of, "")
        rows.append([what, *((pedigree_of(source), source) if source else known)])

    guessed = [link for link in robot.guessed_masses if link in robot.link_names]
    others = [f"'{link}'" for link in guessed]
    masses = of_file if not guessed else (of_file[0], f"{of_file[1]}; estimated: {', '.join(others)}".lstrip("; "))
    put("masses and mass centers", "masses", masses)
    if any(joint.child.startswith("payload") and not joint.motion.dof for joint in robot.joints):
        put("payload", "payload", ("estimated", "a guess") if guessed else (NOT_SAID, ""))
    rubs = any(np.any(joint.viscous_friction) or np.any(joint.coulomb_friction) for joint in robot.joints)
    put("friction", "friction", of_file if rubs else ("default", "none"))
    turns = any(np.any(joint.reflected_inertia) for joint in robot.joints)
    put("rotor inertias", "rotors", of_file if turns else ("default", "none"))
    limits = [limit for joint in robot.joints for limit in joint.limits]
    if any(np.isfinite(limit.effort) or np.isfinite(limit.velocity) for limit in limits):
        guess = any(limit.guess for limit in limits)
        put("limits", "limits", ("estimated", "a guess") if guess else of_file)
    if robot.beams:
        guess = any(beam.guess for _, beam in robot.beams)
        put("beams", "beams", ("estimated", "a guess") if guess else (NOT_SAID, ""))
    if robot.wheeled_base is not None:
        put("base and wheels", "wheels", ("estimated", "a guess") if robot.wheeled_base.guess else (NOT_SAID, ""))
    words = sources.get("Motion from", motion.source)
    words = words if isinstance(words, str) else ", ".join(words)
    kind = "default" if motion.invented else "file" if words else NOT_SAID
    rows.append(["motion", kind, words])
    note = "Said by robot.with_pedigree(...) or [pedigree] of a project file; what is not said is what is known of it."
    return Table("Where the data of the robot come from", ["data", "pedigree", "from"], rows, note, left=3, steady=True)
