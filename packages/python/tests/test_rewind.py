"""Rings of frames: back to a moment, and questions about it."""

import pytest

import tombolo

SCENE = """(
    scripts: {"jump": "fn on_tick(s) { if random(0.0, 1.0) < 0.2 { me().set(\\"body.linear_velocity\\", vec2(0.0, 3.0)); } }"},
    entities: {
        "ground": {"body": Body(kind: Static), "top": Collider(shape: Box(width: 40, height: 2))},
        "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "mind": Script(name: "jump")},
    },
    place: [One(name: "ground", entity: "ground", at: (0, -1)), One(name: "ball", entity: "ball", at: (0, 3))],
)"""


def ball_world():
    world = tombolo.World()
    floor = world.create_body("static")
    floor.add_box(20.0, 1.0)
    ball = world.create_body(position=(0.0, 10.0))
    ball.add_circle(0.5, restitution=0.5)
    return world, ball


def scene_world():
    return tombolo.SceneWorld(text=SCENE), None


@pytest.mark.parametrize("make", [ball_world, scene_world], ids=["world", "scene"])
def test_steps_after_a_frame_are_made_again_to_the_same_bits(make):
    world, _ = make()
    ring = tombolo.Rewind(world)
    frames, hashes = [], []
    for _ in range(60):
        frames.append(ring.save())
        hashes.append(world.hash())
        world.step()
    end = world.hash()
    assert [frame.number for frame in frames] == list(range(60)) and ring.frames == frames and len(ring) == 60
    for back in (59, 30, 30, 1):
        ring.restore(frames[back])
        assert world.hash() == hashes[back] and ring.frames == frames[: back + 1]
        world.step(steps=60 - back)
        assert world.hash() == end
    # The future that did not come.
    before = world.hash()
    with pytest.raises(tombolo.TomboloError, match="future that was dropped"):
        ring.restore(frames[30])
    assert world.hash() == before
    later = ring.save()
    assert later.number == 60 and later not in frames and ring.frames == [frames[0], frames[1], later]


@pytest.mark.parametrize("make", [ball_world, scene_world], ids=["world", "scene"])
def test_the_past_is_asked_and_forked_while_the_world_stays(make):
    world, _ = make()
    ring = tombolo.Rewind(world)
    first = ring.save()
    hash_of_first = world.hash()
    world.step(steps=20)
    second = ring.save()
    world.step(steps=20)
    now = world.hash()
    past = ring.ask(first)
    assert type(past) is type(world) and past.hash() == hash_of_first and world.hash() == now
    assert ring.ask(second) is past and past.hash() != hash_of_first
    # What is done to the answer is not done to the frame.
    asked = past.hash()
    past.step(steps=5)
    assert past.hash() != asked and ring.ask(second).hash() == asked
    fork = ring.fork(second)
    assert fork is not past and len(ring) == 2
    fork.step(steps=20)
    assert fork.hash() == now == world.hash()
    ring.restore(second)
    world.step(steps=20)
    assert world.hash() == now


def test_ids_of_the_moment_are_valid_again():
    world, ball = ball_world()
    ring = tombolo.Rewind(world)
    frame = ring.save()
    world.step(steps=30)
    assert ring.ask(frame).overlap_point((0.0, 10.0)) and not world.overlap_point((0.0, 10.0))
    ball.destroy()
    other = world.create_body(position=(3.0, 3.0))
    ring.restore(frame)
    assert ball.exists and ball.position == (0.0, 10.0) and not other.exists


def test_the_oldest_frames_make_room():
    world, _ = ball_world()
    ring = tombolo.Rewind(world, frames_max=3)
    frames = []
    for _ in range(5):
        frames.append(ring.save())
        world.step()
    assert ring.frames == frames[2:]
    before = world.hash()
    for gone in frames[:2]:
        for call in (ring.restore, ring.ask, ring.fork):
            with pytest.raises(tombolo.TomboloError, match="made room for newer ones; the oldest is 2"):
                call(gone)
    assert world.hash() == before
    # A frame more costs less than a first one.
    sparse = tombolo.Rewind(world)
    sparse.save()
    one = sparse.bytes
    for _ in range(9):
        sparse.save()
    assert sparse.bytes == one > 0
    for _ in range(9):
        world.step()
        sparse.save()
    assert one < sparse.bytes < 10 * one
    small = tombolo.Rewind(world, bytes_max=1)
    small.save()
    newest = small.save()
    assert small.frames == [newest]
    small.clear()
    assert len(small) == 0 and small.bytes == 0
    with pytest.raises(tombolo.TomboloError):
        small.restore(newest)


def test_frames_belong_to_their_ring():
    world, _ = ball_world()
    one, two = tombolo.Rewind(world), tombolo.Rewind(world)
    frame, other = one.save(), two.save()
    assert frame.number == other.number == 0 and frame != other and frame == one.frames[0] and len({frame, one.frames[0]}) == 1
    with pytest.raises(tombolo.TomboloError, match="another ring"):
        two.restore(frame)
    for limit in ("frames_max", "bytes_max"):
        with pytest.raises(tombolo.TomboloError, match=f"{limit} is -1, expected a number from 0"):
            tombolo.Rewind(world, **{limit: -1})


def test_what_is_recorded_while_it_is_rewound_plays_again():
    world, ball = ball_world()
    world.start_recording(hash_steps=1)
    ring = tombolo.Rewind(world)
    world.step(steps=10)
    frame = ring.save()
    world.step(steps=10)
    ring.restore(frame)
    ball.velocity = (3.0, 0.0)
    world.step(steps=10)
    recording = world.end_recording()
    played = recording.play()
    assert played.first_difference is None and played.world.hash() == world.hash()
