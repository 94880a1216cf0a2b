//! The physics goes back, and entities with it.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Component, Entity, With};
use bevy_math::Vec2;
use bevy_tombolo::{
    Body, Collider, Forces, GravityScale, Joint, JointLink, PhysicsSnapshot, Rollback, SleepState, StableKey,
    TomboloPlugin, Velocity,
};
use bevy_transform::components::Transform;
use support::{app, at, ball, body_at, get, ground, hash, physics, steps, velocity};

const PLAYERS: usize = 4;

#[derive(Component)]
struct Bullet;

struct Game {
    app: App,
    players: Vec<Entity>,
}

impl Game {
    fn new() -> Self {
        Self::with(false)
    }

    fn with(interpolation: bool) -> Self {
        let mut app = support::app_with(TomboloPlugin {
            interpolation,
            ..TomboloPlugin::default()
        });
        ground(&mut app);
        let players = (0..PLAYERS)
            .map(|i| ball(&mut app, 3.0 * i as f32, 0.6))
            .collect::<Vec<_>>();
        for i in 0..30 {
            let child = (Collider::circle(0.2), Transform::from_xyz(0.0, 0.5, 0.0));
            let parent = (
                Body::Dynamic,
                Collider::rectangle(0.6, 0.6),
                Transform::from_xyz((i % 6) as f32 * 1.5, 3.0 + (i / 6) as f32 * 1.3, 0.0),
            );
            app.world_mut().spawn(parent).with_child(child);
        }
        let [a, b] = [players[0], players[1]];
        app.world_mut()
            .spawn(Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, 5.0));
        // Who is not in the world yet when it is saved comes anew when it is restored, from where it is then.
        app.update();
        Self { app, players }
    }

    /// One frame with the inputs that everybody gives.
    fn frame(&mut self, inputs: [i8; PLAYERS]) {
        for (&player, input) in self.players.iter().zip(inputs) {
            let impulse = Vec2::new(0.4 * f32::from(input), if input == 2 { 1.5 } else { 0.0 });
            self.app.world_mut().entity_mut(player).insert(Forces {
                impulse,
                ..Forces::default()
            });
            // Who pushes hard shoots: an entity without a key that comes in the middle of what is rolled back.
            if input == -2 {
                let at = body_at(&self.app, player);
                self.app.world_mut().spawn((
                    Bullet,
                    Body::Dynamic,
                    Collider::circle(0.1),
                    Transform::from_xyz(at.x, at.y + 1.0, 0.0),
                    Velocity::linear(3.0, 8.0),
                ));
            }
        }
        self.app.update();
    }

    fn bullets(&mut self) -> Vec<Entity> {
        let world = self.app.world_mut();
        world
            .query_filtered::<Entity, With<Bullet>>()
            .iter(world)
            .collect()
    }

    fn save(&mut self) -> (PhysicsSnapshot, Vec<Entity>) {
        let bullets = self.bullets();
        (self.app.world_mut().save_physics(), bullets)
    }

    fn restore(&mut self, (snapshot, bullets): &(PhysicsSnapshot, Vec<Entity>)) {
        for bullet in self.bullets() {
            if !bullets.contains(&bullet) {
                self.app.world_mut().despawn(bullet);
            }
        }
        self.app.world_mut().restore_physics(snapshot);
    }
}

fn inputs(frame: usize, salt: usize) -> [i8; PLAYERS] {
    core::array::from_fn(|player| ((frame * 7 + player * 5 + salt * (frame + 3) / 2) % 5) as i8 - 2)
}

#[test]
fn eight_frames_of_wrong_inputs_are_made_again_to_the_same_hash() {
    for interpolation in [false, true] {
        guess_wrong(interpolation);
    }
}

fn guess_wrong(interpolation: bool) {
    let mut straight = Game::new();
    let mut expected = Vec::new();
    for frame in 0..120 {
        straight.frame(inputs(frame, 0));
        expected.push(hash(&straight.app));
    }
    let mut game = Game::with(interpolation);
    let mut frame = 0;
    let mut diverged = 0;
    while frame < 120 {
        let saved = game.save();
        let last = (frame + 8).min(120);
        for ahead in frame..last {
            game.frame(inputs(ahead, 1 + frame));
        }
        diverged += usize::from(hash(&game.app) != expected[last - 1]);
        game.restore(&saved);
        for (ahead, expected) in expected.iter().enumerate().take(last).skip(frame) {
            game.frame(inputs(ahead, 0));
            let found = hash(&game.app);
            assert_eq!(found, *expected, "frame {ahead}, gone back to {frame}");
        }
        frame += 8;
    }
    assert!(diverged > 10, "the wrong inputs were wrong: {diverged}");
}

#[test]
fn components_say_what_was_as_soon_as_it_is_restored() {
    let mut game = Game::new();
    for frame in 0..20 {
        game.frame(inputs(frame, 0));
    }
    let saved = game.save();
    let of = |game: &Game| -> Vec<(Transform, Velocity, SleepState)> {
        let each = game.players.iter();
        each.map(|&player| {
            (
                get(&game.app, player),
                get(&game.app, player),
                get(&game.app, player),
            )
        })
        .collect()
    };
    let before = of(&game);
    for frame in 20..40 {
        game.frame(inputs(frame, 3));
    }
    assert_ne!(of(&game), before);
    game.restore(&saved);
    assert_eq!(of(&game), before);
    assert_eq!(saved.0.step_index(), 21);
    for &player in &game.players {
        assert_eq!(at(&game.app, player), body_at(&game.app, player));
    }
}

#[test]
fn a_restored_world_is_the_same_world_and_a_saved_one_too() {
    let mut straight = Game::new();
    let mut game = Game::new();
    for frame in 0..60 {
        straight.frame(inputs(frame, 0));
        game.frame(inputs(frame, 0));
        let saved = game.save();
        assert_eq!(hash(&straight.app), hash(&game.app), "saving changes nothing");
        game.restore(&saved);
        assert_eq!(
            hash(&straight.app),
            hash(&game.app),
            "frame {frame}: nor does restoring"
        );
    }
}

#[test]
fn who_was_despawned_and_comes_again_with_its_key_gets_its_body_back() {
    let spawn = |app: &mut App, x: f32| {
        let body = (
            StableKey(77),
            Body::Dynamic,
            Collider::circle(0.5),
            Transform::from_xyz(x, 0.6, 0.0),
        );
        let id = app.world_mut().spawn(body).id();
        app.world_mut()
            .spawn((ChildOf(id), Collider::rectangle(0.2, 2.0)));
        id
    };
    let run = |goes: bool| {
        let mut app = app();
        ground(&mut app);
        let mut body = spawn(&mut app, 2.0);
        let other = ball(&mut app, 5.0, 3.0);
        app.world_mut().spawn((
            StableKey(5),
            Joint::distance(body, Vec2::ZERO, other, Vec2::ZERO, 3.0),
        ));
        steps(&mut app, 30);
        let saved = app.world_mut().save_physics();
        if goes {
            steps(&mut app, 5);
            app.world_mut().despawn(body);
            steps(&mut app, 5);
            assert_eq!(physics(&app).world().counters().joints, 0);
            app.world_mut().restore_physics(&saved);
            body = spawn(&mut app, 0.0);
            let mut joints = app.world_mut().query::<&mut Joint>();
            joints.single_mut(app.world_mut()).unwrap().bodies[0] = body;
        }
        app.update();
        let speed = velocity(&app, body);
        assert!(physics(&app).body(body).is_some());
        assert!(
            (at(&app, body) - body_at(&app, body)).length() < 1.0e-6,
            "{}",
            at(&app, body)
        );
        let joints = app
            .world_mut()
            .query::<&JointLink>()
            .iter(app.world())
            .filter(|link| link.id().is_some())
            .count();
        assert_eq!(joints, 1);
        steps(&mut app, 40);
        (speed, hash(&app))
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn who_does_not_come_again_is_gone_and_who_came_since_comes_anew() {
    let mut app = app();
    ground(&mut app);
    let old = ball(&mut app, 0.0, 3.0);
    steps(&mut app, 5);
    let saved = app.world_mut().save_physics();
    app.world_mut().despawn(old);
    let young = ball(&mut app, 4.0, 3.0);
    steps(&mut app, 5);
    app.world_mut().restore_physics(&saved);
    assert!(physics(&app).body(young).is_none());
    app.update();
    let world = physics(&app).world();
    assert_eq!([world.counters().bodies, world.counters().shapes], [2, 2]);
    assert!(physics(&app).body(young).is_some());
}

#[test]
fn components_that_the_game_did_not_bring_back_count() {
    let mut app = app();
    let body = ball(&mut app, 0.0, 3.0);
    steps(&mut app, 5);
    let saved = app.world_mut().save_physics();
    app.world_mut()
        .entity_mut(body)
        .insert((GravityScale(0.0), Collider::rectangle(1.0, 1.0)));
    steps(&mut app, 5);
    app.world_mut().restore_physics(&saved);
    assert_eq!(physics(&app).body(body).unwrap().gravity_scale(), 1.0);
    app.update();
    let body = physics(&app).body(body).unwrap();
    assert_eq!(body.gravity_scale(), 0.0);
    assert_eq!(
        body.shapes()
            .map(|shape| shape.geometry().vertices().len())
            .collect::<Vec<_>>(),
        [4]
    );
}

#[test]
fn a_written_transform_does_not_survive_going_back() {
    let mut app = app();
    let body = ball(&mut app, 0.0, 3.0);
    steps(&mut app, 5);
    let (saved, before) = (app.world_mut().save_physics(), at(&app, body));
    app.world_mut().get_mut::<Transform>(body).unwrap().translation.x = 9.0;
    app.world_mut().restore_physics(&saved);
    assert_eq!(at(&app, body), before);
    app.update();
    assert_eq!(at(&app, body).x, 0.0);
}

#[test]
fn what_broke_since_is_whole_again() {
    let mut app = app();
    let hook = ball(&mut app, 0.0, 5.0);
    *app.world_mut().get_mut::<Body>(hook).unwrap() = Body::Static;
    let load = ball(&mut app, 0.0, 3.0);
    let mut rope = Joint::rope(hook, Vec2::ZERO, load, Vec2::ZERO, 2.0);
    if let bevy_tombolo::physics::JointDef::Distance(def) = &mut rope.def {
        (def.force_threshold, def.breaks) = (100.0, true);
    }
    let rope = app.world_mut().spawn(rope).id();
    steps(&mut app, 10);
    let saved = app.world_mut().save_physics();
    app.world_mut().entity_mut(load).insert(Forces {
        impulse: Vec2::new(0.0, -500.0),
        ..Forces::default()
    });
    steps(&mut app, 3);
    assert!(get::<JointLink>(&app, rope).has_broken());
    assert_eq!(physics(&app).world().counters().joints, 0);
    steps(&mut app, 3);
    assert_eq!(
        physics(&app).world().counters().joints,
        0,
        "what broke stays broken"
    );
    app.world_mut().restore_physics(&saved);
    steps(&mut app, 3);
    assert!(!get::<JointLink>(&app, rope).has_broken());
    assert_eq!(physics(&app).world().counters().joints, 1);
}

#[test]
fn what_the_games_own_calls_made_is_not_touched_by_going_back() {
    use bevy_tombolo::Physics;
    use bevy_tombolo::physics::{BodyDef, DistanceDef, Shape, ShapeDef};
    let run = |goes_back: bool| {
        let mut app = app();
        let ours = ball(&mut app, 0.0, 3.0);
        let gone = ball(&mut app, 5.0, 3.0);
        app.update();
        let mut resource = app.world_mut().resource_mut::<Physics>();
        let of_ours = resource.body(ours).unwrap().id();
        let world = resource.world_mut();
        let def = BodyDef {
            user_key: 1 << 40,
            ..BodyDef::fixed(9.0, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        for on in [body, of_ours] {
            let def = ShapeDef {
                user_key: 1 << 41,
                ..ShapeDef::default()
            };
            let shape = Shape::new_box(0.2, 2.0).unwrap();
            world.create_shape(on, &def, &shape).unwrap();
        }
        let rope = DistanceDef {
            user_key: 1 << 42,
            length: 9.5,
            ..DistanceDef::new(body, Vec2::ZERO, of_ours, Vec2::ZERO)
        };
        world.create_joint(rope).unwrap();
        app.update();
        let saved = app.world_mut().save_physics();
        if goes_back {
            steps(&mut app, 5);
            app.world_mut().restore_physics(&saved);
            // Going back from there, before a step, is the same.
            let again = app.world_mut().save_physics();
            app.update();
            app.world_mut().restore_physics(&again);
        }
        app.world_mut().despawn(gone);
        steps(&mut app, 5);
        let counters = physics(&app).world().counters();
        assert_eq!([counters.bodies, counters.shapes, counters.joints], [2, 3, 1]);
        hash(&app)
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn what_is_saved_between_going_back_and_the_next_step_knows_whose_bodies_wait() {
    let mut app = app();
    let old = ball(&mut app, 0.0, 3.0);
    app.update();
    let saved = app.world_mut().save_physics();
    app.world_mut().despawn(old);
    app.update();
    app.world_mut().restore_physics(&saved);
    let again = app.world_mut().save_physics();
    app.update();
    assert_eq!(physics(&app).world().counters().bodies, 0);
    app.world_mut().restore_physics(&again);
    app.update();
    assert_eq!(physics(&app).world().counters().bodies, 0);
}

#[test]
fn a_lift_whose_target_was_removed_after_the_save_stops_again() {
    use bevy_tombolo::MoveTo;
    let mut app = app();
    let lift = app.world_mut().spawn(Body::Kinematic).id();
    app.update();
    let position = Vec2::new(0.0, 0.1);
    app.world_mut()
        .entity_mut(lift)
        .insert(MoveTo { position, angle: 0.0 });
    app.update();
    let saved = app.world_mut().save_physics();
    app.world_mut().entity_mut(lift).remove::<MoveTo>();
    steps(&mut app, 3);
    let straight = hash(&app);
    app.world_mut().restore_physics(&saved);
    steps(&mut app, 3);
    assert_eq!(hash(&app), straight);
    assert!((body_at(&app, lift) - position).length() < 1.0e-5);
}

#[test]
fn what_calls_had_set_holds_when_the_world_goes_back() {
    use bevy_tombolo::Physics;
    use bevy_tombolo::physics::{Filter, JointDef};
    let run = |goes_back: bool| {
        let mut app = app();
        let [a, b] = [0.0, 3.0].map(|x| ball(&mut app, x, 9.0));
        let joint = Joint::distance(a, Vec2::ZERO, b, Vec2::ZERO, 3.0);
        let joint = app.world_mut().spawn(joint).id();
        app.update();
        let id = get::<JointLink>(&app, joint).id().unwrap();
        let mut physics = app.world_mut().resource_mut::<Physics>();
        let mut body = physics.body_mut(a).unwrap();
        body.set_gravity_scale(0.0).unwrap();
        body.set_damping(0.5, 0.0).unwrap();
        let shape = body.view().shapes().next().unwrap().id();
        let world = physics.world_mut();
        world.shape_mut(shape).unwrap().set_filter(Filter {
            mask: 0,
            ..Filter::default()
        });
        let mut joint = world.joint_mut(id).unwrap();
        let mut def = joint.view().def();
        if let JointDef::Distance(def) = &mut def {
            def.length = 2.0;
        }
        joint.set_def(def).unwrap();
        app.update();
        let saved = app.world_mut().save_physics();
        if goes_back {
            // Of what is set since only components that stay count.
            let mut physics = app.world_mut().resource_mut::<Physics>();
            physics.body_mut(a).unwrap().set_gravity_scale(2.0).unwrap();
            steps(&mut app, 5);
            app.world_mut().restore_physics(&saved);
            // A library restores components by writing them.
            app.world_mut().get_mut::<Body>(a).unwrap().set_changed();
            app.world_mut().get_mut::<Collider>(a).unwrap().set_changed();
        }
        steps(&mut app, 5);
        hash(&app)
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn what_calls_had_destroyed_does_not_come_again() {
    use bevy_tombolo::Physics;
    for of_key in [false, true] {
        let run = |goes_back: bool| {
            let mut app = app();
            let [a, b, c] = [0.0, 3.0, 6.0].map(|x| ball(&mut app, x, 9.0));
            let spawn_joint = |app: &mut App| {
                let joint = app
                    .world_mut()
                    .spawn(Joint::revolute(a, Vec2::X, b, Vec2::NEG_X))
                    .id();
                if of_key {
                    app.world_mut().entity_mut(joint).insert(StableKey(4));
                }
                joint
            };
            let joint = spawn_joint(&mut app);
            steps(&mut app, 2);
            let id = get::<JointLink>(&app, joint).id().unwrap();
            let mut physics = app.world_mut().resource_mut::<Physics>();
            let body = physics.body(c).unwrap().id();
            physics.world_mut().destroy_joint(id).unwrap();
            physics.world_mut().destroy_body(body).unwrap();
            app.update();
            let saved = app.world_mut().save_physics();
            if goes_back {
                steps(&mut app, 3);
                // A component that is written makes a new joint; not in what is gone back to.
                app.world_mut().get_mut::<Joint>(joint).unwrap().set_changed();
                steps(&mut app, 2);
                assert_eq!(count(&app), [2, 1]);
                if of_key {
                    app.world_mut().despawn(joint);
                    steps(&mut app, 1);
                }
                app.world_mut().restore_physics(&saved);
                if of_key {
                    spawn_joint(&mut app);
                }
            }
            steps(&mut app, 5);
            assert_eq!(count(&app), [2, 0]);
            // A new one gets the same key in both runs.
            app.world_mut().spawn(Joint::revolute(a, Vec2::X, b, Vec2::NEG_X));
            steps(&mut app, 5);
            assert_eq!(count(&app), [2, 1]);
            assert_eq!(support::faults(&app), []);
            hash(&app)
        };
        assert_eq!(run(false), run(true), "of a key: {of_key}");
    }
}

/// The numbers of bodies and of joints.
fn count(app: &App) -> [usize; 2] {
    let world = physics(app).world();
    [world.bodies().len(), world.joints().count()]
}

#[test]
fn a_body_that_a_call_had_destroyed_does_not_come_again_for_who_is_spawned_with_its_key() {
    use bevy_tombolo::Physics;
    let mut app = app();
    let spawn = |app: &mut App| {
        let bundle = (StableKey(7), Body::Dynamic, Collider::circle(0.5));
        app.world_mut().spawn(bundle).id()
    };
    let body = spawn(&mut app);
    steps(&mut app, 2);
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let id = physics.body(body).unwrap().id();
    physics.world_mut().destroy_body(id).unwrap();
    app.update();
    let (saved, straight) = (app.world_mut().save_physics(), hash(&app));
    app.world_mut().despawn(body);
    app.update();
    let other = spawn(&mut app);
    app.update();
    assert_eq!(count(&app), [1, 0], "its key was free");
    app.world_mut().despawn(other);
    app.update();
    app.world_mut().restore_physics(&saved);
    assert_eq!(hash(&app), straight);
    let again = spawn(&mut app);
    app.update();
    assert_eq!(count(&app), [0, 0]);
    app.world_mut().despawn(again);
    app.update();
    spawn(&mut app);
    app.update();
    assert_eq!(count(&app), [1, 0]);
}

#[test]
fn what_a_rigid_weld_had_joined_stays_one_body() {
    use bevy_tombolo::Physics;
    use bevy_tombolo::physics::{Position, RigidWeldDef};
    let mut app = app();
    let [a, b] = [0.0, 1.0].map(|x| ball(&mut app, x, 9.0));
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let bodies = [a, b].map(|body| physics.body(body).unwrap().id());
    let world = physics.world_mut();
    let [first, second] = bodies.map(|body| world.create_member(body, 0).unwrap());
    let def = RigidWeldDef::new(first, second, Position::new(0.5, 9.0));
    world.create_rigid_weld(&def).unwrap();
    app.update();
    let saved = app.world_mut().save_physics();
    let shape = get::<bevy_tombolo::ColliderLink>(&app, b).shapes()[0];
    steps(&mut app, 5);
    let straight = hash(&app);
    app.world_mut().restore_physics(&saved);
    assert_eq!(support::physics(&app).entity_of_shape(shape), Some(b));
    steps(&mut app, 5);
    assert_eq!(hash(&app), straight);
    assert_eq!(count(&app), [1, 0]);
    assert_eq!(support::physics(&app).entity_of_shape(shape), Some(b));
    app.world_mut().despawn(b);
    app.update();
    assert_eq!(support::physics(&app).world().counters().shapes, 1);
}
