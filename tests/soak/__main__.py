"""`python -m tests.soak --minutes 30`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
