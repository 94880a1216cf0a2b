//! What the game writes to Transforms and velocities takes effect whenever it writes it, whether few of all bodies move
//! or most, and with poses that are drawn over it.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, FixedLast, FixedPostUpdate, RunFixedMainLoop, RunFixedMainLoopSystems, Update};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Component, Entity, IntoScheduleConfigs, Query, ResMut, Resource, With, World};
use bevy_math::{Vec2, Vec3};
use bevy_tombolo::{Body, Collider, ColliderLink, GravityScale, PhysicsSystems, TomboloPlugin, Velocity};
use bevy_transform::components::Transform;
use support::{app_with, at, ball, body_at, get, physics, steps, velocity};

/// What a test's system does once to the bodies with [`Mark`].
#[derive(Resource, Default)]
struct Due(Option<fn(&mut Transform, &mut Velocity)>);

#[derive(Component)]
struct Mark;

fn act(mut due: ResMut<Due>, mut marked: Query<(&mut Transform, &mut Velocity), With<Mark>>) {
    if let Some(write) = due.0.take() {
        for (mut transform, mut velocity) in &mut marked {
            write(&mut transform, &mut velocity);
        }
    }
}

/// The same, directly in the world.
fn act_directly(world: &mut World) {
    if let Some(write) = world.resource_mut::<Due>().0.take() {
        let mut marked = world.query_filtered::<(&mut Transform, &mut Velocity), With<Mark>>();
        for (mut transform, mut velocity) in marked.iter_mut(world) {
            write(&mut transform, &mut velocity);
        }
    }
}

/// When a game's system writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// Between the plugin's look at what was written and the step.
    BeforeStep,
    /// Directly in the world, just before the step is shown.
    BeforeShow,
    /// After the step, before poses are drawn.
    AfterStep,
    /// Directly in the world, just before poses are drawn.
    BeforeDraw,
    /// After poses are drawn.
    Drawn,
}

const WHENS: [When; 5] = [
    When::BeforeStep,
    When::BeforeShow,
    When::AfterStep,
    When::BeforeDraw,
    When::Drawn,
];

/// An app in which `act` runs at a time, with so many bodies that rest, and more that move.
fn app_of(when: When, interpolation: bool, resting: usize, moving: usize) -> (App, Vec<Entity>) {
    let mut app = app_with(TomboloPlugin {
        interpolation,
        ..TomboloPlugin::default()
    });
    app.init_resource::<Due>();
    let before_step = act.after(PhysicsSystems::Apply).before(PhysicsSystems::Step);
    let before_show = act_directly
        .after(PhysicsSystems::Step)
        .before(PhysicsSystems::Show);
    let before_draw = act_directly
        .after(RunFixedMainLoopSystems::FixedMainLoop)
        .before(RunFixedMainLoopSystems::AfterFixedMainLoop);
    match when {
        When::BeforeStep => app.add_systems(FixedPostUpdate, before_step),
        When::BeforeShow => app.add_systems(FixedPostUpdate, before_show),
        When::AfterStep => app.add_systems(FixedLast, act),
        When::BeforeDraw => app.add_systems(RunFixedMainLoop, before_draw),
        When::Drawn => app.add_systems(Update, act),
    };
    for i in 0..resting {
        let place = Transform::from_xyz(5.0 * i as f32, -100.0, 0.0);
        app.world_mut()
            .spawn((Body::Static, Collider::circle(1.0), place));
    }
    let bodies = (0..moving).map(|i| {
        let body = ball(&mut app, 5.0 * i as f32, 100.0);
        let parts = (GravityScale(0.0), Velocity::linear(0.0, 1.0));
        app.world_mut().entity_mut(body).insert(parts);
        body
    });
    let bodies = bodies.collect();
    (app, bodies)
}

/// Few that move among many, most of some, and enough that several threads write them.
const CROWDS: [(usize, usize); 3] = [(60, 4), (1, 20), (0, 2500)];

fn write(app: &mut App, body: Entity, write: fn(&mut Transform, &mut Velocity)) {
    app.world_mut().entity_mut(body).insert(Mark);
    app.world_mut().resource_mut::<Due>().0 = Some(write);
    steps(app, 2);
    assert!(app.world().resource::<Due>().0.is_none(), "it was written");
    app.world_mut().entity_mut(body).remove::<Mark>();
}

fn place_of_shape(app: &App, collider: Entity) -> Vec2 {
    let shape = get::<ColliderLink>(app, collider).shapes()[0];
    physics(app).world().shape(shape).unwrap().geometry().centroid()
}

#[test]
fn a_scale_that_is_written_under_a_pose_moves_colliders() {
    for (when, interpolation) in WHENS
        .map(|when| [(when, false), (when, true)])
        .into_iter()
        .flatten()
    {
        for (resting, moving) in CROWDS {
            let (mut app, bodies) = app_of(when, interpolation, resting, moving);
            let arm = (
                ChildOf(bodies[1]),
                Collider::circle(0.5),
                Transform::from_xyz(1.0, 0.0, 0.0),
            );
            let arm = app.world_mut().spawn(arm).id();
            steps(&mut app, 4);
            assert_eq!(place_of_shape(&app, arm), Vec2::new(1.0, 0.0));
            write(&mut app, bodies[1], |transform, _| {
                transform.scale = Vec3::splat(2.0)
            });
            let place = place_of_shape(&app, arm);
            assert_eq!(place, Vec2::new(2.0, 0.0), "{when:?}, {interpolation}, {moving}");
        }
    }
}

#[test]
fn a_place_that_is_written_after_a_step_is_a_teleport() {
    for (when, interpolation) in [
        (When::AfterStep, false),
        (When::AfterStep, true),
        (When::BeforeDraw, true),
        (When::Drawn, true),
    ] {
        for (resting, moving) in CROWDS {
            let (mut app, bodies) = app_of(when, interpolation, resting, moving);
            steps(&mut app, 4);
            // One number, so that the plugin has to put back the others.
            write(&mut app, bodies[1], |transform, _| {
                transform.translation.x = -40.0
            });
            let is = body_at(&app, bodies[1]);
            assert_eq!(is.x, -40.0, "{when:?}, {interpolation}, {moving}");
            let others = body_at(&app, bodies[0]);
            assert!((is.y - others.y).abs() < 0.1, "{is} beside {others}");
            assert_eq!(others.x, 0.0);
        }
    }
}

#[test]
fn a_velocity_that_is_written_after_a_step_is_the_bodys() {
    for when in [When::AfterStep, When::BeforeDraw, When::Drawn] {
        for (resting, moving) in CROWDS {
            let (mut app, bodies) = app_of(when, true, resting, moving);
            steps(&mut app, 4);
            write(&mut app, bodies[1], |_, velocity| velocity.linear.x = 3.0);
            assert_eq!(
                velocity(&app, bodies[1]),
                Vec2::new(3.0, 1.0),
                "{when:?}, {moving}"
            );
            assert_eq!(
                velocity(&app, bodies[0]),
                Vec2::new(0.0, 1.0),
                "{when:?}, {moving}"
            );
        }
    }
}

#[test]
fn bodies_are_shown_alike_whether_few_or_most_of_all_move() {
    for interpolation in [false, true] {
        let shown = |resting| {
            let (mut app, bodies) = app_of(When::Drawn, interpolation, resting, 30);
            let mut places = Vec::new();
            for update in 0..20 {
                // Halfway through most are put to rest.
                if update == 10 {
                    for &body in &bodies[3..] {
                        app.world_mut().entity_mut(body).insert(Body::Static);
                    }
                }
                app.update();
                places.extend(bodies.iter().map(|&body| at(&app, body)));
            }
            if !interpolation {
                assert!(bodies.iter().all(|&body| at(&app, body) == body_at(&app, body)));
            }
            places
        };
        let few = shown(1000);
        assert_eq!(shown(0), few, "{interpolation}");
        assert!(few.iter().any(|place| place.y > 100.2), "they move");
    }
}
