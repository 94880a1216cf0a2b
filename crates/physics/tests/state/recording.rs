//! Recordings: every call is in them, and a player that makes the calls again, with other workers and lanes and from any key frame,
//! has the same world to the byte.
//!
//! `TOMBOLO_TEST_SCALE` multiplies the number of steps, `TOMBOLO_FUZZ_SEED` sets the first seed.

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::scale::scaled;
use crate::world_support::{DT, SeedOnPanic, first_seed};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Call, ChainDef, CombineRule, ConcavePolygon, ContactRule, DVec2, Debris,
    DistanceDef, ExplosionDef, FieldDef, FieldKind, Filter, FilterDef, HeightfieldDef, IslandAlgorithm,
    JointLimit, JointMotor, JointSpring, JointStiffness, JointThresholds, LaneWidth, MassProperties,
    PhysicsWorld, Pose, Position, QueryFilter, RecordOptions, Recording, RecordingError, RevoluteDef, Rewind,
    RewindLimits, RigidWeldDef, Shape, ShapeDef, Shatter, Tile, TileBlock, TileCut, TileGridDef, TileShape,
    Vec2, WorldDef,
};
use tombolo_threads::{Inline, Pool};

/// Steps of all worlds together, at a scale of one.
const STEPS_USUALLY: usize = 1_000;

/// Steps of one world.
const STEPS_PER_WORLD: usize = 200;

fn ball(world: &mut PhysicsWorld, x: f32, y: f32) -> BodyId {
    let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
    let shape = Shape::circle(Vec2::new(0.1, 0.2), 0.5).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

fn steps(world: &mut PhysicsWorld, count: usize) {
    (0..count).for_each(|_| world.step(DT).unwrap());
}

/// Settings, bodies, shapes, cuts: each call once, with arguments that are told apart.
fn call_everything_of_worlds(world: &mut PhysicsWorld) {
    world.set_gravity(Vec2::new(0.5, -9.0)).unwrap();
    world.set_substeps(3).unwrap();
    world.set_thresholds(0.5, 0.75).unwrap();
    world.set_contact_softness(25.0, 8.0, 2.0).unwrap();
    world.set_speed_max(90.0).unwrap();
    world.set_continuous(false);
    world.set_sleeping_enabled(false);
    world.set_sleeping_enabled(true);
    let area_max = 0.01;
    world
        .set_debris(Debris {
            area_max,
            ..Debris::default()
        })
        .unwrap();
    world.set_island_algorithm(IslandAlgorithm::UnionFind);
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let points = [(20.0, 0.0), (0.0, -0.5), (-20.0, 0.0)].map(Vec2::from).to_vec();
    let chain = ChainDef {
        points,
        ..ChainDef::default()
    };
    let segments = world.create_chain(ground, &chain).unwrap();
    let hills = HeightfieldDef {
        origin: Vec2::new(-90.0, 0.0),
        heights: vec![0.0, 0.5, 0.25, 0.25],
        before: Some(0.125),
        grounds: vec![ShapeDef::default(), ShapeDef::default()],
        segments: vec![2, 0, 1],
        ..HeightfieldDef::default()
    };
    world.create_heightfield(ground, &hills).unwrap();
    let below = Shape::half_space(Vec2::new(0.0, -50.0), Vec2::new(0.25, 1.0)).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &below).unwrap();
    let wedge = [
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    ]
    .map(DVec2::from);
    let wedge = ConcavePolygon::new(&wedge).unwrap();
    let whole = world.create_body(&BodyDef::dynamic(-9.0, 4.0)).unwrap();
    world
        .create_concave_polygon(whole, &ShapeDef::default(), &wedge)
        .unwrap();
    let gone = world
        .create_concave_polygon(ground, &ShapeDef::default(), &wedge)
        .unwrap();
    world.destroy_concave_polygon(gone).unwrap();
    let tiles = TileGridDef {
        origin: Vec2::new(-20.0, -4.0),
        width: 40,
        height: 3,
        tiles: vec![Tile::default(), Tile::new(TileShape::SlopeUp)],
        cells: (0..120).map(|cell| u8::from(cell % 7 != 0)).collect(),
        ..TileGridDef::default()
    };
    let grid = world.create_tile_grid(ground, &tiles).unwrap();
    world.set_tile(grid, 3, 2, 2).unwrap();
    let block = TileBlock {
        width: 3,
        ..TileBlock::cell(20, 1)
    };
    world.fill_tiles(grid, block, 0).unwrap();
    world.set_tiles(grid, block, &[1, 0, 2]).unwrap();
    let cut = TileCut {
        radius: 0.75,
        mask: u64::MAX - 6,
        ..TileCut::between(Position::new(-9.0, -1.0), Position::new(-7.0, 0.5))
    };
    world.cut_tiles(&cut).unwrap();
    let without_tiles = world.create_tile_grid(whole, &TileGridDef::default()).unwrap();
    world.destroy_tile_grid(without_tiles).unwrap();
    let field = FieldDef::new(FieldKind::Gravity {
        acceleration: Vec2::new(0.25, 0.5),
    });
    let field = world.create_field(&field).unwrap();
    let old = world
        .create_field(&FieldDef::new(FieldKind::Gravity {
            acceleration: Vec2::X,
        }))
        .unwrap();
    world.destroy_field(old).unwrap();
    world.set_field_pose(field, Position::new(1.0, 2.0), 0.5).unwrap();
    steps(world, 5);
    world
        .slice(whole, Position::new(-8.0, 0.0), Position::new(-8.2, 1.0))
        .unwrap();
    let [first, second] = [ball(world, 3.0, 2.0), ball(world, 6.0, 2.0)];
    world
        .shatter(first, &Shatter::Seeded { seed: 5, count: 4 })
        .unwrap();
    let places = [(6.0, 2.0), (6.5, 2.5)].map(|(x, y)| Position::new(x, y));
    world.shatter(second, &Shatter::Sites(places.to_vec())).unwrap();
    let far = Position::new(9.0, 5.0);
    world
        .cut_through(Position::new(-9.0, 1.5), far, QueryFilter::default())
        .unwrap();
    let blast = ExplosionDef {
        radius: 4.0,
        impulse_per_length: 3.0,
        tile_radius: 1.5,
        ..ExplosionDef::at(Position::new(3.0, 0.0))
    };
    world.explode(&blast).unwrap();
    let shape = segments[0];
    let mut shape = world.shape_mut(shape).unwrap();
    shape.set_filter(Filter {
        category: 3,
        mask: 0xff,
        group: -2,
    });
    shape.set_force_threshold(4.5).unwrap();
    shape.set_sees(true, false);
    shape.set_user_key(77);
    shape.set_material(0.3, 0.2).unwrap();
    shape.set_surface(0.125, -0.5).unwrap();
    shape.set_contact_skin(0.03).unwrap();
    world.destroy_shape(segments[1]).unwrap();
    steps(world, 5);
}

/// Each call about rules for contacts, and each that changes a shape in place.
fn call_everything_of_contacts(world: &mut PhysicsWorld) {
    let [upper, lower] = [4.0, 2.9].map(|y| ball(world, 15.0, y));
    let [a, b] = [upper, lower].map(|body| world.body(body).unwrap().shapes().next().unwrap().id());
    let mut shape = world.shape_mut(a).unwrap();
    shape.set_events(true, true);
    shape.set_density(2.5).unwrap();
    let square = Shape::new_box(0.375, 0.5).unwrap();
    shape.set_geometry(&square).unwrap();
    shape.set_combine_rules(CombineRule::Min, CombineRule::Product);
    shape.set_material_number(12).unwrap();
    world.shape_mut(b).unwrap().set_material_number(13).unwrap();
    let rule = ContactRule {
        friction: Some(0.125),
        surface_speed: Some(-0.75),
        one_way: Some(Vec2::new(0.5, 1.0)),
        ..ContactRule::default()
    };
    world.set_contact_rule(12, 13, rule).unwrap();
    let left = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    world.set_contact_rule(12, 14, left).unwrap();
    steps(world, 5);
    world.body_mut(upper).unwrap().drop_through();
    steps(world, 5);
    assert_eq!(world.remove_contact_rule(12, 14), Some(left));
    world.set_category_rule(1, 1 << 7, left).unwrap();
    steps(world, 2);
    assert_eq!(world.remove_category_rule(1 << 7, 1), Some(left));
    // Those that are set are no recording's: see `callbacks.rs`.
    world.remove_custom_filter();
    world.remove_pre_solve();
    world.set_pair_ignored(a, b, true).unwrap();
    world.shape_mut(b).unwrap().set_sensor(true);
    steps(world, 5);
}

/// Each call of a body once.
fn call_everything_of_bodies(world: &mut PhysicsWorld) {
    let bodies: Vec<BodyId> = (0..4).map(|i| ball(world, i as f32 * 2.0, 3.0)).collect();
    let mut body = world.body_mut(bodies[0]).unwrap();
    body.set_linear_velocity(Vec2::new(1.0, 2.0)).unwrap();
    body.set_angular_velocity(0.75).unwrap();
    body.apply_force(Vec2::new(3.0, 4.0)).unwrap();
    body.apply_force_at(Vec2::new(5.0, 6.0), Position::new(0.5, 3.5))
        .unwrap();
    body.apply_torque(0.5).unwrap();
    body.apply_impulse(Vec2::new(0.1, 0.2)).unwrap();
    body.apply_impulse_at(Vec2::new(0.3, 0.4), Position::new(0.25, 3.25))
        .unwrap();
    body.apply_angular_impulse(0.0625).unwrap();
    body.apply_local_force(Vec2::X).unwrap();
    body.apply_local_impulse_at(Vec2::Y, Vec2::X).unwrap();
    body.set_lasting_force(Vec2::new(0.5, 0.25)).unwrap();
    body.set_lasting_torque(0.03).unwrap();
    body.set_damping(0.1, 0.2).unwrap();
    body.set_gravity_scale(0.9).unwrap();
    body.set_bullet(true);
    body.set_user_key(u64::MAX);
    body.set_name("Œuvre 1").unwrap();
    body.set_name("of far more bytes than a name may have")
        .unwrap_err();
    body.set_sleep_threshold(0.07).unwrap();
    body.set_may_sleep(false);
    let mut body = world.body_mut(bodies[1]).unwrap();
    body.set_fast_rotation(true);
    body.set_fixed_rotation(true);
    body.set_fixed_axes(true, false);
    let own = MassProperties {
        mass: 3.0,
        inertia: 0.7,
        center: Vec2::new(0.1, 0.0),
    };
    body.set_own_mass(own).unwrap();
    body.set_added_mass(1.5).unwrap();
    body.set_dominance(-3).unwrap();
    body.set_extra_substeps(2).unwrap();
    body.set_speed_limits(30.0, 4.0).unwrap();
    body.set_contact_recycling(false);
    body.teleport(Pose::new(Vec2::new(5.0, 5.0), 0.3)).unwrap();
    body.set_pose(Pose::new(Vec2::new(5.1, 5.0), 0.3)).unwrap();
    let mut body = world.body_mut(bodies[2]).unwrap();
    body.set_kind(BodyKind::Kinematic).unwrap();
    body.set_target(Position::new(4.5, 3.5), 0.1, DT).unwrap();
    steps(world, 30);
    let mut body = world.body_mut(bodies[3]).unwrap();
    body.sleep();
    body.wake();
    body.wake_touching();
    body.set_enabled(false);
    world.destroy_body(bodies[3]).unwrap();
}

/// Each call of a joint once.
fn call_everything_of_joints(world: &mut PhysicsWorld) {
    let [a, b, c] = [0.0, 2.0, 4.0].map(|x| ball(world, x, 8.0));
    let joint = world
        .create_joint(RevoluteDef::new(a, Vec2::X, b, -Vec2::X))
        .unwrap();
    let rod = world
        .create_joint(DistanceDef::new(b, Vec2::ZERO, c, Vec2::ZERO))
        .unwrap();
    let filter = world.create_joint(FilterDef::new(a, c)).unwrap();
    world.destroy_joint(filter).unwrap();
    let mut revolute = RevoluteDef::new(a, Vec2::X, b, -Vec2::X);
    revolute.count_turns = true;
    let mut joint = world.joint_mut(joint).unwrap();
    joint.set_def(revolute).unwrap();
    joint
        .set_motor(Some(JointMotor {
            speed: 1.5,
            max: 20.0,
        }))
        .unwrap();
    joint
        .set_limit(Some(JointLimit {
            lower: -0.5,
            upper: 9.0,
        }))
        .unwrap();
    joint.set_turns(1).unwrap();
    joint
        .set_spring(Some(JointSpring {
            target: 0.25,
            hertz: 3.0,
            damping_ratio: 0.5,
        }))
        .unwrap();
    joint
        .set_stiffness(JointStiffness {
            hertz: 40.0,
            damping_ratio: 1.0,
        })
        .unwrap();
    joint
        .set_anchors(Vec2::new(1.0, 0.1), Vec2::new(-1.0, 0.2))
        .unwrap();
    joint.set_angles(0.1, -0.1).unwrap();
    joint
        .set_thresholds(JointThresholds {
            force: 500.0,
            torque: 400.0,
            breaks: true,
        })
        .unwrap();
    joint.set_collide_connected(true).unwrap();
    world.joint_mut(rod).unwrap().set_user_key(8);
    steps(world, 5);
}

/// Each call of composites once.
fn call_everything_of_composites(world: &mut PhysicsWorld) {
    let members = [12.0, 13.0, 14.0].map(|x| {
        let body = ball(world, x, 8.0);
        world.create_member(body, x as u64).unwrap()
    });
    let point = Position::new(12.6, 8.2);
    let welds = [1, 2].map(|i| {
        let def = RigidWeldDef {
            force_threshold: 1.0e6,
            user_key: 9,
            ..RigidWeldDef::new(members[i - 1], members[i], point)
        };
        world.create_rigid_weld(&def).unwrap()
    });
    steps(world, 2);
    world
        .set_rigid_weld_thresholds(welds[0], 5.0e5, 4.0e5, true)
        .unwrap();
    world.set_rigid_weld_user_key(welds[0], 10).unwrap();
    world.set_member_user_key(members[0], 11).unwrap();
    let body = world.member(members[0]).unwrap().body().id();
    let small = Shape::circle(Vec2::new(0.0, 0.2), 0.1).unwrap();
    let added = world.create_shape(body, &ShapeDef::default(), &small).unwrap();
    world.set_shape_member(added, members[1]).unwrap();
    world.destroy_rigid_weld(welds[1]).unwrap();
    steps(world, 2);
    world.destroy_member(members[1]).unwrap();
    steps(world, 2);
}

/// Going back in time, and a save that is restored.
fn go_back(world: &mut PhysicsWorld) {
    let frame = world.frame();
    steps(world, 3);
    let save = world.save();
    ball(world, 8.0, 8.0);
    world.restore(&save).unwrap();
    steps(world, 2);
    world.restore_frame(&frame);
    steps(world, 20);
}

fn everything_called(options: RecordOptions) -> (PhysicsWorld, Vec<u8>) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    world.start_recording(options);
    call_everything_of_worlds(&mut world);
    call_everything_of_bodies(&mut world);
    call_everything_of_joints(&mut world);
    call_everything_of_contacts(&mut world);
    call_everything_of_composites(&mut world);
    go_back(&mut world);
    let file = world.end_recording();
    (world, file)
}

#[test]
fn every_call_is_recorded_and_plays_the_same() {
    let (world, file) = everything_called(RecordOptions {
        hash_steps: 1,
        ..RecordOptions::default()
    });
    let recording = Recording::open(file).unwrap();
    assert!(recording.is_whole());
    let mut player = recording.player().unwrap();
    let pool = Pool::with_thread_for_each(8).unwrap();
    player.world_mut().set_lanes(LaneWidth::One).unwrap();
    let mut names = BTreeSet::new();
    while let Some(call) = player.next_call().unwrap() {
        names.insert(call.name());
        player.play(call, &pool).unwrap();
        assert_eq!(player.first_difference(), None, "{names:?}");
    }
    assert!(player.world().save() == world.save());
    assert_eq!(player.steps(), recording.steps());
    let all: BTreeSet<&str> = Call::NAMES.iter().copied().collect();
    assert_eq!(names, all, "a call that this test does not make");
}

/// A recording of random calls, its hash after each step, and the world at the end.
fn random_recording(seed: u64, steps: usize) -> (Vec<u8>, Vec<u64>, PhysicsWorld) {
    let mut calls = RandomWorlds::new(seed, 1);
    let mut rewind = Rewind::new(RewindLimits {
        frames_max: 9,
        ..RewindLimits::default()
    });
    let key_frame_steps = calls.random.below(3) as u64 * 30;
    let options = RecordOptions {
        key_frame_steps,
        hash_steps: 1,
    };
    calls.worlds[0].start_recording(options);
    let (mut file, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        calls.calls();
        calls.call_about_a_joint();
        calls.call_about_cutting();
        let world = &mut calls.worlds[0];
        match calls.random.below(12) {
            0 => drop(rewind.save(world)),
            1 => {
                let ids: Vec<_> = rewind.ids().collect();
                if let Some(id) = calls.random.pick(&ids) {
                    rewind.restore(world, id).unwrap();
                }
            }
            2 => file.extend(world.take_recording()),
            _ => {}
        }
        world.step(DT).unwrap();
        hashes.push(world.state_hash());
    }
    file.extend(calls.worlds[0].end_recording());
    (file, hashes, calls.worlds.remove(0))
}

#[test]
fn random_calls_play_the_same_with_other_workers_and_lanes_from_any_step() {
    let steps = scaled(STEPS_USUALLY);
    let first_seed = first_seed(1);
    let pool = Pool::with_thread_for_each(8).unwrap();
    for seed in first_seed..first_seed + steps.div_ceil(STEPS_PER_WORLD) as u64 {
        let _names_the_seed = SeedOnPanic(seed);
        let (file, hashes, world) = random_recording(seed, STEPS_PER_WORLD);
        let recording = Recording::open(file).unwrap();
        assert_eq!(recording.steps(), hashes.len() as u64);
        let mut player = recording.player().unwrap();
        player.world_mut().set_lanes(LaneWidth::One).unwrap();
        for hash in &hashes {
            assert!(player.play_step(&pool).unwrap());
            assert_eq!(player.world().state_hash(), *hash, "step {}", player.steps());
        }
        assert!(!player.play_step(&pool).unwrap());
        assert_eq!(player.first_difference(), None);
        assert!(player.world().save() == world.save());
        for step in [1, 29, 30, 31, STEPS_PER_WORLD as u64] {
            let player = recording.player_at(step, &Inline).unwrap();
            assert_eq!(
                player.world().state_hash(),
                hashes[step as usize - 1],
                "from step {step}"
            );
        }
        let beyond = recording.player_at(STEPS_PER_WORLD as u64 + 1, &Inline);
        assert!(matches!(beyond, Err(RecordingError::NoStep { .. })));
    }
}

#[test]
fn a_recording_that_is_cut_off_anywhere_plays_up_to_its_last_whole_block() {
    let (file, hashes, _) = random_recording(3, 60);
    let whole = Recording::open(file.clone()).unwrap();
    assert!(whole.is_whole());
    let mut seen = BTreeSet::new();
    for length in (0..file.len()).step_by(1 + file.len() / 300) {
        let recording = match Recording::open(file[..length].to_vec()) {
            Ok(recording) => recording,
            Err(error) => {
                let is_told = matches!(error, RecordingError::NotARecording | RecordingError::NoStart);
                assert!(is_told && seen.is_empty(), "{length}: {error}");
                continue;
            }
        };
        assert!(!recording.is_whole());
        if seen.insert(recording.steps()) {
            let mut player = recording.player().unwrap();
            while player.play_step(&Inline).unwrap() {}
            let last = recording.steps().checked_sub(1).map(|last| hashes[last as usize]);
            assert!(last.is_none_or(|_| player.first_difference().is_none()));
        }
        // One bit that is another cuts it off there.
        let mut broken = file.clone();
        broken[length] ^= 0x10;
        if let Ok(recording) = Recording::open(broken) {
            assert!(!recording.is_whole());
        }
    }
    assert!(seen.len() > 3, "{seen:?}");
}

#[test]
fn a_player_says_between_which_steps_results_began_to_differ_and_plays_on() {
    let (world, file) = everything_called(RecordOptions {
        hash_steps: 5,
        ..RecordOptions::default()
    });
    let recording = Recording::open(file).unwrap();
    let mut player = recording.player_at(23, &Inline).unwrap();
    // As a build that computes something else would have it.
    player.world_mut().set_gravity(Vec2::new(0.0, -9.5)).unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.first_difference(), Some([20, 25]));
    assert_eq!(player.steps(), recording.steps());
    assert_ne!(player.world().state_hash(), world.state_hash());
}

#[test]
fn a_world_that_is_new_begins_without_a_save_and_others_with_one() {
    let def = WorldDef {
        gravity: Vec2::new(3.0, 1.0),
        islands: IslandAlgorithm::UnionFind,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    world.start_recording(RecordOptions::default());
    let recording = Recording::open(world.take_recording()).unwrap();
    assert!(recording.player().unwrap().world().save() == world.save());
    let start = world.clone().end_recording();
    assert!(
        start.is_empty() && world.is_recording(),
        "a clone is not recorded"
    );
    ball(&mut world, 0.0, 0.0);
    world.start_recording(RecordOptions::default());
    let recording = Recording::open(world.end_recording()).unwrap();
    assert!(recording.player().unwrap().world().save() == world.save() && !world.is_recording());
}

#[test]
fn a_push_in_each_step_costs_few_bytes() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let bodies: Vec<BodyId> = (0..50).map(|i| ball(&mut world, 2.0 * i as f32, 0.0)).collect();
    world.start_recording(RecordOptions::default());
    let start = world.take_recording().len();
    let mut random = crate::world_support::Random(1);
    for _ in 0..400 {
        for body in [3, 20] {
            let force = Vec2::new(random.between(-20.0, 20.0), 0.0);
            world.body_mut(bodies[body]).unwrap().apply_force(force).unwrap();
        }
        world.step(DT).unwrap();
    }
    let bytes = world.end_recording().len();
    assert!(
        bytes < 1200 * 8,
        "{bytes} bytes of 1,200 calls, after {start} at the start"
    );
}

/// Recordings that earlier builds made. They begin with a new world and hold no save, so that every later build plays them; how far
/// its results are those of the build that recorded stands in `expected.txt`. `TOMBOLO_BLESS=1` writes that anew, and a recording of
/// this version if there is none.
#[test]
fn recordings_of_earlier_builds_play_to_their_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let bless = std::env::var_os("TOMBOLO_BLESS").is_some();
    let own = folder.join(concat!(env!("CARGO_PKG_VERSION"), ".rec"));
    if bless && !own.exists() {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        world.start_recording(RecordOptions {
            hash_steps: 10,
            ..RecordOptions::default()
        });
        call_everything_of_worlds(&mut world);
        call_everything_of_bodies(&mut world);
        call_everything_of_joints(&mut world);
        call_everything_of_contacts(&mut world);
        steps(&mut world, 60);
        fs::create_dir_all(&folder).unwrap();
        fs::write(&own, world.end_recording()).unwrap();
    }
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rec"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut outcomes = String::new();
    for path in paths {
        let recording = Recording::open(fs::read(&path).unwrap()).unwrap();
        assert!(recording.is_whole());
        let mut player = recording.player().unwrap();
        while player.play_step(&Inline).unwrap() {}
        assert_eq!(player.steps(), recording.steps(), "it plays on, whatever differs");
        let name = path.file_name().unwrap().to_string_lossy();
        outcomes += &match player.first_difference() {
            None => format!("{name}: {} steps as recorded\n", recording.steps()),
            Some([agreed, differs]) => {
                format!("{name}: as recorded after step {agreed}, not after step {differs}\n")
            }
        };
    }
    let expected = folder.join("expected.txt");
    if bless {
        fs::write(&expected, &outcomes).unwrap();
    }
    assert_eq!(
        outcomes,
        fs::read_to_string(&expected).unwrap(),
        "if results changed on purpose, TOMBOLO_BLESS=1 writes {}",
        expected.display()
    );
}

#[test]
fn the_difference_of_two_worlds_is_named() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let bodies: Vec<BodyId> = (0..9).map(|i| ball(&mut world, 2.0 * i as f32, 5.0)).collect();
    steps(&mut world, 10);
    let mut other = world.clone();
    assert_eq!(world.first_difference(&other), None);
    other
        .body_mut(bodies[4])
        .unwrap()
        .set_angular_velocity(0.5)
        .unwrap();
    let difference = world.first_difference(&other).unwrap();
    assert_eq!(
        (difference.group, difference.element),
        ("body_states", bodies[4].index() as usize)
    );
    let property = difference.property.clone().unwrap();
    assert_eq!(property.body, Some((bodies[4], 0)));
    assert_eq!(
        (property.name, property.values),
        ("angular_velocity", ["0.0", "0.5"].map(String::from))
    );
    assert!(
        difference
            .to_string()
            .contains("angular_velocity is 0.0, and 0.5"),
        "{difference}"
    );
    let mut other = world.clone();
    other.destroy_body(bodies[8]).unwrap();
    let property = world.first_difference(&other).unwrap().property.unwrap();
    assert_eq!(
        (property.name, property.body),
        ("existence", Some((bodies[8], 0)))
    );
    let mut other = world.clone();
    other.set_gravity(Vec2::X).unwrap();
    let property = world.first_difference(&other).unwrap().property.unwrap();
    assert_eq!((property.name, property.owner.as_str()), ("settings", "world"));
}
