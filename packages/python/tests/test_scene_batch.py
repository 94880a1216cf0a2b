"""Many worlds of a scene in one call: the results of single ones, whatever the batch and the threads."""

import copy
import pickle

import numpy
import pytest

import tombolo

# A cart that a gust of the seed's pushes, among balls; a script counts how near it is to x = 2.
SCENE = r"""(
    settings: (seed: 1),
    scripts: {
        "gust": "fn on_spawn() { me().set(\"body.linear_velocity.y\", random(0.0, 9.0)); }",
        "judge": "
            fn on_spawn() { this.reward = 0.0; this.done = false; }
            fn on_tick(seconds) {
                let x = find(\"cart\").get(\"transform.position.x\");
                this.reward = -abs(x - 2.0);
                this.done = x > 4.0;
            }
        ",
    },
    entities: {
        "cart": {
            "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "gust"),
            "glow": Sprite(image: "a.png"),
        },
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.3))},
        "referee": {"transform": Transform(), "rules": Script(name: "judge")},
    },
    place: [
        One(name: "floor", entity: "floor"), One(name: "cart", entity: "cart", at: (0, 0.5)),
        One(name: "b", entity: "ball", at: (1.5, 0.3)), One(name: "c", entity: "ball", at: (1.6, 1.2)),
        One(name: "referee", entity: "referee", at: (0, 9)),
    ],
)"""
OPTIONS = {
    "text": SCENE,
    "observe": ["cart.transform.position", "cart.body.linear_velocity", "b.transform.position", "b.skin.sensor"],
    "act": {"cart.body.linear_velocity.x": (-3.0, 3.0), "b.skin.sensor": (0.0, 1.0), "cart.glow.layer": (0, 5)},
    "reward": "referee.rules",
    "steps": 4,
    "max_steps": 25,
    "new_seeds": True,
}
STEPS = 60


def actions(first, count):
    """The actions of each step, a row for each world, whatever batch it is in."""
    rows = [numpy.random.default_rng(100 + world).uniform(-4, 6, (STEPS, 3)) for world in range(first, first + count)]
    return numpy.stack(rows, axis=1).astype(numpy.float32)


def run(batch, given):
    """All that each world gave, as bytes."""
    seen = [[] for _ in range(len(batch))]
    for step in given:
        results = batch.step(step)
        for world, list_of_world in enumerate(seen):
            list_of_world.append(tuple(array[world].tobytes() for array in results))
    return seen


def test_a_world_gives_the_same_bytes_in_every_batch_and_on_any_number_of_threads():
    worlds = 64
    whole = None
    for size, threads in ((64, 1), (64, 3), (16, 2), (1, 1)):
        seen = []
        for first in range(0, worlds, size):
            batch = tombolo.SceneBatch(count=size, threads=threads, **OPTIONS)
            batch.reset(first)
            seen += run(batch, actions(first, size))
        whole = whole or seen
        assert seen == whole, (size, threads)
    assert len({str(world) for world in whole}) == worlds


def test_a_batch_of_one_is_the_environment_of_one():
    pytest.importorskip("gymnasium")
    env = tombolo.SceneEnv(**OPTIONS)
    batch = tombolo.SceneBatch(autoreset="disabled", **OPTIONS)
    ends = set()
    for seed in (5, None, None, 2**64 - 1):
        assert env.reset(seed=seed)[0].tobytes() == batch.reset([seed])[0].tobytes()
        for row in actions(3, 1)[:, 0]:
            seen, reward, terminated, truncated, _ = env.step(row)
            observations, rewards, terminations, truncations = batch.step(row[None])
            assert seen.tobytes() == observations[0].tobytes() and reward == rewards[0]
            assert (terminated, truncated) == (terminations[0], truncations[0])
            ends.add((terminated, truncated))
            if terminated or truncated:
                break
    assert len(ends) >= 2


def test_keys_of_any_letters_in_a_scripts_state_are_neither_reward_nor_end():
    pytest.importorskip("gymnasium")
    keys = [r"z, reward", r"z, done", r"it\\\"s", "{", "a: b"]
    keeps = "".join(rf'this[\"{key}\"] = true; ' for key in keys) + r'this[\"zz, reward\"] = 9.0; '
    text = SCENE.replace("this.reward = 0.0;", keeps + "this.reward = 0.0;")
    assert text != SCENE
    options = {**OPTIONS, "text": text}
    env, batch = tombolo.SceneEnv(**options), tombolo.SceneBatch(autoreset="disabled", **options)
    env.reset(seed=5)
    batch.reset([5])
    for row in actions(3, 1)[:9, 0]:
        _, reward, terminated, *_ = env.step(row)
        _, rewards, terminations, _ = batch.step(row[None])
        assert (reward, terminated) == (rewards[0], terminations[0]) and reward <= 0.0


def test_three_ways_to_go_on_after_an_end():
    to_the_end = numpy.array([[3.0, 0.0, 0.0]])
    first = {}
    for autoreset in ("next_step", "same_step", "disabled"):
        options = {**OPTIONS, "observe": ["cart.transform.position.x"], "max_steps": 40}
        batch = tombolo.SceneBatch(autoreset=autoreset, **options)
        first[autoreset] = batch.reset(3).copy()
        for step in range(40):
            seen, rewards, terminated, truncated = batch.step(to_the_end)
            if terminated[0] or truncated[0]:
                break
        assert terminated[0] and not truncated[0] and 5 < step < 39
        last = batch.final_observations if autoreset == "same_step" else seen
        assert last[0, 0] > 4 and rewards[0] == pytest.approx(2 - last[0, 0], abs=0.1)
        if autoreset == "next_step":
            seen, rewards, terminated, _ = batch.step(to_the_end)
            assert rewards[0] == 0 and not terminated[0]
        if autoreset == "disabled":
            batch.reset(worlds=[0])
        assert batch.observations[0, 0] == 0.0, autoreset
    assert len({first[name].tobytes() for name in first}) == 1


def test_arrays_stay_the_batchs_own_and_saves_copies_and_pickles_have_the_same_future():
    batch = tombolo.SceneBatch(count=6, threads=2, **OPTIONS)
    batch.reset(11)
    given = actions(0, 6)
    results = batch.step(given[0])
    assert all(again is array for again, array in zip(batch.step(given[1]), results, strict=True))
    run(batch, given[2:20])
    twins = [batch.fork(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch)), tombolo.SceneBatch(count=6, **OPTIONS)]
    for world in range(6):
        twins[3].restore(world, batch.save(world))
    before = batch.observations.copy()
    future = run(batch, given[20:])
    for twin in twins:
        assert (twin.observations == before).all()
        assert run(twin, given[20:]) == future
    other = tombolo.SceneBatch(**{**OPTIONS, "steps": 3})
    with pytest.raises(tombolo.TomboloError, match="other options"):
        other.restore(0, batch.save(0))
    with pytest.raises(tombolo.TomboloError, match="no world 6"):
        batch.save(6)


def test_copies_and_pickles_have_the_outcomes_too_and_begin_where_the_batch_has():
    batch = tombolo.SceneBatch(count=3, autoreset="same_step", **OPTIONS)
    batch.reset(5)
    while not batch.truncated.any():
        batch.step(numpy.ones((3, 3)))
    arrays = ("observations", "final_observations", "rewards", "terminated", "truncated")
    assert batch.rewards.all() and (batch.final_observations != batch.observations).any()
    twins = [pickle.loads(pickle.dumps(batch)), batch.fork(), pickle.loads(pickle.dumps(batch.fork()))]
    for either in (batch, *twins):
        either.reset([None, 8, None], worlds=[1])
        assert either.rewards[1] == 0 and not either.truncated[1] and either.rewards[[0, 2]].all()
        for name in arrays:
            assert (getattr(either, name) == getattr(batch, name)).all(), name
            assert (getattr(either, name) is getattr(batch, name)) == (either is batch)

    batch = tombolo.SceneBatch(count=2, **OPTIONS)
    batch.reset(worlds=[0])
    for either in (pickle.loads(pickle.dumps(batch)), batch.fork(), batch):
        with pytest.raises(tombolo.TomboloError, match="world 1 needs a reset"):
            either.step(numpy.zeros((2, 3)))
        either.reset(worlds=[1])
        either.step(numpy.zeros((2, 3)))


def test_seeds_and_worlds_are_checked_before_the_first_reset():
    batch = tombolo.SceneBatch(count=2, **OPTIONS)
    batch.reset(0)
    batch.step(numpy.ones((2, 3)))
    before = [batch.save(world) for world in range(2)]
    seen = batch.observations.copy()
    for error, call in (
        (OverflowError, lambda: batch.reset(2**64 - 1)),
        (OverflowError, lambda: batch.reset([3, -1])),
        (IndexError, lambda: batch.reset(worlds=[0, 99])),
        (IndexError, lambda: batch.reset(worlds=[0, -1])),
        (TypeError, lambda: batch.reset([3, "4"])),
        (TypeError, lambda: batch.reset(3.0)),
    ):
        with pytest.raises(error):
            call()
        assert [batch.save(world) for world in range(2)] == before and (batch.observations == seen).all()
    of_python = batch.reset(3).copy()
    assert (batch.reset(numpy.int64(3)) == of_python).all()
    assert (batch.reset(numpy.array([3, 4])) == of_python).all()
    batch.reset([2**64 - 1, 0])


def test_vector_environments_of_scenes_check_all_seeds_first():
    gymnasium = pytest.importorskip("gymnasium")
    envs = gymnasium.make_vec("tombolo/Scene-v0", num_envs=2, **OPTIONS)
    envs.reset(seed=0)
    before = [envs.save(world) for world in range(2)]
    with pytest.raises(OverflowError, match=r"2\*\*64"):
        envs.reset(seed=2**64 - 1)
    assert [envs.save(world) for world in range(2)] == before and envs.np_random_seed == (0, 1)
    seen = envs.reset(seed=3)[0]
    assert (envs.reset(seed=numpy.int64(3))[0] == seen).all()


def test_a_step_in_which_a_world_loses_what_is_observed_has_the_results_of_the_others():
    loses = 'if x > 1.0 { despawn(find(\\"b\\")); }'
    options = {**OPTIONS, "text": SCENE.replace("this.done = x > 4.0;", f"this.done = x > 4.0; {loses}"), "steps": 30}
    given = numpy.array([[0.5, 0, 0], [3, 0, 0], [0.25, 0, 0]], dtype=numpy.float32)
    batch, twin = tombolo.SceneBatch(count=3, **options), tombolo.SceneBatch(count=3, **options)
    batch.reset(0)
    twin.reset(0)
    before = batch.observations.copy()
    twin.step(given * [[1], [0], [1]])
    with pytest.raises(tombolo.TomboloError, match="world 1"):
        batch.step(given)
    for world in (0, 2):
        assert (batch.observations[world] == twin.observations[world]).all() and batch.rewards[world] == twin.rewards[world]
        assert (batch.observations[world] != before[world]).any()
    batch.reset(worlds=[1])
    batch.step(given * [[1], [0], [1]])

    gymnasium = pytest.importorskip("gymnasium")
    envs = gymnasium.make_vec("tombolo/Scene-v0", num_envs=3, copy=False, **options)
    seen, _ = envs.reset(seed=0)
    with pytest.raises(tombolo.TomboloError, match="world 1"):
        envs.step(given)
    assert (seen[[0, 2]] == twin.observations[[0, 2]]).all()


def test_episodes_begin_from_saves():
    world = tombolo.SceneWorld(text=SCENE)
    saves, places = [], []
    for _ in range(3):
        saves.append(world.save())
        places.append(world.pose("cart")[:2])
        world.step(20)
    batch = tombolo.SceneBatch(count=4, saves=saves, **{**OPTIONS, "new_seeds": False})
    seen = batch.reset(0)
    assert [tuple(row[:2]) for row in seen.tolist()] == [places[world % 3] for world in range(4)]
    with pytest.raises(tombolo.TomboloError, match="the save 1"):
        tombolo.SceneBatch(saves=[saves[0], b"nonsense"], **OPTIONS)


def test_what_is_wrong_is_refused_and_changes_nothing():
    for wrong, error, why in (
        ({"observe": ["nobody.body.mass"]}, tombolo.TomboloError, "nobody"),
        ({"reward": lambda world: 0.0}, TypeError, "no Python"),
        ({"act": {"cart.body.gravity_scale": (1.0, 1.0)}}, tombolo.TomboloError, "lower one first"),
        ({"count": 0}, ValueError, "from 1 up"),
        ({"autoreset": "never"}, ValueError, "next_step, same_step, disabled"),
        ({"path": "a.ron"}, TypeError, "a path or a text"),
    ):
        with pytest.raises(error, match=why):
            tombolo.SceneBatch(**{**OPTIONS, **wrong})
    batch = tombolo.SceneBatch(count=2, **OPTIONS)
    with pytest.raises(tombolo.TomboloError, match="reset"):
        batch.step(numpy.zeros((2, 3)))
    batch.reset(0)
    before = [batch.save(world) for world in range(2)]
    nan = numpy.zeros((2, 3))
    nan[1, 2] = numpy.nan
    for wrong in (numpy.zeros((3, 2)), numpy.zeros(3), nan):
        with pytest.raises(ValueError):
            batch.step(wrong)
    with pytest.raises(ValueError, match="3 seeds, expected 2"):
        batch.reset([1, 2, 3])
    assert [batch.save(world) for world in range(2)] == before


def test_make_vec_makes_batches_with_gymnasiums_interface():
    gymnasium = pytest.importorskip("gymnasium")
    given = actions(0, 5)
    batch = tombolo.SceneBatch(count=5, **OPTIONS)
    batch.reset(40)
    envs = gymnasium.make_vec("tombolo/Scene-v0", num_envs=5, threads=2, render_mode="rgb_array", **OPTIONS)
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    seen, _ = envs.reset(seed=40)
    assert envs.observation_space.contains(seen) and envs.action_space.shape == (5, 3)
    assert (seen == batch.observations).all()
    for step in given:
        results = envs.step(step)
        for ours, theirs in zip(batch.step(step), results[:4], strict=True):
            assert (ours == theirs).all()
    save = envs.save(2)
    after = envs.step(given[0])[0][2]
    envs.restore(2, save)
    twin = pickle.loads(pickle.dumps(envs))
    for either in (envs, twin):
        assert (either.step(given[0])[0][2] == after).all()
    assert len(envs.render()) == 5 and envs.render()[0].shape == (400, 600, 3)
    same = gymnasium.make_vec("tombolo/Scene-v0", num_envs=2, autoreset_mode="SameStep", **OPTIONS)
    same.reset(seed=0)
    infos = [same.step(numpy.full((2, 3), 3.0, dtype=numpy.float32))[4] for _ in range(30)]
    ended = [info for info in infos if "final_obs" in info]
    assert ended and all(len(info["final_obs"][0]) == 7 for info in ended if info["_final_obs"][0])


def test_episodes_begin_with_properties_that_are_set_in_all_worlds_or_in_each():
    options = {**OPTIONS, "new_seeds": False}
    batch, env = tombolo.SceneBatch(count=3, **options), tombolo.SceneEnv(**options)
    each = [{"b.transform.position": (3.0, 1.0), "cart.body.linear_velocity.y": 2.5}, None, {"b.transform.position": (0.0, 5.0)}]
    seen = batch.reset(4, set=each).copy()
    alone = [env.reset(seed=4 + world, options={"set": of or {}})[0] for world, of in enumerate(each)]
    assert (seen == alone).all() and (seen[0] != seen[1]).any()
    given = actions(0, 3)[0]
    assert (batch.step(given)[0][2] == env.step(given[2])[0]).all()
    before = [batch.save(world) for world in range(3)]
    seen = batch.observations.copy()
    wrong = [{"b.transform.position": (9.0, 9.0)}, {}, {"b.skin.nothing": 1}]
    for error, match, changes in (
        (tombolo.TomboloError, "world 2: b.skin.nothing", wrong),
        (tombolo.TomboloError, "world 0: ", {"b.skin.nothing": 1}),
        (ValueError, "for each of 3", each[:2]),
        (ValueError, "for each of 3", "b.skin.sensor"),
    ):
        with pytest.raises(error, match=match):
            batch.reset(9, set=changes)
        assert [batch.save(world) for world in range(3)] == before and (batch.observations == seen).all(), match
    batch.reset(worlds=[1], set={"b.transform.position": (7.0, 7.0)})
    assert (batch.observations[[0, 2]] == seen[[0, 2]]).all() and batch.observations[1, 4:6].tolist() == [7.0, 7.0]
    batch.reset(worlds=[1])
    assert (batch.observations[1] == env.reset(seed=5)[0]).all(), "an episode without it has the scene's own"


def test_vector_environments_of_scenes_set_properties_at_a_reset():
    gymnasium = pytest.importorskip("gymnasium")
    options = {**OPTIONS, "new_seeds": False}
    envs, batch = gymnasium.make_vec("tombolo/Scene-v0", num_envs=3, **options), tombolo.SceneBatch(count=3, **options)
    for changes in ({"b.transform.position": (3.0, 1.0)}, [None, {"b.transform.position": [0.0, 5.0]}, {}]):
        seen, _ = envs.reset(seed=4, options={"set": changes})
        assert (seen == batch.reset(4, set=changes)).all()
    before = [envs.save(world) for world in range(3)]
    with pytest.raises(tombolo.TomboloError, match="world 1: cart.body.mass"):
        envs.reset(seed=8, options={"set": [{}, {"cart.body.mass": -1.0}, {}]})
    with pytest.raises(ValueError, match="'reset_mask' and 'set'"):
        envs.reset(options={"properties": {}})
    assert [envs.save(world) for world in range(3)] == before and envs.np_random_seed == (4, 5, 6)
    mask = numpy.array([False, True, False])
    seen, _ = envs.reset(options={"reset_mask": mask, "set": [None, {"b.transform.position": (7.0, 7.0)}, None]})
    assert seen[1, 4:6].tolist() == [7.0, 7.0] and (seen[0] == batch.observations[0]).all()


def test_a_save_from_before_the_first_reset_is_one_still():
    """The first episode without a seed has the scene's own, and not the next one."""
    gymnasium = pytest.importorskip("gymnasium")
    options = {"num_envs": 2, **OPTIONS}
    envs, used = (gymnasium.make_vec("tombolo/Scene-v0", **options).unwrapped for _ in range(2))
    first, empty = envs.reset()[0], gymnasium.make_vec("tombolo/Scene-v0", **options).unwrapped.save(1)
    used.reset(seed=3)
    used.restore(1, empty)
    with pytest.raises(tombolo.TomboloError, match="world 1 needs a reset"):
        used.step(numpy.zeros((2, 3)))
    assert (used.reset()[0][1] == first[1]).all()
    single = tombolo.SceneEnv(**OPTIONS)
    empty = single.save()
    single.reset(seed=3)
    single.restore(empty)
    assert (single.reset()[0] == first[0]).all()
