"""Gymnasium's environments over the engine."""

import copy
import pickle

import numpy
import pytest

import tombolo

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

IDS = ["tombolo/LunarLander-v3", "tombolo/LunarLanderContinuous-v3"]


def run(env, steps, seed=7):
    rng = numpy.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        action = rng.integers(4) if env.action_space.shape == () else rng.uniform(-1, 1, 2).astype(numpy.float32)
        observation, reward, terminated, truncated, _ = env.step(action)
        seen.append((observation.tobytes(), reward, terminated, truncated))
        if terminated or truncated:
            env.reset()
    return seen


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_own_check_passes(id):
    check_env(gymnasium.make(id, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("continuous", [False, True])
def test_spaces_and_terrain_are_gymnasiums(continuous):
    pytest.importorskip("Box2D")
    ours = gymnasium.make(IDS[0], continuous=continuous)
    theirs = gymnasium.make("LunarLander-v3", continuous=continuous)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.spec.max_episode_steps == theirs.spec.max_episode_steps
    for seed in [0, 1, 2**31, 2**40]:
        observation, _ = ours.reset(seed=seed)
        expected, _ = theirs.reset(seed=seed)
        polygons = theirs.unwrapped.sky_polys
        heights = [polygon[0][1] for polygon in polygons] + [polygons[-1][1][1]]
        assert ours.unwrapped._native.terrain(0) == heights
        assert numpy.abs(observation - expected)[:4].max() < 5e-3


@pytest.mark.parametrize("id", IDS)
def test_saves_forks_and_pickles_in_the_middle_of_an_episode_have_the_same_future(id):
    env = gymnasium.make(id, enable_wind=True)
    env.reset(seed=3)
    run(env, 40)
    save = env.unwrapped.save()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    fork = env.unwrapped.fork()
    future = run(env, 60)
    assert all(run(other, 60) == future for other in others)
    assert run(fork, 60) == future
    env.unwrapped.restore(save)
    env.reset(seed=3)
    env.unwrapped.restore(save)
    assert run(env, 60) == future


def test_one_environment_and_a_batch_give_the_same_bits_on_any_number_of_threads():
    worlds, steps = 16, 120
    actions = numpy.random.default_rng(1).integers(4, size=(steps, worlds))
    runs = []
    for threads in (1, 2, 5):
        batch = gymnasium.make_vec(IDS[0], num_envs=worlds, threads=threads, enable_wind=True)
        assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        observations, _ = batch.reset(seed=100)
        seen = [observations]
        seen += [batch.step(row)[0] for row in actions]
        runs.append(numpy.stack(seen))
    assert all((run == runs[0]).all() for run in runs[1:])
    for world in range(0, worlds, 5):
        env = gymnasium.make(IDS[0], enable_wind=True)
        observation, _ = env.reset(seed=100 + world)
        for step in range(steps):
            assert (observation == runs[0][step, world]).all()
            observation, _, terminated, truncated, _ = env.step(int(actions[step, world]))
            if terminated or truncated:
                break


def test_all_ways_to_go_on_after_an_end():
    def until_end(batch):
        while True:
            step = batch.step(numpy.zeros(2, dtype=numpy.int64))
            if step[2].any():
                return step

    batches = [
        gymnasium.make_vec(IDS[0], num_envs=2, autoreset_mode=mode, max_episode_steps=None) for mode in AutoresetMode
    ]
    for batch in batches:
        batch.reset(seed=5)
    ends = {batch.autoreset_mode: until_end(batch) for batch in batches}
    next_step, same_step, disabled = (ends[mode] for mode in AutoresetMode)
    world = int(numpy.flatnonzero(next_step[2])[0])
    assert (next_step[0] == disabled[0]).all()
    assert (same_step[4]["final_obs"][world] == disabled[0][world]).all()
    assert same_step[4]["_final_obs"].tolist() == same_step[2].tolist()
    first = batches[0].step(numpy.zeros(2, dtype=numpy.int64))
    assert (first[0][world] == same_step[0][world]).all()
    assert first[1][world] == 0.0 and not first[2][world]
    mask = disabled[2]
    again, _ = batches[2].reset(options={"reset_mask": mask})
    assert (again[world] == same_step[0][world]).all()
    assert (again[~mask] == disabled[0][~mask]).all()


def test_what_is_refused_says_why():
    env = gymnasium.make(IDS[0]).unwrapped
    with pytest.raises(tombolo.TomboloError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    for action in (-1, 4):
        with pytest.raises(tombolo.TomboloError, match="choices"):
            env.step(action)
    with pytest.raises(tombolo.TomboloError, match="gravity"):
        gymnasium.make(IDS[0], gravity=1.0)
    with pytest.raises(tombolo.TomboloError):
        env.restore(b"nonsense")
    batch = gymnasium.make_vec(IDS[0], num_envs=3)
    batch.reset(seed=0)
    with pytest.raises(tombolo.TomboloError, match="expected 3"):
        batch.step(numpy.zeros(2, dtype=numpy.int64))
    with pytest.raises(ValueError, match="seeds"):
        batch.reset(seed=[1, 2])


def test_an_episode_is_cut_off_at_its_most_steps():
    batch = gymnasium.make_vec(IDS[0], num_envs=2, max_episode_steps=5)
    batch.reset(seed=0)
    cut = [batch.step(numpy.zeros(2, dtype=numpy.int64))[3].tolist() for _ in range(7)]
    assert cut == [[False] * 2] * 4 + [[True] * 2] + [[False] * 2] * 2


def test_the_picture_shows_ground_craft_and_flags():
    env = gymnasium.make(IDS[0], render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape == (400, 600, 3) and picture.dtype == numpy.uint8
    colors = {tuple(color) for color in picture.reshape(-1, 3)}
    assert colors == {(0, 0, 0), (255, 255, 255), (128, 102, 230), (204, 204, 0)}
    # Ground below, sky above, and the craft at the top of the middle.
    assert (picture[-1] == 255).all() and (picture[5, :200] == 0).all()
    craft = (picture == (128, 102, 230)).all(axis=2)
    assert abs(numpy.flatnonzero(craft.any(axis=0)).mean() - 300) < 15
