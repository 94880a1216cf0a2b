//! [`Rollback`]: saves the physics world, and restores it together with the components of entities.

use std::collections::BTreeMap;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Entity, IntoSystem, Query, Res, ResMut, With, World};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemChangeTick;
use tombolo_physics::{BodyId, Frame as PhysicsFrame, ShapeId};

use crate::body::{Body, SleepState};
use crate::character::CharacterState;
use crate::field::Field;
use crate::key::StableKey;
use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::own_writes::apart;
use crate::pending::Pending;
use crate::saved_state::SavedState;
use crate::slots::{ShapeEntities, Slots};
use crate::sync::bodies::sleeps;
use crate::sync::characters;
use crate::sync::cuts::{follow_cuts, note_shapes};
use crate::sync::joints::mend_joints;
use crate::sync::show::{Shown, show_nested, show_true, show_whole};
use crate::tiles::TileGrid;
use crate::world::Physics;

/// The physics world at one moment, from [`Rollback::save_physics`]. A clone costs a pointer for each array.
#[derive(Clone, Debug)]
pub struct PhysicsSnapshot {
    frame: PhysicsFrame,
    saved: SavedState,
    /// The shapes of colliders.
    shapes: Slots<ShapeId, ShapeEntities>,
}

impl PhysicsSnapshot {
    /// The number of steps that the world had made.
    pub fn step_index(&self) -> u64 {
        self.frame.step_index()
    }

    /// A hash for peers to compare: the same on every machine for the same state.
    pub fn checksum(&self) -> u64 {
        self.frame.checksum()
    }

    /// The bytes that keeping it costs in addition to an older snapshot.
    pub fn bytes(&self, before: Option<&Self>) -> usize {
        self.frame.bytes(before.map(|before| &before.frame))
    }
}

/// Saving and restoring the physics, as a trait of Bevy's `World`. Call it between two runs of the fixed schedules, as
/// systems of rollback libraries do.
///
/// The physics is restored by the plugin. The game's other components and resources, and the set of entities, are for
/// the game to restore, by itself or with a library. Bodies and entities are matched by [`StableKey`]s:
///
/// - An entity that exists has its body, colliders, tile grid, field and joints of the saved moment, and `Transform`,
///   `Velocity`, `SleepState` and `CharacterState` have their values at once.
/// - An entity that was despawned since and is spawned again with its `StableKey` gets its body or its field back, with all that it
///   had, in the next step. If it is not spawned by then, the body is removed.
/// - An entity that was spawned since, and is not despawned, is created anew in the next step, at its pose by then. So
///   is one that existed and whose first step was still to come: save after the step that creates it.
/// - In the next step components are applied whose values are not those of the saved moment: so what the game set since,
///   and did not restore, counts. What calls on [`Physics`] had set by then on the bodies, shapes and joints of entities
///   holds, a cut body stays cut, and the cells of a tile grid are those of the saved moment. Bodies, shapes, fields and joints
///   of entities that calls had destroyed by then do not come again; writing a [`Joint`](crate::Joint) creates it, as ever.
/// - [`ContactRules`](crate::ContactRules) are compared with the rules of the world, and differences are applied.
/// - Bodies, shapes and joints that calls created are those of the saved moment.
///
/// `Forces` that no step has used yet, and messages, are not restored.
pub trait Rollback {
    /// Saves the physics. The first snapshot costs a copy of the world, later ones the changes since the one before.
    fn save_physics(&mut self) -> PhysicsSnapshot;

    /// Restores the physics. Costs the changes since the snapshot, and a visit of each entity.
    fn restore_physics(&mut self, snapshot: &PhysicsSnapshot);
}

impl Rollback for World {
    fn save_physics(&mut self) -> PhysicsSnapshot {
        self.run_system_cached(follow_cuts)
            .expect("its parameters are there");
        self.run_system_cached(mend_joints)
            .expect("its parameters are there");
        let mut physics = self.resource_mut::<Physics>();
        PhysicsSnapshot {
            frame: physics.world.frame(),
            saved: physics.entities.saved.clone(),
            // In a restored world, before its next step, not all shapes have their entities yet.
            shapes: physics
                .restored
                .as_ref()
                .unwrap_or(&physics.entities.shapes)
                .clone(),
        }
    }

    fn restore_physics(&mut self, snapshot: &PhysicsSnapshot) {
        self.run_system_cached(apart.pipe(show_true))
            .expect("its parameters are there");
        let mut physics = self.resource_mut::<Physics>();
        physics.world.restore_frame(&snapshot.frame);
        physics.world.watch_bodies();
        physics.changed.clear();
        physics.entities.clear();
        physics.entities.saved.clone_from(&snapshot.saved);
        physics.restored = Some(snapshot.shapes.clone());
        physics.teleported.clear();
        physics.moving.clear();
        physics.moved_characters.clear();
        physics.character_touches.clear();
        physics.stale.clear();
        self.run_system_cached(match_bodies)
            .expect("its parameters are there");
        self.run_system_cached(match_colliders)
            .expect("its parameters are there");
        self.run_system_cached(match_grids)
            .expect("its parameters are there");
        self.run_system_cached(match_fields)
            .expect("its parameters are there");
        self.run_system_cached(match_joints)
            .expect("its parameters are there");
        self.run_system_cached(show_all)
            .expect("its parameters are there");
        self.run_system_cached(show_nested)
            .expect("its parameters are there");
        self.run_system_cached(show_characters)
            .expect("its parameters are there");
    }
}

/// Matches the bodies of the restored world with entities by key.
fn match_bodies(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: Query<(Entity, &mut BodyLink, Option<&StableKey>), (With<Body>, Allow<Disabled>)>,
) {
    let physics = &mut *physics;
    let mut by_key: BTreeMap<u64, (bool, Entity)> = BTreeMap::new();
    for (entity, mut link, key) in &mut links {
        let had_body = link.id.take().is_some();
        link.moved_at = 0;
        let given = if link.key != 0 {
            Some(link.key)
        } else {
            key.map(|key| key.user_key())
        };
        if let Some(key) = given {
            // Of two entities with the same key one had the body in the world.
            let found = by_key.entry(key).or_insert((had_body, entity));
            *found = (*found).max((had_body, entity));
        }
    }
    pending.removed_bodies.clear();
    physics.orphans.clear();
    let all: Vec<(u64, BodyId)> = physics.entities.saved.body_ids.iter().collect();
    for (key, id) in all {
        let Some((_, entity)) = by_key.remove(&key) else {
            physics.orphans.insert(key, id);
            continue;
        };
        let (_, mut link, _) = links.get_mut(entity).expect("it was just there");
        (link.id, link.key) = (Some(id), key);
        if physics.world.body(id).is_some() {
            physics.entities.add_body(key, id, entity);
            pending.changed_bodies.push(entity);
        } else {
            // A call had destroyed it by then.
            physics.entities.hold_body(key, id, entity);
        }
    }
    // Entities that were spawned since, in the order of their keys; an automatic key is given anew. One that a refused body
    // had by then is kept.
    for (_, entity) in by_key.into_values() {
        let (_, mut link, key) = links.get_mut(entity).expect("it was just there");
        if key.is_none() && !physics.entities.saved.had_given(link.key) {
            link.key = 0;
        }
        pending.bodies.push(entity);
    }
}

/// The shapes of a restored world that were colliders', by the index of their body and their key, oldest first.
fn shapes_of_colliders(physics: &Physics) -> Vec<((u32, u64), ShapeId)> {
    let Some(restored) = &physics.restored else {
        return Vec::new();
    };
    let of_bodies = physics.world.bodies().flat_map(|body| {
        body.shapes()
            .map(move |shape| ((body.id().index(), shape.user_key()), shape.id()))
    });
    let mut shapes: Vec<_> = of_bodies
        .filter(|(_, shape)| restored.has(shape.index(), *shape))
        .collect();
    // A body lists its newest shape first.
    shapes.reverse();
    shapes.sort_by_key(|(key, _)| *key);
    shapes
}

/// The shapes of a collider whose body a call had destroyed: those that a rigid weld had put on another body.
fn welded_shapes(physics: &Physics, shapes: &[((u32, u64), ShapeId)], collider: Entity) -> Vec<ShapeId> {
    let Some(restored) = &physics.restored else {
        return Vec::new();
    };
    let all = shapes.iter().map(|(_, shape)| *shape);
    let is_ours = |shape: &ShapeId| {
        let ends = restored.get(shape.index(), *shape);
        ends.is_some_and(|ends| ends.collider == collider)
    };
    all.filter(is_ours).collect()
}

/// Matches the shapes of the restored world with colliders by the keys of their bodies and their own.
fn match_colliders(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: Query<(Entity, &mut ColliderLink, Option<&StableKey>), Allow<Disabled>>,
    bodies: Query<&BodyLink, Allow<Disabled>>,
) {
    let physics = &mut *physics;
    let shapes = shapes_of_colliders(physics);
    let mut due: Vec<((u64, u64), Entity)> = Vec::new();
    for (entity, mut link, key) in &mut links {
        let owner = link
            .owner
            .and_then(|owner| Some((owner, bodies.get(owner).ok()?)));
        let Some((
            owner,
            &BodyLink {
                id: Some(body),
                key: body_key,
                ..
            },
        )) = owner
        else {
            due.push(((u64::MAX, link.key), entity));
            *link = ColliderLink::default();
            continue;
        };
        if physics.world.body(body).is_none() {
            link.on = Some((body, body_key));
            link.shapes = welded_shapes(physics, &shapes, entity);
            note_shapes(physics, entity, &mut link);
            continue;
        }
        due.push(((body_key, link.key), entity));
        let entities = &mut physics.entities;
        if entities.saved.colliders.collider(body, link.key).is_none() {
            let mut given = entities.given_collider_keys(body_key);
            if key.is_none() && owner != entity && given.all(|given| given != link.key) {
                // The collider was added since: it gets another key.
                *link = ColliderLink::default();
            } else {
                (link.on, link.shapes, link.concave) = (None, Vec::new(), None);
            }
            continue;
        }
        link.on = Some((body, body_key));
        let of_key = (body.index(), link.key);
        let first = shapes.partition_point(|(key, _)| *key < of_key);
        let found = shapes[first..].iter().take_while(|(key, _)| *key == of_key);
        link.shapes = found.map(|(_, shape)| *shape).collect();
        entities.colliders_by_key.insert((body_key, link.key), entity);
        note_shapes(physics, entity, &mut link);
    }
    due.sort_unstable();
    pending.removed_colliders.clear();
    pending
        .colliders
        .extend(due.into_iter().map(|(_, entity)| entity));
}

/// Has the tile grids of entities compared with those of the restored world, and notes the entities of tiles, whose
/// touches may end after the tiles are gone.
fn match_grids(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    grids: Query<(Entity, &BodyLink), (With<TileGrid>, Allow<Disabled>)>,
) {
    pending.removed_grids.clear();
    let Physics { world, entities, .. } = &mut *physics;
    for (entity, link) in &grids {
        // A call may have destroyed the body with its grid.
        if link.id.is_none_or(|body| world.body(body).is_some()) {
            pending.grids.push(entity);
        }
    }
    if entities.saved.grids.is_empty() {
        return;
    }
    for shape in world.shapes() {
        entities.note_tiles(world, shape.id());
    }
}

/// Matches the fields of the restored world with entities by key.
fn match_fields(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: Query<(Entity, &mut FieldLink, Option<&StableKey>), (With<Field>, Allow<Disabled>)>,
) {
    let entities = &mut physics.entities;
    let mut holders: BTreeMap<u64, (bool, Entity)> = BTreeMap::new();
    for (entity, link, _) in &links {
        // Of two entities with the same key one had the field.
        let this = (link.id.is_some(), entity);
        let holder = holders.entry(link.key).or_insert(this);
        *holder = (*holder).max(this);
    }
    let mut due: Vec<(u64, Entity)> = Vec::new();
    for (entity, mut link, key) in &mut links {
        let saved = entities.saved.fields.get(&link.key);
        link.id = saved
            .map(|saved| saved.id)
            .filter(|_| holders[&link.key].1 == entity);
        if link.id.is_some() {
            entities.fields_by_key.insert(link.key, entity);
            continue;
        }
        due.push((link.key, entity));
        let is_holder = holders[&link.key].1 == entity;
        if key.is_none() && !(is_holder && entities.saved.had_given(link.key)) {
            // It was added since: it gets another key. One that was refused by then keeps its own.
            link.key = 0;
        }
    }
    due.sort_unstable();
    pending.removed_fields.clear();
    pending.fields.extend(due.into_iter().map(|(_, entity)| entity));
}

/// Matches the joints of the restored world with entities by key.
fn match_joints(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: Query<(Entity, &mut JointLink, Option<&StableKey>), Allow<Disabled>>,
) {
    let Physics { world, entities, .. } = &mut *physics;
    let mut holders: BTreeMap<u64, (bool, Entity)> = BTreeMap::new();
    for (entity, link, _) in &links {
        // Of two entities with the same key one had the joint.
        let had_joint = link.id.is_some() || link.has_broken;
        let holder = holders.entry(link.key).or_insert((had_joint, entity));
        *holder = (*holder).max((had_joint, entity));
    }
    let mut due: Vec<(u64, Entity)> = Vec::new();
    for (entity, mut link, key) in &mut links {
        let place = (link.key, entity);
        let of_key = entities.saved.joint_ids.get(link.key);
        let is_holder = holders[&link.key].1 == entity;
        link.id = of_key.filter(|_| is_holder);
        link.has_broken = is_holder && entities.saved.broken_joints.has(link.key);
        match link.id {
            Some(id) if world.joint(id).is_some() => entities.add_joint(link.key, id, entity),
            // A call had destroyed it by then.
            Some(_) => {
                entities.joints_by_key.insert(link.key, entity);
                continue;
            }
            // The joint was added since: it gets another key. One that broke or was refused by then keeps its own.
            None if key.is_none() && !(is_holder && entities.saved.had_given(link.key)) => link.key = 0,
            None => {}
        }
        due.push(place);
    }
    due.sort_unstable();
    pending.removed_joints.clear();
    pending.joints.extend(due.into_iter().map(|(_, entity)| entity));
}

/// Writes the states of characters; one that the saved world did not have is in the air.
fn show_characters(
    physics: Res<Physics>,
    mut characters: Query<(&BodyLink, &mut CharacterState), Allow<Disabled>>,
) {
    for (link, mut shown) in &mut characters {
        match physics.entities.saved.characters.get(&link.key) {
            Some(saved) => characters::show(&physics, saved, &mut shown),
            None => *shown = CharacterState::default(),
        }
    }
}

/// Writes the poses of all bodies.
fn show_all(
    run: SystemChangeTick,
    physics: Res<Physics>,
    mut bodies: Shown,
    mut sleep: Query<(Entity, &mut SleepState), Allow<Disabled>>,
) {
    let own = physics.own.known(run.this_run());
    for (entity, mut state) in &mut sleep {
        let Some(body) = physics.body(entity) else {
            continue;
        };
        show_whole(&physics, own, entity, &mut bodies, true);
        state.set_if_neq(SleepState {
            asleep: sleeps(&body),
        });
    }
}
