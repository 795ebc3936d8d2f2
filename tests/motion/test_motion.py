"""Motions: derivatives against closed forms, interpolation, files, and what is refused or doubted."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadpath as lp


@pytest.fixture(scope="module")
def ball() -> lp.Robot:
    """A body on a ball joint that carries a slide."""
    joints = (
        lp.Joint("ball", "ground", "top", lp.Spherical()),
        lp.Joint("slide", "top", "tip", lp.Prismatic((1, 0, 0)), limits=lp.Limits(-0.5, 0.5, 1.0, 10.0)),
    )
    body = lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.2, izz=0.25)
    return lp.Robot("ball", (lp.Link("ground"), lp.Link("top", body), lp.Link("tip", body)), joints)


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    """A turning and a sliding joint with limits, and one that follows the first."""
    joints = (
        lp.Joint("turn", "base", "a", lp.Revolute(), limits=lp.Limits(-1.57, 1.57, 2.0, 50.0)),
        lp.Joint("slide", "a", "b", lp.Prismatic((1, 0, 0)), limits=lp.Limits(0.0, 0.4, 1.0, 80.0)),
        lp.Joint("twin", "a", "c", lp.Revolute(), limits=lp.Limits(-2, 2, 100), mimic=lp.Mimic("turn", -2.0, 0.1)),
    )
    body = lp.Inertia.from_moments(1.0, (0.1, 0, 0), ixx=0.01, iyy=0.02, izz=0.02)
    return lp.Robot("arm", (lp.Link("base"), *(lp.Link(name, body) for name in "abc")), joints)


def free_body() -> lp.Robot:
    links = lp.Link("world"), lp.Link("body", lp.Inertia(1.0))
    return lp.Robot("free", links, (lp.Joint("j", "world", "body", lp.Free()),))


def tumbling(samples: int = 401) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A free joint on a motion in closed form: a turn about a fixed axis on a circle, then its twist in body axes."""
    t = np.linspace(0, 2, samples)
    axis = np.array([1, 2, 2]) / 3
    angle, rate, bend = 3 * np.sin(t), 3 * np.cos(t), -3 * np.sin(t)
    q = np.zeros((samples, 7))
    q[:, :3] = np.stack([np.cos(t), np.sin(t), t**2], axis=1)
    q[:, 3:6], q[:, 6] = np.sin(angle / 2)[:, None] * axis, np.cos(angle / 2)
    v = np.stack([-np.sin(t), np.cos(t), 2 * t], axis=1)
    a = np.stack([-np.cos(t), -np.sin(t), np.full(samples, 2.0)], axis=1)
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_quat(q[:, 3:]).inv()
    omega = rate[:, None] * axis
    linear = turn.apply(v)
    qd = np.concatenate([linear, omega], axis=1)
    qdd = np.concatenate([turn.apply(a) - np.cross(omega, linear), bend[:, None] * axis], axis=1)
    return t, q, qd, qdd


# Derivatives


def test_speeds_of_a_tumbling_body_are_found_in_its_own_axes() -> None:
    free = free_body()
    t, q, qd, qdd = tumbling()
    q[::2, 3:] *= -1  # the same rotations
    motion = lp.Motion(t, q, robot=free)
    assert np.abs(motion.qd - qd).max() < 1e-8
    assert np.abs(motion.qdd - qdd).max() < 1e-5
    assert (np.abs(motion.qd - qd).max(axis=0) <= motion.qd_error + 1e-11).all()
    assert (np.abs(motion.qdd - qdd).max(axis=0) <= motion.qdd_error + 1e-8).all()
    from_speeds = lp.Motion(t, q, qd, robot=free)
    assert np.abs(from_speeds.qdd - qdd).max() < 1e-7
    assert not from_speeds.qd_error.any()


def test_a_tumbling_body_between_its_samples() -> None:
    free = free_body()
    t, q, qd, qdd = tumbling(41)
    q[5:20, 3:] *= -1
    fine = tumbling(401)
    motion = lp.Motion(t, q, qd, qdd, robot=free).at(fine[0])
    gap = np.minimum(np.abs(motion.q - fine[1]), np.abs(motion.q + np.where(np.arange(7) < 3, -fine[1], fine[1])))
    assert gap.max() < 1e-7
    assert np.abs(motion.qd - fine[2]).max() < 1e-5
    assert np.abs(motion.qdd - fine[3]).max() < 2e-3
    assert np.allclose(np.linalg.norm(motion.q[:, 3:], axis=1), 1)
    # Numerically, by the library's own difference of configurations: not what the interpolation uses.
    step = fine[0][1] - fine[0][0]
    numeric = free.difference(motion.q[:-2], motion.q[2:]) / (2 * step)
    assert np.abs(numeric - motion.qd[1:-1]).max() < 2e-3


def test_few_or_noisy_samples_are_told() -> None:
    t = np.linspace(0, 1, 8)
    with pytest.warns(lp.ModelWarning, match="joint 'joint1': its accelerations had to be derived"):
        lp.Motion(t, np.sin(12 * t)[:, None])
    t = np.linspace(0, 1, 500)
    noise = 1e-4 * np.random.default_rng(0).normal(size=500)
    with pytest.warns(lp.ModelWarning, match="uncertain by up to") as told:
        motion = lp.Motion(t, (np.sin(t) + noise)[:, None], smooth=False)
    assert any("accelerations" in str(one.message) for one in told)
    assert np.abs(motion.qdd[:, 0] + np.sin(t)).max() < 2 * motion.qdd_error[0]
    assert not motion.q.flags.writeable


@pytest.mark.parametrize("samples", [2, 3, 4, 5, 6, 7])
def test_a_parabola_by_few_samples(samples: int) -> None:
    t = np.linspace(0, 1, samples) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = lp.Motion(t, (3 * t**2 if samples > 2 else 3 * t)[:, None])
    assert motion.qd[:, 0] == pytest.approx(6 * t if samples > 2 else 3 * np.ones(2), abs=1e-9)
    assert motion.qdd[:, 0] == pytest.approx(6.0 if samples > 2 else 0.0, abs=1e-7)


# Other motions from one


def test_resampled_scaled_cut_and_joined(ball: lp.Robot) -> None:
    points = np.array([[0, 0, 0, 1, 0.0], [0.6, 0, 0, 0.8, 0.3], [0, 0.6, 0, -0.8, -0.2]])
    motion = lp.Motion.through(ball, points, times=[0, 1, 2.5])
    with pytest.warns(lp.ModelWarning, match="faster than its limit"):
        fast = motion.scaled(duration=1.0)
    assert (motion.duration, fast.duration) == (2.5, 1.0)
    assert fast.qd == pytest.approx(2.5 * motion.qd)
    assert fast.qdd == pytest.approx(6.25 * motion.qdd)
    even = motion.resampled(100)
    assert len(even) == 251
    assert even.t[-1] == 2.5
    np.testing.assert_allclose(np.diff(even.t), 0.01)
    np.testing.assert_allclose(even.q[-1], motion.q[-1], atol=1e-12)
    odd = motion.resampled(3)
    assert odd.t.tolist() == pytest.approx([k / 3 for k in range(8)] + [2.5])
    parts = [motion.between(None, 0.7), motion.between(0.7, 1.9), motion.between(1.9)]
    whole = parts[0].followed_by(*parts[1:])
    same = whole.at(even.t)
    np.testing.assert_allclose(same.q, even.q, atol=1e-9)
    np.testing.assert_allclose(same.qdd, even.qdd, atol=1e-6 * np.abs(even.qdd).max())
    again = pickle.loads(pickle.dumps(motion))
    np.testing.assert_array_equal(again.q, motion.q)
    assert again.robot == ball
    assert sum(len(block) for block in motion.blocks(77)) == len(motion)


def test_motions_that_do_not_meet_are_not_joined(arm: lp.Robot) -> None:
    one, other = (lp.Motion.through(arm, [[0, 0], [x, 0.1]], times=[0, 1]) for x in (0.5, 0.6))
    with pytest.raises(ValueError, match=r"'turn' ends at 0\.5 and begins at 0"):
        one.followed_by(other)
    back = lp.Motion(one.t, one.q[::-1], -one.qd[::-1], one.qdd[::-1], robot=arm)
    one.followed_by(back)
    with pytest.warns(lp.ModelWarning, match="the speed of joint 'turn' jumps"):
        one.between(0, 0.5).followed_by(back.between(0.5, 1))


def test_swing_is_what_the_demo_shows() -> None:
    robot = lp.catalog.panda()
    motion = lp.Motion.swing(robot, samples=201)
    assert motion.doubts() == []
    assert not motion.qd[[0, -1]].any()


def test_a_simulation_is_a_motion(ball: lp.Robot) -> None:
    fall = ball.simulate([0, 0, 0, 1, 0.1], [0.1, 1.0, 0.2, 0.0], duration=0.5)
    with pytest.warns(lp.ModelWarning, match="joint 'slide' moves at"):
        motion = lp.Motion.from_simulation(fall, ball)
    tau = ball.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    assert np.abs(tau - fall.tau).max() < 1e-6
    assert len(motion.doubts()) == 1
    assert fall.q.flags.writeable
    with pytest.raises(ValueError, match="quaternions: give robot="):
        lp.Motion.from_simulation(fall)
    with pytest.raises(ValueError, match="'panda' has panda_joint1"):
        lp.Motion.from_simulation(fall, lp.catalog.panda())


@given(st.lists(st.floats(0.01, 2.0), min_size=2, max_size=12), st.integers(0, 1000))
def test_samples_are_met_exactly_and_polynomials_kept(steps: list[float], seed: int) -> None:
    t = np.cumsum([0.0, *steps])
    c = np.random.default_rng(seed).uniform(-1, 1, 6)
    p = np.polynomial.Polynomial(c)
    motion = lp.Motion(t, p(t)[:, None], p.deriv()(t)[:, None], p.deriv(2)(t)[:, None])
    times = np.linspace(0, t[-1], 50)
    other = motion.at(times)
    scale = max(1.0, t[-1] ** 5)
    np.testing.assert_allclose(other.q[:, 0], p(times), atol=1e-10 * scale)
    np.testing.assert_allclose(other.qdd[:, 0], p.deriv(2)(times), atol=1e-7 * scale)
    np.testing.assert_allclose(motion.at(t).qd, motion.qd, atol=1e-10 * scale)


# Files


def test_csv_and_npz_keep_every_digit(ball: lp.Robot, tmp_path: Path) -> None:
    motion = lp.Motion.through(ball, [[0, 0, 0, 1, 0.0], [0.6, 0, 0, 0.8, 0.3]], times=[0, 1])
    motion.to_csv(tmp_path / "m.csv")
    motion.to_npz(tmp_path / "m.npz")
    header = (tmp_path / "m.csv").read_text().splitlines()[0]
    assert header == ("t,q.ball.qx,q.ball.qy,q.ball.qz,q.ball.qw,q.slide,qd.ball.wx,qd.ball.wy,qd.ball.wz,qd.slide,"
                      "qdd.ball.wx,qdd.ball.wy,qdd.ball.wz,qdd.slide")
    for again in (lp.Motion.from_csv(tmp_path / "m.csv", ball), lp.Motion.from_npz(tmp_path / "m.npz", ball)):
        for part in ("t", "qd", "qdd"):
            np.testing.assert_array_equal(getattr(again, part), getattr(motion, part))
        np.testing.assert_allclose(again.q, motion.q, rtol=1e-15, atol=0)  # quaternions are made units again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.csv", "m.npz"]


def test_columns_in_any_order_and_spelling(arm: lp.Robot, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(
        "\ufeff# made elsewhere\nslide_pos [m];Time [s];turn;note\n0.1;0;0.5;7\n0.2;0.5;0.6;7\n0.3;1;0.7;7\n"
    )
    with pytest.warns(lp.ModelWarning, match="not used are the columns 'note'"):
        motion = lp.Motion.from_csv(file, arm)
    assert motion.q.tolist() == [[0.5, 0.1], [0.6, 0.2], [0.7, 0.3]]
    assert motion.qd == pytest.approx(0.2)
    np.savez(tmp_path / "m.npz", t=[0, 1], q=[[0.1, 0.5], [0.2, 0.6]], coordinate_names=["slide", "turn"])
    with pytest.warns(lp.ModelWarning, match="had to be derived"):  # two samples: a straight line, nothing to check by
        assert lp.Motion.from_npz(tmp_path / "m.npz", arm).q.tolist() == [[0.5, 0.1], [0.6, 0.2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("0,1,2\n", "line 1 holds numbers where names"),
        ("t,turn\n0,0\n1,0\n", r"there is no column 'q\.slide'; there are 't', 'turn'"),
        ("turn,slide\n0,0\n1,0\n", "there is no column 't'"),
        ("t,turn,slide,qd.turn\n0,0,0,0\n1,0,0,0\n", r"there is no column 'qd\.slide'"),
        ("t,turn,slide [deg]\n0,0,0\n1,0,0\n", r"column 'slide \[deg\]' is in deg: expected m, mm for slide"),
        ("t,turn,slide,turn\n0,0,0,0\n", "'turn' is there twice"),
        ("t,turn,slide\n0,0,0\n1,zero,0\n", "line 3, column 'turn': 'zero' is not a number"),
        ("t,turn,slide\n0,0,0\n1,0\n", "line 3 has 2 cells, expected 3"),
        ("t,turn,slide\n0,\"0,5\",0\n1,0,0\n", "'0,5' is not a number: write a decimal point, not a comma"),
        ("t,turn,slide\n0,0,0\n1,0,0,0\n", "line 3 has 4 cells, expected 3"),
        ("t,turn,slide\n0,1_0,0\n1,0,0\n", "'1_0' is not a number"),
        (f"t,turn,slide\n0,{80 * 'x'},0\n1,0,0\n", f"'{80 * 'x'}' is not a number$"),
        (f"t,turn,slide\n0,{81 * 'x'},0\n1,0,0\n", f"'{80 * 'x'}[.]{{3}}' is not a number$"),
        ("t,turn_raw,slide\n0,0,0\n1,0,0\n", r"there is no column 'q\.turn'; there are 't', 'turn_raw', 'slide'"),
        ("t,position0,position1\n0,0,0\n1,0,0\n", "columns like 'position0' do not say which joint they are of, and "
         "ROS has its own order: say it with columns={'position0': 'turn', ...}"),
        ("t,/a/turn/position,/b/turn/position,slide\n0,0,0,0\n1,0,0,0\n", "'/a/turn/position', '/b/turn/position' "
         "could be the same: say which with columns={'/a/turn/position': 'turn', ...}"),
        ("t,turn,slide\n0,0.5rad,0\n1,0,0\n", "'0.5rad' is not a number$"),
        ("t;turn;slide\n0.0;0,5;0.1\n1.0;0,6;0.2\n", "line 2, column 'turn': '0,5' has a comma where line 2"),
        ("t;turn;slide\n0,0;0;0\n1,0;0.5;0\n", "line 3, column 'turn': '0.5' has a point where line 2"),
        ("t;turn;slide\n0;1.000,5;0\n1;0;0\n", "'1.000,5' is not a number: write it without separators of thousands$"),
        ("t,turn,slide\n0,0,\n1,0,0\n", "line 2, column 'slide': '' is not a number"),
        ("t,turn,slide\n", "no rows of numbers"),
        ("t,turn,slide\n0,0,0\n1,nan,0\n", "line 3, column 'turn': nan is not a finite number"),
        ("t,turn,slide\n0,0,0\n1,0,0\n0.5,0,0\n", r"line 4, column 't': the time goes back, from 1 .line 3. to 0\.5"),
    ],
)
def test_faulty_files_are_refused_by_line_and_name(arm: lp.Robot, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=f"m.csv: .*{message}"):
        lp.Motion.from_csv(file, arm)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(",", " "),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace("\n", ",\n"),  # what some write behind every row
        lambda text: text.replace("t,", "t,remark,").replace("0.5,", "0.5,half way,").replace("\n1,", "\n1,,")
        .replace("\n0,", "\n0,begin,"),
    ],
)
def test_other_ways_to_write_a_table(arm: lp.Robot, tmp_path: Path, change: Callable[[str], str]) -> None:
    (tmp_path / "m.csv").write_bytes(change("t,turn,slide\n0,0.1,0.2\n0.5,0.2,0.3\n1,0.3,0.4\n").encode())
    with pytest.warns(lp.ModelWarning, match="had to be derived"):
        motion = lp.Motion.from_csv(tmp_path / "m.csv", arm)
    assert motion.q.tolist() == [[0.1, 0.2], [0.2, 0.3], [0.3, 0.4]]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_text_that_is_not_utf8(arm: lp.Robot, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "m.csv").write_bytes("t,turn,slide,Größe\n".encode(encoding))
    with pytest.raises(ValueError, match=r"m\.csv: this is not text in UTF-8"):
        lp.Motion.from_csv(tmp_path / "m.csv", arm)


class Hostile:
    """What runs code when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple:
        return Path.touch, (self.file,)


def test_npz_files_that_are_none_and_such_as_would_run_code(arm: lp.Robot, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    t, q = np.linspace(0, 1, 9), np.zeros((9, 2))
    np.savez(tmp_path / "sound.npz", t=t, q=q)
    sound = (tmp_path / "sound.npz").read_bytes()
    damaged = bytearray(sound)
    damaged[200] ^= 255
    contents = {
        "empty": b"", "text": b"t,turn,slide", "pickled": pickle.dumps(Hostile(ran)), "cut": sound[: len(sound) // 2],
        "damaged": bytes(damaged),
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.npz").write_bytes(content)
    np.savez(tmp_path / "objects.npz", t=t, q=np.array([Hostile(ran)], dtype=object))
    for name in (*contents, "objects"):
        with pytest.raises(ValueError, match=f"{name}.npz: this is no sound NPZ file"):
            lp.Motion.from_npz(tmp_path / f"{name}.npz", arm)
    np.savez(tmp_path / "more.npz", t=t, q=q, extra=np.array([Hostile(ran)], dtype=object))
    with pytest.warns(lp.ModelWarning, match="not used are the arrays 'extra'"):
        lp.Motion.from_npz(tmp_path / "more.npz", arm)
    assert not ran.exists()


def test_faulty_npz_is_refused(arm: lp.Robot, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=[0, 1])
    with pytest.raises(ValueError, match="there is no array 'q'; there are 't'"):
        lp.Motion.from_npz(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", t=[0, 1], q=[[0, 0], [0, 0]], coordinate_names=["a", "turn"])
    with pytest.raises(ValueError, match="in q there is no column 'slide'"):
        lp.Motion.from_npz(tmp_path / "b.npz", arm)
    np.savez(tmp_path / "c.npz", t=[0, 1], q=[[0], [0]], coordinate_names=["slide", "turn"])
    with pytest.raises(ValueError, match=r"q has the shape \(2, 1\), but there are 2 names"):
        lp.Motion.from_npz(tmp_path / "c.npz", arm)
    np.savez(tmp_path / "d.npz", t=[0, 1], q=np.zeros((2, 2), complex))
    with pytest.raises(ValueError, match="q has the dtype complex128: expected real numbers"):
        lp.Motion.from_npz(tmp_path / "d.npz", arm)


def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    arm: lp.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    motion = lp.Motion.through(arm, [[0, 0], [1, 0.2]], times=[0, 1])
    file = tmp_path / "m.csv"
    file.write_text("precious")

    def full_disk(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "savetxt", full_disk)
    with pytest.raises(OSError, match="no space"):
        motion.to_csv(file)
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        motion.to_npz(tmp_path / "nowhere" / "m.npz")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        motion.to_csv(tmp_path)


# Faults and doubts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1, 1], np.zeros((3, 2))), "t does not rise: it is 1 at sample 1 and 1 at sample 2"),
        (([0, np.nan], np.zeros((2, 2))), "t is nan at sample 1"),
        (([0], np.zeros((1, 2))), "expected two times or more"),
        (([0, 1], np.zeros((2, 3))), r"q has the shape \(2, 3\): expected \(samples, 2\).*robot 'arm': turn, slide"),
        (([0, 1], np.zeros((3, 2))), "q has 3 samples, t has 2"),
        (([0, 1], [[0, 0], [np.inf, 0]]), "q of 'turn' is inf at sample 1"),
        (([0, 1], np.zeros((2, 2)), None, np.zeros((2, 2))), "qdd.* without speeds"),
        (([0, 1], np.zeros((2, 2)), np.zeros((2, 1))), r"qd has the shape \(2, 1\)"),
        (([0, 1], [["0", "a"], ["0", "b"]]), "q has the dtype <U1: expected real numbers"),
        (([0, 1], [[0, 0], [0]]), "q has rows of different lengths"),
        (([None, 1], np.zeros((2, 2))), "t has the dtype object"),
    ],
)
def test_faulty_arrays_are_refused(arm: lp.Robot, arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lp.Motion(*arguments, robot=arm)


def step(heights: list[float]) -> lp.Motion:
    """A smooth step of each coordinate, without a robot."""
    s = np.linspace(0, 1, 101)[:, None]
    h = np.array(heights)
    return lp.Motion(s[:, 0] * 2, h * s**3 * (10 - 15 * s + 6 * s**2), h * 15 * s**2 * (1 - s) ** 2,
                     h * 15 * s * (1 - s) * (1 - 2 * s))


def doubts_of(arm: lp.Robot, motion: lp.Motion, **changes: np.ndarray) -> list[str]:
    parts = {"qd": motion.qd, "qdd": motion.qdd, **changes}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lp.Motion(motion.t, changes.get("q", motion.q), parts["qd"], parts["qdd"], robot=arm)
    assert all(one.category is lp.ModelWarning and one.filename == __file__ for one in told)
    return [str(one.message) for one in told]


def test_a_sound_motion_gives_no_doubts(arm: lp.Robot) -> None:
    assert doubts_of(arm, step([0.9, 0.3])) == []


def test_degrees_and_millimetres_are_asked_about(arm: lp.Robot) -> None:
    turn, twin, _ = doubts_of(arm, step([90, 0.1]))  # not the same of the speed of 'turn' again
    assert turn.startswith("joint 'turn' is at 90 at sample 100 (t = 2 s, and beyond it at 87 others), ")
    assert turn.endswith("outside its limits -1.57 to 1.57: degrees?")
    assert "joint 'twin' is at -179.9" in twin
    (slide,) = doubts_of(arm, step([0.0, 300]))
    assert slide.endswith("outside its limits 0 to 0.4: millimetres?")
    motion = step([1.0, 0.3])
    speeds = doubts_of(arm, motion, qd=np.degrees(motion.qd))
    assert any(doubt.endswith("faster than its limit 2: degrees?") for doubt in speeds)


def test_a_little_outside_is_no_question_of_units(arm: lp.Robot) -> None:
    (doubt,) = doubts_of(arm, step([0.9, 0.41]))
    assert doubt.startswith("joint 'slide' is at 0.41 at sample 100 (t = 2 s")
    assert "?" not in doubt
    (doubt,) = doubts_of(arm, step([1.2, 0.1]))  # what follows it reaches its limit first
    assert doubt.startswith("joint 'twin' is at -2.3 at sample 100")


def test_wrong_speeds_are_told_with_their_unit(arm: lp.Robot) -> None:
    motion = step([0.9, 0.3])
    wrong = motion.qd.copy()
    wrong[:, 0] *= 180 / np.pi
    doubts = doubts_of(arm, motion, qd=wrong)
    (doubt,) = (d for d in doubts if "its speeds (qd) are not the rates" in d)
    assert doubt.startswith("joint 'turn'")
    assert doubt.endswith("degrees where radians are expected?")
    assert not any("slide" in d for d in doubts)
    wrong = motion.qdd.copy()
    wrong[:, 1] *= -1
    (doubt,) = doubts_of(arm, motion, qdd=wrong)
    assert "joint 'slide': its accelerations (qdd) are not the rates of its speeds" in doubt
    assert doubt.endswith("is the sign right?")


def test_sound_motions_of_all_kinds_give_no_doubts(ball: lp.Robot) -> None:
    """Few samples, jumps of the acceleration, noise, tumbling: none is a reason to doubt the units."""
    panda, planar = lp.catalog.panda(), lp.catalog.planar(2)
    points, options = [[0, 0], [1, 0.3], [0.2, 1]], {"velocity": 1.0, "acceleration": 3.0}
    robotic = lp.Motion.through(planar, points, profile="trapezoidal", **options)
    motions = [lp.Motion.swing(panda, samples) for samples in (3, 5, 8, 51)]
    motions += [robotic, *(robotic.resampled(rate) for rate in (50, 30, 20))]
    motions += [lp.Motion.through(planar, points, stop=False, rate=1, **options)]
    for motion in motions:
        assert motion.doubts() == []
    rng = np.random.default_rng(0)
    swing = lp.Motion.swing(panda, 2001)
    parts = [
        part + size * rng.normal(size=part.shape)
        for part, size in ((swing.q, 1e-4), (swing.qd, 1e-2), (swing.qdd, 0.5))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lp.Motion(swing.t, *parts, robot=panda)


def test_times_in_milliseconds_are_asked_about(arm: lp.Robot) -> None:
    motion = step([0.9, 0.3])
    with pytest.warns(lp.ModelWarning) as told:
        lp.Motion(1000 * motion.t, motion.q, motion.qd, motion.qdd, robot=arm)
    speeds = [str(one.message) for one in told if "its speeds (qd) are not" in str(one.message)]
    assert len(speeds) == 2
    assert all("milliseconds where seconds are expected?" in message for message in speeds)


def test_strict_makes_an_error_of_a_doubt(arm: lp.Robot) -> None:
    motion = step([90, 0.1])
    with pytest.raises(ValueError, match=r"degrees\?"):
        lp.Motion(motion.t, motion.q, motion.qd, motion.qdd, robot=arm, strict=True)


def test_quaternions_must_be_units(ball: lp.Robot) -> None:
    with pytest.raises(ValueError, match=r"quaternion of joint 'ball' is .* at sample 1, of length 2"):
        lp.Motion([0, 1], [[0, 0, 0, 1, 0], [0, 0, 0, 2, 0]], robot=ball)


def test_calls_that_make_no_sense(arm: lp.Robot) -> None:
    motion = step([0.9, 0.3])
    for call, message in (
        (lambda: motion.at([0, 3]), "time 3 s is outside the motion, 0 to 2 s"),
        (lambda: motion.resampled(0), "rate is 0"),
        (lambda: motion.between(1, 1), "no part from 1 to 1 s"),
        (motion.scaled, "one of them"),
        (lambda: motion.scaled(duration=-1), "more than zero"),
        (lambda: motion.scaled(speed=0), "more than zero"),
        (lambda: lp.Motion.swing(arm, samples=1), "two or more"),
        (lambda: lp.Motion.swing(arm, duration=-1), "more than zero"),
        (lambda: motion.followed_by(lp.Motion.swing(arm)), "other joints"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_scaling_beyond_the_speed_limit_is_told(arm: lp.Robot) -> None:
    motion = lp.Motion.through(arm, [[0, 0], [0.9, 0.1]], times=[0, 1])
    with pytest.warns(lp.ModelWarning, match="joint 'turn' moves at 8.43"):
        motion.scaled(speed=5)


# Plots


def test_plot_shows_all_curves_and_limits(arm: lp.Robot) -> None:
    figure = lp.Motion.through(arm, [[0, 0], [0.9, 0.3]], times=[0, 1]).plot()
    names = [trace.name for trace in figure.data]
    assert names.count("turn") == 3
    assert names.count("slide") == 3
    dashed = [trace for trace in figure.data if trace.line.dash == "dash"]
    assert {tuple(trace.y) for trace in dashed} >= {(1.57, 1.57), (0.4, 0.4), (-2.0, -2.0)}
    assert figure.layout.yaxis.title.text == "position (rad, m)"


def test_names_with_tags_are_drawn_as_they_are(arm: lp.Robot) -> None:
    renamed = replace(arm, joints=(replace(arm.joints[0], name="<b>t</b>"), arm.joints[1]), links=arm.links[:3])
    figure = lp.Motion.through(renamed, [[0, 0], [0.9, 0.3]], times=[0, 1]).plot()
    assert "<b>" not in figure.to_json() and figure.data[0].name == "&lt;b&gt;t&lt;/b&gt;"


def test_robots_that_cannot_move_have_motions_too(tmp_path: Path) -> None:
    mast = lp.Robot("mast", (lp.Link("a"), lp.Link("b", lp.Inertia(1.0))), (lp.Joint("w", "a", "b", lp.Fixed()),))
    motion = lp.Motion([0, 1], np.zeros((2, 0)), robot=mast)
    assert motion.doubts() == []
    assert len(motion.resampled(10)) == 11
    motion.to_csv(tmp_path / "m.csv")
    assert lp.Motion.from_csv(tmp_path / "m.csv", mast).t.tolist() == [0, 1]
    assert len(motion.plot().data) == 0
