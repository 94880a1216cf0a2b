//! [`Hierarchy`]: the parents and children of entities, and their frames, for the systems of `sync/`.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::prelude::{Entity, Query, With};
use bevy_ecs::query::{Allow, Has};
use bevy_ecs::system::SystemParam;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use tombolo_physics::Pose;

use crate::body::Body;
use crate::collider::Collider;
use crate::planar::{Frame, PlanarTransform};

/// The greatest number of ancestors: more is a mistake, which must not make a step endless.
pub(crate) const DEPTH_MAX: usize = 1000;

/// An entity found in a walk down the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A body.
    Body(Entity),
    /// A collider that belongs to no body below the start of the walk.
    Collider(Entity),
}

/// Read access to parents, children and Transforms.
#[derive(SystemParam)]
pub(crate) struct Hierarchy<'w, 's> {
    nodes: Query<'w, 's, (Option<&'static Transform>, Option<&'static ChildOf>), Allow<Disabled>>,
    kinds: Query<'w, 's, (Has<Body>, Has<Collider>), Allow<Disabled>>,
    children: Query<'w, 's, &'static Children, Allow<Disabled>>,
    bodies: Query<'w, 's, (), (With<Body>, Allow<Disabled>)>,
}

impl Hierarchy<'_, '_> {
    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.nodes.get(entity).ok()?.1.map(ChildOf::parent)
    }

    fn transform(&self, entity: Entity) -> Option<&Transform> {
        self.nodes.get(entity).ok()?.0
    }

    fn frame(&self, entity: Entity) -> Frame {
        self.transform(entity).map_or(Frame::WORLD, Frame::of)
    }

    /// The plane part of an entity's `Transform`, in the form in which it is written.
    pub(crate) fn written(&self, entity: Entity) -> PlanarTransform {
        self.transform(entity)
            .map_or_else(PlanarTransform::default, PlanarTransform::of)
    }

    /// The factor by which an entity and all above it multiply the positions of its children.
    pub(crate) fn scale(&self, entity: Entity) -> Vec2 {
        self.frame_within(entity, None).scale
    }

    /// The frame of an entity in that of an ancestor, or in the world.
    fn frame_within(&self, entity: Entity, above: Option<Entity>) -> Frame {
        let chain = core::iter::successors(Some(entity), |&at| {
            self.parent(at).filter(|&parent| Some(parent) != above)
        });
        Frame::composed(chain.take(DEPTH_MAX).map(|at| self.frame(at)))
    }

    /// The frame of the world in which an entity's Transform is.
    pub(crate) fn parent_frame(&self, entity: Entity) -> Frame {
        self.parent(entity)
            .map_or(Frame::WORLD, |parent| self.frame_within(parent, None))
    }

    /// The pose of an entity in the world.
    pub(crate) fn pose(&self, entity: Entity) -> Pose {
        self.frame(entity).within(self.parent_frame(entity)).pose
    }

    /// The nearest entity with a body: itself, or an ancestor.
    pub(crate) fn owner(&self, entity: Entity) -> Option<Entity> {
        let mut at = entity;
        for _ in 0..DEPTH_MAX {
            if self.bodies.contains(at) {
                return Some(at);
            }
            at = self.parent(at)?;
        }
        None
    }

    /// The pose of a collider in the frame of its owner.
    pub(crate) fn place(&self, collider: Entity, owner: Entity) -> Pose {
        if collider == owner {
            return Pose::IDENTITY;
        }
        // The owner and what is above it may be scaled for drawing, and the owner's children with them.
        let own = self.frame_within(collider, Some(owner));
        own.within(Frame::scaled(self.scale(owner))).pose
    }

    /// Calls `visit` for an entity and all below it that are bodies or colliders, from the top down and each entity's
    /// children in their order. Colliders that belong to a body at or below `entity` are left out, unless that body is
    /// `entity` and `with_own` is true.
    pub(crate) fn walk(&self, entity: Entity, with_own: bool, visit: &mut impl FnMut(Found)) {
        let mut stack = vec![(entity, true)];
        while let Some((at, mut loose)) = stack.pop() {
            let Ok((is_body, is_collider)) = self.kinds.get(at) else {
                continue;
            };
            if is_body {
                visit(Found::Body(at));
                loose = with_own && at == entity;
            }
            if is_collider && loose {
                visit(Found::Collider(at));
            }
            if let Ok(children) = self.children.get(at) {
                // A circle, which Bevy does not refuse, leads back to the start.
                let below = children.iter().rev().filter(|&&child| child != entity);
                stack.extend(below.map(|&child| (child, loose)));
            }
        }
    }
}
