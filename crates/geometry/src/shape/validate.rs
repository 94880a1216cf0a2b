//! [`Shape::validate`]: the check of shapes that come from outside, as bytes.

use super::build::{check_ends, check_length, check_neighbor, check_point, edge_normal};
use super::error::What;
use super::half_space::UNIT_TOLERANCE;
use super::hull::turn;
use super::{LENGTH_MIN, Shape, ShapeError, ShapeKind};
use glam::Vec2;

/// The largest difference of a stored normal from the computed one: a rectangle that was rotated when made has rotated
/// normals, too, and short edges far from the origin amplify the rounding of their vertices.
const NORMAL_TOLERANCE: f32 = 0.02;

impl Shape {
    /// Checks that the shape is one that a constructor could have made. To be called on shapes read from a file or the
    /// network; a shape that passes is safe to use everywhere.
    ///
    /// # Errors
    /// A [`ShapeError`] that names the wrong number.
    ///
    /// ```
    /// use tombolo_geometry::shape::{Shape, ShapeError};
    /// let mut bytes = bytemuck::bytes_of(&Shape::new_box(2.0, 2.0)?).to_vec();
    /// bytes[142] = 9; // the kind
    /// let read: Shape = bytemuck::pod_read_unaligned(&bytes);
    /// assert_eq!(read.validate(), Err(ShapeError::UnknownKind { kind: 9 }));
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn validate(&self) -> Result<(), ShapeError> {
        if self.is_as_made() {
            return Ok(());
        }
        self.check_all()
    }

    /// Checks every number.
    fn check_all(&self) -> Result<(), ShapeError> {
        let kind = ShapeKind::from_number(self.kind).ok_or(ShapeError::UnknownKind { kind: self.kind })?;
        let (counts, radius_min) = match kind {
            ShapeKind::Circle => (1..=1, LENGTH_MIN),
            ShapeKind::HalfSpace => (1..=1, 0.0),
            ShapeKind::Capsule => (2..=2, LENGTH_MIN),
            ShapeKind::Segment | ShapeKind::ChainSegment => (2..=2, 0.0),
            ShapeKind::Polygon => (3..=8, 0.0),
        };
        if !counts.contains(&self.count) {
            return Err(ShapeError::WrongCount { count: self.count });
        }
        check_length(What::Radius, self.radius, radius_min)?;
        let line = matches!(
            kind,
            ShapeKind::Segment | ShapeKind::ChainSegment | ShapeKind::HalfSpace
        );
        if line && self.radius != 0.0 {
            return Err(ShapeError::Inconsistent { what: What::Radius });
        }
        for (index, &vertex) in self.vertices().iter().enumerate() {
            check_point(What::Vertex(index), vertex)?;
        }
        if self.count == 2 {
            check_ends(self.vertices[0], self.vertices[1])?;
        }
        if kind == ShapeKind::ChainSegment {
            check_neighbor(self.vertices[2], self.vertices[0])?;
            check_neighbor(self.vertices[3], self.vertices[1])?;
        }
        if kind == ShapeKind::HalfSpace && (self.normals[0].length_squared() - 1.0).abs() > UNIT_TOLERANCE
            || self.normals.iter().any(|normal| normal.is_nan())
        {
            return Err(ShapeError::Inconsistent {
                what: What::Normal(0),
            });
        }
        self.check_core()?;
        self.check_unused()?;
        self.check_centroid()
    }

    /// Checks that normals fit their edges, and that every corner is a left turn around a border that goes around once.
    fn check_core(&self) -> Result<(), ShapeError> {
        let count = self.normals().len();
        for index in 0..count {
            let (from, to) = self.edge(index);
            let normal = self.normals[index];
            let fits = from != to && (normal - edge_normal(from, to)).length() <= NORMAL_TOLERANCE;
            if !fits || (normal.length_squared() - 1.0).abs() > 1.0e-4 {
                return Err(ShapeError::Inconsistent {
                    what: What::Normal(index),
                });
            }
            // Every other vertex lies left of every edge: that also rules out borders that go around twice.
            let convex = (2..count).all(|step| turn(from, to, self.vertices[(index + step) % count]) > 0.0);
            if !convex {
                return Err(ShapeError::Inconsistent {
                    what: What::Vertex(index),
                });
            }
        }
        Ok(())
    }

    /// Checks that unused vertices and normals are zero.
    fn check_unused(&self) -> Result<(), ShapeError> {
        let used = if self.is_chain_segment() {
            4
        } else {
            self.count as usize
        };
        for (index, &vertex) in self.vertices.iter().enumerate().skip(used) {
            if vertex != Vec2::ZERO {
                return Err(ShapeError::Inconsistent {
                    what: What::Vertex(index),
                });
            }
        }
        let used = self.normals().len() + usize::from(self.is_half_space());
        for (index, &normal) in self.normals.iter().enumerate().skip(used) {
            if normal != Vec2::ZERO {
                return Err(ShapeError::Inconsistent {
                    what: What::Normal(index),
                });
            }
        }
        Ok(())
    }

    /// Checks that the stored center of mass is the computed one, up to the rounding of a shape that was rotated.
    fn check_centroid(&self) -> Result<(), ShapeError> {
        let size = self
            .vertices()
            .iter()
            .fold(self.radius, |m, v| m.max(v.abs().max_element()));
        let off = (self.centroid - self.exact_centroid()).length();
        // Written so that NaN fails.
        if off <= 1.0e-4 * size {
            Ok(())
        } else {
            Err(ShapeError::Inconsistent { what: What::Centroid })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LENGTH_MIN, Shape};
    use glam::Vec2;
    use proptest::prelude::*;

    /// Circles and boxes of ordinary and of extreme sizes.
    fn any_made() -> impl Strategy<Value = Shape> {
        let length =
            || prop_oneof![3 => 0.1..10.0_f32, 1 => Just(2.0 * LENGTH_MIN), 1 => Just(100_000.0_f32)];
        let place = || prop_oneof![3 => -10.0..10.0_f32, 1 => Just(0.0), 1 => Just(-0.0)];
        let circle =
            (place(), place(), length()).prop_map(|(x, y, radius)| Shape::circle(Vec2::new(x, y), radius));
        let radius = prop_oneof![Just(0.0), 0.01..1.0_f32];
        let rectangle =
            (length(), length(), radius).prop_map(|(w, h, radius)| Shape::rounded_box(w, h, radius));
        prop_oneof![circle, rectangle].prop_map(|made| made.expect("numbers in range"))
    }

    proptest! {
        /// The short check of circles and boxes lets nothing in that the whole check refuses.
        #[test]
        fn what_the_short_check_accepts_passes_the_whole_one(
            made in any_made(),
            word in 0..36_usize,
            other in prop_oneof![
                any::<u32>(),
                (-2.0..2.0_f32).prop_map(f32::to_bits),
                Just((-0.0_f32).to_bits()),
                Just(f32::NAN.to_bits()),
            ],
            is_changed in any::<bool>(),
        ) {
            prop_assert!(made.is_as_made());
            let mut words = bytemuck::cast::<Shape, [[u32; 18]; 2]>(made);
            if is_changed {
                words[word / 18][word % 18] = other;
            }
            let shape = bytemuck::cast::<[[u32; 18]; 2], Shape>(words);
            // As text: an error may have a number that is none, which equals nothing.
            let [short, whole] = [shape.validate(), shape.check_all()].map(|checked| format!("{checked:?}"));
            prop_assert_eq!(short, whole);
        }
    }
}
