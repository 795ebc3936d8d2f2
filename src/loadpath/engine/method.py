"""Former name of `quantity`."""

from loadpath.engine.quantity import CompiledMethod as CompiledMethod
