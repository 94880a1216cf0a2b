//! Characters, with the numbers of the tests in other languages.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use bevy_app::App;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::{Message, Messages};
use bevy_ecs::prelude::Entity;
use bevy_math::Vec2;
use bevy_time::TimeUpdateStrategy;
use bevy_tombolo::physics::{ANY_MATERIAL, CharacterDef, CharacterInput, ContactRule};
use bevy_tombolo::{
    Body, BodyDisabled, BodyLink, Character, CharacterControl, CharacterState, CharacterTouchBegan,
    CharacterTouchEnded, Collider, ContactRules, FaultReason, Material, MoveTo, Outline, Physics, Rollback,
    StableKey, TomboloPlugin, TouchBegan, Velocity,
};
use bevy_transform::components::Transform;
use support::{app_of_60_hz, at, ball, body_at, faults, get, hash, physics, steps};

/// A floor with a low step and a wall on it: colliders of one body.
fn level(app: &mut App) -> [Entity; 3] {
    let world = app.world_mut();
    let ground = world.spawn(Body::Static).id();
    [
        (60.0, 2.0, 0.0, -1.0),
        (4.0, 0.3, 5.0, 0.15),
        (1.0, 6.0, 9.0, 3.0),
    ]
    .map(|(width, height, x, y)| {
        let place = Transform::from_xyz(x, y, 0.0);
        world
            .spawn((Collider::rectangle(width, height), place, ChildOf(ground)))
            .id()
    })
}

fn hero(app: &mut App, x: f32, y: f32) -> Entity {
    let upright = Character::upright(1.8, 0.35).unwrap();
    app.world_mut()
        .spawn((upright, Transform::from_xyz(x, y, 0.0)))
        .id()
}

fn run(app: &mut App, hero: Entity, count: usize, input: CharacterInput) {
    app.world_mut().get_mut::<CharacterControl>(hero).unwrap().0 = input;
    steps(app, count);
}

fn walk(speed: f32) -> CharacterInput {
    CharacterInput {
        walk: speed,
        ..CharacterInput::default()
    }
}

fn jump(speed: f32) -> CharacterInput {
    CharacterInput {
        jump: speed,
        ..CharacterInput::default()
    }
}

fn state(app: &App, hero: Entity) -> CharacterState {
    get(app, hero)
}

fn touches(app: &App, hero: Entity) -> Vec<Entity> {
    state(app, hero)
        .touches()
        .iter()
        .map(|touch| touch.collider)
        .collect()
}

#[test]
fn a_character_walks_up_steps_jumps_and_stops_at_walls() {
    let mut app = app_of_60_hz();
    let [floor, step, wall] = level(&mut app);
    let hero = hero(&mut app, 0.0, 1.0);
    assert_eq!(state(&app, hero).ground(), None);
    steps(&mut app, 30);
    assert!(state(&app, hero).is_grounded());
    assert_eq!(state(&app, hero).ground(), Some(floor));
    assert!((at(&app, hero).y - 0.9).abs() < 0.01);
    run(&mut app, hero, 60, walk(4.0));
    assert!((state(&app, hero).velocity().x - 4.0).abs() < 0.1);
    run(&mut app, hero, 20, walk(4.0));
    assert!((at(&app, hero).y - 1.2).abs() < 0.02);
    assert_eq!(touches(&app, hero), [step]);
    run(&mut app, hero, 1, jump(5.0));
    assert!(!state(&app, hero).is_grounded() && state(&app, hero).velocity().y > 4.0);
    assert_eq!(get::<CharacterControl>(&app, hero).0.jump, 0.0, "it was used");
    run(&mut app, hero, 240, walk(4.0));
    assert!((at(&app, hero).x - 8.15).abs() < 0.02);
    assert!(touches(&app, hero).contains(&wall));
    assert_eq!(at(&app, hero), body_at(&app, hero), "its body goes with it");
    assert!(!state(&app, hero).is_crushed());
}

#[test]
fn a_written_transform_puts_it_there_at_rest_and_in_the_air() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let hero = hero(&mut app, 0.0, 1.0);
    steps(&mut app, 30);
    run(&mut app, hero, 30, walk(4.0));
    let place = Transform::from_xyz(0.0, 5.0, 0.0);
    app.world_mut().entity_mut(hero).insert(place);
    run(&mut app, hero, 1, CharacterInput::default());
    let state = state(&app, hero);
    assert!(!state.is_grounded());
    assert_eq!(at(&app, hero).x, 0.0);
    assert!(
        (state.velocity() - Vec2::new(0.0, -10.0 / 60.0)).length() < 0.01,
        "{state:?}"
    );
    steps(&mut app, 90);
    assert!((at(&app, hero).y - 0.9).abs() < 0.01);
}

#[test]
fn a_definition_that_is_wrong_is_refused_and_it_stays_where_it_is() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let hero = hero(&mut app, 0.0, 1.0);
    steps(&mut app, 30);
    let before = at(&app, hero);
    let mut character = app.world_mut().get_mut::<Character>(hero).unwrap();
    character.def.slope_max = 7.0;
    run(&mut app, hero, 1, walk(4.0));
    let faults = faults(&app);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].entity, hero);
    assert!(matches!(faults[0].reason, FaultReason::Refused(_)));
    assert_eq!(at(&app, hero), before);
    assert!(Character::upright(f32::NAN, 0.35).is_err());
    assert!(Character::upright(1.8, -1.0).is_err());
}

#[test]
fn characters_go_back_with_the_physics() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let heroes = [0.0, 2.0].map(|x| hero(&mut app, x, 1.0));
    let crate_ = ball(&mut app, 3.5, 1.0);
    steps(&mut app, 30);
    run(&mut app, heroes[0], 20, walk(4.0));
    let frames = |app: &mut App, salt: usize| {
        for frame in 0..8 {
            let speed = [4.0, -3.0, 2.0, 0.0][(frame + salt) % 4];
            run(app, heroes[frame % 2], 1, walk(speed));
            run(app, heroes[1], 1, jump(3.0));
        }
        let states = heroes.map(|hero| (at(app, hero), state(app, hero)));
        (hash(app), states, at(app, crate_))
    };
    let control = heroes.map(|hero| get::<CharacterControl>(&app, hero));
    let saved = app.world_mut().save_physics();
    let before = heroes.map(|hero| (at(&app, hero), state(&app, hero)));
    let straight = frames(&mut app, 0);
    let restore = |app: &mut App| {
        app.world_mut().restore_physics(&saved);
        for (hero, control) in heroes.into_iter().zip(control) {
            app.world_mut().entity_mut(hero).insert(control);
        }
    };
    restore(&mut app);
    assert_eq!(
        heroes.map(|hero| (at(&app, hero), state(&app, hero))),
        before,
        "at once"
    );
    assert_ne!(frames(&mut app, 1), straight);
    restore(&mut app);
    assert_eq!(frames(&mut app, 0), straight);
}

#[test]
fn the_order_of_keys_decides_and_not_that_of_spawning() {
    let play = |order: [u64; 3]| {
        let mut app = app_of_60_hz();
        level(&mut app);
        for key in order {
            let upright = Character::upright(1.8, 0.35).unwrap();
            let skin = Collider::from(Outline::capsule(0.35, 1.1));
            // One walks into the next, which its body stops.
            let control = CharacterControl(walk(4.0 - key as f32));
            let place = Transform::from_xyz(key as f32, 1.0, 0.0);
            app.world_mut()
                .spawn((StableKey(key), upright, skin, control, place));
        }
        steps(&mut app, 60);
        hash(&app)
    };
    assert_eq!(play([0, 1, 2]), play([2, 0, 1]));
}

#[test]
fn it_rides_what_it_stands_on_and_falls_through_what_lets_it() {
    let mut app = app_of_60_hz();
    let lift = (
        Body::Kinematic,
        Collider::rectangle(4.0, 0.2),
        Material {
            material: 5,
            ..Material::default()
        },
    );
    let lift = app.world_mut().spawn((lift, Transform::default())).id();
    let hero = hero(&mut app, 0.0, 1.1);
    steps(&mut app, 30);
    assert_eq!(state(&app, hero).ground(), Some(lift));
    for frame in 1..=60 {
        let position = Vec2::new(0.02 * frame as f32, 0.01 * frame as f32);
        app.world_mut()
            .entity_mut(lift)
            .insert(MoveTo { position, angle: 0.0 });
        app.update();
    }
    assert!((at(&app, hero) - Vec2::new(1.2, 0.6 + 1.0)).length() < 0.01);
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    let mut rules = app.world_mut().resource_mut::<ContactRules>();
    rules.set_contact_rule(5, ANY_MATERIAL, up);
    steps(&mut app, 10);
    assert!(state(&app, hero).is_grounded());
    let drop = CharacterInput {
        drop: true,
        ..CharacterInput::default()
    };
    run(&mut app, hero, 60, drop);
    assert!(at(&app, hero).y < 0.0);
}

#[test]
fn others_touch_its_colliders_and_it_pushes_them() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let hero = hero(&mut app, 0.0, 1.0);
    let crate_ = (
        Body::Dynamic,
        Collider::rectangle(0.5, 0.5),
        Transform::from_xyz(1.5, 0.25, 0.0),
    );
    let crate_ = app.world_mut().spawn(crate_).id();
    steps(&mut app, 30);
    let mut pushes = Vec::new();
    for _ in 0..60 {
        run(&mut app, hero, 1, walk(2.0));
        pushes.extend_from_slice(state(&app, hero).touches());
    }
    assert!(at(&app, crate_).x > 1.7, "it was pushed: {}", at(&app, crate_));
    let pushes = pushes.iter().filter(|touch| touch.collider == crate_);
    let hard = pushes.clone().filter(|touch| touch.impulse > 0.0).count();
    assert!(hard > 0 && pushes.clone().all(|touch| touch.normal.x < -0.9));
    // Without a collider nothing lands on it; with one a ball does.
    let skin = Collider::from(Outline::capsule(0.35, 1.1));
    app.world_mut().entity_mut(hero).insert(skin);
    run(&mut app, hero, 1, CharacterInput::default());
    let place = at(&app, hero);
    let ball = ball(&mut app, place.x, place.y + 3.0);
    steps(&mut app, 60);
    assert!(at(&app, ball).y > place.y, "{} {place}", at(&app, ball));
}

#[test]
fn a_character_that_pushes_a_crate_begins_to_touch_it_once() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let hero = hero(&mut app, 0.0, 0.9);
    let skin = Collider::from(Outline::capsule(0.35, 1.1));
    app.world_mut().entity_mut(hero).insert(skin);
    let crate_ = (
        Body::Dynamic,
        Collider::rectangle(0.5, 0.5),
        Transform::from_xyz(0.7, 0.25, 0.0),
    );
    let crate_ = app.world_mut().spawn(crate_).id();
    let mut begun = 0;
    for _ in 0..60 {
        run(&mut app, hero, 1, walk(2.0));
        let messages = app.world().resource::<Messages<TouchBegan>>();
        let of_both = messages.iter_current_update_messages().filter(|touch| {
            let bodies = [touch.body, touch.other_body];
            bodies.contains(&hero) && bodies.contains(&crate_)
        });
        begun += of_both.count();
    }
    assert!(at(&app, crate_).x > 1.0, "it was pushed: {}", at(&app, crate_));
    assert!((1..=4).contains(&begun), "{begun} begins");
}

#[test]
fn a_hidden_or_dynamic_character_is_not_moved() {
    let mut app = app_of_60_hz();
    level(&mut app);
    let hero = hero(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(hero).insert(Disabled);
    steps(&mut app, 30);
    assert_eq!(at(&app, hero).y, 5.0);
    app.world_mut()
        .entity_mut(hero)
        .remove::<Disabled>()
        .insert(Body::Dynamic);
    run(&mut app, hero, 30, walk(4.0));
    assert!(
        at(&app, hero).x == 0.0 && at(&app, hero).y < 5.0,
        "it falls as a body"
    );
    assert_eq!(state(&app, hero).velocity(), Vec2::ZERO);
    app.world_mut()
        .entity_mut(hero)
        .insert((Body::Kinematic, Velocity::default()));
    run(&mut app, hero, 30, walk(4.0));
    assert!(at(&app, hero).x > 0.1);
    app.world_mut().despawn(hero);
    app.update();
    assert_eq!(physics(&app).world().counters().bodies, 1);
}

#[test]
fn between_two_steps_it_is_drawn_between_two_poses() {
    let mut app = support::app_with(TomboloPlugin::default());
    level(&mut app);
    let definition = Character::upright(1.8, 0.35).unwrap();
    let free = CharacterDef {
        acceleration: 1.0e4,
        ..definition.def
    };
    let place = Transform::from_xyz(-8.0, 0.9, 0.0);
    let hero = app.world_mut().spawn((Character::new(free), place)).id();
    run(&mut app, hero, 20, walk(4.0));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(
        1.0 / 144.0,
    )));
    steps(&mut app, 20);
    let mut last = at(&app, hero).x;
    for _ in 0..60 {
        app.update();
        let now = at(&app, hero).x;
        assert!(
            (now - last - 4.0 / 144.0).abs() < 0.01 * 4.0 / 144.0,
            "{}",
            now - last
        );
        last = now;
    }
    let link: BodyLink = get(&app, hero);
    assert_eq!(link.pose().position, body_at(&app, hero));
    assert!(app.world().resource::<Physics>().body(hero).is_some());
}

/// The messages of the last frame.
fn messages<T: Message + Clone>(app: &App) -> Vec<T> {
    let messages = app.world().resource::<Messages<T>>();
    messages.iter_current_update_messages().cloned().collect()
}

/// What is told of what a hero touches, step by step, is what changes in its state; also after going back.
#[test]
fn touches_of_characters_begin_and_end_as_their_states_say() {
    let mut app = app_of_60_hz();
    let [floor, step, wall] = level(&mut app);
    let hero = hero(&mut app, 0.0, 1.0);
    let log = |app: &mut App| {
        let before = touches(app, hero);
        app.update();
        let now = touches(app, hero);
        let began: Vec<Entity> = messages::<CharacterTouchBegan>(app)
            .iter()
            .map(|touch| {
                assert_eq!(touch.entity, hero);
                assert!((touch.normal.length() - 1.0).abs() < 1.0e-4);
                touch.collider
            })
            .collect();
        let ended: Vec<Entity> = messages::<CharacterTouchEnded>(app)
            .iter()
            .map(|touch| {
                assert_eq!(touch.entity, hero);
                touch.collider
            })
            .collect();
        for collider in [floor, step, wall] {
            let [was, is] = [&before, &now].map(|touches| touches.contains(&collider));
            assert_eq!(began.contains(&collider), is && !was);
            assert_eq!(ended.contains(&collider), was && !is);
        }
        assert!(began.len() <= 3 && ended.len() <= 3, "each is told of once");
        (began, ended)
    };
    let mut all = Vec::new();
    for step in 0..40 {
        let input = if step < 20 {
            CharacterInput::default()
        } else {
            walk(4.0)
        };
        app.world_mut().get_mut::<CharacterControl>(hero).unwrap().0 = input;
        all.push(log(&mut app));
    }
    let saved = app.world_mut().save_physics();
    let ahead: Vec<_> = (0..120).map(|_| log(&mut app)).collect();
    app.world_mut().restore_physics(&saved);
    let again: Vec<_> = (0..120).map(|_| log(&mut app)).collect();
    assert_eq!(ahead, again);
    all.extend(ahead);
    for collider in [floor, step, wall] {
        assert!(all.iter().any(|(began, _)| began.contains(&collider)));
    }
    assert!(
        all.iter().any(|(_, ended)| ended.contains(&floor)),
        "it went up the step"
    );
}

/// A hero that becomes a body of its own, as one that is knocked out, or whose body is disabled: it is no character for so long.
#[test]
fn a_character_whose_body_is_not_moved_any_more_touches_nothing_and_its_touches_end() {
    for is_disabled in [false, true] {
        let mut app = app_of_60_hz();
        let [floor, ..] = level(&mut app);
        let hero = hero(&mut app, 0.0, 1.0);
        let changes = |app: &mut App, count: usize| {
            let (mut began, mut ended) = (Vec::new(), Vec::new());
            for _ in 0..count {
                app.update();
                began.extend(
                    messages::<CharacterTouchBegan>(app)
                        .iter()
                        .map(|touch| touch.collider),
                );
                ended.extend(messages::<CharacterTouchEnded>(app));
            }
            (began, ended)
        };
        assert_eq!(changes(&mut app, 30), (vec![floor], vec![]));
        let standing = state(&app, hero);
        assert_eq!((standing.ground(), standing.touches().len()), (Some(floor), 1));
        let end = CharacterTouchEnded {
            entity: hero,
            collider: floor,
            body: standing.touches()[0].body,
        };
        let saved = app.world_mut().save_physics();
        let knock_out = |app: &mut App| {
            let mut hero = app.world_mut().entity_mut(hero);
            if is_disabled {
                hero.insert(BodyDisabled);
            } else {
                hero.insert(Body::Dynamic);
            }
        };
        knock_out(&mut app);
        assert_eq!(changes(&mut app, 1), (vec![], vec![end]));
        assert_eq!(state(&app, hero), CharacterState::default());
        assert_eq!(changes(&mut app, 10), (vec![], vec![]), "it is told once");
        // The world goes back to where it stood, its component does not.
        app.world_mut().restore_physics(&saved);
        assert_eq!(state(&app, hero).ground(), Some(floor));
        assert_eq!(changes(&mut app, 10), (vec![], vec![end]));
        assert_eq!(state(&app, hero), CharacterState::default());
        let mut entity = app.world_mut().entity_mut(hero);
        entity.remove::<BodyDisabled>();
        entity.insert((
            Body::Kinematic,
            Velocity::default(),
            Transform::from_xyz(0.0, 1.0, 0.0),
        ));
        assert_eq!(changes(&mut app, 30), (vec![floor], vec![]));
        assert!(state(&app, hero).is_grounded());
    }
}
