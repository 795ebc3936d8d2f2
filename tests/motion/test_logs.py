"""Logs as robots and programs write them: units, decimal commas, known loggers, frames, what more they have."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import loadpath as lp
from loadpath.foreign import messages, parquet_reader
from loadpath.foreign.messages import Message
from loadpath.motion.logs.stamps import held_rows
from loadpath.motion.noise import jumps_by_turns

TURN, SLIDE = "turn", "slide"
T = np.arange(60) * 0.01
DEG = 180 / np.pi
Q = np.column_stack([0.5 * np.sin(3 * T), 0.2 * np.cos(2 * T)])
QD = np.column_stack([1.5 * np.cos(3 * T), -0.4 * np.sin(2 * T)])


@pytest.fixture
def arm() -> lp.Robot:
    links = [lp.Link("base"), *(lp.Link(f"l{k}", lp.Inertia(1.0, tensor=np.eye(3))) for k in (1, 2))]
    joints = lp.Joint(TURN, "base", "l1", lp.Revolute()), lp.Joint(SLIDE, "l1", "l2", lp.Prismatic())
    return lp.Robot("arm", tuple(links), joints)


def written(path: Path, header: Sequence[str], *columns: Any, mark: str = ",", decimal: str = ".") -> Path:
    table = np.column_stack(columns)
    lines = [mark.join(header)]
    lines += [mark.join(repr(float(x)).replace(".", decimal) for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n")
    return path


def read(path: Path, robot: lp.Robot, **options: Any) -> tuple[lp.Motion, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = lp.Motion.from_csv(path, robot, **options)
    return motion, [str(one.message) for one in caught]


# Units


@pytest.mark.parametrize(
    ("names", "factors"),
    [
        (("time [ms]", "turn [deg]", "slide [mm]", "qd.turn [deg/s]", "qd.slide [mm/s]"), (1e3, DEG, 1e3)),
        (("Time (us)", "turn (°)", "slide (cm)", "vel_turn (°/s)", "vel_slide (cm/s)"), (1e6, DEG, 1e2)),
        (("time_ms", "turn_deg", "slide_mm", "qd.turn [deg/s]", "qd.slide [mm/s]"), (1e3, DEG, 1e3)),
        (("t [min]", "turn [rev]", "slide [um]", "turn_vel [rev/s]", "slide_vel [um/s]"), (1 / 60, 0.5 / np.pi, 1e6)),
    ],
)
def test_units_in_names_are_converted_and_reported(
    arm: lp.Robot, tmp_path: Path, names: tuple[str, ...], factors: tuple[float, float, float]
) -> None:
    of_time, of_angle, of_length = factors
    scale = np.array([of_angle, of_length])
    motion, said = read(written(tmp_path / "m.csv", names, of_time * T, scale * Q, scale * QD), arm)
    np.testing.assert_allclose(motion.t, T, rtol=1e-14)
    np.testing.assert_allclose(motion.q, Q, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(motion.qd, QD, rtol=1e-13, atol=1e-16)
    assert said == []
    assert any("converted from" in note and "to rad" in note for note in motion.notes)
    assert any(f"'{names[0]}'" in note and "to s" in note for note in motion.notes)


def test_speeds_in_rpm_and_accelerations(arm: lp.Robot, tmp_path: Path) -> None:
    names = ["t", "turn", "slide", "qd.turn [rpm]", "qd.slide", "qdd.turn [deg/s^2]", "qdd.slide [mm/s²]"]
    qdd = -np.array([9, 4]) * Q
    file = written(tmp_path / "m.csv", names, T, Q, QD * [30 / np.pi, 1], qdd * [180 / np.pi, 1000])
    motion, _ = read(file, arm)
    np.testing.assert_allclose(motion.qd, QD, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(motion.qdd, qdd, rtol=1e-13, atol=1e-16)


def test_units_that_the_user_says(arm: lp.Robot, tmp_path: Path) -> None:
    file = written(tmp_path / "m.csv", ["t", TURN, SLIDE], T, Q * [180 / np.pi, 1])
    np.testing.assert_allclose(read(file, arm, degrees=True)[0].q, Q, rtol=1e-13)
    np.testing.assert_allclose(read(file, arm, units={"q": "deg"})[0].q, Q, rtol=1e-13)  # of what turns
    np.testing.assert_allclose(read(file, arm, units={TURN: "deg", "t": "ms"})[0].t, T / 1000, rtol=1e-13)
    for units, words in (
        ({"speed": "deg"}, "units= has 'speed': expected one of t, q, qd, qdd, tau, current, or a column"),
        ({SLIDE: "deg"}, "column 'slide' is in deg: expected m, mm for slide"),
        ({"t": "moons"}, "column 't' is in moons: expected s, ms, us, ns for times"),
    ):
        with pytest.raises(ValueError, match=f"m.csv: {words}"):
            lp.Motion.from_csv(file, arm, units=units)
    both = written(tmp_path / "m.csv", ["t", "turn [rad]", SLIDE], T, Q)
    with pytest.raises(ValueError, match=r"column 'turn \[rad\]' is in rad by its name and in deg by units="):
        lp.Motion.from_csv(both, arm, units={"q": "deg"})
    np.testing.assert_array_equal(read(both, arm, degrees=True)[0].q, Q)  # its name says rad


def test_units_in_a_row_of_their_own(arm: lp.Robot, tmp_path: Path) -> None:
    rows = "".join(f"{1000 * t};{x};{y};on\n" for t, (x, y) in zip(T, Q * [180 / np.pi, 1], strict=True))
    (tmp_path / "m.csv").write_text(f"time;turn;slide;state\n[ms];[deg];[m];-\n{rows}")
    motion, _ = read(tmp_path / "m.csv", arm)
    np.testing.assert_allclose(motion.q, Q, rtol=1e-13)
    np.testing.assert_allclose(motion.t, T, rtol=1e-13)


# Text


@pytest.mark.parametrize("mark", [";", "\t", " "])
def test_decimal_commas(arm: lp.Robot, tmp_path: Path, mark: str) -> None:
    motion, _ = read(written(tmp_path / "m.csv", ["t", TURN, SLIDE], T, Q, mark=mark, decimal=","), arm)
    np.testing.assert_array_equal(motion.q, Q)
    assert motion.notes == ("decimal commas were read as decimal points",)


def test_commas_in_cells_that_are_not_used(arm: lp.Robot, tmp_path: Path) -> None:
    rows = "".join(f"{t};{x};{y};a, b\n" for t, (x, y) in zip(T, Q, strict=True))
    (tmp_path / "m.csv").write_text(f"t;turn;slide;remark\n{rows}")
    motion, _ = read(tmp_path / "m.csv", arm)
    np.testing.assert_array_equal(motion.q, Q)


def test_names_in_a_comment_as_numpy_writes_them(arm: lp.Robot, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "m.csv", np.column_stack([T, Q]), delimiter=",", header="t,turn,slide", fmt="%.17g")
    np.testing.assert_array_equal(read(tmp_path / "m.csv", arm)[0].q, Q)
    np.savetxt(tmp_path / "m.txt", np.column_stack([T, Q]), header="t turn slide", fmt="%.17g")
    np.testing.assert_array_equal(read(tmp_path / "m.txt", arm)[0].q, Q)


# Columns


def test_columns_that_the_user_names(arm: lp.Robot, tmp_path: Path) -> None:
    file = written(tmp_path / "m.csv", ["tick", "A1 [deg]", "A2_mm", "heat", "junk"], T, Q * [180 / np.pi, 1e3], T, T)
    names = {"tick": "t", "A1": TURN, "A2_mm": "q.slide", "heat": "extra.temperature", "junk": None}
    motion, said = read(file, arm, columns=names)
    np.testing.assert_allclose(motion.q, Q, rtol=1e-13)
    np.testing.assert_array_equal(motion.extra["temperature"].values, T)
    assert said == []
    for wrong, words in (
        ({"tik": "t"}, "columns= names the column 'tik', which is not there; did you mean 'tick'?"),
        ({"A1": "trun"}, "columns= says that 'A1' is 'trun', which is no coordinate of the robot; did you mean 'turn'"),
        ({"A1": TURN, "heat": TURN}, r"columns= names two columns for 'turn', 'A1 \[deg\]' and 'heat'"),
        ([("A1", TURN)], "columns is .*: expected names of joints by names of columns"),
    ):
        with pytest.raises(ValueError, match=words):
            lp.Motion.from_csv(file, arm, columns=wrong)


def test_what_is_missing_is_said_with_what_may_be_meant(arm: lp.Robot, tmp_path: Path) -> None:
    for header, words in (
        (["t", "trun", SLIDE], "there is no column 'q.turn'; .* did you mean 'q.turn' by 'trun'?"),
        (["clock", TURN, SLIDE], r"there is no column 't'; .*; times are named t, time or timestamp, .* or time_ms"),
        (["t", TURN, "axis"], r"there is no column 'q.slide'.*; columns={'name in the log': 'slide'} says which is"),
    ):
        with pytest.raises(ValueError, match=f"m.csv: {words}"):
            lp.Motion.from_csv(written(tmp_path / "m.csv", header, T, Q), arm)


def test_a_log_of_universal_robots(tmp_path: Path) -> None:
    """As `record.py` of RTDE writes it: cells between spaces, what was asked for beside what was measured."""
    arm = lp.catalog.planar(3)
    q = 0.1 * np.sin(np.multiply.outer(T, [1.0, 2.0, 3.0]))
    qd = 0.1 * np.array([1.0, 2.0, 3.0]) * np.cos(np.multiply.outer(T, [1.0, 2.0, 3.0]))
    stems = ("target_q", "target_qd", "target_qdd", "actual_q", "actual_qd", "actual_current")
    header = ["timestamp", *(f"{stem}_{k}" for stem in stems for k in range(3)), "payload", "payload_cog_0"]
    header += ["payload_cog_1", "payload_cog_2"]
    carried = np.tile([2.5, 0.0, 0.01, 0.05], (60, 1))
    columns = (T + 5120, q + 1, qd, qd, q, qd, 3 * q, carried)
    motion, said = read(written(tmp_path / "m.csv", header, *columns, mark=" "), arm)
    np.testing.assert_array_equal(motion.q, q)
    np.testing.assert_array_equal(motion.qd, qd)
    assert motion.t[0] == 5120
    assert "'actual_q_0' is q.joint1" in motion.notes[0]
    assert motion.extra["current.joint2"].unit == "A"
    np.testing.assert_array_equal(motion.extra["current.joint2"].values, 3 * q[:, 1])
    assert motion.extra["payload.mass"].values[7] == 2.5
    assert motion.extra["payload.center_of_mass.z"].values[0] == 0.05
    assert any("not used are the columns 'target_q_0'" in text for text in said)
    with pytest.raises(ValueError, match=r"there is no column 'q\.joint1'"):  # three numbers for two joints
        lp.Motion.from_csv(tmp_path / "m.csv", lp.catalog.planar(2))


@pytest.mark.parametrize("style", ["field.{}{}", "{}_{}", "{}[{}]", "/joint_states/{}[{}]"])
def test_joint_states_of_ros_in_their_own_order(arm: lp.Robot, tmp_path: Path, style: str) -> None:
    stamp = "field.header.stamp" if style.startswith("field") else "Time [ns]"
    header = [stamp, *(style.format(kind, k) for kind in ("name", "position", "velocity", "effort") for k in range(3))]
    names = ["gripper", SLIDE, TURN]
    rows = [",".join(header)]
    for k, t in enumerate(T):
        ns = 1_700_000_000_000_000_000 + round(t * 1e9)
        cells = [ns, *names, 0, Q[k, 1], Q[k, 0], 0, QD[k, 1], QD[k, 0], 0, 7.0, 5.0]
        rows.append(",".join(str(cell) for cell in cells))
    (tmp_path / "m.csv").write_text("\n".join(rows))
    motion, _ = read(tmp_path / "m.csv", arm)
    np.testing.assert_array_equal(motion.q, Q)
    np.testing.assert_array_equal(motion.qd, QD)
    np.testing.assert_allclose(motion.t, T, atol=1e-9)  # in ns, since 1970
    assert motion.tau is not None
    np.testing.assert_array_equal(motion.tau, np.tile([5.0, 7.0], (60, 1)))
    assert motion.extra["tau.slide"].unit == "N"
    assert any("times were counted from the first" in note for note in motion.notes)


def test_paths_as_plotjuggler_writes_them(arm: lp.Robot, tmp_path: Path) -> None:
    kinds = ("position", "velocity", "effort")
    header = ["__time", *(f"/joint_states/{name}/{kind}" for kind in kinds for name in (TURN, SLIDE))]
    motion, said = read(written(tmp_path / "m.csv", header, T + 1.7e9, Q, QD, 2 * Q), arm)
    np.testing.assert_array_equal(motion.q, Q)
    np.testing.assert_array_equal(motion.qd, QD)
    np.testing.assert_array_equal(motion.tau, 2 * Q)
    assert motion.t[0] == 0
    assert not any("not used" in text for text in said)


def test_plain_numbers_count_from_the_base(arm: lp.Robot, tmp_path: Path) -> None:
    for header in (["t", "q1", "q2", "dq1", "dq2"], ["t", "q_0", "q_1", "qd_0", "qd_1"]):
        motion, _ = read(written(tmp_path / "m.csv", header, T, Q, QD), arm)
        np.testing.assert_array_equal(motion.q, Q)
        np.testing.assert_array_equal(motion.qd, QD)
    header = ["t", "q1", "q2", "joint_position_1", "joint_position_2"]
    with pytest.raises(ValueError, match="numbered columns 'q' and 'joint_position', and each of them could be q: say"):
        lp.Motion.from_csv(written(tmp_path / "m.csv", header, T, Q, Q), arm)
    for header in (["t", "q1", "q3"], ["t", "q5", "q6"]):
        with pytest.raises(ValueError, match="there is no column"):
            lp.Motion.from_csv(written(tmp_path / "m.csv", header, T, Q), arm)


@pytest.mark.parametrize("header", [("j1", "j2"), ("J1", "J2"), ("joint1", "joint_2"), ("axis1", "axis2")])
def test_numbered_joints_and_axes_are_taken_in_order_and_said(
    arm: lp.Robot, tmp_path: Path, header: tuple[str, str]
) -> None:
    motion, _ = read(written(tmp_path / "m.csv", ["t", *header], T, Q), arm)
    np.testing.assert_array_equal(motion.q, Q)
    note = f"in the order of the robot's joints: '{header[0]}' is q.turn, '{header[1]}' is q.slide"
    assert any(note in one for one in motion.notes)


def test_the_others_follow_the_one_that_the_user_names_if_that_is_their_order(arm: lp.Robot, tmp_path: Path) -> None:
    log = written(tmp_path / "m.csv", ["t", "actual_q_0", "actual_q_1"], T, Q)
    motion, _ = read(log, arm, columns={"actual_q_0": "turn"})
    np.testing.assert_array_equal(motion.q, Q)
    assert any("'actual_q_1' is q.slide" in one for one in motion.notes)
    with pytest.raises(ValueError, match=r"there is no column 'q\.turn'"):
        lp.Motion.from_csv(log, arm, columns={"actual_q_0": "slide"})


def test_numbered_columns_with_units_at_their_ends(arm: lp.Robot, tmp_path: Path) -> None:
    header = ["time_ms", "q1_deg", "q2_mm", "qd1_deg/s", "qd2_mm/s"]
    scale = np.array([DEG, 1e3])
    motion, _ = read(written(tmp_path / "m.csv", header, 1e3 * T, scale * Q, scale * QD), arm)
    np.testing.assert_allclose(motion.q, Q, atol=1e-14)
    np.testing.assert_allclose(motion.qd, QD, atol=1e-14)
    np.testing.assert_allclose(motion.t, T, atol=1e-12)


def test_conversions_are_told_of_one_and_of_several_columns(tmp_path: Path) -> None:
    arm = lp.catalog.planar(3)
    q = 0.1 * np.sin(np.multiply.outer(T, [1.0, 2.0, 3.0]))
    for count, words in (
        (1, "column 'joint1 [deg]' was converted from deg to rad"),
        (2, "columns 'joint1 [deg]', 'joint2 [deg]' were converted from deg to rad"),
        (3, "columns 'joint1 [deg]', 'joint2 [deg]' and 1 more were converted from deg to rad"),
    ):
        header = ["t", *(f"joint{k + 1}" + (" [deg]" if k < count else "") for k in range(3))]
        scale = np.array([DEG if k < count else 1.0 for k in range(3)])
        motion, _ = read(written(tmp_path / "m.csv", header, T, scale * q), arm)
        assert words in motion.notes
        np.testing.assert_allclose(motion.q, q, atol=1e-14)


def test_rates_are_those_of_the_positions_that_are_taken(arm: lp.Robot, tmp_path: Path) -> None:
    """Measured positions with measured speeds, if there are such; never with speeds that were asked for."""
    names = {stem: [f"{stem}_0", f"{stem}_1"] for stem in ("actual_q", "target_q", "actual_qd", "target_qd")}
    asked = np.full_like(QD, 7.0)
    header = ["t", *names["actual_q"], *names["target_qd"]]
    motion, said = read(written(tmp_path / "m.csv", header, T, Q, asked), arm)
    assert np.abs(motion.qd - QD).max() < 1e-3  # differentiated
    assert any("not used are the columns 'target_qd_0'" in text for text in said)
    header = ["t", *names["actual_q"], *names["target_qd"], *names["actual_qd"]]
    motion, _ = read(written(tmp_path / "m.csv", header, T, Q, asked, QD + 1e-4), arm)
    np.testing.assert_array_equal(motion.qd, QD + 1e-4)
    header = ["t", *names["target_q"], *names["target_qd"]]
    motion, _ = read(written(tmp_path / "m.csv", header, T, Q, QD - 1e-4), arm)
    np.testing.assert_array_equal(motion.qd, QD - 1e-4)


# What else a log has


def test_torques_are_kept_where_samples_are(arm: lp.Robot, tmp_path: Path) -> None:
    header = ["t", TURN, SLIDE, "tau.turn [Nmm]", "torque_slide", "heat"]
    motion, said = read(written(tmp_path / "m.csv", header, T, Q, 1000 * Q[:, 0], Q[:, 1], T), arm)
    assert said == [f"{tmp_path}/m.csv: not used are the columns 'heat'"]
    np.testing.assert_allclose(motion.tau, Q, rtol=1e-13)
    part = motion.between(0.105, 0.2)
    np.testing.assert_allclose(part.extra["tau.turn"].values[1:-1], Q[11:20, 0], rtol=1e-13)
    assert part.extra["tau.turn"].values[0] == pytest.approx(Q[10:12, 0].mean())  # straight between samples
    assert [len(block.extra["tau.slide"].values) for block in motion.blocks(25)] == [25, 25, 10]
    motion.to_csv(tmp_path / "again.csv")
    again, _ = read(tmp_path / "again.csv", arm)
    np.testing.assert_array_equal(again.tau, motion.tau)
    assert motion.scaled(speed=2).extra == {}  # at another pace the torques are others
    one, _ = read(written(tmp_path / "m.csv", header[:4], T, Q, Q[:, 0]), arm)
    assert one.tau is None
    assert list(one.extra) == ["tau.turn"]


def test_cells_of_torques_may_be_empty(arm: lp.Robot, tmp_path: Path) -> None:
    rows = [f"{t},{x},{y},{'' if k % 2 else 1.5},none" for k, (t, (x, y)) in enumerate(zip(T, Q, strict=True))]
    (tmp_path / "m.csv").write_text("t,turn,slide,tau.turn,tau.slide\n" + "\n".join(rows))
    motion, said = read(tmp_path / "m.csv", arm)
    np.testing.assert_array_equal(motion.extra["tau.turn"].values[:4], [1.5, np.nan, 1.5, np.nan])
    assert any("not used are the columns 'tau.slide'" in text for text in said)
    assert motion.tau is None


# Frames


def frame() -> pd.DataFrame:
    stamps = pd.to_datetime(1_700_000_000_000_000_000 + (T * 1e9).round().astype(np.int64))
    return pd.DataFrame({"time": stamps, SLIDE: Q[:, 1], "turn [deg]": Q[:, 0] * 180 / np.pi})


def test_frames_follow_the_rules_of_files(arm: lp.Robot) -> None:
    table = frame()
    for one in (table, pl.from_pandas(table), pa.Table.from_pandas(table)):
        motion = lp.Motion.from_frame(one, arm)
        np.testing.assert_allclose(motion.q, Q, rtol=1e-13)
        np.testing.assert_allclose(motion.t, T, atol=1e-12)


def test_frames_with_faults(arm: lp.Robot) -> None:
    table = frame()
    table.loc[17, SLIDE] = np.nan
    with pytest.raises(ValueError, match="the frame: row 17, column 'slide': nan is not a finite number"):
        lp.Motion.from_frame(table, arm)
    with pytest.raises(ValueError, match="the frame: row 17, column 'slide': nan is not a finite number"):
        lp.Motion.from_frame(pl.from_pandas(table), arm)
    words = frame().astype({SLIDE: object})
    words.loc[3, SLIDE] = "far"
    with pytest.raises(ValueError, match="the frame: row 3, column 'slide': 'far' is not a number"):
        lp.Motion.from_frame(words, arm)
    lost = frame()
    lost.loc[5, "time"] = pd.NaT
    with pytest.raises(ValueError, match="the frame: row 5, column 'time': there is no time"):
        lp.Motion.from_frame(lost, arm)
    with pytest.raises(ValueError, match="the frame: there are no rows of numbers"):
        lp.Motion.from_frame(frame().iloc[:0], arm)
    for wrong in (Q, [1, 2], "m.csv"):
        with pytest.raises(ValueError, match=r"the frame is a .*: expected a frame of pandas or polars"):
            lp.Motion.from_frame(wrong, arm)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a file, then a robot"):
        lp.Motion.from_frame(frame(), "arm")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a file, then a robot"):
        lp.Motion.from_csv(arm, "m.csv")  # type: ignore[arg-type]


def test_parquet_files(arm: lp.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame().to_parquet(tmp_path / "m.parquet")
    for library, name in ((pq, "read_table"), (pq, "ParquetFile"), (pl, "read_parquet"), (pd, "read_parquet")):
        monkeypatch.setattr(library, name, None)  # files of strangers are read in another process
    np.testing.assert_allclose(lp.Motion.from_parquet(tmp_path / "m.parquet", arm).q, Q, rtol=1e-13)
    (tmp_path / "text.parquet").write_text("t,turn,slide\n")
    with pytest.raises(ValueError, match=r"text\.parquet: this is no Parquet file; a text file is read by from_csv"):
        lp.Motion.from_parquet(tmp_path / "text.parquet", arm)
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "m.parquet").read_bytes()[:500])
    with pytest.raises(ValueError, match=r"cut\.parquet: this Parquet file cannot be read"):
        lp.Motion.from_parquet(tmp_path / "cut.parquet", arm)
    monkeypatch.setattr(parquet_reader, "READERS", ("no_reader",))
    with pytest.raises(ImportError, match=r"needs pyarrow, polars or pandas .*: pip install pyarrow"):
        parquet_reader.run(Message({"most": 100}, {"content": np.zeros(8, dtype=np.uint8)}), lambda fields: Message())


@pytest.mark.parametrize("reader", ["pyarrow.parquet", "polars", "pandas"])
def test_any_reader_sends_the_same_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    """Numbers with gaps, dates and texts, as its process sends them."""
    days, words = pd.date_range("2026-01-01", periods=len(Q), freq="ms"), ["on", None, *["a"] * (len(Q) - 2)]
    table = frame().assign(day=days, words=words, count=range(len(Q)))
    table.to_parquet(tmp_path / "m.parquet")
    content = np.frombuffer((tmp_path / "m.parquet").read_bytes(), dtype=np.uint8)
    monkeypatch.setattr(parquet_reader, "READERS", (reader,))
    reply = parquet_reader.run(Message({"most": 10**6}, {"content": content}), lambda fields: Message())
    assert reply.fields["names"] == list(table.columns)
    assert reply.fields["kinds"][-3:] == ["M", "O", "i"]
    place = str(len(table.columns) - 2)
    texts = json.loads(reply.arrays[f"texts of {place}"].tobytes())
    assert [texts[k] for k in reply.arrays[place][:3]] == ["on", None, "a"]
    assert np.array_equal(reply.arrays["1"], table.iloc[:, 1])
    assert np.array_equal(np.diff(reply.arrays[str(int(place) - 1)]), np.full(len(Q) - 1, 1_000_000))


def test_many_texts_in_a_parquet_file_are_no_header(
    arm: lp.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time stamps written as text were more than the header of a message may have, in a log of some hours."""
    stamps = [f"2026-01-01T00:00:{k / 1000:09.6f}Z" for k in range(len(Q))]
    frame().assign(time=stamps).to_parquet(tmp_path / "m.parquet")
    monkeypatch.setattr(messages, "LARGEST_HEADER", 1000)
    np.testing.assert_allclose(lp.Motion.from_parquet(tmp_path / "m.parquet", arm).q, Q, rtol=1e-13)


def test_a_small_parquet_file_of_very_many_numbers_is_refused(arm: lp.Robot, tmp_path: Path) -> None:
    """300 million zeros take a megabyte, and took the memory of all of them."""
    zeros = pa.table({name: pa.array(np.zeros(2_000_000)) for name in ("t", "turn", "slide")})
    with pq.ParquetWriter(tmp_path / "zeros.parquet", zeros.schema) as writer:
        for _ in range(50):
            writer.write_table(zeros)
    assert (tmp_path / "zeros.parquet").stat().st_size < 2e6
    with pytest.raises(ValueError, match=r"zeros\.parquet: there are more than 268,435,456 numbers"):
        lp.Motion.from_parquet(tmp_path / "zeros.parquet", arm)


def test_archives_in_degrees(arm: lp.Robot, tmp_path: Path) -> None:
    scale = np.array([180 / np.pi, 1])
    np.savez(tmp_path / "m.npz", t=T, q=Q * scale, qd=QD * scale)
    motion = lp.Motion.from_npz(tmp_path / "m.npz", arm, degrees=True)
    np.testing.assert_allclose(motion.q, Q, rtol=1e-13)
    np.testing.assert_allclose(motion.qd, QD, rtol=1e-13)
    with pytest.raises(ValueError, match="degrees=True needs the robot too"):
        lp.Motion.from_npz(tmp_path / "m.npz", degrees=True)


# Robots with loops


def test_drives_of_closed_robots(tmp_path: Path) -> None:
    bar = lp.catalog.four_bar()
    name = bar.driven[0]
    angle = bar.home[0] + 0.2 * np.sin(3 * T)
    noisy = angle + np.random.default_rng(0).normal(0, 2e-4, len(T))
    file = written(tmp_path / "m.csv", ["time_ms", f"{name} [deg]"], 1e3 * T, np.degrees(noisy))
    motion, said = read(file, bar)
    assert motion.smoothing is not None
    assert any(text.startswith("positions were smoothed") for text in said)
    assert np.abs(bar.closure(motion.q)).max() < 1e-10
    assert np.abs(motion.q[:, 0] - angle).max() < 3e-4
    assert any("deg to rad" in note for note in motion.notes)
    with pytest.raises(ValueError, match=r"m\.csv: .*derived from noisy samples"):
        lp.Motion.from_csv(file, bar, strict=True)


@pytest.mark.parametrize("as_frame", [False, True])
def test_joints_of_messages_keep_their_places(tmp_path: Path, as_frame: bool) -> None:
    arm, rows = lp.catalog.planar(2), [[8_000_000 * k, "joint2", "joint1", 0.2, 0.1] for k in range(60)]
    names = ["%time", "field.name0", "field.name1", "field.position0", "field.position1"]

    def read(rows: list[list[Any]]) -> lp.Motion:
        if as_frame:
            return lp.Motion.from_frame(pd.DataFrame(rows, columns=names), arm)
        file = tmp_path / "m.csv"
        file.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]))
        return lp.Motion.from_csv(file, arm)

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # columns of names are used, and no warning says otherwise
        assert read(rows).q[0].tolist() == [0.1, 0.2]
    rows[40][1:3] = "joint1", "joint2"
    where = "row 40" if as_frame else "line 42"
    with pytest.raises(ValueError, match=f"{where}, column 'field.name0': the joint is 'joint1', and 'joint2' in the"):
        read(rows)


def test_angles_that_are_kept_within_a_turn_are_made_continuous(tmp_path: Path) -> None:
    arm = lp.catalog.planar(2).with_limits({"joint2": {"lower": -6.0, "upper": 1.0}})
    t = np.arange(0.0, 4.0, 0.008)
    q = np.stack([2.5 + 1.2 * np.sin(2 * t), -3.0 + 0.5 * np.cos(2 * t)], axis=1)
    wrapped = np.mod(q + np.pi, 2 * np.pi) - np.pi
    rows = [f"{a:.9f},{b:.9f},{c:.9f}" for a, (b, c) in zip(t, wrapped, strict=True)]
    (tmp_path / "m.csv").write_text("\n".join(["t,joint1,joint2", *rows]))
    with pytest.warns(lp.ModelWarning, match="line 38 and 2 other places: the angle of 'joint1' jumps") as said:
        motion = lp.Motion.from_csv(tmp_path / "m.csv", arm)
    assert [text for text in motion.notes if "'joint2' jumps" in text] and len(said) == 2
    np.testing.assert_allclose(motion.q, q, atol=1e-8)
    np.testing.assert_allclose(motion.qdd[:, 0], -4.8 * np.sin(2 * t), atol=0.05)
    with pytest.warns(lp.ModelWarning, match=r"'joint1' jumps by a turn at sample 36 \(t = 0.288 s\).*np.unwrap"):
        lp.Motion(t, wrapped, robot=arm)
    with pytest.raises(ValueError, match="line 38 and 2 other places"):
        lp.Motion.from_csv(tmp_path / "m.csv", arm, strict=True)


def test_what_moves_by_a_turn_in_a_gap_or_slides_is_no_wrapped_angle() -> None:
    t = np.concatenate([np.arange(0.0, 1.0, 0.01), np.arange(3.0, 4.0, 0.01)])
    q = np.where(t[:, None] < 2, 0.0, 2 * np.pi) + 0.01 * t[:, None]
    assert not jumps_by_turns(t, q).any()
    slide = lp.from_dh([{"joint": "prismatic", "d": 0.1, "mass": 1.0}])
    far = np.where(np.arange(60) < 30, 0.0, 6.2)[:, None] + np.linspace(0, 0.1, 60)[:, None]
    frame = pd.DataFrame({"t": np.arange(60) * 0.01, "joint1": far[:, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.ptp(lp.Motion.from_frame(frame, slide, smooth=False).q) > 6.0


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_rows_that_a_quick_logger_repeats_are_taken_once(tmp_path: Path, noise: float) -> None:
    # 125 samples a second, written 500 times: with noise, a joint at rest had 15 rad/s^2.
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [[0, 0.4], [1.5, 0.4], [0, 0.4]], acceleration=6.0, rate=125)
    q = np.repeat(motion.q + noise * np.random.default_rng(0).normal(size=motion.q.shape), 4, axis=0)[1:]
    rows = [f"{0.002 * k:.3f},{a:.9f},{b:.9f}" for k, (a, b) in enumerate(q)]
    (tmp_path / "m.csv").write_text("\n".join(["t,joint1,joint2", *rows]))
    with pytest.warns(lp.ModelWarning, match="line 5: from here on 4 rows at a time have the same states"):
        found = lp.Motion.from_csv(tmp_path / "m.csv", arm)
    assert len(found) == len(motion) - 1 and np.allclose(np.diff(found.t), 0.008)
    np.testing.assert_allclose(np.abs(found.qdd).max(axis=0), np.abs(motion.qdd).max(axis=0), rtol=0.03, atol=0.05)


def test_steps_of_an_encoder_are_not_taken_for_repeated_rows() -> None:
    t = np.arange(0.0, 4.0, 0.002)
    stairs = np.round(np.sin(t) / 1e-3) * 1e-3
    assert held_rows(np.stack([stairs, stairs * 2], axis=1)) is None
    assert held_rows(np.zeros((500, 2))) is None and held_rows(np.zeros((500, 0))) is None
