//! Cutting entities: physics cuts the body, and the entity's components are divided in the same way.
//!
//! Physics reports which bodies separated and which shape each new concave polygon was cut from; the division of
//! components depends on that alone. `segment_cuts.rs` has the cuts of a scene.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Component, ComponentEntry, Dense, Entity, ManagerId, NAME_BYTES_MAX, NameHash, Value};
use tombolo_geometry::Position;
use tombolo_locks::{Adaptive, Mutex};
use tombolo_physics::{
    BodyId, BodyRef, ConcavePolygonId, Cut, JointId, PhysicsError, QueryFilter, ShapeId, ShapeRef, Shatter,
};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::{Command, EntityRef};
use super::names::body_name;
use super::recording::WorldCall;
use crate::component::{
    AGENT, Agent, BODY, Body, COLLIDER, Collider, FIELD, JOINT, Joint, RIGID_WELD, SPAWNER, ShapeGeometry,
    TILES, TRANSFORM, TRIGGER, Transform, Trigger, ZONE,
};
use crate::error::WorldError;

/// The result of a cut for one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityCut {
    /// The entity that was cut: it is now the largest piece.
    pub entity: Entity,
    /// The new entities, in the order of the pieces.
    pub pieces: Vec<Entity>,
    /// The result of the cut for the body.
    pub cut: Cut,
}

/// A component's name with a number: `hull_1` of `hull`. A long name loses its end.
fn numbered(name: &str, number: u32) -> Box<str> {
    let number = format!("_{number}");
    let end = name.floor_char_boundary(NAME_BYTES_MAX - number.len());
    format!("{}{number}", &name[..end]).into()
}

/// The share of a collider on one body after a cut.
#[derive(Default)]
struct ColliderShare {
    /// Shapes that were not cut.
    shapes: Vec<ShapeId>,
    /// Concave polygons that were cut from its shapes.
    concave_polygons: Vec<ConcavePolygonId>,
}

/// Where the shapes of a cut body and the polygons that were cut from them are now.
struct Homes {
    /// The pieces and last the entity that was cut, with their bodies.
    owners: Vec<(Entity, BodyId)>,
    /// The places of bodies in `owners`.
    places: BTreeMap<BodyId, usize>,
    /// For each shape that was cut, the places of its polygons in the result of the cut.
    polygons: BTreeMap<ShapeId, Vec<usize>>,
}

impl Homes {
    fn new(owners: Vec<(Entity, BodyId)>, cut: &Cut) -> Self {
        let places = owners.iter().enumerate();
        let places = places.map(|(place, &(_, body))| (body, place)).collect();
        let mut polygons: BTreeMap<ShapeId, Vec<usize>> = BTreeMap::new();
        for (place, made) in cut.concave_polygons.iter().enumerate() {
            polygons.entry(made.from).or_default().push(place);
        }
        Self {
            owners,
            places,
            polygons,
        }
    }

    /// The new entities, with their bodies.
    fn pieces(&self) -> &[(Entity, BodyId)] {
        let (_, pieces) = self.owners.split_last().expect("the entity itself is the last");
        pieces
    }
}

/// A joint in physics, with the key of its entity.
type KeyedJoint = (JointId, u64);

/// The joints of a body.
fn joints_of(body: BodyRef<'_>) -> Vec<KeyedJoint> {
    body.joints()
        .map(|joint| (joint.id(), joint.user_key()))
        .collect()
}

/// Cutting. Bodies are cut by the rules of [`PhysicsWorld::slice`](tombolo_physics::PhysicsWorld::slice); entities
/// have these rules too:
///
/// - **Identity.** The entity keeps its handle, its name and its children, and becomes the largest piece. Each other
///   piece is a new entity; the pieces of an entity called `plank` are called `plank.1`, `plank.2` and so on, by the
///   free numbers.
/// - **Bodies and colliders.** Each piece has the Body, and the colliders that have a shape on it, under their names.
///   A collider that was cut has the form `ShapeGeometry`; a collider with several pieces on one body is there
///   several times, as `hull`, `hull_1` and so on, by the numbers that are free in the entity. The segments of chains and
///   heightfields are not cut, but shared out: each piece has the whole geometry with its part of them, and all of them
///   where a property of the geometry is set there later.
/// - **Joints and triggers** belong to the entity whose body they are on, under their names or, where one is taken,
///   with a number likewise. Joints of other entities to the cut body refer to the piece. A joint whose anchor vanishes
///   with a small piece ends, whichever entity has it.
/// - **Spawners, Zones, Fields, Tiles and RigidWelds** stay with the entity. All other components are copied to every
///   piece: Transform, Agent, Character, Sprite, RenderData, Tag, Script, and those of managers that a game registered,
///   property by property. An Agent keeps its goal and its state: one that is walking searches a path of its own. A
///   copied Character walks by itself.
impl World {
    /// Cuts an entity's body along the infinite line through two points. `None` if the line does not part it.
    ///
    /// # Errors
    ///
    /// If the entity no longer exists or has no body, the world has no room for one more entity and body (a cut into more
    /// pieces exceeds its limits), or physics refuses. The world is then unchanged.
    ///
    /// ```
    /// use tombolo::physics::Position;
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("plank.ron", r#"(
    ///     entities: {"plank": {"body": Body(kind: Dynamic), "board": Collider(shape: Box(width: 4, height: 0.2))}},
    ///     place: [One(name: "plank", entity: "plank", at: (0, 3))],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let plank = world.find("plank").expect("the scene placed it");
    /// let cut = world.slice(plank, Position::new(1.0, 0.0), Position::new(1.0, 1.0))?;
    /// assert_eq!(cut.expect("the line crosses it").pieces, [world.find("plank.1").expect("a piece")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(
        &mut self,
        entity: Entity,
        from: Position,
        to: Position,
    ) -> Result<Option<EntityCut>, WorldError> {
        self.report_command(|| Command::Slice {
            entity: EntityRef::Entity(entity),
            from,
            to,
        });
        let _environment = FloatEnvironment::enter();
        let body = self.body_to_cut(entity)?;
        self.check_cut_capacity()?;
        // Pieces begin at the entity's present pose.
        self.sync_from_physics();
        let held = self.physics.body(body).map(joints_of).unwrap_or_default();
        let cut = self.physics.slice(body, from, to);
        let cut = cut.map_err(|error| self.refused(entity, error))?;
        Ok(cut.map(|cut| self.divide(entity, cut, &held)))
    }

    /// Cuts all bodies that a segment crosses from one side to the other, in the order of the bodies. Bodies without
    /// an entity are cut too, but are not in the result.
    ///
    /// # Errors
    ///
    /// If physics refuses. The world is then unchanged.
    pub fn cut_through(
        &mut self,
        from: Position,
        to: Position,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<EntityCut>, WorldError> {
        self.report_handed_out();
        if !self.is_synchronized() {
            self.report(|| WorldCall::Synchronize {});
        }
        let _environment = FloatEnvironment::enter();
        self.check_cut_capacity()?;
        // Pieces begin at the entity's present pose.
        self.sync_from_physics();
        // Which bodies are cut is known afterwards, and joints of pieces that vanish are gone then.
        let held: Mutex<Adaptive, BTreeMap<BodyId, Vec<KeyedJoint>>> =
            Mutex::new(Adaptive::new(), BTreeMap::new());
        let is_accepted = |shape: ShapeRef<'_>| {
            let is_accepted = filter.predicate.is_none_or(|accepts| accepts(shape));
            let body = shape.body();
            if is_accepted && body.joints().next().is_some() {
                held.lock().entry(body.id()).or_insert_with(|| joints_of(body));
            }
            is_accepted
        };
        let noting = QueryFilter {
            predicate: Some(&is_accepted),
            ..filter
        };
        let cuts = self.physics.cut_through(from, to, noting);
        let cuts = cuts.map_err(WorldError::Cut)?;
        let held = held.into_inner();
        // A filter may be a function, which cannot be recorded: the cut bodies are recorded instead.
        self.log.report(|| WorldCall::CutBodies {
            from,
            to,
            bodies: cuts.iter().map(|cut| cut.body).collect(),
        });
        let mut divided = Vec::with_capacity(cuts.len());
        for cut in cuts {
            let owner = self.physics.body(cut.body).map(|body| body.user_key());
            let owner = owner.and_then(|key| self.entity_of_key(key));
            let owner = owner.filter(|entity| self.body_of(*entity) == Some(cut.body));
            let held = held.get(&cut.body).map_or(&[][..], |joints| joints);
            divided.extend(owner.map(|entity| self.divide(entity, cut, held)));
        }
        Ok(divided)
    }

    /// Breaks an entity's body into the cells of a pattern. `None` if it is inside one cell.
    ///
    /// # Errors
    ///
    /// Those of [`World::slice`]; and if the pattern is invalid.
    pub fn shatter(&mut self, entity: Entity, pattern: &Shatter) -> Result<Option<EntityCut>, WorldError> {
        self.report(|| WorldCall::Shatter {
            entity,
            pattern: pattern.clone(),
        });
        let _environment = FloatEnvironment::enter();
        let body = self.body_to_cut(entity)?;
        self.check_cut_capacity()?;
        // Pieces begin at the entity's present pose.
        self.sync_from_physics();
        let held = self.physics.body(body).map(joints_of).unwrap_or_default();
        let cut = self.physics.shatter(body, pattern);
        let cut = cut.map_err(|error| self.refused(entity, error))?;
        Ok(cut.map(|cut| self.divide(entity, cut, &held)))
    }

    /// Cuts bodies where a segment crosses them.
    pub(super) fn cut_bodies(
        &mut self,
        from: Position,
        to: Position,
        bodies: &[BodyId],
    ) -> Result<Vec<EntityCut>, WorldError> {
        let is_one = |shape: ShapeRef<'_>| bodies.contains(&shape.body().id());
        let filter = QueryFilter {
            predicate: Some(&is_one),
            sensors: true,
            ..QueryFilter::default()
        };
        self.cut_through(from, to, filter)
    }

    fn body_to_cut(&self, entity: Entity) -> Result<BodyId, WorldError> {
        if !self.entities.entities().is_alive(entity) {
            return Err(WorldError::NoEntity(entity));
        }
        self.body_of(entity).ok_or_else(|| WorldError::Unfit {
            entity: self.show(entity),
            component: "body".into(),
            why: "there is no Body to cut".into(),
        })
    }

    fn refused(&self, entity: Entity, error: PhysicsError) -> WorldError {
        let entries = self.components_of(entity).iter();
        let body = entries.copied().find(|entry| entry.manager == BODY);
        let name = body.and_then(|entry| self.entities.names().get(entry.name));
        WorldError::Physics {
            entity: self.show(entity),
            component: name.unwrap_or_default().into(),
            error,
        }
    }

    /// Refuses a cut when the world has no capacity for one more entity and body.
    fn check_cut_capacity(&self) -> Result<(), WorldError> {
        self.check_entity_capacity(1)?;
        self.check_body_capacity(1)
    }

    /// Divides an entity's components among the pieces of its body, which had the joints `held`.
    fn divide(&mut self, entity: Entity, cut: Cut, held: &[KeyedJoint]) -> EntityCut {
        let entries = Vec::from(self.components_of(entity));
        let pieces: Vec<Entity> = cut
            .pieces
            .iter()
            .map(|&body| self.create_piece(entity, body, &entries))
            .collect();
        let owners = pieces.iter().copied().zip(cut.pieces.iter().copied());
        let homes = Homes::new(owners.chain([(entity, cut.body)]).collect(), &cut);
        for entry in entries.iter().filter(|entry| entry.manager == COLLIDER) {
            self.divide_collider(entity, *entry, &cut, &homes);
        }
        for entry in entries.iter().filter(|entry| entry.manager == TRIGGER) {
            self.move_trigger(entity, *entry, homes.pieces());
        }
        for &(piece, body) in homes.pieces() {
            self.move_joints(entity, piece, body);
        }
        self.drop_lost_joints(held);
        self.destroy_ended();
        self.join_families(&pieces);
        for &changed in pieces.iter().chain([&entity]) {
            self.note_moved(changed);
        }
        EntityCut { entity, pieces, cut }
    }

    /// Creates the entity of a piece, with copies of those components that need no division.
    fn create_piece(&mut self, of: Entity, body: BodyId, entries: &[ComponentEntry]) -> Entity {
        let piece = self.entities.create();
        self.entity_events.spawned(piece);
        if let Some(name) = self.names.of(of).map(ToOwned::to_owned) {
            self.names.give_numbered(piece, &name);
        }
        for entry in entries {
            let name = entry.name;
            match entry.manager {
                TRANSFORM => self.copy_value::<Transform>(of, piece, *entry, |_| {}),
                BODY => self.copy_value::<Body>(of, piece, *entry, |part| part.id = Some(body)),
                // Setting its properties would make it walk.
                AGENT => self.copy_value::<Agent>(of, piece, *entry, Agent::begin_anew),
                COLLIDER | TRIGGER | JOINT | RIGID_WELD | SPAWNER | ZONE | FIELD | TILES => {}
                manager => self.copy_properties(of, piece, manager, name),
            }
        }
        if let Ok(mut body) = self.physics.body_mut(body) {
            body.set_user_key(piece.to_bits());
        }
        let before = body_name(&self.names, of);
        self.physical().name_body(piece, before);
        let shapes = self.physics.body(body).into_iter().flat_map(|body| {
            let ids: Vec<ShapeId> = body.shapes().map(|shape| shape.id()).collect();
            ids
        });
        for shape in shapes.collect::<Vec<ShapeId>>() {
            if let Ok(mut shape) = self.physics.shape_mut(shape) {
                shape.set_user_key(piece.to_bits());
            }
        }
        piece
    }

    /// Adds a component with a value. No known case is refused; a refusal is recorded as a fault.
    pub(super) fn add_value<T: Component>(
        &mut self,
        entity: Entity,
        manager: ManagerId,
        name: &str,
        value: T,
    ) {
        match self.entities.add(entity, manager, name) {
            Ok(instance) => {
                let parts: Option<&mut Dense<T>> = self.entities.manager_mut(manager);
                if let Some(part) = parts.and_then(|parts| parts.value_mut(entity, instance)) {
                    *part = value;
                }
            }
            Err(error) => self.note_fault(format!("the component `{name}`: {error}")),
        }
    }

    fn value_of<T: Component + Clone>(&self, entity: Entity, entry: ComponentEntry) -> Option<T> {
        let parts: Option<&Dense<T>> = self.entities.manager(entry.manager);
        parts.and_then(|parts| parts.value(entity, entry.name.into()).cloned())
    }

    pub(super) fn text_of(&self, name: NameHash) -> Box<str> {
        self.entities.names().get(name).unwrap_or_default().into()
    }

    fn copy_value<T: Component + Clone>(
        &mut self,
        from: Entity,
        to: Entity,
        entry: ComponentEntry,
        change: impl FnOnce(&mut T),
    ) {
        if let Some(mut value) = self.value_of::<T>(from, entry) {
            change(&mut value);
            let name = self.text_of(entry.name);
            self.add_value(to, entry.manager, &name, value);
        }
    }

    /// Copies a component by its properties, since nothing else is known of its type. Read-only properties keep their
    /// initial values.
    fn copy_properties(&mut self, from: Entity, to: Entity, manager: ManagerId, name: NameHash) {
        let text = self.text_of(name);
        if let Err(error) = self.entities.add(to, manager, &text) {
            self.note_fault(format!("a piece of a cut: {error}"));
            return;
        }
        let Some(storage) = self.entities.any_manager_mut(manager) else {
            return;
        };
        for property in 0..storage.properties().len() {
            let value: Option<Value> = storage.get(from, name.into(), property);
            if let Some(value) = value {
                drop(storage.set(to, name.into(), property, &value));
            }
        }
    }

    /// Gives each body its share of a collider.
    fn divide_collider(&mut self, entity: Entity, entry: ComponentEntry, cut: &Cut, homes: &Homes) {
        let Some(collider) = self.value_of::<Collider>(entity, entry) else {
            return;
        };
        for &id in &collider.shapes {
            if self.physics.shape(id).is_none() {
                self.entity_events.gone(id, entity);
            }
        }
        let name = self.text_of(entry.name);
        let mut shares = self.shares(&collider, cut, homes);
        let own = shares.remove(&homes.pieces().len()).unwrap_or_default();
        for (place, share) in shares {
            self.give_share(homes.owners[place].0, &name, &collider, share);
        }
        if own.concave_polygons.is_empty() && own.shapes.len() == collider.shapes.len() {
            // No shape of the collider was cut.
            return;
        }
        // The collider's objects in physics belong to other components now, or were removed by the cut.
        self.release::<Collider>(entity, entry, |part| part.shapes.clear());
        self.give_share(entity, &name, &collider, own);
    }

    /// The shares of a collider, by the places of their owners. Costs the collider's shapes and the polygons that were cut
    /// from them.
    fn shares(&self, collider: &Collider, cut: &Cut, homes: &Homes) -> BTreeMap<usize, ColliderShare> {
        let mut shares: BTreeMap<usize, ColliderShare> = BTreeMap::new();
        let mut polygons = Vec::new();
        for &id in &collider.shapes {
            let home = self.physics.shape(id).map(|shape| shape.body().id());
            if let Some(&place) = home.and_then(|home| homes.places.get(&home)) {
                shares.entry(place).or_default().shapes.push(id);
            }
            polygons.extend(homes.polygons.get(&id).into_iter().flatten().copied());
        }
        // In the order of the cut, whichever of the shapes they were cut from.
        polygons.sort_unstable();
        for made in polygons.into_iter().map(|place| &cut.concave_polygons[place]) {
            let polygon = self.physics.concave_polygon(made.concave_polygon);
            let home = polygon.map(|polygon| polygon.body().id());
            if let Some(&place) = home.and_then(|home| homes.places.get(&home)) {
                let share = shares.entry(place).or_default();
                share.concave_polygons.push(made.concave_polygon);
            }
        }
        shares
    }

    fn give_share(&mut self, owner: Entity, name: &str, collider: &Collider, share: ColliderShare) {
        let mut number = 0;
        if !share.shapes.is_empty() {
            let uncut = Collider {
                shapes: share.shapes,
                ..collider.clone()
            };
            self.add_value(owner, COLLIDER, &self.free_name(owner, name, &mut number), uncut);
        }
        for concave_polygon in share.concave_polygons {
            let Some(made) = self.physics.concave_polygon(concave_polygon) else {
                continue;
            };
            let mut piece = Collider {
                geometry: ShapeGeometry::of_polygon(&made.to_polygon(), made.radius()),
                def: collider.def.clone(),
                shapes: made.parts().map(|part| part.id()).collect(),
            };
            if let Some(part) = made.parts().next() {
                (piece.def.density, piece.def.filter) = (part.density(), part.filter());
            }
            let name = self.free_name(owner, name, &mut number);
            self.add_value(owner, COLLIDER, &name, piece);
        }
    }

    /// A component name that is free in an entity: the name itself for number 0, else with a number. Begins at the
    /// given number, and advances it past the result.
    fn free_name(&self, entity: Entity, name: &str, number: &mut u32) -> Box<str> {
        loop {
            let tried: Box<str> = match *number {
                0 => name.into(),
                number => numbered(name, number),
            };
            *number += 1;
            // A name may also have the hash of another one.
            if self.entities.find(entity, &tried).is_none() && self.entities.names().check(&tried).is_ok() {
                return tried;
            }
        }
    }

    /// Ends a component without destroying its objects in physics.
    fn release<T: Component>(&mut self, entity: Entity, entry: ComponentEntry, forget: impl FnOnce(&mut T)) {
        let parts: Option<&mut Dense<T>> = self.entities.manager_mut(entry.manager);
        if let Some(part) = parts.and_then(|parts| parts.value_mut(entity, entry.name.into())) {
            forget(part);
        }
        let name = self.text_of(entry.name);
        if let Err(error) = self.entities.remove(entity, &name) {
            self.note_fault(format!("a piece of a cut: {error}"));
        }
    }

    /// Moves a trigger to the entity on whose body its sensor is now; a trigger whose sensor was removed with a piece
    /// ends.
    fn move_trigger(&mut self, entity: Entity, entry: ComponentEntry, homes: &[(Entity, BodyId)]) {
        let Some(trigger) = self.value_of::<Trigger>(entity, entry) else {
            return;
        };
        let first = trigger.shapes.first().filter(|_| trigger.own_body.is_none());
        let Some(&first) = first else {
            return;
        };
        // The parts of a concave sensor go together.
        let home = self.physics.shape(first).map(|shape| shape.body().id());
        let owner = homes.iter().find(|(_, body)| Some(*body) == home);
        match (owner, home) {
            (None, Some(_)) => return,
            (None, None) => {
                for &part in &trigger.shapes {
                    self.entity_events.gone(part, entity);
                }
            }
            _ => {}
        }
        self.release::<Trigger>(entity, entry, |part| part.shapes.clear());
        if let Some(&(owner, _)) = owner {
            let name = self.free_name(owner, &self.text_of(entry.name), &mut 0);
            self.add_value(owner, TRIGGER, &name, trigger);
        }
    }

    /// Makes the joints on a piece's body refer to the piece.
    fn move_joints(&mut self, entity: Entity, piece: Entity, body: BodyId) {
        let Some(on_piece) = self.physics.body(body) else {
            return;
        };
        let joints: Vec<_> = on_piece
            .joints()
            .map(|joint| (joint.id(), joint.user_key(), joint.bodies()[0].id() == body))
            .collect();
        for (id, key, is_to) in joints {
            let Some(owner) = self.entity_of_key(key) else {
                continue;
            };
            let Some(entry) = self.entry_of_joint(owner, id) else {
                continue;
            };
            let Some(mut joint) = self.value_of::<Joint>(owner, entry) else {
                continue;
            };
            *(if is_to { &mut joint.to } else { &mut joint.from }) = Some(piece);
            if owner == entity && !is_to {
                self.release::<Joint>(owner, entry, |part| part.id = None);
                let name = self.free_name(piece, &self.text_of(entry.name), &mut 0);
                self.add_value(piece, JOINT, &name, joint);
                if let Ok(mut made) = self.physics.joint_mut(id) {
                    made.set_user_key(piece.to_bits());
                }
            } else {
                let joints: Option<&mut Dense<Joint>> = self.entities.manager_mut(JOINT);
                if let Some(part) = joints.and_then(|joints| joints.value_mut(owner, entry.name.into())) {
                    *part = joint;
                }
            }
        }
    }

    /// The component of an entity that is a joint in physics.
    fn entry_of_joint(&self, owner: Entity, id: JointId) -> Option<ComponentEntry> {
        let joints: &Dense<Joint> = self.entities.manager(JOINT)?;
        let entries = self.components_of(owner).iter().copied();
        let mut entries = entries.filter(|entry| entry.manager == JOINT);
        entries.find(|entry| {
            let joint = joints.value(owner, entry.name.into());
            joint.is_some_and(|joint| joint.id == Some(id))
        })
    }

    /// Ends those of some joints that were on a removed piece, whichever entities have them, so that they are not created
    /// anew between the rest of the body and what they held.
    fn drop_lost_joints(&mut self, held: &[KeyedJoint]) {
        for &(id, key) in held {
            let owner = self
                .entity_of_key(key)
                .filter(|_| self.physics.joint(id).is_none());
            let entry = owner.and_then(|owner| Some((owner, self.entry_of_joint(owner, id)?)));
            if let Some((owner, entry)) = entry {
                self.release::<Joint>(owner, entry, |part| part.id = None);
            }
        }
    }
}
