//! Whoever changes how numbers are rounded, a step and the calls between steps give the same bits.
#![allow(unsafe_code)]

use tombolo::World;
use tombolo::entity::Value;
use tombolo::physics::{Position, Vec2};
use tombolo::threads::Executor;
use tombolo_geometry::Pose;

use crate::agents::maze;
use crate::{BUSY, world_of};

/// Rounds towards zero and flushes tiny numbers.
const ODD: u32 = (0b11 << 13) | (1 << 15) | (1 << 6);

/// A cart with a lamp in a frame that is turned against it.
const FAMILY: &str = r#"(
    entities: {
        "lamp": {"look": Sprite(image: "lamp.png")},
        "cart": {
            "body": Body(kind: Dynamic),
            "bed": Collider(shape: Box(width: 3, height: 0.5)),
            "lamp": Child(entity: "lamp", at: (1.3, 0.7), angle: 0.7),
        },
    },
    place: [One(name: "cart", entity: "cart", at: (0.1, 3))],
)"#;

/// One worker, whose thread rounds oddly.
struct Odd;

impl Executor for Odd {
    fn worker_count(&self) -> usize {
        1
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let before = control_register();
        set_control_register(before | ODD);
        task(0);
        set_control_register(before);
    }
}

/// Steps and calls; all that is kept of them.
fn run(mut world: World, wanderer: &str, executor: &dyn Executor) -> (Vec<u8>, String) {
    let wanderer = world.find(wanderer).unwrap();
    let mut told = String::new();
    for round in 0..6_u8 {
        for _ in 0..20 {
            world.step_with(executor);
        }
        // What the test computes itself needs no rounding.
        let part = 0.125 * f32::from(round);
        let pose = Pose::new(Vec2::new(part, 1.3), 0.0);
        world.teleport(wanderer, pose).unwrap();
        world.set(wanderer, "transform.angle", Value::F32(0.7)).unwrap();
        world.update_space();
        let path = world.find_path(Vec2::new(-9.7, -9.3), Vec2::new(10.1, 9.9), 0.25 + part);
        told += &format!("{path:?} {:?}\n", world.space().entities().collect::<Vec<_>>());
        // A small circle, whose mass and box would come out otherwise, and its pieces.
        let name = format!("made {round}");
        let made = world.create(Some(&name)).unwrap();
        let pose = Pose::new(Vec2::new(0.125 + part, 30.75), 0.0);
        world.teleport(made, pose).unwrap();
        for (manager, name) in [("Body", "body"), ("Collider", "skin")] {
            world.add_component(made, manager, name).unwrap();
        }
        for (property, number) in [("radius", 0.137), ("density", 0.77)] {
            let set = world.set(made, &format!("skin.{property}"), Value::F32(number));
            told += &format!("{set:?}\n");
        }
        world.add_component(made, "Sprite", "look").unwrap();
        let cut = world.slice(
            made,
            Position::new(0.125 + part, 30.25),
            Position::new(0.1875 + part, 31.25),
        );
        told += &format!("{:?}\n", cut.map(|cut| cut.map(|cut| cut.pieces)));
        world.remove_component(made, "look").unwrap();
    }
    (world.save(), told)
}

#[test]
fn steps_and_calls_do_not_depend_on_the_float_environment() {
    for (world, wanderer) in [(maze(), "pillar[2,1]"), (world_of(BUSY), "cloud[1]")] {
        let expected = run(world.clone(), wanderer, &tombolo::threads::Inline);
        let clean = control_register();
        let copy = world.clone();
        set_control_register(clean | ODD);
        let found = run(copy, wanderer, &tombolo::threads::Inline);
        let after = control_register();
        set_control_register(clean);
        assert!(found == expected, "{wanderer}: called");
        assert_eq!(after & ODD, ODD);
        assert!(run(world, wanderer, &Odd) == expected, "{wanderer}: worked on");
    }
}

/// Entities that follow what was done through physics: parents turned by angles that no rounding leaves alone.
#[test]
fn hashes_of_a_world_that_is_not_synchronized_do_not_depend_on_the_float_environment() {
    let mut world = world_of(FAMILY);
    world.step();
    let cart = world.body_of(world.find("cart").unwrap()).unwrap();
    for round in 0..20_u8 {
        let angle = 0.3 * f32::from(round);
        let mut body = world.physics_mut().body_mut(cart).unwrap();
        body.teleport(Pose::new(Vec2::new(angle, 1.1), angle)).unwrap();
        let frame = world.frame();
        let expected = [world.state_hash(), frame.checksum()];
        let clean = control_register();
        set_control_register(clean | ODD);
        let found = [world.state_hash(), frame.checksum()];
        set_control_register(clean);
        assert_eq!(found, expected, "round {round}");
    }
}

fn control_register() -> u32 {
    let mut register = 0_u32;
    // SAFETY: writes the control register to the four bytes of `register`.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
    register
}

fn set_control_register(register: u32) {
    // SAFETY: the value was read before, with bits of rounding and flushing changed only; no exception is unmasked.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &register, options(nostack, preserves_flags)) };
}
