"""From addresses of compiled loops to a NumPy generalized ufunc, through NumPy's C interface.

NumPy keeps bare pointers to everything that it is given here: the loops, the table of types, name and
documentation. All of it, and the library that the loops live in, is tied to the ufunc itself (to the field
`obj` that NumPy releases when it deletes a ufunc). So a ufunc is safe for as long as anybody holds it, and
its machine code goes when it goes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

Shape = tuple[int, ...]

TYPE_NUMBERS = {"f4": 11, "f8": 12}  # NPY_FLOAT, NPY_DOUBLE
FROM_SIGNATURE = 31  # place of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of functions
NO_IDENTITY = -1
SIZE_INFERRED = 0x0002

_kept_forever: list[Any] = []


class _UFuncHead(ctypes.Structure):
    """The first fields of NumPy's PyUFuncObject (numpy/ufuncobject.h), the same since NumPy 1.16."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("ntypes", ctypes.c_int),
        ("reserved1", ctypes.c_int),
        ("name", ctypes.c_void_p),
        ("types", ctypes.c_void_p),
        ("doc", ctypes.c_void_p),
        ("ptr", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("userloops", ctypes.c_void_p),
        ("core_enabled", ctypes.c_int),
        ("core_num_dim_ix", ctypes.c_int),
        ("core_num_dims", ctypes.c_void_p),
        ("core_dim_ixs", ctypes.POINTER(ctypes.c_int)),
        ("core_offsets", ctypes.c_void_p),
        ("core_signature", ctypes.c_void_p),
        ("type_resolver", ctypes.c_void_p),
        ("dict", ctypes.c_void_p),
        ("vectorcall", ctypes.c_void_p),
        ("reserved3", ctypes.c_void_p),
        ("op_flags", ctypes.c_void_p),
        ("iter_flags", ctypes.c_uint32),
        ("core_dim_sizes", ctypes.POINTER(ctypes.c_ssize_t)),
        ("core_dim_flags", ctypes.POINTER(ctypes.c_uint32)),
    )


def signature(inputs: Sequence[Shape], outputs: Sequence[Shape]) -> str:
    """NumPy's notation for core shapes, sizes as numbers, so that NumPy refuses wrong ones.

    >>> signature([(7,), ()], [(6, 7)])
    '(7),()->(6,7)'

    NumPy has no notation for a size of zero; such an axis gets a name (and its size later).

    >>> signature([(0, 3)], [(0,)])
    '(empty,3)->(empty)'
    """

    def listed(shapes: Sequence[Shape]) -> str:
        return ",".join(f"({','.join(str(size) if size else 'empty' for size in shape)})" for shape in shapes)

    return f"{listed(inputs)}->{listed(outputs)}"


def make_ufunc(
    name: str,
    doc: str,
    loops: Mapping[str, int],
    inputs: Sequence[Shape],
    outputs: Sequence[Shape],
    owner: object = None,
    contexts: Mapping[str, int] = MappingProxyType({}),
) -> np.ufunc:
    """A ufunc from the addresses of its loops by type ("f4", "f8") and the core shapes of its operands.

    Types are tried in the order f4, f8, so that float32 stays float32 and everything else becomes float64.
    `contexts` are addresses that NumPy hands to the loops as their last argument, where they need one. `owner` is
    whatever must live as long as the loops are called, such as the library they come from.
    """
    codes = [code for code in TYPE_NUMBERS if code in loops]
    operands = len(inputs) + len(outputs)
    functions = (ctypes.c_void_p * len(codes))(*(loops[code] for code in codes))
    data = (ctypes.c_void_p * len(codes))(*(contexts.get(code) for code in codes))
    types = ctypes.create_string_buffer(bytes(TYPE_NUMBERS[c] for c in codes for _ in range(operands)))
    texts = [ctypes.create_string_buffer(t.encode()) for t in (name, doc, signature(inputs, outputs))]
    ufunc: np.ufunc = _from_signature()(
        functions,
        data,
        types,
        len(codes),
        len(inputs),
        len(outputs),
        NO_IDENTITY,
        texts[0],
        texts[1],
        0,
        texts[2],
    )
    head = _UFuncHead.from_address(id(ufunc))
    belongings = (functions, data, types, texts, owner)
    if _understands(head, ufunc, functions, types):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(belongings))
        head.obj = id(belongings)
        _fix_empty_axes(head, [*inputs, *outputs])
    else:
        # A NumPy of another layout: better to keep all of it for good than to write to a wrong place.
        _kept_forever.append((ufunc, belongings))
    return ufunc


def _understands(head: _UFuncHead, ufunc: np.ufunc, functions: Any, types: Any) -> bool:
    """Whether this NumPy's fields are where we think: those that we know have the values that we gave."""
    return (
        (head.nin, head.nout, head.nargs, head.ntypes) == (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes)
        and head.functions == ctypes.addressof(functions)
        and head.types == ctypes.addressof(types)
        and head.core_enabled == 1
        and not head.obj
    )


def _fix_empty_axes(head: _UFuncHead, shapes: Sequence[Shape]) -> None:
    """Set the size of axes of size zero, which the signature cannot say."""
    axes = [size for shape in shapes for size in shape]
    for position, size in enumerate(axes):
        if size == 0:
            axis = head.core_dim_ixs[position]
            head.core_dim_sizes[axis] = 0
            head.core_dim_flags[axis] &= ~SIZE_INFERRED


def _from_signature() -> Any:
    """PyUFunc_FromFuncAndDataAndSignature."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = get_pointer(_multiarray_umath._UFUNC_API, None)
    assert address is not None
    table = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.c_void_p,  # functions
        ctypes.c_void_p,  # data
        ctypes.c_void_p,  # types
        ctypes.c_int,  # number of types
        ctypes.c_int,  # number of inputs
        ctypes.c_int,  # number of outputs
        ctypes.c_int,  # identity
        ctypes.c_void_p,  # name
        ctypes.c_void_p,  # documentation
        ctypes.c_int,  # unused
        ctypes.c_void_p,  # signature
    )
    return prototype(table[FROM_SIGNATURE])
