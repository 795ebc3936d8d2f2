"""What a page needs to answer "what if": everything that it draws, in one WebAssembly module.

| argument | for | shape |
|---|---|---|
| `q`, `qd`, `qdd` | each state | (nq,), (n,), (n,) |
| `external` | each state, if links are named | (links, 6): force, then torque |
| `base_velocity`, `base_acceleration` | each state, if asked for | (6,) |
| `payload_mass` (after the link's name) | all states | () |
| `gravity` | all states | (3,) |

A motion that runs `s` times as fast has the speeds `s qd` and the accelerations `s^2 qdd`, which the page makes itself.

| result | quantity | shape |
|---|---|---|
| `tau` | `inverse_dynamics` | (n,) |
| `force`, `torque` | `joint_wrenches` | (joints, 3), in the order of `kernel.robot.joint_names` |
| `link_poses` | `link_poses` | (links, 4, 4), in the order of `kernel.robot.link_names` |
| `values`, `friction`, `rotor` | `load_terms` | (terms, 6), (n,), (n,); the terms are `index_of(kernel.robot).terms` |
| `status` | of closed chains | (entries,), as in `algorithms.loops.status.Status` |

A result whose name another one has already is called after its quantity too: `base_wrench_force`,
`joint_wrenches_status`.

Every array of a batch has the states one after the other, in C order. In the page, `loadpath.load(bytes)` makes a
kernel (`kernel.packed` of Python is text for `loadpath.unpack`, which gives the bytes), and
`kernel.run({q, qd, qdd, payload_mass, gravity}, count)` an object of Float64Arrays by these names.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.exports.request import ExternalLinks, request
from loadpath.exports.webassembly.kernel import WebAssemblyKernel, kernel_of, together
from loadpath.robot.model import RobotModel

LOADS = ("inverse_dynamics", "joint_wrenches", "link_poses")
"""Quantities that a page shows of every state; `load_terms` splits them by cause, in a module ten times as large."""


def page_kernel(
    robot: RobotModel,
    quantities: Sequence[str] = LOADS,
    *,
    parameters: Sequence[str] = ("payload.mass", "gravity"),
    external: ExternalLinks = (),
    arrays: Sequence[str] = (),
) -> WebAssemblyKernel:
    """Several quantities of a robot in one module, with constants of the robot as arguments. External wrenches and
    `arrays` go to the quantities that take them.

    >>> import loadpath as lp
    >>> page_kernel(lp.catalog.two_link().with_payload(0.0)).inputs[-1]
    Operand(name='gravity', shape=(3,))
    """
    asked = []
    for name in quantities:
        kind = request(robot, name).quantity
        given = [key for key in arrays if key in kind.optional]
        links = external if kind.takes_external else ()
        asked.append(request(robot, name, external=links, arrays=given, parameters=parameters))
    return kernel_of("_and_".join(quantities), asked[0].robot, together(asked))
