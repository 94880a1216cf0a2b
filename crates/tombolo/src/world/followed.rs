//! The bodies that a step moved, for the stage `poses`: their entities' Transforms are written by all workers. `poses.rs` has
//! the stage.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::{Dense, DenseParts, Entity, EntitySystem};
use tombolo_physics::{BodyId, MoveEvent, PhysicsWorld};
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

use crate::component::{BODY, Body, TRANSFORM, Transform};

/// The bodies that a worker takes at a time.
const BODIES_PER_BLOCK: usize = 256;

/// The body that an entity followed; `None` for an entity of a composite.
pub(super) type FollowedBody = Option<BodyId>;

/// What is left to do about the bodies of a block.
#[derive(Debug, Default)]
pub(super) struct FollowedBlock {
    /// The entities that follow them, in the order of the bodies.
    entities: Vec<Entity>,
    /// The body of each of these.
    bodies: Vec<FollowedBody>,
    /// The composites among the bodies, which are not followed yet, each with the number of `entities` before it.
    composites: Vec<(usize, BodyId)>,
}

/// A part of the entities that moved with their bodies, in the order of the bodies.
pub(super) enum Followed<'a> {
    /// Entities that have followed, with their bodies.
    Entities(&'a [Entity], &'a [FollowedBody]),
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
                let followed = Followed::Entities(&self.entities[range.clone()], &self.bodies[range]);
                [Some(followed), body.map(Followed::Composite)]
            })
            .flatten()
    }
}

/// Writes the poses of the bodies that the step moved to the Transforms of their entities, except for composites. A body that
/// the program created under an entity's key is not the entity's. Returns the blocks of bodies in their order; no entity is
/// followed twice.
pub(super) fn follow_moved<'b>(
    physics: &PhysicsWorld,
    entities: &mut EntitySystem,
    blocks: &'b mut Vec<FollowedBlock>,
    executor: &dyn Executor,
) -> &'b [FollowedBlock] {
    let events = physics.events().moved();
    let Some((bodies, transforms)) = entities.manager_beside(BODY, TRANSFORM) else {
        return &[];
    };
    let (bodies, transforms): (&Dense<Body>, &mut Dense<Transform>) = (bodies, transforms);
    let count = events.len().div_ceil(BODIES_PER_BLOCK);
    if blocks.len() < count {
        blocks.resize_with(count, FollowedBlock::default);
    }
    let blocks = &mut blocks[..count];
    let has_members = physics.members().len() > 0;
    let DenseParts {
        places,
        values,
        changes,
    } = transforms.parts_mut();
    let transforms = ClaimedSlice::new(values);
    parallel_chunks(executor, blocks, 1, &|_, number, block| {
        let block = &mut block[0];
        block.entities.clear();
        block.bodies.clear();
        block.composites.clear();
        let first = number * BODIES_PER_BLOCK;
        for event in &events[first..events.len().min(first + BODIES_PER_BLOCK)] {
            if has_members && is_composite(physics, event.body) {
                block.composites.push((block.entities.len(), event.body));
                continue;
            }
            let Some(entity) = owner(physics, bodies, event) else {
                continue;
            };
            let Some(place) = places.newest(entity) else {
                continue;
            };
            changes.note(place);
            // SAFETY: `place` is that of one entity, and the entity has one body. The step has one event for each body that it
            // moved, and one worker gets the block with it.
            let transform = unsafe { transforms.get_mut(place) };
            transform.follow_body(event.pose);
            block.entities.push(entity);
            block.bodies.push(Some(event.body));
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
