//! Drawing within bounds: nothing that reaches into them is left out, and nothing else is drawn. Joints are looked at before
//! their symbols are made, so each kind is tried with all that its symbols can reach.

use tombolo_physics::{
    Aabb, BodyDef, BodyId, DebugDraw, DistanceDef, DrawColor, DrawOptions, GearDef, GenericDef, JointDef,
    MotorDef, MoverDef, PhysicsWorld, PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef, RigidWeldDef,
    Shape, ShapeDef, Vec2, WeldDef, WheelDef, WorldDef,
};

/// The points of all that was drawn.
#[derive(Default, PartialEq, Debug)]
struct Points(Vec<Vec2>);

impl DebugDraw for Points {
    fn line(&mut self, from: Vec2, to: Vec2, _color: DrawColor) {
        self.0.extend([from, to]);
    }

    fn dot(&mut self, at: Vec2, _size_m: f32, _color: DrawColor) {
        self.0.push(at);
    }
}

fn drawn(world: &PhysicsWorld, bounds: Option<Aabb>) -> Points {
    let options = DrawOptions {
        shapes: false,
        bounds,
        ..DrawOptions::default()
    };
    let mut points = Points::default();
    world.draw(&mut points, &options);
    points
}

/// Two boxes of 1 m, turned, the second elsewhere.
fn bodies(world: &mut PhysicsWorld, kinds: [bool; 2]) -> [BodyId; 2] {
    let places = [(-4.0, 2.0, 0.7), (3.0, -1.0, -2.1)];
    let mut defs = kinds
        .into_iter()
        .zip(places)
        .map(|(is_fixed, (x, y, angle))| BodyDef {
            angle,
            ..if is_fixed {
                BodyDef::fixed(x, y)
            } else {
                BodyDef::dynamic(x, y)
            }
        });
    [(); 2].map(|()| {
        let body = world.create_body(&defs.next().unwrap()).unwrap();
        let shape = Shape::new_box(1.0, 1.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
        body
    })
}

/// Every symbol, each as far as it reaches.
fn joints(a: BodyId, b: BodyId) -> Vec<JointDef> {
    macro_rules! defs {
        ($($def:ident { $($field:ident: $value:expr),* })*) => {
            vec![$($def { $($field: $value,)* ..$def::new(a, Vec2::new(2.0, 1.5), b, Vec2::new(-1.0, 3.0)) }.into()),*]
        };
    }
    defs! {
        RevoluteDef { enable_limit: true, lower_angle: -1.0, upper_angle: 0.5, enable_spring: true, enable_motor: true, motor_speed: 1.0 }
        DistanceDef { enable_limit: true, min_length: 0.0, max_length: 40.0 }
        DistanceDef { enable_spring: true, enable_limit: true, min_length: 2.0, max_length: 30.0, enable_motor: true, motor_speed: -1.0 }
        PrismaticDef { enable_limit: true, lower_translation: -25.0, upper_translation: 3.0, enable_motor: true, motor_speed: 1.0 }
        PrismaticDef { enable_spring: true, spring_hertz: 2.0 }
        WeldDef { linear_hertz: 5.0, angular_hertz: 5.0 }
        WheelDef { enable_limit: true, lower_translation: -0.5, upper_translation: 17.0, enable_motor: true, motor_speed: -1.0 }
        MotorDef { linear_velocity: Vec2::X, max_velocity_force: 5.0, angular_velocity: 1.0, max_velocity_torque: 5.0 }
        GenericDef { enable_limit_x: true, lower_x: -1.0, upper_x: 22.0, enable_limit_y: true, lower_y: -33.0, upper_y: 2.0 }
        GenericDef { enable_spring_x: true, spring_hertz_x: 2.0, enable_spring_y: true, spring_hertz_y: 2.0, lock_angle: true }
        PogoDef { enable_spring: true }
        MoverDef { linear_velocity: Vec2::Y, max_force: Vec2::ONE }
        GearDef { ratio: 2.0 }
        RackDef { radius: -6.0 }
        PulleyDef { ground_anchor_a: Vec2::new(-20.0, 31.0), ground_anchor_b: Vec2::new(25.0, -9.0) }
    }
}

/// Looks through small windows at each point that is drawn, and beside it.
fn compare(what: &str, world: &PhysicsWorld) {
    let all = drawn(world, None);
    assert!(!all.0.is_empty(), "{what}");
    let around = Aabb::from_points(&all.0);
    let beside = [
        Vec2::ZERO,
        Vec2::new(0.5, -0.5),
        Vec2::new(-3.0, 7.0),
        Vec2::new(50.0, 0.0),
    ];
    for point in &all.0 {
        for offset in beside {
            let window = Aabb::new(*point + offset, *point + offset).grown(0.01);
            let seen = drawn(world, Some(window));
            if around.overlaps(window) {
                assert_eq!(seen, all, "{what} through {window:?}");
            } else {
                assert_eq!(seen, Points::default(), "{what} through {window:?}");
            }
        }
    }
}

#[test]
fn no_joint_within_the_bounds_is_left_out() {
    for kinds in [[false, false], [true, false], [false, true]] {
        let count = {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            let [a, b] = bodies(&mut world, kinds);
            joints(a, b).len()
        };
        for number in 0..count {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            let [a, b] = bodies(&mut world, kinds);
            let joint = world.create_joint(joints(a, b).swap_remove(number)).unwrap();
            let kind = world.joint(joint).unwrap().kind();
            compare(&format!("joint {number}, {kind:?}, fixed: {kinds:?}"), &world);
        }
    }
}

#[test]
fn no_rigid_weld_within_the_bounds_is_left_out() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let bodies = bodies(&mut world, [false, false]);
    let [first, second] = bodies.map(|body| world.create_member(body, 0).unwrap());
    let weld = RigidWeldDef::new(first, second, Vec2::new(9.0, 9.0).into());
    world.create_rigid_weld(&weld).unwrap();
    compare("rigid weld", &world);
}
