"""Tables of parts in files: CSV as several countries write it, TOML, Parquet; units, sources, slips."""

from __future__ import annotations

import math
import pickle

import pytest

import loadpath as lp
from loadpath.errors import ModelError, ModelWarning

GEARS = """# kind: strain wave gear
# source: catalogue of gears
# edition: 12/2018
name,ratio,rated_torque [N m],rated_speed,peak_torque [N mm],stiffness,mass [g],efficiency,cost
S14,100,7.8,2000 rpm,28000,"[4.7e3, 6.1e3]",90,75 %,300
S20,100,40,2000 rpm,82000,,280,0.75,400

S25,80,63,2000 rpm,157000,,420,"[0.8, 0.7]",
"""


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_units_of_columns_and_cells_are_si_numbers_of_the_part(tmp_path):
    text = GEARS.replace('"[4.7e3, 6.1e3]"', "4.7e3")
    table = lp.parts.read(written(tmp_path, "gears.csv", text))
    assert table.names == ("S14", "S20", "S25")
    row = table["S14"]
    assert isinstance(row.part, lp.StrainWaveGear)
    assert (row.part.ratio, row.part.rated_torque, row.part.stiffness) == (100.0, 7.8, 4700.0)
    assert row.part.peak_torque == pytest.approx(28.0, rel=1e-15)
    assert row.part.rated_speed == pytest.approx(2000 * math.pi / 30)
    assert (row.mass, row.number("cost"), row.drive) == (0.09, 300.0, lp.Drive(efficiency=0.75))
    assert table["S25"].drive == lp.Drive(efficiency=(0.8, 0.7))
    assert math.isnan(table["S25"].number("cost"))


def test_where_the_numbers_come_from_is_kept_with_the_part_also_when_it_travels(tmp_path):
    path = written(tmp_path, "gears.csv", GEARS.replace('"[4.7e3, 6.1e3]"', ""))
    part = pickle.loads(pickle.dumps(lp.parts.read(path).pick("S25")))
    assert (part.origin.source, part.origin.edition, part.origin.place) == (
        "catalogue of gears", "12/2018", f"{path}, line 8")
    assert lp.StrainWaveGear(ratio=100).origin is None
    assert part == lp.StrainWaveGear(ratio=80, rated_torque=63, rated_speed="2000 rpm", peak_torque=157, name="S25")


def test_semicolons_with_decimal_commas_are_the_same_table(tmp_path):
    german = "kind;name;ratio;rated_torque [N m];mass [kg]\nstrain wave gear;A;100;7,8;0,09\n"
    english = "kind,name,ratio,rated_torque [N m],mass [kg]\nstrain wave gear,A,100,7.8,0.09\n"
    one, other = (lp.parts.read(written(tmp_path, name, text))[0] for name, text in (("g.csv", german),
                                                                                    ("e.csv", english)))
    assert one.part == other.part
    assert one.mass == other.mass == 0.09


def test_toml_and_parquet_are_the_same_table(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    toml = written(tmp_path, "motors.toml", """
        kind = "motor"
        source = "catalogue"
        [[part]]
        name = "M1"
        continuous_torque = "444 mN m"
        rotor_inertia = "3060 g cm^2"
        phases = 3
        mass = "600 g"
        thermal = { resistance = [2.6, 1.9], time_constant = ["40 s", "30 min"], ambient = 25, limit = 125 }
        """)
    columns = {"kind": ["motor"], "name": ["M1"], "source": ["catalogue"], "continuous_torque [mN m]": [444.0],
               "rotor_inertia [g cm^2]": [3060.0], "phases": [3.0], "mass [g]": [600.0],
               "thermal.resistance": ["[2.6, 1.9]"], "thermal.time_constant.1": [40.0],
               "thermal.time_constant.2": ["30 min"], "thermal.ambient": [25.0], "thermal.limit": [125.0]}
    del columns["thermal.time_constant.1"], columns["thermal.time_constant.2"]
    columns["thermal.time_constant"] = ["[40, 1800]"]
    parquet.write_table(arrow.table(columns), tmp_path / "motors.parquet")
    one, other = lp.parts.read(toml)[0], lp.parts.read(tmp_path / "motors.parquet")[0]
    assert one.part.thermal == other.part.thermal == lp.ThermalModel(
        resistance=(2.6, 1.9), time_constant=(40, 1800), ambient=25, limit=125)
    assert one.part.rotor_inertia == pytest.approx(3.06e-4, rel=1e-15)
    assert one.part == other.part
    assert (one.mass, one.part.origin.source) == (other.mass, other.part.origin.source) == (0.6, "catalogue")


def test_numbered_columns_are_a_list(tmp_path):
    text = ("kind,name,ratio,stiffness.1,stiffness.2,stiffness_torques.1\n"
            "strain wave gear,A,100,\"47000\",61000,14 N m\n")
    assert lp.parts.read(written(tmp_path, "g.csv", text))[0].part.stiffness == (47000.0, 61000.0)


@pytest.mark.parametrize(("text", "said"), [
    ("name,ratio\nA,100\n", "no kind is given"),
    ("kind,name,ratio\ngearbox,A,100\n", "no part is a 'gearbox'"),
    ("kind,name,ratio,rated_torqe\nstrain wave gear,A,100,3\n", r"line 2: .*'rated_torqe'; did you mean 'rated_torq"),
    ("kind,name,ratio,rated_torque [kg]\nstrain wave gear,A,100,3\n", "line 2: rated_torque is '3 kg', a mass"),
    ("kind,name,ratio\nstrain wave gear,A,0\n", "line 2: ratio of strain wave gear 'A' is 0"),
    ("kind,name,ratio\nstrain wave gear,A,100\nstrain wave gear,A,80\n", "two parts called 'A'"),
    ("kind,name,ratio,mass\nstrain wave gear,A,100,-1\n", "mass is -1 kg"),
    ("kind,name,ratio\nstrain wave gear,A,100,7\n", "4 cells, where the first line names 3"),
    ("kind,name,name\nmotor,A,B\n", "two columns are called 'name'"),
    ("", "empty"),
    ("kind,name\n", "no parts"),
])
def test_what_is_wrong_has_its_line_and_a_remedy(tmp_path, text, said):
    with pytest.raises(ModelError, match=said):
        lp.parts.read(written(tmp_path, "parts.csv", text))


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        lp.parts.read(tmp_path / "none.csv")
    with pytest.raises(ModelError, match="ends in"):
        lp.parts.read(written(tmp_path, "gears.xlsx", ""))
    (tmp_path / "latin.csv").write_bytes("kind,name\nmotor,\xe4\n".encode("latin-1"))
    with pytest.raises(ModelError, match="UTF-8"):
        lp.parts.read(tmp_path / "latin.csv")
    with pytest.raises(ModelError, match="not known"):
        lp.parts.read(written(tmp_path, "p.toml", "[[gear]]\nratio = 100\n"))


def test_picking_by_numbers(tmp_path):
    table = lp.parts.read(written(tmp_path, "gears.csv", GEARS.replace('"[4.7e3, 6.1e3]"', "")))
    assert table.where("ratio == 100 and peak_torque >= 80 N m").names == ("S20",)
    assert table.pick("rated_torque >= 5 N m", least="mass").name == "S14"
    assert [line.split()[0].strip("-") for line in str(table).splitlines()] == ["part", "", "S14", "S20", "S25"]
    assert table.where("cost <= 350").names == ("S14",)  # S25 has no cost
    with pytest.raises(ModelError, match=r"3 parts .* say which"):
        table.pick("mass < 1 kg")
    with pytest.raises(ModelError, match=r"no part .* fulfils"):
        table.pick("mass > 1 kg")
    with pytest.raises(ModelError, match="no part 'S15'; did you mean"):
        table.pick("S15")
    with pytest.raises(ModelError, match="'weight'"):
        table.where("weight < 1 kg")


@pytest.mark.parametrize(("column", "cell", "said"), [
    ("max_torque", "28", "known: peak_torque"),
    ("peak", "28", "known: peak_torque"),
    ("torque", "28", "known: .*rated_torque"),
    ("repeated_peak_torque", "28", "known: peak_torque"),
    ("maxTorque", "28", "known: peak_torque"),
    ("max. torque (N m)", "28", "known: peak_torque"),
    ("T", "28 N m", "known: .*peak_torque"),
    ("C0", "28", "'C0'"),
])
def test_columns_that_look_like_ratings_are_warned_of(tmp_path, column, cell, said):
    path = written(tmp_path, "g.csv", f"name,ratio,{column},mass\nA,100,{cell},1\nB,100,,2\n")
    with pytest.warns(ModelWarning, match=f"this column is taken as your own, and no check .*{said}") as caught:
        lp.parts.read(path, kind="strain wave gear")
    assert len(caught) == 1


def test_columns_of_the_users_own_that_are_no_ratings_are_taken_quietly(tmp_path, recwarn):
    path = written(tmp_path, "g.csv", "name,ratio,peak_torque,mass,cost,price [EUR],length [mm],maker,delivery\n"
                                      "A,100,28,1,300,300,70,Max Power,4 weeks\n")
    assert lp.parts.read(path, kind="strain wave gear")["A"].numbers["cost"] == 300.0
    assert not recwarn.list


def test_columns_may_have_capitals_and_spaces(tmp_path, recwarn):
    text = ("Kind,Name,Ratio,peak torque (N m),Max Input-Speed,Mass [g],Efficiency,Stiffness.1,Source\n"
            "strain wave gear,A,100,28,6000 rpm,90,75 %,4000,maker\n")
    row = lp.parts.read(written(tmp_path, "g.csv", text))["A"]
    assert row.part == lp.StrainWaveGear(ratio=100, peak_torque=28, max_input_speed="6000 rpm", name="A",
                                         stiffness=(4000.0,))
    assert (row.mass, row.drive, row.part.origin.source) == (0.09, lp.Drive(efficiency=0.75), "maker")
    bearing = lp.parts.read(written(tmp_path, "b.csv", "name,c [kN],c0 [kN],DP [mm]\nB,5.3,6.07,36\n"),
                            kind="crossed roller bearing")[0].part
    assert (bearing.C, bearing.C0, bearing.dp) == pytest.approx((5300.0, 6070.0, 0.036))
    assert not recwarn.list
    with pytest.raises(ModelError, match="line 2: two columns are 'peak_torque': 'peak_torque' and 'Peak torque'"):
        lp.parts.read(written(tmp_path, "t.csv", "name,ratio,peak_torque,Peak torque\nA,100,2,3\n"),
                      kind="strain wave gear")


@pytest.mark.parametrize(("column", "cells", "names"), [
    ("size", ("14", "20"), ("14", "20")), ("Model", ("CSG-14", "CSG-20"), ("CSG-14", "CSG-20")),
    ("type designation", ("a", "b"), ("a", "b")), ("type", ("a", "b"), ("a", "b"))])
def test_sizes_or_models_are_names_where_no_column_is_called_so(tmp_path, column, cells, names):
    text = f"{column},ratio,peak_torque\n{cells[0]},100,28\n{cells[1]},100,82\n"
    table = lp.parts.read(written(tmp_path, "g.csv", text), kind="strain wave gear")
    assert table.names == names
    if column == "size":
        assert table.where("size > 14").names == ("20",)


def test_without_names_the_error_says_what_their_column_is_called(tmp_path):
    with pytest.raises(ModelError, match=r"2 parts have no name.*must be called 'name' \(is it 'Getriebe'\?\)"):
        lp.parts.read(written(tmp_path, "g.csv", "Getriebe,ratio,peak_torque\nA,100,28\nB,100,82\n"),
                      kind="strain wave gear")


def test_printed_tables_leave_out_what_has_its_usual_value(tmp_path):
    text = "name,ratio,peak_torque\nA,100,28\nB,100,82\n"
    table = lp.parts.read(written(tmp_path, "g.csv", text), kind="strain wave gear")
    assert table.to_table().splitlines()[0].split() == ["part", "ratio", "peak_torque"]
    other = lp.parts.read(written(tmp_path, "h.csv", text.replace("ratio", "rated_life_percent,ratio").replace(
        "A,", "A,50,").replace("B,", "B,10,")), kind="strain wave gear")
    assert "rated_life_percent" in str(other)
