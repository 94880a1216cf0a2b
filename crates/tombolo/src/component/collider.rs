//! The component Collider: a shape of a body.

use alloc::vec::Vec;

use tombolo_entity::{Component, DataError, Reader, Schema, Value, Writer};
use tombolo_physics::constants::{FRICTION_MAX, RESTITUTION_MAX, VELOCITY_MAX_M_S};
use tombolo_physics::{ShapeDef, ShapeId};

use super::shape_geometry::{self, ShapeGeometry};

/// A shape, or a chain of them, on the entity's body. Several of one entity under different names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collider {
    /// Its form and where it lies on the body.
    pub geometry: ShapeGeometry,
    /// Everything else.
    pub def: ShapeDef,
    /// What physics made: one, or one for each segment of a chain.
    pub(crate) shapes: Vec<ShapeId>,
}

impl Collider {
    /// The shapes in physics: one, or one for each segment of a chain; none before the entity is complete.
    pub fn shapes(&self) -> &[ShapeId] {
        &self.shapes
    }

    /// What it says as values of its properties.
    pub(crate) fn values(&self) -> Vec<(&'static str, Value)> {
        let ShapeDef { filter, .. } = self.def;
        let mut values = self.geometry.values();
        values.extend([
            ("density", Value::F32(self.def.density)),
            ("friction", Value::F32(self.def.friction)),
            ("restitution", Value::F32(self.def.restitution)),
            ("rolling_resistance", Value::F32(self.def.rolling_resistance)),
            ("tangent_speed", Value::F32(self.def.tangent_speed)),
            ("category", Value::I64(filter.category as i64)),
            ("mask", Value::I64(filter.mask as i64)),
            ("group", Value::I32(filter.group)),
            ("sensor", Value::Bool(self.def.sensor)),
            ("contact_events", Value::Bool(self.def.contact_events)),
            ("hit_events", Value::Bool(self.def.hit_events)),
        ]);
        values
    }
}

impl Component for Collider {
    fn schema() -> Schema<Self> {
        const MANY: f64 = f32::MAX as f64;
        const ROUGH: f64 = FRICTION_MAX as f64;
        const BOUNCY: f64 = RESTITUTION_MAX as f64;
        const FAST: f64 = VELOCITY_MAX_M_S as f64;
        shape_geometry::properties(
            Schema::<Self>::new(),
            |part| &part.geometry,
            |part| &mut part.geometry,
        )
        .property(
            "density",
            |part: &Self| part.def.density,
            |part, density| part.def.density = density,
        )
        .range(0.0..=MANY)
        .unit("kg/m²")
        .doc("What a square meter of it weighs.")
        .property(
            "friction",
            |part: &Self| part.def.friction,
            |part, friction| part.def.friction = friction,
        )
        .range(0.0..=ROUGH)
        .doc("Two shapes use the square root of the product.")
        .property(
            "restitution",
            |part: &Self| part.def.restitution,
            |part, restitution| part.def.restitution = restitution,
        )
        .range(0.0..=BOUNCY)
        .doc("How it bounces; two shapes use the larger.")
        .property(
            "rolling_resistance",
            |part: &Self| part.def.rolling_resistance,
            |part, resistance| part.def.rolling_resistance = resistance,
        )
        .range(0.0..=ROUGH)
        .doc("How it resists rolling, as a factor of its size.")
        .property(
            "tangent_speed",
            |part: &Self| part.def.tangent_speed,
            |part, speed| part.def.tangent_speed = speed,
        )
        .range(-FAST..=FAST)
        .unit("m/s")
        .doc("How fast its surface runs, as a conveyor belt's does.")
        .property(
            "category",
            |part: &Self| part.def.filter.category as i64,
            |part, category: i64| part.def.filter.category = category as u64,
        )
        .doc("The bits that it is.")
        .property(
            "mask",
            |part: &Self| part.def.filter.mask as i64,
            |part, mask: i64| part.def.filter.mask = mask as u64,
        )
        .doc("The bits that it touches; -1 for all.")
        .property(
            "group",
            |part: &Self| part.def.filter.group,
            |part, group| part.def.filter.group = group,
        )
        .doc("Equal groups always touch if positive, never if negative; 0 for none.")
        .property(
            "sensor",
            |part: &Self| part.def.sensor,
            |part, sensor| part.def.sensor = sensor,
        )
        .doc("Whether it only notices what comes into it.")
        .property(
            "contact_events",
            |part: &Self| part.def.contact_events,
            |part, wanted| part.def.contact_events = wanted,
        )
        .doc("Whether beginning and ending touch is reported.")
        .property(
            "hit_events",
            |part: &Self| part.def.hit_events,
            |part, wanted| part.def.hit_events = wanted,
        )
        .doc("Whether hard hits are reported.")
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        save_ids(&self.shapes, out);
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.shapes = restore_ids(from)?;
        Ok(())
    }
}

fn save_ids(shapes: &[ShapeId], out: &mut Writer) {
    out.length(shapes.len());
    shapes.iter().for_each(|shape| out.u64(shape.to_bits()));
}

fn restore_ids(from: &mut Reader<'_>) -> Result<Vec<ShapeId>, DataError> {
    let count = from.length(8, "the shapes of a collider")?;
    let ids = (0..count).map(|_| {
        let id = ShapeId::from_bits(from.u64("a shape's id")?);
        id.ok_or_else(|| DataError::broken("a collider has a shape of no id"))
    });
    ids.collect()
}
