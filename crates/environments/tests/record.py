"""Records what the tests compare with from Gymnasium itself: pip install "gymnasium[box2d]", then python record.py NAME.

lander           terrain, first forces and first observations of LunarLander-v3, seeds 0 to 999
car              tracks of CarRacing-v3, seeds 0 to 299
car-scores       returns of a hundred steps of one action, three actions, seeds 0 to 59
walker           ground, obstacles and first observations of BipedalWalker-v3, seeds 0 to 999, without and with obstacles
walker-scores    return, length and fall of an episode of its heuristic for seeds 0 to 299, without and with obstacles
lander-falls     return and length of an episode whose actions do not depend on what is seen, seeds 0 to 299, two kinds
lander-scores    return and length of an episode of Gymnasium's heuristic for each seed, both kinds of action
"""

import struct
import sys
from pathlib import Path

import gymnasium
import numpy
from gymnasium.envs.box2d import bipedal_walker, lunar_lander

FOLDER = Path(__file__).parent / "recorded"
SEEDS = 1000


def fold(digest, numbers):
    """FNV-1a over the bytes of numbers of double precision."""
    for byte in b"".join(struct.pack("<d", float(number)) for number in numbers):
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


def lander():
    digest, rows = 0xCBF29CE484222325, []
    for seed in range(SEEDS):
        env = gymnasium.make("LunarLander-v3", enable_wind=True).unwrapped
        observation, _ = env.reset(seed=seed)
        # The floor of double precision: polygons of the sky keep what the edges were made of.
        heights = [polygon[0][1] for polygon in env.sky_polys] + [env.sky_polys[-1][1][1]]
        # The wind and the dispersion of the null step come after the forces; both indices were advanced by one.
        drawn = [*heights, env.wind_idx - 1, env.torque_idx - 1, env.np_random.uniform(-1.0, 1.0)]
        digest = fold(digest, drawn)
        if seed < 8:
            rows.append(" ".join(float(number).hex() for number in drawn))
    calm = []
    for seed in range(32):
        observation, _ = gymnasium.make("LunarLander-v3").reset(seed=seed)
        calm.append(" ".join(repr(float(number)) for number in observation))
    text = [f"{digest:016x}", *rows, *calm]
    (FOLDER / "lander.txt").write_text("\n".join(text) + "\n")


def lander_scores():
    lines = []
    for seed in range(SEEDS):
        row = []
        for continuous in (False, True):
            env = gymnasium.make("LunarLander-v3", continuous=continuous)
            observation, _ = env.reset(seed=seed)
            total, length, crashed, done = 0.0, 0, False, False
            while not done:
                action = lunar_lander.heuristic(env, observation)
                observation, reward, terminated, truncated, _ = env.step(action)
                total, length = total + reward, length + 1
                done = terminated or truncated
                crashed = terminated and reward == -100
            row.append(f"{total:.3f} {length} {int(crashed)}")
        lines.append(" ".join(row))
    (FOLDER / "lander-scores.txt").write_text("\n".join(lines) + "\n")


def blind(seed, step):
    """An action that is held for five steps; `lander.rs` has the same."""
    mixed = (seed + 1) * 0x9E3779B97F4A7C15 + (step // 5 + 1) * 0xD1B54A32D192ED03
    return (mixed % 2**64) >> 62


def lander_falls():
    lines = []
    for seed in range(300):
        row = []
        for choose in (lambda step: 0, lambda step: blind(seed, step)):
            env = gymnasium.make("LunarLander-v3")
            env.reset(seed=seed)
            total, length, done = 0.0, 0, False
            while not done:
                _, reward, terminated, truncated, _ = env.step(choose(length))
                total, length = total + reward, length + 1
                done = terminated or truncated
            row.append(f"{total:.3f} {length}")
        lines.append(" ".join(row))
    (FOLDER / "lander-falls.txt").write_text("\n".join(lines) + "\n")


def walker():
    digests, rows, calm = [], [], []
    for hardcore in (False, True):
        digest = 0xCBF29CE484222325
        for seed in range(SEEDS):
            env = gymnasium.make("BipedalWalker-v3", hardcore=hardcore).unwrapped
            observation, _ = env.reset(seed=seed)
            blocks = []
            for body in reversed(env.terrain):
                corners = body.fixtures[0].shape.vertices
                if len(corners) == 4:
                    xs, ys = zip(*corners)
                    blocks += [min(xs), min(ys), max(xs), max(ys)]
            drawn = [*env.terrain_y, *blocks, env.np_random.uniform(-1.0, 1.0)]
            digest = fold(digest, drawn)
            if seed < 3:
                rows.append(" ".join(float(number).hex() for number in drawn))
            if seed < 32 and not hardcore:
                calm.append(" ".join(repr(float(number)) for number in observation))
        digests.append(f"{digest:016x}")
    (FOLDER / "walker.txt").write_text("\n".join([*digests, *rows, *calm]) + "\n")


def walker_scores():
    lines = []
    for seed in range(300):
        row = []
        for hardcore in (False, True):
            env = gymnasium.make("BipedalWalker-v3", hardcore=hardcore)
            guide = bipedal_walker.BipedalWalkerHeuristics()
            observation, _ = env.reset(seed=seed)
            total, length, fell, done = 0.0, 0, False, False
            while not done:
                observation, reward, terminated, truncated, _ = env.step(guide.step_heuristic(observation))
                total, length = total + reward, length + 1
                done = terminated or truncated
                fell = terminated and reward == -100
            row.append(f"{total:.3f} {length} {int(fell)}")
        lines.append(" ".join(row))
    (FOLDER / "walker-scores.txt").write_text("\n".join(lines) + "\n")


def blind_car():
    env = gymnasium.make("CarRacing-v3").unwrapped
    # Pictures have no part in what is recorded.
    env._render = lambda mode: numpy.zeros((96, 96, 3), numpy.uint8)
    return env


def car():
    env, lines = blind_car(), []
    for seed in range(300):
        env.reset(seed=seed)
        track = env.track
        weighed = sum(mark[2] * place for place, mark in enumerate(track))
        curbs = len(env.road_poly) - len(track)
        row = [len(track), *track[len(track) // 2], weighed, curbs, env.np_random.uniform(-1.0, 1.0)]
        lines.append(" ".join(repr(number if isinstance(number, int) else float(number)) for number in row))
    (FOLDER / "car.txt").write_text("\n".join(lines) + "\n")


def car_scores():
    env, lines = blind_car(), []
    for seed in range(60):
        row = []
        for action in ([0, 0.5, 0], [0.1, 0.3, 0], [0, 0.7, 0.1]):
            env.reset(seed=seed)
            total = 0.0
            for _ in range(100):
                _, reward, ended, _, _ = env.step(numpy.array(action, dtype=numpy.float32))
                total += reward
                if ended:
                    break
            row.append(repr(round(float(total), 4)))
        lines.append(" ".join(row))
    (FOLDER / "car-scores.txt").write_text("\n".join(lines) + "\n")


RECORDERS = {"car": car, "car-scores": car_scores, "lander": lander, "lander-falls": lander_falls, "lander-scores": lander_scores, "walker": walker, "walker-scores": walker_scores}
RECORDERS[sys.argv[1]]()
