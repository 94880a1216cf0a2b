//! What games do now and then: clocks that stop and change, entities that are taken apart, levels that begin again, pictures that
//! are flipped, a plugin that comes late.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, FixedUpdate, TaskPoolPlugin, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{Component, Entity, Query, With};
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::Vec2;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy, Virtual};
use bevy_tombolo::physics::{FieldKind, Tile, TileGridDef};
use bevy_tombolo::{
    Body, BodyLink, Collider, ColliderLink, Field, Joint, JointLink, Outline, Physics, Rollback, StableKey,
    TileGrid, TomboloPlugin, TouchEnded, Velocity,
};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use support::{app, app_with, at, ball, body_at, faults, get, ground, hash, physics, steps};

fn with(interpolation: bool) -> TomboloPlugin {
    TomboloPlugin {
        interpolation,
        ..TomboloPlugin::default()
    }
}

/// A body below an entity, with a collider below it, hung from a beam, in wind, over tiles.
fn all_kinds(app: &mut App) {
    let world = app.world_mut();
    let beam = world
        .spawn((Body::Static, Transform::from_xyz(0.0, 9.0, 0.0)))
        .id();
    let room = world.spawn(Transform::from_xyz(1.0, 2.0, 0.0)).id();
    let load = (ChildOf(room), Body::Dynamic, Transform::from_xyz(0.5, 1.0, 0.0));
    let load = world.spawn(load).id();
    world.spawn((
        ChildOf(load),
        Collider::circle(0.4),
        Transform::from_xyz(0.2, 0.0, 0.0),
    ));
    world.spawn((Body::Dynamic, Collider::circle(0.5), Disabled));
    world.spawn(Joint::rope(beam, Vec2::ZERO, load, Vec2::ZERO, 7.0));
    world.spawn(Field::everywhere(FieldKind::Gravity {
        acceleration: Vec2::X,
    }));
    let tiles = TileGridDef {
        width: 4,
        height: 1,
        tiles: vec![Tile::default()],
        cells: vec![1; 4],
        ..TileGridDef::default()
    };
    world.spawn((
        Body::Static,
        TileGrid::new(tiles),
        Transform::from_xyz(0.0, -4.0, 0.0),
    ));
}

#[test]
fn what_was_spawned_before_the_plugin_was_added_is_there_too() {
    let run = |late: bool| {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        if late {
            all_kinds(&mut app);
            app.add_plugins(with(false));
        } else {
            app.add_plugins(with(false));
            all_kinds(&mut app);
        }
        steps(&mut app, 60);
        let counters = physics(&app).world().counters();
        assert_eq!([counters.bodies, counters.joints], [4, 1]);
        (hash(&app), physics(&app).world().fields().count())
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn parents_in_a_circle_end_no_step() {
    let mut app = app();
    let ring: Vec<Entity> = (0..3).map(|x| ball(&mut app, 3.0 * x as f32, 5.0)).collect();
    app.update();
    for (at, &entity) in ring.iter().enumerate() {
        app.world_mut()
            .entity_mut(entity)
            .insert(ChildOf(ring[(at + 1) % 3]));
    }
    steps(&mut app, 2);
    app.world_mut().get_mut::<Transform>(ring[0]).unwrap().scale.x = 2.0;
    steps(&mut app, 2);
    for &entity in &ring {
        app.world_mut().entity_mut(entity).remove::<ChildOf>();
    }
    steps(&mut app, 2);
    assert_eq!(physics(&app).world().bodies().len(), 3);
}

#[test]
fn a_disabled_collider_below_its_body_has_no_shapes_until_it_is_enabled() {
    let mut app = app();
    ground(&mut app);
    let body = app
        .world_mut()
        .spawn((
            Body::Dynamic,
            Collider::circle(0.1),
            Transform::from_xyz(0.0, 0.5, 0.0),
        ))
        .id();
    let leg = app
        .world_mut()
        .spawn((ChildOf(body), Collider::rectangle(1.0, 1.0)))
        .id();
    steps(&mut app, 30);
    assert!(body_at(&app, body).y > 0.4, "it stands");
    let standing = app.world_mut().save_physics();
    app.world_mut().entity_mut(leg).insert(Disabled);
    app.update();
    let ended = app.world().resource::<Messages<TouchEnded>>();
    assert_eq!(ended.iter_current_update_messages().count(), 1);
    steps(&mut app, 60);
    assert!(body_at(&app, body).y < 0.2, "nothing holds it");
    assert_eq!(physics(&app).world().shapes().len(), 2);
    let falling = app.world_mut().save_physics();
    app.world_mut().restore_physics(&standing);
    steps(&mut app, 60);
    assert!(
        body_at(&app, body).y < 0.2,
        "what the game did not take back counts"
    );
    app.world_mut().entity_mut(leg).remove::<Disabled>();
    app.update();
    let link = app.world().get::<ColliderLink>(leg).unwrap();
    assert_eq!(link.shapes().len(), 1);
    assert!(physics(&app).world().shape(link.shapes()[0]).is_some());
    app.world_mut().restore_physics(&standing);
    steps(&mut app, 60);
    assert!(body_at(&app, body).y > 0.4, "it stands as before");
    app.world_mut().restore_physics(&falling);
    app.update();
    assert_eq!(physics(&app).world().shapes().len(), 3);
    assert_eq!(faults(&app), []);
}

#[derive(Component)]
struct Picture;

/// Sprites are flipped by a negative scale, in whatever schedule: bodies that look the same from both sides do not notice.
#[test]
fn a_picture_that_is_flipped_by_its_scale_changes_nothing_of_a_symmetric_body() {
    fn flips(app: &mut App, schedule: impl ScheduleLabel) {
        app.add_systems(schedule, |mut pictures: Query<&mut Transform, With<Picture>>| {
            for mut picture in &mut pictures {
                picture.scale.x = -picture.scale.x;
            }
        });
    }
    let run = |interpolation: bool, flip: fn(&mut App)| {
        let mut app = app_with(with(interpolation));
        ground(&mut app);
        for (x, collider) in [
            Collider::circle(0.5),
            Collider::rectangle(1.0, 0.6),
            Outline::capsule(0.3, 0.5).into(),
            Collider::from(Outline::Rectangle {
                width: 1.0,
                height: 0.6,
                radius: 0.1,
            }),
        ]
        .into_iter()
        .enumerate()
        {
            for y in 0..3 {
                let place = Transform::from_xyz(0.8 * x as f32, 1.0 + 2.0 * y as f32, 0.0);
                app.world_mut()
                    .spawn((Picture, Body::Dynamic, collider.clone(), place));
            }
        }
        flip(&mut app);
        steps(&mut app, 120);
        hash(&app)
    };
    let straight = run(false, |_| {});
    for interpolation in [false, true] {
        assert_eq!(run(interpolation, |app| flips(app, FixedUpdate)), straight);
        assert_eq!(run(interpolation, |app| flips(app, Update)), straight);
    }
}

#[test]
fn an_entity_whose_components_are_all_removed_leaves_nothing() {
    let mut app = app();
    ground(&mut app);
    let balls: Vec<Entity> = (0..4).map(|x| ball(&mut app, 3.0 * x as f32, 5.0)).collect();
    let rope = Joint::rope(balls[0], Vec2::ZERO, balls[1], Vec2::ZERO, 5.0);
    let rope = app.world_mut().spawn(rope).id();
    app.update();
    app.world_mut().entity_mut(balls[0]).clear();
    app.world_mut()
        .entity_mut(balls[1])
        .remove_with_requires::<(Body, Collider)>();
    app.world_mut().entity_mut(balls[2]).retain::<Transform>();
    steps(&mut app, 2);
    let counters = physics(&app).world().counters();
    assert_eq!([counters.bodies, counters.shapes, counters.joints], [2, 2, 0]);
    assert_eq!(get::<JointLink>(&app, rope).id(), None);
    for &entity in &balls[..3] {
        assert!(physics(&app).body(entity).is_none());
        app.world_mut()
            .entity_mut(entity)
            .insert((Body::Dynamic, Collider::circle(0.5)));
    }
    steps(&mut app, 2);
    let counters = physics(&app).world().counters();
    assert_eq!([counters.bodies, counters.shapes, counters.joints], [5, 5, 1]);
    assert_eq!(faults(&app), []);
}

#[test]
fn a_body_without_its_transform_goes_on_and_takes_the_next_one() {
    for interpolation in [false, true] {
        let mut app = app_with(with(interpolation));
        let [one, other] = [0.0, 5.0].map(|x| ball(&mut app, x, 50.0));
        steps(&mut app, 3);
        app.world_mut().entity_mut(one).remove::<Transform>();
        let saved = app.world_mut().save_physics();
        steps(&mut app, 10);
        assert_eq!(body_at(&app, one).y, body_at(&app, other).y);
        app.world_mut().restore_physics(&saved);
        steps(&mut app, 10);
        assert_eq!(body_at(&app, one).y, body_at(&app, other).y);
        app.world_mut()
            .entity_mut(one)
            .insert(Transform::from_xyz(-3.0, 50.0, 0.0));
        app.update();
        assert!((body_at(&app, one) - Vec2::new(-3.0, 50.0)).length() < 0.2);
    }
}

/// A clock that is slowed down, stopped and let go, and steps of another length.
#[test]
fn steps_are_those_of_the_clock_however_it_runs() {
    for interpolation in [false, true] {
        let mut app = app_with(with(interpolation));
        ground(&mut app);
        for i in 0..20 {
            ball(&mut app, 0.9 * (i % 5) as f32, 1.0 + i as f32);
        }
        app.update();
        let mut plain = physics(&app).world().clone();
        let speed = |app: &mut App, speed: f32| {
            let mut time = app.world_mut().resource_mut::<Time<Virtual>>();
            time.set_relative_speed(speed);
        };
        let mut steps_of = |app: &mut App, frames: usize, count: usize| {
            steps(app, frames);
            let dt = app.world().resource::<Time<Fixed>>().timestep().as_secs_f32();
            for _ in 0..count {
                plain.step(dt).unwrap();
            }
            assert_eq!(hash(app), plain.state_hash(), "{interpolation}, {dt}");
        };
        steps_of(&mut app, 10, 10);
        speed(&mut app, 0.0);
        steps_of(&mut app, 10, 0);
        speed(&mut app, 0.5);
        steps_of(&mut app, 20, 10);
        speed(&mut app, 3.0);
        steps_of(&mut app, 5, 15);
        speed(&mut app, 1.0);
        for hertz in [30.0, 240.0, 64.0] {
            app.world_mut()
                .resource_mut::<Time<Fixed>>()
                .set_timestep_hz(hertz);
            steps_of(&mut app, 20, 20);
        }
    }
}

const PLAYERS: u64 = 6;

/// A level whose entities have keys, one with a collider below it, and a joint.
fn level(app: &mut App) -> Entity {
    let root = app.world_mut().spawn(Transform::IDENTITY).id();
    let mut bodies = Vec::new();
    for key in 0..PLAYERS {
        let place = Transform::from_xyz(0.7 * key as f32, 2.0 + key as f32, 0.0);
        let body = (ChildOf(root), Body::Dynamic, StableKey(key), place);
        let body = app.world_mut().spawn(body).id();
        app.world_mut().spawn((ChildOf(body), Collider::circle(0.4)));
        bodies.push(body);
    }
    let floor = (
        ChildOf(root),
        Body::Static,
        StableKey(100),
        Collider::rectangle(40.0, 1.0),
    );
    app.world_mut().spawn(floor);
    let rope = Joint::rope(bodies[0], Vec2::ZERO, bodies[5], Vec2::ZERO, 3.0);
    app.world_mut().spawn((ChildOf(root), StableKey(200), rope));
    root
}

/// What is despawned with a state and spawned for the next one, in one frame, with the same keys.
#[test]
fn a_level_that_begins_again_in_a_frame_has_its_keys_and_goes_back_beyond_its_beginning() {
    for interpolation in [false, true] {
        let mut app = app_with(with(interpolation));
        let first = level(&mut app);
        steps(&mut app, 20);
        let (saved, then) = (app.world_mut().save_physics(), hash(&app));
        steps(&mut app, 40);
        let straight = hash(&app);
        app.world_mut().despawn(first);
        let second = level(&mut app);
        app.update();
        assert_eq!(faults(&app), []);
        let counters = physics(&app).world().counters();
        assert_eq!([counters.bodies, counters.shapes, counters.joints], [7, 7, 1]);
        steps(&mut app, 5);
        app.world_mut().restore_physics(&saved);
        assert_eq!(hash(&app), then);
        steps(&mut app, 40);
        assert_eq!(hash(&app), straight, "the level of now with the bodies of then");
        assert_eq!(faults(&app), []);
        // Again, and back in the same frame, before its step.
        app.world_mut().despawn(second);
        level(&mut app);
        app.world_mut().restore_physics(&saved);
        steps(&mut app, 40);
        assert_eq!(hash(&app), straight);
        assert_eq!(faults(&app), []);
        for key in 0..PLAYERS {
            let entity = physics(&app).entity_of_key(StableKey(key).user_key()).unwrap();
            assert!((at(&app, entity) - body_at(&app, entity)).length() < 0.3);
        }
    }
}

/// A joint whose end goes waits, and takes another end.
#[test]
fn a_joint_outlives_its_ends() {
    let mut app = app();
    let beam = app
        .world_mut()
        .spawn((Body::Static, Transform::from_xyz(0.0, 9.0, 0.0)))
        .id();
    let later = app.world_mut().spawn_empty().id();
    let rope = Joint::rope(beam, Vec2::ZERO, later, Vec2::ZERO, 2.0);
    let rope = app.world_mut().spawn(rope).id();
    let holds = |app: &App| get::<JointLink>(app, rope).id().is_some();
    steps(&mut app, 3);
    assert!(!holds(&app));
    for round in 0..3 {
        app.world_mut().entity_mut(later).insert((
            Body::Dynamic,
            Collider::circle(0.5),
            Transform::from_xyz(0.0, 8.0, 0.0),
        ));
        steps(&mut app, 60);
        assert!(holds(&app), "{round}");
        assert!(body_at(&app, later).y > 6.5);
        app.world_mut().entity_mut(later).remove::<Body>();
        steps(&mut app, 2);
        assert!(!holds(&app));
    }
    app.world_mut().despawn(later);
    let other = ball(&mut app, 0.0, 8.0);
    app.update();
    assert!(!holds(&app));
    app.world_mut().get_mut::<Joint>(rope).unwrap().bodies[1] = other;
    steps(&mut app, 60);
    assert!(holds(&app) && body_at(&app, other).y > 6.5);
    // In one frame: the end goes, the other comes, and the joint is told.
    app.world_mut().despawn(other);
    let third = ball(&mut app, 0.0, 8.0);
    app.world_mut().get_mut::<Joint>(rope).unwrap().bodies[1] = third;
    app.update();
    assert!(holds(&app));
    app.world_mut().despawn(beam);
    steps(&mut app, 2);
    assert!(!holds(&app));
    assert_eq!(physics(&app).world().joints().len(), 0);
    assert_eq!(faults(&app), []);
}

fn insert(app: &mut App, entity: Entity, component: impl Component) {
    app.world_mut().entity_mut(entity).insert(component);
}

/// Whatever is inserted first, and in whichever of several frames: the body has the same shapes.
#[test]
fn a_body_its_parent_and_its_collider_come_in_any_order() {
    let parts: [fn(&mut App, [Entity; 3]); 4] = [
        |app, [_, _, body]| insert(app, body, Body::Dynamic),
        |app, [_, leaf, _]| insert(app, leaf, Collider::circle(0.5)),
        |app, [middle, leaf, _]| insert(app, leaf, ChildOf(middle)),
        |app, [middle, _, body]| insert(app, middle, ChildOf(body)),
    ];
    for order in 0..24 {
        for is_by_frames in [false, true] {
            let mut app = app();
            let [middle, leaf] = [1.0, 2.0].map(|x| {
                let place = Transform::from_xyz(x, 0.0, 0.0);
                app.world_mut().spawn(place).id()
            });
            let body = app.world_mut().spawn(Velocity::default()).id();
            let mut left = parts.to_vec();
            let mut number = order;
            while !left.is_empty() {
                let part = left.remove(number % left.len());
                number /= left.len() + 1;
                part(&mut app, [middle, leaf, body]);
                if is_by_frames {
                    app.update();
                }
            }
            app.update();
            let link = app.world().get::<ColliderLink>(leaf).unwrap();
            assert_eq!(link.body(), Some(body), "{order}");
            let shape = physics(&app).world().shape(link.shapes()[0]).unwrap();
            assert_eq!(shape.geometry().centroid(), Vec2::new(3.0, 0.0));
            assert_eq!(physics(&app).world().shapes().len(), 1);
            app.world_mut().despawn(middle);
            app.update();
            assert_eq!(physics(&app).world().shapes().len(), 0);
            assert!(get::<BodyLink>(&app, body).id().is_some());
        }
    }
}

/// A paused world that is let go goes on as if it had not been paused, whatever is drawn meanwhile.
#[test]
fn a_pause_between_two_steps_changes_no_bit() {
    let run = |pauses: bool| {
        let mut app = app_with(with(true));
        ground(&mut app);
        let parent = ball(&mut app, 0.0, 5.0);
        let nested = ball(&mut app, 1.5, 0.0);
        app.world_mut().entity_mut(nested).insert(ChildOf(parent));
        for _ in 0..30 {
            app.update();
            if pauses {
                app.world_mut().resource_mut::<Physics>().set_paused(true);
                steps(&mut app, 2);
                app.world_mut().resource_mut::<Physics>().set_paused(false);
            }
        }
        assert_eq!(app.world().get::<Children>(parent).unwrap().len(), 1);
        hash(&app)
    };
    assert_eq!(run(true), run(false));
}
