//! Composites: what rigid welds bear against closed forms, what breaking keeps, and what becomes of members, shapes, joints
//! and sleepers.

use crate::joint_support::{DT, GRAVITY, close, ground};
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, HeightfieldDef, LaneWidth, MemberId, PhysicsError, PhysicsWorld, Position,
    RigidWeldDef, RigidWeldId, Shape, ShapeDef, Vec2, WeldDef, WorldDef,
};
use tombolo_threads::Pool;

fn world(gravity: f32) -> PhysicsWorld {
    crate::joint_support::world(gravity)
}

/// A box of some kilograms, as a member of its own.
fn plate(world: &mut PhysicsWorld, center: Vec2, size: Vec2, mass: f32) -> MemberId {
    let body = world.create_body(&BodyDef::dynamic(center.x, center.y)).unwrap();
    let def = ShapeDef {
        density: mass / (size.x * size.y),
        ..ShapeDef::default()
    };
    let shape = Shape::new_box(size.x, size.y).unwrap();
    world.create_shape(body, &def, &shape).unwrap();
    world.create_member(body, 0).unwrap()
}

fn weld(world: &mut PhysicsWorld, a: MemberId, b: MemberId, x: f32, y: f32) -> RigidWeldId {
    let def = RigidWeldDef::new(a, b, Position::new(x, y));
    world.create_rigid_weld(&def).unwrap()
}

fn body_of(world: &PhysicsWorld, member: MemberId) -> BodyId {
    world.member(member).unwrap().body().id()
}

/// A place of the world in a body's frame.
fn local(world: &PhysicsWorld, body: BodyId, place: Vec2) -> Vec2 {
    world.body(body).unwrap().pose().inverse_transform_point(place)
}

fn force(world: &PhysicsWorld, weld: RigidWeldId) -> Vec2 {
    world.rigid_weld(weld).unwrap().force()
}

fn torque(world: &PhysicsWorld, weld: RigidWeldId) -> f32 {
    world.rigid_weld(weld).unwrap().torque()
}

/// A row of boxes of a meter and a kilogram, from x = 0, each welded to the next in the middle of their common side.
fn row(world: &mut PhysicsWorld, count: usize, y: f32) -> (Vec<MemberId>, Vec<RigidWeldId>) {
    let members: Vec<MemberId> = (0..count)
        .map(|i| plate(world, Vec2::new(i as f32 + 0.5, y), Vec2::ONE, 1.0))
        .collect();
    let welds = (1..count)
        .map(|i| weld(world, members[i - 1], members[i], i as f32, y))
        .collect();
    (members, welds)
}

/// Momentum, and angular momentum about the origin, of all bodies, and their mass.
fn momentum(world: &PhysicsWorld) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for body in world.bodies() {
        let mass = f64::from(body.mass());
        let (center, velocity) = (
            body.center_of_mass().to_vec2().as_dvec2(),
            body.linear_velocity().as_dvec2(),
        );
        sum[0] += mass * velocity.x;
        sum[1] += mass * velocity.y;
        sum[2] += mass * center.perp_dot(velocity) + f64::from(body.inertia() * body.angular_velocity());
        sum[3] += mass;
    }
    sum
}

#[test]
fn a_plate_that_is_pulled_pulls_the_other_by_its_mass() {
    let mut world = world(0.0);
    let first = plate(&mut world, Vec2::new(0.0, 0.0), Vec2::new(2.0, 1.0), 3.0);
    let second = plate(&mut world, Vec2::new(1.5, 0.0), Vec2::new(1.0, 1.0), 5.0);
    let weld = weld(&mut world, first, second, 1.0, 0.0);
    assert_eq!(body_of(&world, first), body_of(&world, second));
    for _ in 0..10 {
        let body = body_of(&world, first);
        let hand = world.body(body).unwrap().position();
        world
            .body_mut(body)
            .unwrap()
            .apply_force_at(Vec2::new(-40.0, 0.0), hand)
            .unwrap();
        world.step(DT).unwrap();
        close(
            force(&world, weld).x,
            -40.0 * 5.0 / 8.0,
            1e-4,
            "newtons on the second",
        );
        assert!(force(&world, weld).y.abs() < 1e-3 && torque(&world, weld).abs() < 1e-3);
    }
    // An impulse of a call counts in the step after it, spread over it; at the center of mass it loads no weld.
    let body = body_of(&world, first);
    let hand = world.body(body).unwrap().position();
    let mut change = world.body_mut(body).unwrap();
    change.apply_impulse_at(Vec2::new(-2.0, 0.0), hand).unwrap();
    change.apply_force(Vec2::new(0.0, 77.0)).unwrap();
    world.step(DT).unwrap();
    close(
        force(&world, weld).x,
        -2.0 / DT * 5.0 / 8.0,
        1e-4,
        "newtons of the impulse",
    );
    assert!(force(&world, weld).y.abs() < 1e-2);
    world.step(DT).unwrap();
    assert!(force(&world, weld).length() < 1e-3, "nothing pulls any more");
}

#[test]
fn a_joint_and_a_contact_pull_the_members_that_they_hold() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    world
        .create_shape(
            floor,
            &ShapeDef::default(),
            &Shape::box_at(20.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap(),
        )
        .unwrap();
    // A tower of three stands on the floor.
    let tower: Vec<MemberId> = (0..3)
        .map(|i| {
            plate(
                &mut world,
                Vec2::new(-3.0, 0.5 + i as f32),
                Vec2::ONE,
                1.0 + i as f32,
            )
        })
        .collect();
    let lower = weld(&mut world, tower[0], tower[1], -3.0, 1.0);
    let upper = weld(&mut world, tower[1], tower[2], -3.0, 2.0);
    // A chain of two hangs on a rod.
    let hung: Vec<MemberId> = (0..2)
        .map(|i| plate(&mut world, Vec2::new(3.0, 6.5 - i as f32), Vec2::ONE, 2.0))
        .collect();
    let hanging = weld(&mut world, hung[0], hung[1], 3.0, 6.0);
    let body = body_of(&world, hung[0]);
    let on = local(&world, body, Vec2::new(3.0, 7.0));
    world
        .create_joint(DistanceDef {
            length: 1.0,
            ..DistanceDef::new(floor, Vec2::new(3.0, 8.0), body, on)
        })
        .unwrap();
    for _ in 0..180 {
        world.step(DT).unwrap();
    }
    close(
        force(&world, lower).y,
        (2.0 + 3.0) * GRAVITY,
        0.01,
        "what stands on the lowest",
    );
    close(
        force(&world, upper).y,
        3.0 * GRAVITY,
        0.01,
        "what stands on the middle",
    );
    close(force(&world, hanging).y, 2.0 * GRAVITY, 0.01, "what hangs");
    assert!(torque(&world, lower).abs() < 0.1 && torque(&world, hanging).abs() < 0.1);
}

#[test]
fn a_cantilever_bears_the_moment_of_what_lies_beyond() {
    let mut world = world(GRAVITY);
    let wall = ground(&mut world);
    let (members, welds) = row(&mut world, 6, 0.0);
    let root = body_of(&world, members[0]);
    let on = local(&world, root, Vec2::ZERO);
    world
        .create_joint(WeldDef::new(wall, Vec2::ZERO, root, on))
        .unwrap();
    for _ in 0..600 {
        world.step(DT).unwrap();
    }
    for (i, &weld) in welds.iter().enumerate() {
        let beyond = (5 - i) as f32;
        close(force(&world, weld).y, beyond * GRAVITY, 0.01, "newtons");
        // The tail's weight acts in its middle and turns it clockwise; the weld holds against it.
        close(
            torque(&world, weld),
            0.5 * beyond * beyond * GRAVITY,
            0.01,
            "newton meters",
        );
    }
}

/// The gravity at which the root of a cantilever breaks that may bear so many newton meters.
#[test]
fn a_cantilever_breaks_at_its_root_at_its_moment() {
    let mut world = world(0.0);
    let wall = ground(&mut world);
    let (members, welds) = row(&mut world, 6, 0.0);
    let root = body_of(&world, members[0]);
    let on = local(&world, root, Vec2::ZERO);
    world
        .create_joint(WeldDef::new(wall, Vec2::ZERO, root, on))
        .unwrap();
    for &weld in &welds {
        world
            .set_rigid_weld_thresholds(weld, f32::INFINITY, 100.0, true)
            .unwrap();
    }
    // Slowly, so that nothing swings: 12.5 kg m of lever.
    let mut gravity = 0.0;
    while world.events().rigid_weld().is_empty() {
        gravity += 0.004;
        assert!(gravity < 10.0, "it should have broken");
        world.set_gravity(Vec2::new(0.0, -gravity)).unwrap();
        world.step(DT).unwrap();
    }
    close(gravity, 100.0 / 12.5, 0.02, "gravity at which it broke");
    let events = world.events().rigid_weld();
    assert_eq!(
        (events.len(), events[0].weld, events[0].broke),
        (1, welds[0], true)
    );
    assert_eq!(events[0].members, [members[0], members[1]]);
    assert!(world.rigid_weld(welds[0]).is_none());
    // The greater part keeps the body's id; the joint stays with the root, which parted.
    assert_eq!(world.events().cut().len(), 1);
    assert_eq!(body_of(&world, members[1]), root);
    let joint = world.joints().next().unwrap();
    assert_eq!(joint.bodies()[1].id(), body_of(&world, members[0]));
    assert_ne!(body_of(&world, members[0]), root);
    world.validate();
    for _ in 0..60 {
        world.step(DT).unwrap();
        assert!(
            world.events().rigid_weld().is_empty(),
            "the rest falls free and is unloaded"
        );
    }
    assert!(world.body(root).unwrap().position().y < -1.0);
    assert!(world.member(members[0]).unwrap().center().y.abs() < 0.01);
}

#[test]
fn a_bar_that_turns_pulls_at_its_welds() {
    let mut world = world(0.0);
    let (members, welds) = row(&mut world, 4, 0.0);
    let body = body_of(&world, members[0]);
    world.body_mut(body).unwrap().set_angular_velocity(2.0).unwrap();
    world.step(DT).unwrap();
    // Beyond the first weld from the middle lie 1 kg at 1.5 m; in the middle 2 kg at 1 m.
    close(
        force(&world, welds[1]).length(),
        2.0 * 1.0 * 4.0,
        1e-3,
        "newtons in the middle",
    );
    close(
        force(&world, welds[0]).length(),
        1.5 * 4.0,
        1e-3,
        "newtons at the first",
    );
    close(
        force(&world, welds[2]).length(),
        1.5 * 4.0,
        1e-3,
        "newtons at the last",
    );
    assert!(force(&world, welds[2]).x < 0.0, "the last is held back");
}

/// Sliding friction on both of two boxes of which one is pulled: the weld brings the other its friction and its acceleration,
/// which together are its share of the pull.
#[test]
fn friction_is_counted() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    world
        .create_shape(
            floor,
            &ShapeDef::default(),
            &Shape::box_at(200.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap(),
        )
        .unwrap();
    let first = plate(&mut world, Vec2::new(0.5, 0.5), Vec2::new(3.0, 1.0), 3.0);
    let second = plate(&mut world, Vec2::new(3.5, 0.5), Vec2::new(3.0, 1.0), 2.0);
    let weld = weld(&mut world, first, second, 2.0, 0.5);
    let body = body_of(&world, first);
    for step in 0..60 {
        let hand = world.member(first).unwrap().center();
        let at = Position::new(hand.x, 0.0);
        world
            .body_mut(body)
            .unwrap()
            .apply_force_at(Vec2::new(-60.0, 0.0), at)
            .unwrap();
        world.step(DT).unwrap();
        if step > 30 {
            // How the floor's push is shared is the contact solver's; friction follows it.
            let pushed: f32 = world
                .contacts()
                .filter(|contact| {
                    contact
                        .shapes()
                        .iter()
                        .any(|shape| shape.member() == Some(second))
                })
                .map(|contact| contact.points().map(|point| point.2).sum::<f32>() / DT)
                .sum();
            let slowing = 0.6 * (5.0 * GRAVITY) / 5.0;
            let acceleration = 60.0 / 5.0 - slowing;
            let wanted = 2.0 * acceleration + 0.6 * pushed;
            close(-force(&world, weld).x, wanted, 0.02, "newtons on the second");
        }
    }
}

/// A disc with a weight beside its center, which rolling resistance keeps from rolling. When that is gone, it rolls until the
/// weight hangs below the center, and the weld bears the weight alone: no torque of a resistance that is not there.
#[test]
fn a_rolling_resistance_that_is_gone_loads_no_weld() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let plate_of_floor = Shape::box_at(200.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap();
    world
        .create_shape(floor, &ShapeDef::default(), &plate_of_floor)
        .unwrap();
    let disc = world
        .create_body(&BodyDef {
            angular_damping: 2.0,
            ..BodyDef::dynamic(0.0, 0.5)
        })
        .unwrap();
    let resists = ShapeDef {
        density: 1.0,
        rolling_resistance: 0.4,
        ..ShapeDef::default()
    };
    let shape = world
        .create_shape(disc, &resists, &Shape::circle(Vec2::ZERO, 0.5).unwrap())
        .unwrap();
    let disc = world.create_member(disc, 0).unwrap();
    let weight = plate(&mut world, Vec2::new(0.2, 0.5), Vec2::splat(0.1), 1.0);
    let weld = weld(&mut world, disc, weight, 0.0, 0.5);
    let steps = |world: &mut PhysicsWorld, count: usize| {
        for _ in 0..count {
            world.step(DT).unwrap();
        }
    };
    steps(&mut world, 60);
    close(
        torque(&world, weld),
        0.2 * GRAVITY,
        0.02,
        "held by the resistance",
    );
    world.shape_mut(shape).unwrap().set_surface(0.0, 0.0).unwrap();
    steps(&mut world, 2400);
    let [center, hanging] = [disc, weight].map(|member| world.member(member).unwrap().center());
    let aside = hanging.x - center.x;
    assert!(
        aside.abs() < 0.01 && hanging.y < center.y,
        "{center:?} {hanging:?}"
    );
    let (force, torque) = (force(&world, weld), torque(&world, weld));
    assert!((force - Vec2::new(0.0, GRAVITY)).length() < 0.1, "{force}");
    assert!(
        (torque - aside * GRAVITY).abs() < 0.03,
        "{torque} N m with {aside} m"
    );
}

/// A bar dropped on its end: over the blow, each weld gives what lies above it its change of momentum.
#[test]
fn a_bar_dropped_on_its_end_feels_the_blow() {
    for friction in [0.0, 0.9] {
        let mut world = world(GRAVITY);
        let floor = ground(&mut world);
        let def = ShapeDef {
            friction,
            ..ShapeDef::default()
        };
        world
            .create_shape(
                floor,
                &def,
                &Shape::box_at(20.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap(),
            )
            .unwrap();
        let members: Vec<MemberId> = (0..6)
            .map(|i| plate(&mut world, Vec2::new(0.0, 1.5 + i as f32), Vec2::ONE, 1.0))
            .collect();
        let welds: Vec<RigidWeldId> = (1..6)
            .map(|i| weld(&mut world, members[i - 1], members[i], 0.0, i as f32 + 1.0))
            .collect();
        let body = body_of(&world, members[0]);
        // Aslant, so that friction stops it from sliding.
        world
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(Vec2::new(if friction > 0.0 { 1.0 } else { 0.0 }, -3.0))
            .unwrap();
        let above = |world: &PhysicsWorld, i: usize| -> Vec2 {
            let body = world.body(body).unwrap();
            members[i + 1..]
                .iter()
                .map(|&member| body.velocity_at(world.member(member).unwrap().center()))
                .sum()
        };
        let mut sums = [Vec2::ZERO; 5];
        let before: Vec<Vec2> = (0..5).map(|i| above(&world, i)).collect();
        let steps = 24;
        for _ in 0..steps {
            world.step(DT).unwrap();
            for (sum, &weld) in sums.iter_mut().zip(&welds) {
                *sum += DT * force(&world, weld);
            }
        }
        for i in 0..5 {
            let fallen = (5 - i) as f32 * GRAVITY * DT * steps as f32;
            let wanted = above(&world, i) - before[i] + Vec2::new(0.0, fallen);
            close(sums[i].y, wanted.y, 0.02, "newton seconds upward");
            assert!(
                (sums[i].x - wanted.x).abs() < 0.02 * wanted.length(),
                "newton seconds aside: {} of {wanted}",
                sums[i]
            );
        }
    }
}

#[test]
fn breaking_keeps_mass_and_momentum() {
    let mut world = world(0.0);
    let masses = [1.0, 7.5, 0.3, 2.0];
    let members: Vec<MemberId> = masses
        .iter()
        .enumerate()
        .map(|(i, &mass)| {
            plate(
                &mut world,
                Vec2::new(i as f32, 0.2 * i as f32),
                Vec2::new(1.0, 0.4),
                mass,
            )
        })
        .collect();
    let bodies = members.iter().map(|&member| body_of(&world, member));
    for (i, body) in bodies.collect::<Vec<_>>().into_iter().enumerate() {
        let mut body = world.body_mut(body).unwrap();
        body.set_linear_velocity(Vec2::new(3.0 - i as f32, 0.5 * i as f32))
            .unwrap();
        body.set_angular_velocity(i as f32 - 2.0).unwrap();
    }
    let shapes: Vec<_> = world.shapes().map(|shape| (shape.id(), shape.member())).collect();
    let alike = |a: [f64; 4], b: [f64; 4]| {
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{a} became {b}");
        }
    };
    let before = momentum(&world);
    let welds: Vec<RigidWeldId> = (1..4)
        .map(|i| weld(&mut world, members[i - 1], members[i], i as f32 - 0.5, 0.0))
        .collect();
    alike(before, momentum(&world));
    assert_eq!(world.bodies().len(), 1, "the others have merged into the first");
    let merged = momentum(&world);
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let stepped = momentum(&world);
    alike(
        [merged[0], merged[1], 0.0, merged[3]],
        [stepped[0], stepped[1], 0.0, stepped[3]],
    );
    let speed = |world: &PhysicsWorld, member: MemberId| {
        let member = world.member(member).unwrap();
        member.body().velocity_at(member.center())
    };
    let speeds: Vec<Vec2> = members.iter().map(|&member| speed(&world, member)).collect();
    for &weld in &[welds[1], welds[0], welds[2]] {
        world.destroy_rigid_weld(weld).unwrap();
        world.validate();
        alike(stepped, momentum(&world));
    }
    assert_eq!(world.bodies().len(), 4);
    for ((&member, mass), speed_before) in members.iter().zip(masses).zip(speeds) {
        let body = world.member(member).unwrap().body();
        assert!((body.mass() - mass).abs() <= 1e-6 * mass);
        assert!(
            (speed(&world, member) - speed_before).length() < 1e-5,
            "matter moves on as it did"
        );
    }
    let after: Vec<_> = world.shapes().map(|shape| (shape.id(), shape.member())).collect();
    assert_eq!(shapes, after, "shapes keep their ids and members");
    world.step(DT).unwrap();
    assert_eq!(world.events().cut().len(), 3);
}

/// A bridge of welded planks between two banks, and heavy balls that fall on it.
fn bridge() -> (PhysicsWorld, Vec<MemberId>) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let banks = ground(&mut world);
    for x in [-8.0, 8.0] {
        let bank = Shape::box_at(4.0, 4.0, Vec2::new(x, -2.2), 0.0).unwrap();
        world.create_shape(banks, &ShapeDef::default(), &bank).unwrap();
    }
    let bottom = Shape::box_at(40.0, 1.0, Vec2::new(0.0, -9.0), 0.0).unwrap();
    world.create_shape(banks, &ShapeDef::default(), &bottom).unwrap();
    let planks: Vec<MemberId> = (0..14)
        .map(|i| {
            plate(
                &mut world,
                Vec2::new(i as f32 - 6.5, 0.0),
                Vec2::new(1.0, 0.4),
                20.0,
            )
        })
        .collect();
    for i in 1..planks.len() {
        world
            .create_rigid_weld(&RigidWeldDef {
                torque_threshold: 6000.0,
                force_threshold: 9000.0,
                ..RigidWeldDef::new(planks[i - 1], planks[i], Position::new(i as f32 - 7.0, 0.0))
            })
            .unwrap();
    }
    for i in 0..9 {
        let body = world
            .create_body(&BodyDef::dynamic(
                0.9 * (i % 3) as f32 - 1.1,
                3.0 + 2.0 * i as f32,
            ))
            .unwrap();
        let def = ShapeDef {
            density: 200.0,
            ..ShapeDef::default()
        };
        let ball = Shape::circle(Vec2::ZERO, 0.4).unwrap();
        world.create_shape(body, &def, &ball).unwrap();
    }
    (world, planks)
}

#[test]
fn a_bridge_breaks_under_load_alike_for_all_workers_lanes_and_saves() {
    let (mut plain, planks) = bridge();
    let start = plain.save();
    let mut hashes = Vec::new();
    let mut broken_at = None;
    for step in 0..400 {
        plain.step(DT).unwrap();
        hashes.push(plain.state_hash());
        if plain.events().rigid_weld().iter().any(|event| event.broke) {
            broken_at.get_or_insert(step);
        }
    }
    plain.validate();
    let broken_at = broken_at.expect("the bridge breaks");
    assert!(broken_at > 20, "not under its own weight: {broken_at}");
    let mut bodies: Vec<BodyId> = planks.iter().map(|&plank| body_of(&plain, plank)).collect();
    bodies.sort_unstable_by_key(|body| body.index());
    bodies.dedup();
    assert!((2..14).contains(&bodies.len()), "{} pieces", bodies.len());
    for workers in [1, 2, 8] {
        let pool = Pool::with_thread_for_each(workers).unwrap();
        for lanes in LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available()) {
            let mut world = PhysicsWorld::from_save(&start).unwrap();
            world.set_lanes(lanes).unwrap();
            for (step, &hash) in hashes.iter().enumerate() {
                world.step_with(DT, &pool).unwrap();
                assert_eq!(
                    world.state_hash(),
                    hash,
                    "{workers} workers, {lanes:?}, step {step}"
                );
                // Before, in and after the breaking.
                if workers == 2 && (broken_at..broken_at + 3).contains(&(step + 1)) {
                    let frame = world.frame();
                    world.step_with(DT, &pool).unwrap();
                    assert_eq!(world.state_hash(), hashes[step + 1]);
                    world.restore_frame(&frame);
                    world = if step % 2 == 0 {
                        world.clone()
                    } else {
                        PhysicsWorld::from_save(&world.save()).unwrap()
                    };
                    world.set_lanes(lanes).unwrap();
                }
            }
        }
    }
}

#[test]
fn members_shapes_and_bodies_can_be_destroyed() {
    let mut world = world(0.0);
    let (members, welds) = row(&mut world, 5, 0.0);
    let body = body_of(&world, members[0]);
    world.destroy_member(members[2]).unwrap();
    world.validate();
    assert!(world.member(members[2]).is_none() && world.rigid_weld(welds[1]).is_none());
    assert_eq!(world.bodies().len(), 2);
    assert_eq!(body_of(&world, members[0]), body_of(&world, members[1]));
    assert_ne!(body_of(&world, members[1]), body_of(&world, members[3]));
    assert_eq!(
        world.destroy_member(members[2]),
        Err(PhysicsError::StaleHandle { what: "member" })
    );
    // A member goes with its last shape.
    let shape = world.member(members[3]).unwrap().shapes().next().unwrap().id();
    world.destroy_shape(shape).unwrap();
    world.validate();
    assert!(world.member(members[3]).is_none() && world.rigid_weld(welds[3]).is_none());
    // New shapes are the nearest member's.
    let new = world
        .create_shape(
            body,
            &ShapeDef::default(),
            &Shape::box_at(0.2, 0.2, Vec2::new(1.2, 0.6), 0.0).unwrap(),
        )
        .unwrap();
    assert_eq!(world.shape(new).unwrap().member(), Some(members[1]));
    world.validate();
    let mass = world.body(body).unwrap().mass();
    world.step(DT).unwrap();
    close(
        world.member(members[1]).unwrap().mass(),
        1.04,
        1e-5,
        "kilograms of the second",
    );
    close(mass, 2.04, 1e-5, "kilograms of both");
    world.destroy_body(body).unwrap();
    world.validate();
    assert!(world.member(members[0]).is_none() && world.rigid_welds().len() == 0);
    assert_eq!((world.counters().members, world.counters().rigid_welds), (1, 0));
    // Slots are used again.
    let (again, _) = row(&mut world, 3, 3.0);
    world.step(DT).unwrap();
    world.validate();
    assert_eq!(world.member(again[0]).unwrap().body().members().count(), 3);
}

#[test]
fn a_composite_sleeps_and_wakes_when_it_breaks() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = ground(&mut world);
    world
        .create_shape(
            floor,
            &ShapeDef::default(),
            &Shape::box_at(20.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap(),
        )
        .unwrap();
    let (members, welds) = row(&mut world, 2, 0.5);
    let (_, above) = row(&mut world, 2, 1.5);
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.awake_body_count(), 0);
    let borne = force(&world, welds[0]);
    world.step(DT).unwrap();
    assert_eq!(force(&world, welds[0]), borne, "asleep it bears what it bore");
    world.destroy_rigid_weld(welds[0]).unwrap();
    world.validate();
    assert_eq!(world.awake_body_count(), 3, "both halves, and what lies on them");
    world.step(DT).unwrap();
    assert_ne!(body_of(&world, members[0]), body_of(&world, members[1]));
    // A threshold wakes too, and is looked at.
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.awake_body_count(), 0);
    world
        .set_rigid_weld_thresholds(above[0], 0.0, 0.0, false)
        .unwrap();
    world.step(DT).unwrap();
    let events = world.events().rigid_weld();
    assert!(events.len() == 1 && !events[0].broke, "reported, and it holds");
    assert!(world.rigid_weld(above[0]).is_some());
}

#[test]
fn refused_calls_on_composites_name_the_reason_and_change_nothing() {
    let mut world = world(0.0);
    let (members, welds) = row(&mut world, 2, 0.0);
    let body = body_of(&world, members[0]);
    let bare = world.create_body(&BodyDef::dynamic(0.0, 9.0)).unwrap();
    let fixed = world.create_body(&BodyDef::fixed(0.0, 20.0)).unwrap();
    world
        .create_shape(fixed, &ShapeDef::default(), &Shape::new_box(1.0, 1.0).unwrap())
        .unwrap();
    let fixed = world.create_member(fixed, 7).unwrap();
    let far = plate(&mut world, Vec2::new(5000.0, 0.0), Vec2::ONE, 1.0);
    let far_body = body_of(&world, far);
    world
        .create_joint(WeldDef::new(bare, Vec2::ZERO, far_body, Vec2::new(99_000.0, 0.0)))
        .unwrap();
    let hash = world.state_hash();
    let point = Position::ORIGIN;
    let refused = |result: Result<(), PhysicsError>, words: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(words), "{text}, without {words}");
    };
    refused(world.create_member(body, 0).map(drop), "has members already");
    refused(world.create_member(bare, 0).map(drop), "needs shapes");
    let weld = |world: &mut PhysicsWorld, def: &RigidWeldDef| world.create_rigid_weld(def).map(drop);
    let def = RigidWeldDef::new(members[0], members[0], point);
    refused(weld(&mut world, &def), "two different members");
    let def = RigidWeldDef::new(members[0], fixed, point);
    refused(weld(&mut world, &def), "two dynamic bodies");
    let def = RigidWeldDef {
        force_threshold: f32::NAN,
        ..RigidWeldDef::new(members[0], members[1], point)
    };
    refused(weld(&mut world, &def), "force_threshold");
    let def = RigidWeldDef::new(members[0], far, point);
    refused(weld(&mut world, &def), "local_anchor_b");
    refused(
        world.set_rigid_weld_thresholds(welds[0], 1.0, -1.0, true),
        "torque_threshold",
    );
    let cut = world.slice(body, Position::new(0.5, -1.0), Position::new(0.5, 1.0));
    refused(cut.map(drop), "cannot be cut");
    let missed = world.slice(body, Position::new(0.5, 9.0), Position::new(1.5, 9.0));
    assert_eq!(missed, Ok(None), "what is not met is no error");
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn welds_in_a_ring_share_and_hold_together_until_two_are_gone() {
    let mut world = world(0.0);
    // A square ring of four, pulled apart at two opposite members.
    let places = [
        Vec2::new(-1.0, 0.0),
        Vec2::new(0.0, 1.0),
        Vec2::new(1.0, 0.0),
        Vec2::new(0.0, -1.0),
    ];
    let members = places.map(|place| plate(&mut world, place, Vec2::splat(0.5), 1.0));
    let welds: Vec<RigidWeldId> = (0..4)
        .map(|i| {
            let point = 0.5 * (places[i] + places[(i + 1) % 4]);
            weld(&mut world, members[i], members[(i + 1) % 4], point.x, point.y)
        })
        .collect();
    let body = body_of(&world, members[0]);
    for (place, pull) in [(places[0], -10.0), (places[2], 10.0)] {
        world
            .body_mut(body)
            .unwrap()
            .apply_force_at(Vec2::new(pull, 0.0), place.into())
            .unwrap();
    }
    world.step(DT).unwrap();
    for (i, &weld) in welds.iter().enumerate() {
        // Above, the second member of both welds is on the right, below on the left.
        let wanted = if i < 2 { -5.0 } else { 5.0 };
        close(force(&world, weld).x, wanted, 1e-4, "half of the pull");
        assert!(force(&world, weld).y.abs() < 1e-4);
    }
    world.destroy_rigid_weld(welds[0]).unwrap();
    assert_eq!(world.bodies().len(), 1, "a ring that is open hangs together");
    world.destroy_rigid_weld(welds[2]).unwrap();
    assert_eq!(world.bodies().len(), 2);
    assert_eq!(body_of(&world, members[1]), body_of(&world, members[2]));
    assert_eq!(body_of(&world, members[3]), body_of(&world, members[0]));
    world.validate();
}

#[test]
fn merging_takes_joints_and_turned_bodies_along() {
    let mut world = world(GRAVITY);
    let hook = ground(&mut world);
    let first = plate(&mut world, Vec2::new(0.0, 0.0), Vec2::new(2.0, 0.5), 2.0);
    let turned = world
        .create_body(&BodyDef {
            angle: 2.0,
            ..BodyDef::dynamic(1.5, 0.5)
        })
        .unwrap();
    let shape = Shape::polygon(&[Vec2::ZERO, Vec2::X, Vec2::Y].map(|corner| corner * 0.8), 0.05).unwrap();
    world.create_shape(turned, &ShapeDef::default(), &shape).unwrap();
    let corner = |world: &PhysicsWorld, member: MemberId| {
        let member = world.member(member).unwrap();
        let vertex = member.shapes().next().unwrap().geometry().vertices()[1];
        member.body().world_point(vertex).to_vec2()
    };
    let second = world.create_member(turned, 3).unwrap();
    let place = corner(&world, second);
    let above = world.body(turned).unwrap().position();
    let rod = world
        .create_joint(DistanceDef {
            length: 2.0,
            ..DistanceDef::new(hook, above.to_vec2() + Vec2::new(0.0, 2.0), turned, Vec2::ZERO)
        })
        .unwrap();
    let own = body_of(&world, first);
    let between = world
        .create_joint(DistanceDef::new(own, Vec2::ZERO, turned, Vec2::ZERO))
        .unwrap();
    weld(&mut world, first, second, 1.0, 0.25);
    world.validate();
    assert!(world.body(turned).is_none() && world.joint(between).is_none());
    assert!(
        (corner(&world, second) - place).length() < 1e-6,
        "nothing has moved"
    );
    let hung = world.joint(rod).unwrap();
    assert!(hung.linear_error() < 1e-5 && hung.bodies()[1].id() == own);
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    assert!(world.joint(rod).unwrap().linear_error() < 0.01);
    world.validate();
}

#[test]
fn a_heightfield_given_to_a_composite_is_its_first_members() {
    let mut world = world(0.0);
    let (members, welds) = row(&mut world, 2, 0.0);
    let body = body_of(&world, members[0]);
    let def = HeightfieldDef {
        heights: vec![3.0, 3.5, 3.0],
        ..HeightfieldDef::default()
    };
    let segments = world.create_heightfield(body, &def).unwrap();
    assert_eq!(segments.len(), 2);
    for segment in &segments {
        let member = world.shape(*segment).unwrap().member().unwrap();
        assert!(members.contains(&member));
    }
    let again = PhysicsWorld::from_save(&world.save()).unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
    world.destroy_rigid_weld(welds[0]).unwrap();
    world.step(DT).unwrap();
    world.validate();
    assert_ne!(body_of(&world, members[0]), body_of(&world, members[1]));
}
