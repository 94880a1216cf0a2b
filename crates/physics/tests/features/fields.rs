//! Fields, against closed forms: what floats how deep, how fast a wind drives and a fall ends, orbits, and the rest that
//! fields promise: who wakes, what is refused, and the same bits for every executor.

use std::f32::consts::{PI, TAU};

use tombolo_physics::{
    BodyDef, BodyId, FieldDef, FieldId, FieldKind, Filter, LaneWidth, PhysicsError, PhysicsWorld, Position,
    Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::Pool;

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 10.0;

fn world(gravity: f32, substeps: u32) -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        gravity: Vec2::new(0.0, -gravity),
        substeps,
        ..WorldDef::default()
    })
    .unwrap()
}

fn water(density: f32, drag: f32, viscosity: f32) -> FieldKind {
    FieldKind::Fluid {
        density,
        velocity: Vec2::ZERO,
        drag,
        viscosity,
    }
}

/// A pool with its surface at 0.
fn pool(kind: FieldKind) -> FieldDef {
    FieldDef {
        area: Some(Shape::new_box(200.0, 40.0).unwrap()),
        position: Position::new(0.0, -20.0),
        ..FieldDef::new(kind)
    }
}

fn air(velocity: Vec2, density: f32) -> FieldKind {
    FieldKind::Wind {
        velocity,
        density,
        drag: 1.0,
        lift: 0.0,
    }
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape, density: f32) -> BodyId {
    let body = world.create_body(def).unwrap();
    let def = ShapeDef {
        density,
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, shape).unwrap();
    body
}

fn run(world: &mut PhysicsWorld, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

fn place(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().center_of_mass().to_vec2()
}

fn velocity(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().linear_velocity()
}

#[test]
fn a_box_floats_as_deep_as_it_is_dense() {
    for density in [0.1, 0.25, 0.5, 0.75, 0.9] {
        for size in [0.2, 1.0, 4.0] {
            let mut world = world(GRAVITY, 4);
            world.create_field(&pool(water(1.0, 1.0, 1.0))).unwrap();
            // Wide, so that it lies flat.
            let raft = Shape::new_box(3.0 * size, size).unwrap();
            // It may fall asleep while it still bobs by a few millimeters, so the depth is looked at before.
            let def = BodyDef {
                allow_sleep: false,
                ..BodyDef::dynamic(0.0, size)
            };
            let raft = add(&mut world, &def, &raft, density);
            run(&mut world, 1800);
            let depth = 0.5 * size - place(&world, raft).y;
            let wanted = density * size;
            assert!(
                (depth - wanted).abs() < 0.02 * wanted,
                "{size} of {density}: {depth}, wanted {wanted}"
            );
            world.body_mut(raft).unwrap().set_may_sleep(true);
            run(&mut world, 60);
            assert!(
                !world.body(raft).unwrap().is_awake(),
                "what floats still falls asleep"
            );
        }
    }
}

#[test]
fn a_disc_and_a_capsule_displace_what_they_weigh() {
    // The height of a chord below which a disc of radius 1 has that part of its area.
    let height = |part: f32| {
        let (mut low, mut high) = (-1.0_f32, 1.0_f32);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let below = PI - (libm::acosf(middle) - middle * (1.0 - middle * middle).sqrt());
            if below < part * PI {
                low = middle
            } else {
                high = middle
            }
        }
        low
    };
    for density in [0.2, 0.5, 0.8] {
        let mut world = world(GRAVITY, 4);
        world.create_field(&pool(water(1.0, 1.0, 1.0))).unwrap();
        let disc = Shape::circle(Vec2::ZERO, 1.0).unwrap();
        let disc = add(&mut world, &BodyDef::dynamic(0.0, 0.0), &disc, density);
        let capsule = Shape::capsule(Vec2::new(-2.0, 0.0), Vec2::new(2.0, 0.0), 0.5).unwrap();
        let floating = add(&mut world, &BodyDef::dynamic(10.0, 0.0), &capsule, density);
        run(&mut world, 1800);
        // How deep their lowest points are.
        let (got, wanted) = (1.0 - place(&world, disc).y, 1.0 + height(density));
        assert!(
            (got - wanted).abs() < 0.02 * wanted,
            "disc of {density}: {got}, wanted {wanted}"
        );
        // Below a chord at a height: the disc's part, and the part of the rectangle.
        let capsule_height = |part: f32| {
            let whole = 0.25 * PI + 4.0;
            let (mut low, mut high) = (-0.5_f32, 0.5_f32);
            for _ in 0..60 {
                let y = 0.5 * (low + high);
                let t = 2.0 * y;
                let disc = 0.25 * (PI - (libm::acosf(t) - t * (1.0 - t * t).sqrt()));
                if disc + 4.0 * (y + 0.5) < part * whole {
                    low = y
                } else {
                    high = y
                }
            }
            low
        };
        let (got, wanted) = (0.5 - place(&world, floating).y, 0.5 + capsule_height(density));
        assert!(
            (got - wanted).abs() < 0.02 * wanted,
            "capsule of {density}: {got}, wanted {wanted}"
        );
    }
}

#[test]
fn what_is_denser_than_the_fluid_sinks_and_what_is_lighter_rises() {
    let mut world = world(GRAVITY, 4);
    world.create_field(&pool(water(1.0, 1.0, 0.5))).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    let stone = add(&mut world, &BodyDef::dynamic(-5.0, -5.0), &shape, 2.0);
    let cork = add(&mut world, &BodyDef::dynamic(5.0, -5.0), &shape, 0.2);
    let even = add(&mut world, &BodyDef::dynamic(0.0, -5.0), &shape, 1.0);
    run(&mut world, 60);
    assert!(place(&world, stone).y < -6.0 && place(&world, cork).y > -4.0);
    assert!(
        (place(&world, even).y + 5.0).abs() < 1e-3,
        "{}",
        place(&world, even)
    );
}

#[test]
fn a_fall_through_air_ends_at_the_closed_forms_speed() {
    for (density, radius, of_body) in [
        (0.02, 0.5, 1.0),
        (1.0, 0.1, 3.0),
        (0.3, 2.0, 1.0),
        (50.0, 0.5, 1.0),
    ] {
        for substeps in [1, 4] {
            let mut world = world(GRAVITY, substeps);
            world
                .create_field(&FieldDef::new(air(Vec2::ZERO, density)))
                .unwrap();
            let disc = Shape::circle(Vec2::ZERO, radius).unwrap();
            let ball = add(&mut world, &BodyDef::dynamic(0.0, 0.0), &disc, of_body);
            let mass = world.body(ball).unwrap().mass();
            let wanted = (2.0 * mass * GRAVITY / (density * 2.0 * radius)).sqrt();
            run(&mut world, 600 + (6.0 * wanted / GRAVITY / DT) as usize);
            let got = -velocity(&world, ball).y;
            assert!(
                (got - wanted).abs() < 0.02 * wanted,
                "{density} {radius}: {got}, wanted {wanted}"
            );
        }
    }
}

#[test]
fn a_wind_takes_with_it_what_nothing_holds() {
    let mut world = world(0.0, 4);
    let wind = Vec2::new(12.0, -5.0);
    world.create_field(&FieldDef::new(air(wind, 0.5))).unwrap();
    let shape = Shape::new_box(1.0, 0.3).unwrap();
    let leaf = add(&mut world, &BodyDef::dynamic(0.0, 0.0), &shape, 0.1);
    run(&mut world, 1200);
    assert!(
        (velocity(&world, leaf) - wind).length() < 0.02 * wind.length(),
        "{}",
        velocity(&world, leaf)
    );
}

#[test]
fn a_wind_against_a_force_ends_at_the_closed_forms_speed() {
    // A sled on a rail: 20 N against a wind of 8 m/s.
    let mut world = world(0.0, 4);
    world
        .create_field(&FieldDef::new(air(Vec2::new(-8.0, 0.0), 1.2)))
        .unwrap();
    let shape = Shape::new_box(2.0, 1.5).unwrap();
    let def = BodyDef {
        fixed_rotation: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let sled = add(&mut world, &def, &shape, 1.0);
    let (density, width, force) = (1.2_f32, 1.5, 120.0_f32);
    for _ in 0..3000 {
        world
            .body_mut(sled)
            .unwrap()
            .apply_force(Vec2::new(force, 0.0))
            .unwrap();
        world.step(DT).unwrap();
    }
    let wanted = (2.0 * force / (density * width)).sqrt() - 8.0;
    let got = velocity(&world, sled).x;
    assert!((got - wanted).abs() < 0.02 * wanted, "{got}, wanted {wanted}");
}

#[test]
fn a_slanted_plate_is_lifted_and_an_even_one_is_not() {
    let lifted = |angle: f32| {
        let mut world = world(0.0, 4);
        let wind = FieldKind::Wind {
            velocity: Vec2::new(10.0, 0.0),
            density: 1.0,
            drag: 0.0,
            lift: 1.0,
        };
        world.create_field(&FieldDef::new(wind)).unwrap();
        let def = BodyDef {
            angle,
            fixed_rotation: true,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let plate = add(&mut world, &def, &Shape::new_box(4.0, 0.01).unwrap(), 10.0);
        world.step(DT).unwrap();
        velocity(&world, plate) * world.body(plate).unwrap().mass() / DT
    };
    // Half the density times the square of the speed, times the width across it, times how far the face leans.
    let angle = 0.5_f32;
    let wanted = 50.0 * 4.0 * libm::sinf(angle) * libm::cosf(angle);
    let got = lifted(angle);
    assert!(
        (got.y.abs() - wanted).abs() < 0.02 * wanted && got.y < 0.0,
        "{got}, wanted {wanted}"
    );
    assert!(got.x.abs() < 0.02 * wanted, "lift is across the wind: {got}");
    assert!(lifted(0.0).y.abs() < 1e-3 && lifted(0.5 * PI).y.abs() < 1e-2);
}

#[test]
fn radial_gravity_keeps_a_circular_orbit() {
    for substeps in [1, 2, 4, 8] {
        for power in [0, 1, 2] {
            let mut world = world(0.0, substeps);
            let planet = FieldKind::RadialGravity {
                acceleration: 8.0,
                radius: 5.0,
                power,
            };
            world.create_field(&FieldDef::new(planet)).unwrap();
            let distance = 10.0_f32;
            let pull = 8.0 * (0..power).fold(1.0, |share: f32, _| 0.5 * share);
            let speed = (pull * distance).sqrt();
            let def = BodyDef {
                linear_velocity: Vec2::new(0.0, speed),
                ..BodyDef::dynamic(distance, 0.0)
            };
            let moon = add(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.3).unwrap(), 1.0);
            let period = TAU * distance / speed;
            let mut crossings = 0;
            let mut before = 0.0;
            for _ in 0..(20.0 * period / DT) as usize {
                world.step(DT).unwrap();
                let now = place(&world, moon);
                let off = now.length() / distance - 1.0;
                assert!(off.abs() < 0.01, "power {power} by {substeps}: {off}");
                crossings += usize::from(before < 0.0 && now.y >= 0.0);
                before = now.y;
            }
            assert!(
                (19..=20).contains(&crossings),
                "power {power} by {substeps}: {crossings} orbits of 20"
            );
        }
    }
}

#[test]
fn a_float_that_bobs_without_drag_neither_gains_nor_loses_energy() {
    for substeps in [1, 2, 4, 8] {
        let mut world = world(GRAVITY, substeps);
        world.create_field(&pool(water(1.0, 0.0, 0.0))).unwrap();
        let def = BodyDef {
            fixed_rotation: true,
            allow_sleep: false,
            ..BodyDef::dynamic(0.0, 0.3)
        };
        let buoy = add(&mut world, &def, &Shape::new_box(1.0, 2.0).unwrap(), 0.5);
        let mut highest = [0.0_f32; 2];
        for step in 0..12_000 {
            world.step(DT).unwrap();
            let half = usize::from(step >= 6000);
            highest[half] = highest[half].max(place(&world, buoy).y);
        }
        assert!((highest[0] - 0.3).abs() < 0.02, "{substeps}: {highest:?}");
        assert!((highest[1] - highest[0]).abs() < 0.005, "{substeps}: {highest:?}");
    }
}

#[test]
fn gravity_of_a_place_acts_beside_the_worlds_or_in_its_stead() {
    let fall = |replaces: bool, mask: u64, x: f32| {
        let mut world = world(GRAVITY, 4);
        let field = FieldDef {
            area: Some(Shape::new_box(10.0, 10.0).unwrap()),
            replaces_gravity: replaces,
            mask,
            ..FieldDef::new(FieldKind::Gravity {
                acceleration: Vec2::new(3.0, 0.0),
            })
        };
        world.create_field(&field).unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let ball = add(&mut world, &BodyDef::dynamic(x, 0.0), &ball, 1.0);
        run(&mut world, 6);
        velocity(&world, ball) / (6.0 * DT)
    };
    let near = |got: Vec2, x: f32, y: f32| assert!((got - Vec2::new(x, y)).length() < 0.01, "{got}");
    near(fall(false, u64::MAX, 0.0), 3.0, -GRAVITY);
    near(fall(true, u64::MAX, 0.0), 3.0, 0.0);
    near(fall(true, 1, 0.0), 3.0, 0.0);
    near(fall(true, 2, 0.0), 0.0, -GRAVITY);
    near(fall(true, u64::MAX, 20.0), 0.0, -GRAVITY);
}

#[test]
fn a_sea_around_a_planet_has_its_surface_at_a_radius() {
    let mut world = world(0.0, 4);
    let planet = FieldKind::RadialGravity {
        acceleration: 10.0,
        radius: 20.0,
        power: 1,
    };
    world.create_field(&FieldDef::new(planet)).unwrap();
    let sea = FieldDef {
        area: Some(Shape::circle(Vec2::ZERO, 30.0).unwrap()),
        ..FieldDef::new(water(1.0, 1.0, 2.0))
    };
    world.create_field(&sea).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let places = [0.3_f32, 2.0, 4.0].map(|angle| 31.0 * Vec2::new(libm::cosf(angle), libm::sinf(angle)));
    let balls = places.map(|at| add(&mut world, &BodyDef::dynamic(at.x, at.y), &ball, 0.5));
    run(&mut world, 1200);
    for ball in balls {
        let distance = place(&world, ball).length();
        assert!((distance - 30.0).abs() < 0.02, "half in, half out: {distance}");
    }
}

#[test]
fn a_chain_pulls_to_its_nearest_point_and_along() {
    let mut world = world(0.0, 4);
    let corner = |x: f32, y: f32| Vec2::new(x, y);
    let loop_of = FieldKind::ChainGravity {
        points: vec![
            corner(-10.0, -10.0),
            corner(10.0, -10.0),
            corner(10.0, 10.0),
            corner(-10.0, 10.0),
        ],
        closed: true,
        pull: 6.0,
        along: 2.0,
        reach: 4.0,
    };
    world.create_field(&FieldDef::new(loop_of)).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let cases = [
        (corner(0.0, -8.0), corner(2.0, -6.0)),
        (corner(0.0, -12.0), corner(2.0, 6.0)),
        (corner(12.0, 3.0), corner(-6.0, 2.0)),
        // The closing side.
        (corner(-9.0, 3.0), corner(-6.0, -2.0)),
        (corner(0.0, 0.0), corner(0.0, 0.0)),
    ];
    for (at, wanted) in cases {
        let ball = add(&mut world, &BodyDef::dynamic(at.x, at.y), &ball, 1.0);
        world.step(DT).unwrap();
        let got = velocity(&world, ball) / DT;
        assert!((got - wanted).length() < 0.01, "at {at}: {got}, wanted {wanted}");
        world.destroy_body(ball).unwrap();
    }
}

#[test]
fn drag_is_stable_whatever_its_size() {
    for kind in [
        water(1.0e6, 1.0e6, 1.0e6),
        air(Vec2::new(1.0e6, -1.0e6), 1.0e6),
        FieldKind::Wind {
            velocity: Vec2::new(-300.0, 0.0),
            density: 1.0e6,
            drag: 1.0e6,
            lift: 1.0e6,
        },
    ] {
        let mut world = world(GRAVITY, 4);
        world.create_field(&FieldDef::new(kind)).unwrap();
        let shapes = [
            Shape::new_box(0.001, 0.001).unwrap(),
            Shape::new_box(1000.0, 0.01).unwrap(),
            Shape::circle(Vec2::new(3.0, 0.0), 0.001).unwrap(),
            Shape::circle(Vec2::ZERO, 1000.0).unwrap(),
        ];
        let bodies: Vec<BodyId> = (0..)
            .zip(&shapes)
            .map(|(i, shape)| {
                let def = BodyDef {
                    linear_velocity: Vec2::new(390.0, 0.0),
                    angular_velocity: 30.0,
                    ..BodyDef::dynamic(5000.0 * i as f32, 0.0)
                };
                add(&mut world, &def, shape, 1.0e-6)
            })
            .collect();
        run(&mut world, 60);
        assert_eq!(world.events().frozen(), []);
        for body in bodies {
            assert!(velocity(&world, body).is_finite() && place(&world, body).is_finite());
        }
    }
}

#[test]
fn a_change_wakes_those_in_reach_before_and_after() {
    let mut world = world(GRAVITY, 4);
    let floor = Shape::new_box(100.0, 1.0).unwrap();
    add(&mut world, &BodyDef::fixed(0.0, -0.5), &floor, 1.0);
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    let [left, right] = [-20.0, 20.0].map(|x| add(&mut world, &BodyDef::dynamic(x, 0.5), &shape, 1.0));
    run(&mut world, 120);
    let awake = |world: &PhysicsWorld| [left, right].map(|body| world.body(body).unwrap().is_awake());
    assert_eq!(awake(&world), [false, false]);
    let check = |world: &mut PhysicsWorld, wanted: [bool; 2], what: &str| {
        assert_eq!(awake(world), wanted, "{what}");
        run(world, 120);
        assert_eq!(awake(world), [false, false], "after {what}");
    };
    let mut def = FieldDef {
        area: Some(Shape::new_box(4.0, 4.0).unwrap()),
        position: Position::new(-20.0, 0.0),
        ..FieldDef::new(air(Vec2::ZERO, 0.1))
    };
    let field = world.create_field(&def).unwrap();
    check(&mut world, [true, false], "create");
    world.set_field(field, &def).unwrap();
    check(&mut world, [false, false], "the same again");
    def.user_key = 7;
    world.set_field(field, &def).unwrap();
    check(&mut world, [false, false], "another key");
    assert_eq!(world.field(field).unwrap(), def);
    world
        .set_field_pose(field, Position::new(20.0, 0.0), 0.3)
        .unwrap();
    check(&mut world, [true, true], "a move");
    world.set_field_enabled(field, false).unwrap();
    check(&mut world, [false, true], "off");
    world
        .set_field_pose(field, Position::new(-20.0, 0.0), 0.0)
        .unwrap();
    check(&mut world, [false, false], "a move while it is off");
    world.set_field_enabled(field, true).unwrap();
    check(&mut world, [true, false], "on");
    world.destroy_field(field).unwrap();
    check(&mut world, [true, false], "destroy");
    world.create_field(&FieldDef::new(air(Vec2::ZERO, 0.1))).unwrap();
    check(&mut world, [true, true], "everywhere");
}

#[test]
fn stale_ids_and_bad_numbers_are_refused_and_change_nothing() {
    let mut world = world(GRAVITY, 4);
    let stale = world.create_field(&FieldDef::new(air(Vec2::ZERO, 0.1))).unwrap();
    world.destroy_field(stale).unwrap();
    let good = pool(water(1.0, 1.0, 1.0));
    let field = world.create_field(&good).unwrap();
    let before = world.state_hash();
    let gone = Err(PhysicsError::StaleHandle { what: "field" });
    assert_eq!(world.destroy_field(stale), gone);
    assert_eq!(world.set_field(stale, &good), gone);
    assert_eq!(world.set_field_enabled(stale, true), gone);
    assert_eq!(world.set_field_pose(stale, Position::ORIGIN, 0.0), gone);
    assert!(world.field(stale).is_none() && world.has_held_field(stale));
    let chain = |count: usize, place: f32, reach: f32| FieldKind::ChainGravity {
        points: vec![Vec2::splat(place); count],
        closed: false,
        pull: 1.0,
        along: 0.0,
        reach,
    };
    let radial = |acceleration: f32, radius: f32, power: u32| FieldKind::RadialGravity {
        acceleration,
        radius,
        power,
    };
    for kind in [
        water(f32::NAN, 0.0, 0.0),
        water(-1.0, 0.0, 0.0),
        water(1.0, f32::INFINITY, 0.0),
        water(1.0, 0.0, -0.1),
        air(Vec2::new(1.0e7, 0.0), 1.0),
        air(Vec2::ZERO, 1.1e6),
        radial(f32::NAN, 1.0, 0),
        radial(1.0, -1.0, 0),
        radial(1.0, 1.0, 5),
        chain(1, 0.0, 1.0),
        chain(1025, 0.0, 1.0),
        chain(2, f32::NAN, 1.0),
        chain(2, 0.0, -1.0),
    ] {
        let def = FieldDef::new(kind);
        assert!(
            world.create_field(&def).is_err() && world.set_field(field, &def).is_err(),
            "{def:?}"
        );
    }
    let segment = FieldDef {
        area: Some(Shape::segment(Vec2::ZERO, Vec2::X).unwrap()),
        ..good.clone()
    };
    assert_eq!(world.create_field(&segment), Err(PhysicsError::TooThin));
    let nowhere = FieldDef {
        position: Position::new(f32::NAN, 0.0),
        ..good.clone()
    };
    assert!(world.create_field(&nowhere).is_err());
    assert_eq!((world.state_hash(), world.field(field)), (before, Some(good)));
    for kind in [
        radial(-1.0e6, 0.0, 4),
        chain(2, 1.0e5, 1.0e5),
        chain(1024, 0.0, 0.0),
    ] {
        world.create_field(&FieldDef::new(kind)).unwrap();
    }
    run(&mut world, 2);
}

/// A world in which fields of all kinds push many bodies, some at a border, some of several shapes.
fn busy() -> (PhysicsWorld, Vec<FieldId>) {
    let mut world = world(GRAVITY, 4);
    add(
        &mut world,
        &BodyDef::fixed(0.0, -30.0),
        &Shape::new_box(120.0, 1.0).unwrap(),
        1.0,
    );
    let points = vec![Vec2::new(-30.0, 5.0), Vec2::new(0.0, 12.0), Vec2::new(30.0, 5.0)];
    let kinds = [
        water(1.0, 1.0, 0.5),
        air(Vec2::new(4.0, 1.0), 0.3),
        FieldKind::Gravity {
            acceleration: Vec2::new(1.0, 0.5),
        },
        FieldKind::RadialGravity {
            acceleration: 5.0,
            radius: 3.0,
            power: 2,
        },
        FieldKind::ChainGravity {
            points,
            closed: true,
            pull: 3.0,
            along: 1.0,
            reach: 6.0,
        },
    ];
    let mut fields = Vec::new();
    for (i, kind) in (0..).zip(kinds) {
        let def = FieldDef {
            angle: 0.1 * i as f32,
            mask: if i == 1 { 2 } else { u64::MAX },
            ..if i == 0 { pool(kind) } else { FieldDef::new(kind) }
        };
        fields.push(world.create_field(&def).unwrap());
    }
    for i in 0..300_u32 {
        let (x, y) = ((i % 30) as f32 * 2.0 - 30.0, (i / 30) as f32 * 1.7 - 8.0);
        let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
        let def = ShapeDef {
            density: 0.2 + 0.01 * i as f32,
            filter: Filter {
                category: 1 + u64::from(i % 2),
                ..Filter::default()
            },
            ..ShapeDef::default()
        };
        let shape = match i % 4 {
            0 => Shape::new_box(0.8, 0.5).unwrap(),
            1 => Shape::circle(Vec2::ZERO, 0.4).unwrap(),
            2 => Shape::capsule(Vec2::new(-0.4, 0.0), Vec2::new(0.4, 0.1), 0.2).unwrap(),
            _ => Shape::rounded_box(0.8, 0.6, 0.1).unwrap(),
        };
        world.create_shape(body, &def, &shape).unwrap();
        if i % 5 == 0 {
            let beside = Shape::circle(Vec2::new(0.7, 0.0), 0.3).unwrap();
            world.create_shape(body, &def, &beside).unwrap();
        }
    }
    (world, fields)
}

#[test]
fn the_same_bits_by_every_executor_and_after_a_restore() {
    let (start, fields) = busy();
    let mut alone = start.clone();
    let mut others: Vec<(PhysicsWorld, Option<Pool>)> = vec![(start.clone(), None)];
    for workers in [2, 3, 8] {
        others.push((start.clone(), Some(Pool::new(workers).unwrap())));
    }
    for width in LaneWidth::ALL.into_iter().filter(|width| width.is_available()) {
        let mut world = start.clone();
        world.set_lanes(width).unwrap();
        others.push((world, None));
    }
    for step in 0..90 {
        let change = |world: &mut PhysicsWorld| match step {
            30 => world.destroy_field(fields[2]).unwrap(),
            40 => world
                .set_field_pose(fields[4], Position::new(1.0, 2.0), 0.4)
                .unwrap(),
            50 => drop(world.create_field(&FieldDef::new(air(Vec2::X, 0.2))).unwrap()),
            _ => {}
        };
        change(&mut alone);
        alone.step(DT).unwrap();
        if step % 30 == 10 {
            alone.validate();
            others[0].0 = PhysicsWorld::from_save(&others[0].0.save()).unwrap();
        }
        for (i, (world, pool)) in others.iter_mut().enumerate() {
            change(world);
            match pool {
                Some(pool) => world.step_with(DT, pool).unwrap(),
                None => world.step(DT).unwrap(),
            }
            assert_eq!(
                world.state_hash(),
                alone.state_hash(),
                "world {i} after step {step}"
            );
        }
    }
}

#[test]
fn fields_that_reach_nobody_change_no_bit() {
    let (mut world, fields) = busy();
    for field in fields {
        world.destroy_field(field).unwrap();
    }
    let mut other = world.clone();
    let far = FieldDef {
        position: Position::new(5000.0, 0.0),
        ..pool(water(1.0, 1.0, 1.0))
    };
    other.create_field(&far).unwrap();
    run(&mut world, 60);
    run(&mut other, 60);
    let poses = |world: &PhysicsWorld| -> Vec<[u32; 2]> {
        let moved = world.events().moved().iter();
        moved
            .map(|event| event.pose.position.to_array().map(f32::to_bits))
            .collect()
    };
    assert_eq!(poses(&world), poses(&other));
}
