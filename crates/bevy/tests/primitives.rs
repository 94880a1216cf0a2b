//! Colliders of Bevy's primitives fill what these say.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::prelude::Entity;
use bevy_math::Vec2;
use bevy_shape::{
    Capsule2d, Circle, ConvexPolygon, Measured2d, Polygon, Polyline2d, Rectangle, RegularPolygon, Rhombus,
    Segment2d, Triangle2d,
};
use bevy_tombolo::{Body, Collider, GravityScale, Velocity};
use support::{app, at, ball, physics, steps};

fn spawn(app: &mut App, body: Body, collider: Collider) -> Entity {
    let entity = app.world_mut().spawn((body, collider)).id();
    app.update();
    assert_eq!(support::faults(app), []);
    entity
}

/// A shape around the origin that is no mirror image of itself.
const CORNERS: [Vec2; 5] = [
    Vec2::new(-1.0, -0.5),
    Vec2::new(1.5, -0.5),
    Vec2::new(2.0, 0.25),
    Vec2::new(0.5, 1.5),
    Vec2::new(-0.75, 1.0),
];

/// The area of a polygon, by the cross products of its sides.
fn area(corners: &[Vec2]) -> f32 {
    let next = corners.iter().cycle().skip(1);
    let twice: f32 = corners.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
    0.5 * twice
}

#[test]
fn a_body_of_a_primitive_has_the_mass_of_its_area() {
    let notched = [
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    ]
    .map(Vec2::from);
    let [circle, capsule] = [Circle::new(0.75).area(), Capsule2d::new(0.5, 2.0).area()];
    let triangle = Triangle2d::new(CORNERS[0], CORNERS[1], CORNERS[3]);
    let mut shapes: Vec<(Collider, f32)> = vec![
        (Circle::new(0.75).into(), circle),
        (Capsule2d::new(0.5, 2.0).into(), capsule),
        (Rectangle::new(1.5, 0.5).into(), 0.75),
        (Rhombus::new(2.0, 1.0).into(), 1.0),
        (triangle.into(), triangle.area()),
        (Polygon::new(CORNERS).into(), area(&CORNERS)),
        (Polygon::new(notched).into(), 4.0),
        (ConvexPolygon::new(CORNERS).unwrap().into(), area(&CORNERS)),
        (Segment2d::new(Vec2::ZERO, Vec2::X).into(), 0.0),
        (Polyline2d::new(CORNERS).into(), 0.0),
    ];
    for sides in [3, 5, 8, 9, 24] {
        let polygon = RegularPolygon::new(1.25, sides);
        shapes.push((polygon.into(), polygon.area()));
        let corners = polygon.vertices(0.0).into_iter().collect::<Vec<_>>();
        shapes.push((ConvexPolygon::new(corners).unwrap().into(), polygon.area()));
    }
    for (collider, area) in shapes {
        let mut app = app();
        let body = spawn(&mut app, Body::Dynamic, collider.clone());
        let mass = physics(&app).body(body).unwrap().mass();
        if area == 0.0 {
            let shapes = physics(&app).body(body).unwrap().shapes().count();
            assert_eq!(shapes, collider.parts.len());
            continue;
        }
        assert!(
            (mass - area).abs() < 1.0e-4 * area,
            "{collider:?}: {mass}, not {area}"
        );
    }
}

#[test]
fn the_first_corner_of_a_regular_polygon_is_at_the_top_as_in_bevy() {
    for sides in [3, 5, 11] {
        let mut app = app();
        let body = spawn(&mut app, Body::Static, RegularPolygon::new(1.0, sides).into());
        let shapes = physics(&app).body(body).unwrap().shapes();
        let top = shapes.map(|shape| shape.geometry().aabb(Default::default()).max.y);
        assert!((top.fold(0.0, f32::max) - 1.0).abs() < 1.0e-6, "{sides}");
    }
}

#[test]
fn lines_are_solid_from_both_sides() {
    let lines: [Collider; 3] = [
        Segment2d::new(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0)).into(),
        Polyline2d::with_subdivisions(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 3).into(),
        Polyline2d::with_subdivisions(Vec2::new(5.0, 0.0), Vec2::new(-5.0, 0.0), 2).into(),
    ];
    for line in lines {
        let mut app = app();
        spawn(&mut app, Body::Static, line.clone());
        let above = ball(&mut app, -1.0, 2.0);
        let below = ball(&mut app, 1.3, -2.0);
        let rises = (GravityScale(0.0), Velocity::linear(0.0, 4.0));
        app.world_mut().entity_mut(below).insert(rises);
        steps(&mut app, 120);
        assert!((at(&app, above).y - 0.5).abs() < 0.01, "{line:?}");
        assert!(at(&app, below).y < -0.49, "{line:?}: {}", at(&app, below));
    }
}

#[test]
fn a_line_of_one_point_is_nothing() {
    let mut app = app();
    let collider = Collider::from(Polyline2d::new([Vec2::ZERO]));
    assert_eq!(collider.parts, []);
    let body = spawn(&mut app, Body::Static, collider);
    assert_eq!(physics(&app).body(body).unwrap().shapes().count(), 0);
}
