//! What a component's schema takes, physics takes; what a scene's reader takes, the world takes.

use tombolo::component::JointKinds;
use tombolo::entity::{Kind, Value};
use tombolo::physics::Vec2;
use tombolo::{Kinds, Scene, World};

/// One entity with everything that physics makes something of.
const MACHINE: &str = r#"(
    entities: {
        "wall": {"body": Body(), "hull": Collider(shape: Circle(radius: 1))},
        "machine": {
            "place": Transform(),
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "eye": Trigger(shape: Circle(radius: 1)),
            "hinge": Joint(to: Entity("wall"), kind: Revolute(
                limit: (lower: 0, upper: 0),
                spring: (hertz: 1, damping_ratio: 1),
                motor: (speed: 1, max_torque: 1),
            )),
            "rod": Joint(to: Entity("wall"), kind: Distance(limit: (lower: 0, upper: 9))),
            "slide": Joint(to: Entity("wall"), kind: Prismatic()),
            "glue": Joint(to: Entity("wall"), kind: Weld()),
            "axle": Joint(to: Entity("wall"), kind: Wheel()),
            "drag": Joint(to: Entity("wall"), kind: Motor()),
            "any": Joint(to: Entity("wall"), kind: Generic()),
            "gear": Joint(to: Entity("wall"), kind: Gear()),
            "rack": Joint(to: Entity("wall"), kind: Rack()),
            "pulley": Joint(to: Entity("wall"), kind: Pulley()),
            "ghost": Joint(to: Entity("wall"), kind: Filter()),
            "spout": Spawner(resource: "wall", interval: 0.001),
            "walker": Agent(goal: (3, 3)),
        },
    },
    place: [
        One(name: "wall", entity: "wall"),
        One(name: "machine", entity: "machine", at: (3, 0)),
    ],
)"#;

/// Properties where physics asks for more than a range of numbers: what the schema cannot tell.
const MORE_THAN_A_RANGE: [(&str, &str); 17] = [
    // Two shapes of one density differ in mass, which has a limit.
    ("Collider", "density"),
    // A shape has to stay within the largest coordinate as a whole, wherever its frame lies.
    ("Collider", "position"),
    ("Trigger", "position"),
    ("Collider", "size"),
    ("Collider", "points"),
    // A circle has a radius, a box may do without.
    ("Collider", "radius"),
    ("Trigger", "radius"),
    // Where it is on the other body depends on where that lies.
    ("Joint", "pivot"),
    // The lower limit lies below the upper one.
    ("Joint", "lower"),
    ("Joint", "lower_x"),
    ("Joint", "upper_x"),
    ("Joint", "lower_y"),
    ("Joint", "upper_y"),
    // Nothing turns in a ratio of zero, and no part of a rope pushes.
    ("Joint", "ratio"),
    ("Joint", "radius"),
    // The origin is no direction.
    ("Joint", "axis"),
    ("Joint", "upper"),
];

fn machine() -> World {
    let scene = Scene::parse("machine.ron", MACHINE).expect("it is sound");
    World::from_scene(&scene).expect("it is sound")
}

#[test]
fn physics_accepts_every_value_that_the_schema_accepts() {
    let world = machine();
    let machine = world.find("machine").expect("it is placed");
    let mut asked = 0;
    for row in world.entities().components(machine) {
        let component = world.entities().names().get(row.name).expect("it has a name");
        let mut managers = world.entities().managers();
        let (_, kind, manager) = managers
            .nth(usize::from(row.manager.0))
            .expect("it is registered");
        let kind = world.entities().names().get(kind).expect("it has a name");
        let entries = Kinds::default();
        let entries = entries
            .iter()
            .find(|entry| entry.name() == kind)
            .expect("it is known")
            .entries()
            .to_vec();
        for (property, entry) in manager.properties().iter().zip(entries) {
            let joint = world.get(machine, &format!("{component}.kind")).ok();
            let has_it =
                |kinds: JointKinds| kinds.iter().any(|kind| joint == Some(Value::Choice(kind as u32)));
            if !entry.joint_kinds().is_none_or(has_it) {
                continue;
            }
            if property.read_only || MORE_THAN_A_RANGE.contains(&(kind, &*property.name)) {
                continue;
            }
            let most = f64::from(f32::MAX);
            let (least, most) = property.range.unwrap_or((-most, most));
            for number in [least, most, least.max(0.0), 0.5 * most] {
                let number = number as f32;
                let value = match property.kind {
                    Kind::F32 => Value::F32(number),
                    Kind::Vec2 => Value::Vec2(Vec2::splat(number)),
                    _ => continue,
                };
                let path = format!("{component}.{}", property.name);
                let mut world = world.clone();
                let answer = world.set(machine, &path, value);
                assert_eq!(answer, Ok(()), "{path}: {number}");
                for _ in 0..3 {
                    world.step();
                }
                assert!(
                    world.faults().is_empty(),
                    "{path}: {number}: {:?}",
                    world.faults()
                );
                asked += 1;
            }
        }
    }
    assert!(asked > 350, "{asked} numbers were tried");
}

#[test]
fn between_zero_and_the_least_no_number_is_taken_and_nothing_changes() {
    let mut world = machine();
    let machine = world.find("machine").expect("it is placed");
    // One that ties nothing yet: physics is not asked.
    world
        .add_component(machine, "Joint", "open")
        .expect("it may have another");
    for (path, number) in [
        ("open.hertz", 1.0e-4),
        ("open.stiffness", 1.0e-4),
        ("hinge.hertz", 1.0e-4),
        ("hinge.stiffness", f32::from_bits(1)),
        ("hull.density", 1.0e-7),
    ] {
        let before = world.get(machine, path);
        let error = world
            .set(machine, path, Value::F32(number))
            .expect_err("too small");
        assert!(error.to_string().contains("must be 0 or lie between"), "{error}");
        assert_eq!(world.get(machine, path), before);
    }
}

/// Places in a scene's text where a number stands, and what stands around it.
const NUMBERS: [&str; 59] = [
    "BODY(linear_velocity: (#, 0))",
    "BODY(angular_velocity: #)",
    "BODY(linear_damping: #)",
    "BODY(angular_damping: #)",
    "BODY(gravity_scale: #)",
    "BODY(sleep_threshold: #)",
    "MATERIAL(density: #)",
    "MATERIAL(friction: #)",
    "MATERIAL(restitution: #)",
    "MATERIAL(rolling_resistance: #)",
    "MATERIAL(tangent_speed: #)",
    "MATERIAL(contact_skin: #)",
    "HINGE(spring: (hertz: #))",
    "HINGE(spring: (damping_ratio: #))",
    "HINGE(spring: (hertz: 1, target_angle: #))",
    "HINGE(motor: (speed: #))",
    "HINGE(motor: (speed: 1, max_torque: #))",
    "HINGE(limit: (lower: -3, upper: #))",
    "HINGE(limit: (lower: #, upper: 3))",
    "JOINT(to_angle: #, kind: Weld())",
    "JOINT(to_pivot: (0, #), kind: Distance())",
    "JOINT(axis: (#, 0), kind: Prismatic())",
    "JOINT(kind: Distance(length: #))",
    "JOINT(kind: Distance(limit: (lower: #, upper: 9)))",
    "JOINT(kind: Distance(spring: (lower_force: #)))",
    "JOINT(kind: Prismatic(limit: (lower: -9, upper: #)))",
    "JOINT(kind: Wheel(spring: (hertz: 1, target_translation: #)))",
    "JOINT(kind: Weld(angular_spring: (hertz: #)))",
    "JOINT(kind: Generic(limit_x: (lower: -9, upper: #)))",
    "JOINT(kind: Generic(spring_y: (hertz: #)))",
    "JOINT(kind: Gear(ratio: #))",
    "JOINT(kind: Rack(radius: #))",
    "JOINT(kind: Pulley(ratio: #))",
    "JOINT(kind: Pulley(from_wheel: (0, #), from_length: 1))",
    "JOINT(kind: Motor(motor: (velocity: (#, 0), max_force: 1)))",
    "JOINT(kind: Motor(spring: (hertz: 1, max_force: #)))",
    "JOINT(kind: Weld(force_threshold: #, breaks: true))",
    "SETTINGS(gravity: (#, 0))",
    "SETTINGS(debris_area: #)",
    "SETTINGS(restitution_threshold: #)",
    "SETTINGS(hit_threshold: #)",
    "SETTINGS(contact_hertz: #)",
    "SETTINGS(contact_damping_ratio: #)",
    "SETTINGS(push_speed_max: #)",
    "SETTINGS(speed_max: #)",
    "SETTINGS(substeps: #)",
    "SETTINGS(steps_per_second: #)",
    "PART(Transform(scale: (1, #)))",
    "PART(Transform(angle: #))",
    "PART(Agent(speed: #))",
    "PART(Agent(clearance: #))",
    "PART(Agent(goal: (#, 0)))",
    "PART(Spawner(resource: \"ball\", interval: #))",
    "PART(Spawner(resource: \"ball\", interval: 0.01, velocity: (#, #)))",
    "PART(Sprite(size: (#, 1)))",
    "PART(Sprite(offset: (#, 1)))",
    "SHAPE(Circle(radius: #))",
    "SHAPE(Box(width: #, height: 1))",
    "SHAPE(Capsule(from: (0, 0), to: (#, 1), radius: 0.1))",
];

/// A scene with a number at one of [`NUMBERS`].
fn scene_with(place: &str, number: f32) -> String {
    let number = if number.is_finite() {
        format!("{number:?}")
    } else {
        "inf".into()
    };
    let (section, rest) = place.split_once('(').expect("a section comes first");
    let inner = rest.strip_suffix(')').expect("it ends").replace('#', &number);
    let given = |name: &str, otherwise: &str| {
        if name == section {
            inner.clone()
        } else {
            otherwise.into()
        }
    };
    format!(
        r#"(
            settings: ({settings}),
            materials: {{"stuff": ({material})}},
            entities: {{
                "ball": {{
                    "body": Body(kind: Dynamic {comma} {body}),
                    "hull": Collider(shape: {shape}, material: "stuff"),
                    "part": {part},
                    "hinge": Joint(to: Entity("peg"), kind: Revolute({revolute})),
                    "second": Joint(to: Entity("peg"), {joint}),
                }},
                "peg": {{"body": Body()}},
            }},
            place: [One(name: "peg", entity: "peg"), One(name: "ball", entity: "ball", at: (2, 0))],
        )"#,
        comma = if section == "BODY" { "," } else { "" },
        settings = given("SETTINGS", ""),
        material = given("MATERIAL", ""),
        body = given("BODY", ""),
        shape = given("SHAPE", "Circle(radius: 1)"),
        part = given("PART", "Tag()"),
        revolute = given("HINGE", ""),
        joint = given("JOINT", "kind: Filter()"),
    )
}

#[test]
fn the_world_accepts_every_value_that_scenes_may_have() {
    let mut numbers: Vec<f32> = vec![
        0.0,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        1.0,
        64.0,
        65.0,
        f32::MAX,
        f32::INFINITY,
    ];
    for power in [-7, -6, -5, -4, -3, 2, 3, 4, 5, 6, 7, 24, 30] {
        let number: f32 = format!("1e{power}").parse().expect("it is a number");
        numbers.extend([number.next_down(), number, number.next_up()]);
    }
    let (mut taken, mut refused) = (0, 0);
    for place in NUMBERS {
        for number in numbers.iter().flat_map(|&number| [number, -number]) {
            let text = scene_with(place, number);
            let scene = match Scene::parse("test.ron", &text) {
                Ok(scene) => scene,
                Err(error) => {
                    let at = error.to_string();
                    assert!(
                        error.line.is_some() && error.property.is_some(),
                        "{place}, {number}: {at}"
                    );
                    refused += 1;
                    continue;
                }
            };
            match World::from_scene(&scene) {
                Ok(mut world) => {
                    world.step();
                    taken += 1;
                }
                // Which mass a density comes to depends on the shape.
                Err(error) if error.to_string().contains("mass and inertia") => refused += 1,
                Err(error) => panic!("{place}, {number}: {error}"),
            }
        }
    }
    assert!(
        taken > 800 && refused > 500,
        "{taken} were taken, {refused} refused"
    );
}
