//! What counts as wall: everything nearer to a shape than the clearance, and nothing farther than is promised.

use tombolo::SpawnDef;
use tombolo::physics::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::distance::closest_point;

use crate::paths::CLEARANCE;
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

fn check(thing: &str, pose: Pose, random: &mut Random) {
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
    let free = world.free_space(CLEARANCE).unwrap();
    // Half of the clearance is the size of a cell.
    let promised = 1.5 * CLEARANCE + 2.0 * (0.5 * CLEARANCE);
    let (mut near, mut far) = (0, 0);
    for _ in 0..4000 {
        let point = 100.0 * Vec2::new(random.sign(), random.sign());
        let on = pose.transform_point(closest_point(&shape, pose.inverse_transform_point(point)));
        // A point beside the surface, nearly as far as counts as wall.
        let outward = (point - on).normalize_or_zero();
        let is_inside = point.distance(on) < 1.0e-3;
        for off in [0.99 * CLEARANCE, 1.01 * promised] {
            let beside = on + off * outward;
            if is_inside {
                continue;
            }
            let is_free = free.is_free(beside);
            if off < CLEARANCE {
                near += 1;
                assert!(!is_free, "{thing} at {pose:?}: {beside} is {off} m from it");
            } else {
                far += 1;
                assert!(is_free, "{thing} at {pose:?}: {beside} is {off} m from it");
            }
        }
    }
    assert!(
        near > 100 && far > 100,
        "{near} points near {thing}, {far} far from it"
    );
}

#[test]
fn round_walls_are_round_and_tilted_ones_have_no_steps() {
    let random = &mut Random(5);
    for thing in ["tower", "hull", "pebble", "table", "house", "plain"] {
        for turn in [0.0, 5.0_f32, 30.0, 45.0, 100.0] {
            let pose = Pose::new(Vec2::new(3.1, -2.3), turn.to_radians());
            check(thing, pose, random);
        }
    }
}
