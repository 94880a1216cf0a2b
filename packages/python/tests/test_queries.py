"""Rays, moved shapes, overlaps and the closest shape, in worlds of bodies and of scenes; pictures."""

import math
import struct
import zlib

import numpy
import pytest

import tombolo


def three_balls(**options):
    """A row of balls at x = 2, 5 and 8, the last one a sensor."""
    world = tombolo.World(gravity=(0, 0), **options)
    balls = [world.create_body("static", (x, 0)) for x in (2, 5, 8)]
    for number, ball in enumerate(balls):
        ball.add_circle(1.0, sensor=number == 2, filter={"category": 1 << number, "mask": 2**64 - 1, "group": 0})
    return world, balls


def test_filters_leave_out_what_they_say():
    world, balls = three_balls()
    ends = ((0, 0), (20, 0))
    found = lambda **filter: [hit.body for hit in world.cast_ray_all(*ends, **filter)]  # noqa: E731
    assert found() == balls[:2]
    assert found(sensors=True) == balls
    assert found(mask=0b10) == [balls[1]]
    assert found(exclude=[balls[0]]) == [balls[1]] == found(exclude=balls[0].shapes)
    assert world.cast_ray(*ends, exclude=balls) is None
    assert world.cast_ray(*ends).fraction == pytest.approx(1 / 20)
    with pytest.raises(tombolo.TomboloError, match="no 'colour'"):
        found(colour=3)
    with pytest.raises(tombolo.TomboloError, match="cannot exclude"):
        found(exclude=[tombolo.World().create_body()])
    with pytest.raises(tombolo.TomboloError):
        world.cast_ray((0, 0), (math.nan, 0))


@pytest.mark.parametrize("threads", [1, 3])
def test_many_rays_hit_what_single_ones_do(threads):
    world, balls = three_balls(threads=threads)
    random = numpy.random.default_rng(3)
    ends = random.uniform(-10, 10, (500, 2)).astype(numpy.float32)
    starts = random.uniform(-10, 10, (500, 2)).astype(numpy.float32)
    for start in (starts, (0, 0)):
        hits = world.cast_rays(start, ends, exclude=[balls[0]])
        firsts = numpy.broadcast_to(numpy.asarray(start, dtype=numpy.float32), ends.shape)
        count = 0
        for ray in range(len(ends)):
            single = world.cast_ray(firsts[ray], ends[ray], exclude=[balls[0]])
            assert hits.hit[ray] == (single is not None)
            if single is None:
                assert hits.fraction[ray] == 1 and (hits.point[ray] == ends[ray]).all() and hits.shape[ray] == 0
            else:
                count += 1
                assert (hits.body[ray], hits.shape[ray]) == (single.body.id, single.shape.id)
                assert hits.fraction[ray] == single.fraction and tuple(hits.normal[ray]) == single.normal
        assert 5 < count < 495
    assert world.cast_rays(numpy.zeros((0, 2)), numpy.zeros((0, 2))).hit.shape == (0,)
    for wrong in (numpy.zeros((3, 3)), numpy.zeros(3)):
        with pytest.raises(ValueError):
            world.cast_rays(wrong, wrong)
    with pytest.raises(tombolo.TomboloError):
        world.cast_rays((0, 0), [(math.inf, 0)])


def test_moved_shapes_overlaps_and_the_closest_one():
    world, balls = three_balls()
    hit = world.cast_shape(tombolo.circle(0.5), (-3, 0), (20, 0))
    assert hit.body == balls[0] and hit.fraction == pytest.approx(3.5 / 20, abs=1e-3)
    assert hit.normal == pytest.approx((-1, 0), abs=1e-3)
    assert world.cast_shape(tombolo.box(1, 1), (-3, 3), (20, 0)) is None
    assert [hit.body for hit in world.cast_shape_all(tombolo.box(1, 1), (-3, 0), (20, 0))] == balls[:2]
    turned = tombolo.capsule((-2, 0), (2, 0), 0.1)
    assert world.overlap_shape(turned, (3.5, 0)) == [*balls[0].shapes, *balls[1].shapes]
    assert world.overlap_shape(turned, (3.5, 0), angle=math.pi / 2) == []
    assert world.overlap_shape(tombolo.polygon([(4, -1), (6, -1), (5, 3)])) == balls[1].shapes
    assert world.overlap_shape(tombolo.segment((4, 0.5), (6, 0.5))) == balls[1].shapes
    assert world.overlap_point((8, 0)) == [] and world.overlap_point((8, 0), sensors=True) == balls[2].shapes
    near = world.closest((3.6, 0), 5.0)
    assert near.body == balls[1] and near.fraction == pytest.approx(0.4) and near.point == pytest.approx((4, 0))
    assert near.normal == pytest.approx((-1, 0))
    assert world.closest((3.5, 9), 2.0) is None
    with pytest.raises(tombolo.TomboloError, match="radius"):
        world.overlap_shape(tombolo.circle(-1.0))


def test_queries_of_scenes_name_entities():
    scene = tombolo.SceneWorld(text="""(
        entities: {
            "ball": {"body": Body(kind: Static), "skin": Collider(shape: Circle(radius: 1))},
        },
        place: [One(name: "a", entity: "ball", at: (2, 0)), One(name: "b", entity: "ball", at: (5, 0))],
    )""")
    hit = scene.cast_ray((0, 0), (10, 0))
    assert (hit.entity.name, hit.component) == ("a", "skin") and hit.point == pytest.approx((1, 0))
    a, b = scene.find("a"), scene.find("b")
    assert scene.cast_ray((0, 0), (10, 0), exclude=[a]).entity == b
    assert [hit.entity for hit in scene.cast_ray_all((0, 0), (10, 0))] == [a, b]
    assert scene.overlap_shape(tombolo.circle(0.5), (4, 0)) == [b] == scene.overlap_box((4, -1), (5, 1))
    assert scene.closest((0, 0), 9).entity == a and scene.overlap_point((2, 0)) == [a]
    hits = scene.cast_rays((0, 0), [(10, 0), (0, 10)])
    assert hits.hit.tolist() == [True, False] and hits.fraction[0] == pytest.approx(0.1)
    assert scene.cast_shape(tombolo.circle(0.5), (0, 0), (10, 0)).fraction == pytest.approx(0.05, abs=1e-3)
    with pytest.raises(tombolo.TomboloError, match="no entity"):
        scene.cast_ray((0, 0), (1, 0), exclude=["a"])


def test_pictures_have_the_bodies_where_they_are_and_png_files_the_same_pixels():
    world, _ = three_balls()
    picture = world.picture((200, 100), center=(5, 0), pixels_per_meter=20)
    assert picture.shape == (100, 200, 3) and picture.dtype == numpy.uint8
    at = lambda x, y: picture[int(50 - 20 * y), int(100 + 20 * (x - 5))].tolist()  # noqa: E731
    sky = at(0.5, 2)
    assert at(2, 0.5) == at(5, 0.5) != sky and at(3.5, 0) == sky == at(9.5, 2)
    whole = world.picture()
    assert whole.shape == (400, 600, 3) and (whole != whole[0, 0]).any()
    file = world.png((200, 100), center=(5, 0), pixels_per_meter=20)
    assert file[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", file[16:24]) == (200, 100)
    length = struct.unpack(">I", file[33:37])[0]
    rows = numpy.frombuffer(zlib.decompress(file[41 : 41 + length]), dtype=numpy.uint8).reshape(100, 601)
    assert (rows[:, 0] == 0).all() and (rows[:, 1:].reshape(100, 200, 3) == picture).all()
    assert zlib.crc32(file[37 : 41 + length]) == struct.unpack(">I", file[41 + length : 45 + length])[0]
    assert world._repr_png_()[:4] == b"\x89PNG"
    for wrong in ({"size": (0, 10)}, {"size": (5000, 10)}, {"pixels_per_meter": -1.0}):
        with pytest.raises(tombolo.TomboloError):
            world.picture(**wrong)
    empty = tombolo.World().picture()
    assert (empty == empty[0, 0]).all(), "nothing is there to see"


def test_a_picture_of_a_half_space_alone_shows_its_line():
    world = tombolo.World()
    world.create_body("static", (100, 40)).add_half_space((0, 10), (0, 1))
    picture = world.picture((60, 40))
    assert (picture[:15] == picture[0, 0]).all() and (picture[25:] == picture[-1, -1]).all()
    assert (picture[0, 0] != picture[-1, -1]).any(), "sky above, ground below"
    world.create_body("static").add_box(2, 2)
    assert (world.picture((60, 40)) == world.picture((60, 40), center=(0, 0))).all(), "beside others it does not count"


def test_a_wrong_filter_names_its_option():
    world, balls = three_balls()
    for wrong in (balls[0], None, 3):
        with pytest.raises(tombolo.TomboloError, match="exclude is a list"):
            world.overlap_point((2, 0), exclude=wrong)
    for name in ("mask", "category"):
        for bits in (-1, 2**64, 0.5, "1"):
            with pytest.raises(tombolo.TomboloError, match=f"{name} is a whole number from 0"):
                world.overlap_point((2, 0), **{name: bits})
    assert len(world.overlap_point((2, 0), mask=numpy.uint64(2**64 - 1))) == 1


def test_a_characters_own_body_is_of_its_world():
    world, other = tombolo.World(), tombolo.World()
    with pytest.raises(tombolo.TomboloError, match="another world"):
        world.create_character(body=other.create_body("kinematic"))
    world.create_character(body=world.create_body("kinematic"))


def test_a_tile_may_have_corners():
    for corners in ([(0, 0), (1, 0), (1, 1)], numpy.array([[0, 0], [1, 0], [1, 1]], dtype=numpy.float32)):
        world = tombolo.World()
        world.create_body("static").add_tiles([[1]], [{"shape": corners, "friction": 0.1}])
        assert [len(world.overlap_point(point)) for point in ((0.9, 0.5), (0.5, 0.9))] == [1, 0]
