"""Names of columns are matched by one rule; labels and masks are never dropped."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from handed_in import DataArray

from loadpath.robot.arrays import array_of, batch_shape, find_names, match_names, numbers, without_labels

NAMES = ("shoulder", "elbow", "wrist")


def test_a_permutation_is_put_in_order() -> None:
    assert match_names(["wrist", "shoulder", "elbow"], NAMES, "'q'") == [1, 2, 0]
    assert match_names(NAMES, NAMES, "'q'") == [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["shoulder", "elbow"], "'q' has no 'wrist': expected each of shoulder, elbow, wrist once"),
        (["shoulder", "elbow", "wrist", "t"], "'q' has 't', which is not known: expected"),
        (["shoulder", "elbow", "wrist", "elbow"], "'q': 'elbow' is there twice; expected"),
        (["shoulder", "elbow", "Wrist"], r"'q' has no 'wrist' \(did you mean 'wrist' by 'Wrist'\?\): expected"),
        (["a", "b", "wrist"], "'q' has no 'shoulder', 'elbow' and 'a', 'b', which are not known"),
        ([0, 1, "wrist"], "and '0', '1', which are not known"),
    ],
)
def test_names_that_do_not_match_are_refused(given: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_names(given, NAMES, "'q'")


def test_an_exact_spelling_comes_before_a_loose_one() -> None:
    def loose(name: str) -> list[str]:
        return [name, f"q_{name}", name.upper()]

    exact_then_loose = [lambda name: (name,), loose]
    match = lambda given, names: find_names(given, names, "log", exact_then_loose)  # noqa: E731
    assert match(["q_a", "a"], ["a", "q_a"]) == [1, 0]
    assert match(["q_a", "b"], ["a", "b"]) == [0, 1]
    assert match(["q_a"], ["a", "q_a"]) == [None, 0]  # a column serves one joint, the one that it spells exactly
    assert match(["x", "a"], ["a", "b"]) == [1, None]
    with pytest.raises(ValueError, match="log has 'q_a', 'A', and each of them could be 'a': keep one"):
        match(["q_a", "A"], ["a"])
    with pytest.raises(ValueError, match="log: 'AB' could be 'ab' or 'Ab': spell it exactly"):
        match(["AB"], ["ab", "Ab"])


def test_labels_that_only_count_are_none() -> None:
    rows = np.arange(6.0).reshape(2, 3)
    assert array_of(pd.DataFrame(rows), NAMES, "'q'").tolist() == rows.tolist()
    assert array_of(DataArray(rows, {}, ("time", "joint")), NAMES, "'q'").tolist() == rows.tolist()
    assert array_of(DataArray(rows, {"time": [0.0, 0.1]}, ("time", "joint")), NAMES, "'q'").tolist() == rows.tolist()
    # Columns that were counted once and then exchanged, or cut out of more, are not the robot's.
    with pytest.raises(ValueError, match="'q' has no 'shoulder', 'elbow', 'wrist' and '2', '0', '1', which are not"):
        array_of(pd.DataFrame(rows)[[2, 0, 1]], NAMES, "'q'")
    with pytest.raises(ValueError, match="'1', '2', '3', which are not known"):
        array_of(pd.DataFrame(np.zeros((2, 5))).iloc[:, 1:4], NAMES, "'q'")


def test_where_no_names_are_known_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="'base_velocity' has the labels 'vx', 'vy', and no names are known here"):
        array_of(pd.Series([1.0, 2.0], index=["vx", "vy"]), None, "'base_velocity'")
    assert array_of(pd.Series([1.0, 2.0]), None, "x").tolist() == [1.0, 2.0]


def test_joints_on_another_axis_than_the_last() -> None:
    turned = DataArray(np.zeros((3, 3)), {"joint": list(NAMES)}, ("joint", "time"))
    with pytest.raises(ValueError, match=r"on the axis 'joint': expected them on the last axis, as by .transpose\("):
        array_of(turned, NAMES, "'q'")


def test_joints_on_the_rows_of_a_table() -> None:
    with pytest.raises(ValueError, match=r"'q' has its joints on the rows: expected them on the columns, as by .T"):
        array_of(pd.DataFrame(np.zeros((3, 3)), index=NAMES), NAMES, "'q'")
    assert array_of(pd.DataFrame(np.zeros((3, 3)), index=["a", "b", "c"]), NAMES, "'q'").shape == (3, 3)


def test_a_dataset_is_refused() -> None:
    class Dataset:
        def __init__(self) -> None:
            self.dims = self.coords = {"joint": 3}

    with pytest.raises(ValueError, match="'q' is a Dataset: expected one of its arrays"):
        array_of(Dataset(), NAMES, "'q'")


def test_a_list_of_series_is_read_one_by_one() -> None:
    states = [pd.Series({"elbow": 2.0, "shoulder": 1.0, "wrist": 3.0}), pd.Series([4.0, 5.0, 6.0], index=NAMES)]
    assert array_of(states, NAMES, "'q'").tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    with pytest.raises(ValueError, match=r"'q'\[1\] has no 'wrist'"):
        array_of([states[0], states[1][:2]], NAMES, "'q'")
    with pytest.raises(ValueError, match=r"'q'\[0\] has 1 masked value, the first at \(0,\)"):
        array_of([np.ma.masked_array([1.0, 2.0, 3.0], mask=[1, 0, 0])], NAMES, "'q'")


def test_masks_count_what_they_hide() -> None:
    for mask, message in (
        (True, r"has 6 masked values, the first at \(0, 0\): expected numbers in all places"),
        ([[0, 0, 0], [0, 1, 0]], r"has 1 masked value, the first at \(1, 1\)"),
    ):
        with pytest.raises(ValueError, match=message):
            array_of(np.ma.masked_array(np.zeros((2, 3)), mask=mask), NAMES, "'q'")
    whole = array_of(np.ma.masked_array(np.ones((2, 3))), NAMES, "'q'")
    assert type(whole) is np.ndarray
    with pytest.raises(ValueError, match="t has 1 masked value"):
        without_labels(np.ma.masked_array([0.0, 1.0], mask=[0, 1]), "t")


def test_arrays_and_lists_come_back_as_they_are() -> None:
    for value in (np.zeros(3), [1.0, 2.0, 3.0], [[1, 2, 3]], 4.0, None, "text"):
        assert array_of(value, NAMES, "'q'") is value


def test_numbers_name_what_is_none() -> None:
    with pytest.raises(ValueError, match="speed is 'fast': expected numbers"):
        numbers("fast", "speed")
    with pytest.raises(ValueError, match="speed has 1 masked value"):
        numbers(np.ma.masked_array([1.0], mask=[True]), "speed")


def test_batch_shapes_are_listed_by_name() -> None:
    assert batch_shape({"q": (5, 1), "qd": (), "qdd": (4,)}) == (5, 4)
    with pytest.raises(ValueError, match=r"^run: the batch shapes do not go together: 'q' \(5,\), 'qd' \(4,\)$"):
        batch_shape({"q": (5,), "qd": (4,)}, "run")


def test_pandas_is_recognised_without_being_imported() -> None:
    code = "import sys, loadpath as lp; lp.catalog.two_link().gravity_forces([0, 0]); print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
