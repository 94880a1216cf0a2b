//! The component Field: an area in which bodies are pushed. `world/fields.rs` updates the fields of physics from it.

use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::{Pose, Position, Vec2};
use tombolo_physics::constants::{
    FIELD_FACTOR_MAX, FIELD_POWER_MAX, GRAVITY_MAX_M_S2, POSITION_MAX_M, VELOCITY_MAX_M_S,
};
use tombolo_physics::{FieldDef, FieldId, FieldKind, PhysicsError};

use super::register::{Entries, FieldAnew, InScene, Registered, Wakes, either_way, up_to};
use super::shape_geometry::{self, BuiltGeometry, ShapeGeometry};

/// When setting a property wakes bodies.
const WAKES: Wakes = Wakes::If("those in the area before or after, if what it does changes");

/// The action of a field; see [`FieldKind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum FieldAction {
    /// Wind that blows past shapes.
    #[default]
    Wind = 0,
    /// A fluid that lifts and slows the shapes in it.
    Fluid = 1,
    /// The same acceleration everywhere.
    Gravity = 2,
    /// A pull toward the entity.
    RadialGravity = 3,
    /// A pull toward the nearest point of a chain, and along it.
    ChainGravity = 4,
}

impl FieldAction {
    /// The words of the actions, in the order of their numbers.
    pub const WORDS: &'static [&'static str] = &["Wind", "Fluid", "Gravity", "RadialGravity", "ChainGravity"];

    fn of(number: u32) -> Self {
        match number {
            0 => Self::Wind,
            1 => Self::Fluid,
            2 => Self::Gravity,
            3 => Self::RadialGravity,
            _ => Self::ChainGravity,
        }
    }
}

/// An area in which bodies are pushed in every step: by wind, a fluid or the gravity of a place. It follows the
/// entity's own Transform. The action decides which of the numbers apply. Changes reach physics in the next step.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The kind of push.
    pub action: FieldAction,
    /// The area in the entity's frame: a circle, capsule, box or polygon; for the gravity of a chain, the chain.
    pub geometry: ShapeGeometry,
    /// Whether the field acts everywhere, whatever its shape; the gravity of a chain acts as far as its reach.
    pub everywhere: bool,
    /// Whether the field acts.
    pub enabled: bool,
    /// The categories of shapes that the field acts on.
    pub mask: u64,
    /// The velocity of wind or fluid in the entity's frame, in meters per second.
    pub velocity: Vec2,
    /// The density of wind or fluid, in kilograms per square meter.
    pub density: f32,
    /// The factor of the push along the stream.
    pub drag: f32,
    /// The factor of the wind's push across the stream.
    pub lift: f32,
    /// The viscosity of a fluid, per second.
    pub viscosity: f32,
    /// The acceleration of Gravity in the entity's frame, in meters per second squared.
    pub acceleration: Vec2,
    /// The acceleration of the other gravities toward the entity or the chain, in meters per second squared.
    pub pull: f32,
    /// The acceleration along a chain, in meters per second squared.
    pub along: f32,
    /// The distance in meters at which the pull of RadialGravity holds, or up to which the gravity of a chain acts.
    pub reach: f32,
    /// The power of the distance with which RadialGravity fades beyond its reach.
    pub power: u32,
    /// Whether gravity acts in place of the world's.
    pub replaces_gravity: bool,
    /// The field in physics.
    pub(crate) id: Option<FieldId>,
}

impl Default for Field {
    fn default() -> Self {
        Self {
            action: FieldAction::Wind,
            geometry: ShapeGeometry::default(),
            everywhere: false,
            enabled: true,
            mask: u64::MAX,
            velocity: Vec2::ZERO,
            density: 1.0,
            drag: 1.0,
            lift: 0.0,
            viscosity: 0.0,
            acceleration: Vec2::ZERO,
            pull: 10.0,
            along: 0.0,
            reach: 1.0,
            power: 2,
            replaces_gravity: false,
            id: None,
        }
    }
}

impl Field {
    /// The field in physics; none before the entity's first step.
    pub fn id(&self) -> Option<FieldId> {
        self.id
    }

    /// The definition of the field in physics, for an entity at a pose in the world.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or the kind of shape is none for the action.
    pub fn def(&self, entity: Entity, pose: Pose) -> Result<FieldDef, PhysicsError> {
        let is_chain = self.action == FieldAction::ChainGravity;
        let built = (!self.everywhere || is_chain)
            .then(|| self.geometry.build())
            .transpose()?;
        let (area, points) = match built {
            Some(BuiltGeometry::Chain(points)) if is_chain => (None, points),
            Some(BuiltGeometry::Solid(shape)) if !is_chain => (Some(shape), Vec::new()),
            None => (None, Vec::new()),
            Some(_) => {
                let expected = if is_chain {
                    "a Chain"
                } else {
                    "a Circle, Capsule, Box or Polygon"
                };
                let got = self.geometry.kind as u32 as f32;
                return Err(PhysicsError::InvalidNumber {
                    what: "the number of the kind of shape",
                    got,
                    expected,
                });
            }
        };
        let def = FieldDef {
            area,
            position: Position::from(pose.position),
            angle: pose.rotation.angle(),
            mask: self.mask,
            replaces_gravity: self.replaces_gravity,
            enabled: self.enabled,
            user_key: entity.to_bits(),
            ..FieldDef::new(self.kind(points))
        };
        def.validate()?;
        Ok(def)
    }

    /// The kind of field in physics; `points` are those of a chain.
    fn kind(&self, points: Vec<Vec2>) -> FieldKind {
        let Self {
            velocity,
            density,
            drag,
            lift,
            viscosity,
            acceleration,
            pull,
            along,
            reach,
            power,
            ..
        } = *self;
        match self.action {
            FieldAction::Wind => FieldKind::Wind {
                velocity,
                density,
                drag,
                lift,
            },
            FieldAction::Fluid => FieldKind::Fluid {
                density,
                velocity,
                drag,
                viscosity,
            },
            FieldAction::Gravity => FieldKind::Gravity { acceleration },
            FieldAction::RadialGravity => FieldKind::RadialGravity {
                acceleration: pull,
                radius: reach,
                power,
            },
            FieldAction::ChainGravity => FieldKind::ChainGravity {
                points,
                closed: self.geometry.closed,
                pull,
                along,
                reach,
            },
        }
    }
}

/// The properties of the action and of the affected shapes.
fn action(entries: Entries<Field>) -> Entries<Field> {
    let entries = entries
        .choice(
            ("kind", FieldAction::WORDS),
            |field: &Field| field.action as u32,
            |field, action| field.action = FieldAction::of(action),
            FieldAnew,
            WAKES,
        )
        .doc("What it does.")
        .property(
            "mask",
            |field: &Field| field.mask as i64,
            |field, mask: i64| field.mask = mask as u64,
            FieldAnew,
            WAKES,
        )
        .in_scene(InScene::Bits)
        .doc("The categories of shapes that it acts on; -1 for all.");
    Field::switches(entries)
}

impl Field {
    fn switches(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, FieldAnew, WAKES;
            everywhere => "Whether it acts everywhere, and not only in its shape.",
            enabled => "Whether it acts.",
            replaces_gravity => "Whether a gravity acts in place of the world's own.",
        )
    }

    fn numbers(entries: Entries<Self>) -> Entries<Self> {
        let factor = || up_to(FIELD_FACTOR_MAX);
        fields!(entries, FieldAnew, WAKES;
            velocity ["m/s"] in either_way(VELOCITY_MAX_M_S) => "How wind or fluid streams, seen from the entity.",
            density ["kg/m²"] in factor() => "What a square meter of wind or fluid weighs.",
            drag in factor() => "Factor of what wind or fluid does along the stream with the square of the speed.",
            lift in factor() => "Factor of what wind does to slanted faces across the stream.",
            viscosity ["1/s"] in factor() => "How fast what is as heavy as the fluid comes to move with it.",
            acceleration ["m/s²"] in either_way(GRAVITY_MAX_M_S2) => "Of Gravity, seen from the entity.",
            pull ["m/s²"] in either_way(GRAVITY_MAX_M_S2) => "Of RadialGravity at its reach, and of ChainGravity: toward entity or chain.",
            along ["m/s²"] in either_way(GRAVITY_MAX_M_S2) => "Of ChainGravity: from point to point.",
            reach ["m"] in up_to(POSITION_MAX_M) => "Where the pull of RadialGravity holds; how far ChainGravity is felt.",
            power in up_to(FIELD_POWER_MAX as f32) => "With which power of the distance RadialGravity fades beyond its reach.",
        )
    }
}

impl Registered for Field {
    type Apply = FieldAnew;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let geometry = shape_geometry::entries(
            |field: &Self| &field.geometry,
            |field| &mut field.geometry,
            FieldAnew,
            WAKES,
        );
        Self::numbers(action(geometry))
    }
}

impl Component for Field {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, FieldId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = FieldId::from_bits(from.u64("a field's id")?);
        Ok(())
    }
}
