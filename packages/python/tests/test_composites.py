"""Rigid welds: bodies that become one, and divide again."""

import copy
import math
import pickle

import pytest

import tombolo


def plank(world, x, y=5.0, width=1.0):
    body = world.create_body(position=(x, y))
    body.add_box(width, 0.2, density=10.0)
    return body


def test_two_bodies_become_one_that_is_rigid():
    world = tombolo.World((0.0, 0.0))
    left, right = plank(world, 0.0), plank(world, 1.0)
    right.velocity = (0.0, 2.0)
    shapes = [left.shapes[0], right.shapes[0]]
    weld = world.weld(left, right, (0.5, 5.0), user_key=7)
    assert not right.exists and left.exists and world.bodies == [left]
    assert weld.exists and weld.point == (0.5, 5.0) and world.rigid_welds == [weld]
    assert weld.options == {"force_threshold": math.inf, "torque_threshold": math.inf, "breaks": True, "user_key": 7}
    a, b = weld.members
    assert left.members == [a, b] or left.members == [b, a]
    assert [a.shapes, b.shapes] == [[shapes[0]], [shapes[1]]] and [shape.member for shape in shapes] == [a, b]
    assert a.body == b.body == left and a.welds == b.welds == [weld]
    assert b.position == (1.0, 5.0) and b.angle == 0.0
    # Momentum is kept: two of four kilograms moved at 2 m/s.
    assert left.mass == pytest.approx(4.0) and left.velocity == pytest.approx((0.0, 1.0))
    world.step(steps=60)
    assert a.mass == pytest.approx(2.0) and b.center_of_gravity == pytest.approx(b.position)
    # The distance of the two does not change, however they turn.
    assert math.dist(a.position, b.position) == pytest.approx(1.0, abs=1e-5) and a.angle == pytest.approx(b.angle)
    assert abs(a.angle) > 0.5


def test_a_weld_that_is_destroyed_divides_the_body():
    world = tombolo.World((0.0, 0.0))
    left, right = plank(world, 0.0), plank(world, 1.0)
    weld = world.weld(left, right, (0.5, 5.0))
    a, b = weld.members
    weld.destroy()
    assert not weld.exists and a.body != b.body and len(world.bodies) == 2
    assert a.body.members == [a] and b.body.members == [b]
    with pytest.raises(tombolo.TomboloError, match="broke, or was destroyed"):
        weld.force  # noqa: B018
    with pytest.raises(tombolo.TomboloError):
        weld.destroy()
    world.step()
    pieces, _ = world.cut_events()
    assert len(pieces) == 1


def test_a_weld_breaks_under_a_load_and_says_so():
    world = tombolo.World()
    floor = world.create_body("static")
    floor.add_box(0.2, 1.0, (-0.4, 4.4))
    floor.add_box(0.2, 1.0, (1.4, 4.4))
    left, right = plank(world, 0.0), plank(world, 1.0)
    weld = world.weld(left, right, (0.5, 5.0), torque_threshold=100.0)
    world.step(steps=120)
    # A bridge of 4 kg on two piers bears itself.
    assert weld.exists and world.weld_loads() == [] and abs(weld.torque) > 1.0
    weld.set(torque_threshold=1.0, breaks=False)
    world.step(steps=2)
    (load,) = world.weld_loads()
    assert load.weld == weld and not load.broke and load.body == weld.members[0].body and load.members == weld.members
    assert abs(load.torque) > 1.0 and weld.options["breaks"] is False
    weld.set(breaks=True)
    world.step()
    (load,) = world.weld_loads()
    assert load.broke and not weld.exists
    assert len(world.cut_events()[0]) == 1 and len(world.bodies) == 3


def test_a_third_body_is_welded_to_a_member_by_name():
    world = tombolo.World((0.0, 0.0))
    first, second, third = (plank(world, float(x)) for x in range(3))
    a, b = world.weld(first, second, (0.5, 5.0)).members
    before = world.hash()
    with pytest.raises(tombolo.TomboloError, match="several members"):
        world.weld(first, third, (1.5, 5.0))
    assert third.members == [] and world.hash() == before
    # A body of one member stands for it.
    c = world.create_member(third, user_key=3)
    weld = world.weld(b, third, (1.5, 5.0))
    assert weld.members == (b, c) and c.user_key == 3 and len(first.members) == 3
    c.user_key = 2**64 - 1
    assert c.user_key == 2**64 - 1
    # A new shape is the nearest member's, and can be another's.
    knob = first.add_circle(0.1, (2.0, 0.0))
    assert knob.member == c
    a.take(knob)
    assert knob.member == a and knob in a.shapes
    b.destroy()
    assert {a.body, c.body} == set(world.bodies) and len(world.bodies) == 2 and world.rigid_welds == []


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"force_threshold": -1.0}, "force_threshold is -1"),
        ({"torque_threshold": -2.0}, "torque_threshold is -2"),
        ({"strength": 1.0}, "no option"),
        ({"breaks": 3}, "expected a boolean"),
    ],
)
def test_what_is_refused_changes_nothing(options, expected):
    world = tombolo.World()
    left, right = plank(world, 0.0), plank(world, 1.0)
    before = world.hash()
    with pytest.raises(tombolo.TomboloError, match=expected):
        world.weld(left, right, (0.5, 5.0), **options)
    assert world.hash() == before and left.members == [] and len(world.bodies) == 2
    weld = world.weld(left, right, (0.5, 5.0), force_threshold=50.0)
    with pytest.raises(tombolo.TomboloError, match=expected):
        weld.set(user_key=5, **options)
    assert weld.options["force_threshold"] == 50.0 and weld.options["user_key"] == 0


def test_what_cannot_be_welded_is_refused():
    world, other = tombolo.World(), tombolo.World()
    left, bare, still = plank(world, 0.0), world.create_body(), world.create_body("static")
    still.add_circle(0.5)
    before = world.hash()
    for end in (bare, still, left, plank(other, 1.0)):
        with pytest.raises(tombolo.TomboloError):
            world.weld(left, end, (0.5, 5.0))
    with pytest.raises(tombolo.TomboloError):
        world.weld(left, bare, (math.nan, 5.0))
    with pytest.raises(tombolo.TomboloError, match="another world"):
        world.create_member(plank(other, 2.0))
    assert world.hash() == before


def test_copies_and_pickles_have_the_welds():
    world = tombolo.World()
    left, right = plank(world, 0.0), plank(world, 1.0)
    weld = world.weld(left, right, (0.5, 5.0), force_threshold=10.0)
    for other in (copy.copy(world), pickle.loads(pickle.dumps(world))):
        (same,) = other.rigid_welds
        assert same.id == weld.id and same.options == weld.options
        other.step(steps=30)
        assert other.hash() != world.hash()
        same.destroy()
        assert len(other.bodies) == 2 and weld.exists
