//! Saves that no world wrote, with a checksum that fits: refused, with the part that is wrong, and the world is as it was.
//!
//! Values are forged through `manager_mut`, which checks nothing, and handles by their bytes.

use tombolo::component::{
    AGENT, Agent, BODY, Body, COLLIDER, Collider, SPAWNER, Spawner, TRANSFORM, TRIGGER, Transform,
};
use tombolo::entity::{Component, ComponentManager, Dense, Entity, InstanceId, ManagerId, hash_bytes};
use tombolo::physics::Vec2;
use tombolo::threads::Stopwatch;
use tombolo::{Settings, World};

use crate::{run, yard};

/// What a world that is like the yard says of a save; it is as it was.
fn refusal(save: &[u8]) -> String {
    let mut world = yard();
    let before = world.state_hash();
    let error = world.restore(save).unwrap_err().to_string();
    assert_eq!(world.state_hash(), before);
    error
}

/// Changes a component behind the world's back and saves.
fn save_with<T: Component>(name: &str, manager: ManagerId, change: impl FnOnce(&mut T)) -> Vec<u8> {
    let mut world = yard();
    run(&mut world, 5);
    let entity = world.find(name).unwrap();
    let parts: &mut Dense<T> = world.manager_mut(manager).unwrap();
    change(parts.newest_mut(entity).unwrap());
    world.save()
}

/// Replaces a number in the entities' part of a save, and puts the checksum right; how often it was there.
fn replace(save: &mut [u8], from: &[u8], to: &[u8]) -> usize {
    let physics = u64::from_le_bytes(save[12..20].try_into().unwrap()) as usize;
    let (start, end) = (20 + physics + 8, save.len() - 8);
    let mut count = 0;
    for at in start..=end - from.len() {
        if save[at..].starts_with(from) {
            save[at..at + to.len()].copy_from_slice(to);
            count += 1;
        }
    }
    let checksum = hash_bytes(&save[..end]).to_le_bytes();
    save[end..].copy_from_slice(&checksum);
    count
}

/// What is done to a Transform.
type Forge = fn(&mut Transform);

#[test]
fn a_transform_that_is_no_pose_is_refused() {
    let forgeries: [(&str, Forge); 6] = [
        ("a place that is not a number", |transform| {
            transform.position.x = f32::NAN
        }),
        ("an infinite place", |transform| {
            transform.position.y = f32::NEG_INFINITY
        }),
        ("a place from where children overflow", |transform| {
            transform.position.x = 1.0e38
        }),
        ("an angle", |transform| transform.set_angle(f32::INFINITY)),
        ("a scale that is not a number", |transform| {
            transform.scale.x = f32::NAN
        }),
        ("a scale beyond its range", |transform| transform.scale.y = 1.0e30),
    ];
    for (what, forge) in forgeries {
        for name in ["cart/lamp", "crate[0]", "gate"] {
            let error = refusal(&save_with(name, TRANSFORM, forge));
            assert!(error.contains("manager `Transform`"), "{what}: {error}");
        }
    }
}

#[test]
fn numbers_that_no_property_takes_are_refused() {
    for (save, what) in [
        (
            save_with::<Spawner>("chute", SPAWNER, |spawner| spawner.interval_s = f32::NAN),
            "`Spawner`",
        ),
        (
            save_with::<Spawner>("chute", SPAWNER, |spawner| spawner.velocity.y = 1.0e9),
            "`Spawner`",
        ),
        (
            save_with::<Body>("cart", BODY, |body| body.def.linear_damping = -1.0),
            "`Body`",
        ),
        (
            save_with::<Collider>("cart", COLLIDER, |part| part.def.density = f32::NAN),
            "`Collider`",
        ),
        (
            save_with::<Collider>("cart", COLLIDER, |part| part.geometry.size.x = f32::INFINITY),
            "`Collider`",
        ),
    ] {
        let error = refusal(&save);
        assert!(error.contains(what), "{error}");
    }
    let mut world = yard();
    let lamp = world.find("cart/lamp").unwrap();
    world.add_component(lamp, "Agent", "legs").unwrap();
    let agents: &mut Dense<Agent> = world.manager_mut(AGENT).unwrap();
    agents.newest_mut(lamp).unwrap().speed = f32::NAN;
    assert!(refusal(&world.save()).contains("`Agent`"));
}

#[test]
fn an_entity_without_a_transform_is_refused() {
    let mut world = yard();
    let lamp = world.find("cart/lamp").unwrap();
    let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
    let (_, instance) = transforms.owners().find(|(entity, _)| *entity == lamp).unwrap();
    assert!(transforms.destroy(lamp, instance));
    let error = refusal(&world.save());
    assert!(
        error.ends_with("an entity has a component that its manager does not hold"),
        "{error}"
    );
}

#[test]
fn bodies_and_transforms_without_a_name_are_refused() {
    let mut world = yard();
    let (lamp, cart) = (world.find("cart/lamp").unwrap(), world.find("cart").unwrap());
    let bodies: &mut Dense<Body> = world.manager_mut(BODY).unwrap();
    bodies.create(lamp, InstanceId(7)).unwrap();
    assert!(refusal(&world.save()).ends_with("there is a Body without a name"));
    let mut world = yard();
    let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
    transforms.create(cart, InstanceId(7)).unwrap();
    assert!(refusal(&world.save()).ends_with("there is a Transform without a name"));
}

#[test]
fn a_parent_that_is_yet_to_come_or_a_circle_is_refused() {
    let next = yard().create(None).unwrap();
    let save = save_with::<Transform>("gate", TRANSFORM, |transform| transform.parent = Some(next));
    let error = refusal(&save);
    assert!(error.ends_with("an entity's parent has never been"), "{error}");
    let world = yard();
    let [gate, chute] = ["gate", "chute"].map(|name| world.find(name).unwrap());
    for (name, parent) in [("gate", gate), ("cart", world.find("cart/lamp").unwrap())] {
        let save = save_with::<Transform>(name, TRANSFORM, |transform| transform.parent = Some(parent));
        let error = refusal(&save);
        assert!(
            error.ends_with("an entity is its own ancestor"),
            "{name}: {error}"
        );
    }
    // One that has died stands for none.
    let mut world = yard();
    world
        .set(
            gate,
            "transform.parent",
            tombolo::entity::Value::Entity(Some(chute)),
        )
        .unwrap();
    let child = world.create(None).unwrap();
    let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
    transforms.newest_mut(child).unwrap().parent = Some(chute);
    let save = world.save();
    yard().restore(&save).unwrap();
}

#[test]
fn a_line_of_forty_thousand_parents_is_read_at_once() {
    let mut world = World::new(&Settings::default()).unwrap();
    let entities: Vec<Entity> = (0..40_000).map(|_| world.create(None).unwrap()).collect();
    let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
    for two in entities.windows(2) {
        transforms.newest_mut(two[1]).unwrap().parent = Some(two[0]);
    }
    let mut save = world.save();
    let mut other = World::new(&Settings::default()).unwrap();
    let clock = Stopwatch::start();
    other.restore(&save).unwrap();
    assert_eq!(other.children(entities[39_998]), [entities[39_999]]);
    // And if it is closed to a circle.
    let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
    transforms.newest_mut(entities[0]).unwrap().parent = Some(entities[39_999]);
    save = world.save();
    other.restore(&save).unwrap_err();
    // A look at all ancestors of each took some ten seconds.
    assert!(clock.elapsed_seconds() < 4.0, "{} s", clock.elapsed_seconds());
}

#[test]
fn an_object_of_physics_belongs_to_one_component() {
    let mut world = yard();
    run(&mut world, 5);
    let [cart, sign] =
        ["cart", "sign"].map(|name| world.body_of(world.find(name).unwrap()).unwrap().to_bits());
    let [bed, board] = ["cart", "sign"].map(|name| {
        let body = world.body(world.find(name).unwrap()).unwrap();
        body.shapes().next().unwrap().id().to_bits()
    });
    let joint = world.physics().joints().next().unwrap().id().to_bits();
    // One that is taken twice; and one that is still to come.
    for (what, from, to) in [
        ("body", cart, sign),
        ("body", cart, cart + 1000),
        ("shape", bed, board),
        ("shape", bed, bed + 1000),
        ("joint", joint, joint + 1000),
    ] {
        let mut save = world.save();
        assert_eq!(
            replace(&mut save, &from.to_le_bytes(), &to.to_le_bytes()),
            1,
            "{what}"
        );
        let error = refusal(&save);
        assert!(
            error.contains(&format!("a {what} that physics has not made")),
            "{error}"
        );
    }
}

#[test]
fn an_event_of_an_entity_that_never_was_is_refused() {
    let mut world = yard();
    run(&mut world, 5);
    let late = world.create(None).unwrap();
    let mut save = world.save();
    let told = |entity: u64| [&[1][..], &entity.to_le_bytes()].concat();
    let (from, to) = (told(late.to_bits()), told(late.to_bits() + 1));
    assert_eq!(replace(&mut save, &from, &to), 1);
    assert!(refusal(&save).ends_with("something happened to no entity"));
}

#[test]
fn a_trigger_keeps_its_own_body_to_itself() {
    let world = yard();
    let gate = world.find("gate").unwrap();
    let own = world
        .physics()
        .bodies()
        .find(|body| body.user_key() == gate.to_bits())
        .unwrap()
        .id();
    let cart = world
        .find("cart")
        .and_then(|entity| world.body_of(entity))
        .unwrap();
    assert_eq!(
        world
            .components_of(gate)
            .iter()
            .filter(|row| row.manager == TRIGGER)
            .count(),
        1
    );
    let mut save = world.save();
    assert_eq!(
        replace(
            &mut save,
            &own.to_bits().to_le_bytes(),
            &cart.to_bits().to_le_bytes()
        ),
        1
    );
    let error = refusal(&save);
    assert!(
        error.contains("a body that physics has not made, or not for this component"),
        "{error}"
    );
}

#[test]
fn a_spawner_that_makes_too_fast_a_body_is_a_fault_and_no_panic() {
    let mut world = yard();
    let chute = world.find("chute").unwrap();
    let fast = [
        ("kind", tombolo::entity::Value::Choice(2)),
        (
            "linear_velocity",
            tombolo::entity::Value::Vec2(Vec2::new(0.0, -1.0e6)),
        ),
    ];
    let stone = tombolo::entity::ResourceDefinition::new("stone").component("body", "Body", fast);
    world.define(vec![stone]).unwrap();
    world
        .set(
            chute,
            "spout.resource",
            tombolo::entity::Value::String("stone".into()),
        )
        .unwrap();
    world
        .set(
            chute,
            "spout.velocity",
            tombolo::entity::Value::Vec2(Vec2::new(0.0, -5.0e5)),
        )
        .unwrap();
    run(&mut world, 40);
    assert!(
        world.faults()[0].starts_with("spawner of \"chute\": linear_velocity is -1500000"),
        "{:?}",
        world.faults()
    );
}
