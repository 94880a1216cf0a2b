//! Extra substeps for what is connected with a body that asks: they do what as many substeps of the world do, to the bit,
//! for exactly these bodies and for nobody else, whoever computes it.

use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, BodyId, ContactRule, FieldDef, FieldKind, FilterDef, IslandAlgorithm, LaneWidth, PhysicsWorld,
    Position, RevoluteDef, RigidWeldDef, Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::{Executor, Inline, Pool};

const LINKS: usize = 10;

fn world(substeps: u32) -> PhysicsWorld {
    let def = WorldDef {
        substeps,
        sleeping: false,
        // As stiff as the substeps let it be.
        contact_hertz: 1000.0,
        ..WorldDef::default()
    };
    PhysicsWorld::new(&def).unwrap()
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, size: [f32; 2], density: f32) -> BodyId {
    let body = world.create_body(def).unwrap();
    let def = ShapeDef {
        density,
        ..ShapeDef::default()
    };
    let shape = Shape::new_box(size[0], size[1]).unwrap();
    world.create_shape(body, &def, &shape).unwrap();
    body
}

fn floor(world: &mut PhysicsWorld) -> BodyId {
    add(world, &BodyDef::fixed(0.0, -1.0), [200.0, 2.0], 1.0)
}

/// Boxes of a kilogram on each other, from a place of the floor up, and one of a hundred on top.
fn stack(world: &mut PhysicsWorld, x: f32) -> Vec<BodyId> {
    let density = |row: usize| if row == 4 { 100.0 } else { 1.0 };
    (0..5)
        .map(|row| {
            let def = BodyDef::dynamic(x + 0.01 * row as f32, 0.5 + row as f32);
            add(world, &def, [1.0, 1.0], density(row))
        })
        .collect()
}

/// A chain of light links from a point, and a body a hundred times as heavy at its end; it hangs to the side and falls.
fn chain(world: &mut PhysicsWorld, x: f32, y: f32) -> Vec<BodyId> {
    let hook = world.create_body(&BodyDef::fixed(x, y)).unwrap();
    let mut bodies = Vec::new();
    let mut last = (hook, Vec2::ZERO);
    for link in 0..=LINKS {
        let is_load = link == LINKS;
        let def = BodyDef::dynamic(x + 0.5 * link as f32 + 0.25, y);
        let (size, density) = if is_load {
            ([0.5, 0.5], 80.0)
        } else {
            ([0.5, 0.2], 2.0)
        };
        let body = add(world, &def, size, density);
        let joint = RevoluteDef {
            constraint_hertz: 1000.0,
            ..RevoluteDef::new(last.0, last.1, body, Vec2::new(-0.25, 0.0))
        };
        world.create_joint(joint).unwrap();
        last = (body, Vec2::new(0.25, 0.0));
        bodies.push(body);
    }
    bodies
}

fn ask(world: &mut PhysicsWorld, body: BodyId, extra: u32) {
    world.body_mut(body).unwrap().set_extra_substeps(extra).unwrap();
}

/// The bits of places and velocities.
fn bits(world: &PhysicsWorld, bodies: &[BodyId]) -> Vec<[u32; 7]> {
    let of = |&body: &BodyId| {
        let view = world.body(body).unwrap();
        let (place, turn, velocity) = (view.position(), view.rotation(), view.linear_velocity());
        [
            place.x,
            place.y,
            turn.cos,
            turn.sin,
            velocity.x,
            velocity.y,
            view.angular_velocity(),
        ]
        .map(f32::to_bits)
    };
    bodies.iter().map(of).collect()
}

/// How far the ends of a chain's links come apart, added up, on average over some steps after it hangs.
fn sag(world: &mut PhysicsWorld) -> f32 {
    let mut sum = 0.0;
    for step in 0..600 {
        world.step(DT).unwrap();
        if step < 300 {
            continue;
        }
        let ends = |id: BodyId, local: Vec2| world.body(id).unwrap().world_point(local).to_vec2();
        for joint in world.joints() {
            let [a, b] = joint.bodies().map(|body| body.id());
            let [from, to] = joint.local_anchors();
            sum += (ends(a, from) - ends(b, to)).length();
        }
    }
    sum / 300.0
}

#[test]
fn a_light_chain_under_a_heavy_load_sags_less() {
    let sag_with = |extra: u32| {
        let mut world = world(4);
        let bodies = chain(&mut world, 0.0, 20.0);
        ask(&mut world, bodies[3], extra);
        sag(&mut world)
    };
    let (plain, some, many) = (sag_with(0), sag_with(8), sag_with(28));
    assert!(some < 0.5 * plain, "{plain} m, with 8 more {some} m");
    assert!(many < 0.5 * some, "with 8 more {some} m, with 28 {many} m");
}

#[test]
fn a_light_stack_under_a_heavy_box_is_pressed_less() {
    let height = |extra: u32| {
        let mut world = world(4);
        floor(&mut world);
        let bodies = stack(&mut world, 0.0);
        ask(&mut world, bodies[4], extra);
        (0..240).for_each(|_| world.step(DT).unwrap());
        world.body(bodies[4]).unwrap().position().y
    };
    let (plain, more) = (4.5 - height(0), 4.5 - height(12));
    assert!(
        more < 0.5 * plain,
        "pressed by {plain} m, with 12 more by {more} m"
    );
}

/// A scene in which all that is dynamic is connected from the first step on: its bodies.
type Connected = fn(&mut PhysicsWorld) -> Vec<BodyId>;

const CONNECTED: [(&str, Connected); 5] = [
    ("stack", |world| {
        floor(world);
        stack(world, 0.0)
    }),
    ("chain", |world| chain(world, 0.0, 20.0)),
    ("chain in wind", |world| {
        let wind = FieldKind::Wind {
            velocity: Vec2::new(5.0, 1.0),
            density: 1.2,
            drag: 1.0,
            lift: 0.2,
        };
        world.create_field(&FieldDef::new(wind)).unwrap();
        chain(world, 0.0, 20.0)
    }),
    ("stack that bounces and rolls off", |world| {
        let ground = floor(world);
        let shape = world.body(ground).unwrap().shapes().next().unwrap().id();
        world.shape_mut(shape).unwrap().set_material(0.6, 0.8).unwrap();
        let bodies = stack(world, 0.0);
        let mut top = world.body_mut(bodies[4]).unwrap();
        top.set_linear_velocity(Vec2::new(0.0, -3.0)).unwrap();
        top.set_angular_velocity(0.5).unwrap();
        bodies
    }),
    ("plate on a hundred posts", |world| {
        floor(world);
        let plate = add(world, &BodyDef::dynamic(0.0, 1.1), [60.0, 0.2], 50.0);
        let post = |i: usize| BodyDef::dynamic(-29.7 + 0.6 * i as f32, 0.5);
        let posts = (0..100).map(|i| add(world, &post(i), [0.3, 1.0], 1.0));
        core::iter::once(plate).chain(posts.collect::<Vec<_>>()).collect()
    }),
];

#[test]
fn a_set_moves_as_in_a_world_with_as_many_substeps() {
    for (name, build) in CONNECTED {
        for (at, extra) in [(0, 1), (2, 5), (4, 12)] {
            let (mut asking, mut whole) = (world(4), world(4 + extra));
            let bodies = build(&mut asking);
            assert_eq!(build(&mut whole), bodies);
            ask(&mut asking, bodies[at], extra);
            for step in 0..90 {
                asking.step(DT).unwrap();
                whole.step(DT).unwrap();
                // What came apart is no longer solved together.
                let touching = asking.contacts().filter(|contact| contact.is_touching()).count();
                if name.contains("rolls off") && touching < bodies.len() {
                    break;
                }
                assert_eq!(
                    bits(&asking, &bodies),
                    bits(&whole, &bodies),
                    "{name} with {extra} more, step {step}"
                );
            }
        }
    }
}

#[test]
fn the_most_extra_substeps_of_a_group_count() {
    let (mut asking, mut whole) = (world(4), world(11));
    let bodies = chain(&mut asking, 0.0, 20.0);
    chain(&mut whole, 0.0, 20.0);
    for (at, extra) in [(0, 3), (5, 7), (9, 6)] {
        ask(&mut asking, bodies[at], extra);
    }
    for _ in 0..60 {
        asking.step(DT).unwrap();
        whole.step(DT).unwrap();
    }
    assert_eq!(bits(&asking, &bodies), bits(&whole, &bodies));
    // Whoever asks no more has no say.
    ask(&mut asking, bodies[5], 0);
    ask(&mut asking, bodies[9], 0);
    whole.set_substeps(7).unwrap();
    for _ in 0..60 {
        asking.step(DT).unwrap();
        whole.step(DT).unwrap();
    }
    assert_eq!(bits(&asking, &bodies), bits(&whole, &bodies));
}

/// Piles that stand on the same floor and the same turning platform, and hang from the same kinematic body, are not connected.
#[test]
fn bodies_outside_the_set_move_as_if_nobody_asked() {
    let build = |extra: u32| {
        let mut world = world(4);
        floor(&mut world);
        let turning = BodyDef {
            angular_velocity: 0.4,
            linear_velocity: Vec2::new(0.3, 0.1),
            ..BodyDef::kinematic(40.0, 6.0)
        };
        let platform = add(&mut world, &turning, [20.0, 0.5], 1.0);
        let (asking, other) = (stack(&mut world, 0.0), stack(&mut world, 6.0));
        let on_platform = [36.0, 44.0].map(|x| add(&mut world, &BodyDef::dynamic(x, 6.8), [1.0, 1.0], 1.0));
        let hanging = [(-9.0, 3.0), (9.0, 2.0)].map(|(x, mass)| {
            let body = add(&mut world, &BodyDef::dynamic(40.0 + x, 4.0), [0.5, 0.5], mass);
            let joint = RevoluteDef::new(platform, Vec2::new(x, 0.0), body, Vec2::new(0.0, 2.0));
            world.create_joint(joint).unwrap();
            body
        });
        for body in [asking[2], on_platform[0], hanging[0]] {
            ask(&mut world, body, extra);
        }
        let outside: Vec<BodyId> = other
            .into_iter()
            .chain([platform, on_platform[1], hanging[1]])
            .collect();
        let inside: Vec<BodyId> = asking.into_iter().chain([on_platform[0], hanging[0]]).collect();
        (world, outside, inside)
    };
    for limit in [0, 256] {
        let (mut plain, outside, inside) = build(0);
        let (mut asking, ..) = build(6);
        asking.set_batch_bodies_max(limit);
        for step in 0..100 {
            plain.step(DT).unwrap();
            asking.step(DT).unwrap();
            assert_eq!(bits(&plain, &outside), bits(&asking, &outside), "step {step}");
        }
        for (one, other) in bits(&plain, &inside).iter().zip(bits(&asking, &inside)) {
            assert_ne!(*one, other, "a body of a set is solved otherwise");
        }
    }
}

/// A platform moves a set as it does in a world with as many substeps, as far as it moves alike.
#[test]
fn a_kinematic_body_moves_within_the_substeps_of_a_set() {
    let build = |substeps: u32, extra: u32| {
        let mut world = world(substeps);
        let lift = BodyDef {
            // Its way is the same sum for four and for eight substeps.
            linear_velocity: Vec2::new(0.0, 3.75),
            ..BodyDef::kinematic(0.0, -0.5)
        };
        add(&mut world, &lift, [10.0, 1.0], 1.0);
        let bodies = stack(&mut world, 0.0);
        ask(&mut world, bodies[0], extra);
        (world, bodies)
    };
    let (mut asking, bodies) = build(4, 4);
    let (mut whole, _) = build(8, 0);
    for step in 0..60 {
        asking.step(1.0 / 64.0).unwrap();
        whole.step(1.0 / 64.0).unwrap();
        assert_eq!(bits(&asking, &bodies), bits(&whole, &bodies), "step {step}");
    }
}

/// What touches and does not push, and a filter, connect nobody.
#[test]
fn only_what_pushes_or_holds_connects() {
    let build = |extra: u32| {
        let mut world = world(4);
        let rule = ContactRule {
            sensor: true,
            ..ContactRule::default()
        };
        world.set_contact_rule(1, 2, rule).unwrap();
        let boxes = [1, 2].map(|material| {
            let body = world
                .create_body(&BodyDef::dynamic(0.3 * material as f32, 20.0))
                .unwrap();
            let def = ShapeDef {
                material,
                ..ShapeDef::default()
            };
            world
                .create_shape(body, &def, &Shape::new_box(1.0, 1.0).unwrap())
                .unwrap();
            body
        });
        let chained = chain(&mut world, 30.0, 20.0);
        let hung = chain(&mut world, 60.0, 20.0);
        world.create_joint(FilterDef::new(chained[4], hung[4])).unwrap();
        ask(&mut world, boxes[0], extra);
        ask(&mut world, chained[0], extra);
        (world, [vec![boxes[1]], hung].concat(), chained)
    };
    let (mut plain, outside, inside) = build(0);
    let (mut asking, ..) = build(9);
    for _ in 0..30 {
        plain.step(DT).unwrap();
        asking.step(DT).unwrap();
        assert_eq!(bits(&plain, &outside), bits(&asking, &outside));
    }
    assert_ne!(bits(&plain, &inside), bits(&asking, &inside));
}

/// Piles, chains, a plate on posts, platforms, bounces, with many who ask, some for the same.
fn many(islands: IslandAlgorithm) -> PhysicsWorld {
    let def = WorldDef {
        sleeping: false,
        islands,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let mut random = Random(7);
    for (_, build) in CONNECTED {
        let bodies = build(&mut world);
        let place = random.pick(&bodies).unwrap();
        ask(&mut world, place, 1 + random.below(4) as u32);
    }
    for i in 0..8 {
        let turning = BodyDef {
            angular_velocity: 2.0,
            ..BodyDef::kinematic(-80.0 + 5.0 * i as f32, 3.0)
        };
        add(&mut world, &turning, [4.0, 0.4], 1.0);
    }
    for _ in 0..300 {
        let def = BodyDef {
            linear_velocity: random.vector(5.0),
            extra_substeps: if random.chance(20) {
                1 + random.below(3) as u32
            } else {
                0
            },
            ..BodyDef::dynamic(random.between(-80.0, -45.0), random.between(1.0, 40.0))
        };
        let size = [random.between(0.3, 1.2), random.between(0.3, 1.2)];
        add(&mut world, &def, size, random.between(0.5, 5.0));
    }
    world
}

#[test]
fn one_result_for_every_number_of_workers_lanes_batches_and_islands() {
    let run = |mut world: PhysicsWorld, executor: &dyn Executor| {
        let mut hashes = Vec::new();
        for step in 1..=80 {
            world.step_with(DT, executor).unwrap();
            if step % 20 == 0 {
                hashes.push(world.state_hash());
            }
        }
        hashes
    };
    let first = run(many(IslandAlgorithm::Persistent), &Inline);
    for workers in [1, 2, 3, 8] {
        let pool = Pool::new(workers).unwrap();
        for limit in [0, 8, 256, u32::MAX] {
            let mut world = many(IslandAlgorithm::Persistent);
            world.set_batch_bodies_max(limit);
            assert_eq!(run(world, &pool), first, "{workers} workers, batches of {limit}");
        }
    }
    for lanes in LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available()) {
        let mut world = many(IslandAlgorithm::Persistent);
        world.set_lanes(lanes).unwrap();
        assert_eq!(run(world, &Inline), first, "{lanes:?}");
    }
    for islands in [
        IslandAlgorithm::DepthFirst,
        IslandAlgorithm::UnionFind,
        IslandAlgorithm::ParallelUnionFind,
    ] {
        assert_eq!(run(many(islands), &Pool::new(2).unwrap()), first, "{islands:?}");
    }
}

#[test]
fn extra_substeps_are_saved_and_end_with_their_body() {
    let mut world = many(IslandAlgorithm::Persistent);
    for step in 0..40 {
        world.step(DT).unwrap();
        if step == 20 {
            let bytes = world.save();
            let restored = PhysicsWorld::from_save(&bytes).unwrap();
            assert_eq!(restored.state_hash(), world.state_hash());
            world = restored;
        }
    }
    let mut whole = many(IslandAlgorithm::Persistent);
    (0..40).for_each(|_| whole.step(DT).unwrap());
    assert_eq!(world.state_hash(), whole.state_hash());
    world.validate();

    let asking: Vec<BodyId> = world
        .bodies()
        .filter(|body| body.extra_substeps() > 0)
        .map(|body| body.id())
        .collect();
    assert!(asking.len() > 10);
    for body in asking {
        world.destroy_body(body).unwrap();
        let next = world.create_body(&BodyDef::dynamic(0.0, 50.0)).unwrap();
        assert_eq!(next.index(), body.index(), "the place is used again");
        assert_eq!(world.body(next).unwrap().extra_substeps(), 0);
    }
    world.validate();
    PhysicsWorld::from_save(&world.save()).unwrap();
}

/// Sets fall asleep and wake as others do, and a world in which nobody asks any more has the hash of one where nobody did.
#[test]
fn sets_sleep_and_who_asks_no_more_leaves_no_trace() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    floor(&mut world);
    let bodies: Vec<BodyId> = (0..4)
        .map(|row| {
            add(
                &mut world,
                &BodyDef::dynamic(0.0, 0.5 + row as f32),
                [1.0, 1.0],
                1.0,
            )
        })
        .collect();
    ask(&mut world, bodies[1], 6);
    (0..300).for_each(|_| world.step(DT).unwrap());
    assert_eq!(world.awake_body_count(), 0);
    ask(&mut world, bodies[3], 2);
    assert_eq!(world.awake_body_count(), 4, "setting it wakes the island");
    let mut without = world.clone();
    ask(&mut without, bodies[1], 0);
    ask(&mut without, bodies[3], 0);
    let mut never = without.clone();
    ask(&mut never, bodies[0], 3);
    assert_ne!(never.state_hash(), without.state_hash());
    ask(&mut never, bodies[0], 0);
    assert_eq!(never.state_hash(), without.state_hash());
}

/// A long bar past a thin post: continuous collision has to know by how much it turned.
#[test]
fn a_bar_that_turns_fast_is_swept_as_with_as_many_substeps_of_the_world() {
    let path = |substeps: u32, extra: u32, spin: f32| {
        let def = WorldDef {
            substeps,
            gravity: Vec2::ZERO,
            ..WorldDef::default()
        };
        let mut world = PhysicsWorld::new(&def).unwrap();
        let post = world.create_body(&BodyDef::fixed(1.6, 0.4)).unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
        world.create_shape(post, &ShapeDef::default(), &ball).unwrap();
        let bar = BodyDef {
            fast_rotation: true,
            angular_velocity: spin,
            extra_substeps: extra,
            linear_velocity: Vec2::new(5.0, 0.0),
            ..BodyDef::dynamic(-1.0, 0.0)
        };
        let bar = add(&mut world, &bar, [4.0, 0.1], 1.0);
        let steps = (0..60).map(|_| {
            world.step(DT).unwrap();
            bits(&world, &[bar])
        });
        steps.collect::<Vec<_>>()
    };
    for spin in [100.0, 500.0, 740.0, 1000.0] {
        let all = path(8, 0, spin);
        for (substeps, extra) in [(1, 7), (2, 6), (4, 4)] {
            let some = path(substeps, extra, spin);
            let parted = (0..).zip(all.iter().zip(&some)).find(|(_, (a, b))| a != b);
            assert!(parted.is_none(), "{spin} rad/s, {substeps} + {extra}: {parted:?}");
        }
    }
}

/// What a rigid weld holds is counted from the motion that the body would have had alone in those substeps.
#[test]
fn welds_of_a_damped_composite_hold_what_they_hold_with_as_many_substeps_of_the_world() {
    let forces = |substeps: u32, extra: u32| {
        let mut world = world(substeps);
        floor(&mut world);
        let def = BodyDef {
            linear_damping: 5.0,
            angular_damping: 3.0,
            angular_velocity: 4.0,
            ..BodyDef::dynamic(0.0, 1.5)
        };
        let one = add(&mut world, &def, [1.0, 1.0], 1.0);
        let other = BodyDef {
            position: Position::new(1.0, 1.5),
            ..def
        };
        let other = add(&mut world, &other, [1.0, 1.0], 3.0);
        let [one, other] = [one, other].map(|body| world.create_member(body, 0).unwrap());
        let weld = RigidWeldDef::new(one, other, Position::new(0.5, 1.5));
        let weld = world.create_rigid_weld(&weld).unwrap();
        let body = world.member(one).unwrap().body().id();
        ask(&mut world, body, extra);
        let steps = (0..60).map(|_| {
            world.step(DT).unwrap();
            let weld = world.rigid_weld(weld).unwrap();
            [weld.force().x, weld.force().y, weld.torque()].map(f32::to_bits)
        });
        steps.collect::<Vec<_>>()
    };
    let all = forces(8, 0);
    for (substeps, extra) in [(1, 7), (2, 6), (4, 4)] {
        assert_eq!(all, forces(substeps, extra), "{substeps} + {extra}");
    }
}
