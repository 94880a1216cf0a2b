"""Worlds of bodies through Python."""

import copy
import math
import os
import pickle
import struct
import subprocess
import sys
import threading

import numpy
import pytest

import tombolo


def falling_box():
    world = tombolo.World()
    ground = world.create_body("static", (0, -1))
    ground.add_box(40, 2)
    box = world.create_body(position=(0, 4), linear_velocity=(1.0, 0.0))
    box.add_box(1, 1, density=2.0, friction=0.3)
    return world, box


def test_a_box_falls_and_comes_to_rest_on_the_ground():
    world, box = falling_box()
    assert (box.kind, box.mass) == ("dynamic", 2.0)
    world.step(1 / 60, 240)
    assert world.step_index == 240
    assert box.position[1] == pytest.approx(0.5, abs=0.01)
    assert not box.is_awake
    assert [body.kind for body in world.bodies] == ["static", "dynamic"]


def test_a_contact_skin_keeps_a_distance():
    world = tombolo.World()
    world.create_body("static", (0, -1)).add_box(40, 2, contact_skin=0.05)
    box = world.create_body(position=(0, 2))
    box.add_box(1, 1, contact_skin=0.1)
    world.step(1 / 60, 240)
    assert box.position[1] == pytest.approx(0.65, abs=0.01)
    with pytest.raises(tombolo.TomboloError, match="contact_skin"):
        box.add_box(1, 1, contact_skin=0.6)


def test_poses_and_velocities_are_rows_that_match_the_bodies():
    world, box = falling_box()
    world.step(1 / 60, 10)
    poses, velocities = world.poses(), world.velocities()
    assert poses.shape == velocities.shape == (2, 3) and poses.dtype == numpy.float32
    assert tuple(poses[1]) == (*box.position, box.angle)
    assert tuple(velocities[1]) == (*box.velocity, box.angular_velocity)
    out = numpy.zeros((2, 3), dtype=numpy.float32)
    assert world.poses(out) is out and (out == poses).all()
    for shape in ((1, 3), (3, 2), (6,)):
        with pytest.raises(tombolo.TomboloError, match=r"expected \[2, 3\]"):
            world.poses(numpy.zeros(shape, dtype=numpy.float32))


def test_rows_are_written_to_arrays_in_any_order():
    world, _ = falling_box()
    world.step(1 / 60, 10)
    whole = numpy.zeros((4, 6), dtype=numpy.float32)
    for out in (numpy.zeros((3, 2), dtype=numpy.float32).T, whole[::2, ::2], whole[1::2, 5:2:-1]):
        assert (world.poses(out) == world.poses()).all()
        assert (world.velocities(out) == world.velocities()).all()
    odd = numpy.zeros(2, dtype=[("flag", numpy.uint8), ("row", numpy.float32, 3)])
    with pytest.raises(tombolo.TomboloError, match="multiples"):
        world.poses(odd["row"])


def test_bodies_have_names_that_change_nothing():
    world, box = falling_box()
    before = world.hash()
    box.name = "box"
    assert world.hash() == before
    named = world.create_body(name="ball")
    assert (box.name, named.name, world.bodies[0].name) == ("box", "ball", "")
    assert [body.name for body in world.fork().bodies] == ["", "box", "ball"]
    with pytest.raises(tombolo.TomboloError, match="31"):
        box.name = "x" * 32
    assert box.name == "box"
    box.name = ""
    assert box.name == ""


def test_saves_forks_pickles_and_copies_have_the_same_future():
    world, _ = falling_box()
    world.step(steps=30)
    save = world.save()
    others = [world.fork(), copy.deepcopy(world), pickle.loads(pickle.dumps(world)), tombolo.World()]
    others[3].restore(save)
    world.step(steps=60)
    for other in others:
        other.step(steps=60)
        assert other.hash() == world.hash()
    world.restore(save)
    assert world.step_index == 30


def test_the_hash_is_the_same_on_every_number_of_threads():
    def run(threads):
        world = tombolo.World(threads=threads)
        world.create_body("static").add_box(100, 1)
        for place in range(200):
            world.create_body(position=(place % 20 - 10, 1 + place // 20)).add_circle(0.45)
        world.step(steps=60)
        return world.hash()

    assert run(1) == run(2) == run(4)


def test_joints_hold_and_motors_turn():
    world = tombolo.World()
    frame = world.create_body("static")
    wheel = world.create_body(position=(1, 0))
    wheel.add_circle(0.5)
    joint = world.create_joint("revolute", frame, wheel, (1, 0), (0, 0), enable_motor=True, motor_speed=2.0, max_motor_torque=100.0)
    world.step(steps=60)
    assert wheel.angular_velocity == pytest.approx(2.0, abs=0.01)
    assert wheel.position == pytest.approx((1, 0), abs=0.01)
    joint.set_motor(-1.0, 100.0)
    world.step(steps=60)
    assert wheel.angular_velocity == pytest.approx(-1.0, abs=0.01)
    joint.destroy()
    world.step(steps=60)
    assert wheel.position[1] < -3
    with pytest.raises(tombolo.TomboloError):
        joint.angle


def test_events_rays_and_boxes_name_the_shapes():
    world, box = falling_box()
    began = []
    for _ in range(120):
        world.step()
        began += world.events()["begin"]
    assert len(began) == 1
    assert {shape.body.kind for shape in began[0]} == {"static", "dynamic"}
    hit = world.cast_ray((box.position[0], 10), (box.position[0], -10))
    assert hit.body == box and hit.normal == pytest.approx((0, 1), abs=1e-5)
    assert hit.point[1] == pytest.approx(1.0, abs=0.02)
    assert world.cast_ray((50, 10), (50, -10)) is None
    assert [shape.body for shape in world.overlap_box((-5, 0.4), (5, 0.6))] == [box]
    for corners in (((math.nan, 0), (1, 1)), ((5, 0.6), (-5, 0.4))):
        with pytest.raises(tombolo.TomboloError):
            world.overlap_box(*corners)


def test_a_half_space_is_ground_without_end():
    world = tombolo.World()
    world.create_body("static").add_half_space((0, 2), (0, 1))
    balls = [world.create_body(position=(x, 4)) for x in (-5000, 0, 5000)]
    for ball in balls:
        ball.add_circle(0.5)
    world.step(1 / 60, 240)
    assert [ball.position[1] for ball in balls] == pytest.approx([2.5] * 3, abs=0.01)


def test_a_heightfield_carries_and_its_holes_do_not():
    world = tombolo.World()
    ground = world.create_body("static")
    segments = ground.add_heightfield([1, 1, 1, 1, 3], spacing=2, origin=(0, 10), after=3, holes=[1], friction=0.9)
    assert len(segments) == 3
    on_ground, over_hole = (world.create_body(position=(x, 12)) for x in (1, 3))
    for ball in (on_ground, over_hole):
        ball.add_circle(0.4)
    world.step(1 / 60, 240)
    assert on_ground.position[1] == pytest.approx(11.4, abs=0.01)
    assert over_hole.position[1] < 0
    hit = world.cast_ray((7, 20), (7, 0))
    assert (hit.shape, hit.point[1]) == (segments[2], pytest.approx(12.0, abs=1e-5))
    before = world.hash()
    for refused, why in [
        (lambda: ground.add_heightfield([1, 1], holes=[1]), "no segment 1"),
        (lambda: ground.add_heightfield([1]), "height"),
        (lambda: ground.add_heightfield([1, float("nan")]), "finite|height"),
        (lambda: ground.add_heightfield([1, 1], spacing=0), "spacing"),
        (lambda: ground.add_half_space(normal=(0, 0)), "normal"),
    ]:
        with pytest.raises(ValueError, match=why):
            refused()
    assert world.hash() == before


def test_what_is_refused_says_why_and_changes_nothing():
    world, box = falling_box()
    before = world.hash()
    for refused, why in [
        (lambda: world.create_body(spin=1), "no option \"spin\""),
        (lambda: world.create_body("ghost"), "ghost"),
        (lambda: world.create_body(position=(float("nan"), 0)), "finite"),
        (lambda: world.create_body(linear_damping=-1), "linear_damping"),
        (lambda: box.add_circle(-1.0), "radius"),
        (lambda: box.add_polygon([(0, 0), (1, 1)]), "polygon|corners|points|vertices"),
        (lambda: world.step(-1.0), "dt"),
        (lambda: world.restore(b"nonsense"), "save"),
        (lambda: world.create_joint("glue", box, box), "glue"),
        (lambda: world.create_joint("weld", box, tombolo.World().create_body()), "another world"),
        (lambda: tombolo.World(substeps=0), "substeps"),
    ]:
        with pytest.raises(tombolo.TomboloError, match=why):
            refused()
    assert world.hash() == before
    box.destroy()
    assert not box.exists
    for stale in (lambda: box.position, box.destroy, lambda: box.apply_impulse((1, 0))):
        with pytest.raises(tombolo.TomboloError):
            stale()


def lets_others_run(call):
    """Whether another Python thread runs while a call does.

    Nobody is made to give Python's lock away here, so the second thread gets it only from a call that gives it away.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        # The second thread may come too late for a short call, but not for all of them.
        for _ in range(20):
            order = []

            def run(order=order):
                order.append("in")
                call()
                order.append("out")

            thread = threading.Thread(target=run)
            thread.start()
            order.append("meanwhile")
            thread.join()
            if order == ["in", "meanwhile", "out"]:
                return True
        return False
    finally:
        sys.setswitchinterval(interval)


def test_another_python_thread_runs_while_a_world_steps():
    world = tombolo.World(sleeping=False)
    world.create_body("static").add_box(100, 1)
    for place in range(400):
        world.create_body(position=(place % 20 - 10, 1 + place // 20)).add_circle(0.45)
    assert lets_others_run(lambda: world.step(steps=50))
    rays = numpy.random.default_rng(0).uniform(-20, 20, (20_000, 2))
    assert lets_others_run(lambda: world.cast_rays((0, 50), rays))
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        assert not lets_others_run(lambda: sum(range(1_000_000))), "a call that keeps the lock is told from one that does not"


def test_another_python_thread_runs_while_a_picture_is_drawn_and_episodes_begin():
    world = tombolo.World()
    world.create_body().add_circle(1.0)
    assert lets_others_run(lambda: world.picture((1200, 1200)))
    scene = """(
        entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
        place: [One(name: "ball", entity: "ball")],
    )"""
    ball = "ball.transform.position.x"
    batch = tombolo.SceneBatch(text=scene, count=200, observe=[ball], act=["ball.body.angular_velocity"], reward=ball)
    assert lets_others_run(lambda: batch.reset(0))
    assert lets_others_run(lambda: [batch.picture(0) for _ in range(5)])
    assert lets_others_run(lambda: [batch.restore(world, batch.save(world)) for world in range(200)])


FORK = """
import gc, os, signal, sys, tombolo

def unraisable(error):
    os._exit(3)

sys.unraisablehook = unraisable
world = tombolo.World(threads=3, sleeping=False)
for place in range(200):
    world.create_body(position=(place % 20, place // 20)).add_circle(0.45)
text = '(entities: {"a": {"b": Body(kind: Dynamic)}}, place: [One(name: "a", entity: "a")])'
scene = tombolo.SceneWorld(text=text, threads=2)
batch = tombolo.SceneBatch(
    text=text, count=8, observe=["a.transform.position"], act=["a.b.angular_velocity"], reward="a.transform.position.x", threads=2,
)

def advance():
    world.step(steps=20)
    scene.step(20)
    batch.reset(0)
    batch.step([[1.0]] * 8)
    world.cast_rays((0, 50), [(place, -9) for place in range(20)])
    return world.hash(), scene.hash(), batch.observations.tobytes()

advance()
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os.write(writer, repr(advance()).encode())
    del world, scene, batch
    gc.collect()
    # Worlds of its own have threads again.
    world = tombolo.World(threads=3)
    world.create_body().add_circle(0.5)
    world.step()
    del world
    os._exit(0)
status = os.waitpid(child, 0)[1]
assert status == 0, status
child = os.fork()
if child == 0:
    # Ends as programs do, with all worlds, none of which it used.
    signal.alarm(60)
    sys.exit(0)
status = os.waitpid(child, 0)[1]
assert status == 0, status
assert os.read(reader, 9999) == repr(advance()).encode()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_forked_process_steps_and_drops_worlds_of_several_threads():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_scenes_have_properties_by_name():
    scene = tombolo.SceneWorld(text="""(
        entities: {
            "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
            "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
        },
        place: [One(name: "ground", entity: "ground"), One(name: "ball", entity: "ball", at: (0, 3))],
    )""")
    assert sorted(scene.names) == ["ball", "ground"] and len(scene) == 2
    scene["ball.body.linear_velocity"] = (3.0, 0.0)
    assert scene["ball.body.linear_velocity"] == (3.0, 0.0)
    save, fork = scene.save(), scene.fork()
    scene.step(60)
    assert scene.pose("ball")[0] > 1.0 and scene.faults == []
    fork.step(60)
    assert fork.hash() == scene.hash()
    scene.restore(save)
    assert scene.pose("ball")[1] == 3.0
    for wrong in ("bell.body.mass", "ball.body.mess"):
        with pytest.raises(tombolo.TomboloError):
            scene[wrong]
    with pytest.raises(tombolo.TomboloError, match="text.ron|scene"):
        tombolo.SceneWorld(text="(entities: 3)")


def test_rules_make_a_conveyor_a_platform_and_ghosts():
    world = tombolo.World()
    belt = world.create_body("static", (0, -1))
    belt.add_box(60, 2, material=1)
    crate = world.create_body(position=(0, 0.5))
    crate.add_box(1, 1, material=2)
    world.set_contact_rule(1, 2, surface_speed=-3.0, friction=1.0)
    world.step(steps=120)
    assert abs(crate.velocity[0]) == pytest.approx(3.0, rel=0.02)
    world.remove_contact_rule(1, 2)
    world.step(steps=120)
    assert crate.velocity[0] == pytest.approx(0.0, abs=0.01)

    plank = world.create_body("static", (20, 3))
    plank.add_box(4, 0.2, material=5)
    world.set_contact_rule(5, None, one_way=(0, 1))
    jumper = world.create_body(position=(20, 0.5), linear_velocity=(0, 9))
    jumper.add_box(0.8, 0.8)
    world.step(steps=180)
    assert jumper.position[1] == pytest.approx(3.5, abs=0.02)

    world.set_category_rule(2, None, ignore=True)
    ghost = world.create_body(position=(-9, 0.5))
    ghost.add_box(1, 1, filter={"category": 2, "mask": 2**64 - 1, "group": 0})
    world.step(steps=90)
    assert ghost.position[1] < -1
    world.remove_category_rule(2, None)
    with pytest.raises(tombolo.TomboloError, match="no 'fricton'"):
        world.set_contact_rule(1, 2, fricton=1.0)
    with pytest.raises(tombolo.TomboloError, match="friction"):
        world.set_contact_rule(1, 2, friction=-1.0)


def test_tiles_carry_are_dug_away_and_tell_their_cells():
    world = tombolo.World()
    ground = world.create_body("static", (-2, 0))
    grid = ground.add_tiles([[1, 1, 1, 1], [0, 0, 2, 1]], ["Full", {"shape": "SlopeUp", "friction": 0.1}])
    ball = world.create_body(position=(-1.5, 2))
    ball.add_circle(0.3)
    world.step(steps=120)
    assert ball.position[1] == pytest.approx(1.3, abs=0.01)
    assert (grid.size, grid[2, 1], grid[0, 1]) == ((4, 2), 2, 0)
    assert grid.cell_at((-1.5, 0.5)) == (0, 0) and grid.cell_at((9, 9)) is None
    assert grid.cell_center(3, 1) == (1.5, 1.5)
    save = world.save()
    grid[0, 0] = 0
    world.step(steps=60)
    assert ball.position[1] < 0
    world.restore(save)
    assert grid[0, 0] == 1
    grid.fill(0, 0, 4, 2, 0)
    assert not world.overlap_box((-9, -9), (9, 0.9))
    with pytest.raises(IndexError, match="no cell"):
        grid[4, 0]
    with pytest.raises(ValueError, match="from 0 to 255"):
        ground.add_tiles([[256]])
    with pytest.raises(ValueError, match="whole numbers"):
        ground.add_tiles([[0.9, 1.7]])
    with pytest.raises(tombolo.TomboloError, match="'fricton'|\"fricton\""):
        ground.add_tiles([[1]], [{"fricton": 0.1}])
    with pytest.raises(tombolo.TomboloError):
        grid[0, 0] = 3
    grid.destroy()
    with pytest.raises(tombolo.TomboloError, match="destroyed"):
        grid.size  # noqa: B018


def test_a_character_walks_up_steps_jumps_and_stops_at_walls():
    world = tombolo.World()
    ground = world.create_body("static")
    ground.add_box(60, 2, (0, -1))
    (step, wall) = (ground.add_box(4, 0.3, (5, 0.15)), ground.add_box(1, 6, (9, 3)))
    hero = world.create_character((0, 1), height=1.8, radius=0.35)

    def run(steps, **wishes):
        for _ in range(steps):
            world.step()
            hero.move(**wishes)

    run(30)
    assert hero.is_grounded and hero.position[1] == pytest.approx(0.9, abs=0.01)
    run(60, walk=4.0)
    assert hero.velocity[0] == pytest.approx(4.0, abs=0.1)
    run(20, walk=4.0)
    assert hero.position[1] == pytest.approx(1.2, abs=0.02) and hero.touches == [step]
    run(1, jump=5.0)
    assert not hero.is_grounded
    run(240, walk=4.0)
    assert hero.position[0] == pytest.approx(8.15, abs=0.02) and wall in hero.touches
    fork = world.fork()
    twin = hero.fork(fork)
    run(10, walk=-3.0)
    for _ in range(10):
        fork.step()
        twin.move(walk=-3.0)
    assert twin.position == hero.position and not hero.is_crushed
    hero.position = (0, 5)
    assert hero.position == (0, 5) and not hero.is_grounded
    with pytest.raises(tombolo.TomboloError, match="slope_max"):
        world.create_character(slope_max=7.0)
    with pytest.raises(tombolo.TomboloError, match="stepheight"):
        world.create_character(stepheight=1.0)


@pytest.mark.parametrize("up", [(0, 1), (1, 0), (0, -1), (0.6, 0.8)])
def test_a_character_is_as_high_as_it_says_along_its_up(up):
    world = tombolo.World(gravity=(-10 * up[0], -10 * up[1]))
    world.create_body("static", (-up[0], -up[1]), angle=math.atan2(up[1], up[0])).add_box(2, 60)
    hero = world.create_character((3 * up[0], 3 * up[1]), height=2.4, radius=0.3, up=up)
    for _ in range(90):
        world.step()
        hero.move()
    x, y = hero.position
    assert hero.is_grounded and x * up[0] + y * up[1] == pytest.approx(1.2, abs=0.01)


def test_copies_of_a_character_move_alone_or_with_a_copy_of_their_world():
    world = tombolo.World()
    world.create_body("static").add_box(20, 1)
    hero = world.create_character((0, 2))
    shallow, (other_world, other) = copy.copy(hero), copy.deepcopy((world, hero))
    assert shallow.world is world and other.world is other_world is not world
    for _ in range(60):
        world.step()
        hero.move(walk=2.0)
    assert shallow.position == other.position == (0, 2)
    for _ in range(60):
        other_world.step()
        other.move(walk=2.0)
    assert other.position == hero.position and other.is_grounded


def test_a_joints_options_that_are_left_out_are_the_engines_own():
    world = tombolo.World()
    bodies = world.create_body("static"), world.create_body()
    greatest = struct.pack("<f", 3.4028234663852886e38)
    # Bodies without shapes have the greatest number as an extent.
    before = world.save().count(greatest)
    world.create_joint("revolute", *bodies)
    save = world.save()
    # A joint without thresholds has infinite ones, in Rust and JavaScript too: the hashes of their worlds are the same.
    assert struct.pack("<2f", math.inf, math.inf) in save
    assert save.count(greatest) == before


@pytest.mark.parametrize("gymnasium", ["", "raise RuntimeError('broken')", "registry = {}\n__version__ = '1.0.0'"])
def test_worlds_need_no_gymnasium_that_can_be_used(tmp_path, gymnasium):
    for name in ("", "vector"):
        (tmp_path / "gymnasium" / name).mkdir(exist_ok=True)
        (tmp_path / "gymnasium" / name / "__init__.py").write_text(gymnasium)
    (tmp_path / "gymnasium" / "spaces.py").write_text("")
    run = [sys.executable, "-W", "always", "-c", "import tombolo; tombolo.World()"]
    done = subprocess.run(run, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no environments are registered" in done.stderr


def test_a_star_imports_what_needs_numpy_alone(tmp_path):
    for name in ("gymnasium", "pettingzoo"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('none')")
    code = "from tombolo import *; import tombolo; World(); assert 'SceneEnv' in dir(tombolo) and 'sweep' in dir(tombolo)"
    run = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(run, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with pytest.raises(AttributeError, match="SceneEnvironment"):
        tombolo.SceneEnvironment  # noqa: B018


def test_environments_say_which_gymnasium_they_need(tmp_path):
    (tmp_path / "gymnasium" / "vector").mkdir(parents=True)
    register = "__version__ = '1.0.0'\nregistry = {}\ndef register(id, **about): registry[id] = about\nfrom . import spaces"
    (tmp_path / "gymnasium" / "__init__.py").write_text(register)
    (tmp_path / "gymnasium" / "spaces.py").write_text("")
    (tmp_path / "gymnasium" / "vector" / "__init__.py").write_text("class VectorEnv: ...")
    run = [sys.executable, "-W", "error", "-c", "import tombolo; tombolo.World(); import tombolo.environments"]
    done = subprocess.run(run, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert "need Gymnasium 1.2 to 1.4, and 1.0.0 is installed" in done.stderr
