//! A character that does as it likes in random worlds of things that move: it is never inside what is static, never faster than it
//! may be, and gets out of where it is by jumping and walking. Seeds are in the messages.

use crate::character_support::{DT, HALF, Stage};
use crate::world_support::scale::scaled;
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, CHARACTER_GAP_M, CharacterInput, CharacterScratch, Motion, Pose, QueryFilter,
    Shape, ShapeDef, Vec2,
};
use tombolo_threads::Stopwatch;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn range(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.next()
    }
}

/// A closed room 40 m wide with blocks, slopes and tiles in it, kinematic bars that turn and lifts, and crates.
fn room(random: &mut Random) -> (Stage, Vec<BodyId>) {
    let mut stage = Stage::new(0.0, 12.0);
    stage.block(-22.0, -2.0, 22.0, 0.0);
    stage.block(-22.0, 18.0, 22.0, 20.0);
    stage.block(-22.0, 0.0, -20.0, 18.0);
    stage.block(20.0, 0.0, 22.0, 18.0);
    for _ in 0..8 {
        let (x, y) = (random.range(-18.0, 18.0), random.range(0.0, 9.0));
        let shape = Shape::new_box(random.range(0.5, 4.0), random.range(0.2, 2.0)).unwrap();
        let angle = if random.next() < 0.5 {
            0.0
        } else {
            random.range(-1.5, 1.5)
        };
        stage.body(BodyKind::Static, x, y, angle, &shape);
    }
    for tile in 0..8 {
        let x = -18.0 + tile as f32;
        stage.block(
            x,
            0.0,
            x + 1.0,
            if tile < 4 { 0.3 * tile as f32 + 0.1 } else { 1.0 },
        );
    }
    let mut moving = Vec::new();
    for _ in 0..4 {
        let (x, y) = (random.range(-15.0, 15.0), random.range(2.0, 12.0));
        let shape = Shape::new_box(random.range(1.0, 5.0), 0.4).unwrap();
        let body = stage.body(BodyKind::Kinematic, x, y, 0.0, &shape);
        let mut view = stage.world.body_mut(body).unwrap();
        view.set_angular_velocity(random.range(-1.0, 1.0)).unwrap();
        moving.push(body);
    }
    for _ in 0..6 {
        let place = BodyDef::dynamic(random.range(-18.0, 18.0), random.range(1.0, 15.0));
        let body = stage.world.create_body(&place).unwrap();
        let def = ShapeDef {
            density: random.range(5.0, 60.0),
            ..ShapeDef::default()
        };
        let shape = Shape::new_box(random.range(0.4, 1.2), random.range(0.4, 1.2)).unwrap();
        stage.world.create_shape(body, &def, &shape).unwrap();
    }
    (stage, moving)
}

/// How deep the character is in static shapes, in meters.
fn in_static(stage: &Stage) -> f32 {
    stage.overlap_with(|body| stage.world.body(body).unwrap().kind() == BodyKind::Static)
}

/// The greatest speed of the character's own motion.
const SPEED_MAX: f32 = 20.0;

/// The greatest distance of a step after a step of the world: own motion, that of what carries or pushes it (bars turn at 1 rad/s
/// and move at 2 m/s along each axis; crates near by push out of a wedge at four times their speed), and a push out of static
/// shapes; or a step that is climbed while it is carried.
fn move_max(stage: &Stage) -> f32 {
    let bars: f32 = 5.4;
    let fastest = stage.world.bodies().fold(bars, |fastest, body| {
        let is_near = body.position().to_vec2().distance(stage.at()) < 2.5;
        if body.kind() != BodyKind::Dynamic || !is_near {
            return fastest;
        }
        // Half the diagonal of the largest crate.
        fastest.max(4.0 * (body.linear_velocity().length() + 0.85 * body.angular_velocity().abs()))
    });
    (SPEED_MAX + fastest + 5.0) * DT
}

/// How far a character gets to a side in two seconds from rest, while what moves waits.
fn reach(stage: &Stage, side: f32, jump: f32) -> f32 {
    let mut fork = Stage {
        world: stage.world.clone(),
        def: stage.def.clone(),
        character: stage.character,
        scratch: CharacterScratch::default(),
    };
    fork.character.velocity = Vec2::ZERO;
    for body in fork.world.bodies().map(|body| body.id()).collect::<Vec<_>>() {
        let mut body = fork.world.body_mut(body).unwrap();
        body.set_linear_velocity(Vec2::ZERO).unwrap();
        body.set_angular_velocity(0.0).unwrap();
    }
    let mut farthest: f32 = 0.0;
    for _ in 0..120 {
        fork.move_only(CharacterInput {
            walk: 6.0 * side,
            jump,
            ..CharacterInput::default()
        });
        farthest = farthest.max((fork.at().x - stage.at().x) * side);
    }
    farthest
}

/// Where the way to a side is free for a meter, as wide as the character and the gap that it keeps, it gets on when it walks
/// there, or at least when it jumps: where the ground falls, an obstacle may lie below that way.
fn check_ways_out(stage: &Stage, what: &str) {
    for side in [-1.0, 1.0] {
        // The gap to what is below the character is there already.
        let is_free = [0.0, CHARACTER_GAP_M].into_iter().all(|rise| {
            let from = Pose {
                position: stage.at() + Vec2::new(0.0, rise),
                ..Pose::IDENTITY
            };
            let way = Motion::line(from, Vec2::new(side, 0.0));
            let hit = stage
                .world
                .cast_shape(&stage.def.shape, way, QueryFilter::default());
            hit.unwrap().is_none()
        });
        if !is_free {
            continue;
        }
        let [walks, jumps] = [0.0, 6.0].map(|jump| reach(stage, side, jump));
        assert!(
            walks.max(jumps) > 0.4,
            "{what}: from {} it gets {walks} m to side {side}, jumping {jumps} m",
            stage.at()
        );
    }
}

/// 12 worlds of 2,000 steps; a million steps and more with a `TOMBOLO_TEST_SCALE` of 42. In the last world a kinematic block
/// crushes the character at a corner of the ground.
#[test]
fn a_character_in_random_worlds_overlaps_nothing_static_and_keeps_its_limits() {
    for seed in (0..scaled(12) as u64).chain([4532]) {
        walk_about(seed);
    }
}

/// 2,000 steps with random input among bodies that move at random.
fn walk_about(seed: u64) {
    let mut random = Random(seed);
    let (mut stage, moving) = room(&mut random);
    stage.def.speed_max = SPEED_MAX;
    // Blocks may lie where it begins.
    let mut settled = 0;
    let mut input = CharacterInput::default();
    for step in 0..2000 {
        if step % 20 == 0 {
            input.walk = [-6.0, 0.0, 6.0][(3.0 * random.next()) as usize];
            for &body in &moving {
                let speed = Vec2::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0));
                stage
                    .world
                    .body_mut(body)
                    .unwrap()
                    .set_linear_velocity(speed)
                    .unwrap();
            }
        }
        input.jump = if random.next() < 0.02 { 6.0 } else { 0.0 };
        let before = stage.at();
        stage.world.step(DT).unwrap();
        let move_max = move_max(&stage);
        stage.move_only(input);
        let what = format!("seed {seed}, step {step}");
        let deep = in_static(&stage);
        settled = if deep <= 0.01 { settled + 1 } else { settled };
        assert!(settled < 60 || deep <= 0.01, "{what}: {deep} m inside");
        let moved = stage.at().distance(before);
        assert!(moved <= move_max, "{what}: {moved} m");
        let within = stage.at().abs().cmple(Vec2::new(20.0, 18.0)).all();
        assert!(
            settled < 60 || within,
            "{what}: out of the room at {}",
            stage.at()
        );
        if settled >= 60 && step % 50 == 49 && stage.character.is_grounded() {
            check_ways_out(&stage, &what);
        }
    }
    assert!(settled > 1000, "seed {seed}: settled for {settled} steps");
}

/// What a step of many characters costs: run with `--ignored --nocapture` on a quiet machine.
#[test]
#[ignore = "measures, and asserts only that all walk"]
fn a_thousand_characters() {
    let mut stage = Stage::new(0.0, HALF);
    for tile in -600..600 {
        let x = tile as f32;
        stage.block(x, -1.0, x + 1.0, 0.0);
    }
    let mut all: Vec<_> = (0..1000)
        .map(|place| tombolo_physics::Character::new(Vec2::new(place as f32 - 500.0, 0.803).into()))
        .collect();
    let input = CharacterInput {
        walk: 3.0,
        ..CharacterInput::default()
    };
    let (mut best, start) = (f64::INFINITY, all[0].position);
    for _ in 0..200 {
        let watch = Stopwatch::start();
        for character in &mut all {
            stage
                .world
                .move_character(&stage.def, character, &input, DT, &mut stage.scratch)
                .unwrap();
        }
        best = best.min(watch.elapsed_seconds());
    }
    println!("1,000 characters: {:.3} ms a step", 1e3 * best);
    assert!((all[0].position - start).x > 8.0);
    assert!(all.iter().all(tombolo_physics::Character::is_grounded));
}
