"""Calls after the steps of a world, and the events of many steps."""

import copy
import pickle

import pytest

import tombolo

BALL, FLOOR, GATE = 1, 2, 3


def bouncing():
    """Two balls that fall on a floor, through a gate that feels them."""
    world = tombolo.World()
    world.create_body("static", (0, -1)).add_box(40, 2, material=FLOOR)
    world.create_body("static", (0, 2)).add_box(40, 0.5, sensor=True, material=GATE)
    balls = [world.create_body(position=(x, y)) for x, y in ((-3, 4), (3, 5))]
    for ball in balls:
        ball.add_circle(0.5, restitution=0.6, material=BALL, hit_events=True)
    return world, balls


def by_hand(world, steps):
    """Kinds and shapes of each step's events, in their order."""
    rows = []
    for _ in range(steps):
        world.step()
        lists = world.events()
        rows += [(world.step_index, kind, *pair) for kind in ("begin", "end", "enter", "leave") for pair in lists[kind]]
        rows += [(world.step_index, "hit", hit.a, hit.b) for hit in world.hits()]
    return [(step, kind, a.id, b.id) for step, kind, a, b in rows]


def test_the_events_of_many_steps_are_those_of_each():
    world, _ = bouncing()
    expected = by_hand(world.fork(), 200)
    events, hits = world.on_event(), world.on_event("hit")
    world.step(steps=120)
    first = [(event.step, event.kind, event.a.id, event.b.id) for event in events]
    assert len(events) == 0 and {kind for _, kind, *_ in first} == {"begin", "end", "enter", "leave", "hit"}
    world.step(steps=80)
    assert first + [(event.step, event.kind, event.a.id, event.b.id) for event in events] == expected
    assert [event.strength for event in hits][0] == pytest.approx((2 * 10 * 3.5) ** 0.5, rel=0.05)
    hits.close()
    world.step(steps=40)
    assert len(hits) == 0
    with pytest.raises(tombolo.TomboloError, match="no kind of event 'begins'; there are begin"):
        world.on_event("begins")


def test_calls_are_given_the_events_of_their_materials_in_their_order():
    world, balls = bouncing()
    heard = []
    for a, b in ((BALL, FLOOR), (FLOOR, BALL), (GATE, None), (None, None), (BALL, BALL)):
        world.on_collision(
            a,
            b,
            begin=lambda event, of=(a, b): heard.append((of, event)),
            separate=lambda event, of=(a, b): heard.append((of, event)),
            hit=lambda event, of=(a, b): heard.append((of, event)),
        )
    world.step(steps=120)
    of = {pair: [event for wanted, event in heard if wanted == pair] for pair in {wanted for wanted, _ in heard}}
    assert set(of) == {(BALL, FLOOR), (FLOOR, BALL), (GATE, None), (None, None)}
    assert all(event.materials == (BALL, FLOOR) and event.a.body in balls for event in of[BALL, FLOOR])
    assert [event.turned() for event in of[BALL, FLOOR]] == of[FLOOR, BALL]
    assert {event.kind for event in of[BALL, FLOOR]} == {"begin", "end", "hit"}
    assert all(event.normal[1] < -0.9 for event in of[BALL, FLOOR] if event.kind == "hit"), "out of the ball"
    assert [event.kind for event in of[GATE, None]][:2] == ["enter", "enter"]
    assert len(of[None, None]) == len(of[BALL, FLOOR]) + len(of[GATE, None])


def test_a_call_may_change_the_world_and_end_its_listener():
    world, balls = bouncing()
    met = []

    def vanish(event):
        met.append(event)
        event.a.body.destroy()
        if len(met) == 1:
            with pytest.raises(tombolo.TomboloError, match="cannot make steps"):
                world.step()

    listener = world.on_collision(BALL, FLOOR, begin=vanish)
    later = world.on_event("begin", "end")
    world.step(steps=120)
    assert len(met) == 2 and not any(ball.exists for ball in balls)
    assert [event.materials for event in later if event.kind == "begin"] == [event.materials[::-1] for event in met]
    listener.remove()
    listener.remove()
    world.create_body(position=(0, 0.6)).add_circle(0.5, material=BALL)
    world.step(steps=60)
    assert len(met) == 2


def test_an_exception_leaves_the_step_whose_events_others_have():
    world, _ = bouncing()

    def fail(event):
        raise KeyError(event.kind)

    world.on_collision(begin=fail)
    events = world.on_event()
    with pytest.raises(KeyError, match="enter"):
        world.step(steps=500)
    assert [event.step for event in events] == [world.step_index]


def test_copies_have_the_same_future_and_no_listeners():
    world, _ = bouncing()
    events = world.on_event()
    twins = [world.fork(), copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    for twin in twins:
        twin.step(steps=120)
    assert len(events) == 0
    world.step(steps=120)
    assert len(events) > 0 and {twin.hash() for twin in twins} == {world.hash()}


@pytest.mark.parametrize("gate", [False, True])
@pytest.mark.parametrize("change", ["nothing", "ball's body", "ball's shape", "floor", "material", "step"])
def test_what_began_is_said_to_have_ended_whatever_became_of_the_shapes(gate, change):
    world = tombolo.World()
    floor = world.create_body("static", (0, -1)).add_box(40, 2, material=FLOOR, sensor=gate)
    ball = world.create_body(position=(0, 0.4), gravity_scale=0.0 if gate else 1.0)
    skin = ball.add_circle(0.5, material=BALL)
    begun, ended, apart = [], [], []
    world.on_collision(BALL, FLOOR, begin=begun.append, separate=ended.append)
    world.on_collision(GATE, None, begin=apart.append, separate=apart.append)
    world.step(steps=3)
    assert len(begun) == 1 and not ended
    if change == "ball's body":
        ball.destroy()
    elif change == "ball's shape":
        skin.destroy()
    elif change == "floor":
        floor.destroy()
    elif change == "material":
        skin.material = GATE
    elif change == "step":
        # An end and another beginning in one step.
        skin.material = GATE
        ball.enabled = False
        ball.enabled = True
    # A visit of a sensor goes on over an absence between two steps.
    if change in ("nothing", "material") or (change == "step" and gate):
        ball.position = (0, 9)
    world.step(steps=3)
    assert [(event.materials, event.a, event.b) for event in ended] == [((BALL, FLOOR), begun[0].a, begun[0].b)]
    if change == "step" and not gate:
        assert len(apart) == 1 and apart[0].materials[0] == GATE, "it touches with its new material"
    else:
        assert not apart


@pytest.mark.parametrize("back", ["nothing", "save", "frame"])
def test_what_began_before_a_restore_ends_with_the_materials_of_now(back):
    world = tombolo.World()
    world.create_body("static", (0, -1)).add_box(40, 2, material=FLOOR)
    ball = world.create_body(position=(0, 0.4))
    skin, events = ball.add_circle(0.5, material=BALL), world.on_event("begin", "end")
    world.step(steps=3)
    ring = tombolo.Rewind(world)
    save, frame = world.save(), ring.save()
    if back == "save":
        world.restore(save)
    elif back == "frame":
        ring.restore(frame)
    skin.material, ball.position = GATE, (0, 9)
    world.step(steps=3)
    begin, end = ({FLOOR, *event.materials} - {FLOOR} for event in events)
    assert begin == {BALL} and end == ({BALL} if back == "nothing" else {GATE})
