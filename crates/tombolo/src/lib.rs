//! Tombolo: a deterministic, multicore world engine for 2D games.
//!
//! Priorities, in this order: the same bits for the same scene, whatever the threads and the machine; errors that
//! name the place, the fault and the remedy; a small public surface; speed.
//!
//! A [`Scene`] is a world's text, read and checked; a [`World`] is the running state: entities with components, and
//! physics. `scene/` reads the text and describes its format; `component/` has the kinds of components; `world/`
//! builds a world and steps it; [`Stepper`] turns real time into steps. Physics is [`tombolo_physics`], shared as
//! [`physics`].
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod component;
mod error;
mod reading;
pub mod scene;
mod stepper;
mod world;

pub use error::{PathError, SceneError, Subject, WorldError};
pub use scene::{
    ACTION_NAME_BYTES_MAX, ACTIONS_MAX, CALLBACK_NAME_BYTES_MAX, CallbackNames, Kinds, Scene, SceneAction,
    SceneRule, ScriptLimits, SegmentCut, Settings,
};
pub use stepper::{SPEED_MAX, Stepper};
pub use tombolo_entity as entity;
pub use tombolo_geometry as geometry;
pub use tombolo_physics as physics;
pub use tombolo_threads as threads;
pub use world::{
    ACTION_VALUE_MAX, ActionDifference, AssetKind, Assets, Camera, Command, ComponentView, EntityCut,
    EntityDifference, EntityRef, Event, FAULTS_MAX, FreeCell, FreeSpace, INBOX_BYTES_MAX, INBOX_COMMANDS_MAX,
    InboxSender, Interest, InterestError, Material, Meeting, ObserverId, Push, Random, RecordedAsset,
    RecordedDefinitions, RecordedScene, RecordedValue, Resources, SendError, SendFailure, Sent, Space,
    SpawnCommand, SpawnDef, Strain, Target, Touch, Visit, World, WorldCall, WorldDifference, WorldFrame,
    WorldPlayer, WorldProfile, WorldRecording, WorldRestoreError, WorldStage, ZoneVisit,
};
#[cfg(feature = "script")]
pub use world::{GraphTrace, NodeTrace, ScriptError};

/// The README's examples are compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
