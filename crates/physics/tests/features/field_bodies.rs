//! Fields and what bodies are besides their shapes: lasting forces, fixed axes, sleep, and a center outside of every shape.

use crate::feature_support::{DT, place, plain, run, same_everywhere, weightless, world};
use tombolo_physics::{BodyDef, BodyId, FieldDef, FieldKind, PhysicsWorld, Shape, ShapeDef, Vec2};

fn unit() -> Shape {
    Shape::new_box(1.0, 1.0).unwrap()
}

/// Honey, wind, and honey in an area, so that boxes are computed in lanes and one by one.
fn media() -> [FieldDef; 3] {
    let honey = FieldDef::new(FieldKind::Fluid {
        density: 1.0,
        velocity: Vec2::ZERO,
        drag: 0.0,
        viscosity: 600.0,
    });
    let wind = FieldDef::new(FieldKind::Wind {
        velocity: Vec2::new(-1.0, 0.0),
        density: 100.0,
        drag: 10.0,
        lift: 0.0,
    });
    let pool = FieldDef {
        area: Some(Shape::circle(Vec2::ZERO, 100.0).unwrap()),
        ..honey.clone()
    };
    [honey, wind, pool]
}

#[test]
fn a_lasting_force_drives_a_boat_as_fast_as_the_same_force_of_calls() {
    let (force, torque) = (Vec2::new(60.0, 0.0), 30.0);
    for (medium, field) in media().iter().enumerate() {
        let mut w = world(&weightless());
        w.create_field(field).unwrap();
        let [a, b] = [0.0, 50.0].map(|y| plain(&mut w, &BodyDef::dynamic(0.0, y), &unit()));
        w.body_mut(a).unwrap().set_lasting_force(force).unwrap();
        w.body_mut(a).unwrap().set_lasting_torque(torque).unwrap();
        for step in 0..120 {
            w.body_mut(b).unwrap().apply_force(force).unwrap();
            w.body_mut(b).unwrap().apply_torque(torque).unwrap();
            w.step(DT).unwrap();
            let [a, b] = [a, b].map(|id| w.body(id).unwrap());
            let apart = (a.linear_velocity() - b.linear_velocity()).length();
            let turning = (a.angular_velocity() - b.angular_velocity()).abs();
            assert!(apart < 1e-3 && turning < 1e-3, "medium {medium}, step {step}");
        }
        if medium == 0 {
            let speed = w.body(b).unwrap().linear_velocity().x;
            assert!((speed - 0.1).abs() < 1e-3, "the closed form, not {speed}");
        }
    }
}

#[test]
fn boats_with_motors_among_boats_without_are_the_same_everywhere() {
    let build = || {
        let mut w = world(&weightless());
        w.create_field(&media()[0]).unwrap();
        for place in 0..70 {
            let boat = plain(&mut w, &BodyDef::dynamic(2.0 * place as f32, 0.0), &unit());
            if place % 3 == 0 {
                let force = Vec2::new(0.0, place as f32);
                w.body_mut(boat).unwrap().set_lasting_force(force).unwrap();
            }
        }
        w
    };
    same_everywhere(build, 20, |_| String::new());
}

/// A mill whose sail is above its axle, with a weight below.
fn mill(w: &mut PhysicsWorld) -> BodyId {
    let def = BodyDef {
        fixed_x: true,
        fixed_y: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let sail = Shape::box_at(1.0, 1.0, Vec2::new(0.0, 2.0), 0.0).unwrap();
    let mill = plain(w, &def, &sail);
    let heavy = ShapeDef {
        density: 100.0,
        ..ShapeDef::default()
    };
    let weight = Shape::box_at(0.1, 0.1, Vec2::new(0.0, -2.0), 0.0).unwrap();
    w.create_shape(mill, &heavy, &weight).unwrap();
    mill
}

#[test]
fn wind_and_water_turn_a_mill_that_is_pinned_by_its_axes() {
    let flow = Vec2::new(10.0, 0.0);
    let wind = FieldKind::Wind {
        velocity: flow,
        density: 1.0,
        drag: 1.0,
        lift: 0.0,
    };
    let river = FieldKind::Fluid {
        density: 1.0,
        velocity: flow,
        drag: 1.0,
        viscosity: 0.0,
    };
    for kind in [wind, river] {
        let mut w = world(&weightless());
        let mill = mill(&mut w);
        let center = w.body(mill).unwrap().center_of_mass();
        w.create_field(&FieldDef::new(kind)).unwrap();
        w.create_field(&FieldDef::new(FieldKind::Gravity {
            acceleration: Vec2::Y,
        }))
        .unwrap();
        run(&mut w, 30);
        let body = w.body(mill).unwrap();
        assert!(body.angular_velocity() < -0.1, "{}", body.angular_velocity());
        let moved = body.center_of_mass().to_vec2() - center.to_vec2();
        assert!(moved.length() < 1e-5, "{moved}");
    }
}

#[test]
fn a_lone_box_that_is_pinned_is_turned_by_the_water_beside_it() {
    let mut w = world(&weightless());
    let def = BodyDef {
        fixed_x: true,
        fixed_y: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let paddle = plain(&mut w, &def, &Shape::new_box(0.2, 4.0).unwrap());
    // Only its lower half is in the river.
    w.create_field(&FieldDef {
        area: Some(Shape::box_at(100.0, 10.0, Vec2::new(0.0, -5.0), 0.0).unwrap()),
        ..FieldDef::new(FieldKind::Fluid {
            density: 1.0,
            velocity: Vec2::new(5.0, 0.0),
            drag: 1.0,
            viscosity: 0.0,
        })
    })
    .unwrap();
    run(&mut w, 10);
    let spin = w.body(paddle).unwrap().angular_velocity();
    assert!(spin > 0.1, "{spin}");
}

#[test]
fn a_gravity_at_the_middle_of_a_dumbbell_wakes_it() {
    let mut w = world(&weightless());
    let asleep = BodyDef {
        awake: false,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let dumbbell = w.create_body(&asleep).unwrap();
    for x in [-5.0, 5.0] {
        let ball = Shape::circle(Vec2::new(x, 0.0), 0.5).unwrap();
        w.create_shape(dumbbell, &ShapeDef::default(), &ball).unwrap();
    }
    w.body_mut(dumbbell).unwrap().sleep();
    assert!(!w.body(dumbbell).unwrap().is_awake());
    w.create_field(&FieldDef {
        area: Some(Shape::circle(Vec2::ZERO, 1.0).unwrap()),
        ..FieldDef::new(FieldKind::Gravity {
            acceleration: Vec2::Y,
        })
    })
    .unwrap();
    run(&mut w, 30);
    assert!(place(&w, dumbbell).y > 0.05);
}
