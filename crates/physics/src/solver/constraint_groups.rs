//! [`ConstraintGroups`]: the constraints of each color sorted by a small number, by all workers: batches and chunks
//! (`batches.rs`).

use super::groups::Groups;
use crate::contact::graph::{COLOR_COUNT, ConstraintEntry, ConstraintGraph, OVERFLOW};
use crate::joint::JOINT_BLOCK_KINDS;
use alloc::vec::Vec;
use core::ops::Range;
use tombolo_threads::{Executor, parallel_chunks};

/// The number of constraints below which sorting them does not justify waking other workers.
pub(super) const PARALLEL_SORT_MIN: usize = 1024;

/// The constraints of one color by group.
#[derive(Debug, Default)]
struct ColorGroups {
    contacts: Groups<ConstraintEntry>,
    joints: [Groups<ConstraintEntry>; JOINT_BLOCK_KINDS],
}

impl ColorGroups {
    fn sort(
        &mut self,
        graph: &ConstraintGraph,
        color: usize,
        group_count: usize,
        group_of: &impl Fn(&ConstraintEntry) -> usize,
    ) {
        let lists = &graph.colors[color];
        self.contacts.sort(&lists.contacts, group_count, group_of);
        for (of_kind, joints) in self.joints.iter_mut().zip(&lists.joints) {
            of_kind.sort(joints, group_count, group_of);
        }
    }
}

/// The constraints of each color by group.
#[derive(Debug, Default)]
pub(super) struct ConstraintGroups {
    colors: [ColorGroups; COLOR_COUNT],
    /// The colors that have constraints, in the order in which they are solved.
    used_colors: Vec<u32>,
}

impl ConstraintGroups {
    /// Sorts all constraints into groups, in each group in the order of its color's list; those of the overflow by
    /// `in_overflow`.
    pub(super) fn sort(
        &mut self,
        graph: &ConstraintGraph,
        group_count: usize,
        group_of: &(impl Fn(&ConstraintEntry) -> usize + Sync),
        in_overflow: &(impl Fn(&ConstraintEntry) -> usize + Sync),
        executor: &dyn Executor,
    ) {
        let sort = |color: usize, of_color: &mut ColorGroups| {
            if color == OVERFLOW as usize {
                of_color.sort(graph, color, group_count, in_overflow);
            } else {
                of_color.sort(graph, color, group_count, group_of);
            }
        };
        let is_empty = |&color: &u32| graph.colors[color as usize].len() == 0;
        // A color that has no constraints any more is emptied by sorting an empty list.
        for color in self.used_colors.drain(..).filter(is_empty) {
            sort(color as usize, &mut self.colors[color as usize]);
        }
        let in_order = core::iter::once(OVERFLOW).chain(0..OVERFLOW);
        self.used_colors.extend(in_order.filter(|color| !is_empty(color)));
        if graph.len() < PARALLEL_SORT_MIN {
            for &color in &self.used_colors {
                sort(color as usize, &mut self.colors[color as usize]);
            }
        } else {
            parallel_chunks(executor, &mut self.colors, 1, &|_, color, of_color| {
                sort(color, &mut of_color[0])
            });
        }
    }

    /// The colors that have constraints, in the order in which they are solved: the overflow goes first, so that the
    /// others correct its errors.
    pub(super) fn used_colors(&self) -> impl Iterator<Item = usize> {
        self.used_colors.iter().map(|&color| color as usize)
    }

    /// The contacts of a color in some groups that follow each other.
    pub(super) fn contacts(&self, groups: &Range<usize>, color: usize) -> &[ConstraintEntry] {
        self.colors[color].contacts.groups(groups)
    }

    /// The joints of a color in some groups that follow each other, of one kind of block.
    pub(super) fn joints(&self, groups: &Range<usize>, color: usize, kind: usize) -> &[ConstraintEntry] {
        self.colors[color].joints[kind].groups(groups)
    }
}
