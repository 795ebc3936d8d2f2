"""The equations of closed chains: a spanning tree, and loops whose joints hold some directions of relative motion.

Rows: `paths`, `relative_motion`, `held`, `rows`, `closure`. Their factors: `columns`, `completion`. Forces: `drives`,
`inverse_dynamics`, `reactions`. Accelerations: `forward_dynamics`. In the driven speeds: `driven`. What tells whether a
result can be trusted: `status`.
"""
