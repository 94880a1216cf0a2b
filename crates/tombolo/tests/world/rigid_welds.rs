//! Rigid welds as components: from a file, by name, saved, strained and broken; entities that are one body, and what is refused.

use tombolo::component::{BODY, Body, RIGID_WELD, RigidWeld};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::geometry::{Pose, Position};
use tombolo::physics::{BodyId, Vec2};
use tombolo::{Event, Scene, SpawnDef, World};

/// Five planks of 1 m and 0.2 kg in a row, welded each to the one before, that hang in their middle on a pin. Where the outer
/// ones hold the inner, at 0.5 m from the pin, they bear 4 N and 4 N m.
const BEAM: &str = r#"(
    entities: {
        "post": {"body": Body()},
        "plank": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 1, height: 0.2)),
            "seam": RigidWeld(to: Previous, pivot: (-0.5, 0), STRENGTH),
            "mind": Script(text: "fn on_strain(weld, force, torque) { this.strained = [weld, force > 0.0]; }
                fn on_break(weld, force, torque) { this.broke = [weld, torque.abs()]; }"),
        },
        "box": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
        "flag": {"look": Sprite(size: (0.2, 0.2))},
        "arm": {
            "body": Body(kind: Dynamic),
            "bar": Collider(shape: Box(width: 1, height: 0.2)),
            "joint": RigidWeld(to: Parent, pivot: (-0.5, 0)),
        },
        "mast": {
            "body": Body(kind: Dynamic),
            "pole": Collider(shape: Box(width: 0.2, height: 2)),
            "flag": Child(entity: "flag", at: (0, 1)),
            "arm": Child(entity: "arm", at: (1, 0), angle: 0.5),
        },
    },
    place: [
        One(name: "post", entity: "post"),
        Row(name: "plank", entity: "plank", at: (-2, 0), count: 5, step: (1, 0)),
    ],
)"#;

fn beam_with(strength: &str) -> World {
    let scene = Scene::parse("beam.ron", &BEAM.replace("STRENGTH", strength)).expect("it is sound");
    let mut world = World::from_scene(&scene).expect("it is sound");
    let pin = "pin";
    let middle = plank(&world, 2);
    world.add_component(middle, "Joint", pin).expect("it is free");
    let post = world.find("post");
    world
        .set(middle, "pin.to", Value::Entity(post))
        .expect("it has a body");
    world
}

fn beam() -> World {
    beam_with("torque_threshold: 0")
}

fn plank(world: &World, number: usize) -> Entity {
    named(world, &format!("plank[{number}]"))
}

fn named(world: &World, name: &str) -> Entity {
    let names: Vec<&str> = world.names().map(|(name, _)| name).collect();
    world
        .find(name)
        .unwrap_or_else(|| panic!("no {name} among {names:?}"))
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

fn body(world: &World, number: usize) -> BodyId {
    world.body_of(plank(world, number)).expect("it has a body")
}

fn bodies(world: &World) -> Vec<BodyId> {
    (0..5).map(|number| body(world, number)).collect()
}

fn weld_of(world: &World, entity: Entity) -> RigidWeld {
    let welds: &Dense<RigidWeld> = world.manager(RIGID_WELD).expect("it is the engine's own");
    welds.newest(entity).expect("it has one").clone()
}

fn number(world: &World, entity: Entity, path: &str) -> f32 {
    match world.get(entity, path) {
        Ok(Value::F32(number)) => number,
        other => panic!("{path}: {other:?}"),
    }
}

fn vector(world: &World, entity: Entity, path: &str) -> Vec2 {
    match world.get(entity, path) {
        Ok(Value::Vec2(vector)) => vector,
        other => panic!("{path}: {other:?}"),
    }
}

/// Each entity is where its member is, or its body; each body bears the key of an entity that it is; and the world is the same
/// after a restore.
pub(crate) fn check(world: &World) {
    let parts: &Dense<Body> = world.manager(BODY).expect("it is the engine's own");
    for ((entity, _), part) in parts.owners().zip(parts.values()) {
        let Some(id) = world.body_of(entity) else { continue };
        let body = world.physics().body(id).expect("it lives");
        let pose = world.pose(entity).expect("it lives");
        let member = part.member().and_then(|id| world.physics().member(id));
        let place = member.map_or(body.pose(), |member| member.pose());
        assert!(
            pose.position.distance(place.position) < 1e-5,
            "{pose:?}, {place:?}"
        );
        assert!((pose.rotation.angle() - place.rotation.angle()).abs() < 1e-5);
        let owner = world.entity_of(id).expect("a body of an entity");
        assert_eq!(
            world.body_of(owner),
            Some(id),
            "it bears the key of one that it is"
        );
        if let Some(member) = member {
            for shape in member.shapes() {
                assert_eq!(world.part_of(shape.id()).map(|part| part.0), Some(entity));
            }
        }
    }
    let mut restored = world.clone();
    restored.restore(&world.save()).expect("its own save");
    assert_eq!(restored.state_hash(), world.state_hash());
    assert_eq!(restored.save(), world.save());
}

fn near(one: f32, other: f32, relative: f32) -> bool {
    (one - other).abs() <= relative * other.abs()
}

#[test]
fn planks_of_a_scene_are_one_body_and_each_is_itself() {
    let mut world = beam();
    assert_eq!(world.physics().bodies().len(), 2, "the post and the beam");
    assert!(bodies(&world).iter().all(|id| *id == body(&world, 0)));
    run(&mut world, 30);
    for place in 0..5 {
        let entity = plank(&world, place);
        let pose = world.pose(entity).expect("it lives");
        assert!(
            (pose.position - Vec2::new(place as f32 - 2.0, 0.0)).length() < 2e-2,
            "{pose:?}"
        );
        assert!(
            near(number(&world, entity, "body.mass"), 1.0, 1e-5),
            "that of all"
        );
        // Its place in space is that of its own shapes.
        let bounds = world.space().bounds(entity).expect("it is in space");
        assert!(bounds.max[0] - bounds.min[0] < 1.1, "{bounds:?}");
    }
    check(&world);
}

#[test]
fn a_weld_bears_what_the_closed_form_says_and_scripts_read_it() {
    let mut world = beam();
    run(&mut world, 60);
    for (place, force, torque) in [(1, 2.0, 1.0), (2, 4.0, 4.0), (3, 4.0, 4.0), (4, 2.0, 1.0)] {
        let entity = plank(&world, place);
        let bears = vector(&world, entity, "seam.weld_force").length();
        assert!(near(bears, force, 0.02), "weld {place} bears {bears} N");
        let bears = number(&world, entity, "seam.weld_torque").abs();
        assert!(near(bears, torque, 0.02), "weld {place} bears {bears} N m");
    }
    #[cfg(feature = "script")]
    {
        let one = plank(&world, 2);
        let script = "fn on_tick(seconds) { this.torque = me().get(\"seam.weld_torque\").abs() > 3.9; }";
        world.set(one, "mind.text", Value::String(script.into())).unwrap();
        run(&mut world, 2);
        assert_eq!(
            world.get(one, "mind.state"),
            Ok(Value::String("#{torque: true}".into()))
        );
    }
}

#[test]
fn a_weld_breaks_within_two_hundredths_of_the_load_of_the_closed_form() {
    let mut world = beam();
    // Until the pin has settled.
    run(&mut world, 60);
    let strengthen = |world: &mut World, torque: f32| {
        for place in 1..5 {
            world
                .set(plank(world, place), "seam.torque_threshold", Value::F32(torque))
                .unwrap();
        }
    };
    strengthen(&mut world, 4.08);
    run(&mut world, 60);
    assert_eq!(world.physics().rigid_welds().len(), 4);
    strengthen(&mut world, 3.92);
    let mut broke = Vec::new();
    for _ in 0..60 {
        world.step();
        for event in world.events() {
            if let Event::Break(strain) = event {
                broke.push((strain.entity, strain.torque.abs()));
                assert_eq!(world.entities().names().get(strain.component), Some("seam"));
            }
        }
        check(&world);
    }
    let who: Vec<Entity> = broke.iter().map(|(entity, _)| *entity).collect();
    assert_eq!(
        who,
        [plank(&world, 2), plank(&world, 3)],
        "both sides of the middle"
    );
    assert!(
        broke.iter().all(|(_, torque)| near(*torque, 4.0, 0.02)),
        "{broke:?}"
    );
    // Two wings and the middle; the wings fall, and their planks hold on.
    assert_eq!(world.physics().bodies().len(), 4);
    let all = bodies(&world);
    assert!(all[0] == all[1] && all[3] == all[4]);
    assert!(all[0] != all[2] && all[2] != all[3] && all[0] != all[3]);
    assert!(world.pose(plank(&world, 0)).expect("it lives").position.y < -1.0);
    assert_eq!(world.get(plank(&world, 2), "seam.broken"), Ok(Value::Bool(true)));
    assert_eq!(world.get(plank(&world, 1), "seam.broken"), Ok(Value::Bool(false)));
    assert_eq!(weld_of(&world, plank(&world, 2)).id(), None);
    #[cfg(feature = "script")]
    {
        let state = world.get(plank(&world, 3), "mind.state");
        let Ok(Value::String(state)) = &state else {
            panic!("{state:?}")
        };
        assert!(
            state.starts_with("#{broke: [\"seam\", 4.0") || state.starts_with("#{broke: [\"seam\", 3.9"),
            "{state}"
        );
    }
    // Mended, it holds the two as they are then.
    let gap = |world: &World| {
        let [one, other] = [1, 2].map(|place| world.pose(plank(world, place)).expect("it lives").position);
        one.distance(other)
    };
    let apart = gap(&world);
    for (path, value) in [("seam.breaks", false), ("seam.broken", false)] {
        world.set(plank(&world, 2), path, Value::Bool(value)).unwrap();
    }
    run(&mut world, 30);
    assert!((gap(&world) - apart).abs() < 1e-3);
    check(&world);
}

#[test]
fn a_strained_weld_that_does_not_break_is_reported_and_holds() {
    let mut world = beam_with("force_threshold: 3, breaks: false");
    run(&mut world, 25);
    let strained: Vec<Entity> = world
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Strain(strain) => Some(strain.entity),
            _ => None,
        })
        .collect();
    assert_eq!(strained, [plank(&world, 2), plank(&world, 3)]);
    assert_eq!(world.physics().rigid_welds().len(), 4);
    #[cfg(feature = "script")]
    assert_eq!(
        world.get(plank(&world, 2), "mind.state"),
        Ok(Value::String("#{strained: [\"seam\", true]}".into()))
    );
}

#[test]
fn an_entity_that_ends_takes_its_part_and_the_others_part() {
    for gone in 0..5 {
        let mut world = beam();
        run(&mut world, 10);
        world.despawn(plank(&world, gone)).unwrap();
        check(&world);
        run(&mut world, 30);
        check(&world);
        let left: Vec<BodyId> = (0..5)
            .filter(|place| *place != gone)
            .map(|place| body(&world, place))
            .collect();
        let sides = [&left[..gone], &left[gone..]];
        for side in sides {
            assert!(side.iter().all(|id| *id == side[0]), "plank {gone}");
        }
        let bodies = world.physics().bodies().len();
        let sides = usize::from(gone > 0) + usize::from(gone < 4);
        assert_eq!(bodies, 1 + sides, "plank {gone}");
        assert_eq!(world.physics().members().len(), 4);
    }
    // All of them, in every order of the ends: nothing is left.
    let mut world = beam();
    for gone in [2, 0, 4, 1, 3] {
        world.despawn(plank(&world, gone)).unwrap();
        run(&mut world, 2);
        check(&world);
    }
    let counters = world.physics();
    assert_eq!((counters.bodies().len(), counters.members().len()), (1, 0));
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

#[test]
fn teleporting_one_plank_moves_the_whole_beam() {
    let mut world = beam();
    run(&mut world, 5);
    let middle = plank(&world, 2);
    world.remove_component(middle, "pin").unwrap();
    let outer = plank(&world, 0);
    world
        .teleport(outer, Pose::new(Vec2::new(10.0, 20.0), 0.5))
        .unwrap();
    let (sin, cos) = (sine(0.5), cosine(0.5));
    for place in 0..5 {
        let pose = world.pose(plank(&world, place)).expect("it lives");
        let expected = Vec2::new(10.0, 20.0) + place as f32 * Vec2::new(cos, sin);
        assert!(
            pose.position.distance(expected) < 1e-3,
            "{pose:?}, not {expected}"
        );
        assert!((pose.rotation.angle() - 0.5).abs() < 1e-3);
    }
    check(&world);
    // By name likewise; and space knows of all.
    world
        .set(outer, "transform.position", Value::Vec2(Vec2::new(-10.0, 0.0)))
        .unwrap();
    world.update_space();
    let end = plank(&world, 4);
    let bounds = world.space().bounds(end).expect("it is in space");
    assert!(
        bounds.min[0] < -10.0 + 4.0 * cos && bounds.max[1] < 4.0,
        "{bounds:?}"
    );
    check(&world);
    run(&mut world, 5);
    check(&world);
}

fn sine(angle: f32) -> f32 {
    tombolo::geometry::Rot::from_angle(angle).sin
}

fn cosine(angle: f32) -> f32 {
    tombolo::geometry::Rot::from_angle(angle).cos
}

#[test]
fn a_child_is_welded_to_its_parent_and_both_keep_their_own_frames() {
    let mut world = beam();
    let def = SpawnDef {
        name: Some("mast"),
        pose: Some(Pose::new(Vec2::new(0.0, 30.0), 0.0)),
        ..SpawnDef::default()
    };
    let mast = world.spawn("mast", &def).unwrap();
    let [arm, flag] = ["mast/arm", "mast/flag"].map(|name| named(&world, name));
    assert_eq!(world.body_of(arm), world.body_of(mast));
    world.set(mast, "body.angular_velocity", Value::F32(2.0)).unwrap();
    run(&mut world, 30);
    let [at, of_arm, of_flag] = [mast, arm, flag].map(|entity| world.pose(entity).expect("it lives"));
    let seen = at.to(of_arm);
    assert!(seen.position.distance(Vec2::new(1.0, 0.0)) < 1e-3, "{seen:?}");
    assert!((seen.rotation.angle() - 0.5).abs() < 1e-3);
    assert!(at.rotation.angle().abs() > 0.5, "it turns");
    assert!(at.to(of_flag).position.distance(Vec2::new(0.0, 1.0)) < 1e-4);
    check(&world);
    // The parent is put elsewhere, then the child: both go.
    world
        .teleport(mast, Pose::new(Vec2::new(5.0, 40.0), 1.0))
        .unwrap();
    let seen = world.pose(mast).unwrap().to(world.pose(arm).unwrap());
    assert!(seen.position.distance(Vec2::new(1.0, 0.0)) < 1e-3, "{seen:?}");
    world.teleport(arm, Pose::new(Vec2::new(5.0, 40.0), 0.5)).unwrap();
    let [at, of_flag] = [mast, flag].map(|entity| world.pose(entity).expect("it lives"));
    assert!(at.position.distance(Vec2::new(4.0, 40.0)) < 1e-3, "{at:?}");
    assert!(at.to(of_flag).position.distance(Vec2::new(0.0, 1.0)) < 1e-4);
    check(&world);
    world.despawn(mast).unwrap();
    assert_eq!(world.physics().members().len(), 5, "those of the beam");
}

#[test]
fn components_that_come_and_go() {
    let mut world = beam();
    run(&mut world, 5);
    // A collider lies where its entity is, not where the body's frame is, and is the entity's own.
    let last = plank(&world, 4);
    world.add_component(last, "Collider", "knob").unwrap();
    world.set(last, "knob.radius", Value::F32(0.1)).unwrap();
    world.set(last, "knob.shape", Value::Choice(0)).unwrap();
    world
        .set(last, "knob.position", Value::Vec2(Vec2::new(-4.0, 1.0)))
        .unwrap();
    check(&world);
    let place = Position::new(-2.0, 1.0);
    let hit = world.physics().overlap_box(
        tombolo::geometry::Aabb::new(place.to_vec2() - 0.05, place.to_vec2() + 0.05),
        tombolo::physics::QueryFilter::default(),
    );
    let hit = hit.expect("the numbers are good");
    assert_eq!(hit.len(), 1);
    assert_eq!(world.part_of(hit[0]).map(|part| part.0), Some(last));
    // A weld that ends: the two part.
    world.remove_component(plank(&world, 3), "seam").unwrap();
    assert_ne!(body(&world, 2), body(&world, 3));
    check(&world);
    // An entity that loses its last collider leaves the others, and has a body of its own.
    world.remove_component(plank(&world, 0), "board").unwrap();
    check(&world);
    assert_ne!(body(&world, 0), body(&world, 1));
    run(&mut world, 5);
    check(&world);
    // One whose Body goes has none, and the others are as they were.
    world.remove_component(plank(&world, 2), "body").unwrap();
    assert_eq!(world.body_of(plank(&world, 2)), None);
    assert!(world.body_of(plank(&world, 1)).is_some());
    run(&mut world, 5);
    check(&world);
    // A weld that is told of another end leaves the one that it had.
    let [one, other] = [plank(&world, 4), plank(&world, 1)];
    world.set(one, "seam.to", Value::Entity(Some(other))).unwrap();
    assert_eq!(body(&world, 4), body(&world, 1));
    assert_ne!(body(&world, 4), body(&world, 3));
    check(&world);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

#[test]
fn what_acts_on_an_entity_acts_on_its_own_center() {
    let mut world = beam();
    let middle = plank(&world, 2);
    world.remove_component(middle, "pin").unwrap();
    let weightless = tombolo::physics::Vec2::ZERO;
    world.physics_mut().set_gravity(weightless).unwrap();
    let end = plank(&world, 4);
    let push = tombolo::Push::Force(Vec2::new(0.0, 6.0));
    world
        .apply(tombolo::Command::Push {
            entity: end.into(),
            push,
        })
        .unwrap();
    world.step();
    // Of 6 N at one end of a free bar of five: mass 1 kg, inertia about 2.08 kg m² with that of the planks.
    let spin = number(&world, end, "body.angular_velocity");
    let inertia = 0.2 * (4.0 + 1.0 + 0.0 + 1.0 + 4.0) + 5.0 * 0.2 * (1.0 + 0.04) / 12.0;
    assert!(near(spin, 12.0 / inertia / 60.0, 0.01), "{spin}");
    // Read and set of one, it is of all.
    world
        .set(end, "body.linear_velocity", Value::Vec2(Vec2::new(3.0, 0.0)))
        .unwrap();
    assert_eq!(
        vector(&world, plank(&world, 0), "body.linear_velocity"),
        Vec2::new(3.0, 0.0)
    );
    // The weld beside the end gives the other four what they need of it.
    let bears = vector(&world, end, "seam.weld_force").length();
    assert!(bears > 1.0, "{bears}");
}

#[test]
fn joints_hold_where_their_entities_are_and_none_ties_what_is_one() {
    let mut world = beam();
    run(&mut world, 30);
    // The pin of the middle plank holds the middle, whose frame is not the body's.
    let joint = world.physics().joints().next().expect("the pin");
    assert!(joint.linear_error() < 1e-3, "{}", joint.linear_error());
    let [one, other] = [plank(&world, 0), plank(&world, 4)];
    world.add_component(one, "Joint", "rod").unwrap();
    world.set(one, "rod.to", Value::Entity(Some(other))).unwrap();
    assert_eq!(world.physics().counters().joints, 1, "nothing is left to tie");
    // To another entity, at a point of its own.
    let def = SpawnDef {
        pose: Some(Pose::new(Vec2::new(-2.0, 3.0), 0.0)),
        ..SpawnDef::default()
    };
    let crate_ = world.spawn("box", &def).unwrap();
    world.add_component(crate_, "Joint", "hook").unwrap();
    world.set(crate_, "hook.to", Value::Entity(Some(one))).unwrap();
    world.set(crate_, "hook.apart", Value::Bool(true)).unwrap();
    world
        .set(crate_, "hook.to_pivot", Value::Vec2(Vec2::new(0.25, 0.0)))
        .unwrap();
    let hook = world.physics().joints().last().expect("the hook");
    let at = hook.anchors()[0].to_vec2();
    let expected = world
        .pose(one)
        .expect("it lives")
        .transform_point(Vec2::new(0.25, 0.0));
    assert!(at.distance(expected) < 1e-3, "{at}, not {expected}");
    check(&world);
}

#[test]
fn what_cannot_be_welded_is_refused_and_nothing_has_changed() {
    let mut world = beam();
    run(&mut world, 3);
    let [end, post] = [plank(&world, 4), named(&world, "post")];
    let before = world.state_hash();
    let refused = |world: &mut World, path: &str, value: Value| {
        let error = world.set(end, path, value).expect_err(path).to_string();
        assert_eq!(world.state_hash(), before, "{path}");
        error
    };
    let error = refused(&mut world, "seam.to", Value::Entity(Some(end)));
    assert!(error.contains("holds a body to itself"), "{error}");
    let error = refused(&mut world, "seam.to_name", Value::String("nobody".into()));
    assert!(error.contains("nobody"), "{error}");
    // A body without shapes is waited for; a static one with shapes is refused.
    world.add_component(post, "Collider", "top").unwrap();
    let before = world.state_hash();
    let error = world
        .set(end, "seam.to", Value::Entity(Some(post)))
        .expect_err("static")
        .to_string();
    assert!(error.contains("two dynamic bodies"), "{error}");
    assert_eq!(world.state_hash(), before);
    let error = world.slice(end, Position::new(2.0, 1.0), Position::new(2.0, -1.0));
    assert!(error.expect_err("composite").to_string().contains("composite"));
    assert_eq!(world.state_hash(), before);
    for (weld, says) in [
        ("to: Entity(\"nobody\")", "no entity \"nobody\" is placed"),
        ("to: Entity(\"bar\")", "ties a body to itself"),
        ("to: Entity(\"wall\")", "two dynamic bodies"),
        ("", "missing; give Entity"),
        ("to: Previous, force_threshold: -1", "out of range"),
        ("to: Previous, weld_force: 1", "can be read only"),
    ] {
        let text = format!(
            r#"(entities: {{
                "wall": {{"body": Body(), "hull": Collider(shape: Circle(radius: 1))}},
                "bar": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 1)), "seam": RigidWeld({weld})}},
            }}, place: [One(name: "wall", entity: "wall"), One(name: "bar", entity: "bar")])"#
        );
        let refused =
            Scene::parse("refused.ron", &text).and_then(|scene| World::from_scene(&scene).map(drop));
        let error = refused.expect_err(weld).to_string();
        assert!(error.contains(says), "{weld}: {error}");
    }
    // A spawn is refused before anything is made.
    let resources = Scene::parse(
        "late.ron",
        r#"(entities: {"bar": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 1)),
            "seam": RigidWeld(to: Entity("quay"))}, "quay": {"body": Body()}},
            place: [One(name: "quay", entity: "quay")])"#,
    );
    let mut late = World::from_scene(&resources.expect("it is sound")).expect("it is sound");
    let quay = named(&late, "quay");
    late.add_component(quay, "Collider", "top").unwrap();
    let before = late.state_hash();
    let error = late
        .spawn("bar", &SpawnDef::default())
        .expect_err("static")
        .to_string();
    assert!(error.contains("two dynamic bodies"), "{error}");
    assert_eq!(late.state_hash(), before);
}

#[test]
fn what_a_program_does_with_physics_shows_in_the_next_step() {
    let mut world = beam();
    run(&mut world, 5);
    let weld = weld_of(&world, plank(&world, 3)).id().expect("it is made");
    world.physics_mut().destroy_rigid_weld(weld).unwrap();
    assert_ne!(body(&world, 2), body(&world, 3));
    let saved = world.save();
    let mut restored = world.clone();
    restored.restore(&saved).expect("its own save");
    for world in [&mut world, &mut restored] {
        run(world, 30);
        check(world);
    }
    assert_eq!(restored.state_hash(), world.state_hash());
    // A body that the program destroys takes all entities' bodies along.
    let id = body(&world, 3);
    world.physics_mut().destroy_body(id).unwrap();
    run(&mut world, 2);
    assert_eq!(world.body_of(plank(&world, 3)), None);
    assert_eq!(world.body_of(plank(&world, 4)), None);
    check(&world);
}
