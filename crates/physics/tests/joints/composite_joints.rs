//! Joints of composites: which member and which point of it a joint loads, and with which part it goes when welds break.

use crate::joint_support::{DT, world};
use tombolo_physics::{
    BodyDef, BodyId, GenericDef, JointDef, JointId, MemberId, MotorDef, PhysicsWorld, Position, RevoluteDef,
    RigidWeldDef, RigidWeldId, Shape, ShapeDef, Vec2, WeldDef,
};

/// A body of one shape and one kilogram.
fn body(world: &mut PhysicsWorld, at: Vec2, shape: &Shape, area: f32) -> BodyId {
    let body = world.create_body(&BodyDef::dynamic(at.x, at.y)).unwrap();
    let def = ShapeDef {
        density: 1.0 / area,
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, shape).unwrap();
    body
}

fn member(world: &mut PhysicsWorld, at: Vec2, shape: &Shape, area: f32) -> MemberId {
    let body = body(world, at, shape, area);
    world.create_member(body, 0).unwrap()
}

fn weld(world: &mut PhysicsWorld, a: MemberId, b: MemberId, at: Vec2) -> RigidWeldId {
    let def = RigidWeldDef::new(a, b, Position::new(at.x, at.y));
    world.create_rigid_weld(&def).unwrap()
}

fn body_of(world: &PhysicsWorld, member: MemberId) -> BodyId {
    world.member(member).unwrap().body().id()
}

/// Two planks of a kilogram, 1 m apart along x, as one composite; the first one's center is its body's origin.
fn two_planks(world: &mut PhysicsWorld) -> (BodyId, RigidWeldId) {
    let plank = Shape::new_box(1.0, 0.2).unwrap();
    let first = member(world, Vec2::ZERO, &plank, 0.2);
    let second = member(world, Vec2::X, &plank, 0.2);
    let weld = weld(world, first, second, Vec2::new(0.5, 0.0));
    (body_of(world, first), weld)
}

#[test]
fn a_joint_that_acts_at_both_points_loads_a_composite_at_its_own() {
    let pull = 10.0;
    let kinds: [fn(BodyId, BodyId, f32) -> JointDef; 4] = [
        // A velocity that is never reached: the whole force, along x.
        |a, b, pull| {
            MotorDef {
                linear_velocity: Vec2::new(1.0e3, 0.0),
                max_velocity_force: pull,
                ..MotorDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
        // Springs of points that are 3 m apart along y.
        |a, b, _| {
            WeldDef {
                linear_hertz: 1.0,
                angular_hertz: 0.001,
                ..WeldDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
        // Points that stay as far apart as they are.
        |a, b, _| {
            GenericDef {
                lock_x: true,
                lock_y: true,
                constraint_hertz: 0.0,
                ..GenericDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
        |a, b, _| {
            RevoluteDef {
                constraint_hertz: 0.0,
                ..RevoluteDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
    ];
    for (kind, def) in kinds.into_iter().enumerate() {
        for is_first in [true, false] {
            let mut world = world(0.0);
            let (composite, weld) = two_planks(&mut world);
            let square = Shape::new_box(0.5, 0.5).unwrap();
            let other = body(&mut world, Vec2::new(0.7, 3.0), &square, 0.25);
            let mut moving = world.body_mut(other).unwrap();
            moving.set_linear_velocity(Vec2::new(0.5, 0.5)).unwrap();
            let [a, b] = if is_first {
                [composite, other]
            } else {
                [other, composite]
            };
            let joint = world.create_joint(def(a, b, pull)).unwrap();
            world.step(DT).unwrap();
            let what = format!("kind {kind}, the composite first: {is_first}");
            let force = world.joint(joint).unwrap().force();
            assert!(force.length() > 1.0, "{what}: {force}");
            let of_composite = if is_first { -force } else { force };
            // The reaction acts at the middle of the first plank: the second one is moved by the weld alone, and turns
            // with the whole about its center at x = 0.5.
            let inertia = (1.0 + 0.04) / 12.0;
            let turning = -0.5 * of_composite.y / (2.0 * (inertia + 0.25));
            let acceleration = 0.5 * of_composite + Vec2::new(0.0, 0.5 * turning);
            let torque = inertia * turning + 0.5 * acceleration.y;
            let weld = world.rigid_weld(weld).unwrap();
            let [got, turn] = [weld.force(), Vec2::new(weld.torque(), 0.0)];
            let off = (got.abs() - acceleration.abs()).length();
            assert!(
                off < 0.03 * force.length(),
                "{what}: {got} in the weld, not {acceleration}"
            );
            let off = (turn.x.abs() - torque.abs()).abs();
            assert!(
                off < 0.03 * force.length(),
                "{what}: {} N m, not {torque}",
                turn.x
            );
        }
    }
}

/// A beam of 4 m, and a wire of one segment that hangs from it at `(0, 5)` to `(0, 2)`, with a lamp on its lower end.
fn lamp_on_a_wire(wire: &Shape, is_sensor: bool) -> (PhysicsWorld, [MemberId; 2], RigidWeldId, JointId) {
    let mut world = world(10.0);
    let beam = member(
        &mut world,
        Vec2::new(0.0, 5.0),
        &Shape::new_box(4.0, 0.2).unwrap(),
        0.8,
    );
    let hanging = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    let def = ShapeDef {
        sensor: is_sensor,
        ..ShapeDef::default()
    };
    world.create_shape(hanging, &def, wire).unwrap();
    let wire = world.create_member(hanging, 0).unwrap();
    let weld = weld(&mut world, beam, wire, Vec2::new(0.0, 4.9));
    let lamp = body(
        &mut world,
        Vec2::new(0.0, 2.0),
        &Shape::circle(Vec2::ZERO, 0.1).unwrap(),
        0.0314,
    );
    let composite = body_of(&world, beam);
    let anchor = world
        .body(composite)
        .unwrap()
        .pose()
        .inverse_transform_point(Vec2::new(0.0, 2.0));
    let joint = world
        .create_joint(RevoluteDef::new(composite, anchor, lamp, Vec2::ZERO))
        .unwrap();
    (world, [beam, wire], weld, joint)
}

#[test]
fn a_joint_goes_with_the_member_that_has_only_segments() {
    let wire = Shape::segment(Vec2::new(0.0, -1.0), Vec2::new(0.0, 1.9)).unwrap();
    for steps in [0, 10] {
        let (mut world, [beam, wire], weld, joint) = lamp_on_a_wire(&wire, false);
        for _ in 0..steps {
            world.step(DT).unwrap();
        }
        world.destroy_rigid_weld(weld).unwrap();
        world.validate();
        let joint = world.joint(joint).unwrap();
        let bodies = joint.bodies().map(|body| body.id());
        assert_ne!(body_of(&world, beam), body_of(&world, wire));
        assert_eq!(bodies[0], body_of(&world, wire));
    }
}

#[test]
fn a_joint_goes_with_what_is_solid_and_not_with_a_sensor() {
    let eye = Shape::new_box(0.5, 2.0).unwrap();
    let (mut world, [beam, sensor], weld, joint) = lamp_on_a_wire(&eye, true);
    world.destroy_rigid_weld(weld).unwrap();
    world.validate();
    let joint = world.joint(joint).unwrap();
    let bodies = joint.bodies().map(|body| body.id());
    assert_ne!(body_of(&world, beam), body_of(&world, sensor));
    assert_eq!(bodies[0], body_of(&world, beam));
}
