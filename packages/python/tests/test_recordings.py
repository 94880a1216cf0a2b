"""Recordings: the calls of a world, played again to the same bits."""

import base64
import copy
import html
import json
import os
import pickle
import random
import re
import subprocess
import zlib

import numpy
import pytest

import tombolo

SCENE = """(
    settings: (seed: 5),
    actions: {"kick": (keys: ["KeyK"])},
    scripts: {"jump": "fn on_tick(s) { if random(0.0, 1.0) < 0.1 { me().set(\\"body.linear_velocity\\", vec2(0.0, 3.0)); } }"},
    entities: {
        "ground": {"body": Body(kind: Static), "top": Collider(shape: Box(width: 40, height: 2))},
        "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "mind": Script(name: "jump")},
    },
    place: [One(name: "ground", entity: "ground", at: (0, -1)), One(name: "ball", entity: "ball", at: (0, 3))],
)"""


def busy_steps(world, steps):
    """Random calls of many kinds, some of which are refused."""
    chance = random.Random(7)
    ground = world.create_body("static", (0, -1))
    ground.add_box(40, 2)
    hero = world.create_character((-5, 2))
    bodies = []
    for step in range(steps):
        if step % 7 == 0:
            bodies.append(world.create_body(position=(chance.uniform(-5, 5), 5), angular_velocity=chance.uniform(-3, 3)))
            shape = bodies[-1].add_box(1, chance.uniform(0.5, 1), density=2.0)
            shape.friction = chance.random()
        if step % 11 == 10:
            world.create_joint("distance", *chance.sample(bodies, 2), length=chance.uniform(1, 3))
        if step % 13 == 12:
            bodies.pop(chance.randrange(len(bodies) - 1)).destroy()
        if step == 20:
            world.gravity = (1.0, -9.0)
            world.set_contact_rule(0, None, friction=0.1)
            ground.add_tiles([[1, 0, 1]], origin=(3, 1))[1, 0] = 1
            with pytest.raises(tombolo.TomboloError):
                bodies[0].position = (float("nan"), 0.0)
        if step == 30:
            world.restore(world.save())
        bodies[0].apply_impulse((chance.uniform(-1, 1), 0.5))
        world.step(1 / 50)
        hero.move(walk=2.0, dt=1 / 50)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_recording_gives_the_same_hash_in_each_step(threads):
    world = tombolo.World(threads=threads)
    assert not world.is_recording
    world.start_recording(hash_steps=1)
    assert world.is_recording
    # A character moves after the step: what it changes in the world is part of the next one.
    busy_steps(world, 60)
    recording = world.end_recording()
    assert not world.is_recording and recording.is_whole and not recording.is_of_scene and len(recording) == 60
    for played in (recording.play(), recording.play(threads=3), tombolo.Recording(bytes(recording)).play()):
        assert played.first_difference is None
        assert isinstance(played.world, tombolo.World) and played.world.hash() == world.hash()
        assert (played.world.poses() == world.poses()).all() and played.world.step_index == 60
    # And it goes on as the original does.
    played.world.step(steps=10)
    world.step(steps=10)
    assert played.world.hash() == world.hash()


def test_hashes_are_those_after_each_step():
    world, hashes = tombolo.World(), []
    box = world.create_body(position=(0, 4))
    box.add_box(1, 1)
    world.start_recording()
    for step in range(40):
        if step == 9:
            box.velocity = (1, 2)
        world.step()
        hashes.append(world.hash())
    recording = world.recording
    assert recording.hashes().tolist() == hashes and recording.hashes().dtype == numpy.uint64
    assert recording.hashes(10, 15, threads=2).tolist() == hashes[10:15]
    assert recording.hashes(40).tolist() == []
    assert [recording.at(step).hash() for step in (1, 20, 40)] == [hashes[0], hashes[19], hashes[39]]
    # It goes on.
    assert not recording.is_whole and world.is_recording
    world.step()
    assert len(world.end_recording()) == 41 and len(recording) == 40


def test_a_world_of_entities_is_recorded_with_its_scripts_and_inputs():
    world = tombolo.SceneWorld(text=SCENE, seed=9)
    world.start_recording(hash_steps=5, key_frame_steps=20)
    hashes = []
    for step in range(60):
        if step == 10:
            world["ball.body.linear_velocity"] = (2, 5)
            world.set_action("kick", 1)
        if step == 20:
            other = world.spawn("ball", (3, 6), set={"body.gravity_scale": 0.5})
        if step == 40:
            other.destroy()
        world.step()
        hashes.append(world.hash())
    recording = world.end_recording()
    assert recording.is_of_scene and len(recording) == 60
    played = recording.play(threads=2)
    assert played.first_difference is None and isinstance(played.world, tombolo.SceneWorld)
    assert played.world.hash() == world.hash() and played.world["ball.transform.position"] == world["ball.transform.position"]
    assert recording.hashes().tolist() == hashes
    assert recording.at(45).hash() == hashes[44]
    played.world.step(5)
    world.step(5)
    assert played.world.hash() == world.hash() == copy.deepcopy(played.world).hash()
    with pytest.raises(tombolo.TomboloError, match="pickle the recording"):
        pickle.dumps(played.world)
    with pytest.raises(tombolo.TomboloError, match="in its recording"):
        played.world.seed  # noqa: B018


def test_parts_that_are_taken_make_the_file():
    world, parts = tombolo.World(), []
    world.create_body(position=(0, 4)).add_circle(0.5)
    world.start_recording()
    for _ in range(5):
        world.step(steps=10)
        parts.append(world.take_recording())
    crashed = tombolo.Recording(b"".join(parts))
    assert len(crashed) == 50 and not crashed.is_whole and "without its end" in repr(crashed)
    for refused in (lambda: world.recording, world.end_recording):
        with pytest.raises(tombolo.TomboloError, match="put one after another"):
            refused()
    parts.append(world.take_recording(end=True))
    whole = tombolo.Recording(b"".join(parts))
    assert whole.is_whole and not world.is_recording and whole.play().world.hash() == world.hash()
    # A new one begins with what there is.
    world.start_recording()
    world.step()
    assert world.end_recording().play().world.hash() == world.hash()


def test_copies_of_a_world_are_not_recorded():
    world = tombolo.World()
    world.create_body().add_circle(0.5)
    world.start_recording()
    world.step()
    copies = [world.fork(), copy.copy(world), pickle.loads(pickle.dumps(world))]
    for other in copies:
        assert not other.is_recording
        other.step(steps=3)
    assert len(world.recording) == 1
    assert pickle.loads(pickle.dumps(world.recording)).play().world.hash() == world.hash()


def test_a_recording_is_a_file_that_the_command_plays(tmp_path):
    world = tombolo.SceneWorld(text=SCENE)
    world.start_recording()
    world.step(30)
    path = tmp_path / "run.rec"
    world.end_recording().write(path)
    assert len(tombolo.Recording.open(path)) == 30
    if (command := os.environ.get("TOMBOLO_COMMAND")) is None:
        pytest.skip("no TOMBOLO_COMMAND: the command does not play the file")
    done = subprocess.run([command, "replay", path], capture_output=True, text=True, check=True)
    assert f"after step 30: state {world.hash():016x}, as recorded" in done.stdout


def parts_of(page):
    """The manifest of a page, and the page without it."""
    packed = re.search(r'id="manifest">([^<]*)<', page)
    manifest = json.loads(zlib.decompress(base64.b64decode(packed[1]), -zlib.MAX_WBITS))
    return manifest, page.replace(packed[1], "")


def without_times(page):
    """A page without the times of its making, which no two have alike."""
    manifest, page = parts_of(page)
    for times in ("step_us", "stage_us"):
        del manifest["figures"][times]
    return manifest, page


def test_the_page_has_the_times_of_the_stages():
    world = tombolo.World()
    world.start_recording()
    busy_steps(world, 40)
    figures = parts_of(world.end_recording().page(5, 40))[0]["figures"]
    stages = numpy.array(figures["stage_us"])
    assert len(figures["step_us"]) == len(stages) == 36 and any(figures["step_us"][1:])
    assert stages[1:].any()


def test_the_page_says_where_the_recording_is_not_what_it_was():
    worlds = [tombolo.World(), tombolo.World(gravity=(0, -5))]
    for world in worlds:
        world.start_recording(hash_steps=5)
        busy_steps(world, 20)
    begun, begun_otherwise = [world.take_recording() for world in worlds]
    assert parts_of(tombolo.Recording(begun).page())[0]["remarks"] == ["The recording has 20 steps, cut off after that."]
    for world in worlds:
        world.step()
    ended, ended_otherwise = [world.take_recording(end=True) for world in worlds]
    for whole in (begun + ended, begun_otherwise + ended_otherwise):
        assert "remarks" not in parts_of(tombolo.Recording(whole).page())[0]
    # The hashes of one world after the calls of another, as if this engine were not that which recorded.
    other = tombolo.Recording(begun + ended_otherwise)
    agreed, differs = other.play().first_difference
    said = f"as recorded after step {agreed}, not after step {differs}."
    (remark,) = parts_of(other.page())[0].get("remarks", [])
    assert remark == f"This version of Tombolo differs from the recording: {said}"
    # A part that ends before it does not differ.
    assert parts_of(other.page(0, 10))[0].get("remarks") is None


def test_the_page_has_every_step_and_needs_nothing_else():
    world = tombolo.SceneWorld(text=SCENE)
    world.start_recording()
    world.step(30)
    recording = world.recording
    page = recording.page(name="a < b")
    assert page.startswith("<!") and "<title>a &lt; b · Tombolo</title>" in page
    assert not re.search(r"src=\"|https?://(?!www\.w3\.org/2000/svg)", page)
    assert len(recording.page(10, 20)) < len(page)
    # A notebook has it in a frame that can do nothing outside of itself.
    shown = world._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and shown.count("<") == 2
    again = html.unescape(recording._repr_html_())
    assert without_times(again) == without_times(html.unescape(shown))
    # What is not recorded is shown as a picture.
    world.end_recording()
    assert world._repr_html_() is None and world._repr_png_()[1:4] == b"PNG"
    # A recording without a step has a page with its beginning.
    empty = tombolo.World()
    empty.start_recording()
    assert "manifest" in empty.end_recording().page()


def test_what_is_refused_says_why():
    world = tombolo.World()
    for refused in (lambda: world.recording, world.take_recording, world.end_recording):
        with pytest.raises(tombolo.TomboloError, match="start_recording begins that"):
            refused()
    world.create_body().add_circle(0.5)
    world.start_recording(hash_steps=1)
    world.step(steps=20)
    recording = world.end_recording()
    for refused in (lambda: recording.play(21), lambda: recording.at(21), lambda: recording.hashes(0, 21)):
        with pytest.raises(tombolo.TomboloError, match="there is no step 21: the recording has 20"):
            refused()
    with pytest.raises(tombolo.TomboloError, match="is before the start"):
        recording.page(10, 9)
    with pytest.raises(OverflowError):
        recording.at(-1)
    with pytest.raises(TypeError):
        tombolo.Recording("run.rec")
    for data in (b"", b"no recording", world.save()):
        with pytest.raises(tombolo.TomboloError):
            tombolo.Recording(data)
    chance = random.Random(3)
    for _ in range(200):
        forged = bytearray(bytes(recording))
        forged[chance.randrange(len(forged))] ^= 1 << chance.randrange(8)
        try:
            other = tombolo.Recording(bytes(forged))
            played = other.play()
        except tombolo.TomboloError:
            continue
        # A block with a wrong checksum ends what can be read.
        assert len(other) <= 20 and played.world.step_index == len(other)
