"""What is told where JAX is not installed."""

from __future__ import annotations

import sys

import pytest

import loadpath as lp


def test_without_jax_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.setitem(sys.modules, "jax.numpy", None)
    with pytest.raises(ImportError, match=r"pip install loadpath\[jax\]"):
        lp.catalog.two_link().jax("gravity_forces")
