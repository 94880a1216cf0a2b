"""Sweeps over scenes, seeds and properties."""

import csv
import json
import os
import subprocess
import sys

import numpy
import pytest

import tombolo
from tombolo import sweeps, tables
from tombolo._tombolo import PanicException
from tombolo.jobs import Stop
from tombolo.tables import write_table

SCENE = """(
    settings: (seed: 1),
    scripts: {"kick": "fn on_spawn() { me().set(\\"body.linear_velocity\\", vec2(random(0.0, 9.0), 5.0)); }"},
    entities: {"ball": {
        "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "kick"),
    }},
    place: [One(name: "ball", entity: "ball", at: (0, 3))],
)"""
SET = {"ball.body.gravity_scale": [1.0, 0.5], "ball.body.angular_velocity": [0.0, 2.0]}
READ = ["ball.transform.position"]
# Letters that Python's repr would write as escapes, and that tables have as they are.
KEPT = "e\u0301\U0001f600\u3042\xa0\xad\u200b\u2028\u3000\ue000\ufeff\U000e0001\U0010ffff"


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "ball.ron"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_a_table_is_the_same_for_any_number_of_threads(scene, tmp_path):
    tables = []
    for threads in (1, 2, 5):
        out = tmp_path / f"{threads}.csv"
        rows = tombolo.sweep(scene, seeds=[None, 1, 2, 3], set=SET, read=READ, steps=40, out=out, threads=threads)
        tables.append(out.read_bytes())
        assert len(rows) == 16 and all(row["error"] is None for row in rows)
    assert tables[1:] == tables[:1] * 2
    assert not list(tmp_path.glob("*.part")) and not list(tmp_path.glob("*.new"))
    with out.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["seed"] for row in table] == [""] * 4 + ["1"] * 4 + ["2"] * 4 + ["3"] * 4
    assert [row["hash"] for row in table[:4]] == [row["hash"] for row in table[4:8]], "the scene's own seed is 1"
    assert len({row["hash"] for row in table[4:]}) == 12
    world = tombolo.SceneWorld(scene, seed=3)
    world["ball.body.gravity_scale"], world["ball.body.angular_velocity"] = 0.5, 2.0
    world.step(40)
    assert table[-1]["hash"] == f"{world.hash():016x}"
    assert table[-1][READ[0]] == str(list(world[READ[0]]))


def test_a_sweep_that_was_killed_goes_on_where_it_was(scene, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.csv", tmp_path / "table.csv"
    ask = {"seeds": range(8), "set": SET, "read": READ, "steps": 5, "threads": 2}
    tombolo.sweep(scene, **ask, out=whole)
    run, done = sweeps._Job.run, []

    def killed(job, texts, stop):
        if len(done) >= 10:
            raise KeyboardInterrupt
        done.append(job.key())
        return run(job, texts, stop)

    monkeypatch.setattr(sweeps._Job, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        tombolo.sweep(scene, **ask, out=out)
    part = tmp_path / "table.csv.part"
    assert not out.exists() and part.exists()
    kept = [line for line in part.read_text(encoding="utf-8").splitlines() if line]
    assert 5 <= len(kept) < 32, "two threads may have begun one more than ten"
    # The kill came in the middle of a line.
    part.write_text(part.read_text(encoding="utf-8") + '["abc", {"sce', encoding="utf-8")
    again = []
    monkeypatch.setattr(sweeps._Job, "run", lambda job, *given: again.append(job.key()) or run(job, *given))
    tombolo.sweep(scene, **ask, out=out)
    assert out.read_bytes() == whole.read_bytes()
    assert len(again) == 32 - len(kept) and not part.exists()


def test_a_table_that_cannot_be_written_is_refused_before_the_first_step(scene, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(sweeps._Job, "run", lambda job, *_: ran.append(job))
    with pytest.raises(IsADirectoryError):
        tombolo.sweep(scene, steps=1, out=tmp_path)
    link, text = tmp_path / "link.csv", scene.read_bytes()
    link.symlink_to(scene)
    for out in (scene, tmp_path / "." / "ball.ron", link):
        with pytest.raises(ValueError, match="would replace the scene"):
            tombolo.sweep([scene], steps=1, out=out)
    assert scene.read_bytes() == text and ran == []
    monkeypatch.undo()
    rows = tombolo.sweep(scene, steps=1, out=tmp_path / "new" / "folder" / "table.csv")
    assert (tmp_path / "new/folder/table.csv").exists() and len(rows) == 1


def test_a_part_file_may_have_any_bytes(scene, tmp_path):
    out, part = tmp_path / "table.csv", tmp_path / "table.csv.part"
    part.write_bytes(b"\xff\xfe\x00\n[1]\n")
    rows = tombolo.sweep(scene, seeds=[1, 2], steps=1, out=out)
    assert len(rows) == 2 and not part.exists()


def test_of_two_equal_sweeps_each_ends(scene, tmp_path, monkeypatch):
    out, write = tmp_path / "table.csv", sweeps.write_table

    def also_by_another(path, rows):
        write(path, rows)
        (tmp_path / "table.csv.part").unlink()

    monkeypatch.setattr(sweeps, "write_table", also_by_another)
    assert len(tombolo.sweep(scene, seeds=[1, 2], steps=1, out=out)) == 2
    assert [path.name for path in tmp_path.iterdir() if path != scene] == ["table.csv"]


def test_a_table_that_failed_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tables.os, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_table(tmp_path / "table.csv", [{"a": 1}])
    assert list(tmp_path.iterdir()) == []


def test_a_column_has_one_value(scene):
    speed = "ball.body.angular_velocity"
    for ask in ({"set": {speed: [1.0]}, "read": [speed]}, {"read": [speed, speed]}, {"read": ["seed"]}):
        with pytest.raises(ValueError, match="column .* would have two values"):
            tombolo.sweep(scene, steps=1, **ask)


@pytest.mark.parametrize(
    "ask",
    [
        {"read": READ[0]},
        {"seeds": "12"},
        {"seeds": 12},
        {"set": {"ball.body.kind": "Static"}},
        {"set": {"ball.body.gravity_scale": 0.5}},
        {"set": {"ball.body.gravity_scale": {"a": 0.5}}},
    ],
)
def test_one_value_is_no_list(scene, tmp_path, ask):
    with pytest.raises(TypeError, match="is one .*: give a list"):
        tombolo.sweep(scene, steps=1, out=tmp_path / "table.csv", **ask)
    assert list(tmp_path.iterdir()) == [scene]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_worlds_that_are_under_way(scene, tmp_path):
    # The first world is done at once, and then the others are under way: each makes steps for many seconds.
    sweep = """
import os, signal, sys, threading, time, tombolo
from tombolo import sweeps

# Where this runs in the background of a shell, the signal is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
make = sweeps._make_steps
def begin(world, steps, stop):
    if world["ball.body.gravity_scale"] == 0.0:
        return make(world, 1, stop)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    return make(world, steps, stop)
sweeps._make_steps = begin
try:
    tombolo.sweep(
        sys.argv[1], set={"ball.body.gravity_scale": [0.0, 1.0, 0.5]}, steps=5_000_000, out=sys.argv[2], threads=2,
        progress=lambda done, count: print(done, count, flush=True),
    )
except KeyboardInterrupt:
    print("interrupted")
"""
    out = tmp_path / "table.csv"
    ran = subprocess.run([sys.executable, "-c", sweep, scene, out], capture_output=True, text=True, timeout=300)
    assert ran.stdout.splitlines() == ["1 3", "interrupted"], ran.stderr
    part = tmp_path / "table.csv.part"
    assert len([line for line in part.read_text(encoding="utf-8").splitlines() if line]) == 1 and not out.exists()


def test_slices_of_steps_are_the_steps(scene):
    for steps in (0, 1, 2, 3, 100, 1000):
        sliced, whole = tombolo.SceneWorld(scene), tombolo.SceneWorld(scene)
        sweeps._make_steps(sliced, steps, Stop())
        whole.step(steps)
        assert sliced.hash() == whole.hash()


def test_a_panic_is_the_error_of_its_row(scene, monkeypatch):
    step = tombolo.SceneWorld.step

    def panics(world, steps=1):
        if world["ball.body.gravity_scale"] == 0.5:
            raise PanicException("a number is wrong")
        step(world, steps)

    monkeypatch.setattr(tombolo.SceneWorld, "step", panics)
    rows = tombolo.sweep(scene, set={"ball.body.gravity_scale": [1.0, 0.5, 0.25]}, steps=3)
    assert [row["error"] for row in rows] == [None, "panics: a number is wrong", None]
    assert [row["hash"] is None for row in rows] == [False, True, False]


def test_numpys_numbers_are_numbers(scene):
    given = {"ball.body.linear_velocity": numpy.array([[1.0, 0.0], [0.5, 2.0]])}
    rows = tombolo.sweep(scene, seeds=numpy.arange(2), set=given, steps=3)
    plain = {"ball.body.linear_velocity": [(1.0, 0.0), (0.5, 2.0)]}
    assert rows == tombolo.sweep(scene, seeds=[0, 1], set=plain, steps=3)
    assert all(row["error"] is None for row in rows)


def test_seeds_and_values_that_make_no_sense_are_rows(scene):
    rows = tombolo.sweep(scene, seeds=[-1, 0], set={"ball.body.gravity_scale": [1.0, {}]}, steps=1)
    assert [row["error"] is None for row in rows] == [False, False, True, False]


def test_what_the_engine_refuses_is_a_row(scene, tmp_path):
    rows = tombolo.sweep(scene, set={"ball.body.gravity_scale": [1.0, float("1e30")]}, read=READ, steps=1)
    assert rows[0]["error"] is None and rows[0]["hash"] is not None
    wrong = tombolo.sweep(scene, set={"ball.body.nothing": [1.0]}, read=READ, steps=1)
    assert "nothing" in wrong[0]["error"] and wrong[0]["hash"] is None
    with pytest.raises(ValueError, match="from 0 up"):
        tombolo.sweep(scene, steps=-1)
    assert tombolo.sweep([], steps=1) == []


def test_a_fault_is_the_error_of_its_row_beside_what_was_read(tmp_path):
    failing = tmp_path / "failing.ron"
    failing.write_text(SCENE.replace("random(0.0, 9.0)", "no_such_thing()"), encoding="utf-8")
    (row,) = tombolo.sweep(failing, read=READ, steps=2)
    assert "no_such_thing" in row["error"] and row["hash"] is not None and row[READ[0]] is not None
    world = tombolo.SceneWorld(failing)
    world.step(2)
    assert (row["error"], row["hash"]) == (world.faults[0], f"{world.hash():016x}")


def test_cells_are_written_as_the_command_writes_them(tmp_path):
    # The texts of the command's own tests: crates/cli/src/sweep/table.rs, cell.rs.
    row = ["a b", [1.0, 2.0], None, '"q"', "two\nlines", " a", "c\rd", True]
    texts = ["plain", "it's", "\"it's\"\n", "\\\x1bé", "\x7f\x85", KEPT]
    write_table(tmp_path / "cells.csv", [dict(zip("abcdefgh", row, strict=True)), {"a": texts}])
    lists = "['plain', \"it's\", '\"it\\'s\"\\n', '\\\\\\x1bé', '\\x7f\\x85', 'KEPT']".replace("KEPT", KEPT).replace('"', '""')
    wanted = 'a,b,c,d,e,f,g,h\na b,"[1.0, 2.0]",,"""q""","two\nlines", a,"c\rd",True\n"' + lists + '",,,,,,,\n'
    assert (tmp_path / "cells.csv").read_bytes().decode() == wanted


def test_a_table_in_parquet_has_the_same_columns(scene, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    given = {"ball.body.gravity_scale": [1, 0.5], "ball.body.kind": ["Dynamic", True]}
    ask = {"seeds": [None, 2**64 - 1], "set": given, "read": READ, "steps": 3}
    rows = tombolo.sweep(scene, **ask, out=tmp_path / "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet")
    assert table.column_names == list(rows[0])
    # Of words and of others a column has the texts; numbers stay numbers.
    assert table.to_pylist() == [{**row, "ball.body.kind": str(row["ball.body.kind"])} for row in rows]
    assert not list(tmp_path.glob("*.part")) and not list(tmp_path.glob("*.new"))


def test_parquet_without_pyarrow_is_an_error_before_anything_runs(scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow, or give a name that ends with .csv"):
        tombolo.sweep(scene, steps=1, out=tmp_path / "table.parquet")
    assert [path.name for path in tmp_path.iterdir()] == [scene.name]


def _command_sweep(folder):
    command = os.environ.get("TOMBOLO_COMMAND")
    if command is None:
        pytest.skip("TOMBOLO_COMMAND is not set: the command's table is not compared")
    return subprocess.run([command, "sweep", folder / "sweep.ron"], capture_output=True, text=True, check=False)


def test_the_command_writes_the_same_bytes(scene, tmp_path, monkeypatch):
    bad = tmp_path / "bad, é.ron"
    bad.write_text("(\n  settings: (substeps: 0),\n)", encoding="utf-8")
    failing = tmp_path / "failing.ron"
    failing.write_text(SCENE.replace("random(0.0, 9.0)", "no_such_thing()"), encoding="utf-8")
    # As the command, relative to the sweep's folder.
    monkeypatch.chdir(tmp_path)
    scenes = [scene.name, bad.name, failing.name]
    read = ["ball.transform.position", "ball.skin.shape", "ball.body.awake", "ball.body.linear_velocity.y", "ball.start.name", "ball.start.error"]
    given = {
        "ball.body.gravity_scale": [1, 0.1, 1e-05, 1e16, -0.0, 3.0578384399414062, float("inf")],
        "ball.body.kind": ["Dynamic", "Wrong", True, None],
        "ball.body.linear_velocity": [(1.0, 2), (0.5, -1e22)],
    }
    fields = """(
        scenes: ["ball.ron", "bad, é.ron", "failing.ron"],
        seeds: [None, 0, 18446744073709551615],
        set: {
            "ball.body.gravity_scale": [1, 0.1, 0.00001, 1e16, -0.0, 3.05783843994140625, inf],
            "ball.body.kind": [Dynamic, "Wrong", true, None],
            "ball.body.linear_velocity": [(1.0, 2), (0.5, -1e22)],
        },
        read: READ,
        steps: 5,
        out: "command.csv",
    )"""
    (tmp_path / "sweep.ron").write_text(fields.replace("READ", json.dumps(read)), encoding="utf-8")
    ask = {"seeds": [None, 0, 2**64 - 1], "set": given, "read": read, "steps": 5}
    rows = tombolo.sweep(scenes, **ask, out="python.csv")
    assert {row["error"] is None for row in rows} == {True, False}
    ran = _command_sweep(tmp_path)
    assert ran.returncode == 1 and "jobs failed" in ran.stderr, "the bad scene, and values that are refused"
    assert (tmp_path / "command.csv").read_bytes() == (tmp_path / "python.csv").read_bytes()
    assert b",Wrong," in (tmp_path / "command.csv").read_bytes()


def test_the_command_goes_on_from_this_journal(scene, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask = {"seeds": [1, 2, 3], "set": {"ball.body.gravity_scale": [0.1, 1]}, "read": READ, "steps": 7}
    (tmp_path / "sweep.ron").write_text(
        f"""(scenes: ["ball.ron"], seeds: [1, 2, 3], set: {{"ball.body.gravity_scale": [0.1, 1]}}, read: {json.dumps(READ)},
        steps: 7, out: "table.csv")""",
        encoding="utf-8",
    )
    whole = tombolo.sweep("ball.ron", **ask, out="whole.csv")
    monkeypatch.setattr(sweeps, "write_table", lambda path, rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tombolo.sweep("ball.ron", **ask, out="table.csv")
    ran = _command_sweep(tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ["run", "now", "0"] in [line.split() for line in ran.stdout.splitlines()], "all rows are the journal's"
    assert (tmp_path / "table.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert len(whole) == 6
