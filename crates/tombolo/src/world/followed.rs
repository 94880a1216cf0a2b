//! The bodies that a step moved, for the stage `poses`: their entities' Transforms are written by all workers, and the boxes of
//! those that keep their places in space. `poses.rs` has the stage.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::{Dense, DenseParts, DensePlaces, Entity, EntitySystem, RowChanges};
use tombolo_geometry::Aabb;
use tombolo_geometry::orthtree::Bounds;
use tombolo_physics::{BodyId, MoveEvent, PhysicsWorld};
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

use super::followers::{Follower, Followers, KnownFollowers};
use super::space::{Keeper, Space};
use crate::component::{BODY, Body, TRANSFORM, Transform};

/// The bodies that a worker takes at a time.
pub(super) const BODIES_PER_BLOCK: usize = 256;

/// The bodies of which a worker writes the Transforms and then the boxes. Meanwhile the boxes come into the cache.
const BODIES_AT_ONCE: usize = 64;

/// What has become of the bodies of a block, and what is left to do about them.
#[derive(Debug, Default)]
pub(super) struct FollowedBlock {
    /// The number of entities that have followed them.
    pub(super) count: usize,
    /// Those of them that do not keep their places in space, each with the box around its body's shapes, if that is known.
    pub(super) left: Vec<(Entity, Option<Bounds<2>>)>,
    /// The composites among the bodies, which are not followed yet, each with the number of entities before it.
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
    /// Whether there are composites among the bodies.
    pub(super) fn has_composites(&self) -> bool {
        !self.composites.is_empty()
    }

    /// What has followed, and what has still to, in the order of the bodies; `entities` are those of the block.
    pub(super) fn parts<'a>(&self, entities: &'a [Entity]) -> impl Iterator<Item = Followed<'a>> {
        let ends = self.composites.iter().map(|(end, body)| (*end, Some(*body)));
        let mut first = 0;
        ends.chain([(self.count, None)])
            .flat_map(move |(end, body)| {
                let range = core::mem::replace(&mut first, end)..end;
                let followed = Followed::Entities(&entities[range]);
                [Some(followed), body.map(Followed::Composite)]
            })
            .flatten()
    }

    fn clear(&mut self) {
        self.count = 0;
        self.left.clear();
        self.composites.clear();
    }
}

/// Writes the poses of the bodies that the step moved to the Transforms of their entities, and their boxes to space for entities
/// that keep their places, except for composites. A body that the program created under an entity's key is not the entity's.
/// Returns the blocks of bodies in their order; no entity is followed twice. The boxes of the bodies are reported with them.
///
/// The entities of each block are written to `followed`, which has a place for each body, from that of the first body of the block on.
pub(super) fn follow_moved<'b>(
    physics: &PhysicsWorld,
    entities: &mut EntitySystem,
    space: &mut Space,
    (followers, blocks): (&mut Followers, &'b mut Vec<FollowedBlock>),
    followed: &mut [Entity],
    executor: &dyn Executor,
) -> &'b [FollowedBlock] {
    let (events, boxes) = (physics.events().moved(), physics.events().moved_boxes());
    assert_eq!(events.len(), boxes.len(), "the stage `physics` asks for boxes");
    assert_eq!(events.len(), followed.len(), "each body may have an entity");
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
    let DenseParts {
        places,
        values,
        changes,
    } = transforms.parts_mut();
    let followed = ClaimedSlice::new(followed);
    let stage = FollowMoved {
        physics,
        has_members: physics.members().len() > 0,
        bodies,
        places,
        transforms: ClaimedSlice::new(values),
        changes,
        known,
        keeper: space.keeper(),
    };
    parallel_chunks(executor, blocks, 1, &|_, number, block| {
        let first = number * BODIES_PER_BLOCK;
        let range = first..events.len().min(first + BODIES_PER_BLOCK);
        // SAFETY: one worker gets each block. The step has one event for each body that it moved, and the block has it alone.
        unsafe {
            let followed = followed.slice_mut(range.clone());
            stage.follow_block(&events[range.clone()], &boxes[range], &mut block[0], followed);
        }
    });
    blocks
}

/// What the workers share.
struct FollowMoved<'a> {
    physics: &'a PhysicsWorld,
    /// Whether there are composites.
    has_members: bool,
    bodies: &'a Dense<Body>,
    places: DensePlaces<'a>,
    transforms: ClaimedSlice<'a, Transform>,
    changes: RowChanges<'a>,
    known: KnownFollowers<'a>,
    keeper: Keeper<'a>,
}

impl FollowMoved<'_> {
    /// Updates the entities of a block of bodies, of which there are at most [`BODIES_PER_BLOCK`].
    ///
    /// # Safety
    ///
    /// No other thread is in a call for one of these bodies.
    unsafe fn follow_block(
        &self,
        events: &[MoveEvent],
        boxes: &[Aabb],
        block: &mut FollowedBlock,
        followed: &mut [Entity],
    ) {
        block.clear();
        let mut unkept = [Follower::UNKNOWN; BODIES_AT_ONCE];
        for (events, boxes) in events.chunks(BODIES_AT_ONCE).zip(boxes.chunks(BODIES_AT_ONCE)) {
            let mut followers = [const { None }; BODIES_AT_ONCE];
            // SAFETY: the caller's promise.
            unsafe {
                self.move_transforms(events, block, followed, (&mut unkept, &mut followers));
                self.keep_boxes(boxes, block, &mut followers);
            }
        }
    }

    /// Writes the poses of some bodies to the Transforms of their entities, which are returned in `followers`: as they are known, or
    /// in `unkept` if none are in this step.
    ///
    /// # Safety
    ///
    /// No other thread is in a call for one of these bodies.
    #[inline(always)]
    unsafe fn move_transforms<'b>(
        &'b self,
        events: &[MoveEvent],
        block: &mut FollowedBlock,
        followed: &mut [Entity],
        (unkept, followers): (
            &'b mut [Follower; BODIES_AT_ONCE],
            &mut [Option<&'b mut Follower>; BODIES_AT_ONCE],
        ),
    ) {
        let mut count = block.count;
        for ((event, unkept), slot) in events.iter().zip(unkept).zip(followers) {
            if self.has_members && is_composite(self.physics, event.body) {
                block.composites.push((count, event.body));
                continue;
            }
            // What is there was found for another body.
            *unkept = Follower::UNKNOWN;
            // SAFETY: the caller's promise.
            let follower = unsafe { self.known.row(event.body) }.unwrap_or(unkept);
            let known = follower.of(event).or_else(|| self.find(event, follower));
            let Some((entity, place)) = known else {
                continue;
            };
            assert!(
                place < self.transforms.len(),
                "a known place is one of a Transform"
            );
            self.changes.note(place);
            // SAFETY: in bounds. `place` is that of one entity, and the entity has one body.
            let transform = unsafe { self.transforms.get_mut(place) };
            transform.follow_body(event.pose);
            self.keeper.prefetch(follower.spot);
            followed[count] = entity;
            count += 1;
            *slot = Some(follower);
        }
        block.count = count;
    }

    /// Updates the boxes of entities that keep their places.
    ///
    /// # Safety
    ///
    /// No other thread is in a call for one of these entities.
    #[inline(always)]
    unsafe fn keep_boxes(
        &self,
        boxes: &[Aabb],
        block: &mut FollowedBlock,
        followers: &mut [Option<&mut Follower>; BODIES_AT_ONCE],
    ) {
        for (shapes, follower) in boxes.iter().zip(followers) {
            let Some(follower) = follower else {
                continue;
            };
            let (Some(entity), spot) = (follower.entity, follower.spot) else {
                continue;
            };
            // The box is made where it is needed: in memory for a call it would be read back from there for the others too.
            let is_box = shapes.min.x <= shapes.max.x;
            // SAFETY: the caller's promise.
            if is_box && unsafe { self.keeper.keep_at(spot, entity, Bounds::from(*shapes)) } {
                continue;
            }
            let bounds = is_box.then(|| Bounds::from(*shapes));
            // SAFETY: likewise.
            match bounds.and_then(|bounds| unsafe { self.keeper.keep(entity, bounds) }) {
                Some(spot) => follower.spot = spot,
                None => block.left.push((entity, bounds)),
            }
        }
    }

    /// The entity whose body moved, and the place of its Transform, for a follower that is not known. `None` for a body that is
    /// nobody's.
    #[inline(never)]
    fn find(&self, event: &MoveEvent, follower: &mut Follower) -> Option<(Entity, usize)> {
        let entity = owner(self.physics, self.bodies, event)?;
        let place = self.places.newest(entity)?;
        *follower = Follower::new(entity, event.body, place)?;
        Some((entity, place))
    }
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
