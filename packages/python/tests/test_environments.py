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
CARS = ["tombolo/CarRacing-v3"]
WALKERS = ["tombolo/BipedalWalker-v3", "tombolo/BipedalWalkerHardcore-v3"]


def run(env, steps, seed=7):
    rng = numpy.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        shape = env.action_space.shape
        action = rng.integers(4) if shape == () else rng.uniform(-1, 1, shape).astype(numpy.float32)
        observation, reward, terminated, truncated, _ = env.step(action)
        seen.append((observation.tobytes(), reward, terminated, truncated))
        if terminated or truncated:
            env.reset()
    return seen


@pytest.mark.parametrize("id", IDS + WALKERS + CARS)
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


@pytest.mark.parametrize("hardcore", [False, True])
def test_the_walkers_spaces_and_ground_are_gymnasiums(hardcore):
    pytest.importorskip("Box2D")
    ours = gymnasium.make(WALKERS[hardcore])
    theirs = gymnasium.make(WALKERS[hardcore].removeprefix("tombolo/"))
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.spec.max_episode_steps == theirs.spec.max_episode_steps
    assert ours.spec.reward_threshold == theirs.spec.reward_threshold
    for seed in [0, 1, 2**31, 2**40]:
        observation, _ = ours.reset(seed=seed)
        expected, _ = theirs.reset(seed=seed)
        assert ours.unwrapped._native.terrain(0) == theirs.unwrapped.terrain_y
        assert numpy.abs(observation - expected).max() < 5e-3


@pytest.mark.parametrize("continuous", [False, True])
def test_the_cars_spaces_track_and_pictures_are_gymnasiums(continuous):
    pytest.importorskip("Box2D")
    ours = gymnasium.make(CARS[0], continuous=continuous)
    theirs = gymnasium.make("CarRacing-v3", continuous=continuous)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.spec.max_episode_steps == theirs.spec.max_episode_steps
    assert ours.spec.reward_threshold == theirs.spec.reward_threshold
    for seed in [0, 3]:
        seen, expected = ours.reset(seed=seed)[0], theirs.reset(seed=seed)[0]
        marks = numpy.array(ours.unwrapped._native.terrain(0)).reshape(-1, 3)
        assert numpy.allclose(marks, numpy.array(theirs.unwrapped.track)[:, 1:], rtol=0, atol=1e-6)
        total = their_total = 0.0
        for step in range(90):
            if step % 30 == 0:
                # The original's letters are another font, and its smooth scaling another mean.
                apart = numpy.abs(seen.astype(float) - expected.astype(float)).mean()
                print(f"seed {seed}, step {step}: pictures {apart:.2f} of 255 apart")
                assert apart < 6
            action = numpy.array([0.1, 0.3, 0.0], dtype=numpy.float32) if continuous else step // 10 % 5
            (seen, reward, *_), (expected, their_reward, *_) = ours.step(action), theirs.step(action)
            total, their_total = total + reward, their_total + their_reward
        # A tile is touched in the same step, or in the next one.
        assert abs(total - their_total) < 1.5 * 1000 / len(marks)


def test_walkers_in_a_batch_are_the_single_ones_and_are_drawn():
    batch = gymnasium.make_vec(WALKERS[1], num_envs=3, threads=2, render_mode="rgb_array")
    observations, _ = batch.reset(seed=20)
    actions = numpy.random.default_rng(0).uniform(-1, 1, (30, 3, 4)).astype(numpy.float32)
    for world in range(3):
        env = gymnasium.make(WALKERS[1])
        assert (env.reset(seed=20 + world)[0] == observations[world]).all()
    seen = [batch.step(row)[0] for row in actions]
    env = gymnasium.make(WALKERS[1], render_mode="rgb_array")
    env.reset(seed=21)
    for row, observations in zip(actions, seen, strict=True):
        assert (env.step(row[1])[0] == observations[1]).all()
    pictures = batch.render()
    assert len(pictures) == 3 and pictures[1].shape == (400, 600, 3)
    assert (env.render() == pictures[1]).all()


@pytest.mark.parametrize("id", IDS + WALKERS + CARS)
def test_saves_forks_and_pickles_in_the_middle_of_an_episode_have_the_same_future(id):
    env = gymnasium.make(id, **({"enable_wind": True} if id in IDS else {}))
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


def test_worlds_that_were_never_seeded_differ_after_a_reset_of_another():
    for begin in (
        lambda batch: batch.reset(options={"reset_mask": numpy.array([True, False, False, False])}),
        lambda batch: batch.restore(0, batch.save(0)),
    ):
        batch = gymnasium.make_vec("tombolo/LunarLander-v3", num_envs=4)
        begin(batch.unwrapped)
        rows, _ = batch.reset()
        assert len({row.tobytes() for row in rows}) == 4


def test_a_seed_that_was_refused_is_not_kept():
    batch = gymnasium.make_vec("tombolo/LunarLander-v3", num_envs=2)
    with pytest.raises(OverflowError):
        batch.reset(seed=-5)
    batch.reset()
    env = gymnasium.make("tombolo/LunarLander-v3").unwrapped
    with pytest.raises(OverflowError, match=r"no number from 0 to 2\*\*128 - 1"):
        env.reset(seed=2**128)
    env.reset()
    env.reset(seed=2**128 - 1)


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
    with pytest.raises(TypeError, match="no option 'hardcore'; there are continuous"):
        gymnasium.make(IDS[0], hardcore=True)
    with pytest.raises(tombolo.TomboloError):
        env.restore(b"nonsense")
    batch = gymnasium.make_vec(IDS[0], num_envs=3)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match=r"expected \(3,\)"):
        batch.step(numpy.zeros(2, dtype=numpy.int64))
    with pytest.raises(ValueError, match="seeds"):
        batch.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="reset_mask"):
        batch.reset(options={"reset_mask": numpy.array([True, False])})
    with pytest.raises(TypeError, match="reset_mask"):
        batch.reset(options={"reset_mask": [True, False, True]})


def test_actions_of_another_shape_and_fractions_of_choices_are_refused():
    walkers = gymnasium.make_vec(WALKERS[0], num_envs=3)
    walkers.reset(seed=0)
    for shape in ((4, 3), (12,), (2, 6)):
        with pytest.raises(ValueError, match="shape"):
            walkers.step(numpy.zeros(shape, dtype=numpy.float32))
    landers = gymnasium.make_vec(IDS[0], num_envs=2)
    landers.reset(seed=0)
    before = landers.unwrapped.save(0)
    for actions in ([0.9, 1.9], [True, False], [[0, 1]]):
        with pytest.raises((TypeError, ValueError)):
            landers.step(actions)
    assert landers.unwrapped.save(0) == before
    landers.step([0, 1])
    lander = gymnasium.make(IDS[0]).unwrapped
    lander.reset(seed=0)
    for action in (2.9, numpy.array([2]), numpy.bool_(True)):
        with pytest.raises(TypeError):
            lander.step(action)
    for action in (2, numpy.int64(2), numpy.array(2)):
        lander.step(action)


def test_a_step_moves_no_world_if_one_was_never_reset():
    batch = gymnasium.make_vec(IDS[0], num_envs=2).unwrapped
    batch.reset(seed=1, options={"reset_mask": numpy.array([True, False])})
    before = batch.save(0)
    with pytest.raises(tombolo.TomboloError, match="world 1 needs a reset"):
        batch.step([2, 2])
    assert batch.save(0) == before


def test_without_automatic_resets_an_ended_world_is_refused():
    batch = gymnasium.make_vec(IDS[0], num_envs=3, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=4)
    batch.reset(seed=0)
    batch.unwrapped.restore(1, batch.unwrapped.save(0))
    for _ in range(3):
        batch.step([0, 0, 0])
    batch.reset(options={"reset_mask": numpy.array([False, True, False])})
    assert batch.step([0, 0, 0])[3].tolist() == [True, False, True]
    for _ in range(2):
        with pytest.raises(ValueError, match="worlds 0, 2"):
            batch.step([0, 0, 0])
    batch.reset(options={"reset_mask": numpy.array([True, False, True])})
    batch.step([0, 0, 0])


def test_the_seed_of_an_episode_that_was_given_none_repeats_it():
    env = gymnasium.make(IDS[0]).unwrapped
    first, _ = env.reset()
    again, _ = env.reset(seed=env.np_random_seed)
    assert (first == again).all()
    env.reset(seed=9)
    assert env.np_random_seed == 9
    replaced = [gymnasium.make(IDS[0]).unwrapped for _ in range(2)]
    for env in replaced:
        env.np_random = numpy.random.default_rng(4)
    assert (replaced[0].reset()[0] == replaced[1].reset()[0]).all()
    batch = gymnasium.make_vec(IDS[0], num_envs=3).unwrapped
    first, _ = batch.reset()
    again, _ = batch.reset(seed=list(batch.np_random_seed))
    assert (first == again).all()
    batch.reset(seed=5)
    assert batch.np_random_seed == (5, 6, 7)


def test_a_fork_draws_actions_of_its_own():
    env = gymnasium.make(IDS[1]).unwrapped
    env.reset(seed=0)
    env.action_space.seed(1)
    expected = copy.deepcopy(env.action_space).sample()
    fork = env.fork()
    assert (fork.action_space.sample() == expected).all()
    fork.action_space.seed(3)
    twin = env.fork()
    fork.np_random.random()
    assert (env.action_space.sample() == expected).all()
    assert env.np_random.random() == twin.np_random.random()


def test_the_car_tells_how_its_lap_ended():
    def straight(env, action, until=3000):
        for _ in range(until):
            step = env.step(action)
            if numpy.any(step[2]):
                return step
            assert step[4] == {}
        raise AssertionError("straight ahead is out of the field")

    env = gymnasium.make(CARS[0]).unwrapped
    env.reset(seed=0)
    assert straight(env, numpy.array([0.0, 0.2, 0.0], dtype=numpy.float32))[4] == {"lap_finished": False}
    actions = numpy.array([[0.0, 0.2, 0.0], [0.0, 0.0, 0.0]], dtype=numpy.float32)
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        batch = gymnasium.make_vec(CARS[0], num_envs=2, autoreset_mode=mode, max_episode_steps=3000)
        batch.reset(seed=[0, 1])
        infos = straight(batch, actions)[4]
        ends = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
        assert ends["lap_finished"].tolist() == [False, False] and ends["_lap_finished"].tolist() == [True, False]
        assert batch.step(actions)[4] == {}


def test_a_lap_that_is_complete_says_so():
    env = gymnasium.make(CARS[0], lap_complete_percent=0.0, verbose=True).unwrapped
    env.reset(seed=0)
    # It begins on the first tile, which ends a lap that needs no others.
    *_, terminated, _, info = env.step(numpy.zeros(3, dtype=numpy.float32))
    assert (terminated, info) == (True, {"lap_finished": True})


def test_the_car_keeps_its_colors_if_it_is_told_to():
    colorful = gymnasium.make(CARS[0], domain_randomize=True)
    plain = gymnasium.make(CARS[0])

    def reset(env, **options):
        seen, _ = env.reset(seed=1, options=options)
        return env.unwrapped._native.terrain(0), seen[0, 0].tolist()

    track, color = reset(colorful)
    assert reset(plain)[0] != track
    kept = reset(colorful, randomize=False)
    assert kept[0] == reset(plain)[0]
    assert reset(colorful, randomize=True) == (track, color)
    batch = gymnasium.make_vec(CARS[0], num_envs=1, domain_randomize=True)
    batch.reset(seed=1, options={"randomize": False})
    assert batch.unwrapped._native.terrain(0) == kept[0]


def test_the_cars_pictures_can_be_those_that_it_observes():
    env = gymnasium.make(CARS[0], render_mode="state_pixels")
    seen, _ = env.reset(seed=2)
    assert (env.render() == seen).all()
    batch = gymnasium.make_vec(CARS[0], num_envs=2, render_mode="state_pixels")
    seen, _ = batch.reset(seed=2)
    assert (numpy.stack(batch.render()) == seen).all()


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


@pytest.mark.parametrize("id", IDS + WALKERS + CARS)
def test_observations_of_fifty_random_steps_are_in_their_space(id):
    env = gymnasium.make(id)
    again = gymnasium.make(id)
    env.action_space.seed(0)
    seen, twin = env.reset(seed=0)[0], again.reset(seed=0)[0]
    for _ in range(50):
        assert seen in env.observation_space and seen.tobytes() == twin.tobytes()
        action = env.action_space.sample()
        (seen, *outcome), (twin, *other) = env.step(action), again.step(action)
        assert outcome == other
        if outcome[1] or outcome[2]:
            seen, twin = env.reset(seed=0)[0], again.reset(seed=0)[0]


@pytest.mark.parametrize("id", [IDS[0], CARS[0]])
def test_a_wrong_choice_is_gymnasiums_invalid_action(id):
    env = gymnasium.make(id, continuous=False)
    env.reset()
    for action in (gymnasium.make(id, continuous=True).action_space.sample(), -1, 5, "up"):
        for error in (gymnasium.error.InvalidAction, tombolo.TomboloError, TypeError):
            with pytest.raises(error):
                env.unwrapped.step(action)


@pytest.mark.parametrize("seed", range(5))
def test_the_places_in_the_winds_pattern_are_those_of_the_seed(seed):
    env, other = (gymnasium.make(IDS[0], enable_wind=True).unwrapped for _ in range(2))
    places = []
    for lander in (env, other):
        lander.reset(seed=seed)
        places.append((lander.wind_idx, lander.torque_idx))
    assert places[0] == places[1]
    other.reset(seed=seed + 1)
    assert places[0][0] != other.wind_idx and places[0][1] != other.torque_idx
    pytest.importorskip("Box2D")
    theirs = gymnasium.make("LunarLander-v3", enable_wind=True).unwrapped
    theirs.reset(seed=seed)
    assert places[0] == (theirs.wind_idx, theirs.torque_idx)


def test_colors_are_drawn_unless_they_are_to_be_kept():
    env = gymnasium.make(CARS[0], domain_randomize=True).unwrapped

    def colors():
        return [env.road_color, env.bg_color, env.grass_color]

    before = colors()
    assert [(color.shape, color.dtype) for color in before] == [((3,), numpy.float64)] * 3
    env.reset(options={"randomize": False})
    assert all((old == new).all() for old, new in zip(before, colors(), strict=True))
    env.reset()
    assert all((old != new).all() for old, new in zip(before, colors(), strict=True))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_copies_and_pickles_of_a_batch_have_the_same_future(mode):
    batch = gymnasium.make_vec(IDS[0], num_envs=3, max_episode_steps=30, autoreset_mode=mode).unwrapped
    batch.reset(seed=5, options={"reset_mask": numpy.array([True, True, False])})
    again = pickle.loads(pickle.dumps(batch))
    for twin in (batch, again):
        twin.reset(seed=9, options={"reset_mask": numpy.array([False, False, True])})
    assert batch.np_random_seed == again.np_random_seed
    others = [again, copy.copy(batch), copy.deepcopy(batch)]
    for step in range(70):
        if mode == "Disabled" and step % 30 == 0:
            for twin in (batch, *others):
                twin.reset()
        rows = [twin.step([2, step % 4, 0])[:4] for twin in (batch, *others)]
        rows = [[array.tobytes() for array in row] for row in rows]
        assert rows == [rows[0]] * 4
        if mode == "Disabled" and any(batch._terminated):
            break


def test_a_save_after_an_automatic_reset_is_one_of_the_new_episode():
    same = gymnasium.make_vec(IDS[0], num_envs=1, autoreset_mode="SameStep").unwrapped
    same.reset(seed=5)
    while not same.step([0])[2][0]:
        pass
    save = same.save(0)
    seen = same.step([2])[0].tobytes()
    for mode in ("NextStep", "Disabled"):
        other = gymnasium.make_vec(IDS[0], num_envs=1, autoreset_mode=mode).unwrapped
        other.reset(seed=1)
        other.restore(0, save)
        assert other.step([2])[0].tobytes() == seen


def test_a_save_of_other_options_is_refused():
    heavy, light = (gymnasium.make(IDS[0], gravity=gravity).unwrapped for gravity in (-10.0, -5.0))
    heavy.reset(seed=0)
    light.reset(seed=0)
    with pytest.raises(tombolo.TomboloError, match="other options"):
        light.restore(heavy.save())
    plain, hard = (gymnasium.make(id).unwrapped for id in WALKERS)
    plain.reset(seed=0)
    with pytest.raises(tombolo.TomboloError, match="other options"):
        hard.restore(plain.save())


def test_a_reset_with_a_wrong_seed_resets_no_world():
    batch = gymnasium.make_vec(IDS[0], num_envs=2).unwrapped
    batch.reset(seed=0)
    before = batch.save(0)
    for seed in (-5, 2**128, "seven"):
        with pytest.raises((OverflowError, TypeError)):
            batch.reset(seed=[1, seed])
    assert batch.save(0) == before


def test_the_most_steps_of_a_batch_may_be_none_and_are_from_one_up():
    endless = gymnasium.make_vec(IDS[0], num_envs=1, max_episode_steps=-1)
    endless.reset(seed=0)
    assert not any(endless.step([2])[3][0] for _ in range(40))
    for most in (0, -2):
        with pytest.raises(ValueError, match="max_episode_steps"):
            tombolo.environments.LunarLanderVector(max_episode_steps=most)


def test_the_action_of_a_world_that_only_resets_may_be_anything():
    batch = gymnasium.make_vec(WALKERS[0], num_envs=2, max_episode_steps=3)
    batch.reset(seed=0)
    for _ in range(3):
        assert not batch.step(numpy.zeros((2, 4), dtype=numpy.float32))[2].any()
    nothing = numpy.full((2, 4), numpy.nan, dtype=numpy.float32)
    batch.step(nothing)
    with pytest.raises(tombolo.TomboloError, match="numbers"):
        batch.step(nothing)


def test_render_modes_that_are_none_are_refused_and_options_may_be_in_order():
    with pytest.raises(ValueError, match="no render_mode 'ansi'"):
        tombolo.environments.LunarLander(render_mode="ansi")
    with pytest.raises(ValueError, match="no render_mode 'human'"):
        tombolo.environments.LunarLanderVector(render_mode="human")
    lander = tombolo.environments.LunarLander("rgb_array", True, -9.0)
    assert (lander.continuous, lander.gravity, lander.enable_wind) == (True, -9.0, False)
    with pytest.raises(TypeError, match="given twice"):
        tombolo.environments.LunarLander(None, True, continuous=True)
    with pytest.raises(TypeError, match="6 options, of 5"):
        tombolo.environments.LunarLander(None, *[1.0] * 6)


def test_options_are_attributes_that_hold_when_gymnasiums_do():
    env = gymnasium.make(IDS[0], gravity=-8.0).unwrapped
    assert (env.gravity, env.enable_wind) == (-8.0, False)
    env.reset(seed=2)
    env.gravity = -2.0
    twin = gymnasium.make(IDS[0], gravity=-8.0).unwrapped
    twin.reset(seed=2)
    for copied in (env.fork(), pickle.loads(pickle.dumps(env)), env):
        assert copied.gravity == -2.0
        assert (copied.step(0)[0] == twin.fork().step(0)[0]).all(), "gravity is the next reset's"
        light = gymnasium.make(IDS[0], gravity=-2.0).unwrapped
        assert (copied.reset(seed=3)[0] == light.reset(seed=3)[0]).all()
        assert (copied.step(0)[0] == light.step(0)[0]).all()
    env.enable_wind, env.wind_power = True, 20.0
    # The pattern of the wind begins at zero.
    blown, calm = ([either.step(0)[0][2] for _ in range(3)] for either in (env, light))
    assert blown[0] == calm[0] and blown[2] != calm[2], "wind is the next step's"
    windy = gymnasium.make(IDS[0], gravity=-2.0, enable_wind=True, wind_power=20.0).unwrapped
    assert (env.reset(seed=4)[0] == windy.reset(seed=4)[0]).all() and env.wind_idx == windy.wind_idx
    before = env.save()
    with pytest.raises(tombolo.TomboloError, match="gravity is 3"):
        env.gravity = 3
    with pytest.raises(AttributeError, match="given to gymnasium.make"):
        env.continuous = True
    env.continuous = False
    assert env.save() == before and env.gravity == -2.0
    env.spec, env.render_mode, env.metadata, env.anything = None, "rgb_array", {}, 1
    assert env.render().shape == (400, 600, 3)

    walker = gymnasium.make(WALKERS[0]).unwrapped
    walker.hardcore = True
    hard = gymnasium.make(WALKERS[1]).unwrapped
    assert (walker.reset(seed=5)[0] == hard.reset(seed=5)[0]).all()


def test_the_generator_is_the_environments_as_in_gymnasium():
    env, twin = (gymnasium.make(IDS[0]).unwrapped for _ in range(2))
    env.reset(seed=6)
    twin.reset(seed=6)
    drawn = env.np_random
    assert drawn is env.np_random and drawn.random() != numpy.random.default_rng(6).random(), "the ground was drawn before"
    twin.np_random.random()
    numbers = numpy.random.default_rng(0)
    numbers.bit_generator.state = drawn.bit_generator.state
    assert (env.step(2)[0] == twin.step(2)[0]).all()
    # The engines draw two numbers in a step.
    numbers.random(2)
    assert drawn.random() == numbers.random()
    save, fork = env.save(), env.fork()
    assert fork.np_random is not drawn and fork.np_random.random() == numbers.random()
    drawn.random(5)
    env.restore(save)
    numbers.bit_generator.state = drawn.bit_generator.state
    first = env.reset()[0]
    other = gymnasium.make(IDS[0]).unwrapped
    other.np_random = numbers
    assert other.np_random_seed == -1 and (other.reset()[0] == first).all(), "the ground is drawn from it"
    assert numbers.random() == drawn.random()
    strange = [gymnasium.make(IDS[0]).unwrapped for _ in range(2)]
    for either in strange:
        either.np_random = numpy.random.Generator(numpy.random.MT19937(1))
    assert (strange[0].reset()[0] == strange[1].reset()[0]).all()
    assert (strange[0].reset()[0] == strange[1].reset()[0]).all()


def test_numbers_drawn_from_the_generator_are_gymnasiums():
    pytest.importorskip("Box2D")
    for name in (IDS[0], WALKERS[0]):
        ours, theirs = gymnasium.make(name).unwrapped, gymnasium.make(name.removeprefix("tombolo/")).unwrapped
        for env in (ours, theirs):
            env.np_random = numpy.random.default_rng(11)
            env.reset()
            env.np_random.random(3)
            env.step(env.action_space.sample())
        assert ours.np_random.random() == theirs.np_random.random()


def test_an_action_has_the_shape_of_its_space():
    env = gymnasium.make(IDS[1]).unwrapped
    env.reset(seed=1)
    before = env.save()
    for action in (numpy.zeros((1, 2)), 0.5, "11", ["0.5", "1"], None, [1.0], [1.0, None], numpy.zeros(3)):
        with pytest.raises(gymnasium.error.InvalidAction, match="expected numbers of the shape"):
            env.step(action)
    assert env.save() == before
    other = env.fork()
    seen = env.step([0, 1])[0]
    assert (other.step(numpy.array([0.0, 1.0]))[0] == seen).all()


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_processes_give_the_results_of_its_loop(context):
    envs = [
        gymnasium.make_vec(WALKERS[0], num_envs=2, vectorization_mode=mode, vector_kwargs=options)
        for mode, options in (("sync", {}), ("async", {"context": context}))
    ]
    rng = numpy.random.default_rng(0)
    for first in (either.reset(seed=3)[0] for either in envs[1:]):
        assert (first == envs[0].reset(seed=3)[0]).all()
    for _ in range(20):
        actions = rng.uniform(-1, 1, (2, 4)).astype(numpy.float32)
        alone, apart = (either.step(actions) for either in envs)
        assert all((a == b).all() for a, b in zip(alone[:4], apart[:4], strict=True))
    envs[1].close()


def test_a_save_from_before_the_first_reset_has_no_episode():
    empty = gymnasium.make(IDS[0]).unwrapped.save()
    observations = []
    for seed in (3, 4):
        env = gymnasium.make(IDS[0]).unwrapped
        env.reset(seed=seed)
        env.restore(empty)
        observations.append(env.reset()[0].tobytes())
    assert observations[0] != observations[1]


def test_batches_that_there_are_not_say_so():
    for options in ({"num_envs": 0}, {"num_envs": -1}, {"num_envs": 1, "threads": -1}):
        with pytest.raises(ValueError, match="worlds are from 1 up, threads from 0 up"):
            gymnasium.make_vec(IDS[0], **options)
    envs = gymnasium.make_vec(IDS[0], num_envs=3)
    envs.reset(seed=1)
    with pytest.raises(tombolo.TomboloError, match="7 of world 1 is none of the 4 choices"):
        envs.step(numpy.array([1, 7, -1]))
