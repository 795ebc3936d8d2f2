"""Where a number of the page comes from, as its scripts read it.

A cell's binding is `quantity column take`: `drive 2 rms` is the RMS of what the third drive gives.

| quantity | columns | |
|---|---|---|
| `drive`, `speed`, `acceleration`, `power` | degrees of freedom | as in `PeakLoads` |
| `components`, `resultants` | six a joint: joint times six, and the number of the component or resultant | as in `PeakLoads` |
| `mount` | the six components of the base wrench, force across, tilting moment | |
| `position` | coordinates of q | |
| `work` | degrees of freedom | `done`, `returned` |

`take` is a field of `Statistics`, `peak` (the value of largest magnitude, with its time), `maximum`, `minimum` (with
their times), `given` and `taken` (of power), or `share` (of the limit of effort or speed).
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadpath.loads.resultants import RESULTANTS
from loadpath.plotting import label
from loadpath.quantities.wrench import COMPONENTS


def of_joint(joint: int, quantity: str, take: str = "peak") -> str:
    """The binding of a component or resultant of a joint's wrench.

    >>> of_joint(2, "radial_force"), of_joint(0, "torque_x", "rms")
    ('resultants 13 peak', 'components 3 rms')
    """
    group, names = ("components", COMPONENTS) if quantity in COMPONENTS else ("resultants", RESULTANTS)
    return f"{group} {6 * joint + names.index(quantity)} {take}"


def curves(quantity: str, columns: Sequence[tuple[str, int | None]], per: str = "") -> dict[str, Any]:
    """The binding of a chart of lines: a quantity's columns by the names of their curves, `per` the limit of "effort"
    or "speed" that they are shares of.

    >>> curves("drive", [("joint1", 0)])
    {'quantity': 'drive', 'columns': [{'name': 'joint1', 'column': 0}]}
    """
    found: dict[str, Any] = {"quantity": quantity, "columns": [{"name": label(n), "column": k} for n, k in columns]}
    return {**found, "per": per} if per else found


def stack(joint: int, component: str, shown: str) -> dict[str, Any]:
    """The binding of a chart of a joint's load by cause; `shown` is the component that the joint's sentence is about.

    >>> stack(0, "torque_z", "torque_z")["quantity"]
    'causes'
    """
    return {"quantity": "causes", "joint": joint, "component": component, "shown": shown}
