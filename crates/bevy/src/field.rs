//! The component [`Field`]: wind, a fluid, or the gravity of a place.

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_reflect::Reflect;
use bevy_transform::components::Transform;
use tombolo_physics::{FieldDef, FieldKind, Shape};

use crate::link::FieldLink;
use crate::pending::{field_added, field_removed};
use crate::reflected::ReflectedField;

/// An area in which bodies are pushed in every step: by wind, by a fluid that lifts and slows them, or by the gravity of
/// a place.
///
/// It is where the entity's `Transform` is before the step, with those of its parents: a field below a body goes with it. Lengths
/// are meters, whatever the scale. A field that changes, or is moved by more than a tenth of a millimeter, wakes the bodies
/// in it.
///
/// What several fields do to one body is summed in the order in which they were created: new ones by
/// [`StableKey`](crate::StableKey), or without one in the order of spawning. A definition that physics refuses gives a
/// [`PhysicsFault`](crate::PhysicsFault), and the field stays as it was. Bevy's `Disabled` switches it off.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use bevy_tombolo::Field;
/// use bevy_tombolo::physics::{FieldKind, Shape};
/// use bevy_transform::components::Transform;
///
/// fn pool(mut commands: Commands) -> Result {
///     let water = FieldKind::Fluid { density: 1.0, velocity: Vec2::ZERO, drag: 1.0, viscosity: 1.0 };
///     commands.spawn((Field::within(Shape::new_box(10.0, 2.0)?, water), Transform::from_xyz(0.0, -2.0, 0.0)));
///     Ok(())
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, FieldLink)]
#[component(on_add = field_added, on_remove = field_removed)]
pub struct Field {
    /// The definition; its position and angle are those of the `Transform`, and its user key is that of the entity.
    #[reflect(remote = ReflectedField)]
    pub def: FieldDef,
}

impl Field {
    /// A field of this definition.
    pub fn new(def: FieldDef) -> Self {
        Self { def }
    }

    /// A field that acts everywhere; the gravity of a chain within its reach.
    pub fn everywhere(kind: FieldKind) -> Self {
        Self::new(FieldDef::new(kind))
    }

    /// A field that acts within an area, in the entity's frame: a circle, capsule or polygon.
    pub fn within(area: Shape, kind: FieldKind) -> Self {
        Self::new(FieldDef {
            area: Some(area),
            ..FieldDef::new(kind)
        })
    }
}
