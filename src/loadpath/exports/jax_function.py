"""A quantity as a pure function of JAX arrays: `jit`, `grad`, `jacfwd` and `vmap` work, on every device of JAX.

The function runs the tape of the compiled method, operation by operation, on JAX scalars. Under `vmap` each scalar is
the array of a whole batch.
"""

from __future__ import annotations

import operator
from collections import Counter, namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.exports.request import Request


def jax_function(request: Request) -> Callable[..., Any]:
    """The function of one state; `jax.vmap` makes it one of batches.

    Results have the dtype of the arguments. JAX makes float32 of all numbers unless
    `jax.config.update("jax_enable_x64", True)` was called first. Quantities with several results give a named tuple.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> asked = request(lp.catalog.two_link(), "gravity_forces")
    >>> import jax  # doctest: +SKIP
    >>> jax.jacfwd(jax_function(asked))(jax.numpy.zeros(2)).shape  # doctest: +SKIP
    (2, 2)
    """
    try:
        import jax.numpy as jnp
    except ImportError as problem:
        raise ImportError("JAX is not installed: pip install loadpath[jax]") from problem
    program = request.program()
    run = replay(program)
    inputs, outputs = program.inputs, program.outputs

    def function(*arguments: Any) -> Any:
        if len(arguments) != len(inputs):
            names = ", ".join(operand.name for operand in inputs)
            raise TypeError(f"{request.name} takes {names}: {len(arguments)} arguments were given")
        arrays = [_checked(request.name, a, operand) for a, operand in zip(arguments, inputs, strict=True)]
        dtype = jnp.result_type(*arrays)
        entries = [array.reshape(-1)[k] for array in arrays for k in range(array.size)]
        results = iter([jnp.asarray(value, dtype) for value in run(entries)])
        parts = [_array([next(results) for _ in range(o.size)], o.shape, dtype) for o in outputs]
        return parts[0] if len(parts) == 1 else _named(request, outputs, parts)

    function.__name__ = function.__qualname__ = request.name
    function.__doc__ = f"{request.name} of robot '{request.robot.name}', of one state, for JAX."
    return function


def replay(program: Program) -> Callable[[Sequence[Any]], list[Any]]:
    """The program as a function from the entries of all arguments to those of all results."""
    tape = read_tape(program)
    steps = tape.steps()
    uses = Counter(argument for _, _, arguments in steps for argument in arguments)

    def run(entries: Sequence[Any]) -> list[Any]:
        functions = _functions()
        values: dict[int, Any] = {**dict(enumerate(entries)), **tape.constants}
        one = _opaque_one(entries[0]) if entries else 1.0
        for value, name, arguments in steps:
            result = functions[name](*(values[argument] for argument in arguments))
            values[value] = result / one if uses[value] > 1 else result
        return [values[value] for value in tape.outputs]

    return run


def _opaque_one(x: Any) -> Any:
    """A one that XLA does not recognise on a CPU (NaN where x is NaN).

    XLA computes a cheap value anew in every fused loop that needs it, and all values that it needs in turn, so a long
    chain of scalars takes a hundred times its operations. Behind a division it keeps the value. Elsewhere it is a
    plain one: on an accelerator computing anew is cheaper than many small loops.
    """
    import jax.numpy as jnp
    from jax import lax

    return lax.platform_dependent(x, cpu=lambda x: jnp.where(jnp.isnan(x), x, 1.0), default=jnp.ones_like)


def _functions() -> dict[str, Callable[..., Any]]:
    """What JAX does for each operation of a tape."""
    import jax.numpy as jnp
    from jax import lax

    def number(condition: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *values: jnp.where(condition(*values), 1.0, 0.0)

    inverse = "asin acos atan atan2 asinh acosh atanh"
    same = "sqrt sign fmin fmax sin cos tan sinh cosh tanh exp log log1p expm1 hypot fmod floor ceil copysign"
    return {
        **{name: getattr(jnp, name) for name in same.split()},
        **{name: getattr(jnp, f"arc{name[1:]}") for name in inverse.split()},
        **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg")},
        **{name: number(getattr(operator, name)) for name in ("lt", "le", "eq", "ne")},
        "div": operator.truediv,
        "inv": lambda a: 1.0 / a,
        "sq": lambda a: a * a,
        "twice": lambda a: a + a,
        "fabs": jnp.abs,
        "pow": jnp.power,
        "constpow": jnp.power,
        "erf": lax.erf,
        "remainder": lambda a, b: a - b * jnp.round(a / b),
        "not": number(lambda a: a == 0),
        "and": number(lambda a, b: (a != 0) & (b != 0)),
        "or": number(lambda a, b: (a != 0) | (b != 0)),
        "if_else_zero": lambda a, b: jnp.where(a != 0, b, 0.0),
    }


def _checked(name: str, value: Any, operand: Operand) -> Any:
    """The argument as a JAX array of floats with the core shape."""
    import jax.numpy as jnp

    array = jnp.asarray(value)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        if not jnp.issubdtype(array.dtype, jnp.integer):
            raise ValueError(f"{name}: '{operand.name}' has the dtype {array.dtype}: expected real numbers")
        array = array.astype(jnp.result_type(float))
    if array.shape != operand.shape:
        raise ValueError(f"{name}: '{operand.name}' has the shape {array.shape}: expected {operand.shape}; "
                         "for batches use jax.vmap")
    return array


def _array(entries: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
    import jax.numpy as jnp

    return jnp.stack(entries).reshape(shape) if entries else jnp.zeros(shape, dtype)


def _named(request: Request, outputs: tuple[Operand, ...], parts: list[Any]) -> Any:
    """Several results as the compiled method names them, in a tuple, which is what JAX can look into."""
    wrap = request.quantity.wrap if not request.has_status else None  # which labels results without their status
    wrapped = wrap(request.robot, *parts) if wrap is not None else None
    if isinstance(wrapped, tuple):
        return wrapped
    kind: Any = namedtuple("Results", [operand.name for operand in outputs])  # type: ignore[misc]
    return kind(*parts)
