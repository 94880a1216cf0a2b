//! Springs attached off a body's center, where the effective mass changes as the body turns: their energy over two minutes, and
//! their frequency, decay and sag against closed forms. Springs at a body's center are in `joints.rs`.

use crate::joint_support::{DT, GRAVITY, close, joint, oscillation, sampled};
use std::f32::consts::{FRAC_PI_2, TAU};
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, Filter, GenericDef, JointDef, JointId, MotorDef, PhysicsWorld, PogoDef,
    PrismaticDef, RevoluteDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef, WorldDef,
};

/// Of a box of a kilogram.
const SIZE: Vec2 = Vec2::new(1.0, 0.6);
const INERTIA: f32 = (SIZE.x * SIZE.x + SIZE.y * SIZE.y) / 12.0;
const CORNER: Vec2 = Vec2::new(0.4, 0.3);
/// The length of springs that have one.
const LENGTH: f32 = 1.7;
const SUBSTEPS: [u32; 3] = [1, 4, 8];

/// Two bodies, the points at which they are tied, and the spring's frequency and damping ratio.
struct Ends {
    bodies: [BodyId; 2],
    points: [Vec2; 2],
    hertz: f32,
    ratio: f32,
}

struct Spring {
    name: &'static str,
    /// The spring's rest length: it begins this far below the first point. At 0 the second point begins at the first.
    length: f32,
    /// How far beside the first point the second begins.
    beside: f32,
    /// Whether the spring turns the body, and does not move the point.
    turns: bool,
    /// The damping ratio from which on the energy is bounded: 0 where the stiffness does not change enough, as the box turns, to make
    /// any (`docs/joints.md`).
    damped_from: f32,
    def: fn(&Ends) -> JointDef,
}

/// Down along y, the x axis of the first frame.
const DOWN: f32 = -FRAC_PI_2;

macro_rules! spring {
    ($name:literal [$length:expr, $beside:expr, $turns:expr; $damped_from:expr]
        $def:ident { $($field:ident: $value:expr),* } $($hertz:ident $ratio:ident)+) => {
        Spring {
            name: $name,
            length: $length,
            beside: $beside,
            turns: $turns,
            damped_from: $damped_from,
            def: |ends| {
                let [a, b] = ends.bodies;
                let mut def = $def {
                    $($field: $value,)*
                    ..$def::new(a, ends.points[0], b, ends.points[1])
                };
                $((def.$hertz, def.$ratio) = (ends.hertz, ends.ratio);)+
                def.into()
            },
        }
    };
}

const SPRINGS: [Spring; 12] = [
    spring!("distance" [LENGTH, CORNER.x, false; 0.0] DistanceDef { length: LENGTH, enable_spring: true }
        spring_hertz spring_damping_ratio),
    spring!("pogo" [LENGTH, 0.0, false; 0.0] PogoDef { length: LENGTH, local_angle_a: DOWN }
        spring_hertz spring_damping_ratio),
    spring!("weld" [0.0, CORNER.x, false; 0.0] WeldDef { angular_hertz: 0.001 }
        linear_hertz linear_damping_ratio),
    spring!("weld, point and angle" [0.0, CORNER.x, false; 0.02] WeldDef { }
        linear_hertz linear_damping_ratio angular_hertz angular_damping_ratio),
    spring!("motor" [0.0, CORNER.x, false; 0.0] MotorDef { max_spring_force: 1.0e6 }
        linear_hertz linear_damping_ratio),
    spring!("prismatic" [0.0, 0.0, false; 0.0] PrismaticDef { local_angle_a: DOWN, local_angle_b: DOWN, enable_spring: true }
        spring_hertz spring_damping_ratio),
    spring!("wheel" [0.0, 0.0, false; 0.1] WheelDef { local_angle_a: DOWN }
        spring_hertz spring_damping_ratio),
    spring!("generic, y" [0.0, 0.0, false; 0.1] GenericDef { lock_x: true, enable_spring_y: true }
        spring_hertz_y spring_damping_ratio_y),
    spring!("generic, x and y" [0.0, CORNER.x, false; 0.02] GenericDef { enable_spring_x: true, enable_spring_y: true }
        spring_hertz_x spring_damping_ratio_x spring_hertz_y spring_damping_ratio_y),
    spring!("generic, angle" [0.0, 0.0, true; 0.0] GenericDef { lock_x: true, lock_y: true, enable_spring_angle: true }
        spring_hertz_angle spring_damping_ratio_angle),
    spring!("revolute" [0.0, 0.0, true; 0.0] RevoluteDef { enable_spring: true }
        spring_hertz spring_damping_ratio),
    spring!("weld, angle" [0.0, 0.0, true; 0.0] WeldDef { }
        angular_hertz angular_damping_ratio),
];

fn world(gravity: f32, substeps: u32) -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        gravity: Vec2::new(0.0, -gravity),
        substeps,
        sleeping: false,
        ..WorldDef::default()
    })
    .unwrap()
}

/// A box of a kilogram that touches nothing.
fn hung_box(world: &mut PhysicsWorld, center: Vec2) -> BodyId {
    let body = world.create_body(&BodyDef::dynamic(center.x, center.y)).unwrap();
    let def = ShapeDef {
        density: 1.0 / (SIZE.x * SIZE.y),
        filter: Filter {
            mask: 0,
            ..Filter::default()
        },
        ..ShapeDef::default()
    };
    world
        .create_shape(body, &def, &Shape::new_box(SIZE.x, SIZE.y).unwrap())
        .unwrap();
    body
}

/// A box on a spring from a point of the ground, and the joint; `shift` is how far the box's point is from rest.
fn hang(
    world: &mut PhysicsWorld,
    spring: &Spring,
    [ground_point, point, shift]: [Vec2; 3],
    [hertz, ratio]: [f32; 2],
) -> (BodyId, JointId) {
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let at = ground_point - Vec2::new(0.0, spring.length) + shift;
    let body = hung_box(world, at - point);
    let ends = Ends {
        bodies: [ground, body],
        points: [ground_point, point],
        hertz,
        ratio,
    };
    (body, joint(world, (spring.def)(&ends)))
}

fn kinetic_energy(world: &PhysicsWorld, body: BodyId) -> f32 {
    let view = world.body(body).unwrap();
    let (speed, spin) = (view.linear_velocity().length_squared(), view.angular_velocity());
    0.5 * (view.mass() * speed + view.inertia() * spin * spin)
}

/// More than the kinetic energy of a box that hangs by its corner can become: what the spring holds at the start, with the greatest
/// effective mass, and what gravity gives where the box hangs lowest, on a spring with the least.
fn greatest_energy(spring: &Spring, hertz: f32) -> f32 {
    let reach = CORNER.length();
    let fall = GRAVITY * (reach - CORNER.y);
    if spring.turns {
        return fall;
    }
    let stiffness = (TAU * hertz) * (TAU * hertz);
    let least = stiffness / (1.0 + reach * reach / INERTIA);
    let stretch = Vec2::new(spring.beside, spring.length).length() - spring.length;
    0.5 * stiffness * stretch * stretch + fall + 0.5 * GRAVITY * GRAVITY / least
}

#[test]
fn a_box_that_hangs_by_its_corner_gains_no_energy() {
    let hertz = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 30.0];
    let ratios = [0.0, 0.005, 0.02, 0.1, 1.0];
    for substeps in SUBSTEPS {
        let mut world = world(GRAVITY, substeps);
        let mut boxes = Vec::new();
        for spring in &SPRINGS {
            for hertz in hertz {
                for ratio in ratios.into_iter().filter(|&ratio| ratio >= spring.damped_from) {
                    let hook = Vec2::new(3.0 * boxes.len() as f32, 0.0);
                    let shift = Vec2::new(spring.beside, 0.0);
                    let (body, _) = hang(&mut world, spring, [hook, CORNER, shift], [hertz, ratio]);
                    boxes.push((spring, [hertz, ratio], body, greatest_energy(spring, hertz)));
                }
            }
        }
        let mut worst = vec![0.0_f32; boxes.len()];
        for _ in 0..7200 {
            world.step(DT).unwrap();
            for (worst, (_, _, body, bound)) in worst.iter_mut().zip(&boxes) {
                *worst = worst.max(kinetic_energy(&world, *body) / bound);
            }
        }
        for (worst, (spring, [hertz, ratio], ..)) in worst.iter().zip(&boxes) {
            assert!(
                *worst < 1.25,
                "{}, {hertz} Hz, {ratio}, {substeps} substeps: {worst} times what it can have",
                spring.name
            );
        }
    }
}

/// A spring along x through a point above the center turns the box too; the point swings with the frequency.
#[test]
fn springs_off_center_have_their_frequency_and_their_decay() {
    for substeps in SUBSTEPS {
        for spring in SPRINGS
            .iter()
            .filter(|spring| ["weld", "motor", "generic, x and y"].contains(&spring.name))
        {
            for [hertz, ratio] in [[0.5, 0.05], [1.0, 0.02], [2.0, 0.1], [3.0, 0.05]] {
                if hertz > 1.5 * substeps as f32 {
                    continue;
                }
                let mut world = world(0.0, substeps);
                let places = [Vec2::ZERO, Vec2::new(0.0, 0.2), Vec2::new(0.02, 0.0)];
                let (_, id) = hang(&mut world, spring, places, [hertz, ratio]);
                let samples = sampled(&mut world, 360, |world| world.joint(id).unwrap().translation().x);
                let (found, damping) = oscillation(&samples);
                let what = format!("{}, {hertz} Hz, {ratio}, {substeps} substeps", spring.name);
                close(found, hertz * (1.0 - ratio * ratio).sqrt(), 0.02, &what);
                if substeps >= 4 {
                    close(damping, ratio, 0.03, &format!("{what}, decay"));
                }
            }
        }
    }
}

/// By a point above the center no spring turns the box, and each bears a kilogram.
#[test]
fn springs_off_center_hang_as_low_as_their_stiffness_says() {
    for substeps in SUBSTEPS {
        for spring in SPRINGS.iter().filter(|spring| !spring.turns) {
            for hertz in [1.0, 2.0, 6.0, 30.0] {
                let mut world = world(GRAVITY, substeps);
                let places = [Vec2::ZERO, Vec2::new(0.0, 0.3), Vec2::ZERO];
                let (body, _) = hang(&mut world, spring, places, [hertz, 1.0]);
                sampled(&mut world, 600, |_| 0.0);
                let sag = -0.3 - spring.length - world.body(body).unwrap().position().y;
                let what = format!("{}, {hertz} Hz, {substeps} substeps", spring.name);
                close(sag, GRAVITY / ((TAU * hertz) * (TAU * hertz)), 0.01, &what);
            }
        }
    }
}
