"""The figures of the sources, drawn from the models: `python -m docs.source_figures [name ...]`.

Each module has functions decorated with `@figure("name")` that return a Matplotlib figure. They are written to
docs/images/sources/name.svg. Needs matplotlib, which loadpath itself does not.
"""
