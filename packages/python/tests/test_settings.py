"""What bodies, shapes and joints are after their creation, and the events of joints, hits and sleep."""

import math

import numpy
import pytest

import tombolo

KINDS = (
    "revolute", "distance", "prismatic", "weld", "wheel", "motor", "filter", "generic", "gear", "rack", "pulley", "mover",
    "pogo",
)  # fmt: skip


def ball_on(world, position=(0.0, 4.0), **options):
    ball = world.create_body(position=position, **options)
    ball.add_circle(0.5)
    return ball


def ground_of(world):
    ground = world.create_body("static", (0, -1))
    ground.add_box(60, 2)
    return ground


def test_settings_of_bodies_are_read_as_set_and_act():
    world = tombolo.World(gravity=(0, -10))
    ball = ball_on(world, (0, 50), linear_velocity=(4.0, 0.0))
    settings = {
        "linear_damping": 0.5, "angular_damping": 0.25, "gravity_scale": 0.0, "sleep_threshold": 0.125, "bullet": True,
        "fast_rotation": True, "fixed_rotation": True, "may_sleep": False, "user_key": 2**63 + 5, "enabled": True,
        "fixed_y": True, "fixed_x": False, "dominance": -3, "extra_substeps": 2, "added_mass": 0.0, "spin_max": 50.0,
        "speed_max": 90.0, "lasting_force": (0.0, 0.0), "lasting_torque": 0.0,
    }  # fmt: skip
    for name, value in settings.items():
        setattr(ball, name, value)
    assert {name: getattr(ball, name) for name in settings} == settings
    world.step(steps=60)
    assert ball.position[1] == 50.0 and ball.velocity[0] == pytest.approx(4 * math.exp(-0.5), rel=0.02)
    ball.apply_angular_impulse(3.0)
    assert ball.angular_velocity == 0.0, "its rotation is fixed"
    ball.fixed_rotation = False
    ball.apply_angular_impulse(3.0)
    assert ball.angular_velocity == pytest.approx(3.0 / ball.moment)
    x, y = ball.position
    assert ball.center_of_gravity == (x, y)
    assert ball.velocity_at_world_point((x, y + 2))[0] == pytest.approx(ball.velocity[0] - 2 * ball.angular_velocity)
    ball.kind = "kinematic"
    ball.move_to((x + 1, y), 0.0, dt=0.5)
    assert ball.kind == "kinematic" and ball.velocity[0] == pytest.approx(2.0)
    before = world.hash()
    for name, value in (("linear_damping", -1.0), ("kind", "ghost"), ("bullet", "yes"), ("gravity_scale", math.nan)):
        with pytest.raises(tombolo.TomboloError):
            setattr(ball, name, value)
    assert world.hash() == before
    ball.enabled = False
    assert not ball.enabled and world.overlap_point((x, y)) == []


def test_a_half_space_stays_on_bodies_that_are_not_dynamic():
    world = tombolo.World()
    wall = world.create_body("kinematic")
    wall.add_half_space((0, 0), (0, 1))
    before = world.hash()
    with pytest.raises(tombolo.TomboloError):
        wall.kind = "dynamic"
    assert wall.kind == "kinematic" and world.hash() == before
    wall.kind = "static"
    assert wall.kind == "static"


def test_infinite_options_are_taken_where_the_engine_has_them_and_what_is_no_number_nowhere():
    world = tombolo.World(gravity=(0, 0))
    a, b = world.create_body(), world.create_body(position=(2, 0))
    joint = world.create_joint("revolute", a, b, force_threshold=math.inf, torque_threshold=3.0)
    joint.set(local_anchor_a=numpy.array([1.0, 0.0]), torque_threshold=numpy.float32("inf"), force_threshold=4.0)
    options = joint.options
    assert options["local_anchor_a"] == [1.0, 0.0]
    assert (options["torque_threshold"], options["force_threshold"]) == (math.inf, 4.0)
    before = world.hash()
    for wrong in (
        lambda: setattr(b, "speed_max", numpy.float32("inf")),
        lambda: setattr(b, "dominance", math.inf),
        lambda: setattr(b, "linear_damping", math.inf),
        lambda: setattr(b, "speed_max", None),
        lambda: setattr(b, "lasting_force", (math.inf, 0.0)),
        lambda: setattr(b, "lasting_force", numpy.array([numpy.nan, 0.0])),
        lambda: world.create_body(position=(math.inf, 0.0)),
        lambda: world.create_body(speed_max=math.nan),
        lambda: a.add_circle(1.0, density=math.inf),
        lambda: a.add_circle(1.0, friction=-math.inf),
        lambda: joint.set(force_threshold=numpy.float32("nan")),
        lambda: joint.set(local_anchor_a=numpy.array([math.inf, 0.0])),
        lambda: joint.set(constraint_hertz=math.inf),
        lambda: joint.set(force_threshold=-math.inf),
        lambda: world.set_contact_rule(1, 2, friction=math.inf),
        lambda: world.create_character(step_height=math.inf),
        lambda: tombolo.World(gravity=(0.0, -math.inf)),
    ):
        with pytest.raises(tombolo.TomboloError):
            wrong()
    assert world.hash() == before and joint.options == options


def test_a_lasting_force_pushes_in_every_step_and_sleep_ends_all_motion():
    world = tombolo.World(gravity=(0, 0))
    ball = ball_on(world, (0, 0))
    ball.lasting_force = (ball.mass * 2.0, 0.0)
    world.step(steps=60)
    assert ball.velocity[0] == pytest.approx(2.0, rel=0.01)
    ball.lasting_force = (0, 0)
    assert ball.sleep() and not ball.is_awake and ball.velocity == (0.0, 0.0)
    ball.wake()
    assert ball.is_awake
    ball.may_sleep = False
    assert not ball.sleep()


def test_gravity_can_be_turned():
    world = tombolo.World(gravity=(0, 0))
    ball = ball_on(world)
    world.step(steps=30)
    assert ball.position == (0.0, 4.0)
    world.gravity = (3.0, 0.0)
    assert world.gravity == (3.0, 0.0)
    ball.wake()
    world.step(steps=60)
    assert ball.position[0] == pytest.approx(1.5, rel=0.05) and ball.position[1] == 4.0
    with pytest.raises(tombolo.TomboloError):
        world.gravity = (math.inf, 0)


def test_settings_of_shapes_are_read_as_set_and_act():
    world = tombolo.World()
    ground = ground_of(world)
    ball = ball_on(world, (0, 3))
    (shape,), (top,) = ball.shapes, ground.shapes
    assert shape.body == ball and ball.mass == pytest.approx(math.pi / 4, rel=0.01)
    settings = {
        "density": 2.0, "friction": 0.25, "restitution": 0.5, "rolling_resistance": 0.125, "tangent_speed": 1.5,
        "contact_skin": 0.0625, "material": 7, "contact_events": False, "hit_events": True, "force_threshold": 20.0,
        "sensor": False, "user_key": 9, "filter": {"category": 2, "mask": 2**64 - 1, "group": 0},
    }  # fmt: skip
    for name, value in settings.items():
        setattr(shape, name, value)
    assert {name: getattr(shape, name) for name in settings} == settings
    assert ball.mass == pytest.approx(math.pi / 2, rel=0.01)
    top.filter = {"category": 1, "mask": 1, "group": 0}
    world.step(steps=90)
    assert ball.position[1] < -2, "the ground does not see its category"
    before = world.hash()
    for name, value in (("friction", -1.0), ("density", math.nan), ("sensor", 3), ("filter", {"color": 1}), ("material", -1)):
        with pytest.raises(tombolo.TomboloError):
            setattr(shape, name, value)
    assert world.hash() == before
    shape.destroy()
    with pytest.raises(tombolo.TomboloError, match="destroyed"):
        shape.friction  # noqa: B018


def test_every_kind_of_joint_has_its_options_and_takes_them_back():
    for kind in KINDS:
        world = tombolo.World(gravity=(0, 0))
        a, b = ball_on(world, (0, 0)), ball_on(world, (2, 0))
        joint = world.create_joint(kind, a, b, (1, 0), (-1, 0), user_key=5)
        assert (joint.kind, joint.bodies) == (kind, (a, b)) and a.joints == [joint]
        assert kind == "filter" or joint.anchors == ((1.0, 0.0), (1.0, 0.0))
        options = joint.options
        assert options["user_key"] == 5
        joint.set(**options)
        assert joint.options == options, kind
        others = ball_on(world, (0, 5)), ball_on(world, (2, 5))
        again = world.create_joint(joint.kind, *others, **options)
        assert (again.options, again.bodies) == (options, others), kind
        again.destroy()
        for body in ("body_a", "body_b"):
            for change in (joint.set, lambda kind=kind, a=a, b=b, **body: world.create_joint(kind, a, b, **body)):
                with pytest.raises(tombolo.TomboloError, match=f'no option "{body}"'):
                    change(**{body: others[0].id})
        assert joint.bodies == (a, b)
        world.step(steps=2)
        with pytest.raises(tombolo.TomboloError, match="no option"):
            joint.set(squeak=1.0)
        assert joint.options == options
    with pytest.raises(tombolo.TomboloError, match="pulley, mover, pogo"):
        world.create_joint("glue", a, b)


def test_joints_of_the_kinds_that_couple_hold_their_ratio():
    world = tombolo.World(gravity=(0, 0))
    frame = world.create_body("static")
    small, large = ball_on(world, (0, 0)), ball_on(world, (3, 0))
    world.create_joint("revolute", frame, small, (0, 0), enable_motor=True, motor_speed=4.0, max_motor_torque=1000.0)
    world.create_joint("revolute", frame, large, (3, 0))
    world.create_joint("gear", small, large, ratio=2.0)
    world.step(steps=120)
    assert abs(small.angular_velocity / large.angular_velocity) == pytest.approx(2.0, rel=0.05) or abs(
        large.angular_velocity / small.angular_velocity
    ) == pytest.approx(2.0, rel=0.05)


def test_limits_and_springs_of_a_joint_can_be_set():
    world = tombolo.World(gravity=(0, -10))
    frame = world.create_body("static", (0, 10))
    arm = world.create_body(position=(2, 10))
    arm.add_box(1, 0.5)
    joint = world.create_joint("revolute", frame, arm, (0, 0), (-2, 0))
    joint.set(enable_limit=True, lower_angle=-0.5, upper_angle=0.5)
    world.step(steps=240)
    assert joint.angle == pytest.approx(-0.5, abs=0.02)
    before = world.hash()
    with pytest.raises(tombolo.TomboloError, match="upper_angle"):
        joint.set(lower_angle=1.0, upper_angle=-1.0)
    assert world.hash() == before
    joint.set(enable_limit=False)
    world.step(steps=60)
    assert abs(joint.angle) > 0.6


def test_hits_forces_sleep_and_broken_joints_are_told():
    world = tombolo.World()
    ground = ground_of(world)
    ball = world.create_body(position=(0, 6))
    ball.add_circle(0.5, hit_events=True, force_threshold=5.0)
    hits, forces, slept, woke = [], [], [], []
    for _ in range(300):
        world.step()
        hits += world.hits()
        forces += world.forces()
        slept += world.body_events()["slept"]
    assert len(hits) == 1 and {hits[0].a.body, hits[0].b.body} == {ground, ball}
    assert hits[0].strength == pytest.approx(math.sqrt(2 * 10 * 5.5), rel=0.05)
    assert hits[0].impulse > 0.9 * ball.mass * hits[0].strength and hits[0].point[1] == pytest.approx(0, abs=0.05)
    assert forces and forces[-1].strength == pytest.approx(10 * ball.mass, rel=0.1)
    assert slept == [ball]
    ball.apply_impulse((0, 3))
    for _ in range(3):
        world.step()
        woke += world.body_events()["woke"]
    assert woke == [ball]

    world = tombolo.World()
    frame, weight = world.create_body("static", (0, 10)), ball_on(world, (0, 8))
    rope = world.create_joint("distance", frame, weight, length=2.0)
    rope.set(force_threshold=20.0, breaks=True)
    world.step(steps=30)
    assert world.loads() == []
    weight.apply_impulse((0, -30))
    loads = []
    for _ in range(20):
        world.step()
        loads += world.loads()
    assert len(loads) == 1 and loads[0].broke and loads[0].bodies == (frame, weight)
    assert math.hypot(*loads[0].force) > 20.0 and weight.joints == []
