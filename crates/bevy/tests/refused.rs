//! What physics has refused keeps its place among the others when the world goes back.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_math::Vec2;
use bevy_tombolo::physics::{FieldKind, JointDef, Shape};
use bevy_tombolo::{
    Body, BodyLink, Collider, ColliderLink, Damping, Field, FieldLink, Forces, Joint, JointLink, Rollback,
    StableKey,
};
use bevy_transform::components::Transform;
use support::{app, ball, get, ground, hash, physics, steps};

/// The entities of one game: of each kind one that is refused, and one that was spawned after it.
struct Game {
    app: App,
    bodies: [Entity; 2],
    colliders: [Entity; 2],
    joints: [Entity; 2],
    fields: [Entity; 2],
}

fn push(x: f32) -> Field {
    Field::everywhere(FieldKind::Gravity {
        acceleration: Vec2::new(x, 0.3),
    })
}

impl Game {
    fn new() -> Self {
        let mut app = app();
        ground(&mut app);
        let [a, b] = [0.0, 1.5].map(|x| ball(&mut app, x, 3.0));
        let world = app.world_mut();
        let wrong = Damping {
            linear: -1.0,
            angular: 0.0,
        };
        let mut body = |x: f32| {
            let parts = (
                Body::Dynamic,
                Collider::circle(0.4),
                Transform::from_xyz(x, 6.0, 0.0),
            );
            world.spawn(parts).id()
        };
        let bodies = [0.1, 0.3].map(&mut body);
        world.entity_mut(bodies[0]).insert(wrong);
        let colliders = [-1.0, 0.3].map(|radius| {
            let place = Transform::from_xyz(0.5, radius, 0.0);
            world.spawn((Collider::circle(radius), place, ChildOf(a))).id()
        });
        let joints = [f32::NAN, 1.5].map(|length| {
            world
                .spawn(Joint::rope(a, Vec2::ZERO, b, Vec2::ZERO, length))
                .id()
        });
        let mut bad = push(1.0);
        bad.def.area = Some(Shape::segment(Vec2::ZERO, Vec2::X).unwrap());
        let fields = [bad, push(0.7)].map(|field| world.spawn(field).id());
        app.update();
        Self {
            app,
            bodies,
            colliders,
            joints,
            fields,
        }
    }

    fn mend(&mut self) {
        let world = self.app.world_mut();
        world.entity_mut(self.bodies[0]).remove::<Damping>();
        world
            .entity_mut(self.colliders[0])
            .insert((Collider::circle(0.2), Transform::from_xyz(0.5, 0.0, 0.0)));
        let mut joint = world.get_mut::<Joint>(self.joints[0]).unwrap();
        let JointDef::Distance(def) = &mut joint.def else {
            panic!("it is a rope");
        };
        def.max_length = 1.2;
        world.entity_mut(self.fields[0]).insert(push(1.0));
    }

    /// The user keys of what was refused and of what was spawned after it; `None` of what does not exist.
    fn keys(&self) -> [[Option<u64>; 2]; 4] {
        let (app, world) = (&self.app, physics(&self.app).world());
        [
            self.bodies.map(|entity| {
                let id = get::<BodyLink>(app, entity).id()?;
                Some(world.body(id)?.user_key())
            }),
            self.colliders.map(|entity| {
                let link = get::<ColliderLink>(app, entity);
                Some(world.shape(*link.shapes().first()?)?.user_key())
            }),
            self.joints.map(|entity| {
                let id = get::<JointLink>(app, entity).id()?;
                Some(world.joint(id)?.user_key())
            }),
            self.fields.map(|entity| {
                let id = get::<FieldLink>(app, entity).id()?;
                Some(world.field(id)?.user_key)
            }),
        ]
    }
}

#[test]
fn what_was_refused_has_the_key_that_it_had_before_going_back() {
    let run = |goes_back: bool| {
        let mut game = Game::new();
        assert!(game.keys().iter().all(|[refused, _]| refused.is_none()));
        if goes_back {
            let saved = game.app.world_mut().save_physics();
            for _ in 0..2 {
                // What comes in between takes keys that are free again.
                let passing = game.app.world_mut().spawn((Body::Dynamic, push(0.1))).id();
                steps(&mut game.app, 3);
                game.app.world_mut().despawn(passing);
                game.app.world_mut().restore_physics(&saved);
            }
            // Another attempt at what is refused takes no key either.
            steps(&mut game.app, 2);
            game.app.world_mut().restore_physics(&saved);
        }
        game.mend();
        let hashes: Vec<u64> = (0..30)
            .map(|_| {
                game.app.update();
                hash(&game.app)
            })
            .collect();
        (hashes, game.keys())
    };
    let straight = run(false);
    for [mended, after] in straight.1 {
        assert!(mended.is_some() && after.is_some());
    }
    let [bodies, _, joints, fields] = straight.1;
    for [mended, after] in [bodies, joints, fields] {
        assert!(mended < after, "by the order of spawning");
    }
    assert_eq!(run(true), straight);
}

/// A refused collider that is mended keeps the key of its first attempt, however often it was tried.
#[test]
fn attempts_take_no_keys() {
    let key = |attempts: usize| {
        let mut game = Game::new();
        for _ in 0..attempts {
            let mut collider = game
                .app
                .world_mut()
                .get_mut::<Collider>(game.colliders[0])
                .unwrap();
            *collider = Collider::circle(-2.0);
            game.app.update();
        }
        game.mend();
        game.app.update();
        game.keys()[1]
    };
    assert_eq!(key(0), key(5));
}

fn breaking_rope(hook: Entity, load: Entity) -> Joint {
    let mut rope = Joint::rope(hook, Vec2::ZERO, load, Vec2::ZERO, 2.0);
    if let JointDef::Distance(def) = &mut rope.def {
        (def.force_threshold, def.breaks) = (100.0, true);
    }
    rope
}

fn tear(app: &mut App, load: Entity) {
    app.world_mut().entity_mut(load).insert(Forces {
        impulse: Vec2::new(0.0, -500.0),
        ..Forces::default()
    });
    steps(app, 3);
}

/// A hook, a load and a rope that broke between them.
fn torn(app: &mut App, key: Option<StableKey>) -> [Entity; 3] {
    let hook = ball(app, 0.0, 5.0);
    app.world_mut().entity_mut(hook).insert(Body::Static);
    let load = ball(app, 0.0, 3.0);
    let rope = app.world_mut().spawn(breaking_rope(hook, load)).id();
    if let Some(key) = key {
        app.world_mut().entity_mut(rope).insert(key);
    }
    app.update();
    tear(app, load);
    assert!(get::<JointLink>(app, rope).has_broken());
    [hook, load, rope]
}

/// After going back, too, what broke before is made again when the game sets it again, and not before that.
#[test]
fn a_joint_that_broke_before_is_made_again_in_the_step_in_which_it_was() {
    for key in [None, Some(StableKey(70))] {
        for made_in in 0..4 {
            let mut app = app();
            let [_, load, rope] = torn(&mut app, key);
            steps(&mut app, 2);
            let make = |app: &mut App| app.world_mut().get_mut::<Joint>(rope).unwrap().set_changed();
            if made_in == 0 {
                make(&mut app);
            }
            let saved = app.world_mut().save_physics();
            let run = |app: &mut App| {
                let mut states = Vec::new();
                for step in 1..8 {
                    if step == made_in {
                        make(app);
                    }
                    if step == 5 {
                        tear(app, load);
                    }
                    app.update();
                    states.push((hash(app), physics(app).world().counters().joints));
                }
                states
            };
            let straight = run(&mut app);
            for _ in 0..2 {
                app.world_mut().restore_physics(&saved);
                assert_eq!(get::<JointLink>(&app, rope).has_broken(), made_in != 0);
                assert_eq!(run(&mut app), straight, "{key:?}, made in step {made_in}");
            }
        }
    }
}

#[test]
fn a_joint_that_broke_before_stays_broken_where_its_entity_is_spawned_again() {
    let mut app = app();
    let key = StableKey(70);
    let [hook, load, rope] = torn(&mut app, Some(key));
    let saved = app.world_mut().save_physics();
    steps(&mut app, 3);
    let straight = hash(&app);
    app.world_mut().despawn(rope);
    app.update();
    app.world_mut().restore_physics(&saved);
    let rope = app.world_mut().spawn((breaking_rope(hook, load), key)).id();
    steps(&mut app, 3);
    assert_eq!(hash(&app), straight);
    assert!(get::<JointLink>(&app, rope).has_broken());
    // Without such an entity nothing of it is kept: one that comes later is another.
    app.world_mut().restore_physics(&saved);
    app.world_mut().despawn(rope);
    steps(&mut app, 2);
    let rope = app.world_mut().spawn((breaking_rope(hook, load), key)).id();
    app.update();
    assert!(!get::<JointLink>(&app, rope).has_broken());
}

#[test]
fn a_joint_that_came_and_broke_since_comes_anew_and_one_that_broke_before_does_not() {
    for key in [None, Some(StableKey(70))] {
        let mut app = app();
        let hook = ball(&mut app, 0.0, 5.0);
        app.world_mut().entity_mut(hook).insert(Body::Static);
        let load = ball(&mut app, 0.0, 3.0);
        app.update();
        let spawn = |app: &mut App| {
            let rope = app.world_mut().spawn(breaking_rope(hook, load)).id();
            if let Some(key) = key {
                app.world_mut().entity_mut(rope).insert(key);
            }
            app.update();
            rope
        };
        let joints = |app: &App| physics(app).world().counters().joints;
        let before = app.world_mut().save_physics();
        let rope = spawn(&mut app);
        tear(&mut app, load);
        assert!(get::<JointLink>(&app, rope).has_broken());
        let after = app.world_mut().save_physics();
        app.update();
        app.world_mut().restore_physics(&after);
        app.update();
        assert!(get::<JointLink>(&app, rope).has_broken(), "it broke before");
        assert_eq!(joints(&app), 0);
        app.world_mut().restore_physics(&before);
        app.update();
        assert!(
            !get::<JointLink>(&app, rope).has_broken(),
            "it came and broke since"
        );
        assert_eq!(joints(&app), 1);
    }
}
