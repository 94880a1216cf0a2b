//! How high bodies bounce, by the combine rules of their shapes and by rules for contacts; and what turntables turn.

use crate::feature_support::{DT, add, ball, place, rect, world};
use tombolo_physics::CombineRule::{GeometricMean, Max, Mean, Min, Product, Usual};
use tombolo_physics::{
    BodyDef, BodyId, CombineRule, ContactRule, GenericDef, PhysicsWorld, ShapeDef, Vec2, WorldDef,
};

const GRAVITY: f32 = 10.0;
const RADIUS: f32 = 0.25;

/// A bouncy surface of material 1.
fn bouncy(restitution: f32, restitution_rule: CombineRule) -> ShapeDef {
    ShapeDef {
        restitution,
        restitution_rule,
        material: 1,
        ..ShapeDef::default()
    }
}

/// Drops a ball of the second surface on a floor of the first: the part of its speed that it has after the first bounce, taken
/// from its energy, so that it does not matter when in a step the two meet.
fn bounce(floor: &ShapeDef, dropped: &ShapeDef, rule: Option<ContactRule>) -> f32 {
    let mut world = world(&WorldDef::default());
    if let Some(rule) = rule {
        world.set_contact_rule(1, 1, rule).unwrap();
    }
    add(&mut world, &BodyDef::fixed(0.0, -0.5), floor, &rect(10.0, 1.0));
    let body = add(
        &mut world,
        &BodyDef::dynamic(0.0, RADIUS + 5.0),
        dropped,
        &ball(RADIUS),
    );
    let energy = |world: &PhysicsWorld| {
        let speed = world.body(body).unwrap().linear_velocity().y;
        0.5 * speed * speed + GRAVITY * (place(world, body).y - RADIUS)
    };
    let before = energy(&world);
    for _ in 0..120 {
        world.step(DT).unwrap();
        if world.body(body).unwrap().linear_velocity().y > 0.0 {
            break;
        }
    }
    world.step(DT).unwrap();
    (energy(&world).max(0.0) / before).sqrt()
}

#[test]
fn restitutions_are_combined_by_the_rule_of_either_shape() {
    for ([floor, dropped], [first, second], expected) in [
        ([Usual, Usual], [0.3, 0.7], 0.7),
        ([Mean, Usual], [0.3, 0.7], 0.5),
        ([Usual, GeometricMean], [0.4, 0.9], 0.6),
        ([Min, Min], [0.4, 0.9], 0.4),
        ([Product, Usual], [0.8, 0.75], 0.6),
        ([Max, Max], [0.8, 0.2], 0.8),
        // Of two rules the later one of this list counts.
        ([Min, Mean], [0.4, 0.9], 0.4),
        ([Mean, Product], [0.8, 0.75], 0.6),
        ([Product, Max], [0.4, 0.9], 0.9),
    ] {
        let found = bounce(&bouncy(first, floor), &bouncy(second, dropped), None);
        assert!(
            (found - expected).abs() < 0.03 * expected,
            "{floor:?} of {first}, {dropped:?} of {second}: {found}, not {expected}"
        );
    }
}

#[test]
fn the_restitution_of_a_contact_rule_counts_in_place_of_the_shapes() {
    for expected in [0.5, 0.8] {
        let rule = ContactRule {
            restitution: Some(expected),
            ..ContactRule::default()
        };
        let found = bounce(&bouncy(0.1, Max), &bouncy(0.2, Max), Some(rule));
        assert!(
            (found - expected).abs() < 0.03 * expected,
            "{found}, not {expected}"
        );
    }
    let rule = ContactRule {
        restitution: Some(0.0),
        ..ContactRule::default()
    };
    let dead = bounce(&bouncy(1.0, Usual), &bouncy(1.0, Usual), Some(rule));
    assert!(dead < 0.03, "{dead}");
}

/// A round table that stands still and whose rim runs at a speed to the right, where it is highest, and a free disc on top, kept
/// above its middle.
fn turntable(speed: f32, radius: f32) -> (PhysicsWorld, BodyId) {
    let mut world = world(&WorldDef::default());
    let running = ContactRule {
        // Of a surface that runs to the left of its normal, as that of a conveyor.
        surface_speed: Some(-speed),
        friction: Some(0.8),
        ..ContactRule::default()
    };
    world.set_contact_rule(1, 2, running).unwrap();
    let of = |material| ShapeDef {
        material,
        ..ShapeDef::default()
    };
    let table = BodyDef::fixed(0.0, 0.0);
    add(&mut world, &table, &of(2), &ball(2.0));
    let disc = add(
        &mut world,
        &BodyDef::dynamic(0.0, 2.0 + radius),
        &of(1),
        &ball(radius),
    );
    let post = world.create_body(&BodyDef::fixed(0.0, 2.0 + radius)).unwrap();
    let slide = GenericDef {
        lock_x: true,
        ..GenericDef::new(post, Vec2::ZERO, disc, Vec2::ZERO)
    };
    world.create_joint(slide).unwrap();
    (world, disc)
}

#[test]
fn a_turntable_turns_a_disc_at_the_speed_of_its_rim() {
    for (speed, radius) in [(1.5, 0.5), (6.0, 0.5), (-3.0, 1.0)] {
        let (mut world, disc) = turntable(speed, radius);
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        // The lowest point of a disc that turns to the left goes to the right.
        let rim = world.body(disc).unwrap().angular_velocity() * radius;
        assert!((rim / speed - 1.0).abs() < 0.02, "{speed}: {rim} m/s");
    }
}
