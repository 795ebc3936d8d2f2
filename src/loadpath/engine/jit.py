"""Machine code for the processor at hand: LLVM text to object code, object code to callable addresses.

LLVM is not thread-safe, so everything of it is made, used and let go here, under one lock. Compiled functions
themselves need none. LLVM itself is loaded on first use. At a fork no other thread may be inside of it: whoever forks
holds this lock, and llvmlite's own as well, since others in the process may use llvmlite, too (see `kernels`).
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import ctypes.util
import functools
import itertools
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from loadpath.engine.llvm.arithmetic import LIBRARY
from loadpath.engine.llvm.pool import C_FUNCTIONS
from loadpath.engine.memory import COMPILING, LOADING, check_memory, limited
from loadpath.engine.notice import notice

OPTIMIZATION = 2
INLINED = "alwaysinline"
"""In a text: LLVM shall make one function of several before it compiles them."""
OBJECT_BEGINNINGS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")  # ELF, Mach-O, COFF

# Reentrant, because a `Library` may be collected as garbage in the middle of anything.
lock = threading.RLock()
ending = threading.Event()
"""Set when the process ends."""
_abandoned: deque[Any] = deque()
"""Code that nobody needs any more, to be released when LLVM is free."""


class Library:
    """Object code in memory, ready to be called for as long as this object lives."""

    def __init__(self, tracker: Any) -> None:
        self._tracker = tracker

    def address(self, symbol: str) -> int:
        """Where the function (or variable) of this name begins; `KeyError` if it was not asked for when loading."""
        address: int = self._tracker[symbol]
        return address

    def __del__(
        self,
        abandoned: deque[Any] = _abandoned,
        lock: threading.RLock = lock,
        at_exit: Callable[[], bool] = sys.is_finalizing,
    ) -> None:
        # A long compilation may be going on: whoever drops the last reference does not wait for it. At the end of the
        # process LLVM may be gone already, and the code goes anyhow.
        abandoned.append(self._tracker)
        if not at_exit() and lock.acquire(blocking=False):
            try:
                while abandoned:
                    abandoned.popleft().close()
            finally:
                lock.release()


def host_width() -> int:
    """How many doubles the processor's widest vector registers hold.

    >>> host_width() in (2, 4, 8)
    True
    """
    features = _host()[2]
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


def host_fuses() -> bool:
    """Whether the processor takes a product and a sum in one instruction."""
    triple, _, features = _host()
    return "+fma" in features or not triple.startswith(("x86_64", "i686"))


def host_key() -> str:
    """Everything about this machine and its LLVM that object code depends on."""
    llvm = _llvm()
    triple, cpu, features = _host()
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"llvm {version} {triple} {cpu} {','.join(features)} {_options()}"


def compile_object(text: str) -> bytes:
    """Object code of an LLVM module for this machine, as fast as LLVM makes it.

    >>> code = compile_object("define i32 @answer() { ret i32 42 }")
    >>> library = load_object(code, "answer")        # to be kept for as long as its functions are called
    >>> ctypes.CFUNCTYPE(ctypes.c_int)(library.address("answer"))()
    42
    """
    return _object(text, OPTIMIZATION)


def compile_quickly(text: str) -> bytes:
    """The same in a third of the time or less: slower code that computes the same bits."""
    return _object(text, 0)


def _object(text: str, optimization: int) -> bytes:
    llvm = _llvm()
    with lock:
        check_memory(len(text), COMPILING, "compiling")
        machine, triple, layout = _compiler(optimization)
        closing = contextlib.closing
        with closing(_context()) as context, closing(llvm.parse_assembly(text, context)) as module:
            module.triple, module.data_layout = triple, layout
            if optimization and INLINED in text:
                _inline(module, machine)
            code: bytes = machine.emit_object(module)
    return code


def _inline(module: Any, machine: Any) -> None:
    """Make one function of those that are to be inlined, and simplify it."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMIZATION)
    with contextlib.closing(llvm.create_pass_builder(machine, options)) as builder:
        passes = builder.getModulePassManager()
        passes.run(module, builder)
        # In some versions its close() releases nothing: what does stands behind that of all of llvmlite's objects.
        every, kinds = llvm.ffi.ObjectRef, type(passes).__mro__
        releasing: Any = next(kind for kind in kinds if "_dispose" in vars(kind) and kind is not every)
        releasing._dispose(passes)
        passes.detach()


def load_object(codes: bytes | Sequence[bytes], *symbols: str) -> Library:
    """Bring object code into memory, in one piece or in several that use each other's symbols, for the addresses of the
    given symbols. `RuntimeError` if they are not there.
    """
    codes = [codes] if isinstance(codes, bytes) else codes
    if not all(code.startswith(OBJECT_BEGINNINGS) for code in codes):  # LLVM would not survive it
        raise RuntimeError("this is not object code")
    llvm = _llvm()
    with lock:
        while _abandoned:
            _abandoned.popleft().close()
        check_memory(sum(map(len, codes)), LOADING, "loading machine code")
        builder = llvm.JITLibraryBuilder()
        for code in codes:
            builder.add_object_img(code)
        for name, address in _provided_symbols().items():
            builder.import_symbol(name, address)
        for symbol in symbols:
            builder.export_symbol(symbol)
        return Library(builder.link(linker(), f"library {next(_numbers)}"))


_numbers = itertools.count()


class LockOfLlvmlite:
    """The lock that llvmlite takes around every call of LLVM, as far as llvmlite is loaded and has one. Whoever takes
    it takes no other one after it.
    """

    def __init__(self) -> None:
        self._releases: list[Callable[[], None]] = []

    def acquire(self) -> None:
        """Wait until no thread is inside of LLVM."""
        library = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
        own = getattr(library, "_lock", None)
        inner: Any = getattr(own, "_lock", own)  # without the callbacks that others may have registered
        if hasattr(inner, "acquire") and hasattr(inner, "release"):
            inner.acquire()
            self._releases.append(inner.release)

    def release(self) -> None:
        """Undo `acquire`."""
        if self._releases:
            self._releases.pop()()


@atexit.register
def _finish() -> None:
    """Let LLVM finish before the process ends: it would not survive being taken apart in the middle of its work. The
    lock is kept, so that no other thread begins anew.
    """
    ending.set()
    if lock.acquire(blocking=False):
        return
    try:
        with notice("waiting for LLVM, which still compiles; Ctrl-C ends at once"):
            while not lock.acquire(timeout=0.5):
                pass
    except KeyboardInterrupt:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)


@functools.cache
def linker() -> Any:
    """LLVM's linker at run time. It keeps the code and the constants of an object together, within reach of short
    addresses; llvmlite's other engine does not, or gives up the whole process where its memory does not suffice.
    """
    llvm = _llvm()
    return llvm.create_lljit_compiler(_target_machine(), use_jit_link=sys.platform != "win32")


@functools.cache
def _llvm() -> Any:
    """llvmlite. Loading it takes longer than all of Loadpath, and a fork must not come in between."""
    with lock:
        try:
            import llvmlite.binding
        except (OSError, ImportError) as problem:
            if limited():  # what the loader says then is of a file that is missing
                raise MemoryError("LLVM could not be loaded, and the memory of this process is limited: raise the "
                                  "limit (ulimit -v) to 1 GB or more") from problem
            raise
        return llvmlite.binding


@functools.cache
def _host() -> tuple[str, str, list[str]]:
    llvm = _llvm()
    with lock:
        features = sorted(f for f in llvm.get_host_cpu_features().flatten().split(",") if f)
        return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@functools.cache
def _initialize() -> None:
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def _compiler(optimization: int) -> tuple[Any, str, str]:
    """The machine that compiles, its triple and its layout of data. It stays: a local one would be let go when the lock
    is free already.
    """
    machine = _target_machine(optimization)
    return machine, machine.triple, str(machine.target_data)


def _target_machine(optimization: int = OPTIMIZATION) -> Any:
    """Set for this processor."""
    llvm = _llvm()
    _initialize()
    triple, cpu, features = _host()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=",".join(features), **{**_options(), "opt": optimization}
    )


def _options() -> dict[str, Any]:
    """How LLVM shall compile."""
    # LLVM's default for code compiled at run time spells out every address in full, an instruction each. Constants
    # are a third of the operands here, so where it is known to work they are addressed from where the code is.
    near = _host()[0].startswith("x86_64")
    return {
        "opt": OPTIMIZATION,
        "reloc": "pic" if near else "default",
        "codemodel": "small" if near else "jitdefault",
        "jit": True,
    }


def _context() -> Any:
    """A context for one module: it keeps every constant for as long as it is there, and programs are full of them. With
    untyped pointers, which llvmlite 0.44 leaves out unless asked.
    """
    import llvmlite

    llvm = _llvm()
    if getattr(llvmlite, "opaque_pointers_enabled", True):
        return llvm.create_context()
    return llvm.context.ContextRef(llvm.ffi.lib.LLVMPY_ContextCreate(True))


@functools.cache
def _provided_symbols() -> dict[str, int]:
    """Where functions of C and Python are, under names of our own that nothing else answers to."""
    names = {"sin", "cos", *(function for function, _ in LIBRARY.values())}
    functions = {name + suffix: _c_function(name + suffix) for name in names for suffix in ("", "f")}
    functions |= {name: _c_function(name) for name in ("malloc", "free", "fegetenv", "fesetenv", *C_FUNCTIONS)}
    functions["lock_python"] = ctypes.pythonapi.PyGILState_Ensure
    functions["unlock_python"] = ctypes.pythonapi.PyGILState_Release
    functions["no_memory"] = ctypes.pythonapi.PyErr_NoMemory
    functions["call_python"] = ctypes.pythonapi.PyObject_CallNoArgs
    functions["vectorcall"] = ctypes.pythonapi.PyObject_Vectorcall
    functions["fetch_error"] = ctypes.pythonapi.PyErr_Fetch
    functions["restore_error"] = ctypes.pythonapi.PyErr_Restore
    functions["drop_python"] = ctypes.pythonapi.Py_DecRef
    return {f"loadpath_{name}": ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in functions.items()}


def _c_function(name: str) -> Any:
    for library in _c_libraries():
        function = getattr(library, name, None)
        if function is not None:
            return function
    raise OSError(f"the C library has no function {name!r}")


@functools.cache
def _c_libraries() -> list[ctypes.CDLL]:
    """Where C's functions are: usually in the running program itself, in the mathematical library otherwise."""
    if sys.platform == "win32":
        return [ctypes.CDLL("ucrtbase")]
    libraries = [ctypes.CDLL(None)]
    if not hasattr(libraries[0], "erff"):
        libraries.append(ctypes.CDLL(ctypes.util.find_library("m")))
    return libraries
