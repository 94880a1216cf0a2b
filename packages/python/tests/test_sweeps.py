"""Sweeps over scenes, seeds and properties."""

import csv

import numpy
import pytest

import tombolo
from tombolo import sweeps

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

    def killed(job, texts):
        if len(done) >= 10:
            raise KeyboardInterrupt
        done.append(job.key())
        return run(job, texts)

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
    monkeypatch.setattr(sweeps._Job, "run", lambda job, texts: again.append(job.key()) or run(job, texts))
    tombolo.sweep(scene, **ask, out=out)
    assert out.read_bytes() == whole.read_bytes()
    assert len(again) == 32 - len(kept) and not part.exists()


def test_a_column_has_one_value(scene):
    speed = "ball.body.angular_velocity"
    for ask in ({"set": {speed: [1.0]}, "read": [speed]}, {"read": [speed, speed]}, {"read": ["seed"]}):
        with pytest.raises(ValueError, match="column .* would have two values"):
            tombolo.sweep(scene, steps=1, **ask)


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
