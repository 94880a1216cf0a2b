//! [`PhysicsWorld`]: creation, stepping, saving and counters of a world. The calls about bodies, shapes, joints and the
//! other kinds of objects have a file each.

mod bodies;
pub(crate) mod body_events;
mod callbacks;
pub(crate) mod composites;
pub(crate) mod concave_polygons;
mod cutting;
mod fields;
mod joints;
pub(crate) mod query;
mod recording;
mod rules;
mod settings;
mod shapes;
#[cfg(feature = "recording")]
mod start_recording;
pub(crate) mod tile_grids;
pub(crate) mod views;
mod watch;
mod watched;

use crate::body::BodyKind;
use crate::callback::Callbacks;
use crate::constants::{BATCH_BODIES_MAX, STEP_MAX_S, STEP_MIN_S};
use crate::described::Bytes;
use crate::events::Events;
use crate::persistent::{ArrayReport, Image, RestoreError};
use crate::profile::{Counters, Profile};
use crate::recording::{Call, Log};
use crate::settings::{Capacity, WorldDef};
use crate::solver::lanes::LaneWidth;
use crate::state::{State, is_bookkeeping};
use crate::step::{Scratch, StepWorld};
use crate::{IslandAlgorithm, PhysicsError};
use alloc::vec::Vec;
use tombolo_threads::{Executor, Inline};
pub(crate) use watched::DestroyedShapes;
use watched::Watched;

/// The hash of a state that was that of `image` when its marking of changes began.
fn hash_of(state: &State, image: Option<&Image>) -> u64 {
    crate::persistent::hash(image, is_bookkeeping, |visitor| state.arrays(visitor))
}

fn save_of(state: &State) -> Vec<u8> {
    crate::persistent::save(|visitor| state.arrays(visitor))
}

/// A world of rigid bodies: one owned value, without threads, pointers or globals.
///
/// The same calls give the same bits, whatever executor runs the steps. A clone is a fork: both have the same future
/// until their calls differ.
#[derive(Debug)]
pub struct PhysicsWorld {
    pub(crate) state: State,
    pub(crate) events: Events,
    pub(crate) profile: Profile,
    pub(crate) recycled_contacts: usize,
    /// The code of the callbacks, which is not saved; which kinds are used is in the state.
    pub(crate) callbacks: Callbacks,
    pub(crate) lanes: LaneWidth,
    pub(crate) batch_bodies_max: u32,
    is_profiling: bool,
    reports_boxes: bool,
    /// `None` while bodies are not watched.
    pub(crate) watched: Option<Watched>,
    pub(crate) destroyed_shapes: DestroyedShapes,
    /// Changes whenever the geometry of a shape that exists may have changed.
    pub(crate) geometry_version: u64,
    /// The state when marking of changes began; `None` while no frames are taken.
    pub(crate) image: Option<Image>,
    pub(crate) log: Log,
    pub(crate) scratch: Scratch,
}

impl Clone for PhysicsWorld {
    fn clone(&self) -> Self {
        let mut world = Self {
            state: self.state.clone(),
            events: self.events.clone(),
            profile: self.profile,
            recycled_contacts: self.recycled_contacts,
            callbacks: self.callbacks.clone(),
            lanes: self.lanes,
            batch_bodies_max: self.batch_bodies_max,
            is_profiling: self.is_profiling,
            reports_boxes: self.reports_boxes,
            watched: self.watched.clone(),
            destroyed_shapes: self.destroyed_shapes.clone(),
            geometry_version: self.geometry_version,
            image: self.image.clone(),
            log: self.log.clone(),
            scratch: Scratch {
                is_in_step: self.scratch.is_in_step,
                are_there_bullets: self.scratch.are_there_bullets,
                ..Scratch::default()
            },
        };
        world.mark_broken_step();
        world
    }
}

impl PhysicsWorld {
    /// An empty world.
    ///
    /// # Errors
    ///
    /// If a number of the definition is out of range.
    pub fn new(def: &WorldDef) -> Result<Self, PhysicsError> {
        def.validate()?;
        let mut world = Self::from_state(State::new(def));
        world.state.reserve(&def.capacity);
        world.scratch.reserve(&def.capacity);
        Ok(world)
    }

    fn from_state(state: State) -> Self {
        let mut scratch = Scratch::default();
        // Here and not in the first step, which may have little awake.
        scratch.look_for_bullets(&state);
        Self {
            state,
            events: Events::default(),
            profile: Profile::default(),
            recycled_contacts: 0,
            callbacks: Callbacks::default(),
            lanes: LaneWidth::widest(),
            batch_bodies_max: BATCH_BODIES_MAX,
            is_profiling: false,
            reports_boxes: false,
            watched: None,
            destroyed_shapes: DestroyedShapes::default(),
            geometry_version: 0,
            image: None,
            log: Log::default(),
            scratch,
        }
    }

    /// Advances the world by `dt` seconds on the calling thread. See [`PhysicsWorld::step_with`].
    ///
    /// # Errors
    ///
    /// If `dt` is neither 0 nor from a millionth of a second to one second.
    pub fn step(&mut self, dt: f32) -> Result<(), PhysicsError> {
        self.step_with(dt, &Inline)
    }

    /// Advances the world by `dt` seconds with the workers of `executor`. The result does not depend on them.
    ///
    /// A step of zero seconds moves nothing, but finds pairs and touches. Steps of one length, in substeps of one number,
    /// keep at rest what does not sleep: each substep begins with the impulses of the last one, which are too large after
    /// a longer one, so that stacks and what holds by friction creep where lengths change all the time, as in Box2D.
    /// Allocates only while counts (bodies, contacts
    /// and so on) exceed their earlier maxima.
    ///
    /// # Errors
    ///
    /// If `dt` is neither 0 nor from a millionth of a second to one second.
    ///
    /// # Panics
    ///
    /// If the executor panics; the step is finished first, on the calling thread if necessary, and the world is in the
    /// state after any step. (Without `std`, or if an allocation fails in a way that panics, the step is left half
    /// done: using the world is sound, but later calls may panic or return wrong results. [`PhysicsWorld::restore`]
    /// repairs it, and a clone from before is unaffected.) No code of a step panics by itself.
    pub fn step_with(&mut self, dt: f32, executor: &dyn Executor) -> Result<(), PhysicsError> {
        if dt != 0.0 && !(STEP_MIN_S..=STEP_MAX_S).contains(&dt) {
            let expected = "0, or a number of seconds from 0.000001 to 1";
            return Err(PhysicsError::InvalidNumber {
                what: "dt",
                got: dt,
                expected,
            });
        }
        self.log.report(|| Call::Step { dt });
        self.mark_broken_step();
        let world = StepWorld {
            state: &mut self.state,
            events: &mut self.events,
            profile: &mut self.profile,
            recycled_contacts: &mut self.recycled_contacts,
            callbacks: &self.callbacks,
            lanes: self.lanes,
            batch_bodies_max: self.batch_bodies_max,
            is_profiling: self.is_profiling,
            reports_boxes: self.reports_boxes,
        };
        crate::step::step(world, &mut self.scratch, dt, executor);
        self.destroyed_shapes.end_step(self.watched.is_some());
        let (state, image) = (&self.state, self.image.as_ref());
        let bodies = [state.awake_bodies.len(), state.bodies.len()];
        self.log
            .stepped(bodies, || hash_of(state, image), || save_of(state));
        Ok(())
    }

    /// The image of the last frame, where marks say what has changed since: in the middle of a step that was broken off
    /// they do not yet.
    fn known_image(&self) -> Option<&Image> {
        self.image.as_ref().filter(|_| !self.scratch.is_in_step)
    }

    /// Marks everything as changed if the last step was broken off, since stages mark what they change when they end.
    pub(crate) fn mark_broken_step(&mut self) {
        if self.scratch.is_in_step {
            self.state.marks(&mut |marks| marks.mark_all());
        }
    }

    /// The events of the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The durations of the stages of the last step; all zero unless enabled by [`PhysicsWorld::set_profiling`].
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Whether the stages of steps are timed.
    pub fn is_profiling(&self) -> bool {
        self.is_profiling
    }

    /// Sets whether the stages of later steps are timed: some forty readings of the clock a step, which is a tenth of
    /// the time of a world of one body. Off in a new world; the results of steps are the same.
    pub fn set_profiling(&mut self, profiling: bool) {
        self.is_profiling = profiling;
    }

    /// Sets whether later steps report the boxes of the bodies that they move ([`Events::moved_boxes`]). They have them at hand,
    /// and give them for a few nanoseconds a body. Off in a new world; the results of steps are the same.
    pub fn set_reports_boxes(&mut self, reports_boxes: bool) {
        self.reports_boxes = reports_boxes;
    }

    /// The number of tasks of each stage of the solver in the last step. Workers wait for each other after each stage,
    /// and at most as many of them are busy in one as it has tasks. Empty if nothing was solved, and in a clone before
    /// its first step.
    pub fn solver_tasks(&self) -> &[u32] {
        let tasks = self.scratch.solver.task_counts();
        &tasks[..tasks.len().min(self.profile.solver_stages as usize)]
    }

    /// The number of steps that the world has made.
    pub fn step_index(&self) -> u64 {
        self.state.step_index()
    }

    /// The lane width of the solver; the widest that the machine supports unless set by [`PhysicsWorld::set_lanes`].
    pub fn lanes(&self) -> LaneWidth {
        self.lanes
    }

    /// Sets the solver's lane width; the results stay the same.
    ///
    /// # Errors
    ///
    /// If the machine does not support it.
    pub fn set_lanes(&mut self, lanes: LaneWidth) -> Result<(), PhysicsError> {
        if !lanes.is_available() {
            let expected = "a lane width that this machine has";
            return Err(PhysicsError::InvalidNumber {
                what: "lanes",
                got: lanes.lanes() as f32,
                expected,
            });
        }
        self.lanes = lanes;
        Ok(())
    }

    /// The greatest number of bodies in a batch of the solver; [`BATCH_BODIES_MAX`] unless set by
    /// [`PhysicsWorld::set_batch_bodies_max`].
    pub fn batch_bodies_max(&self) -> u32 {
        self.batch_bodies_max
    }

    /// Sets the greatest number of bodies in a batch of the solver; the results stay the same.
    ///
    /// Islands of at most this many bodies are packed into batches, each of which one worker solves from beginning to
    /// end, if at least half of the awake bodies are in such islands. All others are solved by all workers together,
    /// which makes them wait for each other some hundred times a step. With 0 there are no batches; with [`u32::MAX`]
    /// there is one for each 1,024 awake islands.
    pub fn set_batch_bodies_max(&mut self, bodies: u32) {
        self.batch_bodies_max = bodies;
    }

    /// A number that changes whenever the geometry of a shape that exists may have changed: by
    /// [`ShapeMut::set_geometry`](crate::ShapeMut::set_geometry), a rigid weld that makes one body of two, or a restore.
    /// While it is the same, a drawing may keep the borders of the shapes that it knows by their ids. It is no part of
    /// the state.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let body = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
    /// let shape = world.create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 1.0)?)?;
    /// let known = world.geometry_version();
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.geometry_version(), known);
    /// let larger = Shape::new_box(2.0, 1.0)?;
    /// world.shape_mut(shape).unwrap().set_geometry(&larger)?;
    /// assert_ne!(world.geometry_version(), known);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn geometry_version(&self) -> u64 {
        self.geometry_version
    }

    /// Counts on from the [geometry version](PhysicsWorld::geometry_version) of `from`, as if this world had been restored
    /// from a save: for a world that replaces another.
    pub fn take_over_geometry_version(&mut self, from: &Self) {
        self.geometry_version = from.geometry_version + 1;
    }

    /// The number of bodies that the next step simulates.
    pub fn awake_body_count(&self) -> usize {
        self.state.awake_bodies.len()
    }

    /// The greatest numbers of bodies, shapes, joints and contacts that existed at once since the world was created,
    /// across saves and restores: a good [`WorldDef::capacity`] for the next similar world. (A slot retires after its
    /// 65,535 generations: it is not used again and stays counted.)
    pub fn greatest_counts(&self) -> Capacity {
        let state = &self.state;
        Capacity {
            bodies: state.bodies.slot_count() as u32,
            shapes: state.shapes.slot_count() as u32,
            joints: state.joints.slot_count() as u32,
            contacts: state.contacts.links.slot_count() as u32,
        }
    }

    /// The numbers of objects in the world. Costs the number of bodies.
    pub fn counters(&self) -> Counters {
        let state = &self.state;
        let asleep = |index: u32| {
            state.body_sims[index].kind() == BodyKind::Dynamic
                && state.body_sims[index].has(crate::body::flag::ENABLED)
                && !state.bodies.live(index).is_awake()
        };
        let colors = &state.graph.colors;
        Counters {
            bodies: state.bodies.len(),
            awake_bodies: state.awake_bodies.len(),
            sleeping_bodies: state.bodies.handles().filter(|id| asleep(id.index())).count(),
            shapes: state.shapes.len(),
            joints: state.joints.len(),
            members: state.members.len(),
            rigid_welds: state.rigid_welds.len(),
            contacts: state.contacts.contacts.len(),
            awake_contacts: state.contacts.awake_len(),
            constraints: state.graph.len(),
            overflow_constraints: colors[crate::contact::graph::OVERFLOW as usize].len(),
            colors: colors.iter().filter(|color| color.len() > 0).count(),
            islands: state.islands.islands().count(),
            recycled_contacts: self.recycled_contacts,
            bodies_max: state.bodies.slot_count(),
            shapes_max: state.shapes.slot_count(),
            joints_max: state.joints.slot_count(),
            contacts_max: state.contacts.links.slot_count(),
            state_bytes: self
                .memory()
                .iter()
                .map(|array| array.element_size * array.count)
                .sum(),
        }
    }

    /// A description of every persistent array: name, element size, count.
    #[must_use]
    pub fn memory(&self) -> Vec<ArrayReport> {
        let mut report = Vec::new();
        self.state.arrays(&mut |array| {
            let count = array.bytes.len() / array.element_size;
            report.push(ArrayReport {
                group: array.group,
                part: array.part,
                element_size: array.element_size,
                count,
            });
        });
        report
    }

    /// A hash of everything that the next steps depend on, the same on every machine. The bookkeeping of islands is
    /// left out: with sleeping off it differs between island algorithms while everything else is the same; and so are the
    /// names of bodies.
    ///
    /// Costs what has changed since the last [frame](PhysicsWorld::frame) that was taken or restored. Without one it reads
    /// the whole world.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        hash_of(&self.state, self.known_image())
    }

    /// A save of the whole world, with version, description and checksum: the same bytes on every machine, and readable
    /// by every later build. Events and profile are not part of it. For saves within one build, such as those of
    /// rollback, frames are faster: [`PhysicsWorld::frame`].
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        save_of(&self.state)
    }

    /// Replaces this world by a saved one. Ids issued before the save are valid again; ids issued after it are not.
    /// Events are empty until the next step, and a watch of changed bodies ends.
    ///
    /// # Errors
    ///
    /// If the bytes are not a save of this or an earlier version since 13, or damaged. The world is then unchanged.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let restored = Self::from_save(bytes)?;
        *self = Self {
            lanes: self.lanes,
            batch_bodies_max: self.batch_bodies_max,
            is_profiling: self.is_profiling,
            reports_boxes: self.reports_boxes,
            callbacks: core::mem::take(&mut self.callbacks),
            geometry_version: self.geometry_version + 1,
            image: self.image.take(),
            log: core::mem::take(&mut self.log),
            ..restored
        };
        self.log.report(|| Call::Restore {
            save: Bytes(bytes.to_vec()),
        });
        Ok(())
    }

    /// Creates a world from a save.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::restore`].
    pub fn from_save(bytes: &[u8]) -> Result<Self, RestoreError> {
        State::from_save(bytes).map(Self::from_state)
    }

    /// The algorithm that maintains the islands.
    pub fn island_algorithm(&self) -> IslandAlgorithm {
        self.state.islands.algorithm()
    }

    /// Checks the invariants of every structure: for tests and for finding bugs. Costs the whole world.
    ///
    /// # Panics
    ///
    /// If an invariant is violated, which is a bug of this crate.
    pub fn validate(&self) {
        self.state.validate();
    }
}
