//! Frames of a world against its full saves, at the same points of the same calls. Bounded by default; `TOMBOLO_TEST_SCALE`
//! multiplies the number of turns, of which each is a step, a save, a return or a query, and every third also a call;
//! `TOMBOLO_FUZZ_SEED` sets the first seed.

use std::sync::atomic::{AtomicUsize, Ordering};

use tombolo::entity::{Component, Dense, Schema, Value};
use tombolo::geometry::Pose;
use tombolo::physics::{
    BodyDef, ExplosionDef, FrameId, PhysicsWorld, Position, Rewind, RewindError, RewindLimits, Rewindable,
    TileBlock, TileCut, Vec2,
};
use tombolo::{Command, EntityRef, Scene, SegmentCut, Settings, World};

use crate::scale::scaled;
use crate::{Health, run, yard};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count.max(1) as u64) as usize
    }
}

/// Two equal worlds, of which the first goes back by frames and the second by full saves.
struct Pair {
    random: Random,
    worlds: [World; 2],
    rewind: Rewind<World>,
    saved: Vec<(FrameId, Vec<u8>, u64)>,
}

impl Pair {
    fn new(seed: u64, make: impl Fn() -> World) -> Self {
        Self {
            random: Random(seed),
            worlds: [make(), make()],
            rewind: Rewind::new(RewindLimits {
                frames_max: 8,
                ..RewindLimits::default()
            }),
            saved: Vec::new(),
        }
    }

    /// Something that a game does, to both worlds.
    fn call(&mut self) {
        let entities: Vec<_> = self.worlds[0].entities().entities().iter().collect();
        if entities.is_empty() {
            // All are gone: the worlds go on with a new one.
            let [one, two] = self.worlds.each_mut().map(|world| world.create(None).unwrap());
            assert_eq!(one, two);
            return;
        }
        let entity = entities[self.random.below(entities.len())];
        let (kind, at) = (self.random.below(14), self.random.below(40) as f32 - 20.0);
        let cell = [self.random.below(19) as u32, self.random.below(6) as u32];
        let answers = self.worlds.each_mut().map(|world| match kind {
            0 => format!("{:?}", world.create(None)),
            1 => format!("{:?}", world.despawn(entity)),
            2 => format!("{:?}", world.teleport(entity, Pose::new(Vec2::new(at, 9.0), at))),
            3 => format!(
                "{:?}",
                world.set(entity, "body.linear_velocity", Value::Vec2(Vec2::splat(at)))
            ),
            4 => {
                let body = world.body_of(entity);
                let pushed = body.map(|body| {
                    let mut body = world.physics_mut().body_mut(body).expect("it lives");
                    body.teleport(Pose::new(Vec2::new(at, 12.0), 0.0)).is_ok()
                });
                format!("{pushed:?}")
            }
            5 => {
                let sent = world.inbox(7).send(Command::Despawn(EntityRef::from(entity)));
                format!("{sent:?}")
            }
            6 => format!(
                "{:?}",
                world.physics_mut().create_body(&BodyDef::dynamic(at, 5.0))
            ),
            7 => format!("{}", world.random().bits()),
            8 => {
                let name = format!("called {}", at as i32 / 5);
                format!("{:?}", world.set_name(entity, (at > 0.0).then_some(&*name)))
            }
            9 => edit_tiles(world, cell, at),
            10 => {
                let step = world.physics().step_index() + cell[1] as u64;
                let (from, to) = (Vec2::new(at, -9.0), Vec2::new(at, 9.0));
                world.add_segment_cut(SegmentCut { step, from, to });
                String::new()
            }
            11 => come_and_go(world, cell[0] as usize),
            12 => format!(
                "{:?} {:?}",
                world.set_action("jump", at),
                world.set(entity, "hero.walk", Value::F32(at))
            ),
            _ => {
                let enabled = ["hero.enabled", "legs.enabled", "mind.enabled", "spout.enabled"];
                let set = enabled.map(|path| world.set(entity, path, Value::Bool(at > 0.0)));
                format!("{set:?}")
            }
        });
        assert_eq!(answers[0], answers[1], "call {kind}");
    }

    /// A call every third time; then a step, a save, a return or a query.
    ///
    /// The second world takes no frames, so each of its hashes is of all that it holds: it is taken once a turn.
    fn turn(&mut self) {
        if self.random.below(3) == 0 {
            self.call();
        }
        let mut whole = None;
        match self.random.below(10) {
            0..=2 => {
                let id = self.rewind.save(&mut self.worlds[0]);
                let bytes = self.worlds[1].save();
                assert!(self.worlds[0].save() == bytes, "a frame is of the world as it is");
                let checksum = self.rewind.frame(id).unwrap().checksum();
                assert_eq!(checksum, *whole.insert(self.worlds[1].state_hash()));
                self.saved.push((id, bytes, checksum));
                let excess = self.saved.len().saturating_sub(8);
                self.saved.drain(..excess);
            }
            3 if !self.saved.is_empty() => {
                let place = self.random.below(self.saved.len());
                let (id, bytes, checksum) = &self.saved[place];
                self.rewind.restore(&mut self.worlds[0], *id).unwrap();
                self.worlds[1].restore(bytes).unwrap();
                assert!(self.worlds[0].save() == *bytes, "the world that was saved");
                assert_eq!(self.worlds[0].frame().checksum(), *checksum);
                self.saved.truncate(place + 1);
            }
            4 if !self.saved.is_empty() => {
                let place = self.random.below(self.saved.len());
                let (id, bytes, _) = &self.saved[place];
                let past = self.rewind.ask(&self.worlds[0], *id).unwrap();
                assert!(past.save() == *bytes);
            }
            _ => self.worlds.iter_mut().for_each(World::step),
        }
        let [one, two] = &self.worlds;
        if one.state_hash() != whole.unwrap_or_else(|| two.state_hash()) {
            panic!("{:?}", one.first_difference(two).map(|part| part.to_string()));
        }
        assert!(one.names().eq(two.names()));
    }
}

/// Fills and empties tiles of the ground, one by one and in a block.
fn edit_tiles(world: &mut World, [x, y]: [u32; 2], at: f32) -> String {
    let Some(ground) = world.find("ground") else {
        return String::new();
    };
    let tile = if at > 4.0 { '#' } else { '.' };
    let block = TileBlock {
        width: 2,
        ..TileBlock::cell(x, y)
    };
    format!(
        "{:?} {:?}",
        world.set_tile(ground, x, y, '~'),
        world.fill_tiles(ground, block, tile)
    )
}

/// Many entities that come, of which most go again before the next frame.
fn come_and_go(world: &mut World, count: usize) -> String {
    let all: Vec<_> = (0..20 * count).map(|_| world.create(None).unwrap()).collect();
    let gone = all.iter().skip(count).map(|entity| world.despawn(*entity));
    format!("{:?}", gone.collect::<Vec<_>>())
}

/// Ground of tiles, and all that runs by itself: a script with a timer, an agent, a character, a spawner, a zone.
const BUSY: &str = r##"(
    actions: {"jump": ()},
    entities: {
        "ground": {
            "body": Body(),
            "tiles": Tiles(
                origin: (-10, -5),
                legend: ["# Full", "/ SlopeUp", "~ Full friction 0"],
                rows: ["14./###", "20#", "2:9#2.9#", "20~", "20#"],
            ),
        },
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8))},
        "hero": {"hero": Character()},
        "walker": {"legs": Agent(goal: (9, 4))},
        "clock": {"mind": Script(text: "fn on_spawn() { repeat_timer(\"tick\", 0.1); this.n = 0; } fn on_timer(name) { this.n += 1; }")},
        "chute": {"spout": Spawner(resource: "crate", interval: 0.25, limit: 6, spread: (3, 0))},
        "lamp": {"light": Zone(shape: Circle(radius: 6))},
    },
    place: [
        One(name: "ground", entity: "ground"),
        Row(name: "crate", entity: "crate", at: (-4, 0.55), count: 4, step: (2, 0)),
        One(name: "hero", entity: "hero", at: (-8, 2)),
        One(name: "walker", entity: "walker", at: (-9, 4)),
        One(name: "clock", entity: "clock"),
        One(name: "chute", entity: "chute", at: (0, 6)),
        One(name: "lamp", entity: "lamp", at: (3, 2)),
    ],
)"##;

/// Turns of one pair of worlds.
const TURNS_PER_PAIR: usize = 150;

#[test]
fn rewound_worlds_equal_restored_ones_under_random_calls() {
    let pairs = scaled(7) as u64;
    let first_seed =
        std::env::var("TOMBOLO_FUZZ_SEED").map_or(0, |seed| seed.parse().expect("a whole number"));
    let orchard = Scene::parse("orchard.ron", include_str!("../../../cli/scenes/orchard.ron")).unwrap();
    let busy = Scene::parse("busy.ron", BUSY).unwrap();
    for seed in first_seed..first_seed + pairs {
        println!("seed {seed}");
        let mut pair = match seed % 7 {
            4 | 5 => Pair::new(seed, || World::from_scene(&busy).unwrap()),
            6 => Pair::new(seed, || World::from_scene(&orchard).unwrap()),
            _ => Pair::new(seed, yard),
        };
        (0..TURNS_PER_PAIR).for_each(|_| pair.turn());
    }
}

/// A frame ends the watch of bodies that a call of physics begins. What the world's own calls change of physics after it is no
/// change by a program, with the frame or without.
#[test]
fn a_frame_between_a_call_of_physics_and_one_of_the_world_changes_no_save() {
    let scene = Scene::parse("busy.ron", BUSY).unwrap();
    let cut = TileCut {
        radius: 0.4,
        ..TileCut::between(Position::new(3.0, 9.0), Position::new(3.0, -9.0))
    };
    type Call = fn(&mut World, &TileCut) -> String;
    let calls: [(&str, Call); 6] = [
        ("a tile", |world, _| edit_tiles(world, [3, 3], 9.0)),
        ("a cut of tiles", |world, cut| {
            format!("{:?}", world.cut_tiles(cut))
        }),
        ("an explosion", |world, _| {
            let place = Position::new(-4.0, -1.0);
            let explosion = ExplosionDef {
                radius: 3.0,
                tile_radius: 1.0,
                impulse_per_length: 1.0,
                ..ExplosionDef::at(place)
            };
            format!("{:?}", world.explode(&explosion))
        }),
        ("a pose", |world, _| {
            let ground = world.find("ground").unwrap();
            format!(
                "{:?}",
                world.teleport(ground, Pose::new(Vec2::new(0.0, -1.0), 0.0))
            )
        }),
        ("a property", |world, _| {
            let other = world.find("crate[1]").unwrap();
            format!("{:?}", world.set(other, "hull.friction", Value::F32(0.25)))
        }),
        ("an end", |world, _| {
            let ground = world.find("ground").unwrap();
            format!("{:?}", world.despawn(ground))
        }),
    ];
    for (name, call) in calls {
        let mut worlds = [(); 2].map(|()| World::from_scene(&scene).unwrap());
        for world in &mut worlds {
            (0..30).for_each(|_| world.step());
            let crate_body = world.body_of(world.find("crate[0]").unwrap()).unwrap();
            let mut body = world.physics_mut().body_mut(crate_body).unwrap();
            body.teleport(Pose::new(Vec2::new(2.0, 12.0), 0.0)).unwrap();
        }
        let frame = worlds[0].frame();
        let answers = worlds.each_mut().map(|world| call(world, &cut));
        assert!(
            answers[0] == answers[1] && answers[0].contains("Ok"),
            "{name}: {answers:?}"
        );
        let [one, two] = &mut worlds;
        assert!(one.save() == two.save(), "{name}: before a step");
        one.step();
        two.step();
        assert!(one.save() == two.save(), "{name}: after a step");
        one.restore_frame(&frame);
        assert!(
            one.save() != two.save(),
            "{name}: the frame is of the time before"
        );
    }
}

/// Space takes entities in within a step, that of a restored world at once.
#[test]
fn a_wall_that_is_moved_before_the_first_step_gives_the_same_save_in_a_restored_world() {
    let scene = Scene::parse("busy.ron", BUSY).unwrap();
    let world = World::from_scene(&scene).unwrap();
    let restored = World::from_save(&scene, &world.save()).unwrap();
    let mut worlds = [world, restored];
    for world in &mut worlds {
        let ground = world.body_of(world.find("ground").unwrap()).unwrap();
        let mut ground = world.physics_mut().body_mut(ground).unwrap();
        ground.teleport(Pose::new(Vec2::new(0.0, -1.0), 0.0)).unwrap();
    }
    let [one, two] = &mut worlds;
    assert!(one.save() == two.save(), "before a step");
    one.step();
    two.step();
    assert!(one.save() == two.save(), "after a step");
}

#[cfg(feature = "script")]
#[test]
fn scripts_and_agents_go_back_with_the_world() {
    let scene = |text: &str| World::from_scene(&Scene::parse("scene.ron", text).unwrap()).unwrap();
    for text in [
        include_str!("../../../cli/scenes/workshop.ron"),
        include_str!("../../../cli/scenes/maze.ron"),
    ] {
        let mut pair = Pair::new(5, || scene(text));
        (0..150).for_each(|_| pair.turn());
    }
}

#[test]
fn managers_of_a_games_own_and_senders_go_along() {
    let mut world = yard();
    world.register_manager("Health", Dense::<Health>::new()).unwrap();
    let safe = world.find("safe").unwrap();
    world.add_component(safe, "Health", "health").unwrap();
    let sender = world.inbox(3);
    let mut rewind = Rewind::new(RewindLimits::default());
    let whole = rewind.save(&mut world);
    world.set(safe, "health.points", Value::I32(7)).unwrap();
    sender.send(Command::Despawn(EntityRef::from(safe))).unwrap();
    let hurt = rewind.save(&mut world);
    world.step();
    assert!(world.find("safe").is_none());
    rewind.restore(&mut world, hurt).unwrap();
    assert_eq!(world.get(safe, "health.points").unwrap(), Value::I32(7));
    rewind.restore(&mut world, whole).unwrap();
    assert_eq!(world.get(safe, "health.points").unwrap(), Value::I32(100));
    world.step();
    assert_eq!(world.find("safe"), Some(safe), "its command was not sent yet");
    sender.send(Command::Despawn(EntityRef::from(safe))).unwrap();
    world.step();
    assert!(
        world.find("safe").is_none(),
        "a sender is the world's before and after"
    );
    assert_eq!(rewind.restore(&mut world, hurt), Err(RewindError::Dropped));
}

#[test]
fn the_checksum_of_a_frame_does_not_depend_on_whether_entities_have_followed_physics() {
    let mut world = yard();
    let body = world.body_of(world.find("cart").unwrap()).unwrap();
    for step in 0..20 {
        world.step();
        let mut body = world.physics_mut().body_mut(body).unwrap();
        body.teleport(Pose::new(Vec2::new(step as f32, 9.0), 0.5))
            .unwrap();
        assert!(!world.is_synchronized());
        let before = world.frame().checksum();
        // A refused search for a path has entities follow, too.
        assert!(world.find_path(Vec2::ZERO, Vec2::splat(1.0e9), 0.5).is_err());
        assert!(world.is_synchronized());
        assert_eq!(world.frame().checksum(), before, "step {step}");
        assert_eq!(world.state_hash(), before, "step {step}");
    }
}

/// The number of clones of [`Tally`].
static CLONES: AtomicUsize = AtomicUsize::new(0);

/// A component that counts how often any of its kind was cloned.
#[derive(Debug, Default)]
struct Tally(u32);

impl Clone for Tally {
    fn clone(&self) -> Self {
        CLONES.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Component for Tally {
    fn schema() -> Schema<Self> {
        Schema::new().property("number", |t: &Self| t.0, |t, number| t.0 = number)
    }
}

#[test]
fn frames_and_returns_clone_the_components_that_changed_and_their_neighbors() {
    let mut world = World::new(&Settings::default()).unwrap();
    let tallies = world.register_manager("Tally", Dense::<Tally>::new()).unwrap();
    let entities: Vec<_> = (0..1_000).map(|_| world.create(None).unwrap()).collect();
    for entity in &entities {
        world.add_component(*entity, "Tally", "tally").unwrap();
    }
    let clones = |work: &mut dyn FnMut()| {
        let before = CLONES.load(Ordering::Relaxed);
        work();
        CLONES.load(Ordering::Relaxed) - before
    };
    let mut frames = Vec::new();
    assert_eq!(
        clones(&mut || frames.push(world.frame())),
        1_000,
        "the first has all"
    );
    world.step();
    assert_eq!(
        clones(&mut || frames.push(world.frame())),
        0,
        "nothing has changed"
    );
    for place in [0, 1, 500] {
        let all = world.manager_mut::<Dense<Tally>>(tallies).unwrap();
        all.newest_mut(entities[place]).unwrap().0 = 7;
    }
    assert_eq!(clones(&mut || frames.push(world.frame())), 32, "two chunks");
    world.despawn(entities[999]).unwrap();
    world.step();
    assert_eq!(
        clones(&mut || world.restore_frame(&frames[2])),
        8,
        "the last chunk"
    );
    assert_eq!(clones(&mut || world.restore_frame(&frames[0])), 32);
    assert_eq!(
        clones(&mut || world.restore_frame(&frames[1])),
        0,
        "it has the same"
    );
    assert_eq!(world.get(entities[500], "tally.number"), Ok(Value::U32(0)));
    assert_eq!(world.get(entities[999], "tally.number"), Ok(Value::U32(0)));
}

#[test]
fn the_bytes_of_a_frame_are_those_of_what_changed() {
    let mut world = World::new(&Settings::default()).unwrap();
    world.register_manager("Health", Dense::<Health>::new()).unwrap();
    let entities: Vec<_> = (0..1_000).map(|_| world.create(None).unwrap()).collect();
    for entity in &entities {
        world.add_component(*entity, "Health", "health").unwrap();
    }
    let first = world.frame();
    let all = World::bytes(&first, None);
    assert!(all >= 1_000 * (size_of::<Health>() + size_of::<u64>()), "{all}");
    let second = world.frame();
    let nothing = World::bytes(&second, Some(&first));
    world.set(entities[500], "health.points", Value::I32(7)).unwrap();
    let third = world.frame();
    let one = World::bytes(&third, Some(&second));
    assert!(nothing < one && one < all / 8, "{nothing}, {one} of {all}");
    assert!(one - nothing >= size_of::<Health>());
    world.create(None).unwrap();
    let fourth = world.frame();
    let created = World::bytes(&fourth, Some(&third));
    assert!(created >= 1_000 * size_of::<u32>(), "all entities: {created}");
}

/// A look is no change.
#[test]
fn frames_share_what_stands_idle() {
    for component in [
        "Agent()",
        "Agent(goal: (9, 9), enabled: false)",
        "Agent(goal: (0, 0), speed: 1000)",
        "Agent(goal: (0, 9), speed: 0)",
        "Character(enabled: false)",
        "Character()",
        "Script(text: \"fn on_spawn() { this.seen = 1; }\")",
        "Script(text: \"fn on_tick(seconds) { this.seen = [seconds, me()]; }\")",
    ] {
        let text = format!(
            "(entities: {{
                \"one\": {{\"it\": {component}}},
                \"floor\": {{\"body\": Body(), \"hull\": Collider(shape: Box(width: 400, height: 2))}},
            }},
            place: [
                One(name: \"floor\", entity: \"floor\", at: (95, -1.8)),
                Row(name: \"row\", entity: \"one\", at: (0, 0), count: 64, step: (3, 0)),
            ])"
        );
        let mut world = World::from_scene(&Scene::parse("idle.ron", &text).unwrap()).unwrap();
        run(&mut world, 60);
        let mut last = world.frame();
        // The bytes that a frame takes beside the one before, without those of physics.
        let mut taken = |world: &mut World| {
            let frame = world.frame();
            let bytes = World::bytes(&frame, Some(&last)) - frame.physics().bytes(Some(last.physics()));
            last = frame;
            bytes
        };
        let nothing = taken(&mut world);
        world.step();
        assert_eq!(taken(&mut world), nothing, "{component}");
        assert_eq!(world.faults(), [], "{component}");
        let one = world.find("row[40]").unwrap();
        let Ok(Value::Bool(enabled)) = world.get(one, "it.enabled") else {
            panic!("{component}");
        };
        world.set(one, "it.enabled", Value::Bool(!enabled)).unwrap();
        assert!(taken(&mut world) > nothing, "{component}");
    }
}

#[test]
fn the_record_of_changes_is_the_worlds_and_not_the_frames() {
    let mut world = yard();
    let safe = world.find("safe").unwrap();
    let change = |world: &mut World, scale: f32| {
        world.set(safe, "body.gravity_scale", Value::F32(scale)).unwrap();
        world.take_changes().len()
    };
    let unwatched = world.frame();
    world.watch_changes(true);
    let watched = world.frame();
    for frame in [&unwatched, &watched] {
        world.set(safe, "body.gravity_scale", Value::F32(0.25)).unwrap();
        world.restore_frame(frame);
        assert_eq!(world.take_changes(), [], "those of before are gone");
        assert_eq!(change(&mut world, 0.5), 1);
    }
    world.watch_changes(false);
    world.restore_frame(&watched);
    assert_eq!(change(&mut world, 0.75), 0);
}

#[test]
fn entities_follow_a_physics_that_went_back_or_was_replaced() {
    type Change = fn(&mut PhysicsWorld, &tombolo::physics::Frame, &[u8]);
    let changes: [(&str, Change); 3] = [
        ("restore_frame", |physics, frame, _| physics.restore_frame(frame)),
        ("restore", |physics, _, save| physics.restore(save).unwrap()),
        ("from_save", |physics, _, save| {
            *physics = PhysicsWorld::from_save(save).unwrap();
        }),
    ];
    for (name, change) in changes {
        for is_sent in [false, true] {
            let mut world = yard();
            let floor = world.find("floor").unwrap();
            let start = world.pose(floor).unwrap();
            let frame = world.physics_mut().frame();
            let save = world.physics().save();
            let place = Pose::new(Vec2::new(70.0, 0.0), 0.0);
            world.teleport(floor, place).unwrap();
            world.step();
            change(world.physics_mut(), &frame, &save);
            assert!(!world.is_synchronized(), "{name}");
            if is_sent {
                world = {
                    let mut other = yard();
                    other.restore(&world.save()).unwrap();
                    other
                };
                assert!(!world.is_synchronized(), "{name}");
            }
            world.step();
            assert_eq!(world.pose(floor), Some(start), "{name}");
            assert_eq!(world.body(floor).unwrap().pose(), start, "{name}");
            let there = world
                .space()
                .find(&tombolo::geometry::orthtree::Bounds::point([25.0, -1.0]));
            assert!(there.contains(&floor), "{name}");
        }
    }
}

/// Words of a script and faults that a game has not read yet.
#[cfg(feature = "script")]
#[test]
fn printed_lines_and_faults_are_the_worlds_and_not_the_frames() {
    let text = r#"(
        settings: (entities_max: 2),
        entities: {
            "clock": {"mind": Script(text: "fn on_tick(seconds) { print(\"tick\"); }")},
            "chute": {"spout": Spawner(resource: "clock", interval: 0.1)},
        },
        place: [One(name: "clock", entity: "clock"), One(name: "chute", entity: "chute")],
    )"#;
    let scene = Scene::parse("clock.ron", text).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    (0..9).for_each(|_| world.step());
    let frame = world.frame();
    let counts = |world: &World| (world.printed().len(), world.faults().len());
    let early = counts(&world);
    assert!(early.0 > 0 && early.1 > 0, "{early:?}");
    world.clear_printed();
    (0..20).for_each(|_| world.step());
    let (printed, faults) = (world.printed().to_vec(), world.faults().to_vec());
    assert!(printed.len() > early.0 && faults.len() > early.1);
    world.restore_frame(&frame);
    assert_eq!(world.printed(), printed);
    assert_eq!(world.faults(), faults);
    // Another world's frame brings neither.
    let mut other = World::from_scene(&scene).unwrap();
    other.restore_frame(&frame);
    assert_eq!(counts(&other), (0, 0));
    assert_eq!(other.state_hash(), world.state_hash());
}
