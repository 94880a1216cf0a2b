//! Ray casts against one shape, in the shape's own frame.

use super::Shape;
use crate::math::{cross, sqrt};
use glam::Vec2;

crate::plain_data! {
    /// The hit of a ray on a shape.
    #[derive(Debug, Default, PartialEq)]
    pub struct RayHit {
        /// The fraction of the ray's translation at the hit, from 0 to its `max_fraction`.
        pub fraction: f32,
        /// The outward unit normal of the border at the hit; zero if the ray began inside.
        pub normal: Vec2,
        /// The point hit, in the frame of the ray.
        pub point: Vec2,
    }
}

/// The longest translation in meters along either axis whose squares and products with coordinates are used as they
/// are. Those of far longer ones are infinite.
const TRANSLATION_MAX_M: f32 = 1.0e15;

/// The factor for longer ones, a power of two, by which no digit is lost.
const LONG_SCALE: f32 = 1.0 / (1_u128 << 80) as f32;

/// The direction of a ray and its reach, which rays from several origins have in common.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    translation: Vec2,
    max_fraction: f32,
    /// The length of the translation.
    length: f32,
    /// The unit vector along the translation; NaN if that is zero.
    direction: Vec2,
}

impl Course {
    /// A course along `translation` up to `max_fraction` of it; `None` if a number is not finite or the fraction is negative.
    pub(crate) fn new(translation: Vec2, max_fraction: f32) -> Option<Self> {
        if !(translation.is_finite() && max_fraction >= 0.0) {
            return None;
        }
        let length = translation.length();
        Some(Self {
            translation,
            max_fraction,
            length,
            direction: translation / length,
        })
    }
}

/// A ray in the shape's frame: the points `origin + fraction * translation` for fractions from 0 to `max_fraction`.
#[derive(Clone, Copy)]
struct Ray<'a> {
    origin: Vec2,
    course: &'a Course,
}

impl Ray<'_> {
    fn hit(&self, fraction: f32, normal: Vec2) -> Option<RayHit> {
        (fraction >= 0.0 && fraction <= self.course.max_fraction).then(|| RayHit {
            fraction,
            normal,
            point: self.origin + fraction * self.course.translation,
        })
    }
}

impl Shape {
    /// The first point where a ray from `origin` along `translation` meets the shape, up to `max_fraction` of the
    /// translation. All in the shape's own frame and meters.
    ///
    /// A ray that begins inside hits at once: fraction 0, normal zero, point `origin`. A segment is hit from both
    /// sides, but not by a ray that runs along its line. Numbers that are not finite, and a ray of no length that
    /// begins outside, hit nothing.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let post = Shape::circle(Vec2::new(5.0, 0.0), 1.0)?;
    /// let hit = post.cast_ray(Vec2::ZERO, Vec2::new(10.0, 0.0), 1.0).unwrap();
    /// assert!((hit.fraction - 0.4).abs() < 1e-6);
    /// assert_eq!(hit.normal, Vec2::NEG_X);
    /// assert!(post.cast_ray(Vec2::ZERO, Vec2::new(10.0, 0.0), 0.3).is_none());
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn cast_ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        self.cast_along(origin, &Course::new(translation, max_fraction)?)
    }

    /// Like [`Shape::cast_ray`], on a course that rays from other origins have as well.
    #[inline]
    pub(crate) fn cast_along(&self, origin: Vec2, course: &Course) -> Option<RayHit> {
        if !origin.is_finite() {
            return None;
        }
        let ray = Ray { origin, course };
        if self.contains_point(origin) {
            return ray.hit(0.0, Vec2::ZERO);
        }
        let translation = course.translation;
        if translation == Vec2::ZERO {
            return None;
        }
        if translation.abs().max_element() > TRANSLATION_MAX_M {
            return self.cast_long_ray(origin, translation, course.max_fraction);
        }
        if self.is_half_space() {
            return self.ray_into_half_space(origin, translation, course.max_fraction);
        }
        match (self.count, self.radius > 0.0) {
            (1, _) => ray_circle(&ray, self.vertices[0], self.radius),
            (2, false) => ray_segment(&ray, self.vertices[0], self.vertices[1], self.normals[0]),
            (_, false) => self.ray_sharp(&ray),
            (_, true) => self.ray_rounded(&ray),
        }
    }

    /// Like [`Shape::cast_ray`], for a ray that is made shorter first.
    #[cold]
    fn cast_long_ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        let hit = self.cast_ray(origin, LONG_SCALE * translation, max_fraction / LONG_SCALE)?;
        Some(RayHit {
            fraction: LONG_SCALE * hit.fraction,
            ..hit
        })
    }

    /// A polygon without rounding is the intersection of half-planes: the ray is inside from the last one it enters to
    /// the first one it leaves (Cyrus and Beck, 1978).
    fn ray_sharp(&self, ray: &Ray<'_>) -> Option<RayHit> {
        let mut enter = (0.0, Vec2::ZERO);
        let mut leave = ray.course.max_fraction;
        for (normal, vertex) in self.normals().iter().zip(self.vertices()) {
            let outside = normal.dot(ray.origin - *vertex);
            let speed = normal.dot(ray.course.translation);
            if speed == 0.0 {
                if outside > 0.0 {
                    return None;
                }
            } else {
                let fraction = -outside / speed;
                if speed < 0.0 && outside >= 0.0 && (fraction > enter.0 || enter.1 == Vec2::ZERO) {
                    enter = (fraction, *normal);
                } else if speed > 0.0 {
                    leave = leave.min(fraction);
                }
            }
            if leave < enter.0 {
                return None;
            }
        }
        if enter.1 == Vec2::ZERO {
            return None;
        }
        ray.hit(enter.0, enter.1)
    }

    /// A rounded shape's border is its edges moved outward and an arc at each corner. The full circles may replace the
    /// arcs, since the rest of them is inside.
    fn ray_rounded(&self, ray: &Ray<'_>) -> Option<RayHit> {
        let mut first: Option<RayHit> = None;
        let mut keep = |hit: Option<RayHit>| {
            if let Some(hit) = hit
                && first.is_none_or(|known| hit.fraction < known.fraction)
            {
                first = Some(hit);
            }
        };
        for (index, &normal) in self.normals().iter().enumerate() {
            let (from, to) = self.edge(index);
            keep(ray_circle(ray, from, self.radius));
            if normal.dot(ray.course.translation) < 0.0 {
                keep(ray_outer_edge(ray, [from, to], normal, self.radius));
            }
        }
        first
    }
}

/// The point where a ray from outside enters a circle.
#[inline]
fn ray_circle(ray: &Ray<'_>, center: Vec2, radius: f32) -> Option<RayHit> {
    let Course {
        length, direction, ..
    } = *ray.course;
    let to_center = center - ray.origin;
    // Distances are taken from the point of the ray nearest to the center, which keeps their digits when the ray
    // comes from far away.
    let nearest = to_center.dot(direction);
    let aside = to_center - nearest * direction;
    let half_chord_squared = radius * radius - aside.length_squared();
    if half_chord_squared < 0.0 {
        return None;
    }
    let mut distance = nearest - sqrt(half_chord_squared);
    // The ray comes from outside: if it comes nearer, only rounding puts the point where it enters behind its start.
    if nearest > 0.0 {
        distance = distance.max(0.0);
    }
    let normal = (distance * direction - to_center).normalize_or_zero();
    ray.hit(distance / length, normal)
}

/// The point where a ray from outside that runs against the normal of an edge enters the strip of width `radius` on its
/// outer side.
fn ray_outer_edge(ray: &Ray<'_>, [from, to]: [Vec2; 2], normal: Vec2, radius: f32) -> Option<RayHit> {
    let [outer_from, outer_to] = [from, to].map(|end| end + radius * normal);
    if normal.dot(outer_from - ray.origin) <= 0.0 {
        return ray_segment(ray, outer_from, outer_to, normal);
    }
    // A start in the strip is outside by rounding only: it is on the border.
    let along = to - from;
    let is_in_strip = normal.dot(ray.origin - from) >= 0.0
        && along.dot(ray.origin - from) >= 0.0
        && along.dot(ray.origin - to) <= 0.0;
    is_in_strip.then(|| ray.hit(0.0, normal)).flatten()
}

/// The point where a ray crosses a segment, with the normal on the side it comes from.
fn ray_segment(ray: &Ray<'_>, from: Vec2, to: Vec2, normal: Vec2) -> Option<RayHit> {
    let speed = normal.dot(ray.course.translation);
    if speed == 0.0 {
        return None;
    }
    let fraction = normal.dot(from - ray.origin) / speed;
    // The positions of the segment's ends beside the ray's line: on both sides of it, if the ray crosses.
    let side_from = cross(ray.course.translation, from - ray.origin);
    let side_to = cross(ray.course.translation, to - ray.origin);
    if (side_from > 0.0 && side_to > 0.0) || (side_from < 0.0 && side_to < 0.0) {
        return None;
    }
    ray.hit(fraction, if speed < 0.0 { normal } else { -normal })
}
