"""The section on fatigue: how often the motion may be repeated until a beam cracks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from loadpath.motion import Motion
from loadpath.report.blocks import Figure, Section, Table
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.report.numbers import number
from loadpath.structure.fatigue import assessment
from loadpath.structure.quantities import ElasticQuantities

UNLIMITED = "unlimited"
_SUPERSCRIPTS = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def fatigue(arm: ElasticQuantities, motion: Motion, case: Mapping[str, Any]) -> Section:
    """The worst fibre of every beam, its damage and life in repetitions of the motion."""
    lead = (
        "The motion is repeated without end. Normal stress of every fibre, and torsion; cycles by rainflow, damage by "
        "Miner's rule with the S-N curve of the material, without notches or welds, which must be given to arm.fatigue."
    )
    own = Motion.from_checked(motion.t, motion.q, motion.qd, motion.qdd, arm)
    with collected_warnings() as said:
        found = asked_for(lambda: assessment.fatigue(arm, own, **case), said)
    if found is None:
        return Section("Fatigue", lead, (), (), said)
    rows = []
    for link, worst in found.by_link.items():
        life = _life(worst.life)
        causes = found.causes.get(link, {})
        drives = next(iter(causes), "") if worst.damage > 0 else ""
        rows.append([link, f"{worst.position:.3g}", worst.fibre, number(worst.largest_range / 1e6),
                     f"{worst.damage:.3g}", life, drives])
    columns = ["link", "at (m)", "fibre", "largest range (MPa)", "damage of one", "life (repetitions)", "driven by"]
    note = "The fibre of each link with the most damage, and the cause without which most of the damage would go."
    worst = found.worst
    life = _life(worst.life)
    where = f"link '{worst.link}', {worst.position:.3g} m along; largest range {number(worst.largest_range / 1e6)} MPa"
    figure = Figure("Fatigue life", life if life == UNLIMITED else f"{life} times", where, worst.life < 1)
    return Section("Fatigue", lead, [Table("Fatigue of the beams", columns, rows, note)], [figure], said)


def _life(repetitions: float) -> str:
    r"""Repetitions as a page shows them.

    >>> _life(1234.5), _life(math.inf)
    ('1234', 'unlimited')
    >>> ascii(_life(6.354e10))
    "'6.4 \\xd7 10\\xb9\\u2070'"
    """
    if math.isinf(repetitions):
        return UNLIMITED
    if repetitions < 1e6:
        return number(repetitions)
    digits, power = f"{repetitions:.1e}".split("e")
    return f"{digits} \N{MULTIPLICATION SIGN} 10{str(int(power)).translate(_SUPERSCRIPTS)}"
