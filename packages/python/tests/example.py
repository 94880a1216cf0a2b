"""Ten lines that use the package: a pilot that leans against its drift and brakes before the ground."""

import gymnasium
import tombolo  # noqa: F401

env = gymnasium.make("tombolo/LunarLander-v3", continuous=True)
(x, y, vx, vy, angle, spin, left, right), _ = env.reset(seed=7)
total, done = 0.0, False
while not done:
    turn = 0.0 if left or right else 0.5 * (max(-0.4, min(0.4, 0.5 * x + vx)) - angle) - spin
    rise = -0.5 * vy if left or right else 0.5 * (0.55 * abs(x) - y - vy)
    (x, y, vx, vy, angle, spin, left, right), reward, ended, cut, _ = env.step((20 * rise - 1, -20 * turn))
    total, done = total + reward, ended or cut
print(f"landed with {total:.0f} points")
assert total > 200
