"""The doctor: what is wrong or strange in a robot's file, each finding with its numbers and a remedy, and the file
mended where that is safe.

`check` examines a file or a robot by the rules of `loadpath.doctor.rules`, each a function in a table. The findings are
a `Checkup`. What a fix changes is data (`loadpath.doctor.finding`); a URDF is mended in its own text, so that all else
in it stays as it was written.
"""

from loadpath.doctor.checkup import Checkup, check
from loadpath.doctor.finding import Finding

__all__ = ["Checkup", "Finding", "check"]
