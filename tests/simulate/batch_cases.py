"""What processes run in the tests of batches: few imports, since each process makes them anew."""

import os
import signal

import loadpath as lp


def swing_or_trouble(number: int) -> lp.Simulation:
    """A short swing; the second case is refused, the fourth ends its process."""
    if number == 1:
        raise lp.ModelError("the second has no speed")
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return lp.catalog.planar(1).simulate([0.1 * number], duration=0.1)
