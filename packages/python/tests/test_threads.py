"""Other threads go on while one steps, builds or waits for a world."""

import sys
import threading

import pytest

import tombolo

SCENE = """(
    entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
    place: [Grid(name: "some", entity: "ball", columns: COUNT, rows: 40, column_step: (1, 0), row_step: (0, 1))],
)"""


@pytest.fixture
def patient():
    """A thread keeps Python's lock until it waits for something or gives it away."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(before)


def goes_on_during(call, tries=200):
    """Whether this thread goes on while another one makes a call; tried until it does, as a call may be over before."""
    for _ in range(tries):
        begins, ended = threading.Event(), []

        def run(begins=begins, ended=ended):
            begins.set()
            call()
            ended.append(True)

        thread = threading.Thread(target=run)
        thread.start()
        begins.wait()
        during = not ended
        thread.join()
        if during:
            return True
    return False


def test_a_call_that_keeps_pythons_lock_is_found(patient):
    assert not goes_on_during(lambda: sum(range(100_000)), tries=5)


def test_other_threads_go_on_while_single_environments_step(patient):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("tombolo/CarRacing-v3", continuous=False)
    env.reset(seed=1)
    # The native call alone: a step's observation is read in calls of its own.
    native = env.unwrapped._native
    assert goes_on_during(lambda: native.step_one(3, []))


def test_other_threads_go_on_while_worlds_are_built(patient):
    text = SCENE.replace("COUNT", "40")
    assert goes_on_during(lambda: tombolo.SceneWorld(text=text))
    options = {"observe": ["a.transform.position"], "act": ["a.body.linear_velocity.x"], "reward": "a.transform.position.x"}
    one = text.replace("place: [", 'place: [One(name: "a", entity: "ball", at: (-5, 0)), ')
    assert goes_on_during(lambda: tombolo.SceneBatch(text=one, **options))


def test_other_threads_go_on_while_a_recording_is_opened(patient):
    world = tombolo.World()
    world.start_recording()
    for place in range(2000):
        world.create_body(position=(2 * place, 9)).add_circle(0.5)
    file = bytes(world.end_recording())
    assert goes_on_during(lambda: tombolo.Recording(file))


@pytest.mark.parametrize("kind", ["world", "scene", "batch", "character"])
def test_other_threads_go_on_while_one_waits_for_a_world(patient, kind):
    if kind in ("world", "character"):
        world = tombolo.World()
        for place in range(400):
            world.create_body(position=(place % 20, place // 20)).add_circle(0.5)
        hero = world.create_character((-9, 0))
        steps, ask = lambda: world.step(steps=300), hero.move if kind == "character" else lambda: world.step_index
    elif kind == "scene":
        world = tombolo.SceneWorld(text=SCENE.replace("COUNT", "10"))
        steps, ask = lambda: world.step(300), lambda: world.names
    else:
        gymnasium = pytest.importorskip("gymnasium")
        world = gymnasium.make_vec("tombolo/CarRacing-v3", num_envs=16)
        world.reset(seed=1)
        actions = world.action_space.sample()
        steps, ask = lambda: world.step(actions), lambda: world.unwrapped._native.has_begun()

    def waits():
        """Asks while another thread steps, which has the world then."""
        stepping = threading.Thread(target=steps)
        stepping.start()
        during = goes_on_during(ask, tries=1)
        stepping.join()
        return during

    assert any(waits() for _ in range(20))
