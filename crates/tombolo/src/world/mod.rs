//! [`World`]: entities, the physics that moves their bodies, and what connects the two.
//!
//! | file | contents |
//! | --- | --- |
//! | `state.rs` | the parts of a world, and read access |
//! | `step.rs` | the list of stages |
//! | `spawn.rs`, `spawn_body.rs`, `planned.rs`, `spawners.rs` | spawning and destroying entities; what is refused beforehand |
//! | `properties.rs`, `text.rs` | reading and writing by name; properties as text |
//! | `physical/` | components and their bodies, shapes and joints |
//! | `command/`, `inbox/` | changes as plain data; those that other threads send |
//! | `events.rs`, `publish.rs` | the events of entities; the stage that publishes them |
//! | `poses.rs`, `followed.rs`, `followers.rs`, `following.rs`, `moved.rs`, `hierarchy.rs` | the poses of entities; what follows from moved bodies, and from calls in physics; parents and children |
//! | `space/`, `zones/` | queries, visibility, interest, paths, agents; which zones entities are in |
//! | `characters.rs`, `fields.rs`, `tiles.rs`, `rules.rs` | the systems of components of these kinds; contact rules |
//! | `through_physics.rs`, `capacity.rs` | changes by a program in physics itself; limits of entities and bodies |
//! | `cut.rs`, `segment_cuts.rs`, `segment_cut_list.rs` | cutting |
//! | `script/`, `unscripted.rs` | scripts; a build without them |
//! | `names.rs`, `random.rs`, `profile.rs` | names, random numbers, times of stages |
//! | `recording/` | recordings of worlds: every call that changes one |
//! | `actions.rs`, `action_table.rs` | named inputs of players |
//! | `callbacks.rs`, `callback_table.rs` | callbacks about pairs of shapes by name |
//! | `save.rs`, `restored.rs`, `frame.rs` | saving, restoring and hashing; the checks of a restored world; frames to rewind to |
//! | `asset_table.rs`, `assets.rs` | materials, outlines, scripts and scenes by name, and their reload |
//! | `build.rs` | creating a world from a scene |

mod action_table;
mod actions;
mod asset_table;
mod assets;
mod build;
mod callback_table;
mod callbacks;
mod capacity;
mod characters;
mod command;
mod cut;
mod events;
mod fields;
mod followed;
mod followers;
mod following;
mod frame;
mod hierarchy;
mod inbox;
mod moved;
mod names;
mod physical;
mod planned;
mod poses;
mod profile;
mod properties;
mod publish;
mod random;
mod recording;
mod restored;
mod rules;
mod save;
#[cfg_attr(not(feature = "script"), path = "unscripted.rs")]
mod script;
mod segment_cut_list;
mod segment_cuts;
mod space;
mod spawn;
mod spawn_body;
mod spawners;
mod state;
mod step;
mod text;
mod through_physics;
mod tiles;
mod zones;

pub use action_table::ACTION_VALUE_MAX;
pub use asset_table::{AssetKind, Assets, Material};
pub use command::{Command, EntityRef, Push, SpawnCommand};
pub use cut::EntityCut;
pub use events::{Event, Meeting, Strain, Touch, Visit, ZoneVisit};
pub use frame::WorldFrame;
pub use inbox::{INBOX_BYTES_MAX, INBOX_COMMANDS_MAX, InboxSender, SendError, SendFailure};
pub use profile::{WorldProfile, WorldStage};
pub use random::Random;
pub use recording::{
    ActionDifference, EntityDifference, RecordedAsset, RecordedDefinitions, RecordedScene, RecordedValue,
    Resources, Sent, WorldCall, WorldDifference,
};
pub use save::WorldRestoreError;
pub(crate) use script::Language;
#[cfg(feature = "script")]
pub use script::{GraphTrace, NodeTrace, ScriptError};
pub use space::{Camera, FreeCell, FreeSpace, Interest, InterestError, ObserverId, Space};
pub use spawn::SpawnDef;
pub use state::{FAULTS_MAX, World, WorldPlayer, WorldRecording};
pub use text::{ComponentView, Target};
