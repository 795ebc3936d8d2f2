"""Ways out to the ecosystem: any compiled quantity as a CasADi function, as C source, as a JAX function.

All three are made from the program that the compiled method runs (`engine.trace`), so they compute the same numbers.
They take one state (CasADi's `map` and `jax.vmap` make batches) and return what the equations give: checks of results
that a compiled method makes, like that of an infinite operational-space inertia, are left to the caller.
"""
