//! Regions of queries: boxes, points, balls, segments and convex regions.

use super::bounds::{Bounds, Bounds4, LANES};

/// A region of space for queries of a tree.
///
/// `overlaps` must be monotone: if a box overlaps the region, so does every box around it. Otherwise queries miss objects.
pub trait Region<const D: usize> {
    /// Whether a box and the region share a point; touching counts.
    fn overlaps(&self, bounds: &Bounds<D>) -> bool;

    /// The boxes of four that overlap, a bit for each, the first in the lowest: the same as four calls of `overlaps`.
    #[inline]
    fn overlaps_four(&self, boxes: &Bounds4<D>) -> u32 {
        let mut found = 0;
        for lane in 0..LANES {
            found |= u32::from(self.overlaps(&boxes.get(lane))) << lane;
        }
        found
    }

    /// A box around the region, if it is bounded: cells outside are not visited.
    fn bounds(&self) -> Option<Bounds<D>>;

    /// Whether a box that overlaps [`bounds`](Self::bounds) overlaps the region, so that cells need no further test.
    const IS_BOX: bool = false;
}

impl<const D: usize> Region<D> for Bounds<D> {
    #[inline]
    fn overlaps(&self, bounds: &Bounds<D>) -> bool {
        Bounds::overlaps(self, bounds)
    }

    #[inline]
    fn overlaps_four(&self, boxes: &Bounds4<D>) -> u32 {
        let mut all = [u32::MAX; LANES];
        for axis in 0..D {
            for (lane, all) in all.iter_mut().enumerate() {
                let below = self.min[axis] <= boxes.max[axis][lane];
                let above = boxes.min[axis][lane] <= self.max[axis];
                *all &= if below & above { u32::MAX } else { 0 };
            }
        }
        all[0] & 1 | all[1] & 2 | all[2] & 4 | all[3] & 8
    }

    #[inline]
    fn bounds(&self) -> Option<Bounds<D>> {
        Some(*self)
    }

    const IS_BOX: bool = true;
}

/// All points within a radius of a center: a circle or a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<const D: usize> {
    /// The center.
    pub center: [f32; D],
    /// The radius; if it is negative or NaN, no object is found.
    pub radius: f32,
}

impl<const D: usize> Region<D> for Ball<D> {
    #[inline]
    fn overlaps(&self, bounds: &Bounds<D>) -> bool {
        let radius = f64::from(self.radius);
        self.radius >= 0.0 && bounds.distance_squared(&self.center) <= radius * radius
    }

    #[inline]
    fn overlaps_four(&self, boxes: &Bounds4<D>) -> u32 {
        let radius = f64::from(self.radius);
        if self.radius < 0.0 {
            return 0;
        }
        let distances = boxes.distances_squared(&self.center);
        let mut found = 0;
        for (lane, &distance) in distances.iter().enumerate() {
            found |= u32::from(distance <= radius * radius) << lane;
        }
        found
    }

    fn bounds(&self) -> Option<Bounds<D>> {
        Some(outwards(&Bounds::around(self.center, self.radius)))
    }
}

/// Each edge moved outward by one step of `f32`, to compensate its rounding.
fn outwards<const D: usize>(bounds: &Bounds<D>) -> Bounds<D> {
    Bounds::new(bounds.min.map(f32::next_down), bounds.max.map(f32::next_up))
}

/// The points `origin + t·translation` for `t` from 0 to 1: a segment, or a ray of limited length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<const D: usize> {
    /// The start.
    pub origin: [f32; D],
    /// The vector from the start to the end. Along an axis on which this is 0 the segment lies in a plane.
    pub translation: [f32; D],
}

impl<const D: usize> Segment<D> {
    /// The fraction at which the segment enters a box, 0 if it starts inside; `None` if it misses, consistent with
    /// [`Region::overlaps`].
    ///
    /// By slabs (T. Kay, J. Kajiya, *Ray Tracing Complex Scenes*, SIGGRAPH 1986).
    #[inline]
    pub fn enter(&self, bounds: &Bounds<D>) -> Option<f64> {
        if !self.overlaps(bounds) {
            return None;
        }
        let mut first = 0.0_f64;
        for axis in 0..D {
            let (length, [near, _]) = self.slab(bounds, axis);
            if length > 0.0 {
                first = first.max(near / length);
            }
        }
        Some(first)
    }

    /// The length of the segment along an axis, and the distances after which it enters and leaves the slab between the
    /// two planes of a box; the first may be negative and the second greater than the length.
    #[inline]
    fn slab(&self, bounds: &Bounds<D>, axis: usize) -> (f64, [f64; 2]) {
        let origin = f64::from(self.origin[axis]);
        let length = f64::from(self.translation[axis]);
        let (below, above) = (
            f64::from(bounds.min[axis]) - origin,
            f64::from(bounds.max[axis]) - origin,
        );
        if length < 0.0 {
            (-length, [-above, -below])
        } else {
            (length, [below, above])
        }
    }
}

impl<const D: usize> Region<D> for Segment<D> {
    /// By slabs, without a division: the segment enters each before its end, leaves each after its start, and leaves
    /// none before it enters another. A greater box has smaller numbers on the left of each comparison and greater ones
    /// on the right, however they are rounded; so the test is monotone.
    #[inline]
    fn overlaps(&self, bounds: &Bounds<D>) -> bool {
        let slabs: [_; D] = core::array::from_fn(|axis| self.slab(bounds, axis));
        let mut all = true;
        for (length, [near, far]) in slabs {
            all &= (near <= length) & (far >= 0.0);
        }
        for one in 0..D {
            for other in one + 1..D {
                let (length, [near, far]) = slabs[one];
                let (other_length, [other_near, other_far]) = slabs[other];
                all &= near * other_length <= other_far * length;
                all &= other_near * length <= far * other_length;
            }
        }
        all
    }

    /// Extends the ends outward by more than the rounding of [`overlaps`](Self::overlaps).
    fn bounds(&self) -> Option<Bounds<D>> {
        let mut bounds = Bounds::point(self.origin);
        for axis in 0..D {
            let (origin, translation) = (f64::from(self.origin[axis]), f64::from(self.translation[axis]));
            let slack = f64::EPSILON * (origin.abs() + translation.abs());
            bounds.min[axis] = (origin.min(origin + translation) - slack) as f32;
            bounds.max[axis] = (origin.max(origin + translation) + slack) as f32;
        }
        Some(outwards(&bounds))
    }
}

/// A half-plane or half-space: the points `p` with `normal · p <= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<const D: usize> {
    /// The outward normal; of any length.
    pub normal: [f32; D],
    /// The distance of the border along the normal, times the normal's length.
    pub offset: f32,
}

/// The intersection of half-spaces: a convex region, such as a camera's frustum; and of a box, if one is given.
///
/// A query with a region without a box descends from the root. With a box it visits the cells there at once.
///
/// Another box counts as overlapping unless it lies wholly outside one of the half-spaces or beside the region's box: the
/// usual test of culling, which may find too much near a corner and never too little. In the plane, with the least box
/// around the region, it is exact but for rounding (the separating axes of two convex polygons are their edges' normals).
///
/// ```
/// use tombolo_geometry::orthtree::{Bounds, Convex, HalfSpace, Region};
/// // A square of 2 m that stands on its corner. A box beside its side is cut by no half-space alone.
/// let sides = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]].map(|normal| HalfSpace { normal, offset: 1.4 });
/// let beside = Bounds::around([1.6, 0.0], 0.15);
/// assert!(Convex::new(&sides).overlaps(&beside));
/// let square = Convex::within(&sides, Bounds::around([0.0; 2], 1.4));
/// assert!(!square.overlaps(&beside) && square.overlaps(&Bounds::around([0.7; 2], 0.1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convex<'a, const D: usize> {
    /// The half-spaces; without any, the region is the box.
    pub sides: &'a [HalfSpace<D>],
    /// A box that bounds the region.
    pub bounds: Option<Bounds<D>>,
}

impl<'a, const D: usize> Convex<'a, D> {
    /// The intersection of these half-spaces; all of space if there are none.
    pub const fn new(sides: &'a [HalfSpace<D>]) -> Self {
        Self { sides, bounds: None }
    }

    /// The part of that in a box. Queries are fastest, and have the fewest false hits at corners, with the least box
    /// around the region.
    pub const fn within(sides: &'a [HalfSpace<D>], bounds: Bounds<D>) -> Self {
        Self {
            sides,
            bounds: Some(bounds),
        }
    }
}

impl<const D: usize> Region<D> for Convex<'_, D> {
    #[inline]
    fn overlaps(&self, bounds: &Bounds<D>) -> bool {
        let is_near = self.bounds.is_none_or(|around| around.overlaps(bounds));
        is_near
            && self.sides.iter().all(|side| {
                let mut nearest = 0.0;
                for axis in 0..D {
                    let normal = side.normal[axis];
                    let corner = if normal > 0.0 {
                        bounds.min[axis]
                    } else {
                        bounds.max[axis]
                    };
                    nearest += f64::from(normal) * f64::from(corner);
                }
                nearest <= f64::from(side.offset)
            })
    }

    #[inline]
    fn overlaps_four(&self, boxes: &Bounds4<D>) -> u32 {
        let mut found = self.bounds.map_or(15, |around| around.overlaps_four(boxes));
        for side in self.sides {
            if found == 0 {
                break;
            }
            let mut nearest = [0.0; LANES];
            for axis in 0..D {
                let normal = side.normal[axis];
                let corners = if normal > 0.0 {
                    &boxes.min[axis]
                } else {
                    &boxes.max[axis]
                };
                for (nearest, &corner) in nearest.iter_mut().zip(corners) {
                    *nearest += f64::from(normal) * f64::from(corner);
                }
            }
            let mut inside = 0;
            for (lane, &nearest) in nearest.iter().enumerate() {
                inside |= u32::from(nearest <= f64::from(side.offset)) << lane;
            }
            found &= inside;
        }
        found
    }

    #[inline]
    fn bounds(&self) -> Option<Bounds<D>> {
        self.bounds
    }
}
