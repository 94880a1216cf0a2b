//! The errors of reading a scene, of changing a world and of finding a path.

mod path;
mod scene;
mod world;

pub(crate) use path::CLEARANCE_MAX;
pub use path::PathError;
pub use scene::{SceneError, Subject};
pub use world::WorldError;
