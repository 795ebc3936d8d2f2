"""Waiting for a page in the browser. Playwright's own way evaluates text in the page, which the policy of our pages
forbids; what is asked from outside, as here, it allows.
"""

import time

PATIENCE = 60.0


def wait_until(page, expression, arg=None, seconds=PATIENCE):
    """Until an expression, or a function of `arg`, is true in a page."""
    end = time.monotonic() + seconds
    test = (f"(arg) => {{ const found = ({expression}); "
            "return Boolean(typeof found === 'function' ? found(arg) : found); }")
    while not page.evaluate(test, arg):
        assert time.monotonic() < end, f"it did not come true in time: {expression}"
        page.wait_for_timeout(50)
