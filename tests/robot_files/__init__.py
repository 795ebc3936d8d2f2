"""All robot files of some packages, each tried: loads, or why not, and how far it is from what a peer computes.

`python -m tests.robot_files FOLDER...` writes `docs/robot_files_tried.md`. A folder is a package from PyPI, unpacked,
and named as it is to stand in the table, like pybullet-3.2.7; the robots of example-robot-data come by themselves.
`test_robot_files.py` tries a few of these again.
"""

from __future__ import annotations

import sys
from pathlib import Path

# What these share with other tests lives in their folders.
_TESTS = Path(__file__).parents[1]
for _folder in ("mjcf", "."):
    if str((_TESTS / _folder).resolve()) not in sys.path:
        sys.path.insert(0, str((_TESTS / _folder).resolve()))
