"""Many designs, many states: what is largest over all of them.

`lp.study` is a function (`loadpath/studies`) and the name of this folder: called, the folder is the function.
"""

import importlib
import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """`import loadpath.study` puts this module in the place of the function `lp.study`: it does the same."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return importlib.import_module("loadpath.studies.study").study(*arguments, **options)


sys.modules[__name__].__class__ = _Called
