"""The report answers back: what the page needs to compute its own numbers as its controls move.

A page carries the samples of the motion, the robot's equations as WebAssembly with the payload's mass and gravity for
arguments, and for each number the place where it comes from (`bindings`). Its scripts, in `templates/page`, put the
three together. Where that is not possible, the page says why, and shows what was computed.
"""
