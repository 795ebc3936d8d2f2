"""Groups in symbols, against the formulas of Gautier and Khalil and against the numeric groups."""

import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.identification.geometry import Symbols, moved
from loadpath.identification.parameters import DynamicParameters, of_inertia
from loadpath.identification.symbolic import regrouped
from loadpath.robot.catalog.random_robots import random_inertia
from loadpath.scalars import array

PUMA_MODIFIED = [  # alpha, a, d
    (0.0, 0.0, 0.0),
    (-np.pi / 2, 0.0, 0.2435),
    (0.0, 0.4318, -0.0934),
    (np.pi / 2, -0.0203, 0.4331),
    (-np.pi / 2, 0.0, 0.0),
    (np.pi / 2, 0.0, 0.0),
]


def modified(rows, kinds=None, **options):
    body = {"mass": 1.0, "center_of_mass": (0.1, 0.2, 0.3), "inertia": (0.1, 0.2, 0.25)}
    kinds = kinds or ["revolute"] * len(rows)
    rows = [
        {"alpha": alpha, "a": a, "d": d, "joint": kind} | body for (alpha, a, d), kind in zip(rows, kinds, strict=True)
    ]
    return lp.from_dh(rows, "modified", **options)


def parsed(text):
    names = {name: sympy.Symbol(name, real=True) for name in ["a2", "a3", "a4", "d2", "d3", "d4", "alpha3"]}
    return sympy.sympify(text, locals=names | {p: sympy.Symbol(p, real=True) for p in DynamicParameters(six()).names})


def six():
    return modified(PUMA_MODIFIED)


def test_the_regrouping_formulas_of_gautier_and_khalil():
    """What a link on a revolute joint hands to its parent, for any alpha, a and d (their equations 28 to 38)."""
    arm = modified([(0.3, 0.1, 0.2), (0.5, 0.3, 0.4), (0.7, 0.2, 0.5)])
    symbols = Symbols()
    forms, left = regrouped(DynamicParameters(arm), symbols)
    names = DynamicParameters(arm).names
    assert [names[j] for j in left if j >= 20] == [f"{p}{i}" for i in (2, 3) for p in
            ("mx", "my", "Ixx", "Ixy", "Ixz", "Iyz", "Izz")]
    a, d, alpha = sympy.symbols("a3 d3 alpha3", real=True)
    s, c = sympy.sin(alpha), sympy.cos(alpha)
    m, mz, Iyy = (names.index(f"{p}3") for p in ("m", "mz", "Iyy"))
    # coefficients of m3, mz3 and Iyy3 in the parameters of link 2, before it hands on its own Iyy
    expected = {
        "mx": (a, 0, 0), "my": (-d * s, -s, 0),
        "Ixy": (a * d * s, a * s, 0), "Ixz": (-a * d * c, -a * c, 0),
        "Iyz": (d**2 * c * s, 2 * d * c * s, c * s),
        "Izz": (a**2 + d**2 * s**2, 2 * d * s**2, s**2),
        "Ixx": (d**2 - a**2 - d**2 * c**2, 2 * d - 2 * d * c**2, 1 - c**2),  # Ixx - Iyy: Iyy2 has been handed on
    }
    for name, coefficients in expected.items():
        form = forms[names.index(f"{name}2")]
        for column, coefficient in zip((m, mz, Iyy), coefficients, strict=True):
            assert sympy.simplify(form.get(column, 0) - coefficient) == 0, (name, names[column])
    assert forms[names.index("Ixx3")] == {names.index("Ixx3"): 1, Iyy: -1}


def test_the_groups_of_the_puma_560():
    """As W. Khalil and E. Dombre print them for such an arm, joints 2 and 3 parallel, a wrist of three axes."""
    groups = six().base_parameters().symbolic()
    expected = {
        "mx2": "mx2 + a3*(m3 + m4 + m5 + m6)",
        "Ixx2": "Ixx2 - Iyy2 - a3**2*(m3 + m4 + m5 + m6)",
        "Izz2": "Izz2 + a3**2*(m3 + m4 + m5 + m6)",
        "Ixz2": "Ixz2 - a3*mz3 - a3*d3*(m3 + m4 + m5 + m6)",
        "my3": "my3 - mz4 - d4*(m4 + m5 + m6)",
        "Ixx4": "Ixx4 - Iyy4 + Iyy5",
        "Izz4": "Izz4 + Iyy5",
        "my4": "my4 + mz5",
        "Ixx6": "Ixx6 - Iyy6",
        "Izz6": "Izz6",
    }
    by_lead = dict(zip(six().base_parameters().names, groups.groups, strict=True))
    assert len(groups.groups) == 36
    for lead, text in expected.items():
        assert sympy.expand(by_lead[lead] - parsed(text)) == 0, lead
    assert groups.found_by_numbers == ()
    assert "a3 (m3 + m4 + m5 + m6)" in str(groups) and r"\begin{array}" in groups.latex()


@pytest.mark.parametrize(
    "robot",
    [
        lp.catalog.puma560(),
        lp.catalog.stanford_arm(),
        lp.catalog.panda(hand=True),
        lp.catalog.lau_arm(),
        lp.catalog.planar(3).with_gravity((0, 0, 0)),
        lp.catalog.random_dh_arm(2, 1).with_gravity((1.0, 2.0, 3.0)),
        lp.catalog.random_tree(4, 3, "all", general=True),
        modified([(0, 0, 0), (0, 0.3, 0.1), (0, 0.2, 0)], ["revolute", "revolute", "prismatic"], name="scara"),
        modified([(0, 0, 0), (np.pi / 2, 0, 0), (0, 0.2, 0)], ["prismatic", "prismatic", "revolute"], name="gantry"),
    ],
    ids=lambda robot: robot.name,
)
def test_symbols_agree_with_numbers(robot):
    """Evaluated, the symbolic groups are the numeric ones: `symbolic` checks it, and here once more from outside."""
    base = robot.base_parameters(rotors=True)
    groups = base.symbolic()
    vector = np.random.default_rng(1).normal(size=len(base.parameter_names))
    for i, link in enumerate(robot.links):
        if link.inertia.is_zero:  # frames are left out of the printed groups
            vector[10 * i : 10 * i + 10] = 0.0
    names = (sympy.Symbol(name, real=True) for name in base.parameter_names)
    exact = dict(zip(names, vector, strict=True)) | dict(groups.values)
    found = [float(group.subs(exact)) for group in groups.groups]
    np.testing.assert_allclose(found, base.matrix @ vector, atol=1e-9)


def test_what_only_numbers_find_is_told():
    """A slide along the axis of the turn before it: its mx and my act as those of the link that turns."""
    scara = modified([(0, 0, 0), (0, 0.3, 0.1), (0, 0.2, 0)], ["revolute", "revolute", "prismatic"], name="scara")
    groups = scara.base_parameters().symbolic()
    assert set(groups.found_by_numbers) == {"mx3", "my3"} or set(groups.found_by_numbers) == {"mx2", "my2"}
    assert "grouped by numbers" in str(groups)


def test_moving_a_body_to_another_frame():
    rng = np.random.default_rng(3)
    body = random_inertia(rng)
    pose = lp.Pose.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, 0.5, -0.6))
    matrix = moved(array(pose.R.tolist()), array(pose.p.tolist())).astype(float)
    np.testing.assert_allclose(matrix @ of_inertia(body), of_inertia(body.seen_from(pose)), atol=1e-14)
