//! [`Space`]: the boxes of all entities. The stage `space` of a step updates it from the entities that moved.
//!
//! | file | contents |
//! | --- | --- |
//! | `trees.rs` | the trees, area queries |
//! | `track.rs` | their updates; the calls for areas |
//! | `camera.rs` | [`Camera`]: what is visible |
//! | `interest.rs` | [`Interest`]: which entities entered and left the areas of observers |
//! | `free.rs` | [`FreeSpace`]: a quadtree of the area where an agent fits between walls |
//! | `cover.rs` | the boxes by which a shape stands in it |
//! | `walls.rs` | the walls of entities in it |
//! | `rectangles.rs` | its free leaves joined to rectangles, tile by tile |
//! | `search.rs` | the shortest path through them |
//! | `path.rs` | the calls for paths |
//! | `agents.rs` | the stage `agents`: agents walk to their goals |
//!
//! All of it is derived from the entities and their bodies, so nothing of it is saved: a restored world builds it
//! again, with the same results.

mod agents;
mod camera;
mod cover;
mod free;
mod interest;
mod path;
mod rectangles;
mod search;
mod track;
mod trees;
mod walls;

pub use camera::Camera;
#[cfg(feature = "script")]
pub(super) use free::FREE_SPACES_MAX;
pub use free::{FreeCell, FreeSpace};
pub use interest::{Interest, InterestError, ObserverId};
pub use trees::Space;
