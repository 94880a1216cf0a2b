//! Definitions as text, with serde: what was written is read, and what is left out is as by default.
#![allow(missing_docs)]

use ron::de::from_str;
use ron::ser::to_string;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use tombolo_physics::{
    BodyDef, BodyKind, BodyName, ChainDef, Debris, DebrisFate, DistanceDef, ExplosionDef, Filter, FilterDef,
    IslandAlgorithm, JointDef, MotorDef, PhysicsWorld, Position, PrismaticDef, RevoluteDef, ShapeDef,
    TileCut, Vec2, WeldDef, WheelDef, WorldDef,
};

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = to_string(value).unwrap();
    assert_eq!(&from_str::<T>(&text).unwrap(), value, "{text}");
}

#[test]
fn definitions_are_read_as_they_were_written() {
    comes_back(&WorldDef {
        gravity: Vec2::new(0.1, -9.81),
        islands: IslandAlgorithm::DepthFirst,
        debris: Debris {
            area_max: 0.25,
            fate: DebrisFate::Stay(Debris::FILTER),
        },
        ..WorldDef::default()
    });
    comes_back(&BodyDef {
        position: Position::new(1.0e5, -0.0),
        user_key: u64::MAX,
        name: BodyName::new("a \"name\"").unwrap(),
        ..BodyDef::dynamic(0.0, 0.0)
    });
    comes_back(&ShapeDef {
        density: 7.5,
        ..ShapeDef::default()
    });
    comes_back(&ChainDef {
        points: vec![Vec2::ZERO, Vec2::X, Vec2::Y],
        closed: true,
        ..ChainDef::default()
    });
}

#[test]
fn definitions_of_joints_keep_their_bodies() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let [a, b] = [0.0, 1.0].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap());
    let defs: [JointDef; 7] = [
        RevoluteDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        DistanceDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        PrismaticDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        WeldDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        WheelDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        MotorDef::new(a, Vec2::X, b, Vec2::ZERO).into(),
        FilterDef::new(a, b).into(),
    ];
    for def in defs {
        comes_back(&def);
        let read: JointDef = from_str(&to_string(&def).unwrap()).unwrap();
        world.create_joint(read).unwrap();
    }
}

#[test]
fn fields_left_out_of_definitions_have_their_defaults() {
    assert_eq!(from_str::<WorldDef>("()").unwrap(), WorldDef::default());
    assert_eq!(from_str::<Filter>("(group: -1)").unwrap().mask, u64::MAX);
    let cut: TileCut = from_str("(from: (x: 1, y: 2), to: (x: 3, y: 4))").unwrap();
    assert_eq!(
        cut,
        TileCut::between(Position::new(1.0, 2.0), Position::new(3.0, 4.0))
    );
    let blast =
        "(position: (x: 1, y: 2), mask: 18446744073709551615, radius: 0, falloff: 0, impulse_per_length: 0)";
    let blast: ExplosionDef = from_str(blast).unwrap();
    assert_eq!(
        blast,
        ExplosionDef::at(Position::new(1.0, 2.0)),
        "as before there was tile_radius"
    );
    let body: BodyDef = from_str("(kind: Dynamic, position: (x: 3, y: 4))").unwrap();
    assert_eq!(body.kind, BodyKind::Dynamic);
    assert_eq!(body, BodyDef::dynamic(3.0, 4.0));
    let refused = from_str::<BodyDef>(&format!("(name: \"{}\")", "x".repeat(32)));
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("bytes of a body's name"), "{why}");
}
