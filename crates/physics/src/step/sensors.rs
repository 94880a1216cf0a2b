//! The stage sensors: which shapes are in which sensor at the end of the step, and who came and who left.
//!
//! Sensors are in no tree and have no contacts. Each asks the trees anew, in parallel, and the pairs found are sorted;
//! what is in this step's list and not in the last one's began, what is only in the last one's ended. So every begin
//! has its end, whatever destroyed, disabled or moved one of the two meanwhile. A fast body counts as being where it was
//! at any time in the step: one that crosses a sensor within a step is in it for that step.

use super::Step;
use super::continuous::{BodySweep, SweptShape};
use crate::body::NONE;
use crate::events::{PlainOverlap, SensorEvent};
use crate::shape::ShapeId;
use crate::state::State;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::distance::{IMPACT_TARGET, ImpactState, Sweep, distance, time_of_impact};
use tombolo_geometry::{Aabb, Pose};
use tombolo_threads::parallel_for;

/// Sensors in one block of work: each is a search of some microseconds.
const SENSORS_PER_BLOCK: usize = 8;

/// A shape of a fast body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastVisitor {
    shape: u32,
    /// Place in the list of sweeps.
    sweep: u32,
    /// Where the shape was during the step.
    area: Aabb,
}

#[allow(unsafe_code)]
pub(crate) fn sensors(step: &mut Step<'_>) {
    let state = &step.world.state;
    if state.sensors.is_empty() && state.overlaps.is_empty() {
        return;
    }
    list_fast_visitors(step);
    let state = &step.world.state;
    let room = step.scratch.overlaps.capacity();
    for worker in step.scratch.workers().iter_mut() {
        worker.overlaps.clear();
        // Whoever takes which sensor, no list has to grow.
        worker.overlaps.reserve(room);
    }
    let (sweeps, visitors) = (&step.scratch.sweeps, &step.scratch.fast_visitors);
    let workers = step
        .scratch
        .workers
        .as_ref()
        .expect("made at the start of the step");
    parallel_for(
        step.executor,
        state.sensors.len(),
        SENSORS_PER_BLOCK,
        &|worker, range| {
            // SAFETY: each worker takes its own place only.
            let worker = unsafe { workers.get_mut(worker) };
            for &sensor in state.sensors.slice(range) {
                let mut found = |visitor| worker.overlaps.push(state.overlap(sensor, visitor));
                state.find_visitors(sensor, &mut found);
                state.find_fast_visitors(sensor, sweeps, visitors, &mut found);
            }
        },
    );
    sort_overlaps(step);
    report_changes(step);
}

/// Lists the shapes of fast bodies with the boxes that they were in.
fn list_fast_visitors(step: &mut Step<'_>) {
    let state = &step.world.state;
    let scratch = &mut *step.scratch;
    scratch.fast_visitors.clear();
    for (i, moving) in scratch.sweeps.iter().enumerate() {
        for shape in state
            .shapes_of(moving.body)
            .filter(|&shape| state.is_solid(shape))
        {
            scratch.fast_visitors.push(FastVisitor {
                shape,
                sweep: i as u32,
                area: SweptShape::new(&state.outlines[shape], &moving.sweep).area(),
            });
        }
    }
}

/// Puts what all workers found in order, each pair once.
fn sort_overlaps(step: &mut Step<'_>) {
    let mut all = core::mem::take(&mut step.scratch.overlaps);
    all.clear();
    for worker in step.scratch.workers().iter_mut() {
        all.extend_from_slice(&worker.overlaps);
    }
    all.sort_unstable_by_key(PlainOverlap::key);
    all.dedup();
    step.scratch.overlaps = all;
}

/// Compares the new list with the last step's, reports what differs, and keeps the new one.
fn report_changes(step: &mut Step<'_>) {
    let (state, events) = (&mut step.world.state, &mut step.world.events);
    let new = &step.scratch.overlaps;
    let has = |list: &[PlainOverlap], overlap: &PlainOverlap| {
        list.binary_search_by_key(&overlap.key(), PlainOverlap::key)
            .is_ok()
    };
    let old = &state.overlaps;
    let began = new.iter().filter(|overlap| !has(old, overlap));
    events
        .sensor_begin
        .extend(began.filter_map(|overlap| overlap.event()));
    let ended = old.iter().filter(|overlap| !has(new, overlap));
    events
        .sensor_end
        .extend(ended.filter_map(|overlap| overlap.event()));
    state.overlaps.clear();
    for &overlap in new {
        state.overlaps.push(overlap);
    }
}

impl State {
    /// Whether a shape is one that others touch: no sensor, and its body takes part.
    pub(crate) fn is_solid(&self, shape: u32) -> bool {
        self.shape_links[shape].proxy != NONE
    }

    fn overlap(&self, sensor: u32, visitor: u32) -> PlainOverlap {
        let id = |shape| -> ShapeId { self.shapes.handle_of_slot(shape).expect("both live") };
        SensorEvent {
            sensor: id(sensor),
            visitor: id(visitor),
        }
        .into()
    }

    /// Whether a sensor sees a shape: of another enabled body, and the filters let it.
    fn sees(&self, sensor: u32, visitor: u32) -> bool {
        let record = self.shape_record(sensor);
        self.shape_links[sensor].body != self.shape_links[visitor].body
            && record.filter().allows(self.shape_record(visitor).filter())
    }

    /// Calls `found` for the shapes that overlap a sensor now.
    fn find_visitors(&self, sensor: u32, found: &mut impl FnMut(u32)) {
        let Some(pose) = self.sensing_pose(sensor) else {
            return;
        };
        let (outline, filter) = (&self.outlines[sensor], self.shape_record(sensor).filter());
        // A common group above zero overrides the mask.
        let categories = if filter.group > 0 { u64::MAX } else { filter.mask };
        self.broad_phase
            .query_box(outline.aabb(pose), categories, |visitor| {
                let place = self.body_poses[self.shape_links[visitor].body].pose;
                if self.sees(sensor, visitor)
                    && distance(outline, &self.outlines[visitor], pose.to(place)).distance <= 0.0
                {
                    found(visitor);
                }
                Visit::Continue
            });
    }

    /// Calls `found` for the shapes of fast bodies that overlapped a sensor at any time in the step.
    fn find_fast_visitors(
        &self,
        sensor: u32,
        sweeps: &[BodySweep],
        visitors: &[FastVisitor],
        found: &mut impl FnMut(u32),
    ) {
        let Some(pose) = self.sensing_pose(sensor) else {
            return;
        };
        let area = self.outlines[sensor].aabb(pose);
        let still = Sweep {
            c0: pose.position,
            c1: pose.position,
            q0: pose.rotation,
            q1: pose.rotation,
            ..Sweep::default()
        };
        for visitor in visitors.iter().filter(|visitor| visitor.area.overlaps(area)) {
            let BodySweep { fraction, sweep, .. } = sweeps[visitor.sweep as usize];
            let outline = &self.outlines[visitor.shape];
            // What the search takes for an impact is still a little apart; that much smaller, it overlaps.
            let inner = outline.shrunk((2.0 * IMPACT_TARGET).min(0.5 * outline.min_extent()));
            let met = || time_of_impact(&self.outlines[sensor], &still, &inner, &sweep, fraction);
            if self.sees(sensor, visitor.shape) && met().state != ImpactState::Separated {
                found(visitor.shape);
            }
        }
    }

    /// Where a sensor is; `None` while its body is disabled.
    fn sensing_pose(&self, sensor: u32) -> Option<Pose> {
        let body = self.shape_links[sensor].body;
        let enabled = self.body_sims[body].has(crate::body::flag::ENABLED);
        enabled.then_some(self.body_poses[body].pose)
    }
}
