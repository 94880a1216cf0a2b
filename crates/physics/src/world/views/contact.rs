//! Methods of [`ContactRef`]: reading a contact's shapes, rule, normal and points.

use super::{ContactRef, ShapeRef};
use crate::body::NONE;
use crate::contact::{CachedManifold, Contact, ContactId, flag};
use crate::rule::ContactRule;
use glam::Vec2;
use tombolo_geometry::Position;

impl<'a> ContactRef<'a> {
    fn record(&self) -> &'a Contact {
        &self.state.contacts.contacts[self.state.contacts.place_of(self.id.index())]
    }

    fn cached_manifold(&self) -> &'a CachedManifold {
        &self.state.contacts.cached_manifolds[self.state.contacts.place_of(self.id.index())]
    }

    /// The contact's id.
    pub fn id(&self) -> ContactId {
        self.id
    }

    /// The two shapes.
    pub fn shapes(&self) -> [ShapeRef<'a>; 2] {
        self.state
            .contacts
            .links
            .live(self.id.index())
            .shapes
            .map(|shape| {
                let id = self.state.shapes.live_id(shape);
                ShapeRef {
                    state: self.state,
                    id,
                }
            })
    }

    /// Whether the contact's manifold has points: the two shapes touch, or are within the speculative distance.
    pub fn is_touching(&self) -> bool {
        self.record().is_touching()
    }

    /// The contact's color in the constraint graph, less than [`GRAPH_COLORS`](crate::GRAPH_COLORS): contacts and joints
    /// of one color are solved in parallel, but for the last color, the overflow, which one worker solves in order.
    /// `None` if the contact is not solved: it does not touch, or its bodies sleep.
    pub fn color(&self) -> Option<u32> {
        Some(self.record().color).filter(|color| *color != NONE)
    }

    /// The contact rule that applies to the two shapes; `None` if there is none.
    pub fn rule(&self) -> Option<ContactRule> {
        let contact = self.record();
        let rule = self.state.rule_of([contact.shape_a, contact.shape_b])?;
        Some(rule.rule().1)
    }

    /// Whether one of the two shapes is a one-way platform that the other is passing.
    pub fn is_passing(&self) -> bool {
        self.record().flags & flag::PASSING != 0
    }

    /// The unit normal from the first shape to the second when the manifold was computed, which the solver uses; zero
    /// if they do not touch.
    pub fn normal(&self) -> Vec2 {
        self.cached_manifold().frame.normal
    }

    /// The contact points: world position, separation in meters (negative when overlapping) at the bodies' present
    /// poses, and the impulse along the normal over the last step in newton seconds.
    pub fn points(&self) -> impl Iterator<Item = (Position, f32, f32)> + 'a {
        let contact = self.record();
        let (a, b) = (
            &self.state.body_poses[contact.body_a],
            &self.state.body_poses[contact.body_b],
        );
        let cached_manifold = self.cached_manifold();
        cached_manifold.points[..contact.point_count as usize]
            .iter()
            .map(move |point| {
                let ([on_a, on_b], separation) = cached_manifold.point_now(point, a, b);
                (
                    Position::from(0.5 * (on_a + on_b)),
                    separation,
                    point.total_normal_impulse,
                )
            })
    }
}
