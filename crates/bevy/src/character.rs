//! The components of characters: [`Character`], [`CharacterControl`] and [`CharacterState`].

use bevy_ecs::prelude::{Component, Entity, ReflectComponent};
use bevy_math::Vec2;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use tombolo_physics::{CharacterDef, CharacterInput, Position, Shape, ShapeError};

use crate::body::Body;
use crate::reflected::{ReflectedCharacter, ReflectedInput};

/// A figure that walks, jumps and climbs steps: moved by geometry and not by forces, so that it has exactly the speeds,
/// slopes and steps that the game sets.
///
/// After each step characters are moved one after the other, in the order of [`StableKey`](crate::StableKey), as
/// [`CharacterControl`] says; `Transform` and [`CharacterState`] have the results. A `Transform` that the game writes puts
/// it there, at rest and in the air.
///
/// Its body is kinematic and goes where the character goes; leave its [`Velocity`](crate::Velocity) at zero. With
/// [`Collider`](crate::Collider)s of their own others touch it, sensors report it and queries find it; the character
/// itself has the shape of its definition, and its own body is no obstacle. Masks, rules for its material and one-way
/// platforms apply. With a body of another kind, or a disabled one, it is not moved, and its
/// [`CharacterState`] is that of a character in the air that touches nothing.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_tombolo::physics::CharacterDef;
/// use bevy_tombolo::{Character, CharacterControl, CharacterState, Collider, Outline};
/// use bevy_transform::components::Transform;
///
/// fn spawn(mut commands: Commands) -> Result {
///     let upright = Character::upright(1.8, 0.35)?;
///     let hero = Character::new(CharacterDef { step_height: 0.5, ..upright.def });
///     // The collider by which others see it.
///     let skin = Collider::from(Outline::capsule(0.35, 1.1));
///     commands.spawn((hero, skin, Transform::from_xyz(0.0, 1.0, 0.0)));
///     Ok(())
/// }
///
/// fn control(mut heroes: Query<(&mut CharacterControl, &CharacterState)>) {
///     for (mut control, state) in &mut heroes {
///         control.0.walk = 4.0;
///         if state.is_grounded() && state.velocity().x < 0.1 {
///             control.0.jump = 5.0;
///         }
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Body = Body::Kinematic, CharacterControl, CharacterState)]
pub struct Character {
    /// The definition; its `body` is ignored, since that is the entity's own.
    #[reflect(remote = ReflectedCharacter)]
    pub def: CharacterDef,
}

impl Character {
    /// A character of this definition, which is checked in each step.
    pub fn new(def: CharacterDef) -> Self {
        Self { def }
    }

    /// An upright capsule of a height and a radius in meters around the entity's position, with the defaults of
    /// [`CharacterDef`].
    ///
    /// # Errors
    ///
    /// If the radius is out of range, or a number is not finite.
    pub fn upright(height: f32, radius: f32) -> Result<Self, ShapeError> {
        let end = Vec2::new(0.0, (0.5 * height - radius).max(0.0));
        Ok(Self::new(CharacterDef::new(Shape::capsule(-end, end, radius)?)))
    }
}

/// The intentions of a character, for the game to set: all of them stay as they are, but `jump`, which the plugin sets
/// to 0 in the step that used it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct CharacterControl(#[reflect(remote = ReflectedInput)] pub CharacterInput);

/// The state of a character after its last move, written by the plugin.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(clone_behavior = Ignore)]
pub struct CharacterState {
    pub(crate) state: tombolo_physics::Character,
    pub(crate) ground: Option<Entity>,
    pub(crate) touches: Vec<CharacterContact>,
}

/// A collider that a character touches at the end of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterContact {
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// The contact point in the world.
    pub point: Vec2,
    /// The normal out of the collider; a unit vector.
    pub normal: Vec2,
    /// The impulse in newton seconds with which the character pushes it in the step; above zero for dynamic bodies only.
    pub impulse: f32,
}

impl Default for CharacterState {
    fn default() -> Self {
        Self {
            state: tombolo_physics::Character::new(Position::new(0.0, 0.0)),
            ground: None,
            touches: Vec::new(),
        }
    }
}

impl CharacterState {
    /// The state as the physics has it: support, normals, velocity on the ground.
    pub fn state(&self) -> &tombolo_physics::Character {
        &self.state
    }

    /// Whether it stands on something.
    pub fn is_grounded(&self) -> bool {
        self.state.is_grounded()
    }

    /// Whether obstacles that do not yield press it against each other.
    pub fn is_crushed(&self) -> bool {
        self.state.is_crushed()
    }

    /// The velocity in the world, including that of what it stands on, in meters per second.
    pub fn velocity(&self) -> Vec2 {
        self.state.world_velocity()
    }

    /// The collider that it stands on; `None` in the air, and on a shape that belongs to no entity.
    pub fn ground(&self) -> Option<Entity> {
        self.ground
    }

    /// The colliders that it touches, in the order of their shapes.
    pub fn touches(&self) -> &[CharacterContact] {
        &self.touches
    }
}
