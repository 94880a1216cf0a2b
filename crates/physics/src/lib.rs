//! Deterministic, multicore 2D rigid-body physics with persistent islands.
//!
//! Priorities, in this order: the same bits for the same calls, whatever the number of workers, the lane width or the
//! machine; no panic in a step, whatever the input; speed; memory; small code.
//!
//! A world is one owned value: it can be cloned, sent, saved and restored, and two worlds share no state.
//!
//! ```
//! use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
//!
//! let mut world = PhysicsWorld::new(&WorldDef::default())?;
//! let ground = world.create_body(&BodyDef::fixed(0.0, -1.0))?;
//! world.create_shape(ground, &ShapeDef::default(), &Shape::new_box(40.0, 2.0)?)?;
//! let crate_ = world.create_body(&BodyDef::dynamic(0.0, 4.0))?;
//! world.create_shape(crate_, &ShapeDef::default(), &Shape::new_box(2.0, 2.0)?)?;
//! for _ in 0..90 {
//!     world.step(1.0 / 60.0)?;
//! }
//! let place = world.body(crate_).expect("it was not destroyed").position();
//! assert!((place.y - 1.0).abs() < 0.01);
//! # Ok::<(), tombolo_physics::PhysicsError>(())
//! ```
//!
//! Where to start reading: `step/mod.rs` is the step on one screen; `awake.rs` wakes bodies and puts them to sleep;
//! `state/mod.rs` lists everything that the next step depends on.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod awake;
mod body;
pub mod broad_phase;
mod callback;
mod character;
mod coloring;
mod composite;
mod concave_polygon;
pub mod constants;
mod contact;
mod control;
mod cut;
#[doc(hidden)]
pub mod described;
mod draw;
mod error;
mod events;
mod field;
mod heightfield;
pub mod island;
mod joint;
mod link;
mod name;
mod objects;
mod persistent;
mod prefetch;
mod profile;
#[doc(hidden)]
pub mod recording;
mod replay;
mod rewind;
mod rule;
mod settings;
mod shape;
mod solver;
mod state;
mod step;
mod tile_grid;
mod world;
mod zeros;

pub use body::{Body, BodyDef, BodyId, BodyKind};
pub use callback::{
    CallbackKinds, CustomFilter, PairPoint, PairSide, PairTouch, PairView, PreSolve, Response,
};
pub use character::{
    CHARACTER_CRUSH_M, CHARACTER_GAP_M, Character, CharacterDef, CharacterInput, CharacterScratch,
    CharacterTouch, MovePlane, Support, solve_planes,
};
pub use composite::{MemberId, MemberRecord, RigidWeldDef, RigidWeldId, RigidWeldRecord};
pub use concave_polygon::{ConcavePolygonId, ConcavePolygonRecord};
pub use contact::graph::GRAPH_COLORS;
pub use contact::{ContactId, ContactLinks};
pub use cut::{Cut, CutPolygon, Shatter};
pub use described::Bytes;
pub use draw::{
    CoordinateMarks, DebugDraw, DrawColor, DrawOptions, DrawPalette, JointDirection, JointMarks, JointPoint,
    JointSymbol,
};
pub use error::PhysicsError;
pub use events::{
    CutEvent, Events, ForceEvent, FrozenEvent, HeldEvent, HitEvent, JointEvent, MoveEvent, RigidWeldEvent,
    TouchEvent, VanishEvent, VisitEvent,
};
pub use field::{ExplosionDef, FieldDef, FieldId, FieldKind, FieldRecord};
pub use glam::DVec2;
pub use heightfield::HeightfieldDef;
pub use island::IslandAlgorithm;
pub use joint::{
    DistanceDef, FilterDef, GearDef, GenericDef, Joint, JointCoordinate, JointDef, JointId, JointKind,
    JointLimit, JointMotor, JointParts, JointSpring, JointStiffness, JointThresholds, MotorDef, MoverDef,
    PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef, WeldDef, WheelDef,
};
pub use name::{BODY_NAME_BYTES_MAX, BodyName};
pub use persistent::{ArrayReport, RestoreError};
pub use profile::{Counters, Profile, Stage};
pub use recording::{Call, RecordOptions};
pub use replay::{
    Difference, Player, PlayerOf, PropertyDifference, Recordable, Recording, RecordingError, RecordingOf,
};
pub use rewind::{Frame, FrameId, Rewind, RewindError, RewindLimits, Rewindable};
pub use rule::{ANY_CATEGORY, ContactRule};
pub use settings::{Capacity, Debris, DebrisFate, WorldDef};
pub use shape::{ANY_MATERIAL, ChainDef, CombineRule, Filter, ShapeDef, ShapeId, ShapeRecord};
pub use solver::lanes::LaneWidth;
pub use tile_grid::{Tile, TileBlock, TileCut, TileGridDef, TileGridId, TileGridRecord, TileShape};
pub use tombolo_geometry::shape::{MassProperties, Shape, ShapeError, ShapeKind};
pub use tombolo_geometry::split::{ConcavePolygon, ConcavePolygonError};
pub use tombolo_geometry::{Aabb, Pose, Position, Rot, Vec2};
pub use tombolo_handles::BitSet;
pub use world::PhysicsWorld;
pub use world::body_events::{BodyEvent, EventsByBody};
pub use world::composites::{MemberRef, RigidWeldRef};
pub use world::concave_polygons::ConcavePolygonRef;
pub use world::query::{
    CastQuery, Closest, Motion, OverlapQuery, Overlaps, QueryFilter, RayHit, RayQuery, ShapeHit, Touch,
    TouchPoint,
};
pub use world::tile_grids::TileGridRef;
pub use world::views::{BodyMut, BodyRef, ContactRef, JointMut, JointRef, ShapeMut, ShapeRef};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
