//! Events: every begin of a touch and every visit has one end, whatever ends it; who moved, woke, fell asleep and froze is told once and
//! in the order that `Events` states.
#![allow(clippy::print_stdout)]

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::random_shapes::{SILENT, UNSURE};
use crate::world_support::scale::scaled;
use crate::world_support::worlds::{add, add_box, add_floor, empty};
use crate::world_support::{DT, SeedOnPanic, first_seed};
use std::collections::{BTreeMap, BTreeSet};
use tombolo_physics::{
    Aabb, BodyDef, BodyId, BodyKind, ContactId, Filter, PhysicsWorld, Pose, Shape, ShapeDef, ShapeId,
    TouchEvent, Vec2, VisitEvent,
};

/// What somebody who listens to events believes about a world, and how it is checked after each step.
#[derive(Default)]
struct Listener {
    /// Touches that began and have not ended.
    open: BTreeMap<ContactId, [ShapeId; 2]>,
    /// Sensors and other shapes that see, and whoever entered them and has not left.
    inside: BTreeSet<[ShapeId; 2]>,
    awake: BTreeSet<BodyId>,
    begins: usize,
    ends: usize,
    entries: usize,
    exits: usize,
}

impl Listener {
    fn listen(&mut self, world: &PhysicsWorld) {
        self.touches(world);
        self.visits(world);
        self.sleep(world);
        self.order(world);
    }

    fn touches(&mut self, world: &PhysicsWorld) {
        let events = world.events();
        let shapes = |event: &TouchEvent| [event.shape_a, event.shape_b];
        // Begins first: a body that freezes in a step may end in it what began in it.
        for event in events.begin_touch() {
            let before = self.open.insert(event.contact, shapes(event));
            assert_eq!(before, None, "a touch begins once");
        }
        for event in events.end_touch() {
            let begun = self.open.remove(&event.contact);
            assert_eq!(begun, Some(shapes(event)), "only what began can end");
        }
        let touching: BTreeMap<ContactId, [ShapeId; 2]> = world
            .contacts()
            .filter(|contact| contact.is_touching())
            .filter(|contact| contact.shapes().iter().any(|shape| shape.user_key() != SILENT))
            .map(|contact| (contact.id(), contact.shapes().map(|shape| shape.id())))
            .collect();
        let is_sure = |[a, b]: &[ShapeId; 2]| {
            [*a, *b]
                .iter()
                .all(|&shape| world.shape(shape).is_some_and(|shape| shape.user_key() != UNSURE))
        };
        let sure = |touches: &BTreeMap<ContactId, [ShapeId; 2]>| -> BTreeMap<ContactId, [ShapeId; 2]> {
            let mut sure = touches.clone();
            sure.retain(|_, shapes| is_sure(shapes));
            sure
        };
        assert_eq!(sure(&self.open), sure(&touching), "what is open is what touches");
        for contact in self.open.keys() {
            let is_touching = world
                .contact(*contact)
                .is_some_and(|contact| contact.is_touching());
            assert!(is_touching, "what is open touches");
        }
        self.begins += events.begin_touch().len();
        self.ends += events.end_touch().len();
    }

    fn visits(&mut self, world: &PhysicsWorld) {
        let events = world.events();
        // Ends first: a visit ends in a later step than that in which it began.
        for &VisitEvent { sensor, visitor } in events.leave() {
            assert!(
                self.inside.remove(&[sensor, visitor]),
                "only who entered can leave"
            );
        }
        for &VisitEvent { sensor, visitor } in events.enter() {
            assert!(self.inside.insert([sensor, visitor]), "a visitor enters once");
        }
        let listed = world.shapes().flat_map(|sensor| {
            let visitors = sensor.visitors();
            visitors.map(move |visitor| [sensor.id(), visitor.id()])
        });
        let listed: BTreeSet<[ShapeId; 2]> = listed.collect();
        assert_eq!(self.inside, listed, "who entered is who is there");
        self.entries += events.enter().len();
        self.exits += events.leave().len();
    }

    /// After the last body is gone: everything that began has ended.
    fn nothing_is_left(&self) {
        assert!(self.open.is_empty(), "no touch outlives its bodies");
        assert!(self.inside.is_empty(), "no visit outlives its bodies");
        assert_eq!(self.begins, self.ends, "as many begins as ends");
        assert_eq!(self.entries, self.exits, "as many entries as exits");
    }

    fn sleep(&mut self, world: &PhysicsWorld) {
        let events = world.events();
        let before = std::mem::take(&mut self.awake);
        self.awake = world
            .bodies()
            .filter(|body| body.is_awake())
            .map(|body| body.id())
            .collect();
        let woke: BTreeSet<BodyId> = events.woke().iter().copied().collect();
        let fell_asleep: BTreeSet<BodyId> = events.fell_asleep().iter().copied().collect();
        for newly_awake in self.awake.difference(&before) {
            assert!(woke.contains(newly_awake), "who is newly awake woke");
        }
        assert!(woke.is_subset(&self.awake), "who woke is awake");
        assert_eq!(woke.len(), events.woke().len(), "a body wakes once a step");
        for gone in before.difference(&self.awake) {
            let still_there = world.body(*gone).is_some_and(|body| body.is_enabled());
            assert_eq!(
                fell_asleep.contains(gone),
                still_there,
                "who is there and not awake any more fell asleep"
            );
        }
        for &body in &fell_asleep {
            let body = world.body(body).expect("only a call can destroy a body");
            assert!(body.is_enabled() && !body.is_awake(), "who fell asleep sleeps");
        }
    }

    fn order(&self, world: &PhysicsWorld) {
        let events = world.events();
        let rising = |indices: Vec<u32>| indices.is_sorted_by(|a, b| a < b);
        assert!(
            rising(events.begin_touch().iter().map(|e| e.contact.index()).collect()),
            "begins come by contact index"
        );
        for visits in [events.enter(), events.leave()] {
            let of = |visit: &VisitEvent| [visit.sensor.index(), visit.visitor.index()];
            assert!(
                visits.is_sorted_by_key(of),
                "visits come by sensor and then by visitor"
            );
        }
        assert!(
            rising(events.frozen().iter().map(|e| e.body.index()).collect()),
            "frozen bodies come by index"
        );
        let asleep_among_moved: Vec<BodyId> = events
            .moved()
            .iter()
            .filter(|event| event.fell_asleep)
            .map(|event| event.body)
            .collect();
        assert!(
            events.fell_asleep().ends_with(&asleep_among_moved),
            "who fell asleep comes in the order of who moved, behind those whom calls put to sleep"
        );
        let moved: BTreeSet<BodyId> = events.moved().iter().map(|event| event.body).collect();
        assert_eq!(moved.len(), events.moved().len(), "a body moves once a step");
        for event in events.moved() {
            let body = world.body(event.body).expect("only a call can destroy a body");
            assert_eq!(event.pose, body.pose(), "where the body is");
            assert_eq!(event.user_key, body.user_key());
        }
        self.boxes(world);
        for event in events.frozen() {
            let body = world.body(event.body).expect("only a call can destroy a body");
            assert!(body.is_frozen() && !body.is_enabled() && body.contacts().next().is_none());
            assert_eq!(event.user_key, body.user_key());
        }
    }
}

impl Listener {
    /// The boxes of moved bodies are those around their shapes, if they are asked for; of composites that parted in the step they
    /// may be those of before.
    fn boxes(&self, world: &PhysicsWorld) {
        let events = world.events();
        let parted = |body: BodyId| {
            events
                .cut()
                .iter()
                .any(|cut| [cut.body, cut.piece].contains(&body))
        };
        assert!(events.moved_boxes().is_empty() || events.moved_boxes().len() == events.moved().len());
        for (event, bounds) in events.moved().iter().zip(events.moved_boxes()) {
            let shapes = world.body(event.body).and_then(|body| body.aabb());
            assert!(
                parted(event.body) || *bounds == shapes.unwrap_or(Aabb::EMPTY),
                "{event:?}: {bounds:?}, not {shapes:?}"
            );
        }
    }
}

fn step(world: &mut PhysicsWorld) {
    world.step(DT).unwrap();
}

#[test]
fn a_listener_is_never_wrong_about_random_worlds() {
    let (mut begins, mut entries, mut frozen, mut fell_asleep, mut reported) = (0, 0, 0, 0, 0);
    for seed in 500..530 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        let mut listener = Listener::default();
        for count in 0..250 {
            calls.calls();
            calls.worlds[0].set_reports_boxes(count % 50 > 0);
            step(&mut calls.worlds[0]);
            let boxes = calls.worlds[0].events().moved_boxes().len();
            assert!(count % 50 > 0 || boxes == 0, "nobody asked for them");
            reported += boxes;
            listener.listen(&calls.worlds[0]);
            frozen += calls.worlds[0].events().frozen().len();
            fell_asleep += calls.worlds[0].events().fell_asleep().len();
        }
        // At the end everything goes, and every touch that is open must end.
        for body in calls.bodies {
            drop(calls.worlds[0].destroy_body(body));
        }
        step(&mut calls.worlds[0]);
        listener.listen(&calls.worlds[0]);
        listener.nothing_is_left();
        begins += listener.begins;
        entries += listener.entries;
    }
    // The worlds would show nothing if these things had not happened in them.
    let counts = [begins, entries, frozen, fell_asleep];
    assert!(
        begins > 1000 && entries > 1000 && frozen > 5 && fell_asleep > 100 && reported > 10_000,
        "{counts:?} begins, entries, frozen, asleep"
    );
}

/// Calls, at a scale of one.
const CALLS_USUALLY: usize = 4_000;

/// Calls in the life of one world.
const CALLS_PER_WORLD: usize = 1_000;

/// `TOMBOLO_TEST_SCALE` multiplies the number of calls, `TOMBOLO_FUZZ_SEED` sets the first seed.
#[test]
fn every_begin_has_its_end_over_random_calls_with_saves_between() {
    let calls_wanted = scaled(CALLS_USUALLY);
    // The first of them had a contact twice, of two shapes that slept while their boxes parted.
    let first_seed = first_seed(100_094);
    let (mut calls_made, mut saves, mut begins, mut entries, mut seed) = (0, 0, 0, 0, first_seed);
    while calls_made < calls_wanted {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        let mut listener = Listener::default();
        let mut left = CALLS_PER_WORLD.min(calls_wanted - calls_made);
        calls_made += left;
        while left > 0 {
            for _ in 0..calls.random.below(4).min(left) {
                calls.call();
                left -= 1;
            }
            // Between calls and their step, so that what is still to be told is in the save.
            if calls.random.chance(6) {
                let world = &mut calls.worlds[0];
                let save = world.save();
                if seed.is_multiple_of(2) {
                    *world = PhysicsWorld::from_save(&save).expect("a world's own save is good");
                } else {
                    world.restore(&save).expect("a world's own save is good");
                }
                saves += 1;
            }
            step(&mut calls.worlds[0]);
            listener.listen(&calls.worlds[0]);
        }
        for body in calls.bodies {
            drop(calls.worlds[0].destroy_body(body));
        }
        step(&mut calls.worlds[0]);
        listener.listen(&calls.worlds[0]);
        listener.nothing_is_left();
        begins += listener.begins;
        entries += listener.entries;
        seed += 1;
    }
    println!("{calls_made} calls, {saves} saves between them, {begins} touches, {entries} visits");
    assert!(
        begins > calls_wanted / 3 && entries > calls_wanted / 6 && saves > calls_wanted / 20,
        "{begins} touches, {entries} visits, {saves} saves"
    );
}

/// A box that lies on the floor, awake or asleep, its body and shape, and a listener that knows.
fn resting(steps: usize) -> (PhysicsWorld, BodyId, ShapeId, Listener) {
    let mut world = empty();
    add_floor(&mut world);
    let body = add_box(&mut world, 0.0, 0.5);
    let shape = world.body(body).unwrap().shapes().next().unwrap().id();
    let mut listener = Listener::default();
    for _ in 0..steps {
        step(&mut world);
        listener.listen(&world);
    }
    assert_eq!(listener.open.len(), 1, "the box touches the floor");
    (world, body, shape, listener)
}

/// Runs `call` on a resting box, awake and asleep, and gives how many touches end and begin in the next step.
fn ends_and_begins(call: impl Fn(&mut PhysicsWorld, BodyId, ShapeId)) -> [(usize, usize); 2] {
    [5, 120].map(|steps| {
        let (mut world, body, shape, mut listener) = resting(steps);
        assert_eq!(world.body(body).unwrap().is_awake(), steps == 5);
        call(&mut world, body, shape);
        step(&mut world);
        listener.listen(&world);
        let events = world.events();
        (events.end_touch().len(), events.begin_touch().len())
    })
}

#[test]
fn destroying_a_body_ends_its_touches() {
    let call = |world: &mut PhysicsWorld, body, _| world.destroy_body(body).unwrap();
    assert_eq!(ends_and_begins(call), [(1, 0); 2]);
}

#[test]
fn destroying_a_shape_ends_its_touches() {
    let call = |world: &mut PhysicsWorld, _, shape| world.destroy_shape(shape).unwrap();
    assert_eq!(ends_and_begins(call), [(1, 0); 2]);
}

#[test]
fn disabling_ends_touches_and_enabling_begins_them_again() {
    let off = |world: &mut PhysicsWorld, body, _| world.body_mut(body).unwrap().set_enabled(false);
    assert_eq!(ends_and_begins(off), [(1, 0); 2]);
    let off_and_on = |world: &mut PhysicsWorld, body, _| {
        world.body_mut(body).unwrap().set_enabled(false);
        world.body_mut(body).unwrap().set_enabled(true);
    };
    assert_eq!(ends_and_begins(off_and_on), [(1, 1); 2]);
}

#[test]
fn a_teleport_ends_touches_that_begin_again_where_the_body_touches_still() {
    let away = |world: &mut PhysicsWorld, body, _| {
        world
            .body_mut(body)
            .unwrap()
            .teleport(Pose::new(Vec2::new(0.0, 9.0), 0.0))
            .unwrap()
    };
    assert_eq!(ends_and_begins(away), [(1, 0); 2]);
    let along = |world: &mut PhysicsWorld, body, _| {
        world
            .body_mut(body)
            .unwrap()
            .teleport(Pose::new(Vec2::new(3.0, 0.5), 0.0))
            .unwrap()
    };
    assert_eq!(ends_and_begins(along), [(1, 1); 2]);
}

#[test]
fn a_filter_that_forbids_ends_touches_and_one_that_allows_keeps_them() {
    let forbid = Filter {
        mask: 0,
        ..Filter::default()
    };
    assert_eq!(
        ends_and_begins(|world, _, shape| world.shape_mut(shape).unwrap().set_filter(forbid)),
        [(1, 0); 2]
    );
    assert_eq!(
        ends_and_begins(|world, _, shape| world.shape_mut(shape).unwrap().set_filter(Filter::default())),
        [(0, 0); 2]
    );
}

#[test]
fn a_body_that_freezes_ends_its_touches_and_does_not_count_as_asleep() {
    for steps in [5, 120] {
        let (mut world, body, _, mut listener) = resting(steps);
        world.set_speed_max(1.0e6).unwrap();
        let mut body = world.body_mut(body).unwrap();
        body.apply_impulse(Vec2::new(0.0, 1.0e30)).unwrap();
        world.step(1.0).unwrap();
        listener.listen(&world);
        let events = world.events();
        assert_eq!(events.end_touch().len(), 1);
        assert_eq!(events.frozen().len(), 1);
        assert_eq!(events.fell_asleep(), []);
        assert_eq!(events.woke(), []);
    }
}

#[test]
fn a_box_falls_asleep_once_and_wakes_once() {
    let (mut world, body, _, mut listener) = resting(5);
    let (mut asleep_at, mut steps_awake) = (Vec::new(), 0);
    for index in 0..120 {
        step(&mut world);
        listener.listen(&world);
        steps_awake += world.events().moved().len();
        if !world.events().fell_asleep().is_empty() {
            assert_eq!(world.events().fell_asleep(), [body]);
            asleep_at.push(index);
        }
    }
    assert_eq!(asleep_at.len(), 1);
    assert_eq!(steps_awake, asleep_at[0] + 1, "a sleeper does not move");
    world.body_mut(body).unwrap().wake();
    step(&mut world);
    assert_eq!(world.events().woke(), [body]);
    assert_eq!(world.events().moved().len(), 1);
    step(&mut world);
    assert_eq!(world.events().woke(), []);
}

#[test]
fn what_hits_a_sleeping_pair_wakes_both_in_the_same_step() {
    let mut world = empty();
    add_floor(&mut world);
    let pair = [0.5, 1.5].map(|y| add_box(&mut world, 0.0, y));
    while world.counters().awake_bodies > 0 {
        step(&mut world);
    }
    let ball = BodyDef {
        linear_velocity: Vec2::new(12.0, 0.0),
        ..BodyDef::dynamic(-3.0, 0.5)
    };
    let circle = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    add(&mut world, &ball, &ShapeDef::default(), &circle);
    let woke = (0..60).find_map(|_| {
        step(&mut world);
        let woke: Vec<BodyId> = world.events().woke().to_vec();
        woke.contains(&pair[0]).then_some(woke)
    });
    assert!(woke.expect("the ball hits the lower box").contains(&pair[1]));
}

#[test]
fn ends_by_calls_come_first_and_in_their_order() {
    let mut world = empty();
    add_floor(&mut world);
    let boxes = [0.0, 3.0, 6.0, 9.0].map(|x| add_box(&mut world, x, 0.5));
    let shapes = boxes.map(|body| world.body(body).unwrap().shapes().next().unwrap().id());
    for _ in 0..5 {
        step(&mut world);
    }
    // The last is thrown up, so its touch ends in the step itself; it was made before the others' contacts go.
    world
        .body_mut(boxes[0])
        .unwrap()
        .set_linear_velocity(Vec2::new(0.0, 20.0))
        .unwrap();
    for index in [2, 1, 3] {
        world.destroy_body(boxes[index]).unwrap();
    }
    let mut ended = Vec::new();
    for _ in 0..3 {
        step(&mut world);
        for event in world.events().end_touch() {
            let other = shapes
                .iter()
                .position(|shape| [event.shape_a, event.shape_b].contains(shape));
            ended.push(other.expect("one of the boxes"));
        }
    }
    assert_eq!(ended, [2, 1, 3, 0]);
}

#[test]
fn one_of_two_shapes_that_report_touches_is_enough_and_none_is_none() {
    for (reports, expected) in [([true, true], 1), ([true, false], 1), ([false, false], 0)] {
        let mut world = empty();
        let kinds = [BodyKind::Static, BodyKind::Dynamic];
        for (kind, contact_events) in kinds.into_iter().zip(reports) {
            let def = BodyDef {
                kind,
                ..BodyDef::default()
            };
            let shape_def = ShapeDef {
                contact_events,
                ..ShapeDef::default()
            };
            add(
                &mut world,
                &def,
                &shape_def,
                &Shape::circle(Vec2::ZERO, 0.5).unwrap(),
            );
        }
        step(&mut world);
        assert_eq!(world.events().begin_touch().len(), expected, "{reports:?}");
    }
}
