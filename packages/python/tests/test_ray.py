"""Sweeps over a Ray cluster of two machines, which are processes here, and over a stand-in of one."""

import itertools
import os
import sys
import time
import types

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


class Ray:
    """Ray's functions that are used, of a cluster that answers at once: with what ``answers`` gives for a start of an actor, an
    exception or the version, and never if that is ``None``. Each job gives a row."""

    def __init__(self, answers, nodes=("a",)):
        self.answers, self.names, self.starts = answers, nodes, []
        self.exceptions = types.SimpleNamespace(RayTaskError=KeyError, RayError=OSError)
        self.open = {}

    def is_initialized(self):
        return True

    def nodes(self):
        return [{"NodeID": name, "Alive": True, "Resources": {"CPU": 4.0}} for name in self.names]

    def available_resources(self):
        return {"CPU": 1.0}

    def put(self, shared):
        return shared

    def kill(self, actor):
        pass

    def remote(self, worker):
        def create(shared, threads):
            name = self.asked
            self.starts.append(name)
            real = worker(shared, threads)
            version = types.SimpleNamespace(remote=lambda: self._future(self.answers(name, self.starts.count(name))))
            return types.SimpleNamespace(
                version=version, run=types.SimpleNamespace(remote=lambda jobs: self._future(real.run(jobs)))
            )

        def options(num_cpus, max_restarts, scheduling_strategy):
            self.asked = scheduling_strategy
            return types.SimpleNamespace(remote=create)

        return types.SimpleNamespace(options=options)

    def _future(self, answer):
        future = object()
        self.open[future] = answer
        return future

    def wait(self, futures, timeout):
        return [future for future in futures if self.open[future] is not None][:1], None

    def get(self, future):
        answer = self.open.pop(future)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Number:
    """A job of a number."""

    def __init__(self, number):
        self.number = number

    def run(self, shared, stop):
        return {"number": self.number}


@pytest.fixture
def stand_in(monkeypatch):
    """Makes a stand-in of Ray, where a second passes with each look for machines."""

    def make(*given, **options):
        stand_in = Ray(*given, **options)
        strategies = types.SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node_id, soft: node_id)
        monkeypatch.setitem(sys.modules, "ray", stand_in)
        monkeypatch.setitem(sys.modules, "ray.util", types.SimpleNamespace(scheduling_strategies=strategies))
        monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", strategies)
        seconds = itertools.count()
        clock = types.SimpleNamespace(monotonic=lambda: float(next(seconds)), sleep=lambda _: None)
        monkeypatch.setattr(tombolo.ray, "time", clock)
        return stand_in

    return make


def run_numbers():
    rows = {}
    jobs = {str(number): Number(number) for number in range(9)}
    tombolo.ray.run_jobs(jobs, None, lambda key, row: rows.update({key: row["number"]}), address="auto", threads=None)
    assert rows == {str(number): number for number in range(9)}


def test_a_machine_that_cannot_start_its_actor_is_an_error_with_its_reason(stand_in):
    ray = stand_in(lambda name, start: OSError("no module of this name"))
    with pytest.raises(RuntimeError, match="the machine a could not begin, 3 times: no module of this name") as raised:
        run_numbers()
    assert ray.starts == ["a"] * 3 and isinstance(raised.value.__cause__, OSError)


def test_a_machine_that_starts_in_the_end_works(stand_in):
    version = tombolo.ray.version("tombolo")
    ray = stand_in(lambda name, start: OSError("not yet") if start < 3 else version)
    run_numbers()
    assert ray.starts == ["a"] * 3
    # The failures of one are not those of another.
    ray = stand_in(lambda name, start: OSError("not yet") if start < 3 else version, nodes=("a", "b", "c"))
    run_numbers()
    assert sorted(ray.starts)[:2] == ["a", "a"]


def test_machines_whose_cpus_are_taken_are_waited_for_and_that_is_said(stand_in):
    version = tombolo.ray.version("tombolo")
    ray = stand_in(lambda name, start: None)
    looks = []

    def nodes():
        looks.append(len(looks))
        if len(looks) == 200:
            # The CPUs are free at last.
            ray.open = {future: version if answer is None else answer for future, answer in ray.open.items()}
        return Ray.nodes(ray)

    ray.nodes = nodes
    with pytest.warns(RuntimeWarning, match="4 asked for, 1 free.; the call goes on waiting") as said:
        run_numbers()
    assert len(said) == 1 and ray.starts == ["a"]


def test_no_machine_for_a_minute_is_an_error(stand_in):
    stand_in(lambda name, start: None, nodes=())
    with pytest.raises(RuntimeError, match="no machine with a CPU for 60 s"):
        run_numbers()


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

        def run(self, folder, stop):
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

        def run(self, numbers, stop):
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


def test_an_actor_that_cannot_start_is_an_error_with_its_reason(scene, cluster, monkeypatch):
    def broken(self, shared, threads):
        raise ImportError("no module of this name")

    monkeypatch.setattr(tombolo.ray._Worker, "__init__", broken)
    import ray.cloudpickle

    # By value: the machines have the module as it is.
    ray.cloudpickle.register_pickle_by_value(tombolo.ray)
    try:
        with pytest.raises(RuntimeError, match=r"(?s)could not begin, 3 times.*no module of this name"):
            tombolo.sweep(scene, steps=1, address=cluster.address)
    finally:
        ray.cloudpickle.unregister_pickle_by_value(tombolo.ray)
    monkeypatch.undo()
    assert tombolo.sweep(scene, steps=1, address=cluster.address) == tombolo.sweep(scene, steps=1)


def test_machines_whose_cpus_are_taken_are_waited_for(scene, cluster, monkeypatch):
    import ray

    monkeypatch.setattr(tombolo.ray, "_WAIT_SECONDS", 3.0)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
    try:

        @ray.remote(num_cpus=1)
        class Taker:
            def ready(self):
                return True

        takers = [Taker.remote() for _ in range(2)]
        ray.get([taker.ready.remote() for taker in takers])
        warn = tombolo.ray.warnings.warn

        def free(*given, **options):
            warn(*given, **options)
            for taker in takers:
                ray.kill(taker)

        monkeypatch.setattr(tombolo.ray.warnings, "warn", free)
        with pytest.warns(RuntimeWarning, match="2 asked for, 0 free"):
            rows = tombolo.sweep(scene, steps=1, address=cluster.address)
    finally:
        ray.shutdown()
    assert rows == tombolo.sweep(scene, steps=1)
