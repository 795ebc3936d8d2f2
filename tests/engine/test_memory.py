"""When memory is short: an error in words, not the end of the process, which is what LLVM does."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit of the address space")

COMPILE = """
import resource, sys
from pathlib import Path
from loadpath.engine import jit

def program(number):
    lines = [f"  %x{k + 1} = fmul double %x{k}, {k % 7 + 1}.5" for k in range(number)]
    return "define double @f(double %x0) {\\n" + "\\n".join(lines) + f"\\n  ret double %x{number}\\n}}"

jit.load_object(jit.compile_object(program(10)), "f")
text = program(60_000)
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (int(sys.argv[1]) << 20), resource.RLIM_INFINITY))
try:
    jit.load_object(jit.compile_object(text), "f")
    print("compiled")
except MemoryError as problem:
    print(problem)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("spare", [1, 8, 64])
def test_too_little_memory_for_a_program_is_refused_before(spare: int) -> None:
    done = run(sys.executable, "-c", COMPILE, str(spare))
    assert (done.returncode, done.stderr) == (0, "")
    assert "compiling needs about" in done.stdout and "raise the limit" in done.stdout


def test_enough_memory_is_enough() -> None:
    done = run(sys.executable, "-c", COMPILE, "120")
    assert (done.returncode, done.stdout, done.stderr) == (0, "compiled\n", "")


@pytest.mark.parametrize("limit", [400_000, 600_000])
def test_a_command_with_little_memory_says_so_in_one_line(limit: int) -> None:
    done = run("bash", "-c", f"ulimit -v {limit}; exec {sys.executable} -m loadpath.cli loads panda")
    if done.returncode:  # more may be needed elsewhere, with other libraries
        assert done.returncode == 2
        assert "memory" in done.stderr and len(done.stderr.strip().splitlines()) == 1
