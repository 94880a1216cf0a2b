//! Queries for the objects nearest to a point.

use super::lists::place_in;
use super::{Bounds, Hit, Layout, Orthtree, OrthtreeError, Strategy};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// An object among the nearest so far. The order is by distance, then by index, so the farthest one is the greatest.
#[derive(Clone, Copy, Debug)]
struct NearObject {
    distance_squared: f64,
    index: u32,
    /// The place of its box.
    place: u32,
}

/// A search in progress.
struct NearestSearch<'a, const D: usize, L: Layout<D>, S> {
    tree: &'a Orthtree<D, L, S>,
    point: [f32; D],
    count: usize,
    slack: f64,
    /// The nearest objects so far, `count` at most.
    nearest: BinaryHeap<NearObject>,
    /// The squared distance beyond which no object is accepted.
    worst: f64,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// The `count` objects whose boxes are nearest to a point, nearest first, equally near ones by their ids; with the
    /// square of the distance, 0 if the box holds the point.
    ///
    /// Depth first, nearer children before others, without cells that are farther away than all found objects (N.
    /// Roussopoulos, S. Kelley, F. Vincent, *Nearest Neighbor Queries*, SIGMOD 1995).
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::InvalidBox`] if the point is not finite.
    pub fn nearest(&self, point: [f32; D], count: usize) -> Result<Vec<(Hit<D>, f64)>, OrthtreeError> {
        Bounds::point(point).check()?;
        let count = count.min(self.len());
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut search = NearestSearch {
            tree: self,
            point,
            count,
            slack: self.lattice.slack(),
            nearest: BinaryHeap::with_capacity(count),
            worst: f64::INFINITY,
        };
        search.visit(self.layout.root(), [0; D], self.lattice.root().height);
        let found = search.nearest.into_sorted_vec();
        Ok(found
            .into_iter()
            .map(|found| (self.hit(found.place), found.distance_squared))
            .collect())
    }
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> NearestSearch<'_, D, L, S> {
    fn visit(&mut self, node: L::Node, place: [u32; D], height: u32) {
        let (slot, mask) = self.tree.layout.look(node);
        for part in self.tree.objects.lists.block_views(&slot) {
            let distances = part.block.boxes.distances_squared(&self.point);
            for (lane, &distance_squared) in distances[..part.count as usize].iter().enumerate() {
                if distance_squared <= self.worst {
                    let index = self.tree.objects.owner(part.block.references[lane]).index();
                    let place = place_in(part.index, lane);
                    self.offer(NearObject {
                        distance_squared,
                        index,
                        place,
                    });
                }
            }
        }
        if mask == 0 {
            return;
        }
        let gaps = self.gaps_of_children(place, height - 1);
        let mut children = [(0.0, 0); 8];
        let mut child_count = 0;
        let mut rest = mask;
        while rest != 0 {
            let octant = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let distance: f64 = (0..D).map(|axis| gaps[axis][octant >> axis & 1]).sum();
            if distance <= self.worst {
                // Insertion into its place among the nearer ones.
                let mut at = child_count;
                while at > 0 && children[at - 1].0 > distance {
                    children[at] = children[at - 1];
                    at -= 1;
                }
                children[at] = (distance, octant);
                child_count += 1;
            }
        }
        for &(distance, octant) in &children[..child_count] {
            if distance > self.worst {
                return;
            }
            let inner = core::array::from_fn(|axis| place[axis] << 1 | (octant >> axis & 1) as u32);
            self.visit(self.tree.layout.known_child(node, octant), inner, height - 1);
        }
    }

    /// For each axis lower bounds of the squared gaps between the point and all objects in the lower children of a
    /// cell, and in the upper ones.
    #[inline]
    fn gaps_of_children(&self, place: [u32; D], height: u32) -> [[f64; 2]; D] {
        let lattice = &self.tree.lattice;
        let margin = self.tree.spills[height as usize] + self.slack;
        let corner = lattice.root_corner();
        core::array::from_fn(|axis| {
            let first = corner[axis] + (i64::from(place[axis]) << (height + 1));
            let planes = [0, 1, 2].map(|step| lattice.plane(axis, first + (step << height)));
            let point = f64::from(self.point[axis]);
            [0, 1].map(|side| {
                let below = planes[side] - margin - point;
                let above = point - (planes[side + 1] + margin);
                let gap = below.max(above).max(0.0);
                gap * gap
            })
        })
    }

    fn offer(&mut self, found: NearObject) {
        // A later cell may hold another reference of an object that has been found.
        if S::SHARED && self.nearest.iter().any(|other| other.index == found.index) {
            return;
        }
        if self.nearest.len() < self.count {
            self.nearest.push(found);
        } else if let Some(mut last) = self.nearest.peek_mut()
            && found < *last
        {
            *last = found;
        }
        if self.nearest.len() == self.count {
            self.worst = self
                .nearest
                .peek()
                .map_or(f64::INFINITY, |last| last.distance_squared);
        }
    }
}

impl Ord for NearObject {
    fn cmp(&self, other: &Self) -> Ordering {
        let distance = self.distance_squared.total_cmp(&other.distance_squared);
        distance.then_with(|| self.index.cmp(&other.index))
    }
}

impl PartialOrd for NearObject {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NearObject {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NearObject {}
