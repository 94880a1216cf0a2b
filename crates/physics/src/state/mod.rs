//! Everything that the next step depends on: [`State`], a flat list of arrays of plain data.
//!
//! The list is written once, in `persistent_arrays!`: cloning, saving, restoring, hashing and the memory report are
//! loops over it. An array that is not on it cannot survive a save; the tests restore worlds in mid-motion and compare
//! their futures. Nothing outside this value may influence a step, except the settings of the machine that cannot
//! change a result (workers, lanes).

mod check;
mod check_awake;
mod check_composites;
mod check_lists;
mod check_numbers;
mod check_tiles;
pub(crate) mod edges;
#[cfg(test)]
mod forged;
#[cfg(test)]
mod forged_composites;
#[cfg(test)]
mod forged_numbers;
#[cfg(test)]
mod forged_tiles;
#[cfg(test)]
mod forger;
mod groups;
mod head;
mod lists;
mod migrations;

#[cfg(test)]
pub(crate) use forger::scaled;
pub(crate) use groups::is_bookkeeping;

use crate::body::{Body, BodyKind, BodyPose, BodySim, BodyState, NONE};
use crate::broad_phase::{BroadPhase, ProxyDef, ProxyFilter, TreeKind};
use crate::callback::PlainCallbacks;
use crate::composite::{MemberRecord, RigidWeldRecord};
use crate::concave_polygon::ConcavePolygonPool;
use crate::contact::graph::ConstraintGraph;
use crate::contact::pool::ContactPool;
use crate::control::{BodyControl, ExtraSubsteps};
use crate::events::{PlainCut, PlainOverlap, PlainTouch};
use crate::field::{FieldPoint, FieldRecord};
use crate::island::Islands;
use crate::joint::{Joint, JointSim};
use crate::name::NamedBody;
use crate::persistent::{PlainArray, PlainMap, persistent_arrays};
use crate::rule::PlainRule;
use crate::settings::{Capacity, Settings, WorldDef};
use crate::shape::{Material, ShapeLink, ShapeRecord, Watcher};
use crate::tile_grid::TileGridPool;
use head::WorldHead;
use tombolo_geometry::shape::Shape;
use tombolo_handles::TypeTag;

persistent_arrays! {
    /// Everything that the next step depends on.
    #[derive(Clone, Debug)]
    pub(crate) struct State {
        /// The number of steps and the settings. One element.
        pub(crate) head: PlainArray<WorldHead>,
        /// Cold records of bodies.
        pub(crate) bodies: PlainMap<Body>,
        /// Poses of bodies, by body index.
        pub(crate) body_poses: PlainArray<BodyPose>,
        /// Data that a step reads and writes once per body, by body index.
        pub(crate) body_sims: PlainArray<BodySim>,
        /// Options that few bodies have, by body index, up to the last body that has some.
        pub(crate) body_controls: PlainArray<BodyControl>,
        /// Velocities, displacements and colors of bodies for the solver, by body index.
        pub(crate) body_states: PlainArray<BodyState>,
        /// Indices of the dynamic and kinematic bodies that are awake, in the order in which they woke.
        pub(crate) awake_bodies: PlainArray<u32>,
        /// Cold records of shapes.
        pub(crate) shapes: PlainMap<ShapeRecord>,
        /// Shapes' geometry, by shape index.
        pub(crate) shape_geometries: PlainArray<Shape>,
        /// Lists and boxes of shapes, by shape index.
        pub(crate) shape_links: PlainArray<ShapeLink>,
        /// Materials, by shape index.
        pub(crate) materials: PlainArray<Material>,
        /// Contact rules for two materials, sorted by them.
        pub(crate) rules: PlainArray<PlainRule>,
        /// Pairs of shapes that do not touch, the lower index first, sorted.
        pub(crate) ignored_pairs: PlainArray<[u32; 2]>,
        /// Concave polygons whose convex parts are shapes.
        pub(crate) concave_polygon_pool: ConcavePolygonPool,
        /// Proxies of shapes and the trees over them.
        pub(crate) broad_phase: BroadPhase,
        /// Contacts: pairs of shapes whose fat boxes overlap.
        pub(crate) contacts: ContactPool,
        /// Cold records of joints.
        pub(crate) joints: PlainMap<Joint>,
        /// Data of joints that a step reads and writes, by joint index.
        pub(crate) joint_sims: PlainArray<JointSim>,
        /// The colors of constraints, which decide what is solved in parallel.
        pub(crate) graph: ConstraintGraph,
        /// Islands: dynamic bodies that touch or are joined, directly or through others.
        pub(crate) islands: Islands,
        /// Ends of touch that calls between steps caused: reported with the next step's events.
        pub(crate) pending_ends: PlainArray<PlainTouch>,
        /// Cuts that calls between steps made: reported with the next step's events.
        pub(crate) pending_cuts: PlainArray<PlainCut>,
        /// Indices of bodies to which shapes were added or from which they were removed since the last step; the mass
        /// of some may have been computed since, or the body destroyed.
        pub(crate) stale_masses: PlainArray<u32>,
        /// Indices of the shapes that are sensors.
        pub(crate) sensors: PlainArray<u32>,
        /// Shapes that request more reports than touches and hits.
        pub(crate) watchers: PlainArray<Watcher>,
        /// Pairs of sensors and shapes that overlapped at the end of the last step, sorted.
        pub(crate) overlaps: PlainArray<PlainOverlap>,
        /// Bits of the ids of bodies that woke since the last step's events.
        pub(crate) pending_woken: PlainArray<u64>,
        /// Fields: areas in which bodies are pushed.
        pub(crate) fields: PlainMap<FieldRecord>,
        /// The points of the fields' chains, one field's after another's.
        pub(crate) field_points: PlainArray<FieldPoint>,
        /// Bits of the ids of bodies that calls put to sleep since the last step's events.
        pub(crate) pending_asleep: PlainArray<u64>,
        /// Tile grids, from which shapes are made.
        pub(crate) tile_grids: TileGridPool,
        /// Contact rules for two categories, stored like `rules` with the numbers of the categories' bits.
        pub(crate) category_rules: PlainArray<PlainRule>,
        /// The kinds of callbacks that the world uses; empty for none.
        pub(crate) callbacks: PlainArray<PlainCallbacks>,
        /// Members of composites.
        pub(crate) members: PlainMap<MemberRecord>,
        /// Rigid welds between members.
        pub(crate) rigid_welds: PlainMap<RigidWeldRecord>,
        /// First member of each composite, by body index, up to the last composite; meaningless for other bodies.
        pub(crate) body_members: PlainArray<u32>,
        /// The index of each shape's member plus one, by shape index up to the last shape that has one; 0 for none.
        pub(crate) shape_members: PlainArray<u32>,
        /// The bodies that request extra substeps, by index.
        pub(crate) extra_substeps: PlainArray<ExtraSubsteps>,
        /// The bodies that have names, by index.
        pub(crate) body_names: PlainArray<NamedBody>,
    }
}

/// Tags of the handles of one world, so that an id of one kind is never accepted as another.
const TAGS: [u16; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// The tree for shapes of a body of this kind.
fn tree_of(kind: BodyKind) -> TreeKind {
    match kind {
        BodyKind::Static => TreeKind::Static,
        BodyKind::Kinematic => TreeKind::Kinematic,
        BodyKind::Dynamic => TreeKind::Dynamic,
    }
}

impl State {
    /// A world without bodies.
    pub(crate) fn new(def: &WorldDef) -> Self {
        let tag = |kind: usize| TypeTag::new(TAGS[kind]).expect("a small tag");
        let mut head = PlainArray::default();
        head.push(WorldHead::new(def));
        let [
            bodies,
            shapes,
            joints,
            contacts,
            concave_polygons,
            fields,
            tile_grids,
            members,
            rigid_welds,
        ] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(tag);
        Self {
            head,
            bodies: PlainMap::with_tag(bodies),
            body_poses: PlainArray::default(),
            body_sims: PlainArray::default(),
            body_states: PlainArray::default(),
            body_controls: PlainArray::default(),
            awake_bodies: PlainArray::default(),
            shapes: PlainMap::with_tag(shapes),
            shape_geometries: PlainArray::default(),
            shape_links: PlainArray::default(),
            materials: PlainArray::default(),
            rules: PlainArray::default(),
            ignored_pairs: PlainArray::default(),
            concave_polygon_pool: ConcavePolygonPool::new(concave_polygons),
            broad_phase: BroadPhase::default(),
            contacts: ContactPool::new(PlainMap::with_tag(contacts)),
            joints: PlainMap::with_tag(joints),
            joint_sims: PlainArray::default(),
            graph: ConstraintGraph::default(),
            islands: Islands::new(def.islands),
            pending_ends: PlainArray::default(),
            pending_cuts: PlainArray::default(),
            stale_masses: PlainArray::default(),
            sensors: PlainArray::default(),
            watchers: PlainArray::default(),
            overlaps: PlainArray::default(),
            pending_woken: PlainArray::default(),
            fields: PlainMap::with_tag(fields),
            field_points: PlainArray::default(),
            pending_asleep: PlainArray::default(),
            tile_grids: TileGridPool::new(tile_grids),
            category_rules: PlainArray::default(),
            callbacks: PlainArray::default(),
            members: PlainMap::with_tag(members),
            rigid_welds: PlainMap::with_tag(rigid_welds),
            body_members: PlainArray::default(),
            shape_members: PlainArray::default(),
            extra_substeps: PlainArray::default(),
            body_names: PlainArray::default(),
        }
    }

    /// Reserves memory for this many objects.
    pub(crate) fn reserve(&mut self, capacity: &Capacity) {
        let &Capacity {
            bodies,
            shapes,
            joints,
            contacts,
        } = capacity;
        self.bodies.reserve_for(bodies);
        self.body_poses.reserve_for(bodies);
        self.body_sims.reserve_for(bodies);
        self.body_states.reserve_for(bodies);
        self.awake_bodies.reserve_for(bodies);
        self.stale_masses.reserve_for(bodies);
        self.shapes.reserve_for(shapes);
        self.shape_geometries.reserve_for(shapes);
        self.shape_links.reserve_for(shapes);
        self.materials.reserve_for(shapes);
        self.broad_phase.proxies.reserve_for(shapes);
        self.broad_phase.boxes.reserve_for(shapes);
        self.joints.reserve_for(joints);
        self.joint_sims.reserve_for(joints);
        self.contacts.links.reserve_for(contacts);
        self.contacts.contacts.reserve_for(contacts);
        self.contacts.cached_manifolds.reserve_for(contacts);
        self.islands.graph.nodes.reserve_for(bodies);
        // The edges of contacts and joints alternate.
        self.islands.graph.edges[0].reserve_for(2 * contacts.max(joints));
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.head[0u32].settings
    }

    pub(crate) fn settings_mut(&mut self) -> &mut Settings {
        &mut self.head[0u32].settings
    }

    /// The number of steps made.
    pub(crate) fn step_index(&self) -> u64 {
        self.head[0u32].step_index
    }

    /// Creates the proxy of a shape, unless it is a sensor.
    pub(crate) fn create_proxy(&mut self, shape: u32) {
        if self.shapes.live(shape).sensor != 0 {
            return;
        }
        let body = self.shape_links[shape].body;
        let tree = tree_of(self.body_sims[body].kind());
        let tight = self.shape_geometries[shape].aabb(self.body_poses[body].pose);
        let margin = if tree == TreeKind::Static {
            0.0
        } else {
            self.shape_links[shape].margin
        };
        let ShapeRecord {
            category,
            mask,
            group,
            ..
        } = *self.shapes.live(shape);
        let filter = ProxyFilter {
            categories: category,
            mask,
            group,
        };
        let def = ProxyDef {
            tree,
            body,
            shape,
            fat_box: tight.grown(self.box_reach(shape) + margin),
            filter,
        };
        self.shape_links[shape].proxy = self
            .broad_phase
            .create_proxy(def)
            .expect("shapes and poses are finite and in range");
    }

    /// Removes the proxy of a shape without contacts, if it has one.
    pub(crate) fn remove_proxy(&mut self, shape: u32) {
        let proxy = core::mem::replace(&mut self.shape_links[shape].proxy, NONE);
        if proxy != NONE {
            self.broad_phase.destroy_proxy(proxy);
        }
    }

    /// Requests that the next step finds the pairs of a body's shapes anew.
    pub(crate) fn request_pairs(&mut self, body: u32) {
        self.change_shapes_of(body, |state, shape| {
            let proxy = state.shape_links[shape].proxy;
            if proxy != NONE {
                state.broad_phase.touch(proxy);
            }
        });
    }
}
