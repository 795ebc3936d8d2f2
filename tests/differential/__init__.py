"""Every public quantity against an independent implementation, over random robots and states.

`python -m tests.differential --rounds 200 --seed 7` runs for long and prints a table; `test_differential.py` is the
short part that runs with the other tests. Each `of_*.py` has the checks of one subject, `register.py` how a check is
written, `names.py` the list of everything public that has to have one, `robots.py` the random robots.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The references that these checks share with other tests live in their folders.
_TESTS = Path(__file__).parents[1]
for _folder in ("mobile", "structure", "."):
    if str((_TESTS / _folder).resolve()) not in sys.path:
        sys.path.insert(0, str((_TESTS / _folder).resolve()))
