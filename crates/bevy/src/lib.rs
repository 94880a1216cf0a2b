//! Tombolo's deterministic 2D physics for Bevy.
//!
//! Priorities, in this order: the same calls give the same bits, whatever the order in which Bevy iterates over
//! entities; the physics is one value, so that it can go back in time; each component documents its effect; speed;
//! small code.
//!
//! Where to read on: `plugin.rs` has the systems' order; `sync/mod.rs` the stages around a step; [`StableKey`] explains
//! the order in which objects are created; [`Rollback`] how a game goes back in time.
#![deny(unsafe_code)]

mod applied;
mod body;
mod character;
mod collider;
mod copied;
mod events;
mod executor;
mod field;
#[cfg(feature = "gizmos")]
mod gizmos;
mod joint;
mod key;
mod link;
mod outline;
mod own_writes;
mod pending;
#[cfg(feature = "picking")]
mod picking;
mod planar;
mod plugin;
pub mod prelude;
mod query;
mod reflected;
mod refused;
mod registered;
mod rollback;
mod rules;
mod saved_state;
mod scaled;
#[cfg(feature = "scenes")]
mod scene;
#[cfg(feature = "scenes")]
mod scene_objects;
#[cfg(feature = "scenes")]
mod scene_rules;
mod slots;
mod spawn;
#[cfg(feature = "sprites")]
mod sprite;
mod sync;
mod tiles;
mod world;

pub use body::{
    Body, BodyDisabled, BodyOptions, Damping, Forces, GravityScale, LastingForce, LockedAxes, MassOverride,
    MoveTo, SleepSettings, SleepState, Velocity,
};
pub use character::{Character, CharacterContact, CharacterControl, CharacterState};
pub use collider::{Collider, CollisionFilter, Material, Reports, Sensor};
pub use events::{
    BodyCut, CharacterTouchBegan, CharacterTouchEnded, FaultReason, ForceExceeded, Hit, JointExceeded,
    Observed, PhysicsFault, PieceVanished, RigidWeldExceeded, SensorEntered, SensorLeft, SleepChanged,
    TouchBegan, TouchEnded,
};
pub use executor::{ComputePool, Workers};
pub use field::Field;
#[cfg(feature = "gizmos")]
pub use gizmos::{PhysicsGizmoOptions, PhysicsGizmos, PhysicsGizmosPlugin};
pub use joint::{Joint, anchored};
pub use key::StableKey;
pub use link::{BodyLink, ColliderLink, FieldLink, JointLink};
pub use outline::Outline;
#[cfg(feature = "picking")]
pub use picking::PhysicsPickingPlugin;
pub use plugin::{PhysicsSystems, TomboloPlugin};
pub use query::{CastHit, Near, SpatialFilter, SpatialQuery};
pub use rollback::{PhysicsSnapshot, Rollback};
pub use rules::ContactRules;
#[cfg(feature = "scenes")]
pub use scene::{PhysicsScene, PhysicsScenePlugin, SceneRoot, SceneSettings, SceneSpawned};
pub use spawn::{SpawnPhysics, SpawnedPhysics};
#[cfg(feature = "sprites")]
pub use sprite::{SpriteCollider, SpriteColliderPlugin, SpriteForm};
pub use tiles::TileGrid;
/// The physics crate: definitions of worlds and joints, shapes, filters of queries, and everything that components do
/// not offer.
pub use tombolo_physics as physics;
pub use world::Physics;

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
