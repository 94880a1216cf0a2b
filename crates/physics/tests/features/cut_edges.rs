//! Cuts at the edge of what numbers, skins and slivers allow: nothing is lost, moved or refused that the calls promise.

use crate::cut_support::{add_concave_polygon, points};
use crate::feature_support::{plain, weightless, world};
use tombolo_physics::{
    BodyDef, ConcavePolygon, DVec2, Debris, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeDef,
    Shatter, Vec2,
};

/// The distance of a point from the border of a polygon without holes.
fn distance_to_border(corners: &[DVec2], point: DVec2) -> f64 {
    let edges = (0..corners.len()).map(|edge| (corners[edge], corners[(edge + 1) % corners.len()]));
    let distance = |(a, b): (DVec2, DVec2)| {
        let t = (point - a).dot(b - a) / (b - a).length_squared();
        a.lerp(b, t.clamp(0.0, 1.0)).distance(point)
    };
    edges.map(distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_parts_of_a_fine_curve_reach_its_border() {
    for (radius, count, first) in [
        (1.0, 20_000, 0),
        (1.0, 20_000, 7_000),
        (0.1, 5_000, 0),
        (0.02, 2_000, 3),
    ] {
        // Half a disc, which may begin anywhere on its border.
        let mut border: Vec<DVec2> = (0..=count)
            .map(|i| radius * DVec2::from_angle(std::f64::consts::PI * f64::from(i) / f64::from(count)))
            .collect();
        border.rotate_left(first);
        let polygon = ConcavePolygon::new(&border).unwrap();
        let mut world = world(&weightless());
        let body = add_concave_polygon(
            &mut world,
            &BodyDef::dynamic(0.0, 0.0),
            &ShapeDef::default(),
            &polygon,
        );
        let parts: Vec<Shape> = world
            .body(body)
            .unwrap()
            .shapes()
            .map(|part| *part.geometry())
            .collect();
        let corners: Vec<DVec2> = parts
            .iter()
            .flat_map(|part| part.vertices())
            .map(|corner| corner.as_dvec2())
            .collect();
        // What is not covered is thinner than a shape's own tolerance for flat corners.
        let off = |corner: &DVec2| distance_to_border(&border, *corner);
        assert!(
            corners.iter().map(off).fold(0.0, f64::max) < 1.0e-5,
            "corners are those of the border"
        );
        let area: f64 = parts
            .iter()
            .map(|part| f64::from(part.mass_properties(1.0).mass))
            .sum();
        let missing = polygon.area() - area;
        assert!(
            missing.abs() < 1.3e-4 * 4.0 * radius,
            "{radius} m, {count} corners, from {first}: {missing} m²"
        );
        assert!(parts.len() < 600, "{} parts", parts.len());
    }
}

#[test]
fn a_crossing_too_near_to_an_axis_is_on_it() {
    // The left side crosses the y axis by less than a corner may be off it.
    let tiny = 1.5e-100;
    let polygon = ConcavePolygon::new(&points(&[(tiny, 0.0), (1.0, 0.0), (1.0, 1.0), (-tiny, 1.0)])).unwrap();
    let mut world = world(&weightless());
    let body = add_concave_polygon(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &ShapeDef::default(),
        &polygon,
    );
    let cut = world
        .slice(body, Position::new(0.0, 0.4), Position::new(1.0, 0.4))
        .unwrap()
        .unwrap();
    world.validate();
    let mut restored = PhysicsWorld::from_save(&world.save()).expect("a world loads its own save");
    for body in [cut.body, cut.pieces[0]] {
        for world in [&mut world, &mut restored] {
            let halves = world
                .slice(body, Position::new(0.5, 0.0), Position::new(0.5, 1.0))
                .unwrap();
            assert_eq!(halves.unwrap().pieces.len(), 1);
        }
    }
}

#[test]
fn a_segment_that_ends_in_the_skin_of_a_rounded_shape_does_not_cut_it() {
    let cut_count = |from: f32, to: f32| {
        let mut world = world(&weightless());
        plain(
            &mut world,
            &BodyDef::dynamic(0.0, 0.0),
            &Shape::rounded_box(2.0, 2.0, 0.5).unwrap(),
        );
        let ends = [from, to].map(|y| Position::new(0.0, y));
        let cuts = world
            .cut_through(ends[0], ends[1], QueryFilter::default())
            .unwrap();
        cuts.len()
    };
    assert_eq!(cut_count(-1.2, 1.2), 0, "both ends are in the skin");
    assert_eq!(cut_count(-1.6, 1.4), 0);
    assert_eq!(cut_count(-1.4, 1.6), 0);
    assert_eq!(cut_count(-1.6, 0.0), 0, "in the core");
    assert_eq!(cut_count(-1.6, 1.6), 1);
}

/// A pebble on a plank, over the line of the cut: sharp, rounded, and rounder than wide, so that no line through it leaves a core on
/// both sides. Such a one goes with the side of its center.
#[test]
fn what_a_line_cannot_cut_holds_nothing_together_across_it() {
    for (pebble, x) in [
        (Shape::new_box(0.7, 0.7).unwrap(), 0.05),
        (Shape::rounded_box(0.5, 0.5, 0.1).unwrap(), 0.05),
        (Shape::rounded_box(0.1, 0.1, 0.3).unwrap(), 0.02),
        (Shape::rounded_box(0.1, 0.1, 0.3).unwrap(), 0.0),
        (Shape::rounded_box(0.1, 0.1, 0.3).unwrap(), -0.02),
    ] {
        let mut world = world(&weightless());
        let def = BodyDef::dynamic(0.0, 0.0);
        let plank = plain(&mut world, &def, &Shape::new_box(8.0, 1.0).unwrap());
        let pebble = pebble.moved(Pose::new(Vec2::new(x, 0.8), 0.0)).unwrap();
        let pebble = world.create_shape(plank, &ShapeDef::default(), &pebble).unwrap();
        let mass = world.body(plank).unwrap().mass();
        let cut = world
            .slice(plank, Position::new(0.0, -1.0), Position::new(0.0, 1.0))
            .unwrap();
        world.validate();
        let cut = cut.unwrap_or_else(|| panic!("{pebble:?} at {x}"));
        let bodies = [cut.body, cut.pieces[0]].map(|body| world.body(body).unwrap());
        assert!((bodies[0].mass() + bodies[1].mass() - mass).abs() < 1e-4 * mass);
        if let Some(pebble) = world.shape(pebble) {
            let center = pebble.body().center_of_mass().to_vec2().x;
            assert!(center * x >= 0.0, "{x}: the piece at {center}");
        }
    }
}

#[test]
fn a_cell_that_reaches_only_the_skin_of_a_solid_takes_nothing_of_it() {
    let mut world = world(&weightless());
    let body = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::rounded_box(1.0, 1.0, 0.3).unwrap(),
    );
    let other = Shape::box_at(1.0, 1.0, Vec2::new(5.0, 0.0), 0.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &other).unwrap();
    let rounded = world.body(body).unwrap().shapes().last().unwrap().id();
    let sites = [0.0, 1.2].map(|x| Position::new(x, 0.0)).to_vec();
    let cut = world.shatter(body, &Shatter::Sites(sites)).unwrap().unwrap();
    world.validate();
    assert_eq!(
        (cut.pieces.len(), cut.vanished.len(), cut.concave_polygons.len()),
        (1, 0, 0)
    );
    let kept = world.shape(rounded).expect("the shape is whole");
    assert_eq!((kept.density(), kept.geometry().radius()), (1.0, 0.3));
}

#[test]
fn sensors_and_segments_outlast_the_debris_beside_them() {
    let mut world = world(&weightless());
    world
        .set_debris(Debris {
            area_max: 0.1,
            ..Debris::default()
        })
        .unwrap();
    let body = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::new_box(2.0, 2.0).unwrap(),
    );
    let eye = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    let corner = Vec2::new(1.0, 1.0);
    let eye = world
        .create_shape(body, &eye, &Shape::circle(corner, 0.1).unwrap())
        .unwrap();
    let line = Shape::segment(corner, Vec2::new(1.2, 1.2)).unwrap();
    let line = world.create_shape(body, &ShapeDef::default(), &line).unwrap();
    let cut = world
        .slice(body, Position::new(0.8, 1.0), Position::new(1.0, 0.8))
        .unwrap()
        .unwrap();
    world.validate();
    assert_eq!((cut.pieces.len(), cut.vanished.len()), (0, 1));
    for shape in [eye, line] {
        let shape = world.shape(shape).expect("it stays");
        assert_eq!(shape.body().id(), body);
    }
}

#[test]
fn a_seed_gives_sites_to_small_shapes_far_from_the_origin_too() {
    for seed in 0..40 {
        let mut world = world(&weightless());
        let body = world
            .create_body(&BodyDef::dynamic(-50_000.0, -50_000.0))
            .unwrap();
        let far = Shape::box_at(0.1, 0.1, Vec2::splat(50_000.0), 0.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &far).unwrap();
        let broken = world.shatter(body, &Shatter::Seeded { seed, count: 30 });
        assert!(broken.is_ok(), "seed {seed}: {broken:?}");
        world.validate();
    }
}
