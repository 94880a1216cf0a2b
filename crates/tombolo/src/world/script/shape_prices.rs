//! The charges of scripts for converting a component's geometry to shapes of physics, or to a polygon of space,
//! again.

use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, InstanceId, NameHash, Value};

use crate::component::{
    COLLIDER, Collider, FIELD, Field, GeometryKind, ShapeGeometry, TRIGGER, Trigger, ZONE, Zone,
};
use crate::world::World;

/// Operations for each point of a geometry.
const POINT_COST: u64 = 8;
/// The number of a polygon's points for which each of its points costs one more operation: it is divided into convex
/// parts, and each point is compared with others.
const OUTLINE_POINTS: u64 = 16;
/// The number of times that a geometry is built for a spawned entity: once for the check, once for the shapes.
const BUILDS_OF_SPAWNED: u64 = 2;

/// The properties whose change creates shapes anew.
const OF_GEOMETRY: [&str; 8] = [
    "shape",
    "points",
    "size",
    "radius",
    "closed",
    "loop_ends",
    "position",
    "angle",
];

/// Operations for building a geometry with a number of points.
fn cost(kind: GeometryKind, point_count: usize) -> u64 {
    let count = point_count as u64;
    let of_outline = if kind == GeometryKind::Concave {
        count * count / OUTLINE_POINTS
    } else {
        0
    };
    count * POINT_COST + of_outline
}

impl World {
    /// Operations for the shapes that are created anew when a property of an entity is set to a value.
    pub(super) fn cost_of_setting(&self, entity: Entity, path: &str, value: &Value) -> u64 {
        let mut words = path.split('.');
        let (Some(component), Some(property)) = (words.next(), words.next()) else {
            return 0;
        };
        if !OF_GEOMETRY.contains(&property) {
            return 0;
        }
        let given = if let Value::List(values) = value {
            values.len()
        } else {
            0
        };
        let set = InstanceId::from(NameHash::of(component));
        let geometries = self.geometries_of(entity).into_iter();
        let of_set = geometries.filter(|(instance, _)| *instance == set);
        of_set
            .map(|(_, geometry)| cost(geometry.kind, geometry.points.len().max(given)))
            .sum()
    }

    /// Operations for the shapes of entities that were just spawned.
    pub(super) fn cost_of_shapes(&self, spawned: &[Entity]) -> u64 {
        let geometries = spawned.iter().flat_map(|&entity| self.geometries_of(entity));
        let costs = geometries.map(|(_, geometry)| cost(geometry.kind, geometry.points.len()));
        BUILDS_OF_SPAWNED * costs.sum::<u64>()
    }

    /// The geometries of an entity's components.
    fn geometries_of(&self, entity: Entity) -> Vec<(InstanceId, &ShapeGeometry)> {
        let mut all = Vec::new();
        let colliders = self.entities.manager::<Dense<Collider>>(COLLIDER);
        let colliders = colliders.into_iter().flat_map(|parts| parts.of(entity));
        all.extend(colliders.map(|(instance, part)| (instance, &part.geometry)));
        let triggers = self.entities.manager::<Dense<Trigger>>(TRIGGER);
        let triggers = triggers.into_iter().flat_map(|parts| parts.of(entity));
        all.extend(triggers.map(|(instance, part)| (instance, &part.geometry)));
        let zones = self.entities.manager::<Dense<Zone>>(ZONE);
        let zones = zones.into_iter().flat_map(|parts| parts.of(entity));
        all.extend(zones.map(|(instance, part)| (instance, &part.geometry)));
        let fields = self.entities.manager::<Dense<Field>>(FIELD);
        let fields = fields.into_iter().flat_map(|parts| parts.of(entity));
        all.extend(fields.map(|(instance, part)| (instance, &part.geometry)));
        all
    }
}
