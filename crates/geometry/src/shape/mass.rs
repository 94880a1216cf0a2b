//! Mass, center of mass and rotational inertia, exact for rounded shapes too.
//!
//! A rounded polygon is cut into its core, one rectangle along each edge and one circular sector at each corner;
//! their moments are added up. A circle is one full sector. Sums are in double precision about a vertex, because the
//! inertia about the center is a small difference of large numbers for a shape far from its body's origin.

use super::Shape;
use glam::{DVec2, Vec2};

crate::plain_data! {
    /// The mass, the center of mass and the rotational inertia of a shape.
    #[derive(Debug, Default, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
    pub struct MassProperties {
        /// Mass in kilograms.
        pub mass: f32,
        /// Rotational inertia about the center of mass, in kg·m².
        pub inertia: f32,
        /// The center of mass, in the frame of the body, in meters.
        pub center: Vec2,
    }
}

/// Area, first and second moment of an area about a reference point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moments {
    pub(crate) area: f64,
    pub(crate) first: DVec2,
    pub(crate) second: f64,
}

impl Moments {
    /// Adds a piece of `area` whose center lies at `center` and whose second moment about that center is `own`.
    fn add(&mut self, area: f64, center: DVec2, own: f64) {
        self.area += area;
        self.first += area * center;
        self.second += own + area * center.length_squared();
    }

    /// Adds the triangle from the reference point to `p` and `q`; negative if they run clockwise.
    pub(crate) fn add_triangle(&mut self, p: DVec2, q: DVec2) {
        let area = 0.5 * p.perp_dot(q);
        self.area += area;
        self.first += area * (p + q) / 3.0;
        self.second += area * (p.dot(p) + p.dot(q) + q.dot(q)) / 6.0;
    }

    /// Adds the rectangle of width `radius` on the outer side of the edge from `p` to `q`.
    pub(crate) fn add_strip(&mut self, p: DVec2, q: DVec2, normal: DVec2, radius: f64) {
        let length = (q - p).length();
        let area = length * radius;
        let own = area * (length * length + radius * radius) / 12.0;
        self.add(area, 0.5 * (p + q) + 0.5 * radius * normal, own);
    }

    /// Adds the circular sector around `apex` between two unit vectors `angle` radians apart, counter-clockwise.
    pub(crate) fn add_sector(&mut self, apex: DVec2, from: DVec2, to: DVec2, angle: f64, radius: f64) {
        let area = 0.5 * angle * radius * radius;
        // The integral of the direction over the sector, times that of the distance squared.
        let first = radius * radius * radius / 3.0 * DVec2::new(to.y - from.y, from.x - to.x);
        self.area += area;
        self.first += area * apex + first;
        self.second += 0.5 * area * radius * radius + 2.0 * apex.dot(first) + area * apex.length_squared();
    }
}

impl Shape {
    /// Mass, center and inertia for a `density` in kg/m². A segment has none: mass and inertia 0, center in its middle.
    ///
    /// Exact for circles, capsules and rounded polygons up to rounding. Cost: one arc tangent per corner of a rounded
    /// shape, else a few multiplications per vertex.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let wheel = Shape::circle(Vec2::new(3.0, 0.0), 2.0)?.mass_properties(1.0);
    /// assert!((wheel.mass - 12.566_371).abs() < 1e-5); // π r²
    /// assert!((wheel.inertia - 0.5 * wheel.mass * 4.0).abs() < 1e-5); // m r² / 2
    /// assert_eq!(wheel.center, Vec2::new(3.0, 0.0));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn mass_properties(&self, density: f32) -> MassProperties {
        let moments = self.moments();
        let density = f64::from(density);
        if moments.area <= 0.0 {
            return MassProperties {
                center: self.centroid,
                ..MassProperties::default()
            };
        }
        let offset = moments.first / moments.area;
        let inertia = moments.second - moments.area * offset.length_squared();
        MassProperties {
            mass: (density * moments.area) as f32,
            inertia: (density * inertia.max(0.0)) as f32,
            center: self.centroid,
        }
    }

    /// The center of mass from the vertices, normals and radius.
    pub(super) fn exact_centroid(&self) -> Vec2 {
        let origin = self.vertices[0].as_dvec2();
        let offset = if self.count == 1 {
            DVec2::ZERO
        } else if self.count == 2 {
            0.5 * (self.vertices[1].as_dvec2() - origin)
        } else {
            let moments = self.moments();
            moments.first / moments.area
        };
        (origin + offset).as_vec2() + Vec2::ZERO
    }

    /// The moments of the whole area about the first vertex.
    fn moments(&self) -> Moments {
        let radius = f64::from(self.radius);
        let mut moments = Moments::default();
        if self.count == 1 {
            let full_turn = 2.0 * core::f64::consts::PI;
            moments.add_sector(DVec2::ZERO, DVec2::X, DVec2::X, full_turn, radius);
            return moments;
        }
        let origin = self.vertices[0].as_dvec2();
        let normals = self.normals();
        for (index, normal) in normals.iter().enumerate() {
            let (p, q) = self.edge(index);
            let (p, q, normal) = (p.as_dvec2() - origin, q.as_dvec2() - origin, normal.as_dvec2());
            moments.add_triangle(p, q);
            if radius > 0.0 {
                let before = normals[(index + normals.len() - 1) % normals.len()].as_dvec2();
                let angle = libm::atan2(before.perp_dot(normal).abs(), before.dot(normal));
                moments.add_strip(p, q, normal, radius);
                moments.add_sector(p, before, normal, angle, radius);
            }
        }
        moments
    }
}
