//! The connection of entities and physics: the objects that Body, Collider, Joint, RigidWeld and Trigger components
//! request are created, changed, read and destroyed here, and nowhere else. Physics stores of an entity only a number
//! with bodies and shapes: the entity's handle.
//!
//! A component holds the requested definition and the ids of the created objects. A change by name is written to the
//! component first, where kind and range are checked, and is then pushed to physics; reading by name reads from
//! physics the values that it may have changed.
//!
//! Why: `docs/decisions.md#physical-components-are-reached-through-one-folder`.

mod check;
mod complete;
mod create;
mod defs;
mod member_motion;
mod push;
mod read;
mod ties;
mod tiles;
mod weld;

pub(super) use check::{check_body, check_collider, check_field, check_joint, check_trigger, check_zone};
pub(crate) use complete::{Physical, Touches, live_body, sensor_bodies, show};
pub(crate) use weld::{Claim, claims};
