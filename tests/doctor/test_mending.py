"""Nearest tensors, files mended in place, and what other programs then say of them."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from arm_to_check import arm
from scipy.optimize import minimize

import loadpath as lp
from loadpath.doctor.rules.inertias import MOMENT_SLACK, nearest_physical
from real_robots import REAL_ROBOTS


def random_tensor(rng: np.random.Generator) -> lp.Inertia:
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    tensor = turn @ np.diag(rng.normal(size=3) * rng.uniform(0.1, 3, 3)) @ turn.T
    return lp.Inertia(2.0, (0.1, 0.2, 0.3), ((tensor + tensor.T) / 2).tolist())


def test_the_nearest_tensor_is_physical_and_nearest() -> None:
    """Against a general solver over factors L of the covariance L L^T, which are all tensors that a body can have."""
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(12):
        body = random_tensor(rng)
        near = nearest_physical(body)
        a, b, c = near.principal_moments
        assert a > 0 and a + b - c >= MOMENT_SLACK * c
        assert (near.mass, near.center_of_mass) == (body.mass, body.center_of_mass)
        if near is body:
            continue
        changed += 1
        wanted = np.array(body.tensor)

        def distance(entries: np.ndarray, wanted: np.ndarray = wanted) -> float:
            factor = entries.reshape(3, 3)
            covariance = factor @ factor.T
            return float(np.sum((np.trace(covariance) * np.eye(3) - covariance - wanted) ** 2))

        best = min(minimize(distance, rng.normal(size=9), tol=1e-14).fun for _ in range(4))
        assert np.sum((np.array(near.tensor) - wanted) ** 2) == pytest.approx(best, rel=1e-5, abs=1e-9)
    assert changed > 6


def test_the_correction_that_romeo_got_is_the_nearest_tensor() -> None:
    """Two links of romeo_small break the triangle inequality; romeo.urdf has them corrected."""
    before, after = (_loaded(f"romeo_description/{name}") for name in ("romeo_small", "romeo"))
    for name in ("RShoulderYawLink", "RElbowYawLink"):
        assert before.link(name).inertia.faults()
        found, published = nearest_physical(before.link(name).inertia), after.link(name).inertia
        close = 2e-6 * found.principal_moments[2]  # six digits are published
        assert np.array(found.tensor) == pytest.approx(np.array(published.tensor), abs=close)


def _loaded(name: str) -> lp.Robot:
    with pytest.warns(lp.ModelWarning):
        return lp.load(REAL_ROBOTS[name])


# In place


def spoilt(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(arm(*changes))
    return path


def test_only_the_numbers_of_a_broken_tensor_change(tmp_path: Path) -> None:
    path = spoilt(tmp_path, ('izz="0.031"', 'izz="0.0325"'))
    found = lp.check(path)
    made = found.fixed_text().decode()
    before, after = path.read_text().splitlines(), made.splitlines()
    assert [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [7]
    assert found.write_fixed(tmp_path / "fixed.urdf").read_text() == made
    fixed = lp.load(tmp_path / "fixed.urdf")
    assert not fixed.link("upper").inertia.faults()
    mended = found.fixed().link("upper").inertia
    assert np.array(fixed.link("upper").inertia.tensor) == pytest.approx(np.array(mended.tensor), rel=1e-12, abs=1e-15)
    assert lp.check(tmp_path / "fixed.urdf").sound


def test_axes_are_scaled(tmp_path: Path) -> None:
    path = spoilt(tmp_path, ('<axis xyz="0 1 0"/>', "<axis xyz='0 3 4'/>"))
    assert "<axis xyz='0.0 0.6 0.8'/>" in lp.check(path).fixed_text().decode()


def test_forgotten_inertias_are_estimated_on_request(tmp_path: Path) -> None:
    text = arm()
    inertial = text[text.index("    <inertial>") : text.index("    <collision>")]
    path = spoilt(tmp_path, (inertial, ""))
    found = lp.check(path, density=1000)
    assert found.fixes() == ()
    found.write_fixed(tmp_path / "fixed.urdf", ["estimate"])
    assert lp.load(tmp_path / "fixed.urdf").link("upper").inertia.mass == pytest.approx(2.56)
    loaded = lp.load(path, estimate_inertia=1000)
    box = lp.Inertia.box((0.4, 0.08, 0.08), density=1000, pose=(0.2, 0, 0))
    assert loaded.link("upper").inertia == box and loaded.link("lower").inertia.mass == 1.3
    with pytest.raises(lp.ModelError, match=r"no <inertial>.*estimate_inertia=density"):
        lp.load(path)


def test_a_link_that_is_an_empty_element_gets_an_inertia(tmp_path: Path) -> None:
    text = arm()
    upper = text[text.index('  <link name="upper">') : text.index('  <link name="lower">')]
    path = spoilt(tmp_path, (upper, '  <link name="upper"  />\n'))
    found = lp.check(path)
    (fix,) = found.fixes(["massless"])
    found.write_fixed(tmp_path / "fixed.urdf", ["massless"])
    assert lp.load(tmp_path / "fixed.urdf").link("upper").inertia.mass == pytest.approx(1.3e-9)
    assert fix.kind == "massless"


def test_a_file_in_another_encoding_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    first = ('<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-16"?>')
    path.write_bytes(arm(('izz="0.031"', 'izz="0.04"'), first).encode("utf-16"))
    with pytest.raises(lp.ModelError, match="save it in UTF-8"):
        lp.check(path).fixed_text()


# Other programs

SAMPLE = (
    "allegro_hand_description/allegro_left_hand", "finger_edu_description/finger_edu",
    "tiago_description/tiago_no_hand", "human_description/human", "icub_description/icub_reduced",
)
REFUSED_BY_MUJOCO = (
    *SAMPLE,
    "alex_description/alex_psyonic_hands", "allegro_hand_description/allegro_right_hand",
    "anymal_b_simple_description/anymal", "anymal_b_simple_description/anymal-kinova",
    "anymal_c_simple_description/anymal",
    "b1_description/b1", "b1_description/b1-z1", "go1_description/go1", "hyq_description/hyq_no_sensors",
    "icub_description/icub", "pr2_description/pr2", "romeo_description/romeo", "romeo_description/romeo_laas_small",
    "romeo_description/romeo_small", "tiago_description/tiago", "tiago_description/tiago_dual",
)
MASSLESS = ("human_description/human", "romeo_description/romeo", "romeo_description/romeo_laas_small")
"""Robots with moving frames without mass, which are mended on request only."""


def without_shapes(text: str) -> str:
    """MuJoCo finds no meshes of packages."""
    text = re.sub(r"<\?xml[^>]*\?>", "", text)
    text = re.sub(r"<(visual|collision)\b[^>]*/>", "", text)
    return re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "name",
    [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.slow) for name in REFUSED_BY_MUJOCO],
)
def test_what_mujoco_refuses_it_takes_when_mended(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = REAL_ROBOTS[name]
    with pytest.raises(ValueError, match=r"A \+ B >= C|positive eigenvalues|mjMINVAL"):
        mujoco.MjModel.from_xml_string(without_shapes(path.read_text()))
    found = lp.check(path, meshes=False)
    kinds = ("inertia", "axis", "massless") if name in MASSLESS else ("inertia", "axis")
    made = found.fixed_text(kinds).decode()
    mujoco.MjModel.from_xml_string(without_shapes(made))
    if found.robot is not None:
        ours, theirs = found.fixed(kinds), pin.buildModelFromXML(made)
        mass = sum(link.inertia.mass for link in ours.links[1:])
        assert sum(body.mass for body in list(theirs.inertias)[1:]) <= mass * (1 + 1e-9)
        assert not [link.name for link in ours.links if link.inertia.mass and link.inertia.faults()]


@pytest.mark.slow
def test_mujoco_refuses_no_others() -> None:
    refused = []
    for name, path in REAL_ROBOTS.items():
        try:
            mujoco.MjModel.from_xml_string(without_shapes(path.read_text()))
        except ValueError:
            refused.append(name)
    assert sorted(refused) == sorted(REFUSED_BY_MUJOCO)
