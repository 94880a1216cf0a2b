//! Steps from real time: none is lost, none is too many; what is drawn moves evenly, jumps where calls put it, and a world
//! does not know how it was drawn.

use core::time::Duration;

use tombolo::component::{Collider, ShapeGeometry};
use tombolo::entity::{Entity, Value};
use tombolo::geometry::{Pose, Rot, Vec2};
use tombolo::physics::{BodyDef, ShapeDef};
use tombolo::{Command, Settings, Stepper, World};

fn world(steps_per_second: u32) -> World {
    let settings = Settings {
        gravity: Vec2::ZERO,
        steps_per_second,
        ..Settings::default()
    };
    World::new(&settings).unwrap()
}

fn disk() -> [Collider; 1] {
    [Collider::new(ShapeDef::default(), ShapeGeometry::default())]
}

/// A disk that moves at 3 m/s and turns at 5 rad/s, for ever.
fn mover(world: &mut World) -> Entity {
    let def = BodyDef {
        linear_velocity: Vec2::new(3.0, 0.0),
        angular_velocity: 5.0,
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    world.spawn_body(None, &def, &disk()).unwrap()
}

/// A second's frames of a display, whole nanoseconds that sum up to the second.
fn frames(hertz: u64) -> impl Iterator<Item = Duration> {
    let at = move |frame: u64| frame * 1_000_000_000 / hertz;
    (0..hertz).map(move |frame| Duration::from_nanos(at(frame + 1) - at(frame)))
}

#[test]
fn an_hour_of_frames_is_an_hour_of_steps() {
    for (steps_per_second, hertz) in [(60, 144), (64, 60), (7, 240), (120, 30), (10_000, 2_000)] {
        let mut world = world(steps_per_second);
        let mut stepper = Stepper::new();
        let expected = steps_per_second as f32 / hertz as f32;
        let mut steps = 0_u64;
        // A step that does nothing: only how many are asked for counts here.
        for _ in 0..3_600 {
            for frame in frames(hertz) {
                let made = stepper.advance(&mut world, frame, |_| ());
                assert!(
                    (made as f32 - expected).abs() <= 1.0,
                    "{made} of {expected} in a frame"
                );
                steps += u64::from(made);
            }
        }
        assert_eq!(steps, 3_600 * u64::from(steps_per_second));
        assert_eq!(stepper.dropped(), Duration::ZERO);
        assert_eq!(stepper.fraction(), 0.0);
    }
}

#[test]
fn a_long_gap_is_dropped_but_for_what_may_be_caught_up_with() {
    let mut world = world(60);
    let mut stepper = Stepper::new();
    stepper.set_catch_up_max(5);
    assert_eq!(
        stepper.advance(&mut world, Duration::from_millis(1_010), World::step),
        5
    );
    assert_eq!(
        stepper.dropped(),
        Duration::from_secs(1) - Duration::from_nanos(83_333_334)
    );
    assert!((stepper.fraction() - 0.6).abs() < 1e-6, "10 ms of 16.7 wait");
    assert_eq!(
        stepper.advance(&mut world, Duration::from_millis(7), World::step),
        1
    );
    stepper.set_catch_up_max(0);
    assert_eq!(
        stepper.advance(&mut world, Duration::from_secs(9), World::step),
        1,
        "at least one"
    );
    let most = Duration::MAX;
    stepper.set_speed(f32::INFINITY);
    for _ in 0..3 {
        assert_eq!(stepper.advance(&mut world, most, World::step), 1);
    }
    assert!((0.0..1.0).contains(&stepper.fraction()));
}

#[test]
fn a_world_goes_slower_faster_and_not_at_all() {
    for (speed, expected) in [
        (0.0, 0),
        (0.25, 15),
        (1.0, 60),
        (3.0, 180),
        (-1.0, 0),
        (f32::NAN, 0),
    ] {
        let mut world = world(60);
        let mut stepper = Stepper::new();
        stepper.set_speed(speed);
        let steps: u32 = frames(100)
            .map(|frame| stepper.advance(&mut world, frame, World::step))
            .sum();
        // Scaled nanoseconds are rounded down: the last step may wait for one more.
        assert!(
            expected - steps <= u32::from(speed == 0.25 || speed == 3.0),
            "{speed}: {steps}"
        );
    }
}

#[test]
fn what_is_drawn_moves_evenly() {
    for hertz in [60, 144] {
        let mut world = world(64);
        let mover = mover(&mut world);
        let mut stepper = Stepper::new();
        let mut last: Option<Pose> = None;
        for (number, frame) in (0..2).flat_map(|_| frames(hertz)).enumerate() {
            stepper.advance(&mut world, frame, World::step);
            let drawn = stepper.pose(&world, mover).unwrap();
            // The first steps fill the two poses.
            if let Some(last) = last.filter(|_| number > 6) {
                let way = drawn.position.x - last.position.x;
                let expected = 3.0 * frame.as_secs_f32();
                assert!(
                    (way / expected - 1.0).abs() < 0.01,
                    "{hertz} Hz, frame {number}: {way}"
                );
                let turn = last.rotation.unrotate(drawn.rotation.rotate(Vec2::X));
                let turn = Rot {
                    cos: turn.x,
                    sin: turn.y,
                }
                .angle()
                    / (5.0 * frame.as_secs_f32());
                assert!((turn - 1.0).abs() < 0.01, "{hertz} Hz, frame {number}: {turn}");
            }
            last = Some(drawn);
        }
    }
}

#[test]
fn a_body_at_rest_begins_to_move_where_it_was_drawn() {
    let mut world = world(60);
    let def = BodyDef::dynamic(2.0, 0.0);
    let rests = world.spawn_body(None, &def, &disk()).unwrap();
    let mut stepper = Stepper::new();
    let step = Duration::from_nanos(16_666_667);
    for _ in 0..90 {
        stepper.advance(&mut world, step, World::step);
    }
    let body = world.body_of(rests).unwrap();
    let mut pushed = world.physics_mut().body_mut(body).unwrap();
    pushed.set_linear_velocity(Vec2::new(6.0, 0.0)).unwrap();
    stepper.advance(&mut world, step + step / 4, World::step);
    let drawn = stepper.pose(&world, rests).unwrap().position.x;
    assert!((2.02..2.03).contains(&drawn), "a quarter of 0.1 m: {drawn}");
}

#[test]
fn what_a_call_has_moved_is_there_at_once() {
    let mut world = world(60);
    let mover = mover(&mut world);
    let mut stepper = Stepper::new();
    let half = Duration::from_millis(25);
    stepper.advance(&mut world, half, World::step);
    let there = Pose::new(Vec2::new(50.0, 9.0), 1.0);
    world.teleport(mover, there).unwrap();
    assert_eq!(stepper.pose(&world, mover), Some(there), "before the next step");
    stepper.advance(&mut world, half, World::step);
    let drawn = stepper.pose(&world, mover).unwrap().position;
    assert!(drawn.x >= 50.0 && drawn.y == 9.0, "{drawn}");
    // One that comes in the place of another begins where it is.
    assert_eq!(world.despawn(mover), Ok(()));
    assert_eq!(stepper.pose(&world, mover), None);
    let second = world
        .spawn_body(None, &BodyDef::dynamic(-7.0, 0.0), &disk())
        .unwrap();
    assert_eq!(second.index(), mover.index());
    stepper.advance(&mut world, half, World::step);
    assert_eq!(
        stepper.pose(&world, second).unwrap().position,
        Vec2::new(-7.0, 0.0)
    );
    // A world that was put back is drawn as it is.
    let save = world.save();
    let third = self::mover(&mut world);
    stepper.advance(&mut world, half * 4, World::step);
    world.restore(&save).unwrap();
    stepper.reset();
    assert_eq!(stepper.pose(&world, third), None);
    assert_eq!(stepper.pose(&world, second), world.pose(second));
}

#[test]
fn what_is_teleported_within_a_step_is_there_at_once() {
    let there = Pose::new(Vec2::new(50.0, 9.0), 1.0);
    // Before the step of the world, after it, and by a command within it; in the first and the second step of a frame.
    for (way, in_step) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
        let mut world = world(60);
        let mover = mover(&mut world);
        let sender = world.inbox(1);
        let mut stepper = Stepper::new();
        stepper.advance(&mut world, Duration::from_millis(25), World::step);
        let mut made = 0;
        stepper.advance(&mut world, Duration::from_millis(33), |world| {
            let is_now = made == in_step;
            if is_now && way == 0 {
                world.teleport(mover, there).unwrap();
            }
            if is_now && way == 2 {
                let command = Command::Teleport {
                    entity: mover.into(),
                    pose: there,
                };
                sender.send(command).unwrap();
            }
            world.step();
            if is_now && way == 1 {
                world.teleport(mover, there).unwrap();
            }
            made += 1;
        });
        assert_eq!(made, 2);
        let drawn = stepper.pose(&world, mover).unwrap().position;
        assert!(
            drawn.x >= 50.0 && drawn.y == 9.0,
            "{way}, step {in_step}: {drawn}"
        );
        // From there on it moves evenly, after a step that it was teleported before.
        stepper.advance(&mut world, Duration::from_millis(34), World::step);
        let (drawn, now) = (stepper.pose(&world, mover).unwrap(), world.pose(mover).unwrap());
        assert!(drawn.position.x < now.position.x, "{way}, step {in_step}");
    }
    // What sets a position in each step moves evenly.
    let mut world = world(60);
    let mover = mover(&mut world);
    let mut stepper = Stepper::new();
    let mut x = 0.0;
    for _ in 0..4 {
        stepper.advance(&mut world, Duration::from_millis(25), |world| {
            x += 1.0;
            world
                .set(mover, "transform.position", Value::Vec2(Vec2::new(x, 0.0)))
                .unwrap();
            world.step();
        });
    }
    let (drawn, now) = (stepper.pose(&world, mover).unwrap(), world.pose(mover).unwrap());
    let behind = now.position.x - drawn.position.x;
    assert!((behind - 1.0 + stepper.fraction()).abs() < 0.01, "{behind}");
}

#[test]
fn a_world_does_not_know_at_what_rate_it_was_drawn() {
    let hash = |hertz: u64| {
        let mut world = world(60);
        let mover = mover(&mut world);
        let mut stepper = Stepper::new();
        for frame in frames(hertz) {
            stepper.advance(&mut world, frame, World::step);
            stepper.pose(&world, mover).unwrap();
        }
        world.state_hash()
    };
    let hashes = [30, 60, 144, 1_000].map(hash);
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_fraction_is_below_one_and_dropped_time_is_real_time() {
    for (rate, nanoseconds) in [(60, 33_333_333), (1, 999_999_999), (60, 16_666_666)] {
        let mut world = world(rate);
        let mut stepper = Stepper::new();
        stepper.advance(&mut world, Duration::from_nanos(nanoseconds), |world| {
            world.step()
        });
        let fraction = stepper.fraction();
        assert!(fraction > 0.999 && fraction < 1.0, "{fraction}");
    }
    for (speed, steps) in [(1.0, 60.0), (2.0, 120.0), (0.5, 30.0), (3.0, 180.0)] {
        let mut world = world(60);
        let mut stepper = Stepper::new();
        stepper.set_speed(speed);
        let made = stepper.advance(&mut world, Duration::from_secs(1), |world| world.step());
        assert_eq!(made, 8);
        let dropped = stepper.dropped().as_secs_f64();
        assert!(
            (dropped - (1.0 - 8.0 / steps)).abs() < 1.0e-6,
            "{dropped} s at {speed}"
        );
    }
}
