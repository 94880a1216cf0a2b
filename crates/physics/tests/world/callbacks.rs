//! Callbacks about pairs of shapes: what they are asked, what they decide, the same bits for any number of workers, and
//! what becomes of them in saves, frames and recordings.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tombolo_physics::{
    BodyDef, BodyId, ContactRule, Filter, FilterDef, PairView, PhysicsWorld, RecordOptions, Recording,
    Response, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};
use tombolo_threads::{Inline, Pool};

const DT: f32 = 1.0 / 60.0;
const ALL: u64 = u64::MAX;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn rect(width: f32, height: f32) -> Shape {
    Shape::new_box(width, height).unwrap()
}

fn disc(radius: f32) -> Shape {
    Shape::circle(Vec2::ZERO, radius).unwrap()
}

fn add(world: &mut PhysicsWorld, body: &BodyDef, key: u64, shape: &Shape) -> (BodyId, ShapeId) {
    let body = world.create_body(body).unwrap();
    let def = ShapeDef {
        user_key: key,
        ..ShapeDef::default()
    };
    let shape = world.create_shape(body, &def, shape).unwrap();
    (body, shape)
}

fn floor(world: &mut PhysicsWorld) -> (BodyId, ShapeId) {
    add(world, &BodyDef::fixed(0.0, -1.0), 0, &rect(80.0, 2.0))
}

fn steps(world: &mut PhysicsWorld, count: usize) {
    for _ in 0..count {
        world.step(DT).unwrap();
    }
}

fn position(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().position().into()
}

fn velocity(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().linear_velocity()
}

fn usual(pair: &PairView) -> Response {
    pair.touch.expect("a pre-solve callback is told of it").usual
}

/// Two of the same key, unless that is 0, do not touch.
fn teams(pair: &PairView) -> bool {
    let [a, b] = pair.sides.map(|side| side.shape_key);
    a == 0 || a != b
}

/// Which pairs of keys a callback was asked about.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<BTreeSet<[u64; 2]>>>);

impl Asked {
    fn note(&self, pair: &PairView) {
        let mut keys = pair.sides.map(|side| side.shape_key);
        keys.sort_unstable();
        self.0.lock().unwrap().insert(keys);
    }

    fn take(&self) -> Vec<[u64; 2]> {
        let mut asked = self.0.lock().unwrap();
        core::mem::take(&mut *asked).into_iter().collect()
    }
}

#[test]
fn a_custom_filter_keeps_pairs_apart_from_the_first_step_on() {
    let mut world = world();
    world.set_custom_filter(teams);
    floor(&mut world);
    let lower = add(&mut world, &BodyDef::dynamic(0.0, 0.5), 1, &rect(1.0, 1.0)).0;
    let same = add(&mut world, &BodyDef::dynamic(0.0, 2.0), 1, &rect(1.0, 1.0)).0;
    let other = add(&mut world, &BodyDef::dynamic(0.3, 4.0), 2, &rect(1.0, 1.0)).0;
    steps(&mut world, 180);
    // Those of one team lie in each other on the floor; the other one lies on top of them.
    assert!((position(&world, lower).y - 0.5).abs() < 0.01);
    assert!((position(&world, same).y - 0.5).abs() < 0.01);
    assert!((position(&world, other).y - 1.5).abs() < 0.02);
    world.validate();
}

#[test]
fn a_filter_is_not_asked_about_what_is_kept_apart_already() {
    let asked = Asked::default();
    let mut world = world();
    let notes = asked.clone();
    world.set_custom_filter(move |pair| {
        assert!(pair.touch.is_none());
        notes.note(pair);
        true
    });
    let at = |x: f32| BodyDef {
        gravity_scale: 0.0,
        ..BodyDef::dynamic(x, 0.0)
    };
    let [a, b, c, d, e] = [1, 2, 3, 4, 5].map(|key| add(&mut world, &at(0.1 * key as f32), key, &disc(1.0)));
    // 1 and 2 by call, 1 and 3 by joint, 1 and 4 by rule, 1 and 5 by filter.
    world.set_pair_ignored(a.1, b.1, true).unwrap();
    world.create_joint(FilterDef::new(a.0, c.0)).unwrap();
    let ignore = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    world.set_contact_rule(7, 8, ignore).unwrap();
    world.shape_mut(a.1).unwrap().set_material_number(7).unwrap();
    world.shape_mut(d.1).unwrap().set_material_number(8).unwrap();
    for shape in [a.1, e.1] {
        let mut shape = world.shape_mut(shape).unwrap();
        let filter = tombolo_physics::Filter {
            group: -1,
            ..Default::default()
        };
        shape.set_filter(filter);
    }
    world.step(DT).unwrap();
    assert_eq!(
        asked.take(),
        [[2, 3], [2, 4], [2, 5], [3, 4], [3, 5], [4, 5]],
        "those that nothing else keeps apart"
    );
    world.step(DT).unwrap();
    assert_eq!(
        asked.take(),
        [[0; 2]; 0],
        "a pair that is known is not asked about again"
    );
}

#[test]
fn a_filter_that_comes_later_ends_touches_and_one_that_goes_lets_them_begin() {
    let mut world = world();
    floor(&mut world);
    let lower = add(&mut world, &BodyDef::dynamic(0.0, 0.5), 1, &rect(1.0, 1.0)).0;
    let upper = add(&mut world, &BodyDef::dynamic(0.0, 1.5), 1, &rect(1.0, 1.0)).0;
    steps(&mut world, 200);
    assert!(!world.body(lower).unwrap().is_awake(), "all came to rest");
    world.set_custom_filter(teams);
    assert!(world.body(lower).unwrap().is_awake() && world.body(upper).unwrap().is_awake());
    world.validate();
    world.step(DT).unwrap();
    assert_eq!(
        world.events().end_touch().len(),
        1,
        "the upper one left the lower one"
    );
    steps(&mut world, 200);
    assert!((position(&world, upper).y - 0.5).abs() < 0.01, "it fell through");
    world.remove_custom_filter();
    assert!(!world.callbacks().any());
    world.step(DT).unwrap();
    assert_eq!(world.events().begin_touch().len(), 1, "they touch again");
    world.validate();
}

#[test]
fn fast_bodies_pass_what_a_filter_refuses() {
    for (key, bullet) in [(1, false), (2, false), (1, true), (2, true)] {
        let mut world = world();
        world.set_custom_filter(teams);
        add(&mut world, &BodyDef::fixed(0.0, 0.0), 1, &rect(0.05, 4.0));
        let fast = BodyDef {
            linear_velocity: Vec2::new(200.0, 0.0),
            gravity_scale: 0.0,
            bullet,
            ..BodyDef::dynamic(-2.0, 0.0)
        };
        let body = add(&mut world, &fast, key, &disc(0.1)).0;
        steps(&mut world, 4);
        assert_eq!(
            position(&world, body).x > 1.0,
            key == 1,
            "key {key}, bullet {bullet}"
        );
    }
}

#[test]
fn bullets_that_a_filter_or_a_rule_keeps_apart_pass_each_other() {
    for keeps in 0..3 {
        let mut world = world();
        if keeps == 1 {
            world.set_custom_filter(teams);
        }
        let fly = |x: f32, v: f32| BodyDef {
            linear_velocity: Vec2::new(v, 0.0),
            gravity_scale: 0.0,
            bullet: true,
            ..BodyDef::dynamic(x, 0.0)
        };
        let left = add(&mut world, &fly(-2.0, 300.0), 1, &disc(0.05));
        let right = add(&mut world, &fly(2.0, -300.0), 1, &disc(0.05));
        world.set_pair_ignored(left.1, right.1, keeps == 2).unwrap();
        steps(&mut world, 3);
        assert_eq!(position(&world, left.0).x > 2.0, keeps > 0, "case {keeps}");
        assert_eq!(velocity(&world, left.0).x == 300.0, keeps > 0, "case {keeps}");
    }
}

/// A box that slides on the flat floor slows down by friction times gravity.
#[test]
fn friction_is_what_a_callback_says() {
    for friction in [0.0, 0.25, 0.5] {
        let mut world = world();
        world.set_pre_solve(ALL, move |pair| Response {
            friction,
            ..usual(pair)
        });
        floor(&mut world);
        let def = BodyDef {
            linear_velocity: Vec2::new(8.0, 0.0),
            ..BodyDef::dynamic(-20.0, 0.25)
        };
        let body = add(&mut world, &def, 1, &rect(2.0, 0.5)).0;
        steps(&mut world, 60);
        let expected = 8.0 - friction * 10.0;
        let got = velocity(&world, body).x;
        assert!(
            (got - expected).abs() < 0.1,
            "friction {friction}: {got} in place of {expected}"
        );
    }
}

#[test]
fn surface_speed_and_bounciness_are_what_a_callback_says() {
    let mut world = world();
    // A belt under the box, and a spring under the ball; neither shape has anything of it.
    world.set_pre_solve(ALL, |pair| {
        if pair.sides.iter().any(|side| side.shape_key == 2) {
            Response {
                restitution: 0.8,
                ..usual(pair)
            }
        } else {
            Response {
                surface_speed: 1.5,
                ..usual(pair)
            }
        }
    });
    floor(&mut world);
    let carried = add(&mut world, &BodyDef::dynamic(0.0, 0.25), 1, &rect(1.0, 0.5)).0;
    let ball = add(&mut world, &BodyDef::dynamic(10.0, 5.25), 2, &disc(0.25)).0;
    let (mut lowest, mut top) = (f32::MAX, 0.0_f32);
    for _ in 0..110 {
        world.step(DT).unwrap();
        lowest = lowest.min(position(&world, ball).y);
        if velocity(&world, ball).y > 0.0 {
            top = top.max(position(&world, ball).y);
        }
    }
    assert!((velocity(&world, carried).x.abs() - 1.5).abs() < 0.03);
    assert!(lowest < 0.3);
    // It fell five meters and comes up 0.8 squared as high.
    assert!((top - 0.25 - 3.2).abs() < 0.15, "up to {top}");
}

/// Who comes slowly is held, who comes fast breaks through.
/// A callback that answers without resistance in every other step: the ball does not turn by the impulse of the step before,
/// whether others roll in the same step or not.
#[test]
fn rolling_resistance_is_what_a_callback_says_whatever_else_rolls() {
    let roll = |starts: &[f32]| {
        let mut world = world();
        world.set_pre_solve(ALL, |pair| {
            let mut answer = usual(pair);
            let resists = pair.step_index % 2 == 0 || pair.sides.iter().all(|side| side.shape_key != 1);
            answer.rolling_resistance = if resists { 0.1 } else { 0.0 };
            answer
        });
        floor(&mut world);
        let balls: Vec<BodyId> = starts
            .iter()
            .zip(1..)
            .map(|(&x, key)| {
                let ball = BodyDef {
                    linear_velocity: Vec2::new(5.0, 0.0),
                    angular_velocity: -10.0,
                    ..BodyDef::dynamic(x, 0.5)
                };
                add(&mut world, &ball, key, &disc(0.5)).0
            })
            .collect();
        steps(&mut world, 40);
        (position(&world, balls[0]), velocity(&world, balls[0]))
    };
    let alone = roll(&[0.0]);
    assert!(alone.1.x < 4.9, "half of the steps slow it: {}", alone.1);
    assert_eq!(roll(&[0.0, -30.0]), alone);
}

#[test]
fn a_callback_decides_who_touches_in_each_step() {
    for (speed, falls) in [(2.0, false), (6.0, true)] {
        let mut world = world();
        world.set_pre_solve(ALL, |pair| {
            let fast = pair.sides.iter().any(|side| side.linear_velocity.y < -4.0);
            Response {
                touches: !fast,
                ..usual(pair)
            }
        });
        add(&mut world, &BodyDef::fixed(0.0, 0.0), 0, &rect(10.0, 0.5));
        let def = BodyDef {
            linear_velocity: Vec2::new(0.0, -speed),
            ..BodyDef::dynamic(0.0, 0.6)
        };
        let body = add(&mut world, &def, 1, &disc(0.25)).0;
        let (mut begins, mut ends) = (0, 0);
        for _ in 0..60 {
            world.step(DT).unwrap();
            begins += world.events().begin_touch().len();
            ends += world.events().end_touch().len();
            world.validate();
        }
        assert_eq!(position(&world, body).y < -2.0, falls, "at {speed} m/s");
        assert_eq!(
            (begins, ends),
            if falls { (0, 0) } else { (1, 0) },
            "at {speed} m/s"
        );
    }
}

/// However fast it flies and however thick the walls are: continuous collision holds it before each for a step.
#[test]
fn a_fast_body_that_a_callback_lets_pass_loses_no_speed() {
    for (speed, thickness, radius) in [
        (10.0, 0.2, 0.25),
        (60.0, 0.2, 0.25),
        (60.0, 3.0, 0.1),
        (200.0, 1.0, 0.25),
    ] {
        for bullet in [false, true] {
            let mut world = PhysicsWorld::new(&WorldDef {
                gravity: Vec2::ZERO,
                ..WorldDef::default()
            })
            .unwrap();
            world.set_pre_solve(ALL, |pair| Response {
                touches: false,
                ..usual(pair)
            });
            for x in [5.0, 10.0] {
                add(&mut world, &BodyDef::fixed(x, 0.0), 0, &rect(thickness, 10.0));
                // Bullets are held by these too.
                add(
                    &mut world,
                    &BodyDef::dynamic(x + 20.0, 0.0),
                    0,
                    &rect(thickness, 10.0),
                );
            }
            let def = BodyDef {
                bullet,
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::dynamic(0.0, 0.0)
            };
            let ghost = add(&mut world, &def, 1, &disc(radius)).0;
            for _ in 0..(40.0 / speed / DT) as usize + 8 {
                world.step(DT).unwrap();
                assert_eq!(world.events().held(), &[][..], "{speed} m/s, {thickness} m");
                assert_eq!(velocity(&world, ghost), Vec2::new(speed, 0.0));
                world.validate();
            }
            let x = position(&world, ghost).x;
            assert!(x > 38.0, "{speed} m/s, {thickness} m, bullet: {bullet}: at {x}");
        }
    }
}

#[test]
fn numbers_that_no_contact_may_have_are_brought_within_their_ranges() {
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, -1.0, 1.0e30] {
        let mut world = world();
        world.set_pre_solve(ALL, move |_| Response {
            touches: true,
            friction: bad,
            restitution: bad.min(1.0),
            rolling_resistance: bad,
            surface_speed: bad.clamp(-2.0, 2.0),
        });
        floor(&mut world);
        let body = add(&mut world, &BodyDef::dynamic(0.0, 0.3), 1, &disc(0.25)).0;
        steps(&mut world, 60);
        world.validate();
        PhysicsWorld::from_save(&world.save()).unwrap();
        assert!(
            position(&world, body).is_finite() && position(&world, body).y > 0.1,
            "{bad}"
        );
    }
}

#[test]
fn only_contacts_of_the_categories_are_asked_about() {
    const ICE: u64 = 1 << 5;
    let asked = Asked::default();
    let notes = asked.clone();
    let mut world = world();
    world.set_pre_solve(ICE, move |pair| {
        notes.note(pair);
        usual(pair)
    });
    let (_, ground) = floor(&mut world);
    let a = add(&mut world, &BodyDef::dynamic(0.0, 0.5), 1, &rect(1.0, 1.0)).1;
    add(&mut world, &BodyDef::dynamic(5.0, 0.5), 2, &rect(1.0, 1.0));
    steps(&mut world, 5);
    assert_eq!(asked.take(), [[0; 2]; 0]);
    let with = |world: &mut PhysicsWorld, shape: ShapeId, category: u64| {
        let filter = tombolo_physics::Filter {
            category,
            ..Default::default()
        };
        world.shape_mut(shape).unwrap().set_filter(filter);
        world.validate();
    };
    with(&mut world, a, ICE | 1);
    steps(&mut world, 5);
    assert_eq!(asked.take(), [[0, 1]]);
    with(&mut world, a, 1);
    with(&mut world, ground, ICE);
    steps(&mut world, 5);
    assert_eq!(asked.take(), [[0, 1], [0, 2]]);
    world.remove_pre_solve();
    steps(&mut world, 5);
    assert_eq!(asked.take(), [[0; 2]; 0]);
    world.validate();
}

#[test]
fn what_a_rule_lets_pass_is_not_asked_about() {
    let asked = Asked::default();
    let notes = asked.clone();
    let mut world = world();
    world.set_pre_solve(ALL, move |pair| {
        notes.note(pair);
        usual(pair)
    });
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    world.set_contact_rule(3, 0, up).unwrap();
    let (_, plate) = add(&mut world, &BodyDef::fixed(0.0, 0.0), 1, &rect(4.0, 0.2));
    world.shape_mut(plate).unwrap().set_material_number(3).unwrap();
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 7.0),
        ..BodyDef::dynamic(0.0, -0.5)
    };
    let body = add(&mut world, &def, 2, &disc(0.2)).0;
    while velocity(&world, body).y > 0.0 {
        world.step(DT).unwrap();
    }
    assert!(position(&world, body).y > 0.5, "it came through");
    assert_eq!(asked.take(), [[0; 2]; 0]);
    steps(&mut world, 60);
    assert_eq!(asked.take(), [[1, 2]], "it landed");
}

/// A heap with both callbacks, which use all that they are told.
fn heap() -> PhysicsWorld {
    let mut world = world();
    floor(&mut world);
    for index in 0..120_u64 {
        let (x, y) = ((index % 12) as f32 * 0.75 - 4.0, (index / 12) as f32 * 1.1 + 1.0);
        let shape = if index.is_multiple_of(3) {
            disc(0.4)
        } else {
            rect(0.8, 0.8)
        };
        let def = BodyDef {
            linear_velocity: Vec2::new(if index.is_multiple_of(10) { 60.0 } else { 0.0 }, -3.0),
            ..BodyDef::dynamic(x, y)
        };
        add(&mut world, &def, 1 + index % 5, &shape);
    }
    call_back(&mut world);
    world
}

/// The same with contact rules: one pair of kinds is one-way, one is a sensor, on one the surface moves, one is rough and bounces.
fn heap_with_rules() -> PhysicsWorld {
    let mut world = heap();
    let shapes: Vec<(ShapeId, u64)> = world
        .bodies()
        .flat_map(|body| body.shapes())
        .map(|shape| (shape.id(), shape.user_key()))
        .collect();
    for (shape, key) in shapes {
        world
            .shape_mut(shape)
            .unwrap()
            .set_material_number(key as u32)
            .unwrap();
    }
    let rule = ContactRule::default();
    let rules = [
        (
            1,
            2,
            ContactRule {
                one_way: Some(Vec2::Y),
                ..rule
            },
        ),
        (2, 3, ContactRule { sensor: true, ..rule }),
        (
            0,
            4,
            ContactRule {
                surface_speed: Some(2.0),
                ..rule
            },
        ),
        (
            4,
            5,
            ContactRule {
                friction: Some(0.9),
                restitution: Some(0.5),
                ..rule
            },
        ),
    ];
    for (one, other, rule) in rules {
        world.set_contact_rule(one, other, rule).unwrap();
    }
    world
}

fn call_back(world: &mut PhysicsWorld) {
    world.set_custom_filter(|pair| pair.sides[0].shape_key != 3 || pair.sides[1].shape_key != 3);
    world.set_pre_solve(ALL, |pair| {
        let touch = pair.touch.unwrap();
        let [a, b] = pair.sides;
        let relative = (a.linear_velocity - b.linear_velocity).dot(touch.normal);
        Response {
            touches: relative < 12.0 || touch.was_touching,
            friction: 0.2
                + 0.1 * (a.shape_key + b.shape_key) as f32
                + 0.01 * touch.points[0].separation.abs(),
            restitution: if touch.point_count == 1 { 0.3 } else { 0.0 },
            ..touch.usual
        }
    });
}

#[test]
fn callbacks_give_the_same_bits_for_any_number_of_workers() {
    let run = |heap: fn() -> PhysicsWorld, workers: usize| {
        let pool = Pool::new(workers).unwrap();
        let mut world = heap();
        let mut hashes = Vec::new();
        let mut events = Vec::new();
        for _ in 0..150 {
            world.step_with(DT, &pool).unwrap();
            hashes.push(world.state_hash());
            events.extend(
                world
                    .events()
                    .begin_touch()
                    .iter()
                    .map(|event| (event.shape_a, event.shape_b)),
            );
        }
        world.validate();
        (hashes, events)
    };
    let (one, ruled) = (run(heap, 1), run(heap_with_rules, 1));
    assert_ne!(one, ruled, "the rules matter");
    for workers in [2, 3, 8] {
        assert!(run(heap, workers) == one, "{workers} workers");
        assert!(
            run(heap_with_rules, workers) == ruled,
            "{workers} workers, with rules"
        );
    }
    let mut plain = heap();
    plain.remove_pre_solve();
    steps(&mut plain, 150);
    assert_ne!(
        Some(&plain.state_hash()),
        one.0.last(),
        "the callbacks did something"
    );
}

#[test]
fn a_saved_world_says_what_it_misses_and_goes_on_when_it_has_it_again() {
    let mut world = heap();
    steps(&mut world, 40);
    let save = world.save();
    let mut restored = PhysicsWorld::from_save(&save).unwrap();
    let missing = restored.missing_callbacks();
    assert!(missing.custom_filter && missing.pre_solve && restored.callbacks() == missing);
    let mut without = restored.clone();
    call_back(&mut restored);
    assert!(!restored.missing_callbacks().any());
    // One that has callbacks keeps its own.
    let mut other = heap();
    other.restore(&save).unwrap();
    assert!(!other.missing_callbacks().any());
    // One that is not used is not called.
    let mut unused = heap();
    unused.restore(&self::world().save()).unwrap();
    assert!(!unused.callbacks().any() && !unused.missing_callbacks().any());
    for _ in 0..60 {
        for world in [&mut world, &mut restored, &mut other, &mut without] {
            world.step(DT).unwrap();
        }
        assert_eq!(restored.state_hash(), world.state_hash());
        assert_eq!(other.state_hash(), world.state_hash());
    }
    without.validate();
    assert_ne!(
        without.state_hash(),
        world.state_hash(),
        "what it missed made a difference"
    );
}

#[test]
fn frames_and_clones_keep_callbacks() {
    let mut world = heap();
    steps(&mut world, 20);
    let (frame, mut fork) = (world.frame(), world.clone());
    steps(&mut world, 30);
    let end = world.state_hash();
    steps(&mut fork, 30);
    assert_eq!(fork.state_hash(), end);
    world.remove_custom_filter();
    world.restore_frame(&frame);
    let missing = world.missing_callbacks();
    assert!(
        missing.custom_filter && !missing.pre_solve,
        "removed, and used at the time of the frame"
    );
    call_back(&mut world);
    steps(&mut world, 30);
    assert_eq!(world.state_hash(), end);
}

#[test]
fn recordings_of_callbacks_play_where_the_same_callbacks_are() {
    for begin in [0, 25] {
        let mut world = self::world();
        if begin > 0 {
            world = heap();
            steps(&mut world, begin);
        }
        world.start_recording(RecordOptions {
            key_frame_steps: 20,
            hash_steps: 5,
        });
        floor(&mut world);
        add(&mut world, &BodyDef::dynamic(0.0, 9.0), 3, &rect(1.0, 1.0));
        add(&mut world, &BodyDef::dynamic(0.2, 9.1), 3, &rect(1.0, 1.0));
        steps(&mut world, 10);
        call_back(&mut world);
        steps(&mut world, 40);
        let recording = Recording::open(world.end_recording()).unwrap();

        let refused = recording.player().and_then(|mut player| {
            while player.play_step(&Inline)? {}
            Ok(())
        });
        let message = refused.unwrap_err().to_string();
        assert!(
            message.contains("a custom filter") && message.contains("recordings do not hold"),
            "{message}"
        );

        let mut own = self::world();
        call_back(&mut own);
        let mut player = recording.player_in(own).unwrap();
        while player.play_step(&Inline).unwrap() {}
        assert_eq!(player.first_difference(), None);
        assert_eq!(player.world().state_hash(), world.state_hash());
    }
}

#[test]
fn a_filter_that_refuses_nothing_changes_nothing() {
    let mut plain = heap();
    plain.remove_pre_solve();
    plain.remove_custom_filter();
    let mut filtered = plain.clone();
    filtered.set_custom_filter(|_| true);
    for _ in 0..100 {
        plain.step(DT).unwrap();
        filtered.step(DT).unwrap();
    }
    let places = |world: &PhysicsWorld| -> Vec<[u32; 2]> {
        world
            .bodies()
            .map(|body| [body.position().x.to_bits(), body.position().y.to_bits()])
            .collect()
    };
    assert_eq!(places(&plain), places(&filtered));
}

/// A filter that panics leaves a world that is valid, can be saved and goes on as if that step had not been tried.
#[test]
fn a_filter_that_panics_leaves_the_world_whole() {
    let mut world = world();
    floor(&mut world);
    let ball = |world: &mut PhysicsWorld, i: u64| {
        let def = BodyDef::dynamic(2.0 * (i % 8) as f32, 0.6 + 0.9 * (i / 8) as f32);
        add(world, &def, i + 1, &disc(0.5));
    };
    for i in 0..40 {
        ball(&mut world, i);
    }
    let is_armed = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&is_armed);
    world.set_custom_filter(move |_| {
        assert!(!armed.load(Ordering::Relaxed), "a filter's own panic");
        true
    });
    steps(&mut world, 30);
    for i in 40..48 {
        ball(&mut world, i);
    }
    let mut twin = world.clone();
    for workers in [1, 3] {
        let pool = Pool::new(workers).unwrap();
        is_armed.store(true, Ordering::Relaxed);
        let stepped = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, &pool)));
        assert!(stepped.is_err(), "nobody was asked");
        is_armed.store(false, Ordering::Relaxed);
        world.validate();
        PhysicsWorld::from_save(&world.save()).unwrap();
        steps(&mut world, 20);
        steps(&mut twin, 20);
        assert_eq!(world.state_hash(), twin.state_hash());
        ball(&mut world, 48);
        ball(&mut twin, 48);
    }
}

/// A callback that panics at any of its calls, while contacts that it is called for and others begin and end to touch.
#[test]
fn a_pre_solve_callback_that_panics_leaves_the_world_whole() {
    const ASKED: u64 = 1 << 3;
    let mut world = world();
    floor(&mut world);
    for i in 0..200_u64 {
        let at = BodyDef::dynamic(1.2 * (i % 20) as f32 - 12.0, 0.55 + 1.1 * (i / 20) as f32);
        let body = world.create_body(&at).unwrap();
        let def = ShapeDef {
            filter: Filter {
                category: if i % 3 == 0 { ASKED } else { 1 },
                ..Filter::default()
            },
            restitution: 0.5,
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &disc(0.5)).unwrap();
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let fails_at = Arc::new(AtomicUsize::new(usize::MAX));
    let (counted, failing) = (Arc::clone(&calls), Arc::clone(&fails_at));
    world.set_pre_solve(ASKED, move |pair| {
        let call = counted.fetch_add(1, Ordering::Relaxed);
        assert_ne!(call, failing.load(Ordering::Relaxed), "a callback's own panic");
        usual(pair)
    });
    let mut twin = world.clone();
    let pools = [1, 3].map(|workers| Pool::new(workers).unwrap());
    let mut changes = 0;
    for step in 0..60 {
        calls.store(0, Ordering::Relaxed);
        twin.step(DT).unwrap();
        let call_count = calls.swap(0, Ordering::Relaxed);
        if call_count > 0 {
            changes += twin.events().begin_touch().len() + twin.events().end_touch().len();
            fails_at.store(step * 31 % call_count, Ordering::Relaxed);
            let pool = &pools[step % 2];
            let stepped = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, pool)));
            assert!(stepped.is_err(), "step {step}: it was not called");
            fails_at.store(usize::MAX, Ordering::Relaxed);
            world.validate();
            PhysicsWorld::from_save(&world.save()).unwrap();
        }
        world.step(DT).unwrap();
        assert_eq!(world.state_hash(), twin.state_hash(), "step {step}");
    }
    assert!(
        changes > 100,
        "{changes} touches began or ended in the steps that were broken off"
    );
}
