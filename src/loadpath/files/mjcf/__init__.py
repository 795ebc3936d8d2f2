"""MJCF, the files of MuJoCo. MuJoCo's own compiler reads them (extra `mjcf`): defaults, includes, frames, attached
models and settings of the compiler are its work. From the compiled model a robot is made, or an error that names what
of the file no robot here can have.

`checking` looks over a file before MuJoCo sees it, and says what changes the motion and cannot be kept; `compiling`
compiles it; `reading`, `joints`, `closing` and `shapes` make links, joints and drives, loops and shapes; `writing`
makes the text of a robot.
"""

from loadpath.files.mjcf.reading import read_mjcf
from loadpath.files.mjcf.writing import mjcf_of

__all__ = ["mjcf_of", "read_mjcf"]
