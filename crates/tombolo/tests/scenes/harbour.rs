//! The harbour that ships: what it is made of, and that it ends the same however it is stepped.

use tombolo::threads::{Executor, Inline, Pool};
use tombolo::{Scene, World};

fn harbour() -> Scene {
    Scene::parse(
        "scenes/harbour.ron",
        include_str!("../../../cli/scenes/harbour.ron"),
    )
    .unwrap()
}

#[test]
fn the_harbour_has_more_than_a_thousand_bodies() {
    let world = World::from_scene(&harbour()).unwrap();
    let counters = world.physics().counters();
    assert!(counters.bodies >= 1500, "{counters:?}");
    assert!(counters.joints >= 40, "{counters:?}");
    for name in [
        "ball",
        "wheel",
        "ship",
        "load",
        "west bridge[9]",
        "tower[6,13]",
        "cargo[0,17]",
    ] {
        let entity = world.find(name);
        let body = entity.and_then(|entity| world.body_of(entity));
        let body = body.unwrap_or_else(|| panic!("{name} has no body"));
        assert_eq!(world.entity_of(body), entity);
        assert_eq!(entity.and_then(|entity| world.name_of(entity)), Some(name));
    }
    assert_eq!(
        (
            world.find("keystone").and_then(|entity| world.body_of(entity)),
            world.find("nobody").and_then(|entity| world.body_of(entity))
        ),
        (None, None)
    );
}

#[test]
fn after_ten_seconds_much_has_happened() {
    let mut world = World::from_scene(&harbour()).unwrap();
    let pool = Pool::new(2).unwrap();
    let place = |world: &World, name: &str| world.body(world.find(name).unwrap()).unwrap().position();
    let mut ball_lowest = f32::INFINITY;
    let mut wheel_turned = 0.0;
    for _ in 0..600 {
        world.step_with(&pool);
        ball_lowest = ball_lowest.min(place(&world, "ball").y);
        let wheel = world.find("wheel").and_then(|entity| world.body(entity)).unwrap();
        wheel_turned += wheel.angular_velocity() * world.step_seconds();
        assert!(world.physics().events().frozen().is_empty());
    }
    assert!(
        ball_lowest > 7.0 && ball_lowest < 9.0,
        "the ball swings on its chain: {ball_lowest}"
    );
    assert!(place(&world, "tower[6,13]").y < 9.0, "the tower is knocked over");
    assert!(
        wheel_turned > 3.0,
        "the motor turns the wheel: {wheel_turned} rad"
    );
    assert!(place(&world, "west bridge[9]").y > -6.0, "the bridge holds");
    assert!(
        (place(&world, "wheel") - place(&world, "wheel stand")).length() < 0.1,
        "the axle holds"
    );
    let asleep = |world: &World, name: &str| !world.body(world.find(name).unwrap()).unwrap().is_awake();
    let mut steps_to_rest = 600;
    while !(asleep(&world, "cargo[0,0]") && asleep(&world, "ship")) {
        assert!(
            steps_to_rest < 1_200,
            "the pile in the hold did not come to rest in 20 s"
        );
        world.step_with(&pool);
        steps_to_rest += 1;
    }
    assert!(world.physics().counters().sleeping_bodies > 500);
    for (name, _) in harbour().instances() {
        if let Some(body) = world.find(name).and_then(|entity| world.body_of(entity)) {
            let place = world.physics().body(body).unwrap().position();
            assert!(
                place.x.abs() < 100.0 && place.y > -20.0 && place.y < 60.0,
                "{name} left the harbour: {place:?}"
            );
        }
    }
}

#[test]
fn thread_counts_and_clones_give_the_same_bits() {
    let mut reference = World::from_scene(&harbour()).unwrap();
    let mut others: Vec<(World, Box<dyn Executor>)> = Vec::new();
    for threads in [2, 3, 8] {
        others.push((
            reference.clone(),
            Box::new(Pool::with_thread_for_each(threads).unwrap()),
        ));
    }
    others.push((World::from_scene(&harbour()).unwrap(), Box::new(Inline)));
    for step in 0..120 {
        reference.step();
        for (index, (world, executor)) in others.iter_mut().enumerate() {
            world.step_with(executor.as_ref());
            let (expected, hash) = (reference.physics().state_hash(), world.physics().state_hash());
            assert_eq!(hash, expected, "run {index} parts at step {step}");
        }
    }
}
