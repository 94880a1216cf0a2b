//! Reading and writing by name reaches physics and comes back from it.

use tombolo::entity::{Accessor, Value};
use tombolo::physics::{JointRef, MassProperties, Position, Vec2};
use tombolo::{Scene, SpawnDef, World};

use crate::{get, run, vec2, yard};

#[test]
fn a_bodys_velocity_is_what_it_is_now() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    assert_eq!(
        vec2(get(&world, "safe", "body.linear_velocity")),
        Vec2::new(1.0, 0.0)
    );
    world
        .set(safe, "body.linear_velocity", Value::Vec2(Vec2::new(0.0, 5.0)))
        .unwrap();
    run(&mut world, 6);
    let now = vec2(get(&world, "safe", "body.linear_velocity"));
    assert!(
        (now.y - 4.0).abs() < 0.01,
        "gravity has pulled for a tenth of a second: {now}"
    );
    world
        .set(safe, "body.linear_velocity.x", Value::F32(3.0))
        .unwrap();
    let both = vec2(get(&world, "safe", "body.linear_velocity"));
    assert_eq!(
        both,
        Vec2::new(3.0, now.y),
        "a part is set, the other stays as it is now"
    );
    let physics = world.find("safe").and_then(|entity| world.body(entity)).unwrap();
    assert_eq!(physics.linear_velocity(), both);
}

#[test]
fn a_body_of_which_a_property_is_set_has_what_physics_has_changed_in_its_component() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    run(&mut world, 6);
    let body = world.body_of(safe).unwrap();
    let mut body = world.physics_mut().body_mut(body).unwrap();
    body.set_angular_velocity(0.5).unwrap();
    body.set_lasting_force(Vec2::new(7.0, 8.0)).unwrap();
    body.set_own_mass(MassProperties {
        mass: 3.0,
        inertia: 4.0,
        center: Vec2::new(0.1, 0.2),
    })
    .unwrap();
    let drifting = [
        "linear_velocity",
        "angular_velocity",
        "lasting_force",
        "own_center",
    ];
    let drifting = drifting.map(|name| format!("body.{name}"));
    for path in &drifting {
        assert_ne!(
            world.entities().get(safe, path),
            world.get(safe, path),
            "{path} before"
        );
    }
    world.set(safe, "body.linear_damping", Value::F32(0.1)).unwrap();
    for path in &drifting {
        assert_eq!(world.entities().get(safe, path), world.get(safe, path), "{path}");
    }
}

#[test]
fn every_property_of_a_body_reaches_physics() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    let id = world
        .find("safe")
        .and_then(|entity| world.body_of(entity))
        .unwrap();
    for (path, value) in [
        ("body.angular_velocity", Value::F32(2.0)),
        ("body.linear_damping", Value::F32(0.5)),
        ("body.angular_damping", Value::F32(0.25)),
        ("body.gravity_scale", Value::F32(-1.0)),
        ("body.sleep_threshold", Value::F32(0.5)),
        ("body.allow_sleep", Value::Bool(false)),
        ("body.bullet", Value::Bool(true)),
        ("body.enabled", Value::Bool(false)),
        ("body.enabled", Value::Bool(true)),
        ("body.fixed_rotation", Value::Bool(true)),
        ("body.kind", Value::String("Kinematic".into())),
    ] {
        world.set(safe, path, value.clone()).unwrap();
        let now = world.get(safe, path).unwrap();
        match path {
            "body.kind" => assert_eq!(now, Value::Choice(1)),
            _ => assert_eq!(now, value, "{path}"),
        }
        world.physics().validate();
    }
    let body = world.physics().body(id).unwrap();
    assert_eq!((body.linear_damping(), body.angular_damping()), (0.5, 0.25));
    assert!(body.is_bullet() && body.is_enabled() && !body.may_sleep());
    assert_eq!(body.mass(), 0.0, "a kinematic body has none");
    assert_eq!(body.angular_velocity(), 0.0, "fixed rotation stops the turning");
    run(&mut world, 5);
    assert!(world.set(safe, "body.mass", Value::F32(1.0)).is_err());
    let error = world.set(safe, "body.awake", Value::Bool(false)).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"entity "safe", component `body`: a body is put to sleep by the command `sleep`, or falls asleep by itself"#
    );
}

#[test]
fn a_collider_changes_its_material_filter_and_form() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    let shape = |world: &tombolo::World| {
        let body = world.find("safe").and_then(|entity| world.body(entity)).unwrap();
        let shape = body.shapes().next().unwrap();
        (shape.id(), shape.friction(), shape.filter().mask, body.mass())
    };
    let (id, _, _, mass) = shape(&world);
    assert!((mass - 4.0).abs() < 1e-5, "inherits the box, of steel: {mass}");
    world.set(safe, "hull.friction", Value::F32(0.1)).unwrap();
    world.set(safe, "hull.mask", Value::I64(6)).unwrap();
    world.set(safe, "hull.tangent_speed", Value::F32(2.0)).unwrap();
    assert_eq!(shape(&world), (id, 0.1, 6, mass));
    world
        .set(safe, "hull.size", Value::Vec2(Vec2::new(2.0, 1.0)))
        .unwrap();
    let (anew, friction, mask, mass) = shape(&world);
    assert_ne!(anew, id, "another form is another shape");
    assert_eq!((friction, mask), (0.1, 6));
    assert!((mass - 8.0).abs() < 1e-5);
    let error = world
        .set(safe, "hull.position", Value::Vec2(Vec2::new(1.0e5, 0.0)))
        .unwrap_err();
    assert!(error.to_string().contains("component `hull`"), "{error}");
    assert_eq!(shape(&world).0, anew, "a refusal leaves everything");
    assert_eq!(vec2(get(&world, "safe", "hull.size")), Vec2::new(2.0, 1.0));
    world.physics().validate();
}

#[test]
fn a_joints_motor_and_ends_change() {
    let mut world = yard();
    let sign = world.find("sign").unwrap();
    let motor = |world: &tombolo::World| {
        let body = world.find("sign").and_then(|entity| world.body(entity)).unwrap();
        let motor = |joint: JointRef<'_>| joint.motor().map(|motor| (motor.speed, motor.max));
        body.joints().next().map(|joint| (joint.id(), motor(joint)))
    };
    let (id, before) = motor(&world).unwrap();
    assert_eq!(before, Some((1.0, 5.0)));
    world.set(sign, "nail.motor_speed", Value::F32(-2.0)).unwrap();
    assert_eq!(motor(&world), Some((id, Some((-2.0, 5.0)))));
    world.set(sign, "nail.motor", Value::Bool(false)).unwrap();
    assert_eq!(motor(&world), Some((id, None)));
    let safe = world.find("safe");
    world.set(sign, "nail.to", Value::Entity(safe)).unwrap();
    let (anew, _) = motor(&world).unwrap();
    assert_ne!(anew, id);
    let error = world.set(sign, "nail.to", Value::Entity(Some(sign))).unwrap_err();
    assert!(error.to_string().contains("ties a body to itself"), "{error}");
    assert_eq!(motor(&world).unwrap().0, anew);
    assert_eq!(world.physics().joints().len(), 1);
    run(&mut world, 10);
    let Value::F32(angle) = get(&world, "sign", "nail.joint_angle") else {
        panic!("an angle is a number");
    };
    assert!(angle != 0.0);
}

#[test]
fn a_trigger_without_a_body_notices_and_follows_its_transform() {
    let mut world = yard();
    run(&mut world, 2);
    assert_eq!(
        get(&world, "gate", "eye.visitor_count"),
        Value::U32(1),
        "the safe falls through it"
    );
    let gate = world.find("gate").unwrap();
    world
        .set(gate, "transform.position", Value::Vec2(Vec2::new(-8.0, 2.5)))
        .unwrap();
    run(&mut world, 2);
    assert_eq!(
        get(&world, "gate", "eye.visitor_count"),
        Value::U32(1),
        "a crate of the row"
    );
}

#[test]
fn accessors_and_batches_see_what_physics_sees() {
    let mut world = yard();
    let crates: Vec<_> = (0..4)
        .map(|i| world.find(&format!("crate[{i}]")).unwrap())
        .collect();
    let mut velocity = Accessor::new("body.linear_velocity").unwrap();
    for &entity in &crates {
        world
            .set_with(&mut velocity, entity, Value::Vec2(Vec2::new(0.0, 3.0)))
            .unwrap();
    }
    run(&mut world, 1);
    for &entity in &crates {
        let now = vec2(world.get_with(&mut velocity, entity).unwrap());
        assert!(now.y > 2.0 && now.y < 3.0);
    }
    let stamp = world.entities().index().prototype(crates[0]);
    let set = world
        .set_all(stamp, &mut velocity, &Value::Vec2(Vec2::X))
        .unwrap();
    assert_eq!(set, 4);
    let mut seen = 0;
    world
        .get_all(stamp, &mut velocity, |_, value| {
            assert_eq!(vec2(value), Vec2::X);
            seen += 1;
        })
        .unwrap();
    assert_eq!(seen, 4);
}

#[test]
fn properties_are_set_and_shown_as_text() {
    let mut world = yard();
    for (text, name, path, shown) in [
        (
            "safe.Body.linear_velocity=(3,0)",
            "safe",
            "body.linear_velocity",
            "(3, 0)",
        ),
        (
            "safe.body.linear_velocity.y = 1.5",
            "safe",
            "body.linear_velocity",
            "(3, 1.5)",
        ),
        (
            "crate[1].body.kind=Kinematic",
            "crate[1]",
            "body.kind",
            "Kinematic",
        ),
        (
            "cart/lamp.look.image=night.png",
            "cart/lamp",
            "look.image",
            "\"night.png\"",
        ),
        (
            "cart/lamp.Fog.values=[1, 2.5]",
            "cart/lamp",
            "Fog.values",
            "[1, 2.5]",
        ),
        (
            "gate.transform.parent=cart",
            "gate",
            "transform.parent",
            "\"cart\"",
        ),
        ("gate.transform.parent=none", "gate", "transform.parent", "none"),
        (
            "cart/lamp.look.colour=(0,1,0,1)",
            "cart/lamp",
            "look.colour",
            "(0, 1, 0, 1)",
        ),
        // Brackets of either form, for languages that have one for both.
        (
            "safe.body.linear_velocity=[2, -1]",
            "safe",
            "body.linear_velocity",
            "(2, -1)",
        ),
        (
            "cart/lamp.Fog.values=(3, 4.5)",
            "cart/lamp",
            "Fog.values",
            "[3, 4.5]",
        ),
        (
            "safe.hull.points=((0, 0), [2, 0], (1, 1))",
            "safe",
            "hull.points",
            "[(0, 0), (2, 0), (1, 1)]",
        ),
    ] {
        world
            .set_text(text)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let entity = world.find(name).unwrap();
        let views = world.describe(entity);
        let (component, property) = path.split_once('.').unwrap();
        let view = views.iter().find(|view| view.name == component).unwrap();
        let (property, value) = view
            .properties
            .iter()
            .find(|(known, _)| *known.name == *property)
            .unwrap();
        assert_eq!(world.show_value(property.kind, value), shown, "{text}");
    }
    let dotted = world.create(Some("plank.1")).unwrap();
    world.set_text("plank.1.transform.angle=2").unwrap();
    assert_eq!(world.get(dotted, "transform.angle").unwrap(), Value::F32(2.0));
    for (text, message) in [
        ("safe.body", "`safe.body`: write entity.component.property=value"),
        (
            "saef.body.kind=Static",
            "`saef.body.kind`: no entity is called \"saef\"; did you mean \"safe\"?",
        ),
        (
            "safe.Tag.x=1",
            "has no component `Tag`; it has: place, body, hull, crate, heavy",
        ),
        (
            "safe.body.linear_damping=much",
            "`safe.body.linear_damping=much`: `much` is no f32: Expected float",
        ),
        (
            "safe.body.kind=Stone",
            "`body.kind` is one of Static, Kinematic, Dynamic, not string",
        ),
        ("gate.transform.parent=nobody", "no entity is called \"nobody\""),
        (
            "gate.transform.parent=12345678901",
            "no entity is called \"12345678901\"",
        ),
        ("safe.body.linear_velocity=(1, 2]", "`(1, 2]` is no vec2: "),
        ("safe.body.linear_velocity=[1, 2, 3]", "`[1, 2, 3]` is no vec2: "),
        ("cart/lamp.Fog.values=(1, [2])", "`(1, [2])` is no "),
    ] {
        let error = world.set_text(text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    // An entity that has no name is given by the number of its handle.
    let cart = world.find("cart").unwrap();
    world.set_name(cart, None).unwrap();
    world
        .set_text(&format!("gate.transform.parent={}", cart.to_bits()))
        .unwrap();
    assert_eq!(world.parent(world.find("gate").unwrap()), Some(cart));
}

#[test]
fn what_is_wrong_has_the_names_in_it() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    for (path, value, message) in [
        (
            "boby.kind",
            Value::Bool(true),
            "has no component `boby`; it has: place, body, hull, crate, heavy",
        ),
        (
            "body.mood",
            Value::Bool(true),
            "component `body` (Body) has no property `mood`",
        ),
        (
            "body.linear_damping",
            Value::I32(1),
            "`body.linear_damping` is f32, not i32",
        ),
        (
            "body.linear_damping",
            Value::F32(-1.0),
            "`body.linear_damping` must lie between 0 and",
        ),
        (
            "body.linear_velocity",
            Value::Vec2(Vec2::NAN),
            "`body.linear_velocity` must be a finite number, not NaN",
        ),
    ] {
        let before = world.state_hash();
        let error = world.set(safe, path, value).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(world.state_hash(), before, "{path}");
    }
}

/// Properties that physics sets together, in pairs: what is set of the first, and what the second is before and after.
fn set_together() -> [(&'static str, Value, &'static str, Value); 8] {
    let (own, pair) = (Value::F32(2.5), Value::Vec2(Vec2::new(1.0, 2.0)));
    [
        (
            "body.fixed_y",
            Value::Bool(true),
            "body.fixed_x",
            Value::Bool(true),
        ),
        ("body.speed_max", own.clone(), "body.spin_max", Value::F32(6.0)),
        ("body.spin_max", own.clone(), "body.speed_max", own.clone()),
        ("body.own_inertia", own.clone(), "body.own_mass", Value::F32(3.0)),
        ("body.own_mass", own.clone(), "body.own_inertia", own.clone()),
        ("body.own_center", pair.clone(), "body.own_mass", own.clone()),
        (
            "body.own_center.x",
            own.clone(),
            "body.own_center.y",
            Value::F32(2.0),
        ),
        (
            "body.lasting_force.x",
            own,
            "body.lasting_force.y",
            Value::F32(8.0),
        ),
    ]
}

#[test]
fn what_physics_sets_together_is_set_one_by_one() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    let body = world.body_of(safe).unwrap();
    let mut body = world.physics_mut().body_mut(body).unwrap();
    body.set_fixed_axes(true, false);
    body.set_speed_limits(5.0, 6.0).unwrap();
    body.set_own_mass(MassProperties {
        mass: 3.0,
        inertia: 4.0,
        center: Vec2::new(0.1, 0.2),
    })
    .unwrap();
    body.set_lasting_force(Vec2::new(7.0, 8.0)).unwrap();
    for (path, value, other, kept) in set_together() {
        world.set(safe, path, value.clone()).unwrap();
        assert_eq!(world.get(safe, path), Ok(value));
        assert_eq!(world.get(safe, other), Ok(kept), "{other} after {path}");
    }
}

#[test]
fn a_piece_of_what_had_a_mass_of_its_own_does_not_get_that_of_the_whole() {
    let text = r#"(
        entities: {"beam": {
            "body": Body(kind: Dynamic, own_mass: 50, own_inertia: 20, own_center: (1, 0.05)),
            "wood": Collider(shape: Box(width: 4, height: 0.2)),
        }},
        place: [One(name: "beam", entity: "beam")],
    )"#;
    let mut world = World::from_scene(&Scene::parse("beam.ron", text).unwrap()).unwrap();
    let beam = world.find("beam").unwrap();
    world
        .slice(beam, Position::new(1.0, 0.0), Position::new(1.0, 1.0))
        .unwrap();
    for name in ["beam", "beam.1"] {
        let piece = world.find(name).unwrap();
        let weighs = world.body(piece).unwrap().mass();
        for (path, value) in [
            ("body.own_inertia", Value::F32(1.0)),
            ("body.own_center.x", Value::F32(0.25)),
        ] {
            world.set(piece, path, value).unwrap();
            assert_eq!(world.get(piece, "body.own_mass"), Ok(Value::F32(0.0)), "{path}");
            assert_eq!(world.body(piece).unwrap().mass(), weighs, "{path}");
        }
        assert_eq!(
            world.get(piece, "body.own_center"),
            Ok(Value::Vec2(Vec2::new(0.25, 0.0)))
        );
    }
    // A resource that is loaded again changes what it names, and no more.
    let text = text.replace("own_inertia: 20", "own_inertia: 30");
    let scene = Scene::parse("beam.ron", &text).unwrap();
    let whole = world.spawn("beam", &SpawnDef::default()).unwrap();
    let body = world.body_of(whole).unwrap();
    let mut body = world.physics_mut().body_mut(body).unwrap();
    body.set_own_mass(MassProperties {
        mass: 7.0,
        inertia: 20.0,
        center: Vec2::ZERO,
    })
    .unwrap();
    let definitions = World::from_scene(&scene)
        .unwrap()
        .library()
        .iter()
        .cloned()
        .collect();
    world.define(definitions).unwrap();
    assert_eq!(world.get(whole, "body.own_inertia"), Ok(Value::F32(30.0)));
    assert_eq!(world.get(whole, "body.own_mass"), Ok(Value::F32(7.0)));
}
