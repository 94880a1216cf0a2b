//! How a character presses on what it stands on: with its weight on what is held, with nothing on what falls, and never so that
//! the two gain energy.

use crate::character_support::{DT, STAND, Stage};
use tombolo_physics::{BodyDef, BodyId, RevoluteDef, Shape, ShapeDef, Vec2};

/// A crate, or a plank, of a mass.
fn plank(stage: &mut Stage, y: f32, width: f32, height: f32, mass: f32) -> BodyId {
    let body = stage.world.create_body(&BodyDef::dynamic(0.0, y)).unwrap();
    let def = ShapeDef {
        density: mass / (width * height),
        ..ShapeDef::default()
    };
    let shape = Shape::new_box(width, height).unwrap();
    stage.world.create_shape(body, &def, &shape).unwrap();
    body
}

/// The force in newtons with which the last move pressed.
fn pressed(stage: &Stage) -> f32 {
    stage
        .scratch
        .touches()
        .iter()
        .map(|touch| touch.impulse / DT)
        .sum()
}

/// On the edge of a light crate in free fall: both fall, and neither throws the other.
#[test]
fn nobody_presses_on_what_falls_freely() {
    for mass in [0.3, 3.0, 300.0] {
        for across in [-0.2, 0.0, 0.1] {
            let mut stage = Stage::new(across, 0.25 + STAND);
            let crate_below = plank(&mut stage, 0.0, 0.5, 0.5, mass);
            for step in 1..=60 {
                stage.walk(0.0);
                let body = stage.world.body(crate_below).unwrap();
                let fall = 10.0 * DT * step as f32;
                let off = body.linear_velocity() + Vec2::new(0.0, fall);
                let what = format!("{mass} kg, {across} m, step {step}");
                assert!(off.length() < 0.3, "{what}: {off} m/s");
                assert!(
                    body.angular_velocity().abs() < 1.0,
                    "{what}: {} rad/s",
                    body.angular_velocity()
                );
                let own = stage.character.world_velocity();
                assert!((own.y + fall).abs() < 0.5, "{what}: {own} m/s");
            }
        }
    }
}

/// At the end of a seesaw: the plank and the character turn together, as the closed form has it for two masses.
#[test]
fn a_seesaw_turns_with_the_mass_of_who_stands_on_it() {
    for mass in [2.0, 20.0, 200.0] {
        let mut stage = Stage::new(1.8, 0.05 + STAND);
        let board = plank(&mut stage, 0.0, 4.0, 0.1, mass);
        let post = stage.world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let joint = RevoluteDef::new(post, Vec2::ZERO, board, Vec2::ZERO);
        stage.world.create_joint(joint).unwrap();
        for _ in 0..12 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded(), "{mass} kg");
        let inertia = mass * (16.0 + 0.01) / 12.0;
        let expected = 80.0 * 10.0 * 1.8 / (inertia + 80.0 * 1.8 * 1.8) * 12.0 * DT;
        let turned = -stage.world.body(board).unwrap().angular_velocity();
        assert!(
            (turned - expected).abs() < 0.15 * expected,
            "{mass} kg: {turned} rad/s, {expected} by the closed form"
        );
    }
}

/// On crates that the ground holds it comes to its weight, whatever they weigh, and stays there.
#[test]
fn what_is_held_gets_the_weight() {
    for mass in [0.5, 5.0, 80.0, 2000.0] {
        // Of what is left to its weight each step adds mass / (80 + mass).
        let settled = 30 + (6.0 * (80.0 + mass) / mass) as usize;
        let mut stage = Stage::new(0.0, 1.0 + STAND);
        stage.block(-20.0, -1.0, 20.0, 0.0);
        plank(&mut stage, 0.5, 1.0, 1.0, mass);
        for step in 0..settled + 120 {
            stage.walk(0.0);
            let force = pressed(&stage);
            assert!(force <= 800.5, "{mass} kg, step {step}: {force} N");
            if step > settled {
                assert!((force - 800.0).abs() < 16.0, "{mass} kg, step {step}: {force} N");
            }
        }
    }
}
