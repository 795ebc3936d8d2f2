"""Machine code for the processor at hand: LLVM text to object code, object code to callable addresses.

LLVM is not thread-safe, so everything here runs under one lock. Compiled functions themselves need none.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
import threading
from typing import Any

import llvmlite
import llvmlite.binding as llvm

OPTIMIZATION = 2

LIBRARY_FUNCTIONS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log log1p expm1 pow hypot fmod "
    "remainder floor ceil erf"
).split()

# Reentrant, because a `Library` may be collected as garbage in the middle of anything.
_lock = threading.RLock()


class Library:
    """Object code in memory, ready to be called, for as long as this object lives."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, symbol: str) -> int:
        """Where the function of this name begins."""
        with _lock:
            address: int = self._engine.get_function_address(symbol)
        if not address:
            raise KeyError(f"the object code has no function {symbol!r}")
        return address

    def __del__(self) -> None:
        with _lock:
            self._engine.close()


def host_width() -> int:
    """How many doubles the processor's widest vector registers hold.

    >>> host_width() in (2, 4, 8)
    True
    """
    features = _host()[2]
    if "+avx512f" in features and "+avx512vl" in features:
        return 8
    return 4 if "+avx" in features else 2


def host_key() -> str:
    """Everything about this machine and LLVM that object code depends on."""
    triple, cpu, features = _host()
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"llvm {version} llvmlite {llvmlite.__version__} {triple} {cpu} {','.join(features)}"


def compile_object(text: str) -> bytes:
    """Object code of an LLVM module for this machine."""
    with _lock:
        machine = _target_machine()
        module = llvm.parse_assembly(text, _context())
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        code: bytes = machine.emit_object(module)
        module.close()
    return code


def load_object(code: bytes) -> Library:
    """Bring object code into memory. Raises `RuntimeError` if LLVM cannot read it."""
    with _lock:
        _provide_library_functions()
        module = llvm.parse_assembly("", _context())
        engine = llvm.create_mcjit_compiler(module, _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return Library(engine)


@functools.cache
def _host() -> tuple[str, str, list[str]]:
    with _lock:
        features = sorted(f for f in llvm.get_host_cpu_features().flatten().split(",") if f)
        return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@functools.cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    """A fresh one each time, as an execution engine takes possession of its machine."""
    _initialize()
    triple, cpu, features = _host()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=",".join(features), opt=OPTIMIZATION, reloc="default", codemodel="jitdefault", jit=True
    )


@functools.cache
def _context() -> Any:
    """One context for all modules; with untyped pointers, which llvmlite 0.44 has off unless asked."""
    if getattr(llvmlite, "opaque_pointers_enabled", True):
        return llvm.create_context()
    return llvm.context.ContextRef(llvm.ffi.lib.LLVMPY_ContextCreate(True))


@functools.cache
def _provide_library_functions() -> None:
    """Tell LLVM where the C library's functions are, under names of our own that nothing else resolves."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else ctypes.util.find_library("m"))
    for name in LIBRARY_FUNCTIONS:
        for suffix in ("", "f"):
            address = ctypes.cast(getattr(library, name + suffix), ctypes.c_void_p).value
            llvm.add_symbol(f"loadpath_{name}{suffix}", address)
