//! Plans a spawn before any object is created: the poses and names of its entities, and whether physics would accept
//! their components. A spawn that is refused is refused here, and leaves the world unchanged.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Component, Dense, Entity, ManagerId, NameHash, Override, Planned, Value};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyKind, PhysicsError};

use super::capacity::fits;
use super::names::childs_name;
use super::physical::{check_body, check_collider, check_field, check_joint, check_trigger, check_zone};
use super::spawn::SpawnDef;
use super::state::World;
use crate::component::{
    BODY, Body, COLLIDER, Collider, FIELD, Field, JOINT, Joint, RIGID_WELD, RigidWeld, TILES, TRANSFORM,
    TRIGGER, Tiles, Transform, Trigger, ZONE, Zone, is_place,
};
use crate::error::WorldError;

/// The entities of a planned spawn up to now, a parent before its children.
#[derive(Default)]
struct PlannedSpawn {
    all: Vec<PlannedEntity>,
    by_entity: BTreeMap<Entity, usize>,
    by_name: BTreeMap<Box<str>, usize>,
}

impl PlannedSpawn {
    fn push(&mut self, one: PlannedEntity) {
        let place = self.all.len();
        self.by_entity.insert(one.entity, place);
        if let Some(name) = &one.name {
            self.by_name.insert(name.clone(), place);
        }
        self.all.push(one);
    }

    fn find(&self, entity: Entity) -> Option<&PlannedEntity> {
        self.by_entity.get(&entity).map(|&place| &self.all[place])
    }

    fn find_named(&self, name: &str) -> Option<Entity> {
        self.by_name.get(name).map(|&place| self.all[place].entity)
    }
}

/// An entity of a planned spawn.
struct PlannedEntity {
    entity: Entity,
    name: Option<Box<str>>,
    parent: Option<Entity>,
    pose: Pose,
    has_body: bool,
    /// Whether its Body is dynamic.
    falls: bool,
    joints: Vec<(NameHash, Joint)>,
    welds: Vec<(NameHash, RigidWeld)>,
    has_tiles: bool,
}

impl World {
    /// Refuses additional entities beyond the world's limit.
    pub(super) fn check_entity_capacity(&self, more: usize) -> Result<(), WorldError> {
        fits(
            "entities",
            self.entity_count().saturating_add(more),
            self.capacity.entities,
        )
    }

    /// Refuses additional bodies beyond the world's limit.
    pub(super) fn check_body_capacity(&self, more: usize) -> Result<(), WorldError> {
        fits(
            "bodies",
            self.physics.bodies().len().saturating_add(more),
            self.capacity.bodies,
        )
    }

    /// Refuses a spawn that would fail later, except for reasons of a game's own managers.
    pub(super) fn check_spawn(&self, resource: &str, def: &SpawnDef<'_>) -> Result<(), WorldError> {
        let planned = self.library.planned(&self.entities, resource, def.overrides);
        let planned = planned.map_err(|error| self.with_advice(error))?;
        self.check_entity_capacity(planned.len())?;
        let entities = self.entities.entities().next_many(planned.len());
        let mut resolved = PlannedSpawn::default();
        let mut body_count = 0;
        for (plan, &entity) in planned.iter().zip(&entities) {
            let one = self.planned_entity(plan, entity, &resolved, def)?;
            body_count += self.check_bodies(plan, &one)?;
            resolved.push(one);
        }
        self.check_body_capacity(body_count)?;
        for one in &resolved.all {
            for (name, joint) in &one.joints {
                self.check_joint_of(&resolved, one, *name, joint)?;
            }
            for (name, weld) in &one.welds {
                self.check_weld_of(&resolved, one, *name, weld)?;
            }
        }
        Ok(())
    }

    /// Refuses a resource whose Transform, with the overrides, names a parent that does not exist.
    pub(super) fn check_own_parent(&self, resource: &str, overrides: &[Override]) -> Result<(), WorldError> {
        let planned = self.library.planned(&self.entities, resource, overrides);
        let planned = planned.map_err(|error| self.with_advice(error))?;
        match self.transform_of(&planned).parent {
            Some(dead) if !self.entities.entities().is_alive(dead) => Err(WorldError::NoEntity(dead)),
            _ => Ok(()),
        }
    }

    /// The Transform that a resource gives its entities; the default without such a resource.
    #[cfg(feature = "script")]
    pub(super) fn transform_of_resource(&self, resource: &str) -> Transform {
        let planned = self.library.planned(&self.entities, resource, &[]);
        self.transform_of(&planned.unwrap_or_default())
    }

    /// The Transform of the first entity of a plan; the default if it has none.
    fn transform_of(&self, planned: &[Planned<'_>]) -> Transform {
        let mut entries = planned.first().into_iter().flat_map(Planned::components);
        let transform = entries.find(|(entry, _)| entry.manager == TRANSFORM);
        transform.map_or_else(Transform::default, |(_, values)| {
            self.value_with(TRANSFORM, values)
        })
    }

    /// The name of the Transform of each resource. Refuses resources that give an entity two.
    pub(super) fn transform_names(&self) -> Result<BTreeMap<Box<str>, NameHash>, WorldError> {
        let mut names = BTreeMap::new();
        for resource in self.library.iter() {
            let planned = self.library.planned(&self.entities, &resource.name, &[])?;
            let entries = planned.first().into_iter().flat_map(Planned::components);
            let entries = entries.filter(|(entry, _)| entry.manager == TRANSFORM);
            for (entry, _) in entries {
                if names.insert(resource.name.clone(), entry.name).is_some() {
                    return Err(WorldError::Unfit {
                        entity: resource.name.clone(),
                        component: self.text_of(entry.name),
                        why: "an entity has one Transform".into(),
                    });
                }
            }
        }
        Ok(names)
    }

    /// The pose and name of an entity of a plan, after those before it.
    fn planned_entity(
        &self,
        plan: &Planned<'_>,
        entity: Entity,
        before: &PlannedSpawn,
        def: &SpawnDef<'_>,
    ) -> Result<PlannedEntity, WorldError> {
        let above = plan.parent.map(|place| &before.all[place]);
        let name: Option<Box<str>> = match above {
            None => def.name.map(Box::from),
            Some(above) => above
                .name
                .as_ref()
                .map(|parent| childs_name(parent, plan.resource)),
        };
        let is_taken = |name: &str| self.names.find(name).is_some() || before.find_named(name).is_some();
        let name = name.filter(|name| above.is_none() || !is_taken(name));
        let show = || show_planned(name.as_deref(), entity);
        let transform = plan.components().find(|(entry, _)| entry.manager == TRANSFORM);
        let mut transform: Transform = match transform {
            Some((_, values)) => self.value_with(TRANSFORM, values),
            None => Transform::default(),
        };
        let own = transform.parent.filter(|_| above.is_none());
        if let Some(dead) = own.filter(|parent| !self.entities.entities().is_alive(*parent)) {
            return Err(WorldError::NoEntity(dead));
        }
        let (pose, parent) = match above {
            None => (def.pose, def.parent),
            Some(above) => {
                transform.parent = None;
                (None, Some(above.entity))
            }
        };
        transform.place(pose, parent);
        let parents = above.map(|above| above.pose);
        let parents = parents.or_else(|| transform.parent.and_then(|parent| self.pose(parent)));
        let world = parents.map_or(transform.world(), |parent| parent.compose(transform.local()));
        for pose in [transform.world(), world] {
            if !is_place(pose) {
                return Err(WorldError::Pose {
                    entity: show(),
                    position: pose.position,
                    angle: pose.rotation.angle(),
                });
            }
        }
        let is_dynamic = |body: Body| body.def.kind == BodyKind::Dynamic;
        Ok(PlannedEntity {
            joints: self.values_of(plan, JOINT),
            welds: self.values_of(plan, RIGID_WELD),
            has_tiles: plan.components().any(|(entry, _)| entry.manager == TILES),
            has_body: plan.components().any(|(entry, _)| entry.manager == BODY),
            falls: plan
                .components()
                .any(|(entry, values)| entry.manager == BODY && is_dynamic(self.value_with(BODY, values))),
            parent: transform.parent,
            pose: world,
            entity,
            name,
        })
    }

    /// Refuses components that physics would refuse, except for joints; returns the number of bodies that it would
    /// create.
    fn check_bodies(&self, plan: &Planned<'_>, one: &PlannedEntity) -> Result<usize, WorldError> {
        let mut count = 0;
        let mut bodies = 0;
        for (entry, values) in plan.components() {
            let unfit = match entry.manager {
                TILES => self.value_with::<Tiles>(TILES, values).unfit(),
                TRIGGER => {
                    let trigger: Trigger = self.value_with(TRIGGER, values);
                    trigger.geometry.why_no_sensor().map(Box::from)
                }
                _ => None,
            };
            if let Some(why) = unfit {
                return Err(WorldError::Unfit {
                    entity: one.show(),
                    component: self.text_of(entry.name),
                    why,
                });
            }
            let checked = match entry.manager {
                BODY => {
                    (count, bodies) = (count + 1, bodies + 1);
                    check_body(one.entity, &self.value_with::<Body>(BODY, values), one.pose)
                }
                COLLIDER if one.has_body => {
                    check_collider(&self.value_with::<Collider>(COLLIDER, values), one.falls)
                }
                TRIGGER => {
                    count += usize::from(!one.has_body);
                    let own = (!one.has_body).then_some(one.pose);
                    let trigger: Trigger = self.value_with(TRIGGER, values);
                    check_trigger(one.entity, &trigger, own, one.falls)
                }
                FIELD => check_field(one.entity, &self.value_with::<Field>(FIELD, values), one.pose),
                ZONE => check_zone(&self.value_with::<Zone>(ZONE, values)),
                _ => Ok(()),
            };
            checked.map_err(|error| self.refused_entity(one, entry.name, error))?;
            if bodies > 1 {
                return Err(WorldError::Unfit {
                    entity: one.show(),
                    component: self.text_of(entry.name),
                    why: "an entity has at most one Body".into(),
                });
            }
        }
        Ok(count)
    }

    /// Refuses a joint that physics would refuse, or that has an end that does not exist.
    fn check_joint_of(
        &self,
        resolved: &PlannedSpawn,
        one: &PlannedEntity,
        name: NameHash,
        joint: &Joint,
    ) -> Result<(), WorldError> {
        let from = self.end_of(resolved, joint.from, &joint.from_name)?;
        let from = from.unwrap_or(one.entity);
        let to = self.end_of(resolved, joint.to, &joint.to_name)?;
        let Some(to) = to.or(one.parent.filter(|_| joint.to_parent)) else {
            return Ok(());
        };
        if from == to {
            return Err(WorldError::Unfit {
                entity: one.show(),
                component: self.text_of(name),
                why: "the joint ties a body to itself".into(),
            });
        }
        let frame = |entity: Entity| match resolved.find(entity) {
            Some(other) => Some(other.pose).filter(|_| other.has_body),
            None => {
                let body = self.body_of(entity)?;
                self.physics.body(body)?;
                self.pose(entity)
            }
        };
        let (Some(to), Some(from)) = (frame(to), frame(from)) else {
            return Ok(());
        };
        let checked = check_joint(one.entity, joint, one.pose, [to, from]);
        checked.map_err(|error| self.refused_entity(one, name, error))
    }

    /// Refuses a rigid weld that physics would refuse, or whose other end does not exist.
    fn check_weld_of(
        &self,
        resolved: &PlannedSpawn,
        one: &PlannedEntity,
        name: NameHash,
        weld: &RigidWeld,
    ) -> Result<(), WorldError> {
        let to = self.end_of(resolved, weld.to, &weld.to_name)?;
        let Some(to) = to.or(one.parent.filter(|_| weld.to_parent)) else {
            return Ok(());
        };
        if to == one.entity {
            return Err(WorldError::Unfit {
                entity: one.show(),
                component: self.text_of(name),
                why: "the weld holds a body to itself".into(),
            });
        }
        // Whether there is a body, whether it is dynamic, and whether it has tiles.
        let of_planned = |one: &PlannedEntity| (one.has_body, one.falls, one.has_tiles);
        let (has_body, falls, has_tiles) = match resolved.find(to) {
            Some(other) => of_planned(other),
            None => {
                let body = self.body_of(to).and_then(|body| self.physics.body(body));
                let falls = body.is_some_and(|body| body.kind() == BodyKind::Dynamic);
                let parts = self.components_of(to).iter();
                let has_tiles = parts.copied().any(|entry| entry.manager == TILES);
                (body.is_some(), falls, has_tiles)
            }
        };
        let (has_own, own_falls, own_tiles) = of_planned(one);
        if !has_body || !has_own {
            return Ok(());
        }
        let why = match () {
            () if !falls || !own_falls => "a rigid weld needs two dynamic bodies",
            () if has_tiles || own_tiles => "a body with tiles cannot be welded",
            () => return Ok(()),
        };
        let error = PhysicsError::UnfitBodies { why };
        Err(self.refused_entity(one, name, error))
    }

    /// The entity at an end of a joint or weld: the given one, or the one with a name, which may be part of the plan.
    fn end_of(
        &self,
        resolved: &PlannedSpawn,
        given: Option<Entity>,
        name: &str,
    ) -> Result<Option<Entity>, WorldError> {
        match (given, name) {
            (Some(_), _) | (None, "") => Ok(given),
            (None, name) => {
                let found = resolved.find_named(name).or_else(|| self.names.find(name));
                found.map(Some).ok_or_else(|| WorldError::NoName(name.into()))
            }
        }
    }

    fn refused_entity(&self, one: &PlannedEntity, component: NameHash, error: PhysicsError) -> WorldError {
        WorldError::Physics {
            entity: one.show(),
            component: self.text_of(component),
            error,
        }
    }

    /// The components of a kind that an entity of a plan would have, with their names.
    fn values_of<T: Component>(&self, plan: &Planned<'_>, manager: ManagerId) -> Vec<(NameHash, T)> {
        let parts = plan.components().filter(|(entry, _)| entry.manager == manager);
        parts
            .map(|(entry, values)| (entry.name, self.value_with(manager, values)))
            .collect()
    }

    /// A component with these initial properties, which were checked when the resource was loaded.
    pub(super) fn value_with<T: Component>(&self, manager: ManagerId, values: &[(usize, Value)]) -> T {
        let parts: Option<&Dense<T>> = self.entities.manager(manager);
        let value = parts.and_then(|parts| parts.value_with(values).ok());
        value.unwrap_or_default()
    }
}

impl PlannedEntity {
    fn show(&self) -> Box<str> {
        show_planned(self.name.as_deref(), self.entity)
    }
}

/// An entity of a plan, for a message.
pub(super) fn show_planned(name: Option<&str>, entity: Entity) -> Box<str> {
    match name {
        Some(name) => format!("{name:?}").into(),
        None => format!("{entity:?}").into(),
    }
}
