//! Rays, casts and overlaps against the plain programs that take one face and one corner after the other, and leave none
//! out. All results have the same bits.

use proptest::prelude::*;
use tombolo_geometry::distance::{ShapeHit, are_overlapping, cast_shape, distance};
use tombolo_geometry::shape::{RayHit, Shape, ShapeKind};
use tombolo_geometry::{Pose, Rot, Vec2};

/// A shape with another radius.
#[derive(Clone, Copy)]
struct Rounded<'a> {
    shape: &'a Shape,
    radius: f32,
}

#[derive(Clone, Copy)]
struct Ray {
    origin: Vec2,
    translation: Vec2,
    fraction_max: f32,
}

impl Ray {
    fn hit(&self, fraction: f32, normal: Vec2) -> Option<RayHit> {
        (fraction >= 0.0 && fraction <= self.fraction_max).then(|| RayHit {
            fraction,
            normal,
            point: self.origin + fraction * self.translation,
        })
    }
}

fn first_edge_outside(shape: &Shape, point: Vec2) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, (normal, vertex)) in shape.normals().iter().zip(shape.vertices()).enumerate() {
        let separation = normal.dot(point - *vertex);
        if separation > best.1 {
            best = (index, separation);
        }
    }
    best
}

fn edge(shape: &Shape, index: usize) -> (Vec2, Vec2) {
    let vertices = shape.vertices();
    (vertices[index], vertices[(index + 1) % vertices.len()])
}

fn closest_on_segment(from: Vec2, to: Vec2, point: Vec2) -> Vec2 {
    let along = to - from;
    let fraction = (point - from).dot(along) / along.length_squared();
    if fraction >= 1.0 {
        to
    } else if fraction > 0.0 {
        from + fraction * along
    } else {
        from
    }
}

fn contains(Rounded { shape, radius }: Rounded<'_>, point: Vec2) -> bool {
    let vertices = shape.vertices();
    if vertices.len() >= 3 && first_edge_outside(shape, point).1 <= 0.0 {
        return true;
    }
    let nearest = match vertices.len() {
        1 => vertices[0],
        _ => {
            let (from, to) = edge(shape, first_edge_outside(shape, point).0);
            closest_on_segment(from, to, point)
        }
    };
    radius > 0.0 && nearest.distance_squared(point) <= radius * radius
}

fn ray_circle(ray: Ray, center: Vec2, radius: f32) -> Option<RayHit> {
    let length = ray.translation.length();
    let direction = ray.translation / length;
    let to_center = center - ray.origin;
    let nearest = to_center.dot(direction);
    let aside = to_center - nearest * direction;
    let half_chord_squared = radius * radius - aside.length_squared();
    if half_chord_squared < 0.0 {
        return None;
    }
    let mut along = nearest - half_chord_squared.sqrt();
    if nearest > 0.0 {
        along = along.max(0.0);
    }
    let normal = (along * direction - to_center).normalize_or_zero();
    ray.hit(along / length, normal)
}

fn ray_segment(ray: Ray, from: Vec2, to: Vec2, normal: Vec2) -> Option<RayHit> {
    let speed = normal.dot(ray.translation);
    if speed == 0.0 {
        return None;
    }
    let fraction = normal.dot(from - ray.origin) / speed;
    let side = |end: Vec2| ray.translation.perp_dot(end - ray.origin);
    if (side(from) > 0.0 && side(to) > 0.0) || (side(from) < 0.0 && side(to) < 0.0) {
        return None;
    }
    ray.hit(fraction, if speed < 0.0 { normal } else { -normal })
}

fn ray_outer_edge(ray: Ray, [from, to]: [Vec2; 2], normal: Vec2, radius: f32) -> Option<RayHit> {
    let [outer_from, outer_to] = [from, to].map(|end| end + radius * normal);
    if normal.dot(outer_from - ray.origin) <= 0.0 {
        return ray_segment(ray, outer_from, outer_to, normal);
    }
    let along = to - from;
    let is_in_strip = normal.dot(ray.origin - from) >= 0.0
        && along.dot(ray.origin - from) >= 0.0
        && along.dot(ray.origin - to) <= 0.0;
    is_in_strip.then(|| ray.hit(0.0, normal)).flatten()
}

fn ray_sharp(shape: &Shape, ray: Ray) -> Option<RayHit> {
    let (mut enter, mut leave) = ((0.0, Vec2::ZERO), ray.fraction_max);
    for (normal, vertex) in shape.normals().iter().zip(shape.vertices()) {
        let outside = normal.dot(ray.origin - *vertex);
        let speed = normal.dot(ray.translation);
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

fn ray_rounded(Rounded { shape, radius }: Rounded<'_>, ray: Ray) -> Option<RayHit> {
    let mut first: Option<RayHit> = None;
    let mut keep = |hit: Option<RayHit>| {
        if let Some(hit) = hit
            && first.is_none_or(|known| hit.fraction < known.fraction)
        {
            first = Some(hit);
        }
    };
    for (index, &normal) in shape.normals().iter().enumerate() {
        let (from, to) = edge(shape, index);
        keep(ray_circle(ray, from, radius));
        if normal.dot(ray.translation) < 0.0 {
            keep(ray_outer_edge(ray, [from, to], normal, radius));
        }
    }
    first
}

/// A ray of a usual length against a shape that is no half-space.
fn plain_ray(rounded: Rounded<'_>, ray: Ray) -> Option<RayHit> {
    let Rounded { shape, radius } = rounded;
    if !(ray.translation.is_finite() && ray.fraction_max >= 0.0 && ray.origin.is_finite()) {
        return None;
    }
    if contains(rounded, ray.origin) {
        return ray.hit(0.0, Vec2::ZERO);
    }
    if ray.translation == Vec2::ZERO {
        return None;
    }
    match (shape.vertices().len(), radius > 0.0) {
        (1, _) => ray_circle(ray, shape.vertices()[0], radius),
        (2, false) => ray_segment(ray, shape.vertices()[0], shape.vertices()[1], shape.normals()[0]),
        (_, false) => ray_sharp(shape, ray),
        (_, true) => ray_rounded(rounded, ray),
    }
}

fn plain_cast(a: &Shape, b: &Shape, b_in_a: Pose, translation: Vec2, fraction_max: f32) -> Option<ShapeHit> {
    let start = distance(a, b, b_in_a);
    if start.distance <= 0.0 {
        return Some(ShapeHit {
            fraction: 0.0,
            normal: Vec2::ZERO,
            point: start.point_a,
        });
    }
    let radius = a.radius() + b.radius();
    let normal_of = |normal: Vec2| {
        if normal == Vec2::ZERO {
            start.normal
        } else {
            normal
        }
    };
    let mut first: Option<ShapeHit> = None;
    let mut keep = |hit: ShapeHit| {
        if first.is_none_or(|known| hit.fraction < known.fraction) {
            first = Some(hit);
        }
    };
    let ray = |origin, translation| Ray {
        origin,
        translation,
        fraction_max,
    };
    for &vertex in b.vertices() {
        let ray = ray(b_in_a.transform_point(vertex), translation);
        if let Some(hit) = plain_ray(Rounded { shape: a, radius }, ray) {
            let normal = normal_of(hit.normal);
            let point = hit.point - b.radius() * normal;
            keep(ShapeHit {
                fraction: hit.fraction,
                normal,
                point,
            });
        }
    }
    let opposite = b_in_a.rotation.unrotate(-translation);
    for &vertex in a.vertices() {
        let ray = ray(b_in_a.inverse_transform_point(vertex), opposite);
        if let Some(hit) = plain_ray(Rounded { shape: b, radius }, ray) {
            let normal = normal_of(-b_in_a.rotation.rotate(hit.normal));
            let point = vertex + a.radius() * normal;
            keep(ShapeHit {
                fraction: hit.fraction,
                normal,
                point,
            });
        }
    }
    first
}

/// A number on a grid, so that touching and parallel edges are common, or beside it.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => (-12..12_i32).prop_map(|x| 0.5 * x as f32),
        4 => -6.0..6.0_f32,
        1 => Just(-0.0_f32),
        1 => Just(1.0e-30_f32),
    ]
}

fn vector() -> impl Strategy<Value = Vec2> {
    (coordinate(), coordinate()).prop_map(|(x, y)| Vec2::new(x, y))
}

/// A circle, capsule, segment, box or polygon of up to eight corners, sharp or rounded.
fn any_shape() -> impl Strategy<Value = Shape> {
    let radius = prop_oneof![Just(0.0_f32), Just(0.25_f32), 0.01..1.0_f32];
    prop_oneof![
        2 => (vector(), 0.01..2.0_f32).prop_filter_map("circle", |(c, r)| Shape::circle(c, r).ok()),
        1 => (vector(), vector(), 0.01..1.0_f32)
            .prop_filter_map("capsule", |(a, b, r)| Shape::capsule(a, b, r).ok()),
        1 => (vector(), vector()).prop_filter_map("segment", |(a, b)| Shape::segment(a, b).ok()),
        3 => (1..5_i32, 1..5_i32)
            .prop_filter_map("box", |(w, h)| Shape::new_box(0.5 * w as f32, 0.5 * h as f32).ok()),
        4 => (prop::collection::vec(vector(), 3..=8), radius)
            .prop_filter_map("polygon", |(points, radius)| Shape::polygon(&points, radius).ok()),
    ]
}

fn rotation() -> impl Strategy<Value = Rot> {
    prop_oneof![
        2 => Just(Rot::IDENTITY),
        1 => Just(Rot::from_angle(core::f32::consts::FRAC_PI_2)),
        3 => (-3.2..3.2_f32).prop_map(Rot::from_angle),
    ]
}

/// A place near by, and sometimes far away, where little is left of the digits.
fn place() -> impl Strategy<Value = Vec2> {
    prop_oneof![
        8 => vector(),
        1 => vector().prop_map(|at| 1.0e5 * at),
        1 => vector().prop_map(|at| 1.0e-4 * at),
    ]
}

fn bits_of_ray(hit: Option<RayHit>) -> Option<[u32; 5]> {
    hit.map(|hit| [hit.fraction, hit.normal.x, hit.normal.y, hit.point.x, hit.point.y].map(f32::to_bits))
}

fn bits_of_cast(hit: Option<ShapeHit>) -> Option<[u32; 5]> {
    hit.map(|hit| [hit.fraction, hit.normal.x, hit.normal.y, hit.point.x, hit.point.y].map(f32::to_bits))
}

/// Whether a point is inside the core of a polygon; the border counts.
fn core_holds(shape: &Shape, point: Vec2) -> bool {
    let mut faces = shape.normals().iter().zip(shape.vertices());
    shape.vertices().len() > 2 && faces.all(|(normal, vertex)| normal.dot(point - *vertex) <= 0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn rays_have_the_bits_of_the_plain_program(
        shape in any_shape(),
        origin in place(),
        translation in place(),
        fraction_max in prop_oneof![Just(1.0_f32), Just(0.0_f32), Just(f32::INFINITY), 0.0..2.0_f32],
    ) {
        let ray = Ray { origin, translation, fraction_max };
        let plain = plain_ray(Rounded { shape: &shape, radius: shape.radius() }, ray);
        let found = shape.cast_ray(origin, translation, fraction_max);
        prop_assert_eq!(bits_of_ray(found), bits_of_ray(plain));
        prop_assert_eq!(shape.contains_point(origin), contains(Rounded { shape: &shape, radius: shape.radius() }, origin));
    }

    #[test]
    fn casts_have_the_bits_of_the_plain_program(
        (a, b) in (any_shape(), any_shape()),
        position in place(),
        rotation in rotation(),
        translation in place(),
        fraction_max in prop_oneof![Just(1.0_f32), Just(0.0_f32), 0.0..2.0_f32],
    ) {
        // Two lines have a rule of their own for casts along both.
        let is_line = |shape: &Shape| shape.kind() == ShapeKind::Segment;
        prop_assume!(!(is_line(&a) && is_line(&b)));
        let b_in_a = Pose { position, rotation };
        let plain = plain_cast(&a, &b, b_in_a, translation, fraction_max);
        let found = cast_shape(&a, &b, b_in_a, translation, fraction_max);
        prop_assert_eq!(bits_of_cast(found), bits_of_cast(plain));
    }

    #[test]
    fn shapes_overlap_if_they_have_no_distance(
        (a, b) in (any_shape(), any_shape()),
        position in place(),
        rotation in rotation(),
    ) {
        let b_in_a = Pose { position, rotation };
        let middle_inside = a.vertices().len() > 2 && b.vertices().len() > 2
            && (core_holds(&a, b_in_a.transform_point(b.centroid()))
                || core_holds(&b, b_in_a.inverse_transform_point(a.centroid())));
        let plain = middle_inside || distance(&a, &b, b_in_a).distance <= 0.0;
        prop_assert_eq!(are_overlapping(&a, &b, b_in_a), plain);
    }

    #[test]
    fn shapes_that_all_but_touch_overlap_if_they_have_no_distance(
        (a, b) in (any_shape(), any_shape()),
        rotation in rotation(),
        direction in vector(),
        lead in -20..20_i32,
    ) {
        // Moved along a direction until they touch, and some last places further or less far.
        let start = Pose { position: -20.0 * direction.normalize_or(Vec2::X), rotation };
        let translation = -2.0 * start.position;
        if let Some(hit) = cast_shape(&a, &b, start, translation, 1.0) {
            let fraction = f32::from_bits(hit.fraction.to_bits().saturating_add_signed(lead));
            let touching = Pose { position: start.position + fraction * translation, rotation };
            let middle_inside = a.vertices().len() > 2 && b.vertices().len() > 2
                && (core_holds(&a, touching.transform_point(b.centroid()))
                    || core_holds(&b, touching.inverse_transform_point(a.centroid())));
            let plain = middle_inside || distance(&a, &b, touching).distance <= 0.0;
            prop_assert_eq!(are_overlapping(&a, &b, touching), plain);
        }
    }
}

#[test]
fn the_longest_rays_are_cast_in_parts_of_their_length() {
    let square = Shape::new_box(2.0, 2.0).unwrap();
    let rounded = Shape::rounded_box(2.0, 2.0, 0.5).unwrap();
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    for shape in [square, rounded, circle] {
        for length in [2.0e15, 1.0e30, f32::MAX] {
            let hit = shape.cast_ray(Vec2::new(-9.0, 0.25), Vec2::new(length, 0.0), 1.0);
            let hit = hit.expect("a ray through the shape");
            assert!((hit.fraction * length - 8.0).abs() < 0.6, "{hit:?}");
            assert!(
                shape
                    .cast_ray(Vec2::new(-9.0, 3.0), Vec2::new(length, 0.0), 1.0)
                    .is_none()
            );
            assert!(
                shape
                    .cast_ray(Vec2::new(9.0, 0.0), Vec2::new(length, 0.0), 1.0)
                    .is_none()
            );
            let inside = shape.cast_ray(Vec2::ZERO, Vec2::new(length, length), 1.0);
            assert_eq!(inside.map(|hit| hit.fraction), Some(0.0));
        }
    }
}
