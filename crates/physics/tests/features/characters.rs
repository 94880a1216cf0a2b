//! Characters on ground of every kind: the cases PF-1 to PF-15 that concern them, by number.

use crate::character_support::{DT, STAND, Stage};
use tombolo_physics::{BodyId, BodyKind, CHARACTER_GAP_M, CharacterInput, Shape, Vec2};

/// PF-1: over 200 tiles, both ways, at full speed, at one height, on the ground in every step.
#[test]
fn pf_1_tiles_are_one_floor() {
    for (direction, shift) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.001), (-1.0, -0.001)] {
        let mut stage = Stage::new(-90.0 * direction, STAND);
        for tile in -100..100 {
            let x = tile as f32;
            // Seams that are off by a millimeter are still seams.
            let top = if tile % 2 == 0 { 0.0 } else { shift };
            stage.block(x, top - 1.0, x + 1.0, top);
        }
        for _ in 0..20 {
            stage.walk(6.0 * direction);
        }
        let start = stage.at().x;
        for step in 0..1600 {
            stage.walk(6.0 * direction);
            assert!(stage.character.is_grounded(), "in the air at step {step}");
            let high = (stage.at().y - STAND).abs();
            assert!(high <= 0.001 + shift.abs(), "off by {high} at step {step}");
        }
        let speed = (stage.at().x - start).abs() / (1600.0 * DT);
        assert!((speed - 6.0).abs() <= 0.006, "{speed} m/s");
    }
}

/// PF-5: flat, 22.5°, 45°, flat, and down again.
#[test]
fn pf_5_slopes_up_and_down() {
    let line = [
        [-20.0, 0.0],
        [0.0, 0.0],
        [4.0, 1.657],
        [8.0, 5.657],
        [14.0, 5.657],
        [18.0, 1.657],
        [22.0, 0.0],
        [40.0, 0.0],
    ];
    let mut stage = Stage::new(-6.0, STAND);
    for pair in line.windows(2) {
        let ([x0, y0], [x1, y1]) = (pair[0], pair[1]);
        stage.solid(&[[x0, -3.0], [x1, -3.0], [x1, y1], [x0, y0]]);
    }
    for _ in 0..5 {
        stage.walk(0.0);
    }
    let mut steps = 0;
    while stage.at().x < 30.0 {
        stage.walk(6.0);
        steps += 1;
        assert!(stage.character.is_grounded(), "in the air at {}", stage.at());
        assert!(steps < 1000, "stuck at {}", stage.at());
        let foot = stage.at() - Vec2::new(0.0, 0.5);
        let gap = line.windows(2).fold(f32::INFINITY, |least, pair| {
            let (from, to) = (Vec2::from(pair[0]), Vec2::from(pair[1]));
            let share = ((foot - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
            least.min(foot.distance(from + share * (to - from)))
        });
        assert!(
            (gap - 0.302).abs() <= 0.005,
            "{gap} from the ground at {}",
            stage.at()
        );
    }
}

fn on_slope(degrees: f32) -> Stage {
    let mut stage = Stage::new(-2.0, STAND);
    let rise = 20.0 * libm::tanf(degrees.to_radians());
    stage.block(-20.0, -3.0, 0.0, 0.0);
    stage.solid(&[[0.0, -3.0], [20.0, -3.0], [20.0, rise], [0.0, 0.0]]);
    stage
}

/// PF-6: what is a little flatter than the limit is climbed and stood on, what is a little steeper is not.
#[test]
fn pf_6_the_steepest_slope() {
    let mut stage = on_slope(44.9);
    for _ in 0..180 {
        stage.walk(6.0);
    }
    assert!(stage.at().y > 6.0, "climbs: {}", stage.at());
    stage.walk(0.0);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    let start = stage.at();
    for _ in 0..3600 {
        stage.walk(0.0);
    }
    let drift = stage.at().distance(start);
    assert!(drift <= 0.001, "drifts by {drift}");

    let mut stage = on_slope(45.1);
    for _ in 0..240 {
        stage.walk(6.0);
        assert!(stage.at().y < STAND + 0.05, "gains {}", stage.at().y - STAND);
    }
    let mut stage = on_slope(45.1);
    stage.character.position = Vec2::new(10.0, 12.0).into();
    for _ in 0..60 {
        stage.walk(0.0);
    }
    let high = stage.at().y;
    for _ in 0..60 {
        stage.walk(0.0);
    }
    assert!(stage.at().y < high - 0.5, "slides");
}

/// PF-7: wedged between slopes too steep it rests; and gets out when it jumps. Tiled ceilings: `tiled_ceilings.rs`.
#[test]
fn pf_7_wedges_are_quiet() {
    let mut stage = Stage::new(0.1, 4.0);
    let steep = libm::tanf(60.0_f32.to_radians());
    stage.solid(&[[0.0, 0.0], [6.0, 0.0], [6.0, 6.0 * steep]]);
    stage.solid(&[[0.0, 0.0], [-6.0, 6.0 * steep], [-6.0, 0.0]]);
    for walk in [0.0, 6.0, -6.0] {
        for _ in 0..60 {
            stage.walk(walk);
        }
        for _ in 0..60 {
            let before = stage.at();
            stage.walk(walk);
            let moved = stage.at().distance(before);
            assert!(moved <= 0.001, "moves by {moved} a step, walking at {walk}");
        }
    }
    let low = stage.at().y;
    stage.step(CharacterInput {
        jump: 5.0,
        ..CharacterInput::default()
    });
    for _ in 0..10 {
        stage.walk(0.0);
    }
    assert!(
        stage.at().y > low + 0.5,
        "leaves by a jump: {}",
        stage.at().y - low
    );
}

/// PF-8: twenty stairs of 0.39 m up and down; what is 0.41 m high is a wall, and so is a stair below a low ceiling.
#[test]
fn pf_8_stairs() {
    let mut stage = Stage::new(-4.0, STAND);
    stage.block(-10.0, -1.0, 0.0, 0.0);
    for stair in 0..20 {
        let x = 0.6 * stair as f32;
        stage.block(x, -1.0, x + 0.6, 0.39 * (stair + 1) as f32);
    }
    stage.block(12.0, -1.0, 24.0, 7.8);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    stage.def.snap_distance = 0.3;
    for (walk, end, snap) in [
        (6.0, 14.0, 0.3),
        (-6.0, -1.0, 0.3),
        (6.0, 14.0, 0.3),
        (-6.0, -1.0, 0.4),
    ] {
        stage.def.snap_distance = snap;
        for _ in 0..120 {
            stage.walk(0.0);
        }
        let (mut steps, mut on_stairs, mut low) = (0, 0, f32::INFINITY);
        while (stage.at().x - end) * walk < 0.0 {
            stage.walk(walk);
            steps += 1;
            on_stairs += usize::from((0.0..12.0).contains(&stage.at().x));
            assert!(steps < 1000, "stuck at {}", stage.at());
            let Vec2 { x, y } = stage.at();
            let ground = ((x + 0.3) / 0.6).ceil().clamp(0.0, 20.0) * 0.39;
            if walk > 0.0 {
                assert!(y <= ground + STAND + 0.05, "launched to {y} over {ground}");
            } else {
                low = low.min(y);
                assert!(y <= low + 0.05, "launched to {y}");
                // With the reach of a step it never leaves the ground.
                assert!(
                    snap < 0.4 || stage.character.is_grounded(),
                    "in the air at {x}, {y}"
                );
            }
        }
        let speed = 12.0 / (on_stairs as f32 * DT);
        assert!(speed >= 4.8, "{speed} m/s");
    }

    for (height, passes) in [(0.39, true), (0.41, false)] {
        let mut stage = Stage::new(-4.0, STAND);
        stage.block(-10.0, -1.0, 0.0, 0.0);
        stage.block(0.0, -1.0, 10.0, height);
        for _ in 0..120 {
            stage.walk(6.0);
        }
        assert_eq!(stage.at().x > 1.0, passes, "{height}: {}", stage.at());
    }
    let mut stage = Stage::new(-4.0, STAND);
    stage.block(-10.0, -1.0, 10.0, 0.0);
    stage.block(0.0, 0.0, 10.0, 0.3);
    stage.block(-10.0, 1.7, 10.0, 3.0);
    for _ in 0..120 {
        stage.walk(6.0);
    }
    assert!(stage.at().x < -0.29, "a low ceiling: {}", stage.at());
    // In the air nobody climbs.
    let mut stage = Stage::new(-4.0, 0.6);
    stage.block(0.0, -30.0, 10.0, 0.0);
    for _ in 0..40 {
        stage.walk(6.0);
    }
    assert!(stage.at().x < 0.0, "{}", stage.at());
}

fn drop_of(height: f32) -> bool {
    let mut stage = Stage::new(-3.0, STAND);
    stage.block(-10.0, -5.0, 0.0, 0.0);
    stage.block(0.0, -5.0, 10.0, -height);
    let mut stays = true;
    for step in 0..60 {
        stage.walk(6.0);
        stays &= step < 5 || stage.character.is_grounded();
    }
    assert!(stage.at().x > 1.0);
    stays
}

/// PF-9: down a drop within the snap distance it stays on the ground, beyond it it flies; a jump leaves a sinking lift.
#[test]
fn pf_9_snapping() {
    assert!(drop_of(0.29));
    assert!(!drop_of(0.31));
    let mut stage = Stage::new(0.0, STAND);
    let shape = Shape::new_box(4.0, 1.0).unwrap();
    let lift = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &shape);
    for _ in 0..30 {
        stage.walk(0.0);
    }
    stage
        .world
        .body_mut(lift)
        .unwrap()
        .set_linear_velocity(Vec2::new(0.0, -3.0))
        .unwrap();
    for _ in 0..30 {
        stage.walk(0.0);
        assert!(stage.character.is_grounded());
    }
    stage.step(CharacterInput {
        jump: 3.0,
        ..CharacterInput::default()
    });
    let gap = |stage: &Stage| stage.at().y - STAND - (stage.world.body(lift).unwrap().position().y + 0.5);
    for _ in 0..15 {
        assert!(!stage.character.is_grounded());
        stage.walk(0.0);
    }
    assert!(gap(&stage) > 0.2, "{}", gap(&stage));
}

/// PF-10: on a platform that swings along either axis for a minute there is no drift and no gap, no step late.
#[test]
fn pf_10_swinging_platforms() {
    for axis in [Vec2::X, Vec2::Y] {
        let mut stage = Stage::new(0.0, STAND);
        let shape = Shape::new_box(4.0, 1.0).unwrap();
        let platform = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &shape);
        for _ in 0..10 {
            stage.walk(0.0);
        }
        let start = stage.at();
        for step in 1..=3600 {
            let target = 4.0 * libm::sinf(step as f32 * DT) * axis + Vec2::new(0.0, -0.5);
            stage
                .world
                .body_mut(platform)
                .unwrap()
                .set_target(target.into(), 0.0, DT)
                .unwrap();
            stage.walk(0.0);
            let platform = stage.world.body(platform).unwrap().position().to_vec2();
            let off = stage.at() - start - (platform - Vec2::new(0.0, -0.5));
            assert!(off.length() <= 0.001, "off by {off} at step {step}");
            assert!(stage.character.is_grounded());
        }
    }
    // A lift that turns about at once.
    let mut stage = Stage::new(0.0, STAND);
    let shape = Shape::new_box(4.0, 1.0).unwrap();
    let lift = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &shape);
    for step in 0..300 {
        let speed = if step / 30 % 2 == 0 { 2.4 } else { -2.4 };
        stage
            .world
            .body_mut(lift)
            .unwrap()
            .set_linear_velocity(Vec2::new(0.0, speed))
            .unwrap();
        stage.walk(0.0);
        assert!(
            step < 2 || stage.character.is_grounded(),
            "in the air at step {step}"
        );
    }
    // Who leaves takes the platform's velocity along, or does not.
    for inherit in [true, false] {
        let mut stage = Stage::new(0.0, STAND);
        stage.def.inherit_velocity = inherit;
        let cart = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &shape);
        stage
            .world
            .body_mut(cart)
            .unwrap()
            .set_linear_velocity(Vec2::new(4.0, 0.0))
            .unwrap();
        for _ in 0..10 {
            stage.walk(0.0);
        }
        stage.step(CharacterInput {
            jump: 5.0,
            ..CharacterInput::default()
        });
        let speed = stage.character.velocity.x;
        let expected = if inherit { 4.0 } else { 0.0 };
        assert!((speed - expected).abs() < 0.01, "{speed}");
    }
}

/// PF-11: on a plank that tilts and on a gondola of a wheel the foot stays where it is.
#[test]
fn pf_11_turning_platforms() {
    let mut stage = Stage::new(2.0, STAND);
    let shape = Shape::new_box(8.0, 0.2).unwrap();
    let plank = stage.body(BodyKind::Kinematic, 0.0, -0.1, 0.0, &shape);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    let foot = |stage: &Stage| {
        let pose = stage.world.body(plank).unwrap().pose();
        pose.inverse_transform_point(stage.at() - Vec2::new(0.0, 0.5))
    };
    let start = foot(&stage);
    for step in 1..=3600 {
        let angle = 30.0_f32.to_radians() * libm::sinf(step as f32 * DT);
        stage
            .world
            .body_mut(plank)
            .unwrap()
            .set_target(Vec2::new(0.0, -0.1).into(), angle, DT)
            .unwrap();
        stage.walk(0.0);
        let off = foot(&stage) - start;
        assert!(off.length() <= 0.005, "off by {off} at step {step}");
    }

    let mut stage = Stage::new(3.0, STAND);
    let shape = Shape::new_box(2.0, 0.2).unwrap();
    let gondola = stage.body(BodyKind::Kinematic, 3.0, -0.1, 0.0, &shape);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    let start = stage.at();
    for step in 1..=3600 {
        let angle = step as f32 * DT;
        let place = Vec2::new(3.0 * libm::cosf(angle), 3.0 * libm::sinf(angle) - 0.1);
        stage
            .world
            .body_mut(gondola)
            .unwrap()
            .set_target(place.into(), 0.0, DT)
            .unwrap();
        stage.walk(0.0);
        let at = stage.world.body(gondola).unwrap().position().to_vec2();
        let off = stage.at() - start - (at - Vec2::new(3.0, -0.1));
        assert!(off.length() <= 0.001, "off by {off} at step {step}");
    }
}

/// PF-12: what brushes by takes nobody along, and a kinematic wall that rests costs no speed.
#[test]
fn pf_12_brushing_walls() {
    let mut stage = Stage::new(0.0, STAND);
    stage.block(-20.0, -1.0, 20.0, 0.0);
    let shape = Shape::new_box(1.0, 20.0).unwrap();
    let door = stage.body(BodyKind::Kinematic, 0.804, -5.0, 0.0, &shape);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    stage
        .world
        .body_mut(door)
        .unwrap()
        .set_linear_velocity(Vec2::new(0.0, 3.0))
        .unwrap();
    let start = stage.at();
    for _ in 0..120 {
        stage.walk(0.0);
        assert!(stage.at().distance(start) <= 0.001);
    }
    // Falling along a wall at rest.
    let mut stage = Stage::new(0.0, 0.0);
    stage.body(BodyKind::Kinematic, 0.802, 0.0, 0.0, &shape);
    let mut free = Stage::new(0.0, 0.0);
    for _ in 0..30 {
        stage.walk(0.0);
        free.walk(0.0);
    }
    assert_eq!(stage.at().y.to_bits(), free.at().y.to_bits());
}

/// PF-13: a wall shoves an idle character ahead of it.
#[test]
fn pf_13_a_wall_shoves() {
    let mut stage = Stage::new(0.0, STAND);
    stage.block(-20.0, -1.0, 20.0, 0.0);
    let shape = Shape::new_box(1.0, 4.0).unwrap();
    let wall = stage.body(BodyKind::Kinematic, -0.802, 2.0, 0.0, &shape);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    stage
        .world
        .body_mut(wall)
        .unwrap()
        .set_linear_velocity(Vec2::new(2.0, 0.0))
        .unwrap();
    let start = stage.at().x;
    for _ in 0..300 {
        stage.walk(0.0);
        assert!(stage.overlap() <= 0.01, "{}", stage.overlap());
    }
    let moved = stage.at().x - start;
    assert!((moved - 10.0).abs() <= 0.02, "{moved}");
}

/// What is fast moves the character farther in a step than it wanted to go: into nothing static, up a ramp, and where the way is
/// free ahead of what pushes; nothing moves it faster than 200 m/s.
#[test]
fn a_fast_wall_shoves_nobody_into_static_shapes() {
    let slope = [[4.0, 0.0], [24.0, 0.0], [24.0, 10.0]];
    for speed in [1.0, 5.0, 12.0, 60.0, 600.0] {
        for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
            for (place, is_ramp) in [
                (0.31, false),
                (0.35, false),
                (0.4, false),
                (4.0, false),
                (4.0, true),
            ] {
                let what = format!("{speed} m/s, {kind:?}, at {place} m, ramp: {is_ramp}");
                let mut stage = Stage::new(0.0, STAND);
                let floor = stage.block(-20.0, -1.0, 40.0, 0.0);
                let ahead = if is_ramp {
                    stage.solid(&slope)
                } else {
                    stage.block(place, 0.0, place + 4.0, 9.0)
                };
                let shape = Shape::new_box(60.0, 80.0).unwrap();
                let wall = stage.body(kind, -30.302, 40.01, 0.0, &shape);
                let moved = shove(
                    &mut stage,
                    wall,
                    speed,
                    |body| body == floor || body == ahead,
                    &what,
                );
                if kind == BodyKind::Kinematic && place == 4.0 && speed < 100.0 {
                    let (step, all) = (speed * DT, 20.0 * speed * DT);
                    let free = if is_ramp { all } else { all.min(4.0 - 0.302) - step };
                    assert!(moved >= free - 0.01, "{what}: {moved} m");
                }
            }
        }
    }
}

/// How far an idle character gets in 20 steps in which a wall moves to the right at `speed`; it is never in the bodies of a choice.
fn shove(stage: &mut Stage, wall: BodyId, speed: f32, is_solid: impl Fn(BodyId) -> bool, what: &str) -> f32 {
    stage.walk(0.0);
    let start = stage.at();
    for _ in 0..20 {
        let mut body = stage.world.body_mut(wall).unwrap();
        body.set_linear_velocity(Vec2::new(speed, 0.0)).unwrap();
        let before = stage.at();
        stage.walk(0.0);
        let inside = stage.overlap_with(&is_solid);
        assert!(inside <= 0.001, "{what}: {inside} m inside");
        assert!(stage.at().distance(before) <= 200.0 * DT + 0.01, "{what}");
    }
    stage.at().x - start.x
}

/// Beside a corner, where planes are found again on the way, a bar deep inside it pushes it once, out of a wedge at four times its
/// speed at most, and after that by gaps.
#[test]
fn a_push_beside_a_corner_is_one_push() {
    let mut stage = Stage::new(0.302, -0.45);
    stage.block(-1.0, -2.0, 0.0, 0.0);
    let shape = Shape::new_box(4.6, 0.4).unwrap();
    stage.body(BodyKind::Kinematic, 0.546, -0.234, 1.422, &shape);
    stage.character.velocity = Vec2::new(0.0, 4.0);
    let start = stage.at();
    stage.walk(0.0);
    let moved = stage.at().distance(start);
    let push = stage.def.push_out_speed * DT + CHARACTER_GAP_M;
    assert!(stage.character.crush_m > 0.1, "{}", stage.character.crush_m);
    assert!(moved > 4.0 * DT && moved < 4.0 * DT + 8.0 * push, "{moved} m");
}

/// PF-14: between a lift and the floor it is crushed, which is said, and never pressed through; it gets out slowly.
#[test]
fn pf_14_crushing() {
    let mut stage = Stage::new(0.0, STAND);
    stage.block(-20.0, -1.0, 20.0, 0.0);
    let shape = Shape::new_box(4.0, 1.0).unwrap();
    let lift = stage.body(BodyKind::Kinematic, 0.0, 2.2, 0.0, &shape);
    for _ in 0..5 {
        stage.walk(0.0);
    }
    stage
        .world
        .body_mut(lift)
        .unwrap()
        .set_linear_velocity(Vec2::new(0.0, -1.0))
        .unwrap();
    let mut since_touch = 0;
    for _ in 0..24 {
        stage.walk(0.0);
        let low = stage.world.body(lift).unwrap().position().y - 0.5;
        since_touch += usize::from(low < 1.6);
        assert!(
            stage.at().y >= STAND - 0.01,
            "pressed into the floor: {}",
            stage.at()
        );
        assert!(
            since_touch < 2 || stage.character.is_crushed(),
            "nobody says so, {low}"
        );
    }
    assert!(stage.character.is_crushed());
    stage
        .world
        .body_mut(lift)
        .unwrap()
        .set_linear_velocity(Vec2::new(0.0, 2.0))
        .unwrap();
    for _ in 0..30 {
        let before = stage.at();
        stage.walk(0.0);
        assert!(stage.at().distance(before) <= 1.05 * DT, "thrown out");
    }
    let before = stage.at();
    for _ in 0..30 {
        stage.walk(6.0);
    }
    assert!(stage.at().x > before.x + 2.0, "walks on: {}", stage.at());

    let mut stage = Stage::new(0.0, STAND);
    stage.block(-20.0, -1.0, 20.0, 0.0);
    let shape = Shape::new_box(1.0, 4.0).unwrap();
    for side in [-1.0, 1.0] {
        let wall = stage.body(BodyKind::Kinematic, side, 2.0, 0.0, &shape);
        stage
            .world
            .body_mut(wall)
            .unwrap()
            .set_linear_velocity(Vec2::new(-side, 0.0))
            .unwrap();
    }
    for _ in 0..24 {
        stage.walk(0.0);
        assert!(stage.at().x.abs() < 0.02, "{}", stage.at());
    }
    assert!(stage.character.is_crushed());
}

fn crate_of(stage: &mut Stage, x: f32, kilograms: f32) -> tombolo_physics::BodyId {
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    let def = tombolo_physics::ShapeDef {
        density: kilograms,
        friction: 0.5,
        ..Default::default()
    };
    let body = stage
        .world
        .create_body(&tombolo_physics::BodyDef::dynamic(x, 0.5))
        .unwrap();
    stage.world.create_shape(body, &def, &shape).unwrap();
    body
}

fn floor_of(stage: &mut Stage) {
    let ground = stage
        .world
        .create_body(&tombolo_physics::BodyDef::fixed(0.0, -0.5))
        .unwrap();
    let def = tombolo_physics::ShapeDef {
        friction: 0.5,
        ..Default::default()
    };
    let shape = Shape::new_box(200.0, 1.0).unwrap();
    stage.world.create_shape(ground, &def, &shape).unwrap();
}

/// PF-15: with 300 N it moves a crate of 20 kg and not one of 100 kg; it presses by its weight; what hits it moves it by mass.
#[test]
fn pf_15_pushing_by_mass() {
    let mut stage = Stage::new(0.0, STAND);
    floor_of(&mut stage);
    let light = crate_of(&mut stage, 1.5, 20.0);
    let mut given = 0.0;
    for _ in 0..120 {
        stage.walk(6.0);
        for touch in stage.scratch.touches() {
            given += touch.impulse;
        }
        assert!(stage.overlap() < 0.01, "{}", stage.overlap());
    }
    assert!(stage.world.body(light).unwrap().position().x > 3.0, "moves");
    assert!(given > 0.0 && given <= 2.0 * 300.0 * 1.5, "{given} N s");

    let mut stage = Stage::new(0.0, STAND);
    floor_of(&mut stage);
    let heavy = crate_of(&mut stage, 1.5, 100.0);
    for _ in 0..30 {
        stage.world.step(DT).unwrap();
    }
    let start = stage.world.body(heavy).unwrap().position();
    for _ in 0..600 {
        stage.walk(6.0);
    }
    let moved = stage.world.body(heavy).unwrap().position() - start;
    assert!(moved.length() <= 0.001, "{moved}");

    // On a seesaw or a boat it weighs: a free crate below it gets its weight in newton seconds each step.
    let mut stage = Stage::new(1.5, 1.0 + STAND);
    floor_of(&mut stage);
    crate_of(&mut stage, 1.5, 20.0);
    let mut pressed = 0.0;
    for step in 0..120 {
        stage.walk(0.0);
        if step >= 60 {
            pressed += stage
                .scratch
                .touches()
                .iter()
                .map(|touch| touch.impulse)
                .sum::<f32>();
        }
    }
    assert!((pressed - 800.0).abs() < 16.0, "{pressed} N s in a second");

    let mut stage = Stage::new(0.0, STAND);
    stage.world.set_gravity(Vec2::new(0.0, -10.0)).unwrap();
    stage.def.acceleration = 0.0;
    floor_of(&mut stage);
    let ball = tombolo_physics::BodyDef {
        linear_velocity: Vec2::new(10.0, 0.0),
        gravity_scale: 0.0,
        ..tombolo_physics::BodyDef::dynamic(-3.0, 0.8)
    };
    let ball = stage.world.create_body(&ball).unwrap();
    let shape = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let def = tombolo_physics::ShapeDef {
        density: 50.0 / (core::f32::consts::PI * 0.0625),
        ..Default::default()
    };
    stage.world.create_shape(ball, &def, &shape).unwrap();
    for _ in 0..30 {
        stage.walk(0.0);
    }
    // One velocity afterwards: 500 N s by 130 kg.
    let speed = stage.character.velocity.x;
    assert!((speed - 500.0 / 130.0).abs() < 0.4, "{speed}");
}

/// What overlaps the place where it wants to stand up keeps it down.
#[test]
fn room_to_stand_up() {
    let mut stage = Stage::new(0.0, 0.0);
    stage.block(-5.0, 1.5, 5.0, 2.0);
    let tall = stage.def.shape;
    for (y, fits) in [(0.69, true), (0.72, false)] {
        let position = Vec2::new(0.0, y).into();
        let found = stage
            .world
            .has_room(&stage.def, &tall, position, &mut stage.scratch);
        assert_eq!(found, Ok(fits));
    }
}

/// On a ladder it goes up and down, in a fluid it floats.
#[test]
fn ladders_and_fluids() {
    let mut stage = Stage::new(0.0, STAND);
    stage.block(-5.0, -1.0, 5.0, 0.0);
    let ladder = |climb| CharacterInput {
        is_climbing: true,
        climb,
        ..CharacterInput::default()
    };
    for _ in 0..60 {
        stage.step(ladder(2.0));
    }
    assert!((stage.at().y - STAND - 2.0).abs() < 0.01, "{}", stage.at());
    for _ in 0..120 {
        stage.step(ladder(-2.0));
    }
    assert!((stage.at().y - STAND).abs() < 0.01 && stage.character.is_grounded());
    let fluid = CharacterInput {
        lift: 1.2,
        drag: 2.0,
        jump: 0.1,
        ..CharacterInput::default()
    };
    for _ in 0..120 {
        stage.step(fluid);
    }
    let speed = stage.character.velocity.y;
    assert!((speed - 1.0).abs() < 0.05, "rises at {speed}");
}

/// One step of climbing on a platform that moves, then the air: as after a jump, it keeps the platform's velocity only if it
/// inherits that.
#[test]
fn a_climber_that_inherits_no_velocity_leaves_it_to_the_platform() {
    for inherits in [true, false] {
        let mut stage = Stage::new(0.0, STAND);
        stage.def.inherit_velocity = inherits;
        stage.def.air_acceleration = 0.0;
        let plate = Shape::new_box(20.0, 1.0).unwrap();
        let platform = stage.body(BodyKind::Kinematic, 0.0, -0.5, 0.0, &plate);
        stage
            .world
            .body_mut(platform)
            .unwrap()
            .set_linear_velocity(Vec2::new(5.0, 0.0))
            .unwrap();
        for _ in 0..5 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded());
        stage.step(CharacterInput {
            is_climbing: true,
            climb: 3.0,
            ..CharacterInput::default()
        });
        assert!(!stage.character.is_grounded());
        stage.walk(0.0);
        let velocity = stage.character.world_velocity();
        assert_eq!(velocity.x, if inherits { 5.0 } else { 0.0 });
    }
}

/// Numbers that are none are refused, and nothing moves.
#[test]
fn bad_numbers_are_refused() {
    let mut stage = Stage::new(0.0, STAND);
    let before = stage.character;
    for input in [
        CharacterInput {
            walk: f32::NAN,
            ..CharacterInput::default()
        },
        CharacterInput {
            jump: -1.0,
            ..CharacterInput::default()
        },
        CharacterInput {
            lift: f32::INFINITY,
            ..CharacterInput::default()
        },
        CharacterInput {
            drag: -1.0,
            ..CharacterInput::default()
        },
    ] {
        let moved =
            stage
                .world
                .move_character(&stage.def, &mut stage.character, &input, DT, &mut stage.scratch);
        moved.unwrap_err();
        assert_eq!(stage.character, before);
    }
    for dt in [0.0, -1.0, f32::NAN, 2.0] {
        let input = CharacterInput::default();
        let moved =
            stage
                .world
                .move_character(&stage.def, &mut stage.character, &input, dt, &mut stage.scratch);
        moved.unwrap_err();
    }
    stage.def.up = Vec2::ZERO;
    stage.def.validate().unwrap_err();
}
