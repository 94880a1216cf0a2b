//! The component Collider: a shape of a body, with its properties by name, which read and write physics.

use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};
use tombolo_physics::constants::{
    CONTACT_SKIN_MAX_M, DENSITY_MIN, FORCE_MAX_N, FRICTION_MAX, RESTITUTION_MAX, VELOCITY_MAX_M_S,
};
use tombolo_physics::{CombineRule, PhysicsError, PhysicsWorld, ShapeDef, ShapeId};

use super::register::{Entries, InScene, Registered, SceneForm, ToShapes, Wakes, between, either_way, up_to};
use super::shape_geometry::{self, ShapeGeometry};

/// A shape, or a chain, on the entity's body. An entity may have several under different names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collider {
    /// The shape and its pose on the body.
    pub geometry: ShapeGeometry,
    /// All other options of the shape.
    pub def: ShapeDef,
    /// The shapes in physics: one, or one for each segment of a chain.
    pub(crate) shapes: Vec<ShapeId>,
}

impl Collider {
    /// A collider for [`World::spawn_body`](crate::World::spawn_body). The engine keeps the shapes' user keys for itself.
    pub fn new(def: ShapeDef, geometry: ShapeGeometry) -> Self {
        Self {
            geometry,
            def,
            shapes: Vec::new(),
        }
    }

    /// The shapes in physics: one, or one for each segment of a chain; none before the entity is complete.
    pub fn shapes(&self) -> &[ShapeId] {
        &self.shapes
    }
}

/// Sets friction and restitution, which physics sets together.
fn apply_material(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics.shape_mut(id)?.set_material(def.friction, def.restitution)
}

fn apply_surface(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics
        .shape_mut(id)?
        .set_surface(def.rolling_resistance, def.tangent_speed)
}

fn apply_filter(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics.shape_mut(id)?.set_filter(def.filter);
    Ok(())
}

fn apply_force_threshold(
    physics: &mut PhysicsWorld,
    id: ShapeId,
    def: &ShapeDef,
) -> Result<(), PhysicsError> {
    physics.shape_mut(id)?.set_force_threshold(def.force_threshold)
}

fn apply_sees(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics.shape_mut(id)?.set_sees(def.sees_sensors, def.sees_fixed);
    Ok(())
}

fn apply_combine_rules(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics
        .shape_mut(id)?
        .set_combine_rules(def.friction_rule, def.restitution_rule);
    Ok(())
}

fn apply_events(physics: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    physics
        .shape_mut(id)?
        .set_events(def.contact_events, def.hit_events);
    Ok(())
}

/// The largest number of a material in scenes and properties: every kind of number holds it exactly.
pub(crate) const MATERIAL_MAX: u32 = (1 << 24) - 1;

/// The words of [`CombineRule`], in the order of its numbers.
const COMBINE_WORDS: &[&str] = &["Usual", "Mean", "GeometricMean", "Min", "Product", "Max"];

fn combine_rule(number: u32) -> CombineRule {
    CombineRule::ALL[(number as usize).min(CombineRule::ALL.len() - 1)]
}

/// The properties of the material.
fn material(entries: Entries<Collider>) -> Entries<Collider> {
    entries
        .property(
            "density",
            |part: &Collider| part.def.density,
            |part, value| part.def.density = value,
            ToShapes::Each(|physics, id, def| physics.shape_mut(id)?.set_density(def.density)),
            Wakes::Yes,
        )
        .zero_or(between(DENSITY_MIN, f32::MAX))
        .unit("kg/m²")
        .in_scene(InScene::Within(SceneForm::Material, "density"))
        .doc("What a square meter of it weighs.")
        .property(
            "friction",
            |part: &Collider| part.def.friction,
            |part, value| part.def.friction = value,
            ToShapes::Each(apply_material),
            Wakes::Yes,
        )
        .range(up_to(FRICTION_MAX))
        .in_scene(InScene::Within(SceneForm::Material, "friction"))
        .doc("Two shapes use the square root of the product, unless one has a rule.")
        .property(
            "restitution",
            |part: &Collider| part.def.restitution,
            |part, value| part.def.restitution = value,
            ToShapes::Each(apply_material),
            Wakes::Yes,
        )
        .range(up_to(RESTITUTION_MAX))
        .in_scene(InScene::Within(SceneForm::Material, "restitution"))
        .doc("How it bounces; two shapes use the larger, unless one has a rule.")
        .property(
            "rolling_resistance",
            |part: &Collider| part.def.rolling_resistance,
            |part, value| part.def.rolling_resistance = value,
            ToShapes::Each(apply_surface),
            Wakes::Yes,
        )
        .range(up_to(FRICTION_MAX))
        .in_scene(InScene::Within(SceneForm::Material, "rolling_resistance"))
        .doc("How it resists rolling, as a factor of its size.")
        .property(
            "tangent_speed",
            |part: &Collider| part.def.tangent_speed,
            |part, value| part.def.tangent_speed = value,
            ToShapes::Each(apply_surface),
            Wakes::Yes,
        )
        .range(either_way(VELOCITY_MAX_M_S))
        .unit("m/s")
        .in_scene(InScene::Within(SceneForm::Material, "tangent_speed"))
        .doc("How fast its surface runs, as a conveyor belt's does.")
}

/// The properties that combine with those of the touched shape.
fn combination(entries: Entries<Collider>) -> Entries<Collider> {
    entries
        .choice(
            ("friction_rule", COMBINE_WORDS),
            |part: &Collider| part.def.friction_rule as u32,
            |part, rule| part.def.friction_rule = combine_rule(rule),
            ToShapes::Each(apply_combine_rules),
            Wakes::Yes,
        )
        .in_scene(InScene::Within(SceneForm::Material, "friction_rule"))
        .doc("How friction is combined with the other shape's; of two rules the later in this list counts.")
        .choice(
            ("restitution_rule", COMBINE_WORDS),
            |part: &Collider| part.def.restitution_rule as u32,
            |part, rule| part.def.restitution_rule = combine_rule(rule),
            ToShapes::Each(apply_combine_rules),
            Wakes::Yes,
        )
        .in_scene(InScene::Within(SceneForm::Material, "restitution_rule"))
        .doc("How bounciness is combined, likewise.")
        .property(
            "material_number",
            |part: &Collider| part.def.material,
            |part, value| part.def.material = value,
            ToShapes::Each(|physics, id, def| physics.shape_mut(id)?.set_material_number(def.material)),
            Wakes::Yes,
        )
        .range(0.0..=f64::from(MATERIAL_MAX))
        .in_scene(InScene::Within(SceneForm::Material, "number"))
        .doc("What it is made of, for the section rules.")
        .property(
            "contact_skin",
            |part: &Collider| part.def.contact_skin,
            |part, value| part.def.contact_skin = value,
            ToShapes::Each(|physics, id, def| physics.shape_mut(id)?.set_contact_skin(def.contact_skin)),
            Wakes::Yes,
        )
        .range(up_to(CONTACT_SKIN_MAX_M))
        .unit("m")
        .in_scene(InScene::Within(SceneForm::Material, "contact_skin"))
        .doc("The distance that it keeps from others, as a soft layer would; of two shapes the sum.")
}

/// The properties of filtering and reporting.
fn filter(entries: Entries<Collider>) -> Entries<Collider> {
    entries
        .property(
            "category",
            |part: &Collider| part.def.filter.category as i64,
            |part, category: i64| part.def.filter.category = category as u64,
            ToShapes::Each(apply_filter),
            Wakes::Yes,
        )
        .in_scene(InScene::Bits)
        .doc("The bits that it is.")
        .property(
            "mask",
            |part: &Collider| part.def.filter.mask as i64,
            |part, mask: i64| part.def.filter.mask = mask as u64,
            ToShapes::Each(apply_filter),
            Wakes::Yes,
        )
        .in_scene(InScene::Bits)
        .doc("The bits that it touches; -1 for all.")
        .property(
            "group",
            |part: &Collider| part.def.filter.group,
            |part, value| part.def.filter.group = value,
            ToShapes::Each(apply_filter),
            Wakes::Yes,
        )
        .doc("Equal groups always touch if positive, never if negative; 0 for none.")
        .property(
            "sensor",
            |part: &Collider| part.def.sensor,
            |part, value| part.def.sensor = value,
            ToShapes::Each(|physics, id, def| {
                physics.shape_mut(id)?.set_sensor(def.sensor);
                Ok(())
            }),
            Wakes::Yes,
        )
        .doc("Whether it only notices what comes into it.")
        .property(
            "contact_events",
            |part: &Collider| part.def.contact_events,
            |part, value| part.def.contact_events = value,
            ToShapes::Each(apply_events),
            Wakes::No,
        )
        .doc("Whether beginning and ending touch is reported.")
        .property(
            "hit_events",
            |part: &Collider| part.def.hit_events,
            |part, value| part.def.hit_events = value,
            ToShapes::Each(apply_events),
            Wakes::No,
        )
        .doc("Whether hard hits are reported.")
}

/// The properties of further reports, which are on request.
fn requests(entries: Entries<Collider>) -> Entries<Collider> {
    entries
        .property(
            "force_threshold",
            |part: &Collider| part.def.force_threshold,
            |part, value| part.def.force_threshold = value,
            ToShapes::Each(apply_force_threshold),
            Wakes::No,
        )
        .range(up_to(FORCE_MAX_N))
        .unit("N")
        .doc("From which force on touches are reported; 0 for none.")
        .property(
            "sees_sensors",
            |part: &Collider| part.def.sees_sensors,
            |part, value| part.def.sees_sensors = value,
            ToShapes::Each(apply_sees),
            Wakes::No,
        )
        .doc("Whether it reports other sensors if it is a sensor.")
        .property(
            "sees_fixed",
            |part: &Collider| part.def.sees_fixed,
            |part, value| part.def.sees_fixed = value,
            ToShapes::Each(apply_sees),
            Wakes::No,
        )
        .doc("Whether it reports, as a sensor does, shapes of static and kinematic bodies that touch it while its own is one of them.")
}

impl Registered for Collider {
    type Apply = ToShapes;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let geometry = shape_geometry::entries(
            |part: &Self| &part.geometry,
            |part| &mut part.geometry,
            ToShapes::Anew,
            Wakes::Yes,
        );
        requests(filter(combination(material(geometry))))
    }
}

impl Component for Collider {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
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
