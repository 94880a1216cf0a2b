//! The scale of Transforms scales colliders.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_tombolo::physics::{PhysicsWorld, Position, QueryFilter, Shape, ShapeKind};
use bevy_tombolo::{Body, Collider, ColliderLink, FaultReason, Outline, Rollback};
use bevy_transform::components::{GlobalTransform, Transform};
use support::{app, at, ball, faults, get, hash, physics, steps};

const EVEN: [Vec2; 4] = [
    Vec2::new(2.0, 2.0),
    Vec2::new(0.3, 0.3),
    Vec2::new(-1.0, 1.0),
    Vec2::new(-3.0, -3.0),
];
const UNEVEN: [Vec2; 4] = [
    Vec2::new(2.0, 1.0),
    Vec2::new(1.0, -1.5),
    Vec2::new(-0.5, 0.8),
    Vec2::new(-1.0, -3.0),
];

/// An outline of each kind, around the origin but not symmetric to it, and how far off it may be under an uneven scale whose one
/// axis is at most three times as long as the other: as a part of the shorter semi-axis of what it is rounded by; 0 where it is
/// exact.
fn outlines() -> Vec<(Outline, f32)> {
    let point = Vec2::new;
    let square = |half: f32| {
        [
            point(-half, -half),
            point(half, -half),
            point(half, half),
            point(-half, half),
        ]
    };
    let mut hole = square(0.5).to_vec();
    hole.reverse();
    let rounded = |points: &[Vec2]| Outline::Polygon {
        points: points.to_vec(),
        radius: 0.2,
    };
    let wedge = [point(-1.0, -0.5), point(1.5, -0.5), point(0.2, 1.0)];
    let pentagon = [
        point(-1.0, -1.0),
        point(1.0, -1.2),
        point(1.4, 0.3),
        point(0.0, 1.0),
        point(-1.3, 0.2),
    ];
    let ground = [
        point(2.0, 0.0),
        point(1.0, 0.2),
        point(-1.0, -0.2),
        point(-2.0, 0.0),
    ];
    let chain = |points: &[Vec2], closed| Outline::Chain {
        points: points.to_vec(),
        closed,
    };
    let [before, a, b, after] = ground;
    vec![
        (
            Outline::Circle {
                center: point(0.2, -0.1),
                radius: 0.7,
            },
            0.081,
        ),
        (
            Outline::Capsule {
                a: point(-0.6, -0.3),
                b: point(0.8, 0.2),
                radius: 0.4,
            },
            0.136,
        ),
        (
            Outline::Segment {
                a: point(-1.0, -0.3),
                b: point(1.2, 0.4),
            },
            0.0,
        ),
        (Outline::rectangle(2.0, 1.0), 0.0),
        (
            Outline::Rectangle {
                width: 2.0,
                height: 1.0,
                radius: 0.3,
            },
            0.136,
        ),
        (Outline::polygon(wedge), 0.0),
        (rounded(&wedge), 0.136),
        (rounded(&pentagon), 0.3),
        (chain(&ground, false), 0.0),
        (chain(&pentagon, true), 0.0),
        (
            Outline::concave([
                point(-1.0, -1.0),
                point(1.0, -1.0),
                point(1.2, 1.0),
                point(0.0, 0.1),
                point(-1.0, 1.0),
            ]),
            0.0,
        ),
        (
            Outline::Concave {
                border: square(1.0).to_vec(),
                holes: vec![hole],
            },
            0.0,
        ),
        (
            Outline::Shape(Shape::circle(point(0.1, 0.2), 0.8).unwrap()),
            0.081,
        ),
        (
            Outline::Shape(Shape::segment(point(-1.0, 0.0), point(1.0, 0.3)).unwrap()),
            0.0,
        ),
        (Outline::Shape(Shape::polygon(&wedge, 0.0).unwrap()), 0.0),
        (
            Outline::Shape(Shape::half_space(point(0.0, -0.1), point(0.3, 1.0)).unwrap()),
            0.0,
        ),
        (
            Outline::Shape(Shape::chain_segment(before, a, b, after).unwrap()),
            0.0,
        ),
    ]
}

fn spawn(app: &mut App, outline: &Outline, scale: Vec2) -> Entity {
    let place = Transform::from_scale(scale.extend(1.0));
    app.world_mut()
        .spawn((Body::Static, Collider::from(outline.clone()), place))
        .id()
}

/// The fraction of a ray at which it first meets something.
fn met(world: &PhysicsWorld, origin: Vec2, translation: Vec2) -> Option<f32> {
    let hit = world.cast_ray(Position::from(origin), translation, QueryFilter::default());
    hit.unwrap().map(|hit| hit.fraction)
}

/// Rays through the middle from all around, of which the scaled one meets the scaled outline where the other meets the other, where
/// the scale is exact.
#[test]
fn rays_meet_every_outline_where_a_scaled_ray_meets_the_scaled_one() {
    for (outline, off) in outlines() {
        let uneven = UNEVEN.into_iter().filter(|_| off == 0.0);
        for scale in EVEN.into_iter().chain(uneven) {
            let mut apps = [app(), app()];
            spawn(&mut apps[0], &outline, Vec2::ONE);
            spawn(&mut apps[1], &outline, scale);
            apps.iter_mut().for_each(App::update);
            assert_eq!(faults(&apps[1]), [], "{outline:?}, {scale}");
            let [plain, scaled] = apps.each_ref().map(|app| physics(app).world());
            let mut meetings = 0;
            for ray in 0..72 {
                let direction = Vec2::from_angle((5.0 * ray as f32).to_radians());
                let (origin, translation) = (5.0 * direction, -9.0 * direction);
                let [a, b] = [
                    met(plain, origin, translation),
                    met(scaled, scale * origin, scale * translation),
                ];
                assert_eq!(a.is_some(), b.is_some(), "{outline:?}, {scale}, {direction}");
                if let (Some(a), Some(b)) = (a, b) {
                    assert!(
                        (a - b).abs() < 1.0e-4,
                        "{outline:?}, {scale}, {direction}: {a} beside {b}"
                    );
                    meetings += 1;
                }
            }
            assert!(meetings > 20, "{outline:?}: {meetings}");
        }
    }
}

/// The points and the radius of an outline that is rounded.
fn rounded(outline: &Outline) -> (Vec<Vec2>, f32) {
    match outline {
        Outline::Circle { center, radius } => (vec![*center], *radius),
        Outline::Capsule { a, b, radius } => (vec![*a, *b], *radius),
        Outline::Rectangle {
            width,
            height,
            radius,
        } => {
            let half = 0.5 * Vec2::new(*width, *height);
            let other = Vec2::new(half.x, -half.y);
            (vec![half, other, -half, -other], *radius)
        }
        Outline::Polygon { points, radius } => (points.clone(), *radius),
        Outline::Shape(shape) => (shape.vertices().to_vec(), shape.radius()),
        _ => panic!("{outline:?} is not rounded"),
    }
}

/// How far points reach in a direction.
fn reach(points: &[Vec2], direction: Vec2) -> f32 {
    let reach = points.iter().map(|point| point.dot(direction));
    reach.fold(f32::MIN, f32::max)
}

/// What is rounded by an ellipse reaches in each direction as far as its points and the true ellipse together.
#[test]
fn rounded_outlines_reach_as_far_as_their_ellipses_as_nearly_as_they_promise() {
    for (outline, off) in outlines().into_iter().filter(|(_, off)| *off > 0.0) {
        for scale in UNEVEN {
            let mut app = app();
            let entity = spawn(&mut app, &outline, scale);
            app.update();
            assert_eq!(faults(&app), [], "{outline:?}, {scale}");
            let &[shape] = get::<ColliderLink>(&app, entity).shapes() else {
                panic!("it is one shape");
            };
            let is = physics(&app).world().shape(shape).unwrap().geometry();
            let (points, radius) = rounded(&outline);
            let points: Vec<Vec2> = points.into_iter().map(|point| scale * point).collect();
            let within = off * radius * scale.abs().min_element();
            for degrees in 0..360 {
                let direction = Vec2::from_angle((degrees as f32).to_radians());
                let ellipse = radius * (scale * direction).length();
                let apart =
                    reach(is.vertices(), direction) + is.radius() - reach(&points, direction) - ellipse;
                assert!(
                    apart.abs() < within,
                    "{outline:?}, {scale}, {direction}: {apart} of {within}"
                );
            }
        }
    }
}

/// What is no outline is refused as such under every scale, and wherever it is on its body.
#[test]
fn outlines_that_are_wrong_are_refused_whatever_their_scale() {
    let polygon = |points: &[Vec2]| Outline::Polygon {
        points: points.to_vec(),
        radius: 0.5,
    };
    let rectangle = |width, height| Outline::Rectangle {
        width,
        height,
        radius: 0.3,
    };
    let wrong = [
        polygon(&[]),
        polygon(&[Vec2::X]),
        polygon(&[Vec2::X, Vec2::Y]),
        rectangle(-2.0, 1.0),
        rectangle(2.0, -1.0),
        rectangle(0.0, 1.0),
        rectangle(f32::NAN, 1.0),
    ];
    for outline in wrong {
        for scale in [
            Vec2::ONE,
            Vec2::splat(2.0),
            Vec2::new(-1.0, 1.0),
            Vec2::new(2.0, 1.0),
        ] {
            let mut app = app();
            let body = spawn(&mut app, &outline, scale);
            let place = Transform::from_xyz(1.0, 2.0, 0.0).with_rotation(Quat::from_rotation_z(0.5));
            let child = (ChildOf(body), Collider::from(outline.clone()), place);
            let child = app.world_mut().spawn(child).id();
            app.update();
            let faults = faults(&app);
            assert_eq!(faults.len(), 2, "{outline:?}, {scale}: {faults:?}");
            for entity in [body, child] {
                let fault = faults.iter().find(|fault| fault.entity == entity);
                let fault = fault.expect("each is told of");
                assert!(
                    matches!(fault.reason, FaultReason::Refused(_)),
                    "{outline:?}, {scale}: {fault:?}"
                );
            }
            assert_eq!(shape_count(&app, body), 0);
        }
    }
}

fn outline_area(app: &App, body: Entity) -> f32 {
    let shapes = physics(app).body(body).unwrap();
    shapes
        .shapes()
        .map(|shape| shape.geometry().mass_properties(1.0).mass)
        .sum()
}

#[test]
fn mass_goes_by_the_scaled_area() {
    for (outline, off) in outlines() {
        for scale in EVEN.into_iter().chain(UNEVEN) {
            let mut app = app();
            let [plain, scaled] = [Vec2::ONE, scale].map(|scale| spawn(&mut app, &outline, scale));
            for entity in [plain, scaled] {
                app.world_mut().entity_mut(entity).insert(Body::Dynamic);
            }
            // One step of two bodies in one place: only their masses are of interest.
            app.update();
            let mass = |entity| physics(&app).body(entity).unwrap().mass();
            let area = outline_area(&app, plain);
            // A dynamic body without an area has a kilogram.
            let expected = if area == 0.0 {
                mass(plain)
            } else {
                mass(plain) * (scale.x * scale.y).abs()
            };
            let is_even = scale.x.abs() == scale.y.abs();
            let within = if off == 0.0 || is_even { 1.0e-4 } else { 0.06 };
            let is = mass(scaled);
            assert!(
                (is / expected - 1.0).abs() < within || is == expected,
                "{outline:?}, {scale}: {is}, {expected}"
            );
        }
    }
}

/// The corners of a collider's shapes in the world.
fn corners(app: &App, collider: Entity) -> Vec<Vec2> {
    let shapes = get::<ColliderLink>(app, collider).shapes().to_vec();
    let world = physics(app).world();
    let corners = shapes.into_iter().flat_map(|shape| {
        let shape = world.shape(shape).unwrap();
        let pose = shape.body().pose();
        let corners = shape.geometry().vertices().iter();
        corners
            .map(|&corner| pose.transform_point(corner))
            .collect::<Vec<_>>()
    });
    corners.collect()
}

/// Entities below entities, all turned and scaled or mirrored, some with bodies: Bevy draws each collider where it is.
#[test]
fn colliders_are_where_bevy_draws_them_however_their_parents_are_turned_and_mirrored() {
    let wedge = [Vec2::new(-1.0, -0.5), Vec2::new(1.5, -0.5), Vec2::new(0.2, 1.0)];
    for case in 0..64_u32 {
        let mut app = app();
        let mut entity = app.world_mut().spawn((Transform::default(), Body::Static)).id();
        for level in 0..4_u32 {
            let number = (case * 7 + level * 13) as f32;
            let mirror = if (case >> level) & 1 == 1 { -1.0 } else { 1.0 };
            let size = 0.7 + 0.2 * level as f32;
            let frame = Transform::from_xyz((number * 0.37) % 3.0, (number * 0.71) % 2.0, 0.0)
                .with_rotation(Quat::from_rotation_z(number % 6.0))
                .with_scale(Vec3::new(mirror * size, size, 1.0));
            let collider = Collider::from(Outline::polygon(wedge));
            let child = app.world_mut().spawn((ChildOf(entity), frame, collider)).id();
            if (case + level) % 3 == 0 {
                app.world_mut().entity_mut(child).insert(Body::Static);
            }
            entity = child;
        }
        steps(&mut app, 2);
        assert_eq!(faults(&app), []);
        let mut colliders = app.world_mut().query::<(Entity, &GlobalTransform, &Collider)>();
        let drawn: Vec<(Entity, GlobalTransform)> = colliders
            .iter(app.world())
            .map(|(entity, drawn, _)| (entity, *drawn))
            .collect();
        assert_eq!(drawn.len(), 4);
        for (entity, drawn) in drawn {
            let corners = corners(&app, entity);
            assert_eq!(corners.len(), 3);
            for corner in wedge {
                let corner = drawn.transform_point(corner.extend(0.0)).truncate();
                let off = corners
                    .iter()
                    .map(|is| is.distance(corner))
                    .fold(f32::MAX, f32::min);
                assert!(off < 2.0e-4, "{case}: {corner} is not in {corners:?}");
            }
        }
    }
}

fn set_scale(app: &mut App, entity: Entity, scale: Vec2) {
    app.world_mut().get_mut::<Transform>(entity).unwrap().scale = scale.extend(1.0);
}

fn shape_count(app: &App, entity: Entity) -> usize {
    physics(app).body(entity).unwrap().shapes().count()
}

#[test]
fn a_scale_of_nothing_leaves_no_shapes_until_there_is_another() {
    let mut app = app();
    let crate_ = spawn(&mut app, &Outline::rectangle(1.0, 1.0), Vec2::new(2.0, 1.0));
    app.update();
    assert_eq!(shape_count(&app, crate_), 1);
    for nothing in [
        Vec2::ZERO,
        Vec2::new(1.0, 0.0),
        Vec2::new(-0.0, 2.0),
        Vec2::new(f32::INFINITY, 1.0),
    ] {
        set_scale(&mut app, crate_, nothing);
        app.update();
        let reasons: Vec<FaultReason> = faults(&app).into_iter().map(|fault| fault.reason).collect();
        assert_eq!(reasons, [FaultReason::Scale(nothing)]);
        assert_eq!(shape_count(&app, crate_), 0);
        app.update();
        assert_eq!(faults(&app), [], "it is told once");
        set_scale(&mut app, crate_, Vec2::new(3.0, -1.0));
        app.update();
        assert_eq!(faults(&app), []);
        assert_eq!(shape_count(&app, crate_), 1);
    }
    let corners = corners(&app, crate_);
    assert!(corners.contains(&Vec2::new(1.5, 0.5)), "{corners:?}");
}

#[test]
fn a_rounded_polygon_of_many_corners_takes_even_scales_only() {
    let mut app = app();
    let points = (0..8)
        .map(|corner| Vec2::from_angle((45.0 * corner as f32).to_radians()))
        .collect();
    let outline = Outline::Polygon { points, radius: 0.5 };
    let rock = spawn(&mut app, &outline, Vec2::splat(2.0));
    app.update();
    assert_eq!((shape_count(&app, rock), faults(&app).len()), (1, 0));
    set_scale(&mut app, rock, Vec2::new(2.0, 1.0));
    app.update();
    let reason = &faults(&app)[0].reason;
    assert_eq!(*reason, FaultReason::Scale(Vec2::new(2.0, 1.0)));
    assert_eq!(shape_count(&app, rock), 0);
}

#[test]
fn a_ball_that_is_squashed_and_let_go_is_one_shape_and_goes_on_touching() {
    let mut app = app();
    support::ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.5);
    steps(&mut app, 30);
    let shape = get::<ColliderLink>(&app, ball).shapes()[0];
    let kind = |app: &App| physics(app).world().shape(shape).unwrap().geometry().kind();
    for step in 0..60 {
        let squash = 0.3 * (step % 20) as f32 / 20.0;
        set_scale(&mut app, ball, Vec2::new(1.0 + squash, 1.0 - squash));
        app.update();
        let is_even = squash == 0.0;
        assert_eq!(kind(&app) == ShapeKind::Circle, is_even, "{squash}");
        assert_eq!(get::<ColliderLink>(&app, ball).shapes(), [shape]);
    }
    set_scale(&mut app, ball, Vec2::ONE);
    steps(&mut app, 100);
    assert_eq!(kind(&app), ShapeKind::Circle);
    assert!((at(&app, ball).y - 0.5).abs() < 0.01, "it lies on the ground");
    set_scale(&mut app, ball, Vec2::splat(4.0));
    steps(&mut app, 200);
    assert!(
        (at(&app, ball).y - 2.0).abs() < 0.01,
        "it was woken, and pushed out of the ground"
    );
}

#[test]
fn a_scale_holds_when_the_world_goes_back() {
    let mut app = app();
    support::ground(&mut app);
    let crate_ = spawn(&mut app, &Outline::rectangle(1.0, 1.0), Vec2::splat(2.0));
    app.world_mut().entity_mut(crate_).insert(Body::Dynamic);
    app.world_mut()
        .get_mut::<Transform>(crate_)
        .unwrap()
        .translation
        .y = 3.0;
    steps(&mut app, 10);
    let saved = app.world_mut().save_physics();
    let here = hash(&app);
    set_scale(&mut app, crate_, Vec2::splat(3.0));
    steps(&mut app, 10);
    let far = hash(&app);
    app.world_mut().restore_physics(&saved);
    assert_eq!(hash(&app), here);
    // The scale is the game's: it was not restored, and counts from the next step on as it did before.
    steps(&mut app, 10);
    assert_eq!(hash(&app), far);
    app.world_mut().restore_physics(&saved);
    set_scale(&mut app, crate_, Vec2::splat(2.0));
    app.update();
    let corners = corners(&app, crate_);
    let width = corners
        .iter()
        .map(|a| corners.iter().map(|b| a.distance(*b)).fold(0.0, f32::max))
        .fold(0.0, f32::max);
    assert!((width - 2.0 * 2.0_f32.sqrt()).abs() < 1.0e-4, "{width}");
}
