//! What counts as wall: everything nearer to a shape than the clearance, and nothing farther than is promised.

use tombolo::SpawnDef;
use tombolo::physics::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::distance::closest_point;

use crate::{Random, world_of};

const THINGS: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "tower": {"body": Body(), "stone": Collider(shape: Circle(radius: 50))},
        "hull": {"body": Body(), "wood": Collider(shape: Capsule(from: (-30, 0), to: (30, 0), radius: 12))},
        "pebble": {"body": Body(), "stone": Collider(shape: Circle(radius: 0.2))},
        "table": {"body": Body(), "wood": Collider(
            shape: Polygon(points: [(-15, -10), (15, -10), (15, 10), (-15, 10)], radius: 5))},
        "house": {"body": Body(), "stone": Collider(shape: Box(width: 80, height: 50))},
        "plain": {"body": Body(), "soil": Collider(shape: HalfSpace)},
        "mark": {"mark": Tag()},
    },
    place: [One(name: "mark", entity: "mark")],
)"#;

fn check(thing: &str, pose: Pose, clearance: f32, random: &mut Random) {
    let mut world = world_of(THINGS);
    let def = SpawnDef {
        pose: Some(pose),
        ..SpawnDef::default()
    };
    let entity = world.spawn(thing, &def).unwrap();
    let body = world
        .body_of(entity)
        .and_then(|body| world.physics().body(body))
        .unwrap();
    let (shape, pose) = (*body.shapes().next().unwrap().geometry(), body.pose());
    let free = world.free_space(clearance).unwrap();
    // A cell has half of the clearance, and an eighth of a meter at least.
    let promised = 1.5 * clearance + 2.0 * (0.5 * clearance).max(0.125);
    let (mut near, mut far) = (0, 0);
    for _ in 0..4000 {
        let point = 100.0 * Vec2::new(random.sign(), random.sign());
        let on = pose.transform_point(closest_point(&shape, pose.inverse_transform_point(point)));
        // A point beside the surface, nearly as far as counts as wall.
        let outward = (point - on).normalize_or_zero();
        let is_inside = point.distance(on) < 1.0e-3;
        for (off, is_far) in [(0.99 * clearance, false), (1.01 * promised, true)] {
            let beside = on + off * outward;
            if is_inside || off == 0.0 {
                continue;
            }
            *if is_far { &mut far } else { &mut near } += 1;
            assert_eq!(
                free.is_free(beside),
                is_far,
                "{thing} at {pose:?}: {beside} is {off} m from it, the clearance {clearance} m"
            );
        }
    }
    assert!(
        (near > 100 || clearance == 0.0) && far > 100,
        "{near} points near {thing}, {far} far from it"
    );
}

#[test]
fn round_walls_are_round_and_tilted_ones_have_no_steps() {
    let random = &mut Random(5);
    for thing in ["tower", "hull", "pebble", "table", "house", "plain"] {
        for turn in [0.0, 5.0_f32, 30.0, 45.0, 100.0] {
            let pose = Pose::new(Vec2::new(3.1, -2.3), turn.to_radians());
            for clearance in [0.0, 0.1, 0.5, 3.0] {
                check(thing, pose, clearance, random);
            }
        }
    }
}
