//! Bodies of very many shapes: what making, changing and destroying one shape costs, and that mass, center and velocity
//! are right at any time although they are summed up once.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ConcavePolygon, DVec2, Filter, PhysicsWorld, Pose, Position, RevoluteDef,
    Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};
use tombolo_threads::Stopwatch;

const DT: f32 = 1.0 / 60.0;

/// Seconds: far more than these tests take, far less than what costs the square of the number of shapes.
const PATIENCE_S: f64 = 6.0;

/// As many shapes as a level of a game may have on one body.
const MANY: usize = 46_000;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

/// A square of ten centimeters, the `i`-th of a field.
fn tile(i: usize) -> Shape {
    let center = Vec2::new((i % 256) as f32, (i / 256) as f32);
    Shape::box_at(0.1, 0.1, center, 0.0).unwrap()
}

#[test]
fn very_many_shapes_of_one_body_come_and_go_one_by_one() {
    for kind in [BodyKind::Static, BodyKind::Dynamic] {
        for sensor in [false, true] {
            let mut world = world();
            let def = BodyDef {
                kind,
                ..BodyDef::default()
            };
            let body = world.create_body(&def).unwrap();
            let def = ShapeDef {
                sensor,
                ..ShapeDef::default()
            };
            let start = Stopwatch::start();
            let shapes: Vec<ShapeId> = (0..MANY)
                .map(|i| world.create_shape(body, &def, &tile(i)).unwrap())
                .collect();
            world.step(DT).unwrap();
            // From the middle outwards: neither the newest nor the oldest.
            for i in 0..MANY / 2 {
                world.destroy_shape(shapes[MANY / 2 + i]).unwrap();
                world
                    .shape_mut(shapes[MANY / 2 - 1 - i])
                    .unwrap()
                    .set_filter(Filter::default());
                world
                    .shape_mut(shapes[MANY / 2 - 1 - i])
                    .unwrap()
                    .set_material(0.5, 0.1)
                    .unwrap();
                world.destroy_shape(shapes[MANY / 2 - 1 - i]).unwrap();
            }
            let took = start.elapsed_seconds();
            assert!(took < PATIENCE_S, "{kind:?}, sensors {sensor}: {took:?}");
            assert_eq!(world.body(body).unwrap().shapes().count(), 0);
            assert_eq!(
                world.body(body).unwrap().mass(),
                f32::from(u8::from(kind == BodyKind::Dynamic))
            );
            world.step(DT).unwrap();
            world.validate();
        }
    }
}

#[test]
fn very_many_concave_polygons_of_one_body_come_and_go_one_by_one() {
    let corners = [
        (0.0, 0.0),
        (0.2, 0.0),
        (0.2, 0.1),
        (0.1, 0.1),
        (0.1, 0.2),
        (0.0, 0.2),
    ]
    .map(DVec2::from);
    let mut world = world();
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let start = Stopwatch::start();
    let concave_polygons: Vec<_> = (0..MANY / 4)
        .map(|i| {
            let at = DVec2::new((i % 128) as f64, (i / 128) as f64);
            let concave_polygon = ConcavePolygon::new(&corners.map(|corner| corner + at)).unwrap();
            world
                .create_concave_polygon(body, &ShapeDef::default(), &concave_polygon)
                .unwrap()
        })
        .collect();
    for &id in concave_polygons.iter().step_by(2) {
        assert!(world.concave_polygon(id).unwrap().parts().count() >= 2);
        world.destroy_concave_polygon(id).unwrap();
    }
    for &id in concave_polygons.iter().skip(1).step_by(2) {
        let part = world.concave_polygon(id).unwrap().parts().last().unwrap().id();
        world.destroy_shape(part).unwrap();
        assert!(world.concave_polygon(id).is_none());
    }
    let took = start.elapsed_seconds();
    assert!(took < PATIENCE_S, "{took}");
    assert_eq!(world.body(body).unwrap().shapes().count(), 0);
    world.validate();
}

#[test]
fn joints_of_a_body_of_very_many_shapes_cost_no_more_than_others() {
    let mut world = world();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    for i in 0..MANY {
        world
            .create_shape(ground, &ShapeDef::default(), &tile(i))
            .unwrap();
    }
    let weight = world.create_body(&BodyDef::dynamic(-5.0, 0.0)).unwrap();
    world
        .create_shape(weight, &ShapeDef::default(), &tile(0))
        .unwrap();
    world.step(DT).unwrap();
    let start = Stopwatch::start();
    for _ in 0..MANY {
        let joint = RevoluteDef::new(ground, Vec2::ZERO, weight, Vec2::new(5.0, 0.0));
        let joint = world.create_joint(joint).unwrap();
        world.destroy_joint(joint).unwrap();
    }
    let took = start.elapsed_seconds();
    assert!(took < PATIENCE_S, "{took}");
}

/// All that depends on the shapes of a body, bit by bit.
fn numbers(world: &PhysicsWorld, body: BodyId) -> Vec<u32> {
    let view = world.body(body).unwrap();
    let center = view.center_of_mass().to_vec2();
    let velocity = view.linear_velocity();
    let at = view.velocity_at(Position::new(3.0, -2.0));
    let numbers = [
        view.mass(),
        view.inertia(),
        center.x,
        center.y,
        velocity.x,
        velocity.y,
        at.x,
        at.y,
        view.position().x,
        view.position().y,
    ];
    numbers.map(f32::to_bits).into()
}

/// A spinning body that flies, with shapes of its own, in a world with ground and others.
fn spinning() -> (PhysicsWorld, BodyId) {
    let mut world = world();
    let ground = world.create_body(&BodyDef::fixed(0.0, -3.0)).unwrap();
    let floor = Shape::new_box(100.0, 2.0).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &floor).unwrap();
    let body = world
        .create_body(&BodyDef {
            linear_velocity: Vec2::new(2.0, 1.0),
            angular_velocity: 3.0,
            angle: 0.3,
            ..BodyDef::dynamic(0.0, 0.0)
        })
        .unwrap();
    world.create_shape(body, &ShapeDef::default(), &tile(0)).unwrap();
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    (world, body)
}

#[test]
fn mass_center_and_velocity_are_right_before_they_are_summed_up() {
    let (mut world, body) = spinning();
    let mut shapes = Vec::new();
    for i in 0..20 {
        if i % 3 == 2 {
            world.destroy_shape(shapes.swap_remove(0)).unwrap();
        } else {
            let def = ShapeDef {
                sensor: i % 5 == 4,
                ..ShapeDef::default()
            };
            shapes.push(world.create_shape(body, &def, &tile(i + 250)).unwrap());
        }
        let asked = numbers(&world, body);
        // The same in a copy in which they are summed up for good.
        let mut summed = world.clone();
        summed.body_mut(body).unwrap().set_fixed_rotation(false);
        assert_eq!(asked, numbers(&summed, body), "after {i} changes");
        summed.validate();
        // And against what paper says: that of the shapes, one by one.
        let view = world.body(body).unwrap();
        let (mut mass, mut center) = (0.0, Vec2::ZERO);
        for shape in view.shapes().filter(|shape| !shape.is_sensor()) {
            let part = shape.geometry().mass_properties(1.0);
            mass += part.mass;
            center += part.mass * part.center;
        }
        assert!((view.mass() - mass).abs() < 1e-4 * mass);
        let wanted = view.pose().transform_point(center / mass);
        assert!((view.center_of_mass().to_vec2() - wanted).length() < 1e-3);
        // The origin moves as it did.
        let origin = view.velocity_at(view.position());
        let (fresh, _) = spinning();
        let before = fresh.body(body).unwrap();
        let before = before.velocity_at(before.position());
        assert!((origin - before).length() < 1e-2, "{origin} {before}");
    }
}

#[test]
fn asking_changes_nothing_and_a_save_between_two_calls_has_the_same_future() {
    let (mut plain, body) = spinning();
    let mut asked = plain.clone();
    let mut restored = plain.clone();
    let mut shapes = Vec::new();
    for i in 0..30 {
        for world in [&mut plain, &mut asked, &mut restored] {
            if i % 4 == 3 {
                world.destroy_shape(shapes[i - 2]).unwrap();
            } else {
                let shape = world
                    .create_shape(body, &ShapeDef::default(), &tile(i * 7))
                    .unwrap();
                if shapes.len() == i {
                    shapes.push(shape);
                }
            }
        }
        if i % 4 == 3 {
            shapes.push(shapes[0]);
        }
        numbers(&asked, body);
        let bytes = restored.save();
        assert_eq!(bytes, plain.save());
        restored = PhysicsWorld::from_save(&bytes).unwrap();
        restored.validate();
        if i % 10 == 9 {
            for world in [&mut plain, &mut asked, &mut restored] {
                world.step(DT).unwrap();
                world.validate();
            }
        }
        assert_eq!(plain.state_hash(), asked.state_hash());
        assert_eq!(plain.state_hash(), restored.state_hash());
    }
}

#[test]
fn forces_and_velocities_that_are_given_count_for_the_shapes_of_now() {
    let (world, body) = spinning();
    type Change = fn(&mut PhysicsWorld, BodyId);
    let changes: [Change; 8] = [
        |world, body| {
            let mut body = world.body_mut(body).unwrap();
            body.set_linear_velocity(Vec2::new(1.0, 2.0)).unwrap();
        },
        |world, body| world.body_mut(body).unwrap().set_angular_velocity(1.0).unwrap(),
        |world, body| {
            let mut body = world.body_mut(body).unwrap();
            body.apply_impulse(Vec2::new(1.0, 2.0)).unwrap();
        },
        |world, body| world.body_mut(body).unwrap().apply_angular_impulse(1.0).unwrap(),
        |world, body| {
            let mut body = world.body_mut(body).unwrap();
            body.apply_force_at(Vec2::new(5.0, 2.0), Position::new(0.5, 0.5))
                .unwrap();
        },
        |world, body| {
            world
                .body_mut(body)
                .unwrap()
                .teleport(Pose::new(Vec2::new(1.0, 1.0), 0.5))
                .unwrap()
        },
        |world, body| {
            world
                .body_mut(body)
                .unwrap()
                .set_kind(BodyKind::Kinematic)
                .unwrap();
            world.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
        },
        |world, body| {
            world.body_mut(body).unwrap().set_enabled(false);
            world.body_mut(body).unwrap().set_enabled(true);
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut late = world.clone();
        late.create_shape(body, &ShapeDef::default(), &tile(5)).unwrap();
        let mut early = late.clone();
        early.body_mut(body).unwrap().set_fixed_rotation(false);
        change(&mut late, body);
        change(&mut early, body);
        assert_eq!(numbers(&late, body), numbers(&early, body), "change {number}");
        for world in [&mut late, &mut early] {
            world.step(DT).unwrap();
            world.validate();
        }
        assert_eq!(late.state_hash(), early.state_hash(), "change {number}");
    }
}

#[test]
fn a_body_that_takes_the_place_of_one_that_waited_is_itself() {
    let mut world = world();
    for _ in 0..3 {
        let gone = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
        world.create_shape(gone, &ShapeDef::default(), &tile(3)).unwrap();
        world.destroy_body(gone).unwrap();
        let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
        assert_eq!(world.body(body).unwrap().mass(), 1.0);
        world.create_shape(body, &ShapeDef::default(), &tile(0)).unwrap();
        world.validate();
        let mass = world.body(body).unwrap().mass();
        assert!((mass - 0.01).abs() < 1e-6);
        world = PhysicsWorld::from_save(&world.save()).unwrap();
        world.step(DT).unwrap();
        world.validate();
        assert_eq!(world.body(body).unwrap().mass(), mass);
        world.destroy_body(body).unwrap();
    }
}

#[test]
fn a_tile_of_the_ground_that_goes_wakes_what_lay_on_it_and_nobody_else() {
    let mut world = world();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let tiles: Vec<ShapeId> = (0..10)
        .map(|i| {
            let shape = Shape::box_at(2.0, 1.0, Vec2::new(2.0 * i as f32, 0.0), 0.0);
            world
                .create_shape(ground, &ShapeDef::default(), &shape.unwrap())
                .unwrap()
        })
        .collect();
    let boxes: Vec<BodyId> = (0..10)
        .map(|i| {
            let body = world.create_body(&BodyDef::dynamic(2.0 * i as f32, 1.0)).unwrap();
            let shape = Shape::new_box(1.0, 1.0).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
            body
        })
        .collect();
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.counters().awake_bodies, 0);
    let awake = |world: &PhysicsWorld| -> Vec<usize> {
        (0..10)
            .filter(|&i| world.body(boxes[i]).unwrap().is_awake())
            .collect()
    };
    world.destroy_shape(tiles[4]).unwrap();
    assert_eq!(awake(&world), [4]);
    world.shape_mut(tiles[7]).unwrap().set_filter(Filter {
        mask: 0,
        ..Filter::default()
    });
    assert_eq!(awake(&world), [4, 7]);
    world.shape_mut(tiles[2]).unwrap().set_material(0.1, 0.0).unwrap();
    world.shape_mut(tiles[2]).unwrap().set_surface(0.0, 2.0).unwrap();
    assert_eq!(awake(&world), [2, 4, 7]);
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let height = |i: usize| world.body(boxes[i]).unwrap().position().y;
    assert!(height(4) < -1.0 && height(7) < -1.0, "what lost its ground falls");
    assert!(
        world.body(boxes[2]).unwrap().position().x != 4.0,
        "the belt carries"
    );
    assert!((height(5) - 1.0).abs() < 0.02);
}

/// A convex polygon of more corners than a shape has: one id, parts that change together, and the mass, rest and rolling of one.
#[test]
fn convex_polygons_of_many_corners_are_one_thing() {
    for corners in [9_u32, 16, 40] {
        let mut world = world();
        let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
        world
            .create_shape(ground, &ShapeDef::default(), &Shape::new_box(60.0, 2.0).unwrap())
            .unwrap();
        let step = std::f64::consts::TAU / f64::from(corners);
        // A flat side is down.
        let angle = |i: u32| (f64::from(i) + 0.5) * step - 0.5 * std::f64::consts::PI;
        let border: Vec<DVec2> = (0..corners)
            .map(|i| DVec2::new(libm::cos(angle(i)), libm::sin(angle(i))))
            .collect();
        let apothem = libm::cos(0.5 * step) as f32;
        let polygon = ConcavePolygon::new(&border).unwrap();
        let def = BodyDef {
            angular_velocity: -2.0,
            linear_velocity: Vec2::new(2.0, 0.0),
            ..BodyDef::dynamic(-10.0, apothem)
        };
        let body = world.create_body(&def).unwrap();
        let id = world
            .create_concave_polygon(body, &ShapeDef::default(), &polygon)
            .unwrap();
        let area = 0.5 * f64::from(corners) * libm::sin(step);
        let mass = f64::from(world.body(body).unwrap().mass());
        assert!(
            (mass / area - 1.0).abs() < 1.0e-5,
            "{corners} corners: {mass} kg of {area} m²"
        );
        let parts: Vec<ShapeId> = world
            .body(body)
            .unwrap()
            .shapes()
            .map(|shape| shape.id())
            .collect();
        assert!(
            parts.len() < corners as usize,
            "{corners} corners in {} parts",
            parts.len()
        );
        world.shape_mut(parts[0]).unwrap().set_material(0.9, 0.0).unwrap();
        assert!(
            parts
                .iter()
                .all(|&part| world.shape(part).unwrap().friction() == 0.9)
        );
        for _ in 0..900 {
            world.step(DT).unwrap();
            let height = world.body(body).unwrap().position().y;
            assert!(
                (apothem - 0.02..1.01).contains(&height),
                "{corners} corners: {height}"
            );
        }
        world.validate();
        world.destroy_concave_polygon(id).unwrap();
        assert_eq!(world.body(body).unwrap().shapes().count(), 0);
    }
}

/// Levels give shapes in world coordinates, and the pieces of a cut body keep its frame.
#[test]
fn the_inertia_of_a_body_does_not_depend_on_where_its_frame_is() {
    for (x, y, side) in [
        (0.0, 0.0, 1.0),
        (1000.0, 300.0, 1.0),
        (3000.0, -40.0, 1.0),
        (500.0, 0.0, 0.2),
        (90_000.0, -90_000.0, 2.0),
    ] {
        let mut world = world();
        let def = BodyDef {
            gravity_scale: 0.0,
            ..BodyDef::dynamic(-x, -y)
        };
        let body = world.create_body(&def).unwrap();
        let halves = [-0.25, 0.25].map(|offset| Vec2::new(x + offset * side, y));
        for center in halves {
            let half = Shape::box_at(0.5 * side, side, center, 0.0).unwrap();
            world.create_shape(body, &ShapeDef::default(), &half).unwrap();
        }
        let inertia = world.body(body).unwrap().inertia();
        // The corners are rounded where they are.
        let rounding = 8.0 * f32::EPSILON * x.abs().max(y.abs()) / side;
        let exact = side * side * side * side / 6.0;
        let off = (inertia / exact - 1.0).abs();
        assert!(
            off < 1.0e-5 + rounding,
            "{inertia} at ({x}, {y}), exactly {exact}"
        );
        world.body_mut(body).unwrap().apply_torque(exact).unwrap();
        world.step(DT).unwrap();
        let spin = world.body(body).unwrap().angular_velocity();
        assert!(
            (spin / DT - 1.0).abs() < 1.0e-2 + rounding,
            "{spin} at ({x}, {y})"
        );
    }
}
