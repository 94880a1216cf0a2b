//! Joints of all kinds as components: from a file, by name, saved, cut, strained and broken; and what is refused of them.

use tombolo::component::Joint;
use tombolo::entity::{Dense, Value};
use tombolo::physics::{Position, Vec2};
use tombolo::{Event, Scene, World};

/// Of each kind: what a file says, one of its properties, and what that is set to.
fn kinds() -> [(&'static str, &'static str, Value); 13] {
    [
        (
            "Revolute(motor: (speed: 1, max_torque: 5))",
            "motor_speed",
            Value::F32(-2.0),
        ),
        (
            "Distance(length: 3, spring: (hertz: 2, damping_ratio: 0.3))",
            "length",
            Value::F32(2.5),
        ),
        (
            "Prismatic(limit: (lower: -1, upper: 2), motor: (speed: 1, max_force: 20))",
            "max_force",
            Value::F32(9.0),
        ),
        (
            "Weld(angular_spring: (hertz: 3))",
            "angular_hertz",
            Value::F32(5.0),
        ),
        (
            "Wheel(spring: (hertz: 3, damping_ratio: 0.5), motor: (speed: 4, max_torque: 1))",
            "hertz",
            Value::F32(5.0),
        ),
        (
            "Motor(motor: (velocity: (1, 0), angular_velocity: 2, max_force: 30, max_torque: 5))",
            "velocity",
            Value::Vec2(Vec2::new(0.0, 1.0)),
        ),
        ("Filter()", "kind", Value::Choice(3)),
        (
            "Generic(lock_angle: true, lock_y: true, motor_x: (speed: 1, max_force: 20))",
            "motor_speed_x",
            Value::F32(-1.0),
        ),
        ("Gear(ratio: 2)", "ratio", Value::F32(-3.0)),
        ("Rack(radius: 0.5)", "radius", Value::F32(-0.25)),
        (
            "Pulley(from_wheel: (4, 9), to_wheel: (0, 9), from_length: 5, to_length: 5)",
            "from_length",
            Value::F32(4.0),
        ),
        (
            "Mover(motor: (velocity: (3, 0), max_forces: (20, 0)))",
            "velocity",
            Value::Vec2(Vec2::new(-1.0, 0.0)),
        ),
        (
            "Pogo(length: 2, spring: (hertz: 3, damping_ratio: 0.5, lower_force: 0))",
            "length",
            Value::F32(1.5),
        ),
    ]
}

/// A plank of 4 m that `tie` joins to a box with its left end at (2, 5).
fn scene(joint: &str, script: &str) -> Result<Scene, tombolo::SceneError> {
    // A filter holds no point.
    let pivot = if joint.contains("Filter") {
        ""
    } else {
        "pivot: (-1.9, 0),"
    };
    let text = format!(
        r#"(
    entities: {{
        "floor": {{"body": Body(), "top": Collider(shape: Box(width: 40, height: 2))}},
        "box": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
        "plank": {{
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 4, height: 0.4)),
            "tie": Joint(to: Entity("box"),{pivot}
                {joint}
            ),
            "mind": Script(text: {script:?}),
        }},
    }},
    place: [
        One(name: "floor", entity: "floor", at: (0, -1)),
        One(name: "box", entity: "box", at: (1, 5)),
        One(name: "plank", entity: "plank", at: (4, 5)),
    ],
)"#
    );
    Scene::parse("tie.ron", &text)
}

const IDLE: &str = "fn on_tick(seconds) {}";

fn world(kind: &str, script: &str) -> World {
    let scene = scene(&format!("kind: {kind}"), script).unwrap_or_else(|error| panic!("{kind}: {error}"));
    World::from_scene(&scene).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

fn get(world: &World, path: &str) -> Value {
    let plank = world.find("plank").expect("it is placed");
    world.get(plank, path).unwrap_or_else(|error| panic!("{error}"))
}

fn joint_of(world: &World, entity: &str) -> Option<Joint> {
    let joints: &Dense<Joint> = world.manager(tombolo::component::JOINT)?;
    joints
        .of(world.find(entity)?)
        .next()
        .map(|(_, joint)| joint.clone())
}

#[test]
fn each_joint_kind_is_set_by_name_and_steps_alike_after_a_restore() {
    for (kind, property, value) in kinds() {
        let mut world = world(kind, IDLE);
        let made = joint_of(&world, "plank")
            .and_then(|joint| joint.id())
            .expect(kind);
        run(&mut world, 20);
        let plank = world.find("plank").expect("it is placed");
        world
            .set(plank, &format!("tie.{property}"), value.clone())
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(get(&world, &format!("tie.{property}")), value, "{kind}");
        let id = joint_of(&world, "plank")
            .and_then(|joint| joint.id())
            .expect(kind);
        assert_eq!(
            id == made,
            property != "kind",
            "{kind}: an option leaves the joint where it is"
        );
        let saved = world.save();
        let mut restored = self::world(kind, IDLE);
        restored
            .restore(&saved)
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(restored.state_hash(), world.state_hash(), "{kind}");
        run(&mut world, 40);
        run(&mut restored, 40);
        assert_eq!(restored.state_hash(), world.state_hash(), "{kind}");
        // Changing it changed what happens.
        let mut unchanged = self::world(kind, IDLE);
        run(&mut unchanged, 60);
        assert_ne!(
            unchanged.physics().state_hash(),
            world.physics().state_hash(),
            "{kind}"
        );
    }
}

#[test]
#[cfg(feature = "script")]
fn a_script_sets_each_kind_as_a_call_does() {
    for (kind, property, value) in kinds() {
        let written = match &value {
            Value::F32(number) => format!("{number:?}"),
            Value::Vec2(vector) => format!("vec2({:?}, {:?})", vector.x, vector.y),
            _ => "\"Weld\"".to_string(),
        };
        let script = format!(
            "fn on_tick(seconds) {{ if this.done == () {{ this.done = true; me().set(\"tie.{property}\", {written}); }} }}"
        );
        let mut by_script = world(kind, &script);
        let mut by_call = world(kind, IDLE);
        let plank = by_call.find("plank").expect("it is placed");
        by_call.set(plank, &format!("tie.{property}"), value).unwrap();
        run(&mut by_script, 30);
        run(&mut by_call, 29);
        assert!(by_script.faults().is_empty(), "{kind}: {:?}", by_script.faults());
        // The script's first tick comes with the second step.
        let [one, other] = [&by_script, &by_call].map(|world| world.pose(plank).expect("it lives").position);
        assert!(one.distance(other) < 0.1, "{kind}: {one} and {other}");
        assert_eq!(
            get(&by_script, &format!("tie.{property}")),
            get(&by_call, &format!("tie.{property}"))
        );
    }
}

#[test]
fn a_joint_goes_with_the_piece_that_holds_its_anchor() {
    for (kind, ..) in kinds() {
        let mut world = world(kind, IDLE);
        run(&mut world, 2);
        let plank = world.find("plank").expect("it is placed");
        let id = joint_of(&world, "plank")
            .and_then(|joint| joint.id())
            .expect(kind);
        let middle = world.pose(plank).expect("it lives").position;
        let [from, to] = [-1.0, 1.0].map(|y| Position::from(middle + Vec2::new(-1.0, y)));
        let cut = world
            .slice(plank, from, to)
            .expect(kind)
            .expect("it goes through");
        assert_eq!(cut.pieces.len(), 1, "{kind}");
        // The greater piece keeps the name; the other has the anchor, but for a filter, which is held in the middle.
        let (has_it, has_none) = match kind {
            "Filter()" => ("plank", "plank.1"),
            _ => ("plank.1", "plank"),
        };
        assert_eq!(joint_of(&world, has_none), None, "{kind}");
        let moved = joint_of(&world, has_it).expect(kind);
        assert_eq!(moved.id(), Some(id), "{kind}");
        assert!(world.physics().joint(id).is_some(), "{kind}");
        let saved = world.save();
        run(&mut world, 30);
        let mut restored = self::world(kind, IDLE);
        restored
            .restore(&saved)
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        run(&mut restored, 30);
        assert_eq!(restored.state_hash(), world.state_hash(), "{kind}");
    }
}

#[test]
fn what_ends_a_body_ends_its_joint_and_what_disables_it_does_not() {
    for (kind, ..) in kinds() {
        let mut world = world(kind, IDLE);
        assert_eq!(world.physics().counters().joints, 1, "{kind}");
        let other = world.find("box").expect("it is placed");
        world.set(other, "body.enabled", Value::Bool(false)).unwrap();
        run(&mut world, 10);
        assert_eq!(world.physics().counters().joints, 1, "{kind}");
        world.set(other, "body.enabled", Value::Bool(true)).unwrap();
        run(&mut world, 10);
        assert_eq!(world.despawn(other), Ok(()), "{kind}");
        run(&mut world, 10);
        assert_eq!(world.physics().counters().joints, 0, "{kind}");
        assert!(world.faults().is_empty(), "{kind}: {:?}", world.faults());
    }
}

/// A plank that hangs on a post by one end.
const BRACKET: &str = r#"(
    entities: {
        "post": {"body": Body()},
        "plank": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 4, height: 0.5)),
            "bracket": Joint(to: Entity("post"), pivot: (-2, 0), kind: Weld(torque_threshold: 30, breaks: BREAKS)),
            "mind": Script(text: "fn on_strain(joint, force, torque) { this.strained = [joint, force > 15.0, torque.abs() > 30.0]; }
                fn on_break(joint, force, torque) { this.broke = [joint, force > 15.0, torque.abs() > 30.0]; }"),
        },
    },
    place: [One(name: "post", entity: "post"), One(name: "plank", entity: "plank", at: (2, 0))],
)"#;

fn bracket(breaks: &str) -> World {
    let scene = Scene::parse("bracket.ron", &BRACKET.replace("BREAKS", breaks)).expect("it is sound");
    World::from_scene(&scene).expect("it is sound")
}

#[test]
fn a_strained_joint_is_reported_and_holds() {
    // 2 kg, 2 m out: 40 N m. Before it sleeps.
    let mut world = bracket("false");
    run(&mut world, 25);
    let plank = world.find("plank").expect("it is placed");
    let [Event::Strain(strain)] = world.events() else {
        panic!("{:?}", world.events());
    };
    assert_eq!(strain.entity, plank);
    assert_eq!(world.entities().names().get(strain.component), Some("bracket"));
    assert!((strain.force.length() - 20.0).abs() < 0.5, "{strain:?}");
    assert!((strain.torque.abs() - 40.0).abs() < 1.0, "{strain:?}");
    assert_eq!(get(&world, "bracket.joint_torque"), Value::F32(strain.torque));
    assert_eq!(get(&world, "bracket.broken"), Value::Bool(false));
    #[cfg(feature = "script")]
    assert_eq!(
        get(&world, "mind.state"),
        Value::String("#{strained: [\"bracket\", true, true]}".into())
    );
}

#[test]
fn a_broken_joint_says_so_and_can_be_mended() {
    let mut world = bracket("true");
    let mut broke = 0;
    for _ in 0..120 {
        world.step();
        broke += world
            .events()
            .iter()
            .filter(|event| matches!(event, Event::Break(_)))
            .count();
    }
    assert_eq!(broke, 1, "it breaks once");
    assert_eq!(get(&world, "bracket.broken"), Value::Bool(true));
    assert_eq!(world.physics().counters().joints, 0);
    let plank = world.find("plank").expect("it is placed");
    let fallen = world.pose(plank).expect("it lives").position.y;
    assert!(fallen < -5.0, "{fallen}");
    #[cfg(feature = "script")]
    assert_eq!(
        get(&world, "mind.state"),
        Value::String("#{broke: [\"bracket\", true, true]}".into())
    );
    // A save has it broken too.
    let mut restored = bracket("true");
    restored.restore(&world.save()).expect("its own save");
    assert_eq!(get(&restored, "bracket.broken"), Value::Bool(true));
    assert_eq!(restored.state_hash(), world.state_hash());
    // Mended, it holds where it is now; what would break it is switched off first.
    for (path, value) in [("bracket.breaks", false), ("bracket.broken", false)] {
        restored
            .set(plank, path, Value::Bool(value))
            .unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!(restored.physics().counters().joints, 1);
    run(&mut restored, 120);
    let position = restored.pose(plank).expect("it lives").position;
    assert!((position.y - fallen).abs() < 2.0, "{position}");
    // Taken away by name, it is gone.
    restored.set(plank, "bracket.broken", Value::Bool(true)).unwrap();
    assert_eq!(restored.physics().counters().joints, 0);
}

#[test]
fn wrong_joints_are_refused_with_line_and_advice() {
    let wrong = |joint: &str| scene(joint, IDLE).expect_err(joint).to_string();
    for (joint, part) in [
        ("kind: Distanz(length: 3)", "did you mean \"Distance\"?"),
        (
            "kind: Distance(lenght: 3)",
            "property \"kind.lenght\": unknown; did you mean \"length\"?",
        ),
        (
            "kind: Revolute(length: 3)",
            "property \"kind.length\": unknown; known: ",
        ),
        (
            "kind: Distance(length: -1)",
            "-1 is out of range; give 0 to 100000 m",
        ),
        (
            "kind: Distance(limit: (lower: 3, upper: 2))",
            "property \"kind.limit.upper\": 2 is below the lower limit 3",
        ),
        (
            "kind: Distance(spring: (lower_force: 3, upper_force: 2))",
            "2 is below the lower force 3",
        ),
        (
            "kind: Prismatic(), axis: (0, 0)",
            "property \"axis\": has no direction; give one such as (0, 1)",
        ),
        (
            "kind: Weld(), axis: (0, 1)",
            "property \"axis\": a Weld joint has none; leave it out",
        ),
        (
            "kind: Filter(), to_pivot: (1, 1)",
            "property \"to_pivot\": a Filter joint has none; leave it out",
        ),
        (
            "kind: Gear(ratio: 0)",
            "property \"kind.ratio\": 0 is out of range",
        ),
        (
            "kind: Rack(radius: 0)",
            "property \"kind.radius\": 0 is out of range",
        ),
        (
            "kind: Generic(limit_x: (lower: 1, upper: 0))",
            "property \"kind.limit_x.upper\": 0 is out of range",
        ),
        ("kind: Weld(force_threshold: -1)", "give 0 or more N"),
    ] {
        let error = wrong(joint);
        assert!(
            (8..=10).any(|line| error.starts_with(&format!("tie.ron:{line}:"))),
            "{error}"
        );
        assert!(error.contains("entity \"plank\", component \"tie\""), "{error}");
        assert!(error.contains(part), "{joint}: {error}");
    }
}

#[test]
fn what_a_kind_lacks_cannot_be_set_and_nothing_changes() {
    let mut world = world("Weld()", IDLE);
    let plank = world.find("plank").expect("it is placed");
    let before = world.state_hash();
    for (property, value, part) in [
        (
            "length",
            Value::F32(2.0),
            "a Weld joint has no `length`; those that have it: Distance",
        ),
        (
            "motor_speed",
            Value::F32(2.0),
            "a Weld joint has no `motor_speed`; those that have it: Revolute, Distance, ",
        ),
        ("axis", Value::Vec2(Vec2::Y), "a Weld joint has no `axis`; "),
    ] {
        let error = world
            .set(plank, &format!("tie.{property}"), value)
            .expect_err(property)
            .to_string();
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(world.state_hash(), before);
    let shown: Vec<String> = world
        .describe(plank)
        .into_iter()
        .filter(|view| view.name == "tie")
        .flat_map(|view| {
            view.properties
                .into_iter()
                .map(|(property, _)| property.name.to_string())
        })
        .collect();
    assert!(shown.iter().any(|name| name == "angular_hertz"), "{shown:?}");
    assert!(
        shown
            .iter()
            .all(|name| name != "motor_speed" && name != "joint_length"),
        "{shown:?}"
    );
}

/// Turns are no part of kinds that count none.
#[test]
fn a_joint_that_counted_turns_becomes_one_that_counts_none() {
    let counts = "Revolute(count_turns: true, turns: 2)";
    for kind in ["Weld", "Distance", "Prismatic", "Filter"] {
        let mut world = world(counts, IDLE);
        let plank = world.find("plank").expect("it is placed");
        world
            .set(plank, "tie.kind", Value::String(kind.into()))
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(world.physics().joints().count(), 1, "{kind}");
        let of_component = joint_of(&world, "plank").and_then(|joint| joint.id());
        assert_eq!(
            of_component,
            world.physics().joints().next().map(|joint| joint.id()),
            "{kind}"
        );
        world
            .set(plank, "tie.kind", Value::String("Revolute".into()))
            .unwrap();
        assert_eq!(
            get(&world, "tie.turns"),
            Value::I32(2),
            "{kind}: it counts from there again"
        );
        run(&mut world, 5);
        world.physics().validate();
    }
}

/// A plank that two lamps hang on, at its ends, and that is tied to a hook in its middle.
const PLANK: &str = r#"(
    settings: (debris_area: 0.05),
    entities: {
        "hook": {"body": Body()},
        "plank": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 2, height: 0.1)),
            "nail": Joint(to: Entity("hook")),
        },
        "lamp": {
            "body": Body(kind: Dynamic),
            "glass": Collider(shape: Box(width: 0.2, height: 0.2)),
            "rope": Joint(to: Entity("plank"), pivot: (0, 0.5)),
        },
    },
    place: [
        One(name: "hook", entity: "hook", at: (0, 3)),
        One(name: "plank", entity: "plank", at: (0, 3)),
        One(name: "left", entity: "lamp", at: (-0.95, 2.5)),
        One(name: "right", entity: "lamp", at: (0.95, 2.5)),
    ],
)"#;

/// The joint of a lamp that was on a piece which vanished does not come back at the rest of the plank; one that waits for
/// the body of its other end goes on waiting.
#[test]
fn a_joint_of_another_ends_with_the_piece_that_has_its_anchor() {
    let [from, to] = [4.0, 2.0].map(|y| Position::new(-0.7, y));
    for is_segment in [false, true] {
        let mut world = World::from_scene(&Scene::parse("plank.ron", PLANK).unwrap()).unwrap();
        let [hook, plank, left, right] =
            ["hook", "plank", "left", "right"].map(|name| world.find(name).unwrap());
        assert_eq!(world.physics().joints().count(), 3);
        world.remove_component(hook, "body").unwrap();
        assert_eq!(world.physics().joints().count(), 2);
        let cut = if is_segment {
            let filter = tombolo::physics::QueryFilter::default();
            world.cut_through(from, to, filter).unwrap().remove(0)
        } else {
            world.slice(plank, from, to).unwrap().unwrap()
        };
        assert_eq!((cut.pieces.len(), cut.cut.vanished.len()), (0, 1));
        assert_eq!(world.physics().joints().count(), 1);
        let speed = |lamp, world: &mut World| world.set(lamp, "rope.motor_speed", Value::F32(0.5));
        assert!(speed(left, &mut world).is_err(), "it has no rope");
        speed(right, &mut world).unwrap();
        assert_eq!(world.physics().joints().count(), 1);
        world.add_component(hook, "Body", "body").unwrap();
        let mut tied: Vec<_> = world.physics().joints().map(|joint| joint.user_key()).collect();
        tied.sort_unstable();
        let mut expected = [plank, right].map(|entity| entity.to_bits());
        expected.sort_unstable();
        assert_eq!(tied, expected);
        for _ in 0..120 {
            world.step();
        }
        assert!(world.pose(left).unwrap().position.y < -10.0, "it falls");
        assert!(world.faults().is_empty(), "{:?}", world.faults());
    }
}
