"""`python -m tests.differential --rounds 200 --seed 7`: every public quantity against an independent implementation."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from differential.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
