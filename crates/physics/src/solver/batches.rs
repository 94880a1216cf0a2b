//! [`Batches`]: whole small islands packed together, so that one worker can take each batch through all substeps
//! alone.
//!
//! Islands share no body that any constraint may change, so a batch has no dependencies: no barriers, and its data
//! stays in the cache of one core. Large islands, islands that a kinematic body touches (it moves within the substeps,
//! for all of them alike) and kinematic bodies themselves are *shared*: all workers solve them together, color by
//! color. A batch processes colors in the same order, so the result does not depend on which islands are batched
//! together.
//!
//! Bodies that are solved in more substeps (`connected.rs`) are not in the batches of their islands. Each group of them
//! is a [`Portion`] of its own, all others are one: the solver runs once for each. Kinematic bodies are in all of them.
//!
//! This file packs islands and sorts constraints by batch; `tasks.rs` solves them. The data is rebuilt in each step.

use crate::body::READ_ONLY;
use crate::contact::graph::{COLOR_COUNT, ConstraintEntry, ConstraintGraph, OVERFLOW};
use crate::joint::JOINT_BLOCK_KINDS;
use crate::solver::connected::ConnectedSets;
use crate::solver::lanes::BLOCK;
use crate::state::State;
use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;
use tombolo_threads::{Executor, parallel_chunks};

/// The batch index of islands that are in no batch, and of bodies that a constraint may not change: greater than any
/// other.
const SHARED: u32 = u32::MAX;

/// The number of bodies whose islands are looked up in one block of work: a few microseconds.
const BODIES_PER_BLOCK: usize = 1024;

/// The number of constraints below which sorting them does not justify waking other workers.
const PARALLEL_SORT_MIN: usize = 1024;

/// The batch of each island, and bodies and constraints sorted by batch.
///
/// Batches are numbered from 0; then comes the shared part, then the groups that are solved in more substeps.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    count: u32,
    /// Whether bodies and constraints were sorted; if not, all are shared.
    is_sorted: bool,
    of_island: Vec<u32>,
    of_body: Vec<u32>,
    /// The bodies of each group that is solved in more substeps, and the kinematic ones.
    extra_bodies: Vec<Vec<u32>>,
    /// The island of each awake body, in the order of their list, [`SHARED`] for one that is in none; then the number
    /// that its body is sorted by.
    islands: Vec<u32>,
    bodies: Groups<u32>,
    colors: [ColorGroups; COLOR_COUNT],
    /// The colors that have constraints, in the order in which they are solved.
    used_colors: Vec<u32>,
}

/// The part of the world that one run of the solver solves.
#[derive(Clone, Debug)]
pub(crate) struct Portion {
    /// The batches, each of which one worker takes through all substeps alone.
    pub(crate) batches: Range<usize>,
    /// The index of the shared part: the bodies and constraints that all workers solve together.
    pub(crate) shared: Option<usize>,
}

/// The constraints of one color by batch.
#[derive(Debug, Default)]
struct ColorGroups {
    contacts: Groups<ConstraintEntry>,
    joints: [Groups<ConstraintEntry>; JOINT_BLOCK_KINDS],
}

/// The number of blocks of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCounts {
    pub(crate) bodies: usize,
    pub(crate) contacts: usize,
    /// The joint blocks, by kind.
    pub(crate) joints: [usize; JOINT_BLOCK_KINDS],
}

/// Items sorted by a small number.
#[derive(Debug)]
struct Groups<T> {
    /// The start of each group in `items`, and the end of the last one.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Copy> Groups<T> {
    /// Sorts items into groups below `group_count`, in each group in the order given: a counting sort. `group_of` gets an
    /// item's place too.
    fn sort(&mut self, items: &[T], group_count: usize, group_of: impl Fn(usize, &T) -> usize) {
        let Some(&any) = items.first() else {
            self.items.clear();
            return;
        };
        self.starts.clear();
        self.starts.resize(group_count + 1, 0);
        for (place, item) in items.iter().enumerate() {
            self.starts[group_of(place, item)] += 1;
        }
        // Converts the counts of the groups to their ends.
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.items.clear();
        self.items.resize(items.len(), any);
        for (place, item) in items.iter().enumerate().rev() {
            let start = &mut self.starts[group_of(place, item)];
            *start -= 1;
            self.items[*start as usize] = *item;
        }
    }

    fn group(&self, index: usize) -> &[T] {
        if self.items.is_empty() {
            return &[];
        }
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

impl Batches {
    /// Packs islands of at most `bodies_max` bodies into batches of at most as many, in the order of the awake islands,
    /// and sorts bodies and constraints by batch; or packs nothing, if less than half of the bodies are in such
    /// islands. Zero packs nothing. Groups that are solved in more substeps are sorted out in any case.
    pub(crate) fn pack(
        &mut self,
        state: &State,
        sets: &ConnectedSets,
        bodies_max: u32,
        executor: &dyn Executor,
    ) {
        self.count = 0;
        let are_some_packed = bodies_max > 0 && are_islands_small(state, bodies_max);
        self.is_sorted = are_some_packed || !sets.is_empty();
        if !self.is_sorted {
            return;
        }
        if are_some_packed {
            self.look_up_islands(state, executor);
            self.mark_islands(state);
            self.pack_islands(state, bodies_max);
        } else {
            self.islands.clear();
            self.islands.resize(state.awake_bodies.len(), SHARED);
        }
        let groups = self.count() + 1 + sets.extras().len();
        self.sort_bodies(state, sets, groups, executor);
        self.sort_constraints(&state.graph, groups, executor);
    }

    /// The portion that is solved in the world's substeps.
    pub(crate) fn main_portion(&self) -> Portion {
        Portion {
            batches: 0..self.count(),
            shared: Some(self.count()),
        }
    }

    /// The portion of a group that is solved in more substeps: by one worker alone, if it is no larger than a batch.
    pub(crate) fn extra_portion(&self, group: usize, bodies_max: u32) -> Portion {
        let number = self.count() + 1 + group;
        if self.bodies(number).len() <= bodies_max as usize {
            Portion {
                batches: number..number + 1,
                shared: None,
            }
        } else {
            Portion {
                batches: 0..0,
                shared: Some(number),
            }
        }
    }

    /// The number of batches.
    fn count(&self) -> usize {
        self.count as usize
    }

    /// The bodies of a batch, or of a group that is solved in more substeps.
    pub(crate) fn bodies(&self, batch: usize) -> &[u32] {
        match batch.checked_sub(self.count() + 1) {
            Some(group) => &self.extra_bodies[group],
            None => self.bodies.group(batch),
        }
    }

    /// The colors in which any batch has constraints, in the order in which they are solved: the overflow goes first,
    /// so that the others correct its errors.
    pub(crate) fn used_colors(&self) -> impl Iterator<Item = usize> {
        self.used_colors.iter().map(|&color| color as usize)
    }

    /// The contacts of a batch in one color.
    pub(crate) fn contacts(&self, batch: usize, color: usize) -> &[ConstraintEntry] {
        self.colors[color].contacts.group(batch)
    }

    /// The joints of a batch in one color, of one kind of block.
    pub(crate) fn joints(&self, batch: usize, color: usize, kind: usize) -> &[ConstraintEntry] {
        self.colors[color].joints[kind].group(batch)
    }

    /// The awake bodies that all workers move together, in the portion whose shared part is `shared`.
    pub(crate) fn shared_bodies<'a>(&'a self, shared: usize, awake_bodies: &'a [u32]) -> &'a [u32] {
        if self.is_sorted {
            self.bodies(shared)
        } else {
            awake_bodies
        }
    }

    /// The contacts of a color that all workers solve together.
    pub(crate) fn shared_contacts<'a>(
        &'a self,
        shared: usize,
        graph: &'a ConstraintGraph,
        color: usize,
    ) -> &'a [ConstraintEntry] {
        if self.is_sorted {
            self.contacts(shared, color)
        } else {
            &graph.colors[color].contacts
        }
    }

    /// The joints of a color, of one kind of block, that all workers solve together.
    pub(crate) fn shared_joints<'a>(
        &'a self,
        shared: usize,
        graph: &'a ConstraintGraph,
        (color, kind): (usize, usize),
    ) -> &'a [ConstraintEntry] {
        if self.is_sorted {
            self.joints(shared, color, kind)
        } else {
            &graph.colors[color].joints[kind]
        }
    }

    /// The number of blocks that the largest of some batches needs.
    pub(crate) fn block_counts_max(&self, batches: Range<usize>) -> BlockCounts {
        let blocks = |list: &dyn Fn(usize) -> usize| -> usize {
            self.used_colors().map(|color| list(color).div_ceil(BLOCK)).sum()
        };
        let contacts = |batch: usize| blocks(&|color| self.contacts(batch, color).len());
        let joints = |batch: usize, kind: usize| blocks(&|color| self.joints(batch, color, kind).len());
        let most = |count: &dyn Fn(usize) -> usize| batches.clone().map(count).max().unwrap_or(0);
        BlockCounts {
            bodies: most(&|batch| self.bodies(batch).len().div_ceil(BLOCK)),
            contacts: most(&contacts),
            joints: from_fn(|kind| most(&|batch| joints(batch, kind))),
        }
    }

    fn look_up_islands(&mut self, state: &State, executor: &dyn Executor) {
        self.islands.resize(state.awake_bodies.len(), SHARED);
        parallel_chunks(
            executor,
            &mut self.islands,
            BODIES_PER_BLOCK,
            &|_, first, block| {
                let bodies = state.awake_bodies.slice(first..first + block.len());
                for (island, &body) in block.iter_mut().zip(bodies) {
                    *island = state.islands.island_of(body).unwrap_or(SHARED);
                }
            },
        );
    }

    /// Marks islands that a kinematic body touches.
    fn mark_islands(&mut self, state: &State) {
        let islands = &state.islands;
        // The entries of sleeping islands and bodies are never read, so they are not cleared: an array of all of them
        // is not written for the few that are awake.
        self.of_island.resize(islands.island_index_end() as usize, 0);
        for &island in islands.awake_islands() {
            self.of_island[island as usize] = 0;
        }
        let in_none = |&(_, &island): &(_, &u32)| island == SHARED;
        for (&body, _) in state.awake_bodies.iter().zip(&self.islands).filter(in_none) {
            let partner = |a: u32, b: u32| islands.island_of(a ^ b ^ body);
            for index in state.contacts_of(body) {
                let [a, b] = state.contacts.links.live(index).bodies;
                if let Some(island) = partner(a, b) {
                    self.of_island[island as usize] = SHARED;
                }
            }
            for index in state.joints_of(body) {
                let joint = &state.joint_sims[index];
                if let Some(island) = partner(joint.body_a, joint.body_b) {
                    self.of_island[island as usize] = SHARED;
                }
            }
        }
    }

    fn pack_islands(&mut self, state: &State, bodies_max: u32) {
        let islands = &state.islands;
        let mut filled = 0;
        for &island in islands.awake_islands() {
            let (bodies, batch) = (islands.node_count(island), &mut self.of_island[island as usize]);
            if bodies > bodies_max {
                *batch = SHARED;
            }
            if *batch == SHARED {
                continue;
            }
            if self.count == 0 || filled + bodies > bodies_max {
                self.count += 1;
                filled = 0;
            }
            filled += bodies;
            *batch = self.count - 1;
        }
    }

    fn sort_bodies(&mut self, state: &State, sets: &ConnectedSets, groups: usize, executor: &dyn Executor) {
        let Self {
            count,
            of_island,
            of_body,
            islands,
            bodies,
            extra_bodies,
            ..
        } = self;
        let (count, of_island) = (*count, &*of_island);
        parallel_chunks(executor, islands, BODIES_PER_BLOCK, &|_, first, block| {
            let bodies = state.awake_bodies.slice(first..first + block.len());
            for (number, &body) in block.iter_mut().zip(bodies) {
                let of_island = of_island.get(*number as usize).copied().unwrap_or(SHARED);
                *number = match sets.group_of(body) {
                    Some(group) => count + 1 + group as u32,
                    None => of_island.min(count),
                };
            }
        });
        of_body.resize(state.body_states.len(), SHARED);
        for (&body, &number) in state.awake_bodies.iter().zip(&*islands) {
            of_body[body as usize] = number;
        }
        bodies.sort(&state.awake_bodies, groups, |place, _| islands[place] as usize);
        let extra = sets.extras().len();
        if extra_bodies.len() < extra {
            extra_bodies.resize_with(extra, Vec::new);
        }
        for (list, number) in extra_bodies.iter_mut().zip(count as usize + 1..groups) {
            list.clear();
            list.extend_from_slice(bodies.group(number));
            list.extend_from_slice(sets.kinematic());
        }
    }

    fn sort_constraints(&mut self, graph: &ConstraintGraph, groups: usize, executor: &dyn Executor) {
        let of_body = &self.of_body;
        // A body that the constraint may not change does not determine its batch.
        let batch_of_body = |body: u32| {
            if body & READ_ONLY == 0 {
                of_body[body as usize]
            } else {
                SHARED
            }
        };
        let batch_of = |_: usize, entry: &ConstraintEntry| {
            let (a, b) = (batch_of_body(entry.body_a), batch_of_body(entry.body_b));
            debug_assert!(
                (entry.body_a | entry.body_b) & READ_ONLY != 0 || a == b,
                "two movable bodies of a constraint are in one island"
            );
            a.min(b) as usize
        };
        let sort = |color: usize, of_color: &mut ColorGroups| {
            let lists = &graph.colors[color];
            of_color.contacts.sort(&lists.contacts, groups, batch_of);
            for (of_kind, joints) in of_color.joints.iter_mut().zip(&lists.joints) {
                of_kind.sort(joints, groups, batch_of);
            }
        };
        let constraints = |color: u32| {
            let color = &graph.colors[color as usize];
            color.contacts.len() + color.joint_count()
        };
        // A color that has no constraints any more is emptied by sorting an empty list.
        for color in self
            .used_colors
            .drain(..)
            .filter(|&color| constraints(color) == 0)
        {
            sort(color as usize, &mut self.colors[color as usize]);
        }
        let mut sum = 0;
        for color in core::iter::once(OVERFLOW).chain(0..OVERFLOW) {
            let constraints = constraints(color);
            if constraints > 0 {
                self.used_colors.push(color);
                sum += constraints;
            }
        }
        if sum < PARALLEL_SORT_MIN {
            for &color in &self.used_colors {
                sort(color as usize, &mut self.colors[color as usize]);
            }
        } else {
            parallel_chunks(executor, &mut self.colors, 1, &|_, color, of_color| {
                sort(color, &mut of_color[0])
            });
        }
    }
}

/// Whether at least half of the awake bodies are in islands of at most `bodies_max`.
fn are_islands_small(state: &State, bodies_max: u32) -> bool {
    let islands = &state.islands;
    let counts = islands.awake_islands().iter();
    let small: u32 = counts
        .map(|&island| islands.node_count(island))
        .filter(|&count| count <= bodies_max)
        .sum();
    small as usize >= state.awake_bodies.len().div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn groups_keep_the_order_and_lose_nothing() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let mut groups = Groups::default();
        groups.sort(&items, 4, |place, &(group, _)| {
            assert_eq!(items[place].0, group);
            group
        });
        assert_eq!(groups.group(0), [(0, 'b'), (0, 'e')]);
        assert_eq!(groups.group(1), [(1, 'd')]);
        assert_eq!(groups.group(2), [(2, 'a'), (2, 'c')]);
        assert!(groups.group(3).is_empty());
        groups.sort(&[], 2, |_, &(group, _)| group);
        assert!(groups.group(1).is_empty());
    }
}
