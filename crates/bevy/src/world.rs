//! [`Physics`]: the resource that holds the physics world, and the map from its objects to entities.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::change_detection::Tick;
use bevy_ecs::prelude::{Entity, Resource};
use tombolo_physics::{
    BodyId, BodyMut, BodyRef, JointId, PhysicsError, PhysicsWorld, Pose, ShapeId, WorldDef,
};
use tombolo_threads::Executor;

use crate::events::CharacterTouch;
use crate::executor::{StepExecutor, Workers};
use crate::key::{StableKey, collider_key};
use crate::own_writes::OwnWrites;
use crate::saved_state::SavedState;
use crate::slots::{Departed, ShapeEntities, Slots};

/// The physics world: one value, which the plugin steps and keeps in sync with the components of entities.
///
/// Components offer a part of its functions; [`Physics::world`] and [`Physics::world_mut`] give access to the rest.
/// Calls take effect at once, while changes of components wait for the next step. A component is applied where its value
/// differs from the one that was applied last, so what calls have set since holds, also when the world goes back. Bodies, shapes and joints that calls
/// create here, without a component, are left alone, whatever their user keys; they go back with the world.
///
/// Calls that change something take effect in the order in which systems make them. If that matters, as for impulses in
/// a game that rolls back, make them in an order of your own and not in that of a query.
#[derive(Resource, Debug)]
pub struct Physics {
    pub(crate) world: PhysicsWorld,
    pub(crate) entities: Entities,
    pub(crate) step_executor: StepExecutor,
    /// Bodies of a restored world that no entity has yet, by key.
    pub(crate) orphans: BTreeMap<u64, BodyId>,
    /// In a world that was restored since the last step: the shapes that colliders had, less those that cuts have taken
    /// to pieces since. Those without an entity now are removed in the next step.
    pub(crate) restored: Option<Slots<ShapeId, ShapeEntities>>,
    /// The keys of bodies of entities that were changed by calls since the last step; see [`Physics::note_changes`].
    pub(crate) changed: BTreeSet<u64>,
    /// The poses that calls gave to bodies between the last two steps.
    pub(crate) teleported: Vec<(Entity, Pose)>,
    /// The entities whose bodies the last step moved, with characters.
    pub(crate) moving: Touched,
    /// The characters that moved since.
    pub(crate) moved_characters: Vec<Entity>,
    /// What they began and ceased to touch.
    pub(crate) character_touches: Vec<CharacterTouch>,
    /// The entities whose Transforms have interpolated poses.
    pub(crate) drawn: Touched,
    /// The last look at joints that the game wrote.
    pub(crate) joints_applied: Option<Tick>,
    /// Which Transforms and velocities the plugin wrote itself.
    pub(crate) own: OwnWrites,
    /// For [`show_moved`](crate::sync::show::show_moved): by body index, one more than the place in the list of moved
    /// bodies; all 0 between two runs.
    pub(crate) places: Vec<u32>,
    /// The entities whose Transforms do not have their bodies' present poses.
    pub(crate) stale: Vec<Entity>,
    pub(crate) is_paused: bool,
    /// Whether the last step was made; a step of an invalid length is refused.
    pub(crate) has_stepped: bool,
    pub(crate) interpolates: bool,
}

impl Physics {
    /// The physics world.
    pub fn world(&self) -> &PhysicsWorld {
        &self.world
    }

    /// The physics world, mutably. To replace its state use [`Rollback`](crate::Rollback), which updates entities too.
    pub fn world_mut(&mut self) -> &mut PhysicsWorld {
        &mut self.world
    }

    /// The executor that steps the world: for batches of queries.
    pub fn executor(&self) -> &dyn Executor {
        self.step_executor.executor()
    }

    /// The body of an entity; `None` before the first step after spawning.
    pub fn body(&self, entity: Entity) -> Option<BodyRef<'_>> {
        self.world.body(self.entities.body_of(entity)?)
    }

    /// The body of an entity, mutably: forces at a point, waking and putting to sleep, and everything else without a
    /// component.
    ///
    /// # Errors
    ///
    /// If the entity has no body, or the step that creates it is still to come.
    pub fn body_mut(&mut self, entity: Entity) -> Result<BodyMut<'_>, PhysicsError> {
        let none = PhysicsError::StaleHandle { what: "body" };
        self.world.body_mut(self.entities.body_of(entity).ok_or(none)?)
    }

    /// The entity of a body.
    pub fn entity_of_body(&self, body: BodyId) -> Option<Entity> {
        self.entities.bodies.get(body.index(), body)
    }

    /// The entity of a shape's collider.
    pub fn entity_of_shape(&self, shape: ShapeId) -> Option<Entity> {
        self.shape_entities(shape).map(|entities| entities.collider)
    }

    /// The entity of a joint.
    pub fn entity_of_joint(&self, joint: JointId) -> Option<Entity> {
        self.entities.joints.get(joint.index(), joint)
    }

    /// The entity of the body with this user key ([`StableKey::user_key`](crate::StableKey::user_key) for a key given
    /// by the game).
    pub fn entity_of_key(&self, user_key: u64) -> Option<Entity> {
        self.entities.by_key.get(&user_key).copied()
    }

    /// Gives the world the settings of a definition: gravity, substeps, thresholds, the stiffness of contacts, the greatest
    /// speed, sleeping, continuous collision, debris; not its capacity and its algorithm of islands. Another gravity wakes all
    /// bodies.
    ///
    /// # Errors
    ///
    /// If a number is out of range. The settings before it, in the order of this list, are set then.
    pub fn apply_settings(&mut self, def: &WorldDef) -> Result<(), PhysicsError> {
        let world = &mut self.world;
        if world.gravity() != def.gravity {
            world.set_gravity(def.gravity)?;
        }
        world.set_substeps(def.substeps)?;
        world.set_thresholds(def.restitution_threshold, def.hit_threshold)?;
        world.set_contact_softness(def.contact_hertz, def.contact_damping_ratio, def.push_speed_max)?;
        world.set_speed_max(def.speed_max)?;
        world.set_sleeping_enabled(def.sleeping);
        world.set_continuous(def.continuous);
        world.set_debris(def.debris)
    }

    /// Stops or resumes stepping. Components are still applied and queries see the changes. To stop a game's clock
    /// altogether, pause `Time<Virtual>`.
    pub fn set_paused(&mut self, paused: bool) {
        self.is_paused = paused;
    }

    /// Whether stepping is paused.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Sets whether Transforms between two steps are interpolated between the poses before and after the last one.
    pub fn set_interpolation(&mut self, interpolates: bool) {
        self.interpolates = interpolates;
    }
}

impl Physics {
    pub(crate) fn new(world: PhysicsWorld, workers: Workers, interpolates: bool) -> Self {
        Self {
            world,
            entities: Entities::default(),
            step_executor: StepExecutor::new(workers),
            orphans: BTreeMap::new(),
            restored: None,
            changed: BTreeSet::new(),
            teleported: Vec::new(),
            moving: Touched::default(),
            moved_characters: Vec::new(),
            character_touches: Vec::new(),
            drawn: Touched::default(),
            joints_applied: None,
            own: OwnWrites::default(),
            places: Vec::new(),
            stale: Vec::new(),
            is_paused: false,
            has_stepped: false,
            interpolates,
        }
    }

    /// Takes the world's record of the bodies that calls have changed over to `changed`, each once and none without an
    /// entity: the record has each call of a pause.
    pub(crate) fn note_changes(&mut self) {
        if self.world.changed_bodies().is_empty() {
            return;
        }
        self.changed.extend(self.world.take_changed_bodies());
        self.world.watch_bodies();
        let by_key = &self.entities.by_key;
        self.changed.retain(|key| by_key.contains_key(key));
    }

    /// The entities of a shape that exists.
    pub(crate) fn shape_entities(&self, shape: ShapeId) -> Option<ShapeEntities> {
        let ends = self.entities.shapes.get(shape.index(), shape);
        ends.or_else(|| self.entities.entities_of_tiles(&self.world, shape))
    }
}

/// Some entities with bodies.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) listed: Vec<Entity>,
    /// Whether there are others, so many that all bodies are asked, which costs less than to find these one by one.
    pub(crate) has_others: bool,
}

impl Touched {
    pub(crate) fn clear(&mut self) {
        self.listed.clear();
        self.has_others = false;
    }
}

/// The entity of each object of physics.
#[derive(Debug, Default)]
pub(crate) struct Entities {
    pub(crate) bodies: Slots<BodyId, Entity>,
    pub(crate) shapes: Slots<ShapeId, ShapeEntities>,
    /// The shapes that cuts have taken to pieces since the last report.
    pub(crate) departed: Departed,
    pub(crate) joints: Slots<JointId, Entity>,
    /// The entities whose bodies exist, by the bodies' keys.
    pub(crate) by_key: BTreeMap<u64, Entity>,
    /// The bodies of entities.
    pub(crate) ids: BTreeMap<Entity, BodyId>,
    /// The entities with joints, by the joints' keys.
    pub(crate) joints_by_key: BTreeMap<u64, Entity>,
    /// The entities with fields, by the fields' keys.
    pub(crate) fields_by_key: BTreeMap<u64, Entity>,
    /// The entities with colliders, by the keys of their bodies and their own.
    pub(crate) colliders_by_key: BTreeMap<(u64, u64), Entity>,
    /// What goes back with the world.
    pub(crate) saved: SavedState,
}

impl Entities {
    pub(crate) fn body_of(&self, entity: Entity) -> Option<BodyId> {
        self.ids.get(&entity).copied()
    }

    pub(crate) fn add_body(&mut self, key: u64, id: BodyId, entity: Entity) {
        self.bodies.set(id.index(), id, entity);
        self.saved.body_ids.set(key, id);
        self.hold_body(key, id, entity);
    }

    /// Notes the entity of a body which a call may have destroyed: the entity keeps the key.
    pub(crate) fn hold_body(&mut self, key: u64, id: BodyId, entity: Entity) {
        self.by_key.insert(key, entity);
        self.ids.insert(entity, id);
    }

    /// Notes the entity of a joint.
    pub(crate) fn add_joint(&mut self, key: u64, id: JointId, entity: Entity) {
        self.joints.set(id.index(), id, entity);
        self.joints_by_key.insert(key, entity);
        self.saved.joint_ids.set(key, id);
        self.saved.broken_joints.remove(key);
    }

    /// Forgets a joint that goes; its key is free.
    pub(crate) fn remove_joint(&mut self, key: u64) {
        self.joints_by_key.remove(&key);
        self.saved.joint_ids.remove(key);
    }

    pub(crate) fn remove_body(&mut self, key: u64, entity: Entity) {
        self.by_key.remove(&key);
        if let Some(body) = self.ids.remove(&entity) {
            self.saved.colliders.remove(body.index(), body);
        }
        self.saved.remove_body(key);
        let colliders: Vec<(u64, u64)> = self
            .colliders_by_key
            .range((key, 0)..=(key, u64::MAX))
            .map(|(&keys, _)| keys)
            .collect();
        for keys in colliders {
            self.colliders_by_key.remove(&keys);
        }
    }

    /// Forgets everything but what goes back with the world: for one that was restored.
    pub(crate) fn clear(&mut self) {
        self.bodies.clear();
        self.shapes.clear();
        self.departed.clear();
        self.joints.clear();
        self.by_key.clear();
        self.ids.clear();
        self.joints_by_key.clear();
        self.fields_by_key.clear();
        self.colliders_by_key.clear();
    }

    /// The entities of a shape that is made of tiles: the grid's entity is its body's. Such shapes come and go with
    /// cells, so they are found by their bodies.
    fn entities_of_tiles(&self, world: &PhysicsWorld, shape: ShapeId) -> Option<ShapeEntities> {
        let view = world.shape(shape)?;
        view.tiles()?;
        let body = *self.by_key.get(&view.body().user_key())?;
        Some(ShapeEntities { collider: body, body })
    }

    /// Notes the entities of a shape if it is made of tiles, so that they are known when it is gone.
    pub(crate) fn note_tiles(&mut self, world: &PhysicsWorld, shape: ShapeId) {
        if self.shapes.get(shape.index(), shape).is_none()
            && let Some(ends) = self.entities_of_tiles(world, shape)
        {
            self.shapes.set(shape.index(), shape, ends);
        }
    }

    /// The next key of a collider without one.
    pub(crate) fn give_collider_key(&mut self, body: u64) -> u64 {
        let given = self.saved.colliders_given.entry(body).or_default();
        *given += 1;
        collider_key(body, *given)
    }

    /// The keys that were given to colliders of a body, in order.
    pub(crate) fn given_collider_keys(&self, body: u64) -> impl Iterator<Item = u64> + use<> {
        let given = self.saved.colliders_given.get(&body).copied().unwrap_or_default();
        (1..=given).map(move |number| collider_key(body, number))
    }

    /// The next key for an entity that has none.
    pub(crate) fn give_key(&mut self) -> u64 {
        self.saved.next_key += 1;
        StableKey::GIVEN_FROM | self.saved.next_key
    }
}
