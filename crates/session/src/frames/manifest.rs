//! The part of a recording that is written once: shapes, their bodies, joints, and a row of figures for each frame. It
//! becomes JSON that `pages/state.js` reads.

use std::collections::BTreeMap;
use std::mem;

use serde::Serialize;
use tombolo::World;
use tombolo::physics::{BodyKind, BodyRef, PhysicsWorld, Shape, Stage, Vec2};
use tombolo::scene::graph::NodeGraph;

use super::bodies::{Bodies, POSITION_PARTS, TURN_PARTS};
use super::boxes::{BOX_PARTS, solid_shapes};
use super::cells::CellsEntry;
use super::component_text::{ComponentText, components_of};
use super::contacts::{NORMAL_PARTS, POINT_PARTS};
use super::fields::Fields;
use super::graphs::GraphEntry;
use super::tiles::GridEntry;
use crate::joint_marks::{JointMarks, Tie};

/// The distance from its point to which a page draws a half-space, in meters.
const HALF_SPACE_REACH_M: f32 = 500.0;

/// Everything but the frames.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    pub(super) scene: String,
    version: &'static str,
    step_seconds: f32,
    /// The step after which the first frame is.
    pub(super) first_step: u64,
    /// The number of frames so far, recorded or not.
    frames_made: u32,
    /// What the page says when it is opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) remarks: Vec<String>,
    quanta: QuantaParts,
    /// The shape lists of bodies, each stored once: bodies with equal shapes share an entry.
    shapes: Vec<ShapeEntry>,
    bodies: Vec<BodyEntry>,
    joints: Vec<JointEntry>,
    agents: Vec<AgentEntry>,
    /// The tile grids of entities with names.
    grids: Vec<GridEntry>,
    /// The drawings of fields, with their first and last frames.
    fields: Fields,
    /// The free space that the frames have, if there ever was any.
    cells: Option<CellsEntry>,
    /// Components of entities in their state after the last step; equal ones are stored once.
    parts: Vec<ComponentText>,
    /// The scene's node graphs.
    graphs: Vec<GraphEntry>,
    stages: [&'static str; Stage::ALL.len()],
    figures: Figures,
    #[serde(skip)]
    shape_numbers: BTreeMap<Vec<u32>, u32>,
}

/// The number of quanta in a meter and in a turn.
#[derive(Debug, Serialize)]
struct QuantaParts {
    position: f32,
    turn: f32,
    point: f32,
    normal: f32,
    #[serde(rename = "box")]
    fat_box: f32,
}

/// A shape: the coordinates of its core as x, y, x, y and so on, and the radius around it.
#[derive(Debug, Serialize)]
struct ShapeEntry {
    radius: f32,
    core: Vec<f32>,
}

/// One body; its track is its place in the list.
#[derive(Debug, Serialize)]
struct BodyEntry {
    /// "static", "kinematic" or "dynamic".
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    mass: f32,
    /// The center of mass in the body's frame.
    center: [f32; 2],
    shapes: Vec<u32>,
    /// The components of its entity, by their places in the list.
    parts: Vec<u32>,
    /// The user keys of all entities in the body: a composite is several entities.
    #[serde(skip)]
    user_keys: Vec<u64>,
}

/// One joint or rigid weld: the tracks of its bodies, its anchor in the frame of each, and its drawing, as of the frame
/// in which it was first seen.
#[derive(Debug, Serialize)]
struct JointEntry {
    bodies: [u32; 2],
    anchors: [[f32; 2]; 2],
    #[serde(flatten)]
    marks: JointMarks,
}

/// One agent: the track of its body, if it has one.
#[derive(Debug, Serialize)]
struct AgentEntry {
    body: Option<u32>,
}

/// The figures of frames: one column for each figure, with a row for each recorded frame.
#[derive(Debug, Default, Serialize)]
struct Figures {
    step_us: Vec<u32>,
    islands: Vec<u32>,
    awake: Vec<u32>,
    /// The number of pairs of shapes that touch.
    contacts: Vec<u32>,
    /// The time of each stage, in microseconds.
    stage_us: Vec<[u32; Stage::ALL.len()]>,
}

/// The user keys of a body: its own, and those of a composite's other members.
fn user_keys(body: &BodyRef<'_>) -> Vec<u64> {
    let own = body.user_key();
    let mut keys: Vec<u64> = body.members().map(|member| member.user_key()).collect();
    keys.retain(|key| *key != own);
    keys.sort_unstable();
    keys.insert(0, own);
    keys
}

/// Seconds as whole microseconds, for people: no result depends on them.
pub(super) fn microseconds(seconds: f64) -> u32 {
    (1e6 * seconds).round() as u32
}

/// Entries that the reader does not have yet: those added since the last call.
#[derive(Debug, Serialize)]
pub(super) struct NewEntries {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<ShapeEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bodies: Vec<BodyEntry>,
    /// The entity of each of the bodies, by its handle's number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entities: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<JointEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agents: Vec<AgentEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grids: Vec<GridEntry>,
}

fn pair(v: Vec2) -> [f32; 2] {
    [v.x, v.y]
}

impl Manifest {
    pub(super) fn new(scene: &str, step_seconds: f32) -> Self {
        Self {
            scene: scene.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            step_seconds,
            first_step: 0,
            frames_made: 0,
            remarks: Vec::new(),
            quanta: QuantaParts {
                position: POSITION_PARTS,
                turn: TURN_PARTS,
                point: POINT_PARTS,
                normal: NORMAL_PARTS,
                fat_box: BOX_PARTS,
            },
            shapes: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            agents: Vec::new(),
            grids: Vec::new(),
            fields: Fields::default(),
            cells: None,
            parts: Vec::new(),
            graphs: Vec::new(),
            stages: Stage::ALL.map(Stage::name),
            figures: Figures::default(),
            shape_numbers: BTreeMap::new(),
        }
    }

    /// Counts a frame, whether or not it is recorded.
    pub(super) fn count_step(&mut self) {
        self.frames_made += 1;
    }

    /// Adds a body with the shapes that it has when it is first seen, except for sensors.
    pub(super) fn add_body(&mut self, body: &BodyRef<'_>, name: Option<&str>) {
        let shapes = solid_shapes(body).map(|shape| self.shape_number(shape.geometry()));
        let shapes = shapes.collect();
        let pose = body.pose();
        self.bodies.push(BodyEntry {
            kind: match body.kind() {
                BodyKind::Static => "static",
                BodyKind::Kinematic => "kinematic",
                BodyKind::Dynamic => "dynamic",
            },
            name: name.map(str::to_string),
            mass: body.mass(),
            center: pair(pose.inverse_transform_point(body.center_of_mass().to_vec2())),
            shapes,
            parts: Vec::new(),
            user_keys: user_keys(body),
        });
    }

    /// Records the components of every body's entity.
    pub(super) fn record_components(&mut self, world: &World) {
        let mut numbers: BTreeMap<ComponentText, u32> = BTreeMap::new();
        for body in &mut self.bodies {
            for part in body.user_keys.iter().flat_map(|key| components_of(world, *key)) {
                let next = self.parts.len() as u32;
                let number = *numbers.entry(part.clone()).or_insert(next);
                if number == next {
                    self.parts.push(part);
                }
                body.parts.push(number);
            }
        }
    }

    /// Records a scene's node graphs.
    pub(super) fn record_graphs<'g>(&mut self, graphs: impl Iterator<Item = (&'g str, &'g NodeGraph)>) {
        self.graphs = graphs.map(|(name, graph)| GraphEntry::new(name, graph)).collect();
    }

    /// Adds a joint. A joint whose bodies have no track is not drawn.
    pub(super) fn add_joint(&mut self, joint: &Tie<'_>, bodies: &Bodies) {
        self.joints.push(JointEntry {
            bodies: (joint.bodies()).map(|body| bodies.track(&body).unwrap_or(u32::MAX)),
            anchors: joint.anchors().map(pair),
            marks: JointMarks::of(joint),
        });
    }

    /// Adds an agent, with the track of its body.
    pub(super) fn add_agent(&mut self, body: Option<u32>) {
        self.agents.push(AgentEntry { body });
    }

    /// Adds a tile grid.
    pub(super) fn add_grid(&mut self, grid: GridEntry) {
        self.grids.push(grid);
    }

    /// Removes and returns the entries added since the last call.
    pub(super) fn take_new_entries(&mut self) -> NewEntries {
        let keys = self.bodies.iter().map(|body| body.user_keys[0].to_string());
        NewEntries {
            entities: keys.collect(),
            shapes: mem::take(&mut self.shapes),
            bodies: mem::take(&mut self.bodies),
            joints: mem::take(&mut self.joints),
            agents: mem::take(&mut self.agents),
            grids: mem::take(&mut self.grids),
        }
    }

    /// The free space that frames have, if there ever was any.
    pub(super) fn cells(&self) -> Option<&CellsEntry> {
        self.cells.as_ref()
    }

    /// Records the fields and zones of the next recorded frame.
    pub(super) fn record_fields(&mut self, physics: &PhysicsWorld, world: Option<&World>) {
        self.fields
            .record(physics, world, self.figures.step_us.len() as u32);
    }

    /// Records the free space of a frame, if there is any.
    pub(super) fn record_cells(&mut self, cells: Option<CellsEntry>) {
        self.cells = cells.or(self.cells.take());
    }

    /// Adds the figures of a recorded frame.
    pub(super) fn add_frame(&mut self, world: &PhysicsWorld, touching: u32) {
        let (counters, profile) = (world.counters(), world.profile());
        let figures = &mut self.figures;
        figures.step_us.push(microseconds(profile.step_s));
        figures.islands.push(counters.islands as u32);
        figures.awake.push(counters.awake_bodies as u32);
        figures.contacts.push(touching);
        let stages = Stage::ALL.map(|stage| microseconds(profile.seconds(stage)));
        figures.stage_us.push(stages);
    }

    fn shape_number(&mut self, geometry: &Shape) -> u32 {
        // A page draws bounded shapes only: of a half-space it draws a square beside the point that defines it.
        let middle = geometry.vertices()[0];
        let geometry = &geometry.near(middle, HALF_SPACE_REACH_M);
        let mut core = Vec::with_capacity(2 * geometry.vertices().len());
        geometry
            .vertices()
            .iter()
            .for_each(|&vertex| core.extend(pair(vertex)));
        let radius = geometry.radius();
        let bits = core.iter().chain([&radius]).map(|part| part.to_bits()).collect();
        let next = self.shape_numbers.len() as u32;
        let number = *self.shape_numbers.entry(bits).or_insert(next);
        if number == next {
            self.shapes.push(ShapeEntry { radius, core });
        }
        number
    }
}
