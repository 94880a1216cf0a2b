//! Gears, racks and pulleys: ratios over a minute, forces, momentum, and ropes that hang slack.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use std::f32::consts::{FRAC_PI_2, TAU};
use tombolo_physics::{
    BodyDef, BodyId, GearDef, JointId, JointMotor, PhysicsWorld, PrismaticDef, PulleyDef, RackDef,
    RevoluteDef, Rot, Vec2,
};

const MINUTE: usize = 3600;

/// How far a body has turned since the last call, taking turns into account.
struct Turning {
    body: BodyId,
    last: Rot,
    angle: f64,
}

impl Turning {
    fn new(world: &PhysicsWorld, body: BodyId) -> Self {
        let last = world.body(body).unwrap().rotation();
        Self {
            body,
            last,
            angle: 0.0,
        }
    }

    fn follow(&mut self, world: &PhysicsWorld) {
        let now = world.body(self.body).unwrap().rotation();
        self.angle += f64::from(self.last.to(now).angle());
        self.last = now;
    }
}

fn axle(world: &mut PhysicsWorld, post: BodyId, place: Vec2, side: f32) -> (BodyId, JointId) {
    let body = square(world, &BodyDef::dynamic(place.x, place.y), side);
    let id = joint(world, RevoluteDef::new(post, place, body, Vec2::ZERO));
    (body, id)
}

#[test]
fn gears_keep_their_ratio_over_a_minute() {
    for (ratio, speed) in [(1.0, 7.0), (2.0, 30.0), (-0.5, 12.0), (3.7, -20.0), (0.1, 3.0)] {
        let mut world = world(0.0);
        let post = ground(&mut world);
        let (a, driven) = axle(&mut world, post, Vec2::ZERO, 0.5);
        let (b, _) = axle(&mut world, post, Vec2::new(2.0, 0.0), 1.0);
        let gear = joint(
            &mut world,
            GearDef {
                ratio,
                ..GearDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            },
        );
        world
            .joint_mut(driven)
            .unwrap()
            .set_motor(Some(JointMotor { speed, max: 5.0 }))
            .unwrap();
        let mut turns = [a, b].map(|body| Turning::new(&world, body));
        for step in 0..MINUTE {
            // A load that changes.
            let load = 2.0 * ratio.abs().min(1.0) * libm::sinf(0.01 * step as f32);
            world.body_mut(b).unwrap().apply_torque(load).unwrap();
            world.step(DT).unwrap();
            turns.iter_mut().for_each(|turning| turning.follow(&world));
            let off = turns[0].angle + f64::from(ratio) * turns[1].angle;
            assert!(off.abs() < 0.01, "ratio {ratio}, step {step}: {off} off");
        }
        let [first, second] = turns.map(|turning| turning.angle);
        assert!(
            first.abs() > 0.9 * 60.0 * f64::from(speed.abs()),
            "it turned by {first}"
        );
        close((first / second) as f32, -ratio, 0.001, "the ratio");
        assert!(world.joint(gear).unwrap().angular_error() < 0.01);
    }
}

#[test]
fn a_gear_passes_torque_on_in_its_ratio() {
    let mut world = world(0.0);
    let post = ground(&mut world);
    let (a, driven) = axle(&mut world, post, Vec2::ZERO, 0.5);
    let (b, braked) = axle(&mut world, post, Vec2::new(2.0, 0.0), 1.0);
    let def = GearDef {
        ratio: 3.0,
        ..GearDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
    };
    let gear = joint(&mut world, def);
    // One newton meter on the small wheel is three on the large one: a brake of less slips, one of more holds.
    world
        .joint_mut(driven)
        .unwrap()
        .set_motor(Some(JointMotor { speed: 5.0, max: 1.0 }))
        .unwrap();
    for (brake, slips) in [(3.03, false), (2.97, true)] {
        world
            .joint_mut(braked)
            .unwrap()
            .set_motor(Some(JointMotor {
                speed: 0.0,
                max: brake,
            }))
            .unwrap();
        sampled(&mut world, 300, |_| 0.0);
        let spin = world.body(b).unwrap().angular_velocity();
        assert_eq!(spin < -0.05, slips, "brake {brake}: {spin}");
        close(
            world.joint(gear).unwrap().torque(),
            -brake.min(3.0),
            0.01,
            "the torque on it",
        );
    }
}

#[test]
fn a_gear_that_is_saved_goes_on_as_it_was() {
    let mut world = world(0.0);
    let post = ground(&mut world);
    let (a, driven) = axle(&mut world, post, Vec2::ZERO, 0.5);
    let (b, _) = axle(&mut world, post, Vec2::new(2.0, 0.0), 1.0);
    joint(
        &mut world,
        GearDef {
            ratio: 2.0,
            ..GearDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
        },
    );
    world
        .joint_mut(driven)
        .unwrap()
        .set_motor(Some(JointMotor {
            speed: 9.0,
            max: 50.0,
        }))
        .unwrap();
    sampled(&mut world, 100, |_| 0.0);
    let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
    let mut cloned = world.clone();
    for _ in 0..100 {
        for world in [&mut world, &mut restored, &mut cloned] {
            world.step(DT).unwrap();
        }
    }
    assert_eq!(restored.state_hash(), world.state_hash());
    assert_eq!(cloned.state_hash(), world.state_hash());
}

/// A pinion and a rack beneath it that is turned by `angle`, and the pinion's and the rack's joints.
fn pinion_and_rack(world: &mut PhysicsWorld, angle: f32, radius: f32) -> ([BodyId; 2], [JointId; 2]) {
    let post = ground(world);
    let (pinion, axle) = axle(world, post, Vec2::ZERO, 0.5);
    let place = Rot::from_angle(angle).rotate(Vec2::new(0.0, -radius));
    let def = BodyDef {
        angle,
        ..BodyDef::dynamic(place.x, place.y)
    };
    let rack = square(world, &def, 0.3);
    let guide = PrismaticDef {
        local_angle_a: angle,
        ..PrismaticDef::new(post, place, rack, Vec2::ZERO)
    };
    joint(world, guide);
    let def = RackDef {
        radius,
        ..RackDef::new(pinion, Vec2::ZERO, rack, Vec2::ZERO)
    };
    let teeth = joint(world, def);
    ([pinion, rack], [axle, teeth])
}

#[test]
fn racks_slide_as_the_pinion_turns_over_a_minute() {
    for (radius, angle) in [(0.5, 0.0), (-0.25, 1.0), (2.0, FRAC_PI_2)] {
        let mut world = world(0.0);
        let ([pinion, rack], [axle, teeth]) = pinion_and_rack(&mut world, angle, radius);
        let start = world.body(rack).unwrap().position().to_vec2();
        let mut turning = Turning::new(&world, pinion);
        let mut farthest = 0.0_f32;
        for step in 0..MINUTE {
            let speed = if step % 240 < 140 { 5.0 } else { -5.0 };
            world
                .joint_mut(axle)
                .unwrap()
                .set_motor(Some(JointMotor { speed, max: 20.0 }))
                .unwrap();
            world.step(DT).unwrap();
            turning.follow(&world);
            let place = world.body(rack).unwrap().position().to_vec2() - start;
            let slid = place.dot(Rot::from_angle(angle).rotate(Vec2::X));
            farthest = farthest.max(slid.abs());
            let off = slid - radius * turning.angle as f32;
            assert!(
                off.abs() < 0.001 * farthest + 0.01 * radius.abs(),
                "step {step}: {off} off"
            );
        }
        let place = world.body(rack).unwrap().position().to_vec2() - start;
        let slid = place.dot(Rot::from_angle(angle).rotate(Vec2::X));
        close(slid, radius * turning.angle as f32, 0.001, "how far it slid");
        assert!(slid.abs() > 10.0 * radius.abs());
        assert!(world.joint(teeth).unwrap().linear_error() < 0.01);
    }
}

#[test]
fn teeth_push_and_turn_both_bodies_alike() {
    // A pinion and a rack in free space that nothing guides: what the one gets the other loses.
    let mut world = world(0.0);
    let pinion = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    let rack = square(&mut world, &BodyDef::dynamic(0.0, -0.5), 0.3);
    let def = RackDef {
        radius: 0.5,
        ..RackDef::new(pinion, Vec2::ZERO, rack, Vec2::ZERO)
    };
    joint(&mut world, def);
    world.body_mut(pinion).unwrap().set_angular_velocity(6.0).unwrap();
    let momentum = |world: &PhysicsWorld| {
        [pinion, rack].map(|body| world.body(body).unwrap()).iter().fold(
            (Vec2::ZERO, 0.0),
            |(linear, angular), body| {
                let velocity = body.mass() * body.linear_velocity();
                let place = body.center_of_mass().to_vec2();
                let spin = body.inertia() * body.angular_velocity();
                (linear + velocity, angular + place.perp_dot(velocity) + spin)
            },
        )
    };
    let before = momentum(&world);
    sampled(&mut world, 1, |_| 0.0);
    let rack_speed = world.body(rack).unwrap().linear_velocity().x;
    assert!(rack_speed > 0.1, "it is pushed to the right: {rack_speed}");
    sampled(&mut world, 20, |_| 0.0);
    let after = momentum(&world);
    assert!(
        (after.0 - before.0).length() < 1.0e-4,
        "{after:?}, not {before:?}"
    );
    close(after.1, before.1, 0.01, "the angular momentum");
}

/// Two loads of a kilogram on a rope over points ten meters above them.
fn lift(world: &mut PhysicsWorld, ratio: f32) -> ([BodyId; 2], JointId) {
    let loads = [0.0, 4.0].map(|x| {
        let def = BodyDef {
            fixed_rotation: true,
            ..BodyDef::dynamic(x, 0.0)
        };
        square(world, &def, 0.5)
    });
    let def = PulleyDef {
        ratio,
        ground_anchor_a: Vec2::new(0.0, 10.0),
        ground_anchor_b: Vec2::new(4.0, 10.0),
        length_a: 10.0,
        length_b: 10.0,
        ..PulleyDef::new(loads[0], Vec2::ZERO, loads[1], Vec2::ZERO)
    };
    let id = joint(world, def);
    (loads, id)
}

#[test]
fn loads_on_a_pulley_accelerate_as_their_weights_and_the_ratio_say() {
    // One kilogram on each end: the tension is such that the lengths keep the ratio.
    for ratio in [0.5_f32, 1.0, 2.0] {
        let mut world = world(GRAVITY);
        let ([a, b], id) = lift(&mut world, ratio);
        sampled(&mut world, 60, |_| 0.0);
        let tension = GRAVITY * (1.0 + ratio) / (1.0 + ratio * ratio);
        let [up_a, up_b] = [a, b].map(|body| world.body(body).unwrap().linear_velocity().y);
        for (up, wanted) in [(up_a, tension - GRAVITY), (up_b, ratio * tension - GRAVITY)] {
            assert!(
                (up - wanted).abs() < 0.01 * GRAVITY,
                "ratio {ratio}: {up} m/s, not {wanted}"
            );
        }
        close(
            world.joint(id).unwrap().force().y,
            ratio * tension,
            0.005,
            "the force on the second",
        );
    }
}

#[test]
fn pulleys_keep_their_ratio_over_a_minute() {
    for ratio in [0.5, 1.0, 3.0] {
        let mut world = world(GRAVITY);
        let ([a, b], id) = lift(&mut world, ratio);
        let post = ground(&mut world);
        let guide = PrismaticDef {
            local_angle_a: FRAC_PI_2,
            local_angle_b: FRAC_PI_2,
            ..PrismaticDef::new(post, Vec2::ZERO, a, Vec2::ZERO)
        };
        let winch = joint(&mut world, guide);
        let mut farthest = 0.0_f32;
        for step in 0..MINUTE {
            // So smoothly that the rope stays taut.
            let speed = -libm::sinf(TAU / 10.0 * DT * step as f32);
            world
                .joint_mut(winch)
                .unwrap()
                .set_motor(Some(JointMotor { speed, max: 500.0 }))
                .unwrap();
            world.step(DT).unwrap();
            let [down_a, down_b] = [a, b].map(|body| -world.body(body).unwrap().position().y);
            farthest = farthest.max(down_a.abs());
            let off = down_a + ratio * down_b;
            assert!(
                off.abs() < 0.001 * farthest + 0.001,
                "ratio {ratio}, step {step}: {off} m off"
            );
            if step % 600 == 299 {
                close(-down_a / down_b, ratio, 0.001, "the ratio where it turns");
            }
        }
        assert!(farthest > 2.0, "{farthest}");
        assert!(world.joint(id).unwrap().linear_error() < 0.01);
    }
}

#[test]
fn a_rope_over_pulleys_hangs_slack_and_goes_taut_without_a_bounce() {
    for slack in [true, false] {
        let mut world = world(GRAVITY);
        let ([a, b], id) = lift(&mut world, 1.0);
        let tombolo_physics::JointDef::Pulley(def) = world.joint(id).unwrap().def() else {
            panic!("it was made as one");
        };
        world
            .joint_mut(id)
            .unwrap()
            .set_def(PulleyDef { slack, ..def })
            .unwrap();
        // Both are thrown up.
        for body in [a, b] {
            let up = Vec2::new(0.0, 2.0);
            world.body_mut(body).unwrap().set_linear_velocity(up).unwrap();
        }
        world.step(DT).unwrap();
        let highest = world.body(a).unwrap().linear_velocity().y;
        assert_eq!(highest > 1.0, slack, "{highest} m/s");
        sampled(&mut world, 120, |_| 0.0);
        for body in [a, b] {
            let body = world.body(body).unwrap();
            assert!(body.position().y.abs() < 0.02, "{}", body.position().y);
            assert!(
                body.linear_velocity().length() < 0.05,
                "{}",
                body.linear_velocity()
            );
        }
    }
}

#[test]
fn a_swinging_load_on_a_pulley_keeps_its_energy_nearly() {
    // A rope over one point: the other end is held, so that the load is a pendulum.
    let mut world = world(GRAVITY);
    let post = ground(&mut world);
    let start = Rot::from_angle(0.1).rotate(Vec2::new(0.0, -4.0));
    let bob = BodyDef {
        fixed_rotation: true,
        ..BodyDef::dynamic(start.x, start.y)
    };
    let bob = square(&mut world, &bob, 0.2);
    let def = PulleyDef {
        ground_anchor_a: Vec2::ZERO,
        ground_anchor_b: Vec2::new(1.0, 0.0),
        length_a: 4.0,
        length_b: 1.0,
        ..PulleyDef::new(bob, Vec2::ZERO, post, Vec2::ZERO)
    };
    joint(&mut world, def);
    let samples = sampled(&mut world, 1200, |world| world.body(bob).unwrap().position().x);
    let crossings: Vec<usize> = (1..samples.len())
        .filter(|&i| samples[i - 1] < 0.0 && samples[i] >= 0.0)
        .collect();
    let period = (crossings[crossings.len() - 1] - crossings[0]) as f32 * DT / (crossings.len() - 1) as f32;
    close(period, TAU * (4.0_f32 / GRAVITY).sqrt(), 0.01, "the period");
    let last = samples[samples.len() - 240..]
        .iter()
        .fold(0.0_f32, |most, x| most.max(x.abs()));
    close(last, 0.4, 0.05, "how far it swings at last");
}

#[test]
fn a_gear_or_rack_that_is_put_in_again_begins_without_drift() {
    let mut world = world(0.0);
    let ([pinion, rack], [_, teeth]) = pinion_and_rack(&mut world, 0.0, 0.5);
    sampled(&mut world, 10, |_| 0.0);
    // Another point: the rack stays where it is.
    world
        .joint_mut(teeth)
        .unwrap()
        .set_anchors(Vec2::ZERO, Vec2::new(0.3, 0.0))
        .unwrap();
    assert!(world.joint(teeth).unwrap().linear_error() < 1.0e-6);
    sampled(&mut world, 30, |_| 0.0);
    for body in [pinion, rack] {
        assert!(world.body(body).unwrap().linear_velocity().length() < 1.0e-3);
    }
}
