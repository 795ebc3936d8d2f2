"""JAX: the Panda's inverse dynamics, our own formulation under `jit(vmap)` on one CPU thread, against our ufunc.

JAX's threads and precision are set before it is imported, so it runs in a process of its own:
`python -m benchmarks.jax_peer`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

BATCH = 4096
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


def measure(repetitions: int = 40) -> tuple[float, float]:
    """Nanoseconds per state of ours and of JAX's, in one run; an error where they do not agree."""
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.jax_peer", str(repetitions)],
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    times = json.loads(told.splitlines()[-1])
    return times["ours"], times["JAX"]


def _measure_here(repetitions: int) -> dict[str, float]:
    import jax
    import numpy as np

    from benchmarks.peers import panda, states
    from benchmarks.timing import best_times

    robot = panda().robot
    q, qd, qdd = states(robot, BATCH)
    tau = np.empty_like(q)
    on_device = [jax.device_put(array) for array in (q, qd, qdd)]
    begin = time.perf_counter()
    forces: Callable[..., Any] = jax.jit(jax.vmap(robot.jax("inverse_dynamics")))
    theirs = np.asarray(forces(*on_device))
    compiling = time.perf_counter() - begin
    error = np.abs(robot.inverse_dynamics(q, qd, qdd) - theirs).max() / np.abs(theirs).max()
    if not error < 1e-12:
        raise RuntimeError(f"the peers compute different things: they differ by {error:.2g}")
    seconds = best_times(
        {
            "ours": lambda: robot.inverse_dynamics(q, qd, qdd, out=tau),
            "JAX": lambda: forces(*on_device).block_until_ready(),
        },
        repetitions,
    )
    return {**{name: 1e9 * best / BATCH for name, best in seconds.items()}, "compiling, s": compiling}


if __name__ == "__main__":
    print(json.dumps(_measure_here(int(sys.argv[1]) if len(sys.argv) > 1 else 40)))
