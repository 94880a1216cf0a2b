//! The events that scripts handle.

use tombolo::SpawnDef;
use tombolo::physics::Vec2;

use super::{script, state_after, world};

#[test]
fn touches_have_a_begin_and_an_end() {
    let state = state_after(
        200,
        "fn on_spawn() { this.log = []; }
         fn on_begin_touch(other) {
             this.log.push(`begin ${name_of(other)}`);
             me().apply_impulse(vec2(0, 3));
         }
         fn on_end_touch(other) { this.log.push(`end ${name_of(other)}`); }",
    );
    assert!(
        state.starts_with("#{log: [\"begin floor\", \"end floor\", \"begin floor\""),
        "{state}"
    );
}

#[test]
fn hits_say_how_hard() {
    let mut world =
        world("fn on_hit(other, point, speed) { this.hit = [name_of(other), speed > 5.0, point.y > 0.9]; }");
    let crate_one = world.find("crate[0]").expect("placed");
    let ball = world.find("ball").expect("placed");
    let above = world.pose(crate_one).expect("it is somewhere").position + Vec2::new(0.0, 5.0);
    world
        .set(ball, "transform.position", tombolo::entity::Value::Vec2(above))
        .expect("it can be moved");
    for _ in 0..90 {
        world.step();
    }
    assert_eq!(
        script(&world, "ball").state().to_string(),
        "#{hit: [\"crate[0]\", true, true]}"
    );
}

#[test]
fn triggers_notice_who_comes_and_goes() {
    let mut world = world(
        "fn on_enter(other, trigger) { this.entered = [name_of(other), trigger]; }
         fn on_leave(other, trigger) { this.left = [other.is_alive(), trigger]; despawn(me()); }",
    );
    let def = SpawnDef {
        name: Some("gate"),
        pose: Some(tombolo_geometry::Pose::new(Vec2::new(0.0, 2.0), 0.0)),
        ..SpawnDef::default()
    };
    world.spawn("gate", &def).expect("it can be spawned");
    for _ in 0..60 {
        world.step();
    }
    assert_eq!(
        script(&world, "gate").state().to_string(),
        "#{entered: [\"ball\", \"eye\"]}"
    );
    assert_eq!(world.despawn(world.find("ball").expect("placed")), Ok(()));
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    assert_eq!(world.find("gate"), None, "it left with its visitor");
}

#[test]
fn the_end_is_published_and_handled() {
    let mut world = world("");
    let def = SpawnDef {
        name: Some("mine"),
        pose: Some(tombolo_geometry::Pose::new(Vec2::new(-9.0, 4.0), 0.0)),
        ..SpawnDef::default()
    };
    let mine = world.spawn("mine", &def).expect("it can be spawned");
    world.step();
    assert_eq!(world.despawn(mine), Ok(()));
    assert_eq!(world.find("debris"), None);
    // Who ended is part of the state.
    let mut other = world.clone();
    let mut fresh = self::world("");
    fresh.restore(&world.save()).expect("the save is sound");
    for world in [&mut world, &mut other, &mut fresh] {
        world.step();
        assert_eq!(world.faults(), &[] as &[Box<str>]);
        let debris = world.find("debris").expect("it was left behind");
        let position = world.pose(debris).expect("it is somewhere").position;
        assert!(
            (position.x + 9.0).abs() < 0.1 && (position.y - 4.0).abs() < 0.1,
            "{position}"
        );
    }
    assert_eq!(world.state_hash(), other.state_hash());
    assert_eq!(world.state_hash(), fresh.state_hash());
}

#[test]
fn a_script_that_never_started_gets_no_despawn_event() {
    let mut world = world("");
    let mine = world
        .spawn("mine", &SpawnDef::default())
        .expect("it can be spawned");
    assert_eq!(world.despawn(mine), Ok(()));
    world.step();
    assert_eq!(world.find("debris"), None);
}
