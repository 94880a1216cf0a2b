//! Messages, events for observers, joints and queries.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, Update};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::{Message, MessageReader, Messages};
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Commands, Entity, ResMut, Resource};
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{Aabb, JointDef, Motion, Pose, QueryFilter, RevoluteDef, Shape, ShapeRef};
use bevy_tombolo::{
    Body, CastHit, Collider, ForceExceeded, Hit, Joint, JointExceeded, JointLink, Observed, Physics, Reports,
    Sensor, SensorEntered, SensorLeft, SleepChanged, SpatialFilter, SpatialQuery, TouchBegan, TouchEnded,
    Velocity, anchored,
};
use bevy_transform::components::Transform;
use support::{app, at, ball, get, ground, physics, steps};

#[derive(Resource)]
struct Log<T>(Vec<T>);

fn log<T: Message + Clone>(app: &mut App) {
    app.insert_resource(Log::<T>(Vec::new()));
    app.add_systems(Update, |mut reader: MessageReader<T>, mut log: ResMut<Log<T>>| {
        log.0.extend(reader.read().cloned());
    });
}

fn logged<T: Message + Clone>(app: &App) -> Vec<T> {
    app.world().resource::<Log<T>>().0.clone()
}

#[test]
fn touches_begin_and_end_once_also_of_what_is_despawned() {
    let mut app = app();
    log::<TouchBegan>(&mut app);
    log::<TouchEnded>(&mut app);
    let floor = ground(&mut app);
    let [left, right] = [-3.0, 3.0].map(|x| ball(&mut app, x, 1.0));
    steps(&mut app, 60);
    let began = logged::<TouchBegan>(&app);
    assert_eq!(began.len(), 2);
    for touch in &began {
        let pair = [touch.body, touch.other_body];
        assert!(pair.contains(&floor) && (pair.contains(&left) || pair.contains(&right)));
        assert_eq!(touch.entity, touch.collider);
    }
    assert!(logged::<TouchEnded>(&app).is_empty());
    app.world_mut().despawn(left);
    // Another takes the slots of what is gone, before the end is reported.
    let other = ball(&mut app, 20.0, 30.0);
    app.world_mut().get_mut::<Transform>(right).unwrap().translation.y = 9.0;
    steps(&mut app, 2);
    let ended = logged::<TouchEnded>(&app);
    assert_eq!(ended.len(), 2);
    let ends: Vec<Entity> = ended
        .iter()
        .flat_map(|touch| [touch.body, touch.other_body])
        .collect();
    assert!(ends.contains(&left) && ends.contains(&right) && !ends.contains(&other));
}

#[test]
fn hits_and_forces_are_told_to_who_asks() {
    let mut app = app();
    log::<Hit>(&mut app);
    log::<ForceExceeded>(&mut app);
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert(Reports {
        hits: true,
        force_threshold: 20.0,
        ..Reports::default()
    });
    steps(&mut app, 120);
    let hits = logged::<Hit>(&app);
    assert_eq!(hits.len(), 1);
    assert!(hits[0].approach_speed > 8.0 && hits[0].impulse > 1.0);
    assert!(hits[0].normal.y.abs() > 0.99);
    assert!(!logged::<ForceExceeded>(&app).is_empty());
}

#[test]
fn sensors_tell_who_comes_and_goes() {
    let mut app = app();
    log::<SensorEntered>(&mut app);
    log::<SensorLeft>(&mut app);
    let gate = app
        .world_mut()
        .spawn((Body::Static, Collider::rectangle(2.0, 2.0), Sensor))
        .id();
    let ball = ball(&mut app, 0.0, 3.0);
    steps(&mut app, 100);
    let [entered, left] = [
        logged::<SensorEntered>(&app).len(),
        logged::<SensorLeft>(&app).len(),
    ];
    assert_eq!([entered, left], [1, 1]);
    let entered = logged::<SensorEntered>(&app)[0];
    assert_eq!((entered.collider, entered.other_collider), (gate, ball));
    assert!(at(&app, ball).y < -3.0, "it fell through");
}

#[test]
fn sleep_is_told_when_it_begins_and_ends() {
    let mut app = app();
    log::<SleepChanged>(&mut app);
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.5);
    steps(&mut app, 120);
    let reported: Vec<bool> = logged::<SleepChanged>(&app)
        .into_iter()
        .filter(|reported| reported.entity == ball)
        .map(|reported| reported.asleep)
        .collect();
    assert_eq!(reported, [false, true]);
}

#[derive(Resource, Default)]
struct Heard(Vec<(Entity, Entity, Vec2)>);

#[test]
fn observers_hear_of_entities_that_asked_and_see_it_from_their_side() {
    let mut app = app();
    app.init_resource::<Heard>();
    app.add_observer(|hit: On<Hit>, mut heard: ResMut<Heard>| {
        heard.0.push((hit.entity, hit.other_body, hit.normal));
    });
    let floor = ground(&mut app);
    let child = app
        .world_mut()
        .spawn((
            Collider::circle(0.5),
            Reports {
                hits: true,
                ..Reports::default()
            },
            Observed,
        ))
        .id();
    let body = app
        .world_mut()
        .spawn((Body::Dynamic, Observed, Transform::from_xyz(0.0, 4.0, 0.0)))
        .add_child(child)
        .id();
    steps(&mut app, 90);
    let heard = app.world().resource::<Heard>().0.clone();
    assert_eq!(
        heard.len(),
        2,
        "the collider and its body, not the floor: {heard:?}"
    );
    for (entity, other, normal) in heard {
        assert!(entity == child || entity == body);
        assert_eq!(other, floor);
        assert!(normal.y < -0.99, "from the ball down into the floor: {normal}");
    }
    // One entity's own observer.
    app.init_resource::<Heard>();
    app.world_mut()
        .entity_mut(body)
        .observe(|began: On<TouchEnded>, mut heard: ResMut<Heard>| {
            heard.0.push((began.entity, began.other_body, Vec2::ZERO));
        });
    app.world_mut().resource_mut::<Heard>().0.clear();
    app.world_mut().despawn(floor);
    steps(&mut app, 2);
    assert_eq!(app.world().resource::<Heard>().0, [(body, floor, Vec2::ZERO)]);
}

#[test]
fn joints_wait_for_their_bodies_hold_them_and_follow_changes() {
    let mut app = app();
    let frame = app.world_mut().spawn(Transform::default()).id();
    let door = ball(&mut app, 1.0, 0.0);
    let pivot = RevoluteDef {
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_torque: 1.0e4,
        ..anchored(RevoluteDef::new, Vec2::ZERO, Vec2::new(-1.0, 0.0))
    };
    let joint = app.world_mut().spawn(Joint::new(frame, door, pivot)).id();
    steps(&mut app, 2);
    assert_eq!(
        get::<JointLink>(&app, joint).id(),
        None,
        "one of them has no body"
    );
    app.world_mut().entity_mut(frame).insert(Body::Static);
    steps(&mut app, 64);
    let id = get::<JointLink>(&app, joint).id().expect("both have bodies");
    let angle = physics(&app).world().joint(id).unwrap().angle();
    assert!((angle - 1.0).abs() < 0.1, "{angle}");
    if let JointDef::Revolute(def) = &mut app.world_mut().get_mut::<Joint>(joint).unwrap().def {
        def.motor_speed = -1.0;
    }
    steps(&mut app, 64);
    assert_eq!(get::<JointLink>(&app, joint).id(), Some(id), "the same joint");
    let angle = physics(&app).world().joint(id).unwrap().angle();
    assert!(angle.abs() < 0.2, "{angle}");
    // Another kind between the same bodies is another joint.
    app.world_mut()
        .entity_mut(joint)
        .insert(Joint::weld(frame, Vec2::ZERO, door, Vec2::new(-1.0, 0.0)));
    app.update();
    assert_ne!(get::<JointLink>(&app, joint).id(), Some(id));
    assert_eq!(physics(&app).world().counters().joints, 1);
    // A body that goes takes the joint with it; another one brings it back.
    app.world_mut().entity_mut(door).remove::<Body>();
    app.update();
    assert_eq!(physics(&app).world().counters().joints, 0);
    app.world_mut().entity_mut(door).insert(Body::Dynamic);
    steps(&mut app, 2);
    assert_eq!(physics(&app).world().counters().joints, 1);
    app.world_mut().despawn(joint);
    app.update();
    assert_eq!(physics(&app).world().counters().joints, 0);
}

#[test]
fn every_kind_of_joint_takes_the_bodies_of_its_entities() {
    use bevy_tombolo::physics::{DistanceDef, GearDef, GenericDef, MoverDef, PogoDef, PulleyDef, RackDef};
    let mut app = app();
    let bodies = [0.0, 2.0].map(|x| ball(&mut app, x, 0.0));
    let [a, b] = bodies;
    let zero = Vec2::ZERO;
    let joints = [
        Joint::revolute(a, zero, b, zero),
        Joint::distance(a, zero, b, zero, 1.0),
        Joint::rope(a, zero, b, zero, 1.0),
        Joint::prismatic(a, zero, b, zero, 0.0),
        Joint::weld(a, zero, b, zero),
        Joint::wheel(a, zero, b, zero, 0.0),
        Joint::motor(a, zero, b, zero),
        Joint::filter(a, b),
        Joint::new(a, b, anchored(DistanceDef::new, zero, zero)),
        Joint::new(a, b, anchored(GenericDef::new, zero, zero)),
        Joint::new(a, b, anchored(GearDef::new, zero, zero)),
        Joint::new(a, b, anchored(RackDef::new, zero, zero)),
        Joint::new(a, b, anchored(PulleyDef::new, zero, zero)),
        Joint::new(a, b, anchored(MoverDef::new, zero, zero)),
        Joint::new(a, b, anchored(PogoDef::new, zero, zero)),
    ];
    for joint in joints {
        let kind = joint.def.kind();
        let entity = app.world_mut().spawn(joint).id();
        app.update();
        let id = get::<JointLink>(&app, entity)
            .id()
            .unwrap_or_else(|| panic!("{kind:?}"));
        let view = physics(&app).world().joint(id).unwrap();
        assert_eq!(view.kind(), kind);
        assert_eq!(
            view.bodies().map(|body| physics(&app).entity_of_body(body.id())),
            bodies.map(Some)
        );
        app.world_mut().despawn(entity);
    }
}

#[test]
fn a_joint_that_bears_too_much_says_so_and_breaks() {
    let mut app = app();
    log::<JointExceeded>(&mut app);
    let hook = app.world_mut().spawn(Body::Static).id();
    let load = ball(&mut app, 0.0, -1.0);
    let mut rope = Joint::rope(hook, Vec2::ZERO, load, Vec2::ZERO, 1.5);
    if let JointDef::Distance(def) = &mut rope.def {
        (def.force_threshold, def.breaks) = (50.0, true);
    }
    let rope = app.world_mut().spawn(rope).id();
    *app.world_mut().get_mut::<Velocity>(load).unwrap() = Velocity::linear(0.0, -20.0);
    steps(&mut app, 20);
    let reported = logged::<JointExceeded>(&app);
    assert_eq!(reported.len(), 1);
    assert_eq!(
        (reported[0].entity, reported[0].bodies, reported[0].broke),
        (rope, [hook, load], true)
    );
    // Set again it holds again.
    let again = Joint::rope(hook, Vec2::ZERO, load, Vec2::ZERO, 100.0);
    app.world_mut().entity_mut(rope).insert(again);
    app.update();
    assert!(get::<JointLink>(&app, rope).id().is_some());
}

#[test]
fn queries_answer_with_entities() {
    let mut app = app();
    let floor = ground(&mut app);
    let ball = ball(&mut app, 0.0, 5.0);
    let child = app
        .world_mut()
        .spawn((Collider::circle(0.5), Transform::from_xyz(2.0, 0.0, 0.0)))
        .id();
    app.world_mut()
        .entity_mut(ball)
        .add_child(child)
        .insert(Body::Static);
    app.update();
    let ask = move |query: SpatialQuery| {
        let all = QueryFilter::default();
        let down = Vec2::new(0.0, -20.0);
        let hit = query.cast_ray(Vec2::new(2.0, 10.0), down, all).unwrap().unwrap();
        assert_eq!((hit.collider, hit.body), (child, ball));
        assert!((hit.point.y - 5.5).abs() < 1.0e-5 && hit.normal.y > 0.99);
        let hits = query.cast_ray_all(Vec2::new(0.0, 10.0), down, all).unwrap();
        assert_eq!(
            hits.iter().map(|hit| hit.collider).collect::<Vec<_>>(),
            [ball, floor]
        );
        let disc = Shape::circle(Vec2::ZERO, 0.25).unwrap();
        let motion = Motion::line(Pose::new(Vec2::new(0.0, 10.0), 0.0), down);
        let hit = query.cast_shape(&disc, motion, all).unwrap().unwrap();
        assert_eq!(hit.collider, ball);
        assert_eq!(query.at_point(Vec2::new(2.0, 5.0), all).unwrap(), [child]);
        let area = Aabb {
            min: Vec2::new(-1.0, 4.0),
            max: Vec2::new(3.0, 6.0),
        };
        let mut found = query.in_box(area, all).unwrap();
        found.sort();
        let mut both = [ball, child];
        both.sort();
        assert_eq!(found, both);
        assert_eq!(
            query
                .overlapping(&disc, Pose::new(Vec2::new(0.0, 0.1), 0.0), all)
                .unwrap(),
            [floor]
        );
        let near = query.nearest(Vec2::new(0.0, 4.0), 1.0, all).unwrap().unwrap();
        assert_eq!((near.collider, near.body), (ball, ball));
        assert!((near.distance - 0.5).abs() < 1.0e-5);
        assert!(query.cast_ray(Vec2::NAN, down, all).is_err());
        let through = query.cast_shape_all(&disc, motion, all).unwrap();
        let through: Vec<Entity> = through.iter().map(|hit| hit.collider).collect();
        assert_eq!(through, [ball, floor]);
    };
    app.world_mut().run_system_once(ask).unwrap();
    assert!(app.world().resource::<Messages<TouchBegan>>().is_empty());
}

/// Every query with entities that it leaves out, by list and by predicate.
#[test]
fn queries_leave_entities_out() {
    let mut app = app();
    let floor = ground(&mut app);
    let ball = ball(&mut app, 0.0, 5.0);
    let place = Transform::from_xyz(0.0, 2.0, 0.0);
    let arm = (Collider::rectangle(1.0, 0.5), place, ChildOf(ball));
    let arm = app.world_mut().spawn(arm).id();
    app.world_mut().entity_mut(ball).insert(Body::Static);
    app.update();
    let ask = move |query: SpatialQuery| {
        let (from, down) = (Vec2::new(0.0, 20.0), Vec2::new(0.0, -30.0));
        let disc = Shape::circle(Vec2::ZERO, 0.25).unwrap();
        let motion = Motion::line(Pose::new(from, 0.0), down);
        let all_over = Aabb {
            min: Vec2::splat(-9.0),
            max: Vec2::splat(9.0),
        };
        let is_floor = |collider| collider == floor;
        let by_predicate = SpatialFilter {
            predicate: Some(&is_floor),
            ..SpatialFilter::default()
        };
        // A body is left out with all of its colliders, a collider by itself.
        for (filter, seen) in [
            (SpatialFilter::default(), vec![arm, ball, floor]),
            (SpatialFilter::excluding(&[arm]), vec![ball, floor]),
            (SpatialFilter::excluding(&[ball]), vec![floor]),
            (by_predicate, vec![floor]),
            (
                SpatialFilter {
                    exclude: &[floor],
                    ..by_predicate
                },
                vec![],
            ),
        ] {
            let colliders = |hits: Vec<CastHit>| hits.iter().map(|hit| hit.collider).collect::<Vec<_>>();
            let first = seen.first().copied();
            let hit = query.cast_ray(from, down, filter).unwrap();
            assert_eq!(hit.map(|hit| hit.collider), first);
            assert_eq!(colliders(query.cast_ray_all(from, down, filter).unwrap()), seen);
            let hit = query.cast_shape(&disc, motion, filter).unwrap();
            assert_eq!(hit.map(|hit| hit.collider), first);
            assert_eq!(
                colliders(query.cast_shape_all(&disc, motion, filter).unwrap()),
                seen
            );
            let near = query.nearest(Vec2::new(0.0, 7.5), 99.0, filter).unwrap();
            assert_eq!(near.map(|near| near.collider), first);
            let sorted = |mut entities: Vec<Entity>| {
                entities.sort();
                entities
            };
            assert_eq!(
                sorted(query.in_box(all_over, filter).unwrap()),
                sorted(seen.clone())
            );
            for (collider, y) in [(arm, 7.0), (ball, 5.0), (floor, -1.0)] {
                let expected: &[Entity] = if seen.contains(&collider) {
                    &[collider]
                } else {
                    &[]
                };
                let point = Vec2::new(0.0, y);
                assert_eq!(query.at_point(point, filter).unwrap(), expected);
                let pose = Pose::new(point, 0.0);
                assert_eq!(query.overlapping(&disc, pose, filter).unwrap(), expected);
            }
        }
        // The engine's own predicate counts too.
        let nothing = |_: ShapeRef<'_>| false;
        let shapes = QueryFilter {
            predicate: Some(&nothing),
            ..QueryFilter::default()
        };
        let filter = SpatialFilter {
            shapes,
            ..SpatialFilter::default()
        };
        assert_eq!(query.cast_ray(from, down, filter).unwrap(), None);
        assert_eq!(query.cast_ray(from, down, shapes).unwrap(), None);
    };
    app.world_mut().run_system_once(ask).unwrap();
}

/// Observers that despawn what touches, in the step that tells of it: every touch ends once, and nothing is left.
#[test]
fn what_is_despawned_by_an_observer_of_its_touch_ends_it_once() {
    let run = || {
        let mut app = app();
        log::<TouchBegan>(&mut app);
        log::<TouchEnded>(&mut app);
        let floor = ground(&mut app);
        for x in 0..20 {
            let ball = ball(&mut app, 0.9 * x as f32, 1.0 + 0.05 * (x % 4) as f32);
            app.world_mut().entity_mut(ball).insert(Observed);
        }
        // Two that touch each other despawn each other, and each is asked for both.
        app.world_mut()
            .add_observer(move |touch: On<TouchBegan>, mut commands: Commands| {
                for body in [touch.body, touch.other_body] {
                    if body != floor {
                        commands.entity(body).try_despawn();
                    }
                }
            });
        steps(&mut app, 80);
        let pairs = |touches: Vec<[Entity; 2]>| {
            let mut pairs = touches;
            pairs.iter_mut().for_each(|pair| pair.sort());
            pairs.sort();
            pairs
        };
        let began = logged::<TouchBegan>(&app);
        let began = pairs(began.iter().map(|touch| [touch.body, touch.other_body]).collect());
        let ended = logged::<TouchEnded>(&app);
        let ended = pairs(ended.iter().map(|touch| [touch.body, touch.other_body]).collect());
        assert!(began.len() >= 10);
        assert_eq!(began, ended);
        assert_eq!(support::faults(&app), []);
        let counters = physics(&app).world().counters();
        assert_eq!([counters.bodies, counters.shapes, counters.contacts], [1, 1, 0]);
        support::hash(&app)
    };
    assert_eq!(run(), run());
}

/// An editor spawns and despawns while the world is paused: what the step after it tells of is what the step before knew.
#[test]
fn what_goes_in_a_pause_ends_its_touches_after_it_whatever_has_had_its_place_since() {
    let mut app = app();
    log::<TouchBegan>(&mut app);
    log::<TouchEnded>(&mut app);
    let floor = ground(&mut app);
    let old = [-3.0, 3.0].map(|x| ball(&mut app, x, 0.5));
    steps(&mut app, 30);
    assert_eq!(logged::<TouchBegan>(&app).len(), 2);
    app.world_mut().resource_mut::<Physics>().set_paused(true);
    let mut new = old;
    for round in 0..20 {
        for entity in new {
            app.world_mut().despawn(entity);
        }
        app.update();
        new = [-3.0, 3.0].map(|x| ball(&mut app, x + 0.1 * round as f32, 0.5));
        app.update();
    }
    assert_eq!(logged::<TouchEnded>(&app).len(), 0, "no step tells of it yet");
    app.world_mut().resource_mut::<Physics>().set_paused(false);
    steps(&mut app, 30);
    let of_floor = |colliders: [Entity; 2]| {
        let [one, other] = colliders;
        if one == floor { other } else { one }
    };
    let mut ended: Vec<Entity> = logged::<TouchEnded>(&app)
        .iter()
        .map(|touch| of_floor([touch.collider, touch.other_collider]))
        .collect();
    ended.sort_unstable();
    let mut gone = old;
    gone.sort_unstable();
    assert_eq!(ended, gone);
    let mut began: Vec<Entity> = logged::<TouchBegan>(&app)[2..]
        .iter()
        .map(|touch| of_floor([touch.collider, touch.other_collider]))
        .collect();
    began.sort_unstable();
    new.sort_unstable();
    assert_eq!(began, new);
}
