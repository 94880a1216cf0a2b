"""Environments from scene files."""

import copy
import pickle

import numpy
import pytest

import tombolo

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

# A cart on a rail, pushed by a motor; a script counts how near it is to x = 2.
SCENE = """(
    settings: (gravity: (0, 0), seed: 1),
    scripts: {"judge": r#"
        fn on_spawn() { this.reward = 0.0; this.done = false; }
        fn on_tick(seconds) {
            let x = find("cart").get("transform.position.x");
            this.reward = -abs(x - 2.0);
            this.done = x > 4.0;
        }
    "#},
    entities: {
        "cart": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
        "referee": {"transform": Transform(), "rules": Script(name: "judge")},
    },
    place: [One(name: "cart", entity: "cart"), One(name: "referee", entity: "referee", at: (0, 9))],
)"""
OBSERVE = ["cart.transform.position", "cart.body.linear_velocity"]


OPTIONS = {"observe": OBSERVE, "act": {"cart.body.linear_velocity.x": (-3.0, 3.0)}, "reward": "referee.rules"}


def cart(**options):
    return tombolo.SceneEnv(**{"text": SCENE, **OPTIONS, **options})


def test_gymnasiums_own_check_passes():
    check_env(cart(), skip_render_check=True)
    check_env(gymnasium.make("tombolo/Scene-v0", text=SCENE, **OPTIONS, render_mode="rgb_array").unwrapped)


# The cart is pushed once, by the seed.
PUSH = r'"gust": "fn on_spawn() { me().set(\"body.linear_velocity.y\", random(-9.0, 9.0)); }", "judge": r#"'
GUST = SCENE.replace('"judge": r#"', PUSH).replace('"skin": Collider', '"start": Script(name: "gust"), "skin": Collider')


def test_a_seed_is_the_scenes_until_another_one_is_given():
    def first_push(env, **options):
        env.reset(**options)
        return env.step([0.0])[0][3]

    env = cart(text=GUST)
    own = first_push(env)
    assert first_push(env, seed=1) == own, "the scene has the seed 1"
    seven, eight = first_push(env, seed=7), first_push(env, seed=8)
    assert len({own, seven, eight}) == 3
    assert first_push(env) == eight, "without a seed the last one holds"
    assert first_push(env, seed=7) == seven
    save = env.save()
    first_push(env, seed=8)
    env.restore(save)
    assert first_push(env) == seven, "a save has its seed"
    before = env.world.hash()
    for damaged in (b"", save[:20], save[:-3], b"x" * 100):
        with pytest.raises(tombolo.TomboloError):
            env.restore(damaged)
    assert env.world.hash() == before and first_push(env) == seven
    fresh = cart(text=GUST, new_seeds=True)
    pushes = [first_push(fresh, seed=seed) for seed in (7, None, None, 7, None, None)]
    assert pushes[:3] == pushes[3:] and len(set(pushes)) == 3 and pushes[0] == seven


def test_the_picture_shows_the_cart_where_it_is():
    env = cart(render_mode="rgb_array", steps=60)
    env.reset()
    first = env.render()
    assert first.shape == (400, 600, 3) and first.dtype == numpy.uint8
    assert len(numpy.unique(first.reshape(-1, 3), axis=0)) > 2
    with pytest.raises(ValueError, match="render_mode"):
        cart(render_mode="ansi")


def test_actions_are_set_and_properties_are_seen_and_rewarded():
    env = cart(steps=30)
    first, _ = env.reset()
    assert first.tolist() == [0, 0, 0, 0]
    seen, reward, terminated, truncated, _ = env.step([2.0])
    assert seen[0] == pytest.approx(1.0, abs=0.01) and seen[2] == 2.0
    assert reward == pytest.approx(-1.0, abs=0.05) and not terminated and not truncated
    ends = [env.step([9.0])[2] for _ in range(3)]
    assert ends == [False, False, True], "beyond the range counts as its end, 1.5 m a step"
    by_property = cart(reward="cart.transform.position.x", steps=30, max_steps=2)
    by_property.reset(options={"set": {"cart.body.linear_velocity": (0.0, 1.0)}})
    seen, reward, *_ = by_property.step([-1.0])
    assert reward == pytest.approx(seen[0]) and seen[1] > 0.4
    assert by_property.step([0.0])[3], "two actions are an episode"
    by_function = cart(reward=lambda world: 7.0)
    by_function.reset()
    assert by_function.step([0.0])[1] == 7.0


def test_only_what_the_script_itself_keeps_is_reward_and_end():
    keeps = """this.reward = 1.5; this.done = false; this.door = #{done: true, reward: 7.0};
        this.note = "so, reward: 3.0, done: true}"; this.places = [vec2(1.0, 2.0), #{reward: 9.0}];"""
    env = cart(text=SCENE.replace("this.reward = 0.0; this.done = false;", keeps).replace("fn on_tick", "fn unused"))
    env.reset()
    _, reward, terminated, *_ = env.step([0.0])
    assert reward == 1.5 and not terminated


def test_episodes_saves_and_forks_repeat_to_the_bit():
    env = cart()
    actions = numpy.random.default_rng(0).uniform(-3, 3, (40, 1))

    def run(env, rows):
        return [(seen.tobytes(), reward) for seen, reward, *_ in map(env.step, rows)]

    env.reset()
    whole = run(env, actions)
    env.reset()
    assert run(env, actions[:15]) == whole[:15]
    save, fork = env.save(), env.fork()
    assert run(env, actions[15:]) == run(fork, actions[15:]) == whole[15:]
    env.restore(save)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for twin in (env, *copies):
        assert run(twin, actions[15:]) == whole[15:]


def test_what_is_wrong_is_refused_when_it_is_made():
    with pytest.raises(tombolo.TomboloError, match="nobody"):
        cart(observe=["nobody.body.kind"])
    with pytest.raises(TypeError, match="vector"):
        cart(act=["cart.body.linear_velocity"])
    with pytest.raises(ValueError, match="range"):
        cart(act={"cart.body.linear_velocity.x": (1.0, 1.0)})
    with pytest.raises(ValueError, match="from 1 up"):
        cart(steps=0)
    with pytest.raises(tombolo.TomboloError):
        cart(reward="referee.nothing")
    env = cart()
    env.reset()
    with pytest.raises(ValueError, match="1 numbers"):
        env.step([0.0, 0.0])


def test_whole_numbers_are_set_to_the_nearest():
    env = cart(text=SCENE.replace('"skin": Collider', '"glow": Sprite(image: "a.png"), "skin": Collider'), act={"cart.glow.layer": (0, 3)})
    env.reset()
    env.step([1.8])
    assert env.world["cart.glow.layer"] == 2
    env.step([9.0])
    assert env.world["cart.glow.layer"] == 3


def test_a_script_of_an_entity_with_periods_in_its_name_rewards():
    text = SCENE.replace('One(name: "referee"', 'One(name: "a.b.referee"')
    env = cart(text=text, reward="a.b.referee.rules")
    env.reset()
    assert env.step([0.0])[1] == pytest.approx(-2.0, abs=0.1)


def test_a_fork_draws_actions_of_its_own():
    env = cart()
    env.reset(seed=0)
    env.action_space.seed(1)
    fork = env.fork()
    drawn = fork.action_space.sample()
    fork.np_random.random()
    assert env.action_space.sample() == drawn
    assert env.np_random.random() == numpy.random.default_rng(0).random()


def test_a_refused_reset_goes_on_with_the_episode():
    env, same = cart(max_steps=4), cart(max_steps=4)
    for each in (env, same):
        each.reset(seed=3)
        each.step([1.0])
    good, bad = {"cart.body.linear_velocity": (0.0, 1.0)}, {"cart.body.nothing": 1.0}
    for seed in (None, 5):
        with pytest.raises(tombolo.TomboloError, match="nothing"):
            env.reset(seed=seed, options={"set": good | bad})
    assert env.save() == same.save()
    assert env.np_random.random() == same.np_random.random()
    for options in ({"sett": good}, {"randomize": False}):
        with pytest.raises(ValueError, match="has no option"):
            env.reset(options=options)
    assert [env.step([0.5])[3] for _ in range(3)] == [False, False, True]


def test_a_reset_of_many_worlds_sets_properties_and_has_no_other_options():
    envs = tombolo.SceneVectorEnv(2, text=SCENE, **OPTIONS)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="has no option 'sett'"):
        envs.reset(options={"sett": {}})
    seen, _ = envs.reset(options={"set": {"cart.transform.position": (3, 0)}})
    assert seen[:, 0].tolist() == [3.0, 3.0]
    seen, _ = envs.reset(options={"reset_mask": numpy.array([True, False])})
    assert seen[:, 0].tolist() == [0.0, 3.0]


def test_names_of_properties_are_a_list():
    for wrong in ({"observe": OBSERVE[0]}, {"act": "cart.body.linear_velocity.x"}):
        for make in (tombolo.SceneEnv, tombolo.SceneVectorEnv, tombolo.SceneBatch):
            with pytest.raises(TypeError, match="give a list"):
                make(**{"text": SCENE, **OPTIONS, **wrong})
