"""A short way in for one state: a function that Python calls directly, without NumPy's machinery for batches.

A ufunc spends about a microsecond on finding out shapes, types and loops before any number is computed. For plain
float64 arrays of exactly the core shapes there is nothing to find out, so a second entry beside the loop checks just
that and calls the loop. Whatever else it is given it hands to the general method, unseen.

The entry is a C function in Python's own calling convention (METH_FASTCALL with keywords). It reads NumPy's array
header, whose first fields are part of NumPy's binary interface.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.engine.program import Operand
from loadpath.robot.arrays import LONGEST, SHORTEST

HEAD = object.__basicsize__
"""Bytes before an object's own fields; the last of them is the pointer to its type."""

# Fields of NumPy's PyArrayObject, in bytes behind the head (numpy/ndarraytypes.h, the same since NumPy 1.7).
DATA, DIMENSIONS_COUNT, DIMENSIONS, STRIDES, DESCRIPTOR, FLAGS = 0, 8, 16, 24, 40, 48
ALIGNED = 0x0100
DOUBLE = 12
ARRAY_NEW = 93  # place of PyArray_New in NumPy's table of functions
METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002

CONTEXT = ("array_type", "double", "array_new", "vectorcall")


def has_direct_entry(inputs: Sequence[Operand], outputs: Sequence[Operand]) -> bool:
    """Whether the short way is there: vectors in, one array out, and nothing of size zero."""
    return (
        len(outputs) == 1
        and len(outputs[0].shape) > 0
        and all(len(operand.shape) == 1 for operand in inputs)
        and all(operand.size for operand in (*inputs, *outputs))
    )


def direct_entry(name: str, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """LLVM assembly of the entry `{name}_direct` and of the table `{name}_context` that `bind` fills."""
    operands = len(inputs) + 1
    shape = outputs[0].shape
    strides = [8 * math.prod(shape[d + 1 :]) for d in range(len(shape))]
    steps = operands + len(inputs) + len(shape)
    lines = [f"  %right = icmp eq i64 %count, {len(inputs)}", "  %bare = icmp eq ptr %names, null",
             "  %plain = and i1 %right, %bare", "  br i1 %plain, label %check0, label %general"]
    for k, operand in enumerate(inputs):
        after = f"check{k + 1}" if k + 1 < len(inputs) else "allocate"
        turned = [f"turned{k}.{number}" for number in range(len(operand.quaternions))]
        lines += _check(k, operand.shape[0], [*turned, after][0])
        for number, start in enumerate(operand.quaternions):
            lines += _check_quaternion(k, start, turned[number], [*turned, after][number + 1])
    sizes = ", ".join(f"i64 {size}" for size in shape)
    lines += [
        "allocate:",
        '  %new.at = getelementptr ptr, ptr @"' + name + '_context", i64 2',
        "  %new = load ptr, ptr %new.at",
        f'  %result = call ptr %new(ptr %array_type, i32 {len(shape)}, ptr @"{name}_sizes", i32 {DOUBLE}, '
        "ptr null, ptr null, i32 0, i32 0, ptr null)",
        "  %failed = icmp eq ptr %result, null",
        "  br i1 %failed, label %end, label %compute",
        "compute:",
        f"  %result.data = getelementptr i8, ptr %result, i64 {HEAD + DATA}",
        "  %written = load ptr, ptr %result.data",
    ]
    for k in range(len(inputs)):
        lines += [f"  %d{k} = getelementptr ptr, ptr %data, i64 {k}", f"  store ptr %a{k}.values, ptr %d{k}"]
    lines += [f"  %d{operands - 1} = getelementptr ptr, ptr %data, i64 {operands - 1}",
              f"  store ptr %written, ptr %d{operands - 1}"]
    values = ["0"] * operands + [f"%a{k}.stride" for k in range(len(inputs))] + [str(s) for s in strides]
    for k, value in enumerate(values):
        lines += [f"  %s{k} = getelementptr i64, ptr %steps, i64 {k}", f"  store i64 {value}, ptr %s{k}"]
    lines += [
        f'  call void @"{name}_f8"(ptr %data, ptr @"{name}_one", ptr %steps, ptr null)',
        "  br label %end",
        "general:",
        '  %call.at = getelementptr ptr, ptr @"' + name + '_context", i64 3',
        "  %vectorcall = load ptr, ptr %call.at",
        "  %other = call ptr %vectorcall(ptr %self, ptr %args, i64 %count, ptr %names)",
        "  br label %end",
        "end:",
        "  %answer = phi ptr [%result, %allocate], [%result, %compute], [%other, %general]",
        "  ret ptr %answer",
    ]
    body = "\n".join(lines)
    return f"""
@"{name}_context" = global [{len(CONTEXT)} x ptr] zeroinitializer
@"{name}_one" = internal constant [1 x i64] [i64 1]
@"{name}_sizes" = internal constant [{len(shape)} x i64] [{sizes}]
define ptr @"{name}_direct"(ptr %self, ptr %args, i64 %count, ptr %names) {{
begin:
  %data = alloca [{operands} x ptr]
  %steps = alloca [{steps} x i64]
  %array_type = load ptr, ptr @"{name}_context"
  %double.at = getelementptr ptr, ptr @"{name}_context", i64 1
  %double = load ptr, ptr %double.at
{body}
}}
"""


def _check_quaternion(k: int, start: int, label: str, after: str) -> list[str]:
    """A quaternion of a length to compute with goes on; any other goes the general way, which refuses it."""
    lines, total = [f"{label}:"], ""
    for part in range(4):
        name = f"%{label}.x{part}"
        lines += [
            f"  {name}.step = mul i64 %a{k}.stride, {start + part}",
            f"  {name}.at = getelementptr i8, ptr %a{k}.values, i64 {name}.step",
            f"  {name} = load double, ptr {name}.at",
            f"  {name}.square = fmul double {name}, {name}",
        ]
        if total:
            lines.append(f"  {name}.sum = fadd double {total}, {name}.square")
        total = f"{name}.sum" if total else f"{name}.square"
    sound = f"%{label}.sound"
    return [
        *lines,
        f"  {sound}.short = fcmp oge double {total}, {_llvm(SHORTEST)}",
        f"  {sound}.long = fcmp ole double {total}, {_llvm(LONGEST)}",
        f"  {sound} = and i1 {sound}.short, {sound}.long",
        f"  br i1 {sound}, label %{after}, label %general",
    ]


def _llvm(value: float) -> str:
    """A number as LLVM reads it, bit by bit."""
    return f"0x{np.float64(value).view(np.uint64):016X}"


def _check(k: int, size: int, after: str) -> list[str]:
    """An aligned one-dimensional float64 array of that size goes on; everything else goes the general way."""

    def field(name: str, kind: str, offset: int) -> list[str]:
        return [f"  %a{k}.{name}.at = getelementptr i8, ptr %a{k}, i64 {offset}",
                f"  %a{k}.{name} = load {kind}, ptr %a{k}.{name}.at"]

    return [
        f"check{k}:",
        f"  %a{k}.at = getelementptr ptr, ptr %args, i64 {k}",
        f"  %a{k} = load ptr, ptr %a{k}.at",
        *field("type", "ptr", HEAD - 8),
        f"  %a{k}.is_array = icmp eq ptr %a{k}.type, %array_type",
        f"  br i1 %a{k}.is_array, label %array{k}, label %general",
        f"array{k}:",
        *field("nd", "i32", HEAD + DIMENSIONS_COUNT),
        *field("descriptor", "ptr", HEAD + DESCRIPTOR),
        *field("flags", "i32", HEAD + FLAGS),
        f"  %a{k}.aligned = and i32 %a{k}.flags, {ALIGNED}",
        f"  %a{k}.c1 = icmp eq i32 %a{k}.nd, 1",
        f"  %a{k}.c2 = icmp eq ptr %a{k}.descriptor, %double",
        f"  %a{k}.c3 = icmp ne i32 %a{k}.aligned, 0",
        f"  %a{k}.c12 = and i1 %a{k}.c1, %a{k}.c2",
        f"  %a{k}.fits = and i1 %a{k}.c12, %a{k}.c3",
        f"  br i1 %a{k}.fits, label %vector{k}, label %general",
        f"vector{k}:",
        *field("dimensions", "ptr", HEAD + DIMENSIONS),
        *field("strides", "ptr", HEAD + STRIDES),
        *field("values", "ptr", HEAD + DATA),
        f"  %a{k}.size = load i64, ptr %a{k}.dimensions",
        f"  %a{k}.stride = load i64, ptr %a{k}.strides",
        f"  %a{k}.sized = icmp eq i64 %a{k}.size, {size}",
        f"  br i1 %a{k}.sized, label %{after}, label %general",
    ]


class MethodDefinition(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def bind(entry: int, context: int, general: Any, name: str, doc: str) -> tuple[Any, Any]:
    """The entry as a Python function that falls back on calling `general`, and what must live as long as it.

    The function holds `general` (as its `__self__`); let `general` hold the second result.
    """
    table = (ctypes.c_void_p * len(CONTEXT)).from_address(context)
    table[:] = [id(np.ndarray), id(np.dtype(np.float64)), array_function(ARRAY_NEW), _vectorcall()]
    return bound_function(entry, general, name, doc)


def bound_function(address: int, owner: Any, name: str, doc: str) -> tuple[Any, MethodDefinition]:
    """Machine code in Python's calling convention as a function, whose `__self__` is the owner, and what must live as
    long as it.
    """
    definition = MethodDefinition(name.encode(), address, METH_FASTCALL_KEYWORDS, doc.encode())
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(ctypes.addressof(definition), owner, None), definition


@functools.cache
def understands_arrays() -> bool:
    """Whether the fields of this NumPy's arrays are where we think, and its function for new arrays: looked at once,
    by arrays whose fields are known. If not, every call goes the general way.

    >>> understands_arrays()
    True
    """
    values = np.arange(12.0)[::-3]
    vector, flat = values[:3], np.zeros((2, 5))
    return all(_has_fields(array) for array in (vector, flat)) and _makes_arrays()


def _has_fields(array: Any) -> bool:
    start = id(array)

    def word(offset: int) -> int:
        return ctypes.c_int64.from_address(start + HEAD + offset).value & (2**64 - 1)

    def numbers(address: int) -> tuple[int, ...]:
        return tuple((ctypes.c_int64 * array.ndim).from_address(address))

    known = (
        ctypes.c_void_p.from_address(start + HEAD - 8).value == id(np.ndarray)
        and word(DATA) == array.__array_interface__["data"][0]
        and ctypes.c_int.from_address(start + HEAD + DIMENSIONS_COUNT).value == array.ndim
        and word(DESCRIPTOR) == id(array.dtype)
        and ctypes.c_int.from_address(start + HEAD + FLAGS).value == array.flags.num
    )
    if not known or not word(DIMENSIONS) or not word(STRIDES):
        return False
    return (numbers(word(DIMENSIONS)), numbers(word(STRIDES))) == (array.shape, array.strides)


def _makes_arrays() -> bool:
    """Whether the function at the place of PyArray_New makes what we ask for."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kinds = (pointer, number, pointer, number, pointer, pointer, number, number, pointer)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(array_function(ARRAY_NEW))
    sizes = (ctypes.c_int64 * 2)(2, 3)
    made = new(id(np.ndarray), 2, ctypes.addressof(sizes), DOUBLE, None, None, 0, 0, None)
    return type(made) is np.ndarray and made.shape == (2, 3) and made.dtype == np.float64 and made.flags.owndata


def array_function(place: int) -> int:
    """Where a function of NumPy's table is."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = get_pointer(_multiarray_umath._ARRAY_API, None)
    table = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    return int(table[place] or 0)


def _vectorcall() -> int:
    return int(ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value or 0)
