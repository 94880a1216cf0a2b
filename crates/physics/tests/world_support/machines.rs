//! A world with a machine of every kind of joint, many of each, so that blocks are full and mixed.

use super::worlds::{add, add_box, add_floor, empty};
use core::f32::consts::FRAC_PI_2;
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, FilterDef, GearDef, GenericDef, MotorDef, MoverDef, PhysicsWorld, PogoDef,
    PrismaticDef, PulleyDef, RackDef, RevoluteDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef,
};

/// Cars, lifts, ropes, springs, bridges of welded planks that break, dragged boxes, clockworks, winches over pulleys, tables,
/// figures that walk, and boxes that do not see each other.
pub(crate) fn joints() -> PhysicsWorld {
    let mut world = empty();
    let floor = add_floor(&mut world);
    for i in 0..10 {
        let x = -30.0 + 6.0 * i as f32;
        car(&mut world, x, i);
        rope(&mut world, floor, x + 2.0, i);
        lift(&mut world, floor, x + 3.0, i);
        dragged(&mut world, floor, x + 4.0);
        clockwork(&mut world, floor, x, i);
        table(&mut world, floor, x, i);
        figure(&mut world, floor, x, i);
        if i % 3 == 0 {
            bridge(&mut world, floor, x);
        }
    }
    world
}

/// A chassis on two sprung wheels, one of them driven.
pub(crate) fn car(world: &mut PhysicsWorld, x: f32, i: usize) -> BodyId {
    let chassis = Shape::new_box(1.8, 0.4).unwrap();
    let chassis = add(world, &BodyDef::dynamic(x, 0.8), &ShapeDef::default(), &chassis);
    let tire = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    for (side, driven) in [(-0.6, true), (0.6, i.is_multiple_of(2))] {
        let def = BodyDef::dynamic(x + side, 0.4);
        let wheel = add(world, &def, &ShapeDef::default(), &tire);
        let joint = WheelDef {
            local_angle_a: FRAC_PI_2,
            spring_hertz: 4.0,
            enable_limit: true,
            lower_translation: -0.15,
            upper_translation: 0.15,
            enable_motor: driven,
            motor_speed: -6.0,
            max_motor_torque: 3.0,
            ..WheelDef::new(chassis, Vec2::new(side, -0.4), wheel, Vec2::ZERO)
        };
        world.create_joint(joint).unwrap();
    }
    chassis
}

/// Links of three sorts, rods, ropes and springs, with a weight at the end.
fn rope(world: &mut PhysicsWorld, hook: BodyId, x: f32, i: usize) {
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    let (mut last, mut anchor) = (hook, Vec2::new(x, 9.0));
    for link in 0..6 {
        let def = BodyDef::dynamic(x + 0.3 * (link + 1) as f32, 8.0);
        let body = add(world, &def, &ShapeDef::default(), &ball);
        let joint = DistanceDef {
            length: 0.3,
            max_length: 0.3,
            enable_limit: link % 3 == 1,
            enable_spring: link % 3 == 2,
            spring_hertz: 5.0,
            spring_damping_ratio: 0.2,
            upper_spring_force: 0.0,
            enable_motor: link == 4 && i.is_multiple_of(2),
            max_motor_force: 0.5,
            ..DistanceDef::new(last, anchor, body, Vec2::ZERO)
        };
        world.create_joint(joint).unwrap();
        (last, anchor) = (body, Vec2::ZERO);
    }
}

/// A cabin on a slide, driven or sprung, with a pendulum in it.
fn lift(world: &mut PhysicsWorld, shaft: BodyId, x: f32, i: usize) {
    let cabin = add_box(world, x, 5.0);
    let slide = PrismaticDef {
        local_angle_a: FRAC_PI_2,
        local_angle_b: FRAC_PI_2,
        enable_limit: true,
        lower_translation: -1.0,
        upper_translation: 1.0,
        enable_motor: i.is_multiple_of(2),
        motor_speed: 0.7,
        max_motor_force: 20.0,
        enable_spring: !i.is_multiple_of(2),
        target_translation: 0.5,
        spring_hertz: 2.0,
        spring_damping_ratio: 0.1,
        ..PrismaticDef::new(shaft, Vec2::new(x, 6.0), cabin, Vec2::ZERO)
    };
    world.create_joint(slide).unwrap();
    let bob = add(
        world,
        &BodyDef::dynamic(x + 0.3, 4.2),
        &ShapeDef::default(),
        &Shape::circle(Vec2::ZERO, 0.2).unwrap(),
    );
    let revolute = RevoluteDef::new(cabin, Vec2::new(0.0, -0.4), bob, Vec2::new(-0.3, 0.4));
    world.create_joint(revolute).unwrap();
    let filter = FilterDef::new(bob, shaft);
    world.create_joint(filter).unwrap();
}

/// A box on a plate with friction, pulled to a place.
fn dragged(world: &mut PhysicsWorld, floor: BodyId, x: f32) {
    let body = add_box(world, x, 11.0);
    let drag = MotorDef {
        linear_velocity: Vec2::new(0.3, 0.0),
        max_velocity_force: 2.0,
        angular_velocity: 1.0,
        max_velocity_torque: 0.5,
        linear_hertz: 1.0,
        max_spring_force: 100.0,
        angular_hertz: 1.0,
        max_spring_torque: 5.0,
        ..MotorDef::new(floor, Vec2::new(x, 12.5), body, Vec2::new(0.2, 0.1))
    };
    world.create_joint(drag).unwrap();
}

/// Planks welded to each other and to a pier, stiff and soft, one of which breaks under a box.
fn bridge(world: &mut PhysicsWorld, pier: BodyId, x: f32) {
    let plank = Shape::new_box(0.6, 0.16).unwrap();
    let (mut last, mut anchor) = (pier, Vec2::new(x, 14.0));
    for i in 0..5 {
        let body = add(
            world,
            &BodyDef::dynamic(x + 0.3 + 0.6 * i as f32, 13.0),
            &ShapeDef::default(),
            &plank,
        );
        let weld = WeldDef {
            angular_hertz: if i % 2 == 0 { 0.0 } else { 12.0 },
            angular_damping_ratio: 0.3,
            linear_hertz: if i == 3 { 20.0 } else { 0.0 },
            linear_damping_ratio: 0.5,
            torque_threshold: if i == 2 { 4.0 } else { f32::INFINITY },
            breaks: true,
            ..WeldDef::new(last, anchor, body, Vec2::new(-0.3, 0.0))
        };
        world.create_joint(weld).unwrap();
        (last, anchor) = (body, Vec2::new(0.3, 0.0));
    }
    add_box(world, x + 2.0, 15.0);
}

/// A driven wheel that turns another and pushes a rack, from which a weight hangs over pulleys.
fn clockwork(world: &mut PhysicsWorld, plate: BodyId, x: f32, i: usize) {
    let disk = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let wheels = [0.0, 0.5].map(|side| {
        let place = Vec2::new(x + side, 18.0);
        let wheel = add(
            world,
            &BodyDef::dynamic(place.x, place.y),
            &ShapeDef::default(),
            &disk,
        );
        let axle = RevoluteDef {
            enable_motor: side == 0.0,
            motor_speed: if i.is_multiple_of(2) { 3.0 } else { -3.0 },
            max_motor_torque: 20.0,
            count_turns: true,
            enable_limit: side == 0.0,
            lower_angle: -5.0,
            upper_angle: 8.0,
            ..RevoluteDef::new(plate, place, wheel, Vec2::ZERO)
        };
        world.create_joint(axle).unwrap();
        wheel
    });
    let gear = GearDef {
        ratio: 1.0 + 0.1 * i as f32,
        ..GearDef::new(wheels[0], Vec2::ZERO, wheels[1], Vec2::ZERO)
    };
    world.create_joint(gear).unwrap();
    let bar = Shape::new_box(1.0, 0.1).unwrap();
    let rack = add(
        world,
        &BodyDef::dynamic(x + 0.5, 17.7),
        &ShapeDef::default(),
        &bar,
    );
    let guide = PrismaticDef::new(plate, Vec2::new(x + 0.5, 17.7), rack, Vec2::ZERO);
    world.create_joint(guide).unwrap();
    let teeth = RackDef {
        radius: 0.3,
        ..RackDef::new(wheels[1], Vec2::ZERO, rack, Vec2::ZERO)
    };
    world.create_joint(teeth).unwrap();
    let weight = add(
        world,
        &BodyDef::dynamic(x + 2.5, 16.0),
        &ShapeDef::default(),
        &Shape::circle(Vec2::ZERO, 0.15).unwrap(),
    );
    let pulley = PulleyDef {
        ratio: if i.is_multiple_of(3) { 2.0 } else { 1.0 },
        slack: !i.is_multiple_of(4),
        ground_anchor_a: Vec2::new(x - 2.0, 17.7),
        ground_anchor_b: Vec2::new(x + 2.5, 19.0),
        length_a: 2.0,
        length_b: 3.0,
        ..PulleyDef::new(rack, Vec2::new(-0.5, 0.0), weight, Vec2::ZERO)
    };
    world.create_joint(pulley).unwrap();
}

/// A slide that is sprung one way and driven or limited the other, and turns a little.
fn table(world: &mut PhysicsWorld, floor: BodyId, x: f32, i: usize) {
    let slide = add_box(world, x, 22.0);
    let free = GenericDef {
        enable_motor_x: i.is_multiple_of(2),
        motor_speed_x: 0.5,
        max_motor_force_x: 10.0,
        enable_limit_x: true,
        lower_x: -0.4,
        upper_x: 0.4,
        enable_spring_y: true,
        target_y: 0.3,
        spring_hertz_y: 2.0,
        spring_damping_ratio_y: 0.2,
        lock_x: i % 5 == 4,
        lock_y: i % 5 >= 3,
        lock_angle: i % 4 == 3,
        enable_spring_angle: true,
        target_angle: 7.0,
        spring_hertz_angle: 1.0,
        enable_limit_angle: true,
        lower_angle: 1.0,
        upper_angle: 9.0,
        count_turns: true,
        ..GenericDef::new(floor, Vec2::new(x, 22.5), slide, Vec2::new(0.1, 0.0))
    };
    world.create_joint(free).unwrap();
}

/// A figure on a leg that is a spring, and that a mover walks; the springs of some only push, and give way to weights.
fn figure(world: &mut PhysicsWorld, floor: BodyId, x: f32, i: usize) {
    let def = BodyDef {
        fixed_rotation: true,
        ..BodyDef::dynamic(x, 26.0 + 0.1 * i as f32)
    };
    let body = Shape::capsule(Vec2::new(0.0, -0.2), Vec2::new(0.0, 0.2), 0.2).unwrap();
    let figure = add(world, &def, &ShapeDef::default(), &body);
    let leg = PogoDef {
        local_angle_a: FRAC_PI_2 + 0.02 * i as f32,
        spring_hertz: 2.0 + 0.5 * i as f32,
        spring_damping_ratio: 0.1 * i as f32,
        lower_spring_force: if i.is_multiple_of(2) { 0.0 } else { -20.0 },
        upper_spring_force: if i.is_multiple_of(3) { 15.0 } else { 1.0e6 },
        ..PogoDef::new(floor, Vec2::new(x, 25.0), figure, Vec2::new(0.0, -0.1))
    };
    world.create_joint(leg).unwrap();
    let walk = MoverDef {
        linear_velocity: Vec2::new(if i.is_multiple_of(2) { 1.5 } else { -0.8 }, 0.2),
        max_force: Vec2::new(4.0, if i % 4 == 3 { 2.0 } else { 0.0 }),
        ..MoverDef::new(floor, Vec2::ZERO, figure, Vec2::new(0.0, 0.1))
    };
    world.create_joint(walk).unwrap();
}
