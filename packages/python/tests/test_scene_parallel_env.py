"""Several agents in one scene."""

import copy
import pickle

import numpy
import pytest

import tombolo

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: environments of several agents are not tested")
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

# Two carts on a plane, which a gust of the seed's turns; a script counts how near the second one is to the first.
SCENE = """(
    settings: (gravity: (0, 0), seed: 1),
    scripts: {
        "gust": "fn on_spawn() { me().set(\\"body.angular_velocity\\", random(-1.0, 1.0)); }",
        "judge": r#"
            fn on_spawn() { this.reward = 0.0; this.done = false; }
            fn on_tick(seconds) {
                let x = find("hunter").get("transform.position.x");
                this.reward = -abs(x - find("prey").get("transform.position.x"));
                this.done = x > 4.0;
            }
        "#,
    },
    entities: {
        "cart": {
            "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "gust"),
        },
        "referee": {"transform": Transform(), "rules": Script(name: "judge")},
    },
    place: [
        One(name: "prey", entity: "cart"), One(name: "hunter", entity: "cart", at: (-2, 0)),
        One(name: "referee", entity: "referee", at: (0, 9)),
    ],
)"""
AGENTS = {
    "prey": {
        "observe": ["prey.transform.position", "hunter.transform.position", "prey.body.angular_velocity"],
        "act": {"prey.body.linear_velocity.x": (-1.0, 1.0)},
        "reward": "prey.transform.position.x",
    },
    "hunter": {
        "observe": ["hunter.transform.position", "hunter.body.linear_velocity", "prey.transform.position.x"],
        "act": {"hunter.body.linear_velocity.x": (-3.0, 3.0), "hunter.body.linear_velocity.y": (-3.0, 3.0)},
        "reward": "referee.rules",
    },
}


def hunt(**options):
    return tombolo.SceneParallelEnv(text=SCENE, agents=AGENTS, **{"steps": 5, "max_steps": 100, **options})


def run(env, rows):
    """All that the agents see and are given, as bytes."""
    return [
        [(name, seen[name].tobytes(), rewards[name]) for name in seen]
        for seen, rewards, *_ in (env.step({"prey": row[:1], "hunter": row[1:]}) for row in rows)
    ]


@pytest.mark.filterwarnings("error")
def test_pettingzoos_own_tests_pass():
    parallel_api_test(hunt(), num_cycles=300)
    parallel_seed_test(hunt, num_cycles=300)
    env = hunt()
    assert env.observation_spaces == {name: env.observation_space(name) for name in env.possible_agents}
    assert env.action_spaces == {name: env.action_space(name) for name in env.possible_agents}


def test_each_agent_sees_acts_and_is_rewarded_by_its_own_properties():
    env = hunt(steps=30)
    seen, infos = env.reset()
    assert list(seen) == list(infos) == env.agents == ["prey", "hunter"]
    assert seen["prey"].tolist() == [0, 0, -2, 0, 0] and seen["hunter"][[0, 1, 4]].tolist() == [-2, 0, 0]
    assert env.action_space("hunter").shape == (2,) and env.observation_space("prey").shape == (5,)
    seen, rewards, ends, cuts, _ = env.step({"prey": [1.0], "hunter": [0.0, 0.0]})
    assert rewards["prey"] == seen["prey"][0] == pytest.approx(0.5, abs=0.01)
    assert rewards["hunter"] == pytest.approx(-2.5, abs=0.05)
    assert not any(ends.values()) and not any(cuts.values())


def test_an_agent_that_is_done_leaves_and_the_others_play_on():
    env = hunt(steps=30, max_steps=8)
    env.reset()
    # Around the prey, then beyond x = 4.
    ways = [[0.0, 3.0], *[[3.0, 0.0]] * 5]
    for way in ways:
        seen, _, ends, cuts, _ = env.step({"prey": [0.0], "hunter": way})
    assert ends == {"prey": False, "hunter": True} and set(seen) == {"prey", "hunter"}
    assert env.agents == ["prey"] and not any(cuts.values())
    seen, _, _, cuts, _ = env.step({"prey": [0.0], "hunter": [9.0, 9.0]})
    assert set(seen) == {"prey"} and cuts == {"prey": False}
    assert env.step({"prey": [0.0]})[3] == {"prey": True} and env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})
    env.reset()
    assert env.agents == ["prey", "hunter"]


def test_seeds_saves_and_forks_repeat_to_the_bit():
    env, rows = hunt(), numpy.random.default_rng(0).uniform(-1, 1, (40, 3))
    runs = {}
    for seed in (7, 8, 7):
        env.reset(seed=seed)
        runs.setdefault(seed, []).append(run(env, rows))
    whole = runs[7][0]
    assert runs[7][1] == whole != runs[8][0]
    env.reset()
    assert run(env, rows[:15]) == whole[:15], "without a seed the last one holds"
    save, fork = env.save(), env.fork()
    assert run(env, rows[15:]) == run(fork, rows[15:]) == whole[15:]
    env.restore(save)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for twin in (env, *copies):
        assert run(twin, rows[15:]) == whole[15:]
    env.reset(options={"set": {"prey.body.linear_velocity": (0.0, 5.0)}})
    assert run(env, rows[:1]) != whole[:1]


def test_a_save_of_another_seed_starts_again_from_its_own_and_one_that_is_refused_changes_nothing():
    env, rows = hunt(), numpy.random.default_rng(0).uniform(-1, 1, (9, 3))
    env.reset(seed=7)
    whole = run(env, rows)
    save = env.save()
    for seed in (8, None):
        other = hunt()
        other.reset(seed=seed)
        run(other, rows[:3])
        mine = other.save()
        with pytest.raises(tombolo.TomboloError):
            other.restore((*save[:-1], save[-1][:40]))
        assert other.save() == mine
        other.restore(save)
        assert other.save() == save
        other.reset()
        assert run(other, rows) == whole
        # Back to the own seed of the scene, too.
        other.restore(mine)
        other.reset()
        again = hunt()
        again.reset(seed=seed)
        assert run(other, rows) == run(again, rows) != whole


def test_what_is_wrong_is_refused_and_changes_nothing():
    with pytest.raises(tombolo.TomboloError, match="nobody"):
        tombolo.SceneParallelEnv(text=SCENE, agents={"a": {**AGENTS["prey"], "observe": ["nobody.body.kind"]}})
    with pytest.raises(ValueError, match="one up"):
        tombolo.SceneParallelEnv(text=SCENE, agents={})
    env = hunt()
    env.reset()
    before = env.world.hash()
    for actions, match in (
        ({"prey": [0.5]}, "no action for the agent 'hunter'"),
        ({"prey": [0.5], "hunter": [0.0]}, "2 numbers"),
        ({"prey": [0.5], "hunter": [0.0, 0.0], "cat": [0.0]}, "no agent 'cat'"),
    ):
        with pytest.raises(ValueError, match=match):
            env.step(actions)
    assert env.world.hash() == before


def test_a_fork_draws_actions_of_its_own():
    env = hunt()
    env.reset()
    env.action_space("prey").seed(1)
    fork = env.fork()
    drawn = fork.action_space("prey").sample()
    assert env.action_space("prey").sample() == drawn
    assert env.action_space("prey") is env.action_space("prey")
