//! The stages around a step, in this order; each part is a system, several of them piped into one of `FixedPostUpdate`.
//!
//! | system | does |
//! | --- | --- |
//! | [`rules::apply_rules`] | the table of contact rules |
//! | [`cuts::follow_cuts`] | the shapes of colliders whose bodies calls have cut |
//! | [`removed::remove_objects`] | removes what was despawned or lost its component |
//! | [`bodies::create_bodies`] | new bodies, by key |
//! | [`follow::follow_transforms`] | teleports what the game moved |
//! | [`bodies::apply_bodies`] | changed components of bodies |
//! | [`colliders::apply_colliders`] | new and changed colliders |
//! | [`tiles::apply_grids`] | new and changed tile grids |
//! | [`fields::apply_fields`] | new, changed and moved fields |
//! | [`joints::apply_joints`] | new and changed joints |
//! | [`motion::apply_motion`] | velocities, forces, targets |
//! | [`step::step`] | the step |
//! | [`characters::move_characters`] | characters, with their bodies |
//! | [`show::show_moved`], [`show::show_nested`] | Transforms, velocities, sleep |
//! | [`report::report`] | messages and events |
//!
//! Between two steps [`show::draw`] writes interpolated poses, and [`show::show_true`] restores the true ones before
//! the next systems of the fixed schedules read them.

pub(crate) mod bodies;
pub(crate) mod characters;
pub(crate) mod colliders;
pub(crate) mod cuts;
pub(crate) mod fields;
pub(crate) mod follow;
pub(crate) mod hierarchy;
pub(crate) mod joints;
pub(crate) mod motion;
pub(crate) mod removed;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod show;
pub(crate) mod step;
pub(crate) mod tiles;
