"""Rollouts on one machine."""

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
