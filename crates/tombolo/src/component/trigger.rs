//! The component Trigger: a sensor that reports other bodies which enter and leave it. Physics runs it.

use alloc::vec::Vec;

use tombolo_entity::{Component, DataError, Reader, Schema, Value, Writer};
use tombolo_physics::{BodyId, Filter, PhysicsWorld, ShapeId};

use super::register::{Entries, InScene, Registered, ToSensor, Wakes};
use super::shape_geometry::{self, ShapeGeometry};

/// A region that reports which other bodies enter and leave it. It is on the entity's body; an entity without a body
/// gets a static one for it, which follows the [`Transform`](super::Transform).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trigger {
    /// The shape of the region and its pose.
    pub geometry: ShapeGeometry,
    /// The category and mask of the sensor.
    pub filter: Filter,
    /// Whether the trigger reports other triggers too.
    pub sees_triggers: bool,
    /// The sensors in physics: one, or the convex parts of a concave outline. A save has the first, which leads to the
    /// others.
    pub(crate) shapes: Vec<ShapeId>,
    /// The body that was created for the sensor, if the entity has none.
    pub(crate) own_body: Option<BodyId>,
}

impl Trigger {
    /// The first sensor in physics; none before the entity is complete.
    pub fn shape(&self) -> Option<ShapeId> {
        self.shapes.first().copied()
    }

    /// The sensors in physics: one, or one for each convex part of a concave outline; none before the entity is
    /// complete.
    pub fn shapes(&self) -> &[ShapeId] {
        &self.shapes
    }
}

/// The number of shapes in any of the sensors of a trigger.
fn visitor_count(physics: &PhysicsWorld, sensors: &[ShapeId]) -> Value {
    let sensors = sensors.iter().filter_map(|id| physics.shape(*id));
    let visitors = sensors.flat_map(|sensor| sensor.visitors().map(|visitor| visitor.id()));
    let mut visitors: Vec<ShapeId> = visitors.collect();
    visitors.sort_unstable();
    visitors.dedup();
    Value::U32(visitors.len() as u32)
}

impl Registered for Trigger {
    type Apply = ToSensor;
    type Live = fn(&PhysicsWorld, &[ShapeId]) -> Value;

    fn entries() -> Entries<Self> {
        let entries = shape_geometry::entries(
            |part: &Self| &part.geometry,
            |part| &mut part.geometry,
            ToSensor,
            Wakes::Yes,
        );
        entries
            .property(
                "category",
                |part: &Self| part.filter.category as i64,
                |part, category: i64| part.filter.category = category as u64,
                ToSensor,
                Wakes::Yes,
            )
            .in_scene(InScene::Bits)
            .doc("The bits that it is.")
            .property(
                "mask",
                |part: &Self| part.filter.mask as i64,
                |part, mask: i64| part.filter.mask = mask as u64,
                ToSensor,
                Wakes::Yes,
            )
            .in_scene(InScene::Bits)
            .doc("The bits that it notices; -1 for all.")
            .property(
                "group",
                |part: &Self| part.filter.group,
                |part, group| part.filter.group = group,
                ToSensor,
                Wakes::Yes,
            )
            .doc("Equal groups are always noticed if positive, never if negative; 0 for none.")
            .property(
                "sees_triggers",
                |part: &Self| part.sees_triggers,
                |part, sees| part.sees_triggers = sees,
                ToSensor,
                Wakes::Yes,
            )
            .doc("Whether it notices other triggers, and colliders that are sensors.")
            .derived("visitor_count", |_: &Self| 0_u32)
            .live(visitor_count)
            .doc("How many shapes are in it.")
    }
}

impl Component for Trigger {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.shape().map_or(0, ShapeId::to_bits));
        out.u64(self.own_body.map_or(0, BodyId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.shapes = ShapeId::from_bits(from.u64("a sensor's id")?)
            .into_iter()
            .collect();
        self.own_body = BodyId::from_bits(from.u64("a sensor's body")?);
        Ok(())
    }
}
