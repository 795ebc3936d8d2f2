"""The floating-point limit of one core, measured: fused multiply-adds in registers and nothing else."""

from __future__ import annotations

import ctypes

from benchmarks.timing import best_times
from loadpath.engine import jit

CHAINS = (8, 10, 12, 16, 20)
"""Numbers of independent chains to try: enough to fill the pipelines, few enough for the registers."""
ROUNDS = 100_000


def floating_point_limit(repetitions: int = 100) -> float:
    """Operations per second of this core at its best; a fused multiply-add counts as two operations."""
    width = jit.host_width()
    codes = {chains: jit.compile_object(_kernel(chains, width)) for chains in CHAINS}
    libraries = {chains: jit.load_object(code, "chains") for chains, code in codes.items()}
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)
    kernels = {chains: kind(library.address("chains")) for chains, library in libraries.items()}
    work = {str(chains): (lambda kernel=kernel: kernel(ROUNDS)) for chains, kernel in kernels.items()}
    seconds = best_times(work, repetitions)
    return max(2 * width * int(chains) * ROUNDS / best for chains, best in seconds.items())


def _kernel(chains: int, width: int) -> str:
    """LLVM text: x_k <- x_k * c + d for `chains` vectors x_k, as often as it is told."""
    vector = f"<{width} x double>"
    ones = ", ".join(["double 1.0"] * width)
    starts = [f"<{', '.join([f'double {k + 1}.0'] * width)}>" for k in range(chains)]
    phis = [f"  %x{k} = phi {vector} [{starts[k]}, %begin], [%y{k}, %again]" for k in range(chains)]
    steps = [
        f"  %y{k} = call {vector} @llvm.fma.v{width}f64({vector} %x{k}, {vector} %c, {vector} %d)"
        for k in range(chains)
    ]
    sums = [f"  %s0 = fadd {vector} %y0, zeroinitializer"]
    sums += [f"  %s{k} = fadd {vector} %s{k - 1}, %y{k}" for k in range(1, chains)]
    newline = "\n"
    return f"""
declare {vector} @llvm.fma.v{width}f64({vector}, {vector}, {vector})
define double @chains(i64 %rounds) {{
begin:
  %small = sitofp i64 %rounds to double
  %tiny = fdiv double 1.0e-30, %small
  %d0 = insertelement {vector} zeroinitializer, double %tiny, i32 0
  %d = shufflevector {vector} %d0, {vector} zeroinitializer, <{width} x i32> zeroinitializer
  %c = fadd {vector} <{ones}>, %d
  br label %again
again:
  %i = phi i64 [0, %begin], [%next, %again]
{newline.join(phis)}
{newline.join(steps)}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %again, label %end
end:
{newline.join(sums)}
  %result = extractelement {vector} %s{chains - 1}, i32 0
  ret double %result
}}
"""
