//! Characters and what moves them beside their legs: ground that carries or does not, fluids, velocities that they had before.

use crate::character_support::{STAND, Stage};
use tombolo_physics::{BodyKind, CharacterInput, ContactRule, Position, Shape, Vec2};

const PLATFORM: u32 = 3;
const HERO: u32 = 1;

fn lifted(lift: f32) -> CharacterInput {
    CharacterInput {
        lift,
        drag: 2.0,
        ..CharacterInput::default()
    }
}

/// Rounding of the ground's angle carries nobody.
#[test]
fn who_stands_on_turned_ground_stays_to_the_bit() {
    for angle in [0.0018_f32, 0.1, -0.4] {
        for along in [4.0_f32, -22.0, 280.0, 2900.0] {
            let top = Vec2::new(along * libm::cosf(angle), along * libm::sinf(angle));
            let mut stage = Stage::new(top.x, top.y + 1.5);
            let ground = Shape::new_box(6000.0, 1.0).unwrap();
            let below = -0.5 * Vec2::new(-libm::sinf(angle), libm::cosf(angle));
            stage.body(BodyKind::Static, below.x, below.y, angle, &ground);
            for _ in 0..90 {
                stage.walk(0.0);
            }
            assert!(stage.character.is_grounded());
            let place = stage.at();
            for step in 0..300 {
                stage.walk(0.0);
                assert_eq!(stage.at(), place, "angle {angle}, {along} m along, step {step}");
            }
        }
    }
}

/// Half on a platform and half on a ledge beside it, in both orders of creation.
#[test]
fn a_drop_ends_where_a_ledge_holds() {
    for is_platform_first in [true, false] {
        let mut stage = Stage::new(2.0, STAND);
        stage.def.shape = Shape::new_box(0.6, 1.6).unwrap();
        stage.character.position = Position::new(2.0, 0.81);
        stage.def.material = HERO;
        let rule = ContactRule {
            one_way: Some(Vec2::Y),
            ..ContactRule::default()
        };
        stage.world.set_contact_rule(PLATFORM, HERO, rule).unwrap();
        let platform = |stage: &mut Stage| {
            let plate = stage.block(0.0, -0.2, 2.0, 0.0);
            let shape = stage.world.body(plate).unwrap().shapes().next().unwrap().id();
            let mut shape = stage.world.shape_mut(shape).unwrap();
            shape.set_material_number(PLATFORM).unwrap();
        };
        if is_platform_first {
            platform(&mut stage);
        }
        stage.block(2.0, -1.0, 4.0, 0.0);
        if !is_platform_first {
            platform(&mut stage);
        }
        for _ in 0..30 {
            stage.walk(0.0);
        }
        stage.step(CharacterInput {
            drop: true,
            ..CharacterInput::default()
        });
        for _ in 0..30 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded() && !stage.character.is_dropping());
        for _ in 0..40 {
            stage.walk(-2.0);
        }
        assert!(
            stage.at().x < 1.0 && stage.character.is_grounded(),
            "{}",
            stage.at()
        );
        assert!((stage.at().y - 0.8).abs() < 0.02, "fell through: {}", stage.at());
        for _ in 0..5 {
            stage.walk(0.0);
        }
        assert_eq!(stage.character.velocity, Vec2::ZERO, "it stops as on any ground");
    }
}

/// What a fluid lifts rises from the ground by itself, whatever it stands on; what it does not lift stays.
#[test]
fn a_fluid_lifts_who_stands() {
    for is_static in [true, false] {
        for (lift, rises) in [(0.9, false), (1.0, false), (1.02, true), (1.2, true), (3.0, true)] {
            let mut stage = Stage::new(0.0, STAND);
            if is_static {
                stage.block(-5.0, -1.0, 5.0, 0.0);
            } else {
                stage.block(-5.0, -3.0, 5.0, -1.0);
                let plate = Shape::new_box(4.0, 1.0).unwrap();
                stage.body(BodyKind::Dynamic, 0.0, -0.5, 0.0, &plate);
            }
            for _ in 0..30 {
                stage.walk(0.0);
            }
            assert!(stage.character.is_grounded());
            for _ in 0..120 {
                stage.step(lifted(lift));
            }
            assert_eq!(!stage.character.is_grounded(), rises, "lift {lift}");
            // Half of the acceleration that is left, as the drag is 2.
            let wanted = if rises { 5.0 * (lift - 1.0) } else { 0.0 };
            let speed = stage.character.velocity.y;
            assert!(
                (speed - wanted).abs() < 0.05 * wanted.max(0.1),
                "lift {lift}: {speed}"
            );
        }
    }
}

/// Gravity that points away from the ground takes it off.
#[test]
fn gravity_that_turns_takes_who_stands_along() {
    let mut stage = Stage::new(0.0, STAND);
    stage.block(-5.0, -1.0, 5.0, 0.0);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    stage.world.set_gravity(Vec2::new(0.0, 4.0)).unwrap();
    for _ in 0..60 {
        stage.walk(0.0);
    }
    assert!(
        (stage.character.velocity.y - 4.0).abs() < 0.1,
        "{}",
        stage.character.velocity
    );
}

/// The weight of a swimmer on a raft is what the fluid leaves of it.
#[test]
fn lift_lightens_what_a_character_stands_on() {
    let sunk = |lift: f32| {
        let mut stage = Stage::new(0.0, STAND + 1.0);
        let raft = Shape::new_box(4.0, 1.0).unwrap();
        let raft = stage.body(BodyKind::Dynamic, 0.0, 0.5, 0.0, &raft);
        stage
            .world
            .body_mut(raft)
            .unwrap()
            .set_gravity_scale(0.0)
            .unwrap();
        for _ in 0..20 {
            stage.step(lifted(lift));
        }
        -stage.world.body(raft).unwrap().linear_velocity().y
    };
    let (whole, half) = (sunk(0.0), sunk(0.5));
    assert!(
        whole > 0.1 && (half - 0.5 * whole).abs() < 0.1 * whole,
        "{whole}, {half}"
    );
    assert!(sunk(1.0).abs() < 1.0e-3, "{}", sunk(1.0));
}

/// It keeps what carried it, also beyond the speed that it reaches by itself.
#[test]
fn a_jump_off_something_fast_keeps_its_velocity() {
    for (platform, speed_max, jump) in [((60.0, 0.0), 50.0, 5.0), ((0.0, 8.0), 6.0, 5.0)] {
        let mut stage = Stage::new(0.0, STAND);
        stage.def.speed_max = speed_max;
        stage.def.air_acceleration = 0.0;
        let plate = Shape::new_box(200.0, 1.0).unwrap();
        let plate = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &plate);
        let mut body = stage.world.body_mut(plate).unwrap();
        body.set_linear_velocity(Vec2::from(platform)).unwrap();
        // A second until it stands still on it.
        for _ in 0..90 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded());
        stage.step(CharacterInput {
            jump,
            ..CharacterInput::default()
        });
        assert!(!stage.character.is_grounded());
        let over = |stage: &Stage| stage.at() - stage.world.body(plate).unwrap().position().to_vec2();
        let before = over(&stage);
        for _ in 0..12 {
            stage.walk(0.0);
        }
        let gained = over(&stage) - before;
        assert!(gained.x.abs() < 0.01 && gained.y > 0.3, "{gained}");
        // In the air it comes to no more than it had.
        assert!(stage.character.velocity.length() < Vec2::from(platform).length() + jump);
    }
}

/// Numbers of ground whose origin is far away are those of no character: it is not held, and goes on being moved.
#[test]
fn far_ground_that_is_turned_leaves_every_state_valid() {
    let mut stage = Stage::new(80_000.0, 80_001.0);
    let plane = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    stage.body(BodyKind::Static, 0.0, 0.0, std::f32::consts::FRAC_PI_4, &plane);
    for _ in 0..60 {
        stage.walk(1.0);
        stage.character.validate().unwrap();
    }
}

/// A limit of slopes at 0 lets it walk on level ground, however its normal is rounded.
#[test]
fn level_ground_is_no_slope() {
    for place in [0.0_f32, 0.1, 0.37, 3.3, 7.9] {
        let mut stage = Stage::new(place, STAND);
        stage.def.slope_max = 0.0;
        let ground = Shape::new_box(40.0, 1.0).unwrap();
        stage.body(BodyKind::Static, 0.0, -0.5, 3.0e-8, &ground);
        for _ in 0..20 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded());
        let start = stage.at().x;
        for _ in 0..60 {
            stage.walk(2.0);
        }
        assert!(stage.at().x > start + 1.5, "{}", stage.at());
    }
}

/// The speed that it reaches by itself bounds its jump too, beside what carries it.
#[test]
fn the_greatest_speed_bounds_a_jump() {
    for (lift, speed_max, jump, wanted) in [(0.0, 3.0, 8.0, 3.0), (1.0, 3.0, 8.0, 4.0), (0.0, 50.0, 5.0, 5.0)]
    {
        let mut stage = Stage::new(0.0, STAND);
        stage.def.speed_max = speed_max;
        let plate = Shape::new_box(20.0, 1.0).unwrap();
        let plate = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &plate);
        let mut body = stage.world.body_mut(plate).unwrap();
        body.set_linear_velocity(Vec2::new(0.0, lift)).unwrap();
        for _ in 0..10 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded());
        stage.step(CharacterInput {
            jump,
            ..CharacterInput::default()
        });
        // The first step of gravity is in it.
        let speed = stage.character.velocity.y;
        assert!(
            speed <= wanted && speed > wanted - 0.2,
            "{speed}, wanted {wanted}"
        );
    }
}

/// Rows of tiles that are one way: a drop over a seam goes on where the foot touches the next tile.
#[test]
fn a_drop_over_a_seam_of_platforms_goes_on() {
    let fallen = |x: f32| {
        let mut stage = Stage::new(x, STAND);
        stage.def.material = HERO;
        let rule = ContactRule {
            one_way: Some(Vec2::Y),
            ..ContactRule::default()
        };
        stage.world.set_contact_rule(PLATFORM, HERO, rule).unwrap();
        for column in -3..3 {
            let left = column as f32;
            let tile = stage.block(left, -0.2, left + 1.0, 0.0);
            let shape = stage.world.body(tile).unwrap().shapes().next().unwrap().id();
            let mut shape = stage.world.shape_mut(shape).unwrap();
            shape.set_material_number(PLATFORM).unwrap();
        }
        for _ in 0..10 {
            stage.walk(0.0);
        }
        stage.step(CharacterInput {
            drop: true,
            ..CharacterInput::default()
        });
        for _ in 0..60 {
            stage.walk(0.0);
        }
        stage.at().y < -2.0
    };
    // Whose foot is over the next tile may be held by that one.
    for x in [0.26_f32, 0.3, 0.4, 0.5, 0.7, 0.74, -0.5, -0.3] {
        assert!(fallen(x), "{x} m from a seam");
    }
}
