//! Distances, manifolds and times of impact of shapes from a centimeter to a kilometer, against double precision.

use crate::exact::{MovingPair, Pair, check_distance, check_impact, check_manifold};
use crate::scale::scaled;
use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::{ImpactState, Sweep, distance, time_of_impact};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot, Vec2};

/// The pairs that each test looks at. The fuzz families `manifold` and `impact` look at more.
fn seeds() -> std::ops::Range<u64> {
    0..scaled(20_000) as u64
}

/// Shows the first finds.
fn all(check: impl Fn(u64) -> Result<(), String>) {
    let mut finds = Vec::new();
    for seed in seeds() {
        if let Err(what) = check(seed)
            && finds.len() < 5
        {
            finds.push(format!("seed {seed}: {what}"));
        }
    }
    assert!(finds.is_empty(), "{finds:#?}");
}

#[test]
fn distances_normals_and_nearest_points_are_exact() {
    all(|seed| check_distance(&Pair::from_seed(seed)));
}

#[test]
fn manifolds_have_their_separation_normal_and_both_points() {
    all(|seed| check_manifold(&Pair::from_seed(seed)));
}

#[test]
fn impacts_are_neither_missed_nor_early_nor_given_up() {
    all(|seed| check_impact(&MovingPair::from_seed(seed)));
}

/// A thin bent polygon beside its like: the face that is nearly as good as the best one is looked at by an edge that lies
/// beside it, four centimeters off. The contact was lost.
#[test]
fn edges_that_are_nearly_in_line_do_not_lose_the_contact() {
    let corners = [
        (-0.022554344, 0.06590155),
        (-0.010811474, 0.026719468),
        (0.011398782, -0.04470703),
        (0.025868654, -0.07723085),
        (0.007494416, -0.01585051),
    ];
    let bent = Shape::polygon(&corners.map(Vec2::from), 0.0020670742).unwrap();
    let pose = Pose::new(Vec2::new(0.01, -0.003), 1.0e-5);
    for manifold in [
        collide(&bent, &bent, pose, 0.02),
        collide(&bent, &bent, pose.to(Pose::IDENTITY), 0.02),
    ] {
        assert_eq!(manifold.count, 2);
        assert!((manifold.points[0].separation.min(manifold.points[1].separation) + 0.0003).abs() < 0.0006);
    }
}

/// A line that crosses another one at a very small angle, both a quarter of a kilometer long: their ends are near each
/// other, and yet it is no contact of corners.
#[test]
fn lines_that_cross_at_a_small_angle_overlap() {
    let line = Shape::segment(Vec2::new(-119.691086, -37.02479), Vec2::new(119.691086, 37.02479)).unwrap();
    let manifold = collide(&line, &line, Pose::new(Vec2::ZERO, 1.0e-5), 0.02);
    assert!(
        manifold.points[0].separation.min(manifold.points[1].separation) < -0.001,
        "{manifold:?}"
    );
}

/// A corner that looks past a corner, on shapes with a radius of a hundred meters: the normal of the face is off by a
/// degree there, and by centimeters.
#[test]
fn widely_rounded_corners_are_as_far_apart_as_they_say() {
    let hill = Shape::rounded_box(400.0, 400.0, 100.0).unwrap();
    let tilt = Rot::from_angle(-0.02);
    for past in [1.0, 2.0, 3.0] {
        let corner = Vec2::new(200.0 + past, 400.01);
        let pose = Pose {
            position: corner - tilt.rotate(Vec2::new(200.0, -200.0)),
            rotation: tilt,
        };
        let exact = distance(&hill, &hill, pose).distance;
        let manifold = collide(&hill, &hill, pose, 1.0);
        let separations = manifold.active_points().iter().map(|point| point.separation);
        let found = separations.fold(f32::MAX, f32::min);
        assert!(
            (found - exact).abs() < 0.002,
            "{found} instead of {exact}, {past} past the end"
        );
    }
}

/// A floor of a kilometer that turns by half a degree over the head of a post at its middle: its far ends move by meters, and
/// an axis that stands still saw them in the way after a ten-thousandth of the motion.
#[test]
fn the_turn_of_a_wide_floor_over_a_post_is_followed_to_the_end() {
    let (post, floor) = (
        Shape::new_box(0.5, 4.0).unwrap(),
        Shape::new_box(1000.0, 2.0).unwrap(),
    );
    let turn = Sweep {
        c0: Vec2::new(0.0, 3.019),
        c1: Vec2::new(-0.46, 3.0447),
        q0: Rot::IDENTITY,
        q1: Rot::from_angle(-0.0085),
        ..Sweep::default()
    };
    let still = Sweep::default();
    for impact in [
        time_of_impact(&post, &still, &floor, &turn, 1.0),
        time_of_impact(&floor, &turn, &post, &still, 1.0),
    ] {
        assert_eq!(impact.state, ImpactState::Separated, "{impact:?}");
    }
}

/// A box whose edge lies in line with a segment and just touches its end: the point that they share is there, and not a
/// corner of the box that is meters away on the same line.
#[test]
fn what_touches_the_end_of_a_line_shares_a_point_with_it() {
    let line = Shape::segment(Vec2::new(0.0, -1.0), Vec2::new(0.0, 1.0)).unwrap();
    let wall = Shape::new_box(1.0, 10.0).unwrap();
    for y in [0.0, 3.0, 5.5, 6.0, -5.99] {
        let pose = Pose::new(Vec2::new(0.5, y), 0.0);
        for [one, two] in [
            distance(&line, &wall, pose),
            distance(&wall, &line, pose.to(Pose::IDENTITY)),
        ]
        .map(|found| [found.point_a, found.point_b])
        .into_iter()
        .zip([Pose::IDENTITY, pose])
        .map(|(points, frame)| points.map(|point| frame.transform_point(point)))
        {
            assert_eq!(one, two);
            assert!(
                one.x.abs() < 1.0e-6 && one.y.abs() <= 1.0,
                "{one} is not on the line"
            );
        }
    }
}

/// Of two edges nearly in line the one separates more by rounding, and the foot of the perpendicular lies 3 cm past its end, on
/// the other: the corner between them gave a normal by which 235.488 m were 235.483.
#[test]
fn the_edge_beyond_a_corner_is_looked_at_before_the_corner_is_believed() {
    let pair = Pair::from_seed(845_337);
    check_distance(&pair).unwrap_or_else(|what| panic!("{what}: {pair:?}"));
    check_manifold(&pair).unwrap_or_else(|what| panic!("{what}: {pair:?}"));
}

#[test]
fn what_touches_by_rounding_shares_a_point_of_both() {
    // A wall against a crumb, a line along a polygon's edges, the end of a plank against another, a splinter along a wide
    // capsule, a line along a shorter one: edges that run side by side seem to cross far from where they touch.
    for seed in [
        15_010_519_561_091_225_567,
        3_192_175_042_946_643_298,
        4_290_292_685_354_588_674,
        13_341_160_544_198_888_420,
        9_166_402_314_295_273_878,
    ] {
        let pair = Pair::from_seed(seed);
        check_distance(&pair).unwrap_or_else(|what| panic!("{what}: {pair:?}"));
    }
}

/// A sliver of 650 m beside a box of half a meter, 64 m away and turned by a ten-thousandth less: both have an edge that looks
/// right, but by the normal of the small one the far end of the sliver is nearer than the distance by nine centimeters.
#[test]
fn of_edges_side_by_side_the_one_that_separates_most_gives_the_normal() {
    let small = Shape::new_box(0.485_918_64, 0.008_213_2).unwrap();
    let mut wrong = Vec::new();
    for turn in -200..=200 {
        let turn = 1.0e-6 * turn as f32;
        // The lower edge is 64 m above the box, and as long to the left as to the right or all to one side.
        for left in [0.0, 200.0, 325.0, 649.8] {
            let corners = [
                (-left, 64.0),
                (650.0 - left, 64.0),
                (650.0 - left, 65.7),
                (-left, 65.7),
            ];
            let sliver = Shape::polygon(&corners.map(Vec2::from), 0.0).unwrap();
            let pose = Pose::new(Vec2::new(0.01, -0.003), turn);
            for found in [
                distance(&small, &sliver, pose),
                distance(&sliver, &small, pose.to(Pose::IDENTITY)),
            ] {
                let is_swapped = found.point_a.y > 32.0;
                let (first, second, pose) = if is_swapped {
                    (&sliver, &small, pose.to(Pose::IDENTITY))
                } else {
                    (&small, &sliver, pose)
                };
                let wide = |v: Vec2| [f64::from(v.x), f64::from(v.y)];
                let normal = wide(found.normal);
                let along = |v: Vec2| wide(v)[0] * normal[0] + wide(v)[1] * normal[1];
                let most = first
                    .vertices()
                    .iter()
                    .map(|v| along(*v))
                    .fold(f64::MIN, f64::max);
                let least = second.vertices().iter();
                let least = least
                    .map(|v| along(pose.transform_point(*v)))
                    .fold(f64::MAX, f64::min);
                if (least - most - f64::from(found.distance)).abs() > 0.01 {
                    wrong.push((turn, left, is_swapped, found.distance, least - most));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, first {:?}", wrong.len(), wrong[0]);
}

/// A corner that is 8 mm beyond the inside of an edge, at 63 m, is no nearer than the edge but by rounding: its direction
/// was taken, by which the far end of the edge, 648 m away, was 9 cm nearer.
#[test]
fn a_corner_that_is_nearer_by_rounding_alone_does_not_give_the_normal() {
    let small = Shape::rounded_box(0.485_918_64, 0.008_213_2, 0.000_231_014_77).unwrap();
    let needle = [
        (-58.308975, -29.434326),
        (235.78026, -607.2491),
        (237.26009, -606.4959),
        (-56.829147, -28.681152),
    ];
    let pair = Pair {
        a: small,
        b: Shape::polygon(&needle.map(Vec2::from), 0.0).unwrap(),
        pose: Pose::new(Vec2::new(0.01, -0.003), 0.5),
    };
    check_distance(&pair).unwrap();
}

/// The end of a long edge lies 23 cm past the end of a face, both rounded by much: the edge is 3 mm higher where it is
/// clipped, and nothing was said to touch.
#[test]
fn a_clipped_edge_that_leans_does_not_part_widely_rounded_corners() {
    let wide = [
        (-125.9614, 26.341125),
        (111.947205, -31.499512),
        (104.583496, -4.2759094),
        (17.088497, 72.91941),
        (-54.01097, 72.93299),
    ];
    let slim = [
        (-1.2092412, 8.903776),
        (0.6618202, -139.23259),
        (4.2504244, -115.308876),
        (4.6077547, -97.93258),
        (4.9798822, 71.07281),
        (1.1999203, 148.0182),
        (-1.1067643, 38.888245),
        (-1.192344, 17.790337),
    ];
    let pair = Pair {
        a: Shape::polygon(&wide.map(Vec2::from), 119.54915).unwrap(),
        b: Shape::polygon(&slim.map(Vec2::from), 0.8300296).unwrap(),
        pose: Pose::new(Vec2::new(263.32104, -114.37858), 0.3),
    };
    check_manifold(&pair).unwrap();
}

/// A corner just past the end of a face, with a steep edge above it: where that edge is clipped it is millimeters higher, or
/// so high that there was no contact at all.
#[test]
fn a_steep_edge_is_not_clipped_above_the_corner_that_touches() {
    let line = Shape::segment(Vec2::new(-0.13738348, 0.0), Vec2::new(0.13738348, 0.0)).unwrap();
    let plate = Shape::rounded_box(0.037642844, 0.005, 0.0014517957).unwrap();
    let lost = Pair {
        a: plate,
        b: line,
        pose: Pose::new(Vec2::new(0.15655747, -0.0026450476), 0.001),
    };
    let blade = [
        (-0.3538235, 0.0030407964),
        (0.19979037, -0.0038181),
        (0.51953363, -0.00044518808),
        (0.51486164, 0.0007073445),
        (0.45427865, 0.0020423364),
        (0.40040952, 0.0026551222),
        (-0.1086633, 0.004041689),
    ];
    let lifted = Pair {
        a: Shape::rounded_box(0.019594614, 0.005, 0.00039519853).unwrap(),
        b: Shape::polygon(&blade.map(Vec2::from), 0.0).unwrap(),
        pose: Pose::new(Vec2::new(0.36401683, -0.00045479593), 0.0),
    };
    let wrong: Vec<String> = [lost, lifted]
        .iter()
        .filter_map(|pair| check_manifold(pair).err())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The ends of a short edge, 777 m from the origin of the other shape, are rounded by as much as the edge turns in a meter: the
/// foot of the perpendicular lay 2 mm beside the shape.
#[test]
fn the_nearest_point_of_a_crumb_far_from_the_origin_is_on_it() {
    let crumb = [
        (0.030387154, -0.0024999985),
        (0.030387154, 0.0025000013),
        (-0.030387154, 0.0024999985),
        (-0.030387154, -0.0025000013),
    ];
    let pair = Pair {
        a: Shape::capsule(
            Vec2::new(-776.05707, 383.67212),
            Vec2::new(223.94293, 383.67212),
            1.0,
        )
        .unwrap(),
        b: Shape::polygon(&crumb.map(Vec2::from), 0.0).unwrap(),
        pose: Pose::new(Vec2::new(-777.04663, 383.37082), 0.3),
    };
    check_distance(&pair).unwrap();
}

/// A post of ten meters whose flank skims past the end of a line of three hundred, just out of reach, while it turns by half a
/// radian: the search gave up after 128 advances, 6.8 mm apart.
#[test]
fn a_turn_past_the_end_of_a_long_line_is_followed_to_the_end() {
    let pair = MovingPair::from_seed(2_246_681);
    assert!(
        pair.a.vertices()[1].x > 150.0,
        "the generator has changed: {:?}",
        pair.a
    );
    let impact = time_of_impact(&pair.b, &pair.sweep_b, &pair.a, &pair.sweep_a, 1.0);
    assert_ne!(impact.state, ImpactState::Unresolved, "{impact:?}");
    check_impact(&pair).unwrap();
}
