"""Assembly against closed forms: circles that meet, rods of given length, and differences along paths."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.linkages_by_hand import by_circles, four_bar, same_angles
from closed.references.delta import Delta, arm_angles
from closed.references.universal_leg import Piece
from loadpath.closure.freedoms import poses_nearby
from loadpath.kinematics.closed.determinants import _determinant

CRANK_ROCKER = (0.3, 0.8, 0.6, 0.7)
DOUBLE_ROCKER = (0.6, 0.4, 0.5, 0.8)
BALL = lp.Inertia(1.0, tensor=np.eye(3))
PARALLELOGRAM = (0.3, 0.7, 0.3, 0.7)


@pytest.fixture(scope="module")
def delta() -> lp.ClosedRobot:
    return lp.catalog.delta()


@pytest.fixture(scope="module")
def stewart() -> lp.ClosedRobot:
    return lp.catalog.stewart_platform()


@pytest.mark.parametrize("side", [1, -1])
def test_both_modes_of_a_four_bar_are_kept(side: int) -> None:
    bar = four_bar(*CRANK_ROCKER)
    near = by_circles(*CRANK_ROCKER, 0.4, side)
    angles = np.random.default_rng(3).uniform(-np.pi, np.pi, 400)
    found = bar.assemble({"crank_joint": angles}, near)
    assert found.reached.all() and found.error.max() < 1e-12
    assert same_angles(found.q, by_circles(*CRANK_ROCKER, angles, side)) < 1e-11
    assert len(np.unique(found.branch)) == 1
    other = bar.assemble({"crank_joint": 0.4}, by_circles(*CRANK_ROCKER, 0.4, -side))
    assert other.branch != found.branch[0]


def test_a_path_of_many_turns_keeps_its_mode_and_counts_turns() -> None:
    bar = four_bar(*CRANK_ROCKER)
    near = by_circles(*CRANK_ROCKER, 0.0, 1)
    angles = np.linspace(0.0, 20 * np.pi, 3001)
    found = bar.assemble({"crank_joint": angles}, near)
    assert same_angles(found.q, by_circles(*CRANK_ROCKER, angles, 1)) < 1e-11
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.05
    assert found.q[-1, 1] - found.q[0, 1] == pytest.approx(-20 * np.pi, abs=1e-9)
    assert len(np.unique(found.branch)) == 1


def test_a_path_passes_a_dead_point_straight_on() -> None:
    """A parallelogram that lies flat could go on as an antiparallelogram; it goes on as it came."""
    bar = four_bar(*PARALLELOGRAM)
    angles = np.linspace(0.3, 0.3 + 2 * np.pi, 500)
    found = bar.assemble({"crank_joint": angles}, [0.3, -0.3, 0.3])
    assert found.error.max() < 1e-12
    np.testing.assert_allclose(found.q[:, 2], angles, atol=1e-7)
    assert set(found.branch[angles < 3.1]) != set(found.branch[(angles > 3.2) & (angles < 6.2)])


def test_beyond_its_range_a_double_rocker_does_not_close() -> None:
    a, b, c, d = DOUBLE_ROCKER
    bar = four_bar(*DOUBLE_ROCKER)
    largest = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    angles = np.linspace(0.5, np.pi, 60)
    with pytest.warns(lp.ModelWarning, match="cannot be assembled in"):
        found = bar.assemble({"crank_joint": angles}, by_circles(*DOUBLE_ROCKER, 1.0, 1), strict=False)
    assert (found.reached == (angles < largest)).all()
    apart = np.sqrt(a * a + d * d - 2 * a * d * np.cos(angles[-1])) - (b + c)
    assert found.error[-1] == pytest.approx(apart, rel=1e-6)  # the nearest there is
    message = r"'four_bar' cannot be assembled: at crank_joint = 3: loop 'pin' stays [\d.]+ m and 0 rad open"
    with pytest.raises(ValueError, match=message):
        bar.assemble({"crank_joint": 3.0})


def test_any_joint_can_be_given_and_batches_broadcast() -> None:
    bar = four_bar(*CRANK_ROCKER)
    q = by_circles(*CRANK_ROCKER, np.linspace(0.5, 1.5, 6).reshape(2, 3), 1)
    found = bar.assemble({"rocker_joint": q[..., 2]}, q + 0.02)
    assert found.q.shape == (2, 3, 3) and found.reached.shape == found.branch.shape == (2, 3)
    assert same_angles(found.q, q) < 1e-10
    assert bar.assemble(q[..., :1], q[0, 0]).q.shape == (2, 3, 3)
    assert bar.assemble({"crank_joint": np.zeros((0,))}).q.shape == (0, 3)


def test_a_row_that_is_no_number_stays_alone() -> None:
    bar = four_bar(*CRANK_ROCKER)
    with pytest.warns(lp.ModelWarning, match=r"1 of 3 states is not a number \(1\)"):
        found = bar.assemble({"crank_joint": [0.1, np.nan, 0.2]})
    assert found.reached.tolist() == [True, False, True]
    assert np.isnan(found.q[1]).all() and np.isnan(found.error[1]) and np.isfinite(found.q[[0, 2]]).all()


def test_places_of_a_five_bar_by_the_law_of_cosines() -> None:
    robot = lp.catalog.five_bar()
    tip = robot.link_names.index("tip")
    pose = robot.link_poses(robot.home)[tip]
    poses = np.broadcast_to(pose, (12, 4, 4)).copy()
    poses[:, [0, 2], 3] += np.random.default_rng(2).uniform(-0.08, 0.08, (12, 2))
    found = robot.inverse_kinematics(poses, "tip", weights=(1, 1, 1, 0, 0, 0))
    assert found.reached.all() and found.position_error.max() < 1e-12
    place = poses[:, 0, 3] + 1j * poses[:, 2, 3]
    crank, rod = robot.joint("left_rod_joint").origin.translation[0], robot.loops[0].at.translation[0]
    ground = robot.joint("right_joint").origin.translation[0]
    for name, hinge, elbow in (("left_joint", 0.0, 1), ("right_joint", ground, -1)):
        away = place - hinge
        r = np.abs(away)
        expected = np.angle(away) + elbow * np.arccos((crank**2 + r * r - rod**2) / (2 * crank * r))
        assert same_angles(found.q[:, robot.coordinate_names.index(name)], expected) < 1e-11
    far = pose.copy()
    far[0, 3] += 3.0
    with pytest.warns(lp.ModelWarning, match=r"assembled: link 'tip' stays [\d.]+ m.*, or give another start"):
        assert not robot.inverse_kinematics(far, "tip", weights=(1, 1, 1, 0, 0, 0)).reached


def _reference() -> Delta:
    psi = np.radians([0.0, 120.0, 240.0])
    outward = np.stack([np.cos(psi), np.sin(psi), 0 * psi], axis=-1)
    tangent = np.stack([-np.sin(psi), np.cos(psi), 0 * psi], axis=-1)
    ends = np.array([[[0.3, -0.05, 0.0], [0.3, 0.05, 0.0]]] * 3)
    balls = np.stack([0.05 * outward - 0.05 * tangent, 0.05 * outward + 0.05 * tangent], axis=1)
    none = Piece(0.0, np.zeros(3), np.zeros((3, 3)))
    return Delta(0.2 * outward, tangent, outward, ends, balls, 0.8, none, 0.0, np.zeros(3), 0.0, 0.0, np.zeros(3),
                 np.zeros(3))


@pytest.mark.slow
def test_poses_of_the_delta_against_its_closed_form(delta: lp.ClosedRobot) -> None:
    rng = np.random.default_rng(0)
    places = np.array([0.0, 0.0, -0.75]) + rng.uniform(-1, 1, (40, 3)) * [0.15, 0.15, 0.1]
    poses = np.broadcast_to(np.eye(4), (40, 4, 4)).copy()
    poses[:, :3, 3] = places
    found = delta.assemble(poses={"platform": poses})
    assert found.reached.all() and found.error.max() < 1e-12
    arms = [delta.coordinate_names.index(name) for name in delta.driven]
    expected = np.array([arm_angles(_reference(), p, -1) for p in places])
    assert same_angles(found.q[:, arms], expected) < 1e-10
    # and back: the drives bring the platform to these places, without turning it
    back = delta.assemble(found.q[:, arms])
    there = delta.link_poses(back.q)[:, delta.link_names.index("platform")]
    np.testing.assert_allclose(there, poses, atol=1e-11)
    # a position alone is enough, as inverse kinematics asks for it
    alone = delta.inverse_kinematics(poses, "platform", weights=(1, 1, 1, 0, 0, 0))
    np.testing.assert_allclose(alone.q[:, arms], found.q[:, arms], atol=1e-10)


@pytest.mark.slow
def test_legs_of_the_stewart_platform_are_distances(stewart: lp.ClosedRobot) -> None:
    rng = np.random.default_rng(1)
    places = np.array([0.0, 0.0, 0.75]) + rng.uniform(-0.06, 0.06, (20, 3))
    poses = np.stack([_pose(rng.uniform(-0.15, 0.15, 3), place) for place in places])
    found = stewart.assemble(poses={"platform": poses})
    legs = [stewart.coordinate_names.index(name) for name in stewart.driven]
    balls = {loop.name: np.array(loop.on.translation) for loop in stewart.loops}
    balls["ball1"] = -np.array(stewart.joint("ball1").link_offset.translation)
    for k, leg in enumerate(legs, start=1):
        foot = np.array(stewart.joint(f"leg{k}_pivot").origin.translation)
        head = poses[:, :3, :3] @ balls[f"ball{k}"] + poses[:, :3, 3]
        np.testing.assert_allclose(found.q[:, leg], np.linalg.norm(head - foot, axis=1), atol=1e-12)
    back = stewart.assemble(found.q[:, legs], found.q + 0.01)
    assert back.reached.all()
    np.testing.assert_allclose(stewart.link_poses(back.q)[:, stewart.link_names.index("platform")], poses, atol=1e-10)


def _pose(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    x, y, z = turn
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.linalg.norm(turn)
    pose = np.eye(4)
    pose[:3, :3] += np.sin(angle) / angle * skew + (1 - np.cos(angle)) / angle**2 * skew @ skew
    pose[:3, 3] = place
    return pose


@pytest.mark.slow
def test_a_platform_follows_a_path_of_poses(delta: lp.ClosedRobot) -> None:
    turn = np.linspace(0, 2 * np.pi, 30)
    poses = np.broadcast_to(np.eye(4), (30, 4, 4)).copy()
    poses[:, :3, 3] = np.stack([0.1 * np.cos(turn), 0.1 * np.sin(turn), 0 * turn - 0.7], axis=-1)
    found = delta.assemble(poses={"platform": poses}, path=True)
    assert found.reached.all() and np.abs(np.diff(found.q, axis=0)).max() < 0.1
    np.testing.assert_allclose(found.q[-1], found.q[0], atol=1e-10)


def test_limits_are_kept_or_ignored() -> None:
    links = tuple(lp.Link(name, BALL) for name in ("base", "rod", "slide"))
    joints = (
        lp.Joint("rod_joint", "base", "rod", lp.Revolute()),
        lp.Joint("slide_joint", "base", "slide", lp.Prismatic((1, 0, 0)), limits=(lp.Limits(0.2, 0.45),)),
    )
    tree = lp.Robot("rod", links, joints)
    # A scotch yoke: the end of the rod stays on a line across the slide.
    yoke = tree.with_loop("yoke", "slide", "rod", motion=lp.PointOnLine((0, 1, 0)), on=(0.5, 0, 0))
    robot = yoke.with_home([1.1, 0.5 * np.cos(1.1)])
    free = robot.assemble({"rod_joint": 0.0}, limits=False, strict=False)
    assert free.q[1] == pytest.approx(0.5, abs=1e-9)
    with pytest.raises(ValueError, match=r"'slide_joint' is at the limit there.*or limits=False"):
        robot.assemble({"rod_joint": 0.0})
    kept = robot.assemble({"rod_joint": 1.0})
    assert kept.reached and 0.2 <= kept.q[1] <= 0.45


@pytest.mark.parametrize(
    ("driven", "words"),
    [
        ({"crank": 0.1}, r"has no speed 'crank' \(did you mean 'crank_joint'\?\)"),
        ({"pin": 0.1}, "'pin' closes a loop and has no coordinate of its own"),
        ([0.1, 0.2], r"has the shape \(2,\): expected \(\.\.\., 1\), the drives crank_joint in this order"),
        ({"crank_joint": "fast"}, "'crank_joint' is 'fast': expected numbers"),
        ({"crank_joint": [0.1, 0.2], "rocker_joint": [1.0, 1.0, 1.0]}, "batch shapes do not go together"),
    ],
)
def test_what_cannot_be_driven(driven: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        four_bar(*CRANK_ROCKER).assemble(driven)


def test_loop_positions_are_angles_between_links() -> None:
    bar = four_bar(*CRANK_ROCKER)
    angles = np.linspace(0, 4 * np.pi, 200)
    q = bar.assemble({"crank_joint": angles}, by_circles(*CRANK_ROCKER, 0.0, 1)).q
    pin = bar.loop_positions(q, unwrap=True)["pin"][:, 0]
    expected = q[:, 2] - q[:, 0] - q[:, 1]
    assert same_angles(pin, expected) < 1e-12
    assert np.abs(np.diff(pin)).max() < 0.2
    assert abs(bar.loop_positions(q)["pin"]).max() <= np.pi
    q[[0, 5]] = np.nan
    gaps = bar.loop_positions(q, unwrap=True)["pin"][:, 0]
    assert np.flatnonzero(np.isnan(gaps)).tolist() == [0, 5]  # NaN stays in its state
    turns = (gaps - pin)[1:] / (2 * np.pi)
    assert np.ptp(np.delete(turns, 4)) < 1e-12


def test_loop_positions_go_on_over_half_a_turn_only_where_that_is_asked_for() -> None:
    """A parallelogram: the crank turns twice, its coupler stays level, the pin at its end turns twice as well."""
    bar = four_bar(1.0, 2.0, 1.0, 2.0)
    angles = np.linspace(0.5, 0.5 + 4 * np.pi, 161)
    q = np.column_stack([angles, -angles, angles])
    assert np.abs(bar.closure(q)).max() < 1e-12
    wrapped = bar.loop_positions(q)["pin"][:, 0]
    np.testing.assert_allclose(wrapped, np.arctan2(np.sin(angles), np.cos(angles)), atol=1e-12)
    on = bar.loop_positions(q, unwrap=True)["pin"][:, 0]
    np.testing.assert_allclose(on, angles, atol=1e-12)
    np.testing.assert_array_equal(bar.loop_positions(q[-1], unwrap=True)["pin"], wrapped[-1:])


def test_loop_positions_of_all_joint_types_are_those_of_a_tree() -> None:
    """A loop at the pose that a joint of the tree makes has that joint's coordinates."""
    rng = np.random.default_rng(5)
    kinds = [
        lp.Revolute((1, 2, 3), zero=0.3), lp.Prismatic((1, 2, 3)), lp.Helical((0, 1, 1), pitch=0.1),
        lp.Cylindrical((1, 0, 1)), lp.Universal((1, 0, 0), (0, 1, 1)), lp.Planar(), lp.Translational(), lp.Spherical(),
        lp.PointOnLine((1, 1, 0)), lp.PointOnPlane((0, 1, 1)), lp.Fixed(),
        lp.Generalized("rx ry rz x y"), lp.Generalized("-rz ry x"),
        lp.Generalized((("turn", (1, 1, 0)), ("slide", (0, 1, 1)), "x")),
    ]
    for kind in kinds:
        tree = lp.Robot("pair", (lp.Link("base"), lp.Link("body", BALL)), (lp.Joint("j", "base", "body", kind),))
        robot = tree.with_loop("loop", "base", "body", motion=kind, on=lp.Pose())
        q = rng.uniform(-1, 1, (4, tree.nq))
        if kind.coordinates != kind.dof:
            q[:, -4:] /= np.linalg.norm(q[:, -4:], axis=1, keepdims=True)
            q[:, -4:] *= np.sign(q[:, -1:])
        found = np.stack([_positions(robot, row) for row in q])
        np.testing.assert_allclose(found, q, atol=1e-12, err_msg=repr(kind))


def _positions(robot: lp.ClosedRobot, q: np.ndarray) -> np.ndarray:
    """Without compiling the poses of this robot, by the joint alone."""
    from loadpath.scalars import array

    motion = robot.loops[0].motion
    Q, b = motion.placement(array(q.tolist()))
    return motion.coordinates_at(Q.matrix().astype(float), b.astype(float))


def test_angles_without_limits_stay_within_half_a_turn_of_where_the_search_began() -> None:
    """Nothing else says which of the turns is meant; where the others close it is told by the circles."""
    bar = four_bar(*CRANK_ROCKER)
    rng = np.random.default_rng(3)
    for _ in range(12):
        near, crank = rng.uniform(-20, 20, 3), float(rng.uniform(0, 6))
        found = bar.assemble([crank], near=near)
        assert found.reached and np.abs(found.q[1:] - near[1:]).max() <= np.pi
        assert min(same_angles(found.q, by_circles(*CRANK_ROCKER, crank, side)) for side in (1, -1)) < 1e-8


def test_a_path_of_poses_goes_on_over_many_turns() -> None:
    """The coupler is led by its poses: the crank turns thrice, and no angle leaps by a turn."""
    bar = four_bar(*CRANK_ROCKER)
    crank = np.linspace(0.3, 0.3 + 6 * np.pi, 121)
    expected = np.unwrap(by_circles(*CRANK_ROCKER, crank, 1), axis=0)
    poses = np.stack([bar.link_poses.uncompiled(row)[bar.link_names.index("coupler")] for row in expected])
    found = bar.assemble(poses={"coupler": poses}, near=expected[0], path=True)
    assert found.reached.all()
    np.testing.assert_allclose(found.q, expected, atol=1e-9)


def test_poses_around_home_are_as_far_from_it_as_is_said() -> None:
    """A parallelogram moves by (1, -1, 1) alone: 0.35 rad to this side or that."""
    bar = four_bar(*PARALLELOGRAM).with_home([1.0, -1.0, 1.0])
    away = poses_nearby(bar) - bar.home
    np.testing.assert_allclose(away[0], 0.0, atol=1e-12)
    assert len(away) == 8
    np.testing.assert_allclose(np.abs(away[1:]), 0.35, atol=1e-9)
    np.testing.assert_allclose(away[:, 0], -away[:, 1], atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_determinants_by_elimination(size: int) -> None:
    """Their signs tell the ways in which a linkage can be put together; against those of LAPACK, sparse ones too."""
    rng = np.random.default_rng(size)
    for filled in (1.0, 0.5):
        matrix = rng.normal(size=(size, size)) * (rng.uniform(size=(size, size)) < filled) + 3 * np.eye(size)
        found = _determinant(matrix.tolist())
        assert found == pytest.approx(np.linalg.det(matrix), rel=1e-12)
