"""How a formulation becomes a NumPy ufunc.

From `robot.inverse_dynamics` on, read `quantity`, `kernels`, `trace`, `llvm.emit`, `jit` and `gufunc`, in this order.
`arguments` reads calls, `identity` says which kernels are the same, `cache` keeps them on disk.
"""
