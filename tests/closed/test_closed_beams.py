"""Closed robots of beams: reactions that statics leaves open, deflections and stresses, against frames by hand and by
finite elements of which every hinge is a rotation that two bars do not share.
"""

from __future__ import annotations

import pickle
import warnings
from functools import cache

import numpy as np
import pytest

import loadpath as lp
from loadpath.quantities.wrench import DETERMINATE

ROD, SLIM, STEEL = lp.Rod(0.02), lp.Rod(0.002), lp.STEEL
HINGE = lp.Revolute((0, 1, 0))
LOAD = {"coupler": lp.Wrench(force=(120.0, 80.0, -60.0), torque=(3.0, -5.0, 4.0))}
LENGTHS = {"crank": 0.12, "coupler": 0.36, "rocker": 0.28}


# A portal with hinged feet, by hand


@cache
def portal(rise: float = 1.5, span: float = 2.0) -> lp.ClosedFlexibleRobot:
    links = [
        lp.Link("ground"),
        *(lp.Link(name, lp.Inertia(20.0)) for name in ("left", "girder", "right")),
        lp.Link("mid"),
    ]
    joints = [
        lp.Joint("left_foot", "ground", "left", HINGE),
        lp.Joint("left_corner", "left", "girder", lp.Fixed(), (0, 0, rise)),
        lp.Joint("right_corner", "girder", "right", lp.Fixed(), (span, 0, 0)),
        lp.Joint("mid_weld", "girder", "mid", lp.Fixed(), (span / 2, 0, 0)),
    ]
    tree = lp.Robot("portal", tuple(links), tuple(joints)).with_gravity(0.0)
    closed = tree.with_loop("right_foot", "right", "ground", motion=HINGE, at=(0, 0, -rise), q=[0.0])
    ends = {"left": "left_corner", "girder": "right_corner", "right": "right_foot"}
    return closed.with_beams({link: lp.Beam(SLIM, STEEL, end=end) for link, end in ends.items()})


def test_a_portal_pushes_its_feet_apart_as_the_handbook_has_it() -> None:
    load, rise, span = 1.0, 1.5, 2.0
    assert portal().mobility == 0
    found = portal().static_wrenches([0.0], external={"mid": lp.Wrench(force=(0, 0, -load))})
    thrust = 3 * load * span / (8 * rise * (2 * rise / span + 3))  # equal sections, bending alone
    np.testing.assert_allclose(found["right_foot"].force, [thrust, 0, -load / 2], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(found["left_foot"].force, [thrust, 0, load / 2], rtol=1e-4, atol=1e-9)
    open_ = portal().reaction_leverages.uncompiled([0.0]) > DETERMINATE
    assert open_[-1, 0] and not open_[-1, 2]
    # The rigid rule does not know of the bending: it takes the thrust for nothing.
    rigid = portal().without_beams().static_wrenches.uncompiled([0.0], external={"mid": lp.Wrench(force=(0, 0, -load))})
    assert abs(rigid["right_foot"].force[0]) < 0.5 * thrust
    sag = portal().deflection([0.0], external={"mid": lp.Wrench(force=(0, 0, -load))})["mid"].displacement[2]
    EI = STEEL.youngs_modulus * SLIM.second_moment_y
    simple, corner = load * span**3 / (48 * EI), thrust * rise  # a simple beam, less what the corner moments lift
    assert sag == pytest.approx(-(simple - corner * span**2 / (8 * EI)), rel=1e-4)


# A four-bar of rods, loaded in all directions, against finite elements


@cache
def bar() -> lp.ClosedFlexibleRobot:
    made = lp.catalog.four_bar().with_gravity(0.0)
    ends = {"crank": "coupler_joint", "coupler": "rocker_pin", "rocker": "rocker_pin"}
    made = made.with_inertias({link: lp.Inertia(5.0) for link in ends})
    return made.with_beams({link: lp.Beam(ROD, STEEL, end=end) for link, end in ends.items()})


def element(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Stiffness (12, 12) in world axes of a straight rod that shears: displacement and rotation of both ends."""
    length = float(np.linalg.norm(b - a))
    E, G, A, J = STEEL.youngs_modulus, STEEL.shear_modulus, ROD.area, ROD.second_moment_y
    k = np.zeros((12, 12))
    for i, stiffness in ((0, E * A / length), (3, G * ROD.torsion_constant / length)):
        k[np.ix_([i, i + 6], [i, i + 6])] += stiffness * np.array([[1, -1], [-1, 1]])
    factors = ROD.shear_factors(STEEL.poisson_ratio)
    for u, r, sign, factor in ((1, 5, 1.0, factors[0]), (2, 4, -1.0, factors[1])):
        phi = 12 * E * J / (G * factor * A * length**2)
        c, s = E * J / (length**3 * (1 + phi)), sign * length
        k[np.ix_([u, r, u + 6, r + 6], [u, r, u + 6, r + 6])] += c * np.array([
            [12, 6 * s, -12, 6 * s],
            [6 * s, (4 + phi) * length**2, -6 * s, (2 - phi) * length**2],
            [-12, -6 * s, 12, -6 * s],
            [6 * s, (2 - phi) * length**2, -6 * s, (4 + phi) * length**2],
        ])
    x = (b - a) / length
    y = np.cross([0.0, 1.0, 0.0], x)
    R = np.kron(np.eye(4), np.stack([x, y / np.linalg.norm(y), np.cross(x, y / np.linalg.norm(y))]))
    stiffness: np.ndarray = R.T @ k @ R
    return stiffness


def finite_elements(
    robot: lp.ClosedFlexibleRobot, q: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Displacements (12) of the ends of every bar, and what acts on them (12), for LOAD at the start of the coupler.
    The hinges turn about y of the world. The crank's foot is held by its drive.
    """
    poses = dict(zip(robot.link_names, robot.tree.link_poses.uncompiled(q), strict=True))
    A, B, D = (poses[link][:3, 3] for link in ("crank", "coupler", "rocker"))
    C = poses["rocker"][:3, :3] @ [0.28, 0, 0] + D
    bars = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    # Numbers of the unknowns; -1 is held. Displacements, then rotations about x, y, z; about y each bar has its own.
    held = [-1] * 6
    at_b, at_c = [0, 1, 2, 3, None, 4], [5, 6, 7, 8, None, 9]
    own = {"crank B": 10, "coupler B": 11, "coupler C": 12, "rocker C": 13, "rocker D": 14}

    def with_own(numbers: list[int | None], name: str) -> list[int]:
        return [own[name] if number is None else number for number in numbers]

    ends = {
        "crank": held + with_own(at_b, "crank B"),
        "coupler": with_own(at_b, "coupler B") + with_own(at_c, "coupler C"),
        "rocker": [-1, -1, -1, -1, own["rocker D"], -1, *with_own(at_c, "rocker C")],
    }
    K, f = np.zeros((16, 16)), np.zeros(16)  # the last row takes what is held
    for name, (a, b) in bars.items():
        K[np.ix_(ends[name], ends[name])] += element(a, b)
    wrench = LOAD["coupler"]
    f[ends["coupler"][:6]] += [*wrench.force, *wrench.torque]
    u = np.append(np.linalg.solve(K[:15, :15], f[:15]), 0.0)
    moved = {name: u[ends[name]] for name in bars}
    return moved, {name: element(*bars[name]) @ moved[name] for name in bars}


@pytest.fixture(scope="module")
def pose() -> np.ndarray:
    return bar().home


def test_a_four_bar_of_rods_against_finite_elements(pose: np.ndarray) -> None:
    moved, forces = finite_elements(bar(), pose)
    found = bar().deflection(pose, external=LOAD)
    scale = max(float(np.abs(part[:3]).max()) for part in moved.values())
    np.testing.assert_allclose(found["coupler"].displacement, moved["coupler"][:3], atol=1e-8 * scale)
    np.testing.assert_allclose(found["coupler"].rotation, moved["coupler"][3:6], atol=1e-7 * scale)
    np.testing.assert_allclose(found["rocker"].rotation, moved["rocker"][3:6], atol=1e-7 * scale)
    wrenches = bar().static_wrenches(pose, external=LOAD)
    poses = dict(zip(bar().link_names, bar().tree.link_poses.uncompiled(pose), strict=True))
    for joint, link, at in (("crank_joint", "crank", 0), ("rocker_joint", "rocker", 0), ("rocker_pin", "rocker", 6)):
        six = forces[link][at : at + 6]
        R = poses[link][:3, :3]
        np.testing.assert_allclose(R @ wrenches[joint].force, six[:3], atol=1e-6)
        np.testing.assert_allclose(R @ wrenches[joint].torque, six[3:], atol=1e-6)


def test_what_is_determinate_is_that_of_rigid_links(pose: np.ndarray) -> None:
    elastic = bar().static_wrenches(pose, external=LOAD)
    rigid = bar().without_beams().static_wrenches.uncompiled(pose, external=LOAD)
    known = bar().reaction_leverages.uncompiled(pose) < DETERMINATE
    for part, which in (("force", known[..., :3]), ("torque", known[..., 3:])):
        difference = np.abs(getattr(elastic, part) - getattr(rigid, part))
        assert difference[which].max() < 1e-8
        assert difference[~which].max() > 1.0


def test_stress_is_that_of_the_cut_tree_and_batches_are_rows(pose: np.ndarray) -> None:
    batch = np.stack([pose, pose])
    found = bar().stress(batch, external=LOAD)
    _, forces = finite_elements(bar(), pose)
    axial = forces["rocker"][:3]
    x = bar().tree.link_poses.uncompiled(pose)[3, :3, 0]
    of_rocker = found.of("rocker").axial
    assert of_rocker.shape[0] == 2
    np.testing.assert_allclose(of_rocker[1], -axial @ x / ROD.area, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lost = bar().deflection([pose, [np.nan] * 3], external=LOAD)
    assert lost.unknown.tolist() == [False, True]


def test_compliance_of_joints_and_loops_shares_a_load_like_springs_side_by_side(pose: np.ndarray) -> None:
    tilting = lp.JointCompliance(tilting=1e2)
    springs = {"rocker_joint": lp.JointCompliance(axial=1e5), "crank_joint": lp.JointCompliance(axial=3e5)}
    springs |= {"rocker_pin": tilting, "coupler_joint": tilting}
    made = lp.catalog.four_bar().with_gravity(0.0).with_beams(joint_compliance=springs)
    assert made.loop_compliances[0][0] == "rocker_pin"
    found = made.static_wrenches(pose, external=LOAD)
    # Links are rigid, so that the work of any statically admissible change of the reactions vanishes.
    other = made.without_beams().static_wrenches.uncompiled(pose, external=LOAD)
    change = {name: np.concatenate([found[name].force - other[name].force, found[name].torque - other[name].torque])
              for name in made.closed_joint_names}
    strain = {name: given.matrix(made.joint(name)) if name in made.joint_names else np.array(given.resolved)
              for name, given in made.joint_compliances}
    works = sum(change[name] @ strain[name] @ [*found[name].force, *found[name].torque] for name in springs)
    size = sum(change[name] @ strain[name] @ change[name] for name in springs)
    assert abs(works) < 1e-9 * size and size > 0


def test_edits_keep_the_beams() -> None:
    assert pickle.loads(pickle.dumps(bar())) == bar() and hash(pickle.loads(pickle.dumps(bar()))) == hash(bar())
    assert bar() != bar().without_beams() and isinstance(bar().without_beams(), lp.ClosedRobot)
    for made in (bar().with_payload(1.0, link="coupler"), bar().with_gravity(1.6), bar().floating()):
        assert isinstance(made, lp.ClosedFlexibleRobot) and made.beams == bar().beams and made.loops == bar().loops
    held = bar().locked({"crank_joint": bar().home[0]})
    assert held.beams == bar().beams and held.mobility == 0
    assert isinstance(bar().tree, lp.FlexibleRobot) and bar().tree.beams[1][1].end == (0.36, 0.0, 0.0)
    again = bar().with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(radial=1e7)})
    assert again.beams == bar().beams and again.joint_compliances[0][0] == "rocker_pin"


@pytest.mark.parametrize("name", ["simulate", "rollout", "step"])
def test_what_is_not_computed_is_refused_by_name(name: str) -> None:
    with pytest.raises(lp.ModelError, match=rf"'four_bar': {name} is refused: .*beams or joint compliance"):
        getattr(bar(), name)(bar().home)


def test_a_beam_that_ends_at_a_loop_of_other_links() -> None:
    with pytest.raises(lp.ModelError, match="link 'crank': its beam ends at loop 'rocker_pin', which is between"):
        lp.catalog.four_bar().with_beams({"crank": lp.Beam(ROD, STEEL, end="rocker_pin")})
