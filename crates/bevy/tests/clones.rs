//! Clones of entities have objects of their own in the physics world, and leave those of the originals alone.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, Update};
use bevy_ecs::entity::EntityCloner;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{AppTypeRegistry, Commands, Entity, Res, Resource};
use bevy_ecs::reflect::ReflectComponent;
use bevy_math::Vec2;
use bevy_tombolo::physics::{FieldKind, Pose, Tile, TileGridDef};
use bevy_tombolo::{
    Body, BodyLink, Character, CharacterState, CharacterTouchBegan, CharacterTouchEnded, Collider,
    ColliderLink, FaultReason, Field, FieldLink, Joint, JointLink, Physics, StableKey, TileGrid, Velocity,
};
use bevy_transform::components::Transform;
use support::{app, at, ball, body_at, faults, get, ground, hash, link, physics, steps};

/// Bodies, shapes, joints and fields of the world.
fn counts(app: &App) -> [usize; 4] {
    let world = physics(app).world();
    let counters = world.counters();
    let fields = world.fields().count();
    [counters.bodies, counters.shapes, counters.joints, fields]
}

fn clone(app: &mut App, entity: Entity) -> Entity {
    app.world_mut().entity_mut(entity).clone_and_spawn()
}

fn place(app: &mut App, entity: Entity, x: f32, y: f32) {
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation = Vec2::new(x, y).extend(0.0);
}

#[test]
fn a_clone_has_a_body_of_its_own_that_goes_by_itself() {
    let mut app = app();
    let one = ball(&mut app, 0.0, 3.0);
    app.update();
    let two = clone(&mut app, one);
    assert_eq!(link(&app, two).id(), None, "until the next step");
    app.update();
    assert_eq!(counts(&app), [2, 2, 0, 0]);
    assert_ne!(link(&app, one).id(), link(&app, two).id());
    assert!(link(&app, two).key() > link(&app, one).key());
    let shapes = |entity| get::<ColliderLink>(&app, entity).shapes().to_vec();
    assert_ne!(shapes(one), shapes(two));
    for entity in [one, two] {
        let body = link(&app, entity).id().unwrap();
        assert_eq!(physics(&app).entity_of_body(body), Some(entity));
        assert_eq!(physics(&app).entity_of_shape(shapes(entity)[0]), Some(entity));
    }
    app.world_mut().despawn(two);
    app.update();
    assert_eq!(counts(&app), [1, 1, 0, 0]);
    let body = link(&app, one).id().unwrap();
    assert!(physics(&app).world().body(body).is_some());
}

#[derive(Resource)]
struct Template(Entity);

/// The world of a game that clones does not differ from that of one that spawns the same.
#[test]
fn what_is_cloned_is_what_is_spawned() {
    let run = |by_clones: bool| {
        let mut app = app();
        ground(&mut app);
        let first = ball(&mut app, 0.0, 5.0);
        steps(&mut app, 10);
        if by_clones {
            app.insert_resource(Template(first));
            app.add_systems(Update, |mut commands: Commands, template: Res<Template>| {
                let Template(first) = *template;
                let place = Transform::from_xyz(0.2, 8.0, 0.0);
                commands.entity(first).clone_and_spawn().insert(place);
            });
        } else {
            let place = Transform::from_xyz(0.2, 8.0, 0.0);
            app.insert_resource(Template(first));
            app.add_systems(
                Update,
                move |mut commands: Commands,
                      first: Res<Template>,
                      now: bevy_ecs::prelude::Query<&Velocity>| {
                    let velocity = *now.get(first.0).unwrap();
                    commands.spawn((Body::Dynamic, Collider::circle(0.5), place, velocity));
                },
            );
        }
        let mut hashes = Vec::new();
        for _ in 0..40 {
            app.update();
            hashes.push(hash(&app));
        }
        assert_eq!(counts(&app)[0], 2 + 39);
        hashes
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_clone_onto_an_entity_with_a_body_leaves_it_its_body() {
    let mut app = app();
    let one = ball(&mut app, 0.0, 3.0);
    let two = ball(&mut app, 5.0, 3.0);
    app.update();
    app.world_mut().entity_mut(one).insert(Collider::circle(0.25));
    let before = [one, two].map(|entity| link(&app, entity).id());
    EntityCloner::build_opt_out(app.world_mut())
        .without_required_by_components(|cloner| {
            cloner.deny::<Transform>();
        })
        .clone_entity(one, two);
    app.update();
    assert_eq!([one, two].map(|entity| link(&app, entity).id()), before);
    assert_eq!(counts(&app), [2, 2, 0, 0]);
    assert_eq!(body_at(&app, two).x, 5.0);
    let shape = get::<ColliderLink>(&app, two).shapes()[0];
    let extent = physics(&app)
        .world()
        .shape(shape)
        .unwrap()
        .geometry()
        .aabb(Pose::IDENTITY);
    assert!(
        (extent.max.x - extent.min.x - 0.5).abs() < 0.01,
        "it has the other's collider"
    );
}

#[test]
fn components_that_are_moved_to_another_entity_have_a_body_there() {
    let mut app = app();
    let one = ball(&mut app, 0.0, 3.0);
    app.update();
    let two = app.world_mut().spawn_empty().id();
    EntityCloner::build_opt_out(app.world_mut())
        .move_components(true)
        .clone_entity(one, two);
    app.update();
    assert_eq!(counts(&app), [1, 1, 0, 0]);
    assert!(physics(&app).body(one).is_none());
    assert_eq!(
        physics(&app).entity_of_body(link(&app, two).id().unwrap()),
        Some(two)
    );
    let fallen = at(&app, two).y;
    steps(&mut app, 10);
    assert!(at(&app, two).y < fallen);
}

#[test]
fn a_cloned_joint_is_another_joint_of_the_same_bodies() {
    let mut app = app();
    let [a, b] = [0.0, 1.0].map(|x| ball(&mut app, x, 3.0));
    let joint = app.world_mut().spawn(Joint::weld(a, Vec2::X, b, Vec2::ZERO)).id();
    app.update();
    let other = clone(&mut app, joint);
    app.update();
    let ids = [joint, other].map(|entity| get::<JointLink>(&app, entity).id().unwrap());
    assert_ne!(ids[0], ids[1]);
    assert_eq!(counts(&app)[2], 2);
    app.world_mut().despawn(other);
    app.update();
    assert_eq!(counts(&app)[2], 1);
    assert!(physics(&app).world().joint(ids[0]).is_some());
}

/// A doll: a body with a collider below it, a limb below it, and what ties the two.
#[test]
fn a_clone_with_all_below_it_has_joints_between_its_own_bodies() {
    let mut app = app();
    let root = ball(&mut app, 0.0, 3.0);
    let head = (
        Collider::circle(0.2),
        Transform::from_xyz(0.0, 0.5, 0.0),
        ChildOf(root),
    );
    app.world_mut().spawn(head);
    let limb = (
        Body::Dynamic,
        Collider::circle(0.2),
        Transform::from_xyz(1.0, 0.0, 0.0),
        ChildOf(root),
    );
    let limb = app.world_mut().spawn(limb).id();
    let tie = Joint::revolute(root, Vec2::X, limb, Vec2::ZERO);
    let tie = app.world_mut().spawn((tie, ChildOf(root))).id();
    app.update();
    assert_eq!(counts(&app), [2, 3, 1, 0]);
    let copy = app.world_mut().spawn_empty().id();
    EntityCloner::build_opt_out(app.world_mut())
        .linked_cloning(true)
        .clone_entity(root, copy);
    place(&mut app, copy, 20.0, 3.0);
    app.update();
    assert_eq!(counts(&app), [4, 6, 2, 0]);
    let below: Vec<Entity> = app.world().get::<Children>(copy).unwrap().to_vec();
    let has_joint = |entity: &&Entity| app.world().get::<Joint>(**entity).is_some();
    let copied = *below.iter().find(has_joint).unwrap();
    let other = *below
        .iter()
        .find(|&&entity| app.world().get::<Body>(entity).is_some())
        .unwrap();
    assert_eq!(get::<Joint>(&app, copied).bodies, [copy, other]);
    assert_eq!(get::<Joint>(&app, tie).bodies, [root, limb]);
    let joint = get::<JointLink>(&app, copied).id().unwrap();
    let ends = physics(&app).world().joint(joint).unwrap().def().bodies();
    assert_eq!(ends, [copy, other].map(|entity| link(&app, entity).id().unwrap()));
    app.world_mut().despawn(copy);
    app.update();
    assert_eq!(counts(&app), [2, 3, 1, 0]);
    assert!(get::<JointLink>(&app, tie).id().is_some());
}

#[test]
fn cloned_fields_and_tile_grids_are_their_own() {
    let mut app = app();
    let wind = FieldKind::Wind {
        velocity: Vec2::X,
        density: 1.0,
        drag: 1.0,
        lift: 0.0,
    };
    let field = app.world_mut().spawn(Field::everywhere(wind)).id();
    let def = TileGridDef {
        width: 2,
        height: 1,
        tiles: vec![Tile::default()],
        cells: vec![1, 0],
        ..TileGridDef::default()
    };
    let grid = app.world_mut().spawn(TileGrid::new(def)).id();
    app.update();
    let [other_field, other_grid] = [field, grid].map(|entity| clone(&mut app, entity));
    place(&mut app, other_grid, 10.0, 0.0);
    app.update();
    assert_eq!(counts(&app)[3], 2);
    let fields = [field, other_field].map(|entity| get::<FieldLink>(&app, entity).id().unwrap());
    assert_ne!(fields[0], fields[1]);
    let mut physics_mut = app.world_mut().resource_mut::<Physics>();
    physics_mut.set_tile(other_grid, 1, 0, 1).unwrap();
    let filled = |app: &App, entity| physics(app).tile_grid(entity).unwrap().tile(1, 0);
    assert_ne!(filled(&app, grid), filled(&app, other_grid));
    app.world_mut().despawn(other_field);
    app.world_mut().despawn(other_grid);
    app.update();
    assert_eq!(counts(&app)[3], 1);
    assert!(physics(&app).world().field(fields[0]).is_some());
    assert!(physics(&app).tile_grid(grid).is_some());
}

#[test]
fn a_cloned_character_begins_its_own_touches() {
    let mut app = app();
    ground(&mut app);
    let hero = Character::upright(1.8, 0.35).unwrap();
    let hero = app
        .world_mut()
        .spawn((hero, Transform::from_xyz(0.0, 0.9, 0.0)))
        .id();
    steps(&mut app, 30);
    assert!(get::<CharacterState>(&app, hero).is_grounded());
    let other = clone(&mut app, hero);
    place(&mut app, other, 3.0, 5.0);
    let (mut began, mut ended) = (Vec::new(), Vec::new());
    for step in 0..120 {
        app.update();
        if step == 0 {
            assert!(!get::<CharacterState>(&app, other).is_grounded());
            assert!(get::<CharacterState>(&app, hero).is_grounded());
        }
        let messages = app.world().resource::<Messages<CharacterTouchBegan>>();
        began.extend(messages.iter_current_update_messages().map(|touch| touch.entity));
        let messages = app.world().resource::<Messages<CharacterTouchEnded>>();
        ended.extend(messages.iter_current_update_messages().map(|touch| touch.entity));
    }
    assert_eq!((began, ended), (vec![other], vec![]));
    assert!(get::<CharacterState>(&app, other).is_grounded());
}

#[test]
fn a_clone_with_the_key_of_the_original_waits_for_another() {
    let mut app = app();
    let def = TileGridDef {
        width: 1,
        height: 1,
        tiles: vec![Tile::default()],
        cells: vec![1],
        ..TileGridDef::default()
    };
    let one = app
        .world_mut()
        .spawn((
            Body::Static,
            Collider::circle(0.5),
            TileGrid::new(def),
            StableKey(7),
        ))
        .id();
    app.update();
    let shapes = counts(&app)[1];
    let [two, three] = [one, one].map(|entity| clone(&mut app, entity));
    app.update();
    let reasons: Vec<_> = faults(&app)
        .into_iter()
        .map(|fault| (fault.entity, fault.reason))
        .collect();
    let key = StableKey(7).user_key();
    assert_eq!(
        reasons,
        [two, three].map(|entity| (entity, FaultReason::KeyInUse(key)))
    );
    assert_eq!(counts(&app)[..2], [1, shapes]);
    // The one goes, the other gets a key.
    app.world_mut().despawn(two);
    app.world_mut().entity_mut(three).insert(StableKey(8));
    app.update();
    assert_eq!(counts(&app)[..2], [2, 2 * shapes]);
    assert!(physics(&app).tile_grid(one).is_some() && physics(&app).tile_grid(three).is_some());
    assert_eq!(link(&app, three).key(), StableKey(8).user_key());
}

/// What a scene of Bevy does that was made of entities of a running game.
#[test]
fn links_that_reflection_copies_to_other_entities_begin_anew() {
    let mut app = app();
    let [a, b] = [0.0, 1.0].map(|x| ball(&mut app, x, 3.0));
    let tie = app.world_mut().spawn(Joint::weld(a, Vec2::X, b, Vec2::ZERO)).id();
    let wind = FieldKind::Wind {
        velocity: Vec2::X,
        density: 1.0,
        drag: 1.0,
        lift: 0.0,
    };
    let field = app.world_mut().spawn(Field::everywhere(wind)).id();
    app.update();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let mut copy = |from: Entity| {
        let to = app.world_mut().spawn_empty().id();
        let ids: Vec<_> = app.world().entity(from).archetype().iter_components().collect();
        let types = ids
            .into_iter()
            .filter_map(|id| app.world().components().get_info(id)?.type_id());
        // Links first, as a file may have them in any order.
        let mut types: Vec<_> = types.filter_map(|id| registry.get(id)).collect();
        types.sort_by_key(|of| !of.type_info().type_path().ends_with("Link"));
        for of in types {
            let component = of.data::<ReflectComponent>().unwrap();
            let value = component.reflect(app.world().entity(from)).unwrap();
            let value = value.reflect_clone().unwrap();
            let mut to = app.world_mut().entity_mut(to);
            component.insert(&mut to, value.as_partial_reflect(), &registry);
        }
        to
    };
    let copies = [a, tie, field].map(&mut copy);
    place(&mut app, copies[0], 9.0, 9.0);
    app.update();
    assert_eq!(counts(&app), [3, 3, 2, 2]);
    let ids = [a, b, copies[0]].map(|entity| get::<BodyLink>(&app, entity).id().unwrap());
    assert!(ids[2] != ids[0] && ids[2] != ids[1]);
    for copy in copies {
        app.world_mut().despawn(copy);
    }
    app.update();
    assert_eq!(counts(&app), [2, 2, 1, 1]);
}
