"""Makes the site: `python -m docs`, from the top of the project, into site/; open site/index.html, no server is needed.

Any warning is an error, and the made pages are checked, so the exit code says whether all is well. `python -m docs
FOLDER` makes it in another folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from docs.check import main as check

HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """Builds and checks the site; 0 if all is well."""
    out = Path(arguments[0]) if arguments else HERE.parent / "site"
    made = sphinx(["-W", "--keep-going", "-q", "-j", "auto", "-b", "html", str(HERE), str(out)])
    return made or check(out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
