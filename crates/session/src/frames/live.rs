//! [`LiveFrames`]: the frames of a recording for one page that watches a live world. Each has the changes since the
//! last frame sent to this page, however many steps that is: a slow page skips frames and misses no change.

use serde::Serialize;
use tombolo::World;
use tombolo::physics::{PhysicsWorld, Stage};
use tombolo::scene::graph::NodeGraph;

use super::cells::CellsEntry;
use super::frame_writer::{FrameWriter, Layers};
use super::manifest::{Manifest, NewEntries, microseconds};
use crate::failure::Failure;
use crate::field_marks::FieldMarks;

/// The excess of bodies, joints and agents in past frames over twice those that exist at which the reader should begin
/// anew.
const TRACKS_MORE: usize = 2_000;

/// Writes the frames for one page.
#[derive(Debug)]
pub(crate) struct LiveFrames {
    writer: FrameWriter,
    fields: Vec<FieldMarks>,
    /// The frame being written.
    frame: Vec<u8>,
}

/// A frame, and what the page needs to read it.
#[derive(Debug, Serialize)]
pub(crate) struct LiveFrame<'f> {
    /// Shapes, bodies, joints, agents and tile grids that the page does not have yet.
    #[serde(flatten)]
    new_entries: NewEntries,
    /// The fields and zones of the world, if they have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'f [FieldMarks]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<&'f CellsEntry>,
    /// The time of each stage of the last step, in microseconds.
    stage_us: [u32; Stage::ALL.len()],
    #[serde(skip)]
    pub(crate) bytes: &'f [u8],
}

impl LiveFrames {
    /// A writer for a page that has nothing yet.
    pub(crate) fn new<'g>(
        scene: &str,
        step_s: f32,
        graphs: impl Iterator<Item = (&'g str, &'g NodeGraph)>,
    ) -> Self {
        let mut manifest = Manifest::new(scene, step_s);
        manifest.record_graphs(graphs);
        Self {
            writer: FrameWriter::new(manifest),
            fields: Vec::new(),
            frame: Vec::new(),
        }
    }

    /// The manifest that the page needs before the first frame.
    ///
    /// # Errors
    /// None is known: it is written to memory.
    pub(crate) fn manifest(&self) -> Result<serde_json::Value, Failure> {
        Ok(serde_json::to_value(&self.writer.manifest)?)
    }

    /// Writes the next frame; of a world that stands with the velocities of its bodies, which no motion tells. Costs
    /// time in the number of all bodies, and of what the layers show.
    pub(crate) fn write(&mut self, world: &World, layers: Layers, stands: bool) -> LiveFrame<'_> {
        let physics = world.physics();
        self.frame.clear();
        self.writer.write(physics, Some(world), layers, &mut self.frame);
        if stands {
            self.writer.write_velocities(physics, &mut self.frame);
        }
        let fields = marks(physics, world);
        let has_changed = fields != self.fields;
        self.fields = fields;
        let profile = physics.profile();
        LiveFrame {
            new_entries: self.writer.manifest.take_new_entries(),
            fields: has_changed.then_some(&self.fields),
            cells: self.writer.manifest.cells(),
            stage_us: Stage::ALL.map(|stage| microseconds(profile.seconds(stage))),
            bytes: &self.frame,
        }
    }

    /// Whether the page keeps so many bodies, joints and agents that are gone that it should begin anew.
    pub(crate) fn has_many_gone(&self) -> bool {
        let [all, there] = self.writer.counts();
        all > 2 * there + TRACKS_MORE
    }
}

/// The fields and zones of a world, as they are drawn.
fn marks(physics: &PhysicsWorld, world: &World) -> Vec<FieldMarks> {
    let all = FieldMarks::all(physics, Some(world)).into_iter();
    all.map(|(_, marks)| marks).collect()
}
