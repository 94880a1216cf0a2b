"""The lander's picture as an array, in Gymnasium's size and colors and without anything but NumPy."""

from __future__ import annotations

import numpy

WIDTH, HEIGHT = 600, 400
_SCALE = 30.0
_GROUND = (255, 255, 255)
_CRAFT = (128, 102, 230)
_POLE = (255, 255, 255)
_FLAG = (204, 204, 0)
_POLES_M = (8.0, 12.0)
_PAD_Y_M = HEIGHT / _SCALE / 4.0

Corners = list[tuple[float, float]]


def draw(terrain: list[float], outlines: list[Corners]) -> numpy.ndarray:
    """Ground, craft and flags; black sky."""
    picture = numpy.zeros((HEIGHT, WIDTH, 3), dtype=numpy.uint8)
    columns = (numpy.arange(WIDTH) + 0.5) / _SCALE
    # Row 0 is at the top.
    rows = (HEIGHT - numpy.arange(HEIGHT) - 0.5) / _SCALE
    if terrain:
        heights = numpy.interp(columns, numpy.linspace(0.0, WIDTH / _SCALE, len(terrain)), terrain)
        picture[rows[:, None] < heights[None, :]] = _GROUND
    for outline in outlines:
        _fill(picture, columns, rows, outline, _CRAFT)
    for x in _POLES_M:
        top = _PAD_Y_M + 50.0 / _SCALE
        left, right = x - 0.5 / _SCALE, x + 0.5 / _SCALE
        _fill(picture, columns, rows, [(left, _PAD_Y_M), (right, _PAD_Y_M), (right, top), (left, top)], _POLE)
        flag = [(x, top - 10.0 / _SCALE), (x + 25.0 / _SCALE, top - 5.0 / _SCALE), (x, top)]
        _fill(picture, columns, rows, flag, _FLAG)
    return picture


def _fill(
    picture: numpy.ndarray, columns: numpy.ndarray, rows: numpy.ndarray, corners: Corners, color: tuple[int, int, int]
) -> None:
    """Fills a convex polygon whose corners run counter-clockwise."""
    inside = numpy.ones((HEIGHT, WIDTH), dtype=numpy.bool_)
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        inside &= (bx - ax) * (rows[:, None] - ay) - (by - ay) * (columns[None, :] - ax) >= 0.0
    picture[inside] = color
