//! The recording of a run, from which the replay page is made.
//!
//! [`Recorder`] reads the world before the first step and after each one and writes a frame (`frame_writer.rs`):
//! `bodies.rs`, `joints.rs`, `contacts.rs`, `boxes.rs`, `cells.rs`, `agents.rs`, `colors.rs` and `tiles.rs` each write their
//! part, with the numbers of `bytes.rs` and the tracks of `track_table.rs`. What does not change from frame to frame (shapes, names,
//! masses, step times) goes to `manifest.rs`; [`Recording`] has both. [`LiveFrames`] (`live.rs`) writes the same frames
//! for a page that watches a world live. Nothing here changes the world or holds a reference into it.
//!
//! A frame is, in this order: bodies (the number of new ones, their poses; those removed; changed statuses; the motion
//! of those awake, x of all, y of all, angle of all; those moved while asleep), joints (the number of new ones, those
//! removed; changed strains; anchors moved on their bodies; numbers of symbols that changed), contacts (the changed ones), boxes of the broad phase (the
//! changed ones), leaves of free space (those removed, those added), agents (the number of new ones, those removed;
//! changed paths), colors of contacts and joints (the changed ones), tile grids (the number of new ones, those removed; changed
//! cells of each kind of tile). A frame of a live world that stands ends with the velocities of awake bodies. All frames of a recording together are one DEFLATE stream. The
//! page's `state.js` reads a frame.

mod agents;
mod bodies;
mod boxes;
mod bytes;
mod cells;
mod colors;
mod component_text;
mod contacts;
mod fields;
mod frame_writer;
mod graphs;
mod joints;
mod live;
mod manifest;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_changes;
#[cfg(test)]
mod tests_of_tiles;
mod tiles;
mod track_table;

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use tombolo::World;
use tombolo::physics::PhysicsWorld;
use tombolo::scene::graph::NodeGraph;

use crate::failure::Failure;
use frame_writer::FrameWriter;
pub(crate) use frame_writer::Layers;
pub(crate) use graphs::GraphEntry;
pub(crate) use live::{LiveFrame, LiveFrames};
use manifest::Manifest;

/// Recording stops when the frames take more bytes than this before compression: a browser unpacks that much with ease,
/// perhaps not ten times as much. The page then says at which frame the recording ends.
const FRAMES_BYTES_MAX: u64 = 192 << 20;

/// Records a run, frame by frame.
#[derive(Debug)]
pub struct Recorder {
    writer: FrameWriter,
    frames: DeflateEncoder<Vec<u8>>,
    /// The frame being written.
    frame: Vec<u8>,
    frames_bytes_max: u64,
}

impl Recorder {
    /// Starts a recording with the physics before the first step, of steps of `step_s` seconds. Costs as much as
    /// [`Recorder::record`].
    ///
    /// # Errors
    /// In the same cases as [`Recorder::record`].
    pub fn new(
        scene: &str,
        step_s: f32,
        physics: &PhysicsWorld,
        world: Option<&World>,
    ) -> Result<Self, Failure> {
        let mut recorder = Self {
            writer: FrameWriter::new(Manifest::new(scene, step_s)),
            frames: DeflateEncoder::new(Vec::new(), Compression::default()),
            frame: Vec::new(),
            frames_bytes_max: FRAMES_BYTES_MAX,
        };
        recorder.record(physics, world)?;
        Ok(recorder)
    }

    /// Records the physics after a step, and the names and agents of the world that it is part of, if any. Costs time
    /// in the number of all bodies, shapes, contacts and leaves of free space, outside of the step's measured time;
    /// memory in the number of changes.
    ///
    /// # Errors
    /// None is known: the encoder writes to memory.
    pub fn record(&mut self, physics: &PhysicsWorld, world: Option<&World>) -> Result<(), Failure> {
        self.writer.manifest.count_step();
        if self.frames.total_in() > self.frames_bytes_max {
            return Ok(());
        }
        self.frame.clear();
        self.writer.manifest.record_fields(physics, world);
        self.writer.write(physics, world, Layers::ALL, &mut self.frame);
        let touching = self.writer.touching_count();
        self.writer.manifest.add_frame(physics, touching);
        self.frames.write_all(&self.frame)?;
        Ok(())
    }

    /// Numbers the frames from a step on: the first frame is the state after it. They are numbered from 0 otherwise.
    pub fn begin_at(&mut self, step: u64) {
        self.writer.manifest.first_step = step;
    }

    /// Adds a sentence that the page shows when it is opened.
    pub fn remark(&mut self, sentence: &str) {
        self.writer.manifest.remarks.push(sentence.to_string());
    }

    /// Records the components of the entities of all bodies that were recorded and are left: once, at the end.
    pub fn record_components(&mut self, world: &World) {
        self.writer.manifest.record_components(world);
    }

    /// Records a scene's node graphs.
    pub fn record_graphs<'g>(&mut self, graphs: impl Iterator<Item = (&'g str, &'g NodeGraph)>) {
        self.writer.manifest.record_graphs(graphs);
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// In the same cases as [`Recorder::record`].
    pub fn into_recording(self) -> Result<Recording, Failure> {
        Ok(Recording {
            manifest: serde_json::to_vec(&self.writer.manifest)?,
            scene: self.writer.manifest.scene,
            frames: self.frames.finish()?,
        })
    }
}

/// A recorded run in the form that the replay page reads.
#[derive(Debug)]
pub struct Recording {
    /// The scene's name.
    pub scene: String,
    /// The manifest, which does not change from frame to frame, as JSON.
    pub manifest: Vec<u8>,
    /// All frames as one DEFLATE stream.
    pub frames: Vec<u8>,
}
