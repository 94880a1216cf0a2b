"""Sweeps over a Ray cluster of two machines, which are processes here."""

import os
import sys
import time

import pytest

import tombolo
import tombolo.ray

SCENE = """(
    settings: (seed: 1),
    scripts: {"kick": "fn on_spawn() { me().set(\\"body.linear_velocity\\", vec2(random(0.0, 9.0), 5.0)); }"},
    entities: {"ball": {
        "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "kick"),
    }},
    place: [One(name: "ball", entity: "ball", at: (0, 3))],
)"""
ASK = {"set": {"ball.body.gravity_scale": [1.0, 0.5]}, "read": ["ball.transform.position"]}


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "ball.ron"
    path.write_text(SCENE, encoding="utf-8")
    return path


def patiently(begin):
    """Begins something of Ray, which gives its processes half a minute to answer: too little on a machine that is busy."""
    for _ in range(3):
        try:
            return begin()
        except Exception as error:
            if "timed out" not in str(error).lower():
                raise
    return begin()


@pytest.fixture(scope="module")
def head():
    """A cluster whose head, where the tests are, has no CPUs."""
    pytest.importorskip("ray", reason="Ray is not installed: sweeps over several machines are not tested")
    with pytest.MonkeyPatch.context() as patch:
        # Read when Ray begins: processes of one machine need no token.
        patch.setenv("RAY_AUTH_MODE", "disabled")
        import ray
        from ray.cluster_utils import Cluster

        # A process that is gone refuses the call and is found at once; one that is slow is given time.
        config = {"health_check_period_ms": 500, "health_check_timeout_ms": 20_000, "health_check_failure_threshold": 3}
        config["worker_register_timeout_seconds"] = 300
        cluster = Cluster()
        try:
            patiently(
                lambda: cluster.add_node(wait=False, num_cpus=0, include_dashboard=False, _system_config=config)
            )
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


@pytest.fixture
def cluster(head):
    """Two machines that can be killed."""
    while len(head.worker_nodes) < 2:
        patiently(lambda: head.add_node(num_cpus=1))
    return head


def test_without_ray_the_call_says_what_to_do(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"Ray is not installed: pip install 'ray>=2.60'"):
        tombolo.sweep(scene, steps=1, address="auto")


def test_a_killed_machine_leaves_the_same_table(scene, tmp_path, cluster, monkeypatch):
    here, there, killed = (tmp_path / name for name in ("here.csv", "there.csv", "killed.csv"))
    ask = {**ASK, "seeds": range(200), "steps": 400}
    tombolo.sweep(scene, **ask, out=here)
    seen, start = [], time.monotonic()
    tombolo.sweep(scene, **ask, out=there, address="auto", progress=lambda done, count: seen.append((done, count)))
    undisturbed = time.monotonic() - start
    assert there.read_bytes() == here.read_bytes()
    assert seen == [(done, 400) for done in range(1, 401)]
    lost, nodes, lose = [], list(cluster.worker_nodes), tombolo.ray._Cluster._lose
    monkeypatch.setattr(
        tombolo.ray._Cluster,
        "_lose",
        lambda self, machine, keys, error: lost.append((machine.name, len(keys))) or lose(self, machine, keys, error),
    )

    def kill(done, count):
        if done >= 60 and nodes:
            node = nodes.pop()
            nodes.clear()
            cluster.remove_node(node, allow_graceful=False)

    start = time.monotonic()
    tombolo.sweep(scene, **ask, out=killed, address="auto", progress=kill)
    assert killed.read_bytes() == here.read_bytes()
    assert lost and len({name for name, _ in lost}) == 1, "the machine that was killed had work"
    assert time.monotonic() - start < 60.0 + 3.0 * undisturbed, "it does not hang"
    assert not list(tmp_path.glob("*.part"))


def test_an_actor_that_dies_is_replaced_on_its_machine(scene, cluster, tmp_path):
    class Deadly:
        """A job that kills its process once."""

        def __init__(self, number):
            self.number = number

        def run(self, folder):
            mark = os.path.join(folder, "died")
            if self.number == 5 and not os.path.exists(mark):
                open(mark, "w").close()
                os._exit(1)
            return {"number": self.number}

    rows = {}

    def done(key, row):
        assert key not in rows, "each row comes once"
        rows[key] = row["number"]

    jobs = {str(number): Deadly(number) for number in range(20)}
    tombolo.ray.run_jobs(jobs, str(tmp_path), done, address=cluster.address, threads=1)
    assert rows == {str(number): number for number in range(20)}
    assert (tmp_path / "died").exists()


def test_what_a_job_raises_is_raised(scene, cluster):
    class Failing:
        """A job with a defect."""

        def run(self, numbers):
            return {"number": numbers[0] // 0}

    with pytest.raises(ZeroDivisionError):
        tombolo.ray.run_jobs({"only": Failing()}, [1], lambda key, row: None, address=cluster.address, threads=1)
    # The cluster is as it was.
    assert tombolo.sweep(scene, steps=1, address=cluster.address) == tombolo.sweep(scene, steps=1)


def lean(seen, random):
    """A policy with a random part."""
    return int(random.integers(4)) if seen[1] > 0.5 else 2


def test_rollouts_are_the_same_over_machines(cluster, tmp_path):
    pytest.importorskip("gymnasium")
    # By value: the machines do not have this file.
    import ray.cloudpickle

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    rows = tombolo.rollout("tombolo/LunarLander-v3", lean, seeds=range(12), out=here)
    assert tombolo.rollout("tombolo/LunarLander-v3", lean, seeds=range(12), out=there, address=cluster.address) == rows
    assert there.read_bytes() == here.read_bytes()


def test_a_machine_with_another_version_is_refused(scene, cluster, monkeypatch):
    monkeypatch.setattr(tombolo.ray, "version", lambda name: "0.0.1")
    with pytest.raises(RuntimeError, match=r"has tombolo .*, this one 0\.0\.1: install the same there"):
        tombolo.sweep(scene, steps=1, address=cluster.address)


def test_a_sweep_that_was_stopped_on_a_cluster_goes_on_here(scene, cluster, tmp_path):
    whole, out, counts = tmp_path / "whole.csv", tmp_path / "table.csv", []
    ask = {**ASK, "seeds": range(20), "steps": 10}
    tombolo.sweep(scene, **ask, out=whole)

    def stop(done, count):
        if done == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tombolo.sweep(scene, **ask, out=out, address=cluster.address, progress=stop)
    assert not out.exists()
    tombolo.sweep(scene, **ask, out=out, progress=lambda done, count: counts.append(done))
    assert out.read_bytes() == whole.read_bytes() and counts == list(range(16, 41))
