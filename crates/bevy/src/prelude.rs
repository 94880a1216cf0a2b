//! What most games use: `use bevy_tombolo::prelude::*;` beside Bevy's own prelude.
//!
//! Not in it: [`Material`](crate::Material) and [`Outline`](crate::Outline), since Bevy's prelude may have a trait and a
//! component of these names; [`SceneRoot`](crate::SceneRoot), since it had one; and what few systems name, such as links.

pub use crate::body::{
    Body, BodyDisabled, BodyOptions, Damping, Forces, GravityScale, LastingForce, LockedAxes, MassOverride,
    MoveTo, SleepSettings, SleepState, Velocity,
};
pub use crate::character::{Character, CharacterControl, CharacterState};
pub use crate::collider::{Collider, CollisionFilter, Reports, Sensor};
pub use crate::events::{
    BodyCut, CharacterTouchBegan, CharacterTouchEnded, ForceExceeded, Hit, JointExceeded, Observed,
    PhysicsFault, PieceVanished, RigidWeldExceeded, SensorEntered, SensorLeft, SleepChanged, TouchBegan,
    TouchEnded,
};
pub use crate::field::Field;
#[cfg(feature = "gizmos")]
pub use crate::gizmos::{PhysicsGizmoOptions, PhysicsGizmosPlugin};
pub use crate::joint::Joint;
pub use crate::key::StableKey;
#[cfg(feature = "picking")]
pub use crate::picking::PhysicsPickingPlugin;
pub use crate::plugin::{PhysicsSystems, TomboloPlugin};
pub use crate::query::{SpatialFilter, SpatialQuery};
pub use crate::rollback::Rollback;
pub use crate::rules::ContactRules;
#[cfg(feature = "scenes")]
pub use crate::scene::{PhysicsScene, PhysicsScenePlugin, SceneSettings, SceneSpawned};
pub use crate::spawn::SpawnPhysics;
#[cfg(feature = "sprites")]
pub use crate::sprite::{SpriteCollider, SpriteColliderPlugin, SpriteForm};
pub use crate::tiles::TileGrid;
pub use crate::world::Physics;
