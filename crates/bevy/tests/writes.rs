//! What the game writes to Transforms and velocities takes effect whenever it writes it, whether few of all bodies move
//! or most, and with poses that are drawn over it.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, FixedLast, FixedPostUpdate, RunFixedMainLoop, RunFixedMainLoopSystems, Update};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{
    Changed, Commands, Component, Entity, EntityWorldMut, Event, IntoScheduleConfigs, On, Query, Res, ResMut,
    Resource, With, World,
};
use bevy_ecs::system::ScheduleSystem;
use bevy_math::{Vec2, Vec3};
use bevy_tombolo::physics::BodyKind;
use bevy_tombolo::{
    Body, BodyLink, Collider, ColliderLink, GravityScale, Observed, PhysicsSystems, TomboloPlugin,
    TouchBegan, Velocity,
};
use bevy_transform::components::{GlobalTransform, Transform};
use support::{app_with, at, ball, body_at, get, link, physics, steps, velocity};

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

/// The same by commands, which Bevy carries out at the next point of synchronization, between two systems: they insert the
/// components with their new values.
fn act_by_commands(mut due: ResMut<Due>, marked: Query<Entity, With<Mark>>, mut commands: Commands) {
    if let Some(write) = due.0.take() {
        for entity in &marked {
            commands.entity(entity).queue(move |mut entity: EntityWorldMut| {
                let mut transform = *entity.get::<Transform>().unwrap();
                let mut velocity = *entity.get::<Velocity>().unwrap();
                write(&mut transform, &mut velocity);
                entity.insert((transform, velocity));
            });
        }
    }
}

#[derive(Event)]
struct WriteNow;

/// The same by an observer, which Bevy calls at the next point of synchronization.
fn act_by_observer(due: Res<Due>, mut commands: Commands) {
    if due.0.is_some() {
        commands.trigger(WriteNow);
    }
}

fn observe(_: On<WriteNow>, due: ResMut<Due>, marked: Query<(&mut Transform, &mut Velocity), With<Mark>>) {
    act(due, marked);
}

/// When a game writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// Between the plugin's look at what was written and the step.
    BeforeStep,
    /// Just before the step is shown.
    BeforeShow,
    /// After the step, before poses are drawn.
    AfterStep,
    /// Just before poses are drawn.
    BeforeDraw,
    /// After poses are drawn.
    Drawn,
}

/// How it writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    System,
    Directly,
    Commands,
    Observer,
}

const HOWS: [How; 4] = [How::System, How::Directly, How::Commands, How::Observer];

const WHENS: [When; 5] = [
    When::BeforeStep,
    When::BeforeShow,
    When::AfterStep,
    When::BeforeDraw,
    When::Drawn,
];

/// Adds a system at a time.
fn add_at<M>(app: &mut App, when: When, system: impl IntoScheduleConfigs<ScheduleSystem, M>) {
    let before_step = (PhysicsSystems::Apply, PhysicsSystems::Step);
    let before_show = (PhysicsSystems::Step, PhysicsSystems::Show);
    let of_steps = |app: &mut App, system, (after, before)| {
        app.add_systems(
            FixedPostUpdate,
            IntoScheduleConfigs::<_, M>::after(system, after).before(before),
        );
    };
    match when {
        When::BeforeStep => of_steps(app, system, before_step),
        When::BeforeShow => of_steps(app, system, before_show),
        When::AfterStep => drop(app.add_systems(FixedLast, system)),
        When::BeforeDraw => {
            let system = system
                .after(RunFixedMainLoopSystems::FixedMainLoop)
                .before(RunFixedMainLoopSystems::AfterFixedMainLoop);
            app.add_systems(RunFixedMainLoop, system);
        }
        When::Drawn => drop(app.add_systems(Update, system)),
    }
}

/// An app in which a game writes at a time, with so many bodies that rest, and more that move.
fn app_of(
    (when, how): (When, How),
    interpolation: bool,
    resting: usize,
    moving: usize,
) -> (App, Vec<Entity>) {
    let mut app = app_with(TomboloPlugin {
        interpolation,
        ..TomboloPlugin::default()
    });
    app.init_resource::<Due>();
    match how {
        How::System => add_at(&mut app, when, act),
        How::Directly => add_at(&mut app, when, act_directly),
        How::Commands => add_at(&mut app, when, act_by_commands),
        How::Observer => add_at(&mut app, when, act_by_observer),
    }
    app.add_observer(observe);
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

/// All times and ways to write.
fn ways(whens: &[When]) -> impl Iterator<Item = (When, How)> + '_ {
    whens.iter().flat_map(|&when| HOWS.map(|how| (when, how)))
}

/// The crowds for one way: the largest where the tick of what is written is not that of a system of the game.
fn crowds((_, how): (When, How)) -> &'static [(usize, usize)] {
    match how {
        How::System | How::Observer => &CROWDS[..2],
        How::Directly | How::Commands => &CROWDS,
    }
}

#[test]
fn a_scale_that_is_written_under_a_pose_moves_colliders() {
    for (way, interpolation) in ways(&WHENS).flat_map(|way| [(way, false), (way, true)]) {
        for &(resting, moving) in crowds(way) {
            let (mut app, bodies) = app_of(way, interpolation, resting, moving);
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
            assert_eq!(place, Vec2::new(2.0, 0.0), "{way:?}, {interpolation}, {moving}");
        }
    }
}

#[test]
fn a_place_that_is_written_after_a_step_is_a_teleport() {
    let without = ways(&[When::AfterStep]).map(|way| (way, false));
    let with = ways(&[When::AfterStep, When::BeforeDraw, When::Drawn]).map(|way| (way, true));
    for (way, interpolation) in without.chain(with) {
        for &(resting, moving) in crowds(way) {
            let (mut app, bodies) = app_of(way, interpolation, resting, moving);
            steps(&mut app, 4);
            // One number, so that the plugin has to put back the others.
            write(&mut app, bodies[1], |transform, _| {
                transform.translation.x = -40.0
            });
            let is = body_at(&app, bodies[1]);
            assert_eq!(is.x, -40.0, "{way:?}, {interpolation}, {moving}");
            let others = body_at(&app, bodies[0]);
            assert!((is.y - others.y).abs() < 0.1, "{is} beside {others}");
            assert_eq!(others.x, 0.0);
        }
    }
}

#[test]
fn a_velocity_that_is_written_after_a_step_is_the_bodys() {
    for way in ways(&[When::AfterStep, When::BeforeDraw, When::Drawn]) {
        for &(resting, moving) in crowds(way) {
            let (mut app, bodies) = app_of(way, true, resting, moving);
            steps(&mut app, 4);
            write(&mut app, bodies[1], |_, velocity| velocity.linear.x = 3.0);
            let is = [1, 0].map(|at: usize| velocity(&app, bodies[at]));
            assert_eq!(
                is,
                [Vec2::new(3.0, 1.0), Vec2::new(0.0, 1.0)],
                "{way:?}, {moving}"
            );
        }
    }
}

/// An observer of an event of the step is called between the plugin's report and what comes after it.
#[test]
fn what_an_observer_of_a_touch_writes_is_a_teleport() {
    for interpolation in [false, true] {
        for (resting, moving) in CROWDS {
            let (mut app, _) = app_of((When::Drawn, How::System), interpolation, resting, moving);
            let floor = (
                Body::Static,
                Collider::rectangle(4.0, 2.0),
                Transform::from_xyz(-50.0, 0.0, 0.0),
            );
            app.world_mut().spawn(floor);
            let faller = ball(&mut app, -50.0, 1.6);
            let back = |touch: On<TouchBegan>, mut bodies: Query<(&mut Transform, &mut Velocity)>| {
                let (mut transform, mut velocity) = bodies.get_mut(touch.body).unwrap();
                transform.translation = Vec3::new(-60.0, 9.0, 0.0);
                velocity.linear = Vec2::new(2.0, 0.0);
            };
            app.world_mut().entity_mut(faller).insert(Observed).observe(back);
            app.update();
            let mut frames = 0;
            while body_at(&app, faller).x > -55.0 {
                app.update();
                frames += 1;
                assert!(frames < 60, "{interpolation}, {moving}");
            }
            let (is, moves) = (body_at(&app, faller), velocity(&app, faller));
            assert!((is - Vec2::new(-60.0, 9.0)).length() < 0.1, "{is}");
            assert_eq!(moves.x, 2.0);
            // It falls from there, and the observer is called again.
            app.update();
            let next = body_at(&app, faller);
            assert!(next.y < is.y && next.x > is.x);
        }
    }
}

/// What commands do to bodies around a step: despawn one, take another its body, give a third another one at once.
fn upset(mut due: ResMut<DueChanges>, mut commands: Commands) {
    if let Some([gone, bare, renewed, changed]) = due.0.take() {
        commands.entity(gone).despawn();
        commands.entity(bare).remove::<Body>();
        commands.entity(renewed).remove::<Body>();
        commands.entity(renewed).insert(Body::Dynamic);
        commands.entity(changed).remove::<(GravityScale, Collider)>();
        commands
            .entity(changed)
            .insert((Body::Kinematic, Collider::circle(0.25)));
    }
}

#[derive(Resource, Default)]
struct DueChanges(Option<[Entity; 4]>);

#[test]
fn commands_between_the_plugins_systems_change_what_is_shown() {
    for (when, interpolation) in WHENS.iter().flat_map(|&when| [(when, false), (when, true)]) {
        for (resting, moving) in CROWDS {
            let (mut app, bodies) = app_of((when, How::System), interpolation, resting, moving);
            app.init_resource::<DueChanges>();
            add_at(&mut app, when, upset);
            steps(&mut app, 4);
            let context = format!("{when:?}, {interpolation}, {moving}");
            let [gone, bare, renewed, changed] = [bodies[0], bodies[1], bodies[2], bodies[3]];
            let ids = [gone, bare, renewed].map(|entity| link(&app, entity).id().unwrap());
            let before = physics(&app).world().counters();
            app.world_mut().resource_mut::<DueChanges>().0 = Some([gone, bare, renewed, changed]);
            steps(&mut app, 2);
            let world = physics(&app).world();
            assert!(ids.iter().all(|&id| world.body(id).is_none()), "{context}");
            assert_eq!(world.counters().bodies, before.bodies - 2, "{context}");
            assert_eq!(world.counters().shapes, before.shapes - 2, "{context}");
            assert!(physics(&app).body(bare).is_none());
            let stands = at(&app, bare);
            let starts = at(&app, renewed);
            steps(&mut app, 2);
            assert_eq!(at(&app, bare), stands, "{context}");
            let moved = at(&app, renewed) - starts;
            assert_eq!((moved.x, moved.y > 0.0), (0.0, true), "{context}");
            let body = physics(&app).body(changed).unwrap();
            assert_eq!((body.kind(), body.shapes().count()), (BodyKind::Kinematic, 1));
        }
    }
}

/// The entities whose components a system of the game found changed in the last frame.
#[derive(Resource, Default)]
struct Changes {
    transforms: Vec<Entity>,
    velocities: Vec<Entity>,
}

fn find_changes(
    mut changes: ResMut<Changes>,
    transforms: Query<Entity, Changed<Transform>>,
    velocities: Query<Entity, Changed<Velocity>>,
) {
    changes.transforms = transforms.iter().collect();
    changes.velocities = velocities.iter().collect();
    changes.transforms.sort_unstable();
}

/// The plugin writes whole tables, but what others find changed is what has changed, and Bevy shows it where it is.
#[test]
fn others_find_changed_what_moves_and_nothing_else() {
    for interpolation in [false, true] {
        for (resting, moving) in CROWDS {
            let (mut app, mut bodies) = app_of((When::Drawn, How::System), interpolation, resting, moving);
            app.init_resource::<Changes>();
            app.add_systems(Update, find_changes);
            steps(&mut app, 5);
            bodies.sort_unstable();
            let changes = app.world().resource::<Changes>();
            assert!(changes.transforms == bodies, "{interpolation}, {moving}");
            assert_eq!(changes.velocities, [], "they stay as they are");
            for &body in &bodies[..3] {
                let global = get::<GlobalTransform>(&app, body).translation().truncate();
                assert_eq!(global, at(&app, body));
            }
            // Nothing moves any more, after the last frame in which poses are put back.
            for &body in &bodies {
                app.world_mut().entity_mut(body).insert(Body::Static);
            }
            steps(&mut app, 3);
            assert_eq!(app.world().resource::<Changes>().transforms, []);
        }
    }
}

/// A component with a summary of its ticks would need it written too.
#[test]
fn what_is_written_in_tables_has_no_summary_of_its_ticks() {
    let mut app = support::app();
    let ball = ball(&mut app, 0.0, 0.0);
    let components = app.world().components();
    let ids = [
        components.component_id::<Transform>(),
        components.component_id::<Velocity>(),
        components.component_id::<BodyLink>(),
    ];
    for id in ids.map(|id| id.expect("the ball has it")) {
        let info = components.get_info(id).unwrap();
        assert!(!info.summary_tick(), "{}", info.name());
        assert!(app.world().entity(ball).contains_id(id));
    }
}

#[test]
fn bodies_are_shown_alike_whether_few_or_most_of_all_move() {
    for interpolation in [false, true] {
        let shown = |resting| {
            let (mut app, bodies) = app_of((When::Drawn, How::System), interpolation, resting, 30);
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
