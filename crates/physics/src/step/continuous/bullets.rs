//! Bullets against bullets and against other fast dynamic bodies: those whose paths cross are stopped where they meet,
//! in the order of their meetings.
//!
//! Each bullet goes at most to the impact at which it was stopped before. The earliest of all meetings is handled
//! first, of equal ones that of the lower indices; both bullets then stay there for the rest of the step, and their
//! other meetings are computed anew. These can only be later, so each bullet is stopped once, and the result depends
//! neither on the order in which pairs are found nor on the workers. If a bullet was moved on by the body that it met,
//! that part of its path is tested too, and another may stop it there.
//!
//! If one of two turns far (`fast_rotation`), their motions are tested in pieces of 45°.
//!
//! Two that hardly move relative to each other, as in a salvo that flies together, are left to their contacts: stopping
//! them would cost them time.

use super::swept::{area_of, sinking};
use crate::body::flag;
use crate::callback::Callbacks;
use crate::state::State;
use crate::step::fast_shapes::FastShape;
use crate::step::stage::Step;
use crate::step::sweep::{
    BodySweep, BulletPair, BulletScratch, DueMeeting, NEVER, fast_motion, sweep_between,
};
use core::cmp::Reverse;
use glam::Vec2;
use tombolo_geometry::Aabb;
use tombolo_geometry::distance::{ImpactState, Sweep, time_of_impact};
use tombolo_geometry::shape::Shape;
use tombolo_threads::parallel_chunks;

/// The number of pairs in one block of work: a few microseconds each.
const PAIRS_PER_BLOCK: usize = 16;

/// Stops bullets at each other; returns whether any was stopped.
pub(super) fn stop(step: &mut Step<'_>) -> bool {
    let mut scratch = core::mem::take(&mut step.scratch.bullets);
    let mut sweeps = core::mem::take(&mut step.scratch.sweeps);
    let (state, callbacks) = (&*step.world.state, step.world.callbacks);
    scratch.list_pairs(state, &sweeps);
    scratch.list_pairs_with(state, &sweeps, step.scratch.fast_shapes.all());
    parallel_chunks(
        step.executor,
        &mut scratch.pairs,
        PAIRS_PER_BLOCK,
        &|_, _, block| {
            for pair in block.iter_mut() {
                pair.meeting = state.meeting(callbacks, &sweeps, pair.sweeps);
            }
        },
    );
    let stopped = scratch.stop_in_order(state, callbacks, &mut sweeps);
    step.scratch.sweeps = sweeps;
    step.scratch.bullets = scratch;
    stopped
}

impl BulletScratch {
    /// Lists the pairs that may meet, by places.
    fn list_pairs(&mut self, state: &State, sweeps: &[BodySweep]) {
        self.areas.clear();
        self.pairs.clear();
        for (place, moving) in (0..).zip(sweeps) {
            let sim = &state.body_sims[moving.body];
            if !sim.is_dynamic() || !sim.has(flag::BULLET) {
                continue;
            }
            let shapes = state
                .shapes_of(moving.body)
                .filter(|&shape| state.is_solid(shape));
            let areas = shapes.map(|shape| area_of(&state.geometry_with_skin(shape), moving));
            if let Some(area) = areas.reduce(Aabb::union) {
                self.areas.push((area, place));
            }
        }
        // Along the axis on which they lie farther apart: shots in a column have the same place on the other one.
        let all = self.areas.iter().map(|(area, _)| *area).reduce(Aabb::union);
        let extent = all.map_or(Vec2::ZERO, |all| all.max - all.min);
        let axis = usize::from(extent.y > extent.x);
        self.areas
            .sort_unstable_by(|(a, i), (b, j)| a.min[axis].total_cmp(&b.min[axis]).then(i.cmp(j)));
        for (at, (area, one)) in self.areas.iter().enumerate() {
            let rest = self.areas[at + 1..].iter();
            for (_, other) in rest
                .take_while(|(other, _)| other.min[axis] <= area.max[axis])
                .filter(|(other, _)| other.overlaps(*area))
            {
                let pair = [*one.min(other), *one.max(other)];
                if state.may_pass(sweeps, pair) {
                    self.pairs.push(BulletPair {
                        sweeps: pair,
                        meeting: NEVER,
                        have_met: false,
                    });
                }
            }
        }
    }

    /// Adds the pairs of bullets and other fast dynamic bodies, whose shapes are sorted by the left end of their boxes;
    /// all pairs are sorted then.
    fn list_pairs_with(&mut self, state: &State, sweeps: &[BodySweep], fast: &[FastShape]) {
        let widths = fast.iter().map(|shape| shape.area.max.x - shape.area.min.x);
        let widest = widths.fold(0.0, f32::max);
        for &(area, bullet) in &self.areas {
            let first = fast.partition_point(|shape| shape.area.min.x < area.min.x - widest);
            for shape in fast[first..]
                .iter()
                .take_while(|shape| shape.area.min.x <= area.max.x)
                .filter(|shape| shape.area.overlaps(area))
            {
                let pair = [bullet.min(shape.sweep), bullet.max(shape.sweep)];
                if state.may_pass(sweeps, pair) {
                    self.pairs.push(BulletPair {
                        sweeps: pair,
                        meeting: NEVER,
                        have_met: false,
                    });
                }
            }
        }
        self.pairs.sort_unstable_by_key(|pair| pair.sweeps);
        self.pairs.dedup_by_key(|pair| pair.sweeps);
    }

    /// Stops the bullets at their meetings. Returns whether there was any.
    fn stop_in_order(&mut self, state: &State, callbacks: &Callbacks, sweeps: &mut [BodySweep]) -> bool {
        self.pairs_of.clear();
        self.queue.clear();
        for (index, pair) in (0..).zip(&self.pairs) {
            self.pairs_of.extend(pair.sweeps.map(|place| (place, index)));
            self.queue.extend(due(pair, index));
        }
        self.pairs_of.sort_unstable();
        let mut some = false;
        while let Some(Reverse((bits, a, b, index))) = self.queue.pop() {
            let fraction = f32::from_bits(bits);
            let pair = &mut self.pairs[index as usize];
            // One of the two was stopped since, and the meeting was computed anew.
            if pair.have_met || pair.meeting != fraction {
                continue;
            }
            (pair.have_met, some) = (true, true);
            let changed = [a, b].map(|place| {
                let moving = &mut sweeps[place as usize];
                moving.is_met_by_bullet = !state.body_sims[moving.body].has(flag::BULLET);
                moving.stop_at(fraction)
            });
            // A body that continues unchanged meets the others as before: the cost of many bullets at one body is
            // linear in their number.
            for (place, _) in [a, b].into_iter().zip(changed).filter(|(_, changed)| *changed) {
                let first = self.pairs_of.partition_point(|(of, _)| *of < place);
                for at in first..self.pairs_of.len() {
                    let (of, other) = self.pairs_of[at];
                    if of != place {
                        break;
                    }
                    let pair = &mut self.pairs[other as usize];
                    if !pair.have_met {
                        let meeting = state.meeting(callbacks, sweeps, pair.sweeps);
                        let before = core::mem::replace(&mut pair.meeting, meeting);
                        if pair.meeting != before {
                            self.queue.extend(due(pair, other));
                        }
                    }
                }
            }
        }
        some
    }
}

fn due(pair: &BulletPair, index: u32) -> Option<DueMeeting> {
    let [a, b] = pair.sweeps;
    (pair.meeting <= 1.0).then_some(Reverse((pair.meeting.to_bits(), a, b, index)))
}

impl State {
    /// Whether the relative motion of two bullets is so large that their contacts may miss them.
    fn may_pass(&self, sweeps: &[BodySweep], pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|place| &sweeps[place as usize]);
        let path = |moving: &BodySweep| moving.sweep.c1 - moving.sweep.c0;
        let moved = |moving: &BodySweep| moving.place_at(1.0).center - moving.sweep.c0;
        let turn = |moving: &BodySweep| {
            let chord = if moving.turn == 0.0 {
                moving.sweep.q0.to(moving.sweep.q1).sin.abs()
            } else {
                // At most to the opposite side.
                moving.turn.abs().min(2.0)
            };
            self.body_sims[moving.body].extent_max * chord
        };
        let mut relative = (path(a) - path(b)).length();
        if a.is_moved_on || b.is_moved_on {
            relative = relative.max((moved(a) - moved(b)).length());
        }
        let relative = relative + turn(a) + turn(b);
        let [of_a, of_b] = [a, b].map(|moving| self.body_sims[moving.body].extent_min);
        relative > fast_motion(of_a.min(of_b)) && !self.joint_keeps_apart(a.body, b.body)
    }

    /// The fraction of the step at which two bullets meet on their paths as stopped so far; [`NEVER`] if they do not.
    fn meeting(&self, callbacks: &Callbacks, sweeps: &[BodySweep], pair: [u32; 2]) -> f32 {
        let [a, b] = pair.map(|place| &sweeps[place as usize]);
        let both = a.fraction.min(b.fraction);
        let first = if a.pieces().max(b.pieces()) == 1 {
            self.meeting_on_ways(callbacks, [(a, &a.sweep), (b, &b.sweep)], both)
        } else {
            self.meeting_within(callbacks, [a, b], [0.0, both])
        };
        if let Some(fraction) = first {
            return fraction;
        }
        // Each goes to its fraction, is moved on from there, or stays: between two such times of either both move
        // straight.
        let mut turns = [a.fraction, b.fraction, a.end(), b.end()];
        turns.sort_unstable_by(f32::total_cmp);
        [[turns[0], turns[1]], [turns[1], turns[2]], [turns[2], turns[3]]]
            .into_iter()
            .find_map(|stretch| self.meeting_within(callbacks, [a, b], stretch))
            .unwrap_or(NEVER)
    }

    /// The fraction of the step at which two bullets meet in a stretch of it in which both move straight, in pieces in
    /// which neither turns far.
    fn meeting_within(
        &self,
        callbacks: &Callbacks,
        [a, b]: [&BodySweep; 2],
        [from, to]: [f32; 2],
    ) -> Option<f32> {
        let pieces = a.pieces().max(b.pieces());
        (0..pieces).find_map(|piece| {
            let [start, end] = [piece, piece + 1].map(|at| {
                let part = at as f32 / pieces as f32;
                (1.0 - part) * from + part * to
            });
            if start >= end {
                return None;
            }
            let [way_a, way_b] =
                [a, b].map(|moving| sweep_between(&moving.place_at(start), &moving.place_at(end)));
            let fraction = self.meeting_on_ways(callbacks, [(a, &way_a), (b, &way_b)], 1.0)?;
            Some(start + fraction * (end - start))
        })
    }

    fn meeting_on_ways(
        &self,
        callbacks: &Callbacks,
        [(a, sweep_a), (b, sweep_b)]: [(&BodySweep, &Sweep); 2],
        limit: f32,
    ) -> Option<f32> {
        let mut earliest = None;
        for shape_a in self.shapes_of(a.body).filter(|&shape| self.is_solid(shape)) {
            for shape_b in self.shapes_of(b.body).filter(|&shape| self.is_solid(shape)) {
                let proxies = [shape_a, shape_b].map(|shape| self.shape_links[shape].proxy);
                if !self.broad_phase.passes_filter(proxies[0], proxies[1])
                    || self.passes_by_rule(shape_a, shape_b, sweep_a, sweep_b)
                    || !self.callbacks_stop(callbacks, shape_a, shape_b)
                {
                    continue;
                }
                let [a, b] = [shape_a, shape_b].map(|shape| self.geometry_with_skin(shape));
                let limit = earliest.unwrap_or(limit);
                if let Some(fraction) = first_meeting([&a, &b], [sweep_a, sweep_b], limit) {
                    earliest = Some(fraction);
                }
            }
        }
        earliest
    }
}

/// The fraction at which two shapes meet. Shapes that are near at the start may pass each other with their edges, but
/// neither may pass through the other with its middle, nor sink in with an end.
fn first_meeting(shapes: [&Shape; 2], sweeps: [&Sweep; 2], limit: f32) -> Option<f32> {
    let meets = |a: &Shape, b: &Shape| {
        let impact = time_of_impact(a, sweeps[0], b, sweeps[1], limit);
        (impact.state != ImpactState::Separated).then_some(impact.fraction)
    };
    let [a, b] = shapes;
    let whole = meets(a, b)?;
    if whole > 0.0 {
        return Some(whole);
    }
    let cores = shapes.map(core_of);
    let with_core_of_a = cores[0].as_ref().and_then(|core| meets(core, b));
    let with_core_of_b = cores[1].as_ref().and_then(|core| meets(a, core));
    let sinking = sinking(shapes, sweeps, sweeps[0].pose_at(0.0), limit).map(|impact| impact.fraction);
    let later = [with_core_of_a, with_core_of_b, sinking].into_iter().flatten();
    later.filter(|&fraction| fraction > 0.0).reduce(f32::min)
}

/// A disc around the middle of a shape.
fn core_of(shape: &Shape) -> Option<Shape> {
    Shape::circle(
        shape.centroid(),
        crate::constants::CORE_FRACTION * shape.min_extent(),
    )
    .ok()
}
