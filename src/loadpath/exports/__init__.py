"""Ways out to the ecosystem: any compiled quantity as a CasADi function, C or JavaScript source, a JAX function, a
WebAssembly module.

All are made from the program that the compiled method runs (`engine.trace`), so they compute the same numbers. They
return what the equations give: checks of results that a compiled method makes, like that of an infinite
operational-space inertia, are left to the caller. CasADi, C and JAX functions take one state (CasADi's `map` and
`jax.vmap` make batches), JavaScript and WebAssembly batches. `parameters` makes arguments of constants of the robot.
"""
