"""Names of a megabyte do not make messages of a megabyte, from Python as from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadpath as lp


def test_names_of_a_megabyte_are_shortened_in_errors_and_warnings(tmp_path: Path) -> None:
    """What stands around them stays: the file, the place and what to do."""
    long, spaced = "x" * 10**6, "x " * 500_000
    arm = tmp_path / "arm.urdf"
    for name in (long, spaced):
        arm.write_text(f"<robot name='r'><link name='{name}'/><link name='{name}'/></robot>")
        with pytest.raises(lp.ModelError) as caught:
            lp.load(arm)
        said = str(caught.value)
        assert len(said) < 7000 and said.startswith(str(arm)) and " [...] " in said
        assert said.endswith("there is one already, line 1")
    light = "<inertial><mass value='1'/><inertia ixx='-1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    arm.write_text(f"<robot name='r'><link name='{long}'>{light}</link></robot>")
    with pytest.warns(lp.ModelWarning, match=r"x \[\.\.\.\] x") as warned:
        lp.load(arm)
    assert len(str(warned[0].message)) < 2000
    error = lp.IntegrationError(f"simulate: '{long}' has no mass")
    assert len(str(error)) < 1000 and str(error).endswith("x' has no mass")
