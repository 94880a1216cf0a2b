"""Rollouts on one machine."""

import functools
import threading

import numpy
import pytest

import tombolo

gymnasium = pytest.importorskip("gymnasium")


def wild(seen, random):
    return int(random.integers(4))


def test_an_episode_depends_on_its_seed_alone(tmp_path):
    out = tmp_path / "table.csv"
    rows = tombolo.rollout("tombolo/LunarLander-v3", wild, seeds=range(6), out=out, threads=1)
    assert tombolo.rollout("tombolo/LunarLander-v3", wild, seeds=[4, 1], threads=3) == [rows[4], rows[1]]
    assert len({row["hash"] for row in rows}) == 6
    assert out.read_text(encoding="utf-8").splitlines()[0] == "env,seed,return,steps,terminated,truncated,hash"
    env, random = gymnasium.make("tombolo/LunarLander-v3"), numpy.random.default_rng(3)
    total, steps, done = 0.0, 0, False
    env.reset(seed=3)
    while not done:
        _, reward, ended, cut, _ = env.step(int(random.integers(4)))
        total, steps, done = total + reward, steps + 1, ended or cut
    assert (rows[3]["return"], rows[3]["steps"]) == (total, steps)


def test_episodes_stop_and_functions_make_environments():
    seen = []

    def lander(**options):
        return gymnasium.make("tombolo/LunarLander-v3", **options)

    ask = {"options": {"gravity": -5.0}, "seeds": [1, 2], "max_steps": 7}
    rows = tombolo.rollout(lander, wild, **ask, progress=lambda *now: seen.append(now))
    ends = [(row["env"], row["steps"], row["terminated"], row["truncated"]) for row in rows]
    assert ends == [("lander", 7, False, False)] * 2
    assert seen == [(1, 2), (2, 2)]
    with pytest.raises(ValueError, match="from 1 up"):
        tombolo.rollout(lander, wild, seeds=[1], max_steps=0)
    with pytest.raises(ZeroDivisionError):
        tombolo.rollout(lander, lambda seen, random: 1 // 0, seeds=[1])


def test_an_episode_without_an_end_stops_with_its_call():
    class Endless(gymnasium.Env):
        observation_space = gymnasium.spaces.Discrete(2)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            return 0, 0.0, False, False, {}

    begun = threading.Event()

    def policy(seen, random):
        if random.integers(2**62) == first:
            # The other episode is under way, and would be for ever.
            begun.wait()
            raise KeyError("one fails")
        begun.set()
        return 0

    first = int(numpy.random.default_rng(1).integers(2**62))
    with pytest.raises(KeyError, match="one fails"):
        tombolo.rollout(Endless, policy, seeds=[1, 2], threads=2)


def test_a_table_that_cannot_be_written_is_refused_before_the_first_episode(tmp_path):
    made = []
    with pytest.raises(IsADirectoryError):
        tombolo.rollout(lambda: made.append(1), wild, seeds=[1], out=tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        tombolo.rollout(lambda: made.append(1), wild, seeds=[1], out=tmp_path / "file" / "table.csv")
    assert made == []
    tombolo.rollout("tombolo/LunarLander-v3", wild, seeds=[1], max_steps=2, out=tmp_path / "new" / "table.csv")
    assert (tmp_path / "new" / "table.csv").exists()


class Maze(gymnasium.Env):
    """Observations are dictionaries with a tuple of arrays of different shapes."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Dict(
        {"a": gymnasium.spaces.Box(0, 9, (2,)), "b": gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(9)] * 2)}
    )

    # All observations of the test: no two are at one address.
    kept = []

    def __init__(self, offset=0.0):
        self.offset = offset

    def seen(self):
        seen = {"b": (numpy.zeros(1), numpy.zeros((2, 3)) + self.offset), "a": numpy.full(2, self.count, dtype=numpy.float32)}
        self.kept.append(seen)
        return seen

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = seed
        return self.seen(), {}

    def step(self, action):
        self.count += 1
        return self.seen(), 1.0, self.count > 5, False, {}


class Fog(Maze):
    """Observations are no numbers."""

    def seen(self):
        return {"a": object()}


def test_the_hash_of_dictionaries_is_that_of_their_numbers():
    def play(env):
        return tombolo.rollout(env, lambda seen, random: 0, seeds=[1, 2], threads=1)

    rows = play(Maze)
    assert play(Maze) == rows and rows[0]["hash"] != rows[1]["hash"]
    moved = play(functools.partial(Maze, offset=1.0))
    assert [row["env"] for row in moved] == ["partial"] * 2
    assert moved[0]["hash"] != rows[0]["hash"]
    with pytest.raises(TypeError, match="no numbers"):
        play(Fog)
