"""Loadpath: every force and torque in a robot, in every direction, at every joint, and which motion caused it.

What there is stands in `__init__.pyi`. A name is imported when it is first used, so that `import loadpath` is quick.

>>> import loadpath as lp
>>> robot = lp.catalog.panda()
>>> robot.inverse_dynamics([0] * 7, [0] * 7, [0] * 7).shape
(7,)
"""

import importlib

import lazy_loader

from loadpath import _sources  # noqa: F401  records the source files before any of the others is imported

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """A public name, or a room of the package such as `lp.report`."""
    try:
        return _public(name)
    except AttributeError:
        if name.startswith("_"):
            raise
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as problem:
        if problem.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
