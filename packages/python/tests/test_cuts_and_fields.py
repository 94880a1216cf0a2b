"""Concave polygons, cuts, explosions and fields."""

import math
import pickle
import random

import pytest

import tombolo

L_CORNERS = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]


def test_a_concave_polygon_is_one_thing_of_convex_parts():
    world = tombolo.World()
    body = world.create_body(position=(0, 5))
    polygon = body.add_concave_polygon(L_CORNERS, density=2.0, friction=0.25)
    assert body.mass == 8.0 and polygon.area == 4.0 and polygon.radius == 0.0 and polygon.holes == []
    assert polygon.body == body and polygon.border == [(float(x), float(y)) for x, y in L_CORNERS]
    assert body.concave_polygons == [polygon] and set(polygon.parts) == set(body.shapes) and len(polygon.parts) > 1
    assert all(part.concave_polygon == polygon and part.friction == 0.25 for part in polygon.parts)
    # It is hollow where it is concave.
    assert world.overlap_point((0.5, 7.0)) and not world.overlap_point((1.5, 7.0))
    polygon.parts[0].friction = 0.5
    assert {part.friction for part in polygon.parts} == {0.5}
    disc = body.add_circle(0.5, (5, 5))
    assert disc.concave_polygon is None
    polygon.destroy()
    assert body.shapes == [disc] and body.concave_polygons == []
    with pytest.raises(tombolo.TomboloError, match="destroyed"):
        polygon.area  # noqa: B018


def test_a_concave_polygon_has_holes():
    world = tombolo.World()
    body = world.create_body("static")
    frame = body.add_concave_polygon([(-2, -2), (2, -2), (2, 2), (-2, 2)], [[(-1, -1), (-1, 1), (1, 1), (1, -1)]])
    assert frame.area == 12.0 and len(frame.holes) == 1 and len(frame.holes[0]) == 4
    # A ball in the hole stays in it.
    ball = world.create_body()
    ball.add_circle(0.3)
    world.step(steps=300)
    assert abs(ball.position[1] + 0.7) < 0.02 and not world.overlap_point((0.5, 0.5))
    rounded = body.add_concave_polygon([(5, 0), (6, 0), (6, 1), (5, 1)], radius=0.25)
    assert rounded.radius == 0.25


@pytest.mark.parametrize(
    "border, holes, radius",
    [
        (L_CORNERS[::-1], (), 0.0),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], (), 0.0),
        ([(0, 0), (1, 0)], (), 0.0),
        ([(0, 0), (math.nan, 0), (0, 1)], (), 0.0),
        (L_CORNERS, [[(5, 5), (5, 6), (6, 6)]], 0.0),
        (L_CORNERS, (), 0.5),
    ],
    ids=["clockwise", "crosses itself", "two corners", "not a number", "hole outside", "rounded and concave"],
)
def test_what_is_no_concave_polygon_is_refused(border, holes, radius):
    world = tombolo.World()
    body = world.create_body()
    before = world.hash()
    with pytest.raises(tombolo.TomboloError):
        body.add_concave_polygon(border, holes, radius)
    assert world.hash() == before and body.shapes == []


def test_a_sliced_body_keeps_mass_and_motion():
    world = tombolo.World(gravity=(0, 0))
    plank = world.create_body(position=(0, 3))
    plank.add_box(4, 0.2)
    plank.velocity, plank.angular_velocity = (1, 2), 3.0
    moving = plank.velocity_at_world_point((1.5, 3))
    cut = plank.slice((1, 0), (1, 1))
    assert cut.body == plank and len(cut.pieces) == 1 and cut.vanished == [] and len(cut.concave_polygons) == 2
    piece = cut.pieces[0]
    assert plank.mass == pytest.approx(0.6) and piece.mass == pytest.approx(0.2)
    assert piece.center_of_gravity == pytest.approx((1.5, 3)) and piece.velocity == pytest.approx(moving, abs=1e-4)
    ((start, end),) = cut.segments
    assert sorted([start, end]) == [pytest.approx((1, 2.9)), pytest.approx((1, 3.1))]
    # A line beside it changes nothing.
    before = world.hash()
    assert plank.slice((9, 0), (9, 1)) is None and world.hash() == before
    assert world.cut_events() == ([], [])
    world.step()
    assert world.cut_events() == ([(plank, piece, False)], [])
    world.step()
    assert world.cut_events() == ([], [])


def test_small_pieces_vanish_and_are_told_of():
    world = tombolo.World(debris={"area_max": 0.1})
    plank = world.create_body()
    plank.add_box(4, 1)
    cut = plank.slice((1.95, 0), (1.95, 1))
    (gone,) = cut.vanished
    assert cut.pieces == [] and gone.body == plank and gone.area == pytest.approx(0.05, rel=1e-3)
    assert gone.mass == pytest.approx(0.05, rel=1e-3) and gone.center == pytest.approx((1.975, 0), abs=1e-4)
    world.step()
    assert world.cut_events() == ([], [gone])


def test_a_segment_cuts_what_it_crosses():
    world = tombolo.World()
    boxes = []
    for x in range(4):
        boxes.append(world.create_body("static" if x == 3 else "dynamic", (2.0 * x, 0)))
        boxes[-1].add_box(1, 1, filter={"category": 1 << x})
    before = world.hash()
    assert world.cut_through((0, 5), (6, 5)) == [] and world.hash() == before
    # It ends in the last one, and leaves out one that is excluded.
    cuts = world.cut_through((-1, 0), (6, 0), exclude=[boxes[1]])
    assert [cut.body for cut in cuts] == [boxes[0], boxes[2]] and all(len(cut.pieces) == 1 for cut in cuts)
    assert [cut.body for cut in world.cut_through((-1, 0.25), (9, 0.25), mask=0b1010)] == [boxes[1], boxes[3]]
    with pytest.raises(tombolo.TomboloError, match="nearest"):
        world.cut_through((0, 0), (1, 0), nearest=True)


def test_a_body_breaks_into_cells():
    def pane(seed=None, **how):
        world = tombolo.World()
        body = world.create_body(position=(0, 3))
        body.add_box(2, 2)
        return world, body, body.shatter(**({"seed": seed} if seed is not None else {}), **how)

    world, body, cut = pane(7, count=12)
    assert len(cut.pieces) == 11 and cut.segments == []
    assert sum(piece.mass for piece in [body, *cut.pieces]) == pytest.approx(4.0, rel=1e-5)
    # The same for the same seed, and not for another.
    assert pane(7, count=12)[0].hash() == world.hash() != pane(8, count=12)[0].hash()
    _, body, cut = pane(sites=[(-0.5, 3), (0.5, 3), (0.5, 5)])
    masses = sorted(piece.mass for piece in [body, *cut.pieces])
    assert len(masses) == 2 and masses == pytest.approx([2.0, 2.0])
    assert pane(sites=[(0, 3), (0, 30)])[2] is None
    for refused in ({"count": 1}, {"count": 1025}, {"sites": [(0, 0)]}, {"sites": [(0, 0), (0, 0)]}, {"sites": [(0, 0), (0, math.nan)]}):
        with pytest.raises(tombolo.TomboloError):
            pane(**refused)


def test_cuts_are_saved_recorded_and_the_same_on_threads():
    def scene(threads):
        world, chance = tombolo.World(threads=threads), random.Random(3)
        world.start_recording(hash_steps=1)
        world.create_body("static", (0, -1)).add_box(60, 2)
        for place in range(60):
            world.create_body(position=(place % 12 - 6, 1 + place // 12)).add_box(0.9, 0.9)
        water = world.create_field("fluid", tombolo.box(30, 3), position=(0, 1), density=1.2, viscosity=1.0)
        for step in range(90):
            if step % 10 == 3:
                y = chance.uniform(0.2, 4)
                world.cut_through((-9, y), (9, y + chance.uniform(-1, 1)))
            if step == 20:
                world.bodies[5].shatter(9, seed=step)
                world.explode((0, 0.5), radius=2, falloff=3, impulse_per_length=1.5)
            if step == 60:
                water.set(velocity=(2, 0))
            if step == 75:
                water.destroy()
            world.step(1 / 50)
        return world

    one = scene(1)
    other = scene(4)
    assert one.hash() == other.hash() and len(one.bodies) > 100
    played = one.end_recording().play(threads=2)
    assert played.first_difference is None and played.world.hash() == other.hash()
    copies = [other.fork(), pickle.loads(pickle.dumps(other))]
    for world in [other, *copies]:
        world.cut_through((-9, 1), (9, 1.5))
        world.step(steps=5)
    assert other.hash() == copies[0].hash() == copies[1].hash()


def test_tiles_are_cut_and_blown_away():
    world = tombolo.World()
    ground = world.create_body("static")
    grid = ground.add_tiles([[1, 2, 1, 2]] * 4, ["Full", {"shape": "Full", "filter": {"category": 4}}])
    assert world.cut_tiles((0.5, -1), (0.5, 9)) == 4 and [grid[0, y] for y in range(4)] == [0] * 4
    assert world.cut_tiles((2.5, 2.5)) == 1 and grid[2, 2] == 0
    assert world.cut_tiles((2, 2), radius=9.0, mask=4) == 8 and grid[1, 0] == 0 and grid[2, 0] == 1
    ball = world.create_body(position=(2.5, 5))
    ball.add_circle(0.5)
    assert world.explode((2.5, 3.5), radius=2, impulse_per_length=2.0, tile_radius=0.1) == 1
    assert grid[2, 3] == 0 and grid[2, 1] == 1 and ball.velocity[1] > 1.0
    with pytest.raises(tombolo.TomboloError, match="radius"):
        world.cut_tiles((0, 0), radius=-1.0)
    with pytest.raises(tombolo.TomboloError, match="falloff"):
        world.explode((0, 0), falloff=-1.0)


def test_an_explosion_pushes_by_width_and_distance():
    world = tombolo.World(gravity=(0, 0))
    near, far, other = (world.create_body(position=(x, 0)) for x in (3, 9, -3))
    for body in (near, far):
        body.add_circle(0.5)
    other.add_circle(0.5, filter={"category": 8})
    assert world.explode((0, 0), radius=5, impulse_per_length=2.0, mask=1) == 1
    assert near.velocity[0] * near.mass == pytest.approx(2.0, abs=1e-5)
    assert far.velocity == other.velocity == (0.0, 0.0)


def test_wood_floats_in_a_fluid():
    world = tombolo.World()
    water = world.create_field("fluid", tombolo.box(20, 10), position=(0, -5), density=1.0, viscosity=0.5)
    raft = world.create_body()
    raft.add_box(4, 1, density=0.75)
    world.step(steps=600)
    assert abs(raft.position[1] + 0.25) < 0.02
    # Without it the raft falls, though it slept.
    water.enabled = False
    world.step(steps=30)
    assert raft.position[1] < -1.0 and not water.enabled


def test_kinds_of_fields_do_what_they_say():
    world = tombolo.World(gravity=(0, -10))
    ball = world.create_body()
    ball.add_circle(0.5)
    up = world.create_field("gravity", acceleration=(0, 5), replaces_gravity=True)
    world.step(0.1)
    assert ball.velocity == pytest.approx((0, 0.5), abs=1e-5)
    # Its vectors turn with it.
    up.angle = math.pi / 2
    world.step(0.1)
    assert ball.velocity == pytest.approx((-0.5, 0.5), abs=1e-5) and up.angle == pytest.approx(math.pi / 2)
    up.destroy()
    planet = world.create_field("radial_gravity", position=(0, 50), radius=50.0, acceleration=8.0, replaces_gravity=True)
    ball.velocity = (0, 0)
    world.step(0.1)
    assert ball.velocity == pytest.approx((0, 0.8), abs=0.02)
    planet.destroy()
    world.gravity = (0, 0)
    ball.position, ball.velocity = (0, 0), (0, 0)
    chain = world.create_field("chain_gravity", points=[(-9, 2), (9, 2)], pull=3.0, along=1.0, reach=4.0)
    world.step(0.1)
    assert ball.velocity == pytest.approx((0.1, 0.3), abs=1e-4)
    chain.destroy()
    ball.velocity = (0, 0)
    wind = world.create_field("wind", velocity=(20, 0), mask=2)
    world.step(0.1)
    assert ball.velocity == (0, 0)
    wind.set(mask=1)
    world.step(0.1)
    assert ball.velocity[0] > 0.5


def test_options_of_fields_are_read_and_set():
    world = tombolo.World()
    field = world.create_field("wind", tombolo.circle(5), position=(1, 2), velocity=(3, 4), user_key=2**64 - 1)
    other = world.create_field("chain_gravity", points=[(0, 0), (1, 0)])
    assert world.fields == [field, other] and field.kind == "wind" and other.kind == "chain_gravity"
    assert field.options == {
        "position": (1.0, 2.0), "angle": 0.0, "mask": 2**64 - 1, "replaces_gravity": False, "enabled": True,
        "user_key": 2**64 - 1, "velocity": (3.0, 4.0), "density": 1.0, "drag": 1.0, "lift": 0.0,
    }
    assert other.options["points"] == [[0.0, 0.0], [1.0, 0.0]]
    field.set(lift=0.5, position=(7, 8))
    field.set(area=tombolo.capsule((0, 0), (1, 0), 2.0))
    assert field.options["lift"] == 0.5 and field.position == (7.0, 8.0) and field.options["velocity"] == (3.0, 4.0)
    before, hash = field.options, world.hash()
    for refused in (
        {"speed": 3}, {"density": -1}, {"density": math.nan}, {"lift": 0.25, "drag": math.inf}, {"area": tombolo.segment((0, 0), (1, 0))},
        {"velocity": "fast"},
    ):
        with pytest.raises(tombolo.TomboloError):
            field.set(**refused)
    assert field.options == before and world.hash() == hash
    for refused in ("storm", "Wind"):
        with pytest.raises(tombolo.TomboloError, match="there are wind, fluid"):
            world.create_field(refused)
    with pytest.raises(tombolo.TomboloError, match="no option 'viscosity'|no option \"viscosity\""):
        world.create_field("wind", viscosity=1.0)
    field.destroy()
    assert world.fields == [other]
    for gone in (lambda: field.options, field.destroy, lambda: field.set(lift=1.0)):
        with pytest.raises(tombolo.TomboloError):
            gone()


def test_the_area_of_a_field_is_where_it_acts():
    world = tombolo.World(gravity=(0, 0))
    inside, outside = world.create_body(position=(10, 0)), world.create_body(position=(10, 4))
    for body in (inside, outside):
        body.add_circle(0.5)
    field = world.create_field("gravity", tombolo.circle(2), position=(10, 0), acceleration=(1, 0))
    world.step(0.1)
    assert inside.velocity[0] > 0 and outside.velocity == (0, 0)
    field.set(area=None)
    world.step(0.1)
    assert outside.velocity[0] > 0
