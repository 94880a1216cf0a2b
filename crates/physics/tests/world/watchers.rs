//! What shapes ask to be told of beside touches and hits: forces of touches, sensors in sensors, static and kinematic bodies
//! that touch; and the events of one body.

use crate::feature_support::{DT, add, plain, run, same_everywhere, weightless, world};
use std::collections::BTreeMap;
use tombolo_physics::{
    BodyDef, BodyEvent, PhysicsWorld, Shape, ShapeDef, ShapeId, Vec2, VisitEvent, WorldDef,
};

fn first_shape(world: &PhysicsWorld, body: tombolo_physics::BodyId) -> ShapeId {
    world.body(body).unwrap().shapes().next().unwrap().id()
}

fn unit() -> Shape {
    Shape::new_box(1.0, 1.0).unwrap()
}

fn kinematic(x: f32, y: f32, velocity: Vec2) -> BodyDef {
    BodyDef {
        linear_velocity: velocity,
        ..BodyDef::kinematic(x, y)
    }
}

#[test]
fn a_touch_bears_what_lies_on_it() {
    for threshold in [0.0, 5.0, 15.0, 25.0, 35.0] {
        let mut world = world(&WorldDef {
            sleeping: false,
            ..WorldDef::default()
        });
        plain(
            &mut world,
            &BodyDef::fixed(0.0, -0.5),
            &Shape::new_box(20.0, 1.0).unwrap(),
        );
        let asking = ShapeDef {
            force_threshold: threshold,
            ..ShapeDef::default()
        };
        // Three of 1 kg on each other; the middle one asks.
        let boxes = [0.5, 1.5, 2.5].map(|y| {
            let def = if y == 1.5 { &asking } else { &ShapeDef::default() };
            add(&mut world, &BodyDef::dynamic(0.0, y), def, &unit())
        });
        run(&mut world, 120);
        let forces: Vec<f32> = world.events().force().iter().map(|event| event.force).collect();
        let middle = first_shape(&world, boxes[1]);
        assert_eq!(world.shape(middle).unwrap().force_threshold(), threshold);
        let wanted: &[f32] = match threshold {
            5.0 => &[20.0, 10.0],
            15.0 => &[20.0],
            _ => &[],
        };
        assert_eq!(forces.len(), wanted.len(), "{threshold}: {forces:?}");
        for event in world.events().force() {
            assert!([event.shape_a, event.shape_b].contains(&middle));
            assert!((event.impulse - event.force * DT).abs() < 1e-4 && event.normal.y.abs() > 0.99);
            assert!(
                wanted.iter().any(|wanted| (event.force - wanted).abs() < 0.2),
                "{event:?}"
            );
        }
        // Asked for later, and no longer.
        world.shape_mut(middle).unwrap().set_force_threshold(5.0).unwrap();
        run(&mut world, 1);
        assert_eq!(world.events().force().len(), 2);
        world.shape_mut(middle).unwrap().set_force_threshold(0.0).unwrap();
        run(&mut world, 1);
        assert_eq!(world.events().force(), []);
        assert!(
            world
                .shape_mut(middle)
                .unwrap()
                .set_force_threshold(-1.0)
                .is_err()
        );
        assert!(
            world
                .shape_mut(middle)
                .unwrap()
                .set_force_threshold(f32::NAN)
                .is_err()
        );
    }
}

#[test]
fn forces_on_sleeping_bodies_are_not_reported() {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -0.5),
        &Shape::new_box(20.0, 1.0).unwrap(),
    );
    let asking = ShapeDef {
        force_threshold: 1.0,
        ..ShapeDef::default()
    };
    let crate_ = add(&mut world, &BodyDef::dynamic(0.0, 0.5), &asking, &unit());
    run(&mut world, 20);
    assert_eq!(world.events().force().len(), 1);
    run(&mut world, 120);
    assert!(!world.body(crate_).unwrap().is_awake());
    assert_eq!(world.events().force(), []);
}

#[test]
fn a_sensor_sees_sensors_if_it_asks() {
    let sensor = |sees_sensors: bool| ShapeDef {
        sensor: true,
        sees_sensors,
        ..ShapeDef::default()
    };
    let mut world = world(&weightless());
    let asking = add(&mut world, &BodyDef::fixed(0.0, 0.0), &sensor(true), &unit());
    let silent = add(&mut world, &BodyDef::fixed(0.0, 3.0), &sensor(false), &unit());
    // One goes slowly through both, one so fast that it is in neither at the end of any step.
    let slow = add(
        &mut world,
        &kinematic(0.0, -2.0, Vec2::new(0.0, 3.0)),
        &sensor(false),
        &unit(),
    );
    let fast = add(
        &mut world,
        &kinematic(-50.0, 0.0, Vec2::new(350.0, 0.0)),
        &sensor(false),
        &unit(),
    );
    let [asking, silent, slow, fast] = [asking, silent, slow, fast].map(|body| first_shape(&world, body));
    let mut in_it: BTreeMap<ShapeId, usize> = BTreeMap::new();
    for _ in 0..120 {
        run(&mut world, 1);
        for &VisitEvent { sensor, visitor } in world.events().enter() {
            assert_eq!(sensor, asking);
            *in_it.entry(visitor).or_default() += 1;
        }
        for &VisitEvent { sensor, visitor } in world.events().leave() {
            assert_eq!((sensor, in_it.get(&visitor)), (asking, Some(&1)));
        }
    }
    assert_eq!(in_it, BTreeMap::from([(slow, 1), (fast, 1)]));
    assert_eq!(world.shape(silent).unwrap().visitors().count(), 0);
}

#[test]
fn static_and_kinematic_bodies_that_touch_are_told_to_who_asks() {
    let seeing = ShapeDef {
        sees_fixed: true,
        ..ShapeDef::default()
    };
    let mut world = world(&weightless());
    let wall = plain(&mut world, &BodyDef::fixed(5.0, 0.0), &unit());
    plain(&mut world, &BodyDef::fixed(5.5, 0.0), &unit());
    let lift = add(
        &mut world,
        &kinematic(0.0, 0.0, Vec2::new(3.0, 0.0)),
        &seeing,
        &unit(),
    );
    let bullet = add(
        &mut world,
        &kinematic(-60.0, 0.2, Vec2::new(380.0, 0.0)),
        &seeing,
        &unit(),
    );
    plain(&mut world, &BodyDef::dynamic(2.0, 0.0), &unit());
    let [wall, lift, bullet] = [wall, lift, bullet].map(|body| first_shape(&world, body));
    let mut entered: Vec<(ShapeId, ShapeId)> = Vec::new();
    let mut left = 0;
    for step in 0..240 {
        if step == 200 {
            world.shape_mut(lift).unwrap().set_sees(false, false);
        }
        run(&mut world, 1);
        entered.extend(
            world
                .events()
                .enter()
                .iter()
                .map(|visit| (visit.sensor, visit.visitor)),
        );
        left += world.events().leave().len();
    }
    // The fast one passes both walls and the lift within steps, the lift reaches the walls in its time.
    assert!(
        entered.contains(&(lift, wall)) && entered.contains(&(bullet, wall)),
        "{entered:?}"
    );
    assert!(entered.contains(&(bullet, lift)) && entered.contains(&(lift, bullet)));
    assert_eq!(
        entered.len(),
        2 + 2 + 2,
        "dynamic bodies are none of them: {entered:?}"
    );
    assert_eq!(left, entered.len(), "each begin has its end");
}

#[test]
fn watchers_are_kept_by_saves_and_executors() {
    let build = || {
        let mut world = world(&WorldDef::default());
        plain(
            &mut world,
            &BodyDef::fixed(0.0, -0.5),
            &Shape::new_box(60.0, 1.0).unwrap(),
        );
        for i in 0..40_u32 {
            let def = ShapeDef {
                force_threshold: if i % 3 == 0 { 5.0 } else { 0.0 },
                sees_sensors: i % 4 == 0,
                sees_fixed: i % 5 == 0,
                sensor: i % 7 == 0,
                ..ShapeDef::default()
            };
            let (x, y) = ((i % 8) as f32 * 0.9 - 3.0, 0.5 + (i / 8) as f32);
            let body = if i % 6 == 0 {
                kinematic(x, y, Vec2::new(1.0 - 0.1 * i as f32, 0.0))
            } else {
                BodyDef::dynamic(x, y)
            };
            let body = add(&mut world, &body, &def, &unit());
            if i % 10 == 9 {
                world.destroy_body(body).unwrap();
            }
        }
        world
    };
    same_everywhere(build, 90, |world| {
        let events = world.events();
        format!("{:?} {:?} {:?}", events.force(), events.enter(), events.leave())
    });
}

#[test]
fn the_events_of_a_body_are_those_of_the_world_in_order() {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -0.5),
        &Shape::new_box(30.0, 1.0).unwrap(),
    );
    let def = ShapeDef {
        hit_events: true,
        force_threshold: 1.0,
        ..ShapeDef::default()
    };
    let bodies: Vec<_> = (0..20)
        .map(|i| {
            add(
                &mut world,
                &BodyDef::dynamic(i as f32 * 1.01 - 10.0, 1.0 + (i % 4) as f32),
                &def,
                &unit(),
            )
        })
        .collect();
    let mut seen = 0;
    for _ in 0..90 {
        run(&mut world, 1);
        let by_body = world.events_by_body();
        let body_of = |shape: ShapeId| world.shape(shape).unwrap().body().id();
        for &body in &bodies {
            let events = world.events();
            let begins = events
                .begin_touch()
                .iter()
                .filter(|touch| [touch.shape_a, touch.shape_b].map(body_of).contains(&body));
            let ends = events
                .end_touch()
                .iter()
                .filter(|touch| [touch.shape_a, touch.shape_b].map(body_of).contains(&body));
            let hits = events
                .hit()
                .iter()
                .filter(|hit| [hit.shape_a, hit.shape_b].map(body_of).contains(&body));
            let forces = events
                .force()
                .iter()
                .filter(|force| [force.shape_a, force.shape_b].map(body_of).contains(&body));
            let wanted = begins
                .map(|touch| BodyEvent::BeginTouch(*touch))
                .chain(ends.map(|touch| BodyEvent::EndTouch(*touch)))
                .chain(hits.map(|hit| BodyEvent::Hit(*hit)))
                .chain(forces.map(|force| BodyEvent::Force(*force)));
            let got: Vec<BodyEvent> = by_body.of(body).collect();
            assert_eq!(got, wanted.collect::<Vec<_>>());
            seen += got.len();
        }
        let told: Vec<_> = by_body.bodies().collect();
        assert!(told.iter().all(|&body| by_body.of(body).next().is_some()));
    }
    assert!(seen > 100, "{seen}");
}
