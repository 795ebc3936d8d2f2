"""`python -m tests.differential.faults`: small faults put into a copy of the library, each of which must be noticed.

By hand, when checks were changed: it takes some minutes. A fault whose lines are no longer there is reported, too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Fault(NamedTuple):
    """A piece of a file, what it becomes, and the checks that should see it (parts of their names)."""

    file: str
    right: str
    wrong: str
    checks: tuple[str, ...]
    rounds: int = 3


FAULTS = (
    Fault("formulations/newton_euler.py", "scale(2.0, cross(omega_p, u))", "scale(1.999999, cross(omega_p, u))",
          ("inverse_dynamics",)),
    Fault("algorithms/momentum.py", "cross(", "1.0001 * cross(", ("momentum",)),
    Fault("robot/inertia.py", "r @ ", "r.T @ ", ("values",)),
    Fault("loads/breakdown/drive.py", "+ mimic.multiplier * along", "+ along", ("load_breakdown",), 12),
    Fault("loads/peaks/result.py", "cube *= travel", "cube *= 1.0", ("peak_loads",)),
    Fault("algorithms/time_stepping.py", "h / 6.0", "h / 6.0001", ("in_time",)),
    Fault("motion/via_points.py", "(1 - 2 * s)", "(1 - 1.99999 * s)", ("steps",)),
    Fault("kinematics/inverse.py", "reached=", "reached=~", ("inverse_kinematics",)),
    Fault("structure/beams/stress_equations.py", "- scale(sample.moment[1], B)", "- scale(0.999 * sample.moment[1], B)",
          ("section_actions",)),
    Fault("structure/beams/column.py", "P / (1 + P / GA) if shear else P", "P", ("buckling",)),
    Fault("mobile/ground_wrench.py", "ay + w * vx", "ay", ("ground_wrench",)),
    Fault("mobile/ground_wrench.py", "- scale(J * w * b,", "+ scale(J * w * b,", ("ground_wrench",)),
    Fault("mobile/stability.py", "least / safe", "1.0001 * least / safe", ("stability",)),
)


def noticed(fault: Fault, place: Path) -> str:
    """What the checks say of a copy of the library with the fault."""
    skip = shutil.ignore_patterns("__pycache__")
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, place / part, ignore=skip)
    path = place / "src" / "loadpath" / fault.file
    text = path.read_text(encoding="utf-8")
    if fault.right not in text:
        return "gone"
    path.write_text(text.replace(fault.right, fault.wrong, 1), encoding="utf-8")
    command = [sys.executable, "-m", "tests.differential", "--rounds", str(fault.rounds), "--seed", "12", "--only"]
    environment = {**os.environ, "PYTHONPATH": str(place / "src"), "LOADPATH_CACHE_DIR": "off"}
    done = subprocess.run(
        [*command, *fault.checks], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    return "noticed" if done.returncode == 1 else "missed"


def main() -> int:
    found = []
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as place:
            found.append(noticed(fault, Path(place)))
        print(f"{found[-1]:8s}  {fault.file}: {fault.right} -> {fault.wrong}", flush=True)
    print(f"{found.count('noticed')} of {len(found)} noticed")
    return 0 if set(found) == {"noticed"} else 1


if __name__ == "__main__":
    sys.exit(main())
