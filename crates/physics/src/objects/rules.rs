//! Contact rules in the state: which contacts have one, its parameters for a contact in this step, and the updates when
//! the tables change.

use crate::body::{NONE, flag};
use crate::constants::{LINEAR_SLOP_M, ONE_WAY_COSINE, SPECULATIVE_DISTANCE_M};
use crate::contact::manifold::AppliedRule;
use crate::contact::{Contact, flag as contact_flag};
use crate::rule::{FoundRule, OneWayGate, PlainRule, RuleSide, category_of, in_order, rule_for};
use crate::shape::ANY_MATERIAL;
use crate::state::State;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::math::cross_scalar;
use tombolo_geometry::shape::Shape;

/// The depth in meters that a visitor may have in a one-way platform while neither moves, and still stand on it.
const STANDS_IN_M: f32 = 2.0 * LINEAR_SLOP_M;

impl State {
    /// The contact rule for two shapes of the world.
    pub(crate) fn rule_of(&self, shapes: [u32; 2]) -> Option<FoundRule<'_>> {
        if self.rules.is_empty() && self.category_rules.is_empty() {
            return None;
        }
        let sides = shapes.map(|shape| self.rule_side(shape));
        rule_for(&self.rules, &self.category_rules, sides)
    }

    /// The keys of a shape of the world for the look-up of rules.
    fn rule_side(&self, shape: u32) -> RuleSide {
        let categories = if self.category_rules.is_empty() {
            0
        } else {
            self.shapes.live(shape).category
        };
        RuleSide {
            material: self.materials[shape].id,
            categories,
        }
    }

    /// The rule for a shape of the world and one that is not in the world.
    fn rule_with(&self, shape: u32, visitor: RuleSide) -> Option<FoundRule<'_>> {
        let sides = [self.rule_side(shape), visitor];
        rule_for(&self.rules, &self.category_rules, sides)
    }

    /// Whether any contact rules or ignored pairs exist, which keep shapes apart besides filters and joints.
    pub(crate) fn are_there_rules(&self) -> bool {
        !(self.rules.is_empty() && self.category_rules.is_empty() && self.ignored_pairs.is_empty())
    }

    fn all_rules(&self) -> impl Iterator<Item = &PlainRule> {
        self.rules.iter().chain(self.category_rules.iter())
    }

    /// Whether a rule gives contacts a restitution, whatever the shapes.
    pub(crate) fn is_there_a_bouncing_rule(&self) -> bool {
        self.all_rules().any(|rule| rule.restitution() > Some(0.0))
    }

    /// The bits of a contact's flags that come from rules and callbacks.
    pub(crate) fn rule_flags(&self, shapes: [u32; 2]) -> u16 {
        let Some(rule) = self.rule_of(shapes) else {
            return self.callback_flag(shapes);
        };
        let one_way = rule.one_way().map_or(0, |(side, _)| {
            [contact_flag::ONE_WAY_A, contact_flag::ONE_WAY_B][side]
        });
        let sensor = if rule.is_sensor() { contact_flag::SENSOR } else { 0 };
        contact_flag::HAS_RULE | one_way | sensor | self.callback_flag(shapes)
    }

    /// Whether two shapes do not touch because of a call about the two.
    pub(crate) fn is_pair_ignored(&self, a: u32, b: u32) -> bool {
        self.ignored_pairs.binary_search(&in_order(a, b)).is_ok()
    }

    /// Whether two shapes do not touch because of a rule or of a call about the two.
    pub(crate) fn is_ignored(&self, a: u32, b: u32) -> bool {
        self.is_pair_ignored(a, b) || self.rule_of([a, b]).is_some_and(|rule| rule.ignores())
    }

    /// The parameters of a contact's rule in this step.
    pub(crate) fn applied_rule(&self, contact: &Contact, dt: f32) -> AppliedRule<'_> {
        let rule = self.rule_of([contact.shape_a, contact.shape_b]);
        let gate = rule.and_then(|rule| rule.one_way()).map(|(side, direction)| {
            let bodies = [contact.body_a, contact.body_b];
            let (platform, visitor) = (bodies[side], bodies[1 - side]);
            let direction = self.world_direction(platform, direction);
            let [place, other] = [platform, visitor].map(|body| &self.body_poses[body]);
            let [motion, others] = [platform, visitor].map(|body| &self.body_states[body]);
            let carried =
                motion.linear_velocity + cross_scalar(motion.angular_velocity, other.center - place.center);
            let inward = -(others.linear_velocity - carried).dot(direction);
            let turning = others.angular_velocity.abs() * self.body_sims[visitor].extent_max;
            OneWayGate {
                direction,
                is_first: side == 0,
                reach: STANDS_IN_M + (inward.max(0.0) + turning) * dt,
                drops: self.body_sims[visitor].has(flag::DROPPING),
            }
        });
        AppliedRule {
            rule: rule.map(|found| found.rule),
            gate,
        }
    }

    /// A direction of a body's frame in the world, as a unit vector.
    fn world_direction(&self, body: u32, direction: Vec2) -> Vec2 {
        self.body_poses[body]
            .pose
            .rotation
            .rotate(direction / direction.length())
    }

    /// Whether a body is passing a one-way platform.
    pub(crate) fn is_passing(&self, body: u32) -> bool {
        self.contacts_of(body).any(|index| {
            let contact = &self.contacts.contacts[self.contacts.place_of(index)];
            contact.flags & contact_flag::PASSING != 0 && contact.visitor() == body
        })
    }

    /// Whether two shapes have a contact with a flag. Costs the contacts of the body that has fewer.
    pub(crate) fn has_contact_with(&self, shapes: [u32; 2], flag: u16) -> bool {
        let bodies = shapes.map(|shape| self.shape_links[shape].body);
        self.contact_of(in_order(shapes[0], shapes[1]), bodies)
            .is_some_and(|index| self.contacts.contacts[self.contacts.place_of(index)].flags & flag != 0)
    }

    /// Whether continuous collision does not stop a shape at another one, because the two do not touch or push or one
    /// is a one-way platform that the other passes.
    pub(crate) fn passes_by_rule(&self, shape: u32, other: u32, sweep: &Sweep, others: &Sweep) -> bool {
        if self.is_ignored(shape, other) {
            return true;
        }
        let Some(rule) = self.rule_of([shape, other]) else {
            return false;
        };
        let Some((side, direction)) = rule.one_way().filter(|_| !rule.is_sensor()) else {
            return rule.is_sensor();
        };
        let (shapes, sweeps) = ([shape, other], [sweep, others]);
        let (platform, visitor) = (shapes[side], shapes[1 - side]);
        let direction = self.world_direction(self.shape_links[platform].body, direction);
        let moved = sweeps.map(|sweep| sweep.c1 - sweep.c0);
        let inward = -(moved[1 - side] - moved[side]).dot(direction);
        let poses = [side, 1 - side].map(|side| sweeps[side].pose_at(0.0));
        inward <= 0.0
            || self.body_sims[self.shape_links[visitor].body].has(flag::DROPPING)
            || self.has_contact_with([platform, visitor], contact_flag::PASSING)
            || !stands_outside(
                shapes_of(self, [platform, visitor]),
                poses,
                direction,
                STANDS_IN_M,
            )
    }

    /// Whether a rule lets a shape that is not in the world pass a shape of the world.
    pub(crate) fn lets_visitor_pass(&self, shape: u32, visitor: &Visitor<'_>) -> bool {
        let Some(rule) = self.rule_with(shape, visitor.side) else {
            return false;
        };
        if rule.ignores() || rule.is_sensor() {
            return true;
        }
        let Some((0, direction)) = rule.one_way() else {
            return false;
        };
        let body = self.shape_links[shape].body;
        let direction = self.world_direction(body, direction);
        let pose = self.body_poses[body].pose;
        let inward = match visitor.moves {
            VisitorMove::Cast { translation } => {
                if translation.dot(direction) >= 0.0 {
                    return true;
                }
                0.0
            }
            VisitorMove::Step { velocity, dt } => {
                let (motion, place) = (&self.body_states[body], &self.body_poses[body]);
                let arm = visitor.pose.position - place.center;
                let carried = motion.linear_velocity + cross_scalar(motion.angular_velocity, arm);
                let comes_in = (carried - velocity).dot(direction) > 0.0;
                if comes_in {
                    carried.dot(direction).max(0.0) * dt
                } else {
                    0.0
                }
            }
        };
        let shapes = [&self.shape_geometries[shape], visitor.shape];
        !stands_outside(shapes, [pose, visitor.pose], direction, STANDS_IN_M + inward)
    }

    /// Whether a shape of the world is a one-way platform for visitors with these keys.
    pub(crate) fn is_one_way_for(&self, shape: u32, visitor: RuleSide) -> bool {
        let rule = self.rule_with(shape, visitor);
        rule.is_some_and(|rule| matches!(rule.one_way(), Some((0, _))))
    }

    /// The least speed of approach in meters per second from which any rule or the world reports hits, which the solver
    /// uses.
    pub(crate) fn hit_threshold_min(&self) -> f32 {
        let rules = self.all_rules().filter_map(PlainRule::hit_threshold);
        rules.fold(self.settings().hit_threshold, f32::min)
    }

    /// Whether the contact at a place was hit at least as fast as its rule or the world requires for a report.
    pub(crate) fn is_hard(&self, place: u32) -> bool {
        let contact = &self.contacts.contacts[place];
        let rule = self.rule_of([contact.shape_a, contact.shape_b]);
        let threshold = rule.and_then(|rule| rule.hit_threshold());
        let speed = self.contacts.cached_manifolds[place].surface.approach_speed;
        speed > threshold.unwrap_or(self.settings().hit_threshold)
    }

    /// Updates contacts after a change of the rule for two materials: the bodies that have shapes of them wake,
    /// contacts that are no longer allowed end, and the others are computed anew. Costs the shapes and contacts of the
    /// world.
    pub(crate) fn follow_rules(&mut self, materials: [u32; 2]) {
        self.follow_rules_about(materials[1] == ANY_MATERIAL, |state, shape| {
            materials.contains(&state.materials[shape].id)
        });
    }

    /// Like [`State::follow_rules`], for a rule for two categories by their numbers.
    pub(crate) fn follow_category_rules(&mut self, numbers: [u32; 2]) {
        let categories = numbers.map(category_of).into_iter().fold(0, |all, bit| all | bit);
        self.follow_rules_about(numbers[1] == ANY_MATERIAL, |state, shape| {
            state.shapes.live(shape).category & categories != 0
        });
    }

    /// Updates contacts after a change of a rule for pairs of matching shapes, or of a matching shape and any other.
    fn follow_rules_about(&mut self, with_all: bool, is_named: impl Fn(&Self, u32) -> bool) {
        let all: Vec<u32> = self.shapes.handles().map(|id| id.index()).collect();
        for shape in all {
            if is_named(self, shape) {
                self.follow_rules_of(shape, |state, other| with_all || is_named(state, other));
            }
        }
    }

    /// Updates the contacts of a shape with the others that `concerns` accepts, whose rules may have changed.
    pub(crate) fn follow_rules_of(&mut self, shape: u32, concerns: impl Fn(&Self, u32) -> bool) {
        let (body, proxy) = (self.shape_links[shape].body, self.shape_links[shape].proxy);
        self.wake_touching_shape(shape);
        self.wake_near_static(shape, &concerns);
        if proxy != NONE {
            self.broad_phase.touch(proxy);
        }
        self.change_contacts_of(body, |state, index| {
            let [a, b] = state.contacts.links.live(index).shapes;
            let is_meant = [a, b].contains(&shape) && concerns(state, a ^ b ^ shape);
            if !is_meant {
                return;
            }
            let bits = state.rule_flags([a, b]);
            let place = state.contacts.place_of(index);
            let flags = state.contacts.contacts[place].flags;
            // A contact that changes between solid and sensor begins to touch anew.
            if state.is_ignored(a, b) || (flags ^ bits) & contact_flag::SENSOR != 0 {
                state.destroy_contact(index);
            } else {
                let kept = if bits & contact_flag::ONE_WAY == 0 {
                    !contact_flag::PASSING
                } else {
                    !0
                };
                let ruled = contact_flag::HAS_RULE
                    | contact_flag::ONE_WAY
                    | contact_flag::PRE_SOLVE
                    | contact_flag::LET_PASS;
                let cleared = ruled | contact_flag::COMPUTED;
                state.contacts.contacts[place].flags = flags & !cleared & kept | bits;
            }
        });
    }

    /// Sets whether two shapes are ignored as a pair. A shape never touches itself.
    pub(crate) fn set_pair_ignored(&mut self, a: u32, b: u32, ignored: bool) {
        if a == b {
            return;
        }
        let pair = in_order(a, b);
        let mut pairs: Vec<[u32; 2]> = self.ignored_pairs.to_vec();
        match (pairs.binary_search(&pair), ignored) {
            (Err(at), true) => pairs.insert(at, pair),
            (Ok(at), false) => drop(pairs.remove(at)),
            _ => return,
        }
        self.ignored_pairs = pairs.into();
        self.follow_rules_of(a, |_, other| other == b);
        self.wake(self.shape_links[b].body);
    }

    /// Gives new shapes, which have no contacts yet, the ignored pairs of the shapes that they replace; each entry has shapes
    /// that are replaced together, and those that replace them. Costs a search among the replaced shapes for each pair of the
    /// world.
    pub(crate) fn inherit_ignored_pairs(&mut self, replaced: &[(&[u32], Vec<u32>)]) {
        let mut entries: Vec<(u32, usize)> = replaced
            .iter()
            .enumerate()
            .flat_map(|(entry, (shapes, _))| shapes.iter().map(move |&shape| (shape, entry)))
            .collect();
        entries.sort_unstable();
        let entry_of = |shape: u32| {
            let found = entries.binary_search_by_key(&shape, |(shape, _)| *shape);
            found.ok().map(|at| entries[at].1)
        };
        let with_new = |shape: u32, entry: Option<usize>| {
            let new = entry.into_iter().flat_map(|entry| &replaced[entry].1);
            core::iter::once(shape).chain(new.copied())
        };
        let mut inherited: Vec<[u32; 2]> = Vec::new();
        for &[a, b] in self.ignored_pairs.iter() {
            let of = [a, b].map(entry_of);
            // None of the two is replaced, or both are by the same shapes, which are on one body.
            if of[0] == of[1] {
                continue;
            }
            for one in with_new(a, of[0]) {
                inherited.extend(with_new(b, of[1]).map(|other| in_order(one, other)));
            }
        }
        if inherited.is_empty() {
            return;
        }
        inherited.extend(self.ignored_pairs.iter());
        inherited.sort_unstable();
        inherited.dedup();
        self.ignored_pairs = inherited.into();
    }

    /// Removes the ignored pairs of a shape that is destroyed.
    pub(crate) fn forget_ignored_pairs(&mut self, shape: u32) {
        let Some(first) = self.ignored_pairs.iter().position(|pair| pair.contains(&shape)) else {
            return;
        };
        let rest = self.ignored_pairs.slice_mut(first..self.ignored_pairs.len());
        let mut kept = 0;
        for at in 0..rest.len() {
            if !rest[at].contains(&shape) {
                rest[kept] = rest[at];
                kept += 1;
            }
        }
        let gone = rest.len() - kept;
        for _ in 0..gone {
            self.ignored_pairs.pop();
        }
    }
}

/// A shape that is not in the world, such as that of a character or of a query.
#[derive(Clone, Copy)]
pub(crate) struct Visitor<'a> {
    /// The keys for the look-up of rules.
    pub(crate) side: RuleSide,
    pub(crate) shape: &'a Shape,
    /// The pose at the start.
    pub(crate) pose: Pose,
    pub(crate) moves: VisitorMove,
}

/// The motion of a [`Visitor`] from its start.
#[derive(Clone, Copy)]
pub(crate) enum VisitorMove {
    /// A translation, in a world at rest; zero for a visitor that stays.
    Cast { translation: Vec2 },
    /// A step of `dt` seconds with about this velocity, in a world whose bodies have made their step.
    Step { velocity: Vec2, dt: f32 },
}

fn shapes_of(state: &State, shapes: [u32; 2]) -> [&Shape; 2] {
    shapes.map(|shape| &state.shape_geometries[shape])
}

/// Whether a visitor is on the outer side of a one-way platform: beyond all of it in the direction out of it, in front
/// of one of the faces that point in that direction, or beyond one of their ends. `reach` is the depth that it may have
/// in the platform.
fn stands_outside([platform, visitor]: [&Shape; 2], poses: [Pose; 2], direction: Vec2, reach: f32) -> bool {
    let farthest = |shape: &Shape, pose: Pose, direction: Vec2| {
        let corners = shape.vertices().iter();
        let heights = corners.map(|&corner| pose.transform_point(corner).dot(direction));
        heights.fold(f32::MIN, f32::max) + shape.radius()
    };
    let is_before = |face: f32, normal: Vec2| -farthest(visitor, poses[1], -normal) >= face - reach;
    if let Some([point, normal]) = platform.line_and_normal() {
        let normal = poses[0].rotation.rotate(normal);
        let face = poses[0].transform_point(point).dot(normal);
        return normal.dot(direction) >= ONE_WAY_COSINE && is_before(face, normal);
    }
    if is_before(farthest(platform, poses[0], direction), direction) {
        return true;
    }
    let faces = platform.normals().iter().zip(platform.vertices());
    for (&normal, &vertex) in faces {
        let normal = poses[0].rotation.rotate(normal);
        let face = poses[0].transform_point(vertex).dot(normal) + platform.radius();
        if normal.dot(direction) >= ONE_WAY_COSINE && is_before(face, normal) {
            return true;
        }
    }
    let manifold = collide(platform, visitor, poses[0].to(poses[1]), SPECULATIVE_DISTANCE_M);
    let points = &manifold.points[..manifold.count as usize];
    let deepest = points.iter().map(|point| point.separation).reduce(f32::min);
    poses[0].rotation.rotate(manifold.normal).dot(direction) >= ONE_WAY_COSINE
        && deepest.is_some_and(|deepest| deepest >= -reach)
}

impl Contact {
    /// The body that may pass, in a contact of a one-way rule.
    pub(crate) fn visitor(&self) -> u32 {
        if self.flags & contact_flag::ONE_WAY_A != 0 {
            self.body_b
        } else {
            self.body_a
        }
    }
}
