"""Many designs, many states: what is largest over all of them."""
