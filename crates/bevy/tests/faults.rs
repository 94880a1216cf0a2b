//! Refused values, keys in use and steps of an invalid length: what is reported, and what comes when they are mended.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::Entity;
use bevy_math::{Quat, Vec2};
use bevy_time::{Fixed, Time};
use bevy_tombolo::{
    Body, BodyDisabled, Collider, ColliderLink, Damping, FaultReason, Forces, GravityScale, Joint, JointLink,
    Physics, PhysicsFault, Rollback, SleepSettings, StableKey, TomboloPlugin, TouchBegan,
};
use bevy_transform::components::Transform;
use support::{app, app_of_frames, ball, faults, get, ground, physics, steps, velocity};

fn keyed(app: &mut App, key: u64) -> Entity {
    let bundle = (StableKey(key), Body::Dynamic, Collider::circle(0.5));
    app.world_mut().spawn(bundle).id()
}

const WRONG: Damping = Damping {
    linear: -1.0,
    angular: 0.0,
};

#[test]
fn a_body_whose_numbers_are_mended_comes() {
    let mut app = app();
    let wrong = ball(&mut app, 0.0, 0.0);
    app.world_mut().entity_mut(wrong).insert(WRONG);
    let nowhere = ball(&mut app, f32::NAN, 0.0);
    app.update();
    let refused: Vec<Entity> = faults(&app).iter().map(|fault| fault.entity).collect();
    assert_eq!(refused, [wrong, nowhere]);
    steps(&mut app, 3);
    assert_eq!(faults(&app), [], "it is reported once");
    app.world_mut().entity_mut(wrong).insert(Damping::default());
    app.world_mut()
        .get_mut::<Transform>(nowhere)
        .unwrap()
        .translation
        .x = 3.0;
    app.update();
    assert_eq!(faults(&app), []);
    for entity in [wrong, nowhere] {
        let body = physics(&app).body(entity).expect("it was mended");
        assert_eq!(body.shapes().count(), 1);
    }
}

#[test]
fn a_body_whose_key_has_become_free_comes() {
    let mut app = app();
    let old = keyed(&mut app, 7);
    app.update();
    let new = keyed(&mut app, 7);
    app.update();
    assert_eq!(faults(&app).len(), 1);
    steps(&mut app, 3);
    assert_eq!(faults(&app), [], "it is reported once");
    app.world_mut().despawn(old);
    app.update();
    assert!(physics(&app).body(new).is_some());
    // What waits and is despawned leaves nothing.
    let never = keyed(&mut app, 7);
    app.update();
    app.world_mut().despawn(never);
    app.world_mut().despawn(new);
    steps(&mut app, 2);
    assert_eq!(physics(&app).world().counters().bodies, 0);
}

#[test]
fn a_body_that_waits_for_a_key_comes_after_the_world_went_back_too() {
    let mut app = app();
    let old = keyed(&mut app, 7);
    app.update();
    let new = keyed(&mut app, 7);
    app.update();
    let saved = app.world_mut().save_physics();
    app.update();
    app.world_mut().restore_physics(&saved);
    app.update();
    assert!(physics(&app).body(old).is_some() && physics(&app).body(new).is_none());
    app.world_mut().despawn(old);
    app.update();
    assert!(physics(&app).body(new).is_some());
}

#[test]
fn a_joint_that_waits_for_a_key_takes_none_from_another_when_the_world_goes_back() {
    let mut app = app();
    let [a, b] = [0.0, 3.0].map(|x| ball(&mut app, x, 0.0));
    let rope = || (StableKey(5), Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0));
    // Whichever of the two is first in Bevy's tables.
    let first = app.world_mut().spawn((rope(), GravityScale(1.0))).id();
    app.update();
    let others = [
        app.world_mut().spawn(rope()).id(),
        app.world_mut().spawn((rope(), GravityScale(1.0))).id(),
    ];
    app.update();
    let saved = app.world_mut().save_physics();
    app.update();
    app.world_mut().restore_physics(&saved);
    app.update();
    assert!(get::<JointLink>(&app, first).id().is_some());
    for other in others {
        assert!(get::<JointLink>(&app, other).id().is_none());
        app.world_mut().despawn(other);
    }
    app.update();
    assert_eq!(physics(&app).world().counters().joints, 1);
}

#[test]
fn colliders_and_joints_whose_keys_have_become_free_come() {
    let mut app = app();
    let [a, b] = [0.0, 3.0].map(|x| ball(&mut app, x, 0.0));
    let rope = || (StableKey(5), Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0));
    let hand = || (StableKey(6), ChildOf(a), Collider::circle(0.1));
    let (first_rope, first_hand) = (
        app.world_mut().spawn(rope()).id(),
        app.world_mut().spawn(hand()).id(),
    );
    app.update();
    let (rope, hand) = (
        app.world_mut().spawn(rope()).id(),
        app.world_mut().spawn(hand()).id(),
    );
    app.update();
    assert_eq!(faults(&app).len(), 2);
    steps(&mut app, 3);
    assert_eq!(faults(&app), [], "they are reported once");
    app.world_mut().despawn(first_rope);
    app.world_mut().despawn(first_hand);
    app.update();
    assert!(get::<JointLink>(&app, rope).id().is_some());
    assert_eq!(get::<ColliderLink>(&app, hand).shapes().len(), 1);
}

#[test]
fn what_was_refused_for_its_key_comes_with_another_one() {
    let mut app = app();
    let [a, b] = [0.0, 3.0].map(|x| ball(&mut app, x, 0.0));
    let rope = || (StableKey(5), Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0));
    app.world_mut().spawn(rope());
    app.update();
    let second = app.world_mut().spawn(rope()).id();
    app.update();
    assert_eq!(faults(&app).len(), 1);
    app.world_mut().entity_mut(second).insert(StableKey(6));
    app.update();
    assert!(get::<JointLink>(&app, second).id().is_some());
}

#[test]
fn a_collider_that_meets_a_key_in_use_again_is_reported_again() {
    let mut app = app();
    let body = ball(&mut app, 0.0, 0.0);
    let hand = || (StableKey(6), Collider::circle(0.1));
    app.world_mut().spawn((ChildOf(body), hand()));
    app.update();
    let second = app.world_mut().spawn((ChildOf(body), hand())).id();
    app.update();
    assert_eq!(faults(&app).len(), 1);
    app.world_mut().entity_mut(second).remove::<ChildOf>();
    app.update();
    app.world_mut().entity_mut(second).insert(ChildOf(body));
    app.update();
    assert_eq!(faults(&app).len(), 1);
}

#[test]
fn the_key_of_a_joint_that_waited_is_free_when_it_is_despawned() {
    let mut app = app();
    let [a, b] = [0.0, 3.0].map(|x| ball(&mut app, x, 0.0));
    let rope = |a, b| (StableKey(5), Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0));
    let first = app.world_mut().spawn(rope(a, b)).id();
    app.update();
    app.world_mut().despawn(b);
    app.update();
    app.world_mut().despawn(first);
    let c = ball(&mut app, 3.0, 0.0);
    let second = app.world_mut().spawn(rope(a, c)).id();
    app.update();
    assert_eq!(faults(&app), []);
    assert!(get::<JointLink>(&app, second).id().is_some());
}

#[test]
fn a_refused_value_of_a_body_leaves_the_others_to_be_applied() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 9.0);
    app.update();
    let sleep = SleepSettings {
        may_sleep: false,
        ..SleepSettings::default()
    };
    app.world_mut()
        .entity_mut(ball)
        .insert((WRONG, GravityScale(2.0), sleep, BodyDisabled));
    app.update();
    assert!(
        matches!(&faults(&app)[..], [fault] if fault.entity == ball && matches!(fault.reason, FaultReason::Refused(_)))
    );
    let body = physics(&app).body(ball).unwrap();
    assert_eq!(body.linear_damping(), 0.0, "the refused value");
    assert!(!body.is_enabled() && !body.may_sleep());
    assert_eq!(body.gravity_scale(), 2.0);
}

#[test]
fn a_refused_impulse_leaves_the_force_to_be_applied() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 9.0);
    app.update();
    app.world_mut().entity_mut(ball).insert(Forces {
        force: Vec2::X,
        torque: 5.0,
        impulse: Vec2::NAN,
        angular_impulse: f32::NAN,
    });
    app.update();
    assert_eq!(faults(&app).len(), 1);
    assert!(velocity(&app, ball).x > 0.0);
    assert!(get::<bevy_tombolo::Velocity>(&app, ball).angular > 0.0);
}

#[test]
fn a_refused_step_reports_nothing_but_that() {
    let mut app = app();
    ground(&mut app);
    ball(&mut app, 0.0, 0.55);
    let began = |app: &App| {
        let messages = app.world().resource::<Messages<TouchBegan>>();
        messages.iter_current_update_messages().count()
    };
    let mut landed = 0;
    for _ in 0..30 {
        app.update();
        landed = began(&app);
        if landed > 0 {
            break;
        }
    }
    assert_eq!(landed, 1);
    app.world_mut()
        .resource_mut::<Time<Fixed>>()
        .set_timestep(Duration::from_nanos(500));
    let made = physics(&app).world().step_index();
    for _ in 0..3 {
        app.update();
        assert_eq!(began(&app), 0);
        assert!(matches!(&faults(&app)[..], [fault] if fault.entity == Entity::PLACEHOLDER));
    }
    assert_eq!(physics(&app).world().step_index(), made);
    app.world_mut()
        .resource_mut::<Time<Fixed>>()
        .set_timestep_hz(64.0);
    app.update();
    assert_eq!(app.world().resource::<Physics>().world().step_index(), made + 1);
}

#[test]
fn a_key_is_free_when_its_entity_goes_after_a_call_destroyed_what_it_had() {
    let mut app = app();
    let holder = ball(&mut app, 9.0, 0.0);
    let hand = || (StableKey(6), ChildOf(holder), Collider::circle(0.1));
    let (first, first_hand) = (keyed(&mut app, 7), app.world_mut().spawn(hand()).id());
    app.update();
    let shape = get::<ColliderLink>(&app, first_hand).shapes()[0];
    let id = physics(&app).body(first).unwrap().id();
    let mut resource = app.world_mut().resource_mut::<Physics>();
    resource.world_mut().destroy_body(id).unwrap();
    resource.world_mut().destroy_shape(shape).unwrap();
    app.world_mut().despawn(first);
    app.world_mut().despawn(first_hand);
    let (again, again_hand) = (keyed(&mut app, 7), app.world_mut().spawn(hand()).id());
    steps(&mut app, 2);
    assert!(physics(&app).body(again).is_some());
    assert_eq!(get::<ColliderLink>(&app, again_hand).shapes().len(), 1);
    assert_eq!(physics(&app).entity_of_key(StableKey(7).user_key()), Some(again));
}

/// A place that is no number is told once, also where the game writes it again and again, and where many bodies are drawn
/// between two steps.
#[test]
fn a_transform_that_is_no_number_is_told_once_and_taken_when_it_is_mended() {
    let broken: [fn(&mut Transform); 3] = [
        |transform| transform.translation.x = f32::NAN,
        |transform| transform.translation.y = f32::INFINITY,
        |transform| transform.rotation = Quat::from_array([f32::NAN; 4]),
    ];
    for (case, spoil) in broken.into_iter().enumerate() {
        for writes in 1..3 {
            let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 150.0), TomboloPlugin::default());
            let wall = app.world_mut().spawn((Body::Static, Collider::circle(0.5))).id();
            let child = (
                ChildOf(wall),
                Body::Static,
                Collider::circle(0.5),
                Transform::from_xyz(3.0, 0.0, 0.0),
            );
            let child = app.world_mut().spawn(child).id();
            for place in 0..6 {
                ball(&mut app, 10.0 + 3.0 * place as f32, 100.0);
            }
            steps(&mut app, 10);
            let mut told = Vec::new();
            for frame in 0..30 {
                if frame < 10 * writes {
                    spoil(&mut app.world_mut().get_mut::<Transform>(wall).unwrap());
                }
                app.update();
                let mut faults = app.world_mut().resource_mut::<Messages<PhysicsFault>>();
                told.extend(faults.drain().map(|fault| fault.entity));
            }
            told.sort_unstable();
            let mut expected = vec![wall, child];
            expected.sort_unstable();
            assert_eq!(told, expected, "{case}");
            let place = Transform::from_xyz(-5.0, 1.0, 0.0);
            *app.world_mut().get_mut::<Transform>(wall).unwrap() = place;
            steps(&mut app, 5);
            let at = [wall, child].map(|entity| support::body_at(&app, entity));
            assert_eq!(at, [Vec2::new(-5.0, 1.0), Vec2::new(-2.0, 1.0)], "{case}");
        }
    }
}

#[test]
fn a_joint_with_refused_ends_stays_as_it_was() {
    let mut app = app();
    let [a, b, c] = [0.0, 2.0, 4.0].map(|x| ball(&mut app, x, 5.0));
    let joint = Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0);
    let joint = app.world_mut().spawn(joint).id();
    app.update();
    let id = get::<JointLink>(&app, joint).id().unwrap();
    app.world_mut().get_mut::<Joint>(joint).unwrap().bodies = [a, a];
    app.update();
    assert_eq!(support::faults(&app).len(), 1);
    assert_eq!(get::<JointLink>(&app, joint).id(), Some(id));
    let ends = |app: &App, joint: Entity| {
        let id = get::<JointLink>(app, joint).id().unwrap();
        let joint = physics(app).world().joint(id).expect("it is in the world");
        joint
            .bodies()
            .map(|body| physics(app).entity_of_body(body.id()).unwrap())
    };
    assert_eq!(ends(&app, joint), [a, b]);
    app.world_mut().get_mut::<Joint>(joint).unwrap().bodies = [b, c];
    app.update();
    assert_eq!(support::faults(&app), []);
    assert_eq!(ends(&app, joint), [b, c]);
    assert_eq!(physics(&app).world().counters().joints, 1);
    app.world_mut().despawn(joint);
    app.update();
    assert_eq!(physics(&app).world().counters().joints, 0);
}
