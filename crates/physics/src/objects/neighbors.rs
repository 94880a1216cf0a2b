//! Neighbors of a shape that does not move, which cover its faces: contacts with static neighbors, or with the parts of
//! one kinematic body, are those of their common border.
//!
//! Nothing is stored: neighbors are searched when a manifold is computed anew, in the part of the tree that the other
//! shape's box overlaps. So no data must be updated when a neighbor is created, moved or destroyed, and a world without
//! two static shapes near each other pays for a test of a tree's root.
//!
//! Why: `docs/decisions.md#covered-faces-are-found-where-a-manifold-is-computed`.

use crate::body::{BodyKind, NONE};
use crate::broad_phase::TreeKind;
use crate::constants::SPECULATIVE_DISTANCE_M;
use crate::contact::manifold::{ContactSide, skins, without_skins};
use crate::contact::{Contact, flag};
use crate::rule::in_order;
use crate::state::State;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::collide::{Manifold, collide};
use tombolo_geometry::neighbors::{Neighbor, collide_among};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose};

/// The greatest number of neighbors near one point that are considered: those whose boxes reach farthest into the common
/// part of both shapes' boxes. There are more than a handful only where static shapes overlap. The price of a script's
/// query of touches assumes it: `NEIGHBORS_MAX` in `crates/tombolo/src/world/script/ask.rs`.
const NEIGHBORS_MAX: usize = 32;

/// The greatest number of shapes near one point that are examined for neighbors; among more of them nothing covers
/// anything, so that a shape there is touched as if it were alone: it pushes as before, and its hidden faces may be felt.
/// As each of many static shapes at one place examines the others, all together would cost their square. Also assumed
/// in `ask.rs`.
const EXAMINED_MAX: usize = 128;

/// Up to this number, neighbors are passed on in the order of the tree: they cover no more parts of faces than
/// [`collide_among`] stores, and so their order does not matter.
const UNORDERED_MAX: usize = 4;

impl State {
    /// The manifold of the two shapes of a contact, with their contact skins.
    pub(crate) fn manifold_of(&self, contact: &Contact, a: ContactSide<'_>, b: ContactSide<'_>) -> Manifold {
        let skins = skins([a.material, b.material]);
        let bare = self.bare_manifold_of(contact, a, b, SPECULATIVE_DISTANCE_M + skins);
        without_skins(bare, skins)
    }

    /// The manifold of the two shapes of a contact, empty if they are farther apart than `distance` meters.
    #[inline]
    fn bare_manifold_of(
        &self,
        contact: &Contact,
        a: ContactSide<'_>,
        b: ContactSide<'_>,
        distance: f32,
    ) -> Manifold {
        let b_in_a = a.pose.pose.to(b.pose.pose);
        let plain = || collide(a.shape, b.shape, b_in_a, distance);
        let Some((still, tree)) = self.still_side(contact) else {
            return plain();
        };
        // The common border of neighbors is a part of the shape's own border: if that is not touched, this is not
        // either.
        if contact.point_count == 0 {
            let alone = plain();
            if alone.count == 0 {
                return alone;
            }
        }
        let box_of = |proxy: u32| self.broad_phase.fat_box(proxy);
        let found = if still == contact.shape_a {
            let covers = |other: u32| self.covers_contact(still, other, contact.shape_b);
            self.among_neighbors(still, tree, box_of(contact.proxy_b), covers, |neighbors| {
                collide_among(a.shape, neighbors, b.shape, b_in_a, distance)
            })
        } else {
            let a_in_b = b.pose.pose.to(a.pose.pose);
            let covers = |other: u32| self.covers_contact(still, other, contact.shape_a);
            self.among_neighbors(still, tree, box_of(contact.proxy_a), covers, |neighbors| {
                collide_among(b.shape, neighbors, a.shape, a_in_b, distance)
                    .map(|manifold| manifold.swapped(b_in_a))
            })
        };
        found.unwrap_or_else(plain)
    }

    /// The shape of a contact that may have neighbors at rest relative to it, and the tree in which they are.
    #[inline]
    fn still_side(&self, contact: &Contact) -> Option<(u32, TreeKind)> {
        // The flags of a contact decide most cases.
        let [is_static_a, is_static_b] = [flag::STATIC_A, flag::STATIC_B].map(|bit| contact.flags & bit != 0);
        let (still, tree) = if is_static_a {
            (contact.shape_a, TreeKind::Static)
        } else if is_static_b {
            (contact.shape_b, TreeKind::Static)
        } else {
            if self.broad_phase.trees[TreeKind::Kinematic as usize].len() < 2 {
                return None;
            }
            let is_kinematic = |body: u32| self.body_sims[body].kind() == BodyKind::Kinematic;
            match [contact.body_a, contact.body_b].map(is_kinematic) {
                [true, _] => (contact.shape_a, TreeKind::Kinematic),
                [_, true] => (contact.shape_b, TreeKind::Kinematic),
                _ => return None,
            }
        };
        let has_others = self.broad_phase.trees[tree as usize].len() > 1;
        (has_others && self.is_sharp_polygon(still)).then_some((still, tree))
    }

    /// The manifold of a placed shape and one of the world's shapes; only neighbors that `is_met` accepts cover its faces.
    pub(crate) fn touch_of(
        &self,
        placed: &Shape,
        pose: Pose,
        shape: u32,
        distance: f32,
        is_met: impl Fn(u32) -> bool,
    ) -> Manifold {
        let geometry = &self.shape_geometries[shape];
        let other = self.body_poses[self.shape_links[shape].body].pose;
        let plain = || collide(placed, geometry, pose.to(other), distance);
        let Some(tree) = self.tree_of_neighbors(shape) else {
            return plain();
        };
        let area = placed.aabb(pose).grown(distance);
        let among = |neighbors: &[Neighbor<'_>]| {
            collide_among(geometry, neighbors, placed, other.to(pose), distance)
                .map(|manifold| manifold.swapped(pose.to(other)))
        };
        self.among_neighbors(shape, tree, area, is_met, among)
            .unwrap_or_else(plain)
    }

    /// The tree that contains a shape's neighbors; `None` for a shape without any, as it moves relative to all others
    /// or is not a sharp polygon.
    fn tree_of_neighbors(&self, shape: u32) -> Option<TreeKind> {
        if !self.is_sharp_polygon(shape) || self.shape_links[shape].proxy == NONE {
            return None;
        }
        let tree = match self.body_sims[self.shape_links[shape].body].kind() {
            BodyKind::Static => TreeKind::Static,
            BodyKind::Kinematic => TreeKind::Kinematic,
            BodyKind::Dynamic => return None,
        };
        (self.broad_phase.trees[tree as usize].len() > 1).then_some(tree)
    }

    fn is_sharp_polygon(&self, shape: u32) -> bool {
        let geometry = &self.shape_geometries[shape];
        geometry.vertices().len() >= 3 && geometry.radius() == 0.0
    }

    /// Whether a shape covers faces of others: a sharp polygon, a segment of a chain or a half-space.
    fn covers_faces(&self, shape: u32) -> bool {
        let geometry = &self.shape_geometries[shape];
        self.is_sharp_polygon(shape) || geometry.is_chain_segment() || geometry.is_half_space()
    }

    /// The result of `collide` with the neighbors of a shape that overlap `area` and that `covers` accepts: what the
    /// visitor passes covers no faces. `None` if there are none, or `collide` returns it.
    fn among_neighbors(
        &self,
        shape: u32,
        tree: TreeKind,
        area: Aabb,
        covers: impl Fn(u32) -> bool,
        collide: impl FnOnce(&[Neighbor<'_>]) -> Option<Manifold>,
    ) -> Option<Manifold> {
        let own = self.broad_phase.fat_box(self.shape_links[shape].proxy);
        let both = Aabb {
            min: own.min.max(area.min),
            max: own.max.min(area.max),
        };
        if both.min.x > both.max.x || both.min.y > both.max.y {
            return None;
        }
        let mut found = [NONE; EXAMINED_MAX];
        let count = self.find_neighbors(shape, tree, both, covers, &mut found);
        if count == 0 {
            return None;
        }
        let is_without_end = |&other: &u32| self.shape_geometries[other].is_half_space();
        if found[..count].iter().any(is_without_end) {
            return self.among_half_spaces(shape, both, &found[..count], collide);
        }
        let frame = self.body_poses[self.shape_links[shape].body].pose;
        let mut neighbors = [Neighbor {
            shape: &self.shape_geometries[shape],
            pose: Pose::IDENTITY,
        }; NEIGHBORS_MAX];
        for (neighbor, &other) in neighbors.iter_mut().zip(&found[..count]) {
            *neighbor = Neighbor {
                shape: &self.shape_geometries[other],
                pose: frame.to(self.body_poses[self.shape_links[other].body].pose),
            };
        }
        collide(&neighbors[..count])
    }

    /// Writes the neighbors of a shape in `area` that `covers` accepts into `found`, and returns their number, at most
    /// [`NEIGHBORS_MAX`]; 0 if there are more than [`EXAMINED_MAX`] shapes.
    fn find_neighbors(
        &self,
        shape: u32,
        tree: TreeKind,
        area: Aabb,
        covers: impl Fn(u32) -> bool,
        found: &mut [u32; EXAMINED_MAX],
    ) -> usize {
        let (mut count, mut examined) = (0, 0);
        self.broad_phase.search_tree(tree, area, |other| {
            if examined == EXAMINED_MAX {
                count = 0;
                return Visit::Stop;
            }
            examined += 1;
            if self.are_neighbors(shape, other) && covers(other) {
                found[count] = other;
                count += 1;
            }
            Visit::Continue
        });
        if count > UNORDERED_MAX {
            self.order_by_reach(&mut found[..count], area);
        }
        count.min(NEIGHBORS_MAX)
    }

    /// Orders shapes by how far their boxes reach into `area`, farthest first; equal reach by the boxes, and equal boxes
    /// by index.
    #[cold]
    fn order_by_reach(&self, shapes: &mut [u32], area: Aabb) {
        shapes.sort_unstable_by(|&a, &b| {
            let [own, other] = [a, b].map(|shape| {
                let bounds = self.broad_phase.fat_box(self.shape_links[shape].proxy);
                let inside = bounds.max.min(area.max) - bounds.min.max(area.min);
                [
                    -inside.element_sum(),
                    bounds.min.x,
                    bounds.min.y,
                    bounds.max.x,
                    bounds.max.y,
                ]
            });
            let mut values = own.iter().zip(&other).map(|(own, other)| own.total_cmp(other));
            values.find(|order| order.is_ne()).unwrap_or_else(|| a.cmp(&b))
        });
    }

    /// Like [`State::among_neighbors`], if some of the neighbors are half-spaces: these become polygons around the
    /// point.
    #[cold]
    fn among_half_spaces(
        &self,
        shape: u32,
        area: Aabb,
        others: &[u32],
        collide: impl FnOnce(&[Neighbor<'_>]) -> Option<Manifold>,
    ) -> Option<Manifold> {
        let frame = self.body_poses[self.shape_links[shape].body].pose;
        let own = self.shape_geometries[shape].max_extent_from(frame.inverse_transform_point(area.center()));
        let mut parts = [self.shape_geometries[shape]; NEIGHBORS_MAX];
        for (part, &other) in parts.iter_mut().zip(others) {
            let pose = self.body_poses[self.shape_links[other].body].pose;
            let around = pose.inverse_transform_point(area.center());
            *part = self.shape_geometries[other].near(around, own);
        }
        let mut neighbors = [Neighbor {
            shape: &parts[0],
            pose: Pose::IDENTITY,
        }; NEIGHBORS_MAX];
        for ((neighbor, part), &other) in neighbors.iter_mut().zip(&parts).zip(others) {
            *neighbor = Neighbor {
                shape: part,
                pose: frame.to(self.body_poses[self.shape_links[other].body].pose),
            };
        }
        collide(&neighbors[..others.len()])
    }

    /// Whether two shapes of one tree are at rest relative to each other and touch the same other shapes.
    fn are_neighbors(&self, shape: u32, other: u32) -> bool {
        let bodies = [shape, other].map(|shape| self.shape_links[shape].body);
        other != shape
            && self.covers_faces(other)
            && (bodies[0] == bodies[1] || self.body_sims[bodies[0]].kind() == BodyKind::Static)
            && self.shapes.live(shape).filter() == self.shapes.live(other).filter()
            && (self.rules.is_empty() || self.materials[shape].id == self.materials[other].id)
    }

    /// Whether a neighbor covers faces of a shape for the contacts of a visitor. One with another contact skin does not:
    /// the borders of the skins do not meet, and at the step between them there is a corner.
    fn covers_contact(&self, shape: u32, neighbor: u32, visitor: u32) -> bool {
        self.materials[shape].skin == self.materials[neighbor].skin && self.stops(neighbor, visitor)
    }

    /// Whether a neighbor of a shape that touches a visitor stops the visitor too. As neighbors have the same filter and,
    /// if there are rules, the same material, only what is said about single pairs can differ.
    fn stops(&self, neighbor: u32, visitor: u32) -> bool {
        let bodies = [neighbor, visitor].map(|shape| self.shape_links[shape].body);
        let is_joined =
            || self.bodies.live(bodies[1]).joint_count > 0 && self.joint_keeps_apart(bodies[0], bodies[1]);
        // The answers of a custom filter are known only by the contacts that there are.
        let is_refused = || {
            let pair = in_order(neighbor, visitor);
            let mut contacts = self.contacts_of(bodies[1]);
            !contacts.any(|index| self.contacts.links.live(index).shapes == pair)
        };
        !(self.is_pair_ignored(neighbor, visitor)
            || is_joined()
            || self.callbacks_in_use().custom_filter && is_refused())
    }
}
