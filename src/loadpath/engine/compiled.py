"""Former name of `quantity`."""

from loadpath.engine.arguments import DEFAULT as DEFAULT
from loadpath.engine.arguments import Variant as Variant
from loadpath.engine.quantity import Compiled as Compiled
from loadpath.engine.quantity import On as On
from loadpath.engine.quantity import compiled_quantities as compiled_quantities
