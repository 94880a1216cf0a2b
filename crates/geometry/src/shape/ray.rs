//! Ray casts against one shape, in the shape's own frame.

use super::Shape;
use super::faces::LANES;
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

/// A ray from outside does not meet a circle whose center is behind its start by more than this, in meters: of a distance
/// that is not zero, the fraction of the longest translation is not either.
const BEHIND_M: f32 = 1.0e-20;

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

    /// Whether the translation has to be made shorter before it is used.
    #[inline]
    fn is_long(&self) -> bool {
        self.translation.abs().max_element() > TRANSLATION_MAX_M
    }

    /// Of four circles those that a ray may meet or begin in, one bit each, by the places of their centers relative to its
    /// start: all for which [`ray_circle`] has a hit. The translation is not long.
    #[inline]
    fn circles_ahead(&self, to_centers: &[Vec2; LANES], radius: f32) -> u32 {
        let direction = self.direction;
        let may_meet = |to_center: &Vec2| {
            let nearest = to_center.dot(direction);
            let aside = *to_center - nearest * direction;
            let passes_by = radius * radius - aside.length_squared() < 0.0;
            let is_within = to_center.length_squared() <= radius * radius;
            is_within | !(passes_by | (nearest < -BEHIND_M))
        };
        let met = to_centers.each_ref().map(may_meet);
        (0..LANES).fold(0, |bits, lane| bits | u32::from(met[lane]) << lane)
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
    fn cast_along(&self, origin: Vec2, course: &Course) -> Option<RayHit> {
        self.cast_when_rounded(self.radius, origin, course)
    }

    /// Like [`Shape::cast_ray`], with another radius, on a course that rays from other origins have as well.
    pub(crate) fn cast_when_rounded(&self, radius: f32, origin: Vec2, course: &Course) -> Option<RayHit> {
        if !origin.is_finite() {
            return None;
        }
        let ray = Ray { origin, course };
        if self.count >= 3 && radius <= 0.0 {
            return self.ray_sharp(&ray);
        }
        if self.contains_when_rounded(origin, radius) {
            return ray.hit(0.0, Vec2::ZERO);
        }
        if course.translation == Vec2::ZERO {
            return None;
        }
        if course.is_long() {
            return self.cast_long_ray(radius, &ray);
        }
        if self.is_half_space() {
            return self.ray_into_half_space(origin, course.translation, course.max_fraction);
        }
        match (self.count, radius > 0.0) {
            (1, _) => ray_circle(&ray, self.vertices[0], radius),
            (_, false) => ray_segment(&ray, self.vertices[0], self.vertices[1], self.normals[0]),
            (_, true) => self.ray_rounded(radius, &ray),
        }
    }

    /// Of four points those from which a ray may meet the shape with another radius, one bit each: none that does is left
    /// out. All, unless it is a circle.
    #[inline]
    pub(crate) fn may_be_met(&self, radius: f32, origins: &[Vec2; LANES], course: &Course) -> u32 {
        if self.count > 1 || self.is_half_space() || course.is_long() {
            return (1 << LANES) - 1;
        }
        course.circles_ahead(&origins.map(|origin| self.vertices[0] - origin), radius)
    }

    /// Like [`Shape::cast_when_rounded`], for a ray that is made shorter first.
    #[cold]
    fn cast_long_ray(&self, radius: f32, ray: &Ray<'_>) -> Option<RayHit> {
        let Course {
            translation,
            max_fraction,
            ..
        } = *ray.course;
        let course = Course::new(LONG_SCALE * translation, max_fraction / LONG_SCALE)?;
        let hit = self.cast_when_rounded(radius, ray.origin, &course)?;
        Some(RayHit {
            fraction: LONG_SCALE * hit.fraction,
            ..hit
        })
    }

    /// A polygon without rounding is the intersection of half-planes: the ray is inside from the last one it enters to
    /// the first one it leaves (Cyrus and Beck, 1978). The ray may begin inside, and its translation may be zero or long.
    fn ray_sharp(&self, ray: &Ray<'_>) -> Option<RayHit> {
        let Course {
            translation,
            max_fraction,
            ..
        } = *ray.course;
        let (mut begins_outside, mut stays_outside) = (false, false);
        // No fraction at which it enters is below zero.
        let (mut enter, mut leave) = ((-1.0, 0), max_fraction);
        for start in (0..self.vertices().len()).step_by(LANES) {
            let faces = self.faces(start);
            let outside = faces.separations(ray.origin);
            let speed = faces.along_normals(translation);
            let fraction: [f32; LANES] = core::array::from_fn(|lane| -outside[lane] / speed[lane]);
            for lane in 0..LANES {
                let is_outside = outside[lane] > 0.0;
                begins_outside |= is_outside;
                stays_outside |= is_outside & (speed[lane] == 0.0);
                let leaves = speed[lane] > 0.0 && fraction[lane] < leave;
                leave = if leaves { fraction[lane] } else { leave };
                if speed[lane] < 0.0 && outside[lane] >= 0.0 && fraction[lane] > enter.0 {
                    enter = (fraction[lane], start + lane);
                }
            }
        }
        if !begins_outside {
            return ray.hit(0.0, Vec2::ZERO);
        }
        if ray.course.is_long() {
            return self.cast_long_ray(0.0, ray);
        }
        if stays_outside || enter.0 < 0.0 || leave < enter.0 {
            return None;
        }
        ray.hit(enter.0, self.normals[enter.1])
    }

    /// A rounded shape's border is its edges moved outward and an arc at each corner. The full circles may replace the
    /// arcs, since the rest of them is inside.
    fn ray_rounded(&self, radius: f32, ray: &Ray<'_>) -> Option<RayHit> {
        let mut first: Option<RayHit> = None;
        let mut keep = |hit: Option<RayHit>| {
            if let Some(hit) = hit
                && first.is_none_or(|known| hit.fraction < known.fraction)
            {
                first = Some(hit);
            }
        };
        let (corners, _) = self.vertices.as_chunks::<LANES>();
        for (start, corners) in (0..self.vertices().len()).step_by(LANES).zip(corners) {
            let to_centers = corners.map(|corner| corner - ray.origin);
            let ahead = ray.course.circles_ahead(&to_centers, radius);
            let count = (self.vertices().len() - start).min(LANES);
            for (lane, &corner) in corners.iter().enumerate().take(count) {
                if ahead & 1 << lane != 0 {
                    keep(ray_circle(ray, corner, radius));
                }
                let normal = self.normals[start + lane];
                if normal.dot(ray.course.translation) < 0.0 {
                    let (from, to) = self.edge(start + lane);
                    keep(ray_outer_edge(ray, [from, to], normal, radius));
                }
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
    let hit = ray.hit(distance / length, Vec2::ZERO)?;
    let normal = (distance * direction - to_center).normalize_or_zero();
    Some(RayHit { normal, ..hit })
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
