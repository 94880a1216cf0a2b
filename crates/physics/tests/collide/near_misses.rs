//! Bodies that pass others without touching: the manifolds that are kept while they go by must not turn them.

use crate::feature_support::{ball, plain, rect, run, weightless, world};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyDef, Shape, Vec2};

/// The velocity and the spin after ten meters past a corner that points up, at a height above it and with a speed.
fn after_passing(shape: &Shape, angle: f32, height: f32, speed: f32, contact_recycling: bool) -> (Vec2, f32) {
    let mut world = world(&weightless());
    let corner = Vec2::new(0.0, std::f32::consts::FRAC_1_SQRT_2);
    let diamond = BodyDef {
        angle: std::f32::consts::FRAC_PI_4,
        ..BodyDef::fixed(0.0, 0.0)
    };
    plain(&mut world, &diamond, &rect(1.0, 1.0));
    let bottom = shape.aabb(Pose::new(Vec2::ZERO, angle)).min.y;
    let def = BodyDef {
        angle,
        contact_recycling,
        linear_velocity: Vec2::new(speed, 0.0),
        ..BodyDef::dynamic(-5.0, corner.y + height - bottom)
    };
    let body = plain(&mut world, &def, shape);
    run(&mut world, (600.0 / speed) as usize);
    let body = world.body(body).unwrap();
    (body.linear_velocity(), body.angular_velocity())
}

/// A box whose lower corner had come down beside the left face of the corner below it, 5 mm from the face's plane, used to be
/// pushed off that plane beyond its end for up to 5 cm, and left with (0.38, 0.37) m/s.
#[test]
fn a_body_that_passes_a_corner_goes_on_as_if_it_were_not_there() {
    let long = Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.1).unwrap();
    let mut turned = Vec::new();
    for (name, shape, angle) in [
        ("box", rect(0.6, 0.6), 0.0),
        ("tilted box", rect(0.6, 0.6), 0.3),
        ("plate", rect(1.0, 0.1), -0.1),
        ("capsule", long, 0.0),
        ("ball", ball(0.3), 0.0),
    ] {
        for height in [0.002, 0.005, 0.008, 0.012, 0.018] {
            for speed in [0.2, 0.5, 1.0, 2.0, 5.0] {
                let [kept, anew] =
                    [true, false].map(|recycling| after_passing(&shape, angle, height, speed, recycling));
                let change =
                    |(velocity, spin): (Vec2, f32)| (velocity - Vec2::new(speed, 0.0)).length() + spin.abs();
                if change(kept) > change(anew) + 1.0e-3 * speed {
                    turned.push(format!(
                        "{name}, {height} m, {speed} m/s: {kept:?}, without recycling {anew:?}"
                    ));
                }
            }
        }
    }
    assert!(turned.is_empty(), "{turned:#?}");
}
