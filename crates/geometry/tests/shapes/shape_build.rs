//! Shapes: construction and its errors, hulls, mass, boxes, points and rays.

use crate::shape_oracle::{any_pose, any_shape, cases, core, inside, point, point_to_core};
use glam::{DVec2, Vec2};
use proptest::prelude::*;
use tombolo_geometry::shape::{
    COORDINATE_MAX, LENGTH_MIN, MassProperties, Shape, ShapeError, ShapeKind, What,
};
use tombolo_geometry::{Aabb, Pose};

#[test]
fn bad_numbers_are_refused_by_name() {
    let nan = f32::NAN;
    let refused = |result: Result<Shape, ShapeError>, expected: What| match result {
        Err(ShapeError::NotFinite { what, .. } | ShapeError::OutOfRange { what, .. }) => {
            assert_eq!(what, expected)
        }
        other => panic!("{other:?}"),
    };
    refused(Shape::circle(Vec2::new(nan, 0.0), 1.0), What::Center);
    refused(Shape::circle(Vec2::ZERO, nan), What::Radius);
    refused(Shape::circle(Vec2::ZERO, 0.0), What::Radius);
    refused(Shape::circle(Vec2::ZERO, -1.0), What::Radius);
    refused(Shape::circle(Vec2::ZERO, 2.0 * COORDINATE_MAX), What::Radius);
    refused(Shape::capsule(Vec2::ZERO, Vec2::X, f32::INFINITY), What::Radius);
    refused(
        Shape::capsule(Vec2::ZERO, Vec2::new(0.5 * LENGTH_MIN, 0.0), 1.0),
        What::Length,
    );
    refused(Shape::segment(Vec2::X, Vec2::X), What::Length);
    refused(Shape::segment(Vec2::X, Vec2::new(0.0, nan)), What::Vertex(1));
    refused(Shape::new_box(0.0, 2.0), What::Width);
    refused(Shape::new_box(2.0, -2.0), What::Height);
    refused(Shape::box_at(2.0, 2.0, Vec2::ZERO, nan), What::Angle);
    refused(Shape::box_at(2.0, 2.0, Vec2::splat(nan), 0.0), What::Center);
    refused(Shape::rounded_box(2.0, 2.0, -0.1), What::Radius);
    refused(
        Shape::polygon(&[Vec2::ZERO, Vec2::X, Vec2::new(0.0, nan)], 0.0),
        What::Vertex(2),
    );
    refused(Shape::polygon(&[Vec2::ZERO, Vec2::X, Vec2::Y], nan), What::Radius);
}

#[test]
fn degenerate_hulls_are_refused_with_what_is_left_of_them() {
    let degenerate = |points: &[Vec2], corners: usize| {
        let count = points.len();
        assert_eq!(
            Shape::polygon(points, 0.1),
            Err(ShapeError::Degenerate { count, corners })
        );
    };
    degenerate(&[], 0);
    degenerate(&[Vec2::ONE; 8], 1);
    degenerate(&[Vec2::ZERO, Vec2::X], 2);
    degenerate(&[Vec2::ZERO, Vec2::X, 2.0 * Vec2::X, 5.0 * Vec2::X], 2);
    degenerate(&[Vec2::ZERO, Vec2::X, Vec2::new(0.5, 0.0001)], 2);
    degenerate(&[Vec2::ZERO, Vec2::X, Vec2::new(1.0, 0.0001)], 2);
    assert_eq!(
        Shape::polygon(&[Vec2::ONE; 9], 0.0),
        Err(ShapeError::TooManyPoints { count: 9 })
    );
}

#[test]
fn an_error_says_what_is_wrong_with_which_number() {
    let error = Shape::new_box(2.0, -4.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "height is -4 m: it must lie between 0.001 m and 200000 m in absolute value"
    );
}

#[test]
fn a_hull_drops_inner_collinear_and_double_points() {
    let points = [
        (0.0, 0.0),
        (1.0, 1.0),
        (2.0, 0.0),
        (1.0, 0.0),
        (2.0, 2.0),
        (0.0, 2.0),
        (2.0, 0.0002),
        (0.0, 1.0),
    ];
    let hull = Shape::polygon(&points.map(Vec2::from), 0.0).unwrap();
    let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(Vec2::from);
    assert_eq!(hull.vertices(), corners);
    assert_eq!(
        hull.normals(),
        [Vec2::new(0.0, -1.0), Vec2::X, Vec2::Y, Vec2::NEG_X]
    );
    assert_eq!(hull.centroid(), Vec2::ONE);
}

#[test]
fn signed_zeros_do_not_make_different_bytes() {
    let plus = Shape::capsule(Vec2::new(0.0, 0.0), Vec2::new(1.0, 0.0), 0.5).unwrap();
    let minus = Shape::capsule(Vec2::new(-0.0, -0.0), Vec2::new(1.0, -0.0), 0.5).unwrap();
    assert_eq!(bytemuck::bytes_of(&plus), bytemuck::bytes_of(&minus));
}

#[test]
fn mass_of_a_rectangle_far_from_the_origin() {
    let shape = Shape::box_at(2.0, 1.0, Vec2::new(1000.0, -500.0), 0.7).unwrap();
    let mass = shape.mass_properties(3.0);
    assert!((mass.mass - 6.0).abs() < 1.0e-2);
    assert!((mass.inertia - 6.0 * (4.0 + 1.0) / 12.0).abs() < 1.0e-2);
    assert_eq!(mass.center, Vec2::new(1000.0, -500.0));
}

#[test]
fn mass_of_a_capsule_is_that_of_a_rectangle_and_two_half_discs() {
    let mass = Shape::capsule(Vec2::NEG_X, Vec2::X, 0.5)
        .unwrap()
        .mass_properties(1.0);
    let disc = core::f32::consts::PI * 0.25;
    assert!((mass.mass - (2.0 + disc)).abs() < 1.0e-5);
    assert_eq!(mass.center, Vec2::ZERO);
    let rectangle = 2.0 * (4.0 + 1.0) / 12.0;
    // A half disc's center is 4r / 3π from its flat side.
    let lever = 4.0 * 0.5 / (3.0 * core::f32::consts::PI);
    let half_discs = disc * (0.25 * 0.5 - lever * lever + (1.0 + lever) * (1.0 + lever));
    assert!((mass.inertia - (rectangle + half_discs)).abs() < 1.0e-5);
}

#[test]
fn a_segment_has_no_mass_and_no_inside() {
    let segment = Shape::segment(Vec2::ZERO, Vec2::new(2.0, 0.0)).unwrap();
    let expected = MassProperties {
        center: Vec2::X,
        ..MassProperties::default()
    };
    assert_eq!(segment.mass_properties(5.0), expected);
    assert!(!segment.contains_point(Vec2::X));
    assert_eq!(segment.min_extent(), 0.0);
}

/// The points beside a segment of a chain may lie up to three times as far out as its ends.
#[test]
fn a_chain_segment_with_far_neighbors_moves() {
    let along = |before: f32, after: f32| {
        let xs = [before, 90_000.0, -70_000.0, after];
        let [before, a, b, after] = xs.map(|x| Vec2::new(x, 0.0));
        Shape::chain_segment(before, a, b, after)
    };
    let segment = along(250_000.0, -230_000.0).unwrap();
    segment.validate().unwrap();
    assert_eq!(segment.moved(Pose::IDENTITY), Ok(segment));
    let shifted = segment.moved(Pose::new(Vec2::new(0.0, 5.0), 0.0)).unwrap();
    assert_eq!(shifted.vertices()[0], Vec2::new(90_000.0, 5.0));
    // Its ends and its neighbors may not leave their own bounds.
    for x in [20_000.0, -40_000.0] {
        segment.moved(Pose::new(Vec2::new(x, 0.0), 0.0)).unwrap_err();
    }
    let far = along(299_990.0, -230_000.0).unwrap();
    far.moved(Pose::new(Vec2::new(20.0, 0.0), 0.0)).unwrap_err();
}

#[test]
fn extents_of_a_rounded_rectangle() {
    let shape = Shape::rounded_box(6.0, 8.0, 0.5).unwrap();
    assert_eq!(shape.min_extent(), 3.5);
    assert_eq!(shape.max_extent_from(Vec2::ZERO), 5.5);
    let pose = Pose::new(Vec2::new(10.0, 0.0), core::f32::consts::FRAC_PI_2);
    let bounds = shape.aabb(pose);
    assert!(bounds.min.distance(Vec2::new(5.5, -3.5)) < 1.0e-5);
    assert!(bounds.max.distance(Vec2::new(14.5, 3.5)) < 1.0e-5);
}

#[test]
fn a_ray_from_inside_hits_at_once_and_one_along_a_face_behaves() {
    let square = Shape::new_box(2.0, 2.0).unwrap();
    let inside = square.cast_ray(Vec2::new(0.5, 0.0), Vec2::X, 1.0).unwrap();
    assert_eq!(
        (inside.fraction, inside.normal, inside.point),
        (0.0, Vec2::ZERO, Vec2::new(0.5, 0.0))
    );
    assert!(
        square
            .cast_ray(Vec2::new(-3.0, 1.5), Vec2::new(9.0, 0.0), 1.0)
            .is_none()
    );
    let from_above = square
        .cast_ray(Vec2::new(0.0, 3.0), Vec2::new(0.0, -4.0), 1.0)
        .unwrap();
    assert_eq!((from_above.fraction, from_above.normal), (0.5, Vec2::Y));
    assert!(square.cast_ray(Vec2::new(0.0, 3.0), Vec2::ZERO, 1.0).is_none());
    assert!(square.cast_ray(Vec2::new(f32::NAN, 3.0), Vec2::X, 1.0).is_none());
    assert!(
        square
            .cast_ray(Vec2::new(0.0, 3.0), Vec2::NEG_Y, f32::NAN)
            .is_none()
    );
}

#[test]
fn a_segment_is_hit_from_both_sides() {
    let segment = Shape::segment(Vec2::NEG_X, Vec2::X).unwrap();
    for side in [1.0, -1.0] {
        let origin = Vec2::new(0.25, 2.0 * side);
        let hit = segment
            .cast_ray(origin, Vec2::new(0.0, -4.0 * side), 1.0)
            .unwrap();
        assert_eq!((hit.fraction, hit.normal), (0.5, Vec2::new(0.0, side)));
    }
    assert!(
        segment
            .cast_ray(Vec2::new(-3.0, 0.0), Vec2::new(9.0, 0.0), 1.0)
            .is_none()
    );
}

#[test]
fn stored_shapes_that_contradict_themselves_are_refused() {
    let good = Shape::polygon(
        &[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)].map(Vec2::from),
        0.1,
    )
    .unwrap();
    let with = |offset: usize, value: &[u8]| {
        let mut bytes = bytemuck::bytes_of(&good).to_vec();
        bytes[offset..offset + value.len()].copy_from_slice(value);
        bytemuck::pod_read_unaligned::<Shape>(&bytes).validate()
    };
    let number = |x: f32| x.to_ne_bytes();
    assert_eq!(good.validate(), Ok(()));
    assert_eq!(
        with(142, &6u16.to_ne_bytes()),
        Err(ShapeError::UnknownKind { kind: 6 })
    );
    assert_eq!(
        with(140, &9u16.to_ne_bytes()),
        Err(ShapeError::WrongCount { count: 9 })
    );
    assert_eq!(
        with(140, &2u16.to_ne_bytes()),
        Err(ShapeError::WrongCount { count: 2 })
    );
    assert!(matches!(
        with(136, &number(f32::NAN)),
        Err(ShapeError::NotFinite {
            what: What::Radius,
            ..
        })
    ));
    assert!(matches!(
        with(136, &number(-1.0)),
        Err(ShapeError::OutOfRange {
            what: What::Radius,
            ..
        })
    ));
    assert!(matches!(
        with(0, &number(f32::INFINITY)),
        Err(ShapeError::NotFinite {
            what: What::Vertex(0),
            ..
        })
    ));
    assert!(matches!(
        with(0, &number(5.0)),
        Err(ShapeError::Inconsistent { .. })
    ));
    assert_eq!(
        with(64, &number(0.5)),
        Err(ShapeError::Inconsistent {
            what: What::Normal(0)
        })
    );
    assert_eq!(
        with(128, &number(f32::NAN)),
        Err(ShapeError::Inconsistent { what: What::Centroid })
    );
    assert_eq!(
        with(40, &number(1.0)),
        Err(ShapeError::Inconsistent {
            what: What::Vertex(5)
        })
    );
}

/// The border of a shape as a polygon of very many corners.
fn dense_border(shape: &Shape) -> Vec<DVec2> {
    const ARC_STEPS: usize = 4_000;
    let radius = f64::from(shape.radius());
    let vertices = core(shape, Pose::IDENTITY);
    let count = vertices.len();
    let mut border = Vec::new();
    for (index, vertex) in vertices.iter().enumerate() {
        let before = vertex - vertices[(index + count - 1) % count];
        let after = vertices[(index + 1) % count] - vertex;
        let start = if count == 1 {
            0.0
        } else {
            libm::atan2(-before.x, before.y)
        };
        let mut turn = if count == 1 {
            std::f64::consts::TAU
        } else {
            libm::atan2(before.perp_dot(after), before.dot(after))
        };
        if turn < 0.0 {
            turn += std::f64::consts::TAU;
        }
        for step in 0..=ARC_STEPS {
            let angle = start + turn * step as f64 / ARC_STEPS as f64;
            border.push(vertex + radius * DVec2::from_angle(angle));
        }
    }
    border
}

/// Area, center and second moment about the center, by triangles from the first corner.
fn exact_sums(border: &[DVec2]) -> (f64, DVec2, f64) {
    let origin = border[0];
    let (mut area, mut first, mut second) = (0.0, DVec2::ZERO, 0.0);
    for (p, q) in border.iter().zip(&border[1..]) {
        let (p, q) = (*p - origin, *q - origin);
        let triangle = 0.5 * p.perp_dot(q);
        area += triangle;
        first += triangle / 3.0 * (p + q);
        second += triangle / 6.0 * (p.dot(p) + q.dot(q) + p.dot(q));
    }
    let center = first / area;
    (area, origin + center, second - area * center.length_squared())
}

/// The fraction at which a ray comes within a nanometer of a shape, by steps of the distance that is left.
fn march(shape: &Shape, origin: Vec2, translation: Vec2) -> Option<f64> {
    let core = core(shape, Pose::IDENTITY);
    let (origin, translation) = (origin.as_dvec2(), translation.as_dvec2());
    let mut fraction = 0.0;
    for _ in 0..20_000 {
        let gap = point_to_core(origin + fraction * translation, &core) - f64::from(shape.radius());
        if gap < 1.0e-9 {
            return Some(fraction);
        }
        fraction += gap / translation.length();
        if fraction > 1.0 {
            return None;
        }
    }
    Some(fraction)
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn every_made_shape_is_valid_also_after_a_trip_through_bytes(shape in any_shape()) {
        prop_assert_eq!(shape.validate(), Ok(()));
        let read: Shape = bytemuck::pod_read_unaligned(bytemuck::bytes_of(&shape));
        prop_assert_eq!(read, shape);
        for normal in shape.normals() {
            prop_assert!((normal.length() - 1.0).abs() < 1.0e-6);
        }
    }

    #[test]
    fn validation_of_any_bytes_does_not_panic(bytes in prop::array::uniform32(any::<u8>()), shape in any_shape(), at in 0usize..112) {
        let mut broken = bytemuck::bytes_of(&shape).to_vec();
        broken[at..at + 32].copy_from_slice(&bytes);
        let read: Shape = bytemuck::pod_read_unaligned(&broken);
        let _ = read.validate();
    }

    /// The hull holds every point it was made from, and its corners are some of them.
    #[test]
    fn a_hull_holds_its_points(points in prop::collection::vec(point(), 3..=8)) {
        if let Ok(hull) = Shape::polygon(&points, 0.0) {
            prop_assert!(hull.vertices().iter().all(|v| points.contains(v)));
            let corners = core(&hull, Pose::IDENTITY);
            for p in &points {
                prop_assert!(point_to_core(p.as_dvec2(), &corners) < 1.0e-3);
            }
        }
    }

    /// Points on a coarse grid, where many coincide and lie on lines, give the same hull in any order.
    #[test]
    fn the_order_of_points_does_not_matter(
        (points, shuffled) in prop::collection::vec((0i8..4, 0i8..4), 3..=8)
            .prop_flat_map(|points| (Just(points.clone()), Just(points).prop_shuffle()))
    ) {
        let hull = |points: &[(i8, i8)]| {
            let points: Vec<Vec2> = points.iter().map(|&(x, y)| Vec2::new(f32::from(x), f32::from(y))).collect();
            Shape::polygon(&points, 0.0)
        };
        prop_assert_eq!(hull(&points), hull(&shuffled));
    }

    #[test]
    fn a_point_is_inside_if_it_is_within_the_radius_of_the_core(shape in any_shape(), p in point()) {
        let corners = core(&shape, Pose::IDENTITY);
        let gap = point_to_core(p.as_dvec2(), &corners) - f64::from(shape.radius());
        let clear = gap.abs() > 1.0e-5 || (shape.radius() == 0.0 && inside(&corners, p.as_dvec2()));
        if clear && shape.kind() != ShapeKind::Segment {
            let expected = gap <= 0.0;
            // Near the border of a sharp polygon the oracle says inside at distance zero.
            let near_edge = gap == 0.0 && shape.radius() == 0.0;
            prop_assert!(shape.contains_point(p) == expected || near_edge);
        }
    }

    #[test]
    fn boxes_are_tight(shape in any_shape(), pose in any_pose()) {
        let bounds = shape.aabb(pose);
        let corners: Vec<Vec2> = core(&shape, pose).iter().map(|v| v.as_vec2()).collect();
        let expected = Aabb::from_points(&corners).grown(shape.radius());
        prop_assert!(bounds.min.distance(expected.min) < 1.0e-5);
        prop_assert!(bounds.max.distance(expected.max) < 1.0e-5);
    }

    #[test]
    fn a_ray_hits_where_a_march_by_distance_arrives(shape in any_shape(), origin in point(), toward in point()) {
        let translation = 3.0 * (toward - origin);
        prop_assume!(translation.length() > 0.1);
        let expected = march(&shape, origin, translation);
        let found = shape.cast_ray(origin, translation, 1.0);
        if let (Some(expected), Some(hit)) = (expected, found) {
            let normal = hit.normal.length();
            prop_assert!(normal == 0.0 && hit.fraction == 0.0 || (normal - 1.0).abs() < 1.0e-5);
            prop_assert!(hit.normal.dot(translation) <= 1.0e-4);
            // A glancing ray turns a rounding error aside into a large one along it: compare by distance.
            let p = (origin + hit.fraction * translation).as_dvec2();
            let off = point_to_core(p, &core(&shape, Pose::IDENTITY)) - f64::from(shape.radius());
            prop_assert!(off.abs() < 1.0e-4 || hit.fraction == 0.0, "{} off the border", off);
            let error = (f64::from(hit.fraction) - expected) * f64::from(translation.length());
            prop_assert!(error.abs() < 1.0e-2, "{} instead of {}", hit.fraction, expected);
        } else if found.is_some() != expected.is_some() {
            // Only a ray that grazes or barely ends at the border may be judged differently.
            let nearest = (0..=2_000).map(|i| {
                let p = origin.as_dvec2() + translation.as_dvec2() * f64::from(i) / 2_000.0;
                point_to_core(p, &core(&shape, Pose::IDENTITY)) - f64::from(shape.radius())
            }).fold(f64::INFINITY, f64::min);
            prop_assert!(nearest.abs() < 5.0e-3, "missed by {}", nearest);
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn mass_is_that_of_the_dense_border(shape in any_shape()) {
        prop_assume!(shape.kind() != ShapeKind::Segment);
        let (area, center, second) = exact_sums(&dense_border(&shape));
        let found = shape.mass_properties(2.0);
        let close = |found: f32, expected: f64| (f64::from(found) - expected).abs() < 1.0e-4 * expected + 1.0e-6;
        prop_assert!(close(found.mass, 2.0 * area), "{} instead of {}", found.mass, 2.0 * area);
        prop_assert!(found.center.as_dvec2().distance(center) < 1.0e-4);
        prop_assert!(close(found.inertia, 2.0 * second), "{} instead of {}", found.inertia, 2.0 * second);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// Every corner of what is left is as far inside as the layer is thick; what is rounded enough keeps its corners.
    #[test]
    fn the_clearance_of_edges_is_that_of_all_other_corners(shape in any_shape()) {
        let (vertices, normals) = (shape.vertices(), shape.normals());
        let mut least = f32::INFINITY;
        for (edge, normal) in normals.iter().enumerate() {
            let ends = [edge, (edge + 1) % vertices.len()];
            for (corner, vertex) in vertices.iter().enumerate() {
                if vertices.len() > 2 && !ends.contains(&corner) {
                    least = least.min(normal.dot(vertices[edge] - *vertex));
                }
            }
        }
        let clearance = shape.edge_clearance();
        let size = 1.0 + vertices.iter().fold(0.0_f32, |most, vertex| most.max(vertex.length()));
        prop_assert!(
            clearance == least || (clearance - least).abs() < 1.0e-5 * size,
            "{clearance}, by all corners {least}"
        );
    }

    #[test]
    fn a_layer_is_taken_off_all_around(shape in any_shape(), share in 0.0_f32..0.5) {
        let margin = share * shape.min_extent();
        prop_assume!(margin > 0.0);
        let small = shape.inset(margin);
        let outer = core(&shape, Pose::IDENTITY);
        for (vertex, was) in small.vertices().iter().zip(shape.vertices()) {
            // How deep the vertex with its radius is in the border.
            let depth = outer_depth(vertex.as_dvec2(), &outer) + f64::from(shape.radius()) - f64::from(small.radius());
            prop_assert!(depth > f64::from(margin) * 0.999 - 1.0e-5, "{} of {}", depth, margin);
            let is_rounded = shape.radius() >= margin;
            prop_assert!(!is_rounded || vertex == was);
        }
    }
}

/// How far a point is inside of a border of corners, counter-clockwise; 0 on a point or a segment.
fn outer_depth(point: DVec2, corners: &[DVec2]) -> f64 {
    if corners.len() < 3 {
        return 0.0;
    }
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let depths = edges.map(|(&from, &to)| (to - from).normalize().perp_dot(point - from));
    depths.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_rod_without_its_layer_is_as_much_shorter_as_it_is_thinner() {
    let rod = Shape::new_box(2.0, 0.04).unwrap().inset(0.005);
    assert!(
        (rod.vertices()[2] - Vec2::new(0.995, 0.015)).length() < 1.0e-6,
        "{:?}",
        rod.vertices()
    );
    // An edge that is shorter than the layer: the whole is drawn together.
    let blunt = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.01, 1.0), (0.0, 0.99)].map(Vec2::from);
    let blunt = Shape::polygon(&blunt, 0.0).unwrap();
    let small = blunt.inset(0.25);
    let scale = 1.0 - 0.25 / blunt.min_extent();
    for (small, was) in small.vertices().iter().zip(blunt.vertices()) {
        let expected = blunt.centroid() + scale * (*was - blunt.centroid());
        assert!((*small - expected).length() < 1.0e-6);
    }
}

#[test]
fn an_inset_of_the_rounding_alone_has_its_own_center_of_mass() {
    let corners = [Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(0.0, 1.0)];
    let small = Shape::polygon(&corners, 1.0).unwrap().inset(0.9);
    let exact = Shape::polygon(&corners, 0.1).unwrap().centroid();
    assert!(small.centroid().distance(exact) < 1.0e-3, "{small:?}, {exact}");
    small.validate().unwrap();
}

#[test]
fn boxes_far_out_are_shapes_or_refused() {
    let planks = [
        (1.0, 0.01, 4000.0, 4000.0, 0.3),
        (1.0, 0.01, 3000.0, -1000.0, 1.1),
        (0.002, 0.002, 20_000.0, 0.0, 0.0),
        (2.0, 1.0, 90_000.0, 90_000.0, 0.7),
    ];
    let mut count = 0;
    for (width, height, x, y, angle) in planks {
        if let Ok(plank) = Shape::box_at(width, height, Vec2::new(x, y), angle) {
            plank.validate().unwrap();
            count += 1;
        }
    }
    assert!(count >= 2, "{count} of them can be had");
}
