//! [`FastShapes`]: the shapes of fast bodies with the boxes of their motions, and the search for those near a box.
//!
//! Most steps have few, and look at one after another. With many shapes and many searches that would cost their product,
//! so a tree of the boxes is made first. Either way a search visits the same shapes in the same order.

use alloc::vec::Vec;
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{BuildScratch, NodeFilter, Tree, Visit};

/// The number of shapes from which on a tree is made.
const SHAPES_MIN: usize = 64;

/// The number of searches from which on a tree is made: it takes as long as looking at each shape some 140 times.
const SEARCHES_MIN: usize = 160;

/// The most shapes near a box that are sorted. Where more crowd together, looking at all costs little more.
const SORTED_MAX: usize = 128;

/// A shape of a fast body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastShape {
    pub(crate) shape: u32,
    /// Place in the list of sweeps.
    pub(crate) sweep: u32,
    /// The box of the shape during the step.
    pub(crate) area: Aabb,
    /// [`BodySweep::turn`](super::sweep::BodySweep::turn) of its body.
    pub(crate) turn: f32,
}

/// The shapes of some fast bodies.
#[derive(Debug, Default)]
pub(crate) struct FastShapes {
    shapes: Vec<FastShape>,
    /// The boxes of the shapes, by their places in the list, if `is_in_tree`.
    tree: Tree,
    is_in_tree: bool,
    build: BuildScratch,
}

impl FastShapes {
    pub(crate) fn all(&self) -> &[FastShape] {
        &self.shapes
    }

    pub(crate) fn clear(&mut self) {
        self.shapes.clear();
        self.is_in_tree = false;
    }

    pub(crate) fn push(&mut self, shape: FastShape) {
        self.shapes.push(shape);
        self.is_in_tree = false;
    }

    /// Sorts them by the left ends of their boxes.
    pub(crate) fn sort_by_left_end(&mut self) {
        self.shapes.sort_unstable_by(|one, other| {
            let left = one.area.min.x.total_cmp(&other.area.min.x);
            left.then(one.shape.cmp(&other.shape))
        });
        self.is_in_tree = false;
    }

    /// Prepares for so many searches.
    pub(crate) fn prepare(&mut self, search_count: usize) {
        if self.shapes.len() < SHAPES_MIN || search_count < SEARCHES_MIN {
            return;
        }
        self.tree.clear();
        let mut boxes = (0..).zip(&self.shapes);
        // A tree takes no box without end.
        self.is_in_tree =
            boxes.all(|(place, shape)| self.tree.insert(place, shape.area, NodeFilter::ALL).is_ok());
        if self.is_in_tree {
            self.tree.rebuild(&mut self.build, |_| NodeFilter::ALL, |_, _| {});
        }
    }

    /// Whether the box of any shape shares a point with `area`.
    pub(crate) fn is_any_near(&self, area: Aabb) -> bool {
        if !self.is_in_tree {
            return self.shapes.iter().any(|shape| shape.area.overlaps(area));
        }
        let mut is_any = false;
        self.tree.query_box(area, u64::MAX, |_| {
            is_any = true;
            Visit::Stop
        });
        is_any
    }

    /// Calls `visit` for the shapes whose boxes share a point with `area`, in the order of the list.
    pub(crate) fn near(&self, area: Aabb, mut visit: impl FnMut(&FastShape)) {
        if self.is_in_tree {
            let (mut found, mut count) = ([0; SORTED_MAX], 0);
            self.tree.query_box(area, u64::MAX, |place| {
                if count < SORTED_MAX {
                    found[count] = place;
                }
                count += 1;
                if count > SORTED_MAX {
                    Visit::Stop
                } else {
                    Visit::Continue
                }
            });
            if count <= SORTED_MAX {
                found[..count].sort_unstable();
                let shapes = found[..count].iter().map(|&place| &self.shapes[place as usize]);
                return shapes.for_each(visit);
            }
        }
        let near = self.shapes.iter().filter(|shape| shape.area.overlaps(area));
        near.for_each(&mut visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    /// Numbers from -1 to 1 that look random.
    fn numbers() -> impl FnMut() -> f32 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        }
    }

    fn shapes(count: u32, spread: f32) -> FastShapes {
        let mut number = numbers();
        let mut shapes = FastShapes::default();
        for shape in 0..count {
            let corner = spread * Vec2::new(number(), number());
            let size = Vec2::new(number(), number()).abs() * if shape % 50 == 7 { 30.0 } else { 1.0 };
            shapes.push(FastShape {
                shape,
                sweep: 0,
                area: Aabb::new(corner, corner + size),
                turn: 0.0,
            });
        }
        shapes
    }

    #[test]
    fn a_tree_finds_the_same_shapes_in_the_same_order() {
        // The last are a crowd: a box among them has more than are sorted.
        for (count, spread) in [(64, 10.0), (500, 40.0), (3000, 200.0), (1000, 1.0)] {
            let plain = shapes(count, spread);
            let mut quick = shapes(count, spread);
            quick.prepare(SEARCHES_MIN);
            assert!(quick.is_in_tree && !plain.is_in_tree);
            let (mut number, mut least, mut most) = (numbers(), usize::MAX, 0);
            for _ in 0..300 {
                let corner = 1.2 * spread * Vec2::new(number(), number());
                let area = Aabb::new(corner, corner + 2.0 * Vec2::new(number(), number()).abs());
                let [expected, found] = [&plain, &quick].map(|shapes| {
                    let mut found = Vec::new();
                    shapes.near(area, |shape| found.push(shape.shape));
                    assert_eq!(shapes.is_any_near(area), !found.is_empty());
                    found
                });
                assert_eq!(found, expected, "{count} shapes, {area:?}");
                (least, most) = (least.min(found.len()), most.max(found.len()));
            }
            assert!(least == 0 && most > 0, "{least} to {most} found");
            assert_eq!(most > SORTED_MAX, spread == 1.0, "{most} found");
        }
    }

    #[test]
    fn few_shapes_few_searches_and_boxes_without_end_make_no_tree() {
        let mut few = shapes(SHAPES_MIN as u32 - 1, 10.0);
        few.prepare(1000);
        assert!(!few.is_in_tree);
        let mut many = shapes(1000, 10.0);
        many.prepare(SEARCHES_MIN - 1);
        assert!(!many.is_in_tree);
        many.prepare(SEARCHES_MIN);
        assert!(many.is_in_tree);
        // A list that changed is another.
        let area = Aabb::new(Vec2::ZERO, Vec2::splat(f32::INFINITY));
        many.push(FastShape {
            shape: 1000,
            sweep: 0,
            area,
            turn: 0.0,
        });
        assert!(!many.is_in_tree);
        many.prepare(1000);
        assert!(!many.is_in_tree && many.is_any_near(area));
        many.clear();
        assert!(!many.is_any_near(area) && many.all().is_empty());
    }
}
