//! Random calls on welded entities: nothing panics, every entity is where its member is, and neither workers, nor clones, nor a
//! save and restore, nor a recording change a bit.
//!
//! A failure names the seed that repeats it.

use tombolo::entity::{Entity, Value};
use tombolo::geometry::Pose;
use tombolo::physics::{RecordOptions, Vec2};
use tombolo::threads::Pool;
use tombolo::{Command, Push, Scene, SpawnDef, World, WorldRecording};

/// Calls in the life of one world.
const CALLS_PER_WORLD: usize = 300;

const YARD: &str = r#"(
    settings: (seed: 3),
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2))},
        "plank": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 1, height: 0.3)),
            "seam": RigidWeld(to: Previous, pivot: (-0.5, 0), torque_threshold: 40, force_threshold: 60),
        },
        "wheel": {
            "body": Body(kind: Dynamic),
            "tire": Collider(shape: Circle(radius: 0.3)),
            "axle": RigidWeld(to: Parent),
        },
        "cart": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 0.5)),
            "eye": Trigger(shape: Circle(radius: 1)),
            "wheel": Child(entity: "wheel", at: (0.5, -0.3)),
        },
    },
    place: [
        One(name: "floor", entity: "floor", at: (0, -1)),
        Row(name: "plank", entity: "plank", at: (-6, 3), count: 8, step: (1, 0)),
        One(name: "cart", entity: "cart", at: (5, 2)),
    ],
)"#;

/// A generator of numbers: Knuth's multiplier.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.below(1 << 20) as f32 / (1 << 20) as f32
    }

    fn vector(&mut self, most: f32) -> Vec2 {
        Vec2::new(self.between(-most, most), self.between(-most, most))
    }
}

/// A call that every world gets.
#[derive(Clone, Debug)]
enum Call {
    Set(Entity, &'static str, Value),
    Add(Entity, &'static str, &'static str),
    Remove(Entity, &'static str),
    Despawn(Entity),
    Spawn(&'static str, Pose, Option<Entity>),
    Teleport(Entity, Pose),
    Push(Entity, Push),
    Slice(Entity, Vec2, Vec2),
}

fn draw(random: &mut Random, world: &World) -> Call {
    let all: Vec<Entity> = world.entities().entities().iter().collect();
    if all.is_empty() {
        return Call::Spawn("cart", Pose::default(), None);
    }
    let one = all[random.below(all.len())];
    let other = Value::Entity(Some(all[random.below(all.len())]));
    let welds = ["seam", "axle", "late"];
    let weld = |random: &mut Random, of: [&'static str; 3]| of[random.below(3)];
    let flag = Value::Bool(random.below(2) == 0);
    let pose = Pose::new(
        random.vector(6.0) + Vec2::new(0.0, 4.0),
        random.between(-3.0, 3.0),
    );
    match random.below(16) {
        0 | 1 => Call::Set(one, weld(random, ["seam.to", "axle.to", "late.to"]), other),
        2 => Call::Set(
            one,
            weld(random, ["seam.broken", "axle.broken", "late.broken"]),
            flag,
        ),
        3 => {
            let paths = [
                "seam.torque_threshold",
                "axle.force_threshold",
                "late.torque_threshold",
            ];
            Call::Set(one, weld(random, paths), Value::F32(random.between(0.0, 60.0)))
        }
        4 => Call::Set(one, "seam.pivot", Value::Vec2(random.vector(1.0))),
        5 => Call::Add(one, "RigidWeld", "late"),
        6 => Call::Add(one, ["Collider", "Trigger", "Joint"][random.below(3)], "more"),
        7 => Call::Remove(one, welds[random.below(3)]),
        8 => Call::Remove(
            one,
            ["board", "hull", "tire", "eye", "more", "body"][random.below(6)],
        ),
        9 => Call::Despawn(one),
        10 => Call::Spawn(
            ["plank", "cart", "wheel"][random.below(3)],
            pose,
            Some(one).filter(|_| random.below(3) == 0),
        ),
        11 => Call::Teleport(one, pose),
        12 => Call::Push(one, Push::Impulse(random.vector(3.0))),
        13 => Call::Set(one, "more.to", other),
        14 => Call::Slice(one, random.vector(6.0), random.vector(6.0)),
        _ => Call::Set(one, "body.enabled", flag),
    }
}

/// What came of a call, in words.
fn make(world: &mut World, call: &Call) -> String {
    match call.clone() {
        Call::Set(entity, path, value) => format!("{:?}", world.set(entity, path, value)),
        Call::Add(entity, kind, name) => format!("{:?}", world.add_component(entity, kind, name)),
        Call::Remove(entity, name) => format!("{:?}", world.remove_component(entity, name)),
        Call::Despawn(entity) => format!("{:?}", world.despawn(entity)),
        Call::Spawn(resource, pose, parent) => {
            let def = SpawnDef {
                pose: Some(pose),
                parent,
                ..SpawnDef::default()
            };
            format!("{:?}", world.spawn(resource, &def))
        }
        Call::Teleport(entity, pose) => format!("{:?}", world.teleport(entity, pose)),
        Call::Push(entity, push) => {
            let entity = entity.into();
            format!("{:?}", world.apply(Command::Push { entity, push }))
        }
        Call::Slice(entity, from, to) => format!("{:?}", world.slice(entity, from.into(), to.into())),
    }
}

#[test]
fn random_calls_leave_worlds_whole_and_alike() {
    let seeds = crate::scale::scaled(3_000).div_ceil(CALLS_PER_WORLD) as u64;
    let pools = [1, 2, 3].map(|workers| Pool::new(workers).unwrap());
    let (mut welded, mut broken) = (0, 0);
    for seed in 1..=seeds {
        let scene = Scene::parse("yard.ron", YARD).expect("it is sound");
        let mut worlds = [0; 3].map(|_| World::from_scene(&scene).expect("it is sound"));
        worlds[0].start_recording(RecordOptions::default());
        let mut random = Random(seed);
        for number in 0..CALLS_PER_WORLD {
            let call = draw(&mut random, &worlds[0]);
            let said = worlds.each_mut().map(|world| make(world, &call));
            assert!(
                said.iter().all(|one| *one == said[0]),
                "seed {seed}, call {number}: {call:?}: {said:?}"
            );
            if number % 4 == 3 {
                if random.below(8) == 0 {
                    let save = worlds[1].save();
                    worlds[2]
                        .restore(&save)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    worlds[1] = worlds[1].clone();
                }
                worlds
                    .iter_mut()
                    .zip(&pools)
                    .for_each(|(world, pool)| world.step_with(pool));
            }
            let hashes = worlds.each_ref().map(World::state_hash);
            assert!(
                hashes.iter().all(|hash| *hash == hashes[0]),
                "seed {seed}, call {number}: {call:?}: {said:?}: {hashes:x?}"
            );
            super::rigid_welds::check(&worlds[0]);
            welded += usize::from(
                said[0].starts_with("Ok") && matches!(call, Call::Set(_, path, _) if path.ends_with(".to")),
            );
            broken += worlds[0]
                .events()
                .iter()
                .filter(|event| matches!(event, tombolo::Event::Break(_)))
                .count();
        }
        let recording = WorldRecording::open(worlds[0].end_recording()).unwrap();
        let mut player = recording.player().unwrap();
        while let Some(call) = player.next_call().unwrap() {
            player.play(call, &pools[1]).unwrap();
            assert_eq!(
                player.first_difference(),
                None,
                "seed {seed}, step {}",
                player.steps()
            );
        }
        assert_eq!(player.world().state_hash(), worlds[0].state_hash(), "seed {seed}");
    }
    assert!(welded > 20 && broken > 5, "{welded} were welded, {broken} broke");
}
