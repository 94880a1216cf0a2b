//! Checks whether physics would refuse an entity's components, before any object is created. Spawning and setters use
//! it.

use alloc::vec::Vec;

use tombolo_entity::{Component, ComponentEntry, Dense, Entity, ManagerId, NameHash};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, BodyKind, ChainDef, PhysicsError, ShapeDef};

use super::complete::{Physical, show};
use super::defs::{body_def, sensor_def, sensors_body_def};
use crate::component::joint::Frames;
use crate::component::{
    BODY, Body, BuiltGeometry, COLLIDER, Collider, FIELD, Field, GeometryKind, Joint, ShapeGeometry, TRIGGER,
    Trigger, Zone,
};
use crate::error::WorldError;
use crate::world::World;

/// Refuses a geometry whose creation physics would refuse.
fn check_geometry(def: &ShapeDef, geometry: &ShapeGeometry) -> Result<(), PhysicsError> {
    match geometry.build()? {
        BuiltGeometry::Solid(shape) => def.validate_with(&shape),
        BuiltGeometry::Chain(points) => {
            def.validate()?;
            let closed = geometry.closed;
            let chain = ChainDef {
                points,
                closed,
                ..ChainDef::default()
            };
            chain.segments().map(drop)
        }
        BuiltGeometry::Heightfield(segments) => {
            segments.iter().try_for_each(|segment| def.validate_with(segment))
        }
        BuiltGeometry::Concave(polygon, radius) => def.validate_with_polygon(&polygon, radius),
    }
}

/// Refuses a Body that physics would not create at a pose.
pub(crate) fn check_body(entity: Entity, body: &Body, pose: Pose) -> Result<(), PhysicsError> {
    body_def(entity, body, pose).validate()
}

/// Refuses a half-space on a body that falls.
fn check_end(geometry: &ShapeGeometry, falls: bool) -> Result<(), PhysicsError> {
    if falls && geometry.kind == GeometryKind::HalfSpace {
        return Err(PhysicsError::WithoutEnd);
    }
    Ok(())
}

/// Refuses a Collider whose shapes physics would not create on a dynamic body (`falls`), or on one that is not.
pub(crate) fn check_collider(collider: &Collider, falls: bool) -> Result<(), PhysicsError> {
    check_end(&collider.geometry, falls)?;
    check_geometry(&collider.def, &collider.geometry)
}

/// Refuses a Trigger whose sensor, or the body for it at a pose, physics would not create; on a body of the entity that
/// is dynamic (`falls`), or on one that is not.
pub(crate) fn check_trigger(
    entity: Entity,
    trigger: &Trigger,
    own_body_at: Option<Pose>,
    falls: bool,
) -> Result<(), PhysicsError> {
    if let Some(pose) = own_body_at {
        sensors_body_def(entity, pose).validate()?;
    }
    check_end(&trigger.geometry, falls)?;
    check_geometry(&sensor_def(entity, trigger), &trigger.geometry)
}

/// Refuses a Zone whose shape is invalid, or has no inside.
pub(crate) fn check_zone(zone: &Zone) -> Result<(), PhysicsError> {
    zone.local_polygon().map(drop)
}

/// Refuses a Field that physics would not create at a pose.
pub(crate) fn check_field(entity: Entity, field: &Field, pose: Pose) -> Result<(), PhysicsError> {
    field.def(entity, pose).map(drop)
}

/// Refuses a Joint that physics would not create between bodies at these poses.
pub(crate) fn check_joint(
    entity: Entity,
    joint: &Joint,
    owner: Pose,
    poses: [Pose; 2],
) -> Result<(), PhysicsError> {
    // The check does not read the bodies, and there may be none yet.
    let anyone = BodyId::from_bits(entity.to_bits());
    anyone.map_or(Ok(()), |anyone| {
        let frames = Frames::new(joint, owner, poses)?;
        joint.def([anyone; 2], frames).validate()
    })
}

impl World {
    /// Refuses a new component of these entities that physics would refuse, or that the entity cannot have.
    pub(in crate::world) fn check_new_component(
        &mut self,
        entity: Entity,
        new: ComponentEntry,
        name: &str,
    ) -> Result<(), WorldError> {
        let mut entries = Vec::from(self.components_of(entity));
        entries.push(new);
        let pose = self.pose(entity).unwrap_or(Pose::IDENTITY);
        let physical = self.physical();
        let mut of_bodies = entries.iter().filter(|entry| entry.manager == BODY);
        let (body, second) = (of_bodies.next(), of_bodies.next());
        if second.is_some() {
            return Err(WorldError::Unfit {
                entity: show(physical.names, entity),
                component: name.into(),
                why: "an entity has at most one Body".into(),
            });
        }
        let refused = |name: NameHash| move |error| (name, error);
        let mut made = 0;
        let mut check = || {
            let mut falls = physical.live_body(entity).is_some_and(|body| {
                let body = physical.physics.body(body);
                body.is_some_and(|body| body.kind() == BodyKind::Dynamic)
            });
            if let Some(entry) = body.filter(|_| physical.live_body(entity).is_none()) {
                made += 1;
                let value: Body = physical.value_or_new(entity, *entry, new);
                check_body(entity, &value, pose).map_err(refused(entry.name))?;
                falls = value.def.kind == BodyKind::Dynamic;
            }
            for entry in &entries {
                if entry.manager == COLLIDER && body.is_some() {
                    let value: Collider = physical.value_or_new(entity, *entry, new);
                    if physical.lacks_shapes(&value.shapes) {
                        check_collider(&value, falls).map_err(refused(entry.name))?;
                    }
                }
                if entry.manager == FIELD {
                    let value: Field = physical.value_or_new(entity, *entry, new);
                    check_field(entity, &value, pose).map_err(refused(entry.name))?;
                }
                if entry.manager == TRIGGER {
                    let value: Trigger = physical.value_or_new(entity, *entry, new);
                    if physical.lacks_sensor(&value, body.is_some()) {
                        let own = body.is_none().then_some(pose);
                        made += usize::from(own.is_some() && value.own_body.is_none());
                        check_trigger(entity, &value, own, falls).map_err(refused(entry.name))?;
                    }
                }
            }
            Ok(())
        };
        let checked = check();
        checked.map_err(|(hash, error)| WorldError::Physics {
            entity: show(physical.names, entity),
            component: physical.entities.names().get(hash).unwrap_or(name).into(),
            error,
        })?;
        self.check_body_capacity(made)
    }
}

impl Physical<'_> {
    /// A component's value; the initial value if it is the new one.
    fn value_or_new<T: Component>(&self, entity: Entity, entry: ComponentEntry, new: ComponentEntry) -> T {
        let manager: ManagerId = entry.manager;
        let parts: Option<&Dense<T>> = self.entities.manager(manager).filter(|_| entry != new);
        let value = parts.and_then(|parts| parts.value(entity, entry.name.into()));
        value.cloned().unwrap_or_default()
    }
}
