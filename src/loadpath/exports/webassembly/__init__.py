"""A program as a WebAssembly module: encoded here, byte by byte, from the tape that the compiled method is made from.

Two states go through the code at once, one in each lane of a 128-bit vector, so every value is an `f64x2`. The memory
has the scratch slots of the plan (16 bytes each), the constants (8 bytes each), and from `heap` on the caller's arrays.
"""
