//! The connection of entities and physics: what Body, Collider, Joint, RigidWeld and Trigger components request is created,
//! changed, read and destroyed here, and nowhere else. Physics knows of an entity only the number that it stores
//! with bodies and shapes: the entity's handle.
//!
//! A component holds what was requested and the ids of what was created. A change by name goes into the component
//! first, where kind and range are checked, and is then pushed to physics; reading by name reads from physics what
//! it may have changed.
//!
//! Why: `docs/decisions.md#physical-components-are-reached-through-one-folder`.

mod check;
mod complete;
mod create;
mod defs;
mod leaving;
mod push;
mod read;
mod tiles;
mod weld;

pub(super) use check::{check_body, check_collider, check_field, check_joint, check_trigger, check_zone};
pub(crate) use complete::{Physical, show};
