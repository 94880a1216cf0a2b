//! Corners of the contract: bad numbers that a check must stop, what is told of bodies that a call moves, what a panic
//! leaves behind, and whose float environment counts.
#![allow(unsafe_code)]

use crate::world_support::DT;
use crate::world_support::worlds::{add_box, add_floor, empty};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tombolo_geometry::{Pose, Rot};
use tombolo_physics::{
    BodyDef, BodyId, Motion, PhysicsError, PhysicsWorld, Position, QueryFilter, RevoluteDef, Shape, ShapeDef,
    Vec2, WorldDef,
};
use tombolo_threads::Executor;

/// A floor and two boxes on it, at rest and awake.
fn pile() -> (PhysicsWorld, [BodyId; 2]) {
    let mut world = empty();
    add_floor(&mut world);
    let boxes = [0.5, 1.5].map(|y| add_box(&mut world, 0.0, y));
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    (world, boxes)
}

fn names(result: Result<(), PhysicsError>, name: &str) {
    let Err(PhysicsError::InvalidNumber { what, .. }) = result else {
        panic!("{name} is refused, not {result:?}");
    };
    assert_eq!(what, name);
}

#[test]
fn springs_out_of_range_are_refused_and_the_stiffest_stay_finite() {
    let (mut world, [lower, upper]) = pile();
    let def = RevoluteDef {
        enable_spring: true,
        ..RevoluteDef::new(lower, Vec2::new(0.0, 0.5), upper, Vec2::new(0.0, -0.5))
    };
    for hertz in [f32::MAX, 1.0e20, 10_001.0, 1.0e-30, -1.0, f32::NAN] {
        let bad = RevoluteDef {
            spring_hertz: hertz,
            ..def.clone()
        };
        names(world.create_joint(bad).map(|_| ()), "spring_hertz");
        let bad = WorldDef {
            contact_hertz: hertz,
            ..WorldDef::default()
        };
        names(PhysicsWorld::new(&bad).map(|_| ()), "contact_hertz");
        names(world.set_contact_softness(hertz, 1.0, 3.0), "contact_hertz");
    }
    names(
        world.set_contact_softness(30.0, 1.0e30, 3.0),
        "contact_damping_ratio",
    );
    for (hertz, damping_ratio) in [(1.0e4, 1.0e3), (1.0e4, 0.0), (1.0e-3, 0.0), (0.0, 0.0)] {
        let joint = world
            .create_joint(RevoluteDef {
                spring_hertz: hertz,
                spring_damping_ratio: damping_ratio,
                constraint_hertz: hertz,
                constraint_damping_ratio: damping_ratio,
                ..def.clone()
            })
            .unwrap();
        world.set_contact_softness(hertz, damping_ratio, 3.0).unwrap();
        for dt in [1.0e-6, DT, 1.0] {
            world.step(dt).unwrap();
            assert!(
                world.events().frozen().is_empty(),
                "{hertz} Hz, {damping_ratio}, {dt} s"
            );
        }
        world.destroy_joint(joint).unwrap();
    }
}

#[test]
fn steps_too_short_to_compute_are_refused() {
    let (mut world, _) = pile();
    let before = world.state_hash();
    for dt in [1.0e-40, 1.0e-7, -DT, f32::NAN, 1.5] {
        names(world.step(dt), "dt");
    }
    assert_eq!(world.state_hash(), before);
    world.step(0.0).unwrap();
}

#[test]
fn query_poses_need_a_rotation() {
    let (world, _) = pile();
    let shape = Shape::new_box(0.4, 0.4).unwrap();
    for rotation in [
        Rot { cos: 0.0, sin: 0.0 },
        Rot { cos: 3.0, sin: 4.0 },
        Rot {
            cos: f32::NAN,
            sin: 1.0,
        },
    ] {
        let pose = Pose {
            position: Vec2::new(0.0, 0.5),
            rotation,
        };
        let filter = QueryFilter::default();
        names(world.overlap_shape(&shape, pose, filter).map(|_| ()), "rotation");
        names(
            world
                .cast_shape(&shape, Motion::line(pose, Vec2::X), filter)
                .map(|_| ()),
            "rotation",
        );
    }
}

#[test]
fn moving_a_body_that_is_awake_is_not_reported_as_waking() {
    let (mut world, [lower, upper]) = pile();
    world
        .body_mut(upper)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 1.6), 0.0))
        .unwrap();
    world.step(DT).unwrap();
    assert!(!world.events().woke().contains(&upper) && !world.events().woke().contains(&lower));

    while [lower, upper]
        .iter()
        .any(|&body| world.body(body).unwrap().is_awake())
    {
        world.step(DT).unwrap();
    }
    world
        .body_mut(upper)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 1.6), 0.0))
        .unwrap();
    world.step(DT).unwrap();
    let told = |body| {
        world
            .events()
            .woke()
            .iter()
            .filter(|&&woken| woken == body)
            .count()
    };
    assert_eq!(
        (told(upper), told(lower)),
        (1, 1),
        "it slept, and so did what it lay on"
    );
}

#[test]
fn a_body_taken_out_of_the_simulation_did_not_fall_asleep() {
    let (mut world, [_, upper]) = pile();
    world.body_mut(upper).unwrap().set_enabled(false);
    world.step(DT).unwrap();
    assert!(world.events().fell_asleep().is_empty());
    assert!(world.events().moved().iter().all(|moved| moved.body != upper));
}

/// Panics when the world is in the middle of a step.
struct Breaks;

impl Executor for Breaks {
    fn worker_count(&self) -> usize {
        2
    }

    fn run(&self, _task: &(dyn Fn(usize) + Sync)) {
        panic!("the executor breaks");
    }
}

#[test]
fn a_world_is_whole_again_after_a_panic_once_it_is_restored() {
    let mut world = empty();
    add_floor(&mut world);
    for index in 0..400 {
        add_box(&mut world, (index % 20) as f32, 0.5 + (index / 20) as f32);
    }
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    let mut expected = world.clone();
    let save = world.save();
    let broke = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, &Breaks)));
    assert!(broke.is_err());
    world.restore(&save).unwrap();
    for _ in 0..5 {
        world.step(DT).unwrap();
        expected.step(DT).unwrap();
        assert_eq!(world.state_hash(), expected.state_hash());
    }
}

#[test]
fn the_count_of_bouncing_shapes_follows_every_change() {
    let mut world = empty();
    add_floor(&mut world);
    let body = world.create_body(&BodyDef::dynamic(0.0, 2.0)).unwrap();
    let def = ShapeDef {
        restitution: 0.9,
        ..ShapeDef::default()
    };
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let shape = world.create_shape(body, &def, &ball).unwrap();
    let other = world.create_shape(body, &def, &ball).unwrap();
    // A save is refused if the count it holds is wrong.
    let check = |world: &PhysicsWorld| PhysicsWorld::from_save(&world.save()).map(|_| ()).unwrap();
    check(&world);
    world.destroy_shape(other).unwrap();
    world.shape_mut(shape).unwrap().set_material(0.5, 0.0).unwrap();
    check(&world);
    world.shape_mut(shape).unwrap().set_material(0.5, 0.9).unwrap();
    check(&world);
    let highest_after_landing = (0..120)
        .map(|_| {
            world.step(DT).unwrap();
            world.body(body).unwrap().linear_velocity().y
        })
        .fold(0.0, f32::max);
    assert!(
        highest_after_landing > 1.0,
        "it still bounces: {highest_after_landing}"
    );
    world.destroy_body(body).unwrap();
    check(&world);
}

/// Everything that computes between steps, in an environment that rounds towards zero and flushes tiny numbers, gives the
/// bits of the usual one, and leaves the environment as it found it.
#[test]
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn calls_between_steps_do_not_depend_on_the_float_environment() {
    // Making a shape or a pose is the caller's own arithmetic.
    let triangle = [(0.0, 0.0), (0.7, 0.1), (0.2, 0.9)].map(|(x, y)| Vec2::new(x, y));
    let triangle = Shape::polygon(&triangle, 0.05).unwrap();
    let pose = Pose::new(Vec2::new(0.1, 1.7), 0.3);
    let run = || {
        let (mut world, [lower, upper]) = pile();
        world.body_mut(upper).unwrap().teleport(pose).unwrap();
        let mut body = world.body_mut(lower).unwrap();
        body.apply_impulse_at(Vec2::new(0.3, 0.7), Position::new(0.1, 0.7))
            .unwrap();
        body.apply_angular_impulse(1.0e-7).unwrap();
        let mut tilted = world.body_mut(upper).unwrap();
        tilted.apply_local_impulse(Vec2::new(0.1, 0.7)).unwrap();
        tilted
            .apply_local_impulse_at(Vec2::new(0.3, 0.1), Vec2::new(0.7, 0.1))
            .unwrap();
        tilted.apply_local_force(Vec2::new(0.7, 0.3)).unwrap();
        tilted
            .apply_local_force_at(Vec2::new(-0.3, 0.9), Vec2::new(0.1, 0.7))
            .unwrap();
        world
            .create_shape(upper, &ShapeDef::default(), &triangle)
            .unwrap();
        world
            .create_joint(RevoluteDef::new(
                lower,
                Vec2::new(0.1, 0.3),
                upper,
                Vec2::new(0.7, -0.3),
            ))
            .unwrap();
        let hit = world
            .cast_ray(
                Position::new(-3.0, 0.4),
                Vec2::new(7.0, 0.3),
                QueryFilter::default(),
            )
            .unwrap();
        world.step(DT).unwrap();
        (world.state_hash(), format!("{hit:?}"))
    };
    let expected = run();
    let clean = control_register();
    set_control_register(clean | (0b11 << 13) | (1 << 15) | (1 << 6));
    let found = catch_unwind(run);
    let after = control_register();
    set_control_register(clean);
    assert_eq!(found.expect("the calls are the same"), expected);
    let modes = !0x3f;
    assert_eq!(
        after & modes,
        (clean | (0b11 << 13) | (1 << 15) | (1 << 6)) & modes
    );
}

#[cfg(target_arch = "x86_64")]
fn control_register() -> u32 {
    let mut register = 0_u32;
    // SAFETY: writes the control register to the four bytes of `register`.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
    register
}

#[cfg(target_arch = "x86_64")]
fn set_control_register(register: u32) {
    // SAFETY: the value was read before, with bits of rounding and flushing changed only; no exception is unmasked.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &register, options(nostack, preserves_flags)) };
}
