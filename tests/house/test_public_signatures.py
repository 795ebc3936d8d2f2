"""Users see types: no public signature has an Any."""

from __future__ import annotations

from public_signatures import public_functions, with_any


def test_no_public_signature_takes_or_returns_any() -> None:
    assert len(list(public_functions())) > 400
    found = [name for name in with_any() if not name.endswith(".reduce_loads: return")]  # the result of any reducer
    assert not found
