//! What a cut leaves where it is: ground, tiles and sensors of the body, and joints that hold to them; and composites beside
//! what is cut.

use crate::cut_support::slice;
use crate::feature_support::{ball, plain, rect, run, weightless, world};
use tombolo_physics::{
    BodyDef, BodyId, ChainDef, Debris, DebrisFate, PhysicsError, PhysicsWorld, Position, RevoluteDef,
    RigidWeldDef, Shape, ShapeDef, Shatter, Tile, TileGridDef, Vec2, WorldDef,
};

/// Lays ground at height 0 on a body.
type Lay = fn(&mut PhysicsWorld, BodyId);

/// A static body of ground at height 0 and of a pillar of 0.5 by 4 m at x = 5.
fn level(world: &mut PhysicsWorld, lay: Lay) -> BodyId {
    let level = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    lay(world, level);
    let pillar = Shape::box_at(0.5, 4.0, Vec2::new(5.0, 2.0), 0.0).unwrap();
    world.create_shape(level, &ShapeDef::default(), &pillar).unwrap();
    level
}

/// Ten tiles in a row, from x = 0 on.
fn ten_tiles() -> TileGridDef {
    TileGridDef {
        width: 10,
        height: 1,
        tiles: vec![Tile::default()],
        cells: vec![1; 10],
        ..TileGridDef::default()
    }
}

fn segment(world: &mut PhysicsWorld, level: BodyId) {
    let ground = Shape::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)).unwrap();
    world.create_shape(level, &ShapeDef::default(), &ground).unwrap();
}

fn half_space(world: &mut PhysicsWorld, level: BodyId) {
    let ground = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    world.create_shape(level, &ShapeDef::default(), &ground).unwrap();
}

fn chain(world: &mut PhysicsWorld, level: BodyId) {
    // From right to left: its solid side is below.
    let points = (0..=10).map(|i| Vec2::new(50.0 - 10.0 * i as f32, 0.0));
    let ground = ChainDef {
        points: points.collect(),
        ..ChainDef::default()
    };
    world.create_chain(level, &ground).unwrap();
}

#[test]
fn ground_stays_where_what_stands_on_it_is_felled() {
    let kinds: [(&str, Lay); 3] = [("segment", segment), ("half-space", half_space), ("chain", chain)];
    for fate in [
        None,
        Some(DebrisFate::Vanish),
        Some(DebrisFate::Stay(Debris::FILTER)),
    ] {
        for (kind, lay) in kinds {
            let mut world = world(&WorldDef::default());
            let level = level(&mut world, lay);
            if let Some(fate) = fate {
                world.set_debris(Debris { area_max: 0.3, fate }).unwrap();
            }
            let ball = plain(&mut world, &BodyDef::dynamic(-3.0, 0.5), &ball(0.5));
            run(&mut world, 90);
            let shapes = world.body(level).unwrap().shapes().count();
            // The stump is the smaller piece and the nearest to the ground.
            let cut = slice(&mut world, level, (-1.0, 0.5), (9.0, 0.5)).unwrap();
            assert_eq!(
                world.body(level).unwrap().shapes().count(),
                shapes,
                "{kind} {fate:?}"
            );
            assert_eq!(cut.pieces.len() + cut.vanished.len(), 1);
            run(&mut world, 90);
            let height = world.body(ball).unwrap().position().y;
            assert!(
                (height - 0.5).abs() < 0.02,
                "{kind} {fate:?}: the ball is at {height}"
            );
        }
    }
}

#[test]
fn a_sensor_of_a_level_goes_with_the_piece_that_it_is_in_and_else_stays() {
    let mut world = world(&WorldDef::default());
    let level = level(&mut world, segment);
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    let [in_stump, far] = [Vec2::new(5.0, 0.25), Vec2::new(-30.0, 1.0)].map(|place| {
        let shape = Shape::box_at(0.2, 0.2, place, 0.0).unwrap();
        world.create_shape(level, &sensor, &shape).unwrap()
    });
    let cut = slice(&mut world, level, (-1.0, 0.5), (9.0, 0.5)).unwrap();
    assert_eq!(world.shape(in_stump).unwrap().body().id(), cut.pieces[0]);
    assert_eq!(world.shape(far).unwrap().body().id(), level);
}

#[test]
fn lines_of_a_moving_body_go_with_the_piece_that_is_nearest() {
    let mut world = world(&weightless());
    let plank = plain(&mut world, &BodyDef::dynamic(0.0, 0.0), &rect(4.0, 0.2));
    let tip = Shape::segment(Vec2::new(1.95, 0.1), Vec2::new(2.5, 0.1)).unwrap();
    let tip = world.create_shape(plank, &ShapeDef::default(), &tip).unwrap();
    let cut = slice(&mut world, plank, (1.0, 0.0), (1.0, 1.0)).unwrap();
    assert_eq!(world.shape(tip).unwrap().body().id(), cut.pieces[0]);
}

/// The holder of a ball on a revolute joint to `body` at `anchor` once `cut` is made, none if the joint ended.
fn joint_after(
    world: &mut PhysicsWorld,
    body: BodyId,
    anchor: Vec2,
    cut: impl Fn(&mut PhysicsWorld),
) -> Option<BodyId> {
    let ball = plain(world, &BodyDef::dynamic(anchor.x, anchor.y), &ball(0.2));
    let joint = world
        .create_joint(RevoluteDef::new(body, anchor, ball, Vec2::ZERO))
        .unwrap();
    cut(world);
    let joint = world.joint(joint)?;
    assert_eq!(joint.bodies()[1].id(), ball);
    Some(joint.bodies()[0].id())
}

#[test]
fn a_joint_stays_with_the_tile_or_the_line_that_has_its_anchor() {
    for (is_dynamic, fate) in [
        (true, None),
        (false, None),
        (true, Some(DebrisFate::Vanish)),
        (false, Some(DebrisFate::Vanish)),
    ] {
        let mut world = world(&weightless());
        let def = if is_dynamic {
            BodyDef::dynamic(0.0, 0.0)
        } else {
            BodyDef::fixed(0.0, 0.0)
        };
        let raft = world.create_body(&def).unwrap();
        world.create_tile_grid(raft, &ten_tiles()).unwrap();
        let beam = Shape::box_at(4.0, 1.0, Vec2::new(-2.0, 0.5), 0.0).unwrap();
        world.create_shape(raft, &ShapeDef::default(), &beam).unwrap();
        if let Some(fate) = fate {
            world.set_debris(Debris { area_max: 2.0, fate }).unwrap();
        }
        // The greater part of the beam stays the raft, the smaller one is nearer to the ninth tile.
        let holder = joint_after(&mut world, raft, Vec2::new(8.5, 0.5), |world| {
            slice(world, raft, (-1.0, 0.0), (-1.0, 1.0)).unwrap();
        });
        assert_eq!(holder, Some(raft), "{is_dynamic} {fate:?}");
    }
    for lay in [segment as Lay, half_space, chain] {
        let mut world = world(&weightless());
        let level = level(&mut world, lay);
        let fate = DebrisFate::Vanish;
        world.set_debris(Debris { area_max: 0.3, fate }).unwrap();
        let holder = joint_after(&mut world, level, Vec2::new(-30.0, 0.0), |world| {
            assert_eq!(
                slice(world, level, (-1.0, 0.5), (9.0, 0.5))
                    .unwrap()
                    .vanished
                    .len(),
                1
            );
        });
        assert_eq!(holder, Some(level));
        // What holds to the stump goes with it.
        let mut world = self::world(&weightless());
        let level = self::level(&mut world, lay);
        world.set_debris(Debris { area_max: 0.3, fate }).unwrap();
        let holder = joint_after(&mut world, level, Vec2::new(5.0, 0.25), |world| {
            slice(world, level, (-1.0, 0.5), (9.0, 0.5)).unwrap();
        });
        assert_eq!(holder, None);
    }
}

/// A mast of 6 m on a raft of ten tiles: what stands on the raft stays with it, however much is cut off.
#[test]
fn what_stands_on_tiles_stays_with_them() {
    for height in [1.5, 4.0, 6.5] {
        for fate in [None, Some(DebrisFate::Vanish)] {
            let mut world = world(&weightless());
            let raft = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
            world.create_tile_grid(raft, &ten_tiles()).unwrap();
            // The flag is as great as the mast, and touches no tile.
            for (width, height, y) in [(0.5, 6.0, 4.0), (3.0, 1.0, 7.5)] {
                let shape = Shape::box_at(width, height, Vec2::new(5.0, y), 0.0).unwrap();
                world.create_shape(raft, &ShapeDef::default(), &shape).unwrap();
            }
            if let Some(fate) = fate {
                world.set_debris(Debris { area_max: 0.3, fate }).unwrap();
            }
            let cut = slice(&mut world, raft, (0.0, height), (1.0, height)).unwrap();
            assert_eq!((cut.pieces.len(), cut.vanished.len()), (1, 0), "{height}");
            for (y, holder) in [(0.5, raft), (1.25, raft), (7.5, cut.pieces[0])] {
                let mut shapes = world.body(holder).unwrap().shapes();
                let is_there = shapes.any(|shape| shape.geometry().contains_point(Vec2::new(4.9, y)));
                assert!(is_there, "{height} {fate:?}: what is at {y}");
            }
        }
    }
}

#[test]
fn a_composite_in_the_way_of_a_segment_stays_whole_and_the_rest_is_cut() {
    let mut world = world(&weightless());
    let crates = [0.0, 10.0].map(|x| plain(&mut world, &BodyDef::dynamic(x, 0.0), &rect(1.0, 1.0)));
    let members = [5.0, 6.0].map(|x| {
        let body = plain(&mut world, &BodyDef::dynamic(x, 0.0), &rect(1.0, 1.0));
        world.create_member(body, 0).unwrap()
    });
    let weld = RigidWeldDef::new(members[0], members[1], Position::new(5.5, 0.0));
    world.create_rigid_weld(&weld).unwrap();
    let composite = world.member(members[0]).unwrap().body().id();
    let (from, to) = (Position::new(-9.0, 0.0), Position::new(19.0, 0.1));
    let cuts = world.cut_through(from, to, Default::default()).unwrap();
    world.validate();
    let cut: Vec<BodyId> = cuts.iter().map(|cut| cut.body).collect();
    assert_eq!(cut, crates);
    assert_eq!(world.body(composite).unwrap().shapes().count(), 2);
    let refused = world.slice(composite, from, to);
    assert!(
        matches!(refused, Err(PhysicsError::Composite { .. })),
        "{refused:?}"
    );
}

#[test]
fn what_vanishes_moves_as_the_body_did_there() {
    for is_dynamic in [true, false] {
        let mut world = world(&weightless());
        let def = if is_dynamic {
            BodyDef::dynamic(0.0, 0.0)
        } else {
            BodyDef::kinematic(0.0, 0.0)
        };
        let def = BodyDef {
            angular_velocity: 1.0,
            ..def
        };
        let body = world.create_body(&def).unwrap();
        let arm = Shape::box_at(4.0, 0.2, Vec2::new(10.0, 0.0), 0.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &arm).unwrap();
        let fate = DebrisFate::Vanish;
        world.set_debris(Debris { area_max: 0.2, fate }).unwrap();
        let cut = slice(&mut world, body, (11.5, 0.0), (11.5, 1.0)).unwrap();
        // 1 rad/s about the origin.
        let velocity = cut.vanished[0].velocity;
        assert!((velocity - Vec2::new(0.0, 11.75)).length() < 1e-3, "{velocity}");
    }
}

#[test]
fn a_force_on_a_body_without_mass_moves_its_pieces() {
    let mut world = world(&weightless());
    let density = ShapeDef {
        density: 0.0,
        ..ShapeDef::default()
    };
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    world.create_shape(body, &density, &rect(4.0, 0.2)).unwrap();
    let mut whole = world.clone();
    for world in [&mut world, &mut whole] {
        let mut body = world.body_mut(body).unwrap();
        body.apply_force(Vec2::new(600.0, 0.0)).unwrap();
    }
    let cut = slice(&mut world, body, (0.5, 0.0), (0.5, 1.0)).unwrap();
    run(&mut world, 1);
    run(&mut whole, 1);
    let expected = whole.body(body).unwrap().linear_velocity();
    assert!(expected.x > 1.0);
    for piece in [body, cut.pieces[0]] {
        assert_eq!(world.body(piece).unwrap().linear_velocity(), expected);
    }
}

#[test]
fn nothing_is_shattered_of_a_body_of_lines_alone() {
    let mut world = world(&weightless());
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    segment(&mut world, body);
    let hash = world.state_hash();
    let shattered = world.shatter(body, &Shatter::Seeded { seed: 7, count: 12 });
    assert!(matches!(shattered, Ok(None)), "{shattered:?}");
    let refused = world.shatter(body, &Shatter::Seeded { seed: 7, count: 1 });
    assert!(
        matches!(refused, Err(PhysicsError::Pattern { .. })),
        "{refused:?}"
    );
    assert_eq!(world.state_hash(), hash);
}
