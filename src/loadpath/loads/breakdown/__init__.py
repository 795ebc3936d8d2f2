"""Every joint wrench by cause: the terms, their index, tables, plots, and reductions over many states."""
