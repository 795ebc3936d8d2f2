"""The equations of the sources, one file each, over any scalar.

A formulation is a plain function of a `Mechanism` and of arrays of scalars; it knows nothing of how it is run.
"""
