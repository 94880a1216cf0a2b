//! The components that inspectors and scenes of Bevy find by their types.

use bevy_app::App;

use crate::body::{
    Body, BodyDisabled, BodyOptions, Damping, Forces, GravityScale, LastingForce, LockedAxes, MassOverride,
    MoveTo, SleepSettings, SleepState, Velocity,
};
use crate::character::{Character, CharacterControl, CharacterState};
use crate::collider::{Collider, CollisionFilter, Material, Reports, Sensor};
use crate::events::Observed;
use crate::field::Field;
use crate::joint::Joint;
use crate::key::StableKey;
use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::tiles::TileGrid;

/// Registers the components of the plugin itself; those of optional features are registered by the features' plugins.
pub(crate) fn register_components(app: &mut App) {
    app.register_type::<Body>()
        .register_type::<BodyDisabled>()
        .register_type::<BodyLink>()
        .register_type::<BodyOptions>()
        .register_type::<Character>()
        .register_type::<CharacterControl>()
        .register_type::<CharacterState>()
        .register_type::<Collider>()
        .register_type::<ColliderLink>()
        .register_type::<CollisionFilter>()
        .register_type::<Damping>()
        .register_type::<Field>()
        .register_type::<FieldLink>()
        .register_type::<Forces>()
        .register_type::<GravityScale>()
        .register_type::<Joint>()
        .register_type::<JointLink>()
        .register_type::<LastingForce>()
        .register_type::<LockedAxes>()
        .register_type::<MassOverride>()
        .register_type::<Material>()
        .register_type::<MoveTo>()
        .register_type::<Observed>()
        .register_type::<Reports>()
        .register_type::<Sensor>()
        .register_type::<SleepSettings>()
        .register_type::<SleepState>()
        .register_type::<StableKey>()
        .register_type::<TileGrid>()
        .register_type::<Velocity>();
}
