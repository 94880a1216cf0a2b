//! Frames, forks and recordings where they are most easily wrong: a step that panics, frames that the ring has dropped,
//! tiles that are edited and bodies that come and go by hundreds between two frames.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, BodyId, FrameId, PhysicsWorld, RecordOptions, Recording, Rewind, RewindLimits, Shape, ShapeDef,
    Tile, TileBlock, TileGridDef, TileGridId, Vec2, WorldDef,
};
use tombolo_threads::{Inline, Pool};

/// Boxes that fall on a floor and on each other.
fn falling_boxes(world: &mut PhysicsWorld) {
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let shape = Shape::new_box(60.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &shape).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    for index in 0..30 {
        let at = BodyDef::dynamic(1.7 * (index % 10) as f32 - 8.0, 1.0 + 1.3 * (index / 10) as f32);
        let body = world.create_body(&at).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
    }
}

/// Sets a callback that panics while the switch that is returned is on.
fn set_panicking_callback(world: &mut PhysicsWorld) -> Arc<AtomicBool> {
    let is_armed = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&is_armed);
    world.set_pre_solve(u64::MAX, move |pair| {
        assert!(!armed.load(Ordering::Relaxed), "a callback's own panic");
        pair.touch.expect("a pre-solve callback is told of it").usual
    });
    is_armed
}

/// Makes a step that the callback ends by its panic.
fn break_a_step(world: &mut PhysicsWorld, is_armed: &AtomicBool, pool: &Pool) {
    is_armed.store(true, Ordering::Relaxed);
    let stepped = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, pool)));
    assert!(stepped.is_err(), "nobody was asked");
    is_armed.store(false, Ordering::Relaxed);
}

/// Frames before, after and between steps that panic, against a world in which none does.
#[test]
fn a_world_whose_step_panics_goes_back_and_takes_frames_as_any_other() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let is_armed = set_panicking_callback(&mut world);
    falling_boxes(&mut world);
    let mut twin = world.clone();
    let pools = [Pool::new(1).unwrap(), Pool::new(3).unwrap()];
    let mut rewind = Rewind::new(RewindLimits::default());
    let mut saved = Vec::new();
    (0..30).for_each(|_| world.step(DT).unwrap());
    (0..30).for_each(|_| twin.step(DT).unwrap());
    for round in 0..24 {
        saved.push((rewind.save(&mut world), twin.save()));
        break_a_step(&mut world, &is_armed, &pools[round % 2]);
        match round % 3 {
            // A frame of what the panic has left, which then goes on.
            0 => {
                let broken = world.frame();
                world.step(DT).unwrap();
                world.restore_frame(&broken);
                assert!(PhysicsWorld::from_frame(&broken).save() == world.save());
            }
            1 => rewind.restore(&mut world, saved[round].0).unwrap(),
            _ => {}
        }
        world.step(DT).unwrap();
        twin.step(DT).unwrap();
        assert_eq!(world.state_hash(), twin.state_hash(), "round {round}");
    }
    let (id, save) = &saved[3];
    rewind.restore(&mut world, *id).unwrap();
    assert!(world.save() == *save);
}

/// What was written before and after the panic is one recording, in which the step is one like any other.
#[test]
fn a_recording_goes_on_over_a_step_that_panics() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    world.start_recording(RecordOptions::default());
    let is_armed = set_panicking_callback(&mut world);
    falling_boxes(&mut world);
    (0..40).for_each(|_| world.step(DT).unwrap());
    let pool = Pool::new(2).unwrap();
    break_a_step(&mut world, &is_armed, &pool);
    let mut file = world.take_recording();
    // It ends here, as after a crash: the call that panicked is its last one.
    let crashed = Recording::open(file.clone()).unwrap();
    assert!(crashed.steps() == 41 && !crashed.is_whole());
    (0..20).for_each(|_| world.step(DT).unwrap());
    file.extend(world.end_recording());

    let recording = Recording::open(file).unwrap();
    assert!(recording.steps() == 61 && recording.is_whole());
    assert!(
        recording.player().unwrap().play_step(&Inline).is_err(),
        "without the callback it does not play"
    );
    let mut fresh = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let plays_as_well = set_panicking_callback(&mut fresh);
    let mut player = recording.player_in(fresh).unwrap();
    while player.steps() < 40 {
        player.play_step(&Inline).unwrap();
    }
    plays_as_well.store(true, Ordering::Relaxed);
    let played = catch_unwind(AssertUnwindSafe(|| player.play_step(&pool)));
    assert!(played.is_err(), "it panics in the step in which it did");
    plays_as_well.store(false, Ordering::Relaxed);
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.first_difference(), None);
    assert_eq!(player.world().state_hash(), world.state_hash());
}

/// Frames are of their own memory: neither the ring, nor the world, nor the fork that it came from need be there.
#[test]
fn a_fork_of_a_fork_outlives_the_frames_and_worlds_that_it_came_from() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    falling_boxes(&mut world);
    let mut rewind = Rewind::new(RewindLimits {
        frames_max: 2,
        ..RewindLimits::default()
    });
    (0..20).for_each(|_| world.step(DT).unwrap());
    let start = rewind.save(&mut world);
    let mut plain = PhysicsWorld::from_save(&world.save()).unwrap();
    let mut fork = PhysicsWorld::from_frame(rewind.frame(start).unwrap());
    (0..10).for_each(|_| fork.step(DT).unwrap());
    let of_fork = fork.frame();
    for _ in 0..5 {
        world.step(DT).unwrap();
        rewind.save(&mut world);
    }
    assert!(rewind.frame(start).is_err(), "it made room for newer ones");
    drop((fork, rewind));
    let mut second = PhysicsWorld::from_frame(&of_fork);
    // The first world, too, can take the frame of its fork.
    world.restore_frame(&of_fork);
    drop(of_fork);
    (0..10).for_each(|_| plain.step(DT).unwrap());
    for step in 0..30 {
        assert!(
            second.save() == plain.save() && world.save() == plain.save(),
            "step {step}"
        );
        [&mut plain, &mut second, &mut world]
            .into_iter()
            .for_each(|world| world.step(DT).unwrap());
    }
}

/// Two worlds under the same edits, of which the first goes back by frames and the second by full saves.
struct Edited {
    random: Random,
    worlds: [PhysicsWorld; 2],
    grid: TileGridId,
    bodies: Vec<BodyId>,
    rewind: Rewind<PhysicsWorld>,
    saves: Vec<(FrameId, Vec<u8>, Vec<BodyId>)>,
}

const SIDE: u32 = 48;

impl Edited {
    fn new() -> Self {
        let mut worlds = [0, 1].map(|_| PhysicsWorld::new(&WorldDef::default()).unwrap());
        let grids = worlds.each_mut().map(|world| {
            let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
            let def = TileGridDef {
                width: SIDE,
                height: SIDE,
                tiles: vec![Tile::default()],
                cells: vec![1; (SIDE * SIDE) as usize],
                ..TileGridDef::default()
            };
            world.create_tile_grid(ground, &def).unwrap()
        });
        assert_eq!(grids[0], grids[1]);
        Self {
            random: Random(11),
            worlds,
            grid: grids[0],
            bodies: Vec::new(),
            rewind: Rewind::new(RewindLimits {
                frames_max: 6,
                ..RewindLimits::default()
            }),
            saves: Vec::new(),
        }
    }

    /// A block of the ground is filled at random.
    fn edit_tiles(&mut self) {
        let [x, y] = [0, 1].map(|_| self.random.below(SIDE as usize - 8) as u32);
        let [width, height] = [0, 1].map(|_| 1 + self.random.below(8) as u32);
        let cells = (0..width * height).map(|_| self.random.below(2) as u8);
        let cells: Vec<u8> = cells.collect();
        let block = TileBlock { x, y, width, height };
        for world in &mut self.worlds {
            world.set_tiles(self.grid, block, &cells).unwrap();
        }
    }

    /// Hundreds of bodies come, and most of all go.
    fn come_and_go(&mut self) {
        let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
        for _ in 0..self.random.below(500) {
            let side = SIDE as f32;
            let place = Vec2::new(
                self.random.between(0.0, side),
                self.random.between(side, 2.0 * side),
            );
            let made = self.worlds.each_mut().map(|world| {
                let body = world.create_body(&BodyDef::dynamic(place.x, place.y)).unwrap();
                world.create_shape(body, &ShapeDef::default(), &ball).unwrap();
                body
            });
            assert_eq!(made[0], made[1], "the next ids are the same");
            self.bodies.push(made[0]);
        }
        while self.bodies.len() > 40 {
            let gone = self.bodies.swap_remove(self.random.below(self.bodies.len()));
            for world in &mut self.worlds {
                world.destroy_body(gone).unwrap();
            }
        }
    }

    fn save_or_restore(&mut self) {
        let [rewound, restored] = &mut self.worlds;
        if !self.saves.is_empty() && self.random.chance(3) {
            let place = self.random.below(self.saves.len());
            let (id, bytes, bodies) = &self.saves[place];
            self.rewind.restore(rewound, *id).unwrap();
            restored.restore(bytes).unwrap();
            self.bodies.clone_from(bodies);
            self.saves.truncate(place + 1);
        } else {
            let id = self.rewind.save(rewound);
            self.saves.push((id, restored.save(), self.bodies.clone()));
            let excess = self.saves.len().saturating_sub(6);
            self.saves.drain(..excess);
        }
    }
}

#[test]
fn tiles_that_are_edited_and_bodies_that_come_and_go_go_back() {
    let mut edited = Edited::new();
    for round in 0..60 {
        match round % 3 {
            0 => edited.come_and_go(),
            1 => edited.edit_tiles(),
            _ => {}
        }
        edited.worlds.iter_mut().for_each(|world| world.step(DT).unwrap());
        edited.save_or_restore();
        let [rewound, restored] = &edited.worlds;
        assert!(rewound.save() == restored.save(), "round {round}");
        assert_eq!(rewound.state_hash(), restored.state_hash(), "round {round}");
    }
}
