//! The stage sensors: finds the shapes that overlap each sensor at the end of the step, and those that entered and
//! left.
//!
//! Sensors are in no tree and have no contacts. Each queries the trees in each step, in parallel, and the pairs found
//! are sorted; a pair in this step's list and not in the last one's began, a pair only in the last one's ended. Sensors
//! that have it enabled detect each other, and so do shapes of static and kinematic bodies. So every begin event has
//! its end event, even if one of the two was destroyed, disabled or moved meanwhile. A fast body, dynamic or kinematic,
//! counts as being where it was at any time in the step: one that crosses a sensor within a step is in it for that
//! step, and so are shapes that a fast sensor sweeps over. If one of the two turns far (`fast_rotation`), their motions
//! are tested in pieces of 45°.
//!
//! The reasons are in `docs/decisions.md#sensors-are-in-no-tree`.

use super::continuous::{add_fast_shapes, swept_area};
use super::fast_shapes::FastShapes;
use super::stage::Step;
use super::sweep::{BodySweep, area_around, sweep_between};
use crate::body::{BodyKind, BodyPose, NONE};
use crate::broad_phase::TreeKind;
use crate::constants::LINEAR_SLOP_M;
use crate::events::{PlainOverlap, VisitEvent};
use crate::shape::{ShapeId, Watcher};
use crate::state::State;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::distance::{ImpactState, Sweep, distance, time_of_touch};
use tombolo_geometry::{Aabb, Pose};
use tombolo_threads::parallel_for;

/// The number of sensors in one block of work: each is a search of a few microseconds.
const SENSORS_PER_BLOCK: usize = 8;

#[allow(unsafe_code)]
pub(crate) fn sensors(step: &mut Step<'_>) {
    let state = &*step.world.state;
    if state.sensors.is_empty() && state.overlaps.is_empty() && state.watchers.is_empty() {
        return;
    }
    step.scratch.fast_shapes.clear();
    add_fast_shapes(step, |_, _| true);
    let state = &*step.world.state;
    step.scratch
        .fast_shapes
        .prepare(state.sensors.len() + state.watchers.len());
    let room = step.scratch.overlaps.capacity();
    for worker in step.scratch.workers().iter_mut() {
        worker.overlaps.clear();
        // Capacity for all overlaps, so that no list has to grow, whichever worker takes the sensors.
        worker.overlaps.reserve(room);
    }
    let (sweeps, visitors) = (&step.scratch.sweeps, &step.scratch.fast_shapes);
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
            // SAFETY: each worker takes its own slot only.
            let worker = unsafe { workers.get_mut(worker) };
            for &sensor in state.sensors.slice(range) {
                let mut found = |visitor| worker.overlaps.push(state.overlap(sensor, visitor));
                let Some(motion) = state.sensing_motion(sensor, sweeps) else {
                    continue;
                };
                state.find_visitors(sensor, &motion, sweeps, &mut found);
                state.find_fast_visitors(sensor, &motion, sweeps, visitors, &mut found);
            }
        },
    );
    watch(step);
    sort_overlaps(step);
    report_changes(step);
}

/// Finds the overlaps of sensors with sensors, and of shapes of static and kinematic bodies with each other, where
/// enabled.
#[allow(unsafe_code)]
fn watch(step: &mut Step<'_>) {
    let state = &*step.world.state;
    let asks = |watcher: &Watcher| watcher.sees_sensors != 0 || watcher.sees_fixed != 0;
    if !state.watchers.iter().any(asks) {
        return;
    }
    let workers = step
        .scratch
        .workers
        .as_ref()
        .expect("made at the start of the step");
    let motions = (&*step.scratch.sweeps, &step.scratch.fast_shapes);
    parallel_for(
        step.executor,
        state.watchers.len(),
        SENSORS_PER_BLOCK,
        &|worker, range| {
            // SAFETY: each worker takes its own slot only.
            let worker = unsafe { workers.get_mut(worker) };
            for watcher in state.watchers.slice(range).iter().filter(|watcher| asks(watcher)) {
                let mut found = |visitor| worker.overlaps.push(state.overlap(watcher.shape, visitor));
                state.find_watched(watcher, motions, &mut found);
            }
        },
    );
}

/// Sorts the overlaps of all workers, each pair once.
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

/// Compares the new list with the last step's, reports the differences, and keeps the new one.
fn report_changes(step: &mut Step<'_>) {
    let (state, events) = (&mut *step.world.state, &mut *step.world.events);
    let new = &step.scratch.overlaps;
    let has = |list: &[PlainOverlap], overlap: &PlainOverlap| {
        list.binary_search_by_key(&overlap.key(), PlainOverlap::key)
            .is_ok()
    };
    let old = &state.overlaps;
    let began = new.iter().filter(|overlap| !has(old, overlap));
    events.enter.extend(began.filter_map(|overlap| overlap.event()));
    let ended = old.iter().filter(|overlap| !has(new, overlap));
    events.leave.extend(ended.filter_map(|overlap| overlap.event()));
    state.overlaps.clear();
    for &overlap in new {
        state.overlaps.push(overlap);
    }
}

impl State {
    /// Whether a shape is solid: not a sensor, and its body is enabled.
    pub(crate) fn is_solid(&self, shape: u32) -> bool {
        self.shape_links[shape].proxy != NONE
    }

    fn overlap(&self, sensor: u32, visitor: u32) -> PlainOverlap {
        let id = |shape| -> ShapeId { self.shapes.live_id(shape) };
        VisitEvent {
            sensor: id(sensor),
            visitor: id(visitor),
        }
        .into()
    }

    /// Whether a sensor detects a shape: one of another enabled body, and allowed by the filters.
    fn sees(&self, sensor: u32, visitor: u32) -> bool {
        let record = self.shapes.live(sensor);
        self.shape_links[sensor].body != self.shape_links[visitor].body
            && record.filter().allows(self.shapes.live(visitor).filter())
    }

    /// Calls `found` for the shapes that overlap a sensor now, or that it swept over while they were at rest or slow.
    fn find_visitors(
        &self,
        sensor: u32,
        motion: &SensorMotion,
        sweeps: &[BodySweep],
        found: &mut impl FnMut(u32),
    ) {
        let (geometry, filter) = (&self.shape_geometries[sensor], self.shapes.live(sensor).filter());
        // A common positive group overrides the mask.
        let categories = if filter.group > 0 { u64::MAX } else { filter.mask };
        self.broad_phase.query_box(motion.area, categories, |visitor| {
            let body = self.shape_links[visitor].body;
            let place = &self.body_poses[body];
            let is_in = || {
                distance(
                    geometry,
                    &self.shape_geometries[visitor],
                    motion.pose.to(place.pose),
                )
                .distance
                    <= 0.0
            };
            // Where a fast body is at the end, it was not while the sensor came by; its own motion is tested elsewhere.
            let is_swept = || sweeps.binary_search_by_key(&body, |moving| moving.body).is_ok();
            let was_in =
                || motion.is_fast && !is_swept() && self.met(sensor, &motion.sweep, visitor, &still(place));
            if self.sees(sensor, visitor) && (is_in() || was_in()) {
                found(visitor);
            }
            Visit::Continue
        });
    }

    /// Calls `found` for the shapes of fast bodies that overlapped a sensor at any time in the step.
    fn find_fast_visitors(
        &self,
        sensor: u32,
        motion: &SensorMotion,
        sweeps: &[BodySweep],
        visitors: &FastShapes,
        found: &mut impl FnMut(u32),
    ) {
        visitors.near(motion.area, |visitor| {
            let moving = &sweeps[visitor.sweep as usize];
            if self.sees(sensor, visitor.shape) && self.met(sensor, &motion.sweep, visitor.shape, moving) {
                found(visitor.shape);
            }
        });
    }

    /// Calls `found` for the shapes that a shape detects by its own options, beyond those that every sensor detects.
    fn find_watched(
        &self,
        watcher: &Watcher,
        (sweeps, fast): (&[BodySweep], &FastShapes),
        found: &mut impl FnMut(u32),
    ) {
        let shape = watcher.shape;
        let Some(motion) = self.sensing_motion(shape, sweeps) else {
            return;
        };
        let is_sensor = self.shapes.live(shape).sensor != 0;
        let gap = if is_sensor { 0.0 } else { LINEAR_SLOP_M };
        let area = motion.area.grown(gap);
        let mut ask = |other: u32| {
            let of_other = self
                .sensing_motion(other, sweeps)
                .filter(|_| self.sees(shape, other));
            let is_near = |of_other: &SensorMotion| area.overlaps(of_other.area);
            let meets = |of_other| self.meets(shape, &motion, other, &of_other, gap);
            if of_other.filter(is_near).is_some_and(meets) {
                found(other);
            }
        };
        if is_sensor {
            if watcher.sees_sensors != 0 {
                self.sensors.iter().for_each(|&other| ask(other));
            }
            return;
        }
        let kind = self.body_sims[self.shape_links[shape].body].kind();
        if watcher.sees_fixed == 0 || kind == BodyKind::Dynamic {
            return;
        }
        if kind == BodyKind::Kinematic {
            self.broad_phase.query_tree(TreeKind::Static, area, &mut ask);
        }
        self.broad_phase.query_tree(TreeKind::Kinematic, area, &mut ask);
        // The trees do not contain the positions of fast bodies during their motion.
        fast.near(area, |other| {
            let body = self.shape_links[other.shape].body;
            if self.body_sims[body].kind() == BodyKind::Kinematic {
                ask(other.shape);
            }
        });
    }

    /// Whether the distance of two shapes is at most `gap` now, or they overlapped in their motions.
    fn meets(&self, one: u32, motion: &SensorMotion, other: u32, of_other: &SensorMotion, gap: f32) -> bool {
        let [geometry, of] = [one, other].map(|shape| &self.shape_geometries[shape]);
        distance(geometry, of, motion.pose.to(of_other.pose)).distance <= gap
            || (motion.is_fast || of_other.is_fast) && self.met(one, &motion.sweep, other, &of_other.sweep)
    }

    /// Whether a sensor and a shape overlapped at any time of the step: while the shape moved, while something that it
    /// met moved it on, and while it rested there.
    fn met(&self, sensor: u32, of_sensor: &BodySweep, visitor: u32, of_visitor: &BodySweep) -> bool {
        let [outer, inner] = [sensor, visitor].map(|shape| &self.shape_geometries[shape]);
        let meet = |sweep: &Sweep, of_visitor: &Sweep, until| {
            time_of_touch(outer, sweep, inner, of_visitor, until).state != ImpactState::Separated
        };
        let pieces = of_sensor.pieces().max(of_visitor.pieces());
        // Of a rotation of more than half a turn the two ends do not determine the direction.
        let meet_in_pieces = |span: [f32; 2], way: &dyn Fn(f32, f32) -> Sweep| {
            let at = |piece: u32| piece as f32 / pieces as f32;
            (0..pieces).any(|piece| {
                let (from, to) = (at(piece).max(span[0]), at(piece + 1).min(span[1]));
                from < to && meet(&of_sensor.piece(from, to), &way(from, to), 1.0)
            })
        };
        let on_motion = || match pieces {
            1 => meet(&of_sensor.sweep, &of_visitor.sweep, of_visitor.fraction),
            _ => meet_in_pieces([0.0, of_visitor.fraction], &|from, to| of_visitor.piece(from, to)),
        };
        let on_way = |from, to| {
            let [start, end] = [from, to].map(|fraction| of_visitor.place_at(fraction));
            sweep_between(&start, &end)
        };
        on_motion()
            || meet_in_pieces([of_visitor.fraction, of_visitor.end()], &on_way)
            || meet_in_pieces([of_visitor.end(), 1.0], &on_way)
    }

    /// The motion of a sensor; `None` while its body is disabled. If continuous collision set its body back, it counts
    /// as having been at its final pose.
    fn sensing_motion(&self, sensor: u32, sweeps: &[BodySweep]) -> Option<SensorMotion> {
        let body = self.shape_links[sensor].body;
        if !self.body_sims[body].has(crate::body::flag::ENABLED) {
            return None;
        }
        let place = &self.body_poses[body];
        let geometry = &self.shape_geometries[sensor];
        let fast = sweeps
            .binary_search_by_key(&body, |moving| moving.body)
            .ok()
            .map(|at| &sweeps[at])
            .filter(|moving| moving.fraction >= 1.0);
        Some(match fast {
            Some(moving) => SensorMotion {
                pose: place.pose,
                sweep: *moving,
                area: if moving.pieces() == 1 {
                    swept_area(geometry, &moving.sweep)
                } else {
                    area_around(geometry, &moving.sweep)
                },
                is_fast: true,
            },
            None => SensorMotion {
                pose: place.pose,
                sweep: still(place),
                area: geometry.aabb(place.pose),
                is_fast: false,
            },
        })
    }
}

/// The motion of a sensor in the step.
struct SensorMotion {
    /// The present pose of its body.
    pose: Pose,
    sweep: BodySweep,
    /// The box of the sensor during the step.
    area: Aabb,
    is_fast: bool,
}

/// The motion of a body that does not move.
fn still(place: &BodyPose) -> BodySweep {
    BodySweep {
        fraction: 1.0,
        sweep: Sweep {
            local_center: place.local_center,
            c0: place.center,
            c1: place.center,
            q0: place.pose.rotation,
            q1: place.pose.rotation,
        },
        ..BodySweep::default()
    }
}
