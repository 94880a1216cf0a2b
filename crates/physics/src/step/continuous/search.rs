//! [`SweepSearch`]: finds the first obstacle in the path of a fast body, and the body's motion from there.

use super::obstacle::{FirstImpact, Obstacle};
use super::swept::SweptShape;
use crate::body::{BodyKind, BodyPose, BodySim, flag};
use crate::broad_phase::TreeKind;
use crate::callback::Callbacks;
use crate::state::State;
use crate::step::fast_shapes::FastShapes;
use crate::step::sweep::{BodySweep, HELD_FRACTION_MAX, fast_motion, sweep_between};
use tombolo_geometry::Pose;
use tombolo_geometry::distance::Sweep;
use tombolo_handles::BitSet;

/// The obstacles of a pass over the fast bodies.
#[derive(Clone, Copy)]
pub(super) enum Obstacles {
    /// Static bodies, which stop every fast body.
    Static,
    /// Kinematic and dynamic bodies, which stop bullets; fast kinematic ones stop other bodies too. Awake bullets stop
    /// each other in the order of their meetings (`bullets.rs`).
    Moving,
}

impl Obstacles {
    fn trees(self) -> &'static [TreeKind] {
        match self {
            Self::Static => &[TreeKind::Static],
            Self::Moving => &[TreeKind::Kinematic, TreeKind::Dynamic],
        }
    }

    /// Whether these obstacles stop a body.
    pub(super) fn stop(self, body: &BodySim, moving: &BodySweep) -> bool {
        match self {
            Self::Static => body.is_dynamic() && !moving.is_slow,
            Self::Moving => body.is_dynamic() && (body.has(flag::BULLET) || moving.is_swept_into),
        }
    }
}

/// The parameters that all searches of a pass share.
pub(super) struct SweepSearch<'a> {
    pub(super) state: &'a State,
    pub(super) callbacks: &'a Callbacks,
    pub(super) obstacles: Obstacles,
    /// The poses of awake kinematic bodies at the start of the step, in the order of the awake bodies; if there are
    /// bullets, of all awake bodies.
    pub(super) starts: &'a [BodyPose],
    /// The fast bodies.
    pub(super) fast_bodies: &'a BitSet,
    /// The shapes of fast kinematic bodies. The trees have their positions at the end of the step; they may have been
    /// elsewhere during it.
    pub(super) fast_obstacles: Option<&'a FastShapes>,
    /// The part of the step that is searched, from 0 to 1.
    pub(super) span: [f32; 2],
    /// Whether a body that is hit is carried only to the end of that part, and not of the step.
    pub(super) is_in_pieces: bool,
}

impl SweepSearch<'_> {
    /// Determines how far a body may go, and the pose to which it is moved from there.
    pub(super) fn stop(&self, moving: &mut BodySweep) {
        let is_bullet = || self.state.body_sims[moving.body].has(flag::BULLET);
        let looks_at_fast_only =
            moving.is_slow || matches!(self.obstacles, Obstacles::Moving) && !is_bullet();
        let trees = if looks_at_fast_only {
            &[]
        } else {
            self.obstacles.trees()
        };
        let first = if let Some(pieces) = self.pieces_near(moving) {
            self.carried(moving, trees, pieces)
        } else if moving.pieces() > 1 {
            self.first_impact_of_pieces(moving, trees)
        } else {
            self.first_impact(&moving.sweep, moving.body, trees, moving.fraction)
        };
        moving.fraction = first.fraction;
        let Some(moved_to) = first.moved_to else {
            return;
        };
        // A body is not moved through bodies at rest.
        let met = moving.pose_at(first.fraction);
        let local_center = moving.sweep.local_center;
        let [start, end] = [met, moved_to].map(|pose| BodyPose::new(pose, local_center));
        let sweep = sweep_between(&start, &end);
        let walls = SweepSearch {
            obstacles: Obstacles::Static,
            fast_obstacles: None,
            ..*self
        };
        let free = walls
            .first_impact(&sweep, moving.body, walls.obstacles.trees(), 1.0)
            .fraction;
        moving.is_moved_on = free > HELD_FRACTION_MAX;
        moving.arrival = 1.0;
        moving.moved_to = if free < 1.0 { sweep.pose_at(free) } else { moved_to };
    }

    /// Like [`SweepSearch::first_impact`], for a body that turns so far that its motion is divided into pieces.
    fn first_impact_of_pieces(&self, moving: &BodySweep, trees: &[TreeKind]) -> FirstImpact {
        let (pieces, end) = (moving.pieces(), moving.fraction);
        let count = pieces as f32;
        for i in 0..pieces {
            let [from, to] = [i, i + 1].map(|i| i as f32 / count);
            if from >= end {
                break;
            }
            let search = SweepSearch {
                span: [from, to],
                ..*self
            };
            let limit = ((end - from) * count).min(1.0);
            let first = search.first_impact(&moving.piece(from, to), moving.body, trees, limit);
            if first.fraction < limit || first.moved_to.is_some() {
                return FirstImpact {
                    fraction: from + first.fraction / count,
                    ..first
                };
            }
        }
        FirstImpact {
            fraction: end,
            moved_to: None,
        }
    }

    /// The first impact of any of the shapes of a body, up to a fraction of its motion.
    pub(super) fn first_impact(
        &self,
        sweep: &Sweep,
        body: u32,
        trees: &[TreeKind],
        limit: f32,
    ) -> FirstImpact {
        let state = self.state;
        let mut first = FirstImpact {
            fraction: limit,
            moved_to: None,
        };
        // One query for the whole body: most fast bodies fall freely.
        let reach = state.reach(body, sweep);
        let near = |&tree: &TreeKind| state.broad_phase.is_any_in(tree, reach);
        let is_bullet = state.body_sims[body].has(flag::BULLET);
        let is_on_way = |fast: &FastShapes| fast.is_any_near(reach);
        if !trees.iter().any(near) && !self.fast_obstacles.is_some_and(is_on_way) {
            return first;
        }
        let are_there_rules = state.are_there_rules();
        for shape in state.shapes_of(body).filter(|&shape| state.is_solid(shape)) {
            let swept = SweptShape::new(state.geometry_with_skin(shape), sweep);
            let (area, proxy) = (swept.area(), state.shape_links[shape].proxy);
            let mut ask = |other: u32, turn: f32| {
                let target = state.shape_links[other].body;
                if state.joint_keeps_apart(body, target) {
                    return;
                }
                let geometry = &state.shape_geometries[shape];
                let slip_max = is_bullet.then(|| fast_motion(geometry.min_extent()));
                let obstacle = self.obstacle(other, turn, slip_max);
                let passes = || state.passes_by_rule(shape, other, sweep, &obstacle.sweep);
                if are_there_rules && passes() || !state.callbacks_stop(self.callbacks, shape, other) {
                    return;
                }
                let thicker = match state.contact_skin(other) {
                    0.0 => None,
                    skin => Some(swept.with_skin(skin)),
                };
                let swept = thicker.as_ref().unwrap_or(&swept);
                let Some(found) = swept.impact(&obstacle, limit, first.fraction) else {
                    return;
                };
                // A body that flies beside this one is not hit, even if it ends the step in this one's path.
                let meets = |motion: Obstacle<'_>| swept.impact(&motion, limit, limit).is_some();
                if self.motion(other, &obstacle).is_none_or(meets) {
                    first.keep(found);
                }
            };
            for &tree in trees {
                state.broad_phase.query_pairs(tree, proxy, area, |other| {
                    if self.counts(other) {
                        ask(other, 0.0);
                    }
                });
            }
            if let Some(fast) = self.fast_obstacles {
                fast.near(area, |fast| {
                    let other = state.shape_links[fast.shape].proxy;
                    if state.broad_phase.passes_filter(proxy, other) {
                        ask(fast.shape, fast.turn);
                    }
                });
            }
        }
        first
    }

    /// Whether a shape that a tree found near the path of a body is tested.
    fn counts(&self, shape: u32) -> bool {
        match self.obstacles {
            Obstacles::Static => true,
            // Fast bodies are in lists of their own, and so are bullets unless they sleep.
            Obstacles::Moving => !self.fast_bodies.test(self.state.shape_links[shape].body as usize),
        }
    }

    /// A shape as an obstacle: a kinematic one moves during the step, a dynamic one is at its final pose, so that a
    /// body that stops at it touches it then. Its body turns by `turn`; see [`BodySweep::turn`].
    fn obstacle(&self, shape: u32, turn: f32, slip_max: Option<f32>) -> Obstacle<'_> {
        let body = self.state.shape_links[shape].body;
        let end = &self.state.body_poses[body];
        let is_kinematic = self.state.body_sims[body].kind() == BodyKind::Kinematic;
        let moves = is_kinematic && self.state.bodies.live(body).is_awake();
        let start = if moves {
            &self.starts[self.state.awake_index_of(body)]
        } else {
            end
        };
        let (poses, sweep) = self.part_of_way(start, end, turn);
        Obstacle {
            geometry: &self.state.shape_geometries[shape],
            poses,
            sweep,
            carries: start != end,
            slip_max,
            turns_far: turn != 0.0,
        }
    }

    /// A shape of a moving dynamic body as an obstacle in motion; `None` for others.
    fn motion<'o>(&'o self, shape: u32, at_end: &Obstacle<'o>) -> Option<Obstacle<'o>> {
        let body = self.state.shape_links[shape].body;
        let is_awake = || self.state.bodies.live(body).is_awake();
        if !self.state.body_sims[body].is_dynamic() || !is_awake() {
            return None;
        }
        let start = &self.starts[self.state.awake_index_of(body)];
        let end = &self.state.body_poses[body];
        let (poses, sweep) = self.part_of_way(start, end, 0.0);
        Some(Obstacle {
            poses,
            sweep,
            carries: start != end,
            ..*at_end
        })
    }

    /// The motion in the part of the step that is searched, of a body that turns by `turn`, and its poses at both ends.
    fn part_of_way(&self, start: &BodyPose, end: &BodyPose, turn: f32) -> ([Pose; 2], Sweep) {
        let whole = BodySweep {
            sweep: sweep_between(start, end),
            turn,
            ..BodySweep::default()
        };
        if self.span == [0.0, 1.0] || start == end {
            return ([start.pose, end.pose], whole.sweep);
        }
        let part = self
            .span
            .map(|fraction| BodyPose::new(whole.pose_at(fraction), end.local_center));
        let last = if self.is_in_pieces { part[1].pose } else { end.pose };
        ([part[0].pose, last], sweep_between(&part[0], &part[1]))
    }
}
