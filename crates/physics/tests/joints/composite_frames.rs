//! Members of composites as what they were made from: where their own frames are, which shapes they have, whom they can be
//! welded to.

use crate::joint_support::DT;
use tombolo_physics::{
    BodyDef, BodyId, MemberId, PhysicsError, PhysicsWorld, Pose, Position, RigidWeldDef, Shape, ShapeDef,
    Vec2, WorldDef,
};

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

/// A plank at a pose.
fn plank(world: &mut PhysicsWorld, position: Vec2, angle: f32) -> (BodyId, MemberId) {
    let def = BodyDef {
        angle,
        angular_velocity: 0.5,
        ..BodyDef::dynamic(position.x, position.y)
    };
    let body = world.create_body(&def).unwrap();
    let shape = Shape::new_box(1.0, 0.2).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    (body, world.create_member(body, 0).unwrap())
}

fn weld(world: &mut PhysicsWorld, [a, b]: [MemberId; 2]) -> tombolo_physics::RigidWeldId {
    world
        .create_rigid_weld(&RigidWeldDef::new(a, b, Position::ORIGIN))
        .unwrap()
}

fn body_of(world: &PhysicsWorld, member: MemberId) -> BodyId {
    world.member(member).unwrap().body().id()
}

#[test]
fn a_member_is_where_its_body_would_be_through_mergers_and_partings() {
    let mut world = world();
    let places =
        [(0.0, 0.3), (1.0, -0.2), (2.0, 1.5), (3.0, 3.0)].map(|(x, angle)| (Vec2::new(x, x * x), angle));
    let members = places.map(|(place, angle)| plank(&mut world, place, angle).1);
    for (member, (place, angle)) in members.iter().zip(places) {
        assert_eq!(world.member(*member).unwrap().frame(), Pose::IDENTITY);
        assert_eq!(world.member(*member).unwrap().pose(), Pose::new(place, angle));
    }
    // Two pairs, and then the pairs.
    let welds = [[0, 1], [3, 2], [2, 0]].map(|pair| weld(&mut world, pair.map(|place| members[place])));
    assert_eq!(world.bodies().len(), 1);
    // Each shape in its member's frame is what it was.
    let check = |world: &PhysicsWorld| {
        for member in members {
            let member = world.member(member).unwrap();
            let shape = member.shapes().next().unwrap();
            let middle = member.body().pose().transform_point(shape.geometry().centroid());
            assert!(middle.distance(member.pose().position) < 1e-4, "{middle}");
            let corner = shape.geometry().vertices()[0];
            let corner = member.frame().inverse_transform_point(corner);
            assert!(corner.distance(Vec2::new(-0.5, -0.1)) < 1e-5, "{corner}");
        }
    };
    check(&world);
    for (member, (place, angle)) in members.iter().zip(places) {
        let pose = world.member(*member).unwrap().pose();
        assert!(pose.position.distance(place) < 1e-5 && (pose.rotation.angle() - angle).abs() < 1e-5);
    }
    for weld in welds {
        for _ in 0..20 {
            world.step(DT).unwrap();
        }
        check(&world);
        let before = members.map(|member| world.member(member).unwrap().pose());
        let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
        for world in [&mut world, &mut restored] {
            world.destroy_rigid_weld(weld).unwrap();
            let after = members.map(|member| world.member(member).unwrap().pose());
            assert_eq!(before, after, "parting moves nobody");
        }
    }
    assert_eq!(world.bodies().len(), 4);
}

#[test]
fn a_new_shape_can_be_another_members_than_the_nearest() {
    let mut world = world();
    let members = [0.0, 1.0].map(|x| plank(&mut world, Vec2::new(x, 0.0), 0.0).1);
    weld(&mut world, members);
    let body = body_of(&world, members[0]);
    let knob = Shape::circle(Vec2::new(0.0, 0.5), 0.1).unwrap();
    let knob = world.create_shape(body, &ShapeDef::default(), &knob).unwrap();
    let owner = |world: &PhysicsWorld| world.shape(knob).unwrap().member();
    assert_eq!(owner(&world), Some(members[0]), "the nearest one's");
    world.step(DT).unwrap();
    let masses = |world: &PhysicsWorld| members.map(|member| world.member(member).unwrap().mass());
    let before = masses(&world);
    world.set_shape_member(knob, members[1]).unwrap();
    assert_eq!(owner(&world), Some(members[1]));
    let after = masses(&world);
    assert!(
        (before[0] - after[1]).abs() < 1e-6 && (before[1] - after[0]).abs() < 1e-6,
        "{before:?}, {after:?}"
    );
    world.validate();
    // All that a member has stays its own; and a shape stays on its body.
    let (_, alone) = plank(&mut world, Vec2::new(9.0, 0.0), 0.0);
    let only = world.member(members[0]).unwrap().shapes().next().unwrap().id();
    let hash = world.state_hash();
    for (shape, member) in [(only, members[1]), (knob, alone)] {
        let refused = world.set_shape_member(shape, member);
        assert!(
            matches!(refused, Err(PhysicsError::Composite { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(world.state_hash(), hash);
    // It goes where its member goes.
    let first = world.rigid_welds().next().unwrap().id();
    world.destroy_rigid_weld(first).unwrap();
    assert_eq!(
        world.shape(knob).unwrap().body().id(),
        body_of(&world, members[1])
    );
    world.validate();
}

#[test]
fn what_can_be_welded_is_known_beforehand() {
    let mut world = world();
    let (one, member) = plank(&mut world, Vec2::ZERO, 0.0);
    let (other, second) = plank(&mut world, Vec2::new(1.0, 0.0), 0.0);
    let bare = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    let fixed = world.create_body(&BodyDef::fixed(0.0, 3.0)).unwrap();
    let shape = Shape::new_box(1.0, 0.2).unwrap();
    world.create_shape(fixed, &ShapeDef::default(), &shape).unwrap();
    let off = world
        .create_body(&BodyDef {
            enabled: false,
            ..BodyDef::dynamic(0.0, 3.0)
        })
        .unwrap();
    world.create_shape(off, &ShapeDef::default(), &shape).unwrap();
    let gone = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    world.destroy_body(gone).unwrap();
    let alone = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    world.create_shape(alone, &ShapeDef::default(), &shape).unwrap();
    let here = Position::ORIGIN;
    assert_eq!(world.check_weldable([one, other], here), Ok(()));
    assert_eq!(world.check_weldable([alone, other], here), Ok(()));
    for bodies in [
        [one, bare],
        [one, fixed],
        [off, one],
        [gone, one],
        [one, gone],
        [alone, alone],
    ] {
        assert!(world.check_weldable(bodies, here).is_err(), "{bodies:?}");
    }
    assert!(
        world
            .check_weldable([one, other], Position::new(f32::NAN, 0.0))
            .is_err()
    );
    weld(&mut world, [member, second]);
    assert_eq!(
        world.check_weldable([one, one], here),
        Ok(()),
        "two members of one"
    );
}
