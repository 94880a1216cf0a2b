//! Random worlds under random calls: nothing panics, every structure holds, and neither workers, nor clones, nor a save
//! and restore change a bit.
//!
//! Bounded by default; `TOMBOLO_FUZZ_STEPS` sets the number of steps, `TOMBOLO_FUZZ_SEED` the first seed. A failure
//! names the seed that repeats it.
#![allow(missing_docs, clippy::print_stderr)]

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Filter, JointId, LaneWidth, PhysicsWorld, Position, QueryFilter, RevoluteDef,
    Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};
use tombolo_threads::Pool;

/// Steps of all worlds together, unless the environment says otherwise.
const STEPS_DEFAULT: usize = 3_000;

/// Steps of one world.
const STEPS_PER_WORLD: usize = 150;

fn from_environment(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is '{text}', expected a number")),
        Err(_) => default,
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    fn vector(&mut self, size: f32) -> Vec2 {
        Vec2::new(self.between(-size, size), self.between(-size, size))
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

/// The worlds that must stay the same, and the ids that calls are made with; some of them are stale.
struct Fuzz {
    random: Random,
    /// One worker, two workers' lanes forced narrow, and a clone that is renewed now and then.
    worlds: Vec<PhysicsWorld>,
    bodies: Vec<BodyId>,
    shapes: Vec<ShapeId>,
    joints: Vec<JointId>,
}

/// Calls the same method on every world and keeps the first answer, which all must give.
macro_rules! each {
    ($fuzz:expr, |$world:ident| $call:expr) => {{
        let mut answers = Vec::new();
        for $world in &mut $fuzz.worlds {
            answers.push($call);
        }
        let first = answers.remove(0);
        for answer in answers {
            assert_eq!(answer, first, "the worlds answer alike");
        }
        first
    }};
}

impl Fuzz {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let def = WorldDef {
            gravity: if random.chance(6) {
                Vec2::ZERO
            } else {
                random.vector(12.0)
            },
            substeps: 1 + random.below(5) as u32,
            sleeping: !random.chance(4),
            ..Default::default()
        };
        let mut worlds: Vec<PhysicsWorld> = (0..3).map(|_| PhysicsWorld::new(&def).unwrap()).collect();
        worlds[1].set_lanes(LaneWidth::One).unwrap();
        let mut fuzz = Self {
            random,
            worlds,
            bodies: Vec::new(),
            shapes: Vec::new(),
            joints: Vec::new(),
        };
        fuzz.walls();
        for _ in 0..40 {
            fuzz.create_body();
        }
        fuzz
    }

    fn walls(&mut self) {
        for (x, y, w, h) in [
            (0.0, -6.0, 12.0, 1.0),
            (-12.0, 0.0, 1.0, 8.0),
            (12.0, 0.0, 1.0, 8.0),
        ] {
            let wall = Shape::rectangle(w, h).unwrap();
            let body = each!(self, |world| world.create_body(&BodyDef::fixed(x, y)).unwrap());
            each!(self, |world| world
                .create_shape(body, &ShapeDef::default(), &wall)
                .unwrap());
            self.bodies.push(body);
        }
    }

    fn create_body(&mut self) {
        let random = &mut self.random;
        let kind = match random.below(10) {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        };
        let def = BodyDef {
            kind,
            position: Position::from(random.vector(9.0)),
            angle: random.between(-3.0, 3.0),
            linear_velocity: random.vector(8.0),
            angular_velocity: random.between(-9.0, 9.0),
            linear_damping: if random.chance(3) {
                random.between(0.0, 2.0)
            } else {
                0.0
            },
            gravity_scale: if random.chance(8) { -0.5 } else { 1.0 },
            allow_sleep: !random.chance(8),
            awake: !random.chance(6),
            fixed_rotation: random.chance(10),
            enabled: !random.chance(12),
            user_key: random.next(),
            ..Default::default()
        };
        let body = each!(self, |world| world.create_body(&def).unwrap());
        self.bodies.push(body);
        for _ in 0..1 + self.random.below(2) {
            self.create_shape(body);
        }
    }

    fn create_shape(&mut self, body: BodyId) {
        let random = &mut self.random;
        let size = random.between(0.1, 0.8);
        let shape = match random.below(6) {
            0 => Shape::circle(random.vector(0.3), size),
            1 => Shape::capsule(Vec2::new(-size, 0.0), Vec2::new(size, 0.1), 0.5 * size),
            2 => Shape::segment(Vec2::new(-size, 0.0), Vec2::new(size, 0.2)),
            3 => Shape::rounded_rectangle(size, 0.5 * size, 0.1 * size),
            4 => {
                let points: Vec<Vec2> = (0..3 + random.below(6)).map(|_| random.vector(size)).collect();
                Shape::polygon(&points, 0.0)
            }
            _ => Shape::rectangle(size, random.between(0.1, 0.8)),
        };
        // Random points may be too near each other to make a polygon; that is an error, not a panic.
        let Ok(shape) = shape else { return };
        let def = ShapeDef {
            density: random.between(0.0, 4.0),
            friction: random.between(0.0, 1.0),
            restitution: if random.chance(4) {
                random.between(0.0, 1.0)
            } else {
                0.0
            },
            rolling_resistance: if random.chance(5) { 0.1 } else { 0.0 },
            tangent_speed: if random.chance(9) { 1.0 } else { 0.0 },
            filter: Filter {
                category: 1 << random.below(3),
                mask: if random.chance(3) { 0b101 } else { u64::MAX },
                group: if random.chance(6) {
                    random.below(3) as i32 - 1
                } else {
                    0
                },
            },
            contact_events: !random.chance(5),
            ..Default::default()
        };
        if let Ok(id) = each!(self, |world| world.create_shape(body, &def, &shape)) {
            self.shapes.push(id);
        }
    }

    fn create_joint(&mut self) {
        let random = &mut self.random;
        let (Some(a), Some(b)) = (random.pick(&self.bodies), random.pick(&self.bodies)) else {
            return;
        };
        let def = RevoluteDef {
            enable_limit: random.chance(2),
            lower_angle: random.between(-1.0, 0.0),
            upper_angle: random.between(0.0, 1.0),
            enable_motor: random.chance(3),
            motor_speed: random.between(-5.0, 5.0),
            max_motor_torque: random.between(0.0, 50.0),
            enable_spring: random.chance(3),
            spring_hertz: random.between(0.0, 5.0),
            spring_damping_ratio: random.between(0.0, 2.0),
            collide_connected: random.chance(3),
            ..RevoluteDef::new(a, random.vector(0.5), b, random.vector(0.5))
        };
        if let Ok(id) = each!(self, |world| world.create_joint(def.clone())) {
            self.joints.push(id);
        }
    }

    fn call(&mut self) {
        let random = &mut self.random;
        let (body, shape, joint) = (
            random.pick(&self.bodies),
            random.pick(&self.shapes),
            random.pick(&self.joints),
        );
        let (vector, angle, flip) = (random.vector(10.0), random.between(-3.0, 3.0), random.chance(2));
        let choice = random.below(18);
        match (choice, body, shape, joint) {
            (0, ..) => self.create_body(),
            (1, Some(body), ..) => self.create_shape(body),
            (2 | 3, ..) => self.create_joint(),
            (4, Some(body), ..) if flip => drop(each!(self, |world| world.destroy_body(body))),
            (5, _, Some(shape), _) if flip => drop(each!(self, |world| world.destroy_shape(shape))),
            (6, _, _, Some(joint)) => drop(each!(self, |world| world.destroy_joint(joint))),
            (7, Some(body), ..) => drop(each!(self, |world| world.set_enabled(body, flip))),
            (8, Some(body), ..) => {
                drop(each!(self, |world| world.teleport(
                    body,
                    Position::from(0.8 * vector),
                    angle
                )));
            }
            (9, Some(body), ..) => self.change_body(body, |body| drop(body.set_linear_velocity(vector))),
            (10, Some(body), ..) => self.change_body(body, |body| drop(body.apply_impulse(vector))),
            (11, Some(body), ..) => self.change_body(body, |body| drop(body.apply_torque(angle))),
            (12, Some(body), ..) => {
                self.change_body(body, |body| {
                    drop(body.set_target(Position::from(vector), angle, 1.0 / 60.0))
                });
            }
            (13, _, Some(shape), _) => {
                let filter = Filter {
                    category: 1,
                    mask: if flip { 0b11 } else { u64::MAX },
                    group: 0,
                };
                drop(each!(self, |world| world.set_filter(shape, filter)));
            }
            (14, _, Some(shape), _) => drop(each!(self, |world| world.set_material(shape, 0.2, angle.abs()))),
            (15, _, _, Some(joint)) => {
                each!(self, |world| world
                    .joint_mut(joint)
                    .map(|mut joint| joint.set_motor(flip, angle, 20.0)));
            }
            (16, Some(body), ..) => self.break_body(body),
            (17, ..) => self.ask(),
            _ => {}
        }
    }

    fn change_body(&mut self, body: BodyId, change: impl Fn(&mut tombolo_physics::BodyMut<'_>)) {
        each!(self, |world| world
            .body_mut(body)
            .map(|mut body| change(&mut body)));
    }

    /// Now and then a body gets more than a number can hold.
    fn break_body(&mut self, body: BodyId) {
        if self.random.chance(10) {
            for _ in 0..2 {
                self.change_body(body, |body| drop(body.apply_impulse(Vec2::splat(f32::MAX))));
            }
        }
    }

    fn ask(&mut self) {
        let (from, along) = (Position::from(self.random.vector(12.0)), self.random.vector(20.0));
        let filter = QueryFilter::default();
        each!(self, |world| world.cast_ray_all(from, along, filter).unwrap());
        each!(self, |world| world.overlap_point(from, filter).unwrap());
    }

    fn step(&mut self, pools: &[Pool]) {
        for (world, pool) in self.worlds.iter_mut().zip(pools) {
            world.step_with(1.0 / 60.0, pool).unwrap();
            world.validate();
        }
        let hashes: Vec<u64> = self.worlds.iter().map(PhysicsWorld::state_hash).collect();
        assert!(
            hashes.iter().all(|&hash| hash == hashes[0]),
            "hashes part: {hashes:x?}"
        );
        for world in &self.worlds {
            for body in world.bodies() {
                assert!(
                    body.position().is_finite() && body.linear_velocity().is_finite(),
                    "all stays finite"
                );
            }
        }
    }

    /// Replaces the last world by a clone of the first, or by its save.
    fn renew_last(&mut self) {
        let clone = if self.random.chance(2) {
            self.worlds[0].clone()
        } else {
            PhysicsWorld::from_save(&self.worlds[0].save()).expect("a world's own save is good")
        };
        assert_eq!(clone.state_hash(), self.worlds[0].state_hash());
        self.worlds[2] = clone;
    }
}

#[test]
fn fuzz_world() {
    let steps = from_environment("TOMBOLO_FUZZ_STEPS", STEPS_DEFAULT);
    let first_seed = from_environment("TOMBOLO_FUZZ_SEED", 1) as u64;
    let pools = [1, 3, 2].map(|workers| Pool::new(workers).unwrap());
    for seed in first_seed..first_seed + steps.div_ceil(STEPS_PER_WORLD) as u64 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut fuzz = Fuzz::new(seed);
        for step in 0..STEPS_PER_WORLD {
            for _ in 0..fuzz.random.below(3) {
                fuzz.call();
            }
            if step % 50 == 25 {
                fuzz.renew_last();
            }
            fuzz.step(&pools);
        }
    }
}

/// Says which seed repeats a failure.
struct SeedOnPanic(u64);

impl Drop for SeedOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("TOMBOLO_FUZZ_SEED={} repeats this", self.0);
        }
    }
}
