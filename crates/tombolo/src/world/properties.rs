//! Reading and writing properties by name. The register of properties (`component/register.rs`) has for each the
//! source of its value and the effect of setting it: properties of physics go through `physical/`, poses through
//! `poses.rs`; all others belong to the managers.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_entity::{
    Accessor, Component, ComponentEntry, Dense, Entity, EntitySystem, InstanceId, Kind, NameHash,
    PropertyError, PropertyPlace, PrototypeStamp, Value,
};
use tombolo_physics::JointKind;
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::{Command, EntityRef};
use super::physical::{Physical, check_field, check_zone};
use super::recording::{RecordedValue, WorldCall};
use crate::component::register::{Apply, ToPose};
use crate::component::{
    BODY, Body, COLLIDER, Collider, Entry, FIELD, Field, JOINT, Joint, RIGID_WELD, RigidWeld, TILES,
    TRANSFORM, TRIGGER, Tiles, Transform, Trigger, ZONE, Zone,
};
use crate::error::WorldError;
use crate::scene::nearest;

/// The command that a recording stores for a call that sets a property.
fn set_command(entity: Entity, path: &str, value: &Value) -> Command {
    Command::Set {
        entity: EntityRef::Entity(entity),
        path: path.into(),
        value: value.clone(),
    }
}

/// Declares [`ComponentCopy`]: the managers whose properties are applied to physics or space, and their components.
macro_rules! declare_copies {
    ($( $manager:ident => $component:ident ),* $(,)?) => {
        /// A copy of a component before it is set.
        enum ComponentCopy {
            $( $component($component), )*
        }

        impl ComponentCopy {
            fn of(entities: &EntitySystem, entity: Entity, place: PropertyPlace) -> Option<Self> {
                match place.manager {
                    $( $manager => copy_of(entities, entity, place).map(Self::$component), )*
                    _ => None,
                }
            }

            fn put_back(self, entities: &mut EntitySystem, entity: Entity, place: PropertyPlace) {
                match self {
                    $( Self::$component(before) => put_back(entities, entity, place, before), )*
                }
            }
        }
    };
}
declare_copies! {
    TRANSFORM => Transform,
    BODY => Body,
    COLLIDER => Collider,
    JOINT => Joint,
    TRIGGER => Trigger,
    ZONE => Zone,
    FIELD => Field,
    TILES => Tiles,
    RIGID_WELD => RigidWeld,
}

fn copy_of<T: Component>(entities: &EntitySystem, entity: Entity, place: PropertyPlace) -> Option<T> {
    let manager: &Dense<T> = entities.manager(place.manager)?;
    manager.value(entity, place.instance).cloned()
}

fn put_back<T: Component>(entities: &mut EntitySystem, entity: Entity, place: PropertyPlace, before: T) {
    let manager: Option<&mut Dense<T>> = entities.manager_mut(place.manager);
    if let Some(value) = manager.and_then(|manager| manager.value_mut(entity, place.instance)) {
        *value = before;
    }
}

impl World {
    /// The present value at `component.property` or `component.property.part`.
    ///
    /// # Errors
    ///
    /// If the path is malformed, or entity, component, property or part is missing.
    pub fn get(&self, entity: Entity, path: &str) -> Result<Value, PropertyError> {
        let place = self.entities.place(entity, path)?;
        match self.live_value(entity, place) {
            Some(value) => Ok(value),
            None => self.entities.get(entity, path),
        }
    }

    /// Reads like [`World::get`], and caches the resolved path in the accessor.
    ///
    /// # Errors
    ///
    /// Those of [`World::get`].
    pub fn get_with(&self, accessor: &mut Accessor, entity: Entity) -> Result<Value, PropertyError> {
        let place = self.entities.place_with(accessor, entity)?;
        match self.live_value(entity, place) {
            Some(value) => Ok(value),
            None => self.entities.get_with(accessor, entity),
        }
    }

    /// Sets the value at a path. Changes of bodies, colliders, joints and triggers reach physics at once; setting a
    /// Transform teleports, children included.
    ///
    /// # Errors
    ///
    /// Those of [`World::get`]; or if the value is of another kind, out of range or not finite, the property is
    /// read-only, or physics refuses. The world is then unchanged.
    pub fn set(&mut self, entity: Entity, path: &str, value: Value) -> Result<(), WorldError> {
        self.report_command(|| set_command(entity, path, &value));
        self.outermost(|world| world.at_path(path, |world, accessor| world.write(accessor, entity, value)))
    }

    /// Sets like [`World::set`], and caches the resolved path in the accessor.
    ///
    /// # Errors
    ///
    /// Those of [`World::set`].
    pub fn set_with(
        &mut self,
        accessor: &mut Accessor,
        entity: Entity,
        value: Value,
    ) -> Result<(), WorldError> {
        self.report_command(|| set_command(entity, accessor.path(), &value));
        self.outermost(|world| world.write(accessor, entity, value))
    }

    /// Runs `work` with the accessor for a path, which is remembered if the path was used lately.
    ///
    /// # Errors
    ///
    /// If the path is malformed; and those of `work`.
    pub(super) fn at_path<R, E: From<PropertyError>>(
        &mut self,
        path: &str,
        work: impl FnOnce(&mut Self, &mut Accessor) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut paths = core::mem::take(&mut self.recent_paths);
        let done = match paths.accessor(path) {
            Ok(accessor) => work(self, accessor),
            Err(error) => Err(error.into()),
        };
        self.recent_paths = paths;
        done
    }

    /// Visits a property of all existing entities with exactly this list of components, in the order of their slots.
    ///
    /// # Errors
    ///
    /// If there is no such component, property or part.
    pub fn get_all(
        &self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        mut visit: impl FnMut(Entity, Value),
    ) -> Result<(), PropertyError> {
        for entity in self.entities.entities_of(stamp) {
            let value = self.get_with(accessor, entity)?;
            visit(entity, value);
        }
        Ok(())
    }

    /// Sets a property of all existing entities with exactly this list of components; returns their number.
    ///
    /// Where a later entity may be refused after the first was set (Transforms, colliders, joints, triggers, parts of
    /// a body's velocity, managers that a game registered), the state that could change is copied first: for the
    /// engine's own components the whole world.
    ///
    /// # Errors
    ///
    /// Those of [`World::set`], for the first that is refused. The world is then unchanged.
    pub fn set_all(
        &mut self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        value: &Value,
    ) -> Result<usize, WorldError> {
        let entities: Vec<Entity> = self.entities.entities_of(stamp).collect();
        self.report(|| WorldCall::SetAll {
            entities: entities.clone(),
            path: accessor.path().into(),
            value: RecordedValue(value.clone()),
        });
        self.outermost(|world| world.set_each(&entities, accessor, value))
    }

    /// Sets like [`World::set_all`], for given entities with the same components.
    pub(super) fn set_each(
        &mut self,
        entities: &[Entity],
        accessor: &mut Accessor,
        value: &Value,
    ) -> Result<usize, WorldError> {
        let Some((&first, later)) = entities.split_first() else {
            return Ok(0);
        };
        let place = self.entities.place_with(accessor, first)?;
        let before = (!later.is_empty() && self.may_differ(entities, place)).then(|| self.clone());
        for &entity in entities {
            if let Err(error) = self.set_with(accessor, entity, value.clone()) {
                if let Some(before) = before {
                    self.put_back(before);
                }
                return Err(error);
            }
        }
        Ok(entities.len())
    }

    /// Whether a property could be set in some of these entities, which have the same components, and refused in
    /// others.
    fn may_differ(&self, entities: &[Entity], place: PropertyPlace) -> bool {
        let has_body = |entity: &Entity| {
            let body = self.body_of(*entity);
            body.is_some_and(|body| self.physics.body(body).is_some())
        };
        match self
            .register
            .link(place.manager, place.property)
            .map(|link| link.apply)
        {
            // An element of a list is in those whose list is long enough.
            Some(Apply::Stored | Apply::Extent) => place.part.is_some() && self.is_list(place),
            Some(Apply::Body(_)) => place.part.is_some() || !entities.iter().all(has_body),
            // The refusals of a game's own manager are not known.
            Some(
                Apply::Pose(_)
                | Apply::Shapes(_)
                | Apply::Sensor
                | Apply::Zone
                | Apply::Field
                | Apply::Joint(_)
                | Apply::Weld(_)
                | Apply::Tiles(_),
            )
            | None => true,
        }
    }

    /// Whether a property of the engine's own is a list.
    fn is_list(&self, place: PropertyPlace) -> bool {
        let kind = self.register.kinds().get(usize::from(place.manager.0));
        let entry = kind.and_then(|kind| kind.entries().get(place.property));
        entry.is_some_and(|entry| matches!(entry.property().kind, Kind::List(_)))
    }

    /// The value of a property in physics, reduced to its part; `None` where the component's own value holds.
    fn live_value(&self, entity: Entity, place: PropertyPlace) -> Option<Value> {
        let live = self.register.link(place.manager, place.property)?.live;
        let owner = (entity, place.instance);
        let value = Physical::read(&self.physics, &self.entities, owner, live)?;
        match place.part {
            None => Some(value),
            Some(part) => value.part(part),
        }
    }

    /// Sets a property, then applies the effect of its entry in the register; if that is refused, all is restored.
    fn write(&mut self, accessor: &mut Accessor, entity: Entity, value: Value) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let place = self.entities.place_with(accessor, entity)?;
        let link = self.register.link(place.manager, place.property);
        let (apply, refused_later) =
            link.map_or((Apply::Stored, None), |link| (link.apply, link.refused_later));
        match apply {
            Apply::Stored => return Ok(self.entities.set_with(accessor, entity, value)?),
            Apply::Extent => {
                self.entities.set_with(accessor, entity, value)?;
                self.note_moved(entity);
                return Ok(());
            }
            Apply::Pose(_)
            | Apply::Body(_)
            | Apply::Shapes(_)
            | Apply::Sensor
            | Apply::Zone
            | Apply::Field
            | Apply::Joint(_)
            | Apply::Weld(_)
            | Apply::Tiles(_) => {}
        }
        if let Some(why) = self.lacked_by_joint(entity, place) {
            return Err(self.unfit(entity, place, &why));
        }
        if let Some(why) = refused_later.and_then(|refuse| refuse(&value)) {
            return Err(self.unfit(entity, place, why));
        }
        let before = ComponentCopy::of(&self.entities, entity, place);
        let is_of_body = matches!(apply, Apply::Body(_));
        let could_be_welded = is_of_body && self.can_be_welded(entity);
        let written = self.write_through(accessor, entity, apply, value);
        match (&written, before) {
            (Ok(()), _) => {
                if is_of_body && !could_be_welded {
                    self.tie_welds(entity);
                }
                self.tie_parted();
                if !matches!(apply, Apply::Pose(_)) {
                    self.note_moved(entity);
                }
                self.entities.record(entity, place);
            }
            (Err(_), Some(before)) => {
                before.put_back(&mut self.entities, entity, place);
                if matches!(apply, Apply::Pose(ToPose::Parent)) {
                    self.hierarchy.reparent(&self.entities, entity);
                }
            }
            (Err(_), None) => {}
        }
        written
    }

    /// Sets a property of a component that affects physics or poses. The new value stays if they refuse.
    fn write_through(
        &mut self,
        accessor: &mut Accessor,
        entity: Entity,
        apply: Apply,
        value: Value,
    ) -> Result<(), WorldError> {
        let place = self.entities.place_with(accessor, entity)?;
        if matches!(apply, Apply::Body(_)) {
            self.pull_body(entity, place.instance);
        }
        let value = self.entities.checked_with(accessor, entity, value)?;
        if let (Apply::Pose(ToPose::Parent), Value::Entity(Some(parent))) = (apply, &value) {
            self.check_parent(entity, *parent)?;
        }
        let manager = self.entities.any_manager_mut(place.manager);
        let set = manager.map(|manager| manager.set(entity, place.instance, place.property, &value));
        if let Some(Err(refusal)) = set {
            return Err(self.unfit(entity, place, &alloc::format!("{refusal}")));
        }
        match apply {
            Apply::Pose(to) => self.place_anew(entity, to),
            // The next step updates the zone.
            Apply::Zone => self.check_zone_of(entity, place),
            Apply::Field => {
                self.check_field_of(entity, place)?;
                self.follow_field(entity, place.instance);
                Ok(())
            }
            apply => {
                let name = NameHash::from_bits(place.instance.0);
                self.physical().push(entity, name, apply)
            }
        }
    }

    /// Refuses a zone whose shape is invalid.
    fn check_zone_of(&self, entity: Entity, place: PropertyPlace) -> Result<(), WorldError> {
        let zones: Option<&Dense<Zone>> = self.entities.manager(place.manager);
        let zone = zones.and_then(|zones| zones.value(entity, place.instance));
        let checked = zone.map_or(Ok(()), check_zone);
        checked.map_err(|error| self.unfit(entity, place, &alloc::format!("{error}")))
    }

    /// Refuses a field that physics would not create.
    fn check_field_of(&self, entity: Entity, place: PropertyPlace) -> Result<(), WorldError> {
        let fields: Option<&Dense<Field>> = self.entities.manager(place.manager);
        let field = fields.and_then(|fields| fields.value(entity, place.instance));
        let pose = self.pose(entity).unwrap_or_default();
        let checked = field.map_or(Ok(()), |field| check_field(entity, field, pose));
        checked.map_err(|error| self.unfit(entity, place, &alloc::format!("{error}")))
    }

    /// Updates the components of all bodies from physics, so that a reload sees the values that they have now.
    pub(super) fn pull_bodies(&mut self) {
        let bodies: Option<&Dense<Body>> = self.entities.manager(BODY);
        let owners: Vec<_> = bodies.into_iter().flat_map(Dense::owners).collect();
        for (entity, instance) in owners {
            self.pull_body(entity, instance);
        }
    }

    /// Updates a body's component from physics, so that setting a part of a value keeps the present values of the
    /// other parts.
    fn pull_body(&mut self, entity: Entity, instance: InstanceId) {
        let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
        if let Some(component) = bodies.and_then(|bodies| bodies.value_mut(entity, instance))
            && let Some(id) = component.current(&self.physics)
            && let Some(body) = self.physics.body(id)
        {
            component.follow(body);
        }
    }

    /// The kind of joint of a component, if it is a joint.
    pub(super) fn joint_kind(&self, entity: Entity, entry: ComponentEntry) -> Option<JointKind> {
        let joints: &Dense<Joint> = self.entities.manager(JOINT).filter(|_| entry.manager == JOINT)?;
        joints.value(entity, entry.name.into()).map(|joint| joint.kind)
    }

    /// The reason why a property of a joint cannot be set, if its kind does not have it.
    fn lacked_by_joint(&self, entity: Entity, place: PropertyPlace) -> Option<String> {
        let kinds = self.register.link(place.manager, place.property)?.kinds?;
        let joint = self.joint_kind(
            entity,
            ComponentEntry {
                name: NameHash::from_bits(place.instance.0),
                manager: place.manager,
            },
        )?;
        if kinds.contains(joint) {
            return None;
        }
        let entries = self.register.kinds()[usize::from(place.manager.0)].entries();
        let has_it = |entry: &&Entry| entry.joint_kinds().is_none_or(|kinds| kinds.contains(joint));
        let settable = entries.iter().filter(has_it).map(Entry::property);
        let names: Vec<&str> = settable
            .filter(|property| !property.read_only)
            .map(|property| &*property.name)
            .collect();
        let name = &entries[place.property].property().name;
        let advice = match nearest(name, names) {
            Some(known) => format!("did you mean {known:?}?"),
            None => format!("those that have it: {}", kinds.words("all others")),
        };
        Some(format!("a {} joint has no `{name}`; {advice}", joint.name()))
    }

    fn unfit(&self, entity: Entity, place: PropertyPlace, why: &str) -> WorldError {
        let name = NameHash::from_bits(place.instance.0);
        WorldError::Unfit {
            entity: self.show(entity),
            component: self.entities.names().get(name).unwrap_or_default().into(),
            why: why.into(),
        }
    }
}
