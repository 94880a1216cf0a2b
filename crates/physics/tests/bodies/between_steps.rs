//! What calls between two steps do at once, and what the next step makes of it: bodies that are moved in place, that come and
//! go many at a time, and that are pushed.

use crate::world_support::{DT, Random};
use tombolo_physics::{
    Aabb, BodyDef, BodyId, BodyKind, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, Shape,
    ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::{Executor, Inline, Pool};

fn world_with_floor() -> (PhysicsWorld, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let plate = Shape::new_box(200.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &plate).unwrap();
    (world, floor)
}

fn cube(world: &mut PhysicsWorld, def: &BodyDef) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

fn run(world: &mut PhysicsWorld, steps: usize) {
    (0..steps).for_each(|_| world.step(DT).unwrap());
    world.validate();
}

/// Moves a body without a turn.
fn shift(world: &mut PhysicsWorld, body: BodyId, by: Vec2) {
    let pose = world.body(body).unwrap().pose();
    let position = pose.position + by;
    let moved = Pose { position, ..pose };
    world.body_mut(body).unwrap().set_pose(moved).unwrap();
    world.validate();
    assert_eq!(world.body(body).unwrap().pose(), moved, "it is there at once");
}

fn is_awake(world: &PhysicsWorld, body: BodyId) -> bool {
    world.body(body).unwrap().is_awake()
}

#[test]
fn a_move_of_a_centimeter_wakes_what_rests_on_the_body() {
    // Two boxes on each other, and a third apart from them, all asleep.
    let (mut world, floor) = world_with_floor();
    let [lower, upper, apart] =
        [(0.0, 0.5), (0.0, 1.5), (5.0, 0.5)].map(|(x, y)| cube(&mut world, &BodyDef::dynamic(x, y)));
    run(&mut world, 200);
    assert_eq!(world.awake_body_count(), 0);
    let asleep = world.clone();
    for (moved, awake) in [
        (lower, [true, true, false]),
        (upper, [true, true, false]),
        (apart, [false, false, true]),
        (floor, [true, true, true]),
    ] {
        let mut world = asleep.clone();
        shift(&mut world, moved, Vec2::new(0.01, 0.0));
        assert_eq!([lower, upper, apart].map(|body| is_awake(&world, body)), awake);
        run(&mut world, 1);
        assert_eq!(world.events().begin_touch().len(), 0, "all touches stay");
        assert_eq!(world.events().end_touch().len(), 0);
    }
}

#[test]
fn a_move_wakes_a_kinematic_body_at_rest_that_it_touches() {
    let (mut world, _) = world_with_floor();
    let kinematic = BodyDef {
        kind: BodyKind::Kinematic,
        ..BodyDef::dynamic(0.0, 0.5)
    };
    let lift = cube(&mut world, &kinematic);
    let restless = BodyDef {
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 1.5)
    };
    let load = cube(&mut world, &restless);
    run(&mut world, 200);
    assert_eq!([lift, load].map(|body| is_awake(&world, body)), [false, true]);
    shift(&mut world, load, Vec2::new(0.01, 0.0));
    assert!(is_awake(&world, lift), "the lift is woken");
}

#[test]
fn a_touch_ends_in_the_step_after_a_move_within_the_box() {
    let (mut world, _) = world_with_floor();
    let still = BodyDef {
        gravity_scale: 0.0,
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 0.5)
    };
    let body = cube(&mut world, &still);
    run(&mut world, 5);
    let touches = |world: &PhysicsWorld| {
        let contacts = world.body(body).unwrap().contacts();
        contacts.filter(|contact| contact.is_touching()).count()
    };
    assert_eq!(touches(&world), 1);
    // Farther than shapes may be apart that have points, and nearer than the margin of the box.
    shift(&mut world, body, Vec2::new(0.0, 0.04));
    assert_eq!(touches(&world), 1, "until the next step");
    run(&mut world, 1);
    assert_eq!((touches(&world), world.events().end_touch().len()), (0, 1));
    shift(&mut world, body, Vec2::new(0.0, -0.04));
    run(&mut world, 1);
    assert_eq!((touches(&world), world.events().begin_touch().len()), (1, 1));
}

#[test]
fn a_moved_body_keeps_the_impulses_of_its_contacts() {
    let (mut world, _) = world_with_floor();
    let tower: Vec<BodyId> = (0..10)
        .map(|row| cube(&mut world, &BodyDef::dynamic(0.0, 0.5 + row as f32)))
        .collect();
    run(&mut world, 60);
    let load = |world: &PhysicsWorld| {
        let contacts = world.body(tower[0]).unwrap().contacts();
        let loads = contacts.map(|contact| contact.points().map(|(_, _, impulse)| impulse).sum::<f32>());
        loads.sum::<f32>()
    };
    let before = load(&world);
    for step in 0..30 {
        let by = if step % 2 == 0 { 0.002 } else { -0.002 };
        tower
            .iter()
            .for_each(|&body| shift(&mut world, body, Vec2::new(by, 0.0)));
        run(&mut world, 1);
        let now = load(&world);
        assert!(
            (now - before).abs() < 0.2 * before,
            "step {step}: {now} of {before}"
        );
    }
    let top = world.body(tower[9]).unwrap().position().y;
    assert!((9.45..9.51).contains(&top), "the tower stands: {top}");
}

/// A rider that stands on a lift of a kind, both at rest.
fn rider_on_lift(kind: BodyKind) -> (PhysicsWorld, BodyId, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let def = BodyDef {
        kind,
        ..BodyDef::fixed(0.0, 0.0)
    };
    let lift = cube(&mut world, &def);
    let rider = cube(&mut world, &BodyDef::dynamic(0.0, 1.0));
    run(&mut world, 30);
    (world, lift, rider)
}

/// Runs a second, after which the rider must still stand on the lift.
fn assert_stands(mut world: PhysicsWorld, lift: BodyId, rider: BodyId, what: &str) {
    run(&mut world, 60);
    let [lift, rider] = [lift, rider].map(|body| world.body(body).unwrap().position());
    let height = rider.y - lift.y;
    assert!(
        (0.98..1.02).contains(&height),
        "{what}: {height} m above the lift"
    );
}

#[test]
fn bodies_that_part_and_meet_again_between_two_steps_still_touch() {
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        let (world, lift, rider) = rider_on_lift(kind);
        for order in [[lift, rider], [rider, lift]] {
            for by in [Vec2::new(0.0, 3.0), Vec2::new(-40.0, 0.0)] {
                let mut world = world.clone();
                for body in order {
                    shift(&mut world, body, by);
                }
                assert_stands(world, lift, rider, "both moved in turn");
            }
        }
        for moved in [lift, rider] {
            let mut world = world.clone();
            shift(&mut world, moved, Vec2::new(7.0, 0.0));
            shift(&mut world, moved, Vec2::new(-7.0, 0.0));
            assert_stands(world, lift, rider, "one moved away and back");
        }
        for changed in [lift, rider] {
            let mut world = world.clone();
            let shape = world.body(changed).unwrap().shapes().next().unwrap().id();
            for size in [0.1, 1.0] {
                let geometry = Shape::new_box(size, size).unwrap();
                let mut shape = world.shape_mut(shape).unwrap();
                shape.set_geometry(&geometry).unwrap();
            }
            assert_stands(world, lift, rider, "one made small and large again");
        }
    }
}

#[test]
fn a_static_body_wakes_what_is_near_its_present_pose_only() {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    })
    .unwrap();
    let plank = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let shape = Shape::new_box(10.0, 0.2).unwrap();
    world.create_shape(plank, &ShapeDef::default(), &shape).unwrap();
    // In the box around the plank while it is steep, far from the plank in every pose below.
    let beside = cube(&mut world, &BodyDef::dynamic(-3.0, 3.0));
    for (angle, wakes) in [
        (0.8, true),
        (0.0, false),
        (0.001, false),
        (0.8, true),
        (0.801, true),
    ] {
        run(&mut world, 60);
        assert!(!is_awake(&world, beside), "it rests");
        let pose = Pose::new(Vec2::ZERO, angle);
        world.body_mut(plank).unwrap().set_pose(pose).unwrap();
        assert_eq!(is_awake(&world, beside), wakes, "at {angle} rad");
    }
}

#[test]
fn a_moved_sensor_finds_what_it_comes_to() {
    let (mut world, _) = world_with_floor();
    let guard = world
        .create_body(&BodyDef {
            kind: BodyKind::Kinematic,
            ..BodyDef::dynamic(0.0, 5.0)
        })
        .unwrap();
    let sensing = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    let zone = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(guard, &sensing, &zone).unwrap();
    let still = BodyDef {
        gravity_scale: 0.0,
        ..BodyDef::dynamic(1.005, 5.0)
    };
    cube(&mut world, &still);
    run(&mut world, 2);
    let mut counts = Vec::new();
    for by in [0.01, -0.01, 0.02, 3.0] {
        shift(&mut world, guard, Vec2::new(by, 0.0));
        run(&mut world, 1);
        let events = world.events();
        counts.push([events.enter().len(), events.leave().len()]);
    }
    assert_eq!(counts, [[1, 0], [0, 1], [1, 0], [0, 1]]);
}

#[test]
fn what_is_refused_changes_nothing() {
    let (mut world, _) = world_with_floor();
    let body = cube(&mut world, &BodyDef::dynamic(0.0, 0.5));
    let gone = cube(&mut world, &BodyDef::dynamic(3.0, 0.5));
    world.destroy_body(gone).unwrap();
    run(&mut world, 3);
    let hash = world.state_hash();
    let stale = PhysicsError::StaleHandle { what: "body" };
    assert_eq!(world.body_mut(gone).unwrap_err(), stale);
    assert_eq!(world.destroy_body(gone).unwrap_err(), stale);
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    assert_eq!(
        world
            .create_shape(gone, &ShapeDef::default(), &shape)
            .unwrap_err(),
        stale
    );
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 100_001.0] {
        let place = Vec2::new(bad, 0.0);
        let view = &mut world.body_mut(body).unwrap();
        assert!(view.set_pose(Pose::new(place, 0.0)).is_err(), "{bad}");
        assert!(world.create_body(&BodyDef::dynamic(bad, 0.0)).is_err(), "{bad}");
    }
    for bad in [f32::NAN, f32::INFINITY, 1.1e30] {
        let view = &mut world.body_mut(body).unwrap();
        assert!(view.apply_impulse(Vec2::new(0.0, bad)).is_err(), "{bad}");
    }
    // 1e24 kilograms is the most; one with a shape beyond is refused by its density.
    let heavy = |density| ShapeDef {
        density,
        ..ShapeDef::default()
    };
    for (density, side, fits) in [
        (1.0e23, 1.0, true),
        (0.99e24, 1.0, true),
        (1.01e24, 1.0, false),
        (1.0e14, 100_000.0, false),
        (1.0e3, 100_000.0, true),
    ] {
        let mut world = world.clone();
        let shape = Shape::new_box(side, side).unwrap();
        let made = world.create_shape(body, &heavy(density), &shape);
        assert_eq!(made.is_ok(), fits, "{density} over {side} m");
    }
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn a_new_body_is_as_if_its_mass_had_been_computed() {
    let kinds = [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic];
    for (kind, enabled) in kinds.into_iter().flat_map(|kind| [(kind, true), (kind, false)]) {
        let def = BodyDef {
            kind,
            enabled,
            angle: 0.7,
            linear_velocity: Vec2::new(1.0, -2.0),
            angular_velocity: 3.0,
            ..BodyDef::dynamic(4.0, 5.0)
        };
        let (mut world, _) = world_with_floor();
        let body = world.create_body(&def).unwrap();
        let hash = world.state_hash();
        world.body_mut(body).unwrap().set_fixed_rotation(false);
        assert_eq!(world.state_hash(), hash, "{kind:?}, {enabled}");
        run(&mut world, 2);
    }
}

/// Bodies in towers, of which random ones are moved by a little or far, pushed, destroyed and created anew; steps are made
/// with an executor.
struct Towers {
    world: PhysicsWorld,
    bodies: Vec<BodyId>,
    random: Random,
}

impl Towers {
    fn new(seed: u64) -> Self {
        let (mut world, floor) = world_with_floor();
        let mut bodies = vec![floor];
        for column in 0..12 {
            for row in 0..5 {
                let kind = match (column, row) {
                    (3, 0) => BodyKind::Kinematic,
                    (7, 0) => BodyKind::Static,
                    _ => BodyKind::Dynamic,
                };
                let place = BodyDef::dynamic(1.5 * column as f32 - 9.0, 0.5 + row as f32);
                bodies.push(cube(&mut world, &BodyDef { kind, ..place }));
            }
        }
        let random = Random(seed);
        Self {
            world,
            bodies,
            random,
        }
    }

    /// Some calls, as between two steps.
    fn call(&mut self) {
        for _ in 0..self.random.below(12) {
            let place = self.random.below(self.bodies.len());
            let body = self.bodies[place];
            match self.random.below(6) {
                0 | 1 => {
                    let by = self.random.vector(0.04);
                    shift(&mut self.world, body, by);
                }
                2 => {
                    let angle = self.random.between(-3.0, 3.0);
                    let at = Vec2::new(self.random.between(-12.0, 12.0), self.random.between(0.0, 6.0));
                    let mut body = self.world.body_mut(body).unwrap();
                    body.set_pose(Pose::new(at, angle)).unwrap();
                }
                3 => {
                    let impulse = self.random.vector(2.0);
                    let mut body = self.world.body_mut(body).unwrap();
                    body.apply_impulse(impulse).unwrap();
                }
                4 if place > 0 => {
                    // Many at once, and as many again: the slots are used once more.
                    let count = self.random.below(8).min(self.bodies.len() - place);
                    for gone in self.bodies.drain(place..place + count) {
                        self.world.destroy_body(gone).unwrap();
                    }
                    for _ in 0..count {
                        let (x, y) = (self.random.between(-12.0, 12.0), self.random.between(0.5, 9.0));
                        self.bodies.push(cube(&mut self.world, &BodyDef::dynamic(x, y)));
                    }
                }
                _ => {}
            }
        }
        self.world.validate();
    }

    fn step(&mut self, executor: &dyn Executor) {
        self.world.step_with(DT, executor).unwrap();
    }

    /// Compares the shapes in random boxes, and those that hold a point, with those of a look at each body.
    fn check_queries(&mut self) {
        for _ in 0..5 {
            let min = Vec2::new(self.random.between(-14.0, 14.0), self.random.between(-1.0, 8.0));
            let area = Aabb::new(min, min + self.random.vector(2.0).abs());
            let found = self
                .world
                .overlap_box(area, QueryFilter::default())
                .unwrap()
                .len();
            let bodies = self.world.bodies();
            let near = bodies.filter(|body| body.aabb().is_some_and(|bounds| bounds.overlaps(area)));
            assert_eq!(found, near.count(), "in {area:?}");
        }
        if let Some(body) = self.random.pick(&self.bodies) {
            let middle = self.world.body(body).unwrap().position();
            let at_point = self.world.overlap_point(middle, QueryFilter::default()).unwrap();
            let owners = at_point
                .iter()
                .map(|&shape| self.world.shape(shape).unwrap().body().id());
            assert!(
                owners.into_iter().any(|owner| owner == body),
                "a body is in its place"
            );
            let from = Position::new(middle.x, 60.0);
            let way = Vec2::new(0.0, -61.0);
            let hit = self.world.cast_ray(from, way, QueryFilter::default()).unwrap();
            assert!(
                hit.is_some_and(|hit| hit.point.y >= middle.y - 1.0e-3),
                "it is met from above"
            );
        }
    }
}

#[test]
fn queries_between_steps_know_of_every_call() {
    for seed in 0..20 {
        let mut towers = Towers::new(seed);
        for _ in 0..20 {
            towers.call();
            towers.check_queries();
            towers.step(&Inline);
            towers.check_queries();
        }
    }
}

#[test]
fn calls_between_steps_come_to_the_same_on_every_number_of_workers() {
    let run = |seed: u64, executor: &dyn Executor| {
        let mut towers = Towers::new(seed);
        let mut hashes = Vec::new();
        for _ in 0..40 {
            towers.call();
            hashes.push(towers.world.state_hash());
            towers.step(executor);
            hashes.push(towers.world.state_hash());
        }
        hashes
    };
    for seed in 0..4 {
        let alone = run(seed, &Inline);
        for workers in [1, 2, 3, 4, 8] {
            let pool = Pool::new(workers).unwrap();
            assert!(run(seed, &pool) == alone, "seed {seed}, {workers} workers");
        }
    }
}

#[test]
fn a_save_a_clone_and_a_frame_between_calls_and_step_go_on_alike() {
    for seed in 0..6 {
        let mut towers = Towers::new(seed);
        for _ in 0..30 {
            towers.call();
            let mut restored = PhysicsWorld::from_save(&towers.world.save()).unwrap();
            let mut cloned = towers.world.clone();
            let frame = towers.world.frame();
            towers.step(&Inline);
            let hash = towers.world.state_hash();
            for twin in [&mut restored, &mut cloned] {
                twin.step(DT).unwrap();
                assert_eq!(twin.state_hash(), hash, "seed {seed}");
            }
            // Back to the frame, and the same step again.
            towers.world.restore_frame(&frame);
            towers.step(&Inline);
            assert_eq!(towers.world.state_hash(), hash, "seed {seed}");
        }
    }
}
