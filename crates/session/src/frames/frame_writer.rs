//! [`FrameWriter`]: writes the changes of a world since the frame before as bytes, and adds what is new to the
//! manifest.

use tombolo::World;
use tombolo::physics::{BodyRef, PhysicsWorld};

use super::agents::Agents;
use super::bodies::Bodies;
use super::boxes::Boxes;
use super::cells::Cells;
use super::colors::Colors;
use super::contacts::Contacts;
use super::joints::Joints;
use super::manifest::Manifest;
use super::tiles::Tiles;
use crate::joint_marks::Tie;

/// The parts of a frame beside bodies, joints, agents and tiles. Changes that were left out follow when a part is wanted
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers {
    pub(crate) contacts: bool,
    pub(crate) boxes: bool,
    pub(crate) cells: bool,
    pub(crate) colors: bool,
}

impl Layers {
    /// All parts.
    pub(crate) const ALL: Self = Self {
        contacts: true,
        boxes: true,
        cells: true,
        colors: true,
    };
}

/// Writes frames for one reader.
#[derive(Debug)]
pub(super) struct FrameWriter {
    pub(super) manifest: Manifest,
    bodies: Bodies,
    joints: Joints,
    contacts: Contacts,
    boxes: Boxes,
    cells: Cells,
    agents: Agents,
    colors: Colors,
    tiles: Tiles,
}

impl FrameWriter {
    /// A writer for a reader that has nothing yet.
    pub(super) fn new(manifest: Manifest) -> Self {
        Self {
            manifest,
            bodies: Bodies::default(),
            joints: Joints::default(),
            contacts: Contacts::default(),
            boxes: Boxes::default(),
            cells: Cells::default(),
            agents: Agents::default(),
            colors: Colors::default(),
            tiles: Tiles::default(),
        }
    }

    /// Adds a frame to `out`, and new bodies, joints, agents and grids to the manifest. Costs time in the number of all
    /// bodies, shapes, contacts and leaves of free space.
    pub(super) fn write(
        &mut self,
        physics: &PhysicsWorld,
        world: Option<&World>,
        layers: Layers,
        out: &mut Vec<u8>,
    ) {
        let (manifest, boxes) = (&mut self.manifest, &mut self.boxes);
        let add_body = &mut |body: &BodyRef<'_>| {
            let name = world.and_then(|world| world.name_of(world.entity_of(body.id())?));
            manifest.add_body(body, name);
            boxes.add_body(body);
        };
        self.bodies.record(physics, out, add_body);
        let bodies = &self.bodies;
        let add_joint = &mut |joint: &Tie<'_>| manifest.add_joint(joint, bodies);
        self.joints.record(physics, bodies, out, add_joint);
        if layers.contacts {
            self.contacts.record(physics, bodies, out);
        } else {
            Contacts::record_nothing(out);
        }
        if layers.boxes {
            boxes.record(physics, out);
        } else {
            Boxes::record_nothing(out);
        }
        manifest.record_cells(self.cells.record(world, layers.cells, out));
        let add_agent = &mut |body| manifest.add_agent(body);
        self.agents.record(world, bodies, out, add_agent);
        if layers.colors {
            self.colors.record(physics, &self.joints, out);
        } else {
            Colors::record_nothing(out);
        }
        self.tiles.record(world, out, &mut |grid| manifest.add_grid(grid));
    }

    /// Adds the velocities of awake bodies to `out`.
    pub(super) fn write_velocities(&self, physics: &PhysicsWorld, out: &mut Vec<u8>) {
        self.bodies.write_velocities(physics, out);
    }

    /// The number of pairs of shapes that touched in the last frame that had contacts.
    pub(super) fn touching_count(&self) -> u32 {
        self.contacts.touching_count()
    }

    /// The numbers of bodies, joints and agents that frames have had so far, and of those that are there.
    pub(super) fn counts(&self) -> [usize; 2] {
        let parts = [self.bodies.counts(), self.joints.counts(), self.agents.counts()];
        [0, 1].map(|count| parts.iter().map(|part| part[count]).sum())
    }
}
