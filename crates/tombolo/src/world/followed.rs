//! The bodies that a step moved, for the stage `poses`: their entities' Transforms are written by all workers, and the boxes of
//! those that keep their places in space. `poses.rs` has the stage.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::{Dense, DenseParts, Entity, EntitySystem};
use tombolo_geometry::orthtree::Bounds;
use tombolo_physics::{BodyId, MoveEvent, PhysicsWorld};
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

use super::followers::Followers;
use super::space::Space;
use crate::component::{BODY, Body, TRANSFORM, Transform};

/// The bodies that a worker takes at a time.
const BODIES_PER_BLOCK: usize = 256;

/// What is left to do about the bodies of a block.
#[derive(Debug, Default)]
pub(super) struct FollowedBlock {
    /// The entities that have followed them, in the order of the bodies.
    entities: Vec<Entity>,
    /// Those of them that do not keep their places in space, each with the box around its body's shapes, if that is known.
    pub(super) left: Vec<(Entity, Option<Bounds<2>>)>,
    /// The composites among the bodies, which are not followed yet, each with the number of `entities` before it.
    composites: Vec<(usize, BodyId)>,
}

/// A part of the entities that moved with their bodies, in the order of the bodies.
pub(super) enum Followed<'a> {
    /// Entities that have followed.
    Entities(&'a [Entity]),
    /// A composite, whose entities have not.
    Composite(BodyId),
}

impl FollowedBlock {
    /// What has followed, and what has still to, in the order of the bodies.
    pub(super) fn parts(&self) -> impl Iterator<Item = Followed<'_>> {
        let ends = self.composites.iter().map(|(end, body)| (*end, Some(*body)));
        let mut first = 0;
        ends.chain([(self.entities.len(), None)])
            .flat_map(move |(end, body)| {
                let range = core::mem::replace(&mut first, end)..end;
                let followed = Followed::Entities(&self.entities[range]);
                [Some(followed), body.map(Followed::Composite)]
            })
            .flatten()
    }

    fn clear(&mut self) {
        self.entities.clear();
        self.left.clear();
        self.composites.clear();
    }
}

/// Writes the poses of the bodies that the step moved to the Transforms of their entities, and their boxes to space for entities
/// that keep their places, except for composites. A body that the program created under an entity's key is not the entity's.
/// Returns the blocks of bodies in their order; no entity is followed twice. The boxes of the bodies are reported with them.
pub(super) fn follow_moved<'b>(
    physics: &PhysicsWorld,
    entities: &mut EntitySystem,
    space: &mut Space,
    (followers, blocks): (&mut Followers, &'b mut Vec<FollowedBlock>),
    executor: &dyn Executor,
) -> &'b [FollowedBlock] {
    let (events, boxes) = (physics.events().moved(), physics.events().moved_boxes());
    assert_eq!(events.len(), boxes.len(), "the stage `physics` asks for boxes");
    let Some((bodies, transforms)) = entities.manager_beside(BODY, TRANSFORM) else {
        return &[];
    };
    let (bodies, transforms): (&Dense<Body>, &mut Dense<Transform>) = (bodies, transforms);
    let count = events.len().div_ceil(BODIES_PER_BLOCK);
    if blocks.len() < count {
        blocks.resize_with(count, FollowedBlock::default);
    }
    // A step that a panic ended has left its own.
    blocks[count..].iter_mut().for_each(FollowedBlock::clear);
    let blocks = &mut blocks[..count];
    let known = followers.known(bodies, transforms, physics.greatest_counts().bodies as usize);
    let has_members = physics.members().len() > 0;
    let DenseParts {
        places,
        values,
        changes,
    } = transforms.parts_mut();
    let transforms = ClaimedSlice::new(values);
    let keeper = space.keeper();
    parallel_chunks(executor, blocks, 1, &|_, number, block| {
        let block = &mut block[0];
        block.clear();
        let first = number * BODIES_PER_BLOCK;
        let range = first..events.len().min(first + BODIES_PER_BLOCK);
        for (event, shapes) in events[range.clone()].iter().zip(&boxes[range]) {
            if has_members && is_composite(physics, event.body) {
                block.composites.push((block.entities.len(), event.body));
                continue;
            }
            let find = || places.newest(owner(physics, bodies, event)?);
            // SAFETY: the step has one event for each body that it moved, and one worker gets the block with it.
            let place = unsafe { known.place(event, find) };
            let (Some(entity), Some(place)) = (Entity::from_bits(event.user_key), place) else {
                continue;
            };
            assert!(place < transforms.len(), "a known place is one of a Transform");
            changes.note(place);
            // SAFETY: likewise; `place` is that of one entity, and the entity has one body.
            let transform = unsafe { transforms.get_mut(place) };
            transform.follow_body(event.pose);
            block.entities.push(entity);
            let bounds = (shapes.min.x <= shapes.max.x).then(|| Bounds::from(*shapes));
            // SAFETY: likewise.
            let keeps = bounds.is_some_and(|bounds| unsafe { keeper.keep(entity, bounds) });
            if !keeps {
                block.left.push((entity, bounds));
            }
        }
    });
    blocks
}

fn is_composite(physics: &PhysicsWorld, body: BodyId) -> bool {
    physics
        .body(body)
        .is_some_and(|body| body.members().next().is_some())
}

/// The entity whose body moved; `None` for a body that is nobody's.
#[inline]
fn owner(physics: &PhysicsWorld, bodies: &Dense<Body>, event: &MoveEvent) -> Option<Entity> {
    let entity = Entity::from_bits(event.user_key)?;
    let body = bodies.newest(entity)?.current(physics);
    (body == Some(event.body)).then_some(entity)
}
