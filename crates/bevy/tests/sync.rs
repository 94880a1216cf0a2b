//! What the game does to entities and components, and what physics makes of it.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use bevy_app::{App, FixedUpdate};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{Entity, Query, Resource, With};
use bevy_math::{Quat, Vec2, Vec3};
use bevy_time::{Fixed, Time, Virtual};
use bevy_tombolo::physics::{CombineRule, MassProperties};
use bevy_tombolo::{
    Body, BodyDisabled, BodyOptions, Collider, ColliderLink, CollisionFilter, Damping, FaultReason, Forces,
    GravityScale, LastingForce, LockedAxes, MassOverride, Material, MoveTo, Outline, Physics, PhysicsFault,
    Sensor, SleepSettings, SleepState, TomboloPlugin, Velocity,
};
use bevy_transform::components::Transform;
use support::{app, app_of_frames, at, ball, body_at, get, ground, link, physics, steps, velocity};

fn counters(app: &App) -> [usize; 3] {
    let counters = physics(app).world().counters();
    [counters.bodies, counters.shapes, counters.joints]
}

#[test]
fn what_falls_is_shown_and_comes_to_rest() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 3.0);
    app.update();
    assert!(at(&app, ball).y < 3.0);
    assert!(velocity(&app, ball).y < 0.0);
    steps(&mut app, 200);
    assert!((at(&app, ball).y - 0.5).abs() < 0.01);
    assert!(get::<SleepState>(&app, ball).is_asleep());
}

#[test]
fn a_despawned_entity_leaves_nothing_and_what_lay_on_it_falls() {
    let mut app = app();
    let ground = ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.6);
    steps(&mut app, 150);
    assert!(get::<SleepState>(&app, ball).is_asleep());
    app.world_mut().despawn(ground);
    steps(&mut app, 30);
    assert_eq!(counters(&app), [1, 1, 0]);
    assert!(at(&app, ball).y < 0.0);
    app.world_mut().despawn(ball);
    app.update();
    assert_eq!(counters(&app), [0, 0, 0]);
}

#[test]
fn a_body_that_comes_and_goes_between_two_steps_was_never_there() {
    let mut app = app();
    app.update();
    let ball = ball(&mut app, 0.0, 0.0);
    app.world_mut().despawn(ball);
    app.update();
    assert_eq!(counters(&app), [0, 0, 0]);
}

#[test]
fn a_component_that_is_removed_and_comes_again_makes_a_new_body_with_all_its_colliders() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    let child = app
        .world_mut()
        .spawn((
            Collider::circle(0.2),
            ChildOf(ball),
            Transform::from_xyz(1.0, 0.0, 0.0),
        ))
        .id();
    app.update();
    assert_eq!(counters(&app), [1, 2, 0]);
    app.world_mut().entity_mut(ball).remove::<Body>();
    app.update();
    assert_eq!(counters(&app), [0, 0, 0]);
    app.world_mut().entity_mut(ball).insert(Body::Static);
    app.update();
    assert_eq!(counters(&app), [1, 2, 0]);
    app.world_mut()
        .entity_mut(ball)
        .remove::<Body>()
        .insert(Body::Dynamic);
    app.update();
    assert_eq!(counters(&app), [1, 2, 0], "the same between two steps");
    app.world_mut().entity_mut(child).remove::<Collider>();
    app.update();
    assert_eq!(counters(&app), [1, 1, 0]);
}

#[test]
fn a_body_that_comes_again_takes_more_colliders() {
    for late_in_the_same_step in [false, true] {
        let mut app = app();
        let body = app.world_mut().spawn(Body::Dynamic).id();
        let hand = |x: f32| {
            (
                ChildOf(body),
                Collider::circle(0.2),
                Transform::from_xyz(x, 0.0, 0.0),
            )
        };
        let first = app.world_mut().spawn(hand(0.0)).id();
        app.update();
        app.world_mut()
            .entity_mut(body)
            .remove::<Body>()
            .insert(Body::Dynamic);
        if !late_in_the_same_step {
            app.update();
        }
        let late = app.world_mut().spawn(hand(2.0)).id();
        app.update();
        assert_eq!(support::faults(&app), []);
        for hand in [first, late] {
            assert_eq!(get::<ColliderLink>(&app, hand).shapes().len(), 1);
        }
    }
}

#[test]
fn a_written_transform_is_a_teleport() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.6);
    steps(&mut app, 150);
    assert!(get::<SleepState>(&app, ball).is_asleep());
    let mut transform = app.world_mut().get_mut::<Transform>(ball).unwrap();
    transform.translation = Vec3::new(4.0, 6.0, 2.0);
    transform.rotation = Quat::from_rotation_z(1.0);
    app.update();
    assert!((body_at(&app, ball) - Vec2::new(4.0, 6.0)).length() < 0.01);
    let angle = physics(&app).body(ball).unwrap().rotation().angle();
    assert!((angle - 1.0).abs() < 1.0e-3, "{angle}");
    assert!(!get::<SleepState>(&app, ball).is_asleep());
    assert_eq!(
        get::<Transform>(&app, ball).translation.z,
        2.0,
        "depth is the game's"
    );
    steps(&mut app, 20);
    assert!(at(&app, ball).y < 5.9, "it falls on from there");
}

#[test]
fn a_transform_that_is_written_as_it_is_is_none() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.6);
    for _ in 0..200 {
        app.update();
        let mut transform = app.world_mut().get_mut::<Transform>(ball).unwrap();
        transform.set_changed();
        transform.scale = Vec3::splat(3.0);
    }
    assert!(get::<SleepState>(&app, ball).is_asleep());
    assert_eq!(
        get::<Transform>(&app, ball).scale,
        Vec3::splat(3.0),
        "scale is the game's"
    );
}

#[test]
fn a_place_that_is_no_number_is_refused_and_the_body_stays() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.update();
    let before = body_at(&app, ball);
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation.x = f32::NAN;
    app.update();
    let faults = app.world().resource::<Messages<PhysicsFault>>();
    let faults: Vec<_> = faults.iter_current_update_messages().collect();
    assert!(
        matches!(faults[..], [PhysicsFault { entity, reason: FaultReason::Refused(_) }] if *entity == ball)
    );
    let after = body_at(&app, ball);
    assert!(after.is_finite() && (after - before).length() < 0.1);
    assert_eq!(at(&app, ball), after, "what physics says is shown again");
}

#[test]
fn a_written_velocity_is_the_bodys() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.update();
    *app.world_mut().get_mut::<Velocity>(ball).unwrap() = Velocity {
        linear: Vec2::new(6.4, 0.0),
        angular: 2.0,
    };
    let before = at(&app, ball);
    app.update();
    assert!((at(&app, ball).x - before.x - 0.1).abs() < 1.0e-4);
    assert_eq!(get::<Velocity>(&app, ball).angular, 2.0);
}

#[test]
fn calls_on_the_world_are_not_taken_back_by_components_that_are_not_written() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let mut body = physics.body_mut(ball).unwrap();
    body.set_linear_velocity(Vec2::new(3.0, 0.0)).unwrap();
    app.update();
    assert_eq!(velocity(&app, ball).x, 3.0);
    let pose = bevy_tombolo::physics::Pose::new(Vec2::new(-7.0, 1.0), 0.5);
    app.world_mut()
        .resource_mut::<Physics>()
        .body_mut(ball)
        .unwrap()
        .teleport(pose)
        .unwrap();
    app.update();
    assert!((at(&app, ball).x + 7.0).abs() < 0.1);
}

#[test]
fn a_static_body_that_a_call_moved_is_shown_where_it_is() {
    let mut app = app();
    let wall = ground(&mut app);
    app.update();
    let pose = bevy_tombolo::physics::Pose::new(Vec2::new(-7.0, 1.0), 0.0);
    app.world_mut()
        .resource_mut::<Physics>()
        .body_mut(wall)
        .unwrap()
        .teleport(pose)
        .unwrap();
    app.update();
    assert_eq!(at(&app, wall), Vec2::new(-7.0, 1.0));
    app.update();
    assert_eq!(body_at(&app, wall), Vec2::new(-7.0, 1.0), "and stays there");
}

#[test]
fn forces_act_once_and_lasting_ones_until_they_are_taken_away() {
    let mut app = app();
    let mut floating = |x: f32| {
        let id = ball(&mut app, x, 0.0);
        app.world_mut().entity_mut(id).insert(GravityScale(0.0));
        id
    };
    let [pushed, kicked, driven] = [0.0, 5.0, 10.0].map(&mut floating);
    app.update();
    let mass = physics(&app).body(pushed).unwrap().mass();
    let force = Vec2::new(64.0 * mass, 0.0);
    let world = app.world_mut();
    world.entity_mut(pushed).insert(Forces {
        force,
        ..Forces::default()
    });
    world.entity_mut(kicked).insert(Forces {
        impulse: Vec2::new(mass, 0.0),
        angular_impulse: 0.1,
        ..Forces::default()
    });
    world
        .entity_mut(driven)
        .insert(LastingForce { force, torque: 0.0 });
    steps(&mut app, 3);
    assert!((velocity(&app, pushed).x - 1.0).abs() < 1.0e-4);
    assert!((velocity(&app, kicked).x - 1.0).abs() < 1.0e-4);
    assert!(get::<Velocity>(&app, kicked).angular > 0.1);
    assert!((velocity(&app, driven).x - 3.0).abs() < 1.0e-3);
    assert_eq!(
        get::<Forces>(&app, pushed),
        Forces::default(),
        "the step used it up"
    );
    app.world_mut().entity_mut(driven).remove::<LastingForce>();
    steps(&mut app, 3);
    assert!((velocity(&app, driven).x - 3.0).abs() < 1.0e-3);
}

#[test]
fn a_lift_that_follows_targets_carries_what_stands_on_it() {
    let mut app = app();
    let lift = app
        .world_mut()
        .spawn((
            Body::Kinematic,
            Collider::rectangle(4.0, 0.5),
            Transform::default(),
        ))
        .id();
    let rider = ball(&mut app, 0.0, 0.75);
    for step in 1..=64 {
        let position = Vec2::new(0.0, step as f32 / 32.0);
        app.world_mut()
            .entity_mut(lift)
            .insert(MoveTo { position, angle: 0.0 });
        app.update();
        assert!((body_at(&app, lift) - position).length() < 1.0e-4);
    }
    assert!((at(&app, rider).y - 2.75).abs() < 0.05);
}

/// A lift that a target takes from 0 to 1, a tenth in each step.
fn risen_lift(app: &mut App) -> Entity {
    let lift = app
        .world_mut()
        .spawn((Body::Kinematic, Collider::rectangle(4.0, 0.5)))
        .id();
    for step in 1..=10 {
        let position = Vec2::new(0.0, step as f32 / 10.0);
        app.world_mut()
            .entity_mut(lift)
            .insert(MoveTo { position, angle: 0.0 });
        app.update();
    }
    lift
}

#[test]
fn a_lift_whose_target_is_removed_stops_there() {
    for interpolation in [false, true] {
        let mut app = support::app_with(TomboloPlugin {
            interpolation,
            ..TomboloPlugin::default()
        });
        let lift = risen_lift(&mut app);
        assert!(velocity(&app, lift).y > 6.0);
        app.world_mut().entity_mut(lift).remove::<MoveTo>();
        steps(&mut app, 30);
        assert!(
            (body_at(&app, lift).y - 1.0).abs() < 1.0e-4,
            "{}",
            body_at(&app, lift)
        );
        assert_eq!(at(&app, lift), body_at(&app, lift));
        assert_eq!(velocity(&app, lift), Vec2::ZERO);
    }
}

#[test]
fn a_lift_that_stays_at_its_target_has_no_velocity() {
    let mut app = app();
    let lift = risen_lift(&mut app);
    app.update();
    assert!((body_at(&app, lift).y - 1.0).abs() < 1.0e-4);
    app.update();
    assert_eq!(velocity(&app, lift), Vec2::ZERO);
}

#[test]
fn a_body_whose_target_is_removed_goes_on_if_the_game_or_the_solver_moves_it() {
    let mut app = app();
    let written = risen_lift(&mut app);
    app.world_mut()
        .entity_mut(written)
        .remove::<MoveTo>()
        .insert(Velocity::linear(0.0, 1.0));
    app.update();
    assert_eq!(velocity(&app, written).y, 1.0);
    let mut app = support::app();
    let called = risen_lift(&mut app);
    app.world_mut().entity_mut(called).remove::<MoveTo>();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let mut body = physics.body_mut(called).unwrap();
    body.set_linear_velocity(Vec2::new(0.0, 2.0)).unwrap();
    app.update();
    assert_eq!(velocity(&app, called).y, 2.0);
    let mut app = support::app();
    let thrown = risen_lift(&mut app);
    app.world_mut()
        .entity_mut(thrown)
        .remove::<MoveTo>()
        .insert(Body::Dynamic);
    app.update();
    assert!(velocity(&app, thrown).y > 5.0);
}

/// Sets a component, looks at the body, takes the component away and looks again.
fn comes_and_goes<T: bevy_ecs::prelude::Component + Clone>(value: T, is: impl Fn(&Physics, Entity) -> bool) {
    let name = core::any::type_name::<T>();
    let mut app = app();
    ground(&mut app);
    let entity = ball(&mut app, 0.0, 0.5);
    steps(&mut app, 2);
    assert!(!is(physics(&app), entity), "{name}: not before");
    app.world_mut().entity_mut(entity).insert(value.clone());
    app.update();
    assert!(is(physics(&app), entity), "{name}: set");
    app.world_mut().entity_mut(entity).remove::<T>();
    app.update();
    assert!(!is(physics(&app), entity), "{name}: removed");
    // The same on an entity that is spawned with it.
    let bundle = (
        Body::Dynamic,
        Collider::circle(0.5),
        Transform::from_xyz(9.0, 0.5, 0.0),
        value,
    );
    let born = app.world_mut().spawn(bundle).id();
    app.update();
    assert!(is(physics(&app), born), "{name}: spawned");
}

#[test]
fn components_of_bodies_come_and_go() {
    let damping = Damping {
        linear: 0.5,
        angular: 0.25,
    };
    comes_and_goes(damping, |physics, ball| {
        let body = physics.body(ball).unwrap();
        [body.linear_damping(), body.angular_damping()] == [0.5, 0.25]
    });
    comes_and_goes(GravityScale(-2.0), |physics, ball| {
        physics.body(ball).unwrap().gravity_scale() == -2.0
    });
    let locked = LockedAxes {
        x: true,
        y: false,
        rotation: true,
    };
    comes_and_goes(locked, |physics, ball| {
        let body = physics.body(ball).unwrap();
        body.fixed_axes() == [true, false] && body.has_fixed_rotation()
    });
    let mass = MassOverride {
        own: MassProperties {
            mass: 3.0,
            inertia: 2.0,
            center: Vec2::ZERO,
        },
        added: 0.5,
    };
    comes_and_goes(mass, |physics, ball| physics.body(ball).unwrap().mass() == 3.5);
    let options = BodyOptions {
        bullet: true,
        fast_rotation: true,
        contact_recycling: false,
        dominance: 3,
        extra_substeps: 2,
        speed_max: 20.0,
        spin_max: 9.0,
    };
    comes_and_goes(options, |physics, ball| {
        let body = physics.body(ball).unwrap();
        body.is_bullet()
            && body.has_fast_rotation()
            && !body.has_contact_recycling()
            && body.dominance() == 3
            && body.extra_substeps() == 2
            && [body.speed_max(), body.spin_max()] == [20.0, 9.0]
    });
    let sleep = SleepSettings {
        may_sleep: false,
        threshold: 0.2,
        starts_asleep: false,
    };
    comes_and_goes(sleep, |physics, ball| {
        let body = physics.body(ball).unwrap();
        !body.may_sleep() && body.sleep_threshold() == 0.2
    });
    comes_and_goes(BodyDisabled, |physics, ball| {
        !physics.body(ball).unwrap().is_enabled()
    });
    comes_and_goes(Disabled, |physics, ball| {
        !physics.body(ball).unwrap().is_enabled()
    });
}

#[test]
fn components_of_colliders_come_and_go() {
    let shape =
        |physics: &Physics, entity: Entity, is: &dyn Fn(bevy_tombolo::physics::ShapeRef<'_>) -> bool| {
            let body = physics.body(entity).unwrap();
            let shapes: Vec<_> = body.shapes().collect();
            assert_eq!(shapes.len(), 1);
            is(shapes[0])
        };
    let material = Material {
        density: 2.0,
        friction: 0.1,
        restitution: 0.5,
        rolling_resistance: 0.2,
        tangent_speed: 1.0,
        friction_rule: CombineRule::Product,
        restitution_rule: CombineRule::Mean,
        contact_skin: 0.03,
        material: 3,
    };
    comes_and_goes(material, |physics, entity| {
        shape(physics, entity, &|shape| {
            let is = [
                shape.density(),
                shape.friction(),
                shape.restitution(),
                shape.rolling_resistance(),
                shape.tangent_speed(),
                shape.contact_skin(),
            ];
            let rules = shape.combine_rules() == [CombineRule::Product, CombineRule::Mean];
            is == [2.0, 0.1, 0.5, 0.2, 1.0, 0.03] && rules && shape.material_number() == 3
        })
    });
    comes_and_goes(CollisionFilter::new(4, 9), |physics, entity| {
        shape(physics, entity, &|shape| {
            shape.filter() == CollisionFilter::new(4, 9).0
        })
    });
    comes_and_goes(Sensor, |physics, entity| {
        shape(physics, entity, &|shape| shape.is_sensor())
    });
    let reports = bevy_tombolo::Reports {
        touches: false,
        hits: true,
        force_threshold: 5.0,
        sensors: true,
        fixed: true,
    };
    comes_and_goes(reports, |physics, entity| {
        shape(physics, entity, &|shape| {
            !shape.has_contact_events()
                && shape.has_hit_events()
                && shape.force_threshold() == 5.0
                && shape.sees_sensors()
                && shape.sees_fixed()
        })
    });
}

#[test]
fn a_changed_kind_a_changed_shape_and_a_changed_value_are_seen() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.update();
    *app.world_mut().get_mut::<Body>(ball).unwrap() = Body::Static;
    *app.world_mut().get_mut::<Collider>(ball).unwrap() = Collider::rectangle(2.0, 2.0);
    let before = at(&app, ball);
    steps(&mut app, 5);
    assert_eq!(at(&app, ball), before, "it does not fall any more");
    let shapes: Vec<_> = physics(&app).body(ball).unwrap().shapes().collect();
    assert_eq!(shapes.len(), 1);
    assert_eq!(shapes[0].geometry().vertices().len(), 4);
    app.world_mut().entity_mut(ball).insert(GravityScale(0.0));
    app.update();
    app.world_mut().get_mut::<GravityScale>(ball).unwrap().0 = 3.0;
    app.update();
    assert_eq!(physics(&app).body(ball).unwrap().gravity_scale(), 3.0);
}

#[test]
fn a_material_that_changes_leaves_the_shape_and_its_touches() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.5);
    steps(&mut app, 5);
    let shapes = get::<ColliderLink>(&app, ball).shapes().to_vec();
    app.world_mut().entity_mut(ball).insert(Material {
        friction: 0.9,
        ..Material::default()
    });
    app.update();
    assert_eq!(get::<ColliderLink>(&app, ball).shapes(), shapes);
    assert_eq!(physics(&app).body(ball).unwrap().contacts().count(), 1);
}

#[test]
fn every_kind_of_outline_becomes_shapes_on_the_body_and_on_children_of_children() {
    let corner = [
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    ]
    .map(Vec2::from);
    let outlines = [
        (Outline::circle(0.5), 1),
        (Outline::capsule(0.2, 1.0), 1),
        (
            Outline::Segment {
                a: Vec2::ZERO,
                b: Vec2::X,
            },
            1,
        ),
        (Outline::rectangle(1.0, 2.0), 1),
        (
            Outline::Rectangle {
                width: 1.0,
                height: 2.0,
                radius: 0.1,
            },
            1,
        ),
        (Outline::polygon([Vec2::ZERO, Vec2::X, Vec2::Y]), 1),
        (Outline::chain([Vec2::X, Vec2::ZERO, Vec2::NEG_X]), 2),
        (Outline::concave(corner), 2),
        (bevy_shape::RegularPolygon::new(1.0, 6).into(), 1),
        (bevy_shape::RegularPolygon::new(1.0, 12).into(), 2),
        (bevy_shape::Rectangle::new(1.0, 2.0).into(), 1),
    ];
    for (outline, count) in outlines {
        let mut app = app();
        let body = app
            .world_mut()
            .spawn((
                Body::Dynamic,
                Collider::from(outline.clone()),
                Transform::from_xyz(1.0, 2.0, 0.0),
            ))
            .id();
        let arm = app
            .world_mut()
            .spawn((ChildOf(body), Transform::from_xyz(3.0, 0.0, 0.0)))
            .id();
        let turn = Transform::from_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
        let hand = app
            .world_mut()
            .spawn((ChildOf(arm), Collider::from(outline.clone()), turn))
            .id();
        app.update();
        let faults = app.world().resource::<Messages<PhysicsFault>>();
        assert!(faults.is_empty(), "{outline:?}");
        for entity in [body, hand] {
            let shapes = get::<ColliderLink>(&app, entity).shapes().len();
            assert!(
                shapes == count || count == 2 && shapes >= 2,
                "{outline:?}: {shapes}"
            );
        }
        // The shapes of the hand are those of the body, turned and moved.
        let boxes = [body, hand].map(|entity| {
            let shapes = get::<ColliderLink>(&app, entity).shapes().to_vec();
            let world = physics(&app).world();
            let boxes = shapes
                .into_iter()
                .map(|shape| world.shape(shape).unwrap().geometry().aabb(Default::default()));
            boxes.reduce(bevy_tombolo::physics::Aabb::union).unwrap()
        });
        let turned = Vec2::new(3.0 - boxes[0].max.y, boxes[0].min.x);
        assert!(
            (boxes[1].min - turned).length() < 1.0e-4,
            "{outline:?}: {boxes:?}"
        );
        // What is the same is left alone.
        let before = get::<ColliderLink>(&app, hand).shapes().to_vec();
        app.world_mut()
            .get_mut::<Collider>(hand)
            .unwrap()
            .parts
            .shrink_to_fit();
        app.update();
        assert_eq!(get::<ColliderLink>(&app, hand).shapes(), before, "{outline:?}");
    }
}

#[test]
fn a_shape_that_is_none_is_refused_and_says_so() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert(Collider::circle(-1.0));
    app.update();
    let faults = app.world().resource::<Messages<PhysicsFault>>();
    assert_eq!(
        faults
            .iter_current_update_messages()
            .next()
            .map(|fault| fault.entity),
        Some(ball)
    );
    assert_eq!(counters(&app), [1, 0, 0]);
    app.world_mut().entity_mut(ball).insert(Collider::circle(1.0));
    app.update();
    assert_eq!(counters(&app), [1, 1, 0]);
}

#[test]
fn a_collider_follows_the_entities_above_it() {
    let mut app = app();
    let [left, right] = [-5.0, 5.0].map(|x| {
        let bundle = (Body::Static, Transform::from_xyz(x, 0.0, 0.0));
        app.world_mut().spawn(bundle).id()
    });
    let arm = app
        .world_mut()
        .spawn((ChildOf(left), Transform::from_xyz(0.0, 1.0, 0.0)))
        .id();
    let hand = app
        .world_mut()
        .spawn((
            ChildOf(arm),
            Collider::circle(0.1),
            Transform::from_xyz(1.0, 0.0, 0.0),
        ))
        .id();
    let place = |app: &App| {
        let shape = get::<ColliderLink>(app, hand).shapes()[0];
        let shape = physics(app).world().shape(shape).unwrap();
        shape.body().pose().transform_point(shape.geometry().centroid())
    };
    app.update();
    assert_eq!(place(&app), Vec2::new(-4.0, 1.0));
    app.world_mut().get_mut::<Transform>(arm).unwrap().translation.y = 2.0;
    app.update();
    assert_eq!(place(&app), Vec2::new(-4.0, 2.0), "what is between moved");
    app.world_mut().entity_mut(arm).insert(ChildOf(right));
    app.update();
    assert_eq!(place(&app), Vec2::new(6.0, 2.0), "another body");
    assert_eq!(get::<ColliderLink>(&app, hand).body(), Some(right));
    assert_eq!(counters(&app), [2, 1, 0]);
    app.world_mut().entity_mut(arm).remove::<ChildOf>();
    app.update();
    assert_eq!(counters(&app), [2, 0, 0], "no body");
    app.world_mut().entity_mut(arm).insert(ChildOf(left));
    app.update();
    assert_eq!(place(&app), Vec2::new(-4.0, 2.0));
    app.world_mut().get_mut::<Transform>(left).unwrap().scale = Vec3::splat(2.0);
    app.update();
    assert_eq!(place(&app), Vec2::new(-3.0, 4.0), "as it is drawn");
}

#[derive(Resource, Default)]
struct Seen(Vec<Vec2>);

#[test]
fn pausing_and_slowing_down_are_the_clocks() {
    let frame = Duration::from_secs_f64(1.0 / 64.0);
    let mut app = app_of_frames(frame, TomboloPlugin::default());
    let ball = ball(&mut app, 0.0, 100.0);
    steps(&mut app, 10);
    let made = physics(&app).world().step_index();
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    let before = at(&app, ball);
    steps(&mut app, 10);
    assert_eq!(physics(&app).world().step_index(), made);
    assert_eq!(at(&app, ball), before);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    app.world_mut()
        .resource_mut::<Time<Virtual>>()
        .set_relative_speed(0.5);
    steps(&mut app, 20);
    let half = physics(&app).world().step_index() - made;
    assert!((9..=11).contains(&half), "{half}");
    app.world_mut()
        .resource_mut::<Time<Virtual>>()
        .set_relative_speed(4.0);
    steps(&mut app, 10);
    let fast = physics(&app).world().step_index() - made - half;
    assert!((39..=41).contains(&fast), "{fast}");
}

#[test]
fn a_paused_world_takes_over_what_components_say_and_makes_no_steps() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.update();
    app.world_mut().resource_mut::<Physics>().set_paused(true);
    let moved = app.world_mut().spawn((Body::Static, Collider::circle(1.0))).id();
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation.x = 3.0;
    app.world_mut().entity_mut(ball).insert(Forces {
        impulse: Vec2::new(1.0, 0.0),
        ..Forces::default()
    });
    steps(&mut app, 5);
    assert_eq!(physics(&app).world().step_index(), 1);
    assert!(physics(&app).body(moved).is_some());
    assert_eq!(body_at(&app, ball).x, 3.0);
    app.world_mut().resource_mut::<Physics>().set_paused(false);
    app.update();
    assert!(velocity(&app, ball).x > 0.5, "the impulse waited");
}

#[test]
fn systems_of_the_fixed_schedule_see_the_world_and_not_what_is_drawn() {
    // Frames of another length: what is drawn is between two steps.
    let run = |frame: f64| {
        let mut app = app_of_frames(Duration::from_secs_f64(frame), TomboloPlugin::default());
        app.init_resource::<Seen>();
        app.add_systems(
            FixedUpdate,
            |mut seen: bevy_ecs::prelude::ResMut<Seen>, query: Query<&Transform, With<Body>>| {
                seen.0
                    .extend(query.iter().map(|transform| transform.translation.truncate()));
            },
        );
        let body = ball(&mut app, 0.0, 50.0);
        app.world_mut().entity_mut(body).insert(Velocity {
            linear: Vec2::new(3.0, 0.0),
            angular: 1.0,
        });
        while app.world().resource::<Seen>().0.len() < 60 {
            app.update();
        }
        let mut seen = core::mem::take(&mut app.world_mut().resource_mut::<Seen>().0);
        seen.truncate(60);
        seen
    };
    assert_eq!(run(1.0 / 64.0), run(1.0 / 144.0));
    assert_eq!(run(1.0 / 64.0), run(1.0 / 60.0));
    assert_eq!(run(1.0 / 64.0), run(1.0 / 23.0));
}

#[test]
fn a_body_that_starts_asleep_sleeps() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert(SleepSettings {
        starts_asleep: true,
        ..SleepSettings::default()
    });
    steps(&mut app, 10);
    assert_eq!(at(&app, ball).y, 5.0);
    assert!(get::<SleepState>(&app, ball).is_asleep());
    assert_eq!(link(&app, ball).pose().position.y, 5.0);
}

#[test]
fn a_step_of_the_fixed_clock_is_a_step_of_the_world() {
    let mut app = app();
    app.world_mut()
        .resource_mut::<Time<Fixed>>()
        .set_timestep_hz(50.0);
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert(GravityScale(0.0));
    app.world_mut()
        .entity_mut(ball)
        .insert(Velocity::linear(1.0, 0.0));
    steps(&mut app, 50);
    assert!((at(&app, ball).x - 1.0).abs() < 0.03, "{}", at(&app, ball).x);
}
