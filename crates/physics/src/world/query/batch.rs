//! Batches of queries, run by all workers of an executor. Each result equals that of the single query, and has the
//! place of its query.

use super::cast::{CastQuery, ShapeHit};
use super::filter::check_placed;
use super::overlap::OverlapQuery;
use super::ray::{RayHit, RayQuery};
use crate::PhysicsError;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use tombolo_threads::{Executor, FloatEnvironment, parallel_chunks};

/// The number of queries in one block of work, which takes some ten microseconds.
const QUERIES_PER_BLOCK: usize = 64;

/// The shapes that each placed shape of a batch overlaps. A value that is reused for other batches stops allocating.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// The shapes found by all queries, one query's after another's.
    shapes: Vec<ShapeId>,
    /// The end of each query's range in `shapes`.
    ends: Vec<usize>,
    /// As many blocks as the largest batch had; those that a smaller batch does not need are empty.
    blocks: Vec<OverlapBlock>,
}

/// The shapes found by the queries of one block.
#[derive(Clone, Debug, Default)]
struct OverlapBlock {
    shapes: Vec<ShapeId>,
    ends: Vec<usize>,
}

impl Overlaps {
    /// The number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there was no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The shapes found by the query at a place of the batch, by index; empty if there was no such query.
    #[must_use]
    pub fn of(&self, query: usize) -> &[ShapeId] {
        let Some(&end) = self.ends.get(query) else {
            return &[];
        };
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.shapes[start..end]
    }

    /// Clears the last batch but keeps its memory, and returns the blocks for a batch of `count` queries.
    fn reset(&mut self, count: usize) -> &mut [OverlapBlock] {
        self.shapes.clear();
        self.ends.clear();
        for block in &mut self.blocks {
            block.shapes.clear();
            block.ends.clear();
        }
        let block_count = count.div_ceil(QUERIES_PER_BLOCK);
        if self.blocks.len() < block_count {
            self.blocks.resize_with(block_count, OverlapBlock::default);
        }
        &mut self.blocks[..block_count]
    }

    /// Joins the results of the blocks into one list.
    fn join(&mut self) {
        for block in &self.blocks {
            let before = self.shapes.len();
            self.shapes.extend_from_slice(&block.shapes);
            self.ends.extend(block.ends.iter().map(|end| before + end));
        }
    }
}

impl PhysicsWorld {
    /// Finds for each ray the nearest shape that it meets, as [`PhysicsWorld::cast_ray`] does, in the order of the
    /// rays. Replaces the contents of `hits`.
    ///
    /// ```
    /// use tombolo_physics::{PhysicsWorld, Position, QueryFilter, RayQuery, Vec2, WorldDef};
    /// use tombolo_threads::Inline;
    /// let world = PhysicsWorld::new(&WorldDef::default())?;
    /// let down = |x| RayQuery::new(Position::new(x, 9.0), Vec2::NEG_Y, QueryFilter::default());
    /// let rays: Vec<RayQuery> = (0..1000).map(|x| down(x as f32)).collect();
    /// let mut hits = Vec::new();
    /// world.cast_rays(&Inline, &rays, &mut hits)?;
    /// assert_eq!(hits, vec![None; 1000]);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a number of a ray is not finite; `hits` is then empty.
    ///
    /// # Panics
    ///
    /// If the executor or a predicate panics; `hits` then has results of this batch and of the one before it.
    pub fn cast_rays(
        &self,
        executor: &dyn Executor,
        rays: &[RayQuery<'_>],
        hits: &mut Vec<Option<RayHit>>,
    ) -> Result<(), PhysicsError> {
        make_room(hits, rays.iter().map(RayQuery::check), rays.len())?;
        answer(executor, rays, hits, |ray| self.first_on_ray(ray));
        Ok(())
    }

    /// Finds for each moving shape the nearest shape that it meets, as [`PhysicsWorld::cast_shape`] does, in the order
    /// of the casts. Replaces the contents of `hits`.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::cast_shape`]; `hits` is then empty.
    ///
    /// # Panics
    ///
    /// If the executor or a predicate panics; `hits` then has results of this batch and of the one before it.
    pub fn cast_shapes(
        &self,
        executor: &dyn Executor,
        casts: &[CastQuery<'_>],
        hits: &mut Vec<Option<ShapeHit>>,
    ) -> Result<(), PhysicsError> {
        make_room(hits, casts.iter().map(CastQuery::check), casts.len())?;
        answer(executor, casts, hits, |cast| self.first_on_path(cast));
        Ok(())
    }

    /// Finds for each placed shape the shapes that it overlaps or touches, as [`PhysicsWorld::overlap_shape`] does.
    /// Replaces the contents of `found`.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_shape`]; `found` is then empty.
    ///
    /// # Panics
    ///
    /// If the executor or a predicate panics.
    pub fn overlap_shapes(
        &self,
        executor: &dyn Executor,
        queries: &[OverlapQuery<'_>],
        found: &mut Overlaps,
    ) -> Result<(), PhysicsError> {
        found.reset(0);
        for query in queries {
            check_placed(query.shape, query.pose)?;
        }
        let blocks = found.reset(queries.len());
        parallel_chunks(executor, blocks, 1, &|_, first, blocks| {
            let _environment = FloatEnvironment::enter();
            let queries = &queries[first * QUERIES_PER_BLOCK..];
            for (block, queries) in blocks.iter_mut().zip(queries.chunks(QUERIES_PER_BLOCK)) {
                for query in queries {
                    let before = block.shapes.len();
                    self.visit_placed(query, &mut |shape| {
                        block.shapes.push(shape);
                        ControlFlow::Continue(())
                    });
                    block.shapes[before..].sort_unstable_by_key(|shape| shape.index());
                    block.ends.push(block.shapes.len());
                }
            }
        });
        found.join();
        Ok(())
    }
}

/// Makes room for the results of queries whose numbers are valid, in the memory of those of another batch: results are
/// written over them, so that no other value is written to each place first.
///
/// # Errors
///
/// The first error of a query; the list is then empty.
fn make_room<A: Clone>(
    hits: &mut Vec<Option<A>>,
    mut checked: impl Iterator<Item = Result<(), PhysicsError>>,
    count: usize,
) -> Result<(), PhysicsError> {
    if let Some(error) = checked.find_map(Result::err) {
        hits.clear();
        return Err(error);
    }
    hits.resize(count, None);
    Ok(())
}

/// Writes the result of each query to the query's place.
fn answer<Q: Sync, A: Send>(
    executor: &dyn Executor,
    questions: &[Q],
    answers: &mut [A],
    ask: impl Fn(&Q) -> A + Sync,
) {
    parallel_chunks(executor, answers, QUERIES_PER_BLOCK, &|_, first, answers| {
        let _environment = FloatEnvironment::enter();
        for (answer, question) in answers.iter_mut().zip(&questions[first..]) {
            *answer = ask(question);
        }
    });
}
