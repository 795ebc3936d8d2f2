"""What equations are written in: small vectors, matrices and rotations over any kind of scalar.

A scalar may be a float, a NumPy or JAX batch array, a recorded value (`recording`, from which programs are
compiled), a SymPy expression, a CasADi `SX` or a counting scalar. Nothing here asks which, apart from
`functions`, which finds the sine that fits. Arrays of scalars are NumPy object arrays, made by `array` (never by
`numpy.array`, which would look inside a scalar that is itself an array).
"""

from loadpath.scalars.algebra import (
    LTDL,
    Array,
    Scalar,
    array,
    cross,
    dot,
    identity,
    inertia_tensor,
    is_zero,
    ltdl,
    outer,
    parallel_axis,
    point_tensor,
    scale,
    skew,
    symmetric_product,
    vector,
    zeros,
)
from loadpath.scalars.counting import Counter, CountingScalar, OperationCount
from loadpath.scalars.functions import atan2, cos, exp, sign, sin, sqrt
from loadpath.scalars.rotation import (
    IDENTITY,
    AxisTurn,
    MatrixRotation,
    Rotation,
    compose,
    merged,
    nearest_turn,
    rotation_from_matrix,
    turn_about,
    turn_by,
)

__all__ = [
    "IDENTITY",
    "LTDL",
    "Array",
    "AxisTurn",
    "Counter",
    "CountingScalar",
    "MatrixRotation",
    "OperationCount",
    "Rotation",
    "Scalar",
    "array",
    "atan2",
    "compose",
    "cos",
    "cross",
    "dot",
    "exp",
    "identity",
    "inertia_tensor",
    "is_zero",
    "ltdl",
    "merged",
    "nearest_turn",
    "outer",
    "parallel_axis",
    "point_tensor",
    "rotation_from_matrix",
    "scale",
    "sign",
    "sin",
    "skew",
    "sqrt",
    "symmetric_product",
    "turn_about",
    "turn_by",
    "vector",
    "zeros",
]
