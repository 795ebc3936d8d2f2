"""How a formulation becomes a NumPy ufunc: trace, emit, jit, gufunc, cache."""
