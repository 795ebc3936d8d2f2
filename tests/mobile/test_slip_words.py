"""What a rover's friction is called: above 100 % is what slips, in numbers and in words; notes are not said twice."""

import numpy as np

import loadpath as lp
from loadpath.mobile.report_standards import standards_section

GRIP = lp.WheelFriction(0.7)
WHEELS = [lp.FixedWheel((x, y), 0.1, driven=True) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
CART = lp.WheeledBase(mass=50, center_of_mass=(0.03, 0.01, 0.3), wheels=WHEELS, friction=GRIP).carrying()


def test_friction_above_its_limit_is_what_slips() -> None:
    """Shares at their limits are within rounding of it: of a thousand near the limit some are a little above."""
    wanted = 0.7 * 9.81 * (1.0 + np.linspace(-0.05, 0.01, 200))
    found = CART.slip(velocity=(1, 0), acceleration=np.stack([-wanted, 0 * wanted], axis=1))
    assert found.slips.any() and not found.slips.all()
    assert ((found.ratio > 1) == found.slips).all()
    plain = found.used / found.available
    assert np.abs(np.minimum(plain, 1.0) - np.minimum(found.ratio, 1.0)).max() < 1e-9


def test_the_note_of_a_standard_says_nothing_twice() -> None:
    test = CART.standards.braking(speed=2.0, deceleration=4.0, distance=0.6)
    note = standards_section([test]).blocks[0].note
    assert note == test.table.note and note.count("Steady deceleration") == 1 and "friction shared" in note
