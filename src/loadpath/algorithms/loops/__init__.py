"""The equations of closed chains: a spanning tree, and loops whose joints hold some directions of relative motion.

Rows: `paths`, `relative_motion`, `held`, `rows`, `residual`. Their factors: `columns`, `completion`. Forces: `drives`,
`inverse_dynamics`, `reactions`. Accelerations: `forward_dynamics`. In the driven speeds: `driven`. What says whether a
result can be trusted: `status`.
"""

from loadpath.algorithms.loops.completion import completion, speed_completion
from loadpath.algorithms.loops.residual import closure, closure_sizes
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate, held_directions

__all__ = [
    "closure",
    "closure_sizes",
    "completion",
    "constraint_jacobian",
    "constraint_rate",
    "held_directions",
    "speed_completion",
]
