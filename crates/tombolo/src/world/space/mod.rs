//! [`Space`]: the boxes of all entities. The stage `space` of a step updates it from the entities that moved.
//!
//! | file | contents |
//! | --- | --- |
//! | `trees.rs` | the trees, area queries |
//! | `track.rs` | the stage `space`; the calls for areas |
//! | `boxes.rs` | the box of an entity |
//! | `keep.rs` | the boxes of entities that keep their places, updated by all workers |
//! | `camera.rs` | [`Camera`]: what is visible |
//! | `interest.rs` | [`Interest`]: which entities entered and left the areas of observers |
//! | `free.rs` | [`FreeSpace`]: the cells where an agent fits between walls |
//! | `cover.rs` | the cells that a shape covers |
//! | `walls.rs` | the walls of entities |
//! | `effort.rs` | what scripts pay for adding them |
//! | `rectangles.rs` | free cells joined to rectangles, tile by tile |
//! | `draw.rs` | the drawing of free space and paths |
//! | `leaves.rs` | [`FreeCell`]: the leaves of a quadtree over the cells, for drawing |
//! | `clear.rs` | whether a segment stays in free cells |
//! | `search.rs` | the shortest path through the rectangles |
//! | `path.rs` | the calls for paths |
//! | `agents.rs` | the stage `agents`: agents walk to their goals |
//!
//! All of it is derived from the entities and their bodies, so nothing of it is saved: a restored world builds it
//! again, with the same results.

mod agents;
mod boxes;
mod camera;
mod clear;
mod cover;
mod draw;
#[cfg(feature = "script")]
mod effort;
mod free;
mod interest;
mod keep;
mod leaves;
mod path;
mod rectangles;
mod search;
mod track;
mod trees;
mod walls;

pub use camera::Camera;
#[cfg(feature = "script")]
pub(super) use free::FREE_SPACES_MAX;
pub use free::FreeSpace;
pub use interest::{Interest, InterestError, ObserverId};
pub(super) use keep::{Keeper, LeftBlock};
pub use leaves::FreeCell;
#[cfg(feature = "script")]
pub(super) use search::SearchWork;
pub use trees::Space;
pub(super) use trees::SpaceImage;
