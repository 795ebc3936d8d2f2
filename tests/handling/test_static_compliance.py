"""Compliance at the wrist: against deflection under a small load, the compiled compliance, and one joint by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp


@pytest.fixture(scope="module")
def panda() -> lp.Robot:
    soft = {f"panda_joint{k}": lp.JointCompliance(drive=1e4 * k, tilting=5e4, radial=2e7, axial=3e7)
            for k in (1, 2, 4, 6)}
    return lp.catalog.panda().with_beams(joint_compliance=soft)


def test_one_joint_in_closed_form() -> None:
    """A revolute joint of stiffness k, 1 m from the tip: 1/k upwards, 1/k about its axis and between the two."""
    arm = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=2e4)})
    for angle in (0.0, 0.7):
        found = arm.static_compliance([angle])
        assert found.mm_per_N == pytest.approx([np.sin(angle) ** 2 / 20, 0, np.cos(angle) ** 2 / 20], abs=1e-12)
        assert abs(found.matrix[4, 4]) == pytest.approx(1 / 2e4)
        np.testing.assert_allclose(found.matrix, found.matrix.T, atol=1e-18)


def test_against_deflection_under_small_loads(panda: lp.Robot) -> None:
    """Independent: differences of `deflection` with and without each unit of force and torque."""
    q = np.array([0.3, -0.5, 0.2, -1.8, 0.4, 1.5, 0.6])
    found = panda.static_compliance(q)
    tip = found.link
    base = panda.deflection(q)[tip]
    for k in range(6):
        unit = np.eye(6)[k]
        moved = panda.deflection(q, external={tip: lp.Wrench(force=unit[:3], torque=unit[3:])})[tip]
        column = np.concatenate([moved.displacement - base.displacement, moved.rotation - base.rotation])
        np.testing.assert_allclose(found.matrix[:, k], column, rtol=1e-6, atol=1e-13)


def test_shares_sum_to_the_compiled_compliance(panda: lp.Robot) -> None:
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (3, 7))
    found = panda.static_compliance(q)
    np.testing.assert_allclose(found.matrix, panda.compliance(q, found.link), rtol=1e-10, atol=1e-16)
    np.testing.assert_allclose(sum(found.shares.values()), found.matrix, rtol=1e-12, atol=1e-18)
    assert set(found.shares) == {f"panda_joint{k}, {what}" for k in (1, 2, 4, 6) for what in ("drive", "bearing")}
    whole = sum(found.share(name) for name in found.shares)
    np.testing.assert_allclose(whole, 1.0, rtol=1e-10)


def test_beams_and_joints_together() -> None:
    tube = lp.Tube(0.03, 0.003)
    beams = {"link1": lp.Beam(tube, lp.STEEL, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    arm = lp.catalog.planar(2, mass=2.0).with_beams(beams, joint_compliance={"joint2": lp.JointCompliance(drive=1e4)})
    q = [0.3, 0.8]
    found = arm.static_compliance(q)
    assert set(found.shares) == {"joint2, drive", "link1, beam", "link2, beam"}
    np.testing.assert_allclose(found.matrix, arm.compliance(q, "tip"), rtol=1e-10, atol=1e-16)


def test_gears_are_springs_at_the_torque_that_holds() -> None:
    gear = lp.StrainWaveGear(ratio=100, stiffness=(1e4, 2e4), stiffness_torques=(15.0,), hysteresis=1e-4)
    arm = lp.catalog.planar(2).with_parts({"joint1": gear, "joint2": gear})
    found = arm.static_compliance([[0.0, 0.0], [np.pi / 2, 0.0]])
    # Level, joint 1 holds 19.62 N m, in the stiffer piece, joint 2 4.9 N m; upright both hold nothing.
    assert found.mm_per_N[0, 2] == pytest.approx(1e3 * (4 / 2e4 + 1 / 1e4))
    assert found.mm_per_N[1, 0] == pytest.approx(1e3 * (4 / 1e4 + 1 / 1e4))
    assert all("play left out" in note for note in found.notes)
    both = arm.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=5e3)})
    assert "joint1, drive" in both.static_compliance([0.0, 0.0]).shares
    assert not any(name.startswith("joint1, strain") for name in both.static_compliance([0.0, 0.0]).shares)


def test_slides() -> None:
    arm = lp.catalog.planar(1)
    lift = lp.Robot("lift", (lp.Link("base"), lp.Link("carriage", lp.Inertia(10.0))),
                    (lp.Joint("lift", "base", "carriage", lp.Prismatic((0, 0, 1))),))
    soft = lift.with_beams(joint_compliance={"lift": lp.JointCompliance(drive=1e6)})
    assert soft.static_compliance([0.2]).mm_per_N == pytest.approx([0, 0, 1e-3])
    assert arm.name


def test_droop_is_what_a_payload_adds(panda: lp.Robot) -> None:
    q = np.array([0.3, -0.5, 0.2, -1.8, 0.4, 1.5, 0.6])
    center = (0.02, 0.05, 0.1)
    found = panda.static_compliance(q).droop(3.0, center)
    tip = found.link
    free = panda.deflection(q)[tip]
    loaded = panda.with_payload(3.0, center, link=tip).deflection(q)[tip]
    np.testing.assert_allclose(found.displacement, loaded.displacement - free.displacement, rtol=1e-9)
    np.testing.assert_allclose(found.rotation, loaded.rotation - free.rotation, rtol=1e-9)
    np.testing.assert_allclose(sum(found.shares.values())[:3], found.displacement, rtol=1e-12)
    assert "mm" in repr(found)


def test_tables_and_wrong_questions(panda: lp.Robot, tmp_path: Path) -> None:
    q = np.zeros(7)
    found = panda.static_compliance(q)
    lines = found.to_csv(tmp_path / "compliance.csv").read_text().splitlines()
    assert len(lines) == 2 + len(found.shares)
    assert lines[-1].startswith("all,")
    assert found.to_dataframe().shape == (1 + len(found.shares), 7)
    assert "mm/N" in found.to_table() and "mm/N" in repr(found) and "<table" in found._repr_html_()
    with pytest.raises(ValueError, match="a table is of one pose"):
        panda.static_compliance(np.zeros((2, 7))).to_table()
    with pytest.raises(ValueError, match="'joint9' does not give way; there are panda_joint1, drive"):
        found.share("joint9")
    with pytest.raises(ValueError, match="mass is -1 kg"):
        found.droop(-1.0)
    with pytest.raises(lp.ModelError, match=r"nothing of robot 'panda' .* gives way"):
        lp.catalog.panda().static_compliance(q)
    with pytest.warns(lp.ModelWarning, match="static_compliance"):
        assert np.isnan(panda.static_compliance(np.full(7, np.nan)).matrix).any()
    with pytest.raises(lp.ModelError, match="has loops"):
        lp.catalog.four_bar().static_compliance(lp.catalog.four_bar().home)
    with pytest.raises(lp.ModelError, match="wheels and tyres give way"):
        lp.catalog.lau_rover().static_compliance([0.0, 0.0, 1.0])
