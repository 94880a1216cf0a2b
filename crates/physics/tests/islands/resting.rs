//! What rests stays where it is, and what touches is found in time: manifolds that are kept from step to step, the reach
//! of boxes, push-out, how deep a load sinks in, and rolling. Figures of Box2D are those of its version 3.2 on the same worlds, taken once.

use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

const DT: f32 = 1.0 / 60.0;

fn world(gravity: f32, sleeping: bool) -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        gravity: Vec2::new(0.0, -gravity),
        sleeping,
        ..Default::default()
    })
    .unwrap()
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    body
}

fn floor(world: &mut PhysicsWorld) -> BodyId {
    add(
        world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(100.0, 2.0).unwrap(),
    )
}

/// A stack of which each second shape stands `aside` meters beside the first.
struct Stack {
    shape: Shape,
    half_height: f32,
    count: usize,
    aside: f32,
}

impl Stack {
    fn of_boxes(count: usize, aside: f32) -> Self {
        Self {
            shape: Shape::new_box(0.4, 0.7).unwrap(),
            half_height: 0.35,
            count,
            aside,
        }
    }

    fn of_hexagons(count: usize, aside: f32) -> Self {
        let (radius, height) = (0.35, 0.35 * 0.75_f64.sqrt());
        let corners = [
            (1.0, 0.0),
            (0.5, 1.0),
            (-0.5, 1.0),
            (-1.0, 0.0),
            (-0.5, -1.0),
            (0.5, -1.0),
        ];
        let corners = corners.map(|(x, y)| Vec2::new((radius * x) as f32, (height * y) as f32));
        Self {
            shape: Shape::polygon(&corners, 0.0).unwrap(),
            half_height: height as f32,
            count,
            aside,
        }
    }

    /// How far the top moved to a side in 300 steps, in meters, and after which step it slept.
    fn run(&self, sleeping: bool) -> (f32, Option<usize>) {
        let mut world = world(10.0, sleeping);
        floor(&mut world);
        let bodies: Vec<BodyId> = (0..self.count)
            .map(|i| {
                let x = if i % 2 == 1 { self.aside } else { 0.0 };
                let y = self.half_height * (1.0 + 2.0 * i as f32);
                add(&mut world, &BodyDef::dynamic(x, y), &self.shape)
            })
            .collect();
        let top = *bodies.last().unwrap();
        let start = world.body(top).unwrap().position();
        let mut asleep = None;
        for step in 1..=300 {
            world.step(DT).unwrap();
            if asleep.is_none() && !world.body(top).unwrap().is_awake() {
                asleep = Some(step);
            }
        }
        let end = world.body(top).unwrap().position();
        (end.x - start.x, asleep)
    }
}

#[test]
fn leaning_stacks_stay_and_sleep_as_soon_as_in_box2d() {
    // The stack; meters that Box2D's top moves without sleeping; the step after which Box2D's sleeps.
    let cases = [
        (Stack::of_boxes(10, 0.0), -0.0031, 40),
        (Stack::of_boxes(10, 0.04), 0.0018, 39),
        (Stack::of_boxes(25, 0.0), -0.0190, 60),
        (Stack::of_boxes(25, 0.04), -0.0342, 60),
        (Stack::of_boxes(25, 0.1), -0.0645, 60),
        (Stack::of_boxes(40, 0.04), -0.0058, 86),
        (Stack::of_hexagons(10, 0.04), 0.0015, 39),
        (Stack::of_hexagons(25, 0.04), -0.0475, 60),
    ];
    for (stack, box2d_moves, box2d_sleeps) in cases {
        let name = format!("{} shapes, {} m aside", stack.count, stack.aside);
        let (moved, _) = stack.run(false);
        let bound = 1.2 * f32::abs(box2d_moves) + 0.001;
        assert!(
            moved.abs() <= bound,
            "{name}: the top moved {moved} m, at most {bound} m expected"
        );
        let (_, asleep) = stack.run(true);
        let asleep = asleep.unwrap_or(usize::MAX);
        assert!(asleep <= box2d_sleeps + 5, "{name}: asleep after step {asleep}");
    }
}

/// Meters that a box of half width 0.5 reaches into the disk of 10 m around the origin.
fn depth_in_disk(world: &PhysicsWorld, body: BodyId) -> f32 {
    let body = world.body(body).unwrap();
    let at = body.position();
    let origin_in_box = body.rotation().unrotate(Vec2::new(-at.x, -at.y));
    let nearest = origin_in_box.clamp(Vec2::splat(-0.5), Vec2::splat(0.5));
    10.0 - nearest.distance(origin_in_box)
}

#[test]
fn a_box_does_not_sink_into_a_big_kinematic_disk_that_turns() {
    // Box2D: 6.5, 4.2 and 6.5 mm at most.
    for turn in [0.1, 0.3, -0.1] {
        let mut world = world(10.0, true);
        let def = BodyDef {
            angular_velocity: turn,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        add(&mut world, &def, &Shape::circle(Vec2::ZERO, 10.0).unwrap());
        let body = add(
            &mut world,
            &BodyDef::dynamic(0.0, 10.5),
            &Shape::new_box(1.0, 1.0).unwrap(),
        );
        for step in 0..600 {
            world.step(DT).unwrap();
            if world.body(body).unwrap().position().y < 8.5 {
                break;
            }
            let depth = depth_in_disk(&world, body);
            assert!(
                depth < 0.0075,
                "{depth} m deep in step {step} on a disk that turns by {turn} rad/s"
            );
        }
    }
}

/// Seen from a body that turns as it goes around the middle of the static one, that middle stands still: the shapes come
/// nearer all the same, whichever of the two was made first.
#[test]
fn what_swings_about_the_middle_of_a_static_body_is_looked_at_anew() {
    let far = 50.0;
    for box_is_first in [true, false] {
        let mut world = world(0.0, false);
        let def = BodyDef {
            linear_velocity: Vec2::new(0.0, -0.5),
            angular_velocity: -0.5 / far,
            ..BodyDef::dynamic(far, 0.54)
        };
        let shape = Shape::new_box(1.0, 1.0).unwrap();
        let wide = Shape::new_box(2.0 * far + 10.0, 2.0).unwrap();
        let falling = if box_is_first {
            let falling = add(&mut world, &def, &shape);
            add(&mut world, &BodyDef::fixed(0.0, -1.0), &wide);
            falling
        } else {
            add(&mut world, &BodyDef::fixed(0.0, -1.0), &wide);
            add(&mut world, &def, &shape)
        };
        for step in 0..60 {
            world.step(DT).unwrap();
            let height = world.body(falling).unwrap().position().y;
            assert!(
                height > 0.495,
                "{height} at step {step}, box first: {box_is_first}"
            );
        }
    }
}

#[test]
fn what_is_within_the_speculative_distance_has_a_contact() {
    for kind in [
        BodyDef::fixed(0.0, 0.0),
        BodyDef::kinematic(0.0, 0.0),
        BodyDef::dynamic(0.0, 0.0),
    ] {
        for gap in [-0.001, 0.0, 0.005, 0.012, 0.0199] {
            for along_x in [false, true] {
                let mut world = world(0.0, true);
                // A body that never moved, whose box is as small as it gets, and one that moved about within its box.
                add(&mut world, &kind, &Shape::new_box(0.04, 0.04).unwrap());
                let reach = 0.04 + gap;
                let (x, y) = if along_x { (reach, 0.0) } else { (0.0, reach) };
                let body = add(
                    &mut world,
                    &BodyDef::dynamic(4.0 * x, 4.0 * y),
                    &Shape::new_box(0.04, 0.04).unwrap(),
                );
                world.step(DT).unwrap();
                let way = Vec2::new(-3.0 * x, -3.0 * y) / DT;
                world.body_mut(body).unwrap().set_linear_velocity(way).unwrap();
                world.step(DT).unwrap();
                world
                    .body_mut(body)
                    .unwrap()
                    .set_linear_velocity(Vec2::ZERO)
                    .unwrap();
                world.step(DT).unwrap();
                let touching = world.contacts().filter(|contact| contact.is_touching()).count();
                assert_eq!(touching, 1, "{gap} m from a {:?} body", kind.kind);
            }
        }
    }
}

#[test]
fn push_out_reaches_its_greatest_speed_and_no_more() {
    let mut world = world(0.0, true);
    floor(&mut world);
    let body = add(
        &mut world,
        &BodyDef::dynamic(0.0, -0.5),
        &Shape::circle(Vec2::ZERO, 0.5).unwrap(),
    );
    world.step(DT).unwrap();
    let before = world.body(body).unwrap().position().y;
    world.step(DT).unwrap();
    let speed = (world.body(body).unwrap().position().y - before) / DT;
    let limit = WorldDef::default().push_speed_max;
    assert!((speed - limit).abs() < 0.01 * limit, "pushed out at {speed} m/s");
}

/// A contact at rest is a spring: it sinks in by its force over the mass that an impulse at its point sees and the square of its
/// angular frequency, which substeps limit ([`WorldDef::contact_hertz`]). Two bars that stand on the ends of a light beam press
/// with levers, a disk in its middle without.
#[test]
fn a_load_sinks_in_by_its_force_over_the_stiffness_of_the_contact() {
    const GRAVITY: f32 = 10.0;
    for (substeps, contact_hertz) in [(2, 30.0), (4, 30.0), (8, 30.0), (8, 12.0)] {
        for mass_ratio in [1.0, 4.0, 8.0] {
            for places in [&[0.0][..], &[-0.8, 0.8]] {
                let mut world = PhysicsWorld::new(&WorldDef {
                    gravity: Vec2::new(0.0, -GRAVITY),
                    substeps,
                    contact_hertz,
                    sleeping: false,
                    ..WorldDef::default()
                })
                .unwrap();
                floor(&mut world);
                let beam = add(
                    &mut world,
                    &BodyDef::dynamic(0.0, 0.25),
                    &Shape::new_box(2.0, 0.5).unwrap(),
                );
                let load = Shape::circle(Vec2::ZERO, 0.5).unwrap();
                let beam_mass = world.body(beam).unwrap().mass();
                let density = mass_ratio * beam_mass / load.mass_properties(1.0).mass;
                let of_density = ShapeDef {
                    density,
                    friction: 0.0,
                    ..ShapeDef::default()
                };
                let loads: Vec<BodyId> = places
                    .iter()
                    .map(|&x| {
                        let load_body = world.create_body(&BodyDef::dynamic(x, 1.0)).unwrap();
                        world.create_shape(load_body, &of_density, &load).unwrap();
                        load_body
                    })
                    .collect();
                for _ in 0..240 {
                    world.step(DT).unwrap();
                }
                let beam = world.body(beam).unwrap();
                let rate = substeps as f32 / DT;
                let angular_frequency = core::f32::consts::TAU * contact_hertz.min(0.125 * rate);
                for (&x, load) in places.iter().zip(loads) {
                    let load = world.body(load).unwrap();
                    let inverse_mass = 1.0 / load.mass() + 1.0 / beam.mass() + x * x / beam.inertia();
                    let expected =
                        load.mass() * GRAVITY * inverse_mass / (angular_frequency * angular_frequency);
                    let depth = beam.position().y + 0.75 - load.position().y;
                    assert!(
                        (depth - expected).abs() < 0.05 * expected + 1.0e-4,
                        "{substeps} substeps, {contact_hertz} Hz, ratio {mass_ratio}, at {x}: {depth} m, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn rolling_resistance_is_of_the_rounding_radius() {
    // A disk that rolls is slowed by two thirds of resistance times gravity, whatever lies under it.
    for radius in [0.25, 1.0] {
        let mut world = world(10.0, true);
        let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
        let resists = ShapeDef {
            rolling_resistance: 0.05,
            ..Default::default()
        };
        world
            .create_shape(ground, &resists, &Shape::new_box(100.0, 2.0).unwrap())
            .unwrap();
        let def = BodyDef {
            linear_velocity: Vec2::new(5.0, 0.0),
            angular_velocity: -5.0 / radius,
            ..BodyDef::dynamic(0.0, radius)
        };
        let ball = add(&mut world, &def, &Shape::circle(Vec2::ZERO, radius).unwrap());
        for _ in 0..60 {
            world.step(DT).unwrap();
        }
        let speed = world.body(ball).unwrap().linear_velocity().x;
        let expected = 5.0 - 0.05 * 10.0 / 1.5;
        assert!(
            (speed - expected).abs() < 0.02,
            "{speed} m/s with radius {radius}, not {expected}"
        );
    }
}

#[test]
fn sharp_polygons_do_not_resist_rolling() {
    let turn_after = |rolling_resistance: f32| {
        let mut world = world(10.0, true);
        let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
        let resists = ShapeDef {
            rolling_resistance,
            ..Default::default()
        };
        world
            .create_shape(ground, &resists, &Shape::new_box(100.0, 2.0).unwrap())
            .unwrap();
        let def = BodyDef {
            angle: 0.6,
            ..BodyDef::dynamic(0.0, 0.7)
        };
        let body = add(&mut world, &def, &Shape::new_box(1.0, 1.0).unwrap());
        for _ in 0..20 {
            world.step(DT).unwrap();
        }
        world.body(body).unwrap().rotation()
    };
    assert_eq!(turn_after(0.0), turn_after(0.5));
}

/// Where a body of 1 kg that touches a wall of a meter comes to rest under a force, from where the wall begins.
fn depth_under(force: f32, push_speed_max: f32) -> f32 {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        sleeping: false,
        push_speed_max,
        ..WorldDef::default()
    })
    .unwrap();
    let wall = Shape::new_box(1.0, 20.0).unwrap();
    add(&mut world, &BodyDef::fixed(1.0, 0.0), &wall);
    let def = BodyDef {
        lasting_force: Vec2::new(force, 0.0),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = add(&mut world, &def, &Shape::new_box(1.0, 1.0).unwrap());
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    world.body(body).unwrap().position().x
}

#[test]
fn a_wall_bears_what_is_pressed_at_it_however_much_that_is() {
    let stiffness = 4.0 * core::f32::consts::PI * core::f32::consts::PI * 60.0 * 60.0;
    for push_speed_max in [0.0, 0.1, 3.0, 1000.0] {
        for force in [10.0, 1.0e3, 2.0e4, 4.0e4] {
            // Each of the two corners, half a meter from the middle, sees 1 / (1 + 0.5² × 6) of the mass.
            let expected = 0.5 * force / (0.4 * stiffness);
            let depth = depth_under(force, push_speed_max);
            // What is pushed out at no speed stays where it has sunk to; that is never beyond where it is borne.
            assert!(
                depth < 1.1 * expected + 0.005,
                "{force} N, {push_speed_max} m/s: {depth} m, and not {expected}"
            );
        }
    }
}
